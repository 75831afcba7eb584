/* rtpadaptsink: the end of its streams.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "sinkbye.h"

#include <gst/rtp/rtp.h>

/* RFC 3550 6.1: a report comes first, and each compound packet has a CNAME. */
GstBuffer *
sink_bye_new (guint32 ssrc, const gchar *cname)
{
  GstBuffer *buffer = gst_rtcp_buffer_new (1024);
  GstRTCPBuffer rtcp = GST_RTCP_BUFFER_INIT;
  GstRTCPPacket packet;

  gst_rtcp_buffer_map (buffer, GST_MAP_READWRITE, &rtcp);
  gst_rtcp_buffer_add_packet (&rtcp, GST_RTCP_TYPE_RR, &packet);
  gst_rtcp_packet_rr_set_ssrc (&packet, ssrc);
  gst_rtcp_buffer_add_packet (&rtcp, GST_RTCP_TYPE_SDES, &packet);
  gst_rtcp_packet_sdes_add_item (&packet, ssrc);
  gst_rtcp_packet_sdes_add_entry (&packet, GST_RTCP_SDES_CNAME,
      (guint8) MIN (strlen (cname), 255), (const guint8 *) cname);
  gst_rtcp_buffer_add_packet (&rtcp, GST_RTCP_TYPE_BYE, &packet);
  gst_rtcp_packet_bye_add_ssrc (&packet, ssrc);
  gst_rtcp_buffer_unmap (&rtcp);
  return buffer;
}
