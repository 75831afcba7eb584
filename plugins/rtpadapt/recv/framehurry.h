/* Whether rtpsession has to answer within a frame, with feedback=twcc.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * rtpsession 1.22 answers when a frame is complete.  About a first frame that the
 * sender paces out for a second, the sender would hear nothing for a second.  An
 * interval makes rtpsession answer meanwhile; it counts that from the first
 * packet.  So the first frame is taken for a long one at once.  So is a frame that
 * begins after a pause, because the rest of it may not come: its first packet is
 * answered, as the interval that began before is over.
 */
#pragma once

#include <gst/rtpadapt/types.h>

G_BEGIN_DECLS

/* A frame that takes longer is answered meanwhile, so often. */
#define FRAME_LONG (50 * RA_MSECOND)

typedef struct
{
  RaTime heard;      /* the latest packet, or RA_TIME_NONE */
  RaTime since;      /* the first packet behind a marker, or RA_TIME_NONE */
  gboolean framed;   /* a marker came */
  gboolean untimely; /* a packet without a running time came */
  gboolean wanted;   /* the session has to answer within frames */
  gboolean set;      /* it does, because of us */
} FrameHurry;

void frame_start (FrameHurry *f);
/* A packet came, the last of its frame where it has the `marker`.  `timely`: it
 * has a running time; with an interval, rtpsession 1.22 would search for its end
 * for ever without one.  `twcc`: rtpsession answers at all. */
void frame_on_packet (
    FrameHurry *f, gboolean twcc, gboolean timely, gboolean marker, RaTime now);

G_END_DECLS
