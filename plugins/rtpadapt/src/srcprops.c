/* rtpadaptsrc: the table of its properties.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "srcprops.h"

#include "parts/enums.h"
#include "recv/gstrtpadaptrecv.h"
#include "wire/binuri.h"
#include "wire/secure.h"

#define TEXT(f) PROP_TEXT (SrcConfig, f, NULL), .empty_is_none = TRUE

const PropRow src_props[] = {
  { "uri", "URI",
      "rtpadapt://address:port?property=value&...: where to receive, and "
      "other properties of this element, but for keys and files",
      PROP_ANY, .type = G_TYPE_STRING },
  { "address", "Address",
      "Address to receive at, 0.0.0.0: all of IPv4, or a multicast group "
      "to join; none: all, of IPv4 and IPv6",
      PROP_ANY, TEXT (address) },
  { "port", "Port",
      "Port to receive at (0: a free one, to be read here from READY on)",
      PROP_ANY, PROP_INT (SrcConfig, port, 0, 65535, BIN_URI_PORT) },
  { "rtcp-mux", "RTCP mux",
      "RTP and RTCP share a port (RFC 5761), and answers go where packets "
      "come from; else RTCP has rtcp-port, at both ends",
      PROP_ANY, PROP_BOOLEAN (SrcConfig, mux, TRUE) },
  { "rtcp-port", "RTCP port",
      "Port to receive RTCP at, without rtcp-mux (0: that after port)",
      PROP_ANY, PROP_INT (SrcConfig, rtcp_port, 0, 65535, 0) },
  { "multicast-iface", "Multicast interface",
      "Network interfaces to join a group by (\"eth0,eth1\"); none: as "
      "routed",
      PROP_ANY, TEXT (iface) },
  { "latency", "Latency",
      "Time that packets are held for late ones and for repair, with "
      "adaptive-latency at most (@); a round trip and 50 ms at least, for "
      "losses to be repaired in time",
      PROP_PLAYING, PROP_UINT (SrcConfig, latency, 0, G_MAXINT, 200),
      .unit = "ms", .then = THEN_LATENCY },
  { "adaptive-latency", "Adaptive latency",
      "Hold packets no longer than the path's jitter, queue and repair need; it "
      "grows by 10 ms a frame, at once where frames are late, and falls by 2 ms a frame",
      PROP_PLAYING, PROP_BOOLEAN (SrcConfig, adaptive_latency, FALSE),
      .then = THEN_LATENCY },
  { "min-latency", "Lowest latency",
      "The least that adaptive-latency comes down to (@)", PROP_PLAYING,
      PROP_UINT (SrcConfig, min_latency, 0, G_MAXINT, SRC_MIN_LATENCY),
      .unit = "ms", .then = THEN_LATENCY },
  { "drop-on-latency", "Drop on latency",
      "Never hold more than latency: drop the oldest packets; for pictures to "
      "steer by",
      PROP_ANY, PROP_BOOLEAN (SrcConfig, drop_on_latency, FALSE) },
  { "encoding-name", "Encoding name",
      "What the packets of dynamic payload types are that are neither in "
      "pt-map nor in caps, \"H264\" or \"OPUS/48000\"; none: they are "
      "dropped",
      PROP_ANY, TEXT (encoding) },
  { "pt-map", "Payload type map",
      "Payload types and what they are, "
      "\"96=H264/90000,97=OPUS/48000/2\" (name/Hz/channels)",
      PROP_ANY, TEXT (pt_map) },
  { "caps", "Caps",
      "What the packets are in all detail, one structure for each payload type; "
      "one without payload is for the dynamic ones",
      PROP_ANY, PROP_BOXED (SrcConfig, caps, gst_caps_get_type) },
  { "feedback", "Feedback",
      "What is reported to the sender, which should be set to the same; "
      "both sides say so where it is not",
      PROP_ANY,
      PROP_ENUM (
          SrcConfig, feedback, gst_rtp_adapt_feedback_get_type, "twcc") },
  { "lda",
      .text
      = "Which losses are congestion, with feedback=tfrc; else the sender's judges",
      .like = recv_props },
  { "lda-params", .like = recv_props },
  { "fec", "FEC",
      "Bring back lost video by repair packets (ULPFEC, payload type 122; "
      "Reed-Solomon, 120)",
      PROP_ANY, PROP_BOOLEAN (SrcConfig, fec, TRUE) },
  { "retransmission", "Retransmission",
      "Use lost packets that are sent again, and ask for them; the sender "
      "repeats video with payload type 121, Reed-Solomon repair packets with 119",
      PROP_ANY, PROP_BOOLEAN (SrcConfig, retransmission, TRUE) },
  { "stats", "Statistics",
      "Structure application/x-rtpadaptsrc-stats: docs/statistics.md has each field",
      PROP_READ, PROP_STATS },
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

const PropRow *
src_prop (guint id)
{
  return id < G_N_ELEMENTS (src_props) ? &src_props[id - 1] : NULL;
}
