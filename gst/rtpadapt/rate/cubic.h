/* The window of CUBIC (RFC 9438), in packets, for a flow that shares a full queue.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A window, as a TCP has one, and no rate: after a common loss a long queue becomes
 * shorter, and with the round trip the rate comes back.  A flow that lowers its rate
 * there gives away what the others' windows then take.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct
{
  gdouble w;       /* the window, packets */
  gdouble w_max;   /* the middle of the cubic */
  gdouble w_prior; /* before the last reduction */
  gdouble w_est;   /* a Reno's of the same mean */
  gdouble k;       /* s from the last reduction to w_max */
  gdouble age;     /* s since the last reduction */
} RaCubic;

/* Begins with `w` packets, at the middle of the cubic. */
void ra_cubic_begin (RaCubic *c, gdouble w);
/* A reduction: RFC 9438 4.6 and 4.7. */
void ra_cubic_reduce (RaCubic *c);
/* `dt` seconds without loss at a round trip of `rtt` seconds, both > 0: RFC 9438
 * 4.2 to 4.5. */
void ra_cubic_grow (RaCubic *c, gdouble dt, gdouble rtt);
/* The window is `w` packets at most, and at least. */
void ra_cubic_limit (RaCubic *c, gdouble w);
void ra_cubic_raise (RaCubic *c, gdouble w);
/* The mean window, in packets, at the loss ratio `p` > 0: RFC 9438 5.1, figure 5,
 * and the round trip `rtt` in s. */
gdouble ra_cubic_mean (gdouble rtt, gdouble p);

G_END_DECLS
