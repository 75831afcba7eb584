/* A congestion window that is paced as a rate, for the controllers of TCP's
 * family: what they share.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gst/rtpadapt/rate.h>

G_BEGIN_DECLS

#define RA_WINDOW_SENT 2048 /* packets whose send time is kept */
#define RA_WINDOW_PERIODS 8 /* measurement periods of RFC 7661 4.5 */

typedef struct
{
  RaTime begun;
  gdouble bytes; /* the largest sample */
} RaWindowPeriod;

typedef struct
{
  RaRate base;
  gdouble min_rto, jitter; /* parameters */

  gdouble cwnd, ssthresh;    /* packets of `s` bytes */
  gdouble s;                 /* what they are counted in */
  gdouble srtt, rttvar, rto; /* RFC 6298, s; srtt is 0 before the first */
  gdouble r_sample;          /* the latest, s */
  RaTime t_rtt;              /* when srtt moved */
  RaTime recover;            /* of the latest decrease, or RA_TIME_NONE */
  RaTime t_reported;         /* t_recvdata of the latest report */
  RaTime validated;          /* cwnd was last known to be in use */
  guint64 n_periods;         /* so far */
  RaWindowPeriod pipe[RA_WINDOW_PERIODS]; /* the latest of them, a ring */
  gdouble x_recv;                         /* of the latest report, bytes/s */
  guint64 n_sent;
  RaTime sent[RA_WINDOW_SENT]; /* when, a ring */
  gboolean timed_out;          /* and no later packet was heard of */
} RaWindow;

extern const RaParam ra_window_params[];
/* RaRateOps.absolute of all of them. */
#define RA_WINDOW_ABSOLUTE "RFC 7661 4.2: pipeACK is the most of 1 s"

/* What a report asks for. */
typedef enum
{
  RA_WINDOW_KEEP,  /* it is about what was sent before the last decrease */
  RA_WINDOW_GROW,  /* of acknowledged packets: ra_window_grow() */
  RA_WINDOW_SHRINK /* of a new congestion event: ra_window_shrink() */
} RaWindowStep;

/* RaRateOps.init and .on_sent of all of them. */
void ra_window_init (RaRate *r, RaTime now);
void ra_window_on_sent (RaRate *r, guint size, RaTime now);

/* First in on_report(): RTT, timeout, validation. */
RaWindowStep ra_window_hear (RaWindow *w, const RaReport *report, RaTime now);
/* `n` packets were acknowledged: slow start, then `alpha` packets per window
 * of them. */
void ra_window_grow (RaWindow *w, gdouble alpha, guint n, RaTime now);
/* A new ssthresh; cwnd falls to it. */
void ra_window_shrink (RaWindow *w, gdouble ssthresh, RaTime now);
/* The timer expired. */
void ra_window_expire (RaWindow *w, gdouble ssthresh, RaTime now);
/* Last in on_report() and on_timeout(): the rate. */
void ra_window_finish (RaWindow *w);

/* The part of cwnd that is in use: what a decrease starts from. */
gdouble ra_window_flight (const RaWindow *w, RaTime now);
void ra_window_observe (const RaRate *r, RaObserve emit, gpointer data);

G_END_DECLS
