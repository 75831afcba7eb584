/* How a path's losses are to be mended: rounds of retransmission, copies, or FEC.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 *     k = floor ((L - J - T_dec) / (R + q + T_det + T_fb))
 *     k = min (k, 1),  eps / 10 for eps               where L follows the path
 *     m = max (k, ceil (ln eps / ln p') - 1)
 *     c_1 .. c_(k-1) = 1,  c_k = m - k + 1
 *     overhead = sum_i c_i p^(1 + c_1 + .. + c_(i-1))
 *     residual = p^(1 + m)
 *
 * Our own, for independent losses.  Copies in the last round: Hairpin (Meng et
 * al., NSDI 2024).  The time on the way to the receiver is in neither side of k,
 * since the receiver's wait begins when the first packets arrive.
 */
#include <gst/rtpadapt/repair/planner.h>

#include <math.h>

/* m beyond this is out of any budget. */
#define COPIES_MAX 16
/* Where L follows the path a second round makes all later frames wait longer.  It may be
 * needed so many times less often: each 200 s at 250 packets/s. */
#define SOON 10

RaSpan
ra_repair_round (const RaRepairPath *path)
{
  return path->rtt + path->queue + path->detect + path->feedback;
}

RaSpan
ra_repair_margin (const RaRepairPath *path)
{
  return path->jitter + path->decode;
}

/* What the rounds have to fit in. */
static RaSpan
room (const RaRepairPath *path)
{
  return path->latency - ra_repair_margin (path);
}

guint
ra_repair_rounds (const RaRepairPath *path)
{
  RaSpan one = ra_repair_round (path);
  guint most = path->soon ? 1 : RA_REPAIR_ROUNDS;

  if (one <= 0 || room (path) <= 0)
    return one <= 0 && room (path) > 0 ? most : 0;
  return (guint) MIN (room (path) / one, most);
}

/* Copies of one round: the n-th is of use if those before it are all lost, and saves
 * p'^(n - 1) `spoils` packets then. */
static guint
copies_worth (const RaRepairPath *path)
{
  if (path->soon || path->spoils <= 1 || path->worst <= 0 || path->worst >= 1)
    return COPIES_MAX;
  return 1
      + (guint) MIN (log (path->spoils) / -log (path->worst), COPIES_MAX - 1);
}

guint
ra_repair_copies (const RaRepairPath *path, guint rounds)
{
  gdouble needed, left;

  if (path->worst <= 0 || path->left <= 0)
    return rounds;
  if (path->worst >= 1)
    return COPIES_MAX;
  left = path->soon ? path->left / SOON : path->left;
  needed = ceil (log (left) / log (path->worst) - 1);
  needed
      = MIN (needed, rounds > 0 ? rounds - 1. + copies_worth (path) : needed);
  return CLAMP (
      needed > 0 ? (guint) MIN (needed, COPIES_MAX) : 0, rounds, COPIES_MAX);
}

gdouble
ra_repair_overhead (gdouble p, guint rounds, guint copies)
{
  gdouble sum = 0, due = p; /* p^(1 + what was sent before this round) */

  for (guint i = 1; i <= rounds; i++) {
    guint now = i < rounds ? 1 : copies - rounds + 1;

    sum += now * due;
    due *= pow (p, now);
  }
  return sum;
}

gdouble
ra_repair_residual (gdouble p, guint copies)
{
  return pow (p, 1 + copies);
}

/* At the loss p; what the budget does not reach is not repeated. */
static void
plan_rounds (const RaRepairPath *path, RaRepairPlan *plan)
{
  gdouble most = path->most / (1 - MIN (path->most, .99));
  gdouble share = 1;
  guint copies = ra_repair_copies (path, plan->rounds);

  while (copies > plan->rounds
      && ra_repair_overhead (path->loss, plan->rounds, copies) > most)
    copies--;
  plan->copies = copies;
  plan->last = copies - plan->rounds + 1;
  plan->overhead = ra_repair_overhead (path->loss, plan->rounds, copies);
  if (plan->overhead > most) {
    share = most / plan->overhead;
    plan->overhead = most;
  }
  plan->residual = (1 - share) * path->loss
      + share * ra_repair_residual (path->loss, copies);
}

void
ra_repair_plan (const RaRepairPath *path, RaRepairPlan *plan)
{
  *plan = (RaRepairPlan){ .rounds = ra_repair_rounds (path) };
  if (plan->rounds > 0) {
    plan_rounds (path, plan);
    return;
  }
  plan->residual = path->loss;
}

/* P (X > f), X of the binomial distribution of n + f packets: what is left then is more
 * than the code brings back. */
static gdouble
block_fails (gdouble p, guint n, guint f)
{
  gdouble term = pow (1 - p, n + f), sum = 0; /* P (X = k) */

  for (guint k = 0; k <= f; k++) {
    sum += term;
    term *= (n + f - k) / (k + 1.) * p / (1 - p);
  }
  return 1 - sum;
}

guint
ra_repair_block (gdouble p, guint n, gdouble spoils)
{
  gdouble least = G_MAXDOUBLE;
  guint best = 0;

  if (p <= 0 || p >= 1)
    return 0;
  for (guint f = 0; f <= n && f < least; f++) { /* f costs f, at least */
    gdouble cost = f + spoils * block_fails (p, n, f);

    if (cost < least) {
      least = cost;
      best = f;
    }
  }
  return best;
}

guint
ra_repair_frame (gdouble p, guint late, gdouble rest, guint n, gdouble spoils)
{
  if (n == 0)
    return 0;
  return MAX (ra_repair_block (p, late, spoils),
      ra_repair_block ((p * late + rest * (n - late)) / n, n, spoils));
}

RaSpan
ra_repair_time_left (const RaRepairPath *path, RaSpan age)
{
  return path->latency - age - path->queue;
}

guint
ra_repair_now (
    const RaRepairPath *path, const RaRepairPlan *plan, RaSpan left, guint sent)
{
  if (left < 0)
    return 0;
  if ((path->soon || left - ra_repair_margin (path) < ra_repair_round (path))
      && plan->copies > sent)
    return MIN (plan->copies - sent, copies_worth (path));
  return 1;
}
