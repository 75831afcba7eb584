/* A congestion window that is paced as a rate (as CCID 2, RFC 4341): cwnd
 * packets per round-trip time.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What differs from TCP, because a report is not an ACK and video no file:
 * - A report acknowledges many packets: growth goes by packets, whether the
 *   reports come once per RTT or once per frame.
 * - Nothing is retransmitted, so fast recovery has nothing to wait for: cwnd is
 *   ssthresh at once, and rests until the report speaks of packets sent after
 *   that (`recover` of RFC 6582, as a time).  Losses among the earlier ones are
 *   the same event.  This is RFC 4341's rule, "sent before the loss of the
 *   first packet was detected", and not the loss event of RFC 5348, which ends
 *   an R after it began, before the decrease can show.
 * - Packets shrink with the rate of a video, and a window of packets would
 *   shrink with them, until nothing is left.  cwnd is kept in bytes, as TCP's
 *   is (RFC 5681), and only grows by packets.
 * - The clock of arriving ACKs stops TCP where a queue grows.  Here the rate is
 *   cwnd / R, and R is old: with SRTT (8 samples) a queue swings for ever, and
 *   so it does with the latest sample alone, which a report per R makes 1 to
 *   2 R old.  R is a geometric mean of both, as in RFC 5348 4.5, and the rate
 *   stays below what that clock would let go.
 * - A source that leaves half of cwnd unused, an encoder at its limit, keeps it
 *   but does not raise it (RFC 7661).  LossFlightSize of 4.4.1 is missing, so
 *   that a decrease may be larger; pipeACK is not undefined after one, but as it
 *   was before, more than the new cwnd, it hinders as little.
 */
#include <gst/rtpadapt/rate/window.h>

#include <gst/rtpadapt/loss/holes.h>

#include <math.h>

#define HIGH 1e9         /* "arbitrarily high", RFC 5681 3.1 */
#define INITIAL_RTO 1.0  /* s, RFC 6298 2.1 */
#define MAX_RTO 60.0     /* s, RFC 6298 2.5 */
#define LATEST .75       /* weight of the latest sample in R */
#define GRANULARITY 0.01 /* s, G of RFC 6298: how late a wake-up may be */
/* RFC 7661: pipeACK's sampling period is 1 s or more (4.2); NVP. */
#define SAMPLING RA_SECOND
#define NVP (300 * RA_SECOND)

/* IW, RFC 5681 3.1, packets */
static gdouble
initial_window (const RaWindow *w)
{
  guint mss = w->base.cfg.mss;

  return mss > 2190 ? 2 : mss > 1095 ? 3 : 4;
}

/* R that the window is paced over, s. */
static gdouble
pacing_r (const RaWindow *w)
{
  if (w->srtt <= 0)
    return INITIAL_RTO;
  return w->srtt
      * pow ((w->r_sample + w->jitter) / (w->srtt + w->jitter), LATEST);
}

/* RFC 7661 4.2: max (3 RTT, 1 s). */
static RaSpan
sampling_period (const RaWindow *w)
{
  return MAX (ra_span (3 * w->srtt), SAMPLING);
}

/* A sample of pipeACK.  Not RaWinMin, whose slots are those of one length. */
static void
pipe_add (RaWindow *w, gdouble bytes, RaTime now)
{
  RaWindowPeriod *p = &w->pipe[(w->n_periods - 1) % RA_WINDOW_PERIODS];

  if (w->n_periods == 0
      || ra_diff (now, p->begun) >= sampling_period (w) / RA_WINDOW_PERIODS)
    w->pipe[w->n_periods++ % RA_WINDOW_PERIODS]
        = (RaWindowPeriod){ now, bytes };
  else
    p->bytes = fmax (p->bytes, bytes);
}

/* Packets, or -1 as long as there is none. */
static gdouble
pipe_ack (const RaWindow *w, RaTime now)
{
  guint n = (guint) MIN (w->n_periods, RA_WINDOW_PERIODS);
  gdouble packets = -1;

  for (guint i = 0; i < n; i++) {
    if (ra_diff (now, w->pipe[i].begun) < sampling_period (w))
      packets = fmax (packets, w->pipe[i].bytes / w->s);
  }
  return packets;
}

/* How long after a packet the timer waits: the report about it may come a
 * whole interval after it was received. */
static RaSpan
timer (const RaWindow *w)
{
  gdouble wait = w->srtt > 0 ? w->srtt : INITIAL_RTO;

  if (w->base.interval > 0)
    wait = ra_seconds (w->base.interval);
  return ra_span (w->rto + wait);
}

void
ra_window_init (RaRate *r, RaTime now)
{
  RaWindow *w = (RaWindow *) r;

  w->s = r->s;
  w->cwnd = initial_window (w);
  w->ssthresh = HIGH;
  w->rto = INITIAL_RTO;
  w->recover = RA_TIME_NONE;
  w->validated = now;
  ra_window_finish (w);
}

/* The window's bytes stay, when the mean size of a packet changes. */
static void
recount (RaWindow *w)
{
  gdouble ratio = w->s / w->base.s;

  w->cwnd = fmax (w->cwnd * ratio, 1);
  w->ssthresh *= ratio;
  w->s = w->base.s;
}

/* RFC 7661 4.4.3, once for each NVP */
static void
expire_unused (RaWindow *w, RaTime now)
{
  while (ra_diff (now, w->validated) >= NVP && w->cwnd > initial_window (w)) {
    w->ssthresh = fmax (w->ssthresh, 3 * w->cwnd / 4);
    w->cwnd = fmax (w->cwnd / 2, initial_window (w));
    w->validated += NVP;
  }
}

void
ra_window_on_sent (RaRate *r, guint size, RaTime now)
{
  RaWindow *w = (RaWindow *) r;

  expire_unused (w, now);
  w->sent[w->n_sent++ % RA_WINDOW_SENT] = now;
  if (r->timeout == RA_TIME_NONE) /* RFC 6298 5.1 */
    r->timeout = ra_later (now, timer (w));
}

/* RFC 6298 2.2, 2.3; about once per RTT (RFC 4341 5). */
static void
rtt_update (RaWindow *w, gdouble sample, RaTime now)
{
  gdouble since = ra_seconds (ra_diff (now, w->t_rtt));

  w->r_sample = sample;
  if (w->srtt > 0 && since < w->srtt / 2)
    return;
  if (w->srtt <= 0) {
    w->srtt = sample;
    w->rttvar = sample / 2;
  } else {
    w->rttvar += (fabs (w->srtt - sample) - w->rttvar) / 4;
    w->srtt += (sample - w->srtt) / 8;
  }
  w->t_rtt = now;
  w->rto = w->srtt + fmax (GRANULARITY, 4 * w->rttvar);
  w->rto = fmin (fmax (w->rto, w->min_rto), MAX_RTO);
}

/* R is known now.  A start rate comes "from a previous connection" (RFC 5348
 * 4.2); where that had losses, it was a controller of the same path, and IW
 * would be more than it allowed. */
static void
begin (RaWindow *w, const RaReport *report)
{
  gdouble least = report->p > 0 ? 1 : w->cwnd;

  if (w->base.cfg.start && !w->timed_out)
    w->cwnd = fmax (least, ra_bytes (w->base.cfg.start) * pacing_r (w) / w->s);
  if (report->p > 0)
    w->ssthresh
        = fmax (w->cwnd, ra_bytes (w->base.before) * pacing_r (w) / w->s);
}

/* RFC 7661 4.2.  X_recv is 0 where it is not known. */
static void
pipe_update (RaWindow *w, const RaReport *report, RaTime now)
{
  gdouble x_recv = ra_bytes (report->recv_rate);

  if (x_recv > 0)
    pipe_add (w, x_recv * pacing_r (w), now);
  if (ra_window_flight (w, now) >= w->cwnd)
    w->validated = now;
}

/* The report speaks of a loss among packets sent after `recover`. */
static gboolean
loss_is_new (const RaWindow *w, const RaReport *report)
{
  RaTime sent = ra_later (report->t_recvdata, -MAX (report->loss_age, 0));

  if (report->n_events == 0 && ra_report_congestion (report) == 0)
    return FALSE;
  return w->recover == RA_TIME_NONE || sent > w->recover;
}

/* RFC 6582 3.2: nothing of what was sent after `recover` was heard of yet. */
static gboolean
in_recovery (const RaWindow *w, const RaReport *report)
{
  return w->recover != RA_TIME_NONE && report->t_recvdata <= w->recover;
}

RaWindowStep
ra_window_hear (RaWindow *w, const RaReport *report, RaTime now)
{
  gboolean first = w->srtt <= 0, is_new;

  recount (w);
  rtt_update (w, ra_seconds (report->rtt), now);
  if (first)
    begin (w, report);
  if (!in_recovery (w, report))
    w->timed_out = FALSE;
  pipe_update (w, report, now);
  /* RFC 6298 5.2, 5.3 */
  w->base.timeout = w->base.last_sent == RA_TIME_NONE
          || w->base.last_sent <= report->t_recvdata
      ? RA_TIME_NONE
      : ra_later (now, timer (w));

  is_new = loss_is_new (w, report);
  w->t_reported = report->t_recvdata;
  w->x_recv = ra_bytes (report->recv_rate);
  if (is_new)
    return RA_WINDOW_SHRINK;
  if (report->n_events > 0 || ra_report_congestion (report) > 0
      || in_recovery (w, report))
    return RA_WINDOW_KEEP;
  return RA_WINDOW_GROW;
}

void
ra_window_grow (RaWindow *w, gdouble alpha, guint n, RaTime now)
{
  /* RFC 5681 3.1 (2): one for each in slow start. */
  gdouble slow = fmin (n, fmax (w->ssthresh - w->cwnd, 0));
  gdouble pipe = pipe_ack (w, now), before = w->cwnd;

  w->cwnd += slow;
  /* (3), alpha / cwnd for each, summed over the rest */
  w->cwnd = sqrt (w->cwnd * w->cwnd + 2 * alpha * (n - slow));
  /* RFC 7661 4.4: not into the non-validated phase. */
  if (pipe >= 0)
    w->cwnd
        = fmin (w->cwnd, fmax (fmax (2 * pipe, initial_window (w)), before));
}

/* RFC 6298 5.5, RFC 5681 3.1.  What was sent is gone (RFC 4341 5, "sets pipe to
 * zero"), so the timer is off until the next packet. */
void
ra_window_expire (RaWindow *w, gdouble ssthresh, RaTime now)
{
  gboolean again = w->timed_out;

  recount (w);
  if (!again && w->srtt > 0) /* else "held constant" */
    w->ssthresh = fmax (ssthresh, 2);
  w->cwnd = 1;
  w->recover = now;
  w->rto = fmin (2 * w->rto, MAX_RTO);
  w->timed_out = TRUE;
}

/* RFC 5681 (4), RFC 4341 5: ssthresh is never less than two, cwnd than one.
 * Even with limited transmit (RFC 3042) a window of less than three draws no
 * three duplicate ACKs within an RTT or two: TCP times out. */
void
ra_window_shrink (RaWindow *w, gdouble ssthresh, RaTime now)
{
  if (w->cwnd < RA_NDUPACK) {
    ra_window_expire (w, ssthresh, now);
    return;
  }
  w->ssthresh = fmax (ssthresh, 2);
  w->cwnd = fmax (fmin (w->cwnd, ssthresh), 1);
  w->recover = now;
}

/* Packets on their way, as far as the report says. */
static guint
in_flight (const RaWindow *w)
{
  guint n = 0, kept = (guint) MIN (w->n_sent, RA_WINDOW_SENT);

  while (
      n < kept && w->sent[(w->n_sent - 1 - n) % RA_WINDOW_SENT] > w->t_reported)
    n++;
  return n;
}

/* What the ACK clock would let go in the next R, bytes/s: one packet for each
 * that arrives, and what cwnd has room for.  One more, as packets are whole; at
 * least half of what arrives, as RFC 6937 has it for a window that was halved.
 */
static gdouble
clocked (const RaWindow *w)
{
  gdouble room = w->cwnd + 1 - in_flight (w);

  if (w->x_recv <= 0)
    return INFINITY;
  return fmax (w->x_recv + room * w->s / w->r_sample, w->x_recv / 2);
}

void
ra_window_finish (RaWindow *w)
{
  gdouble limit = ra_bytes (w->base.cfg.max) * w->srtt / w->s;

  if (w->srtt > 0) /* or it would grow unnoticed */
    w->cwnd = fmin (w->cwnd, fmax (limit, 1));
  if (w->timed_out) /* TCP sends one packet, and waits */
    w->base.bps = ra_bits (w->s / w->rto);
  else if (w->srtt <= 0 && w->base.cfg.start)
    w->base.bps = w->base.cfg.start;
  else
    w->base.bps = ra_bits (fmin (w->cwnd * w->s / pacing_r (w), clocked (w)));
}

/* RFC 7661 4.4.1: pipeACK in the non-validated phase. */
gdouble
ra_window_flight (const RaWindow *w, RaTime now)
{
  gdouble pipe = pipe_ack (w, now);

  return pipe >= 0 && pipe < w->cwnd / 2 ? pipe : w->cwnd;
}

void
ra_window_observe (const RaRate *r, RaObserve emit, gpointer data)
{
  const RaWindow *w = (const RaWindow *) r;

  emit ("cwnd", w->cwnd, data);
  emit ("ssthresh", w->ssthresh, data);
  emit ("s", w->s, data);
  emit ("srtt", w->srtt, data);
  emit ("rttvar", w->rttvar, data);
  emit ("rto", w->rto, data);
  emit ("rtt", pacing_r (w), data);
}

const RaParam ra_window_params[] = {
  { "min-rto", RA_AT (RaWindow, min_rto), .def = .2, RA_PAPER (1), .min = .001,
      .max = 60, .unit = "s",
      .text = "least retransmission timeout (RFC 6298 2.4)" },
  { "jitter", RA_AT (RaWindow, jitter), .def = .01, RA_PAPER (0), .max = 10,
      .unit = "s", .text = "an RTT varies by this without any queue" },
  { NULL },
};
