/* Which datagrams may come to the DTLS library.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * dtlsdec (1.22) ends with an error when its library refuses a record, and what
 * the library refuses changes with its version.  So a datagram passes only if
 * all of it has the form that RFC 6347 4.1 gives to a record, and if a peer has
 * reason to say it.  Alerts that are not encrypted are dropped, because anybody
 * can forge them; our own timers end dead connections.
 *
 * No clock, no state.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

#define DTLS_RANDOM 32 /* bytes, RFC 5246 7.4.1.2 */

typedef enum
{
  DTLS_REFUSED, /* drop it */
  DTLS_SRTP,    /* SRTP or SRTCP (RFC 7983 7) */
  DTLS_HELLO,   /* begins with a ClientHello: a peer wants a new connection */
  DTLS_RECORDS  /* belongs to a connection that is there */
} DtlsKind;

/* `server`: we are the server, so datagrams come from a client.  `random` is
 * filled for DTLS_HELLO. */
DtlsKind dtls_records_kind (const guint8 *data, gsize size, gboolean server,
    guint8 random[DTLS_RANDOM]);

/* TRUE if a datagram that we made has any fragment of a ClientHello. */
gboolean dtls_records_is_hello (const guint8 *data, gsize size);
/* TRUE if a datagram that we made has the last fragment of a ClientHello.  dtlsenc
 * (1.22) makes several, because its library thinks that the path carries only 256
 * bytes. */
gboolean dtls_records_end_hello (const guint8 *data, gsize size);

G_END_DECLS
