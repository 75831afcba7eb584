/* rtpadaptsend: pacing, backlog, and what a stream may do to it.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * At 960 kbit/s a packet of 1,200 bytes takes 1200 * 8 / 960000 = 10 ms.
 */
#include "send-fixture.h"
#include "../rows.h"

#include <gst/video/video.h>

#define FIXED "controller=fixed start-bitrate=960000 "
#define PACKET_TIME (10 * GST_MSECOND)

/* --- pacing ------------------------------------------------------------- */

/* A bucket of `burst` holds rate * burst bytes; a packet may go while it is not
 * below 0, so that after idleness 1 + floor (burst / 10 ms) leave at once
 * (burst 5 ms: 600 bytes, the first packet takes it to -600), and the next one
 * comes when it is back at 0. */
static const struct
{
  const gchar *name, *burst;
  guint at_once;    /* packets that leave at START */
  GstClockTime gap; /* from START to the next one */
  const gchar *why;
} pacing_rows[] = {
  { "burst-0", "burst=0", 1, 10 * GST_MSECOND, "the first leaves at once" },
  { "default", "", 1, 9 * GST_MSECOND, "1 ms: 120 - 1,200 bytes are 9 ms" },
  { "burst-5ms", "burst=5000000", 1, 5 * GST_MSECOND, "-600 bytes are 5 ms" },
  { "burst-10ms", "burst=10000000", 2, 10 * GST_MSECOND,
      "1,200 - 2 * 1,200 bytes are 10 ms" },
  { "burst-25ms", "burst=25000000", 3, 5 * GST_MSECOND,
      "3,000 - 3 * 1,200 bytes are 5 ms" },
};

static void
test_pacing (gconstpointer data)
{
  guint row = GPOINTER_TO_UINT (data);
  g_autofree gchar *properties
      = g_strconcat (FIXED, pacing_rows[row].burst, NULL);
  g_auto (Send) s = send_new (properties);
  GstClockTime expected;
  guint first = pacing_rows[row].at_once;

  g_test_message ("%s", pacing_rows[row].why);
  /* The bucket fills before the first packet comes. */
  gst_test_clock_advance_time (s.clock, GST_SECOND);
  send_paced (&s, 0, 20);
  expected = START + GST_SECOND;
  for (guint i = 0; i < 20; i++) {
    GstClockTime t = g_array_index (s.times, GstClockTime, i);

    if (i >= first)
      expected += i == first ? pacing_rows[row].gap : PACKET_TIME;
    /* The pacer rounds up to the next ns, each time. */
    g_assert_cmpuint (t, >=, expected);
    g_assert_cmpuint (t, <=, expected + 20);
  }
  g_assert_cmpint (stat (&s, "packets-sent"), ==, 20);
  g_assert_cmpint (stat (&s, "bytes-sent"), ==, 20 * 1200);
}

/* A packet that comes while the task waits for nothing leaves at once. */
static void
test_idle (void)
{
  g_auto (Send) s = send_new (FIXED "burst=0");

  for (guint i = 0; i < 5; i++) {
    push_packet (&s, i);
    g_assert_cmpuint (pull_packet (&s), ==, i);
    gst_test_clock_advance_time (s.clock, GST_SECOND);
  }
}

/* A new limit reaches the packet that is being waited for: the first took the
 * bucket to -1,200 bytes, which are 2.5 ms at first, 10 ms at a quarter. */
static void
test_new_rate (void)
{
  g_auto (Send) s = send_new ("controller=fixed start-bitrate=3840000 burst=0");

  push_frame (&s, 0, 2);
  pull_packet (&s);
  gst_test_clock_wait_for_next_pending_id (s.clock, NULL);
  g_assert_cmpuint (
      gst_test_clock_get_next_entry_time (s.clock) - START - 2500 * GST_USECOND,
      <=, 1);
  g_object_set (s.element, "max-bitrate", 960000, NULL);
  wait_until (gst_test_clock_peek_id_count (s.clock) == 1
      && gst_test_clock_get_next_entry_time (s.clock) >= START + PACKET_TIME);
  crank (&s);
  pull_packet (&s);
  g_assert_cmpuint (time_now (&s) - START - PACKET_TIME, <=, 1);
}

/* Our time goes on when the pipeline has another clock. */
static void
test_new_clock (void)
{
  g_auto (Send) s = send_new (FIXED "burst=0");
  g_autoptr (GstClock) other
      = gst_test_clock_new_with_start_time (7 * GST_SECOND);

  push_frame (&s, 0, 2);
  pull_packet (&s);
  gst_test_clock_wait_for_next_pending_id (s.clock, NULL);
  gst_element_set_clock (s.element, other);
  g_assert_true (gst_test_clock_crank (GST_TEST_CLOCK (other)));
  pull_packet (&s);
  g_assert_cmpuint (
      gst_clock_get_time (other) - 7 * GST_SECOND - PACKET_TIME, <=, 20);
}

/* --- backlog ------------------------------------------------------------ */

static void
test_backlog (void)
{
  g_auto (Send) s = send_new (FIXED "burst=0 max-backlog=50000000");
  static const guint16 out[] = { 0, 1, 2, 3, 4, 5, 6, 12 };

  push_packet (&s, 0);
  g_assert_cmpuint (pull_packet (&s), ==, 0);
  push_frame (&s, 0, 2);    /* 1, 2: 20 ms */
  push_frame (&s, 3000, 4); /* 3 to 6, begins at 20 ms: 60 ms */
  g_assert_cmpint (stat (&s, "backlog"), ==, 60 * GST_MSECOND);
  push_frame (&s, 6000, 3); /* 7 to 9 begin at 60 ms: dropped */
  g_assert_cmpint (stat (&s, "dropped"), ==, 3);
  g_assert_cmpint (stat (&s, "dropped-frames"), ==, 1);
  g_assert_cmpuint (upstream_events (&s, "GstForceKeyUnit"), ==, 1);
  push_packet (&s, 9000); /* 10: dropped, asks when a second is over */
  g_assert_cmpint (stat (&s, "dropped-frames"), ==, 2);
  g_assert_cmpuint (upstream_events (&s, "GstForceKeyUnit"), ==, 0);
  crank (&s);
  g_assert_cmpuint (pull_packet (&s), ==, 1); /* 50 ms: not beyond it */
  push_frame (&s, 9000, 1); /* 11: the frame began while it was beyond */
  g_assert_cmpint (stat (&s, "dropped"), ==, 5);
  push_frame (&s, 12000, 1); /* 12 */
  for (guint i = 2; i < G_N_ELEMENTS (out); i++) {
    crank (&s);
    g_assert_cmpuint (pull_packet (&s), ==, out[i]);
  }
  g_assert_cmpint (stat (&s, "backlog"), ==, 0);

  crank (&s);
  wait_until (upstream_events (&s, "GstForceKeyUnit") == 1);
  g_assert_cmpuint (time_now (&s), ==, START + GST_SECOND);

  /* A second later a key frame may be asked for at once again. */
  gst_test_clock_advance_time (s.clock, GST_SECOND);
  push_frame (&s, 15000, 8);
  pull_packet (&s);
  push_frame (&s, 18000, 1);
  g_assert_cmpuint (upstream_events (&s, "GstForceKeyUnit"), ==, 1);
}

/* A frame that began in time is cut where 4 * 50 ms are queued: 20 packets are
 * 200 ms, not beyond; the 21st is taken, the 22nd not. */
static void
test_backlog_hard (void)
{
  g_auto (Send) s = send_new (FIXED "burst=0 max-backlog=50000000");

  push_packet (&s, 0);
  pull_packet (&s);
  push_frame (&s, 0, 39);
  g_assert_cmpint (stat (&s, "backlog"), ==, 210 * GST_MSECOND);
  g_assert_cmpint (stat (&s, "dropped"), ==, 39 - 21);
  g_assert_cmpint (stat (&s, "dropped-frames"), ==, 1);
  g_assert_cmpuint (upstream_events (&s, "GstForceKeyUnit"), ==, 1);
}

/* --- what a stream may do ------------------------------------------------ */

static guint
eos_events (Send *s)
{
  GstEvent *event;
  guint n = 0;

  while ((event = gst_harness_try_pull_event (s->h))) {
    n += GST_EVENT_TYPE (event) == GST_EVENT_EOS;
    gst_event_unref (event);
  }
  return n;
}

static void
test_eos (void)
{
  g_auto (Send) s = send_new (FIXED "burst=0");

  push_frame (&s, 0, 4);
  g_assert_true (gst_harness_push_event (s.h, gst_event_new_eos ()));
  g_assert_cmpint (
      gst_harness_push (s.h, packet_new (SSRC, 9, 9, 10)), ==, GST_FLOW_EOS);
  pull_packet (&s);
  for (guint i = 1; i < 4; i++) {
    g_assert_cmpuint (eos_events (&s), ==, 0);
    crank (&s);
    g_assert_cmpuint (pull_packet (&s), ==, i);
  }
  wait_until (eos_events (&s) == 1);
}

static gint held; /* atomic */

/* Does not return before a packet has left. */
static GstBusSyncReply
on_stats (GstBus *bus, GstMessage *message, gpointer data)
{
  if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ELEMENT) {
    g_atomic_int_set (&held, TRUE);
    wait_until (gst_harness_buffers_received (((Send *) data)->h) == 1);
  }
  return GST_BUS_PASS;
}

/* Who blocks where the statistics are posted holds up no packet. */
static void
test_stats_held (void)
{
  g_auto (Send) s = send_new (FIXED);

  gst_bus_set_sync_handler (s.bus, on_stats, &s, NULL);
  g_object_set (s.element, "stats-interval", GST_SECOND, NULL);
  crank (&s);
  wait_until (g_atomic_int_get (&held));
  push_packet (&s, 0);
  pull_packet (&s);
  wait_until (messages (&s, GST_MESSAGE_ELEMENT) == 1);
}

/* Once EOS went out nothing is timed any more, neither the statistics nor
 * the no-feedback timer (2 s); a flush brings both back. */
static void
test_eos_is_quiet (void)
{
  g_auto (Send) s = send_new ("controller=tfrc start-bitrate=500000");

  g_object_set (s.element, "stats-interval", GST_SECOND, NULL);
  push_frame (&s, 0, 2);
  pull_packet (&s);
  g_assert_true (gst_harness_push_event (s.h, gst_event_new_eos ()));
  crank (&s);
  pull_packet (&s);
  wait_until (eos_events (&s) == 1);
  wait_until (gst_test_clock_peek_id_count (s.clock) == 0);
  for (guint i = 0; i < 10; i++) {
    gst_test_clock_advance_time (s.clock, GST_SECOND);
    g_usleep (2000); /* a chance to do wrong */
  }
  g_assert_cmpuint (gst_test_clock_peek_id_count (s.clock), ==, 0);
  g_assert_cmpuint (messages (&s, GST_MESSAGE_ELEMENT), ==, 0);
  g_assert_cmpuint (get_uint (&s, "estimated-bitrate"), ==, 500000);

  flush_send (s.h->srcpad);
  wait_until (messages (&s, GST_MESSAGE_ELEMENT) == 1);
  wait_until (get_uint (&s, "estimated-bitrate") == 250000);
  push_packet (&s, 1);
  g_assert_cmpuint (pull_packet (&s), ==, 2);
}

/* Serialized events stay in their place, and need no time of their own. */
static void
test_event_order (void)
{
  g_auto (Send) s = send_new (FIXED "burst=0");
  g_autoptr (GstCaps) caps
      = gst_caps_from_string ("application/x-rtp,media=audio");
  g_autoptr (GstEvent) event = NULL;
  gboolean seen = FALSE;

  push_frame (&s, 0, 2);
  pull_packet (&s);
  eos_events (&s); /* those of the start */
  g_assert_true (gst_harness_push_event (s.h, gst_event_new_caps (caps)));
  push_frame (&s, 0, 1);
  g_assert_null (gst_harness_try_pull_event (s.h));
  crank (&s);
  pull_packet (&s);
  wait_until ((event = gst_harness_try_pull_event (s.h)));
  seen = GST_EVENT_TYPE (event) == GST_EVENT_CAPS;
  g_assert_true (seen);
  crank (&s);
  pull_packet (&s);
}

static void
test_flush (void)
{
  g_auto (Send) s = send_new (FIXED "burst=0");

  push_frame (&s, 0, 5);
  pull_packet (&s);
  g_assert_true (gst_harness_push_event (s.h, gst_event_new_flush_start ()));
  g_assert_cmpint (gst_harness_push (s.h, packet_new (SSRC, 99, 1, 10)), ==,
      GST_FLOW_FLUSHING);
  g_assert_true (gst_harness_push_event (s.h, gst_event_new_flush_stop (TRUE)));
  segment_send (s.h->srcpad);
  g_assert_cmpint (stat (&s, "backlog"), ==, 0);
  s.seq = 50;
  push_packet (&s, 7);
  g_assert_cmpuint (pull_paced (&s), ==, 50);
  g_assert_cmpint (stat (&s, "packets-sent"), ==, 2);
}

/* f: a flush; p: a packet; u, l: downstream goes, and is there again.  How often a key
 * frame is asked for with the next packet. */
static const struct
{
  const gchar *name, *how;
  guint asked;
  const gchar *why;
} lost_rows[] = {
  { "start", "", 0, "nothing was dropped" },
  { "seek", "ff", 0, "nor by a flush before the first packet" },
  { "flush", "ppf", 1, "what waited is gone" },
  { "flush-empty", "pf", 1, "and what waited upstream" },
  { "flush-twice", "ppff", 1, "once is enough" },
  { "relink", "upl", 1, "nobody took it" },
  { "relink-at-once", "ul", 0, "nothing came meanwhile" },
};

static void
lost_step (Send *s, gchar what, GstPad *pad)
{
  if (what == 'p')
    push_packet (s, 0);
  else if (what == 'u')
    gst_pad_unlink (pad, s->h->sinkpad);
  else if (what == 'l')
    g_assert_cmpint (gst_pad_link (pad, s->h->sinkpad), ==, GST_PAD_LINK_OK);
  else if (what == 'f')
    flush_send (s->h->srcpad);
  else
    g_assert_not_reached ();
}

static void
test_lost (gconstpointer data)
{
  guint row = GPOINTER_TO_UINT (data);
  const gchar *how = lost_rows[row].how;
  g_auto (Send) s = send_new (FIXED "burst=0");
  g_autoptr (GstPad) pad = gst_element_get_static_pad (s.element, "src");

  g_test_message ("%s", lost_rows[row].why);
  for (const gchar *c = how; *c; c++) {
    lost_step (&s, *c, pad);
    if (*c == 'p' && how[0] == 'u')
      wait_until (gst_pad_get_task_state (pad) == GST_TASK_PAUSED);
    else if (*c == 'p' && c == how) /* the second one waits */
      pull_packet (&s);
  }
  g_assert_cmpuint (upstream_events (&s, "GstForceKeyUnit"), ==, 0);
  push_packet (&s, 1);
  g_assert_cmpuint (
      upstream_events (&s, "GstForceKeyUnit"), ==, lost_rows[row].asked);
  push_packet (&s, 1);
  g_assert_cmpuint (upstream_events (&s, "GstForceKeyUnit"), ==, 0);
}

/* Lists are taken apart; buffers pass as they are. */
static void
test_list (void)
{
  g_auto (Send) s = send_new (FIXED "burst=0");
  GstBufferList *list = gst_buffer_list_new ();
  g_autoptr (GstCaps) reference
      = gst_caps_new_empty_simple ("timestamp/x-test");
  GstBuffer *in[3];

  for (guint i = 0; i < 3; i++) {
    in[i] = packet_new (SSRC, (guint16) i, 0, PAYLOAD);
    GST_BUFFER_PTS (in[i]) = 42 * GST_SECOND;
    GST_BUFFER_FLAG_SET (in[i], GST_BUFFER_FLAG_NON_DROPPABLE);
    gst_buffer_add_reference_timestamp_meta (in[i], reference, i, 0);
    gst_buffer_list_add (list, gst_buffer_ref (in[i]));
  }
  g_assert_cmpint (gst_pad_push_list (s.h->srcpad, list), ==, GST_FLOW_OK);
  for (guint i = 0; i < 3; i++) {
    g_autoptr (GstBuffer) out = NULL;

    if (i > 0)
      crank (&s);
    out = gst_harness_pull (s.h);
    g_assert_true (out == in[i]);
    g_assert_cmpuint (GST_BUFFER_PTS (out), ==, 42 * GST_SECOND);
    g_assert_true (GST_BUFFER_FLAG_IS_SET (out, GST_BUFFER_FLAG_NON_DROPPABLE));
    g_assert_cmpuint (
        gst_buffer_get_reference_timestamp_meta (out, reference)->timestamp, ==,
        i);
    gst_buffer_unref (in[i]);
  }
}

static void
test_not_rtp (void)
{
  g_auto (Send) s = send_new (FIXED);

  for (guint i = 0; i < 3; i++) {
    GstBuffer *buffer = gst_buffer_new_allocate (NULL, 5 * i, NULL);

    gst_buffer_memset (buffer, 0, 0, 5 * i);
    g_assert_cmpint (gst_harness_push (s.h, buffer), ==, GST_FLOW_OK);
  }
  push_packet (&s, 0);
  g_assert_cmpuint (pull_packet (&s), ==, 0);
  g_assert_cmpint (stat (&s, "not-rtp"), ==, 3);
  g_assert_cmpuint (gst_harness_buffers_in_queue (s.h), ==, 0);
}

/* Each start is a new one. */
static void
test_states (void)
{
  g_auto (Send) s = send_new (FIXED "burst=0");

  for (guint i = 0; i < 3; i++) {
    push_frame (&s, i, 3);
    pull_packet (&s);
    g_assert_cmpint (stat (&s, "packets-sent"), ==, 1);
    gst_element_set_state (s.element, GST_STATE_NULL);
    g_assert_cmpuint (get_uint (&s, "estimated-bitrate"), ==, 960000);
    gst_element_set_state (s.element, GST_STATE_PLAYING);
    gst_harness_push_event (s.h, gst_event_new_stream_start ("again"));
    gst_harness_set_src_caps_str (s.h, "application/x-rtp,again=true");
  }
}

/* The controller goes on over a new SSRC, whose frames are its own: the same
 * RTP timestamp is not the same frame. */
static void
test_new_ssrc (void)
{
  g_auto (Send) s = send_new (FIXED "burst=0 max-backlog=15000000");

  push_packet (&s, 0);
  pull_packet (&s);
  push_packet (&s, 0);
  push_packet (&s, 0); /* 20 ms, beyond the limit */
  gst_harness_push (s.h, packet_new (SSRC + 1, 70, 0, PAYLOAD)); /* dropped */
  push_frame (&s, 0, 1); /* of the frame that began */
  g_assert_cmpint (stat (&s, "dropped"), ==, 1);
  for (guint i = 1; i < 4; i++) {
    crank (&s);
    g_assert_cmpuint (pull_packet (&s), ==, i);
  }
  gst_harness_push (s.h, packet_new (SSRC + 1, 71, 1, PAYLOAD));
  crank (&s);
  g_assert_cmpuint (pull_packet (&s), ==, 71);
  g_assert_cmpint (stat (&s, "packets-sent"), ==, 5);
}

/* A payloader that gets no times is named once; 30 frames may be slices of one. */
static void
test_alike (gconstpointer step)
{
  g_auto (Send) s = send_new (FIXED "encoder=none");

  for (guint i = 0; i <= 40; i++) {
    if (i == 30)
      g_assert_cmpuint (warnings (&s), ==, 0);
    push_frame (&s, i * GPOINTER_TO_UINT (step), 1);
  }
  g_assert_cmpuint (warnings (&s), ==, step ? 0 : 1);
}

/* A live source is at most its latency before the clock; another one without clocksync
 * is named once, where it costs frames. */
static void
test_early (void)
{
  static const struct
  {
    gint64 ahead; /* ns, of the clock */
    gboolean drops;
    guint warnings;
    const gchar *why;
  } rows[] = {
    { -500 * GST_MSECOND, FALSE, 0, "a camera behind its latency" },
    { 900 * GST_MSECOND, FALSE, 0, "a source with a long latency" },
    { 1100 * GST_MSECOND, FALSE, 0, "a file of which nothing is dropped" },
    { 900 * GST_MSECOND, TRUE, 0, "dropped, but in time" },
    { 1100 * GST_MSECOND, TRUE, 1, "a file" },
    { 1200 * GST_MSECOND, TRUE, 0, "said already" },
  };
  g_auto (Send) s = send_new (FIXED "encoder=none max-backlog=50000000");

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    GstBuffer *buffer;

    if (rows[i].drops) {
      push_frame (&s, 10 * i, 6); /* 60 ms: no other frame may begin */
      push_packet (&s, 10 * i + 1);
      g_assert_cmpint (stat (&s, "dropped-frames"), >, 0);
    }
    buffer = packet_new (SSRC, s.seq++, 10 * i + 2, PAYLOAD);
    g_test_message ("%s", rows[i].why);
    GST_BUFFER_PTS (buffer) = time_now (&s) + (guint64) rows[i].ahead
        - gst_element_get_base_time (s.element);
    gst_harness_push (s.h, buffer);
    g_assert_cmpuint (warnings (&s), ==, rows[i].warnings);
  }
}

static void
test_latency (void)
{
  g_auto (Send) s = send_new (FIXED);

  gst_harness_set_upstream_latency (s.h, 33 * GST_MSECOND);
  g_assert_cmpuint (gst_harness_query_latency (s.h), ==, 33 * GST_MSECOND);
}

void
tests_add (void)
{
  rows_add_by ("/rtpadaptsend/pacing", pacing_rows, name, test_pacing);
  g_test_add_func ("/rtpadaptsend/pacing/idle", test_idle);
  g_test_add_func ("/rtpadaptsend/pacing/new-rate", test_new_rate);
  g_test_add_func ("/rtpadaptsend/pacing/new-clock", test_new_clock);
  g_test_add_func ("/rtpadaptsend/backlog/frames", test_backlog);
  g_test_add_func ("/rtpadaptsend/backlog/hard", test_backlog_hard);
  g_test_add_func ("/rtpadaptsend/stream/eos", test_eos);
  g_test_add_func ("/rtpadaptsend/stream/eos-is-quiet", test_eos_is_quiet);
  g_test_add_func ("/rtpadaptsend/stream/stats-held", test_stats_held);
  g_test_add_func ("/rtpadaptsend/stream/event-order", test_event_order);
  g_test_add_func ("/rtpadaptsend/stream/flush", test_flush);
  rows_add_by ("/rtpadaptsend/stream/lost", lost_rows, name, test_lost);
  g_test_add_func ("/rtpadaptsend/stream/list", test_list);
  g_test_add_func ("/rtpadaptsend/stream/not-rtp", test_not_rtp);
  g_test_add_func ("/rtpadaptsend/stream/early", test_early);
  g_test_add_func ("/rtpadaptsend/stream/states", test_states);
  g_test_add_func ("/rtpadaptsend/stream/new-ssrc", test_new_ssrc);
  rows_add_n ("/rtpadaptsend/stream/alike", 2, test_alike);
  g_test_add_func ("/rtpadaptsend/stream/latency", test_latency);
}
