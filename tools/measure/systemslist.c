/* Which systems there are.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "measure.h"
#include "options.h"
#include "systems.h"

static gchar *systems;

static const GOptionEntry entries[] = {
  { "systems", 0, 0, G_OPTION_ARG_FILENAME, &systems, "other launch lines",
      "FILE" },
  { NULL },
};

gboolean
measure_systems (int argc, char **argv, GError **error)
{
  g_auto (GStrv) names = NULL;

  if (!measure_options (entries, "systems",
          "Prints a line for each system: its name, and \"ready\" or what it "
          "lacks.",
          &argc, &argv, error))
    return FALSE;
  names = system_names (systems, error);
  for (gchar **name = names; name && *name; name++) {
    g_autoptr (GError) missing = NULL;
    System *s = system_load (systems, *name, error);

    if (!s)
      return FALSE;
    g_print ("%s\t%s\n", *name,
        system_installed (s, &missing) ? "ready" : missing->message);
    system_free (s);
  }
  return names != NULL;
}
