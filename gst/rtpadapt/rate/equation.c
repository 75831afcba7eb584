/* The TCP throughput equation and its inverse.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <gst/rtpadapt/rate/equation.h>

#include <math.h>

#define P_MIN 1e-12

gdouble
ra_equation_f (gdouble p)
{
  return sqrt (2 * p / 3) + 12 * sqrt (3 * p / 8) * p * (1 + 32 * p * p);
}

gdouble
ra_equation_x (gdouble s, gdouble rtt, gdouble p)
{
  if (p <= 0)
    return INFINITY;
  return s / (rtt * ra_equation_f (fmin (p, 1)));
}

gdouble
ra_initial_rate (guint mss, gdouble rtt)
{
  if (rtt <= 0)
    return INFINITY;
  return fmin (4.0 * mss, fmax (2.0 * mss, 4380)) / rtt;
}

gdouble
ra_equation_p (gdouble s, gdouble rtt, gdouble x)
{
  gdouble f = s / (rtt * x);
  gdouble low = log (P_MIN), high = 0;

  if (!(f < ra_equation_f (1)))
    return 1;
  if (f < ra_equation_f (P_MIN))
    return 0;
  /* f rises with p.  Halving ln p, as p spans twelve decades: 2^-40 of them
   * is 1 part in 10^10. */
  for (guint i = 0; i < 40; i++) {
    gdouble middle = (low + high) / 2;

    if (ra_equation_f (exp (middle)) < f)
      low = middle;
    else
      high = middle;
  }
  return exp ((low + high) / 2);
}
