/* The controller delay: its state, and its answer to losses.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gst/rtpadapt/rate/contest.h>
#include <gst/rtpadapt/rate/crowd.h>
#include <gst/rtpadapt/rate/police.h>
#include <gst/rtpadapt/rate/sense.h>
#include <gst/rtpadapt/rate/start.h>

G_BEGIN_DECLS

typedef struct
{
  RaStart start;
  /* parameters */
  gdouble target, own, target_max, brake, allowance, follow, ramp_forgives,
      tests, armed, policer, tcp;

  RaSense sense;
  RaContest contest;
  RaPolice police;
  RaCrowd crowd;
  gboolean ramp;
  gdouble target_now;
  gdouble t_stands;       /* a longer queue may be that of others */
  RaTime t_reduced;       /* for losses; RA_TIME_NONE */
  gdouble t_verdict;      /* the ramp's latest loss at an empty queue */
  gdouble x_silent;       /* the rate before a silence, until it is back; 0 */
  RaTime silenced;        /* when the timer last expired */
  gdouble x_tcp;          /* a TCP's rate at the loss events found; 0: none */
  gdouble x_loss, t_loss; /* the latest real loss: the rate after, when */
  gdouble t_ramp;         /* its end */
  gdouble t_brake;        /* the brake last tripped */
  gdouble t_free;         /* the line was last not free */
  gdouble r_busy;         /* r when a queue last stood */
  gdouble t_valid; /* the source last used what it may, or a queue stood */
  gboolean clear;  /* the last train of packets met no queue */
  guint followed; /* packets that followed others of a frame and met no queue */
  gdouble r_over; /* what arrived when it was last too long, */
  gdouble t_far, r_far; /* and when it was last an outage's */
  gboolean silent;      /* the timer has expired since the last report */
  gboolean was_far;     /* no loss has been answered since then */
  gdouble x_far;        /* x before that queue, and others of its kind */
} RaDelayRate;

/* Each TRUE if it has answered the report. */
gboolean ra_delay_brakes (RaDelayRate *d, gdouble radio, RaTime now);
gboolean ra_delay_loses (RaDelayRate *d, const RaReport *report, RaTime now);
/* The ramp is over, if it was not; `lost`: because of a loss. */
void ra_delay_end_ramp (RaDelayRate *d, gboolean lost);
/* What arrives was sent in the ramp. */
gboolean ra_delay_echoes (const RaDelayRate *d);

G_END_DECLS
