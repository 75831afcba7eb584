/* The way of a packet through rtpadaptsend, without an element: what its header
 * says, how often it is read, what it leaves with.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "../rows.h"

#include <plugins/rtpadapt/parts/colourmeta.h>
#include <plugins/rtpadapt/parts/extmap.h>
#include <plugins/rtpadapt/send/way.h>

#include <gst/rtp/rtp.h>
#include <gst/rtpadapt/feedback/tfrcfb.h>
#include <string.h>

#define MS RA_MSECOND
#define SSRC 0x12345678u

static GstBuffer *
buffer_of (const guint8 *bytes, gsize n, gsize first)
{
  GstBuffer *buffer = gst_buffer_new_memdup (bytes, MIN (first, n));

  if (first < n)
    buffer = gst_buffer_append (
        buffer, gst_buffer_new_memdup (bytes + first, n - first));
  return buffer;
}

/* Payload type 96, number 7, timestamp 9; 100 bytes in all. */
static GstBuffer *
packet (guint8 first, guint8 payload_type)
{
  guint8 bytes[100] = { first, payload_type, 0, 7, 0, 0, 0, 9, 0x12, 0x34, 0x56,
    0x78, 0xbe, 0xde, 0, 1, 0x51, 0xaa, 0xbb, 0 };

  return buffer_of (bytes, sizeof bytes, sizeof bytes);
}

static GstCaps *
caps_of (const gchar *rest)
{
  g_autofree gchar *text = g_strconcat (
      "application/x-rtp,media=video,payload=96,encoding-name=RAW", rest, NULL);

  return gst_caps_from_string (text);
}

#define EXT_2 ",extmap-2=(string)" RA_SEND_TS_URI
#define EXT_3 ",extmap-3=(string)" RA_SEND_TS_URI

static void
way_begin (Way *w, const gchar *caps_in, const gchar *caps_out)
{
  g_autoptr (GstCaps) in = caps_of (caps_in), out = caps_of (caps_out);

  *w = (Way){ 0 };
  way_start (w);
  g_assert_true (way_set_colour (w, ra_colours[0], NULL, NULL));
  way_on_caps_in (w, in);
  way_on_caps_out (w, out);
}

/* --- the header ----------------------------------------------------------- */

static const struct
{
  const gchar *name, *caps_in, *caps_out;
  gboolean fec_made;
  guint size, parses; /* as it comes in; when it is out */
  const gchar *why;
} parse_rows[] = {
  { "bare", "", "", FALSE, 100, 1, "nothing is stamped" },
  { "stamped", EXT_2, EXT_2, FALSE, 112, 1,
      "4 bytes of header, 1 + 7 of the send time: 12 more (RFC 8285 4.2)" },
  { "protected", EXT_2, EXT_2, TRUE, 100, 1,
      "FEC made upstream says how long it is" },
  { "other-caps", EXT_2, EXT_3, FALSE, 112, 2, "the caps that leave differ" },
};

static void
test_parses (gconstpointer data)
{
  guint row = GPOINTER_TO_UINT (data);
  gboolean fec_made = parse_rows[row].fec_made;
  SendExtValues values = { .now = 1000 * MS };
  SendWants wants;
  BacklogItem item;
  Way w;

  g_test_message ("%s", parse_rows[row].why);
  way_begin (&w, parse_rows[row].caps_in, parse_rows[row].caps_out);
  g_assert_true (
      way_in (&w, packet (0x80, 96), fec_made, 1000 * MS, &item, &wants));
  g_assert_cmpuint (item.size, ==, parse_rows[row].size);
  g_assert_cmpuint (w.parses, ==, 1);
  g_assert_cmpint (way_colour (&w, &item, 0, 1000 * MS), ==, RA_MARK_NONE);
  g_assert_cmpint (way_stamp (&w, &item, fec_made, &values), ==,
      fec_made ? SEND_EXT_NO_ROOM : SEND_EXT_DONE);
  g_assert_cmpuint (item.size, ==, parse_rows[row].size);
  g_assert_cmpuint (w.parses, ==, parse_rows[row].parses);
  gst_mini_object_unref (item.object);
  way_stop (&w);
}

/* Whatever the bytes: what GStreamer takes for RTP is RTP, and says the same.  They
 * may be cut in two anywhere, but for the fixed part of the header, as GStreamer
 * wants it; it also refuses a cut within the extension, which nobody makes. */
static void
test_random (void)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (1);
  guint n_rtp = 0, n_not = 0;
  Way w;

  way_begin (&w, EXT_2, EXT_2);
  for (guint i = 0; i < 20000; i++) {
    gsize n = (gsize) g_rand_int_range (rand, 1, 80);
    gsize first = (gsize) g_rand_int_range (rand, 1, 80);
    GstRTPBuffer rtp = GST_RTP_BUFFER_INIT;
    guint8 bytes[80], *last;
    GstBuffer *whole, *buffer;
    gboolean maps, is_rtp;
    SendWants wants;
    BacklogItem item;

    for (guint k = 0; k < n; k++)
      bytes[k] = (guint8) g_rand_int (rand);
    /* Mostly version 2 and short extensions, or all of them are refused. */
    if (i % 8)
      bytes[0] = 0x80 | (bytes[0] & 0x33);
    if (n > 16 + (bytes[0] & 15u) * 4) {
      bytes[14 + (bytes[0] & 15u) * 4] = 0;
      bytes[15 + (bytes[0] & 15u) * 4] &= 7;
    }
    last = &bytes[n > 1 ? n - 1 : 0];
    *last &= 15;
    whole = buffer_of (bytes, n, n);
    buffer = buffer_of (bytes, n, first);
    maps = gst_rtp_buffer_map (whole, GST_MAP_READ, &rtp);
    is_rtp = maps && first >= 12;
    g_assert_cmpint (
        way_in (&w, buffer, FALSE, 1000 * MS, &item, &wants), ==, is_rtp);
    if (is_rtp) {
      n_rtp++;
      g_assert_cmpuint (item.seq, ==, gst_rtp_buffer_get_seq (&rtp));
      g_assert_cmpuint (item.ssrc, ==, gst_rtp_buffer_get_ssrc (&rtp));
      g_assert_cmpuint (
          item.timestamp, ==, gst_rtp_buffer_get_timestamp (&rtp));
      g_assert_cmpuint (
          item.payload_type, ==, gst_rtp_buffer_get_payload_type (&rtp));
      g_assert_cmpint (item.marker, ==, gst_rtp_buffer_get_marker (&rtp));
      g_assert_cmpuint (
          item.payload, ==, gst_rtp_buffer_get_payload_len (&rtp));
      g_assert_cmpuint (item.header, ==, gst_rtp_buffer_get_header_len (&rtp));
    } else {
      n_not++;
    }
    if (maps)
      gst_rtp_buffer_unmap (&rtp);
    gst_buffer_unref (whole);
    gst_buffer_unref (buffer);
  }
  g_assert_cmpuint (w.not_rtp, ==, n_not);
  g_assert_cmpuint (n_rtp, >, 1000);
  g_assert_cmpuint (n_not, >, 1000);
  way_stop (&w);
}

/* --- the stream ----------------------------------------------------------- */

/* A packet of the media's payload type is the encoder's; another is FEC or the
 * like.  A retransmission is of no stream, and goes first. */
static void
test_stream (void)
{
  GstBuffer *again = packet (0x90, 97);
  SendWants wants;
  BacklogItem item;
  Way w;

  way_begin (&w, "", "");
  g_assert_true (
      way_in (&w, packet (0x90, 96), FALSE, 1000 * MS, &item, &wants));
  g_assert_cmpuint (item.header, ==, 20);
  g_assert_cmpuint (item.media, ==, 80);
  g_assert_cmpint (wants, ==, SEND_WANTS_NOTHING);
  g_assert_cmpuint (way_stream (&w, &item)->ssrc, ==, SSRC);
  gst_mini_object_unref (item.object);

  g_assert_true (
      way_in (&w, packet (0x90, 97), FALSE, 1000 * MS, &item, &wants));
  g_assert_cmpuint (item.media, ==, 0);
  g_assert_false (item.priority);
  gst_mini_object_unref (item.object);

  GST_BUFFER_FLAG_SET (again, GST_RTP_BUFFER_FLAG_RETRANSMISSION);
  g_assert_true (way_in (&w, again, FALSE, 1000 * MS, &item, &wants));
  g_assert_true (item.is_repeat);
  g_assert_true (item.priority);
  g_assert_null (way_stream (&w, &item));
  gst_mini_object_unref (item.object);
  way_stop (&w);
}

/* By hand, RFC 4588 4: payload type 97, number 5 and SSRC 0x99 before the repeated
 * packet's number 7 and its payload, in one memory and in two. */
static void
test_unwrap (void)
{
  guint8 first[100] = { 0x90, 0x80 | 96, 0, 7, 0, 0, 0, 9, 0x12, 0x34, 0x56,
    0x78, 0xbe, 0xde, 0, 1, 0x51, 0xaa, 0xbb, 0, 1, 2, 3, [99] = 4 };
  guint8 again[102] = { 0x90, 0x80 | 97, 0, 5, 0, 0, 0, 9, 0, 0, 0, 0x99, 0xbe,
    0xde, 0, 1, 0x51, 0xaa, 0xbb, 0, 0, 7, 1, 2, 3, [101] = 4 };
  SendWants wants;
  BacklogItem item;
  Way w;

  way_begin (&w, "", "");
  way_in (&w, buffer_of (first, 100, 100), FALSE, 1000 * MS, &item, &wants);
  gst_mini_object_unref (item.object);
  for (gsize split = 12; split <= 102; split += 45) {
    GstBuffer *buffer = buffer_of (again, 102, split);

    GST_BUFFER_FLAG_SET (buffer, GST_RTP_BUFFER_FLAG_RETRANSMISSION);
    g_assert_true (way_in (&w, buffer, FALSE, 1000 * MS, &item, &wants));
    way_unwrap (&w, &item, 1); /* no stream has it */
    g_assert_true (item.object == GST_MINI_OBJECT_CAST (buffer));
    g_assert_cmphex (item.ssrc_out, ==, 0x99);
    way_unwrap (&w, &item, SSRC);
    g_assert_cmpuint (item.size, ==, 100);
    g_assert_cmpuint (item.payload, ==, 80);
    g_assert_cmpuint (gst_buffer_get_size ((GstBuffer *) item.object), ==, 100);
    g_assert_cmpint (
        gst_buffer_memcmp ((GstBuffer *) item.object, 0, first, 100), ==, 0);
    g_assert_cmphex (item.ssrc, ==, 0x99);
    g_assert_cmphex (item.ssrc_out, ==, SSRC);
    gst_mini_object_unref (item.object);
  }
  g_assert_cmpuint (w.plain, ==, 3);
  way_stop (&w);
}

/* Without caps that say what it is, the stream has to be looked for, once. */
static void
test_unknown (void)
{
  SendWants wants;
  BacklogItem item;
  Way w = { 0 };

  way_start (&w);
  for (guint i = 0; i < 2; i++) {
    g_assert_true (
        way_in (&w, packet (0x80, 96), FALSE, 1000 * MS, &item, &wants));
    g_assert_cmpint (wants, ==, i == 0 ? SEND_SEARCH : SEND_WANTS_NOTHING);
    gst_mini_object_unref (item.object);
  }
  way_stop (&w);
}

/* --- the colour ----------------------------------------------------------- */

/* A colour of somebody upstream stays where none is given here; what is counted is
 * what left. */
static void
test_colour (void)
{
  GstBuffer *red = packet (0x80, 96);
  SendWants wants;
  BacklogItem item;
  Way w;

  way_begin (&w, "", "");
  g_assert_false (way_colours (&w));
  rtp_adapt_buffer_set_colour (red, RA_MARK_RED);
  way_in (&w, red, FALSE, 1000 * MS, &item, &wants);
  g_assert_cmpint (way_colour (&w, &item, 0, 1000 * MS), ==, RA_MARK_RED);
  gst_mini_object_unref (item.object);
  g_assert_cmpuint (w.mark_packets[RA_MARK_RED], ==, 1);
  g_assert_cmpuint (w.mark_bytes[RA_MARK_RED], ==, 100);
  g_assert_false (way_set_colour (&w, ra_colours[0], "nonsense=1", NULL));
  way_stop (&w);
}

void
tests_add (void)
{
  rows_add_by ("/send-way/parses", parse_rows, name, test_parses);
  g_test_add_func ("/send-way/random", test_random);
  g_test_add_func ("/send-way/stream", test_stream);
  g_test_add_func ("/send-way/unwrap", test_unwrap);
  g_test_add_func ("/send-way/unknown", test_unknown);
  g_test_add_func ("/send-way/colour", test_colour);
}
