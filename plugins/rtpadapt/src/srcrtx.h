/* rtpadaptsrc: what an rtpjitterbuffer asks for again, and when.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

/* Sees to what an rtpjitterbuffer asks for again. */
void src_rtx_watch (GstElement *jitterbuffer);

G_END_DECLS
