/* The Spike scheme's state, for itself and for hybrids.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gst/rtpadapt/lda.h>
#include <gst/rtpadapt/lda/rott.h>
#include <gst/rtpadapt/util/winmin.h>

G_BEGIN_DECLS

typedef struct
{
  RaLda base;
  gdouble alpha, beta, min_range, window, base_window; /* parameters */
  RaRott offset;
  RaWinMin min, max; /* rott_min, minus rott_max; ns */
  gdouble rott;      /* of the latest packet, ns */
  RaTime now;
  gboolean spike; /* in the spike state */
} RaSpike;

/* clang-format off */
#define RA_SPIKE_PARAMS(prefix, at)                                            \
  { prefix "alpha", (at) + G_STRUCT_OFFSET (RaSpike, alpha), 1 / 2., 1 / 2.,   \
      0, 1, "", "share of the rott range where a spike starts" },              \
  { prefix "beta", (at) + G_STRUCT_OFFSET (RaSpike, beta), 1 / 3., 1 / 3., 0,  \
      1, "", "share of the rott range where a spike ends" },                   \
  { prefix "min-range", (at) + G_STRUCT_OFFSET (RaSpike, min_range), .02, 0,   \
      0, 10, "s", "the rott range counts as at least this" },                  \
  { prefix "window", (at) + G_STRUCT_OFFSET (RaSpike, window), 30, 0, 0,       \
      86400, "s", "age of rott_max, 0: the whole connection" },               \
  { prefix "base-window", (at) + G_STRUCT_OFFSET (RaSpike, base_window), 120,  \
      0, 0, 86400, "s", "age of rott_min, 0: the whole connection" }
/* clang-format on */

extern const RaLdaOps ra_lda_spike;

/* rott above rott_min at the latest packet, ns. */
gdouble ra_spike_queue (const RaSpike *s);
/* That is where a spike starts, or more. */
gboolean ra_spike_is_high (const RaSpike *s);

G_END_DECLS
