/* When is a run over, and how well did it go?
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "jobs.h"

#include <gst/rtpadapt/types.h>

G_BEGIN_DECLS

typedef struct
{
  LinkJobs *jobs;
  gint signals;   /* readable when a signal asks us to end */
  RaTime until;   /* or RA_TIME_NONE */
  gboolean asked; /* the commands were; until is when they are killed */
  gboolean over;
  gint interrupted; /* the signal */
  gboolean failed;  /* some command */
} LinkEnd;

void link_end_init (LinkEnd *e, LinkJobs *jobs, RaTime start, RaSpan seconds);
/* Hears signals and commands that ended, and ends the others. */
gboolean link_end_reached (LinkEnd *e, RaTime now);
gint link_end_status (const LinkEnd *e);
void link_end_clear (LinkEnd *e);

G_END_DECLS
