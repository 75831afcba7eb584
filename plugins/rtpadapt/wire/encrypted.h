/* Finds out that the other side encrypts, where no key is set here.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * SRTP looks like RTP, but SRTCP is not valid RTCP.  After the encrypted part
 * it has an index that grows by one per packet (RFC 3711 3.4).  No clock, no
 * lock: the caller has both.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* This many packets in a row show it.  One pair of random packets in 2^26 looks
 * the same, and a sender makes two reports within 5 s. */
#define ENCRYPTED_ENOUGH 2

/* The index is in one of two places: before the tag of HMAC-SHA1, or with GCM at
 * the end. */
#define ENCRYPTED_PLACES 2

/* Media and retransmissions take turns in RTCP. */
#define ENCRYPTED_SSRCS 2

typedef struct
{
  guint32 ssrc, index; /* of its last packet */
  guint n;             /* packets in a row that show it */
} EncryptedSource;

/* Zeroed memory is ready. */
typedef struct
{
  EncryptedSource place[ENCRYPTED_PLACES]
                       [ENCRYPTED_SSRCS]; /* the latest first */
  gboolean reported;                      /* that, so that it is said once */
} Encrypted;

/* A packet came that is neither RTP nor RTCP.  TRUE, once: these packets are SRTCP
 * or a DTLS handshake. */
gboolean encrypted_on_junk (Encrypted *e, const guint8 *data, gsize size);

#define ENCRYPTED_TEXT                                                     \
  "The packets that come are encrypted, but no key is set here: set key= " \
  "and cipher=, or dtls=true, as on the other side."

G_END_DECLS
