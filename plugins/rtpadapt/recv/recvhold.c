/* rtpadaptrecv: when the sender hears how long packets are held here.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "recvhold.h"

#define AGAIN RA_SECOND
/* L falls by RA_PLAYOUT_DOWN, 2 ms, a frame, so that each such step is said. */
#define CHANGE RA_MSECOND

RaRadpHold
recv_hold_of (guint64 now, guint64 most, guint64 least)
{
  most = MAX (now, most);
  return (RaRadpHold){ (RaSpan) now, (RaSpan) most,
    (RaSpan) (least <= now ? least : most) };
}

gboolean
recv_hold_due (RecvHold *h, const RaRadpHold *hold, RaTime now)
{
  if (hold->now <= 0
      || (now < h->again && ABS (hold->now - h->said.now) < CHANGE
          && hold->most == h->said.most && hold->least == h->said.least))
    return FALSE;
  h->said = *hold;
  h->again = ra_later (now, AGAIN);
  return TRUE;
}
