/* Packets from recvmmsg(2), each with its sender, time of arrival and TOS.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The kernel writes into buffers of a pool, mapped beforehand: nothing is
 * copied or allocated per packet.
 */
#define _GNU_SOURCE /* recvmmsg */
#include "udprecv.h"

#include <errno.h>
#include <linux/sock_diag.h>
#include <netinet/in.h>
#include <string.h>
#include <time.h>

#define N_SLOTS 32

typedef union
{
  gchar space[2 * CMSG_SPACE (sizeof (gint)) /* IP_TOS, IPV6_TCLASS */
      + CMSG_SPACE (sizeof (struct timespec))];
  struct cmsghdr align;
} Control;

typedef struct
{
  GstBuffer *buffer; /* mapped, or NULL */
  GstMapInfo map;
  struct iovec part;
  UdpAddress from;
  Control control;
} Slot;

struct _UdpReceiver
{
  GstBufferPool *pool;
  guint n, next; /* packets there are, and the one to give */
  guint n_used;  /* slots to be prepared before the kernel sees them again */
  struct mmsghdr messages[N_SLOTS];
  Slot slots[N_SLOTS];
  UdpAddress from; /* of the latest packet; they mostly have the same */
  GSocketAddress *from_gio;
};

UdpReceiver *
udp_receiver_new (guint mtu)
{
  UdpReceiver *r = g_new0 (UdpReceiver, 1);
  GstStructure *config;

  r->n_used = N_SLOTS;
  r->pool = gst_buffer_pool_new ();
  config = gst_buffer_pool_get_config (r->pool);
  gst_buffer_pool_config_set_params (config, NULL, mtu, N_SLOTS, 0);
  gst_buffer_pool_set_config (r->pool, config);
  gst_buffer_pool_set_active (r->pool, TRUE);
  return r;
}

static void
slot_clear (Slot *slot)
{
  if (!slot->buffer)
    return;
  gst_buffer_unmap (slot->buffer, &slot->map);
  gst_clear_buffer (&slot->buffer);
}

void
udp_receiver_free (UdpReceiver *r)
{
  for (guint i = 0; i < N_SLOTS; i++)
    slot_clear (&r->slots[i]);
  gst_buffer_pool_set_active (r->pool, FALSE);
  gst_object_unref (r->pool);
  g_clear_object (&r->from_gio);
  g_free (r);
}

void
udp_receiver_prepare (GSocket *socket, GstElement *element)
{
  gboolean v6 = g_socket_get_family (socket) == G_SOCKET_FAMILY_IPV6;
  GError *error = NULL;

  /* IP_RECVTOS on an IPv6 socket too: for IPv4 packets that come mapped. */
  if (!g_socket_set_option (socket, SOL_SOCKET, SO_TIMESTAMPNS, 1, &error)
      || !g_socket_set_option (socket, IPPROTO_IP, IP_RECVTOS, 1, &error)
      || (v6
          && !g_socket_set_option (
              socket, IPPROTO_IPV6, IPV6_RECVTCLASS, 1, &error))) {
    GST_WARNING_OBJECT (element, "%s", error->message);
    g_error_free (error);
  }
}

guint32
udp_receiver_kernel_drops (GSocket *socket)
{
  guint32 info[SK_MEMINFO_VARS] = { 0 };
  socklen_t len = sizeof info;

  /* As SO_RXQ_OVFL, but not only when the next packet comes. */
  getsockopt (g_socket_get_fd (socket), SOL_SOCKET, SO_MEMINFO, info, &len);
  return info[SK_MEMINFO_DROPS];
}

static gboolean
slot_prepare (UdpReceiver *r, guint i)
{
  struct msghdr *m = &r->messages[i].msg_hdr;
  Slot *slot = &r->slots[i];

  if (!slot->buffer) {
    if (gst_buffer_pool_acquire_buffer (r->pool, &slot->buffer, NULL)
        != GST_FLOW_OK)
      return FALSE;
    if (!gst_buffer_map (slot->buffer, &slot->map, GST_MAP_WRITE)) {
      gst_clear_buffer (&slot->buffer);
      return FALSE;
    }
    slot->part = (struct iovec){ slot->map.data, slot->map.size };
  }
  *m = (struct msghdr){
    .msg_name = &slot->from.sa,
    .msg_namelen = sizeof slot->from.sa,
    .msg_iov = &slot->part,
    .msg_iovlen = 1,
    .msg_control = &slot->control,
    .msg_controllen = sizeof slot->control,
  };
  return TRUE;
}

gint
udp_receiver_fill (UdpReceiver *r, gint fd)
{
  gint n;

  for (guint i = 0; i < r->n_used; i++) {
    if (!slot_prepare (r, i))
      return -ENOMEM;
  }
  do
    n = recvmmsg (fd, r->messages, N_SLOTS, MSG_DONTWAIT, NULL);
  while (n < 0 && errno == EINTR);
  if (n < 0)
    return -errno;
  r->n = r->n_used = (guint) n;
  r->next = 0;
  return n;
}

static void
parse_control (struct msghdr *m, UdpPacket *packet)
{
  packet->tos = -1;
  packet->arrival = -1;
  for (struct cmsghdr *c = CMSG_FIRSTHDR (m); c; c = CMSG_NXTHDR (m, c)) {
    if (c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_TIMESTAMPNS) {
      struct timespec t;

      memcpy (&t, CMSG_DATA (c), sizeof t);
      packet->arrival = (gint64) t.tv_sec * GST_SECOND + t.tv_nsec;
    } else if (c->cmsg_level == IPPROTO_IP && c->cmsg_type == IP_TOS) {
      packet->tos = *CMSG_DATA (c); /* one byte */
    } else if (c->cmsg_level == IPPROTO_IPV6 && c->cmsg_type == IPV6_TCLASS) {
      memcpy (&packet->tos, CMSG_DATA (c), sizeof packet->tos);
    }
  }
}

static GSocketAddress *
sender_address (UdpReceiver *r, Slot *slot, socklen_t len)
{
  slot->from.len = len;
  if (!r->from_gio || !udp_address_equal (&slot->from, &r->from)) {
    g_clear_object (&r->from_gio);
    r->from = slot->from;
    /* GLib makes an IPv4 address of a v4-mapped one. */
    r->from_gio = g_socket_address_new_from_native (&r->from.sa, len);
  }
  return r->from_gio;
}

gboolean
udp_receiver_next (UdpReceiver *r, UdpPacket *packet)
{
  struct mmsghdr *m = &r->messages[r->next];
  Slot *slot = &r->slots[r->next];

  if (r->next == r->n)
    return FALSE;
  r->next++;
  packet->buffer = g_steal_pointer (&slot->buffer);
  gst_buffer_unmap (packet->buffer, &slot->map);
  packet->size = m->msg_len;
  packet->truncated = (m->msg_hdr.msg_flags & MSG_TRUNC) != 0;
  packet->from = sender_address (r, slot, m->msg_hdr.msg_namelen);
  parse_control (&m->msg_hdr, packet);
  gst_buffer_set_size (packet->buffer, (gssize) m->msg_len);
  return TRUE;
}

void
udp_receiver_discard (UdpReceiver *r)
{
  r->n = r->next = 0;
}
