/* A statistics message as a line for rtpadapt-monitor.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "monitorline.h"

#include "monitorsocket.h"

#include <json-glib/json-glib.h>
#include <math.h>
#include <unistd.h>

static const struct
{
  const gchar *name, *kind;
} kinds[] = {
  { "application/x-rtpadaptsend-stats", "send" },
  { "application/x-rtpadaptrecv-stats", "recv" },
  { "application/x-rtpadaptsrc-stats", "src" },
};

const gchar *
monitor_line_kind (const GstStructure *s)
{
  for (guint i = 0; s && i < G_N_ELEMENTS (kinds); i++) {
    if (gst_structure_has_name (s, kinds[i].name))
      return kinds[i].kind;
  }
  return NULL;
}

static JsonNode *structure_node (const GstStructure *s);

static JsonNode *
array_node (const GValue *value)
{
  JsonArray *array = json_array_new ();
  JsonNode *node = json_node_new (JSON_NODE_ARRAY);

  for (guint i = 0; i < gst_value_array_get_size (value); i++) {
    const GValue *one = gst_value_array_get_value (value, i);

    if (GST_VALUE_HOLDS_STRUCTURE (one))
      json_array_add_element (
          array, structure_node (gst_value_get_structure (one)));
  }
  json_node_take_array (node, array);
  return node;
}

/* RFC 8259 6 has no infinity; json-glib's integers are gint64. */
static JsonNode *
number_node (const GValue *value)
{
  GValue wide = G_VALUE_INIT;
  JsonNode *node = json_node_new (JSON_NODE_NULL);

  if (G_VALUE_HOLDS_DOUBLE (value)) {
    if (isfinite (g_value_get_double (value)))
      json_node_init_double (node, g_value_get_double (value));
    return node;
  }
  if (G_VALUE_HOLDS_UINT64 (value)
      && g_value_get_uint64 (value) > (guint64) G_MAXINT64)
    return node;
  g_value_init (&wide, G_TYPE_INT64);
  if (g_value_transform (value, &wide))
    json_node_init_int (node, g_value_get_int64 (&wide));
  return node;
}

static JsonNode *
value_node (const GValue *value)
{
  if (GST_VALUE_HOLDS_STRUCTURE (value))
    return structure_node (gst_value_get_structure (value));
  if (GST_VALUE_HOLDS_ARRAY (value))
    return array_node (value);
  if (G_VALUE_HOLDS_STRING (value) && g_value_get_string (value))
    return json_node_init_string (
        json_node_alloc (), g_value_get_string (value));
  if (G_VALUE_HOLDS_BOOLEAN (value))
    return json_node_init_boolean (
        json_node_alloc (), g_value_get_boolean (value));
  return number_node (value);
}

static gboolean
add_field (GQuark field, const GValue *value, gpointer object)
{
  json_object_set_member (
      object, g_quark_to_string (field), value_node (value));
  return TRUE;
}

static JsonNode *
structure_node (const GstStructure *s)
{
  JsonObject *object = json_object_new ();
  JsonNode *node = json_node_new (JSON_NODE_OBJECT);

  gst_structure_foreach (s, add_field, object);
  json_node_take_object (node, object);
  return node;
}

gchar *
monitor_line (const GstStructure *s, const gchar *element, gint64 time_us,
    guint64 dropped)
{
  g_autofree gchar *program
      = g_utf8_make_valid (g_get_prgname () ? g_get_prgname () : "", -1);
  g_autofree gchar *name = g_utf8_make_valid (element, -1);
  JsonObject *object = json_object_new ();
  JsonNode *node = json_node_new (JSON_NODE_OBJECT);
  g_autofree gchar *text = NULL;

  json_object_set_int_member (object, "version", MONITOR_VERSION);
  json_object_set_string_member (object, "program", program);
  json_object_set_int_member (object, "pid", getpid ());
  json_object_set_string_member (object, "element", name);
  json_object_set_string_member (object, "kind", monitor_line_kind (s));
  json_object_set_int_member (object, "time_us", time_us);
  json_object_set_int_member (object, "dropped", (gint64) dropped);
  json_object_set_member (object, "stats", structure_node (s));
  json_node_take_object (node, object);
  text = json_to_string (node, FALSE);
  json_node_unref (node);
  return g_strconcat (text, "\n", NULL);
}
