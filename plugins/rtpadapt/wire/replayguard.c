/* Finds out whether a sender is alive or a recording.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "replayguard.h"

#include "bucket.h"

#include <gst/rtp/rtp.h>
#include <gst/rtpadapt/util/bytes.h>

#define RR_SIZE 8 /* without blocks: RFC 3550 6.4.2 */

typedef struct
{
  guint32 ssrc;
  gboolean proven;
  RaTime since, heard;
  RaTime asked[2]; /* RA_TIME_NONE: not yet */
} Source;

struct _ReplayGuard
{
  guint32 ssrc;
  Source sources[REPLAY_GUARD_SSRCS];
  guint n;
  guint64 questions[REPLAY_GUARD_QUESTIONS]; /* a ring, the newest is `last` */
  guint n_questions, last;
  RaTime renewed;
  BucketSecond asks; /* questions */
  BucketSecond late; /* of these, to SSRCs whose patience is over */
};

/* --- sources ------------------------------------------------------------ */

static Source *
source_find (const ReplayGuard *g, guint32 ssrc)
{
  for (guint i = 0; i < g->n; i++) {
    if (g->sources[i].ssrc == ssrc)
      return (Source *) &g->sources[i];
  }
  return NULL;
}

/* The source that has been silent for longest: of those that are not proven, or if
 * all are proven, of all. */
static Source *
source_to_leave (ReplayGuard *g)
{
  Source *best = &g->sources[0];

  for (guint i = 1; i < g->n; i++) {
    Source *s = &g->sources[i];

    if (s->proven != best->proven ? best->proven : s->heard < best->heard)
      best = s;
  }
  return best;
}

static Source *
source_add (ReplayGuard *g, guint32 ssrc, RaTime now)
{
  Source *s
      = g->n < REPLAY_GUARD_SSRCS ? &g->sources[g->n++] : source_to_leave (g);

  *s = (Source){
    .ssrc = ssrc, .since = now, .asked = { RA_TIME_NONE, RA_TIME_NONE }
  };
  return s;
}

static gboolean
is_patient (const Source *s, RaTime now)
{
  return ra_diff (now, s->since) < REPLAY_GUARD_PATIENCE;
}

ReplayGuardVerdict
replay_guard_hear (ReplayGuard *g, guint32 ssrc, RaTime now)
{
  Source *s = source_find (g, ssrc);

  if (!s)
    s = source_add (g, ssrc, now);
  s->heard = now;
  if (s->proven)
    return REPLAY_GUARD_PASS;
  return is_patient (s, now) ? REPLAY_GUARD_HOLD : REPLAY_GUARD_REFUSE;
}

gboolean
replay_guard_is_proven (const ReplayGuard *g, guint32 ssrc)
{
  const Source *s = source_find (g, ssrc);

  return s && s->proven;
}

/* --- questions ---------------------------------------------------------- */

/* A question never has an LRR of 0, because that says that no question came (RFC
 * 3611 4.5). */
static void
renew_question (ReplayGuard *g, guint64 chance, RaTime now)
{
  if (g->n_questions > 0 && ra_diff (now, g->renewed) < REPLAY_GUARD_NEW)
    return;
  g->renewed = now;
  g->last = (g->last + 1) % REPLAY_GUARD_QUESTIONS;
  g->n_questions = MIN (g->n_questions + 1, REPLAY_GUARD_QUESTIONS);
  g->questions[g->last] = ra_xr_lrr (chance) != 0 ? chance : chance ^ 1u << 16;
}

static void
write_rr (guint8 *data, guint32 ssrc)
{
  data[0] = 2 << 6;
  data[1] = GST_RTCP_TYPE_RR;
  ra_put_u16 (data + 2, RR_SIZE / 4 - 1);
  ra_put_u32 (data + 4, ssrc);
}

void
replay_guard_ask_anyway (
    ReplayGuard *g, guint64 chance, RaTime now, ReplayGuardQuestion *question)
{
  renew_question (g, chance, now);
  write_rr (question->data, g->ssrc);
  ra_xr_write_rrtr (question->data + RR_SIZE, RA_XR_RRTR_SIZE, g->ssrc,
      g->questions[g->last]);
}

gboolean
replay_guard_ask (ReplayGuard *g, guint32 ssrc, guint way, guint64 chance,
    RaTime now, ReplayGuardQuestion *question)
{
  Source *s = source_find (g, ssrc);
  gboolean patient = s && is_patient (s, now);
  RaSpan gap = patient ? REPLAY_GUARD_ASK : REPLAY_GUARD_ASK_LATER;

  if (!s || s->proven
      || !bucket_second_has_room (&g->asks, REPLAY_GUARD_ASKS, now))
    return FALSE;
  /* A recording goes on for long, and a live sender has to be asked in time. */
  if (!patient
      && !bucket_second_has_room (&g->late, REPLAY_GUARD_ASKS_LATE, now))
    return FALSE;
  if (s->asked[way] != RA_TIME_NONE && ra_diff (now, s->asked[way]) < gap)
    return FALSE;
  s->asked[way] = now;
  g->asks.n++;
  g->late.n += !patient;
  replay_guard_ask_anyway (g, chance, now, question);
  return TRUE;
}

/* --- answers ------------------------------------------------------------ */

gboolean
replay_guard_answer (ReplayGuard *g, const RaXrItem *item, RaTime now)
{
  gboolean asked = FALSE;
  Source *s;

  if (item->kind != RA_XR_DLRR || item->dlrr.receiver != g->ssrc)
    return FALSE;
  for (guint i = 0; i < g->n_questions && !asked; i++) {
    guint at = (g->last + REPLAY_GUARD_QUESTIONS - i) % REPLAY_GUARD_QUESTIONS;

    asked = item->dlrr.lrr == ra_xr_lrr (g->questions[at]);
  }
  if (!asked)
    return FALSE;
  s = source_find (g, item->ssrc);
  if (!s)
    s = source_add (g, item->ssrc, now);
  s->heard = now;
  s->proven = TRUE;
  return TRUE;
}

gsize
replay_guard_write_answer (guint8 *data, gsize len, const guint32 *ssrcs,
    guint n, const RaXrItem *question)
{
  const RaXrDlrr block
      = { .receiver = question->ssrc, .lrr = ra_xr_lrr (question->ntp) };
  gsize used = RR_SIZE, part;

  if (n == 0 || len < RR_SIZE)
    return 0;
  write_rr (data, ssrcs[0]);
  for (guint i = 0; i < n; i++, used += part) {
    part = ra_xr_write_dlrr (data + used, len - used, ssrcs[i], &block, 1);
    if (part == 0)
      return 0;
  }
  return used;
}

/* --- the guard ---------------------------------------------------------- */

ReplayGuard *
replay_guard_new (guint32 ssrc)
{
  ReplayGuard *g = g_new0 (ReplayGuard, 1);

  g->ssrc = ssrc;
  g->asks.since = g->late.since = RA_TIME_NONE;
  return g;
}

void
replay_guard_free (ReplayGuard *g)
{
  g_free (g);
}
