/* Repair packets of RFC 5109, one level, from a mask.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <gst/rtpadapt/repair/ulpfec.h>

#include <string.h>

/* RFC 5109 7.3: the FEC header. */
#define FEC_HEADER 10
#define BIT_E 0x80
#define BIT_L 0x40
#define AT_SEQ 2
#define AT_TIME 4
#define AT_LENGTH 8
/* RFC 5109 7.4: the level's, with a mask of 16 or 48 bits. */
#define AT_PROTECTED FEC_HEADER
#define AT_MASK (FEC_HEADER + 2)
#define SHORT_HEADER (FEC_HEADER + 4)
#define SHORT_BITS 16
#define LONG_BITS 48

static gboolean
has (guint64 row, guint i)
{
  return row >> i & 1;
}

/* Bit 0 of the wire's mask is its first, and stands for the base. */
static guint64
wire_mask (const RaRtpBytes *media, guint n, guint64 row, guint16 base,
    guint *rest, guint *span)
{
  guint64 mask = 0;

  *rest = *span = 0;
  for (guint i = 0; i < n; i++) {
    guint offset = (guint16) (ra_rtp_seq (&media[i]) - base);

    if (!has (row, i))
      continue;
    *rest = MAX (*rest, ra_rtp_rest (&media[i]));
    *span = MAX (*span, offset + 1);
    if (offset < LONG_BITS)
      mask |= G_GUINT64_CONSTANT (1) << (LONG_BITS - 1 - offset);
  }
  return mask;
}

static void
add (guint8 *out, guint header, const RaRtpBytes *packet)
{
  const guint8 *rest = packet->data + RA_RTP_HEADER;
  guint8 *to = out + header;
  guint n = ra_rtp_rest (packet);

  for (guint i = 0; i < 2; i++) /* V, P, X, CC, M, PT */
    out[i] ^= packet->data[i];
  for (guint i = 0; i < 4; i++)
    out[AT_TIME + i] ^= packet->data[4 + i];
  out[AT_LENGTH] ^= (guint8) (n >> 8);
  out[AT_LENGTH + 1] ^= (guint8) n;
  for (guint i = 0; i < n; i++)
    to[i] ^= rest[i];
}

gsize
ra_ulpfec_write (
    const RaRtpBytes *media, guint n, guint64 row, guint8 *out, gsize room)
{
  guint first = row ? (guint) __builtin_ctzll (row) : n;
  guint rest, span, header;
  guint16 base;
  guint64 mask;

  if (first >= n)
    return 0;
  base = ra_rtp_seq (&media[first]);
  mask = wire_mask (media, n, row, base, &rest, &span);
  header = span > SHORT_BITS ? RA_ULPFEC_HEADER : SHORT_HEADER;
  if (span > LONG_BITS || rest > G_MAXUINT16 || header + rest > room)
    return 0;
  memset (out, 0, header + rest);
  for (guint i = first; i < n; i++) {
    if (has (row, i))
      add (out, header, &media[i]);
  }
  out[0] &= (guint8) ~(BIT_E | BIT_L);
  if (span > SHORT_BITS)
    out[0] |= BIT_L;
  ra_put_u16 (out + AT_SEQ, base);
  ra_put_u16 (out + AT_PROTECTED, rest);
  ra_put_u16 (out + AT_MASK, (guint32) (mask >> 32));
  if (span > SHORT_BITS)
    ra_put_u32 (out + AT_MASK + 2, (guint32) mask);
  return header + rest;
}
