/* rtphdrextcolour: room for the header extension with the colour.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/**
 * SECTION:element-rtphdrextcolour
 * @title: rtphdrextcolour
 * @short_description: room for the header extension with the colour
 *
 * A payloader makes one of these when its caps have an `extmap-N` with
 * `urn:x-rtpadapt:rtp-hdrext:colour`.  It only reserves the 2 bytes, and says
 * that the packet has no colour: #rtpadaptsend writes the colour and its number
 * there when it has decided.  The room has to be there before rtpulpfecenc,
 * whose repair packets cover a packet's length.
 *
 * |[
 * gst-launch-1.0 videotestsrc num-buffers=60 ! vp8enc deadline=1 ! \
 *     rtpvp8pay ! \
 *     "application/x-rtp,extmap-3=urn:x-rtpadapt:rtp-hdrext:colour" ! fakesink
 * ]|
 */
#include "gstrtphdrextcolour.h"

#include <gst/rtpadapt/feedback/colourext.h>

struct _GstRtpHdrextColour
{
  GstRtpHdrextRoom parent;
};

G_DEFINE_TYPE (
    GstRtpHdrextColour, gst_rtp_hdrext_colour, GST_TYPE_RTP_HDREXT_ROOM)
GST_ELEMENT_REGISTER_DEFINE (rtphdrextcolour, "rtphdrextcolour",
    GST_RANK_MARGINAL, GST_TYPE_RTP_HDREXT_COLOUR)

static void
gst_rtp_hdrext_colour_class_init (GstRtpHdrextColourClass *klass)
{
  gst_rtp_hdrext_room_class_setup (GST_RTP_HDREXT_ROOM_CLASS (klass),
      RA_COLOUR_EXT_URI, RA_COLOUR_EXT_SIZE, "RTP header extension colour",
      "Reserves room for the colour and its number (" RA_COLOUR_EXT_URI ")");
}

static void
gst_rtp_hdrext_colour_init (GstRtpHdrextColour *self)
{
}
