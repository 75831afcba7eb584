/* rtpadaptrecv: properties.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "recvpriv.h"

#include <gst/rtpadapt/lda.h>

#define GST_CAT_DEFAULT gst_rtp_adapt_recv_debug

enum
{
  PROP_0,
  PROP_FEEDBACK,
  PROP_FEEDBACK_INTERVAL,
  PROP_TFRC_FMT,
  PROP_LDA,
  PROP_LDA_PARAMS,
  PROP_LATE,
  PROP_STATS,
  PROP_STATS_INTERVAL,
  PROP_LOSS_MESSAGES,
};

/* A new LDA, or new parameters, while running.  On bad parameters the old one
 * goes on, its settings stay, and the warning is returned.  The lock is
 * held. */
static gchar *
lda_set (GstRtpAdaptRecv *self, gint lda, const gchar *params)
{
  g_autoptr (GError) error = NULL;
  gchar *text;

  if (self->reporter
      && !ra_reporter_set_lda (self->reporter, ra_ldas[lda], params, &error))
    return g_strdup_printf (
        "lda %s goes on as it was: %s", ra_ldas[lda]->name, error->message);
  text = g_strdup (params); /* may be the old one */
  self->cfg.lda = lda;
  g_free (self->cfg.lda_params);
  self->cfg.lda_params = text;
  return NULL;
}

/* Parameters are an algorithm's own: another one starts with its defaults,
 * unless both are set before the start, in any order. */
static gchar *
lda_choose (GstRtpAdaptRecv *self, gint lda)
{
  gboolean keep = lda == self->cfg.lda || !self->reporter;

  return lda_set (self, lda, keep ? self->cfg.lda_params : "");
}

/* The lock is held.  The warning to be posted without it, or NULL. */
static gchar *
property_set (GstRtpAdaptRecv *self, guint id, const GValue *value)
{
  RecvConfig *cfg = &self->cfg;
  const gchar *text;

  switch (id) {
    case PROP_FEEDBACK:
      cfg->feedback = g_value_get_enum (value);
      return NULL;
    case PROP_FEEDBACK_INTERVAL:
      cfg->interval = g_value_get_uint64 (value);
      return NULL;
    case PROP_TFRC_FMT:
      cfg->tfrc_fmt = g_value_get_uint (value);
      return NULL;
    case PROP_LDA:
      return lda_choose (self, g_value_get_enum (value));
    case PROP_LDA_PARAMS:
      text = g_value_get_string (value);
      return lda_set (self, cfg->lda, text ? text : "");
    case PROP_LATE:
      cfg->late = g_value_get_uint64 (value);
      return NULL;
    case PROP_STATS_INTERVAL:
      cfg->stats_interval = g_value_get_uint64 (value);
      recv_stats_restart (self);
      return NULL;
    case PROP_LOSS_MESSAGES:
      cfg->loss_messages = g_value_get_boolean (value);
      return NULL;
    default:
      g_return_val_if_reached (NULL);
  }
}

void
recv_set_property (
    GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  GstRtpAdaptRecv *self = GST_RTP_ADAPT_RECV (object);
  g_autofree gchar *warning = NULL;

  g_mutex_lock (&self->lock);
  warning = property_set (self, id, value);
  g_mutex_unlock (&self->lock);
  if (warning)
    GST_ELEMENT_WARNING (self, LIBRARY, SETTINGS, ("%s", warning), (NULL));
}

void
recv_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  GstRtpAdaptRecv *self = GST_RTP_ADAPT_RECV (object);
  const RecvConfig *cfg = &self->cfg;

  g_mutex_lock (&self->lock);
  switch (id) {
    case PROP_FEEDBACK:
      g_value_set_enum (value, cfg->feedback);
      break;
    case PROP_FEEDBACK_INTERVAL:
      g_value_set_uint64 (value, cfg->interval);
      break;
    case PROP_TFRC_FMT:
      g_value_set_uint (value, cfg->tfrc_fmt);
      break;
    case PROP_LDA:
      g_value_set_enum (value, cfg->lda);
      break;
    case PROP_LDA_PARAMS:
      g_value_set_string (value, cfg->lda_params);
      break;
    case PROP_LATE:
      g_value_set_uint64 (value, cfg->late);
      break;
    case PROP_STATS:
      g_value_take_boxed (value, recv_stats (self));
      break;
    case PROP_STATS_INTERVAL:
      g_value_set_uint64 (value, cfg->stats_interval);
      break;
    case PROP_LOSS_MESSAGES:
      g_value_set_boolean (value, cfg->loss_messages);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
      break;
  }
  g_mutex_unlock (&self->lock);
}

#define STATIC G_PARAM_STATIC_STRINGS
#define READ (G_PARAM_READABLE | STATIC)
#define READY (G_PARAM_READWRITE | STATIC | GST_PARAM_MUTABLE_READY)
#define PLAYING (G_PARAM_READWRITE | STATIC | GST_PARAM_MUTABLE_PLAYING)

static void
feedback_props_install (GObjectClass *klass)
{
  g_object_class_install_property (klass, PROP_FEEDBACK,
      g_param_spec_enum ("feedback", "Feedback",
          "What is reported to the sender; with twcc rtpsession does it, and "
          "this element only measures",
          GST_TYPE_RTP_ADAPT_FEEDBACK, GST_RTP_ADAPT_FEEDBACK_TWCC, READY));
  g_object_class_install_property (klass, PROP_FEEDBACK_INTERVAL,
      g_param_spec_uint64 ("feedback-interval", "Feedback interval",
          "Between two reports of feedback=ccfb (ns)", GST_MSECOND, GST_SECOND,
          RECV_INTERVAL, READY));
  g_object_class_install_property (klass, PROP_TFRC_FMT,
      g_param_spec_uint ("tfrc-fmt", "TFRC FMT",
          "RTCP feedback message type of TFRC-FB: the draft's figure says 2, "
          "its IANA section 5",
          0, 31, RA_TFRC_FB_FMT, PLAYING));
}

void
recv_props_install (GObjectClass *klass)
{
  feedback_props_install (klass);
  g_object_class_install_property (klass, PROP_LDA,
      g_param_spec_enum ("lda", "Loss differentiation",
          "Which losses are congestion; while running, a new one begins with "
          "default lda-params",
          GST_TYPE_RTP_ADAPT_LDA,
          gst_rtp_adapt_enum_value (GST_TYPE_RTP_ADAPT_LDA, RA_DEFAULT_LDA),
          PLAYING));
  g_object_class_install_property (klass, PROP_LDA_PARAMS,
      g_param_spec_string ("lda-params", "Loss differentiation parameters",
          "The LDA's parameters, \"name=value,name=value\"", "", PLAYING));
  g_object_class_install_property (klass, PROP_LATE,
      g_param_spec_uint64 ("late", "Late",
          "A packet that much later than the fastest one counts as delayed "
          "(ns)",
          GST_MSECOND, 60 * GST_SECOND, RECV_LATE, READY));
  g_object_class_install_property (klass, PROP_STATS,
      g_param_spec_boxed ("stats", "Statistics",
          "Structure application/x-rtpadaptrecv-stats", GST_TYPE_STRUCTURE,
          READ));
  g_object_class_install_property (klass, PROP_STATS_INTERVAL,
      g_param_spec_uint64 ("stats-interval", "Statistics interval",
          "Between element messages with the statistics (ns, 0 = none)", 0,
          GST_RTP_ADAPT_STATS_INTERVAL_MAX, RECV_STATS_INTERVAL, PLAYING));
  g_object_class_install_property (klass, PROP_LOSS_MESSAGES,
      g_param_spec_boolean ("loss-messages", "Loss messages",
          "An element message rtpadapt-loss for each lost packet", FALSE,
          PLAYING));
}
