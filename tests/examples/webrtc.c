/* rtpadaptsend inside webrtcbin, as its aux sender.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 *     webrtc [FRAMES]
 *
 * The other side could be a browser: transport-wide feedback is all that is
 * asked of it.  Here it is a webrtcbin in the same process.
 */
#include <gst/gst.h>

#define TWCC \
  "http://www.ietf.org/id/draft-holmer-rmcat-transport-wide-cc-extensions-01"

#define CAPS                                                          \
  "application/x-rtp,media=video,clock-rate=90000,encoding-name=VP8," \
  "payload=96,rtcp-fb-transport-cc=(boolean)true,extmap-1=(string)" TWCC

#define SENDER                                                              \
  "webrtcbin name=webrtc bundle-policy=max-bundle"                          \
  " videotestsrc is-live=true pattern=ball"                                 \
  " ! video/x-raw,width=320,height=180,framerate=30/1"                      \
  " ! vp8enc deadline=1 end-usage=cbr lag-in-frames=0 buffer-size=150"      \
  "   buffer-optimal-size=120 buffer-initial-size=100"                      \
  " ! rtpvp8pay mtu=1200"                                                   \
  " ! application/x-rtp,media=video,clock-rate=90000,encoding-name=VP8,"    \
  "   payload=96,rtcp-fb-transport-cc=(boolean)true,extmap-1=(string)" TWCC \
  " ! webrtc."

/* The fakesink makes it a pipeline, and parse_launch give us one. */
#define RECEIVER "webrtcbin name=webrtc bundle-policy=max-bundle fakesink"

#define VIEW                                                                  \
  "rtpvp8depay ! vp8dec ! fakesink name=view signal-handoffs=true sync=false" \
  "   async=false"

/* GST_WEBRTC_RTP_TRANSCEIVER_DIRECTION_RECVONLY, without another library. */
#define RECVONLY 3

typedef struct
{
  GMainLoop *loop;
  GstElement *sender, *receiver; /* pipelines */
  GstElement *a, *b;             /* their webrtcbins */
  gint frames, wanted;
  gint64 rtt;
  gboolean failed;
} App;

/* It stands right before webrtcbin's RTP session.  (transfer full) */
static GstElement *
on_request_aux_sender (GstElement *webrtc, GObject *transport, gpointer data)
{
  GstElement *adapt = gst_element_factory_make ("rtpadaptsend", NULL);

  g_object_set (adapt, "max-bitrate", 1000000, NULL);
  return adapt;
}

/* Offer and answer, with no network between the two. */
static void
description_set (GstElement *local, GstElement *remote, GstPromise *promise,
    const gchar *what, GstPromise *then)
{
  const GValue *value
      = gst_structure_get_value (gst_promise_get_reply (promise), what);
  gpointer description = g_value_get_boxed (value);

  g_signal_emit_by_name (local, "set-local-description", description, NULL);
  g_signal_emit_by_name (remote, "set-remote-description", description, then);
  gst_promise_unref (promise);
}

static void
on_answer (GstPromise *promise, gpointer data)
{
  App *app = data;

  description_set (app->b, app->a, promise, "answer", NULL);
}

static void
on_offer_known (GstPromise *promise, gpointer data)
{
  App *app = data;

  gst_promise_unref (promise);
  g_signal_emit_by_name (app->b, "create-answer", NULL,
      gst_promise_new_with_change_func (on_answer, app, NULL));
}

static void
on_offer (GstPromise *promise, gpointer data)
{
  App *app = data;

  description_set (app->a, app->b, promise, "offer",
      gst_promise_new_with_change_func (on_offer_known, app, NULL));
}

static void
on_negotiation_needed (GstElement *webrtc, gpointer data)
{
  g_signal_emit_by_name (webrtc, "create-offer", NULL,
      gst_promise_new_with_change_func (on_offer, data, NULL));
}

static void
on_ice_candidate (
    GstElement *webrtc, guint line, const gchar *candidate, gpointer other)
{
  g_signal_emit_by_name (other, "add-ice-candidate", line, candidate);
}

/* A browser answers with the header extensions it was offered; webrtcbin wants
 * to be told. */
static void
answer_prepare (GstElement *webrtc)
{
  g_autoptr (GstCaps) caps = gst_caps_from_string (CAPS);
  g_autoptr (GstObject) transceiver = NULL;

  g_signal_emit_by_name (
      webrtc, "add-transceiver", RECVONLY, caps, &transceiver);
}

static void
on_frame (GstElement *view, GstBuffer *buffer, GstPad *pad, gpointer data)
{
  App *app = data;

  g_atomic_int_inc (&app->frames);
}

static void
on_pad_added (GstElement *webrtc, GstPad *pad, gpointer data)
{
  App *app = data;
  GstElement *bin = gst_parse_bin_from_description (VIEW, TRUE, NULL);
  g_autoptr (GstElement) view = gst_bin_get_by_name (GST_BIN (bin), "view");
  g_autoptr (GstPad) sink = gst_element_get_static_pad (bin, "sink");

  g_signal_connect (view, "handoff", G_CALLBACK (on_frame), app);
  gst_bin_add (GST_BIN (app->receiver), bin);
  gst_element_sync_state_with_parent (bin);
  gst_pad_link (pad, sink);
}

static gboolean
on_message (GstBus *bus, GstMessage *message, gpointer data)
{
  App *app = data;
  const GstStructure *s = gst_message_get_structure (message);
  guint bitrate = 0;

  if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR) {
    g_autoptr (GError) error = NULL;

    gst_message_parse_error (message, &error, NULL);
    g_printerr ("%s\n", error->message);
    app->failed = TRUE;
    g_main_loop_quit (app->loop);
  } else if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ELEMENT
      && gst_structure_has_name (s, "application/x-rtpadaptsend-stats")) {
    gst_structure_get (s, "estimated-bitrate", G_TYPE_UINT, &bitrate, "rtt",
        G_TYPE_INT64, &app->rtt, NULL);
    g_print ("%u kbit/s, RTT %.0f ms, %d frames\n", bitrate / 1000,
        (gdouble) app->rtt / 1e6, g_atomic_int_get (&app->frames));
    if (g_atomic_int_get (&app->frames) >= app->wanted)
      g_main_loop_quit (app->loop);
  }
  return G_SOURCE_CONTINUE;
}

static GstElement *
pipeline_new (App *app, const gchar *description, GstElement **webrtc)
{
  g_autoptr (GError) error = NULL;
  GstElement *pipeline = gst_parse_launch (description, &error);
  g_autoptr (GstBus) bus = NULL;

  if (error)
    g_error ("%s", error->message);
  bus = gst_element_get_bus (pipeline);
  gst_bus_add_watch (bus, on_message, app);
  *webrtc = gst_bin_get_by_name (GST_BIN (pipeline), "webrtc");
  return pipeline;
}

static void
pipeline_stop (GstElement *pipeline, GstElement *webrtc)
{
  g_autoptr (GstBus) bus = gst_element_get_bus (pipeline);

  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_bus_remove_watch (bus);
  gst_object_unref (webrtc);
  gst_object_unref (pipeline);
}

int
main (int argc, char **argv)
{
  App app = { .wanted = argc > 1 ? atoi (argv[1]) : 300 };

  gst_init (&argc, &argv);
  app.loop = g_main_loop_new (NULL, FALSE);
  app.sender = pipeline_new (&app, SENDER, &app.a);
  app.receiver = pipeline_new (&app, RECEIVER, &app.b);
  g_signal_connect (
      app.a, "request-aux-sender", G_CALLBACK (on_request_aux_sender), NULL);
  g_signal_connect (
      app.a, "on-negotiation-needed", G_CALLBACK (on_negotiation_needed), &app);
  g_signal_connect (
      app.a, "on-ice-candidate", G_CALLBACK (on_ice_candidate), app.b);
  g_signal_connect (
      app.b, "on-ice-candidate", G_CALLBACK (on_ice_candidate), app.a);
  g_signal_connect (app.b, "pad-added", G_CALLBACK (on_pad_added), &app);

  gst_element_set_state (app.receiver, GST_STATE_PLAYING);
  answer_prepare (app.b);
  gst_element_set_state (app.sender, GST_STATE_PLAYING);
  g_main_loop_run (app.loop);

  pipeline_stop (app.sender, app.a);
  pipeline_stop (app.receiver, app.b);
  g_main_loop_unref (app.loop);
  /* An RTT is known once feedback came. */
  return app.failed || app.rtt <= 0 ? 1 : 0;
}
