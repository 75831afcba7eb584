/* The way of a packet through rtpadaptsend.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "way.h"

#include "parts/colourmeta.h"
#include "parts/ecnmeta.h"

#include <gst/rtp/rtp.h>
#include <gst/rtpadapt/util/bytes.h>

#include <string.h>

#define EXT_HEAD 4 /* RFC 3550 5.3.1 */
/* RTCP packet types, RFC 3550 12.1: a payload type that looks like one is RTCP */
#define RTCP_FIRST 200
#define RTCP_LAST 204

void
way_start (Way *w)
{
  w->in = w->out = (SendExt){ 0 };
  w->parses = w->not_rtp = w->plain = w->malformed = 0;
  memset (w->mark_packets, 0, sizeof w->mark_packets);
  memset (w->mark_bytes, 0, sizeof w->mark_bytes);
}

void
way_stop (Way *w)
{
  g_clear_pointer (&w->colour, ra_colour_free);
  streams_clear (&w->streams);
}

gboolean
way_set_colour (
    Way *w, const RaColourOps *ops, const gchar *params, GError **error)
{
  RaColour *fresh = ra_colour_new (ops, params, error);

  if (!fresh)
    return FALSE;
  g_clear_pointer (&w->colour, ra_colour_free);
  w->colour = fresh;
  return TRUE;
}

gboolean
way_on_caps_in (Way *w, GstCaps *caps)
{
  send_ext_set_caps (&w->in, gst_caps_get_structure (caps, 0));
  return streams_on_caps (&w->streams, caps);
}

void
way_on_caps_out (Way *w, GstCaps *caps)
{
  send_ext_set_caps (&w->out, gst_caps_get_structure (caps, 0));
}

/* --- in ------------------------------------------------------------------- */

/* The bytes of fixed header, CSRCs and extension, 0 if it is not RTP; `n` are
 * there. */
static gsize
header_size (const guint8 *bytes, gsize n)
{
  gsize size = RA_RTP_HEADER;

  if (n < size || bytes[0] >> 6 != 2
      || (bytes[1] >= RTCP_FIRST && bytes[1] <= RTCP_LAST))
    return 0;
  size += (bytes[0] & 15u) * 4;
  if (bytes[0] & 0x10) {
    if (n < size + EXT_HEAD)
      return 0;
    size += EXT_HEAD + ra_get_u16 (bytes + size + 2) * 4u;
  }
  return size <= n ? size : 0;
}

/* FALSE: the last byte says that there is more padding than there is room for. */
static gboolean
padding_read (GstBuffer *buffer, gsize size, gsize header, gsize *padding)
{
  guint8 last = 0;

  gst_buffer_extract (buffer, size - 1, &last, 1);
  *padding = last;
  return header + last <= size;
}

/* `bytes`: the first `n` of the packet, the header among them. */
static gboolean
header_take (Way *w, const guint8 *bytes, gsize n, BacklogItem *item)
{
  GstBuffer *buffer = GST_BUFFER_CAST (item->object);
  gsize size = item->size, padding = 0;
  gsize header = header_size (bytes, n);

  if (header == 0
      || ((bytes[0] & 0x20) && !padding_read (buffer, size, header, &padding)))
    return FALSE;
  item->marker = bytes[1] >> 7;
  item->payload_type = bytes[1] & 0x7f;
  item->seq = ra_get_u16 (bytes + 2);
  item->timestamp = ra_get_u32 (bytes + 4);
  item->ssrc = item->ssrc_out = ra_get_u32 (bytes + 8);
  item->header = (guint) header;
  item->payload = (guint) (size - header - padding);
  send_ext_read (&w->in, bytes, n, &item->plan);
  return TRUE;
}

/* RFC 4588 4: a retransmission begins with the number of what it repeats. */
#define OSN 2

static void
original_read (GstBuffer *buffer, BacklogItem *item)
{
  guint8 osn[OSN];

  if (item->payload >= OSN
      && gst_buffer_extract (buffer, item->header, osn, OSN) == OSN)
    item->original = (guint16) ra_get_u16 (osn);
}

/* The header lies in the first memory, where payloaders put it; else it is
 * copied.  As GStreamer wants it, the fixed part is in one piece. */
static gboolean
header_read (Way *w, GstBuffer *buffer, BacklogItem *item)
{
  GstMemory *memory;
  GstMapInfo map;
  gboolean is_rtp;

  w->parses++;
  if (gst_buffer_n_memory (buffer) == 0)
    return FALSE;
  memory = gst_buffer_peek_memory (buffer, 0);
  if (!gst_memory_map (memory, &map, GST_MAP_READ))
    return FALSE;
  is_rtp = map.size >= RA_RTP_HEADER;
  if (is_rtp && map.size < item->size
      && header_size (map.data, map.size) == 0) {
    gsize n = item->size;
    g_autofree guint8 *bytes = g_malloc (n);

    gst_buffer_extract (buffer, 0, bytes, n);
    is_rtp = header_take (w, bytes, n, item);
  } else if (is_rtp) {
    is_rtp = header_take (w, map.data, map.size, item);
  }
  gst_memory_unmap (memory, &map);
  return is_rtp;
}

/* What its stream says of it. */
static SendWants
stream_look (Way *w, BacklogItem *item, RaTime now)
{
  gboolean unknown;
  Stream *stream;

  /* The receiver waits for a retransmission, and not for long. */
  item->priority = item->is_repeat;
  if (item->is_repeat)
    return SEND_WANTS_NOTHING;
  item->media = item->payload;
  stream = streams_on_packet (&w->streams, item->ssrc, now, &unknown);
  item->stream = (guint) (stream - w->streams.stream);
  item->priority = stream->kind.is_audio;
  if (stream->kind.payload_type >= 0
      && stream->kind.payload_type != item->payload_type)
    item->media = 0;
  return unknown ? SEND_SEARCH : SEND_WANTS_NOTHING;
}

static gboolean
may_grow (const BacklogItem *item, gboolean fec_made)
{
  return item->media == 0 || !fec_made;
}

gboolean
way_in (Way *w, GstBuffer *buffer, gboolean fec_made, RaTime now,
    BacklogItem *item, SendWants *wants)
{
  *wants = SEND_WANTS_NOTHING;
  *item = (BacklogItem){
    .object = GST_MINI_OBJECT_CAST (buffer),
    .is_packet = TRUE,
    .is_repeat
    = GST_BUFFER_FLAG_IS_SET (buffer, GST_RTP_BUFFER_FLAG_RETRANSMISSION),
    .size = (guint) gst_buffer_get_size (buffer),
    .taken = now,
  };
  if (!header_read (w, buffer, item)) {
    w->not_rtp++;
    return FALSE;
  }
  if (item->is_repeat)
    original_read (buffer, item);
  *wants = stream_look (w, item, now);
  if (may_grow (item, fec_made))
    item->size += send_ext_growth (&item->plan);
  return TRUE;
}

/* --- out ------------------------------------------------------------------ */

Stream *
way_stream (Way *w, const BacklogItem *item)
{
  Stream *stream = &w->streams.stream[item->stream];

  if (item->is_repeat)
    return NULL;
  if (stream->used && stream->ssrc == item->ssrc)
    return stream;
  return streams_find (&w->streams, item->ssrc);
}

/* The reader wants every packet of the stream in the order of sending. */
static RaImportance
importance_of (Stream *stream, const BacklogItem *item)
{
  GstBuffer *buffer = GST_BUFFER_CAST (item->object);
  RaImportance importance;
  guint memory, n;
  GstMapInfo map;
  gsize skip;

  if (!stream || stream->kind.codec == RA_CODEC_NONE || item->media == 0
      || !gst_buffer_find_memory (
          buffer, item->header, item->payload, &memory, &n, &skip)
      || !gst_buffer_map_range (buffer, memory, (gint) n, &map, GST_MAP_READ))
    return RA_IMPORTANCE_UNKNOWN;
  importance = ra_importance_read (
      &stream->reader, map.data + skip, item->payload, item->timestamp);
  gst_buffer_unmap (buffer, &map);
  return importance;
}

void
way_unwrap (Way *w, BacklogItem *item, guint32 ssrc)
{
  const Stream *stream = streams_find (&w->streams, ssrc);
  GstBuffer *wrapped = GST_BUFFER_CAST (item->object), *buffer;
  guint8 head[RA_RTP_HEADER];

  if (item->payload < OSN || !stream || stream->kind.payload_type < 0)
    return;
  gst_buffer_extract (wrapped, 0, head, RA_RTP_HEADER);
  head[1] = (guint8) ((head[1] & 0x80) | stream->kind.payload_type);
  ra_put_u16 (head + 2, item->original);
  ra_put_u32 (head + 8, ssrc);
  buffer
      = gst_buffer_copy_region (wrapped, GST_BUFFER_COPY_ALL, 0, item->header);
  gst_buffer_fill (buffer, 0, head, RA_RTP_HEADER);
  gst_buffer_copy_into (
      buffer, wrapped, GST_BUFFER_COPY_MEMORY, item->header + OSN, (gsize) -1);
  gst_buffer_unref (wrapped);
  item->object = GST_MINI_OBJECT_CAST (buffer);
  item->ssrc_out = ssrc;
  item->size -= OSN;
  item->payload -= OSN;
  w->plain++;
}

gboolean
way_colours (const Way *w)
{
  return !w->colour->ops->none;
}

RaMark
way_colour (Way *w, BacklogItem *item, guint64 rate, RaTime now)
{
  GstBuffer *buffer = GST_BUFFER_CAST (item->object);
  RaColourPacket packet = { .size = item->size, .repair = item->media == 0 };
  RaMark mark;

  if (!way_colours (w)) {
    mark = rtp_adapt_buffer_get_colour (buffer); /* somebody upstream's */
  } else {
    packet.importance = importance_of (way_stream (w, item), item);
    ra_colour_set_rate (w->colour, rate);
    mark = ra_colour_mark (w->colour, &packet, now);
    buffer = gst_buffer_make_writable (buffer);
    rtp_adapt_buffer_set_colour (buffer, mark);
    item->object = GST_MINI_OBJECT_CAST (buffer);
  }
  w->mark_packets[mark]++;
  w->mark_bytes[mark] += item->size;
  return mark;
}

/* The caps that left have other ids than those the packet came with. */
static void
plan_again (Way *w, BacklogItem *item)
{
  guint8 bytes[SEND_EXT_HEADER_MAX];
  gsize n = gst_buffer_extract (
      GST_BUFFER_CAST (item->object), 0, bytes, sizeof bytes);

  w->parses++;
  send_ext_read (&w->out, bytes, n, &item->plan);
}

SendExtResult
way_stamp (
    Way *w, BacklogItem *item, gboolean fec_made, const SendExtValues *values)
{
  GstBuffer *buffer;
  SendExtResult result;

  if (!send_ext_fits (&w->out, &item->plan))
    plan_again (w, item);
  buffer = GST_BUFFER_CAST (item->object);
  result = send_ext_write (
      &w->out, &item->plan, &buffer, may_grow (item, fec_made), values);
  w->malformed += result == SEND_EXT_MALFORMED;
  item->object = GST_MINI_OBJECT_CAST (buffer);
  item->size = (guint) gst_buffer_get_size (buffer);
  return result;
}

static RaSentFlags
flags_of (const BacklogItem *item, const Stream *stream)
{
  RaSentFlags flags = item->media == 0 ? RA_SENT_REPAIR : 0;

  if (item->is_repeat)
    flags |= RA_SENT_REPEAT;

  if (item->marker)
    flags |= RA_SENT_ASKS | (item->priority ? 0 : RA_SENT_FRAME_END);
  if (stream && stream_is_other (stream))
    flags |= RA_SENT_OTHER;
  return flags;
}

void
way_describe (Way *w, const BacklogItem *item, RaOutgoing *out, RaTime now)
{
  Stream *stream = way_stream (w, item);

  out->media = item->media;
  out->size = item->size;
  out->ssrc = item->ssrc;
  out->rtp_seq = item->seq;
  out->original = item->original;
  out->taken = item->taken;
  out->flags = flags_of (item, stream);
  if (stream)
    stream_on_sent (stream, item->size, now);
}

void
way_mark (BacklogItem *item, RaEcnField field)
{
  GstBuffer *buffer;

  if (field == RA_ECN_UNSAID)
    return;
  buffer = gst_buffer_make_writable (GST_BUFFER_CAST (item->object));
  rtp_adapt_buffer_set_ecn (buffer, field);
  item->object = GST_MINI_OBJECT_CAST (buffer);
}
