/* rtpadaptsink: whose RTCP is let in.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "sinkpriv.h"

#include "udp/gstrtpadaptudpsink.h"
#include "wire/address.h"
#include "wire/rtpmux.h"
#include "wire/rtpnumber.h"
#include "parts/extmap.h"
#include "parts/session.h"
#include "parts/systime.h"

#include <gst/net/gstnetaddressmeta.h>

#define GST_CAT_DEFAULT rtpadaptsink_debug

/* --- our SSRCs ----------------------------------------------------------- */

/* SSRCs are read from the packets that leave, because caps need not name them and
 * retransmissions have SSRCs of their own.  The lock is held. */
static void
note_ssrc (SinkPeer *who, guint32 ssrc)
{
  for (guint i = 0; i < who->n_ssrcs; i++) {
    if (who->ssrcs[i] == ssrc)
      return;
  }
  who->ssrcs[who->next_ssrc] = ssrc;
  who->next_ssrc = (who->next_ssrc + 1) % SINK_SSRCS;
  who->n_ssrcs = MIN (who->n_ssrcs + 1, SINK_SSRCS);
}

/* Packets cannot be counted instead of reading their numbers: a stream without the
 * header extension, such as audio that is already payloaded, has no numbers. */
static void
note_packet (SinkPeer *who, GstBuffer *buffer)
{
  guint8 head[RTP_NUMBER_HEAD];
  gsize size = gst_buffer_extract (buffer, 0, head, sizeof head);
  guint16 number;

  if (size < 12) /* RFC 3550 5.1 */
    return;
  g_mutex_lock (&who->lock);
  note_ssrc (who, GST_READ_UINT32_BE (head + 8));
  if (rtp_number_read (head, size, who->ext_twcc, &number))
    who->sent = number + 1u;
  g_mutex_unlock (&who->lock);
}

/* Caps without an id change nothing, because rtpsession (1.22) keeps the last id
 * then. */
static void
note_caps (SinkPeer *who, GstEvent *event)
{
  GstCaps *caps;
  guint id;

  gst_event_parse_caps (event, &caps);
  id = extmap_id (gst_caps_get_structure (caps, 0), EXTMAP_TWCC_URI);
  if (id == 0)
    return;
  g_mutex_lock (&who->lock);
  who->ext_twcc = id;
  g_mutex_unlock (&who->lock);
}

static GstPadProbeReturn
rtp_leaves (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  GstRtpAdaptSink *self = data;
  GstBufferList *list;

  if (GST_PAD_PROBE_INFO_TYPE (info) & GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM) {
    if (GST_EVENT_TYPE (GST_PAD_PROBE_INFO_EVENT (info)) == GST_EVENT_CAPS)
      note_caps (&self->who, GST_PAD_PROBE_INFO_EVENT (info));
    return GST_PAD_PROBE_OK;
  }
  sink_hints_start (self);
  if (GST_PAD_PROBE_INFO_TYPE (info) & GST_PAD_PROBE_TYPE_BUFFER) {
    note_packet (&self->who, GST_PAD_PROBE_INFO_BUFFER (info));
    return GST_PAD_PROBE_OK;
  }
  list = GST_PAD_PROBE_INFO_BUFFER_LIST (info);
  for (guint i = 0; i < gst_buffer_list_length (list); i++)
    note_packet (&self->who, gst_buffer_list_get (list, i));
  return GST_PAD_PROBE_OK;
}

/* --- their reports ------------------------------------------------------- */

/* The lock is held. */
static gboolean
rtcp_may_pass (SinkPeer *who, GstBuffer *buffer, const GstMapInfo *map)
{
  GstNetAddressMeta *meta = gst_buffer_get_net_address_meta (buffer);
  RaTime now = system_now ();
  PeerRtcp what = { .on_ours = FALSE };
  RtcpScan scan;

  if (rtp_mux_tell (map->data, map->size, NULL) != RTP_MUX_RTCP) {
    who->junk++;
    who->encrypted_news |= !who->authentic
        && encrypted_on_junk (&who->encrypted, map->data, map->size);
    return FALSE;
  }
  if (!who->peer)
    return FALSE;
  rtcp_scan (map->data, map->size, &scan);
  if (scan.sr_request) {
    who->sr_requests++;
    return FALSE;
  }
  /* Ours come back, forged or by chance the peer's (RFC 3550 8.2), who hears us
   * and will take another: else each who reads ours could make us change it, and
   * rtpsession would take his SDES for our own. */
  if (rtcp_is_of (map->data, map->size, who->ssrcs, who->n_ssrcs)) {
    who->own_ssrc++;
    return FALSE;
  }
  what.bye = scan.bye;
  what.empty = scan.empty;
  for (guint i = 0; i < who->n_ssrcs && !what.on_ours; i++)
    what.on_ours = rtcp_is_about (map->data, map->size, who->ssrcs[i]);
  return peer_may_pass (
             peer_rtcp (who->peer, meta ? meta->addr : NULL, &what, now))
      && sources_rtcp_may_pass (
          who->sources, map->data, map->size, who->sent, now);
}

static GstPadProbeReturn
rtcp_comes (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  GstRtpAdaptSink *self = data;
  GstBuffer *buffer = GST_PAD_PROBE_INFO_BUFFER (info);
  GstMapInfo map;
  gboolean pass, warn;

  if (!gst_buffer_map (buffer, &map, GST_MAP_READ))
    return GST_PAD_PROBE_DROP;
  g_mutex_lock (&self->who.lock);
  pass = rtcp_may_pass (&self->who, buffer, &map);
  warn = self->who.encrypted_news;
  self->who.encrypted_news = FALSE;
  g_mutex_unlock (&self->who.lock);
  gst_buffer_unmap (buffer, &map);
  if (warn)
    GST_ELEMENT_WARNING (
        self, RESOURCE, SETTINGS, (ENCRYPTED_TEXT), ("RFC 3711"));
  if (!pass)
    return GST_PAD_PROBE_DROP;
  GST_PAD_PROBE_INFO_DATA (info) = session_forget_sender (buffer);
  return GST_PAD_PROBE_OK;
}

/* --- the state ----------------------------------------------------------- */

void
sink_peer_reset (GstRtpAdaptSink *self, gboolean open)
{
  PeerConfig cfg = { .authentic = secure_wanted (self->secure) };
  GSocketAddress *to;
  Peer *peer = NULL;

  GST_OBJECT_LOCK (self);
  cfg.any_port = !self->cfg.rtcp_mux;
  GST_OBJECT_UNLOCK (self);
  if (open) {
    to = rtp_adapt_udp_sink_get_destination (
        GST_RTP_ADAPT_UDP_SINK (self->rtpsink));
    if (to)
      cfg.host = host_of (to);
    if (secure_is_dtls_client (self->secure))
      secure_dtls_from (self->secure, to);
    peer = peer_new (&cfg);
    g_clear_object (&to);
  }
  g_mutex_lock (&self->who.lock);
  g_clear_pointer (&self->who.peer, peer_free);
  self->who.peer = peer;
  g_clear_pointer (&self->who.sources, sources_free);
  self->who.sources = open ? sources_new () : NULL;
  self->who.sent = 0;
  self->who.authentic = cfg.authentic;
  self->who.encrypted = (Encrypted){ 0 };
  self->who.encrypted_news = FALSE;
  g_mutex_unlock (&self->who.lock);
}

void
sink_peer_init (GstRtpAdaptSink *self)
{
  g_mutex_init (&self->who.lock);
  if (self->missing)
    return;
  gst_pad_add_probe (self->rtp_out,
      GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_BUFFER_LIST
          | GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM,
      rtp_leaves, self, NULL);
  gst_pad_add_probe (
      self->rtcp_in, GST_PAD_PROBE_TYPE_BUFFER, rtcp_comes, self, NULL);
}

void
sink_peer_finalize (GstRtpAdaptSink *self)
{
  g_clear_pointer (&self->who.peer, peer_free);
  g_clear_pointer (&self->who.sources, sources_free);
  g_mutex_clear (&self->who.lock);
}

GstStructure *
sink_peer_stats (GstRtpAdaptSink *self)
{
  SinkPeer *who = &self->who;
  PeerStats n = { 0 };
  guint64 junk, sr_requests, own_ssrc;

  g_mutex_lock (&who->lock);
  if (who->peer) {
    peer_get_stats (who->peer, &n);
    n.flood += sources_dropped (who->sources);
  }
  junk = who->junk;
  sr_requests = who->sr_requests;
  own_ssrc = who->own_ssrc;
  g_mutex_unlock (&who->lock);
  return gst_structure_new ("application/x-rtpadapt-peer-stats", "foreign-rtcp",
      G_TYPE_UINT64, n.foreign_rtcp, "early-rtcp", G_TYPE_UINT64, n.early_rtcp,
      "flood", G_TYPE_UINT64, n.flood, "moved", G_TYPE_UINT64, n.moved, "junk",
      G_TYPE_UINT64, junk, "sr-requests", G_TYPE_UINT64, sr_requests,
      "own-ssrc", G_TYPE_UINT64, own_ssrc, NULL);
}
