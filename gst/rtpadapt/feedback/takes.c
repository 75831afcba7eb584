/* What a receiver of ours says of itself: RA_RADP_TAKES_SUBTYPE of our RTCP APP packet
 * "RADP".
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <gst/rtpadapt/feedback/radp.h>

#include <gst/rtpadapt/util/bytes.h>

static guint16
milliseconds (RaSpan span)
{
  return (guint16) CLAMP ((span + RA_MSECOND - 1) / RA_MSECOND, 0, G_MAXUINT16);
}

void
ra_takes_write (const RaTakes *takes, guint8 *data)
{
  ra_put_u16 (data, milliseconds (takes->disorder));
  ra_put_u16 (data + 2, takes->flags);
}

gboolean
ra_takes_read (RaTakes *takes, const guint8 *data, gsize len)
{
  if (len < RA_RADP_TAKES_SIZE)
    return FALSE;
  takes->disorder = ra_get_u16 (data) * RA_MSECOND;
  takes->flags = ra_get_u16 (data + 2);
  return TRUE;
}
