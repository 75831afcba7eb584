/* Datagrams of DTLS on their way to the thread that feeds the connections.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A flood of strangers' datagrams must not crowd out those of the peer.  So a
 * datagram that belongs to no connection is dropped at once.  Anybody can make up a
 * hello, so few hellos may wait.
 */
#include "dtlshubpriv.h"
#include "parts/systime.h"

#include <gst/net/gstnetaddressmeta.h>

/* How many datagrams may wait, and up to how many a hello may join them. */
#define INPUT_MAX 256
#define HELLOS_MAX 16

/* TRUE if a connection hears that address.  A try that nobody has answered yet
 * hears its destination, and after DTLS_ROOM other ports of that host.  The lock
 * is held. */
static gboolean
belongs (DtlsHub *self, GSocketAddress *from)
{
  RaTime now = system_now ();

  if (self->current && same_address (self->current->peer, from))
    return TRUE;
  for (guint i = 0; i < DTLS_TRIES; i++) {
    DtlsLink *link = self->tries[i];

    if (!link)
      continue;
    if (link->peer ? same_address (link->peer, from)
                   : !self->to || dtls_try_may_leave (&link->t, now))
      return TRUE;
    if (same_address (self->to, from))
      return TRUE;
  }
  return FALSE;
}

/* The lock is held. */
static gboolean
may_wait (DtlsHub *self, DtlsKind kind, GSocketAddress *from)
{
  guint waiting = g_queue_get_length (&self->input);

  if (kind == DTLS_HELLO)
    return waiting < HELLOS_MAX;
  if (kind != DTLS_RECORDS || waiting >= INPUT_MAX
      || (self->to && !same_host (host_of (self->to), host_of (from))))
    return FALSE;
  /* The hello that they follow may still wait. */
  return waiting < HELLOS_MAX || belongs (self, from);
}

void
dtls_input_hear (DtlsHub *self, GstBuffer *buffer)
{
  GstNetAddressMeta *meta = gst_buffer_get_net_address_meta (buffer);
  DtlsKind kind = DTLS_REFUSED;
  guint8 random[DTLS_RANDOM];
  GstMapInfo map;
  gboolean pass;

  if (meta && is_inet (meta->addr)
      && gst_buffer_map (buffer, &map, GST_MAP_READ)) {
    kind = dtls_records_tell (map.data, map.size, !self->client, random);
    gst_buffer_unmap (buffer, &map);
  }
  g_mutex_lock (&self->lock);
  pass = kind != DTLS_REFUSED && may_wait (self, kind, meta->addr);
  if (pass) {
    g_queue_push_tail (&self->input, buffer);
    g_cond_signal (&self->cond);
  } else {
    self->count.refused++;
  }
  g_mutex_unlock (&self->lock);
  if (!pass)
    gst_buffer_unref (buffer);
}
