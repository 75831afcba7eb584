/* Decryption of SRTP and SRTCP by one key, for all senders.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "unprotect.h"

#include "rtpmux.h"
#include "srtpkey.h"

#include <gst/rtp/rtp.h>
#include <gst/rtpadapt/util/bytes.h>

#include <string.h>

#define RTCP_HEADER 8
#define SRTCP_INDEX 4 /* RFC 3711 3.4 */
#define SR_PACKETS 20 /* where the packet count is, RFC 3550 6.4.1 */

typedef struct
{
  guint32 ssrc;
  srtp_t rtp, rtcp; /* or NULL: nothing authentic of that kind came */
  guint32 roc;      /* of the newest packet of RTP */
  guint16 seq;
  guint32 hint;       /* the counter by its latest sender report */
  guint32 next;       /* the counter to be tried next */
  guint refused;      /* packets of RTP since the latest authentic one */
  gboolean keep;      /* unprotect_keep() */
  RaTime heard, news; /* the latest authentic packet; the latest of RTP */
} Stream;

/* How many tries are left. */
typedef struct
{
  guint rate, left;
  RaTime since;
} Tries;

struct _Unprotect
{
  GBytes *key;
  GstRtpAdaptCipher cipher;
  gsize tag;
  srtp_t any; /* for packets of any SSRC; no stream stays in it */
  Stream streams[UNPROTECT_STREAMS];
  guint n;
  Tries known, unknown;
  guint8 work[SRTP_KEY_WORK];
};

/* --- tries -------------------------------------------------------------- */

static guint
tries_left (Tries *t, RaTime now)
{
  const RaSpan each = RA_SECOND / t->rate;
  RaSpan more;

  if (t->since == RA_TIME_NONE || ra_diff (now, t->since) > RA_SECOND) {
    t->since = now;
    t->left = t->rate;
  }
  more = MAX (ra_diff (now, t->since), 0) / each;
  t->since = ra_later (t->since, more * each);
  t->left = (guint) MIN (t->left + more, t->rate);
  return t->left;
}

/* --- streams ------------------------------------------------------------ */

static Stream *
stream_find (Unprotect *u, guint32 ssrc)
{
  for (guint i = 0; i < u->n; i++) {
    if (u->streams[i].ssrc == ssrc)
      return &u->streams[i];
  }
  return NULL;
}

static void
stream_clear (Stream *s)
{
  if (s->rtp)
    srtp_dealloc (s->rtp);
  if (s->rtcp)
    srtp_dealloc (s->rtcp);
  *s = (Stream){ 0 };
}

/* The stream that has been silent for longest: of those that need not be kept, or
 * if all have to, of all. */
static Stream *
stream_to_leave (Unprotect *u)
{
  Stream *best = &u->streams[0];

  for (guint i = 1; i < u->n; i++) {
    Stream *s = &u->streams[i];

    if (s->keep != best->keep ? best->keep : s->heard < best->heard)
      best = s;
  }
  return best;
}

static Stream *
stream_add (Unprotect *u, guint32 ssrc)
{
  Stream *s
      = u->n < UNPROTECT_STREAMS ? &u->streams[u->n++] : stream_to_leave (u);

  stream_clear (s);
  s->ssrc = ssrc;
  return s;
}

/* Notes an authentic packet of RTP, which may be the newest. */
static void
stream_note (Stream *s, guint16 seq, RaTime now)
{
  guint32 roc = 0;

  srtp_get_stream_roc (s->rtp, s->ssrc, &roc);
  if (s->news == 0 || roc != s->roc || (gint16) (seq - s->seq) > 0)
    s->seq = seq;
  s->roc = roc;
  s->heard = s->news = now;
  s->refused = 0;
}

/* --- packets ------------------------------------------------------------ */

/* Decrypts into `work`.  `*size` becomes the size if the packet is authentic. */
static srtp_err_status_t
try_packet (Unprotect *u, srtp_t session, gboolean rtcp, const guint8 *data,
    gsize *size)
{
  gint len = (gint) *size;
  srtp_err_status_t status;

  memcpy (u->work, data, *size);
  status = rtcp ? srtp_unprotect_rtcp (session, u->work, &len)
                : srtp_unprotect (session, u->work, &len);
  if (status == srtp_err_status_ok)
    *size = (gsize) len;
  return status;
}

static srtp_t
session_of (Unprotect *u, guint32 ssrc)
{
  return srtp_key_session (u->key, u->cipher, ssrc_specific, ssrc);
}

/* TRUE if the packet is authentic: RTP with the roll-over counter 0, RTCP with the
 * index that it carries.  Nothing is kept. */
static gboolean
is_authentic (
    Unprotect *u, gboolean rtcp, const guint8 *data, gsize size, guint32 ssrc)
{
  if (try_packet (u, u->any, rtcp, data, &size) != srtp_err_status_ok)
    return FALSE;
  srtp_remove_stream (u->any, g_htonl (ssrc));
  return TRUE;
}

/* Tries `n` counters from `from` on.  Returns a session with the one for which the
 * packet is authentic, or NULL. */
static srtp_t
search (Unprotect *u, guint32 ssrc, const guint8 *data, gsize *size,
    guint32 from, guint n)
{
  srtp_t session = n > 0 ? session_of (u, ssrc) : NULL;

  for (guint i = 0; i < n && session; i++) {
    srtp_set_stream_roc (session, ssrc, from + i);
    if (try_packet (u, session, FALSE, data, size) == srtp_err_status_ok)
      return session;
  }
  if (session)
    srtp_dealloc (session);
  return NULL;
}

/* Tries some counters for a stream that is known: first the likely ones, then those
 * after the end of the last search. */
static srtp_t
search_on (Unprotect *u, Stream *s, const guint8 *data, gsize *size, RaTime now)
{
  guint16 seq = ra_get_u16 (data + 2);
  guint32 least = s->rtp ? s->roc + (seq <= s->seq) : 0;
  guint32 likely = MAX (least, s->hint);
  guint left = MIN (tries_left (&u->known, now), UNPROTECT_AT_ONCE);
  guint near = MIN (left, 2), far = left - near;
  srtp_t session = search (u, s->ssrc, data, size, likely, near);

  u->known.left -= left;
  if (session)
    return session;
  if (s->next < likely || s->next - likely > UNPROTECT_ROCS)
    s->next = likely + near;
  session = search (u, s->ssrc, data, size, s->next, far);
  s->next += far;
  /* The sender report may have been wrong, or from before a restart. */
  if (!session && likely > least && far > 0)
    session = search (u, s->ssrc, data, size, least, 1);
  return session;
}

static UnprotectResult
result_of (srtp_err_status_t status)
{
  switch (status) {
    case srtp_err_status_ok:
      return UNPROTECT_OK;
    case srtp_err_status_replay_fail:
    case srtp_err_status_replay_old:
      return UNPROTECT_REPLAYED;
    default:
      return UNPROTECT_FORGED;
  }
}

/* A packet of a stream whose RTP was heard before. */
static UnprotectResult
rtp_goes_on (
    Unprotect *u, Stream *s, const guint8 *data, gsize *size, RaTime now)
{
  srtp_err_status_t status = try_packet (u, s->rtp, FALSE, data, size);
  srtp_t session;

  if (status == srtp_err_status_ok || status == srtp_err_status_replay_fail
      || ra_diff (now, s->news) < UNPROTECT_SILENCE)
    return result_of (status);
  session = search_on (u, s, data, size, now);
  if (!session)
    return result_of (status);
  srtp_dealloc (s->rtp);
  s->rtp = session;
  return UNPROTECT_OK;
}

/* The first packet of RTP of its stream.  (transfer full) */
static srtp_t
rtp_begins (Unprotect *u, Stream *s, guint32 ssrc, const guint8 *data,
    gsize *size, RaTime now)
{
  guint few = UNPROTECT_AT_ONCE_UNKNOWN;

  if (is_authentic (u, FALSE, data, *size, ssrc))
    return search (u, ssrc, data, size, 0, 1);
  if (s)
    return search_on (u, s, data, size, now);
  if (tries_left (&u->unknown, now) < few)
    return NULL;
  u->unknown.left -= few;
  return search (u, ssrc, data, size, 1, few);
}

static UnprotectResult
unprotect_rtp (Unprotect *u, const guint8 *data, gsize *size, RaTime now)
{
  guint32 ssrc = ra_get_u32 (data + 8);
  Stream *s = stream_find (u, ssrc);
  UnprotectResult result = UNPROTECT_OK;
  srtp_t session;

  if (s && s->rtp) {
    result = rtp_goes_on (u, s, data, size, now);
    s->refused += result != UNPROTECT_OK;
  } else {
    session = rtp_begins (u, s, ssrc, data, size, now);
    if (!session)
      return UNPROTECT_FORGED;
    s = s ? s : stream_add (u, ssrc);
    s->rtp = session;
  }
  if (result == UNPROTECT_OK)
    stream_note (s, ra_get_u16 (data + 2), now);
  return result;
}

static UnprotectResult
unprotect_rtcp (Unprotect *u, const guint8 *data, gsize *size, RaTime now)
{
  guint32 ssrc = ra_get_u32 (data + 4);
  Stream *s = stream_find (u, ssrc);
  srtp_err_status_t status;
  srtp_t session;

  if (s && s->rtcp) {
    status = try_packet (u, s->rtcp, TRUE, data, size);
  } else {
    if (!is_authentic (u, TRUE, data, *size, ssrc)
        || !(session = session_of (u, ssrc)))
      return UNPROTECT_FORGED;
    s = s ? s : stream_add (u, ssrc);
    s->rtcp = session;
    status = try_packet (u, session, TRUE, data, size);
  }
  if (status != srtp_err_status_ok)
    return result_of (status);
  s->heard = now;
  if (u->work[1] == GST_RTCP_TYPE_SR && *size >= SR_PACKETS + 4)
    s->hint = ra_get_u32 (u->work + SR_PACKETS) >> 16;
  return UNPROTECT_OK;
}

UnprotectResult
unprotect_packet (Unprotect *u, guint8 *data, gsize *size, RaTime now)
{
  UnprotectResult result;
  gboolean rtcp;

  if (*size < 2 || *size > G_MAXUINT16 || data[0] >> 6 != 2)
    return UNPROTECT_MALFORMED;
  rtcp = rtp_mux_has_rtcp_type (data);
  if (*size < (rtcp ? RTCP_HEADER + SRTCP_INDEX : RA_RTP_HEADER) + u->tag)
    return UNPROTECT_MALFORMED;
  result = rtcp ? unprotect_rtcp (u, data, size, now)
                : unprotect_rtp (u, data, size, now);
  if (result == UNPROTECT_OK)
    memcpy (data, u->work, *size);
  return result;
}

/* --- the streams of all senders ------------------------------------------ */

void
unprotect_keep (Unprotect *u, guint32 ssrc)
{
  Stream *s = stream_find (u, ssrc);

  if (s)
    s->keep = TRUE;
}

gboolean
unprotect_is_stuck (Unprotect *u, guint32 ssrc, RaTime now)
{
  const Stream *s = stream_find (u, ssrc);

  return s && s->refused >= UNPROTECT_STUCK
      && ra_diff (now, s->news) >= UNPROTECT_STUCK_TIME;
}

guint
unprotect_n_streams (const Unprotect *u)
{
  return u->n;
}

Unprotect *
unprotect_new (GBytes *key, GstRtpAdaptCipher cipher)
{
  srtp_t any = srtp_key_session (key, cipher, ssrc_any_inbound, 0);
  Unprotect *u;

  if (!any)
    return NULL;
  u = g_new0 (Unprotect, 1);
  u->key = g_bytes_ref (key);
  u->cipher = cipher;
  u->tag = srtp_key_tag (cipher);
  u->any = any;
  u->known = (Tries){ .rate = UNPROTECT_TRIES, .since = RA_TIME_NONE };
  u->unknown
      = (Tries){ .rate = UNPROTECT_TRIES_UNKNOWN, .since = RA_TIME_NONE };
  return u;
}

void
unprotect_free (Unprotect *u)
{
  if (!u)
    return;
  while (u->n > 0)
    stream_clear (&u->streams[--u->n]);
  srtp_dealloc (u->any);
  g_bytes_unref (u->key);
  g_free (u);
}
