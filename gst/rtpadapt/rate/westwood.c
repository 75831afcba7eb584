/* westwood: TCP Westwood, a window that falls to what the path carried; Westwood+
 * unless `tau` is set.
 * L. A. Grieco, S. Mascolo, "Performance evaluation and comparison of
 * Westwood+, New Reno, and Vegas TCP congestion control", CCR 34(2), 2004;
 * after S. Mascolo et al., "TCP Westwood", MobiCom 2001.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * 2001 prints no tau; its authors' code for ns-2 has 1 s and gaps of tau / 2.  After
 * gaps that code divides by what they leave of the time, which may be 10 ms for the
 * bytes of half a second.  Here a sample is over all of its time.
 *
 * It has no LDA in its papers (Barman, Matta 2002, 2.3): a wireless loss that
 * an LDA finds changes nothing, as for newreno.
 *
 * On real video window.c says what differs.  Here:
 * - A bandwidth sample is X_recv, the bytes that came during the last RTT, as
 *   packets differ in size.  With `tau` it is what a report acknowledges over the
 *   time since the last one, as each ACK is for the filter of 2001, which counts
 *   too much where ACKs come in bunches.
 * - RTT_min ages after `window` (30 s), for a handover moves it.
 */
#include <gst/rtpadapt/rate/window.h>
#include <gst/rtpadapt/util/winmin.h>

#include <math.h>

#define IDLE \
  40 /* samples of 0 in a row, at most: .6^40 is left of an estimate */

typedef struct
{
  RaWindow window;
  gdouble filter, tau, age; /* parameters */
  gdouble bwe;              /* bytes/s, 0 before the first sample */
  gdouble b;                /* the latest sample, with tau */
  RaTime t_bwe;             /* of the latest sample */
  RaWinMin rtts;
  gdouble rtt_min; /* s, 0 before the first report */
} Westwood;

/* BWE * RTT_min, packets; where nothing is known yet, as Reno. */
static gdouble
ssthresh (const Westwood *v, RaTime now)
{
  if (v->bwe <= 0)
    return ra_window_flight (&v->window, now) / 2;
  return v->bwe * v->rtt_min / v->window.s;
}

/* B_k = ((2 tau - D) B_(k-1) + D (b_k + b_(k-1))) / (2 tau + D), D since the last
 * sample (Mascolo et al. 2001, 2.2) */
static void
tustin (Westwood *v, gdouble b, gdouble since)
{
  gdouble sum = 2 * v->tau + since;

  v->bwe = ((2 * v->tau - since) * v->bwe + since * (b + v->b)) / sum;
  v->b = b;
}

/* The filter of 2001: where nothing comes for tau / 2 that is a sample of 0. */
static void
bwe_update_2001 (Westwood *v, const RaReport *report, RaTime now)
{
  gdouble since = ra_seconds (ra_diff (now, v->t_bwe)), gap = v->tau / 2;
  gdouble bytes = report->arrived * v->window.s, b;

  if (v->bwe <= 0) {
    v->bwe = v->b = ra_bytes (report->recv_rate);
    v->t_bwe = now;
    return;
  }
  if (since <= 0 || bytes <= 0)
    return;
  v->t_bwe = now;
  b = bytes / since;
  since = fmin (since, IDLE * gap);
  for (; since > gap; since -= gap)
    tustin (v, 0, gap);
  tustin (v, b, since);
}

/* B_k = filter B_(k-1) + (1 - filter) b_k once per RTT (Grieco, Mascolo 2004);
 * a report of a part of it weighs as much less. */
static void
bwe_update (Westwood *v, const RaReport *report, RaTime now)
{
  gdouble b = ra_bytes (report->recv_rate);
  gdouble part = ra_seconds (ra_diff (now, v->t_bwe)) / v->window.srtt;

  if (b <= 0) /* not known */
    return;
  if (v->bwe <= 0)
    v->bwe = b;
  else
    v->bwe += (1 - pow (v->filter, CLAMP (part, 0, 1))) * (b - v->bwe);
  v->t_bwe = now;
}

static void
westwood_init (RaRate *r, RaTime now)
{
  ra_winmin_init (&((Westwood *) r)->rtts);
  ra_window_init (r, now);
}

static void
westwood_on_report (RaRate *r, const RaReport *report, RaTime now)
{
  Westwood *v = (Westwood *) r;
  RaWindow *w = &v->window;
  RaWindowStep step = ra_window_hear (w, report, now);

  ra_winmin_add (&v->rtts, w->r_sample, now, ra_span (v->age));
  v->rtt_min = ra_winmin_get (&v->rtts, now, ra_span (v->age));
  if (v->tau > 0)
    bwe_update_2001 (v, report, now);
  else
    bwe_update (v, report, now);
  if (step == RA_WINDOW_SHRINK)
    ra_window_shrink (w, ssthresh (v, now), now);
  else if (step == RA_WINDOW_GROW) /* "as the original Reno" */
    ra_window_grow (w, 1, report->arrived, now);
  ra_window_finish (w);
}

static void
westwood_on_timeout (RaRate *r, RaTime now)
{
  Westwood *v = (Westwood *) r;

  ra_window_expire (&v->window, ssthresh (v, now), now);
  ra_window_finish (&v->window);
}

static void
westwood_observe (const RaRate *r, RaObserve emit, gpointer data)
{
  const Westwood *v = (const Westwood *) r;

  ra_window_observe (r, emit, data);
  emit ("bwe", v->bwe, data);
  emit ("rtt_min", v->rtt_min, data);
}

static const RaParam params[] = {
  { "filter", RA_AT (Westwood, filter), .def = .9, .max = .999,
      .text = "what a sample leaves of the estimate before it" },
  { "tau", RA_AT (Westwood, tau), .def = 0, RA_PAPER (1), .max = 60,
      .unit = "s",
      .text
      = "time constant of the filter of 2001 (paper: its authors' ns-2 value); "
        "0: Westwood+, by filter (as printed: paper,tau=0)" },
  { "window", RA_AT (Westwood, age), .def = 30, RA_PAPER (0), .max = 86400,
      .unit = "s", .text = "age of RTT_min, 0: the whole connection" },
  { "", RA_TABLE (Westwood, window, ra_window_params) },
  { NULL },
};

const RaRateOps ra_rate_westwood = {
  .name = "westwood",
  .cite = "Grieco, Mascolo 2004 (Westwood+); Mascolo et al. 2001",
  .needs = "reports once per RTT or more often; an X_recv of the last RTT",
  .use = "wireless losses that no LDA recognises; a path of little queue",
  .absolute = RA_WINDOW_ABSOLUTE,
  .size = sizeof (Westwood),
  .params = params,
  .init = westwood_init,
  .on_sent = ra_window_on_sent,
  .on_report = westwood_on_report,
  .on_timeout = westwood_on_timeout,
  .observe = westwood_observe,
};
