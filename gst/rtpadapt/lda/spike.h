/* The Spike scheme's state, for itself and for hybrids.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gst/rtpadapt/lda.h>
#include <gst/rtpadapt/lda/base.h>
#include <gst/rtpadapt/lda/rott.h>
#include <gst/rtpadapt/util/winmin.h>

G_BEGIN_DECLS

typedef struct
{
  RaLda base;
  gdouble alpha, beta, min_range, window, base_window; /* parameters */
  RaRott offset;
  RaLdaBase min; /* rott_min, ns */
  RaWinMin max;  /* minus rott_max, ns */
  gdouble rott;  /* of the latest packet, ns */
  RaTime now;
  gboolean spike; /* in the spike state */
} RaSpike;

extern const RaParam ra_spike_params[];

extern const RaLdaOps ra_lda_spike;

/* rott above rott_min at the latest packet, ns. */
gdouble ra_spike_queue (const RaSpike *s);
/* That is where a spike starts, or more. */
gboolean ra_spike_is_high (const RaSpike *s);

G_END_DECLS
