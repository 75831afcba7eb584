/* The LD scheme's state, for itself and for those who guard themselves by it.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gst/rtpadapt/lda/delay.h>
#include <gst/rtpadapt/util/winmin.h>

G_BEGIN_DECLS

typedef struct
{
  RaLda base;
  gdouble qthresh, min_range, window, base_window; /* parameters */
  RaDelay delay;
  RaWinMin min, max; /* RTTmin, minus RTTmax; ns */
  gdouble rtt;       /* the last one */
  RaTime now;
} RaLd;

/* clang-format off */
#define RA_LD_PARAMS(prefix, at)                                               \
  { prefix "qthresh", (at) + G_STRUCT_OFFSET (RaLd, qthresh), .5, .5, 0, 1,    \
      "", "share of the longest queueing delay where congestion begins" },     \
  { prefix "min-range", (at) + G_STRUCT_OFFSET (RaLd, min_range), .02, 0, 0,   \
      10, "s", "RTTmax - RTTmin counts as at least this" },                    \
  { prefix "window", (at) + G_STRUCT_OFFSET (RaLd, window), 30, 0, 0, 86400,   \
      "s", "age of RTTmax, 0: the whole connection" },                         \
  { prefix "base-window", (at) + G_STRUCT_OFFSET (RaLd, base_window), 600, 0,  \
      0, 86400, "s", "age of RTTmin, 0: the whole connection" }
/* clang-format on */

extern const RaLdaOps ra_lda_ld;

/* Equation 7 holds for the latest packet. */
gboolean ra_ld_is_congested (const RaLd *l);

G_END_DECLS
