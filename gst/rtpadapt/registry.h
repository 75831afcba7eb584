/* All algorithms of all kinds, for those that list them.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gst/rtpadapt/util/params.h>

G_BEGIN_DECLS

/* What the table of every algorithm, of whatever kind, begins with. */
#define RA_ALGORITHM                                                         \
  const gchar *name;  /* enum nick, argument of the tools, CSV word */       \
  const gchar *cite;  /* authors, year, section: one line; "-" if our own */ \
  const gchar *needs; /* what it has to know: one line */                    \
  const gchar *use;   /* when to choose it: one line */                      \
  gsize size;         /* of the instance; its base is its first member */    \
  const RaParam *params

typedef struct
{
  RA_ALGORITHM;
} RaAlgorithm;

typedef struct
{
  const gchar *name;         /* "lda" */
  const gchar *title;        /* "Loss differentiation" */
  gconstpointer const *list; /* of the kind's own table, ended by NULL */
} RaKind;

/* In the order of docs/algorithms.md; ended by a row whose name is NULL. */
extern const RaKind ra_kinds[];

/* The one of that name in a NULL-ended list, or NULL. */
gconstpointer ra_algorithm_find (gconstpointer const *list, const gchar *name);

G_END_DECLS
