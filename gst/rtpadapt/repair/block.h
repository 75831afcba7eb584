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
#define RA_BLOCK_SPAN (160 * RA_MSECOND)

typedef struct
{
  RaSpan span; /* 0: a block is a frame */
  guint most;  /* packets */
} RaFecBlockConfig;

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
  gdouble mean,
      dev; /* media packets per block, and their mean deviation; 0 before
                        the first */
} RaFecBlock;

/* The span that a block may have where the receiver holds packets for `latency`,
 * `jitter` of it for the path and its queue: its repair packets wait like others before
 * they leave, 95 % of them for less than `wait`.  A longer span than RA_BLOCK_SPAN gains
 * little, and a block is two frames at least, as far as the latency without the wait
 * allows: with one the code costs more than late packets do. */
RaSpan ra_block_span (RaSpan latency, RaSpan jitter, RaSpan wait, RaSpan frame);

/* A media packet of the frame of time `now` came; `end`: the last of its frame.
 * `percentage` repair packets per 100 such packets are wanted, 0..100.  TRUE: the
 * block ends. */
gboolean ra_block_add (RaFecBlock *b, const RaFecBlockConfig *cfg,
    guint percentage, gboolean end, RaTime now);
/* The block ends.  Returns the repair packets to be made of it, n at most. */
guint ra_block_end (RaFecBlock *b);
/* The media packets of a small block, 0 before the first: the mean less the mean
 * deviation.  Small ones leave most missing, and decide what is left of all. */
guint ra_block_packets (const RaFecBlock *b);
/* Nothing is to be repaired of what came so far. */
void ra_block_drop (RaFecBlock *b);

G_END_DECLS
