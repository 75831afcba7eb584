/* rtpadaptudpsrc: properties and statistics.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "udpsrcpriv.h"

#define GST_CAT_DEFAULT rtpadaptudpsrc_debug

/* What follows when a property changed. */
enum
{
  THEN_NEGOTIATE = 1 << 0, /* the caps go downstream */
  THEN_WAKE = 1 << 1,      /* wait with another timeout */
};

void
udp_src_count_drops (GstRtpAdaptUdpSrc *self)
{
  guint32 drops;

  if (!self->socket || g_socket_is_closed (self->socket))
    return;
  drops = udp_receiver_kernel_drops (self->socket);
  self->count.kernel_drops += drops - self->count.kernel_before;
  self->count.kernel_before = drops;
}

static void
get_stats (gpointer owner, const PropRow *row, GValue *value)
{
  GstRtpAdaptUdpSrc *self = owner;
  UdpSrcCounters n;

  GST_OBJECT_LOCK (self);
  udp_src_count_drops (self);
  n = self->count;
  GST_OBJECT_UNLOCK (self);
  g_value_take_boxed (value, udp_src_stats_new (&n));
}

/* The port in use, or what is set. */
static void
get_port (gpointer owner, const PropRow *row, GValue *value)
{
  GstRtpAdaptUdpSrc *self = owner;

  g_value_set_int (value,
      (gint) (self->socket ? udp_socket_port (self->socket) : self->cfg.port));
}

static void
get_used_socket (gpointer owner, const PropRow *row, GValue *value)
{
  g_value_set_object (value, ((GstRtpAdaptUdpSrc *) owner)->socket);
}

const PropRow udp_src_props[] = {
  { "address", "Address",
      "Address to receive at, 0.0.0.0: all of IPv4, or a multicast group; "
      "none: all, of IPv4 and IPv6",
      PROP_ANY, PROP_TEXT (UdpSrcConfig, address, NULL) },
  { "port", "Port",
      "Port to receive at (0: a free one, to be read here from READY on)",
      PROP_ANY, PROP_INT (UdpSrcConfig, port, 0, 65535, 5004),
      .get_locked = get_port },
  { "socket", "Socket",
      "Bound socket to use in place of an own one; taken from NULL to READY",
      PROP_ANY, PROP_OBJECT (UdpSrcConfig, socket, g_socket_get_type) },
  { "used-socket", "Used socket", "The socket in use, from READY on", PROP_READ,
      .type = G_TYPE_OBJECT, .of = g_socket_get_type,
      .get_locked = get_used_socket },
  { "close-socket", "Close socket",
      "Close a socket that was given, too, from READY to NULL", PROP_ANY,
      PROP_BOOLEAN (UdpSrcConfig, close_socket, FALSE) },
  { "caps", "Caps", "What the packets are", PROP_PLAYING,
      PROP_BOXED (UdpSrcConfig, caps, gst_caps_get_type),
      .then = THEN_NEGOTIATE },
  { "buffer-size", "Buffer size",
      "Bytes that the kernel may hold for us (0: 1 MiB of an own socket, or as "
      "much as it allows)",
      PROP_ANY, PROP_INT (UdpSrcConfig, buffer_size, 0, G_MAXINT / 2, 0) },
  { "mtu", "MTU",
      "Bytes of the largest packet; a larger one is dropped and counted as "
      "truncated",
      PROP_ANY, PROP_UINT (UdpSrcConfig, mtu, 1, 65535, 2048) },
  { "auto-multicast", "Auto multicast",
      "Join the group that address is, and leave it at the end", PROP_ANY,
      PROP_BOOLEAN (UdpSrcConfig, auto_multicast, TRUE) },
  { "multicast-iface", "Multicast interface",
      "Network interfaces to join by (\"eth0,eth1\"); none: as routed",
      PROP_ANY, PROP_TEXT (UdpSrcConfig, iface, NULL) },
  { "loop", "Multicast loopback",
      "What is sent to a group by this socket comes back to this host",
      PROP_ANY, PROP_BOOLEAN (UdpSrcConfig, loop, TRUE) },
  { "reuse", "Reuse", "Share the port with others that allow it", PROP_ANY,
      PROP_BOOLEAN (UdpSrcConfig, reuse, FALSE) },
  { "timeout", "Timeout",
      "Post the element message GstUDPSrcTimeout, as udpsrc does, each time "
      "that nothing came for so long (@, 0: never)",
      PROP_PLAYING, PROP_UINT64 (UdpSrcConfig, timeout, 0, G_MAXUINT64, 0),
      .then = THEN_WAKE, .unit = "ns" },
  { "stats", "Statistics",
      "Structure application/x-rtpadaptudpsrc-stats: docs/statistics.md has each field",
      PROP_READ, PROP_STATS, .get = get_stats },
  { NULL },
};

void
udp_src_set_property (
    GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  GstRtpAdaptUdpSrc *self = GST_RTP_ADAPT_UDP_SRC (object);
  guint then;

  GST_OBJECT_LOCK (self);
  then = props_set (&self->cfg, &udp_src_props[id - 1], value, NULL, NULL);
  GST_OBJECT_UNLOCK (self);
  if (then & THEN_NEGOTIATE)
    gst_pad_mark_reconfigure (GST_BASE_SRC_PAD (self));
  if (then & THEN_WAKE)
    udp_wake (GST_OBJECT (self), &self->unlock);
}

void
udp_src_get_property (
    GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  GstRtpAdaptUdpSrc *self = GST_RTP_ADAPT_UDP_SRC (object);

  props_get (self, GST_OBJECT_GET_LOCK (self), &self->cfg,
      &udp_src_props[id - 1], value);
}
