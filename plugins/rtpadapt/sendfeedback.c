/* rtpadaptsend: feedback about what was sent, and the truth about losses.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "sendpriv.h"

#define GST_CAT_DEFAULT gst_rtp_adapt_send_debug

/* Loss messages that wait to be posted; beyond it they are left out. */
#define MESSAGES_MAX 1024

/* The rows whose packets we know, in the library's words; the lock is held.
 * (transfer full) (element-type RaFeedbackPacket) */
static GArray *
rows_map (GstRtpAdaptSend *self, const GArray *rows)
{
  GArray *packets
      = g_array_sized_new (FALSE, FALSE, sizeof (RaFeedbackPacket), rows->len);

  for (guint i = 0; i < rows->len; i++) {
    const TwccRow *row = &g_array_index (rows, TwccRow, i);
    const SentPacket *sent = sent_log_map (self->log, row);
    RaFeedbackPacket packet;

    if (!sent) {
      self->count.unmapped++;
      continue;
    }
    packet.seq = sent->index;
    packet.arrival = row->lost
        ? RA_TIME_NONE
        : twcc_clock_unwrap (&self->remote, row->remote, sent->sent);
    g_array_append_val (packets, packet);
  }
  return packets;
}

/* The lock is held. */
static void
rows_apply (GstRtpAdaptSend *self, const GArray *rows)
{
  GArray *packets = rows_map (self, rows);
  RaTime now = send_now (self);

  if (packets->len > 0) {
    ra_sender_on_feedback (self->sender,
        (const RaFeedbackPacket *) packets->data, packets->len, TWCC_GRAIN,
        now);
    /* The pacer's next packet and the no-feedback timer may have moved. */
    send_wake (self);
    send_tell (self);
  }
  g_array_unref (packets);
}

gboolean
send_on_feedback (GstRtpAdaptSend *self, const GstStructure *s)
{
  GArray *rows = twcc_parse (s);
  gboolean warn = FALSE;

  if (!rows)
    return FALSE;
  g_mutex_lock (&self->lock);
  if (self->sender && twcc_is_doubtful (rows)) {
    self->count.doubtful++;
    GST_INFO_OBJECT (
        self, "a long run of losses: report of %u packets ignored", rows->len);
  } else if (self->sender) {
    if (sent_log_align (self->log, rows)) {
      self->count.realigned++;
      GST_WARNING_OBJECT (self, "rtpsession's numbers moved against ours");
      warn = send_warn_once (self, SEND_WARNED_REALIGNED);
    }
    rows_apply (self, rows);
  }
  g_mutex_unlock (&self->lock);
  g_array_unref (rows);
  if (warn)
    GST_ELEMENT_WARNING (self, STREAM, FAILED,
        ("Packets that left %s were not all numbered by the RTP session.",
            GST_OBJECT_NAME (self)),
        ("rtpadaptsend has to be the last element before rtpsession, and the "
         "only one that feeds it"));
  return TRUE;
}

void
send_on_truth (GstRtpAdaptSend *self, const GstStructure *s)
{
  const gchar *cause = gst_structure_get_string (s, "cause");
  guint ssrc, seqnum;
  SentPacket *p;

  if (!cause || !gst_structure_get_uint (s, "ssrc", &ssrc)
      || !gst_structure_get_uint (s, "seqnum", &seqnum))
    return;
  g_mutex_lock (&self->lock);
  p = self->log ? sent_log_find_rtp (self->log, ssrc, (guint16) seqnum) : NULL;
  if (p)
    p->truth = g_str_equal (cause, ra_cause_nick (RA_CAUSE_CONGESTION))
        ? RA_CAUSE_CONGESTION
        : g_str_equal (cause, ra_cause_nick (RA_CAUSE_WIRELESS))
        ? RA_CAUSE_WIRELESS
        : RA_CAUSE_NONE;
  g_mutex_unlock (&self->lock);
}

static RaCause
truth_get (guint64 seq, gpointer data)
{
  GstRtpAdaptSend *self = data;
  const SentPacket *p = sent_log_find (self->log, seq);

  return p ? p->truth : RA_CAUSE_NONE;
}

static void
loss_count (SendCounters *count, RaCause verdict, RaCause truth)
{
  if (truth == RA_CAUSE_CONGESTION) {
    count->known_congestion++;
    count->misread_congestion += verdict != truth;
  } else if (truth == RA_CAUSE_WIRELESS) {
    count->known_wireless++;
    count->misread_wireless += verdict != truth;
  }
}

/* The library confirmed a loss; the lock is held. */
static void
on_loss (const RaMissing *m, gpointer data)
{
  GstRtpAdaptSend *self = data;
  const SentPacket *p = sent_log_find (self->log, m->seq);

  if (!p)
    return;
  loss_count (&self->count, m->cause, p->truth);
  if (!self->cfg.loss_messages || self->messages.length >= MESSAGES_MAX)
    return;
  g_queue_push_tail (&self->messages,
      gst_message_new_element (GST_OBJECT (self),
          gst_structure_new ("rtpadapt-loss", "time", G_TYPE_UINT64,
              send_clock_time (self, p->sent), "ssrc", G_TYPE_UINT, p->ssrc,
              "seqnum", G_TYPE_UINT, (guint) p->seq, "verdict", G_TYPE_STRING,
              ra_cause_nick (m->cause), "truth", G_TYPE_STRING,
              ra_cause_nick (p->truth), NULL)));
}

void
send_sender_setup (GstRtpAdaptSend *self)
{
  ra_sender_set_truth (self->sender, truth_get, self);
  ra_sender_set_on_loss (self->sender, on_loss, self);
}
