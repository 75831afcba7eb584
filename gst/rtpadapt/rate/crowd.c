/* A bound for a late comer on a queue that others keep full.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <gst/rtpadapt/rate/crowd.h>

#include <gst/rtpadapt/rate/equation.h>

#include <math.h>

#define BIN 1.       /* s */
#define BIN_LEAST 20 /* packets, for a loss ratio */
/* Seconds in a row that lose more than HIGH.  Where the radio takes 10 % in bursts
 * of four, five come by chance. */
#define HIGH .12
#define HIGH_BINS 7
#define BOUND_FOR 30. /* s: as long one such second is enough to bind again */
#define TCPS 2
/* A crowd does not lose so much within a second.  A policer whose bucket has become empty
 * does: x falls to this part of what arrives at once. */
#define SUDDEN .25
#define FALL .7

void
ra_crowd_init (RaCrowd *c)
{
  *c = (RaCrowd){ .t_bound = -(gdouble) INFINITY };
}

static void
count (RaCrowd *c, const RaReport *report, gdouble now, gdouble radio)
{
  guint lost = report->lost_congestion + report->lost_wireless;

  c->sent += report->arrived + (gdouble) lost;
  c->lost += lost;
  if (now - c->t_began < BIN || c->sent < BIN_LEAST)
    return;
  c->p = c->lost / c->sent - radio;
  if (c->p <= HIGH)
    c->n_high = 0;
  else
    c->n_high = now - c->t_bound < BOUND_FOR ? HIGH_BINS : c->n_high + 1;
  c->sent = c->lost = 0;
  c->t_began = now;
}

gdouble
ra_crowd_rate (RaCrowd *c, const RaReport *report, gdouble now, gdouble radio,
    gboolean ours, gdouble x, gdouble a, gdouble s, gdouble rtt)
{
  count (c, report, now, radio);
  if (ours || c->n_high < HIGH_BINS)
    return x;
  c->t_bound = now;
  return fmin (x,
      fmax (c->p > SUDDEN ? FALL * a : 0, TCPS * ra_equation_x (s, rtt, c->p)));
}
