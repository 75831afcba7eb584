/* rtpadaptsend: properties of what it does with single streams and packets.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "enums.h"
#include "sendpriv.h"

enum
{
  PROP_COLOUR = SEND_STREAM_PROPS,
  PROP_COLOUR_PARAMS,
  PROP_ENCODER_PROPERTY,
  PROP_ENCODER_UNIT,
  PROP_SKIP_INTERVAL,
  PROP_ECN,
};

/* On bad parameters the old colouring goes on, and its settings stay.  `text`
 * is taken over. */
static gchar *
colour_set (GstRtpAdaptSend *self, gint colour, gchar *text)
{
  g_autofree gchar *params = text;
  gchar *warning = send_colour_rule (self, colour, params);

  if (warning)
    return warning;
  self->cfg.colour = colour;
  g_free (self->cfg.colour_params);
  self->cfg.colour_params = g_steal_pointer (&params);
  return send_colour_check (self);
}

/* Parameters are an algorithm's own; before the start both come in any order. */
static gchar *
colour_params (const GstRtpAdaptSend *self, gint colour)
{
  gboolean keep = !self->sender || colour == self->cfg.colour;

  return g_strdup (keep ? self->cfg.colour_params : "");
}

static void
encoders_retell (GstRtpAdaptSend *self)
{
  self->encoder_stale = self->encoders_retold = TRUE;
  self->warned &= ~SEND_WARNED_NO_ENCODER;
  if (self->sender)
    send_tell (self);
}

gchar *
send_stream_property_set (GstRtpAdaptSend *self, guint id, const GValue *value)
{
  SendConfig *cfg = &self->cfg;
  gint number;

  switch (id) {
    case PROP_COLOUR:
      number = g_value_get_enum (value);
      return colour_set (self, number, colour_params (self, number));
    case PROP_COLOUR_PARAMS:
      return colour_set (
          self, cfg->colour, g_strdup (g_value_get_string (value) ?: ""));
    case PROP_ENCODER_PROPERTY:
      g_free (cfg->encoder_property);
      cfg->encoder_property = g_strdup (g_value_get_string (value) ?: "");
      encoders_retell (self);
      return NULL;
    case PROP_ENCODER_UNIT:
      cfg->encoder_unit = g_value_get_uint (value);
      encoders_retell (self);
      return NULL;
    case PROP_SKIP_INTERVAL:
      cfg->skip_interval = g_value_get_uint (value);
      self->skips_stale = TRUE;
      if (self->sender)
        send_tell (self);
      return NULL;
    case PROP_ECN:
      cfg->ecn = (RaEcnField) g_value_get_enum (value);
      if (self->sender)
        send_tell (self);
      return NULL;
    default:
      g_return_val_if_reached (NULL);
  }
}

gboolean
send_stream_property_get (const GstRtpAdaptSend *self, guint id, GValue *value)
{
  const SendConfig *cfg = &self->cfg;

  switch (id) {
    case PROP_COLOUR:
      g_value_set_enum (value, cfg->colour);
      return TRUE;
    case PROP_COLOUR_PARAMS:
      g_value_set_string (value, cfg->colour_params);
      return TRUE;
    case PROP_ENCODER_PROPERTY:
      g_value_set_string (value, cfg->encoder_property);
      return TRUE;
    case PROP_ENCODER_UNIT:
      g_value_set_uint (value, cfg->encoder_unit);
      return TRUE;
    case PROP_SKIP_INTERVAL:
      g_value_set_uint (value, cfg->skip_interval);
      return TRUE;
    case PROP_ECN:
      g_value_set_enum (value, (gint) cfg->ecn);
      return TRUE;
    default:
      return FALSE;
  }
}

void
send_stream_stats (GstRtpAdaptSend *self, GstStructure *s)
{
  const guint64 *packets = self->count.mark_packets;
  const guint64 *bytes = self->count.mark_bytes;

  gst_structure_set (s, "colour", G_TYPE_STRING,
      ra_colours[self->cfg.colour]->name, "green-packets", G_TYPE_UINT64,
      packets[RA_MARK_GREEN], "green-bytes", G_TYPE_UINT64,
      bytes[RA_MARK_GREEN], "yellow-packets", G_TYPE_UINT64,
      packets[RA_MARK_YELLOW], "yellow-bytes", G_TYPE_UINT64,
      bytes[RA_MARK_YELLOW], "red-packets", G_TYPE_UINT64, packets[RA_MARK_RED],
      "red-bytes", G_TYPE_UINT64, bytes[RA_MARK_RED], "encoders", G_TYPE_UINT,
      self->n_encoders, "fec-made", G_TYPE_BOOLEAN, self->fecenc_usable, NULL);
  if (self->sender) {
    RaTime now = send_now (self);
    GValue streams = G_VALUE_INIT;

    streams_describe (&self->streams, now, &streams);
    gst_structure_take_value (s, "streams", &streams);
    gst_structure_set (s, "fec-percentage", G_TYPE_UINT,
        ra_sender_fec (self->sender), "beside-bitrate", G_TYPE_UINT64,
        streams_beside (&self->streams, now), NULL);
  }
}

#define PLAYING \
  (G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_PLAYING)

void
send_stream_props_install (GObjectClass *klass)
{
  g_object_class_install_property (klass, PROP_COLOUR,
      g_param_spec_enum ("colour", "Colour",
          "Which packets the network shall drop first; rtpadaptudpsink writes "
          "it as DSCP. While running, a new one begins with default "
          "colour-params",
          GST_TYPE_RTP_ADAPT_COLOUR,
          gst_rtp_adapt_enum_value (GST_TYPE_RTP_ADAPT_COLOUR, SEND_COLOUR),
          PLAYING));
  g_object_class_install_property (klass, PROP_COLOUR_PARAMS,
      g_param_spec_string ("colour-params", "Colour parameters",
          "The colouring's parameters, \"name=value,name=value\"", "",
          PLAYING));
  g_object_class_install_property (klass, PROP_ENCODER_PROPERTY,
      g_param_spec_string ("encoder-property", "Encoder property",
          "The number to set, of the encoders named, or of the nearest element "
          "upstream that has it (empty = what is known of the encoder)",
          "", PLAYING));
  g_object_class_install_property (klass, PROP_ENCODER_UNIT,
      g_param_spec_uint ("encoder-unit", "Encoder unit",
          "The unit of encoder-property (bit/s)", 1, G_MAXINT, 1, PLAYING));
  g_object_class_install_property (klass, PROP_SKIP_INTERVAL,
      g_param_spec_uint ("skip-interval", "Skip interval",
          "With feedback about RTP numbers one is left out between two video "
          "frames, at random, once in so many packets: a receiver that says "
          "it came is a liar and gets min-bitrate (0 = none)",
          0, G_MAXINT, SEND_SKIP_INTERVAL, PLAYING));
  g_object_class_install_property (klass, PROP_ECN,
      g_param_spec_enum ("ecn", "ECN",
          "ECN bits that rtpadaptudpsink sends packets with: only with "
          "feedback=ccfb, after a test of the path, and not-ect for a minute or "
          "more after the receiver's reports contradicted it (RFC 6679 7.4)",
          GST_TYPE_RTP_ADAPT_ECN, RA_ECN_NOT_ECT, PLAYING));
}
