/* What holds whatever an LDA says: the friendliness cap and the four circuit
 * breakers of RFC 8083.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <gst/rtpadapt/safety/guard.h>
#include <gst/rtpadapt/safety/outagemask.h>
#include <gst/rtpadapt/util/rng.h>

#include <math.h>

#include "../rows.h"

#define MBIT 1e6

static RaReport
report_of (guint expected, guint lost, RaSpan rtt)
{
  return (RaReport){ .rtt = rtt,
    .expected = expected,
    .arrived = expected - MIN (lost, expected),
    .lost_congestion = lost / 2,
    .lost_wireless = lost - lost / 2 };
}

/* RFC 8083 4.3, 10 X in Mbit/s of packets of 1,000 bytes, from
 * X = s / (Tr sqrt (2 p / 3)): for 100 ms and 5 %, 1000 / (.1 * .182574) =
 * 54772 bytes/s = .438 Mbit/s. */
static const struct
{
  guint ms, percent;
  gdouble ten_x;
} x_rows[] = { { 50, 1, 19.6 }, { 50, 2, 13.9 }, { 50, 5, 8.76 },
  { 50, 10, 6.20 }, { 50, 20, 4.38 }, { 100, 1, 9.80 }, { 100, 5, 4.38 },
  { 100, 20, 2.19 }, { 200, 1, 4.90 }, { 200, 10, 1.55 }, { 200, 20, 1.10 } };

static void
test_x (gconstpointer data)
{
  guint i = GPOINTER_TO_UINT (data);
  RaFriendly f;

  ra_friendly_init (&f);
  g_assert_cmpuint (ra_friendly_cap (&f, 9), ==, G_MAXUINT64);
  for (guint k = 1; k <= 40; k++) {
    RaReport r = report_of (
        100, x_rows[i].percent, x_rows[i].ms * (RaSpan) RA_MSECOND);

    ra_friendly_on_report (&f, &r, 1000, 0, k * (RaTime) RA_SECOND / 4);
  }
  g_assert_cmpfloat_with_epsilon (f.p, x_rows[i].percent / 100.0, 1e-9);
  g_assert_cmpfloat_with_epsilon (
      (gdouble) ra_friendly_cap (&f, 10) / MBIT, x_rows[i].ten_x, 0.05);
  g_assert_cmpuint (ra_friendly_cap (&f, 0), ==, G_MAXUINT64);
}

/* RFC 8083 4.3: the fractions of the last CB_INTERVAL (3) reports, weighted by
 * their durations.  Reports of 100 packets; the first opens the clock. */
static void
test_mean (void)
{
  static const struct
  {
    guint64 ms; /* of the report */
    guint expected, lost;
    gdouble p;
    const gchar *why;
  } rows[] = {
    { 0, 100, 0, 0, "nothing lost" },
    { 1000, 100, 10, 0.05, "10 of the 200 in this second" },
    { 2000, 100, 0, 0.025, "5 % and 0, a second each" },
    { 4000, 100, 40, .05 / 4 + .4 / 2, "two seconds weigh twice" },
    { 5000, 100, 0, .4 * 2 / 4, "three reports: the first is forgotten" },
    { 5500, 0, 0, .4 * 2 / 3, "half a second tells nothing; 2 + 1 s do" },
    { 6000, 100, 0, .4 * 2 / 4, "the second, whole" },
    { 7000, 100, 0, 0, "the 40 are forgotten" },
    { 8000, 0, 10, 1 / 3., "all of one second in three, late" },
  };
  RaFriendly f;

  ra_friendly_init (&f);
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    RaReport r = report_of (rows[i].expected, rows[i].lost, 0);

    ra_friendly_on_report (&f, &r, 1000, 0, rows[i].ms * (RaTime) RA_MSECOND);
    g_test_message ("%s", rows[i].why);
    g_assert_cmpfloat_with_epsilon (f.p, rows[i].p, 1e-9);
  }
}

/* Three seconds without loss, a pause, and five with 10 %: RFC 8083 4.3 takes the mean of
 * the last three, which is .10, and Tf is the time between frames, 40 ms.  After the
 * first of the five they are 0, 10 of the 2500 packets around the pause, and .10. */
static void
test_pause (void)
{
  RaTime now = 0;
  RaGuard g;

  ra_guard_init (&g, 9, TRUE);
  for (guint i = 0; i < 200; i++, now += 40 * RA_MSECOND) {
    RaReport r = report_of (100, i < 75 ? 0 : 10, 50 * RA_MSECOND);

    if (i == 75)
      now += 60 * RA_SECOND;
    ra_guard_on_sent (&g, 1000, TRUE, FALSE, now);
    ra_guard_on_report (&g, &r, RA_PROOF_DELIVERED, 1000, 100000, now);
    if (i == 100)
      g_assert_cmpfloat_with_epsilon (g.friendly.p, .104 / 3, 1e-6);
  }
  g_assert_cmpuint (g.friendly.cb_interval, ==, 3);
  g_assert_cmpfloat_with_epsilon (g.friendly.p, .10, .001);
}

/* A second without loss, 4 s of whose packets half are lost and whose reports too, and two
 * seconds without loss: RFC 8083 4.3 weighs by time, 4 s / 6 s * .5.  Of 4 s in which the
 * source was silent for 3.5 s only .5 s are left, and TDR is a second.  Where the late
 * report says that nothing was lost, the time is no interval: 1, 1 and 1 s. */
static void
test_withheld (void)
{
  static const struct
  {
    guint silent, lost; /* ms, of 400 */
    guint before;       /* lost, of 100 */
    gdouble p;
    const gchar *why;
  } rows[] = {
    { 0, 200, 0, .5 * 4 / 6, "reports are lost, or withheld" },
    { 3500, 200, 0, .5 / 3, "the source was silent" },
    { 1500, 200, 0, .5 * 4 / 6, "a packet each 1.5 s is no silence" },
    { 0, 0, 10, .1 / 3, "it thins no losses out" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    RaReport none = report_of (100, 0, 0),
             before = report_of (100, rows[i].before, 0),
             late = report_of (400, rows[i].lost, 0);
    RaGuard g;

    ra_guard_init (&g, 9, TRUE);
    ra_friendly_on_report (&g.friendly, &before, 1000, 0, 0);
    ra_friendly_on_report (&g.friendly, &before, 1000, 0, RA_SECOND);
    ra_guard_on_sent (&g, 1000, FALSE, FALSE, RA_SECOND);
    ra_guard_on_sent (
        &g, 1000, FALSE, FALSE, RA_SECOND + rows[i].silent * RA_MSECOND);
    ra_friendly_on_report (&g.friendly, &late, 1000, 0, 5 * RA_SECOND);
    ra_friendly_on_report (&g.friendly, &none, 1000, 0, 6 * RA_SECOND);
    if (rows[i].before == 0)
      ra_friendly_on_report (&g.friendly, &none, 1000, 0, 7 * RA_SECOND);
    g_test_message ("%s", rows[i].why);
    g_assert_cmpfloat_with_epsilon (g.friendly.p, rows[i].p, 1e-9);
  }
}

/* 10 of 100 are lost, and in the next report of 100 they have come: RFC 3550 A.3. */
static void
test_recovered (void)
{
  RaReport lost = report_of (100, 10, 0), came = report_of (100, 0, 0);
  RaFriendly f;

  came.recovered = 10;
  ra_friendly_init (&f);
  ra_friendly_on_report (&f, &lost, 1000, 0, 0);
  g_assert_cmpfloat_with_epsilon (f.p, .1, 1e-9);
  ra_friendly_on_report (&f, &lost, 1000, 0, RA_SECOND); /* ends it */
  ra_friendly_on_report (&f, &came, 1000, 0, RA_SECOND * 3 / 2);
  g_assert_cmpfloat_with_epsilon (f.p, .05 / 1.5, 1e-9);
  came.recovered = 1000;
  ra_friendly_on_report (&f, &came, 1000, 0, RA_SECOND * 7 / 4);
  g_assert_cmpfloat_with_epsilon (f.p, 0, 1e-9);
}

/* RFC 8083 3: Tr = .8 Tr + .2 Tr_new; the first as it is. */
static void
test_tr (void)
{
  static const gint rows[][2]
      = { { 100, 100 }, { 200, 120 }, { 0, 120 }, { 20, 100 } };
  RaFriendly f;

  ra_friendly_init (&f);
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    RaReport r = report_of (100, 0, rows[i][0] * RA_MSECOND);

    ra_friendly_on_report (&f, &r, 1000, 0, i);
    g_assert_cmpint (f.tr, ==, rows[i][1] * RA_MSECOND);
  }
}

/* RFC 8083 4.3: CB_INTERVAL = ceil (3 min (max (10 G Tf, 10 Tr, 3 Tdr),
 * max (15, 3 Td)) / (3 Tdr)), Tdr = 1 s unless reports are rarer. */
static void
test_cb_interval (void)
{
  static const struct
  {
    RaSpan tr, tf, interval; /* ms */
    guint want;
  } rows[] = { { 100, 40, 0, 3 }, { 500, 40, 0, 5 }, { 510, 40, 0, 6 },
    { 100, 1000, 0, 10 }, { 100, 2000, 0, 15 }, { 100, 40, 5000, 3 } };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    RaFriendly f;

    ra_friendly_init (&f);
    for (guint k = 0; k < 30; k++) {
      RaReport r = report_of (100, 1, rows[i].tr * RA_MSECOND);

      r.interval = rows[i].interval * RA_MSECOND;
      ra_friendly_on_report (&f, &r, 1000, rows[i].tf * RA_MSECOND,
          k * MAX (1000, rows[i].interval) * (RaTime) RA_MSECOND);
    }
    g_assert_cmpuint (f.cb_interval, ==, rows[i].want);
  }
}

/* A sender of frames of 25 Hz, a report for each. */
typedef struct
{
  RaGuard guard;
  RaTime now;
  guint64 wanted;  /* the controller's rate, bit/s */
  gdouble disobey; /* sends this times the rate */
  gdouble loss;
  RaSpan rtt;
  gdouble carry; /* bytes that did not fill a packet */
  RaRng rng;
} World;

static void
world_init (World *w, gdouble cap)
{
  *w = (World){ .wanted = 5000000, .disobey = 1, .rtt = 50 * RA_MSECOND };
  ra_guard_init (&w->guard, cap, TRUE);
  ra_rng_init (&w->rng, 1, 1);
}

/* Until `until` seconds. */
static void
world_run (World *w, gdouble until)
{
  for (; w->now < (RaTime) ra_span (until); w->now += 40 * RA_MSECOND) {
    guint64 rate = ra_guard_rate (&w->guard, w->wanted);
    gdouble bytes = ra_bytes (rate) * w->disobey * .04 + w->carry;
    guint n = (guint) (bytes / 1000), lost = 0;
    RaReport r;

    w->carry = fmod (bytes, 1000);
    if (n == 0)
      continue;
    for (guint i = 0; i < n; i++) {
      ra_guard_on_sent (&w->guard, 1000, i + 1 == n, FALSE, w->now);
      lost += ra_rng_chance (&w->rng, w->loss);
    }
    r = report_of (n, lost, w->rtt);
    ra_guard_on_report (
        &w->guard, &r, RA_PROOF_DELIVERED, 1000, w->wanted, w->now);
    if (ra_guard_next_timeout (&w->guard) <= w->now)
      ra_guard_on_timeout (&w->guard, w->now);
  }
}

/* The rate that is allowed is below 10 X whatever the loss does, so that
 * breaker 3 stays closed: the promise of the cap. */
static void
test_cap_keeps_breaker_closed (void)
{
  World w;

  world_init (&w, 9);
  for (guint i = 0; i < 200; i++) {
    w.loss = i % 2 ? 0 : 0.4 * ra_rng_uniform (&w.rng);
    w.rtt = (RaSpan) ((10 + 290 * ra_rng_uniform (&w.rng)) * RA_MSECOND);
    w.wanted = (guint64) (20e6 * ra_rng_uniform (&w.rng)) + 10000;
    world_run (&w, (i + 1) * (0.5 + 5 * ra_rng_uniform (&w.rng)));
    g_assert_cmpint (w.guard.breaker.state, ==, RA_BREAKER_CLOSED);
    g_assert_cmpfloat (ra_bytes (ra_guard_rate (&w.guard, G_MAXUINT64)), <=,
        9 * w.guard.friendly.x + 1);
  }
}

/* One that does not obey: at 5 %, 50 ms the cap is 9 * .876 = 7.9 Mbit/s; 5
 * wanted and four times that sent is more than 8.76: trips, falls back to a
 * tenth, of which four times is 2: it stays there. */
static void
test_congestion_fallback (void)
{
  World w;

  world_init (&w, 9);
  w.loss = .05;
  w.disobey = 4;
  world_run (&w, 10);
  g_assert_cmpint (w.guard.breaker.state, ==, RA_BREAKER_FALLBACK);
  g_assert_cmpint (w.guard.breaker.trip, ==, RA_BREAKER_CONGESTION);
  g_assert_true (ra_guard_distrusts (&w.guard));
  g_assert_cmpuint (ra_guard_rate (&w.guard, w.wanted), <, w.wanted);
  /* From a tenth by a quarter per second: 10 s are needed to be back. */
  world_run (&w, 300);
  g_assert_cmpint (w.guard.breaker.state, ==, RA_BREAKER_OPEN);
  g_assert_cmpuint (ra_guard_rate (&w.guard, w.wanted), ==, 0);
  ra_guard_restart (&w.guard);
  g_assert_cmpuint (ra_guard_rate (&w.guard, w.wanted), ==, w.wanted);
  g_assert_false (ra_guard_distrusts (&w.guard));
}

/* One that does not listen at all.  4.3: it has "the next CB_INTERVAL RTCP
 * reporting intervals", 3 s, to change its mind. */
static void
test_congestion_patience (void)
{
  gdouble fallback = 0, open = 0;
  World w;

  world_init (&w, 9);
  w.loss = .05;
  w.disobey = 100;
  for (guint i = 1; i < 400 && open <= 0; i++) {
    world_run (&w, i * .04);
    if (fallback <= 0 && w.guard.breaker.state == RA_BREAKER_FALLBACK)
      fallback = i * .04;
    if (w.guard.breaker.state == RA_BREAKER_OPEN)
      open = i * .04;
  }
  g_assert_cmpfloat (fallback, >, 0);
  g_assert_cmpfloat (open - fallback, >=, 3 - 1e-9);
  g_assert_cmpfloat (open - fallback, <=, 5);
}

/* What holds 1 Mbit/s: the last that lowers it.  X is 50,000 bytes/s, 400 kbit/s. */
static const struct
{
  const gchar *name;
  gdouble cap, step;
  guint64 fallback;
  RaBreakerState breaker;
  guint64 rate;
  RaRateLimit by;
  const gchar *why;
} limits[] = {
  { "controller", 9, 1, G_MAXUINT64, RA_BREAKER_CLOSED, 1000000, RA_LIMIT_QUEUE,
      "3.6 Mbit/s are allowed: the controller's own reason" },
  { "friendliness", 2, 1, G_MAXUINT64, RA_BREAKER_CLOSED, 800000,
      RA_LIMIT_FRIENDLINESS, "2 X" },
  { "evidence", 9, .75, G_MAXUINT64, RA_BREAKER_CLOSED, 800000,
      RA_LIMIT_EVIDENCE, "a quarter less, but not below 2 X" },
  { "no-evidence", 2, .75, G_MAXUINT64, RA_BREAKER_CLOSED, 800000,
      RA_LIMIT_FRIENDLINESS, "the step is no lower than the bound" },
  { "fallback", 2, 1, 100000, RA_BREAKER_FALLBACK, 100000, RA_LIMIT_FALLBACK,
      "RFC 8083 4.3: a tenth" },
  { "risen", 2, 1, 900000, RA_BREAKER_FALLBACK, 800000, RA_LIMIT_FRIENDLINESS,
      "the fallback has risen above the bound" },
  { "breaker", 2, 1, 100000, RA_BREAKER_OPEN, 0, RA_LIMIT_BREAKER,
      "RFC 8083 4.5" },
};

static void
test_limit (gconstpointer data)
{
  guint i = GPOINTER_TO_UINT (data);
  RaLimited rate = { 1000000, RA_LIMIT_QUEUE };
  RaGuard g;

  g_test_message ("%s", limits[i].why);
  ra_guard_init (&g, limits[i].cap, TRUE);
  g.friendly.x = g.friendly.x_raw = 50000;
  g.step = limits[i].step;
  g.fallback = limits[i].fallback;
  g.breaker.state = limits[i].breaker;
  rate = ra_guard_limit (&g, rate);
  g_assert_cmpuint (rate.bps, ==, limits[i].rate);
  g_assert_cmpint (rate.by, ==, limits[i].by);
}

/* Not before more than CB_INTERVAL reports are known (4.3). */
static void
test_congestion_not_at_once (void)
{
  World w;

  world_init (&w, 0);
  w.loss = .2;
  w.wanted = 20000000;
  world_run (&w, 3.5);
  g_assert_cmpint (w.guard.breaker.state, ==, RA_BREAKER_CLOSED);
  world_run (&w, 5.5);
  g_assert_cmpint (w.guard.breaker.state, ==, RA_BREAKER_FALLBACK);
}

/* RFC 8083 4.1: 3 Td = 15 s without an answer, while sending. */
static void
test_rtcp_timeout (void)
{
  RaBreaker b;

  ra_breaker_init (&b, TRUE);
  g_assert_cmpuint (ra_breaker_next_timeout (&b), ==, RA_TIME_NONE);
  for (RaTime t = 0; t < 15 * RA_SECOND; t += RA_SECOND) {
    ra_breaker_on_sent (&b, 1000, FALSE, t);
    g_assert_false (ra_breaker_on_timeout (&b, t));
  }
  g_assert_cmpuint (ra_breaker_next_timeout (&b), ==, 15 * RA_SECOND);
  g_assert_false (ra_breaker_on_timeout (&b, 15 * RA_SECOND - 1));
  g_assert_true (ra_breaker_on_timeout (&b, 15 * RA_SECOND));
  g_assert_cmpint (b.state, ==, RA_BREAKER_OPEN);
  g_assert_cmpint (b.trip, ==, RA_BREAKER_RTCP_TIMEOUT);
}

/* A silent source is not answered, and need not be. */
static void
test_rtcp_timeout_idle (void)
{
  RaBreaker b;

  ra_breaker_init (&b, TRUE);
  ra_breaker_on_sent (&b, 1000, FALSE, 0);
  g_assert_false (ra_breaker_on_timeout (&b, 15 * RA_SECOND));
  ra_breaker_on_sent (&b, 1000, FALSE, 100 * RA_SECOND);
  g_assert_false (ra_breaker_on_timeout (&b, 100 * RA_SECOND));
  g_assert_cmpuint (ra_breaker_next_timeout (&b), ==, 115 * RA_SECOND);
  ra_breaker_on_heard (&b, TRUE, 110 * RA_SECOND);
  g_assert_cmpuint (ra_breaker_next_timeout (&b), ==, 125 * RA_SECOND);
  ra_breaker_on_sent (&b, 1000, FALSE, 200 * RA_SECOND); /* another silence */
  g_assert_cmpuint (ra_breaker_next_timeout (&b), ==, 215 * RA_SECOND);
}

/* One that a timeout after each packet slows down, 1, 2, 4 and 8 s, has data all
 * the while: it is not silent. */
static void
test_rtcp_timeout_slow (void)
{
  static const guint at[] = { 0, 1, 3, 7 };
  RaBreaker b;

  ra_breaker_init (&b, TRUE);
  for (guint i = 0; i < G_N_ELEMENTS (at); i++)
    ra_breaker_on_sent (&b, 1000, TRUE, at[i] * (RaTime) RA_SECOND);
  g_assert_cmpuint (ra_breaker_next_timeout (&b), ==, 15 * RA_SECOND);
  g_assert_true (ra_breaker_on_timeout (&b, 15 * RA_SECOND));
  /* What is sent after 8 s does not begin again. */
  ra_breaker_init (&b, TRUE);
  ra_breaker_on_sent (&b, 1000, TRUE, 7 * RA_SECOND);
  ra_breaker_on_sent (&b, 1000, TRUE, 15 * RA_SECOND);
  g_assert_cmpuint (ra_breaker_next_timeout (&b), ==, 22 * RA_SECOND);
}

/* Who slept for an hour, a packet waiting for the pacer, sent nothing that could
 * have been answered: 15 s begin again.  A timer that is 5 s late is but late. */
static void
test_rtcp_timeout_slept (void)
{
  RaBreaker b;

  ra_breaker_init (&b, TRUE);
  ra_breaker_on_sent (&b, 1000, TRUE, 0);
  g_assert_false (ra_breaker_on_timeout (&b, 3600 * RA_SECOND));
  g_assert_cmpuint (ra_breaker_next_timeout (&b), ==, 3615 * RA_SECOND);
  g_assert_true (ra_breaker_on_timeout (&b, 3620 * RA_SECOND));
}

/* RFC 8083 4.2: MEDIA_TIMEOUT = ceil (5 max (Tf, Tr, Tdr) / Tdr) reports in a
 * row without anything new; ours are taken together to one per Tdr, 1 s.  Only those
 * about packets count. */
static void
test_media_timeout (void)
{
  static const struct
  {
    RaSpan tr, tf; /* ms */
    guint reports;
    const gchar *why;
  } rows[] = { { 100, 40, 5, "Tdr is the longest: k" },
    { 3000, 40, 15, "5 * 3 / 1" }, { 100, 1300, 7, "6.5, rounded up" },
    { 0, 0, 5, "nothing known" } };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    guint n = 0;
    RaFriendly f;
    RaBreaker b;

    g_test_message ("%s", rows[i].why);
    ra_friendly_init (&f);
    f.tr = rows[i].tr * RA_MSECOND;
    ra_breaker_init (&b, TRUE);
    for (guint k = 0; k < 100; k++) { /* one that delivers cancels it */
      ra_breaker_on_sent (&b, 1000, FALSE, k);
      ra_breaker_on_heard (&b, k % 3 == 0, k);
      ra_breaker_on_heard (&b, FALSE, k);
      g_assert_false (
          ra_breaker_on_interval (&b, &f, rows[i].tf * RA_MSECOND, k));
    }
    do { /* a packet in every other interval */
      ra_breaker_on_heard (&b, FALSE, 100);
      g_assert_false (
          ra_breaker_on_interval (&b, &f, rows[i].tf * RA_MSECOND, 100));
      ra_breaker_on_sent (&b, 1000, FALSE, 100);
      ra_breaker_on_heard (&b, FALSE, 100);
      n++;
    } while (n < 100
        && !ra_breaker_on_interval (&b, &f, rows[i].tf * RA_MSECOND, 100));
    g_assert_cmpuint (n, ==, rows[i].reports);
    g_assert_cmpint (b.trip, ==, RA_BREAKER_MEDIA_TIMEOUT);
  }
}

/* 4.4: more than half lost for 20 s falls back, and for 20 s more ceases. */
static void
test_usability (void)
{
  World w;

  world_init (&w, 9);
  w.loss = .6;
  world_run (&w, 19);
  g_assert_cmpint (w.guard.breaker.state, ==, RA_BREAKER_CLOSED);
  world_run (&w, 26);
  g_assert_cmpint (w.guard.breaker.state, ==, RA_BREAKER_FALLBACK);
  g_assert_cmpint (w.guard.breaker.trip, ==, RA_BREAKER_USABILITY);
  world_run (&w, 40);
  g_assert_cmpint (w.guard.breaker.state, ==, RA_BREAKER_FALLBACK);
  world_run (&w, 52);
  g_assert_cmpint (w.guard.breaker.state, ==, RA_BREAKER_OPEN);
}

/* Tunnels of 26 s: the LDA is believed again a minute after the first, and two after the
 * second.  The loss is a mean of some seconds, so that it ends up to 9 s later. */
static void
test_usability_over (void)
{
  static const struct
  {
    gdouble loss, until;
    RaBreakerState state;
  } rows[] = {
    { .6, 26, RA_BREAKER_FALLBACK },
    { 0, 26 + 60, RA_BREAKER_FALLBACK },
    { 0, 26 + 60 + 9, RA_BREAKER_CLOSED },
    { .6, 95 + 26, RA_BREAKER_FALLBACK },
    { 0, 121 + 120, RA_BREAKER_FALLBACK },
    { 0, 121 + 120 + 9, RA_BREAKER_CLOSED },
  };
  World w;

  world_init (&w, 9);
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    w.loss = rows[i].loss;
    world_run (&w, rows[i].until);
    g_assert_cmpint (w.guard.breaker.state, ==, rows[i].state);
    g_assert_true (ra_guard_distrusts (&w.guard)
        == (rows[i].state == RA_BREAKER_FALLBACK));
  }
  g_assert_cmpuint (ra_guard_rate (&w.guard, w.wanted), ==, w.wanted);
}

/* Switched off, nothing trips. */
static void
test_disabled (void)
{
  World w;

  world_init (&w, 0);
  ra_guard_set (&w.guard, 0, FALSE);
  w.loss = .9;
  w.wanted = 100000000;
  world_run (&w, 60);
  g_assert_cmpuint (ra_guard_rate (&w.guard, 1234), ==, 1234);
  g_assert_cmpuint (ra_guard_next_timeout (&w.guard), ==, RA_TIME_NONE);
}

/* Switched off after one tripped, it is forgotten; a liar's penalty goes on. */
static void
test_disabled_late (void)
{
  World w;

  world_init (&w, 9);
  w.loss = .6;
  world_run (&w, 60);
  g_assert_cmpint (w.guard.breaker.state, ==, RA_BREAKER_OPEN);
  ra_guard_on_lie (&w.guard, w.now);
  ra_guard_set (&w.guard, 0, FALSE);
  g_assert_cmpuint (ra_guard_rate (&w.guard, 1234), ==, 1234);
  g_assert_cmpuint (w.guard.lies, ==, 1);
  g_assert_true (ra_guard_is_lied_to (&w.guard));
  ra_guard_on_timeout (&w.guard, ra_guard_next_timeout (&w.guard));
  g_assert_false (ra_guard_distrusts (&w.guard));
}

/* An outage ended at 100 s.  Its losses are hidden, later ones are not. */
static void
test_outage_mask (void)
{
  static const struct
  {
    guint now, due, left; /* s, s, events */
    const gchar *why;
  } rows[] = {
    { 101, 99, 0, "lost in the outage" },
    { 102, 101, 1, "lost after it" },
    { 11, 10, 0, "the clock fell back" },
    { 13, 12, 1, "lost after that" },
  };
  RaOutageMask o;

  ra_outage_mask_init (&o);
  ra_outage_mask_end (&o, 0, 100 * RA_SECOND);
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    RaReport r
        = { .t_recvdata = rows[i].due * (RaTime) RA_SECOND, .n_events = 1 };

    g_test_message ("%s", rows[i].why);
    ra_outage_mask_hide (&o, &r, rows[i].now * (RaTime) RA_SECOND);
    g_assert_cmpuint (r.n_events, ==, rows[i].left);
  }
}

/* Three losses of an outage are hidden.  Five packets from before its end come late: two
 * of these losses were counted. */
static void
test_outage_recovered (void)
{
  RaReport r = report_of (10, 3, 0);
  RaOutageMask o;

  ra_outage_mask_init (&o);
  ra_outage_mask_hide (&o, &r, 50 * RA_SECOND); /* there was none */
  g_assert_cmpuint (ra_outage_mask_recover (&o, 1), ==, 0);
  ra_outage_mask_end (&o, 0, 100 * RA_SECOND);
  ra_outage_mask_hide (&o, &r, 101 * RA_SECOND);
  ra_outage_mask_hide (&o, &r, 101 * RA_SECOND);
  g_assert_cmpuint (ra_outage_mask_recover (&o, 2), ==, 2);
  g_assert_cmpuint (ra_outage_mask_recover (&o, 3), ==, 1);
}

static void
is_finite (const gchar *name, gdouble value, gpointer data)
{
  g_assert_true (isfinite (value));
}

/* Anything may come, at any time. */
static void
test_random (void)
{
  RaRng rng;
  RaGuard g;

  ra_rng_init (&rng, 1, 1);
  ra_guard_init (&g, 9, TRUE);
  for (guint i = 0; i < 1000000; i++) {
    RaTime now = ra_rng_chance (&rng, .01) ? ra_rng_next (&rng) >> 2
                                           : i * (RaTime) RA_MSECOND;
    RaReport r = { .rtt = (RaSpan) ra_rng_next (&rng),
      .interval = (RaSpan) ra_rng_next (&rng),
      .expected = ra_rng_chance (&rng, .5) ? 10 : (guint) ra_rng_next (&rng),
      .lost_congestion = ra_rng_chance (&rng, .9) ? 0 : 10,
      .lost_wireless = ra_rng_chance (&rng, .99) ? 0 : G_MAXUINT,
      .arrived = (guint) ra_rng_next (&rng) % 2 };

    ra_guard_on_sent (&g, (guint) ra_rng_next (&rng), ra_rng_chance (&rng, .3),
        ra_rng_chance (&rng, .3), now);
    ra_guard_on_report (&g, &r, RA_PROOF_DELIVERED, 1000, 1000000, now);
    ra_guard_on_timeout (&g, now);
    g_assert_cmpuint (ra_guard_rate (&g, 5000), <=, 5000);
    if (i % 1000 == 0)
      ra_guard_observe (&g, is_finite, NULL);
    if (g.breaker.state == RA_BREAKER_OPEN)
      ra_guard_restart (&g);
  }
}

void
tests_add (void)
{
  rows_add ("/safety/x", x_rows, test_x);
  g_test_add_func ("/safety/mean", test_mean);
  g_test_add_func ("/safety/pause", test_pause);
  g_test_add_func ("/safety/withheld", test_withheld);
  g_test_add_func ("/safety/recovered", test_recovered);
  g_test_add_func ("/safety/tr", test_tr);
  g_test_add_func ("/safety/cb-interval", test_cb_interval);
  g_test_add_func (
      "/safety/cap-keeps-breaker-closed", test_cap_keeps_breaker_closed);
  g_test_add_func ("/safety/congestion/fallback", test_congestion_fallback);
  g_test_add_func (
      "/safety/congestion/not-at-once", test_congestion_not_at_once);
  g_test_add_func ("/safety/rtcp-timeout", test_rtcp_timeout);
  g_test_add_func ("/safety/rtcp-timeout-idle", test_rtcp_timeout_idle);
  g_test_add_func ("/safety/rtcp-timeout-slow", test_rtcp_timeout_slow);
  g_test_add_func ("/safety/rtcp-timeout-slept", test_rtcp_timeout_slept);
  g_test_add_func ("/safety/media-timeout", test_media_timeout);
  g_test_add_func ("/safety/usability", test_usability);
  g_test_add_func ("/safety/usability/over", test_usability_over);
  g_test_add_func ("/safety/congestion/patience", test_congestion_patience);
  rows_add_by ("/safety/limit", limits, name, test_limit);
  g_test_add_func ("/safety/disabled", test_disabled);
  g_test_add_func ("/safety/disabled-late", test_disabled_late);
  g_test_add_func ("/safety/outage-mask", test_outage_mask);
  g_test_add_func ("/safety/outage-recovered", test_outage_recovered);
  g_test_add_func ("/safety/random", test_random);
}
