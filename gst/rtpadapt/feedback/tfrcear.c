/* The ear for feedback=tfrc: TFRC-FB and RADP, believed only as far as what was sent
 * allows.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What can be known: nobody knows a t_i before its packet came; no more arrives
 * than was sent until then, and nothing twice.  What cannot: whether a packet
 * arrived that the peer says arrived.  Only a sender that leaves numbers out now
 * and then finds out (RFC 4342 9; safety/skips.h).
 */
#include <gst/rtpadapt/feedback/tfrcear.h>

#include <gst/rtpadapt/feedback/radpcounters.h>
#include <gst/rtpadapt/feedback/stamp.h>
#include <gst/rtpadapt/ledger.h>
#include <gst/rtpadapt/loss/holes.h>
#include <gst/rtpadapt/safety/peerdelay.h>
#include <gst/rtpadapt/util/winmin.h>

/* Reports per R: one, and two for each loss event that turns out to be none
 * (RFC 5348 6.1).  And the shortest R that is followed. */
#define PER_RTT 8
#define RTT_FLOOR (5 * RA_MSECOND)
/* X_recv is a mean over a time that we know roughly, counted with or without
 * the headers below RTP; some packets come late. */
#define RECV_SLACK 1.25
#define RECV_PACKETS 4
/* A hole becomes a loss NDUPACK packets later, and the next report has it. */
#define SETTLED_PACKETS 4
/* Sent as long before counters begin, a packet may still count after it; until
 * then nobody can say whether the counters fit. */
#define LATE_MAX RA_SECOND
/* A peer may lose count of so many packets, and one in a thousand. */
#define NEGLECT 3
/* Reports that are remembered. */
#define HEARD_MAX 32

/* A report that was taken. */
typedef struct
{
  RaTime now;
  guint64 before;     /* bytes sent before the microsecond of t_i */
  RaSpan window;      /* that X_recv is a mean over, as far as we know: R */
  gdouble claim;      /* bytes that X_recv says came in the last part of it */
  guint64 arrived;    /* since the counters began */
  gint64 unaccounted; /* neither arrived nor lost */
} RaHeardReport;

struct _RaTfrcEar
{
  RaLedger *ledger; /* the sender's */
  guint64 times;    /* of the ledger, when we looked last */

  RaHeardReport heard[HEARD_MAX];
  guint64 n_heard;
  RaTime t_last;         /* t_i of the latest, RA_TIME_NONE before the first */
  RaTime began;          /* when the first one came */
  RaSpan t_delay, rtt;   /* of the latest; smoothed */
  gdouble p;             /* of the latest */
  gdouble tokens;        /* reports that may come at once */
  RaWinMin shortest;     /* RTT, ns */
  guint64 known_packets; /* sent until t_last */
  guint64 known_packets_1; /* the same, but of its microsecond the first only */
  gdouble lost;            /* by p, not reported yet */

  gboolean has_pending, has_radp, has_heard, has_counts, has_other;
  RaRadp pending;        /* waits for its TFRC-FB */
  RaRadp radp;           /* the latest taken */
  RaRadpCounters counts; /* that the peer is held to */
  RaRadpCounters other;  /* that begin with one that did not fit these */
};

/* One that is being judged. */
typedef struct
{
  RaTime now, t; /* t_i */
  RaTfrcFb fb;
  const RaLedgerEntry *sent; /* the first in the microsecond of t_i */
  const RaLedgerEntry *next; /* the first in a later one, or NULL */
  guint64 packets, bytes;    /* sent until its end */
  RaSpan rtt;                /* as far as it is believed */
  RaSpan shortest;           /* what it says about the shortest RTT */
  RaSpan jitter;             /* by so much more than the shortest, at most */
  gdouble tokens;
  RaHeardReport heard;
  RaRadpCounters counts; /* with it */
  gdouble lost;
  gboolean by_radp;   /* a RADP came with it */
  gboolean restarted; /* counters begin with it */
  gboolean aside;     /* it fits no counters */
} RaJudged;

/* All that was heard; of what was sent, the first `known` packets. */
static void
forget (RaTfrcEar *e, guint64 known)
{
  e->n_heard = 0;
  e->t_last = e->began = RA_TIME_NONE;
  e->t_delay = e->rtt = 0;
  e->tokens = PER_RTT;
  e->known_packets = e->known_packets_1 = known;
}

RaTfrcEar *
ra_tfrc_ear_new (RaLedger *ledger)
{
  RaTfrcEar *e = g_new0 (RaTfrcEar, 1);

  e->ledger = ledger;
  e->times = ledger->times;
  ra_winmin_init (&e->shortest);
  forget (e, ledger->ordered);
  return e;
}

void
ra_tfrc_ear_free (RaTfrcEar *e)
{
  g_free (e);
}

/* The clock went back: times before that cannot be compared with later ones. */
static void
clock_look (RaTfrcEar *e)
{
  if (e->times != e->ledger->times)
    forget (e, e->ledger->ordered);
  e->times = e->ledger->times;
}

/* A stamp that never left with a packet is RA_HEARD_UNSENT; what is in the
 * future would be 71 min old, and is none either. */
static RaHeard
find_sent (RaTfrcEar *e, guint32 t_i, RaJudged *j)
{
  RaTime t = ra_stamp_us_time (t_i, j->now);
  guint64 end;

  clock_look (e);
  j->sent = t != RA_TIME_NONE ? ra_ledger_at_time (e->ledger, t) : NULL;
  if (!j->sent)
    return RA_HEARD_UNSENT;
  j->next = ra_ledger_after_time (e->ledger, t);
  end = j->next ? j->next->index : e->ledger->next;
  j->t = ra_ledger_at (e->ledger, end - 1)->sent;
  return e->t_last != RA_TIME_NONE && j->t < e->t_last ? RA_HEARD_OLD
                                                       : RA_HEARD_OK;
}

RaHeard
ra_tfrc_ear_on_radp (RaTfrcEar *e, const guint8 *data, gsize len, RaTime now)
{
  RaJudged j = { .now = now };
  RaHeard heard;
  RaRadp radp;

  if (!ra_radp_read (&radp, data, len))
    return RA_HEARD_MALFORMED;
  heard = find_sent (e, radp.t_i, &j);
  if (heard == RA_HEARD_OK) {
    e->pending = radp;
    e->has_pending = TRUE;
  }
  return heard;
}

/* The RTT is what passed since t_i, less t_delay as far as that is believed. */
static RaHeard
judge_time (RaTfrcEar *e, RaJudged *j)
{
  RaSpan whole, claimed, shortest;
  RaHeard heard = find_sent (e, j->fb.t_i, j);

  if (heard != RA_HEARD_OK)
    return heard;
  if (j->t == e->t_last && j->fb.t_delay <= e->t_delay)
    return RA_HEARD_OLD;
  j->packets = j->next ? j->next->packets : e->ledger->packets;
  j->bytes = j->next ? j->next->bytes : e->ledger->bytes;
  whole = ra_diff (j->now, j->t);
  claimed = whole - j->fb.t_delay;
  if (claimed <= 0)
    return RA_HEARD_CONTRARY;
  if (claimed > RA_PEER_DELAY_RTT_MAX)
    return RA_HEARD_OLD;
  j->shortest = ra_peer_delay_shortest (whole, j->fb.t_delay,
      j->next ? ra_diff (j->next->sent, j->t) : RA_SPAN_NONE);
  shortest = (RaSpan) MIN ((gdouble) j->shortest,
      ra_winmin_get (&e->shortest, j->now, RA_PEER_DELAY_WINDOW));
  j->rtt = MAX (claimed, shortest);
  j->jitter = j->rtt - shortest;
  return RA_HEARD_OK;
}

/* Counted in the times of t_i: what the way back held up may come all at once.
 * A receiver that does not know R yet answers to each packet (RFC 5348 6.3). */
static RaHeard
judge_speed (const RaTfrcEar *e, RaJudged *j)
{
  RaSpan rtt = MAX (e->rtt, RTT_FLOOR);

  j->tokens = e->tokens;
  if (e->t_last == RA_TIME_NONE)
    return RA_HEARD_OK;
  j->tokens += PER_RTT * (gdouble) (j->t - e->t_last) / (gdouble) rtt;
  j->tokens = MIN (j->tokens, PER_RTT);
  return j->tokens < 1 && j->t >= e->began ? RA_HEARD_FAST : RA_HEARD_OK;
}

/* The `back`th latest, from 0; NULL if there are not as many. */
static const RaHeardReport *
heard_at (const RaTfrcEar *e, guint64 back)
{
  return back < MIN (e->n_heard, HEARD_MAX)
      ? &e->heard[(e->n_heard - 1 - back) % HEARD_MAX]
      : NULL;
}

/* Sent since a report that was written before `begin`, which has seen what came
 * earlier: no more can have come since then.  All, if that is forgotten.
 * A queue that drains delivers faster than we send, but only what is in it. */
static gdouble
sent_since (const RaTfrcEar *e, const RaJudged *j, RaTime begin, guint64 back)
{
  const RaHeardReport *h;

  while ((h = heard_at (e, back)) && h->now > begin)
    back++;
  return (gdouble) (j->bytes - (h ? h->before : 0));
}

/* X_recv R is the bytes that came during the last R (RFC 5348 6.2 step 2).  Of
 * this and the reports before it, as many as we know of, the parts of those
 * times that do not overlap: together they claim what was sent since the first
 * began, at most.  One X_recv alone may be large, behind a queue or a burst; the
 * sum cannot.  The times between reports are ours, which the way back stretches
 * by `jitter` at most. */
static RaHeard
judge_bytes (const RaTfrcEar *e, RaJudged *j)
{
  gdouble slack = RECV_PACKETS * (gdouble) e->ledger->largest, sum = 0;
  const RaHeardReport *h = &j->heard, *last = heard_at (e, 0);
  RaSpan part = e->rtt > 0 ? e->rtt : j->rtt;

  j->heard.now = j->now;
  j->heard.before = j->sent->bytes;
  j->heard.window = part;
  if (last)
    part = CLAMP (ra_diff (j->now, last->now), 0, part);
  j->heard.claim = ra_bytes (j->fb.x_recv) * ra_seconds (part);

  for (guint64 back = 0; h; h = heard_at (e, back++)) {
    RaTime begin = ra_later (h->now, -(h->window + j->jitter));

    sum += h->claim;
    if (sum > RECV_SLACK * sent_since (e, j, begin, back) + slack)
      return RA_HEARD_UNSENT;
  }
  return RA_HEARD_OK;
}

/* --- counters ----------------------------------------------------------------- */

/* What has been neither arrived nor lost for 2 R, which is more than a verdict
 * waits (RaLdaOps.patience), and SETTLED_PACKETS arrivals will be neither. */
static gint64
unaccounted_for_good (const RaTfrcEar *e, const RaJudged *j)
{
  RaSpan age = 2 * MAX (e->rtt, j->rtt);
  gint64 least = j->heard.unaccounted;
  const RaHeardReport *h;

  for (guint64 back = 0; (h = heard_at (e, back)); back++) {
    least = MIN (least, h->unaccounted);
    if (ra_diff (j->now, h->now) >= age
        && j->heard.arrived >= h->arrived + SETTLED_PACKETS)
      return least;
  }
  return 0;
}

/* The counters with `report` in them. */
static RaHeard
judge_sums (const RaTfrcEar *e, RaJudged *j, const RaReport *report)
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
  denied = unaccounted_for_good (e, j);
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
infer (const RaTfrcEar *e, RaJudged *j, RaReport *report)
{
  gint64 n = (gint64) (j->packets - e->known_packets), n_lost;

  report->n_events = j->fb.p > e->p; /* p rises with a loss event only */
  j->lost = e->lost + (gdouble) n * j->fb.p;
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
bound (const RaTfrcEar *e, const RaJudged *j, gint64 settled, RaReport *report)
{
  gint64 n = (gint64) (j->packets - e->known_packets_1);
  RaSpan age = e->t_last == RA_TIME_NONE
      ? RA_PEER_DELAY_RTT_MAX
      : ra_diff (j->t, e->t_last) + 2 * MAX (e->rtt, j->rtt);

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
begin (const RaTfrcEar *e, const RaJudged *j, RaRadpCounters *c,
    const RaRadp *radp, guint64 sent)
{
  guint64 before = ra_ledger_packets (e->ledger, ra_later (j->t, -LATE_MAX));

  ra_radp_counters_begin (c, radp, sent, j->packets - before, j->now);
}

/* RA_HEARD_OLD: they ran backwards. */
static RaHeard
judge_by (const RaTfrcEar *e, RaJudged *j, const RaRadpCounters *counts,
    RaReport *report)
{
  RaHeard heard;

  j->counts = *counts;
  if (!ra_radp_counters_add (&j->counts, &e->pending, report))
    return RA_HEARD_OLD;
  heard = judge_sums (e, j, report);
  return heard != RA_HEARD_OK
      ? heard
      : bound (e, j, j->counts.settled - counts->settled, report);
}

/* Counters that ran backwards, or that count more than was sent: the peer
 * started again, or heard somebody else's packets, or this report is somebody
 * else's, or the one that the counters began with was.  The next report
 * decides: a peer that goes on from here is held to that, after a second one in
 * a row (as in RFC 3550 A.1), or once it fits without the doubt of late
 * packets.  Or one report, or a packet that strayed, would end all feedback for
 * good. */
static RaHeard
judge_other (RaTfrcEar *e, RaJudged *j, RaHeard heard, RaReport *report)
{
  gboolean back = heard == RA_HEARD_OLD;

  if (!e->has_other || judge_by (e, j, &e->other, report) != RA_HEARD_OK) {
    begin (e, j, &e->other, &e->pending, j->sent->packets);
    e->has_other = TRUE;
  } else if (back || ra_diff (j->now, e->other.begun) >= LATE_MAX) {
    return RA_HEARD_OK;
  }
  if (!back)
    return heard;
  j->aside = TRUE;
  j->heard.arrived = 0;
  j->heard.unaccounted = 0;
  *report = (RaReport){ 0 };
  infer (e, j, report);
  return RA_HEARD_OK;
}

/* The counters of RADP, or what TFRC-FB alone says; fills `report`.  Those from before
 * we began say nothing yet. */
static RaHeard
judge_counts (RaTfrcEar *e, RaJudged *j, RaReport *report)
{
  static const RaRadp zero = { 0 };
  RaHeard heard;

  j->lost = 0;
  j->by_radp = e->has_pending && e->pending.t_i == j->fb.t_i;
  if (j->by_radp && !e->has_heard && !e->has_counts
      && e->pending.expected <= j->packets) {
    begin (e, j, &e->counts, &zero, 0);
    e->has_counts = TRUE;
  }
  if (!j->by_radp || !e->has_counts) {
    j->restarted = TRUE;
    infer (e, j, report);
    return RA_HEARD_OK;
  }
  heard = judge_by (e, j, &e->counts, report);
  return heard == RA_HEARD_OLD || heard == RA_HEARD_UNSENT
      ? judge_other (e, j, heard, report)
      : heard;
}

static void
take_counts (RaTfrcEar *e, const RaJudged *j)
{
  if (j->by_radp)
    e->radp = e->pending;
  e->has_radp |= j->by_radp;
  if (j->aside)
    return;
  e->has_other = FALSE;
  e->has_counts = j->by_radp;
  if (j->by_radp && j->restarted)
    begin (e, j, &e->counts, &e->pending, j->sent->packets);
  else if (j->by_radp)
    e->counts = j->counts;
}

/* --- what is taken -------------------------------------------------------------- */

static void
take (RaTfrcEar *e, const RaJudged *j)
{
  take_counts (e, j);
  e->lost = j->lost;
  e->heard[e->n_heard++ % HEARD_MAX] = j->heard;
  if (e->t_last == RA_TIME_NONE)
    e->began = j->now;
  e->has_heard = TRUE;
  e->t_last = j->t;
  e->t_delay = j->fb.t_delay;
  e->known_packets = j->packets;
  e->known_packets_1 = j->sent->packets + 1;
  e->tokens = MAX (j->tokens - 1, 0);
  e->p = j->fb.p;
  /* RFC 5348 4.3 step 2, as what the sender writes on its packets */
  e->rtt += e->rtt > 0 ? (j->rtt - e->rtt) / 10 : j->rtt;
  ra_winmin_add (
      &e->shortest, (gdouble) j->shortest, j->now, RA_PEER_DELAY_WINDOW);
}

RaHeard
ra_tfrc_ear_on_tfrc (RaTfrcEar *e, const guint8 *fci, gsize len, RaTime now,
    RaReport *report, RaSpan *t_delay)
{
  RaJudged j = { .now = now };
  RaReport out = { 0 };
  RaHeard heard;

  if (!ra_tfrc_fb_read (&j.fb, fci, len))
    return RA_HEARD_MALFORMED;
  heard = judge_time (e, &j);
  if (heard == RA_HEARD_OK)
    heard = judge_speed (e, &j);
  if (heard == RA_HEARD_OK)
    heard = judge_bytes (e, &j);
  if (heard == RA_HEARD_OK)
    heard = judge_counts (e, &j, &out);
  if (heard != RA_HEARD_OK)
    return heard;
  take (e, &j);
  out.t_recvdata = j.t;
  out.recv_rate = j.fb.x_recv;
  out.p = j.fb.p;
  *report = out;
  *t_delay = ra_diff (now, j.t) - j.rtt;
  return RA_HEARD_OK;
}

const RaRadp *
ra_tfrc_ear_radp (const RaTfrcEar *e)
{
  return e->has_radp ? &e->radp : NULL;
}
