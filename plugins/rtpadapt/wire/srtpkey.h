/* Hands a key and a cipher to libsrtp.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "secure.h"

#include <srtp2/srtp.h>

G_BEGIN_DECLS

/* Bytes of memory for encrypting or decrypting a packet (RFC 768: a datagram has no
 * more than 65,507 bytes of payload). */
#define SRTP_KEY_WORK (65536 + SRTP_MAX_TRAILER_LEN + 4)

/* A packet may be overtaken by so many others (RFC 3711 3.3.2). */
#define SRTP_KEY_WINDOW 1024

/* A session of `type`, which is for `ssrc` if it is ssrc_specific; NULL if libsrtp
 * does not know the cipher.  `key` has secure_key_size() bytes.
 * (transfer full): srtp_dealloc(). */
srtp_t srtp_key_session (
    GBytes *key, GstRtpAdaptCipher cipher, srtp_ssrc_type_t type, guint32 ssrc);

/* Bytes that SRTP adds to a packet of RTP (RFC 3711 5.2, RFC 7714 5). */
gsize srtp_key_tag (GstRtpAdaptCipher cipher);

G_END_DECLS
