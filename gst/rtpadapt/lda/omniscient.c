/* The truth, from a link model or a log: what an ideal LDA would say.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <gst/rtpadapt/lda.h>

static RaCause
omniscient_on_missing (RaLda *lda, const RaArrival *a, guint64 seq)
{
  if (lda->truth && lda->truth (seq, lda->truth_data) == RA_CAUSE_WIRELESS)
    return RA_CAUSE_WIRELESS;
  return RA_CAUSE_CONGESTION; /* unknown counts as congestion */
}

/* Of the hole as one: congestion if any of its packets is. */
static RaCause
omniscient_on_packet (RaLda *lda, const RaArrival *a)
{
  for (guint i = a->n_lost; i > 0; i--) {
    if (omniscient_on_missing (lda, a, a->seq - i) == RA_CAUSE_CONGESTION)
      return RA_CAUSE_CONGESTION;
  }
  return RA_CAUSE_WIRELESS;
}

const RaLdaOps ra_lda_omniscient = {
  .name = "omniscient",
  .cite = "omniscient TFRC (Cen, Cosman, Voelker 2003, III)",
  .needs = "the truth (rtpadaptlink, a simulator)",
  .use = "the bound no LDA can beat",
  .truth = TRUE,
  .reference = "knows the cause of every loss",
  .size = sizeof (RaLda),
  .on_packet = omniscient_on_packet,
  .on_missing = omniscient_on_missing,
};
