/* Properties of an element from one table.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A row says what a property is, where its value stands in the element's config,
 * and what has to follow when it changes.  Nothing here calls the element, but for
 * the functions that its own table names.
 */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

typedef struct _PropRow PropRow;

typedef union
{
  gint64 i;       /* int, boolean */
  guint64 u;      /* uint, uint64 */
  gdouble d;      /* double */
  const gchar *s; /* string, or the nick of an enumeration's value */
} PropValue;

/* An algorithm and its parameters.  Each has a row; they change together. */
typedef struct _PropPair PropPair;
struct _PropPair
{
  gsize number, params; /* offsets in the config: gint, gchar * (never NULL) */
  const gchar *name;    /* of the row of `number` */
  GType (*of) (void);   /* the enumeration of `number`: nicks name algorithms */
  /* Puts both to use.  FALSE: the algorithm refuses these parameters, and what was
   * in use goes on as it was.  The owner's lock is held. */
  gboolean (*use) (gpointer owner, const PropPair *pair, gint number,
      const gchar *params, GError **error);
};

/* A table ends with a row whose name is NULL. */
struct _PropRow
{
  const gchar *name, *nick;
  const gchar *text;  /* `@` stands for the unit */
  GParamFlags flags;  /* one of PROP_READ and so on */
  GType type;         /* fundamental */
  GType (*of) (void); /* the type itself: enumeration, boxed, object */
  gsize offset, size; /* of the value in the config; size 0: it is not there */
  PropValue min, max, def;
  const gchar *unit;            /* of a number that has one */
  gboolean empty_is_none;       /* an empty text is stored as NULL */
  void (*forget) (gchar *text); /* frees a text that is secret */
  guint then; /* what has to follow a change, bits of the element */
  const PropPair *pair;
  const PropRow *like; /* table of a part: all but a text is as there */
  /* In place of the config.  The owner's lock is not held. */
  void (*set) (gpointer owner, const PropRow *row, const GValue *value);
  void (*get) (gpointer owner, const PropRow *row, GValue *value);
  /* The same as `get`, but the owner's lock is held. */
  void (*get_locked) (gpointer owner, const PropRow *row, GValue *value);
};

/* NAME_pair, of the fields NAME and NAME_params of the config `T` and of the
 * enumeration `get_type`. */
#define PROP_PAIR(T, name, get_type, use)                          \
  static const PropPair name##_pair = { G_STRUCT_OFFSET (T, name), \
    G_STRUCT_OFFSET (T, name##_params), #name, get_type, use }

/* When a property may be set: never; not said; up to READY; up to PLAYING. */
#define PROP_READ (G_PARAM_READABLE | G_PARAM_STATIC_STRINGS)
#define PROP_ANY (G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS)
#define PROP_READY (PROP_ANY | GST_PARAM_MUTABLE_READY)
#define PROP_PLAYING (PROP_ANY | GST_PARAM_MUTABLE_PLAYING)

/* The field `f` of the config `T`.  It does not compile where the field is not as
 * large as the C type `C` of the property. */
#define PROP_AT(T, f, C)            \
  .offset = G_STRUCT_OFFSET (T, f), \
  .size = sizeof (C)                \
      + 0 * sizeof (gchar[sizeof (((T *) 0)->f) == sizeof (C) ? 1 : -1])
#define PROP_BOOLEAN(T, f, init) \
  .type = G_TYPE_BOOLEAN, PROP_AT (T, f, gboolean), .def.i = init
#define PROP_INT(T, f, lo, hi, init)                                  \
  .type = G_TYPE_INT, PROP_AT (T, f, gint), .min.i = lo, .max.i = hi, \
  .def.i = init
#define PROP_UINT(T, f, lo, hi, init)                                   \
  .type = G_TYPE_UINT, PROP_AT (T, f, guint), .min.u = lo, .max.u = hi, \
  .def.u = init
#define PROP_UINT64(T, f, lo, hi, init)                                     \
  .type = G_TYPE_UINT64, PROP_AT (T, f, guint64), .min.u = lo, .max.u = hi, \
  .def.u = init
#define PROP_DOUBLE(T, f, lo, hi, init)                                     \
  .type = G_TYPE_DOUBLE, PROP_AT (T, f, gdouble), .min.d = lo, .max.d = hi, \
  .def.d = init
#define PROP_ENUM(T, f, get_type, nick) \
  .type = G_TYPE_ENUM, .of = get_type, PROP_AT (T, f, gint), .def.s = nick
#define PROP_TEXT(T, f, init) \
  .type = G_TYPE_STRING, PROP_AT (T, f, gchar *), .def.s = init
#define PROP_BOXED(T, f, get_type) \
  .type = G_TYPE_BOXED, .of = get_type, PROP_AT (T, f, gpointer)
#define PROP_OBJECT(T, f, get_type) \
  .type = G_TYPE_OBJECT, .of = get_type, PROP_AT (T, f, gpointer)
/* A structure; `.get` or `.get_locked` makes it. */
#define PROP_STATS .type = G_TYPE_BOXED, .of = gst_structure_get_type

/* Installs one property, or a whole table with the ids from `id` on; returns the
 * first id that is free then. */
void props_install_row (GObjectClass *klass, guint id, const PropRow *row);
guint props_install (GObjectClass *klass, guint id, const PropRow *rows);

/* The unit of a number that was installed here and has one, or NULL. */
const gchar *props_unit (GParamSpec *pspec);

/* The row of this name, or NULL. */
const PropRow *props_row (const PropRow *rows, const gchar *name);

/* Writes the defaults, as the class of `object` has them, into a config that is
 * zero. */
void props_init (gpointer config, const PropRow *rows, gpointer object);
/* Frees what the config holds. */
void props_clear (gpointer config, const PropRow *rows);

/* Sets a property in the config; the owner's lock is held.  Returns `then` of the
 * row.  What of it may block, or may call somebody, waits till the lock is free.
 * `owner`: that of the row's pair, NULL as long as no algorithm runs.  If the pair
 * refuses the value, nothing changes, and it returns 0 and sets `warning` (transfer
 * full); a table without pairs needs neither. */
guint props_set (gpointer config, const PropRow *row, const GValue *value,
    gpointer owner, gchar **warning);

/* The algorithm of `row`, one of a pair, starts with what the config says.  If it
 * refuses its parameters it starts with the defaults, and so says the config; the
 * warning (transfer full), or NULL.  The owner's lock is held. */
gchar *props_start (gpointer config, const PropRow *row, gpointer owner);

/* Gets a property by the row's function, or from the config with `lock` held. */
void props_get (gpointer owner, GMutex *lock, gconstpointer config,
    const PropRow *row, GValue *value);

G_END_DECLS
