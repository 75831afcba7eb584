/* full and fused: what the counts say, by hand.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "../rows.h"

#include <gst/rtpadapt/lda.h>
#include <gst/rtpadapt/lda/cut.h>

#define MS(ms) ((RaSpan) ((ms) *RA_MSECOND))

static RaCut
cut_new (void)
{
  return (
      RaCut){ .gain = 5, .ratio = .67, .prior = 10, .memory = 30, .bin = .001 };
}

static void
hear (RaCut *c, guint q, guint packets, guint holes)
{
  for (guint i = 0; i < packets; i++)
    ra_cut_hear (c, q * 1e6, i < holes, RA_SECOND);
}

/* 1000 packets at 2 ms, 50 of them behind a hole; 100 at 50 ms, 50 behind one.
 * n counts packets and holes: w = 50 / 1050 = .047619; above the cut 50 holes of
 * 150, and the prior's 10 of 10: h = .375; odds (h - w) / w = 6.875. */
static void
test_cut (void)
{
  RaCut c = cut_new ();

  hear (&c, 2, 1000, 50);
  hear (&c, 50, 100, 50);
  g_assert_true (ra_cut_find (&c, 50e6));
  g_assert_cmpuint (c.n_cuts, ==, 1);
  g_assert_cmpfloat_with_epsilon (c.w, 50 / 1050., 1e-9);
  g_assert_cmpfloat_with_epsilon (ra_cut_odds (&c, 50e6), 6.875, 1e-6);
  g_assert_cmpfloat (ra_cut_odds (&c, 2e6), ==, .01);
}

/* Where as many are lost at any length there is nothing to cut: gain is 0.
 * 30 holes of 1030 and 55 of 1055 (n counts packets and holes): f (l, n) = l ln (l / n) +
 * (n - l) ln (1 - l / n) is -135.642 and -216.009, and -355.233 of both together.  The
 * gain is 3.58, which the best of many cuts in noise has; twice as many: 7.16. */
static void
test_no_cut (void)
{
  RaCut c = cut_new ();

  c.prior = 0;
  hear (&c, 2, 1000, 50);
  hear (&c, 50, 1000, 50);
  g_assert_false (ra_cut_find (&c, 50e6));
  for (guint times = 1; times <= 2; times++) {
    c = cut_new ();
    c.prior = 0;
    hear (&c, 2, times * 1000, times * 30);
    hear (&c, 20, times * 1000, times * 55);
    g_assert_cmpint (ra_cut_find (&c, 50e6), ==, times > 1);
  }
}

/* Unsure at the top of what was ever seen is congestion, until data overrule. */
static void
test_prior (void)
{
  RaCut c = cut_new ();

  hear (&c, 2, 1000, 50);
  hear (&c, 50, 1, 1);
  g_assert_true (ra_cut_find (&c, 50e6));
  g_assert_cmpfloat (ra_cut_odds (&c, 50e6), >, 1);
  hear (&c, 50, 4000, 199);
  g_assert_false (ra_cut_find (&c, 50e6));
}

/* After 30 s there is 1 / e left: 1000 / e = 367.9; a tick is half a second. */
static void
test_forgets (void)
{
  RaCut c = cut_new ();

  hear (&c, 2, 1000, 0);
  ra_cut_hear (&c, 300e6, FALSE, 31 * RA_SECOND);
  g_assert_cmpfloat_with_epsilon (c.packets[11], 367.88, .01); /* 1 + 10 */
}

/* One packet each 5 ms; behind a hole, 10 ms. */
static RaCause
packet (RaLda *lda, RaArrival *a, gdouble queue, gboolean hole)
{
  a->n_lost = hole;
  a->bytes_lost = hole * 1200;
  a->seq += 1 + a->n_lost;
  a->iat = MS (5) * (1 + a->n_lost);
  a->arrival += (RaTime) a->iat;
  a->rott = MS (20 + queue);
  return ra_lda_on_packet (lda, a);
}

static const struct
{
  const gchar *lda, *params;
  guint empty_holes, full_holes; /* per 10 cycles */
  gdouble low, high;             /* ms, of the queue */
  RaCause at_low, at_high;
  const gchar *why;
} verdict_rows[] = {
  { "full", "soft=0", 0, 10, 10, 100, RA_CAUSE_WIRELESS, RA_CAUSE_CONGESTION,
      "losses at the top" },
  { "full", "soft=0", 10, 0, 10, 100, RA_CAUSE_WIRELESS, RA_CAUSE_WIRELESS,
      "losses anywhere else: one at the top is as rare as elsewhere" },
  { "fused", NULL, 5, 10, 10, 100, RA_CAUSE_WIRELESS, RA_CAUSE_CONGESTION,
      "both: the rate jumps" },
  { "fused", "em=0", 5, 10, 10, 100, RA_CAUSE_WIRELESS, RA_CAUSE_CONGESTION,
      "the cut alone" },
};

/* Cycles of 90 packets at `low` and 10 at `high`. */
static void
test_verdict (gconstpointer data)
{
  guint i = GPOINTER_TO_UINT (data);
  g_autoptr (RaLda) lda = ra_lda_new (
      ra_lda_find (verdict_rows[i].lda), verdict_rows[i].params, NULL);
  RaArrival a = { .arrival = 100 * RA_SECOND, .size = 1200 };

  g_test_message ("%s", verdict_rows[i].why);
  packet (lda, &a, 0, FALSE);
  for (guint cycle = 0; cycle < 40; cycle++) {
    for (guint n = 0; n < 90; n++)
      packet (lda, &a, verdict_rows[i].low,
          n == 40 && cycle % 10 < verdict_rows[i].empty_holes);
    for (guint n = 0; n < 10; n++)
      packet (lda, &a, verdict_rows[i].high,
          n == 5 && cycle % 10 < verdict_rows[i].full_holes);
  }
  for (guint n = 0; n < 5; n++)
    packet (lda, &a, verdict_rows[i].high, FALSE);
  g_assert_cmpint (packet (lda, &a, verdict_rows[i].high, TRUE), ==,
      verdict_rows[i].at_high);
  for (guint n = 0; n < 5; n++)
    packet (lda, &a, verdict_rows[i].low, FALSE);
  g_assert_cmpint (
      packet (lda, &a, verdict_rows[i].low, TRUE), ==, verdict_rows[i].at_low);
}

/* Without full, and where nothing can be cut: of 5 packets nothing is known, and a queue
 * that stands throughout may be full.  Of 200 packets that met none the radio takes some. */
static void
test_unsure (void)
{
  static const struct
  {
    guint packets;
    gdouble queue; /* ms, after the first */
    RaCause verdict;
  } unsure[] = { { 3, 0, RA_CAUSE_CONGESTION },
    { 200, 100, RA_CAUSE_CONGESTION }, { 200, 0, RA_CAUSE_WIRELESS } };

  for (guint i = 0; i < G_N_ELEMENTS (unsure); i++) {
    g_autoptr (RaLda) lda = ra_lda_new (ra_lda_find ("fused"), "em=0", NULL);
    RaArrival a = { .arrival = 100 * RA_SECOND, .size = 1200 };

    packet (lda, &a, 0, FALSE);
    for (guint n = 0; n < unsure[i].packets; n++)
      packet (lda, &a, unsure[i].queue, n % 20 == 19);
    g_assert_cmpint (
        packet (lda, &a, unsure[i].queue, TRUE), ==, unsure[i].verdict);
  }
}

/* A fall of more than 20 ms is a new route: nothing is known of it. */
static void
test_route (void)
{
  g_autoptr (RaLda) lda = ra_lda_new (ra_lda_find ("full"), NULL, NULL);
  RaArrival a = { .arrival = 100 * RA_SECOND, .size = 1200 };

  for (guint n = 0; n < 200; n++)
    packet (lda, &a, n % 100, FALSE);
  /* 60 ms below: of 1 packet known, at 0 of 20 ms. */
  g_assert_cmpint (packet (lda, &a, -15 - 60, TRUE), ==, RA_CAUSE_WIRELESS);
  /* 18 of 20 ms, the top quarter, and fewer than 20 packets known. */
  packet (lda, &a, -75 + 18, FALSE);
  g_assert_cmpint (packet (lda, &a, -75 + 18, TRUE), ==, RA_CAUSE_CONGESTION);
}

void
tests_add (void)
{
  g_test_add_func ("/fused/cut", test_cut);
  g_test_add_func ("/fused/no-cut", test_no_cut);
  g_test_add_func ("/fused/prior", test_prior);
  g_test_add_func ("/fused/forgets", test_forgets);
  rows_add ("/fused/verdict", verdict_rows, test_verdict);
  g_test_add_func ("/fused/unsure", test_unsure);
  g_test_add_func ("/fused/route", test_route);
}
