/* The sending half: report -> RTT -> controller -> rate -> pacer and encoder.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <gst/rtpadapt/senderperpacket.h>

#include <gst/rtpadapt/fec/rtxshare.h>
#include <gst/rtpadapt/rate/pacer.h>
#include <gst/rtpadapt/repair/repair.h>
#include <gst/rtpadapt/safety/outagemask.h>
#include <gst/rtpadapt/safety/skips.h>

/* A send time that the wire has carried may be rounded by this. */
#define SENT_GRAIN RA_MSECOND
/* A pacer that wakes late makes up for a round trip at most (RFC 5348 4.6), and for no
 * more than a frame's time at 25 Hz. */
#define LATE_MAX (40 * RA_MSECOND)
/* Feedback about a packet proves something for as long as a breaker waits for an
 * answer. */
#define PROOF_RECENT RA_BREAKER_TIMEOUT
/* A packet that leaves this soon after the pacer allows it was held back by the
 * pacer. */
#define HELD_GRAIN RA_MSECOND
#define HEADERS 48 /* of IPv6 and UDP */
/* Reports that are more than so many RTTs apart have an interval of their own: in a LAN
 * the peer waits for packets, or RTCP for its turn. */
#define RARER 2
/* No interval between feedbacks counts as longer. */
#define INTERVAL_MAX RA_SECOND
/* RFC 8888 4: 50 to 200 ms. */
#define INTERVAL_USUAL (200 * RA_MSECOND)
/* So many in a row that are longer are no outages. */
#define RARE_MOST 3
/* A receiver that gives feedback gives it more often than this. */
#define FEEDBACK_GONE RA_BREAKER_TD
/* While others keep the queue full, FEC is worth its part of the rate up to this share of
 * lost packets.  A BBR takes 2 to 5 %, and FEC for those takes a third of the rate: VMAF 60
 * behind 25 ms, and 70 without. */
#define FEC_WORTH_LOSS .009

struct _RaSender
{
  RaRate *rate;
  gchar *rate_params;   /* or NULL */
  RaReceiver *receiver; /* for per-packet feedback */
  RaFec *fec;
  gboolean fec_absent; /* nobody makes what it wants */
  guint fec_others;    /* what is made for others, too */
  RaFecCode fec_code;  /* by which repair packets are made */
  guint fec_block;     /* media packets of its blocks; 0: a frame's */
  RaRtxShare rtx_share;
  RaRepair repair;
  RaGuard guard;
  RaRateConfig cfg;
  guint64 inherited_start; /* where an exchanged controller started, else 0 */
  guint floor;             /* packets/s while nobody answers */
  gboolean unanswered; /* the no-feedback timer expired since `last_word`, and
                          there is a floor */
  guint64 before;      /* the rate at `last_word`, bit/s; 0 before the first */
  RaOutageMask mask;
  RaPacer pacer;
  RaSpan burst; /* the pacer's, unless packets have to keep apart */
  RaSizes sizes;
  guint64 seed;
  guint frame_packets; /* media packets of the frame so far */

  RaLedger *ledger;
  RaPerPacket per_packet;
  RaReportBlocks blocks;

  /* who answers, and how often; RA_TIME_NONE where there was none */
  RaTime last_feedback;
  RaTime last_word;   /* when anything but a receiver report last said what
                         arrived */
  RaTime asked;       /* the first packet since then that asks for an answer */
  RaTime unheard;     /* the same, but since the source was silent last, if that
                         is later */
  gboolean mid_frame; /* the last packet did not ask */
  RaSpan spacing;     /* of feedbacks, smoothed; of rows it rises at once */
  guint rare; /* so many in a row may have ended an outage: they came late */
  RaSpan interval; /* time between feedbacks that the rest goes by; 0: about
                         an RTT */
  gboolean paused; /* the source was silent in most of the latest spacing */

  RaOverclaim claims;
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
  RaFec *fec = rate
      ? ra_fec_new (cfg->fec ? cfg->fec : &ra_fec_none, cfg->fec_params, error)
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
  s->rate_params = g_strdup (cfg->controller_params);
  s->floor = cfg->floor;
  ra_outage_mask_init (&s->mask);
  s->receiver = ra_receiver_new (lda, cfg->rate.mss);
  s->fec = fec;
  s->cfg = cfg->rate;
  s->burst = cfg->burst;
  ra_pacer_init (&s->pacer, cfg->burst, now);
  s->seed = cfg->seed;
  s->last.queue = s->last.queue_min = s->last.queue_max = RA_SPAN_NONE;
  s->last_feedback = s->asked = s->last_word = s->unheard = RA_TIME_NONE;
  ra_report_blocks_init (&s->blocks);
  ra_repair_init (&s->repair);
  ra_guard_init (&s->guard, cfg->friendliness_cap, cfg->breakers);
  ra_receiver_set_guard (s->receiver, &s->guard);
  s->ledger = ra_ledger_new ();
  ra_per_packet_init (&s->per_packet, s->receiver, s->ledger);
  ra_sender_set_truth (s, ra_ledger_truth, s->ledger);
  return s;
}

void
ra_sender_free (RaSender *s)
{
  ra_rate_free (s->rate);
  ra_receiver_free (s->receiver);
  ra_fec_free (s->fec);
  ra_ledger_free (s->ledger);
  g_free (s->rate_params);
  g_free (s);
}

/* Replaces the controller by `rate` (transfer full), which begins at `start`; `before` as
 * in ra_rate_inherit(). */
static void
exchange (RaSender *s, RaRate *rate, guint64 start, guint64 before)
{
  ra_rate_inherit (rate, s->rate, before);
  ra_rate_free (s->rate);
  s->rate = rate;
  s->inherited_start = start;
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
  exchange (s, rate, cfg.start, 0);
  g_free (s->rate_params);
  s->rate_params = g_strdup (params);
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
  ra_fec_set_code (fec, s->fec_code, s->fec_block);
  return TRUE;
}

void
ra_sender_set_fec_made (RaSender *s, gboolean made)
{
  s->fec_absent = !made;
}

void
ra_sender_set_fec_others (RaSender *s, guint percentage)
{
  s->fec_others = percentage;
}

void
ra_sender_set_fec_code (RaSender *s, RaFecCode code, guint packets)
{
  s->fec_code = code;
  s->fec_block = packets;
  ra_fec_set_code (s->fec, code, packets);
}

void
ra_sender_set_limits (RaSender *s, const RaRateConfig *rate)
{
  RaRateConfig cfg = *rate;

  /* Unless the user has a new idea of it. */
  if (s->inherited_start > 0 && rate->start == s->cfg.start)
    cfg.start = s->inherited_start;
  else
    s->inherited_start = 0;
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

RaLedger *
ra_sender_ledger (const RaSender *s)
{
  return s->ledger;
}

void
ra_sender_restart (RaSender *s)
{
  ra_guard_restart (&s->guard);
}

void
ra_sender_set_safety (RaSender *s, gdouble friendliness_cap, gboolean breakers)
{
  ra_guard_set (&s->guard, friendliness_cap, breakers);
}

/* The bit rate of `floor` packets per second.  A packet that is larger than the
 * mean would delay the next one, so the size of the latest packet counts too. */
static guint64
rate_floor (const RaSender *s)
{
  gdouble size
      = s->stats.packets_sent > 0 ? ra_ledger_last (s->ledger)->size : 0;

  return ra_bits (s->floor * MAX (s->rate->s, size));
}

static RaLimited
limited (const RaSender *s)
{
  RaLimited rate = ra_rate_limited (s->rate);

  if (s->unanswered && rate.bps < s->rate->cfg.min)
    rate = (RaLimited){ s->rate->cfg.min, RA_LIMIT_UNANSWERED };
  /* A packet in a second at least, or what is delivered is so rare that the
   * breakers take the path for dead (RFC 8083 4.2). */
  if (ra_guard_is_lied_to (&s->guard))
    ra_limited_lower (
        &rate, MAX (s->rate->cfg.min, ra_bits (s->rate->s)), RA_LIMIT_LIES);
  return ra_guard_limit (&s->guard, rate);
}

guint64
ra_sender_rate (const RaSender *s)
{
  return limited (s).bps;
}

gboolean
ra_sender_is_open (const RaSender *s)
{
  return s->guard.breaker.state == RA_BREAKER_OPEN;
}

/* Before the guard changes: what the pacer holds was earned at the rate so far. */
static void
settle (RaSender *s, RaTime now)
{
  ra_pacer_settle (&s->pacer, ra_sender_rate (s), now);
}

RaTime
ra_sender_next_send (const RaSender *s, RaTime now)
{
  return ra_sender_is_open (s)
      ? ra_guard_next_probe (&s->guard, now)
      : ra_pacer_next (&s->pacer, ra_sender_rate (s), now);
}

RaSpan
ra_sender_rtt (const RaSender *s)
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
  const RaLedgerEntry *last = ra_ledger_last (s->ledger);
  RaTime due;

  if (ra_sender_is_open (s)) /* no frame goes on behind an open breaker */
    return;
  if (s->asked == RA_TIME_NONE && s->mid_frame) {
    due = ra_later (last->sent, ra_send_span (last->size, ra_sender_rate (s)));
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

/* A frame's first packet that left when the pacer let it: the encoder is ahead of
 * the pacer, though none may wait behind it.  At a low rate, where a frame is a
 * packet or two, none ever does. */
static gboolean
is_frame_held (const RaSender *s, const RaOutgoing *p, guint64 rate, RaTime now)
{
  return !(p->flags & (RA_SENT_REPAIR | RA_SENT_OTHER)) && s->frame_packets == 0
      && ra_pacer_is_spent (&s->pacer, rate, HELD_GRAIN, now);
}

/* Looks whether the no-feedback timer has expired.  The floor is sent then, and
 * the controller goes on from no less than that: from a lower rate it would send
 * so little that the second answer came long after the first. */
static void
timer_look (RaSender *s, RaTime now)
{
  timer_hold (s);
  s->unanswered |= s->floor > 0 && ra_rate_next_timeout (s->rate) <= now;
  if (s->unanswered)
    ra_rate_set_floor (s->rate, rate_floor (s));
}

/* us */
static guint32
age (RaTime taken, RaTime now)
{
  return (guint32) CLAMP (
      ra_diff (now, taken) / RA_USECOND, 0, (RaSpan) G_MAXUINT32);
}

/* What the pacer counts.  The rate is of packets as they are in the mean, and the line
 * carries headers, too: a small packet takes it longer than its share of the rate.  The
 * one behind it would come before the line is free, which is early enough for a policer
 * or a queue of one packet to drop it. */
static guint
paced_size (const RaSender *s, guint size)
{
  gdouble mean = s->rate->s;

  if (!s->rate->apart)
    return size;
  return MAX (size, (guint) ((size + HEADERS) * mean / (mean + HEADERS)));
}

/* A repair packet has a number of its stream, and where that stays missing a receiver
 * takes it for media and asks for a key frame. */
static gboolean
is_sent_once (const RaSender *s, RaSentFlags flags)
{
  return flags & RA_SENT_REPEAT
      || (flags & RA_SENT_REPAIR && s->fec_code != RA_FEC_CODE_RS);
}

/* TRUE: the source sent nothing for so long that nobody could answer.  A source that the
 * pacer holds back is not silent. */
static gboolean
was_silent (const RaSender *s, RaTime now)
{
  const RaLedgerEntry *last = ra_ledger_last (s->ledger);

  return s->stats.packets_sent > 0 && !last->waiting
      && ra_diff (now, last->sent) > FEEDBACK_GONE;
}

RaLedgerEntry *
ra_sender_on_sent (RaSender *s, const RaOutgoing *p, RaTime now)
{
  RaLedgerEntry *entry;
  guint64 rate;

  timer_look (s, now);
  rate = ra_sender_rate (s); /* which no packet changes by leaving */
  s->mid_frame = !(p->flags & RA_SENT_ASKS);
  if (was_silent (s, now))
    s->unheard = RA_TIME_NONE;
  if (!s->mid_frame && s->asked == RA_TIME_NONE)
    s->asked = now;
  if (!s->mid_frame && s->unheard == RA_TIME_NONE)
    s->unheard = now;
  if (s->stats.packets_sent == 0)
    ra_per_packet_on_first (&s->per_packet, p->seq);
  entry = ra_ledger_add (s->ledger,
      &(RaLedgerEntry){ .index = p->seq,
          .sent = now,
          .passed_by = RA_TIME_NONE,
          .age = p->taken ? age (p->taken, now) : 0,
          .is_repair = (p->flags & RA_SENT_REPAIR) != 0,
          .once = (guint8) is_sent_once (s, p->flags),
          .ssrc = p->ssrc,
          .seq = p->rtp_seq,
          .size = p->size,
          .mark = (guint8) p->mark,
          .waiting
          = (p->flags & (RA_SENT_WAITING | RA_SENT_SPREAD)) == RA_SENT_WAITING
              || (p->flags & RA_SENT_HELD)
              || is_frame_held (s, p, rate, now) });
  if (!(p->flags & RA_SENT_OTHER)) {
    ra_sizes_on_sent (
        &s->sizes, p->size, p->media, (p->flags & RA_SENT_REPAIR) != 0);
    frame_count (s, p->flags);
  }
  s->pacer.burst = s->rate->apart ? 0 : s->burst;
  if (!ra_sender_is_open (s)) /* the pacer does not count probes */
    ra_pacer_on_sent (&s->pacer, paced_size (s, p->size), rate,
        p->flags & RA_SENT_WAITING ? MIN (ra_sender_rtt (s), LATE_MAX) : 0,
        now);
  ra_report_blocks_on_sent (&s->blocks, p->ssrc, p->rtp_seq, now);
  ra_guard_on_sent (&s->guard, p->size, (p->flags & RA_SENT_FRAME_END) != 0,
      (p->flags & (RA_SENT_WAITING | RA_SENT_HELD)) != 0, now);
  ra_repair_on_sent (&s->repair, entry, rate);
  if (p->flags & RA_SENT_FRAME_END)
    ra_repair_on_frame (&s->repair, now);
  if (p->flags & RA_SENT_REPEAT)
    ra_repair_on_repeat (&s->repair, s->ledger, entry, p->original, now);
  s->stats.packets_sent++;
  s->stats.bytes_sent += p->size;
  ra_rate_on_sent (s->rate, p->size, now);
  return entry;
}

/* RFC 5348 8.2.1, exact instead of its two-value heuristic, as every send time is on
 * record.  A sender is not data-limited at the moment at which a packet leaves while
 * another one waits for the pacer (RaLedgerEntry.waiting).  An interval without such a
 * moment is data-limited.  It is (t_new - R, t_new], or longer where reports are rarer than
 * once per R: X_recv begins at t_old. */
static gboolean
data_limited (const RaSender *s, RaTime t_new)
{
  RaTime t_old = ra_later (t_new, -MAX (ra_sender_rtt (s), s->interval));

  return !ra_ledger_waited (s->ledger, t_old, t_new);
}

RaRepair *
ra_sender_repair (RaSender *s)
{
  return &s->repair;
}

RaLedgerEntry *
ra_sender_next_repeat (RaSender *s, RaTime now)
{
  RaLedgerEntry *e = ra_repair_next (&s->repair, s->ledger, now);

  if (e && e->copies == 1 && !e->is_repair)
    ra_rtx_share_on_asked (&s->rtx_share);
  return e;
}

gboolean
ra_sender_on_request (RaSender *s, guint32 ssrc, guint16 seq, RaTime now)
{
  RaLedgerEntry *e = ra_ledger_find (s->ledger, ssrc, seq);
  RaRepairVerdict verdict
      = ra_repair_ask (&s->repair, e, ra_sender_rtt (s), now);

  if (verdict == RA_REPAIR_FIRST && !e->is_repair)
    ra_rtx_share_on_asked (&s->rtx_share);
  return verdict != RA_REPAIR_REFUSED;
}

/* Repair packets of FEC per 100 media packets that are made. */
static guint
fec_percentage (const RaSender *s)
{
  return MAX (s->fec_absent ? 0 : ra_fec_percentage (s->fec), s->fec_others);
}

/* All of them that are to be expected. */
static guint
repair_percentage (const RaSender *s)
{
  return fec_percentage (s) + ra_repair_percentage (&s->repair);
}

/* Others keep the queue full, and FEC is worth its part of the rate: few packets are lost,
 * and a block still comes in time behind that queue. */
static gboolean
fec_pays_in_competition (const RaSender *s)
{
  const RaRepairPath *path = &s->repair.path;

  return s->rate->competes && path->loss <= FEC_WORTH_LOSS
      && path->queue <= path->latency / 2;
}

/* The share of the lost packets that come without FEC, because they are sent again.  Where
 * rounds fit that is all, as FEC would only double what they do.  A queue that others keep
 * full leaves time for a round at one moment and none at the next: there the repeats are
 * measured. */
static gdouble
mended (const RaSender *s)
{
  if (ra_repair_mends (&s->repair) && !fec_pays_in_competition (s))
    return 1;
  return ra_repair_is_answered (&s->repair)
      ? ra_rtx_share_mended (&s->rtx_share)
      : 0;
}

/* What feedback about a packet that left at `sent` proves now. */
static RaProof
proof_of (RaTime sent, RaTime now)
{
  return ra_diff (now, sent) <= PROOF_RECENT ? RA_PROOF_DELIVERED
                                             : RA_PROOF_NONE;
}

/* Feedback about packets that arrived comes: looks whether it ends an outage.  No
 * queue delays packets for FEEDBACK_GONE, so an outage took those that stayed without
 * an answer for so long.  The no-feedback timer has lowered the rate for that
 * already.  A source that was silent had no outage. */
static void
outage_look (RaSender *s, RaTime now)
{
  if (s->unanswered && s->last_word != RA_TIME_NONE
      && s->unheard != RA_TIME_NONE
      && ra_diff (now, s->unheard) > FEEDBACK_GONE)
    ra_outage_mask_end (&s->mask, s->ledger->next, now);
}

/* The path may be another one, so a new controller begins, which knows nothing about it but
 * that an earlier one had `before`, or 0.  It begins with no more than the rate before.  The
 * time since the last report is no interval, and what left before the first of the new ones
 * is not lost by being in none. */
static void
begin_again (RaSender *s, guint64 before, RaTime now)
{
  RaRateConfig cfg = s->cfg;
  RaRate *rate;

  if (cfg.start > 0 && s->before > 0)
    cfg.start = MIN (cfg.start, s->before);
  rate = ra_rate_new (s->rate->ops, s->rate_params, &cfg, now, NULL);
  exchange (s, rate, cfg.start, before);
  s->unanswered = s->paused = FALSE;
  s->asked = s->unheard = s->last_feedback = RA_TIME_NONE;
  s->interval = s->spacing = 0;
  ra_ledger_forget_reports (s->ledger);
}

/* RFC 8083 4.5 */
static void
begin_after_breaker (RaSender *s, RaTime now)
{
  begin_again (s, s->before, now);
  ra_outage_mask_end (&s->mask, s->ledger->next, now);
}

static void
forget_trips (RaSender *s)
{
  ra_receiver_rebase (s->receiver);
  ra_guard_rebase (&s->guard);
}

void
ra_sender_on_new_peer (RaSender *s, RaTime now)
{
  begin_again (s, 0, now);
  forget_trips (s);
}

/* Informs the guard alone.  If an open breaker closes, the controller starts
 * again. */
static void
inform_guard (RaSender *s, const RaReport *report, RaProof proof, RaTime now)
{
  ra_guard_set_full (&s->guard, (gdouble) s->rate->cfg.mss / s->rate->s);
  settle (s, now);
  if (ra_guard_on_report (
          &s->guard, report, proof, s->rate->s, ra_rate_get (s->rate), now))
    begin_after_breaker (s, now);
}

/* A report with its rtt: all that listens to reports gets it. */
static void
apply (RaSender *s, const RaReport *report, RaTime now)
{
  RaProof proof = proof_of (report->t_recvdata, now);
  RaLateRows late;
  RaReport raw;

  if (ra_guard_is_lied_to (&s->guard)) { /* the path is alive, no more */
    s->last_word = now;
    s->unheard = RA_TIME_NONE;
    inform_guard (s, report, proof, now);
    return;
  }
  outage_look (s, now);
  timer_hold (s);
  s->asked = s->unheard = RA_TIME_NONE;
  s->last_word = now;
  s->last = *report;
  ra_outage_mask_hide (&s->mask, &s->last, now);
  /* The first report's X_recv is 0 and never data-limited (RFC 5348 4.3). */
  s->last.data_limited
      = report->recv_rate > 0 && data_limited (s, report->t_recvdata);
  raw = s->last;
  late = ra_per_packet_take_late (&s->per_packet);
  raw.lost_congestion += late.lost;
  late.excused = ra_outage_mask_recover (&s->mask, late.excused);
  raw.recovered += late.came - MIN (late.excused, raw.recovered);
  inform_guard (s, &raw, proof, now);
  /* the guard may have ended the outage just now */
  ra_outage_mask_hide (&s->mask, &s->last, now);
  s->mask.p = s->last.p;
  s->unanswered = FALSE;
  ra_rate_set_radio (s->rate, ra_guard_radio_loss (&s->guard));
  ra_rate_on_report (s->rate, &s->last, now);
  if (s->rate->rebased)
    forget_trips (s);
  ra_rate_set_floor (s->rate, 0);
  if (!ra_sender_is_open (s))
    s->before = ra_sender_rate (s);
  ra_rtx_share_on_report (&s->rtx_share, &s->last, fec_percentage (s), now);
  ra_repair_on_answer (&s->repair, report, now);
  ra_repair_on_report (
      &s->repair, &s->last, ra_sender_rtt (s), s->interval, now);
  ra_fec_set_mended (s->fec, mended (s));
  ra_fec_set_competes (s->fec, fec_pays_in_competition (s));
  ra_fec_on_report (s->fec, &s->last, now);
  s->stats.feedback++;
}

/* In most of the time since the last report nothing left that asks for one: a silence of
 * the source, which is not an interval between reports.  A source that is so slow that the
 * next one is like it has such intervals. */
static gboolean
is_pause (RaSender *s, RaSpan sample)
{
  gboolean silent = sample > INTERVAL_USUAL && s->asked != RA_TIME_NONE
      && 2 * ra_diff (s->asked, s->last_feedback) > sample;
  gboolean pause = silent && !s->paused && s->spacing > 0;

  s->paused = silent;
  return pause;
}

/* A report came: how long after the last one, -1 if that is not known. */
static RaSpan
report_spacing (RaSender *s, RaTime now)
{
  RaSpan since = s->last_feedback != RA_TIME_NONE
      ? MAX (ra_diff (now, s->last_feedback), 0)
      : -1;
  RaSpan sample = MIN (since, INTERVAL_MAX);
  gboolean pause = is_pause (s, since);

  s->last_feedback = now;
  if (pause)
    return -1;
  /* After an outage the time means nothing; but in a LAN the timer of 4 R expires before
   * the second report, and before each where reports are rare. */
  s->rare = s->unanswered && sample > INTERVAL_USUAL ? s->rare + 1 : 0;
  if (sample < 0 || (s->rare > 0 && s->rare < RARE_MOST))
    return -1;
  s->spacing += (sample - s->spacing) / 10;
  return sample;
}

gboolean
ra_sender_on_report (
    RaSender *s, const RaReport *report, RaSpan t_delay, RaTime now)
{
  RaReport checked = *report;

  if (s->stats.packets_sent == 0 || report->t_recvdata > now || t_delay < 0
      || ra_later (report->t_recvdata, SENT_GRAIN) < s->ledger->first
      || ra_diff (now, report->t_recvdata) <= t_delay) {
    s->stats.feedback_bad++;
    return FALSE;
  }
  /* RFC 5348 4.3 step 1 */
  checked.rtt = ra_diff (now, report->t_recvdata) - t_delay;
  report_spacing (s, now);
  s->interval = s->spacing;
  if (s->interval < RARER * MAX (checked.rtt, ra_sender_rtt (s)))
    s->interval = 0; /* RFC 5348 6.2 */
  checked.interval = s->interval;
  apply (s, &checked, now);
  return TRUE;
}

gboolean
ra_sender_rows_begin (RaSender *s, RaRows *rows)
{
  if (!ra_per_packet_begin (&s->per_packet, rows))
    return FALSE;
  if (rows->last)
    outage_look (s, rows->now);
  rows->rtt = ra_sender_rtt (s);
  rows->rate = ra_sender_rate (s);
  rows->excused
      = ra_breaker_is_outage (&s->guard.breaker) ? G_MAXUINT64 : s->mask.next;
  return TRUE;
}

void
ra_sender_row (
    RaSender *s, RaRows *rows, const RaFeedbackPacket *row, RaSpan ago)
{
  ra_per_packet_row (&s->per_packet, rows, row, ago);
}

gboolean
ra_sender_rows_end (RaSender *s, RaRows *rows)
{
  RaSpan t_delay, sample, rtt;
  RaReport report;

  if (!rows->news) {
    /* RFC 8083 4.2: only losses were reported, so nothing was delivered. */
    if (rows->heard)
      inform_guard (s, &(RaReport){ 0 }, RA_PROOF_DELIVERED, rows->now);
    return FALSE;
  }
  rtt = ra_per_packet_rtt (&s->per_packet, rows);
  if (rtt == RA_SPAN_NONE)
    return FALSE;
  sample = report_spacing (s, rows->now);
  s->interval = s->spacing = MAX (s->spacing, sample);
  /* The peer answers at once, so the receiver's timer plays no part here: each
   * feedback is a report about the last R (RFC 5348 6, k > 1 per RTT). */
  if (ra_receiver_report (s->receiver, rows->arrival, &report, &t_delay)) {
    report.rtt = rtt;
    report.interval = s->interval;
    apply (s, &report, rows->now);
  }
  return TRUE;
}

gboolean
ra_sender_on_feedback (RaSender *s, const RaFeedbackPacket *packets, guint n,
    RaSpan grain, RaTime now)
{
  RaRows rows = { .now = now, .grain = grain };
  RaTime newest = 0;

  for (guint i = 0; i < n; i++) {
    const RaLedgerEntry *sent = ra_ledger_at (s->ledger, packets[i].seq);

    if (packets[i].arrival == RA_TIME_NONE)
      continue;
    newest = MAX (newest, packets[i].arrival);
    if (!sent)
      continue;
    rows.sent = MAX (rows.sent, sent->sent);
    rows.last = sent;
  }
  if (!ra_sender_rows_begin (s, &rows))
    return FALSE;
  for (guint i = 0; i < n; i++)
    ra_sender_row (s, &rows, &packets[i],
        packets[i].arrival == RA_TIME_NONE
            ? 0
            : ra_diff (newest, packets[i].arrival));
  return ra_sender_rows_end (s, &rows);
}

void
ra_sender_on_lie (RaSender *s, RaTime now)
{
  settle (s, now);
  ra_guard_on_lie (&s->guard, now);
}

gboolean
ra_sender_on_count (RaSender *s, guint32 arrived, RaTime t)
{
  return ra_overclaim_hear (
      &s->claims, arrived, ra_ledger_packets (s->ledger, t));
}

void
ra_sender_on_receiver_report (
    RaSender *s, const RaBlock *blocks, guint n, RaTime now)
{
  RaReport report = { .queue = RA_SPAN_NONE };
  RaProof proof = RA_PROOF_FALSE;

  if (s->stats.packets_sent == 0)
    return;
  for (guint i = 0; i < n; i++) {
    RaProof one = ra_report_blocks_hear (&s->blocks, &blocks[i], now, &report);

    s->stats.feedback_bad += one == RA_PROOF_FALSE;
    proof = MAX (proof, one);
  }
  if (proof == RA_PROOF_FALSE)
    return;
  if (s->last_word == RA_TIME_NONE
      || ra_diff (now, s->last_word) > FEEDBACK_GONE)
    inform_guard (s, &report, proof, now);
}

void
ra_sender_on_rtcp (RaSender *s, RaTime now)
{
  ra_guard_on_rtcp (&s->guard, now);
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
  settle (s, now);
  ra_guard_on_timeout (&s->guard, now);
  timer_look (s, now);
  ra_rate_on_timeout (s->rate, now);
}

void
ra_sender_split (const RaSender *s, RaSpan backlog, RaSplit *out)
{
  ra_split (&s->sizes, ra_sender_rate (s), repair_percentage (s), backlog,
      ra_repair_drain (&s->repair), out);
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
  stats->feedback_bad += s->per_packet.bad;
  stats->rtt = ra_sender_rtt (s);
  stats->queue = s->last.queue;
  stats->recv_rate = s->last.recv_rate;
  stats->p = s->last.p;
  stats->friendly = ra_friendly_cap (&s->guard.friendly, 1);
  stats->radio_loss = s->guard.friendly.radio;
  stats->breaker = s->guard.breaker.state;
  stats->trip = s->guard.breaker.trip;
  stats->lies = s->guard.lies;
  stats->liar = ra_guard_is_lied_to (&s->guard);
  stats->competes = s->rate->competes;
  stats->limit = limited (s).by;
  ra_receiver_get_stats (s->receiver, &stats->loss);
}

void
ra_sender_observe (const RaSender *s, RaObserve emit, gpointer data)
{
  RaObserver rate = { s->rate->ops->name, emit, data };
  RaObserver fec = { "fec", emit, data };

  ra_rate_observe (s->rate, ra_observe_prefixed, &rate);
  ra_guard_observe (&s->guard, emit, data);
  ra_repair_observe (&s->repair, emit, data);
  ra_fec_observe (s->fec, ra_observe_prefixed, &fec);
  ra_receiver_observe (s->receiver, emit, data);
}
