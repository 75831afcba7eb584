/* Loss labelling (NewReno-LL): the truth, right with a given probability.
 * D. Barman, I. Matta, "Effectiveness of loss labeling in improving TCP
 * performance in wired/wireless networks", ICNP 2002, 2.1.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * For measuring what an LDA of a given accuracy would be worth.  The defaults
 * are those with the best goodput in the paper's configuration 2 (table 2);
 * P[C|C] = P[W|W] = 1 is `omniscient` (NewReno-PL), 1 and 0 is `none`.
 *
 * 2.1 draws "on a loss event": one lot for all holes found within an RTT of the
 * first, as TCP recovers once from them.  The lot is drawn from the seed and the
 * event's first seq, so that asking twice gives the same answer.  Where both
 * causes met in an event, the lot is held against the probability of each, and
 * a hole as one is congestion if any of its packets is said to be.  A packet of
 * which the truth is not known is congestion, without a lot.
 *
 * Nothing here depends on the traffic, so real video needs no other defaults.
 */
#include <gst/rtpadapt/lda.h>
#include <gst/rtpadapt/util/rng.h>

typedef struct
{
  RaLda base;
  gdouble p_cc, p_ww; /* parameters */
  gboolean started;
  RaTime start;  /* of the loss event, */
  guint64 event; /* and the first seq that it lost */
} Ll;

/* The first numbers of neighbouring PCG streams are alike; what they seed in
 * turn is not. */
static gboolean
is_right (const Ll *l, gdouble p)
{
  RaRng rng;
  guint64 seed;

  ra_rng_init (&rng, l->base.seed, l->event);
  seed = (guint64) ra_rng_next (&rng) << 32;
  seed |= ra_rng_next (&rng);
  ra_rng_init (&rng, seed, l->event);
  return ra_rng_chance (&rng, p);
}

/* Barman, Matta 2002, 2.1. */
static RaCause
ll_on_missing (RaLda *lda, const RaArrival *a, guint64 seq)
{
  const Ll *l = (const Ll *) lda;

  switch (lda->truth ? lda->truth (seq, lda->truth_data) : RA_CAUSE_NONE) {
    case RA_CAUSE_CONGESTION:
      return is_right (l, l->p_cc) ? RA_CAUSE_CONGESTION : RA_CAUSE_WIRELESS;
    case RA_CAUSE_WIRELESS:
      return is_right (l, l->p_ww) ? RA_CAUSE_WIRELESS : RA_CAUSE_CONGESTION;
    default:
      return RA_CAUSE_CONGESTION;
  }
}

static RaCause
ll_on_packet (RaLda *lda, const RaArrival *a)
{
  Ll *l = (Ll *) lda;
  RaSpan since = ra_diff (a->arrival, l->start);

  /* since < 0: the clock went back. */
  if (a->n_lost > 0 && (!l->started || since < 0 || since >= a->rtt)) {
    l->started = TRUE;
    l->start = a->arrival;
    l->event = a->seq - a->n_lost;
  }
  for (guint i = a->n_lost; i > 0; i--) {
    if (ll_on_missing (lda, a, a->seq - i) == RA_CAUSE_CONGESTION)
      return RA_CAUSE_CONGESTION;
  }
  return RA_CAUSE_WIRELESS;
}

static const RaParam params[] = {
  { "p-cc", RA_AT (Ll, p_cc), .def = 1, .max = 1,
      .text = "p_c/c: this share of the congestion losses is recognised" },
  { "p-ww", RA_AT (Ll, p_ww), .def = .8, .max = 1,
      .text = "p_w/w: this share of the wireless losses is recognised" },
  { NULL },
};

const RaLdaOps ra_lda_ll = {
  .name = "ll",
  .cite = "Barman, Matta 2002, 2.1",
  .needs = "the truth (rtpadaptlink, a simulator)",
  .use = "what an LDA of a given accuracy would be worth",
  .truth = TRUE,
  .size = sizeof (Ll),
  .params = params,
  .on_packet = ll_on_packet,
  .on_missing = ll_on_missing,
};
