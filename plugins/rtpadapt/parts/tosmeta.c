/* The type-of-service octet that a packet came with: DSCP and ECN bits.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "tosmeta.h"

#include "metatype.h"

#define NAME "RtpAdaptTosMeta"

GType
rtp_adapt_tos_meta_api_get_type (void)
{
  static gsize type = 0;

  return meta_type_api (&type, NAME "API");
}

static gboolean
tos_meta_init (GstMeta *meta, gpointer params, GstBuffer *buffer)
{
  ((RtpAdaptTosMeta *) meta)->tos = 0;
  return TRUE;
}

/* srtpdec's output is still the packet that came. */
static gboolean
tos_meta_transform (
    GstBuffer *to, GstMeta *meta, GstBuffer *from, GQuark type, gpointer data)
{
  if (rtp_adapt_buffer_get_tos (to) < 0)
    rtp_adapt_buffer_add_tos (to, ((RtpAdaptTosMeta *) meta)->tos);
  return TRUE;
}

const GstMetaInfo *
rtp_adapt_tos_meta_get_info (void)
{
  static const GstMetaInfo *info = NULL;

  return meta_type_info (&info, rtp_adapt_tos_meta_api_get_type (), NAME,
      sizeof (RtpAdaptTosMeta), tos_meta_init, tos_meta_transform);
}

void
rtp_adapt_buffer_add_tos (GstBuffer *buffer, guint8 tos)
{
  RtpAdaptTosMeta *meta = (RtpAdaptTosMeta *) gst_buffer_add_meta (
      buffer, rtp_adapt_tos_meta_get_info (), NULL);

  meta->tos = tos;
}

gint
rtp_adapt_buffer_get_tos (GstBuffer *buffer)
{
  RtpAdaptTosMeta *meta = (RtpAdaptTosMeta *) gst_buffer_get_meta (
      buffer, rtp_adapt_tos_meta_api_get_type ());

  return meta ? meta->tos : -1;
}
