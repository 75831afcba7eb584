/* The laws for every rate controller.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <gst/rtpadapt/rate.h>
#include <gst/rtpadapt/rate/equation.h>

#include <math.h>
#include <string.h>

#define SEED 20240711
#define N_RANDOM 100000

static const RaRateConfig config = { 50000, 1000000, 8000000, 1200 };

static const struct
{
  RaSpan rtt;
  gdouble p;
  const gchar *why;
} invalid_rows[] = {
  { 0, 0.01, "no RTT" },
  { -1, 0.01, "negative RTT" },
  { RA_SPAN_NONE, 0.01, "unknown RTT" },
  { 1, NAN, "p is no number" },
  { 1, -1e-9, "p below 0" },
  { 1, 1.0001, "p above 1" },
  { 1, INFINITY, "p infinite" },
};

typedef struct
{
  const RaRateOps *ops;
  GRand *rnd;
  RaTime now;
} Each;

static gdouble
log_uniform (GRand *rnd, gdouble low, gdouble high)
{
  return exp (g_rand_double_range (rnd, log (low), log (high)));
}

static RaReport
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
  return report;
}

static guint64
random_bits (GRand *rnd)
{
  return (guint64) g_rand_int (rnd) << 32 | g_rand_int (rnd);
}

/* Any bytes; half of them with an RTT and a p that will be believed. */
static RaReport
garbage_report (GRand *rnd)
{
  RaReport report;
  guint8 *bytes = (guint8 *) &report;

  for (gsize i = 0; i < sizeof report; i++)
    bytes[i] = (guint8) g_rand_int (rnd);
  report.data_limited = g_rand_boolean (rnd);
  if (g_rand_boolean (rnd)) {
    report.rtt
        = 1 + (RaSpan) (random_bits (rnd) >> g_rand_int_range (rnd, 2, 64));
    report.p = pow (2, -g_rand_double_range (rnd, 0, 1074));
  }
  return report;
}

/* One of: a packet, a report, garbage, the timer on time or late. */
static void
random_step (RaRate *r, Each *e)
{
  RaReport report;

  e->now += (RaTime) ra_span (log_uniform (e->rnd, 1e-6, 1));
  switch (g_rand_int_range (e->rnd, 0, 6)) {
    case 0:
      report = garbage_report (e->rnd);
      ra_rate_on_report (r, &report, e->now);
      break;
    case 1:
    case 2:
      report = random_report (e->rnd, e->now);
      ra_rate_on_report (r, &report, e->now);
      break;
    case 3:
      if (ra_rate_next_timeout (r) < e->now + 100 * RA_SECOND)
        e->now = ra_rate_next_timeout (r);
      ra_rate_on_timeout (r, e->now);
      break;
    default:
      ra_rate_on_sent (r, (guint) g_rand_int_range (e->rnd, 0, 1500), e->now);
  }
}

static void
each_check (const RaRate *r, const Each *e)
{
  g_assert_cmpuint (ra_rate_get (r), >=, r->cfg.min);
  g_assert_cmpuint (ra_rate_get (r), <=, r->cfg.max);
  g_assert_cmpuint (ra_rate_next_timeout (r), >, e->now);
}

static void
finite_or_infinite (const gchar *name, gdouble value, gpointer data)
{
  g_assert_true (name && *name);
  if (isnan (value))
    g_test_message ("%s is not a number", name);
  g_assert_false (isnan (value));
}

static void
law_limits (gconstpointer data)
{
  Each e = { data, g_rand_new_with_seed (SEED), RA_SECOND };
  RaRate *r = ra_rate_new (e.ops, NULL, &config, e.now, NULL);

  each_check (r, &e);
  for (guint i = 0; i < N_RANDOM; i++) {
    random_step (r, &e);
    each_check (r, &e);
    if (i % 1000 == 0) {
      RaRateConfig cfg = { g_rand_int (e.rnd), 0, g_rand_int (e.rnd), 1200 };

      ra_rate_set_config (r, &cfg);
      each_check (r, &e);
      ra_rate_observe (r, finite_or_infinite, NULL);
    }
  }
  ra_rate_free (r);
  g_rand_free (e.rnd);
}

static void
law_same_input_same_output (gconstpointer data)
{
  Each a = { data, g_rand_new_with_seed (SEED), RA_SECOND };
  Each b = { data, g_rand_new_with_seed (SEED), RA_SECOND };
  RaRate *ra = ra_rate_new (a.ops, NULL, &config, a.now, NULL);
  RaRate *rb = ra_rate_new (b.ops, "", &config, b.now, NULL);

  for (guint i = 0; i < 10000; i++) {
    random_step (ra, &a);
    random_step (rb, &b);
    g_assert_cmpuint (ra_rate_get (ra), ==, ra_rate_get (rb));
    g_assert_cmpuint (ra_rate_next_timeout (ra), ==, ra_rate_next_timeout (rb));
  }
  ra_rate_free (ra);
  ra_rate_free (rb);
  g_rand_free (a.rnd);
  g_rand_free (b.rnd);
}

static const RaReport good_report
    = { .rtt = 100 * RA_MSECOND, .recv_rate = 700000, .p = 0.01 };

static void
law_invalid_reports (gconstpointer data)
{
  const RaRateOps *ops = data;
  RaRate *r = ra_rate_new (ops, NULL, &config, 0, NULL);

  ra_rate_on_sent (r, 1000, 0);
  ra_rate_on_report (r, &good_report, 100 * RA_MSECOND);
  for (guint i = 0; i < G_N_ELEMENTS (invalid_rows); i++) {
    g_autofree gpointer before = g_memdup2 (r, ops->size);
    RaReport report = good_report;

    report.rtt = invalid_rows[i].rtt;
    report.p = invalid_rows[i].p;
    report.recv_rate = 1;
    ra_rate_on_report (r, &report, 101 * RA_MSECOND);
    if (memcmp (before, r, ops->size) != 0)
      g_test_message ("%s", invalid_rows[i].why);
    g_assert_true (memcmp (before, r, ops->size) == 0);
  }
  ra_rate_free (r);
}

/* Two that differ only in p, which is `factor` times higher in b's reports:
 * one report per RTT, as many loss events in both. */
static void
more_loss (const RaRateOps *ops, GRand *rnd, gdouble factor)
{
  RaTime now = RA_SECOND;
  RaRate *a = ra_rate_new (ops, NULL, &config, now, NULL);
  RaRate *b = ra_rate_new (ops, NULL, &config, now, NULL);

  for (guint i = 0; i < 100; i++) {
    RaReport report = random_report (rnd, now);

    now += 100 * RA_MSECOND;
    report.rtt = ra_span (g_rand_double_range (rnd, 0.09, 0.12));
    report.recv_rate = (guint64) log_uniform (rnd, 1e5, 1e7);
    report.p = log_uniform (rnd, 1e-5, 1 / factor);
    ra_rate_on_sent (a, 1000, now);
    ra_rate_on_sent (b, 1000, now);
    ra_rate_on_report (a, &report, now);
    report.p *= factor;
    ra_rate_on_report (b, &report, now);
    g_assert_cmpuint (ra_rate_get (b), <=, ra_rate_get (a));
  }
  ra_rate_free (a);
  ra_rate_free (b);
}

/* Both lossless, then b has its first loss event, with the p that RFC 5348
 * 6.3.1 gives for the receive rate. */
static void
first_loss (const RaRateOps *ops, guint n)
{
  RaReport report = { .rtt = 100 * RA_MSECOND,
    .expected = 100,
    .recv_rate = config.start,
    .queue = RA_SPAN_NONE };
  RaTime now = RA_SECOND;
  RaRate *a = ra_rate_new (ops, NULL, &config, now, NULL);
  RaRate *b = ra_rate_new (ops, NULL, &config, now, NULL);

  for (guint i = 0; i <= n; i++) {
    now += 100 * RA_MSECOND;
    ra_rate_on_sent (a, 1000, now);
    ra_rate_on_sent (b, 1000, now);
    ra_rate_on_report (a, &report, now);
    if (i == n) {
      report.n_events = report.lost_congestion = 1;
      report.p = ra_equation_p (1000, 0.1, ra_bytes (report.recv_rate));
    }
    ra_rate_on_report (b, &report, now);
    report.recv_rate = ra_rate_get (a);
  }
  g_assert_cmpuint (ra_rate_get (b), <=, ra_rate_get (a));
  ra_rate_free (a);
  ra_rate_free (b);
}

static void
law_more_loss (gconstpointer data)
{
  GRand *rnd = g_rand_new_with_seed (SEED);

  for (guint i = 0; i < 200; i++)
    more_loss (data, rnd, 1 + g_rand_double (rnd) * 9);
  for (guint n = 1; n < 10; n++)
    first_loss (data, n);
  g_rand_free (rnd);
}

static const struct
{
  const gchar *name, *why;
} deaf[] = {
  { "fixed", "the baseline answers nothing" },
};

/* Packets leave, reports no longer come: the rate falls to the minimum. */
static void
law_silence (gconstpointer data)
{
  const RaRateOps *ops = data;
  RaReport report = good_report;
  RaTime now = RA_SECOND;
  RaRate *r;
  guint64 before;

  for (guint i = 0; i < G_N_ELEMENTS (deaf); i++) {
    if (g_str_equal (deaf[i].name, ops->name)) {
      g_test_skip (deaf[i].why);
      return;
    }
  }
  r = ra_rate_new (ops, NULL, &config, now, NULL);
  for (guint i = 0; i < 50; i++) {
    now += 100 * RA_MSECOND;
    report.recv_rate = ra_rate_get (r);
    report.p = 0.001;
    ra_rate_on_sent (r, 1000, now);
    ra_rate_on_report (r, &report, now);
  }
  before = ra_rate_get (r);
  g_assert_cmpuint (before, >, config.min);
  for (guint i = 0; i < 600; i++) {
    now += 100 * RA_MSECOND;
    ra_rate_on_sent (r, 1000, now);
    ra_rate_on_timeout (r, now);
    if (i == 50)
      g_assert_cmpuint (ra_rate_get (r), <, before);
  }
  g_assert_cmpuint (ra_rate_get (r), ==, config.min);
  ra_rate_free (r);
}

static void
law_table (gconstpointer data)
{
  const RaRateOps *ops = data;
  GError *error = NULL;

  g_assert_true (ra_rate_find (ops->name) == ops);
  g_assert_true (ops->cite && *ops->cite);
  g_assert_cmpuint (ops->size, >=, sizeof (RaRate));
  for (const RaParam *p = ops->params; p && p->name; p++) {
    g_assert_true (p->text && *p->text);
    g_assert_cmpuint (p->offset, >=, sizeof (RaRate));
    g_assert_cmpuint (p->offset, <, ops->size);
    g_assert_cmpfloat (p->def, >=, p->min);
    g_assert_cmpfloat (p->def, <=, p->max);
  }
  g_assert_null (ra_rate_new (ops, "no-such=1", &config, 0, &error));
  g_assert_error (error, RA_PARAM_ERROR, RA_PARAM_ERROR_UNKNOWN);
  g_clear_error (&error);
}

static const struct
{
  const gchar *name;
  GTestDataFunc test;
} laws[] = {
  { "table", law_table },
  { "limits", law_limits },
  { "same-input-same-output", law_same_input_same_output },
  { "invalid-reports", law_invalid_reports },
  { "more-loss", law_more_loss },
  { "silence", law_silence },
};

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (guint n = 0; n < G_N_ELEMENTS (laws); n++) {
    for (guint i = 0; ra_rates[i]; i++) {
      g_autofree gchar *path
          = g_strdup_printf ("/rate/%s/%s", laws[n].name, ra_rates[i]->name);

      g_test_add_data_func (path, ra_rates[i], laws[n].test);
    }
  }
  return g_test_run ();
}
