/* A name server that knows one address, which a test changes.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "udp-fixture.h"

#include <gio/gio.h>

static const gchar
    *names_at;           /* of any name, atomic; NULL: it does not answer */
static gint names_asked; /* look-ups, atomic */

static inline GList *
names_look_up (
    GResolver *names, const gchar *name, GCancellable *stop, GError **error)
{
  const gchar *at = g_atomic_pointer_get (&names_at);

  g_atomic_int_inc (&names_asked);
  if (at)
    return g_list_append (NULL, g_inet_address_new_from_string (at));
  g_set_error_literal (
      error, G_RESOLVER_ERROR, G_RESOLVER_ERROR_TEMPORARY_FAILURE, "no answer");
  return NULL;
}

static inline void
names_class_init (gpointer klass, gpointer data)
{
  G_RESOLVER_CLASS (klass)->lookup_by_name = names_look_up;
}

/* It is the default till names_end() gets what is returned. */
static inline GResolver *
names_begin (void)
{
  GResolver *before = g_resolver_get_default ();
  static GType type;
  g_autoptr (GResolver) names = NULL;

  if (!type)
    type = g_type_register_static_simple (G_TYPE_RESOLVER, "Names",
        sizeof (GResolverClass), names_class_init, sizeof (GResolver), NULL, 0);
  names = g_object_new (type, NULL);
  g_resolver_set_default (names);
  return before;
}

static inline void
names_end (GResolver *before)
{
  g_resolver_set_default (before);
  g_object_unref (before);
}
