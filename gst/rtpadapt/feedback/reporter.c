/* The receiver of packets off the wire: what it answers, and when.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <gst/rtpadapt/feedback/reporter.h>

#include <gst/rtpadapt/colour/number.h>
#include <gst/rtpadapt/feedback/ccfblog.h>
#include <gst/rtpadapt/feedback/sendclock.h>
#include <gst/rtpadapt/loss/bundle.h>
#include <gst/rtpadapt/score/score.h>

/* Of packets without rtt-sendts as many in a row are no exception any more. */
#define UNSTAMPED_MAX 32
/* An R from the network may be as short as it likes, what we send not: 100
 * reports per second.  RFC 5348 6: more than one per R has little gain. */
#define GAP_MIN (10 * RA_MSECOND)
/* A new loss event asks for a report at once, one per R: RFC 5348 5.2.  Late
 * packets, ECN marks and a p that a peer's R makes swing ask, too; none of them
 * gets more than RFC 4342 8.1 has window counters in an R. */
#define EARLY_PER_RTT 4
#define RATE_WINDOW (100 * RA_MSECOND) /* as the receiver's */
/* Bytes: what we take for the mean packet at first.  The mean of what comes moves from it
 * slowly, and packets are smaller than the largest of the path (RA_DEFAULT_MSS). */
#define SIZE_GUESS 1200

struct _RaReporter
{
  const RaFeedbackOps *kind;
  gboolean judges; /* its reports have the results */
  guint64 seed;
  RaSpan interval, late;

  RaReceiver *receiver;
  RaBundle *bundle;
  RaCcfbLog *log; /* of the packets that reports name; NULL: they name none */
  RaSendClock clock;
  RaMarkSeen marks;
  RaDscpSeen dscp;
  RaRadp radp;
  gboolean started, had_number;
  guint unstamped; /* packets without send time in a row */
  RaTime first, last_arrival;

  /* the latest in order that had a send time, which a report is about */
  gboolean stamped; /* since the last report */
  gboolean owed;    /* a report was due that had none to be about */
  guint32 media_ssrc;
  RaTime sent, arrival;

  RaTime last;     /* report, or RA_TIME_NONE */
  RaTime tried;    /* to make one; ccfb: in vain; or RA_TIME_NONE */
  RaTime asked;    /* when a packet asked for one at once, or RA_TIME_NONE */
  gboolean heard;  /* anything since the last report */
  gboolean quiet;  /* there was nothing to report, and no packet since */
  guint64 bytes;   /* since `measured` */
  RaTime measured; /* where no reports measure the rate */

  RaMissing losses[RA_REPORTER_LOSSES_MAX]; /* a ring */
  guint first_loss, n_losses;
  guint64 left_out; /* that had no place in it */

  RaReporterStats stats;
  RaReporterStats before; /* ra_reporter_follow() */
};

static void
on_loss (const RaMissing *m, gpointer data)
{
  RaReporter *r = data;

  if (r->n_losses < RA_REPORTER_LOSSES_MAX)
    r->losses[(r->first_loss + r->n_losses++) % RA_REPORTER_LOSSES_MAX] = *m;
  else
    r->left_out++;
}

static RaLda *
lda_new (const RaLdaOps *ops, const gchar *params, guint64 seed, GError **error)
{
  RaLda *lda = ra_lda_new (ops, params, error);

  if (lda)
    ra_lda_set_seed (lda, seed);
  return lda;
}

RaReporter *
ra_reporter_new (const RaReporterConfig *cfg, GError **error)
{
  RaLda *lda = lda_new (cfg->lda, cfg->lda_params, cfg->seed, error);
  RaReporter *r;

  if (!lda)
    return NULL;
  r = g_new0 (RaReporter, 1);
  r->kind = cfg->reports;
  r->judges = ra_feedback_judges (cfg->reports);
  r->seed = cfg->seed;
  r->interval = cfg->interval > 0 ? cfg->interval : RA_REPORTER_INTERVAL;
  r->late = cfg->late > 0 ? cfg->late : RA_DELAYED_THRESHOLD;
  r->receiver = ra_receiver_new (lda, SIZE_GUESS);
  ra_receiver_set_distrust (r->receiver, TRUE);
  ra_receiver_set_on_loss (r->receiver, on_loss, r);
  r->bundle = ra_bundle_new ();
  if (cfg->reports && cfg->reports->rows && cfg->reports->write)
    r->log = ra_ccfb_log_new ();
  ra_send_clock_init (&r->clock);
  r->last = r->tried = r->asked = RA_TIME_NONE;
  r->stats.queue = RA_SPAN_NONE;
  return r;
}

void
ra_reporter_free (RaReporter *r)
{
  if (!r)
    return;
  ra_receiver_free (r->receiver);
  ra_bundle_free (r->bundle);
  ra_ccfb_log_free (r->log);
  g_free (r);
}

gboolean
ra_reporter_set_lda (
    RaReporter *r, const RaLdaOps *ops, const gchar *params, GError **error)
{
  RaLda *lda = lda_new (ops, params, r->seed, error);

  if (lda)
    ra_receiver_set_lda (r->receiver, lda);
  return lda != NULL;
}

gboolean
ra_reporter_next_loss (RaReporter *r, RaMissing *out)
{
  if (r->n_losses == 0)
    return FALSE;
  *out = r->losses[r->first_loss];
  r->first_loss = (r->first_loss + 1) % RA_REPORTER_LOSSES_MAX;
  r->n_losses--;
  return TRUE;
}

guint64
ra_reporter_take_left_out (RaReporter *r)
{
  guint64 n = r->left_out;

  r->left_out = 0;
  return n;
}

static RaMark
mark_of (const RaWirePacket *p)
{
  return p->colour && p->colour->mark > RA_MARK_NONE
          && p->colour->mark < RA_N_MARKS
      ? p->colour->mark
      : RA_MARK_NONE;
}

static guint
ecn_of (const RaWirePacket *p)
{
  return p->tos < 0 ? 0 : (guint) p->tos & 3; /* RFC 3168 5 */
}

static void
count (RaReporter *r, const RaWirePacket *p)
{
  r->stats.packets++;
  r->stats.bytes += p->size;
  r->bytes += p->size;
  r->stats.by_mark[mark_of (p)]++;
  r->stats.ce += ecn_of (p) == 3;
  r->had_number |= p->number >= 0;
  r->stats.no_number += r->had_number && p->number < 0;
  r->stats.no_send_time += ra_feedback_send_times (r->kind) && !p->send_ts;
  ra_dscp_seen (&r->dscp, mark_of (p), p->tos);
}

/* Fills send time and R.  A packet without send time takes what the latest one
 * with it took, which no LDA makes anything of.  Without any for long, those
 * that go by delays would take that for an empty path, so every loss counts as
 * congestion then.
 *
 * Paper 003 algorithm 1 takes a packet for delayed that came more than 75 ms
 * after the one before it: its sources send evenly, so that is delay.  Video at
 * 10 frames/s does not, so the delay itself, beyond that of the fastest packet,
 * is counted by itself where there are send times. */
static void
take_times (RaReporter *r, const RaWirePacket *p, RaPacket *packet)
{
  gboolean stamped = p->send_ts
      && ra_send_clock_hear (&r->clock, p->send_ts->t_i, p->arrival);
  gboolean blind;

  r->unstamped = stamped ? 0 : MIN (r->unstamped + 1, UNSTAMPED_MAX);
  blind = !r->clock.known || r->unstamped == UNSTAMPED_MAX;
  ra_receiver_set_distrust (r->receiver, blind);
  packet->sent = p->arrival - (RaTime) r->clock.rott; /* modulo 2^64 */
  if (p->send_ts && p->send_ts->rtt > 0)
    packet->rtt = r->stats.rtt = p->send_ts->rtt;
  if (stamped)
    r->stats.delayed += ra_send_clock_queue (&r->clock) > r->late;
  if (r->started)
    r->stats.gaps += ra_diff (p->arrival, r->last_arrival) > r->late;
  r->stats.queue = blind ? RA_SPAN_NONE : ra_send_clock_queue (&r->clock);
  r->last_arrival = p->arrival;
}

/* Where nobody asks for reports: the receiver has to have its X_recv, which its
 * first loss interval comes from (RFC 5348 6.3.1), and the user a rate. */
static void
measure (RaReporter *r, RaTime now)
{
  RaSpan since = ra_diff (now, r->measured);
  RaReport report;
  RaSpan t_delay;

  if (since >= 0 && since < RATE_WINDOW)
    return;
  ra_receiver_report (r->receiver, now, &report, &t_delay);
  if (since > 0)
    r->stats.recv_rate = ra_bits ((gdouble) r->bytes / ra_seconds (since));
  r->measured = now;
  r->bytes = 0;
}

/* The first packet, or the first after the clock went back. */
static void
time_check (RaReporter *r, RaTime now)
{
  if (!r->started)
    r->first = r->measured = r->last_arrival = now;
  if (r->last != RA_TIME_NONE && ra_diff (r->last, now) > RA_CLOCK_BACK)
    r->last = now;
  if (r->tried != RA_TIME_NONE && ra_diff (r->tried, now) > RA_CLOCK_BACK)
    r->tried = now;
  r->started = TRUE;
  r->quiet = FALSE;
}

gboolean
ra_reporter_on_packet (RaReporter *r, const RaWirePacket *p)
{
  RaPacket packet = {
    .size = p->size,
    .arrival = p->arrival,
    .grain = p->grain,
    .mark = mark_of (p),
    .ce = ecn_of (p) == 3,
  };
  RaBundleResult result;

  g_return_val_if_fail (p->arrival != RA_TIME_NONE, FALSE);
  count (r, p);
  result = ra_bundle_push (r->bundle, p->ssrc, p->seq,
      p->number < 0 ? -1 : p->number & 0xffff, &packet.seq);
  if (r->log)
    ra_ccfb_log_add (r->log, p->ssrc, p->seq, p->arrival, ecn_of (p));
  if (result != RA_BUNDLE_BAD) {
    r->heard = TRUE;
    take_times (r, p, &packet);
    if (packet.mark != RA_MARK_NONE)
      packet.lost_by_mark[packet.mark]
          = ra_mark_missing (&r->marks, packet.mark, p->colour->n);
    if (result == RA_BUNDLE_NEXT && r->unstamped == 0) {
      r->stamped = TRUE;
      r->media_ssrc = p->ssrc;
      r->sent = r->clock.sent;
      r->arrival = p->arrival;
    }
    if ((ra_receiver_on_packet (r->receiver, &packet)
            || (r->stamped && r->owed))
        && r->asked == RA_TIME_NONE)
      r->asked = p->arrival;
  }
  time_check (r, p->arrival);
  if (!r->judges)
    measure (r, p->arrival);
  return ra_reporter_next_timeout (r) <= p->arrival;
}

RaTime
ra_reporter_tfrc_due (const RaReporter *r)
{
  RaTime due = ra_receiver_next_timeout (r->receiver);

  if (r->asked != RA_TIME_NONE)
    due = MIN (due,
        r->last == RA_TIME_NONE
            ? r->asked
            : ra_later (r->last, r->stats.rtt / EARLY_PER_RTT));
  if (r->tried == RA_TIME_NONE)
    return due;
  if (r->stats.rtt > 0) /* the receiver's timer has the R of the last report */
    due = MIN (due, ra_later (r->tried, r->stats.rtt));
  return due == RA_TIME_NONE ? due : MAX (due, ra_later (r->tried, GAP_MIN));
}

RaTime
ra_reporter_ccfb_due (const RaReporter *r)
{
  RaCcfbHas has = ra_ccfb_log_has (r->log);

  if (has == 0)
    return RA_TIME_NONE;
  if (r->tried != RA_TIME_NONE) /* in vain */
    return ra_later (r->tried, r->interval);
  if (r->last == RA_TIME_NONE)
    return ra_later (r->first, r->interval);
  return has & RA_CCFB_WAITING ? r->last : ra_later (r->last, r->interval);
}

RaTime
ra_reporter_next_timeout (const RaReporter *r)
{
  if (!r->started || r->quiet || !r->kind || !r->kind->due)
    return RA_TIME_NONE;
  return r->kind->due (r);
}

static gdouble
share (const RaReporterStats *stats, guint64 packets)
{
  return stats->packets > 0 ? (gdouble) packets / (gdouble) stats->packets : 0;
}

static void
radp_fill (RaReporter *r, const RaReport *report)
{
  const RaLda *lda = ra_receiver_get_lda (r->receiver);
  RaLdaValues v = ra_lda_values (lda);
  RaRadp *x = &r->radp;

  ra_radp_count (x, report);
  x->w = CLAMP (v.w, 0, 1);
  x->p_c = CLAMP (v.p_c, 0, 1);
  x->delayed = share (&r->stats, r->stats.delayed);
  x->burst = x->wireless_runs > 0
      ? (gdouble) x->lost_wireless / x->wireless_runs
      : 0;
  g_strlcpy (x->lda, lda->ops->name, sizeof x->lda);
}

/* The receiver's report is about its latest packet, `t_delay` ago, which may have
 * had no send time.  Then the one `since` ago stands for it. */
static void
about_stamped (
    const RaReporter *r, RaReport *report, RaSpan t_delay, RaSpan since)
{
  RaSpan age
      = ra_diff ((RaTime) report->loss_age + (RaTime) t_delay, (RaTime) since);

  report->t_recvdata = r->sent;
  report->loss_age = MAX (age, 0);
  if (r->stats.queue == RA_SPAN_NONE)
    report->queue = report->queue_min = report->queue_max = RA_SPAN_NONE;
}

gboolean
ra_reporter_tfrc (
    RaReporter *r, RaTime now, RaTfrcFb *fb, RaRadp *radp, guint32 *media_ssrc)
{
  RaReport report;
  RaSpan t_delay, since;

  if (!r->judges || !r->started || r->quiet)
    return FALSE;
  r->tried = now;
  r->asked = RA_TIME_NONE;
  if (!ra_receiver_report (r->receiver, now, &report, &t_delay)) {
    r->quiet = !r->heard;
    return FALSE;
  }
  r->heard = FALSE;
  r->owed = TRUE;
  since = ra_diff (now, r->arrival);
  about_stamped (r, &report, t_delay, since);
  radp_fill (r, &report);
  if (!r->stamped) /* no t_i that was not reported */
    return FALSE;
  r->stamped = r->owed = FALSE;
  r->last = now;
  *radp = r->radp;
  *fb = (RaTfrcFb){
    .t_i = r->radp.t_i,
    .t_delay = MAX (since, 0),
    .x_recv = report.recv_rate,
    .p = report.p,
  };
  *media_ssrc = r->media_ssrc;
  r->stats.recv_rate = report.recv_rate;
  r->stats.reports++;
  return TRUE;
}

gsize
ra_reporter_ccfb (RaReporter *r, RaTime now, RaTime rts_time,
    guint32 *media_ssrc, guint8 *fci, gsize len)
{
  gboolean again;
  gsize size;

  if (!r->log || !r->started)
    return 0;
  again = r->last != RA_TIME_NONE && ra_diff (now, r->last) >= r->interval;
  size = ra_ccfb_log_write (r->log, again, now, rts_time, media_ssrc, fci, len);
  if (size == 0) {
    if (ra_reporter_ccfb_due (r) <= now) /* but it does not fit */
      r->tried = now;
    return 0;
  }
  r->last = now;
  r->tried = RA_TIME_NONE;
  r->stats.reports++;
  return size;
}

static void
counters_add (RaReporterStats *stats, const RaReporterStats *before)
{
  const RaReceiverStats *loss = &before->loss;

  stats->packets += before->packets;
  stats->bytes += before->bytes;
  stats->expected += before->expected;
  stats->delayed += before->delayed;
  stats->gaps += before->gaps;
  stats->no_send_time += before->no_send_time;
  stats->no_number += before->no_number;
  stats->ce += before->ce;
  stats->reports += before->reports;
  for (guint i = 0; i < RA_N_MARKS; i++)
    stats->by_mark[i] += before->by_mark[i];
  stats->loss.arrived += loss->arrived;
  stats->loss.duplicates += loss->duplicates;
  stats->loss.late += loss->late;
  stats->loss.congestion += loss->congestion;
  stats->loss.wireless += loss->wireless;
  stats->loss.recovered += loss->recovered;
  stats->loss.events += loss->events;
  if (stats->dscp == RA_DSCP_UNKNOWN)
    stats->dscp = before->dscp;
}

void
ra_reporter_follow (RaReporter *r, const RaReporterStats *before)
{
  r->before = *before;
}

void
ra_reporter_get_stats (const RaReporter *r, RaReporterStats *stats)
{
  *stats = r->stats;
  ra_receiver_get_stats (r->receiver, &stats->loss);
  stats->expected = ra_bundle_length (r->bundle);
  stats->dscp = ra_dscp_fate (&r->dscp);
  counters_add (stats, &r->before);
  stats->delayed_ratio = share (stats, stats->delayed);
  stats->delayed_packet_ratio = share (stats, stats->gaps);
  stats->p = ra_receiver_p (r->receiver);
}

void
ra_reporter_observe (const RaReporter *r, RaObserve emit, gpointer data)
{
  ra_receiver_observe (r->receiver, emit, data);
}
