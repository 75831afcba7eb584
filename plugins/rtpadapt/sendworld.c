/* rtpadaptsend: what the world is told: encoder, notify, messages, stats.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * One job at a time in GStreamer's thread pool, where it may block: an encoder
 * takes a new bitrate between two frames, an application does as it likes in a
 * notify handler.  What came meanwhile is told together, the latest value
 * wins.
 */
#include "sendpriv.h"

#include <gst/rtpadapt/lda.h>

#define GST_CAT_DEFAULT gst_rtp_adapt_send_debug

gboolean
send_warn_once (GstRtpAdaptSend *self, SendWarned what)
{
  gboolean first = !(self->warned & what);

  self->warned |= what;
  return first;
}

/* Another encoder than before: once, with the lock held and let go. */
static void
encoder_new (GstRtpAdaptSend *self, GstElement *encoder)
{
  const EncoderRow *row = encoder_row (encoder);
  g_autofree gchar *problem = NULL;

  self->encoder_row = row;
  g_mutex_unlock (&self->lock);
  GST_INFO_OBJECT (
      self, "%" GST_PTR_FORMAT " takes a bitrate: %s", encoder, row->change);
  problem = encoder_prepare (encoder, row);
  if (problem)
    GST_ELEMENT_WARNING (self, RESOURCE, SETTINGS,
        ("%s does not hold its bitrate: %s.", GST_OBJECT_NAME (encoder),
            problem),
        ("it works with: %s", row->settings));
  g_mutex_lock (&self->lock);
}

/* The encoder as known, or as found now.  The lock is held, and let go for the
 * search.  (transfer full), or NULL. */
static GstElement *
encoder_get (GstRtpAdaptSend *self)
{
  g_autofree gchar *name = g_strdup (self->cfg.encoder);
  GstElement *encoder, *before = g_weak_ref_get (&self->encoder);

  if (before && !self->encoder_stale)
    return before;
  self->encoder_stale = FALSE;
  g_mutex_unlock (&self->lock);
  encoder = *name ? encoder_find_named (GST_ELEMENT (self), name)
                  : encoder_find_upstream (self->sinkpad);
  if (encoder && !encoder_row (encoder))
    gst_clear_object (&encoder);
  g_mutex_lock (&self->lock);
  if (encoder != before) {
    self->encoder_state = (EncoderState){ 0 };
    self->encoder_again = RA_TIME_NONE;
  }
  if (encoder && encoder != before)
    encoder_new (self, encoder);
  g_weak_ref_set (&self->encoder, encoder);
  gst_clear_object (&before);
  return encoder;
}

/* The lock is held, and let go for what may block. */
static void
encoder_drive (GstRtpAdaptSend *self)
{
  GstElement *encoder = encoder_get (self);
  EncoderState state = self->encoder_state;
  const EncoderRow *row = self->encoder_row;
  RaTime now, again;
  RaSplit split;

  if (!self->sender) {
    gst_clear_object (&encoder);
    return;
  }
  if (!encoder) {
    gboolean warn = self->encoder_expected
        && send_warn_once (self, SEND_WARNED_NO_ENCODER);
    g_autofree gchar *name = g_strdup (self->cfg.encoder);

    self->encoder_stale = TRUE;
    if (!warn)
      return;
    g_mutex_unlock (&self->lock);
    GST_ELEMENT_WARNING (self, RESOURCE, NOT_FOUND,
        ("No encoder that %s can drive%s%s%s.", GST_OBJECT_NAME (self),
            *name ? " is named '" : " is upstream", name, *name ? "'" : ""),
        ("notify::estimated-bitrate still tells the bitrate"));
    g_mutex_lock (&self->lock);
    return;
  }
  ra_sender_split (self->sender,
      backlog_span (self->backlog, ra_sender_rate (self->sender)), &split);
  if (split.media == 0) { /* a breaker is open; no encoder takes 0 */
    gst_object_unref (encoder);
    return;
  }
  now = send_now (self);
  g_mutex_unlock (&self->lock);
  again = encoder_follow (encoder, row, &state, split.media, now);
  if (state.at == now)
    GST_DEBUG_OBJECT (self, "%" GST_PTR_FORMAT ": %" G_GUINT64_FORMAT " bit/s",
        encoder, state.bps);
  gst_object_unref (encoder);
  g_mutex_lock (&self->lock);
  self->encoder_state = state;
  self->encoder_again = again;
  if (again != RA_TIME_NONE)
    send_wake (self);
}

/* The lock is held, and let go. */
static void
messages_post (GstRtpAdaptSend *self)
{
  GstMessage *message;

  while ((message = g_queue_pop_head (&self->messages))) {
    g_mutex_unlock (&self->lock);
    gst_element_post_message (GST_ELEMENT (self), message);
    g_mutex_lock (&self->lock);
  }
}

/* The lock is held, and let go. */
static void
breaker_tell (GstRtpAdaptSend *self)
{
  const gchar *breaker, *state;
  RaSenderStats stats;

  if (!self->sender)
    return;
  ra_sender_get_stats (self->sender, &stats);
  if (stats.breaker == self->breaker_told)
    return;
  self->breaker_told = stats.breaker;
  breaker = ra_breaker_nick (stats.trip);
  state = ra_breaker_state_nick (stats.breaker);
  g_queue_push_tail (&self->messages,
      gst_message_new_element (GST_OBJECT (self),
          gst_structure_new ("rtpadapt-breaker", "breaker", G_TYPE_STRING,
              breaker, "state", G_TYPE_STRING, state, NULL)));
  if (stats.breaker == RA_BREAKER_CLOSED)
    return;
  g_mutex_unlock (&self->lock);
  if (stats.breaker == RA_BREAKER_OPEN)
    GST_ELEMENT_WARNING (self, RESOURCE, FAILED,
        ("Sending has stopped: circuit breaker %s.", breaker),
        ("RFC 8083; the action signal restart tries again%s",
            stats.trip == RA_BREAKER_RTCP_TIMEOUT
                ? "; does the receiver send transport-wide feedback?"
                : ""));
  else
    GST_ELEMENT_WARNING (self, RESOURCE, BUSY,
        ("Sending a tenth, every loss is congestion: circuit breaker %s.",
            breaker),
        ("RFC 8083 4.3"));
  g_mutex_lock (&self->lock);
}

static void
job (GstElement *element, gpointer user_data)
{
  GstRtpAdaptSend *self = GST_RTP_ADAPT_SEND (element);

  g_mutex_lock (&self->lock);
  do {
    guint64 rate = self->sender ? ra_sender_rate (self->sender) : 0;

    self->job_again = FALSE;
    if (self->sender && rate != self->notified) {
      self->notified = rate;
      g_mutex_unlock (&self->lock);
      g_object_notify (G_OBJECT (self), "estimated-bitrate");
      g_mutex_lock (&self->lock);
    }
    encoder_drive (self);
    send_fec_drive (self);
    breaker_tell (self);
    messages_post (self);
  } while (self->job_again);
  self->job_pending = FALSE;
  g_mutex_unlock (&self->lock);
}

void
send_tell (GstRtpAdaptSend *self)
{
  self->job_again = TRUE;
  if (self->job_pending)
    return;
  self->job_pending = TRUE;
  gst_element_call_async (GST_ELEMENT (self), job, NULL, NULL);
}

static void
observe (const gchar *name, gdouble value, gpointer data)
{
  gst_structure_set ((GstStructure *) data, name, G_TYPE_DOUBLE, value, NULL);
}

/* RaSpan to the ns of a stats field. */
static gint64
span_field (RaSpan span)
{
  return span == RA_SPAN_NONE ? -1 : span;
}

static void
stats_of_sender (const RaSender *sender, GstStructure *s)
{
  g_autoptr (GstStructure) values = gst_structure_new_empty ("observe");
  RaSenderStats stats;

  ra_sender_get_stats (sender, &stats);
  ra_sender_observe (sender, observe, values);
  gst_structure_set (s, "packets-sent", G_TYPE_UINT64, stats.packets_sent,
      "bytes-sent", G_TYPE_UINT64, stats.bytes_sent, "rtt", G_TYPE_INT64,
      span_field (stats.rtt), "queue", G_TYPE_INT64, span_field (stats.queue),
      "recv-bitrate", G_TYPE_UINT64, stats.recv_rate, "p", G_TYPE_DOUBLE,
      stats.p, "feedback", G_TYPE_UINT64, stats.feedback, "feedback-bad",
      G_TYPE_UINT64, stats.feedback_bad, "congestion-losses", G_TYPE_UINT64,
      stats.loss.congestion, "wireless-losses", G_TYPE_UINT64,
      stats.loss.wireless, "loss-events", G_TYPE_UINT, stats.loss.events,
      "recovered", G_TYPE_UINT64, stats.loss.recovered, "friendly-bitrate",
      G_TYPE_UINT64, stats.friendly, "breaker", G_TYPE_STRING,
      ra_breaker_nick (stats.trip), "breaker-state", G_TYPE_STRING,
      ra_breaker_state_nick (stats.breaker), "observe", GST_TYPE_STRUCTURE,
      values, NULL);
}

GstStructure *
send_stats (GstRtpAdaptSend *self)
{
  const SendConfig *cfg = &self->cfg;
  const SendCounters *count = &self->count;
  guint64 rate
      = self->sender ? ra_sender_rate (self->sender) : cfg->start_bitrate;
  GstStructure *s = gst_structure_new ("application/x-rtpadaptsend-stats",
      "controller", G_TYPE_STRING, ra_rates[cfg->controller]->name, "lda",
      G_TYPE_STRING, ra_ldas[cfg->lda]->name, "estimated-bitrate", G_TYPE_UINT,
      (guint) MIN (rate, G_MAXUINT), "fec", G_TYPE_STRING,
      ra_fecs[cfg->fec]->name, "encoder-bitrate", G_TYPE_UINT,
      (guint) MIN (self->encoder_state.bps, G_MAXUINT), "not-rtp",
      G_TYPE_UINT64, count->not_rtp, "ceased", G_TYPE_UINT64, count->ceased,
      "feedback-unmapped", G_TYPE_UINT64, count->unmapped, "feedback-doubtful",
      G_TYPE_UINT64, count->doubtful, "realigned", G_TYPE_UINT64,
      count->realigned, "known-congestion", G_TYPE_UINT64,
      count->known_congestion, "known-wireless", G_TYPE_UINT64,
      count->known_wireless, "misread-congestion", G_TYPE_UINT64,
      count->misread_congestion, "misread-wireless", G_TYPE_UINT64,
      count->misread_wireless, NULL);

  if (self->sender) {
    stats_of_sender (self->sender, s);
    gst_structure_set (s, "time", G_TYPE_UINT64,
        send_clock_time (self, send_now (self)), "backlog", G_TYPE_INT64,
        backlog_span (self->backlog, rate), "dropped", G_TYPE_UINT64,
        backlog_dropped (self->backlog), "dropped-frames", G_TYPE_UINT64,
        backlog_dropped_frames (self->backlog), NULL);
  }
  return s;
}
