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
  gdouble alpha, witness, many; /* parameters */
  RaRott offset;
  gdouble rott;      /* of the latest packet; ns */
  gdouble mean, dev; /* rott_mean, rott_dev; ns */
} RaZigzag;

extern const RaParam ra_zigzag_params[];

extern const RaLdaOps ra_lda_zigzag;

G_END_DECLS
