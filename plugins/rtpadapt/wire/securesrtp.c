/* SRTP with a key, at the pads of both bins' UDP elements.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "securesrtp.h"

#include "heldpackets.h"
#include "protect.h"
#include "replayguard.h"
#include "rtpmux.h"
#include "systime.h"
#include "unprotect.h"

#include <gst/net/gstnetaddressmeta.h>
#include <gst/rtpadapt/feedback/bytes.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>

GST_DEBUG_CATEGORY_EXTERN (rtpadaptsecure_debug);
#define GST_CAT_DEFAULT rtpadaptsecure_debug

/* Answers to questions, per second: those of a multicast group's receivers. */
#define ANSWERS 100
/* Bytes of an answer, and of a question. */
#define SAYING (8 + RA_XR_DLRR_SIZE (1) * PROTECT_SSRCS + PROTECT_TRAILER)
/* A key is wrong if nothing authentic came for so long, and so many packets. */
#define WRONG_KEY_TIME (2 * RA_SECOND)
#define WRONG_KEY_PACKETS 3
#define WRONG_KEY_ASK RA_SECOND
#define RTCP_RR 201

typedef struct
{
  GstPad *pad;
  gulong probe;
} Hook;

struct _SecureSrtp
{
  GstElement *bin;
  GArray *hooks; /* (Hook) */

  GMutex out; /* guards what encrypts; never held while `in` is taken, nor
                 while anything is pushed or called */
  Protect *protect;
  GSocket *socket; /* or NULL */
  gboolean rtcp_port_next;
  GSocketAddress *group; /* or NULL */
  guint64 unsent;

  GMutex in; /* guards what decrypts; the same */
  Unprotect *unprotect;
  ReplayGuard *guard; /* or NULL */
  HeldPackets held;
  SecureSrtpStats count;
  RaTime failing;  /* since then nothing was authentic, RA_TIME_NONE: it is */
  RaTime wondered; /* a question about it was sent then */
  guint failed;    /* packets */
  gboolean warned_key, warned_replay;
  RaTime answers_since;
  guint answers;
};

static guint64
chance (void)
{
  guint64 bits;

  if (getentropy (&bits, sizeof bits) != 0)
    g_error ("The system has no random numbers.");
  return bits;
}

/* --- what leaves -------------------------------------------------------- */

/* (transfer full) NULL: it may not be sent. */
static GstBuffer *
encrypt (SecureSrtp *x, GstBuffer *plain)
{
  gsize size = gst_buffer_get_size (plain);
  GstBuffer *buffer
      = gst_buffer_new_allocate (NULL, size + PROTECT_TRAILER, NULL);
  GstMapInfo map;
  gboolean good;

  gst_buffer_copy_into (buffer, plain, GST_BUFFER_COPY_METADATA, 0, -1);
  gst_buffer_map (buffer, &map, GST_MAP_READWRITE);
  gst_buffer_extract (plain, 0, map.data, size);
  g_mutex_lock (&x->out);
  good = protect_packet (x->protect, map.data, &size);
  x->unsent += !good;
  g_mutex_unlock (&x->out);
  gst_buffer_unmap (buffer, &map);
  if (good) {
    gst_buffer_set_size (buffer, (gssize) size);
    return buffer;
  }
  gst_buffer_unref (buffer);
  return NULL;
}

/* (transfer full) */
static GstBufferList *
encrypt_list (SecureSrtp *x, GstBufferList *plain)
{
  guint n = gst_buffer_list_length (plain);
  GstBufferList *list = gst_buffer_list_new_sized (n);

  for (guint i = 0; i < n; i++) {
    GstBuffer *buffer = encrypt (x, gst_buffer_list_get (plain, i));

    if (buffer)
      gst_buffer_list_add (list, buffer);
  }
  return list;
}

static GstPadProbeReturn
leaves (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  SecureSrtp *x = data;
  GstMiniObject *plain = GST_PAD_PROBE_INFO_DATA (info), *made;

  if (GST_PAD_PROBE_INFO_TYPE (info) & GST_PAD_PROBE_TYPE_BUFFER)
    made = (GstMiniObject *) encrypt (x, GST_BUFFER (plain));
  else
    made = (GstMiniObject *) encrypt_list (x, GST_BUFFER_LIST (plain));
  if (!made)
    return GST_PAD_PROBE_DROP;
  GST_PAD_PROBE_INFO_DATA (info) = made;
  gst_mini_object_unref (plain);
  return GST_PAD_PROBE_OK;
}

/* A packet of RTCP of our own, with room for the trailer. */
static void
say (SecureSrtp *x, GSocketAddress *to, guint8 *data, gsize size)
{
  struct sockaddr_storage native;
  GSocket *socket = NULL;
  gssize len = g_socket_address_get_native_size (to);

  if (len < 0 || !g_socket_address_to_native (to, &native, sizeof native, NULL))
    return;
  g_mutex_lock (&x->out);
  if (x->socket && protect_packet (x->protect, data, &size))
    socket = g_object_ref (x->socket);
  g_mutex_unlock (&x->out);
  if (!socket)
    return;
  if (sendto (g_socket_get_fd (socket), data, size, MSG_DONTWAIT | MSG_NOSIGNAL,
          (struct sockaddr *) &native, (socklen_t) len)
      < 0)
    GST_DEBUG_OBJECT (x->bin, "a question or an answer could not be sent");
  g_object_unref (socket);
}

/* --- what comes --------------------------------------------------------- */

/* A packet, and what is to be done about it without the lock. */
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
  ReplayGuardQuestion question; /* ours */
  RaXrItem asked;               /* the peer's */
  gboolean warn_key, warn_replay;
} Coming;

/* TRUE if there is nothing in it but extended reports and an empty receiver
 * report before them: it was said to us and to nobody behind us. */
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

/* Once a second at most so many; the lock is held. */
static gboolean
may_answer (SecureSrtp *x, RaTime now)
{
  if (x->answers_since == RA_TIME_NONE
      || ra_diff (now, x->answers_since) >= RA_SECOND) {
    x->answers_since = now;
    x->answers = 0;
  }
  return x->answers++ < ANSWERS;
}

/* An authentic packet; the lock is held. */
static void
judge (Coming *c)
{
  SecureSrtp *x = c->x;
  ReplayGuardVerdict verdict;

  if (c->rtcp && rtp_mux_tell (c->data, c->size, NULL) == RTP_MUX_RTCP) {
    c->drop = hear_reports (c);
    c->is_asked = c->is_asked && may_answer (x, c->now);
  }
  if (!x->guard || c->drop)
    return;
  verdict = replay_guard_hear (x->guard, c->ssrc, c->now);
  if (verdict == REPLAY_GUARD_PASS)
    return;
  c->drop = TRUE;
  c->hold = verdict == REPLAY_GUARD_HOLD;
  c->asks = c->from
      && replay_guard_ask (
          x->guard, c->ssrc, c->rtcp, chance (), c->now, &c->question);
  if (c->hold)
    return;
  x->count.dropped++;
  x->count.unproven++;
  c->warn_replay = !x->warned_replay;
  x->warned_replay = TRUE;
}

/* Nothing is said to who has another key, but once a second a question that he
 * cannot read: so that he finds out, too.  The lock is held. */
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
  replay_guard_ask_anyway (x->guard, chance (), c->now, &c->question);
}

/* The lock is held. */
static void
decrypt (Coming *c)
{
  SecureSrtp *x = c->x;
  UnprotectResult result;

  x->count.received++;
  c->rtcp = c->size >= 2 && c->data[1] >= 192 && c->data[1] <= 223;
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
  return G_IS_INET_SOCKET_ADDRESS (from) ? g_inet_address_to_string (
             g_inet_socket_address_get_address (G_INET_SOCKET_ADDRESS (from)))
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
        ("The packets from %s are refused: its key is ours, but it does not "
         "answer, so they may be the recording of an earlier session.  If it is "
         "a sender other than rtpadaptsink, set replay-guard=false.",
            host),
        ("no DLRR for our RRTR, RFC 3611 4.5"));
}

/* Where RTCP for whoever sent RTP from there goes, if it has a port of its own:
 * RFC 3550 11.  (transfer full) */
static GSocketAddress *
next_port (GSocketAddress *from)
{
  GInetSocketAddress *inet = G_INET_SOCKET_ADDRESS (from);
  guint16 port = g_inet_socket_address_get_port (inet);

  return g_inet_socket_address_new (
      g_inet_socket_address_get_address (inet), (guint16) (port + 1));
}

static void
ask (Coming *c)
{
  guint8 data[SAYING];
  GSocketAddress *to;

  memcpy (data, c->question.data, sizeof c->question.data);
  to = c->x->rtcp_port_next && !c->rtcp && G_IS_INET_SOCKET_ADDRESS (c->from)
      ? next_port (c->from)
      : g_object_ref (c->from);
  say (c->x, to, data, sizeof c->question.data);
  g_object_unref (to);
}

/* The receivers of a group hear nothing that is sent to one of them. */
static void
answer (Coming *c)
{
  SecureSrtp *x = c->x;
  GSocketAddress *to = c->from;
  guint8 data[SAYING];
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
    say (x, to, data, size);
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

/* What may leave by this pad before the packet that comes; the lock is held.
 * (transfer full) */
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

/* By the peer's chain function: they were here before. */
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

static GstPadProbeReturn
comes (GstPad *pad, GstPadProbeInfo *info, gpointer data)
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

/* ------------------------------------------------------------------------ */

static void
hook (SecureSrtp *x, GstPad *pad, GstPadProbeType type, GstPadProbeCallback f)
{
  Hook h = { .pad = gst_object_ref (pad) };

  h.probe = gst_pad_add_probe (pad, type, f, x, NULL);
  g_array_append_val (x->hooks, h);
}

void
secure_srtp_out (SecureSrtp *x, GstPad *sink)
{
  hook (x, sink, GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_BUFFER_LIST,
      leaves);
}

void
secure_srtp_in (SecureSrtp *x, GstPad *src)
{
  hook (x, src, GST_PAD_PROBE_TYPE_BUFFER, comes);
}

void
secure_srtp_answer_by (SecureSrtp *x, GSocket *socket, gboolean rtcp_port_next,
    GSocketAddress *group)
{
  g_mutex_lock (&x->out);
  g_set_object (&x->socket, socket);
  g_set_object (&x->group, group);
  x->rtcp_port_next = rtcp_port_next;
  g_mutex_unlock (&x->out);
}

void
secure_srtp_get_stats (SecureSrtp *x, SecureSrtpStats *stats)
{
  g_mutex_lock (&x->in);
  *stats = x->count;
  stats->streams = unprotect_n_streams (x->unprotect);
  g_mutex_unlock (&x->in);
  g_mutex_lock (&x->out);
  stats->unsent = x->unsent;
  g_mutex_unlock (&x->out);
}

SecureSrtp *
secure_srtp_new (
    GstElement *bin, GBytes *key, GstRtpAdaptCipher cipher, gboolean guard)
{
  Protect *protect = protect_new (key, cipher);
  Unprotect *unprotect = unprotect_new (key, cipher);
  SecureSrtp *x;

  if (!protect || !unprotect) {
    protect_free (protect);
    unprotect_free (unprotect);
    return NULL;
  }
  x = g_new0 (SecureSrtp, 1);
  x->bin = bin;
  x->hooks = g_array_new (FALSE, FALSE, sizeof (Hook));
  g_mutex_init (&x->out);
  x->protect = protect;
  g_mutex_init (&x->in);
  x->unprotect = unprotect;
  x->guard = guard ? replay_guard_new ((guint32) chance ()) : NULL;
  x->failing = x->answers_since = RA_TIME_NONE;
  return x;
}

void
secure_srtp_free (SecureSrtp *x)
{
  for (guint i = 0; i < x->hooks->len; i++) {
    Hook *h = &g_array_index (x->hooks, Hook, i);

    gst_pad_remove_probe (h->pad, h->probe);
    gst_object_unref (h->pad);
  }
  g_array_unref (x->hooks);
  held_packets_clear (&x->held);
  protect_free (x->protect);
  unprotect_free (x->unprotect);
  replay_guard_free (x->guard);
  g_clear_object (&x->socket);
  g_clear_object (&x->group);
  g_mutex_clear (&x->out);
  g_mutex_clear (&x->in);
  g_free (x);
}
