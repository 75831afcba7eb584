/* What happened, a JSON object a line, from any thread; and the clocks.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

typedef struct _Log Log;

/* A new file.  (transfer full): log_close(). */
Log *log_open (const gchar *path, GError **error);
/* FALSE if not everything could be written. */
gboolean log_close (Log *log, GError **error);
/* Whole numbers only: their form is the same in every locale. */
void log_line (Log *log, const gchar *format, ...) G_GNUC_PRINTF (2, 3);
/* Does not wait for it, either. */
void log_flush (Log *log);

/* CLOCK_MONOTONIC, CLOCK_REALTIME and the process's own time, ns. */
gint64 log_monotonic (void);
gint64 log_realtime (void);
gint64 log_cpu (void);

G_END_DECLS
