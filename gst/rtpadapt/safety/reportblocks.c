/* Report blocks of RTCP SR and RR, for the circuit breakers of RFC 8083.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <gst/rtpadapt/safety/reportblocks.h>

/* A first block gives a share of a number that we do not know, in steps of its
 * field.  It is of no more packets than were sent. */
#define FIRST 256
#define SPACING_MAX (30 * RA_SECOND)
/* Send times are kept this far apart, so RA_BLOCKS_RECENT is as exact as this. */
#define MARK_SPACING (RA_SECOND / 2)
/* A number that is farther behind the latest begins a new count (RFC 3550 A.1,
 * MAX_MISORDER). */
#define BACK_MAX 100
/* Counts begin here, so that no packet has the number 0, and packets from before
 * the first one have positive numbers too. */
#define BEGIN 65536

void
ra_report_blocks_init (RaReportBlocks *b)
{
  *b = (RaReportBlocks){ .last = RA_TIME_NONE };
}

/* --- what was sent ------------------------------------------------------- */

static void
mark (RaReportBlocksStream *s, RaTime now)
{
  guint latest = (s->n_marks - 1) % RA_BLOCKS_MARKS;

  /* The clock may have gone back. */
  if (s->n_marks > 0 && ABS (ra_diff (now, s->marks[latest].at)) < MARK_SPACING)
    return;
  latest = s->n_marks++ % RA_BLOCKS_MARKS;
  s->marks[latest].seq = s->last;
  s->marks[latest].at = now;
}

static void
stream_begin (RaReportBlocksStream *s, guint32 ssrc, guint16 seq)
{
  *s = (RaReportBlocksStream){ .used = TRUE, .ssrc = ssrc };
  s->first = s->last = BEGIN + (guint64) seq;
}

static RaReportBlocksStream *
stream_find (RaReportBlocks *b, guint32 ssrc)
{
  for (guint i = 0; i < RA_BLOCKS_STREAMS; i++) {
    if (b->streams[i].used && b->streams[i].ssrc == ssrc)
      return &b->streams[i];
  }
  return NULL;
}

/* A free place, or the place of a stream whose packets are all older than
 * RA_BLOCKS_RECENT; NULL if there is none. */
static RaReportBlocksStream *
stream_place (RaReportBlocks *b, RaTime now)
{
  RaReportBlocksStream *place = NULL;

  for (guint i = 0; i < RA_BLOCKS_STREAMS; i++) {
    RaReportBlocksStream *s = &b->streams[i];

    if (!s->used)
      return s;
    if (ABS (ra_diff (now, s->sent)) > RA_BLOCKS_RECENT
        && (!place || s->sent < place->sent))
      place = s;
  }
  return place;
}

void
ra_report_blocks_on_sent (
    RaReportBlocks *b, guint32 ssrc, guint16 seq, RaTime now)
{
  RaReportBlocksStream *s = stream_find (b, ssrc);
  gint16 ahead = s ? (gint16) (seq - (guint16) s->last) : G_MININT16;

  if (!s && !(s = stream_place (b, now)))
    return;
  if (ahead < -BACK_MAX)
    stream_begin (s, ssrc, seq);
  else if (ahead > 0)
    s->last += (guint64) ahead;
  s->sent = now;
  mark (s, now);
}

/* Packet `seq` left in the last RA_BLOCKS_RECENT. */
static gboolean
is_recent (const RaReportBlocksStream *s, guint64 seq, RaTime now)
{
  guint n = MIN (s->n_marks, RA_BLOCKS_MARKS);

  for (guint i = 1; i <= n; i++) {
    guint at = (s->n_marks - i) % RA_BLOCKS_MARKS;

    if (s->marks[at].seq <= seq)
      return ra_diff (now, s->marks[at].at) <= RA_BLOCKS_RECENT;
  }
  return FALSE;
}

/* --- what report blocks say ---------------------------------------------- */

/* Blocks about several SSRCs in one packet are one report. */
static void
spacing_update (RaReportBlocks *b, RaTime now)
{
  RaSpan since = b->last == RA_TIME_NONE ? 0 : ra_diff (now, b->last);

  if (since > 0) {
    since = MIN (since, SPACING_MAX);
    b->spacing += b->spacing > 0 ? (since - b->spacing) / 4 : since;
  }
  b->last = now;
}

/* How many packets the block reports on for the first time.  `*proof` becomes what
 * the numbers prove. */
static guint
progress (RaReportBlocksStream *s, guint32 highest, RaTime now, RaProof *proof)
{
  guint16 behind = (guint16) ((guint16) s->last - (guint16) highest);
  guint64 seq = s->last - behind;
  guint n;

  *proof
      = behind > G_MAXINT16 ? RA_PROOF_FALSE : RA_PROOF_NONE; /* not sent yet */
  if (*proof == RA_PROOF_FALSE || seq < s->first
      || (s->reported != 0 && seq <= s->reported))
    return 0;
  n = s->reported != 0 ? (guint) (seq - s->reported)
                       : (guint) MIN (FIRST, seq - s->first + 1);
  if (is_recent (s, seq, now)) {
    *proof = RA_PROOF_DELIVERED;
    s->reported = seq;
  }
  return n;
}

RaProof
ra_report_blocks_hear (
    RaReportBlocks *b, const RaBlock *block, RaTime now, RaReport *report)
{
  RaReportBlocksStream *s = stream_find (b, block->ssrc);
  /* NaN: 0 */
  gdouble lost = block->fraction_lost > 0 ? MIN (block->fraction_lost, 1) : 0;
  RaProof proof = RA_PROOF_NONE;
  guint n = 0;

  if (block->lsr == RA_LSR_FALSE)
    return RA_PROOF_FALSE;
  /* Another stream may have taken the place of this one. */
  if (s)
    n = progress (s, block->ext_highest_seq, now, &proof);
  if (proof == RA_PROOF_FALSE)
    return proof;
  spacing_update (b, now);
  report->rtt = MAX (report->rtt, block->rtt);
  /* 8083 4.2: anything but "non-increasing" is reception, and 4.3: a share of
   * what has increased. */
  if (proof != RA_PROOF_DELIVERED)
    n = 0;
  report->expected += n;
  report->lost_congestion += (guint) (n * lost + .5);
  report->arrived += n > 0;
  report->interval = b->spacing;
  if (proof == RA_PROOF_NONE && block->lsr == RA_LSR_OURS)
    proof = RA_PROOF_HEARD;
  return proof;
}
