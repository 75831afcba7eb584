/* Both directions of a path, in real time.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "jobs.h"
#include "log.h"

G_BEGIN_DECLS

typedef struct
{
  const gchar *there, *back; /* chains */
  guint64 seed;
  RaSpan seconds;  /* 0: until the commands of a have ended */
  RaSpan interval; /* of the log */
  /* Optional: hears when the chain lets a packet out. */
  void (*delivered) (const LinkPacket *p, RaTime now, gpointer data);
  gpointer data;
} LinkConfig;

typedef struct _LinkLoop LinkLoop;

/* Checks whether the chains are right.  (transfer full) */
LinkLoop *link_loop_new (const LinkConfig *cfg, GError **error);
/* Starts the jobs and moves packets until it is time to end.  Returns the exit
 * status. */
gint link_loop_run (LinkLoop *l, const LinkHost hosts[LINK_HOSTS],
    LinkJobs *jobs, LinkLog *log);
/* Of ourselves: an object of JSON.  (transfer full) */
gchar *link_loop_self (const LinkLoop *l);
void link_loop_free (LinkLoop *l);

/* The caller comes before all that is not real time, if it may. */
gboolean link_realtime_enter (void);

G_END_DECLS
