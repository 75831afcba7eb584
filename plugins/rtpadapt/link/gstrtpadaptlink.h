/* rtpadaptlink: a modelled network path on the pipeline's clock.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

#define GST_TYPE_RTP_ADAPT_LINK (gst_rtp_adapt_link_get_type ())
G_DECLARE_FINAL_TYPE (
    GstRtpAdaptLink, gst_rtp_adapt_link, GST, RTP_ADAPT_LINK, GstElement)

GST_ELEMENT_REGISTER_DECLARE (rtpadaptlink)

G_END_DECLS
