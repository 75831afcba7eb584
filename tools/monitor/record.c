/* A file with the statistics of a stream, to be looked at later.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "record.h"

#include "../../plugins/monitor/monitorsocket.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#define FORMAT "rtpadapt-monitor"
#define VERSION 1

struct _Record
{
  Store *store;
  gchar *path;
  FILE *file;
  gint code; /* errno of the first write that failed, else 0 */
};

/* A program that is killed leaves all lines before that.  After a write that
 * failed nothing follows: it would be joined to half a line. */
static void
on_taken (const gchar *line, gsize len, gpointer data)
{
  Record *self = data;

  if (self->code)
    return;
  if (fwrite (line, 1, len, self->file) != len
      || fputc ('\n', self->file) == EOF || fflush (self->file) != 0)
    self->code = errno;
}

static void
write_head (Record *self)
{
  JsonBuilder *b = json_builder_new ();
  g_autoptr (GDateTime) now = g_date_time_new_now_local ();
  g_autofree gchar *date = g_date_time_format (now, "%Y-%m-%d %H:%M:%S %z");
  g_autofree gchar *text = NULL;
  JsonNode *root;

  json_builder_begin_object (b);
  json_builder_set_member_name (b, FORMAT);
  json_builder_add_int_value (b, VERSION);
  json_builder_set_member_name (b, "command");
  if (self->store->command)
    json_builder_add_string_value (b, self->store->command);
  else
    json_builder_add_null_value (b);
  json_builder_set_member_name (b, "start_us");
  json_builder_add_int_value (b, self->store->start_us);
  json_builder_set_member_name (b, "date");
  json_builder_add_string_value (b, date);
  json_builder_end_object (b);
  root = json_builder_get_root (b);
  text = json_to_string (root, FALSE);
  on_taken (text, strlen (text), self);
  json_node_unref (root);
  g_object_unref (b);
}

Record *
record_new (const gchar *path, Store *store, GError **error)
{
  gint fd = open (path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  Record *self;

  if (fd < 0) {
    gint why = errno;

    g_set_error (error, G_IO_ERROR, (gint) g_io_error_from_errno (why),
        "no recording to %s: %s", path, g_strerror (why));
    return NULL;
  }
  self = g_new0 (Record, 1);
  self->store = store;
  self->path = g_strdup (path);
  self->file = fdopen (fd, "w");
  store->taken = on_taken;
  store->taken_data = self;
  write_head (self);
  return self;
}

gboolean
record_close (Record *self, GError **error)
{
  gboolean good;

  self->store->taken = NULL;
  if (fclose (self->file) != 0 && !self->code)
    self->code = errno;
  good = !self->code;
  if (!good)
    g_set_error (error, G_IO_ERROR, (gint) g_io_error_from_errno (self->code),
        "the recording to %s is not complete: %s", self->path,
        g_strerror (self->code));
  g_free (self->path);
  g_free (self);
  return good;
}

void
record_discard (Record *self)
{
  self->store->taken = NULL;
  fclose (self->file);
  unlink (self->path);
  g_free (self->path);
  g_free (self);
}

/* --- opening ------------------------------------------------------------- */

static Store *
read_head (const gchar *line)
{
  g_autoptr (JsonParser) parser = json_parser_new ();
  JsonObject *head;
  JsonNode *version, *start;
  Store *store;

  /* Ours is flat, and json-glib parses by recursion. */
  if (strchr (line, '[') || strchr (line + (*line != '\0'), '{')
      || !json_parser_load_from_data (parser, line, -1, NULL)
      || !JSON_NODE_HOLDS_OBJECT (json_parser_get_root (parser)))
    return NULL;
  head = json_node_get_object (json_parser_get_root (parser));
  version = json_object_get_member (head, FORMAT);
  start = json_object_get_member (head, "start_us");
  if (!version || json_node_get_value_type (version) != G_TYPE_INT64
      || json_node_get_int (version) != VERSION || !start
      || json_node_get_value_type (start) != G_TYPE_INT64)
    return NULL;
  store = store_new (stats_text (head, "command"), json_node_get_int (start));
  store->date = g_strdup (stats_text (head, "date"));
  store->span_us = G_MAXINT64;
  /* None is forgotten: one after the other may come to more than live. */
  store->sources_max = G_MAXUINT;
  return store;
}

static gint64
last_time (const Store *store)
{
  gint64 last = store->start_us;

  for (guint i = 0; i < store->sources->len; i++) {
    const Point *point = source_last (g_ptr_array_index (store->sources, i));

    if (point)
      last = MAX (last, point->time_us);
  }
  return last;
}

Store *
record_open (const gchar *path, gint64 *end_us, GError **error)
{
  g_autofree gchar *text = NULL;
  gchar *line, *end;
  Store *store;
  gsize len;

  if (!g_file_get_contents (path, &text, &len, error))
    return NULL;
  line = text;
  end = strchr (line, '\n');
  if (end)
    *end = '\0';
  store = read_head (line);
  if (!store) {
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_INVALID_DATA,
        "%s is not a recording of rtpadapt-monitor", path);
    return NULL;
  }
  for (line = end ? end + 1 : text + len; line < text + len; line = end + 1) {
    end = memchr (line, '\n', (gsize) (text + len - line));
    if (!end) /* cut off when the monitor was killed */
      break;
    /* The time of each line is its own: all are in the span. */
    store_take_line (
        store, line, (gsize) (end - line), 0, G_MAXINT64 - G_TIME_SPAN_DAY);
  }
  store_gone (store, 0);
  *end_us = last_time (store);
  store->span_us = MAX (*end_us - store->start_us, G_USEC_PER_SEC);
  return store;
}
