/* rtphdrextcolour: room for the header extension with the colour.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "room.h"

G_BEGIN_DECLS

#define GST_TYPE_RTP_HDREXT_COLOUR (gst_rtp_hdrext_colour_get_type ())
G_DECLARE_FINAL_TYPE (GstRtpHdrextColour, gst_rtp_hdrext_colour, GST,
    RTP_HDREXT_COLOUR, GstRtpHdrextRoom)

GST_ELEMENT_REGISTER_DECLARE (rtphdrextcolour)

G_END_DECLS
