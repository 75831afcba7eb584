/* SRTP with a key, at the pads of both bins' UDP elements.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Packets are encrypted before they reach a UDP sink, and decrypted when they leave
 * a UDP source.  So RTP and RTCP can share one port, the key is in no property of an
 * element and in no caps, and nothing is kept of packets that are not authentic
 * (unprotect.h).  A receiver asks each new sender whether it is alive
 * (replayguard.h), and holds back its packets until the answer comes.
 */
#pragma once

#include "secure.h"

G_BEGIN_DECLS

typedef struct _SecureSrtp SecureSrtp;

/* FALSE: this build has no libsrtp2, and secure_srtp_new() returns NULL. */
gboolean secure_srtp_is_built (void);

/* `receiver`: it is for a receiver, which answers no questions.  `guard`: it refuses
 * senders that do not answer.  `before` (transfer full): one that was stopped, whose
 * counters go on if the key is the same, or NULL.  NULL: libsrtp does not know the
 * cipher.  (transfer full): secure_srtp_free(). */
SecureSrtp *secure_srtp_new (GstElement *bin, GBytes *key,
    GstRtpAdaptCipher cipher, gboolean receiver, gboolean guard,
    SecureSrtp *before);
/* Leaves the pads and the socket, when no packets flow any more. */
void secure_srtp_stop (SecureSrtp *x);
void secure_srtp_free (SecureSrtp *x);

/* See secure_answer_by(). */
void secure_srtp_answer_by (SecureSrtp *x, GSocket *socket,
    gboolean rtcp_port_next, GSocketAddress *group);

/* Encrypts the packets that come to the sink pad of a UDP sink. */
void secure_srtp_out (SecureSrtp *x, GstPad *sink);
/* Decrypts the packets that leave by the source pad of a UDP source. */
void secure_srtp_in (SecureSrtp *x, GstPad *src);

typedef struct
{
  guint64 received, dropped; /* packets */
  guint64 unproven;          /* of `dropped`: authentic, but perhaps recorded */
  guint64 unsent;            /* our packets that could not be encrypted */
  guint streams;             /* SSRCs that were authentic */
} SecureSrtpStats;
void secure_srtp_get_stats (SecureSrtp *x, SecureSrtpStats *stats);

G_END_DECLS
