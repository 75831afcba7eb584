/* What a controller whose paper says neither how to begin nor what to do in
 * silence borrows from TFRC: slow start and the nofeedback timer (RFC 5348 4).
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * RaStart is the base of such a controller's struct.  Rates are bytes/s.
 */
#pragma once

#include <gst/rtpadapt/rate.h>

G_BEGIN_DECLS

typedef struct
{
  RaRate base;
  gdouble x;         /* the allowed rate; cfg.min and cfg.max limit it */
  gdouble threshold; /* slow start below it; Infinity before the first loss */
  RaTime t_set;      /* when the nofeedback timer was set */
  gboolean begun;    /* a report came */
} RaStart;

/* ops->init: cfg.start, else one packet per second (RFC 5348 4.2). */
void ra_start_init (RaRate *r, RaTime now);
/* On every report; TRUE for the first, which gives R and so x. */
gboolean ra_start_on_report (RaStart *t, const RaReport *report);
/* How long until the answer to a change is seen: R, or the time between
 * reports where those are rarer. */
RaSpan ra_start_round (const RaStart *t);
/* `since` was a round or more ago, or never. */
gboolean ra_start_due (const RaStart *t, RaTime since, RaTime now);
/* TRUE: the newest loss of the report is of a packet that left at `t` or later, or `t` is
 * RA_TIME_NONE.  `t` is the last reduction, which has answered earlier losses. */
gboolean ra_start_is_news (const RaReport *report, RaTime t, RaTime now);
/* The rate a round without loss later: `step` more, or in slow start twice as
 * much, but not above twice what was received. */
gdouble ra_start_raised (const RaStart *t, gdouble x_recv, gdouble step);
/* At a congestion loss, the rate that it speaks of: in slow start what was
 * received, as half of what is sent is too much (RFC 5348 6.3.1); else x. */
gdouble ra_start_lost (const RaStart *t, gdouble x_recv);
/* x falls to `x`, and no slow start beyond it. */
void ra_start_reduce (RaStart *t, gdouble x);
/* Every change of x ends here: the answer, and the nofeedback timer. */
void ra_start_finish (RaStart *t, RaTime now);
/* ops->on_timeout: halves x (RFC 5348 4.4). */
void ra_start_on_timeout (RaRate *r, RaTime now);

G_END_DECLS
