/* Datagrams of DTLS on their way to the thread that feeds the connections.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A flood of strangers' datagrams must not crowd out those of the peer.  So a
 * datagram that belongs to no connection is dropped at once.  Anybody can make up a
 * hello, so few hellos may wait.
 *
 * No lock: the caller has it.
 */
#pragma once

#include "dtlsrecords.h"

#include <gst/gst.h>

G_BEGIN_DECLS

/* How many datagrams may wait, and up to how many a hello may join them. */
#define DTLS_INPUT_MAX 256
#define DTLS_INPUT_HELLOS 16

/* Zeroed memory is ready. */
typedef struct
{
  GQueue queue; /* (GstBuffer) with the sender's address */
} DtlsInput;

/* Keeps the datagram.  `belongs`: a connection hears its sender.  FALSE: it has to be
 * dropped, and stays the caller's. */
gboolean dtls_input_push (
    DtlsInput *in, DtlsKind kind, gboolean belongs, GstBuffer *buffer);
/* The oldest one (transfer full), or NULL. */
GstBuffer *dtls_input_pop (DtlsInput *in);
gboolean dtls_input_is_empty (const DtlsInput *in);
void dtls_input_clear (DtlsInput *in);

G_END_DECLS
