/* Repair packets of the Reed-Solomon code (repair/rs.h): our own payload format.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * They have the SSRC of the media, sequence numbers of its stream, behind those of
 * their block, and a payload type of their own.  The payload:
 *
 *      0                   1                   2                   3
 *      0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
 *     +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *   0 |  version = 1  |     n - 1     |     f - 1     |       r       |
 *     +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *   4 |            SN base            |0 0|P|X|  CC   |M| PT recovery |
 *     +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *   8 |        length recovery        |          TS recovery          |
 *     +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *  12 |    TS recovery (continued)    |      recovery of the rest     |
 *     +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *
 * It is packet r of the f repair packets, whose numbers follow each other, for the n
 * media packets with the numbers from SN base on, none left out; n and f are at most
 * 128.  A media packet's symbol is what RFC 8627 6.2 protects: bits 2 to 15 of its
 * header, the length of all behind the first 12 bytes, the timestamp, and that rest; the
 * symbols of a block are filled up with zeros.  From byte 6 on the payload is the sum of these symbols times
 * ra_rs_factor (r, i).  Readers drop other versions.
 */
#pragma once

#include <gst/rtpadapt/repair/bytes.h>
#include <gst/rtpadapt/repair/rs.h>

G_BEGIN_DECLS

#define RA_RSFEC_VERSION 1
/* What a payload has before the longest of its packets' rest. */
#define RA_RSFEC_HEADER 14

/* Writes the payload of repair packet `r` of `f` for the `n` packets `media`, whose
 * sequence numbers follow each other.  Returns its size, RA_RSFEC_HEADER and the
 * longest packet's rest; 0 if that is more than `room`, or n, f and r do not fit. */
gsize ra_rsfec_write (const RaRtpBytes *media, guint n, guint f, guint r,
    guint8 *out, gsize room);

/* --- the receiver ----------------------------------------------------------- */

/* Of one SSRC.  It keeps nothing before the first repair packet came, and at most
 * the last RA_RSFEC_KEPT media packets and RA_RSFEC_BLOCKS blocks. */
#define RA_RSFEC_KEPT 512
#define RA_RSFEC_BLOCKS 4

typedef struct _RaRsfec RaRsfec;

typedef struct
{
  guint64 repair;    /* repair packets that came */
  guint64 bad;       /* of these malformed, or against others of their block, or
                        far from it or from the packets that came */
  guint64 recovered; /* media packets */
} RaRsfecStats;

/* A media packet that is back, or the number of a repair packet that is lost: a
 * jitterbuffer without it would wait for a media packet. */
typedef struct
{
  /* The whole packet, which the caller frees by g_free(); NULL: a number alone. */
  guint8 *data;
  guint size;
  guint16 seq;
  guint behind; /* numbers from it to the highest that came; of media alone */
  RaTime
      arrival; /* of the one before it in its block that came, or the one behind */
} RaRsfecPacket;

RaRsfec *ra_rsfec_new (void);
void ra_rsfec_free (RaRsfec *x);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (RaRsfec, ra_rsfec_free)
/* A media packet came at `arrival`, or a repeat of it (`again`). */
void ra_rsfec_on_media (
    RaRsfec *x, const RaRtpBytes *packet, gboolean again, RaTime arrival);
/* The payload of a repair packet came at `arrival`, of `ssrc` and with the number `seq`.
 * FALSE: it is bad, also where its block is not right before it: who judges the numbers
 * that come sees `seq`, and not those of what comes back. */
gboolean ra_rsfec_on_repair (RaRsfec *x, guint32 ssrc, guint16 seq,
    const guint8 *payload, gsize size, RaTime arrival);
/* Takes the next one; FALSE: there is none. */
gboolean ra_rsfec_take (RaRsfec *x, RaRsfecPacket *out);
RaRsfecStats ra_rsfec_stats (const RaRsfec *x);

G_END_DECLS
