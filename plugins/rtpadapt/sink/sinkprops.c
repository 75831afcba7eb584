/* rtpadaptsink: properties, its own and those of its parts.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "parts/enums.h"
#include "sinkpriv.h"
#include "send/gstrtpadaptsend.h"
#include "udp/gstrtpadaptudpsink.h"
#include "wire/binuri.h"

#define GST_CAT_DEFAULT rtpadaptsink_debug

/* The first ids of those that are not its own. */
enum
{
  PROP_PARTS = 100,     /* of rtpadaptsend */
  PROP_UDP_PARTS = 200, /* of rtpadaptudpsink */
};

static const gchar *const udp_parts[] = { "bind-address", "bind-port", "ttl",
  "ttl-mc", "loop", "multicast-iface", "af-class", "dscp", NULL };

/* What follows when a property changed. */
enum
{
  THEN_DESTINATION = 1 << 0, /* for the UDP sinks */
  THEN_PEER = 1 << 1,        /* somebody else answers */
  THEN_REPEAT = 1 << 2,      /* rtpadaptsend has it, too */
};

/* --- statistics ------------------------------------------------------------- */

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
  GstStructure *secure, *peer,
      *stats = gst_structure_new_empty ("application/x-rtpadaptsink-stats");

  if (self->missing)
    return stats;
  add_part_stats (stats, "sender", self->send);
  add_part_stats (stats, "udp", self->rtpsink);
  add_part_stats (stats, "udp-rtcp", self->rtcpsink);
  secure = secure_stats (self->secure);
  g_mutex_lock (&self->lock);
  peer = sink_peer_stats (&self->who);
  g_mutex_unlock (&self->lock);
  gst_structure_set (stats, "security", GST_TYPE_STRUCTURE, secure, "peer",
      GST_TYPE_STRUCTURE, peer, NULL);
  gst_structure_free (secure);
  gst_structure_free (peer);
  return stats;
}

/* --- its own ------------------------------------------------------------------ */

static void
set_uri (gpointer owner, const PropRow *row, const GValue *value)
{
  GstRtpAdaptSink *self = owner;
  GError *problem = NULL;

  bin_uri_set (GST_ELEMENT (self), g_value_get_string (value), &problem);
  GST_OBJECT_LOCK (self);
  g_clear_error (&self->uri_problem);
  self->uri_problem = problem;
  GST_OBJECT_UNLOCK (self);
}

static void
get_uri (gpointer owner, const PropRow *row, GValue *value)
{
  g_value_take_string (value, bin_uri_get (owner));
}

static void
get_stats (gpointer owner, const PropRow *row, GValue *value)
{
  g_value_take_boxed (value, sink_stats (owner));
}

const PropRow sink_props[] = {
  { "uri", "URI",
      "Where to send, rtpadapt://host:port?property=value&...; it sets "
      "host, port and properties of this element, but for keys and files",
      PROP_PLAYING, .type = G_TYPE_STRING, .set = set_uri, .get = get_uri },
  { "host", "Host",
      "Name or address to send to, or a multicast group; setting a name "
      "may block while it is looked up",
      PROP_PLAYING, PROP_TEXT (SinkConfig, host, "localhost"),
      .then = THEN_DESTINATION | THEN_PEER },
  { "port", "Port", "Port to send to", PROP_PLAYING,
      PROP_INT (SinkConfig, port, 1, 65535, BIN_URI_PORT),
      .then = THEN_DESTINATION },
  { "rtcp-mux", "RTCP mux",
      "RTP and RTCP on one port (RFC 5761); off for a "
      "receiver that has two, as rtpbin alone",
      PROP_READY, PROP_BOOLEAN (SinkConfig, rtcp_mux, TRUE) },
  { "rtcp-port", "RTCP port",
      "Port to send RTCP to without rtcp-mux (0: the one after port)",
      PROP_PLAYING, PROP_INT (SinkConfig, rtcp_port, 0, 65535, 0),
      .then = THEN_DESTINATION },
  { "retransmission", "Retransmission",
      "Send lost video packets again (RFC 4588, payload type 121), within the "
      "bitrate, to a receiver that uses them",
      PROP_READY, PROP_BOOLEAN (SinkConfig, retransmission, TRUE),
      .then = THEN_REPEAT },
  { "rtx-time", "Retransmission time",
      "How long packets are kept for retransmission (@): longer than the "
      "receiver's latency",
      PROP_READY,
      PROP_UINT64 (
          SinkConfig, rtx_time, GST_MSECOND, 60 * GST_SECOND, SINK_RTX_TIME),
      .unit = "ns" },
  { "stats", "Statistics",
      "Structure application/x-rtpadaptsink-stats: docs/statistics.md has each field",
      PROP_READ, PROP_STATS, .get = get_stats },
  { NULL },
};

/* NULL: it is one of secure.h, or of a part. */
static const PropRow *
row_of (guint id)
{
  return id < G_N_ELEMENTS (sink_props) ? &sink_props[id - 1] : NULL;
}

/* --- of its parts ------------------------------------------------------------- */

/* What rtpadaptsend has and this element has not. */
static void
install_send_props (GObjectClass *klass)
{
  guint id = PROP_PARTS;

  for (const PropRow *r = send_props; r->name; r++) {
    PropRow row = *r;

    if (row.of == gst_rtp_adapt_colour_get_type)
      row.def.s = SINK_COLOUR;
    if (g_str_equal (row.name, "fec-unasked"))
      row.def.i = SINK_FEC_UNASKED;
    if (!props_row (sink_props, row.name))
      props_install_row (klass, id++, &row);
  }
}

void
sink_props_install (GObjectClass *klass)
{
  guint id = props_install (klass, 1, sink_props);

  secure_props_install (klass, id, TRUE);
  install_send_props (klass);
  id = PROP_UDP_PARTS;
  for (guint i = 0; udp_parts[i]; i++)
    props_install_row (klass, id++, props_row (udp_sink_props, udp_parts[i]));
}

/* The child that has the property; NULL if it is missing. */
static GObject *
part_of (GstRtpAdaptSink *self, guint id)
{
  return (GObject *) (id >= PROP_UDP_PARTS ? self->rtpsink : self->send);
}

/* The sender notifies what changed by itself, as estimated-bitrate. */
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
      gst_rtp_adapt_enum_value (GST_TYPE_RTP_ADAPT_COLOUR, SINK_COLOUR),
      "fec-unasked", SINK_FEC_UNASKED, NULL);
  g_signal_connect (self->send, "notify", G_CALLBACK (part_changed), self);
}

/* --- set and get -------------------------------------------------------------- */

static void
set_part (
    GstRtpAdaptSink *self, guint id, const gchar *name, const GValue *value)
{
  GObject *part = part_of (self, id);

  if (part)
    g_object_set_property (part, name, value);
  if (id >= PROP_UDP_PARTS)
    sink_wire_dscp (self);
}

static void
set_own (GstRtpAdaptSink *self, const PropRow *row, const GValue *value)
{
  guint then;

  GST_OBJECT_LOCK (self);
  then = props_set (&self->cfg, row, value, NULL, NULL);
  GST_OBJECT_UNLOCK (self);
  if (then & THEN_DESTINATION)
    sink_wire_destination (self);
  if (then & THEN_REPEAT && self->send)
    g_object_set_property (G_OBJECT (self->send), row->name, value);
  if (then & THEN_PEER && GST_STATE (self) > GST_STATE_NULL)
    sink_wire_peer (self);
}

void
sink_set_property (
    GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  GstRtpAdaptSink *self = GST_RTP_ADAPT_SINK (object);
  const PropRow *row = row_of (id);

  if (row && row->set)
    row->set (self, row, value);
  else if (row)
    set_own (self, row, value);
  else if (id >= PROP_PARTS)
    set_part (self, id, pspec->name, value);
  else
    secure_set_property (self->secure, pspec, value);
}

void
sink_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  GstRtpAdaptSink *self = GST_RTP_ADAPT_SINK (object);
  const PropRow *row = row_of (id);
  GObject *part = part_of (self, id);

  if (row)
    props_get (self, GST_OBJECT_GET_LOCK (self), &self->cfg, row, value);
  else if (id < PROP_PARTS)
    secure_get_property (self->secure, pspec, value);
  else if (part)
    g_object_get_property (part, pspec->name, value);
}
