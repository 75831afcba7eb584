/* rtpadapt-monitor's server: who gets what.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "line-fixture.h"
#include "server.h"

#include <libsoup/soup.h>

typedef struct
{
  Store *store;
  Server *server;
  SoupSession *session;
  gchar *uri, *host;
} Fixture;

static void
set_up (Fixture *f, gconstpointer data)
{
  static const gchar *const names[] = { "camera.example", NULL };
  g_autoptr (GError) error = NULL;
  g_autoptr (GUri) uri = NULL;

  f->store = store_new (NULL, g_get_monotonic_time ());
  f->server = server_new (f->store, "127.0.0.1", 0, names, &error);
  g_assert_no_error (error);
  f->uri = server_uri (f->server);
  uri = g_uri_parse (f->uri, G_URI_FLAGS_NONE, NULL);
  f->host = g_strdup_printf ("127.0.0.1:%d", g_uri_get_port (uri));
  f->session = soup_session_new ();
}

static void
tear_down (Fixture *f, gconstpointer data)
{
  soup_session_abort (f->session);
  g_object_unref (f->session);
  server_free (f->server);
  store_free (f->store);
  g_free (f->uri);
  g_free (f->host);
}

static void
add_point (Fixture *f, gint64 ago_us)
{
  gint64 now_us = g_get_monotonic_time ();
  g_autofree gchar *line
      = line_new ("send", now_us - ago_us, "{\"estimated-bitrate\":1000}");

  g_assert_true (store_take_line (f->store, line, strlen (line), 1, now_us));
}

static void
on_result (GObject *source, GAsyncResult *result, gpointer data)
{
  *(GAsyncResult **) data = g_object_ref (result);
}

static GAsyncResult *
wait_for (GAsyncResult **result)
{
  while (!*result)
    g_main_context_iteration (NULL, TRUE);
  return *result;
}

/* "%s" in `host` and `origin` is our own; NULL: the client's usual one. */
static SoupMessage *
request (Fixture *f, const gchar *method, const gchar *path, const gchar *host)
{
  g_autofree gchar *uri = g_strconcat (f->uri, path + 1, NULL);
  SoupMessage *message = soup_message_new (method, uri);

  g_assert_nonnull (message);
  if (host)
    soup_message_headers_replace (
        soup_message_get_request_headers (message), "Host", host);
  return message;
}

static const gchar *
own_origin (Fixture *f, const gchar *origin, gchar **buffer)
{
  if (g_strcmp0 (origin, "own") != 0)
    return origin;
  return *buffer = g_strconcat ("http://", f->host, NULL);
}

/* --- pages --------------------------------------------------------------- */

static const struct
{
  const gchar *why, *method, *path, *host, *origin;
  guint status;
  const gchar *type, *has;
} pages[] = {
  { "the page", "GET", "/", NULL, NULL, 200, "text/html", "page.js" },
  { "its style", "GET", "/page.css", NULL, NULL, 200, "text/css", "canvas" },
  { "its script", "GET", "/page.js", NULL, NULL, 200, "text/javascript",
      "WebSocket" },
  { "the last statistics", "GET", "/stats.json", NULL, NULL, 200,
      "application/json", "\"estimated-bitrate\":1000" },
  { "nothing else", "GET", "/page.html", NULL, NULL, 404, "text/plain", "" },
  { "nothing below", "GET", "/stats.json/x", NULL, NULL, 404, "text/plain",
      "" },
  { "no file", "GET", "/../../etc/passwd", NULL, NULL, 404, "text/plain", "" },
  { "nothing is written", "PUT", "/stats.json", NULL, NULL, 405, "text/plain",
      "" },
  { "localhost is here", "GET", "/", "localhost:1", NULL, 200, "text/html",
      "" },
  { "IPv6 addresses are", "GET", "/", "[::1]:80", NULL, 200, "text/html", "" },
  { "a name that was allowed", "GET", "/", "Camera.example", NULL, 200,
      "text/html", "" },
  { "a foreign name, rebound to us", "GET", "/stats.json", "evil.example:80",
      NULL, 403, "text/plain", "" },
  { "one that looks like us", "GET", "/stats.json", "127.0.0.1.evil.example",
      NULL, 403, "text/plain", "" },
  { "one before an @", "GET", "/stats.json", "127.0.0.1@evil.example", NULL,
      403, "text/plain", "" },
  { "our own page asks", "GET", "/stats.json", NULL, "own", 200,
      "application/json", "" },
  { "a foreign page asks", "GET", "/stats.json", NULL, "http://evil.example",
      403, "text/plain", "" },
  { "a file of the viewer's asks", "GET", "/stats.json", NULL, "null", 403,
      "text/plain", "" },
  { "another port's page asks", "GET", "/stats.json", NULL,
      "http://127.0.0.1:1", 403, "text/plain", "" },
};

static void
check_page (Fixture *f, guint row)
{
  g_autoptr (SoupMessage) message
      = request (f, pages[row].method, pages[row].path, pages[row].host);
  g_autoptr (GAsyncResult) result = NULL;
  g_autoptr (GBytes) body = NULL;
  g_autoptr (GError) error = NULL;
  g_autofree gchar *buffer = NULL, *text = NULL;
  const gchar *origin = own_origin (f, pages[row].origin, &buffer);
  SoupMessageHeaders *headers;

  g_test_message ("%s", pages[row].why);
  if (origin)
    soup_message_headers_replace (
        soup_message_get_request_headers (message), "Origin", origin);
  soup_session_send_and_read_async (
      f->session, message, G_PRIORITY_DEFAULT, NULL, on_result, &result);
  body = soup_session_send_and_read_finish (
      f->session, wait_for (&result), &error);
  g_assert_no_error (error);
  g_assert_cmpuint (soup_message_get_status (message), ==, pages[row].status);
  headers = soup_message_get_response_headers (message);
  g_assert_cmpstr (soup_message_headers_get_content_type (headers, NULL), ==,
      pages[row].type);
  text = g_strndup (g_bytes_get_data (body, NULL), g_bytes_get_size (body));
  g_assert_nonnull (strstr (text, pages[row].has));
  if (pages[row].status == 200)
    g_assert_nonnull (
        soup_message_headers_get_one (headers, "Content-Security-Policy"));
}

static void
test_pages (Fixture *f, gconstpointer data)
{
  add_point (f, 0);
  for (guint i = 0; i < G_N_ELEMENTS (pages); i++)
    check_page (f, i);
}

/* --- viewers ------------------------------------------------------------- */

typedef struct
{
  SoupWebsocketConnection *socket; /* NULL: refused */
  GPtrArray *said;                 /* gchar */
  gboolean closed;
} Viewer;

static void
on_message (
    SoupWebsocketConnection *socket, gint type, GBytes *bytes, gpointer data)
{
  g_ptr_array_add (((Viewer *) data)->said,
      g_strndup (g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes)));
}

static void
on_closed (SoupWebsocketConnection *socket, gpointer data)
{
  ((Viewer *) data)->closed = TRUE;
}

static void
viewer_open (Viewer *v, Fixture *f, const gchar *path, const gchar *host,
    const gchar *origin)
{
  g_autoptr (SoupMessage) message = request (f, "GET", path, host);
  g_autoptr (GAsyncResult) result = NULL;
  g_autofree gchar *buffer = NULL;

  v->said = g_ptr_array_new_with_free_func (g_free);
  v->closed = FALSE;
  soup_session_websocket_connect_async (f->session, message,
      own_origin (f, origin, &buffer), NULL, G_PRIORITY_DEFAULT, NULL,
      on_result, &result);
  v->socket = soup_session_websocket_connect_finish (
      f->session, wait_for (&result), NULL);
  if (!v->socket)
    return;
  g_signal_connect (v->socket, "message", G_CALLBACK (on_message), v);
  g_signal_connect (v->socket, "closed", G_CALLBACK (on_closed), v);
}

/* Ticks as often as can be, until `v` has been told `n` things. */
static const gchar *
viewer_hear (Viewer *v, Fixture *f, guint n)
{
  while (v->said->len < n) {
    g_main_context_iteration (NULL, FALSE);
    server_tick (f->server, g_get_monotonic_time ());
  }
  g_assert_cmpuint (v->said->len, ==, n);
  return g_ptr_array_index (v->said, n - 1);
}

static void
viewer_close (Viewer *v)
{
  if (v->socket) {
    g_signal_handlers_disconnect_by_data (v->socket, v);
    g_object_unref (v->socket);
  }
  g_ptr_array_unref (v->said);
}

static guint
n_points (const gchar *text)
{
  guint n = 0;

  for (const gchar *p = text; (p = strstr (p, "\"t\":")); p++)
    n++;
  return n;
}

static void
test_viewers (Fixture *f, gconstpointer data)
{
  Viewer early, late;

  add_point (f, 3 * G_USEC_PER_SEC);
  add_point (f, 2 * G_USEC_PER_SEC);
  viewer_open (&early, f, "/live", NULL, "own");
  g_assert_nonnull (early.socket);
  g_assert_cmpuint (n_points (viewer_hear (&early, f, 1)), ==, 2);

  /* It has not answered: it is not told, and nothing waits for it. */
  add_point (f, G_USEC_PER_SEC);
  add_point (f, 0);
  viewer_open (&late, f, "/live", NULL, NULL);
  g_assert_cmpuint (n_points (viewer_hear (&late, f, 1)), ==, 4);
  g_assert_cmpuint (early.said->len, ==, 1);

  soup_websocket_connection_send_text (early.socket, "ok");
  g_assert_cmpuint (n_points (viewer_hear (&early, f, 2)), ==, 2);

  g_assert_true (server_end (f->server, 5));
  while (!early.closed || !late.closed)
    g_main_context_iteration (NULL, TRUE);
  g_assert_cmpstr (viewer_hear (&early, f, 3), ==, "{\"ended\":5}");
  g_assert_cmpstr (viewer_hear (&late, f, 2), ==, "{\"ended\":5}");
  viewer_close (&early);
  viewer_close (&late);
}

static const struct
{
  const gchar *why, *path, *host, *origin;
} refused[] = {
  { "a foreign page's socket", "/live", NULL, "http://evil.example" },
  { "a page without an origin", "/live", NULL, "null" },
  { "a foreign name", "/live", "evil.example", NULL },
  { "a foreign name that is its own", "/live", "evil.example",
      "http://evil.example" },
  { "another path", "/", NULL, NULL },
};

static void
test_refused (Fixture *f, gconstpointer data)
{
  for (guint i = 0; i < G_N_ELEMENTS (refused); i++) {
    Viewer v;

    g_test_message ("%s", refused[i].why);
    viewer_open (&v, f, refused[i].path, refused[i].host, refused[i].origin);
    g_assert_null (v.socket);
    viewer_close (&v);
  }
}

/* One that says too much, and one that is one too many. */
static void
test_limits (Fixture *f, gconstpointer data)
{
  g_autofree gchar *much = g_strnfill (100000, 'x');
  Viewer v[17];

  viewer_open (&v[0], f, "/live", NULL, NULL);
  viewer_hear (&v[0], f, 1);
  soup_websocket_connection_send_text (v[0].socket, much);
  while (!v[0].closed)
    g_main_context_iteration (NULL, TRUE);
  viewer_close (&v[0]);

  for (guint i = 0; i < 17; i++) {
    viewer_open (&v[i], f, "/live", NULL, NULL);
    g_assert_nonnull (v[i].socket);
    while (!v[i].closed && v[i].said->len == 0)
      g_main_context_iteration (NULL, TRUE);
    g_assert_true (v[i].closed == (i == 16));
  }
  for (guint i = 0; i < 17; i++)
    viewer_close (&v[i]);
}

static void
test_port_taken (Fixture *f, gconstpointer data)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GUri) uri = g_uri_parse (f->uri, G_URI_FLAGS_NONE, NULL);

  g_assert_null (server_new (
      f->store, "127.0.0.1", (guint16) g_uri_get_port (uri), NULL, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_ADDRESS_IN_USE);
}

int
main (int argc, char **argv)
{
  static const struct
  {
    const gchar *path;
    void (*run) (Fixture *f, gconstpointer data);
  } tests[] = {
    { "/monitor/server/pages", test_pages },
    { "/monitor/server/viewers", test_viewers },
    { "/monitor/server/refused", test_refused },
    { "/monitor/server/limits", test_limits },
    { "/monitor/server/port-taken", test_port_taken },
  };

  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (tests); i++)
    g_test_add (tests[i].path, Fixture, NULL, set_up, tests[i].run, tear_down);
  return g_test_run ();
}
