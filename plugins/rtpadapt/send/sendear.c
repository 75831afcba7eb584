/* rtpadaptsend: hands what the peer's RTCP says to the ear, and does what the news
 * asks for.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "parts/ecnmeta.h"
#include "sendpriv.h"

#define GST_CAT_DEFAULT gst_rtp_adapt_send_debug

void
send_ear_start (GstRtpAdaptSend *self)
{
  /* As the seed of skipper.c. */
  guint64 seed = (guint64) g_random_int () << 32 | g_random_int ();

  self->ear = ra_ear_new (self->sender, seed);
  self->heard_so_far = (RaEarStats){ 0 };
}

void
send_ear_stop (GstRtpAdaptSend *self)
{
  if (self->ear)
    ra_ear_get_stats (self->ear, &self->heard_so_far);
  g_clear_pointer (&self->ear, ra_ear_free);
}

/* The ear, which goes by what is set and in effect now. */
static RaEar *
ear (GstRtpAdaptSend *self)
{
  ra_ear_set (self->ear,
      &(RaEarConfig){ .kind = self->mode.kind,
          .tfrc_fmt = self->cfg.tfrc_fmt,
          .ecn = self->cfg.ecn,
          .skips = self->cfg.skip_interval > 0,
          .renumbered = self->skippers.renumbered });
  return self->ear;
}

void
send_ear_on_sent (GstRtpAdaptSend *self, BacklogItem *item,
    const RaEarPacket *packet, RaTime now)
{
  RaEcnField field = ra_ear_on_sent (ear (self), packet, now);
  GstBuffer *buffer;

  if (field == RA_ECN_UNSAID)
    return;
  buffer = gst_buffer_make_writable (GST_BUFFER_CAST (item->object));
  rtp_adapt_buffer_set_ecn (buffer, field);
  item->object = GST_MINI_OBJECT_CAST (buffer);
}

/* --- news -------------------------------------------------------------------- */

static GstMessage *
loss_message (GstRtpAdaptSend *self, const RaEarLoss *loss)
{
  return gst_message_new_element (GST_OBJECT (self),
      gst_structure_new ("rtpadapt-loss", "time", G_TYPE_UINT64,
          our_clock_time (&self->clock, loss->sent), "ssrc", G_TYPE_UINT,
          loss->ssrc, "seqnum", G_TYPE_UINT, (guint) loss->seq, "verdict",
          G_TYPE_STRING, ra_cause_nick (loss->verdict), "truth", G_TYPE_STRING,
          ra_cause_nick (loss->truth), NULL));
}

static void
losses_take (GstRtpAdaptSend *self)
{
  RaEarLoss loss;

  while (ra_ear_next_loss (self->ear, &loss)) {
    if (self->cfg.loss_messages && !herald_is_full (&self->herald))
      herald_post (&self->herald, loss_message (self, &loss));
  }
}

static void
ecn_log (GstRtpAdaptSend *self)
{
  RaEarStats stats;

  ra_ear_get_stats (self->ear, &stats);
  GST_INFO_OBJECT (self, "ECN: %s, fault: %s",
      ra_ecn_state_nick (stats.ecn_state), ra_ecn_fault_nick (stats.ecn_fault));
}

static void
news_log (GstRtpAdaptSend *self, RaEarNews news)
{
  if (news & RA_EAR_LIE)
    GST_INFO_OBJECT (self, "packets came that were never sent");
  if (news & RA_EAR_ECN)
    ecn_log (self);
  if (news & RA_EAR_DOUBTFUL)
    GST_INFO_OBJECT (self, "a report that may be spoilt is ignored");
  if (news & RA_EAR_REALIGNED)
    GST_WARNING_OBJECT (self, "rtpsession's numbers moved against ours");
}

/* The lock is held. */
static SendWants
news_take (GstRtpAdaptSend *self, RaEarNews news, RaTime now)
{
  SendWants wants = SEND_WANTS_NOTHING;

  losses_take (self);
  news_log (self, news);
  if (news & RA_EAR_REPORTED)
    wants |= mode_on_reports (&self->mode, now);
  if (news & RA_EAR_WISH)
    wants |= mode_on_wish (&self->mode, ra_ear_wish (self->ear));
  if (news & RA_EAR_ANSWERED) {
    mode_on_kind (&self->mode, now);
    wants |= outage_on_answer (&self->outage, now);
  }
  if (news & RA_EAR_OTHER)
    wants |= mode_on_other (&self->mode, ra_ear_other (self->ear), now);
  if (news & RA_EAR_CHANGED) {
    self->heard_at = now;
    /* The pacer's next packet and the no-feedback timer may have moved. */
    wants |= SEND_WAKE | SEND_TELL;
  }
  return wants;
}

/* --- what comes and goes ------------------------------------------------------ */

SendWants
send_on_rtcp (GstRtpAdaptSend *self, const guint8 *bytes, gsize len)
{
  RaTime now;

  if (!self->sender)
    return SEND_WANTS_NOTHING;
  now = send_now (self);
  outage_on_rtcp (&self->outage, now);
  return news_take (self, ra_ear_on_rtcp (ear (self), bytes, len, now), now);
}

void
send_on_rtcp_sent (GstRtpAdaptSend *self, const guint8 *bytes, gsize len)
{
  if (self->sender)
    ra_ear_on_rtcp_sent (self->ear, bytes, len, send_now (self));
}

SendWants
send_on_twcc (GstRtpAdaptSend *self, const GArray *rows, gboolean *warn)
{
  RaEarNews news;
  RaTime now;

  *warn = FALSE;
  if (!self->sender)
    return SEND_WANTS_NOTHING;
  now = send_now (self);
  news = ra_ear_on_twcc (
      ear (self), (const RaTwccRow *) rows->data, rows->len, now);
  *warn
      = news & RA_EAR_REALIGNED && send_warn_once (self, SEND_WARNED_REALIGNED);
  return news_take (self, news, now);
}

void
send_on_truth (GstRtpAdaptSend *self, const GstStructure *s)
{
  const gchar *nick = gst_structure_get_string (s, "cause");
  RaCause cause = RA_CAUSE_NONE;
  guint ssrc, seqnum;

  if (!nick || !gst_structure_get_uint (s, "ssrc", &ssrc)
      || !gst_structure_get_uint (s, "seqnum", &seqnum))
    return;
  if (g_str_equal (nick, ra_cause_nick (RA_CAUSE_CONGESTION)))
    cause = RA_CAUSE_CONGESTION;
  else if (g_str_equal (nick, ra_cause_nick (RA_CAUSE_WIRELESS)))
    cause = RA_CAUSE_WIRELESS;
  g_mutex_lock (&self->lock);
  if (self->sender)
    ra_ear_truth (self->ear, ssrc, (guint16) seqnum, cause);
  g_mutex_unlock (&self->lock);
}

RaEarStats
send_ear_stats (const GstRtpAdaptSend *self)
{
  RaEarStats stats = self->heard_so_far;

  if (self->ear)
    ra_ear_get_stats (self->ear, &stats);
  return stats;
}
