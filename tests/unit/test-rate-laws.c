/* Laws for every rate controller that compare two of a kind, or before and
 * after: loss, silence, the unit of time.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "rate-fixture.h"
#include "law.h"

#include <gst/rtpadapt/rate/equation.h>

/* Two that differ only in p, which is `factor` times higher in b's reports:
 * one report per RTT, as many loss events in both. */
static void
more_loss (const RaRateOps *ops, GRand *rnd, gdouble factor)
{
  RaTime now = RA_SECOND;
  g_autoptr (RaRate) a = ra_rate_new (ops, NULL, &config, now, NULL);
  g_autoptr (RaRate) b = ra_rate_new (ops, NULL, &config, now, NULL);

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
    law_cmpuint (ra_rate_get (b), <=, ra_rate_get (a));
  }
}

/* Packets of 1000 bytes that the rate allows in 100 ms; one at least. */
static guint
allowed (const RaRate *r)
{
  return (guint) (ra_rate_get (r) / 80000) + 1;
}

static void
send_packets (RaRate *r, guint n, RaTime now, RaSpan span)
{
  for (guint i = 0; i < n; i++)
    ra_rate_on_sent (r, 1000, ra_later (now, i * span / n));
}

/* Each path lets through what is sent; b's loses more to congestion, in more
 * events (some RTTs apart: what of it is new is no question), at a higher p.
 * Both have left slow start.  Not below three packets per RTT, where b may be
 * back from the timeout that a has yet to come to.  One packet per RTT is no
 * difference: who counts those on their way counts whole ones. */
#define ONE_PPR 100000 /* bit/s, of 1000 bytes per 80 ms */
static void
more_congestion (const RaRateOps *ops, GRand *rnd)
{
  RaTime now = RA_SECOND;
  g_autoptr (RaRate) a = ra_rate_new (ops, NULL, &config, now, NULL);
  g_autoptr (RaRate) b = ra_rate_new (ops, NULL, &config, now, NULL);

  for (guint i = 0; i < 100 && ra_rate_get (b) > 3 * ONE_PPR; i++) {
    RaReport report = random_report (rnd, now);
    guint event = i == 0 || (i % 3 == 0 && g_rand_int_range (rnd, 0, 6) == 0);
    guint more = i > 0 && i % 3 == 0 && g_rand_int_range (rnd, 0, 6) == 0;

    send_packets (a, allowed (a), now, 100 * RA_MSECOND);
    send_packets (b, allowed (b), now, 100 * RA_MSECOND);
    now += 100 * RA_MSECOND;
    report.rtt = ra_span (g_rand_double_range (rnd, 0.08, 0.1));
    report.t_recvdata = ra_later (now, -report.rtt);
    report.p = log_uniform (rnd, 1e-5, .01);
    report.n_events = event;
    report.lost_congestion = event * report.expected / 4;
    report.lost_wireless = report.expected / 2;
    report.arrived = report.expected / 4;
    report.recv_rate = ra_rate_get (a);
    ra_rate_on_report (a, &report, now);
    report.n_events += more;
    report.lost_congestion += more * report.expected / 4;
    report.lost_wireless -= more * report.expected / 4;
    report.p *= 2;
    report.recv_rate = ra_rate_get (b);
    ra_rate_on_report (b, &report, now);
    law_cmpuint (ra_rate_get (b), <=, ra_rate_get (a) + ONE_PPR);
  }
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
  g_autoptr (RaRate) a = ra_rate_new (ops, NULL, &config, now, NULL);
  g_autoptr (RaRate) b = ra_rate_new (ops, NULL, &config, now, NULL);

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
  law_cmpuint (ra_rate_get (b), <=, ra_rate_get (a));
}

/* Of a law that does not hold for it a controller says why, else NULL. */
static gboolean
skipped (const gchar *why)
{
  if (why)
    g_test_skip (why);
  return why != NULL;
}

static void
law_more_loss (gconstpointer data)
{
  g_autoptr (GRand) rnd = g_rand_new_with_seed (SEED);
  gboolean crosses = skipped (((const RaRateOps *) data)->crosses);

  for (guint i = 0; i < 200; i++) {
    more_loss (data, rnd, 1 + g_rand_double (rnd) * 9);
    if (!crosses)
      more_congestion (data, rnd);
  }
  for (guint n = 1; n < 10; n++)
    first_loss (data, n);
}

/* Packets leave, reports no longer come: the rate falls to the minimum. */
static void
law_silence (gconstpointer data)
{
  const RaRateOps *ops = data;
  RaReport report = good_report;
  RaTime now = RA_SECOND;
  g_autoptr (RaRate) r = NULL;
  guint64 before;

  if (skipped (ops->open_loop ? "the baseline answers nothing" : NULL))
    return;
  r = ra_rate_new (ops, NULL, &config, now, NULL);
  for (guint i = 0; i < 50; i++) {
    report.recv_rate = ra_rate_get (r);
    send_packets (r, allowed (r), now, 100 * RA_MSECOND);
    now += 100 * RA_MSECOND;
    report.t_recvdata = ra_later (now, -report.rtt);
    report.p = 0.001;
    report.expected = report.arrived = allowed (r);
    ra_rate_on_report (r, &report, now);
  }
  before = ra_rate_get (r);
  law_cmpuint (before, >, config.min);
  for (guint i = 0; i < 600; i++) {
    now += 100 * RA_MSECOND;
    ra_rate_on_sent (r, 1000, now);
    ra_rate_on_timeout (r, now);
    if (i == 50)
      law_cmpuint (ra_rate_get (r), <, before);
  }
  law_cmpuint (ra_rate_get (r), ==, config.min);
}

/* The parameters of a unit that has seconds in it, as if a second were `k`. */
static gchar *
params_scaled (const RaRateOps *ops, gdouble k)
{
  GString *out = g_string_new (NULL);
  RaParamWalk walk = ra_params_walk (ops->params);
  gchar number[G_ASCII_DTOSTR_BUF_SIZE];

  for (const RaParam *p; (p = ra_params_next (&walk));) {
    gdouble factor = g_str_equal (p->unit, "s") ? k
        : g_str_has_suffix (p->unit, "/s")      ? 1 / k
                                                : 1;

    if (factor != 1)
      g_string_append_printf (out, "%s=%s,", p->name,
          g_ascii_dtostr (number, sizeof number, p->def * factor));
  }
  if (out->len > 0)
    g_string_truncate (out, out->len - 1);
  return g_string_free (out, FALSE);
}

/* What a report says in law_time_scale(), in a's time. */
static RaReport
scale_report (GRand *rnd, guint i, gdouble *p)
{
  RaReport report = random_report (rnd, 0);

  report.rtt = g_rand_int_range (rnd, 50000000, 150000000);
  report.interval = i % 1000 < 500 ? 0 : 40 * RA_MSECOND;
  report.queue = report.rtt / 2;
  report.queue_min = report.queue_max = RA_SPAN_NONE;
  report.n_events = g_rand_int_range (rnd, 0, 40) == 0;
  report.lost_congestion *= report.n_events;
  report.lost_wireless = g_rand_int_range (rnd, 0, 4) == 0;
  report.arrived
      = report.expected - report.lost_congestion - report.lost_wireless;
  if (report.n_events)
    *p = log_uniform (rnd, 1e-3, .1);
  report.p = *p;
  return report;
}

static void
scale_apply (RaRate *r, RaReport report, RaTime now, RaSpan scale)
{
  report.rtt *= scale;
  report.interval *= scale;
  report.queue *= scale;
  report.recv_rate = ra_rate_get (r);
  report.t_recvdata = ra_later (now, -report.rtt);
  ra_rate_on_report (r, &report, now);
}

/* The path of a, seen by b on a clock whose seconds are a third: the same in
 * packets.  Silences stay short of the absolute times of RFC 5348, the 2 s
 * before R is known (4.2) and t_mbi (3.1). */
static void
law_time_scale (gconstpointer data)
{
  const RaRateOps *ops = data;
  static const RaRateConfig slow = { 10000, 200000, 3000000, 1200 };
  static const RaRateConfig fast = { 30000, 600000, 9000000, 1200 };
  g_autofree gchar *params = params_scaled (ops, 3);
  g_autoptr (GRand) rnd = NULL;
  RaTime now = 0;
  gdouble p = 0;
  RaRate *a, *b;

  if (skipped (ops->absolute))
    return;
  rnd = g_rand_new_with_seed (SEED);
  a = ra_rate_new (ops, NULL, &fast, 0, NULL);
  b = ra_rate_new (ops, params, &slow, 0, NULL);
  for (guint i = 0; i < 20000; i++) {
    RaReport report = scale_report (rnd, i, &p);
    RaSpan span = g_rand_int_range (rnd, 1, 200) * G_GINT64_CONSTANT (997001);
    guint n = allowed (a);

    send_packets (a, n, now, span);
    send_packets (b, n, 3 * now, 3 * span);
    now = ra_later (now, span);
    if (i % 100 < 95) {
      scale_apply (a, report, now, 1);
      scale_apply (b, report, 3 * now, 3);
    }
    law_cmpfloat_with_epsilon ((gdouble) ra_rate_get (a),
        3 * (gdouble) ra_rate_get (b), 10 + 1e-4 * (gdouble) ra_rate_get (a));
  }
  ra_rate_free (a);
  ra_rate_free (b);
}

int
main (int argc, char **argv)
{
  static const Law laws[] = {
    { "more-loss", law_more_loss },
    { "silence", law_silence },
    { "time-scale", law_time_scale },
  };

  g_test_init (&argc, &argv, NULL);
  return laws_run (laws, G_N_ELEMENTS (laws));
}
