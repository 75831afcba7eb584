/* SRTP with a key, at the pads of both bins' UDP sources: the packets that come.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "address.h"
#include "rtpmux.h"
#include "securesrtppriv.h"
#include "parts/systime.h"

#include <gst/net/gstnetaddressmeta.h>
#include <gst/rtpadapt/feedback/bytes.h>
#include <string.h>

#define GST_CAT_DEFAULT rtpadaptsecure_debug

/* Answers per second.  All receivers of a multicast group may ask. */
#define ANSWERS 100
/* The key is wrong if nothing authentic came for this long, and so many other
 * packets did. */
#define WRONG_KEY_TIME (2 * RA_SECOND)
#define WRONG_KEY_PACKETS 3
#define WRONG_KEY_ASK RA_SECOND
#define RTCP_RR 201

/* --- what comes --------------------------------------------------------- */

/* A packet that comes, and what is to be done about it without the lock. */
typedef struct
{
  SecureSrtp *x;
  GSocketAddress *from; /* or NULL */
  guint8 *data;
  gsize size;
  gboolean rtcp;
  guint32 ssrc;
  RaTime now;

  gboolean drop, hold;
  gboolean asks, is_asked;
  ReplayGuardQuestion question; /* our question, if `asks` */
  RaXrItem asked;               /* the peer's question, if `is_asked` */
  gboolean warn_key, warn_replay;
} Coming;

/* TRUE if the compound has only extended reports, and an empty receiver report
 * before them.  Then it is for us alone, and does not go on to rtpsession. */
static gboolean
hear_reports (Coming *c)
{
  SecureSrtp *x = c->x;
  gboolean ours = FALSE, others = FALSE;
  RaXrReader reader;
  RaXrItem item;
  gsize part;

  for (gsize at = 0; at < c->size; at += part) {
    const guint8 *data = c->data + at;

    part = 4 + 4 * (gsize) ra_get_u16 (data + 2);
    if (!ra_xr_read (&reader, data, part)) {
      others |= data[1] != RTCP_RR || (data[0] & 0x1f) != 0;
      continue;
    }
    ours = TRUE;
    while (ra_xr_next (&reader, &item)) {
      if (item.kind == RA_XR_RRTR) {
        c->is_asked = TRUE;
        c->asked = item;
      } else if (x->guard && replay_guard_answer (x->guard, &item, c->now)) {
        unprotect_keep (x->unprotect, item.ssrc);
      }
    }
  }
  return ours && !others;
}

/* An authentic packet; the lock is held. */
static void
judge (Coming *c)
{
  SecureSrtp *x = c->x;
  ReplayGuardVerdict verdict;

  if (c->rtcp && rtp_mux_tell (c->data, c->size, NULL) == RTP_MUX_RTCP) {
    c->drop = hear_reports (c);
    c->is_asked = c->is_asked && !x->receiver
        && bucket_second_has_room (&x->answers, ANSWERS, c->now);
    x->answers.n += c->is_asked;
  }
  if (!x->guard || c->drop)
    return;
  verdict = replay_guard_hear (x->guard, c->ssrc, c->now);
  if (verdict == REPLAY_GUARD_PASS)
    return;
  c->drop = TRUE;
  c->hold = verdict == REPLAY_GUARD_HOLD;
  c->asks = c->from
      && replay_guard_ask (x->guard, c->ssrc, c->rtcp, secure_srtp_chance (),
          c->now, &c->question);
  if (c->hold)
    return;
  x->count.dropped++;
  x->count.unproven++;
  c->warn_replay = !x->warned_replay;
  x->warned_replay = TRUE;
}

/* Counts a packet that does not authenticate.  Its sender may have another key.  It
 * gets a question per second that it cannot read, so that it finds out, too.  The
 * lock is held. */
static void
count_failure (Coming *c)
{
  SecureSrtp *x = c->x;

  if (x->failing == RA_TIME_NONE) {
    x->failing = x->wondered = c->now;
    x->failed = 0;
  }
  if (++x->failed < WRONG_KEY_PACKETS || !c->from
      || ra_diff (c->now, x->failing) < WRONG_KEY_TIME)
    return;
  c->warn_key = !x->warned_key;
  x->warned_key = TRUE;
  if (!x->guard || ra_diff (c->now, x->wondered) < WRONG_KEY_ASK)
    return;
  x->wondered = c->now;
  c->asks = TRUE;
  replay_guard_ask_anyway (
      x->guard, secure_srtp_chance (), c->now, &c->question);
}

/* The lock is held. */
static void
decrypt (Coming *c)
{
  SecureSrtp *x = c->x;
  UnprotectResult result;

  x->count.received++;
  c->rtcp = c->size >= 2 && rtp_mux_has_rtcp_type (c->data);
  result = unprotect_packet (x->unprotect, c->data, &c->size, c->now);
  if (result == UNPROTECT_OK) {
    x->failing = RA_TIME_NONE;
    c->ssrc = ra_get_u32 (c->data + (c->rtcp ? 4 : 8));
    judge (c);
    return;
  }
  c->drop = TRUE;
  x->count.dropped++;
  if (result == UNPROTECT_FORGED)
    count_failure (c);
}

/* --- without the lock --------------------------------------------------- */

static gchar *
host_text (GSocketAddress *from)
{
  return is_inet (from) ? g_inet_address_to_string (host_of (from))
                        : g_strdup ("somebody");
}

static void
warn (const Coming *c)
{
  g_autofree gchar *host = NULL;

  if (!c->warn_key && !c->warn_replay)
    return;
  host = host_text (c->from);
  if (c->warn_key)
    GST_ELEMENT_WARNING (c->x->bin, RESOURCE, NOT_AUTHORIZED,
        ("The packets from %s do not authenticate: is the key the same on both "
         "sides?",
            host),
        (NULL));
  else
    GST_ELEMENT_WARNING (c->x->bin, RESOURCE, NOT_AUTHORIZED,
        ("The packets from %s are refused: they have the right key, but their "
         "sender does not answer, so they may be the recording of an earlier "
         "session.  If it is a sender other than rtpadaptsink, set "
         "replay-guard=false.",
            host),
        ("no DLRR for our RRTR, RFC 3611 4.5"));
}

/* The address for RTCP to a sender of RTP, if RTCP has a port of its own: RFC 3550
 * 11.  (transfer full) */
static GSocketAddress *
next_port (GSocketAddress *from)
{
  return g_inet_socket_address_new (
      host_of (from), (guint16) (port_of (from) + 1));
}

static void
ask (Coming *c)
{
  guint8 data[SECURE_SAYING];
  GSocketAddress *to;

  memcpy (data, c->question.data, sizeof c->question.data);
  to = c->x->rtcp_port_next && !c->rtcp && is_inet (c->from)
      ? next_port (c->from)
      : g_object_ref (c->from);
  secure_srtp_say (c->x, to, data, sizeof c->question.data);
  g_object_unref (to);
}

/* An answer goes to the whole group, if there is one, because its other receivers
 * hear nothing that is sent to one of them. */
static void
answer (Coming *c)
{
  SecureSrtp *x = c->x;
  GSocketAddress *to = c->from;
  guint8 data[SECURE_SAYING];
  const guint32 *ssrcs;
  gsize size;
  guint n;

  g_mutex_lock (&x->out);
  ssrcs = protect_ssrcs (x->protect, &n);
  size = replay_guard_write_answer (
      data, sizeof data - PROTECT_TRAILER, ssrcs, n, &c->asked);
  to = x->group ? x->group : to;
  if (to)
    g_object_ref (to);
  g_mutex_unlock (&x->out);
  if (size > 0 && to)
    secure_srtp_say (x, to, data, size);
  g_clear_object (&to);
}

static HeldFate
fate (guint32 ssrc, RaTime since, gpointer data)
{
  const Coming *c = data;

  if (replay_guard_is_proven (c->x->guard, ssrc))
    return HELD_LEAVES;
  return ra_diff (c->now, since) < REPLAY_GUARD_PATIENCE ? HELD_STAYS
                                                         : HELD_DROPPED;
}

/* The packets that may leave by this pad before the one that comes; the lock is
 * held.  (transfer full) */
static GList *
let_go (Coming *c, GstPad *pad)
{
  SecureSrtp *x = c->x;
  guint64 n_dropped = 0;
  GList *leave;

  if (x->held.list.length == 0)
    return NULL;
  leave = held_packets_take (&x->held, pad, fate, c, &n_dropped);
  x->count.dropped += n_dropped;
  x->count.unproven += n_dropped;
  return leave;
}

/* The lock is held. */
static void
hold_back (Coming *c, GstPad *pad, GstBuffer *buffer)
{
  SecureSrtp *x = c->x;

  if (held_packets_add (&x->held, pad, buffer, c->ssrc, c->now))
    return;
  x->count.dropped++;
  x->count.unproven++;
}

/* Calls the peer's chain function, because these packets have passed our probe
 * already. */
static void
push_on (GstPad *pad, GList *buffers)
{
  GstPad *peer = buffers ? gst_pad_get_peer (pad) : NULL;

  for (GList *l = buffers; l; l = l->next) {
    if (peer)
      gst_pad_chain (peer, l->data);
    else
      gst_buffer_unref (l->data);
  }
  g_list_free (buffers);
  gst_clear_object (&peer);
}

GstPadProbeReturn
secure_srtp_comes (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  SecureSrtp *x = data;
  GstBuffer *buffer
      = gst_buffer_make_writable (GST_PAD_PROBE_INFO_BUFFER (info));
  GstNetAddressMeta *meta = gst_buffer_get_net_address_meta (buffer);
  Coming c = { .x = x, .from = meta ? meta->addr : NULL };
  GList *leave;
  GstMapInfo map;

  GST_PAD_PROBE_INFO_DATA (info) = buffer;
  if (!gst_buffer_map (buffer, &map, GST_MAP_READWRITE))
    return GST_PAD_PROBE_DROP;
  c.data = map.data;
  c.size = map.size;
  c.now = system_now ();
  g_mutex_lock (&x->in);
  decrypt (&c);
  g_mutex_unlock (&x->in);
  gst_buffer_unmap (buffer, &map);
  gst_buffer_set_size (buffer, (gssize) c.size);

  g_mutex_lock (&x->in);
  if (c.hold)
    hold_back (&c, pad, buffer);
  leave = let_go (&c, pad);
  g_mutex_unlock (&x->in);
  if (c.asks)
    ask (&c);
  if (c.is_asked)
    answer (&c);
  warn (&c);
  push_on (pad, leave);
  return c.drop ? GST_PAD_PROBE_DROP : GST_PAD_PROBE_OK;
}
