/* How fast the stream takes the line, and gives way when the line gets slower.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "path.h"

#include <math.h>

/* A mean over so long: at 25 frames/s a tenth of a second has two frames or
 * three, and a key frame alone would fill the line. */
#define MEAN (RA_SECOND / 2)
#define MEAN_STEP (RA_SECOND / 10)
#define FULL .9
/* A step down: the line keeps this share of its rate at most. */
#define STEP .75
/* A queue in which nothing waited as long as this for QUIET has drained. */
#define DRAINED (25 * RA_MSECOND)
#define QUIET (RA_SECOND / 2)

static const Capacity *
capacity (const Path *p, guint i)
{
  return &g_array_index (p->capacities, Capacity, i);
}

/* Mean of the line's rate from `from` until `until`; NaN: not known. */
static gdouble
capacity_mean (const Path *p, gint64 from, gint64 until)
{
  gdouble sum = 0;
  guint n = 0;

  for (guint i = 0; i < p->capacities->len; i++) {
    const Capacity *c = capacity (p, i);

    if (c->t >= from && c->t < until && !isnan (c->bps)) {
      sum += c->bps;
      n++;
    }
  }
  return n > 0 ? sum / n : (gdouble) NAN;
}

/* When it left the queue; the radio's losses crossed the bottleneck, too. */
static gint64
crossed (const Packet *k)
{
  return k->in + (k->queued == RA_SPAN_NONE ? 0 : k->queued);
}

static gdouble
ramp (const Path *p, gint64 until)
{
  gint64 begin, end;
  gdouble bytes = 0;
  guint first = 0, next = 0;

  if (p->packets->len == 0 || isnan (capacity_mean (p, G_MININT64, G_MAXINT64)))
    return (gdouble) NAN;
  begin = g_array_index (p->packets, Packet, 0).in;
  for (end = begin + MEAN_STEP; end < until; end += MEAN_STEP) {
    for (; next < p->packets->len; next++) {
      const Packet *k = &g_array_index (p->packets, Packet, next);

      if (crossed (k) >= end)
        break;
      bytes += k->lost == RA_CAUSE_CONGESTION ? 0 : k->size;
    }
    for (; first < next; first++) {
      const Packet *k = &g_array_index (p->packets, Packet, first);

      if (crossed (k) >= end - MEAN)
        break;
      bytes -= k->lost == RA_CAUSE_CONGESTION ? 0 : k->size;
    }
    /* A part of a mean says nothing; what is not known compares as FALSE. */
    if (end - begin >= MEAN
        && bytes * 8 / ra_seconds (MEAN)
            >= FULL * capacity_mean (p, end - MEAN, end))
      return ra_seconds (end - begin);
  }
  return ra_seconds (until - begin);
}

static gdouble
rate_settle (const Records *r, gint64 step, gint64 end, gdouble bps)
{
  gboolean any = FALSE;

  for (guint i = 0; i < r->rates->len; i++) {
    const RateSample *s = &g_array_index (r->rates, RateSample, i);

    if (s->t < step || s->t >= end || isnan (s->estimated))
      continue;
    any = TRUE;
    if (s->estimated <= bps)
      return ra_seconds (s->t - step);
  }
  return any ? ra_seconds (end - step) : (gdouble) NAN;
}

static gdouble
queue_settle (const Path *p, gint64 step, gint64 end)
{
  gint64 last = step;

  for (guint i = 0; i < p->packets->len; i++) {
    const Packet *k = &g_array_index (p->packets, Packet, i);

    if (k->in < step || k->queued == RA_SPAN_NONE || k->queued < DRAINED)
      continue;
    if (k->in >= end || k->in > last + QUIET)
      break;
    last = MIN (crossed (k), end);
  }
  return ra_seconds (last - step);
}

/* Where the line has another rate again. */
static gint64
step_end (const Path *p, guint i, gint64 until)
{
  gdouble bps = capacity (p, i)->bps;

  for (; i < p->capacities->len; i++) {
    if (!(fabs (capacity (p, i)->bps - bps) <= .01 * bps))
      return MIN (capacity (p, i)->t, until);
  }
  return until;
}

void
path_settle (
    const Path *p, const Records *r, gint64 from, gint64 until, PathSettle *out)
{
  *out = (PathSettle){ (gdouble) NAN, (gdouble) NAN, (gdouble) NAN };
  if (p->packets->len == 0)
    return;
  out->ramp_s = ramp (p, until);
  for (guint i = 1; i < p->capacities->len; i++) {
    const Capacity *c = capacity (p, i);
    gint64 end;

    /* Not, too, if one of them is not known. */
    if (!(c->bps <= STEP * capacity (p, i - 1)->bps) || c->t < from
        || c->t >= until)
      continue;
    end = step_end (p, i, until);
    /* fmax() takes the number where one of both is not known. */
    out->rate_settle_s
        = fmax (out->rate_settle_s, rate_settle (r, c->t, end, c->bps));
    out->queue_settle_s
        = fmax (out->queue_settle_s, queue_settle (p, c->t, end));
  }
}
