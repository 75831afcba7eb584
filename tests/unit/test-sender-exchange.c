/* The sender by hand: another controller takes over while it runs.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "sender-fixture.h"

/* A new controller begins at the present rate; a bad one changes nothing. */
static void
test_controller_exchange (void)
{
  const RaRateOps *tfrc = ra_rate_find ("tfrc");
  RaSenderStats before;
  GError *error = NULL;
  g_auto (Fixture) f;

  fixture_init (&f, 0);
  f.now = 100 * RA_MSECOND;
  fixture_send (&f, 1000, RA_SENT_ASKS);
  probe_rate = 765432;
  f.now = 180 * RA_MSECOND;
  fixture_report (&f, 100 * RA_MSECOND, 0);
  g_assert_cmpuint (ra_sender_rate (f.sender), ==, 765432);
  g_assert_false (
      ra_sender_set_controller (f.sender, tfrc, "nonsense=1", f.now, &error));
  g_assert_nonnull (error);
  g_clear_error (&error);
  g_assert_cmpuint (ra_sender_rate (f.sender), ==, 765432);
  g_assert_cmpuint (ra_sender_next_timeout (f.sender), ==, RA_TIME_NONE);

  before = fixture_stats (&f);
  g_assert_true (
      ra_sender_set_controller (f.sender, tfrc, NULL, f.now, &error));
  g_assert_no_error (error);
  g_assert_cmpuint (ra_sender_rate (f.sender), ==, 765432);
  /* RFC 5348 4.2 */
  g_assert_cmpuint (
      ra_sender_next_timeout (f.sender), ==, f.now + 2 * RA_SECOND);
  g_assert_cmpuint (fixture_stats (&f).packets_sent, ==, before.packets_sent);
  g_assert_cmpuint (fixture_stats (&f).feedback, ==, before.feedback);

  ra_sender_set_limits (
      f.sender, &(RaRateConfig){ .min = 1000, .max = 500000, .mss = 1200 });
  g_assert_cmpuint (ra_sender_rate (f.sender), ==, 500000);
}

/* Limits that come after an exchange are no reason to go back to the start; a
 * new start is. */
static void
test_exchange_limits (void)
{
  const RaRateOps *fixed = ra_rate_find ("fixed");
  RaRateConfig limits = { 1000, 2000000, 3000000, 1200 };
  g_auto (Fixture) f;

  fixture_init (&f, 0);
  ra_sender_set_limits (f.sender, &limits);
  f.now = 100 * RA_MSECOND;
  fixture_send (&f, 1000, RA_SENT_ASKS);
  probe_rate = 300000;
  f.now = 200 * RA_MSECOND;
  fixture_report (&f, 100 * RA_MSECOND, 0);
  g_assert_true (ra_sender_set_controller (f.sender, fixed, NULL, f.now, NULL));
  g_assert_cmpuint (ra_sender_rate (f.sender), ==, 300000);
  limits.max = 4000000;
  ra_sender_set_limits (f.sender, &limits);
  fixture_report (&f, 100 * RA_MSECOND, 0);
  g_assert_cmpuint (ra_sender_rate (f.sender), ==, 300000);
  limits.start = 1500000;
  ra_sender_set_limits (f.sender, &limits);
  fixture_report (&f, 100 * RA_MSECOND, 0);
  g_assert_cmpuint (ra_sender_rate (f.sender), ==, 1500000);
}

/* The path is the same: its RTT stays known. */
static void
test_exchange_rtt (void)
{
  g_auto (Fixture) f;

  fixture_init (&f, 0);
  fixture_send (&f, 1000, RA_SENT_ASKS);
  f.now = 40 * RA_MSECOND;
  fixture_report (&f, 0, 0);
  g_assert_true (ra_sender_set_controller (
      f.sender, ra_rate_find ("tfrc"), NULL, f.now, NULL));
  g_assert_cmpint (fixture_stats (&f).rtt, ==, 40 * RA_MSECOND);
}

/* A packet is on its way when newreno takes over, and a report tells of one
 * before it: the timer runs (RFC 6298 5.1), and s is what it was. */
static void
s_check (const gchar *name, gdouble value, gpointer data)
{
  if (g_str_equal (name, "newreno.s")) {
    g_assert_cmpfloat (value, ==, 500);
    *(gboolean *) data = TRUE;
  }
}

static void
test_exchange_flight (void)
{
  gboolean seen = FALSE;
  g_auto (Fixture) f;

  fixture_init (&f, 0);
  fixture_send (&f, 500, RA_SENT_ASKS);
  f.now += 100 * RA_MSECOND;
  fixture_send (&f, 500, RA_SENT_ASKS);
  g_assert_true (ra_sender_set_controller (
      f.sender, ra_rate_find ("newreno"), NULL, f.now, NULL));
  fixture_report (&f, 0, 0);
  g_assert_cmpuint (ra_sender_next_timeout (f.sender), <, 10 * RA_SECOND);
  ra_sender_observe (f.sender, s_check, &seen);
  g_assert_true (seen);
}

/* All packets have been reported when a clock has fallen back by an hour: the timer
 * does not run. */
static void
test_exchange_clock_back (void)
{
  g_auto (Fixture) f;

  fixture_init (&f, 0);
  f.now = 3600 * RA_SECOND;
  fixture_send (&f, 500, RA_SENT_ASKS);
  f.now = RA_SECOND;
  fixture_send (&f, 500, RA_SENT_ASKS);
  g_assert_true (ra_sender_set_controller (
      f.sender, ra_rate_find ("newreno"), NULL, f.now, NULL));
  f.now += 100 * RA_MSECOND;
  fixture_report (&f, RA_SECOND, 0);
  g_assert_cmpuint (ra_sender_next_timeout (f.sender), ==, RA_TIME_NONE);
}

void
tests_add (void)
{
  g_test_add_func ("/sender/exchange/controller", test_controller_exchange);
  g_test_add_func ("/sender/exchange/limits", test_exchange_limits);
  g_test_add_func ("/sender/exchange/rtt", test_exchange_rtt);
  g_test_add_func ("/sender/exchange/flight", test_exchange_flight);
  g_test_add_func ("/sender/exchange/clock-back", test_exchange_clock_back);
}
