/* rtpadaptsrc's gate puts the numbers of RTP in order.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "wire/rtpmux.h"

#include <gst/gst.h>
#include <gst/rtpadapt/types.h>

G_BEGIN_DECLS

typedef struct _SrcOrder SrcOrder;

/* `id`: the extension with the transport-wide number, 0: there is none.
 * (transfer full): src_order_free(), which takes NULL, too. */
SrcOrder *src_order_new (guint id);
void src_order_free (SrcOrder *o);

/* Takes a packet that may pass, and fills `out` with the packets that go on now,
 * in this order.  Returns how many.  `proven`: see peer_is_proven(). */
#define SRC_ORDER_MAX 2
guint src_order_take (SrcOrder *o, GstBuffer *buffer, const RtpMuxHead *head,
    gboolean proven, RaTime now, GstBuffer *out[SRC_ORDER_MAX]);
/* Gives RTCP that leaves the numbers that its receiver knows.  (transfer full)
 * both; NULL: nothing of it is left. */
GstBuffer *src_order_leave (SrcOrder *o, GstBuffer *rtcp);

typedef struct
{
  guint64 jumped;   /* packets dropped for their sequence number */
  guint64 held;     /* packets that wait for the next one */
  guint64 stripped; /* packets that lost their transport-wide number */
  guint64 seams;    /* times that these numbers jumped */
  guint64 stale;    /* reports about a sender that is gone: not sent */
} SrcOrderStats;
void src_order_get_stats (const SrcOrder *o, SrcOrderStats *stats);

G_END_DECLS
