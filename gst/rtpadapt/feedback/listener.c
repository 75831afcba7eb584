/* The sender's ear: reports off the wire, believed only as far as what was
 * sent allows.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What can be known: nobody knows a t_i before its packet came; no more arrives
 * than was sent until then, and nothing twice.  What cannot: whether a packet
 * arrived that the peer says arrived.  Only a sender that leaves packets out now
 * and then finds out (RFC 4342 9), and video has none to spare.
 */
#include <gst/rtpadapt/feedback/listener.h>

#include <gst/rtpadapt/feedback/stamp.h>
#include <gst/rtpadapt/loss/holes.h>
#include <gst/rtpadapt/sentlog.h>
#include <gst/rtpadapt/util/winmin.h>

/* Reports that are remembered. */
#define HEARD_MAX 32
/* No usable path is longer; farstream's bound. */
#define RTT_MAX (10 * RA_SECOND)
/* Reports per R: one, and two for each loss event that turns out to be none
 * (RFC 5348 6.1).  And the shortest R that is followed. */
#define PER_RTT 8
#define RTT_FLOOR (5 * RA_MSECOND)
/* A new route has another shortest RTT. */
#define RTT_WINDOW (30 * RA_SECOND)
/* Of the time since a packet was sent: as much of it can a t_delay take off the
 * shortest RTT. */
#define DELAY_SHARE 5
/* X_recv is a mean over a time that we know roughly, counted with or without
 * the headers below RTP; some packets come late. */
#define RECV_SLACK 1.25
#define RECV_PACKETS 4
/* A loss is one NDUPACK packets later, and is told with the next. */
#define SETTLED_PACKETS 4
/* Sent as long before a baseline, a packet may still count after it. */
#define LATE_MAX RA_SECOND
/* A peer may lose count of so many packets, and one in a thousand. */
#define NEGLECT 3

/* A report that was taken. */
typedef struct
{
  RaTime now;
  guint64 before;     /* bytes sent before the microsecond of t_i */
  RaSpan window;      /* that X_recv is a mean over, as far as we know: R */
  gdouble claim;      /* bytes that X_recv says came in the last part of it */
  guint64 arrived;    /* since the baseline */
  gint64 unaccounted; /* neither arrived nor lost */
} Heard;

/* Counters of RADP, the sums since a baseline. */
typedef struct
{
  guint64 expected, arrived, congestion, wireless;
} Sums;

struct _RaListener
{
  RaMoments sent;
  guint largest; /* packet, bytes */

  Heard heard[HEARD_MAX];
  guint64 n_heard;
  RaTime t_last;        /* t_i of the latest, RA_TIME_NONE before the first */
  RaTime began;         /* when the first one came */
  RaSpan t_delay, rtt;  /* of the latest; smoothed */
  gdouble p;            /* of the latest */
  gdouble tokens;       /* reports that may come at once */
  RaWinMin shortest;    /* RTT, ns */
  guint64 told, told_1; /* packets sent until t_last; that one only, of its
                           microsecond */
  gdouble lost;         /* by p, not told yet */

  gboolean has_pending, has_radp, has_heard;
  RaRadp pending;            /* waits for its TFRC-FB */
  RaRadp radp;               /* the latest taken */
  gboolean baseline;         /* there is one */
  guint64 sent_before, late; /* packets, of these as many may come after all */
  Sums sums;
  gint64 settled; /* unaccounted for good, and told as losses */
};

/* One that is being judged. */
typedef struct
{
  RaTime now, t; /* t_i */
  RaTfrcFb fb;
  const RaMoment *sent;   /* in which t_i left */
  guint64 packets, bytes; /* sent until its end */
  RaSpan rtt;             /* as far as it is believed */
  RaSpan shortest;        /* what it says about the shortest RTT */
  RaSpan jitter;          /* by so much more than the shortest, at most */
  gdouble tokens;
  Heard heard;
  Sums sums;
  gint64 settled;
  gdouble lost;
  gboolean told, anew; /* by a RADP; which is a new baseline */
} Judged;

const gchar *
ra_heard_nick (RaHeard heard)
{
  static const gchar *const nicks[]
      = { "ok", "malformed", "old", "unsent", "fast", "contrary" };

  return nicks[heard];
}

/* All that was heard; of what was sent, the first `told` packets. */
static void
forget (RaListener *l, guint64 told)
{
  l->n_heard = 0;
  l->t_last = l->began = RA_TIME_NONE;
  l->t_delay = l->rtt = 0;
  l->tokens = PER_RTT;
  l->told = l->told_1 = told;
}

RaListener *
ra_listener_new (void)
{
  RaListener *l = g_new0 (RaListener, 1);

  ra_moments_init (&l->sent);
  ra_winmin_init (&l->shortest);
  forget (l, 0);
  return l;
}

void
ra_listener_free (RaListener *l)
{
  g_free (l);
}

void
ra_listener_on_sent (RaListener *l, guint size, RaTime now)
{
  l->largest = MAX (l->largest, size);
  if (!ra_moments_add (&l->sent, size, now))
    forget (l, l->sent.packets - 1);
}

/* A stamp that never left with a packet is RA_HEARD_UNSENT; what is in the
 * future would be 71 min old, and is none either. */
static RaHeard
find_sent (const RaListener *l, guint32 t_i, RaTime now, const RaMoment **sent)
{
  RaTime t = ra_stamp_us_time (t_i, now);

  *sent = t != RA_TIME_NONE ? ra_moments_find (&l->sent, t) : NULL;
  if (!*sent)
    return RA_HEARD_UNSENT;
  return l->t_last != RA_TIME_NONE && (*sent)->at < l->t_last ? RA_HEARD_OLD
                                                              : RA_HEARD_OK;
}

RaHeard
ra_listener_on_radp (RaListener *l, const guint8 *data, gsize len, RaTime now)
{
  const RaMoment *sent;
  RaHeard heard;
  RaRadp radp;

  if (!ra_radp_read (&radp, data, len))
    return RA_HEARD_MALFORMED;
  heard = find_sent (l, radp.t_i, now, &sent);
  if (heard == RA_HEARD_OK) {
    l->pending = radp;
    l->has_pending = TRUE;
  }
  return heard;
}

/* The RTT is what passed since t_i, less t_delay, and t_delay is only the
 * peer's word: who says that it waited long has a short R, and with it any rate
 * (RFC 5348 4.3 step 4).  But a peer that waits hears of the next packet, which
 * left `gap` after this one; and of the many reports some were sent soon after
 * a packet came.  So t_delay counts for the shortest RTT only as far as `gap`
 * and a share of the whole, and no R is believed below the shortest of late: an
 * R can be denied a fifth of its length and no more. */
static RaHeard
judge_time (const RaListener *l, Judged *j)
{
  const RaMoment *next;
  RaSpan whole, claimed, off;
  RaHeard heard = find_sent (l, j->fb.t_i, j->now, &j->sent);

  if (heard != RA_HEARD_OK)
    return heard;
  j->t = j->sent->at;
  if (j->t == l->t_last && j->fb.t_delay <= l->t_delay)
    return RA_HEARD_OLD;
  next = ra_moments_next (&l->sent, j->sent);
  j->packets = next ? next->packets : l->sent.packets;
  j->bytes = next ? next->bytes : l->sent.bytes;
  whole = ra_diff (j->now, j->t);
  claimed = whole - j->fb.t_delay;
  if (claimed <= 0)
    return RA_HEARD_CONTRARY;
  if (claimed > RTT_MAX)
    return RA_HEARD_OLD;
  off = MIN (j->fb.t_delay, whole / DELAY_SHARE);
  if (next)
    off = MIN (off, ra_diff (next->at, j->t));
  j->shortest = whole - off;
  off = (RaSpan) MIN (
      (gdouble) j->shortest, ra_winmin_get (&l->shortest, j->now, RTT_WINDOW));
  j->rtt = MAX (claimed, off);
  j->jitter = j->rtt - off;
  return RA_HEARD_OK;
}

/* Counted in the times of t_i: what the way back held up may come all at once.
 * Who does not know R yet answers to each packet (RFC 5348 6.3). */
static RaHeard
judge_speed (const RaListener *l, Judged *j)
{
  RaSpan rtt = MAX (l->rtt, RTT_FLOOR);

  j->tokens = l->tokens;
  if (l->t_last == RA_TIME_NONE)
    return RA_HEARD_OK;
  j->tokens += PER_RTT * (gdouble) (j->t - l->t_last) / (gdouble) rtt;
  j->tokens = MIN (j->tokens, PER_RTT);
  return j->tokens < 1 && j->t >= l->began ? RA_HEARD_FAST : RA_HEARD_OK;
}

/* The `back`th latest, from 0; NULL if there are not as many. */
static const Heard *
heard_before (const RaListener *l, guint64 back)
{
  return back < MIN (l->n_heard, HEARD_MAX)
      ? &l->heard[(l->n_heard - 1 - back) % HEARD_MAX]
      : NULL;
}

/* Sent since a report that was written before `begin`, which has seen what came
 * earlier: no more can have come since then.  All, if that is forgotten.
 * A queue that drains delivers faster than we send, but only what is in it. */
static gdouble
sent_since (const RaListener *l, const Judged *j, RaTime begin, guint64 back)
{
  const Heard *h;

  while ((h = heard_before (l, back)) && h->now > begin)
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
judge_bytes (const RaListener *l, Judged *j)
{
  gdouble slack = RECV_PACKETS * (gdouble) l->largest, sum = 0;
  const Heard *h = &j->heard, *last = heard_before (l, 0);
  RaSpan part = l->rtt > 0 ? l->rtt : j->rtt;

  j->heard.now = j->now;
  j->heard.before = j->sent->bytes;
  j->heard.window = part;
  if (last)
    part = CLAMP (ra_diff (j->now, last->now), 0, part);
  j->heard.claim = ra_bytes (j->fb.x_recv) * ra_seconds (part);

  for (guint64 back = 0; h; h = heard_before (l, back++)) {
    RaTime begin = ra_later (h->now, -(h->window + j->jitter));

    sum += h->claim;
    if (sum > RECV_SLACK * sent_since (l, j, begin, back) + slack)
      return RA_HEARD_UNSENT;
  }
  return RA_HEARD_OK;
}

/* What has been neither arrived nor lost for 2 R, which is more than a verdict
 * waits (RaLdaOps.patience), and SETTLED_PACKETS arrivals will be neither. */
static gint64
unaccounted_for_good (const RaListener *l, const Judged *j)
{
  RaSpan age = 2 * MAX (l->rtt, j->rtt);
  gint64 least = j->heard.unaccounted;
  const Heard *h;

  for (guint64 back = 0; (h = heard_before (l, back)); back++) {
    least = MIN (least, h->unaccounted);
    if (ra_diff (j->now, h->now) >= age
        && j->heard.arrived >= h->arrived + SETTLED_PACKETS)
      return least;
  }
  return 0;
}

/* The sums since the baseline with `report` in them.  A packet that came late
 * may have been told as expected, as lost, and as arrived, so arrivals and
 * losses have a bound each. */
static RaHeard
judge_sums (const RaListener *l, Judged *j, const RaReport *report)
{
  Sums *sums = &j->sums;
  gint64 denied;

  *sums = (Sums){ l->sums.expected + report->expected,
    l->sums.arrived + report->arrived,
    l->sums.congestion + report->lost_congestion,
    l->sums.wireless + report->lost_wireless };
  if (sums->arrived
      > MIN (sums->expected, j->packets - l->sent_before) + l->late)
    return RA_HEARD_UNSENT;
  if (sums->congestion + sums->wireless > sums->expected + l->late)
    return RA_HEARD_CONTRARY;
  j->heard.arrived = sums->arrived;
  /* p is 0 where all that congestion had taken came after all: as arrivals, or
   * the peer denies it. */
  j->heard.unaccounted
      = (gint64) (sums->expected - sums->arrived - sums->wireless);
  if (j->fb.p > 0)
    j->heard.unaccounted -= (gint64) sums->congestion;
  denied = unaccounted_for_good (l, j);
  if (j->fb.p <= 0 && denied > NEGLECT + (gint64) (sums->expected / 1000))
    return RA_HEARD_CONTRARY;
  j->settled = j->fb.p > 0 ? MAX (l->settled, denied) : l->settled;
  return RA_HEARD_OK;
}

static guint
clamp_count (gint64 n)
{
  return (guint) CLAMP (n, 0, G_MAXINT32);
}

/* Without RADP, or where it has nothing to be compared with, what TFRC-FB alone
 * tells: all until t_i was expected, and the loss event rate is what RFC 8083 3
 * wants for p ("that would be seen by a TCP connection") and takes the fraction
 * lost for only because receiver reports do not have it.  It lags, so that it
 * goes on for some time after the last loss.  Nobody says that the radio took
 * any. */
static void
infer (const RaListener *l, Judged *j, RaReport *report)
{
  gint64 n = (gint64) (j->packets - l->told), n_lost;

  report->n_events = j->fb.p > l->p; /* p rises with a loss event only */
  j->lost = l->lost + (gdouble) n * j->fb.p;
  n_lost = MAX ((gint64) j->lost, report->n_events);
  n_lost = CLAMP (n_lost, 0, MAX (n - 1, 0)); /* t_i has arrived */
  j->lost = MIN (j->lost - (gdouble) n_lost, 1);
  report->expected = clamp_count (n);
  report->lost_congestion = clamp_count (n_lost);
  report->arrived = clamp_count (n - n_lost);
  report->queue = RA_SPAN_NONE;
}

/* What RADP tells of more than was sent is not told on: the peer counts RTP
 * numbers that we dropped ourselves, or lies.  More than twice as much is a
 * lie.  How old the newest loss is, and how long the queue, has a bound: it was
 * not told last time, and the queue is a part of the RTT. */
static RaHeard
bound (const RaListener *l, const Judged *j, RaReport *report)
{
  gint64 n = (gint64) (j->packets - l->told_1);
  RaSpan age = l->t_last == RA_TIME_NONE
      ? RTT_MAX
      : ra_diff (j->t, l->t_last) + 2 * MAX (l->rtt, j->rtt);

  if (report->expected > 2 * n + RA_HOLES_MAX)
    return RA_HEARD_UNSENT;
  /* What begins a loss event and is no loss is a mark. */
  report->ce
      = report->n_events - MIN (report->n_events, report->lost_congestion);
  report->expected = MIN (report->expected, clamp_count (n));
  report->lost_congestion += clamp_count (j->settled - l->settled);
  report->loss_age = MIN (report->loss_age, age);
  if (report->queue != RA_SPAN_NONE)
    report->queue = MIN (report->queue, j->rtt);
  return RA_HEARD_OK;
}

/* `before` is what had been sent when the counters stood at `radp`. */
static void
baseline_begin (
    RaListener *l, const RaRadp *radp, guint64 before, const Judged *j)
{
  l->radp = *radp;
  l->baseline = TRUE;
  l->sent_before = before;
  l->late
      = j->packets - ra_moments_packets (&l->sent, ra_later (j->t, -LATE_MAX));
  l->sums = (Sums){ 0 };
  l->settled = 0;
}

/* Counters from before we began, or that ran backwards because the peer began
 * anew, tell nothing yet. */
static RaHeard
judge_counts (RaListener *l, Judged *j, RaReport *report)
{
  static const RaRadp zero = { 0 };
  RaHeard heard;

  j->lost = 0;
  j->told = l->has_pending && l->pending.t_i == j->fb.t_i;
  if (j->told && !l->has_heard && !l->baseline
      && l->pending.expected <= j->packets)
    baseline_begin (l, &zero, 0, j);
  if (!j->told || !l->baseline
      || !ra_radp_since (&l->pending, &l->radp, report)) {
    j->anew = TRUE;
    infer (l, j, report);
    return RA_HEARD_OK;
  }
  heard = judge_sums (l, j, report);
  return heard != RA_HEARD_OK ? heard : bound (l, j, report);
}

static void
take (RaListener *l, const Judged *j)
{
  if (j->told && j->anew)
    baseline_begin (l, &l->pending, j->sent->packets, j);
  else if (!j->told)
    l->baseline = FALSE;
  if (j->told && !j->anew) {
    l->radp = l->pending;
    l->sums = j->sums;
    l->settled = j->settled;
  }
  l->has_radp |= j->told;
  l->lost = j->lost;
  l->heard[l->n_heard++ % HEARD_MAX] = j->heard;
  if (l->t_last == RA_TIME_NONE)
    l->began = j->now;
  l->has_heard = TRUE;
  l->t_last = j->t;
  l->t_delay = j->fb.t_delay;
  l->told = j->packets;
  l->told_1 = j->sent->packets + 1;
  l->tokens = MAX (j->tokens - 1, 0);
  l->p = j->fb.p;
  /* RFC 5348 4.3 step 2, as what the sender writes on its packets */
  l->rtt += l->rtt > 0 ? (j->rtt - l->rtt) / 10 : j->rtt;
  ra_winmin_add (&l->shortest, (gdouble) j->shortest, j->now, RTT_WINDOW);
}

RaHeard
ra_listener_on_tfrc (RaListener *l, const guint8 *fci, gsize len, RaTime now,
    RaReport *report, RaSpan *t_delay)
{
  Judged j = { .now = now };
  RaReport out = { 0 };
  RaHeard heard;

  if (!ra_tfrc_fb_read (&j.fb, fci, len))
    return RA_HEARD_MALFORMED;
  heard = judge_time (l, &j);
  if (heard == RA_HEARD_OK)
    heard = judge_speed (l, &j);
  if (heard == RA_HEARD_OK)
    heard = judge_bytes (l, &j);
  if (heard == RA_HEARD_OK)
    heard = judge_counts (l, &j, &out);
  if (heard != RA_HEARD_OK)
    return heard;
  take (l, &j);
  out.t_recvdata = j.t;
  out.recv_rate = j.fb.x_recv;
  out.p = j.fb.p;
  *report = out;
  *t_delay = ra_diff (now, j.t) - j.rtt;
  return RA_HEARD_OK;
}

const RaRadp *
ra_listener_radp (const RaListener *l)
{
  return l->has_radp ? &l->radp : NULL;
}
