/* rtpadaptsrc: what payload type and number a packet had that was sent again.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

/* An rtprtxreceive that gives back to each packet the payload type that its
 * stream has.  NULL: it is not installed. */
GstElement *src_rtx_receiver (void);
/* Repeats that it dropped because their number is far ahead.  `rtx`: of the above. */
guint64 src_rtx_far (GstElement *rtx);

G_END_DECLS
