/* rtpadaptsrc: rtpbin.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "parts/session.h"
#include "srcpriv.h"
#include "wire/rtpmux.h"

#include <gst/rtp/rtp.h>

#define GST_CAT_DEFAULT rtpadaptsrc_debug

/* bit/s, of which RTCP has a twentieth (RFC 3550 6.2): 1 Mbit/s.  rtpsession
 * lets feedback go when, by RFC 3550 6.3.1 times 1.5 / 1.218 at worst,
 *
 *     8 x bytes of a report x members / RTCP bandwidth
 *
 * is over.  200 bytes (RR, SDES, RADP and TFRC-FB with UDP's and IP's headers,
 * or TWCC about 60 packets) of 4 members (camera, microphone, both sides'
 * reports) need 6.4 ms, 7.9 at worst: a report each 10 ms, or for each of
 * 60 frames a second, never waits.  It is no more than a permission: what is
 * sent is one report per round trip or frame. */
#define BANDWIDTH 20e6

/* What FEC needs packets for, beyond what the jitterbuffer holds. */
#define STORAGE_EXTRA GST_SECOND

/* ms.  0 lets rtpjitterbuffer (1.22) go on after a gap of up to 3000 packets
 * (RFC 3550 A.1); else it counts by the packet rate, which each change of the
 * payload type, as to FEC and back, resets: some 120 missing packets then make
 * it drop all it holds. */
#define MAX_DROPOUT_TIME 0
/* ms.  With 0 packets up to 100 numbers behind count as late.  Otherwise the packet
 * rate gives the bound, which is huge where timestamps stand still: the packets of
 * a sender that went back would count as late and be dropped for minutes. */
#define MAX_MISORDER_TIME 0

/* RFC 4585 3.5.2 may delay a report.  It is not sent if it would be later than
 * this. */
#define SIGN_DELAY (100 * GST_MSECOND)

static GstCaps *
request_pt_map (GstElement *rtpbin, guint session, guint pt, gpointer data)
{
  GstRtpAdaptSrc *self = data;

  return pt < SRC_PAYLOAD_TYPES && self->payloads.caps[pt]
      ? gst_caps_ref (self->payloads.caps[pt])
      : NULL;
}

static void
new_storage (
    GstElement *rtpbin, GstElement *storage, guint session, gpointer data)
{
  GstRtpAdaptSrc *self = data;
  guint latency;
  gboolean fec;

  GST_OBJECT_LOCK (self);
  latency = self->cfg.latency;
  fec = self->cfg.fec;
  GST_OBJECT_UNLOCK (self);
  g_object_set (storage, "size-time",
      fec ? (GstClockTime) latency * GST_MSECOND + STORAGE_EXTRA : 0, NULL);
}

static void
new_jitterbuffer (GstElement *rtpbin, GstElement *jitterbuffer, guint session,
    guint ssrc, gpointer data)
{
  GstRtpAdaptSrc *self = data;
  gboolean rtx;

  g_mutex_lock (&self->lock);
  g_hash_table_replace (self->jitterbuffers, GUINT_TO_POINTER (ssrc),
      gst_object_ref (jitterbuffer));
  rtx = self->repeats;
  g_mutex_unlock (&self->lock);
  if (rtx)
    src_rtx_watch (jitterbuffer);
}

/* --- retransmission ----------------------------------------------------- */

static GstPad *
add_ghost (
    GstElement *bin, GstElement *inner, const gchar *pad, const gchar *name)
{
  GstPad *target = gst_element_get_static_pad (inner, pad);
  GstPad *ghost = gst_ghost_pad_new (name, target);

  gst_object_unref (target);
  gst_element_add_pad (bin, ghost);
  return ghost;
}

/* rtprtxreceive, with pads as rtpbin wants them. */
static GstElement *
request_aux_receiver (GstElement *rtpbin, guint session, gpointer data)
{
  GstRtpAdaptSrc *self = data;
  GstElement *bin, *rtx;
  gboolean wanted;

  GST_OBJECT_LOCK (self);
  wanted = self->cfg.retransmission;
  GST_OBJECT_UNLOCK (self);
  if (!wanted)
    return NULL;
  rtx = src_rtx_receiver ();
  if (!rtx)
    return NULL;
  bin = gst_bin_new (NULL);
  gst_bin_add (GST_BIN (bin), rtx);
  add_ghost (bin, rtx, "sink", "sink_0");
  add_ghost (bin, rtx, "src", "src_0");
  g_mutex_lock (&self->lock);
  self->repeats = TRUE;
  g_mutex_unlock (&self->lock);
  return bin;
}

/* --- pads of rtpbin ----------------------------------------------------- */

static GstPad *
request_pad (GstRtpAdaptSrc *self, const gchar *name)
{
  GstPad *pad = gst_element_request_pad_simple (self->rtpbin, name);

  if (pad)
    g_ptr_array_add (self->requested, pad);
  return pad;
}

static gboolean
link_to (GstElement *from, const gchar *name, GstPad *sink)
{
  GstPad *src = gst_element_get_static_pad (from, name);
  gboolean good = sink && gst_pad_link (src, sink) == GST_PAD_LINK_OK;

  gst_object_unref (src);
  return good;
}

static void
set_bandwidth (GstRtpAdaptSrc *self)
{
  GstElement *session = NULL;
  GObject *internal = NULL;

  g_signal_emit_by_name (self->rtpbin, "get-session", 0, &session);
  if (!session)
    return;
  g_object_set (session, "bandwidth", BANDWIDTH, NULL);
  gst_object_unref (session);
  g_signal_emit_by_name (self->rtpbin, "get-internal-session", 0, &internal);
  session_keep_no_feedback (internal);
  g_object_unref (internal);
}

/* The gate has to know our SSRC, because a packet with it is forged or a collision.
 * After our BYE the peer may use that SSRC.  The gate also decides what may
 * leave. */
static GstPadProbeReturn
rtcp_leaves (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  GstRtpAdaptSrc *self = data;
  GstBuffer *rtcp = GST_PAD_PROBE_INFO_BUFFER (info);
  GstMapInfo map;
  RtcpScan scan;

  if (!gst_buffer_map (rtcp, &map, GST_MAP_READ))
    return GST_PAD_PROBE_OK;
  rtcp_scan (map.data, map.size, &scan);
  if (map.size >= 8 && !scan.bye)
    src_gate_set_own (self->gate, scan.sender);
  gst_buffer_unmap (rtcp, &map);
  /* With GST_PAD_PROBE_HANDLED we have to free the buffer of the probe, which
   * src_gate_leave() does. */
  rtcp = src_gate_leave (self->gate, rtcp);
  GST_PAD_PROBE_INFO_DATA (info) = rtcp;
  return rtcp ? GST_PAD_PROBE_OK : GST_PAD_PROBE_HANDLED;
}

static gboolean
link_session (GstRtpAdaptSrc *self)
{
  GstPad *rtp = request_pad (self, "recv_rtp_sink_0");
  GstPad *rtcp = request_pad (self, "recv_rtcp_sink_0");
  GstPad *back = request_pad (self, "send_rtcp_src_0");
  GstPad *sink = gst_element_get_static_pad (self->udpsink, "sink");
  gboolean good;

  good = rtp && rtcp && back
      && gst_element_link_pads (
          GST_ELEMENT (self->gate), "rtp_src", self->recv, "sink")
      && link_to (self->recv, "src", rtp)
      && link_to (GST_ELEMENT (self->gate), "rtcp_src", rtcp)
      && secure_link_out (self->secure, SECURE_RTCP, back, sink);
  gst_object_unref (sink);
  if (!good)
    return FALSE;
  src_net_guard (self, back);
  gst_pad_add_probe (back, GST_PAD_PROBE_TYPE_BUFFER, rtcp_leaves, self, NULL);
  return TRUE;
}

void
src_session_ask (GstRtpAdaptSrc *self)
{
  GstElement *element = NULL;
  GObject *session;

  /* The session calls its element back, which has to live that long. */
  g_signal_emit_by_name (self->rtpbin, "get-session", 0, &element);
  if (!element)
    return;
  g_object_get (element, "internal-session", &session, NULL);
  g_signal_emit_by_name (session, "send-rtcp", (guint64) SIGN_DELAY);
  g_object_unref (session);
  gst_object_unref (element);
}

gboolean
src_session_open (GstRtpAdaptSrc *self, const SrcConfig *cfg)
{
  gboolean secure = secure_wanted (self->secure);

  g_object_set (self->recv, "feedback", cfg->feedback, NULL);
  g_object_set (self->rtpbin, "rtp-profile",
      secure ? GST_RTP_PROFILE_SAVPF : GST_RTP_PROFILE_AVPF, "latency",
      cfg->latency, "drop-on-latency", cfg->drop_on_latency, "do-lost",
      cfg->fec, "do-retransmission", cfg->retransmission, "max-dropout-time",
      MAX_DROPOUT_TIME, "max-misorder-time", MAX_MISORDER_TIME, NULL);
  if (!link_session (self)) {
    GST_ELEMENT_ERROR (self, CORE, PAD, ("Cannot build the receiver."), (NULL));
    return FALSE;
  }
  set_bandwidth (self);
  return TRUE;
}

void
src_session_close (GstRtpAdaptSrc *self)
{
  /* Releasing the last one takes the session, and what it holds, away. */
  while (self->requested->len > 0) {
    GstPad *pad
        = g_ptr_array_steal_index (self->requested, self->requested->len - 1);

    gst_element_release_request_pad (self->rtpbin, pad);
    gst_object_unref (pad);
  }
  g_mutex_lock (&self->lock);
  g_hash_table_remove_all (self->jitterbuffers);
  self->repeats = FALSE;
  g_mutex_unlock (&self->lock);
}

/* rtpbin (1.22) would keep its streams in READY, and make new ones beside them
 * afterwards until it has as many as it may. */
void
src_session_clear (GstRtpAdaptSrc *self)
{
  g_autoptr (GList) ssrcs = NULL;

  /* Nothing may come meanwhile. */
  gst_element_set_state (self->udpsrc, GST_STATE_READY);
  if (!gst_element_is_locked_state (self->rtcpsrc))
    gst_element_set_state (self->rtcpsrc, GST_STATE_READY);
  g_mutex_lock (&self->lock);
  ssrcs = g_hash_table_get_keys (self->jitterbuffers);
  g_mutex_unlock (&self->lock);
  for (GList *l = ssrcs; l; l = l->next)
    g_signal_emit_by_name (
        self->rtpbin, "clear-ssrc", 0, GPOINTER_TO_UINT (l->data));
}

void
src_session_init (GstRtpAdaptSrc *self)
{
  self->requested = g_ptr_array_new ();
  self->jitterbuffers
      = g_hash_table_new_full (NULL, NULL, NULL, gst_object_unref);
  self->recv = gst_element_factory_make ("rtpadaptrecv", "recv");
  self->rtpbin = gst_element_factory_make ("rtpbin", "rtpbin");
  gst_bin_add (GST_BIN (self), self->recv);
  if (!self->rtpbin)
    return;
  gst_bin_add (GST_BIN (self), self->rtpbin);
  g_object_set (self->rtpbin, "autoremove", TRUE, "max-streams",
      (guint) PEER_STREAMS, NULL);
  g_signal_connect (
      self->rtpbin, "request-pt-map", G_CALLBACK (request_pt_map), self);
  g_signal_connect (
      self->rtpbin, "new-storage", G_CALLBACK (new_storage), self);
  g_signal_connect (
      self->rtpbin, "new-jitterbuffer", G_CALLBACK (new_jitterbuffer), self);
  g_signal_connect (self->rtpbin, "request-aux-receiver",
      G_CALLBACK (request_aux_receiver), self);
}
