/* What the viewer saw.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A freeze is what freezeCount counts in "Identifiers for WebRTC's Statistics
 * API" (W3C): two pictures follow each other by max (3 d, d + 150 ms) or more,
 * d being the mean of the last 30 such intervals.  frozen_s adds up those
 * intervals, as totalFreezesDuration does.  A picture that was there before,
 * or whose number cannot be read, is not a new one.
 */
#include "shown.h"

#include <math.h>

#define AVERAGED 30
#define FREEZE_MARGIN (150 * RA_MSECOND)
/* A latency that follows the path moves by some 100 ms in so long, and a freeze is
 * shorter. */
#define USUAL_WITHIN (2 * RA_SECOND)

static gint
compare_doubles (gconstpointer a, gconstpointer b)
{
  gdouble x = *(const gdouble *) a, y = *(const gdouble *) b;

  return x < y ? -1 : x > y;
}

gdouble
shown_percentile (GArray *doubles, guint percent)
{
  guint64 rank;

  if (doubles->len == 0)
    return (gdouble) NAN;
  g_array_sort (doubles, compare_doubles);
  rank = ((guint64) doubles->len * percent + 99) / 100;
  return g_array_index (doubles, gdouble, MAX (rank, 1) - 1);
}

static gint64
period (const Records *r)
{
  return (gint64) ((gdouble) RA_SECOND / r->fps);
}

/* From the sender to the screen, ms; NaN: it was never shown. */
static gdouble
latency_ms (const FrameSent *f)
{
  return f->shown == G_MININT64 ? (gdouble) NAN
                                : ra_seconds (f->shown - f->t) * 1e3;
}

static void
latency_score (const Records *r, Shown *v)
{
  g_autoptr (GArray) ms = g_array_new (FALSE, FALSE, sizeof (gdouble));
  gdouble before = (gdouble) NAN; /* the frame before's */

  v->latency_step_ms = (gdouble) NAN;
  for (guint i = 0; i < r->frames->len; i++) {
    const FrameSent *f = &g_array_index (r->frames, FrameSent, i);
    gdouble latency = latency_ms (f);

    if (f->t < v->from || f->t >= v->until)
      continue;
    v->frames_sent++;
    if (!isnan (latency)) {
      v->frames_shown++;
      g_array_append_val (ms, latency);
    }
    /* fmax() ignores NaN. */
    v->latency_step_ms = fmax (v->latency_step_ms, fabs (latency - before));
    before = latency;
  }
  v->latency_ms_p50 = shown_percentile (ms, 50);
  v->latency_ms_p95 = shown_percentile (ms, 95);
  v->latency_ms_p99 = shown_percentile (ms, 99);
}

static gint64
median_latency (const Shown *v)
{
  return isnan (v->latency_ms_p50)
      ? 0
      : (gint64) (v->latency_ms_p50 * (gdouble) RA_MSECOND);
}

/* The last intervals between pictures; before there are any, the source's. */
typedef struct
{
  gint64 span[AVERAGED];
  guint n; /* of all so far */
  gint64 nominal;
} Pace;

static gdouble
pace_mean (const Pace *p)
{
  guint n = MIN (p->n, AVERAGED);
  gint64 sum = 0;

  for (guint i = 0; i < n; i++)
    sum += p->span[i];
  return n > 0 ? (gdouble) sum / n : (gdouble) p->nominal;
}

/* The picture stood from `begin` until `end`; what is in the window counts. */
static void
stood (Shown *v, const Pace *pace, gint64 begin, gint64 end, gint64 shift)
{
  gdouble mean = pace_mean (pace), span = (gdouble) (end - begin);
  gint64 inside = MIN (end, v->until + shift) - MAX (begin, v->from + shift);

  if (span >= MAX (3 * mean, mean + FREEZE_MARGIN) && inside > 0) {
    v->freezes++;
    v->frozen_s += ra_seconds (inside);
    v->longest_freeze_s = MAX (v->longest_freeze_s, ra_seconds (inside));
  }
}

/* The viewer's window is the frames', shifted by the usual latency.  Nothing
 * at all until the first picture, or after the last one, is a freeze, too. */
static void
freeze_score (const Records *r, Shown *v)
{
  Pace pace = { .nominal = period (r) };
  gint64 shift = median_latency (v), newest = -1, last = 0;
  gint64 since = r->start + shift;

  for (guint i = 0; i < r->shown->len; i++) {
    const FrameShown *f = &g_array_index (r->shown, FrameShown, i);

    if (f->n <= newest)
      continue;
    if (f->t > since)
      stood (v, &pace, since, f->t, shift);
    if (newest >= 0)
      pace.span[pace.n++ % AVERAGED] = f->t - last;
    newest = f->n;
    last = f->t;
    since = MAX (since, f->t);
  }
  if (v->until + shift > since)
    stood (v, &pace, since, v->until + shift, shift);
}

/* A sender that was interrupted had no more frames. */
static gint64
end_of (const Records *r)
{
  guint n = r->frames->len;
  gint64 end = n > 0
      ? g_array_index (r->frames, FrameSent, n - 1).t + period (r)
      : r->start;

  return MIN (end, r->start + ra_span (r->seconds));
}

void
shown_score (const Records *r, gdouble warmup, Shown *v)
{
  *v = (Shown){ 0 };
  v->from = r->start + ra_span (warmup);
  v->until = end_of (r);
  if (v->until <= v->from)
    return;
  latency_score (r, v);
  freeze_score (r, v);
}

/* Where the first picture after `when` is in r->shown. */
static guint
shown_after (const Records *r, gint64 when)
{
  guint low = 0, high = r->shown->len;

  while (low < high) {
    guint middle = (low + high) / 2;

    if (g_array_index (r->shown, FrameShown, middle).t <= when)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/* The median latency of the frames that were sent within USUAL_WITHIN of frame `i`; the
 * whole stream's where none of them was shown. */
static gint64
usual_latency (const Records *r, const Shown *v, guint i)
{
  g_autoptr (GArray) ms = g_array_new (FALSE, FALSE, sizeof (gdouble));
  const FrameSent *f = (const FrameSent *) (gpointer) r->frames->data;
  gint64 t = f[i].t;
  guint k = i;

  while (k > 0 && f[k - 1].t >= t - USUAL_WITHIN)
    k--;
  for (; k < r->frames->len && f[k].t <= t + USUAL_WITHIN; k++) {
    gdouble latency = latency_ms (&f[k]);

    if (!isnan (latency))
      g_array_append_val (ms, latency);
  }
  return ms->len > 0
      ? (gint64) (shown_percentile (ms, 50) * (gdouble) RA_MSECOND)
      : median_latency (v);
}

/* The frame itself, if it came within a frame's time of when it should have:
 * so much is the display's own jitter.  Else what stood there, looked at in the
 * middle of its time. */
gint
shown_screen (const Records *r, const Shown *v, guint i)
{
  const FrameSent *f = &g_array_index (r->frames, FrameSent, i);
  gint64 when = f->t + usual_latency (r, v, i);

  for (guint k = shown_after (r, when - period (r)); k < r->shown->len; k++) {
    const FrameShown *shown = &g_array_index (r->shown, FrameShown, k);

    if (shown->t > when + period (r))
      break;
    if (shown->n == f->n)
      return (gint) k;
  }
  return (gint) shown_after (r, when + period (r) / 2) - 1;
}
