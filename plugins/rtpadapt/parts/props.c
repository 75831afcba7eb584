/* Properties of an element from one table.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "props.h"

#include "enums.h"

#include <gobject/gvaluecollector.h>

/* --- install ------------------------------------------------------------- */

/* Strings of a class live as long as the program. */
static const gchar *
text_of (const PropRow *row)
{
  g_auto (GStrv) parts = NULL;
  g_autofree gchar *text = NULL;

  if (!row->unit)
    return row->text;
  parts = g_strsplit (row->text, "@", -1);
  text = g_strjoinv (row->unit, parts);
  return g_intern_string (text);
}

static gint
default_number (const PropRow *row)
{
  return gst_rtp_adapt_enum_value (row->of (), row->def.s);
}

static GParamSpec *
spec_new (const PropRow *row)
{
  const gchar *name = row->name, *nick = row->nick, *text = text_of (row);
  const PropValue *min = &row->min, *max = &row->max, *def = &row->def;

  switch (row->type) {
    case G_TYPE_BOOLEAN:
      return g_param_spec_boolean (
          name, nick, text, (gboolean) def->i, row->flags);
    case G_TYPE_INT:
      return g_param_spec_int (name, nick, text, (gint) min->i, (gint) max->i,
          (gint) def->i, row->flags);
    case G_TYPE_UINT:
      return g_param_spec_uint (name, nick, text, (guint) min->u,
          (guint) max->u, (guint) def->u, row->flags);
    case G_TYPE_UINT64:
      return g_param_spec_uint64 (
          name, nick, text, min->u, max->u, def->u, row->flags);
    case G_TYPE_DOUBLE:
      return g_param_spec_double (
          name, nick, text, min->d, max->d, def->d, row->flags);
    case G_TYPE_STRING:
      return g_param_spec_string (name, nick, text, def->s, row->flags);
    case G_TYPE_ENUM:
      return g_param_spec_enum (
          name, nick, text, row->of (), default_number (row), row->flags);
    case G_TYPE_BOXED:
      return g_param_spec_boxed (name, nick, text, row->of (), row->flags);
    case G_TYPE_OBJECT:
      return g_param_spec_object (name, nick, text, row->of (), row->flags);
    default:
      g_return_val_if_reached (NULL);
  }
}

static GQuark
unit_quark (void)
{
  return g_quark_from_static_string ("rtpadapt-unit");
}

const gchar *
props_unit (GParamSpec *pspec)
{
  return g_param_spec_get_qdata (pspec, unit_quark ());
}

void
props_install_row (GObjectClass *klass, guint id, const PropRow *row)
{
  GParamSpec *pspec;
  PropRow whole = *row;

  if (row->like) {
    whole = *props_row (row->like, row->name);
    whole.text = row->text ? row->text : whole.text;
  }
  pspec = spec_new (&whole);
  g_param_spec_set_qdata (pspec, unit_quark (), (gpointer) whole.unit);
  g_object_class_install_property (klass, id, pspec);
}

guint
props_install (GObjectClass *klass, guint id, const PropRow *rows)
{
  for (; rows->name; rows++)
    props_install_row (klass, id++, rows);
  return id;
}

const PropRow *
props_row (const PropRow *rows, const gchar *name)
{
  for (; rows->name; rows++)
    if (g_str_equal (rows->name, name))
      return rows;
  return NULL;
}

/* --- set ----------------------------------------------------------------- */

/* No text is the default. */
static gchar *
text_new (const PropRow *row, const gchar *given)
{
  if (given && !*given && row->empty_is_none)
    return NULL;
  return g_strdup (given ? given : row->def.s);
}

/* Of a number there is nothing to free. */
static void
value_free (const PropRow *row, gpointer at)
{
  gpointer *pointer = at;

  if (row->type == G_TYPE_STRING && row->forget)
    row->forget (g_steal_pointer (pointer));
  else if (row->type == G_TYPE_STRING)
    g_clear_pointer (pointer, g_free);
  else if (row->type == G_TYPE_BOXED && *pointer)
    g_boxed_free (row->of (), g_steal_pointer (pointer));
  else if (row->type == G_TYPE_OBJECT)
    g_clear_object (pointer);
}

/* Copies a value to the address that follows, as g_object_get() does. */
static void
value_copy (const GValue *value, ...)
{
  g_autofree gchar *error = NULL;
  va_list to;

  va_start (to, value);
  G_VALUE_LCOPY (value, to, 0, &error);
  va_end (to);
}

static void
value_set (const PropRow *row, gpointer at, const GValue *value)
{
  value_free (row, at);
  if (row->type == G_TYPE_STRING)
    *(gchar **) at = text_new (row, g_value_get_string (value));
  else
    value_copy (value, at);
}

/* The warning if the algorithm refuses the parameters, or NULL. */
static gchar *
pair_use (
    const PropPair *pair, gpointer owner, gint number, const gchar *params)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GEnumClass) numbers = NULL;

  if (pair->use (owner, pair, number, params, &error))
    return NULL;
  numbers = g_type_class_ref (pair->of ());
  return g_strdup_printf ("%s %s goes on as it was: %s", pair->name,
      g_enum_get_value (numbers, number)->value_nick, error->message);
}

/* Parameters are an algorithm's own.  Another one starts with its defaults, unless
 * both are set before the start, where they come in any order. */
static gchar *
pair_set (
    gpointer config, const PropRow *row, const GValue *value, gpointer owner)
{
  const PropPair *pair = row->pair;
  gint *number = G_STRUCT_MEMBER_P (config, pair->number);
  gchar **params = G_STRUCT_MEMBER_P (config, pair->params);
  gint next = *number;
  gchar *text, *warning = NULL;

  if (row->type == G_TYPE_ENUM) {
    next = g_value_get_enum (value);
    text = g_strdup (next == *number || !owner ? *params : "");
  } else {
    text = text_new (row, g_value_get_string (value));
  }
  if (owner)
    warning = pair_use (pair, owner, next, text);
  if (warning) {
    g_free (text);
    return warning;
  }
  *number = next;
  g_free (*params);
  *params = text;
  return NULL;
}

guint
props_set (gpointer config, const PropRow *row, const GValue *value,
    gpointer owner, gchar **warning)
{
  gchar *refused = NULL;

  g_return_val_if_fail (row->size > 0, 0);
  if (row->pair)
    refused = pair_set (config, row, value, owner);
  else
    value_set (row, G_STRUCT_MEMBER_P (config, row->offset), value);
  if (refused) {
    *warning = refused;
    return 0;
  }
  return row->then;
}

gchar *
props_start (gpointer config, const PropRow *row, gpointer owner)
{
  const PropPair *pair = row->pair;
  gint number = G_STRUCT_MEMBER (gint, config, pair->number);
  gchar **params = G_STRUCT_MEMBER_P (config, pair->params);
  g_autofree gchar *warning = pair_use (pair, owner, number, *params);

  if (!warning)
    return NULL;
  g_free (*params);
  *params = g_strdup ("");
  pair->use (owner, pair, number, NULL, NULL);
  return g_strdup_printf ("default parameters are used: %s", warning);
}

/* --- get ----------------------------------------------------------------- */

/* The opposite of value_copy(), as g_object_set() does it: GType says how a value is
 * handed over. */
static void
value_get (gconstpointer at, GValue *value)
{
  GTypeValueTable *type = g_type_value_table_peek (G_VALUE_TYPE (value));
  GTypeCValue content = { 0 };

  switch (*type->collect_format) {
    case G_VALUE_COLLECT_INT:
      content.v_int = *(const gint *) at;
      break;
    case G_VALUE_COLLECT_INT64:
      content.v_int64 = *(const gint64 *) at;
      break;
    case G_VALUE_COLLECT_DOUBLE:
      content.v_double = *(const gdouble *) at;
      break;
    default:
      content.v_pointer = *(gpointer const *) at;
      break;
  }
  g_free (type->collect_value (value, 1, &content, 0));
}

void
props_get (gpointer owner, GMutex *lock, gconstpointer config,
    const PropRow *row, GValue *value)
{
  if (row->get) {
    row->get (owner, row, value);
    return;
  }
  g_return_if_fail (row->get_locked || row->size > 0);
  g_mutex_lock (lock);
  if (row->get_locked)
    row->get_locked (owner, row, value);
  else
    value_get ((const guint8 *) config + row->offset, value);
  g_mutex_unlock (lock);
}

/* --- the config ---------------------------------------------------------- */

void
props_init (gpointer config, const PropRow *rows, gpointer object)
{
  GObjectClass *klass = G_OBJECT_GET_CLASS (object);

  for (; rows->name; rows++)
    if (rows->size > 0)
      value_set (rows, G_STRUCT_MEMBER_P (config, rows->offset),
          g_param_spec_get_default_value (
              g_object_class_find_property (klass, rows->name)));
}

void
props_clear (gpointer config, const PropRow *rows)
{
  for (; rows->name; rows++)
    if (rows->size > 0)
      value_free (rows, G_STRUCT_MEMBER_P (config, rows->offset));
}
