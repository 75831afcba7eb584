/* When a DTLS connection begins, is given up, or takes another one's place.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A new connection is always a try beside the current one.  It takes the place
 * when its handshake is complete:
 *   - at a client, which chose whom to speak to, at once;
 *   - at a server at once if the peer is known by its certificate, which is the
 *     wanted one or the one of the current peer, or if there is no current one;
 *   - else when the current peer has been silent for DTLS_SILENCE.
 *
 * No clock, no lock: the caller has both.
 */
#pragma once

#include <gst/rtpadapt/types.h>

#include <glib.h>

G_BEGIN_DECLS

/* Reports come at least every 0.1 s where there is feedback. */
#define DTLS_SILENCE RA_SECOND
/* A client that hears nothing although it sends. */
#define DTLS_DEAF (1500 * RA_MSECOND)
/* A client begins again no more often. */
#define DTLS_BEGIN_AGAIN RA_SECOND
/* A client repeats its hello so often until it can reply to the answer: a server
 * that comes late is to hear it soon, and one that may not send all of its
 * answer yet earns the rest by it. */
#define DTLS_HELLO_AGAIN (500 * RA_MSECOND)
/* A handshake takes two round trips, and losses double the library's timer.  A
 * server waits longer, so that a client that begins again is not alone. */
#define DTLS_PATIENCE (8 * RA_SECOND)
#define DTLS_ANSWERED (5 * RA_SECOND)
/* With an answer that may be a stranger's. */
#define DTLS_DOUBT (2 * RA_SECOND)
/* The library gives up by itself after some minutes. */
#define DTLS_UNANSWERED (60 * RA_SECOND)
/* A try that has not answered us makes room for another. */
#define DTLS_ROOM RA_SECOND
/* The same peer begins again: not more often. */
#define DTLS_RESTART (200 * RA_MSECOND)
/* Longer than that, and than a flight takes to arrive. */
#define DTLS_DRAIN (300 * RA_MSECOND)
/* RFC 9000 8.1 */
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
  gboolean proven;  /* the certificate is the wanted or the current one */
} DtlsTry;

/* The current connection. */
typedef struct
{
  RaTime heard; /* the last authentic packet, or the handshake */
  RaTime sent;  /* the last packet to it, or RA_TIME_NONE */
} DtlsCurrent;

/* So many bytes may leave for a peer that has not proved its address. */
gboolean dtls_try_may_send (const DtlsTry *t, gsize size);
/* `current` NULL: none. */
gboolean dtls_try_may_replace (
    const DtlsTry *t, const DtlsCurrent *current, gboolean client, RaTime now);
gboolean dtls_try_is_over (
    const DtlsTry *t, const DtlsCurrent *current, gboolean client, RaTime now);
/* A new hello of another peer may push it out. */
gboolean dtls_try_may_leave (const DtlsTry *t, RaTime now);
/* A new hello of the same peer may. */
gboolean dtls_try_may_restart (const DtlsTry *t, RaTime now);
/* A client's: nobody has answered so that it could reply, or somebody doubtful
 * has. */
gboolean dtls_try_says_hello (const DtlsTry *t, RaTime now);
/* A client's that has no try: to begin one.  `last` is when the last one
 * began. */
gboolean dtls_client_begins (
    const DtlsCurrent *current, RaTime last, RaTime now);

G_END_DECLS
