/* full: congestion losses are those near the top of the queue; those of the
 * radio follow the packets.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Our own.  D. Hayes, G. Armitage, "Revisiting TCP congestion control using
 * delay gradients" (CDG), NETWORKING 2011, 2.3, has the thought as a rule:
 * a loss without a full queue does not come from congestion.  Here the losses are a mixture
 * of two kinds, and its parameters are found by expectation-maximisation (A.
 * Dempster, N. Laird, D. Rubin, 1977) from the last holes:
 *
 *     k (y) = exp (-max (0, top - y) / delta)     how near to full
 *     P (C | y) = pi k' / (pi k' + 1 - pi),       k' = k / mean k of packets
 *
 * A TCP on the same line seldom lets the queue run empty, so that the length alone
 * says little.  The distance from full does: with a Cubic behind 100 ms the loss
 * hazard is .26, .047, .008, .001 at .5, 1.5, 2.5, 4 packets from full (measured in
 * ns-3).
 *
 * y is the longer queue of the two packets around the hole: the survivor behind
 * a hole of an own burst is up to 2 packets below the top.
 */
#include <gst/rtpadapt/lda/full.h>

#include <math.h>
#include <string.h>

/* delta is one of .5, 1, 2, ... 32 bins; from 4 bins on only up to top / 4. */
#define DELTAS 7
#define DELTA_MOST 32.
#define DELTA_FREE 4.
#define ROUNDS 12
/* Beta prior of pi, (.5 + 2 holes): most holes are the radio's until shown. */
#define PRIOR_C .5
#define PRIOR_W 2.
/* The mixture is learnt again after an eighth more holes. */
#define RELEARN 8
#define TICKS 120 /* decays per `memory`: twice a second */

static void
forget (RaFull *f)
{
  memset (f->packets, 0, sizeof f->packets);
  f->n_packets = 0;
  f->n_holes = f->next_hole = f->fresh_holes = 0;
  f->learnt = FALSE;
}

static gint64
tick_at (const RaFull *f, RaTime now)
{
  return (gint64) (now / (RaTime) MAX (ra_span (f->memory) / TICKS, 1));
}

static void
decay (RaFull *f, RaTime now)
{
  gint64 tick = tick_at (f, now);
  gdouble keep;

  if (tick == f->tick)
    return;
  keep = exp (-(gdouble) CLAMP (tick - f->tick, 0, 100 * TICKS) / TICKS);
  for (guint i = 0; i < RA_FULL_BINS; i++)
    f->packets[i] *= keep;
  f->n_packets *= keep;
  f->tick = tick;
}

gboolean
ra_full_hear (RaFull *f, const RaArrival *a)
{
  gboolean fresh = !f->level.known;
  gdouble bin = f->bin * (gdouble) RA_SECOND;

  if (fresh)
    f->tick = tick_at (f, a->arrival);
  if (ra_level_hear (&f->level, a))
    forget (f);
  decay (f, a->arrival);
  f->packets[(guint) MIN (f->level.q / bin, RA_FULL_BINS - 1)] += 1;
  f->n_packets += 1;
  if (fresh || a->n_lost == 0)
    return !fresh;
  f->holes[f->next_hole].y = MAX (f->level.q, f->level.before);
  f->holes[f->next_hole].at = a->arrival;
  f->next_hole = (f->next_hole + 1) % RA_FULL_HOLES;
  f->n_holes = MIN (f->n_holes + 1, RA_FULL_HOLES);
  f->fresh_holes++;
  return TRUE;
}

static gdouble
nearness (gdouble y, gdouble top, gdouble delta)
{
  return exp (-MAX (0, top - y) / delta);
}

/* The mean of k over all packets, for each delta.  Half the delta squares k. */
static void
mean_nearness (const RaFull *f, gdouble top, gdouble z[DELTAS])
{
  gdouble bin = f->bin * (gdouble) RA_SECOND;

  for (guint j = 0; j < DELTAS; j++)
    z[j] = .5;
  for (guint i = 0; i < RA_FULL_BINS; i++) {
    gdouble k;

    if (f->packets[i] <= 0)
      continue;
    k = nearness ((i + .5) * bin, top, DELTA_MOST * bin);
    for (guint j = DELTAS; j-- > 0; k *= k)
      z[j] += f->packets[i] * k;
  }
  for (guint j = 0; j < DELTAS; j++)
    z[j] /= f->n_packets + 1;
}

/* pi for holes of the likelihood ratios `k`, and how likely all that is. */
static gdouble
mixture (const gdouble *k, guint n, gdouble *pi)
{
  gdouble ll;

  *pi = .5;
  for (guint round = 0; round < ROUNDS; round++) {
    gdouble sum = PRIOR_C;

    for (guint i = 0; i < n; i++)
      sum += *pi * k[i] / (*pi * k[i] + 1 - *pi);
    *pi = sum / (PRIOR_C + PRIOR_W + n);
  }
  ll = PRIOR_C * log (*pi) + PRIOR_W * log (1 - *pi);
  for (guint i = 0; i < n; i++)
    ll += log (*pi * k[i] + 1 - *pi);
  return ll;
}

/* The holes' k at the widest delta; how many of them are young enough. */
static guint
holes_nearness (
    const RaFull *f, RaTime now, gdouble top, gdouble k[RA_FULL_HOLES])
{
  gdouble widest = DELTA_MOST * f->bin * (gdouble) RA_SECOND;
  guint n = 0;

  for (guint i = 0; i < f->n_holes; i++) {
    if (ra_diff (now, f->holes[i].at) <= ra_span (f->memory))
      k[n++] = nearness (f->holes[i].y, top, widest);
  }
  return n;
}

static void
learn (RaFull *f, const RaArrival *a)
{
  gdouble bin = f->bin * (gdouble) RA_SECOND, best = -(gdouble) INFINITY;
  gdouble top = ra_level_range (&f->level, a->arrival);
  gdouble z[DELTAS], k[RA_FULL_HOLES], ratio[RA_FULL_HOLES];
  guint n = holes_nearness (f, a->arrival, top, k);
  gdouble delta = DELTA_MOST * bin;

  mean_nearness (f, top, z);
  for (guint j = DELTAS; j-- > 0; delta /= 2) {
    gdouble pi, ll;

    for (guint i = 0; i < n; i++)
      ratio[i] = k[i] / z[j];
    ll = mixture (ratio, n, &pi);
    for (guint i = 0; i < n; i++)
      k[i] *= k[i]; /* of half the delta */
    if (delta < (gdouble) MAX (a->grain, 0)
        || (delta >= DELTA_FREE * bin && delta > top / 4) || ll <= best)
      continue;
    best = ll;
    f->pi = pi;
    f->delta = delta;
    f->z = z[j];
    f->top = top;
    f->learnt = TRUE;
  }
  f->fresh_holes = 0;
}

RaCause
ra_full_judge (RaFull *f, const RaArrival *a)
{
  gdouble y = MAX (f->level.q, f->level.before), k;
  gdouble top = ra_level_range (&f->level, a->arrival);

  if (f->n_packets < RA_FULL_PACKETS_LEAST)
    return y >= RA_FULL_TOP * top ? RA_CAUSE_CONGESTION : RA_CAUSE_WIRELESS;
  if (!f->learnt || f->fresh_holes * RELEARN >= f->n_holes || f->top != top)
    learn (f, a);
  if (!f->learnt)
    return RA_CAUSE_CONGESTION;
  k = nearness (y, f->top, f->delta) / f->z;
  f->p_c = f->pi * k / (f->pi * k + 1 - f->pi);
  if (f->soft <= 0)
    return f->p_c > f->theta ? RA_CAUSE_CONGESTION : RA_CAUSE_WIRELESS;
  f->debt += f->p_c;
  if (f->debt < .5)
    return RA_CAUSE_WIRELESS;
  f->debt -= 1;
  return RA_CAUSE_CONGESTION;
}

static RaCause
full_on_packet (RaLda *lda, const RaArrival *a)
{
  RaFull *f = (RaFull *) lda;

  if (!ra_full_hear (f, a))
    return RA_CAUSE_CONGESTION;
  return a->n_lost > 0 ? ra_full_judge (f, a) : RA_CAUSE_NONE;
}

static void
full_observe (const RaLda *lda, RaObserve emit, gpointer data)
{
  const RaFull *f = (const RaFull *) lda;

  emit ("queue", f->level.q / (gdouble) RA_SECOND, data);
  emit ("p_hole", f->p_c, data);
  if (f->learnt) {
    emit ("pi", f->pi, data);
    emit ("delta", f->delta / (gdouble) RA_SECOND, data);
    emit ("top", f->top / (gdouble) RA_SECOND, data);
  }
}

const RaParam ra_full_params[] = {
  { "bin", RA_AT (RaFull, bin), .def = .001, .min = 1e-6, .max = 1, .unit = "s",
      .text = "resolution of the queue" },
  { "memory", RA_AT (RaFull, memory), .def = 60, .min = .1, .max = 86400,
      .unit = "s", .text = "how long packets and holes count" },
  { "theta", RA_AT (RaFull, theta), .def = .33, .max = 1,
      .text = "congestion from this probability on, if not soft" },
  { "soft", RA_AT (RaFull, soft), .def = 1, .max = 1,
      .text = "1: as many verdicts of congestion "
              "as the probabilities add up to" },
  { NULL },
};

static const RaParam params[] = {
  { "", .table = ra_full_params },
  { "", RA_TABLE (RaFull, level, ra_level_params) },
  { NULL },
};

const RaLdaOps ra_lda_full = {
  .name = "full",
  .cite = "our own; the thought: CDG, Hayes, Armitage 2011",
  .needs = "send and arrival times",
  .use = "a drop-tail queue that others keep full",
  .size = sizeof (RaFull),
  .params = params,
  .on_packet = full_on_packet,
  .observe = full_observe,
};
