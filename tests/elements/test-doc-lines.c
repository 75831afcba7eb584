/* Every gst-launch line in the elements' documentation runs to its end.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A line starts with "gst-launch-1.0" in a comment of plugins/rtpadapt/gst*.c
 * and goes on while it ends in "\".  It must end by itself (num-buffers).
 */
#include <gst/gst.h>
#include <glob.h>
#include <string.h>

#include "../main.h"

#define TIMEOUT (60 * GST_SECOND)

static void
test_line (gconstpointer data)
{
  g_auto (GStrv) argv = NULL;
  GError *error = NULL;
  guint first = 1;
  g_autoptr (GstElement) pipeline = NULL;
  g_autoptr (GstMessage) message = NULL;
  g_autoptr (GstBus) bus = NULL;

  g_test_message ("%s", (const gchar *) data);
  g_shell_parse_argv (data, NULL, &argv, &error);
  g_assert_no_error (error);
  while (argv[first] && argv[first][0] == '-')
    first++;
  pipeline = gst_parse_launchv ((const gchar **) argv + first, &error);
  g_assert_no_error (error);
  bus = gst_element_get_bus (pipeline);
  g_assert_cmpint (gst_element_set_state (pipeline, GST_STATE_PLAYING), !=,
      GST_STATE_CHANGE_FAILURE);
  message = gst_bus_timed_pop_filtered (
      bus, TIMEOUT, GST_MESSAGE_EOS | GST_MESSAGE_ERROR);
  if (!message)
    g_error ("not at its end after 60 s");
  if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR) {
    gst_message_parse_error (message, &error, NULL);
    g_assert_no_error (error);
  }
  gst_element_set_state (pipeline, GST_STATE_NULL);
}

/* Adds a test per line of `file`. */
static void
add_file (const gchar *path)
{
  g_autofree gchar *file = g_path_get_basename (path);
  g_autofree gchar *text = NULL;
  g_auto (GStrv) lines = NULL;
  GString *command = NULL;
  guint n = 0;

  if (!g_file_get_contents (path, &text, NULL, NULL))
    g_error ("cannot read %s", path);
  lines = g_strsplit (text, "\n", -1);
  for (guint i = 0; lines[i]; i++) {
    gchar *line = lines[i] + strspn (lines[i], " *");

    if (!command && g_str_has_prefix (line, "gst-launch-1.0 "))
      command = g_string_new (NULL);
    if (!command)
      continue;
    g_string_append (command, line);
    if (g_str_has_suffix (line, "\\")) {
      command->str[command->len - 1] = ' ';
    } else {
      g_autofree gchar *name = g_strdup_printf ("/doc-lines/%s/%u", file, n++);

      g_test_add_data_func_full (
          name, g_string_free (command, FALSE), test_line, g_free);
      command = NULL;
    }
  }
  if (n == 0 || command)
    g_error ("%s: no gst-launch-1.0 line, or one without an end", file);
}

void
tests_add (void)
{
  glob_t sources;

  g_assert_cmpint (glob (PLUGIN_SOURCES "/*/gst*.c", 0, NULL, &sources), ==, 0);
  for (gsize i = 0; i < sources.gl_pathc; i++)
    add_file (sources.gl_pathv[i]);
  globfree (&sources);
}
