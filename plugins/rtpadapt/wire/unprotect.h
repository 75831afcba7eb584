/* Decryption of SRTP and SRTCP by one key, for all senders.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Nothing is kept of a packet that is not authentic: a flood of made-up SSRCs costs
 * one message authentication code per packet and no memory.  There are
 * UNPROTECT_STREAMS places for authentic streams; a new one takes the place of the
 * one that has been silent for longest.
 *
 * The roll-over counter of a stream (RFC 3711 3.3.1) is not in its packets.  A
 * receiver that starts late, or that heard nothing for half a wrap or more, has
 * to find it, and tries one counter after the other.  It tries all counters for a
 * stream of which an authentic SRTCP packet came (which carries its index), with
 * the packet count of a sender report as a hint.  For other streams it tries only
 * the first few.  The number of tries per second is limited.
 *
 * No clock, no lock: the caller has both.
 */
#pragma once

#include "secure.h"

#include <gst/rtpadapt/types.h>

G_BEGIN_DECLS

/* A peer has fewer streams, with its repair streams and some restarts. */
#define UNPROTECT_STREAMS 64
/* Counters that are tried per second for streams that are known, and for others.
 * A try takes about 2 us. */
#define UNPROTECT_TRIES 2000
#define UNPROTECT_TRIES_UNKNOWN 1000
/* The same for one packet. */
#define UNPROTECT_AT_ONCE 16
#define UNPROTECT_AT_ONCE_UNKNOWN 7
/* The counter of a stream is doubted after this long without an authentic packet.
 * The guess of RFC 3711 is right as long as fewer than 32,768 packets are missing. */
#define UNPROTECT_SILENCE RA_SECOND
/* The search starts again after so many counters: 2^30 packets. */
#define UNPROTECT_ROCS 16384

/* A stream is stuck if so many of its packets were refused, and none was authentic for
 * so long.  The path repeats fewer packets after a stream has ended. */
#define UNPROTECT_STUCK 20
#define UNPROTECT_STUCK_TIME (2 * RA_SECOND)

typedef enum
{
  UNPROTECT_OK,
  UNPROTECT_MALFORMED, /* no SRTP, no SRTCP */
  UNPROTECT_FORGED,    /* it does not authenticate */
  UNPROTECT_REPLAYED,  /* it came before, or is so old that nobody knows */
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

/* Keeps the place of that stream as long as there are others that need not be
 * kept. */
void unprotect_keep (Unprotect *u, guint32 ssrc);

/* TRUE: packets of RTP with that SSRC were authentic once, and all that come now are
 * refused.  Their numbers are old ones: RFC 3711 3.3.2. */
gboolean unprotect_is_stuck (Unprotect *u, guint32 ssrc, RaTime now);

guint unprotect_n_streams (const Unprotect *u);

G_END_DECLS
