/* The TCP throughput equation of RFC 5348 section 3.1 with b = 1 and
 * t_RTO = 4 R, and its inverse.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gst/rtpadapt/rate.h>

G_BEGIN_DECLS

/* The nofeedback timer before the first RTT sample: RFC 5348 4.2, Appendix B. */
#define RA_INITIAL_TIMER (2 * RA_SECOND)

/* f(p), RFC 5348 8.1; p in (0, 1]. */
gdouble ra_equation_f (gdouble p);
/* X_Bps in bytes/s for segment size `s` bytes and round-trip time `rtt` in
 * seconds (both > 0).  Infinity for p <= 0; p above 1 counts as 1. */
gdouble ra_equation_x (gdouble s, gdouble rtt, gdouble p);
/* The rate after the first RTT sample, bytes/s: RFC 5348 4.2, W_init of RFC
 * 3390 with the largest packet `mss`.  Infinity for rtt <= 0, unknown. */
gdouble ra_initial_rate (guint mss, gdouble rtt);
/* The same of a controller; also recover_rate of RFC 5348 4.4. */
static inline gdouble
ra_rate_initial (const RaRate *r)
{
  return ra_initial_rate (r->cfg.mss, ra_seconds (r->rtt));
}
/* The p that gives `x` bytes/s, to 1 part in 10^6; 1 if even p = 1 allows
 * more, 0 for an x that no p > 1e-12 reaches. */
gdouble ra_equation_p (gdouble s, gdouble rtt, gdouble x);

G_END_DECLS
