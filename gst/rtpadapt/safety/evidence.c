/* How much of the loss is shown to be the radio's.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Where no source is named a constant is our own, measured with rtpadapt-sim and
 * tests/trust/harm.  Seconds, bytes and bytes/s.
 */
#include <gst/rtpadapt/safety/evidence.h>

#include <gst/rtpadapt/safety/breaker.h>
#include <gst/rtpadapt/util/noise.h>

#include <math.h>
#include <string.h>

#define MEMORY (30 * RA_SECOND)
#define BLOCK (240 * RA_MSECOND) /* MEMORY has fewer than RA_EVIDENCE_BLOCKS */
/* No report for so long is a silence, after which the path may be another one:
 * the longest that a receiver waits. */
#define SILENCE RA_BREAKER_TD
#define SHORTER .020 /* s: of a route, as fused has it */
/* s.  Of 16 flows that came one after the other those that thought a full queue empty
 * met a shorter one in 1 % of their reports, and a flow alone that loses 20 % in 30 to
 * 80 %.  A queue up to one standard deviation of the radio's jitter counts as empty, too, and
 * those 16 flows lose no more by that.  With .0026, the time of a packet on 4 Mb/s, a flow
 * alone that loses 20 % uses 1 % more of the line, but 16 flows on 8 Mb/s behind 25 ms lose
 * 19 % instead of 10 (tools/papers matrix, "own"). */
#define EMPTY .0015
#define NOISE_GAIN 16 /* reports */
/* Where a smaller share of the packets met an empty queue a controller is shown
 * nothing. */
#define EMPTY_SOME .05
/* Where a smaller share did, no more than SURE is shown, and nothing where more than
 * MUCH is lost. */
#define EMPTY_OFTEN .15
/* Where a smaller share did the flow may have company. */
#define EMPTY_ALONE .30
#define SURE .10
#define MUCH .20
/* A queue is short up to what a flow alone makes: longer for a slower one, whose
 * packets take longer. */
#define SHORT .010
#define SHORT_AT (3e6 / 8)
#define SHORT_MIN .005
#define SHORT_MAX .020
/* A queue up to so many standard deviations of the radio's jitter is short, too.  The
 * target of rate/delay.c is above as many. */
#define NOISE 4
/* What a frame's last packet, of which the RTT is, has waited for the others. */
#define FRAME .020
#define LEAST 200          /* packets at a short queue */
#define SHORTEST .5        /* share of them that met the shortest queues, */
#define SHORTEST_LEAST 100 /* and how many these are at least */
#define WRONG .05          /* how often a bound may be */
/* Of the second fact: the likelihood ratio against no radio loss at all, and the
 * one-sided bound of WRONG, half of chi^2's quantile .90 (2.706). */
#define RATIO 3.
#define RATIO_BOUND 1.353
/* Rates this near to each other are one: the path's room is not that steady. */
#define SAME .85
#define BINS 8
#define MIDDLE 3
/* A loss that is reported late may belong to another rate. */
#define STRAYS .002
#define STEP .75
#define STEP_LASTS (1200 * RA_MSECOND)
#define STEP_EACH (10 * RA_SECOND)
#define POOR .7 /* of what the first fact shows */

void
ra_evidence_init (RaEvidence *e)
{
  memset (e, 0, sizeof *e);
  e->now = e->stepped = e->judged = RA_TIME_NONE;
  e->dispersion = 1;
}

void
ra_evidence_forget (RaEvidence *e)
{
  RaTime stepped = e->stepped;
  gdouble shortest = e->shortest;

  ra_evidence_init (e);
  e->stepped = stepped;
  e->shortest = shortest;
}

/* --- Clopper and Pearson's bound ------------------------------------------ */

/* Continued fraction of the incomplete beta function (NIST DLMF 8.17.22) by Lentz'
 * method; converges fast for x < (a + 1) / (a + b + 2). */
static gdouble
beta_fraction (gdouble x, gdouble a, gdouble b)
{
  gdouble c = 1, d = 1 / (1 - (a + b) * x / (a + 1)), h = d;

  for (guint m = 1; m < 10000; m++) {
    gdouble even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
    gdouble odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
    gdouble step;

    d = 1 / (1 + even * d);
    c = 1 + even / c;
    h *= c * d;
    d = 1 / (1 + odd * d);
    c = 1 + odd / c;
    step = c * d;
    h *= step;
    if (fabs (step - 1) < 1e-9)
      break;
  }
  return h;
}

/* I_x (a, b), with `ln_beta` the logarithm of B (a, b). */
static gdouble
beta_share (gdouble x, gdouble a, gdouble b, gdouble ln_beta)
{
  gdouble front = exp (a * log (x) + b * log1p (-x) - ln_beta);

  if (x < (a + 1) / (a + b + 2))
    return front * beta_fraction (x, a, b) / a;
  return 1 - front * beta_fraction (1 - x, b, a) / b; /* DLMF 8.17.4 */
}

/* The share of which k or more of n would be seen once in 20 times:
 * P (K >= k) = I_p (k, n - k + 1), DLMF 8.17.5. */
gdouble
ra_evidence_lower (gdouble k, gdouble n)
{
  gdouble low = 0, high = k / n, b = n - k + 1, ln_beta;
  gint sign;

  if (!(k > 0) || k > n)
    return 0;
  ln_beta = lgamma_r (k, &sign) + lgamma_r (b, &sign) - lgamma_r (k + b, &sign);
  for (guint i = 0; i < 20; i++) {
    gdouble p = (low + high) / 2;

    if (beta_share (p, k, b, ln_beta) < WRONG)
      low = p;
    else
      high = p;
  }
  return low;
}

/* --- blocks ---------------------------------------------------------------- */

static RaEvidenceBlock *
block_at (RaEvidence *e, guint i)
{
  return &e->ring[(e->head + i) % RA_EVIDENCE_BLOCKS];
}

static RaEvidenceBlock *
block_begin (RaEvidence *e, RaTime now)
{
  RaEvidenceBlock *b;

  if (e->n == RA_EVIDENCE_BLOCKS) {
    e->head = (e->head + 1) % RA_EVIDENCE_BLOCKS;
    e->n--;
  }
  b = block_at (e, e->n++);
  *b = (RaEvidenceBlock){ .start = now };
  return b;
}

static gdouble
short_queue (const RaEvidence *e, gdouble x)
{
  gdouble most = x > 0 ? SHORT * cbrt (SHORT_AT / x) : SHORT_MIN;

  return CLAMP (fmax (most, NOISE * e->noise), SHORT_MIN, SHORT_MAX);
}

static void
noise_hear (RaEvidence *e, gdouble q_min)
{
  e->q_min[2] = e->q_min[1];
  e->q_min[1] = e->q_min[0];
  e->q_min[0] = q_min;
  e->noise += (ra_noise_deviation (e->q_min[0] - 2 * e->q_min[1] + e->q_min[2])
                  - e->noise)
      / NOISE_GAIN;
}

static void
block_count (RaEvidence *e, RaEvidenceBlock *b, const RaReport *report,
    gdouble s, gdouble waited)
{
  gdouble k = (gdouble) report->lost_congestion + report->lost_wireless;
  gdouble n = fmax (report->expected, k), q, x;
  gboolean known = report->queue != RA_SPAN_NONE
      && report->queue_min != RA_SPAN_NONE && report->queue_max != RA_SPAN_NONE;
  gdouble q_min = known ? ra_seconds (report->queue_min) : 0;
  gboolean is_short;

  b->n += n;
  b->k += k;
  b->sent += CLAMP (ra_diff (report->t_recvdata, e->t_recvdata), 0, SILENCE);
  b->x = b->sent > 0 ? b->n * s / ra_seconds (b->sent) : 0;
  x = b->x;
  if (known)
    noise_hear (e, q_min);
  if (known && q_min <= CLAMP (e->noise, EMPTY, SHORT_MAX))
    b->n_empty += n;
  q = known ? fmax (ra_seconds (report->queue_max), waited) : 0;
  is_short = known && q_min <= short_queue (e, x)
      && waited <= short_queue (e, x) + FRAME;
  /* A loss is known some packets after it was due, in the next report if need
   * be: what the one before met counts, too. */
  if (is_short && e->was_short) {
    b->n_short += n;
    b->k_short += k;
    b->q = fmax (b->q, fmax (q, e->q_before));
  }
  e->was_short = is_short;
  e->q_before = q;
}

/* A way that is so much shorter than any before is another one. */
static gboolean
is_new_route (RaEvidence *e, gdouble rtt)
{
  gdouble before = e->shortest;

  if (rtt > 0 && (before <= 0 || rtt < before))
    e->shortest = rtt;
  return rtt > 0 && rtt < before - SHORTER;
}

static void
forget_old (RaEvidence *e, RaTime now)
{
  while (e->n > 0 && ra_diff (now, block_at (e, 0)->start) > MEMORY) {
    e->head = (e->head + 1) % RA_EVIDENCE_BLOCKS;
    e->n--;
  }
}

gboolean
ra_evidence_hear (RaEvidence *e, const RaReport *report, gdouble s,
    gdouble waited, RaTime now)
{
  RaEvidenceBlock *b;

  if (e->now != RA_TIME_NONE
      && (now < e->now || ra_diff (now, e->now) > SILENCE))
    ra_evidence_forget (e);
  if (is_new_route (e, ra_seconds (report->rtt)))
    ra_evidence_forget (e);
  if (report->t_recvdata == 0 || report->expected == 0)
    return FALSE;
  if (e->now == RA_TIME_NONE) { /* its packets left in an unknown time */
    e->now = now;
    e->t_recvdata = report->t_recvdata;
    block_begin (e, now);
    return FALSE;
  }
  e->now = now;
  forget_old (e, now);
  if (e->judged != RA_TIME_NONE && ra_diff (now, e->judged) > MEMORY)
    e->shown = e->for_cap = 0;
  b = e->n > 0 ? block_at (e, e->n - 1) : block_begin (e, now);
  block_count (e, b, report, s, waited);
  e->t_recvdata = MAX (report->t_recvdata, e->t_recvdata);
  if (ra_diff (now, b->start) < BLOCK)
    return FALSE;
  block_begin (e, now);
  return TRUE;
}

/* --- 1: where no queue is -------------------------------------------------- */

typedef struct
{
  gdouble n, k, x;
} Count;

/* How many times more the blocks differ than single losses would: Pearson's
 * chi^2 by its degrees of freedom (P. McCullagh, J. Nelder, "Generalized Linear
 * Models", 1989, 4.5.2). */
static gdouble
dispersion (RaEvidence *e, const Count *all)
{
  gdouble p = fmin (all->k / all->n, .999), sum = 0;
  guint used = 0;

  for (guint i = 0; i < e->n; i++) {
    const RaEvidenceBlock *b = block_at (e, i);
    gdouble off = b->k_short - p * b->n_short;

    if (b->n_short <= 0)
      continue;
    sum += off * off / (b->n_short * p * (1 - p));
    used++;
  }
  return used > 1 ? fmax (sum / (used - 1), 1) : 1;
}

static gint
by_queue (gconstpointer a, gconstpointer b)
{
  const RaEvidenceBlock *const *left = a, *const *right = b;

  return ((*left)->q > (*right)->q) - ((*left)->q < (*right)->q);
}

/* Those that met the shortest queues.  Losses in a queue that somebody keeps
 * below what is short are missing here. */
static Count
shortest (RaEvidence *e, const Count *all)
{
  const RaEvidenceBlock *blocks[RA_EVIDENCE_BLOCKS];
  gdouble least = fmax (SHORTEST * all->n, SHORTEST_LEAST);
  Count sum = { 0 };
  guint n = 0;

  for (guint i = 0; i < e->n; i++) {
    if (block_at (e, i)->n_short > 0)
      blocks[n++] = block_at (e, i);
  }
  qsort (blocks, n, sizeof *blocks, by_queue);
  for (guint i = 0; i < n && sum.n < least; i++) {
    sum.n += blocks[i]->n_short;
    sum.k += blocks[i]->k_short;
  }
  return sum;
}

static gdouble
shown_by_queue (RaEvidence *e)
{
  Count all = { 0 }, low;
  gdouble phi;

  for (guint i = 0; i < e->n; i++) {
    all.n += block_at (e, i)->n_short;
    all.k += block_at (e, i)->k_short;
  }
  if (all.n < LEAST || all.k <= 0)
    return 0;
  e->dispersion = phi = dispersion (e, &all);
  low = shortest (e, &all);
  return fmin (ra_evidence_lower (all.k / phi, all.n / phi),
      ra_evidence_lower (low.k / phi, low.n / phi));
}

/* --- 2: however little is sent -------------------------------------------- */

/* By the rates they were sent at, of which near ones are one. */
static guint
bins_fill (RaEvidence *e, Count *bins)
{
  gdouble n = 0, x = 0, before = 0, phi = e->dispersion;
  guint used = 0;

  for (guint i = 0; i < e->n; i++) {
    n += block_at (e, i)->n;
    x += block_at (e, i)->n * block_at (e, i)->x;
  }
  memset (bins, 0, BINS * sizeof *bins);
  for (guint i = 0; i < e->n; i++) {
    const RaEvidenceBlock *b = block_at (e, i);
    /* A loss is known some packets late. */
    gdouble of = fmax (b->x, before), where;
    Count *bin;

    before = b->x;
    if (b->n <= 0 || of <= 0)
      continue;
    where = MIDDLE + log (of * n / x) / log (SAME);
    bin = &bins[(guint) CLAMP (where + .5, 0, BINS - 1)];
    bin->n += b->n / phi;
    bin->k += fmin (b->k, b->n) / phi;
    bin->x += of * b->n / phi;
  }
  for (guint i = 0; i < BINS; i++) {
    if (bins[i].n <= 0)
      continue;
    bins[used] = bins[i];
    bins[used++].x /= bins[i].n;
  }
  return used;
}

/* Of what exceeds `room`, all is lost: the model of libwebrtc's
 * loss_based_bwe_v2. */
static gdouble
loss_at (gdouble w, gdouble x, gdouble room)
{
  gdouble p = w + (1 - w) * fmax (0, (x - room) / x);

  return CLAMP (p, STRAYS, .999);
}

static gdouble
likelihood (const Count *bins, guint n, gdouble w, gdouble room)
{
  gdouble sum = 0;

  for (guint i = 0; i < n; i++) {
    gdouble p = loss_at (w, bins[i].x, room);

    sum += bins[i].k * log (p) + (bins[i].n - bins[i].k) * log1p (-p);
  }
  return sum;
}

/* The room that explains all that is lost beyond w. */
static gdouble
room_for (const Count *bins, guint n, gdouble w, gdouble lost)
{
  gdouble low = 0, high = 0;

  for (guint i = 0; i < n; i++)
    high = fmax (high, bins[i].x);
  for (guint step = 0; step < 16; step++) {
    gdouble room = (low + high) / 2, sum = 0;

    for (guint i = 0; i < n; i++)
      sum += bins[i].n * loss_at (w, bins[i].x, room);
    if (sum > lost)
      low = room;
    else
      high = room;
  }
  return high;
}

/* The logarithm of how much likelier it is that all were lost whatever the rate,
 * than that only the share w was. */
static gdouble
ratio_against (const Count *bins, guint n, const Count *all, gdouble w)
{
  static const gdouble near[]
      = { .9, .95, .97, .985, 1, 1.015, 1.03, 1.05, 1.1 };
  gdouble room = room_for (bins, n, w, all->k), best = -(gdouble) INFINITY;

  for (guint i = 0; i < G_N_ELEMENTS (near); i++)
    best = fmax (best, likelihood (bins, n, w, near[i] * room));
  return likelihood (bins, n, all->k / all->n, (gdouble) INFINITY) - best;
}

/* No more than `most`, above which nobody asks. */
static gdouble
shown_by_rate (RaEvidence *e, gdouble most)
{
  Count bins[BINS], all = { 0 };
  guint n = bins_fill (e, bins);
  gdouble low = 0, high = most;

  for (guint i = 0; i < n; i++) {
    all.n += bins[i].n;
    all.k += bins[i].k;
  }
  if (n < 2 || all.k <= 0 || ratio_against (bins, n, &all, 0) <= RATIO)
    return 0;
  if (ratio_against (bins, n, &all, most) > RATIO_BOUND)
    return most;
  for (guint step = 0; step < 6; step++) {
    gdouble w = (low + high) / 2;

    if (ratio_against (bins, n, &all, w) > RATIO_BOUND)
      low = w;
    else
      high = w;
  }
  return low;
}

/* --- both ------------------------------------------------------------------ */

/* What both facts show.  The share `p` of the packets was lost.  Nothing is shown if
 * fewer than the share `least` of them met an empty queue. */
static gdouble
believed (const RaEvidence *e, gdouble p, gdouble least)
{
  gdouble shown = fmin (e->queue, e->rate);

  if (e->empty < least)
    return 0;
  if (e->empty < EMPTY_OFTEN)
    return p > MUCH ? 0 : fmin (shown, SURE);
  return shown;
}

void
ra_evidence_judge (RaEvidence *e)
{
  gdouble n = 0, k = 0, n_empty = 0;

  for (guint i = 0; i < e->n; i++) {
    n += block_at (e, i)->n;
    k += block_at (e, i)->k;
    n_empty += block_at (e, i)->n_empty;
  }
  e->empty = n > 0 ? n_empty / n : 0;
  e->judged = e->now;
  e->dispersion = 1;
  e->queue = fmin (shown_by_queue (e), RA_EVIDENCE_MAX);
  e->rate = e->queue > 0 ? shown_by_rate (e, e->queue) : 0;
  e->poor = e->rate < POOR * e->queue;
  e->shown = n > 0 ? believed (e, k / n, EMPTY_SOME) : 0;
  e->for_cap = n > 0 ? believed (e, k / n, 0) : 0;
}

gboolean
ra_evidence_is_alone (const RaEvidence *e)
{
  return e->empty >= EMPTY_ALONE;
}

gdouble
ra_evidence_step (RaEvidence *e, RaTime now)
{
  RaSpan ago
      = e->stepped == RA_TIME_NONE ? STEP_EACH : ra_diff (now, e->stepped);

  if (ago < 0 || (e->poor && ago >= STEP_EACH)) {
    e->stepped = now;
    ago = 0;
  }
  return ago < STEP_LASTS ? STEP : 1;
}
