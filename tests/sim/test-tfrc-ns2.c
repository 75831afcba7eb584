/* TFRC in virtual time against ns-2's TFRC, by its authors.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The rates are those of tests/papers/ns2-tfrc.csv with t_RTO = 4 R: random
 * loss, RTT 100 ms, s = 1000, sent KB/s.  tests/papers/tfrc-ns2 makes the full
 * table with three seeds; this holds us to it with one.
 */
#include <tools/sim/sim.h>

#include "../main.h"

static const struct
{
  const gchar *p;
  gdouble ns2; /* KB/s */
} rows[] = {
  { "0.001", 401.8 },
  { "0.003", 229.0 },
  { "0.01", 120.9 },
  { "0.02", 81.3 },
  { "0.05", 42.3 },
  { "0.1", 20.8 },
};

static void
test_rate (gconstpointer data)
{
  guint i = GPOINTER_TO_UINT (data) / 2;
  g_autofree gchar *link
      = g_strdup_printf ("delay 50ms ! bernoulli %s", rows[i].p);
  g_autoptr (GError) error = NULL;
  RaSimConfig cfg;
  RaRun run;
  gdouble sent;

  ra_sim_config_init (&cfg);
  cfg.link = link;
  cfg.feedback_delay = 50 * RA_MSECOND;
  cfg.packet_size = cfg.rate.mss = 1000;
  cfg.warmup = 20 * RA_SECOND;
  cfg.seconds = 1000 * RA_SECOND;
  cfg.per_packet = GPOINTER_TO_UINT (data) % 2;
  ra_sim_run (&cfg, &run, &error);
  g_assert_no_error (error);
  sent = (gdouble) run.score.sent / run.score.seconds;
  g_test_message (
      "p = %s: sent %.1f KB/s, ns-2 %.1f", rows[i].p, sent, rows[i].ns2);
  g_assert_cmpfloat (sent, >, 0.9 * rows[i].ns2);
  g_assert_cmpfloat (sent, <, 1.1 * rows[i].ns2);
}

void
tests_add (void)
{
  for (guint i = 0; i < 2 * G_N_ELEMENTS (rows); i++) {
    g_autofree gchar *path = g_strdup_printf (
        "/sim/tfrc-ns2/%s/%s", rows[i / 2].p, i % 2 ? "per-packet" : "report");

    g_test_add_data_func (path, GUINT_TO_POINTER (i), test_rate);
  }
}
