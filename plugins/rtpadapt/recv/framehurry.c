/* Whether rtpsession has to answer within a frame, with feedback=twcc.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "framehurry.h"

#include <gst/rtpadapt/feedback/disorder.h>

/* A packet that comes this long after the one before it is answered at once,
 * because the sender may wait for the answer before it sends another. */
#define FRAME_LONE (200 * RA_MSECOND)
/* rtpsession 1.22 counts the intervals since it last answered by one, one by one.
 * Those of this time take it some microseconds. */
#define FRAME_STALE (60 * RA_SECOND)

void
frame_start (FrameHurry *f)
{
  *f = (FrameHurry){ .heard = RA_TIME_NONE,
    .since = RA_TIME_NONE,
    .answered = RA_TIME_NONE,
    .number = -1,
    .wanted = RA_SPAN_NONE,
    .set = RA_SPAN_NONE };
}

RaSpan
frame_let_go (FrameHurry *f)
{
  RaSpan set = f->set;

  f->set = RA_SPAN_NONE;
  return set;
}

/* Some packet between this one and the highest did not come.  A number behind that is
 * a copy's, because packets have no `number` here where some were overtaken.  One far
 * behind begins the numbers again. */
static gboolean
gap_take (FrameHurry *f, gint number)
{
  gint16 ahead = (gint16) (number - f->number);
  gboolean known = f->number >= 0 && number >= 0;

  if (!known || ahead > 0 || ahead < -RA_DISORDER_RING)
    f->number = number;
  return known && ahead > 1;
}

static gboolean
is_older (RaTime time, RaSpan span, RaTime now)
{
  return time != RA_TIME_NONE && ra_diff (now, time) >= span;
}

void
frame_on_packet (FrameHurry *f, gboolean twcc, gboolean timely, gboolean marker,
    gint number, RaTime now)
{
  gboolean lone = is_older (f->heard, FRAME_LONE, now);
  gboolean gap = gap_take (f, number);

  f->heard = now;
  f->untimely |= !timely;
  if (f->since == RA_TIME_NONE)
    f->since = now;
  f->wanted = RA_SPAN_NONE;
  if (twcc && !f->untimely && !marker) {
    if (gap)
      f->wanted = FRAME_GAP;
    else if (!f->framed || lone || ra_diff (now, f->since) >= FRAME_LONG
        || is_older (f->answered, FRAME_STALE, now))
      f->wanted = FRAME_LONG;
  }
  if (f->wanted != RA_SPAN_NONE)
    f->answered = now;
  f->framed |= marker;
  if (marker)
    f->since = RA_TIME_NONE;
}
