/* rtpadaptsink: the table of its properties, and whose those are that are not in it.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "sinkprops.h"

#include "parts/enums.h"
#include "send/gstrtpadaptsend.h"
#include "udp/gstrtpadaptudpsink.h"
#include "wire/binuri.h"
#include "wire/secure.h"

#define SINK_RTX_TIME GST_SECOND

/* The first ids of those that are not its own. */
enum
{
  PROP_PARTS = 100,     /* of rtpadaptsend */
  PROP_UDP_PARTS = 200, /* of rtpadaptudpsink */
};

static const gchar *const udp_parts[] = { "bind-address", "bind-port", "ttl",
  "ttl-mc", "loop", "multicast-iface", "af-class", "dscp", NULL };

const PropRow sink_props[] = {
  { "uri", "URI",
      "Where to send, rtpadapt://host:port?property=value&...; it sets "
      "host, port and properties of this element, but for keys and files",
      PROP_PLAYING, .type = G_TYPE_STRING },
  { "host", "Host",
      "Name or address to send to, or a multicast group; a name is looked up each "
      "time it is set, which may block, and when no packet gets there",
      PROP_PLAYING, PROP_TEXT (SinkConfig, host, "localhost"),
      .then = THEN_LOOK | THEN_DESTINATION | THEN_PEER },
  { "port", "Port", "Port to send to", PROP_PLAYING,
      PROP_INT (SinkConfig, port, 1, 65535, BIN_URI_PORT),
      .then = THEN_DESTINATION | THEN_PEER },
  { "rtcp-mux", "RTCP mux",
      "RTP and RTCP on one port (RFC 5761); off for a "
      "receiver that has two, as rtpbin alone",
      PROP_ANY, PROP_BOOLEAN (SinkConfig, rtcp_mux, TRUE), .then = THEN_START },
  { "rtcp-port", "RTCP port",
      "Port to send RTCP to without rtcp-mux (0: the one after port)",
      PROP_PLAYING, PROP_INT (SinkConfig, rtcp_port, 0, 65535, 0),
      .then = THEN_DESTINATION | THEN_PEER },
  { "retransmission", "Retransmission",
      "Send lost video packets again (RFC 4588, payload type 121, and 119 for repair "
      "packets of the Reed-Solomon code), within the bitrate, to a receiver that uses "
      "them",
      PROP_READY, PROP_BOOLEAN (SinkConfig, retransmission, TRUE),
      .then = THEN_STREAM },
  { "rtx-time", "Retransmission time",
      "How long packets are kept for retransmission (@): longer than the "
      "receiver's latency",
      PROP_READY,
      PROP_UINT64 (
          SinkConfig, rtx_time, GST_MSECOND, 60 * GST_SECOND, SINK_RTX_TIME),
      .unit = "ns", .then = THEN_STREAM },
  { "stats", "Statistics",
      "Structure application/x-rtpadaptsink-stats: docs/statistics.md has each field",
      PROP_READ, PROP_STATS },
  { NULL },
};

/* The properties of rtpadaptsend that this element does not have itself.  One is left out,
 * as session_configure() sets it: whether there is a key decides it. */
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
    if (!props_row (sink_props, row.name)
        && !g_str_equal (row.name, "plain-repeats"))
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

SinkPropOf
sink_prop_of (guint id)
{
  if (id < G_N_ELEMENTS (sink_props))
    return SINK_PROP_OWN;
  if (id < PROP_PARTS)
    return SINK_PROP_SECURE;
  return id < PROP_UDP_PARTS ? SINK_PROP_SEND : SINK_PROP_UDP;
}
