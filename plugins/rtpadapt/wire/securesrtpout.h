/* Encrypts what leaves with a key, and says where questions and answers go.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * No lock: the caller has it.
 */
#pragma once

#include "protect.h"
#include "replayguard.h"

#include <gio/gio.h>

G_BEGIN_DECLS

/* Bytes of the longest answer or question, with room to encrypt it. */
#define SRTP_OUT_SAYING \
  (8 + RA_XR_DLRR_SIZE (1) * PROTECT_SSRCS + PROTECT_TRAILER)

typedef struct
{
  Protect *protect; /* owned */
  GSocket *socket;  /* or NULL */
  gboolean rtcp_port_next;
  GSocketAddress *group; /* or NULL */
  guint64 unsent;        /* packets that could not be encrypted */
  gboolean warned;       /* that the key is used up */
} SrtpOut;

/* See secure_answer_by(). */
void srtp_out_answer_by (SrtpOut *out, GSocket *socket, gboolean rtcp_port_next,
    GSocketAddress *group);
void srtp_out_clear (SrtpOut *out);

/* Encrypts a packet in place.  `data` has room for PROTECT_TRAILER more bytes.
 * FALSE: it may not be sent. */
gboolean srtp_out_encrypt (SrtpOut *out, guint8 *data, gsize *size);
/* TRUE once when the key is used up. */
gboolean srtp_out_warns (SrtpOut *out);
/* The same for a question or an answer, which may be lost.  Returns the socket that
 * it leaves by (transfer full), or NULL: it may not be sent. */
GSocket *srtp_out_say (SrtpOut *out, guint8 *data, gsize *size);

/* Where a question goes about a packet from `from`.  (transfer full) */
GSocketAddress *srtp_out_ask_at (
    const SrtpOut *out, GSocketAddress *from, gboolean rtcp);
/* Writes the answer to a question from `from`, which may be NULL, and returns where
 * it goes (transfer full); NULL: it has to stay unanswered. */
GSocketAddress *srtp_out_answer (const SrtpOut *out, GSocketAddress *from,
    const RaXrItem *asked, guint8 data[SRTP_OUT_SAYING], gsize *size);

G_END_DECLS
