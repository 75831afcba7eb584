/* How likely is a count at the share that explains it best?
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Two counts have different shares if they are much likelier apart than together (S. Wilks,
 * Annals of Mathematical Statistics 9, 1938: the likelihood ratio).
 */
#pragma once

#include <math.h>

#include <glib.h>

G_BEGIN_DECLS

/* ln of the likelihood of `k` of `n` events, 0 <= k <= n, where each has the probability
 * k / n.  Neither has to be whole.  0 of 0 gives 0. */
static inline gdouble
ra_log_likelihood (gdouble k, gdouble n)
{
  return (k > 0 ? k * log (k / n) : 0)
      + (n > k ? (n - k) * log (1 - k / n) : 0);
}

G_END_DECLS
