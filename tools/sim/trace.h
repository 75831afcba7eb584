/* What flows and link were doing, over time: a CSV that explains itself.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "sim.h"

G_BEGIN_DECLS

typedef struct _SimTrace SimTrace;

/* (transfer full): sim_trace_free(). */
SimTrace *sim_trace_new (void);
void sim_trace_free (SimTrace *t);
/* For RaSimConfig.trace, with the SimTrace as data. */
void sim_trace_row (const RaSimView *view, RaTime now, gpointer data);
/* "#" lines, the names of the columns, the rows.  `command` is what was
 * typed.  FALSE and `error` if it cannot be written. */
gboolean sim_trace_write (const SimTrace *t, const gchar *path,
    const gchar *command, const RaSimConfig *cfg, GError **error);

G_END_DECLS
