/* The colour of a packet, on its way from who decides it to the UDP sink.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Its API has no tags, so that payloaders, rtpsession and srtpenc keep it: a
 * colour stays true whatever becomes of the bytes.
 */
#include "colourmeta.h"

#define NAME "RtpAdaptColourMeta"

GType
rtp_adapt_colour_meta_api_get_type (void)
{
  static gsize type = 0;
  static const gchar *tags[] = { NULL };

  if (g_once_init_enter (&type)) {
    /* Another copy of this file, in a program, may have been faster. */
    GType known = g_type_from_name (NAME "API");

    g_once_init_leave (
        &type, known ? known : gst_meta_api_type_register (NAME "API", tags));
  }
  return type;
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

  if (g_once_init_enter ((GstMetaInfo **) &info)) {
    const GstMetaInfo *known = gst_meta_get_info (NAME);

    if (!known)
      known = gst_meta_register (rtp_adapt_colour_meta_api_get_type (), NAME,
          sizeof (RtpAdaptColourMeta), colour_meta_init, NULL,
          colour_meta_transform);
    g_once_init_leave ((GstMetaInfo **) &info, (GstMetaInfo *) known);
  }
  return info;
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
