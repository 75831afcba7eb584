/* Loss events, loss intervals and p: rows from RFC 5348 5.2-5.5.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "../rows.h"

#include <gst/rtpadapt/loss/history.h>
#include <gst/rtpadapt/loss/holes.h>

#include <math.h>

#define R (100 * RA_MSECOND)

static void
assert_near (gdouble got, gdouble want, const gchar *why)
{
  if (!(fabs (got - want) <= 1e-12 * fmax (1, fabs (want))))
    g_test_message ("got %.12g, want %.12g: %s", got, want, why);
  g_assert_cmpfloat_with_epsilon (got, want, 1e-12 * fmax (1, fabs (want)));
}

/* A history whose intervals are given newest first, the last one seeded.  S_C
 * is the packet right before a lost one, so that when the next event begins
 * I_0 is all of the interval it closes. */
static RaHistory *
history_of (gboolean discounting, const gdouble *intervals, guint k)
{
  RaHistory *h = ra_history_new (discounting);
  guint64 seq = 1000;

  ra_history_on_packet (h, seq - 1);
  for (guint i = k; i > 0; i--) {
    g_assert_true (ra_history_lose (h, seq, 0, 0));
    if (i == k)
      ra_history_seed (h, intervals[k]);
    seq += (guint64) intervals[i - 1];
    ra_history_on_packet (h, seq - 1);
  }
  return h;
}

/* 1 / p = I_mean = max (I_tot0, I_tot1) / W_tot; W_tot of eight weights is
 * 1 + 1 + 1 + 1 + .8 + .6 + .4 + .2 = 6. */
static const struct
{
  gboolean discounting;
  guint k; /* closed intervals, the oldest seeded */
  gdouble intervals[12];
  gdouble i_mean;
  const gchar *why;
} p_rows[] = {
  /* Each weight alone: seven intervals of 10 and one of 70 give I_tot1
   * = 6 * 10 + 60 w_j, I_mean = 10 + 10 w_j.  (I_tot0 has weights no larger
   * and I_0 = 1.) */
  { 0, 8, { 1, 70, 10, 10, 10, 10, 10, 10, 10 }, 20, "w_0 = 1.0" },
  { 0, 8, { 1, 10, 70, 10, 10, 10, 10, 10, 10 }, 20, "w_1 = 1.0" },
  { 0, 8, { 1, 10, 10, 70, 10, 10, 10, 10, 10 }, 20, "w_2 = 1.0" },
  { 0, 8, { 1, 10, 10, 10, 70, 10, 10, 10, 10 }, 20, "w_3 = 1.0" },
  { 0, 8, { 1, 10, 10, 10, 10, 70, 10, 10, 10 }, 18, "w_4 = 0.8" },
  { 0, 8, { 1, 10, 10, 10, 10, 10, 70, 10, 10 }, 16, "w_5 = 0.6" },
  { 0, 8, { 1, 10, 10, 10, 10, 10, 10, 70, 10 }, 14, "w_6 = 0.4" },
  { 0, 8, { 1, 10, 10, 10, 10, 10, 10, 10, 70 }, 12, "w_7 = 0.2" },
  { 0, 9, { 1, 10, 10, 10, 10, 10, 10, 10, 10, 70 }, 10, "I_9 is forgotten" },
  { 0, 8, { 10, 10, 10, 10, 10, 10, 10, 10, 10 }, 10, "nine equal ones" },
  { 1, 8, { 10, 10, 10, 10, 10, 10, 10, 10, 10 }, 10, "with discounting too" },
  { 1, 8, { 1, 1, 1, 1, 1, 1, 1, 1, 1 }, 1, "all lost: p = 1" },
  /* I_tot0 = 500 + 100 * (6 - 1) = 1000 */
  { 0, 8, { 500, 100, 100, 100, 100, 100, 100, 100, 100 }, 1000.0 / 6,
      "a long I_0 counts" },
  /* I_mean = 100, DF = 200 / 500 = .4; (500 + 500 * .4) / (1 + 5 * .4) */
  { 1, 8, { 500, 100, 100, 100, 100, 100, 100, 100, 100 }, 700.0 / 3,
      "and weighs more with discounting" },
  { 1, 8, { 200, 100, 100, 100, 100, 100, 100, 100, 100 }, 700.0 / 6,
      "twice I_mean is not greater than twice: 200 + 500" },
  /* DF = 200 / 10000 -> .25; (10000 + 500 * .25) / (1 + 5 * .25) */
  { 1, 8, { 10000, 100, 100, 100, 100, 100, 100, 100, 100 }, 4500,
      "THRESHOLD 0.25: 10125 / 2.25" },
  /* k = 1: I_tot0 = I_0 alone, I_tot1 = I_1 alone */
  { 0, 1, { 7, 50 }, 50, "one event: the seed" },
  { 0, 1, { 80, 50 }, 80, "one event: I_0 once it is longer" },
  { 1, 1, { 200, 50 }, 200, "nothing left to discount" },
  /* k = 2: I_tot0 = 5 + 30, I_tot1 = 30 + 60, W_tot = 2 */
  { 0, 2, { 5, 30, 60 }, 45, "only intervals that exist count" },
  /* k = 5: I_tot1 = 10 + 20 + 30 + 40 + .8 * 50 = 140, W_tot = 4.8 */
  { 0, 5, { 1, 10, 20, 30, 40, 50 }, 140 / 4.8, "k = 5" },
  /* A first interval of 10, a second of 50: at its end DF = 2 * 10 / 50 = .4.
   * So DF_1 = 1, DF_2 = .4: I_tot1 = 50 + 10 * .4 = 54, W_tot1 = 1.4.
   * (I_tot0 = 1 + 50, W_tot0 = 2.) */
  { 1, 2, { 1, 50, 10 }, 54 / 1.4, "DF goes into the array" },
  /* Then I_0 = 200: I_mean = 54 / 1.4 = 270 / 7, DF = 540 / 7 / 200 = 2.7 / 7;
   * I_tot0 = 200 + 50 * 2.7 / 7, W_tot0 = 1 + 2.7 / 7. */
  { 1, 2, { 200, 50, 10 }, (200 + 50 * 2.7 / 7) / (1 + 2.7 / 7),
      "DF on top of the array" },
  /* Then an event: DF_1 = 1, DF_2 = 2.7 / 7, DF_3 = .4 * 2.7 / 7. */
  { 1, 3, { 1, 200, 50, 10 },
      (200 + 50 * 2.7 / 7 + 10 * 1.08 / 7) / (1 + 2.7 / 7 + 1.08 / 7),
      "discounts multiply" },
  /* Then a short interval, 60 < 2 * I_mean: DF = 1, only shifted. */
  { 1, 4, { 1, 60, 200, 50, 10 },
      (60 + 200 + 50 * 2.7 / 7 + 10 * 1.08 / 7) / (2 + 2.7 / 7 + 1.08 / 7),
      "no discount, the array moves on" },
};

static void
test_p (gconstpointer data)
{
  guint i = GPOINTER_TO_UINT (data);
  g_autoptr (RaHistory) h
      = history_of (p_rows[i].discounting, p_rows[i].intervals, p_rows[i].k);

  assert_near (1 / ra_history_p (h), p_rows[i].i_mean, p_rows[i].why);
  g_assert_cmpuint (ra_history_events (h), ==, p_rows[i].k);
  for (guint j = 0; j <= RA_HISTORY_N + 1; j++)
    assert_near (ra_history_interval (h, j),
        j <= MIN (p_rows[i].k, RA_HISTORY_N) ? p_rows[i].intervals[j] : 0,
        p_rows[i].why);
}

/* The same numbers as in the rows above, seen one by one. */
static void
test_discounts (void)
{
  static const gdouble intervals[] = { 200, 50, 10 };
  g_autoptr (RaHistory) h = history_of (TRUE, intervals, 2);

  assert_near (ra_history_discount (h, 0), 2.7 / 7, "the general DF");
  assert_near (ra_history_discount (h, 1), 1, "DF_1");
  assert_near (ra_history_discount (h, 2), 0.4, "DF_2");
  assert_near (ra_history_discount (h, 3), 1, "there is none");
}

/* DF is that of the last arrival, NDUPACK packets after the lost one: seed 10,
 * event at 1000, packet 1050 lost, 1053 arrived: I_0 = 54, DF = 20 / 54. */
static void
test_discount_s_c (void)
{
  static const gdouble intervals[] = { 50, 10 };
  g_autoptr (RaHistory) h = history_of (TRUE, intervals, 1);

  ra_history_on_packet (h, 1053);
  g_assert_true (ra_history_lose (h, 1050, 0, 0));
  assert_near (ra_history_interval (h, 0), 4, "1050 to 1053");
  assert_near (ra_history_interval (h, 1), 50, "1000 to 1049");
  assert_near (ra_history_discount (h, 2), 20.0 / 54, "S_C = 1053");
}

/* RFC 5348 5.2: T_old + R >= T_new is the same event. */
static const struct
{
  RaTime t_old, t_new;
  RaSpan rtt;
  gboolean starts;
  const gchar *why;
} group_rows[] = {
  { 5000, 5000 + R, R, FALSE, "T_old + R == T_new: the same" },
  { 5000, 5001 + R, R, TRUE, "1 ns later: new" },
  { 5000, 5000, R, FALSE, "lost together" },
  { 5000, 5000, 0, TRUE, "R unknown: each loss is an event" },
  { 5000, 5000, -1, TRUE, "no R below 0" },
  { 5 * R, 4 * R, R, FALSE, "the clock went back by R: the same" },
  { 5 * R, 4 * R - 1, R, TRUE, "by more: new, times mean nothing now" },
  { 0, G_MAXINT64, G_MAXINT64, FALSE, "no overflow" },
};

static void
test_group (gconstpointer data)
{
  guint i = GPOINTER_TO_UINT (data);
  g_autoptr (RaHistory) h = ra_history_new (TRUE);

  g_test_message ("%s", group_rows[i].why);
  ra_history_on_packet (h, 50);
  g_assert_true (ra_history_lose (h, 20, group_rows[i].t_old, 0));
  g_assert_cmpint (
      ra_history_lose (h, 40, group_rows[i].t_new, group_rows[i].rtt), ==,
      group_rows[i].starts);
  g_assert_cmpuint (ra_history_events (h), ==, 1 + group_rows[i].starts);
  assert_near (ra_history_interval (h, 0), group_rows[i].starts ? 11 : 31,
      "S_C - S_A + 1");
}

/* An event lasts R from its *first* loss, not from its last. */
static void
test_group_first (void)
{
  g_autoptr (RaHistory) h = ra_history_new (TRUE);

  ra_history_on_packet (h, 10);
  g_assert_true (ra_history_lose (h, 11, 0, R));
  g_assert_false (ra_history_lose (h, 12, R * 6 / 10, R));
  g_assert_true (ra_history_lose (h, 13, R * 12 / 10, R));
}

/* Times as interpolated.  Packet 10 at 0, 12 at 20 ms: 11 was due at 10 ms.  19
 * at 90 ms, 22 at 120 ms + d: 20 was due at 100 ms + d/3, 21 at 110 ms + 2d/3.
 * With R = 100 ms the event of 11 ends with 110 ms. */
static void
test_interpolated (gconstpointer data)
{
  guint d = GPOINTER_TO_UINT (data), n_lost;
  g_autoptr (RaHoles) holes = ra_holes_new (RA_NDUPACK);
  g_autoptr (RaHistory) h = ra_history_new (TRUE);
  RaMissing m;

  for (guint64 seq = 10; seq <= 24; seq++) {
    RaTime now = (seq - 10) * 10 * RA_MSECOND + (seq >= 22 ? d : 0);

    if (seq == 11 || seq == 20 || seq == 21)
      continue;
    ra_holes_push (holes, seq, now, &n_lost);
    ra_history_on_packet (h, seq);
    while (ra_holes_pop_confirmed (holes, G_MAXUINT64, &m))
      ra_history_lose (h, m.seq, m.t_loss, R);
  }
  g_assert_cmpuint (ra_history_events (h), ==, d < 2 ? 1 : 2);
  assert_near (
      ra_history_interval (h, 0), d < 2 ? 14 : 4, "from 11 or 21 to 24");
}

/* Packets 1..400 arrived but for these; the interval before the first event is
 * seeded with 50.  Then one comes after all. */
static const struct
{
  struct
  {
    guint64 seq;
    guint t, rtt; /* ms */
  } lost[5];      /* up to seq 0 */
  guint64 late;
  gboolean removed;
  guint events;
  gdouble intervals[5];
  const gchar *why;
} late_rows[] = {
  { { { 100, 0, 100 }, { 200, 1000, 100 }, { 300, 2000, 100 } }, 200, TRUE, 2,
      { 101, 200, 50 }, "the only packet of an event: 100 + 100" },
  { { { 100, 0, 100 }, { 200, 1000, 100 }, { 300, 2000, 100 } }, 300, TRUE, 2,
      { 201, 100, 50 }, "of the newest event: I_0 goes on" },
  { { { 100, 0, 100 }, { 200, 1000, 100 }, { 300, 2000, 100 } }, 100, TRUE, 2,
      { 101, 100, 150 }, "of the first event: seed + 100" },
  { { { 100, 0, 100 }, { 200, 1000, 100 }, { 205, 1050, 100 } }, 205, FALSE, 2,
      { 201, 100, 50 }, "not the first of its event: nothing moves" },
  { { { 100, 0, 100 }, { 200, 1000, 100 }, { 205, 1050, 100 } }, 200, FALSE, 2,
      { 196, 105, 50 }, "the first: the event starts with the next" },
  { { { 200, 1000, 100 }, { 205, 1050, 100 } }, 200, FALSE, 1, { 196, 55 },
      "the same in the first event: seed + 5" },
  { { { 100, 0, 100 }, { 200, 1000, 100 }, { 205, 1050, 100 },
        { 300, 1151, 100 } },
      200, FALSE, 3, { 101, 95, 105, 50 },
      "1050 + 100 < 1151: 300 stays apart" },
  { { { 100, 0, 100 }, { 200, 1000, 100 }, { 205, 1050, 100 },
        { 300, 1150, 100 } },
      200, TRUE, 2, { 196, 105, 50 }, "1050 + 100 >= 1150: 300 joins" },
  { { { 100, 0, 100 }, { 200, 1000, 100 }, { 205, 1050, 100 },
        { 300, 1150, 99 } },
      200, FALSE, 3, { 101, 95, 105, 50 },
      "with the R of then, 99 ms, it does not" },
  { { { 100, 0, 100 }, { 200, 110, 100 }, { 205, 120, 150 } }, 200, TRUE, 1,
      { 301, 50 }, "the next joins the event before: 0 + 150 >= 120" },
  { { { 100, 0, 100 }, { 200, 1000, 100 }, { 210, 1060, 100 },
        { 220, 1110, 100 }, { 230, 1170, 100 } },
      200, FALSE, 3, { 171, 20, 110, 50 },
      "what follows regroups: {210 220} {230}, was {200 210} {220 230}" },
  { { { 100, 0, 100 }, { 200, 1000, 100 } }, 150, FALSE, 2, { 201, 100, 50 },
      "never reported lost" },
};

static void
test_late (gconstpointer data)
{
  guint i = GPOINTER_TO_UINT (data);
  g_autoptr (RaHistory) h = ra_history_new (TRUE);

  ra_history_on_packet (h, 1);
  ra_history_on_packet (h, 400);
  for (guint j = 0; j < 5 && late_rows[i].lost[j].seq; j++) {
    ra_history_lose (h, late_rows[i].lost[j].seq,
        late_rows[i].lost[j].t * RA_MSECOND,
        late_rows[i].lost[j].rtt * RA_MSECOND);
    if (j == 0)
      ra_history_seed (h, 50);
  }
  g_test_message ("%s", late_rows[i].why);
  g_assert_cmpint (
      ra_history_recover (h, late_rows[i].late), ==, late_rows[i].removed);
  g_assert_false (ra_history_recover (h, late_rows[i].late));
  g_assert_cmpuint (ra_history_events (h), ==, late_rows[i].events);
  for (guint j = 0; j < 5; j++)
    assert_near (ra_history_interval (h, j), late_rows[i].intervals[j],
        late_rows[i].why);
}

/* Seed 10, then intervals of 50 and 30: DF_3 = 2 * 10 / 50 = .4 and no further
 * discount (30 < 2 * 54 / 1.4).  When the packet between 50 and 30 comes after
 * all, I_0 had been 80 at the newest event: DF_2 = max (20 / 80, .25) = .25, so
 * I_tot1 = 80 + 10 * .25 = 82.5, W_tot1 = 1.25, I_mean = 66. */
static void
test_late_discount (void)
{
  static const gdouble intervals[] = { 1, 30, 50, 10 };
  g_autoptr (RaHistory) h = history_of (TRUE, intervals, 3);

  assert_near (ra_history_discount (h, 3), 0.4, "before");
  g_assert_true (ra_history_recover (h, 1050));
  assert_near (ra_history_interval (h, 1), 80, "50 + 30");
  assert_near (ra_history_discount (h, 1), 1, "DF_1");
  assert_near (ra_history_discount (h, 2), 0.25, "DF_2");
  assert_near (1 / ra_history_p (h), 66, "I_mean");
}

static void
test_late_only (void)
{
  g_autoptr (RaHistory) h = ra_history_new (TRUE);

  ra_history_on_packet (h, 1);
  ra_history_on_packet (h, 40);
  g_assert_true (ra_history_lose (h, 31, 0, R));
  ra_history_seed (h, 5);
  g_assert_true (ra_history_recover (h, 31));
  g_assert_cmpuint (ra_history_events (h), ==, 0);
  g_assert_cmpfloat (ra_history_p (h), ==, 0);
  g_assert_cmpfloat (ra_history_interval (h, 0), ==, 0);
  g_assert_true (ra_history_lose (h, 36, 0, R));
  assert_near (ra_history_interval (h, 1), 35, "as if 31 had not been lost");
  ra_history_seed (h, 20);
  assert_near (ra_history_interval (h, 1), 20, "seeded again");
}

/* A marked packet that comes late: 20 between 10 and 30. */
static void
test_late_mark (void)
{
  g_autoptr (RaHistory) h = ra_history_new (TRUE);

  ra_history_on_packet (h, 1);
  ra_history_on_packet (h, 40);
  ra_history_lose (h, 10, 0, R);
  ra_history_lose (h, 30, 5 * R, R);
  g_assert_true (ra_history_lose (h, 20, 2 * R, R));
  g_assert_false (ra_history_lose (h, 20, 2 * R, R));
  g_assert_false (ra_history_lose (h, 25, 3 * R, R));
  assert_near (ra_history_interval (h, 0), 11, "30 to 40");
  assert_near (ra_history_interval (h, 1), 10, "20 to 29");
  assert_near (ra_history_interval (h, 2), 10, "10 to 19");
}

/* Beyond the memory nothing is taken back. */
static void
test_forgotten_packets (void)
{
  g_autoptr (RaHistory) h = ra_history_new (TRUE);
  gdouble p;

  ra_history_on_packet (h, 1);
  for (guint64 seq = 10; seq < 10 + RA_HISTORY_LOST_MAX; seq++)
    ra_history_lose (h, seq, seq, R);
  ra_history_on_packet (h, 5000);
  p = ra_history_p (h);
  g_assert_false (ra_history_recover (h, 10));
  g_assert_cmpfloat (ra_history_p (h), ==, p);
  g_assert_false (ra_history_recover (h, 9 + RA_HISTORY_LOST_MAX));
  g_assert_cmpuint (ra_history_events (h), ==, 1);
}

static void
test_forgotten_events (void)
{
  g_autoptr (RaHistory) h = ra_history_new (TRUE);
  guint n = RA_HISTORY_EVENTS_MAX + 8;

  ra_history_on_packet (h, 1);
  ra_history_on_packet (h, 1000);
  for (guint i = 1; i <= n; i++)
    g_assert_true (ra_history_lose (h, 10 * i, i * 2 * R, R));
  /* The 8 oldest are forgotten and the next has nothing to merge with. */
  for (guint i = 1; i <= n; i++)
    g_assert_cmpint (ra_history_recover (h, 10 * i), ==, i > 9);
  g_assert_cmpuint (ra_history_events (h), ==, 9);
  assert_near (ra_history_interval (h, 0), 1000 - 90 + 1, "the ninth is kept");
  assert_near (ra_history_interval (h, 1), 10, "80 to 89");
  assert_near (ra_history_interval (h, 2), 0, "older ones are not");
}

/* RFC 5348 6.3.1. */
static void
test_seed (void)
{
  g_autoptr (RaHistory) h = ra_history_new (TRUE);

  g_assert_cmpfloat (ra_history_p (h), ==, 0);
  ra_history_seed (h, 7); /* nothing to seed yet */
  ra_history_on_packet (h, 1);
  ra_history_on_packet (h, 60);
  g_assert_cmpfloat (ra_history_p (h), ==, 0);
  g_assert_true (ra_history_lose (h, 51, 0, R));
  assert_near (ra_history_interval (h, 1), 50, "until seeded: packets seen");
  ra_history_seed (h, 4.84);
  assert_near (ra_history_interval (h, 1), 4.84, "the null interval's");
  ra_history_seed (h, 0.2);
  assert_near (ra_history_interval (h, 1), 1, "at least one packet");
  ra_history_seed (h, NAN);
  assert_near (ra_history_interval (h, 1), 1, "not a number");
  g_assert_true (ra_history_lose (h, 55, 2 * R, R));
  ra_history_seed (h, 30);
  assert_near (ra_history_interval (h, 2), 1, "only right after the first");

  ra_history_free (h);
  h = ra_history_new (TRUE);
  g_assert_cmpuint (ra_history_events (h), ==, 0);
  g_assert_true (ra_history_lose (h, 9, 0, R)); /* the first packet, marked */
  assert_near (ra_history_interval (h, 0), 1, "S_A == S_C: 5.3");
  g_assert_cmpfloat (ra_history_p (h), ==, 1);
}

void
tests_add (void)
{
  rows_add ("/history/p", p_rows, test_p);
  rows_add ("/history/group", group_rows, test_group);
  rows_add ("/history/late", late_rows, test_late);
  rows_add_n ("/history/interpolated", 4, test_interpolated);
  g_test_add_func ("/history/group-first", test_group_first);
  g_test_add_func ("/history/discounts", test_discounts);
  g_test_add_func ("/history/discount-s-c", test_discount_s_c);
  g_test_add_func ("/history/late-discount", test_late_discount);
  g_test_add_func ("/history/late-only", test_late_only);
  g_test_add_func ("/history/late-mark", test_late_mark);
  g_test_add_func ("/history/forgotten-packets", test_forgotten_packets);
  g_test_add_func ("/history/forgotten-events", test_forgotten_events);
  g_test_add_func ("/history/seed", test_seed);
}
