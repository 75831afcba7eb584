/* How far a peer is believed that it waited before it reported.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The RTT is what passed since a packet was sent, less the time that the peer
 * waited, and that is only its word: who says that it waited long has a short R,
 * and with it any rate (RFC 5348 4.3 step 4).  But a peer that waits hears of the
 * next packet, which left `gap` after this one; and of the many reports some were
 * sent soon after a packet came.  So waiting counts for the shortest RTT only as
 * far as `gap` and a share of the whole, and no R is believed below the shortest
 * of late: an R can be denied 8 % of its length and no more, which is worth a
 * rate of 1 / .92 = 1.09 times (RFC 5348 3.1: X goes with 1 / R).
 */
#pragma once

#include <gst/rtpadapt/types.h>

G_BEGIN_DECLS

#define RA_PEER_DELAY_SHARE .08
/* A new route has another shortest RTT. */
#define RA_PEER_DELAY_WINDOW (30 * RA_SECOND)
/* No usable path is longer (farstream's bound), but a process that slept finds
 * old reports. */
#define RA_PEER_DELAY_RTT_MAX (10 * RA_SECOND)

/* What a report says of the shortest RTT: `whole` since the packet was sent, less
 * `waited` as far as it counts.  `gap`: RA_SPAN_NONE if none was sent since. */
static inline RaSpan
ra_peer_delay_shortest (RaSpan whole, RaSpan waited, RaSpan gap)
{
  RaSpan off = MIN (waited, (RaSpan) ((gdouble) whole * RA_PEER_DELAY_SHARE));

  return whole - (gap != RA_SPAN_NONE ? MIN (off, gap) : off);
}

G_END_DECLS
