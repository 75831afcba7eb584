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
#define POLICED .9

void
ra_delay_end_ramp (RaDelayRate *d)
{
  if (d->ramp)
    ra_contest_ramp_ended (&d->c);
  d->ramp = FALSE;
}

/* A belt against an LDA that takes congestion for the radio's. */
gboolean
ra_delay_brakes (RaDelayRate *d, RaTime now)
{
  RaSense *n = &d->n;
  gdouble most = FALL_EMPTY * n->r * (1 - n->raw);

  if (d->brake <= 0 || n->n_raw < RAW_LEAST || n->raw <= d->brake || !n->lost
      || n->r <= 0 || n->now - d->t_brake < n->lag)
    return FALSE;
  d->t_brake = n->now;
  d->t_reduced = now;
  d->x_silent = 0;
  d->start.x = fmin (d->start.x, most);
  ra_contest_at_most (&d->c, most);
  ra_delay_end_ramp (d);
  return TRUE;
}

/* In the ramp one verdict at an empty queue changes nothing while what was sent
 * arrives: the radio loses packets, too.  A policer shows in r_last. */
static gboolean
is_forgiven (RaDelayRate *d)
{
  const RaSense *n = &d->n;
  gdouble before = d->t_verdict;

  if (!d->ramp || d->ramp_forgives <= 0 || n->q2 > d->t / 2
      || n->r_last < RAMP_ARRIVES * ra_sense_x_then (n))
    return FALSE;
  d->t_verdict = n->now;
  return n->now - before >= n->lag;
}

gboolean
ra_delay_loses (RaDelayRate *d, const RaReport *report, RaTime now)
{
  const RaSense *n = &d->n;
  /* A policer has no queue, but what is sent beyond its rate does not arrive. */
  gboolean real = n->q2 > d->t / 2 || n->q_lo > d->t
      || n->r < POLICED * ra_sense_x_then (n);
  gdouble beta = real ? FALL : FALL_EMPTY, most = (beta + FALL_ROOM) * n->r;
  gdouble *x = &d->start.x, before = *x;

  if (ra_report_congestion (report) == 0
      || !ra_start_told (report, d->t_reduced, now) || is_forgiven (d))
    return FALSE;
  d->t_reduced = now;
  d->x_silent = 0;
  ra_contest_reduce (&d->c);
  if (n->r <= 0)
    *x *= beta;
  else if (*x > most)
    *x = fmax (beta * *x, fmin (*x, most));
  if (n->q2 <= d->t)
    *x = fmax (*x, fmin (before, d->x_tcp));
  if (d->ramp && n->r > 0)
    *x = fmin (*x, most);
  ra_delay_end_ramp (d);
  if (real) {
    d->x_loss = *x;
    d->t_loss = n->now;
  }
  return TRUE;
}
