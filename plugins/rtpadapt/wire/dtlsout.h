/* Sends the datagrams of handshakes to the peer of the handshake.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "dtlslink.h"

G_BEGIN_DECLS

typedef struct
{
  GMutex *lock; /* the owner's, which guards its connections and what follows */
  GstPad *pad;  /* where the UDP sink alone knows the address; not owned */
  gboolean client;
  GSocket *socket; /* or NULL */
  guint64 held;    /* datagrams that DTLS_AMPLIFY held back */
} DtlsOutbox;

/* The lock is held for neither of these. */
/* A datagram of a handshake leaves, see DtlsLinkFuncs.  `buffer` (transfer full). */
void dtls_out_leaves (DtlsOutbox *o, DtlsLink *link, GstBuffer *buffer);
/* Sends the datagrams that were held back, as far as they may leave now. */
void dtls_out_release (DtlsOutbox *o, DtlsLink *link);
/* Repeats the client's hello. */
void dtls_out_hello (DtlsOutbox *o, DtlsLink *link);

G_END_DECLS
