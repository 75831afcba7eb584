/* Is there a policer?
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Two loss ratios are compared, of packets sent above what arrives at most and
 * of those sent well below, by the likelihood ratio (S. Wilks 1938), as lda/cut
 * does over the queue.  The constants are our own (tests/bench/delay).
 */
#include <gst/rtpadapt/rate/police.h>

#include <gst/rtpadapt/util/likelihood.h>

#include <math.h>

#define MEMORY 10. /* s: of packets */
#define MOST_FOR \
  2. /* s: of the highest arrival rate: a full bucket lets more pass */
#define SHORT 1.      /* s: of packets near a policer's rate */
#define SOME .02      /* of those: more is lost than the radio explains */
#define LOW .9        /* of the highest arrival rate: `low` counts below it */
#define HIGH 1.02     /* of that rate: `high` counts above it */
#define GREW 1.2      /* arrivals that grow so much meet no policer */
#define OUTAGE 2.5    /* times what arrives: nobody polices that */
#define LEAST 20.     /* packets of each kind */
#define GAIN 6.       /* ln of the likelihood ratio */
#define RATIO .5      /* of the loss below to that above */
#define BACK .98      /* of the policer's rate, after a loss */
#define NEAR .98      /* of it: from here on losses are its own */
#define FALL .97      /* of what its rate was thought to be, at once */
#define RAISE .02     /* per second, below it */
#define RAISE_FREE .1 /* the same, where nothing was lost for SHORT */
#define GONE 10.      /* s without more lost from NEAR on than elsewhere */

void
ra_police_init (RaPolice *p)
{
  *p = (RaPolice){ 0 };
  ra_winmin_init (&p->most);
}

static gdouble
likelihood (const RaPoliceCount *c)
{
  return ra_log_likelihood (c->lost, c->sent);
}

static gboolean
is_policed (const RaPolice *p)
{
  RaPoliceCount all
      = { p->low.sent + p->high.sent, p->low.lost + p->high.lost };

  return p->low.sent >= LEAST && p->high.sent >= LEAST
      && p->low.lost * p->high.sent < RATIO * p->high.lost * p->low.sent
      && likelihood (&p->low) + likelihood (&p->high) - likelihood (&all)
      > GAIN;
}

static void
count (RaPoliceCount *c, const RaSense *n, gdouble memory, gdouble sent,
    gdouble lost)
{
  gdouble keep = exp (-n->dt / memory);

  c->sent = c->sent * keep + sent;
  c->lost = c->lost * keep + lost;
}

/* More than the radio's share w was lost of those near the policer's rate. */
static gboolean
exceeds (RaPolice *p, const RaSense *n, gdouble sent, gdouble lost, gdouble w)
{
  gdouble by_radio;

  count (&p->near, n, SHORT, sent, sent > 0 ? lost : 0);
  by_radio = w * p->near.sent;
  return p->near.sent >= LEAST
      && p->near.lost > by_radio + 2 * sqrt (by_radio) + SOME * p->near.sent;
}

gboolean
ra_police_hear (
    RaPolice *p, const RaSense *n, const RaReport *report, gdouble target)
{
  /* A burst of the radio's is one witness. */
  guint lost = report->lost_congestion + report->wireless_runs;
  gdouble sent = report->arrived + (gdouble) lost, x = ra_sense_x_then (n),
          most, w;
  RaTime now = (RaTime) ra_span (n->now);
  gboolean queue = n->q_lo > target / 2 || n->q_hi > target + n->packet;
  gboolean low, high;

  if (n->a > 0)
    ra_winmin_add (&p->most, -n->a, now, ra_span (MOST_FOR));
  if (n->a <= 0 || x <= 0)
    return FALSE;
  most = -ra_winmin_get (&p->most, now, ra_span (MOST_FOR));
  w = p->low.lost / fmax (p->low.sent, LEAST);
  low = !queue && x < LOW * most;
  /* In a ramp x is far above what an encoder sends, and all of that arrives but for the
   * radio's share. */
  high = !queue && (1 - w) * fmin (x, n->offered) > HIGH * most
      && x < OUTAGE * n->a;
  if (most > GREW * p->least) {
    p->high = (RaPoliceCount){ 0 };
    p->least = most;
  }
  p->least = fmin (p->least, most);
  count (&p->low, n, MEMORY, low ? sent : 0, low ? lost : 0);
  count (&p->high, n, MEMORY, high ? sent : 0, high ? lost : 0);
  if (!p->policed && high && lost > 0 && is_policed (p)) {
    p->policed = TRUE;
    p->b = n->a / (1 - w);
  } else if (p->policed
      && exceeds (p, n, queue || x < NEAR * p->b ? 0 : sent, lost, w)) {
    p->b = fmax (n->a / (1 - w), FALL * p->b);
  } else {
    if (lost > 0 && x >= NEAR * p->b)
      p->t_near = n->now;
    p->policed = p->policed && n->now - p->t_loss < GONE;
    return FALSE;
  }
  p->near = (RaPoliceCount){ 0 };
  p->t_loss = p->t_near = n->now;
  return TRUE;
}

gdouble
ra_police_rate (
    RaPolice *p, const RaSense *n, gdouble x, gdouble want, gboolean loss)
{
  gdouble raise;

  if (!p->policed)
    return want;
  if (loss)
    return fmin (want, BACK * p->b);
  raise = n->now - p->t_near < SHORT ? RAISE : RAISE_FREE;
  return fmin (want, x < BACK * p->b ? BACK * p->b : x * (1 + raise * n->dt));
}
