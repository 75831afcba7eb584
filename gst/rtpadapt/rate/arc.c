/* arc: Analytical Rate Control, a model of a TCP that only congestion slows.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * K. D. Singh, D. Ros, L. Toutain, C. Viho, "Improvement of multimedia
 * streaming using estimation of wireless losses", INRIA 2006, 3.2 and 3.3;
 * after O. B. Akan, I. F. Akyildiz, IEEE/ACM ToN 12(4), 2004.
 *
 * The paper does not say, so ours:
 * - What p_c is when slow start ends: what (1) gives for the rate received by
 *   then, as RFC 5348 6.3.1 does for TFRC.  From 0 it would take a second or
 *   more of heavy loss until (1) says anything.  The losses of what slow start
 *   sent are that rate's other side, and no samples.  inverse=0, the paper's
 *   figure 2 read alone, begins at 0: an early radio loss that wled could not
 *   know yet is not remembered for a minute (docs/papers/004-wled.md).
 * - How long that first p_c counts: as long as it took, then the average of all
 *   RTTs since, until that is alpha's.  With alpha = .005 at once, a flow that
 *   began in another's full queue, at 3 packets per RTT, had 28 % of the line
 *   in the next 100 s, not 50 (tests/sim/test-controllers.c, share/arc).
 * - Silence: as TFRC (start.c).
 * - (1) never falls below 2.5 packets per RTT, at p_c = 1: on a narrower path
 *   nothing ends the congestion but a longer RTT.
 * On real video:
 * - Feedback comes once per frame: samples are gathered over an RTT, and where
 *   frames are rarer than that, RTT is the time between them, in (1), too, whose
 *   floor would else be 60 Mbit/s at an RTT of .4 ms.
 * - Where the encoder sent less than it might, the path proved nothing: no
 *   increase (RFC 7661 4.4; RFC 5348 4.3 lets TFRC rise).
 */
#include <gst/rtpadapt/rate/start.h>

#include <math.h>

#define P_MIN 1e-12 /* hours without a loss; keeps (1) finite */

typedef struct
{
  RaStart start;
  gdouble alpha, inverse, direct; /* parameters */

  gdouble p_c;     /* smoothed; 0 before the first loss */
  gdouble n, lost; /* packets expected, and lost to congestion, this round */
  gdouble sample;  /* the latest round's p_c */
  gdouble memory;  /* rounds that p_c is the average of, up to 1 / alpha */
  RaTime t_round;  /* when it began */
  RaTime t_lost;   /* of the first congestion loss, or RA_TIME_NONE */
} Arc;

/* (1) times RTT: packets per RTT. */
static gdouble
window (gdouble p_c)
{
  return (3 + sqrt (25 + 24 / p_c)) / 4;
}

/* Its inverse; at p_c = 1 it gives 2.5, and never less. */
static gdouble
window_p (gdouble packets)
{
  gdouble root = 4 * packets - 3;

  return root * root <= 25 + 24 ? 1 : fmax (24 / (root * root - 25), P_MIN);
}

/* Bytes/s of one packet per RTT. */
static gdouble
packet_rate (const Arc *t)
{
  return t->start.base.s / ra_seconds (ra_start_round (&t->start));
}

static void
round_begin (Arc *t, RaTime now)
{
  t->n = t->lost = 0;
  t->t_round = now;
}

/* The first congestion loss ends slow start.  With inverse: one loss in 1 / p_c
 * packets, the interval of RFC 5348 6.3.1, and these took so many rounds. */
static void
first_loss (Arc *t, gdouble x_recv, RaTime now)
{
  ra_start_reduce (&t->start, ra_start_lost (&t->start, x_recv));
  t->p_c = P_MIN;
  t->memory = 1 / t->alpha;
  if (t->inverse > 0) {
    t->p_c = window_p (t->start.x / packet_rate (t));
    t->memory = CLAMP (1 / (t->p_c * window (t->p_c)), 1, 1 / t->alpha);
  }
  t->t_lost = now;
  round_begin (t, now);
}

/* 3.3: "the estimated, smoothed value of p_c is sent to the sender which utilizes it
 * directly in the ARC rate equation (1)". */
static gboolean
is_direct (const Arc *t, const RaReport *report)
{
  return t->direct > 0 && report->has_p_c;
}

/* Figure 2, EWMA_Estimator; its p_c of (2), with pi = (c + l) / n of n packets,
 * w = l / (n - c) of those that came as far as the radio, is just c / n. */
static void
p_c_update (Arc *t)
{
  if (t->p_c <= 0 || t->n <= 0)
    return;
  t->sample = fmin (t->lost / t->n, 1);
  t->memory = fmin (t->memory + 1, 1 / t->alpha);
  t->p_c = fmax (t->p_c + (t->sample - t->p_c) / t->memory, P_MIN); /* (3) */
}

/* 3.2: "at most one packet per RTT; otherwise, it is directly reduced" */
static void
x_update (Arc *t, const RaReport *report)
{
  RaStart *b = &t->start;
  gdouble x = INFINITY;
  gdouble x_recv = ra_bytes (report->recv_rate);

  if (t->p_c > 0)
    x = packet_rate (t) * window (t->p_c);
  if (x <= b->x)
    ra_start_reduce (b, x);
  else if (!report->data_limited)
    b->x = fmin (x, ra_start_raised (b, x_recv, packet_rate (t)));
}

static void
arc_init (RaRate *r, RaTime now)
{
  Arc *t = (Arc *) r;

  t->t_round = now;
  t->t_lost = RA_TIME_NONE;
  ra_start_init (r, now);
}

static void
arc_on_report (RaRate *r, const RaReport *report, RaTime now)
{
  Arc *t = (Arc *) r;
  gboolean loss = report->n_events > 0 || ra_report_congestion (report) > 0
      || report->p > 0;

  if (ra_start_on_report (&t->start, report))
    t->t_round = now;
  t->n += report->expected;
  t->lost += ra_report_congestion (report);
  if (loss && t->p_c <= 0) {
    first_loss (t, ra_bytes (report->recv_rate), now);
  } else if (!ra_start_is_news (report, t->t_lost, now)) {
    round_begin (t, now); /* what slow start sent does not count as a sample */
  } else if (ra_start_due (&t->start, t->t_round, now)) {
    if (t->lost > 0) /* no doubling after a silence, either */
      t->start.threshold = fmin (t->start.threshold, t->start.x);
    if (is_direct (t, report))
      t->p_c = t->sample = fmax (report->p_c, P_MIN);
    else
      p_c_update (t);
    x_update (t, report);
    round_begin (t, now);
  }
  ra_start_finish (&t->start, now);
}

static void
arc_observe (const RaRate *r, RaObserve emit, gpointer data)
{
  const Arc *t = (const Arc *) r;

  emit ("x", t->start.x, data);
  emit ("S", t->start.x / r->s, data); /* packets/s */
  emit ("p_c", t->p_c, data);
  emit ("p_c_sample", t->sample, data);
  emit ("rtt", ra_seconds (r->rtt), data);
  emit ("s", r->s, data);
  emit ("slow_start", t->start.x < t->start.threshold ? 1 : 0, data);
}

static const RaParam params[] = {
  { "alpha", RA_AT (Arc, alpha), .def = .005, .min = 1e-6, .max = 1,
      .text = "weight of an RTT's sample in p_c" },
  { "inverse", RA_AT (Arc, inverse), .def = 1, RA_PAPER (0), .max = 1,
      .text = "1: p_c begins at what slow start reached; 0: at 0" },
  { "direct", RA_AT (Arc, direct), .def = 0, RA_PAPER (1), .max = 1,
      .text
      = "1: the p_c of an LDA that has one (wled) goes into (1) as it is" },
  { NULL },
};

const RaRateOps ra_rate_arc = {
  .name = "arc",
  .cite = "Singh, Ros, Toutain, Viho 2006, 3.2 and 3.3, eq. 1 to 3",
  .needs = "packet counts and the causes of losses, in reports",
  .use = "the smoothest rate on a steady path; made for the LDA wled",
  .size = sizeof (Arc),
  .params = params,
  .by_shares = TRUE,
  .init = arc_init,
  .on_report = arc_on_report,
  .on_timeout = ra_start_on_timeout,
  .observe = arc_observe,
};
