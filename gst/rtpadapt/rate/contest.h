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
  /* Parameters: tests after losses in a short queue; tests at all. */
  gdouble armed, wanted;
  gboolean begun; /* A report came. */

  /* --- the base ------------------------------------------------------------- */

  gdouble t_low;     /* The queue was all but empty then, for the last time. */
  gdouble q_longest; /* This is the longest queue since then. */
  gboolean due;   /* The ramp has ended, and no test of the base has begun. */
  gboolean lost;  /* A loss ended the ramp, not a queue. */
  gdouble stands; /* S, 0 to 1, is how much of late a queue stood. */

  /* --- the test ------------------------------------------------------------- */

  RaDrain drain;      /* This test runs. */
  gdouble t_began;    /* It began then, */
  gdouble q_began;    /* the queue was so long, */
  gdouble r_began;    /* and so much arrived. */
  gdouble q_max;      /* This has been its longest queue. */
  gdouble t_answered; /* Reports are of its packets from then on. */
  gdouble stands_at;  /* A longer queue at its end is that of others. */
  gdouble x_back;     /* The rate goes back to this after it. */
  /* Its last reports: the shortest and the longest queue, how many they are, their packets,
   * and verdicts of congestion. */
  gdouble f_lo, f_hi;
  guint n_floor;
  gdouble f_all, f_found;
  gdouble floor;    /* The last test ended at this one queue; 0: it did not. */
  gdouble t_test;   /* The last test ended then. */
  gdouble x_own;    /* This was the rate when a test last passed. */
  gdouble t_passed; /* A test for a queue or a competition passed then. */
  gdouble t_kept;   /* Others still kept the queue after a test then. */
  gboolean waited; /* It may have been a longer route: the next test decides. */
  guint n_drained; /* So many tests in a row have emptied a queue. */
  gdouble t_drained; /* Enough of them had then: the line was ours. */

  /* --- teeth: what a TCP makes of the queue ---------------------------------- */

  gdouble q_top;    /* This is the highest queue of late. */
  gdouble t_top;    /* A report had it at this time, s. */
  gdouble r_top;    /* Packets arrived at this rate then, bytes/s. */
  gdouble fall_own; /* We may have shortened the queue so far since then. */
  gboolean fell;    /* It fell further than that. */
  guint n_teeth;    /* After so many falls in a row it stayed low. */
  gdouble t_tooth;  /* The last of these falls was then, */
  gdouble q_tooth;  /* from this top. */
  gdouble t_full;   /* q_full[0] began then. */
  /* [0] is the longest queue since t_full, [1] that of the 10 s before. */
  gdouble q_full[2];
  gdouble filled;   /* Others have lengthened the queue by so much, s. */
  gdouble q_before; /* The report before had this queue. */

  /* --- the competition ------------------------------------------------------- */

  gboolean competes;
  /* A test of a queue that is too short to stand led to it. */
  gboolean is_short;
  gboolean begins;   /* It is in slow start: no loss has been answered yet. */
  gdouble t_entered; /* It began then. */
  RaCubic tcp;       /* A TCP would send this; no window: 0. */
  gdouble per_rate;  /* The window has so many full packets per byte/s. */
  gdouble t_congestion; /* The last loss to congestion was found then. */
  gdouble t_proof; /* So many were found that they are no wrong verdicts. */

  /* --- another path ---------------------------------------------------------- */

  gdouble t_new;    /* The path may be another one since then. */
  guint n_new;      /* So many tests may still ask whether it is. */
  gboolean due_new; /* The first of them has not begun. */
  gdouble t_same;   /* A test found the path to be the same then. */
  gdouble t_outage; /* The last outage ended then. */
  /* This report's test found the route to be so much longer, s; 0: it did not. */
  gdouble rebased_by;
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
 * `full` a full one's, as a TCP sends them.  The caller moves the base by `rebased_by`. */
gdouble ra_contest_rate (RaContest *c, const RaSense *n, gdouble target,
    gdouble x, gdouble s, gdouble full, gdouble rtt, gboolean data_limited);

G_END_DECLS
