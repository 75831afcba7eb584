/* The sending half: report -> RTT -> controller -> rate -> pacer and encoder.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <gst/rtpadapt/sender.h>

#include <gst/rtpadapt/rate/pacer.h>
#include <gst/rtpadapt/sentlog.h>

#include <string.h>

/* A silence of the source is no interval between feedbacks. */
#define INTERVAL_MAX RA_SECOND
/* A send time that the wire has carried may be rounded by this. */
#define SENT_GRAIN RA_MSECOND

struct _RaSender
{
  RaRate *rate;
  RaReceiver *receiver; /* for per-packet feedback */
  RaFec *fec;
  RaGuard guard;
  RaRateConfig cfg;
  guint64 handed; /* where an exchanged controller started, else 0 */
  RaPacer pacer;
  RaSizes sizes;
  gdouble rtcp;
  guint64 seed;
  guint frame_packets; /* media packets of the frame so far */

  RaSentLog log;
  guint64 next_reported; /* one after the last that feedback spoke of */
  RaTime last_feedback;  /* RA_TIME_NONE before the first */
  RaSpan interval;       /* between feedbacks: rises at once, falls slowly */
  RaTime asked;          /* the first packet since then that asks for an answer,
                            or RA_TIME_NONE */
  gboolean mid_frame;    /* the last packet did not ask */
  guint bytes_lost;      /* reported lost since the last that arrived */
  guint lost_by_mark[RA_N_MARKS]; /* the same, packets */

  RaTruth truth;
  gpointer truth_data;
  RaReport last;
  RaSenderStats stats;
};

RaSender *
ra_sender_new (const RaSenderConfig *cfg, RaTime now, GError **error)
{
  RaLda *lda = ra_lda_new (cfg->lda, cfg->lda_params, error);
  RaRate *rate = lda ? ra_rate_new (cfg->controller, cfg->controller_params,
                     &cfg->rate, now, error)
                     : NULL;
  RaFec *fec = rate ? ra_fec_new (cfg->fec ? cfg->fec : ra_fec_find ("none"),
                   cfg->fec_params, error)
                    : NULL;
  RaSender *s;

  if (!fec) {
    g_clear_pointer (&lda, ra_lda_free);
    g_clear_pointer (&rate, ra_rate_free);
    return NULL;
  }
  ra_lda_set_seed (lda, cfg->seed);
  s = g_new0 (RaSender, 1);
  s->rate = rate;
  s->receiver = ra_receiver_new (lda, cfg->rate.mss);
  s->fec = fec;
  s->cfg = cfg->rate;
  ra_pacer_init (&s->pacer, cfg->burst, now);
  s->rtcp = cfg->rtcp;
  s->seed = cfg->seed;
  s->last.queue = RA_SPAN_NONE;
  s->last_feedback = s->asked = RA_TIME_NONE;
  ra_guard_init (&s->guard, cfg->friendliness_cap, cfg->breakers);
  ra_sent_log_init (&s->log);
  return s;
}

void
ra_sender_free (RaSender *s)
{
  ra_rate_free (s->rate);
  ra_receiver_free (s->receiver);
  ra_fec_free (s->fec);
  g_free (s);
}

gboolean
ra_sender_set_controller (RaSender *s, const RaRateOps *ops,
    const gchar *params, RaTime now, GError **error)
{
  RaRateConfig cfg = s->cfg;
  RaRate *rate;

  cfg.start = ra_rate_get (s->rate);
  rate = ra_rate_new (ops, params, &cfg, now, error);
  if (!rate)
    return FALSE;
  rate->s = s->rate->s;
  rate->n_sent = s->rate->n_sent;
  rate->last_sent = s->rate->last_sent;
  ra_rate_free (s->rate);
  s->rate = rate;
  s->handed = cfg.start;
  return TRUE;
}

gboolean
ra_sender_set_lda (
    RaSender *s, const RaLdaOps *ops, const gchar *params, GError **error)
{
  RaLda *lda = ra_lda_new (ops, params, error);

  if (!lda)
    return FALSE;
  ra_lda_set_truth (lda, s->truth, s->truth_data);
  ra_lda_set_seed (lda, s->seed);
  ra_receiver_set_lda (s->receiver, lda);
  return TRUE;
}

gboolean
ra_sender_set_fec (
    RaSender *s, const RaFecOps *ops, const gchar *params, GError **error)
{
  RaFec *fec = ra_fec_new (ops, params, error);

  if (!fec)
    return FALSE;
  ra_fec_free (s->fec);
  s->fec = fec;
  return TRUE;
}

void
ra_sender_set_limits (RaSender *s, const RaRateConfig *rate)
{
  RaRateConfig cfg = *rate;

  /* Unless the user has a new idea of it. */
  if (s->handed > 0 && rate->start == s->cfg.start)
    cfg.start = s->handed;
  else
    s->handed = 0;
  s->cfg = *rate;
  ra_rate_set_config (s->rate, &cfg);
}

void
ra_sender_set_truth (RaSender *s, RaTruth truth, gpointer data)
{
  s->truth = truth;
  s->truth_data = data;
  ra_lda_set_truth (ra_receiver_get_lda (s->receiver), truth, data);
}

void
ra_sender_set_on_loss (RaSender *s, RaOnLoss f, gpointer data)
{
  ra_receiver_set_on_loss (s->receiver, f, data);
}

void
ra_sender_restart (RaSender *s)
{
  ra_guard_restart (&s->guard);
  ra_receiver_set_distrust (s->receiver, FALSE);
}

void
ra_sender_set_safety (RaSender *s, gdouble friendliness_cap, gboolean breakers)
{
  ra_guard_set (&s->guard, friendliness_cap, breakers);
  ra_receiver_set_distrust (s->receiver, ra_guard_distrusts (&s->guard));
}

guint64
ra_sender_rate (const RaSender *s)
{
  return ra_guard_rate (&s->guard, ra_rate_get (s->rate));
}

RaTime
ra_sender_next_send (const RaSender *s, RaTime now)
{
  guint64 rate = ra_sender_rate (s);

  return rate > 0 ? ra_pacer_next (&s->pacer, rate, now) : RA_TIME_NONE;
}

/* The controller's; a new one has none yet. */
static RaSpan
smoothed_rtt (const RaSender *s)
{
  return s->rate->rtt > 0 ? s->rate->rtt : s->last.rtt;
}

/* With twcc the receiver speaks when a frame is complete.  The no-feedback timer
 * counts from the first packet that asked, and not at all within a frame: else
 * a large frame that is paced out halves its own rate until it never ends.  A
 * frame whose next packet is overdue will not go on; from then on it counts. */
static void
timer_hold (RaSender *s)
{
  RaSpan span = s->rate->rtt > 0 ? 4 * MAX (s->rate->rtt, s->interval)
                                 : 2 * RA_SECOND; /* RFC 5348 4.2, 4.3 */
  const RaSent *last = ra_sent_log_last (&s->log);
  guint64 rate = ra_sender_rate (s);
  RaTime due;

  if (rate == 0) /* no frame goes on behind an open breaker */
    return;
  if (s->asked == RA_TIME_NONE && s->mid_frame) {
    due = ra_later (last->sent, ra_send_span (last->size, rate));
    ra_rate_postpone (s->rate, ra_later (due, span));
  } else if (s->asked != RA_TIME_NONE && s->interval > 0) {
    ra_rate_postpone (s->rate, ra_later (s->asked, span));
  }
}

static void
frame_count (RaSender *s, RaSentFlags flags)
{
  s->frame_packets += !(flags & RA_SENT_REPAIR);
  if (flags & RA_SENT_FRAME_END) {
    ra_fec_on_frame (s->fec, s->frame_packets);
    s->frame_packets = 0;
  }
}

void
ra_sender_on_sent (RaSender *s, const RaOutgoing *p, RaTime now)
{
  timer_hold (s);
  s->mid_frame = !(p->flags & RA_SENT_ASKS);
  if (!s->mid_frame && s->asked == RA_TIME_NONE)
    s->asked = now;
  if (s->stats.packets_sent == 0)
    s->next_reported = p->seq;
  ra_sent_log_add (&s->log,
      &(RaSent){ .seq = p->seq,
          .sent = now,
          .size = p->size,
          .mark = p->mark,
          .waiting = (p->flags & RA_SENT_WAITING) != 0 });
  ra_sizes_on_sent (
      &s->sizes, p->size, p->media, (p->flags & RA_SENT_REPAIR) != 0);
  frame_count (s, p->flags);
  ra_pacer_on_sent (&s->pacer, p->size, ra_sender_rate (s), now);
  ra_guard_on_sent (&s->guard, p->size, (p->flags & RA_SENT_FRAME_END) != 0,
      (p->flags & RA_SENT_WAITING) != 0, now);
  s->stats.packets_sent++;
  s->stats.bytes_sent += p->size;
  ra_rate_on_sent (s->rate, p->size, now);
}

/* RFC 5348 8.2.1, exact instead of its two-value heuristic, as every send time
 * is on record.  For paced video: the sender is not data-limited at the moment
 * it sends a packet while another one waits for the pacer; an interval is
 * data-limited if there was no such moment in (t_new - R, t_new], or since the
 * last report where those are rarer than once per R: t_old is where X_recv
 * begins. */
static gboolean
data_limited (const RaSender *s, RaTime t_new)
{
  RaTime t_old = ra_later (t_new, -MAX (smoothed_rtt (s), s->interval));

  return !ra_sent_log_waited (&s->log, t_old, t_new);
}

static void
guard_tell (RaSender *s, const RaReport *report, RaTime now)
{
  ra_pacer_settle (&s->pacer, ra_sender_rate (s), now);
  ra_guard_on_report (
      &s->guard, report, s->rate->s, ra_rate_get (s->rate), now);
  ra_receiver_set_distrust (s->receiver, ra_guard_distrusts (&s->guard));
}

static void
report_apply (RaSender *s, const RaReport *report, RaTime now)
{
  timer_hold (s);
  s->asked = RA_TIME_NONE;
  s->last = *report;
  /* The first report's X_recv is 0 and never data-limited (RFC 5348 4.3). */
  s->last.data_limited
      = report->recv_rate > 0 && data_limited (s, report->t_recvdata);
  guard_tell (s, &s->last, now);
  ra_rate_on_report (s->rate, &s->last, now);
  ra_fec_on_report (s->fec, &s->last, now);
  s->stats.feedback++;
}

gboolean
ra_sender_on_report (
    RaSender *s, const RaReport *report, RaSpan t_delay, RaTime now)
{
  RaReport checked = *report;

  if (s->stats.packets_sent == 0 || report->t_recvdata > now || t_delay < 0
      || ra_later (report->t_recvdata, SENT_GRAIN) < s->log.first
      || ra_diff (now, report->t_recvdata) <= t_delay) {
    s->stats.feedback_bad++;
    return FALSE;
  }
  /* RFC 5348 4.3 step 1 */
  checked.rtt = ra_diff (now, report->t_recvdata) - t_delay;
  report_apply (s, &checked, now);
  return TRUE;
}

/* What a feedback's rows have in common. */
typedef struct
{
  RaSpan grain;
  RaTime newest; /* the latest arrival in it */
  RaTime now;    /* it came */
} Batch;

static void
packet_arrived (RaSender *s, RaSent *sent, RaTime arrival, const Batch *batch)
{
  /* What the answer took beyond waiting for later packets of the batch. */
  RaSpan back = ra_diff (batch->now, batch->newest);
  RaPacket p = {
    .seq = sent->seq,
    .size = sent->size,
    .sent = sent->sent,
    .arrival = arrival,
    .grain = batch->grain,
    .rtt = smoothed_rtt (s),
    .rtt_sample = MAX (ra_diff (arrival, sent->sent) + back, 0),
    .rate = ra_sender_rate (s),
    .mark = sent->mark,
    .bytes_lost = s->bytes_lost,
  };

  if (sent->seq + 1 == s->next_reported) /* else those were told */
    memcpy (p.lost_by_mark, s->lost_by_mark, sizeof p.lost_by_mark);
  ra_receiver_on_packet (s->receiver, &p);
  sent->arrived = TRUE;
}

static void
lost_forget (RaSender *s)
{
  s->bytes_lost = 0;
  memset (s->lost_by_mark, 0, sizeof s->lost_by_mark);
}

/* Feeds one row to the receiver.  NULL if it is not news or contradicts what
 * was sent. */
static const RaSent *
row_feed (RaSender *s, const RaFeedbackPacket *row, const Batch *batch)
{
  RaSent *sent = ra_sent_log_find (&s->log, row->seq);
  gboolean lost = row->arrival == RA_TIME_NONE;
  gboolean old = row->seq < s->next_reported;

  if (!sent || sent->sent > batch->now || (old && (lost || sent->arrived))) {
    s->stats.feedback_bad++;
    return NULL;
  }
  if (old) { /* reported lost, and came after all */
    packet_arrived (s, sent, row->arrival, batch);
    return NULL;
  }
  if (row->seq > s->next_reported) {
    ra_receiver_skip (s->receiver, row->seq);
    lost_forget (s);
  }
  s->next_reported = row->seq + 1;
  if (lost) {
    s->bytes_lost += sent->size;
    s->lost_by_mark[sent->mark]++;
  } else {
    packet_arrived (s, sent, row->arrival, batch);
    lost_forget (s);
  }
  return sent;
}

static void
interval_update (RaSender *s, RaTime now)
{
  if (s->last_feedback != RA_TIME_NONE) {
    RaSpan sample = CLAMP (ra_diff (now, s->last_feedback), 0, INTERVAL_MAX);

    s->interval = MAX (sample, s->interval + (sample - s->interval) / 10);
  }
  s->last_feedback = now;
}

gboolean
ra_sender_on_feedback (RaSender *s, const RaFeedbackPacket *packets, guint n,
    RaSpan grain, RaTime now)
{
  const RaSent *newest = NULL;
  gboolean heard = FALSE;
  RaTime arrival = 0;
  Batch batch = { grain, 0, now };
  RaSpan t_delay;
  RaReport report;

  for (guint i = 0; i < n; i++) {
    if (packets[i].arrival != RA_TIME_NONE)
      batch.newest = MAX (batch.newest, packets[i].arrival);
  }
  for (guint i = 0; i < n; i++) {
    const RaSent *sent = row_feed (s, &packets[i], &batch);

    heard |= sent != NULL;
    if (sent && packets[i].arrival != RA_TIME_NONE) {
      newest = sent;
      arrival = packets[i].arrival;
    }
  }
  if (!newest) {
    if (heard) /* RFC 8083 4.2: of nothing that arrived */
      guard_tell (s, &(RaReport){ 0 }, now);
    return FALSE;
  }
  interval_update (s, now);
  /* The peer answers at once, so the receiver's timer plays no part here: each
   * feedback is a report about the last R (RFC 5348 6, k > 1 per RTT). */
  if (ra_receiver_report (s->receiver, arrival, &report, &t_delay)) {
    report.rtt = ra_diff (now, newest->sent);
    report.interval = s->interval;
    report_apply (s, &report, now);
  }
  return TRUE;
}

RaTime
ra_sender_next_timeout (const RaSender *s)
{
  return MIN (
      ra_rate_next_timeout (s->rate), ra_guard_next_timeout (&s->guard));
}

void
ra_sender_on_timeout (RaSender *s, RaTime now)
{
  ra_pacer_settle (&s->pacer, ra_sender_rate (s), now);
  ra_guard_on_timeout (&s->guard, now);
  timer_hold (s);
  ra_rate_on_timeout (s->rate, now);
}

void
ra_sender_split (const RaSender *s, RaSpan backlog, RaSplit *out)
{
  ra_split (&s->sizes, ra_sender_rate (s), s->rtcp, ra_fec_percentage (s->fec),
      backlog, out);
}

guint
ra_sender_fec (const RaSender *s)
{
  return ra_fec_percentage (s->fec);
}

void
ra_sender_get_stats (const RaSender *s, RaSenderStats *stats)
{
  *stats = s->stats;
  stats->rtt = smoothed_rtt (s);
  stats->queue = s->last.queue;
  stats->recv_rate = s->last.recv_rate;
  stats->p = s->last.p;
  stats->friendly = ra_friendly_cap (&s->guard.friendly, 1);
  stats->breaker = s->guard.breaker.state;
  stats->trip = s->guard.breaker.trip;
  ra_receiver_get_stats (s->receiver, &stats->loss);
}

void
ra_sender_observe (const RaSender *s, RaObserve emit, gpointer data)
{
  RaObserver rate = { s->rate->ops->name, emit, data };
  RaObserver fec = { "fec", emit, data };

  ra_rate_observe (s->rate, ra_observe_prefixed, &rate);
  ra_guard_observe (&s->guard, emit, data);
  ra_fec_observe (s->fec, ra_observe_prefixed, &fec);
  ra_receiver_observe (s->receiver, emit, data);
}
