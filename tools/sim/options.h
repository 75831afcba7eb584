/* The settings of rtpadapt-sim, each by its name: for the command line and for
 * sweeps.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "sim.h"

G_BEGIN_DECLS

typedef struct
{
  /* Numbers; see the table for units. */
  gdouble flows, seconds, warmup, seed, feedback_delay, feedback_loss, fps;
  gdouble packet_size, overhead, min, start, max, stagger, per_packet;
  gdouble friendliness_cap, breakers, mpeg, excess;
  /* Texts; (transfer none): they live as long as the program. */
  const gchar *controller, *controller_params, *lda, *lda_params;
  const gchar *fec, *fec_params, *colour, *colour_params, *link, *wire;
  const gchar *mix; /* FLOW;FLOW... */
} SimOptions;

void sim_options_init (SimOptions *o);
/* FALSE and `error` if nobody knows the setting, or the value is bad.  Keeps a
 * pointer to `value`. */
gboolean sim_options_set (
    SimOptions *o, const gchar *name, const gchar *value, GError **error);
gboolean sim_options_has (const gchar *name);
/* In the link's text and in parameters, {name} becomes value.  FALSE if it
 * occurs nowhere. */
gboolean sim_options_replace (
    SimOptions *o, const gchar *name, const gchar *value);

/* One --NAME per setting, for g_option_context_parse (); they are set in the
 * options given as user data of the group.  (transfer full): g_free(). */
GOptionEntry *sim_options_entries (void);

/* A configuration and what it points to. */
typedef struct
{
  RaSimConfig cfg;
  RaSimFlow *mix;
  GPtrArray *texts;
} SimSetup;
gboolean sim_setup_init (SimSetup *setup, const SimOptions *o, GError **error);
void sim_setup_clear (SimSetup *setup);

G_END_DECLS
