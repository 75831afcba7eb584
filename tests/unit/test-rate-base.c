/* What the wrappers around a rate controller promise.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "../rows.h"

#include <gst/rtpadapt/rate.h>

static const RaRateConfig config = { 50000, 1000000, 8000000, 1200 };

/* A controller that does as it is told. */
typedef struct
{
  RaRate base;
  guint n_timeouts, n_reports;
  RaTime last_timeout;
  RaSpan again; /* on_timeout asks for this much later; 0: no more */
} Probe;

static void
probe_on_report (RaRate *r, const RaReport *report, RaTime now)
{
  ((Probe *) r)->n_reports++;
  r->bps = report->recv_rate;
  r->timeout = ra_later (now, RA_SECOND);
}

static void
probe_on_timeout (RaRate *r, RaTime now)
{
  Probe *p = (Probe *) r;

  p->n_timeouts++;
  p->last_timeout = now;
  if (p->again)
    r->timeout = ra_later (now, p->again);
}

static const RaRateOps probe_ops = {
  .name = "probe",
  .cite = "",
  .size = sizeof (Probe),
  .on_report = probe_on_report,
  .on_timeout = probe_on_timeout,
};

static const RaReport good_report
    = { .rtt = 100 * RA_MSECOND, .recv_rate = 700000, .p = 0.01 };

/* The caller's clock falls back by an hour after a report at 1 h 1 s.  The timer
 * of that report, 1 s later, and that of the next are as far away as before, and
 * to the controller time stood still meanwhile. */
static void
test_clock_back (void)
{
  RaTime now = 3601 * RA_SECOND, before = now;
  g_autoptr (RaRate) r = ra_rate_new (&probe_ops, NULL, &config, now, NULL);
  const Probe *p = (const Probe *) r;

  ra_rate_on_report (r, &good_report, now);
  now = RA_SECOND;
  ra_rate_on_sent (r, 1000, now);
  g_assert_cmpuint (ra_rate_next_timeout (r), ==, now + RA_SECOND);
  ra_rate_on_timeout (r, now + RA_SECOND - 1);
  g_assert_cmpuint (p->n_timeouts, ==, 0);
  ra_rate_on_timeout (r, now + RA_SECOND);
  g_assert_cmpuint (p->n_timeouts, ==, 1);
  g_assert_cmpuint (p->last_timeout, ==, before + RA_SECOND);
  ra_rate_on_report (r, &good_report, now + 2 * RA_SECOND);
  g_assert_cmpuint (ra_rate_next_timeout (r), ==, now + 3 * RA_SECOND);
}

static const struct
{
  RaRateConfig in;
  guint64 min, start, max;
  guint mss;
  const gchar *why;
} config_rows[] = {
  { { 10, 20, 30, 1000 }, 10, 20, 30, 1000, "as given" },
  { { 10, 0, 30, 1000 }, 10, 0, 30, 1000, "start 0 stays: its own beginning" },
  { { 10, 5, 30, 1000 }, 10, 10, 30, 1000, "start below min" },
  { { 10, 50, 30, 1000 }, 10, 30, 30, 1000, "start above max" },
  { { 40, 20, 30, 1000 }, 30, 30, 30, 1000, "min above max: both are max" },
  { { 0, 0, 30, 1000 }, 1, 0, 30, 1000, "min is above 0" },
  { { 0, 0, 0, 0 }, 1, 0, 1, 1460, "nothing given" },
};

static void
test_config (gconstpointer data)
{
  guint i = GPOINTER_TO_UINT (data);
  g_autoptr (RaRate) r
      = ra_rate_new (&probe_ops, NULL, &config_rows[i].in, 0, NULL);

  g_test_message ("%s", config_rows[i].why);
  g_assert_cmpuint (r->cfg.min, ==, config_rows[i].min);
  g_assert_cmpuint (r->cfg.start, ==, config_rows[i].start);
  g_assert_cmpuint (r->cfg.max, ==, config_rows[i].max);
  g_assert_cmpuint (r->cfg.mss, ==, config_rows[i].mss);
  g_assert_cmpuint (ra_rate_get (r), >=, r->cfg.min);
  g_assert_cmpuint (ra_rate_get (r), <=, r->cfg.max);
}

static void
test_clamp (void)
{
  static const RaRateConfig lower = { 50000, 0, 300000, 1200 };
  static const guint64 floors[][2]
      = { { 200000, 200000 }, { 400000, 300000 }, { 0, 50000 } };
  RaReport report = good_report;
  g_autoptr (RaRate) r = ra_rate_new (&probe_ops, NULL, &config, 0, NULL);

  ra_rate_on_report (r, &report, 1);
  g_assert_cmpuint (ra_rate_get (r), ==, 700000);
  report.recv_rate = 49999;
  ra_rate_on_report (r, &report, 2);
  g_assert_cmpuint (ra_rate_get (r), ==, 50000);
  report.recv_rate = G_MAXUINT64;
  ra_rate_on_report (r, &report, 3);
  g_assert_cmpuint (ra_rate_get (r), ==, 8000000);
  ra_rate_set_config (r, &lower);
  g_assert_cmpuint (ra_rate_get (r), ==, 300000);
  report.recv_rate = 1;
  for (guint i = 0; i < G_N_ELEMENTS (floors); i++) {
    ra_rate_set_floor (r, floors[i][0]);
    ra_rate_on_report (r, &report, 4 + i);
    g_assert_cmpuint (ra_rate_get (r), ==, floors[i][1]);
  }
}

/* RFC 5348 4.3 step 2, by hand: 0.9 * 100 + 0.1 * 200 = 110 ms,
 * 0.9 * 110 + 0.1 * 10 = 100 ms. */
static void
test_rtt (void)
{
  static const RaSpan samples[] = { 100, 200, 10 }, want[] = { 100, 110, 100 };
  RaReport report = good_report;
  g_autoptr (RaRate) r = ra_rate_new (&probe_ops, NULL, &config, 0, NULL);

  g_assert_cmpint (r->rtt, ==, 0);
  for (guint i = 0; i < G_N_ELEMENTS (samples); i++) {
    report.rtt = samples[i] * RA_MSECOND;
    ra_rate_on_report (r, &report, i);
    g_assert_cmpint (r->rtt, ==, want[i] * RA_MSECOND);
  }
  for (guint i = 0; i < 1000; i++) {
    report.rtt = i % 2 ? 1 : G_MAXINT64;
    ra_rate_on_report (r, &report, i);
    g_assert_cmpint (r->rtt, >, 0);
  }
}

static void
test_size (void)
{
  g_autoptr (RaRate) r = ra_rate_new (&probe_ops, NULL, &config, 0, NULL);

  g_assert_cmpfloat (r->s, ==, 1200); /* mss */
  ra_rate_on_sent (r, 30, 0);
  g_assert_cmpfloat (r->s, ==, 30);
  ra_rate_on_sent (r, 1200, 0);
  ra_rate_on_sent (r, 1200, 0);
  g_assert_cmpfloat_with_epsilon (r->s, 810, 1e-9); /* 2430 / 3 */
  /* It follows: after 5 * 256 packets e^-5 = 0.7 % of the past is left. */
  for (guint i = 0; i < 5000; i++)
    ra_rate_on_sent (r, 1200, 0);
  for (guint i = 0; i < 1280; i++)
    ra_rate_on_sent (r, 200, 0);
  g_assert_cmpfloat_with_epsilon (r->s, 200, 0.01 * 1000);
  for (guint i = 0; i < 10000; i++)
    ra_rate_on_sent (r, 0, 0);
  g_assert_cmpfloat (r->s, >=, 1); /* formulas divide by it */
}

/* Few and small packets leave while nobody answers. */
static void
test_size_unheard (void)
{
  g_autoptr (RaRate) r = ra_rate_new (&probe_ops, NULL, &config, 0, NULL);
  RaReport report = { .rtt = 1 };

  ra_rate_on_sent (r, 1000, 0);
  r->timeout = 10;
  ra_rate_on_timeout (r, 10);
  for (guint i = 0; i < 100; i++)
    ra_rate_on_sent (r, 50, 11);
  g_assert_cmpfloat (r->s, ==, 1000);
  ra_rate_on_report (r, &report, 12);
  ra_rate_on_sent (r, 500, 13);
  g_assert_cmpfloat_with_epsilon (r->s, 750, 1e-9); /* 1500 / 2 */
}

static void
test_last_sent (void)
{
  g_autoptr (RaRate) r = ra_rate_new (&probe_ops, NULL, &config, 5, NULL);

  g_assert_cmpuint (r->last_sent, ==, RA_TIME_NONE);
  ra_rate_on_sent (r, 1000, 77);
  g_assert_cmpuint (r->last_sent, ==, 77);
}

static void
test_timeouts (void)
{
  g_autoptr (RaRate) r = ra_rate_new (&probe_ops, NULL, &config, 0, NULL);
  Probe *p = (Probe *) r;

  g_assert_cmpuint (ra_rate_next_timeout (r), ==, RA_TIME_NONE);
  ra_rate_on_timeout (r, RA_SECOND);
  g_assert_cmpuint (p->n_timeouts, ==, 0); /* nothing was asked for */

  ra_rate_on_report (r, &good_report, RA_SECOND);
  ra_rate_on_timeout (r, 2 * RA_SECOND - 1);
  g_assert_cmpuint (p->n_timeouts, ==, 0); /* not yet */
  ra_rate_on_report (r, &good_report, 2 * RA_SECOND);
  g_assert_cmpuint (p->n_timeouts, ==, 0); /* the report came just in time */
  ra_rate_on_timeout (r, 3 * RA_SECOND);
  g_assert_cmpuint (p->n_timeouts, ==, 1); /* on time */
  g_assert_cmpuint (ra_rate_next_timeout (r), ==, RA_TIME_NONE);

  ra_rate_on_report (r, &good_report, 4 * RA_SECOND);
  ra_rate_on_report (r, &good_report, 5 * RA_SECOND + 1);
  g_assert_cmpuint (p->n_timeouts, ==, 2); /* was due before the report */
  ra_rate_on_sent (r, 1000, 6 * RA_SECOND + 1);
  g_assert_cmpuint (p->n_timeouts, ==, 3); /* due at a packet */

  p->again = RA_MSECOND;
  ra_rate_on_report (r, &good_report, 7 * RA_SECOND);
  ra_rate_on_timeout (r, 3600 * RA_SECOND);
  g_assert_cmpuint (p->n_timeouts, ==, 4); /* once, however late */
  g_assert_cmpuint (p->last_timeout, ==, 3600 * RA_SECOND);
  g_assert_cmpuint (
      ra_rate_next_timeout (r), ==, 3600 * RA_SECOND + RA_MSECOND);

  p->again = -RA_SECOND; /* a controller's mistake */
  ra_rate_on_timeout (r, 3601 * RA_SECOND);
  g_assert_cmpuint (ra_rate_next_timeout (r), ==, 3601 * RA_SECOND + 1);
}

static void
test_find (void)
{
  g_assert_null (ra_rate_find ("nonesuch"));
  g_assert_null (ra_rate_find (""));
  g_assert_nonnull (ra_rate_find ("tfrc"));
}

static void
test_fixed (void)
{
  RaRateConfig cfg = config;
  g_autoptr (RaRate) r
      = ra_rate_new (ra_rate_find ("fixed"), NULL, &cfg, 0, NULL);

  ra_rate_on_report (r, &good_report, 1);
  g_assert_cmpuint (ra_rate_get (r), ==, 1000000);
  g_assert_cmpuint (ra_rate_next_timeout (r), ==, RA_TIME_NONE);
  cfg.start = 0;
  ra_rate_set_config (r, &cfg);
  ra_rate_on_report (r, &good_report, 2);
  g_assert_cmpuint (ra_rate_get (r), ==, 8000000);
}

void
tests_add (void)
{
  rows_add ("/rate/config", config_rows, test_config);
  g_test_add_func ("/rate/clamp", test_clamp);
  g_test_add_func ("/rate/clock-back", test_clock_back);
  g_test_add_func ("/rate/rtt", test_rtt);
  g_test_add_func ("/rate/size", test_size);
  g_test_add_func ("/rate/size-unheard", test_size_unheard);
  g_test_add_func ("/rate/last-sent", test_last_sent);
  g_test_add_func ("/rate/timeouts", test_timeouts);
  g_test_add_func ("/rate/find", test_find);
  g_test_add_func ("/rate/fixed", test_fixed);
}
