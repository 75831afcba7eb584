/* The window of CUBIC (RFC 9438), in packets, for a flow that shares a full queue.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <gst/rtpadapt/rate/cubic.h>

#include <math.h>

#define C .4    /* RFC 9438 5: packets/s^3 */
#define BETA .7 /* RFC 9438 4.6 */
#define WINDOW_LEAST 1.
#define TARGET_MOST 1.5 /* RFC 9438 4.2: of the window, per round */

static void
epoch (RaCubic *c)
{
  c->age = 0;
  c->w_est = c->w;
  c->k = cbrt (fmax (c->w_max - c->w, 0) / C); /* RFC 9438 4.2, figure 2 */
}

void
ra_cubic_begin (RaCubic *c, gdouble w)
{
  c->w = c->w_max = c->w_prior = fmax (w, WINDOW_LEAST);
  epoch (c);
}

void
ra_cubic_reduce (RaCubic *c)
{
  /* RFC 9438 4.7: a window that has not come back leaves room for others. */
  c->w_max = c->w < c->w_max ? c->w * (1 + BETA) / 2 : c->w;
  c->w_prior = c->w;
  c->w = fmax (BETA * c->w, WINDOW_LEAST);
  epoch (c);
}

void
ra_cubic_grow (RaCubic *c, gdouble dt, gdouble rtt)
{
  /* RFC 9438 4.3: as many packets as a Reno on the mean, and then as quick as one. */
  gdouble alpha = c->w_est < c->w_prior ? 3 * (1 - BETA) / (1 + BETA) : 1;
  gdouble t = c->age + rtt - c->k, goal;

  c->age += dt;
  c->w_est += alpha * dt / rtt;
  goal = fmin (C * t * t * t + c->w_max, TARGET_MOST * c->w);
  if (goal > c->w)
    c->w += (goal - c->w) * fmin (1, dt / rtt);
  c->w = fmax (c->w, c->w_est);
}

void
ra_cubic_limit (RaCubic *c, gdouble w)
{
  c->w = fmin (c->w, w);
  c->w_est = fmin (c->w_est, w);
}

void
ra_cubic_raise (RaCubic *c, gdouble w)
{
  c->w = fmax (c->w, w);
}

gdouble
ra_cubic_mean (gdouble rtt, gdouble p)
{
  return pow (C * (3 + BETA) / (4 * (1 - BETA)), .25) * pow (rtt / p, .75);
}
