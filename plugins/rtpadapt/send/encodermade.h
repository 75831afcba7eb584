/* How much an encoder has made.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gst/gst.h>
#include <gst/rtpadapt/rate/lead.h>

G_BEGIN_DECLS

/* What has left its pad "src" since the first call for this encoder; any thread may
 * call.  Zero where it has no such pad. */
RaMade encoder_made (GstElement *encoder);

G_END_DECLS
