/* rtpadaptsrc: its children, how they are linked, and the pads that come of it.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 *   udpsrc, rtcpudpsrc -> [decryption] -> gate -> recv -> rtpbin -> our pads
 *   rtpbin.send_rtcp_src_0 -> [encryption] -> udpsink
 */
#include "srcpriv.h"

#include "srcpads.h"
#include "srcsockets.h"
#include "srcstats.h"
#include "parts/systime.h"
#include "recv/gstrtpadaptrecv.h"
#include "wire/links.h"

#include <gst/rtpadapt/colour.h>
#include <gst/rtpadapt/feedback/radp.h>
#include <stdio.h>

#define GST_CAT_DEFAULT rtpadaptsrc_debug

/* RTCP has the least drop precedence of its stream (RFC 7657 5.4), in the class of
 * multimedia conferencing (RFC 4594 4.3). */
#define ANSWER_CLASS 4

/* --- the way back ------------------------------------------------------- */

/* RTP's and RTCP's threads call this.  The last one sees what the other one did. */
static void
peer_moved (gpointer data)
{
  GstRtpAdaptSrc *self = data;
  GSocketAddress *to = src_gate_answer_to (self->gate), *again;

  while (to) {
    src_answer_to (&self->answer, to);
    again = src_gate_answer_to (self->gate);
    g_object_unref (to);
    if (again == to)
      g_clear_object (&again);
    to = again;
  }
}

/* RTCP came from a sender that waits for a sign of life before it sends RTP. */
static void
peer_called (gpointer data)
{
  GstRtpAdaptSrc *self = data;

  src_session_ask (&self->session);
}

/* Drops RTCP while no address is known for it. */
static GstPadProbeReturn
hold_back (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  GstRtpAdaptSrc *self = data;

  return src_answer_is_on (&self->answer) ? GST_PAD_PROBE_OK
                                          : GST_PAD_PROBE_DROP;
}

/* Before it comes to an encoder without a key, which might wait for one. */
static GstPadProbeReturn
guard (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  GstRtpAdaptSrc *self = data;

  return src_answer_is_on (&self->answer) && secure_is_ready (self->secure)
      ? GST_PAD_PROBE_OK
      : GST_PAD_PROBE_DROP;
}

/* After a handshake reports go to its other end, and no longer to the old peer.  Before
 * the first one there are none, and after it until something comes: rtpsession (1.22)
 * does not begin before. */
static void
keys_came (gpointer data, GSocketAddress *peer)
{
  GstRtpAdaptSrc *self = data;

  if (peer)
    src_answer_to (&self->answer, peer);
}

/* With GST_PAD_PROBE_HANDLED we have to free the buffer of the probe, which
 * src_gate_leave() does. */
static GstPadProbeReturn
rtcp_leaves (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  GstRtpAdaptSrc *self = data;
  GstBuffer *rtcp = GST_PAD_PROBE_INFO_BUFFER (info);

  src_gate_note_own (self->gate, rtcp);
  rtcp = src_gate_leave (self->gate, rtcp);
  GST_PAD_PROBE_INFO_DATA (info) = rtcp;
  return rtcp ? GST_PAD_PROBE_OK : GST_PAD_PROBE_HANDLED;
}

/* The sender's repair has to know. */
static void
latency_changed (gpointer data, RaSpan hold)
{
  GstRtpAdaptSrc *self = data;
  guint64 most;

  GST_OBJECT_LOCK (self);
  most = self->cfg.latency * GST_MSECOND;
  GST_OBJECT_UNLOCK (self);
  /* 0 would say nothing, and the sender would plan for its receiver-latency. */
  g_object_set (self->recv, "latency",
      CLAMP ((guint64) hold, GST_USECOND, RA_RADP_HOLD_MAX), "max-latency",
      MIN (most, RA_RADP_HOLD_MAX), NULL);
}

static void
jitterbuffer_gone (gpointer data, guint32 ssrc, const SrcCounts *counts)
{
  GstRtpAdaptSrc *self = data;

  src_streams_on_gone (&self->streams, ssrc, counts);
}

/* The sender plans for a receiver that holds less where less is enough. */
static void
min_latency_say (GstRtpAdaptSrc *self, gboolean adaptive, guint least)
{
  g_object_set (self->recv, "min-latency",
      adaptive ? MIN (least * GST_MSECOND, RA_RADP_HOLD_MAX) : RA_RADP_HOLD_MAX,
      NULL);
}

/* --- sockets ------------------------------------------------------------ */

static gboolean
open_sockets (GstRtpAdaptSrc *self, const SrcConfig *cfg)
{
  const SrcSocketsConfig config = { .address = cfg->address,
    .port = cfg->port,
    .rtcp_port = cfg->rtcp_port,
    .mux = cfg->mux };
  const gchar *at = cfg->address ? cfg->address : "this host";
  GSocket *sockets[2];
  GError *error = NULL;
  guint port;

  if (src_sockets_open (&config, sockets, &port, &error)) {
    GST_OBJECT_LOCK (self);
    self->sockets[0] = sockets[0];
    self->sockets[1] = sockets[1];
    GST_OBJECT_UNLOCK (self);
    return TRUE;
  }
  if (g_error_matches (error, G_IO_ERROR, G_IO_ERROR_ADDRESS_IN_USE))
    GST_ELEMENT_ERROR (self, RESOURCE, BUSY,
        ("UDP port %u of %s is in use.", port, at), (NULL));
  else
    GST_ELEMENT_ERROR (self, RESOURCE, OPEN_READ,
        ("Cannot receive at UDP port %u of %s: %s.", port, at, error->message),
        (NULL));
  g_error_free (error);
  return FALSE;
}

static void
close_sockets (GstRtpAdaptSrc *self)
{
  g_object_set (self->udpsrc, "socket", NULL, NULL);
  g_object_set (self->rtcpsrc, "socket", NULL, NULL);
  g_object_set (self->udpsink, "socket", NULL, NULL);
  for (guint i = 0; i < 2; i++) {
    GSocket *socket;

    GST_OBJECT_LOCK (self);
    socket = g_steal_pointer (&self->sockets[i]);
    GST_OBJECT_UNLOCK (self);
    if (!socket)
      continue;
    g_socket_close (socket, NULL);
    g_object_unref (socket);
  }
}

/* --- links -------------------------------------------------------------- */

/* From a socket to the gate, by decryption if there is any. */
static gboolean
link_in (GstRtpAdaptSrc *self, SecureKind kind, GstElement *from)
{
  GstPad *src = gst_element_get_static_pad (from, "src");
  gboolean good = secure_link_in (self->secure, kind, src);

  gst_object_unref (src);
  return good;
}

static gboolean
link_gate (GstRtpAdaptSrc *self, SecureKind kind, GstElement *direct)
{
  GstPad *src = secure_in_pad (self->secure, kind);
  GstPad *sink = gst_element_get_static_pad (
      GST_ELEMENT (self->gate), kind == SECURE_RTP ? "rtp_sink" : "rtcp_sink");
  gboolean good = TRUE;

  if (!src && direct)
    src = gst_element_get_static_pad (direct, "src");
  if (src)
    good = gst_pad_link (src, sink) == GST_PAD_LINK_OK;
  gst_clear_object (&src);
  gst_object_unref (sink);
  return good;
}

static void
open_gate (GstRtpAdaptSrc *self, const SrcConfig *cfg)
{
  const PeerConfig peer
      = { .authentic = secure_wanted (self->secure), .any_port = !cfg->mux };
  SrcPayloadKind kinds[SRC_PAYLOAD_TYPES];
  GstCaps *caps = src_payloads_any ();

  src_payloads_kinds (&self->payloads, kinds);
  src_gate_open (self->gate, &peer, cfg->mux, kinds, caps);
  gst_caps_unref (caps);
}

/* A source that takes no part stays in NULL, and gets no EOS, which GstBaseSrc would
 * keep for ever. */
static void
set_idle (GstElement *source, gboolean idle)
{
  gst_element_set_locked_state (source, idle);
  if (idle)
    GST_OBJECT_FLAG_UNSET (source, GST_ELEMENT_FLAG_SOURCE);
  else
    GST_OBJECT_FLAG_SET (source, GST_ELEMENT_FLAG_SOURCE);
}

static gboolean
net_open (GstRtpAdaptSrc *self, const SrcConfig *cfg)
{
  guint n = cfg->mux ? 1 : 2;

  if (!open_sockets (self, cfg))
    return FALSE;
  src_answer_stop (&self->answer);
  g_object_set (self->udpsrc, "socket", self->sockets[0], "address",
      cfg->address, "multicast-iface", cfg->iface, NULL);
  g_object_set (self->rtcpsrc, "socket", self->sockets[1], "address",
      cfg->address, "multicast-iface", cfg->iface, NULL);
  g_object_set (self->udpsink, "socket", self->sockets[n - 1], NULL);
  set_idle (self->rtcpsrc, cfg->mux);
  open_gate (self, cfg);

  if (!secure_open (self->secure, cfg->mux))
    return FALSE;
  secure_dtls_socket (self->secure, self->sockets[0]);
  secure_answer_by (self->secure, self->sockets[n - 1], !cfg->mux, NULL);
  return link_in (self, SECURE_RTP, self->udpsrc)
      && (cfg->mux || link_in (self, SECURE_RTCP, self->rtcpsrc))
      && link_gate (self, SECURE_RTP, self->udpsrc)
      && link_gate (self, SECURE_RTCP, cfg->mux ? NULL : self->rtcpsrc);
}

static gboolean
link_session (GstRtpAdaptSrc *self)
{
  GstPad *rtp = src_session_pad (&self->session, "recv_rtp_sink_0");
  GstPad *rtcp = src_session_pad (&self->session, "recv_rtcp_sink_0");
  GstPad *back = src_session_pad (&self->session, "send_rtcp_src_0");
  GstPad *sink = gst_element_get_static_pad (self->udpsink, "sink");
  gboolean good;

  good = rtp && rtcp && back
      && gst_element_link_pads (
          GST_ELEMENT (self->gate), "rtp_src", self->recv, "sink")
      && links_make (self->recv, "src", rtp)
      && links_make (GST_ELEMENT (self->gate), "rtcp_src", rtcp)
      && secure_link_out (self->secure, SECURE_RTCP, back, sink);
  gst_object_unref (sink);
  if (!good)
    return FALSE;
  gst_pad_add_probe (back,
      GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_BUFFER_LIST, guard, self,
      NULL);
  gst_pad_add_probe (back, GST_PAD_PROBE_TYPE_BUFFER, rtcp_leaves, self, NULL);
  return TRUE;
}

gboolean
src_build_open (GstRtpAdaptSrc *self, const SrcConfig *cfg)
{
  SrcSessionSettings settings = { .latency = cfg->latency,
    .drop_on_latency = cfg->drop_on_latency,
    .fec = cfg->fec,
    .retransmission = cfg->retransmission,
    .adaptive = cfg->adaptive_latency,
    .min_latency = src_config_least (cfg) };

  if (!net_open (self, cfg))
    return FALSE;
  settings.secure = secure_wanted (self->secure); /* as security has taken it */
  g_object_set (self->recv, "feedback", cfg->feedback, "takes-retransmission",
      cfg->retransmission, "takes-fec", cfg->fec, "takes-rs", cfg->fec, NULL);
  /* A latency below the default of min-latency is allowed. */
  if (cfg->adaptive_latency && cfg->min_latency > cfg->latency
      && cfg->min_latency != SRC_MIN_LATENCY)
    GST_ELEMENT_WARNING (self, LIBRARY, SETTINGS,
        ("min-latency %u is above latency %u: both are taken as %u",
            cfg->min_latency, cfg->latency, cfg->latency),
        (NULL));
  min_latency_say (self, settings.adaptive, settings.min_latency);
  src_session_open (&self->session, &settings);
  if (!link_session (self)) {
    GST_ELEMENT_ERROR (self, CORE, PAD, ("Cannot build the receiver."), (NULL));
    return FALSE;
  }
  src_session_opened (&self->session);
  return TRUE;
}

void
src_build_latency (GstRtpAdaptSrc *self)
{
  gboolean adaptive;
  guint most, least;

  GST_OBJECT_LOCK (self);
  most = self->cfg.latency;
  adaptive = self->cfg.adaptive_latency;
  least = src_config_least (&self->cfg);
  GST_OBJECT_UNLOCK (self);
  min_latency_say (self, adaptive, least);
  src_session_set_latency (&self->session, most, adaptive, least);
}

void
src_build_close (GstRtpAdaptSrc *self)
{
  src_session_close (&self->session);
  links_undo_all (self->udpsrc);
  links_undo_all (self->rtcpsrc);
  links_undo_all (self->udpsink);
  links_undo_all (GST_ELEMENT (self->gate));
  secure_close (self->secure);
  close_sockets (self);
}

/* --- messages ------------------------------------------------------------- */

static void
news_post (GstElement *element, gpointer data)
{
  GstRtpAdaptSrc *self = GST_RTP_ADAPT_SRC (element);

  herald_job (&self->herald, &self->lock, element);
}

/* Neither the thread of the clock nor that of the packets may wait for a handler on the
 * bus. */
void
src_build_news (GstRtpAdaptSrc *self)
{
  gboolean start = FALSE;
  SrcStream *stream;

  g_mutex_lock (&self->lock);
  while ((stream = src_streams_news (&self->streams))) {
    herald_post_always (&self->herald,
        gst_message_new_element (GST_OBJECT (self), src_stats_news (stream)));
    start |= herald_wake (&self->herald);
  }
  g_mutex_unlock (&self->lock);
  if (start)
    gst_element_call_async (GST_ELEMENT (self), news_post, NULL, NULL);
}

/* --- our pads ------------------------------------------------------------ */

static GstPadProbeReturn
drop (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  return GST_PAD_PROBE_DROP;
}

/* rtpjitterbuffer (1.22) stops for ever when it pushes to what is not linked, and
 * holds up rtpbin, which lets go of it, where that is blocked. */
static void
loser_mute (GstRtpAdaptSrc *self, GstPad *pad)
{
  gulong id = gst_pad_add_probe (pad,
      GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_BUFFER_LIST, drop, NULL,
      NULL);
  gboolean kept;

  g_mutex_lock (&self->lock);
  kept = src_streams_muted (&self->streams, pad, id);
  g_mutex_unlock (&self->lock);
  if (!kept)
    gst_pad_remove_probe (pad, id);
}

/* From the pad that was decided on last, whichever thread comes here last. */
static void
feed_current (GstRtpAdaptSrc *self, SrcStream *stream)
{
  GstPad *pad;

  g_mutex_lock (&self->feeding);
  g_mutex_lock (&self->lock);
  pad = stream->pad ? gst_object_ref (stream->pad) : NULL;
  g_mutex_unlock (&self->lock);
  src_stream_feed (stream, pad);
  g_mutex_unlock (&self->feeding);
  src_stream_say_latency (stream);
  gst_clear_object (&pad);
}

static void
show (GstRtpAdaptSrc *self, const SrcPending *p)
{
  g_autofree gchar *name = NULL;
  SrcStream *stream;
  gboolean fec, goes_on;

  g_mutex_lock (&self->lock);
  fec = self->session.cfg.fec; /* as it was from NULL to READY */
  name = g_strdup_printf ("src_%u", self->streams.next_name++);
  g_mutex_unlock (&self->lock);
  stream = src_stream_new (
      GST_BIN (self), name, self->payloads.caps[p->pt], p, fec);
  g_mutex_lock (&self->lock);
  goes_on = src_streams_add (&self->streams, stream);
  g_mutex_unlock (&self->lock);
  GST_INFO_OBJECT (
      self, "%s: SSRC %08x, payload type %u", name, p->ssrc, p->pt);
  gst_element_add_pad (GST_ELEMENT (self), stream->ghost);
  if (!goes_on) { /* streams_stop() has not seen it */
    gst_pad_set_active (stream->ghost, FALSE);
    return;
  }
  g_mutex_lock (&self->lock);
  src_streams_shown (&self->streams, stream);
  g_mutex_unlock (&self->lock);
  src_build_news (self);
}

/* Does the job, and frees what it holds. */
static void
carry_out (GstRtpAdaptSrc *self, SrcStreamsJob *job)
{
  SrcPending *p = job->p;
  gulong block;

  if (p->loser)
    loser_mute (self, p->loser);
  if (job->what == SRC_STREAMS_SHOW)
    show (self, p);
  if (job->what == SRC_STREAMS_AGAIN) {
    GST_INFO_OBJECT (self, "%s goes on with SSRC %08x",
        GST_PAD_NAME (job->again->ghost), p->ssrc);
    feed_current (self, job->again);
    src_build_news (self);
  }
  g_mutex_lock (&self->lock);
  src_streams_done (&self->streams, p);
  block = p->block;
  g_mutex_unlock (&self->lock);
  if (block)
    gst_pad_remove_probe (p->pad, block);
  src_pending_free (p);
}

static void
decide_pending (GstRtpAdaptSrc *self)
{
  SrcStreamsJob job;
  gboolean due;

  do {
    g_mutex_lock (&self->lock);
    due = src_streams_next (&self->streams, system_now (), &job);
    g_mutex_unlock (&self->lock);
    if (due)
      carry_out (self, &job);
  } while (due);
}

static gboolean
pad_parse (GstPad *pad, guint32 *ssrc, guint *pt)
{
  return sscanf (GST_PAD_NAME (pad), "recv_rtp_src_0_%u_%u", ssrc, pt) == 2;
}

/* rtpbin's pads of that SSRC (transfer full) (element-type GstPad). */
static GList *
pads_of (GstRtpAdaptSrc *self, guint32 ssrc)
{
  GstElement *rtpbin = self->session.rtpbin;
  GList *pads = NULL;
  guint32 found;
  guint pt;

  GST_OBJECT_LOCK (rtpbin);
  for (GList *l = rtpbin->srcpads; l; l = l->next) {
    if (pad_parse (l->data, &found, &pt) && found == ssrc)
      pads = g_list_prepend (pads, gst_object_ref (l->data));
  }
  GST_OBJECT_UNLOCK (rtpbin);
  return pads;
}

/* From now on the pads of the SSRC drop what comes, and no thread waits at them. */
static void
ssrc_mute (GstRtpAdaptSrc *self, guint32 ssrc, GList *waited)
{
  GList *pads = pads_of (self, ssrc);

  for (GList *l = pads; l; l = l->next)
    gst_pad_add_probe (
        l->data, GST_PAD_PROBE_TYPE_DATA_DOWNSTREAM, drop, NULL, NULL);
  g_list_free_full (pads, gst_object_unref);
  for (GList *l = waited; l; l = l->next) {
    SrcPending *p = l->data;

    if (p->block)
      gst_pad_remove_probe (p->pad, p->block);
  }
  g_list_free_full (waited, (GDestroyNotify) src_pending_free);
}

/* TRUE if no thread is beyond its pads.  One that comes later is dropped there. */
static gboolean
ssrc_is_idle (GstRtpAdaptSrc *self, guint32 ssrc)
{
  GList *pads = pads_of (self, ssrc);
  gboolean idle = TRUE;

  for (GList *l = pads; l && idle; l = l->next) {
    GstPad *inner
        = GST_PAD (gst_proxy_pad_get_internal (GST_PROXY_PAD (l->data)));

    idle = GST_PAD_STREAM_TRYLOCK (inner);
    if (idle)
      GST_PAD_STREAM_UNLOCK (inner);
    gst_object_unref (inner);
  }
  g_list_free_full (pads, gst_object_unref);
  return idle;
}

static gboolean
next_leaver (GstRtpAdaptSrc *self, guint *at, guint32 *ssrc)
{
  gboolean any;

  g_mutex_lock (&self->lock);
  any = src_streams_next_leaver (&self->streams, at, ssrc);
  g_mutex_unlock (&self->lock);
  return any;
}

static void
leaver_done (GstRtpAdaptSrc *self, guint32 ssrc, gboolean gone)
{
  g_mutex_lock (&self->lock);
  src_streams_leaver_done (&self->streams, ssrc, gone);
  g_mutex_unlock (&self->lock);
}

/* Of the SSRCs that are over, takes the streams away that nothing holds.  rtpbin
 * waits with its locks held for the thread of the jitterbuffer, and with it all
 * other streams would wait for as long as an application holds this one. */
static void
leavers_drop (GstRtpAdaptSrc *self)
{
  guint32 ssrc;

  for (guint at = 0; next_leaver (self, &at, &ssrc);) {
    gboolean idle = ssrc_is_idle (self, ssrc);

    if (idle)
      src_session_drop (&self->session, ssrc);
    leaver_done (self, ssrc, idle);
  }
}

/* A pad of ours, and the EOS that it pushes.  Both are owned. */
typedef struct
{
  GstPad *pad;
  GstEvent *event;
} PadEos;

static void
pad_eos_free (gpointer data)
{
  PadEos *eos = data;

  gst_object_unref (eos->pad);
  gst_event_unref (eos->event);
  g_free (eos);
}

/* A pad that has had EOS refuses another one. */
static void
eos_push (GstElement *element, gpointer data)
{
  const PadEos *eos = data;

  gst_pad_push_event (eos->pad, gst_event_ref (eos->event));
}

/* EOS of the sources goes through rtpbin, and does not come out where the stream is over.
 * Each pad has a thread, since a branch may hold up what is pushed to it. */
void
src_build_eos (GstRtpAdaptSrc *self)
{
  g_autoptr (GPtrArray) pads = NULL;
  g_autoptr (GstEvent) event = NULL;

  g_mutex_lock (&self->lock);
  if (self->eos) {
    event = gst_event_ref (self->eos);
    pads = src_streams_unfed (&self->streams);
  }
  g_mutex_unlock (&self->lock);
  for (guint i = 0; pads && i < pads->len; i++) {
    PadEos *eos = g_new (PadEos, 1);

    *eos = (PadEos){ gst_object_ref (pads->pdata[i]), gst_event_ref (event) };
    gst_element_call_async (GST_ELEMENT (self), eos_push, eos, pad_eos_free);
  }
}

/* Its stream goes when nothing holds it. */
static void
ssrc_leave (GstRtpAdaptSrc *self, guint32 ssrc)
{
  GList *waited;
  gboolean leaves;

  g_mutex_lock (&self->lock);
  leaves = src_streams_leave (&self->streams, ssrc, &waited);
  g_mutex_unlock (&self->lock);
  if (!leaves)
    return;
  ssrc_mute (self, ssrc, waited);
  leaver_done (self, ssrc, FALSE);
  src_build_eos (self); /* it may not have come out before */
}

/* It said BYE, or was silent for long. */
static void
ssrc_over (GstElement *rtpbin, guint session, guint ssrc, gpointer data)
{
  ssrc_leave (data, ssrc);
  leavers_drop (data);
}

/* rtpsession gives an SSRC up after 25 s, the gate at once when there is another peer,
 * and after 10 s (PEER_STALE) when there is another SSRC.  Those that the gate no longer
 * knows make room for what it lets in. */
static void
make_room (GstRtpAdaptSrc *self)
{
  g_autoptr (GList) ssrcs = src_session_ssrcs (&self->session);

  for (GList *l = ssrcs; l; l = l->next) {
    guint32 ssrc = GPOINTER_TO_UINT (l->data);

    if (src_gate_silence (self->gate, ssrc, -1) == RA_SPAN_NONE)
      ssrc_leave (self, ssrc);
  }
}

/* A packet of RTP was let in. */
static void
heard (gpointer data, guint32 ssrc, guint pt)
{
  GstRtpAdaptSrc *self = data;
  gboolean fec = pt_is_fec (pt);

  if (fec || g_atomic_int_get (&self->streams.n_losers) > 0) {
    g_mutex_lock (&self->lock);
    src_streams_on_packet (&self->streams, ssrc, pt, fec, system_now ());
    g_mutex_unlock (&self->lock);
  }
  if (g_atomic_int_get (&self->streams.n_pending) > 0)
    decide_pending (self);
  if (src_session_is_full (&self->session, ssrc))
    make_room (self);
  if (g_atomic_int_get (&self->streams.n_leaving) > 0)
    leavers_drop (self);
}

static GstPadProbeReturn
hold (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  return GST_PAD_PROBE_OK;
}

static void
pad_added (GstElement *rtpbin, GstPad *pad, gpointer data)
{
  GstRtpAdaptSrc *self = data;
  SrcStreamsJob job;
  gboolean waits;
  guint32 ssrc;
  guint pt;

  if (!pad_parse (pad, &ssrc, &pt))
    return;
  g_mutex_lock (&self->lock);
  job = src_streams_on_pad (&self->streams, pad, ssrc, pt, system_now ());
  g_mutex_unlock (&self->lock);
  if (job.what != SRC_STREAMS_LATER) {
    carry_out (self, &job);
    return;
  }
  GST_INFO_OBJECT (self, "SSRC %08x may be a second stream", ssrc);
  job.p->block = gst_pad_add_probe (
      pad, GST_PAD_PROBE_TYPE_BLOCK_DOWNSTREAM, hold, NULL, NULL);
  g_mutex_lock (&self->lock);
  waits = src_streams_wait (&self->streams, job.p);
  g_mutex_unlock (&self->lock);
  job.what = SRC_STREAMS_IGNORE;
  if (!waits)
    carry_out (self, &job);
}

static void
pad_removed (GstElement *rtpbin, GstPad *pad, gpointer data)
{
  GstRtpAdaptSrc *self = data;
  SrcPending *p;

  g_mutex_lock (&self->lock);
  p = src_streams_forget (&self->streams, pad);
  g_mutex_unlock (&self->lock);
  g_clear_pointer (&p, src_pending_free);
}

/* --- construction --------------------------------------------------------- */

void
src_build_init (GstRtpAdaptSrc *self)
{
  const SrcGateFuncs funcs = {
    .moved = peer_moved, .heard = heard, .called = peer_called, .data = self
  };
  const SrcSessionFuncs session_funcs
      = { .held = latency_changed, .gone = jitterbuffer_gone, .data = self };
  GstBin *bin = GST_BIN (self);
  GstPad *pad;

  self->gate = src_gate_new ();
  src_gate_set_funcs (self->gate, &funcs);
  self->udpsrc = gst_element_factory_make ("rtpadaptudpsrc", "udpsrc");
  self->rtcpsrc = gst_element_factory_make ("rtpadaptudpsrc", "rtcpudpsrc");
  self->udpsink = gst_element_factory_make ("rtpadaptudpsink", "udpsink");
  self->answer.udpsink = self->udpsink;
  g_object_set (self->udpsink, "dscp",
      (gint) ra_colour_dscp (ANSWER_CLASS, RA_MARK_GREEN), NULL);
  gst_bin_add_many (bin, self->udpsrc, self->rtcpsrc, GST_ELEMENT (self->gate),
      self->udpsink, NULL);

  pad = gst_element_get_static_pad (self->udpsink, "sink");
  gst_pad_add_probe (pad,
      GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_BUFFER_LIST, hold_back,
      self, NULL);
  gst_object_unref (pad);
  secure_set_ready (self->secure, keys_came, self);

  self->recv = gst_element_factory_make ("rtpadaptrecv", "recv");
  rtp_adapt_recv_say_takes (GST_RTP_ADAPT_RECV (self->recv));
  /* The statistics of this element have those of that one. */
  g_object_set (self->recv, "stats-interval", G_GUINT64_CONSTANT (0), NULL);
  gst_bin_add (bin, self->recv);
  src_streams_init (&self->streams, (SrcSilence) src_gate_silence, self->gate);
  src_session_init (
      &self->session, &self->lock, &self->payloads, &session_funcs);
  if (!self->session.rtpbin)
    return;
  gst_bin_add (bin, self->session.rtpbin);
  g_signal_connect (
      self->session.rtpbin, "pad-added", G_CALLBACK (pad_added), self);
  g_signal_connect (
      self->session.rtpbin, "pad-removed", G_CALLBACK (pad_removed), self);
  g_signal_connect (
      self->session.rtpbin, "on-timeout", G_CALLBACK (ssrc_over), self);
  g_signal_connect (
      self->session.rtpbin, "on-bye-timeout", G_CALLBACK (ssrc_over), self);
}
