/* When is a run over, and how well did it go?
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The exit status of a command that we ended does not count.
 */
#include "end.h"

#include <poll.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

#define PATIENCE (5 * RA_SECOND)

void
link_end_init (LinkEnd *e, LinkJobs *jobs, RaTime start, RaSpan seconds)
{
  sigset_t set;

  *e = (LinkEnd){ .jobs = jobs };
  e->until = seconds ? ra_later (start, seconds) : RA_TIME_NONE;
  link_signals_end (&set);
  for (guint i = 0; i < jobs->n; i++) {
    if (link_job_is_shell (&jobs->jobs[i]))
      sigdelset (&set, SIGINT); /* Ctrl-C is for what runs in it */
  }
  e->signals = signalfd (-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
}

static guint
running (const LinkEnd *e, guint host)
{
  guint n = 0;

  for (guint i = 0; i < e->jobs->n; i++)
    n += e->jobs->jobs[i].host == host && !e->jobs->jobs[i].ended;
  return n;
}

static void
ask_to_end (LinkEnd *e, RaTime now)
{
  e->asked = TRUE;
  e->until = ra_later (now, PATIENCE);
  link_jobs_signal (e->jobs, SIGINT);
}

static void
complain (const LinkJob *job, const gchar *what)
{
  g_printerr ("rtpadapt-link: --%c '%s' %s\n", 'a' + (gint) job->host,
      job->command ? job->command : "", what);
}

/* A shell's status is that of the last thing typed. */
static void
job_ended (LinkEnd *e)
{
  gint i = link_jobs_ended (e->jobs);
  g_autofree gchar *what = NULL;
  const LinkJob *job;

  if (i < 0) {
    g_printerr ("rtpadapt-link: the process of the commands was killed\n");
    e->failed = e->over = TRUE;
    return;
  }
  job = &e->jobs->jobs[i];
  if (e->asked || job->status == 0 || link_job_is_shell (job))
    return;
  e->failed = TRUE;
  what = g_strdup_printf ("ended with %d", job->status);
  complain (job, what);
}

/* The first signal ends the commands, by SIGINT, the second one kills them. */
static void
signals_read (LinkEnd *e, RaTime now)
{
  struct signalfd_siginfo info;

  while (read (e->signals, &info, sizeof info) == sizeof info) {
    e->interrupted = (gint) info.ssi_signo;
    e->over = e->asked;
    if (!e->asked)
      ask_to_end (e, now);
  }
}

gboolean
link_end_reached (LinkEnd *e, RaTime now)
{
  struct pollfd control = { e->jobs->control, POLLIN, 0 };

  signals_read (e, now);
  while (!e->over && poll (&control, 1, 0) > 0)
    job_ended (e);
  if (e->asked && now >= e->until) {
    for (guint i = 0; i < e->jobs->n; i++) {
      if (!e->jobs->jobs[i].ended)
        complain (&e->jobs->jobs[i], "did not end and is killed");
    }
    e->over = TRUE;
  } else if (!e->asked && (running (e, 0) == 0 || now >= e->until)) {
    ask_to_end (e, now);
  }
  return e->over || running (e, 0) + running (e, 1) == 0;
}

gint
link_end_status (const LinkEnd *e)
{
  return e->interrupted ? 128 + e->interrupted : e->failed ? 1 : 0;
}

void
link_end_clear (LinkEnd *e)
{
  close (e->signals);
}
