/* Arrivals that RFC 8888 feedback has to report.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <gst/rtpadapt/feedback/ccfblog.h>

#include <gst/rtpadapt/feedback/ccfbfci.h>
#include <gst/rtpadapt/feedback/stamp.h>
#include <gst/rtpadapt/loss/seq.h>
#include <gst/rtpadapt/loss/ssrcs.h>

G_STATIC_ASSERT (RA_CCFB_LOG_MAX > RA_MAX_DROPOUT + RA_MAX_MISORDER);
G_STATIC_ASSERT (RA_CCFB_LOG_MAX <= RA_CCFB_PACKETS_MAX);
G_STATIC_ASSERT (
    RA_SSRCS_MAX *(2 * RA_CCFB_LOG_MAX + 8) + 4 <= RA_CCFB_SIZE_MAX);

#define ECN_CE 3    /* RFC 3168 5 */
#define HEAD_SIZE 4 /* of a block, and */
#define SSRC_SIZE 4 /* of all but the first */

typedef struct
{
  RaTime arrival; /* RA_TIME_NONE: not yet */
  guint8 ecn;
} Arrival;

/* Numbers `begun` up to `end` are in the ring.
 * late, once_from <= end. */
typedef struct
{
  guint32 ssrc;
  RaSeq seq;
  guint64 begun, end;
  guint64 late;      /* from here on there are news */
  guint64 once_from; /* from here on each was reported once at most */
  gboolean waiting;  /* the last report had no room for all news */
  Arrival *ring;
} Source;

/* What a report says of one source. */
typedef struct
{
  Source *source;
  guint64 from, n;
} Part;

struct _RaCcfbLog
{
  RaSsrcs ssrcs;
  Source sources[RA_SSRCS_MAX];
  guint turn; /* who comes first */
};

RaCcfbLog *
ra_ccfb_log_new (void)
{
  return g_new0 (RaCcfbLog, 1);
}

void
ra_ccfb_log_free (RaCcfbLog *log)
{
  if (!log)
    return;
  for (guint i = 0; i < RA_SSRCS_MAX; i++)
    g_free (log->sources[i].ring);
  g_free (log);
}

static Arrival *
arrival_at (const Source *s, guint64 seq)
{
  return &s->ring[seq & (RA_CCFB_LOG_MAX - 1)];
}

static void
source_begin (Source *s, guint64 seq)
{
  s->begun = s->end = s->late = s->once_from = seq;
  s->waiting = FALSE;
}

/* `seq` is the highest. */
static void
source_extend (Source *s, guint64 seq)
{
  guint64 low;

  for (; s->end <= seq; s->end++)
    arrival_at (s, s->end)->arrival = RA_TIME_NONE;
  low = s->end - MIN (s->end, RA_CCFB_LOG_MAX);
  s->begun = MAX (s->begun, low);
  s->late = MAX (s->late, low);
  s->once_from = MAX (s->once_from, low);
}

static Source *
source_of (RaCcfbLog *log, guint32 ssrc)
{
  gboolean fresh;
  Source *s = &log->sources[ra_ssrcs_place (&log->ssrcs, ssrc, &fresh)];

  if (fresh) {
    s->ssrc = ssrc;
    ra_seq_init (&s->seq);
    source_begin (s, 0);
    if (!s->ring)
      s->ring = g_new (Arrival, RA_CCFB_LOG_MAX);
  }
  return s;
}

/* The place of a number that is missing in the ring: it comes late, also where RFC 3550
 * A.1 takes it for a jump (RA_MAX_MISORDER).  A number that came already may be of a
 * source that restarted. */
static gboolean
source_misses (const Source *s, guint16 seq, guint64 *out)
{
  guint16 behind = (guint16) (s->end - 1 - s->seq.offset - seq);

  if (behind >= s->end - s->begun)
    return FALSE;
  *out = s->end - 1 - behind;
  return arrival_at (s, *out)->arrival == RA_TIME_NONE;
}

void
ra_ccfb_log_add (
    RaCcfbLog *log, guint32 ssrc, guint16 seq, RaTime arrival, guint ecn)
{
  Source *s = source_of (log, ssrc);
  gboolean begins = !s->seq.started;
  guint64 u = 0;
  RaSeqResult result = source_misses (s, seq, &u)
      ? RA_SEQ_OK
      : ra_seq_unwrap (&s->seq, seq, &u);
  Arrival *a;

  if (result == RA_SEQ_BAD)
    return;
  if (begins || result == RA_SEQ_RESTART)
    source_begin (s, u);
  if (u >= s->end)
    source_extend (s, u);
  while (u < s->begun) /* sent before the first that came */
    arrival_at (s, --s->begun)->arrival = RA_TIME_NONE;
  a = arrival_at (s, u);
  if (a->arrival != RA_TIME_NONE) { /* section 3.1: of several copies */
    if (ecn != ECN_CE || a->ecn == ECN_CE)
      return;
    a->ecn = ECN_CE;
  } else {
    *a = (Arrival){ arrival, (guint8) (ecn & ECN_CE) };
  }
  s->late = MIN (s->late, u);
}

RaCcfbHas
ra_ccfb_log_has (const RaCcfbLog *log)
{
  guint has = 0;

  for (guint i = 0; i < RA_SSRCS_MAX; i++) {
    const Source *s = &log->sources[i];

    if (s->late < s->end)
      has |= RA_CCFB_NEWS;
    if (s->waiting)
      has |= RA_CCFB_WAITING;
    if (s->once_from < s->end)
      has |= RA_CCFB_AGAIN;
  }
  return (RaCcfbHas) has;
}

/* What to report of `s` where there is room for `room` packets: `n` is 0 if
 * nothing. */
static Part
source_part (Source *s, gboolean again, guint64 room)
{
  gboolean news = s->late < s->end;
  guint64 from = news || again ? MIN (s->late, s->once_from) : s->end;

  if (s->waiting || s->end - from > room)
    from = s->late;
  if (again && !news && from == s->end)
    s->once_from = s->end; /* it will not fit the next time */
  return (Part){ s, from, MIN (s->end - from, room) };
}

static void
source_reported (Source *s, guint64 end)
{
  if (!s->waiting)
    s->once_from = s->late;
  s->late = end;
  s->waiting = end < s->end;
}

/* The SSRCs that this report is about, at most RA_SSRCS_MAX; they take turns
 * where not all of them fit. */
static guint
log_plan (RaCcfbLog *log, gboolean again, gsize len, Part *parts)
{
  gsize left = len;
  guint n = 0, first = log->turn;

  if (left < RA_CCFB_RTS_SIZE)
    return 0;
  left -= RA_CCFB_RTS_SIZE;
  for (guint i = 0; i < RA_SSRCS_MAX; i++) {
    guint place = (first + i) % RA_SSRCS_MAX;
    Source *s = &log->sources[place];
    gsize head = n > 0 ? HEAD_SIZE + SSRC_SIZE : HEAD_SIZE;
    guint64 room = left > head ? (left - head) / 4 * 2 : 0; /* two in 32 bits */
    Part part = source_part (s, again, room);

    if (part.n > 0) {
      parts[n++] = part;
      left -= head + (part.n + 1) / 2 * 4;
    }
    if (part.from + part.n < s->end) {
      log->turn = part.n > 0 ? place + 1 : place;
      break;
    }
  }
  return n;
}

static void
part_fill (const Part *p, RaTime now, RaCcfbPacket *out)
{
  for (guint64 i = 0; i < p->n; i++) {
    const Arrival *a = arrival_at (p->source, p->from + i);

    out[i] = (RaCcfbPacket){ 0 };
    if (a->arrival != RA_TIME_NONE)
      out[i] = (RaCcfbPacket){ TRUE, a->ecn, ra_ccfb_ato (now, a->arrival) };
  }
}

gsize
ra_ccfb_log_write (RaCcfbLog *log, gboolean again, RaTime now, RaTime rts_time,
    guint32 *media_ssrc, guint8 *fci, gsize len)
{
  Part parts[RA_SSRCS_MAX];
  RaCcfbBlock blocks[RA_SSRCS_MAX];
  guint n = log_plan (log, again, len, parts);
  RaCcfbPacket *packets;
  guint64 at = 0;
  gsize size;

  for (guint i = 0; i < n; i++)
    at += parts[i].n;
  if (at == 0)
    return 0;
  packets = g_new (RaCcfbPacket, at);
  at = 0;
  for (guint i = 0; i < n; i++) {
    Source *s = parts[i].source;

    part_fill (&parts[i], now, packets + at);
    blocks[i]
        = (RaCcfbBlock){ s->ssrc, (guint16) (parts[i].from - s->seq.offset),
            (guint) parts[i].n, packets + at };
    at += parts[i].n;
    source_reported (s, parts[i].from + parts[i].n);
  }
  size = ra_ccfb_write (
      ra_stamp_ntp (rts_time), blocks, n, media_ssrc, fci, len);
  g_free (packets);
  return size;
}
