/* A line whose queue drops by colour: RED with In and Out, staggered.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * K. D. Singh, D. Ros, L. Toutain, C. Viho, Improvement of Multimedia Streaming
 * using Estimation of Wireless Losses, 2006 (paper 004), figure 1 and table 1;
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
 * limit, which is 100 ms unless it is set; the paper's is 300 kB, 400 ms at 6 Mb/s.
 */
#include <gst/rtpadapt/link/redavg.h>

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
  RaQueue line;
  RaRedAvgFilter filter;
  RaRedAvgLimits limits[N_COLOURS];
  gdouble coupled;

  RaRedAvg early[N_COLOURS];
} Rio;

static gboolean
rio_init (RaNode *n, GError **error)
{
  Rio *r = (Rio *) n;

  if (!ra_queue_init (n, error) || !ra_red_avg_check_queue (&r->line, error))
    return FALSE;
  for (guint i = 0; i < N_COLOURS; i++) {
    ra_red_avg_init (&r->early[i]);
    if (!ra_red_avg_check (&r->limits[i], prefixes[i], error))
      return FALSE;
  }
  return TRUE;
}

static Colour
colour_of (const RaLinkPacket *p)
{
  switch (ra_queue_mark (p)) {
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
  guint marks = RA_QUEUE_MARK (RA_MARK_GREEN);

  if (colour == RED || r->coupled <= 0)
    return RA_QUEUE_ALL;
  return colour == GREEN ? marks : marks | RA_QUEUE_MARK (RA_MARK_YELLOW);
}

static void
rio_push (RaNode *n, const RaLinkPacket *p, RaTime now)
{
  Rio *r = (Rio *) n;
  Colour colour = colour_of (p);
  RaRedAvg *e = &r->early[colour];

  /* Clark, Fang 1998: an In packet updates both averages, an Out one the
   * total's: those of the queues it would stand in. */
  for (guint i = r->coupled > 0 ? colour : GREEN; i < N_COLOURS; i++)
    ra_red_avg_add (&r->early[i], &r->filter, &r->line, marks_of (r, i), now);
  e->p_b = ra_red_avg_p (e->avg, &r->limits[colour], FALSE);
  if (ra_red_avg_drops (e, FALSE, &n->rng) || !ra_queue_fits (&r->line, p, now))
    ra_node_drop (n, p, RA_CAUSE_CONGESTION, now);
  else
    ra_queue_take (&r->line, p, now);
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

  ra_queue_observe (n, emit, data);
  for (guint i = 0; i < N_COLOURS; i++) {
    emit (names[i][0], r->early[i].avg, data);
    emit (names[i][1], r->early[i].p_b, data);
  }
}

static const RaParam rio_params[] = {
  /* paper 004, 4.1: Q */
  { "rate", RA_AT (Rio, line.rate), .def = RA_NODE_NOT_SET, .max = 100e9,
      .unit = "bit/s",
      .text = "of the line" RA_NODE_SCHEDULE_TEXT ("3M,20s:1.5M"),
      .example = "1M" },
  { "queue", RA_AT (Rio, line.queue), .def = 0.1, RA_PAPER (0), .max = 3600,
      .unit = "s",
      .text = "longest queue in time at the "
              "present rate; 0: not limited by this" },
  { "packets", RA_AT (Rio, line.packets), .def = 0, .max = 1e9,
      .unit = "packets",
      .text = "most packets inside; 0: not limited by this" },
  { "bytes", RA_AT (Rio, line.bytes), .def = 0, RA_PAPER (300e3), .max = 1e12,
      .unit = "bytes", .text = "most bytes inside; 0: not limited by this" },
  /* paper 004, table 1 */
  { "green-min-th", RA_AT (Rio, limits[GREEN].min_th), .def = 0.50, .max = 1,
      .text = "average queue from which green packets "
              "are dropped, share of the buffer" },
  { "green-max-th", RA_AT (Rio, limits[GREEN].max_th), .def = 0.70, .max = 1,
      .text = "average queue from which all green packets are dropped" },
  { "green-max-p", RA_AT (Rio, limits[GREEN].max_p), .def = 0.02, .max = 1,
      .text = "drop probability of green packets just below green-max-th" },
  { "yellow-min-th", RA_AT (Rio, limits[YELLOW].min_th), .def = 0.30, .max = 1,
      .text = "average queue from which yellow packets "
              "are dropped, share of the buffer" },
  { "yellow-max-th", RA_AT (Rio, limits[YELLOW].max_th), .def = 0.50, .max = 1,
      .text = "average queue from which all yellow packets are dropped" },
  { "yellow-max-p", RA_AT (Rio, limits[YELLOW].max_p), .def = 0.1, .max = 1,
      .text = "drop probability of yellow packets just below yellow-max-th" },
  { "red-min-th", RA_AT (Rio, limits[RED].min_th), .def = 0.10, .max = 1,
      .text = "average queue from which red packets "
              "are dropped, share of the buffer" },
  { "red-max-th", RA_AT (Rio, limits[RED].max_th), .def = 0.30, .max = 1,
      .text = "average queue from which all red packets are dropped" },
  { "red-max-p", RA_AT (Rio, limits[RED].max_p), .def = 0.2, .max = 1,
      .text = "drop probability of red packets just below red-max-th" },
  { "w-q", RA_AT (Rio, filter.w_q), .def = 0.0013, .max = 1,
      .text
      = "weight of an arrival in the average queue" }, /* paper 004, 4.1 */
  { "s", RA_AT (Rio, filter.s), .def = 1000, .min = 1, .max = 1e6,
      .unit = "bytes",
      .text = "typical packet: idle time counts as arrivals of these" },
  { "coupled", RA_AT (Rio, coupled), .def = 1, .max = 1,
      .text = "1: a colour goes by its own and "
              "better packets inside; 0: by all" },
  { NULL },
};

const RaNodeOps ra_link_rio = {
  .name = "rio",
  .cite = "Clark, Fang 1998; paper 004, figure 1, table 1, 4.1",
  .needs = "rate=, and packets with a drop precedence",
  .use = "a bottleneck of assured forwarding (RFC 2597): green survives",
  .random = TRUE,
  .size = sizeof (Rio),
  .params = rio_params,
  .init = rio_init,
  .push = rio_push,
  .observe = rio_observe,
  RA_QUEUE_OPS,
};
