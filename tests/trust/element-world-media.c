/* The stream changes while it runs: encoder, codec, resolution, SSRC, payload
 * type, numbers that wrap, no timestamps.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "src-fixture.h"
#include "trust.h"
#include "../rows.h"

#include <gst/app/app.h>

#define KEY "e1f97a0d3e018be0d64fa32c06de41390ec675ad498afeebb6960b3aabe6"
#define ENCODER "x264enc tune=zerolatency speed-preset=ultrafast bitrate=300 "

/* --- resolution ---------------------------------------------------------- */

#define SIZES 6

static gint
width_of (Receiver *t)
{
  g_autoptr (GstElement) out
      = gst_bin_get_by_name (GST_BIN (t->branches[0]), "out");
  g_autoptr (GstPad) pad = gst_element_get_static_pad (out, "sink");
  GstCaps *caps = gst_pad_get_current_caps (pad);
  gint width = 0;

  if (caps)
    gst_structure_get_int (gst_caps_get_structure (caps, 0), "width", &width);
  gst_clear_caps (&caps);
  return width;
}

static void
test_resolution (void)
{
  GstElement *sender, *size;
  g_auto (Receiver) t;
  guint seen = 0;

  receiver_open (&t, "encoding-name=H264", RECEIVER_H264);
  sender = line_playf (t.bus,
      "videotestsrc is-live=true ! capsfilter name=size "
      "caps=video/x-raw,width=80,height=60,framerate=60/1 ! " ENCODER
      "! rtph264pay config-interval=-1 mtu=600 ! rtpadaptsink host=127.0.0.1 "
      "port=%d",
      t.port);
  size = gst_bin_get_by_name (GST_BIN (sender), "size");
  wait_frames (&t, 0, 5);
  for (; seen < SIZES; seen++) {
    gint width = seen % 2 ? 160 : 320;
    g_autoptr (GstCaps) caps = gst_caps_new_simple ("video/x-raw", "width",
        G_TYPE_INT, width, "height", G_TYPE_INT, width * 3 / 4, "framerate",
        GST_TYPE_FRACTION, 60, 1, NULL);

    g_object_set (size, "caps", caps, NULL);
    WAIT_UNTIL (t.bus, width_of (&t) == width);
    wait_frames (&t, 0, 5);
  }
  trust_row ("fault", "the resolution changes",
      "6 times: decoded at the new one each time, on the same pad",
      g_atomic_int_get (&t.pads) == 1, "%u times, %d pad", seen,
      g_atomic_int_get (&t.pads));
  gst_object_unref (size);
  line_end (sender);
}

/* --- another encoder ----------------------------------------------------- */

#define SWAPS 6

typedef struct
{
  GstElement *sender, *encoder, *before, *behind;
  gint done;
} Swap;

/* In the thread that passes pictures from camera to encoder. */
static GstPadProbeReturn
swap (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  Swap *s = data;
  GstElement *old = s->encoder;

  gst_element_unlink_many (s->before, old, s->behind, NULL);
  gst_element_set_state (old, GST_STATE_NULL);
  gst_bin_remove (GST_BIN (s->sender), old);
  s->encoder = gst_parse_launch (ENCODER, NULL);
  gst_bin_add (GST_BIN (s->sender), s->encoder);
  g_assert_true (
      gst_element_link_many (s->before, s->encoder, s->behind, NULL));
  gst_element_sync_state_with_parent (s->encoder);
  g_atomic_int_set (&s->done, TRUE);
  return GST_PAD_PROBE_REMOVE;
}

static guint
bitrate_of (GstElement *encoder)
{
  guint kbps;

  g_object_get (encoder, "bitrate", &kbps, NULL);
  return kbps;
}

/* Each other time the application keeps the one that was removed: it must not
 * be taken for the one that is driven. */
static void
test_encoder_again (void)
{
  g_autoptr (GPtrArray) kept
      = g_ptr_array_new_with_free_func (gst_object_unref);
  GstElement *sink;
  g_autoptr (GstPad) pad = NULL;
  Swap s = { 0 };
  guint swaps;
  g_auto (Receiver) t;

  receiver_open (&t, "encoding-name=H264", RECEIVER_H264);
  s.sender = line_playf (t.bus,
      "videotestsrc is-live=true ! capsfilter name=before "
      "caps=video/x-raw,width=80,height=60,framerate=60/1 ! " ENCODER
      "name=enc ! rtph264pay name=behind config-interval=-1 mtu=600 ! "
      "rtpadaptsink name=sink controller=fixed start-bitrate=1000000 "
      "host=127.0.0.1 port=%d",
      t.port);
  s.encoder = gst_bin_get_by_name (GST_BIN (s.sender), "enc");
  gst_object_unref (s.encoder); /* the bin has it */
  s.before = gst_bin_get_by_name (GST_BIN (s.sender), "before");
  s.behind = gst_bin_get_by_name (GST_BIN (s.sender), "behind");
  sink = gst_bin_get_by_name (GST_BIN (s.sender), "sink");
  pad = gst_element_get_static_pad (s.before, "src");
  wait_frames (&t, 0, 5);
  for (swaps = 0; swaps < SWAPS; swaps++) {
    guint rate = swaps % 2 ? 1000000 : 800000;

    if (swaps % 2)
      g_ptr_array_add (kept, gst_object_ref (s.encoder));
    s.done = FALSE;
    gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, swap, &s, NULL);
    WAIT_UNTIL (t.bus, g_atomic_int_get (&s.done));
    g_object_set (sink, "max-bitrate", rate, NULL);
    /* Video's share of the rate, next to headers and repair. */
    WAIT_UNTIL (t.bus,
        bitrate_of (s.encoder) > rate / 2000
            && bitrate_of (s.encoder) <= rate / 1000);
    wait_frames (&t, 0, 5);
  }
  trust_row ("fault", "encoder removed and another one put in its place",
      "6 times: frames go on, and the new one is given its bitrate",
      swaps == SWAPS, "%u of %u times", swaps, SWAPS);
  gst_object_unref (sink);
  gst_object_unref (s.before);
  gst_object_unref (s.behind);
  line_end (s.sender);
}

/* --- another codec ------------------------------------------------------- */

#define CAMERA                   \
  "videotestsrc is-live=true ! " \
  "video/x-raw,width=80,height=60,framerate=60/1 ! "

static const gchar *const codecs[] = {
  CAMERA ENCODER "! rtph264pay config-interval=-1 mtu=600 pt=96",
  CAMERA "vp8enc deadline=1 ! rtpvp8pay mtu=600 pt=97",
};

/* The branch goes with its pad, and one with another codec comes. */
static GstElement *
branch_play (GstElement *pipeline, GstElement *sink, const gchar *line)
{
  GError *error = NULL;
  GstElement *branch = gst_parse_bin_from_description (line, TRUE, &error);

  g_assert_no_error (error);
  gst_bin_add (GST_BIN (pipeline), branch);
  g_assert_true (gst_element_link (branch, sink));
  gst_element_sync_state_with_parent (branch);
  return branch;
}

static void
branch_remove (GstElement *pipeline, GstElement *sink, GstElement *branch)
{
  g_autoptr (GstPad) src = gst_element_get_static_pad (branch, "src");
  g_autoptr (GstPad) pad = gst_pad_get_peer (src);

  gst_element_set_state (branch, GST_STATE_NULL);
  gst_pad_unlink (src, pad);
  gst_element_release_request_pad (sink, pad);
  gst_bin_remove (GST_BIN (pipeline), branch);
}

static void
test_codec (void)
{
  GstElement *sender, *sink;
  guint changes;
  g_auto (Receiver) t;

  receiver_open (&t, "pt-map=\"96=H264/90000,97=VP8/90000\"",
      RECEIVER_H264 ",rtpvp8depay ! vp8dec" RECEIVER_OUT);
  sender = line_playf (t.bus,
      "rtpadaptsink name=sink host=127.0.0.1 port=%d "
      "audiotestsrc is-live=true ! fakesink",
      t.port);
  sink = gst_bin_get_by_name (GST_BIN (sender), "sink");
  for (changes = 0; changes < 6; changes++) {
    GstElement *branch = branch_play (sender, sink, codecs[changes % 2]);
    guint64 feedback = stat_of (sink, "sender/feedback");

    wait_frames (&t, changes % 2, 5);
    WAIT_UNTIL (t.bus, stat_of (sink, "sender/feedback") > feedback);
    branch_remove (sender, sink, branch);
  }
  trust_row ("fault", "codec and payload type change",
      "6 times, encoder and pad removed and requested: each is decoded, one "
      "pad for each",
      g_atomic_int_get (&t.pads) == 2, "%u times, %d pads", changes,
      g_atomic_int_get (&t.pads));
  gst_object_unref (sink);
  line_end (sender);
}

/* --- wraps --------------------------------------------------------------- */

static const struct
{
  const gchar *both, *name;
} wraps[] = {
  { "", "numbers wrap" },
  { "feedback=tfrc", "numbers wrap, TFRC" },
  { "feedback=ccfb", "numbers wrap, RFC 8888" },
  { "key=" KEY, "numbers wrap, SRTP" },
};

/* The sequence number after 16 packets, the timestamp (90 kHz, 240 frames/s)
 * after 20 frames; repair packets have to follow, and SRTP's rollover counter
 * (RFC 3711 3.3.1).  What the sender dropped, and what the receiver's socket had no room
 * for, is missing, too. */
static void
test_wrap (gconstpointer data)
{
  guint r = GPOINTER_TO_UINT (data);
  g_autofree gchar *settings
      = g_strconcat ("encoding-name=H264 ", wraps[r].both, NULL);
  GstElement *sender, *sink;
  guint64 lost, dropped, no_room;
  g_auto (Receiver) t;

  receiver_open (&t, settings, RECEIVER_H264);
  sender = line_playf (t.bus,
      "videotestsrc is-live=true pattern=snow ! "
      "video/x-raw,width=80,height=60,framerate=240/1 "
      "! " ENCODER "! rtph264pay "
      "config-interval=-1 mtu=600 seqnum-offset=65520 "
      "timestamp-offset=4294960000 ! rtpadaptsink "
      "name=sink controller=fixed start-bitrate=1000000 "
      "host=127.0.0.1 port=%d %s",
      t.port, wraps[r].both);
  sink = gst_bin_get_by_name (GST_BIN (sender), "sink");
  WAIT_UNTIL (t.bus, stat_of (t.src, "rtp") >= 100);
  wait_frames (&t, 0, 20);
  lost = stat_of (t.src, "lost");
  dropped = stat_of (sink, "sender/dropped");
  no_room = stat_of (t.src, "udp/kernel-drops");
  trust_row ("fault", wraps[r].name,
      "sequence number and timestamp: none of 100 packets is taken for lost "
      "but what the sender dropped, and feedback goes on",
      lost <= dropped + no_room && g_atomic_int_get (&t.pads) == 1
          && stat_of (sink, "sender/feedback") > 0
          && stat_of (sink, "sender/feedback-bad") == 0,
      "%" G_GUINT64_FORMAT " lost, %" G_GUINT64_FORMAT
      " dropped, %" G_GUINT64_FORMAT " reports",
      lost, dropped, stat_of (sink, "sender/feedback"));
  gst_object_unref (sink);
  line_end (sender);
}

/* --- SSRC, payload type, time stamps ------------------------------------- */

/* By hand through rtpadaptsink to rtpadaptsrc: 20 ms of PCMU or PCMA. */
typedef struct
{
  Receiver t;
  GstElement *sender, *src, *sink;
  guint seq;
} Hand;

static void
hand_new (Hand *h)
{
  *h = (Hand){ 0 };
  receiver_open (&h->t, "latency=0 feedback=ccfb",
      "rtppcmudepay" RECEIVER_OUT ",rtppcmadepay" RECEIVER_OUT);
  h->sender = line_playf (h->t.bus,
      "appsrc name=src format=time is-live=true caps=application/x-rtp,"
      "media=audio,encoding-name=PCMU,payload=0,clock-rate=8000 ! "
      "rtpadaptsink name=sink controller=fixed start-bitrate=10000000 "
      "feedback=ccfb host=127.0.0.1 port=%d",
      h->t.port);
  h->src = gst_bin_get_by_name (GST_BIN (h->sender), "src");
  h->sink = gst_bin_get_by_name (GST_BIN (h->sender), "sink");
}

static void
hand_end (Hand *h)
{
  gst_object_unref (h->src);
  gst_object_unref (h->sink);
  line_end (h->sender);
  receiver_end (&h->t);
}

static void
hand_push (Hand *h, guint8 pt, guint32 ssrc, GstClockTime pts)
{
  guint8 data[12 + 160] = { 0x80, pt };
  GstBuffer *buffer;

  GST_WRITE_UINT16_BE (data + 2, (guint16) h->seq);
  GST_WRITE_UINT32_BE (data + 4, h->seq * 160);
  GST_WRITE_UINT32_BE (data + 8, ssrc);
  h->seq++;
  buffer = gst_buffer_new_memdup (data, sizeof data);
  GST_BUFFER_PTS (buffer) = pts;
  g_assert_cmpint (
      gst_app_src_push_buffer (GST_APP_SRC (h->src), buffer), ==, GST_FLOW_OK);
}

/* Till `more` came out at that end. */
static void
hand_play (Hand *h, guint8 pt, guint32 ssrc, guint end, gint more)
{
  gint from = g_atomic_int_get (&h->t.frames[end]);

  WAIT_UNTIL (h->t.bus,
      (hand_push (h, pt, ssrc, GST_CLOCK_TIME_NONE), TRUE)
          && g_atomic_int_get (&h->t.frames[end]) >= from + more);
}

/* RFC 3551: 0 is PCMU, 8 is PCMA. */
static void
test_ssrc (void)
{
  guint64 feedback = 0;
  gint pads[3];
  Hand h;

  hand_new (&h);
  hand_play (&h, 0, 7, 0, 30);
  pads[0] = g_atomic_int_get (&h.t.pads);
  hand_play (&h, 8, 7, 1, 30);
  pads[1] = g_atomic_int_get (&h.t.pads);
  hand_play (&h, 8, 1007, 1, 30); /* after a second: the old one is over */
  pads[2] = g_atomic_int_get (&h.t.pads);
  feedback = stat_of (h.sink, "sender/feedback");
  WAIT_UNTIL (h.t.bus,
      (hand_push (&h, 8, 1007, GST_CLOCK_TIME_NONE), TRUE)
          && stat_of (h.sink, "sender/feedback") > feedback);
  trust_row ("fault", "SSRC and payload type change",
      "a new payload type has a pad of its own, a new SSRC goes on on the pad "
      "of the one before; reports about it are heard",
      pads[0] == 1 && pads[1] == 2 && pads[2] == 2
          && stat_of (h.sink, "peer/foreign-rtcp") == 0,
      "%d, %d, %d pads", pads[0], pads[1], pads[2]);
  hand_end (&h);
}

/* None, those of the far future and the past, and back again. */
static void
test_no_time (void)
{
  static const GstClockTime times[] = { GST_CLOCK_TIME_NONE, 0,
    1000 * GST_SECOND, 5, GST_CLOCK_TIME_NONE - 1 };
  guint64 sent;
  guint n = 0;
  Hand h;

  hand_new (&h);
  hand_play (&h, 0, 7, 0, 10);
  sent = stat_of (h.sink, "udp/packets");
  for (; n < 200; n++)
    hand_push (&h, 0, 7, times[n % G_N_ELEMENTS (times)]);
  WAIT_UNTIL (h.t.bus, stat_of (h.sink, "udp/packets") >= sent + n);
  hand_play (&h, 0, 7, 0, 10);
  trust_row ("fault", "buffers without or with impossible timestamps",
      "all 200 are sent, and the stream goes on",
      stat_of (h.sink, "sender/dropped") == 0,
      "%u sent, %" G_GUINT64_FORMAT " dropped", n,
      stat_of (h.sink, "sender/dropped"));
  hand_end (&h);
}

void
tests_add (void)
{
  g_test_add_func ("/world/resolution", test_resolution);
  g_test_add_func ("/world/encoder-again", test_encoder_again);
  g_test_add_func ("/world/codec", test_codec);
  rows_add ("/world/wrap", wraps, test_wrap);
  g_test_add_func ("/world/ssrc", test_ssrc);
  g_test_add_func ("/world/no-time", test_no_time);
}
