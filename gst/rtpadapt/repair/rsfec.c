/* Repair packets of the Reed-Solomon code: the sender's side, and the symbols.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <gst/rtpadapt/repair/rsfec.h>

#include "rsfecpriv.h"

#include <string.h>

void
ra_rsfec_symbol_add (guint8 *sum, const RaRtpBytes *packet, guint8 factor)
{
  guint8 head[RA_RSFEC_SYMBOL];

  head[0] = packet->data[0] & 0x3f; /* without the version */
  head[1] = packet->data[1];
  ra_put_u16 (head + 2, ra_rtp_rest (packet));
  memcpy (head + 4, packet->data + 4, 4);
  ra_rs_add (sum, head, sizeof head, factor);
  ra_rs_add (sum + RA_RSFEC_SYMBOL, packet->data + RA_RTP_HEADER,
      ra_rtp_rest (packet), factor);
}

gsize
ra_rsfec_write (
    const RaRtpBytes *media, guint n, guint f, guint r, guint8 *out, gsize room)
{
  guint longest = 0;

  if (n < 1 || n > RA_RS_MAX || f < 1 || f > RA_RS_MAX || r >= f)
    return 0;
  for (guint i = 0; i < n; i++)
    longest = MAX (longest, ra_rtp_rest (&media[i]));
  if (longest > G_MAXUINT16 || RA_RSFEC_HEADER + longest > room)
    return 0;
  out[0] = RA_RSFEC_VERSION;
  out[1] = (guint8) (n - 1);
  out[2] = (guint8) (f - 1);
  out[3] = (guint8) r;
  ra_put_u16 (out + 4, ra_rtp_seq (&media[0]));
  memset (out + RA_RSFEC_FIXED, 0, RA_RSFEC_SYMBOL + longest);
  for (guint i = 0; i < n; i++)
    ra_rsfec_symbol_add (out + RA_RSFEC_FIXED, &media[i], ra_rs_factor (r, i));
  return RA_RSFEC_HEADER + longest;
}
