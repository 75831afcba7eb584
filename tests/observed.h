/* One of the values that an algorithm shows its onlookers.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <glib.h>
#include <math.h>

typedef struct
{
  const gchar *name;
  gdouble value;
} Observed;

static inline void
observed_pick (const gchar *name, gdouble value, gpointer data)
{
  Observed *o = data;

  if (g_str_equal (name, o->name))
    o->value = value;
}

/* The value `wanted` of `of`, whose function `observe` shows all; NAN: it has none of
 * that name. */
#define observed(observe, of, wanted)             \
  ({                                              \
    Observed observed_one = { (wanted), NAN };    \
                                                  \
    observe ((of), observed_pick, &observed_one); \
    observed_one.value;                           \
  })
