/* Which RTP sequence numbers of an SSRC rtpjitterbuffer gets to see.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * rtpjitterbuffer (1.22) waits for what is missing before a packet that is up to
 * 2,999 ahead, and fills the gap with one item per lost run.  Where its queue
 * spans 32,765 numbers and has more than 10,000 items, the thread that feeds it
 * waits in rtp_jitter_buffer_is_full()'s loop for the one that empties it, which
 * waits for a timer that nobody sets any more: neither ever returns, nor does
 * the change to NULL.  So
 *   - a number more than SEQ_NEAR from the last one counts when the next packet
 *     confirms it (RFC 3550 A.1).  The next packet may be up to SEQ_NEAR ahead,
 *     because the path after an outage, or a sender that only probes it, leaves
 *     some out.  The first of the two is held back until then, so that a frame
 *     after an outage is whole;
 *   - such a jump counts SEQ_JUMPS times a second;
 *   - the numbers that are left out, of all SSRCs, are SEQ_MISSING a second, so
 *     that the queue spans less than 32,765 for any latency below three seconds.
 *
 * No clock, no lock: the caller has both.
 */
#pragma once

#include <gst/rtpadapt/types.h>

G_BEGIN_DECLS

#define SEQ_NEAR 100 /* RFC 3550 A.1, MAX_MISORDER */
#define SEQ_JUMPS 2
/* 20 Mbit/s are 2,000 packets a second; twice that many in a burst is an outage
 * of seconds, which goes by steps. */
#define SEQ_MISSING 4000
/* A packet is not held back longer. */
#define SEQ_PATIENCE (2 * RA_SECOND)
/* SSRCs that are looked at, more than a peer may have (peer.h). */
#define SEQ_STREAMS 32

typedef enum
{
  SEQ_PASS,
  SEQ_HOLD, /* until the next one; what was held of that SSRC is dropped */
  SEQ_BOTH, /* the one that was held passes before this one */
  SEQ_DROP
} SeqVerdict;

typedef struct _SeqCheck SeqCheck;

/* (transfer full): seq_check_free(), which takes NULL, too. */
SeqCheck *seq_check_new (void);
void seq_check_free (SeqCheck *s);

/* `held`: in the caller's place of that number, 0 to SEQ_STREAMS - 1, is or
 * shall be what is held of the SSRC.  What is there already is another SSRC's,
 * or too old, unless it is SEQ_BOTH. */
SeqVerdict seq_check (
    SeqCheck *s, guint32 ssrc, guint16 seq, RaTime now, guint *held);

G_END_DECLS
