/* The datagrams of one handshake on their way out: which of them may leave now.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Without proof of its address a peer gets no more bytes than DTLS_AMPLIFY allows;
 * what is too much is held back until more came from it.  A client's first hello is
 * kept, so that it can be repeated.
 *
 * No clock, no lock: the caller has both, and sends what may leave.
 */
#pragma once

#include "dtlstry.h"

#include <gst/gst.h>

G_BEGIN_DECLS

/* More than two whole flights. */
#define DTLS_HELD_MAX 16
/* A server's first flight is four times as big as a hello (measured: 327 bytes, and
 * 1353 with a certificate of RSA 2048).  A client says each hello twice, so that
 * DTLS_AMPLIFY lets the server answer at once, whichever it heard first. */
#define DTLS_HELLOS 2

/* Zeroed memory is ready. */
typedef struct
{
  GQueue held;   /* (GstBuffer) that DTLS_AMPLIFY holds back */
  GQueue hello;  /* (GstBuffer) the first ClientHello of a client */
  gboolean said; /* `hello` is complete */
} DtlsFlight;

void dtls_flight_clear (DtlsFlight *f);

typedef struct
{
  gboolean client;
  gboolean
      bounded; /* by DTLS_AMPLIFY, which does not bind a client that sends to
                       the destination that the application set */
} DtlsFlightRules;

/* A datagram leaves (transfer full).  What may leave of it now, and of the hello
 * with it, is added to `leaves`.  FALSE: it is held back. */
gboolean dtls_flight_add (DtlsFlight *f, DtlsTry *t,
    const DtlsFlightRules *rules, GstBuffer *buffer, RaTime now,
    GQueue *leaves);
/* The oldest datagram that was held back, if it may leave now (transfer full), or
 * NULL. */
GstBuffer *dtls_flight_release (
    DtlsFlight *f, DtlsTry *t, const DtlsFlightRules *rules);
/* Adds the client's hello again, so many times. */
void dtls_flight_hello (DtlsFlight *f, DtlsTry *t, const DtlsFlightRules *rules,
    guint times, RaTime now, GQueue *leaves);

G_END_DECLS
