/* The friendliness cap where a queue stands, and where the radio's losses are shown.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "../rows.h"

#include <gst/rtpadapt/safety/guard.h>

#include <math.h>

#define BASE 100 /* ms, the least RTT */

/* Tr, of 100 reports with one RTT, is within 40 ms .8^100 = 1e-8 ms of it.  From
 * 10 ms of queue on to 40 ms the cap falls from c to 2: c (2 / c)^x, where x goes
 * from 0 to 1.  9 (2 / 9)^.5 = 4.2426, 9 (2 / 9)^(1/3) = 5.4513. */
static const struct
{
  const gchar *name;
  guint queue; /* ms */
  gdouble cap, becomes;
  const gchar *why;
} rows[] = {
  { "none", 0, 9, 9, "nothing stands" },
  { "frame", 10, 9, 9, "the packets of a frame wait for each other" },
  { "third", 20, 9, 5.4513, "a third of the way" },
  { "half", 25, 9, 4.2426, "half of it" },
  { "stands", 40, 9, 2, "all of it" },
  { "long", 400, 9, 2, "and not below" },
  { "low", 400, 1.5, 1.5, "who asked for less has that" },
  { "ten", 40, 10, 2, "whatever it was" },
};

/* Of 100 packets, at an RTT in ms. */
static RaReport
report_of (guint lost, guint rtt)
{
  return (RaReport){ .expected = 100,
    .arrived = 100 - lost,
    .lost_wireless = lost,
    .rtt = rtt * (RaSpan) RA_MSECOND };
}

static void
reports (RaFriendly *f, guint lost, guint rtt, guint n, RaTime *now)
{
  RaReport report = report_of (lost, rtt);

  while (n-- > 0) {
    *now += RA_SECOND / 10;
    ra_friendly_on_report (f, &report, 1000, 0, *now);
  }
}

/* Of X, which is the cap for 1. */
static gdouble
cap_of (const RaFriendly *f, gdouble cap)
{
  return (gdouble) ra_friendly_cap (f, cap) / (gdouble) ra_friendly_cap (f, 1);
}

static void
test_standing (gconstpointer data)
{
  guint i = GPOINTER_TO_UINT (data);
  RaTime now = 0;
  RaFriendly f;

  g_test_message ("%s", rows[i].why);
  ra_friendly_init (&f);
  reports (&f, 5, BASE, 10, &now);
  reports (&f, 5, BASE + rows[i].queue, 100, &now);
  g_assert_cmpfloat_with_epsilon (
      cap_of (&f, rows[i].cap), rows[i].becomes, 1e-3);
}

/* 5 of 100 packets of 1000 bytes are lost each 100 ms, all at once, at Tr = .25 s of
 * which .15 s are queue: 2 X at 5 % are 10.9545 packets per Tr (RFC 8083 4.3), .35054
 * Mbit/s.  Every third report begins an event, one in 300 packets.  CUBIC's mean (RFC
 * 9438 5.1) is 1.053825 (.25 300)^.75, and sqrt (2) times as much 37.98 packets per Tr,
 * 1.2154 Mbit/s. */
static const struct
{
  const gchar *name;
  gdouble cap, wanted, mbit;
  const gchar *why;
} bound_rows[] = {
  { "little", 9, .2, .35054, "2 X is more than it wants" },
  { "tcp", 9, 1, 1, "what four CUBICs may have, too" },
  { "more", 9, 2, 1.2154, "they have no more" },
  { "deaf", 9, 3, .35054, "it does not answer" },
  { "strict", 2, 1, .35054, "who asked for 2 X has 2 X" },
};

static void
test_bound (gconstpointer data)
{
  guint i = GPOINTER_TO_UINT (data);
  RaTime now = 0;
  RaFriendly f;

  g_test_message ("%s", bound_rows[i].why);
  ra_friendly_init (&f);
  reports (&f, 5, BASE, 10, &now);
  reports (&f, 5, BASE + 150, 111, &now);
  g_assert_cmpfloat_with_epsilon (
      (gdouble) ra_friendly_bound (
          &f, bound_rows[i].cap, (guint64) (bound_rows[i].wanted * 1e6))
          / 1e6,
      bound_rows[i].mbit, .02 * bound_rows[i].mbit);
}

/* The least RTT of the last 120 s counts: a longer way is no queue after that. */
static void
test_route (void)
{
  RaTime now = 0;
  RaFriendly f;

  ra_friendly_init (&f);
  reports (&f, 5, BASE, 10, &now);
  reports (&f, 5, BASE + 40, 1180, &now);
  g_assert_cmpfloat_with_epsilon (cap_of (&f, 9), 2, 1e-3);
  reports (&f, 5, BASE + 40, 40, &now);
  g_assert_cmpfloat_with_epsilon (cap_of (&f, 9), 9, 1e-3);
}

/* A queue that drains lets go with Tr. */
static void
test_drained (void)
{
  RaTime now = 0;
  RaFriendly f;

  ra_friendly_init (&f);
  reports (&f, 5, BASE, 10, &now);
  reports (&f, 5, BASE + 40, 100, &now);
  reports (&f, 5, BASE, 100, &now);
  g_assert_cmpfloat_with_epsilon (cap_of (&f, 9), 9, 1e-3);
}

/* X of 1,000 bytes at 100 ms, 1000 / (.1 sqrt (2 p / 3)) bytes/s (RFC 8083 4.3):
 * p = 5 % .43818, 1 % .97980 Mbit/s.  Lost is more than 5 % beyond what was shown:
 * 100 kbit/s / (p - radio - .05), but never less than 9 X of all losses: 20 % 9
 * times .21909, 1.9718 Mbit/s; shown 10 % of it 9 times .30984 = 2.7886, bounded by
 * 100 / .05 = 2 Mbit/s; 25 % 9 times .19596 = 1.7636, 100 / .10 = 1.  Of 2900
 * packets in the last three intervals the radio's 4 % have a standard deviation of
 * sqrt (.04 / 2900) = .003714: of .05 - .04 are .002572 left, 1.93191 Mbit/s.  Twice of
 * its 3 % in bursts, four times as dispersed, is .012865, of which .01 count: as much is
 * left.. */
static const struct
{
  const gchar *name;
  guint lost; /* of 100 */
  gdouble radio, dispersion, mbit;
  const gchar *why;
} radio_rows[] = {
  { "nothing", 5, 0, 9, 9 * .43818, "all losses count" },
  { "some", 5, .04, 1, 9 * 1.93191, "1 % is left, less its noise of .74 %" },
  { "bursts", 5, .03, 4, 9 * .97980, "2 % are left, less 1 %" },
  { "noise", 5, .044, 1, (gdouble) INFINITY,
      ".6 % are left, and .78 % of noise" },
  { "all", 5, .05, 1, (gdouble) INFINITY,
      "no loss is left that says anything" },
  { "more", 5, .06, 1, (gdouble) INFINITY, "the radio has become better" },
  { "unexplained", 20, .10, 1, 2, "10 % are left, 5 % of these tolerated" },
  { "not-below", 25, .10, 1, 1.7636, "what is shown does not lower the bound" },
};

static void
test_radio (gconstpointer data)
{
  guint i = GPOINTER_TO_UINT (data);
  RaTime now = 0;
  guint64 cap;
  RaFriendly f;

  g_test_message ("%s", radio_rows[i].why);
  ra_friendly_init (&f);
  f.radio = radio_rows[i].radio;
  f.dispersion = radio_rows[i].dispersion;
  reports (&f, radio_rows[i].lost, BASE, 100, &now);
  cap = ra_friendly_cap (&f, 9);
  if (isinf (radio_rows[i].mbit))
    g_assert_cmpuint (cap, ==, G_MAXUINT64);
  else
    g_assert_cmpfloat_with_epsilon (
        (gdouble) cap / 1e6, radio_rows[i].mbit, 2e-3);
}

/* Where a queue stands the bound counts full packets.  X of `mean` bytes at
 * R = 100 ms and the queue, p = 5 %, is mean / (R sqrt (2 p / 3)) bytes/s (RFC 8083
 * 4.3); sqrt (.1 / 3) = .182574.  The cap of 9 becomes 2 at 40 ms, 4.2426 at 25 ms
 * (above), times full, but no more than 9. */
static const struct
{
  const gchar *name;
  guint queue; /* ms */
  gdouble mean, full;
  gdouble mbit;
  const gchar *why;
} full_rows[] = {
  /* 2 * 1000 / (.14 * .182574) = 78246 bytes/s */
  { "mean", 40, 1000, 1, .62597, "each packet is full" },
  /* 2 * 2 * 500 / (.14 * .182574) = 78246 */
  { "halves", 40, 500, 2, .62597, "smaller packets leave the bound as it is" },
  /* 2 * 4 * 250 / (.14 * .182574) = 78246 */
  { "quarters", 40, 250, 4, .62597, "and still smaller ones" },
  /* min (9, 10 * 2) * 100 / (.14 * .182574) = 35211 */
  { "bits", 40, 100, 10, .28169, "what is asked for is never exceeded" },
  /* 2 * 4.2426 * 500 / (.125 * .182574) = 185904 */
  { "half", 25, 500, 2, 1.48723, "half of the way" },
  /* 9 * 500 / (.1 * .182574) = 246475 */
  { "none", 0, 500, 2, 1.97180, "without a queue the mean packet counts" },
  /* 2 * 500 / (.14 * .182574) = 39123 */
  { "less", 40, 500, .5, .31298, "no full packet is smaller than the mean" },
};

static void
guard_reports (RaGuard *g, guint queue, gdouble mean, RaTime *now)
{
  for (guint i = 0; i < 110; i++) {
    RaReport report = report_of (5, i < 10 ? BASE : BASE + queue);

    *now += RA_SECOND / 10;
    ra_guard_on_report (g, &report, RA_PROOF_DELIVERED, mean, 1, *now);
  }
}

static void
test_full (gconstpointer data)
{
  guint i = GPOINTER_TO_UINT (data);
  RaTime now = 0;
  RaGuard g;

  g_test_message ("%s", full_rows[i].why);
  ra_guard_init (&g, 9, FALSE);
  ra_guard_set_full (&g, full_rows[i].full);
  guard_reports (&g, full_rows[i].queue, full_rows[i].mean, &now);
  g_assert_cmpfloat_with_epsilon (
      (gdouble) ra_guard_rate (&g, G_MAXUINT64) / 1e6, full_rows[i].mbit, 1e-4);
}

/* The size of a full packet outlives all that is forgotten: row "halves". */
static void
test_full_kept (void)
{
  RaTime now = 0;
  RaGuard g;

  ra_guard_init (&g, 9, FALSE);
  ra_guard_set_full (&g, 2);
  ra_guard_restart (&g);
  guard_reports (&g, 40, 500, &now);
  g_assert_cmpfloat_with_epsilon (
      (gdouble) ra_guard_rate (&g, G_MAXUINT64) / 1e6, .62597, 1e-4);
  ra_friendly_forget (&g.friendly);
  g_assert_cmpuint (ra_guard_rate (&g, G_MAXUINT64), ==, G_MAXUINT64);
  guard_reports (&g, 40, 500, &now);
  g_assert_cmpfloat_with_epsilon (
      (gdouble) ra_guard_rate (&g, G_MAXUINT64) / 1e6, .62597, 1e-4);
}

/* Breaker 3, RFC 8083 4.3: above 10 X of the same losses as the cap.  Of 3000
 * packets in three intervals the radio's 4 % have a standard deviation of
 * sqrt (.04 / 3000) = .003651, which leaves .05 - .04 - 2 * .003651 = .002697, and
 * 10 X = 10 * 8000 / (.1 * sqrt (2 * .002697 / 3)) = 18.87 Mbit/s. */
static void
test_breaker (void)
{
  RaTime now = 0;
  RaFriendly f;

  ra_friendly_init (&f);
  reports (&f, 5, BASE, 100, &now);
  g_assert_true (ra_friendly_exceeded (&f, 4500000));
  f.radio = .04;
  reports (&f, 5, BASE, 1, &now);
  g_assert_false (ra_friendly_exceeded (&f, 18800000));
  g_assert_true (ra_friendly_exceeded (&f, 18950000));
}

/* Before RFC 8083 4.3 judges, after three intervals of 1 s, what of the losses is
 * certain: 5 of 100 packets are 1.99056 % (test-evidence.c), 10 of 200 2.73743 %;
 * from a queue on, or above 10 %, all of them. */
static const struct
{
  const gchar *name;
  guint reports, lost, queue; /* ms, in the last one */
  gdouble p;
  const gchar *why;
} start_rows[] = {
  { "first", 1, 5, 0, .0199056, "one report" },
  { "second", 2, 5, 0, .0273743, "two" },
  { "queue", 2, 5, 50, .05, "the RTT has 50 ms more" },
  { "much", 2, 11, 0, .11, "more than the radio's" },
  { "later", 40, 5, 0, .05, "after 4 s the mean counts" },
};

static void
test_start (gconstpointer data)
{
  guint i = GPOINTER_TO_UINT (data);
  guint lost = start_rows[i].lost;
  RaTime now = 0;
  RaFriendly f;

  g_test_message ("%s", start_rows[i].why);
  ra_friendly_init (&f);
  reports (&f, lost, BASE, start_rows[i].reports - 1, &now);
  reports (&f, lost, BASE + start_rows[i].queue, 1, &now);
  g_assert_cmpfloat_with_epsilon (
      f.x / ra_friendly_x (1000, f.tr, start_rows[i].p), 1, 1e-5);
}

void
tests_add (void)
{
  rows_add_by ("/friendly/standing", rows, name, test_standing);
  rows_add_by ("/friendly/bound", bound_rows, name, test_bound);
  rows_add_by ("/friendly/radio", radio_rows, name, test_radio);
  rows_add_by ("/friendly/full", full_rows, name, test_full);
  rows_add_by ("/friendly/start", start_rows, name, test_start);
  g_test_add_func ("/friendly/full-kept", test_full_kept);
  g_test_add_func ("/friendly/breaker", test_breaker);
  g_test_add_func ("/friendly/route", test_route);
  g_test_add_func ("/friendly/drained", test_drained);
}
