/* Repair packets as GStreamer's rtpulpfecenc makes them, and what its decoder
 * makes of what arrives.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gst/rtpadapt/types.h>

G_BEGIN_DECLS

typedef struct
{
  gdouble budget; /* carried from frame to frame */
  /* Of frames that are over, from `from` on. */
  RaTime from;
  guint64 media, repair, lost, missing; /* packets; missing: after repair */
  GQueue live;                          /* of SimFrame */
} SimFec;

/* A frame on its way. */
typedef struct
{
  SimFec *fec;
  RaTime time;
  guint n_media, n_repair, left; /* left: of which nothing is known yet */
  gboolean arrived[];            /* media first */
} SimFrame;

/* Frees the frames that are not over. */
void sim_fec_clear (SimFec *fec);
/* A frame of `n` media packets; its repair packets are behind them.  Freed by
 * the last sim_frame_outcome(). */
SimFrame *sim_frame_new (SimFec *fec, guint n, guint percentage, RaTime now);
/* What became of packet `i`.  A NULL `frame` is ignored. */
void sim_frame_outcome (SimFrame *frame, guint i, gboolean arrived);

G_END_DECLS
