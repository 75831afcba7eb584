/* rtpadapt-measure: what a viewer gets of a real clip that a system streams
 * over a real or an emulated network, and how it compares with others.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "measure.h"
#include "systems.h"

#include <gst/gst.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <tools/sim/run.h>

#define EXIT_MISSING 77 /* as test programs say that they were skipped */

static const struct
{
  const gchar *name, *text;
  gboolean (*run) (int argc, char **argv, GError **error);
} commands[] = {
  { "send", "streams a clip", measure_send },
  { "receive", "shows it, and writes down when", measure_receive },
  { "score", "puts both sides' records together into one JSON object",
      measure_score },
  { "systems", "lists the systems and what they lack", measure_systems },
};

static void
usage (void)
{
  g_print ("Usage: rtpadapt-measure COMMAND [OPTION...]\n\n");
  for (guint i = 0; i < G_N_ELEMENTS (commands); i++)
    g_print ("  %-8s %s\n", commands[i].name, commands[i].text);
  g_print (
      "\nrtpadapt-measure COMMAND --help shows its options, --version the version.\n");
}

int
main (int argc, char **argv)
{
  g_autoptr (GError) error = NULL;

  setlocale (LC_CTYPE, ""); /* names in messages; numbers keep their point */
  if (argc < 2 || g_str_equal (argv[1], "--help")
      || g_str_equal (argv[1], "-h")) {
    usage ();
    return argc < 2 ? EXIT_FAILURE : EXIT_SUCCESS;
  }
  if (g_str_equal (argv[1], "--version")) {
    g_print ("rtpadapt-measure " RA_VERSION "\n");
    return EXIT_SUCCESS;
  }
  for (guint i = 0; i < G_N_ELEMENTS (commands); i++) {
    if (!g_str_equal (argv[1], commands[i].name))
      continue;
    if (commands[i].run (argc - 1, argv + 1, &error)
        && ra_stdout_flush (&error))
      return EXIT_SUCCESS;
    g_printerr ("rtpadapt-measure: %s\n", g_strchomp (error->message));
    return g_error_matches (error, SYSTEM_ERROR, SYSTEM_ERROR_MISSING)
        ? EXIT_MISSING
        : EXIT_FAILURE;
  }
  g_printerr ("rtpadapt-measure: there is no command \"%s\", only", argv[1]);
  for (guint i = 0; i < G_N_ELEMENTS (commands); i++)
    g_printerr ("%s %s", i > 0 ? "," : "", commands[i].name);
  g_printerr ("\n");
  return EXIT_FAILURE;
}
