/* Whether a sender is alive, or a recording of one.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Under a key that stays the same for years, what was recorded in one session is
 * as authentic in the next.  So a receiver asks each SSRC: it sends a receiver
 * reference time (RFC 3611 4.4) that nobody can guess, and the SSRC is proven
 * when it says it again (DLRR, 4.5).  A recording has answers to other questions
 * only.  Until then the packets of that SSRC are held back, and refused after
 * REPLAY_GUARD_PATIENCE.
 *
 * No clock, no lock, no source of chance: the caller has them.
 */
#pragma once

#include <gst/rtpadapt/feedback/xr.h>

G_BEGIN_DECLS

#define REPLAY_GUARD_SSRCS 64
/* Long enough for a round trip by satellite with some losses. */
#define REPLAY_GUARD_PATIENCE (3 * RA_SECOND)
/* An SSRC is asked so often while it speaks, and after its patience. */
#define REPLAY_GUARD_ASK (100 * RA_MSECOND)
#define REPLAY_GUARD_ASK_LATER RA_SECOND
/* Questions to all of them in a second. */
#define REPLAY_GUARD_ASKS 50
/* A question is another one after so long, and so many are remembered. */
#define REPLAY_GUARD_NEW RA_SECOND
#define REPLAY_GUARD_QUESTIONS 8

typedef enum
{
  REPLAY_GUARD_PASS,
  REPLAY_GUARD_HOLD,
  REPLAY_GUARD_REFUSE,
} ReplayGuardVerdict;

typedef struct _ReplayGuard ReplayGuard;

/* `ssrc`: who asks, chosen by chance.  (transfer full): replay_guard_free(),
 * which takes NULL, too. */
ReplayGuard *replay_guard_new (guint32 ssrc);
void replay_guard_free (ReplayGuard *g);

/* An authentic packet. */
ReplayGuardVerdict replay_guard_hear (ReplayGuard *g, guint32 ssrc, RaTime now);
/* TRUE: send `*question`, a packet of RTCP, to where that SSRC was heard.  `way`
 * 0 or 1: RTP or RTCP, which may come from different ports.  `chance`: 64 bits
 * that nobody can guess, others each time. */
typedef struct
{
  guint8 data[8 + RA_XR_RRTR_SIZE]; /* a receiver report, an extended one */
} ReplayGuardQuestion;
gboolean replay_guard_ask (ReplayGuard *g, guint32 ssrc, guint way,
    guint64 chance, RaTime now, ReplayGuardQuestion *question);
/* The same without an SSRC that spoke: to a peer whose packets have another key,
 * so that it finds out, too. */
void replay_guard_ask_anyway (
    ReplayGuard *g, guint64 chance, RaTime now, ReplayGuardQuestion *question);
/* TRUE: that proves the SSRC that says it. */
gboolean replay_guard_answer (ReplayGuard *g, const RaXrItem *item, RaTime now);
gboolean replay_guard_is_proven (const ReplayGuard *g, guint32 ssrc);

/* The other side: the answer of `n` SSRCs to what `question` asks, a whole
 * compound.  Its size; 0: there is no room for it. */
gsize replay_guard_write_answer (guint8 *data, gsize len, const guint32 *ssrcs,
    guint n, const RaXrItem *question);

G_END_DECLS
