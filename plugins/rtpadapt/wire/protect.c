/* Encryption of RTP and RTCP by one key.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "protect.h"

#include "rtpmux.h"
#include "srtpkey.h"

#include <gst/rtpadapt/util/bytes.h>

#include <string.h>

/* SSRCs of earlier runs may come back: the latest are kept. */
#define KEPT 1024

/* An SSRC of ours, with the runs it was used in: see protect_goes_on(). */
typedef struct
{
  guint32 ssrc;
  guint run, rtp_run; /* the latest one, and the latest with RTP; 0: none */
  guint16 seq;        /* of its newest packet of RTP */
} Used;

struct _Protect
{
  GBytes *key;
  GstRtpAdaptCipher cipher;
  srtp_t session;
  guint run;
  GArray *used;                 /* (Used): what the session has counters of */
  guint32 ssrcs[PROTECT_SSRCS]; /* of this run, a ring */
  guint n, next;
  gboolean spent;
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

static Used *
used_find (Protect *p, guint32 ssrc)
{
  for (guint i = 0; i < p->used->len; i++) {
    Used *u = &g_array_index (p->used, Used, i);

    if (u->ssrc == ssrc)
      return u;
  }
  return NULL;
}

/* Its payloader was started again, in this run or before it. */
static gboolean
begins (const Protect *p, const Used *u, guint16 seq)
{
  gint16 ahead = (gint16) (seq - u->seq);

  return u->rtp_run != p->run || ahead <= -SRTP_KEY_WINDOW;
}

static void
note_used (Protect *p, guint32 ssrc, gboolean rtcp, guint16 seq)
{
  Used *u = used_find (p, ssrc), first = { .ssrc = ssrc };

  if (!u) {
    g_array_append_val (p->used, first);
    u = used_find (p, ssrc);
  }
  u->run = p->run;
  if (rtcp)
    return;
  if (begins (p, u, seq) || (gint16) (seq - u->seq) > 0)
    u->seq = seq;
  u->rtp_run = p->run;
}

/* A payloader that was started again may begin with any number.  One that is not ahead
 * of the last one counts as behind a wrap, so that no number is used twice. */
static void
begin_stream (Protect *p, guint32 ssrc, guint16 seq)
{
  Used *u = used_find (p, ssrc);
  guint32 roc = 0;

  if (!u || u->rtp_run == 0 || !begins (p, u, seq)
      || (gint16) (seq - u->seq) > 0)
    return;
  srtp_get_stream_roc (p->session, ssrc, &roc);
  srtp_set_stream_roc (p->session, ssrc, roc + (seq <= u->seq));
}

gboolean
protect_packet (Protect *p, guint8 *data, gsize *size)
{
  gint len = (gint) *size;
  gboolean rtcp;
  guint32 ssrc;
  guint16 seq;
  srtp_err_status_t status;

  if (*size < 8 || *size > G_MAXUINT16)
    return FALSE;
  rtcp = rtp_mux_has_rtcp_type (data);
  if (!rtcp && *size < 12) /* RFC 3550 5.1 */
    return FALSE;
  ssrc = ra_get_u32 (data + (rtcp ? 4 : 8));
  seq = ra_get_u16 (data + 2);
  if (!rtcp)
    begin_stream (p, ssrc, seq);
  memcpy (p->work, data, *size);
  status = rtcp ? srtp_protect_rtcp (p->session, p->work, &len)
                : srtp_protect (p->session, p->work, &len);
  p->spent |= status == srtp_err_status_key_expired;
  if (status != srtp_err_status_ok || (gsize) len > *size + PROTECT_TRAILER)
    return FALSE;
  note_ssrc (p, ssrc);
  note_used (p, ssrc, rtcp, seq);
  *size = (gsize) len;
  memcpy (data, p->work, *size);
  return TRUE;
}

gboolean
protect_is_spent (const Protect *p)
{
  return p->spent;
}

const guint32 *
protect_ssrcs (const Protect *p, guint *n)
{
  *n = p->n;
  return p->ssrcs;
}

gboolean
protect_goes_on (Protect *p, GBytes *key, GstRtpAdaptCipher cipher)
{
  if (cipher != p->cipher || !g_bytes_equal (key, p->key))
    return FALSE;
  if (p->n == 0)
    return TRUE; /* nothing has left in this run */
  for (guint i = 0; p->used->len > KEPT && i < p->used->len;) {
    Used *u = &g_array_index (p->used, Used, i);

    if (u->run == p->run) {
      i++;
      continue;
    }
    srtp_remove_stream (p->session, g_htonl (u->ssrc));
    g_array_remove_index (p->used, i);
  }
  p->run++;
  p->n = p->next = 0;
  return TRUE;
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
  p->key = g_bytes_ref (key);
  p->cipher = cipher;
  p->run = 1;
  p->used = g_array_new (FALSE, FALSE, sizeof (Used));
  return p;
}

void
protect_free (Protect *p)
{
  if (!p)
    return;
  srtp_dealloc (p->session);
  g_bytes_unref (p->key);
  g_array_unref (p->used);
  g_free (p);
}
