/* fused: does loss jump with the queue?  Where it does, the losses above the
 * jump are congestion; where it does not, the LDA full decides.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Our own.  Packets and holes are counted by the queue that the packet before
 * them met (so both alike).  The counts are cut where two loss rates explain
 * them better than one, by the likelihood ratio (S. Wilks 1938), and the lower
 * part again, up to 4 times.  The cut is the best of many, so that noise wins more
 * often than the ratio at a given place would: the gain is between the critical values
 * at 5 and 1 %, 4.3 and 6.1 (D. Andrews, Econometrica 61, 1993, table 1, and 71,
 * 2003).  w, the loss rate of the lowest part, is the
 * radio's: P (C) of a hole is 1 - w / h, h the loss rate of its own part.
 *
 * On a line without other flows and jitter the gap around the hole counts, too (S. Biaz,
 * N. Vaidya, ASSET 1999): what crossed the line took time there.  It counts as
 * much as its own spread allows.
 */
#include <gst/rtpadapt/lda/cut.h>
#include <gst/rtpadapt/lda/full.h>

#include <math.h>

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
  gdouble theta, busy, em, gap; /* parameters */
  RaFull full;                  /* has the level for both */
  RaCut cut;
  gdouble per_byte, spread; /* ns per byte and its mean deviation */
} Fused;

static void
fused_init (RaLda *lda)
{
  Fused *f = (Fused *) lda;

  ra_lda_child (&f->full.base, &ra_lda_full);
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

/* With em=0 and no cut, a loss is congestion as long as nothing is known, and near the top
 * of the range: where the queue is never empty, a full one makes no cut. */
static gboolean
is_unsure (const Fused *f, const RaArrival *a)
{
  return f->full.n_packets < RA_FULL_PACKETS_LEAST
      || f->full.level.before
      >= RA_FULL_TOP * ra_level_range (&f->full.level, a->arrival);
}

static RaCause
judge (Fused *f, const RaArrival *a)
{
  gdouble odds = ra_cut_odds (&f->cut, f->full.level.before);

  return log (odds) + gap_odds (f, a) > log (f->theta / (1 - f->theta))
      ? RA_CAUSE_CONGESTION
      : RA_CAUSE_WIRELESS;
}

static RaCause
fused_on_packet (RaLda *lda, const RaArrival *a)
{
  Fused *f = (Fused *) lda;
  gboolean first = !ra_full_hear (&f->full, a);

  if (f->full.n_packets <= 1) { /* it forgot: a new route */
    ra_cut_forget (&f->cut);
    f->per_byte = 0;
  }
  ra_cut_hear (&f->cut, f->full.level.before, a->n_lost > 0, a->arrival);
  gap_learn (f, a);
  if (first || a->n_lost == 0)
    return RA_CAUSE_CONGESTION; /* heard only where a packet is missing */
  if (ra_cut_find (&f->cut, ra_level_range (&f->full.level, a->arrival)))
    return judge (f, a);
  if (f->em > 0)
    return ra_full_judge (&f->full, a);
  return is_unsure (f, a) ? RA_CAUSE_CONGESTION : judge (f, a);
}

static void
fused_observe (const RaLda *lda, RaObserve emit, gpointer data)
{
  const Fused *f = (const Fused *) lda;

  ra_lda_observe (&f->full.base, emit, data);
  emit ("cuts", f->cut.n_cuts, data);
  emit ("inherent", f->cut.w, data);
}

static const RaParam params[] = {
  { "theta", RA_AT (Fused, theta), .def = .33, .min = .01, .max = .99,
      .text = "congestion from this probability "
              "on: a missed one costs others" },
  { "gain", RA_AT (Fused, cut.gain), .def = 5, .max = 100,
      .text = "log-likelihood that a cut has to win" },
  { "ratio", RA_AT (Fused, cut.ratio), .def = .67, .max = 1,
      .text = "the loss rate below a cut is less than this times that above" },
  { "prior", RA_AT (Fused, cut.prior), .def = 10, .max = 1e6, .unit = "packets",
      .text = "as many count as lost at the top of the range" },
  { "memory", RA_AT (Fused, cut.memory), .def = 30, .min = .1, .max = 86400,
      .unit = "s", .text = "how long packets and holes count" },
  { "bin", RA_AT (Fused, cut.bin), .def = .001, .min = 1e-6, .max = 1,
      .unit = "s", .text = "queues shorter than this count as one" },
  { "busy", RA_AT (Fused, busy), .def = .004, .max = 1, .unit = "s",
      .text = "gaps count between packets that met a queue of this" },
  { "gap", RA_AT (Fused, gap), .def = 1, .max = 1,
      .text = "1: gaps count at all" },
  { "em", RA_AT (Fused, em), .def = 1, .max = 1,
      .text = "1: without a cut, ask full; 0: only the top is congestion" },
  { "full-", RA_TABLE (Fused, full, ra_full_params) },
  { "", RA_TABLE (Fused, full.level, ra_level_params) },
  { NULL },
};

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
