/* The sender's ear: reports off the wire, believed only as far as what was
 * sent allows.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What can be known: nobody knows a t_i before its packet came; no more arrives
 * than was sent until then, and nothing twice.  What cannot: whether a packet
 * arrived that the peer says arrived.  Only a sender that leaves numbers out now
 * and then finds out (RFC 4342 9; safety/skips.h).
 */
#include <gst/rtpadapt/feedback/listenerpriv.h>

#include <gst/rtpadapt/feedback/stamp.h>
#include <gst/rtpadapt/feedback/peerdelay.h>

/* Reports per R: one, and two for each loss event that turns out to be none
 * (RFC 5348 6.1).  And the shortest R that is followed. */
#define PER_RTT 8
#define RTT_FLOOR (5 * RA_MSECOND)
/* X_recv is a mean over a time that we know roughly, counted with or without
 * the headers below RTP; some packets come late. */
#define RECV_SLACK 1.25
#define RECV_PACKETS 4

const gchar *
ra_heard_nick (RaHeard heard)
{
  static const gchar *const nicks[]
      = { "ok", "malformed", "old", "unsent", "fast", "contrary" };

  return nicks[heard];
}

/* All that was heard; of what was sent, the first `known` packets. */
static void
forget (RaListener *l, guint64 known)
{
  l->n_heard = 0;
  l->t_last = l->began = RA_TIME_NONE;
  l->t_delay = l->rtt = 0;
  l->tokens = PER_RTT;
  l->known_packets = l->known_packets_1 = known;
}

RaListener *
ra_listener_new (RaLedger *ledger)
{
  RaListener *l = g_new0 (RaListener, 1);

  l->ledger = ledger;
  l->times = ledger->times;
  ra_winmin_init (&l->shortest);
  forget (l, ledger->ordered);
  return l;
}

void
ra_listener_free (RaListener *l)
{
  g_free (l);
}

/* The clock went back: times before that cannot be compared with later ones. */
static void
look_back (RaListener *l)
{
  if (l->times != l->ledger->times)
    forget (l, l->ledger->ordered);
  l->times = l->ledger->times;
}

/* A stamp that never left with a packet is RA_HEARD_UNSENT; what is in the
 * future would be 71 min old, and is none either. */
static RaHeard
find_sent (RaListener *l, guint32 t_i, RaJudged *j)
{
  RaTime t = ra_stamp_us_time (t_i, j->now);
  guint64 end;

  look_back (l);
  j->sent = t != RA_TIME_NONE ? ra_ledger_at_time (l->ledger, t) : NULL;
  if (!j->sent)
    return RA_HEARD_UNSENT;
  j->next = ra_ledger_after_time (l->ledger, t);
  end = j->next ? j->next->index : l->ledger->next;
  j->t = ra_ledger_at (l->ledger, end - 1)->sent;
  return l->t_last != RA_TIME_NONE && j->t < l->t_last ? RA_HEARD_OLD
                                                       : RA_HEARD_OK;
}

RaHeard
ra_listener_on_radp (RaListener *l, const guint8 *data, gsize len, RaTime now)
{
  RaJudged j = { .now = now };
  RaHeard heard;
  RaRadp radp;

  if (!ra_radp_read (&radp, data, len))
    return RA_HEARD_MALFORMED;
  heard = find_sent (l, radp.t_i, &j);
  if (heard == RA_HEARD_OK) {
    l->pending = radp;
    l->has_pending = TRUE;
  }
  return heard;
}

/* The RTT is what passed since t_i, less t_delay as far as that is believed. */
static RaHeard
judge_time (RaListener *l, RaJudged *j)
{
  RaSpan whole, claimed, shortest;
  RaHeard heard = find_sent (l, j->fb.t_i, j);

  if (heard != RA_HEARD_OK)
    return heard;
  if (j->t == l->t_last && j->fb.t_delay <= l->t_delay)
    return RA_HEARD_OLD;
  j->packets = j->next ? j->next->packets : l->ledger->packets;
  j->bytes = j->next ? j->next->bytes : l->ledger->bytes;
  whole = ra_diff (j->now, j->t);
  claimed = whole - j->fb.t_delay;
  if (claimed <= 0)
    return RA_HEARD_CONTRARY;
  if (claimed > RA_PEER_DELAY_RTT_MAX)
    return RA_HEARD_OLD;
  j->shortest = ra_peer_delay_shortest (whole, j->fb.t_delay,
      j->next ? ra_diff (j->next->sent, j->t) : RA_SPAN_NONE);
  shortest = (RaSpan) MIN ((gdouble) j->shortest,
      ra_winmin_get (&l->shortest, j->now, RA_PEER_DELAY_WINDOW));
  j->rtt = MAX (claimed, shortest);
  j->jitter = j->rtt - shortest;
  return RA_HEARD_OK;
}

/* Counted in the times of t_i: what the way back held up may come all at once.
 * Who does not know R yet answers to each packet (RFC 5348 6.3). */
static RaHeard
judge_speed (const RaListener *l, RaJudged *j)
{
  RaSpan rtt = MAX (l->rtt, RTT_FLOOR);

  j->tokens = l->tokens;
  if (l->t_last == RA_TIME_NONE)
    return RA_HEARD_OK;
  j->tokens += PER_RTT * (gdouble) (j->t - l->t_last) / (gdouble) rtt;
  j->tokens = MIN (j->tokens, PER_RTT);
  return j->tokens < 1 && j->t >= l->began ? RA_HEARD_FAST : RA_HEARD_OK;
}

/* Sent since a report that was written before `begin`, which has seen what came
 * earlier: no more can have come since then.  All, if that is forgotten.
 * A queue that drains delivers faster than we send, but only what is in it. */
static gdouble
sent_since (const RaListener *l, const RaJudged *j, RaTime begin, guint64 back)
{
  const RaHeardReport *h;

  while ((h = ra_listener_heard (l, back)) && h->now > begin)
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
judge_bytes (const RaListener *l, RaJudged *j)
{
  gdouble slack = RECV_PACKETS * (gdouble) l->ledger->largest, sum = 0;
  const RaHeardReport *h = &j->heard, *last = ra_listener_heard (l, 0);
  RaSpan part = l->rtt > 0 ? l->rtt : j->rtt;

  j->heard.now = j->now;
  j->heard.before = j->sent->bytes;
  j->heard.window = part;
  if (last)
    part = CLAMP (ra_diff (j->now, last->now), 0, part);
  j->heard.claim = ra_bytes (j->fb.x_recv) * ra_seconds (part);

  for (guint64 back = 0; h; h = ra_listener_heard (l, back++)) {
    RaTime begin = ra_later (h->now, -(h->window + j->jitter));

    sum += h->claim;
    if (sum > RECV_SLACK * sent_since (l, j, begin, back) + slack)
      return RA_HEARD_UNSENT;
  }
  return RA_HEARD_OK;
}

static void
take (RaListener *l, const RaJudged *j)
{
  ra_listener_take_counts (l, j);
  l->lost = j->lost;
  l->heard[l->n_heard++ % RA_LISTENER_HEARD] = j->heard;
  if (l->t_last == RA_TIME_NONE)
    l->began = j->now;
  l->has_heard = TRUE;
  l->t_last = j->t;
  l->t_delay = j->fb.t_delay;
  l->known_packets = j->packets;
  l->known_packets_1 = j->sent->packets + 1;
  l->tokens = MAX (j->tokens - 1, 0);
  l->p = j->fb.p;
  /* RFC 5348 4.3 step 2, as what the sender writes on its packets */
  l->rtt += l->rtt > 0 ? (j->rtt - l->rtt) / 10 : j->rtt;
  ra_winmin_add (
      &l->shortest, (gdouble) j->shortest, j->now, RA_PEER_DELAY_WINDOW);
}

RaHeard
ra_listener_on_tfrc (RaListener *l, const guint8 *fci, gsize len, RaTime now,
    RaReport *report, RaSpan *t_delay)
{
  RaJudged j = { .now = now };
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
    heard = ra_listener_judge_counts (l, &j, &out);
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
