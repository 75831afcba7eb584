/* Decides which RTP sequence numbers rtpjitterbuffer gets to see.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * If a packet is up to 2,999 ahead, rtpjitterbuffer (1.22) waits for the missing
 * ones, and fills the gap with one item per lost run.  If its queue spans 32,765
 * numbers and has more than 10,000 items, it hangs: the thread that feeds it waits
 * in the loop of rtp_jitter_buffer_is_full() for the thread that empties it, and
 * that one waits for a timer that nobody sets any more.  Neither ever returns, nor
 * does the change to NULL.  So
 *   - a number more than SEQ_NEAR from the last one counts only when the next
 *     packet confirms it (RFC 3550 A.1).  The next packet may be up to SEQ_NEAR
 *     ahead, because the path after an outage, or a sender that only probes it,
 *     leaves some out.  The first of the two is held back until then, so that a
 *     frame after an outage is whole;
 *   - at most SEQ_JUMPS such jumps count per second;
 *   - at most SEQ_MISSING numbers per second, of all SSRCs, may be left out, so
 *     that the queue spans less than 32,765 for any latency below three seconds.
 *
 * No clock, no lock: the caller has both.
 */
#pragma once

#include <gst/rtpadapt/loss/seq.h>
#include <gst/rtpadapt/types.h>

G_BEGIN_DECLS

#define SEQ_NEAR RA_MAX_MISORDER
#define SEQ_JUMPS 2
/* 20 Mbit/s are 2,000 packets per second, so only an outage of two seconds leaves
 * out more numbers at once. */
#define SEQ_MISSING 4000
/* A packet is not held back longer. */
#define SEQ_PATIENCE (2 * RA_SECOND)
/* SSRCs that are watched, which are more than a peer may have (peer.h). */
#define SEQ_STREAMS 32

typedef enum
{
  SEQ_PASS,
  SEQ_HOLD, /* hold it until the next one; drop the one that was held before */
  SEQ_BOTH, /* the one that was held passes, and then this one */
  SEQ_DROP
} SeqVerdict;

typedef struct _SeqCheck SeqCheck;

/* (transfer full): seq_check_free(), which takes NULL, too. */
SeqCheck *seq_check_new (void);
void seq_check_free (SeqCheck *s);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SeqCheck, seq_check_free)

/* Judges a packet.  The caller has SEQ_STREAMS places for packets that are held
 * back, and `held` becomes the place of this SSRC.  A packet that is in it belongs
 * to another SSRC or is too old, unless the verdict is SEQ_BOTH. */
SeqVerdict seq_check (
    SeqCheck *s, guint32 ssrc, guint16 seq, RaTime now, guint *held);

G_END_DECLS
