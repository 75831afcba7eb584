/* The noise of a series, from its second differences.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <math.h>

#include <glib.h>

G_BEGIN_DECLS

/* The mean absolute second difference of normal noise is sqrt (6 2 / pi) = 1.95 standard
 * deviations: the variance of a - 2 b + c is 1 + 4 + 1 times that of one, and the mean
 * absolute value of a normal variable is sqrt (2 / pi) standard deviations. */
#define RA_NOISE_SECOND_DIFFERENCE 1.95

/* The standard deviation that a second difference a - 2 b + c shows.  The mean of many such
 * is that of normal noise, and a ramp adds nothing. */
static inline gdouble
ra_noise_deviation (gdouble second_difference)
{
  return fabs (second_difference) / RA_NOISE_SECOND_DIFFERENCE;
}

G_END_DECLS
