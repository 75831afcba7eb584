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

GST_DEBUG_CATEGORY_STATIC (rtphdrextrttsendts_debug);
#define GST_CAT_DEFAULT rtphdrextrttsendts_debug

struct _GstRtpHdrextRttSendts
{
  GstRTPHeaderExtension parent;
};

G_DEFINE_TYPE (GstRtpHdrextRttSendts, gst_rtp_hdrext_rtt_sendts,
    GST_TYPE_RTP_HEADER_EXTENSION)
GST_ELEMENT_REGISTER_DEFINE (rtphdrextrttsendts, "rtphdrextrttsendts",
    GST_RANK_MARGINAL, GST_TYPE_RTP_HDREXT_RTT_SENDTS)

static GstRTPHeaderExtensionFlags
supported_flags (GstRTPHeaderExtension *ext)
{
  return GST_RTP_HEADER_EXTENSION_ONE_BYTE | GST_RTP_HEADER_EXTENSION_TWO_BYTE;
}

static gsize
max_size (GstRTPHeaderExtension *ext, const GstBuffer *input)
{
  return RA_SEND_TS_SIZE;
}

static gssize
ext_write (GstRTPHeaderExtension *ext, const GstBuffer *input,
    GstRTPHeaderExtensionFlags flags, GstBuffer *output, guint8 *data,
    gsize size)
{
  const RaSendTs unknown = { .rtt = 0 };
  gsize written = ra_send_ts_write (&unknown, data, size);

  return written > 0 ? (gssize) written : -1;
}

/* Whoever needs the time reads it when the packet arrives, not here behind the
 * jitterbuffer. */
static gboolean
ext_read (GstRTPHeaderExtension *ext, GstRTPHeaderExtensionFlags flags,
    const guint8 *data, gsize size, GstBuffer *buffer)
{
  RaSendTs ignored;

  if (!ra_send_ts_read (&ignored, data, size))
    GST_DEBUG_OBJECT (ext, "%" G_GSIZE_FORMAT " bytes", size);
  return TRUE;
}

static void
gst_rtp_hdrext_rtt_sendts_class_init (GstRtpHdrextRttSendtsClass *klass)
{
  GstRTPHeaderExtensionClass *ext_class
      = GST_RTP_HEADER_EXTENSION_CLASS (klass);

  GST_DEBUG_CATEGORY_INIT (rtphdrextrttsendts_debug, "rtphdrextrttsendts", 0,
      "RTP header extension rtt-sendts");
  ext_class->get_supported_flags = supported_flags;
  ext_class->get_max_size = max_size;
  ext_class->write = ext_write;
  ext_class->read = ext_read;
  gst_rtp_header_extension_class_set_uri (ext_class, RA_SEND_TS_URI);
  gst_element_class_set_static_metadata (GST_ELEMENT_CLASS (klass),
      "RTP header extension rtt-sendts", GST_RTP_HDREXT_ELEMENT_CLASS,
      "Reserves room for the RTT and the send time (" RA_SEND_TS_URI ")",
      "The gst-rtpadapt developers");
}

static void
gst_rtp_hdrext_rtt_sendts_init (GstRtpHdrextRttSendts *self)
{
}
