/* DTLS-SRTP of rtpadaptsink with stock elements at the other end.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "../main.h"
#include "sink-fixture.h"

#include "../../plugins/rtpadapt/wire/secure.h"

/* Stock elements: a DTLS server that counts the RTP it gets. */
typedef struct
{
  GstElement *pipeline;
  guint port;
  gint packets;
} Server;

static void
count_handoff (GstElement *sink, GstBuffer *buffer, GstPad *pad, gpointer data)
{
  g_assert_cmpuint (gst_buffer_get_size (buffer), ==, 100);
  g_atomic_int_inc ((gint *) data);
}

static gboolean
server_start (Server *server, const gchar *id)
{
  g_autofree gchar *line = g_strdup_printf (
      "udpsrc name=u address=127.0.0.1 port=0 ! "
      "dtlssrtpdec name=d connection-id=%s "
      "d.rtp_src ! fakesink name=f signal-handoffs=true sync=false async=false "
      "d.rtcp_src ! fakesink sync=false async=false "
      "dtlssrtpenc name=e connection-id=%s is-client=false ! "
      "udpsink name=answer host=127.0.0.1 sync=false async=false",
      id, id);
  GstElement *dec, *src, *sink;

  *server = (Server){ .pipeline = gst_parse_launch (line, NULL) };
  if (!server->pipeline)
    return FALSE;
  dec = gst_bin_get_by_name (GST_BIN (server->pipeline), "d");
  src = gst_bin_get_by_name (GST_BIN (server->pipeline), "u");
  sink = gst_bin_get_by_name (GST_BIN (server->pipeline), "f");
  gst_element_set_state (dec, GST_STATE_READY); /* before dtlssrtpenc */
  gst_element_set_state (server->pipeline, GST_STATE_READY);
  g_object_get (src, "port", &server->port, NULL);
  g_signal_connect (
      sink, "handoff", G_CALLBACK (count_handoff), &server->packets);
  gst_object_unref (sink);
  gst_object_unref (src);
  gst_object_unref (dec);
  return TRUE;
}

/* SHA-256 of its certificate. */
static gchar *
server_fingerprint (Server *server)
{
  GstElement *dec = gst_bin_get_by_name (GST_BIN (server->pipeline), "d");
  g_autofree gchar *pem = NULL;

  g_object_get (dec, "pem", &pem, NULL);
  gst_object_unref (dec);
  return secure_fingerprint (pem);
}

static void
server_answer_to (Server *server, guint port)
{
  GstElement *answer
      = gst_bin_get_by_name (GST_BIN (server->pipeline), "answer");

  g_object_set (answer, "port", port, NULL);
  gst_object_unref (answer);
  sink_play (server->pipeline);
}

static gboolean
is_ready (gpointer data)
{
  return stats_number (data, "security/ready") != 0;
}

static gboolean
is_one_unkeyed (gpointer data)
{
  return stats_number (data, "unkeyed") == 1;
}

static gboolean
got_packets (gpointer data)
{
  return g_atomic_int_get (&((Server *) data)->packets) >= 3;
}

static GstPadProbeReturn
count_key_unit (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  if (gst_event_has_name (GST_PAD_PROBE_INFO_EVENT (info), "GstForceKeyUnit"))
    g_atomic_int_inc ((gint *) data);
  return GST_PAD_PROBE_OK;
}

/* Nothing leaves before the handshake is over; then a key frame is asked for
 * and all passes. */
static void
test_dtls (void)
{
  Server server;
  GstElement *sink, *pipeline, *src;
  g_autofree gchar *fp = NULL, *options = NULL;
  gint key_units = 0;
  GstPad *pad;

  if (!server_start (&server, "test-dtls")) {
    g_test_skip ("no dtlssrtpdec");
    return;
  }
  fp = server_fingerprint (&server);
  options = g_strdup_printf ("dtls=true fingerprint=%s", fp);
  pipeline = sink_pipeline (server.port, options, &sink);
  src = gst_bin_get_by_name (GST_BIN (pipeline), "a");
  pad = gst_element_get_static_pad (src, "src");
  gst_pad_add_probe (
      pad, GST_PAD_PROBE_TYPE_EVENT_UPSTREAM, count_key_unit, &key_units, NULL);
  gst_element_set_state (pipeline, GST_STATE_PAUSED);
  g_assert_false (is_ready (sink));
  sink_play (pipeline);
  sink_push (pipeline, 1);
  g_assert_true (sink_wait (is_one_unkeyed, sink));
  server_answer_to (&server, sink_port (sink, "rtcpsrc"));
  g_assert_true (sink_wait (is_ready, sink));
  for (guint i = 2; i < 6; i++)
    sink_push (pipeline, i);
  g_assert_true (sink_wait (got_packets, &server));
  g_assert_cmpint (g_atomic_int_get (&key_units), >=, 1);
  gst_app_src_end_of_stream (GST_APP_SRC (src));
  sink_wait_eos (pipeline);
  gst_element_set_state (server.pipeline, GST_STATE_NULL);
  gst_object_unref (server.pipeline);
  gst_object_unref (pad);
  gst_object_unref (src);
  sink_stop (pipeline, sink);
}

/* Another certificate than the one that is wanted: a warning, and nothing is
 * sent. */
static void
test_dtls_stranger (void)
{
  Server server;
  GstElement *sink, *pipeline;
  GstMessage *message;
  GError *error = NULL;
  GstBus *bus;
  g_autofree gchar *fp = NULL;
  /* 64 digits of another one. */
  g_autofree gchar *options
      = g_strdup_printf ("dtls=true fingerprint=%064d", 0);

  if (!server_start (&server, "test-stranger")) {
    g_test_skip ("no dtlssrtpdec");
    return;
  }
  fp = server_fingerprint (&server);
  pipeline = sink_pipeline (server.port, options, &sink);
  bus = gst_element_get_bus (pipeline);
  gst_element_set_state (pipeline, GST_STATE_READY);
  sink_play (pipeline);
  server_answer_to (&server, sink_port (sink, "rtcpsrc"));
  /* A slow machine hears before that nobody has answered for 3 s. */
  for (gboolean told = FALSE; !told;) {
    message = gst_bus_timed_pop_filtered (
        bus, PATIENCE * GST_USECOND, GST_MESSAGE_WARNING);
    g_assert_nonnull (message);
    gst_message_parse_warning (message, &error, NULL);
    told = strstr (error->message, fp) != NULL;
    g_clear_error (&error);
    gst_message_unref (message);
  }
  for (guint i = 1; i < 20; i++)
    sink_push (pipeline, i);
  g_assert_false (is_ready (sink));
  g_assert_cmpint (server.packets, ==, 0);
  gst_element_set_state (server.pipeline, GST_STATE_NULL);
  gst_object_unref (server.pipeline);
  gst_object_unref (bus);
  sink_stop (pipeline, sink);
}

static void
test_dtls_cycles (void)
{
  Server server;
  GstElement *sink, *pipeline;

  if (!server_start (&server, "test-cycles")) {
    g_test_skip ("no dtlssrtpdec");
    return;
  }
  pipeline = sink_pipeline (server.port, "dtls=true", &sink);
  for (guint i = 0; i < 10; i++) {
    sink_play (pipeline);
    sink_push (pipeline, i);
    gst_element_set_state (pipeline, GST_STATE_NULL);
  }
  gst_element_set_state (server.pipeline, GST_STATE_NULL);
  gst_object_unref (server.pipeline);
  sink_stop (pipeline, sink);
}

/* --- a server that comes late --------------------------------------------- */

/* The client's first words, as the network sees them. */
typedef struct
{
  guint8 random[32]; /* RFC 5246 7.4.1.2 */
  guint rounds;      /* of hellos near each other, since that one came */
  guint n, before;   /* hellos of this round and of the one before */
  gint64 last;
} Hellos;

/* Nearer than that is the same round: a client that waits for an answer waits
 * longer. */
#define APART (250 * G_TIME_SPAN_MILLISECOND)

/* Waits for the next one: its first fragment (RFC 6347 4.2.2). */
static guint
hellos_hear (gint ear, Hellos *h)
{
  UdpHeard heard;
  gint64 now;

  do {
    udp_hear (ear, &heard);
    g_assert_cmpint (heard.size, >, 13 + 12 + 2 + 32);
  } while (heard.data[0] != 22 || heard.data[13] != 1
      || GST_READ_UINT24_BE (heard.data + 19) != 0);
  now = g_get_monotonic_time ();
  if (memcmp (h->random, heard.data + 27, sizeof h->random) != 0) {
    memcpy (h->random, heard.data + 27, sizeof h->random);
    h->rounds = 0;
    h->n = 1;
  } else if (now - h->last > APART) {
    h->rounds++;
    h->before = h->n;
    h->n = 1;
  } else {
    h->n++;
  }
  h->last = now;
  return heard.from_port;
}

/* A server's flight is four hellos long, and three times what came may leave: a
 * server that comes late needs two hellos, as the first one had.  DTLS's own
 * repetitions are single and 1, 2 and 4 s apart (RFC 6347 4.2.4.1), so that they
 * make no two rounds in a row. */
static void
test_dtls_late (void)
{
  /* The beginning of a ServerHello: some of the flight, but not all. */
  static const guint8 piece[] = { 22, 0xfe, 0xfd, 0, 0, 0, 0, 0, 0, 0, 0, 0, 22,
    2, 0, 0, 80, 0, 0, 0, 0, 0, 0, 0, 10, 0xfe, 0xfd, 1, 2, 3, 4, 5, 6, 7, 8 };
  GstElementFactory *factory = gst_element_factory_find ("dtlssrtpdec");
  gint64 end = g_get_monotonic_time () + PATIENCE;
  GstElement *sink, *pipeline;
  Hellos h = { .rounds = 0 };
  guint port = 0, from;
  gint ear;

  if (!factory) {
    g_test_skip ("no dtlssrtpdec");
    return;
  }
  gst_object_unref (factory);
  ear = udp_socket ("127.0.0.1", &port);
  pipeline = sink_pipeline (port, "dtls=true", &sink);
  sink_play (pipeline);
  do {
    from = hellos_hear (ear, &h);
    g_assert_cmpint (g_get_monotonic_time (), <, end);
  } while (h.rounds < 2 || h.before < 2 || h.n < 2);
  /* It goes on while the client cannot reply.  A machine that is too slow sees
   * another try. */
  do {
    udp_say (ear, "127.0.0.1", from, 0, piece, sizeof piece);
    from = hellos_hear (ear, &h);
    g_assert_cmpint (g_get_monotonic_time (), <, end);
  } while (h.rounds < 6);
  sink_stop (pipeline, sink);
  close (ear);
}

void
tests_add (void)
{
  g_test_add_func ("/secure-dtls/handshake", test_dtls);
  g_test_add_func ("/secure-dtls/stranger", test_dtls_stranger);
  g_test_add_func ("/secure-dtls/cycles", test_dtls_cycles);
  g_test_add_func ("/secure-dtls/late", test_dtls_late);
}
