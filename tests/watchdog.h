/* What the threads of a test do where it hangs.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <glib.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

/* Of the program: an alarm has no argument. */
static gchar watchdog_text[256], watchdog_pid[16];

/* Prints on stderr how long each thread ran and waited for a core (ns), since a machine
 * that is too busy looks like a hang, and, by gdb if it is there, where each is. */
static inline void
watchdog_look (gint sig)
{
  pid_t gdb = fork ();

  if (gdb == 0) {
    dup2 (2, 1);
    execlp ("sh", "sh", "-c",
        "cat /proc/loadavg /proc/$0/task/*/schedstat; "
        "exec gdb -batch -p $0 -ex 'thread apply all bt 30'",
        watchdog_pid, NULL);
    _exit (127);
  }
  prctl (PR_SET_PTRACER, gdb); /* where only parents may look */
  waitpid (gdb, NULL, 0);
}

static inline void
watchdog_end (gint sig)
{
  gssize ignored = write (1, watchdog_text, strlen (watchdog_text));

  (void) ignored;
  watchdog_look (sig);
  _exit (3);
}

/* In `seconds` the program prints `text` on stdout and ends, or, where it is NULL,
 * goes on: it may be slow. */
static inline void
watchdog_start (guint seconds, const gchar *text)
{
  alarm (0);
  g_strlcpy (watchdog_text, text ? text : "", sizeof watchdog_text);
  g_snprintf (watchdog_pid, sizeof watchdog_pid, "%d", (gint) getpid ());
  signal (SIGALRM, text ? watchdog_end : watchdog_look);
  alarm (seconds);
}
