/* rtpadaptrecv: when the sender hears how long packets are held here.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gst/rtpadapt/feedback/radp.h>

G_BEGIN_DECLS

typedef struct
{
  RaRadpHold said; /* what it heard last */
  RaTime again;    /* when it hears the same once more */
} RecvHold;

/* The hold as the sender hears it, from ns.  A `most` below `now`, as 0, counts as `now`.
 * A `least` above `now` means that it is not followed: the sender hears `most` for it. */
RaRadpHold recv_hold_of (guint64 now, guint64 most, guint64 least);
/* TRUE if the RTCP packet that leaves now should say `hold`: it is another one by a
 * millisecond or more, or a second is over, as RTCP is lost.  It counts as said.  A
 * hold of 0 is never said. */
gboolean recv_hold_due (RecvHold *h, const RaRadpHold *hold, RaTime now);

G_END_DECLS
