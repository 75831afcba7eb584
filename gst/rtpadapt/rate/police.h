/* Is there a policer?  Losses that depend on our own rate, not on a queue.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A token bucket, or a queue of one packet, drops what is beyond its rate and
 * delays nothing, so that loss differentiation by delay cannot see it.  But what
 * arrives stays the same however much is sent, and below that nothing is lost.
 * Seconds, bytes/s.
 */
#pragma once

#include <gst/rtpadapt/rate/sense.h>
#include <gst/rtpadapt/util/winmin.h>

G_BEGIN_DECLS

typedef struct
{
  gdouble sent, lost; /* packets, decaying */
} RaPoliceCount;

typedef struct
{
  RaWinMin most; /* minus the highest arrival rate of late */
  /* Sent well below the highest arrival rate, above it, and near the policer's rate. */
  RaPoliceCount low, high, near;
  /* The lowest `most` while `high` counts; one far above it clears `high`. */
  gdouble least;
  gboolean policed;
  gdouble b;      /* its rate, as we have to send it */
  gdouble t_loss; /* the latest loss above it */
  gdouble t_near; /* the latest loss near it */
} RaPolice;

void ra_police_init (RaPolice *p);
/* Hears a report.  TRUE: a policer took something, of what we sent too fast. */
gboolean ra_police_hear (
    RaPolice *p, const RaSense *n, const RaReport *report, gdouble target);
/* The rate, which was x before the rules and is `want` after them. */
gdouble ra_police_rate (
    RaPolice *p, const RaSense *n, gdouble x, gdouble want, gboolean loss);

G_END_DECLS
