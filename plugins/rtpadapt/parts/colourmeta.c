/* The colour of a packet, on its way from who decides it to the UDP sink.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Its API has no tags, so that payloaders, rtpsession and srtpenc keep it: a
 * colour stays true whatever becomes of the bytes.
 */
#include "colourmeta.h"

#include "metatype.h"

#define NAME "RtpAdaptColourMeta"

GType
rtp_adapt_colour_meta_api_get_type (void)
{
  static gsize type = 0;

  return meta_type_api (&type, NAME "API");
}

static gboolean
colour_meta_init (GstMeta *meta, gpointer params, GstBuffer *buffer)
{
  ((RtpAdaptColourMeta *) meta)->mark = RA_MARK_NONE;
  return TRUE;
}

/* Whatever the transformation, what comes out of the packet has its colour. */
static gboolean
colour_meta_transform (
    GstBuffer *to, GstMeta *meta, GstBuffer *from, GQuark type, gpointer data)
{
  rtp_adapt_buffer_set_colour (to, ((RtpAdaptColourMeta *) meta)->mark);
  return TRUE;
}

const GstMetaInfo *
rtp_adapt_colour_meta_get_info (void)
{
  static const GstMetaInfo *info = NULL;

  return meta_type_info (&info, rtp_adapt_colour_meta_api_get_type (), NAME,
      sizeof (RtpAdaptColourMeta), colour_meta_init, colour_meta_transform);
}

static RtpAdaptColourMeta *
colour_meta_find (GstBuffer *buffer)
{
  return (RtpAdaptColourMeta *) gst_buffer_get_meta (
      buffer, rtp_adapt_colour_meta_api_get_type ());
}

void
rtp_adapt_buffer_set_colour (GstBuffer *buffer, RaMark mark)
{
  RtpAdaptColourMeta *meta = colour_meta_find (buffer);

  if (!meta)
    meta = (RtpAdaptColourMeta *) gst_buffer_add_meta (
        buffer, rtp_adapt_colour_meta_get_info (), NULL);
  meta->mark = mark;
}

RaMark
rtp_adapt_buffer_get_colour (GstBuffer *buffer)
{
  RtpAdaptColourMeta *meta = colour_meta_find (buffer);

  return meta ? meta->mark : RA_MARK_NONE;
}
