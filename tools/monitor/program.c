/* The program that is started, with the tracer in it.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "program.h"

#include <sys/wait.h>

#define CHUNK 4096
/* Somebody that it left behind may have its output. */
#define DRAIN_MS 200

struct _Program
{
  GSubprocess *process;
  GCancellable *cancel;
  ProgramEnded ended;
  ProgramWrote wrote;
  gpointer data;
  gboolean gone, silent; /* has ended; has closed its output */
  gint status;
  gchar chunk[CHUNK];
};

/* What it wrote last is shown first. */
static void
maybe_end (Program *self)
{
  if (self->gone && self->silent)
    self->ended (self->status, self->data);
}

static gboolean
on_drained (gpointer cancel)
{
  g_cancellable_cancel (cancel);
  return G_SOURCE_REMOVE;
}

static void
on_gone (GObject *process, GAsyncResult *result, gpointer data)
{
  Program *self = data;
  gint status;

  g_subprocess_wait_finish (self->process, result, NULL);
  status = g_subprocess_get_status (self->process);
  self->status
      = WIFEXITED (status) ? WEXITSTATUS (status) : 128 + WTERMSIG (status);
  self->gone = TRUE;
  if (self->silent)
    maybe_end (self);
  else
    g_timeout_add_full (G_PRIORITY_DEFAULT, DRAIN_MS, on_drained,
        g_object_ref (self->cancel), g_object_unref);
}

static void
on_wrote (GObject *stream, GAsyncResult *result, gpointer data)
{
  Program *self = data;
  gssize n = g_input_stream_read_finish (G_INPUT_STREAM (stream), result, NULL);

  if (n <= 0) {
    self->silent = TRUE;
    maybe_end (self);
    return;
  }
  self->wrote (self->chunk, (gsize) n, self->data);
  g_input_stream_read_async (G_INPUT_STREAM (stream), self->chunk, CHUNK,
      G_PRIORITY_DEFAULT, self->cancel, on_wrote, self);
}

/* Keeps the tracers that the user wants. */
static void
set_tracer (GSubprocessLauncher *launcher, const gchar *socket)
{
  const gchar *others = g_getenv ("GST_TRACERS");
  g_autofree gchar *tracers = g_strdup_printf ("%s%srtpadaptmonitor(socket=%s)",
      others ? others : "", others && *others ? ";" : "", socket);

  g_subprocess_launcher_setenv (launcher, "GST_TRACERS", tracers, TRUE);
}

/* "/build/tools/monitor/rtpadapt-monitor" has the plugins of its own build in
 * /build/plugins; an installed one has none there.  They come before the user's:
 * of two plugins of a name GStreamer takes the first. */
static void
set_plugins (GSubprocessLauncher *launcher)
{
  static const gchar *const plugins[]
      = { "monitor/libgstrtpadaptmonitor.so", "rtpadapt/libgstrtpadapt.so" };
  /* The first of the two wins in GStreamer. */
  const gchar *name = g_getenv ("GST_PLUGIN_PATH_1_0") ? "GST_PLUGIN_PATH_1_0"
                                                       : "GST_PLUGIN_PATH";
  g_autofree gchar *self = g_file_read_link ("/proc/self/exe", NULL);
  g_autofree gchar *folder = self ? g_path_get_dirname (self) : NULL;
  const gchar *others = g_getenv (name);
  g_autoptr (GString) path = g_string_new (NULL);

  for (guint i = 0; folder && i < G_N_ELEMENTS (plugins); i++) {
    g_autofree gchar *file
        = g_build_filename (folder, "../../plugins", plugins[i], NULL);
    g_autofree gchar *plain = g_canonicalize_filename (file, NULL);
    g_autofree gchar *where = g_path_get_dirname (plain);

    if (g_file_test (plain, G_FILE_TEST_IS_REGULAR))
      g_string_append_printf (path, "%s%s", path->len > 0 ? ":" : "", where);
  }
  if (path->len == 0)
    return;
  if (others && *others)
    g_string_append_printf (path, ":%s", others);
  g_subprocess_launcher_setenv (launcher, name, path->str, TRUE);
}

Program *
program_new (const gchar *const *argv, const gchar *socket, ProgramEnded ended,
    ProgramWrote wrote, gpointer data, GError **error)
{
  g_autoptr (GSubprocessLauncher) launcher
      = g_subprocess_launcher_new (G_SUBPROCESS_FLAGS_STDIN_INHERIT
          | (wrote ? G_SUBPROCESS_FLAGS_STDOUT_PIPE
                      | G_SUBPROCESS_FLAGS_STDERR_MERGE
                   : G_SUBPROCESS_FLAGS_NONE));
  GSubprocess *process;
  Program *self;

  set_tracer (launcher, socket);
  set_plugins (launcher);
  process = g_subprocess_launcher_spawnv (launcher, argv, error);
  if (!process)
    return NULL;
  self = g_new0 (Program, 1);
  self->process = process;
  self->cancel = g_cancellable_new ();
  self->ended = ended;
  self->wrote = wrote;
  self->data = data;
  self->silent = !wrote;
  g_subprocess_wait_async (process, NULL, on_gone, self);
  if (wrote)
    g_input_stream_read_async (g_subprocess_get_stdout_pipe (process),
        self->chunk, CHUNK, G_PRIORITY_DEFAULT, self->cancel, on_wrote, self);
  return self;
}

void
program_signal (Program *self, gint signal_number)
{
  if (!self->gone)
    g_subprocess_send_signal (self->process, signal_number);
}

void
program_free (Program *self)
{
  g_object_unref (self->process);
  g_object_unref (self->cancel);
  g_free (self);
}
