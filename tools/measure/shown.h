/* What the viewer saw.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "records.h"

G_BEGIN_DECLS

typedef struct
{
  gint64 from, until; /* frames that entered in [from, until) count */
  guint64 frames_sent, frames_shown;
  gdouble frozen_s, longest_freeze_s;
  guint64 freezes;
  gdouble latency_ms_p50, latency_ms_p95, latency_ms_p99; /* NaN: none shown */
  /* The largest change from a frame to the next, both of them shown; NaN: none. */
  gdouble latency_step_ms;
} Shown;

/* Nothing but the window if the stream was no longer than `warmup`. */
void shown_score (const Records *r, gdouble warmup, Shown *shown);

/* Index in r->shown of what stood on the screen when frame `i` of r->frames
 * should have; -1: nothing yet. */
gint shown_screen (const Records *r, const Shown *shown, guint i);

/* The smallest value that at least `percent` of all do not exceed (nearest
 * rank); sorts; NaN if there are none. */
gdouble shown_percentile (GArray *doubles, guint percent);

G_END_DECLS
