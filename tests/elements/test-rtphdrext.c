/* The header extensions that payloaders make room for: rtphdrextrttsendts and
 * rtphdrextcolour.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <gst/app/gstappsink.h>
#include <gst/rtp/rtp.h>
#include <string.h>

#include "../rows.h"

/* Not from the library: they are what is on the wire and in SDP. */
#define RTT_SENDTS "urn:ietf:params:rtp-hdrext:rtt-sendts"
#define COLOUR "urn:x-rtpadapt:rtp-hdrext:colour"
#define TIMEOUT (60 * GST_SECOND)

static const struct
{
  const gchar *uri, *factory;
  gsize size;
} exts[] = {
  /* draft-ietf-avt-tfrc-profile-10, 5: RTT 24 bits, t_i 32 bits. */
  { RTT_SENDTS, "rtphdrextrttsendts", 7 },
  { COLOUR, "rtphdrextcolour", 2 }, /* 2 bits of colour, 14 of number */
};

static void
test_uri (gconstpointer data)
{
  guint r = GPOINTER_TO_UINT (data);
  g_autoptr (GstRTPHeaderExtension) ext
      = gst_rtp_header_extension_create_from_uri (exts[r].uri);
  GstElementFactory *factory;

  g_assert_nonnull (ext);
  factory = gst_element_get_factory (GST_ELEMENT (ext));
  g_assert_cmpstr (GST_OBJECT_NAME (factory), ==, exts[r].factory);
  g_assert_cmpuint (gst_plugin_feature_get_rank (GST_PLUGIN_FEATURE (factory)),
      ==, GST_RANK_MARGINAL); /* less, and no payloader finds it */
}

/* Both forms of RFC 8285, rooms that are too small, data of any length. */
static void
test_bounds (gconstpointer data)
{
  static const GstRTPHeaderExtensionFlags forms[]
      = { GST_RTP_HEADER_EXTENSION_ONE_BYTE,
          GST_RTP_HEADER_EXTENSION_TWO_BYTE };
  guint r = GPOINTER_TO_UINT (data);
  g_autoptr (GstRTPHeaderExtension) ext
      = gst_rtp_header_extension_create_from_uri (exts[r].uri);
  g_autoptr (GstBuffer) buffer = gst_buffer_new ();

  gst_rtp_header_extension_set_id (ext, 5);
  g_assert_cmpuint (
      gst_rtp_header_extension_get_max_size (ext, buffer), ==, exts[r].size);
  for (guint f = 0; f < G_N_ELEMENTS (forms); f++) {
    for (gsize size = 0; size <= 16; size++) {
      guint8 bytes[16];
      gssize written;

      memset (bytes, 0xee, sizeof bytes);
      written = gst_rtp_header_extension_write (
          ext, buffer, forms[f], buffer, bytes, size);
      g_assert_cmpint (
          written, ==, size < exts[r].size ? -1 : (gssize) exts[r].size);
      for (gsize i = 0; i < sizeof bytes; i++)
        g_assert_cmphex (
            bytes[i], ==, (gssize) i < written ? 0 : 0xee); /* all unknown */
      g_assert_true (
          gst_rtp_header_extension_read (ext, forms[f], bytes, size, buffer));
    }
  }
}

/* `pay` and `depay` are as a user writes them. */
static const struct
{
  const gchar *name, *pay, *depay;
  guint rtt_id, colour_id;
  const gchar *why;
} rows[] = {
  { "h264",
      "videotestsrc num-buffers=12 ! video/x-raw,width=320,height=240 ! "
      "x264enc tune=zerolatency ! rtph264pay mtu=400",
      "rtph264depay", 2, 3, "as our bins name them" },
  { "h264-list",
      "videotestsrc num-buffers=12 pattern=snow ! "
      "x264enc tune=zerolatency ! rtph264pay mtu=400",
      "rtph264depay", 2, 3, "fragments come as buffer lists" },
  { "vp8", "videotestsrc num-buffers=12 ! vp8enc deadline=1 ! rtpvp8pay",
      "rtpvp8depay", 2, 3, "" },
  { "opus", "audiotestsrc num-buffers=40 ! opusenc ! rtpopuspay",
      "rtpopusdepay", 2, 3, "audio" },
  { "other-ids", "videotestsrc num-buffers=12 ! vp8enc deadline=1 ! rtpvp8pay",
      "rtpvp8depay", 14, 1, "any that one byte can name" },
  { "two-byte", "videotestsrc num-buffers=12 ! vp8enc deadline=1 ! rtpvp8pay",
      "rtpvp8depay", 2, 20, "above 14: RFC 8285 4.3" },
};

/* The data of extension `id`, which must be there. */
static void
check_zeros (GstRTPBuffer *rtp, guint id, gboolean two_byte, guint size)
{
  guint8 appbits;
  gpointer data;
  guint found_size;

  if (two_byte)
    g_assert_true (gst_rtp_buffer_get_extension_twobytes_header (
        rtp, &appbits, (guint8) id, 0, &data, &found_size));
  else
    g_assert_true (gst_rtp_buffer_get_extension_onebyte_header (
        rtp, (guint8) id, 0, &data, &found_size));
  g_assert_cmpuint (found_size, ==, size);
  for (guint i = 0; i < size; i++)
    g_assert_cmphex (((guint8 *) data)[i], ==, 0);
}

static GstPadProbeReturn
on_packet (GstPad *pad, GstPadProbeInfo *info, gpointer packets)
{
  GstBuffer *buffer = GST_PAD_PROBE_INFO_BUFFER (info);
  guint row = GPOINTER_TO_UINT (g_object_get_data (G_OBJECT (pad), "test-row"));
  gboolean two_byte = MAX (rows[row].rtt_id, rows[row].colour_id) > 14;
  GstRTPBuffer rtp = GST_RTP_BUFFER_INIT;

  g_assert_true (gst_rtp_buffer_map (buffer, GST_MAP_READ, &rtp));
  check_zeros (&rtp, rows[row].rtt_id, two_byte, 7);
  check_zeros (&rtp, rows[row].colour_id, two_byte, 2);
  gst_rtp_buffer_unmap (&rtp);
  ++*(guint *) packets;
  return GST_PAD_PROBE_OK;
}

/* Every packet of a payloader has the room, and a depayloader that knows of it
 * says nothing against it. */
static void
test_payloader (gconstpointer data)
{
  guint r = GPOINTER_TO_UINT (data), packets = 0, units = 0;
  g_autofree gchar *line = g_strdup_printf (
      "%s ! application/x-rtp,extmap-%u=" RTT_SENDTS ",extmap-%u=" COLOUR
      " ! identity name=here ! %s ! appsink name=sink sync=false",
      rows[r].pay, rows[r].rtt_id, rows[r].colour_id, rows[r].depay);
  g_autoptr (GError) error = NULL;
  g_autoptr (GstElement) pipeline = gst_parse_launch (line, &error);
  g_autoptr (GstElement) here = NULL, sink = NULL;
  g_autoptr (GstPad) pad = NULL;
  g_autoptr (GstBus) bus = NULL;
  GstSample *sample;

  g_test_message ("%s", rows[r].why);
  if (!pipeline || error) {
    g_test_skip (error->message);
    return;
  }
  here = gst_bin_get_by_name (GST_BIN (pipeline), "here");
  sink = gst_bin_get_by_name (GST_BIN (pipeline), "sink");
  bus = gst_element_get_bus (pipeline);
  pad = gst_element_get_static_pad (here, "src"); /* it has no lists */
  g_object_set_data (G_OBJECT (pad), "test-row", GUINT_TO_POINTER (r));
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, on_packet, &packets, NULL);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  while (
      (sample = gst_app_sink_try_pull_sample (GST_APP_SINK (sink), TIMEOUT))) {
    units++;
    gst_sample_unref (sample);
  }
  g_assert_null (
      gst_bus_pop_filtered (bus, GST_MESSAGE_ERROR | GST_MESSAGE_WARNING));
  gst_element_set_state (pipeline, GST_STATE_NULL);
  g_assert_cmpuint (units, >=, 12);
  g_assert_cmpuint (packets, >=, units);
}

void
tests_add (void)
{
  rows_add_by ("/rtphdrext/uri", exts, factory, test_uri);
  rows_add_by ("/rtphdrext/bounds", exts, factory, test_bounds);
  rows_add_by ("/rtphdrext/payloader", rows, name, test_payloader);
}
