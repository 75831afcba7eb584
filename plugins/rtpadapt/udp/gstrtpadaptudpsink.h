/* rtpadaptudpsink: UDP with a DSCP and ECN bits per packet.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gio/gio.h>
#include <gst/base/gstbasesink.h>

#include "parts/props.h"

G_BEGIN_DECLS

#define GST_TYPE_RTP_ADAPT_UDP_SINK (gst_rtp_adapt_udp_sink_get_type ())
G_DECLARE_FINAL_TYPE (GstRtpAdaptUdpSink, gst_rtp_adapt_udp_sink, GST,
    RTP_ADAPT_UDP_SINK, GstBaseSink)

/* Where packets go to, once `host` was looked up: from READY on.  NULL: it is not
 * known.  (transfer full) */
GSocketAddress *rtp_adapt_udp_sink_get_destination (GstRtpAdaptUdpSink *sink);

GST_ELEMENT_REGISTER_DECLARE (rtpadaptudpsink)

/* The properties; rtpadaptsink has some of them, too. */
extern const PropRow udp_sink_props[];

G_END_DECLS
