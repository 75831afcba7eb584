/* The commands, in a PID namespace of their own: when its init ends, the
 * kernel kills all in it, pid_namespaces(7).
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "jobs.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct
{
  gint index, status;
} Report;

void
link_signals_end (sigset_t *set)
{
  sigemptyset (set);
  sigaddset (set, SIGINT);
  sigaddset (set, SIGTERM);
  sigaddset (set, SIGHUP);
}

gboolean
link_job_is_shell (const LinkJob *job)
{
  return !job->command && !job->function;
}

/* The job itself; does not return. */
static void
job_run (const LinkJob *job, const LinkHost *host)
{
  const gchar *shell = g_getenv ("SHELL");
  static const gint reset[] = { SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGPIPE };
  sigset_t none;

  if (setns (host->ns, CLONE_NEWNET) != 0)
    _exit (126);
  if (!link_job_is_shell (job)) {
    gint null = open ("/dev/null", O_RDONLY);

    setpgid (0, 0); /* so that what it starts ends with it */
    dup2 (null, STDIN_FILENO);
  }
  /* A shell's background job, as we may be one, ignores SIGINT. */
  for (guint i = 0; i < G_N_ELEMENTS (reset); i++)
    signal (reset[i], SIG_DFL);
  sigemptyset (&none);
  sigprocmask (SIG_SETMASK, &none, NULL);
  if (job->function)
    _exit (job->function (job->data));
  if (job->command)
    execl ("/bin/sh", "sh", "-c", job->command, (gchar *) NULL);
  if (shell)
    execl (shell, shell, (gchar *) NULL);
  execl ("/bin/sh", "sh", (gchar *) NULL);
  _exit (127);
}

/* Their own /proc; where the kernel refuses they see all processes there are,
 * which harms nothing. */
static void
proc_mount (void)
{
  if (mount (NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0)
    mount ("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL);
}

static void
init_report (gint control, guint index, gint status)
{
  Report report = { (gint) index, status };

  if (send (control, &report, sizeof report, MSG_NOSIGNAL) < 0)
    _exit (0);
}

/* Whoever has ended; orphans, too, as init has to. */
static void
init_reap (const LinkJobs *j, pid_t *pids, gint control)
{
  gint status;
  pid_t pid;

  while ((pid = waitpid (-1, &status, WNOHANG)) > 0) {
    for (guint i = 0; i < j->n; i++) {
      if (pids[i] != pid)
        continue;
      pids[i] = 0;
      init_report (control, i,
          WIFSIGNALED (status) ? 128 + WTERMSIG (status)
                               : WEXITSTATUS (status));
    }
  }
}

/* A group, or the shell: the signal has to reach its children, too. */
static void
init_signal (const LinkJobs *j, const pid_t *pids, gint number)
{
  for (guint i = 0; i < j->n; i++) {
    if (pids[i] > 0 && link_job_is_shell (&j->jobs[i]))
      kill (pids[i], SIGHUP);
    else if (pids[i] > 0)
      kill (-pids[i], number);
  }
}

/* The init of the namespace; ends when the other end of control does. */
static void
init_run (const LinkJobs *j, const LinkHost *hosts, gint control)
{
  g_autofree pid_t *pids = g_new0 (pid_t, j->n);
  gint children, number;
  sigset_t set;

  prctl (PR_SET_PDEATHSIG, SIGKILL);
  proc_mount ();
  sigemptyset (&set);
  sigaddset (&set, SIGCHLD);
  sigprocmask (SIG_BLOCK, &set, NULL);
  children = signalfd (-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
  if (recv (control, &number, sizeof number, 0) <= 0)
    _exit (0);
  for (guint i = 0; i < j->n; i++) {
    pids[i] = fork ();
    if (pids[i] == 0)
      job_run (&j->jobs[i], &hosts[j->jobs[i].host]);
    if (pids[i] < 0)
      init_report (control, i, 126); /* as a shell says: could not run */
    else if (!link_job_is_shell (&j->jobs[i]))
      setpgid (pids[i], pids[i]); /* as there, whoever is first */
  }
  for (;;) {
    struct pollfd fds[] = { { control, POLLIN, 0 }, { children, POLLIN, 0 } };
    struct signalfd_siginfo info;

    poll (fds, G_N_ELEMENTS (fds), -1);
    while (read (children, &info, sizeof info) > 0)
      ;
    init_reap (j, pids, control);
    if (fds[0].revents == 0)
      continue;
    if (recv (control, &number, sizeof number, MSG_DONTWAIT) <= 0)
      _exit (0);
    init_signal (j, pids, number);
  }
}

gboolean
link_jobs_init (
    LinkJobs *j, LinkJob *jobs, guint n, const LinkHost *hosts, GError **error)
{
  sigset_t set;
  gint pair[2];
  long pid;

  *j = (LinkJobs){ jobs, n, -1, -1 };
  link_signals_end (&set);
  sigprocmask (SIG_BLOCK, &set, NULL);
  if (socketpair (AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0) {
    g_set_error (error, G_IO_ERROR, g_io_error_from_errno (errno),
        "no pair of sockets: %s", g_strerror (errno));
    return FALSE;
  }
  /* As fork() but into namespaces; unshare() would keep us from threads. */
  pid = syscall (
      SYS_clone, CLONE_NEWPID | CLONE_NEWNS | SIGCHLD, NULL, NULL, NULL, 0);
  if (pid == 0) {
    close (pair[0]);
    init_run (j, hosts, pair[1]);
  }
  close (pair[1]);
  if (pid < 0) {
    g_set_error (error, G_IO_ERROR, g_io_error_from_errno (errno),
        "no PID namespace: %s", g_strerror (errno));
    close (pair[0]);
    return FALSE;
  }
  j->init = (gint) pid;
  j->control = pair[0];
  return TRUE;
}

void
link_jobs_start (LinkJobs *j)
{
  link_jobs_signal (j, 0);
}

gint
link_jobs_ended (LinkJobs *j)
{
  Report report;

  if (recv (j->control, &report, sizeof report, 0) != sizeof report)
    return -1;
  j->jobs[report.index].ended = TRUE;
  j->jobs[report.index].status = report.status;
  return report.index;
}

void
link_jobs_signal (LinkJobs *j, gint number)
{
  if (send (j->control, &number, sizeof number, MSG_NOSIGNAL) < 0)
    g_debug ("nobody to tell %d: %s", number, g_strerror (errno));
}

void
link_jobs_clear (LinkJobs *j)
{
  if (j->init < 0)
    return;
  close (j->control);
  /* It ends by itself now, but not if somebody stopped it. */
  kill (j->init, SIGKILL);
  waitpid (j->init, NULL, 0);
  j->init = -1;
}
