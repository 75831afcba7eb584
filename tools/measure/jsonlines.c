/* Reads files of a JSON object a line.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "jsonlines.h"

#include <gio/gio.h>
#include <string.h>

static gboolean
line_read (JsonParser *parser, const gchar *line, gssize length,
    JsonLinesEach each, gpointer data, GError **error)
{
  JsonNode *root;

  if (!json_parser_load_from_data (parser, line, length, NULL)
      || !(root = json_parser_get_root (parser))
      || !JSON_NODE_HOLDS_OBJECT (root)) {
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_INVALID_DATA,
        "this is not a JSON object");
    return FALSE;
  }
  return each (json_node_get_object (root), data, error);
}

gboolean
json_lines_read (
    const gchar *path, JsonLinesEach each, gpointer data, GError **error)
{
  g_autoptr (JsonParser) parser = json_parser_new_immutable ();
  g_autofree gchar *text = NULL;
  gsize length;
  guint number = 1;
  gchar *line, *end;

  if (!g_file_get_contents (path, &text, &length, error))
    return FALSE;
  for (line = text; (end = memchr (line, '\n', length - (gsize) (line - text)));
       line = end + 1, number++) {
    if (!line_read (parser, line, end - line, each, data, error)) {
      g_prefix_error (error, "%s, line %u: ", path, number);
      return FALSE;
    }
  }
  return TRUE;
}

static JsonNode *
value_get (JsonObject *object, const gchar *name)
{
  JsonNode *node = json_object_get_member (object, name);

  return node && JSON_NODE_HOLDS_VALUE (node) ? node : NULL;
}

gint64
json_lines_int (JsonObject *object, const gchar *name, gint64 fallback)
{
  JsonNode *node = value_get (object, name);

  if (!node || json_node_get_value_type (node) != G_TYPE_INT64
      || json_node_get_int (node) < 0
      || json_node_get_int (node) > JSON_LINES_MAX)
    return fallback;
  return json_node_get_int (node);
}

gdouble
json_lines_number (JsonObject *object, const gchar *name, gdouble fallback)
{
  JsonNode *node = value_get (object, name);

  if (!node
      || (json_node_get_value_type (node) != G_TYPE_INT64
          && json_node_get_value_type (node) != G_TYPE_DOUBLE))
    return fallback;
  return json_node_get_double (node);
}

const gchar *
json_lines_string (JsonObject *object, const gchar *name)
{
  JsonNode *node = value_get (object, name);

  return node ? json_node_get_string (node) : NULL;
}

JsonObject *
json_lines_object (JsonObject *object, const gchar *name)
{
  JsonNode *node = json_object_get_member (object, name);

  return node && JSON_NODE_HOLDS_OBJECT (node) ? json_node_get_object (node)
                                               : NULL;
}
