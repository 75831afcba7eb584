/* rtpadaptrecv: watches RTP arrive and reports to the sender.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gst/gst.h>

#include "parts/props.h"

G_BEGIN_DECLS

#define GST_TYPE_RTP_ADAPT_RECV (gst_rtp_adapt_recv_get_type ())
G_DECLARE_FINAL_TYPE (
    GstRtpAdaptRecv, gst_rtp_adapt_recv, GST, RTP_ADAPT_RECV, GstElement)

GST_ELEMENT_REGISTER_DECLARE (rtpadaptrecv)

/* The properties; rtpadaptsrc has some of them, too. */
extern const PropRow recv_props[];

/* To be called before the element starts.  The sender then hears what this receiver takes,
 * even if that is nothing; else it would believe that the receiver cannot say. */
void rtp_adapt_recv_say_takes (GstRtpAdaptRecv *self);

G_END_DECLS
