/* A CSV of what flows and link were doing.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Which values there are is known only at the end: algorithms emit some when
 * they know them, flows may differ.  So rows are kept until then.
 */
#include "trace.h"

#include <math.h>

typedef struct
{
  RaTime time;
  guint flow;
  const RaSimFlow *cfg;
  GArray *values; /* of gdouble, by column; NaN or beyond the end: none */
} Row;

struct _SimTrace
{
  GHashTable *columns; /* name to number + 1 */
  GPtrArray *names;    /* of the columns, in order of appearance */
  GPtrArray *rows;     /* of Row */
};

static void
row_free (gpointer data)
{
  Row *row = data;

  g_array_unref (row->values);
  g_free (row);
}

SimTrace *
sim_trace_new (void)
{
  SimTrace *t = g_new (SimTrace, 1);

  t->columns = g_hash_table_new (g_str_hash, g_str_equal);
  t->names = g_ptr_array_new_with_free_func (g_free);
  t->rows = g_ptr_array_new_with_free_func (row_free);
  return t;
}

void
sim_trace_free (SimTrace *t)
{
  g_hash_table_unref (t->columns);
  g_ptr_array_unref (t->names);
  g_ptr_array_unref (t->rows);
  g_free (t);
}

static guint
column_of (SimTrace *t, const gchar *name)
{
  guint no = GPOINTER_TO_UINT (g_hash_table_lookup (t->columns, name));

  if (no == 0) {
    gchar *own = g_strdup (name);

    g_ptr_array_add (t->names, own);
    no = t->names->len;
    g_hash_table_insert (t->columns, own, GUINT_TO_POINTER (no));
  }
  return no - 1;
}

/* Into the last row. */
static void
value_add (const gchar *name, gdouble value, gpointer data)
{
  SimTrace *t = data;
  Row *row = g_ptr_array_index (t->rows, t->rows->len - 1);
  gdouble none = (gdouble) NAN;
  guint no = column_of (t, name);

  while (row->values->len <= no)
    g_array_append_val (row->values, none);
  g_array_index (row->values, gdouble, no) = value;
}

void
sim_trace_row (const RaSimView *view, RaTime now, gpointer data)
{
  SimTrace *t = data;
  Row *row = g_new (Row, 1);

  *row = (Row){ now, view->flow, view->cfg,
    g_array_new (FALSE, FALSE, sizeof (gdouble)) };
  g_ptr_array_add (t->rows, row);
  ra_sim_observe (view, value_add, t);
}

/* A line feed would end the "#" line; there it means what a blank does. */
static gchar *
one_line (const gchar *text)
{
  return g_strdelimit (g_strdup (text), "\r\n", ' ');
}

static void
head_append (GString *out, const SimTrace *t, const gchar *command,
    const RaSimConfig *cfg)
{
  g_autofree gchar *said = one_line (command), *link = one_line (cfg->link);

  g_string_append_printf (out,
      "# %s\n# rtpadapt %s, seed %" G_GUINT64_FORMAT "\n# link: %s\n"
      "# A row per flow and instant.  Units: s, bit/s (rate, media), bytes/s\n"
      "# (x...), packets, probabilities; ALGORITHM.NAME is a value by the\n"
      "# paper's letter, MODEL<n>.NAME one of the n-th model of the link.\n"
      "# Empty: not known, or not that flow's.\n"
      "time,flow,controller,lda",
      said, RA_VERSION, cfg->seed, link);
  for (guint i = 0; i < t->names->len; i++)
    g_string_append_printf (
        out, ",%s", (const gchar *) g_ptr_array_index (t->names, i));
  g_string_append_c (out, '\n');
}

static void
row_append (GString *out, const SimTrace *t, const Row *row)
{
  gchar number[G_ASCII_DTOSTR_BUF_SIZE];

  g_string_append_printf (out, "%.6f,%u,%s,%s", ra_seconds ((RaSpan) row->time),
      row->flow, row->cfg->controller, row->cfg->lda);
  for (guint i = 0; i < t->names->len; i++) {
    gdouble value = i < row->values->len
        ? g_array_index (row->values, gdouble, i)
        : (gdouble) NAN;

    g_string_append_c (out, ',');
    if (!isnan (value))
      g_string_append (
          out, g_ascii_formatd (number, sizeof number, "%.9g", value));
  }
  g_string_append_c (out, '\n');
}

gboolean
sim_trace_write (const SimTrace *t, const gchar *path, const gchar *command,
    const RaSimConfig *cfg, GError **error)
{
  GString *out = g_string_new (NULL);
  gboolean ok = TRUE;

  head_append (out, t, command, cfg);
  for (guint i = 0; i < t->rows->len; i++)
    row_append (out, t, g_ptr_array_index (t->rows, i));
  if (g_str_equal (path, "-"))
    g_print ("%s", out->str);
  else
    ok = g_file_set_contents (path, out->str, (gssize) out->len, error);
  g_string_free (out, TRUE);
  return ok;
}
