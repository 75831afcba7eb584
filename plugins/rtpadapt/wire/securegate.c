/* Counts what comes to srtpdec, with DTLS, and bounds the SSRCs of strangers.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * srtpdec (1.22) makes a stream with keys of its own for each SSRC before it
 * knows whether a packet is authentic, and libsrtp searches its streams one
 * after the other: a flood of forged SSRCs would take memory and time without
 * end.  It cannot take one out again (it gives libsrtp the SSRC in the wrong
 * byte order).  So not more than TRIES new ones are tried at once, one more
 * each second, and SSRCS_MAX in all.
 */
#include "securepriv.h"
#include "parts/systime.h"

#include <gst/rtp/rtp.h>

/* Streams of a peer that starts, with repair streams and some restarts. */
#define TRIES 32
#define SSRCS_MAX 4096

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

/* What srtpdec finds, too: what has none is dropped there and not counted. */
static gboolean
find_ssrc (GstBuffer *buffer, guint32 *ssrc)
{
  return find_rtp_ssrc (buffer, ssrc) || find_rtcp_ssrc (buffer, ssrc);
}

/* The lock is held. */
static gboolean
ssrc_may_pass (Secure *s, guint32 ssrc)
{
  RaSpan more = MAX (ra_diff (system_now (), s->refilled), 0) / RA_SECOND;

  if (g_hash_table_contains (s->ssrcs, GUINT_TO_POINTER (ssrc)))
    return TRUE;
  s->tries = (guint) MIN (s->tries + more, TRIES);
  s->refilled = ra_later (s->refilled, more * RA_SECOND);
  if (s->tries == 0 || g_hash_table_size (s->ssrcs) >= SSRCS_MAX)
    return FALSE;
  s->tries--;
  g_hash_table_insert (
      s->ssrcs, GUINT_TO_POINTER (ssrc), GINT_TO_POINTER (FALSE));
  return TRUE;
}

static GstPadProbeReturn
before (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  Secure *s = data;
  guint32 ssrc;
  gboolean valid = find_ssrc (GST_PAD_PROBE_INFO_BUFFER (info), &ssrc);
  gboolean pass;

  g_mutex_lock (&s->lock);
  s->count.received++;
  pass = valid && ssrc_may_pass (s, ssrc);
  if (!valid)
    s->count.malformed++;
  else if (!pass)
    s->count.crowded++;
  g_mutex_unlock (&s->lock);
  return pass ? GST_PAD_PROBE_OK : GST_PAD_PROBE_DROP;
}

static GstPadProbeReturn
after (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  Secure *s = data;
  guint32 ssrc;

  if (!find_ssrc (GST_PAD_PROBE_INFO_BUFFER (info), &ssrc))
    return GST_PAD_PROBE_OK;
  g_mutex_lock (&s->lock);
  if (!g_hash_table_lookup (s->ssrcs, GUINT_TO_POINTER (ssrc))) {
    g_hash_table_insert (
        s->ssrcs, GUINT_TO_POINTER (ssrc), GINT_TO_POINTER (TRUE));
    s->tries = MIN (s->tries + 1, TRIES);
  }
  g_mutex_unlock (&s->lock);
  return GST_PAD_PROBE_OK;
}

void
secure_gate_open (Secure *s)
{
  static const gchar *const sinks[] = { "rtp_sink", "rtcp_sink" };
  static const gchar *const srcs[] = { "rtp_src", "rtcp_src" };

  g_mutex_lock (&s->lock);
  s->ssrcs = g_hash_table_new (NULL, NULL);
  s->tries = TRIES;
  s->refilled = system_now ();
  g_mutex_unlock (&s->lock);
  for (guint i = 0; i < SECURE_N_KINDS; i++) {
    GstPad *sink = gst_element_get_static_pad (s->srtpdec, sinks[i]);
    GstPad *src = gst_element_get_static_pad (s->srtpdec, srcs[i]);

    gst_pad_add_probe (sink, GST_PAD_PROBE_TYPE_BUFFER, before, s, NULL);
    gst_pad_add_probe (src, GST_PAD_PROBE_TYPE_BUFFER, after, s, NULL);
    gst_object_unref (sink);
    gst_object_unref (src);
  }
}

void
secure_gate_close (Secure *s)
{
  g_mutex_lock (&s->lock);
  g_clear_pointer (&s->ssrcs, g_hash_table_unref);
  g_mutex_unlock (&s->lock);
}
