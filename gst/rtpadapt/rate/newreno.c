/* newreno: TCP NewReno's window for video.  RFC 5681, TCP Congestion Control,
 * M. Allman, V. Paxson, E. Blanton, 2009; RFC 6582, the NewReno Modification,
 * T. Henderson et al., 2012; in packets as RFC 4341 (CCID 2).
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * NewReno-FF, -LL and -PL (Barman, Matta 2002) and TCP-DCR (Bhandarkar et al.
 * 2005) are this with an LDA: a wireless loss changes neither cwnd nor
 * ssthresh (Barman, Matta 2002, figure 2), and the packets that arrived with
 * it count as ever.  All timeouts are congestion (2.2).
 *
 * On real video window.c says what differs.  Here: as every loss is reported,
 * fewer of them end in a timeout than TCP's do, so above 3 % of loss this sends
 * more than Padhye's equation has, as CCID 2 does.
 */
#include <gst/rtpadapt/rate/window.h>

#define ALPHA 1 /* packets per RTT, RFC 5681 3.1 */
#define BETA .5 /* RFC 5681 (4) */

static void
newreno_on_report (RaRate *r, const RaReport *report, RaTime now)
{
  RaWindow *w = (RaWindow *) r;

  switch (ra_window_hear (w, report, now)) {
    case RA_WINDOW_SHRINK:
      ra_window_shrink (w, BETA * ra_window_flight (w, now), now);
      break;
    case RA_WINDOW_GROW:
      ra_window_grow (w, ALPHA, report->arrived, now);
      break;
    case RA_WINDOW_KEEP:
      break;
  }
  ra_window_finish (w);
}

static void
newreno_on_timeout (RaRate *r, RaTime now)
{
  RaWindow *w = (RaWindow *) r;

  ra_window_expire (w, BETA * ra_window_flight (w, now), now);
  ra_window_finish (w);
}

const RaRateOps ra_rate_newreno = {
  .name = "newreno",
  .cite = "RFC 5681, RFC 6582 (TCP NewReno) as RFC 4341; Barman, Matta 2002",
  .needs = "reports once per RTT or more often",
  .use = "to behave as a TCP does, or to compare with one",
  .absolute = RA_WINDOW_ABSOLUTE,
  .size = sizeof (RaWindow),
  .params = ra_window_params,
  .init = ra_window_init,
  .on_sent = ra_window_on_sent,
  .on_report = newreno_on_report,
  .on_timeout = newreno_on_timeout,
  .observe = ra_window_observe,
};
