/* When a DTLS connection begins, is given up, or takes another one's place.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A new connection is always a try while the current one goes on.  When its
 * handshake is complete it takes the place of the current one
 *   - at once at a client, which chose its peer;
 *   - at once at a server without a current connection, or if the peer's
 *     certificate is the wanted one or that of the current peer;
 *   - else when the current peer has been silent for DTLS_SILENCE.
 *
 * No clock, no lock: the caller has both.
 */
#pragma once

#include <gst/rtpadapt/types.h>

#include <glib.h>

G_BEGIN_DECLS

/* A peer that is silent for this long may be replaced.  Reports come at least
 * every 0.1 s where there is feedback. */
#define DTLS_SILENCE RA_SECOND
/* A client that hears nothing for this long although it sends tries again. */
#define DTLS_DEAF (1500 * RA_MSECOND)
/* A client begins a new try no more often. */
#define DTLS_BEGIN_AGAIN RA_SECOND
/* A client repeats its hello this often until it can reply to the answer.  A server
 * that comes late hears it soon, and one that may not send all of its answer yet
 * earns the rest by it. */
#define DTLS_HELLO_AGAIN (500 * RA_MSECOND)
/* How long a handshake may take at a server, and at a client after the first
 * answer.  It takes two round trips, and losses double the library's timer.  The
 * server waits longer, so that it is still there when the client tries again. */
#define DTLS_PATIENCE (8 * RA_SECOND)
#define DTLS_ANSWERED (5 * RA_SECOND)
/* The same at a client if the answer may be a stranger's. */
#define DTLS_DOUBT (2 * RA_SECOND)
/* How long a client waits for an answer.  The library gives up after some minutes. */
#define DTLS_UNANSWERED (60 * RA_SECOND)
/* A connection that hears no new SSRC ends after this silence: its peer may have a new
 * one.  The next one is as open to strangers' SSRCs, so a stream that runs keeps this
 * one over an outage of some seconds. */
#define DTLS_FULL (10 * RA_SECOND)
/* A try that is not complete after this long may make room for another. */
#define DTLS_ROOM RA_SECOND
/* A peer may begin again no more often. */
#define DTLS_RESTART (200 * RA_MSECOND)
/* Datagrams for an old try have all arrived after this long: longer than
 * DTLS_RESTART, and than a flight takes. */
#define DTLS_DRAIN (300 * RA_MSECOND)
/* A peer that has not proved its address gets this many times the bytes that came
 * from it, as in RFC 9000 8.1. */
#define DTLS_AMPLIFY 3

typedef struct
{
  RaTime begun;
  RaTime heard;     /* the first record of the peer, or RA_TIME_NONE */
  RaTime hello;     /* a client: the last time it said hello */
  guint64 in, out;  /* bytes of its handshake */
  gboolean replied; /* a client: it said more than hello */
  gboolean keyed;   /* the handshake is complete */
  gboolean failed;  /* the library gave it up, or the certificate is wrong */
  gboolean dubious; /* a client: the answer is not from the destination */
  gboolean rival;  /* a client that learns its peer: another sender was heard */
  gboolean proven; /* the certificate is the wanted or the current one */
} DtlsTry;

/* The current connection. */
typedef struct
{
  RaTime heard;  /* the last authentic packet, or the handshake */
  RaTime sent;   /* the last packet to it, or RA_TIME_NONE */
  gboolean full; /* it hears no new SSRC any more */
} DtlsCurrent;

/* TRUE if `size` more bytes may leave: see DTLS_AMPLIFY. */
gboolean dtls_try_may_send (const DtlsTry *t, gsize size);
/* TRUE if it takes the place of `current`, or is given up.  `current` NULL: there
 * is none. */
gboolean dtls_try_may_replace (
    const DtlsTry *t, const DtlsCurrent *current, gboolean client, RaTime now);
gboolean dtls_try_is_over (
    const DtlsTry *t, const DtlsCurrent *current, gboolean client, RaTime now);
/* TRUE if it is given up, whatever comes next. */
gboolean dtls_current_is_over (const DtlsCurrent *current, RaTime now);
/* TRUE if the hello of another peer may take its place. */
gboolean dtls_try_may_leave (const DtlsTry *t, RaTime now);
/* TRUE if a new hello of the same peer may take its place. */
gboolean dtls_try_may_restart (const DtlsTry *t, RaTime now);
/* TRUE if a client has to repeat its hello: it has had no answer that it could
 * reply to, or the answer is dubious. */
gboolean dtls_try_says_hello (const DtlsTry *t, RaTime now);
/* TRUE if a client that has no try has to begin one.  `last` is when the last one
 * began. */
gboolean dtls_client_begins (
    const DtlsCurrent *current, RaTime last, RaTime now);

G_END_DECLS
