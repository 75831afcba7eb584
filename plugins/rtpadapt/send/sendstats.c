/* rtpadaptsend: statistics, field by field.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "sendstats.h"

#include "parts/herald.h"

#include <gst/rtpadapt/repair/repair.h>

/* RaSpan to the ns of a stats field. */
static gint64
span_field (RaSpan span)
{
  return span == RA_SPAN_NONE ? -1 : span;
}

void
send_stats_sender (GstStructure *s, const RaSender *sender)
{
  g_autoptr (GstStructure) values = gst_structure_new_empty ("observe");
  RaSenderStats stats;

  ra_sender_get_stats (sender, &stats);
  ra_sender_observe (sender, herald_observe, values);
  gst_structure_set (s, "packets-sent", G_TYPE_UINT64, stats.packets_sent,
      "bytes-sent", G_TYPE_UINT64, stats.bytes_sent, "rtt", G_TYPE_INT64,
      span_field (stats.rtt), "queue", G_TYPE_INT64, span_field (stats.queue),
      "recv-bitrate", G_TYPE_UINT64, stats.recv_rate, "p", G_TYPE_DOUBLE,
      stats.p, "feedback", G_TYPE_UINT64, stats.feedback, "feedback-bad",
      G_TYPE_UINT64, stats.feedback_bad, "congestion-losses", G_TYPE_UINT64,
      stats.loss.congestion, "wireless-losses", G_TYPE_UINT64,
      stats.loss.wireless, "loss-events", G_TYPE_UINT, stats.loss.events,
      "recovered", G_TYPE_UINT64, stats.loss.recovered, "lies", G_TYPE_UINT,
      stats.lies, "liar", G_TYPE_BOOLEAN, stats.liar, "competes",
      G_TYPE_BOOLEAN, stats.competes, "friendly-bitrate", G_TYPE_UINT64,
      stats.friendly, "radio-loss", G_TYPE_DOUBLE, stats.radio_loss, "breaker",
      G_TYPE_STRING, ra_breaker_nick (stats.trip), "breaker-state",
      G_TYPE_STRING, ra_breaker_state_nick (stats.breaker), "observe",
      GST_TYPE_STRUCTURE, values, NULL);
}

void
send_stats_repair (GstStructure *s, const RaRepair *repair)
{
  const RaRepairStats *x = &repair->stats;

  gst_structure_set (s, "repeat-requests", G_TYPE_UINT64, x->nacks,
      "repeat-refused", G_TYPE_UINT64, x->refused, "repeats-own", G_TYPE_UINT64,
      x->own, "repeats-mended", G_TYPE_UINT64, x->mended, "repeats-late",
      G_TYPE_UINT64, x->late, "repeats-over-budget", G_TYPE_UINT64, x->over,
      NULL);
}

/* The receiver's own words. */
static GstStructure *
peer_describe (const RaRadp *x)
{
  return gst_structure_new ("peer", "lda", G_TYPE_STRING, x->lda, "w",
      G_TYPE_DOUBLE, x->w, "p-c", G_TYPE_DOUBLE, x->p_c, "delayed",
      G_TYPE_DOUBLE, x->delayed, "burst", G_TYPE_DOUBLE, x->burst, "queue",
      G_TYPE_INT64, x->queue == RA_SPAN_NONE ? -1 : x->queue, "expected",
      G_TYPE_UINT, x->expected, "arrived", G_TYPE_UINT, x->arrived,
      "congestion-losses", G_TYPE_UINT, x->lost_congestion, "wireless-losses",
      G_TYPE_UINT, x->lost_wireless, "wireless-runs", G_TYPE_UINT,
      x->wireless_runs, "loss-events", G_TYPE_UINT, x->n_events, NULL);
}

void
send_stats_heard (GstStructure *s, const RaFeedbackOps *mode,
    const RaFeedbackOps *wanted, const RaEarStats *heard, guint64 malformed,
    const RaEar *ear)
{
  const RaRadp *radp = ear ? ra_ear_radp (ear) : NULL;

  gst_structure_set (s, "feedback-mode", G_TYPE_STRING, ra_feedback_name (mode),
      "feedback-wanted", G_TYPE_STRING, ra_feedback_name (wanted),
      "reports-foreign", G_TYPE_UINT64, heard->foreign, "reports-unasked",
      G_TYPE_UINT64, heard->unasked, "extensions-malformed", G_TYPE_UINT64,
      malformed, NULL);
  for (guint i = 0; i < RA_N_HEARD; i++) {
    g_autofree gchar *field
        = g_strconcat ("reports-", ra_heard_nick ((RaHeard) i), NULL);

    gst_structure_set (s, field, G_TYPE_UINT64, heard->heard[i], NULL);
  }
  if (ear && ra_ear_hold (ear))
    gst_structure_set (s, "peer-latency", G_TYPE_INT64, ra_ear_hold (ear)->now,
        "peer-max-latency", G_TYPE_INT64, ra_ear_hold (ear)->most, NULL);
  if (radp) {
    g_autoptr (GstStructure) peer = peer_describe (radp);

    gst_structure_set (s, "peer", GST_TYPE_STRUCTURE, peer, NULL);
  }
}

void
send_stats_marks (GstStructure *s, const gchar *colour, const guint64 *packets,
    const guint64 *bytes)
{
  gst_structure_set (s, "colour", G_TYPE_STRING, colour, "green-packets",
      G_TYPE_UINT64, packets[RA_MARK_GREEN], "green-bytes", G_TYPE_UINT64,
      bytes[RA_MARK_GREEN], "yellow-packets", G_TYPE_UINT64,
      packets[RA_MARK_YELLOW], "yellow-bytes", G_TYPE_UINT64,
      bytes[RA_MARK_YELLOW], "red-packets", G_TYPE_UINT64, packets[RA_MARK_RED],
      "red-bytes", G_TYPE_UINT64, bytes[RA_MARK_RED], NULL);
}

void
send_stats_streams (
    GstStructure *s, const RaSender *sender, const Streams *streams, RaTime now)
{
  GValue value = G_VALUE_INIT;

  streams_describe (streams, now, &value);
  gst_structure_take_value (s, "streams", &value);
  gst_structure_set (s, "fec-percentage", G_TYPE_UINT, ra_sender_fec (sender),
      "beside-bitrate", G_TYPE_UINT64, streams_other_bitrate (streams, now),
      NULL);
}

void
send_stats_ecn (GstStructure *s, const RaEarStats *heard)
{
  gst_structure_set (s, "ecn-state", G_TYPE_STRING,
      ra_ecn_state_nick (heard->ecn_state), "ecn-fault", G_TYPE_STRING,
      ra_ecn_fault_nick (heard->ecn_fault), "ecn-failed", G_TYPE_UINT,
      heard->ecn_failed, "ecn-sent", G_TYPE_UINT64, heard->ecn_sent, "ecn-ce",
      G_TYPE_UINT64, heard->ecn_ce, NULL);
}
