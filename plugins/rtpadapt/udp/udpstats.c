/* rtpadaptudpsink and rtpadaptudpsrc: statistics and messages, field by field.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "udpstats.h"

/* --- rtpadaptudpsink --------------------------------------------------------- */

typedef struct
{
  UdpSinkCounters n;
  guint64 packets, bytes;
} UdpSinkStats;

#define COUNT(field) FIELD_UINT64 (UdpSinkStats, field)

const Field udp_sink_fields[] = {
  { "average-rate", "", "see gst_base_sink_get_stats()", "GstBaseSink",
      FIELD_OTHER ("double") },
  { "dropped", "buffers", "the same", "GstBaseSink", FIELD_OTHER ("uint64") },
  { "rendered", "buffers", "the same", "GstBaseSink", FIELD_OTHER ("uint64") },
  { "packets-uncoloured", "packets", "sent without a colour, RTCP too",
      "element", COUNT (n.packets[RA_MARK_NONE]) },
  { "bytes-uncoloured", "bytes", "the same", "element",
      COUNT (n.bytes[RA_MARK_NONE]) },
  { "packets-green", "packets", "sent green, as AF41", "RFC 2597",
      COUNT (n.packets[RA_MARK_GREEN]) },
  { "bytes-green", "bytes", "the same", "RFC 2597",
      COUNT (n.bytes[RA_MARK_GREEN]) },
  { "packets-yellow", "packets", "sent yellow, as AF42", "RFC 2597",
      COUNT (n.packets[RA_MARK_YELLOW]) },
  { "bytes-yellow", "bytes", "the same", "RFC 2597",
      COUNT (n.bytes[RA_MARK_YELLOW]) },
  { "packets-red", "packets", "sent red, as AF43", "RFC 2597",
      COUNT (n.packets[RA_MARK_RED]) },
  { "bytes-red", "bytes", "the same", "RFC 2597",
      COUNT (n.bytes[RA_MARK_RED]) },
  { "packets", "packets", "sent, of all colours", "element", COUNT (packets) },
  { "bytes", "bytes", "the same, without the headers of UDP and IP", "element",
      COUNT (bytes) },
  { "packets-rtcp", "packets", "of packets, those of RTCP", "element",
      COUNT (n.rtcp) },
  { "send-errors", "packets", "that could not be sent, as without a route",
      "sendmmsg()", COUNT (n.errors) },
  { "oversized", "packets",
      "not sent, as they are larger than the path's MTU: make the payloader's "
      "mtu smaller",
      "sendmmsg(): EMSGSIZE", COUNT (n.oversized) },
  { "eagain-drops", "packets",
      "not sent, as the kernel's buffer was full: the network card is too slow",
      "sendmmsg(): EAGAIN", COUNT (n.blocked) },
  { NULL },
};

GstStructure *
udp_sink_stats_new (GstBaseSink *sink, const UdpSinkCounters *n)
{
  GstStructure *s = gst_base_sink_get_stats (sink);
  UdpSinkStats x = { .n = *n };

  for (guint i = 0; i < RA_N_MARKS; i++) {
    x.packets += n->packets[i];
    x.bytes += n->bytes[i];
  }
  gst_structure_set_name (s, "application/x-rtpadaptudpsink-stats");
  fields_set (s, udp_sink_fields, &x);
  return s;
}

/* --- rtpadaptudpsrc ---------------------------------------------------------- */

const Field udp_src_fields[] = {
  { "packets", "packets", "that came", "element",
      FIELD_UINT64 (UdpSrcCounters, packets) },
  { "bytes", "bytes", "the same, without the headers of UDP and IP", "element",
      FIELD_UINT64 (UdpSrcCounters, bytes) },
  { "truncated", "packets", "larger than a buffer, and dropped", "recvmmsg()",
      FIELD_UINT64 (UdpSrcCounters, truncated) },
  { "kernel-drops", "packets",
      "for which the socket had no room: make buffer-size larger", "SO_MEMINFO",
      FIELD_UINT64 (UdpSrcCounters, kernel_drops) },
  { "stale", "packets", "of `packets`, dropped because they came in a pause",
      "element", FIELD_UINT64 (UdpSrcCounters, stale) },
  { "ect-1", "packets", "that came as ECT(1)", "RFC 3168 5",
      FIELD_UINT64 (UdpSrcCounters, ecn[1]) },
  { "ect-0", "packets", "that came as ECT(0)", "RFC 3168 5",
      FIELD_UINT64 (UdpSrcCounters, ecn[2]) },
  { "ce", "packets", "that the network marked CE", "RFC 3168 5",
      FIELD_UINT64 (UdpSrcCounters, ecn[3]) },
  { "dscp-unknown", "packets", "whose DSCP the kernel did not say",
      "IP_RECVTOS", FIELD_UINT64 (UdpSrcCounters, unknown) },
  { "dscp-NUMBER", "packets",
      "that came with that DSCP, 0 to 63; a field for each that came",
      "IP_RECVTOS", FIELD_OTHER ("uint64") },
  { NULL },
};

GstStructure *
udp_src_stats_new (const UdpSrcCounters *n)
{
  GstStructure *s
      = fields_new ("application/x-rtpadaptudpsrc-stats", udp_src_fields, n);

  for (guint i = 0; i < G_N_ELEMENTS (n->dscp); i++) {
    g_autofree gchar *name = g_strdup_printf ("dscp-%u", i);

    if (n->dscp[i])
      gst_structure_set (s, name, G_TYPE_UINT64, n->dscp[i], NULL);
  }
  return s;
}

typedef struct
{
  guint64 timeout;
} TimeoutNews;

const Field udp_src_timeout_fields[] = {
  { "timeout", "ns", "for which nothing came; the property", "element",
      FIELD_UINT64 (TimeoutNews, timeout) },
  { NULL },
};

GstStructure *
udp_src_timeout_news (GstClockTime timeout)
{
  return fields_new (
      "GstUDPSrcTimeout", udp_src_timeout_fields, &(TimeoutNews){ timeout });
}
