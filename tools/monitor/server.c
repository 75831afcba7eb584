/* The page, and a WebSocket that keeps it up to date.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "server.h"

#include "resource.h"

#include <libsoup/soup.h>

/* At the same time; more are sent away. */
#define VIEWERS_MAX 16
/* A viewer says no more than "ok". */
#define SAID_MAX 64
/* Or one that fell asleep would never be missed. */
#define PING_S 20

struct _Server
{
  const Store *store;
  SoupServer *soup;
  GSocketService *service; /* libsoup 3.2's own listener leaks */
  GSocketAddress *where;
  GPtrArray *viewers;
  GStrv names;
  gint64 time_us; /* of a recording, or 0 */
};

typedef struct
{
  Server *server;
  SoupWebsocketConnection *socket;
  guint64 cursor;
  gboolean ready;
} Viewer;

static const struct
{
  const gchar *path, *resource, *type;
} files[] = {
  { "/", "/monitor/page.html", "text/html; charset=utf-8" },
  { "/page.css", "/monitor/page.css", "text/css; charset=utf-8" },
  { "/page.js", "/monitor/page.js", "text/javascript; charset=utf-8" },
};

/* --- who may ask --------------------------------------------------------- */

/* DNS rebinding: a foreign page makes its own name mean our address, and its
 * browser then takes us for that page's server.  It cannot do so with an
 * address, nor with localhost (RFC 6761 6.3). */
static gboolean
host_is_ours (Server *self, const gchar *host)
{
  g_autoptr (GSocketConnectable) parsed
      = host ? g_network_address_parse (host, 80, NULL) : NULL;
  const gchar *name;

  if (!parsed)
    return FALSE;
  name = g_network_address_get_hostname (G_NETWORK_ADDRESS (parsed));
  if (g_hostname_is_ip_address (name)
      || g_ascii_strcasecmp (name, "localhost") == 0)
    return TRUE;
  for (guint i = 0; self->names && self->names[i]; i++) {
    if (g_ascii_strcasecmp (name, self->names[i]) == 0)
      return TRUE;
  }
  return FALSE;
}

/* A WebSocket of any page may come here, but says whose it is (RFC 6455 10.2);
 * other programs say nothing. */
static gboolean
origin_is_ours (const gchar *origin, const gchar *host)
{
  g_autofree gchar *ours = g_strconcat ("http://", host, NULL);

  return !origin || g_ascii_strcasecmp (origin, ours) == 0;
}

static void
answer (SoupServerMessage *message, guint status, const gchar *text)
{
  soup_server_message_set_status (message, status, NULL);
  soup_server_message_set_response (message, "text/plain; charset=utf-8",
      SOUP_MEMORY_COPY, text, strlen (text));
}

static void
on_early (SoupServer *soup, SoupServerMessage *message, const char *path,
    GHashTable *query, gpointer data)
{
  SoupMessageHeaders *headers
      = soup_server_message_get_request_headers (message);
  const gchar *host = soup_message_headers_get_one (headers, "Host");

  if (!host_is_ours (data, host))
    answer (message, SOUP_STATUS_FORBIDDEN,
        "Ask for an address or localhost, or allow the name with --host.\n");
  else if (!origin_is_ours (
               soup_message_headers_get_one (headers, "Origin"), host))
    answer (message, SOUP_STATUS_FORBIDDEN, "Another page asks.\n");
}

static gint64
server_now (const Server *self)
{
  return self->time_us ? self->time_us : g_get_monotonic_time ();
}

void
server_set_time (Server *self, gint64 time_us)
{
  self->time_us = time_us;
}

/* --- pages --------------------------------------------------------------- */

static void
send_file (SoupServerMessage *message, const gchar *resource, const gchar *type)
{
  g_autoptr (GBytes) bytes = g_resource_lookup_data (
      monitor_get_resource (), resource, G_RESOURCE_LOOKUP_FLAGS_NONE, NULL);

  soup_server_message_set_status (message, SOUP_STATUS_OK, NULL);
  soup_server_message_set_response (message, type, SOUP_MEMORY_COPY,
      g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes));
}

static void
send_stats (Server *self, SoupServerMessage *message)
{
  gchar *text = store_stats (self->store, server_now (self));

  soup_server_message_set_status (message, SOUP_STATUS_OK, NULL);
  soup_server_message_set_response (
      message, "application/json", SOUP_MEMORY_TAKE, text, strlen (text));
}

static void
send_path (Server *self, SoupServerMessage *message, const gchar *path)
{
  if (g_str_equal (path, "/stats.json")) {
    send_stats (self, message);
    return;
  }
  for (guint i = 0; i < G_N_ELEMENTS (files); i++) {
    if (g_str_equal (path, files[i].path)) {
      send_file (message, files[i].resource, files[i].type);
      return;
    }
  }
  answer (message, SOUP_STATUS_NOT_FOUND, "There is no such page.\n");
}

static void
on_request (SoupServer *soup, SoupServerMessage *message, const char *path,
    GHashTable *query, gpointer data)
{
  SoupMessageHeaders *headers
      = soup_server_message_get_response_headers (message);
  const gchar *method = soup_server_message_get_method (message);

  soup_message_headers_replace (headers, "Cache-Control", "no-store");
  soup_message_headers_replace (headers, "X-Content-Type-Options", "nosniff");
  soup_message_headers_replace (headers, "Content-Security-Policy",
      "default-src 'none'; script-src 'self'; style-src 'self'; "
      "connect-src 'self'; img-src data:; base-uri 'none'; "
      "form-action 'none'; frame-ancestors 'none'");
  if (g_str_equal (method, "GET") || g_str_equal (method, "HEAD"))
    send_path (data, message, path);
  else
    answer (message, SOUP_STATUS_METHOD_NOT_ALLOWED, "Only GET.\n");
}

/* --- viewers ------------------------------------------------------------- */

static void
viewer_free (gpointer data)
{
  Viewer *viewer = data;

  g_signal_handlers_disconnect_by_data (viewer->socket, viewer);
  g_object_unref (viewer->socket);
  g_free (viewer);
}

static void
viewer_update (Viewer *viewer, gint64 now_us)
{
  g_autofree gchar *text
      = store_update (viewer->server->store, &viewer->cursor, now_us);

  viewer->ready = FALSE;
  soup_websocket_connection_send_text (viewer->socket, text);
}

static void
on_said (
    SoupWebsocketConnection *socket, gint type, GBytes *said, gpointer data)
{
  ((Viewer *) data)->ready = TRUE;
}

static void
on_closed (SoupWebsocketConnection *socket, gpointer data)
{
  Viewer *viewer = data;

  g_ptr_array_remove (viewer->server->viewers, viewer);
}

static void
on_viewer (SoupServer *soup, SoupServerMessage *message, const char *path,
    SoupWebsocketConnection *socket, gpointer data)
{
  Server *self = data;
  Viewer *viewer;

  if (self->viewers->len >= VIEWERS_MAX || !g_str_equal (path, "/live")) {
    soup_websocket_connection_close (
        socket, SOUP_WEBSOCKET_CLOSE_POLICY_VIOLATION, "too many viewers");
    return;
  }
  viewer = g_new0 (Viewer, 1);
  viewer->server = self;
  viewer->socket = g_object_ref (socket);
  soup_websocket_connection_set_max_incoming_payload_size (socket, SAID_MAX);
  soup_websocket_connection_set_keepalive_interval (socket, PING_S);
  g_signal_connect (socket, "message", G_CALLBACK (on_said), viewer);
  g_signal_connect (socket, "closed", G_CALLBACK (on_closed), viewer);
  g_ptr_array_add (self->viewers, viewer);
  viewer_update (viewer, server_now (self));
}

void
server_tick (Server *self, gint64 now_us)
{
  for (guint i = 0; i < self->viewers->len; i++) {
    Viewer *viewer = g_ptr_array_index (self->viewers, i);

    if (viewer->ready)
      viewer_update (viewer, now_us);
  }
}

gboolean
server_end (Server *self, gint status)
{
  g_autofree gchar *text = g_strdup_printf ("{\"ended\":%d}", status);

  for (guint i = 0; i < self->viewers->len; i++) {
    Viewer *viewer = g_ptr_array_index (self->viewers, i);

    viewer->ready = FALSE;
    if (soup_websocket_connection_get_state (viewer->socket)
        != SOUP_WEBSOCKET_STATE_OPEN)
      continue;
    soup_websocket_connection_send_text (viewer->socket, text);
    soup_websocket_connection_close (
        viewer->socket, SOUP_WEBSOCKET_CLOSE_GOING_AWAY, NULL);
  }
  return self->viewers->len > 0;
}

/* --- the server ---------------------------------------------------------- */

static gboolean
on_incoming (GSocketService *service, GSocketConnection *connection,
    GObject *source, gpointer data)
{
  Server *self = data;
  g_autoptr (GSocketAddress) local
      = g_socket_connection_get_local_address (connection, NULL);
  g_autoptr (GSocketAddress) remote
      = g_socket_connection_get_remote_address (connection, NULL);

  soup_server_accept_iostream (
      self->soup, G_IO_STREAM (connection), local, remote, NULL);
  return TRUE;
}

static gboolean
server_listen (Server *self, const gchar *address, guint16 port, GError **error)
{
  g_autoptr (GSocketAddress) where
      = g_inet_socket_address_new_from_string (address, port);

  if (!where) {
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_INVALID_ARGUMENT,
        "\"%s\" is no address to listen at", address);
    return FALSE;
  }
  if (!g_socket_listener_add_address (G_SOCKET_LISTENER (self->service), where,
          G_SOCKET_TYPE_STREAM, G_SOCKET_PROTOCOL_TCP, NULL, &self->where,
          error)) {
    g_prefix_error (error, "no page at %s port %u: ", address, port);
    return FALSE;
  }
  return TRUE;
}

Server *
server_new (const Store *store, const gchar *address, guint16 port,
    const gchar *const *names, GError **error)
{
  Server *self = g_new0 (Server, 1);

  self->store = store;
  self->names = g_strdupv ((GStrv) names);
  self->viewers = g_ptr_array_new_with_free_func (viewer_free);
  self->soup = soup_server_new (NULL, NULL);
  self->service = g_socket_service_new ();
  soup_server_add_handler (self->soup, NULL, on_request, self, NULL);
  soup_server_add_websocket_handler (
      self->soup, "/live", NULL, NULL, on_viewer, self, NULL);
  /* For a path only its closest handlers run. */
  soup_server_add_early_handler (self->soup, NULL, on_early, self, NULL);
  soup_server_add_early_handler (self->soup, "/live", on_early, self, NULL);
  g_signal_connect (self->service, "incoming", G_CALLBACK (on_incoming), self);
  if (!server_listen (self, address, port, error))
    g_clear_pointer (&self, server_free);
  return self;
}

void
server_free (Server *self)
{
  g_signal_handlers_disconnect_by_data (self->service, self);
  g_socket_service_stop (self->service);
  g_socket_listener_close (G_SOCKET_LISTENER (self->service));
  soup_server_disconnect (self->soup);
  g_ptr_array_unref (self->viewers);
  g_object_unref (self->service);
  g_object_unref (self->soup);
  g_clear_object (&self->where);
  g_strfreev (self->names);
  g_free (self);
}

gchar *
server_uri (Server *self)
{
  GInetSocketAddress *where = G_INET_SOCKET_ADDRESS (self->where);
  g_autofree gchar *host
      = g_inet_address_to_string (g_inet_socket_address_get_address (where));

  return g_uri_join (G_URI_FLAGS_NONE, "http", NULL, host,
      g_inet_socket_address_get_port (where), "/", NULL, NULL);
}
