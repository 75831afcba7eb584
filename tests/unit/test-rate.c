/* Laws for every rate controller, whatever it is told.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "rate-fixture.h"
#include "law.h"
#include "malloc-count.h"

#include <string.h>

#define N_RANDOM 1000000

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

/* Well-formed, and a lie or a freak. */
static RaReport
hostile_report (GRand *rnd, RaTime now)
{
  static const RaSpan rtts[]
      = { 1, 2, 7 * 3600 * RA_SECOND, G_MAXINT64, RA_SECOND };
  static const guint64 rates[] = { 0, 1, 1000000, G_MAXUINT64 };
  static const gdouble ps[] = { 0, 5e-324, 1e-300, .01, 1 };
  static const guint counts[] = { 0, 1, 100, G_MAXUINT };
#define PICK(array) array[g_rand_int_range (rnd, 0, G_N_ELEMENTS (array))]
  RaReport report = { .rtt = PICK (rtts),
    .t_recvdata = g_rand_boolean (rnd) ? now : random_bits (rnd),
    .recv_rate = PICK (rates),
    .p = PICK (ps),
    .n_events = PICK (counts),
    .expected = PICK (counts),
    .arrived = PICK (counts),
    .lost_congestion = PICK (counts),
    .lost_wireless = PICK (counts),
    .wireless_runs = PICK (counts),
    .data_limited = g_rand_boolean (rnd),
    .interval = g_rand_boolean (rnd) ? 0 : PICK (rtts),
    .queue = g_rand_boolean (rnd) ? RA_SPAN_NONE : PICK (rtts) };
#undef PICK

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
      report = g_rand_boolean (e->rnd) ? garbage_report (e->rnd)
                                       : hostile_report (e->rnd, e->now);
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
  law_cmpuint (ra_rate_get (r), >=, r->cfg.min);
  law_cmpuint (ra_rate_get (r), <=, r->cfg.max);
  law_cmpuint (ra_rate_next_timeout (r), >, e->now);
}

static const struct
{
  const gchar *name, *value, *why;
} endless[] = {
  { "tfrc", "x_bps", "RFC 5348 3.1 for p = 0" },
  { "tfrc", "recv_limit", "RFC 5348 4.2: X_recv_set begins with Infinity" },
};

static void
value_check (const gchar *name, gdouble value, gpointer data)
{
  const RaRate *r = data;
  gboolean excepted = FALSE;

  law_true (name && *name);
  for (guint i = 0; i < G_N_ELEMENTS (endless); i++)
    excepted |= g_str_equal (endless[i].name, r->ops->name)
        && g_str_equal (endless[i].value, name);
  if (!isfinite (value) && !(excepted && value > 0)) {
    g_test_message ("%s is %g", name, value);
    g_test_fail ();
  }
}

static void
law_limits (gconstpointer data)
{
  Each e = { data, g_rand_new_with_seed (SEED), RA_SECOND };
  g_autoptr (RaRate) r = ra_rate_new (e.ops, NULL, &config, e.now, NULL);

  each_check (r, &e);
  for (guint i = 0; i < N_RANDOM; i++) {
    random_step (r, &e);
    each_check (r, &e);
    if (i % 16 == 0)
      ra_rate_observe (r, value_check, r);
    if (i % 1000 == 0) {
      RaRateConfig cfg = { g_rand_int (e.rnd), 0, g_rand_int (e.rnd), 1200 };

      ra_rate_set_config (r, &cfg);
      each_check (r, &e);
    }
  }
  g_rand_free (e.rnd);
}

/* Two of a kind, and from half-way on a copy of one of them. */
static void
law_same_input_same_output (gconstpointer data)
{
  Each e[3] = { { data, g_rand_new_with_seed (SEED), RA_SECOND },
    { data, g_rand_new_with_seed (SEED), RA_SECOND } };
  RaRate *r[3] = { ra_rate_new (e[0].ops, NULL, &config, RA_SECOND, NULL),
    ra_rate_new (e[1].ops, "", &config, RA_SECOND, NULL) };

  for (guint i = 0; i < 20000; i++) {
    if (i == 10000) {
      r[2] = g_memdup2 (r[0], e[0].ops->size);
      e[2] = e[0];
      e[2].rnd = g_rand_copy (e[0].rnd);
    }
    for (guint j = 0; j < 3 && r[j]; j++)
      random_step (r[j], &e[j]);
    for (guint j = 1; j < 3 && r[j]; j++) {
      law_cmpuint (ra_rate_get (r[j]), ==, ra_rate_get (r[0]));
      law_cmpuint (
          ra_rate_next_timeout (r[j]), ==, ra_rate_next_timeout (r[0]));
    }
  }
  for (guint j = 0; j < 3; j++) {
    ra_rate_free (r[j]);
    g_rand_free (e[j].rnd);
  }
}

/* Everything was allocated by ra_rate_new(). */
static void
law_no_allocation (gconstpointer data)
{
  Each e = { data, g_rand_new_with_seed (SEED), RA_SECOND };
  g_autoptr (RaRate) r = ra_rate_new (e.ops, NULL, &config, e.now, NULL);
  guint before;

  if (malloc_counts ()) {
    before = n_malloc;
    for (guint i = 0; i < 10000; i++)
      random_step (r, &e);
    law_cmpuint (n_malloc, ==, before);
  }
  g_rand_free (e.rnd);
}

static void
law_invalid_reports (gconstpointer data)
{
  const RaRateOps *ops = data;
  g_autoptr (RaRate) r = ra_rate_new (ops, NULL, &config, 0, NULL);

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
    law_true (memcmp (before, r, ops->size) == 0);
  }
}

static void
law_table (gconstpointer data)
{
  const RaRateOps *ops = data;
  RaParamWalk walk = ra_params_walk (ops->params);
  g_autoptr (GError) error = NULL;

  law_true (ra_rate_find (ops->name) == ops);
  law_true (ops->cite && *ops->cite);
  law_cmpuint (ops->size, >=, sizeof (RaRate));
  for (const RaParam *p; (p = ra_params_next (&walk));) {
    law_true (p->text && *p->text);
    law_cmpuint (p->offset, >=, sizeof (RaRate));
    law_cmpuint (p->offset, <, ops->size);
    law_cmpfloat (p->def, >=, p->min);
    law_cmpfloat (p->def, <=, p->max);
  }
  g_assert_null (ra_rate_new (ops, "no-such=1", &config, 0, &error));
  g_assert_error (error, RA_PARAM_ERROR, RA_PARAM_ERROR_UNKNOWN);
}

int
main (int argc, char **argv)
{
  static const Law laws[] = {
    { "table", law_table },
    { "limits", law_limits },
    { "same-input-same-output", law_same_input_same_output },
    { "invalid-reports", law_invalid_reports },
    { "no-allocation", law_no_allocation },
  };

  g_test_init (&argc, &argv, NULL);
  return laws_run (laws, G_N_ELEMENTS (laws));
}
