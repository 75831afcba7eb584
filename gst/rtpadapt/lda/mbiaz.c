/* mBiaz: Biaz with a lower upper limit, 1.25 for 2, against its misreading of
 * congestion.
 * S. Cen, P. C. Cosman, G. M. Voelker, IEEE/ACM ToN 11(5), 2003, III-A.
 * See lda/gap.c.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <gst/rtpadapt/lda/gap.h>

static const RaParam params[] = { RA_GAP_PARAMS ("", 0, .25), { NULL } };

extern const RaLdaOps ra_lda_mbiaz;
const RaLdaOps ra_lda_mbiaz = {
  .name = "mbiaz",
  .cite = "Cen, Cosman, Voelker 2003, III-A",
  .needs = "arrival times",
  .use = "as biaz, with fewer congestion losses misread",
  .size = sizeof (RaGap),
  .params = params,
  .on_packet = ra_gap_on_packet,
  .observe = ra_gap_observe,
};
