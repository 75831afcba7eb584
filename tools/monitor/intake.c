/* The Unix socket that tracers send their lines to.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "intake.h"

#include "../../plugins/monitor/monitorsocket.h"

#include <gio/gunixsocketaddress.h>
#include <glib/gstdio.h>
#include <sys/stat.h>

/* Programs at the same time; more are sent away. */
#define CONNECTIONS_MAX 32
#define CHUNK 16384

struct _Intake
{
  Store *store;
  GSocketService *service;
  GCancellable *cancel;
  gchar *path;
  guint last_id, n_connections;
};

/* It outlives the intake until its read is cancelled. */
typedef struct
{
  Intake *intake;
  GSocketConnection *socket;
  GCancellable *cancel;
  GByteArray *line;   /* what has come of it */
  gboolean oversized; /* skip to its end */
  guint id;
  guint8 chunk[CHUNK];
} Connection;

static void
connection_free (Connection *c)
{
  g_object_unref (c->socket);
  g_object_unref (c->cancel);
  g_byte_array_unref (c->line);
  g_free (c);
}

/* One byte more than the longest line is enough to know. */
static void
line_end (Connection *c)
{
  Store *store = c->intake->store;

  if (c->oversized)
    store->bad_lines++;
  else
    store_take_line (store, (const gchar *) c->line->data, c->line->len, c->id,
        g_get_monotonic_time ());
  c->oversized = FALSE;
  g_byte_array_set_size (c->line, 0);
}

static void
take_bytes (Connection *c, const guint8 *bytes, gsize len)
{
  while (len > 0) {
    const guint8 *end = memchr (bytes, '\n', len);
    gsize n = end ? (gsize) (end - bytes) : len;

    if (c->line->len + n > MONITOR_LINE_MAX)
      c->oversized = TRUE;
    if (!c->oversized)
      g_byte_array_append (c->line, bytes, (guint) n);
    if (end)
      line_end (c);
    n += end != NULL;
    bytes += n;
    len -= n;
  }
}

static void connection_read (Connection *c);

static void
on_read (GObject *stream, GAsyncResult *result, gpointer data)
{
  Connection *c = data;
  gssize n = g_input_stream_read_finish (G_INPUT_STREAM (stream), result, NULL);

  if (g_cancellable_is_cancelled (c->cancel)) {
    connection_free (c);
  } else if (n > 0) {
    take_bytes (c, c->chunk, (gsize) n);
    connection_read (c);
  } else {
    store_gone (c->intake->store, c->id);
    c->intake->n_connections--;
    connection_free (c);
  }
}

static void
connection_read (Connection *c)
{
  g_input_stream_read_async (
      g_io_stream_get_input_stream (G_IO_STREAM (c->socket)), c->chunk, CHUNK,
      G_PRIORITY_DEFAULT, c->cancel, on_read, c);
}

static gboolean
on_incoming (GSocketService *service, GSocketConnection *socket,
    GObject *source, gpointer data)
{
  Intake *intake = data;
  Connection *c;

  if (intake->n_connections >= CONNECTIONS_MAX)
    return TRUE;
  intake->n_connections++;
  c = g_new0 (Connection, 1);
  c->intake = intake;
  c->socket = g_object_ref (socket);
  c->cancel = g_object_ref (intake->cancel);
  c->line = g_byte_array_new ();
  c->id = ++intake->last_id;
  connection_read (c);
  return TRUE;
}

/* A socket that nobody listens at was left by one that was killed. */
static gboolean
make_room (const gchar *path, GSocketAddress *address, GError **error)
{
  g_autoptr (GSocket) probe = NULL;
  struct stat info;

  if (lstat (path, &info) != 0)
    return TRUE;
  if (!S_ISSOCK (info.st_mode)) {
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_EXISTS,
        "%s is there and no socket", path);
    return FALSE;
  }
  probe = g_socket_new (G_SOCKET_FAMILY_UNIX, G_SOCKET_TYPE_STREAM,
      G_SOCKET_PROTOCOL_DEFAULT, error);
  if (!probe)
    return FALSE;
  if (g_socket_connect (probe, address, NULL, NULL)) {
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_ADDRESS_IN_USE,
        "another monitor listens at %s", path);
    return FALSE;
  }
  g_unlink (path);
  return TRUE;
}

static gboolean
intake_listen (Intake *self, GError **error)
{
  g_autoptr (GSocketAddress) address = g_unix_socket_address_new (self->path);
  mode_t mask;
  gboolean good;

  if (!make_room (self->path, address, error))
    return FALSE;
  mask = umask (0177);
  good = g_socket_listener_add_address (G_SOCKET_LISTENER (self->service),
      address, G_SOCKET_TYPE_STREAM, G_SOCKET_PROTOCOL_DEFAULT, NULL, NULL,
      error);
  umask (mask);
  if (!good)
    g_prefix_error (error, "no socket at %s: ", self->path);
  return good;
}

Intake *
intake_new (const gchar *path, Store *store, GError **error)
{
  Intake *self = g_new0 (Intake, 1);

  self->store = store;
  self->path = g_strdup (path);
  self->cancel = g_cancellable_new ();
  self->service = g_socket_service_new ();
  if (!intake_listen (self, error)) {
    g_clear_pointer (&self->path, g_free);
    intake_free (self);
    return NULL;
  }
  g_signal_connect (self->service, "incoming", G_CALLBACK (on_incoming), self);
  return self;
}

/* What is being read ends in the main loop, without us. */
void
intake_free (Intake *self)
{
  g_signal_handlers_disconnect_by_data (self->service, self);
  g_cancellable_cancel (self->cancel);
  g_socket_service_stop (self->service);
  g_socket_listener_close (G_SOCKET_LISTENER (self->service));
  if (self->path)
    g_unlink (self->path);
  while (g_main_context_iteration (NULL, FALSE))
    ;
  g_object_unref (self->service);
  g_object_unref (self->cancel);
  g_free (self->path);
  g_free (self);
}
