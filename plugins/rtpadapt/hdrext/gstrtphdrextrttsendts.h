/* rtphdrextrttsendts: room for the header extension rtt-sendts.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "room.h"

G_BEGIN_DECLS

#define GST_TYPE_RTP_HDREXT_RTT_SENDTS (gst_rtp_hdrext_rtt_sendts_get_type ())
G_DECLARE_FINAL_TYPE (GstRtpHdrextRttSendts, gst_rtp_hdrext_rtt_sendts, GST,
    RTP_HDREXT_RTT_SENDTS, GstRtpHdrextRoom)

GST_ELEMENT_REGISTER_DECLARE (rtphdrextrttsendts)

G_END_DECLS
