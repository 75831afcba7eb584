/* rtpadaptsrc: settings, states, the network, keys.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "secure-fixture.h"
#include "../rows.h"

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
  { "pt-map=\"96=H264,96=VP8\"", "there twice", "one type of two codecs" },
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
  { "caps=\"application/x-rtp,media=video,encoding-name=H264\"", "clock-rate",
      "rtpjitterbuffer drops packets without a clock rate" },
  { "caps=\"application/x-rtp,media=video,clock-rate=0,encoding-name=H264\"",
      "clock-rate", "or with one of 0" },
  { "caps=\"video/x-h264,clock-rate=90000\"", "application/x-rtp", "not RTP" },
  { "caps=\"application/x-rtp,payload=224,media=video,clock-rate=90000,"
    "encoding-name=H264\"",
      "7 bits", "not 96 (RFC 3550 5.1)" },
  { "caps=\"application/x-rtp,payload=72,media=video,clock-rate=90000,"
    "encoding-name=H264\"",
      "RTCP", "72 would look like RTCP (RFC 5761 4)" },
  { "pt-map=\"122=H264\"", "FEC", "the number of ULPFEC" },
  { "pt-map=\"120=H264\" fec=false", "FEC", "the number of the other code" },
  { "pt-map=\"121=H264\"", "retransmissions", "the number of RTX" },
  { "pt-map=\"119=H264\"", "retransmissions", "and of FEC that is sent again" },
  { "pt-map=\"121=H264\" retransmission=false", NULL, "which is free then" },
  { "caps=\"application/x-rtp,payload=122,media=video,clock-rate=90000,"
    "encoding-name=H264\"",
      "FEC", "the same in caps" },
  { "rtcp-mux=false", NULL, "a pair of ports" },
  { "fec=false retransmission=true", NULL, "other repair" },
  { "feedback=tfrc", NULL, "TFRC" },
  { "feedback=ccfb", NULL, "RFC 8888" },
  { "uri=rtpadapt://127.0.0.1:0?latency=50&pt-map=96=VP8", NULL, "a URI" },
  { "uri=rtpadapt://127.0.0.1:0?nonsense=1", "nonsense", "a URI's bad key" },
  { "uri=http://127.0.0.1/", "http", "another URI" },
  { "address=192.0.2.1", "192.0.2.1", "an address that is not ours" },
  { "key=00", "SRTP key", "a key too short" },
  { "dtls=true rtcp-mux=false", "rtcp-mux", "DTLS on two ports" },
};

static void
test_settings (gconstpointer data)
{
  guint r = GPOINTER_TO_UINT (data);
  g_autofree gchar *said = NULL;
  GstStateChangeReturn ret;
  g_auto (Receiver) t;

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
}

/* The least latency that is set may not be the most; its default may. */
static const struct
{
  const gchar *name, *settings, *warning;
} crossed[] = {
  { "set", "adaptive-latency=true min-latency=500 latency=100",
      "min-latency 500 is above latency 100: both are taken as 100" },
  { "default", "adaptive-latency=true latency=10", NULL },
  { "unused", "min-latency=500 latency=100", NULL },
};

static void
test_crossed (gconstpointer data)
{
  guint row = GPOINTER_TO_UINT (data);
  g_autofree gchar *said = NULL;
  g_auto (Receiver) t;

  receiver_new (&t, crossed[row].settings, "");
  gst_element_set_state (t.pipeline, GST_STATE_PAUSED);
  do {
    g_free (said);
    said = udp_said (t.bus, GST_MESSAGE_WARNING);
  } while (said && !strstr (said, "latency")); /* another is about the key */
  g_assert_cmpstr (said, ==, crossed[row].warning);
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

#define LATE_CAPS "application/x-rtp,clock-rate=90000,payload=98"
/* Set while it runs, "NAME=VALUE|NAME=VALUE", and which of them are named by a warning
 * that they are for the next start.  docs/elements/rtpadaptsrc.md has "before READY" for
 * these, "up to PLAYING" for the others. */
static const struct
{
  const gchar *name, *settings, *late;
  const gchar *why;
} late_rows[] = {
  { "address", "address=127.0.0.2", "address", "the socket is open" },
  { "port", "port=6000", "port", "the same" },
  { "rtcp-port", "rtcp-port=7000", "rtcp-port", "the same" },
  { "rtcp-mux", "rtcp-mux=false", "rtcp-mux", "the same" },
  { "iface", "multicast-iface=lo", "multicast-iface", "the same" },
  { "drop", "drop-on-latency=true", "drop-on-latency", "rtpbin has it" },
  { "encoding", "encoding-name=VP8", "encoding-name", "caps are made" },
  { "pt-map", "pt-map=97=OPUS/48000/2", "pt-map", "the same" },
  { "caps", "caps=application/x-rtp,clock-rate=90000,payload=99", "caps",
      "the same" },
  { "feedback", "feedback=ccfb", "feedback", "the session has begun" },
  { "fec", "fec=false", "fec", "the same" },
  { "retransmission", "retransmission=false", "retransmission", "the same" },
  { "uri", "uri=rtpadapt://127.0.0.3:0?fec=false", "address,fec",
      "each by its name; the port is the same" },
  { "same",
      "address=127.0.0.1|port=0|encoding-name=H264|multicast-iface=|fec=true|"
      "caps=" LATE_CAPS,
      "", "nothing changes" },
  { "back", "fec=false|fec=true", "fec", "it is as it was: one warning" },
  { "mutable", "latency=300|adaptive-latency=true|min-latency=30", "",
      "these change at once" },
};

static void
late_set (GstElement *src, const gchar *pairs)
{
  g_auto (GStrv) each = g_strsplit (pairs, "|", -1);

  for (guint i = 0; each[i]; i++) {
    gchar *value = strchr (each[i], '=');

    *value++ = '\0';
    gst_util_set_object_arg (G_OBJECT (src), each[i], value);
  }
}

static void
test_late (gconstpointer data)
{
  guint row = GPOINTER_TO_UINT (data);
  g_autoptr (GString) late = g_string_new (NULL);
  gchar *said, *end;
  g_auto (Receiver) t;

  g_test_message ("%s", late_rows[row].why);
  receiver_new (&t, "encoding-name=H264 caps=\"" LATE_CAPS "\"", "");
  gst_element_set_state (t.pipeline, GST_STATE_PAUSED);
  late_set (t.src, late_rows[row].settings);
  while ((said = udp_said (t.bus, GST_MESSAGE_WARNING))) {
    end = strstr (said, " is taken from NULL to READY");
    if (end)
      g_string_append_printf (
          late, "%s%.*s", late->len ? "," : "", (gint) (end - said), said);
    g_free (said);
  }
  g_assert_cmpstr (late->str, ==, late_rows[row].late);
  /* In NULL all may be set. */
  gst_element_set_state (t.pipeline, GST_STATE_NULL);
  late_set (t.src, "address=127.0.0.1|fec=false|encoding-name=H265");
  said = udp_said (t.bus, GST_MESSAGE_WARNING);
  g_assert_cmpstr (said, ==, NULL);
}

/* --- states ------------------------------------------------------------- */

static void
test_cycles (void)
{
  guint files = 0;
  g_auto (Receiver) t;
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
}

/* A second receiver at the same port: said, not survived. */
static void
test_port_in_use (void)
{
  g_autofree gchar *said = NULL, *line = NULL;
  g_auto (Receiver) t, other;

  receiver_open (&t, "", "");
  line = g_strdup_printf ("port=%d", t.port);
  receiver_new (&other, line, "");
  g_assert_cmpint (gst_element_set_state (other.pipeline, GST_STATE_PLAYING),
      ==, GST_STATE_CHANGE_FAILURE);
  said = udp_said (other.bus, GST_MESSAGE_ERROR);
  g_assert_nonnull (strstr (said, "in use"));
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
  gint fd = udp_socket (address, NULL);

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
  receiver_open (&t, line, RECEIVER_H264);
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

/* --- keys --------------------------------------------------------------- */

/* With the key it is heard and answered; without it, another key or none,
 * nothing gets in. */
static void
test_key (void)
{
  GstElement *good, *bad, *sink;
  g_auto (Receiver) t;
  Sender plain;

  receiver_open (&t, "encoding-name=H264 key=" KEY, RECEIVER_H264);
  bad = play_sender ((guint) t.port, OTHER);
  sender_new (&plain, t.port, TRUE, NULL, SENDER_VIDEO SENDER_SEND);
  WAIT_UNTIL (t.bus, stat_of (t.src, "security/dropped") >= 20);
  g_assert_cmpuint (stat_of (t.src, "rtp"), ==, 0);
  good = play_sender ((guint) t.port, KEY);
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
}

void
tests_add (void)
{
  rows_add ("/src/settings", settings, test_settings);
  rows_add_by ("/src/crossed", crossed, name, test_crossed);
  rows_add_by ("/src/late", late_rows, name, test_late);
  g_test_add_func ("/src/properties", test_properties);
  g_test_add_func ("/src/cycles", test_cycles);
  g_test_add_func ("/src/port-in-use", test_port_in_use);
  rows_add ("/src/net", nets, test_net);
  g_test_add_func ("/src/key", test_key);
}
