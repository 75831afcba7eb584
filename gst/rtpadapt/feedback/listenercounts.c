/* The sender's ear: the counters of RADP, believed as far as they add up.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <gst/rtpadapt/feedback/listenerpriv.h>

#include <gst/rtpadapt/feedback/peerdelay.h>
#include <gst/rtpadapt/loss/holes.h>

/* A hole becomes a loss NDUPACK packets later, and the next report has it. */
#define SETTLED_PACKETS 4
/* Sent as long before counters begin, a packet may still count after it; until
 * then nobody can say whether the counters fit. */
#define LATE_MAX RA_SECOND
/* A peer may lose count of so many packets, and one in a thousand. */
#define NEGLECT 3

/* What has been neither arrived nor lost for 2 R, which is more than a verdict
 * waits (RaLdaOps.patience), and SETTLED_PACKETS arrivals will be neither. */
static gint64
unaccounted_for_good (const RaListener *l, const RaJudged *j)
{
  RaSpan age = 2 * MAX (l->rtt, j->rtt);
  gint64 least = j->heard.unaccounted;
  const RaHeardReport *h;

  for (guint64 back = 0; (h = ra_listener_heard (l, back)); back++) {
    least = MIN (least, h->unaccounted);
    if (ra_diff (j->now, h->now) >= age
        && j->heard.arrived >= h->arrived + SETTLED_PACKETS)
      return least;
  }
  return 0;
}

/* The counters with `report` in them. */
static RaHeard
judge_sums (const RaListener *l, RaJudged *j, const RaReport *report)
{
  RaRadpCounters *c = &j->counts;
  gint64 denied;

  if (!ra_radp_counters_were_sent (c, j->packets))
    return RA_HEARD_UNSENT;
  if (!ra_radp_counters_add_up (c))
    return RA_HEARD_CONTRARY;
  j->heard.arrived = c->arrived;
  /* p is 0 where all that congestion had taken came after all: as arrivals, or
   * the peer denies it. */
  j->heard.unaccounted = (gint64) (c->expected - c->arrived - c->wireless);
  if (j->fb.p > 0)
    j->heard.unaccounted -= (gint64) c->congestion;
  denied = unaccounted_for_good (l, j);
  if (j->fb.p <= 0 && denied > NEGLECT + (gint64) (c->expected / 1000))
    return RA_HEARD_CONTRARY;
  if (j->fb.p > 0)
    c->settled = MAX (c->settled, denied);
  return RA_HEARD_OK;
}

static guint
clamp_count (gint64 n)
{
  return (guint) CLAMP (n, 0, G_MAXINT32);
}

/* Without RADP, or where it has nothing to be compared with, what TFRC-FB alone
 * says: all packets sent until t_i were expected, and the loss event rate is
 * what RFC 8083 3 wants for p ("that would be seen by a TCP connection") and
 * takes the fraction lost for only because receiver reports do not have it.  It
 * lags, so that it goes on for some time after the last loss.  Nobody says that
 * the radio took any. */
static void
infer (const RaListener *l, RaJudged *j, RaReport *report)
{
  gint64 n = (gint64) (j->packets - l->known_packets), n_lost;

  report->n_events = j->fb.p > l->p; /* p rises with a loss event only */
  j->lost = l->lost + (gdouble) n * j->fb.p;
  n_lost = MAX ((gint64) j->lost, report->n_events);
  n_lost = CLAMP (n_lost, 0, MAX (n - 1, 0)); /* t_i has arrived */
  j->lost = MIN (j->lost - (gdouble) n_lost, 1);
  report->expected = clamp_count (n);
  report->lost_congestion = clamp_count (n_lost);
  report->arrived = clamp_count (n - n_lost);
  report->queue = report->queue_min = report->queue_max = RA_SPAN_NONE;
}

static void
bound_queue (RaSpan *queue, RaSpan most)
{
  if (*queue != RA_SPAN_NONE)
    *queue = MIN (*queue, most);
}

/* Where RADP counts more than was sent, the surplus is ignored: the peer counts
 * RTP numbers that we dropped ourselves, or lies.  More than twice as much is a
 * lie.  How old the newest loss is, and how long the queue, has a bound: the
 * last report did not have it, and the queue is a part of the RTT. */
static RaHeard
bound (const RaListener *l, const RaJudged *j, gint64 settled, RaReport *report)
{
  gint64 n = (gint64) (j->packets - l->known_packets_1);
  RaSpan age = l->t_last == RA_TIME_NONE
      ? RA_PEER_DELAY_RTT_MAX
      : ra_diff (j->t, l->t_last) + 2 * MAX (l->rtt, j->rtt);

  if (report->expected > 2 * n + RA_HOLES_MAX)
    return RA_HEARD_UNSENT;
  /* A loss event that begins without a loss begins with an ECN mark. */
  report->ce
      = report->n_events - MIN (report->n_events, report->lost_congestion);
  report->expected = MIN (report->expected, clamp_count (n));
  report->lost_congestion += clamp_count (settled);
  report->loss_age = MIN (report->loss_age, age);
  bound_queue (&report->queue, j->rtt);
  bound_queue (&report->queue_min, j->rtt);
  bound_queue (&report->queue_max, j->rtt);
  return RA_HEARD_OK;
}

static void
begin (const RaListener *l, const RaJudged *j, RaRadpCounters *c,
    const RaRadp *radp, guint64 sent)
{
  guint64 before = ra_ledger_packets (l->ledger, ra_later (j->t, -LATE_MAX));

  ra_radp_counters_begin (c, radp, sent, j->packets - before, j->now);
}

/* RA_HEARD_OLD: they ran backwards. */
static RaHeard
judge_by (const RaListener *l, RaJudged *j, const RaRadpCounters *counts,
    RaReport *report)
{
  RaHeard heard;

  j->counts = *counts;
  if (!ra_radp_counters_add (&j->counts, &l->pending, report))
    return RA_HEARD_OLD;
  heard = judge_sums (l, j, report);
  return heard != RA_HEARD_OK
      ? heard
      : bound (l, j, j->counts.settled - counts->settled, report);
}

/* Counters that ran backwards, or that count more than was sent: the peer
 * started again, or heard somebody else's packets, or this report is somebody
 * else's, or the one that the counters began with was.  The next report
 * decides: a peer that goes on from here is held to that, after a second one in
 * a row (as in RFC 3550 A.1), or once it fits without the doubt of late
 * packets.  Or one report, or a packet that strayed, would end all feedback for
 * good. */
static RaHeard
judge_other (RaListener *l, RaJudged *j, RaHeard heard, RaReport *report)
{
  gboolean back = heard == RA_HEARD_OLD;

  if (!l->has_other || judge_by (l, j, &l->other, report) != RA_HEARD_OK) {
    begin (l, j, &l->other, &l->pending, j->sent->packets);
    l->has_other = TRUE;
  } else if (back || ra_diff (j->now, l->other.begun) >= LATE_MAX) {
    return RA_HEARD_OK;
  }
  if (!back)
    return heard;
  j->aside = TRUE;
  j->heard.arrived = 0;
  j->heard.unaccounted = 0;
  *report = (RaReport){ 0 };
  infer (l, j, report);
  return RA_HEARD_OK;
}

/* Counters from before we began say nothing yet. */
RaHeard
ra_listener_judge_counts (RaListener *l, RaJudged *j, RaReport *report)
{
  static const RaRadp zero = { 0 };
  RaHeard heard;

  j->lost = 0;
  j->by_radp = l->has_pending && l->pending.t_i == j->fb.t_i;
  if (j->by_radp && !l->has_heard && !l->has_counts
      && l->pending.expected <= j->packets) {
    begin (l, j, &l->counts, &zero, 0);
    l->has_counts = TRUE;
  }
  if (!j->by_radp || !l->has_counts) {
    j->restarted = TRUE;
    infer (l, j, report);
    return RA_HEARD_OK;
  }
  heard = judge_by (l, j, &l->counts, report);
  return heard == RA_HEARD_OLD || heard == RA_HEARD_UNSENT
      ? judge_other (l, j, heard, report)
      : heard;
}

void
ra_listener_take_counts (RaListener *l, const RaJudged *j)
{
  if (j->by_radp)
    l->radp = l->pending;
  l->has_radp |= j->by_radp;
  if (j->aside)
    return;
  l->has_other = FALSE;
  l->has_counts = j->by_radp;
  if (j->by_radp && j->restarted)
    begin (l, j, &l->counts, &l->pending, j->sent->packets);
  else if (j->by_radp)
    l->counts = j->counts;
}
