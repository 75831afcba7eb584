/* The page, and a WebSocket that keeps it up to date.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A viewer gets one message with all there is, and the next, with what is new,
 * when it has answered: one that is slow waits for itself, not in our memory.
 */
#pragma once

#include "store.h"

#include <gio/gio.h>

typedef struct _Server Server;

/* `port` 0: any that is free.  `names` are what a browser may call us, apart
 * from localhost and addresses: a NULL-terminated list, or NULL. */
Server *server_new (const Store *store, const gchar *address, guint16 port,
    const gchar *const *names, GError **error);
void server_free (Server *server);

gchar *server_uri (Server *server);
/* The time of a recording, instead of now. */
void server_set_time (Server *server, gint64 time_us);

/* Informs the viewers that are ready. */
void server_tick (Server *server, gint64 now_us);

/* Informs all viewers that the program ended with `status`; FALSE if nobody
 * watches.  They are gone after a moment in the main loop. */
gboolean server_end (Server *server, gint status);
