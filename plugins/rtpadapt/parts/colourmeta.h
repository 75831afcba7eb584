/* The colour of a packet, on its way from who decides it to the UDP sink.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gst/gst.h>
#include <gst/rtpadapt/types.h>

G_BEGIN_DECLS

typedef struct
{
  GstMeta meta;
  RaMark mark;
} RtpAdaptColourMeta;

GType rtp_adapt_colour_meta_api_get_type (void);
const GstMetaInfo *rtp_adapt_colour_meta_get_info (void);

/* Replaces the colour that `buffer`, which must be writable, had. */
void rtp_adapt_buffer_set_colour (GstBuffer *buffer, RaMark mark);
/* RA_MARK_NONE if it has none. */
RaMark rtp_adapt_buffer_get_colour (GstBuffer *buffer);

G_END_DECLS
