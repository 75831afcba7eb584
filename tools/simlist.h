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

G_END_DECLS
