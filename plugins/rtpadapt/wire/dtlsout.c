/* Sends the datagrams of handshakes to the peer of the handshake.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "dtlsout.h"

#include "parts/systime.h"

#include <sys/socket.h>

/* Sends by the socket to the peer, or by the pad if only the UDP sink knows the
 * address. */
static void
send_now (DtlsOutbox *o, DtlsLink *link, GstBuffer *buffer)
{
  GSocketAddress *peer = NULL;
  GSocket *socket = NULL;
  GstMapInfo map;

  g_mutex_lock (o->lock);
  if (o->socket && link->peer) {
    socket = g_object_ref (o->socket);
    peer = g_object_ref (link->peer);
  }
  g_mutex_unlock (o->lock);
  if (!socket) {
    gst_pad_push (o->pad, buffer);
    return;
  }
  if (gst_buffer_map (buffer, &map, GST_MAP_READ)) {
    GOutputVector vector = { map.data, map.size };

    /* A timer repeats datagrams that a full queue or a dead path swallows.  Without
     * the timeout of 0 GLib would wait for room in spite of MSG_DONTWAIT. */
    g_socket_send_message_with_timeout (
        socket, peer, &vector, 1, NULL, 0, MSG_DONTWAIT, 0, NULL, NULL, NULL);
    gst_buffer_unmap (buffer, &map);
  }
  gst_buffer_unref (buffer);
  g_object_unref (peer);
  g_object_unref (socket);
}

static void
send_all (DtlsOutbox *o, DtlsLink *link, GQueue *leaves)
{
  GstBuffer *buffer;

  while ((buffer = g_queue_pop_head (leaves)))
    send_now (o, link, buffer);
}

/* The lock is held. */
static DtlsFlightRules
rules (const DtlsOutbox *o)
{
  return (DtlsFlightRules){ .client = o->client,
    .bounded = !o->client || o->socket };
}

void
dtls_out_leaves (DtlsOutbox *o, DtlsLink *link, GstBuffer *buffer)
{
  GQueue leaves = G_QUEUE_INIT;
  DtlsFlightRules r;

  g_mutex_lock (o->lock);
  if (link->closed) {
    g_mutex_unlock (o->lock);
    gst_buffer_unref (buffer);
    return;
  }
  r = rules (o);
  if (!dtls_flight_add (
          &link->flight, &link->t, &r, buffer, system_now (), &leaves))
    o->held++;
  g_mutex_unlock (o->lock);
  send_all (o, link, &leaves);
}

void
dtls_out_release (DtlsOutbox *o, DtlsLink *link)
{
  GstBuffer *buffer;
  DtlsFlightRules r;

  do {
    g_mutex_lock (o->lock);
    r = rules (o);
    buffer = dtls_flight_release (&link->flight, &link->t, &r);
    g_mutex_unlock (o->lock);
    if (buffer)
      send_now (o, link, buffer);
  } while (buffer);
}

void
dtls_out_hello (DtlsOutbox *o, DtlsLink *link)
{
  GQueue leaves = G_QUEUE_INIT;
  DtlsFlightRules r;

  g_mutex_lock (o->lock);
  r = rules (o);
  if (!link->closed)
    dtls_flight_hello (
        &link->flight, &link->t, &r, DTLS_HELLOS, system_now (), &leaves);
  g_mutex_unlock (o->lock);
  send_all (o, link, &leaves);
}
