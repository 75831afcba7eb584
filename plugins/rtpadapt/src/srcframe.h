/* rtpadaptsrc: a late picture is due when it is whole.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "srcpayload.h"

G_BEGIN_DECLS

/* A picture has the time of its first packet, which often left long before a late one came.
 * Video sinks drop pictures that are 5 ms late, unless they are set otherwise, and have the
 * decoder skip as long again (QoS).  So the packets of a frame leave `pad`, the source pad of
 * a jitterbuffer, together, once its marker came.  If the frame is late then, all of them get
 * a time that is as much later.  Late is what comes after the latency of `pad`, or, where
 * another sink of the pipeline has a larger one, after that (event LATENCY).  Nothing but
 * video waits, and only while frames end with the marker.  `payloads` is read now; the pad
 * owns what this needs. */
void src_frame_watch (GstPad *pad, const SrcPayloads *payloads);

G_END_DECLS
