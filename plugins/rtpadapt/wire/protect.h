/* Encryption of RTP and RTCP by one key.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * No lock: the caller has it.
 */
#pragma once

#include "secure.h"

G_BEGIN_DECLS

/* How many of our SSRCs are remembered.  One sender has fewer streams, even with
 * their repair streams. */
#define PROTECT_SSRCS 32
/* The most bytes by which a packet grows (RFC 3711 3.1, 3.4; RFC 7714 5). */
#define PROTECT_TRAILER 20

typedef struct _Protect Protect;

/* NULL: libsrtp does not know the cipher.  (transfer full):
 * protect_free(), which takes NULL, too. */
Protect *protect_new (GBytes *key, GstRtpAdaptCipher cipher);
void protect_free (Protect *p);

/* Turns a packet of RTP or RTCP into SRTP or SRTCP in place; `*size` grows by no
 * more than PROTECT_TRAILER.  FALSE: it may not be sent, because it is malformed
 * or its number was used before. */
gboolean protect_packet (Protect *p, guint8 *data, gsize *size);

/* A new run begins, if this is the same key: else FALSE.  The counters of all SSRCs
 * of the last run go on, because no part of a key stream may be used twice (RFC 3711
 * 9.1). */
gboolean protect_goes_on (Protect *p, GBytes *key, GstRtpAdaptCipher cipher);

/* TRUE: a packet was refused because its SSRC has used the key up.  RFC 3711 9.2: after
 * 2^48 packets of SRTP or 2^31 of SRTCP. */
gboolean protect_is_spent (const Protect *p);

/* The SSRCs whose RTP or RTCP was encrypted in this run, the last PROTECT_SSRCS of
 * them. */
const guint32 *protect_ssrcs (const Protect *p, guint *n);

G_END_DECLS
