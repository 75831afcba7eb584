/* Encrypts what leaves with a key, and says where questions and answers go.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "securesrtpout.h"

#include "address.h"

void
srtp_out_answer_by (SrtpOut *out, GSocket *socket, gboolean rtcp_port_next,
    GSocketAddress *group)
{
  g_set_object (&out->socket, socket);
  g_set_object (&out->group, group);
  out->rtcp_port_next = rtcp_port_next;
}

void
srtp_out_clear (SrtpOut *out)
{
  protect_free (out->protect);
  g_clear_object (&out->socket);
  g_clear_object (&out->group);
}

gboolean
srtp_out_encrypt (SrtpOut *out, guint8 *data, gsize *size)
{
  gboolean good = protect_packet (out->protect, data, size);

  out->unsent += !good;
  return good;
}

gboolean
srtp_out_warns (SrtpOut *out)
{
  if (out->warned || !protect_is_spent (out->protect))
    return FALSE;
  out->warned = TRUE;
  return TRUE;
}

GSocket *
srtp_out_say (SrtpOut *out, guint8 *data, gsize *size)
{
  return out->socket && protect_packet (out->protect, data, size)
      ? g_object_ref (out->socket)
      : NULL;
}

/* RTCP to a sender of RTP goes to the port after that of the RTP if RTCP has a port
 * of its own: RFC 3550 11. */
GSocketAddress *
srtp_out_ask_at (const SrtpOut *out, GSocketAddress *from, gboolean rtcp)
{
  if (!out->rtcp_port_next || rtcp || !is_inet (from))
    return g_object_ref (from);
  return address_at_port (from, (guint16) (port_of (from) + 1));
}

/* An answer goes to the whole group, if there is one, because its other receivers
 * hear nothing that is sent to one of them. */
GSocketAddress *
srtp_out_answer (const SrtpOut *out, GSocketAddress *from,
    const RaXrItem *asked, guint8 data[SRTP_OUT_SAYING], gsize *size)
{
  GSocketAddress *to = out->group ? out->group : from;
  const guint32 *ssrcs;
  guint n;

  ssrcs = protect_ssrcs (out->protect, &n);
  *size = replay_guard_write_answer (
      data, SRTP_OUT_SAYING - PROTECT_TRAILER, ssrcs, n, asked);
  return *size > 0 && to ? g_object_ref (to) : NULL;
}
