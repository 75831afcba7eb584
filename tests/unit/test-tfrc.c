/* TFRC, the sender's side, against RFC 5348: rates by hand, Appendix C.  The
 * nofeedback timer has a file of its own.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "tfrc-fixture.h"

#include <gst/rtpadapt/rate/recvset.h>

/* --- 4.2 Initialization --- */

/* W_init = min (4 MSS, max (2 MSS, 4380)), X = W_init / R */
static const struct
{
  guint mss;
  RaSpan rtt;
  gdouble x;
  const gchar *why;
} initial_rows[] = {
  { 536, R, 21440, "4 MSS = 2144 is the least" },
  { 1000, R, 40000, "4 MSS = 4000 is just less than 4380" },
  { 1095, R, 43800, "4 MSS = 4380" },
  { 1460, R, 43800, "4380 between 2920 and 5840" },
  { 2190, R, 43800, "2 MSS = 4380" },
  { 4000, R, 80000, "2 MSS = 8000 is more than 4380" },
  { 1200, 20 * RA_MSECOND, 219000, "4380 / 0.02" },
  { 1200, 2 * RA_SECOND, 2190, "4380 / 2" },
};

static void
test_initial (gconstpointer data)
{
  guint i = GPOINTER_TO_UINT (data);
  RaSpan rtt = initial_rows[i].rtt;
  g_auto (Fixture) f = { tfrc_new (0, initial_rows[i].mss, NULL), RA_SECOND };

  report (&f, rtt, rtt, 0, 0, 0, FALSE);
  assert_near (get (f.rate, "x"), initial_rows[i].x, initial_rows[i].why);
  assert_near ((gdouble) ra_rate_get (f.rate), 8 * initial_rows[i].x, "bit/s");
}

static void
test_before_feedback (Fixture *f, gconstpointer data)
{
  assert_near (get (f->rate, "x"), 1000, "X = s, one packet per second");
  g_assert_cmpuint (ra_rate_get (f->rate), ==, 8000);
  g_assert_cmpuint (ra_rate_next_timeout (f->rate), ==, 3 * RA_SECOND);
}

static void
test_start (void)
{
  static const struct
  {
    guint64 start;
    gdouble p, x0, x1, x2;
    const gchar *why;
  } rows[] = {
    { 800000, 0, 100000, 100000, 200000, "start above initial_rate: doubles" },
    { 80000, 0, 10000, 40000, 80000, "initial_rate above start" },
    /* X_Bps = 112332 at R = 0.1; X_recv as sent. */
    { 800000, P_11PPR, 100000, 100000, X_11PPR, "taken over, X_Bps above" },
    { 8000000, P_11PPR, 1e6, X_11PPR, X_11PPR, "taken over, X_Bps below" },
    { 800000, P_387PPR, 100000, 100000, 200000, "X_Bps far above: doubles" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    g_auto (Fixture) f = { tfrc_new (rows[i].start, 1000, NULL), RA_SECOND };

    send_packet (&f);
    assert_near (get (f.rate, "x"), rows[i].x0, rows[i].why);
    report (&f, R, R, rows[i].x0, rows[i].p, 0, FALSE);
    assert_near (get (f.rate, "x"), rows[i].x1, rows[i].why);
    report (&f, R, R, rows[i].x0, rows[i].p, 0, FALSE);
    assert_near (get (f.rate, "x"), rows[i].x2, rows[i].why);
  }
}

/* A start that nobody ever received is not remembered in data-limited
 * intervals, as Infinity is not. */
static void
test_start_not_received (void)
{
  g_auto (Fixture) f = { tfrc_new (8000000, 1000, NULL), RA_SECOND };

  report (&f, R, R, 50000, 0, 0, TRUE);
  assert_near (get (f.rate, "x"), 1e6, "start");
  report (&f, R, R, 50000, 0, 0, TRUE);
  assert_near (get (f.rate, "x"), 100000, "2 X_recv");
}

/* --- 4.3 Feedback --- */

static void
test_slow_start (Fixture *f, gconstpointer data)
{
  static const struct
  {
    RaSpan after;
    gdouble x_recv, x;
    const gchar *why;
  } rows[] = {
    { R, 4 * PPR, 8 * PPR, "doubled" },
    { R, 4 * PPR, 16 * PPR, "Infinity is in the set for two RTTs" },
    { R, 8 * PPR, 16 * PPR, "2 X_recv" },
    { R / 2, 16 * PPR, 16 * PPR, "only half an RTT since it doubled" },
    { R / 2, 16 * PPR, 32 * PPR, "a whole RTT" },
    { R, 15 * PPR, 32 * PPR, "16 PPR in the last two RTTs" },
    { R, 10 * PPR, 32 * PPR, "still" },
    { R, 10 * PPR, 30 * PPR, "15 PPR is the largest now" },
    { R, 1 * PPR, 20 * PPR, "10 PPR" },
    { 3 * R, 1 * PPR, 4 * PPR, "never below initial_rate" },
    { R, 0, 4 * PPR, "not even for 0" },
  };

  assert_near (get (f->rate, "x"), 4 * PPR, "first feedback");
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    report (f, rows[i].after, R, rows[i].x_recv, 0, 0, FALSE);
    assert_near (get (f->rate, "x"), rows[i].x, rows[i].why);
  }
}

/* X_recv = 0 is never a data-limited interval: Infinity stays. */
static void
test_zero_not_limited (Fixture *f, gconstpointer data)
{
  report (f, R, R, 0, 0, 0, TRUE);
  assert_near (get (f->rate, "x"), 8 * PPR, "not limited by 0");
  g_assert_true (isinf (get (f->rate, "recv_limit")));
  report (f, R, R, 1 * PPR, 0, 0, TRUE);
  assert_near (get (f->rate, "recv_limit"), 2 * PPR, "Infinity deleted");
}

static void
test_congestion_avoidance (Fixture *f, gconstpointer data)
{
  report (f, R, R, 20 * PPR, P_11PPR, 1, FALSE);
  assert_near (get (f->rate, "x"), X_11PPR, "X_Bps");
  report (f, R, R, 20 * PPR, 0.5, 1, FALSE);
  /* RFC 4828 Table 1 style: f (0.5) = 0.5773503 + 12 * 0.4330127 * 0.5 * 9
   * = 23.96004, 1000 / (0.1 f) = 417.36 */
  assert_near (get (f->rate, "x"), 417.36, "X_Bps");
  report (f, 3 * R, R, 0, P_11PPR, 0, FALSE);
  assert_near (get (f->rate, "x"), 1000.0 / 64, "s / t_mbi");
  report (f, R, R, 1 * PPR, P_11PPR, 0, FALSE);
  assert_near (get (f->rate, "x"), 2 * PPR, "recv_limit");
}

/* k = 4 reports per RTT: 100 PPR counts for two RTTs = 8 more reports, although
 * 3 newer values (N of 8.2.2) came long before. */
static void
test_set_with_many_reports (Fixture *f, gconstpointer data)
{
  report (f, 3 * R, R, 100 * PPR, P_387PPR, 0, FALSE);
  for (guint i = 0; i < 8; i++) {
    report (f, R / 4, R, 10 * PPR, P_387PPR, 0, FALSE);
    assert_near (get (f->rate, "x"), 200 * PPR, "at most two RTTs old");
  }
  report (f, R / 4, R, 10 * PPR, P_387PPR, 0, FALSE);
  assert_near (get (f->rate, "x"), 20 * PPR, "older");
}

static void
test_set_overflow (void)
{
  RaRecvSet set;

  ra_recv_set_init (&set, INFINITY, 0);
  ra_recv_set_replace (&set, 1000, 0);
  for (guint i = 1; i <= 100; i++)
    ra_recv_set_update (&set, 1000 - i, RA_SECOND, i);
  /* 101 falling values within two RTTs; the newest 64 are 963 .. 900. */
  g_assert_cmpfloat (ra_recv_set_max (&set), ==, 963);
  ra_recv_set_halve (&set);
  g_assert_cmpfloat (ra_recv_set_max (&set), ==, 481.5);
  ra_recv_set_maximize (&set, 481, 2 * RA_SECOND);
  g_assert_cmpfloat (ra_recv_set_max (&set), ==, 481.5);
  ra_recv_set_update (&set, 7, RA_SECOND, 4 * RA_SECOND);
  g_assert_cmpfloat (ra_recv_set_max (&set), ==, 481.5); /* just two RTTs */
  ra_recv_set_update (&set, 6, RA_SECOND, 4 * RA_SECOND + 1);
  g_assert_cmpfloat (ra_recv_set_max (&set), ==, 7);
}

/* Whatever comes, X <= 2 max (X_recv_set) once Infinity has left, except for
 * initial_rate and s / t_mbi; the set counted here by brute force. */
static void
test_law_recv_limit (Fixture *f, gconstpointer data)
{
  enum
  {
    N = 20000
  };
  g_autofree gdouble *x_recv = g_new (gdouble, N);
  g_autofree RaTime *at = g_new (RaTime, N);
  g_autoptr (GRand) rnd = g_rand_new_with_seed (1);

  for (guint i = 0; i < N; i++) {
    gdouble p = g_rand_boolean (rnd) ? 0 : exp (-g_rand_double (rnd) * 14);
    gdouble most = 0;

    x_recv[i] = PPR * exp (g_rand_double_range (rnd, -3, 6));
    report (f, g_rand_int_range (rnd, 1, 100) * RA_MSECOND, R, x_recv[i], p,
        (guint) g_rand_int_range (rnd, 0, 2), FALSE);
    at[i] = f->now;
    for (guint j = i + 1; j-- > 0 && ra_diff (f->now, at[j]) <= 2 * R;)
      most = fmax (most, x_recv[j]);
    if (ra_diff (f->now, at[0]) > 3 * R && p > 0) {
      g_assert_cmpfloat (
          get (f->rate, "x"), <=, fmax (2 * most, 1000. / 64) * 1.0001);
      assert_near (get (f->rate, "recv_limit"), 2 * most, "brute force");
    }
  }
}

/* Step 3: max (4R, 2s/X) with X as it was when the report came. */
static void
test_rto (void)
{
  static const struct
  {
    RaSpan rtt;
    gdouble x_recv, rto;
    const gchar *why;
  } rows[] = {
    { R, 10 * PPR, 0.4, "4R; 2s/X = 0.01" },
    { R, 0.1 * PPR, 1, "2s/X with X = 2 * 1000 bytes/s" },
    { R, 0.5 * PPR, 0.4, "2s/X = 0.2" },
    { RA_SECOND, 10 * PPR, 4, "4R" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    g_auto (Fixture) f;
    RaSpan rtt = rows[i].rtt;

    set_up (&f, NULL);
    report (&f, rtt, rtt, 0, 0, 0, FALSE);
    assert_near (get (f.rate, "rto"), fmax (2, 4 * ra_seconds (rtt)),
        "X was 1 packet/s at the first feedback");
    report (&f, 3 * rtt, rtt, rows[i].x_recv, P_387PPR, 0, FALSE);
    report (&f, rtt, rtt, rows[i].x_recv, P_387PPR, 0, FALSE);
    assert_near (get (f.rate, "rto"), rows[i].rto, rows[i].why);
    g_assert_cmpint (ra_diff (ra_rate_next_timeout (f.rate), f.now), ==,
        (RaSpan) (rows[i].rto * 1e9));
  }
}

/* --- 4.5 Oscillation --- */

/* R_sqmean includes the new sample.  Steady at 100 ms, then one sample:
 * 200 ms: (0.9 + 0.1 sqrt 2) / sqrt 2 = 1.0414214 / 1.4142136 = 0.7363961
 *  50 ms: (0.9 + 0.1 / sqrt 2) * sqrt 2 = 1.3727922
 * 400 ms: (0.9 + 0.2) / 2 = 0.55 */
static const struct
{
  RaSpan rtt;
  const gchar *params;
  gdouble factor;
  const gchar *why;
} oscillation_rows[] = {
  { R, "paper", 1, "steady" },
  { 2 * R, "paper", 0.7363961, "doubled" },
  { R / 2, "paper", 1.3727922, "halved" },
  { 4 * R, "paper", 0.55, "times four" },
  { 4 * R, "oscillation=0", 1, "switched off" },
  /* R_sqmean = .9 sqrt (.11) + .1 sqrt (.21) = 0.3443216, / sqrt (.21) */
  { 2 * R, NULL, 0.7513712, "doubled, and 10 ms of it may be no queue" },
};

static void
test_oscillation (gconstpointer data)
{
  guint i = GPOINTER_TO_UINT (data);
  g_auto (Fixture) f
      = { tfrc_new (0, 1000, oscillation_rows[i].params), RA_SECOND };
  gdouble x;

  report (&f, R, R, 0, 0, 0, FALSE);
  report (&f, 3 * R, R, 10 * PPR, P_11PPR, 1, FALSE);
  report (&f, R, oscillation_rows[i].rtt, 10 * PPR, P_11PPR, 0, FALSE);
  x = get (f.rate, "x");
  /* X_Bps goes with 1 / R, R = 0.9 * 0.1 + 0.1 * R_sample */
  assert_near (x,
      X_11PPR * 0.1 / (0.09 + 0.1 * ra_seconds (oscillation_rows[i].rtt)),
      "R is smoothed");
  assert_near (get (f.rate, "x_inst") / x, oscillation_rows[i].factor,
      oscillation_rows[i].why);
  assert_near ((gdouble) ra_rate_get (f.rate),
      8 * x * oscillation_rows[i].factor, "X_inst is the answer");
}

static void
test_oscillation_floor (Fixture *f, gconstpointer data)
{
  report (f, 4 * R, R, 0, P_11PPR, 1, FALSE);
  report (f, R, 4 * R, 0, P_11PPR, 0, FALSE);
  assert_near (get (f->rate, "x_inst"), 1000.0 / 64, "s / t_mbi");
}

/* --- Appendix C.4: losses and data-limited periods --- */

/* One report per RTT, in PPR; `limit` is recv_limit in PPR after it.  All begin
 * with "Stage 1: not data-limited, sending 100 PPR". */
typedef struct
{
  gdouble x_recv;
  gboolean data_limited;
  guint n_events;
  gdouble limit;
  RaSpan after; /* 0: R */
  const gchar *why;
} Stage;

static const Stage example1[] = {
  { 10, TRUE, 0, 200, 0, "stage 2, data-limited: 100 PPR are remembered" },
  { 10, TRUE, 0, 200, 0, "as long as it lasts" },
  { 10, TRUE, 0, 200, 3 * R, "after a pause, too" },
  { 100, FALSE, 1, 200, 0, "stage 3: a loss; only X_Bps answers" },
};
static const Stage example2[] = {
  { 99, TRUE, 1, 84.15, 0, "max (100/2, 0.85 * 99): below 85 PPR" },
  { 84, TRUE, 0, 168.3, 0, "2 * 84.15 when no more loss comes" },
};
static const Stage example3[] = {
  { 10, TRUE, 0, 200, 0, "stage 2" },
  { 1, TRUE, 1, 50, 2 * R, "stages 3 and 4: 100/2 is all that is left" },
};
static const Stage example4[] = {
  { 1, TRUE, 0, 200, 0, "stage 2" },
  { 20, TRUE, 1, 50, 0, "100/2" },
  { 20, TRUE, 1, 25, 0, "50/2" },
  { 20, TRUE, 1, 17, 0, "0.85 * 20 is more than 25/2" },
  { 20, TRUE, 1, 17, 0, "and more than 17/2" },
};
/* Example 2 with four reports per RTT: the answer lasts for one RTT. */
static const Stage example2_k4[] = {
  { 99, TRUE, 1, 84.15, R / 4, "as in example 2" },
  { 99, TRUE, 0, 84.15, R / 4, "same RTT, 0.85 * 99 again" },
  { 99, FALSE, 0, 84.15, R / 4, "whatever this interval was" },
  { 84, TRUE, 0, 84.15, R / 4, "same RTT" },
  { 84, TRUE, 0, 168.3, R / 4, "the next RTT" },
};
static const struct
{
  const gchar *name;
  const Stage *stages;
  guint n;
} examples[] = {
  { "1", example1, G_N_ELEMENTS (example1) },
  { "2", example2, G_N_ELEMENTS (example2) },
  { "3", example3, G_N_ELEMENTS (example3) },
  { "4", example4, G_N_ELEMENTS (example4) },
  { "2-k4", example2_k4, G_N_ELEMENTS (example2_k4) },
};

/* `by_p`: no n_events in the report, only an increase in p. */
static void
run_example (guint i, gboolean by_p)
{
  gdouble p = P_387PPR;
  g_auto (Fixture) f;

  set_up (&f, NULL);
  report (&f, R, R, 0, 0, 0, FALSE);
  report (&f, 3 * R, R, 100 * PPR, p, 1, FALSE);
  report (&f, R, R, 100 * PPR, p, 0, FALSE);
  for (guint n = 0; n < examples[i].n; n++) {
    const Stage *s = &examples[i].stages[n];

    if (by_p && s->n_events > 0)
      p *= 1.01;
    report (&f, s->after ? s->after : R, R, s->x_recv * PPR, p,
        by_p ? 0 : s->n_events, s->data_limited);
    assert_near (get (f.rate, "recv_limit"), s->limit * PPR, s->why);
    assert_near (get (f.rate, "x"),
        fmin (get (f.rate, "x_bps"), s->limit * PPR), s->why);
  }
}

static void
test_example_events (gconstpointer data)
{
  run_example (GPOINTER_TO_UINT (data), FALSE);
}

static void
test_example_p (gconstpointer data)
{
  run_example (GPOINTER_TO_UINT (data), TRUE);
}

void
tests_add (void)
{
  rows_add ("/tfrc/initial", initial_rows, test_initial);
  ADD ("before-feedback", set_up, test_before_feedback);
  g_test_add_func ("/tfrc/start", test_start);
  g_test_add_func ("/tfrc/start-not-received", test_start_not_received);
  ADD ("slow-start", set_up_first, test_slow_start);
  ADD ("zero-not-limited", set_up_first, test_zero_not_limited);
  ADD ("congestion-avoidance", set_up_first, test_congestion_avoidance);
  ADD ("set-with-many-reports", set_up_first, test_set_with_many_reports);
  g_test_add_func ("/tfrc/set-overflow", test_set_overflow);
  ADD ("law-recv-limit", set_up_first, test_law_recv_limit);
  g_test_add_func ("/tfrc/rto", test_rto);
  rows_add ("/tfrc/oscillation", oscillation_rows, test_oscillation);
  ADD ("oscillation-floor", set_up_first, test_oscillation_floor);
  rows_add ("/tfrc/appendix-c", examples, test_example_events);
  rows_add ("/tfrc/appendix-c-by-p", examples, test_example_p);
}
