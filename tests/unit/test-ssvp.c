/* SSVP against paper 003, section 4: gaps by hand.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "start-fixture.h"

/* One report to a flow at 10 PPR, IPG = .01 s:
 *   additive   .1 / (10 + .31) = 9.699321e-3     (11) .01 / 1.31 = 7.633588e-3
 *   (10)       .01 / .875 = 1.142857e-2          Reno up .1 / 11 = 9.090909e-3
 */
static const struct
{
  const gchar *params;
  RaReport report;
  RaSpan after;
  gdouble ipg;
  const gchar *why;
} rows[] = {
  { NULL, { 0 }, R, 9.699321e-3, "alpha packets more per RTT" },
  { NULL, { 0 }, 5 * R / 2, 9.699321e-3, "once per report" },
  { NULL, { 0 }, R / 2, .01, "not before an RTT is over" },
  { NULL, { .interval = 2 * R }, 2 * R, 9.847366e-3,
      "feedback every 2 R: .2 / (20 + .31) " },
  { NULL, { .data_limited = TRUE }, R, .01, "nobody tried" },
  { NULL, { .n_events = 1 }, R, 1.142857e-2, "(10)" },
  { NULL, { .n_events = 1 }, R / 9, 1.142857e-2, "immediately" },
  { NULL, { .n_events = 3 }, R, 1.142857e-2, "once per RTT" },
  { NULL, { .n_events = 1, .data_limited = TRUE }, R, 1.142857e-2,
      "congestion all the same" },
  { NULL, { .p = 2 * P_387PPR }, R, 1.142857e-2,
      "the event's report was lost" },
  { NULL, { .lost_congestion = 9 }, R, .01, "of an event that was answered" },
  { NULL, { .lost_wireless = 9 }, R, 9.699321e-3, "no loss of ours" },
  { NULL, { .lost_wireless = 9, .n_events = 1 }, R, 1.142857e-2,
      "3.2: both may take place" },
  { "hold=1", { .lost_wireless = 9 }, R, .01, "3.2: unaffected" },
  { "hold=1", { .lost_congestion = 9 }, R, .01, "this one is" },
  { "increase=1", { 0 }, R, 7.633588e-3, "(11) as printed" },
  { "paper", { 0 }, R, 7.633588e-3, "so `paper`" },
  { "paper", { .n_events = 1 }, R, 1.142857e-2, "(10)" },
  { "paper", { .lost_wireless = 1 }, R, .01, "3.2" },
  { "alpha=1,beta=.5", { 0 }, R, 9.090909e-3, "Reno up" },
  { "alpha=1,beta=.5", { .n_events = 1 }, R, .02, "Reno down" },
};

static void
test_gap (gconstpointer data)
{
  guint i = GPOINTER_TO_UINT (data);
  g_auto (Fixture) f = taken_over ("ssvp", 10 * PPR, rows[i].params);
  RaReport report = rows[i].report;

  report.p = MAX (report.p, P_387PPR);
  tell (&f, rows[i].after, report);
  assert_near (get (f.rate, "ipg"), rows[i].ipg, rows[i].why);
  /* (15), (13) */
  assert_near ((gdouble) ra_rate_get (f.rate), 8000 / rows[i].ipg, "s / IPG");
  assert_near (get (f.rate, "k"), .1 / rows[i].ipg, "RTT / IPG");
}

/* A report of packets sent R before now: at 100 PPR, 87.5 after (10). */
static void
test_once_per_rtt (void)
{
  static const struct
  {
    RaSpan after;
    guint n_events, lost;
    gdouble k;
    const gchar *why;
  } steps[] = {
    { R, 1, 5, 87.5, "(10)" },
    { R / 2, 1, 5, 87.5, "sent before that, answered by it" },
    { R / 4, 0, 5, 87.5, "so are these" },
    { R / 4, 0, 0, 87.81, "sent after; none of what came was late" },
    { R / 2, 0, 1, 87.81, "no RTT over" },
    { R / 2, 0, 0, 87.81, "one over, with a loss" },
    { R, 0, 0, 88.12, "and one without" },
    { R / 2, 1, 1, 77.105, "(10)" },
    { R, 1, 1, 67.466875, "(10) in the next RTT" },
  };
  g_auto (Fixture) f = taken_over ("ssvp", 100 * PPR, NULL);

  for (guint i = 0; i < G_N_ELEMENTS (steps); i++) {
    tell (&f, steps[i].after,
        (RaReport){ .n_events = steps[i].n_events,
            .lost_congestion = steps[i].lost,
            .p = P_387PPR });
    assert_near (get (f.rate, "k"), steps[i].k, steps[i].why);
  }
}

/* What was lost before the decrease shows after it, by its age. */
static void
test_loss_age (void)
{
  RaReport loss = { .n_events = 1, .p = P_387PPR };
  g_auto (Fixture) f = taken_over ("ssvp", 100 * PPR, NULL);

  tell (&f, R, loss);
  loss.loss_age = R / 10;
  tell (&f, R, loss);
  assert_near (get (f.rate, "k"), 87.5, "sent R / 10 before (10)");
  tell (&f, R / 10, loss);
  assert_near (get (f.rate, "k"), 76.5625, "(10) of those sent after");
}

/* 20 + 10 * .31; half of it after a silence, and then what it was: not only the
 * 20 at which slow start ended. */
static void
test_silence_grown (void)
{
  g_auto (Fixture) f = taken_over ("ssvp", 20 * PPR, NULL);

  for (guint i = 0; i < 10; i++)
    tell (&f, R, (RaReport){ .p = P_387PPR });
  assert_near (get (f.rate, "k"), 23.1, "grown");
  expire (&f, FALSE);
  assert_near (get (f.rate, "k"), 11.55, "halved");
  tell (&f, R, (RaReport){ .p = P_387PPR, .recv_rate = ra_bits (11.55 * PPR) });
  assert_near (get (f.rate, "k"), 23.1, "doubled");
}

/* From 100 packets per RTT: 87.5 after a loss, back after 12.5 / .31 = 40.3
 * RTTs. */
static void
test_cycle (void)
{
  g_auto (Fixture) f = taken_over ("ssvp", 100 * PPR, NULL);

  tell (&f, R, (RaReport){ .n_events = 1, .p = P_387PPR });
  for (guint i = 0; i < 40; i++)
    tell (&f, R, (RaReport){ .p = P_387PPR });
  assert_near (get (f.rate, "k"), 99.9, "40 RTTs");
  tell (&f, R, (RaReport){ .p = P_387PPR });
  assert_near (get (f.rate, "k"), 100.21, "41 RTTs");
}

/* The gap follows the packets, the rate does not. */
static void
test_sizes (void)
{
  g_auto (Fixture) f = taken_over ("ssvp", 10 * PPR, "hold=1");

  for (guint i = 0; i < 5000; i++)
    ra_rate_on_sent (f.rate, 250, f.now);
  assert_near (get (f.rate, "s"), 250, "all packets are small");
  tell (&f, R, (RaReport){ .lost_wireless = 1, .p = P_387PPR });
  assert_near (get (f.rate, "x"), 10 * PPR, "unaffected");
  assert_near (get (f.rate, "ipg"), .0025, "250 / 100000");
  tell (&f, R, (RaReport){ .p = P_387PPR });
  assert_near (get (f.rate, "x"), 100775, "100000 + .31 * 250 / .1");
}

/* 3.2: a wireless loss holds slow start, too, and ends nothing. */
static void
test_slow_start_wireless (void)
{
  g_auto (Fixture) f = start_new ("ssvp", 16 * PPR, "hold=1");
  RaReport report = { .recv_rate = ra_bits (16 * PPR) };

  tell (&f, R, report);
  report.lost_wireless = 1;
  tell (&f, R, report);
  assert_near (get (f.rate, "x"), 16 * PPR, "unaffected");
  report.lost_wireless = 0;
  tell (&f, R, report);
  assert_near (get (f.rate, "x"), 32 * PPR, "doubled");
  report.recv_rate = 1;
  tell (&f, R, report);
  assert_near (get (f.rate, "x"), 32.31 * PPR, "never slower than (11)");
}

static void
test_slow_start_end (void)
{
  slow_start_end_law ("ssvp", .875);
}

void
tests_add (void)
{
  static const gchar name[] = "ssvp";

  rows_add ("/ssvp/gap", rows, test_gap);
  g_test_add_func ("/ssvp/once-per-rtt", test_once_per_rtt);
  g_test_add_func ("/ssvp/loss-age", test_loss_age);
  g_test_add_func ("/ssvp/silence-grown", test_silence_grown);
  g_test_add_func ("/ssvp/cycle", test_cycle);
  g_test_add_func ("/ssvp/sizes", test_sizes);
  g_test_add_func ("/ssvp/slow-start-wireless", test_slow_start_wireless);
  g_test_add_data_func ("/ssvp/slow-start", name, slow_start_law);
  g_test_add_func ("/ssvp/slow-start-end", test_slow_start_end);
  g_test_add_data_func ("/ssvp/silence", name, silence_law);
  g_test_add_data_func ("/ssvp/idle", name, idle_law);
}
