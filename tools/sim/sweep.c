/* Many simulations.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "sweep.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define RUNS_MAX 1000000
#define BAR 30
#define BAR_LINE (BAR + 40) /* with the numbers behind it */

typedef struct
{
  gchar *name;
  GPtrArray *values; /* of gchar */
} Axis;

struct _SimSweep
{
  GPtrArray *axes; /* of Axis */
};

/* All runs, done by a pool of threads. */
typedef struct
{
  const SimSweep *sweep;
  const SimOptions *base;
  const gchar *command;
  guint n;
  gchar **lines; /* by number; NULL: not done */
  GError **errors;
  guint n_done;
  GMutex lock; /* guards the three */
  GCond done;
} Batch;

static void
axis_free (gpointer data)
{
  Axis *axis = data;

  g_free (axis->name);
  g_ptr_array_unref (axis->values);
  g_free (axis);
}

SimSweep *
sim_sweep_new (void)
{
  SimSweep *s = g_new (SimSweep, 1);

  s->axes = g_ptr_array_new_with_free_func (axis_free);
  return s;
}

void
sim_sweep_free (SimSweep *s)
{
  g_ptr_array_unref (s->axes);
  g_free (s);
}

guint
sim_sweep_axes (const SimSweep *s)
{
  return s->axes->len;
}

/* A value, or the numbers of "1..5". */
static void
values_add (GPtrArray *values, const gchar *text)
{
  g_auto (GStrv) ends = g_strsplit (text, "..", 2);
  gint64 first, last;

  if (ends[0] && ends[1]
      && g_ascii_string_to_signed (
          ends[0], 10, -RUNS_MAX, RUNS_MAX, &first, NULL)
      && g_ascii_string_to_signed (ends[1], 10, first, RUNS_MAX, &last, NULL)) {
    for (gint64 i = first; i <= last; i++)
      g_ptr_array_add (values, g_strdup_printf ("%" G_GINT64_FORMAT, i));
  } else {
    g_ptr_array_add (values, g_strstrip (g_strdup (text)));
  }
}

gboolean
sim_sweep_add (SimSweep *s, const gchar *text, GError **error)
{
  const gchar *equals = strchr (text, '=');
  g_auto (GStrv) values = NULL;
  Axis *axis;

  if (!equals || equals == text || !equals[1]) {
    g_set_error (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
        "--sweep: '%s': expected NAME=VALUE,VALUE,...", text);
    return FALSE;
  }
  for (guint i = 0; i < s->axes->len; i++) {
    const gchar *name = ((const Axis *) g_ptr_array_index (s->axes, i))->name;

    if (strlen (name) == (gsize) (equals - text)
        && g_str_has_prefix (text, name)) {
      g_set_error (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
          "--sweep: '%s' twice", name);
      return FALSE;
    }
  }
  values = g_strsplit (equals + 1, strchr (equals, '|') ? "|" : ",", -1);
  axis = g_new (Axis, 1);
  axis->name = g_strndup (text, (gsize) (equals - text));
  axis->values = g_ptr_array_new_with_free_func (g_free);
  for (guint i = 0; values[i]; i++)
    values_add (axis->values, values[i]);
  g_ptr_array_add (s->axes, axis);
  return TRUE;
}

/* The value of axis `i` in run `no`; the last axis changes fastest. */
static const gchar *
value_at (const SimSweep *s, guint i, guint no)
{
  const Axis *axis = g_ptr_array_index (s->axes, i);

  for (guint j = s->axes->len; --j > i;)
    no /= ((const Axis *) g_ptr_array_index (s->axes, j))->values->len;
  return g_ptr_array_index (axis->values, no % axis->values->len);
}

/* The settings of run `no`, and they as a JSON object. */
static gboolean
options_at (
    const Batch *b, guint no, SimOptions *o, GString *json, GError **error)
{
  const SimSweep *s = b->sweep;

  *o = *b->base;
  for (guint i = 0; i < s->axes->len; i++) {
    const gchar *name = ((const Axis *) g_ptr_array_index (s->axes, i))->name;
    const gchar *value = value_at (s, i, no);
    g_autofree gchar *key = ra_json_string (name);
    g_autofree gchar *text = ra_json_string (value);

    if (sim_options_has (name)) {
      if (!sim_options_set (o, name, value, error))
        return FALSE;
    } else if (!sim_options_replace (o, name, value)) {
      g_set_error (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
          "--sweep: '%s' is no setting, and {%s} stands nowhere", name, name);
      return FALSE;
    }
    g_string_append_printf (json, "%s%s: %s", i ? ", " : "", key, text);
  }
  return TRUE;
}

gchar *
sim_result_describe (void)
{
  static const gchar *const keys[][2] = {
    { "command", "what was typed" },
    { "seed", "of all randomness" },
    { "link", "the path" },
    { "flows", "how many there are" },
    { "sweep", "with --sweep: the values of this run" },
    { "utilisation", "of all flows: share of the capacity that was used" },
    { "jain", "Jain's index of their goodput; 1: all got the same" },
    { "runs", "a list, of each flow:" },
  };
  GString *out = g_string_new (NULL);
  g_autofree gchar *run = ra_run_describe ();

  for (guint i = 0; i < G_N_ELEMENTS (keys); i++)
    g_string_append_printf (out, "%-30s %s\n", keys[i][0], keys[i][1]);
  g_string_append (out, run);
  return g_string_free (out, FALSE);
}

gchar *
sim_result_to_json (const RaSimConfig *cfg, const RaRun *runs,
    const gchar *command, const gchar *sweep)
{
  GString *out = g_string_new (NULL);
  g_autofree gdouble *goodput = g_new (gdouble, cfg->flows);
  g_autofree gchar *said = ra_json_string (command);
  g_autofree gchar *link = ra_json_string (cfg->link);
  gdouble crossed = 0, first = G_MAXDOUBLE, last = 0, longest = 0, offered = 0;

  g_string_append_printf (out,
      "{\"command\": %s, \"seed\": %" G_GUINT64_FORMAT
      ", \"link\": %s, \"flows\": %u, ",
      said, cfg->seed, link, cfg->flows);
  if (sweep)
    g_string_append_printf (out, "\"sweep\": {%s}, ", sweep);
  g_string_append (out, "\"runs\": [");
  for (guint i = 0; i < cfg->flows; i++) {
    g_autofree gchar *json = ra_run_to_json (&runs[i]);
    gdouble seconds = runs[i].score.seconds;
    gdouble begin = MAX (runs[i].start, ra_seconds (cfg->warmup));

    g_string_append_printf (out, "%s%s", i ? ", " : "", json);
    goodput[i] = runs[i].score.goodput_bps;
    crossed += runs[i].score.throughput_bps * seconds;
    if (seconds > longest) { /* knows the capacity best */
      longest = seconds;
      offered = runs[i].score.capacity_bps;
    }
    first = seconds > 0 ? MIN (first, begin) : first;
    last = seconds > 0 ? MAX (last, begin + seconds) : last;
  }
  offered *= MAX (last - first, 0);
  g_string_append_printf (out, "], \"utilisation\": %.4f, \"jain\": %.4f}",
      offered > 0 ? crossed / offered : 0, ra_jain (goodput, cfg->flows));
  return g_string_free (out, FALSE);
}

static gchar *
run_one (const Batch *b, guint no, GError **error)
{
  g_autoptr (GString) sweep = g_string_new (NULL);
  g_autofree RaRun *runs = NULL;
  gchar *line = NULL;
  SimOptions o;
  SimSetup setup;

  if (!options_at (b, no, &o, sweep, error)
      || !sim_setup_init (&setup, &o, error))
    return NULL;
  runs = g_new0 (RaRun, setup.cfg.flows);
  if (ra_sim_run (&setup.cfg, runs, error))
    line = sim_result_to_json (&setup.cfg, runs, b->command, sweep->str);
  sim_setup_clear (&setup);
  return line;
}

static void
job (gpointer number, gpointer data)
{
  Batch *b = data;
  guint no = GPOINTER_TO_UINT (number) - 1;
  GError *error = NULL;
  gchar *line = run_one (b, no, &error);

  g_mutex_lock (&b->lock);
  b->lines[no] = line;
  b->errors[no] = error;
  b->n_done++;
  g_cond_signal (&b->done);
  g_mutex_unlock (&b->lock);
}

static void
progress (guint done, guint n, gint64 since)
{
  gdouble spent = (gdouble) (g_get_monotonic_time () - since) * 1e-6;
  guint bar = done * BAR / n;

  if (!isatty (STDERR_FILENO))
    return;
  g_printerr ("\r[%.*s%.*s] %u/%u", (int) bar, "##############################",
      (int) (BAR - bar), "                              ", done, n);
  if (done > 0)
    g_printerr ("  %.0f s left ", spent * (n - done) / done);
  if (done == n)
    g_printerr ("\r%*s\r", BAR_LINE, "");
}

/* Prints what is done, in order, until all are or one failed. */
static gboolean
results_print (Batch *b, GError **error)
{
  gint64 since = g_get_monotonic_time ();
  gboolean ok = TRUE;

  g_mutex_lock (&b->lock);
  for (guint no = 0; ok && no < b->n; no++) {
    while (!b->lines[no] && !b->errors[no]) {
      progress (b->n_done, b->n, since);
      g_cond_wait (&b->done, &b->lock);
    }
    ok = b->lines[no] != NULL;
    if (!ok) {
      g_propagate_error (error, g_steal_pointer (&b->errors[no]));
    } else {
      if (isatty (STDERR_FILENO) && isatty (STDOUT_FILENO))
        g_printerr ("\r%*s\r", BAR_LINE, ""); /* not on the bar's line */
      printf ("%s\n", b->lines[no]);
      ok = ra_stdout_flush (error);
    }
  }
  progress (b->n, b->n, since);
  g_mutex_unlock (&b->lock);
  return ok;
}

gboolean
sim_sweep_run (const SimSweep *s, const SimOptions *base, const gchar *command,
    GError **error)
{
  Batch b = { .sweep = s, .base = base, .command = command, .n = 1 };
  GThreadPool *pool;
  guint64 n = 1;
  gboolean ok;

  for (guint i = 0; i < s->axes->len && n <= RUNS_MAX; i++)
    n *= ((const Axis *) g_ptr_array_index (s->axes, i))->values->len;
  if (n > RUNS_MAX) {
    g_set_error (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
        "--sweep: more than %d runs", RUNS_MAX);
    return FALSE;
  }
  b.n = (guint) n;
  b.lines = g_new0 (gchar *, b.n);
  b.errors = g_new0 (GError *, b.n);
  pool
      = g_thread_pool_new (job, &b, (gint) g_get_num_processors (), TRUE, NULL);
  for (guint no = 0; no < b.n; no++)
    g_thread_pool_push (pool, GUINT_TO_POINTER (no + 1), NULL);
  ok = results_print (&b, error);
  g_thread_pool_free (pool, !ok, TRUE); /* drops what has not begun */
  for (guint no = 0; no < b.n; no++) {
    g_free (b.lines[no]);
    g_clear_error (&b.errors[no]);
  }
  g_free (b.lines);
  g_free (b.errors);
  return ok;
}
