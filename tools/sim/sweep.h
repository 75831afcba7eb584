/* Many simulations: every combination of some settings' values.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "options.h"

G_BEGIN_DECLS

typedef struct _SimSweep SimSweep;

SimSweep *sim_sweep_new (void);
void sim_sweep_free (SimSweep *s);
/* "NAME=VALUE,VALUE,...", once per NAME: a setting, or what stands as {NAME} in the link or in
 * parameters; "1..5" is five values; values that hold commas are separated by
 * "|".  FALSE and `error` if it cannot be read. */
gboolean sim_sweep_add (SimSweep *s, const gchar *text, GError **error);
guint sim_sweep_axes (const SimSweep *s);

/* Runs all on all cores and prints a line of JSON for each, in order; progress
 * goes to stderr if that is a terminal.  FALSE and `error` at the first that
 * cannot be run. */
gboolean sim_sweep_run (const SimSweep *s, const SimOptions *base,
    const gchar *command, GError **error);

/* The line of one run; sim_result_describe() explains its keys, a line each.  `sweep` is an object or NULL.  (transfer full) */
gchar *sim_result_to_json (const RaSimConfig *cfg, const RaRun *runs,
    const gchar *command, const gchar *sweep);
gchar *sim_result_describe (void);

G_END_DECLS
