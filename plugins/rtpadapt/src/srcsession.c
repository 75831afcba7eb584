/* rtpadaptsrc: rtpbin, its one session, and the jitterbuffers that it makes.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "srcsession.h"

#include "parts/session.h"
#include "srcframe.h"
#include "srcgap.h"
#include "srcrtx.h"
#include "srcrtxpt.h"
#include "srcstats.h"
#include "fec/gstrtpadaptfecdec.h"
#include "wire/peer.h"

#include <gst/rtp/rtp.h>

/* bit/s, of which RTCP has a twentieth (RFC 3550 6.2): 1 Mbit/s.  rtpsession
 * lets feedback go when, by RFC 3550 6.3.1 times 1.5 / 1.218 at worst,
 *
 *     8 x bytes of a report x members / RTCP bandwidth
 *
 * is over.  200 bytes (RR, SDES, RADP and TFRC-FB with UDP's and IP's headers,
 * or TWCC about 60 packets) of 4 members (camera, microphone, both sides'
 * reports) need 6.4 ms, 7.9 at worst: a report each 10 ms, or for each of 60
 * frames a second, never waits.  It only permits: what is sent is one report
 * per round trip or frame. */
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

/* --- rtpbin's questions ------------------------------------------------- */

static GstCaps *
request_pt_map (GstElement *rtpbin, guint session, guint pt, gpointer data)
{
  const SrcPayloads *payloads = ((SrcSession *) data)->payloads;

  return pt < SRC_PAYLOAD_TYPES && payloads->caps[pt]
      ? gst_caps_ref (payloads->caps[pt])
      : NULL;
}

static SrcSessionSettings
settings (SrcSession *s)
{
  SrcSessionSettings cfg;

  g_mutex_lock (s->lock);
  cfg = s->cfg;
  g_mutex_unlock (s->lock);
  return cfg;
}

/* rtpstorage keeps packets for FEC, as long as the latency wants. */
static void
storage_set (SrcSession *s)
{
  GstElement *storage;
  GstClockTime size;

  g_mutex_lock (s->lock);
  storage = s->storage ? gst_object_ref (s->storage) : NULL;
  size = s->cfg.fec
      ? (GstClockTime) s->cfg.latency * GST_MSECOND + STORAGE_EXTRA
      : 0;
  g_mutex_unlock (s->lock);
  if (!storage)
    return;
  g_object_set (storage, "size-time", size, NULL);
  gst_object_unref (storage);
}

static void
new_storage (
    GstElement *rtpbin, GstElement *storage, guint session, gpointer data)
{
  SrcSession *s = data;

  g_mutex_lock (s->lock);
  g_set_object (&s->storage, storage);
  g_mutex_unlock (s->lock);
  storage_set (s);
}

static void
new_jitterbuffer (GstElement *rtpbin, GstElement *jitterbuffer, guint session,
    guint ssrc, gpointer data)
{
  GstPad *pad = gst_element_get_static_pad (jitterbuffer, "src");
  SrcSession *s = data;
  gboolean rtx;

  src_gap_watch (pad);
  g_mutex_lock (s->lock);
  g_hash_table_replace (
      s->jitterbuffers, GUINT_TO_POINTER (ssrc), gst_object_ref (jitterbuffer));
  rtx = s->rtx != NULL;
  g_mutex_unlock (s->lock);
  src_hold_add (&s->hold, jitterbuffer, ssrc);
  src_frame_watch (pad, s->payloads); /* behind the probes of the hold */
  gst_object_unref (pad);
  if (rtx)
    src_rtx_watch (jitterbuffer);
}

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

/* What decodes the Reed-Solomon code, or NULL. */
static GstElement *
fec_decoder (SrcSession *s)
{
  GstElement *fec = gst_element_factory_make ("rtpadaptfecdec", NULL);

  g_object_set (fec, "pt", PT_RS, NULL);
  g_mutex_lock (s->lock);
  g_set_object (&s->fecdec, fec);
  g_mutex_unlock (s->lock);
  return fec;
}

/* rtprtxreceive, and what decodes the Reed-Solomon code, with pads as rtpbin wants
 * them.  Packets that were sent again come before the decoder. */
static GstElement *
request_aux_receiver (GstElement *rtpbin, guint session, gpointer data)
{
  SrcSession *s = data;
  SrcSessionSettings cfg = settings (s);
  GstElement *rtx = cfg.retransmission ? src_rtx_receiver () : NULL;
  GstElement *fec = cfg.fec ? fec_decoder (s) : NULL;
  GstElement *bin;

  if (!rtx && !fec)
    return NULL;
  bin = gst_bin_new (NULL);
  if (rtx)
    gst_bin_add (GST_BIN (bin), rtx);
  if (fec)
    gst_bin_add (GST_BIN (bin), fec);
  if (rtx && fec)
    gst_element_link_pads (rtx, "src", fec, "sink");
  add_ghost (bin, rtx ? rtx : fec, "sink", "sink_0");
  add_ghost (bin, fec ? fec : rtx, "src", "src_0");
  g_mutex_lock (s->lock);
  g_set_object (&s->rtx, rtx);
  g_mutex_unlock (s->lock);
  return bin;
}

/* --- open and close ------------------------------------------------------ */

static void
hold_set (SrcSession *s)
{
  SrcSessionSettings cfg = settings (s);
  const SrcHoldConfig hold = { .adaptive = cfg.adaptive,
    .limits = { .least = cfg.min_latency * RA_MSECOND,
        .most = cfg.latency * RA_MSECOND,
        .repeats = cfg.retransmission } };

  src_hold_set (&s->hold, &hold);
}

void
src_session_open (SrcSession *s, const SrcSessionSettings *cfg)
{
  g_mutex_lock (s->lock);
  s->cfg = *cfg;
  g_mutex_unlock (s->lock);
  g_object_set (s->rtpbin, "rtp-profile",
      cfg->secure ? GST_RTP_PROFILE_SAVPF : GST_RTP_PROFILE_AVPF, "latency",
      cfg->latency, "drop-on-latency", cfg->drop_on_latency, "do-lost",
      cfg->fec, "do-retransmission", cfg->retransmission, "max-dropout-time",
      MAX_DROPOUT_TIME, "max-misorder-time", MAX_MISORDER_TIME, NULL);
  hold_set (s);
}

GstPad *
src_session_pad (SrcSession *s, const gchar *name)
{
  GstPad *pad = gst_element_request_pad_simple (s->rtpbin, name);

  if (pad)
    g_ptr_array_add (s->requested, pad);
  return pad;
}

void
src_session_opened (SrcSession *s)
{
  GstElement *session = NULL;
  GObject *internal = NULL;

  g_signal_emit_by_name (s->rtpbin, "get-session", 0, &session);
  if (!session)
    return;
  g_object_set (session, "bandwidth", BANDWIDTH, NULL);
  g_mutex_lock (s->lock);
  s->element = session;
  g_mutex_unlock (s->lock);
  g_signal_emit_by_name (s->rtpbin, "get-internal-session", 0, &internal);
  session_keep_no_feedback (internal);
  g_object_unref (internal);
}

void
src_session_close (SrcSession *s)
{
  GstElement *element, *storage;

  g_mutex_lock (s->lock);
  element = g_steal_pointer (&s->element);
  storage = g_steal_pointer (&s->storage);
  g_mutex_unlock (s->lock);
  gst_clear_object (&element);
  gst_clear_object (&storage);
  /* Releasing the last one takes the session, and what it holds, away. */
  while (s->requested->len > 0) {
    GstPad *pad = g_ptr_array_steal_index (s->requested, s->requested->len - 1);

    gst_element_release_request_pad (s->rtpbin, pad);
    gst_object_unref (pad);
  }
  g_mutex_lock (s->lock);
  g_hash_table_remove_all (s->jitterbuffers);
  g_clear_object (&s->fecdec);
  g_clear_object (&s->rtx);
  g_mutex_unlock (s->lock);
  src_hold_remove_all (&s->hold);
}

/* --- while it runs -------------------------------------------------------- */

void
src_session_set_latency (
    SrcSession *s, guint latency, gboolean adaptive, guint min_latency)
{
  gboolean other;

  g_mutex_lock (s->lock);
  other = latency != s->cfg.latency;
  s->cfg.latency = latency;
  s->cfg.adaptive = adaptive;
  s->cfg.min_latency = min_latency;
  g_mutex_unlock (s->lock);
  if (s->rtpbin && other)
    g_object_set (s->rtpbin, "latency", latency, NULL);
  if (other)
    storage_set (s);
  hold_set (s);
}

void
src_session_ask (SrcSession *s)
{
  GstElement *element;
  GObject *session;

  g_mutex_lock (s->lock);
  element = s->element ? gst_object_ref (s->element) : NULL;
  g_mutex_unlock (s->lock);
  if (!element)
    return;
  /* The session calls its element back, which has to live that long.  rtpbin is not
   * asked for it, because it waits while it takes a stream away, and the thread of the
   * system clock must not. */
  g_object_get (element, "internal-session", &session, NULL);
  g_signal_emit_by_name (session, "send-rtcp", (guint64) SIGN_DELAY);
  g_object_unref (session);
  gst_object_unref (element);
}

/* The lock is held. */
static void
jitterbuffer_forget (SrcSession *s, guint32 ssrc, SrcCounts *counts)
{
  if (s->fecdec)
    counts->early = rtp_adapt_fec_dec_take_recovered (
        GST_RTP_ADAPT_FEC_DEC (s->fecdec), ssrc);
  if (g_hash_table_remove (s->jitterbuffers, GUINT_TO_POINTER (ssrc)))
    s->funcs.gone (s->funcs.data, ssrc, counts);
}

/* Has rtpbin take a stream away, and forgets its jitterbuffer.  That one may have had
 * no pad: rtpptdemux makes none for repair packets. */
static void
stream_clear (SrcSession *s, guint32 ssrc)
{
  GstElement *jitterbuffer;
  SrcCounts counts = { 0 };

  g_mutex_lock (s->lock);
  jitterbuffer
      = g_hash_table_lookup (s->jitterbuffers, GUINT_TO_POINTER (ssrc));
  if (jitterbuffer)
    gst_object_ref (jitterbuffer);
  g_mutex_unlock (s->lock);
  g_signal_emit_by_name (s->rtpbin, "clear-ssrc", 0, ssrc);
  if (jitterbuffer)
    src_stats_ask (jitterbuffer, &counts);
  g_mutex_lock (s->lock);
  jitterbuffer_forget (s, ssrc, &counts);
  g_mutex_unlock (s->lock);
  gst_clear_object (&jitterbuffer);
  src_hold_remove (&s->hold, ssrc);
}

/* rtpssrcdemux (1.22) first forgets an SSRC, then takes its stream away, then its pads.
 * A packet of that SSRC that comes in between makes it add pads of the same names, which
 * GstElement refuses and frees, and it pushes to what was freed: GST_FLOW_ERROR, or a
 * crash.  So rtpbin does not do it by itself ("autoremove"), and meanwhile packets wait
 * before its pads.  Whoever can send RTCP as the peer can ask for it with a BYE. */
void
src_session_drop (SrcSession *s, guint32 ssrc)
{
  GPtrArray *pads = s->requested;

  for (guint i = 0; i < pads->len; i++) {
    if (GST_PAD_IS_SINK (pads->pdata[i]))
      GST_PAD_STREAM_LOCK (pads->pdata[i]);
  }
  stream_clear (s, ssrc);
  for (guint i = pads->len; i-- > 0;) {
    if (GST_PAD_IS_SINK (pads->pdata[i]))
      GST_PAD_STREAM_UNLOCK (pads->pdata[i]);
  }
}

GList *
src_session_ssrcs (SrcSession *s)
{
  GList *ssrcs;

  g_mutex_lock (s->lock);
  ssrcs = g_hash_table_get_keys (s->jitterbuffers);
  g_mutex_unlock (s->lock);
  return ssrcs;
}

gboolean
src_session_is_full (SrcSession *s, guint32 ssrc)
{
  gboolean full;

  g_mutex_lock (s->lock);
  full = g_hash_table_size (s->jitterbuffers) >= PEER_STREAMS
      && !g_hash_table_contains (s->jitterbuffers, GUINT_TO_POINTER (ssrc));
  g_mutex_unlock (s->lock);
  return full;
}

/* rtpbin (1.22) would keep its streams in READY, and make new ones with the same
 * SSRCs afterwards until it has as many as it may. */
void
src_session_drop_streams (SrcSession *s)
{
  g_autoptr (GList) ssrcs = src_session_ssrcs (s);

  for (GList *l = ssrcs; l; l = l->next)
    stream_clear (s, GPOINTER_TO_UINT (l->data));
}

/* --- from the beginning to the end ---------------------------------------- */

void
src_session_init (SrcSession *s, GMutex *lock, const SrcPayloads *payloads,
    const SrcSessionFuncs *funcs)
{
  *s = (SrcSession){ .lock = lock, .payloads = payloads, .funcs = *funcs };
  src_hold_init (&s->hold, payloads, funcs->held, funcs->data);
  s->requested = g_ptr_array_new ();
  s->jitterbuffers = g_hash_table_new_full (NULL, NULL, NULL, gst_object_unref);
  s->rtpbin = gst_element_factory_make ("rtpbin", "rtpbin");
  if (!s->rtpbin)
    return;
  g_object_set (s->rtpbin, "max-streams", (guint) PEER_STREAMS, NULL);
  g_signal_connect (
      s->rtpbin, "request-pt-map", G_CALLBACK (request_pt_map), s);
  g_signal_connect (s->rtpbin, "new-storage", G_CALLBACK (new_storage), s);
  g_signal_connect (
      s->rtpbin, "new-jitterbuffer", G_CALLBACK (new_jitterbuffer), s);
  g_signal_connect (
      s->rtpbin, "request-aux-receiver", G_CALLBACK (request_aux_receiver), s);
}

void
src_session_clear (SrcSession *s)
{
  g_clear_object (&s->storage);
  g_clear_object (&s->fecdec);
  g_clear_object (&s->rtx);
  g_ptr_array_free (s->requested, TRUE);
  g_hash_table_unref (s->jitterbuffers);
  src_hold_clear (&s->hold);
}
