/* The ECN field that a packet must leave with, on its way from the element that
 * decides it to the UDP sink.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Its API has no tags, so that payloaders, rtpsession and srtpenc keep it, as they
 * do a colour (colourmeta.c).
 */
#include "ecnmeta.h"

#include "metatype.h"

#define NAME "RtpAdaptEcnMeta"

GType
rtp_adapt_ecn_meta_api_get_type (void)
{
  static gsize type = 0;

  return meta_type_api (&type, NAME "API");
}

static gboolean
ecn_meta_init (GstMeta *meta, gpointer params, GstBuffer *buffer)
{
  ((RtpAdaptEcnMeta *) meta)->field = RA_ECN_UNSAID;
  return TRUE;
}

/* Whatever the transformation, what comes out of the packet leaves like it. */
static gboolean
ecn_meta_transform (
    GstBuffer *to, GstMeta *meta, GstBuffer *from, GQuark type, gpointer data)
{
  rtp_adapt_buffer_set_ecn (to, ((RtpAdaptEcnMeta *) meta)->field);
  return TRUE;
}

const GstMetaInfo *
rtp_adapt_ecn_meta_get_info (void)
{
  static const GstMetaInfo *info = NULL;

  return meta_type_info (&info, rtp_adapt_ecn_meta_api_get_type (), NAME,
      sizeof (RtpAdaptEcnMeta), ecn_meta_init, ecn_meta_transform);
}

static RtpAdaptEcnMeta *
ecn_meta_find (GstBuffer *buffer)
{
  return (RtpAdaptEcnMeta *) gst_buffer_get_meta (
      buffer, rtp_adapt_ecn_meta_api_get_type ());
}

void
rtp_adapt_buffer_set_ecn (GstBuffer *buffer, RaEcnField field)
{
  RtpAdaptEcnMeta *meta = ecn_meta_find (buffer);

  if (!meta)
    meta = (RtpAdaptEcnMeta *) gst_buffer_add_meta (
        buffer, rtp_adapt_ecn_meta_get_info (), NULL);
  meta->field = field;
}

RaEcnField
rtp_adapt_buffer_get_ecn (GstBuffer *buffer)
{
  RtpAdaptEcnMeta *meta = ecn_meta_find (buffer);

  return meta ? meta->field : RA_ECN_UNSAID;
}
