/* X_recv_set of RFC 5348 4.3: the receive rates of the last two RTTs.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * All of them, for any number of reports per RTT: the newest N = 3 of 8.2.2 are
 * an optimisation that is right only for about one report per RTT.  Rates have
 * whatever unit the caller uses.
 */
#pragma once

#include <gst/rtpadapt/types.h>

G_BEGIN_DECLS

#define RA_RECV_SET_MAX 64

/* Only the maximum is ever used, so a value leaves when one comes that is not
 * below it: the values fall, the times rise. */
typedef struct
{
  struct
  {
    gdouble x;
    RaTime at;
  } item[RA_RECV_SET_MAX];
  guint n;
  gdouble initial; /* what it began with (Infinity in the RFC); 0: deleted */
  RaTime initial_at;
} RaRecvSet;

void ra_recv_set_init (RaRecvSet *set, gdouble initial, RaTime now);
/* "Update X_recv_set ()": adds `x`, drops what is older than two `rtt`. */
void ra_recv_set_update (RaRecvSet *set, gdouble x, RaSpan rtt, RaTime now);
/* "Maximize X_recv_set ()": keeps the largest value, as of now; `initial` is
 * deleted first, as nobody ever received that much. */
void ra_recv_set_maximize (RaRecvSet *set, gdouble x, RaTime now);
/* "Halve entries in X_recv_set" */
void ra_recv_set_halve (RaRecvSet *set);
/* "Replace X_recv_set contents with the single item" */
void ra_recv_set_replace (RaRecvSet *set, gdouble x, RaTime now);
gdouble ra_recv_set_max (const RaRecvSet *set);

G_END_DECLS
