/* Whether rtpsession has to answer within a frame, with feedback=twcc.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * rtpsession 1.22 answers when a frame is complete.  About a first frame that the
 * sender paces out for a second, the sender would hear nothing for a second.  An
 * interval makes rtpsession answer meanwhile; it counts that from the first
 * packet.  So the first frame is taken for a long one at once.  So is a frame that
 * begins after a pause, because the rest of it may not come: its first packet is
 * answered, as the interval that began before is over.
 *
 * A packet behind a gap is answered at once, too: the sender repeats what is lost,
 * and the end of the frame is up to 40 ms later, which is often too late for that.
 */
#pragma once

#include <gst/rtpadapt/types.h>

G_BEGIN_DECLS

/* A frame that takes longer is answered meanwhile, so often. */
#define FRAME_LONG (50 * RA_MSECOND)
/* Gaps are answered no more often than that.  Where every other packet is lost each
 * that comes is behind a gap, and as many answers have to leave rtpadaptsrc: 100 and
 * one for each of 25 frames are fewer than the 80 and half of what came that may
 * (answers.h), if more than 90 packets come in a second; if fewer, there are fewer
 * answers, too. */
#define FRAME_GAP (10 * RA_MSECOND)

typedef struct
{
  RaTime heard;      /* the latest packet, or RA_TIME_NONE */
  RaTime since;      /* the first packet behind a marker, or RA_TIME_NONE */
  gboolean framed;   /* a marker came */
  RaTime answered;   /* the latest packet with a `wanted`, or RA_TIME_NONE */
  gint number;       /* transport-wide, the highest; -1: none came */
  gboolean untimely; /* a packet without a running time came */
  RaSpan wanted;     /* how often the session has to answer within frames;
                        RA_SPAN_NONE: not at all */
  RaSpan set;        /* how often it does because of us, or RA_SPAN_NONE */
} FrameHurry;

void frame_start (FrameHurry *f);
/* A packet came, the last of its frame where it has the `marker`.  `number`: its
 * transport-wide one, -1 without one, or where packets overtake each other, so that a gap
 * says nothing.  `timely`: it has a running time; with an interval, rtpsession 1.22
 * would search for its end for ever without one.  `twcc`: rtpsession answers at all. */
void frame_on_packet (FrameHurry *f, gboolean twcc, gboolean timely,
    gboolean marker, gint number, RaTime now);
/* The session is let go.  Returns what was `set` in it. */
RaSpan frame_let_go (FrameHurry *f);

G_END_DECLS
