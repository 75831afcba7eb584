/* Does loss jump with the queue?
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The constants are our own, measured under delay and tfrc with rtpadapt-sim.
 */
#include <gst/rtpadapt/lda/cut.h>

#include <gst/rtpadapt/util/likelihood.h>

#include <math.h>
#include <string.h>

#define PER_OCTAVE 10 /* bins above the first: from 1 ms to 1 s */
#define TICKS 60      /* decays per `memory`: twice a second */
#define LOW_LEAST 20. /* packets below a cut, or */
#define LOW_SHARE .03 /* this share of all */
#define PRIOR_AT .97  /* of the range: at the top, unsure is congestion */
#define ODDS_LOW .01  /* of congestion below the lowest cut */
#define SOME .5       /* of a hole, where none was seen */
#define FRESH 16

static guint
bin_of (const RaCut *c, gdouble q)
{
  gdouble of = q / (c->bin * (gdouble) RA_SECOND);

  return of < 1 ? 0 : (guint) MIN (1 + PER_OCTAVE * log2 (of), RA_CUT_BINS - 1);
}

typedef struct
{
  gdouble l[RA_CUT_BINS + 1], n[RA_CUT_BINS + 1]; /* of all bins below */
} Sums;

static void
sums_make (const RaCut *c, gdouble range, Sums *s)
{
  guint top = bin_of (c, PRIOR_AT * range);

  s->l[0] = s->n[0] = 0;
  for (guint i = 0; i < RA_CUT_BINS; i++) {
    gdouble prior = i == top ? c->prior : 0;

    s->l[i + 1] = s->l[i] + c->holes[i] + prior;
    s->n[i + 1] = s->n[i] + c->packets[i] + c->holes[i] + prior;
  }
}

/* The best cut of the bins below `end`, or 0. */
static guint
cut_find (const RaCut *c, const Sums *s, guint end)
{
  gdouble all = ra_log_likelihood (s->l[end], s->n[end]), best = c->gain;
  gdouble least = MAX (LOW_LEAST, LOW_SHARE * s->n[RA_CUT_BINS]);
  guint cut = 0;

  for (guint i = 1; i < end; i++) {
    gdouble n = s->n[end] - s->n[i], l = s->l[end] - s->l[i], gain;

    if (s->n[i] < least || n <= 0 || s->n[i] == s->n[i - 1]
        || s->l[i] * n >= c->ratio * l * s->n[i])
      continue;
    gain
        = ra_log_likelihood (s->l[i], s->n[i]) + ra_log_likelihood (l, n) - all;
    if (gain > best) {
      best = gain;
      cut = i;
    }
  }
  return cut;
}

static void
cuts_find (RaCut *c, gdouble range)
{
  guint end = RA_CUT_BINS;
  Sums s;

  sums_make (c, range, &s);
  c->n_cuts = 0;
  while (c->n_cuts < RA_CUTS) {
    guint cut = cut_find (c, &s, end);

    if (cut == 0)
      break;
    c->rates[c->n_cuts] = (s.l[end] - s.l[cut]) / (s.n[end] - s.n[cut]);
    c->ends[c->n_cuts++] = end = cut;
  }
  c->rates[c->n_cuts] = s.n[end] > 0 ? s.l[end] / s.n[end] : 0;
  c->w = s.n[end] > 0 ? MAX (s.l[end], SOME) / s.n[end] : 0;
}

/* Cuts again twice a second, or as soon as a sixteenth of all holes is not in it. */
gboolean
ra_cut_find (RaCut *c, gdouble range)
{
  if (c->cut_at == c->tick && c->fresh * FRESH < c->n_holes)
    return c->n_cuts > 0;
  c->cut_at = c->tick;
  c->fresh = 0;
  cuts_find (c, range);
  return c->n_cuts > 0;
}

static gint64
tick_at (const RaCut *c, RaTime now)
{
  return (gint64) (now / (RaTime) MAX (ra_span (c->memory) / TICKS, 1));
}

static void
decay (RaCut *c, RaTime now)
{
  gint64 tick = tick_at (c, now);
  gdouble keep;

  if (tick == c->tick)
    return;
  keep = exp (-(gdouble) CLAMP (tick - c->tick, 0, 100 * TICKS) / TICKS);
  for (guint i = 0; i < RA_CUT_BINS; i++) {
    c->packets[i] *= keep;
    c->holes[i] *= keep;
  }
  c->n_holes *= keep;
  c->tick = tick;
}

void
ra_cut_forget (RaCut *c)
{
  memset (c->packets, 0, sizeof c->packets);
  memset (c->holes, 0, sizeof c->holes);
  c->n_holes = 0;
  c->n_cuts = 0;
}

void
ra_cut_hear (RaCut *c, gdouble q, gboolean hole, RaTime now)
{
  guint bin = bin_of (c, q);

  if (!c->begun)
    c->tick = tick_at (c, now);
  c->begun = TRUE;
  decay (c, now);
  c->packets[bin] += 1;
  c->holes[bin] += hole;
  c->n_holes += hole;
  c->fresh += hole;
}

gdouble
ra_cut_odds (const RaCut *c, gdouble q)
{
  guint bin = bin_of (c, q), part = 0;
  gdouble h;

  while (part < c->n_cuts && bin < c->ends[part])
    part++;
  h = c->rates[part];
  return part == c->n_cuts || h <= c->w ? ODDS_LOW : (h - c->w) / c->w;
}
