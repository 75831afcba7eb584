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
 * that there is no colour: #rtpadaptsend writes the colour and its number there
 * when it has decided.  The room has to be there before rtpulpfecenc, whose
 * repair packets cover a packet's length.
 *
 * |[
 * gst-launch-1.0 videotestsrc num-buffers=60 ! vp8enc deadline=1 ! \
 *     rtpvp8pay ! \
 *     "application/x-rtp,extmap-3=urn:x-rtpadapt:rtp-hdrext:colour" ! fakesink
 * ]|
 */
#include "gstrtphdrextcolour.h"

#include <gst/rtpadapt/feedback/colourext.h>

GST_DEBUG_CATEGORY_STATIC (rtphdrextcolour_debug);
#define GST_CAT_DEFAULT rtphdrextcolour_debug

struct _GstRtpHdrextColour
{
  GstRTPHeaderExtension parent;
};

G_DEFINE_TYPE (
    GstRtpHdrextColour, gst_rtp_hdrext_colour, GST_TYPE_RTP_HEADER_EXTENSION)
GST_ELEMENT_REGISTER_DEFINE (rtphdrextcolour, "rtphdrextcolour",
    GST_RANK_MARGINAL, GST_TYPE_RTP_HDREXT_COLOUR)

static GstRTPHeaderExtensionFlags
supported_flags (GstRTPHeaderExtension *ext)
{
  return GST_RTP_HEADER_EXTENSION_ONE_BYTE | GST_RTP_HEADER_EXTENSION_TWO_BYTE;
}

static gsize
max_size (GstRTPHeaderExtension *ext, const GstBuffer *input)
{
  return RA_COLOUR_EXT_SIZE;
}

static gssize
ext_write (GstRTPHeaderExtension *ext, const GstBuffer *input,
    GstRTPHeaderExtensionFlags flags, GstBuffer *output, guint8 *data,
    gsize size)
{
  const RaColourExt none = { .mark = RA_MARK_NONE };
  gsize written = ra_colour_ext_write (&none, data, size);

  return written > 0 ? (gssize) written : -1;
}

/* Whoever counts colours does so when the packet arrives, not here behind the
 * jitterbuffer. */
static gboolean
ext_read (GstRTPHeaderExtension *ext, GstRTPHeaderExtensionFlags flags,
    const guint8 *data, gsize size, GstBuffer *buffer)
{
  RaColourExt ignored;

  if (!ra_colour_ext_read (&ignored, data, size))
    GST_DEBUG_OBJECT (ext, "%" G_GSIZE_FORMAT " bytes", size);
  return TRUE;
}

static void
gst_rtp_hdrext_colour_class_init (GstRtpHdrextColourClass *klass)
{
  GstRTPHeaderExtensionClass *ext_class
      = GST_RTP_HEADER_EXTENSION_CLASS (klass);

  GST_DEBUG_CATEGORY_INIT (rtphdrextcolour_debug, "rtphdrextcolour", 0,
      "RTP header extension colour");
  ext_class->get_supported_flags = supported_flags;
  ext_class->get_max_size = max_size;
  ext_class->write = ext_write;
  ext_class->read = ext_read;
  gst_rtp_header_extension_class_set_uri (ext_class, RA_COLOUR_EXT_URI);
  gst_element_class_set_static_metadata (GST_ELEMENT_CLASS (klass),
      "RTP header extension colour", GST_RTP_HDREXT_ELEMENT_CLASS,
      "Reserves room for the colour and its number (" RA_COLOUR_EXT_URI ")",
      "The gst-rtpadapt developers");
}

static void
gst_rtp_hdrext_colour_init (GstRtpHdrextColour *self)
{
}
