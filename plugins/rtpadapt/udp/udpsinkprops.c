/* rtpadaptudpsink: properties and statistics.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "udpsinkpriv.h"

#include "parts/enums.h"

#define GST_CAT_DEFAULT rtpadaptudpsink_debug

/* What follows when a property changed. */
enum
{
  THEN_RESOLVE = 1 << 0, /* look the host up */
  THEN_PORT = 1 << 1,    /* of the address that was found */
};

/* Our statistics, added to those of GstBaseSink. */
static void
get_stats (gpointer owner, const PropRow *row, GValue *value)
{
  GstRtpAdaptUdpSink *self = owner;
  UdpSinkCounters n;

  GST_OBJECT_LOCK (self);
  n = self->count;
  GST_OBJECT_UNLOCK (self);
  g_value_take_boxed (value, udp_sink_stats_new (GST_BASE_SINK (self), &n));
}

static void
get_used_socket (gpointer owner, const PropRow *row, GValue *value)
{
  g_value_set_object (value, ((GstRtpAdaptUdpSink *) owner)->socket);
}

const PropRow udp_sink_props[] = {
  { "host", "Host",
      "Name or address to send to; a name is looked up each time it is set, which "
      "may block, and when no packet gets there; one that is not found leaves the "
      "address before",
      PROP_PLAYING, PROP_TEXT (UdpSinkConfig, host, "localhost"),
      .then = THEN_RESOLVE },
  { "port", "Port", "Port to send to", PROP_PLAYING,
      PROP_INT (UdpSinkConfig, port, 1, 65535, 5004), .then = THEN_PORT },
  { "bind-address", "Bind address",
      "Address to send from; none: any, of IPv4 and IPv6", PROP_ANY,
      PROP_TEXT (UdpSinkConfig, bind_address, NULL) },
  { "bind-port", "Bind port",
      "Port to send from (0: a free one); set it where a firewall knows one",
      PROP_ANY, PROP_INT (UdpSinkConfig, bind_port, 0, 65535, 0) },
  { "socket", "Socket",
      "Socket to use in place of an own one, as used-socket of "
      "rtpadaptudpsrc; taken from NULL to READY",
      PROP_ANY, PROP_OBJECT (UdpSinkConfig, socket, g_socket_get_type) },
  { "used-socket", "Used socket", "The socket in use, from READY on", PROP_READ,
      .type = G_TYPE_OBJECT, .of = g_socket_get_type,
      .get_locked = get_used_socket },
  { "close-socket", "Close socket",
      "Close a socket that was given, too, from READY to NULL", PROP_ANY,
      PROP_BOOLEAN (UdpSinkConfig, close_socket, FALSE) },
  { "multicast-iface", "Multicast interface",
      "Network interface to send multicast by; none: as routed", PROP_ANY,
      PROP_TEXT (UdpSinkConfig, iface, NULL) },
  { "ttl", "TTL", "Hops that a packet may go", PROP_ANY,
      PROP_INT (UdpSinkConfig, ttl, 1, 255, 64) },
  { "ttl-mc", "Multicast TTL", "Hops that a multicast packet may go", PROP_ANY,
      PROP_INT (UdpSinkConfig, ttl_mc, 0, 255, 1) },
  { "loop", "Multicast loopback",
      "Receivers on this host get the multicast too", PROP_ANY,
      PROP_BOOLEAN (UdpSinkConfig, loop, TRUE) },
  { "af-class", "AF class",
      "Assured Forwarding class of packets with a colour (RFC 2597)",
      PROP_PLAYING, PROP_UINT (UdpSinkConfig, af_class, 1, 4, 4) },
  { "ecn", "ECN",
      "ECN bits of packets that rtpadaptsend did not decide about: nothing "
      "checks the path, and a rate controller has to answer CE marks "
      "before anything but not-ect is right (RFC 6679)",
      PROP_PLAYING,
      PROP_ENUM (UdpSinkConfig, ecn, gst_rtp_adapt_ecn_get_type, "not-ect") },
  { "dscp", "DSCP", "DSCP of packets without a colour (-1: the socket's)",
      PROP_PLAYING, PROP_INT (UdpSinkConfig, dscp, -1, 63, -1) },
  { "stats", "Statistics",
      "Structure application/x-rtpadaptudpsink-stats: docs/statistics.md has each field",
      PROP_READ, PROP_STATS, .get = get_stats },
  { NULL },
};

gboolean
udp_sink_set_property (GstRtpAdaptUdpSink *self, guint id, const GValue *value)
{
  guint then;

  GST_OBJECT_LOCK (self);
  then = props_set (&self->cfg, &udp_sink_props[id - 1], value, NULL, NULL);
  if (then & THEN_PORT && self->to_host)
    udp_address_set_port (&self->to, self->cfg.port);
  GST_OBJECT_UNLOCK (self);
  return (then & THEN_RESOLVE) != 0;
}

void
udp_sink_get_property (
    GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  GstRtpAdaptUdpSink *self = GST_RTP_ADAPT_UDP_SINK (object);

  props_get (self, GST_OBJECT_GET_LOCK (self), &self->cfg,
      &udp_sink_props[id - 1], value);
}
