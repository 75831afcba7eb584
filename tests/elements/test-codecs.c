/* Codecs that are rare: pictures come, and the encoder is driven.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "../rows.h"
#include "src-fixture.h"

static const struct
{
  const gchar *name, *encoder, *sender, *receiver;
  const gchar *needs; /* elements that not everybody has, commas between */
  const gchar *why;
} codec_rows[] = {
  { "JPEG", "jpegenc", "rtpjpegpay", "rtpjpegdepay ! jpegdec",
      "jpegenc,rtpjpegpay", "it has no bitrate" },
  { "AV1",
      "av1enc usage-profile=realtime cpu-used=10 end-usage=cbr "
      "max-quantizer=63 buf-sz=150 buf-initial-sz=100 buf-optimal-sz=120",
      "av1parse ! rtpav1pay", "rtpav1depay ! av1parse ! av1dec",
      "av1enc,av1parse,rtpav1pay", "its payloader is in gst-plugins-rs" },
};

#define SENDER                                                             \
  "videotestsrc is-live=true pattern=zone-plate kx2=12 ky2=12 kt=3 ! "     \
  "video/x-raw,format=I420,width=160,height=120,framerate=25/1 ! %s ! %s " \
  "! rtpadaptsink name=sink host=127.0.0.1 port=%d start-bitrate=300000 "  \
  "max-bitrate=400000"

/* The first that is missing, or NULL. */
static gchar *
missing (const gchar *needs)
{
  g_auto (GStrv) each = g_strsplit (needs, ",", -1);

  for (guint i = 0; each[i]; i++) {
    g_autoptr (GstElementFactory) found = gst_element_factory_find (each[i]);

    if (!found)
      return g_strdup (each[i]);
  }
  return NULL;
}

static void
test_codec (gconstpointer data)
{
  guint i = GPOINTER_TO_UINT (data);
  g_autofree gchar *lacks = missing (codec_rows[i].needs), *line = NULL;
  g_autofree gchar *settings = NULL, *branch = NULL;
  g_autoptr (GstElement) sender = NULL, sink = NULL;
  g_autoptr (GstBus) bus = NULL;
  GError *error = NULL;
  Receiver receiver;
  guint bps = 0;

  if (lacks) {
    g_test_skip (lacks);
    return;
  }
  g_test_message ("%s: %s", codec_rows[i].name, codec_rows[i].why);
  settings = g_strdup_printf ("encoding-name=%s", codec_rows[i].name);
  branch = g_strdup_printf ("%s%s", codec_rows[i].receiver, RECEIVER_OUT);
  receiver_new (&receiver, settings, branch);
  receiver_play (&receiver);
  line = g_strdup_printf (
      SENDER, codec_rows[i].encoder, codec_rows[i].sender, receiver.port);
  sender = gst_parse_launch (line, &error);
  g_assert_no_error (error);
  bus = gst_element_get_bus (sender);
  sink = gst_bin_get_by_name (GST_BIN (sender), "sink");
  gst_element_set_state (sender, GST_STATE_PLAYING);
  wait_frames (&receiver, 0, 30);
  g_object_get (sink, "encoder-bitrate", &bps, NULL);
  g_assert_cmpuint (bps, >, 0);
  g_assert_cmpuint (bps, <=, 400000);
  check_bus (bus);
  gst_element_set_state (sender, GST_STATE_NULL);
  receiver_end (&receiver);
}

void
tests_add (void)
{
  gst_registry_scan_path (
      gst_registry_get (), PLUGIN_SOURCES "/../../build/rivals");
  rows_add_by ("/codecs", codec_rows, name, test_codec);
}
