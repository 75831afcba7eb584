/* The subcommands of rtpadapt-measure.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* As main(), of what follows the subcommand's name.  FALSE and one sentence. */
gboolean measure_send (int argc, char **argv, GError **error);
gboolean measure_receive (int argc, char **argv, GError **error);
gboolean measure_score (int argc, char **argv, GError **error);
gboolean measure_systems (int argc, char **argv, GError **error);

G_END_DECLS
