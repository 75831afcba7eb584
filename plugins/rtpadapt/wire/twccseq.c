/* Makes the transport-wide numbers of all senders one count for rtpsession.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "twccseq.h"

#include "bucket.h"
#include "twccback.h"

#include <gst/rtpadapt/util/bytes.h>
#include <string.h>

#define MISORDER 100 /* RFC 3550 A.1 */
/* Seams that are remembered.  A report about a frame is made within 100 ms, and
 * seams are rarer than that. */
#define SEGMENTS 16
#define MEMBERS 16       /* as many SSRCs as a peer may have */
#define COUNT_0 0x10000u /* numbers behind the first have a count, too */

/* From the count `first` on, a count is a number plus `offset`. */
typedef struct
{
  guint64 first;
  guint16 offset;
  guint sender; /* differs from the segment before if the sender restarted */
  guint32 ssrc; /* an SSRC that takes part */
} Segment;

typedef struct
{
  gboolean valid;
  guint32 ssrc;
  guint16 number;
} Candidate;

struct _TwccSeq
{
  gboolean started;
  Segment segments[SEGMENTS]; /* a ring, by `n` modulo its size */
  guint n;                    /* how many segments there have been */
  guint64 newest;             /* the newest count */
  RaTime heard;               /* the latest packet of a proven SSRC of these */
  Candidate candidate;
  struct
  {
    guint32 ssrc;
    RaTime heard;
  } members[MEMBERS]; /* SSRCs that take part in the segment */
  guint n_members;
  guint32 row_ssrc;   /* of the packets in a row that are behind */
  guint16 row_number; /* the last one's */
  guint row;          /* how many they are */
  RaTime jumps;       /* see bucket_pay() */
  guint8 reports;     /* number of the next one */
  TwccSeqStats count;
};

TwccSeq *
twcc_seq_new (void)
{
  return g_new0 (TwccSeq, 1);
}

void
twcc_seq_free (TwccSeq *t)
{
  g_free (t);
}

void
twcc_seq_get_stats (const TwccSeq *t, TwccSeqStats *stats)
{
  *stats = t->count;
}

/* --- the SSRCs that take part ------------------------------------------- */

static gboolean
is_member (const TwccSeq *t, guint32 ssrc)
{
  for (guint i = 0; i < t->n_members; i++) {
    if (t->members[i].ssrc == ssrc)
      return TRUE;
  }
  return FALSE;
}

/* The SSRC takes part.  If all places are taken, it gets that of the one that
 * has been silent for longest. */
static void
take_part (TwccSeq *t, guint32 ssrc, RaTime now)
{
  guint place = 0;

  t->heard = now;
  for (guint i = 0; i < t->n_members; i++) {
    if (t->members[i].ssrc == ssrc) {
      t->members[i].heard = now;
      return;
    }
    if (t->members[i].heard < t->members[place].heard)
      place = i;
  }
  if (t->n_members < MEMBERS)
    place = t->n_members++;
  t->members[place].ssrc = ssrc;
  t->members[place].heard = now;
}

/* --- seams -------------------------------------------------------------- */

static const Segment *
segment (const TwccSeq *t, guint i)
{
  return &t->segments[i % SEGMENTS];
}

static const Segment *
segment_now (const TwccSeq *t)
{
  return segment (t, t->n - 1);
}

static guint16
newest_number (const TwccSeq *t)
{
  return (guint16) (t->newest - segment_now (t)->offset);
}

/* The count goes on with `number`.  Returns the number for rtpsession. */
static gint
seam (TwccSeq *t, guint32 ssrc, guint16 number, gboolean other)
{
  guint sender = t->started ? segment_now (t)->sender + other : 0;
  guint64 first = t->started ? t->newest + 1 : COUNT_0 + number;

  t->count.seams += t->started;
  t->segments[t->n++ % SEGMENTS] = (Segment){ .first = first,
    .offset = (guint16) (first - number),
    .sender = sender,
    .ssrc = ssrc };
  t->started = TRUE;
  t->newest = first;
  t->candidate.valid = FALSE;
  t->row = 0;
  return (guint16) first;
}

static gboolean
may_jump (TwccSeq *t, RaTime now)
{
  const RaSpan each = RA_SECOND / TWCC_SEQ_JUMPS;

  return bucket_pay (&t->jumps, each, TWCC_SEQ_JUMPS * each, now);
}

/* --- what comes in ------------------------------------------------------ */

static gint
strip (TwccSeq *t)
{
  t->count.stripped++;
  return -1;
}

/* TRUE if the number is next to the candidate, on either side. */
static gboolean
is_confirmed (const TwccSeq *t, guint32 ssrc, guint16 number)
{
  gint16 ahead = (gint16) (number - t->candidate.number);

  return t->candidate.valid && t->candidate.ssrc == ssrc && ahead != 0
      && ABS (ahead) <= TWCC_SEQ_STEP;
}

/* The number is so far from the newest that one packet alone is not believed. */
static gint
jump (TwccSeq *t, guint32 ssrc, gboolean proven, guint16 number, RaTime now)
{
  gint16 ahead = (gint16) (number - newest_number (t));
  gboolean member = is_member (t, ssrc);
  gboolean may = proven
      && (member || t->n_members == 0
          || ra_diff (now, t->heard) >= TWCC_SEQ_QUIET);
  gint count;

  if (!may || !is_confirmed (t, ssrc, number) || !may_jump (t, now)) {
    t->candidate = (Candidate){ TRUE, ssrc, number };
    return strip (t);
  }
  if (!member || ahead < 0)
    t->n_members = 0;
  count = seam (t, ssrc, number, !member || ahead < 0);
  take_part (t, ssrc, now);
  return count;
}

/* TRUE if the SSRC has not taken part, and those that have are silent. */
static gboolean
may_begin (const TwccSeq *t, guint32 ssrc, RaTime now)
{
  return !is_member (t, ssrc)
      && (t->n_members == 0 || ra_diff (now, t->heard) >= TWCC_SEQ_QUIET);
}

/* The number is a little behind the newest. */
static gint
behind (TwccSeq *t, guint32 ssrc, gboolean proven, guint16 number, RaTime now)
{
  gint16 ahead = (gint16) (number - newest_number (t));
  gboolean next = t->row > 0 && t->row_ssrc == ssrc
      && (guint16) (number - t->row_number) == 1;

  if (!proven)
    return strip (t);
  t->row = next ? t->row + 1 : 1;
  t->row_ssrc = ssrc;
  t->row_number = number;
  if (t->row >= TWCC_SEQ_ROW && is_member (t, ssrc) && may_jump (t, now))
    return seam (t, ssrc, number, FALSE);
  if (t->newest + (guint64) ahead < segment_now (t)->first)
    return strip (t);
  return (guint16) (t->newest + (guint64) ahead);
}

gint
twcc_seq_in (
    TwccSeq *t, guint32 ssrc, gboolean proven, guint16 number, RaTime now)
{
  gint16 ahead;

  if (!t->started) {
    if (proven)
      take_part (t, ssrc, now);
    return seam (t, ssrc, number, FALSE);
  }
  ahead = (gint16) (number - newest_number (t));
  if (ahead > (proven ? TWCC_SEQ_LEAP : TWCC_SEQ_NEAR) || ahead < -MISORDER)
    return jump (t, ssrc, proven, number, now);
  if (ahead <= 0 && may_begin (t, ssrc, now))
    return jump (t, ssrc, proven, number, now);
  if (ahead <= 0)
    return behind (t, ssrc, proven, number, now);
  t->row = 0;
  if (proven)
    take_part (t, ssrc, now);
  if (ahead > TWCC_SEQ_STEP)
    return seam (t, ssrc, number, FALSE);
  t->newest += (guint64) ahead;
  return (guint16) t->newest;
}

void
twcc_seq_confirm (TwccSeq *t, guint32 ssrc, guint16 number)
{
  if (t->started)
    t->candidate = (Candidate){ TRUE, ssrc, number };
}

/* --- what leaves -------------------------------------------------------- */

/* The segment of a count.  `*to` becomes how many counts it has from there on.
 * NULL: it was too long ago. */
static const Segment *
segment_find (const TwccSeq *t, guint64 count, guint64 *to)
{
  guint64 end = t->newest + 1;

  for (guint i = 0; i < MIN (t->n, SEGMENTS); i++) {
    const Segment *s = segment (t, t->n - 1 - i);

    if (count >= s->first) {
      *to = end > count ? end - count : 0;
      return s;
    }
    end = s->first;
  }
  return NULL;
}

/* Writes a packet of feedback: one part for each segment of the present sender. */
static gsize
feedback_out (TwccSeq *t, const guint8 *packet, gsize size, guint8 *out)
{
  guint16 base = twcc_back_base (packet), total = twcc_back_count (packet);
  guint64 count = t->newest - (guint16) ((guint16) t->newest - base);
  gsize written = 0;
  guint parts = 0;

  for (guint from = 0; t->started && from < total;) {
    guint64 room;
    const Segment *s = segment_find (t, count + from, &room);
    guint n = s ? (guint) MIN (room, total - from) : 1;
    gsize more = 0;

    if (n == 0)
      break;
    if (s && s->sender == segment_now (t)->sender)
      more = twcc_back_part (packet, size, from, n,
          (guint16) (count + from - s->offset), out + written);
    if (more > 0) {
      /* rtpsession (1.22) names the first SSRC that it ever heard, which a
       * sender that was started again does not know. */
      ra_put_u32 (out + written + 8, s->ssrc);
      out[written + TWCC_BACK_HEAD - 1] = t->reports++;
      written += more;
      parts++;
    }
    from += n;
  }
  t->count.stale += parts == 0;
  t->count.cut += parts > 1;
  return written;
}

/* Each part has a header, and a packet has one per segment at most. */
gsize
twcc_seq_room (gsize size)
{
  gsize packets = size / TWCC_BACK_HEAD + 1;

  return twcc_back_room (size) + packets * SEGMENTS * (TWCC_BACK_HEAD + 8);
}

gsize
twcc_seq_out (TwccSeq *t, const guint8 *compound, gsize size, guint8 *out)
{
  gsize written = 0;

  for (gsize at = 0; size - at >= 4;) {
    const guint8 *packet = compound + at;
    gsize length = 4u + 4u * ra_get_u16 (packet + 2);

    if (size - at < length)
      break;
    if (twcc_back_is (packet, length)) {
      written += feedback_out (t, packet, length, out + written);
    } else {
      memcpy (out + written, packet, length);
      written += length;
    }
    at += length;
  }
  return written;
}
