/* delay's answer to losses.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The constants are our own, as rate/delay.c says.
 */
#include <gst/rtpadapt/rate/delay.h>

#include <gst/rtpadapt/rate/equation.h>

#include <math.h>

#define RAW_LEAST 250 /* packets, before the brake may trip */
#define BIN_LEAST 20  /* packets, for a loss ratio */
#define BOUND_LOSS .12
#define BOUND_BINS 5     /* seconds in a row */
#define BOUND_TIME 30.   /* s */
#define OURS_TIME 30.    /* s, since a queue of ours drained */
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
  d->c.x_c = fmin (d->c.x_c, most);
  ra_delay_end_ramp (d);
  return TRUE;
}

/* Counts the seconds in a row in which many were lost. */
static void
bound_hear (RaDelayRate *d, const RaReport *report)
{
  guint lost = report->lost_congestion + report->lost_wireless;
  gboolean known;

  d->bin_sent += report->arrived + (gdouble) lost;
  d->bin_lost += lost;
  if (d->n.now - d->t_bin < 1 || d->bin_sent < BIN_LEAST)
    return;
  d->p_bin = d->bin_lost / d->bin_sent - d->start.base.radio;
  known = d->n.now - d->t_bound < BOUND_TIME;
  if (d->p_bin <= BOUND_LOSS)
    d->n_high = 0;
  else
    d->n_high = known ? BOUND_BINS : d->n_high + 1;
  d->bin_sent = d->bin_lost = 0;
  d->t_bin = d->n.now;
}

/* A queue that is always full looks empty to who came late, and its losses are as
 * many at all lengths: like the radio's.  Only on a line of our own, which drain
 * tests show, so many are believed to be.  Elsewhere the rate is not above two
 * TCPs'. */
gdouble
ra_delay_bound (RaDelayRate *d, const RaReport *report, gdouble x)
{
  const RaRate *base = &d->start.base;
  const RaSense *n = &d->n;

  bound_hear (d, report);
  if (d->brake <= 0 || n->now - d->c.t_drained < OURS_TIME)
    return x;
  if (d->n_high < BOUND_BINS)
    return x;
  d->t_bound = n->now;
  return fmin (
      x, 2 * ra_equation_x (base->s, ra_seconds (base->rtt), d->p_bin));
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
