/* Sends the datagrams of handshakes: to the peer of the handshake, and no more
 * bytes than DTLS_AMPLIFY allows.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "dtlshubpriv.h"
#include "parts/systime.h"

#include <sys/socket.h>

/* More than two whole flights. */
#define HELD_MAX 16
/* A server's first flight is four times as big as a hello (measured: 327 bytes, and
 * 1353 with a certificate of RSA 2048).  A client says each hello twice, so that
 * DTLS_AMPLIFY lets the server answer at once, whichever it heard first. */
#define HELLOS 2

/* Sends by the socket to the peer, or by the pad if only the UDP sink knows the
 * address. */
static void
send_now (DtlsHub *self, DtlsLink *link, GstBuffer *buffer)
{
  GSocketAddress *peer = NULL;
  GSocket *socket = NULL;
  GstMapInfo map;

  g_mutex_lock (&self->lock);
  if (self->socket && link->peer) {
    socket = g_object_ref (self->socket);
    peer = g_object_ref (link->peer);
  }
  g_mutex_unlock (&self->lock);
  if (!socket) {
    gst_pad_push (self->net_src, buffer);
    return;
  }
  if (gst_buffer_map (buffer, &map, GST_MAP_READ)) {
    GOutputVector vector = { map.data, map.size };

    /* A timer repeats datagrams that a full queue or a dead path swallows. */
    g_socket_send_message (
        socket, peer, &vector, 1, NULL, 0, MSG_DONTWAIT, NULL, NULL);
    gst_buffer_unmap (buffer, &map);
  }
  gst_buffer_unref (buffer);
  g_object_unref (peer);
  g_object_unref (socket);
}

/* The lock is held.  There is no limit for a client that sends to the destination
 * that the application set. */
static gboolean
may_send (DtlsHub *self, DtlsLink *link, gsize size)
{
  if (self->client && !self->socket)
    return TRUE;
  return dtls_try_may_send (&link->t, size);
}

/* Keeps the client's first ClientHello, so that it can be repeated.  The lock is
 * held.  TRUE if it is complete now. */
static gboolean
note_hello (DtlsHub *self, DtlsLink *link, GstBuffer *buffer)
{
  gboolean hello, end;
  GstMapInfo map;

  if (!self->client || !gst_buffer_map (buffer, &map, GST_MAP_READ))
    return FALSE;
  hello = dtls_records_is_hello (map.data, map.size);
  end = dtls_records_end_hello (map.data, map.size);
  gst_buffer_unmap (buffer, &map);
  if (!hello)
    link->t.replied = TRUE;
  if (!hello || link->said)
    return FALSE; /* the library repeats it, too */
  link->said = end;
  g_queue_push_tail (&link->hello, gst_buffer_copy_deep (buffer));
  link->t.hello = system_now ();
  return link->said;
}

/* The lock is held.  What may leave of a hello. */
static void
take_hello (DtlsHub *self, DtlsLink *link, GQueue *leaves)
{
  for (GList *l = link->hello.head; l && !link->closed; l = l->next) {
    gsize size = gst_buffer_get_size (l->data);

    if (!may_send (self, link, size))
      return;
    link->t.out += size;
    g_queue_push_tail (leaves, gst_buffer_copy (l->data));
  }
}

static void
say_hello (DtlsHub *self, DtlsLink *link, guint times)
{
  GQueue leaves = G_QUEUE_INIT;
  GstBuffer *buffer;

  g_mutex_lock (&self->lock);
  for (guint i = 0; i < times; i++)
    take_hello (self, link, &leaves);
  link->t.hello = system_now ();
  g_mutex_unlock (&self->lock);
  while ((buffer = g_queue_pop_head (&leaves)))
    send_now (self, link, buffer);
}

void
dtls_flight_leaves (DtlsHub *self, DtlsLink *link, GstBuffer *buffer)
{
  gsize size = gst_buffer_get_size (buffer);
  gboolean first, pass;

  g_mutex_lock (&self->lock);
  if (link->closed) {
    g_mutex_unlock (&self->lock);
    gst_buffer_unref (buffer);
    return;
  }
  first = note_hello (self, link, buffer);
  pass = g_queue_is_empty (&link->held) && may_send (self, link, size);
  if (pass) {
    link->t.out += size;
  } else {
    self->count.held++;
    if (g_queue_get_length (&link->held) < HELD_MAX)
      g_queue_push_tail (&link->held, gst_buffer_ref (buffer));
  }
  g_mutex_unlock (&self->lock);
  if (pass)
    send_now (self, link, gst_buffer_ref (buffer));
  gst_buffer_unref (buffer);
  if (first)
    say_hello (self, link, HELLOS - 1);
}

void
dtls_flight_release (DtlsHub *self, DtlsLink *link)
{
  GstBuffer *buffer;

  do {
    g_mutex_lock (&self->lock);
    buffer = g_queue_peek_head (&link->held);
    if (buffer && may_send (self, link, gst_buffer_get_size (buffer))) {
      g_queue_pop_head (&link->held);
      link->t.out += gst_buffer_get_size (buffer);
    } else {
      buffer = NULL;
    }
    g_mutex_unlock (&self->lock);
    if (buffer)
      send_now (self, link, buffer);
  } while (buffer);
}

void
dtls_flight_hello (DtlsHub *self, DtlsLink *link)
{
  say_hello (self, link, HELLOS);
}
