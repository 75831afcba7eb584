/* The RTP streams that pass rtpadaptsend: what is known of each SSRC.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "sendstreams.h"

#include <string.h>

StreamKind
stream_kind (const GstCaps *caps)
{
  const GstStructure *s = gst_caps_get_structure (caps, 0);
  const gchar *encoding = gst_structure_get_string (s, "encoding-name");
  StreamKind kind = {
    .payload_type = -1,
    .named = encoding != NULL,
    .codec = ra_codec_find (encoding),
    .is_audio = g_strcmp0 (gst_structure_get_string (s, "media"), "audio") == 0,
  };

  gst_structure_get_int (s, "payload", &kind.payload_type);
  return kind;
}

gboolean
stream_caps_are_video (const GstCaps *caps)
{
  const GstStructure *s = gst_caps_get_structure (caps, 0);

  return g_strcmp0 (gst_structure_get_string (s, "media"), "video") == 0;
}

static void
stream_clear (Stream *stream)
{
  gst_clear_caps (&stream->caps);
  memset (stream, 0, sizeof *stream);
}

void
streams_clear (Streams *s)
{
  for (guint i = 0; i < STREAMS_MAX; i++)
    stream_clear (&s->stream[i]);
  gst_clear_caps (&s->caps);
  g_clear_pointer (&s->origins, g_array_unref);
  memset (s, 0, sizeof *s);
}

static const StreamOrigin *
origin_find (const Streams *s, guint32 ssrc)
{
  for (guint i = 0; s->origins && i < s->origins->len; i++) {
    const StreamOrigin *origin = &g_array_index (s->origins, StreamOrigin, i);

    if (origin->ssrc == ssrc)
      return origin;
  }
  return NULL;
}

/* Works out `kind` and `driven` from what is known now. */
static void
stream_update (const Streams *s, Stream *stream)
{
  const StreamOrigin *origin = origin_find (s, stream->ssrc);
  StreamKind kind = stream->caps_kind;

  if (origin && !kind.named) {
    gint payload_type = kind.payload_type;

    kind = origin->kind;
    if (payload_type >= 0)
      kind.payload_type = payload_type;
  }
  if (kind.codec != stream->kind.codec)
    ra_importance_init (&stream->reader, kind.codec);
  stream->kind = kind;
  /* Before a search all are taken for what it will find. */
  stream->driven = origin ? origin->driven : !s->origins || s->others_driven;
}

gboolean
streams_on_caps (Streams *s, GstCaps *caps)
{
  gboolean known = s->caps && gst_caps_is_equal (s->caps, caps);

  for (guint i = 0; i < STREAMS_MAX && !known; i++)
    known = s->stream[i].caps && gst_caps_is_equal (s->stream[i].caps, caps);
  gst_caps_replace (&s->caps, caps);
  s->kind = stream_kind (caps);
  return !known;
}

Stream *
streams_find (Streams *s, guint32 ssrc)
{
  for (guint i = 0; i < STREAMS_MAX; i++) {
    if (s->stream[i].used && s->stream[i].ssrc == ssrc)
      return &s->stream[i];
  }
  return NULL;
}

/* In a free place, or in that of the one that was idle longest. */
static Stream *
stream_add (Streams *s, guint32 ssrc)
{
  Stream *place = &s->stream[0];

  for (guint i = 0; i < STREAMS_MAX && place->used; i++) {
    if (!s->stream[i].used || s->stream[i].last < place->last)
      place = &s->stream[i];
  }
  stream_clear (place);
  place->used = TRUE;
  place->ssrc = ssrc;
  place->kind.payload_type = place->caps_kind.payload_type = -1;
  return place;
}

Stream *
streams_on_packet (Streams *s, guint32 ssrc, RaTime now, gboolean *unknown)
{
  Stream *stream = streams_find (s, ssrc);
  gboolean is_new = stream == NULL;

  if (is_new)
    stream = stream_add (s, ssrc);
  if (s->caps && stream->caps != s->caps) {
    gst_caps_replace (&stream->caps, s->caps);
    stream->caps_kind = s->kind;
    stream_update (s, stream);
  } else if (is_new) {
    stream_update (s, stream);
  }
  stream->last = now;
  *unknown = is_new && !stream->kind.named;
  return stream;
}

void
streams_on_search (Streams *s, GArray *origins, gboolean others_driven)
{
  g_clear_pointer (&s->origins, g_array_unref);
  s->origins = origins;
  s->others_driven = others_driven;
  for (guint i = 0; i < STREAMS_MAX; i++) {
    if (s->stream[i].used)
      stream_update (s, &s->stream[i]);
  }
}

void
stream_on_sent (Stream *stream, guint size, RaTime now)
{
  stream->packets++;
  stream->bytes += size;
  ra_throughput_add (&stream->out, size, now);
}

gboolean
stream_is_other (const Stream *stream)
{
  return stream->kind.is_audio || !stream->driven;
}

guint64
streams_other_bitrate (const Streams *s, RaTime now)
{
  guint64 sum = 0;

  for (guint i = 0; i < STREAMS_MAX; i++) {
    if (s->stream[i].used && stream_is_other (&s->stream[i]))
      sum += ra_throughput_rate (&s->stream[i].out, now);
  }
  return sum;
}

/* What statistics say of a stream. */
typedef struct
{
  guint ssrc;
  gint payload;
  gboolean audio, driven;
  guint64 bitrate, packets, bytes;
} StreamStats;

const Field streams_fields[] = {
  { "ssrc", "", "of the stream", "RFC 3550 5.1",
      FIELD_UINT (StreamStats, ssrc) },
  { "payload", "", "payload type of its media; -1: not known", "caps",
      FIELD_INT (StreamStats, payload) },
  { "audio", "", "it is sound", "caps", FIELD_BOOLEAN (StreamStats, audio) },
  { "driven", "", "an encoder that is driven makes it", "search upstream",
      FIELD_BOOLEAN (StreamStats, driven) },
  { "bitrate", "bit/s", "that left lately", "element",
      FIELD_UINT64 (StreamStats, bitrate) },
  { "packets", "packets", "sent, with FEC and what was sent again", "element",
      FIELD_UINT64 (StreamStats, packets) },
  { "bytes", "bytes", "the same", "element",
      FIELD_UINT64 (StreamStats, bytes) },
  { NULL },
};

void
streams_describe (const Streams *s, RaTime now, GValue *value)
{
  g_value_init (value, GST_TYPE_ARRAY);
  for (guint i = 0; i < STREAMS_MAX; i++) {
    const Stream *stream = &s->stream[i];

    if (!stream->used)
      continue;
    fields_append (value, "stream", streams_fields,
        &(StreamStats){ .ssrc = stream->ssrc,
            .payload = stream->kind.payload_type,
            .audio = stream->kind.is_audio,
            .driven = !stream_is_other (stream),
            .bitrate = ra_throughput_rate (&stream->out, now),
            .packets = stream->packets,
            .bytes = stream->bytes });
  }
}
