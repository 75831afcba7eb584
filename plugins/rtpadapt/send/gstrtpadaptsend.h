/* rtpadaptsend: paces RTP, estimates the bitrate, drives the encoder.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gst/gst.h>

#include "parts/props.h"

G_BEGIN_DECLS

#define GST_TYPE_RTP_ADAPT_SEND (gst_rtp_adapt_send_get_type ())
G_DECLARE_FINAL_TYPE (
    GstRtpAdaptSend, gst_rtp_adapt_send, GST, RTP_ADAPT_SEND, GstElement)

GST_ELEMENT_REGISTER_DECLARE (rtpadaptsend)

/* Packets go to another receiver from now on.  What the one before said of itself, and
 * asked for, is forgotten, and with the next packet a key frame is asked for.  Any thread
 * may call it. */
void rtp_adapt_send_new_receiver (GstRtpAdaptSend *self);

/* A pad upstream is about to be deactivated (`goes`), and was: meanwhile no serialized query
 * waits for packets that may never leave, as where a sink downstream is paused. */
void rtp_adapt_send_pad_goes (GstRtpAdaptSend *self, gboolean goes);

/* The properties; rtpadaptsink has them, too. */
extern const PropRow send_props[];

G_END_DECLS
