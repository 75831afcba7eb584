/* rtpadaptsink: a sender in one element.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

#define GST_TYPE_RTP_ADAPT_SINK (gst_rtp_adapt_sink_get_type ())
G_DECLARE_FINAL_TYPE (
    GstRtpAdaptSink, gst_rtp_adapt_sink, GST, RTP_ADAPT_SINK, GstBin)

GST_ELEMENT_REGISTER_DECLARE (rtpadaptsink)

G_END_DECLS
