/* What the subcommands' options have in common.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

/* Parses with GStreamer's own options; `summary` is shown by --help. */
gboolean measure_options (const GOptionEntry *entries, const gchar *name,
    const gchar *summary, int *argc, char ***argv, GError **error);
/* "HOST:PORT" or "[ADDRESS]:PORT".  (out): g_free(). */
gboolean measure_address (
    const gchar *text, gchar **host, guint *port, GError **error);

G_END_DECLS
