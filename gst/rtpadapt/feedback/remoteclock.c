/* A clock of the receiver's that wraps.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <gst/rtpadapt/feedback/remoteclock.h>

/* No path delays one packet this much more than the one before: the receiver's
 * clock began again.  Just below the range of a delta of twcc. */
#define EPOCH (8 * RA_SECOND)

RaTime
ra_remote_clock_unwrap (
    RaRemoteClock *c, RaTime remote, RaSpan wrap, RaTime sent)
{
  RaSpan step = (RaSpan) (remote - c->raw) % wrap;
  RaSpan sent_step = ra_diff (sent, c->sent);

  if (!c->started) {
    c->started = TRUE;
    c->arrival = (RaTime) wrap; /* far from 0, so that early packets fit */
  } else {
    if (step >= wrap / 2)
      step -= wrap;
    else if (step < -wrap / 2)
      step += wrap;
    if (c->other || ABS (step - sent_step) > EPOCH)
      step = sent_step;
    c->arrival = ra_later (c->arrival, step);
  }
  c->other = FALSE;
  c->raw = remote;
  c->sent = sent;
  return c->arrival;
}
