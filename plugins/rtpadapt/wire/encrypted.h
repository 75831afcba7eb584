/* Telling that the other side encrypts, where no key is set here.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * SRTP looks like RTP, but SRTCP is no valid RTCP, and behind what is encrypted
 * it has a number that goes up by one (RFC 3711 3.4).  No clock, no lock: the
 * caller has both.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Packets in a row that show it: of noise one pair in 2^26 does, and a sender
 * makes two reports within 5 s. */
#define ENCRYPTED_ENOUGH 2

/* Behind the number, which is in one of two places, is the tag of HMAC-SHA1, or
 * nothing with GCM. */
#define ENCRYPTED_PLACES 2

/* Zeroed memory is ready. */
typedef struct
{
  struct
  {
    guint32 ssrc, index; /* of the last one */
    guint n;             /* that show it, one after the other */
  } place[ENCRYPTED_PLACES];
  gboolean told;
} Encrypted;

/* A packet that is neither RTP nor RTCP.  TRUE, once: they are SRTCP, or a DTLS
 * handshake. */
gboolean encrypted_on_junk (Encrypted *e, const guint8 *data, gsize size);

#define ENCRYPTED_TEXT                                                      \
  "What comes is encrypted, and no key is set here: set key= and cipher=, " \
  "or dtls=true, as on the other side."

G_END_DECLS
