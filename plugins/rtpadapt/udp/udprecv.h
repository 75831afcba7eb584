/* Packets from recvmmsg(2), each with its sender, time of arrival and TOS.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "udpsock.h"

G_BEGIN_DECLS

typedef struct
{
  GstBuffer *buffer; /* (transfer full) */
  gsize size;
  GSocketAddress *from; /* until the next packet */
  gint tos;             /* DSCP << 2 | ECN, or -1: the kernel did not say */
  gint64 arrival;       /* ns of CLOCK_REALTIME, or -1 */
  gboolean truncated;   /* it was larger than a buffer */
} UdpPacket;

typedef struct _UdpReceiver UdpReceiver;

/* Packets larger than `mtu` are truncated. */
UdpReceiver *udp_receiver_new (guint mtu);
void udp_receiver_free (UdpReceiver *r);

/* Has the kernel say what is in UdpPacket. */
void udp_receiver_prepare (GSocket *socket, GstElement *element);
/* The packets that the kernel dropped, of this socket (modulo 2^32). */
guint32 udp_receiver_kernel_drops (GSocket *socket);

/* Takes what is there, without waiting; only when next() has nothing more.
 * The number of packets, or -errno. */
gint udp_receiver_fill (UdpReceiver *r, gint fd);
gboolean udp_receiver_next (UdpReceiver *r, UdpPacket *packet);
/* Forgets what next() did not give. */
void udp_receiver_discard (UdpReceiver *r);

G_END_DECLS
