/* What a controller with a delay target takes from a report: the queue without its
 * noise, and the delivered rate.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Seconds, bytes and bytes/s.
 */
#pragma once

#include <gst/rtpadapt/rate.h>

G_BEGIN_DECLS

#define RA_SENSE_QUEUES 8
#define RA_SENSE_RATES 64
#define RA_SENSE_PACKETS 250 /* a share of lost packets is of about so many */

typedef struct
{
  /* --- times ----------------------------------------------------------------- */

  gdouble now; /* This report came then. */
  gdouble dt;  /* The one before came so long ago; .2 at most. */
  /* I is the time between reports, or R where it is not known. */
  gdouble interval;
  gdouble lag; /* D passes until the answer to a change of rate is seen. */

  /* --- the queue ------------------------------------------------------------- */

  gdouble q_lo, q_hi; /* The packets of this report met these queues. */
  gdouble q_grew;     /* q_lo is so much more than in the report before. */
  /* These are the lowest queue of the last two reports, and of about a lag, less the
   * jitter. */
  gdouble q2, qm;
  gdouble q_most;    /* This is the highest q_lo of the last seconds. */
  gdouble dev;       /* This is the standard deviation of q_lo's noise. */
  gdouble dev_lasts; /* It is dev, or less for some seconds after dev rose. */
  gdouble allowance; /* This part of the jitter need not count; 0: none. */
  gdouble jitter;    /* So much of a queue does not count. */
  /* The base is off by so much: the route became longer, or a clock was set. */
  gdouble shift;
  gdouble t_rose; /* The queue last grew as it does where the line is slower. */

  /* --- what arrives ---------------------------------------------------------- */

  gdouble r;      /* This is the delivered rate over about a lag; 0: unknown. */
  gdouble r_last; /* The latest sample of it is over .02 s or one report. */
  gdouble r_most; /* This is the highest r of the last minute or so. */
  gdouble a;      /* So much of r arrived: it has no losses of the radio. */
  gdouble a_two;  /* This is the higher one of the last two samples of a. */
  gdouble used;   /* It is as r, but also falls where the source sends less. */
  gdouble offered; /* It is `used` and what congestion took: what was sent. */
  /* A packet takes so long on the line, at r or a third of r_most, and at r_most; 0 until
   * known. */
  gdouble packet, shortest;
  RaTime t_recvdata; /* The last packet of r was sent then. */

  /* --- what is lost ---------------------------------------------------------- */

  gboolean lost;  /* A packet of this report was lost. */
  gdouble all;    /* This report has so many packets, */
  gdouble found;  /* and so many verdicts of congestion. */
  gdouble raw;    /* This share of the last 250 packets or so was lost. */
  gdouble raw_3s; /* This share was lost in the last 3 s. */
  /* This share was lost of the last 250 or so that met no queue. */
  gdouble raw_empty;
  gdouble congested; /* This share of what was lost of late was congestion. */
  /* So many loss events per packet began in the last 3 s: what is lost within a round trip
   * is one (RFC 5348 5.2). */
  gdouble events_3s;

  /* --- private --------------------------------------------------------------- */

  /* q_lo of the last reports, the latest first, and when they came. */
  gdouble lo[RA_SENSE_QUEUES], lo_at[RA_SENSE_QUEUES];
  guint n_lo;
  gdouble q_report;  /* The packet of t_recvdata met this queue. */
  gdouble rtt_least; /* This is the shortest RTT; 0: unknown. */
  guint n_odd;       /* The RTT denies the queue of so many reports in a row. */
  guint n_dev;       /* dev has so many samples, until they are many. */
  guint n_raw;       /* raw has so many packets, until they are many. */
  gdouble t_event;   /* The last loss event began then. */
  gboolean begun, had_event;
  gboolean gone; /* The next report has no sample of r. */
  RaTime t_report;
  gdouble a_last, q_recvdata, delivered, arrived, sent;
  gdouble sent_x[RA_SENSE_RATES], sent_at[RA_SENSE_RATES];
  guint n_sent;
} RaSense;

/* A report; `allowance` scales the jitter allowance, 0: none. */
void ra_sense_hear (RaSense *n, const RaReport *report, gdouble s,
    gdouble allowance, RaTime now);
/* s: by how much the lowest queues of the last lag's reports differ, two of them at least. */
gdouble ra_sense_range (const RaSense *n);
/* Within the last 8 reports the queue has become longer by a tenth of a second, and by the
 * share `least` of this time. */
gboolean ra_sense_rises (const RaSense *n, gdouble least);
/* A part of ra_sense_hear(): the line has become slower. */
void ra_sense_hear_rise (RaSense *n);
/* s.  A queue that stands so soon after that is its backlog. */
#define RA_SENSE_ROSE_FOR 4
static inline gboolean
ra_sense_rose (const RaSense *n)
{
  return n->now - n->t_rose <= RA_SENSE_ROSE_FOR;
}
/* TRUE: the report, which has not been heard yet, ends a gap: nothing that was sent for a
 * while came. */
gboolean ra_sense_gap (const RaSense *n, const RaReport *report);
/* Before ra_sense_hear(): the report ends a gap, and what arrived in it is not what the line
 * carries. */
void ra_sense_gone (RaSense *n);
/* The path is `by` longer than thought, until it is shorter again.  What was lost before
 * was lost on another one. */
void ra_sense_rebase (RaSense *n, gdouble by);
/* The rate is `x` from now on. */
void ra_sense_set (RaSense *n, gdouble x);
/* The controller's own rate one lag ago, which a guard may have lowered; 0 if that was
 * before the first, and the oldest that is kept if that is younger. */
gdouble ra_sense_x_then (const RaSense *n);

G_END_DECLS
