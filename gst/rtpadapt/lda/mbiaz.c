/* mBiaz: Biaz with a lower upper limit, 1.25 for 2, against its misreading of
 * congestion.
 * S. Cen, P. C. Cosman, G. M. Voelker, IEEE/ACM ToN 11(5), 2003, III-A.
 * See lda/biazgap.c.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <gst/rtpadapt/lda/biazgap.h>

const RaParam ra_mbiaz_params[] = {
  { "lower", RA_AT (RaBiazGap, lower), .def = -.5, RA_PAPER (0), .min = -1,
      .max = 1, .text = "wireless from (n + 1 + lower) T_min on" },
  { "upper", RA_AT (RaBiazGap, upper), .def = .25, .max = 10,
      .text = "wireless below (n + 1 + upper) T_min" },
  { "", .table = ra_biaz_gap_params },
  { NULL },
};

const RaLdaOps ra_lda_mbiaz = {
  .name = "mbiaz",
  .cite = "Cen, Cosman, Voelker 2003, III-A",
  .needs = "arrival times",
  .use = "as biaz, with fewer congestion losses misread",
  .size = sizeof (RaBiazGap),
  .params = ra_mbiaz_params,
  .on_packet = ra_biaz_gap_on_packet,
  .observe = ra_biaz_gap_observe,
};
