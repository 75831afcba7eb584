/* Is the queue ours?  Drain tests, and what to do where others keep the queue
 * full.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A flow with a delay target must know the empty path, and starves where a TCP
 * fills the queue.  Both are found by sending less for a moment, half as much at the
 * least: a queue of our own drains.  V. Arun, H. Balakrishnan, "Copa", NSDI 2018, 2.2,
 * competes where the queue has not been nearly empty for 5 RTT; here the test
 * asks.  Seconds, bytes and bytes/s.
 */
#pragma once

#include <gst/rtpadapt/rate/cubic.h>
#include <gst/rtpadapt/rate/sense.h>

G_BEGIN_DECLS

typedef enum
{
  RA_DRAIN_NONE,
  RA_DRAIN_BASE,  /* is the base known? */
  RA_DRAIN_STAND, /* a queue stands */
  RA_DRAIN_LOSS,  /* losses, teeth or filling, in a queue too short to stand */
  RA_DRAIN_END    /* of a competition? */
} RaDrain;

typedef struct
{
  gdouble armed, wanted; /* parameters: loss-armed tests, tests at all */
  RaDrain drain;         /* the test that runs */
  gboolean competes;
  gboolean is_short; /* losses led to it: the queue is too short to stand */
  RaCubic tcp;       /* as a TCP would send; no window: 0 */
  gdouble per_rate;  /* packets of its window per byte/s, full ones */
  gdouble x_back;    /* after the test */
  gdouble x_own;     /* when a test last passed: the queue was ours */
  gdouble t_entered; /* the competition */
  gdouble stands;    /* S: how much of late a queue stood, 0 to 1 */
  gdouble t_drained; /* tests emptied a queue: the line is ours */
  guint n_drained;
  gdouble t_began, q_began, r_began; /* of the test: then, the queue and r */
  gdouble q_max;                     /* its longest queue */
  gdouble t_answered;   /* reports are of packets of the test from then on */
  gdouble stands_at;    /* a longer queue at the test's end is that of others */
  gdouble t_test;       /* the last one's end */
  gdouble t_low;        /* the queue was last all but empty */
  gdouble q_longest;    /* since then */
  gdouble q_top, t_top; /* the highest queue of late */
  gdouble r_top;        /* what arrived then */
  gdouble fall_own;     /* how far we may have shortened it since then */
  gboolean fell;        /* further than that */
  gdouble filled;       /* s: by how much others have lengthened the queue */
  gdouble q_before;     /* of the report before */
  guint n_teeth;        /* falls in a row after which it stayed low */
  gdouble t_tooth, q_tooth; /* the last of them, and its top */
  gdouble q_full[2]; /* the longest queue since t_full, and of as long before */
  gdouble t_full;
  gdouble t_congestion; /* the last loss to congestion */
  gdouble
      t_proof; /* the last of them among many, which are no wrong verdicts */
  gdouble
      t_passed; /* the last passed test that a queue or a competition asked for */
  gdouble t_kept;     /* the last test after which others kept the queue */
  gboolean begun;     /* a report came */
  gboolean due;       /* a test of the base is */
  gboolean lost;      /* a loss ended the ramp, and not a queue */
  gboolean begins;    /* slow start: no loss has been answered yet */
  gdouble f_lo, f_hi; /* queue of the test's end */
  guint n_floor;
  gdouble f_all, f_found; /* its packets, and verdicts of congestion */
  gdouble t_new;          /* since then the path may be another one, */
  guint n_new;            /* for so many tests, */
  gboolean due_new;       /* whose first is due */
  gdouble t_outage;       /* when the last outage ended */
  gdouble t_same;         /* a test has found that it is none */
  gdouble t_rebased;      /* a longer route was found */
  gdouble floor;          /* of the last test if it was flat, or 0 */
} RaContest;

/* Before the rules of a report: counts what it says. */
void ra_contest_hear (
    RaContest *c, const RaSense *n, gdouble target, gboolean congestion);
/* The ramp has ended, so the base has to be learnt; `lost`: a loss ended it, and the queue
 * may be a full one that looks empty. */
void ra_contest_ramp_ended (RaContest *c, gboolean lost);
/* What was sent in the ramp arrives at `x` bytes/s.  The test that the ramp's end has asked
 * for goes back to no less. */
void ra_contest_carries (RaContest *c, gdouble x);
/* Nothing came for a while. */
void ra_contest_after_outage (RaContest *c, const RaSense *n);
/* TRUE: what looks like a queue may be a longer route, as an outage ended some seconds ago
 * at most, and no test has shown which it is. */
gboolean ra_contest_doubts (const RaContest *c, const RaSense *n);
/* There was a loss to congestion in the last 10 s. */
gboolean ra_contest_lost (const RaContest *c, const RaSense *n);
/* Drain tests have shown of late that the queue is ours, and so is the line. */
gboolean ra_contest_is_ours (const RaContest *c, const RaSense *n);
/* A reduction for losses. */
void ra_contest_reduce (RaContest *c);
/* What is sent in a competition is `x` at most, and at least. */
void ra_contest_at_most (RaContest *c, gdouble x);
void ra_contest_at_least (RaContest *c, gdouble x);
/* After the rules: the rate, for which they want `x`.  `s` is the mean packet's size,
 * `full` a full one's, as a TCP sends them. */
gdouble ra_contest_rate (RaContest *c, RaSense *n, gdouble target, gdouble x,
    gdouble s, gdouble full, gdouble rtt, gboolean data_limited);

G_END_DECLS
