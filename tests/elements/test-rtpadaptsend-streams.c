/* rtpadaptsend: several streams, encoders and FEC encoders, key frames.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "../rows.h"
#include "encoder-fixture.h"
#include "send-fixture.h"

#include <string.h>

#define VIDEO                                                               \
  "application/x-rtp,media=video,clock-rate=90000,encoding-name=H264,ssrc=" \
  "(uint)1"
#define AUDIO                                                               \
  "application/x-rtp,media=audio,clock-rate=48000,encoding-name=OPUS,ssrc=" \
  "(uint)2"

/* --- by hand -------------------------------------------------------------- */

/* rtpadaptsend in a bin with encoders that do not feed it. */
static Send
beside_new (const gchar *encoders, const gchar *properties, GstElement **bin)
{
  g_autofree gchar *line = g_strdup_printf (
      "rtpadaptsend name=send stats-interval=0 %s %s", properties, encoders);
  Send s = { 0 };
  GstPad *pad;

  *bin = gst_parse_bin_from_description (line, FALSE, NULL);
  g_assert_nonnull (*bin);
  gst_object_ref_sink (*bin);
  s.element = gst_bin_get_by_name (GST_BIN (*bin), "send");
  pad = gst_element_get_static_pad (s.element, "sink");
  gst_element_add_pad (*bin, gst_ghost_pad_new ("sink", pad));
  gst_object_unref (pad);
  pad = gst_element_get_static_pad (s.element, "src");
  gst_element_add_pad (*bin, gst_ghost_pad_new ("src", pad));
  gst_object_unref (pad);
  send_harness (&s, *bin);
  return s;
}

static gint64
bitrate (GstElement *bin, const gchar *name)
{
  g_autoptr (GstElement) encoder = gst_bin_get_by_name (GST_BIN (bin), name);

  return number_get (encoder, "bitrate");
}

static void
push_caps (Send *s, const gchar *text)
{
  g_autoptr (GstCaps) caps = gst_caps_from_string (text);

  g_assert_true (gst_harness_push_event (s->h, gst_event_new_caps (caps)));
}

static void
push_ssrc (Send *s, guint32 ssrc, guint16 seq, guint payload)
{
  g_assert_cmpint (
      gst_harness_push (s->h, packet_new (ssrc, seq, seq, payload)), ==,
      GST_FLOW_OK);
}

static gint searches; /* atomic */

static GstIterator *
on_search (GstPad *pad, GstObject *parent)
{
  g_atomic_int_inc (&searches);
  return NULL;
}

/* Two streams take turns, each behind its caps. */
static void
turn (Send *s, guint16 seq)
{
  push_caps (s, VIDEO);
  push_ssrc (s, 1, seq, PAYLOAD);
  pull_paced (s);
  push_caps (s, AUDIO);
  push_ssrc (s, 2, seq, 148);
  pull_paced (s);
}

/* A search passes the pad upstream twice, for payloaders and for FEC encoders;
 * the encoder is named.  The harness's caps and those of each stream are one
 * search at most, however often they come; nor is there one for a new limit. */
static void
test_one_search (void)
{
  g_autoptr (GstElement) bin = NULL;
  g_auto (Send) s = beside_new ("x264enc name=enc",
      "controller=fixed start-bitrate=2000000 encoder=enc", &bin);

  gst_pad_set_iterate_internal_links_function (s.h->srcpad, on_search);
  turn (&s, 0);
  g_object_set (s.element, "max-bitrate", 1000000, NULL);
  wait_until (bitrate (bin, "enc") < 1000);
  /* A job searches for FEC encoders after it has told the encoder: only the next
   * bitrate says that it has ended. */
  g_object_set (s.element, "max-bitrate", 800000, NULL);
  wait_until (bitrate (bin, "enc") < 800);
  g_assert_cmpint (g_atomic_int_get (&searches), <=, 3 * 2);
  g_atomic_int_set (&searches, 0);
  for (guint16 i = 1; i < 20; i++)
    turn (&s, i);
  g_object_set (s.element, "max-bitrate", 400000, NULL);
  wait_until (bitrate (bin, "enc") < 400);
  g_assert_cmpint (g_atomic_int_get (&searches), ==, 0);
  /* Other caps of the same stream are another matter. */
  push_caps (&s, VIDEO ",profile=high");
  wait_until (g_atomic_int_get (&searches) == 2);
}

/* What leaves: "C1" caps of SSRC 1, "2.7" the packet 7 of SSRC 2. */
static GstPadProbeReturn
on_output (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  GString *seen = data;
  GstRTPBuffer rtp = GST_RTP_BUFFER_INIT;
  GstCaps *caps;
  guint ssrc;

  if (GST_IS_BUFFER (info->data)) {
    g_assert_true (gst_rtp_buffer_map (info->data, GST_MAP_READ, &rtp));
    g_string_append_printf (seen, " %u.%u", gst_rtp_buffer_get_ssrc (&rtp),
        gst_rtp_buffer_get_seq (&rtp));
    gst_rtp_buffer_unmap (&rtp);
  } else if (GST_EVENT_TYPE (info->data) == GST_EVENT_CAPS) {
    gst_event_parse_caps (info->data, &caps);
    if (gst_structure_get_uint (
            gst_caps_get_structure (caps, 0), "ssrc", &ssrc))
      g_string_append_printf (seen, " C%u", ssrc);
  }
  return GST_PAD_PROBE_OK;
}

/* At 960 kbit/s twenty packets of video are 200 ms, far beyond 50; audio leaves
 * next, each at its time, and none of it is dropped. */
static void
test_audio_first (void)
{
  /* It is freed after the element, whose thread may still send. */
  g_autoptr (GString) seen = g_string_new (NULL);
  g_auto (Send) s = send_new ("controller=fixed start-bitrate=960000 burst=0 "
                              "max-backlog=50000000");

  gst_pad_add_probe (GST_PAD_PEER (s.h->sinkpad),
      GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM,
      on_output, seen, NULL);
  push_caps (&s, VIDEO);
  push_ssrc (&s, 1, 0, PAYLOAD);
  pull_packet (&s);
  for (guint16 i = 1; i <= 20; i++) /* one frame: not cut */
    g_assert_cmpint (
        gst_harness_push (s.h, packet_new (1, i, 0, PAYLOAD)), ==, GST_FLOW_OK);
  push_caps (&s, AUDIO);
  for (guint16 i = 0; i < 3; i++)
    push_ssrc (&s, 2, i, 148);
  push_caps (&s, VIDEO);
  for (guint i = 0; i < 4; i++) {
    crank (&s);
    pull_packet (&s);
  }
  wait_until (gst_test_clock_peek_id_count (s.clock) == 1);
  g_assert_cmpstr (seen->str, ==, " C1 1.0 C2 2.0 2.1 2.2 C1 1.1");
  g_assert_cmpint (stat (&s, "dropped"), ==, 0);
  /* 1,200 bytes are 10 ms, 160 are 1.333. */
  g_assert_cmpuint (
      g_array_index (s.times, GstClockTime, 1) - START - 10 * GST_MSECOND, <=,
      20);
  g_assert_cmpuint (
      g_array_index (s.times, GstClockTime, 4) - START - 14 * GST_MSECOND, <=,
      20);
  /* Audio that is dropped, at 76 ms, needs no key frame. */
  push_caps (&s, AUDIO);
  for (guint16 i = 3; i < 60; i++)
    push_ssrc (&s, 2, i, 148);
  g_assert_cmpint (stat (&s, "dropped"), >, 0);
  g_assert_cmpuint (upstream_events (&s, "GstForceKeyUnit"), ==, 0);
}

/* Audio of 160 bytes each 20 ms is 64,000 bit/s, one packet more or less in the
 * second that is measured 1,280.  Video packets of 1,200 bytes carry 1,188.  At
 * 1 Mbit/s two encoders get (1,000,000 - 64,000) * .99 / 2 = 463,320 each, 634
 * more or less; at 50 kbit/s nothing is left, and they get the least, 30 kbit/s. */
static void
test_shares (void)
{
  g_autoptr (GstElement) bin = NULL;
  g_auto (Send) s = beside_new (
      "x264enc name=a tune=zerolatency x264enc name=b tune=zerolatency",
      "controller=fixed start-bitrate=2000000 encoder=\"a, b\"", &bin);

  for (guint16 i = 0; i < 60; i++) {
    push_caps (&s, AUDIO);
    push_ssrc (&s, 2, i, 148);
    pull_paced (&s);
    push_caps (&s, VIDEO);
    push_ssrc (&s, 1, i, PAYLOAD);
    pull_paced (&s);
    gst_test_clock_advance_time (s.clock, 20 * GST_MSECOND);
  }
  g_assert_cmpint (stat (&s, "beside-bitrate"), >=, 64000 - 1280);
  g_assert_cmpint (stat (&s, "beside-bitrate"), <=, 64000 + 1280);
  g_assert_cmpint (stat (&s, "encoders"), ==, 2);
  g_object_set (s.element, "max-bitrate", 1000000, NULL);
  wait_until (bitrate (bin, "a") <= 463);
  wait_until (bitrate (bin, "b") <= 463);
  g_assert_cmpint (bitrate (bin, "a"), >=, 462);
  g_assert_cmpint (bitrate (bin, "b"), >=, 462);
  wait_until (get_uint (&s, "encoder-bitrate") <= 2 * 463000);
  g_object_set (s.element, "max-bitrate", 50000, NULL);
  wait_until (bitrate (bin, "a") == 30 && bitrate (bin, "b") == 30);
  g_assert_cmpuint (warnings (&s), ==, 0);
}

/* Without anybody to make it the statistics still tell what would be wanted. */
static void
test_fec_wanted (void)
{
  g_auto (Send) s = send_new ("fec=fixed fec-params=level=.3");

  g_assert_cmpint (stat (&s, "fec-percentage"), ==, 30);
  g_assert_cmpint (stat (&s, "fec-made"), ==, FALSE);
}

/* --- key frames ---------------------------------------------------------- */

/* At 960 kbit/s and 25 frames/s the mean frame is four packets of 10 ms.  With
 * max-backlog 250 ms a frame is cut where more than a second is queued: the
 * first packet leaves at once, and 101 more are taken. */
static const struct
{
  const gchar *name;
  guint packets, dropped;
  const gchar *why;
} key_rows[] = {
  { "20-times", 80, 0, "20 times the mean: spread over 800 ms" },
  { "25-times", 102, 0, "just so" },
  { "30-times", 120, 18, "the rest of 30 times the mean is cut" },
};

/* Whatever the window, it holds no more than the rate allows, the burst of 1 ms
 * (120 bytes) and one packet. */
static void
test_key_frame (gconstpointer data)
{
  guint row = GPOINTER_TO_UINT (data);
  guint sent = key_rows[row].packets - key_rows[row].dropped;
  g_auto (Send) s = send_new ("controller=fixed start-bitrate=960000");

  g_test_message ("%s", key_rows[row].why);
  gst_test_clock_advance_time (s.clock, GST_SECOND); /* the burst is there */
  push_packet (&s, 0);
  pull_packet (&s);
  push_frame (&s, 0, key_rows[row].packets - 1);
  for (guint i = 1; i < sent; i++)
    pull_paced (&s);
  g_assert_cmpint (stat (&s, "dropped"), ==, key_rows[row].dropped);
  g_assert_cmpint (stat (&s, "packets-sent"), ==, sent);
  for (guint i = 0; i < sent; i++) {
    for (guint j = i; j < sent; j++) {
      GstClockTime span = g_array_index (s.times, GstClockTime, j)
          - g_array_index (s.times, GstClockTime, i);

      g_assert_cmpuint (1200 * (j - i + 1), <=,
          gst_util_uint64_scale_ceil (span, 120000, GST_SECOND) + 120 + 1200);
    }
  }
}

/* RFC 4585 6.3.1, RFC 5104 4.3.1: from SSRC 0x99 about 0x12345678, behind an
 * empty receiver report. */
#define RR 0x80, 201, 0, 1, 0, 0, 0, 0x99
static const guint8 pli[]
    = { RR, 0x81, 206, 0, 2, 0, 0, 0, 0x99, 0x12, 0x34, 0x56, 0x78 };
static const guint8 fir[] = { RR, 0x84, 206, 0, 4, 0, 0, 0, 0x99, 0, 0, 0, 0,
  0x12, 0x34, 0x56, 0x78, 1, 0, 0, 0 };

static const struct
{
  const gchar *name;
  const guint8 *bytes;
  gsize len;
  const gchar *why;
} request_rows[] = {
  { "pli", pli, sizeof pli, "picture loss indication" },
  { "fir", fir, sizeof fir, "full intra request" },
};

/* A request for a key frame reaches upstream through rtpsession and us. */
static void
test_request (gconstpointer data)
{
  guint row = GPOINTER_TO_UINT (data);
  g_autoptr (GstElement) bin = gst_parse_bin_from_description (
      "rtpadaptsend name=send stats-interval=0 ! s.send_rtp_sink rtpsession "
      "name=s rtp-profile=avpf",
      FALSE, NULL);
  g_autoptr (GstElement) session = gst_bin_get_by_name (GST_BIN (bin), "s");
  g_auto (Send) s = { .element = gst_bin_get_by_name (GST_BIN (bin), "send") };
  GstPad *pad = gst_element_get_static_pad (s.element, "sink"), *rtcp;
  GstSegment segment;

  g_test_message ("%s", request_rows[row].why);
  gst_object_ref_sink (bin);
  gst_element_add_pad (bin, gst_ghost_pad_new ("sink", pad));
  gst_object_unref (pad);
  pad = gst_element_get_static_pad (session, "send_rtp_src");
  gst_element_add_pad (bin, gst_ghost_pad_new ("src", pad));
  gst_object_unref (pad);
  rtcp = gst_element_request_pad_simple (session, "recv_rtcp_sink");
  send_harness (&s, bin);
  push_packet (&s, 0);
  pull_packet (&s);
  upstream_events (&s, "");

  gst_segment_init (&segment, GST_FORMAT_TIME);
  gst_pad_send_event (rtcp, gst_event_new_stream_start ("rtcp"));
  gst_pad_send_event (rtcp, gst_event_new_segment (&segment));
  g_assert_cmpint (gst_pad_chain (rtcp,
                       gst_buffer_new_memdup (
                           request_rows[row].bytes, request_rows[row].len)),
      ==, GST_FLOW_OK);
  wait_until (upstream_events (&s, "GstForceKeyUnit") == 1);
  gst_object_unref (rtcp);
}

/* --- real elements upstream ---------------------------------------------- */

/* What is found through an rtpfunnel gets its share, before a packet was sent of
 * the whole rate, 900,000 bit/s. */
static const struct
{
  const gchar *name, *upstream, *properties;
  const gchar *property; /* of the element "enc" */
  gint value;
  const gchar *why;
} found_rows[] = {
  { "one", "x264enc name=enc ! rtph264pay ! f.", "", "bitrate", 900,
      "through an rtpfunnel" },
  { "two", "x264enc name=enc ! rtph264pay ! f. vp8enc ! rtpvp8pay ! f.", "",
      "bitrate", 450, "half for each" },
  { "other", "x264enc ! rtph264pay ! f. vp8enc name=enc ! rtpvp8pay ! f.", "",
      "target-bitrate", 450000, "half for each" },
  { "tee",
      "x264enc ! tee name=t ! rtph264pay ! f. t. ! rtph264pay ! f. "
      "vp8enc name=enc ! rtpvp8pay ! f.",
      "", "target-bitrate", 300000,
      "a stream that leaves twice: three shares" },
  { "audio", "x264enc name=enc ! rtph264pay ! f. opusenc ! rtpopuspay ! f.", "",
      "bitrate", 900, "audio that sends nothing takes nothing" },
  { "told", "identity name=enc ! rtph264pay ! f.",
      "encoder-property=sleep-time encoder-unit=1000", "sleep-time", 900,
      "an element that has encoder-property, in encoder-unit" },
  { "told-audio",
      "x264enc name=enc ! rtph264pay ! f. opusenc ! rtpopuspay ! f.",
      "encoder-property=bitrate encoder-unit=1000", "bitrate", 900,
      "opusenc's bitrate is none of ours" },
  { "told-named", "x264enc ! rtph264pay ! f. fakesrc name=enc ! fakesink",
      "encoder=enc encoder-property=datarate encoder-unit=1000", "datarate",
      900, "the one that is named" },
  { "fec",
      "x264enc ! rtph264pay ! rtpulpfecenc pt=122 ! f. "
      "rtpulpfecenc name=enc pt=122 ! f.",
      "fec=fixed fec-params=level=.3", "percentage", 30,
      "every rtpulpfecenc has the level" },
  { "fec-share", "x264enc name=enc ! rtph264pay ! rtpulpfecenc pt=122 ! f.",
      "fec=fixed fec-params=level=.3", "bitrate", 692, "900 / 1.3" },
  { "fec-nobody", "x264enc name=enc ! rtph264pay ! rtpulpfecenc ! f.",
      "fec=fixed fec-params=level=.3", "bitrate", 900,
      "nothing is set aside for what nobody makes: it has no pt" },
};

static void
test_found (gconstpointer data)
{
  guint row = GPOINTER_TO_UINT (data);
  g_autofree gchar *line = g_strdup_printf (
      "rtpfunnel name=f ! rtpadaptsend controller=fixed start-bitrate=900000 "
      "stats-interval=0 %s ! fakesink %s",
      found_rows[row].properties, found_rows[row].upstream);
  g_autoptr (GError) error = NULL;
  g_autoptr (GstElement) pipeline = gst_parse_launch (line, &error);
  g_autoptr (GstElement) element = NULL;

  g_assert_no_error (error);
  g_test_message ("%s", found_rows[row].why);
  element = gst_bin_get_by_name (GST_BIN (pipeline), "enc");
  gst_element_set_state (pipeline, GST_STATE_PAUSED);
  wait_until (
      number_get (element, found_rows[row].property) == found_rows[row].value);
  gst_element_set_state (pipeline, GST_STATE_NULL);
}

/* A field of the stream of that payload type, as the statistics tell; -1 if
 * there is none. */
static gint64
stream_field (GstElement *send, gint payload, const gchar *field)
{
  g_autoptr (GstStructure) stats = NULL;
  const GValue *streams;

  g_object_get (send, "stats", &stats, NULL);
  streams = gst_structure_get_value (stats, "streams");
  for (guint i = 0; streams && i < gst_value_array_get_size (streams); i++) {
    const GstStructure *stream
        = gst_value_get_structure (gst_value_array_get_value (streams, i));
    GValue number = G_VALUE_INIT;
    gint type;

    g_assert_true (gst_structure_get_int (stream, "payload", &type));
    if (type != payload)
      continue;
    g_value_init (&number, G_TYPE_INT64);
    g_assert_true (
        g_value_transform (gst_structure_get_value (stream, field), &number));
    return g_value_get_int64 (&number);
  }
  return -1;
}

/* Where the camera, its encoder and its payloader are. */
static const struct
{
  const gchar *name, *begin, *end, *why;
} cameras[] = {
  { "flat", "", " ! f.", "in the pipeline" },
  { "in-bin", "( ", " name=p ) p. ! f.", "in a bin that has no sink pad" },
};

/* rtpfunnel's own caps tell nothing of what passes; what is upstream of it does.
 * Payload type 98 is of no encoder that anybody could find. */
static void
test_funnel (gconstpointer data)
{
  guint row = GPOINTER_TO_UINT (data);
  g_autofree gchar *line = g_strdup_printf (
      "rtpfunnel name=f ! rtpadaptsend name=send controller=fixed "
      "start-bitrate=2000000 stats-interval=0 ! fakesink async=false "
      "%s videotestsrc is-live=true ! video/x-raw,width=160,height=120 ! "
      "x264enc name=enc tune=zerolatency vbv-buf-capacity=200 ! "
      "rtph264pay pt=96 %s "
      "audiotestsrc is-live=true ! rtpL16pay pt=97 ! f. "
      "appsrc name=src is-live=true caps=\"application/x-rtp,media=video,"
      "encoding-name=H264,payload=98,clock-rate=90000,ssrc=(uint)7\" ! f.",
      cameras[row].begin, cameras[row].end);
  g_autoptr (GstElement) pipeline = gst_parse_launch (line, NULL);
  g_autoptr (GstElement) send
      = gst_bin_get_by_name (GST_BIN (pipeline), "send");
  g_autoptr (GstElement) src = gst_bin_get_by_name (GST_BIN (pipeline), "src");
  g_autoptr (GstBuffer) packet = packet_new (7, 0, 0, 100);
  GstFlowReturn flow;

  g_test_message ("%s", cameras[row].why);
  gst_buffer_memset (packet, 1, 98, 1);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  g_signal_emit_by_name (src, "push-buffer", packet, &flow);
  wait_until (stream_field (send, 96, "packets") > 0
      && stream_field (send, 97, "packets") > 0
      && stream_field (send, 98, "packets") > 0);
  g_assert_cmpint (stream_field (send, 96, "driven"), ==, TRUE);
  g_assert_cmpint (stream_field (send, 96, "audio"), ==, FALSE);
  g_assert_cmpint (stream_field (send, 97, "driven"), ==, FALSE);
  g_assert_cmpint (stream_field (send, 97, "audio"), ==, TRUE);
  g_assert_cmpint (stream_field (send, 98, "driven"), ==, FALSE);
  g_assert_cmpint (stream_field (send, 98, "audio"), ==, FALSE);
  g_assert_cmpint (stream_field (send, 98, "bytes"), ==, 112);
  gst_element_set_state (pipeline, GST_STATE_NULL);
}

void
tests_add (void)
{
  g_test_add_func ("/rtpadaptsend/streams/one-search", test_one_search);
  g_test_add_func ("/rtpadaptsend/streams/audio-first", test_audio_first);
  g_test_add_func ("/rtpadaptsend/streams/shares", test_shares);
  g_test_add_func ("/rtpadaptsend/streams/fec-wanted", test_fec_wanted);
  rows_add_by (
      "/rtpadaptsend/streams/key-frame", key_rows, name, test_key_frame);
  rows_add_by (
      "/rtpadaptsend/streams/request", request_rows, name, test_request);
  rows_add_by ("/rtpadaptsend/streams/found", found_rows, name, test_found);
  rows_add_by ("/rtpadaptsend/streams/funnel", cameras, name, test_funnel);
}
