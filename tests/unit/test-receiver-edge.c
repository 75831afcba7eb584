/* The receiver at the edges: how old losses are, and what the network may say.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "../rows.h"
#include "receiver-fixture.h"

/* How long before the last packet in order the newest congestion loss that the
 * report tells of was due (RFC 5348 5.2); R is 1 s, or 100 ms with an LDA. */
static const struct
{
  const gchar *lda, *script;
  guint age; /* ms */
  const gchar *why;
} age_rows[] = {
  { NULL, "10@0 11@10 r20", 0, "no loss" },
  { NULL, "10@0 11@10 13@30 14@40 15@50", 30, "12, due at 20 ms: 50 - 20" },
  { NULL, "10@0 11@10 14@40 15@50 16@60", 30, "13, due at 30 ms, not 12" },
  { NULL, "10@0 11@10 13@30w 14@40 15@50 r50", 0, "the radio's have no age" },
  { NULL, "10@0 13@30CW 14@40 15@50 r50", 40,
      "11, due at 10 ms, not the radio's 12" },
  { NULL, "10@0 13@30WC 14@40 15@50 r50", 30, "12, due at 20 ms" },
  { NULL, "10@0 11@10 13@30 14@40 15@50 16@90 r95", 0,
      "once told, it is of no later report" },
  { NULL, "10@0 11@10 13@30 14@40 15@50 17@80 18@90 19@100 20@130 r140", 65,
      "16, due at 65 ms: 130 - 65, the report's delay not in it" },
  { NULL,
      "10@0 11@10 13@30 14@40 15@50 17@80 18@90 19@100 21@130w 22@140 23@150 "
      "r150",
      85, "a later loss of the radio's does not count: 150 - 65" },
  { NULL,
      "10@0 11@10 13@30 14@40 15@50 17@80 18@90 19@100 21@130 22@140 23@150 "
      "20@160 r170",
      85, "20, due at 115 ms, came after all: 150 - 65" },
  { NULL,
      "10@0 11@10 13@30 14@40 15@50 17@80 18@90 19@100 20@110c 22@130 23@140 "
      "24@150 21@160 r170",
      40, "so did 21, but a mark came: 150 - 110" },
  { NULL, "10@0 11@10 13@50 12@60 14@70 r80 16@500 17@40 18@50 r510", 0,
      "the clock went back: 15, due at 285 ms, is behind 18's 50" },
  { NULL, "10@5000 11@5010 13@5030 14@40 15@50 16@60 18@80 19@90 20@100 r110",
      30, "it went back, but for 17, due at 70 ms, not for 12 long ago" },
  { NULL, "10@0 11@10 12@20c", 0, "a marked packet came" },
  /* 30 was due at 200 ms, its verdict waits until 310. */
  { "dcr", "10@0 11@10 13@30 14@40 15@50 16-29@60 31-33@210 34-37@260 @310", 90,
      "a verdict that waited: 290 - 200, when it is due there is no packet" },
};

static void
test_age (gconstpointer data)
{
  guint i = GPOINTER_TO_UINT (data);
  g_auto (Player) p;

  if (age_rows[i].lda)
    player_init (&p, ra_lda_find (age_rows[i].lda), 100 * RA_MSECOND);
  else
    player_init (&p, &scripted, RA_SECOND);
  play (&p, age_rows[i].script);
  g_test_message ("%s: %s", age_rows[i].script, age_rows[i].why);
  g_assert_cmpint (p.report.loss_age, ==, age_rows[i].age * RA_MSECOND);
}

/* 12 was counted as the radio's, then the guard begins to distrust, and it comes. */
static void
test_distrust_between (void)
{
  g_auto (Player) p;

  player_init (&p, &scripted, RA_SECOND);
  play (&p, "10@0 11@10 13@30w 14@40 15@50");
  ra_receiver_set_distrust (p.r, TRUE);
  play (&p, "12@60 r70");
  g_assert_cmpuint (p.report.lost_wireless, ==, 0);
  g_assert_cmpuint (p.report.lost_congestion, ==, 0);
}

static guint heard_bytes;

static RaCause
bytes_on_packet (RaLda *lda, const RaArrival *a)
{
  heard_bytes = a->bytes_lost;
  return RA_CAUSE_CONGESTION;
}

/* The missing packets' bytes: as told, else of the mean size, 1000 bytes. */
static void
test_bytes_lost (void)
{
  static const RaLdaOps ops = {
    .name = "bytes", .size = sizeof (RaLda), .on_packet = bytes_on_packet
  };
  static const struct
  {
    guint64 seq;
    guint told, heard;
    const gchar *why;
  } rows[] = {
    { 10, 0, 0, "none" },
    { 13, 0, 2000, "two" },
    { 15, 70, 70, "told" },
    { G_GUINT64_CONSTANT (1) << 40, 0, G_MAXUINT, "more than there can be" },
  };
  g_autoptr (RaReceiver) r = receiver_new (&ops);

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    RaPacket p = { .seq = rows[i].seq, .size = 1000 };

    p.bytes_lost = rows[i].told;
    ra_receiver_on_packet (r, &p);
    g_test_message ("%s", rows[i].why);
    g_assert_cmpuint (heard_bytes, ==, rows[i].heard);
  }
}

/* By its own word, or by that of a guard who was lied to. */
static void
distrust (RaReceiver *r, RaGuard *guard, gboolean how)
{
  if (!guard)
    ra_receiver_set_distrust (r, how);
  else if (how)
    ra_guard_on_lie (guard, 0);
  else
    ra_guard_restart (guard);
}

/* Who distrusts the LDA takes all losses for congestion. */
static void
distrust_check (RaGuard *guard)
{
  RaReceiverStats stats;
  g_auto (Player) p;

  player_init (&p, &scripted, RA_SECOND);
  ra_receiver_set_guard (p.r, guard);
  distrust (p.r, guard, TRUE);
  play (&p, "10@0 11@10 13@30w 14@40 15@50");
  g_assert_cmpuint (p.report.lost_congestion, ==, 1);
  g_assert_cmpuint (p.report.n_events, ==, 1);
  distrust (p.r, guard, FALSE);
  play (&p, "16@60 18@80w 19@90 20@100");
  ra_receiver_get_stats (p.r, &stats);
  g_assert_cmpuint (stats.congestion, ==, 1);
  g_assert_cmpuint (stats.wireless, ==, 1);
}

static void
test_distrust (void)
{
  RaGuard guard;

  distrust_check (NULL);
  ra_guard_init (&guard, 9, TRUE);
  distrust_check (&guard);
}

/* However short an R the sender tells, the timer leaves us time. */
static void
test_timer_min (void)
{
  g_autoptr (RaReceiver) r = receiver_new (&scripted);
  RaPacket p = { .seq = 1, .size = 1000, .arrival = RA_SECOND, .rtt = 1 };
  RaReport report;
  RaSpan t_delay;

  ra_receiver_on_packet (r, &p);
  for (guint i = 1; i < 4; i++) {
    RaTime now = RA_SECOND + i * RA_MSECOND;

    g_assert_cmpuint (ra_receiver_next_timeout (r), ==, now);
    ra_receiver_report (r, now, &report, &t_delay);
  }
}

void
tests_add (void)
{
  rows_add ("/receiver-edge/age", age_rows, test_age);
  g_test_add_func ("/receiver-edge/distrust-between", test_distrust_between);
  g_test_add_func ("/receiver-edge/bytes-lost", test_bytes_lost);
  g_test_add_func ("/receiver-edge/distrust", test_distrust);
  g_test_add_func ("/receiver-edge/timer-min", test_timer_min);
}
