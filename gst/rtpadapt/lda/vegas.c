/* Vegas: a loss is congestion if more than three packets of ours wait in the
 * queue, wireless if less than one does.
 * L. Brakmo, L. Peterson, "TCP Vegas: end to end congestion avoidance on a
 * global Internet", IEEE JSAC 13(8), 1995, as the predictor of
 * P. Papadimitriou, V. Tsaoussidis, C. Zhang, "End-to-end loss differentiation
 * for video streaming with wireless link errors", 2009, 2.1.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The paper used RTT at a TCP sender.  A paced sender has no cwnd, but what it
 * would be: cwnd = rate * RTT / s, s the mean packet.  With it
 *   diff = (cwnd / baseRTT - cwnd / RTT) * baseRTT
 *        = cwnd * (RTT - baseRTT) / RTT
 *        = rate * (RTT - baseRTT) / s,
 * and the RTT itself cancels out: a receiver may take rott - rott_min
 * (lda/delay.h), and X_recv for the rate: what keeps our packets in the queue.
 * Without a rate, until the second report, it is unsure, which is congestion.
 *
 * Between one and three "the sending rate remains temporarily unaffected".  A
 * verdict has two values; what leaves the rate unaffected is wireless
 * (between=1).  We keep the latest clear verdict instead, congestion before the
 * first: a queue on its way to or from a full one is not yet, or no longer, a
 * sign.
 *
 * On real video:
 * - A packet of 1,200 bytes crosses 10 Mb/s in 1 ms: three of them are less than
 *   the noise of stamps and wake-ups.  The first `slack` of the queueing delay
 *   does not count.
 * - baseRTT ages much later than in lda/spike.c, as RTTmin in lda/ld.c: where a
 *   queue stands for longer than the window, its delay becomes baseRTT and every
 *   loss wireless.  On a longer path every loss is congestion until then, the safe
 *   side.  From ROTT it follows the drift of the clocks (lda/base.h).
 * - Where many share a queue, a full one may hold less than three packets of
 *   ours: then no loss is congestion (the paper's thresholds, so parameters).
 * - The rate is the one allowed; an encoder that stays below it has fewer
 *   packets in the queue than diff says, which errs towards congestion.
 */
#include <gst/rtpadapt/lda/base.h>
#include <gst/rtpadapt/lda/delay.h>

#define S_NEW (1 / 64.) /* weight of a new size in s */

typedef struct
{
  RaLda base;
  gdouble low, high, between, slack, window; /* parameters */
  RaDelay delay;
  RaLdaBase base_rtt; /* ns */
  gdouble s;          /* bytes */
  gdouble diff;       /* packets; below 0 while unknown */
  gboolean wireless;  /* the latest clear verdict */
  RaTime now;
} Vegas;

static gdouble
base_rtt (const Vegas *v)
{
  return ra_lda_base_get (&v->base_rtt, v->now, ra_span (v->window));
}

/* Papadimitriou et al. 2009, 2.1. */
static gdouble
diff (Vegas *v, const RaArrival *a)
{
  gdouble rtt = ra_delay (&v->delay, a), queue;

  ra_lda_base_add (
      &v->base_rtt, rtt, !v->delay.has_rtt, a->arrival, ra_span (v->window));
  queue = (rtt - base_rtt (v)) / (gdouble) RA_SECOND - v->slack;
  return ra_bytes (a->rate) * MAX (queue, 0) / MAX (v->s, 1);
}

static RaCause
vegas_on_packet (RaLda *lda, const RaArrival *a)
{
  Vegas *v = (Vegas *) lda;
  gboolean fresh = !v->delay.known;

  v->now = a->arrival;
  v->s = fresh ? a->size : v->s + S_NEW * (a->size - v->s);
  v->diff = diff (v, a);
  if (fresh || a->rate == 0) {
    v->diff = -1;
    v->wireless = FALSE;
    return RA_CAUSE_CONGESTION;
  }
  if (v->diff < v->low)
    v->wireless = TRUE;
  else if (v->diff > v->high)
    v->wireless = FALSE;
  else if (v->between > 0)
    return RA_CAUSE_WIRELESS;
  return v->wireless ? RA_CAUSE_WIRELESS : RA_CAUSE_CONGESTION;
}

static void
vegas_observe (const RaLda *lda, RaObserve emit, gpointer data)
{
  const Vegas *v = (const Vegas *) lda;

  if (v->delay.known)
    emit ("base_rtt", ra_delay_seconds (&v->delay, base_rtt (v)), data);
  if (v->delay.known && v->diff >= 0)
    emit ("diff", v->diff, data);
}

static const RaParam params[] = {
  { "low", RA_AT (Vegas, low), .def = 1, .max = 1e6, .unit = "packets",
      .text = "wireless while fewer wait in the queue" },
  { "high", RA_AT (Vegas, high), .def = 3, .max = 1e6, .unit = "packets",
      .text = "congestion while more wait in the queue" },
  { "between", RA_AT (Vegas, between), .def = 0, RA_PAPER (1), .max = 1,
      .text = "0: between them the verdict stays, 1: it is wireless" },
  { "slack", RA_AT (Vegas, slack), .def = .002, RA_PAPER (0), .max = 10,
      .unit = "s",
      .text = "a delay up to this above baseRTT: the queue was empty" },
  { "window", RA_AT (Vegas, window), .def = 600, RA_PAPER (0), .max = 86400,
      .unit = "s", .text = "age of baseRTT, 0: the whole connection" },
  { NULL },
};

const RaLdaOps ra_lda_vegas = {
  .name = "vegas",
  .cite = "Papadimitriou, Tsaoussidis, Zhang 2009, 2.1; Brakmo, Peterson 1995",
  .needs
  = "the sender's rate or X_recv, and RTT per packet or send and arrival times",
  .use
  = "a queue of our own; deaf where our share of it is below three packets",
  .size = sizeof (Vegas),
  .params = params,
  .on_packet = vegas_on_packet,
  .observe = vegas_observe,
};
