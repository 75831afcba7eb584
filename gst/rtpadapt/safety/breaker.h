/* The four circuit breakers of RFC 8083: when must a sender stop?
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A breaker that trips on loss or delay first takes the LDA's word away (every
 * loss is congestion) and cuts the rate to a tenth (4.3, MAY), from where it may
 * rise by a quarter in each interval.  If one trips again after that had the time
 * to help, transmission ceases.  After a minute without cause the LDA is believed
 * again, and twice as long after each further trip, up to 16 min.  A path
 * that no longer answers or delivers (4.1, 4.2) has no rate that is right:
 * transmission ceases at once.
 *
 * It begins again when the user says so, or on "information that the congestion
 * has dissipated" (4.5).  A sender that is silent gets no report about packets,
 * so it sends some as probes: two per second at most, and only while RTCP comes
 * from the receiver.  After a timeout, one probe that arrives is enough.  After
 * loss or delay the sender first waits for a back-off time, and then the reports
 * on twenty probes have to show that the cause is gone.
 */
#pragma once

#include <gst/rtpadapt/safety/friendly.h>

G_BEGIN_DECLS

#define RA_BREAKER_TD (5 * RA_SECOND) /* RFC 8083 4.1, Tmin */
/* So long a breaker waits for an answer (4.1). */
#define RA_BREAKER_TIMEOUT (3 * RA_BREAKER_TD)

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

/* Behind an open breaker. */
typedef struct
{
  RaTime knocked; /* RTCP came last, RA_TIME_NONE: not yet */
  RaTime sent[2]; /* the latest probes, the older one first; RA_TIME_NONE */
  RaTime from;    /* no probe leaves earlier */
  guint n_sent;   /* probes that are judged together */
  guint reported, lost; /* how many of these were reported on, and as lost */
  RaSpan rtt;           /* the longest round trip of these */
} RaProbes;

typedef struct
{
  gboolean enabled;
  RaBreakerState state;
  RaBreakerTrip trip; /* what brought it there */

  RaTime last_heard;   /* any feedback; or the first packet, RA_TIME_NONE */
  RaTime last_sent;    /* RA_TIME_NONE: none */
  gboolean held;       /* another packet waits since then, for the pacer */
  gboolean delivered;  /* something, in this interval */
  guint n_undelivered; /* intervals without, in a row of those with packets */
  RaTime unusable;     /* since when, RA_TIME_NONE: it is usable */
  RaTime patience;     /* in FALLBACK: no second trip before */
  RaTime calm;      /* in FALLBACK: since then no interval gave cause for one */
  RaSpan probation; /* so long calm, and it closes */
  RaTime believed;  /* when that was, RA_TIME_NONE: never */
  guint64 bytes;    /* sent since interval_start */
  RaTime interval_start;

  RaProbes probes;
  RaSpan backoff; /* after the latest trip on loss or delay */
  RaTime resumed; /* when that ended, RA_TIME_NONE: not yet */
} RaBreaker;

/* "none", "rtcp-timeout", "media-timeout", "congestion", "usability". */
const gchar *ra_breaker_nick (RaBreakerTrip trip);
/* "closed", "fallback", "open". */
const gchar *ra_breaker_state_nick (RaBreakerState state);

void ra_breaker_init (RaBreaker *b, gboolean enabled);

/* A packet of `size` bytes was sent; `held`: only the pacer holds another one
 * back. */
void ra_breaker_on_sent (RaBreaker *b, guint size, gboolean held, RaTime now);
/* Feedback or a receiver report came; `delivered`: it reports a packet that
 * arrived and was not reported before. */
void ra_breaker_on_heard (RaBreaker *b, gboolean delivered, RaTime now);
/* An interval of `f`, the length of which is Tdr, ended: judges its rate, what
 * was delivered and whether it was usable.  `tf` is the frames' interval.
 * TRUE: one tripped. */
gboolean ra_breaker_on_interval (
    RaBreaker *b, const RaFriendly *f, RaSpan tf, RaTime now);
/* TRUE if it is open because nothing came back or arrived.  The outage takes all
 * packets then, so losses say nothing about the path that follows. */
gboolean ra_breaker_is_outage (const RaBreaker *b);
/* RTCP came, with any contents.  It allows probes while the breaker is open. */
void ra_breaker_on_knock (RaBreaker *b, RaTime now);
/* When the next probe may leave: `now` or later.  RA_TIME_NONE: none may. */
RaTime ra_breaker_next_probe (const RaBreaker *b, RaTime now);
/* A report on probes came; packets have `s` bytes on average.  TRUE: the path can
 * bear `rate`, bit/s, so the cause of the trip on loss or delay is gone. */
gboolean ra_breaker_on_probes (
    RaBreaker *b, const RaReport *report, gdouble s, guint64 rate);
/* Transmission begins again: RA_BREAKER_CLOSED after a timeout, else
 * RA_BREAKER_FALLBACK. */
void ra_breaker_resume (RaBreaker *b, const RaFriendly *f, RaTime now);
/* When ra_breaker_on_timeout() wants to run, or RA_TIME_NONE. */
RaTime ra_breaker_next_timeout (const RaBreaker *b);
/* TRUE: the state changed. */
gboolean ra_breaker_on_timeout (RaBreaker *b, RaTime now);

G_END_DECLS
