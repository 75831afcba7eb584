/* rtpadaptsrc: receives adaptive RTP off the network, ready to be decoded.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

#define GST_TYPE_RTP_ADAPT_SRC (gst_rtp_adapt_src_get_type ())
G_DECLARE_FINAL_TYPE (
    GstRtpAdaptSrc, gst_rtp_adapt_src, GST, RTP_ADAPT_SRC, GstBin)

GST_ELEMENT_REGISTER_DECLARE (rtpadaptsrc)

G_END_DECLS
