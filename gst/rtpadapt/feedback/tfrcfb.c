/* TFRC over RTP: the header extension rtt-sendts and the feedback TFRC-FB.
 * L. Gharai, "RTP with TCP Friendly Rate Control",
 * draft-ietf-avt-tfrc-profile-10, 2007.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <gst/rtpadapt/feedback/tfrcfb.h>

#include <gst/rtpadapt/util/bytes.h>

#define RTT_MAX 0xffffff /* us, 24 bits */

/* 0 says that R is unknown, so what is known is 1 us at least. */
static guint32
rtt_usec (RaSpan rtt)
{
  return rtt > 0 ? MAX (ra_to_usec (rtt, RTT_MAX), 1) : 0;
}

gsize
ra_send_ts_write (const RaSendTs *x, guint8 *data, gsize len)
{
  if (len < RA_SEND_TS_SIZE)
    return 0;
  ra_put_u24 (data, rtt_usec (x->rtt));
  ra_put_u32 (data + 3, x->t_i);
  return RA_SEND_TS_SIZE;
}

gboolean
ra_send_ts_read (RaSendTs *x, const guint8 *data, gsize len)
{
  if (len != RA_SEND_TS_SIZE)
    return FALSE;
  x->rtt = ra_from_usec (ra_get_u24 (data));
  x->t_i = ra_get_u32 (data + 3);
  return TRUE;
}

/* t_delay is rounded down as t_i is, so that R_sample is never too small. */
gsize
ra_tfrc_fb_write (const RaTfrcFb *x, guint8 *fci, gsize len)
{
  guint64 bytes = x->x_recv / 8 + (x->x_recv % 8 >= 4);

  if (len < RA_TFRC_FB_SIZE)
    return 0;
  ra_put_u32 (fci, x->t_i);
  ra_put_u32 (fci + 4, ra_to_usec (x->t_delay, G_MAXUINT32));
  ra_put_u32 (fci + 8, (guint32) MIN (bytes, G_MAXUINT32));
  ra_put_u32 (fci + 12, ra_to_fraction (x->p));
  return RA_TFRC_FB_SIZE;
}

gboolean
ra_tfrc_fb_read (RaTfrcFb *x, const guint8 *fci, gsize len)
{
  if (len != RA_TFRC_FB_SIZE)
    return FALSE;
  x->t_i = ra_get_u32 (fci);
  x->t_delay = ra_from_usec (ra_get_u32 (fci + 4));
  x->x_recv = (guint64) ra_get_u32 (fci + 8) * 8;
  x->p = ra_from_fraction (ra_get_u32 (fci + 12));
  return TRUE;
}
