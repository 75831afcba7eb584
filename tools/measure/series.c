/* The result of a run over time, in bins of half a second.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "series.h"

#include "values.h"

#include <math.h>

#define BIN (RA_SECOND / 2)

typedef enum
{
  CAPACITY,
  RATE,
  ESTIMATED,
  ENCODER,
  QUEUE,
  CONGESTION,
  WIRELESS,
  CALLED_CONGESTION,
  CALLED_WIRELESS,
  FRAMES,
  SSIM,
  N_SERIES
} Name;

static const gchar *const names[] = { "capacity_bps", "rate_bps",
  "estimated_bps", "encoder_bps", "queue_ms", "congestion", "wireless",
  "called_congestion", "called_wireless", "frames", "ssim" };

typedef struct
{
  const Result *x;
  guint n;
  gdouble *value[N_SERIES];
} Series;

/* Where `t` belongs; n if nowhere. */
static guint
bin_of (const Series *s, gint64 t)
{
  gint64 bin = (t - s->x->records->start) / BIN;

  return t < s->x->records->start || bin >= s->n ? s->n : (guint) bin;
}

/* The place is behind the end, and thrown away, if `t` is outside. */
static gdouble *
at (Series *s, Name name, gint64 t)
{
  return &s->value[name][bin_of (s, t)];
}

static void
zero (Series *s, Name from, Name to)
{
  for (Name name = from; name <= to; name++) {
    for (guint i = 0; i <= s->n; i++)
      s->value[name][i] = 0;
  }
}

/* Means of those that are no NaN. */
static void
means (Series *s, Name name, const gdouble *sum, const guint *n)
{
  for (guint i = 0; i < s->n; i++) {
    if (n[i] > 0)
      s->value[name][i] = sum[i] / n[i];
  }
}

static void
fill_path (Series *s)
{
  const Path *p = s->x->path;

  if (!p)
    return;
  for (guint i = 0; i < p->capacities->len; i++) {
    const Capacity *c = &g_array_index (p->capacities, Capacity, i);

    *at (s, CAPACITY, c->t) = c->bps;
  }
  if (!s->x->path_score.scored)
    return;
  zero (s, RATE, RATE);
  zero (s, CONGESTION, WIRELESS);
  for (guint i = 0; i < p->packets->len; i++) {
    const Packet *k = &g_array_index (p->packets, Packet, i);
    gdouble *queue = at (s, QUEUE, k->in);

    *at (s, RATE, k->in) += k->size * 8 / ra_seconds (BIN);
    if (k->lost != RA_CAUSE_NONE)
      *at (s, k->lost == RA_CAUSE_WIRELESS ? WIRELESS : CONGESTION, k->in) += 1;
    if (k->queued != RA_SPAN_NONE)                          /* the longest */
      *queue = fmax (*queue, ra_seconds (k->queued) * 1e3); /* not the NaN */
  }
}

static void
fill_sender (Series *s)
{
  const Records *r = s->x->records;
  g_autofree gdouble *sum = g_new0 (gdouble, s->n + 1);
  g_autofree guint *n = g_new0 (guint, s->n + 1);

  for (guint i = 0; i < r->rates->len; i++) {
    const RateSample *rate = &g_array_index (r->rates, RateSample, i);

    if (isnan (rate->estimated))
      continue;
    sum[bin_of (s, rate->t)] += rate->estimated;
    n[bin_of (s, rate->t)]++;
  }
  means (s, ESTIMATED, sum, n);
  for (guint i = 0; i < s->n; i++)
    s->value[ENCODER][i]
        = result_encoder_bps (r, r->start + i * BIN, r->start + (i + 1) * BIN);
  if (r->verdicts->len > 0)
    zero (s, CALLED_CONGESTION, CALLED_WIRELESS);
  for (guint i = 0; i < r->verdicts->len; i++) {
    const Verdict *v = &g_array_index (r->verdicts, Verdict, i);

    if (v->verdict != RA_CAUSE_NONE)
      *at (s,
          v->verdict == RA_CAUSE_WIRELESS ? CALLED_WIRELESS : CALLED_CONGESTION,
          v->t)
          += 1;
  }
}

static void
fill_viewer (Series *s)
{
  const Records *r = s->x->records;
  const Pictures *p = &s->x->pictures;
  g_autofree gdouble *sum = g_new0 (gdouble, s->n + 1);
  g_autofree guint *n = g_new0 (guint, s->n + 1);
  gint64 newest = -1;

  zero (s, FRAMES, FRAMES);
  for (guint i = 0; i < r->shown->len; i++) {
    const FrameShown *f = &g_array_index (r->shown, FrameShown, i);

    if (f->n <= newest)
      continue;
    newest = f->n;
    *at (s, FRAMES, f->t) += 1;
  }
  for (guint i = 0; p->per_frame && i < p->per_frame->len; i++) {
    guint bin
        = bin_of (s, g_array_index (r->frames, FrameSent, p->first + i).t);

    sum[bin] += g_array_index (p->per_frame, gdouble, i);
    n[bin]++;
  }
  means (s, SSIM, sum, n);
}

void
result_series (const Result *x, JsonBuilder *b)
{
  Series s = { x, (guint) ceil (x->records->seconds / ra_seconds (BIN)) };

  for (Name name = 0; name < N_SERIES; name++) {
    s.value[name] = g_new (gdouble, s.n + 1);
    for (guint i = 0; i <= s.n; i++)
      s.value[name][i] = (gdouble) NAN;
  }
  fill_path (&s);
  fill_sender (&s);
  fill_viewer (&s);

  json_builder_set_member_name (b, "series");
  json_builder_begin_object (b);
  json_builder_set_member_name (b, "t");
  json_builder_begin_array (b);
  for (guint i = 0; i < s.n; i++)
    result_number (b, NULL, i * ra_seconds (BIN));
  json_builder_end_array (b);
  for (Name name = 0; name < N_SERIES; name++) {
    json_builder_set_member_name (b, names[name]);
    json_builder_begin_array (b);
    for (guint i = 0; i < s.n; i++)
      result_number (b, NULL, s.value[name][i]);
    json_builder_end_array (b);
    g_free (s.value[name]);
  }
  json_builder_end_object (b);
}
