/* SRTP with a key, at the pads of both bins' UDP elements.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What leaves is encrypted before it comes to a UDP sink, and what comes is
 * decrypted as it leaves a UDP source, in place: so RTP and RTCP stay together
 * on one port, the key is in no property and no caps, and nothing is kept of
 * what is not authentic (unprotect.h).  A receiver asks whoever is new whether it
 * is alive (replayguard.h), and holds back its packets till it says so.
 */
#pragma once

#include "secure.h"

G_BEGIN_DECLS

typedef struct _SecureSrtp SecureSrtp;

/* `receiver`: of a receiver, which answers no questions.  `guard`: it refuses who
 * does not answer.  NULL: libsrtp does not know the cipher.  (transfer full):
 * secure_srtp_free(), when nothing flows any more. */
SecureSrtp *secure_srtp_new (GstElement *bin, GBytes *key,
    GstRtpAdaptCipher cipher, gboolean receiver, gboolean guard);
void secure_srtp_free (SecureSrtp *x);

/* As secure_answer_by(). */
void secure_srtp_answer_by (SecureSrtp *x, GSocket *socket,
    gboolean rtcp_port_next, GSocketAddress *group);

/* Encrypts what comes to the sink pad of a UDP sink. */
void secure_srtp_out (SecureSrtp *x, GstPad *sink);
/* Decrypts what leaves by the source pad of a UDP source. */
void secure_srtp_in (SecureSrtp *x, GstPad *src);

typedef struct
{
  guint64 received, dropped; /* packets */
  guint64 unproven;          /* of `dropped`: authentic, but perhaps recorded */
  guint64 unsent;            /* of ours, that could not be encrypted */
  guint streams;             /* that are authentic */
} SecureSrtpStats;
void secure_srtp_get_stats (SecureSrtp *x, SecureSrtpStats *stats);

G_END_DECLS
