/* Biaz: a loss is wireless if the next packet comes when it should.
 * S. Biaz, N. Vaidya, ASSET 1999, as restated by S. Cen, P. C. Cosman,
 * G. M. Voelker, IEEE/ACM ToN 11(5), 2003, III-A.  See lda/biazgap.c.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <gst/rtpadapt/lda/biazgap.h>

static const RaParam params[] = {
  { "lower", RA_AT (RaBiazGap, lower), .def = -.5, RA_PAPER (0), .min = -1,
      .max = 1, .text = "wireless from (n + 1 + lower) T_min on" },
  { "upper", RA_AT (RaBiazGap, upper), .def = 1, .max = 10,
      .text = "wireless below (n + 1 + upper) T_min" },
  { "", .table = ra_biaz_gap_params },
  { NULL },
};

const RaLdaOps ra_lda_biaz = {
  .name = "biaz",
  .cite = "Biaz, Vaidya 1999 (Cen, Cosman, Voelker 2003, III-A)",
  .needs = "arrival times",
  .use = "one flow on a wireless last hop that is its bottleneck",
  .size = sizeof (RaBiazGap),
  .params = params,
  .on_packet = ra_biaz_gap_on_packet,
  .observe = ra_biaz_gap_observe,
};
