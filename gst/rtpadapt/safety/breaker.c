/* The four circuit breakers of RFC 8083.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <gst/rtpadapt/safety/breaker.h>

#include <math.h>

#define TD (5 * RA_SECOND) /* 4.1: "the fixed minimum interval of Tmin=5" */
#define K 5                /* 4.2 */
/* 4.4 leaves the bounds to the application.  More than half lost, or 3 s of
 * delay, is no video any more; tens of seconds of it are no accident. */
#define UNUSABLE_LOSS 0.5
#define UNUSABLE_TR (3 * RA_SECOND)
#define UNUSABLE_TIME (20 * RA_SECOND)

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
    .interval_start = RA_TIME_NONE };
}

void
ra_breaker_restart (RaBreaker *b)
{
  ra_breaker_init (b, b->enabled);
}

static gboolean
trip (RaBreaker *b, RaBreakerTrip why, RaBreakerState state)
{
  if (!b->enabled || state <= b->state)
    return FALSE;
  b->trip = why;
  b->state = state;
  return TRUE;
}

/* The source was, so that it could not be answered.  One that a controller slows
 * down to a packet in many seconds is not. */
static gboolean
is_silent (const RaBreaker *b, RaTime now)
{
  return !b->held && ra_diff (now, b->last_sent) > TD;
}

void
ra_breaker_on_sent (RaBreaker *b, guint size, gboolean held, RaTime now)
{
  if (b->last_heard == RA_TIME_NONE || is_silent (b, now))
    b->last_heard = now;
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

/* 4.2; counts the interval that ended. */
static gboolean
is_media_timeout (RaBreaker *b, const RaFriendly *f, RaSpan tf)
{
  RaSpan longest = MAX (MAX (tf, f->tr), f->tdr);
  /* ceil (k max (Tf, Tr, Tdr) / Tdr) */
  gdouble media_timeout = ceil (K * (gdouble) longest / (gdouble) f->tdr);

  b->n_undelivered = b->delivered ? 0 : b->n_undelivered + 1;
  b->delivered = FALSE;
  return b->n_undelivered >= media_timeout;
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

gboolean
ra_breaker_on_interval (
    RaBreaker *b, const RaFriendly *f, RaSpan tf, RaTime now)
{
  guint64 bps = rate_take (b, now);
  gboolean unusable = is_unusable (b, f, now);
  RaBreakerTrip why = ra_friendly_exceeded (f, bps) ? RA_BREAKER_CONGESTION
      : unusable                                    ? RA_BREAKER_USABILITY
                                                    : RA_BREAKER_NONE;

  if (is_media_timeout (b, f, tf))
    return trip (b, RA_BREAKER_MEDIA_TIMEOUT, RA_BREAKER_OPEN);
  if (why == RA_BREAKER_NONE)
    return FALSE;
  if (b->state == RA_BREAKER_FALLBACK)
    return now >= b->patience && trip (b, why, RA_BREAKER_OPEN);
  if (!trip (b, why, RA_BREAKER_FALLBACK))
    return FALSE;
  /* 4.3: "after the next CB_INTERVAL RTCP reporting intervals" */
  b->patience = ra_later (now, f->cb_interval * f->tdr);
  b->unusable = RA_TIME_NONE;
  return TRUE;
}

RaTime
ra_breaker_next_timeout (const RaBreaker *b)
{
  return !b->enabled || b->state == RA_BREAKER_OPEN
          || b->last_heard == RA_TIME_NONE
      ? RA_TIME_NONE
      : ra_later (b->last_heard, 3 * TD);
}

/* 4.1: data is being sent, and nothing comes back. */
gboolean
ra_breaker_on_timeout (RaBreaker *b, RaTime now)
{
  RaTime due = ra_breaker_next_timeout (b);

  if (due > now)
    return FALSE;
  /* Who comes so late slept, and neither sent nor could have heard. */
  if (b->held && ra_diff (now, due) > TD) {
    b->last_heard = now;
    return FALSE;
  }
  if (is_silent (b, now)) {
    b->last_heard = RA_TIME_NONE;
    return FALSE;
  }
  return trip (b, RA_BREAKER_RTCP_TIMEOUT, RA_BREAKER_OPEN);
}
