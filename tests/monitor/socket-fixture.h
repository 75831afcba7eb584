/* A monitor's socket, read line by line.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gio/gio.h>
#include <gio/gunixsocketaddress.h>
#include <glib/gstdio.h>
#include <json-glib/json-glib.h>

typedef struct
{
  gchar *folder, *path;
  GSocketListener *listener; /* NULL: nobody listens */
  GDataInputStream *lines;
  GSocketConnection *connection;
} TestSocket;

static inline void
test_socket_init (TestSocket *s)
{
  *s = (TestSocket){ .folder = g_dir_make_tmp ("monitor-XXXXXX", NULL) };
  s->path = g_build_filename (s->folder, "socket", NULL);
}

static inline void
test_socket_listen (TestSocket *s)
{
  g_autoptr (GSocketAddress) address = g_unix_socket_address_new (s->path);
  g_autoptr (GError) error = NULL;

  s->listener = g_socket_listener_new ();
  g_socket_listener_add_address (s->listener, address, G_SOCKET_TYPE_STREAM,
      G_SOCKET_PROTOCOL_DEFAULT, NULL, NULL, &error);
  g_assert_no_error (error);
}

/* Waits for the next line; NULL at the end. */
static inline JsonNode *
test_socket_read (TestSocket *s)
{
  g_autoptr (GError) error = NULL;
  g_autofree gchar *line = NULL;
  JsonNode *node;

  if (!s->connection) {
    s->connection = g_socket_listener_accept (s->listener, NULL, NULL, &error);
    g_assert_no_error (error);
    s->lines = g_data_input_stream_new (
        g_io_stream_get_input_stream (G_IO_STREAM (s->connection)));
  }
  line = g_data_input_stream_read_line (s->lines, NULL, NULL, &error);
  g_assert_no_error (error);
  if (!line)
    return NULL;
  node = json_from_string (line, &error);
  g_assert_no_error (error);
  return node;
}

static inline void
test_socket_clear (TestSocket *s)
{
  g_clear_object (&s->lines);
  g_clear_object (&s->connection);
  g_clear_object (&s->listener);
  g_unlink (s->path);
  g_rmdir (s->folder);
  g_free (s->path);
  g_free (s->folder);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (TestSocket, test_socket_clear)
