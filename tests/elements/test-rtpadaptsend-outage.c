/* rtpadaptsend while nobody answers, and when somebody does again.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "../trust/trust.h"
#include "outage-fixture.h"
#include "../rows.h"

#include <gst/rtpadapt/feedback/radp.h>

#define START_RATE 500000
#define SECOND GST_SECOND

static void
answered (Outage *o, guint frames)
{
  for (guint i = 0; i < frames; i++) {
    outage_run (o, FRAME);
    outage_feedback (o, TRUE);
  }
}

/* Waits for an open breaker: RFC 8083 4.1, 15 s after the last feedback.  Returns the
 * smallest number of packets that left in one of the first 14 seconds. */
static guint
silence (Outage *o)
{
  guint least = G_MAXUINT;

  for (guint i = 0; i < 14; i++) {
    guint n = outage_count (o, SECOND);

    least = MIN (least, n);
  }
  g_assert_false (outage_is_open (o));
  outage_run (o, SECOND + FRAME);
  wait_until (outage_is_open (o));
  return least;
}

/* The state of the next message about a breaker, which has to come. */
static gchar *
breaker_state (Outage *o)
{
  for (;;) {
    g_autoptr (GstMessage) m = gst_bus_timed_pop_filtered (
        o->pair.send.bus, PATIENCE * GST_USECOND, GST_MESSAGE_ELEMENT);
    gchar *state = NULL;

    g_assert_nonnull (m);
    if (gst_message_has_name (m, "rtpadapt-breaker"))
      state = g_strdup (
          gst_structure_get_string (gst_message_get_structure (m), "state"));
    if (state)
      return state;
  }
}

/* Nothing leaves behind an open breaker.  An empty RR, which anybody may have
 * forged, allows two packets per second for 7 s.  When one of these arrives, sending
 * begins again.  Two leave although the minimum bitrate is less than a packet per
 * second. */
static void
test_probes (void)
{
  guint least, idle, most = 0, total = 0;
  g_autofree gchar *open = NULL, *closed = NULL;
  GstClockTime gap;
  g_auto (Outage) o;

  outage_init (&o, "controller=tfrc min-bitrate=1000");
  answered (&o, 50);
  least = silence (&o);
  open = breaker_state (&o);
  g_assert_cmpstr (open, ==, "open");
  idle = outage_count (&o, 10 * SECOND);
  gap = outage_gap (&o, 5 * SECOND);
  outage_empty_rr (&o);
  for (guint i = 0; i < 12; i++) {
    guint n = outage_count (&o, SECOND);

    most = MAX (most, n);
    total += n;
  }
  trust_row ("attack", "18 an empty RR, forged, behind an open breaker",
      "2 packets in a second at most, for 7 s",
      least >= 2 && idle == 0 && most <= 2 && total > 0 && total <= 15,
      "%u before, %u in a second, %u in all; %u packets/s while it still hoped",
      idle, most, total, least);
  g_assert_cmpuint (gap, <=, 500 * GST_MSECOND);
  g_assert_true (outage_is_open (&o));
  g_assert_cmpint (stat (&o.pair.send, "probes"), ==, total);

  /* Losses in the outage are no congestion. */
  upstream_events (&o.pair.send, "");
  outage_empty_rr (&o);
  outage_run (&o, SECOND);
  o.heard = o.out - 2;
  outage_feedback (&o, TRUE);
  closed = breaker_state (&o);
  g_assert_cmpstr (closed, ==, "closed");
  g_assert_cmpuint (
      get_uint (&o.pair.send, "estimated-bitrate"), >=, START_RATE);
  g_assert_cmpint (stat (&o.pair.send, "congestion-losses"), ==, 0);
  outage_run (&o, FRAME);
  g_assert_cmpuint (upstream_events (&o.pair.send, "GstForceKeyUnit"), ==, 1);
  g_assert_cmpuint (outage_count (&o, SECOND), >=, 20);
}

/* A decoder asks for a key frame once, and the request may have been lost while
 * nothing came back.  Half a second is no silence. */
static void
test_silence (void)
{
  g_auto (Outage) o;

  outage_init (&o, "controller=fixed");
  answered (&o, 50);
  upstream_events (&o.pair.send, "");
  outage_run (&o, SECOND / 2);
  answered (&o, 5);
  g_assert_cmpuint (upstream_events (&o.pair.send, "GstForceKeyUnit"), ==, 0);
  outage_run (&o, 2 * SECOND);
  answered (&o, 5);
  g_assert_cmpuint (upstream_events (&o.pair.send, "GstForceKeyUnit"), ==, 1);
}

/* An empty RR and how long the receiver holds packets, radp.h. */
static void
say_hold (Outage *o, RaSpan span)
{
  RaRadpHold hold = { span, span, span };
  Rtcp r = { 0 };

  put_head (&r, 0, 201, 8);
  put (&r, 4, PEER);
  put_head (&r, RA_RADP_HOLD_SUBTYPE, 204, 12 + RA_RADP_HOLD_SIZE);
  put (&r, 4, PEER);
  put (&r, 4, ra_get_u32 ((const guint8 *) RA_RADP_NAME));
  ra_radp_hold_write (&hold, r.data + r.len);
  r.len += RA_RADP_HOLD_SIZE;
  rtcp_push (o->pair.rtcp, &r);
}

/* Nothing comes back for .6 s, at whose middle a frame of FRAME_PACKETS comes in, which
 * take a second to leave.  After the silence the rest of them is 300 ms old. */
#define FRAME_PACKETS 60

static const struct
{
  gint hold; /* ms; 0: the receiver says nothing of it */
  gboolean lost, stale;
  const gchar *why;
} stale_rows[] = {
  { 200, TRUE, TRUE, "too late, and what it builds on is lost" },
  { 200, FALSE, FALSE, "what it builds on came" },
  { 0, TRUE, FALSE, "the receiver may hold packets for longer" },
};

static void
test_stale (gconstpointer data)
{
  guint i = GPOINTER_TO_UINT (data);
  gint64 dropped;
  g_auto (Outage) o;

  outage_init (&o, "controller=fixed max-backlog=10000000000 frame-skip=0");
  answered (&o, 50);
  if (stale_rows[i].hold > 0)
    say_hold (&o, stale_rows[i].hold * RA_MSECOND);
  answered (&o, 5);
  upstream_events (&o.pair.send, "");
  outage_run (&o, 300 * GST_MSECOND);
  push_frame (&o.pair.send, o.n_frames++, FRAME_PACKETS);
  outage_run (&o, 300 * GST_MSECOND);
  outage_feedback_last (&o, stale_rows[i].lost ? 4 : G_MAXUINT);
  for (guint n = 0; n < 25; n++) {
    outage_run (&o, FRAME);
    outage_feedback (&o, TRUE);
  }
  dropped = stat (&o.pair.send, "dropped");
  g_test_message (
      "%s: %" G_GINT64_FORMAT " dropped", stale_rows[i].why, dropped);
  /* In 300 ms 500 kbit/s carry 16 packets; a few that came in before were in front. */
  if (stale_rows[i].stale)
    g_assert_cmpint (dropped, >=, FRAME_PACKETS - 17);
  else
    g_assert_cmpint (dropped, ==, 0);
  g_assert_cmpint (
      stat (&o.pair.send, "dropped-frames") > 0, ==, stale_rows[i].stale);
  g_assert_cmpuint (upstream_events (&o.pair.send, "GstForceKeyUnit"), ==,
      stale_rows[i].stale ? 1 : 0);
}

/* Report blocks that close an open breaker at once, and some that do not. */
static const struct
{
  gint lsr;     /* LSR less that of the latest sender report; -1: none */
  gint ahead;   /* the highest number less that of the latest packet */
  guint32 dlsr; /* in 1/65536 s */
  gboolean closes;
  const gchar *why;
} word_rows[] = {
  { 0, -1000, 0, TRUE, "the peer got a sender report that left just now" },
  { 0, -1000, 65536 / 8, TRUE, "and answered to it 1/8 s later" },
  { 1, -1000, 0, FALSE, "no sender report has this time" },
  { 0, -1000, 65536 * 9, FALSE, "it waited longer than the report exists" },
  { 0, 1000, 0, FALSE, "it names a packet that was not sent yet" },
  { -1, -1, 0, FALSE, "it names one that left before the breaker opened" },
  { -1, 100, 0, FALSE, "and one that did not leave" },
};

static void
test_words (gconstpointer data)
{
  guint i = GPOINTER_TO_UINT (data);
  Rtcp r = { 0 };
  guint32 lsr;
  g_auto (Outage) o;

  outage_init (&o, "controller=tfrc");
  answered (&o, 10);
  silence (&o);
  outage_run (&o, 6 * SECOND + SECOND / 4);
  lsr = word_rows[i].lsr < 0 ? 0 : outage_lsr (&o) + (guint32) word_rows[i].lsr;
  put_rr (&r, SSRC, 0, o.out - 1 + (guint32) word_rows[i].ahead, lsr,
      word_rows[i].dlsr);
  rtcp_push (o.pair.rtcp, &r);
  g_test_message ("%s", word_rows[i].why);
  g_assert_cmpint (!outage_is_open (&o), ==, word_rows[i].closes);
  /* It is RTCP at least. */
  g_assert_cmpuint (outage_count (&o, SECOND), >=, 1);
}

/* A block in a sender report (RFC 3550 6.4.1), else in a receiver report. */
static void
forge (Outage *o, gboolean sr, guint32 highest)
{
  Rtcp r = { 0 };

  if (!sr) {
    put_rr (&r, SSRC, 0, highest, 0, 0);
  } else {
    put_head (&r, 1, 200, 52);
    put (&r, 4, PEER);
    for (guint i = 0; i < 5; i++) /* its own times and counts */
      put (&r, 4, 0);
    put (&r, 4, SSRC);
    put (&r, 4, 0);
    put (&r, 4, highest);
    for (guint i = 0; i < 3; i++) /* jitter, LSR, DLSR */
      put (&r, 4, 0);
  }
  rtcp_push (o->pair.rtcp, &r);
}

/* The receiver has left.  Somebody sends report blocks in its name, a hundred
 * packets farther each second, while 25 leave. */
static void
test_left (gconstpointer data)
{
  gboolean sr = GPOINTER_TO_UINT (data);
  GstClockTime left, stopped = GST_CLOCK_TIME_NONE;
  guint most = 0;
  guint32 highest;
  g_auto (Outage) o;

  outage_init (&o, "controller=tfrc min-bitrate=400000");
  answered (&o, 50);
  left = time_now (&o.pair.send);
  highest = o.out - 1;
  for (guint i = 0; i < 40; i++) {
    guint n = outage_count (&o, SECOND);

    if (stopped != GST_CLOCK_TIME_NONE)
      most = MAX (most, n);
    else if (outage_is_open (&o))
      stopped = time_now (&o.pair.send) - left;
    highest += 100;
    forge (&o, sr, highest);
  }
  trust_row ("attack",
      sr ? "18 the receiver leaves, its SR are forged"
         : "18 the receiver leaves, its RR are forged",
      "no later than 15.1 s after nothing but 2 probes/s",
      stopped <= 15100 * GST_MSECOND && most <= 2,
      "within %.0f s; %u packets/s", (gdouble) stopped / SECOND, most);
}

/* The same from the first packet on, while the receiver is not there yet. */
static void
test_reports_early (void)
{
  g_auto (Outage) o;

  outage_init (&o, "controller=tfrc");
  outage_run (&o, 2 * SECOND);
  g_assert_cmpuint (outage_gap (&o, 20 * SECOND), <=, 500 * GST_MSECOND);
}

/* U8: EOS goes out within max-backlog at the lowest rate, where 20 packets would
 * take 192 s, and at once behind an open breaker. */
static void
test_eos (gconstpointer data)
{
  gboolean open = GPOINTER_TO_UINT (data);
  g_auto (Send) s = send_new (open
          ? "controller=fixed start-bitrate=1000000"
          : "controller=fixed start-bitrate=1000 min-bitrate=1000");
  GstEventType type = GST_EVENT_UNKNOWN;
  GstClockTime start;

  for (guint i = 0; i < (open ? 15 : 1); i++) { /* RFC 8083 4.1 */
    push_frame (&s, i, 1);
    pull_paced (&s);
    if (i < 14)
      gst_test_clock_advance_time (s.clock, open ? SECOND : 0);
  }
  if (open) {
    crank (&s);
    wait_until (get_uint (&s, "estimated-bitrate") == 0);
  }
  push_frame (&s, 100, 20);
  start = time_now (&s);
  g_assert_true (gst_harness_push_event (s.h, gst_event_new_eos ()));
  while (type != GST_EVENT_EOS) {
    g_autoptr (GstEvent) event = gst_harness_try_pull_event (s.h);

    if (!event && gst_test_clock_peek_id_count (s.clock) > 0)
      crank (&s);
    if (!event)
      continue;
    type = GST_EVENT_TYPE (event);
  }
  g_assert_cmpuint (time_now (&s) - start, <=, open ? 0 : SECOND / 4);
  g_assert_cmpint (stat (&s, "ceased") + stat (&s, "dropped"), >=, 19);
}

void
tests_add (void)
{
  g_test_add_func ("/rtpadaptsend/outage/probes", test_probes);
  g_test_add_func ("/rtpadaptsend/outage/silence", test_silence);
  rows_add ("/rtpadaptsend/outage/stale", stale_rows, test_stale);
  rows_add ("/rtpadaptsend/outage/words", word_rows, test_words);
  g_test_add_func ("/rtpadaptsend/outage/reports-early", test_reports_early);
  rows_add_n ("/rtpadaptsend/outage/left", 2, test_left);
  rows_add_n ("/rtpadaptsend/outage/eos", 2, test_eos);
}
