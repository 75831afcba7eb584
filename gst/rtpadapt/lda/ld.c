/* LD: a loss is congestion if the queue was at least half full.
 * P. Papadimitriou, V. Tsaoussidis, C. Zhang, "End-to-end loss differentiation
 * for video streaming with wireless link errors", 2009, 3.2.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The paper used RTT at the sender, so do we (lda/delay.h); at a receiver ROTT,
 * whose unknown offset cancels out in equation 7.  "The last RTT measured" when
 * the loss is detected is that of the packet after the hole.  Where RTT has not
 * moved yet, 0 / 0, equation 9 holds: congestion.
 *
 * On real video (see lda/spike.c):
 * - RTTmax "is normally observed before congestion control is triggered", by a
 *   sender that fills the queue.  An encoder below capacity never does, and the
 *   range is nothing but noise: it counts as `min-range` at least.
 * - RTTmax ages after `window`, or one stall would hide every later queue.
 *   RTTmin ages much later, after `base-window` (10 min, BASE_HISTORY of RFC
 *   6817): streams that share a queue keep it from running empty for longer
 *   than `window`, and its delay would become RTTmin.  From ROTT it follows the
 *   drift of the clocks meanwhile (lda/base.h).
 * - A step below RTTmin by more than min-range is another path, or a clock that
 *   was set: both start again.
 * - A queue that is managed (RED, RIO) drops long before it is full: once it was
 *   full, what it drops later is below qthresh, and most of it is taken for
 *   wireless.
 */
#include <gst/rtpadapt/lda/ld.h>

static gdouble
rtt_min (const RaLd *l)
{
  return ra_lda_base_get (&l->min, l->now, ra_span (l->base_window));
}

static gdouble
rtt_max (const RaLd *l)
{
  return -ra_winmin_get (&l->max, l->now, ra_span (l->window));
}

static gdouble
qdelay (const RaLd *l)
{
  return MAX (l->rtt - rtt_min (l), 0);
}

static gdouble
qdelay_max (const RaLd *l)
{
  return MAX (rtt_max (l) - rtt_min (l), l->min_range * (gdouble) RA_SECOND);
}

gboolean
ra_ld_is_congested (const RaLd *l)
{
  /* Papadimitriou et al. 2009, equations 7 and 8. */
  return qdelay (l) >= l->qthresh * qdelay_max (l);
}

static RaCause
ld_on_packet (RaLda *lda, const RaArrival *a)
{
  RaLd *l = (RaLd *) lda;
  gboolean fresh = !l->delay.known;

  l->now = a->arrival;
  l->rtt = ra_delay (&l->delay, a);
  if (!fresh && l->min_range > 0
      && l->rtt < rtt_min (l) - l->min_range * (gdouble) RA_SECOND) {
    ra_lda_base_init (&l->min);
    ra_winmin_init (&l->max);
  }
  ra_lda_base_add (
      &l->min, l->rtt, !l->delay.has_rtt, a->arrival, ra_span (l->base_window));
  ra_winmin_add (&l->max, -l->rtt, a->arrival, ra_span (l->window));
  return fresh || ra_ld_is_congested (l) ? RA_CAUSE_CONGESTION
                                         : RA_CAUSE_WIRELESS;
}

static void
ld_observe (const RaLda *lda, RaObserve emit, gpointer data)
{
  const RaLd *l = (const RaLd *) lda;

  if (!l->delay.known)
    return;
  emit ("rtt_min", ra_delay_seconds (&l->delay, rtt_min (l)), data);
  emit ("rtt_max", ra_delay_seconds (&l->delay, rtt_max (l)), data);
  emit ("qdelay", qdelay (l) / (gdouble) RA_SECOND, data);
}

const RaParam ra_ld_params[] = {
  { "qthresh", RA_AT (RaLd, qthresh), .def = .5, .max = 1,
      .text = "share of the longest queueing delay where congestion begins" },
  { "min-range", RA_AT (RaLd, min_range), .def = .02, RA_PAPER (0), .max = 10,
      .unit = "s", .text = "RTTmax - RTTmin counts as at least this" },
  { "window", RA_AT (RaLd, window), .def = 30, RA_PAPER (0), .max = 86400,
      .unit = "s", .text = "age of RTTmax, 0: the whole connection" },
  { "base-window", RA_AT (RaLd, base_window), .def = 600, RA_PAPER (0),
      .max = 86400, .unit = "s",
      .text = "age of RTTmin, 0: the whole connection" },
  { NULL },
};

const RaLdaOps ra_lda_ld = {
  .name = "ld",
  .cite = "Papadimitriou, Tsaoussidis, Zhang 2009, 3.2",
  .needs = "RTT per packet (per-packet feedback), or send and arrival times",
  .use
  = "as spike, from RTT: a drop-tail queue of 20 ms or more that the stream fills",
  .size = sizeof (RaLd),
  .params = ra_ld_params,
  .on_packet = ld_on_packet,
  .observe = ld_observe,
};
