/* SRTP with a key, at the pads of both bins' UDP elements.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "securesrtppriv.h"

#include <sys/random.h>
#include <sys/socket.h>

#define GST_CAT_DEFAULT rtpadaptsecure_debug

guint64
secure_srtp_chance (void)
{
  guint64 bits;

  if (getentropy (&bits, sizeof bits) != 0)
    g_error ("The system has no random numbers.");
  return bits;
}

/* --- what leaves -------------------------------------------------------- */

/* (transfer full), NULL: the packet may not be sent. */
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

void
secure_srtp_say (SecureSrtp *x, GSocketAddress *to, guint8 *data, gsize size)
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
  hook (x, src, GST_PAD_PROBE_TYPE_BUFFER, secure_srtp_comes);
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
secure_srtp_new (GstElement *bin, GBytes *key, GstRtpAdaptCipher cipher,
    gboolean receiver, gboolean guard)
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
  x->receiver = receiver;
  x->guard = receiver && guard
      ? replay_guard_new ((guint32) secure_srtp_chance ())
      : NULL;
  x->failing = x->answers.since = RA_TIME_NONE;
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
