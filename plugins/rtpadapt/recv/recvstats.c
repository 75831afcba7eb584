/* rtpadaptrecv: statistics as a structure.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "recvstats.h"

#include "parts/herald.h"

static void
stats_of_reporter (const RaReporter *reporter, GstStructure *s)
{
  g_autoptr (GstStructure) values = gst_structure_new_empty ("observe");
  RaReporterStats stats;

  ra_reporter_get_stats (reporter, &stats);
  ra_reporter_observe (reporter, herald_observe, values);
  gst_structure_set (s, "packets", G_TYPE_UINT64, stats.packets, "bytes",
      G_TYPE_UINT64, stats.bytes, "expected", G_TYPE_UINT64, stats.expected,
      "delayed", G_TYPE_UINT64, stats.delayed, "delayed-ratio", G_TYPE_DOUBLE,
      stats.delayed_ratio, "no-send-time", G_TYPE_UINT64, stats.no_send_time,
      "no-number", G_TYPE_UINT64, stats.no_number, "ce", G_TYPE_UINT64,
      stats.ce, "green", G_TYPE_UINT64, stats.by_mark[RA_MARK_GREEN], "yellow",
      G_TYPE_UINT64, stats.by_mark[RA_MARK_YELLOW], "red", G_TYPE_UINT64,
      stats.by_mark[RA_MARK_RED], "uncoloured", G_TYPE_UINT64,
      stats.by_mark[RA_MARK_NONE], "dscp", G_TYPE_STRING,
      ra_dscp_fate_nick (stats.dscp), "rtt", G_TYPE_INT64, stats.rtt, "queue",
      G_TYPE_INT64, stats.queue == RA_SPAN_NONE ? -1 : stats.queue,
      "recv-bitrate", G_TYPE_UINT64, stats.recv_rate, "p", G_TYPE_DOUBLE,
      stats.p, "reports", G_TYPE_UINT64, stats.reports, NULL);
  gst_structure_set (s, "arrived", G_TYPE_UINT64, stats.loss.arrived,
      "duplicates", G_TYPE_UINT64, stats.loss.duplicates, "late", G_TYPE_UINT64,
      stats.loss.late, "congestion-losses", G_TYPE_UINT64,
      stats.loss.congestion, "wireless-losses", G_TYPE_UINT64,
      stats.loss.wireless, "recovered", G_TYPE_UINT64, stats.loss.recovered,
      "loss-events", G_TYPE_UINT, stats.loss.events, "observe",
      GST_TYPE_STRUCTURE, values, NULL);
}

GstStructure *
recv_stats_new (const RaReporter *reporter, const RecvCounters *count,
    const gchar *feedback, const gchar *lda)
{
  GstStructure *s = gst_structure_new ("application/x-rtpadaptrecv-stats",
      "feedback", G_TYPE_STRING, feedback, "lda", G_TYPE_STRING, lda, "not-rtp",
      G_TYPE_UINT64, count->not_rtp, "rtcp", G_TYPE_UINT64, count->rtcp,
      "reports-sent", G_TYPE_UINT64, count->reports_sent, "reports-refused",
      G_TYPE_UINT64, count->reports_refused, "reports-no-room", G_TYPE_UINT64,
      count->reports_no_room, NULL);

  if (reporter)
    stats_of_reporter (reporter, s);
  return s;
}
