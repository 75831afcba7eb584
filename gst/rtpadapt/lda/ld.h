/* The LD scheme's state, for itself and for those who guard themselves by it.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gst/rtpadapt/lda/base.h>
#include <gst/rtpadapt/lda/delay.h>
#include <gst/rtpadapt/util/winmin.h>

G_BEGIN_DECLS

typedef struct
{
  RaLda base;
  gdouble qthresh, min_range, window, base_window; /* parameters */
  RaDelay delay;
  RaLdaBase min; /* RTTmin, ns */
  RaWinMin max;  /* minus RTTmax, ns */
  gdouble rtt;   /* the last one */
  RaTime now;
} RaLd;

extern const RaParam ra_ld_params[];

extern const RaLdaOps ra_lda_ld;

/* Equation 7 holds for the latest packet. */
gboolean ra_ld_is_congested (const RaLd *l);

G_END_DECLS
