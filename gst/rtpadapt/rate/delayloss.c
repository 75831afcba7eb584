/* delay's answer to losses.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The constants are our own, as rate/delay.c says.
 */
#include <gst/rtpadapt/rate/delay.h>

#include <math.h>

#define RAW_LEAST 250    /* packets, before the brake may trip */
#define RAMP_ARRIVES .85 /* of what was sent: the queue is still empty */
/* A loss in a queue, or in an empty one, where a wrong verdict is likely. */
#define FALL .85
#define FALL_EMPTY .95
#define FALL_ROOM .05
/* Less arrives than was sent. */
#define POLICED .9  /* of what was allowed */
#define ARRIVES .95 /* of what a source sent that does not use what it may */
#define ECHO_LAGS 2

void
ra_delay_end_ramp (RaDelayRate *d, gboolean lost)
{
  if (!d->ramp)
    return;
  ra_contest_ramp_ended (&d->contest, lost);
  d->ramp = FALSE;
  d->t_ramp = d->sense.now;
}

/* What arrives was sent in the ramp, and r is of a time before the line was full. */
gboolean
ra_delay_echoes (const RaDelayRate *d)
{
  return d->sense.now - d->t_ramp <= ECHO_LAGS * d->sense.lag;
}

/* A belt against an LDA that takes congestion for the radio's. */
gboolean
ra_delay_brakes (RaDelayRate *d, gdouble radio, RaTime now)
{
  RaSense *n = &d->sense;
  gdouble most = FALL_EMPTY * n->r * (1 - n->raw);

  if (d->brake <= 0 || n->n_raw < RAW_LEAST || n->raw - radio <= d->brake
      || !n->lost || n->r <= 0 || n->now - d->t_brake < n->lag)
    return FALSE;
  d->t_brake = n->now;
  d->t_reduced = now;
  d->x_silent = 0;
  d->start.x = fmin (d->start.x, most);
  ra_contest_at_most (&d->contest, most);
  ra_delay_end_ramp (d, FALSE);
  return TRUE;
}

/* A policer has no queue, but what is sent beyond its rate does not arrive.  A source
 * that sends less than it may shows it in what was lost alone. */
static gboolean
arrives (const RaSense *n, gboolean limited, gdouble r, gdouble share)
{
  return limited ? n->used >= ARRIVES * n->offered
                 : r >= share * ra_sense_x_then (n);
}

/* What arrives, to compare with what was sent.  In the ramp a mean over a lag is far
 * behind a rate that doubles in that time, and of few packets one that is hit says
 * nothing about the rest. */
static gdouble
arrived_rate (const RaDelayRate *d, const RaReport *report)
{
  guint hit = report->lost_congestion + report->lost_wireless;

  if (!d->ramp || report->data_limited || report->arrived == 0)
    return d->sense.r;
  return d->sense.r_last * (report->arrived + MIN (hit, 1.)) / report->arrived;
}

/* In the ramp one verdict at an empty queue changes nothing while all else that was sent
 * arrives: the radio loses packets, too.  TRUE: this is the one. */
static gboolean
forgive (RaDelayRate *d, gboolean limited, gdouble r)
{
  const RaSense *n = &d->sense;
  gdouble before = d->t_verdict;

  if (!d->ramp || d->ramp_forgives <= 0 || n->q2 > d->target_now / 2
      || !arrives (n, limited, r, RAMP_ARRIVES))
    return FALSE;
  d->t_verdict = n->now;
  return n->now - before >= n->lag;
}

/* A mark is answered as a loss in a queue is: RFC 6679 7.3.3 wants no difference, and a
 * mark cannot be the radio's. */
gboolean
ra_delay_loses (RaDelayRate *d, const RaReport *report, RaTime now)
{
  const RaSense *n = &d->sense;
  gboolean limited = report->data_limited, queue = n->q2 > d->target_now / 2;
  gboolean marked = report->ce > 0;
  gdouble r = arrived_rate (d, report);
  gboolean real = marked || queue || n->q_lo > d->target_now
      || !arrives (n, limited, r, POLICED);
  gdouble beta = real ? FALL : FALL_EMPTY, most = (beta + FALL_ROOM) * r;
  gdouble *x = &d->start.x, before = *x;

  if (ra_report_congestion (report) == 0
      || !ra_start_is_news (report, d->t_reduced, now)
      || (!marked && forgive (d, limited, r)))
    return FALSE;
  d->t_reduced = now;
  d->x_silent = 0;
  ra_contest_reduce (&d->contest);
  if (n->r <= 0)
    *x *= beta;
  else if (*x > most)
    *x = fmax (beta * *x, fmin (*x, most));
  if (n->q2 <= d->target_now)
    *x = fmax (*x, fmin (before, d->x_tcp));
  if (d->ramp && n->r > 0)
    *x = fmin (*x, most);
  ra_delay_end_ramp (d, TRUE);
  if (real && !(queue && ra_delay_echoes (d))) {
    d->x_loss = *x;
    d->t_loss = n->now;
  }
  return TRUE;
}
