/* The ZigZag scheme's state, for itself and for hybrids.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gst/rtpadapt/lda.h>
#include <gst/rtpadapt/lda/rott.h>

G_BEGIN_DECLS

typedef struct
{
  RaLda base;
  gdouble alpha; /* parameter */
  RaRott offset;
  gdouble mean, dev; /* rott_mean, rott_dev; ns */
} RaZigzag;

/* clang-format off */
#define RA_ZIGZAG_PARAMS(prefix, at)                                           \
  { prefix "alpha", (at) + G_STRUCT_OFFSET (RaZigzag, alpha), 1 / 32.,         \
      1 / 32., 0, .5, "", "weight of a new rott in rott_mean" }
/* clang-format on */

extern const RaLdaOps ra_lda_zigzag;

G_END_DECLS
