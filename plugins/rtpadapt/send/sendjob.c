/* rtpadaptsend: does what the parts want: the job, messages, statistics.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * One job at a time in GStreamer's thread pool, where it may block: an encoder
 * takes a new bitrate between two frames, an application does as it likes in a
 * notify handler.  Of the values that came meanwhile the job uses the latest.
 */
#include "sendpriv.h"

#include <gst/rtpadapt/lda.h>

#define GST_CAT_DEFAULT gst_rtp_adapt_send_debug

/* The lock is held, and let go. */
static void
messages_post (GstRtpAdaptSend *self)
{
  GstMessage *message;

  while ((message = herald_next (&self->herald))) {
    g_mutex_unlock (&self->lock);
    gst_element_post_message (GST_ELEMENT (self), message);
    g_mutex_lock (&self->lock);
  }
}

/* What each breaker means, RFC 8083. */
static const gchar *
breaker_cause (RaBreakerTrip trip)
{
  switch (trip) {
    case RA_BREAKER_RTCP_TIMEOUT:
      return "neither feedback nor a receiver report came";
    case RA_BREAKER_MEDIA_TIMEOUT:
      return "the receiver says that nothing arrives";
    case RA_BREAKER_CONGESTION:
      return "more than ten times what a TCP would send with these losses";
    case RA_BREAKER_USABILITY:
      return "losses or delays make the media useless";
    default:
      return "none";
  }
}

/* The lock is held, and let go. */
static void
breaker_tell (GstRtpAdaptSend *self)
{
  const gchar *breaker, *state;
  RaSenderStats stats;
  gint mode;

  if (!self->sender)
    return;
  ra_sender_get_stats (self->sender, &stats);
  if (!herald_is_news (&self->herald, SEND_NEWS_BREAKER, stats.breaker))
    return;
  breaker = ra_breaker_nick (stats.trip);
  state = ra_breaker_state_nick (stats.breaker);
  mode = self->hearing.mode;
  herald_post_always (&self->herald,
      gst_message_new_element (GST_OBJECT (self),
          gst_structure_new ("rtpadapt-breaker", "breaker", G_TYPE_STRING,
              breaker, "state", G_TYPE_STRING, state, NULL)));
  if (stats.breaker == RA_BREAKER_CLOSED)
    return;
  g_mutex_unlock (&self->lock);
  if (stats.breaker == RA_BREAKER_OPEN)
    GST_ELEMENT_WARNING (self, RESOURCE, FAILED,
        ("Sending has stopped: circuit breaker %s: %s.", breaker,
            breaker_cause (stats.trip)),
        ("RFC 8083; feedback is %s; sending begins again when the receiver answers, "
         "or by the action signal restart",
            send_feedback_nick (mode)));
  else
    GST_ELEMENT_WARNING (self, RESOURCE, BUSY,
        ("Sending a tenth, every loss is congestion: circuit breaker %s: %s.",
            breaker, breaker_cause (stats.trip)),
        ("RFC 8083 4.3"));
  g_mutex_lock (&self->lock);
}

RaSpan
send_keys_interval (const GstRtpAdaptSend *self)
{
  return key_gate_interval (ra_sender_rtt (self->sender));
}

/* Passes on the requests for key frames whose time has come.  The lock is held,
 * and let go. */
static void
keys_pass (GstRtpAdaptSend *self)
{
  GstEvent *event;

  if (!key_gate_begin (&self->keys))
    return;
  send_wake (self);
  while (self->sender
      && (event = key_gate_take (
              &self->keys, send_keys_interval (self), send_now (self)))) {
    g_mutex_unlock (&self->lock);
    gst_pad_push_event (self->sinkpad, event);
    g_mutex_lock (&self->lock);
  }
}

static void
job (GstElement *element, gpointer user_data)
{
  GstRtpAdaptSend *self = GST_RTP_ADAPT_SEND (element);

  g_mutex_lock (&self->lock);
  do {
    guint64 rate = self->sender ? ra_sender_rate (self->sender) : 0;

    herald_round (&self->herald);
    if (self->sender && herald_is_news (&self->herald, SEND_NEWS_RATE, rate)) {
      g_mutex_unlock (&self->lock);
      g_object_notify (G_OBJECT (self), "estimated-bitrate");
      g_mutex_lock (&self->lock);
    }
    send_hearing_drive (self);
    send_encoders_drive (self);
    send_fec_drive (self);
    send_skips_drive (self);
    send_ecn_drive (self);
    keys_pass (self);
    breaker_tell (self);
    messages_post (self);
  } while (herald_goes_on (&self->herald));
  g_mutex_unlock (&self->lock);
}

void
send_tell (GstRtpAdaptSend *self)
{
  send_assert_locked (self);
  if (herald_wake (&self->herald))
    gst_element_call_async (GST_ELEMENT (self), job, NULL, NULL);
}

void
send_wake (GstRtpAdaptSend *self)
{
  send_assert_locked (self);
  pace_wake (&self->pace);
}

void
send_apply (GstRtpAdaptSend *self, SendWants wants)
{
  if (wants & SEND_REFRESH)
    key_gate_lack (&self->keys);
  if (wants & SEND_SEARCH)
    send_upstream_changed (self);
  if (wants & (SEND_TELL | SEND_SEARCH))
    send_tell (self);
  if (wants & SEND_WAKE)
    send_wake (self);
}

/* --- statistics --------------------------------------------------------- */

void
send_stats_restart (GstRtpAdaptSend *self)
{
  herald_stats_restart (&self->herald,
      self->sender ? send_now (self) : RA_TIME_NONE, self->cfg.stats_interval);
  send_wake (self);
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

GstStructure *
send_stats (GstRtpAdaptSend *self)
{
  const SendConfig *cfg = &self->cfg;
  RaEarStats heard = send_ear_stats (self);
  guint64 rate
      = self->sender ? ra_sender_rate (self->sender) : cfg->start_bitrate;
  GstStructure *s = gst_structure_new ("application/x-rtpadaptsend-stats",
      "controller", G_TYPE_STRING, ra_rates[cfg->controller]->name, "lda",
      G_TYPE_STRING, ra_ldas[cfg->lda]->name, "estimated-bitrate", G_TYPE_UINT,
      (guint) MIN (rate, G_MAXUINT), "fec", G_TYPE_STRING,
      ra_fecs[cfg->fec]->name, "encoder-bitrate", G_TYPE_UINT,
      (guint) MIN (send_encoders_bitrate (self), G_MAXUINT), "not-rtp",
      G_TYPE_UINT64, self->way.not_rtp, "ceased", G_TYPE_UINT64,
      self->outage.ceased, "probes", G_TYPE_UINT64, self->outage.probes,
      "key-requests-held", G_TYPE_UINT64, self->keys.held, "feedback-unmapped",
      G_TYPE_UINT64, heard.unmapped, "feedback-doubtful", G_TYPE_UINT64,
      heard.doubtful, "realigned", G_TYPE_UINT64, heard.realigned,
      "known-congestion", G_TYPE_UINT64, heard.known_congestion,
      "known-wireless", G_TYPE_UINT64, heard.known_wireless,
      "misread-congestion", G_TYPE_UINT64, heard.misread_congestion,
      "misread-wireless", G_TYPE_UINT64, heard.misread_wireless,
      "repeat-requests", G_TYPE_UINT64, self->rtx.asked, "repeat-refused",
      G_TYPE_UINT64, self->rtx.refused, NULL);

  send_hearing_describe (self, s);
  send_stream_stats (self, s);
  send_ecn_describe (self, s);
  if (self->sender) {
    stats_of_sender (self->sender, s);
    gst_structure_set (s, "time", G_TYPE_UINT64,
        our_clock_time (&self->clock, send_now (self)), "backlog", G_TYPE_INT64,
        backlog_span (self->pace.backlog, rate), "dropped", G_TYPE_UINT64,
        backlog_dropped (self->pace.backlog) + self->pace.ended,
        "dropped-frames", G_TYPE_UINT64,
        backlog_dropped_frames (self->pace.backlog), "skipped", G_TYPE_UINT64,
        send_ledger (self)->skipped, NULL);
  }
  return s;
}
