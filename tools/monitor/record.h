/* A file with the statistics of a stream, to be looked at later.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Its first line is a JSON object: "rtpadapt-monitor" is the version of the
 * format, 1; "command" the program or null; "start_us" the CLOCK_MONOTONIC of
 * the recording's begin in microseconds, "date" the same in words.  Each line
 * after it is one of monitorsocket.h.
 */
#pragma once

#include "store.h"

#include <gio/gio.h>

typedef struct _Record Record;

/* Makes `path`, for this user only, and writes what `store` takes to it; NULL
 * and an error if that cannot be or the file is there already. */
Record *record_new (const gchar *path, Store *store, GError **error);
/* Frees it; FALSE and an error if not all that was taken is in the file. */
gboolean record_close (Record *record, GError **error);
/* Frees it and removes the file. */
void record_discard (Record *record);

/* A store with all of the file, or NULL and an error.  `end_us` is the time of
 * its last line.  A line that cannot be read is counted in the store. */
Store *record_open (const gchar *path, gint64 *end_us, GError **error);
