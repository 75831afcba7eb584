/* Is the queue ours?  Drain tests and competition.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Constants without a paper are our own, measured (tests/bench/delay and
 * ns-3 with Reno and Cubic).
 */
#include <gst/rtpadapt/rate/contest.h>

#include <gst/rtpadapt/rate/equation.h>

#include <math.h>

/* --- the base --- */

#define ALL_BUT_EMPTY .002 /* s: such a queue shows the base. */
#define BASE_AGE 10.       /* s: the base is believed for so long, */
#define JOIN_AGE 5. /* or for so long where another flow seems to test. */
/* Another flow seems to test where the queue is shorter than this part of the longest. */
#define JOIN .6
/* A queue stands that is so many times the target, and so much longer, s. */
#define STANDING 1.3
#define STANDING_MORE .003
#define STANDS_TIME 2. /* s: S is a mean over so long. */
#define STANDS .4      /* Above this S asks for a test. */
#define STANDS_NOT .15 /* Below this the queue has gone. */
/* Above this S asks for one soon after one that passed. */
#define STANDS_AGAIN .2
#define AGAIN_WITHIN 8. /* s: that is so soon. */

/* --- the test --- */

/* A test leaves this part of the rate: a queue of D s drains in 2 D. */
#define DRAIN .5
/* A test after losses lowers the rate just so far that the queue, and this much
 * more, drains within a lag.  Such tests are frequent, and frames that wait for the
 * end of one are late. */
#define DRAIN_MORE .010
#define EMPTY .004 /* s: a test that shortens the queue to this has passed. */
/* Two tests that empty a queue longer than OURS s show that the line is ours, for
 * OURS_FOR s. */
#define OURS .008
#define OURS_TESTS 2
#define OURS_FOR 30.
/* s: so far apart are the tests of the base, of a queue that stands, and of a queue
 * too short to stand. */
#define GAP_BASE 5.
#define GAP_STANDS 2.
#define GAP_LOSS 4.
#define LOSS_RECENT 5. /* s: a loss asks for a test for so long. */
#define LOSS_PROOF 10. /* s: a loss shows others for so long. */
/* s: a queue too short to stand is tested from this on. */
#define LOSS_QUEUE .008
#define PROOF_LEAST .15 /* A lower share of the losses is wrong verdicts. */
#define KEPT_FOR 30. /* s: a rival that a test has found may still be there. */
/* A test leaves this part at least of a queue that others keep. */
#define TEST_LEAVES .8
/* The reports of a test's end are flat where their queues differ by less than FLAT s and
 * their noise, and are so many at least. */
#define FLAT .003
#define FLAT_REPORTS 2
/* A flow below this part of what the line has carried fills no queue. */
#define STARVED .1
/* A test that loses more than usual may have ended in a full queue.  Its losses may exceed
 * the usual ones by SIGMAS standard deviations of a Poisson count.  Where the share lost of
 * late exceeds the usual share by LOSS_MORE, the test has to be so long that LOSSES_DUE
 * losses are due: only then does their absence show an empty queue. */
#define SIGMAS 2
#define LOSS_MORE .01
#define LOSSES_DUE 2

/* --- teeth --- */

/* A TCP's sawtooth: the queue, which is longer than the target, falls by TOOTH_FALL and
 * more within TOOTH_LAGS lags, and further than by TOOTH_OWN times what our sending less
 * than arrives takes from it.  TEETH of them within TEETH_WITHIN s show that somebody else
 * fills the queue, though no packet of ours is lost. */
#define TOOTH_FALL .35
#define TOOTH_LAGS 3
#define TOOTH_OWN 1.5
#define TEETH 2
#define TEETH_WITHIN 10.
/* A queue of so many times the target stands, and is not a tooth. */
#define TOOTH_MOST 2.2
/* After a test of a flow of our kind the queue is soon as long as before.  After a tooth
 * it is below this part of its top for so many lags. */
#define TOOTH_LOW .8
#define TOOTH_STAYS 7
/* A queue that a TCP fills has one length, its limit: a tooth begins above this part of the
 * longest queue of late.  Flows of our kind that come one after the other make tops of
 * any length. */
#define TOOTH_FULL .9
/* The tops of two teeth in a row differ by a tenth at most. */
#define TOOTH_ALIKE .9
/* Others have lengthened the queue by so much, s: it became longer, or no shorter, while
 * we sent less than arrived. */
#define FILLED .030
/* This per second is forgotten, so that errors do not add up. */
#define FILLED_DRIFT .003
/* A test that passed may have by chance: this part is kept. */
#define FILLED_KEPT .5

/* --- the competition --- */

/* During a competition the line has become slower where the queue grows by this part of the
 * time that passes; ROSE_EACH of rate/sense.c is for other times. */
#define GREW_EACH .5
#define HALF .5 /* A TCP would have halved its rate once until it is sure. */
#define ENTRY_LAGS 4 /* After so many r is of the competition. */
/* A competition before the first answered loss begins with half as much again per
 * round: half of slow start's growth, as the rival has filled the queue. */
#define BEGIN .5
/* A belt: what a TCP has at as many losses, and twice that for those that an LDA
 * calls the radio's; or four times the window of a CUBIC that sees the same events,
 * which goes with p^(-3/4): with four times the packets p is a fourth. */
#define RENOS 2.
#define CUBICS M_SQRT2
/* A TCP's packets are full ones (RFC 4828 4.1), unless so many are lost that many
 * flows share. */
#define FEW_LOST .01
#define MANY_LOST .03

/* --- another path --- */

/* s: for so long after an outage, or after the queue has jumped, the path may be another
 * one, whose base is not known. */
#define NEW_PATH 10.
#define NEW_PATH_TESTS 3 /* So many tests may ask for its base. */
#define GAP_NEW_PATH \
  1. /* s: they are so far apart, as is one that another waits for. */
/* s: a queue that keeps its length until then may be a longer route; later it may be the
 * end of a fade. */
#define NEW_PATH_EARLY 2.
/* s: an outage has cost pictures, and a test before then would delay their repair. */
#define REPAIR 1.
/* s: after a test has found the old path the radio stalls, and a jump asks for none for so
 * long. */
#define SAME_PATH 20.
/* s: the queue grows by so much within a frame's time where nearly twice what the line
 * carries arrives, or where the route is longer. */
#define JUMP .030
/* A jump is longer than so many standard deviations of the noise. */
#define JUMP_NOISE 4
#define JUMP_FROM 2 /* The queue before it was below so many that stand. */
/* The reports of a test's end differ by fewer standard deviations. */
#define FLAT_NOISE 3

/* A queue that stands is longer than one that goes by the target, or than a packet on the
 * line. */
static gdouble
standing_at (const RaSense *n, gdouble target)
{
  return STANDING * fmax (target, n->shortest) + STANDING_MORE;
}

/* What counts as standing.  A test may have shown that others fill a queue that is too
 * short to stand: a shorter one counts in the competition for it, and for some seconds
 * after it, but then not the queue that flows of our kind hold. */
static gdouble
stands_from (const RaContest *c, const RaSense *n, gdouble target)
{
  if (c->is_short && c->competes)
    return LOSS_QUEUE;
  if (c->is_short && n->now - c->t_passed < AGAIN_WITHIN)
    return fmax (LOSS_QUEUE, STANDING * target);
  return standing_at (n, target);
}

/* The path may be another one: a test asks whether it is longer. */
static void
new_path (RaContest *c, gdouble since)
{
  c->t_new = since;
  c->n_new = NEW_PATH_TESTS;
  c->due_new = TRUE;
}

/* A queue that others keep grows as fast where one more of them begins. */
static gboolean
jumps (const RaContest *c, const RaSense *n, gdouble target)
{
  return !c->competes && n->now >= c->t_new && n->now - c->t_same > SAME_PATH
      && n->q_grew > JUMP + n->packet + JUMP_NOISE * n->dev_lasts
      && n->q_lo - n->q_grew < JUMP_FROM * standing_at (n, target);
}

static gboolean
is_new_path (const RaContest *c, const RaSense *n)
{
  return c->n_new > 0 && n->now - c->t_new < NEW_PATH;
}

/* Notes the longest queue of the last 10 to 20 s. */
static void
full_hear (RaContest *c, const RaSense *n)
{
  if (n->now - c->t_full > TEETH_WITHIN) {
    c->q_full[1] = c->q_full[0];
    c->q_full[0] = 0;
    c->t_full = n->now;
  }
  c->q_full[0] = fmax (c->q_full[0], n->q2);
}

/* The highest queue of late, whether it fell from there, and whether it stays low. */
static void
teeth_hear (RaContest *c, const RaSense *n, gdouble target)
{
  gdouble since = n->now - c->t_top;

  if (c->drain != RA_DRAIN_NONE || c->competes) {
    c->q_top = 0;
    c->fell = FALSE;
  } else if (c->fell) {
    if (since < TOOTH_STAYS * n->lag)
      return;
    if (n->q2 < TOOTH_LOW * c->q_top) {
      gboolean again = n->now - c->t_tooth < TEETH_WITHIN
          && fmin (c->q_top, c->q_tooth)
              > TOOTH_ALIKE * fmax (c->q_top, c->q_tooth);

      c->n_teeth = again ? c->n_teeth + 1 : 1;
      c->q_tooth = c->q_top;
      c->t_tooth = n->now;
    }
    c->q_top = 0;
    c->fell = FALSE;
  } else if (n->q2 >= c->q_top || since > TOOTH_LAGS * n->lag) {
    c->q_top = n->q2;
    c->t_top = n->now;
    c->r_top = n->r;
    c->fall_own = 0;
  } else {
    gdouble x = ra_sense_x_then (n), fall = c->q_top - n->q2;

    /* What is sent below what arrives shortens the queue by so much at most. */
    if (x > 0 && x < c->r_top)
      c->fall_own += n->dt * (1 - x / c->r_top);
    c->fell = c->q_top > target && c->q_top < TOOTH_MOST * target
        && c->q_top > TOOTH_FULL * fmax (c->q_full[0], c->q_full[1])
        && fall > fmax (TOOTH_FALL * c->q_top, TOOTH_OWN * c->fall_own);
  }
}

/* A queue that only we fill becomes shorter by what we send less than arrives.  What
 * arrives shows a test's lower rate until two lags after it. */
static void
filled_hear (RaContest *c, const RaSense *n)
{
  gdouble x = ra_sense_x_then (n);

  if (c->competes)
    c->filled = 0;
  else if (c->drain == RA_DRAIN_NONE && x > 0 && n->r > 0
      && n->now - c->t_test > 2 * n->lag)
    c->filled = fmax (0,
        c->filled + n->q2 - c->q_before + n->dt * (1 - x / n->r)
            - FILLED_DRIFT * n->dt);
  c->q_before = n->q2;
}

void
ra_contest_hear (
    RaContest *c, const RaSense *n, gdouble target, gboolean congestion)
{
  gboolean stands;

  if (!c->begun) {
    c->t_test = c->t_low = n->now;
    c->t_drained = c->t_congestion = c->t_proof = c->t_passed = c->t_tooth
        = c->t_kept = c->t_same = c->t_new = c->t_outage = -(gdouble) INFINITY;
    c->begins = TRUE;
    c->q_before = n->q2;
  }
  c->begun = TRUE;
  stands = n->qm > stands_from (c, n, target);
  if (jumps (c, n, target))
    new_path (c, n->now);
  if (congestion)
    c->t_congestion = n->now;
  if (congestion && n->congested > PROOF_LEAST)
    c->t_proof = n->now;
  c->stands += (1 - exp (-n->dt / STANDS_TIME)) * (stands - c->stands);
  full_hear (c, n);
  teeth_hear (c, n, target);
  filled_hear (c, n);
  c->q_longest = fmax (c->q_longest, n->q_lo);
  if (n->q2 <= ALL_BUT_EMPTY) {
    c->t_low = n->now;
    c->q_longest = 0;
  }
}

void
ra_contest_ramp_ended (RaContest *c, gboolean lost)
{
  c->due = TRUE;
  c->lost = lost;
}

void
ra_contest_carries (RaContest *c, gdouble x)
{
  if (c->drain == RA_DRAIN_BASE)
    c->x_back = fmax (c->x_back, x);
}

gboolean
ra_contest_lost (const RaContest *c, const RaSense *n)
{
  return n->now - c->t_congestion < LOSS_PROOF;
}

gboolean
ra_contest_is_ours (const RaContest *c, const RaSense *n)
{
  return n->now - c->t_drained < OURS_FOR;
}

void
ra_contest_reduce (RaContest *c)
{
  if (c->tcp.w > 0)
    ra_cubic_reduce (&c->tcp);
  c->begins = FALSE;
}

void
ra_contest_at_most (RaContest *c, gdouble x)
{
  ra_cubic_limit (&c->tcp, x * c->per_rate);
}

void
ra_contest_at_least (RaContest *c, gdouble x)
{
  ra_cubic_raise (&c->tcp, x * c->per_rate);
}

void
ra_contest_after_outage (RaContest *c, const RaSense *n)
{
  new_path (c, n->now + REPAIR);
  c->t_outage = n->now;
}

gboolean
ra_contest_doubts (const RaContest *c, const RaSense *n)
{
  return c->n_new > 0 && n->now - c->t_outage < REPAIR + NEW_PATH_EARLY;
}

static gdouble
tcp_rate (const RaContest *c)
{
  return c->tcp.w / c->per_rate;
}

static gboolean
has_lost (const RaContest *c, const RaSense *n)
{
  return n->now - c->t_congestion < LOSS_RECENT;
}

static gboolean
has_teeth (const RaContest *c, const RaSense *n)
{
  return c->n_teeth >= TEETH && n->now - c->t_tooth < LOSS_RECENT;
}

/* The queue that a test of a short queue looks for.  Flows of our kind hold one as long
 * as the target, so that without losses it has to be longer. */
static gdouble
loss_queue (const RaContest *c, const RaSense *n, gdouble target)
{
  if (has_lost (c, n))
    return LOSS_QUEUE;
  return has_teeth (c, n) || c->filled > FILLED ? fmax (LOSS_QUEUE, target)
                                                : (gdouble) INFINITY;
}

static RaDrain
due (const RaContest *c, const RaSense *n, gdouble target)
{
  gdouble since = n->now - c->t_test, low = n->now - c->t_low;
  gdouble since_new = n->now - c->t_new;
  gboolean joins = n->q2 < JOIN * c->q_longest;

  if (c->wanted <= 0)
    return RA_DRAIN_NONE;
  /* Flows that lose at once test at once: if all who compete are of our kind,
   * the queue drains for all. */
  if (c->competes)
    return (since > BASE_AGE
               && (c->t_congestion >= n->now || since > BASE_AGE + LOSS_RECENT))
            || (since > GAP_BASE && joins) || c->stands < STANDS_NOT
            || (c->floor > 0 && since > GAP_STANDS)
            || (is_new_path (c, n) && since > GAP_NEW_PATH)
        ? RA_DRAIN_END
        : RA_DRAIN_NONE;
  /* A backlog of ours would become shorter.  After a lag r is that of the new path. */
  if (c->due_new && is_new_path (c, n) && since_new > n->lag
      && since_new < NEW_PATH_EARLY && n->qm > standing_at (n, target)
      && ra_sense_range (n) < FLAT + n->dev_lasts)
    return RA_DRAIN_BASE;
  if (c->stands > STANDS && since > (c->waited ? GAP_NEW_PATH : GAP_STANDS))
    return RA_DRAIN_STAND;
  if (c->armed > 0 && n->qm > loss_queue (c, n, target) && since > GAP_LOSS)
    return RA_DRAIN_LOSS;
  if (c->due || (low > BASE_AGE && since > GAP_BASE)
      || (low > JOIN_AGE && since > GAP_BASE && joins))
    return RA_DRAIN_BASE;
  return RA_DRAIN_NONE;
}

/* A longer route is a queue that does not drain at all; a queue that others fill is
 * less exact.  Two tests that end at one level show a longer route. */
static void
floor_hear (RaContest *c, const RaSense *n)
{
  if (n->now - c->t_began < 2 * n->lag + c->q_max)
    return;
  c->f_lo = c->n_floor ? fmin (c->f_lo, n->q_lo) : n->q_lo;
  c->f_hi = c->n_floor ? fmax (c->f_hi, n->q_lo) : n->q_lo;
  c->f_all = (c->n_floor ? c->f_all : 0) + n->all;
  c->f_found = (c->n_floor ? c->f_found : 0) + n->found;
  c->n_floor++;
}

/* TRUE: it may be a full queue, which loses more than an empty one did.  Where more has
 * been lost of late, the test has to be long enough to show that; but much is lost where a
 * path becomes another one. */
static gboolean
floor_loses (const RaContest *c, const RaSense *n, gboolean is_new)
{
  gdouble usual = n->raw_empty * c->f_all;
  gdouble more
      = n->raw - n->raw_empty - SIGMAS * sqrt (n->raw_empty / RA_SENSE_PACKETS);

  return c->f_found > usual + SIGMAS * sqrt (usual)
      || (!is_new && more > LOSS_MORE && more * c->f_all < LOSSES_DUE);
}

/* TRUE: the route is longer. */
static gboolean
floor_judge (RaContest *c, const RaSense *n)
{
  gboolean is_new = is_new_path (c, n);
  gdouble noise = FLAT + (is_new ? FLAT_NOISE * n->dev_lasts : n->dev);
  gdouble before = c->floor;

  c->floor = 0;
  c->n_new -= MIN (c->n_new, 1);
  if (c->n_floor < FLAT_REPORTS || c->f_hi - c->f_lo > noise
      || floor_loses (c, n, is_new))
    return FALSE;
  if (!is_new && (before <= 0 || fabs (c->f_lo - before) > noise)) {
    c->floor = c->f_lo;
    return FALSE;
  }
  c->rebased_by = c->f_lo;
  return TRUE;
}

/* Until it is sure that others keep the queue the rate has fallen; a TCP would
 * have halved it once.  One that goes on after a test that passed by chance has its
 * window still. */
static void
compete (RaContest *c, const RaSense *n, gdouble x)
{
  gdouble w = fmax (x, HALF * c->x_own) * c->per_rate;

  c->competes = TRUE;
  if (n->now - c->t_passed >= AGAIN_WITHIN || c->tcp.w < w)
    ra_cubic_begin (&c->tcp, w);
  c->t_entered = n->now;
  c->t_passed = -(gdouble) INFINITY;
}

static void
drain_over (RaContest *c, const RaSense *n)
{
  c->drain = RA_DRAIN_NONE;
  c->t_test = n->now;
}

/* The queue was ours. */
static gdouble
drain_passed (RaContest *c, const RaSense *n, gdouble x)
{
  gboolean asked = c->drain == RA_DRAIN_STAND || c->drain == RA_DRAIN_END;

  c->n_drained = c->q_began > OURS ? c->n_drained + 1 : 0;
  if (c->n_drained >= OURS_TESTS)
    c->t_drained = n->now;
  c->stands = 0;
  c->waited = FALSE;
  c->filled *= FILLED_KEPT;
  if (!c->competes)
    c->tcp = (RaCubic){ 0 };
  c->competes = FALSE;
  c->x_own = fmax (x, c->x_back);
  c->t_passed = asked ? n->now : c->t_passed;
  c->q_longest = n->q_lo;
  drain_over (c, n);
  return c->x_own;
}

/* Losses, teeth or a test that failed have shown others of late. */
static gboolean
has_rival (const RaContest *c, const RaSense *n)
{
  return n->now - c->t_proof < LOSS_PROOF || has_teeth (c, n)
      || n->now - c->t_kept < KEPT_FOR;
}

/* Others keep the queue. */
static gdouble
drain_failed (RaContest *c, const RaSense *n)
{
  gboolean longer = c->drain == RA_DRAIN_STAND && c->floor > 0
      && c->floor < JUMP && !c->waited && !has_rival (c, n);

  c->n_drained = 0;
  c->waited = longer;
  /* A queue that stood still in the test may be a longer route, as the next one shows.  One
   * of JUMP and more would have been seen to begin. */
  if (!longer && (c->drain == RA_DRAIN_STAND || c->drain == RA_DRAIN_LOSS)) {
    c->is_short = c->drain == RA_DRAIN_LOSS;
    /* The test has shown that it stands. */
    c->stands = c->is_short ? 1 : c->stands;
    /* Teeth alone may mislead: a competition that they led to begins gently. */
    if (c->is_short && !has_lost (c, n))
      c->begins = FALSE;
    compete (c, n, c->x_back);
  } else if (c->drain == RA_DRAIN_END && c->stands < STANDS_NOT)
    c->competes = FALSE;
  c->t_kept = c->competes ? n->now : c->t_kept;
  c->q_longest = n->q_lo;
  drain_over (c, n);
  return c->x_back;
}

/* A flow that has next to nothing of what the line has carried of late fills no queue: one
 * that a test has emptied was that of a TCP, which gave way by chance. */
static gboolean
is_starved (const RaContest *c, const RaSense *n)
{
  return !c->competes && c->q_began > OURS && n->r < STARVED * n->r_most
      && !ra_sense_rose (n) && has_rival (c, n);
}

/* What a test leaves of the rate. */
static gdouble
drain_depth (const RaContest *c, const RaSense *n)
{
  if (c->drain != RA_DRAIN_LOSS)
    return DRAIN;
  return fmax (DRAIN, 1 - (c->q_began + DRAIN_MORE) / n->lag);
}

/* Such a test shows nothing of others.  One that a ramp's end asked for is due again. */
static void
drain_void (RaContest *c, const RaSense *n)
{
  c->due |= c->drain == RA_DRAIN_BASE;
  drain_over (c, n);
}

/* The queue that shows others, where a test leaves it.  While one flow tests, those of its
 * kind fill the queue up to their targets.  Teeth are better evidence than a queue that
 * grows, as it does when others of our kind come. */
static gdouble
test_leaves (const RaContest *c, const RaSense *n, gdouble target)
{
  if (c->drain != RA_DRAIN_LOSS)
    return TEST_LEAVES * standing_at (n, target);
  if (has_lost (c, n))
    return LOSS_QUEUE;
  return fmax (LOSS_QUEUE, (has_teeth (c, n) ? 1 : STANDING) * target);
}

static void
drain_begin (RaContest *c, const RaSense *n, gdouble target, gdouble x)
{
  /* A flow that comes to a full queue takes the queue for a part of the path, until it
   * has sent less for a lag. */
  c->t_answered = c->due && c->lost ? n->now + n->lag : n->now;
  c->due = FALSE;
  c->due_new &= c->drain != RA_DRAIN_BASE;
  c->t_began = n->now;
  c->q_max = n->q_hi;
  c->q_began = n->q2;
  c->r_began = n->r;
  c->stands_at = test_leaves (c, n, target);
  c->n_floor = 0;
  c->x_back = c->competes ? tcp_rate (c) : n->r > 0 ? fmin (x, n->r) : x;
}

/* A longer route. */
static gdouble
drain_rebased (RaContest *c, const RaSense *n, gdouble x)
{
  /* Nobody else fills the queue: what arrived was the line's rate. */
  c->x_back = fmin (c->x_back, c->r_began);
  c->q_began = 0; /* the test has emptied no queue of ours */
  x = drain_passed (c, n, x);
  c->q_longest = fmax (n->q_lo - c->rebased_by, 0);
  c->t_passed = -(gdouble) INFINITY;
  return x;
}

static gdouble
drain_run (RaContest *c, const RaSense *n, gdouble target, gdouble x)
{
  /* A test lowers what arrives, and with it lengthens the target. */
  gboolean there
      = n->qm + (c->drain == RA_DRAIN_LOSS ? 0 : n->jitter) > c->stands_at;

  if (n->t_rose >= n->now) { /* the line has become slower meanwhile */
    drain_void (c, n);
    return x;
  }
  c->q_max = fmax (c->q_max, n->q_hi);
  floor_hear (c, n);
  if (n->q2 <= fmin (target / 2, EMPTY) && n->now >= c->t_answered) {
    c->floor = 0;
    if (is_new_path (c, n))
      c->t_same = n->now;
    c->n_new = 0;
    return is_starved (c, n) ? drain_failed (c, n) : drain_passed (c, n, x);
  }
  if (n->now - c->t_began <= 3 * n->lag + 2 * c->q_max)
    return fmin (x, drain_depth (c, n) * c->x_back);
  if (!there && !c->competes)
    c->drain = RA_DRAIN_BASE; /* too short to fight for */
  return floor_judge (c, n) ? drain_rebased (c, n, x) : drain_failed (c, n);
}

/* As TCP; a belt holds it to what TCPs would have, were all losses congestion. */
static void
grow (RaContest *c, const RaSense *n, gdouble s, gdouble full, gdouble rtt,
    gboolean data_limited)
{
  gdouble round = fmax (rtt, n->interval), p = n->events_3s;
  gdouble since = n->now - fmax (c->t_entered, c->t_test);
  /* r is as old as the queue is long, and until then the test's. */
  gboolean known = since > ENTRY_LAGS * (n->lag + n->q_lo);
  gdouble carried = known ? n->r : n->r_most;

  if (c->drain == RA_DRAIN_NONE && !data_limited
      && tcp_rate (c) < fmax (2 * carried, s / rtt)) {
    if (c->begins)
      ra_cubic_begin (&c->tcp, c->tcp.w * (1 + BEGIN * n->dt / round));
    else
      ra_cubic_grow (&c->tcp, n->dt, round);
  }
  if (p > 0) {
    gdouble few
        = CLAMP ((MANY_LOST - n->raw_3s) / (MANY_LOST - FEW_LOST), 0, 1);
    gdouble size = s + few * (full - s);

    ra_cubic_limit (&c->tcp,
        fmax ((RENOS - n->congested) * ra_equation_x (size, rtt, n->raw_3s)
                * c->per_rate,
            CUBICS * ra_cubic_mean (rtt, p) * s / full));
  }
}

/* A smooth rival fills a drained queue slowly, so that each test passes.  But a line that
 * has become slower loses packets and has a queue that stands again, too; so the losses
 * are younger than the test, unless tests of late have found a rival. */
static gboolean
stands_again (const RaContest *c, const RaSense *n)
{
  gboolean lost = n->now - c->t_kept < KEPT_FOR
      ? n->now - c->t_proof < LOSS_PROOF
      : c->t_proof > c->t_passed;

  return !c->competes && c->drain == RA_DRAIN_NONE && lost && !ra_sense_rose (n)
      && c->stands > STANDS_AGAIN && n->now - c->t_passed < AGAIN_WITHIN;
}

gdouble
ra_contest_rate (RaContest *c, const RaSense *n, gdouble target, gdouble x,
    gdouble s, gdouble full, gdouble rtt, gboolean data_limited)
{
  c->per_rate = rtt / full;
  c->rebased_by = 0;
  /* Where others have a part of the queue, ours alone cannot make it grow so fast. */
  if (c->competes && ra_sense_rises (n, GREW_EACH)) {
    c->competes = FALSE;
    drain_void (c, n);
    x = fmin (x, n->r);
  }
  if (c->competes)
    grow (c, n, s, full, rtt, data_limited);
  if (stands_again (c, n))
    compete (c, n, fmax (c->x_back, n->r));
  if (c->drain == RA_DRAIN_NONE
      && (c->drain = due (c, n, target)) != RA_DRAIN_NONE)
    drain_begin (c, n, target, x);
  if (c->drain != RA_DRAIN_NONE)
    x = drain_run (c, n, target, x);
  return c->competes && c->drain == RA_DRAIN_NONE ? fmax (x, tcp_rate (c)) : x;
}
