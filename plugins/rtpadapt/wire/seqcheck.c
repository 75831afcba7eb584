/* Decides which RTP sequence numbers rtpjitterbuffer gets to see.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "seqcheck.h"

#include "bucket.h"

typedef struct
{
  guint32 ssrc;
  guint16 last; /* the newest that passed */
  guint16 held;
  gboolean holds;
  RaTime heard; /* when the latest packet came */
  RaTime since; /* when the held one came */
  RaTime jumps; /* see bucket_pay() */
} Row;

struct _SeqCheck
{
  Row rows[SEQ_STREAMS];
  guint n;
  RaTime missing; /* the same, for numbers that are left out */
};

SeqCheck *
seq_check_new (void)
{
  return g_new0 (SeqCheck, 1);
}

void
seq_check_free (SeqCheck *s)
{
  g_free (s);
}

/* The row of the SSRC, and its place.  NULL: the SSRC is new, and gets that place. */
static Row *
row_find (SeqCheck *s, guint32 ssrc, guint *place)
{
  guint oldest = 0;

  for (*place = 0; *place < s->n; (*place)++) {
    if (s->rows[*place].ssrc == ssrc)
      return &s->rows[*place];
    if (s->rows[*place].heard < s->rows[oldest].heard)
      oldest = *place;
  }
  if (s->n < SEQ_STREAMS)
    *place = s->n++;
  else
    *place = oldest;
  return NULL;
}

/* `rate` units may happen in a second, all of them at once too. */
static gboolean
pay (RaTime *paid, guint units, guint rate, RaTime now)
{
  return bucket_pay (paid, units * (RA_SECOND / rate), RA_SECOND, now);
}

/* How many numbers rtpjitterbuffer (1.22) would wait for: after a longer gap it starts
 * again. */
static guint
missing (gint16 ahead)
{
  return ahead > 1 && ahead < RA_MAX_DROPOUT ? (guint) ahead - 1 : 0;
}

static SeqVerdict
jump (SeqCheck *s, Row *row, guint16 seq, RaTime now)
{
  gint16 ahead = (gint16) (seq - row->last);
  gint16 beyond = (gint16) (seq - row->held);

  if (row->holds && beyond > 0 && beyond <= SEQ_NEAR
      && ra_diff (now, row->since) < SEQ_PATIENCE
      && pay (&row->jumps, 1, SEQ_JUMPS, now)
      && pay (&s->missing, missing (ahead), SEQ_MISSING, now)) {
    row->holds = FALSE;
    row->last = seq;
    return SEQ_BOTH;
  }
  row->holds = TRUE;
  row->held = seq;
  row->since = now;
  return SEQ_HOLD;
}

SeqVerdict
seq_check (SeqCheck *s, guint32 ssrc, guint16 seq, RaTime now, guint *held)
{
  Row *row = row_find (s, ssrc, held);
  gint16 ahead;

  if (!row) {
    s->rows[*held] = (Row){ .ssrc = ssrc, .last = seq, .heard = now };
    return SEQ_PASS;
  }
  row->heard = now;
  ahead = (gint16) (seq - row->last);
  if (ahead > SEQ_NEAR || ahead < -SEQ_NEAR)
    return jump (s, row, seq, now);
  if (ahead <= 0)
    return SEQ_PASS;
  if (!pay (&s->missing, missing (ahead), SEQ_MISSING, now))
    return SEQ_DROP;
  row->last = seq;
  return SEQ_PASS;
}
