/* rtpadaptrecv: properties.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "recvpriv.h"

#include <gst/rtpadapt/lda.h>

#define GST_CAT_DEFAULT gst_rtp_adapt_recv_debug

/* What follows when a property changed. */
enum
{
  THEN_STATS = 1 << 0, /* the next ones are an interval from now */
};

static gchar *
lda_use (gpointer owner, gint lda, const gchar *params)
{
  GstRtpAdaptRecv *self = owner;
  g_autoptr (GError) error = NULL;

  if (ra_reporter_set_lda (self->reporter, ra_ldas[lda], params, &error))
    return NULL;
  return g_strdup_printf (
      "lda %s goes on as it was: %s", ra_ldas[lda]->name, error->message);
}

PROP_PAIR (RecvConfig, lda);

static void
get_stats (gpointer owner, const PropRow *row, GValue *value)
{
  GstRtpAdaptRecv *self = owner;

  g_mutex_lock (&self->lock);
  g_value_take_boxed (value, recv_stats (self));
  g_mutex_unlock (&self->lock);
}

const PropRow recv_props[] = {
  { "feedback", "Feedback",
      "What is reported to the sender; with twcc rtpsession does it, and "
      "this element only measures",
      PROP_READY,
      PROP_ENUM (
          RecvConfig, feedback, gst_rtp_adapt_feedback_get_type, "twcc") },
  { "feedback-interval", "Feedback interval",
      "Between two reports of feedback=ccfb (@)", PROP_READY,
      PROP_UINT64 (
          RecvConfig, interval, GST_MSECOND, GST_SECOND, RECV_INTERVAL),
      .unit = "ns" },
  { "tfrc-fmt", "TFRC FMT",
      "RTCP feedback message type of TFRC-FB: the draft's figure says 2, "
      "its IANA section 5",
      PROP_PLAYING, PROP_UINT (RecvConfig, tfrc_fmt, 0, 31, RA_TFRC_FB_FMT) },
  { "lda", "Loss differentiation",
      "Which losses are congestion; while running, a new one begins with "
      "default lda-params",
      PROP_PLAYING,
      PROP_ENUM (RecvConfig, lda, gst_rtp_adapt_lda_get_type, RA_DEFAULT_LDA),
      .pair = &lda_pair },
  { "lda-params", "Loss differentiation parameters",
      "The LDA's parameters, \"name=value,name=value\"", PROP_PLAYING,
      PROP_TEXT (RecvConfig, lda_params, ""), .pair = &lda_pair },
  { "late", "Late",
      "A packet that much later than the fastest one counts as delayed "
      "(@)",
      PROP_READY,
      PROP_UINT64 (RecvConfig, late, GST_MSECOND, 60 * GST_SECOND, RECV_LATE),
      .unit = "ns" },
  { "stats", "Statistics", "Structure application/x-rtpadaptrecv-stats",
      PROP_READ, PROP_STATS (get_stats) },
  { "stats-interval", "Statistics interval",
      "Between element messages with the statistics (@, 0 = none)",
      PROP_PLAYING,
      PROP_UINT64 (RecvConfig, stats_interval, 0,
          GST_RTP_ADAPT_STATS_INTERVAL_MAX, RECV_STATS_INTERVAL),
      .unit = "ns", .then = THEN_STATS },
  { "loss-messages", "Loss messages",
      "An element message rtpadapt-loss for each lost packet", PROP_PLAYING,
      PROP_BOOLEAN (RecvConfig, loss_messages, FALSE) },
  { NULL },
};

void
recv_set_property (
    GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  GstRtpAdaptRecv *self = GST_RTP_ADAPT_RECV (object);
  g_autofree gchar *warning = NULL;
  guint then;

  g_mutex_lock (&self->lock);
  then = props_set (&self->cfg, &recv_props[id - 1], value,
      self->reporter ? self : NULL, &warning);
  if (then & THEN_STATS)
    recv_stats_restart (self);
  g_mutex_unlock (&self->lock);
  if (warning)
    GST_ELEMENT_WARNING (self, LIBRARY, SETTINGS, ("%s", warning), (NULL));
}

void
recv_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  GstRtpAdaptRecv *self = GST_RTP_ADAPT_RECV (object);

  props_get (self, &self->lock, &self->cfg, &recv_props[id - 1], value);
}
