/* Bounds the SSRCs that strangers can make srtpdec keep, with DTLS, and counts what
 * comes to it.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "ssrcgate.h"

#include <gst/rtp/rtp.h>

void
ssrc_gate_open (SsrcGate *g, RaTime now)
{
  g->ssrcs = g_hash_table_new (NULL, NULL);
  g->tries = SSRC_GATE_TRIES;
  g->refilled = now;
}

void
ssrc_gate_close (SsrcGate *g)
{
  g_clear_pointer (&g->ssrcs, g_hash_table_unref);
}

static gboolean
find_rtp_ssrc (GstBuffer *buffer, guint32 *ssrc)
{
  GstRTPBuffer rtp = GST_RTP_BUFFER_INIT;
  guint8 pt;

  if (!gst_rtp_buffer_map (
          buffer, GST_MAP_READ | GST_RTP_BUFFER_MAP_FLAG_SKIP_PADDING, &rtp))
    return FALSE;
  pt = gst_rtp_buffer_get_payload_type (&rtp);
  *ssrc = gst_rtp_buffer_get_ssrc (&rtp);
  gst_rtp_buffer_unmap (&rtp);
  return pt < 64 || pt > 80; /* RFC 5761 4, as srtpdec has it */
}

/* Only the first header of a compound and its SSRC are not encrypted (RFC 3711
 * 3.4).  SDES and XR cannot be first (RFC 3550 6.1), so srtpdec does not look
 * for theirs. */
static gboolean
find_rtcp_ssrc (GstBuffer *buffer, guint32 *ssrc)
{
  GstRTCPBuffer rtcp = GST_RTCP_BUFFER_INIT;
  GstRTCPPacket packet;
  GstRTCPType type = GST_RTCP_TYPE_INVALID;
  guint8 bytes[4];

  if (!gst_rtcp_buffer_map (buffer, GST_MAP_READ, &rtcp))
    return FALSE;
  if (gst_rtcp_buffer_get_first_packet (&rtcp, &packet)
      && gst_rtcp_packet_get_length (&packet) > 0)
    type = gst_rtcp_packet_get_type (&packet);
  gst_rtcp_buffer_unmap (&rtcp);
  if (gst_buffer_extract (buffer, 4, bytes, sizeof bytes) < sizeof bytes)
    return FALSE;
  *ssrc = GST_READ_UINT32_BE (bytes);
  return type == GST_RTCP_TYPE_SR || type == GST_RTCP_TYPE_RR
      || type == GST_RTCP_TYPE_RTPFB || type == GST_RTCP_TYPE_PSFB
      || type == GST_RTCP_TYPE_APP || type == GST_RTCP_TYPE_BYE;
}

gboolean
ssrc_gate_find (GstBuffer *buffer, guint32 *ssrc)
{
  return find_rtp_ssrc (buffer, ssrc) || find_rtcp_ssrc (buffer, ssrc);
}

gboolean
ssrc_gate_is_full (const SsrcGate *g)
{
  return g->ssrcs && g_hash_table_size (g->ssrcs) >= SSRC_GATE_MAX;
}

static gboolean
may_pass (SsrcGate *g, guint32 ssrc, RaTime now)
{
  RaSpan more = MAX (ra_diff (now, g->refilled), 0) / RA_SECOND;

  if (g_hash_table_contains (g->ssrcs, GUINT_TO_POINTER (ssrc)))
    return TRUE;
  g->tries = (guint) MIN (g->tries + more, SSRC_GATE_TRIES);
  g->refilled = ra_later (g->refilled, more * RA_SECOND);
  if (g->tries == 0 || ssrc_gate_is_full (g))
    return FALSE;
  g->tries--;
  g_hash_table_insert (
      g->ssrcs, GUINT_TO_POINTER (ssrc), GINT_TO_POINTER (FALSE));
  return TRUE;
}

gboolean
ssrc_gate_before (SsrcGate *g, const guint32 *ssrc, RaTime now)
{
  g->received++;
  if (!ssrc) {
    g->malformed++;
    return FALSE;
  }
  if (may_pass (g, *ssrc, now))
    return TRUE;
  g->crowded++;
  return FALSE;
}

void
ssrc_gate_after (SsrcGate *g, guint32 ssrc)
{
  if (g_hash_table_lookup (g->ssrcs, GUINT_TO_POINTER (ssrc)))
    return;
  g_hash_table_insert (
      g->ssrcs, GUINT_TO_POINTER (ssrc), GINT_TO_POINTER (TRUE));
  g->tries = MIN (g->tries + 1, SSRC_GATE_TRIES);
}
