/* The four circuit breakers of RFC 8083.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <gst/rtpadapt/safety/breaker.h>

#include <math.h>

#define K 5 /* 4.2 */
/* 4.4 leaves the bounds to the application.  More than half lost, or 3 s of
 * delay, is not video any more; tens of seconds of it do not happen by chance. */
#define UNUSABLE_LOSS 0.5
#define UNUSABLE_TR (3 * RA_SECOND)
#define UNUSABLE_TIME (20 * RA_SECOND)
#define EXCESS 10 /* 4.3 */
/* 4.5 lets the application decide how it begins again.  Two probes per second
 * take less than any audio stream does.  There are two because a receiver accepts
 * a new source only after two packets in a row (RFC 3550 A.1). */
#define PROBE_SPACING RA_SECOND
/* RTCP from the receiver allows probes for this long.  That is longer than the
 * longest regular reporting interval of two members, 1.5 * 5 s / 1.21828 (RFC
 * 3550 6.3.1). */
#define KNOCK_LASTS (7 * RA_SECOND)
/* 4.5: a flow that trips again and again is tried less often. */
#define BACKOFF (10 * RA_SECOND)
#define BACKOFF_MAX (16 * BACKOFF)
#define PROBES_MIN 20
/* A tunnel that takes half of all for 20 s says nothing about the rest of the way.  A
 * sender that the LDA deceives again is believed more rarely. */
#define PROBATION (60 * RA_SECOND)
#define PROBATION_MAX (16 * PROBATION)
/* Probes have to stay below each bound by this factor, because 20 packets measure
 * a loss rate only roughly. */
#define WELL_BELOW 2

const gchar *
ra_breaker_nick (RaBreakerTrip trip)
{
  static const gchar *const nicks[]
      = { "none", "rtcp-timeout", "media-timeout", "congestion", "usability" };

  return nicks[trip];
}

const gchar *
ra_breaker_state_nick (RaBreakerState state)
{
  static const gchar *const nicks[] = { "closed", "fallback", "open" };

  return nicks[state];
}

void
ra_breaker_init (RaBreaker *b, gboolean enabled)
{
  *b = (RaBreaker){ .enabled = enabled,
    .last_heard = RA_TIME_NONE,
    .last_sent = RA_TIME_NONE,
    .unusable = RA_TIME_NONE,
    .interval_start = RA_TIME_NONE,
    .resumed = RA_TIME_NONE,
    .believed = RA_TIME_NONE };
}

/* Forgets all earlier probes.  No probe may leave before `from`. */
static void
probes_begin (RaBreaker *b, RaTime from)
{
  b->probes = (RaProbes){ .knocked = RA_TIME_NONE,
    .sent = { RA_TIME_NONE, RA_TIME_NONE },
    .from = from };
}

static gboolean
is_timeout (const RaBreaker *b)
{
  return b->trip == RA_BREAKER_RTCP_TIMEOUT
      || b->trip == RA_BREAKER_MEDIA_TIMEOUT;
}

/* How long no probe may leave after a trip on loss or delay. */
static RaSpan
backoff (RaBreaker *b, RaTime now)
{
  gboolean soon
      = b->resumed != RA_TIME_NONE && ra_diff (now, b->resumed) < BACKOFF_MAX;

  b->backoff = soon ? MIN (2 * b->backoff, BACKOFF_MAX) : BACKOFF;
  return b->backoff;
}

/* How long all has to be well after a trip before the LDA is believed again. */
static void
probation_begin (RaBreaker *b, RaTime now)
{
  gboolean soon = b->believed != RA_TIME_NONE
      && ra_diff (now, b->believed) < PROBATION_MAX;

  b->probation = soon ? MIN (2 * b->probation, PROBATION_MAX) : PROBATION;
}

static gboolean
trip (RaBreaker *b, RaBreakerTrip why, RaBreakerState state, RaTime now)
{
  if (!b->enabled || state <= b->state)
    return FALSE;
  b->trip = why;
  b->state = state;
  if (state == RA_BREAKER_FALLBACK)
    probation_begin (b, now);
  if (state == RA_BREAKER_OPEN)
    probes_begin (b, is_timeout (b) ? 0 : ra_later (now, backoff (b, now)));
  return TRUE;
}

/* TRUE: the source sent nothing for so long that nobody could answer.  A source that a
 * controller slows down to a packet in many seconds is not silent. */
static gboolean
is_silent (const RaBreaker *b, RaTime now)
{
  return !b->held && ra_diff (now, b->last_sent) > RA_BREAKER_TD;
}

void
ra_breaker_on_sent (RaBreaker *b, guint size, gboolean held, RaTime now)
{
  if (b->last_heard == RA_TIME_NONE
      || is_silent (b, now)
      /* the clock has gone back */
      || ra_diff (b->last_heard, now) > RA_BREAKER_TD)
    b->last_heard = now;
  if (b->state == RA_BREAKER_OPEN) {
    b->probes.sent[0] = b->probes.sent[1];
    b->probes.sent[1] = now;
    b->probes.n_sent++;
  }
  b->held = held;
  if (b->interval_start == RA_TIME_NONE)
    b->interval_start = now;
  b->last_sent = now;
  b->bytes += size;
}

void
ra_breaker_on_heard (RaBreaker *b, gboolean delivered, RaTime now)
{
  b->last_heard = now;
  b->delivered |= delivered;
}

/* 4.2: packets are sent, and none arrives; counts the interval that ended.  One in
 * which nothing was `sent` shows nothing.  It does not end the row, because a source
 * may send a packet every few seconds. */
static gboolean
is_media_timeout (RaBreaker *b, const RaFriendly *f, RaSpan tf, gboolean sent)
{
  RaSpan longest = MAX (MAX (tf, f->tr), f->tdr);
  /* ceil (k max (Tf, Tr, Tdr) / Tdr) */
  gdouble media_timeout = ceil (K * (gdouble) longest / (gdouble) f->tdr);

  if (b->delivered)
    b->n_undelivered = 0;
  else if (sent)
    b->n_undelivered++;
  b->delivered = FALSE;
  return sent && b->n_undelivered >= media_timeout;
}

/* In the interval that ended, bit/s. */
static guint64
rate_take (RaBreaker *b, RaTime now)
{
  RaSpan span = b->interval_start == RA_TIME_NONE
      ? 0
      : ra_diff (now, b->interval_start);
  gdouble rate = span > 0 ? (gdouble) b->bytes / ra_seconds (span) : 0;

  b->bytes = 0;
  b->interval_start = now;
  return ra_bits (rate);
}

static gboolean
is_unusable (RaBreaker *b, const RaFriendly *f, RaTime now)
{
  if (f->gone <= UNUSABLE_LOSS && f->tr <= UNUSABLE_TR)
    b->unusable = RA_TIME_NONE;
  else if (b->unusable == RA_TIME_NONE)
    b->unusable = now;
  return b->unusable != RA_TIME_NONE
      && ra_diff (now, b->unusable) >= UNUSABLE_TIME;
}

static void
fallback_begin (RaBreaker *b, const RaFriendly *f, RaTime now)
{
  /* 4.3: "after the next CB_INTERVAL RTCP reporting intervals" */
  b->patience = ra_later (now, f->cb_interval * f->tdr);
  b->calm = now;
  b->unusable = RA_TIME_NONE;
}

/* An interval in FALLBACK ended.  It was no calm one with a `cause` to trip again, or where
 * nothing was sent, which shows nothing. */
static void
calm_down (RaBreaker *b, gboolean cause, RaTime now)
{
  if (cause || b->unusable != RA_TIME_NONE || now < b->calm)
    b->calm = now; /* or the clock has gone back */
  if (ra_diff (now, b->calm) < b->probation)
    return;
  b->state = RA_BREAKER_CLOSED;
  b->trip = RA_BREAKER_NONE;
  b->believed = now;
}

gboolean
ra_breaker_on_interval (
    RaBreaker *b, const RaFriendly *f, RaSpan tf, RaTime now)
{
  gboolean sent = b->bytes > 0;
  guint64 bps = rate_take (b, now);
  gboolean unusable = is_unusable (b, f, now);
  RaBreakerTrip why = ra_friendly_exceeded (f, bps) ? RA_BREAKER_CONGESTION
      : unusable                                    ? RA_BREAKER_USABILITY
                                                    : RA_BREAKER_NONE;

  if (is_media_timeout (b, f, tf, sent))
    return trip (b, RA_BREAKER_MEDIA_TIMEOUT, RA_BREAKER_OPEN, now);
  if (b->state == RA_BREAKER_FALLBACK)
    calm_down (b, why != RA_BREAKER_NONE || !sent, now);
  if (why == RA_BREAKER_NONE)
    return FALSE;
  if (b->state == RA_BREAKER_FALLBACK)
    return now >= b->patience && trip (b, why, RA_BREAKER_OPEN, now);
  if (!trip (b, why, RA_BREAKER_FALLBACK, now))
    return FALSE;
  fallback_begin (b, f, now);
  return TRUE;
}

/* --- behind an open breaker ---------------------------------------------- */

gboolean
ra_breaker_is_outage (const RaBreaker *b)
{
  return b->state == RA_BREAKER_OPEN && is_timeout (b);
}

void
ra_breaker_on_knock (RaBreaker *b, RaTime now)
{
  if (b->state != RA_BREAKER_OPEN)
    return;
  b->probes.knocked = now;
  if (!is_timeout (b)) /* the clock may have gone back */
    b->probes.from = MIN (b->probes.from, ra_later (now, b->backoff));
}

RaTime
ra_breaker_next_probe (const RaBreaker *b, RaTime now)
{
  const RaProbes *p = &b->probes;
  RaTime t = MAX (p->from, now);

  if (b->state != RA_BREAKER_OPEN || p->knocked == RA_TIME_NONE)
    return RA_TIME_NONE;
  if (p->sent[0] <= now) /* the clock may have gone back */
    t = MAX (t, ra_later (p->sent[0], PROBE_SPACING));
  return ra_diff (t, p->knocked) <= KNOCK_LASTS ? t : RA_TIME_NONE;
}

gboolean
ra_breaker_on_probes (
    RaBreaker *b, const RaReport *report, gdouble s, guint64 rate)
{
  RaProbes *p = &b->probes;
  guint lost = report->lost_congestion + report->lost_wireless;
  guint reported = MIN (MAX (report->expected, lost), p->n_sent - p->reported);
  gdouble part;

  if (is_timeout (b))
    return FALSE;
  p->reported += reported;
  p->lost += MIN (lost, reported);
  p->rtt = MAX (p->rtt, report->rtt);
  if (p->reported < PROBES_MIN)
    return FALSE;
  part = (gdouble) p->lost / p->reported;
  if (part <= UNUSABLE_LOSS / WELL_BELOW && p->rtt <= UNUSABLE_TR / WELL_BELOW
      && ra_bytes (rate)
          <= EXCESS / WELL_BELOW * ra_friendly_x (s, p->rtt, part))
    return TRUE;
  p->n_sent = p->reported = p->lost = 0; /* judge the next twenty alone */
  p->rtt = 0;
  return FALSE;
}

void
ra_breaker_resume (RaBreaker *b, const RaFriendly *f, RaTime now)
{
  gboolean timeout = is_timeout (b);

  b->state = timeout ? RA_BREAKER_CLOSED : RA_BREAKER_FALLBACK;
  b->last_heard = now;
  b->n_undelivered = 0;
  b->delivered = TRUE;
  b->bytes = 0;
  b->interval_start = now;
  if (timeout) {
    b->trip = RA_BREAKER_NONE;
    b->unusable = RA_TIME_NONE;
  } else {
    b->resumed = now;
    fallback_begin (b, f, now);
  }
}

RaTime
ra_breaker_next_timeout (const RaBreaker *b)
{
  return !b->enabled || b->state == RA_BREAKER_OPEN
          || b->last_heard == RA_TIME_NONE
      ? RA_TIME_NONE
      : ra_later (b->last_heard, RA_BREAKER_TIMEOUT);
}

/* 4.1: data is being sent, and nothing comes back. */
gboolean
ra_breaker_on_timeout (RaBreaker *b, RaTime now)
{
  RaTime due = ra_breaker_next_timeout (b);

  if (due > now)
    return FALSE;
  /* If the timer expires much too late, the process slept: it could neither send nor
   * hear.  Wait once more, and do not trip. */
  if (b->held && ra_diff (now, due) > RA_BREAKER_TD) {
    b->last_heard = now;
    return FALSE;
  }
  if (is_silent (b, now)) {
    b->last_heard = RA_TIME_NONE;
    return FALSE;
  }
  return trip (b, RA_BREAKER_RTCP_TIMEOUT, RA_BREAKER_OPEN, now);
}
