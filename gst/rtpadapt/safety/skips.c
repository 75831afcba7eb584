/* Sequence numbers that are never sent, so that nobody can say that they came.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <gst/rtpadapt/safety/skips.h>

#include <gst/rtpadapt/loss/seq.h>

#include <math.h>

#define SEQ_MOD 65536

void
ra_skip_draw_init (RaSkipDraw *d, guint64 seed)
{
  *d = (RaSkipDraw){ 0 };
  ra_rng_init (&d->rng, seed, 1);
}

/* Exponential: how long it has been says nothing about how long it will be, so
 * that no loss is safer to deny than another. */
static void
draw (RaSkipDraw *d, guint mean)
{
  gdouble x = -log (1 - ra_rng_uniform (&d->rng));

  d->mean = mean;
  d->left = (guint) fmin (
      ceil (mean * fmin (x, RA_SKIP_LONGEST)), (gdouble) G_MAXUINT);
}

gboolean
ra_skip_draw_next (RaSkipDraw *d, guint mean, gboolean begins_frame)
{
  gboolean due;

  if (mean != d->mean)
    draw (d, mean);
  if (mean == 0)
    return FALSE;
  due = d->left <= 1;
  if (due && begins_frame) {
    draw (d, mean);
    return TRUE;
  }
  if (!due)
    d->left--;
  return FALSE;
}

/* The place of the gap with this number, or -1. */
static gint
gap_find (const RaUnsentStream *s, guint64 seq)
{
  for (gint i = 0; i < RA_UNSENT_GAPS; i++) {
    const RaUnsentGap *gap = &s->gaps[i];

    if (seq >= gap->first && seq - gap->first < gap->n)
      return i;
  }
  return -1;
}

/* The number nearest to the highest that ends in `seq`. */
static guint64
unwrap (const RaUnsentStream *s, guint16 seq)
{
  gint16 step = (gint16) (guint16) (seq - s->highest);

  return s->highest + (guint64) (gint64) step;
}

/* It was sent after all; what is missing before it may be, too. */
static void
gap_fill (RaUnsent *u, RaUnsentStream *s, guint64 seq)
{
  gint i = gap_find (s, seq);

  if (i < 0)
    return;
  u->skipped--;
  s->gaps[i].n -= seq + 1 - s->gaps[i].first;
  s->gaps[i].first = seq + 1;
}

void
ra_unsent_on_sent (RaUnsent *u, guint32 ssrc, guint16 seq)
{
  gboolean fresh;
  RaUnsentStream *s = &u->streams[ra_ssrcs_place (&u->ssrcs, ssrc, &fresh)];
  guint64 number = unwrap (s, seq);

  if (fresh || number > s->highest + RA_MAX_DROPOUT
      || number + RA_MAX_MISORDER < s->highest) {
    *s = (RaUnsentStream){ .highest = SEQ_MOD + (guint64) seq };
    return;
  }
  if (number <= s->highest) {
    gap_fill (u, s, number);
    return;
  }
  if (number > s->highest + 1) {
    guint64 n = number - s->highest - 1;

    s->gaps[s->n_gaps++ % RA_UNSENT_GAPS] = (RaUnsentGap){ s->highest + 1, n };
    u->skipped += n;
  }
  s->highest = number;
}

RaUnsentIs
ra_unsent_is (const RaUnsent *u, guint32 ssrc, guint16 seq)
{
  for (guint i = 0; i < RA_SSRCS_MAX; i++) {
    const RaUnsentStream *s = &u->streams[i];

    if (u->ssrcs.used[i] == 0 || u->ssrcs.ssrc[i] != ssrc)
      continue;
    if (unwrap (s, seq) > s->highest)
      return RA_UNSENT_YET;
    return gap_find (s, unwrap (s, seq)) >= 0 ? RA_UNSENT_SKIPPED
                                              : RA_UNSENT_NOT;
  }
  return RA_UNSENT_NOT;
}

gboolean
ra_claims_hear (RaClaims *c, guint32 arrived, guint64 sent)
{
  guint32 more = arrived - c->last;

  if (!c->begun || more > G_MAXINT32) {
    *c = (RaClaims){ .begun = TRUE, .last = arrived };
    return FALSE;
  }
  c->last = arrived;
  c->arrived += more;
  return c->arrived > sent;
}
