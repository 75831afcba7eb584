/* rtpadaptfecdec: brings packets back by the Reed-Solomon code.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "parts/fields.h"

#include <gst/gst.h>

G_BEGIN_DECLS

#define GST_TYPE_RTP_ADAPT_FEC_DEC (gst_rtp_adapt_fec_dec_get_type ())
G_DECLARE_FINAL_TYPE (GstRtpAdaptFecDec, gst_rtp_adapt_fec_dec, GST,
    RTP_ADAPT_FEC_DEC, GstElement)

/* Media packets of that SSRC that were brought back. */
guint64 rtp_adapt_fec_dec_recovered (GstRtpAdaptFecDec *self, guint32 ssrc);
/* The same; from now on they count from 0. */
guint64 rtp_adapt_fec_dec_take_recovered (
    GstRtpAdaptFecDec *self, guint32 ssrc);

GST_ELEMENT_REGISTER_DECLARE (rtpadaptfecdec)
/* Of its statistics. */
extern const Field fec_dec_fields[];

G_END_DECLS
