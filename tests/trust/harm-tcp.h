/* A TCP that always has data, for sitting beside us on a link.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * RFC 5681's windows with what kernels do today: losses are found one by one
 * (SACK, RFC 6675; order of transmission, RFC 8985), the receiver answers each
 * packet.  On a path that keeps the order no loss is mistaken, so a packet sent
 * again is a packet like any other.
 */
#pragma once

#include <gst/rtpadapt/link.h>

#include <math.h>

#define TCP_MSS \
  1228 /* bytes on the link, as ours: a queue of bytes prefers neither */
#define TCP_RING 8192        /* packets that may be under way */
#define TCP_INITIAL 10       /* RFC 6928 */
#define TCP_DUPTHRESH 3      /* RFC 5681 3.2 */
#define TCP_MIN_RTO .2       /* s, Linux; RFC 6298 2.4 has 1 */
#define TCP_MAX_RTO 60       /* s, RFC 6298 2.5 */
#define TCP_GRANULARITY .001 /* s, G of RFC 6298 */

typedef enum
{
  TCP_IDLE,
  TCP_SENT,
  TCP_LOST
} TcpState;

typedef struct
{
  RaSpan back; /* the way of the answers */
  gdouble cwnd, ssthresh;
  guint64 next, una; /* transmissions, by number: the next; not known before */
  guint64 recover;   /* losses from here on are of a new window */
  guint flight;
  TcpState state[TCP_RING];
  RaTime sent[TCP_RING];
  gdouble srtt, rttvar, rto; /* s; srtt 0: unknown */
  RaTime timer;              /* RA_TIME_NONE: off */
  /* Answers on their way, a ring. */
  guint64 answer[TCP_RING], n_answers, n_heard;
  RaTime due[TCP_RING];
  guint64 delivered; /* bytes */
} Tcp;

static inline void
tcp_init (Tcp *t, RaSpan back)
{
  *t = (Tcp){ .back = back,
    .cwnd = TCP_INITIAL,
    .ssthresh = 1e9,
    .rto = 1, /* RFC 6298 2.1 */
    .timer = RA_TIME_NONE };
}

static inline gboolean
tcp_may_send (const Tcp *t)
{
  return t->flight + 1 <= t->cwnd && t->next - t->una < TCP_RING - 1;
}

/* The next packet leaves; its number. */
static inline guint64
tcp_send (Tcp *t, RaTime now)
{
  t->state[t->next % TCP_RING] = TCP_SENT;
  t->sent[t->next % TCP_RING] = now;
  t->flight++;
  if (t->timer == RA_TIME_NONE)
    t->timer = ra_later (now, ra_span (t->rto));
  return t->next++;
}

/* It arrived. */
static inline void
tcp_deliver (Tcp *t, guint64 seq, guint size, RaTime now)
{
  guint64 i = t->n_answers++ % TCP_RING;

  if (seq >= t->una) /* or it was sent again */
    t->delivered += size;
  t->answer[i] = seq;
  t->due[i] = ra_later (now, t->back);
}

/* RFC 6298 2 */
static inline void
tcp_measure (Tcp *t, gdouble r)
{
  if (t->srtt <= 0) {
    t->srtt = r;
    t->rttvar = r / 2;
  } else {
    t->rttvar += (fabs (t->srtt - r) - t->rttvar) / 4;
    t->srtt += (r - t->srtt) / 8;
  }
  t->rto = t->srtt + fmax (TCP_GRANULARITY, 4 * t->rttvar);
  t->rto = fmin (fmax (t->rto, TCP_MIN_RTO), TCP_MAX_RTO);
}

/* What was sent TCP_DUPTHRESH before `seq`, which arrived, and was not heard
 * of is lost. */
static inline void
tcp_find_lost (Tcp *t, guint64 seq)
{
  for (; t->una + TCP_DUPTHRESH <= seq; t->una++) {
    if (t->state[t->una % TCP_RING] != TCP_SENT)
      continue;
    t->state[t->una % TCP_RING] = TCP_LOST;
    if (t->una >= t->recover) { /* RFC 5681 (4), once for a window */
      t->ssthresh = fmax (t->flight / 2., 2);
      t->cwnd = t->ssthresh;
      t->recover = t->next;
    }
    t->flight--;
  }
}

static inline void
tcp_hear (Tcp *t, guint64 seq, RaTime now)
{
  if (seq < t->una || t->state[seq % TCP_RING] != TCP_SENT)
    return; /* the timer had expired */
  t->state[seq % TCP_RING] = TCP_IDLE;
  t->flight--;
  tcp_measure (t, ra_seconds (ra_diff (now, t->sent[seq % TCP_RING])));
  if (seq >= t->recover) /* RFC 5681 3.1; not in recovery */
    t->cwnd += t->cwnd < t->ssthresh ? 1 : 1 / t->cwnd;
  tcp_find_lost (t, seq);
  t->timer = t->flight > 0 ? ra_later (now, ra_span (t->rto)) : RA_TIME_NONE;
}

static inline void
tcp_expire (Tcp *t, RaTime now)
{
  t->ssthresh = fmax (t->flight / 2., 2); /* RFC 5681 (4) */
  t->cwnd = 1;
  t->flight = 0;
  t->una = t->recover = t->next;
  t->rto = fmin (2 * t->rto, TCP_MAX_RTO); /* RFC 6298 5.5 */
  t->timer = RA_TIME_NONE;
}

static inline RaTime
tcp_next (const Tcp *t)
{
  RaTime due = t->n_heard < t->n_answers ? t->due[t->n_heard % TCP_RING]
                                         : RA_TIME_NONE;

  return MIN (due, t->timer);
}

/* All that is due; then tcp_may_send(). */
static inline void
tcp_run (Tcp *t, RaTime now)
{
  while (t->n_heard < t->n_answers && t->due[t->n_heard % TCP_RING] <= now)
    tcp_hear (t, t->answer[t->n_heard++ % TCP_RING], now);
  if (t->timer <= now)
    tcp_expire (t, now);
}
