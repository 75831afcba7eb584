/* Controllers with a window and what a video does to them: it leaves the window
 * unused, its packets change their size, its reports are late.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "window-fixture.h"

#define NVP (300 * RA_SECOND)

/* A window of 20 of which for more than a second (RFC 7661 4.2) only x_recv
 * were used; then 10 more were acknowledged, or there was a loss. */
static const struct
{
  gdouble x_recv, grown, lost;
  const gchar *why;
} use_rows[] = {
  { 20, 20.488, 10, "in use: 20 + 1 / 20 + 1 / 20.05 + ..., and 20 / 2" },
  { 12, 20.488, 10, "more than half" },
  { 10, 20, 10, "half: 2 pipeACK is 20" },
  { 8, 20, 4, "RFC 7661 4.4: not cwnd-limited; 4.4.1: pipeACK / 2" },
};

static void
test_use (gconstpointer data)
{
  guint i = GPOINTER_TO_UINT (data);
  Fixture f = avoiding ("newreno", 20, NULL),
          g = avoiding ("newreno", 20, NULL);
  gdouble x = use_rows[i].x_recv;

  for (guint n = 0; n < 12; n++) {
    tell (&f, R, x, (RaReport){ .data_limited = TRUE });
    tell (&g, R, x, (RaReport){ .data_limited = TRUE });
  }
  tell (&f, R, x, (RaReport){ .arrived = 10 });
  tell (&g, R, x, (RaReport){ .lost_congestion = 1, .n_events = 1 });
  g_test_message ("%s", use_rows[i].why);
  g_assert_cmpfloat_with_epsilon (get (&f, "cwnd"), use_rows[i].grown, .01);
  assert_near (get (&g, "cwnd"), use_rows[i].lost, use_rows[i].why);
  tear_down (&f);
  tear_down (&g);
}

/* RFC 7661 4.2: the sampling period is max (3 RTT, 1 s).  Of a window of 20 all
 * were used once, and 8 `ms` later; 10 more were acknowledged then. */
static const struct
{
  RaSpan rtt;
  guint ms;
  gdouble cwnd;
  const gchar *why;
} sampling_rows[] = {
  { R, 850, 20.488, "1 s: the slot of an eighth may go before" },
  { R, 1001, 20, "all of it over" },
  { RA_SECOND, 2600, 20.488, "3 RTT: the same" },
  { RA_SECOND, 3001, 20, "all of these over" },
};

/* What is used of a second is the most of its parts, also within a part. */
static void
test_sampling_most (void)
{
  g_auto (Fixture) f = avoiding ("newreno", 20, NULL);

  tell (&f, 2 * R, 8, (RaReport){ 0 });
  tell (&f, 9 * R, 20, (RaReport){ 0 });
  tell (&f, R / 10, 8, (RaReport){ .arrived = 10 });
  g_assert_cmpfloat_with_epsilon (get (&f, "cwnd"), 20.488, .01);
}

static void
test_sampling (gconstpointer data)
{
  guint i = GPOINTER_TO_UINT (data);
  RaSpan rtt = sampling_rows[i].rtt;
  gdouble k = ra_seconds (R) / ra_seconds (rtt); /* of R in an RTT */
  g_auto (Fixture) f
      = window_new ("newreno", (guint64) (20 * k * PPR), 1000, "jitter=0");

  tell (&f, R, 20 * k, (RaReport){ .rtt = rtt, .p = .001 });
  assert_near (get (&f, "cwnd"), 20, "begin");
  tell (&f, sampling_rows[i].ms * RA_MSECOND, 8 * k,
      (RaReport){ .rtt = rtt, .arrived = 10 });
  g_test_message ("%s", sampling_rows[i].why);
  g_assert_cmpfloat_with_epsilon (get (&f, "cwnd"), sampling_rows[i].cwnd, .01);
}

/* RFC 7661 4.4.3 for c above 16: each NVP halves cwnd, down to IW = 4; ssthresh
 * is at least three quarters of what it was. */
static const struct
{
  guint nvp;
  gdouble share;
  const gchar *why;
} nvp_rows[] = { { 1, 2, "once" }, { 2, 4, "twice" }, { 100, 0, "IW" } };

static void
test_nvp (gconstpointer data)
{
  guint i = GPOINTER_TO_UINT (data);
  g_auto (Fixture) f = avoiding ("newreno", 20, NULL);
  gdouble c;

  tell (&f, R, 20, (RaReport){ .lost_congestion = 1, .n_events = 1 });
  while ((c = get (&f, "cwnd")) <= 16)
    acked (&f, 16);
  f.now += nvp_rows[i].nvp * NVP - 1;
  if (i == 0) {
    send_packet (&f);
    assert_near (get (&f, "cwnd"), c, "not yet");
  }
  f.now++;
  send_packet (&f);
  assert_near (get (&f, "cwnd"),
      nvp_rows[i].share > 0 ? c / nvp_rows[i].share : 4, nvp_rows[i].why);
  assert_near (get (&f, "ssthresh"), .75 * c, "three quarters");
}

/* A window below IW is no more after it. */
static void
test_nvp_small (void)
{
  g_auto (Fixture) f = avoiding ("newreno", 6, NULL);

  tell (&f, R, 6, (RaReport){ .lost_congestion = 1, .n_events = 1 });
  assert_near (get (&f, "cwnd"), 3, "halved");
  f.now += 2 * NVP;
  send_packet (&f);
  assert_near (get (&f, "cwnd"), 3, "less than IW");
}

/* Reports of a quarter of it are no use of a window: it is halved after 300 s of
 * these, and not before. */
static void
test_nvp_reports (void)
{
  for (guint n = 299; n <= 302; n += 3) {
    g_auto (Fixture) f = avoiding ("newreno", 20, NULL);

    for (guint i = 0; i < n; i++)
      tell (&f, 10 * R, 5, (RaReport){ .data_limited = TRUE });
    send_packet (&f);
    assert_near (get (&f, "cwnd"), n < 300 ? 20 : 10, "RFC 7661 4.4.3");
  }
}

/* Of a window of 3 only 1 is used: up to IW it grows all the same, as a new
 * flow might have that (RFC 7661 4.4.3). */
static void
test_use_small (void)
{
  g_auto (Fixture) f = avoiding ("newreno", 6, NULL);

  tell (&f, R, 6, (RaReport){ .lost_congestion = 1, .n_events = 1 });
  for (guint i = 0; i < 12; i++)
    tell (&f, R, 1, (RaReport){ .data_limited = TRUE });
  tell (&f, R, 1, (RaReport){ .arrived = 10 });
  assert_near (get (&f, "cwnd"), 4, "3, 3.33, 3.63, 3.91, 4");
}

/* Half the size, twice the packets: the rate is what the bytes were. */
static void
test_size (void)
{
  g_auto (Fixture) f = avoiding ("newreno", 20, NULL);

  ra_rate_on_sent (f.rate, 500, f.now);
  f.now += R;
  acked (&f, 0);
  assert_near (get (&f, "cwnd"), 40, "of 500 bytes");
  assert_near (get (&f, "ssthresh"), 40, "so ssthresh");
  tell (&f, R, 20, (RaReport){ 0 });
  assert_near ((gdouble) ra_rate_get (f.rate), 20 * PPR, "the same bytes");
  tell (&f, R, 20, (RaReport){ .lost_congestion = 1, .n_events = 1 });
  assert_near ((gdouble) ra_rate_get (f.rate), 10 * PPR, "half of them");
}

/* A packet for each that arrives, and what a window of 20 has room for. */
static const struct
{
  guint in_flight;
  gdouble x_recv, rate;
  const gchar *why;
} clock_rows[] = {
  { 20, 20, 20, "20 out for 20 in" },
  { 20, 10, 11, "a queue grows: 10 in, and the one more" },
  { 24, 10, 7, "3 too many" },
  { 30, 10, 5, "9 too many: half of what arrives" },
  { 5, 10, 20, "room, but no more than cwnd / R" },
  { 20, 0, 20, "X_recv is not known" },
};

static void
test_clock (gconstpointer data)
{
  guint i = GPOINTER_TO_UINT (data);
  g_auto (Fixture) f = avoiding ("newreno", 20, NULL);

  f.now += R / 2;
  for (guint n = 0; n < clock_rows[i].in_flight; n++)
    send_packet (&f);
  tell (&f, R / 2, clock_rows[i].x_recv, (RaReport){ 0 });
  assert_near ((gdouble) ra_rate_get (f.rate), clock_rows[i].rate * PPR,
      clock_rows[i].why);
}

/* SRTT = 100 ms, then a sample of 200: SRTT = 112.5, and R =
 *   112.5 (210 / 122.5)^.75 = 112.5 * 1.498170 = 168.5441 ms,
 * without jitter 112.5 (200 / 112.5)^.75 = 173.2051 ms. */
static const struct
{
  const gchar *params;
  gdouble r;
} pacing_rows[] = { { "", .1685441 }, { "jitter=0", .1732051 } };

static void
test_pacing (gconstpointer data)
{
  guint i = GPOINTER_TO_UINT (data);
  g_auto (Fixture) f = avoiding ("newreno", 20, pacing_rows[i].params);

  tell (&f, R, 20, (RaReport){ .rtt = 2 * R });
  assert_near (get (&f, "rtt"), pacing_rows[i].r, "3/4 of the latest");
  assert_near (
      (gdouble) ra_rate_get (f.rate), 160000 / pacing_rows[i].r, "cwnd s / R");
}

/* --- gaimd: alpha follows beta --- */

static const struct
{
  const gchar *params;
  gdouble alpha;
  const gchar *why;
} alpha_rows[] = {
  { NULL, .31, "Papadimitriou 2009, 2.2" },
  { "friendly=1", .3125, "(2): 4 (1 - .765625) / 3" },
  { "friendly=1,beta=.75", .5833333, "4 (1 - .5625) / 3" },
  { "friendly=1,beta=.5", 1, "4 (1 - .25) / 3: TCP" },
  { "friendly=2", .2, "Barman 2002, 6.2: 3 * .125 / (2 - .125)" },
  { "friendly=2,beta=.75", .4285714, "3 * .25 / (2 - .25)" },
  { "friendly=2,beta=.5", 1, "3 * .5 / (2 - .5): TCP" },
};

static void
test_alpha (gconstpointer data)
{
  guint i = GPOINTER_TO_UINT (data);
  g_auto (Fixture) f = window_new ("gaimd", 0, 1000, alpha_rows[i].params);

  assert_near (get (&f, "alpha"), alpha_rows[i].alpha, alpha_rows[i].why);
}

/* --- westwood: Grieco, Mascolo 2004 --- */

/* 10 packets per R are 100 kB/s. */
static void
test_bwe (void)
{
  g_auto (Fixture) f = window_new ("westwood", 0, 1000, NULL);

  tell (&f, R, 0, (RaReport){ 0 });
  assert_near (get (&f, "bwe"), 0, "X_recv is not known");
  tell (&f, R, 10, (RaReport){ 0 });
  assert_near (get (&f, "bwe"), 100000, "the first");
  tell (&f, R, 20, (RaReport){ 0 });
  assert_near (get (&f, "bwe"), 110000, ".9 * 100 + .1 * 200");
  for (guint i = 0; i < 4; i++)
    tell (&f, R / 4, 20, (RaReport){ .interval = R / 4 });
  assert_near (get (&f, "bwe"), 119000, "by frames: .9 * 110 + .1 * 200");
  tell (&f, 30 * R, 20, (RaReport){ 0 });
  assert_near (get (&f, "bwe"), 127100, "one sample after a silence");
  f.now -= 10 * R;
  tell (&f, 0, 20, (RaReport){ 0 });
  assert_near (get (&f, "bwe"), 127100, "a clock that fell back: no time over");
}

/* --- westwood with tau: Mascolo et al. 2001, 2.2 --- */

/* tau = .45 s, reports every .1 s: B = (.8 B + .1 (b + b')) / 1. */
static void
test_bwe_2001 (void)
{
  g_auto (Fixture) f = window_new ("westwood", 0, 1000, "tau=.45");

  tell (&f, R, 10, (RaReport){ .arrived = 10 });
  assert_near (get (&f, "bwe"), 100000, "the first is X_recv");
  tell (&f, R, 0, (RaReport){ .arrived = 20 });
  assert_near (get (&f, "bwe"), 110000, ".8 * 100 + .1 * (200 + 100)");
  tell (&f, R, 0, (RaReport){ .arrived = 20 });
  assert_near (get (&f, "bwe"), 128000, ".8 * 110 + .1 * (200 + 200)");
  /* .325 s are a gap of .225, with (2 tau - D) / (2 tau + D) = .6, D / (2 tau + D)
   * = .2, and .1.  10 kB in .325 s are 30.769231: .6 * 128 + .2 * 200 = 116.8, .8 *
   * 116.8 + .1 * 30.769231 = 96.516923 */
  tell (&f, R * 13 / 4, 0, (RaReport){ .arrived = 10 });
  assert_near (get (&f, "bwe"), 96516.923, "a gap counts as 0");
  f.now -= 10 * R;
  tell (&f, 0, 0, (RaReport){ .arrived = 20 });
  assert_near (
      get (&f, "bwe"), 96516.923, "a clock that fell back: no time over");
}

/* 20 packets per R come, whatever the window: what is more waits in a queue. */
static const struct
{
  guint cwnd;
  gdouble x_recv, after, ssthresh;
  const gchar *why;
} bdp_rows[] = {
  { 40, 20, 20, 20, "the queue is drained" },
  { 24, 20, 20, 20, "no blind halving" },
  { 16, 20, 16, 20, "min (cwnd, ssthresh)" },
  { 40, 0, 20, 20, "nothing known: Reno" },
  { 3, 1, 1, 2, "cwnd at least one, ssthresh two" },
};

static void
test_bdp (gconstpointer data)
{
  guint i = GPOINTER_TO_UINT (data);
  g_auto (Fixture) f
      = window_new ("westwood", bdp_rows[i].cwnd * PPR, 1000, NULL);
  RaReport loss = { .p = .001, .n_events = 1, .lost_congestion = 1 };

  tell (&f, R, bdp_rows[i].x_recv, loss);
  /* IW is 4: the row of 3 begins with that. */
  assert_near (get (&f, "cwnd"), bdp_rows[i].after, bdp_rows[i].why);
  assert_near (get (&f, "ssthresh"), bdp_rows[i].ssthresh, bdp_rows[i].why);
}

/* A queue of another R: BWE is 20 per R, and what the path holds without a queue
 * is R_min. */
static void
test_westwood_queue (void)
{
  g_auto (Fixture) f = window_new ("westwood", 40 * PPR, 1000, NULL);

  tell (&f, R, 20, (RaReport){ .p = .001 });
  for (guint i = 0; i < 20; i++)
    tell (&f, 2 * R, 20, (RaReport){ .rtt = 2 * R });
  tell (&f, 2 * R, 20,
      (RaReport){ .rtt = 2 * R, .n_events = 1, .lost_congestion = 1 });
  assert_near (get (&f, "ssthresh"), 20, "BWE RTT_min");
}

static void
test_westwood_timeout (void)
{
  g_auto (Fixture) f = window_new ("westwood", 40 * PPR, 1000, NULL);

  tell (&f, R, 20, (RaReport){ .p = .001 });
  expire (&f);
  assert_near (get (&f, "cwnd"), 1, "a timeout");
  assert_near (get (&f, "ssthresh"), 20, "BWE RTT_min");
}

/* A handover from 100 to 200 ms. */
static const struct
{
  const gchar *params;
  gdouble rtt_min;
  const gchar *why;
} age_rows[] = {
  { "window=1s", .2, "it ages" },
  { "paper", .1, "the whole connection" },
};

static void
test_rtt_min (gconstpointer data)
{
  guint i = GPOINTER_TO_UINT (data);
  g_auto (Fixture) f = window_new ("westwood", 0, 1000, age_rows[i].params);

  acked (&f, 10);
  for (guint n = 0; n < 20; n++)
    tell (&f, R, 10, (RaReport){ .rtt = 2 * R });
  assert_near (get (&f, "rtt_min"), age_rows[i].rtt_min, age_rows[i].why);
}

void
tests_add (void)
{
  rows_add ("/window/use", use_rows, test_use);
  rows_add ("/window/sampling", sampling_rows, test_sampling);
  g_test_add_func ("/window/sampling/most", test_sampling_most);
  rows_add ("/window/nvp", nvp_rows, test_nvp);
  g_test_add_func ("/window/nvp/small", test_nvp_small);
  g_test_add_func ("/window/nvp/reports", test_nvp_reports);
  g_test_add_func ("/window/use/small", test_use_small);
  g_test_add_func ("/window/size", test_size);
  rows_add ("/window/clock", clock_rows, test_clock);
  rows_add ("/window/pacing", pacing_rows, test_pacing);
  rows_add ("/window/alpha", alpha_rows, test_alpha);
  g_test_add_func ("/window/bwe", test_bwe);
  g_test_add_func ("/window/bwe-2001", test_bwe_2001);
  rows_add ("/window/bdp", bdp_rows, test_bdp);
  g_test_add_func ("/window/westwood-queue", test_westwood_queue);
  g_test_add_func ("/window/westwood-timeout", test_westwood_timeout);
  rows_add ("/window/rtt-min", age_rows, test_rtt_min);
}
