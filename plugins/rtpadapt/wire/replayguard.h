/* Finds out whether a sender is alive or a recording.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * If a key stays the same for years, the recording of one session is authentic in
 * the next one, too.  So a receiver asks each SSRC: it sends a receiver reference
 * time (RFC 3611 4.4) that nobody can guess, and the SSRC is proven when it
 * repeats that time (DLRR, 4.5).  A recording has only answers to other questions.
 * The packets of an SSRC are held back until it is proven, and refused after
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
/* The interval between questions to an SSRC that sends: within the patience, and
 * after it. */
#define REPLAY_GUARD_ASK (100 * RA_MSECOND)
#define REPLAY_GUARD_ASK_LATER RA_SECOND
/* Questions per second to all SSRCs together. */
#define REPLAY_GUARD_ASKS 50
/* Of these, to SSRCs that have not answered within the patience. */
#define REPLAY_GUARD_ASKS_LATE 25
/* A new question is made up after this long, and this many are remembered. */
#define REPLAY_GUARD_NEW RA_SECOND
#define REPLAY_GUARD_QUESTIONS 8

typedef enum
{
  REPLAY_GUARD_PASS,
  REPLAY_GUARD_HOLD,
  REPLAY_GUARD_REFUSE,
} ReplayGuardVerdict;

typedef struct _ReplayGuard ReplayGuard;

/* `ssrc`: our own for the questions, a random number.  (transfer full):
 * replay_guard_free(), which takes NULL, too. */
ReplayGuard *replay_guard_new (guint32 ssrc);
void replay_guard_free (ReplayGuard *g);

/* An authentic packet came. */
ReplayGuardVerdict replay_guard_hear (ReplayGuard *g, guint32 ssrc, RaTime now);
/* TRUE: send `*question`, a packet of RTCP, to the address that the SSRC sends
 * from.  `way` is 0 for RTP and 1 for RTCP, which may come from different ports.
 * `chance`: 64 bits that nobody can guess, new ones each time. */
typedef struct
{
  guint8 data[8 + RA_XR_RRTR_SIZE]; /* a receiver report, an extended one */
} ReplayGuardQuestion;
gboolean replay_guard_ask (ReplayGuard *g, guint32 ssrc, guint way,
    guint64 chance, RaTime now, ReplayGuardQuestion *question);
/* Makes a question for a peer whose packets do not authenticate, so that it finds
 * out, too, that the keys differ. */
void replay_guard_ask_anyway (
    ReplayGuard *g, guint64 chance, RaTime now, ReplayGuardQuestion *question);
/* An authentic extended report said `item`.  TRUE: it proves its SSRC. */
gboolean replay_guard_answer (ReplayGuard *g, const RaXrItem *item, RaTime now);
gboolean replay_guard_is_proven (const ReplayGuard *g, guint32 ssrc);

/* For the sender: writes the answer of `n` SSRCs to `question`, a whole
 * compound.  Returns its size; 0: it does not fit. */
gsize replay_guard_write_answer (guint8 *data, gsize len, const guint32 *ssrcs,
    guint n, const RaXrItem *question);

G_END_DECLS
