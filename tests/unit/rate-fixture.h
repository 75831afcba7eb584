/* What the laws for every rate controller share.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gst/rtpadapt/rate.h>

#include <math.h>

#define SEED 20240711

static const RaRateConfig config = { 50000, 1000000, 8000000, 1200 };

static const RaReport good_report
    = { .rtt = 100 * RA_MSECOND, .recv_rate = 700000, .p = 0.01 };

static inline gdouble
log_uniform (GRand *rnd, gdouble low, gdouble high)
{
  return exp (g_rand_double_range (rnd, log (low), log (high)));
}

static inline RaReport
random_report (GRand *rnd, RaTime now)
{
  RaReport report = { 0 };

  report.rtt = ra_span (log_uniform (rnd, 1e-4, 10));
  report.t_recvdata = ra_later (now, -report.rtt);
  report.recv_rate = (guint64) log_uniform (rnd, 1, 1e9);
  report.p = g_rand_int_range (rnd, 0, 3) ? log_uniform (rnd, 1e-6, 1) : 0;
  report.expected = (guint) g_rand_int_range (rnd, 1, 1000);
  report.n_events = (guint) g_rand_int_range (rnd, 0, 3);
  report.lost_congestion
      = (guint) g_rand_int_range (rnd, 0, (gint32) report.expected);
  report.lost_wireless = report.expected - report.lost_congestion;
  report.data_limited = g_rand_boolean (rnd);
  report.queue = g_rand_boolean (rnd) ? RA_SPAN_NONE : report.rtt / 2;
  report.queue_min = g_rand_boolean (rnd) ? RA_SPAN_NONE : report.rtt / 4;
  report.queue_max = g_rand_boolean (rnd) ? RA_SPAN_NONE : report.rtt;
  return report;
}

typedef struct
{
  const gchar *name;
  GTestDataFunc test;
} Law;

static inline gint
laws_run (const Law *laws, guint n_laws)
{
  for (guint n = 0; n < n_laws; n++) {
    for (guint i = 0; ra_rates[i]; i++) {
      g_autofree gchar *path
          = g_strdup_printf ("/rate/%s/%s", laws[n].name, ra_rates[i]->name);

      g_test_add_data_func (path, ra_rates[i], laws[n].test);
    }
  }
  return g_test_run ();
}
