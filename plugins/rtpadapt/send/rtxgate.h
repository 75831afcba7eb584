/* Which requests for a packet go on to rtprtxsend upstream, which would answer each
 * of them.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A request is refused if the packet still waits here, because it comes anyway; if
 * it was dropped here, because the path had no room for it; if it is a repair
 * packet; and if the request left the receiver before the packet, or its
 * repetition, can have arrived there.
 *
 * A receiver that asks for more than was lost, or anybody who does so in its name,
 * must not stop the media.  What its own feedback reported as received is not sent
 * again.  At most one packet is repeated per RTX_SHARE media packets, and at most
 * RTX_BURST at once.
 *
 * Plain data; zeroed memory is ready.  The owner's lock is held for all calls.
 */
#pragma once

#include <gst/rtpadapt/ledger.h>

G_BEGIN_DECLS

#define RTX_SHARE 2
#define RTX_BURST 64

typedef struct
{
  guint credit; /* media packets that no repetition was charged for yet */
  guint64 asked, refused;
} RtxGate;

typedef enum
{
  RTX_REFUSED, /* the request goes no further */
  RTX_FIRST,   /* it goes on, the first one for this packet */
  RTX_AGAIN,   /* it goes on, as one did before */
} RtxVerdict;

/* A request for `packet` of the ledger came at `now`; NULL: the ledger has no such
 * packet.  `rtt` is the smoothed round trip, 0 if it is unknown. */
RtxVerdict rtx_gate_ask (
    RtxGate *g, RaLedgerEntry *packet, RaSpan rtt, RaTime now);
/* A packet of the media leaves, which is neither FEC nor a repetition. */
void rtx_gate_on_sent (RtxGate *g);

G_END_DECLS
