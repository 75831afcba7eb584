/* How much an encoder has made.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

typedef struct
{
  guint64 frames, bytes; /* that left its pad "src" */
} EncoderMade;

/* Since the first call for this encoder; any thread may call.  Zero where it has no
 * pad "src". */
EncoderMade encoder_made (GstElement *encoder);

G_END_DECLS
