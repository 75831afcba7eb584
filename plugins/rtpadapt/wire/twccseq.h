/* Transport-wide numbers of whoever sends, as one count for rtpsession.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * rtpsession (1.22) keeps one expected number for its whole life.  It takes a
 * number up to 32,767 behind that for reordered and reports nothing about it,
 * so a sender that is started again, or one packet with a made-up number, would
 * end the feedback for hours.  Here each sender's numbers are mapped to a count
 * that never jumps, and the feedback about it is mapped back.
 *
 * Where the numbers jump the count goes on with the next one: a seam.  Feedback
 * that spans a seam is cut in two, so that rtpsession never writes a long run
 * of losses, which 1.22 writes wrongly (see send/twcc.h); the sender finds the
 * gap between the two parts.  Each names an SSRC that took part.
 *   - Up to TWCC_SEQ_STEP ahead there is no seam: the losses are in the report.
 *   - Up to TWCC_SEQ_LEAP ahead there is one at once.
 *   - What is farther, or behind, counts when the next packet of the same SSRC
 *     confirms it, which has to be proven; one that did not take part so far
 *     can do so only when the others have been silent for TWCC_SEQ_QUIET, so
 *     that SSRCs that are made up move nothing while a stream runs.
 *   - An SSRC that is not proven moves the count by TWCC_SEQ_NEAR at most.
 *   - When TWCC_SEQ_ROW packets in a row are a little behind, and none is ahead,
 *     it was the newest number that was wrong.
 * A packet without its turn loses its number, and nothing else.
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
/* More than a path reorders without a newer one between them. */
#define TWCC_SEQ_ROW 8
/* Jumps a second that are believed, and at once. */
#define TWCC_SEQ_JUMPS 4

typedef struct _TwccSeq TwccSeq;

/* (transfer full): twcc_seq_free(), which takes NULL, too. */
TwccSeq *twcc_seq_new (void);
void twcc_seq_free (TwccSeq *t);

/* A packet came with that number.  The number that rtpsession shall see; -1:
 * none, take it off. */
gint twcc_seq_in (
    TwccSeq *t, guint32 ssrc, gboolean proven, guint16 number, RaTime now);
/* Before twcc_seq_in() of a packet that was held back: the number of the one
 * behind it, which confirms it. */
void twcc_seq_confirm (TwccSeq *t, guint32 ssrc, guint16 number);

/* A compound that leaves: copies it to `out`, which has room for
 * twcc_seq_room(), with its feedback mapped back.  How long it is now; 0: there
 * is nothing left to be sent. */
gsize twcc_seq_room (gsize size);
gsize twcc_seq_out (
    TwccSeq *t, const guint8 *compound, gsize size, guint8 *out);

typedef struct
{
  guint64 stripped; /* packets that lost their number */
  guint64 seams;    /* times that the count went on elsewhere */
  guint64 cut;      /* reports that were cut in two */
  guint64 stale;    /* reports about a sender that is gone: not sent */
} TwccSeqStats;
void twcc_seq_get_stats (const TwccSeq *t, TwccSeqStats *stats);

G_END_DECLS
