/* The losses of an outage, which are no congestion.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gst/rtpadapt/rate.h>

G_BEGIN_DECLS

typedef struct
{
  guint64 next;    /* the first packet after the latest outage, which took all
                      losses before it */
  RaTime ended;    /* when that outage ended, RA_TIME_NONE: there was none */
  gboolean masked; /* p still counts the losses of that outage */
  gdouble p;       /* of the latest report, without them */
  guint64 hidden; /* losses that nobody counted, and that have not come since */
} RaOutageMask;

void ra_outage_mask_init (RaOutageMask *o);
/* An outage ended; `next` is the number of the next packet that leaves. */
void ra_outage_mask_end (RaOutageMask *o, guint64 next, RaTime now);
/* Removes the outage's losses from a report that came at `now`: those that were due
 * before the outage ended.  p stays at its value from before as long as only they have
 * raised it. */
void ra_outage_mask_hide (RaOutageMask *o, RaReport *report, RaTime now);
/* So many packets (`n`) that left before the outage ended were reported lost and came
 * after all.  Returns how many of their losses were hidden: these need not be taken
 * back. */
guint ra_outage_mask_recover (RaOutageMask *o, guint n);

G_END_DECLS
