/* When a block of media packets ends, and how many repair packets follow it.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A block is of whole frames as far as they fit: it ends behind a frame when the
 * next one would end later than `span` after the block's first packet came, or in
 * the middle of a frame at `most` packets.  What comes next is expected after the
 * longest of the last INTERVALS times between frames.
 *
 * All repair packets follow the block at once: rtpstorage (GStreamer 1.22) gives
 * rtpulpfecdec nothing but the media packets between two runs of repair packets,
 * and the second run.
 */
#pragma once

#include <gst/rtpadapt/types.h>

G_BEGIN_DECLS

#define RA_BLOCK_INTERVALS 4

typedef struct
{
  RaSpan span; /* 0: a block is a frame */
  guint most;  /* packets */
} RaBlockConfig;

/* Zeroed memory is ready. */
typedef struct
{
  guint n;      /* media packets */
  RaTime began; /* the time of its first frame */
  RaTime frame; /* that of the last one */
  gboolean any; /* there was a frame */
  RaSpan intervals[RA_BLOCK_INTERVALS];
  guint n_intervals; /* so far */
  guint budget;      /* hundredths of repair packets that are due */
  gdouble mean;      /* media packets per block, 0 before the first */
} RaBlock;

/* A media packet of the frame of time `now` came; `end`: the last of its frame.
 * `percentage` repair packets per 100 such packets are wanted, 0..100.  TRUE: the
 * block ends. */
gboolean ra_block_add (RaBlock *b, const RaBlockConfig *cfg, guint percentage,
    gboolean end, RaTime now);
/* The block ends.  Returns the repair packets to be made of it, n at most. */
guint ra_block_end (RaBlock *b);
/* Nothing is to be repaired of what came so far. */
void ra_block_drop (RaBlock *b);

G_END_DECLS
