/* rtpadaptrecv: statistics as a structure.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gst/gst.h>
#include <gst/rtpadapt/feedback/reporter.h>

G_BEGIN_DECLS

typedef struct
{
  guint64 not_rtp; /* buffers that were neither RTP nor RTCP */
  guint64 rtcp;    /* muxed packets */
  guint64 reports_sent;
  guint64 reports_refused; /* rtpsession could not send in time */
  guint64 reports_no_room; /* RTCP buffers too full for a report */
} RecvCounters;

/* All but the time (transfer full).  `reporter`: NULL while the element is
 * stopped; `feedback`: recv_kind_nick(). */
GstStructure *recv_stats_new (const RaReporter *reporter,
    const RecvCounters *count, const gchar *feedback, const gchar *lda);

G_END_DECLS
