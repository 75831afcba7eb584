/* rtpadaptudpsrc: properties and statistics.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "udpsrcpriv.h"

#define GST_CAT_DEFAULT rtpadaptudpsrc_debug

enum
{
  PROP_0,
  PROP_ADDRESS,
  PROP_PORT,
  PROP_SOCKET,
  PROP_USED_SOCKET,
  PROP_CLOSE_SOCKET,
  PROP_CAPS,
  PROP_BUFFER_SIZE,
  PROP_MTU,
  PROP_AUTO_MULTICAST,
  PROP_MULTICAST_IFACE,
  PROP_LOOP,
  PROP_REUSE,
  PROP_TIMEOUT,
  PROP_STATS,
};

/* The object lock is held. */
static void
set_locked (GstRtpAdaptUdpSrc *self, guint id, const GValue *value)
{
  UdpSrcConfig *cfg = &self->cfg;

  switch (id) {
    case PROP_ADDRESS:
      g_free (cfg->address);
      cfg->address = g_value_dup_string (value);
      break;
    case PROP_PORT:
      cfg->port = (guint) g_value_get_int (value);
      break;
    case PROP_SOCKET:
      g_clear_object (&cfg->socket);
      cfg->socket = g_value_dup_object (value);
      break;
    case PROP_CLOSE_SOCKET:
      cfg->close_socket = g_value_get_boolean (value);
      break;
    case PROP_CAPS:
      gst_caps_replace (&cfg->caps, (GstCaps *) gst_value_get_caps (value));
      break;
    case PROP_BUFFER_SIZE:
      cfg->buffer_size = g_value_get_int (value);
      break;
    case PROP_MTU:
      cfg->mtu = g_value_get_uint (value);
      break;
    case PROP_AUTO_MULTICAST:
      cfg->auto_multicast = g_value_get_boolean (value);
      break;
    case PROP_MULTICAST_IFACE:
      g_free (cfg->iface);
      cfg->iface = g_value_dup_string (value);
      break;
    case PROP_LOOP:
      cfg->loop = g_value_get_boolean (value);
      break;
    case PROP_REUSE:
      cfg->reuse = g_value_get_boolean (value);
      break;
    case PROP_TIMEOUT:
      cfg->timeout = g_value_get_uint64 (value);
      break;
  }
}

void
udp_src_set_property (
    GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  GstRtpAdaptUdpSrc *self = GST_RTP_ADAPT_UDP_SRC (object);

  GST_OBJECT_LOCK (self);
  set_locked (self, id, value);
  GST_OBJECT_UNLOCK (self);
  if (id == PROP_CAPS)
    gst_pad_mark_reconfigure (GST_BASE_SRC_PAD (self));
}

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

static GstStructure *
src_stats (GstRtpAdaptUdpSrc *self)
{
  UdpSrcCounters n;
  GstStructure *stats;

  GST_OBJECT_LOCK (self);
  udp_src_count_drops (self);
  n = self->count;
  GST_OBJECT_UNLOCK (self);

  stats = gst_structure_new ("application/x-rtpadaptudpsrc-stats", "packets",
      G_TYPE_UINT64, n.packets, "bytes", G_TYPE_UINT64, n.bytes, "truncated",
      G_TYPE_UINT64, n.truncated, "kernel-drops", G_TYPE_UINT64, n.kernel_drops,
      "ect-1", G_TYPE_UINT64, n.ecn[1], "ect-0", G_TYPE_UINT64, n.ecn[2], "ce",
      G_TYPE_UINT64, n.ecn[3], "dscp-unknown", G_TYPE_UINT64, n.unknown, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (n.dscp); i++) {
    g_autofree gchar *name = g_strdup_printf ("dscp-%u", i);

    if (n.dscp[i])
      gst_structure_set (stats, name, G_TYPE_UINT64, n.dscp[i], NULL);
  }
  return stats;
}

void
udp_src_get_property (
    GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  GstRtpAdaptUdpSrc *self = GST_RTP_ADAPT_UDP_SRC (object);
  UdpSrcConfig *cfg = &self->cfg;

  if (id == PROP_STATS) {
    g_value_take_boxed (value, src_stats (self));
    return;
  }
  GST_OBJECT_LOCK (self);
  switch (id) {
    case PROP_ADDRESS:
      g_value_set_string (value, cfg->address);
      break;
    case PROP_PORT:
      g_value_set_int (value,
          (gint) (self->socket ? udp_socket_port (self->socket) : cfg->port));
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
    case PROP_CAPS:
      gst_value_set_caps (value, cfg->caps);
      break;
    case PROP_BUFFER_SIZE:
      g_value_set_int (value, cfg->buffer_size);
      break;
    case PROP_MTU:
      g_value_set_uint (value, cfg->mtu);
      break;
    case PROP_AUTO_MULTICAST:
      g_value_set_boolean (value, cfg->auto_multicast);
      break;
    case PROP_MULTICAST_IFACE:
      g_value_set_string (value, cfg->iface);
      break;
    case PROP_LOOP:
      g_value_set_boolean (value, cfg->loop);
      break;
    case PROP_REUSE:
      g_value_set_boolean (value, cfg->reuse);
      break;
    case PROP_TIMEOUT:
      g_value_set_uint64 (value, cfg->timeout);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
  }
  GST_OBJECT_UNLOCK (self);
}

static void
install_socket_props (GObjectClass *klass, GParamFlags flags)
{
  g_object_class_install_property (klass, PROP_ADDRESS,
      g_param_spec_string ("address", "Address",
          "Address to receive at, 0.0.0.0: all of IPv4, or a multicast group; "
          "none: all, of IPv4 and IPv6",
          NULL, flags));
  g_object_class_install_property (klass, PROP_PORT,
      g_param_spec_int ("port", "Port",
          "Port to receive at (0: a free one, to be read here from READY on)",
          0, 65535, 5004, flags));
  g_object_class_install_property (klass, PROP_SOCKET,
      g_param_spec_object ("socket", "Socket",
          "Bound socket to use in place of an own one; taken from NULL to READY",
          G_TYPE_SOCKET, flags));
  g_object_class_install_property (klass, PROP_USED_SOCKET,
      g_param_spec_object ("used-socket", "Used socket",
          "The socket in use, from READY on", G_TYPE_SOCKET,
          G_PARAM_READABLE | G_PARAM_STATIC_STRINGS));
  g_object_class_install_property (klass, PROP_CLOSE_SOCKET,
      g_param_spec_boolean ("close-socket", "Close socket",
          "Close a socket that was given, too, from READY to NULL", FALSE,
          flags));
  g_object_class_install_property (klass, PROP_BUFFER_SIZE,
      g_param_spec_int ("buffer-size", "Buffer size",
          "Bytes that the kernel may hold for us (0: 1 MiB of an own socket, or as "
          "much as it allows)",
          0, G_MAXINT / 2, 0, flags));
  g_object_class_install_property (klass, PROP_REUSE,
      g_param_spec_boolean ("reuse", "Reuse",
          "Share the port with others that allow it", FALSE, flags));
}

static void
install_multicast_props (GObjectClass *klass, GParamFlags flags)
{
  g_object_class_install_property (klass, PROP_AUTO_MULTICAST,
      g_param_spec_boolean ("auto-multicast", "Auto multicast",
          "Join the group that address is, and leave it at the end", TRUE,
          flags));
  g_object_class_install_property (klass, PROP_MULTICAST_IFACE,
      g_param_spec_string ("multicast-iface", "Multicast interface",
          "Network interfaces to join by (\"eth0,eth1\"); none: as routed",
          NULL, flags));
  g_object_class_install_property (klass, PROP_LOOP,
      g_param_spec_boolean ("loop", "Multicast loopback",
          "What is sent to a group by this socket comes back to this host",
          TRUE, flags));
}

void
udp_src_props_install (GObjectClass *klass)
{
  const GParamFlags flags = G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS;

  install_socket_props (klass, flags);
  install_multicast_props (klass, flags);
  g_object_class_install_property (klass, PROP_CAPS,
      g_param_spec_boxed ("caps", "Caps", "What the packets are", GST_TYPE_CAPS,
          flags | GST_PARAM_MUTABLE_PLAYING));
  g_object_class_install_property (klass, PROP_MTU,
      g_param_spec_uint ("mtu", "MTU",
          "Bytes of the largest packet; a larger one is dropped and counted as "
          "truncated",
          1, 65535, 2048, flags));
  g_object_class_install_property (klass, PROP_TIMEOUT,
      g_param_spec_uint64 ("timeout", "Timeout",
          "Post the element message GstUDPSrcTimeout, as udpsrc does, each time "
          "that nothing came for so long (ns, 0: never)",
          0, G_MAXUINT64, 0, flags | GST_PARAM_MUTABLE_PLAYING));
  g_object_class_install_property (klass, PROP_STATS,
      g_param_spec_boxed ("stats", "Statistics",
          "Since NULL: packets, bytes; of these by the DSCP they came with, "
          "dscp-0 to dscp-63 (those that came), dscp-unknown, and by ECN bits, "
          "ect-0, ect-1, ce; lost here: truncated, kernel-drops (packets)",
          GST_TYPE_STRUCTURE, G_PARAM_READABLE | G_PARAM_STATIC_STRINGS));
}
