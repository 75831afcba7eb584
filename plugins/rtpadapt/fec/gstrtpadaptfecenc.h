/* rtpadaptfecenc: repair packets over several frames.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "parts/fields.h"

#include <gst/gst.h>

G_BEGIN_DECLS

#define GST_TYPE_RTP_ADAPT_FEC_ENC (gst_rtp_adapt_fec_enc_get_type ())
G_DECLARE_FINAL_TYPE (GstRtpAdaptFecEnc, gst_rtp_adapt_fec_enc, GST,
    RTP_ADAPT_FEC_ENC, GstElement)

GST_ELEMENT_REGISTER_DECLARE (rtpadaptfecenc)
/* Of its statistics. */
extern const Field fec_enc_fields[];

G_END_DECLS
