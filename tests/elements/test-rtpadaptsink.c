/* rtpadaptsink: the bin, its pads and what it sends.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "../main.h"
#include "sink-fixture.h"

#include <gst/video/video.h>
#include <stdlib.h>

/* --- a stock receiver ---------------------------------------------------- */

static void
count_frame (GstElement *sink, GstBuffer *buffer, GstPad *pad, gpointer data)
{
  g_atomic_int_inc ((gint *) data);
}

static gboolean
enough_frames (gpointer data)
{
  return g_atomic_int_get ((gint *) data) >= 30;
}

/* Nothing of ours but the sender: rtpbin and TWCC caps. */
static GstElement *
stock_receiver (guint *rtp, guint *rtcp, gint *frames)
{
  GstElement *receiver = gst_parse_launch (
      "rtpbin name=r rtp-profile=avpf latency=20 "
      "rtpsession0::bandwidth=4000000 "
      "udpsrc name=rtp address=127.0.0.1 port=0 "
      "caps=\"application/x-rtp,media=video,clock-rate=90000,"
      "encoding-name=H264,payload=96,extmap-1=" TWCC_URI "\" ! "
      "r.recv_rtp_sink_0 r. ! rtph264depay ! avdec_h264 ! "
      "fakesink name=f sync=false signal-handoffs=true "
      "udpsrc name=rtcp address=127.0.0.1 port=0 ! r.recv_rtcp_sink_0 "
      "r.send_rtcp_src_0 ! "
      "udpsink name=answer host=127.0.0.1 sync=false async=false",
      NULL);
  const gchar *const names[] = { "rtp", "rtcp" };
  guint *ports[] = { rtp, rtcp };
  GstElement *counter;

  if (!receiver)
    return NULL;
  counter = gst_bin_get_by_name (GST_BIN (receiver), "f");
  g_signal_connect (counter, "handoff", G_CALLBACK (count_frame), frames);
  gst_object_unref (counter);
  gst_element_set_state (receiver, GST_STATE_READY);
  for (guint i = 0; i < G_N_ELEMENTS (names); i++) {
    g_autoptr (GstElement) src
        = gst_bin_get_by_name (GST_BIN (receiver), names[i]);

    g_object_get (src, "port", ports[i], NULL);
  }
  return receiver;
}

static void
test_stock_receiver (void)
{
  guint rtp, rtcp;
  gint frames = 0;
  GstElement *receiver = stock_receiver (&rtp, &rtcp, &frames);
  g_autofree gchar *line = g_strdup_printf (
      "videotestsrc is-live=true ! video/x-raw,width=320,height=240 ! "
      "x264enc name=e tune=zerolatency speed-preset=ultrafast bitrate=5000 ! "
      "rtph264pay ! rtpadaptsink name=s rtcp-mux=false rtcp-port=%u "
      "uri=rtpadapt://127.0.0.1:%u?max-bitrate=900000",
      rtcp, rtp);
  GstElement *pipeline = gst_parse_launch (line, NULL), *sink, *answer;
  GstElement *encoder;
  guint bitrate;

  if (!pipeline || !receiver) {
    g_test_skip ("no x264enc or avdec_h264");
    return;
  }
  sink = gst_bin_get_by_name (GST_BIN (pipeline), "s");
  answer = gst_bin_get_by_name (GST_BIN (receiver), "answer");
  gst_element_set_state (pipeline, GST_STATE_READY);
  g_object_set (answer, "port", sink_port (sink, "rtcpsrc"), NULL);
  sink_play (receiver);
  sink_play (pipeline);
  g_assert_true (sink_wait (enough_frames, &frames));
  sink_expect (sink, "sender/feedback", 10);
  /* 5000 kbit/s would be over the limit; rate/lead.h asks for half more of 900 at most. */
  encoder = gst_bin_get_by_name (GST_BIN (pipeline), "e");
  g_object_get (encoder, "bitrate", &bitrate, NULL);
  gst_object_unref (encoder);
  g_assert_cmpuint (bitrate, <=, 1350);
  /* Another test may still send to a port that is ours now. */
  g_assert_cmpuint (10 * sink_stat (sink, "peer/foreign-rtcp"), <=,
      sink_stat (sink, "sender/feedback"));
  gst_element_set_state (receiver, GST_STATE_NULL);
  gst_object_unref (answer);
  gst_object_unref (receiver);
  sink_stop (pipeline, sink);
}

/* --- the size of packets -------------------------------------------------- */

static const struct
{
  const gchar *payloader;
  guint mtu;
  const gchar *why;
} mtus[] = {
  { "rtph264pay name=p", 1152, "the default, 1400, is too large for tunnels" },
  { "rtph264pay name=p mtu=1000", 1000, "set, and small" },
  { "rtph264pay name=p mtu=1399", 1399, "set, and large" },
  { "rtph264pay name=p ! identity ! queue", 1152, "elements between" },
};

#define GCM_KEY                                          \
  "00112233445566778899aabbccddeeff00112233445566778899" \
  "aabbccddeeff00112233445566778899aabb"

/* The largest datagram of some that have repair packets among them, and the mtu of the
 * payloader; 0: this host has no such address. */
static guint
mtu_largest (
    const gchar *host, const gchar *payloader, const gchar *options, guint *mtu)
{
  guint port, largest = 0, repairs = 0;
  gint ear = udp_socket (host, &port);
  g_autofree gchar *line = g_strdup_printf (
      "videotestsrc is-live=true pattern=snow ! "
      "video/x-raw,width=320,height=240 ! "
      "x264enc tune=zerolatency speed-preset=ultrafast bitrate=4000 ! %s ! "
      "rtpadaptsink name=s host=%s port=%u start-bitrate=4000000 "
      "controller=fixed fec=fixed fec-params=level=0.5 fec-unasked=true %s",
      payloader, host, port, options);
  GstElement *pipeline, *element;
  gint64 end = g_get_monotonic_time () + PATIENCE;

  if (ear < 0)
    return 0;
  pipeline = gst_parse_launch (line, NULL);
  g_assert_nonnull (pipeline);
  element = gst_bin_get_by_name (GST_BIN (pipeline), "p");
  sink_play (pipeline);
  while (repairs < 10 && g_get_monotonic_time () < end) {
    guint8 data[2048];
    gssize size = recv (ear, data, sizeof data, MSG_DONTWAIT);

    if (size < 12) {
      g_usleep (1000);
      continue;
    }
    largest = MAX (largest, (guint) size);
    repairs += (data[1] & 0x7f) == 122; /* SRTP leaves it as it is */
  }
  g_assert_cmpuint (repairs, >=, 10);
  g_object_get (element, "mtu", mtu, NULL);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_object_unref (element);
  gst_object_unref (pipeline);
  close (ear);
  return largest;
}

static void
test_mtu (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (mtus); i++) {
    guint mtu = 0, largest;

    g_test_message ("%s", mtus[i].why);
    largest = mtu_largest ("127.0.0.1", mtus[i].payloader, "", &mtu);
    g_assert_cmpuint (mtu, ==, mtus[i].mtu);
    g_assert_cmpuint (largest, >=, mtu);
  }
}

/* U7: no IP packet is above 1280 bytes (RFC 8200 5), repair packets included.  UDP has
 * 8 bytes, IPv4 20 and IPv6 40. */
static void
test_mtu_wire (void)
{
  static const struct
  {
    const gchar *host, *options;
    guint headers;
    const gchar *why;
  } rows[] = {
    { "127.0.0.1", "", 20 + 8, "IPv4" },
    { "127.0.0.1", "cipher=aes-256-gcm key=" GCM_KEY, 20 + 8, "IPv4, SRTP" },
    { "::1", "", 40 + 8, "IPv6" },
    { "::1", "cipher=aes-256-gcm key=" GCM_KEY, 40 + 8,
        "IPv6, SRTP with the longest tag" },
    { "::1", "feedback=tfrc cipher=aes-256-gcm key=" GCM_KEY, 40 + 8,
        "and the longest header extension" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    guint mtu = 0, largest;

    largest = mtu_largest (
        rows[i].host, "rtph264pay name=p", rows[i].options, &mtu);
    g_test_message ("%s: %u bytes", rows[i].why, largest + rows[i].headers);
    if (largest > 0)
      g_assert_cmpuint (largest + rows[i].headers, <=, 1280);
  }
}

/* --- one start after another ------------------------------------------------ */

static void
test_starts (void)
{
  static const struct
  {
    gboolean retransmission;
    GstClockTime time;
    guint ms; /* that packets are kept; 0: they are not */
    const gchar *why;
  } rows[] = {
    { FALSE, GST_SECOND, 0, "none is sent again" },
    { TRUE, GST_SECOND, 1000, "it is set before the second start" },
    { TRUE, 2 * GST_SECOND, 2000, "for longer" },
    { FALSE, GST_SECOND, 0, "and none again" },
  };
  guint port;
  gint ear = udp_socket ("127.0.0.1", &port);
  GstElement *sink, *pipeline = sink_pipeline (port, "", &sink);
  UdpHeard heard;

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    g_autoptr (GstElement) rtx = NULL;
    guint ms = 0;

    g_test_message ("%s", rows[i].why);
    g_object_set (sink, "retransmission", rows[i].retransmission, "rtx-time",
        rows[i].time, NULL);
    sink_play (pipeline);
    sink_push (pipeline, i);
    sink_hear_rtp (ear, &heard);
    g_assert_cmpuint (heard.seq, ==, i);
    rtx = gst_bin_get_by_name (GST_BIN (sink), "rtx_0");
    if (rtx)
      g_object_get (rtx, "max-size-time", &ms, NULL);
    g_assert_cmpuint (ms, ==, rows[i].ms);
    gst_element_set_state (pipeline, GST_STATE_READY);
  }
  sink_stop (pipeline, sink);
  close (ear);
}

/* --- children and properties --------------------------------------------- */

static void
test_children (void)
{
  static const gchar *const names[]
      = { "funnel", "send", "rtpbin", "rtpsink", "rtcpsink", "rtcpsrc" };
  g_autoptr (GstElement) sink = gst_element_factory_make ("rtpadaptsink", NULL);
  guint bitrate;

  gst_object_ref_sink (sink);
  for (guint i = 0; i < G_N_ELEMENTS (names); i++) {
    g_autoptr (GObject) child
        = gst_child_proxy_get_child_by_name (GST_CHILD_PROXY (sink), names[i]);

    g_test_message ("%s", names[i]);
    g_assert_nonnull (child);
  }
  gst_child_proxy_set (
      GST_CHILD_PROXY (sink), "send::max-bitrate", 123456, NULL);
  g_object_get (sink, "max-bitrate", &bitrate, NULL);
  g_assert_cmpuint (bitrate, ==, 123456);
  g_assert_true (GST_OBJECT_FLAG_IS_SET (sink, GST_ELEMENT_FLAG_SINK));
  g_assert_false (GST_OBJECT_FLAG_IS_SET (sink, GST_ELEMENT_FLAG_SOURCE));
}

static const struct
{
  const gchar *child, *name, *value;
  const gchar *why;
} settings[] = {
  { "send", "controller", "ssvp", "the rate controller" },
  { "send", "controller-params", "beta=0.5", "its parameters" },
  { "send", "lda", "zigzag", "the loss differentiation" },
  { "send", "min-bitrate", "20000", "limits" },
  { "send", "max-bitrate", "3000000", "limits" },
  { "send", "max-backlog", "300000000", "time" },
  { "send", "fec", "none", "FEC" },
  { "send", "colour", "none", "colours off" },
  { "send", "colour", "profile", "and on" },
  { "send", "friendliness-cap", "4", "a fraction" },
  { "send", "circuit-breakers", "false", "a switch" },
  { "send", "stats-interval", "500000000", "messages" },
  { "rtpsink", "af-class", "3", "DSCP of RTP" },
  { "rtcpsink", "af-class", "3", "and of RTCP" },
  { "send", "ecn", "ect-0", "ECN" },
  { "rtpsink", "dscp", "46", "DSCP where there is no colour" },
};

/* Set while packets go through. */
static void
test_settings (void)
{
  guint port;
  gint ear = udp_socket ("127.0.0.1", &port);
  GstElement *sink, *pipeline = sink_pipeline (port, "", &sink);

  sink_play (pipeline);
  for (guint i = 0; i < G_N_ELEMENTS (settings); i++) {
    g_autoptr (GObject) child = gst_child_proxy_get_child_by_name (
        GST_CHILD_PROXY (sink), settings[i].child);
    GValue value = G_VALUE_INIT, wanted = G_VALUE_INIT;
    UdpHeard heard;

    g_test_message (
        "%s=%s: %s", settings[i].name, settings[i].value, settings[i].why);
    gst_util_set_object_arg (
        G_OBJECT (sink), settings[i].name, settings[i].value);
    sink_push (pipeline, i);
    do {
      udp_hear (ear, &heard);
      g_assert_cmpint (heard.size, >, 0);
    } while (heard.data[1] != (0x80 | 96)); /* RTCP */
    g_object_get_property (child, settings[i].name, &value);
    g_value_init (&wanted, G_VALUE_TYPE (&value));
    g_assert_true (gst_value_deserialize (&wanted, settings[i].value));
    g_assert_cmpint (gst_value_compare (&value, &wanted), ==, GST_VALUE_EQUAL);
    g_value_unset (&value);
    g_value_unset (&wanted);
  }
  sink_stop (pipeline, sink);
  close (ear);
}

/* RFC 2597 6, RFC 7657 5.4: RTCP is AF41 beside colours of class 4, AF31
 * beside those of class 3, else as what has no colour. */
static const struct
{
  const gchar *options;
  gint dscp;
} rtcp_dscp[] = {
  { "", 34 },
  { "af-class=3", 26 },
  { "colour=none", -1 },
  { "colour=none dscp=46", 46 },
};

static void
test_rtcp_dscp (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (rtcp_dscp); i++) {
    GstElement *sink,
        *pipeline = sink_pipeline (9, rtcp_dscp[i].options, &sink);
    GstElement *rtcp = gst_bin_get_by_name (GST_BIN (sink), "rtcpsink");
    gint dscp;

    g_test_message ("\"%s\"", rtcp_dscp[i].options);
    gst_element_set_state (pipeline, GST_STATE_READY);
    g_object_get (rtcp, "dscp", &dscp, NULL);
    g_assert_cmpint (dscp, ==, rtcp_dscp[i].dscp);
    gst_object_unref (rtcp);
    sink_stop (pipeline, sink);
  }
}

static void
count_notify (GObject *object, GParamSpec *pspec, gpointer data)
{
  ++*(guint *) data;
}

static void
test_notify (void)
{
  g_autoptr (GstElement) sink = gst_element_factory_make ("rtpadaptsink", NULL);
  g_autoptr (GObject) send = NULL;
  guint told = 0;
  gint dscp;

  gst_object_ref_sink (sink);
  send = gst_child_proxy_get_child_by_name (GST_CHILD_PROXY (sink), "send");
  g_signal_connect (
      sink, "notify::estimated-bitrate", G_CALLBACK (count_notify), &told);
  g_object_notify (send, "estimated-bitrate");
  g_assert_cmpuint (told, ==, 1);
  /* RTCP's DSCP follows a child that is set directly. */
  gst_child_proxy_set (GST_CHILD_PROXY (sink), "send::colour", 0, NULL);
  gst_child_proxy_get (GST_CHILD_PROXY (sink), "rtcpsink::dscp", &dscp, NULL);
  g_assert_cmpint (dscp, ==, -1);
  g_signal_emit_by_name (sink, "restart"); /* nothing tripped: no harm */
}

/* Messages of the children are the bin's, so that those of two can be told apart. */
static void
test_message_source (void)
{
  GstElement *pipeline
      = line_new ("rtpadaptsink name=0 stats-interval=10000000 "
                  "rtpadaptsink name=1 stats-interval=10000000 "
                  "rtpadaptsrc name=2 address=127.0.0.1 port=0");
  g_autoptr (GstElement) src = gst_bin_get_by_name (GST_BIN (pipeline), "2");
  g_autoptr (GstBus) bus = gst_element_get_bus (pipeline);
  guint seen[3] = { 0 };

  gst_child_proxy_set (GST_CHILD_PROXY (src), "recv::stats-interval",
      (guint64) 10 * GST_MSECOND, NULL);
  sink_play (pipeline);
  while (!seen[0] || !seen[1] || !seen[2]) {
    g_autoptr (GstMessage) message = gst_bus_timed_pop_filtered (
        bus, PATIENCE * GST_USECOND, GST_MESSAGE_ELEMENT);

    g_assert_nonnull (message);
    g_assert_nonnull (
        strstr (gst_structure_get_name (gst_message_get_structure (message)),
            GST_MESSAGE_SRC (message) == (GstObject *) src ? "recv-stats"
                                                           : "send-stats"));
    g_assert_true (GST_OBJECT_PARENT (GST_MESSAGE_SRC (message))
        == (GstObject *) pipeline);
    seen[atoi (GST_MESSAGE_SRC_NAME (message))]++;
  }
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_object_unref (pipeline);
}

/* --- caps ---------------------------------------------------------------- */

#define SENDTS "urn:ietf:params:rtp-hdrext:rtt-sendts"
#define COLOUR "urn:x-rtpadapt:rtp-hdrext:colour"
#define MID "urn:ietf:params:rtp-hdrext:sdes:mid"
#define RTP "application/x-rtp"
#define LONG RTP ",extmap-5=<sendrecv,(string)" TWCC_URI ",none>"

static const struct
{
  const gchar *options, *filter, *first;
  const gchar *why;
} offers[] = {
  { "", NULL, RTP ",extmap-1=" TWCC_URI ",extmap-3=" COLOUR, "twcc, colours" },
  { "colour=none", NULL, RTP ",extmap-1=" TWCC_URI, "twcc alone" },
  { "feedback=tfrc", NULL,
      RTP ",extmap-1=" TWCC_URI ",extmap-2=" SENDTS ",extmap-3=" COLOUR,
      "tfrc wants the time, and the numbers, too" },
  { "feedback=ccfb colour=none", NULL, RTP, "RFC 8888 needs none" },
  { "colour=none", RTP ",media=video,payload=96",
      RTP ",media=video,payload=96,extmap-1=" TWCC_URI, "a payloader" },
  { "colour=none", RTP ",extmap-5=" TWCC_URI, RTP ",extmap-5=" TWCC_URI,
      "an id of its own is kept" },
  { "colour=none", LONG, LONG, "the long form, too" },
  { "colour=none", RTP ",extmap-1=" MID,
      RTP ",extmap-1=" MID ",extmap-2=" TWCC_URI, "the next free id" },
  { "colour=none", "video/x-raw", "EMPTY", "no RTP" },
};

static void
test_offers (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (offers); i++) {
    g_autofree gchar *line
        = g_strdup_printf ("rtpadaptsink %s", offers[i].options);
    g_autoptr (GstElement) sink = gst_parse_launch (line, NULL);
    g_autoptr (GstPad) pad = gst_element_request_pad_simple (sink, "sink_%u");
    GstCaps *filter
        = offers[i].filter ? gst_caps_from_string (offers[i].filter) : NULL;
    g_autoptr (GstCaps) wanted = gst_caps_from_string (offers[i].first);
    g_autoptr (GstCaps) offer = gst_pad_query_caps (pad, filter);
    g_autofree gchar *shown = gst_caps_to_string (offer);

    g_test_message ("%s: %s", offers[i].why, shown);
    if (gst_caps_is_empty (wanted)) {
      g_assert_true (gst_caps_is_empty (offer));
    } else {
      g_autoptr (GstCaps) first = gst_caps_copy_nth (offer, 0);
      /* What cannot do that passes as it is. */
      g_autoptr (GstCaps) plain
          = filter ? gst_caps_ref (filter) : gst_caps_from_string (RTP);

      g_assert_true (gst_caps_is_equal (first, wanted));
      g_assert_true (gst_caps_is_subset (plain, offer));
    }
    gst_clear_caps (&filter);
    gst_element_release_request_pad (sink, pad);
  }
}

/* Feedback that is set while it runs is for the next start, and so are its extensions. */
static void
test_offer_late (void)
{
  guint port;
  gint ear = udp_socket ("127.0.0.1", &port);
  GstElement *sink, *pipeline = sink_pipeline (port, "colour=none", &sink);
  g_autoptr (GstCaps) filter = gst_caps_from_string (RTP);
  g_autoptr (GstPad) pad = gst_element_request_pad_simple (sink, "sink_%u");

  for (guint i = 0; i < 2; i++) {
    g_autoptr (GstCaps) offer = NULL;
    g_autofree gchar *shown = NULL;

    if (i == 0)
      sink_play (pipeline);
    else
      gst_element_set_state (pipeline, GST_STATE_READY);
    gst_util_set_object_arg (G_OBJECT (sink), "feedback", "ccfb");
    offer = gst_pad_query_caps (pad, filter);
    shown = gst_caps_to_string (offer);
    g_assert_true ((strstr (shown, "extmap-1") != NULL) == (i == 0));
  }
  sink_stop (pipeline, sink);
  close (ear);
}

/* --- the encoder's profile --------------------------------------------------- */

/* x264enc makes High of I420 where it may, as behind udpsink. */
static const struct
{
  const gchar *format, *encoded, *sent, *end;
  const gchar *profile;
  gboolean warns; /* of H.264 that few can play */
  const gchar *why;
} profiles[] = {
  { "I420", "", "", "udpsink host=127.0.0.1", "high", FALSE,
      "what x264enc takes" },
  { "I420", "", "", "rtpadaptsink host=127.0.0.1", "high", FALSE,
      "no offer says less" },
  { "I420", "", "queue ! ", "rtpadaptsink host=127.0.0.1", "high", FALSE,
      "behind a queue" },
  { "I420", "video/x-h264,profile=main ! ", "", "rtpadaptsink host=127.0.0.1",
      "main", FALSE, "the application's caps decide" },
  /* RFC 6184 8.1: 42 is profile_idc 66, c0 constraint_set0 and 1, 1f level 3.1. */
  { "I420", "", RTP ",profile-level-id=42c01f ! ",
      "rtpadaptsink host=127.0.0.1", "constrained-baseline", FALSE,
      "and its RTP caps" },
  { "Y444", "", "", "rtpadaptsink host=127.0.0.1", "high-4:4:4", TRUE,
      "no format=I420 before the encoder" },
  { "I420", "", "", "rtpadaptsend ! fakesink", "high", FALSE,
      "a line of one's own" },
  { "I420", "", "rtpadaptfecenc ! queue ! ", "rtpadaptsend ! fakesink", "high",
      FALSE, "with FEC" },
  { "I420", "", "rtpadaptfecenc ! ", "rtpadaptsink host=127.0.0.1", "high",
      FALSE, "FEC before the bin" },
  { "I420", "", "", "rtpadaptsend ! " RTP ",profile-level-id=42c01f ! fakesink",
      "constrained-baseline", FALSE, "what comes behind it decides" },
};

/* In rtpbin, also as a part of a bin that an application returned for it, the answer is
 * plain RTP: SDP settles the profile. */
static void
test_profile_in_rtpbin (void)
{
  static const struct
  {
    const gchar *outer; /* what holds the bin */
    guint bins;         /* and how many bins are between */
    gboolean any;
  } rows[] = { { "bin", 0, TRUE }, { "rtpbin", 0, FALSE },
    { "rtpbin", 1, FALSE }, { "rtpbin", 2, FALSE }, { "bin", 2, TRUE } };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    g_autoptr (GstElement) outer
        = gst_element_factory_make (rows[i].outer, NULL);
    GstElement *bin = gst_object_ref_sink (outer), *inner;
    g_autoptr (GstElement) send = NULL;
    g_autoptr (GstPad) pad = NULL;
    g_autoptr (GstCaps) caps = NULL;

    for (guint n = 0; n < rows[i].bins; n++) {
      inner = gst_bin_new (NULL);
      gst_bin_add (GST_BIN (bin), inner);
      bin = inner;
    }
    send = gst_object_ref (gst_element_factory_make ("rtpadaptsend", NULL));
    inner = gst_element_factory_make ("identity", NULL);
    gst_bin_add_many (GST_BIN (bin), inner, send, NULL);
    g_assert_true (gst_element_link (inner, send));
    pad = gst_element_get_static_pad (send, "sink");
    caps = gst_pad_query_caps (pad, NULL);
    g_assert_cmpint (gst_caps_is_any (caps), ==, rows[i].any);
  }
}

/* The warnings until the end of the stream. (transfer full) */
static gchar *
said_until_end (GstBus *bus)
{
  GString *said = g_string_new (NULL);
  GstMessage *message;
  gboolean ends = FALSE;

  while (!ends) {
    GError *error = NULL;

    message = gst_bus_timed_pop_filtered (bus, PATIENCE * GST_USECOND,
        GST_MESSAGE_EOS | GST_MESSAGE_ERROR | GST_MESSAGE_WARNING);
    g_assert_nonnull (message);
    g_assert_cmpint (GST_MESSAGE_TYPE (message), !=, GST_MESSAGE_ERROR);
    ends = GST_MESSAGE_TYPE (message) == GST_MESSAGE_EOS;
    if (!ends) {
      gst_message_parse_warning (message, &error, NULL);
      g_string_append_printf (said, "%s\n", error->message);
      g_error_free (error);
    }
    gst_message_unref (message);
  }
  return g_string_free (said, FALSE);
}

static void
test_profiles (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (profiles); i++) {
    g_autofree gchar *line = g_strdup_printf (
        "videotestsrc num-buffers=2 ! "
        "video/x-raw,format=%s,width=64,height=48,framerate=30/1 ! "
        "x264enc name=e tune=zerolatency speed-preset=superfast ! "
        "%srtph264pay ! %s%s",
        profiles[i].format, profiles[i].encoded, profiles[i].sent,
        profiles[i].end);
    g_autoptr (GstElement) pipeline = line_new (line);
    g_autoptr (GstElement) encoder
        = gst_bin_get_by_name (GST_BIN (pipeline), "e");
    g_autoptr (GstPad) pad = gst_element_get_static_pad (encoder, "src");
    g_autoptr (GstBus) bus = gst_element_get_bus (pipeline);
    g_autoptr (GstCaps) caps = NULL;
    g_autofree gchar *said = NULL;

    g_test_message ("%s: %s", profiles[i].end, profiles[i].why);
    sink_play (pipeline);
    wait_until ((caps = gst_pad_get_current_caps (pad)));
    g_assert_cmpstr (
        gst_structure_get_string (gst_caps_get_structure (caps, 0), "profile"),
        ==, profiles[i].profile);
    said = said_until_end (bus);
    g_assert_true ((strstr (said, "format=I420") != NULL) == profiles[i].warns);
    gst_element_set_state (pipeline, GST_STATE_NULL);
  }
}

/* --- states -------------------------------------------------------------- */

static void
test_cycles (void)
{
  guint port, files = 0;
  gint ear = udp_socket ("127.0.0.1", &port);
  GstElement *sink, *pipeline = sink_pipeline (port, "", &sink);

  for (guint i = 0; i < 20; i++) {
    UdpHeard heard;

    sink_play (pipeline);
    sink_push (pipeline, i);
    do {
      udp_hear (ear, &heard);
      g_assert_cmpint (heard.size, >, 0);
    } while (heard.data[1] != (0x80 | 96) || heard.seq != i);
    gst_element_set_state (pipeline, GST_STATE_NULL);
    if (i == 0)
      files = udp_open_files ();
  }
  g_assert_cmpuint (udp_open_files (), <=, files);
  sink_stop (pipeline, sink);
  close (ear);
}

/* The end of the stream comes through, whatever is in its way. */
static const gchar *const ends[]
    = { "", "rtcp-mux=false", "retransmission=true", "fec=none colour=none",
        "key=000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d" };

static void
test_end (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (ends); i++) {
    guint port = 0;
    gint ear = udp_socket ("127.0.0.1", &port);
    GstElement *sink, *pipeline = sink_pipeline (port, ends[i], &sink);
    GstElement *src = gst_bin_get_by_name (GST_BIN (pipeline), "a");
    UdpHeard heard;

    g_test_message ("\"%s\"", ends[i]);
    /* What still waits this long after the end is dropped; a slow machine needs 1 s
     * before the first packet leaves. */
    g_object_set (sink, "max-backlog", 60 * GST_SECOND, NULL);
    sink_play (pipeline);
    for (guint k = 0; k < 5; k++)
      sink_push (pipeline, k);
    gst_app_src_end_of_stream (GST_APP_SRC (src));
    sink_wait_eos (pipeline);
    do { /* all of it has been sent then */
      sink_hear_rtp (ear, &heard);
    } while (heard.seq < 4);
    gst_object_unref (src);
    sink_stop (pipeline, sink);
    close (ear);
  }
}

/* A second payloader that never gets anything passes on nothing but the end. */
static void
test_end_alone (void)
{
  GstElement *sink, *pipeline = sink_pipeline (9, "", &sink);
  GstElement *src = gst_bin_get_by_name (GST_BIN (pipeline), "a");
  GstElement *empty = gst_element_factory_make ("appsrc", NULL);
  GstElement *pay = gst_element_factory_make ("rtph264pay", NULL);

  gst_bin_add_many (GST_BIN (pipeline), empty, pay, NULL);
  g_assert_true (gst_element_link_many (empty, pay, sink, NULL));
  sink_play (pipeline);
  sink_push (pipeline, 0);
  gst_app_src_end_of_stream (GST_APP_SRC (empty));
  gst_app_src_end_of_stream (GST_APP_SRC (src));
  sink_wait_eos (pipeline);
  gst_object_unref (src);
  sink_stop (pipeline, sink);
}

static const struct
{
  const gchar *options, *says;
  const gchar *why;
} wrong[] = {
  { "host=nobody.invalid", "nobody.invalid", "RFC 6761 6.4: no such host" },
  { "bind-address=192.0.2.1", "192.0.2.1", "RFC 5737: not of this host" },
  { "port=65535 rtcp-mux=false", "rtcp-port", "no port is left" },
  { "uri=rtpadapt://h:1?x=1", "\"x\"", "no such property" },
  { "key=00", "1 bytes", "a short key" },
  { "key=00 key-file=/nowhere", "key-file", "two keys" },
  { "key-file=/nowhere/key", "/nowhere/key", "no such file" },
  { "dtls=true key=00", "dtls", "two ways to a key" },
  { "dtls=true rtcp-mux=false", "rtcp-mux", "DTLS on two ports" },
  { "dtls=true pem-file=/nowhere/pem", "/nowhere/pem", "no such file" },
  { "dtls=true pem-file=/dev/null", "certificate", "nothing in it" },
  { "dtls=true fingerprint=Fingerprint=AA:BB", "32 pairs", "openssl's line" },
};

/* Says what is wrong, and starts when it is mended. */
static void
test_wrong (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (wrong); i++) {
    GstElement *sink, *pipeline = sink_pipeline (9, wrong[i].options, &sink);
    g_autoptr (GstBus) bus = gst_element_get_bus (pipeline);
    g_autofree gchar *said = NULL;

    g_test_message ("%s: %s", wrong[i].options, wrong[i].why);
    g_assert_cmpint (gst_element_set_state (pipeline, GST_STATE_PLAYING), ==,
        GST_STATE_CHANGE_FAILURE);
    said = udp_said (bus, GST_MESSAGE_ERROR);
    g_assert_nonnull (said);
    g_assert_nonnull (strstr (said, wrong[i].says));
    gst_element_set_state (pipeline, GST_STATE_NULL);
    g_object_set (sink, "uri", "rtpadapt://127.0.0.1:9", "bind-address", NULL,
        "key", NULL, "key-file", NULL, "dtls", FALSE, "pem-file", NULL,
        "fingerprint", NULL, "rtcp-mux", TRUE, NULL);
    sink_play (pipeline);
    sink_stop (pipeline, sink);
  }
}

static const gchar *const needed[] = { "funnel", "rtpbin", "dtlssrtpdec" };

static void
test_missing (void)
{
  GstRegistry *registry = gst_registry_get ();

  for (guint i = 0; i < G_N_ELEMENTS (needed); i++) {
    g_autoptr (GstPluginFeature) feature
        = gst_registry_lookup_feature (registry, needed[i]);
    GstElement *sink, *pipeline = gst_pipeline_new (NULL);
    g_autoptr (GstBus) bus = gst_element_get_bus (pipeline);
    g_autofree gchar *said = NULL;
    g_autoptr (GstStructure) stats = NULL;
    guint rate;

    g_test_message ("%s", needed[i]);
    g_assert_nonnull (feature);
    gst_registry_remove_feature (registry, feature);
    sink = gst_element_factory_make ("rtpadaptsink", NULL);
    gst_bin_add (GST_BIN (pipeline), sink);
    g_object_set (
        sink, "dtls", TRUE, "host", "127.0.0.1", "max-bitrate", 1000000, NULL);
    g_object_get (sink, "estimated-bitrate", &rate, "stats", &stats, NULL);
    g_signal_emit_by_name (sink, "restart");
    g_assert_cmpint (gst_element_set_state (pipeline, GST_STATE_PLAYING), ==,
        GST_STATE_CHANGE_FAILURE);
    said = udp_said (bus, GST_MESSAGE_ERROR);
    g_assert_nonnull (said);
    g_assert_nonnull (strstr (said, needed[i]));
    gst_element_set_state (pipeline, GST_STATE_NULL);
    gst_object_unref (pipeline);
    gst_registry_add_feature (registry, feature);
  }
}

void
tests_add (void)
{
  g_test_add_func ("/rtpadaptsink/stock-receiver", test_stock_receiver);
  g_test_add_func ("/rtpadaptsink/mtu", test_mtu);
  g_test_add_func ("/rtpadaptsink/mtu/wire", test_mtu_wire);
  g_test_add_func ("/rtpadaptsink/starts", test_starts);
  g_test_add_func ("/rtpadaptsink/children", test_children);
  g_test_add_func ("/rtpadaptsink/settings", test_settings);
  g_test_add_func ("/rtpadaptsink/rtcp-dscp", test_rtcp_dscp);
  g_test_add_func ("/rtpadaptsink/notify", test_notify);
  g_test_add_func ("/rtpadaptsink/message-source", test_message_source);
  g_test_add_func ("/rtpadaptsink/offers", test_offers);
  g_test_add_func ("/rtpadaptsink/profiles", test_profiles);
  g_test_add_func ("/rtpadaptsink/profiles/in-rtpbin", test_profile_in_rtpbin);
  g_test_add_func ("/rtpadaptsink/offer/late", test_offer_late);
  g_test_add_func ("/rtpadaptsink/cycles", test_cycles);
  g_test_add_func ("/rtpadaptsink/end", test_end);
  g_test_add_func ("/rtpadaptsink/end/alone", test_end_alone);
  g_test_add_func ("/rtpadaptsink/wrong", test_wrong);
  g_test_add_func ("/rtpadaptsink/missing", test_missing);
}
