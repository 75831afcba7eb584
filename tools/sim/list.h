/* All algorithms, from the registry: for --list and docs/algorithms.md.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* (transfer full) */
gchar *sim_list_text (void);
/* (transfer full) */
gchar *sim_list_markdown (void);
/* For programs: an object that has a list for each kind.  An algorithm has its
 * "name" and "cite", whether it is the "default" one, and as an LDA "reference",
 * which is null or says what it does with a loss.  (transfer full) */
gchar *sim_list_json (void);

G_END_DECLS
