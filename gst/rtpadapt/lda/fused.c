/* fused: does loss jump with the queue?  Where it does, the losses above the
 * jump are congestion; where it does not, full tells.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Our own.  Packets and holes are counted by the queue that the packet before
 * them met (so both alike).  The counts are cut where two loss rates explain
 * them better than one, by the likelihood ratio (S. Wilks 1938), and the lower
 * part again, up to 4 times.  w, the loss rate of the lowest part, is the
 * radio's: P (C) of a hole is 1 - w / h, h the loss rate of its own part.
 *
 * On an own line without jitter the gap around the hole tells as well (S. Biaz,
 * N. Vaidya, ASSET 1999): what crossed the line took time there.  It counts as
 * much as its own spread allows.
 */
#include <gst/rtpadapt/lda/full.h>

#include <math.h>
#include <string.h>

/* Below a bin of `bin`, then 10 per octave: 1 ms to 1 s. */
#define PER_OCTAVE 10
#define BINS 101
#define TICKS 60 /* decays per `memory`: twice a second */
#define CUTS 4
#define LOW_LEAST 20. /* packets below a cut, or */
#define LOW_SHARE .03 /* this share of all */
#define PRIOR_AT .97  /* of the range: at the top, unsure is congestion */
#define ODDS_LOW .01  /* of congestion below the lowest cut */
#define SOME .5       /* of a hole, where none was seen */
/* The gap: means over 32 packets; a line with less spread than STEADY is our
 * own, and may overrule the queue. */
#define GAP_GAIN 32
#define STEADY .2
#define GAP_MOST_STEADY 5.
#define GAP_MOST 2.
#define GAP_FLOOR .005
#define SD_LEAST .1

typedef struct
{
  RaLda base;
  gdouble theta, gain, ratio, prior, memory, bin, busy, em,
      gap;     /* parameters */
  RaFull full; /* has the level for both */
  gdouble packets[BINS], holes[BINS];
  gdouble n_fresh; /* holes since the cuts were found */
  gint64 tick;
  guint n_cuts;
  guint ends[CUTS];        /* bins below the cuts, the highest cut first */
  gdouble rates[CUTS + 1]; /* of the parts, the highest first */
  gdouble w;
  gdouble per_byte, spread; /* ns per byte and its mean deviation */
} Fused;

static void
fused_init (RaLda *lda)
{
  Fused *f = (Fused *) lda;

  f->full.base.ops = &ra_lda_full;
  ra_lda_reset (&f->full.base);
}

static guint
bin_of (const Fused *f, gdouble q)
{
  gdouble of = q / (f->bin * (gdouble) RA_SECOND);

  return of < 1 ? 0 : (guint) MIN (1 + PER_OCTAVE * log2 (of), BINS - 1);
}

static gdouble
likelihood (gdouble l, gdouble n)
{
  return (l > 0 ? l * log (l / n) : 0)
      + (n > l ? (n - l) * log (1 - l / n) : 0);
}

typedef struct
{
  gdouble l[BINS + 1], n[BINS + 1]; /* of all bins below */
} Sums;

static void
sums_make (const Fused *f, RaTime now, Sums *s)
{
  guint top = bin_of (f, PRIOR_AT * ra_level_range (&f->full.level, now));

  s->l[0] = s->n[0] = 0;
  for (guint i = 0; i < BINS; i++) {
    gdouble prior = i == top ? f->prior : 0;

    s->l[i + 1] = s->l[i] + f->holes[i] + prior;
    s->n[i + 1] = s->n[i] + f->packets[i] + f->holes[i] + prior;
  }
}

/* The best cut of the bins below `end`, or 0. */
static guint
cut_find (const Fused *f, const Sums *s, guint end)
{
  gdouble all = likelihood (s->l[end], s->n[end]), best = f->gain;
  gdouble least = MAX (LOW_LEAST, LOW_SHARE * s->n[BINS]);
  guint cut = 0;

  for (guint i = 1; i < end; i++) {
    gdouble n = s->n[end] - s->n[i], l = s->l[end] - s->l[i], gain;

    if (s->n[i] < least || n <= 0 || s->n[i] == s->n[i - 1]
        || s->l[i] * n >= f->ratio * l * s->n[i])
      continue;
    gain = likelihood (s->l[i], s->n[i]) + likelihood (l, n) - all;
    if (gain > best) {
      best = gain;
      cut = i;
    }
  }
  return cut;
}

static void
cuts_find (Fused *f, RaTime now)
{
  guint end = BINS;
  Sums s;

  sums_make (f, now, &s);
  f->n_cuts = 0;
  while (f->n_cuts < CUTS) {
    guint cut = cut_find (f, &s, end);

    if (cut == 0)
      break;
    f->rates[f->n_cuts] = (s.l[end] - s.l[cut]) / (s.n[end] - s.n[cut]);
    f->ends[f->n_cuts++] = end = cut;
  }
  f->rates[f->n_cuts] = s.n[end] > 0 ? s.l[end] / s.n[end] : 0;
  f->w = s.n[end] > 0 ? MAX (s.l[end], SOME) / s.n[end] : 0;
  f->n_fresh = 0;
}

static gint64
tick_at (const Fused *f, RaTime now)
{
  return (gint64) (now / (RaTime) MAX (ra_span (f->memory) / TICKS, 1));
}

static void
decay (Fused *f, RaTime now)
{
  gint64 tick = tick_at (f, now);
  gdouble keep;

  if (tick == f->tick)
    return;
  keep = exp (-(gdouble) CLAMP (tick - f->tick, 0, 100 * TICKS) / TICKS);
  for (guint i = 0; i < BINS; i++) {
    f->packets[i] *= keep;
    f->holes[i] *= keep;
  }
  f->tick = tick;
  f->n_fresh = G_MAXDOUBLE;
}

static gboolean
is_busy (const Fused *f)
{
  gdouble busy = f->busy * (gdouble) RA_SECOND;

  return f->full.level.q >= busy && f->full.level.before >= busy;
}

static gdouble
normal (gdouble x, gdouble mean, gdouble sd)
{
  gdouble z = (x - mean) / sd;

  return exp (-z * z / 2) / (sd * sqrt (2 * G_PI));
}

/* ln of how much more likely the gap is after congestion. */
static gdouble
gap_odds (const Fused *f, const RaArrival *a)
{
  gdouble lost = (gdouble) a->bytes_lost, dev, sd, gap, p_w, p_c, odds;

  if (f->gap <= 0 || f->per_byte <= 0 || lost <= 0 || a->size == 0
      || !is_busy (f))
    return 0;
  gap = ((gdouble) MAX (a->iat, 0) / f->per_byte - a->size) / lost;
  dev = 1.25 * f->spread / f->per_byte
      + (gdouble) MAX (a->grain, 0) / (2 * f->per_byte * a->size);
  sd = MAX (SD_LEAST, dev * (a->size + lost) / lost);
  p_w = normal (gap, 1, sd) + GAP_FLOOR;
  p_c = (normal (gap, 0, sd) + normal (gap, .6, MAX (sd, .2))) / 2 + GAP_FLOOR;
  odds = log (p_c / p_w);
  return dev < STEADY ? CLAMP (odds, -GAP_MOST_STEADY, GAP_MOST_STEADY)
                      : CLAMP (odds, 0, GAP_MOST);
}

static void
gap_learn (Fused *f, const RaArrival *a)
{
  gdouble b;

  if (a->n_lost > 0 || a->iat < 0 || a->size == 0 || !is_busy (f))
    return;
  b = (gdouble) a->iat / a->size;
  if (f->per_byte <= 0) {
    f->per_byte = b;
    f->spread = b / 2;
    return;
  }
  f->spread += (fabs (b - f->per_byte) - f->spread) / GAP_GAIN;
  f->per_byte += (b - f->per_byte) / GAP_GAIN;
}

static RaCause
judge (Fused *f, const RaArrival *a)
{
  guint bin = bin_of (f, f->full.level.before), part = 0;
  gdouble h, odds;

  while (part < f->n_cuts && bin < f->ends[part])
    part++;
  h = f->rates[part];
  odds = part == f->n_cuts || h <= f->w ? ODDS_LOW : (h - f->w) / f->w;
  return log (odds) + gap_odds (f, a) > log (f->theta / (1 - f->theta))
      ? RA_CAUSE_CONGESTION
      : RA_CAUSE_WIRELESS;
}

static RaCause
fused_on_packet (RaLda *lda, const RaArrival *a)
{
  Fused *f = (Fused *) lda;
  gboolean first = !ra_full_hear (&f->full, a);
  guint bin = bin_of (f, f->full.level.before);

  if (first)
    f->tick = tick_at (f, a->arrival);
  if (f->full.n_packets <= 1) { /* it forgot: a new route */
    memset (f->packets, 0, sizeof f->packets);
    memset (f->holes, 0, sizeof f->holes);
    f->per_byte = 0;
  }
  decay (f, a->arrival);
  f->packets[bin] += 1;
  gap_learn (f, a);
  if (a->n_lost == 0)
    return RA_CAUSE_NONE;
  f->holes[bin] += 1;
  f->n_fresh += 1;
  if (first)
    return RA_CAUSE_CONGESTION;
  cuts_find (f, a->arrival);
  return f->n_cuts > 0 || f->em <= 0 ? judge (f, a)
                                     : ra_full_judge (&f->full, a);
}

static void
fused_observe (const RaLda *lda, RaObserve emit, gpointer data)
{
  const Fused *f = (const Fused *) lda;

  ra_lda_observe (&f->full.base, emit, data);
  emit ("cuts", f->n_cuts, data);
  emit ("inherent", f->w, data);
}

#define FIELD(field) G_STRUCT_OFFSET (Fused, field)
#define OWN(value) value, value /* no paper */

static const RaParam params[] = {
  { "theta", FIELD (theta), OWN (.33), .01, .99, "",
      "congestion from this probability on: a missed one costs others" },
  { "gain", FIELD (gain), OWN (3), 0, 100, "",
      "log-likelihood that a cut has to win" },
  { "ratio", FIELD (ratio), OWN (.67), 0, 1, "",
      "the loss rate below a cut is less than this times that above" },
  { "prior", FIELD (prior), OWN (10), 0, 1e6, "packets",
      "as many count as lost at the top of the range" },
  { "memory", FIELD (memory), OWN (30), .1, 86400, "s",
      "how long packets and holes count" },
  { "bin", FIELD (bin), OWN (.001), 1e-6, 1, "s", "the shortest queue told" },
  { "busy", FIELD (busy), OWN (.004), 0, 1, "s",
      "gaps count between packets that met a queue of this" },
  { "gap", FIELD (gap), OWN (1), 0, 1, "", "1: gaps count at all" },
  { "em", FIELD (em), OWN (1), 0, 1, "", "1: without a cut, ask full" },
  RA_FULL_PARAMS ("full-", FIELD (full)),
  RA_LEVEL_PARAMS (FIELD (full.level)),
  { NULL },
};

extern const RaLdaOps ra_lda_fused;
const RaLdaOps ra_lda_fused = {
  .name = "fused",
  .cite = "our own; gaps: Biaz, Vaidya 1999",
  .needs = "send and arrival times",
  .use = "a controller with a delay target; radio losses beside TCP",
  .size = sizeof (Fused),
  .params = params,
  .init = fused_init,
  .on_packet = fused_on_packet,
  .observe = fused_observe,
};
