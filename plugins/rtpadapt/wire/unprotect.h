/* Decryption of SRTP and SRTCP by one key, whoever sends.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Nothing is kept of a packet that is not authentic: somebody who makes up SSRCs
 * costs one message authentication code per packet and no memory.  The streams
 * that are authentic have UNPROTECT_STREAMS places; a new one takes that of the
 * most silent one.
 *
 * The roll-over counter of a stream (RFC 3711 3.3.1) is not in its packets.  A
 * receiver that starts late, or that heard nothing for half a wrap or more, has
 * to find it: the counters are tried one after the other, of a stream that an
 * authentic SRTCP packet named (whose index is in the packet) up to any, with a
 * sender report's packet count as a hint, of others only the first few.  Tries
 * are limited per second.
 *
 * No clock, no lock: the caller has both.
 */
#pragma once

#include "secure.h"

#include <gst/rtpadapt/types.h>

G_BEGIN_DECLS

/* More than the streams of a peer with its repair streams and some restarts. */
#define UNPROTECT_STREAMS 64
/* Counters tried per second, each for one packet: of streams that are known, and
 * of others.  A try costs about 2 us. */
#define UNPROTECT_TRIES 2000
#define UNPROTECT_TRIES_UNKNOWN 1000
/* For one packet. */
#define UNPROTECT_AT_ONCE 16
#define UNPROTECT_AT_ONCE_UNKNOWN 7
/* A stream whose counter is doubted: one that nothing authentic came of for so
 * long; RFC 3711's guess is right till 32,768 packets are missing. */
#define UNPROTECT_SILENCE RA_SECOND
/* The search begins anew after so many counters: 2^30 packets. */
#define UNPROTECT_ROCS 16384

typedef enum
{
  UNPROTECT_OK,
  UNPROTECT_MALFORMED, /* no SRTP, no SRTCP */
  UNPROTECT_FORGED,    /* it does not authenticate */
  UNPROTECT_REPLAYED,  /* it came before, or is too old to tell */
} UnprotectResult;

typedef struct _Unprotect Unprotect;

/* NULL: libsrtp does not know the cipher.  (transfer full):
 * unprotect_free(), which takes NULL, too. */
Unprotect *unprotect_new (GBytes *key, GstRtpAdaptCipher cipher);
void unprotect_free (Unprotect *u);

/* A packet of `*size` bytes becomes RTP or RTCP in place; else it stays as it
 * is. */
UnprotectResult unprotect_packet (
    Unprotect *u, guint8 *data, gsize *size, RaTime now);

/* That stream shall not lose its place to one of which this was not said. */
void unprotect_keep (Unprotect *u, guint32 ssrc);

guint unprotect_n_streams (const Unprotect *u);

G_END_DECLS
