/* Named internal values of an algorithm, for CSV, stats and plots.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* The algorithm calls it once per value; names are the paper's letters. */
typedef void (*RaObserve) (const gchar *name, gdouble value, gpointer data);

/* Passes "PREFIX.NAME" on: several algorithms emit a `p`. */
typedef struct
{
  const gchar *prefix;
  RaObserve emit;
  gpointer data;
} RaObserver;

/* An RaObserve whose data is an RaObserver. */
void ra_observe_prefixed (const gchar *name, gdouble value, gpointer observer);

G_END_DECLS
