/* ARC against paper 004, 3.2 and 3.3: by hand.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "start-fixture.h"

/* (1) times RTT:
 *   .001  (3 + sqrt (25 + 24000)) / 4 = (3 + 155) / 4 = 39.5
 *   .01   (3 + sqrt (25 + 2400)) / 4 = (3 + 49.24429) / 4 = 13.06107
 *   .1    (3 + sqrt (25 + 240)) / 4 = (3 + 16.27882) / 4 = 4.819706
 *   1     (3 + sqrt (25 + 24)) / 4 = 10 / 4 = 2.5
 */
static const struct
{
  guint lost; /* of 1000 */
  gdouble p_c, window;
} equation_rows[] = {
  { 1, .001, 39.5 },
  { 10, .01, 13.06107 },
  { 100, .1, 4.819706 },
  { 1000, 1, 2.5 },
};

/* With alpha = 1 the sample is the average. */
static void
test_equation (gconstpointer data)
{
  guint i = GPOINTER_TO_UINT (data);
  g_auto (Fixture) f = taken_over ("arc", 50 * PPR, "alpha=1");

  tell (&f, R,
      (RaReport){ .expected = 1000, .lost_congestion = equation_rows[i].lost });
  assert_near (get (f.rate, "p_c"), equation_rows[i].p_c, "sample");
  assert_near (get (f.rate, "S"), equation_rows[i].window / .1, "(1)");
  assert_near ((gdouble) ra_rate_get (f.rate),
      equation_rows[i].window * 8 * PPR, "directly reduced");
}

/* 3.2: p_c of the LDA goes into (1) without another average, alpha = .005 or not;
 * where the LDA has none, direct=1 changes nothing.  Labels of all 1000 packets lost
 * would be p_c = 1. */
static void
test_direct (gconstpointer data)
{
  guint i = GPOINTER_TO_UINT (data);
  Fixture f = taken_over ("arc", 50 * PPR, "direct=1");
  g_auto (Fixture) without = taken_over ("arc", 50 * PPR, "direct=1,alpha=1");
  RaReport report = { .expected = 1000, .lost_congestion = 1000 };

  tell (&without, R, report);
  assert_near (get (without.rate, "p_c"), 1, "no p_c: the labels");
  report.has_p_c = TRUE;
  report.p_c = equation_rows[i].p_c;
  tell (&f, R, report);
  assert_near (get (f.rate, "S"), equation_rows[i].window / .1, "(1)");
  tear_down (&f, NULL);
}

/* p_c is what (1) has for the rate when slow start ends. */
static void
test_inverse (gconstpointer data)
{
  guint i = GPOINTER_TO_UINT (data);
  g_auto (Fixture) f = taken_over ("arc", equation_rows[i].window * PPR, NULL);

  assert_near (get (f.rate, "p_c"), equation_rows[i].p_c, "inverse");
}

static void
test_inverse_limits (void)
{
  Fixture f = taken_over ("arc", 1 * PPR, NULL);

  assert_near (get (f.rate, "p_c"), 1, "no p_c gives one packet per RTT");
  tear_down (&f, NULL);
  f = taken_over ("arc", 1e12, NULL);
  g_assert_cmpfloat (get (f.rate, "p_c"), >, 0);
  tear_down (&f, NULL);
}

/* (2) with pi and w as they are counted. */
static const struct
{
  guint n, congestion, wireless;
  gdouble sample;
  const gchar *why;
} sample_rows[] = {
  /* pi = .12, w = 10/98: (.12 - .1020408) / .8979592 = .02 */
  { 100, 2, 10, .02, "both" },
  { 100, 0, 10, 0, "pi = w" },
  { 100, 2, 0, .02, "w = 0" },
  /* pi = .75, w = .5: .25 / .5 */
  { 100, 50, 25, .5, "half of what came as far as the radio" },
  /* pi = 1, w = .999 */
  { 1000, 0, 999, 0, "w = .999: all but one on the radio" },
  { 10, 10, 0, 1, "all" },
  { 10, 20, 0, 1, "confirmed late: more than there were" },
};

static void
test_sample (gconstpointer data)
{
  guint i = GPOINTER_TO_UINT (data);
  g_auto (Fixture) f = taken_over ("arc", 10 * PPR, NULL);

  tell (&f, R,
      (RaReport){ .expected = sample_rows[i].n,
          .lost_congestion = sample_rows[i].congestion,
          .lost_wireless = sample_rows[i].wireless });
  assert_near (1 + get (f.rate, "p_c_sample"), 1 + sample_rows[i].sample,
      sample_rows[i].why);
}

/* (3), from .01, with alpha = .2: .2 * .05 + .8 * .01 = .018; then
 * .8 * .018 = .0144; .2 + .8 * .0144 = .21152 */
static void
test_average (void)
{
  g_auto (Fixture) f = taken_over ("arc", 13.06107 * PPR, "alpha=.2");

  tell (&f, R, (RaReport){ .expected = 20, .lost_congestion = 1 });
  assert_near (get (f.rate, "p_c"), .018, ".05");
  tell (&f, R, (RaReport){ .expected = 20, .lost_wireless = 3 });
  assert_near (get (f.rate, "p_c"), .0144, "0: the radio is no part of it");
  tell (&f, R, (RaReport){ .lost_congestion = 1 });
  assert_near (get (f.rate, "p_c"), .0144, "no packet, no sample");
  tell (&f, R, (RaReport){ .expected = 20, .lost_congestion = 20 });
  assert_near (get (f.rate, "p_c"), .21152, "1");
}

/* The first p_c stands for 1 / p_c packets: at .01 for 100 / 13.06107 = 7.656345
 * RTTs.  A mean of k more without loss is .01 * 7.656345 / (7.656345 + k), until
 * alpha = .005 has a longer memory: 200 RTTs. */
static void
test_memory (void)
{
  g_auto (Fixture) f = taken_over ("arc", 13.06107 * PPR, NULL);
  gdouble before;

  for (guint k = 1; k <= 192; k++) {
    tell (&f, R, (RaReport){ .expected = 20 });
    assert_near (get (f.rate, "p_c"), .01 * 7.656345 / (7.656345 + k), "mean");
  }
  before = get (f.rate, "p_c");
  tell (&f, R, (RaReport){ .expected = 20, .lost_congestion = 1 });
  assert_near (get (f.rate, "p_c"), .005 * .05 + .995 * before, "(3)");
}

/* The paper's estimator runs once per RTT: four reports are one sample. */
static void
test_gather (void)
{
  g_auto (Fixture) f = taken_over ("arc", 13.06107 * PPR, "alpha=.2");

  tell (&f, R, (RaReport){ 0 });
  for (guint i = 0; i < 4; i++) {
    tell (&f, R / 4,
        (RaReport){ .expected = 5, .lost_congestion = i == 0 ? 1 : 0 });
    assert_near (get (f.rate, "p_c"), i < 3 ? .01 : .018, "1 of 20");
  }
  tell (&f, R / 4, (RaReport){ .expected = 5 });
  assert_near (get (f.rate, "p_c"), .018, "the next RTT");
  /* Feedback every 2 R. */
  tell (&f, R, (RaReport){ .expected = 5, .interval = 2 * R });
  assert_near (get (f.rate, "p_c"), .018, "not over");
  tell (&f, R, (RaReport){ .expected = 5, .interval = 2 * R });
  assert_near (get (f.rate, "p_c"), .0144, "one sample in two RTTs");
}

/* 3.2: "at most one packet per RTT; otherwise, it is directly reduced".  p_c
 * for 10 packets is 24 / (37^2 - 25) = .0178571, with alpha = .5:
 *   .0089286  (3 + sqrt (25 + 2688)) / 4 = 13.77161: 11
 *   .0044643  19.12295: 12
 *   .5022321  (3 + sqrt (25 + 47.78667)) / 4 = 2.882878
 *   .2511161  (3 + sqrt (25 + 95.57333)) / 4 = 3.495147: below 3.882878
 *   .1255580  no matter
 *   .0627790  5.795377: 4.495147
 *   .5313895  (3 + sqrt (25 + 45.16461)) / 4 = 2.844108
 */
static void
test_steps (void)
{
  static const struct
  {
    guint lost;
    gboolean data_limited;
    gdouble window;
    const gchar *why;
  } rows[] = {
    { 0, FALSE, 11, "one packet more" },
    { 0, FALSE, 12, "and one" },
    { 10, FALSE, 2.882878, "down at once" },
    { 0, FALSE, 3.495147, "not above (1)" },
    { 0, TRUE, 3.495147, "nobody tried" },
    { 0, FALSE, 4.495147, "one packet more" },
    { 10, TRUE, 2.844108, "down all the same" },
  };
  g_auto (Fixture) f = taken_over ("arc", 10 * PPR, "alpha=.5");

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    tell (&f, R,
        (RaReport){ .expected = 10,
            .lost_congestion = rows[i].lost,
            .data_limited = rows[i].data_limited });
    assert_near (get (f.rate, "S"), rows[i].window / .1, rows[i].why);
  }
}

/* The first loss is an answer in itself; its p_c is not made worse by what slow
 * start sent before it. */
static void
test_first_loss (void)
{
  RaReport loss = { .recv_rate = ra_bits (16 * PPR),
    .p = .01,
    .n_events = 1,
    .expected = 16,
    .lost_congestion = 8 };
  g_auto (Fixture) f = start_new ("arc", 16 * PPR, "alpha=.2");
  gdouble p_c = 24. / (61 * 61 - 25); /* 16 packets: 4 * 16 - 3 = 61 */

  tell (&f, R, (RaReport){ .expected = 8 });
  tell (&f, R, (RaReport){ .expected = 16, .recv_rate = ra_bits (16 * PPR) });
  tell (&f, R / 2, loss);
  assert_near (get (f.rate, "x"), 16 * PPR, "half of 32");
  assert_near (get (f.rate, "p_c"), p_c, "(1) for 16 packets");
  tell (&f, R / 2, loss);
  assert_near (get (f.rate, "p_c"), p_c, "sent before");
  tell (&f, R / 2, (RaReport){ .expected = 16 });
  assert_near (get (f.rate, "p_c"), p_c, "half an RTT");
  tell (&f, R / 2, loss);
  assert_near (get (f.rate, "p_c"), .2 * 8 / 32 + .8 * p_c, "8 of 32");
}

/* After a silence 20 packets are 5, and double; not where some are lost. */
static void
test_silence_loss (void)
{
  for (guint lost = 0; lost < 2; lost++) {
    g_auto (Fixture) f = taken_over ("arc", 20 * PPR, NULL);

    expire (&f, FALSE);
    expire (&f, FALSE);
    assert_near (get (f.rate, "x"), 5 * PPR, "quartered");
    tell (&f, R,
        (RaReport){ .expected = 20,
            .lost_congestion = lost,
            .recv_rate = ra_bits (20 * PPR) });
    assert_near (get (f.rate, "x"), (lost ? 6 : 10) * PPR,
        "one packet per RTT, or twice as many");
  }
}

/* Hours without a loss: (1) stays a number, and the next loss counts. */
static void
test_forgetting (void)
{
  g_auto (Fixture) f = taken_over ("arc", 10 * PPR, NULL);

  for (guint i = 0; i < 200000; i++)
    tell (&f, R, (RaReport){ .expected = 10, .data_limited = TRUE });
  g_assert_cmpfloat (get (f.rate, "p_c"), >, 0);
  g_assert_cmpfloat (get (f.rate, "S"), ==, 100);
  tell (&f, R, (RaReport){ .expected = 10, .lost_congestion = 10 });
  assert_near (get (f.rate, "p_c"), .005, "alpha of 1");
}

static void
test_slow_start_end (void)
{
  slow_start_end_law ("arc", 1);
}

void
tests_add (void)
{
  static const gchar name[] = "arc";

  rows_add ("/arc/equation", equation_rows, test_equation);
  rows_add ("/arc/direct", equation_rows, test_direct);
  rows_add ("/arc/inverse", equation_rows, test_inverse);
  g_test_add_func ("/arc/inverse-limits", test_inverse_limits);
  rows_add ("/arc/sample", sample_rows, test_sample);
  g_test_add_func ("/arc/average", test_average);
  g_test_add_func ("/arc/memory", test_memory);
  g_test_add_func ("/arc/gather", test_gather);
  g_test_add_func ("/arc/steps", test_steps);
  g_test_add_func ("/arc/first-loss", test_first_loss);
  g_test_add_func ("/arc/silence-loss", test_silence_loss);
  g_test_add_func ("/arc/forgetting", test_forgetting);
  g_test_add_data_func ("/arc/slow-start", name, slow_start_law);
  g_test_add_func ("/arc/slow-start-end", test_slow_start_end);
  g_test_add_data_func ("/arc/silence", name, silence_law);
  g_test_add_data_func ("/arc/idle", name, idle_law);
}
