/* Header extensions that a payloader only makes room for.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "room.h"

#include <string.h>

G_DEFINE_ABSTRACT_TYPE (
    GstRtpHdrextRoom, gst_rtp_hdrext_room, GST_TYPE_RTP_HEADER_EXTENSION)

static GstRTPHeaderExtensionFlags
supported_flags (GstRTPHeaderExtension *ext)
{
  return GST_RTP_HEADER_EXTENSION_ONE_BYTE | GST_RTP_HEADER_EXTENSION_TWO_BYTE;
}

static gsize
max_size (GstRTPHeaderExtension *ext, const GstBuffer *input)
{
  return GST_RTP_HDREXT_ROOM_GET_CLASS (ext)->size;
}

static gssize
ext_write (GstRTPHeaderExtension *ext, const GstBuffer *input,
    GstRTPHeaderExtensionFlags flags, GstBuffer *output, guint8 *data,
    gsize size)
{
  gsize wanted = max_size (ext, input);

  if (size < wanted)
    return -1;
  memset (data, 0, wanted);
  return (gssize) wanted;
}

/* Whoever needs it reads it when the packet arrives, not here behind the
 * jitterbuffer. */
static gboolean
ext_read (GstRTPHeaderExtension *ext, GstRTPHeaderExtensionFlags flags,
    const guint8 *data, gsize size, GstBuffer *buffer)
{
  return TRUE;
}

void
gst_rtp_hdrext_room_class_setup (GstRtpHdrextRoomClass *klass, const gchar *uri,
    gsize size, const gchar *name, const gchar *description)
{
  klass->size = size;
  gst_rtp_header_extension_class_set_uri (
      GST_RTP_HEADER_EXTENSION_CLASS (klass), uri);
  gst_element_class_set_static_metadata (GST_ELEMENT_CLASS (klass), name,
      GST_RTP_HDREXT_ELEMENT_CLASS, description, "The gst-rtpadapt authors");
}

static void
gst_rtp_hdrext_room_class_init (GstRtpHdrextRoomClass *klass)
{
  GstRTPHeaderExtensionClass *ext_class
      = GST_RTP_HEADER_EXTENSION_CLASS (klass);

  ext_class->get_supported_flags = supported_flags;
  ext_class->get_max_size = max_size;
  ext_class->write = ext_write;
  ext_class->read = ext_read;
}

static void
gst_rtp_hdrext_room_init (GstRtpHdrextRoom *self)
{
}
