/* Whether rtpsession has to answer within a frame, with feedback=twcc.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "framehurry.h"

/* A packet that comes this long after the one before it is answered at once,
 * because the sender may wait for the answer before it sends another. */
#define FRAME_LONE (200 * RA_MSECOND)

void
frame_start (FrameHurry *f)
{
  *f = (FrameHurry){ .heard = RA_TIME_NONE, .since = RA_TIME_NONE };
}

void
frame_on_packet (
    FrameHurry *f, gboolean twcc, gboolean timely, gboolean marker, RaTime now)
{
  gboolean lone
      = f->heard != RA_TIME_NONE && ra_diff (now, f->heard) >= FRAME_LONE;

  f->heard = now;
  f->untimely |= !timely;
  if (f->since == RA_TIME_NONE)
    f->since = now;
  f->wanted = twcc && !f->untimely && !marker
      && (!f->framed || lone || ra_diff (now, f->since) >= FRAME_LONG);
  f->framed |= marker;
  if (marker)
    f->since = RA_TIME_NONE;
}
