/* rtpadaptsend: the colours it gives.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The stream: H.264 at 25 frames/s, payload type 96.  Each two seconds begin
 * with two parameter sets of 20 bytes and an IDR picture of 10 packets; other
 * pictures have 3.  That is 3 * 1200 * 8 * 25 = 720 kbit/s and a little, below
 * the 1 Mbit/s that are allowed.
 */
#include "send-fixture.h"
#include "../rows.h"

#include <plugins/rtpadapt/parts/colourmeta.h>

#define ALLOWED "controller=fixed start-bitrate=1000000 "
#define H264 CAPS ",payload=96"
#define M 1200 /* bytes of the largest packet */
#define PARAMETERS 20
#define FRAME (40 * GST_MSECOND)

/* Sizes by what they are and by the colour they got. */
typedef enum
{
  KIND_PARAMETERS,
  KIND_KEY,
  KIND_PICTURE,
  KIND_REPAIR,
  N_KINDS
} Kind;

typedef struct
{
  guint64 bytes[N_KINDS][RA_N_MARKS];
  guint64 packets[RA_N_MARKS];
} Seen;

/* RFC 6184 5.3, 5.8: SPS; FU-A of an IDR picture, of another one with NRI 2. */
static GstBuffer *
kind_packet (Send *s, Kind kind, guint32 timestamp)
{
  static const guint8 first[N_KINDS][2]
      = { { 0x67, 0x42 }, { 0x7c, 0x05 }, { 0x5c, 0x01 }, { 0, 0 } };
  GstBuffer *packet = packet_new (SSRC, s->seq++, timestamp,
      kind == KIND_PARAMETERS ? PARAMETERS - HEADER : PAYLOAD);

  gst_buffer_fill (packet, HEADER, first[kind], 2);
  if (kind == KIND_REPAIR)
    gst_buffer_memset (packet, 1, 122, 1);
  return packet;
}

static RaMark
mark_of (Send *s)
{
  g_autoptr (GstBuffer) out = NULL;

  wait_until (gst_harness_buffers_in_queue (s->h) > 0
      || gst_test_clock_peek_id_count (s->clock) > 0);
  if (gst_harness_buffers_in_queue (s->h) == 0)
    crank (s);
  out = gst_harness_pull (s->h);
  g_assert_nonnull (out);
  return rtp_adapt_buffer_get_colour (out);
}

static void
send_kind (Send *s, Seen *seen, Kind kind, guint32 timestamp)
{
  GstBuffer *packet = kind_packet (s, kind, timestamp);
  gsize size = gst_buffer_get_size (packet);
  RaMark mark;

  g_assert_cmpint (gst_harness_push (s->h, packet), ==, GST_FLOW_OK);
  mark = mark_of (s);
  seen->bytes[kind][mark] += size;
  seen->packets[mark]++;
}

static void
send_stream (Send *s, Seen *seen, guint frames, gboolean repair)
{
  for (guint i = 0; i < frames; i++) {
    GstClockTime due = START + i * FRAME;
    gboolean key = i % 50 == 0;

    if (time_now (s) < due)
      gst_test_clock_set_time (s->clock, due);
    for (guint k = 0; key && k < 2; k++)
      send_kind (s, seen, KIND_PARAMETERS, i * 3600);
    for (guint k = 0; k < (key ? 10 : 3); k++)
      send_kind (s, seen, key ? KIND_KEY : KIND_PICTURE, i * 3600);
    if (repair && i % 4 == 0)
      send_kind (s, seen, KIND_REPAIR, i * 3600);
  }
}

static guint64
bytes_of (const Seen *seen, RaMark mark)
{
  guint64 sum = 0;

  for (Kind kind = 0; kind < N_KINDS; kind++)
    sum += seen->bytes[kind][mark];
  return sum;
}

static Send
colour_new (const gchar *properties)
{
  g_autofree gchar *text = g_strconcat (ALLOWED, properties, NULL);
  Send s = send_new (text);

  gst_harness_set_src_caps_str (s.h, H264);
  return s;
}

static const struct
{
  const gchar *field[2]; /* packets, bytes */
  RaMark mark;
} mark_fields[] = {
  { { "green-packets", "green-bytes" }, RA_MARK_GREEN },
  { { "yellow-packets", "yellow-bytes" }, RA_MARK_YELLOW },
  { { "red-packets", "red-bytes" }, RA_MARK_RED },
};

static void
assert_stats (Send *s, const Seen *seen)
{
  for (guint i = 0; i < G_N_ELEMENTS (mark_fields); i++) {
    RaMark mark = mark_fields[i].mark;

    g_assert_cmpint (
        stat (s, mark_fields[i].field[0]), ==, (gint64) seen->packets[mark]);
    g_assert_cmpint (
        stat (s, mark_fields[i].field[1]), ==, (gint64) bytes_of (seen, mark));
  }
}

/* Singh 2006 4.1 and 4.5: half is green, 30 % yellow, the rest red, whatever
 * the content; the promise of colour/meter.h is within M bytes of each share,
 * yellow being 60 % of what is not green within M more. */
static void
test_profile (void)
{
  g_auto (Send) s = colour_new ("colour=profile");
  Seen seen = { 0 };
  gdouble sum;

  send_stream (&s, &seen, 200, FALSE);
  sum = (gdouble) (bytes_of (&seen, RA_MARK_GREEN)
      + bytes_of (&seen, RA_MARK_YELLOW) + bytes_of (&seen, RA_MARK_RED));
  /* 4 groups of 2 * 20 bytes, 10 and 49 * 3 packets */
  g_assert_cmpfloat (sum, ==, 4 * (40 + 157 * 1200));
  g_assert_cmpfloat_with_epsilon (
      (gdouble) bytes_of (&seen, RA_MARK_GREEN), .5 * sum, M);
  g_assert_cmpfloat_with_epsilon (
      (gdouble) bytes_of (&seen, RA_MARK_YELLOW), .3 * sum, 2 * M);
  g_assert_cmpuint (seen.packets[RA_MARK_NONE], ==, 0);
  assert_stats (&s, &seen);
}

/* Parameter sets and key frames are green throughout: 10 packets are 96 ms of
 * the rate, and up to .3 s are (colour/content.c).  Green in all is no more
 * than half of what was sent, the reserve of .3 s (37,500 bytes) and M for each
 * of three importances, and no less than .3 of it.  Repair is never green. */
static void
test_content (void)
{
  g_auto (Send) s = colour_new ("colour=content");
  Seen seen = { 0 };
  gdouble media = 0, green;

  send_stream (&s, &seen, 200, TRUE);
  for (Kind kind = 0; kind < KIND_REPAIR; kind++) {
    for (RaMark mark = RA_MARK_NONE; mark < RA_N_MARKS; mark++) {
      media += (gdouble) seen.bytes[kind][mark];
      if (kind != KIND_PICTURE && mark != RA_MARK_GREEN)
        g_assert_cmpuint (seen.bytes[kind][mark], ==, 0);
    }
  }
  green = (gdouble) bytes_of (&seen, RA_MARK_GREEN);
  g_assert_cmpuint (
      seen.bytes[KIND_PARAMETERS][RA_MARK_GREEN], ==, 8 * PARAMETERS);
  g_assert_cmpuint (seen.bytes[KIND_KEY][RA_MARK_GREEN], ==, 40 * 1200);
  g_assert_cmpfloat (green, <=, .5 * media + 37500 + 3 * M);
  g_assert_cmpfloat (green, >=, .3 * media - 3 * M);
  g_assert_cmpuint (seen.bytes[KIND_REPAIR][RA_MARK_GREEN], ==, 0);
  g_assert_cmpuint (seen.bytes[KIND_REPAIR][RA_MARK_YELLOW]
          + seen.bytes[KIND_REPAIR][RA_MARK_RED],
      ==, 50 * 1200);
  assert_stats (&s, &seen);
}

/* green=1: every media packet is green, no repair packet is. */
static void
test_retransmission (void)
{
  g_auto (Send) s = colour_new ("colour=profile colour-params=green=1");

  for (guint i = 0; i < 10; i++) {
    GstBuffer *packet = kind_packet (&s, KIND_KEY, 0);

    if (i % 2)
      GST_BUFFER_FLAG_SET (packet, GST_RTP_BUFFER_FLAG_RETRANSMISSION);
    g_assert_cmpint (gst_harness_push (s.h, packet), ==, GST_FLOW_OK);
    if (i % 2)
      g_assert_cmpint (mark_of (&s), !=, RA_MARK_GREEN);
    else
      g_assert_cmpint (mark_of (&s), ==, RA_MARK_GREEN);
  }
}

static gchar *
get_string (Send *s, const gchar *property)
{
  gchar *text;

  g_object_get (s->element, property, &text, NULL);
  return text;
}

static void
test_exchange (void)
{
  g_auto (Send) s = colour_new ("");
  Seen none = { 0 }, green = { 0 }, content = { 0 }, bad = { 0 };
  g_autofree gchar *params = NULL;

  send_stream (&s, &none, 1, FALSE);
  g_assert_cmpuint (none.packets[RA_MARK_NONE], ==, 12);
  gst_util_set_object_arg (G_OBJECT (s.element), "colour", "profile");
  g_object_set (s.element, "colour-params", "green=1", NULL);
  send_stream (&s, &green, 20, FALSE);
  g_assert_cmpuint (green.packets[RA_MARK_GREEN], ==, 12 + 19 * 3);
  /* Another one begins with its own parameters. */
  gst_util_set_object_arg (G_OBJECT (s.element), "colour", "content");
  params = get_string (&s, "colour-params");
  g_assert_cmpstr (params, ==, "");
  send_stream (&s, &content, 50, FALSE);
  g_assert_cmpuint (content.packets[RA_MARK_RED], >, 0);
  g_assert_cmpuint (warnings (&s), <=, 1); /* that there is no encoder */
  g_object_set (s.element, "colour-params", "greenish=1", NULL);
  wait_until (warnings (&s) > 0);
  send_stream (&s, &bad, 50, FALSE);
  g_assert_cmpuint (bad.packets[RA_MARK_NONE], ==, 0);
  g_assert_cmpuint (bad.packets[RA_MARK_RED], >, 0);
}

/* Of a packet that somebody else holds, too, a copy is coloured, which is as it
 * was in all else; the other's is left alone. */
static void
test_kept (void)
{
  g_auto (Send) s = colour_new ("colour=profile");
  GstBuffer *packet = kind_packet (&s, KIND_KEY, 7), *out;
  g_autoptr (GstCaps) reference = gst_caps_from_string ("timestamp/x-unix");

  GST_BUFFER_PTS (packet) = 5 * GST_SECOND;
  GST_BUFFER_FLAG_SET (packet, GST_BUFFER_FLAG_NON_DROPPABLE);
  gst_buffer_add_reference_timestamp_meta (
      packet, reference, 99, GST_CLOCK_TIME_NONE);
  g_assert_cmpint (
      gst_harness_push (s.h, gst_buffer_ref (packet)), ==, GST_FLOW_OK);
  out = gst_harness_pull (s.h);
  g_assert_cmpint (rtp_adapt_buffer_get_colour (packet), ==, RA_MARK_NONE);
  g_assert_cmpint (rtp_adapt_buffer_get_colour (out), !=, RA_MARK_NONE);
  g_assert_cmpuint (GST_BUFFER_PTS (out), ==, 5 * GST_SECOND);
  g_assert_true (GST_BUFFER_FLAG_IS_SET (out, GST_BUFFER_FLAG_NON_DROPPABLE));
  g_assert_cmpuint (
      gst_buffer_get_reference_timestamp_meta (out, reference)->timestamp, ==,
      99);
  gst_buffer_unref (packet);
  gst_buffer_unref (out);
}

/* Without a colouring a colour from upstream stays, and counts. */
static void
test_upstream (void)
{
  g_auto (Send) s = colour_new ("");
  GstBuffer *packet = kind_packet (&s, KIND_KEY, 7);

  rtp_adapt_buffer_set_colour (packet, RA_MARK_YELLOW);
  g_assert_cmpint (gst_harness_push (s.h, packet), ==, GST_FLOW_OK);
  g_assert_cmpint (mark_of (&s), ==, RA_MARK_YELLOW);
  g_assert_cmpint (stat (&s, "yellow-packets"), ==, 1);
}

static const struct
{
  const gchar *name, *properties;
  guint warnings;
  const gchar *why;
  const gchar *choice; /* that a warning has; NULL: any */
} warning_rows[] = {
  { "wled", "lda=wled", 1, "it reads the cause of losses from the colours",
      ": set colour=profile or colour=content" },
  { "wled-profile", "lda=wled colour=profile", 0, "there are some" },
  { "wled-content", "lda=wled colour=content", 0, "there are some" },
  { "wled-tfrc", "lda=wled colour=profile controller=tfrc", 1,
      "paper 004 3.2: no loss events from a loss rate",
      ": set controller=arc" },
  { "wled-arc", "lda=wled colour=profile controller=arc", 0, "made for it" },
  { "zbs", "lda=zbs", 0, "it needs none" },
  { "unknown", "colour=profile colour-params=greenish=1", 1, "bad parameters" },
  { "range", "colour=profile colour-params=green=2", 1, "bad parameters" },
};

/* The harness gives no caps, so that no encoder is missed. */
static void
test_warning (gconstpointer data)
{
  guint row = GPOINTER_TO_UINT (data);
  g_autoptr (GstElement) element = gst_parse_launch ("rtpadaptsend", NULL);
  g_auto (GStrv) words = g_strsplit (warning_rows[row].properties, " ", -1);
  g_autoptr (GstBus) bus = gst_bus_new ();
  GstMessage *message;
  guint n = 0;

  g_test_message ("%s", warning_rows[row].why);
  gst_object_ref_sink (element);
  gst_element_set_bus (element, bus);
  for (guint i = 0; words[i]; i++) {
    gchar *value = strchr (words[i], '=');

    *value++ = '\0';
    gst_util_set_object_arg (G_OBJECT (element), words[i], value);
  }
  g_assert_cmpint (gst_element_set_state (element, GST_STATE_PAUSED), !=,
      GST_STATE_CHANGE_FAILURE);
  gst_element_set_state (element, GST_STATE_NULL);
  while ((message = gst_bus_pop_filtered (bus, GST_MESSAGE_WARNING))) {
    g_autoptr (GError) error = NULL;

    n++;
    gst_message_parse_warning (message, &error, NULL);
    if (warning_rows[row].choice)
      g_assert_true (
          g_str_has_suffix (error->message, warning_rows[row].choice));
    gst_message_unref (message);
  }
  g_assert_cmpuint (n, ==, warning_rows[row].warnings);
  gst_element_set_bus (element, NULL);
}

void
tests_add (void)
{
  g_test_add_func ("/rtpadaptsend/colour/profile", test_profile);
  g_test_add_func ("/rtpadaptsend/colour/content", test_content);
  g_test_add_func ("/rtpadaptsend/colour/retransmission", test_retransmission);
  g_test_add_func ("/rtpadaptsend/colour/exchange", test_exchange);
  g_test_add_func ("/rtpadaptsend/colour/kept", test_kept);
  g_test_add_func ("/rtpadaptsend/colour/upstream", test_upstream);
  rows_add_by (
      "/rtpadaptsend/colour/warning", warning_rows, name, test_warning);
}
