/* A line whose queue drops early and at random (RED).
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * S. Floyd, V. Jacobson, Random Early Detection Gateways for Congestion
 * Avoidance, IEEE/ACM Transactions on Networking 1(4), 1993.
 * Differs on real video:
 * - The paper's thresholds are packets of one size; here they are shares of
 *   the buffer (early.h).  p_b does not grow with a packet's size (the paper's
 *   byte option), which would spare parameter sets and favour small packets.
 * - gentle and wait are on: their author's later advice, the defaults of ns-2.
 *   A full stop at max_th loses whole frames.
 */
#include <gst/rtpadapt/link/early.h>

typedef struct
{
  RaLine line;
  RaEarlyFilter filter;
  RaEarlyLimits limits;
  gdouble gentle, wait;

  RaEarly early;
} Red;

static gboolean
red_init (RaNode *n, GError **error)
{
  Red *r = (Red *) n;

  ra_early_init (&r->early);
  return ra_line_init (n, error) && ra_early_check_line (&r->line, error)
      && ra_early_check (&r->limits, "", error);
}

static void
red_push (RaNode *n, const RaLinkPacket *p, RaTime now)
{
  Red *r = (Red *) n;
  RaEarly *e = &r->early;

  ra_early_average (e, &r->filter, &r->line, RA_LINE_ALL, now);
  e->p_b = ra_early_p (e->avg, &r->limits, r->gentle > 0);
  if (ra_early_drops (e, r->wait > 0, &n->rng)
      || !ra_line_fits (&r->line, p, now))
    ra_node_drop (n, p, RA_CAUSE_CONGESTION, now);
  else
    ra_line_take (&r->line, p, now);
}

static void
red_observe (const RaNode *n, RaObserve emit, gpointer data)
{
  const RaEarly *e = &((const Red *) n)->early;

  ra_line_observe (n, emit, data);
  emit ("avg", e->avg, data);
  emit ("p_b", e->p_b, data);
  emit ("p_a", e->p_a, data);
  emit ("count", (gdouble) e->count, data);
}

#define FIELD(field) G_STRUCT_OFFSET (Red, field)

static const RaParam red_params[] = {
  RA_LINE_RATE,
  RA_LINE_QUEUE (0.1),
  RA_LINE_PACKETS,
  RA_LINE_BYTES (0),
  /* seed 002, 4.2.6: 25 and 75 % of the buffer */
  { "min-th", FIELD (limits.min_th), 0.25, 0.25, 0, 1, "",
      "average queue from which packets are dropped, share of the buffer" },
  { "max-th", FIELD (limits.max_th), 0.75, 0.75, 0, 1, "",
      "average queue from which all are, or with gentle more steeply" },
  { "max-p", FIELD (limits.max_p), 0.1, 0.02, 0, 1, "",
      "drop probability at max-th" },
  { "w-q", FIELD (filter.w_q), 0.002, 0.002, 0, 1, "",
      "weight of an arrival in the average queue" },
  { "s", FIELD (filter.s), 1000, 1000, 1, 1e6, "bytes",
      "typical packet: idle time counts as arrivals of these" },
  { "gentle", FIELD (gentle), 1, 0, 0, 1, "",
      "1: from max-th to twice that p rises from max-p to 1; 0: is 1" },
  { "wait", FIELD (wait), 1, 0, 0, 1, "",
      "1: drops are 1/p to 2/p packets apart; 0: 1 to 1/p" },
  { NULL },
};

const RaNodeOps ra_link_red = {
  .name = "red",
  .cite = "Floyd, Jacobson 1993, figure 2; thresholds: seed 002, 4.2.6",
  .needs = "rate=",
  .use = "a bottleneck whose router drops before the queue is full",
  .size = sizeof (Red),
  .params = red_params,
  .init = red_init,
  .push = red_push,
  .observe = red_observe,
  RA_LINE_OPS,
};
