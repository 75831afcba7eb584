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
  gdouble now, dt;  /* of this report; since the one before, .2 at most */
  gdouble interval; /* I: between reports, R where that is not known */
  gdouble lag;      /* D: until the answer to a change of rate is seen */
  gdouble q_lo, q_hi;
  gdouble q_grew; /* by so much q_lo is more than that of the report before */
  gdouble q2;     /* lowest queue of the last two reports, less the jitter */
  gdouble qm;     /* lowest queue of about a lag, less the jitter */
  gdouble jitter; /* what of a queue does not count */
  gdouble q_most; /* the highest q_lo of the last seconds */
  gdouble allowance; /* part of the jitter that need not count, 0: none */
  gdouble r;         /* delivered rate over about a lag; 0 until known */
  gdouble packet; /* what one takes on the line, at r or a third of the highest
                       r of late; 0 until known */
  gdouble shortest;   /* and at the highest r of late */
  gdouble used;       /* as r, but also falls where the source sends less */
  gdouble offered;    /* used, and what congestion took: what was sent */
  gdouble a;          /* of r what arrived: without the radio's losses */
  gdouble r_last;     /* over .02 s or one report, the latest */
  gdouble a_two;      /* the higher of the last two of a's samples */
  gdouble raw;        /* share of all packets lost, of the last 250 or so */
  gdouble congested;  /* share of the lost that was congestion, of late */
  gdouble raw_3s;     /* of the last 3 s */
  gdouble events_3s;  /* loss events per packet, of the last 3 s: what is lost
                          within a round trip is one (RFC 5348 5.2) */
  gboolean lost;      /* anything, in this report */
  gdouble all, found; /* its packets, and verdicts of congestion */
  gdouble raw_empty;  /* share lost of the last 250 or so that met no queue */
  gdouble shift;      /* of the base: a longer route, or a clock that was set */
  gdouble r_most;     /* the highest r of the last minute or so */
  gdouble dev;        /* of q_lo's noise */
  gdouble dev_lasts;  /* dev, or less for some seconds after it rose */
  gdouble t_rose; /* the queue last grew as it does where the line is slower */
  RaTime t_recvdata; /* when the last packet of r arrived */
  /* private */
  gdouble lo[RA_SENSE_QUEUES], lo_at[RA_SENSE_QUEUES];
  gdouble q_report;  /* queue of the packet of t_recvdata */
  gdouble rtt_least; /* 0 until known */
  guint n_odd;       /* reports in a row whose queue the RTT denies */
  guint n_lo;
  guint n_dev; /* samples of dev, until they are many */
  guint n_raw;
  gdouble t_event; /* the last loss event */
  gboolean begun, had_event;
  gboolean gone; /* the next report has no sample of r */
  RaTime t_report;
  gdouble a_last, q_recvdata, delivered, arrived, sent;
  gdouble sent_x[RA_SENSE_RATES], sent_at[RA_SENSE_RATES];
  guint n_sent;
} RaSense;

/* A report; `allowance` scales the jitter allowance, 0: none. */
void ra_sense_hear (RaSense *n, const RaReport *report, gdouble s,
    gdouble allowance, RaTime now);
/* The mean deviation, s, that three queues in a row show; the mean of many such is that of
 * their noise, without what a ramp adds.  `q`: three of them, s, in the order of time or
 * the other way. */
gdouble ra_sense_deviation (const gdouble *q);
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
