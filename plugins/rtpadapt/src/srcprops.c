/* rtpadaptsrc: properties.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "recv/gstrtpadaptrecv.h"
#include "srcpriv.h"
#include "srcstats.h"
#include "fec/gstrtpadaptfecdec.h"
#include "udp/udpsock.h"
#include "wire/binuri.h"

#define GST_CAT_DEFAULT rtpadaptsrc_debug

/* What follows when a property changed. */
enum
{
  THEN_LATENCY = 1 << 0, /* of the session */
  THEN_STATS = 1 << 1,   /* the next ones are an interval from now */
};

/* --- what is not in the config ----------------------------------------------- */

static void
set_uri (gpointer owner, const PropRow *row, const GValue *value)
{
  GstRtpAdaptSrc *self = owner;
  GError *problem = NULL;

  bin_uri_set (GST_ELEMENT (self), g_value_get_string (value), &problem);
  GST_OBJECT_LOCK (self);
  g_clear_error (&self->problem);
  self->problem = problem;
  GST_OBJECT_UNLOCK (self);
}

static void
get_uri (gpointer owner, const PropRow *row, GValue *value)
{
  g_value_take_string (value, bin_uri_get (owner));
}

/* The port in use, or what is set; of RTP or of RTCP. */
static void
get_port (gpointer owner, const PropRow *row, GValue *value)
{
  GstRtpAdaptSrc *self = owner;
  gboolean rtcp = row->offset == G_STRUCT_OFFSET (SrcConfig, rtcp_port);
  guint port = rtcp ? self->cfg.rtcp_port : self->cfg.port;

  if (self->sockets[rtcp])
    port = udp_socket_port (self->sockets[rtcp]);
  g_value_set_int (value, (gint) port);
}

static void
set_recv (gpointer owner, const PropRow *row, const GValue *value)
{
  GstRtpAdaptSrc *self = owner;

  g_object_set_property (G_OBJECT (self->recv), row->name, value);
}

static void
get_recv (gpointer owner, const PropRow *row, GValue *value)
{
  GstRtpAdaptSrc *self = owner;

  g_object_get_property (G_OBJECT (self->recv), row->name, value);
}

static void
get_stats (gpointer owner, const PropRow *row, GValue *value)
{
  GstRtpAdaptSrc *self = owner;
  GstStructure *stats
      = gst_structure_new_empty ("application/x-rtpadaptsrc-stats");
  GArray *streams;
  SrcGateStats gate;
  SrcHoldStats hold;

  g_mutex_lock (&self->lock);
  streams = src_stats_sources (&self->streams, self->session.jitterbuffers);
  for (guint i = 0; self->session.fecdec && i < streams->len; i++) {
    SrcStatsSource *source = &g_array_index (streams, SrcStatsSource, i);

    source->early = rtp_adapt_fec_dec_recovered (
        GST_RTP_ADAPT_FEC_DEC (self->session.fecdec), source->ssrc);
  }
  g_mutex_unlock (&self->lock);
  src_gate_get_stats (self->gate, &gate);
  src_stats_set_gate (stats, &gate);
  src_stats_set_streams (stats, streams);
  src_hold_get_stats (&self->session.hold, &hold);
  src_stats_set_hold (stats, &hold);
  src_stats_take (stats, "security", secure_stats (self->secure));
  src_stats_set_child (stats, "udp", self->udpsrc);
  src_stats_set_child (stats, "receiver", self->recv);
  g_array_unref (streams);
  g_value_take_boxed (value, stats);
}

/* --- the table ------------------------------------------------------------------ */

#define TEXT(f) PROP_TEXT (SrcConfig, f, NULL), .empty_is_none = TRUE

const PropRow src_props[] = {
  { "uri", "URI",
      "rtpadapt://address:port?property=value&...: where to receive, and "
      "other properties of this element, but for keys and files",
      PROP_READY, .type = G_TYPE_STRING, .set = set_uri, .get = get_uri },
  { "address", "Address",
      "Address to receive at, 0.0.0.0: all of IPv4, or a multicast group "
      "to join; none: all, of IPv4 and IPv6",
      PROP_READY, TEXT (address) },
  { "port", "Port",
      "Port to receive at (0: a free one, to be read here from READY on)",
      PROP_READY, PROP_INT (SrcConfig, port, 0, 65535, BIN_URI_PORT),
      .get_locked = get_port },
  { "rtcp-mux", "RTCP mux",
      "RTP and RTCP share a port (RFC 5761), and answers go where packets "
      "come from; else RTCP has rtcp-port, at both ends",
      PROP_READY, PROP_BOOLEAN (SrcConfig, mux, TRUE) },
  { "rtcp-port", "RTCP port",
      "Port to receive RTCP at, without rtcp-mux (0: that after port)",
      PROP_READY, PROP_INT (SrcConfig, rtcp_port, 0, 65535, 0),
      .get_locked = get_port },
  { "multicast-iface", "Multicast interface",
      "Network interfaces to join a group by (\"eth0,eth1\"); none: as "
      "routed",
      PROP_READY, TEXT (iface) },
  { "latency", "Latency",
      "Time that packets are held for late ones and for repair, with "
      "adaptive-latency at most (@); a round trip and 50 ms at least, for "
      "losses to be repaired in time",
      PROP_PLAYING, PROP_UINT (SrcConfig, latency, 0, G_MAXINT, 200),
      .unit = "ms", .then = THEN_LATENCY },
  { "adaptive-latency", "Adaptive latency",
      "Hold packets no longer than the path's jitter, queue and repair need; it "
      "grows at once, and falls by 1 ms a frame",
      PROP_PLAYING, PROP_BOOLEAN (SrcConfig, adaptive_latency, FALSE),
      .then = THEN_LATENCY },
  { "min-latency", "Lowest latency",
      "The least that adaptive-latency comes down to (@)", PROP_PLAYING,
      PROP_UINT (SrcConfig, min_latency, 0, G_MAXINT, 20), .unit = "ms",
      .then = THEN_LATENCY },
  { "drop-on-latency", "Drop on latency",
      "Never hold more than latency: drop the oldest packets; for pictures to "
      "steer by",
      PROP_READY, PROP_BOOLEAN (SrcConfig, drop_on_latency, FALSE) },
  { "encoding-name", "Encoding name",
      "What the packets of dynamic payload types are that are neither in "
      "pt-map nor in caps, \"H264\" or \"OPUS/48000\"; none: they are "
      "dropped",
      PROP_READY, TEXT (encoding) },
  { "pt-map", "Payload type map",
      "Payload types and what they are, "
      "\"96=H264/90000,97=OPUS/48000/2\" (name/Hz/channels)",
      PROP_READY, TEXT (pt_map) },
  { "caps", "Caps",
      "Of packets in all detail, one structure for each payload type; one "
      "without payload is for the dynamic ones",
      PROP_READY, PROP_BOXED (SrcConfig, caps, gst_caps_get_type) },
  { "feedback", "Feedback",
      "What is reported to the sender, which should be set to the same; "
      "both sides say so where it is not",
      PROP_READY,
      PROP_ENUM (
          SrcConfig, feedback, gst_rtp_adapt_feedback_get_type, "twcc") },
  { "lda",
      .text
      = "Which losses are congestion, for statistics, and for feedback=tfrc",
      .like = recv_props, .set = set_recv, .get = get_recv },
  { "lda-params", .like = recv_props, .set = set_recv, .get = get_recv },
  { "fec", "FEC",
      "Bring back lost video by repair packets (ULPFEC, payload type 122)",
      PROP_READY, PROP_BOOLEAN (SrcConfig, fec, TRUE) },
  { "retransmission", "Retransmission",
      "Use lost packets that are sent again, and ask for them; the sender "
      "repeats video with payload type 121",
      PROP_READY, PROP_BOOLEAN (SrcConfig, retransmission, TRUE) },
  { "stats", "Statistics",
      "Structure application/x-rtpadaptsrc-stats: docs/statistics.md has each field",
      PROP_READ, PROP_STATS, .get = get_stats },
  { "stats-interval", "Statistics interval",
      "Between element messages with the statistics (@, 0: none)", PROP_PLAYING,
      PROP_UINT64 (
          SrcConfig, stats_interval, 0, GST_RTP_ADAPT_STATS_INTERVAL_MAX, 0),
      .unit = "ns", .then = THEN_STATS },
  { NULL },
};

void
src_props_install (GObjectClass *klass)
{
  guint id = props_install (klass, 1, src_props);

  secure_props_install (klass, id, FALSE);
}

/* NULL: it is one of secure.h. */
static const PropRow *
row_of (guint id)
{
  return id < G_N_ELEMENTS (src_props) ? &src_props[id - 1] : NULL;
}

void
src_set_property (
    GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  GstRtpAdaptSrc *self = GST_RTP_ADAPT_SRC (object);
  const PropRow *row = row_of (id);
  gboolean playing;
  guint then;

  if (!row) {
    secure_set_property (self->secure, pspec, value);
    return;
  }
  if (row->set) {
    row->set (self, row, value);
    return;
  }
  GST_OBJECT_LOCK (self);
  then = props_set (&self->cfg, row, value, NULL, NULL);
  playing = GST_STATE (self) == GST_STATE_PLAYING;
  GST_OBJECT_UNLOCK (self);
  if (then & THEN_LATENCY)
    src_build_latency (self);
  if (then & THEN_STATS)
    src_stats_restart (self, playing);
}

void
src_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  GstRtpAdaptSrc *self = GST_RTP_ADAPT_SRC (object);
  const PropRow *row = row_of (id);

  if (row)
    props_get (self, GST_OBJECT_GET_LOCK (self), &self->cfg, row, value);
  else
    secure_get_property (self->secure, pspec, value);
}
