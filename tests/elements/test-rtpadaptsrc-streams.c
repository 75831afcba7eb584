/* rtpadaptsrc: senders that start again, several streams, repair, feedback.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "../trust/trust.h"
#include "src-fixture.h"
#include "../rows.h"

#include <gst/rtp/rtp.h>

/* Frames as they were coded.  On a machine that is too busy to send in time a third of
 * the packets comes later than the latency allows: frames of what is left are heard of,
 * where a decoder gave none for a minute. */
#define CODED_H264 "rtph264depay" RECEIVER_OUT

/* --- a sender that starts again ----------------------------------------- */

typedef enum
{
  ENDS_SILENT, /* as after a crash */
  ENDS_BYE,    /* by EOS */
} Ends;

static const struct
{
  Ends ends;
  gboolean same; /* address and port */
  gint state;    /* of see_state(), to be seen before the next sender, or -1 */
  const gchar *why;
} restarts[] = {
  { ENDS_SILENT, TRUE, -1, "from the same port, after 1 s" },
  { ENDS_SILENT, FALSE, 1, "from another port, after 3 s" },
  { ENDS_BYE, TRUE, 3, "BYE, the same port, at once" },
  { ENDS_BYE, FALSE, 3, "BYE, another port, at once" },
};

/* Counts the messages about 96 in (gint, atomic) begins, silent, goes-on, ends. */
static GstBusSyncReply
see_state (GstBus *bus, GstMessage *message, gpointer counts)
{
  static const gchar *const states[]
      = { "begins", "silent", "goes-on", "ends" };
  g_autofree gchar *said = NULL, *pad = NULL;
  guint pt, k = 0;

  if (!gst_message_has_name (message, "rtpadapt-stream"))
    return GST_BUS_PASS;
  g_assert_true (gst_structure_get (gst_message_get_structure (message),
      "state", G_TYPE_STRING, &said, "pad", G_TYPE_STRING, &pad, "payload-type",
      G_TYPE_UINT, &pt, NULL));
  if (pt != 96)
    return GST_BUS_PASS;
  g_assert_cmpstr (pad, ==, "src_0");
  while (!g_str_equal (states[k], said))
    k++;
  g_atomic_int_inc ((gint *) counts + k);
  return GST_BUS_PASS;
}

static GSocket *
socket_here (void)
{
  GSocket *socket = g_socket_new (G_SOCKET_FAMILY_IPV4, G_SOCKET_TYPE_DATAGRAM,
      G_SOCKET_PROTOCOL_UDP, NULL);
  g_autoptr (GSocketAddress) any
      = g_inet_socket_address_new_from_string ("127.0.0.1", 0);

  g_assert_true (g_socket_bind (socket, any, FALSE, NULL));
  return socket;
}

static GstPadProbeReturn
see_bye (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  GstRTCPBuffer rtcp = GST_RTCP_BUFFER_INIT;
  GstRTCPPacket packet;
  gboolean more;

  gst_rtcp_buffer_map (GST_PAD_PROBE_INFO_BUFFER (info), GST_MAP_READ, &rtcp);
  for (more = gst_rtcp_buffer_get_first_packet (&rtcp, &packet); more;
       more = gst_rtcp_packet_move_to_next (&packet)) {
    if (gst_rtcp_packet_get_type (&packet) == GST_RTCP_TYPE_BYE)
      g_atomic_int_set ((gint *) data, TRUE);
  }
  gst_rtcp_buffer_unmap (&rtcp);
  return GST_PAD_PROBE_OK;
}

/* Until BYE is about to leave. */
static void
say_bye (Sender *sender)
{
  g_autoptr (GstPad) pad
      = gst_element_get_static_pad (sender_get (sender, "rtcp"), "sink");
  gint said = FALSE;
  gulong probe = gst_pad_add_probe (
      pad, GST_PAD_PROBE_TYPE_BUFFER, see_bye, &said, NULL);

  gst_element_send_event (sender_get (sender, "camera0"), gst_event_new_eos ());
  WAIT_UNTIL (sender->bus, g_atomic_int_get (&said));
  gst_pad_remove_probe (pad, probe);
}

static void
ssrc_ended (GstElement *rtpbin, guint session, guint ssrc, gpointer data)
{
  g_atomic_int_inc ((gint *) data);
}

static void
watch_ends (Receiver *t, const gchar *signal, gint *n)
{
  g_autoptr (GstElement) rtpbin
      = gst_bin_get_by_name (GST_BIN (t->src), "rtpbin");

  g_signal_connect_after (rtpbin, signal, G_CALLBACK (ssrc_ended), n);
}

static void
udp_watch (
    Receiver *t, GstPadProbeType type, GstPadProbeCallback func, gpointer n)
{
  g_autoptr (GstElement) udpsrc
      = gst_bin_get_by_name (GST_BIN (t->src), "udpsrc");
  g_autoptr (GstPad) pad = gst_element_get_static_pad (udpsrc, "src");

  gst_pad_add_probe (pad, type, func, n, NULL);
}

static GstPadProbeReturn
see_latency (GstPad *pad, GstPadProbeInfo *info, gpointer n)
{
  if (GST_EVENT_TYPE (GST_PAD_PROBE_INFO_EVENT (info)) == GST_EVENT_LATENCY)
    g_atomic_int_inc ((gint *) n);
  return GST_PAD_PROBE_OK;
}

/* Returns FALSE, and decides nothing, where the machine was too slow and `last` is
 * FALSE. */
static gboolean
restart_once (guint r, gboolean last)
{
  gint64 began = g_get_monotonic_time ();
  GSocket *socket = restarts[r].same ? socket_here () : NULL;
  g_autofree gchar *name = NULL;
  g_auto (Receiver) t;
  Sender sender;
  gint timeouts = 0, latencies = 0, counts[4] = { 0 };
  guint64 moved;
  gboolean slow;

  g_test_message ("%s", restarts[r].why);
  receiver_new (&t, "encoding-name=H264", CODED_H264);
  watch_ends (&t, "on-timeout", &timeouts);
  udp_watch (&t, GST_PAD_PROBE_TYPE_EVENT_UPSTREAM, see_latency, &latencies);
  gst_bus_set_sync_handler (t.bus, see_state, counts, NULL);
  receiver_play (&t);
  for (guint i = 0; i < 2; i++) {
    sender_new (&sender, t.port, TRUE, socket, SENDER_VIDEO SENDER_SEND);
    wait_frames (&t, 0, 20); /* the jitterbuffer still had up to 12 */
    WAIT_UNTIL (t.bus, g_atomic_int_get (&counts[2 * i]) >= 1);
    if (i == 0) /* the next jitterbuffer hears it, too */
      gst_element_send_event (t.pipeline, gst_event_new_latency (GST_SECOND));
    g_assert_cmpint (g_atomic_int_get (&latencies), >, i);
    if (restarts[r].ends == ENDS_BYE)
      say_bye (&sender);
    sender_end (&sender);
    if (restarts[r].state > 0)
      WAIT_UNTIL (
          t.bus, g_atomic_int_get (&counts[restarts[r].state]) > (gint) i);
  }
  name = g_strconcat ("sender restarted: ", restarts[r].why, NULL);
  moved = stat_of (t.src, "moved");
  g_clear_object (&socket);
  slow = g_get_monotonic_time () - began > SSRC_TIMEOUT;
  if (slow && !last && g_atomic_int_get (&timeouts) > 0)
    return FALSE;
  trust_row ("fault", name,
      "it plays on by the same pad, before the old SSRC times out",
      g_atomic_int_get (&t.pads) == 1 && moved == (restarts[r].same ? 0 : 1)
          && g_atomic_int_get (&timeouts) == 0,
      "%d pad, moved %" G_GUINT64_FORMAT " times", t.pads, moved);
  return TRUE;
}

/* Frames go on at the same pad, with another SSRC, and long before rtpsession
 * gives the old one up. */
static void
test_restart (gconstpointer data)
{
  guint tries = 0;

  while (!restart_once (GPOINTER_TO_UINT (data), ++tries == 5))
    ;
}

/* One that changes its payload type, and keeps its SSRC: the first pad is silent. */
static void
test_retype (void)
{
  gint fd = udp_socket ("127.0.0.1", NULL), counts[4] = { 0 };
  g_auto (Receiver) t;
  guint16 seq = 0;

  receiver_open (&t, "pt-map=96=H264/90000,97=H264/90000", "");
  gst_bus_set_sync_handler (t.bus, see_state, counts, NULL);
  while (seq < 9)
    say_rtp (fd, t.port, 96, 5, seq++);
  WAIT_UNTIL (t.bus,
      (say_rtp (fd, t.port, 97, 5, seq++), g_atomic_int_get (&counts[1]) > 0));
  close (fd);
}

/* --- several streams ---------------------------------------------------- */

#define SENDER_AUDIO                                                           \
  "audiotestsrc is-live=true ! audio/x-raw,rate=48000,channels=2 ! opusenc ! " \
  "rtpopuspay pt=97 ! " SENDER_EXT
#define FUNNEL " ! f. rtpfunnel name=f" SENDER_SEND " "

static const struct
{
  const gchar *settings, *branches, *line;
  guint n; /* branches */
  const gchar *why;
} several[] = {
  { "pt-map=96=H264/90000,97=OPUS/48000", RECEIVER_OPUS "," CODED_H264,
      SENDER_VIDEO FUNNEL SENDER_AUDIO " ! f.", 2, "sound and a picture" },
  { "encoding-name=H264", CODED_H264 "," CODED_H264,
      SENDER_CAMERA ("0") FUNNEL SENDER_CAMERA ("1") " ! f.", 2,
      "two cameras with the same payload type" },
  { "pt-map=96=H264/90000,97=OPUS/48000", CODED_H264,
      SENDER_VIDEO FUNNEL SENDER_AUDIO " ! f.", 1,
      "one is not wanted, and does not stop the other" },
};

/* Two pads. */
static void
test_several (gconstpointer data)
{
  guint row = GPOINTER_TO_UINT (data);
  g_auto (Receiver) t;
  g_auto (Sender) sender;

  g_test_message ("%s", several[row].why);
  receiver_open (&t, several[row].settings, several[row].branches);
  sender_new (&sender, t.port, TRUE, NULL, several[row].line);
  WAIT_UNTIL (t.bus, g_atomic_int_get (&t.pads) == 2);
  for (guint i = 0; i < 2 * several[row].n; i++)
    wait_frames (&t, i % several[row].n, 20);
  g_assert_cmpint (g_atomic_int_get (&t.pads), ==, 2);
}

/* --- repair ------------------------------------------------------------- */

/* Each 10th packet of payload type 96 is lost on its way. */
static GstPadProbeReturn
lose (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  guint *n = data;
  guint8 head[2];

  gst_buffer_extract (GST_PAD_PROBE_INFO_BUFFER (info), 0, head, 2);
  return (head[1] & 0x7f) == 96 && ++*n % 10 == 0 ? GST_PAD_PROBE_DROP
                                                  : GST_PAD_PROBE_OK;
}

static gdouble
residual_loss (Receiver *t)
{
  GValue loss = stats_value (t->src, "residual-loss", G_TYPE_DOUBLE);

  return g_value_get_double (&loss);
}

/* As many repair packets as media packets, of each frame: what is left of 10 %
 * are the frames that lost more than they could. */
static void
test_fec (void)
{
  g_auto (Receiver) t;
  g_auto (Sender) sender;
  guint n = 0, dropout;

  receiver_new (&t, "encoding-name=H264", CODED_H264);
  udp_watch (&t, GST_PAD_PROBE_TYPE_BUFFER, lose, &n);
  receiver_play (&t);
  /* Else the jitterbuffer forgets all after some 120 missing packets. */
  gst_child_proxy_get (
      GST_CHILD_PROXY (t.src), "rtpbin::max-dropout-time", &dropout, NULL);
  g_assert_cmpuint (dropout, ==, 0);
  sender_new (&sender, t.port, TRUE, NULL,
      SENDER_VIDEO " ! rtpulpfecenc pt=122 percentage=100 ! s.send_rtp_sink_0");
  WAIT_UNTIL (t.bus, stat_of (t.src, "recovered") >= 20);
  g_assert_cmpuint (stat_of (t.src, "lost"), >=, 20);
  g_assert_cmpuint (stat_of (t.src, "fec"), >=, 100);
  WAIT_UNTIL (t.bus, residual_loss (&t) <= .02);
  g_assert_cmpint (g_atomic_int_get (&t.pads), ==, 1);
}

/* Without FEC the loss is what it is: a tenth, and on a slow machine what came
 * too late. */
static void
test_no_fec (void)
{
  g_auto (Receiver) t;
  g_auto (Sender) sender;
  guint n = 0;

  receiver_new (&t, "encoding-name=H264 fec=false", CODED_H264);
  udp_watch (&t, GST_PAD_PROBE_TYPE_BUFFER, lose, &n);
  receiver_play (&t);
  sender_new (&sender, t.port, TRUE, NULL, SENDER_VIDEO SENDER_SEND);
  WAIT_UNTIL (t.bus, stat_of (t.src, "lost") >= 20);
  g_assert_cmpfloat (residual_loss (&t), >, .05);
  g_assert_cmpuint (stat_of (t.src, "recovered"), ==, 0);
}

/* rtpadaptsink, to `t`. */
static GstElement *
sink_play (Receiver *t, const gchar *settings)
{
  return line_playf (NULL,
      "videotestsrc is-live=true pattern=ball ! "
      "video/x-raw,width=160,height=120,framerate=60/1 ! x264enc "
      "tune=zerolatency speed-preset=ultrafast key-int-max=30 bitrate=300 ! "
      "rtph264pay mtu=600 ! rtpadaptsink name=sink host=127.0.0.1 port=%d %s",
      t->port, settings);
}

/* What was asked for and came in time is not lost: less than a twentieth is,
 * where a tenth would be. */
static void
test_retransmission (void)
{
  GstElement *sender;
  g_auto (Receiver) t;
  guint n = 0;

  receiver_new (&t,
      "encoding-name=H264 fec=false retransmission=true latency=1000",
      CODED_H264);
  udp_watch (&t, GST_PAD_PROBE_TYPE_BUFFER, lose, &n);
  receiver_play (&t);
  sender = sink_play (&t, "fec=none retransmission=true controller=fixed");
  WAIT_UNTIL (t.bus, stat_of (t.src, "retransmitted") >= 20);
  wait_frames (&t, 0, 30);
  WAIT_UNTIL (t.bus, residual_loss (&t) < .05);
  g_assert_cmpint (g_atomic_int_get (&t.pads), ==, 1);
  line_end (sender);
}

/* --- to the sender ------------------------------------------------------ */

static const struct
{
  const gchar *both, *why;
} modes[] = {
  { "feedback=twcc", "rtpsession's" },
  { "feedback=tfrc", "the draft's, with RADP" },
  { "feedback=ccfb", "RFC 8888" },
  { "feedback=tfrc rtcp-mux=false", "by a port of its own" },
  { "feedback=tfrc "
    "key=e1f97a0d3e018be0d64fa32c06de41390ec675ad498afeebb6960b3aabe6",
      "encrypted" },
  { "feedback=twcc dtls=true", "with a key agreed on" },
};

static void
test_feedback (gconstpointer data)
{
  guint r = GPOINTER_TO_UINT (data);
  g_autofree gchar *settings
      = g_strconcat ("encoding-name=H264 ", modes[r].both, NULL);
  GstElement *sender, *sink;
  g_auto (Receiver) t;

  g_test_message ("%s: %s", modes[r].both, modes[r].why);
  receiver_open (&t, settings, CODED_H264);
  sender = sink_play (&t, modes[r].both);
  wait_frames (&t, 0, 30);
  sink = gst_bin_get_by_name (GST_BIN (sender), "sink");
  WAIT_UNTIL (t.bus, stat_of (sink, "sender/feedback") >= 20);
  g_assert_cmpuint (stat_of (sink, "sender/feedback-bad"), ==, 0);
  gst_object_unref (sink);
  line_end (sender);
}

static GstPadProbeReturn
see_key_unit (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  if (gst_video_event_is_force_key_unit (GST_PAD_PROBE_INFO_EVENT (info)))
    g_atomic_int_inc ((gint *) data);
  return GST_PAD_PROBE_OK;
}

/* A request from downstream crosses the network to the encoder. */
static void
test_key_frame (void)
{
  g_autoptr (GstPad) pad = NULL;
  g_auto (Receiver) t;
  g_auto (Sender) sender;
  gint asked = 0;

  receiver_open (&t, "encoding-name=H264", CODED_H264);
  sender_new (&sender, t.port, TRUE, NULL, SENDER_VIDEO SENDER_SEND);
  pad = gst_element_get_static_pad (sender_get (&sender, "enc0"), "src");
  gst_pad_add_probe (
      pad, GST_PAD_PROBE_TYPE_EVENT_UPSTREAM, see_key_unit, &asked, NULL);
  wait_frames (&t, 0, 10);
  g_assert_true (gst_element_send_event (t.branches[0],
      gst_video_event_new_upstream_force_key_unit (
          GST_CLOCK_TIME_NONE, TRUE, 0)));
  WAIT_UNTIL (t.bus, g_atomic_int_get (&asked) > 0);
}

/* What is linked to a pad, and what becomes of it.  The other streams, RTCP and the
 * feedback go on, and what is linked then gets frames.  A stop is what an application does
 * that takes another sink. */
static const struct
{
  GstFlowReturn flow; /* of the first branch; GST_FLOW_OK: it is stopped */
  gboolean stays;     /* linked, and it starts again there */
  const gchar *why;
  gboolean goes; /* it is unlinked during the push */
} branch_rows[] = {
  { GST_FLOW_NOT_LINKED, FALSE, "none for some time" },
  { GST_FLOW_OK, FALSE, "it is set to NULL, unlinked and linked again" },
  { GST_FLOW_OK, TRUE, "it is set to NULL and starts again" },
  { GST_FLOW_EOS, FALSE, "it wants no more, as a recording that is full" },
  { GST_FLOW_ERROR, FALSE, "it failed, and has posted why" },
  { GST_FLOW_NOT_NEGOTIATED, FALSE, "it takes other caps: an error says so" },
  { GST_FLOW_NOT_NEGOTIATED, FALSE, "taken away meanwhile: no error", TRUE },
};

typedef struct
{
  GstFlowReturn flow;
  gboolean goes;
  gint n; /* atomic: packets */
} FirstBranch;

static GstFlowReturn
first_chain (GstPad *pad, GstObject *parent, GstBuffer *buffer)
{
  FirstBranch *first = gst_pad_get_element_private (pad);

  g_autoptr (GstPad) peer = first->goes ? gst_pad_get_peer (pad) : NULL;

  gst_buffer_unref (buffer);
  if (peer)
    gst_pad_unlink (peer, pad);
  g_atomic_int_inc (&first->n);
  return first->flow;
}

/* Links a pad that returns `flow`. */
static GstPad *
first_link (GstPad *pad, FirstBranch *first, GstBus *bus)
{
  GstPad *sink = gst_object_ref_sink (gst_pad_new (NULL, GST_PAD_SINK));

  gst_pad_set_element_private (sink, first);
  gst_pad_set_chain_function (sink, first_chain);
  gst_pad_set_active (sink, TRUE);
  g_assert_cmpint (gst_pad_link (pad, sink), ==, GST_PAD_LINK_OK);
  WAIT_UNTIL (bus, g_atomic_int_get (&first->n) > 0);
  return sink;
}

static void
test_branch (gconstpointer data)
{
  guint r = GPOINTER_TO_UINT (data);
  FirstBranch first
      = { .flow = branch_rows[r].flow, .goes = branch_rows[r].goes };
  g_autoptr (GstPad) pad = NULL, sink = NULL, other = NULL;
  g_autoptr (GstMessage) message = NULL;
  g_auto (Receiver) t;
  g_auto (Sender) sender;
  GstElement *send;
  guint64 rtp, feedback;

  g_test_message ("%s", branch_rows[r].why);
  receiver_new (&t, "encoding-name=H264", CODED_H264);
  g_signal_handlers_disconnect_by_func (
      t.src, (gpointer) (GCallback) receiver_pad, &t);
  receiver_play (&t);
  sender_new (&sender, t.port, TRUE, NULL, SENDER_VIDEO SENDER_SEND);
  send = sender_get (&sender, "send");
  sink = gst_element_get_static_pad (t.branches[0], "sink");
  WAIT_UNTIL (t.bus, (pad = gst_element_get_static_pad (t.src, "src_0")));
  if (first.flow == GST_FLOW_OK) {
    g_assert_cmpint (gst_pad_link (pad, sink), ==, GST_PAD_LINK_OK);
    wait_frames (&t, 0, 10);
    gst_element_set_state (t.branches[0], GST_STATE_NULL);
  } else if (first.flow == GST_FLOW_NOT_NEGOTIATED && !first.goes) {
    other = first_link (pad, &first, sender.bus);
    message = gst_bus_timed_pop_filtered (
        t.bus, 60 * GST_SECOND, GST_MESSAGE_ERROR);
    g_assert_nonnull (message);
    g_assert_true (GST_MESSAGE_SRC (message) == GST_OBJECT (t.src));
  } else if (first.flow != GST_FLOW_NOT_LINKED) {
    other = first_link (pad, &first, t.bus);
  }
  rtp = stat_of (t.src, "rtp");
  feedback = stat_of (send, "feedback");
  WAIT_UNTIL (t.bus,
      stat_of (t.src, "rtp") >= rtp + 30
          && stat_of (send, "feedback") >= feedback + 3);
  if (other) { /* it has had one packet, and no more */
    g_assert_cmpint (g_atomic_int_get (&first.n), ==, 1);
    g_assert_cmpint (GST_PAD_IS_EOS (other), ==, first.flow == GST_FLOW_EOS);
  }
  if (!branch_rows[r].stays && gst_pad_is_linked (pad))
    gst_pad_unlink (pad, other ? other : sink);
  gst_element_sync_state_with_parent (t.branches[0]);
  if (!branch_rows[r].stays)
    g_assert_cmpint (gst_pad_link (pad, sink), ==, GST_PAD_LINK_OK);
  wait_frames (&t, 0, 10);
}

/* --- to the pipeline ---------------------------------------------------- */

static void
test_queries (void)
{
  g_autoptr (GstQuery) query = gst_query_new_latency ();
  g_autoptr (GstQuery) uri_query = gst_query_new_uri ();
  g_autofree gchar *uri = NULL, *wanted = NULL;
  GstClockTime min;
  gboolean live;
  g_autoptr (GstPad) sink = NULL;
  g_auto (Receiver) t;
  g_auto (Sender) sender;

  receiver_open (&t, "encoding-name=H264 latency=150", CODED_H264);
  sender_new (&sender, t.port, TRUE, NULL, SENDER_VIDEO SENDER_SEND);
  wait_frames (&t, 0, 1);
  sink = gst_element_get_static_pad (t.branches[0], "sink");
  g_assert_true (gst_pad_peer_query (sink, query));
  gst_query_parse_latency (query, &live, &min, NULL);
  g_assert_true (live);
  g_assert_cmpuint (min, ==, 150 * GST_MSECOND);
  g_assert_true (gst_pad_peer_query (sink, uri_query));
  gst_query_parse_uri (uri_query, &uri);
  wanted = g_strdup_printf ("rtpadapt://127.0.0.1:%d", t.port);
  g_assert_cmpstr (uri, ==, wanted);
}

/* What FEC needs packets for is kept for the latency and 1 s, also when it rises. */
static void
test_storage (void)
{
  g_autoptr (GstElement) rtpbin = NULL, storage = NULL;
  GstClockTime before, after;
  g_auto (Receiver) t;

  receiver_open (&t, "latency=150", "");
  rtpbin = gst_bin_get_by_name (GST_BIN (t.src), "rtpbin");
  g_signal_emit_by_name (rtpbin, "get-storage", 0, &storage);
  g_object_get (storage, "size-time", &before, NULL);
  g_object_set (t.src, "latency", 3000, NULL);
  g_object_get (storage, "size-time", &after, NULL);
  g_assert_cmpuint (before, ==, 1150 * GST_MSECOND);
  g_assert_cmpuint (after, ==, 4000 * GST_MSECOND);
  /* 20 ms by default, but no more than latency; by both ways. */
  g_object_set (t.src, "adaptive-latency", TRUE, "latency", 10, NULL);
  gst_child_proxy_get (
      GST_CHILD_PROXY (t.src), "recv::min-latency", &after, NULL);
  g_assert_cmpuint (after, ==, 10 * GST_MSECOND);
  gst_element_set_state (t.pipeline, GST_STATE_NULL);
  g_object_set (t.src, "latency", 5, NULL);
  gst_element_set_state (t.pipeline, GST_STATE_READY);
  gst_child_proxy_get (
      GST_CHILD_PROXY (t.src), "recv::min-latency", &after, NULL);
  g_assert_cmpuint (after, ==, 5 * GST_MSECOND);
}

static const struct
{
  gboolean said_bye, over; /* before EOS; `over`: rtpsession has let go of it */
  gboolean held;           /* the branch, until rtpsession lets go */
  const gchar *why;
} eos_rows[] = {
  { FALSE, FALSE, FALSE, "the stream goes on" },
  { TRUE, TRUE, FALSE, "it has ended: rtpbin has no pad any more" },
  { TRUE, TRUE, TRUE, "it has ended while its branch was held up" },
  { TRUE, FALSE, TRUE, "it ends while EOS waits in the jitterbuffer" },
};

/* Holds a branch up as long as it is 1. */
static GstPadProbeReturn
hold_branch (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  gint *held = data; /* atomic: 1 it has to be held, 2 it is */

  g_atomic_int_compare_and_exchange (held, 1, 2);
  while (g_atomic_int_get (held) == 2)
    g_usleep (1000);
  return GST_PAD_PROBE_OK;
}

/* EOS of the pipeline gets through to its sinks. */
static void
test_eos (gconstpointer data)
{
  guint row = GPOINTER_TO_UINT (data);
  g_autoptr (GstMessage) message = NULL;
  g_autoptr (GstPad) pad = NULL;
  g_auto (Receiver) t;
  g_auto (Sender) sender;
  gint held = 0, byes = 0, over = 0;

  g_test_message ("%s", eos_rows[row].why);
  receiver_open (&t, "encoding-name=H264", CODED_H264);
  watch_ends (&t, "on-bye-ssrc", &byes);
  watch_ends (&t, "on-bye-timeout", &over);
  sender_new (&sender, t.port, TRUE, NULL, SENDER_VIDEO SENDER_SEND);
  wait_frames (&t, 0, 3);
  pad = gst_element_get_static_pad (t.branches[0], "sink");
  gst_pad_add_probe (pad,
      GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_BUFFER_LIST, hold_branch,
      &held, NULL);
  if (eos_rows[row].held) {
    g_atomic_int_set (&held, 1);
    WAIT_UNTIL (t.bus, g_atomic_int_get (&held) == 2);
  }
  if (eos_rows[row].said_bye) {
    say_bye (&sender);
    WAIT_UNTIL (
        t.bus, g_atomic_int_get (&byes) > 0); /* EOS may not overtake it */
  }
  if (eos_rows[row].over)
    WAIT_UNTIL (t.bus, g_atomic_int_get (&over) > 0);
  gst_element_send_event (t.pipeline, gst_event_new_eos ());
  if (eos_rows[row].said_bye)
    WAIT_UNTIL (t.bus, g_atomic_int_get (&over) > 0);
  g_atomic_int_set (&held, 0);
  message = gst_bus_timed_pop_filtered (
      t.bus, 60 * GST_SECOND, GST_MESSAGE_EOS | GST_MESSAGE_ERROR);
  g_assert_nonnull (message);
  g_assert_cmpint (GST_MESSAGE_TYPE (message), ==, GST_MESSAGE_EOS);
}

static GstPadProbeReturn
hold_eos (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  gint *held = (gint *) data; /* atomic: 1 it came, 2 it may go on */

  if (GST_EVENT_TYPE (GST_PAD_PROBE_INFO_EVENT (info)) != GST_EVENT_EOS)
    return GST_PAD_PROBE_OK;
  g_atomic_int_set (held, 1);
  while (g_atomic_int_get (held) == 1)
    g_usleep (1000);
  return GST_PAD_PROBE_OK;
}

static GstPad *
branch_of (Receiver *t, const gchar *name)
{
  g_autoptr (GstPad) pad = gst_element_get_static_pad (t->src, name);

  return gst_pad_get_peer (pad);
}

/* rtpbin lets go of the stream that feeds `branch`. */
static void
stream_over (Receiver *t, GstPad *branch)
{
  g_autoptr (GstElement) rtpbin
      = gst_bin_get_by_name (GST_BIN (t->src), "rtpbin");
  g_autoptr (GstCaps) caps = gst_pad_get_current_caps (branch);
  guint ssrc;

  g_assert_true (
      gst_structure_get_uint (gst_caps_get_structure (caps, 0), "ssrc", &ssrc));
  g_signal_emit_by_name (rtpbin, "on-bye-timeout", 0, ssrc);
}

/* Two streams have ended.  The first branch holds EOS up, and the second gets it, before
 * rtpsession's own timeout (25 s) has the bin push EOS once more. */
static void
test_eos_held (void)
{
  g_autoptr (GstPad) first = NULL, second = NULL;
  g_auto (Receiver) t;
  g_auto (Sender) sender;
  gint held = 0;
  gint64 sent;

  receiver_open (&t, "encoding-name=H264", several[1].branches);
  sender_new (&sender, t.port, TRUE, NULL, several[1].line);
  for (guint i = 0; i < 2; i++)
    wait_frames (&t, i, 3);
  first = branch_of (&t, "src_0");
  second = branch_of (&t, "src_1");
  gst_pad_add_probe (
      first, GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, hold_eos, &held, NULL);
  gst_element_set_state (sender.pipeline, GST_STATE_NULL);
  stream_over (&t, first);
  stream_over (&t, second);
  sent = g_get_monotonic_time ();
  gst_element_send_event (t.pipeline, gst_event_new_eos ());
  WAIT_UNTIL (t.bus, g_atomic_int_get (&held) == 1);
  WAIT_UNTIL (t.bus, GST_PAD_IS_EOS (second));
  g_assert_cmpint (g_get_monotonic_time () - sent, <, 15 * G_TIME_SPAN_SECOND);
  g_atomic_int_set (&held, 2);
}

/* A flush ends EOS (GStreamer's design, "Events": FLUSH_STOP).  A stream that ends after
 * it leaves its branch without one, for the next sender. */
static void
test_eos_flushed (void)
{
  g_autoptr (GstPad) branch = NULL;
  g_auto (Receiver) t;
  g_auto (Sender) sender;
  gint over = 0;

  receiver_open (&t, "encoding-name=H264", CODED_H264);
  watch_ends (&t, "on-bye-timeout", &over);
  sender_new (&sender, t.port, TRUE, NULL, SENDER_VIDEO SENDER_SEND);
  wait_frames (&t, 0, 3);
  branch = branch_of (&t, "src_0");
  gst_element_send_event (t.src, gst_event_new_eos ());
  WAIT_UNTIL (t.bus, GST_PAD_IS_EOS (branch));
  gst_element_send_event (t.src, gst_event_new_flush_start ());
  gst_element_send_event (t.src, gst_event_new_flush_stop (TRUE));
  wait_frames (&t, 0, 3);
  say_bye (&sender);
  WAIT_UNTIL (t.bus, g_atomic_int_get (&over) > 0);
  g_usleep (100000); /* if EOS is later, nothing is tested */
  g_assert_false (GST_PAD_IS_EOS (branch));
}

/* An application stops at EOS: the pipeline pauses while EOS is on its way to the sink of
 * our RTCP, and the end of the pipeline does not wait for that sink to play again. */
static void
test_eos_pauses (void)
{
  g_autoptr (GstElement) sink = NULL;
  g_autoptr (GstPad) pad = NULL;
  g_auto (Receiver) t;
  g_auto (Sender) sender;
  gint held = 0;

  receiver_open (&t, "encoding-name=H264", CODED_H264);
  sender_new (&sender, t.port, TRUE, NULL, SENDER_VIDEO SENDER_SEND);
  wait_frames (&t, 0, 3);
  sink = gst_bin_get_by_name (GST_BIN (t.src), "udpsink");
  pad = gst_element_get_static_pad (sink, "sink");
  gst_pad_add_probe (
      pad, GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, hold_eos, &held, NULL);
  gst_element_send_event (t.pipeline, gst_event_new_eos ());
  WAIT_UNTIL (t.bus, g_atomic_int_get (&held) == 1);
  gst_element_set_state (t.pipeline, GST_STATE_PAUSED);
  g_atomic_int_set (&held, 2);
  g_usleep (
      100000); /* it reaches the sink; if it is later, nothing is tested */
}

/* --- statistics ----------------------------------------------------------- */

/* Of the first pad. */
static guint64
pushed_of (Receiver *t)
{
  g_autoptr (GstStructure) stats = NULL;
  const GValue *pads;
  guint64 pushed;

  g_object_get (t->src, "stats", &stats, NULL);
  pads = gst_structure_get_value (stats, "streams");
  gst_structure_get_uint64 (
      gst_value_get_structure (gst_value_array_get_value (pads, 0)), "pushed",
      &pushed);
  return pushed;
}

/* Numbers count from the start of the element, also when rtpbin has let go of a stream and
 * its jitterbuffer, and when the next sender has the pad. */
static void
test_counts (void)
{
  g_auto (Receiver) t;
  Sender sender;
  gint over = 0;
  guint64 pushed = 0;

  receiver_open (&t, "encoding-name=H264", CODED_H264);
  watch_ends (&t, "on-bye-timeout", &over);
  for (gint i = 1; i <= 2; i++) {
    sender_new (&sender, t.port, TRUE, NULL, SENDER_VIDEO SENDER_SEND);
    wait_frames (&t, 0, 20); /* a packet each, at least */
    g_assert_cmpuint (pushed_of (&t), >=, pushed + 20);
    say_bye (&sender);
    pushed = pushed_of (&t);
    WAIT_UNTIL (t.bus, g_atomic_int_get (&over) >= i);
    g_assert_cmpuint (pushed_of (&t), >=, pushed);
    sender_end (&sender);
  }
}

static GstBusSyncReply
see_poster (GstBus *bus, GstMessage *message, gpointer data)
{
  if (gst_message_has_name (message, "application/x-rtpadaptsrc-stats"))
    g_atomic_pointer_set ((GThread **) data, g_thread_self ());
  return GST_BUS_PASS;
}

static gboolean
see_clock (GstClock *clock, GstClockTime time, GstClockID id, gpointer data)
{
  g_atomic_pointer_set ((GThread **) data, g_thread_self ());
  return TRUE;
}

/* Who gets them may wait, but the thread of the system clock may not. */
static void
test_stats_messages (void)
{
  g_autoptr (GstClock) clock = gst_system_clock_obtain ();
  GstClockID id = gst_clock_new_single_shot_id (clock, 0);
  g_autoptr (GstMessage) message = NULL;
  GThread *poster = NULL, *timer = NULL;
  const GstStructure *s = NULL;
  guint64 interval;
  g_auto (Receiver) t;

  receiver_new (&t, "stats-interval=10000000", "");
  /* The receiver inside posts none of its own. */
  gst_child_proxy_get (
      GST_CHILD_PROXY (t.src), "recv::stats-interval", &interval, NULL);
  g_assert_cmpuint (interval, ==, 0);
  gst_bus_set_sync_handler (t.bus, see_poster, &poster, NULL);
  gst_clock_id_wait_async (id, see_clock, &timer, NULL);
  gst_clock_id_unref (id);
  receiver_play (&t);
  do {
    gst_clear_message (&message);
    message = gst_bus_timed_pop_filtered (
        t.bus, 60 * GST_SECOND, GST_MESSAGE_ELEMENT);
    g_assert_nonnull (message);
    s = gst_message_get_structure (message);
  } while (!gst_structure_has_name (s, "application/x-rtpadaptsrc-stats"));
  g_assert_true (gst_structure_has_field (s, "streams"));
  WAIT_UNTIL (t.bus, g_atomic_pointer_get (&timer) != NULL);
  g_assert_true (g_atomic_pointer_get (&poster) != timer);
}

void
tests_add (void)
{
  rows_add ("/streams/restart", restarts, test_restart);
  g_test_add_func ("/streams/retype", test_retype);
  rows_add ("/streams/several", several, test_several);
  g_test_add_func ("/streams/fec", test_fec);
  g_test_add_func ("/streams/no-fec", test_no_fec);
  g_test_add_func ("/streams/retransmission", test_retransmission);
  rows_add ("/streams/feedback", modes, test_feedback);
  g_test_add_func ("/streams/key-frame", test_key_frame);
  rows_add ("/streams/branch", branch_rows, test_branch);
  g_test_add_func ("/streams/queries", test_queries);
  g_test_add_func ("/streams/storage", test_storage);
  rows_add ("/streams/eos", eos_rows, test_eos);
  g_test_add_func ("/streams/eos-held", test_eos_held);
  g_test_add_func ("/streams/eos-flushed", test_eos_flushed);
  g_test_add_func ("/streams/eos/pauses", test_eos_pauses);
  g_test_add_func ("/streams/stats-messages", test_stats_messages);
  g_test_add_func ("/streams/counts", test_counts);
}
