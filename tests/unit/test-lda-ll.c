/* Loss labelling: how often it is right, against the binomial distribution.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <gst/rtpadapt/lda.h>

#include <math.h>

#include "../rows.h"

#define C RA_CAUSE_CONGESTION
#define W RA_CAUSE_WIRELESS
#define N 40000
#define SEEDS 5
#define SIGMAS 4.5 /* once in 150,000 times; some 100 numbers are looked at */

/* One loss in three of each kind, one is unknown. */
static RaCause
truth (guint64 seq, gpointer data)
{
  return (RaCause) (seq % 3);
}

static RaLda *
make (const gchar *name, const gchar *params, guint64 seed)
{
  RaLda *lda = ra_lda_new (ra_lda_find (name), params, NULL);

  ra_lda_set_truth (lda, truth, NULL);
  ra_lda_set_seed (lda, seed);
  return lda;
}

static RaCause
ask (RaLda *lda, guint64 seq)
{
  RaArrival a = { .seq = seq + 1, .n_lost = 1 };

  return ra_lda_on_missing (lda, &a, seq, ra_lda_on_packet (lda, &a));
}

static void
assert_near (gdouble hits, gdouble mean, gdouble variance)
{
  gdouble sigma = sqrt (variance);

  g_test_message ("%.0f, expected %.1f, sigma %.1f", hits, mean, sigma);
  g_assert_cmpfloat (fabs (hits - mean), <=, SIGMAS * sigma);
}

/* `hits` of `n`, each with probability p. */
static void
assert_binomial (guint hits, guint n, gdouble p)
{
  assert_near (hits, n * p, n * p * (1 - p));
}

static const struct
{
  const gchar *params;
  gdouble p_cc, p_ww;
  const gchar *why;
} rows[] = {
  { "", 1, .8, "table 2: NewReno-LL(1, .8)" },
  { "p-cc=1,p-ww=0", 1, 0, "TCP NewReno (2.1)" },
  { "p-cc=1,p-ww=1", 1, 1, "NewReno-PL" },
  { "p-cc=0,p-ww=1", 0, 1, "the worst of table 1" },
  { "p-cc=.32,p-ww=.65", .32, .65, "NewReno-FF in configuration 2" },
  { "p-cc=.9,p-ww=.9", .9, .9, "a good one" },
  { "p-cc=.001,p-ww=.999", .001, .999, "rare hits, rare misses" },
};

static void
test_share (gconstpointer data)
{
  guint row = GPOINTER_TO_UINT (data);

  g_test_message ("%s", rows[row].why);
  for (guint64 seed = 0; seed < SEEDS; seed++) {
    g_autoptr (RaLda) lda = make ("ll", rows[row].params, seed);
    guint right_c = 0, right_w = 0;

    for (guint64 seq = 0; seq < 3 * N; seq++) {
      RaCause verdict = ask (lda, seq);

      if (truth (seq, NULL) == RA_CAUSE_NONE)
        g_assert_cmpint (verdict, ==, C); /* whatever P[C|C] is */
      right_c += truth (seq, NULL) == C && verdict == C;
      right_w += truth (seq, NULL) == W && verdict == W;
    }
    assert_binomial (right_c, N, rows[row].p_cc);
    assert_binomial (right_w, N, rows[row].p_ww);
  }
}

static RaCause
wireless (guint64 seq, gpointer data)
{
  return W;
}

/* Neighbouring events and neighbouring seeds draw independent lots: the
 * product of what two of them are above their mean has mean 0 and variance
 * (p (1 - p))^2, and is not correlated with the next such product. */
static void
test_independent (void)
{
  const gdouble p = .3, v = p * (1 - p);

  for (guint64 seed = 0; seed <= 4; seed++) {
    for (guint64 ahead = seed == 0; ahead <= 8; ahead++) {
      g_autoptr (RaLda) one = make ("ll", "p-ww=.3", seed);
      g_autoptr (RaLda) two = make ("ll", "p-ww=.3", 0);
      gdouble sum = 0;

      ra_lda_set_truth (one, wireless, NULL);
      ra_lda_set_truth (two, wireless, NULL);
      for (guint64 seq = 0; seq < N; seq++)
        sum += ((ask (one, seq) == W) - p)
            * ((ask (two, seq + ahead) == W) - p);
      assert_near (sum, 0, N * v * v);
    }
  }
}

/* A verdict does not depend on how often somebody asks, and the hole is congestion
 * if one of its packets is. */
static void
test_hole (void)
{
  g_autoptr (RaLda) lda = make ("ll", "p-cc=.5,p-ww=.9", 7);
  g_autoptr (RaLda) same = make ("ll", "p-cc=.5,p-ww=.9", 7);
  guint holes[RA_CAUSE_WIRELESS + 1] = { 0 };

  for (guint64 seq = 5; seq < N; seq += 5) {
    RaArrival a = { .seq = seq, .n_lost = (guint) (1 + seq % 4) };
    RaCause hole = W, said = ra_lda_on_packet (lda, &a);

    for (guint i = a.n_lost; i > 0; i--) {
      if (ra_lda_on_missing (lda, &a, seq - i, C) == C)
        hole = C;
    }
    g_assert_cmpint (said, ==, hole);
    g_assert_cmpint (ra_lda_on_packet (lda, &a), ==, hole);
    g_assert_cmpint (ra_lda_on_packet (same, &a), ==, hole);
    for (guint i = 1; i <= a.n_lost; i++) /* the other way round */
      g_assert_cmpint (ask (lda, seq - i), ==, ask (same, seq - i));
    holes[hole]++;
  }
  g_assert_cmpuint (holes[C], >, 0);
  g_assert_cmpuint (holes[W], >, 0);
}

/* 2.1: one lot per loss event.  With R = 100 ms holes of two at 0, 50 and 99 ms are
 * one event, and what comes at 100 ms is the next.  With a lot per packet .3 of six
 * would all be the radio's with probability .3^6. */
static void
test_event (void)
{
  g_autoptr (RaLda) lda = make ("ll", "p-ww=.3", 3);
  guint right = 0;

  ra_lda_set_truth (lda, wireless, NULL);
  for (guint64 i = 0; i < N; i++) {
    static const guint at[] = { 0, 50, 99 };
    RaCause first = RA_CAUSE_NONE;

    for (guint k = 0; k < G_N_ELEMENTS (at); k++) {
      RaArrival a = { .seq = 9 * i + 3 * k + 3, .n_lost = 2 };
      RaCause said;

      a.rtt = 100 * RA_MSECOND;
      a.arrival = (i * 100 + at[k]) * (RaTime) RA_MSECOND;
      said = ra_lda_on_packet (lda, &a);
      first = k == 0 ? said : first;
      g_assert_cmpint (said, ==, first);
      g_assert_cmpint (ra_lda_on_missing (lda, &a, a.seq - 1, said), ==, first);
    }
    right += first == W;
  }
  assert_binomial (right, N, .3);
}

/* P[C|C] = P[W|W] = 1 is omniscient, P[W|W] = 0 is none. */
static void
test_limits (void)
{
  g_autoptr (RaLda) perfect = make ("ll", "p-cc=1,p-ww=1", 1);
  g_autoptr (RaLda) blind = make ("ll", "p-cc=1,p-ww=0", 1);
  g_autoptr (RaLda) omniscient = make ("omniscient", NULL, 1);

  for (guint64 seq = 10; seq < 10000; seq++) {
    RaArrival a = { .seq = seq, .n_lost = (guint) (1 + seq % 5) };

    g_assert_cmpint (ask (perfect, seq), ==, ask (omniscient, seq));
    g_assert_cmpint (
        ra_lda_on_packet (perfect, &a), ==, ra_lda_on_packet (omniscient, &a));
    g_assert_cmpint (ask (blind, seq), ==, C);
    g_assert_cmpint (ra_lda_on_packet (blind, &a), ==, C);
  }
}

/* Nobody knows the truth: congestion, even where none is recognised. */
static void
test_no_truth (void)
{
  g_autoptr (RaLda) lda = make ("ll", "p-cc=0,p-ww=1", 1);
  RaArrival a = { .seq = 9, .n_lost = 2 };

  ra_lda_set_truth (lda, NULL, NULL);
  g_assert_cmpint (ra_lda_on_packet (lda, &a), ==, C);
  g_assert_cmpint (ask (lda, 8), ==, C);
}

void
tests_add (void)
{
  rows_add ("/lda-ll/share", rows, test_share);
  g_test_add_func ("/lda-ll/independent", test_independent);
  g_test_add_func ("/lda-ll/hole", test_hole);
  g_test_add_func ("/lda-ll/event", test_event);
  g_test_add_func ("/lda-ll/limits", test_limits);
  g_test_add_func ("/lda-ll/no-truth", test_no_truth);
}
