/* Named internal values of an algorithm, for CSV, stats and plots.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* The algorithm calls it once per value; names are the paper's letters. */
typedef void (*RaObserve) (const gchar *name, gdouble value, gpointer data);

G_END_DECLS
