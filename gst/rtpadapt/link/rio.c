/* A line whose queue drops by colour: RED with In and Out, staggered.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * K. D. Singh, D. Ros, L. Toutain, C. Viho, Improvement of Multimedia Streaming
 * using Estimation of Wireless Losses, 2006 (seed 004), figure 1 and table 1;
 * D. Clark, W. Fang, Explicit Allocation of Best-Effort Packet Delivery
 * Service, IEEE/ACM Transactions on Networking 6(4), 1998.
 *
 * Each colour has thresholds and a count of its own.  The seed does not say
 * whose queue a colour goes by.  Here, as in Clark and Fang and in the seed's
 * simulator (ns-2, RIO-C): by what is inside of its own and the better
 * colours, so that red packets never cost a green one; coupled=0 takes all
 * that is inside for each colour (WRED, the one axis of figure 1).
 * A packet without a mark is red: who asks for nothing gets the least.
 * Differs on real video: thresholds are shares of the buffer by its nearest
 * limit, which is 100 ms unless told; the paper's is 300 kB, 400 ms at 6 Mb/s.
 */
#include <gst/rtpadapt/link/early.h>

typedef enum
{
  GREEN,
  YELLOW,
  RED,
  N_COLOURS
} Colour;

static const gchar *const prefixes[] = { "green-", "yellow-", "red-" };

typedef struct
{
  RaLine line;
  RaEarlyFilter filter;
  RaEarlyLimits limits[N_COLOURS];
  gdouble coupled;

  RaEarly early[N_COLOURS];
} Rio;

static gboolean
rio_init (RaNode *n, GError **error)
{
  Rio *r = (Rio *) n;

  if (!ra_line_init (n, error) || !ra_early_check_line (&r->line, error))
    return FALSE;
  for (guint i = 0; i < N_COLOURS; i++) {
    ra_early_init (&r->early[i]);
    if (!ra_early_check (&r->limits[i], prefixes[i], error))
      return FALSE;
  }
  return TRUE;
}

static Colour
colour_of (const RaLinkPacket *p)
{
  switch (ra_line_mark (p)) {
    case RA_MARK_GREEN:
      return GREEN;
    case RA_MARK_YELLOW:
      return YELLOW;
    case RA_MARK_NONE:
    case RA_MARK_RED:
    default:
      return RED;
  }
}

/* The packets that make the queue that a colour goes by. */
static guint
marks_of (const Rio *r, Colour colour)
{
  guint marks = RA_LINE_MARK (RA_MARK_GREEN);

  if (colour == RED || r->coupled <= 0)
    return RA_LINE_ALL;
  return colour == GREEN ? marks : marks | RA_LINE_MARK (RA_MARK_YELLOW);
}

static void
rio_push (RaNode *n, const RaLinkPacket *p, RaTime now)
{
  Rio *r = (Rio *) n;
  Colour colour = colour_of (p);
  RaEarly *e = &r->early[colour];

  /* Clark, Fang 1998: an In packet updates both averages, an Out one the
   * total's: those of the queues it would stand in. */
  for (guint i = r->coupled > 0 ? colour : GREEN; i < N_COLOURS; i++)
    ra_early_average (&r->early[i], &r->filter, &r->line, marks_of (r, i), now);
  e->p_b = ra_early_p (e->avg, &r->limits[colour], FALSE);
  if (ra_early_drops (e, FALSE, &n->rng) || !ra_line_fits (&r->line, p, now))
    ra_node_drop (n, p, RA_CAUSE_CONGESTION, now);
  else
    ra_line_take (&r->line, p, now);
}

static void
rio_observe (const RaNode *n, RaObserve emit, gpointer data)
{
  static const gchar *const names[][2] = {
    { "green_avg", "green_p_b" },
    { "yellow_avg", "yellow_p_b" },
    { "red_avg", "red_p_b" },
  };
  const Rio *r = (const Rio *) n;

  ra_line_observe (n, emit, data);
  for (guint i = 0; i < N_COLOURS; i++) {
    emit (names[i][0], r->early[i].avg, data);
    emit (names[i][1], r->early[i].p_b, data);
  }
}

#define FIELD(field) G_STRUCT_OFFSET (Rio, field)
#define MIN_TH(word, COLOUR, def)                                      \
  {                                                                    \
    word "-min-th", FIELD (limits[COLOUR].min_th), def, def, 0, 1, "", \
        "average queue from which " word                               \
        " packets are dropped, share of the buffer"                    \
  }
#define MAX_TH(word, COLOUR, def)                                      \
  {                                                                    \
    word "-max-th", FIELD (limits[COLOUR].max_th), def, def, 0, 1, "", \
        "average queue from which all " word " packets are dropped"    \
  }
#define MAX_P(word, COLOUR, def)                                          \
  {                                                                       \
    word "-max-p", FIELD (limits[COLOUR].max_p), def, def, 0, 1, "",      \
        "drop probability of " word " packets just below " word "-max-th" \
  }

static const RaParam rio_params[] = {
  /* seed 004, 4.1: Q */
  RA_LINE_RATE,
  RA_LINE_QUEUE (0),
  RA_LINE_PACKETS,
  RA_LINE_BYTES (300e3),
  /* seed 004, table 1 */
  MIN_TH ("green", GREEN, 0.50),
  MAX_TH ("green", GREEN, 0.70),
  MAX_P ("green", GREEN, 0.02),
  MIN_TH ("yellow", YELLOW, 0.30),
  MAX_TH ("yellow", YELLOW, 0.50),
  MAX_P ("yellow", YELLOW, 0.1),
  MIN_TH ("red", RED, 0.10),
  MAX_TH ("red", RED, 0.30),
  MAX_P ("red", RED, 0.2),
  { "w-q", FIELD (filter.w_q), 0.0013, 0.0013, 0, 1, "",
      "weight of an arrival in the average queue" }, /* seed 004, 4.1 */
  { "s", FIELD (filter.s), 1000, 1000, 1, 1e6, "bytes",
      "typical packet: idle time counts as arrivals of these" },
  { "coupled", FIELD (coupled), 1, 1, 0, 1, "",
      "1: a colour goes by its own and better packets inside; 0: by all" },
  { NULL },
};

const RaNodeOps ra_link_rio = {
  .name = "rio",
  .cite = "Clark, Fang 1998; seed 004, figure 1, table 1, 4.1",
  .needs = "rate=, and packets with a drop precedence",
  .use = "a bottleneck of assured forwarding (RFC 2597): green survives",
  .size = sizeof (Rio),
  .params = rio_params,
  .init = rio_init,
  .push = rio_push,
  .observe = rio_observe,
  RA_LINE_OPS,
};
