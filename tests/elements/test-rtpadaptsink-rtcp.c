/* rtpadaptsink's RTCP: the clocks of its streams, and reports that would harm
 * the session or come from a receiver that moves.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "../trust/trust.h"
#include "sink-fixture.h"
#include "../rows.h"

#include <gst/rtp/rtp.h>
#include <math.h>

/* --- clocks -------------------------------------------------------------- */

/* One packet each FRAME; RTP time is that of the buffer at the stream's rate,
 * from 0. */
#define FRAME (20 * GST_MSECOND)

static const struct
{
  const gchar *media;
  guint pt;
  gint rate;
} streams[] = { { "video", 96, 90000 }, { "audio", 111, 48000 } };

static const struct
{
  gboolean ssrc;
  const gchar *why;
} clocks[] = {
  { TRUE, "the SSRC is in the caps, as payloaders have it" },
  { FALSE, "the SSRC is not in the caps" },
};

static GstElement *
clocks_pipeline (guint port, gboolean ssrc)
{
  g_autoptr (GString) line = g_string_new (NULL);
  GError *error = NULL;
  GstElement *pipeline;

  g_string_printf (line,
      "rtpadaptsink name=s host=127.0.0.1 port=%u fec=none colour=none", port);
  for (guint i = 0; i < G_N_ELEMENTS (streams); i++) {
    g_string_append_printf (line,
        " appsrc name=a%u format=time is-live=true caps=\"application/x-rtp,"
        "media=%s,encoding-name=RAW,payload=%u,clock-rate=%d",
        i, streams[i].media, streams[i].pt, streams[i].rate);
    if (ssrc)
      g_string_append_printf (line, ",ssrc=(uint)%u", i + 1);
    g_string_append (line, "\" ! s.");
  }
  pipeline = gst_parse_launch (line->str, &error);
  g_assert_no_error (error);
  return pipeline;
}

/* rtpsession waits for 5 s between reports (RFC 3550 6.2). */
static void
report_often (GstElement *sink)
{
  g_autoptr (GstElement) rtpbin
      = gst_bin_get_by_name (GST_BIN (sink), "rtpbin");
  g_autoptr (GstElement) session = NULL;

  g_signal_emit_by_name (rtpbin, "get-session", 0, &session);
  g_object_set (session, "rtcp-min-interval", 200 * GST_MSECOND, NULL);
}

static void
push_frame (GstElement *pipeline, guint i, guint seq)
{
  g_autofree gchar *name = g_strdup_printf ("a%u", i);
  g_autoptr (GstElement) src = gst_bin_get_by_name (GST_BIN (pipeline), name);
  guint8 data[40] = { 0x80, 0x80 };
  GstBuffer *buffer;

  data[1] |= (guint8) streams[i].pt;
  GST_WRITE_UINT16_BE (data + 2, (guint16) seq);
  GST_WRITE_UINT32_BE (data + 4, seq * (guint) streams[i].rate / 50);
  GST_WRITE_UINT32_BE (data + 8, i + 1);
  buffer = gst_buffer_new_memdup (data, sizeof data);
  GST_BUFFER_PTS (buffer) = seq * FRAME;
  g_assert_cmpint (
      gst_app_src_push_buffer (GST_APP_SRC (src), buffer), ==, GST_FLOW_OK);
}

/* RFC 3550 6.4.1 */
typedef struct
{
  gdouble ntp; /* s */
  guint32 rtp;
} Report;

/* The SRs in a compound; the last one of each stream is kept. */
static void
read_reports (const UdpHeard *heard, Report reports[2], guint counts[2])
{
  const guint8 *p = heard->data;

  while (p + 4 <= heard->data + heard->size) {
    guint ssrc = p[1] == 200 ? GST_READ_UINT32_BE (p + 4) : 0;

    if (ssrc == 1 || ssrc == 2) {
      reports[ssrc - 1] = (Report){ GST_READ_UINT32_BE (p + 8)
            + GST_READ_UINT32_BE (p + 12) / 4294967296.,
        GST_READ_UINT32_BE (p + 16) };
      counts[ssrc - 1]++;
    }
    p += 4 + 4 * GST_READ_UINT16_BE (p + 2);
  }
}

/* Pushes frames till each stream has reported once more, and, after `after`
 * (NTP, s), again. */
static void
hear_reports (GstElement *pipeline, gint ear, guint *seq, gdouble after,
    Report reports[2])
{
  guint counts[2] = { 0 };
  gint64 end = g_get_monotonic_time () + PATIENCE;
  UdpHeard heard;

  while (counts[0] == 0 || counts[1] == 0 || reports[0].ntp < after
      || reports[1].ntp < after) {
    g_assert_cmpint (g_get_monotonic_time (), <, end);
    for (guint i = 0; i < G_N_ELEMENTS (streams); i++)
      push_frame (pipeline, i, *seq);
    ++*seq;
    do {
      udp_hear (ear, &heard);
      g_assert_cmpint (heard.size, >=, 8);
      if (sink_heard_rtcp (&heard))
        read_reports (&heard, reports, counts);
    } while (sink_heard_rtcp (&heard) || sink_heard_ssrc (&heard) != 2);
    g_usleep (5000);
  }
}

#define PAIRS 8

/* Between two reports the RTP time goes on at the stream's own rate, and both
 * streams were at 0 at the same moment (RFC 3550 6.4.1: that is how a receiver
 * plays sound with its picture). */
static gboolean
clocks_agree (const Report first[2], const Report last[2])
{
  gdouble zero[2];
  gboolean agrees = TRUE;

  for (guint i = 0; i < 2; i++) {
    gdouble span = last[i].ntp - first[i].ntp;
    gdouble rate = (gint32) (last[i].rtp - first[i].rtp) / span;

    g_test_message ("SSRC %u: %.0f Hz over %.3f s", i + 1, rate, span);
    agrees &= fabs (rate - streams[i].rate) <= .02 * streams[i].rate;
    zero[i] = last[i].ntp - (gint32) last[i].rtp / (gdouble) streams[i].rate;
  }
  return agrees && fabs (zero[0] - zero[1]) <= .02;
}

static void
test_clocks (gconstpointer data)
{
  guint r = GPOINTER_TO_UINT (data), port, seq = 0;
  gint ear = udp_socket ("127.0.0.1", &port);
  GstElement *pipeline = clocks_pipeline (port, clocks[r].ssrc);
  GstElement *sink = gst_bin_get_by_name (GST_BIN (pipeline), "s");
  Report first[2], reports[2] = { 0 };
  gboolean agrees = FALSE;

  g_test_message ("%s", clocks[r].why);
  report_often (sink);
  sink_play (pipeline);
  hear_reports (pipeline, ear, &seq, 0, reports);
  /* A machine that stops rtpsession between its two clocks spoils one report. */
  for (guint pair = 0; pair < PAIRS && !agrees; pair++) {
    memcpy (first, reports, sizeof first);
    hear_reports (
        pipeline, ear, &seq, MAX (first[0].ntp, first[1].ntp) + 1, reports);
    agrees = clocks_agree (first, reports);
  }
  g_assert_true (agrees);
  sink_stop (pipeline, sink);
  close (ear);
}

/* --- the end ----------------------------------------------------------------- */

/* Notes which SSRCs, 1 or 2, say BYE (RFC 3550 6.6), and which have a report.  0:
 * another one, which is the session's own. */
static void
note_ends (const UdpHeard *heard, gboolean byes[3], gboolean reports[3])
{
  const guint8 *p = heard->data;

  for (; p + 8 <= heard->data + heard->size;
       p += 4 + 4 * GST_READ_UINT16_BE (p + 2)) {
    guint32 ssrc = GST_READ_UINT32_BE (p + 4);

    ssrc = ssrc <= 2 ? ssrc : 0;
    byes[ssrc] |= p[1] == GST_RTCP_TYPE_BYE;
    reports[ssrc] |= p[1] == GST_RTCP_TYPE_SR;
  }
}

static gboolean
on_seek_data (GstElement *src, guint64 offset, gpointer data)
{
  return TRUE;
}

/* What comes within half a second. */
static void
note_rest (gint ear, gboolean byes[3], gboolean reports[3])
{
  UdpHeard heard;

  g_usleep (G_USEC_PER_SEC / 2);
  while ((heard.size = recv (ear, heard.data, sizeof heard.data, MSG_DONTWAIT))
      > 0)
    note_ends (&heard, byes, reports);
}

static void
note_next (gint ear, gboolean *byes, gboolean *reports)
{
  UdpHeard heard;

  udp_hear (ear, &heard);
  g_assert_cmpint (heard.size, >, 0);
  if (sink_heard_rtcp (&heard))
    note_ends (&heard, byes, reports);
}

/* Behind the end the application stops at once, but each stream has said BYE; after a
 * flushing seek, as in a file that is played again, there are reports as before. */
static void
test_bye (void)
{
  gboolean byes[3] = { FALSE }, reports[3] = { FALSE };
  guint port, seq = 0;
  gint ear = udp_socket ("127.0.0.1", &port);
  GstElement *pipeline = clocks_pipeline (port, TRUE);
  GstElement *sink = gst_bin_get_by_name (GST_BIN (pipeline), "s");
  Report sent[2] = { 0 };

  report_often (sink);
  for (guint i = 0; i < G_N_ELEMENTS (streams); i++) {
    g_autofree gchar *name = g_strdup_printf ("a%u", i);
    g_autoptr (GstElement) src = gst_bin_get_by_name (GST_BIN (pipeline), name);

    g_object_set (src, "stream-type", 1 /* seekable */, NULL);
    g_signal_connect (src, "seek-data", G_CALLBACK (on_seek_data), NULL);
  }
  sink_play (pipeline);
  for (guint round = 0; round < 2; round++) {
    hear_reports (pipeline, ear, &seq, 0, sent);
    gst_element_send_event (pipeline, gst_event_new_eos ());
    sink_wait_eos (pipeline);
    memset (byes, 0, sizeof byes);
    while (!byes[0] || !byes[1] || !byes[2])
      note_next (ear, byes, reports);
    /* 6.3.7: who has said BYE says no more, but for what was on its way; reports would
     * be due each 0.2 s. */
    for (guint i = 0; i < 2; i++) {
      memset (reports, 0, sizeof reports);
      note_rest (ear, byes, reports);
    }
    g_assert_false (reports[1] || reports[2]);
    if (round == 0)
      g_assert_true (gst_element_seek_simple (
          pipeline, GST_FORMAT_TIME, GST_SEEK_FLAG_FLUSH, 0));
  }
  /* Another run, of one stream alone: the other one has left in the last. */
  gst_element_set_state (pipeline, GST_STATE_READY);
  sink_play (pipeline);
  memset (byes, 0, sizeof byes);
  memset (reports, 0, sizeof reports);
  while (!reports[1]) {
    push_frame (pipeline, 0, seq++);
    note_next (ear, byes, reports);
  }
  gst_element_send_event (pipeline, gst_event_new_eos ());
  sink_wait_eos (pipeline);
  while (!byes[0] || !byes[1])
    note_next (ear, byes, reports);
  note_rest (ear, byes, reports);
  g_assert_false (byes[2]);
  sink_stop (pipeline, sink);
  close (ear);
}

/* --- ports --------------------------------------------------------------- */

/* One port at first, two after a stop: nothing of the first remains. */
static void
test_mux_off (void)
{
  guint port, other;
  gint ear = udp_socket ("127.0.0.1", &port);
  gint ear_rtcp = udp_socket ("127.0.0.1", &other);
  GstElement *sink, *pipeline = sink_pipeline (port, "", &sink);
  UdpHeard rtp, rtcp;
  gint profile;

  sink_play (pipeline);
  gst_child_proxy_get (GST_CHILD_PROXY (sink),
      "rtpbin::rtpsession0::rtp-profile", &profile, NULL);
  g_assert_cmpint (profile, ==, GST_RTP_PROFILE_AVPF);
  sink_push (pipeline, 1);
  sink_hear_rtp (ear, &rtp);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  g_object_set (sink, "rtcp-mux", FALSE, "rtcp-port", (gint) other, NULL);
  sink_play (pipeline);
  sink_push (pipeline, 2);
  sink_hear_rtp (ear, &rtp);
  udp_hear (ear_rtcp, &rtcp);
  g_assert_cmpint (rtcp.size, >, 0);
  g_assert_true (sink_heard_rtcp (&rtcp));
  g_assert_cmpuint (rtcp.from_port, !=, rtp.from_port);
  sink_stop (pipeline, sink);
  close (ear);
  close (ear_rtcp);
}

/* --- what comes back ----------------------------------------------------- */

/* RTPFB or PSFB without FCI (RFC 4585 6.1) about our stream, behind an RR. */
#define REPORT_SIZE (SINK_RR_SIZE + 12)
static void
say_report (gint fd, guint port, guint8 pt, guint8 fmt)
{
  guint8 rtcp[REPORT_SIZE] = { 0 }, *fb = rtcp + SINK_RR_SIZE;

  sink_rr (rtcp, SINK_THEIRS, SINK_SSRC);
  fb[0] = 0x80 | fmt;
  fb[1] = pt;
  fb[3] = 2;
  GST_WRITE_UINT32_BE (fb + 4, SINK_THEIRS);
  GST_WRITE_UINT32_BE (fb + 8, SINK_SSRC);
  udp_say (fd, "127.0.0.1", port, 0, rtcp, sizeof rtcp);
}

/* PLIs (RFC 4585 6.3.1) that rtpsession passed on. */
static GstPadProbeReturn
note_key_unit (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  if (gst_event_has_name (GST_PAD_PROBE_INFO_EVENT (info), "GstForceKeyUnit"))
    g_atomic_int_inc ((gint *) data);
  return GST_PAD_PROBE_OK;
}

static void
watch_key_units (GstElement *pipeline, gint *n)
{
  g_autoptr (GstElement) src = gst_bin_get_by_name (GST_BIN (pipeline), "a");
  g_autoptr (GstPad) pad = gst_element_get_static_pad (src, "src");

  gst_pad_add_probe (
      pad, GST_PAD_PROBE_TYPE_EVENT_UPSTREAM, note_key_unit, n, NULL);
}

static gboolean
is_set (gpointer data)
{
  return g_atomic_int_get ((gint *) data) > 0;
}

/* RFC 6051 3.2, which rtpsession would wait for itself for: dropped, and what
 * comes after it is heard. */
static void
test_sr_request (void)
{
  guint port;
  gint ear = udp_socket ("127.0.0.1", &port), key_units = 0;
  GstElement *sink, *pipeline = sink_pipeline (port, "", &sink);
  UdpHeard heard;

  watch_key_units (pipeline, &key_units);
  sink_play (pipeline);
  sink_push (pipeline, 1);
  sink_hear_rtp (ear, &heard);
  say_report (ear, heard.from_port, 205, 5);
  sink_expect (sink, "peer/sr-requests", 1);
  say_report (ear, heard.from_port, 206, 1);
  g_assert_true (sink_wait (is_set, &key_units));
  g_assert_cmpuint (sink_stat (sink, "peer/foreign-rtcp"), ==, 0);
  sink_stop (pipeline, sink);
  close (ear);
}

/* The session knows of a report of a quarter lost. */
static gboolean
heard_loss (gpointer sink)
{
  GstElement *rtpbin = gst_bin_get_by_name (GST_BIN (sink), "rtpbin");
  GObject *session, *theirs = NULL;
  GstStructure *stats;
  guint lost = 0;

  g_signal_emit_by_name (rtpbin, "get-internal-session", 0, &session);
  g_signal_emit_by_name (session, "get-source-by-ssrc", SINK_THEIRS, &theirs);
  if (theirs) {
    g_object_get (theirs, "stats", &stats, NULL);
    gst_structure_get_uint (stats, "rb-fractionlost", &lost);
    gst_structure_free (stats);
    g_object_unref (theirs);
  }
  g_object_unref (session);
  gst_object_unref (rtpbin);
  return lost == 64;
}

/* rtpsession would take the receiver at its new address for another one with
 * the same SSRC (RFC 3550 8.2), and drop what it says. */
static void
test_receiver_moves (void)
{
  guint port, port2;
  gint ear = udp_socket ("127.0.0.1", &port), key_units = 0;
  gint ear2 = udp_socket ("127.0.0.1", &port2);
  GstElement *sink, *pipeline = sink_pipeline (port, "rtcp-mux=false", &sink);
  guint8 rr[SINK_RR_SIZE];
  guint rtcp_port;
  gboolean reported;
  UdpHeard heard;

  watch_key_units (pipeline, &key_units);
  sink_play (pipeline);
  rtcp_port = sink_port (sink, "rtcpsrc");
  sink_push (pipeline, 1);
  sink_hear_rtp (ear, &heard);
  say_report (ear, rtcp_port, 206, 1);
  g_assert_true (sink_wait (is_set, &key_units));
  g_atomic_int_set (&key_units, 0);
  say_report (ear2, rtcp_port, 206, 1);
  sink_expect (sink, "peer/moved", 1);
  g_assert_true (sink_wait (is_set, &key_units));
  sink_rr (rr, SINK_THEIRS, SINK_SSRC);
  rr[12] = 64; /* fraction lost */
  udp_say (ear2, "127.0.0.1", rtcp_port, 0, rr, sizeof rr);
  reported = sink_wait (heard_loss, sink);
  trust_row ("fault", "receiver moves to another port",
      "its reports are heard, and by rtpsession, too", reported, "%s",
      reported ? "heard" : "not heard");
  sink_stop (pipeline, sink);
  close (ear);
  close (ear2);
}

/* --- transport-wide numbers ------------------------------------------------ */

/* More than half of the numbers there are. */
#define SOUNDS 33000

/* `n` packets of 20 bytes that are ready-made, and have no header extension. */
static void
push_sound (GstElement *pipeline, guint seq, guint n)
{
  g_autoptr (GstElement) src
      = gst_bin_get_by_name (GST_BIN (pipeline), "sound");
  GstBufferList *list = gst_buffer_list_new ();

  for (guint i = seq; i < seq + n; i++) {
    guint8 data[20] = { 0x80, 97, (guint8) (i >> 8), (guint8) i, 0, 0,
      (guint8) (i >> 8), (guint8) i, 0, 0, 0, 9 };

    gst_buffer_list_add (list, gst_buffer_new_memdup (data, sizeof data));
  }
  g_assert_cmpint (
      gst_app_src_push_buffer_list (GST_APP_SRC (src), list), ==, GST_FLOW_OK);
}

/* draft-holmer-rmcat-transport-wide-cc-extensions-01 3.1: `number` came. */
static void
say_came (gint fd, guint port, guint number)
{
  guint8 rtcp[SINK_RR_SIZE + 24] = { 0 }, *fb = rtcp + SINK_RR_SIZE;

  sink_rr (rtcp, SINK_THEIRS, SINK_SSRC);
  fb[0] = 0x80 | 15;
  fb[1] = 205;
  fb[3] = 5;
  GST_WRITE_UINT32_BE (fb + 4, SINK_THEIRS);
  GST_WRITE_UINT32_BE (fb + 8, SINK_SSRC);
  GST_WRITE_UINT16_BE (fb + 12, (guint16) number);
  GST_WRITE_UINT16_BE (fb + 14, 1);
  GST_WRITE_UINT32_BE (fb + 16, 0x00000100);
  GST_WRITE_UINT32_BE (fb + 20, 0x20010000); /* a run of 1 with a small delta */
  udp_say (fd, "127.0.0.1", port, 0, rtcp, sizeof rtcp);
}

/* Audio without numbers goes beside numbered video.  Reports about the video are
 * heard, however much audio was sent. */
static void
test_sound_beside (void)
{
  guint port, number, sounds = 0;
  gint ear = udp_socket ("127.0.0.1", &port);
  GstElement *sink,
      *pipeline = sink_pipeline (port,
          "controller=fixed start-bitrate=20000000 max-backlog=10000000000 "
          "fec=none colour=none appsrc name=sound format=time is-live=true caps="
          "\"application/x-rtp,media=audio,encoding-name=L8,payload=97,"
          "clock-rate=8000\" ! s.",
          &sink);
  UdpHeard heard;

  sink_play (pipeline);
  sink_push (pipeline, 1);
  do
    sink_hear_rtp (ear, &heard);
  while (sink_heard_ssrc (&heard) != SINK_SSRC);
  say_came (ear, heard.from_port, sink_heard_twcc (&heard));
  sink_expect (sink, "sender/feedback", 1);
  for (; sounds < SOUNDS; sounds += 500) {
    push_sound (pipeline, sounds, 500);
    sink_expect (sink, "udp/packets", 1 + sounds);
  }
  sink_push (pipeline, 2);
  /* A packet that rtpadaptsend has counted may not have left yet, and then a
   * report about it is refused. */
  sink_expect (sink, "udp/packets", 2 + SOUNDS);
  number = sink_heard_twcc (&heard) + 1; /* that the second one has */
  say_came (ear, heard.from_port, number);
  sink_expect (sink, "sender/feedback", 2);
  trust_row ("fault", "sound without numbers beside numbered video",
      "after more than 2^15 packets of it, reports about the video are heard",
      sink_stat (sink, "peer/flood") == 0,
      "%d packets of sound, %" G_GUINT64_FORMAT " reports refused", SOUNDS,
      sink_stat (sink, "peer/flood"));
  sink_stop (pipeline, sink);
  close (ear);
}

void
tests_add (void)
{
  rows_add ("/rtpadaptsink/clocks", clocks, test_clocks);
  g_test_add_func ("/rtpadaptsink/mux-off", test_mux_off);
  g_test_add_func ("/rtpadaptsink/bye", test_bye);
  g_test_add_func ("/rtpadaptsink/sr-request", test_sr_request);
  g_test_add_func ("/rtpadaptsink/receiver-moves", test_receiver_moves);
  g_test_add_func ("/rtpadaptsink/sound-beside", test_sound_beside);
}
