/* A clock of the receiver's that wraps.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * With twcc it has 24 bits of 64 ms and the deltas, so it wraps after 12.4 days,
 * and deltas at its beginning can make it fall below 0.  rtpsession puts the
 * absolute time where a packet has no DTS and the running time where it has one,
 * and a delta beyond 8.19 s overflows its 16 bits.  With ccfb it is the middle 32
 * bits of NTP, 18.2 h.
 */
#pragma once

#include <gst/rtpadapt/types.h>

G_BEGIN_DECLS

typedef struct
{
  gboolean started;
  gboolean other; /* to be set: the next time is that of another clock */
  RaTime raw;
  RaTime arrival, sent;
} RaRemoteClock; /* zeroed at first */

/* The arrival of a packet sent at `sent`, on a clock that goes on where `remote`
 * wraps or begins again; its zero is arbitrary. */
RaTime ra_remote_clock_unwrap (
    RaRemoteClock *c, RaTime remote, RaSpan wrap, RaTime sent);

G_END_DECLS
