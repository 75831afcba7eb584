/* The four circuit breakers of RFC 8083: when must a sender stop?
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A breaker that trips on loss or delay first takes the LDA's word away (every
 * loss is congestion from then on) and cuts the rate to a tenth (4.3, MAY); if
 * one trips again after that had the time to help, transmission ceases.  A path
 * that no longer answers or delivers (4.1, 4.2) has no rate that is right:
 * transmission ceases at once.  It begins again only when the user says so
 * (4.5).
 */
#pragma once

#include <gst/rtpadapt/safety/friendly.h>

G_BEGIN_DECLS

typedef enum
{
  RA_BREAKER_NONE,
  RA_BREAKER_RTCP_TIMEOUT,  /* 4.1 */
  RA_BREAKER_MEDIA_TIMEOUT, /* 4.2 */
  RA_BREAKER_CONGESTION,    /* 4.3 */
  RA_BREAKER_USABILITY,     /* 4.4 */
} RaBreakerTrip;

typedef enum
{
  RA_BREAKER_CLOSED,   /* all is well */
  RA_BREAKER_FALLBACK, /* every loss is congestion, a tenth of the rate */
  RA_BREAKER_OPEN,     /* nothing is sent */
} RaBreakerState;

typedef struct
{
  gboolean enabled;
  RaBreakerState state;
  RaBreakerTrip trip; /* what brought it there */

  RaTime last_heard;   /* any feedback; or the first packet, RA_TIME_NONE */
  RaTime last_sent;    /* RA_TIME_NONE: none */
  gboolean held;       /* another packet waits since then, for the pacer */
  gboolean delivered;  /* something, in this interval */
  guint n_undelivered; /* intervals in a row without */
  RaTime unusable;     /* since when, RA_TIME_NONE: it is usable */
  RaTime patience;     /* in FALLBACK: no second trip before */
  guint64 bytes;       /* sent since interval_start */
  RaTime interval_start;
} RaBreaker;

/* "none", "rtcp-timeout", "media-timeout", "congestion", "usability". */
const gchar *ra_breaker_nick (RaBreakerTrip trip);
/* "closed", "fallback", "open". */
const gchar *ra_breaker_state_nick (RaBreakerState state);

void ra_breaker_init (RaBreaker *b, gboolean enabled);
/* The user wants to try again: as after ra_breaker_init(). */
void ra_breaker_restart (RaBreaker *b);

/* A packet of `size` bytes was sent; `held`: only the pacer holds another one
 * back. */
void ra_breaker_on_sent (RaBreaker *b, guint size, gboolean held, RaTime now);
/* Feedback or a receiver report came; `delivered`: it tells of a packet that
 * arrived and was not told of before. */
void ra_breaker_on_heard (RaBreaker *b, gboolean delivered, RaTime now);
/* An interval of `f`, the length of which is Tdr, ended: judges its rate, what
 * was delivered and whether it was usable.  `tf` is the frames' interval.
 * TRUE: the state changed. */
gboolean ra_breaker_on_interval (
    RaBreaker *b, const RaFriendly *f, RaSpan tf, RaTime now);
/* When ra_breaker_on_timeout() wants to run, or RA_TIME_NONE. */
RaTime ra_breaker_next_timeout (const RaBreaker *b);
/* TRUE: the state changed. */
gboolean ra_breaker_on_timeout (RaBreaker *b, RaTime now);

G_END_DECLS
