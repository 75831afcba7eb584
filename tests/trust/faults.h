/* A sender as rtpadaptsend makes it, an encoder of 25 frames/s that is told its
 * share, and what may go wrong with the path and either end (tests/world.h): for
 * every controller, with reports and with per-packet feedback.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "../world.h"

static inline void
faults_config_init (WorldConfig *cfg)
{
  *cfg = (WorldConfig){ .wire = &ra_feedback_tfrc,
    .controller = "tfrc",
    .path = "bottleneck rate=1M queue=100ms ! delay 25ms",
    .begin = 10 * 3600 * RA_SECOND,
    .first = 65536,
    .rate = { .min = 50000, .start = 300000, .max = 4000000, .mss = 1200 },
    /* rtpadaptsend's defaults */
    .cap = 9,
    .breakers = TRUE,
    .burst = RA_MSECOND,
    .fps = 25 };
}

static inline void
faults_set_rows (WorldConfig *cfg, gboolean rows)
{
  cfg->wire = rows ? &ra_feedback_twcc : &ra_feedback_tfrc;
}

/* The next of all controllers with either feedback; FALSE after the last.
 * Counts from 0. */
static inline gboolean
faults_each (guint i, WorldConfig *cfg)
{
  if (!ra_rates[i / 2])
    return FALSE;
  cfg->controller = ra_rates[i / 2]->name;
  faults_set_rows (cfg, i % 2 == 1);
  return TRUE;
}

/* --- the worst of all ---------------------------------------------------- */

typedef struct
{
  gdouble least, most;
  gchar *least_of, *most_of;
} FaultsRange;

static inline void
faults_range_add (FaultsRange *r, gdouble x, const WorldConfig *cfg)
{
  g_autofree gchar *of
      = g_strdup_printf ("%s/%s", cfg->controller, cfg->wire->name);

  g_test_message ("%s: %.3f", of, x);
  if (!r->least_of || x < r->least) {
    r->least = x;
    g_free (r->least_of);
    r->least_of = g_strdup (of);
  }
  if (!r->most_of || x > r->most) {
    r->most = x;
    g_free (r->most_of);
    r->most_of = g_strdup (of);
  }
}

static inline void
faults_range_clear (FaultsRange *r)
{
  g_clear_pointer (&r->least_of, g_free);
  g_clear_pointer (&r->most_of, g_free);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (FaultsRange, faults_range_clear)

/* --- runs ---------------------------------------------------------------- */

#define FAULTS_WARM (10 * RA_SECOND) /* each controller has found its rate */
#define FAULTS_RUNS_MAX 64
#define FAULTS_MORE \
  1.1 /* than without the fault: none is sent by any of them */

typedef struct
{
  gdouble sent, goodput; /* bit/s */
  gdouble lost;          /* share */
} FaultsRun;

/* `span` after FAULTS_WARM, when the clocks step by `here` and `there`. */
static inline FaultsRun
faults_run (const WorldConfig *cfg, RaSpan span, gint64 here, gint64 there)
{
  g_autoptr (World) w = world_new (cfg, 1);
  guint64 before, packets, lost;
  FaultsRun r = { 0 };

  world_run (w, FAULTS_WARM);
  before = w->bytes;
  packets = w->packets;
  lost = w->lost;
  sim_flow_clocks (w->flow)->here += here;
  sim_flow_clocks (w->flow)->there += there;
  r.goodput = world_goodput (w, span);
  r.sent = 8. * (gdouble) (w->bytes - before) / ra_seconds (span);
  r.lost = (gdouble) (w->lost - lost) / (gdouble) (w->packets - packets);
  g_assert_cmpint (world_stats (w).trip, ==, RA_BREAKER_NONE);
  return r;
}

/* The i-th run without any fault, made once for all the tests that compare with it. */
static inline const FaultsRun *
faults_once (FaultsRun runs[FAULTS_RUNS_MAX], guint i, const WorldConfig *cfg,
    RaSpan span)
{
  g_assert_cmpuint (i, <, FAULTS_RUNS_MAX);
  if (runs[i].sent <= 0)
    runs[i] = faults_run (cfg, span, 0, 0);
  return &runs[i];
}

/* That of faults_each (i). */
static inline const FaultsRun *
faults_honest (
    guint i, const WorldConfig *cfg, void (*init) (WorldConfig *), RaSpan span)
{
  static FaultsRun runs[FAULTS_RUNS_MAX];
  WorldConfig plain;

  init (&plain);
  plain.controller = cfg->controller;
  plain.wire = cfg->wire;
  return faults_once (runs, i, &plain, span);
}

/* --- tests --------------------------------------------------------------- */

/* The name of a row becomes that of a test. */
static inline void
faults_add (
    const gchar *group, const gchar *name, gconstpointer data, GTestDataFunc f)
{
  g_autofree gchar *path = g_strdup_printf ("/faults/%s/%s", group, name);

  g_strcanon (path, G_CSET_a_2_z G_CSET_A_2_Z G_CSET_DIGITS "/", '-');
  g_test_add_data_func (path, data, f);
}

#define faults_add_rows(group, rows, f)              \
  for (guint i_ = 0; i_ < G_N_ELEMENTS (rows); i_++) \
  faults_add (group, (rows)[i_].name, GUINT_TO_POINTER (i_), f)
