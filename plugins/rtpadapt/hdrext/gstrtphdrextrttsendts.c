/* rtphdrextrttsendts: room for the header extension rtt-sendts.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/**
 * SECTION:element-rtphdrextrttsendts
 * @title: rtphdrextrttsendts
 * @short_description: room for the header extension rtt-sendts
 *
 * A payloader makes one of these when its caps have an `extmap-N` with the URI
 * of rtt-sendts (draft-ietf-avt-tfrc-profile-10, section 5).  It only reserves
 * the 7 bytes, and says that the RTT is unknown: #rtpadaptsend writes the RTT
 * and the time there when it sends the packet.  The room has to be there before
 * rtpulpfecenc, whose repair packets cover a packet's length.
 *
 * |[
 * gst-launch-1.0 videotestsrc num-buffers=60 ! x264enc tune=zerolatency ! \
 *     rtph264pay ! \
 *     "application/x-rtp,extmap-2=urn:ietf:params:rtp-hdrext:rtt-sendts" ! \
 *     fakesink
 * ]|
 */
#include "gstrtphdrextrttsendts.h"

#include <gst/rtpadapt/feedback/tfrcfb.h>

struct _GstRtpHdrextRttSendts
{
  GstRtpHdrextRoom parent;
};

G_DEFINE_TYPE (
    GstRtpHdrextRttSendts, gst_rtp_hdrext_rtt_sendts, GST_TYPE_RTP_HDREXT_ROOM)
GST_ELEMENT_REGISTER_DEFINE (rtphdrextrttsendts, "rtphdrextrttsendts",
    GST_RANK_MARGINAL, GST_TYPE_RTP_HDREXT_RTT_SENDTS)

static void
gst_rtp_hdrext_rtt_sendts_class_init (GstRtpHdrextRttSendtsClass *klass)
{
  gst_rtp_hdrext_room_class_setup (GST_RTP_HDREXT_ROOM_CLASS (klass),
      RA_SEND_TS_URI, RA_SEND_TS_SIZE, "RTP header extension rtt-sendts",
      "Reserves room for the RTT and the send time (" RA_SEND_TS_URI ")");
}

static void
gst_rtp_hdrext_rtt_sendts_init (GstRtpHdrextRttSendts *self)
{
}
