/* rtpadaptsink: what it sends to repair losses.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "../main.h"
#include "sink-fixture.h"

#define KEY "key=000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d"
#define OPUS                                                      \
  "application/x-rtp,media=audio,encoding-name=OPUS,payload=111," \
  "clock-rate=48000,ssrc=(uint)7"
#define VIDEO(pt)                                                \
  "application/x-rtp,media=video,encoding-name=RAW,payload=" #pt \
  ",clock-rate=90000,ssrc=(uint)" #pt

/* --- what is behind a pad ------------------------------------------------- */

static const struct
{
  const gchar *options, *caps;
  gboolean fec, rtx;
  gint warnings;
  const gchar *why;
  gboolean encrypted;
} chains[] = {
  { KEY, VIDEO (96), TRUE, TRUE, 0, "no number is encrypted twice", TRUE },
  { "", VIDEO (96), TRUE, TRUE, 0, "video has both" },
  { "retransmission=false", VIDEO (96), TRUE, FALSE, 0, "FEC alone" },
  { "retransmission=true", OPUS, FALSE, FALSE, 0, "audio has none" },
  { "", "application/x-rtp", FALSE, FALSE, 0, "who knows" },
  { "", VIDEO (122), FALSE, TRUE, 1, "the payload type of FEC" },
  { "retransmission=true", VIDEO (121), TRUE, FALSE, 1,
      "the payload type of retransmission" },
  { "retransmission=true", VIDEO (119), TRUE, FALSE, 1,
      "the payload type of FEC that is sent again" },
};

static gboolean
has_child (GstElement *sink, const gchar *name)
{
  GstElement *child = gst_bin_get_by_name (GST_BIN (sink), name);

  if (!child)
    return FALSE;
  gst_object_unref (child);
  return TRUE;
}

static void
test_chains (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (chains); i++) {
    g_autofree gchar *line
        = g_strdup_printf ("appsrc name=a format=time caps=\"%s\" ! "
                           "rtpadaptsink name=s host=127.0.0.1 port=9 %s",
            chains[i].caps, chains[i].options);
    GstElement *pipeline = gst_parse_launch (line, NULL);
    GstElement *sink = gst_bin_get_by_name (GST_BIN (pipeline), "s");
    GstElement *src = gst_bin_get_by_name (GST_BIN (pipeline), "a");
    g_autoptr (GstBus) bus = gst_element_get_bus (pipeline);
    gint warnings = 0;
    gboolean plain;
    GstMessageType type = GST_MESSAGE_WARNING;

    g_test_message (
        "%s %s: %s", chains[i].caps, chains[i].options, chains[i].why);
    sink_play (pipeline);
    gst_app_src_push_buffer (GST_APP_SRC (src), sink_packet (1));
    gst_app_src_end_of_stream (GST_APP_SRC (src));
    while (type == GST_MESSAGE_WARNING) {
      g_autoptr (GstMessage) message
          = gst_bus_timed_pop_filtered (bus, 60 * GST_SECOND,
              GST_MESSAGE_EOS | GST_MESSAGE_WARNING | GST_MESSAGE_ERROR);

      g_assert_nonnull (message);
      type = GST_MESSAGE_TYPE (message);
      warnings += type == GST_MESSAGE_WARNING
          && GST_MESSAGE_SRC (message) == (GstObject *) sink;
    }
    g_assert_cmpint (type, ==, GST_MESSAGE_EOS);
    g_assert_cmpint (warnings, ==, chains[i].warnings);
    g_assert_cmpint (has_child (sink, "fec_0"), ==, chains[i].fec);
    g_assert_cmpint (has_child (sink, "rtx_0"), ==, chains[i].rtx);
    gst_child_proxy_get (
        GST_CHILD_PROXY (sink), "send::plain-repeats", &plain, NULL);
    g_assert_cmpint (plain, ==, !chains[i].encrypted);
    gst_object_unref (src);
    sink_stop (pipeline, sink);
  }
}

/* --- on the wire --------------------------------------------------------- */

/* RFC 5109: with FEC at 100 % a frame of one packet is followed by one repair
 * packet, of the same SSRC.  The level is set when the FEC encoder has been
 * found, so the first frames go without.  The receiver says nothing. */
static void
test_fec (void)
{
  guint port = 0;
  gint ear = udp_socket ("127.0.0.1", &port);
  GstElement *sink,
      *pipeline = sink_pipeline (
          port, "fec=fixed fec-params=level=1 fec-unasked=true", &sink);
  gboolean found = FALSE;
  UdpHeard heard;

  sink_play (pipeline);
  for (guint i = 0; i < 1000 && !found; i++) {
    sink_push (pipeline, i);
    sink_hear_rtp (ear, &heard);
    g_assert_cmphex (sink_heard_ssrc (&heard), ==, SINK_SSRC);
    found = (heard.data[1] & 0x7f) == 122;
    g_assert_true (found || (heard.data[1] & 0x7f) == 96);
  }
  g_assert_true (found);
  sink_stop (pipeline, sink);
  close (ear);
}

/* RFC 4585 6.2.1: generic NACK of packet 2; RFC 4588 4: it comes again with
 * payload type 121, another SSRC and its number in front. */
static void
test_retransmission (void)
{
  guint port;
  gint ear = udp_socket ("127.0.0.1", &port);
  GstElement *sink,
      *pipeline = sink_pipeline (port, "retransmission=true fec=none", &sink);
  guint8 rtcp[SINK_RR_SIZE + 16] = { 0 };
  guint16 lost = 0;
  UdpHeard heard;

  sink_play (pipeline);
  for (guint i = 1; i <= 3; i++) {
    sink_push (pipeline, i);
    sink_hear_rtp (ear, &heard);
    if (i == 2)
      lost = (guint16) heard.seq;
  }
  sink_rr (rtcp, SINK_THEIRS, SINK_SSRC);
  rtcp[SINK_RR_SIZE] = 0x81;
  rtcp[SINK_RR_SIZE + 1] = 205;
  rtcp[SINK_RR_SIZE + 3] = 3;
  GST_WRITE_UINT32_BE (rtcp + SINK_RR_SIZE + 4, SINK_THEIRS);
  GST_WRITE_UINT32_BE (rtcp + SINK_RR_SIZE + 8, SINK_SSRC);
  GST_WRITE_UINT16_BE (rtcp + SINK_RR_SIZE + 12, lost);
  udp_say (ear, "127.0.0.1", heard.from_port, 0, rtcp, sizeof rtcp);
  sink_hear_rtp (ear, &heard);
  g_assert_cmpuint (heard.data[1] & 0x7f, ==, 121);
  g_assert_cmphex (sink_heard_ssrc (&heard), !=, SINK_SSRC);
  g_assert_cmpuint (sink_heard_twcc (&heard), ==, 3); /* 0, 1, 2 before */
  /* 12 bytes of header, 8 of extensions */
  g_assert_cmpuint (GST_READ_UINT16_BE (heard.data + 20), ==, lost);
  g_assert_cmpint (heard.size, ==, 100 + 2);
  sink_stop (pipeline, sink);
  close (ear);
}

void
tests_add (void)
{
  g_test_add_func ("/rtpadaptsink/chains", test_chains);
  g_test_add_func ("/rtpadaptsink/fec", test_fec);
  g_test_add_func ("/rtpadaptsink/retransmission", test_retransmission);
}
