/* The gate of rtpadaptsrc: which packets it lets in.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "srcgatepriv.h"

#include "parts/session.h"
#include "parts/systime.h"

#include <gst/net/gstnetaddressmeta.h>
#include <gst/rtpadapt/util/bytes.h>

#define GST_CAT_DEFAULT src_gate_debug

/* So many packets of an unknown payload type are sent on purpose; noise has all
 * types. */
#define STRANGE_ENOUGH 10

static void
warn_unknown (SrcGate *self, guint pt)
{
  GST_ELEMENT_WARNING (self, STREAM, CODEC_NOT_FOUND,
      ("Packets of payload type %u are dropped: it is not known what they are.",
          pt),
      ("set encoding-name, or add %u=NAME/clock-rate to pt-map", pt));
}

static void
warn_twin (SrcGate *self, guint pt)
{
  GST_ELEMENT_WARNING (self, STREAM, FORMAT,
      ("The packets of payload type %u are media, but that is the number of %s: they "
       "are not shown.  Set pt= of the sender's payloader to another number.",
          pt, pt_is_fec (pt) ? "FEC" : "retransmissions"),
      ("they repair no stream that came"));
}

/* TRUE if it is time for a warning, once for each type; the lock is held. */
static gboolean
count_unknown (SrcGate *self, guint pt)
{
  self->count.unknown++;
  return self->strange[pt] < STRANGE_ENOUGH
      && ++self->strange[pt] == STRANGE_ENOUGH;
}

/* The lock is held. */
static gboolean
is_own (const SrcGate *self, guint32 ssrc)
{
  return self->own_known && ssrc == self->own;
}

/* The same of a packet that may pass. */
static gboolean
count_twin (SrcGate *self, const GstMapInfo *map, const RtpMuxHead *head)
{
  return src_twin_on_packet (&self->twin, head,
      self->kinds[head->pt] == SRC_PAYLOAD_REPAIR,
      map->size >= head->payload + 2 ? ra_get_u16 (map->data + head->payload)
                                     : 0);
}

SrcGateHeard *
src_gate_heard (SrcGate *self, guint32 ssrc, guint pt)
{
  SrcGateHeard *oldest = &self->heard[0];

  for (guint i = 0; i < PEER_STREAMS; i++) {
    SrcGateHeard *h = &self->heard[i];

    if (h->at > 0 && h->ssrc == ssrc && h->pt == pt)
      return h;
    if (h->at < oldest->at)
      oldest = h;
  }
  return oldest;
}

/* TRUE if it may pass. */
static gboolean
judge_rtp (SrcGate *self, GSocketAddress *from, const GstMapInfo *map,
    const RtpMuxHead *head, gboolean *moved)
{
  gboolean known = self->kinds[head->pt] != SRC_PAYLOAD_UNKNOWN, warn = FALSE;
  PeerVerdict verdict = PEER_FOREIGN;
  RaTime now = system_now ();
  gboolean pass, twin;

  g_mutex_lock (&self->lock);
  if (known)
    verdict = peer_rtp (self->peer, from, head->ssrc, head->seq, now);
  else
    warn = count_unknown (self, head->pt);
  pass = peer_may_pass (verdict)
      && sources_rtp_may_pass (self->sources, map->data, map->size, now);
  twin = pass && count_twin (self, map, head);
  if (pass)
    self->count.own_ssrc += is_own (self, head->ssrc);
  if (pass && self->kinds[head->pt] != SRC_PAYLOAD_REPAIR)
    *src_gate_heard (self, head->ssrc, head->pt)
        = (SrcGateHeard){ head->ssrc, head->pt, now };
  answers_heard (self->answers, from, map->size, self->authentic, now);
  g_mutex_unlock (&self->lock);
  if (warn)
    warn_unknown (self, head->pt);
  if (twin)
    warn_twin (self, head->pt);
  *moved = verdict == PEER_MOVED;
  return pass;
}

static gboolean
judge_rtcp (SrcGate *self, GSocketAddress *from, const GstMapInfo *map,
    gboolean *moved, gboolean *called)
{
  PeerVerdict verdict = PEER_FOREIGN;
  RaTime now = system_now ();
  gboolean pass;
  RtcpScan scan;

  rtcp_scan (map->data, map->size, &scan);
  g_mutex_lock (&self->lock);
  if (scan.sr_request)
    self->count.sr_requests++;
  else if (rtcp_is_of (map->data, map->size, &self->own, self->own_known))
    self->count.own_ssrc++; /* it is forged, or our own packet came back */
  else
    verdict = peer_rtcp (self->peer, from,
        &(PeerRtcp){ .ssrc = scan.sender, .bye = scan.bye }, now);
  pass = peer_may_pass (verdict)
      && sources_rtcp_may_pass (self->sources, map->data, map->size, 0, now);
  self->count.rtcp += pass;
  answers_heard (self->answers, from, map->size, self->authentic, now);
  g_mutex_unlock (&self->lock);
  *moved = verdict == PEER_MOVED || verdict == PEER_CALLED;
  *called = verdict == PEER_EARLY || verdict == PEER_CALLED;
  return pass;
}

GstBuffer *
src_gate_forget_sender (
    SrcGate *self, const RtpMuxHead *head, GstBuffer *buffer)
{
  gboolean own;

  g_mutex_lock (&self->lock);
  own = is_own (self, head->ssrc);
  g_mutex_unlock (&self->lock);
  return own ? buffer : session_forget_sender (buffer);
}

static void
take_junk (SrcGate *self, const GstMapInfo *map)
{
  gboolean warn;

  g_mutex_lock (&self->lock);
  self->count.junk++;
  warn = self->keyless
      && encrypted_on_junk (&self->encrypted, map->data, map->size);
  g_mutex_unlock (&self->lock);
  if (warn)
    GST_ELEMENT_WARNING (
        self, RESOURCE, SETTINGS, (ENCRYPTED_TEXT), ("RFC 3711"));
}

Way *
src_gate_judge (
    SrcGate *self, GstPad *sink, GstBuffer *buffer, RtpMuxHead *head)
{
  GstNetAddressMeta *meta = gst_buffer_get_net_address_meta (buffer);
  GSocketAddress *from = meta ? meta->addr : NULL;
  gboolean moved = FALSE, called = FALSE, pass = FALSE;
  RtpMuxKind kind;
  GstMapInfo map;

  if (!gst_buffer_map (buffer, &map, GST_MAP_READ))
    return NULL;
  kind = rtp_mux_kind (map.data, map.size, head);
  if (!self->mux
      && kind != (sink == self->sinks[0] ? RTP_MUX_RTP : RTP_MUX_RTCP))
    kind = RTP_MUX_JUNK;
  if (kind == RTP_MUX_RTP)
    pass = judge_rtp (self, from, &map, head, &moved);
  else if (kind == RTP_MUX_RTCP)
    pass = judge_rtcp (self, from, &map, &moved, &called);
  else
    take_junk (self, &map);
  gst_buffer_unmap (buffer, &map);

  if (moved && self->funcs.moved)
    self->funcs.moved (self->funcs.data);
  if (called && self->funcs.called)
    self->funcs.called (self->funcs.data);
  if (!pass)
    return NULL;
  return kind == RTP_MUX_RTP ? &self->rtp : &self->rtcp;
}
