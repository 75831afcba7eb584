/* SRTP with a key, at the pads of both bins' UDP elements.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "securesrtp.h"

#include "address.h"
#include "chance.h"
#include "securesrtpin.h"
#include "securesrtpout.h"
#include "parts/systime.h"

#include <gst/net/gstnetaddressmeta.h>
#include <string.h>
#include <sys/socket.h>

GST_DEBUG_CATEGORY_EXTERN (rtpadaptsecure_debug);
#define GST_CAT_DEFAULT rtpadaptsecure_debug

typedef struct
{
  GstPad *pad;
  gulong probe;
} Hook;

/* The locks are never held together, nor while anything is pushed or called. */
struct _SecureSrtp
{
  GstElement *bin;
  GArray *hooks; /* (Hook) */
  GMutex out_lock;
  SrtpOut out;
  GMutex in_lock;
  SrtpIn in;
};

/* --- what leaves -------------------------------------------------------- */

/* (transfer full), NULL: the packet may not be sent. */
static GstBuffer *
encrypt (SecureSrtp *x, GstBuffer *plain)
{
  gsize size = gst_buffer_get_size (plain);
  GstBuffer *buffer
      = gst_buffer_new_allocate (NULL, size + PROTECT_TRAILER, NULL);
  GstMapInfo map;
  gboolean good, warns;

  gst_buffer_copy_into (buffer, plain, GST_BUFFER_COPY_METADATA, 0, -1);
  gst_buffer_map (buffer, &map, GST_MAP_READWRITE);
  gst_buffer_extract (plain, 0, map.data, size);
  g_mutex_lock (&x->out_lock);
  good = srtp_out_encrypt (&x->out, map.data, &size);
  warns = srtp_out_warns (&x->out);
  g_mutex_unlock (&x->out_lock);
  gst_buffer_unmap (buffer, &map);
  if (good) {
    gst_buffer_set_size (buffer, (gssize) size);
    return buffer;
  }
  gst_buffer_unref (buffer);
  if (warns)
    GST_ELEMENT_WARNING (x->bin, RESOURCE, SETTINGS,
        ("Packets are not sent any more, as the SRTP key is used up: set a new key "
         "on both sides."),
        ("RFC 3711 9.2"));
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

/* --- questions and answers ---------------------------------------------- */

/* Encrypts a packet of RTCP of our own in place, and sends it. */
static void
say (SecureSrtp *x, GSocketAddress *to, guint8 *data, gsize size)
{
  struct sockaddr_storage native;
  GSocket *socket;
  gssize len = g_socket_address_get_native_size (to);

  if (len < 0 || !g_socket_address_to_native (to, &native, sizeof native, NULL))
    return;
  g_mutex_lock (&x->out_lock);
  socket = srtp_out_say (&x->out, data, &size);
  g_mutex_unlock (&x->out_lock);
  if (!socket)
    return;
  if (sendto (g_socket_get_fd (socket), data, size, MSG_DONTWAIT | MSG_NOSIGNAL,
          (struct sockaddr *) &native, (socklen_t) len)
      < 0)
    GST_DEBUG_OBJECT (x->bin, "a question or an answer could not be sent");
  g_object_unref (socket);
}

static void
ask (SecureSrtp *x, const SrtpComing *c, GSocketAddress *from)
{
  guint8 data[SRTP_OUT_SAYING];
  GSocketAddress *to;

  memcpy (data, c->question.data, sizeof c->question.data);
  g_mutex_lock (&x->out_lock);
  to = srtp_out_ask_at (&x->out, from, c->rtcp);
  g_mutex_unlock (&x->out_lock);
  say (x, to, data, sizeof c->question.data);
  g_object_unref (to);
}

static void
answer (SecureSrtp *x, const SrtpComing *c, GSocketAddress *from)
{
  guint8 data[SRTP_OUT_SAYING];
  GSocketAddress *to;
  gsize size;

  g_mutex_lock (&x->out_lock);
  to = srtp_out_answer (&x->out, from, &c->asked, data, &size);
  g_mutex_unlock (&x->out_lock);
  if (to)
    say (x, to, data, size);
  g_clear_object (&to);
}

/* --- what comes --------------------------------------------------------- */

static gchar *
host_text (GSocketAddress *from)
{
  return is_inet (from) ? g_inet_address_to_string (host_of (from))
                        : g_strdup ("somebody");
}

static void
warn (SecureSrtp *x, const SrtpComing *c, GSocketAddress *from)
{
  g_autofree gchar *host = NULL;

  if (!c->warn_key && !c->warn_replay && !c->warn_stuck)
    return;
  host = host_text (from);
  if (c->warn_key)
    GST_ELEMENT_WARNING (x->bin, RESOURCE, NOT_AUTHORIZED,
        ("The packets from %s do not authenticate: is the key the same on both "
         "sides?",
            host),
        (NULL));
  else if (c->warn_stuck)
    GST_ELEMENT_WARNING (x->bin, RESOURCE, NOT_AUTHORIZED,
        ("The packets of SSRC %08x from %s are refused now, and earlier ones were not: if "
         "their sender was started again with the same key, it needs another SSRC, or a "
         "new key on both sides.",
            c->ssrc, host),
        ("their numbers came before; RFC 3711 3.3.2"));
  else
    GST_ELEMENT_WARNING (x->bin, RESOURCE, NOT_AUTHORIZED,
        ("The packets from %s are refused: they have the right key, but their "
         "sender does not answer, so they may be the recording of an earlier "
         "session.  If it is a sender other than rtpadaptsink, set "
         "replay-guard=false.",
            host),
        ("no DLRR for our RRTR, RFC 3611 4.5"));
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

/* A packet leaves a UDP source. */
static GstPadProbeReturn
comes (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  SecureSrtp *x = data;
  GstBuffer *buffer
      = gst_buffer_make_writable (GST_PAD_PROBE_INFO_BUFFER (info));
  GstNetAddressMeta *meta = gst_buffer_get_net_address_meta (buffer);
  GSocketAddress *from = meta ? meta->addr : NULL;
  SrtpComing c = { .from_known = from != NULL };
  GList *leave;
  GstMapInfo map;

  GST_PAD_PROBE_INFO_DATA (info) = buffer;
  if (!gst_buffer_map (buffer, &map, GST_MAP_READWRITE))
    return GST_PAD_PROBE_DROP;
  c.data = map.data;
  c.size = map.size;
  c.now = system_now ();
  g_mutex_lock (&x->in_lock);
  srtp_in_take (&x->in, &c);
  g_mutex_unlock (&x->in_lock);
  gst_buffer_unmap (buffer, &map);
  gst_buffer_set_size (buffer, (gssize) c.size);

  g_mutex_lock (&x->in_lock);
  if (c.hold)
    srtp_in_hold (&x->in, &c, pad, buffer);
  leave = srtp_in_release (&x->in, &c, pad);
  g_mutex_unlock (&x->in_lock);
  if (c.asks)
    ask (x, &c, from);
  if (c.is_asked)
    answer (x, &c, from);
  warn (x, &c, from);
  push_on (pad, leave);
  return c.drop ? GST_PAD_PROBE_DROP : GST_PAD_PROBE_OK;
}

/* --- from outside ------------------------------------------------------- */

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
  g_mutex_lock (&x->out_lock);
  srtp_out_answer_by (&x->out, socket, rtcp_port_next, group);
  g_mutex_unlock (&x->out_lock);
}

void
secure_srtp_get_stats (SecureSrtp *x, SecureSrtpStats *stats)
{
  g_mutex_lock (&x->in_lock);
  *stats = (SecureSrtpStats){ .received = x->in.received,
    .dropped = x->in.dropped,
    .unproven = x->in.unproven,
    .streams = unprotect_n_streams (x->in.unprotect) };
  g_mutex_unlock (&x->in_lock);
  g_mutex_lock (&x->out_lock);
  stats->unsent = x->out.unsent;
  g_mutex_unlock (&x->out_lock);
}

gboolean
secure_srtp_is_built (void)
{
  return TRUE;
}

SecureSrtp *
secure_srtp_new (GstElement *bin, GBytes *key, GstRtpAdaptCipher cipher,
    gboolean receiver, gboolean guard, SecureSrtp *before)
{
  Protect *protect
      = before && protect_goes_on (before->out.protect, key, cipher)
      ? g_steal_pointer (&before->out.protect)
      : protect_new (key, cipher);
  Unprotect *unprotect = unprotect_new (key, cipher);
  SecureSrtp *x;

  if (before)
    secure_srtp_free (before);
  if (!protect || !unprotect) {
    protect_free (protect);
    unprotect_free (unprotect);
    return NULL;
  }
  x = g_new0 (SecureSrtp, 1);
  x->bin = bin;
  x->hooks = g_array_new (FALSE, FALSE, sizeof (Hook));
  g_mutex_init (&x->out_lock);
  x->out.protect = protect;
  g_mutex_init (&x->in_lock);
  srtp_in_init (&x->in, unprotect,
      receiver && guard ? replay_guard_new ((guint32) secure_chance ()) : NULL,
      receiver, secure_chance);
  return x;
}

void
secure_srtp_stop (SecureSrtp *x)
{
  for (guint i = 0; i < x->hooks->len; i++) {
    Hook *h = &g_array_index (x->hooks, Hook, i);

    gst_pad_remove_probe (h->pad, h->probe);
    gst_object_unref (h->pad);
  }
  g_array_set_size (x->hooks, 0);
  srtp_in_clear (&x->in);
  x->in = (SrtpIn){ 0 };
  srtp_out_answer_by (&x->out, NULL, FALSE, NULL);
}

void
secure_srtp_free (SecureSrtp *x)
{
  secure_srtp_stop (x);
  g_array_unref (x->hooks);
  srtp_out_clear (&x->out);
  g_mutex_clear (&x->out_lock);
  g_mutex_clear (&x->in_lock);
  g_free (x);
}
