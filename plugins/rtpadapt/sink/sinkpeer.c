/* rtpadaptsink: whose RTCP is let in.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "sinkpeer.h"

#include "parts/extmap.h"
#include "wire/rtpmux.h"
#include "wire/rtpnumber.h"

/* --- our SSRCs ----------------------------------------------------------- */

/* SSRCs are read from the packets that leave, because caps need not name them and
 * retransmissions have SSRCs of their own. */
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
void
sink_peer_on_packet (SinkPeer *who, const guint8 *head, gsize size)
{
  guint16 number;

  if (size < 12) /* RFC 3550 5.1 */
    return;
  note_ssrc (who, GST_READ_UINT32_BE (head + 8));
  if (rtp_number_read (head, size, who->ext_twcc, &number))
    who->sent = number + 1u;
}

/* RFC 3550 6.1: a report comes first, whose sender is behind its first word. */
void
sink_peer_on_rtcp_sent (SinkPeer *who, const guint8 *head, gsize size)
{
  if (size >= 8)
    note_ssrc (who, GST_READ_UINT32_BE (head + 4));
}

void
sink_peer_forget_ours (SinkPeer *who)
{
  who->n_ssrcs = who->next_ssrc = 0;
}

/* Caps without an id change nothing, because rtpsession (1.22) keeps the last id
 * then. */
void
sink_peer_on_caps (SinkPeer *who, const GstCaps *caps)
{
  guint id = extmap_id (gst_caps_get_structure (caps, 0), EXTMAP_TWCC_URI);

  if (id > 0)
    who->ext_twcc = id;
}

/* --- their reports ------------------------------------------------------- */

gboolean
sink_peer_on_rtcp (SinkPeer *who, GSocketAddress *from, const guint8 *data,
    gsize size, RaTime now, gboolean *encrypted)
{
  PeerRtcp what = { .on_ours = FALSE };
  RtcpScan scan;

  *encrypted = FALSE;
  if (rtp_mux_kind (data, size, NULL) != RTP_MUX_RTCP) {
    who->count.junk++;
    *encrypted
        = !who->authentic && encrypted_on_junk (&who->encrypted, data, size);
    return FALSE;
  }
  if (!who->peer)
    return FALSE;
  rtcp_scan (data, size, &scan);
  if (scan.sr_request) {
    who->count.sr_requests++;
    return FALSE;
  }
  /* Ours come back, forged or by chance the peer's (RFC 3550 8.2), who hears us
   * and will take another: else each who reads ours could make us change it, and
   * rtpsession would take his SDES for our own. */
  if (rtcp_is_of (data, size, who->ssrcs, who->n_ssrcs)) {
    who->count.own_ssrc++;
    return FALSE;
  }
  what.bye = scan.bye;
  what.empty = scan.empty;
  for (guint i = 0; i < who->n_ssrcs && !what.on_ours; i++)
    what.on_ours = rtcp_is_about (data, size, who->ssrcs[i]);
  return peer_may_pass (peer_rtcp (who->peer, from, &what, now))
      && sources_rtcp_may_pass (who->sources, data, size, who->sent, now);
}

/* --- the state ----------------------------------------------------------- */

static SinkPeerStats
counted (const SinkPeer *who)
{
  SinkPeerStats n = who->count;
  PeerStats now;

  if (!who->peer)
    return n;
  peer_get_stats (who->peer, &now);
  n.peer.foreign_rtcp += now.foreign_rtcp;
  n.peer.early_rtcp += now.early_rtcp;
  n.peer.flood += now.flood + sources_dropped (who->sources);
  n.peer.moved += now.moved;
  return n;
}

void
sink_peer_start (SinkPeer *who)
{
  who->count = (SinkPeerStats){ 0 };
  sink_peer_forget_ours (who);
}

void
sink_peer_close (SinkPeer *who)
{
  who->count = counted (who);
  g_clear_pointer (&who->peer, peer_free);
  g_clear_pointer (&who->sources, sources_free);
  who->sent = 0;
  who->encrypted = (Encrypted){ 0 };
}

void
sink_peer_open (SinkPeer *who, const PeerConfig *cfg)
{
  sink_peer_close (who);
  who->peer = peer_new (cfg);
  who->sources = sources_new ();
  who->authentic = cfg->authentic;
}

const Field sink_peer_fields[] = {
  { "foreign-rtcp", "packets", "of RTCP from another host than we send to",
      "peer", FIELD_UINT64 (SinkPeerStats, peer.foreign_rtcp) },
  { "early-rtcp", "packets", "of RTCP that is not yet about our streams",
      "peer", FIELD_UINT64 (SinkPeerStats, peer.early_rtcp) },
  { "flood", "packets", "of one SSRC too many", "peer",
      FIELD_UINT64 (SinkPeerStats, peer.flood) },
  { "moved", "times", "the receiver's address changed", "peer",
      FIELD_UINT64 (SinkPeerStats, peer.moved) },
  { "junk", "packets", "that are no RTCP; a key on one side makes it grow",
      "peer", FIELD_UINT64 (SinkPeerStats, junk) },
  { "sr-requests", "packets",
      "of RTCP that would hang rtpsession 1.22: dropped", "RFC 6051",
      FIELD_UINT64 (SinkPeerStats, sr_requests) },
  { "own-ssrc", "packets", "of RTCP with our own SSRC: dropped", "RFC 3550 8.2",
      FIELD_UINT64 (SinkPeerStats, own_ssrc) },
  { NULL },
};

GstStructure *
sink_peer_stats (const SinkPeer *who)
{
  SinkPeerStats n = counted (who);

  return fields_new ("application/x-rtpadapt-peer-stats", sink_peer_fields, &n);
}
