/* Fields of a structure of statistics, or of a message, from one table.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A row says what a field is called, what it means, and where its value stands in a
 * C struct.  docs/statistics.md is made of the same rows.
 */
#pragma once

#include <gst/gst.h>
#include <gst/rtpadapt/types.h>

G_BEGIN_DECLS

/* A table ends with a row whose name is NULL. */
typedef struct
{
  const gchar *name;
  const gchar *unit; /* "": none */
  const gchar *text; /* what it means */
  const gchar
      *source; /* who counts or measures it, or the RFC that defines it */
  GType type;  /* fundamental; 0: the caller sets it */
  gsize offset, size; /* of the value in the C struct */
  gboolean is_span;   /* an RaSpan: RA_SPAN_NONE is written as -1 */
  const gchar *inner; /* a structure that it has inside, by its name */
  gboolean is_list;   /* it has a list of them */
  const gchar *as;    /* name of a type that the caller sets */
} Field;

/* The field `f` of the struct `T`.  It does not compile where the field is not as
 * large as the C type `C`. */
#define FIELD_AT(T, f, C)           \
  .offset = G_STRUCT_OFFSET (T, f), \
  .size = sizeof (C)                \
      + 0 * sizeof (gchar[sizeof (((T *) 0)->f) == sizeof (C) ? 1 : -1])
#define FIELD_UINT64(T, f) .type = G_TYPE_UINT64, FIELD_AT (T, f, guint64)
#define FIELD_UINT(T, f) .type = G_TYPE_UINT, FIELD_AT (T, f, guint)
#define FIELD_INT(T, f) .type = G_TYPE_INT, FIELD_AT (T, f, gint)
#define FIELD_DOUBLE(T, f) .type = G_TYPE_DOUBLE, FIELD_AT (T, f, gdouble)
#define FIELD_BOOLEAN(T, f) .type = G_TYPE_BOOLEAN, FIELD_AT (T, f, gboolean)
#define FIELD_TEXT(T, f) .type = G_TYPE_STRING, FIELD_AT (T, f, gchar *)
#define FIELD_SPAN(T, f) \
  .type = G_TYPE_INT64, .is_span = TRUE, FIELD_AT (T, f, RaSpan)
/* The caller sets these three: a structure, a list of structures, something else. */
#define FIELD_STRUCTURE(name) .inner = name
#define FIELD_LIST(name) .inner = name, .is_list = TRUE
#define FIELD_OTHER(type_name) .as = type_name

/* Sets those of the fields whose value stands in `from`. */
void fields_set (GstStructure *s, const Field *fields, gconstpointer from);
/* A structure of that name that has them (transfer full). */
GstStructure *fields_new (
    const gchar *name, const Field *fields, gconstpointer from);
/* The same as a value of a list, that is appended to `array`, a GstValueArray. */
void fields_append (
    GValue *array, const gchar *name, const Field *fields, gconstpointer from);

G_END_DECLS
