/* Controllers with a window against RFC 5681, 6298, 6582, 7661 and their
 * papers: by hand.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "window-fixture.h"

static const gchar *const all[] = { "newreno", "gaimd", "westwood" };

/* RFC 5681 3.1 (3), literally. */
static gdouble
avoid (gdouble cwnd, gdouble alpha, guint n)
{
  while (n-- > 0)
    cwnd += alpha / cwnd;
  return cwnd;
}

/* (3) in one step for n packets is off by alpha / 2 (1 / before - 1 / after). */
static void
assert_avoided (const Fixture *f, gdouble want)
{
  g_assert_cmpfloat_with_epsilon (get (f, "cwnd"), want, .05);
}

/* --- The beginning --- */

static const struct
{
  guint mss;
  gdouble iw;
  const gchar *why;
} iw_rows[] = { { 536, 4, "SMSS <= 1095" }, { 1095, 4, "SMSS <= 1095" },
  { 1096, 3, "1095 < SMSS <= 2190" }, { 1460, 3, "1095 < SMSS <= 2190" },
  { 2190, 3, "1095 < SMSS <= 2190" }, { 2191, 2, "SMSS > 2190" } };

static void
test_iw (gconstpointer data)
{
  guint i = GPOINTER_TO_UINT (data);
  g_auto (Fixture) f = window_new ("newreno", 0, iw_rows[i].mss, NULL);

  assert_near (get (&f, "cwnd"), iw_rows[i].iw, iw_rows[i].why);
  tell (&f, R, 0, (RaReport){ 0 });
  assert_near ((gdouble) ra_rate_get (f.rate),
      iw_rows[i].iw * iw_rows[i].mss * 8 / .1, "cwnd s / R");
}

/* R = 100 ms: 960 kbit/s are 12 packets. */
static const struct
{
  guint64 start;
  gdouble p, before, cwnd, after;
  const gchar *why;
} start_rows[] = {
  { 0, 0, 32000, 4, 8, "no start: IW in the initial RTO of 1 s" },
  { 960000, 0, 960000, 12, 24, "the user's; slow start" },
  { 80000, 0, 80000, 4, 8, "IW is more" },
  /* 12 + 1 / 12 + 1 / 12.08 + ..., 12 times */
  { 960000, .01, 960000, 12, 12.96, "another controller's, after losses" },
};

static void
test_start (gconstpointer data)
{
  guint i = GPOINTER_TO_UINT (data);
  g_auto (Fixture) f = window_new ("newreno", start_rows[i].start, 1000, NULL);
  gdouble cwnd = start_rows[i].cwnd;

  assert_near ((gdouble) ra_rate_get (f.rate), start_rows[i].before, "before");
  tell (&f, R, 0, (RaReport){ .p = start_rows[i].p });
  assert_near (get (&f, "cwnd"), cwnd, start_rows[i].why);
  acked (&f, (guint) cwnd);
  g_assert_cmpfloat_with_epsilon (get (&f, "cwnd"), start_rows[i].after, .01);
}

/* Two packets per R of another controller, after losses: IW would be twice as
 * much. */
static void
test_handed_over (gconstpointer data)
{
  g_auto (Fixture) f = window_new (data, 2 * PPR, 1000, NULL);

  tell (&f, R, 2, (RaReport){ .p = .2 });
  assert_near (get (&f, "cwnd"), 2, "as it was");
  assert_near (get (&f, "ssthresh"), 2, "no slow start");
}

static void
test_slow_start (gconstpointer data)
{
  Fixture f = window_new (data, 0, 1000, NULL), g;

  tell (&f, R, 0, (RaReport){ 0 });
  for (guint n = 4; n < 512; n *= 2) {
    assert_near (get (&f, "cwnd"), n, "doubles each RTT");
    acked (&f, n);
  }
  tear_down (&f);

  /* The same packets in four reports. */
  g = window_new (data, 0, 1000, NULL);
  tell (&g, R, 0, (RaReport){ 0 });
  for (guint n = 4; n < 512; n *= 2) {
    assert_near (get (&g, "cwnd"), n, "with frames, too");
    for (guint i = 0; i < 4; i++)
      tell (&g, R / 4, n, (RaReport){ .arrived = n / 4, .interval = R / 4 });
  }
  tear_down (&g);
}

/* ssthresh = 16 / 2 after the timeout, then 1, 2, 4, 8, and (3) from there. */
static void
test_slow_start_ends (void)
{
  g_auto (Fixture) f = avoiding ("newreno", 16, NULL);

  expire (&f);
  assert_near (get (&f, "ssthresh"), 8, "RFC 5681 (4)");
  send_packet (&f);
  f.now += R;
  for (guint n = 1; n <= 8; n *= 2) {
    assert_near (get (&f, "cwnd"), n, "slow start");
    acked (&f, n);
  }
  assert_avoided (&f, avoid (8, 1, 8));
}

static void
test_limits (gconstpointer data)
{
  RaRateConfig cfg = { 1, 0, 20 * PPR, 1000 };
  g_auto (Fixture) f
      = { ra_rate_new (ra_rate_find (data), NULL, &cfg, 0, NULL), R };

  for (guint i = 0; i < 100; i++)
    acked (&f, 20);
  assert_near (get (&f, "cwnd"), 20, "no more than max R / s");
}

/* --- The timer, RFC 6298 --- */

/* In ms.  2.2: SRTT = R, RTTVAR = R / 2; 2.3: RTTVAR = 3/4 RTTVAR + 1/4 |SRTT -
 * R'| with the old SRTT, SRTT = 7/8 SRTT + 1/8 R'; RTO = SRTT + max (10, 4
 * RTTVAR). */
static const struct
{
  gint r;
  gdouble srtt, rttvar, rto, at_least_200, at_least_1000;
} rto_rows[] = {
  { 100, 100, 50, 300, 300, 1000 },
  { 100, 100, 37.5, 250, 250, 1000 },
  { 100, 100, 28.125, 212.5, 212.5, 1000 },
  { 100, 100, 21.09375, 184.375, 200, 1000 },
  { 200, 112.5, 40.8203125, 275.78125, 275.78125, 1000 },
  { 80, 108.4375, 38.740234375, 263.3984375, 263.3984375, 1000 },
  { 4000, 594.8828125, 1001.9458008, 4602.6660156, 4602.6660156, 4602.6660156 },
};

static void
test_rto (gconstpointer data)
{
  static const gchar *const params[] = { "min-rto=1ms", "", "paper" };
  guint i = GPOINTER_TO_UINT (data);
  g_auto (Fixture) f = window_new ("newreno", 0, 1000, params[i]);

  assert_near (get (&f, "rto"), 1, "2.1");
  for (guint n = 0; n < G_N_ELEMENTS (rto_rows); n++) {
    const gdouble want[] = { rto_rows[n].rto, rto_rows[n].at_least_200,
      rto_rows[n].at_least_1000 };

    tell (
        &f, 5 * RA_SECOND, 4, (RaReport){ .rtt = rto_rows[n].r * RA_MSECOND });
    assert_near (get (&f, "srtt"), rto_rows[n].srtt / 1000, "SRTT");
    assert_near (get (&f, "rttvar"), rto_rows[n].rttvar / 1000, "RTTVAR");
    assert_near (get (&f, "rto"), want[i] / 1000, "RTO");
  }
  for (guint n = 0; n < 100; n++)
    acked (&f, 4);
  assert_near (get (&f, "rto"), i == 0 ? .11 : i == 1 ? .2 : 1, "SRTT + G");
}

/* RFC 4341 5: an estimate per window of data, not per report. */
static void
test_rtt_per_frame (void)
{
  g_auto (Fixture) f = window_new ("newreno", 0, 1000, NULL);

  tell (&f, R, 4, (RaReport){ 0 });
  for (guint i = 0; i < 10; i++)
    tell (&f, R / 10, 4, (RaReport){ .rtt = 2 * R, .interval = R / 10 });
  /* After 50 ms, and again after 112.5 / 2 = 56.25 of these. */
  g_assert_cmpfloat (get (&f, "srtt"), <=, .1 + .1 * (1 - 49. / 64) + 1e-9);
}

/* The RTO is 250 ms, the next report due 100 ms (33) after the last; a second
 * timeout doubles it again and leaves ssthresh; 60 s are enough. */
static const struct
{
  RaSpan interval;
  gint after; /* ms */
} timer_rows[] = { { 0, 350 }, { 33 * RA_MSECOND, 283 } };

static void
test_timeout (gconstpointer data)
{
  guint i = GPOINTER_TO_UINT (data);
  RaSpan interval = timer_rows[i].interval;
  g_auto (Fixture) f = avoiding ("newreno", 40, NULL);
  gdouble rto = .25;

  f.now += R / 2;
  send_packet (&f);
  tell (&f, R / 2, 40, (RaReport){ .interval = interval });
  g_assert_cmpuint (ra_rate_next_timeout (f.rate), ==,
      f.now + (RaTime) timer_rows[i].after * RA_MSECOND);
  for (guint n = 0; n < 12; n++) {
    rto = fmin (2 * rto, 60);
    expire (&f);
    assert_near (get (&f, "cwnd"), 1, "the loss window");
    assert_near (get (&f, "ssthresh"), 20, "held at further timeouts");
    assert_near (get (&f, "rto"), rto, "RFC 6298 5.5");
    assert_near (
        (gdouble) ra_rate_get (f.rate), round (8000 / rto), "a packet per RTO");
  }
  send_packet (&f);
  tell (&f, 2 * R, 1, (RaReport){ .arrived = 1 });
  g_assert_cmpfloat (get (&f, "rto"), <, .3);
  g_assert_cmpuint (ra_rate_get (f.rate), ==, 2 * PPR);
}

/* A timeout before the first report: what start was is over. */
static void
test_timeout_first (void)
{
  g_auto (Fixture) f = window_new ("newreno", 960000, 1000, NULL);

  expire (&f);
  tell (&f, R, 1, (RaReport){ 0 });
  assert_near (get (&f, "cwnd"), 1, "the loss window");
}

/* gaimd's is what a loss would have left. */
static void
test_timeout_gaimd (void)
{
  g_auto (Fixture) f = avoiding ("gaimd", 20, NULL);

  expire (&f);
  assert_near (get (&f, "ssthresh"), 17.5, "beta = .875");
}

/* What was sent before a timeout and comes late ends nothing: still a packet per
 * RTO. */
static void
test_timeout_late (void)
{
  g_auto (Fixture) f = avoiding ("newreno", 20, NULL);

  expire (&f);
  tell (&f, R, 20, (RaReport){ .rtt = 6 * R, .arrived = 5 });
  assert_near (get (&f, "cwnd"), 1, "in recovery");
  assert_near ((gdouble) ra_rate_get (f.rate), round (8000 / get (&f, "rto")),
      "a packet per RTO");
}

/* RFC 6298 5.1, 5.2: no timer while nothing is on its way. */
static void
test_timer_off (gconstpointer data)
{
  g_auto (Fixture) f = window_new (data, 0, 1000, NULL);

  g_assert_cmpuint (ra_rate_next_timeout (f.rate), ==, RA_TIME_NONE);
  send_packet (&f);
  g_assert_cmpuint (ra_rate_next_timeout (f.rate), ==, f.now + 2 * RA_SECOND);
  tell (&f, R, 0, (RaReport){ .arrived = 1 });
  g_assert_cmpuint (ra_rate_next_timeout (f.rate), ==, RA_TIME_NONE);
  send_packet (&f);
  f.now += R / 2;
  send_packet (&f);
  tell (&f, R / 2, 0, (RaReport){ .arrived = 1 });
  g_assert_cmpuint (ra_rate_next_timeout (f.rate), !=, RA_TIME_NONE);
}

/* --- Losses --- */

/* From a window of 20, 20 packets per R: what a report leaves of it. */
static const struct
{
  const gchar *name, *params;
  guint events, congestion, wireless;
  gdouble cwnd, ssthresh;
  const gchar *why;
} loss_rows[] = {
  { "newreno", NULL, 1, 1, 0, 10, 10, "RFC 5681 (4)" },
  { "newreno", NULL, 1, 7, 0, 10, 10, "one event" },
  { "newreno", NULL, 0, 1, 0, 10, 10, "an event of its own, RFC 4341 5" },
  { "newreno", NULL, 1, 0, 0, 10, 10, "ECN" },
  { "newreno", NULL, 0, 0, 5, 20, 20, "Barman 2002, figure 2" },
  { "newreno", NULL, 1, 1, 5, 10, 10, "both" },
  { "gaimd", NULL, 1, 1, 0, 17.5, 17.5, "beta = .875" },
  { "gaimd", "beta=.5", 1, 1, 0, 10, 10, "beta" },
  { "gaimd", NULL, 0, 0, 5, 20, 20, "Papadimitriou 2009, 3.2" },
  { "westwood", NULL, 1, 1, 0, 20, 20, "BWE R_min: 20 per R, no queue" },
  { "westwood", NULL, 0, 0, 5, 20, 20, "as newreno" },
};

static void
test_loss (gconstpointer data)
{
  guint i = GPOINTER_TO_UINT (data);
  g_auto (Fixture) f = avoiding (loss_rows[i].name, 20, loss_rows[i].params);

  g_test_message ("%s: %s", loss_rows[i].name, loss_rows[i].why);
  tell (&f, R, 20,
      (RaReport){ .n_events = loss_rows[i].events,
          .lost_congestion = loss_rows[i].congestion,
          .lost_wireless = loss_rows[i].wireless });
  assert_near (get (&f, "cwnd"), loss_rows[i].cwnd, loss_rows[i].why);
  assert_near (get (&f, "ssthresh"), loss_rows[i].ssthresh, loss_rows[i].why);
}

/* Barman 2002, 2.1 "ignores". */
static void
test_wireless_grows (void)
{
  RaReport report = { .arrived = 20, .lost_wireless = 1 };
  Fixture f = avoiding ("newreno", 20, NULL), g = avoiding ("gaimd", 20, NULL);

  tell (&f, R, 20, report);
  assert_avoided (&f, avoid (20, 1, 20));
  tell (&g, R, 20, report);
  assert_avoided (&g, avoid (20, .31, 20));
  tear_down (&f);
  tear_down (&g);
}

/* One decrease per window: at 20 packets per R, 3 packets are 15 ms. */
static void
test_recover (void)
{
  /* A loss is known when 3 later packets have come: 15 ms, then 30. */
  RaReport loss = { .arrived = 19,
    .lost_congestion = 1,
    .n_events = 1,
    .loss_age = 15 * RA_MSECOND };
  g_auto (Fixture) f = avoiding ("newreno", 20, NULL);

  tell (&f, R, 20, loss); /* decreases; sent until R before */
  loss.loss_age = 30 * RA_MSECOND;
  assert_near (get (&f, "cwnd"), 10, "halved");
  tell (&f, R / 2, 20, loss); /* sent until R / 2 before the decrease */
  assert_near (get (&f, "cwnd"), 10, "sent before it");
  tell (&f, R / 2, 20, loss); /* until the decrease itself */
  assert_near (get (&f, "cwnd"), 10, "sent before it");
  tell (&f, 20 * RA_MSECOND, 20, loss); /* 20 ms after it */
  assert_near (get (&f, "cwnd"), 10, "the lost one was sent before it");
  tell (&f, 80 * RA_MSECOND, 10, loss);
  assert_near (get (&f, "cwnd"), 5, "sent after it");
  tell (&f, R, 10, (RaReport){ .arrived = 10 });
  assert_near (get (&f, "cwnd"), 5, "not these ACKs");
  tell (&f, R, 5, (RaReport){ .arrived = 5 });
  assert_avoided (&f, avoid (5, 1, 5));
}

/* RFC 4341: cwnd is at least one, ssthresh two; RFC 3042: a window of less
 * than three times out. */
static const struct
{
  guint cwnd;
  gdouble after, ssthresh;
  gint rto; /* ms: twice 250 after a timeout */
  const gchar *why;
} floor_rows[] = {
  { 4, 2, 2, 250, "halved" },
  { 3, 1.5, 2, 250, "cwnd may be less than ssthresh" },
  { 2, 1, 2, 500, "a timeout" },
};

static void
test_floor (gconstpointer data)
{
  guint i = GPOINTER_TO_UINT (data);
  g_auto (Fixture) f = avoiding ("newreno", 10, NULL);
  gdouble s = 1000. * 10 / floor_rows[i].cwnd;

  /* The same bytes in fewer packets. */
  ra_rate_on_sent (f.rate, (guint) (s + .5), f.now);
  tell (&f, R, 10, (RaReport){ .n_events = 1, .lost_congestion = 1 });
  g_assert_cmpfloat_with_epsilon (get (&f, "cwnd"), floor_rows[i].after, .01);
  g_assert_cmpfloat_with_epsilon (
      get (&f, "ssthresh"), floor_rows[i].ssthresh, .01);
  assert_near (get (&f, "rto"), floor_rows[i].rto / 1000., "RFC 6298 2.3, 5.5");
  g_test_message ("%s", floor_rows[i].why);
}

void
tests_add (void)
{
  rows_add ("/window/iw", iw_rows, test_iw);
  rows_add ("/window/start", start_rows, test_start);
  for (guint i = 0; i < G_N_ELEMENTS (all); i++) {
    add_named ("/window/handed-over", all[i], test_handed_over);
    add_named ("/window/slow-start", all[i], test_slow_start);
    add_named ("/window/limits", all[i], test_limits);
    add_named ("/window/timer-off", all[i], test_timer_off);
  }
  g_test_add_func ("/window/timeout-late", test_timeout_late);
  g_test_add_func ("/window/timeout-first", test_timeout_first);
  g_test_add_func ("/window/timeout-gaimd", test_timeout_gaimd);
  g_test_add_func ("/window/slow-start-ends", test_slow_start_ends);
  rows_add_n ("/window/rto", 3, test_rto);
  g_test_add_func ("/window/rtt-per-frame", test_rtt_per_frame);
  rows_add ("/window/timeout", timer_rows, test_timeout);
  rows_add ("/window/loss", loss_rows, test_loss);
  g_test_add_func ("/window/wireless-grows", test_wireless_grows);
  g_test_add_func ("/window/recover", test_recover);
  rows_add ("/window/floor", floor_rows, test_floor);
}
