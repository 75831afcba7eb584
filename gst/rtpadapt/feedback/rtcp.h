/* RTCP compounds (RFC 3550 6.1), packet by packet.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 *      0                   1                   2                   3
 *      0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
 *     +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *     |V=2|P|  count  |     type      |             length            |
 *     :                              body                             :
 */
#pragma once

#include <gst/rtpadapt/types.h>

G_BEGIN_DECLS

#define RA_RTCP_SR 200
#define RA_RTCP_RR 201
#define RA_RTCP_APP 204
#define RA_RTCP_RTPFB 205

typedef struct
{
  guint8 type;
  guint8 count;       /* of report blocks; subtype of APP; FMT of RTPFB */
  const guint8 *body; /* behind the first four bytes, without padding; NULL: the
                         padding contradicts the length */
  gsize size;         /* of the body, bytes */
} RaRtcpPacket;

typedef struct
{
  const guint8 *at; /* the next packet */
  gsize left;       /* bytes from there on */
} RaRtcpReader;

/* Begins at the first packet of a compound.  The bytes have to stay until the
 * reader is done. */
static inline RaRtcpReader
ra_rtcp_reader (const guint8 *bytes, gsize len)
{
  return (RaRtcpReader){ bytes, len };
}

/* Reads the next packet of a type that is known; others are skipped (RFC 3550 6.1).
 * FALSE: there is none, it has another version or is cut short, and nothing behind such
 * a packet is read.  One with padding has to be the last (RFC 3550 6.4.1). */
gboolean ra_rtcp_next (RaRtcpReader *r, RaRtcpPacket *packet);

G_END_DECLS
