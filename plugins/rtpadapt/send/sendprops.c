/* rtpadaptsend: properties.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "enums.h"
#include "sendpriv.h"

#include <math.h>

#define GST_CAT_DEFAULT gst_rtp_adapt_send_debug

/* TFRC's MSS (RFC 5348 4.2) where the path MTU is not known. */
#define MSS 1460

enum
{
  PROP_0,
  PROP_ESTIMATED_BITRATE,
  PROP_MIN_BITRATE,
  PROP_START_BITRATE,
  PROP_MAX_BITRATE,
  PROP_CONTROLLER,
  PROP_CONTROLLER_PARAMS,
  PROP_LDA,
  PROP_LDA_PARAMS,
  PROP_FEC,
  PROP_FEC_PARAMS,
  PROP_FEEDBACK,
  PROP_TFRC_FMT,
  PROP_BURST,
  PROP_MAX_BACKLOG,
  PROP_ENCODER,
  PROP_ENCODER_BITRATE,
  PROP_STATS,
  PROP_STATS_INTERVAL,
  PROP_LOSS_MESSAGES,
  PROP_FRIENDLINESS_CAP,
  PROP_CIRCUIT_BREAKERS,
};

RaRateConfig
send_limits (const SendConfig *cfg)
{
  return (RaRateConfig){
    .min = cfg->min_bitrate,
    .start = cfg->start_bitrate,
    .max = cfg->max_bitrate,
    .mss = MSS,
  };
}

/* The lock is held.  The warning to be posted without it, or NULL. */
static gchar *
limits_set (GstRtpAdaptSend *self)
{
  RaRateConfig limits = send_limits (&self->cfg);

  if (!self->sender)
    return NULL;
  ra_sender_set_limits (self->sender, &limits);
  send_wake (self);
  send_tell (self);
  return send_limits_check (&self->cfg);
}

gchar *
send_limits_check (const SendConfig *cfg)
{
  /* A maximum below the default minimum is no mistake: the default gives way. */
  if (cfg->min_bitrate <= cfg->max_bitrate || cfg->min_bitrate == SEND_MIN)
    return NULL;
  return g_strdup_printf (
      "min-bitrate %u is above max-bitrate %u: both are taken as %u",
      cfg->min_bitrate, cfg->max_bitrate, cfg->max_bitrate);
}

/* A new LDA or controller, or new parameters, while running.  On bad
 * parameters the old one goes on, its settings stay, and the warning is
 * returned.  `text` is taken over.  The lock is held. */
static gchar *
lda_set (GstRtpAdaptSend *self, gint lda, gchar *text)
{
  g_autoptr (GError) error = NULL;
  g_autofree gchar *params = text;

  if (self->sender
      && !ra_sender_set_lda (self->sender, ra_ldas[lda], params, &error))
    return g_strdup_printf (
        "lda %s goes on as it was: %s", ra_ldas[lda]->name, error->message);
  self->cfg.lda = lda;
  g_free (self->cfg.lda_params);
  self->cfg.lda_params = g_steal_pointer (&params);
  return send_colour_check (self);
}

static gchar *
fec_set (GstRtpAdaptSend *self, gint fec, gchar *text)
{
  g_autofree gchar *params = text;
  gchar *warning = send_fec_rule (self, fec, params);

  if (warning)
    return warning;
  self->cfg.fec = fec;
  g_free (self->cfg.fec_params);
  self->cfg.fec_params = g_steal_pointer (&params);
  return NULL;
}

static gchar *
controller_set (GstRtpAdaptSend *self, gint controller, gchar *text)
{
  g_autoptr (GError) error = NULL;
  g_autofree gchar *params = text;

  if (self->sender) {
    if (!ra_sender_set_controller (self->sender, ra_rates[controller], params,
            send_now (self), &error))
      return g_strdup_printf ("controller %s goes on as it was: %s",
          ra_rates[controller]->name, error->message);
    send_wake (self);
    send_tell (self);
  }
  self->cfg.controller = controller;
  g_free (self->cfg.controller_params);
  self->cfg.controller_params = g_steal_pointer (&params);
  return NULL;
}

/* The lock is held. */
static void
safety_set (GstRtpAdaptSend *self)
{
  if (!self->sender)
    return;
  ra_sender_set_safety (
      self->sender, self->cfg.friendliness_cap, self->cfg.circuit_breakers);
  send_wake (self);
  send_tell (self);
}

/* While none tripped and nobody lied it would forget the losses that hold the
 * rate down. */
void
send_restart (GstRtpAdaptSend *self)
{
  RaSenderStats stats = { .breaker = RA_BREAKER_CLOSED };

  g_mutex_lock (&self->lock);
  if (self->sender)
    ra_sender_get_stats (self->sender, &stats);
  if (stats.breaker != RA_BREAKER_CLOSED || stats.liar) {
    ra_sender_restart (self->sender);
    send_wake (self);
    send_tell (self);
  }
  g_mutex_unlock (&self->lock);
}

/* Parameters are an algorithm's own: another one starts with its defaults,
 * unless both are set before the start, in any order. */
static gchar *
params_for (const GstRtpAdaptSend *self, gboolean same, const gchar *params)
{
  return g_strdup (same || !self->sender ? params : "");
}

/* A text without NULL. */
static gchar *
value_text (const GValue *value)
{
  const gchar *text = g_value_get_string (value);

  return g_strdup (text ? text : "");
}

/* Settings that stand for themselves.  As property_set(). */
static gchar *
setting_set (GstRtpAdaptSend *self, guint id, const GValue *value)
{
  SendConfig *cfg = &self->cfg;

  switch (id) {
    case PROP_FEEDBACK:
      cfg->feedback = g_value_get_enum (value);
      return NULL;
    case PROP_TFRC_FMT:
      cfg->tfrc_fmt = g_value_get_uint (value);
      return NULL;
    case PROP_BURST:
      cfg->burst = g_value_get_uint64 (value);
      return NULL;
    case PROP_MAX_BACKLOG:
      cfg->max_backlog = g_value_get_uint64 (value);
      return NULL;
    case PROP_ENCODER:
      g_free (cfg->encoder);
      cfg->encoder = value_text (value);
      self->encoder_stale = TRUE;
      self->warned &= ~SEND_WARNED_NO_ENCODER;
      if (self->sender)
        send_tell (self);
      return NULL;
    case PROP_STATS_INTERVAL:
      cfg->stats_interval = g_value_get_uint64 (value);
      send_stats_restart (self);
      return NULL;
    case PROP_LOSS_MESSAGES:
      cfg->loss_messages = g_value_get_boolean (value);
      return NULL;
    case PROP_FRIENDLINESS_CAP:
      if (isnan (g_value_get_double (value))) /* GParamSpec lets it pass */
        return g_strdup ("friendliness-cap stays: that is no number");
      cfg->friendliness_cap = g_value_get_double (value);
      safety_set (self);
      return NULL;
    case PROP_CIRCUIT_BREAKERS:
      cfg->circuit_breakers = g_value_get_boolean (value);
      safety_set (self);
      return NULL;
    default:
      return send_stream_property_set (self, id, value);
  }
}

/* The lock is held.  The warning to be posted without it, or NULL. */
static gchar *
property_set (GstRtpAdaptSend *self, guint id, const GValue *value)
{
  SendConfig *cfg = &self->cfg;
  gint number;

  switch (id) {
    case PROP_MIN_BITRATE:
      cfg->min_bitrate = g_value_get_uint (value);
      return limits_set (self);
    case PROP_START_BITRATE:
      cfg->start_bitrate = g_value_get_uint (value);
      return NULL;
    case PROP_MAX_BITRATE:
      cfg->max_bitrate = g_value_get_uint (value);
      return limits_set (self);
    case PROP_CONTROLLER:
      number = g_value_get_enum (value);
      return controller_set (self, number,
          params_for (self, number == cfg->controller, cfg->controller_params));
    case PROP_CONTROLLER_PARAMS:
      return controller_set (self, cfg->controller, value_text (value));
    case PROP_LDA:
      number = g_value_get_enum (value);
      return lda_set (
          self, number, params_for (self, number == cfg->lda, cfg->lda_params));
    case PROP_LDA_PARAMS:
      return lda_set (self, cfg->lda, value_text (value));
    case PROP_FEC:
      number = g_value_get_enum (value);
      return fec_set (
          self, number, params_for (self, number == cfg->fec, cfg->fec_params));
    case PROP_FEC_PARAMS:
      return fec_set (self, cfg->fec, value_text (value));
    default:
      return setting_set (self, id, value);
  }
}

void
send_set_property (
    GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  GstRtpAdaptSend *self = GST_RTP_ADAPT_SEND (object);
  g_autofree gchar *warning = NULL;

  g_mutex_lock (&self->lock);
  warning = property_set (self, id, value);
  g_mutex_unlock (&self->lock);
  if (warning)
    GST_ELEMENT_WARNING (self, LIBRARY, SETTINGS, ("%s", warning), (NULL));
}

static guint
estimated_bitrate (const GstRtpAdaptSend *self)
{
  return self->sender ? (guint) MIN (ra_sender_rate (self->sender), G_MAXUINT)
                      : self->cfg.start_bitrate;
}

/* FALSE if it is none of these; the lock is held. */
static gboolean
algorithm_get (const SendConfig *cfg, guint id, GValue *value)
{
  switch (id) {
    case PROP_CONTROLLER:
      g_value_set_enum (value, cfg->controller);
      return TRUE;
    case PROP_CONTROLLER_PARAMS:
      g_value_set_string (value, cfg->controller_params);
      return TRUE;
    case PROP_LDA:
      g_value_set_enum (value, cfg->lda);
      return TRUE;
    case PROP_LDA_PARAMS:
      g_value_set_string (value, cfg->lda_params);
      return TRUE;
    case PROP_FEC:
      g_value_set_enum (value, cfg->fec);
      return TRUE;
    case PROP_FEC_PARAMS:
      g_value_set_string (value, cfg->fec_params);
      return TRUE;
    default:
      return FALSE;
  }
}

/* The same. */
static gboolean
setting_get (const SendConfig *cfg, guint id, GValue *value)
{
  switch (id) {
    case PROP_MIN_BITRATE:
      g_value_set_uint (value, cfg->min_bitrate);
      return TRUE;
    case PROP_START_BITRATE:
      g_value_set_uint (value, cfg->start_bitrate);
      return TRUE;
    case PROP_MAX_BITRATE:
      g_value_set_uint (value, cfg->max_bitrate);
      return TRUE;
    case PROP_FEEDBACK:
      g_value_set_enum (value, cfg->feedback);
      return TRUE;
    case PROP_TFRC_FMT:
      g_value_set_uint (value, cfg->tfrc_fmt);
      return TRUE;
    case PROP_BURST:
      g_value_set_uint64 (value, cfg->burst);
      return TRUE;
    case PROP_MAX_BACKLOG:
      g_value_set_uint64 (value, cfg->max_backlog);
      return TRUE;
    case PROP_ENCODER:
      g_value_set_string (value, cfg->encoder);
      return TRUE;
    case PROP_STATS_INTERVAL:
      g_value_set_uint64 (value, cfg->stats_interval);
      return TRUE;
    case PROP_LOSS_MESSAGES:
      g_value_set_boolean (value, cfg->loss_messages);
      return TRUE;
    case PROP_FRIENDLINESS_CAP:
      g_value_set_double (value, cfg->friendliness_cap);
      return TRUE;
    case PROP_CIRCUIT_BREAKERS:
      g_value_set_boolean (value, cfg->circuit_breakers);
      return TRUE;
    default:
      return algorithm_get (cfg, id, value);
  }
}

void
send_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  GstRtpAdaptSend *self = GST_RTP_ADAPT_SEND (object);

  g_mutex_lock (&self->lock);
  switch (id) {
    case PROP_ESTIMATED_BITRATE:
      g_value_set_uint (value, estimated_bitrate (self));
      break;
    case PROP_ENCODER_BITRATE:
      g_value_set_uint (
          value, (guint) MIN (send_encoders_bitrate (self), G_MAXUINT));
      break;
    case PROP_STATS:
      g_value_take_boxed (value, send_stats (self));
      break;
    default:
      if (!setting_get (&self->cfg, id, value)
          && !send_stream_property_get (self, id, value))
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
rate_props_install (GObjectClass *klass)
{
  g_object_class_install_property (klass, PROP_ESTIMATED_BITRATE,
      g_param_spec_uint ("estimated-bitrate", "Estimated bitrate",
          "What may be sent now, RTP packets with header (bit/s)", 0, G_MAXUINT,
          SEND_START, READ));
  g_object_class_install_property (klass, PROP_MIN_BITRATE,
      g_param_spec_uint ("min-bitrate", "Minimum bitrate",
          "estimated-bitrate never goes below (bit/s), unless "
          "friendliness-cap or circuit-breakers want it; while nobody answers, two "
          "packets leave per second, however low this is",
          1, G_MAXUINT, SEND_MIN, PLAYING));
  g_object_class_install_property (klass, PROP_START_BITRATE,
      g_param_spec_uint ("start-bitrate", "Start bitrate",
          "estimated-bitrate before the first feedback (bit/s, 0 = the "
          "controller's own beginning)",
          0, G_MAXUINT, SEND_START, READY));
  g_object_class_install_property (klass, PROP_MAX_BITRATE,
      g_param_spec_uint ("max-bitrate", "Maximum bitrate",
          "estimated-bitrate never goes above (bit/s)", 1, G_MAXUINT, SEND_MAX,
          PLAYING));
  g_object_class_install_property (klass, PROP_CONTROLLER,
      g_param_spec_enum ("controller", "Rate controller",
          "How much may be sent; while running, a new one begins at the "
          "present rate with default controller-params",
          GST_TYPE_RTP_ADAPT_CONTROLLER,
          gst_rtp_adapt_enum_value (
              GST_TYPE_RTP_ADAPT_CONTROLLER, RA_DEFAULT_CONTROLLER),
          PLAYING));
  g_object_class_install_property (klass, PROP_CONTROLLER_PARAMS,
      g_param_spec_string ("controller-params", "Controller parameters",
          "The controller's parameters, \"name=value,name=value\"", "",
          PLAYING));
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
  g_object_class_install_property (klass, PROP_FEC,
      g_param_spec_enum ("fec", "FEC level",
          "How the percentage of an rtpulpfecenc upstream is found; none where "
          "there is none",
          GST_TYPE_RTP_ADAPT_FEC,
          gst_rtp_adapt_enum_value (GST_TYPE_RTP_ADAPT_FEC, SEND_FEC),
          PLAYING));
  g_object_class_install_property (klass, PROP_FEC_PARAMS,
      g_param_spec_string ("fec-params", "FEC parameters",
          "The rule's parameters, \"name=value,name=value\"", "", PLAYING));
  g_object_class_install_property (klass, PROP_FEEDBACK,
      g_param_spec_enum ("feedback", "Feedback", "How the receiver reports",
          GST_TYPE_RTP_ADAPT_FEEDBACK, GST_RTP_ADAPT_FEEDBACK_TWCC, READY));
}

void
send_props_install (GObjectClass *klass)
{
  rate_props_install (klass);
  g_object_class_install_property (klass, PROP_TFRC_FMT,
      g_param_spec_uint ("tfrc-fmt", "TFRC-FB's FMT",
          "RTCP feedback message type of TFRC-FB, for which the draft says 2 "
          "and 5; 5 is RFC 6051's, which hangs rtpsession 1.22",
          1, 30, RA_TFRC_FB_FMT, PLAYING));
  g_object_class_install_property (klass, PROP_BURST,
      g_param_spec_uint64 ("burst", "Burst",
          "Never more than this at the rate at once, plus one packet (ns)", 0,
          GST_SECOND, SEND_BURST, READY));
  g_object_class_install_property (klass, PROP_MAX_BACKLOG,
      g_param_spec_uint64 ("max-backlog", "Maximum backlog",
          "A frame that begins while more than this is queued is dropped (ns "
          "at the rate)",
          0, 60 * GST_SECOND, SEND_BACKLOG, PLAYING));
  g_object_class_install_property (klass, PROP_ENCODER,
      g_param_spec_string ("encoder", "Encoder",
          "Names of the encoder elements to drive, commas between (empty = "
          "all that are found upstream, none = drive none of them)",
          "", PLAYING));
  g_object_class_install_property (klass, PROP_ENCODER_BITRATE,
      g_param_spec_uint ("encoder-bitrate", "Encoder bitrate",
          "What the encoders were last told, together (bit/s, 0 = nothing)", 0,
          G_MAXUINT, 0, READ));
  g_object_class_install_property (klass, PROP_STATS,
      g_param_spec_boxed ("stats", "Statistics",
          "Structure application/x-rtpadaptsend-stats", GST_TYPE_STRUCTURE,
          READ));
  g_object_class_install_property (klass, PROP_STATS_INTERVAL,
      g_param_spec_uint64 ("stats-interval", "Statistics interval",
          "Between element messages with the statistics (ns, 0 = none)", 0,
          GST_RTP_ADAPT_STATS_INTERVAL_MAX, SEND_STATS_INTERVAL, PLAYING));
  g_object_class_install_property (klass, PROP_LOSS_MESSAGES,
      g_param_spec_boolean ("loss-messages", "Loss messages",
          "An element message rtpadapt-loss for each lost packet", FALSE,
          PLAYING));
  g_object_class_install_property (klass, PROP_FRIENDLINESS_CAP,
      g_param_spec_double ("friendliness-cap", "Friendliness cap",
          "estimated-bitrate never exceeds this times what a TCP would get if "
          "every loss were congestion that is not shown to be the radio's, nor 2 "
          "times where a queue stands (0 = no bound; up to 2 every loss counts)",
          0, G_MAXDOUBLE, RA_DEFAULT_FRIENDLINESS_CAP, PLAYING));
  g_object_class_install_property (klass, PROP_CIRCUIT_BREAKERS,
      g_param_spec_boolean ("circuit-breakers", "Circuit breakers",
          "Stop for as long as RFC 8083 says so: no feedback for 15 s, nothing "
          "delivered, ten times a TCP's rate, or useless media",
          TRUE, PLAYING));
}
