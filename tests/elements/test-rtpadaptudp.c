/* The UDP elements together, behind rtpsession and srtpenc, and on a network
 * that takes nothing.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "udp-fixture.h"

#include "../../plugins/rtpadapt/parts/tosmeta.h"
#include "../rows.h"

#include <gio/gio.h>
#include <gst/app/app.h>
#include <sched.h>

/* RFC 2597 6: AF41, AF42, AF43 */
static const gint tos_of[] = { 0x88, 0x90, 0x98 };
static const gchar kinds[] = "gyr";

/* --- marks survive -------------------------------------------------------- */

static void
test_session_and_srtp (void)
{
  static const guint8 plain[4] = { 0x55, 0x55, 0x55, 0x55 };
  const guint n = 300;
  guint port, right = 0;
  gint ear = udp_socket ("127.0.0.1", &port);
  g_autofree gchar *line = g_strdup_printf (
      "rtpsession name=s appsrc name=a format=time "
      "caps=application/x-rtp,media=video,clock-rate=90000,payload=96 ! "
      "s.send_rtp_sink s.send_rtp_src ! srtpenc name=e key=%s ! "
      "rtpadaptudpsink host=127.0.0.1 port=%u",
      "0102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e", port);
  GstElement *pipeline, *src;
  UdpHeard heard;

  pipeline
      = gst_parse_launch_full (line, NULL, GST_PARSE_FLAG_FATAL_ERRORS, NULL);
  if (!pipeline) {
    g_test_skip ("no rtpsession or srtpenc");
    close (ear);
    return;
  }
  src = gst_bin_get_by_name (GST_BIN (pipeline), "a");
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  for (guint i = 0; i < n; i++) {
    gst_app_src_push_buffer (
        GST_APP_SRC (src), udp_packet (i, 200, kinds[i * i % 3]));
    udp_hear (ear, &heard);
    g_assert_cmpuint (heard.seq, ==, i);
    g_assert_cmpint (heard.size, >, 200); /* with SRTP's tag */
    g_assert_true (memcmp (heard.data + 100, plain, 4) != 0);
    right += heard.tos == tos_of[i * i % 3];
  }
  g_assert_cmpuint (right, ==, n);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_object_unref (src);
  gst_object_unref (pipeline);
  close (ear);
}

static GstPadProbeReturn
paint (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  GstBuffer *buffer = gst_buffer_make_writable (info->data);

  rtp_adapt_buffer_set_colour (buffer, RA_MARK_YELLOW);
  info->data = buffer;
  return GST_PAD_PROBE_OK;
}

/* The colour of a frame is that of its packets. */
static void
test_payloader (void)
{
  GstElement *pipeline = gst_parse_launch_full (
      "videotestsrc num-buffers=10 ! vp8enc name=e ! rtpvp8pay mtu=200 ! "
      "rtpadaptudpsink name=u host=127.0.0.1 port=9",
      NULL, GST_PARSE_FLAG_FATAL_ERRORS, NULL);
  GstElement *encoder, *sink;
  GstMessage *message;
  GstBus *bus;
  GstPad *pad;

  if (!pipeline) {
    g_test_skip ("no vp8enc");
    return;
  }
  encoder = gst_bin_get_by_name (GST_BIN (pipeline), "e");
  sink = gst_bin_get_by_name (GST_BIN (pipeline), "u");
  pad = gst_element_get_static_pad (encoder, "src");
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, paint, NULL, NULL);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  bus = gst_element_get_bus (pipeline);
  message = gst_bus_timed_pop_filtered (
      bus, 60 * GST_SECOND, GST_MESSAGE_EOS | GST_MESSAGE_ERROR);
  g_assert_nonnull (message);
  g_assert_cmpint (GST_MESSAGE_TYPE (message), ==, GST_MESSAGE_EOS);
  gst_message_unref (message);
  g_assert_cmpuint (udp_stat (sink, "packets"), >, 10);
  g_assert_cmpuint (
      udp_stat (sink, "packets-yellow"), ==, udp_stat (sink, "packets"));
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_object_unref (pad);
  gst_object_unref (bus);
  gst_object_unref (sink);
  gst_object_unref (encoder);
  gst_object_unref (pipeline);
}

static void
test_metas (void)
{
  GstBuffer *a = udp_packet (1, 100, 'y'), *b;

  rtp_adapt_buffer_add_tos (a, 0x91);
  b = gst_buffer_copy (a);
  g_assert_cmpint (rtp_adapt_buffer_get_colour (b), ==, RA_MARK_YELLOW);
  g_assert_cmphex (rtp_adapt_buffer_get_tos (b), ==, 0x91);
  rtp_adapt_buffer_set_colour (b, RA_MARK_RED);
  g_assert_cmpint (rtp_adapt_buffer_get_colour (b), ==, RA_MARK_RED);
  g_assert_cmpint (rtp_adapt_buffer_get_colour (a), ==, RA_MARK_YELLOW);
  gst_buffer_unref (b);
  b = gst_buffer_copy_region (a, GST_BUFFER_COPY_ALL, 12, 50);
  g_assert_cmpint (rtp_adapt_buffer_get_colour (b), ==, RA_MARK_YELLOW);
  gst_buffer_unref (b);
  gst_buffer_unref (a);
  b = gst_buffer_new ();
  g_assert_cmpint (rtp_adapt_buffer_get_colour (b), ==, RA_MARK_NONE);
  g_assert_cmpint (rtp_adapt_buffer_get_tos (b), ==, -1);
  gst_buffer_unref (b);
}

/* --- a network that takes 1,000 bytes/s ----------------------------------- */

static gboolean
run (const gchar *line)
{
  gint status = -1;

  return g_spawn_command_line_sync (line, NULL, NULL, &status, NULL)
      && status == 0;
}

/* Moves this thread, with what it makes from now on, to a network of its own.
 */
static gboolean
own_network (void)
{
  static const gchar *const lines[]
      = { "ip link set lo up", "ip link add v0 type veth peer name v1",
          "ip addr add 10.9.9.1/24 dev v0", "ip link set v0 up",
          "ip link set v1 up", "ip -6 addr add fd00::1/64 dev v0 nodad",
          "ip neigh add 10.9.9.2 lladdr 02:00:00:00:00:02 dev v0",
          "tc qdisc add dev v0 root tbf rate 8kbit burst 2000 limit 1000000" };

  if (unshare (CLONE_NEWNET) != 0)
    return FALSE;
  for (guint i = 0; i < G_N_ELEMENTS (lines); i++) {
    if (!run (lines[i]))
      return FALSE;
  }
  return TRUE;
}

/* --- both elements -------------------------------------------------------- */

typedef struct
{
  GstHarness *src, *sink;
  gint port;
} Pair;

static void
pair_new (Pair *t, const gchar *src, const gchar *sink)
{
  g_autofree gchar *one = g_strconcat ("rtpadaptudpsrc ", src, NULL);
  g_autofree gchar *two = g_strconcat ("rtpadaptudpsink ", sink, NULL);
  g_autoptr (GstElement) a = gst_parse_launch (one, NULL);
  g_autoptr (GstElement) b = gst_parse_launch (two, NULL);
  GstHarness *h;

  t->src = h = gst_harness_new_with_element (a, NULL, "src");
  gst_harness_play (h);
  g_object_get (a, "port", &t->port, NULL);
  g_object_set (b, "port", t->port, NULL);
  t->sink = gst_harness_new_with_element (b, "sink", NULL);
  gst_harness_set_src_caps_str (t->sink, "application/x-rtp");
}

static void
pair_end (Pair *t)
{
  gst_harness_teardown (t->sink);
  gst_harness_teardown (t->src);
}

/* TRUE if it came. */
static gboolean
pair_carry (Pair *t, gchar kind)
{
  GstBuffer *buffer;
  gint tos;

  g_assert_cmpint (
      gst_harness_push (t->sink, udp_packet (7, 100, kind)), ==, GST_FLOW_OK);
  buffer = gst_harness_pull (t->src);
  if (!buffer)
    return FALSE;
  tos = rtp_adapt_buffer_get_tos (buffer);
  gst_buffer_unref (buffer);
  return tos == tos_of[strchr (kinds, kind) - kinds];
}

static const struct
{
  const gchar *src, *sink;
  gboolean own; /* in the own network: lo carries no IPv6 multicast */
  const gchar *why;
} pairs[] = {
  { "port=0", "", FALSE, "as they are by default" },
  { "port=0", "host=::1", FALSE, "IPv6" },
  { "port=0 address=239.255.42.7 multicast-iface=lo",
      "host=239.255.42.7 multicast-iface=lo", FALSE, "multicast, IPv4" },
  { "port=0 address=ff15::4207 multicast-iface=v0",
      "host=ff15::4207 multicast-iface=v0", TRUE, "multicast, IPv6" },
  { "port=0 address=ff02::4207%v0", "host=ff02::4207%v0", TRUE,
      "multicast, IPv6 of the link" },
};

static gpointer
run_pair (gpointer data)
{
  guint r = GPOINTER_TO_UINT (data);
  guint port;
  gint v6 = udp_socket ("::1", &port);
  Pair t;

  g_test_message ("%s", pairs[r].why);
  if (v6 < 0 && strchr (pairs[r].sink, ':')) {
    g_test_skip ("no IPv6 here");
    return NULL;
  }
  if (pairs[r].own && !own_network ()) {
    g_test_skip ("no network namespaces, veth or tbf here");
  } else {
    pair_new (&t, pairs[r].src, pairs[r].sink);
    for (const gchar *kind = "gyrryg"; *kind; kind++)
      g_assert_true (pair_carry (&t, *kind));
    pair_end (&t);
  }
  close (v6);
  return NULL;
}

/* In a thread, as only a thread leaves the network it has. */
static void
test_pair (gconstpointer data)
{
  g_thread_join (g_thread_new ("pair", run_pair, (gpointer) data));
}

/* What the sink sends comes from the source's port, and an answer gets there.
 * The sink's end is not the socket's. */
static void
test_one_socket (void)
{
  GstElement *sink = gst_element_factory_make ("rtpadaptudpsink", NULL);
  GstHarness *src = gst_harness_new_parse ("rtpadaptudpsrc port=0"), *h;
  GstElement *element = gst_harness_find_element (src, "rtpadaptudpsrc");
  guint ear_port;
  gint ear = udp_socket ("127.0.0.1", &ear_port), port;
  g_autoptr (GSocket) socket = NULL;
  UdpHeard heard;

  gst_harness_play (src);
  g_object_get (element, "used-socket", &socket, "port", &port, NULL);
  g_object_set (
      sink, "socket", socket, "host", "127.0.0.1", "port", ear_port, NULL);
  h = gst_harness_new_with_element (sink, "sink", NULL);
  gst_harness_set_src_caps_str (h, "application/x-rtp");
  gst_harness_push (h, udp_packet (3, 100, 'r'));
  udp_hear (ear, &heard);
  g_assert_cmphex (heard.tos, ==, 0x98);
  g_assert_cmpuint (heard.from_port, ==, port);
  gst_harness_teardown (h);
  gst_object_unref (sink);

  udp_say (ear, "127.0.0.1", heard.from_port, 0, "answer", 6);
  gst_buffer_unref (gst_harness_pull (src));
  gst_object_unref (element);
  gst_harness_teardown (src);
  close (ear);
}

/* --- on the slow network -------------------------------------------------- */

typedef struct
{
  GstHarness *h;
  GstElement *sink;
  gint pushed, last; /* packets taken; GstFlowReturn of the latest */
  gint stop;
} Slow;

static gboolean
slow_new (Slow *t)
{
  GSocket *socket;

  memset (t, 0, sizeof *t);
  if (!own_network ()) {
    g_test_skip ("no network namespaces, veth or tbf here");
    return FALSE;
  }
  t->sink = gst_parse_launch (
      "rtpadaptudpsink host=10.9.9.2 bind-address=10.9.9.1", NULL);
  t->h = gst_harness_new_with_element (t->sink, "sink", NULL);
  gst_harness_set_src_caps_str (t->h, "application/x-rtp");
  g_object_get (t->sink, "used-socket", &socket, NULL);
  g_socket_set_option (socket, SOL_SOCKET, SO_SNDBUF, 10000, NULL);
  g_object_unref (socket);
  return TRUE;
}

static gpointer
slow_push (gpointer data)
{
  Slow *t = data;

  while (!g_atomic_int_get (&t->stop)) {
    t->last = gst_harness_push (t->h, udp_packet (0, 1000, 'g'));
    if (t->last != GST_FLOW_OK)
      break;
    g_atomic_int_inc (&t->pushed);
  }
  return NULL;
}

static void
slow_wait (Slow *t, guint64 drops)
{
  for (guint i = 0; i < 6000 && udp_stat (t->sink, "eagain-drops") < drops; i++)
    g_usleep (10000);
  g_assert_cmpuint (udp_stat (t->sink, "eagain-drops"), >=, drops);
}

static gpointer
slow_states (gpointer data)
{
  GThread *thread;
  Slow t;

  if (!slow_new (&t))
    return NULL;
  thread = g_thread_new ("push", slow_push, &t);
  slow_wait (&t, 1);
  g_test_message ("PAUSED keeps what waits, PLAYING goes on");
  for (guint i = 0; i < 5; i++) {
    guint64 drops = udp_stat (t.sink, "eagain-drops");

    g_assert_cmpint (gst_element_set_state (t.sink, GST_STATE_PAUSED), ==,
        GST_STATE_CHANGE_SUCCESS);
    gst_element_set_state (t.sink, GST_STATE_PLAYING);
    slow_wait (&t, drops + 1);
  }
  g_assert_cmpint (t.last, ==, GST_FLOW_OK);
  g_test_message ("the way down is not held up");
  gst_element_set_state (t.sink, GST_STATE_READY);
  g_thread_join (thread);
  g_assert_cmpint (t.last, ==, GST_FLOW_FLUSHING);
  g_assert_cmpuint (
      udp_stat (t.sink, "packets") + udp_stat (t.sink, "eagain-drops"), ==,
      t.pushed);
  g_assert_cmpuint (udp_stat (t.sink, "send-errors"), ==, 0);
  gst_harness_teardown (t.h);
  gst_object_unref (t.sink);
  return NULL;
}

/* Returns how long a list of 50 packets waits, us; 0 where there is no slow network. */
static gint64
slow_list_once (void)
{
  GstBufferList *list;
  gint64 start, took;
  Slow t;

  if (!slow_new (&t))
    return 0;
  list = gst_buffer_list_new ();
  for (guint i = 0; i < 50; i++)
    gst_buffer_list_add (list, udp_packet (i, 1000, 'g'));
  start = g_get_monotonic_time ();
  g_assert_cmpint (gst_pad_push_list (t.h->srcpad, list), ==, GST_FLOW_OK);
  took = g_get_monotonic_time () - start;
  g_assert_cmpint (took, >=, 100000);
  g_assert_cmpuint (udp_stat (t.sink, "eagain-drops"), >, 0);
  g_assert_cmpuint (
      udp_stat (t.sink, "packets") + udp_stat (t.sink, "eagain-drops"), ==, 50);
  gst_harness_teardown (t.h);
  gst_object_unref (t.sink);
  return took;
}

/* A list that waits goes as one: 100 ms for all of it, not for each of some 40.  A loaded
 * machine has several tries. */
static gpointer
slow_list (gpointer data)
{
  gint64 took = G_MAXINT64;

  for (guint i = 0; i < 5 && took >= 4 * G_TIME_SPAN_SECOND; i++)
    took = slow_list_once ();
  g_assert_cmpint (took, <, 4 * G_TIME_SPAN_SECOND);
  return NULL;
}

/* No route: counted, said once, and over when there is one. */
static gpointer
slow_unreachable (gpointer data)
{
  g_autofree gchar *said = NULL;
  GstBus *bus;
  Slow t;

  if (!slow_new (&t))
    return NULL;
  bus = udp_bus_new (t.sink);
  g_object_set (t.sink, "host", "192.0.2.1", NULL);
  for (guint i = 0; i < 3; i++)
    g_assert_cmpint (
        gst_harness_push (t.h, udp_packet (i, 100, 'g')), ==, GST_FLOW_OK);
  g_assert_cmpuint (udp_stat (t.sink, "send-errors"), ==, 3);
  said = udp_said (bus, GST_MESSAGE_WARNING);
  g_assert_cmpstr (
      said, ==, "The network refused a packet: Network is unreachable.");
  g_assert_null (udp_said (bus, GST_MESSAGE_WARNING));
  g_object_set (t.sink, "host", "10.9.9.2", NULL);
  gst_harness_push (t.h, udp_packet (4, 100, 'g'));
  g_assert_cmpuint (udp_stat (t.sink, "packets"), ==, 1);
  gst_harness_teardown (t.h);
  udp_bus_free (bus);
  gst_object_unref (t.sink);
  return NULL;
}

static void
test_slow (gconstpointer data)
{
  g_thread_join (g_thread_new ("slow", *(const GThreadFunc *) data, NULL));
}

void
tests_add (void)
{
  static const GThreadFunc slow[]
      = { slow_states, slow_list, slow_unreachable };

  g_setenv ("LC_ALL", "C", TRUE);
  rows_add ("/udp/pair", pairs, test_pair);
  g_test_add_func ("/udp/session-and-srtp", test_session_and_srtp);
  g_test_add_func ("/udp/payloader", test_payloader);
  g_test_add_func ("/udp/metas", test_metas);
  g_test_add_func ("/udp/one-socket", test_one_socket);
  g_test_add_data_func ("/udp/slow-states", &slow[0], test_slow);
  g_test_add_data_func ("/udp/slow-list", &slow[1], test_slow);
  g_test_add_data_func ("/udp/slow-unreachable", &slow[2], test_slow);
}
