/* One sequence from packets of several SSRCs.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <gst/rtpadapt/loss/bundle.h>

#include <gst/rtpadapt/loss/seq.h>
#include <gst/rtpadapt/loss/ssrcs.h>

#include <string.h>

/* ra_seq_unwrap() lets nothing through that is later than RA_MAX_MISORDER. */
#define RING 128
/* As ra_seq_unwrap(): whoever counts below the first one does not get to 0. */
#define FIRST 65536

G_STATIC_ASSERT (RING > RA_MAX_MISORDER && (RING & (RING - 1)) == 0);

/* A packet without a transport-wide number, of a stream that has them. */
typedef struct
{
  guint64 out; /* 0: none */
  guint16 seq;
} Plain;

/* The packets of one SSRC, or all those with a transport-wide number. */
typedef struct
{
  RaSeq seq;
  guint64 begun;      /* the lowest number that `out` knows */
  guint64 out[RING];  /* what the latest numbers became; by number */
  Plain plains[RING]; /* the latest, by number */
  guint plain;        /* packets in a row that had no transport-wide number */
  gboolean numbered;  /* transport-wide numbers, not its own, show losses */
} Stream;

struct _RaBundle
{
  guint64 next; /* of the one sequence */
  RaSsrcs ssrcs;
  Stream streams[RA_SSRCS_MAX], numbers;
};

RaBundle *
ra_bundle_new (void)
{
  RaBundle *b = g_new0 (RaBundle, 1);

  b->next = FIRST;
  ra_seq_init (&b->numbers.seq);
  return b;
}

void
ra_bundle_free (RaBundle *b)
{
  g_free (b);
}

static void
stream_restart (Stream *s)
{
  ra_seq_init (&s->seq);
  memset (s->plains, 0, sizeof s->plains);
  s->plain = 0;
  s->numbered = FALSE;
}

/* The numbers after `before` up to `seq`, which arrived, get theirs of the one
 * sequence. */
static guint64
stream_extend (Stream *s, guint64 before, guint64 seq, RaBundle *b)
{
  for (guint64 i = before + 1; i <= seq; i++)
    s->out[i & (RING - 1)] = b->next++;
  return b->next - 1;
}

static RaBundleResult
stream_push (Stream *s, guint16 seq, RaBundle *b, guint64 *out)
{
  gboolean begins = !s->seq.started;
  guint64 before = s->seq.highest, u = 0;
  RaSeqResult result = ra_seq_unwrap (&s->seq, seq, &u);

  if (result == RA_SEQ_BAD)
    return RA_BUNDLE_BAD;
  if (begins || result == RA_SEQ_RESTART) {
    s->begun = u;
    before = u - 1;
  }
  if (u > before) {
    *out = stream_extend (s, before, u, b);
    return RA_BUNDLE_NEXT;
  }
  if (u < s->begun) /* it has no number, and nobody misses it */
    return RA_BUNDLE_BAD;
  *out = s->out[u & (RING - 1)];
  return RA_BUNDLE_LATE;
}

/* The one that has this number, unless it is so old that the number may have come
 * round. */
static const Plain *
plain_find (const Stream *s, guint16 seq, const RaBundle *b)
{
  const Plain *p = &s->plains[seq & (RING - 1)];

  return p->seq == seq && b->next - p->out <= RING ? p : NULL;
}

static RaBundleResult
plain_push (Stream *s, guint16 seq, RaBundle *b, guint64 *out)
{
  *out = b->next++;
  s->plains[seq & (RING - 1)] = (Plain){ *out, seq };
  return RA_BUNDLE_NEXT;
}

RaBundleResult
ra_bundle_push (
    RaBundle *b, guint32 ssrc, guint16 seq, gint number, guint64 *out)
{
  gboolean fresh;
  Stream *s = &b->streams[ra_ssrcs_place (&b->ssrcs, ssrc, &fresh)];
  const Plain *first;

  if (fresh)
    stream_restart (s);
  if (number >= 0) {
    s->numbered = TRUE;
    s->plain = b->numbers.plain = 0;
    return stream_push (&b->numbers, (guint16) number, b, out);
  }
  if (s->numbered && (first = plain_find (s, seq, b))) {
    *out = first->out;
    return RA_BUNDLE_LATE;
  }
  if (s->numbered) {
    if (++b->numbers.plain >= RA_BUNDLE_PLAIN)
      stream_restart (&b->numbers);
    if (++s->plain >= RA_BUNDLE_PLAIN)
      stream_restart (s);
  }
  if (s->numbered)
    return plain_push (s, seq, b, out);
  return stream_push (s, seq, b, out);
}

guint64
ra_bundle_length (const RaBundle *b)
{
  return b->next - FIRST;
}
