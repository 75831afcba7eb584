/* rtpadaptudpsink and rtpadaptudpsrc: statistics and messages, field by field.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "parts/fields.h"

#include <gst/base/gstbasesink.h>
#include <gst/rtpadapt/types.h>

G_BEGIN_DECLS

/* Of what was sent. */
typedef struct
{
  guint64 packets[RA_N_MARKS], bytes[RA_N_MARKS];
  guint64 rtcp; /* also among the packets */
  guint64 errors, oversized, blocked;
} UdpSinkCounters;

/* Of what came. */
typedef struct
{
  guint64 packets, bytes, truncated;
  guint64 dscp[64], unknown; /* of the packets */
  guint64 ecn[4];            /* by the value of the field (RFC 3168 5) */
  guint64 kernel_drops;
  guint64 stale;         /* came in a pause, and were dropped */
  guint32 kernel_before; /* the kernel's counter when last looked at */
} UdpSrcCounters;

/* (transfer full); GstBaseSink's are among them. */
GstStructure *udp_sink_stats_new (GstBaseSink *sink, const UdpSinkCounters *n);
extern const Field udp_sink_fields[];
/* (transfer full).  A DSCP that came has a field of its own, "dscp-NUMBER". */
GstStructure *udp_src_stats_new (const UdpSrcCounters *n);
extern const Field udp_src_fields[];
/* A message that nothing came for `timeout`, ns (transfer full). */
GstStructure *udp_src_timeout_news (GstClockTime timeout);
extern const Field udp_src_timeout_fields[];

G_END_DECLS
