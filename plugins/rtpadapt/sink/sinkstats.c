/* rtpadaptsink: its own statistics, and what those of its parts are.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "sinkstats.h"

const Field sink_stats_fields[] = {
  { "sender", "", "of pacing, rate and feedback", "rtpadaptsend",
      FIELD_STRUCTURE ("application/x-rtpadaptsend-stats") },
  { "udp", "", "of the socket", "rtpadaptudpsink",
      FIELD_STRUCTURE ("application/x-rtpadaptudpsink-stats") },
  { "udp-rtcp", "",
      "of RTCP's, which leaves by udp's socket where rtcp-mux is on",
      "rtpadaptudpsink",
      FIELD_STRUCTURE ("application/x-rtpadaptudpsink-stats") },
  { "security", "", "what SRTP or DTLS let in", "element",
      FIELD_STRUCTURE ("application/x-rtpadapt-security-stats") },
  { "unkeyed", "packets", "of media that came before DTLS had keys: dropped",
      "element", FIELD_UINT64 (SinkStats, unkeyed) },
  { "peer", "", "RTCP that was dropped", "element",
      FIELD_STRUCTURE ("application/x-rtpadapt-peer-stats") },
  { NULL },
};
