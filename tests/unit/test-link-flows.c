/* Flows that share a link: a model for each, and the numbers of each.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "../rows.h"
#include "link-fixture.h"

#include <math.h>
#include <string.h>

static void
push (RaLink *l, guint flow, guint64 seq, guint size, gdouble ms)
{
  RaLinkPacket p = { .seq = seq, .flow = flow, .size = size };

  ra_link_push (l, &p, (RaTime) (ms * 1e6 + 0.5));
}

/* --- each ------------------------------------------------------------- */

static const struct
{
  const gchar *text;
  struct
  {
    gdouble ms;
    guint flow;
  } in[6];
  guint n;
  const gchar *out; /* after 1 s */
  const gchar *why;
} rows[] = {
  { "each delay 25ms", { { 0, 0 }, { 1, 1 }, { 2, 0 } }, 3,
      "+0.0 25, +1.1 26, +0.2 27, ", "the first value without a name" },
  { "each bottleneck rate=1M", { { 0, 0 }, { 0, 1 }, { 0, 0 }, { 0, 1 } }, 4,
      "+0.0 10, +1.1 10, +0.2 20, +1.3 20, ", "a line for each" },
  { "bottleneck rate=1M", { { 0, 0 }, { 0, 1 }, { 0, 0 }, { 0, 1 } }, 4,
      "+0.0 10, +1.1 20, +0.2 30, +1.3 40, ", "but without each one for all" },
  { "each bottleneck rate=1M queue=10ms", { { 0, 0 }, { 0, 1 }, { 0, 0 } }, 3,
      "-0.2 0 congestion bottleneck, +0.0 10, +1.1 10, ",
      "a queue for each; a drop tells the model's name" },
  { "bottleneck rate=2M ! each bottleneck rate=1M ! delay 5ms",
      { { 0, 0 }, { 0, 1 }, { 0, 1 } }, 3, "+0.0 20, +1.1 25, +1.2 35, ",
      "a chain goes on after each: 5 + 10 + 5, 10 + 10 + 5, 20 + 10 + 5" },
  { "each bottleneck rate=1M,50ms:500k", { { 0, 0 }, { 100, 1 } }, 2,
      "+0.0 10, +1.1 120, ",
      "a schedule counts from the link's first packet, not the flow's" },
  { "each gilbert p=1 r=1", { { 0, 0 }, { 0, 0 }, { 0, 1 }, { 0, 1 } }, 4,
      "-0.0 0 wireless gilbert, +0.1 0, -1.2 0 wireless gilbert, +1.3 0, ",
      "a state for each: every flow starts Good" },
  { "each bottleneck rate=1M ! each bottleneck rate=1M",
      { { 0, 4000000000u }, { 0, 7 } }, 2, "+4000000000.0 20, +7.1 20, ",
      "two in a row; any flow number" },
};

static void
test_row (gconstpointer data)
{
  guint r = GPOINTER_TO_UINT (data);
  g_autoptr (GString) log = g_string_new (NULL);
  g_autoptr (RaLink) l = link_new (rows[r].text, log);

  g_test_message ("%s: %s", rows[r].text, rows[r].why);
  for (guint i = 0; i < rows[r].n; i++)
    push (l, rows[r].in[i].flow, i, S, rows[r].in[i].ms);
  ra_link_run (l, RA_SECOND);
  g_assert_cmpstr (log->str, ==, rows[r].out);
}

static void
log_value (const gchar *name, gdouble value, gpointer log)
{
  g_string_append_printf (log, "%s=%g ", name, value);
}

static void
test_each_holds (void)
{
  GString *log = g_string_new (NULL), *values = g_string_new (NULL);
  RaLink *l = link_new ("delay 0 ! each delay 25ms ! each gilbert p=1 r=0 ! "
                        "each bottleneck rate=1M",
      log);

  g_assert_cmpuint (ra_link_next (l), ==, RA_TIME_NONE);
  g_assert_cmpuint (ra_link_capacity (l, 0), ==, 1000000);
  push (l, 3, 0, S, 0);
  push (l, 5, 1, S, 10);
  g_assert_cmpuint (ra_link_held (l), ==, 2);
  g_assert_cmpuint (ra_link_next (l), ==, 25 * RA_MSECOND);
  ra_link_run (l, 30 * RA_MSECOND);
  ra_link_observe (l, log_value, values);
  g_assert_cmpstr (values->str, ==, "each2.3.bad=1 ");
  ra_link_clear (l);
  g_assert_cmpuint (ra_link_held (l), ==, 0);
  push (l, 3, 2, S, 40);
  g_assert_cmpstr (log->str, ==, "-3.0 25 wireless gilbert, ~5.1, ");
  ra_link_free (l);
  l = link_new ("each gilbert p=1 r=0", log);
  g_assert_cmpuint (ra_link_capacity (l, 0), ==, 0);
  ra_link_free (l);
  g_string_free (log, TRUE);
  g_string_free (values, TRUE);
}

static guint loads;

static gboolean
load_counted (const gchar *name, gchar **text, gsize *length, GError **error)
{
  loads++;
  *text = g_strdup ("10\n");
  *length = 3;
  return TRUE;
}

/* One packet every 10 ms for each flow; the file is read with the text. */
static void
test_each_loads_once (void)
{
  RaLinkSink sink = { log_deliver, log_drop, log_discard, load_counted };
  g_autoptr (GString) log = g_string_new (NULL);
  g_autoptr (RaLink) l
      = ra_link_parse ("each trace file=x", 1, &sink, log, NULL);

  g_assert_cmpuint (loads, ==, 1);
  for (guint i = 0; i < 6; i++)
    push (l, i % 3, i, S, 0);
  ra_link_run (l, RA_SECOND);
  g_assert_cmpstr (
      log->str, ==, "+0.0 10, +1.1 10, +2.2 10, +0.3 20, +1.4 20, +2.5 20, ");
  g_assert_cmpuint (loads, ==, 1);
}

#define N 20000

typedef struct
{
  guint flows;
  guint8 lost[4][N];
} Patterns;

static void
pattern_drop (const RaLinkPacket *p, RaCause cause, const gchar *node,
    RaTime now, gpointer data)
{
  ((Patterns *) data)->lost[p->flow][p->seq] = 1;
}

static void
pattern_deliver (const RaLinkPacket *p, RaTime now, gpointer data)
{
}

/* Which packets of the flows 0 to 3 in the set `flows` are lost. */
static Patterns *
patterns_new (const gchar *text, guint64 seed, guint flows, gboolean backwards)
{
  RaLinkSink sink = { pattern_deliver, pattern_drop };
  Patterns *p = g_new0 (Patterns, 1);
  g_autoptr (RaLink) l = ra_link_parse (text, seed, &sink, p, NULL);

  for (guint i = 0; i < N; i++) {
    for (guint k = 0; k < 4; k++) {
      guint flow = backwards ? 3 - k : k;

      if (flows & 1u << flow)
        push (l, flow, i, S, i);
    }
  }
  return p;
}

static void
assert_same (const Patterns *a, const Patterns *b, guint flow, gboolean same)
{
  g_assert_true (
      (memcmp (a->lost[flow], b->lost[flow], N) == 0) == (same != FALSE));
}

static void
test_own_numbers (void)
{
#define EACH "each gilbert p=.05 r=.3"
  g_autofree Patterns *all = patterns_new (EACH, 1, 15, FALSE);
  g_autofree Patterns *backwards = patterns_new (EACH, 1, 15, TRUE);
  g_autofree Patterns *alone = patterns_new (EACH, 1, 4, FALSE);
  g_autofree Patterns *other = patterns_new (EACH, 2, 15, FALSE);
  g_autofree Patterns *behind
      = patterns_new ("red rate=1G ! each bernoulli 0 ! " EACH, 1, 15, FALSE);
  g_autofree Patterns *second
      = patterns_new ("gilbert p=0 r=1 ! " EACH, 1, 15, FALSE);
  g_autofree Patterns *third
      = patterns_new ("each gilbert p=0 r=1 ! " EACH, 1, 15, FALSE);

  for (guint flow = 0; flow < 4; flow++) {
    g_test_message ("flow %u: not by who else is there, nor by order", flow);
    if (flow == 2)
      assert_same (all, alone, flow, TRUE);
    assert_same (all, backwards, flow, TRUE);
    assert_same (all, behind, flow, TRUE);
    g_test_message ("but by the seed, and the second of a kind has its own");
    assert_same (all, other, flow, FALSE);
    assert_same (all, second, flow, FALSE);
    assert_same (all, third, flow, FALSE);
    assert_same (second, third, flow, TRUE);
  }
}

/* With l = 1 - p - r the losses x of one flow have the mean pi = p / (p + r)
 * and the covariance pi (1 - pi) l^k at distance k; of two independent flows
 * x y has the mean pi^2 and the covariance
 * (pi^2 + pi (1 - pi) l^k)^2 - pi^4. */
static const struct
{
  const gchar *text;
  gdouble p, r;
} theory[] = {
  { "each gilbert p=.01 r=.3", .01, .3 },
  { "each gilbert p=.05 r=.1", .05, .1 },
  { "each bernoulli .1", .1, .9 },
};

/* 5 standard errors of the mean of N with that covariance. */
static gdouble
limit (gdouble pi, gdouble l, gboolean product)
{
  gdouble sum = 0;

  for (gint k = -400; k <= 400; k++) {
    gdouble c = pi * (1 - pi) * pow (l, abs (k));

    sum += product ? pow (pi * pi + c, 2) - pow (pi, 4) : c;
  }
  return 5 * sqrt (sum / N);
}

static void
test_theory (gconstpointer data)
{
  guint i = GPOINTER_TO_UINT (data);
  gdouble pi = theory[i].p / (theory[i].p + theory[i].r);
  gdouble l = 1 - theory[i].p - theory[i].r;

  for (guint64 seed = 1; seed <= 3; seed++) {
    g_autofree Patterns *p = patterns_new (theory[i].text, seed, 15, FALSE);

    for (guint a = 0; a < 4; a++) {
      for (guint b = 0; b <= a; b++) {
        gdouble wanted = a == b ? pi : pi * pi;
        guint both = 0;

        for (guint k = 0; k < N; k++)
          both += p->lost[a][k] && p->lost[b][k];
        g_test_message ("%s, seed %u, flows %u and %u: %g, theory %g +- %g",
            theory[i].text, (guint) seed, a, b, (gdouble) both / N, wanted,
            limit (pi, l, a != b));
        g_assert_cmpfloat (
            fabs ((gdouble) both / N - wanted), <=, limit (pi, l, a != b));
      }
    }
  }
}

/* --- the numbers of each ---------------------------------------------- */

static void
stats_check (const RaLink *l, guint flow, RaLinkStats want)
{
  RaLinkStats s;

  g_assert_true (ra_link_get_flow_stats (l, flow, &s));
  g_assert_cmpmem (&s, sizeof s, &want, sizeof want);
}

/* Flow 1: of three packets of 10 ms two fit into 20 ms; both are lost behind
 * in Bad but the first.  Flow 2: a small one comes at 15 ms. */
static void
test_stats (void)
{
  g_autoptr (GString) log = g_string_new (NULL);
  g_autoptr (RaLink) l
      = link_new ("bottleneck rate=1M queue=20ms ! each gilbert p=1 r=1", log);

  push (l, 1, 0, S, 0);
  push (l, 1, 1, S, 0);
  push (l, 1, 2, S, 0);
  push (l, 2, 0, S / 10, 15);
  stats_check (l, 1, (RaLinkStats){ 3, 0, 1, 1, 3 * S, 0 });
  stats_check (l, 2, (RaLinkStats){ 1, 0, 0, 0, S / 10, 0 });
  ra_link_run (l, RA_SECOND);
  g_assert_cmpstr (log->str, ==,
      "-1.2 0 congestion bottleneck, -1.0 10 wireless gilbert, +1.1 20, "
      "-2.0 21 wireless gilbert, ");
  stats_check (l, 1, (RaLinkStats){ 3, 1, 1, 1, 3 * S, S });
  stats_check (l, 2, (RaLinkStats){ 1, 0, 0, 1, S / 10, 0 });
  stats_check (l, 3, (RaLinkStats){ 0 });
}

/* Of 2,000 flows with one packet each 976 are counted together, and share one
 * copy of a model: the first of them waits for no one. */
static void
test_many_flows (void)
{
  g_autoptr (GString) log = g_string_new (NULL);
  g_autoptr (RaLink) l = link_new ("each bottleneck rate=1M queue=0", log);
  RaLinkStats s;

  for (guint i = 0; i < 2000; i++)
    push (l, i * 7, 0, S, 0);
  g_assert_cmpuint (ra_link_held (l), ==, 2000);
  ra_link_run (l, 10 * RA_MSECOND);
  g_assert_cmpuint (ra_link_held (l), ==, 975);
  stats_check (l, 1023 * 7, (RaLinkStats){ 1, 1, 0, 0, S, S });
  g_assert_false (ra_link_get_flow_stats (l, 1024 * 7, &s));
  g_assert_cmpuint (s.in, ==, 976);
  g_assert_cmpuint (s.out, ==, 1);
  ra_link_run (l, 9760 * RA_MSECOND);
  g_assert_cmpuint (ra_link_held (l), ==, 0);
  ra_link_get_stats (l, &s);
  g_assert_cmpuint (s.in, ==, 2000);
  g_assert_cmpuint (s.out, ==, 2000);
}

void
tests_add (void)
{
  log_flows = TRUE;
  rows_add ("/link-flows/rows", rows, test_row);
  rows_add ("/link-flows/theory", theory, test_theory);
  g_test_add_func ("/link-flows/each-holds", test_each_holds);
  g_test_add_func ("/link-flows/each-loads-once", test_each_loads_once);
  g_test_add_func ("/link-flows/own-numbers", test_own_numbers);
  g_test_add_func ("/link-flows/stats", test_stats);
  g_test_add_func ("/link-flows/many-flows", test_many_flows);
}
