/* Sends the datagrams of handshakes to the peer of the handshake.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "dtlshubpriv.h"
#include "parts/systime.h"

#include <sys/socket.h>

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

static void
send_all (DtlsHub *self, DtlsLink *link, GQueue *leaves)
{
  GstBuffer *buffer;

  while ((buffer = g_queue_pop_head (leaves)))
    send_now (self, link, buffer);
}

/* The lock is held. */
static DtlsFlightRules
rules (const DtlsHub *self)
{
  return (DtlsFlightRules){ .client = self->client,
    .bounded = !self->client || self->socket };
}

void
dtls_out_leaves (DtlsHub *self, DtlsLink *link, GstBuffer *buffer)
{
  GQueue leaves = G_QUEUE_INIT;
  DtlsFlightRules r;

  g_mutex_lock (&self->lock);
  if (link->closed) {
    g_mutex_unlock (&self->lock);
    gst_buffer_unref (buffer);
    return;
  }
  r = rules (self);
  if (!dtls_flight_add (
          &link->flight, &link->t, &r, buffer, system_now (), &leaves))
    self->count.held++;
  g_mutex_unlock (&self->lock);
  send_all (self, link, &leaves);
}

void
dtls_out_release (DtlsHub *self, DtlsLink *link)
{
  GstBuffer *buffer;
  DtlsFlightRules r;

  do {
    g_mutex_lock (&self->lock);
    r = rules (self);
    buffer = dtls_flight_release (&link->flight, &link->t, &r);
    g_mutex_unlock (&self->lock);
    if (buffer)
      send_now (self, link, buffer);
  } while (buffer);
}

void
dtls_out_hello (DtlsHub *self, DtlsLink *link)
{
  GQueue leaves = G_QUEUE_INIT;
  DtlsFlightRules r;

  g_mutex_lock (&self->lock);
  r = rules (self);
  if (!link->closed)
    dtls_flight_hello (
        &link->flight, &link->t, &r, DTLS_HELLOS, system_now (), &leaves);
  g_mutex_unlock (&self->lock);
  send_all (self, link, &leaves);
}
