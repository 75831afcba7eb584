/* The receiver by hand: when it reports (RFC 5348 6.1-6.3) and what.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "../rows.h"
#include "receiver-fixture.h"

#include <math.h>

/* When reports are due, R = 100 ms.  The timer runs by itself; at the same
 * instant it comes before the packet. */
static const struct
{
  const gchar *script, *want, *why;
} due_rows[] = {
  { "10@0", "!", "the first packet reports at once (6.3)" },
  { "10@0n 11@10n 12@20n 13@30 14@40 @129", "!!!..",
      "each packet reports until one tells R (6.3)" },
  { "10@0n 11@30 12@40 @130", "!..T", "the timer runs R from then (6.3)" },
  { "10@0n 11@10n @5000", "!!", "no R, no timer" },
  { "10@0 11@10 @99", "!.", "not before R" },
  { "10@0 11@10 @100", "!.T", "once per R (6.2 step 4)" },
  { "10@0 11-50@5", "!..........T..........T..........T..........",
      "and again" },
  { "10@0 @350", "!ttt", "no data, nothing to say, the timer goes on (6.2)" },
  { "10@0 @150 11@160 12@170 @259", "!t!.",
      "then the next packet reports at once, and restarts the timer (6.1)" },
  { "10@0 @150 11@160 12@170 @260", "!t!.T", "R after that report" },
  { "10@0 11@10 13@30 14@40", "!...", "two later packets: not lost yet" },
  { "10@0 11@10 13@30 14@40 15@50 16@60", "!...!.",
      "the third one makes a loss event, which reports at once (6.1 step 4)" },
  { "10@0 11@10 13@30 14@40 15@50 @149", "!...!", "and restarts the timer" },
  { "10@0 11@10 13@30 14@40 15@50 @150", "!...!t", "and has nothing to add" },
  { "10@0 11@10 13@30 14@40 15@50 16@60 18@80 19@90 20@95", "!...!....",
      "17, nominally at 70 ms, is of the same event: 20 + 100 >= 70 (5.2)" },
  /* The first interval is 29.1 (below); 24 closes one of 12 packets, which
   * raises p.  12 was nominally at 20 ms, 24 at 140 ms: 20 + 100 < 140. */
  { "10@0 11@10 13-23@30 25@150 26@160 27@170", "!...!........T..!",
      "a second event that raises p reports at once" },
  /* At 470 ms 56 was the last: I_0 = 33, I_1 = 12, p = 2 / (33 + 12) was
   * reported.  59 closes I_1 = 35: p = 3 / (35 + 12 + 29.1), less (5.4). */
  { "10@0 11@10 13-23@30 25-58@150 60@500 61@510 62@520 @570",
      "!...!........T..!.........T..........T..........T.....T",
      "one that does not waits for the timer" },
  { "10@0 11@10 13@30 14@40 15@50 12@55", "!...!!",
      "a late packet that removes the event reports at once (6.1 step 2)" },
  { "10@0 11@10 13@30 14@40 12@45 15@50", "!.....",
      "late, but in time: no event" },
  { "10@0 11@10 11@20 11@30", "!...", "duplicates" },
  { "10@0 @150 10@160 11@170", "!t.!", "a duplicate is no data" },
  { "10@0 11@10 13@30w 14@40 15@50 16@60", "!.....",
      "a wireless loss counts as arrived" },
  { "10@0 11@10 12@20c", "!.!", "CE is a loss event at once (5.1)" },
  { "10@0 11@10 12@20c 13@30c", "!.!.", "two of them within R: one event" },
  { "10@0 11@10 13@60 14@40 15@50", "!...!",
      "rows of feedback are in order, arrivals need not be" },
  { "10@5000 11@5010 13@5030 14@40 15@50", "!...!", "the clock went back" },
  { "10@0 11@10 s15 15@50 16@60 17@70 18@80", "!.....",
      "what is skipped is not lost" },
  { "10@0 s15 16@50 17@60 18@70 19@80", "!..!.", "15 is lost all the same" },
};

static void
test_due (gconstpointer data)
{
  guint i = GPOINTER_TO_UINT (data);
  g_auto (Player) p;

  player_init (&p, &scripted, 100 * RA_MSECOND);
  play (&p, due_rows[i].script);
  if (!g_str_equal (p.out->str, due_rows[i].want))
    g_test_message ("%s: %s", due_rows[i].script, due_rows[i].why);
  g_assert_cmpstr (p.out->str, ==, due_rows[i].want);
}

/* X_recv.  Words: "MS" a packet of 1000 bytes arrives, "dMS" the same one
 * again, "wMS" one arrives after one that the radio took, "lMS" the second
 * last, late, "rMS" a report; `want` in bit/s is for the last report. */
static const struct
{
  guint rtt; /* ms */
  const gchar *script;
  guint64 want;
  const gchar *why;
} x_recv_rows[] = {
  { 100, "0 r0", 0, "the first report says 0 (6.3)" },
  { 0, "0 r0 10 20 r20", 0, "no R, no X_recv" },
  { 100, "0 r0 10 20 30 r99", 320000, "4 packets in R" },
  { 100, "0 r0 10 20 30 r100", 240000, "(now - R, now]: 0 is out" },
  { 100, "0 r0 10 20 30 r60 90 r90", 400000,
      "early, still the whole R (6.2 step 2)" },
  { 50, "0 r0 10 20 30 r50 60 70 r100", 320000,
      "(50, 100]: what was reported before is not counted again" },
  { 100, "0 r0 10 d20 d30 r99", 160000, "duplicates" },
  { 100, "0 r0 10 w30 40 r99", 320000, "what the radio took did not arrive" },
  { 100, "0 r0 10 w30 l40 r99", 320000, "a late one did" },
  /* 5 packets in 33 ms: 40000 bit / 0.033 s */
  { 10, "0 r0 1 2 3 4 5 r33", 1212121,
      "R is shorter than a frame: since the last report" },
  { 10, "0 r0 1 2 3 r5 6 r12", 1600000,
      "R is longer than since the last report: (2, 12], 2 packets in 10 ms" },
  /* (200, 300]: 2 packets in 100 ms */
  { 10, "0 r0 100 200 250 300 r300", 160000, "but at most 100 ms" },
  { 300, "0 r0 100 200 300 r350", 80000,
      "a long R: 3 packets in 300 ms, 24000 bit / 0.3 s" },
  { 100, "0 r0 5000 5010 100 110 r110", 160000,
      "the clock went back: what came at 5 s is not of the last R" },
};

static void
test_x_recv (gconstpointer data)
{
  guint i = GPOINTER_TO_UINT (data);
  const gchar *script = x_recv_rows[i].script;
  g_autoptr (RaReceiver) r = receiver_new (&scripted);
  RaReport report = { 0 };
  guint64 seq = 100;
  RaSpan t_delay;

  verdict = RA_CAUSE_WIRELESS;
  for (ScriptWord w; script_next (&script, &w);) {
    RaTime at = w.number * RA_MSECOND;
    RaPacket p = { .size = 1000,
      .sent = at,
      .arrival = at,
      .rtt = x_recv_rows[i].rtt * RA_MSECOND };

    if (w.letter == 'r') {
      ra_receiver_report (r, at, &report, &t_delay);
      continue;
    }
    p.seq = w.letter == 'd' ? seq - 1
        : w.letter == 'l'   ? seq - 2
        : w.letter == 'w'   ? ++seq
                            : seq;
    seq = MAX (seq, p.seq + 1);
    ra_receiver_on_packet (r, &p);
  }
  if (report.recv_rate != x_recv_rows[i].want)
    g_test_message ("%s", x_recv_rows[i].why);
  g_assert_cmpuint (report.recv_rate, ==, x_recv_rows[i].want);
}

/* The first loss interval (6.3.1): X_target = n packets per R makes f (p) =
 * s / (R X) = 1 / n with f of 8.1, so that I = 1 / p depends on n alone.  p by
 * bisection, apart from our code: f (.2064289) = 2, f (.1458700) = 1,
 * f (.0344), f (.0121727) = .1. */
static const struct
{
  const gchar *script;
  gdouble interval;
  const gchar *why;
} first_rows[] = {
  { "10@0c", 4.844283, "the first packet is marked: half a packet per R" },
  { "10@0nc", 4.844283, "so without R: it cancels" },
  { "10@0n 12@10n 13@20n 14@30n", 4.844283, "lost before R is known" },
  { "10@0 11@10 13@30 14@40 15@50", 29.088499,
      "5 in the last R, the one that tells of the loss among them" },
  { "10@0 11-20@5 @250 22@260 23@270 24@280", 82.150938,
      "10 per R once, 3 now: the highest X_recv so far" },
  { "10@0 11@190s 13@230s 14@240s 15@250s", 4.844283,
      "4 packets of 40 bytes per R: at least half a packet of s" },
};

static void
test_first_interval (gconstpointer data)
{
  guint i = GPOINTER_TO_UINT (data);
  gdouble p, want = first_rows[i].interval;
  g_auto (Player) player;

  player_init (&player, &scripted, 100 * RA_MSECOND);
  play (&player, first_rows[i].script);
  p = p_now (player.r);
  /* RFC 5348 6.3.1 allows 5 % of X_target. */
  if (!(fabs (p * want - 1) < 0.005))
    g_test_message ("p = %g: %s", p, first_rows[i].why);
  g_assert_cmpfloat_with_epsilon (p * want, 1, 0.005);
}

/* One report, all of it: 12 lost to the radio, 16 and 17 to congestion, 19 to
 * 21 unheard of, 23 duplicated. */
static void
test_report (void)
{
  RaReceiverStats stats;
  g_auto (Player) p;

  player_init (&p, &scripted, RA_SECOND);
  play (&p, "10@0 11@10 13@30w 14@40 15@50 18@80 s22 22@120 23@130 23@140");
  g_assert_cmpstr (p.out->str, ==, "!......!.");
  g_assert_cmpuint (p.report.t_recvdata, ==, LAST_SENT (130));
  g_assert_cmpint (p.t_delay, ==, 0);
  g_assert_cmpuint (p.report.n_events, ==, 1);
  g_assert_cmpuint (p.report.lost_congestion, ==, 2);
  g_assert_cmpuint (p.report.lost_wireless, ==, 1);
  /* 11 to 23 without those that nobody told us about: 19, 20, 21 */
  g_assert_cmpuint (p.report.expected, ==, 10);
  g_assert_cmpfloat (p.report.p, ==, p_now (p.r));
  g_assert_cmpfloat (p.report.p, >, 0);
  ra_receiver_get_stats (p.r, &stats);
  g_assert_cmpuint (stats.arrived, ==, 8);
  g_assert_cmpuint (stats.duplicates, ==, 1);
  g_assert_cmpuint (stats.late, ==, 0);
  g_assert_cmpuint (stats.congestion, ==, 2);
  g_assert_cmpuint (stats.wireless, ==, 1);
  g_assert_cmpuint (stats.events, ==, 1);

  /* The next one starts from there; 16 comes late, which leaves 17. */
  play (&p, "24@150 16@160");
  g_assert_true (player_report (&p, 170 * RA_MSECOND));
  g_assert_cmpint (p.t_delay, ==, 20 * RA_MSECOND);
  g_assert_cmpuint (p.report.t_recvdata, ==, LAST_SENT (150));
  g_assert_cmpuint (p.report.n_events, ==, 0);
  g_assert_cmpuint (p.report.lost_congestion, ==, 0);
  g_assert_cmpuint (p.report.expected, ==, 1);
  ra_receiver_get_stats (p.r, &stats);
  g_assert_cmpuint (stats.late, ==, 1);
  g_assert_cmpuint (stats.recovered, ==, 1);
  g_assert_cmpuint (stats.events, ==, 1);
}

/* 12 is lost by 13, 14 and 15, and comes: before the report, which has neither a loss nor
 * its event then, or after one that had both (RFC 3550 A.3: it was received). */
static void
test_taken_back (void)
{
  for (guint after = 0; after < 2; after++) {
    g_auto (Player) p;

    player_init (&p, &scripted, RA_SECOND);
    play (&p, "10@0 r0");
    for (guint64 seq = 11; seq <= 15; seq++) {
      RaPacket packet = { .seq = seq,
        .size = 1000,
        .arrival = seq * 10 * RA_MSECOND,
        .rtt = RA_SECOND };

      if (seq != 12)
        ra_receiver_on_packet (p.r, &packet);
    }
    if (after) {
      play (&p, "r151");
      g_assert_cmpuint (p.report.lost_congestion, ==, 1);
      g_assert_cmpuint (p.report.n_events, ==, 1);
      g_assert_cmpuint (p.report.recovered, ==, 0);
    }
    ra_receiver_on_packet (p.r,
        &(RaPacket){ .seq = 12,
            .size = 1000,
            .arrival = 160 * RA_MSECOND,
            .rtt = RA_SECOND });
    play (&p, "r161");
    g_assert_cmpuint (p.report.lost_congestion, ==, 0);
    g_assert_cmpuint (p.report.n_events, ==, 0);
    g_assert_cmpuint (p.report.recovered, ==, after);
  }
}

/* A CE mark confirms the hole before it (RFC 5348 5.1): no third packet. */
static void
test_ce_hole (void)
{
  Player p;

  player_init (&p, &scripted, 100 * RA_MSECOND);
  play (&p, "10@0 11@10 13@20c");
  g_assert_cmpstr (p.out->str, ==, "!.!");
  g_assert_cmpuint (p.report.lost_congestion, ==, 1);
  g_assert_cmpuint (p.report.n_events, ==, 1); /* within R */
  player_clear (&p);

  /* A late one: what is missing before it, not what is behind. */
  player_init (&p, &scripted, 100 * RA_MSECOND);
  play (&p, "10@0 11@10 15@30 13@40c");
  g_assert_cmpstr (p.out->str, ==, "!..!");
  g_assert_cmpuint (p.report.lost_congestion, ==, 1);
  g_assert_cmpuint (p.report.n_events, ==, 1);
  play (&p, "16@50 17@60 @160");
  g_assert_cmpstr (p.out->str, ==, "!..!..T");
  g_assert_cmpuint (p.report.lost_congestion, ==, 1);
  player_clear (&p);
}

/* What the last report counts, of packets that came within R. */
static const struct
{
  const gchar *script;
  guint expected, arrived, congestion, wireless, runs;
  const gchar *why;
} count_rows[] = {
  { "10@0 11@10 r20", 1, 1, 0, 0, 0, "nothing lost" },
  { "10@0 11@10 13@30 14@40 15@50", 5, 4, 1, 0, 0, "congestion has no runs" },
  { "10@0 11@10 13@30w 14@40 15@50 r50", 5, 4, 0, 1, 1, "one" },
  { "0@0 2@20w 3@30 4@40 r40", 4, 3, 0, 1, 1, "packet 1" },
  { "0@0 3@20w 4@30 5@40 r40", 5, 3, 0, 2, 1, "packets 1 and 2: one run" },
  { "10@0 14@20w 15@30 16@40 r40", 6, 3, 0, 3, 1, "three in a row" },
  { "10@0 12@20w 14@30w 15@40 16@50 r50", 6, 4, 0, 2, 2, "two holes" },
  { "10@0 12@10w 14@20 16@30wc", 6, 3, 1, 2, 2,
      "a hole of the other cause between them (CE tells of all at once)" },
  { "10@0 14@20WCW 15@30 16@40 r40", 6, 3, 1, 2, 1,
      "both causes in a hole: FEC has one run to fill" },
  { "10@0 14@20CWW 15@30 16@40 r40", 6, 3, 1, 2, 1, "congestion first" },
  { "10@0 13@20CW 15@30wc", 5, 2, 1, 2, 2, "the next hole is the next run" },
  { "10@0 14@20w 12@30 15@40 16@50 r50", 6, 4, 0, 2, 2,
      "12 came in time: 11 and 13 are apart" },
  { "10@0 14@20w 12@30 15@40 r40 16@50 r50", 1, 1, 0, 1, 1,
      "and may be told in two reports" },
  { "10@0 13@20w 14@30 15@40 r40 17@50w 18@60 19@70 r70", 4, 3, 0, 1, 1,
      "a report ends no run and begins none" },
  { "10@0 11@10 11@20 12@30 r30", 2, 2, 0, 0, 0, "a duplicate did not arrive" },
  { "10@0 13@10 12@20 r20", 3, 2, 0, 0, 0, "a late one did" },
  { "10@0 11@10 9@20 r20", 1, 2, 0, 0, 0,
      "and one from before the first, which nobody expected" },
  { "10@0 11@10 s15 r20 15@30 r40", 1, 1, 0, 0, 0,
      "what was skipped is not expected in the next report either" },
  { "10@0 11@10 s13-14 14@30w 15@40 16@50 r50", 5, 4, 1, 0, 0,
      "12 was reported lost, and no LDA is asked; 13 is not known" },
  { "10@0 13@20w 14@30 15@40 12@50 r50", 5, 4, 0, 1, 1, "one of two" },
  { "10@0 12@20w 13@30 14@40 11@50 r50", 4, 4, 0, 0, 0, "the only one" },
};

static void
test_count (gconstpointer data)
{
  guint i = GPOINTER_TO_UINT (data);
  g_auto (Player) p;

  player_init (&p, &scripted, RA_SECOND);
  play (&p, count_rows[i].script);
  g_test_message ("%s: %s", count_rows[i].script, count_rows[i].why);
  g_assert_cmpuint (p.report.expected, ==, count_rows[i].expected);
  g_assert_cmpuint (p.report.arrived, ==, count_rows[i].arrived);
  g_assert_cmpuint (p.report.bytes, ==, 1000 * count_rows[i].arrived);
  g_assert_cmpuint (p.report.lost_congestion, ==, count_rows[i].congestion);
  g_assert_cmpuint (p.report.lost_wireless, ==, count_rows[i].wireless);
  g_assert_cmpuint (p.report.wireless_runs, ==, count_rows[i].runs);
}

/* The LDA hears in-order packets only, but of all that is missing. */
static void
test_lost_by_mark (void)
{
  static const struct
  {
    guint64 seq;
    guint lost, heard; /* with it; by the LDA so far */
    const gchar *why;
  } rows[] = {
    { 10, 0, 0, "the first" },
    { 13, 1, 1, "in order" },
    { 12, 2, 1, "late: the LDA does not hear it" },
    { 12, 9, 1, "a duplicate tells nothing" },
    { 14, 0, 3, "but with the next one" },
    { 15, 0, 3, "once" },
    { 11, 4, 3, "late, when it was lost already" },
    { 16, 0, 7, "with the next one, too" },
  };
  g_autoptr (RaReceiver) r = receiver_new (&scripted);

  heard_by_mark[RA_MARK_GREEN] = 0;
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    RaPacket p = { .seq = rows[i].seq, .size = 1000, .arrival = i };

    p.lost_by_mark[RA_MARK_GREEN] = rows[i].lost;
    ra_receiver_on_packet (r, &p);
    g_test_message ("%s", rows[i].why);
    g_assert_cmpuint (heard_by_mark[RA_MARK_GREEN], ==, rows[i].heard);
  }
}

/* The queue is the trip time above its lowest, whatever the clocks say; the
 * lowest and the highest are of the packets of one report. */
static void
test_queue (void)
{
  static const struct
  {
    guint trip[3];          /* ms, of a report's packets; 0: none */
    guint queue, low, high; /* ms */
    const gchar *why;
  } rows[] = {
    { { 50 }, 0, 0, 0, "the first is the lowest" },
    { { 80 }, 30, 30, 30, "30 more" },
    { { 60, 90, 70 }, 20, 10, 40, "of the last; 60 - 50, 90 - 50" },
    { { 40 }, 0, 0, 0, "a new lowest" },
    { { 41, 42 }, 2, 1, 2, "from now on above that" },
    { { 60, 30, 35 }, 5, 0, 30, "all above the lowest of now" },
  };

  for (guint offset = 0; offset < 2; offset++) {
    g_autoptr (RaReceiver) r = receiver_new (&scripted);
    guint64 seq = 0;

    for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
      RaTime now = (i + 1) * RA_SECOND;
      RaReport report;
      RaSpan t_delay;

      for (guint j = 0; j < 3 && rows[i].trip[j]; j++)
        ra_receiver_on_packet (r,
            &(RaPacket){ .seq = seq++,
                .size = 1000,
                .sent = now - rows[i].trip[j] * RA_MSECOND + offset * OFFSET,
                .arrival = now });
      g_test_message ("%s", rows[i].why);
      g_assert_true (ra_receiver_report (r, now, &report, &t_delay));
      g_assert_cmpint (report.queue, ==, rows[i].queue * RA_MSECOND);
      g_assert_cmpint (report.queue_min, ==, rows[i].low * RA_MSECOND);
      g_assert_cmpint (report.queue_max, ==, rows[i].high * RA_MSECOND);
    }
  }
}

static void
losses_count (const RaMissing *m, gpointer data)
{
  g_assert_cmpuint (m->seq, ==, 12);
  g_assert_cmpuint (m->t_loss, ==, 20 * RA_MSECOND);
  ++*(guint *) data;
}

/* A new LDA forgets nothing. */
static void
test_set_lda (void)
{
  RaLda *lda = ra_lda_new (&scripted, NULL, NULL);
  guint n = 0;
  gdouble p;
  g_auto (Player) player;

  player_init (&player, &scripted, 100 * RA_MSECOND);
  ra_receiver_set_on_loss (player.r, losses_count, &n);
  play (&player, "10@0 11@10 13@30 14@40 15@50");
  g_assert_cmpuint (n, ==, 1);
  p = p_now (player.r);
  g_assert_cmpfloat (p, >, 0);
  ra_receiver_set_lda (player.r, lda);
  g_assert_true (ra_receiver_get_lda (player.r) == lda);
  g_assert_cmpfloat (p_now (player.r), ==, p);
}

void
tests_add (void)
{
  rows_add ("/receiver/due", due_rows, test_due);
  rows_add ("/receiver/x-recv", x_recv_rows, test_x_recv);
  rows_add ("/receiver/first-interval", first_rows, test_first_interval);
  rows_add ("/receiver/count", count_rows, test_count);
  g_test_add_func ("/receiver/report", test_report);
  g_test_add_func ("/receiver/lost-by-mark", test_lost_by_mark);
  g_test_add_func ("/receiver/taken-back", test_taken_back);
  g_test_add_func ("/receiver/ce-hole", test_ce_hole);
  g_test_add_func ("/receiver/queue", test_queue);
  g_test_add_func ("/receiver/set-lda", test_set_lda);
}
