/* Clocks that are stepped or drift, and an encoder that does as it likes.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * 1 Mbit/s, R of 50 to 150 ms, 1 % lost to the radio, which only ZBS, who goes
 * by delays, can tell from what the queue drops.
 */
#include "faults.h"
#include "trust.h"

#define PATH "bottleneck rate=1M queue=100ms ! delay 25ms ! bernoulli 1%"
#define WARM (10 * RA_SECOND)
#define SPAN (20 * RA_SECOND)
#define RUNS_MAX 64
#define MORE 1.1
#define HOUR (3600 * RA_SECOND)

typedef struct
{
  gdouble sent, goodput; /* bit/s */
  gdouble lost;          /* share */
} Run;

static void
config_init (WorldConfig *cfg)
{
  faults_config_init (cfg);
  cfg->path = PATH;
  cfg->lda = "zbs";
}

static Run
run (const WorldConfig *cfg, RaSpan span, gint64 here, gint64 there)
{
  World *w = world_new (cfg, 1);
  guint64 before, packets, lost;
  Run r = { 0 };

  world_run (w, WARM);
  before = w->bytes;
  packets = w->packets;
  lost = w->lost;
  sim_flow_clocks (w->flow)->here += here;
  sim_flow_clocks (w->flow)->there += there;
  r.goodput = world_goodput (w, span);
  r.sent = 8. * (gdouble) (w->bytes - before) / ra_seconds (span);
  r.lost = (gdouble) (w->lost - lost) / (gdouble) (w->packets - packets);
  g_assert_cmpint (world_stats (w).trip, ==, RA_BREAKER_NONE);
  world_free (w);
  return r;
}

/* The runs without any fault, once. */
static const Run *
honest (guint i, const WorldConfig *cfg)
{
  static Run runs[RUNS_MAX];
  WorldConfig plain;

  g_assert_cmpuint (i, <, RUNS_MAX);
  if (runs[i].sent <= 0) {
    config_init (&plain);
    plain.controller = cfg->controller;
    plain.wire = cfg->wire;
    runs[i] = run (&plain, SPAN, 0, 0);
  }
  return &runs[i];
}

/* --- steps --------------------------------------------------------------- */

/* The receiver's clock may be anything, CLOCK_REALTIME set by hand or by NTP;
 * the sender's is a GstClock, which never goes back, but a machine that slept
 * finds it an hour later. */
static const struct
{
  const gchar *name;
  RaSpan here, there;
} step_rows[] = {
  { "receiver's clock 1 s forth", 0, RA_SECOND },
  { "receiver's clock 1 s back", 0, -RA_SECOND },
  { "receiver's clock 1 h forth", 0, HOUR },
  { "receiver's clock 1 h back", 0, -HOUR },
  { "sender's clock 1 s forth", RA_SECOND, 0 },
  { "sender's clock 1 s back", -RA_SECOND, 0 },
  { "sender's clock 1 h forth", HOUR, 0 },
  { "sender's clock 1 h back", -HOUR, 0 },
};

static void
test_step (gconstpointer data)
{
  guint row = GPOINTER_TO_UINT (data);
  FaultsRange sent = { 0 }, goodput = { 0 };
  WorldConfig cfg;

  config_init (&cfg);
  cfg.begin = 2 * HOUR;
  for (guint i = 0; faults_each (i, &cfg); i++) {
    const Run *plain = honest (i, &cfg);
    Run r = run (&cfg, SPAN, step_rows[row].here, step_rows[row].there);

    faults_range_add (&sent, r.sent / plain->sent, &cfg);
    faults_range_add (&goodput, r.goodput / plain->goodput, &cfg);
  }
  trust_row ("fault", step_rows[row].name,
      "is not stopped; in the 20 s from then on at most 1.1 x is sent and "
      "at least .7 x arrives, with ZBS and 1 % lost to the radio",
      sent.most <= MORE && goodput.least >= .7, "%.2f x (%s), %.2f x (%s)",
      sent.most, sent.most_of, goodput.least, goodput.least_of);
  faults_range_clear (&sent);
  faults_range_clear (&goodput);
}

/* What NTP does, and any LDA: a step that is larger than the queue, 100 ms, and
 * might hide it. */
static const struct
{
  const gchar *name;
  RaSpan there;
} lda_rows[] = {
  { "receiver's clock .15 s back, all LDAs", -150 * RA_MSECOND },
  { "receiver's clock .3 s back, all LDAs", -300 * RA_MSECOND },
  { "receiver's clock .3 s forth, all LDAs", 300 * RA_MSECOND },
};

static void
test_step_ldas (gconstpointer data)
{
  guint row = GPOINTER_TO_UINT (data);
  FaultsRange sent = { 0 };
  WorldConfig cfg;

  config_init (&cfg);
  for (guint i = 0; ra_ldas[i / 2]; i++) {
    Run plain, r;

    cfg.controller = "tfrc";
    cfg.lda = ra_ldas[i / 2]->name;
    faults_set_rows (&cfg, i % 2 == 1);
    plain = run (&cfg, SPAN, 0, 0);
    r = run (&cfg, SPAN, 0, lda_rows[row].there);
    cfg.controller = cfg.lda; /* to be told by */
    faults_range_add (&sent, r.sent / plain.sent, &cfg);
  }
  trust_row ("fault", lda_rows[row].name,
      "with no LDA is more than 1.1 x sent in the 20 s from then on",
      sent.most <= MORE, "%.2f x (%s)", sent.most, sent.most_of);
  faults_range_clear (&sent);
}

/* --- drift --------------------------------------------------------------- */

static void
test_drift (gconstpointer data)
{
  gint ppm = GPOINTER_TO_INT (data);
  g_autofree gchar *name = g_strdup_printf ("drift of %+d ppm", ppm);
  FaultsRange sent = { 0 }, goodput = { 0 };
  WorldConfig cfg;

  config_init (&cfg);
  cfg.ppm = ppm;
  for (guint i = 0; faults_each (i, &cfg); i++) {
    WorldConfig plain = cfg;
    Run with = run (&cfg, 60 * RA_SECOND, 0, 0), without;

    plain.ppm = 0;
    without = run (&plain, 60 * RA_SECOND, 0, 0);
    faults_range_add (&sent, with.sent / without.sent, &cfg);
    faults_range_add (&goodput, with.goodput / without.goodput, &cfg);
  }
  trust_row ("fault", name,
      "at most 1.1 x is sent, at least .9 x arrives, in a minute with ZBS",
      sent.most <= MORE && goodput.least >= .9, "%.2f x (%s), %.2f x (%s)",
      sent.most, sent.most_of, goodput.least, goodput.least_of);
  faults_range_clear (&sent);
  faults_range_clear (&goodput);
}

/* The empty queue is remembered for 120 s, and up to 200 ppm of drift are taken off
 * (util/tripbase.h): of 500 ppm, 300 are left, which are 36 ms.  Without drift a source of 300 kbit/s has no packet but its own in the queue: 1,200
 * bytes take 9.6 ms there, and what the pacer's burst of 5 ms lets go at once
 * is one more at most. */
static void
test_queue (gconstpointer data)
{
  gint ppm = GPOINTER_TO_INT (data);
  g_autofree gchar *name = g_strdup_printf ("queue seen at %+d ppm", ppm);
  RaSpan most = 0;
  WorldConfig cfg;

  faults_config_init (&cfg);
  cfg.controller = "fixed";
  cfg.rate.max = 300000;
  cfg.ppm = ppm;
  for (guint rows = 0; rows < 2; rows++) {
    RaSenderStats stats;
    World *w;

    faults_set_rows (&cfg, rows == 1);
    w = world_new (&cfg, 1);
    for (guint i = 0; i < 360; i++) {
      world_run (w, RA_SECOND / 2);
      ra_sender_get_stats (world_sender (w), &stats);
      if (stats.queue != RA_SPAN_NONE)
        most = MAX (most, stats.queue);
    }
    world_free (w);
  }
  trust_row ("fault", name,
      "an empty path looks at most 36 + 2 x 9.6 ms long, however long it runs "
      "(3 min)",
      most <= 55200 * RA_USECOND, "%.1f ms", 1e3 * ra_seconds (most));
}

/* --- an encoder that ignores its bitrate --------------------------------- */

static const struct
{
  const gchar *name;
  gdouble excess;
} excess_rows[] = {
  { "encoder keeps 1.5 x its bitrate", 1.5 },
  { "encoder keeps 2 x its bitrate", 2 },
  { "encoder keeps 3 x its bitrate", 3 },
};

/* On the path nobody notices: the pacer goes by the rate.  What is too much
 * waits and is dropped before it (element-backlog.c). */
static void
test_excess (gconstpointer data)
{
  guint row = GPOINTER_TO_UINT (data);
  FaultsRange sent = { 0 }, goodput = { 0 }, lost = { 0 };
  WorldConfig cfg;

  config_init (&cfg);
  cfg.excess = excess_rows[row].excess;
  for (guint i = 0; faults_each (i, &cfg); i++) {
    const Run *plain = honest (i, &cfg);
    Run r = run (&cfg, SPAN, 0, 0);

    faults_range_add (&sent, r.sent / plain->sent, &cfg);
    faults_range_add (&goodput, r.goodput / plain->goodput, &cfg);
    faults_range_add (&lost, r.lost - plain->lost, &cfg);
  }
  trust_row ("fault", excess_rows[row].name,
      "at most 1.25 x is sent of what an encoder that obeys fills, at least "
      ".9 x arrives, and at most 3 % more are lost",
      sent.most <= 1.25 && goodput.least >= .9 && lost.most <= .03,
      "%.2f x (%s), %.2f x (%s), %.1f %% (%s)", sent.most, sent.most_of,
      goodput.least, goodput.least_of, 100 * lost.most, lost.most_of);
  faults_range_clear (&sent);
  faults_range_clear (&goodput);
  faults_range_clear (&lost);
}

static void
add (const gchar *group, const gchar *name, gconstpointer data, GTestDataFunc f)
{
  g_autofree gchar *path = g_strdup_printf ("/faults/%s/%s", group, name);

  faults_path_canon (path);
  g_test_add_data_func (path, data, f);
}

void
tests_add (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (step_rows); i++)
    add ("step", step_rows[i].name, GUINT_TO_POINTER (i), test_step);
  for (guint i = 0; i < G_N_ELEMENTS (lda_rows); i++)
    add ("step", lda_rows[i].name, GUINT_TO_POINTER (i), test_step_ldas);
  add ("drift", "slow", GINT_TO_POINTER (-500), test_drift);
  add ("drift", "fast", GINT_TO_POINTER (500), test_drift);
  add ("queue", "slow", GINT_TO_POINTER (-500), test_queue);
  add ("queue", "fast", GINT_TO_POINTER (500), test_queue);
  for (guint i = 0; i < G_N_ELEMENTS (excess_rows); i++)
    add ("excess", excess_rows[i].name, GUINT_TO_POINTER (i), test_excess);
}
