/* What a controller with a delay target takes from a report.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Where no paper is named a constant is our own, measured with rtpadapt-sim
 * (tests/bench/delay).
 */
#include <gst/rtpadapt/rate/sense.h>

#include <gst/rtpadapt/util/noise.h>

#include <math.h>

/* s.  A longer time between two reports counts as a pause, unless it is at most DT_USUAL
 * times their usual distance I. */
#define DT_MAX .2
#define DT_USUAL 1.5
/* A delivered rate is measured over this at least: two packets at 1 Mbit/s. */
#define SPAN_MIN .02
/* Samples over which the noise is averaged: RFC 3550 A.8 smooths the jitter by as much. */
#define DEV_GAIN 16
/* The first sample has a part of so many: what looks like jitter may be a queue that
 * begins. */
#define DEV_FIRST 4
/* Normal noise seldom lies lower than 2.5 standard deviations below its middle.  2 ms of
 * them are frames that do not fill a packet. */
#define ALLOWANCE 2.5
#define ALLOWANCE_FREE .002
/* Times I.  A longer gap does not show the line's rate: the radio was away, or the
 * machine did not run. */
#define GAP_MOST 2
/* After an outage few packets are sent, and its losses count no longer. */
#define RAW_TIME 3.0
/* s.  A shorter queue counts as none. */
#define NO_QUEUE .003
/* A queue that grows by ROSE, and by the share ROSE_EACH of the time, is that of a line
 * which has become slower, or of a TCP's slow start. */
#define ROSE .1
#define ROSE_EACH .25
/* Where a line becomes slower its queue jumps, and would pass for jitter.  A sample is
 * at most so many times the mean, or DEV_LEAST s. */
#define DEV_MOST 16
#define DEV_LEAST .005
/* A line that has carried so much may be as fast still, though others have it. */
#define MOST_TIME 60.
/* A rate below one part of so many of the highest of late does not show a slow line:
 * packets are far apart because we send few. */
#define SHARE 3
/* Verdicts of congestion are believed until 14 losses in a row were the radio's,
 * which takes the share from .3 to .15. */
#define VERDICTS 20.
#define CONGESTED_FIRST .3
/* s.  A queue that comes and goes looks like noise for less than this. */
#define DEV_LASTS 5.
/* A queue of up to PEAK s and the time of PEAK_PACKETS packets may be the path's jitter; one
 * of twice that is of a line that halts.  It counts for about PEAK_TIME s. */
#define PEAK .05
#define PEAK_PACKETS 2
#define PEAK_TIME 5.
/* Of the highest rate of late.  Above NEAR our own rate makes the queue of a halt longer,
 * below NEAR_LEAST it does not. */
#define NEAR .9
#define NEAR_LEAST .6
/* CCFB has arrivals in 1/1024 s (RFC 8888 3.1), the coarsest of all feedback. */
#define GRAIN .002
/* s.  Where a radio hands over to another cell or satellite nothing arrives for so long at
 * least, and most of what a report is about is missing.  A full queue lets a packet pass at
 * times, and on a slow line a few packets in a row are lost to it. */
#define GAP .035
#define GAP_SHARE .5
#define GAP_PACKETS 8
/* Reports that deny the queue, until the base moves: one RTT may be wrong. */
#define ODD_REPORTS 2

static gdouble
seconds (RaSpan queue)
{
  return queue == RA_SPAN_NONE ? 0 : ra_seconds (MAX (queue, 0));
}

/* Of the last two reports, and of all within `span` of now. */
static gdouble
lowest (const RaSense *n, gdouble span)
{
  gdouble low = n->lo[0];

  for (guint i = 1; i < n->n_lo && (i < 2 || n->now - n->lo_at[i] < span); i++)
    low = fmin (low, n->lo[i]);
  return low;
}

gdouble
ra_sense_range (const RaSense *n)
{
  gdouble high = n->lo[0];

  for (guint i = 1; i < n->n_lo && (i < 2 || n->now - n->lo_at[i] < n->lag);
       i++)
    high = fmax (high, n->lo[i]);
  return high - lowest (n, n->lag);
}

/* How much of the queue `q` the RTT of the same packet denies.  A queue is a part
 * of the RTT, and what it leaves is the empty path's.  Where that is much less
 * than the shortest RTT, a clock was set, or the way there became longer while
 * the way back became shorter: nothing waits. */
static gdouble
denied (const RaSense *n, gdouble q, gdouble rtt)
{
  gdouble rest = rtt - q;

  return rest < n->rtt_least / 2 - GRAIN ? fmin (n->rtt_least - rest, q) : 0;
}

/* After the clock of one side was set the base is a wrong one for minutes. */
static gdouble
base_check (RaSense *n, gdouble q, gdouble rtt)
{
  gdouble excess;

  n->rtt_least = n->rtt_least > 0 ? fmin (n->rtt_least, rtt) : rtt;
  excess = denied (n, fmax (q - n->shift, 0), rtt);
  n->n_odd = excess > 0 ? n->n_odd + 1 : 0;
  if (n->n_odd < ODD_REPORTS)
    return excess;
  n->n_odd = 0;
  n->shift += excess; /* the queues before had their excess taken off */
  return 0;
}

static void
queue_hear (RaSense *n, const RaReport *report)
{
  gdouble q = seconds (report->queue), off;

  n->q_lo = seconds (
      report->queue_min == RA_SPAN_NONE ? report->queue : report->queue_min);
  n->q_hi = seconds (
      report->queue_max == RA_SPAN_NONE ? report->queue : report->queue_max);
  if (report->queue == RA_SPAN_NONE) {
    /* Nothing is known of the base, either. */
    n->q_lo = n->q_hi = n->q_report = 0;
    return;
  }
  n->shift = fmin (n->shift, n->q_lo);
  off = base_check (n, q, ra_seconds (report->rtt));
  off += n->shift;
  n->q_lo = fmax (n->q_lo - off, 0);
  n->q_hi = fmax (n->q_hi - off, 0);
  n->q_report = fmax (q - off, 0);
}

/* Jitter of some 10 ms is the path's own at any rate.  Longer queues that come and go are
 * those of a line that halts, as a busy Wi-Fi: the nearer the rate is to the line's, the
 * longer they get, until pictures come late.  Far below the line's rate they are not our
 * doing, and the rate must not go by them. */
static gdouble
allowed (const RaSense *n)
{
  gdouble peak = n->q_most / (PEAK + PEAK_PACKETS * n->packet);
  gdouble near = n->r_most > 0 ? n->r / n->r_most : 1;

  return CLAMP (fmax (2 - peak, (NEAR - near) / (NEAR - NEAR_LEAST)), 0, 1);
}

static void
queue_filter (RaSense *n, gdouble allowance)
{
  gdouble sample;

  for (guint i = RA_SENSE_QUEUES - 1; i > 0; i--) {
    n->lo[i] = n->lo[i - 1];
    n->lo_at[i] = n->lo_at[i - 1];
  }
  n->lo[0] = n->q_lo;
  n->lo_at[0] = n->now;
  n->n_lo = MIN (n->n_lo + 1, RA_SENSE_QUEUES);
  n->q_grew = n->n_lo > 1 ? n->lo[0] - n->lo[1] : 0;
  if (n->n_lo >= 3) {
    n->n_dev = CLAMP (n->n_dev + 1, DEV_FIRST, DEV_GAIN);
    sample = ra_noise_deviation (n->lo[0] - 2 * n->lo[1] + n->lo[2]);
    if (n->n_dev == DEV_GAIN)
      sample = fmin (sample, fmax (DEV_MOST * n->dev, DEV_LEAST));
    n->dev += (sample - n->dev) / n->n_dev;
  }
  n->dev_lasts += fmin (n->dt / DEV_LASTS, 1) * (n->dev - n->dev_lasts);
  n->dev_lasts = fmin (n->dev_lasts, n->dev);
  n->q_most = fmax (n->q_lo, n->q_most * exp (-n->dt / PEAK_TIME));
  n->allowance = allowance * allowed (n);
  n->jitter = n->allowance * fmax (0, ALLOWANCE * n->dev - ALLOWANCE_FREE);
  n->q2 = fmax (0, lowest (n, 0) - n->jitter);
  n->qm = fmax (0, lowest (n, n->lag) - n->jitter);
}

/* Exact between two arrivals: a window that ends at one counts half a packet too many.
 * When the line has become slower, packets are smaller than the mean, and bytes count, or
 * the queue would come back.  Else the mean size counts: a policer takes large packets and
 * lets small ones pass, and a flow of small packets would give way to a TCP.  What the
 * radio took had its share of the line, too, and of what a lost report would have covered,
 * as large a part arrived as of the rest. */
static void
rate_hear (RaSense *n, const RaReport *report, gdouble s)
{
  gdouble q = n->q_report, span;
  gdouble all = report->arrived + (gdouble) report->lost_wireless
      + report->lost_congestion;
  gboolean by_bytes = ra_sense_rose (n) && report->bytes > 0;
  gdouble came = by_bytes ? (gdouble) report->bytes : s * report->arrived;
  gdouble more = all > 0 ? 1 + report->skipped / all : 0;

  n->delivered += (came + s * report->lost_wireless) * more;
  n->arrived += came * more;
  n->sent += (came + s * (all - report->arrived)) * more;
  span = ra_seconds (ra_diff (report->t_recvdata, n->t_recvdata)) + q
      - n->q_recvdata;
  if (!n->gone && n->begun && span < SPAN_MIN)
    return;
  if (!n->gone && n->begun && n->delivered > 0) {
    gdouble known = fmin (span, GAP_MOST * n->interval);
    gdouble weight = 1 - exp (-known / n->lag), a_last = n->arrived / span;

    n->r_last = n->delivered / span;
    n->used += weight * (n->r_last - n->used);
    n->offered += weight * (n->sent / span - n->offered);
    if (n->r <= 0) {
      n->r = n->used = n->r_last;
      n->offered = n->sent / span;
      n->a = a_last;
    } else if (!report->data_limited || n->r_last > n->r) { /* RFC 7661 4.2 */
      n->r += weight * (n->r_last - n->r);
      n->a += weight * (a_last - n->a);
    }
    n->a_two = fmax (a_last, n->a_last);
    n->a_last = a_last;
  }
  n->t_recvdata = report->t_recvdata;
  n->q_recvdata = q;
  n->delivered = n->arrived = n->sent = 0;
  n->gone = FALSE;
}

/* TRUE: a report's loss begins a new event.  It is as near to a round trip after the
 * last one as reports are apart. */
static gboolean
event_hear (RaSense *n, gdouble rtt)
{
  if (n->had_event && n->now - n->t_event < rtt - n->dt / 2)
    return FALSE;
  n->t_event = n->now;
  n->had_event = TRUE;
  return TRUE;
}

static void
loss_hear (RaSense *n, const RaReport *report)
{
  guint lost = report->lost_congestion + report->lost_wireless;
  guint all = report->arrived + lost, verdicts = lost + report->ce;
  gdouble share = all > 0 ? (gdouble) lost / all : 0;
  gdouble weight = fmax ((gdouble) all / RA_SENSE_PACKETS, n->dt / RAW_TIME);
  gboolean event = lost > 0 && event_hear (n, ra_seconds (report->rtt));

  n->lost = lost > 0;
  n->all = all;
  n->found = ra_report_congestion (report);
  if (!n->begun)
    n->congested = CONGESTED_FIRST;
  if (verdicts > 0)
    n->congested += (1 - exp (-(gdouble) verdicts / VERDICTS))
        * ((gdouble) ra_report_congestion (report) / verdicts - n->congested);
  if (all > 0)
    n->raw += (1 - exp (-weight)) * (share - n->raw);
  if (all > 0 && n->q2 <= NO_QUEUE)
    n->raw_empty += (1 - exp (-(gdouble) all / RA_SENSE_PACKETS))
        * (share - n->raw_empty);
  n->n_raw = (guint) MIN ((guint64) n->n_raw + all, RA_SENSE_PACKETS);
  if (all > 0)
    n->raw_3s += (1 - exp (-n->dt / RAW_TIME)) * (share - n->raw_3s);
  if (all > 0)
    n->events_3s += (1 - exp (-n->dt / RAW_TIME))
        * ((event ? 1. / all : 0) - n->events_3s);
}

void
ra_sense_hear (RaSense *n, const RaReport *report, gdouble s, gdouble allowance,
    RaTime now)
{
  gdouble rtt = ra_seconds (report->rtt), dt;

  n->interval = report->interval > 0 ? ra_seconds (report->interval) : rtt;
  dt = n->begun ? ra_seconds (ra_diff (now, n->t_report)) : n->interval;
  n->dt = CLAMP (dt, 1e-6, fmax (DT_MAX, DT_USUAL * n->interval));
  n->now += fmax (dt, 0);
  queue_hear (n, report);
  n->lag = n->interval + fmax (rtt - n->q_report, rtt / 4);
  queue_filter (n, allowance);
  if (!n->begun)
    n->t_rose = -(gdouble) INFINITY;
  ra_sense_hear_rise (n);
  rate_hear (n, report, s);
  n->r_most = fmax (n->r, n->r_most * exp (-n->dt / MOST_TIME));
  /* The backlog of a line that became slower has gone: r is what it carries. */
  if (ra_sense_rose (n) && n->q2 <= NO_QUEUE && n->r > 0)
    n->r_most = n->r;
  n->packet = n->r > 0 ? s / fmax (n->r, n->r_most / SHARE) : 0;
  n->shortest = n->r > 0 ? s / n->r_most : 0;
  loss_hear (n, report);
  n->t_report = now;
  n->begun = TRUE;
}

gboolean
ra_sense_rises (const RaSense *n, gdouble least)
{
  guint last = RA_SENSE_QUEUES - 1;
  gdouble by = n->lo[0] - n->lo[last];

  return n->n_lo > last && by > ROSE
      && by > least * (n->lo_at[0] - n->lo_at[last]);
}

void
ra_sense_hear_rise (RaSense *n)
{
  if (ra_sense_rises (n, ROSE_EACH))
    n->t_rose = n->now;
}

gboolean
ra_sense_gap (const RaSense *n, const RaReport *report)
{
  guint all = report->expected + report->skipped;
  guint missing = all - MIN (report->arrived, all);
  gdouble span = ra_seconds (ra_diff (report->t_recvdata, n->t_recvdata));

  return n->begun && missing >= GAP_PACKETS && missing > GAP_SHARE * all
      && span * missing > GAP * all;
}

void
ra_sense_gone (RaSense *n)
{
  n->gone = TRUE;
}

void
ra_sense_rebase (RaSense *n, gdouble by)
{
  n->shift += by;
  n->q_recvdata -= by;
  n->raw = n->raw_3s = n->events_3s = 0;
  n->n_raw = 0;
  n->q_lo = fmax (n->q_lo - by, 0);
  n->q_most = fmax (n->q_most - by, 0);
  for (guint i = 0; i < RA_SENSE_QUEUES; i++)
    n->lo[i] = fmax (n->lo[i] - by, 0);
}

void
ra_sense_set (RaSense *n, gdouble x)
{
  guint i = n->n_sent++ % RA_SENSE_RATES;

  n->sent_x[i] = x;
  n->sent_at[i] = n->now;
}

gdouble
ra_sense_x_then (const RaSense *n)
{
  for (guint back = 1; back <= MIN (n->n_sent, RA_SENSE_RATES); back++) {
    guint i = (n->n_sent - back) % RA_SENSE_RATES;

    if (n->sent_at[i] <= n->now - n->lag)
      return n->sent_x[i];
  }
  return n->n_sent < RA_SENSE_RATES ? 0 : n->sent_x[n->n_sent % RA_SENSE_RATES];
}
