/* The payloaders upstream of rtpadaptsend that leave RTP numbers out.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "skippers.h"

#include "fecenc.h"
#include "skipper.h"

GPtrArray *
skippers_stop (Skippers *s)
{
  s->n_stops++;
  return g_steal_pointer (&s->driven);
}

void
skippers_on_upstream_changed (Skippers *s)
{
  s->stale = TRUE;
}

gboolean
skippers_plan (Skippers *s, gboolean wanted, SkippersJob *job)
{
  if (!s->stale)
    return FALSE;
  s->stale = FALSE;
  *job = (SkippersJob){ .wanted = wanted,
    .driven = g_steal_pointer (&s->driven),
    .n_stops = s->n_stops };
  return TRUE;
}

void
skippers_do (SkippersJob *job, GstPad *sinkpad, GstPad *srcpad)
{
  g_autoptr (GstElement) fecenc = fecenc_find_downstream (srcpad);

  g_clear_pointer (&job->driven, g_ptr_array_unref);
  if (job->wanted)
    job->driven = skipper_find_all_upstream (sinkpad);
  job->renumbered = fecenc != NULL;
}

void
skippers_take (Skippers *s, SkippersJob *job)
{
  if (job->n_stops != s->n_stops)
    return;
  s->renumbered = job->renumbered;
  s->driven = g_steal_pointer (&job->driven);
}

void
skippers_end (SkippersJob *job)
{
  g_clear_pointer (&job->driven, g_ptr_array_unref);
}

/* An FEC encoder behind us gives the packets other numbers.  It leaves gaps where
 * we left none, and fills ours. */
void
skippers_set (const Skippers *s, guint interval)
{
  for (guint i = 0; s->driven && i < s->driven->len; i++)
    skipper_set (s->driven->pdata[i], s->renumbered ? 0 : interval);
}
