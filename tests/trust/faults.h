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
  *cfg = (WorldConfig){ .wire = SIM_WIRE_TFRC,
    .controller = "tfrc",
    .path = "bottleneck rate=1M queue=100ms ! delay 25ms",
    .begin = 10 * 3600 * RA_SECOND,
    .first = 65536,
    .rate = { .min = 50000, .start = 300000, .max = 4000000, .mss = 1200 },
    /* rtpadaptsend's defaults */
    .cap = 9,
    .breakers = TRUE,
    .burst = 5 * RA_MSECOND,
    .fps = 25 };
}

static inline void
faults_set_rows (WorldConfig *cfg, gboolean rows)
{
  cfg->wire = rows ? SIM_WIRE_TWCC : SIM_WIRE_TFRC;
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

/* A name of the table becomes that of a test. */
static inline void
faults_path_canon (gchar *path)
{
  g_strcanon (path, G_CSET_a_2_z G_CSET_A_2_Z G_CSET_DIGITS "/", '-');
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
  g_autofree gchar *of = g_strdup_printf (
      "%s/%s", cfg->controller, cfg->wire == SIM_WIRE_TWCC ? "twcc" : "tfrc");

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
