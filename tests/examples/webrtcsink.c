/* rtpadaptsend inside webrtcsink of gst-plugins-rs, for each of its consumers.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 *     webrtcsink [SECONDS [PORT]]
 *
 * It waits at ws://127.0.0.1:PORT for consumers, such as the page of webrtcsink.py.
 * Without webrtcsink it says so and does nothing.
 */
#include <gst/rtp/rtp.h>

#define TWCC \
  "http://www.ietf.org/id/draft-holmer-rmcat-transport-wide-cc-extensions-01"

#define SENDER                                                      \
  "videotestsrc is-live=true pattern=ball"                          \
  " ! video/x-raw,width=640,height=360,framerate=30/1"              \
  " ! webrtcsink name=sink video-caps=video/x-vp8 stun-server=NULL" \
  "   run-signalling-server=true signalling-server-host=127.0.0.1"  \
  "   signalling-server-port=%u signaller::uri=ws://127.0.0.1:%u"

/* --- the recipe --------------------------------------------------------------- */

static void
on_bitrate (GstElement *adapt, GParamSpec *pspec, gpointer data)
{
  guint estimated, encoder;

  g_object_get (adapt, "estimated-bitrate", &estimated, "encoder-bitrate",
      &encoder, NULL);
  g_print ("%u kbit/s, encoder %u\n", estimated / 1000, encoder / 1000);
}

/* It finds the consumer's encoder upstream.  (transfer full) */
static GstElement *
on_aux_sender (GstElement *webrtcbin, GObject *transport, gpointer data)
{
  GstElement *adapt = gst_element_factory_make ("rtpadaptsend", NULL);

  g_object_set (
      adapt, "estimated-bitrate", 600000, "max-bitrate", 1000000, NULL);
  g_signal_connect (
      adapt, "notify::estimated-bitrate", G_CALLBACK (on_bitrate), NULL);
  return adapt;
}

static void
on_consumer (GstElement *sink, const gchar *consumer, GstElement *webrtcbin,
    gpointer data)
{
  g_signal_connect (
      webrtcbin, "request-aux-sender", G_CALLBACK (on_aux_sender), NULL);
}

/* Without congestion control of its own it offers no transport-wide numbers.  FALSE:
 * it goes on to set the payloader up. */
static gboolean
on_payloader (GstElement *sink, const gchar *consumer, const gchar *stream,
    GstElement *payloader, gpointer data)
{
  g_autoptr (GstRTPHeaderExtension) extension
      = gst_rtp_header_extension_create_from_uri (TWCC);

  gst_rtp_header_extension_set_id (extension, 1);
  g_signal_emit_by_name (payloader, "add-extension", extension);
  return FALSE;
}

static void
adapt_add (GstElement *sink)
{
  gst_util_set_object_arg (G_OBJECT (sink), "congestion-control", "disabled");
  g_object_set (sink, "do-fec", FALSE, NULL);
  g_signal_connect (sink, "payloader-setup", G_CALLBACK (on_payloader), NULL);
  g_signal_connect (sink, "consumer-added", G_CALLBACK (on_consumer), NULL);
}

/* --- an application ------------------------------------------------------------- */

int
main (int argc, char **argv)
{
  guint seconds = argc > 1 ? (guint) atoi (argv[1]) : 0;
  guint port = argc > 2 ? (guint) atoi (argv[2]) : 8443;
  g_autofree gchar *line = g_strdup_printf (SENDER, port, port);
  g_autoptr (GError) error = NULL;
  g_autoptr (GstElement) pipeline = NULL, sink = NULL;
  g_autoptr (GstBus) bus = NULL;
  g_autoptr (GstMessage) message = NULL;

  gst_init (&argc, &argv);
  pipeline = gst_parse_launch (line, &error);
  if (error) {
    g_printerr ("%s\n", error->message);
    return g_error_matches (
               error, GST_PARSE_ERROR, GST_PARSE_ERROR_NO_SUCH_ELEMENT)
        ? 77
        : 1;
  }
  sink = gst_bin_get_by_name (GST_BIN (pipeline), "sink");
  adapt_add (sink);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  bus = gst_element_get_bus (pipeline);
  message = gst_bus_timed_pop_filtered (bus,
      seconds > 0 ? seconds * GST_SECOND : GST_CLOCK_TIME_NONE,
      GST_MESSAGE_ERROR);
  if (message) {
    gst_message_parse_error (message, &error, NULL);
    g_printerr ("%s\n", error->message);
  }
  gst_element_set_state (pipeline, GST_STATE_NULL);
  return message ? 1 : 0;
}
