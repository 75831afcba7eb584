/* The losses of an outage, which are no congestion.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <gst/rtpadapt/safety/outagemask.h>

void
ra_outage_mask_init (RaOutageMask *o)
{
  *o = (RaOutageMask){ .ended = RA_TIME_NONE };
}

void
ra_outage_mask_end (RaOutageMask *o, guint64 next, RaTime now)
{
  o->next = next;
  o->ended = now;
  o->masked = TRUE;
  o->hidden
      = 0; /* what has not come since the outage before does not come any more */
}

void
ra_outage_mask_hide (RaOutageMask *o, RaReport *report, RaTime now)
{
  RaTime due = ra_later (report->t_recvdata, -MAX (report->loss_age, 0));

  if (o->ended != RA_TIME_NONE) /* the clock may have gone back */
    o->ended = MIN (o->ended, now);
  if (o->ended != RA_TIME_NONE && due < o->ended) {
    o->hidden += (guint64) report->lost_congestion + report->lost_wireless;
    report->n_events = report->lost_congestion = report->lost_wireless
        = report->wireless_runs = 0;
  }
  o->masked &= report->n_events == 0 && report->lost_congestion == 0;
  if (o->masked)
    report->p = MIN (report->p, o->p);
}

guint
ra_outage_mask_recover (RaOutageMask *o, guint n)
{
  guint hidden = (guint) MIN (n, o->hidden);

  o->hidden -= hidden;
  return hidden;
}
