/* Slow start and the nofeedback timer of RFC 5348, for other controllers.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * It differs from the RFC, and from tfrc.c, which has all of it:
 * - Slow start never lowers the rate: where little was received, nothing is
 *   doubled, but a controller's own step stays.
 * - No X_recv_set.  After a silence the rate doubles again, up to what it was
 *   before: there the RFC lets recv_limit double, up to X_Bps.
 */
#include <gst/rtpadapt/rate/start.h>

#include <gst/rtpadapt/rate/equation.h>

#include <math.h>

RaSpan
ra_start_round (const RaStart *t)
{
  return MAX (t->base.rtt, t->base.interval);
}

gboolean
ra_start_due (const RaStart *t, RaTime since, RaTime now)
{
  return since == RA_TIME_NONE || ra_diff (now, since) >= ra_start_round (t);
}

void
ra_start_init (RaRate *r, RaTime now)
{
  RaStart *t = (RaStart *) r;

  t->x = r->cfg.start ? ra_bytes (r->cfg.start) : r->s;
  t->threshold = INFINITY;
  ra_start_finish (t, now);
}

gboolean
ra_start_on_report (RaStart *t, const RaReport *report)
{
  if (t->begun)
    return FALSE;
  t->begun = TRUE;
  /* 4.2, but not beyond a rate taken over from one that knew of losses */
  if (report->p <= 0 || t->base.cfg.start == 0)
    t->x = fmax (t->x, ra_rate_initial (&t->base));
  if (report->p > 0)
    t->threshold = fmax (t->x, ra_bytes (t->base.before));
  return TRUE;
}

gboolean
ra_start_is_news (const RaReport *report, RaTime t, RaTime now)
{
  RaTime sent = ra_later (now, -report->rtt);

  return t == RA_TIME_NONE || ra_later (sent, -MAX (report->loss_age, 0)) >= t;
}

gdouble
ra_start_raised (const RaStart *t, gdouble x_recv, gdouble step)
{
  gdouble doubled = fmin (2 * t->x, 2 * x_recv); /* 4.3 step 4 */

  if (t->x >= t->threshold)
    return t->x + step;
  return fmax (t->x + step, fmin (doubled, t->threshold));
}

gdouble
ra_start_lost (const RaStart *t, gdouble x_recv)
{
  if (t->x >= t->threshold)
    return t->x;
  return fmin (t->x, fmax (x_recv, t->x / 2));
}

void
ra_start_reduce (RaStart *t, gdouble x)
{
  t->x = t->threshold = x;
}

/* 4.3 step 3, and at least four reports; 4.2 before R is known. */
static RaSpan
timer (const RaStart *t)
{
  gdouble span = 4 * ra_seconds (ra_start_round (t));

  if (t->base.rtt == 0)
    return RA_INITIAL_TIMER;
  return ra_span (fmax (span, 2 * t->base.s / t->x));
}

void
ra_start_finish (RaStart *t, RaTime now)
{
  const RaRateConfig *cfg = &t->base.cfg;

  t->x = CLAMP (t->x, ra_bytes (cfg->min), ra_bytes (cfg->max));
  t->base.bps = ra_bits (t->x);
  t->base.timeout = ra_later (now, timer (t));
  t->t_set = now;
}

void
ra_start_on_timeout (RaRate *r, RaTime now)
{
  RaStart *t = (RaStart *) r;
  gboolean idle = r->last_sent == RA_TIME_NONE || r->last_sent < t->t_set;

  /* 4.4: a source that is silent itself keeps recover_rate. */
  if (!idle || t->x >= 2 * ra_rate_initial (r)) {
    if (t->x >= t->threshold)
      t->threshold = t->x;
    t->x /= 2;
  }
  ra_start_finish (t, now);
}
