/* rtpadaptsink: properties, its own and those of its parts.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "sinkpriv.h"

#include "wire/binuri.h"
#include "enums.h"
#include "send/gstrtpadaptsend.h"
#include "udp/gstrtpadaptudpsink.h"

#include <gst/rtpadapt/colour.h>

#define GST_CAT_DEFAULT rtpadaptsink_debug

enum
{
  PROP_0,
  PROP_URI,
  PROP_HOST,
  PROP_PORT,
  PROP_RTCP_MUX,
  PROP_RTCP_PORT,
  PROP_RETRANSMISSION,
  PROP_RTX_TIME,
  PROP_STATS,
  PROP_SECURE,          /* and on, those of secure.h */
  PROP_PARTS = 100,     /* and on, those of rtpadaptsend */
  PROP_UDP_PARTS = 200, /* and on, those of rtpadaptudpsink */
};

static const gchar *const udp_parts[] = { "bind-address", "bind-port", "ttl",
  "ttl-mc", "loop", "multicast-iface", "af-class", "dscp", NULL };

/* --- properties of parts -------------------------------------------------- */

/* The same property again, for another class. */
static GParamSpec *
copy_number (GParamSpec *p, const gchar *nick, const gchar *blurb)
{
  if (G_IS_PARAM_SPEC_INT (p)) {
    GParamSpecInt *of = G_PARAM_SPEC_INT (p);

    return g_param_spec_int (p->name, nick, blurb, of->minimum, of->maximum,
        of->default_value, p->flags);
  }
  if (G_IS_PARAM_SPEC_UINT (p)) {
    GParamSpecUInt *of = G_PARAM_SPEC_UINT (p);

    return g_param_spec_uint (p->name, nick, blurb, of->minimum, of->maximum,
        of->default_value, p->flags);
  }
  if (G_IS_PARAM_SPEC_UINT64 (p)) {
    GParamSpecUInt64 *of = G_PARAM_SPEC_UINT64 (p);

    return g_param_spec_uint64 (p->name, nick, blurb, of->minimum, of->maximum,
        of->default_value, p->flags);
  }
  if (G_IS_PARAM_SPEC_DOUBLE (p)) {
    GParamSpecDouble *of = G_PARAM_SPEC_DOUBLE (p);

    return g_param_spec_double (p->name, nick, blurb, of->minimum, of->maximum,
        of->default_value, p->flags);
  }
  g_return_val_if_reached (NULL);
}

static GParamSpec *
copy_property (GParamSpec *p)
{
  const gchar *nick = g_param_spec_get_nick (p);
  const gchar *blurb = g_param_spec_get_blurb (p);

  if (G_IS_PARAM_SPEC_BOOLEAN (p))
    return g_param_spec_boolean (p->name, nick, blurb,
        G_PARAM_SPEC_BOOLEAN (p)->default_value, p->flags);
  if (G_IS_PARAM_SPEC_STRING (p))
    return g_param_spec_string (
        p->name, nick, blurb, G_PARAM_SPEC_STRING (p)->default_value, p->flags);
  if (G_IS_PARAM_SPEC_ENUM (p)) {
    gint otherwise = g_str_equal (p->name, "colour")
        ? gst_rtp_adapt_enum_value (GST_TYPE_RTP_ADAPT_COLOUR, SINK_COLOUR)
        : G_PARAM_SPEC_ENUM (p)->default_value;

    return g_param_spec_enum (
        p->name, nick, blurb, p->value_type, otherwise, p->flags);
  }
  return copy_number (p, nick, blurb);
}

static void
parts_install (GObjectClass *klass)
{
  GObjectClass *send = g_type_class_ref (GST_TYPE_RTP_ADAPT_SEND);
  GObjectClass *udp = g_type_class_ref (GST_TYPE_RTP_ADAPT_UDP_SINK);
  g_autofree GParamSpec **all = g_object_class_list_properties (send, NULL);
  guint id = PROP_PARTS;

  for (guint i = 0; all[i]; i++)
    if (all[i]->owner_type == GST_TYPE_RTP_ADAPT_SEND
        && !g_str_equal (all[i]->name, "stats"))
      g_object_class_install_property (klass, id++, copy_property (all[i]));
  id = PROP_UDP_PARTS;
  for (guint i = 0; udp_parts[i]; i++)
    g_object_class_install_property (klass, id++,
        copy_property (g_object_class_find_property (udp, udp_parts[i])));
  g_type_class_unref (udp);
  g_type_class_unref (send);
}

/* The child that has the property, or NULL if it is none of a part. */
static GObject *
part_of (GstRtpAdaptSink *self, guint id)
{
  if (id >= PROP_UDP_PARTS)
    return (GObject *) self->rtpsink;
  if (id >= PROP_PARTS)
    return (GObject *) self->send;
  return NULL;
}

/* The sender tells what changed by itself, as estimated-bitrate. */
static void
part_changed (GObject *part, GParamSpec *pspec, gpointer data)
{
  GObject *self = data;

  if (pspec->owner_type != GST_TYPE_RTP_ADAPT_SEND)
    return;
  if (g_str_equal (pspec->name, "colour"))
    sink_wire_dscp (data);
  g_object_notify (self, pspec->name);
}

void
sink_props_init (GstRtpAdaptSink *self)
{
  if (!self->send)
    return;
  g_object_set (self->send, "colour",
      gst_rtp_adapt_enum_value (GST_TYPE_RTP_ADAPT_COLOUR, SINK_COLOUR), NULL);
  g_signal_connect (self->send, "notify", G_CALLBACK (part_changed), self);
}

/* --- set ----------------------------------------------------------------- */

/* The object lock is held. */
static void
set_locked (SinkConfig *cfg, guint id, const GValue *value)
{
  const gchar *host;

  switch (id) {
    case PROP_HOST:
      host = g_value_get_string (value);
      g_free (cfg->host);
      cfg->host = g_strdup (host ? host : "localhost");
      break;
    case PROP_PORT:
      cfg->port = g_value_get_int (value);
      break;
    case PROP_RTCP_MUX:
      cfg->rtcp_mux = g_value_get_boolean (value);
      break;
    case PROP_RTCP_PORT:
      cfg->rtcp_port = g_value_get_int (value);
      break;
    case PROP_RETRANSMISSION:
      cfg->retransmission = g_value_get_boolean (value);
      break;
    case PROP_RTX_TIME:
      cfg->rtx_time = g_value_get_uint64 (value);
      break;
  }
}

static void
set_own (GstRtpAdaptSink *self, guint id, const GValue *value)
{
  GError *problem = NULL;

  if (id == PROP_URI) {
    bin_uri_set (GST_ELEMENT (self), g_value_get_string (value), &problem);
    GST_OBJECT_LOCK (self);
    g_clear_error (&self->uri_problem);
    self->uri_problem = problem;
    GST_OBJECT_UNLOCK (self);
    return;
  }
  GST_OBJECT_LOCK (self);
  set_locked (&self->cfg, id, value);
  GST_OBJECT_UNLOCK (self);
  if (id == PROP_HOST || id == PROP_PORT || id == PROP_RTCP_PORT) {
    sink_wire_destination (self);
    if (id == PROP_HOST && GST_STATE (self) > GST_STATE_NULL)
      sink_peer_reset (self, TRUE);
  }
}

void
sink_set_property (
    GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  GstRtpAdaptSink *self = GST_RTP_ADAPT_SINK (object);

  if (id >= PROP_PARTS) {
    GObject *part = part_of (self, id);

    if (part)
      g_object_set_property (part, pspec->name, value);
    if (id >= PROP_UDP_PARTS)
      sink_wire_dscp (self);
  } else if (!secure_set_property (self->secure, pspec, value)) {
    set_own (self, id, value);
  }
}

/* --- get ----------------------------------------------------------------- */

static void
add_part_stats (GstStructure *stats, const gchar *name, GstElement *part)
{
  GstStructure *of;

  g_object_get (part, "stats", &of, NULL);
  gst_structure_set (stats, name, GST_TYPE_STRUCTURE, of, NULL);
  gst_structure_free (of);
}

static GstStructure *
sink_stats (GstRtpAdaptSink *self)
{
  GstStructure *stats
      = gst_structure_new_empty ("application/x-rtpadaptsink-stats");
  GstStructure *secure, *peer;

  if (self->missing)
    return stats;
  add_part_stats (stats, "sender", self->send);
  add_part_stats (stats, "udp", self->rtpsink);
  add_part_stats (stats, "udp-rtcp", self->rtcpsink);
  secure = secure_stats (self->secure);
  peer = sink_peer_stats (self);
  gst_structure_set (stats, "security", GST_TYPE_STRUCTURE, secure, "peer",
      GST_TYPE_STRUCTURE, peer, NULL);
  gst_structure_free (secure);
  gst_structure_free (peer);
  return stats;
}

static void
get_own (GstRtpAdaptSink *self, guint id, GValue *value)
{
  const SinkConfig *cfg = &self->cfg;

  GST_OBJECT_LOCK (self);
  switch (id) {
    case PROP_HOST:
      g_value_set_string (value, cfg->host);
      break;
    case PROP_PORT:
      g_value_set_int (value, cfg->port);
      break;
    case PROP_RTCP_MUX:
      g_value_set_boolean (value, cfg->rtcp_mux);
      break;
    case PROP_RTCP_PORT:
      g_value_set_int (value, cfg->rtcp_port);
      break;
    case PROP_RETRANSMISSION:
      g_value_set_boolean (value, cfg->retransmission);
      break;
    case PROP_RTX_TIME:
      g_value_set_uint64 (value, cfg->rtx_time);
      break;
  }
  GST_OBJECT_UNLOCK (self);
}

void
sink_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  GstRtpAdaptSink *self = GST_RTP_ADAPT_SINK (object);

  if (id >= PROP_PARTS) {
    GObject *part = part_of (self, id);

    if (part)
      g_object_get_property (part, pspec->name, value);
  } else if (id == PROP_URI) {
    g_value_take_string (value, bin_uri_get (GST_ELEMENT (self)));
  } else if (id == PROP_STATS) {
    g_value_take_boxed (value, sink_stats (self));
  } else if (!secure_get_property (self->secure, pspec, value)) {
    get_own (self, id, value);
  }
}

/* --- install ------------------------------------------------------------- */

static void
where_to_install (GObjectClass *klass)
{
  const GParamFlags flags = G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS;

  g_object_class_install_property (klass, PROP_URI,
      g_param_spec_string ("uri", "URI",
          "Where to send, rtpadapt://host:port?property=value&...; it sets "
          "host, port and properties of this element, but for keys and files",
          NULL, flags | GST_PARAM_MUTABLE_PLAYING));
  g_object_class_install_property (klass, PROP_HOST,
      g_param_spec_string ("host", "Host",
          "Name or address to send to, or a multicast group; setting a name "
          "may block while it is looked up",
          "localhost", flags | GST_PARAM_MUTABLE_PLAYING));
  g_object_class_install_property (klass, PROP_PORT,
      g_param_spec_int ("port", "Port", "Port to send to", 1, 65535,
          BIN_URI_PORT, flags | GST_PARAM_MUTABLE_PLAYING));
  g_object_class_install_property (klass, PROP_RTCP_MUX,
      g_param_spec_boolean ("rtcp-mux", "RTCP mux",
          "RTP and RTCP on one port (RFC 5761)", TRUE,
          flags | GST_PARAM_MUTABLE_READY));
  g_object_class_install_property (klass, PROP_RTCP_PORT,
      g_param_spec_int ("rtcp-port", "RTCP port",
          "Port to send RTCP to without rtcp-mux (0: the one after port)", 0,
          65535, 0, flags | GST_PARAM_MUTABLE_PLAYING));
}

void
sink_props_install (GObjectClass *klass)
{
  const GParamFlags ready
      = G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_READY;

  where_to_install (klass);
  g_object_class_install_property (klass, PROP_RETRANSMISSION,
      g_param_spec_boolean ("retransmission", "Retransmission",
          "Send video packets again that the receiver asks for (RFC 4588), "
          "within the bitrate",
          FALSE, ready));
  g_object_class_install_property (klass, PROP_RTX_TIME,
      g_param_spec_uint64 ("rtx-time", "Retransmission time",
          "How long packets are kept for retransmission (ns)", GST_MSECOND,
          60 * GST_SECOND, SINK_RTX_TIME, ready));
  g_object_class_install_property (klass, PROP_STATS,
      g_param_spec_boxed ("stats", "Statistics",
          "Structures of the parts: sender, udp, udp-rtcp; security: packets "
          "received, and dropped as they do not authenticate; peer: RTCP dropped "
          "because it came from elsewhere, or would hang rtpsession (packets)",
          GST_TYPE_STRUCTURE, G_PARAM_READABLE | G_PARAM_STATIC_STRINGS));
  secure_props_install (klass, PROP_SECURE, TRUE);
  parts_install (klass);
}
