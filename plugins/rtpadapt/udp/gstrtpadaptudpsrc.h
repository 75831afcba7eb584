/* rtpadaptudpsrc: UDP with time of arrival, sender and TOS per packet.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gst/base/gstpushsrc.h>

G_BEGIN_DECLS

#define GST_TYPE_RTP_ADAPT_UDP_SRC (gst_rtp_adapt_udp_src_get_type ())
G_DECLARE_FINAL_TYPE (GstRtpAdaptUdpSrc, gst_rtp_adapt_udp_src, GST,
    RTP_ADAPT_UDP_SRC, GstPushSrc)

GST_ELEMENT_REGISTER_DECLARE (rtpadaptudpsrc)

G_END_DECLS
