/* Fields of a structure of statistics, or of a message, from one table.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "fields.h"

static void
field_get (const Field *f, gconstpointer at, GValue *value)
{
  g_value_init (value, f->type);
  switch (f->type) {
    case G_TYPE_UINT64:
      g_value_set_uint64 (value, *(const guint64 *) at);
      break;
    case G_TYPE_INT64: {
      RaSpan span = *(const RaSpan *) at;

      g_value_set_int64 (value, span == RA_SPAN_NONE ? -1 : span);
      break;
    }
    case G_TYPE_UINT:
      g_value_set_uint (value, *(const guint *) at);
      break;
    case G_TYPE_INT:
      g_value_set_int (value, *(const gint *) at);
      break;
    case G_TYPE_DOUBLE:
      g_value_set_double (value, *(const gdouble *) at);
      break;
    case G_TYPE_BOOLEAN:
      g_value_set_boolean (value, *(const gboolean *) at);
      break;
    case G_TYPE_STRING:
      g_value_set_string (value, *(const gchar *const *) at);
      break;
    default:
      g_assert_not_reached ();
  }
}

void
fields_set (GstStructure *s, const Field *fields, gconstpointer from)
{
  for (const Field *f = fields; f->name; f++) {
    GValue value = G_VALUE_INIT;

    if (f->type == 0)
      continue;
    field_get (f, (const guint8 *) from + f->offset, &value);
    gst_structure_take_value (s, f->name, &value);
  }
}

GstStructure *
fields_new (const gchar *name, const Field *fields, gconstpointer from)
{
  GstStructure *s = gst_structure_new_empty (name);

  fields_set (s, fields, from);
  return s;
}

void
fields_append (
    GValue *array, const gchar *name, const Field *fields, gconstpointer from)
{
  GValue value = G_VALUE_INIT;

  g_value_init (&value, GST_TYPE_STRUCTURE);
  g_value_take_boxed (&value, fields_new (name, fields, from));
  gst_value_array_append_and_take_value (array, &value);
}
