/* rtpadaptsink on the wire: what leaves, and what may come back.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "../main.h"
#include "names-fixture.h"
#include "sink-fixture.h"

#include <gst/rtp/rtp.h>
#include <net/if.h>

/* A slow machine may send an RR before its first packet (RFC 3550 6.4). */
static void
hear_sr (gint ear, UdpHeard *heard)
{
  do {
    udp_hear (ear, heard);
    g_assert_cmpint (heard->size, >=, 8);
  } while (!sink_heard_rtcp (heard) || heard->data[1] != 200);
}

/* --- key frames ---------------------------------------------------------- */

typedef struct
{
  gint key_units[2]; /* that reached the sources */
} Events;

static GstPadProbeReturn
note_event (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  Events *events = data;
  GstEvent *event = GST_PAD_PROBE_INFO_EVENT (info);
  guint which = g_object_get_data (G_OBJECT (pad), "second") ? 1 : 0;

  if (gst_event_has_name (event, "GstForceKeyUnit"))
    g_atomic_int_inc (&events->key_units[which]);
  return GST_PAD_PROBE_OK;
}

static void
watch (GstElement *pipeline, const gchar *name, gboolean second, Events *events)
{
  g_autoptr (GstElement) src = gst_bin_get_by_name (GST_BIN (pipeline), name);
  g_autoptr (GstPad) pad = gst_element_get_static_pad (src, "src");

  g_object_set_data (G_OBJECT (pad), "second", GINT_TO_POINTER (second));
  gst_pad_add_probe (
      pad, GST_PAD_PROBE_TYPE_EVENT_UPSTREAM, note_event, events, NULL);
}

static gboolean
key_unit_came (gpointer data)
{
  return g_atomic_int_get (&((Events *) data)->key_units[1]) > 0;
}

/* --- ports --------------------------------------------------------------- */

/* RFC 5761: one port each side.  The first report follows the first packets at
 * once, as there is bandwidth for it. */
static void
test_mux (void)
{
  static const gchar *const hosts[] = { "127.0.0.1", "::1" };

  for (guint i = 0; i < G_N_ELEMENTS (hosts); i++) {
    guint port;
    gint ear = udp_socket (hosts[i], &port);
    g_autofree gchar *options = g_strdup_printf ("host=%s", hosts[i]);
    GstElement *sink, *pipeline;
    UdpHeard rtp, rtcp;

    if (ear < 0) {
      g_test_message ("no %s here", hosts[i]);
      continue;
    }
    pipeline = sink_pipeline (port, options, &sink);
    sink_play (pipeline);
    sink_push (pipeline, 1);
    sink_hear_rtp (ear, &rtp);
    sink_push (pipeline, 2);
    hear_sr (ear, &rtcp);
    g_assert_cmpuint (rtp.from_port, ==, rtcp.from_port);
    g_assert_cmpuint (rtp.from_port, ==, sink_port (sink, "rtcpsrc"));
    g_assert_cmphex (GST_READ_UINT32_BE (rtcp.data + 4), ==, SINK_SSRC);
    g_assert_cmpint (rtcp.tos, ==, 34 << 2); /* RFC 7657 5.4: AF41 */
    sink_stop (pipeline, sink);
    close (ear);
  }
}

/* RFC 3550 11: RTCP has the next port, unless it is told another one. */
static void
test_two_ports (void)
{
  guint port, other;
  gint ear = udp_socket ("127.0.0.1", &port);
  gint ear_rtcp = udp_socket ("127.0.0.1", &other);
  g_autofree gchar *options
      = g_strdup_printf ("rtcp-mux=false rtcp-port=%u", other);
  GstElement *sink, *pipeline = sink_pipeline (port, options, &sink);
  GstElement *rtcpsink = gst_bin_get_by_name (GST_BIN (sink), "rtcpsink");
  g_autoptr (GstBus) bus = gst_element_get_bus (pipeline);
  g_autofree gchar *said = NULL;
  UdpHeard rtp, rtcp;
  gint to;

  sink_play (pipeline);
  sink_push (pipeline, 1);
  udp_hear (ear, &rtp);
  g_assert_false (sink_heard_rtcp (&rtp));
  udp_hear (ear_rtcp, &rtcp);
  g_assert_true (sink_heard_rtcp (&rtcp));
  g_assert_cmpuint (rtp.from_port, !=, rtcp.from_port);
  g_assert_cmpuint (rtcp.from_port, ==, sink_port (sink, "rtcpsrc"));
  g_object_set (sink, "port", 6000, "rtcp-port", 0, NULL);
  g_object_get (rtcpsink, "port", &to, NULL);
  g_assert_cmpint (to, ==, 6001);
  g_object_set (sink, "port", 65535, NULL); /* none is left above it */
  do { /* nobody hears the packets, of which there are warnings, too */
    g_free (said);
    said = udp_said (bus, GST_MESSAGE_WARNING);
    g_assert_nonnull (said);
  } while (!strstr (said, "rtcp-port"));
  g_object_get (rtcpsink, "port", &to, NULL);
  g_assert_cmpint (to, ==, 6001);
  g_object_set (sink, "rtcp-port", 7000, NULL);
  g_object_get (rtcpsink, "port", &to, NULL);
  g_assert_cmpint (to, ==, 7000);
  gst_object_unref (rtcpsink);
  sink_stop (pipeline, sink);
  close (ear);
  close (ear_rtcp);
}

/* RTCP leaves with the options that are set here, from the same socket or its own. */
static void
test_send_options (gconstpointer mux)
{
  static const struct
  {
    gint option, wanted;
  } each[] = {
    { IP_TTL, 7 },
    { IP_MULTICAST_TTL, 5 },
    { IP_MULTICAST_LOOP, 0 },
  };
  g_autofree gchar *options = g_strdup_printf (
      "ttl=7 ttl-mc=5 loop=false multicast-iface=lo rtcp-mux=%s",
      mux ? "true" : "false");
  GstElement *sink, *pipeline = sink_pipeline (9, options, &sink);
  g_autoptr (GstElement) rtcpsink
      = gst_bin_get_by_name (GST_BIN (sink), "rtcpsink");
  g_autoptr (GSocket) socket = NULL;
  gint value;

  gst_element_set_state (pipeline, GST_STATE_READY);
  g_object_get (rtcpsink, "used-socket", &socket, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (each); i++) {
    g_assert_true (
        g_socket_get_option (socket, IPPROTO_IP, each[i].option, &value, NULL));
    g_assert_cmpint (value, ==, each[i].wanted);
  }
  if (g_socket_get_family (socket) == G_SOCKET_FAMILY_IPV6) {
    g_socket_get_option (socket, IPPROTO_IPV6, IPV6_MULTICAST_IF, &value, NULL);
    g_assert_cmpuint ((guint) value, ==, if_nametoindex ("lo"));
  }
  sink_stop (pipeline, sink);
}

/* The receiver says that it uses what is sent again and both kinds of FEC: APP "RADP",
 * subtype 3 (feedback/radp.h), behind an RR. */
static void
say_takes (gint fd, guint port)
{
  guint8 rtcp[SINK_RR_SIZE + 16] = { [SINK_RR_SIZE] = 0x83,
    204,
    0,
    3,
    0,
    0,
    0,
    1,
    'R',
    'A',
    'D',
    'P',
    0,
    15,
    0,
    7 };
  guint8 rr[SINK_RR_SIZE];

  sink_rr (rr, SINK_THEIRS, SINK_SSRC);
  memcpy (rtcp, rr, sizeof rr);
  udp_say (fd, "127.0.0.1", port, 0, rtcp, sizeof rtcp);
}

static guint
fec_level (GstElement *sink)
{
  guint level;

  gst_child_proxy_get (
      GST_CHILD_PROXY (sink), "fec_0::percentage", &level, NULL);
  return level;
}

static guint
heard_pt (const UdpHeard *heard)
{
  return heard->data[1] & 0x7f;
}

static void
count_notify (GObject *object, GParamSpec *pspec, gpointer n)
{
  g_atomic_int_inc ((gint *) n);
}

/* A new destination while packets go out: the receiver there has said nothing, so it gets
 * no FEC, and lacks a key frame.  The number of sink_packet() is in the timestamp, too, as
 * FEC moves the RTP numbers. */
static void
test_destination (void)
{
  guint port, port2, seq = 0;
  gint ear = udp_socket ("127.0.0.1", &port);
  gint ear2 = udp_socket ("127.0.0.1", &port2);
  GstElement *sink,
      *pipeline = sink_pipeline (port, "fec=fixed fec-params=level=1", &sink);
  g_autofree gchar *uri
      = g_strdup_printf ("rtpadapt://127.0.0.1:%u?max-bitrate=900000", port2);
  g_autoptr (GstElement) rtcpsink
      = gst_bin_get_by_name (GST_BIN (sink), "rtcpsink");
  Events events = { 0 };
  gint follows = 0;
  UdpHeard heard;

  watch (pipeline, "a", TRUE, &events);
  sink_play (pipeline);
  do {
    sink_push (pipeline, seq++);
    sink_hear_rtp (ear, &heard);
    if (seq == 1) /* a later one might come after the change */
      say_takes (ear, heard.from_port);
  } while (heard_pt (&heard) != 120 && seq < 5000);
  g_assert_cmpuint (heard_pt (&heard), ==, 120);
  g_assert_cmpint (g_atomic_int_get (&events.key_units[1]), ==, 0);
  g_signal_connect (
      rtcpsink, "notify::host", G_CALLBACK (count_notify), &follows);
  g_object_set (sink, "uri", uri, NULL);
  g_assert_cmpint (
      g_atomic_int_get (&follows), ==, 1); /* host and port at once */
  wait_until (fec_level (sink) == 0);
  for (guint i = seq; i < seq + 4; i++)
    sink_push (pipeline, i);
  do /* one from before may come first */
    sink_hear_rtp (ear2, &heard);
  while (GST_READ_UINT16_BE (heard.data + 4) != seq);
  for (guint i = 1; i < 4; i++) {
    sink_hear_rtp (ear2, &heard);
    g_assert_cmpuint (heard_pt (&heard), ==, 96);
    g_assert_cmpuint (GST_READ_UINT16_BE (heard.data + 4), ==, seq + i);
  }
  g_assert_true (sink_wait (key_unit_came, &events));
  sink_stop (pipeline, sink);
  close (ear);
  close (ear2);
}

/* A name is looked up each time it is set, once for RTP and RTCP: of several addresses
 * each look-up may find another one. */
static void
test_names (void)
{
  static const gchar *const hosts[] = { "127.0.0.1", "127.0.0.2" };
  GResolver *before = names_begin ();
  GstElement *sink, *pipeline = sink_pipeline (9, "", &sink);

  for (gint i = 0; i < 2; i++) {
    guint port;
    gint ear = udp_socket (hosts[i], &port);
    g_autofree gchar *rtcp = NULL;
    UdpHeard heard;

    g_atomic_pointer_set (&names_at, hosts[i]);
    g_object_set (sink, "host", "gcs.test", "port", port, NULL);
    sink_play (pipeline);
    sink_push (pipeline, (guint) i);
    sink_hear_rtp (ear, &heard);
    gst_child_proxy_get (GST_CHILD_PROXY (sink), "rtcpsink::host", &rtcp, NULL);
    g_assert_cmpstr (rtcp, ==, hosts[i]);
    g_assert_cmpint (g_atomic_int_get (&names_asked), ==, i + 1);
    close (ear);
  }
  sink_stop (pipeline, sink);
  names_end (before);
}

/* Set while it plays, they are for the next start: until then nothing is encrypted, so
 * that a stranger's reports are none of the receiver's, and RTCP has the same port.  What is
 * in use already is not late. */
static void
test_late (void)
{
  static const gchar *const late[][3] = { { "key-file", "/nowhere", "" },
    { "dtls", "true", "false" }, { "rtcp-mux", "0", "1" },
    { "bind-address", "127.0.0.3", "127.0.0.1" },
    { "retransmission", "false", "true" },
    { "rtx-time", "2000000000", "1000000000" }, { "burst", "0", "1000000" },
    { "start-bitrate", "700000", "500000" },
    { "estimated-bitrate", "700000", "500000" },
    { "feedback", "ccfb", "twcc" } };

  for (guint i = 0; i < G_N_ELEMENTS (late); i++) {
    guint ports[2];
    const gint ears[] = { udp_socket ("127.0.0.1", &ports[0]),
      udp_socket ("127.0.0.1", &ports[1]), udp_socket ("127.0.0.2", NULL) };
    GstElement *sink,
        *pipeline = sink_pipeline (ports[0], "bind-address=127.0.0.1", &sink);
    g_autoptr (GstBus) bus = gst_element_get_bus (pipeline);
    g_autofree gchar *said = NULL, *mode = NULL, *wanted = NULL;
    guint8 rr[SINK_RR_SIZE];
    UdpHeard heard;
    gint rtcp;

    g_test_message ("%s", late[i][0]);
    sink_play (pipeline);
    gst_util_set_object_arg (G_OBJECT (sink), late[i][0], late[i][1]);
    said = udp_said (bus, GST_MESSAGE_WARNING);
    g_assert_true (said && strstr (said, late[i][0]));
    gst_util_set_object_arg (G_OBJECT (sink), late[i][0], late[i][2]);
    g_assert_null (gst_bus_pop_filtered (bus, GST_MESSAGE_WARNING));
    gst_util_set_object_arg (G_OBJECT (sink), late[i][0], late[i][1]);
    g_object_set (sink, "port", ports[1], NULL);
    sink_push (pipeline, 1);
    sink_hear_rtp (ears[1], &heard);
    sink_rr (rr, SINK_THEIRS, SINK_SSRC);
    udp_say (ears[2], "127.0.0.1", heard.from_port, 0, rr, sizeof rr);
    sink_expect (sink, "peer/foreign-rtcp", 1);
    mode = stats_text (sink, "security/mode");
    g_assert_cmpstr (mode, ==, "none");
    wanted = stats_text (sink, "sender/feedback-wanted");
    g_assert_cmpstr (wanted, ==, "twcc");
    gst_child_proxy_get (GST_CHILD_PROXY (sink), "rtcpsink::port", &rtcp, NULL);
    g_assert_cmpint (rtcp, ==, (gint) ports[1]);
    sink_stop (pipeline, sink);
    for (guint k = 0; k < G_N_ELEMENTS (ears); k++)
      close (ears[k]);
  }
}

/* --- streams ------------------------------------------------------------- */

/* Of SSRCs 1, 2 and 3, from appsrc a0, a1, a2. */
static const struct
{
  const gchar *media;
  guint pt;
} streams[] = { { "video", 96 }, { "video", 97 }, { "audio", 111 } };

/* The first `n` of them. */
static GstElement *
streams_pipeline (guint port, const gchar *options, guint n)
{
  g_autoptr (GString) line = g_string_new (NULL);

  g_string_printf (
      line, "rtpadaptsink name=s host=127.0.0.1 port=%u %s", port, options);
  for (guint i = 0; i < n; i++)
    g_string_append_printf (line,
        " appsrc name=a%u format=time is-live=true caps=\"application/x-rtp,"
        "media=%s,encoding-name=RAW,payload=%u,clock-rate=90000,"
        "ssrc=(uint)%u,extmap-1=" TWCC_URI "\" ! s.",
        i, streams[i].media, streams[i].pt, i + 1);
  return gst_parse_launch (line->str, NULL);
}

/* As sink_packet(), of another stream. */
static void
push_stream (
    GstElement *pipeline, const gchar *name, guint pt, guint32 ssrc, guint seq)
{
  g_autoptr (GstElement) src = gst_bin_get_by_name (GST_BIN (pipeline), name);
  GstBuffer *buffer = sink_packet (seq);
  guint8 head[4];

  head[0] = (guint8) (0x80 | pt);
  gst_buffer_fill (buffer, 1, head, 1);
  GST_WRITE_UINT32_BE (head, ssrc);
  gst_buffer_fill (buffer, 8, head, 4);
  g_assert_cmpint (
      gst_app_src_push_buffer (GST_APP_SRC (src), buffer), ==, GST_FLOW_OK);
}

/* Two videos and sound are one session with one numbering; each may go and
 * come while the others play. */
static void
test_streams (void)
{
  guint port, next = 0, counts[3] = { 0 };
  gint ear = udp_socket ("127.0.0.1", &port);
  GstElement *pipeline
      = streams_pipeline (port, "colour=none fec=none", G_N_ELEMENTS (streams));
  GstElement *sink = gst_bin_get_by_name (GST_BIN (pipeline), "s");
  GstElement *src;
  GstPad *pad, *peer;
  UdpHeard heard;

  sink_play (pipeline);
  for (guint i = 0; i < 60; i++) {
    g_autofree gchar *name = g_strdup_printf ("a%u", i % 3);

    push_stream (pipeline, name, streams[i % 3].pt, i % 3 + 1, i);
    sink_hear_rtp (ear, &heard);
    g_assert_cmpuint (heard.data[1] & 0x7f, ==, streams[i % 3].pt);
    g_assert_cmpuint (sink_heard_ssrc (&heard), ==, i % 3 + 1);
    g_assert_cmpuint (sink_heard_twcc (&heard), ==, next++);
    counts[i % 3]++;
  }
  g_assert_cmpuint (counts[2], ==, 20);

  /* The second one goes... */
  src = gst_bin_get_by_name (GST_BIN (pipeline), "a1");
  pad = gst_element_get_static_pad (src, "src");
  peer = gst_pad_get_peer (pad);
  gst_element_set_state (src, GST_STATE_NULL);
  gst_pad_unlink (pad, peer);
  gst_element_release_request_pad (sink, peer);
  gst_object_unref (peer);
  push_stream (pipeline, "a0", 96, 1, 100);
  sink_hear_rtp (ear, &heard);
  g_assert_cmpuint (sink_heard_twcc (&heard), ==, next++);
  /* ... and comes again, to the pad that is free. */
  g_assert_true (gst_element_link (src, sink));
  peer = gst_element_get_static_pad (sink, "sink_1");
  g_assert_nonnull (peer);
  gst_element_sync_state_with_parent (src);
  push_stream (pipeline, "a1", 97, 2, 101);
  sink_hear_rtp (ear, &heard);
  g_assert_cmpuint (sink_heard_ssrc (&heard), ==, 2);
  g_assert_cmpuint (sink_heard_twcc (&heard), ==, next++);
  gst_object_unref (peer);
  gst_object_unref (pad);
  gst_object_unref (src);
  sink_stop (pipeline, sink);
  close (ear);
}

static GstPadProbeReturn
hold_packet (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  g_atomic_int_set ((gint *) data, TRUE);
  return GST_PAD_PROBE_OK; /* it waits for as long as the probe is there */
}

static GstPadProbeReturn
note_drain (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  if (GST_QUERY_TYPE (GST_PAD_PROBE_INFO_QUERY (info)) == GST_QUERY_DRAIN)
    g_atomic_int_set ((gint *) data, TRUE);
  return GST_PAD_PROBE_OK;
}

static gboolean
is_held (gpointer data)
{
  return g_atomic_int_get ((gint *) data);
}

static gpointer
drain_run (gpointer pad)
{
  g_autoptr (GstQuery) query = gst_query_new_drain ();

  return GINT_TO_POINTER (gst_pad_peer_query (pad, query));
}

/* Nothing leaves, as where the sink is paused, and upstream waits for it: the pad can be
 * released nevertheless. */
static void
test_release_waiting (void)
{
  gint held = FALSE, asked = FALSE;
  GstElement *sink, *pipeline = sink_pipeline (9, "", &sink);
  g_autoptr (GstElement) src = gst_bin_get_by_name (GST_BIN (pipeline), "a");
  g_autoptr (GstElement) out = gst_bin_get_by_name (GST_BIN (sink), "rtpsink");
  g_autoptr (GstPad) end = gst_element_get_static_pad (out, "sink");
  g_autoptr (GstElement) send = gst_bin_get_by_name (GST_BIN (sink), "send");
  g_autoptr (GstPad) in = gst_element_get_static_pad (send, "sink");
  g_autoptr (GstPad) pad = gst_element_get_static_pad (src, "src");
  g_autoptr (GstPad) peer = gst_pad_get_peer (pad);
  GThread *thread;

  gst_pad_add_probe (end,
      GST_PAD_PROBE_TYPE_BLOCK | GST_PAD_PROBE_TYPE_BUFFER
          | GST_PAD_PROBE_TYPE_BUFFER_LIST,
      hold_packet, &held, NULL);
  sink_play (pipeline);
  sink_push (pipeline, 1);
  g_assert_true (sink_wait (is_held, &held));
  gst_pad_add_probe (
      in, GST_PAD_PROBE_TYPE_QUERY_DOWNSTREAM, note_drain, &asked, NULL);
  thread = g_thread_new ("drain", drain_run, pad);
  g_assert_true (
      sink_wait (is_held, &asked)); /* the pad's lock is taken by then */
  gst_element_release_request_pad (sink, peer);
  g_assert_null (g_thread_join (thread)); /* it failed */
  sink_stop (pipeline, sink);
}

/* Real ones: payloaders put the numbers in by themselves, and the end of all
 * streams is the end. */
static void
test_encoders (void)
{
  guint port, n[128] = { 0 };
  gint ear = udp_socket ("127.0.0.1", &port);
  g_autofree gchar *line = g_strdup_printf (
      "rtpadaptsink name=s host=127.0.0.1 port=%u min-bitrate=10000000 "
      "videotestsrc is-live=true num-buffers=20 ! video/x-raw,format=I420 ! x264enc tune=zerolatency ! "
      "rtph264pay pt=96 ! s. "
      "videotestsrc is-live=true num-buffers=20 ! vp8enc deadline=1 ! "
      "rtpvp8pay pt=97 ! s. "
      "audiotestsrc is-live=true num-buffers=20 ! audioconvert ! "
      "audioresample ! opusenc ! rtpopuspay pt=111 ! s.",
      port);
  GstElement *pipeline = gst_parse_launch (line, NULL), *sink;
  UdpHeard heard;

  if (!pipeline) {
    g_test_skip ("an encoder is missing");
    return;
  }
  sink = gst_bin_get_by_name (GST_BIN (pipeline), "s");
  sink_play (pipeline);
  while (n[96] == 0 || n[97] == 0 || n[111] == 0) {
    sink_hear_rtp (ear, &heard);
    g_assert_cmphex (GST_READ_UINT16_BE (heard.data + 12), ==, 0xbede);
    n[heard.data[1] & 0x7f]++;
  }
  sink_wait_eos (pipeline);
  sink_stop (pipeline, sink);
  close (ear);
}

/* --- what comes back ----------------------------------------------------- */

/* RFC 4585 6.3.1: a PLI in a compound behind a receiver report.  It is about
 * the second stream, and reaches only that. */
static void
test_key_frame (void)
{
  guint port;
  gint ear = udp_socket ("127.0.0.1", &port);
  GstElement *pipeline = streams_pipeline (port, "", 2);
  GstElement *sink = gst_bin_get_by_name (GST_BIN (pipeline), "s");
  guint8 rtcp[SINK_RR_SIZE + 12] = { 0 };
  Events events = { 0 };
  UdpHeard heard;

  watch (pipeline, "a0", FALSE, &events);
  watch (pipeline, "a1", TRUE, &events);
  sink_play (pipeline);
  push_stream (pipeline, "a0", 96, 1, 1);
  push_stream (pipeline, "a1", 97, 2, 1);
  sink_hear_rtp (ear, &heard);
  sink_hear_rtp (ear, &heard);
  sink_rr (rtcp, SINK_THEIRS, 2);
  rtcp[SINK_RR_SIZE] = 0x81;
  rtcp[SINK_RR_SIZE + 1] = 206;
  rtcp[SINK_RR_SIZE + 3] = 2;
  GST_WRITE_UINT32_BE (rtcp + SINK_RR_SIZE + 4, SINK_THEIRS);
  GST_WRITE_UINT32_BE (rtcp + SINK_RR_SIZE + 8, 2);
  udp_say (ear, "127.0.0.1", heard.from_port, 0, rtcp, sizeof rtcp);
  g_assert_true (sink_wait (key_unit_came, &events));
  g_assert_cmpint (events.key_units[0], ==, 0);
  sink_stop (pipeline, sink);
  close (ear);
}

static guint64
bad_rtcp (GstElement *sink)
{
  return sink_stat (sink, "peer/junk") + sink_stat (sink, "peer/early-rtcp")
      + sink_stat (sink, "peer/foreign-rtcp");
}

typedef struct
{
  GstElement *sink;
  guint64 least;
} Bad;

static gboolean
bad_came (gpointer data)
{
  const Bad *bad = data;

  return bad_rtcp (bad->sink) >= bad->least;
}

static void
expect_bad (GstElement *sink, guint64 least)
{
  Bad bad = { sink, least };

  g_assert_true (sink_wait (bad_came, &bad));
}

/* What rtpbin got. */
static GstPadProbeReturn
count_buffer (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  g_atomic_int_inc ((gint *) data);
  return GST_PAD_PROBE_OK;
}

static gboolean
came_through (gpointer data)
{
  return g_atomic_int_get ((gint *) data) > 0;
}

/* Junk, reports from elsewhere and about others never reach the session; the
 * right one does. */
static void
test_strangers (void)
{
  guint port, port2;
  gint ear = udp_socket ("127.0.0.1", &port);
  gint stranger = udp_socket ("127.0.0.2", &port2);
  GstElement *sink, *pipeline = sink_pipeline (port, "", &sink);
  GstElement *rtpbin = gst_bin_get_by_name (GST_BIN (sink), "rtpbin");
  GstElement *session;
  g_autoptr (GstPad) pad = NULL;
  g_autoptr (GRand) rng = g_rand_new_with_seed (3);
  guint8 rr[SINK_RR_SIZE], junk[64];
  gint through = 0;
  UdpHeard heard;

  g_signal_emit_by_name (rtpbin, "get-session", 0, &session);
  pad = gst_element_get_static_pad (session, "recv_rtcp_sink");
  gst_pad_add_probe (
      pad, GST_PAD_PROBE_TYPE_BUFFER, count_buffer, &through, NULL);
  sink_play (pipeline);
  sink_push (pipeline, 1);
  sink_hear_rtp (ear, &heard);
  for (guint i = 0; i < 200; i++) {
    gsize size = (gsize) g_rand_int_range (rng, 1, sizeof junk);

    for (gsize k = 0; k < size; k++)
      junk[k] = (guint8) g_rand_int (rng);
    udp_say (ear, "127.0.0.1", heard.from_port, 0, junk, size);
    if (i % 20 == 19) /* the socket's buffer is small */
      expect_bad (sink, i + 1);
  }
  sink_rr (rr, SINK_THEIRS, SINK_SSRC + 1);
  udp_say (ear, "127.0.0.1", heard.from_port, 0, rr, sizeof rr);
  sink_rr (rr, SINK_THEIRS, SINK_SSRC);
  udp_say (stranger, "127.0.0.1", heard.from_port, 0, rr, sizeof rr);
  expect_bad (sink, 202);
  g_assert_cmpint (g_atomic_int_get (&through), ==, 0);
  udp_say (ear, "127.0.0.1", heard.from_port, 0, rr, sizeof rr);
  g_assert_true (sink_wait (came_through, &through));
  g_object_set (sink, "host", "127.0.0.1", NULL); /* which ends no count */
  g_assert_cmpuint (bad_rtcp (sink), ==, 202);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_element_set_state (pipeline, GST_STATE_READY);
  g_assert_cmpuint (bad_rtcp (sink), ==, 0);
  gst_object_unref (session);
  gst_object_unref (rtpbin);
  sink_stop (pipeline, sink);
  close (ear);
  close (stranger);
}

void
tests_add (void)
{
  g_test_add_func ("/rtpadaptsink/mux", test_mux);
  g_test_add_func ("/rtpadaptsink/two-ports", test_two_ports);
  g_test_add_data_func (
      "/rtpadaptsink/send-options/mux", "", test_send_options);
  g_test_add_data_func (
      "/rtpadaptsink/send-options/two-ports", NULL, test_send_options);
  g_test_add_func ("/rtpadaptsink/destination", test_destination);
  g_test_add_func ("/rtpadaptsink/names", test_names);
  g_test_add_func ("/rtpadaptsink/late", test_late);
  g_test_add_func ("/rtpadaptsink/streams", test_streams);
  g_test_add_func ("/rtpadaptsink/release-waiting", test_release_waiting);
  g_test_add_func ("/rtpadaptsink/encoders", test_encoders);
  g_test_add_func ("/rtpadaptsink/key-frame", test_key_frame);
  g_test_add_func ("/rtpadaptsink/strangers", test_strangers);
}
