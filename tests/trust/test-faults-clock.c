/* Clocks that are stepped or drift, and an encoder that does as it likes.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * 1 Mbit/s, R of 50 to 150 ms, 1 % lost to the radio, which only ZBS, who goes
 * by delays, can tell from what the queue drops.
 */
#include "faults.h"
#include "trust.h"

#define PATH "bottleneck rate=1M queue=100ms ! delay 25ms ! bernoulli 1%"
#define SPAN (20 * RA_SECOND)
#define HOUR (3600 * RA_SECOND)

static void
config_init (WorldConfig *cfg)
{
  faults_config_init (cfg);
  cfg->path = PATH;
  cfg->lda = "zbs";
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
  g_auto (FaultsRange) sent = { 0 }, goodput = { 0 };
  WorldConfig cfg;

  config_init (&cfg);
  cfg.begin = 2 * HOUR;
  for (guint i = 0; faults_each (i, &cfg); i++) {
    const FaultsRun *honest = faults_honest (i, &cfg, config_init, SPAN);
    FaultsRun r
        = faults_run (&cfg, SPAN, step_rows[row].here, step_rows[row].there);

    faults_range_add (&sent, r.sent / honest->sent, &cfg);
    faults_range_add (&goodput, r.goodput / honest->goodput, &cfg);
  }
  trust_row ("fault", step_rows[row].name,
      "is not stopped; in the 20 s from then on at most 1.1 x is sent and "
      "at least .7 x arrives, with ZBS and 1 % lost to the radio",
      sent.most <= FAULTS_MORE && goodput.least >= .7,
      "%.2f x (%s), %.2f x (%s)", sent.most, sent.most_of, goodput.least,
      goodput.least_of);
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
  static FaultsRun plain[FAULTS_RUNS_MAX];
  guint row = GPOINTER_TO_UINT (data);
  g_auto (FaultsRange) sent = { 0 };
  WorldConfig cfg;

  config_init (&cfg);
  for (guint i = 0; ra_ldas[i / 2]; i++) {
    FaultsRun r;

    cfg.controller = "tfrc";
    cfg.lda = ra_ldas[i / 2]->name;
    faults_set_rows (&cfg, i % 2 == 1);
    r = faults_run (&cfg, SPAN, 0, lda_rows[row].there);
    r.sent /= faults_once (plain, i, &cfg, SPAN)->sent;
    cfg.controller = cfg.lda; /* what the range names */
    faults_range_add (&sent, r.sent, &cfg);
  }
  trust_row ("fault", lda_rows[row].name,
      "with no LDA is more than 1.1 x sent in the 20 s from then on",
      sent.most <= FAULTS_MORE, "%.2f x (%s)", sent.most, sent.most_of);
}

/* --- drift --------------------------------------------------------------- */

static void
test_drift (gconstpointer data)
{
  static FaultsRun without[FAULTS_RUNS_MAX];
  gint ppm = GPOINTER_TO_INT (data);
  g_autofree gchar *name = g_strdup_printf ("drift of %+d ppm", ppm);
  g_auto (FaultsRange) sent = { 0 }, goodput = { 0 };
  WorldConfig cfg;

  config_init (&cfg);
  cfg.ppm = ppm;
  for (guint i = 0; faults_each (i, &cfg); i++) {
    WorldConfig plain = cfg;
    FaultsRun with = faults_run (&cfg, 60 * RA_SECOND, 0, 0);
    const FaultsRun *honest;

    plain.ppm = 0;
    honest = faults_once (without, i, &plain, 60 * RA_SECOND);
    faults_range_add (&sent, with.sent / honest->sent, &cfg);
    faults_range_add (&goodput, with.goodput / honest->goodput, &cfg);
  }
  trust_row ("fault", name,
      "at most 1.1 x is sent, at least .9 x arrives, in a minute with ZBS",
      sent.most <= FAULTS_MORE && goodput.least >= .9,
      "%.2f x (%s), %.2f x (%s)", sent.most, sent.most_of, goodput.least,
      goodput.least_of);
}

/* The empty queue is remembered for 120 s, and up to 200 ppm of drift are taken off
 * (util/tripbase.h): of 500 ppm, 300 are left, which are 36 ms.  Without drift a
 * source of 300 kbit/s has no packet but its own in the queue: 1,200 bytes take 9.6 ms
 * there, and what the pacer's burst of 1 ms lets go at once is one more at most. */
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
    g_autoptr (World) w = NULL;

    faults_set_rows (&cfg, rows == 1);
    w = world_new (&cfg, 1);
    for (guint i = 0; i < 360; i++) {
      world_run (w, RA_SECOND / 2);
      ra_sender_get_stats (world_sender (w), &stats);
      if (stats.queue != RA_SPAN_NONE)
        most = MAX (most, stats.queue);
    }
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
  g_auto (FaultsRange) sent = { 0 }, goodput = { 0 }, lost = { 0 };
  WorldConfig cfg;

  config_init (&cfg);
  cfg.excess = excess_rows[row].excess;
  for (guint i = 0; faults_each (i, &cfg); i++) {
    const FaultsRun *honest = faults_honest (i, &cfg, config_init, SPAN);
    FaultsRun r = faults_run (&cfg, SPAN, 0, 0);

    faults_range_add (&sent, r.sent / honest->sent, &cfg);
    faults_range_add (&goodput, r.goodput / honest->goodput, &cfg);
    faults_range_add (&lost, r.lost - honest->lost, &cfg);
  }
  trust_row ("fault", excess_rows[row].name,
      "at most 1.25 x is sent of what an encoder that obeys fills, at least "
      ".9 x arrives, and at most 3 % more are lost",
      sent.most <= 1.25 && goodput.least >= .9 && lost.most <= .03,
      "%.2f x (%s), %.2f x (%s), %.1f %% (%s)", sent.most, sent.most_of,
      goodput.least, goodput.least_of, 100 * lost.most, lost.most_of);
}

void
tests_add (void)
{
  faults_add_rows ("step", step_rows, test_step);
  faults_add_rows ("step", lda_rows, test_step_ldas);
  faults_add ("drift", "slow", GINT_TO_POINTER (-500), test_drift);
  faults_add ("drift", "fast", GINT_TO_POINTER (500), test_drift);
  faults_add ("queue", "slow", GINT_TO_POINTER (-500), test_queue);
  faults_add ("queue", "fast", GINT_TO_POINTER (500), test_queue);
  faults_add_rows ("excess", excess_rows, test_excess);
}
