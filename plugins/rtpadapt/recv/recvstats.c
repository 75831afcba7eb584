/* rtpadaptrecv: statistics as a structure.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "recvstats.h"

#include "parts/herald.h"

/* What the statistics say.  Names are never NULL. */
typedef struct
{
  const gchar *feedback, *lda, *dscp;
  gboolean judges;
  RecvCounters count;
  RaReporterStats reporter;
} RecvStats;

const Field recv_stats_fields[] = {
  { "feedback", "", "kind of feedback that is sent now; none: not yet known",
      "the sender's packets", FIELD_TEXT (RecvStats, feedback) },
  { "receiver-judges", "",
      "with that kind the losses are judged here; else the sender does",
      "feedback", FIELD_BOOLEAN (RecvStats, judges) },
  { "lda", "",
      "loss differentiation of this side; it judges with feedback=tfrc, else the "
      "sender's does",
      "property", FIELD_TEXT (RecvStats, lda) },
  { "not-rtp", "buffers", "neither RTP nor RTCP, passed on unchanged",
      "element", FIELD_UINT64 (RecvStats, count.not_rtp) },
  { "rtcp", "packets", "of RTCP on the port of RTP", "RFC 5761",
      FIELD_UINT64 (RecvStats, count.rtcp) },
  { "reports-sent", "reports", "handed to rtpsession", "element",
      FIELD_UINT64 (RecvStats, count.reports_sent) },
  { "reports-refused", "reports",
      "that rtpsession could not send in time; if it grows, RTCP has too little "
      "bandwidth",
      "RFC 4585 3.5", FIELD_UINT64 (RecvStats, count.reports_refused) },
  { "reports-no-room", "reports", "left out because the RTCP packet was full",
      "element", FIELD_UINT64 (RecvStats, count.reports_no_room) },
  { "messages-dropped", "packets",
      "without their rtpadapt-loss, as 1,024 messages waited; see loss-messages",
      "element", FIELD_UINT64 (RecvStats, count.unposted) },
  { NULL },
};

const Field recv_stats_running_fields[] = {
  { "packets", "packets", "of RTP that came, copies too", "reporter",
      FIELD_UINT64 (RecvStats, reporter.packets) },
  { "bytes", "bytes", "the same with RTP headers", "reporter",
      FIELD_UINT64 (RecvStats, reporter.bytes) },
  { "expected", "packets", "that should have come by now", "RFC 3550 A.3",
      FIELD_UINT64 (RecvStats, reporter.expected) },
  { "delayed", "packets",
      "later than the fastest of the last 30 s by more than the property late",
      "reporter", FIELD_UINT64 (RecvStats, reporter.delayed) },
  { "delayed-ratio", "0 to 1", "share of packets that these are", "reporter",
      FIELD_DOUBLE (RecvStats, reporter.delayed_ratio) },
  { "delayed-packet-ratio", "0 to 1",
      "share of packets that came after the one before by more than late",
      "Papadimitriou 2009, algorithm 1",
      FIELD_DOUBLE (RecvStats, reporter.delayed_packet_ratio) },
  { "no-send-time", "packets", "without a send time though tfrc needs one",
      "RFC 6051", FIELD_UINT64 (RecvStats, reporter.no_send_time) },
  { "no-number", "packets",
      "without a transport-wide number after some had one", "reporter",
      FIELD_UINT64 (RecvStats, reporter.no_number) },
  { "ce", "packets", "that the network marked CE", "RFC 3168",
      FIELD_UINT64 (RecvStats, reporter.ce) },
  { "green", "packets", "that were sent green", "header extension",
      FIELD_UINT64 (RecvStats, reporter.by_mark[RA_MARK_GREEN]) },
  { "yellow", "packets", "that were sent yellow", "header extension",
      FIELD_UINT64 (RecvStats, reporter.by_mark[RA_MARK_YELLOW]) },
  { "red", "packets", "that were sent red", "header extension",
      FIELD_UINT64 (RecvStats, reporter.by_mark[RA_MARK_RED]) },
  { "uncoloured", "packets", "without a colour", "header extension",
      FIELD_UINT64 (RecvStats, reporter.by_mark[RA_MARK_NONE]) },
  { "dscp", "",
      "what the path did to the DSCP: unknown, intact, bleached, remarked",
      "DSCP against the colour as sent", FIELD_TEXT (RecvStats, dscp) },
  { "rtt", "ns", "the sender's, as it wrote it; 0: unknown", "header extension",
      FIELD_SPAN (RecvStats, reporter.rtt) },
  { "queue", "ns",
      "how much longer the latest packet took than the fastest one; -1: unknown",
      "send and arrival times", FIELD_SPAN (RecvStats, reporter.queue) },
  { "recv-bitrate", "bit/s",
      "that came since the last report of tfrc, else in 100 ms", "RFC 5348 6.2",
      FIELD_UINT64 (RecvStats, reporter.recv_rate) },
  { "p", "0 to 1", "loss event rate, of congestion-losses", "RFC 5348 5.4",
      FIELD_DOUBLE (RecvStats, reporter.p) },
  { "reports", "reports", "made, sent or not", "reporter",
      FIELD_UINT64 (RecvStats, reporter.reports) },
  { "arrived", "packets", "without copies; late ones too", "RFC 5348 5.1",
      FIELD_UINT64 (RecvStats, reporter.loss.arrived) },
  { "duplicates", "packets", "that came before", "reporter",
      FIELD_UINT64 (RecvStats, reporter.loss.duplicates) },
  { "late", "packets", "that came after a later one", "reporter",
      FIELD_UINT64 (RecvStats, reporter.loss.late) },
  { "congestion-losses", "packets",
      "lost, by the LDA's verdict to congestion; without send times, as with twcc "
      "and ccfb, all lost ones: the sender judges then",
      "LDA", FIELD_UINT64 (RecvStats, reporter.loss.congestion) },
  { "wireless-losses", "packets",
      "lost, by the LDA's verdict to the radio; none without send times", "LDA",
      FIELD_UINT64 (RecvStats, reporter.loss.wireless) },
  { "recovered", "packets",
      "that came though three later ones came first: late, not lost",
      "RFC 5348 5.1", FIELD_UINT64 (RecvStats, reporter.loss.recovered) },
  { "loss-events", "events", "round trips with one of congestion-losses",
      "RFC 5348 5.2", FIELD_UINT (RecvStats, reporter.loss.events) },
  { "observe", "", "inner values of the algorithms, by their papers' letters",
      "algorithms", FIELD_STRUCTURE ("observe") },
  { "time", "ns", "when this was written, on the pipeline's clock", "clock",
      FIELD_OTHER ("uint64") },
  { NULL },
};

GstStructure *
recv_stats_new (const RaReporter *reporter, const RecvCounters *count,
    const gchar *feedback, gboolean judges, const gchar *lda)
{
  RecvStats x
      = { .feedback = feedback, .judges = judges, .lda = lda, .count = *count };
  GstStructure *s
      = fields_new ("application/x-rtpadaptrecv-stats", recv_stats_fields, &x);

  if (reporter) {
    g_autoptr (GstStructure) values = gst_structure_new_empty ("observe");

    ra_reporter_get_stats (reporter, &x.reporter);
    x.dscp = ra_dscp_fate_nick (x.reporter.dscp);
    fields_set (s, recv_stats_running_fields, &x);
    ra_reporter_observe (reporter, herald_observe, values);
    gst_structure_set (s, "observe", GST_TYPE_STRUCTURE, values, NULL);
  }
  return s;
}

/* --- messages -------------------------------------------------------------- */

typedef struct
{
  const gchar *dscp;
} DscpNews;

const Field recv_dscp_fields[] = {
  { "dscp", "", "bleached: the path clears it; remarked: the path changes it",
      "DSCP against the colour as sent", FIELD_TEXT (DscpNews, dscp) },
  { NULL },
};

GstStructure *
recv_dscp_news (RaDscpFate fate)
{
  return fields_new ("rtpadapt-dscp", recv_dscp_fields,
      &(DscpNews){ ra_dscp_fate_nick (fate) });
}

typedef struct
{
  guint64 time, number;
  const gchar *verdict;
} LossNews;

const Field recv_loss_fields[] = {
  { "time", "ns", "when the packet should have come, on the pipeline's clock",
      "RFC 5348 5.2", FIELD_UINT64 (LossNews, time) },
  { "number", "", "of the packet, in the one sequence of all streams",
      "reporter", FIELD_UINT64 (LossNews, number) },
  { "verdict", "",
      "why it was lost: congestion or wireless; without send times it means "
      "nothing, and the statistics count congestion",
      "LDA", FIELD_TEXT (LossNews, verdict) },
  { NULL },
};

GstStructure *
recv_loss_news (const RaMissing *m, guint64 time)
{
  return fields_new ("rtpadapt-loss", recv_loss_fields,
      &(LossNews){ time, m->seq, ra_cause_nick (m->cause) });
}
