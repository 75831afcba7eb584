/* Spike: a loss while the trip time is high is congestion.
 * S. Cen, P. C. Cosman, G. M. Voelker, "End-to-end differentiation of
 * congestion and wireless losses", IEEE/ACM ToN 11(5), 2003, III-B; after
 * Y. Tobe et al., LCN 2000.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The paper does not say whether the packet after the hole moves the state
 * before the verdict.  It does here: it is the witness nearest to the loss.
 *
 * On real video:
 * - A path whose queue has not filled yet has a range of nothing but noise,
 *   and by the paper every other packet starts a spike.  The range counts as
 *   min-range (20 ms) at least: a spike then needs 10 ms, which late wake-ups
 *   seldom reach, and a full queue of 10 ms or more still is one.  Tobe's
 *   absolute threshold of 20 ms would never see a full 20 ms queue.
 * - The extremes age, for a handover moves them: rott_max after `window` (30 s,
 *   some cycles of TFRC), rott_min after `base-window`.  Where other flows keep a
 *   queue standing, a rott_min of 30 s is that queue: of 8 TFRC flows each took a
 *   tenth of the congestion losses for wireless, of 2 minutes 3 %.
 * - Clocks drift: 100 ppm are 12 ms in 2 minutes, more than starts a spike.
 *   rott_min follows the drift (lda/base.h), unless it never ages.
 * - A step below rott_min by more than min-range is another path, or a clock that
 *   was set.  With the rott_max of before, no queue might start a spike any more,
 *   so both start again.
 */
#include <gst/rtpadapt/lda/spike.h>

static gdouble
rott_min (const RaSpike *s)
{
  return ra_lda_base_get (&s->min, s->now, ra_span (s->base_window));
}

static gdouble
rott_max (const RaSpike *s)
{
  return -ra_winmin_get (&s->max, s->now, ra_span (s->window));
}

gdouble
ra_spike_queue (const RaSpike *s)
{
  return MAX (s->rott - rott_min (s), 0);
}

/* Of rott; noise is none. */
static gdouble
rott_range (const RaSpike *s)
{
  return MAX (rott_max (s) - rott_min (s), s->min_range * (gdouble) RA_SECOND);
}

gboolean
ra_spike_is_high (const RaSpike *s)
{
  return ra_spike_queue (s) > s->alpha * rott_range (s);
}

static RaCause
spike_on_packet (RaLda *lda, const RaArrival *a)
{
  RaSpike *s = (RaSpike *) lda;
  gboolean fresh = !s->offset.known;
  s->now = a->arrival;
  s->rott = ra_rott (&s->offset, a->rott);
  if (!fresh && s->min_range > 0
      && s->rott < rott_min (s) - s->min_range * (gdouble) RA_SECOND) {
    ra_lda_base_init (&s->min);
    ra_winmin_init (&s->max);
  }
  ra_lda_base_add (
      &s->min, s->rott, TRUE, a->arrival, ra_span (s->base_window));
  ra_winmin_add (&s->max, -s->rott, a->arrival, ra_span (s->window));

  /* Cen 2003, III-B: B_spikestart, B_spikeend. */
  if (!s->spike && ra_spike_is_high (s))
    s->spike = TRUE;
  else if (s->spike && ra_spike_queue (s) < s->beta * rott_range (s))
    s->spike = FALSE;
  return fresh || s->spike ? RA_CAUSE_CONGESTION : RA_CAUSE_WIRELESS;
}

static void
spike_observe (const RaLda *lda, RaObserve emit, gpointer data)
{
  const RaSpike *s = (const RaSpike *) lda;

  if (s->offset.known) {
    emit ("rott_min", ra_rott_seconds (&s->offset, rott_min (s)), data);
    emit ("rott_max", ra_rott_seconds (&s->offset, rott_max (s)), data);
  }
  emit ("spike", s->spike, data);
}

const RaParam ra_spike_params[] = {
  { "alpha", RA_AT (RaSpike, alpha), .def = 1 / 2., .max = 1,
      .text = "share of the rott range where a spike starts" },
  { "beta", RA_AT (RaSpike, beta), .def = 1 / 3., .max = 1,
      .text = "share of the rott range where a spike ends; not above alpha" },
  { "min-range", RA_AT (RaSpike, min_range), .def = .02, RA_PAPER (0),
      .max = 10, .unit = "s",
      .text = "the rott range counts as at least this" },
  { "window", RA_AT (RaSpike, window), .def = 30, RA_PAPER (0), .max = 86400,
      .unit = "s", .text = "age of rott_max, 0: the whole connection" },
  { "base-window", RA_AT (RaSpike, base_window), .def = 120, RA_PAPER (0),
      .max = 86400, .unit = "s",
      .text = "age of rott_min, 0: the whole connection" },
  { NULL },
};

const RaLdaOps ra_lda_spike = {
  .name = "spike",
  .cite = "Cen, Cosman, Voelker 2003, III-B",
  .needs = "send and arrival times",
  .use
  = "a drop-tail queue of 20 ms or more that the stream fills; quick changes of capacity",
  .size = sizeof (RaSpike),
  .params = ra_spike_params,
  .on_packet = spike_on_packet,
  .observe = spike_observe,
};
