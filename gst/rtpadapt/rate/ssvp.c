/* ssvp: Scalable Streaming Video Protocol, AIMD on the gap between packets.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * P. Papadimitriou, V. Tsaoussidis, C. Zhang, "End-to-end loss differentiation
 * for video streaming with wireless link errors", 2009, section 4.
 *
 * Eq. 11 as printed, IPG / (1 + alpha), multiplies the rate by 1.31 per RTT.
 * The text calls alpha an additive increase of an AIMD, and .31 with .875 is
 * such a pair (alpha = 4 (1 - beta^2) / 3 = .3125).  So the default adds alpha
 * packets per RTT, IPG = RTT / (RTT / IPG + alpha).  `paper` is what is printed,
 * and that does not control congestion: it overruns the queue again as soon as it
 * has emptied, loses a fifth of its packets, and leaves others a tenth.
 *   rtpadapt-sim -c ssvp --controller-params increase=N -l omniscient
 *     --flows F -L 'bottleneck rate=10M queue=64ms ! delay 32ms' --seed 1
 *     --packet-size 1000 --feedback-delay .032 --seconds 125 --warmup 25
 *     --friendliness-cap 0 --breakers 0
 *            2, 10, 20 flows: congestion loss, %   Jain's index
 *   additive                  .4  1.6  3.4         1.000 .999 .998
 *   printed                   26   21   17          .945 .994 .996
 * and with "! gilbert p=.994 q=.78"
 *   additive                  .2  1.3  2.8          .998 .999 .999
 *   printed                   14   17   16          .990 .993 .996
 * 5 flows with 5 of gaimd (--mix 'ssvp increase=N; gaimd' --flows 10, no
 * gilbert) have 47 % of the line, as printed 91 %.
 *
 * The paper refers to its [24] for all else.  Not there, so ours:
 * - The beginning and silence are TFRC's (start.c).  The end of slow start goes
 *   back to what was received first: beta alone would lose for five RTTs.
 * - One answer per RTT: losses among what was sent before the last decrease were
 *   answered by it.
 * - An RTT that lost a packet to congestion is none for an increase.  `hold` is
 *   4.2's "temporarily unaffected" after a wireless loss, too.  But on a wide
 *   and lossy path each RTT has one, and the rate stands still: from 2 to 8 Mb/s
 *   at 30 s, 5 % loss, R = 100 ms, it used 46 % with hold=1, 85 % without.
 * On real video:
 * - The state is the rate s / IPG (15), not the gap: packet sizes change, and
 *   smaller packets are no reason to send less.
 * - Where the encoder sent less than it might, the path proved nothing: no
 *   increase (RFC 7661 4.4; RFC 5348 4.3 lets TFRC rise).
 * - With feedback once per frame RTT means the time between frames, if longer.
 */
#include <gst/rtpadapt/rate/start.h>

typedef struct
{
  RaStart start;
  gdouble alpha, beta, increase, hold; /* parameters */

  gdouble p;         /* of the latest report */
  gboolean lossy;    /* a loss since t_adjusted: no increase */
  RaTime t_adjusted; /* the rate, either way */
  RaTime t_reduced;
} Ssvp;

static void
ssvp_init (RaRate *r, RaTime now)
{
  Ssvp *t = (Ssvp *) r;

  t->t_adjusted = t->t_reduced = RA_TIME_NONE;
  ra_start_init (r, now);
}

/* (11), in bytes/s more than now. */
static gdouble
step (const Ssvp *t)
{
  const RaStart *b = &t->start;

  if (t->increase > 0)
    return t->alpha * b->x; /* as printed */
  return t->alpha * b->base.s / ra_seconds (ra_start_round (b));
}

static void
increase (Ssvp *t, const RaReport *report, RaTime now)
{
  RaStart *b = &t->start;

  if (!t->lossy && !report->data_limited)
    b->x = ra_start_raised (b, ra_bytes (report->recv_rate), step (t));
  t->t_adjusted = now;
  t->lossy = FALSE;
}

static void
decrease (Ssvp *t, const RaReport *report, RaTime now)
{
  RaStart *b = &t->start;
  gdouble x = ra_start_lost (b, ra_bytes (report->recv_rate));

  ra_start_reduce (b, t->beta * x); /* (10) */
  t->t_adjusted = t->t_reduced = now;
  t->lossy = FALSE;
}

static void
ssvp_on_report (RaRate *r, const RaReport *report, RaTime now)
{
  Ssvp *t = (Ssvp *) r;
  RaStart *b = &t->start;
  gboolean first = ra_start_on_report (b, report);
  /* A rise of p shows an event whose report was lost. */
  gboolean event = report->n_events > 0 || (!first && report->p > t->p);

  t->p = report->p;
  if (first)
    t->t_adjusted = now;
  if (ra_start_is_news (report, t->t_reduced, now)) {
    /* 4.1, "if congestion has not been detected"; 3.2 */
    t->lossy |= ra_report_congestion (report) > 0
        || (report->lost_wireless > 0 && t->hold > 0);
    if (event)
      decrease (t, report, now);
    else if (ra_start_due (b, t->t_adjusted, now))
      increase (t, report, now);
  }
  ra_start_finish (b, now);
}

static void
ssvp_observe (const RaRate *r, RaObserve emit, gpointer data)
{
  const Ssvp *t = (const Ssvp *) r;
  gdouble ipg = r->s / t->start.x; /* (15) */
  gdouble rtt = ra_seconds (r->rtt);

  emit ("x", t->start.x, data);
  emit ("ipg", ipg, data);
  emit ("k", rtt / ipg, data); /* (13) */
  emit ("rtt", rtt, data);
  emit ("s", r->s, data);
  emit ("slow_start", t->start.x < t->start.threshold ? 1 : 0, data);
}

static const RaParam params[] = {
  { "alpha", RA_AT (Ssvp, alpha), .def = .31, .max = 10, .unit = "packets",
      .text = "additive increase: so many more per RTT" },
  { "beta", RA_AT (Ssvp, beta), .def = .875, .min = .01, .max = 1,
      .text = "multiplicative decrease: the rate that is left, IPG / beta" },
  { "increase", RA_AT (Ssvp, increase), .def = 0, RA_PAPER (1), .max = 1,
      .text = "0: additive, 1: as printed, IPG / (1 + alpha) per RTT" },
  { "hold", RA_AT (Ssvp, hold), .def = 0, RA_PAPER (1), .max = 1,
      .text = "1: no increase in an RTT with a wireless loss, 0: increase" },
  { NULL },
};

const RaRateOps ra_rate_ssvp = {
  .name = "ssvp",
  .cite = "Papadimitriou, Tsaoussidis, Zhang 2009, 4, eq. 10 to 16",
  .needs = "reports once per RTT or more often, with loss events",
  .use
  = "video in gentle steps, with any LDA; without timeouts, so that a TCP of "
    "fewer than four packets per RTT is pushed aside",
  .size = sizeof (Ssvp),
  .params = params,
  .init = ssvp_init,
  .on_report = ssvp_on_report,
  .on_timeout = ra_start_on_timeout,
  .observe = ssvp_observe,
};
