/* rtpadapt-sim: controllers and LDAs over a link chain, in virtual time.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "list.h"
#include "sweep.h"
#include "trace.h"

#include <locale.h>
#include <string.h>

static gchar *csv;
static gint interval_ms = 100;
static gchar **sweeps;
static gboolean keys, version;
static gchar *(*list) (void);

static gboolean
on_list (const gchar *option, const gchar *value, gpointer data, GError **error)
{
  list = !value                         ? sim_list_text
      : g_str_equal (value, "markdown") ? sim_list_markdown
      : g_str_equal (value, "json")     ? sim_list_json
                                        : NULL;
  if (!list)
    g_set_error (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
        "--list: '%s': only =markdown and =json", value);
  return list != NULL;
}

static const GOptionEntry entries[] = {
  { "list", 0, G_OPTION_FLAG_OPTIONAL_ARG, G_OPTION_ARG_CALLBACK, on_list,
      "all algorithms with their papers and parameters", "markdown|json" },
  { "version", 0, 0, G_OPTION_ARG_NONE, &version, "print it", NULL },
  { "keys", 0, 0, G_OPTION_ARG_NONE, &keys, "explain the keys of the result",
      NULL },
  { "csv", 0, 0, G_OPTION_ARG_FILENAME, &csv,
      "all observed values over time; - for stdout", "FILE" },
  { "interval", 0, 0, G_OPTION_ARG_INT, &interval_ms,
      "of the rows of --csv (100)", "MS" },
  { "sweep", 0, 0, G_OPTION_ARG_STRING_ARRAY, &sweeps,
      "run all values of a setting or of {NAME} in a text, e.g. "
      "--sweep lda=none,zbs --sweep loss=1%,5% --sweep seed=1..5",
      "NAME=VALUE,..." },
  { NULL },
};

/* As one could type it again. */
static gchar *
command_line (gint argc, gchar **argv)
{
  GString *out = g_string_new ("rtpadapt-sim");

  for (gint i = 1; i < argc; i++) {
    g_autofree gchar *quoted = g_shell_quote (argv[i]);
    gboolean plain = argv[i][0]
        && strspn (argv[i],
               "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
               "0123456789-_=.,:/%+")
            == strlen (argv[i]);

    g_string_append_printf (out, " %s", plain ? argv[i] : quoted);
  }
  return g_string_free (out, FALSE);
}

static gboolean
run_one (const SimOptions *o, const gchar *command, GError **error)
{
  SimTrace *trace = sim_trace_new ();
  g_autofree RaRun *runs = NULL;
  SimSetup setup;
  gboolean ok = sim_setup_init (&setup, o, error);

  if (ok) {
    runs = g_new0 (RaRun, setup.cfg.flows);
    if (csv) {
      setup.cfg.trace = sim_trace_row;
      setup.cfg.trace_data = trace;
      setup.cfg.trace_interval = interval_ms * RA_MSECOND;
    }
    ok = ra_sim_run (&setup.cfg, runs, error);
    if (ok && csv)
      ok = sim_trace_write (trace, csv, command, &setup.cfg, error);
    if (ok && !(csv && g_str_equal (csv, "-"))) {
      g_autofree gchar *json
          = sim_result_to_json (&setup.cfg, runs, command, NULL);

      g_print ("%s\n", json);
    }
    sim_setup_clear (&setup);
  }
  sim_trace_free (trace);
  return ok;
}

static gboolean
run_all (const SimOptions *o, const gchar *command, GError **error)
{
  SimSweep *sweep = sim_sweep_new ();
  gboolean ok = TRUE;

  for (guint i = 0; ok && sweeps && sweeps[i]; i++)
    ok = sim_sweep_add (sweep, sweeps[i], error);
  if (ok && sim_sweep_axes (sweep) > 0 && csv) {
    g_set_error (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
        "--csv is of one run, --sweep of many");
    ok = FALSE;
  } else if (ok && sim_sweep_axes (sweep) > 0) {
    ok = sim_sweep_run (sweep, o, command, error);
  } else if (ok) {
    ok = run_one (o, command, error);
  }
  sim_sweep_free (sweep);
  return ok;
}

static gboolean
print (const SimOptions *o, const gchar *command, GError **error)
{
  if (version) {
    g_print ("rtpadapt-sim " RA_VERSION "\n");
  } else if (list || keys) {
    g_autofree gchar *text = keys ? sim_result_describe () : list ();

    g_print ("%s", text);
  } else if (!run_all (o, command, error)) {
    return FALSE;
  }
  return ra_stdout_flush (error);
}

static GOptionContext *
context_new (SimOptions *o)
{
  GOptionContext *context = g_option_context_new (NULL);
  GOptionGroup *group = g_option_group_new ("setting", "Settings", "", o, NULL);
  GOptionEntry *settings = sim_options_entries ();

  g_option_context_set_summary (context,
      "Controllers and LDAs over a link chain, in virtual time; prints a line "
      "of JSON.\n"
      "  rtpadapt-sim --controller ssvp --lda ld --flows 4 --seconds 200 "
      "--seed 7 \\\n"
      "    --link 'bottleneck rate=2M queue=100ms ! delay 25ms ! gilbert p=.01 "
      "r=.3'");
  g_option_group_add_entries (group, entries);
  g_option_group_add_entries (group, settings);
  g_option_context_set_main_group (context, group);
  g_free (settings);
  return context;
}

int
main (int argc, char **argv)
{
  g_autofree gchar *command = command_line (argc, argv);
  SimOptions o;
  g_autoptr (GOptionContext) context = context_new (&o);
  g_autoptr (GError) error = NULL;

  setlocale (LC_CTYPE, ""); /* names in messages; numbers keep their point */
  sim_options_init (&o);
  if (!g_option_context_parse (context, &argc, &argv, &error)) {
    g_printerr ("rtpadapt-sim: %s\n", error->message);
    return 2;
  }
  if (!version && (argc > 1 || interval_ms < 1)) {
    g_printerr ("rtpadapt-sim: %s\n",
        argc > 1 ? "takes options only" : "--interval: at least 1 ms");
    return 2;
  }
  if (!print (&o, command, &error)) {
    g_printerr ("rtpadapt-sim: %s\n", error->message);
    return 2;
  }
  return 0;
}
