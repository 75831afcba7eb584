/* rtpadaptrecv: statistics as a structure.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "parts/fields.h"

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
  guint64 unposted;        /* losses without a message */
} RecvCounters;

/* All but the time (transfer full).  `reporter`: NULL while the element is
 * stopped; `feedback`: recv_kind_nick(); `judges`: that kind has the losses judged
 * here. */
GstStructure *recv_stats_new (const RaReporter *reporter,
    const RecvCounters *count, const gchar *feedback, gboolean judges,
    const gchar *lda);
/* Always, and while the element runs; `time` is the caller's. */
extern const Field recv_stats_fields[];
extern const Field recv_stats_running_fields[];

/* Messages (transfer full); `time`: of the packet, when it should have come, on the
 * pipeline's clock. */
GstStructure *recv_dscp_news (RaDscpFate fate);
extern const Field recv_dscp_fields[];
GstStructure *recv_loss_news (const RaMissing *m, guint64 time);
extern const Field recv_loss_fields[];

G_END_DECLS
