/* rtpadaptsend: the circuit breakers of RFC 8083, as an application meets them.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "../trust/trust.h"
#include "send-twcc.h"

/* A warning that sending has stopped. */
static gboolean
is_stop (GstMessage *m)
{
  g_autoptr (GError) error = NULL;

  if (GST_MESSAGE_TYPE (m) != GST_MESSAGE_WARNING)
    return FALSE;
  gst_message_parse_warning (m, &error, NULL);
  return g_error_matches (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_FAILED);
}

/* The next rtpadapt-breaker message, which has to come, and the number of such
 * warnings before it. */
static gchar *
breaker_message (Send *s, guint *n_warnings)
{
  *n_warnings = 0;
  for (;;) {
    g_autoptr (GstMessage) m = gst_bus_timed_pop_filtered (s->bus,
        PATIENCE * GST_USECOND, GST_MESSAGE_ELEMENT | GST_MESSAGE_WARNING);
    const GstStructure *fields;
    gchar *text = NULL;

    g_assert_nonnull (m);
    fields = gst_message_get_structure (m);
    *n_warnings += is_stop (m);
    if (gst_structure_has_name (fields, "rtpadapt-breaker"))
      text = g_strdup_printf ("%s %s",
          gst_structure_get_string (fields, "breaker"),
          gst_structure_get_string (fields, "state"));
    if (text)
      return text;
  }
}

/* What holds the rate, and that the receiver was heard `ago`, ns; -1: never. */
static void
check_limit (Send *s, const gchar *limit, gint64 ago)
{
  g_autofree gchar *is = stats_text (s->element, "limit");

  g_assert_cmpstr (is, ==, limit);
  g_assert_cmpint (stat (s, "heard-ago"), ==, ago);
}

/* A packet a second, never an answer: RFC 8083 4.1 ends it after 15 s. */
static void
trip_no_feedback (Send *s)
{
  GstClockTime start = time_now (s);
  g_autofree gchar *tripped = NULL;
  guint n_warnings;

  for (guint i = 0; i < 15; i++) {
    push_frame (s, i, 1);
    pull_paced (s);
    if (i < 14)
      gst_test_clock_advance_time (s->clock, GST_SECOND);
  }
  crank (s);
  g_assert_cmpuint (time_now (s), ==, start + 15 * GST_SECOND);
  tripped = breaker_message (s, &n_warnings);
  g_assert_cmpstr (tripped, ==, "rtcp-timeout open");
  g_assert_cmpuint (n_warnings, ==, 1);
  g_assert_cmpuint (get_uint (s, "estimated-bitrate"), ==, 0);
}

static void
on_notify (GObject *object, GParamSpec *pspec, gpointer last)
{
  guint rate;

  g_object_get (object, "estimated-bitrate", &rate, NULL);
  g_atomic_int_set ((gint *) last, (gint) rate);
}

/* It says so, drops and counts what comes, and begins again when told, with a
 * key frame for what was dropped. */
static void
test_no_feedback (void)
{
  g_auto (Send) s = send_new ("controller=fixed start-bitrate=1000000");
  GstClockTime start = time_now (&s), stopped;
  g_autofree gchar *restarted = NULL;
  guint n_warnings;
  gint notified = -1;

  g_signal_connect (s.element, "notify::estimated-bitrate",
      G_CALLBACK (on_notify), &notified);
  check_limit (&s, "start", -1);
  trip_no_feedback (&s);
  check_limit (&s, "breaker", -1);
  stopped = time_now (&s) - start;
  wait_until (g_atomic_int_get (&notified) == 0);

  upstream_events (&s, "");
  push_frame (&s, 15, 3);
  wait_until (stat (&s, "ceased") == 3);
  g_assert_cmpuint (gst_harness_buffers_in_queue (s.h), ==, 0);

  g_signal_emit_by_name (s.element, "restart");
  restarted = breaker_message (&s, &n_warnings);
  g_assert_cmpstr (restarted, ==, "none closed");
  wait_until (g_atomic_int_get (&notified) == 1000000);
  g_assert_cmpuint (upstream_events (&s, "GstForceKeyUnit"), ==, 0);
  push_frame (&s, 16, 1);
  pull_paced (&s);
  push_frame (&s, 17, 1);
  pull_paced (&s);
  g_assert_cmpuint (upstream_events (&s, "GstForceKeyUnit"), ==, 1);
  g_assert_cmpint (stat (&s, "ceased"), ==, 3);
  trust_row ("flood", "5 no feedback at all",
      "sending ends 15 s after the start (RFC 8083 4.1), till the user or the "
      "receiver wants it",
      stopped == 15 * GST_SECOND, "at %.1f s, all %d packets after it dropped",
      (gdouble) stopped / GST_SECOND, (gint) stat (&s, "ceased"));
}

/* What is no packet passes, in order, and those who wait for the packets before
 * it need not wait. */
static void
test_events_while_open (void)
{
  g_auto (Send) s = send_new ("controller=fixed start-bitrate=1000000");
  GstQuery *drain = gst_query_new_drain ();
  GstEventType type = GST_EVENT_UNKNOWN;

  trip_no_feedback (&s);
  push_frame (&s, 15, 3);
  gst_pad_peer_query (s.h->srcpad, drain);
  gst_query_unref (drain);
  g_assert_cmpint (stat (&s, "ceased"), ==, 3);
  push_frame (&s, 16, 3);
  g_assert_true (gst_harness_push_event (s.h, gst_event_new_eos ()));
  while (type != GST_EVENT_EOS) {
    g_autoptr (GstEvent) event = gst_harness_pull_event (s.h);

    g_assert_nonnull (event);
    type = GST_EVENT_TYPE (event);
  }
  g_assert_cmpint (stat (&s, "ceased"), ==, 6);
  g_assert_cmpuint (gst_harness_buffers_in_queue (s.h), ==, 0);
}

static guint
breaker_messages_so_far (Send *s)
{
  GstMessage *m;
  guint n = 0;

  while ((m = gst_bus_pop_filtered (s->bus, GST_MESSAGE_ELEMENT))) {
    n += gst_message_has_name (m, "rtpadapt-breaker");
    gst_message_unref (m);
  }
  return n;
}

static void
stream_begins (Send *s)
{
  gst_harness_push_event (s->h, gst_event_new_stream_start ("again"));
  gst_harness_set_src_caps_str (s->h, "application/x-rtp");
  segment_send (s->h->srcpad);
}

/* Neither is news of the path. */
static void
test_flush_and_pause (void)
{
  g_auto (Send) s = send_new ("controller=fixed start-bitrate=1000000");

  trip_no_feedback (&s);
  flush_send (s.h->srcpad);
  push_frame (&s, 20, 2);
  wait_until (stat (&s, "ceased") == 2);
  gst_element_set_state (s.element, GST_STATE_PAUSED);
  gst_element_set_state (s.element, GST_STATE_PLAYING);
  push_frame (&s, 21, 2);
  wait_until (stat (&s, "ceased") == 4);
  g_assert_cmpuint (get_uint (&s, "estimated-bitrate"), ==, 0);
  g_assert_cmpuint (gst_harness_buffers_in_queue (s.h), ==, 0);
  g_assert_cmpuint (breaker_messages_so_far (&s), ==, 0);
}

/* A new start knows nothing of the last one's breaker, and tells its own. */
static void
test_new_start (void)
{
  g_auto (Send) s = send_new ("controller=fixed start-bitrate=1000000");

  trip_no_feedback (&s);
  gst_element_set_state (s.element, GST_STATE_READY);
  g_assert_cmpuint (get_uint (&s, "estimated-bitrate"), ==, 1000000);
  gst_element_set_state (s.element, GST_STATE_PLAYING);
  stream_begins (&s);
  trip_no_feedback (&s);
  g_assert_cmpuint (breaker_messages_so_far (&s), ==, 0);
  g_assert_cmpint (stat (&s, "ceased"), ==, 0);
}

/* --- loss ------------------------------------------------------------------ */

#define PER_FRAME 20 /* packets, each 100 ms: 1.92 Mbit/s */

/* Sends frame `i`, of `n` packets, and hears of the one two before: a tenth was
 * lost, to the radio, says the truth.  TRUE once something changed. */
static gboolean
lossy_frame (Send *s, guint i, guint n)
{
  guint before = get_uint (s, "estimated-bitrate");
  GstClockTime next = time_now (s) + 100 * GST_MSECOND;

  send_paced (s, i, n);
  for (guint j = 5; j < n; j += 10)
    truth (s, SSRC, (i * n + j) & 0xffff, "wireless");
  if (time_now (s) < next)
    gst_test_clock_set_time (s->clock, next);
  if (i >= 2) {
    guint from = (i - 2) * n;
    gint lost[] = { (gint) from + 5, n > 15 ? (gint) from + 15 : -1, -1 };

    feedback (s, from, from + n, 0, lost);
  }
  return get_uint (s, "estimated-bitrate") != before;
}

/* RFC 8083 4.3 with s = 1,200 bytes, p = .1 and a round trip of 254 ms (from
 * the last packet of a frame, 46 ms after the frame begins, to 300 ms):
 * X = 1200 / (.254 sqrt (.2 / 3)) = 18,300 bytes/s = 146 kbit/s, and 1.92
 * Mbit/s is more than ten times that.  Who does not obey (no cap, a fixed rate
 * of 4 Mbit/s) falls to a tenth of it, once four intervals (CB_INTERVAL is 3)
 * of 1 s ended: then no verdict counts any more.  The 400 kbit/s are still
 * more than the path can bear, as frames now take 480 ms: it ends. */
static void
test_congestion (void)
{
  g_auto (Send) s
      = send_new ("controller=fixed start-bitrate=4000000 lda=omniscient "
                  "friendliness-cap=0 max-backlog=60000000000");
  g_autofree gchar *fallback = NULL, *open = NULL;
  guint n_warnings, i = 0;
  gint64 wireless;

  while (!lossy_frame (&s, i++, PER_FRAME))
    g_assert_cmpuint (i, <, 100);
  g_assert_cmpuint (time_now (&s), >=, START + 4 * GST_SECOND);
  g_assert_cmpuint (get_uint (&s, "estimated-bitrate"), ==, 400000);
  check_limit (&s, "fallback", 0);
  gst_test_clock_advance_time (s.clock, 7 * GST_MSECOND);
  check_limit (&s, "fallback", 7 * GST_MSECOND);
  fallback = breaker_message (&s, &n_warnings);
  g_assert_cmpstr (fallback, ==, "congestion fallback");
  g_assert_cmpuint (n_warnings, ==, 0);
  wireless = stat (&s, "wireless-losses");
  g_assert_cmpint (wireless, >, 60);
  g_assert_cmpint (stat (&s, "congestion-losses"), ==, 0);
  g_assert_cmpint (stat (&s, "misread-wireless"), ==, 0);

  while (get_uint (&s, "estimated-bitrate") > 0) {
    lossy_frame (&s, i++, PER_FRAME);
    g_assert_cmpuint (i, <, 300);
  }
  open = breaker_message (&s, &n_warnings);
  g_assert_cmpstr (open, ==, "congestion open");
  g_assert_cmpuint (n_warnings, ==, 1);
  g_assert_cmpint (stat (&s, "congestion-losses"), >, 0);
  /* The LDA is still right, and heard, but not believed. */
  g_assert_cmpint (stat (&s, "misread-wireless"), ==, 0);
  g_assert_cmpint (stat (&s, "known-wireless"), ==,
      stat (&s, "wireless-losses") + stat (&s, "congestion-losses"));
  g_assert_cmpint (stat (&s, "wireless-losses"), >=, wireless);
}

/* With the default cap the same path trips nothing: 9 X instead of 10, also
 * below min-bitrate; and restart is no way around it.  Frames of 10 packets that
 * leave at once have a round trip of 300 ms each, in which no queue shows: X =
 * 1200 / (.3 sqrt (.2 / 3)) = 15,500 bytes/s, and 9 X = 1.1 Mbit/s is more than
 * their .96. */
static void
test_cap (void)
{
  g_auto (Send) s
      = send_new ("controller=fixed start-bitrate=4000000 lda=omniscient "
                  "min-bitrate=4000000 burst=500000000 "
                  "max-backlog=60000000000");
  gint64 friendly, rate;

  gst_test_clock_advance_time (s.clock, GST_SECOND); /* earns the first burst */
  for (guint i = 0; i < 30; i++)
    lossy_frame (&s, i, 10);
  friendly = stat (&s, "friendly-bitrate");
  g_assert_cmpint (friendly, <, 4000000 / 9);
  rate = get_uint (&s, "estimated-bitrate");
  g_assert_cmpint (rate, <=, 9 * friendly + 9);
  /* Losses at an empty queue: a step of a quarter looks whether they follow the
   * rate (safety/evidence.h). */
  g_assert_cmpint (rate, >=, 9 * friendly * 3 / 4 - 9);
  g_signal_emit_by_name (s.element, "restart");
  g_assert_cmpint (stat (&s, "friendly-bitrate"), ==, friendly);
  g_assert_cmpuint (breaker_messages_so_far (&s), ==, 0);
}

/* Who sends into the blue on purpose. */
static void
test_disabled (void)
{
  g_auto (Send) s = send_new (
      "controller=fixed start-bitrate=1000000 circuit-breakers=false");

  for (guint i = 0; i < 40; i++) {
    push_frame (&s, i, 1);
    pull_packet (&s);
    gst_test_clock_advance_time (s.clock, GST_SECOND);
  }
  g_assert_cmpuint (get_uint (&s, "estimated-bitrate"), ==, 1000000);
  g_assert_cmpint (stat (&s, "ceased"), ==, 0);
}

/* Switched off while open, it sends again. */
static void
test_switched_off (void)
{
  g_auto (Send) s = send_new ("controller=fixed start-bitrate=1000000");

  trip_no_feedback (&s);
  g_object_set (s.element, "circuit-breakers", FALSE, NULL);
  push_frame (&s, 16, 1);
  pull_packet (&s);
  g_assert_cmpuint (get_uint (&s, "estimated-bitrate"), ==, 1000000);
}

void
tests_add (void)
{
  g_test_add_func ("/rtpadaptsend/breaker/no-feedback", test_no_feedback);
  g_test_add_func (
      "/rtpadaptsend/breaker/events-while-open", test_events_while_open);
  g_test_add_func (
      "/rtpadaptsend/breaker/flush-and-pause", test_flush_and_pause);
  g_test_add_func ("/rtpadaptsend/breaker/new-start", test_new_start);
  g_test_add_func ("/rtpadaptsend/breaker/congestion", test_congestion);
  g_test_add_func ("/rtpadaptsend/breaker/cap", test_cap);
  g_test_add_func ("/rtpadaptsend/breaker/disabled", test_disabled);
  g_test_add_func ("/rtpadaptsend/breaker/switched-off", test_switched_off);
}
