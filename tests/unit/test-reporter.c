/* The receiver of packets off the wire: losses, send times, delays, colours, and
 * what became of the DSCP.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "reporter-fixture.h"
#include "../main.h"
#include "../observed.h"

#include <gst/rtpadapt/colour/number.h>

/* --- losses --- */

/* Two SSRCs take turns, one packet each 10 ms.  Of 400 packets, A's 100th, 101st
 * and B's 150th are lost, A's 120th comes two packets late: three losses.  With
 * numbers, B's 180th, too, was dropped by the sender before it got one: no loss;
 * without, a fourth. */
static void
losses_play (gboolean numbers, RaReporterStats *stats)
{
  g_autoptr (RaReporter) r = reporter_new (NULL, ra_lda_find ("none"));
  RaWirePacket late = { 0 };
  gint number = 65500;

  for (guint i = 0; i < 400; i++) {
    RaWirePacket p = wire_packet ((guint16) (65500 + i / 2), MS (i * 10));
    gboolean a = i % 2 == 0;
    guint n = i / 2;

    p.ssrc = a ? 0xaaaa : 0xbbbb;
    if (!a && n == 180)
      continue;
    if (numbers)
      p.number = number++ & 0xffff;
    if ((a && (n == 100 || n == 101)) || (!a && n == 150))
      continue;
    if (a && n == 120) {
      late = p;
      continue;
    }
    ra_reporter_on_packet (r, &p);
    if (a && n == 121) {
      late.arrival = p.arrival;
      ra_reporter_on_packet (r, &late);
    }
  }
  *stats = reporter_stats (r);
}

static void
test_losses (void)
{
  RaReporterStats stats;

  losses_play (TRUE, &stats);
  g_assert_cmpuint (stats.packets, ==, 396);
  g_assert_cmpuint (stats.bytes, ==, 396000);
  g_assert_cmpuint (stats.expected, ==, 399);
  g_assert_cmpuint (stats.loss.congestion + stats.loss.wireless, ==, 3);
  g_assert_cmpuint (stats.loss.late, ==, 1);
  g_assert_cmpuint (stats.loss.recovered, ==, 0);
  losses_play (FALSE, &stats);
  g_assert_cmpuint (stats.packets, ==, 396);
  g_assert_cmpuint (stats.expected, ==, 400);
  g_assert_cmpuint (stats.loss.congestion + stats.loss.wireless, ==, 4);
}

/* --- send times --- */

static void
stamped (RaReporter *r, guint16 seq, RaTime sent, RaTime arrival)
{
  RaWirePacket p = wire_packet (seq, arrival);
  RaSendTs ts = { 50 * RA_MSECOND, ra_stamp_us (sent) };

  p.send_ts = &ts;
  ra_reporter_on_packet (r, &p);
}

/* Packets as SENT@ARRIVED, in ms, "-" for none; the queue after the last one. */
static const struct
{
  const gchar *packets;
  gdouble queue; /* ms; -1 unknown */
  guint delayed, gaps;
  const gchar *why;
} delay_rows[] = {
  { "1000@0", 0, 0, 0, "the first one is the fastest so far" },
  { "1000@0 1010@30", 20, 0, 0, "20 ms more on its way" },
  { "1000@40 1010@30 1020@60", 20, 0, 0, "the second is the fastest" },
  { "1000@0 1010@85", 75, 0, 1, "75 ms is not above 75 ms" },
  { "1000@0 1010@86", 76, 1, 1, "76 ms is" },
  { "1000@0 1100@100 1200@200", 0, 0, 2,
      "10 frames/s: far apart, and none delayed" },
  { "-@0 -@100 -@200", -1, 0, 2, "the same without send times" },
  { "1000@0 1010@75", 65, 0, 0, "75 ms after the one before is not above" },
  { "1000@0 -@5 1020@60", 40, 0, 0, "one without send time between" },
  { "-@100 -@150 -@230", -1, 0, 1,
      "none has, so no delay is known; 80 ms after the one before" },
  { "1000@0 1010@50 1040@60", 20, 0, 0, "the queue drains" },
  { "4294960@0 4294970@15", 5, 0, 0, "t_i wraps at 4294.967296 s" },
  { "4294960@0 4294950@15", 25, 0, 0, "and back: sent before the one before" },
  { "1000@0 1010@30 500000@40 500010@55", 15, 0, 0,
      "the sender's clock jumps: of 20 ms 10 are left 10 ms later, 5 more" },
  { "20000@0 20010@30 1@40 2@41", 10, 0, 0,
      "the sender started again: of 20 ms 10 are left 10 ms later" },
  { "20000@0 20010@30 1@90 2@91", 0, 0, 0, "60 ms later none is" },
  { "1000@9000000 1010@30 1020@60", 20, 0, 0, "our clock went back" },
};

static void
test_delays (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (delay_rows); i++) {
    const gchar *script = delay_rows[i].packets;
    g_autoptr (RaReporter) r = reporter_new (NULL, ra_lda_find ("none"));
    RaReporterStats stats;
    guint16 n = 0;

    for (ScriptWord w; script_next (&script, &w); n++) {
      RaWirePacket p = wire_packet (n, w.at);

      if (w.has_number)
        stamped (r, n, MS (w.number), w.at);
      else
        ra_reporter_on_packet (r, &p);
    }
    stats = reporter_stats (r);
    g_test_message ("%s: %s", delay_rows[i].packets, delay_rows[i].why);
    if (delay_rows[i].queue < 0)
      g_assert_cmpint (stats.queue, ==, RA_SPAN_NONE);
    else
      g_assert_cmpint (stats.queue, ==, ra_span (delay_rows[i].queue / 1000));
    g_assert_cmpuint (stats.delayed, ==, delay_rows[i].delayed);
    g_assert_cmpfloat (
        stats.delayed_ratio, ==, delay_rows[i].delayed / (gdouble) n);
    g_assert_cmpfloat (
        stats.delayed_packet_ratio, ==, delay_rows[i].gaps / (gdouble) n);
  }
}

/* Two wraps of t_i without a packet, or with one each minute: all the same, the
 * last one took 10 ms more than the first. */
static void
test_silence (void)
{
  for (guint step = 60; step <= 8590; step *= 143) {
    g_autoptr (RaReporter) r = reporter_new (NULL, ra_lda_find ("none"));
    guint16 seq = 0;

    for (guint t = 0; t < 8590; t += step)
      stamped (r, seq++, MS (t * 1000 + 5000), MS (t * 1000));
    stamped (r, seq, MS (8590 * 1000 + 5000), MS (8590 * 1000 + 10));
    g_assert_cmpfloat (
        observed (ra_reporter_observe, r, "receiver.rott"), ==, .010);
  }
}

/* After 30 s another path is the fastest. */
static void
test_delay_forgets (void)
{
  g_autoptr (RaReporter) r = reporter_new (NULL, ra_lda_find ("none"));

  for (guint16 i = 0; i < 500; i++) {
    stamped (r, i, MS (i * 100), MS (i * 100 + (i < 10 ? 20 : 60)));
    if (i == 250)
      g_assert_cmpint (reporter_stats (r).queue, ==, 40 * RA_MSECOND);
  }
  g_assert_cmpint (reporter_stats (r).queue, ==, 0);
  g_assert_cmpint (reporter_stats (r).rtt, ==, 50 * RA_MSECOND);
}

/* --- who may say wireless --- */

static RaCause
always_wireless (RaLda *lda, const RaArrival *a)
{
  return RA_CAUSE_WIRELESS;
}

static const RaLdaOps wireless = {
  .name = "wireless",
  .cite = "-",
  .size = sizeof (RaLda),
  .on_packet = always_wireless,
};

static const struct
{
  guint until; /* so many packets with send time, then without */
  guint missing;
  guint64 congestion, wireless;
  const gchar *why;
} trust_rows[] = {
  { 100, 50, 0, 1, "as the LDA says" },
  { 0, 50, 1, 0, "there never was a send time" },
  { 48, 50, 0, 1, "a few packets without" },
  /* The loss is confirmed by the third packet after it. */
  { 10, 38, 0, 1, "31 of them in a row" },
  { 10, 39, 1, 0, "32 of them in a row" },
};

static void
test_trust (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (trust_rows); i++) {
    g_autoptr (RaReporter) r = reporter_new (NULL, &wireless);
    RaReporterStats stats;

    for (guint16 k = 0; k < 100; k++) {
      RaWirePacket p = wire_packet (k, MS (k * 10));

      if (k == trust_rows[i].missing)
        continue;
      if (k < trust_rows[i].until)
        stamped (r, k, MS (k * 10), MS (k * 10));
      else
        ra_reporter_on_packet (r, &p);
    }
    stats = reporter_stats (r);
    g_test_message ("%s", trust_rows[i].why);
    g_assert_cmpuint (stats.loss.congestion, ==, trust_rows[i].congestion);
    g_assert_cmpuint (stats.loss.wireless, ==, trust_rows[i].wireless);
  }
}

/* --- colours and ECN --- */

static guint heard_marks[RA_N_MARKS], heard_lost[RA_N_MARKS];

static RaCause
listen (RaLda *lda, const RaArrival *a)
{
  heard_marks[a->mark]++;
  for (guint i = 0; i < RA_N_MARKS; i++)
    heard_lost[i] += a->lost_by_mark[i];
  return RA_CAUSE_CONGESTION;
}

static const RaLdaOps listening = {
  .name = "listening",
  .cite = "-",
  .size = sizeof (RaLda),
  .on_packet = listen,
};

/* Green, yellow and red in turns, 300 of them; of 100 green ones 1, of 100 yellow
 * ones 2 (among them the first, which nobody misses), of red ones 10 are lost.
 * Every 50th of the rest is marked CE. */
static void
test_colours (void)
{
  g_autoptr (RaReporter) r = reporter_new (NULL, &listening);
  RaMarkNumbers numbers = { 0 };
  RaReporterStats stats;
  guint ce = 0;

  memset (heard_marks, 0, sizeof heard_marks);
  memset (heard_lost, 0, sizeof heard_lost);
  for (guint i = 0; i < 300; i++) {
    RaMark mark = (RaMark) (1 + i % 3);
    RaColourExt colour = { mark, ra_mark_number (&numbers, mark) };
    RaWirePacket p = wire_packet ((guint16) i, MS (i));

    if ((mark == RA_MARK_GREEN && colour.n == 50)
        || (mark == RA_MARK_YELLOW && (colour.n == 1 || colour.n == 70))
        || (mark == RA_MARK_RED && colour.n % 10 == 5))
      continue;
    p.colour = &colour;
    p.tos = i % 50 == 1 ? 3 : 2;
    ce += i % 50 == 1;
    ra_reporter_on_packet (r, &p);
  }
  stats = reporter_stats (r);
  g_assert_cmpuint (stats.by_mark[RA_MARK_NONE], ==, 0);
  g_assert_cmpuint (stats.by_mark[RA_MARK_GREEN], ==, 99);
  g_assert_cmpuint (stats.by_mark[RA_MARK_YELLOW], ==, 98);
  g_assert_cmpuint (stats.by_mark[RA_MARK_RED], ==, 90);
  g_assert_cmpuint (heard_lost[RA_MARK_GREEN], ==, 1);
  g_assert_cmpuint (heard_lost[RA_MARK_YELLOW], ==, 1);
  g_assert_cmpuint (heard_lost[RA_MARK_RED], ==, 10);
  g_assert_cmpuint (heard_marks[RA_MARK_RED], ==, 90);
  g_assert_cmpuint (stats.ce, ==, ce);
  g_assert_cmpuint (stats.loss.events, >, 0);
}

/* A mark is a loss event, without any loss (RFC 5348 5.1). */
static void
test_ce (void)
{
  g_autoptr (RaReporter) r = reporter_new (NULL, ra_lda_find ("none"));

  for (guint16 i = 0; i < 10; i++) {
    RaWirePacket p = wire_packet (i, MS (i * 10));

    p.tos = i == 5 ? 3 : 1; /* RFC 3168 5: ECT(1) is 01, CE 11 */
    ra_reporter_on_packet (r, &p);
  }
  g_assert_cmpuint (reporter_stats (r).ce, ==, 1);
  g_assert_cmpuint (reporter_stats (r).loss.events, ==, 1);
  g_assert_cmpuint (reporter_stats (r).loss.congestion, ==, 0);
  g_assert_cmpfloat (reporter_stats (r).p, >, 0);
}

/* --- the DSCP --- */

/* Words COLOUR COUNT=DSCP: g, y, r, or n for none; "?": no DSCP is known.  AFxy of
 * RFC 2597 6: AF41 34, AF42 36, AF43 38, AF11 10, AF12 12. */
static const struct
{
  const gchar *packets;
  RaDscpFate fate;
  const gchar *why;
} dscp_rows[] = {
  { "", RA_DSCP_UNKNOWN, "no packet" },
  { "n100=34", RA_DSCP_UNKNOWN, "no colour" },
  { "g100?", RA_DSCP_UNKNOWN, "no octet" },
  { "g19=34", RA_DSCP_UNKNOWN, "too few" },
  { "g20=34", RA_DSCP_INTACT, "one colour by itself" },
  { "g20=34 y19=0", RA_DSCP_INTACT, "too few yellow ones to say" },
  { "g20=34 y20=36 r20=38", RA_DSCP_INTACT, "class 4" },
  { "g20=10 y20=12", RA_DSCP_INTACT, "class 1" },
  { "g20=34 y20=12", RA_DSCP_REMARKED, "of two classes" },
  { "g20=34 y20=34 r20=34", RA_DSCP_REMARKED, "all green" },
  { "y20=34", RA_DSCP_REMARKED, "yellow in green's clothes" },
  { "g20=0 y20=0", RA_DSCP_BLEACHED, "best effort" },
  { "g20=0 y20=36", RA_DSCP_REMARKED, "one of them" },
  { "g20=46", RA_DSCP_REMARKED, "EF" },
  { "g20=8", RA_DSCP_REMARKED, "CS1" },
  { "g50=34 g1=0", RA_DSCP_REMARKED, "not always the same" },
  { "g50=34 g20=0", RA_DSCP_BLEACHED, "from now on" },
  { "g20=34 y20=36 g1000=0", RA_DSCP_REMARKED, "yellow ones are not heard" },
  { "g20=34 y20=36 g1001=0", RA_DSCP_BLEACHED, "and forgotten" },
  { "g20=34 y20=36 g1001=34 y1=0", RA_DSCP_INTACT, "one is too few again" },
};

static void
test_dscp (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (dscp_rows); i++) {
    const gchar *script = dscp_rows[i].packets;
    g_autoptr (RaReporter) r = reporter_new (NULL, ra_lda_find ("none"));
    guint16 seq = 0;

    for (ScriptWord w; script_next (&script, &w);) {
      RaColourExt colour = { (RaMark) (strchr ("ngyr", w.letter) - "ngyr"), 0 };

      for (guint64 n = w.number; n > 0; n--) {
        RaWirePacket p = wire_packet (seq, MS (seq * 10));

        p.colour = &colour;
        p.tos = script_has (&w, '?')
            ? -1
            : (gint) script_value (&w, '=', 0) << 2 | 1;
        seq++;
        ra_reporter_on_packet (r, &p);
      }
    }
    g_test_message ("%s: %s", dscp_rows[i].packets, dscp_rows[i].why);
    g_assert_cmpstr (ra_dscp_fate_nick (reporter_stats (r).dscp), ==,
        ra_dscp_fate_nick (dscp_rows[i].fate));
  }
  g_assert_cmpstr (ra_dscp_fate_nick (RA_DSCP_BLEACHED), ==, "bleached");
}

/* --- counts --- */

static void
test_counts (void)
{
  g_autoptr (RaReporter) r
      = reporter_new (&ra_feedback_tfrc, ra_lda_find ("none"));
  RaSendTs ts = { 0, 0 };

  for (guint16 i = 0; i < 10; i++) {
    RaWirePacket p = wire_packet (i, MS (i * 10));

    if (i >= 2 && i < 8)
      p.number = i;
    if (i != 5)
      p.send_ts = &ts;
    ts.t_i += 10000;
    ra_reporter_on_packet (r, &p);
  }
  g_assert_cmpuint (reporter_stats (r).no_number, ==, 2); /* 8, 9 */
  g_assert_cmpuint (reporter_stats (r).no_send_time, ==, 1);
  g_assert_cmpuint (reporter_stats (r).expected, ==, 10);
}

/* Nobody asks for reports.  1200 bytes each 10 ms, R = 100 ms, the 83rd packet is
 * lost: the first loss interval is that of X_recv (RFC 5348 6.3.1), 120 kB/s =
 * s / (R f(p)), f(p) = .1, p = .0122 (3.1: sqrt (.00813) = .0902, and 12 * .0676
 * * .0122 * 1.005 = .0099). */
static void
test_measured (void)
{
  g_autoptr (RaReporter) r = reporter_new (NULL, ra_lda_find ("none"));

  for (guint16 i = 0; i < 90; i++) {
    RaWirePacket p = wire_packet (i, MS (i * 10));
    RaSendTs ts = { 100 * RA_MSECOND, ra_stamp_us (p.arrival) };

    p.send_ts = &ts;
    p.size = 1200;
    if (i == 81)
      g_assert_cmpuint (reporter_stats (r).recv_rate, ==, 960000);
    if (i != 82)
      ra_reporter_on_packet (r, &p);
  }
  g_assert_cmpfloat_with_epsilon (reporter_stats (r).p, .0122, .0003);
}

/* However short the R from the network is, there are at most 100 reports per second
 * (ra_reporter_next_timeout()), and one at the start. */
static void
test_begged (void)
{
  static const RaSpan rtts[]
      = { RA_USECOND, RA_MSECOND, 9 * RA_MSECOND, 10 * RA_MSECOND };

  for (guint i = 0; i < G_N_ELEMENTS (rtts); i++) {
    guint n = reporter_beg (rtts[i], 3);

    g_assert_cmpuint (n, <=, 301);
    g_assert_cmpuint (n, >=, 270); /* it does answer */
  }
}

static void
test_lda_exchange (void)
{
  RaReporterConfig cfg = { .lda = ra_lda_find ("biaz"), .lda_params = "x=1" };
  GError *error = NULL;
  g_autoptr (RaReporter) r = NULL;

  g_assert_null (ra_reporter_new (&cfg, &error));
  g_assert_nonnull (error);
  g_clear_error (&error);
  r = reporter_new (&ra_feedback_tfrc, ra_lda_find ("none"));
  g_assert_false (
      ra_reporter_set_lda (r, ra_lda_find ("zbs"), "nonsense=1", &error));
  g_assert_nonnull (error);
  g_clear_error (&error);
  g_assert_true (ra_reporter_set_lda (r, ra_lda_find ("zbs"), NULL, &error));
  g_assert_no_error (error);
  ra_reporter_free (NULL);
}

void
tests_add (void)
{
  g_test_add_func ("/reporter/losses", test_losses);
  g_test_add_func ("/reporter/delays", test_delays);
  g_test_add_func ("/reporter/silence", test_silence);
  g_test_add_func ("/reporter/delay-forgets", test_delay_forgets);
  g_test_add_func ("/reporter/trust", test_trust);
  g_test_add_func ("/reporter/colours", test_colours);
  g_test_add_func ("/reporter/ce", test_ce);
  g_test_add_func ("/reporter/dscp", test_dscp);
  g_test_add_func ("/reporter/counts", test_counts);
  g_test_add_func ("/reporter/measured", test_measured);
  g_test_add_func ("/reporter/begged", test_begged);
  g_test_add_func ("/reporter/lda-exchange", test_lda_exchange);
}
