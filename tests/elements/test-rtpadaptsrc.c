/* rtpadaptsrc: settings, states, the network and what does not belong there.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "src-fixture.h"

/* --- settings ----------------------------------------------------------- */

static const struct
{
  const gchar *settings;
  const gchar *error; /* part of it, NULL: it starts */
  const gchar *why;
} settings[] = {
  { "", NULL, "the defaults" },
  { "encoding-name=H264", NULL, "a codec" },
  { "encoding-name=opus/48000/2", NULL, "with rate and channels" },
  { "pt-map=\"96=H264/90000, 97=OPUS/48000,\"", NULL, "a map" },
  { "pt-map=\"0=PCMU/8000\"", NULL, "a static type" },
  { "pt-map=\"96=H264/90000,97\"", "\"97\" in pt-map", "no codec" },
  { "pt-map=\"96=H264/90000,128=OPUS\"", "\"128=OPUS\" in pt-map",
      "seven bits (RFC 3550 5.1)" },
  { "pt-map=\"72=OPUS\"", "\"72=OPUS\" in pt-map",
      "72 would look like RTCP (RFC 5761 4)" },
  { "pt-map=\"96=H264/x\"", "\"96=H264/x\" in pt-map", "a rate of letters" },
  { "pt-map=\"96=H264/0\"", "\"96=H264/0\" in pt-map", "a rate of 0" },
  { "pt-map=\"96=L16/44100/2/1\"", "\"96=L16/44100/2/1\" in pt-map",
      "a part too many" },
  { "pt-map=\"x=H264\"", "\"x=H264\" in pt-map", "no number" },
  { "pt-map=\"96=\"", "\"96=\" in pt-map", "no name" },
  { "encoding-name=\"H 264\"", "encoding-name \"H 264\"", "a blank" },
  { "caps=\"application/x-rtp,payload=100,media=video,clock-rate=90000,"
    "encoding-name=H265\"",
      NULL, "caps" },
  { "rtcp-mux=false", NULL, "a pair of ports" },
  { "fec=false retransmission=true", NULL, "other repair" },
  { "feedback=tfrc", NULL, "TFRC" },
  { "feedback=ccfb", NULL, "RFC 8888" },
  { "uri=rtpadapt://127.0.0.1:0?latency=50&pt-map=96=VP8", NULL, "a URI" },
  { "uri=rtpadapt://127.0.0.1:0?nonsense=1", "nonsense", "a URI's bad key" },
  { "uri=http://127.0.0.1/", "http", "another URI" },
  { "address=192.0.2.1", "192.0.2.1", "an address that is not ours" },
  { "key=00", "SRTP key", "a key too short" },
};

static void
test_settings (gconstpointer data)
{
  guint r = GPOINTER_TO_UINT (data);
  g_autofree gchar *said = NULL;
  GstStateChangeReturn ret;
  Receiver t;

  g_test_message ("%s", settings[r].why);
  receiver_new (&t, settings[r].settings, "");
  ret = gst_element_set_state (t.pipeline, GST_STATE_PAUSED);
  said = udp_said (t.bus, GST_MESSAGE_ERROR);
  if (settings[r].error) {
    g_assert_cmpint (ret, ==, GST_STATE_CHANGE_FAILURE);
    if (!said || !strstr (said, settings[r].error))
      g_error ("it says \"%s\"", said);
  } else {
    g_assert_cmpstr (said, ==, NULL);
    g_assert_cmpint (ret, ==, GST_STATE_CHANGE_NO_PREROLL);
  }
  receiver_end (&t);
}

static void
test_properties (void)
{
  GstElement *src = gst_element_factory_make ("rtpadaptsrc", NULL);
  GstElement *from_uri;
  gchar *text;
  gint port;
  guint latency;
  gboolean mux;

  gst_object_ref_sink (src);
  g_object_get (
      src, "port", &port, "latency", &latency, "rtcp-mux", &mux, NULL);
  g_assert_cmpint (port, ==, 5004);
  g_assert_cmpuint (latency, ==, 200);
  g_assert_true (mux);
  g_object_set (src, "uri", "rtpadapt://[::1]:7000?latency=30&fec=false", NULL);
  g_object_get (src, "uri", &text, "latency", &latency, NULL);
  g_assert_cmpstr (text, ==, "rtpadapt://[::1]:7000");
  g_assert_cmpuint (latency, ==, 30);
  g_free (text);
  gst_child_proxy_get (
      GST_CHILD_PROXY (src), "rtpbin::latency", &latency, NULL);
  g_assert_cmpuint (latency, ==, 30);
  gst_object_unref (src);

  from_uri = gst_element_make_from_uri (
      GST_URI_SRC, "rtpadapt://127.0.0.1:7002", NULL, NULL);
  g_object_get (from_uri, "port", &port, "address", &text, NULL);
  g_assert_cmpint (port, ==, 7002);
  g_assert_cmpstr (text, ==, "127.0.0.1");
  g_free (text);
  gst_object_unref (gst_object_ref_sink (from_uri));
}

/* --- states ------------------------------------------------------------- */

static void
test_cycles (void)
{
  guint files = 0;
  Receiver t;
  Sender sender;

  receiver_new (&t, "encoding-name=H264 rtcp-mux=false", RECEIVER_H264);
  for (guint i = 0; i < 20; i++) {
    receiver_play (&t);
    if (i % 5 == 0) {
      sender_new (&sender, t.port, FALSE, NULL, SENDER_VIDEO SENDER_SEND);
      wait_frames (&t, 0, 3);
      gst_element_set_state (t.pipeline, GST_STATE_READY);
      receiver_play (&t);
      wait_frames (&t, 0, 3);
      sender_end (&sender);
    }
    gst_element_set_state (
        t.pipeline, i % 2 ? GST_STATE_READY : GST_STATE_NULL);
    if (i % 2)
      gst_element_set_state (t.pipeline, GST_STATE_NULL);
    if (i == 5)
      files = udp_open_files ();
  }
  g_assert_cmpuint (udp_open_files (), <=, files);
  receiver_end (&t);
}

/* A second receiver at the same port: said, not survived. */
static void
test_port_in_use (void)
{
  g_autofree gchar *said = NULL, *line = NULL;
  Receiver t, other;

  receiver_new (&t, "", "");
  receiver_play (&t);
  line = g_strdup_printf ("port=%d", t.port);
  receiver_new (&other, line, "");
  g_assert_cmpint (gst_element_set_state (other.pipeline, GST_STATE_PLAYING),
      ==, GST_STATE_CHANGE_FAILURE);
  said = udp_said (other.bus, GST_MESSAGE_ERROR);
  g_assert_nonnull (strstr (said, "in use"));
  receiver_end (&other);
  receiver_end (&t);
}

/* --- the network -------------------------------------------------------- */

static const struct
{
  const gchar *settings, *from, *to;
  gboolean mux;
  const gchar *why;
} nets[] = {
  { "", "127.0.0.1", "127.0.0.1", TRUE, "one port" },
  { "rtcp-mux=false", "127.0.0.1", "127.0.0.1", FALSE, "a pair of ports" },
  { "address=::1", "::1", "::1", TRUE, "IPv6" },
  { "address=::", "127.0.0.1", "127.0.0.1", TRUE, "both families" },
  { "address=239.255.42.9 multicast-iface=lo", "127.0.0.1", "239.255.42.9",
      TRUE, "multicast" },
};

static gboolean
have_address (const gchar *address)
{
  guint port;
  gint fd = udp_socket (address, &port);

  if (fd >= 0)
    close (fd);
  return fd >= 0;
}

/* Frames come, the feedback goes back to where they come from, and nothing of
 * it is taken for another's. */
static void
test_net (gconstpointer data)
{
  static const gchar *const none[] = { "junk", "foreign-rtp", "foreign-rtcp",
    "flood", "moved", "unknown-payload" };
  guint r = GPOINTER_TO_UINT (data);
  g_autofree gchar *line
      = g_strconcat ("encoding-name=H264 ", nets[r].settings, NULL);
  Receiver t;
  Sender sender;

  g_test_message ("%s", nets[r].why);
  if (!have_address (nets[r].from)) {
    g_test_skip ("no such address here");
    return;
  }
  receiver_new (&t, line, RECEIVER_H264);
  receiver_play (&t);
  sender_new_from (&sender, nets[r].from, nets[r].to, t.port, nets[r].mux, NULL,
      SENDER_VIDEO SENDER_SEND);
  wait_frames (&t, 0, 30);
  WAIT_UNTIL (t.bus, stat_of (sender_get (&sender, "send"), "feedback") >= 10);
  WAIT_UNTIL (t.bus, stat_of (t.src, "rtcp") >= 1);
  for (guint i = 0; i < G_N_ELEMENTS (none); i++)
    g_assert_cmpuint (stat_of (t.src, none[i]), ==, 0);
  g_assert_cmpuint (stat_of (t.src, "udp/packets"), >=, 30);
  g_assert_cmpuint (stat_of (t.src, "receiver/packets"), >=, 30);
  g_assert_cmpint (g_atomic_int_get (&t.pads), ==, 1);
  sender_end (&sender);
  receiver_end (&t);
}

/* --- what does not belong there ----------------------------------------- */

/* RTP with a made-up SSRC. */
static void
say_rtp (gint fd, gint port, guint pt, guint32 ssrc, guint16 seq)
{
  guint8 data[40] = { 0x80, (guint8) pt };

  GST_WRITE_UINT16_BE (data + 2, seq);
  GST_WRITE_UINT32_BE (data + 8, ssrc);
  udp_say (fd, "127.0.0.1", (guint) port, 0, data, sizeof data);
}

static void
say_noise (gint fd, gint port, GRand *dice)
{
  guint8 data[64];
  gsize size = (gsize) g_rand_int_range (dice, 1, sizeof data);

  for (gsize i = 0; i < size; i++)
    data[i] = (guint8) g_rand_int (dice);
  udp_say (fd, "127.0.0.1", (guint) port, 0, data, size);
}

/* The kernel holds a few hundred packets and drops more: waits till those are
 * read that the sender has sent, and `by_hand`, of all this test's. */
static void
wait_read (Receiver *t, Sender *sender, guint by_hand)
{
  guint64 sent = by_hand + stat_of (sender_get (sender, "rtp"), "packets")
      + stat_of (sender_get (sender, "rtcp"), "packets");

  WAIT_UNTIL (t->bus, stat_of (t->src, "udp/packets") >= sent);
}

/* Before the stream and while it runs: it comes undisturbed, on one pad. */
static void
test_junk (void)
{
  GRand *dice = g_rand_new_with_seed (3);
  Receiver t;
  Sender sender;
  guint port;
  gint fd = udp_socket ("127.0.0.1", &port);

  receiver_new (&t, "pt-map=96=H264/90000", RECEIVER_H264);
  receiver_play (&t);
  for (guint i = 0; i < 200; i++)
    say_noise (fd, t.port, dice);
  sender_new (&sender, t.port, TRUE, NULL, SENDER_VIDEO SENDER_SEND);
  wait_frames (&t, 0, 5);
  for (guint i = 0; i < 1000; i++) {
    say_noise (fd, t.port, dice);
    say_rtp (fd, t.port, 96, 1000 + i / 2, (guint16) i);
    say_rtp (fd, t.port, 97, 7, (guint16) i);
    if (i % 50 == 49) {
      wait_read (&t, &sender, 200 + 3 * (i + 1));
      wait_frames (&t, 0, 2);
    }
  }
  WAIT_UNTIL (t.bus, stat_of (t.src, "foreign-rtp") >= 1000);
  WAIT_UNTIL (t.bus, stat_of (t.src, "unknown-payload") >= 1000);
  g_assert_cmpuint (stat_of (t.src, "junk"), >, 200);
  g_assert_cmpuint (stat_of (t.src, "moved"), ==, 0);
  g_assert_cmpint (g_atomic_int_get (&t.pads), ==, 1);
  wait_frames (&t, 0, 10);
  sender_end (&sender);
  receiver_end (&t);
  close (fd);
  g_rand_free (dice);
}

/* A thousand SSRCs in packets forged so that they come from the sender. */
static void
test_ssrc_flood (void)
{
  Receiver t;
  Sender sender;
  gint fd;

  receiver_new (&t, "pt-map=96=H264/90000", RECEIVER_H264);
  receiver_play (&t);
  sender_new (&sender, t.port, TRUE, NULL, SENDER_VIDEO SENDER_SEND);
  wait_frames (&t, 0, 5);
  fd = g_socket_get_fd (sender.socket);
  for (guint i = 0; i < 1000; i++) {
    say_rtp (fd, t.port, 96, 1000 + i, 1);
    say_rtp (fd, t.port, 96, 1000 + i, 2);
    if (i % 50 == 49) {
      wait_read (&t, &sender, 2 * (i + 1));
      wait_frames (&t, 0, 2);
    }
  }
  wait_frames (&t, 0, 30);
  g_assert_cmpuint (stat_of (t.src, "flood"), >, 900);
  g_assert_cmpint (g_atomic_int_get (&t.pads), <=, 16);
  sender_end (&sender);
  receiver_end (&t);
}

/* Packets one after the other from `fd`, till `moved` is `n`; then ten more, all
 * of which come out. */
static void
move_to (Receiver *t, gint fd, guint16 *seq, guint64 n)
{
  gint from;

  WAIT_UNTIL (t->bus,
      (say_rtp (fd, t->port, 0, 5, (*seq)++), TRUE)
          && stat_of (t->src, "moved") == n);
  from = g_atomic_int_get (&t->frames[0]);
  for (guint i = 0; i < 10; i++)
    say_rtp (fd, t->port, 0, 5, (*seq)++);
  WAIT_UNTIL (t->bus, g_atomic_int_get (&t->frames[0]) >= from + 10);
}

/* The peer goes to another port and comes back: its stream goes on. */
static void
test_move (void)
{
  Receiver t;
  guint port;
  guint16 seq = 0;
  gint home = udp_socket ("127.0.0.1", &port);
  gint away = udp_socket ("127.0.0.1", &port);

  receiver_new (&t, "latency=0", "rtppcmudepay" RECEIVER_OUT);
  receiver_play (&t);
  move_to (&t, home, &seq, 0);
  move_to (&t, away, &seq, 1);
  move_to (&t, home, &seq, 2);
  g_assert_cmpint (g_atomic_int_get (&t.pads), ==, 1);
  receiver_end (&t);
  close (home);
  close (away);
}

/* Without rtcp-mux each kind has its port. */
static void
test_wrong_port (void)
{
  const guint8 rr[] = { 0x80, 201, 0, 1, 0, 0, 0, 5 };
  Receiver t;
  guint port;
  gint fd = udp_socket ("127.0.0.1", &port), rtcp_port;

  receiver_new (&t, "rtcp-mux=false", "");
  receiver_play (&t);
  g_object_get (t.src, "rtcp-port", &rtcp_port, NULL);
  say_rtp (fd, rtcp_port, 0, 5, 1);
  udp_say (fd, "127.0.0.1", (guint) t.port, 0, rr, sizeof rr);
  WAIT_UNTIL (t.bus, stat_of (t.src, "junk") == 2);
  receiver_end (&t);
  close (fd);
}

/* The next RTCP that the receiver sends, and its SSRC. */
static guint32
hear_rtcp (gint fd)
{
  UdpHeard heard;

  udp_hear (fd, &heard);
  g_assert_cmpint (heard.size, >=, 8);
  return GST_READ_UINT32_BE (heard.data + 4);
}

/* A request for an SR (RFC 6051 3.2) about the receiver's SSRC, which would
 * make rtpsession wait for itself: dropped, and reports go on. */
static void
test_sr_request (void)
{
  guint8 rtcp[] = { 0x80, 201, 0, 1, 0, 0, 0, 5, /* an empty RR */
    0x85, 205, 0, 2, 0, 0, 0, 5, 0, 0, 0, 0 };
  Receiver t;
  guint port;
  guint16 seq = 0;
  gint fd = udp_socket ("127.0.0.1", &port);

  receiver_new (&t, "latency=0", "rtppcmudepay" RECEIVER_OUT);
  receiver_play (&t);
  move_to (&t, fd, &seq, 0);
  GST_WRITE_UINT32_BE (rtcp + 16, hear_rtcp (fd));
  udp_say (fd, "127.0.0.1", (guint) t.port, 0, rtcp, sizeof rtcp);
  WAIT_UNTIL (t.bus, stat_of (t.src, "sr-requests") == 1);
  g_assert_cmpuint (stat_of (t.src, "rtcp"), ==, 0);
  udp_say (fd, "127.0.0.1", (guint) t.port, 0, rtcp, 8);
  WAIT_UNTIL (t.bus, stat_of (t.src, "rtcp") == 1);
  move_to (&t, fd, &seq, 0);
  receiver_end (&t);
  close (fd);
}

/* One warning for all, which tells what to do. */
static void
test_unknown_payload (void)
{
  g_autofree gchar *said = NULL, *again = NULL;
  Receiver t;
  guint port;
  gint fd = udp_socket ("127.0.0.1", &port);

  receiver_new (&t, "pt-map=96=H264/90000", RECEIVER_H264);
  receiver_play (&t);
  for (guint16 i = 0; i < 10; i++)
    say_rtp (fd, t.port, 101, 5, i);
  WAIT_UNTIL (t.bus, (said = udp_said (t.bus, GST_MESSAGE_WARNING)));
  say_rtp (fd, t.port, 102, 5, 0);
  WAIT_UNTIL (t.bus, stat_of (t.src, "unknown-payload") == 11);
  again = udp_said (t.bus, GST_MESSAGE_WARNING);
  g_assert_nonnull (strstr (said, "101"));
  g_assert_cmpstr (again, ==, NULL);
  g_assert_cmpint (g_atomic_int_get (&t.pads), ==, 0);
  receiver_end (&t);
  close (fd);
}

/* --- keys --------------------------------------------------------------- */

/* RFC 3711 B.3's master key and salt. */
#define KEY "e1f97a0d3e018be0d64fa32c06de41390ec675ad498afeebb6960b3aabe6"
#define OTHER "e1f97a0d3e018be0d64fa32c06de41390ec675ad498afeebb6960b3aabe7"

/* By rtpadaptsink, whose encryption it is. */
static GstElement *
encrypted_sender (gint port, const gchar *key)
{
  g_autofree gchar *line = g_strdup_printf (SENDER_VIDEO
      " ! rtpadaptsink name=sink fec=none host=127.0.0.1 port=%d "
      "key=%s",
      port, key);
  GError *error = NULL;
  GstElement *pipeline = gst_parse_launch (line, &error);

  g_assert_no_error (error);
  g_assert_cmpint (gst_element_set_state (pipeline, GST_STATE_PLAYING), !=,
      GST_STATE_CHANGE_FAILURE);
  return pipeline;
}

/* With the key it is heard and answered; without it, another key or none,
 * nothing gets in. */
static void
test_key (void)
{
  GstElement *good, *bad, *sink;
  Receiver t;
  Sender plain;

  receiver_new (&t, "encoding-name=H264 key=" KEY, RECEIVER_H264);
  receiver_play (&t);
  bad = encrypted_sender (t.port, OTHER);
  sender_new (&plain, t.port, TRUE, NULL, SENDER_VIDEO SENDER_SEND);
  WAIT_UNTIL (t.bus, stat_of (t.src, "security/dropped") >= 20);
  g_assert_cmpuint (stat_of (t.src, "rtp"), ==, 0);
  good = encrypted_sender (t.port, KEY);
  wait_frames (&t, 0, 20);
  sink = gst_bin_get_by_name (GST_BIN (good), "sink");
  WAIT_UNTIL (t.bus, stat_of (sink, "sender/feedback") >= 5);
  gst_object_unref (sink);
  g_assert_cmpint (g_atomic_int_get (&t.pads), ==, 1);
  sender_end (&plain);
  gst_element_set_state (bad, GST_STATE_NULL);
  gst_element_set_state (good, GST_STATE_NULL);
  gst_object_unref (bad);
  gst_object_unref (good);
  receiver_end (&t);
}

int
main (int argc, char **argv)
{
  gst_init (&argc, &argv);
  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (settings); i++) {
    g_autofree gchar *name = g_strdup_printf ("/src/settings/%02u", i);

    g_test_add_data_func (name, GUINT_TO_POINTER (i), test_settings);
  }
  g_test_add_func ("/src/properties", test_properties);
  g_test_add_func ("/src/cycles", test_cycles);
  g_test_add_func ("/src/port-in-use", test_port_in_use);
  for (guint i = 0; i < G_N_ELEMENTS (nets); i++) {
    g_autofree gchar *name = g_strdup_printf ("/src/net/%u", i);

    g_test_add_data_func (name, GUINT_TO_POINTER (i), test_net);
  }
  g_test_add_func ("/src/junk", test_junk);
  g_test_add_func ("/src/ssrc-flood", test_ssrc_flood);
  g_test_add_func ("/src/move", test_move);
  g_test_add_func ("/src/wrong-port", test_wrong_port);
  g_test_add_func ("/src/sr-request", test_sr_request);
  g_test_add_func ("/src/unknown-payload", test_unknown_payload);
  g_test_add_func ("/src/key", test_key);
  return g_test_run ();
}
