/* Packets on their way into one sendmmsg(2), each with its own DSCP and ECN.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "udpsock.h"

G_BEGIN_DECLS

#define UDP_BATCH_PACKETS 64
#define UDP_BATCH_PARTS 256 /* of memory; a buffer has 16 at most */

typedef struct _UdpBatch UdpBatch;

UdpBatch *udp_batch_new (void);
void udp_batch_free (UdpBatch *batch);

/* All packets until the next clear go there; `batch` must be empty. */
void udp_batch_set_destination (UdpBatch *batch, const UdpAddress *to);
/* Maps `buffer`, which must outlive its stay.  `tos`: DSCP << 2 | ECN, or -1:
 * as the socket says.  FALSE if the batch is full. */
gboolean udp_batch_add (UdpBatch *batch, GstBuffer *buffer, gint tos);
guint udp_batch_length (UdpBatch *batch);
/* Sends from packet `first` on and does not wait.  The number sent, at least
 * one, or -errno that the packet `first` met. */
gint udp_batch_send (UdpBatch *batch, gint fd, guint first);
void udp_batch_clear (UdpBatch *batch);

G_END_DECLS
