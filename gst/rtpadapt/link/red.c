/* A line whose queue drops early and at random (RED).
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * S. Floyd, V. Jacobson, Random Early Detection Gateways for Congestion
 * Avoidance, IEEE/ACM Transactions on Networking 1(4), 1993.
 * Differs on real video:
 * - The paper's thresholds are packets of one size; here they are shares of
 *   the buffer (link/redavg.h).  p_b does not grow with a packet's size (the paper's
 *   byte option), which would spare parameter sets and favour small packets.
 * - gentle and wait are on: their author's later advice, the defaults of ns-2.
 *   A full stop at max_th loses whole frames.
 */
#include <gst/rtpadapt/link/redavg.h>

typedef struct
{
  RaQueue line;
  RaRedAvgFilter filter;
  RaRedAvgLimits limits;
  gdouble gentle, wait;

  RaRedAvg early;
} Red;

static gboolean
red_init (RaNode *n, GError **error)
{
  Red *r = (Red *) n;

  ra_red_avg_init (&r->early);
  return ra_queue_init (n, error) && ra_red_avg_check_queue (&r->line, error)
      && ra_red_avg_check (&r->limits, "", error);
}

static void
red_push (RaNode *n, const RaLinkPacket *p, RaTime now)
{
  Red *r = (Red *) n;
  RaRedAvg *e = &r->early;

  ra_red_avg_add (e, &r->filter, &r->line, RA_QUEUE_ALL, now);
  e->p_b = ra_red_avg_p (e->avg, &r->limits, r->gentle > 0);
  if (ra_red_avg_drops (e, r->wait > 0, &n->rng)
      || !ra_queue_fits (&r->line, p, now))
    ra_node_drop (n, p, RA_CAUSE_CONGESTION, now);
  else
    ra_queue_take (&r->line, p, now);
}

static void
red_observe (const RaNode *n, RaObserve emit, gpointer data)
{
  const RaRedAvg *e = &((const Red *) n)->early;

  ra_queue_observe (n, emit, data);
  emit ("avg", e->avg, data);
  emit ("p_b", e->p_b, data);
  emit ("p_a", e->p_a, data);
  emit ("count", (gdouble) e->count, data);
}

static const RaParam red_params[] = {
  { "", RA_TABLE (Red, line, ra_queue_params) },
  /* paper 002, 4.2.6: 25 and 75 % of the buffer */
  { "min-th", RA_AT (Red, limits.min_th), .def = 0.25, .max = 1,
      .text = "average queue from which packets "
              "are dropped, share of the buffer" },
  { "max-th", RA_AT (Red, limits.max_th), .def = 0.75, .max = 1,
      .text = "average queue from which all are, or with gentle more steeply" },
  { "max-p", RA_AT (Red, limits.max_p), .def = 0.1, RA_PAPER (0.02), .max = 1,
      .text = "drop probability at max-th" },
  { "w-q", RA_AT (Red, filter.w_q), .def = 0.002, .max = 1,
      .text = "weight of an arrival in the average queue" },
  { "s", RA_AT (Red, filter.s), .def = 1000, .min = 1, .max = 1e6,
      .unit = "bytes",
      .text = "typical packet: idle time counts as arrivals of these" },
  { "gentle", RA_AT (Red, gentle), .def = 1, RA_PAPER (0), .max = 1,
      .text = "1: from max-th to twice that p rises from max-p to 1; 0: is 1" },
  { "wait", RA_AT (Red, wait), .def = 1, RA_PAPER (0), .max = 1,
      .text = "1: drops are 1/p to 2/p packets apart; 0: 1 to 1/p" },
  { NULL },
};

const RaNodeOps ra_link_red = {
  .name = "red",
  .cite = "Floyd, Jacobson 1993, figure 2; thresholds: paper 002, 4.2.6",
  .needs = "rate=",
  .use = "a bottleneck whose router drops before the queue is full",
  .random = TRUE,
  .size = sizeof (Red),
  .params = red_params,
  .init = red_init,
  .push = red_push,
  .observe = red_observe,
  RA_QUEUE_OPS,
};
