/* rtpadapt-monitor: a live page for a stream that runs.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The tracer of plugins/monitor in the program that streams sends a line for
 * each statistics message; what came in the last minute is drawn in a browser
 * and in the terminal.
 */
#include "intake.h"
#include "program.h"
#include "record.h"
#include "secret.h"
#include "server.h"
#include "store.h"
#include "text.h"

#include "../../plugins/monitor/monitorsocket.h"

#include <glib-unix.h>
#include <glib/gstdio.h>
#include <locale.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/un.h>
#include <unistd.h>

/* As often as there is something new. */
#define TICK_MS 500
/* For the last message to the viewers. */
#define END_MS 500
#define PORT 8080
/* A shell's word for a program that is not there. */
#define STATUS_NOT_FOUND 127

static struct
{
  gboolean attach, text, version;
  gint port;
  gchar *listen, *socket, *record, *open;
  gchar **hosts, **command;
} options = { .port = -1 };

typedef struct
{
  GMainLoop *loop;
  Store *store;
  Intake *intake;
  Server *server; /* or NULL */
  Text *text;     /* or NULL */
  Program *program;
  Record *record; /* or NULL */
  gint64 end_us;  /* of a recording that is open, else 0 */
  gchar *folder;  /* of our own socket, or NULL */
  gint status;
} Monitor;

static const GOptionEntry entries[] = {
  { "attach", 'a', 0, G_OPTION_ARG_NONE, &options.attach,
      "Start nothing, listen to programs that have the tracer" },
  { "port", 'p', 0, G_OPTION_ARG_INT, &options.port,
      "The page's port (8080); 0: any that is free", "PORT" },
  { "listen", 'l', 0, G_OPTION_ARG_STRING, &options.listen,
      "The page's address (127.0.0.1); who reaches it sees the page",
      "ADDRESS" },
  { "host", 0, 0, G_OPTION_ARG_STRING_ARRAY, &options.hosts,
      "What the page may be asked for by, beside addresses and localhost",
      "NAME" },
  { "text", 't', 0, G_OPTION_ARG_NONE, &options.text,
      "Draw in the terminal; a page only with --port" },
  { "socket", 's', 0, G_OPTION_ARG_FILENAME, &options.socket,
      "Where programs are listened to", "PATH" },
  { "record", 'r', 0, G_OPTION_ARG_FILENAME, &options.record,
      "Write the statistics to a new FILE as well", "FILE" },
  { "open", 'o', 0, G_OPTION_ARG_FILENAME, &options.open,
      "Start nothing, show what was recorded to FILE", "FILE" },
  { "version", 0, 0, G_OPTION_ARG_NONE, &options.version, "Print it" },
  /* As bytes: what the program is given need not be text of this locale. */
  { G_OPTION_REMAINING, 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &options.command, "",
      "[PROGRAM [ARGUMENT...]]" },
  { NULL },
};

static const gchar summary[]
    = "Starts PROGRAM and plots the statistics of the rtpadapt elements in it, "
      "live,\non http://127.0.0.1:8080/. It ends with the program, with the "
      "same exit status.";

static const gchar description[]
    = "A program that is started by itself, and one of its own:\n"
      "  rtpadapt-monitor --attach\n"
      "  GST_TRACERS=rtpadaptmonitor PROGRAM...\n"
      "or, with --socket PATH,\n"
      "  GST_TRACERS=\"rtpadaptmonitor(socket=PATH)\" PROGRAM...\n"
      "Several at a time (a sender, a receiver) are drawn below each other.\n"
      "Where a program does not set stats-interval, it posts statistics each "
      "500 ms.\n"
      "A flight to be looked at later:\n"
      "  rtpadapt-monitor --record FILE PROGRAM...\n"
      "  rtpadapt-monitor --open FILE\n"
      "/stats.json has the last ones.";

static gint
complain (const gchar *what)
{
  g_printerr ("rtpadapt-monitor: %s.\n", what);
  return EXIT_FAILURE;
}

/* --- signals ------------------------------------------------------------- */

typedef struct
{
  gint number;
  gboolean from_terminal;
} Signal;

static gint signal_pipe[2] = { -1, -1 };

/* Ctrl-C is the kernel's, and the program, which is of our process group, has
 * got it, too: gst-launch-1.0 takes a second one for "at once". */
static void
on_signal (gint number, siginfo_t *info, gpointer context)
{
  Signal signal = { number, info->si_code == SI_KERNEL };
  gint saved = errno;
  gssize written = write (signal_pipe[1], &signal, sizeof signal);

  (void) written; /* a full pipe has enough of them */
  errno = saved;
}

static gboolean
on_signal_pipe (gint fd, GIOCondition condition, gpointer data)
{
  Monitor *m = data;
  Signal signal;

  if (read (fd, &signal, sizeof signal) != sizeof signal)
    return G_SOURCE_CONTINUE;
  if (!m->program)
    g_main_loop_quit (m->loop);
  else if (!signal.from_terminal)
    program_signal (m->program, signal.number);
  return G_SOURCE_CONTINUE;
}

/* A terminal that closes, too, must leave no folder; under nohup the signal stays
 * ignored. */
static void
hangup_catch (const struct sigaction *action)
{
  struct sigaction before;

  if (sigaction (SIGHUP, NULL, &before) == 0 && before.sa_handler != SIG_IGN)
    sigaction (SIGHUP, action, NULL);
}

static gboolean
signals_catch (Monitor *m, GError **error)
{
  struct sigaction action
      = { .sa_sigaction = on_signal, .sa_flags = SA_SIGINFO | SA_RESTART };

  if (!g_unix_open_pipe (signal_pipe, FD_CLOEXEC, error))
    return FALSE;
  g_unix_set_fd_nonblocking (signal_pipe[1], TRUE, NULL);
  g_unix_fd_add (signal_pipe[0], G_IO_IN, on_signal_pipe, m);
  sigaction (SIGINT, &action, NULL);
  sigaction (SIGTERM, &action, NULL);
  hangup_catch (&action);
  return TRUE;
}

/* --- parts --------------------------------------------------------------- */

static gboolean
on_tick (gpointer data)
{
  Monitor *m = data;
  gint64 now_us = m->end_us ? m->end_us : g_get_monotonic_time ();

  store_forget (m->store, now_us);
  if (m->server)
    server_tick (m->server, now_us);
  if (m->text)
    text_draw (m->text, now_us);
  return G_SOURCE_CONTINUE;
}

static void
on_ended (gint status, gpointer data)
{
  Monitor *m = data;

  m->status = status;
  g_main_loop_quit (m->loop);
}

static void
on_wrote (const gchar *bytes, gsize len, gpointer data)
{
  text_above (((Monitor *) data)->text, bytes, len);
}

/* What GST_TRACERS takes without quotes. */
static gboolean
socket_is_plain (const gchar *path)
{
  return path[strspn (path, G_CSET_a_2_z G_CSET_A_2_Z G_CSET_DIGITS "/._-+")]
      == '\0';
}

/* The user's, the one that all know, or one for our program only.  GLib would cut
 * a long path off: unix(7) has 107 bytes for it. */
static gchar *
socket_choose (Monitor *m, GError **error)
{
  gchar *path;

  if (options.socket)
    path = g_canonicalize_filename (options.socket, NULL);
  else if (options.attach)
    path = g_build_filename (g_get_user_runtime_dir (), MONITOR_SOCKET, NULL);
  else if ((m->folder = g_dir_make_tmp ("rtpadapt-XXXXXX", error)))
    path = g_build_filename (m->folder, MONITOR_SOCKET, NULL);
  else
    return NULL;
  if (!socket_is_plain (path))
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_INVALID_FILENAME,
        "%s has more than letters, digits and /._-+ in it, choose another "
        "--socket",
        path);
  else if (strlen (path) >= sizeof ((struct sockaddr_un *) NULL)->sun_path)
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_FILENAME_TOO_LONG,
        "%s is too long for a socket, choose a shorter --socket or TMPDIR",
        path);
  else
    return path;
  g_free (path);
  return NULL;
}

static gboolean
page_open (Monitor *m, GError **error)
{
  g_autofree gchar *uri = NULL;

  if (options.text && options.port < 0)
    return TRUE;
  m->server
      = server_new (m->store, options.listen ? options.listen : "127.0.0.1",
          (guint16) (options.port < 0 ? PORT : options.port),
          (const gchar *const *) options.hosts, error);
  if (!m->server)
    return FALSE;
  uri = server_uri (m->server);
  g_printerr ("rtpadapt-monitor: %s\n", uri);
  return TRUE;
}

/* Where our own output is a terminal, the program's goes above it. */
static gboolean
program_open (Monitor *m, const gchar *socket, GError **error)
{
  gboolean above = m->text && isatty (STDOUT_FILENO);

  if (options.attach) {
    g_printerr ("rtpadapt-monitor: waiting for programs with "
                "GST_TRACERS=\"rtpadaptmonitor(socket=%s)\"\n",
        socket);
    return TRUE;
  }
  m->program = program_new ((const gchar *const *) options.command, socket,
      on_ended, above ? on_wrote : NULL, m, error);
  return m->program != NULL;
}

/* It stays until Ctrl-C. */
static gboolean
recording_open (Monitor *m, GError **error)
{
  m->store = record_open (options.open, &m->end_us, error);
  if (!m->store || !page_open (m, error) || !signals_catch (m, error))
    return FALSE;
  server_set_time (m->server, m->end_us);
  return TRUE;
}

static gboolean
monitor_open (Monitor *m, GError **error)
{
  g_autofree gchar *text = options.command
      ? secret_hide ((const gchar *const *) options.command)
      : NULL;
  g_autofree gchar *socket = NULL;

  m->store = store_new (text, g_get_monotonic_time ());
  socket = socket_choose (m, error);
  if (!socket
      || (options.record
          && !(m->record = record_new (options.record, m->store, error)))
      || !(m->intake = intake_new (socket, m->store, error))
      || !page_open (m, error) || !signals_catch (m, error))
    return FALSE;
  if (options.text)
    m->text = text_new (m->store, isatty (STDOUT_FILENO));
  return program_open (m, socket, error);
}

static gboolean
on_end_timeout (gpointer data)
{
  *(gboolean *) data = TRUE;
  return G_SOURCE_REMOVE;
}

/* Lines that came before the program ended, then the word that it did. */
static void
monitor_end (Monitor *m)
{
  gboolean over = FALSE;

  while (g_main_context_iteration (NULL, FALSE))
    ;
  on_tick (m);
  if (m->program && m->store->serial == 0)
    complain ("no statistics came: the program has no rtpadapt element, or it "
              "ended before the first");
  if (!m->server || m->end_us || !server_end (m->server, m->status))
    return;
  g_timeout_add (END_MS, on_end_timeout, &over);
  while (!over)
    g_main_context_iteration (NULL, TRUE);
}

/* Of two failures the status has the program's. */
static void
recording_close (Monitor *m)
{
  g_autoptr (GError) error = NULL;
  Record *record = g_steal_pointer (&m->record);

  if (!record || record_close (record, &error))
    return;
  complain (error->message);
  if (m->status == EXIT_SUCCESS)
    m->status = EXIT_FAILURE;
}

static void
monitor_close (Monitor *m)
{
  g_clear_pointer (&m->server, server_free);
  g_clear_pointer (&m->text, text_free);
  g_clear_pointer (&m->intake, intake_free);
  g_clear_pointer (&m->program, program_free);
  recording_close (m);
  g_clear_pointer (&m->store, store_free);
  if (m->folder)
    g_rmdir (m->folder);
  g_clear_pointer (&m->folder, g_free);
  g_clear_pointer (&m->loop, g_main_loop_unref);
}

/* --- options ------------------------------------------------------------- */

static gboolean
options_read (gint *argc, gchar ***argv, GError **error)
{
  GOptionContext *context = g_option_context_new (NULL);
  gboolean good;

  g_option_context_set_strict_posix (context, TRUE);
  g_option_context_set_summary (context, summary);
  g_option_context_set_description (context, description);
  g_option_context_add_main_entries (context, entries, NULL);
  good = g_option_context_parse (context, argc, argv, error);
  g_option_context_free (context);
  if (good && !options.version
      && options.attach + (options.command != NULL) + (options.open != NULL)
          != 1) {
    g_set_error (error, G_OPTION_ERROR, G_OPTION_ERROR_FAILED,
        "give a program to start, --attach or --open: see --help");
    good = FALSE;
  }
  if (good && options.open
      && (options.text || options.record || options.socket)) {
    g_set_error (error, G_OPTION_ERROR, G_OPTION_ERROR_FAILED,
        "a recording has a page only, without --text, --record and --socket");
    good = FALSE;
  }
  if (good && options.text && options.port == -1
      && (options.listen || options.hosts)) {
    g_set_error (error, G_OPTION_ERROR, G_OPTION_ERROR_FAILED,
        "--listen and --host are the page's, which --text has with --port only");
    good = FALSE;
  }
  if (good && (options.port < -1 || options.port > G_MAXUINT16)) {
    g_set_error (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
        "%d is no port", options.port);
    good = FALSE;
  }
  return good;
}

int
main (int argc, char **argv)
{
  g_autoptr (GError) error = NULL;
  Monitor m = { 0 };
  guint tick;

  setlocale (LC_CTYPE, ""); /* numbers stay as in JSON */
  if (!options_read (&argc, &argv, &error))
    return complain (error->message);
  if (options.version) {
    g_print ("rtpadapt-monitor " PACKAGE_VERSION "\n");
    return EXIT_SUCCESS;
  }
  m.loop = g_main_loop_new (NULL, FALSE);
  if (!(options.open ? recording_open : monitor_open) (&m, &error)) {
    m.status = g_error_matches (error, G_SPAWN_ERROR, G_SPAWN_ERROR_NOENT)
        ? STATUS_NOT_FOUND
        : EXIT_FAILURE;
    complain (error->message);
    /* It would be in the way of the next start. */
    g_clear_pointer (&m.record, record_discard);
    monitor_close (&m);
    return m.status;
  }
  tick = g_timeout_add (TICK_MS, on_tick, &m);
  g_main_loop_run (m.loop);
  g_source_remove (tick);
  monitor_end (&m);
  monitor_close (&m);
  return m.status;
}
