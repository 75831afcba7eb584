/* Packets on their way into one sendmmsg(2), each with its own DSCP and ECN.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#define _GNU_SOURCE /* sendmmsg */
#include "udpsend.h"

#include <errno.h>
#include <netinet/in.h>
#include <string.h>

typedef union
{
  gchar space[CMSG_SPACE (sizeof (gint))];
  struct cmsghdr align;
} Control;

struct _UdpBatch
{
  guint n, n_parts;
  UdpAddress to;
  gint level, type; /* of the control message */
  struct mmsghdr messages[UDP_BATCH_PACKETS];
  Control controls[UDP_BATCH_PACKETS];
  struct iovec parts[UDP_BATCH_PARTS];
  GstMapInfo maps[UDP_BATCH_PARTS];
};

UdpBatch *
udp_batch_new (void)
{
  return g_new0 (UdpBatch, 1);
}

void
udp_batch_free (UdpBatch *batch)
{
  udp_batch_clear (batch);
  g_free (batch);
}

void
udp_batch_set_destination (UdpBatch *batch, const UdpAddress *to)
{
  const struct sockaddr_in6 *v6 = (const struct sockaddr_in6 *) &to->sa;
  /* A packet to a v4-mapped address is an IPv4 packet: it has a TOS, and the
   * kernel ignores IPV6_TCLASS. */
  gboolean is_v6
      = to->sa.ss_family == AF_INET6 && !IN6_IS_ADDR_V4MAPPED (&v6->sin6_addr);

  batch->to = *to;
  batch->level = is_v6 ? IPPROTO_IPV6 : IPPROTO_IP;
  batch->type = is_v6 ? IPV6_TCLASS : IP_TOS;
}

static void
message_set_tos (
    struct msghdr *m, Control *control, const UdpBatch *batch, gint tos)
{
  struct cmsghdr *c = &control->align;

  m->msg_control = control;
  m->msg_controllen = sizeof *control;
  c->cmsg_level = batch->level;
  c->cmsg_type = batch->type;
  c->cmsg_len = CMSG_LEN (sizeof tos);
  memcpy (CMSG_DATA (c), &tos, sizeof tos);
}

gboolean
udp_batch_add (UdpBatch *batch, GstBuffer *buffer, gint tos)
{
  guint n_parts = gst_buffer_n_memory (buffer);
  struct msghdr *m;

  if (batch->n == UDP_BATCH_PACKETS
      || batch->n_parts + n_parts > UDP_BATCH_PARTS)
    return FALSE;

  m = &batch->messages[batch->n].msg_hdr;
  memset (m, 0, sizeof *m);
  m->msg_name = &batch->to.sa;
  m->msg_namelen = batch->to.len;
  m->msg_iov = &batch->parts[batch->n_parts];
  for (guint i = 0; i < n_parts; i++) {
    GstMapInfo *map = &batch->maps[batch->n_parts];

    /* Memory that cannot be read counts as empty, as gst_buffer_map(). */
    if (!gst_memory_map (gst_buffer_peek_memory (buffer, i), map, GST_MAP_READ))
      continue;
    m->msg_iov[m->msg_iovlen++]
        = (struct iovec){ .iov_base = map->data, .iov_len = map->size };
    batch->n_parts++;
  }
  if (tos >= 0)
    message_set_tos (m, &batch->controls[batch->n], batch, tos);
  batch->n++;
  return TRUE;
}

guint
udp_batch_length (UdpBatch *batch)
{
  return batch->n;
}

gint
udp_batch_send (UdpBatch *batch, gint fd, guint first)
{
  gint sent;

  do
    sent = sendmmsg (fd, batch->messages + first, batch->n - first,
        MSG_DONTWAIT | MSG_NOSIGNAL);
  while (sent < 0 && errno == EINTR);
  return sent < 0 ? -errno : sent;
}

void
udp_batch_clear (UdpBatch *batch)
{
  for (guint i = 0; i < batch->n_parts; i++)
    gst_memory_unmap (batch->maps[i].memory, &batch->maps[i]);
  batch->n = batch->n_parts = 0;
}
