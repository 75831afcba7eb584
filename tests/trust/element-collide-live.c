/* Our SSRC changes after a collision (RFC 3550 8.2), as rtpsession asks of the
 * payloader: rtpadaptsink and rtpadaptsrc go on, with FEC and header extensions.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "../elements/relay-fixture.h"
#include "../elements/src-fixture.h"
#include "trust.h"

#define RAW                                                          \
  "caps=\"application/x-rtp,media=video,clock-rate=90000,"           \
  "encoding-name=RAW,sampling=(string)YCbCr-4:2:2,width=(string)32," \
  "height=(string)20,depth=(string)8\" latency=100 feedback=tfrc"
/* 9 packets in a frame, and half as many of FEC. */
#define CAMERA                                                     \
  "videotestsrc is-live=true pattern=snow ! "                      \
  "video/x-raw,format=UYVY,width=32,height=20,framerate=60/1 ! "   \
  "rtpvrawpay name=pay mtu=200 pt=96 ! rtpadaptsink name=sink "    \
  "host=127.0.0.1 port=%u controller=fixed start-bitrate=3000000 " \
  "max-bitrate=3000000 friendliness-cap=0 circuit-breakers=false " \
  "fec=fixed fec-params=level=0.5 feedback=tfrc"
#define LOST 13 /* one of so many: not the same of each frame */
#define REPAIRED 5

static guint
ssrc_of (GstElement *pay)
{
  g_autoptr (GstPad) pad = gst_element_get_static_pad (pay, "src");
  g_autoptr (GstCaps) caps = gst_pad_get_current_caps (pad);
  guint ssrc = 0;

  gst_structure_get_uint (gst_caps_get_structure (caps, 0), "ssrc", &ssrc);
  return ssrc;
}

/* rtpsession's event, from where it comes. */
static void
collide (GstElement *sink, guint ssrc)
{
  g_autoptr (GstElement) rtpbin
      = gst_bin_get_by_name (GST_BIN (sink), "rtpbin");
  g_autoptr (GstPad) pad
      = gst_element_get_static_pad (rtpbin, "send_rtp_sink_0");

  gst_pad_push_event (pad,
      gst_event_new_custom (GST_EVENT_CUSTOM_UPSTREAM,
          gst_structure_new (
              "GstRTPCollision", "ssrc", G_TYPE_UINT, ssrc, NULL)));
}

static void
test_goes_on (void)
{
  const RelayRule rule = { .lost = { [96] = LOST } };
  g_autofree gchar *line = NULL;
  guint64 recovered, feedback, bare;
  GstElement *sender, *sink, *pay;
  GError *error = NULL;
  guint before, after;
  g_auto (Receiver) t;
  g_auto (Relay) r;

  receiver_open (&t, RAW, "identity" RECEIVER_OUT);
  relay_start (&r, &rule, (guint) t.port);
  line = g_strdup_printf (CAMERA, r.port);
  sender = gst_parse_launch (line, &error);
  g_assert_no_error (error);
  sink = gst_bin_get_by_name (GST_BIN (sender), "sink");
  pay = gst_bin_get_by_name (GST_BIN (sender), "pay");
  gst_element_set_state (sender, GST_STATE_PLAYING);
  WAIT_UNTIL (t.bus, stat_of (t.src, "recovered") >= REPAIRED);

  before = ssrc_of (pay);
  collide (sink, before);
  WAIT_UNTIL (t.bus, (after = ssrc_of (pay)) != before);
  wait_frames (&t, 0, 100);
  recovered = stat_of (t.src, "recovered");
  feedback = stat_of (sink, "sender/feedback");
  WAIT_UNTIL (t.bus, stat_of (t.src, "recovered") >= recovered + REPAIRED);
  WAIT_UNTIL (t.bus, stat_of (sink, "sender/feedback") > feedback);
  bare = stat_of (t.src, "receiver/no-send-time");
  trust_row ("attack", "12 our SSRC changes after a collision, both bins",
      "frames, repair by FEC and feedback go on, on the same pad; each packet "
      "has its header extensions",
      bare == 0 && g_atomic_int_get (&t.pads) == 1
          && stat_of (sink, "sender/feedback-bad") == 0
          && stat_of (sink, "sender/reports-foreign") == 0,
      "%d pad, %" G_GUINT64_FORMAT " repaired before and %" G_GUINT64_FORMAT
      " after, %" G_GUINT64_FORMAT " packets without extension",
      g_atomic_int_get (&t.pads), recovered,
      stat_of (t.src, "recovered") - recovered, bare);
  gst_object_unref (pay);
  gst_object_unref (sink);
  gst_element_set_state (sender, GST_STATE_NULL);
  gst_object_unref (sender);
}

void
tests_add (void)
{
  g_test_add_func ("/collide-live/goes-on", test_goes_on);
}
