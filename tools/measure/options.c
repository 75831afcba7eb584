/* What the subcommands' options have in common.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "options.h"

#include <gst/gst.h>
#include <string.h>

gboolean
measure_options (const GOptionEntry *entries, const gchar *name,
    const gchar *summary, int *argc, char ***argv, GError **error)
{
  g_autoptr (GOptionContext) context = g_option_context_new (NULL);
  g_autofree gchar *program = g_strdup_printf ("rtpadapt-measure %s", name);

  g_set_prgname (program);
  g_option_context_set_summary (context, summary);
  g_option_context_add_main_entries (context, entries, NULL);
  g_option_context_add_group (context, gst_init_get_option_group ());
  if (!g_option_context_parse (context, argc, argv, error))
    return FALSE;
  if (*argc > 1) {
    g_set_error (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
        "what is \"%s\" for?", (*argv)[1]);
    return FALSE;
  }
  return TRUE;
}

gboolean
measure_address (const gchar *text, gchar **host, guint *port, GError **error)
{
  g_autoptr (GSocketConnectable) address
      = g_network_address_parse (text, 0, NULL);
  guint found
      = address ? g_network_address_get_port (G_NETWORK_ADDRESS (address)) : 0;

  /* Two more ports are for feedback. */
  if (found == 0 || found > G_MAXUINT16 - 2) {
    g_set_error (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
        "\"%s\" is not HOST:PORT with a port from 1 to %d", text,
        G_MAXUINT16 - 2);
    return FALSE;
  }
  *host
      = g_strdup (g_network_address_get_hostname (G_NETWORK_ADDRESS (address)));
  if (strchr (*host, ':')) {
    g_set_error (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
        "receivers listen at IPv4 addresses, and %s is another", *host);
    return FALSE;
  }
  *port = found;
  return TRUE;
}
