/* rtpadaptsend: requests for key frames, honest ones from rtpsession and floods of
 * forged ones.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "../trust/trust.h"
#include "send-twcc.h"
#include "session-fixture.h"
#include "../rows.h"

#define FLOOD_MS 10000

/* As rtpsession makes it of PLI and FIR. */
static void
request (Send *s, guint ssrc)
{
  gst_harness_push_upstream_event (s->h,
      gst_event_new_custom (GST_EVENT_CUSTOM_UPSTREAM,
          gst_structure_new ("GstForceKeyUnit", "ssrc", G_TYPE_UINT, ssrc,
              "payload", G_TYPE_UINT, 96, "all-headers", G_TYPE_BOOLEAN, FALSE,
              "count", G_TYPE_INT, -1, NULL)));
}

/* One packet, and an answer to it after `rtt`. */
static void
round_trip (Send *s, GstClockTime rtt)
{
  push_frame (s, 0, 1);
  pull_packet (s);
  gst_test_clock_advance_time (s->clock, rtt);
  feedback (s, 0, 1, 0, NULL);
  upstream_events (s, "");
}

/* A request that waits goes on when the interval is over, and wakes the task. */
static guint
late_one (Send *s)
{
  guint n = 0;

  gst_test_clock_advance_time (s->clock, GST_SECOND);
  gst_test_clock_crank (s->clock);
  wait_until ((n += upstream_events (s, "GstForceKeyUnit")) > 0);
  return n;
}

/* 1,000 requests come per second, for 10 s.  They go on at 0, 200, ... 10,000 ms,
 * which are 51; with a round trip of 1 s at 0, 1, ... 10 s, which are 11.  The last
 * one is not lost. */
static const struct
{
  guint rtt_ms, ssrcs, most;
  const gchar *name;
} flood_rows[] = {
  { 50, 1, 51, "11 1,000 requests for key frames/s" },
  { 1000, 1, 11, "11 the same, R = 1 s" },
  { 50, 10, 51, "11 the same about 10 SSRCs, none of them ours" },
};

static void
test_flood (gconstpointer data)
{
  guint i = GPOINTER_TO_UINT (data), n = 0;
  g_auto (Send) s = send_new ("controller=fixed");
  gint64 held;

  round_trip (&s, flood_rows[i].rtt_ms * GST_MSECOND);
  for (guint ms = 0; ms < FLOOD_MS; ms++) {
    request (&s, flood_rows[i].ssrcs == 1 ? SSRC : 1 + ms % 10);
    gst_test_clock_advance_time (s.clock, GST_MSECOND);
    n += upstream_events (&s, "GstForceKeyUnit");
  }
  held = stat (&s, "key-requests-held");
  n += late_one (&s);
  g_assert_cmpint (held, >=, FLOOD_MS - (gint) flood_rows[i].most);
  trust_row ("attack", flood_rows[i].name,
      "a key frame once per round trip and 200 ms: 51, or 11, in 10 s",
      n >= 2 && n <= flood_rows[i].most, "%u of %u", n, FLOOD_MS);
}

/* A request that comes seldom always goes on.  The second of two within an interval
 * goes on at the end of it. */
static void
test_late (void)
{
  g_auto (Send) s = send_new ("controller=fixed");
  GstClockTime start;

  round_trip (&s, 50 * GST_MSECOND);
  for (guint i = 0; i < 5; i++) {
    request (&s, SSRC);
    g_assert_cmpuint (upstream_events (&s, "GstForceKeyUnit"), ==, 1);
    gst_test_clock_advance_time (s.clock, 200 * GST_MSECOND);
  }
  request (&s, SSRC);
  g_assert_cmpuint (upstream_events (&s, "GstForceKeyUnit"), ==, 1);
  start = time_now (&s);
  gst_test_clock_advance_time (s.clock, 100 * GST_MSECOND);
  request (&s, SSRC);
  request (&s, 1); /* another stream */
  g_assert_cmpuint (upstream_events (&s, "GstForceKeyUnit"), ==, 1);
  crank (&s);
  g_assert_cmpuint (time_now (&s) - start, ==, 200 * GST_MSECOND);
  wait_until (upstream_events (&s, "GstForceKeyUnit") == 1);
  /* It began an interval. */
  request (&s, SSRC);
  g_assert_cmpuint (upstream_events (&s, "GstForceKeyUnit"), ==, 0);
}

/* Through rtpsession: RR and PLI (RFC 4585 6.3.1), RR and FIR (RFC 5104 4.3.1),
 * of ten peers in turns, 1,000 in a second. */
static void
test_session (void)
{
  g_auto (Pair) p = pair_new ("controller=fixed", "avpf", CAPS EXT_TWCC);
  guint n = 0;

  push_frame (&p.send, 0, 1);
  pull_packet (&p.send);
  upstream_events (&p.send, "");
  for (guint ms = 0; ms < 1000; ms++) {
    Rtcp r = { 0 };
    guint32 peer = PEER + ms % 10;

    put_rr (&r, SSRC, 0, 0, 0, 0);
    put_head (&r, ms % 2 ? 1 : 4, 206, ms % 2 ? 12 : 20);
    put (&r, 4, peer);
    put (&r, 4, ms % 2 ? SSRC : 0);
    if (ms % 2 == 0) {
      put (&r, 4, SSRC);
      put (&r, 4, (guint64) (ms / 2 & 0xff) << 24);
    }
    for (guint i = 0; i < 4; i++) /* the RR is the peer's, too */
      r.data[4 + i] = (guint8) (peer >> (24 - 8 * i));
    rtcp_push (p.rtcp, &r);
    gst_test_clock_advance_time (p.send.clock, GST_MSECOND);
    n += upstream_events (&p.send, "GstForceKeyUnit");
  }
  g_assert_cmpuint (n, >=, 1);
  g_assert_cmpuint (n, <=, 6);
  g_assert_cmpint (stat (&p.send, "key-requests-held"), >, 100);
}

void
tests_add (void)
{
  rows_add ("/rtpadaptsend/keys/flood", flood_rows, test_flood);
  g_test_add_func ("/rtpadaptsend/keys/late", test_late);
  g_test_add_func ("/rtpadaptsend/keys/session", test_session);
}
