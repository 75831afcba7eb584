/* The commands: in a PID namespace of their own, so that nothing of them
 * outlives us, however we end.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "hosts.h"

#include <signal.h>

G_BEGIN_DECLS

/* A command of sh, a function, or with neither a shell to type into. */
typedef struct
{
  guint host;
  const gchar *command;
  int (*function) (gpointer data); /* returns its exit status */
  gpointer data;

  gboolean ended;
  gint status; /* as a shell's $? */
} LinkJob;

typedef struct
{
  LinkJob *jobs;
  guint n;
  gint init;    /* the process that has them all */
  gint control; /* readable when one has ended */
} LinkJobs;

/* The jobs start with link_jobs_start().  To be called before any thread is;
 * blocks the signals that ask us to end. */
gboolean link_jobs_init (
    LinkJobs *j, LinkJob *jobs, guint n, const LinkHost *hosts, GError **error);
void link_jobs_start (LinkJobs *j);
/* To be called when control is readable: the index of a job that has ended, or
 * -1 if the process that has them is gone. */
gint link_jobs_ended (LinkJobs *j);
/* To all that still run. */
void link_jobs_signal (LinkJobs *j, gint number);
/* Kills what still runs, and waits until nothing is left of it. */
void link_jobs_clear (LinkJobs *j);

gboolean link_job_is_shell (const LinkJob *job);
/* SIGINT, SIGTERM and SIGHUP. */
void link_signals_end (sigset_t *set);

G_END_DECLS
