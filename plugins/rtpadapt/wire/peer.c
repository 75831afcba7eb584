/* Who may speak to us: learning the peer's address, and following it.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "peer.h"

#include "address.h"

#include <gst/rtpadapt/loss/seq.h>

/* SSRCs that have not proved themselves, from one address, so that one that
 * makes them up does not push out the others. */
#define MAX_UNPROVEN 4

typedef struct
{
  GSocketAddress *from;
  guint32 ssrc;
  guint16 seq;
  gboolean proven; /* two packets in a row */
  gboolean waits;  /* one too many: passes when it is proven */
  gboolean ended;  /* it said BYE */
  RaTime heard;
} Stream;

struct _Peer
{
  PeerConfig cfg;
  Stream streams[PEER_STREAMS];
  guint n;
  GSocketAddress *rtp, *rtcp; /* where the peer is, or was last */
  GSocketAddress *answer;     /* what peer_rtcp_address() gave */
  GSocketAddress *early;      /* whose RTCP is answered in place of the peer's,
                                 or NULL */
  GSocketAddress *asked;      /* who asked meanwhile, or NULL */
  RaTime early_since;
  gboolean known; /* it holds: others are foreign */
  gboolean gone;  /* it said BYE */
  RaTime heard;   /* RTP or RTCP */
  RaTime rtp_heard;
  RaTime fresh_since; /* new SSRCs are counted from here */
  guint fresh;
  PeerStats count;
};

/* --- streams ------------------------------------------------------------ */

/* `from` NULL: any. */
static Stream *
stream_find (Peer *peer, GSocketAddress *from, guint32 ssrc)
{
  for (guint i = 0; i < peer->n; i++) {
    Stream *s = &peer->streams[i];

    if (s->ssrc == ssrc && (!from || same_address (s->from, from)))
      return s;
  }
  return NULL;
}

static void
stream_remove (Peer *peer, Stream *s)
{
  g_object_unref (s->from);
  *s = peer->streams[--peer->n];
}

/* Removes all but those from `keep`; NULL: all. */
static void
streams_remove_others (Peer *peer, GSocketAddress *keep)
{
  for (guint i = peer->n; i-- > 0;) {
    if (!keep || !same_address (peer->streams[i].from, keep))
      stream_remove (peer, &peer->streams[i]);
  }
}

/* The one that makes room for a new one, or NULL if all may stay or must. */
static Stream *
stream_to_leave (Peer *peer, GSocketAddress *from, RaTime now)
{
  Stream *any = NULL, *here = NULL;
  guint unproven = 0;

  for (guint i = 0; i < peer->n; i++) {
    Stream *s = &peer->streams[i];

    if (s->proven && ra_diff (now, s->heard) < PEER_STALE)
      continue;
    if (!any || s->heard < any->heard)
      any = s;
    if (s->proven || !same_address (s->from, from))
      continue;
    unproven++;
    if (!here || s->heard < here->heard)
      here = s;
  }
  if (unproven >= MAX_UNPROVEN)
    return here;
  return peer->n == PEER_STREAMS ? any : NULL;
}

/* NULL if the table is full. */
static Stream *
stream_add (
    Peer *peer, GSocketAddress *from, guint32 ssrc, guint16 seq, RaTime now)
{
  Stream *leaves = stream_to_leave (peer, from, now);

  if (leaves)
    stream_remove (peer, leaves);
  if (peer->n == PEER_STREAMS)
    return NULL;
  peer->streams[peer->n] = (Stream){
    .from = g_object_ref (from), .ssrc = ssrc, .seq = seq, .heard = now
  };
  return &peer->streams[peer->n++];
}

/* FALSE: too many new ones of late. */
static gboolean
fresh_may_pass (Peer *peer, RaTime now)
{
  if (ra_diff (now, peer->fresh_since) >= PEER_STALE) {
    peer->fresh_since = now;
    peer->fresh = 0;
  }
  return peer->fresh++ < PEER_STREAMS;
}

static void
stream_hear (Stream *s, guint16 seq, RaTime now)
{
  gint16 ahead = (gint16) (seq - s->seq);

  if (ahead == 1)
    s->proven = TRUE; /* RFC 3550 A.1, MIN_SEQUENTIAL 2 */
  if (ahead > 0 || ahead < -RA_MAX_MISORDER)
    s->seq = seq;
  s->heard = now;
  s->ended = FALSE;
}

/* --- the peer ----------------------------------------------------------- */

static gboolean
is_silent (const Peer *peer, RaTime now)
{
  return peer->gone || ra_diff (now, peer->heard) >= PEER_SILENCE;
}

/* TRUE if `from` may take the place of the peer. */
static gboolean
may_replace (const Peer *peer, GSocketAddress *from, RaTime now)
{
  return is_silent (peer, now)
      || (peer->rtp && same_host (host_of (peer->rtp), host_of (from))
          && ra_diff (now, peer->heard) >= PEER_RESTART);
}

static void
hear (Peer *peer, RaTime now)
{
  peer->heard = now;
  peer->gone = FALSE;
}

/* TRUE if that is another address than before. */
static gboolean
replace (GSocketAddress **place, GSocketAddress *address)
{
  if (same_address (*place, address))
    return FALSE;
  g_set_object (place, address);
  return TRUE;
}

static void
early_end (Peer *peer)
{
  g_clear_object (&peer->early);
  g_clear_object (&peer->asked);
}

/* The peer is at `from`; where that is new, its RTCP is still to be heard. */
static PeerVerdict
settle (Peer *peer, GSocketAddress *from, RaTime now)
{
  gboolean first = peer->rtp == NULL, called = peer->early != NULL;

  hear (peer, now);
  peer->rtp_heard = now;
  peer->known = TRUE;
  early_end (peer);
  if (!replace (&peer->rtp, from))
    return called ? PEER_MOVED : PEER_OK;
  g_clear_object (&peer->rtcp);
  peer->count.moved += !first;
  return PEER_MOVED;
}

/* It goes on where its stream left off. */
static gboolean
goes_on (const Peer *peer, const Stream *s, guint16 seq, RaTime now)
{
  guint16 ahead = s ? (guint16) (seq - s->seq) : 0;

  return s && s->proven && ahead > 0 && ahead < RA_MAX_DROPOUT
      && ra_diff (now, peer->heard) >= PEER_REBIND;
}

/* Its streams move with it. */
static PeerVerdict
rebind (Peer *peer, GSocketAddress *from, Stream *s, guint16 seq, RaTime now)
{
  for (guint i = 0; i < peer->n; i++)
    g_set_object (&peer->streams[i].from, from);
  stream_hear (s, seq, now);
  return settle (peer, from, now);
}

static PeerVerdict
authentic_rtp (
    Peer *peer, GSocketAddress *from, guint32 ssrc, guint16 seq, RaTime now)
{
  Stream *s = stream_find (peer, NULL, ssrc);
  gboolean newer = !s || (gint16) (seq - s->seq) > 0;

  if (!s && !(s = stream_add (peer, from, ssrc, seq, now))) {
    peer->count.flood++;
    return PEER_FLOOD;
  }
  stream_hear (s, seq, now);
  s->proven = TRUE;
  /* One that was overtaken on its way may come from where the peer was. */
  if (newer || same_address (peer->rtp, from))
    return settle (peer, from, now);
  return PEER_OK;
}

/* `s` that has not proved itself, NULL: the table is full. */
static PeerVerdict
enter (Peer *peer, const Stream *s)
{
  if (s && !s->waits)
    return PEER_OK;
  peer->count.flood++;
  return PEER_FLOOD;
}

/* Nobody is known, or it is from the known address. */
static PeerVerdict
let_in (Peer *peer, GSocketAddress *from, guint32 ssrc, guint16 seq, RaTime now)
{
  Stream *s = stream_find (peer, from, ssrc);

  if (!s) {
    gboolean fresh = fresh_may_pass (peer, now);

    /* Among noise the sender shows by its second packet. */
    if (fresh || !peer->known)
      s = stream_add (peer, from, ssrc, seq, now);
    if (s)
      s->waits = !fresh;
    return enter (peer, s);
  }
  stream_hear (s, seq, now);
  if (!s->proven)
    return enter (peer, s);
  if (!peer->known)
    streams_remove_others (peer, from);
  return settle (peer, from, now);
}

PeerVerdict
peer_rtp (
    Peer *peer, GSocketAddress *from, guint32 ssrc, guint16 seq, RaTime now)
{
  Stream *s;

  if (!is_inet (from)) {
    peer->count.foreign_rtp++;
    return PEER_FOREIGN;
  }
  if (peer->cfg.authentic)
    return authentic_rtp (peer, from, ssrc, seq, now);
  if (!peer->known || same_address (peer->rtp, from))
    return let_in (peer, from, ssrc, seq, now);

  s = stream_find (peer, NULL, ssrc);
  if (goes_on (peer, s, seq, now))
    return rebind (peer, from, s, seq, now);
  if (!may_replace (peer, from, now)) {
    peer->count.foreign_rtp++;
    return PEER_FOREIGN;
  }
  peer->known = FALSE;
  streams_remove_others (peer, NULL);
  return let_in (peer, from, ssrc, seq, now);
}

/* --- RTCP --------------------------------------------------------------- */

static void
note_bye (Peer *peer, guint32 ssrc)
{
  Stream *s = stream_find (peer, NULL, ssrc);

  if (s)
    s->ended = TRUE;
  peer->gone = TRUE;
  for (guint i = 0; i < peer->n; i++)
    peer->gone &= !peer->streams[i].proven || peer->streams[i].ended;
}

static PeerVerdict
accept_rtcp (Peer *peer, GSocketAddress *from, const PeerRtcp *what, RaTime now)
{
  gboolean first = peer->rtcp == NULL;
  gboolean moved = replace (&peer->rtcp, from), called = peer->early != NULL;

  early_end (peer);
  hear (peer, now);
  peer->known = TRUE;
  if (what->bye)
    note_bye (peer, what->ssrc);
  if (peer->cfg.host)
    peer->count.moved += moved && !first;
  /* On one port they go to where RTP is. */
  moved &= peer->cfg.host || peer->cfg.any_port;
  return moved || called ? PEER_MOVED : PEER_OK;
}

static PeerVerdict
refuse_rtcp (Peer *peer)
{
  peer->count.foreign_rtcp++;
  return PEER_FOREIGN;
}

/* Answers a sender that waits for a sign of life.  One that asks all the time, while
 * others do, has to wait for its turn. */
static PeerVerdict
call (Peer *peer, GSocketAddress *from, RaTime now)
{
  g_autoptr (GSocketAddress) next = NULL;

  peer->count.early_rtcp++;
  if (peer->early && ra_diff (now, peer->early_since) < PEER_EARLY_HOLD) {
    if (!peer->asked && !same_address (peer->early, from))
      peer->asked = g_object_ref (from);
    return PEER_EARLY;
  }
  peer->early_since = now;
  next = g_steal_pointer (&peer->asked);
  if (!next)
    next = g_object_ref (from);
  else if (!same_address (next, from))
    peer->asked = g_object_ref (from);
  return replace (&peer->early, next) ? PEER_CALLED : PEER_EARLY;
}

/* A receiver hears the reports of the sender whose packets it gets. */
static PeerVerdict
rtcp_of_sender (
    Peer *peer, GSocketAddress *from, const PeerRtcp *what, RaTime now)
{
  gboolean peers = peer->rtp
      && (same_address (peer->rtp, from)
          || (peer->cfg.any_port
              && same_host (host_of (peer->rtp), host_of (from))));

  if (peer->known && peers)
    return accept_rtcp (peer, from, what, now);
  if (!peer->known || peer->gone || ra_diff (now, peer->heard) >= PEER_RESTART)
    return call (peer, from, now);
  return peer->cfg.authentic ? accept_rtcp (peer, from, what, now)
                             : refuse_rtcp (peer);
}

/* The host that was sent to before, unless it is the present one, too. */
static gboolean
is_before (const Peer *peer, GSocketAddress *from)
{
  return peer->cfg.before && same_host (peer->cfg.before, host_of (from))
      && !same_host (peer->cfg.host, host_of (from));
}

/* A sender hears reports of the host that it sends to. */
static PeerVerdict
rtcp_of_receiver (
    Peer *peer, GSocketAddress *from, const PeerRtcp *what, RaTime now)
{
  if (is_before (peer, from)) {
    if (!is_silent (peer, now))
      return refuse_rtcp (peer);
    g_clear_object (&peer->cfg.before); /* it answers for the new one */
  }
  if (peer->cfg.authentic)
    return accept_rtcp (peer, from, what, now);
  if (g_inet_address_get_is_multicast (peer->cfg.host))
    return what->on_ours ? PEER_OK : refuse_rtcp (peer);
  if (!same_host (peer->cfg.host, host_of (from)))
    return refuse_rtcp (peer);
  if (peer->known && (same_address (peer->rtcp, from) || peer->cfg.any_port))
    return accept_rtcp (peer, from, what, now);
  if (peer->known && !is_silent (peer, now))
    return refuse_rtcp (peer);
  /* An empty report passes, because a receiver that has not had our packets yet can
   * say no more. */
  if (what->empty)
    return PEER_OK;
  return what->on_ours ? accept_rtcp (peer, from, what, now)
                       : refuse_rtcp (peer);
}

PeerVerdict
peer_rtcp (Peer *peer, GSocketAddress *from, const PeerRtcp *what, RaTime now)
{
  if (!is_inet (from))
    return refuse_rtcp (peer);
  if (peer->cfg.host)
    return rtcp_of_receiver (peer, from, what, now);
  return rtcp_of_sender (peer, from, what, now);
}

/* --- to be asked -------------------------------------------------------- */

GSocketAddress *
peer_rtcp_address (Peer *peer)
{
  guint16 port;

  if (peer->early)
    return peer->early;
  if (peer->cfg.host || (peer->cfg.any_port && peer->rtcp))
    return peer->rtcp;
  if (!peer->cfg.any_port || !peer->rtp)
    return peer->rtp;
  port = (guint16) (port_of (peer->rtp) + 1); /* RFC 3550 11 */
  if (!peer->answer || port_of (peer->answer) != port
      || !same_host (host_of (peer->answer), host_of (peer->rtp))
      || !same_zone (peer->answer, peer->rtp)) {
    g_clear_object (&peer->answer);
    peer->answer = address_at_port (peer->rtp, port);
  }
  return peer->answer;
}

RaTime
peer_last_heard (Peer *peer, guint32 ssrc)
{
  Stream *s = stream_find (peer, NULL, ssrc);

  return s && !s->ended ? s->heard : RA_TIME_NONE;
}

RaTime
peer_rtp_heard (const Peer *peer)
{
  return peer->rtp ? peer->rtp_heard : RA_TIME_NONE;
}

gboolean
peer_is_proven (Peer *peer, guint32 ssrc)
{
  Stream *s = stream_find (peer, NULL, ssrc);

  return s && s->proven;
}

void
peer_get_stats (const Peer *peer, PeerStats *stats)
{
  *stats = peer->count;
}

Peer *
peer_new (const PeerConfig *cfg)
{
  Peer *peer = g_new0 (Peer, 1);

  peer->cfg = *cfg;
  if (cfg->host)
    g_object_ref (cfg->host);
  if (cfg->before) {
    g_object_ref (cfg->before);
    peer->heard = cfg->since;
  }
  return peer;
}

void
peer_free (Peer *peer)
{
  if (!peer)
    return;
  streams_remove_others (peer, NULL);
  g_clear_object (&peer->rtp);
  g_clear_object (&peer->rtcp);
  g_clear_object (&peer->answer);
  early_end (peer);
  g_clear_object (&peer->cfg.host);
  g_clear_object (&peer->cfg.before);
  g_free (peer);
}
