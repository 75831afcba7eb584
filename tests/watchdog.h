/* What the threads of a test do where it hangs.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <errno.h>
#include <glib.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

/* fork() waits for the locks of malloc(), which the interrupted thread may hold. */
#if defined __GLIBC__ && __GLIBC_PREREQ(2, 34)
extern pid_t _Fork (void); /* unistd.h has it for _GNU_SOURCE alone */
#define watchdog_fork _Fork
#else
#define watchdog_fork fork
#endif

/* Of the program: an alarm has no argument. */
static gchar watchdog_text[256], watchdog_pid[16];
static gint64
    watchdog_due; /* monotonic, us: when the program's own looks; 0: none */

/* Prints on stderr how long each thread ran and waited for a core (ns), since a machine
 * that is too busy looks like a hang, and, by gdb if it is there, where each is. */
static inline void
watchdog_look (gint sig)
{
  gint was = errno; /* of the code that goes on */
  pid_t gdb = watchdog_fork ();

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
  errno = was;
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
 * goes on: it may be slow.  The latter is the program's own, which waits while one with a
 * text runs. */
static inline void
watchdog_start (guint seconds, const gchar *text)
{
  alarm (0);
  if (!text)
    watchdog_due = g_get_monotonic_time () + seconds * G_TIME_SPAN_SECOND;
  g_strlcpy (watchdog_text, text ? text : "", sizeof watchdog_text);
  g_snprintf (watchdog_pid, sizeof watchdog_pid, "%d", (gint) getpid ());
  signal (SIGALRM, text ? watchdog_end : watchdog_look);
  alarm (seconds);
}

/* Ends the one with a text; the program's own goes on. */
static inline void
watchdog_stop (void)
{
  gint64 left = watchdog_due - g_get_monotonic_time ();

  alarm (0);
  if (watchdog_due != 0)
    watchdog_start ((guint) (MAX (left, 0) / G_TIME_SPAN_SECOND) + 1, NULL);
}
