/* No loss differentiation: every loss is congestion, as TFRC has it.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <gst/rtpadapt/lda.h>

static RaCause
none_on_packet (RaLda *lda, const RaArrival *a)
{
  return RA_CAUSE_CONGESTION;
}

const RaLdaOps ra_lda_none = {
  .name = "none",
  .cite = "unaware TFRC (Cen, Cosman, Voelker 2003, III)",
  .needs = "nothing",
  .use = "the baseline; where every loss is congestion",
  .reference = "takes every loss for congestion",
  .size = sizeof (RaLda),
  .on_packet = none_on_packet,
};
