/* Encryption of RTP and RTCP by one key.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "protect.h"

#include "rtpmux.h"
#include "srtpkey.h"

#include <gst/rtpadapt/feedback/bytes.h>

#include <string.h>

struct _Protect
{
  srtp_t session;
  guint32 ssrcs[PROTECT_SSRCS]; /* a ring */
  guint n, next;
  guint8 work[SRTP_KEY_WORK]; /* libsrtp wants its packets aligned */
};

static void
note_ssrc (Protect *p, guint32 ssrc)
{
  for (guint i = 0; i < p->n; i++) {
    if (p->ssrcs[i] == ssrc)
      return;
  }
  p->ssrcs[p->next] = ssrc;
  p->next = (p->next + 1) % PROTECT_SSRCS;
  p->n = MIN (p->n + 1, PROTECT_SSRCS);
}

gboolean
protect_packet (Protect *p, guint8 *data, gsize *size)
{
  gint len = (gint) *size;
  gboolean rtcp;
  srtp_err_status_t status;

  if (*size < 8 || *size > G_MAXUINT16)
    return FALSE;
  rtcp = rtp_mux_has_rtcp_type (data);
  if (!rtcp && *size < 12) /* RFC 3550 5.1 */
    return FALSE;
  memcpy (p->work, data, *size);
  status = rtcp ? srtp_protect_rtcp (p->session, p->work, &len)
                : srtp_protect (p->session, p->work, &len);
  if (status != srtp_err_status_ok || (gsize) len > *size + PROTECT_TRAILER)
    return FALSE;
  note_ssrc (p, ra_get_u32 (data + (rtcp ? 4 : 8)));
  *size = (gsize) len;
  memcpy (data, p->work, *size);
  return TRUE;
}

const guint32 *
protect_ssrcs (const Protect *p, guint *n)
{
  *n = p->n;
  return p->ssrcs;
}

Protect *
protect_new (GBytes *key, GstRtpAdaptCipher cipher)
{
  srtp_t session = srtp_key_session (key, cipher, ssrc_any_outbound, 0);
  Protect *p;

  if (!session)
    return NULL;
  p = g_new0 (Protect, 1);
  p->session = session;
  return p;
}

void
protect_free (Protect *p)
{
  if (!p)
    return;
  srtp_dealloc (p->session);
  g_free (p);
}
