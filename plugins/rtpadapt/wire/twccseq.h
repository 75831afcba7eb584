/* Makes the transport-wide numbers of all senders one count for rtpsession.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * rtpsession (1.22) keeps one expected number for its whole life.  It takes a
 * number up to 32,767 behind that for reordered and reports nothing about it,
 * so a sender that is started again, or one packet with a made-up number, would
 * end the feedback for hours.  Here each sender's numbers are mapped to a count
 * that never jumps, and the feedback about it is mapped back.
 *
 * Where the numbers jump, the count goes on with the next count: that is a seam.
 * Feedback that spans a seam is cut in two, so that rtpsession never writes a long
 * run of losses, which 1.22 writes wrongly (see send/twcc.h).  The sender finds the
 * gap between the two parts.  Each part names an SSRC that took part.
 *   - A number up to TWCC_SEQ_STEP ahead makes no seam: the report has the
 *     losses.
 *   - A number up to TWCC_SEQ_LEAP ahead makes a seam at once.
 *   - A number farther ahead, or behind, counts only when the next packet of the
 *     same SSRC confirms it.  That SSRC has to be proven.  If it has not taken part
 *     so far, the others also have to be silent for TWCC_SEQ_QUIET, so that SSRCs
 *     that are made up move nothing while a stream runs.
 *   - An SSRC that is not proven moves the count by TWCC_SEQ_NEAR at most.
 *   - When TWCC_SEQ_ROW packets in a row are a little behind, and none is ahead,
 *     the newest number was wrong, and the count goes on with theirs.
 * A packet whose number does not count loses that number, and nothing else.
 *
 * No clock, no lock: the caller has both.
 */
#pragma once

#include <gst/rtpadapt/types.h>

G_BEGIN_DECLS

/* A status vector holds 14 packets, and 1.22 writes longer runs of losses
 * twice. */
#define TWCC_SEQ_STEP 14
/* 50 ms at 20 Mbit/s, and what RFC 3550 A.1 takes for reordered. */
#define TWCC_SEQ_LEAP 100
#define TWCC_SEQ_NEAR 3
#define TWCC_SEQ_QUIET (250 * RA_MSECOND)
/* A path does not reorder so many packets without a newer one between them. */
#define TWCC_SEQ_ROW 8
/* So many jumps per second are believed, and so many at once. */
#define TWCC_SEQ_JUMPS 4

typedef struct _TwccSeq TwccSeq;

/* (transfer full): twcc_seq_free(), which takes NULL, too. */
TwccSeq *twcc_seq_new (void);
void twcc_seq_free (TwccSeq *t);

/* A packet came with that number.  Returns the number for rtpsession; -1: take the
 * number off the packet. */
gint twcc_seq_in (
    TwccSeq *t, guint32 ssrc, gboolean proven, guint16 number, RaTime now);
/* To be called before twcc_seq_in() of a packet that was held back: `number` is
 * that of the next packet, which confirms it. */
void twcc_seq_confirm (TwccSeq *t, guint32 ssrc, guint16 number);

/* Copies a compound that leaves to `out`, which has room for twcc_seq_room() bytes,
 * and maps its feedback back.  Returns its new size; 0: nothing is left to be
 * sent. */
gsize twcc_seq_room (gsize size);
gsize twcc_seq_out (
    TwccSeq *t, const guint8 *compound, gsize size, guint8 *out);

typedef struct
{
  guint64 stripped; /* packets that lost their number */
  guint64 seams;    /* how often the numbers jumped */
  guint64 cut;      /* reports that were cut in two */
  guint64 stale;    /* reports about a sender that is gone: not sent */
} TwccSeqStats;
void twcc_seq_get_stats (const TwccSeq *t, TwccSeqStats *stats);

G_END_DECLS
