/* The receiving half: arrival -> hole -> verdict -> loss event -> report.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * RFC 5348 section 6, with a loss differentiator between its steps 1 and 2: a
 * loss that the LDA lays on the radio counts as if the packet had arrived
 * (paper 000, IV).
 */
#include <gst/rtpadapt/receiver.h>

#include <gst/rtpadapt/loss/history.h>
#include <gst/rtpadapt/rate/equation.h>
#include <gst/rtpadapt/util/tripbase.h>

#include <string.h>

/* How long an empty queue is remembered.  After 30 s a queue that others keep would pass
 * for the empty path, and newcomers would add theirs to it.  2 minutes are enough
 * (lda/spike.c); a new route changes rott for good. */
#define ROTT_WINDOW (120 * RA_SECOND)
/* The longest time X_recv is measured over where reports are rarer than once
 * per R: a frame at 10 Hz. */
#define X_RECV_WINDOW (100 * RA_MSECOND)
/* R comes from the network and may be very short; our timer has a floor. */
#define TIMER_MIN RA_MSECOND
/* R may be 16.8 s long.  So many packets in it are remembered one by one: one second of
 * 190 Mbit/s. */
#define ARRIVED_MAX 16384

typedef struct
{
  RaTime arrival;
  guint size;
} Arrived;

struct _RaReceiver
{
  RaLda *lda;
  RaHoles *holes;
  RaHistory *history;
  gboolean distrust;
  const RaGuard *guard; /* or NULL */
  RaOnLoss on_loss;
  gpointer on_loss_data;

  /* what the packets said */
  gboolean started;
  RaTime last_arrival; /* of the last in-order packet */
  RaTime t_recvdata;   /* its send time */
  RaSpan rtt;          /* R_m, 0 unknown */
  RaSpan rott;
  RaSpan rott_lo, rott_hi; /* since the last report, if `has_extremes` */
  gboolean has_extremes;
  RaTripBase base;
  gdouble s;          /* mean packet size, bytes */
  gboolean had_event; /* which ended the slow start */
  /* Losses by mark that the LDA has not heard of: a late packet does not reach it,
   * but the losses that the packet shows must. */
  guint lost_by_mark[RA_N_MARKS];

  /* X_recv: what arrived during the last R */
  GQueue arrived;     /* of Arrived */
  RaTime last_report; /* RA_TIME_NONE before the first */
  gdouble x_recv_max; /* bytes/s, RFC 5348 6.3.1 */
  guint64 recv_rate;  /* of the last report, bit/s */

  /* the feedback timer, RFC 5348 6.2 */
  RaTime timeout;
  gboolean data_since_report, silent; /* silent: the timer had found no data */
  gboolean asked;                     /* a packet made a report due at once */
  gdouble p_reported;
  guint64 reported;  /* one after the last number that a report covers */
  guint64 skipped;   /* one after the last number whose feedback was lost */
  guint64 n_skipped; /* such numbers since the last report */
  /* since the last report */
  guint arrived_since, n_events, lost_congestion, lost_wireless, wireless_runs,
      n_ce;
  guint64 bytes_since;   /* of arrived_since */
  RaTime t_lost, t_ce;   /* the newest of lost_congestion, of n_ce */
  guint64 last_lost;     /* number of the last confirmed loss, */
  guint64 reported_lost; /* and of the last one that a report names */
  guint n_recovered;     /* losses that a report names, and that came since */
  gboolean in_run;       /* its hole has a wireless loss */

  RaReceiverStats stats;
};

RaReceiver *
ra_receiver_new (RaLda *lda, guint mss)
{
  RaReceiver *r = g_new0 (RaReceiver, 1);

  r->lda = lda;
  r->holes = ra_holes_new (RA_NDUPACK);
  r->history = ra_history_new (TRUE);
  g_queue_init (&r->arrived);
  ra_trip_base_init (&r->base);
  r->s = mss;
  r->timeout = r->last_report = RA_TIME_NONE;
  return r;
}

static void
arrived_free (gpointer arrived)
{
  g_slice_free (Arrived, arrived);
}

void
ra_receiver_free (RaReceiver *r)
{
  g_queue_clear_full (&r->arrived, arrived_free);
  ra_holes_free (r->holes);
  ra_history_free (r->history);
  ra_lda_free (r->lda);
  g_free (r);
}

void
ra_receiver_rebase (RaReceiver *r)
{
  ra_trip_base_init (&r->base);
  ra_lda_reset (r->lda);
}

void
ra_receiver_set_lda (RaReceiver *r, RaLda *lda)
{
  ra_lda_free (r->lda);
  r->lda = lda;
}

RaLda *
ra_receiver_get_lda (RaReceiver *r)
{
  return r->lda;
}

void
ra_receiver_set_distrust (RaReceiver *r, gboolean distrust)
{
  r->distrust = distrust;
}

void
ra_receiver_set_guard (RaReceiver *r, const RaGuard *guard)
{
  r->guard = guard;
}

static gboolean
distrusts (const RaReceiver *r)
{
  return r->distrust || (r->guard && ra_guard_distrusts (r->guard));
}

void
ra_receiver_set_on_loss (RaReceiver *r, RaOnLoss f, gpointer data)
{
  r->on_loss = f;
  r->on_loss_data = data;
}

/* X_recv in bytes/s; 0 while R is unknown and in the first report (RFC 5348
 * 6.2-3).  Over the last R, or since the last report where that is longer (RFC
 * 5348 6.2 step 2, MAY; RFC 4342 8.3): a frame's packets come in less than a short
 * R, and then none. */
static gdouble
x_recv (const RaReceiver *r, RaTime now)
{
  RaSpan window = r->rtt;
  guint64 bytes = 0;

  if (r->rtt <= 0 || r->last_report == RA_TIME_NONE)
    return 0;
  window = MAX (window, MIN (ra_diff (now, r->last_report), X_RECV_WINDOW));
  for (const GList *l = r->arrived.tail; l; l = l->prev) {
    const Arrived *a = l->data;

    if (ra_diff (now, a->arrival) >= window)
      break;
    bytes += a->size;
  }
  return (gdouble) bytes / ra_seconds (window);
}

static void
x_recv_count (RaReceiver *r, const RaPacket *p)
{
  RaSpan keep = MAX (r->rtt, X_RECV_WINDOW);
  Arrived *a;

  if (r->arrived.length < ARRIVED_MAX) {
    a = g_slice_new (Arrived);
    *a = (Arrived){ .arrival = p->arrival, .size = p->size };
    g_queue_push_tail (&r->arrived, a);
  } else { /* counted with the one before, and forgotten with it */
    a = g_queue_peek_tail (&r->arrived);
    a->size += MIN (p->size, G_MAXUINT - a->size);
  }
  /* An arrival so far ahead is from before the clock went back, and might never
   * become old. */
  while ((a = g_queue_peek_head (&r->arrived))
      && ABS (ra_diff (p->arrival, a->arrival)) >= keep)
    arrived_free (g_queue_pop_head (&r->arrived));
  r->s += (p->size - r->s) / 64;
}

/* The interval before the first loss, such that the equation gives the highest
 * rate seen, and never less than half a packet per R (RFC 5348 6.3.1).  An R
 * that is not known yet cancels out. */
static gdouble
first_interval (RaReceiver *r, RaTime now)
{
  gdouble rtt = r->rtt > 0 ? ra_seconds (r->rtt) : 1;
  gdouble x_target = MAX (r->x_recv_max, x_recv (r, now));

  x_target = MAX (x_target, 0.5 * r->s / rtt);
  return 1 / ra_equation_p (r->s, rtt, x_target);
}

static void
congestion_loss (RaReceiver *r, guint64 seq, RaTime t_loss, RaTime now)
{
  gboolean first = ra_history_events (r->history) == 0;

  if (!ra_history_lose (r->history, seq, t_loss, r->rtt))
    return;
  r->had_event = TRUE;
  r->n_events++;
  if (first)
    ra_history_seed (r->history, first_interval (r, now));
}

static void
marks_add (RaReceiver *r, const RaPacket *p)
{
  for (guint i = 0; i < RA_N_MARKS; i++)
    r->lost_by_mark[i] += p->lost_by_mark[i];
}

/* The packet before which `n_lost` are missing: asks the LDA why. */
static void
judge (RaReceiver *r, const RaPacket *p, guint n_lost)
{
  RaArrival a = {
    .seq = p->seq,
    .n_lost = n_lost,
    .size = p->size,
    .bytes_lost
    = p->bytes_lost ? p->bytes_lost : (guint) MIN (n_lost * r->s, G_MAXUINT),
    .arrival = p->arrival,
    .iat = r->started ? ra_diff (p->arrival, r->last_arrival) : RA_SPAN_NONE,
    .rott = ra_diff (p->arrival, p->sent),
    .grain = p->grain,
    .rtt = p->rtt,
    .rtt_sample = p->rtt_sample,
    .rate = p->rate ? p->rate : r->recv_rate,
    .mark = p->mark,
  };
  RaSpan patience = 0;
  RaCause hole;

  marks_add (r, p);
  memcpy (a.lost_by_mark, r->lost_by_mark, sizeof a.lost_by_mark);
  memset (r->lost_by_mark, 0, sizeof r->lost_by_mark);
  hole = ra_lda_on_packet (r->lda, &a);
  /* Not in slow start, which doubles the rate meanwhile: Bhandarkar et al.
   * 2005, 3.3.  It lasts until the first loss event (RFC 5348 4.3). */
  if (n_lost > 0 && r->had_event)
    patience = ra_lda_patience (r->lda, &a);
  for (guint64 seq = p->seq - MIN (n_lost, RA_HOLES_MAX); seq < p->seq; seq++)
    ra_holes_mark (r->holes, seq, ra_lda_on_missing (r->lda, &a, seq, hole),
        p->arrival, patience);
}

/* One more loss or mark, of the time `t`. */
static void
congestion_count (guint *count, RaTime *newest, RaTime t)
{
  *newest = *count == 0 ? t : MAX (*newest, t);
  ++*count;
}

/* Losses in a row are of one hole, and a hole is one run, whatever else was
 * lost in it: it is what FEC has to fill. */
static void
confirm (RaReceiver *r, RaTime now)
{
  RaMissing m;
  RaCause counted;

  while (ra_holes_pop_confirmed (r->holes, now, &m)) {
    if (m.seq != r->last_lost + 1)
      r->in_run = FALSE;
    r->last_lost = m.seq;
    /* No LDA was asked: unsure means congestion (lda.h).  Its report ended with it, and
     * the next one was lost (ra_receiver_skip).  That is rare: a report ends with a
     * packet that arrived, unless it had no room for what came behind. */
    if (m.cause == RA_CAUSE_NONE)
      m.cause = RA_CAUSE_CONGESTION;
    counted = distrusts (r) ? RA_CAUSE_CONGESTION : m.cause;
    ra_holes_count (r->holes, m.seq, counted);
    if (counted == RA_CAUSE_WIRELESS) {
      r->wireless_runs += !r->in_run;
      r->in_run = TRUE;
      r->lost_wireless++;
      r->stats.wireless++;
    } else {
      congestion_count (&r->lost_congestion, &r->t_lost, m.t_loss);
      r->stats.congestion++;
      congestion_loss (r, m.seq, m.t_loss, now);
    }
    if (r->on_loss)
      r->on_loss (&m, r->on_loss_data);
  }
}

static void
timer_start (RaReceiver *r, RaTime now)
{
  r->timeout
      = r->rtt > 0 ? ra_later (now, MAX (r->rtt, TIMER_MIN)) : RA_TIME_NONE;
}

static void
in_order (RaReceiver *r, const RaPacket *p, guint n_lost)
{
  judge (r, p, n_lost);
  r->last_arrival = p->arrival;
  r->t_recvdata = p->sent;
  r->rott = ra_diff (p->arrival, p->sent);
  r->rott_lo = r->has_extremes ? MIN (r->rott_lo, r->rott) : r->rott;
  r->rott_hi = r->has_extremes ? MAX (r->rott_hi, r->rott) : r->rott;
  r->has_extremes = TRUE;
  ra_trip_base_add (&r->base, (gdouble) r->rott, p->arrival, ROTT_WINDOW);
  if (p->rtt > 0)
    r->rtt = p->rtt;
  if (p->rtt > 0 && r->timeout == RA_TIME_NONE)
    timer_start (r, p->arrival); /* RFC 5348 6.3 */
  ra_history_on_packet (r->history, p->seq);
}

/* `seq` was confirmed lost and came after all; `removed`: its loss event is gone.  Losses
 * are counted in order of sequence.  One that no report has named is taken out of the
 * counts.  One that was reported goes into the next report's `recovered`, for the guard,
 * which counts it as received (RFC 3550 A.3). */
static void
take_back (RaReceiver *r, guint64 seq, gboolean removed)
{
  gboolean wireless = ra_holes_cause (r->holes, seq) == RA_CAUSE_WIRELESS;
  guint *n = wireless ? &r->lost_wireless : &r->lost_congestion;

  if (seq > r->last_lost) /* its verdict waited, so it was not counted */
    return;
  if (seq <= r->reported_lost) {
    r->n_recovered++;
    return;
  }
  *n -= *n > 0;
  if (!wireless) /* the age is that of one which is still lost */
    r->t_lost = ra_holes_newest (r->holes, r->reported_lost + 1, r->last_lost);
  r->n_events -= removed && r->n_events > 0;
  r->wireless_runs = MIN (r->wireless_runs, r->lost_wireless);
}

gboolean
ra_receiver_on_packet (RaReceiver *r, const RaPacket *p)
{
  gboolean first = !r->started, removed = FALSE;
  guint n_lost = 0;

  switch (ra_holes_push (r->holes, p->seq, p->arrival, &n_lost)) {
    case RA_PUSH_DUPLICATE:
      r->stats.duplicates++;
      return FALSE; /* never counted as received rate */
    case RA_PUSH_FILLED:
      r->stats.late++;
      marks_add (r, p);
      break;
    case RA_PUSH_RECOVERED:
      r->stats.late++;
      r->stats.recovered++;
      marks_add (r, p);
      removed = ra_history_recover (r->history, p->seq);
      take_back (r, p->seq, removed);
      break;
    case RA_PUSH_IN_ORDER:
      in_order (r, p, n_lost);
      break;
  }
  x_recv_count (r, p); /* RFC 5348 6.1 step 1 */
  if (p->ce)
    ra_holes_confirm_before (r->holes, p->seq); /* RFC 5348 5.1 */
  confirm (r, p->arrival);
  if (p->ce) {
    congestion_count (&r->n_ce, &r->t_ce, p->arrival);
    congestion_loss (r, p->seq, p->arrival, p->arrival);
  }
  r->stats.arrived++;
  r->arrived_since++;
  r->bytes_since += p->size;
  r->started = r->data_since_report = TRUE;
  if (first)
    r->reported = p->seq;

  /* RFC 5348 6.1 steps 2-4, 6.3 */
  r->asked = r->asked || first || removed || r->silent || r->rtt <= 0
      || ra_history_p (r->history) > r->p_reported;
  return r->asked;
}

void
ra_receiver_skip (RaReceiver *r, guint64 first, guint64 before)
{
  first = MAX (first, MAX (ra_holes_highest (r->holes) + 1, r->skipped));
  if (!r->started || before <= first)
    return;
  ra_holes_skip (r->holes, first, before - first);
  r->n_skipped += before - first;
  r->skipped = before;
}

RaTime
ra_receiver_next_timeout (const RaReceiver *r)
{
  return MIN (r->timeout, ra_holes_next_due (r->holes));
}

/* A packet's trip beyond that of an empty path. */
static RaSpan
queue_at (const RaReceiver *r, RaSpan rott)
{
  gdouble base = ra_trip_base_get (&r->base, r->last_arrival, ROTT_WINDOW);

  return ra_span (1e-9 * MAX ((gdouble) rott - base, 0));
}

/* How long before the last packet the newest loss or mark was; one that is too old to be
 * remembered counts as new. */
static RaSpan
loss_age (const RaReceiver *r)
{
  RaTime t = r->lost_congestion > 0 ? r->t_lost : r->t_ce;

  if (r->lost_congestion + r->n_ce == 0 || t == RA_TIME_NONE)
    return 0;
  return MAX (ra_diff (r->last_arrival, r->n_ce > 0 ? MAX (t, r->t_ce) : t), 0);
}

gboolean
ra_receiver_report (RaReceiver *r, RaTime now, RaReport *out, RaSpan *t_delay)
{
  guint64 end = MAX (ra_holes_highest (r->holes) + 1, r->skipped);
  /* Woken up for a verdict that waited, not by a packet or the feedback timer. */
  gboolean woken
      = !r->asked && now < r->timeout && ra_holes_next_due (r->holes) <= now;
  RaLdaValues v = ra_lda_values (r->lda);
  gdouble x;

  confirm (r, now);
  if (woken && ra_history_p (r->history) <= r->p_reported)
    return FALSE; /* RFC 5348 6.1 step 4 */
  timer_start (r, now);
  r->silent = !r->data_since_report;
  r->asked = FALSE;
  if (!r->data_since_report)
    return FALSE;

  x = x_recv (r, now);
  r->x_recv_max = MAX (r->x_recv_max, x);
  r->recv_rate = ra_bits (x);
  r->last_report = now;
  r->p_reported = ra_history_p (r->history);
  *out = (RaReport){
    .t_recvdata = r->t_recvdata,
    .recv_rate = r->recv_rate,
    .p = r->p_reported,
    .n_events = r->n_events,
    .expected = (guint) (end - r->reported - r->n_skipped),
    .arrived = r->arrived_since,
    .bytes = r->bytes_since,
    .skipped = (guint) MIN (r->n_skipped, G_MAXINT),
    .lost_congestion = r->lost_congestion,
    .lost_wireless = r->lost_wireless,
    .recovered = r->n_recovered,
    .ce = r->n_ce,
    .loss_age = loss_age (r),
    .wireless_runs = r->wireless_runs,
    .has_p_c = r->lda->ops->values && !distrusts (r),
    .p_c = CLAMP (v.p_c, 0, 1),
    .queue = queue_at (r, r->rott),
    .queue_min = queue_at (r, r->has_extremes ? r->rott_lo : r->rott),
    .queue_max = queue_at (r, r->has_extremes ? r->rott_hi : r->rott),
  };
  *t_delay = ra_diff (now, r->last_arrival);
  r->reported = end;
  r->n_skipped = 0;
  r->n_events = r->lost_congestion = r->lost_wireless = r->n_recovered = 0;
  r->reported_lost = r->last_lost;
  r->arrived_since = r->wireless_runs = r->n_ce = 0;
  r->bytes_since = 0;
  r->data_since_report = r->has_extremes = FALSE;
  return TRUE;
}

void
ra_receiver_get_stats (const RaReceiver *r, RaReceiverStats *stats)
{
  *stats = r->stats;
  stats->events = ra_history_events (r->history);
}

gdouble
ra_receiver_p (const RaReceiver *r)
{
  return ra_history_p (r->history);
}

void
ra_receiver_observe (const RaReceiver *r, RaObserve emit, gpointer data)
{
  RaObserver lda = { r->lda->ops->name, emit, data };

  emit ("receiver.p", ra_receiver_p (r), data);
  emit ("receiver.i_0", ra_history_interval (r->history, 0), data);
  emit ("receiver.rott", ra_seconds (r->rott), data);
  ra_lda_observe (r->lda, ra_observe_prefixed, &lda);
}
