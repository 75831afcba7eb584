/* rtpadaptudpsink: properties and statistics.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "udpsinkpriv.h"

#include "enums.h"

#define GST_CAT_DEFAULT rtpadaptudpsink_debug

enum
{
  PROP_0,
  PROP_HOST,
  PROP_PORT,
  PROP_BIND_ADDRESS,
  PROP_BIND_PORT,
  PROP_SOCKET,
  PROP_USED_SOCKET,
  PROP_CLOSE_SOCKET,
  PROP_MULTICAST_IFACE,
  PROP_TTL,
  PROP_TTL_MC,
  PROP_LOOP,
  PROP_AF_CLASS,
  PROP_ECN,
  PROP_DSCP,
  PROP_STATS,
};

gboolean
udp_sink_resolve (GstRtpAdaptUdpSink *self)
{
  g_autofree gchar *host = NULL;
  GError *error = NULL;
  UdpAddress to;
  GSocket *socket;
  gboolean good;

  GST_OBJECT_LOCK (self);
  host = g_strdup (self->cfg.host);
  socket = g_object_ref (self->socket);
  GST_OBJECT_UNLOCK (self);

  good = udp_address_resolve (&to, host, 0, socket, &error);
  g_object_unref (socket);

  GST_OBJECT_LOCK (self);
  /* Another thread may have set another one meanwhile. */
  if (g_str_equal (host, self->cfg.host)) {
    self->to_known = good;
    if (good) {
      self->to = to;
      udp_address_set_port (&self->to, self->cfg.port);
    }
  }
  GST_OBJECT_UNLOCK (self);
  if (!good) {
    GST_ELEMENT_ERROR (self, RESOURCE, NOT_FOUND,
        ("Cannot send to the host \"%s\": %s.", host, error->message), (NULL));
    g_error_free (error);
  }
  return good;
}

/* The object lock is held. */
static void
set_string (gchar **string, const GValue *value, const gchar *otherwise)
{
  const gchar *given = g_value_get_string (value);

  g_free (*string);
  *string = g_strdup (given ? given : otherwise);
}

/* The object lock is held.  TRUE if the host has to be resolved. */
static gboolean
set_locked (GstRtpAdaptUdpSink *self, guint id, const GValue *value)
{
  UdpSinkConfig *cfg = &self->cfg;

  switch (id) {
    case PROP_HOST:
      set_string (&cfg->host, value, "localhost");
      return self->socket != NULL;
    case PROP_PORT:
      cfg->port = (guint) g_value_get_int (value);
      if (self->to_known)
        udp_address_set_port (&self->to, cfg->port);
      break;
    case PROP_BIND_ADDRESS:
      set_string (&cfg->bind_address, value, NULL);
      break;
    case PROP_BIND_PORT:
      cfg->bind_port = (guint) g_value_get_int (value);
      break;
    case PROP_SOCKET:
      g_clear_object (&cfg->socket);
      cfg->socket = g_value_dup_object (value);
      break;
    case PROP_CLOSE_SOCKET:
      cfg->close_socket = g_value_get_boolean (value);
      break;
    case PROP_MULTICAST_IFACE:
      set_string (&cfg->iface, value, NULL);
      break;
    case PROP_TTL:
      cfg->ttl = (guint) g_value_get_int (value);
      break;
    case PROP_TTL_MC:
      cfg->ttl_mc = (guint) g_value_get_int (value);
      break;
    case PROP_LOOP:
      cfg->loop = g_value_get_boolean (value);
      break;
    case PROP_AF_CLASS:
      cfg->af_class = g_value_get_uint (value);
      break;
    case PROP_ECN:
      cfg->ecn = (RaEcnField) g_value_get_enum (value);
      break;
    case PROP_DSCP:
      cfg->dscp = g_value_get_int (value);
      break;
  }
  return FALSE;
}

void
udp_sink_set_property (
    GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  GstRtpAdaptUdpSink *self = GST_RTP_ADAPT_UDP_SINK (object);
  gboolean resolve;

  GST_OBJECT_LOCK (self);
  resolve = set_locked (self, id, value);
  GST_OBJECT_UNLOCK (self);
  if (resolve)
    udp_sink_resolve (self);
}

/* Ours beside those of GstBaseSink. */
static GstStructure *
sink_stats (GstRtpAdaptUdpSink *self)
{
  static const gchar *const nicks[]
      = { "uncoloured", "green", "yellow", "red" };
  GstStructure *stats = gst_base_sink_get_stats (GST_BASE_SINK (self));
  guint64 packets = 0, bytes = 0;
  UdpSinkCounters n;

  GST_OBJECT_LOCK (self);
  n = self->count;
  GST_OBJECT_UNLOCK (self);

  gst_structure_set_name (stats, "application/x-rtpadaptudpsink-stats");
  for (guint i = 0; i < RA_N_MARKS; i++) {
    g_autofree gchar *p = g_strconcat ("packets-", nicks[i], NULL);
    g_autofree gchar *b = g_strconcat ("bytes-", nicks[i], NULL);

    gst_structure_set (stats, p, G_TYPE_UINT64, n.packets[i], b, G_TYPE_UINT64,
        n.bytes[i], NULL);
    packets += n.packets[i];
    bytes += n.bytes[i];
  }
  gst_structure_set (stats, "packets", G_TYPE_UINT64, packets, "bytes",
      G_TYPE_UINT64, bytes, "packets-rtcp", G_TYPE_UINT64, n.rtcp,
      "send-errors", G_TYPE_UINT64, n.errors, "oversized", G_TYPE_UINT64,
      n.oversized, "eagain-drops", G_TYPE_UINT64, n.blocked, NULL);
  return stats;
}

void
udp_sink_get_property (
    GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  GstRtpAdaptUdpSink *self = GST_RTP_ADAPT_UDP_SINK (object);
  UdpSinkConfig *cfg = &self->cfg;

  if (id == PROP_STATS) {
    g_value_take_boxed (value, sink_stats (self));
    return;
  }
  GST_OBJECT_LOCK (self);
  switch (id) {
    case PROP_HOST:
      g_value_set_string (value, cfg->host);
      break;
    case PROP_PORT:
      g_value_set_int (value, (gint) cfg->port);
      break;
    case PROP_BIND_ADDRESS:
      g_value_set_string (value, cfg->bind_address);
      break;
    case PROP_BIND_PORT:
      g_value_set_int (value, (gint) cfg->bind_port);
      break;
    case PROP_SOCKET:
      g_value_set_object (value, cfg->socket);
      break;
    case PROP_USED_SOCKET:
      g_value_set_object (value, self->socket);
      break;
    case PROP_CLOSE_SOCKET:
      g_value_set_boolean (value, cfg->close_socket);
      break;
    case PROP_MULTICAST_IFACE:
      g_value_set_string (value, cfg->iface);
      break;
    case PROP_TTL:
      g_value_set_int (value, (gint) cfg->ttl);
      break;
    case PROP_TTL_MC:
      g_value_set_int (value, (gint) cfg->ttl_mc);
      break;
    case PROP_LOOP:
      g_value_set_boolean (value, cfg->loop);
      break;
    case PROP_AF_CLASS:
      g_value_set_uint (value, cfg->af_class);
      break;
    case PROP_ECN:
      g_value_set_enum (value, (gint) cfg->ecn);
      break;
    case PROP_DSCP:
      g_value_set_int (value, cfg->dscp);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
  }
  GST_OBJECT_UNLOCK (self);
}

static void
install_socket_props (GObjectClass *klass)
{
  const GParamFlags flags = G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS;

  g_object_class_install_property (klass, PROP_BIND_ADDRESS,
      g_param_spec_string ("bind-address", "Bind address",
          "Address to send from; none: any, of IPv4 and IPv6", NULL, flags));
  g_object_class_install_property (klass, PROP_BIND_PORT,
      g_param_spec_int ("bind-port", "Bind port",
          "Port to send from (0: a free one)", 0, 65535, 0, flags));
  g_object_class_install_property (klass, PROP_SOCKET,
      g_param_spec_object ("socket", "Socket",
          "Socket to use in place of an own one, as used-socket of "
          "rtpadaptudpsrc; taken from NULL to READY",
          G_TYPE_SOCKET, flags));
  g_object_class_install_property (klass, PROP_USED_SOCKET,
      g_param_spec_object ("used-socket", "Used socket",
          "The socket in use, from READY on", G_TYPE_SOCKET,
          G_PARAM_READABLE | G_PARAM_STATIC_STRINGS));
  g_object_class_install_property (klass, PROP_CLOSE_SOCKET,
      g_param_spec_boolean ("close-socket", "Close socket",
          "Close a socket that was given, too, from READY to NULL", FALSE,
          flags));
  g_object_class_install_property (klass, PROP_MULTICAST_IFACE,
      g_param_spec_string ("multicast-iface", "Multicast interface",
          "Network interface to send multicast by; none: as routed", NULL,
          flags));
  g_object_class_install_property (klass, PROP_TTL,
      g_param_spec_int (
          "ttl", "TTL", "Hops that a packet may go", 1, 255, 64, flags));
  g_object_class_install_property (klass, PROP_TTL_MC,
      g_param_spec_int ("ttl-mc", "Multicast TTL",
          "Hops that a multicast packet may go", 0, 255, 1, flags));
  g_object_class_install_property (klass, PROP_LOOP,
      g_param_spec_boolean ("loop", "Multicast loopback",
          "Receivers on this host get the multicast too", TRUE, flags));
}

void
udp_sink_props_install (GObjectClass *klass)
{
  const GParamFlags flags
      = G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_PLAYING;

  install_socket_props (klass);
  g_object_class_install_property (klass, PROP_HOST,
      g_param_spec_string ("host", "Host",
          "Name or address to send to; setting a name may block while it is "
          "looked up",
          "localhost", flags));
  g_object_class_install_property (klass, PROP_PORT,
      g_param_spec_int (
          "port", "Port", "Port to send to", 1, 65535, 5004, flags));
  g_object_class_install_property (klass, PROP_AF_CLASS,
      g_param_spec_uint ("af-class", "AF class",
          "Assured Forwarding class of packets with a colour (RFC 2597)", 1, 4,
          4, flags));
  g_object_class_install_property (klass, PROP_ECN,
      g_param_spec_enum ("ecn", "ECN",
          "ECN bits of packets that rtpadaptsend did not decide about: nothing "
          "checks the path, and a rate controller has to answer CE marks "
          "before anything but not-ect is right (RFC 6679)",
          GST_TYPE_RTP_ADAPT_ECN, RA_ECN_NOT_ECT, flags));
  g_object_class_install_property (klass, PROP_DSCP,
      g_param_spec_int ("dscp", "DSCP",
          "Of packets without a colour (-1: as the socket has it)", -1, 63, -1,
          flags));
  g_object_class_install_property (klass, PROP_STATS,
      g_param_spec_boxed ("stats", "Statistics",
          "Since NULL, beside GstBaseSink's: packets, bytes, and both as "
          "-green, -yellow, -red and -uncoloured; packets-rtcp; of what was "
          "not sent, send-errors, oversized (for the path's MTU) and "
          "eagain-drops (the network did not take them in time)",
          GST_TYPE_STRUCTURE, G_PARAM_READABLE | G_PARAM_STATIC_STRINGS));
}
