/* An application with its own rtpbin: the rate, the statistics, and another
 * controller and LDA while it plays.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 *     adapt [FRAMES]
 *
 * A sender and a receiver, which has nothing of ours, talk over UDP on this
 * machine, through a path that loses 2 % of the packets.
 */
#include <gst/gst.h>

#define TWCC \
  "http://www.ietf.org/id/draft-holmer-rmcat-transport-wide-cc-extensions-01"
#define RTP_CAPS                                                       \
  "application/x-rtp,media=video,clock-rate=90000,encoding-name=H264," \
  "payload=96,extmap-1=(string)" TWCC

/* Feedback comes with each frame: AVPF, and bandwidth enough for RTCP. */
#define RECEIVER                                                               \
  "rtpbin name=rtp rtp-profile=avpf latency=50 rtpsession0::bandwidth=4000000" \
  " udpsrc name=rtpsrc port=0 address=127.0.0.1 caps=\"" RTP_CAPS "\""         \
  " ! rtp.recv_rtp_sink_0"                                                     \
  " rtp.send_rtcp_src_0 ! udpsink name=rtcpsink host=127.0.0.1"                \
  "   sync=false async=false"                                                  \
  " rtp. ! rtph264depay ! avdec_h264 ! fakesink name=view"                     \
  "   signal-handoffs=true sync=false"

#define SENDER                                                                \
  "rtpbin name=rtp rtp-profile=avpf"                                          \
  " videotestsrc is-live=true pattern=ball"                                   \
  " ! video/x-raw,width=320,height=180,framerate=30/1"                        \
  " ! x264enc name=encoder tune=zerolatency speed-preset=ultrafast"           \
  "   vbv-buf-capacity=200"                                                   \
  " ! rtph264pay mtu=1200 ! " RTP_CAPS                                        \
  " ! rtpadaptsend name=adapt max-bitrate=1000000 ! rtp.send_rtp_sink_0"      \
  " rtp.send_rtp_src_0 ! rtpadaptlink seed=1"                                 \
  "   link=\"bottleneck rate=1500k queue=100ms ! delay 10ms ! bernoulli 2%\"" \
  " ! udpsink name=rtpsink host=127.0.0.1 sync=false async=false"             \
  " udpsrc name=rtcpsrc port=0 address=127.0.0.1 ! rtp.recv_rtcp_sink_0"

typedef struct
{
  GMainLoop *loop;
  GstElement *sender, *receiver, *adapt;
  gint frames; /* decoded, atomic */
  gint wanted;
  guint notified;
  gboolean switched, failed;
} App;

/* Comes from a thread of the element's: no lock is held, so any property may
 * be read.  An application whose encoder rtpadaptsend does not know sets its
 * bitrate here. */
static void
on_estimated_bitrate (GstElement *adapt, GParamSpec *pspec, gpointer data)
{
  App *app = data;
  guint bitrate;

  g_object_get (adapt, "estimated-bitrate", &bitrate, NULL);
  g_atomic_int_inc (&app->notified);
  GST_DEBUG ("%u bit/s", bitrate);
}

static void
on_frame (GstElement *view, GstBuffer *buffer, GstPad *pad, gpointer data)
{
  App *app = data;

  g_atomic_int_inc (&app->frames);
}

static void
stats_print (App *app)
{
  g_autoptr (GstStructure) stats = NULL;
  guint64 congestion = 0, wireless = 0;
  gint64 rtt = 0;
  guint bitrate = 0;

  g_object_get (app->adapt, "stats", &stats, NULL);
  gst_structure_get (stats, "estimated-bitrate", G_TYPE_UINT, &bitrate, "rtt",
      G_TYPE_INT64, &rtt, "congestion-losses", G_TYPE_UINT64, &congestion,
      "wireless-losses", G_TYPE_UINT64, &wireless, NULL);
  g_print ("%s + %s: %u kbit/s, RTT %.0f ms, losses: %" G_GUINT64_FORMAT
           " congestion, %" G_GUINT64_FORMAT " wireless\n",
      gst_structure_get_string (stats, "controller"),
      gst_structure_get_string (stats, "lda"), bitrate / 1000,
      (gdouble) rtt / 1e6, congestion, wireless);
}

static gboolean
on_tick (gpointer data)
{
  App *app = data;
  gint frames = g_atomic_int_get (&app->frames);

  stats_print (app);
  if (!app->switched && frames >= app->wanted / 2) {
    gst_util_set_object_arg (G_OBJECT (app->adapt), "controller", "ssvp");
    gst_util_set_object_arg (G_OBJECT (app->adapt), "lda", "spike");
    app->switched = TRUE;
  }
  if (frames >= app->wanted)
    g_main_loop_quit (app->loop);
  return G_SOURCE_CONTINUE;
}

static gboolean
on_message (GstBus *bus, GstMessage *message, gpointer data)
{
  App *app = data;
  g_autoptr (GError) error = NULL;

  if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR) {
    gst_message_parse_error (message, &error, NULL);
    g_printerr ("%s\n", error->message);
    app->failed = TRUE;
    g_main_loop_quit (app->loop);
  }
  return G_SOURCE_CONTINUE;
}

static GstElement *
pipeline_new (App *app, const gchar *description)
{
  g_autoptr (GError) error = NULL;
  GstElement *pipeline = gst_parse_launch (description, &error);
  g_autoptr (GstBus) bus = NULL;

  if (error)
    g_error ("%s", error->message);
  bus = gst_element_get_bus (pipeline);
  gst_bus_add_watch (bus, on_message, app);
  return pipeline;
}

/* `sink` of one sends to the port that `source` of the other got. */
static void
join (GstElement *from, const gchar *sink, GstElement *to, const gchar *source)
{
  g_autoptr (GstElement) udpsink = gst_bin_get_by_name (GST_BIN (from), sink);
  g_autoptr (GstElement) udpsrc = gst_bin_get_by_name (GST_BIN (to), source);
  gint port;

  gst_element_set_state (udpsrc, GST_STATE_READY); /* it binds */
  g_object_get (udpsrc, "port", &port, NULL);
  g_object_set (udpsink, "port", port, NULL);
}

static void
pipeline_stop (GstElement *pipeline)
{
  g_autoptr (GstBus) bus = gst_element_get_bus (pipeline);

  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_bus_remove_watch (bus);
  gst_object_unref (pipeline);
}

int
main (int argc, char **argv)
{
  App app = { .wanted = argc > 1 ? atoi (argv[1]) : 300 };
  g_autoptr (GstElement) view = NULL;
  gboolean ok;
  guint tick;

  gst_init (&argc, &argv);
  app.loop = g_main_loop_new (NULL, FALSE);
  app.sender = pipeline_new (&app, SENDER);
  app.receiver = pipeline_new (&app, RECEIVER);
  join (app.sender, "rtpsink", app.receiver, "rtpsrc");
  join (app.receiver, "rtcpsink", app.sender, "rtcpsrc");

  app.adapt = gst_bin_get_by_name (GST_BIN (app.sender), "adapt");
  g_signal_connect (app.adapt, "notify::estimated-bitrate",
      G_CALLBACK (on_estimated_bitrate), &app);
  view = gst_bin_get_by_name (GST_BIN (app.receiver), "view");
  g_signal_connect (view, "handoff", G_CALLBACK (on_frame), &app);

  gst_element_set_state (app.receiver, GST_STATE_PLAYING);
  gst_element_set_state (app.sender, GST_STATE_PLAYING);
  tick = g_timeout_add_seconds (1, on_tick, &app);
  g_main_loop_run (app.loop);
  g_source_remove (tick);

  ok = !app.failed && app.switched && g_atomic_int_get (&app.notified) > 0;
  g_print ("%d frames, bitrate notified %d times\n",
      g_atomic_int_get (&app.frames), g_atomic_int_get (&app.notified));
  pipeline_stop (app.sender);
  pipeline_stop (app.receiver);
  gst_object_unref (app.adapt);
  g_main_loop_unref (app.loop);
  return ok ? 0 : 1;
}
