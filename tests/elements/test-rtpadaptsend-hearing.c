/* rtpadaptsend: which session it hears, and which feedback it settles for.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "session-fixture.h"
#include "../rows.h"

/* --- what it settles for --------------------------------------------------- */

static const struct
{
  const gchar *name, *wanted;
  const gchar *profile; /* NULL: no session */
  const gchar *caps;
  const gchar *mode;
  const gchar *warnings[3]; /* parts of them */
  const gchar *why;
} settle_rows[] = {
  { "tfrc", "tfrc", "avpf", EXT_TWCC EXT_SEND_TS, "tfrc", { NULL },
      "all is there" },
  { "tfrc-alone", "tfrc", "avpf", EXT_SEND_TS, "tfrc", { NULL },
      "transport-wide numbers are no must" },
  { "tfrc-misspelt", "tfrc", "avpf",
      ",extmap-9=urn:ietf:params:rtp-hdtext:rtt-sendts", "tfrc", { NULL },
      "as in the draft's SDP example" },
  { "tfrc-array", "tfrc", "avpf",
      ",extmap-2=(string)<\"\",urn:ietf:params:rtp-hdrext:rtt-sendts,\"\">",
      "tfrc", { NULL }, "with direction and attributes" },
  { "tfrc-no-extmap", "tfrc", "avpf", EXT_TWCC, "twcc",
      { "extmap-2=urn:ietf:params:rtp-hdrext:rtt-sendts" },
      "no send time on the packets" },
  { "tfrc-nothing", "tfrc", "avpf", "", "none",
      { "extmap-2=urn:ietf:params:rtp-hdrext:rtt-sendts" },
      "nor transport-wide numbers" },
  { "tfrc-avp", "tfrc", "avp", EXT_TWCC EXT_SEND_TS, "twcc",
      { "rtp-profile=avpf" }, "RFC 3551 has no early feedback" },
  { "tfrc-no-session", "tfrc", NULL, EXT_TWCC EXT_SEND_TS, "twcc",
      { "no rtpsession" }, "nobody to hear RTCP from" },
  { "tfrc-two", "tfrc", NULL, EXT_TWCC, "twcc",
      { "no rtpsession", "extmap-2=" }, "each by its name" },
  { "tfrc-audio", "tfrc", "avpf", ",media=audio", "tfrc", { NULL },
      "sound beside video may do without" },
  { "tfrc-offered", "tfrc", "avpf",
      EXT_SEND_TS ",rtcp-fb-nack=true,rtcp-fb-tfrc=true", "tfrc", { NULL },
      "a=rtcp-fb:* tfrc" },
  { "tfrc-not-offered", "tfrc", "avpf",
      EXT_TWCC EXT_SEND_TS ",rtcp-fb-transport-cc=true", "twcc",
      { "rtcp-fb-tfrc=(boolean)true" }, "the peer named what it has" },
  { "ccfb", "ccfb", "avpf", "", "ccfb", { NULL }, "it needs no extension" },
  { "ccfb-offered", "ccfb", "avpf", ",rtcp-fb-ack-ccfb=true", "ccfb", { NULL },
      "a=rtcp-fb:* ack ccfb, RFC 8888 6" },
  { "ccfb-not-offered", "ccfb", "avpf",
      EXT_TWCC ",rtcp-fb-transport-cc=false,rtcp-fb-nack=true", "none",
      { "rtcp-fb-ack-ccfb=(boolean)true" }, "nor transport-cc" },
  { "ccfb-avp", "ccfb", "avp", "", "none", { "rtp-profile=avpf" },
      "no early feedback" },
  { "twcc", "twcc", "avp", EXT_TWCC, "twcc", { NULL },
      "rtpsession hears it with any profile" },
  { "twcc-no-extmap", "twcc", "avpf", EXT_SEND_TS, "none",
      { "extmap-1=http://www.ietf.org/id/draft-holmer" }, "no numbers" },
  { "twcc-no-session", "twcc", NULL, "", "twcc", { NULL },
      "somebody else may send the events" },
  { "twcc-not-offered", "twcc", "avpf", EXT_TWCC ",rtcp-fb-nack-pli=true",
      "none", { "rtcp-fb-transport-cc=(boolean)true" }, "WebRTC without it" },
};

static gchar *
mode (Send *s)
{
  return stats_text (s->element, "feedback-mode");
}

static gboolean
is_mode (Send *s, const gchar *expected)
{
  g_autofree gchar *text = mode (s);

  return g_str_equal (text, expected);
}

/* Appends the next warning about feedback, which has to come. */
static void
feedback_warning (Send *s, GString *text)
{
  for (;;) {
    g_autoptr (GstMessage) m = gst_bus_timed_pop_filtered (
        s->bus, PATIENCE * GST_USECOND, GST_MESSAGE_WARNING);
    g_autoptr (GError) error = NULL;

    g_assert_nonnull (m);
    gst_message_parse_warning (m, &error, NULL);
    if (g_str_has_prefix (error->message, "No feedback=")) {
      g_string_append (text, error->message);
      return;
    }
  }
}

static void
no_feedback_warning (Send *s)
{
  GstMessage *m;

  while ((m = gst_bus_pop_filtered (s->bus, GST_MESSAGE_WARNING))) {
    g_autoptr (GError) error = NULL;

    gst_message_parse_warning (m, &error, NULL);
    gst_message_unref (m);
    g_assert_false (g_str_has_prefix (error->message, "No feedback="));
  }
}

static void
test_settle (gconstpointer data)
{
  guint row = GPOINTER_TO_UINT (data);
  g_autofree gchar *properties
      = g_strdup_printf ("feedback=%s", settle_rows[row].wanted);
  g_autofree gchar *caps = g_strconcat (CAPS, settle_rows[row].caps, NULL);
  g_auto (Pair) p = settle_rows[row].profile
      ? pair_new (properties, settle_rows[row].profile, caps)
      : pair_alone (properties, caps);
  g_autoptr (GString) text = g_string_new (NULL);

  g_test_message ("%s", settle_rows[row].why);
  push_packet (&p.send, 0);
  pull_packet (&p.send);
  for (guint i = 0; settle_rows[row].warnings[i]; i++)
    feedback_warning (&p.send, text);
  for (guint i = 0; settle_rows[row].warnings[i]; i++) {
    if (!strstr (text->str, settle_rows[row].warnings[i]))
      g_error ("'%s' has no '%s'", text->str, settle_rows[row].warnings[i]);
  }
  wait_until (is_mode (&p.send, settle_rows[row].mode));
  gst_test_clock_advance_time (p.send.clock, 100 * GST_MSECOND);
  push_packet (&p.send, 1);
  pull_packet (&p.send);
  gst_element_set_state (p.send.element, GST_STATE_READY);
  no_feedback_warning (&p.send);
}

static void
count (GObject *object, GParamSpec *pspec, gpointer n)
{
  g_atomic_int_inc ((gint *) n);
}

/* While nobody takes packets nothing is missing yet: what is downstream may come
 * later.  One job tells of the rate and settles this, in turn. */
static void
test_early (void)
{
  g_auto (Pair) p = pair_alone ("feedback=tfrc", CAPS EXT_TWCC EXT_SEND_TS);
  gint n = 0;

  g_signal_connect (
      p.send.element, "notify::estimated-bitrate", G_CALLBACK (count), &n);
  for (guint rate = 400000; rate >= 100000; rate -= 100000) {
    gint before = g_atomic_int_get (&n);

    g_object_set (p.send.element, "max-bitrate", rate, NULL);
    wait_until (g_atomic_int_get (&n) > before);
  }
  no_feedback_warning (&p.send);
  g_assert_true (is_mode (&p.send, "tfrc"));
}

/* --- which session it hears ------------------------------------------------ */

static GstElement *
make (GstElement *bin, const gchar *factory)
{
  GstElement *element = gst_element_factory_make (factory, NULL);

  g_assert_nonnull (element);
  gst_bin_add (GST_BIN (bin), element);
  return element;
}

static void
ghost (GstElement *bin, GstElement *element, const gchar *name)
{
  g_autoptr (GstPad) pad = gst_element_get_static_pad (element, name);

  gst_element_add_pad (bin, gst_ghost_pad_new (name, pad));
}

static void
pipeline_free (GstElement *pipeline)
{
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_object_unref (pipeline);
}

static void
test_rtpbin (void)
{
  GstElement *pipeline = gst_pipeline_new (NULL);
  GstElement *send = make (pipeline, "rtpadaptsend");
  GstElement *rtpbin = make (pipeline, "rtpbin");
  g_autoptr (GObject) internal = NULL;

  g_assert_true (
      gst_element_link_pads (send, "src", rtpbin, "send_rtp_sink_0"));
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  g_signal_emit_by_name (rtpbin, "get-internal-session", 0, &internal);
  wait_until (session_is_heard (internal));
  pipeline_free (pipeline);
  g_assert_false (session_is_heard (internal));
}

/* rtpadaptsend in one bin, rtpsession behind an element in another. */
static void
test_ghost_pads (void)
{
  GstElement *pipeline = gst_pipeline_new (NULL);
  GstElement *left = gst_bin_new ("left"), *right = gst_bin_new ("right");
  GstElement *send = make (left, "rtpadaptsend");
  GstElement *identity = make (right, "identity");
  GstElement *session = make (right, "rtpsession");
  g_autoptr (GObject) internal = session_internal (session);

  g_assert_true (
      gst_element_link_pads (identity, "src", session, "send_rtp_sink"));
  ghost (left, send, "src");
  ghost (right, identity, "sink");
  gst_bin_add_many (GST_BIN (pipeline), left, right, NULL);
  g_assert_true (gst_element_link (left, right));
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  wait_until (session_is_heard (internal));
  pipeline_free (pipeline);
}

static void
session_remove (GstElement *pipeline, GstElement *send, GstElement *session)
{
  gst_element_unlink (send, session);
  gst_element_set_state (session, GST_STATE_NULL);
  gst_bin_remove (GST_BIN (pipeline), session);
}

/* Linked while it runs, taken away, and another one in its place. */
static void
test_exchanged (void)
{
  GstElement *pipeline = gst_pipeline_new (NULL);
  GstElement *send = make (pipeline, "rtpadaptsend"), *session;
  GObject *first, *second;

  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  session = session_add (pipeline, send, "avpf");
  first = session_internal (session);
  wait_until (session_is_heard (first));
  session_remove (pipeline, send, session);
  session = session_add (pipeline, send, "avpf");
  second = session_internal (session);
  wait_until (session_is_heard (second));
  wait_until (!session_is_heard (first));
  g_object_unref (first);
  g_object_unref (second);

  /* One that is gone for good, and nobody else. */
  session_remove (pipeline, send, session);
  session = session_add (pipeline, send, "avpf");
  first = session_internal (session);
  wait_until (session_is_heard (first));
  g_object_unref (first);
  session_remove (pipeline, send, session);
  pipeline_free (pipeline);
}

/* A session that lives on, in the hands of an application, has nobody to tell. */
static void
test_outlived (void)
{
  Pair p = pair_new ("feedback=tfrc", "avpf", CAPS EXT_SEND_TS);
  g_autoptr (GObject) internal = g_object_ref (p.internal);
  g_autoptr (GstBuffer) buffer = NULL;
  Rtcp r = { 0 };

  put_rr (&r, SSRC, 0, 0, 0, 0);
  buffer = gst_buffer_new_memdup (r.data, r.len);
  pair_free (&p);
  g_assert_false (session_is_heard (internal));
  g_signal_emit_by_name (internal, "on-receiving-rtcp", buffer);
}

/* --- behind FEC --------------------------------------------------------------- */

/* Five frames of four packets each, and EOS; all of it has come out then. */
static void
push_frames_to_eos (Send *send)
{
  gboolean eos = FALSE;

  for (guint i = 0; i < 5; i++)
    push_frame (send, i, 4);
  gst_harness_push_event (send->h, gst_event_new_eos ());
  while (!eos) {
    g_autoptr (GstEvent) event = gst_harness_pull_event (send->h);

    g_assert_nonnull (event);
    eos = GST_EVENT_TYPE (event) == GST_EVENT_EOS;
  }
}

/* FEC speaks of the packets as they were: those may not grow any more, repair
 * packets may.  It is said what to do. */
static void
test_behind_fec (void)
{
  g_auto (Pair) p
      = { .bin = gst_parse_bin_from_description (
              "rtpulpfecenc name=f pt=122 ! rtpadaptsend name=a "
              "fec=fixed fec-params=level=1 feedback=tfrc stats-interval=0 "
              "controller=fixed start-bitrate=20000000 burst=1000000000",
              TRUE, NULL) };
  GstElement *fecenc = gst_bin_get_by_name (GST_BIN (p.bin), "f");
  gboolean told = FALSE, repair = FALSE;
  GstBuffer *buffer;
  guint level = 0;

  gst_object_ref_sink (p.bin);
  p.send.element = gst_bin_get_by_name (GST_BIN (p.bin), "a");
  send_harness_caps (&p.send, p.bin, CAPS ",payload=96" EXT_SEND_TS);
  gst_element_set_bus (p.send.element, p.send.bus);
  wait_until ((g_object_get (fecenc, "percentage", &level, NULL), level > 0));
  /* The sender sets the encoder first and takes the search's result then. */
  wait_until (stat (&p.send, "fec-made") > 0);
  gst_object_unref (fecenc);
  gst_test_clock_advance_time (p.send.clock, GST_SECOND);
  push_frames_to_eos (&p.send);
  while ((buffer = gst_harness_try_pull (p.send.h))) {
    guint8 head[18] = { 0 };

    gst_buffer_extract (buffer, 0, head, sizeof head);
    if ((head[1] & 0x7f) == 96) {
      g_assert_cmpuint (gst_buffer_get_size (buffer), ==, HEADER + PAYLOAD);
      g_assert_cmphex (head[0], ==, 0x80);
    } else {
      repair = TRUE;
      g_assert_cmphex (head[0], ==, 0x90);
      g_assert_cmphex (head[16], ==, 0x26); /* id 2, 7 bytes */
    }
    gst_buffer_unref (buffer);
  }
  g_assert_true (repair);
  while (!told) {
    g_autoptr (GstMessage) m = gst_bus_timed_pop_filtered (
        p.send.bus, PATIENCE * GST_USECOND, GST_MESSAGE_WARNING);
    g_autoptr (GError) error = NULL;

    g_assert_nonnull (m);
    gst_message_parse_warning (m, &error, NULL);
    told = strstr (error->message, "and FEC: set") != NULL;
  }
}

/* RTP from elsewhere lacks the number that the caps name; without it the receiver has
 * nothing to report.  FEC that the receiver has not asked for gives way: all packets but
 * the first, which shows it, have an extension (RFC 3550 5.1: X). */
static void
test_ready_made (void)
{
  g_auto (Pair) p
      = { .bin = gst_parse_bin_from_description (
              "rtpulpfecenc name=f pt=122 ! rtpadaptsend name=a fec=fixed "
              "fec-params=level=1 fec-unasked=false stats-interval=0 "
              "controller=fixed start-bitrate=20000000 burst=1000000000",
              TRUE, NULL) };
  guint n = 0, extended = 0;
  GstBuffer *buffer;

  gst_object_ref_sink (p.bin);
  p.send.element = gst_bin_get_by_name (GST_BIN (p.bin), "a");
  send_harness_caps (&p.send, p.bin, CAPS ",payload=96" EXT_TWCC);
  wait_until (stat (&p.send, "fec-made") > 0);
  gst_test_clock_advance_time (p.send.clock, GST_SECOND);
  push_frames_to_eos (&p.send);
  while ((buffer = gst_harness_try_pull (p.send.h))) {
    guint8 head[2];

    gst_buffer_extract (buffer, 0, head, sizeof head);
    g_assert_cmpuint (head[1] & 0x7f, ==, 96);
    extended += (head[0] & 0x10) != 0;
    n++;
    gst_buffer_unref (buffer);
  }
  g_assert_cmpuint (n, ==, 20);
  g_assert_cmpuint (extended, ==, 19);
  g_assert_cmpint (stat (&p.send, "fec-made"), ==, 0);
}

/* Of two streams one has the numbers: the receiver reports about it, and FEC waits for the
 * receiver's word, whichever comes first. */
static void
test_half_ready_made (void)
{
  g_auto (Pair) p
      = { .bin = gst_parse_bin_from_description (
              "rtpulpfecenc name=f pt=122 ! rtpadaptsend name=a fec=fixed "
              "fec-params=level=1 fec-unasked=false stats-interval=0 "
              "controller=fixed start-bitrate=20000000 burst=1000000000",
              TRUE, NULL) };
  const guint8 number[2] = { 0 };

  gst_object_ref_sink (p.bin);
  p.send.element = gst_bin_get_by_name (GST_BIN (p.bin), "a");
  send_harness_caps (&p.send, p.bin, CAPS ",payload=96" EXT_TWCC);
  wait_until (stat (&p.send, "fec-made") > 0);
  gst_test_clock_advance_time (p.send.clock, GST_SECOND);
  for (guint i = 0; i < 6; i++) {
    GstBuffer *buffer
        = packet_new (i % 2 ? SSRC : SSRC + 1, (guint16) (i / 2), i, PAYLOAD);
    GstRTPBuffer rtp = GST_RTP_BUFFER_INIT;

    if (i % 2) {
      g_assert_true (gst_rtp_buffer_map (buffer, GST_MAP_READWRITE, &rtp));
      g_assert_true (
          gst_rtp_buffer_add_extension_onebyte_header (&rtp, 1, number, 2));
      gst_rtp_buffer_unmap (&rtp);
    }
    gst_harness_push (p.send.h, buffer);
    gst_buffer_unref (gst_harness_pull (p.send.h));
    g_assert_cmpint (stat (&p.send, "fec-made"), ==, i > 0);
  }
}

/* --- while it runs ----------------------------------------------------------- */

static void
push_ccfb (Pair *p, guint seq)
{
  Rtcp r = { 0 };

  put_head (&r, 11, 205, 24);
  put (&r, 4, PEER);
  put (&r, 4, SSRC);
  put (&r, 2, seq);
  put (&r, 2, 1);
  put (&r, 4, 0x80010000);
  put (&r, 4, 0x10000000 + seq);
  rtcp_push (p->rtcp, &r);
}

/* Each start hears once, and nothing when stopped. */
static void
test_cycles (void)
{
  g_auto (Pair) p = pair_new ("feedback=ccfb", "avpf", CAPS);

  for (guint i = 0; i < 3; i++) {
    push_packet (&p.send, i);
    pull_packet (&p.send);
    gst_test_clock_advance_time (p.send.clock, 100 * GST_MSECOND);
    push_ccfb (&p, i);
    g_assert_cmpint (stat (&p.send, "reports-ok"), ==, 1);
    g_assert_cmpint (stat (&p.send, "reports-old"), ==, 0);
    gst_element_set_state (p.send.element, GST_STATE_READY);
    g_assert_false (session_is_heard (p.internal));
    push_ccfb (&p, i);
    gst_element_set_state (p.send.element, GST_STATE_PLAYING);
    wait_until (session_is_heard (p.internal));
    g_assert_cmpint (stat (&p.send, "reports-ok"), ==, 0);
    gst_harness_push_event (p.send.h, gst_event_new_stream_start ("again"));
    gst_harness_set_src_caps_str (p.send.h, CAPS);
    segment_send (p.send.h->srcpad);
  }
}

/* A flush empties the backlog; what left before is still reported about. */
static void
test_flush (void)
{
  g_auto (Pair) p = pair_new ("feedback=ccfb", "avpf", CAPS);

  push_packet (&p.send, 0);
  pull_packet (&p.send);
  gst_test_clock_advance_time (p.send.clock, 100 * GST_MSECOND);
  gst_harness_push_event (p.send.h, gst_event_new_flush_start ());
  push_ccfb (&p, 0);
  g_assert_cmpint (stat (&p.send, "reports-ok"), ==, 1);
  gst_harness_push_event (p.send.h, gst_event_new_flush_stop (FALSE));
  segment_send (p.send.h->srcpad);
  push_packet (&p.send, 1);
  pull_packet (&p.send);
  gst_test_clock_advance_time (p.send.clock, 100 * GST_MSECOND);
  push_ccfb (&p, 1);
  g_assert_cmpint (stat (&p.send, "reports-ok"), ==, 2);
}

void
tests_add (void)
{
  rows_add_by ("/rtpadaptsend/hearing", settle_rows, name, test_settle);
  g_test_add_func ("/rtpadaptsend/hearing/early", test_early);
  g_test_add_func ("/rtpadaptsend/hearing/rtpbin", test_rtpbin);
  g_test_add_func ("/rtpadaptsend/hearing/ghost-pads", test_ghost_pads);
  g_test_add_func ("/rtpadaptsend/hearing/exchanged", test_exchanged);
  g_test_add_func ("/rtpadaptsend/hearing/outlived", test_outlived);
  g_test_add_func ("/rtpadaptsend/hearing/behind-fec", test_behind_fec);
  g_test_add_func ("/rtpadaptsend/hearing/ready-made", test_ready_made);
  g_test_add_func (
      "/rtpadaptsend/hearing/half-ready-made", test_half_ready_made);
  g_test_add_func ("/rtpadaptsend/hearing/cycles", test_cycles);
  g_test_add_func ("/rtpadaptsend/hearing/flush", test_flush);
}
