/* rtpadaptsink: whose RTCP is let in.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * No clock, no lock: the caller has both.
 */
#pragma once

#include "wire/encrypted.h"
#include "wire/peer.h"
#include "wire/sources.h"
#include "parts/fields.h"

#include <gst/gst.h>

G_BEGIN_DECLS

/* More than the streams of one sender with their repair streams. */
#define SINK_SSRCS 32

/* Numbers since the start. */
typedef struct
{
  PeerStats peer;
  guint64 junk;        /* packets that are no RTCP */
  guint64 sr_requests; /* RTCP with one, see rtpmux.h: dropped */
  guint64 own_ssrc;    /* RTCP that uses an SSRC of ours: dropped */
} SinkPeerStats;

/* Zeroed memory hears nobody. */
typedef struct
{
  Peer *peer;       /* or NULL */
  Sources *sources; /* the same */
  guint ext_twcc;   /* the session's id of transport-wide numbers, or 0 */
  guint sent;       /* 1 more than the last of these numbers that left, or 0 */
  guint32 ssrcs[SINK_SSRCS];
  guint n_ssrcs, next_ssrc; /* the ring */
  SinkPeerStats count;      /* without those of `peer` and `sources` */
  gboolean authentic;       /* what comes was encrypted */
  Encrypted encrypted;
} SinkPeer;

/* Sets its numbers back to 0, and forgets our SSRCs. */
void sink_peer_start (SinkPeer *who);
/* Begins with nobody known, or ends with nobody.  The numbers go on. */
void sink_peer_open (SinkPeer *who, const PeerConfig *cfg);
void sink_peer_close (SinkPeer *who);

/* RTP has these caps from now on. */
void sink_peer_on_caps (SinkPeer *who, const GstCaps *caps);
/* RTP leaves, whose first bytes these are: RTP_NUMBER_HEAD of them, or all. */
void sink_peer_on_packet (SinkPeer *who, const guint8 *head, gsize size);
/* RTCP of our session leaves, whose own SSRC may be that of no stream. */
void sink_peer_on_rtcp_sent (SinkPeer *who, const guint8 *head, gsize size);
/* Forgets our SSRCs. */
void sink_peer_forget_ours (SinkPeer *who);
/* RTCP comes.  TRUE: it may pass.  `encrypted` is set to TRUE, once, if the other
 * side encrypts and we do not. */
gboolean sink_peer_on_rtcp (SinkPeer *who, GSocketAddress *from,
    const guint8 *data, gsize size, RaTime now, gboolean *encrypted);

/* (transfer full) */
GstStructure *sink_peer_stats (const SinkPeer *who);
extern const Field sink_peer_fields[];

G_END_DECLS
