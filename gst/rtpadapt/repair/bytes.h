/* What of RTP packets a repair packet is made of.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * RFC 5109 7.3 and RFC 8627 6.2 protect the same: bits 2 to 15 of the header (P, X,
 * CC, M, PT), the length of all behind the first 12 bytes, the timestamp, and that
 * rest itself.  SSRC and sequence number are known from elsewhere.
 */
#pragma once

#include <gst/rtpadapt/util/bytes.h>

G_BEGIN_DECLS

/* A whole RTP packet, not owned; `size` is at least RA_RTP_HEADER. */
typedef struct
{
  const guint8 *data;
  guint size;
} RaRtpBytes;

static inline guint16
ra_rtp_seq (const RaRtpBytes *packet)
{
  return ra_get_u16 (packet->data + 2);
}

static inline guint
ra_rtp_rest (const RaRtpBytes *packet)
{
  return packet->size - RA_RTP_HEADER;
}

G_END_DECLS
