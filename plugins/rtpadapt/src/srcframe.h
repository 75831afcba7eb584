/* rtpadaptsrc: a late picture is due when it is whole.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "srcpayload.h"

G_BEGIN_DECLS

/* A picture has the time of its first packet, which often left long before a late one came.
 * Video sinks drop pictures that are 5 ms late, unless they are set otherwise, and have the
 * decoder skip as long again (QoS).  So the packets of a frame that leave `pad`, the source
 * pad of a jitterbuffer, go on together, once its marker came; what is late by then is as
 * much later in all of them.  Nothing but video waits, and only while frames end with the
 * marker.  The pad owns what this needs. */
void src_frame_watch (GstPad *pad, const SrcPayloads *payloads);

G_END_DECLS
