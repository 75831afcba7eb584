/* rtpadaptrecv: messages, warnings, statistics.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * One job at a time in GStreamer's thread pool posts: a handler on the bus does
 * as it likes, and neither RTCP nor the clock's thread may wait for it.
 */
#include "recvpriv.h"

#define GST_CAT_DEFAULT gst_rtp_adapt_recv_debug

static void
job (GstElement *element, gpointer user_data)
{
  GstRtpAdaptRecv *self = GST_RTP_ADAPT_RECV (element);
  GstMessage *message;

  g_mutex_lock (&self->lock);
  do {
    herald_round (&self->herald);
    while ((message = herald_next (&self->herald))) {
      g_mutex_unlock (&self->lock);
      gst_element_post_message (element, message);
      g_mutex_lock (&self->lock);
    }
  } while (herald_goes_on (&self->herald));
  g_mutex_unlock (&self->lock);
}

void
recv_post (GstRtpAdaptRecv *self, GstMessage *message)
{
  if (herald_post (&self->herald, message) && herald_wake (&self->herald))
    gst_element_call_async (GST_ELEMENT (self), job, NULL, NULL);
}

void
recv_warn (GstRtpAdaptRecv *self, RecvWarned what, gint code, const gchar *text,
    const gchar *debug)
{
  g_autoptr (GError) error = NULL;

  if (!herald_warn_once (&self->herald, what))
    return;
  GST_WARNING_OBJECT (self, "%s (%s)", text, debug);
  error = g_error_new_literal (GST_RESOURCE_ERROR, code, text);
  recv_post (self, gst_message_new_warning (GST_OBJECT (self), error, debug));
}

void
recv_dscp_tell (GstRtpAdaptRecv *self)
{
  RaReporterStats stats;

  ra_reporter_get_stats (self->reporter, &stats);
  if (!herald_is_news (&self->herald, RECV_NEWS_DSCP, stats.dscp))
    return;
  GST_INFO_OBJECT (self, "DSCP: %s", ra_dscp_fate_nick (stats.dscp));
  if (stats.dscp == RA_DSCP_BLEACHED || stats.dscp == RA_DSCP_REMARKED)
    recv_post (self,
        gst_message_new_element (GST_OBJECT (self),
            gst_structure_new ("rtpadapt-dscp", "dscp", G_TYPE_STRING,
                ra_dscp_fate_nick (stats.dscp), NULL)));
}

/* The library confirmed a loss; the lock is held. */
static void
on_loss (const RaMissing *m, gpointer data)
{
  GstRtpAdaptRecv *self = data;

  if (!self->cfg.loss_messages)
    return;
  recv_post (self,
      gst_message_new_element (GST_OBJECT (self),
          gst_structure_new ("rtpadapt-loss", "time", G_TYPE_UINT64,
              our_clock_time (&self->clock, m->t_loss), "number", G_TYPE_UINT64,
              m->seq, "verdict", G_TYPE_STRING, ra_cause_nick (m->cause),
              NULL)));
}

void
recv_reporter_setup (GstRtpAdaptRecv *self)
{
  ra_reporter_set_on_loss (self->reporter, on_loss, self);
}

const gchar *
recv_feedback_nick (const GstRtpAdaptRecv *self)
{
  switch (self->reports) {
    case RA_REPORTS_TFRC:
      return "tfrc";
    case RA_REPORTS_CCFB:
      return "ccfb";
    default:
      return self->ids.number ? "twcc" : "none";
  }
}

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
recv_stats (GstRtpAdaptRecv *self)
{
  const RecvCounters *count = &self->count;
  GstStructure *s = gst_structure_new ("application/x-rtpadaptrecv-stats",
      "feedback", G_TYPE_STRING, recv_feedback_nick (self), "lda",
      G_TYPE_STRING, ra_ldas[self->cfg.lda]->name, "not-rtp", G_TYPE_UINT64,
      count->not_rtp, "rtcp", G_TYPE_UINT64, count->rtcp, "reports-sent",
      G_TYPE_UINT64, count->reports_sent, "reports-refused", G_TYPE_UINT64,
      count->reports_refused, "reports-no-room", G_TYPE_UINT64,
      count->reports_no_room, NULL);

  if (self->reporter) {
    stats_of_reporter (self->reporter, s);
    gst_structure_set (s, "time", G_TYPE_UINT64,
        our_clock_time (&self->clock, our_now (&self->clock)), NULL);
  }
  return s;
}
