/* A peer that sends receiver reports and nothing else: RFC 8083 with what they
 * say.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Packets of 1,200 bytes, as fast as the rate is, and a report each 5 s.
 */
#include "sender-fixture.h"
#include "../observed.h"
#include "../rows.h"

#include <gst/rtpadapt/safety/reportblocks.h>

#include <math.h>

#define SIZE 1200
#define RATE 4000000
#define MIN_RATE 200000
#define REPORT (5 * RA_SECOND)
#define TICK (5 * RA_MSECOND)

typedef struct
{
  Fixture f;
  guint ssrcs;    /* 1, 2 and so on, in turns */
  gdouble credit; /* bytes */
} World;

static World
world_new (const gchar *controller, gdouble cap)
{
  World w = { .ssrcs = 1 };

  fixture_start (&w.f,
      &(RaSenderConfig){ .controller = ra_rate_find (controller),
          .lda = ra_lda_find ("none"),
          .rate = { .min = MIN_RATE, .start = RATE, .max = RATE, .mss = SIZE },
          .friendliness_cap = cap,
          .breakers = TRUE });
  return w;
}

static void
world_run (World *w, RaSpan span)
{
  for (RaTime end = w->f.now + (RaTime) span; w->f.now < end;
       w->f.now += TICK) {
    if (ra_sender_next_timeout (w->f.sender) <= w->f.now)
      ra_sender_on_timeout (w->f.sender, w->f.now);
    w->credit += ra_bytes (ra_sender_rate (w->f.sender)) * ra_seconds (TICK);
    for (; w->credit >= SIZE; w->credit -= SIZE, w->f.next++)
      ra_sender_on_sent (w->f.sender,
          &(RaOutgoing){ .seq = w->f.next,
              .size = SIZE,
              .media = SIZE,
              .flags = RA_SENT_ASKS,
              .ssrc = (guint32) (1 + w->f.next % w->ssrcs),
              .rtp_seq = (guint16) (w->f.next / w->ssrcs) },
          w->f.now);
  }
}

/* A block about `ssrc` that names the latest packet, or one `behind` that. */
static void
world_hear (World *w, guint32 ssrc, guint behind, gdouble lost, RaSpan rtt)
{
  ra_sender_on_receiver_report (w->f.sender,
      &(RaBlock){ .ssrc = ssrc,
          .ext_highest_seq = (guint32) (w->f.next / w->ssrcs) - 1 - behind,
          .fraction_lost = lost,
          .lsr = rtt > 0 ? RA_LSR_OURS : RA_LSR_UNKNOWN,
          .rtt = rtt },
      1, w->f.now);
}

/* A report block about us keeps breaker 1 closed (RFC 8083 4.1, 5), for 15 s. */
static void
test_heard (void)
{
  World w = world_new ("fixed", 0);

  for (guint i = 0; i < 12; i++) {
    world_run (&w, REPORT);
    world_hear (&w, 1, 0, 0, 0);
    g_assert_cmpint (fixture_stats (&w.f).breaker, ==, RA_BREAKER_CLOSED);
  }
  world_run (&w, 15 * RA_SECOND);
  g_assert_cmpint (fixture_stats (&w.f).breaker, ==, RA_BREAKER_CLOSED);
  world_run (&w, RA_SECOND);
  g_assert_cmpint (fixture_stats (&w.f).breaker, ==, RA_BREAKER_OPEN);
  g_assert_cmpint (fixture_stats (&w.f).trip, ==, RA_BREAKER_RTCP_TIMEOUT);
  ra_sender_free (w.f.sender);
}

/* Before anything was sent there is nothing to hear of. */
static void
test_early (void)
{
  World w = world_new ("fixed", 9);

  world_hear (&w, 1, 0, 1, RA_SECOND);
  g_assert_cmpuint (ra_sender_rate (w.f.sender), ==, RATE);
  g_assert_cmpuint (fixture_stats (&w.f).friendly, ==, G_MAXUINT64);
  world_run (&w, 14 * RA_SECOND);
  g_assert_cmpint (fixture_stats (&w.f).breaker, ==, RA_BREAKER_CLOSED);
  ra_sender_free (w.f.sender);
}

/* RFC 8083 4.2: k = 5 reports in a row whose highest number does not rise. */
static const struct
{
  guint n_rise;      /* reports with a number that rises */
  guint n_fixed;     /* and then as many with that one */
  gboolean other;    /* another SSRC's goes on rising */
  gboolean backward; /* the numbers fall all the time, and then rise again */
  RaBreakerTrip trip;
  const gchar *why;
} media_rows[] = {
  { 10, 4, FALSE, FALSE, RA_BREAKER_NONE, "4 of 5" },
  { 10, 5, FALSE, FALSE, RA_BREAKER_MEDIA_TIMEOUT, "5 of 5" },
  { 10, 20, TRUE, FALSE, RA_BREAKER_NONE, "one of two SSRCs is paused" },
  { 10, 5, FALSE, TRUE, RA_BREAKER_MEDIA_TIMEOUT, "falling is not rising" },
};

static void
test_media (gconstpointer data)
{
  guint i = GPOINTER_TO_UINT (data);
  guint behind = 0;
  World w = world_new ("fixed", 0);

  w.ssrcs = 2;
  for (guint k = 0; k < media_rows[i].n_rise + media_rows[i].n_fixed; k++) {
    guint64 before = w.f.next;

    world_run (&w, REPORT);
    if (k >= media_rows[i].n_rise)
      behind
          += (guint) (w.f.next / 2 - before / 2) + 10 * media_rows[i].backward;
    world_hear (&w, 1, behind, 0, 100 * RA_MSECOND);
    if (media_rows[i].other)
      world_hear (&w, 2, 0, 0, 100 * RA_MSECOND);
  }
  if (fixture_stats (&w.f).trip != media_rows[i].trip)
    g_test_message ("%s", media_rows[i].why);
  g_assert_cmpint (fixture_stats (&w.f).trip, ==, media_rows[i].trip);
  g_assert_cmpuint (
      ra_sender_rate (w.f.sender), ==, media_rows[i].trip ? 0 : RATE);
  ra_sender_free (w.f.sender);
}

/* RFC 8083 4.3.  s = 1200, a fifth lost: X = 1200 / (R * sqrt (.4 / 3)); R = 100
 * ms: 32863 bytes/s; 10 X = 2.63 Mbit/s, 9 X = 2.366 Mbit/s.  4 Mbit/s trip it
 * after more than 3 reports, a tenth of that does not.  R = 1 s: a tenth of X, and
 * 3 reports again, as 10 R are less than 3 Tdr. */
static void
test_congestion (void)
{
  for (RaSpan rtt = 100 * RA_MSECOND; rtt <= RA_SECOND; rtt *= 10) {
    World w = world_new ("fixed", 0);
    guint n;

    for (n = 1; n < 20 && fixture_stats (&w.f).breaker == RA_BREAKER_CLOSED;
         n++) {
      world_run (&w, REPORT);
      world_hear (&w, 1, 0, .2, rtt);
    }
    g_assert_cmpint (fixture_stats (&w.f).breaker, ==, RA_BREAKER_FALLBACK);
    g_assert_cmpint (fixture_stats (&w.f).trip, ==, RA_BREAKER_CONGESTION);
    g_assert_cmpuint (n - 1, >, 3);
    g_assert_cmpuint (n - 1, <=, 6);
    g_assert_cmpuint (ra_sender_rate (w.f.sender), ==, RATE / 10);
    ra_sender_free (w.f.sender);
  }
}

static void
test_cap (void)
{
  static const struct
  {
    gdouble fraction;
    RaSpan rtt; /* ms */
    guint reports;
    gdouble rate;
    const gchar *why;
  } rows[] = {
    { 0, 100, 4, RATE, "nothing lost" },
    { .2, 100, 4, 2366000, "9 X" },
    { .2, 100, 1, 2366000, "the first report says so" },
    { .2, 0, 4, RATE, "R unknown: no equation" },
    { .2, -1, 4, RATE, "nonsense for R" },
    { NAN, 100, 4, RATE, "nonsense for the fraction" },
    { -1, 100, 4, RATE, "a negative one" },
    { 7, 100, 4, 1058166, "more than all: 9 * 1200 * 8 / (.1 * sqrt (2 / 3))" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    World w = world_new ("fixed", 9);

    for (guint n = 1; n <= rows[i].reports; n++) {
      world_run (&w, REPORT);
      world_hear (&w, 1, 0, rows[i].fraction, rows[i].rtt * RA_MSECOND);
    }
    g_test_message ("%s", rows[i].why);
    g_assert_cmpfloat_with_epsilon ((gdouble) ra_sender_rate (w.f.sender),
        rows[i].rate, .005 * rows[i].rate);
    ra_sender_free (w.f.sender);
  }
}

/* Who gives feedback has said it all there. */
static void
test_beside_feedback (void)
{
  World w = world_new ("fixed", 9);

  for (guint n = 1; n < 200; n++) {
    RaFeedbackPacket row;

    world_run (&w, 100 * RA_MSECOND);
    row = (RaFeedbackPacket){ w.f.next - 1, w.f.now };
    ra_sender_on_feedback (w.f.sender, &row, 1, 0, w.f.now + 40 * RA_MSECOND);
    world_hear (&w, 1, 0, .5, 100 * RA_MSECOND);
  }
  g_assert_cmpint (fixture_stats (&w.f).breaker, ==, RA_BREAKER_CLOSED);
  g_assert_cmpuint (ra_sender_rate (w.f.sender), ==, RATE);
  /* It stops and leaves the reports: they count from 5 s on. */
  for (guint n = 1; n < 5; n++) {
    world_run (&w, REPORT);
    world_hear (&w, 1, 0, .2, 100 * RA_MSECOND);
  }
  g_assert_cmpuint (ra_sender_rate (w.f.sender), <, RATE);
  ra_sender_free (w.f.sender);
}

/* Receiver reports are no congestion control (RFC 8083 1): a controller that
 * hears nothing falls to the minimum, and stays there, open for the user. */
static void
test_rate (void)
{
  static const gchar *const names[]
      = { "tfrc", "ssvp", "arc", "newreno", "gaimd", "westwood" };

  for (guint i = 0; i < G_N_ELEMENTS (names); i++) {
    World w = world_new (names[i], 9);

    for (guint n = 1; n < 24; n++) {
      world_run (&w, REPORT);
      world_hear (&w, 1, 0, 0, 100 * RA_MSECOND);
    }
    g_test_message ("%s", names[i]);
    g_assert_cmpuint (ra_sender_rate (w.f.sender), ==, MIN_RATE);
    g_assert_cmpint (fixture_stats (&w.f).breaker, ==, RA_BREAKER_CLOSED);
    ra_sender_free (w.f.sender);
  }
}

static RaProof
hear (RaReportBlocks *b, guint32 ssrc, guint32 highest, RaTime now, RaReport *r)
{
  *r = (RaReport){ .queue = RA_SPAN_NONE };
  return ra_report_blocks_hear (
      b, &(RaBlock){ ssrc, highest, .1, RA_LSR_UNKNOWN, 0 }, now, r);
}

/* How many packets a block reports, and how often blocks come.  300 packets of SSRC 1
 * and 7 of SSRC 2 leave in each REPORT, and their numbers wrap. */
static void
test_blocks (void)
{
  RaReport r;
  RaReportBlocks b;

  ra_report_blocks_init (&b);
  for (guint t = 0; t < 4; t++) {
    RaTime now = t * (RaTime) REPORT;

    for (guint i = 0; i < 300; i++)
      ra_report_blocks_on_sent (&b, 1, (guint16) (65400 + 300 * t + i), now);
    for (guint i = 0; i < 7; i++)
      ra_report_blocks_on_sent (&b, 2, (guint16) (65530 + 7 * t + i), now);
    g_assert_cmpint (
        hear (&b, 1, 65400 + 300 * t + 299, now, &r), ==, RA_PROOF_DELIVERED);
    /* the first one: a share of a number that is not known, in 1/256 */
    g_assert_cmpuint (r.expected, ==, t == 0 ? 256 : 300);
    g_assert_cmpuint (r.lost_congestion, ==, t == 0 ? 26 : 30);
    g_assert_cmpint (r.interval, ==, t == 0 ? 0 : REPORT);
    hear (&b, 2, 65530 + 7 * t + 6, now, &r);
    g_assert_cmpuint (r.expected, ==, 7); /* no more were sent */
    g_assert_cmpint (r.interval, ==, t == 0 ? 0 : REPORT); /* one packet */
  }
}

/* The proof in a block.  Packet n of SSRC 1 leaves at n s, from 0 to 100.  A packet
 * that left more than 5 s ago is no news. */
static const struct
{
  guint32 ssrc, first, second; /* highest numbers; the first block at 100 s, */
  guint ms;                    /* the second so much later */
  RaLsr lsr;
  RaProof proof; /* of the second */
  const gchar *why;
} proof_rows[] = {
  { 1, 98, 99, 0, RA_LSR_UNKNOWN, RA_PROOF_DELIVERED, "progress" },
  { 1, 98, 0x70063, 0, RA_LSR_UNKNOWN, RA_PROOF_DELIVERED,
      "99, of a receiver that counted wraps: it was there before us" },
  { 1, 98, 98, 0, RA_LSR_UNKNOWN, RA_PROOF_NONE, "a replay" },
  { 1, 98, 97, 0, RA_LSR_UNKNOWN, RA_PROOF_NONE, "less" },
  { 1, 98, 101, 0, RA_LSR_UNKNOWN, RA_PROOF_FALSE, "not sent yet" },
  { 1, 98, 198, 0, RA_LSR_UNKNOWN, RA_PROOF_FALSE, "100 a second" },
  { 1, 98, 65000, 0, RA_LSR_UNKNOWN, RA_PROOF_NONE, "before the first" },
  { 1, 90, 91, 0, RA_LSR_UNKNOWN, RA_PROOF_NONE, "9 s old" },
  { 1, 98, 99, 4000, RA_LSR_UNKNOWN, RA_PROOF_DELIVERED, "5 s old" },
  { 1, 98, 100, 5100, RA_LSR_UNKNOWN, RA_PROOF_NONE, "5.1 s old" },
  { 2, 98, 99, 0, RA_LSR_UNKNOWN, RA_PROOF_NONE, "not our SSRC" },
  { 1, 98, 98, 0, RA_LSR_OURS, RA_PROOF_HEARD, "it hears our RTCP" },
  { 1, 98, 99, 0, RA_LSR_OURS, RA_PROOF_DELIVERED, "and our RTP" },
  { 1, 98, 101, 0, RA_LSR_OURS, RA_PROOF_FALSE, "one half is false" },
  { 1, 98, 99, 0, RA_LSR_FALSE, RA_PROOF_FALSE, "the other half is" },
};

static void
test_proof (gconstpointer data)
{
  guint i = GPOINTER_TO_UINT (data);
  RaTime now = 100 * RA_SECOND;
  RaReport r;
  RaReportBlocks b;
  RaProof proof;

  ra_report_blocks_init (&b);
  for (guint n = 0; n <= 100; n++)
    ra_report_blocks_on_sent (&b, 1, (guint16) n, n * (RaTime) RA_SECOND);
  hear (&b, proof_rows[i].ssrc, proof_rows[i].first, now, &r);
  r = (RaReport){ .queue = RA_SPAN_NONE };
  proof = ra_report_blocks_hear (&b,
      &(RaBlock){ proof_rows[i].ssrc, proof_rows[i].second, 1,
          proof_rows[i].lsr, RA_SECOND },
      ra_later (now, proof_rows[i].ms * RA_MSECOND), &r);
  g_test_message ("%s", proof_rows[i].why);
  g_assert_cmpint (proof, ==, proof_rows[i].proof);
  g_assert_cmpuint (r.arrived, ==, proof == RA_PROOF_DELIVERED);
  if (proof != RA_PROOF_DELIVERED)
    g_assert_cmpuint (r.expected + r.lost_congestion, ==, 0);
}

/* Blocks of one packet are one report, in either order: at 100 ms of 300 packets of each
 * SSRC, half of one is lost, a fourth of all. */
static void
test_together (void)
{
  for (guint order = 0; order < 2; order++) {
    World w = world_new ("fixed", 9);
    RaBlock blocks[2] = { 0 };

    w.ssrcs = 2;
    world_run (&w, REPORT);
    for (guint i = 0; i < 2; i++)
      blocks[i] = (RaBlock){ .ssrc = 1 + (i ^ order),
        .ext_highest_seq = (guint32) (w.f.next / 2) - 1,
        .fraction_lost = i ^ order ? .5 : 0,
        .lsr = RA_LSR_OURS,
        .rtt = 100 * RA_MSECOND };
    ra_sender_on_receiver_report (w.f.sender, blocks, 2, w.f.now);
    g_assert_cmpfloat_with_epsilon (
        observed (ra_sender_observe, w.f.sender, "raw_loss"), .25, .001);
    ra_sender_free (w.f.sender);
  }
}

/* More SSRCs than there is room for. */
static void
test_many (void)
{
  World w = world_new ("fixed", 9);

  w.ssrcs = 40;
  for (guint n = 1; n < 20; n++) {
    world_run (&w, REPORT);
    for (guint32 ssrc = 0; ssrc < 40; ssrc++)
      world_hear (&w, ssrc, 0, 0, 100 * RA_MSECOND);
  }
  g_assert_cmpint (fixture_stats (&w.f).breaker, ==, RA_BREAKER_CLOSED);
  g_assert_cmpuint (ra_sender_rate (w.f.sender), ==, RATE);
  ra_sender_free (w.f.sender);
}

void
tests_add (void)
{
  g_test_add_func ("/sender-heard/heard", test_heard);
  g_test_add_func ("/sender-heard/early", test_early);
  rows_add ("/sender-heard/media", media_rows, test_media);
  rows_add ("/sender-heard/proof", proof_rows, test_proof);
  g_test_add_func ("/sender-heard/congestion", test_congestion);
  g_test_add_func ("/sender-heard/cap", test_cap);
  g_test_add_func ("/sender-heard/beside-feedback", test_beside_feedback);
  g_test_add_func ("/sender-heard/rate", test_rate);
  g_test_add_func ("/sender-heard/blocks", test_blocks);
  g_test_add_func ("/sender-heard/together", test_together);
  g_test_add_func ("/sender-heard/many", test_many);
}
