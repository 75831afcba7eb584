/* rtpadaptsend: the colour of each packet, for a network that drops by it.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "parts/colourmeta.h"
#include "sendpriv.h"

#include <gst/rtp/rtp.h>

gboolean
send_colour_use (GstRtpAdaptSend *self, const RaColourOps *ops,
    const gchar *params, GError **error)
{
  RaColour *fresh = ra_colour_new (ops, params, error);

  if (!fresh)
    return FALSE;
  g_clear_pointer (&self->colour, ra_colour_free);
  self->colour = fresh;
  return TRUE;
}

gchar *
send_colour_check (const GstRtpAdaptSend *self)
{
  const RaLdaOps *lda = ra_ldas[self->cfg.lda];
  g_autoptr (GString) choice = g_string_new (NULL);

  if (!self->sender || !lda->colours || !ra_colours[self->cfg.colour]->none)
    return NULL;
  for (guint i = 0; ra_colours[i]; i++) {
    if (!ra_colours[i]->none)
      g_string_append_printf (choice, "%scolour=%s", choice->len ? " or " : "",
          ra_colours[i]->name);
  }
  return g_strdup_printf (
      "lda %s needs %s: set %s", lda->name, lda->needs, choice->str);
}

/* The reader wants every packet of the stream in the order of sending. */
static RaImportance
importance_of (Stream *stream, BacklogItem *item)
{
  GstRTPBuffer rtp = GST_RTP_BUFFER_INIT;
  RaImportance importance;

  if (!stream || stream->kind.codec == RA_CODEC_NONE || item->media == 0
      || !gst_rtp_buffer_map (
          GST_BUFFER_CAST (item->object), GST_MAP_READ, &rtp))
    return RA_IMPORTANCE_UNKNOWN;
  importance
      = ra_importance_read (&stream->reader, gst_rtp_buffer_get_payload (&rtp),
          gst_rtp_buffer_get_payload_len (&rtp), item->timestamp);
  gst_rtp_buffer_unmap (&rtp);
  return importance;
}

RaMark
send_colour_mark (
    GstRtpAdaptSend *self, BacklogItem *item, Stream *stream, RaTime now)
{
  GstBuffer *buffer = GST_BUFFER_CAST (item->object);
  RaColourPacket packet = { .size = item->size, .repair = item->media == 0 };
  RaMark mark;

  if (self->colour->ops->none) {
    mark = rtp_adapt_buffer_get_colour (buffer); /* somebody upstream's */
  } else {
    packet.importance = importance_of (stream, item);
    ra_colour_set_rate (self->colour, ra_sender_rate (self->sender));
    mark = ra_colour_mark (self->colour, &packet, now);
    buffer = gst_buffer_make_writable (buffer);
    rtp_adapt_buffer_set_colour (buffer, mark);
    item->object = GST_MINI_OBJECT_CAST (buffer);
  }
  self->count.mark_packets[mark]++;
  self->count.mark_bytes[mark] += item->size;
  return mark;
}
