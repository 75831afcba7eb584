/* A test for each row of a table.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <glib.h>

#include "main.h"

/* PATH/0, PATH/1 and so on; a test gets its number by GPOINTER_TO_UINT(). */
static inline void
rows_add_n (const gchar *path, guint n, GTestDataFunc test)
{
  for (guint i = 0; i < n; i++) {
    g_autofree gchar *name = g_strdup_printf ("%s/%u", path, i);

    g_test_add_data_func (name, GUINT_TO_POINTER (i), test);
  }
}

#define rows_add(path, rows, test) rows_add_n (path, G_N_ELEMENTS (rows), test)

/* PATH/NAME for each of the tables of algorithms `all`, which ends in NULL; a test
 * gets the table. */
#define rows_add_all(path, all, test)                             \
  G_STMT_START                                                    \
  {                                                               \
    for (guint rows_i = 0; (all)[rows_i]; rows_i++) {             \
      g_autofree gchar *rows_name                                 \
          = g_strdup_printf ("%s/%s", path, (all)[rows_i]->name); \
                                                                  \
      g_test_add_data_func (rows_name, (all)[rows_i], test);      \
    }                                                             \
  }                                                               \
  G_STMT_END

/* PATH/FIELD, where a field of the rows names them; a test gets its number. */
#define rows_add_by(path, rows, field, test)                             \
  G_STMT_START                                                           \
  {                                                                      \
    for (guint rows_i = 0; rows_i < G_N_ELEMENTS (rows); rows_i++) {     \
      g_autofree gchar *rows_name                                        \
          = g_strdup_printf ("%s/%s", path, (rows)[rows_i].field);       \
                                                                         \
      g_test_add_data_func (rows_name, GUINT_TO_POINTER (rows_i), test); \
    }                                                                    \
  }                                                                      \
  G_STMT_END
