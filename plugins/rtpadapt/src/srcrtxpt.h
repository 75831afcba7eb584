/* rtpadaptsrc: what payload type a packet had that was sent again.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

/* An rtprtxreceive that gives back to each packet the payload type that its
 * stream has.  NULL: it is not installed. */
GstElement *src_rtx_receiver (void);

G_END_DECLS
