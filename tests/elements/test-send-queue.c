/* The parts of rtpadaptsend that know several streams: what passes what in the
 * backlog, and what is known of each SSRC.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "../rows.h"

#include <plugins/rtpadapt/send/backlog.h>
#include <plugins/rtpadapt/send/sendstreams.h>

#include <string.h>

#define MS GST_MSECOND

/* --- the backlog -------------------------------------------------------- */

/* Each word of `in` comes in: Cx caps, Sx a segment, K the event of a key frame, G a gap,
 * T an event of another kind, E EOS, vN a packet of SSRC 1, aN one of SSRC 2 with
 * priority, wN one of SSRC 1 with priority, rN a retransmission; "-" takes one out, F
 * flushes, L empties.  The rest comes out at the end. */
static const struct
{
  const gchar *name, *in, *out, *why;
} order_rows[] = {
  { "plain", "Cx v1 T v2 E", "Cx v1 T v2 E", "as it came" },
  { "passes", "Cv v1 v2 Ca a1 a2 v3", "Ca a1 a2 Cv v1 v2 Ca v3",
      "each behind its caps, which are told again" },
  { "one-waits", "Cv v1 v2 - - Ca a1 Cv v3", "Cv v1 Ca a1 Cv v2 v3",
      "v3's caps are those that v2 had" },
  { "same-caps", "Cx v1 a1 v2 a2", "Cx a1 a2 v1 v2",
      "caps that came before both are told before the first that leaves" },
  { "equal-caps", "Cx v1 Cx v2 - - - Cx v3", "Cx v1 v2 v3",
      "told once, whoever repeats them" },
  { "segments", "Cx S1 v1 S2 a1 v2", "Cx S2 a1 S1 v1 S2 v2", "the same" },
  { "event", "Cx v1 T a1 v2 a2", "Cx v1 T a1 v2 a2",
      "nothing passes an event of another kind" },
  { "key-frame", "Cx v1 K a1 v2 a2", "Cx a1 a2 v1 K v2",
      "but that of one stream, which another need not wait for" },
  { "gap", "Cx v1 G a1 T v2 a2", "Cx a1 v1 G T v2 a2", "the same, up to T" },
  { "repeat", "Cx v1 T v2 r1 a1 E r2", "Cx r1 r2 v1 T v2 a1 E",
      "but what is sent again: an event before a key frame would cost it its time" },
  { "repeats", "Cx v1 r1 r2 a1 v2 r3", "Cx a1 r1 r2 r3 v1 v2",
      "audio waits for no burst of them" },
  { "behind-event", "Cx v1 T a1 v2 - - - a2 v3", "Cx v1 T a1 v2 a2 v3",
      "a2 does not pass a1, which waits before v2" },
  { "after-event", "Cx v1 T a1 v2 - - - - a2", "Cx v1 T a1 a2 v2",
      "a1 is gone: a2 may pass again" },
  { "gets-it", "Cx v1 v2 w3 - - - w4 v5 w6", "Cx v1 v2 w3 w4 v5 w6",
      "packets of one SSRC keep their order: w6 waits for v5" },
  { "loses-it", "Cx v1 w2 a1 v3 - w4", "Cx a1 v1 w2 v3 w4",
      "and when they lose it" },
  { "alone", "Cv - Ca - S1", "Cv Ca S1", "events that nothing follows" },
  { "flush", "Cx S1 v1 v2 - - - F S1 v3", "Cx S1 v1 S1 v3",
      "a flush takes the segment away downstream, not the caps" },
  { "flush-early", "Cx S1 v1 F S2 v2", "Cx S2 v2",
      "caps that nobody downstream saw yet" },
  { "empty", "Cx S1 v1 v2 - - - L v3", "Cx S1 v1 v3",
      "downstream still knows both" },
};

static GstEvent *
event_of (const gchar *word)
{
  g_autoptr (GstCaps) caps = NULL;
  GstSegment segment;

  switch (word[0]) {
    case 'C':
      caps = gst_caps_new_simple (
          "application/x-rtp", "word", G_TYPE_STRING, word, NULL);
      return gst_event_new_caps (caps);
    case 'S':
      gst_segment_init (&segment, GST_FORMAT_TIME);
      segment.base = (guint64) word[1];
      return gst_event_new_segment (&segment);
    case 'G':
      return gst_event_new_gap (0, 0);
    case 'K':
    case 'T':
      return gst_event_new_custom (GST_EVENT_CUSTOM_DOWNSTREAM,
          gst_structure_new_empty (word[0] == 'K' ? "GstForceKeyUnit" : "T"));
    default:
      return gst_event_new_eos ();
  }
}

static void
word_in (Backlog *b, const gchar *word)
{
  BacklogItem item = {
    .is_packet = TRUE,
    .priority = word[0] != 'v',
    .is_repeat = word[0] == 'r',
    .payload_type = (guint8) word[0],
    .size = 1000,
    .ssrc = word[0] == 'a' ? 2 : 1,
    .seq = (guint16) word[1],
  };

  if (!strchr ("vawr", word[0])) {
    backlog_push_event (b, event_of (word));
    return;
  }
  item.object = GST_MINI_OBJECT_CAST (gst_buffer_new ());
  g_assert_true (backlog_push_packet (b, &item, RA_SECOND, 8000000));
}

static void
word_out (Backlog *b, GString *out)
{
  BacklogItem item;
  const GstSegment *segment;
  GstCaps *caps;

  g_assert_nonnull (backlog_peek (b));
  backlog_pop (b, &item);
  g_string_append (out, out->len > 0 ? " " : "");
  if (item.is_packet) {
    g_string_append_printf (out, "%c%c", item.payload_type, item.seq);
  } else if (GST_EVENT_TYPE (item.object) == GST_EVENT_CAPS) {
    gst_event_parse_caps (GST_EVENT_CAST (item.object), &caps);
    g_string_append (out,
        gst_structure_get_string (gst_caps_get_structure (caps, 0), "word"));
  } else if (GST_EVENT_TYPE (item.object) == GST_EVENT_SEGMENT) {
    gst_event_parse_segment (GST_EVENT_CAST (item.object), &segment);
    g_string_append_printf (out, "S%c", (gchar) segment->base);
  } else {
    GstEvent *event = GST_EVENT_CAST (item.object);

    g_string_append_c (out,
        GST_EVENT_TYPE (event) == GST_EVENT_EOS             ? 'E'
            : GST_EVENT_TYPE (event) == GST_EVENT_GAP       ? 'G'
            : gst_event_has_name (event, "GstForceKeyUnit") ? 'K'
                                                            : 'T');
  }
  gst_mini_object_unref (item.object);
}

static void
test_order (gconstpointer data)
{
  guint row = GPOINTER_TO_UINT (data);
  g_auto (GStrv) words = g_strsplit (order_rows[row].in, " ", -1);
  g_autoptr (GString) out = g_string_new (NULL);
  g_autoptr (Backlog) b = backlog_new ();

  g_test_message ("%s", order_rows[row].why);
  for (guint i = 0; words[i]; i++) {
    if (g_str_equal (words[i], "-"))
      word_out (b, out);
    else if (g_str_equal (words[i], "F"))
      backlog_flush (b);
    else if (g_str_equal (words[i], "L"))
      backlog_clear (b);
    else
      word_in (b, words[i]);
  }
  while (backlog_peek (b))
    word_out (b, out);
  g_assert_cmpstr (out->str, ==, order_rows[row].out);
  g_assert_cmpuint (backlog_packets (b), ==, 0);
  g_assert_cmpint (backlog_span (b, 1), ==, 0);
}

/* Packets that have priority are held up by their own kind only: behind a frame
 * of eight of 10 ms, beyond the limit of 25 ms, three are taken, as the third
 * begins at 20 ms; the fourth begins at 30 ms. */
static void
test_priority (void)
{
  g_autoptr (Backlog) b = backlog_new ();
  BacklogItem item = { .is_packet = TRUE, .size = 1000 };

  for (guint i = 0; i < 12; i++) {
    gboolean taken;

    item.object = GST_MINI_OBJECT_CAST (gst_buffer_new ());
    item.priority = i >= 8;
    item.ssrc = item.priority ? 2 : 1;
    item.timestamp = item.priority ? i : 0;
    taken = backlog_push_packet (b, &item, 25 * MS, 800000);
    g_assert_cmpint (taken, ==, i < 11);
    if (!taken)
      gst_mini_object_unref (item.object);
  }
  g_assert_cmpuint (backlog_dropped_frames (b), ==, 1);
}

/* --- the streams -------------------------------------------------------- */

#define H264 "application/x-rtp,media=video,encoding-name=H264,payload=96"
#define OPUS "application/x-rtp,media=audio,encoding-name=OPUS,payload=97"
#define FUNNEL "application/x-rtp"
#define NO_SEARCH ""

/* A stream of SSRC 1 behind `caps`; a search found a payloader of SSRC 1 with
 * the caps `origin` (or NULL: none), whose encoder is `driven` or not, and
 * encoders that lead to no payloader if `others`. */
static const struct
{
  const gchar *name, *caps, *origin;
  gboolean driven, others;
  gboolean unknown; /* when its first packet comes */
  gint payload_type;
  RaCodec codec;
  gboolean is_audio, beside;
  const gchar *why;
} stream_rows[] = {
  { "early", H264, NO_SEARCH, 0, 0, FALSE, 96, RA_CODEC_H264, FALSE, FALSE,
      "before a search it is taken for an encoder's" },
  { "driven", H264, H264, TRUE, 0, FALSE, 96, RA_CODEC_H264, FALSE, FALSE,
      "an encoder's that is driven" },
  { "not-driven", H264, H264, FALSE, 0, FALSE, 96, RA_CODEC_H264, FALSE, TRUE,
      "no encoder behind its payloader" },
  { "elsewhere", H264, NULL, 0, TRUE, FALSE, 96, RA_CODEC_H264, FALSE, FALSE,
      "of the encoder whose payloader nobody sees" },
  { "nowhere", H264, NULL, 0, FALSE, FALSE, 96, RA_CODEC_H264, FALSE, TRUE,
      "every encoder has its stream, and this is none of them" },
  { "audio", OPUS, NULL, 0, TRUE, FALSE, 97, RA_CODEC_NONE, TRUE, TRUE,
      "audio is not adapted" },
  { "funnel", FUNNEL, H264, TRUE, 0, TRUE, 96, RA_CODEC_H264, FALSE, FALSE,
      "rtpfunnel's caps tell nothing, the payloader's do" },
  { "funnel-audio", FUNNEL, OPUS, FALSE, 0, TRUE, 97, RA_CODEC_NONE, TRUE, TRUE,
      "the same" },
  { "payload", "application/x-rtp,payload=100", H264, TRUE, 0, TRUE, 100,
      RA_CODEC_H264, FALSE, FALSE, "what its own caps tell counts" },
  { "nothing", FUNNEL, NO_SEARCH, 0, 0, TRUE, -1, RA_CODEC_NONE, FALSE, FALSE,
      "nothing is known" },
};

static void
streams_caps (Streams *s, const gchar *text)
{
  g_autoptr (GstCaps) caps = gst_caps_from_string (text);

  streams_on_caps (s, caps);
}

static GArray *
origins_new (void)
{
  return g_array_new (FALSE, FALSE, sizeof (StreamOrigin));
}

static void
test_stream (gconstpointer data)
{
  guint row = GPOINTER_TO_UINT (data);
  const gchar *origin = stream_rows[row].origin;
  g_autofree Streams *s = g_new0 (Streams, 1);
  gboolean unknown;
  Stream *stream;

  g_test_message ("%s", stream_rows[row].why);
  streams_caps (s, stream_rows[row].caps);
  stream = streams_on_packet (s, 1, 0, &unknown);
  g_assert_cmpint (unknown, ==, stream_rows[row].unknown);
  if (g_strcmp0 (origin, NO_SEARCH) != 0) {
    GArray *origins = origins_new ();

    if (origin) {
      g_autoptr (GstCaps) caps = gst_caps_from_string (origin);
      StreamOrigin found = { 1, stream_kind (caps), stream_rows[row].driven };

      g_array_append_val (origins, found);
    }
    streams_on_search (s, origins, stream_rows[row].others);
  }
  g_assert_cmpint (
      stream->kind.payload_type, ==, stream_rows[row].payload_type);
  g_assert_cmpint (stream->kind.codec, ==, stream_rows[row].codec);
  g_assert_cmpint (stream->kind.is_audio, ==, stream_rows[row].is_audio);
  g_assert_cmpint (stream_is_other (stream), ==, stream_rows[row].beside);
  streams_clear (s);
}

/* Caps that a stream had already are no news, however often they switch. */
static void
test_caps (void)
{
  g_autofree Streams *s = g_new0 (Streams, 1);
  gboolean unknown;

  for (guint i = 0; i < 10; i++) {
    g_autoptr (GstCaps) video = gst_caps_from_string (H264);
    g_autoptr (GstCaps) audio = gst_caps_from_string (OPUS);

    g_assert_cmpint (streams_on_caps (s, video), ==, i == 0);
    streams_on_packet (s, 1, 0, &unknown);
    g_assert_cmpint (streams_on_caps (s, audio), ==, i == 0);
    streams_on_packet (s, 2, 0, &unknown);
  }
  g_assert_false (streams_find (s, 1)->kind.is_audio);
  g_assert_true (streams_find (s, 2)->kind.is_audio);
  /* The stream itself may get others. */
  streams_caps (s, OPUS);
  streams_on_packet (s, 1, 0, &unknown);
  g_assert_true (streams_find (s, 1)->kind.is_audio);
  streams_clear (s);
}

/* Whether the encoder is ahead of the pacer, by a frame of the same stream. */
static void
test_latest (void)
{
  static const struct
  {
    guint32 ssrc, timestamp;
    gboolean is_repeat, latest;
    const gchar *why;
  } rows[] = {
    { 1, 20, FALSE, TRUE, "the frame that came last" },
    { 1, 10, FALSE, FALSE, "the one before" },
    { 2, 10, FALSE, TRUE, "another stream's last" },
    { 2, 10, TRUE, FALSE, "a retransmission is of no frame" },
    { 3, 10, FALSE, FALSE, "nothing of it came in" },
  };
  static const BacklogItem in[] = {
    { .is_packet = TRUE, .ssrc = 1, .timestamp = 10, .size = 1000 },
    { .is_packet = TRUE, .ssrc = 2, .timestamp = 10, .size = 1000 },
    /* 16 ms are queued: dropped, but it came. */
    { .is_packet = TRUE, .ssrc = 1, .timestamp = 20, .size = 1000 },
  };
  g_autoptr (Backlog) b = backlog_new ();

  for (guint i = 0; i < G_N_ELEMENTS (in); i++) {
    BacklogItem item = in[i];

    item.object = GST_MINI_OBJECT_CAST (gst_buffer_new ());
    g_assert_cmpint (
        backlog_push_packet (b, &item, 10 * MS, 1000000), ==, i < 2);
    if (i == 2)
      gst_mini_object_unref (item.object);
  }
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    BacklogItem item = { .ssrc = rows[i].ssrc,
      .timestamp = rows[i].timestamp,
      .is_repeat = rows[i].is_repeat };

    g_test_message ("%s", rows[i].why);
    g_assert_cmpint (backlog_is_latest (b, &item), ==, rows[i].latest);
  }
}

/* 32 have a place; the 33rd takes that of SSRC 7, which was silent longest. */
static void
test_many (void)
{
  g_autofree Streams *s = g_new0 (Streams, 1);
  gboolean unknown;

  for (guint32 ssrc = 0; ssrc < 32; ssrc++)
    streams_on_packet (s, ssrc, 1 + (ssrc + 32 - 7) % 32, &unknown);
  for (guint32 ssrc = 0; ssrc < 32; ssrc++)
    g_assert_nonnull (streams_find (s, ssrc));
  streams_on_packet (s, 100, 50, &unknown);
  for (guint32 ssrc = 0; ssrc < 32; ssrc++)
    g_assert_cmpint (streams_find (s, ssrc) == NULL, ==, ssrc == 7);
  streams_clear (s);
}

/* 400 bytes each 50 ms are 64 kbit/s, of audio; 10,000 are 1,600 kbit/s of
 * video, which do not count unless nobody drives them. */
static void
test_beside (void)
{
  g_autofree Streams *s = g_new0 (Streams, 1);
  gboolean unknown;
  RaTime now = 0;

  streams_caps (s, OPUS);
  streams_on_packet (s, 2, 0, &unknown);
  streams_caps (s, H264);
  streams_on_packet (s, 1, 0, &unknown);
  for (; now < 2 * RA_SECOND; now += 50 * MS) {
    stream_on_sent (streams_find (s, 1), 10000, now);
    stream_on_sent (streams_find (s, 2), 400, now);
  }
  g_assert_cmpuint (streams_other_bitrate (s, now), ==, 64000);
  streams_on_search (s, origins_new (), FALSE);
  g_assert_cmpuint (streams_other_bitrate (s, now), ==, 1664000);
  streams_clear (s);
}

void
tests_add (void)
{
  rows_add_by ("/send-queue/order", order_rows, name, test_order);
  g_test_add_func ("/send-queue/priority", test_priority);
  rows_add_by ("/send-queue/stream", stream_rows, name, test_stream);
  g_test_add_func ("/send-queue/caps", test_caps);
  g_test_add_func ("/send-queue/latest", test_latest);
  g_test_add_func ("/send-queue/many", test_many);
  g_test_add_func ("/send-queue/beside", test_beside);
}
