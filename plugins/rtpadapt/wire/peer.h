/* Who may speak to us: learning the peer's address, and following it.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What comes here has the form of RTP or RTCP; with SRTP it is authentic, too.
 *
 * A receiver takes as its peer the first address that sends two RTP packets in
 * a row (RFC 3550 A.1); a sender the first one on the host it sends to that
 * reports on an SSRC of ours.  Before there is one, and while it is silent for
 * PEER_SILENCE, empty reports from that host pass, too: a receiver that has had
 * none of our packets can say no more.  Otherwise what comes from elsewhere is
 * foreign.  The peer moves
 *   - when it has been silent for PEER_SILENCE, or said BYE: whoever is next;
 *   - when it has been silent for PEER_RESTART, to the next sender on its host: a
 *     program that was killed and started again has the same host and another
 *     port;
 *   - after PEER_REBIND, if the packet goes on where its stream left off: a
 *     stranger would have to guess an SSRC and a number, 2^32 by about 20;
 *   - at once, if it is authentic: the key decides, and newer than what came.
 * Not more than PEER_STREAMS SSRCs are let in, nor that many new ones within
 * PEER_STALE.
 *
 * A sender may wait for a sign of life before it sends RTP.  So where no peer is
 * known, or the peer has been silent for PEER_RESTART, a receiver sends its
 * reports to the address that RTCP comes from.  That sender is not the peer yet.
 * Reports go there for PEER_EARLY_HOLD.  After that they go to the first address that
 * asked meanwhile, if there is one.  All of this ends when the peer is heard.
 *
 * A sender with a key believes any address whose reports are encrypted with that key.  The
 * receiver at the former host has the key, too, and may go on to report.  Its reports are
 * foreign until nobody else has been heard for PEER_SILENCE.
 *
 * No clock, no lock: the caller has both.
 */
#pragma once

#include <gio/gio.h>
#include <gst/rtpadapt/types.h>

G_BEGIN_DECLS

/* Longer than a handover between cells or access points takes, which the peer
 * comes back from by itself; reports alone come more often than that. */
#define PEER_SILENCE (3 * RA_SECOND)
/* Longer than a live encoder pauses. */
#define PEER_RESTART (500 * RA_MSECOND)
/* A stranger who sends RTCP all the time can keep reports from others for no longer
 * than this: then it is the turn of the first one that asked meanwhile. */
#define PEER_EARLY_HOLD RA_SECOND
/* Longer than two paths differ in delay, so that a peer with two of them does
 * not move with each packet. */
#define PEER_REBIND (250 * RA_MSECOND)
/* A camera, a microphone, both repeated, and room for some restarts. */
#define PEER_STREAMS 16
/* An SSRC silent for so long makes room for another. */
#define PEER_STALE (10 * RA_SECOND)

typedef enum
{
  PEER_OK,
  PEER_MOVED,   /* and it is at home at another address from here on */
  PEER_FOREIGN, /* drop it: it is from elsewhere */
  PEER_EARLY,   /* drop it: it is RTCP of a sender that is not the peer yet */
  PEER_CALLED,  /* the same, and reports go there from now on */
  PEER_FLOOD,   /* drop it: one SSRC too many */
} PeerVerdict;

static inline gboolean
peer_may_pass (PeerVerdict verdict)
{
  return verdict <= PEER_MOVED;
}

typedef struct
{
  gboolean authentic; /* by SRTP */
  gboolean any_port;  /* RTCP has ports of its own (no RFC 5761) */
  /* A sender: the host it sends to; a multicast group: any may report, and
   * none is the peer.  A receiver: NULL. */
  GInetAddress *host;
  GInetAddress *before; /* the host that it sent to before, or NULL; */
  RaTime since;         /* and until when */
} PeerConfig;

typedef struct
{
  guint64 foreign_rtp, foreign_rtcp; /* packets, of PEER_FOREIGN */
  guint64 early_rtcp, flood;         /* packets */
  guint64 moved;                     /* times, the first address is none */
} PeerStats;

typedef struct _Peer Peer;

/* (transfer full): peer_free().  `cfg` is copied. */
Peer *peer_new (const PeerConfig *cfg);
void peer_free (Peer *peer);

/* A valid RTP packet.  `from` NULL: unknown, foreign. */
PeerVerdict peer_rtp (
    Peer *peer, GSocketAddress *from, guint32 ssrc, guint16 seq, RaTime now);

/* A valid compound, see rtpmux.h. */
typedef struct
{
  guint32 ssrc;     /* who sent it */
  gboolean bye;     /* and says that it has ended */
  gboolean on_ours; /* it is about an SSRC of ours; only a sender asks */
  gboolean empty;   /* it is about no SSRC at all; only a sender asks */
} PeerRtcp;
PeerVerdict peer_rtcp (
    Peer *peer, GSocketAddress *from, const PeerRtcp *what, RaTime now);

/* Where RTCP for the peer goes: where its RTCP comes from, else, any_port, to
 * the port after that of its RTP; without any_port where its RTP comes from.  NULL if
 * not known.  (transfer none), until the next call of one of the above. */
GSocketAddress *peer_rtcp_address (Peer *peer);

/* When the SSRC was last heard; RA_TIME_NONE: not among the streams. */
RaTime peer_last_heard (Peer *peer, guint32 ssrc);
/* When the last packet of RTP of a proven stream came, or RA_TIME_NONE. */
RaTime peer_rtp_heard (const Peer *peer);
/* TRUE if two packets of the SSRC came in a row, or an authentic one. */
gboolean peer_is_proven (Peer *peer, guint32 ssrc);

void peer_get_stats (const Peer *peer, PeerStats *stats);

G_END_DECLS
