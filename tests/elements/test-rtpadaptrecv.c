/* rtpadaptrecv: what passes, what it agrees upon, and what may happen to it.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "recv-fixture.h"
#include "../rows.h"

#include <gst/rtpadapt/lda.h>

/* --- caps --------------------------------------------------------------- */

static const struct
{
  const gchar *feedback, *caps;
  const gchar *effect; /* as the statistics say */
  gboolean number_out; /* the transport-wide number is in the caps passed on */
  const gchar *warning;
  const gchar *why;
} caps_rows[] = {
  { "twcc", CAPS_ALL, "twcc", TRUE, NULL, "rtpsession answers" },
  { "twcc", CAPS_PLAIN, "none", FALSE, NULL, "nobody does" },
  { "tfrc", CAPS_ALL, "tfrc", FALSE, NULL, "and rtpsession must not" },
  { "tfrc", CAPS_PLAIN ",extmap-9=" RA_SEND_TS_URI, "tfrc", FALSE, NULL,
      "RTP's own numbers will do" },
  { "tfrc", CAPS_PLAIN ",extmap-9=(string)<\"\"," RA_SEND_TS_URI ",\"\">",
      "tfrc", FALSE, NULL, "as webrtcbin writes it" },
  { "tfrc", CAPS_TWCC, "twcc", TRUE, "extmap-N=" RA_SEND_TS_URI,
      "falls back to what there is" },
  { "tfrc", CAPS_PLAIN, "none", FALSE, "extmap-N=" RA_SEND_TS_URI,
      "nothing to fall back to" },
  { "ccfb", CAPS_PLAIN, "ccfb", FALSE, NULL, "needs nothing" },
  { "ccfb", CAPS_TWCC, "ccfb", FALSE, NULL, "and rtpsession must not" },
};

static void
test_caps (gconstpointer data)
{
  guint row = GPOINTER_TO_UINT (data);
  g_autofree gchar *properties
      = g_strdup_printf ("feedback=%s", caps_rows[row].feedback);
  g_auto (Recv) r = recv_new (properties, NULL, caps_rows[row].caps);
  g_autoptr (GstCaps) caps = NULL;
  g_autofree gchar *effect = NULL;

  g_test_message ("%s with %s: %s", caps_rows[row].feedback,
      caps_rows[row].caps, caps_rows[row].why);
  effect = stat_text (&r, "feedback");
  g_assert_cmpstr (effect, ==, caps_rows[row].effect);
  caps = gst_pad_get_current_caps (r.in->sinkpad);
  g_assert_cmpint (
      extmap_id (gst_caps_get_structure (caps, 0), EXTMAP_TWCC_URI) > 0, ==,
      caps_rows[row].number_out);
  g_assert_true (
      gst_structure_has_field (gst_caps_get_structure (caps, 0), "clock-rate"));
  if (caps_rows[row].warning) {
    warning_expect (&r, caps_rows[row].warning);
    /* once */
    gst_harness_set_src_caps_str (r.in, CAPS_TWCC ",a=1");
    gst_harness_set_src_caps_str (r.in, caps_rows[row].caps);
  }
  nothing_said (&r);
}

/* Every LDA with every feedback: only what cannot work is warned of. */
static void
test_lda_lacks (void)
{
  static const struct
  {
    const gchar *feedback, *caps;
  } rows[] = {
    { "twcc", CAPS_TFRC },
    { "ccfb", CAPS_TFRC },
    { "tfrc", CAPS_TFRC },
    { "tfrc", CAPS_ALL },
  };

  for (guint i = 0; ra_ldas[i]; i++) {
    for (guint row = 0; row < G_N_ELEMENTS (rows); row++) {
      const gchar *name = ra_ldas[i]->name;
      g_autofree gchar *properties
          = g_strdup_printf ("feedback=%s lda=%s", rows[row].feedback, name);
      gboolean blind
          = g_str_equal (name, "omniscient") || g_str_equal (name, "ll");
      g_auto (Recv) r = recv_new (properties, NULL, rows[row].caps);

      if (row >= 2 && blind)
        warning_expect (&r, "set feedback=twcc or ccfb");
      if (row == 2 && g_str_equal (name, "wled"))
        warning_expect (&r, "extmap-N=" RA_COLOUR_EXT_URI);
      nothing_said (&r);
    }
  }
}

/* The sender begins to send rtt-sendts, and stops again. */
static void
test_caps_change (void)
{
  static const struct
  {
    const gchar *caps, *effect;
  } steps[] = {
    { CAPS_TFRC, "tfrc" },
    { CAPS_TWCC, "twcc" },
    { CAPS_ALL, "tfrc" },
  };
  g_auto (Recv) r = recv_new ("feedback=tfrc", SESSION, CAPS_TWCC);

  r.timers = 1;
  push (&r, (Packet){ .seq = 0 });
  for (guint i = 0; i < G_N_ELEMENTS (steps); i++) {
    g_autofree gchar *effect = NULL;

    gst_harness_set_src_caps_str (r.in, steps[i].caps);
    effect = stat_text (&r, "feedback");
    g_assert_cmpstr (effect, ==, steps[i].effect);
    r.timers = g_str_equal (steps[i].effect, "tfrc") ? 2 : 1;
    if (r.timers == 2)
      first_report (
          &r, (Packet){ .seq = (guint16) (i + 1), STAMPED }, RA_TFRC_FB_FMT);
  }
  g_assert_cmpint (stat (&r, "packets"), ==, 3); /* the counters go on */
  warning_expect (&r, RA_SEND_TS_URI);
}

/* A report that nobody took is not due any more when it is not ours to send: the
 * timer has nothing left to do. */
static void
test_caps_change_due (void)
{
  g_auto (Recv) r = recv_new ("feedback=tfrc", NULL, CAPS_TFRC);

  r.timers = 1;
  push (&r, (Packet){ .seq = 0, STAMPED });
  advance_to (&r, START + 2 * R);
  gst_harness_set_src_caps_str (r.in, CAPS_TWCC);
  r.timers = 0;
  step (&r, GST_CLOCK_TIME_NONE);
  g_assert_cmpuint (gst_test_clock_peek_id_count (r.clock), ==, 0);
}

/* Caps without an id say nothing of the packets' numbers: a later id holds, and goes on to
 * rtpsession.  30 packets in 2 s are judged. */
static void
test_caps_change_judged (void)
{
  g_auto (Recv) r = recv_new ("feedback=twcc", NULL, CAPS_PLAIN);
  g_autoptr (GstCaps) caps = NULL;

  r.timers = 0;
  for (guint16 i = 0; i < 31; i++) {
    push (&r, (Packet){ .seq = i });
    advance_to (&r, time_now (&r) + 100 * MS);
  }
  gst_harness_set_src_caps_str (r.in, CAPS_TWCC);
  caps = gst_pad_get_current_caps (r.in->sinkpad);
  g_assert_cmpuint (
      extmap_id (gst_caps_get_structure (caps, 0), EXTMAP_TWCC_URI), ==, 1);
}

/* --- what the receiver takes --------------------------------------------- */

/* The flags that an APP in the next RTCP packets says, or -1.  Those are
 * 2.5 s apart at least. */
static gint
takes_next (Recv *r)
{
  GstRTCPBuffer rtcp = GST_RTCP_BUFFER_INIT;
  GstRTCPPacket packet;
  gint flags = -1;

  for (guint i = 0; flags < 0 && i < 5; i++) {
    g_autoptr (GstBuffer) buffer = NULL;

    while (!(buffer = rtcp_try (r)))
      g_assert_true (step (r, GST_CLOCK_TIME_NONE));
    if (rtcp_find (buffer, &rtcp, &packet, GST_RTCP_TYPE_APP, 0))
      flags = GST_READ_UINT16_BE (gst_rtcp_packet_app_get_data (&packet) + 2);
    gst_rtcp_buffer_unmap (&rtcp);
  }
  return flags;
}

/* What it took it takes back, and repeats that, as RTCP is lost. */
static void
test_takes_back (void)
{
  g_auto (Recv) r = recv_new ("feedback=twcc", SESSION, CAPS_TWCC);

  r.timers = 1;
  push (&r, (Packet){ .seq = 0 });
  g_assert_cmpint (takes_next (&r), ==, -1);
  g_object_set (r.element, "takes-rs", TRUE, NULL);
  g_assert_cmpint (takes_next (&r), ==, RA_TAKES_RS);
  g_object_set (r.element, "takes-rs", FALSE, NULL);
  g_assert_cmpint (takes_next (&r), ==, 0);
  g_assert_cmpint (takes_next (&r), ==, 0);
}

/* --- warnings about the session ----------------------------------------- */

static const struct
{
  const gchar *session; /* NULL: none */
  const gchar *feedback, *warning;
  const gchar *why;
} session_rows[] = {
  { NULL, "tfrc", "no rtpsession", "nobody to send feedback" },
  { NULL, "ccfb", "no rtpsession", "likewise" },
  { NULL, "twcc", NULL, "it is not our business then" },
  { "rtp-profile=avp", "tfrc", "rtp-profile=avpf", "RFC 4585 is not agreed" },
  { "rtp-profile=avp", "twcc", NULL, "not our business" },
  { "rtp-profile=savpf", "ccfb", NULL, "all is well" },
};

static void
test_session (gconstpointer data)
{
  guint row = GPOINTER_TO_UINT (data);
  g_autofree gchar *properties
      = g_strdup_printf ("feedback=%s", session_rows[row].feedback);
  g_auto (Recv) r = recv_new (properties, session_rows[row].session, CAPS_TFRC);

  g_test_message ("%s", session_rows[row].why);
  for (guint16 seq = 0; seq < 3; seq++) {
    g_assert_cmpint (gst_harness_push (r.in,
                         packet_new (&r, (Packet){ .seq = seq, STAMPED })),
        ==, GST_FLOW_OK);
    gst_test_clock_advance_time (r.clock, GST_SECOND);
  }
  if (session_rows[row].warning)
    warning_expect (&r, session_rows[row].warning);
  nothing_said (&r);
}

/* --- what passes -------------------------------------------------------- */

static void
test_buffers (void)
{
  g_auto (Recv) r = recv_new ("feedback=ccfb", NULL, CAPS_ALL);
  g_autoptr (GRand) rand = g_rand_new_with_seed (1);
  guint n = 0;

  for (guint i = 0; i < 20000; i++) {
    gsize len = (gsize) g_rand_int_range (rand, 1, 100);
    guint8 *bytes = g_malloc (len);
    GstBuffer *in, *out;

    for (gsize j = 0; j < len; j++)
      bytes[j] = (guint8) g_rand_int (rand);
    if (i & 1)
      bytes[0] = i & 2 ? 0x80 : 0x90;
    in = gst_buffer_new_wrapped (bytes, len);
    gst_buffer_ref (in);
    g_assert_cmpint (gst_harness_push (r.in, in), ==, GST_FLOW_OK);
    out = gst_harness_try_pull (r.in);
    g_assert_true (out == in);
    gst_buffer_unref (out);
    gst_buffer_unref (in);
    n++;
  }
  g_assert_cmpint (
      stat (&r, "packets") + stat (&r, "not-rtp") + stat (&r, "rtcp"), ==, n);
  g_assert_cmpint (stat (&r, "packets"), >, 1000);
  g_assert_cmpint (stat (&r, "not-rtp"), >, 1000);
  g_assert_cmpint (stat (&r, "rtcp"), >, 1000);
}

static guint lists;

static GstPadProbeReturn
count_lists (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  lists++;
  return GST_PAD_PROBE_OK;
}

static void
test_lists (void)
{
  g_auto (Recv) r = recv_new ("", NULL, CAPS_ALL);
  g_autoptr (GstPad) src = gst_element_get_static_pad (r.element, "src");

  lists = 0;
  gst_pad_add_probe (
      src, GST_PAD_PROBE_TYPE_BUFFER_LIST, count_lists, NULL, NULL);
  for (guint i = 0; i < 10; i++) {
    GstBufferList *list = gst_buffer_list_new ();

    for (guint j = 0; j < 7; j++)
      gst_buffer_list_add (
          list, packet_new (&r, (Packet){ .seq = (guint16) (7 * i + j) }));
    g_assert_cmpint (gst_pad_push_list (r.in->srcpad, list), ==, GST_FLOW_OK);
  }
  g_assert_cmpuint (lists, ==, 10);
  g_assert_cmpint (stat (&r, "packets"), ==, 70);
  g_assert_cmpint (stat (&r, "expected"), ==, 70);
}

/* What is downstream says goes back. */
static void
test_latency (void)
{
  g_auto (Recv) r = recv_new ("", NULL, CAPS_ALL);
  g_autoptr (GstPad) src = gst_element_get_static_pad (r.element, "src");
  g_autoptr (GstQuery) query = gst_query_new_latency ();
  GstClockTime min, max;
  gboolean live;

  gst_harness_set_upstream_latency (r.in, 33 * MS);
  g_assert_true (gst_pad_query (src, query));
  gst_query_parse_latency (query, &live, &min, &max);
  g_assert_cmpuint (min, ==, 33 * MS);
  g_assert_true (live);
}

/* --- what may happen ---------------------------------------------------- */

/* Neither the timer nor what it measures stumbles over a flush; after EOS there
 * is no timer. */
static void
test_flush_eos (void)
{
  g_auto (Recv) r = recv_new ("feedback=tfrc", SESSION, CAPS_TFRC);

  first_report (&r, (Packet){ .seq = 0, STAMPED }, RA_TFRC_FB_FMT);
  flush_send (r.in->srcpad);
  push (&r, (Packet){ .seq = 1, STAMPED });
  advance_to (&r, time_now (&r) + 50 * MS);
  g_assert_cmpint (stat (&r, "packets"), ==, 2);
  g_assert_cmpint (stat (&r, "reports-sent"), ==, 2);

  push (&r, (Packet){ .seq = 2, STAMPED });
  g_assert_true (gst_harness_push_event (r.in, gst_event_new_eos ()));
  wait_until (gst_test_clock_peek_id_count (r.clock) <= 1);
}

/* An appsrc has a segment of bytes where its format was not set. */
static void
test_segment_of_bytes (void)
{
  g_auto (Recv) r = recv_new ("feedback=tfrc", SESSION, CAPS_TFRC);
  GstSegment segment;

  gst_segment_init (&segment, GST_FORMAT_BYTES);
  g_assert_true (
      gst_harness_push_event (r.in, gst_event_new_segment (&segment)));
  first_report (&r, (Packet){ .seq = 0, STAMPED }, RA_TFRC_FB_FMT);
  g_assert_cmpint (stat (&r, "packets"), ==, 1);
}

typedef GstClock Bare;
typedef GstClockClass BareClass;
GType bare_get_type (void);
G_DEFINE_TYPE (Bare, bare, GST_TYPE_CLOCK)

static GstClockTime
bare_time (GstClock *clock)
{
  g_autoptr (GstClock) system = gst_system_clock_obtain ();

  return gst_clock_get_time (system);
}

static void
bare_class_init (BareClass *klass)
{
  GST_CLOCK_CLASS (klass)->get_internal_time = bare_time;
}

static void
bare_init (Bare *clock)
{
}

/* The clock of an application has no timers: reports do not wait for packets. */
static void
test_bare_clock (void)
{
  g_auto (Recv) r = recv_new ("feedback=tfrc", SESSION, CAPS_TFRC);
  g_autoptr (GstClock) clock
      = gst_object_ref_sink (g_object_new (bare_get_type (), NULL));

  gst_element_set_clock (r.element, clock);
  first_report (&r, (Packet){ .seq = 0, STAMPED }, RA_TFRC_FB_FMT);
  push (&r, (Packet){ .seq = 1, STAMPED });
  advance_to (&r, time_now (&r) + 50 * MS);
  g_assert_cmpint (stat (&r, "reports-sent"), ==, 2);
}

/* A pipeline on the system's clock, up and down. */
static void
test_states (void)
{
  g_autoptr (GstElement) pipeline = gst_parse_launch (
      "appsrc name=in is-live=true format=time do-timestamp=true ! "
      "rtpadaptrecv name=r feedback=tfrc stats-interval=1000000 "
      "loss-messages=true ! s.recv_rtp_sink rtpsession name=s " SESSION
      " s.recv_rtp_src ! fakesink sync=false async=false "
      "s.send_rtcp_src ! fakesink sync=false async=false",
      NULL);
  g_autoptr (GstElement) in = gst_bin_get_by_name (GST_BIN (pipeline), "in");
  Recv r = { .element = gst_bin_get_by_name (GST_BIN (pipeline), "r"),
    .clock = GST_TEST_CLOCK (gst_test_clock_new ()) };
  g_autoptr (GstCaps) caps = gst_caps_from_string (CAPS_TFRC);

  g_object_set (in, "caps", caps, NULL);
  for (guint i = 0; i < 100; i++) {
    GstFlowReturn flow;

    gst_element_set_state (pipeline, GST_STATE_PLAYING);
    /* One is lost. */
    for (guint j = 0; j < 19; j++) {
      g_autoptr (GstBuffer) buffer = packet_new (
          &r, (Packet){ .seq = (guint16) (j < 6 ? j : j + 1), STAMPED });

      g_signal_emit_by_name (in, "push-buffer", buffer, &flow);
    }
    if (i % 10 == 0)
      wait_until (stat (&r, "packets") == 19);
    gst_element_set_state (pipeline, i & 1 ? GST_STATE_READY : GST_STATE_NULL);
  }
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_object_unref (r.clock);
  gst_object_unref (r.element);
}

/* The session goes while a report is due, another one comes. */
static void
test_another_session (void)
{
  g_auto (Recv) r = recv_new ("feedback=tfrc", SESSION, CAPS_TFRC);

  first_report (&r, (Packet){ .seq = 0, STAMPED }, RA_TFRC_FB_FMT);
  push (&r, (Packet){ .seq = 1, STAMPED });
  session_free (&r);
  gst_harness_push (r.in, packet_new (&r, (Packet){ .seq = 2, STAMPED }));
  r.timers = 1;
  advance_to (&r, time_now (&r) + GST_SECOND);
  g_assert_cmpint (stat (&r, "reports-sent"), ==, 1);

  session_new (&r, SESSION);
  r.timers = 2;
  first_report (&r, (Packet){ .seq = 3, STAMPED }, RA_TFRC_FB_FMT);
  g_assert_cmpint (stat (&r, "reports-sent"), ==, 2);
}

/* We go first, and what the session calls back is not there any more. */
static void
test_session_stays (void)
{
  Recv r = recv_new ("feedback=tfrc", SESSION, CAPS_TFRC);
  gboolean ok;

  first_report (&r, (Packet){ .seq = 0, STAMPED }, RA_TFRC_FB_FMT);
  gst_harness_teardown (r.in);
  gst_element_set_state (r.element, GST_STATE_NULL);
  gst_element_set_bus (r.element, NULL);
  gst_bus_set_flushing (r.bus, TRUE); /* messages hold what posted them */
  g_object_add_weak_pointer (G_OBJECT (r.element), (gpointer *) &r.element);
  gst_object_unref (r.element);
  wait_until (r.element == NULL);
  g_signal_emit_by_name (
      r.internal, "send-rtcp-full", (guint64) GST_SECOND, &ok);
  r.timers = 1;
  advance_to (&r, time_now (&r) + 10 * GST_SECOND);
  session_free (&r);
  gst_object_unref (r.bus);
  gst_system_clock_set_default (NULL);
  gst_object_unref (r.clock);
}

/* --- settings and messages ---------------------------------------------- */

static void
test_lda (void)
{
  g_auto (Recv) r = recv_new ("lda=spike lda-params=alpha=.4", NULL, CAPS_ALL);
  gchar *text;
  gint value;

  r.timers = 0;
  push (&r, (Packet){ .seq = 0 });
  g_object_get (r.element, "lda-params", &text, NULL);
  g_assert_cmpstr (text, ==, "alpha=.4");
  g_free (text);
  gst_util_set_object_arg (G_OBJECT (r.element), "lda", "biaz");
  g_object_get (r.element, "lda-params", &text, NULL);
  g_assert_cmpstr (text, ==, "");
  g_free (text);
  g_object_set (r.element, "lda-params", "nonsense=1", NULL);
  warning_expect (&r, "goes on as it was");
  text = stat_text (&r, "lda");
  g_assert_cmpstr (text, ==, "biaz");
  g_free (text);
  g_object_get (r.element, "lda", &value, NULL);
  push (&r, (Packet){ .seq = 1 });
}

/* Parameters that are bad from the beginning. */
static void
test_bad_params (void)
{
  g_auto (Recv) r = recv_new ("lda=zbs lda-params=nonsense=1", NULL, CAPS_ALL);

  r.timers = 0;
  warning_expect (&r, "Default parameters");
  push (&r, (Packet){ .seq = 0 });
  g_assert_cmpint (stat (&r, "packets"), ==, 1);
}

static void
test_stats_messages (void)
{
  g_auto (Recv) r = recv_new ("", NULL, CAPS_ALL);
  GstMessage *message;
  guint64 time;

  r.timers = 0;
  push (&r, (Packet){ .seq = 0 });
  g_object_set (r.element, "stats-interval", 100 * MS, NULL);
  r.timers = 1;
  for (guint i = 1; i <= 3; i++) {
    advance_to (&r, START + i * 100 * MS);
    message = message_expect (&r, "application/x-rtpadaptrecv-stats");
    g_assert_true (gst_structure_get_uint64 (
        gst_message_get_structure (message), "time", &time));
    g_assert_cmpuint (time, ==, START + i * 100 * MS);
    gst_message_unref (message);
  }
}

static const struct
{
  guint8 green, yellow; /* DSCP as it came */
  const gchar *fate;
  gboolean told;
  const gchar *why;
} dscp_rows[] = {
  { 34, 36, "intact", FALSE, "AF41 and AF42" },
  { 0, 0, "bleached", TRUE, "somebody cleared it" },
  { 34, 34, "remarked", TRUE, "somebody made one of two" },
};

static void
test_dscp (gconstpointer data)
{
  guint row = GPOINTER_TO_UINT (data);
  g_auto (Recv) r = recv_new ("", NULL, CAPS_ALL);
  GstMessage *message;
  g_autofree gchar *fate = NULL;

  g_test_message ("%s", dscp_rows[row].why);
  r.timers = 0;
  for (guint16 seq = 0; seq < 1000; seq++) {
    guint8 dscp = seq & 1 ? dscp_rows[row].yellow : dscp_rows[row].green;

    push (&r,
        (Packet){ .seq = seq,
            .mark = seq & 1 ? RA_MARK_YELLOW : RA_MARK_GREEN,
            .n = seq / 2,
            .has_tos = TRUE,
            .tos = (guint8) (dscp << 2) });
  }
  fate = stat_text (&r, "dscp");
  g_assert_cmpstr (fate, ==, dscp_rows[row].fate);
  g_assert_cmpint (stat (&r, "green"), ==, 500);
  g_assert_cmpint (stat (&r, "yellow"), ==, 500);
  if (dscp_rows[row].told) {
    message = message_expect (&r, "rtpadapt-dscp");
    g_assert_cmpstr (
        gst_structure_get_string (gst_message_get_structure (message), "dscp"),
        ==, dscp_rows[row].fate);
    gst_message_unref (message);
  }
  nothing_said (&r);
}

void
tests_add (void)
{
  rows_add ("/rtpadaptrecv/caps", caps_rows, test_caps);
  g_test_add_func ("/rtpadaptrecv/lda-lacks", test_lda_lacks);
  g_test_add_func ("/rtpadaptrecv/caps-change", test_caps_change);
  g_test_add_func ("/rtpadaptrecv/caps-change/due", test_caps_change_due);
  g_test_add_func ("/rtpadaptrecv/caps-change/judged", test_caps_change_judged);
  g_test_add_func ("/rtpadaptrecv/takes-back", test_takes_back);
  rows_add ("/rtpadaptrecv/session", session_rows, test_session);
  g_test_add_func ("/rtpadaptrecv/buffers", test_buffers);
  g_test_add_func ("/rtpadaptrecv/lists", test_lists);
  g_test_add_func ("/rtpadaptrecv/latency", test_latency);
  g_test_add_func ("/rtpadaptrecv/flush-eos", test_flush_eos);
  g_test_add_func ("/rtpadaptrecv/segment-of-bytes", test_segment_of_bytes);
  g_test_add_func ("/rtpadaptrecv/bare-clock", test_bare_clock);
  g_test_add_func ("/rtpadaptrecv/states", test_states);
  g_test_add_func ("/rtpadaptrecv/another-session", test_another_session);
  g_test_add_func ("/rtpadaptrecv/session-stays", test_session_stays);
  g_test_add_func ("/rtpadaptrecv/lda", test_lda);
  g_test_add_func ("/rtpadaptrecv/bad-params", test_bad_params);
  g_test_add_func ("/rtpadaptrecv/stats-messages", test_stats_messages);
  rows_add ("/rtpadaptrecv/dscp", dscp_rows, test_dscp);
}
