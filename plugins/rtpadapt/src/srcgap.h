/* rtpadaptsrc: a hole in front of a repair packet.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

/* rtpjitterbuffer flags (DISCONT) what follows a hole.  Where that is a repair packet
 * rtpptdemux (1.22) drops it, and the depayloader would join what is before the hole to
 * what is behind it, without asking for a key frame.  Of what leaves `pad` the next media
 * packet gets the flag, too. */
void src_gap_watch (GstPad *pad);

G_END_DECLS
