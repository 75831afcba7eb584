/* rtpadaptsrc: receives adaptive RTP off the network, ready to be decoded.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/**
 * SECTION:element-rtpadaptsrc
 * @title: rtpadaptsrc
 * @short_description: receives adaptive RTP off the network
 *
 * A receiver in one element: sockets, decryption, rtpbin with its jitterbuffer,
 * repair of losses, and the feedback that the sender adapts to.
 *
 * There is a source pad for each SSRC and payload type.  If a sender is started
 * again, its new SSRC goes on on the same pad: when another SSRC comes with the
 * same payload type, and the old one said BYE or is silent for a second.  If the
 * old one goes on, the new one is a second stream with a pad of its own.  Two pads may
 * be added at once, each in another thread, so a handler of "pad-added" that looks for
 * an element without a link and links the pad to it needs a lock around both.
 *
 * What is linked to a pad may be stopped, unlinked and replaced at any time.  If it stops,
 * is at its end, or fails, the other streams and the feedback go on.  It posts its own
 * errors; where it refuses the packets, as by its caps, this element posts an error that
 * names the pad.  A branch that is at its end gets EOS.  After that, or an error, it gets
 * nothing more until the pad is linked again.  After an error GStreamer takes the state of
 * the pipeline for failed, and a new branch stops at its first packet until the application
 * sets the pipeline to PLAYING again.
 *
 * The element message rtpadapt-stream says that a stream begins, is silent, goes on, on
 * the same pad even if its SSRC is another, or has ended, so that an application need not
 * show a picture that stands still.  An SSRC that changes its payload type has another
 * pad, and the first one is silent.  The fields are in docs/statistics.md.  An end is not an
 * EOS, since the sender may start again.  EOS that the application sends to the pipeline
 * comes to each branch, also where the stream has ended.
 *
 * A stream may come at any time, so "no-more-pads" is never emitted.  playbin3 and
 * uridecodebin play a URI of this element; playbin waits for that signal, and shows nothing.
 * If packets come for 10 s, and no pad is linked, a warning says so.
 *
 * What the packets are is set by #GstRtpAdaptSrc:encoding-name,
 * #GstRtpAdaptSrc:pt-map or #GstRtpAdaptSrc:caps; packets of other payload
 * types are dropped.  If the depayloader behind a pad makes nothing for 10 s of what
 * comes, a warning names it: it is of another codec than the sender, or waits for a
 * key frame.  The extensions of the packets' headers are transport-wide-cc (1),
 * rtt-sendts (2) and the colour (3).
 *
 * Answers leave by the port that packets come to, and go where those come from,
 * so that the sender may be behind a NAT.  The peer is the first address that
 * sends two packets in a row.  Without a key, packets from elsewhere are dropped
 * and counted.  The peer may move after 250 ms of silence if its stream goes on
 * where it left off.  When it has been silent for 500 ms, another sender on its
 * host may take its place, and after 3 s, or a BYE, anybody may.  Whoever sends
 * RTCP in a silence of 500 ms, or before there is a peer, is answered, so that a
 * sender that waits for a sign of life gets one.  Where it listens on other than
 * loopback, a warning says that anybody can send.
 *
 * With a key (#GstRtpAdaptSrc:key, #GstRtpAdaptSrc:dtls) nothing but what was
 * encrypted with it gets in, and the peer is followed at once.  With
 * #GstRtpAdaptSrc:dtls a new sender takes the old one's place as soon as its
 * handshake is complete if its certificate is the #GstRtpAdaptSrc:fingerprint or
 * the old one's, else when the old one has been silent for a second.
 *
 * With #GstRtpAdaptSrc:key or #GstRtpAdaptSrc:key-file the same key may have been
 * used before, and somebody may have recorded that session.  So each sender is
 * asked whether it is alive (RFC 3611, RRTR and DLRR), which takes a round trip.
 * rtpadaptsink answers.  For a sender that does not answer, set
 * #GstRtpAdaptSrc:replay-guard to FALSE and use a new key for each session.
 *
 * Requests for a key frame from downstream go to the sender as PLI.
 *
 * #GstRtpAdaptSrc:feedback should be what the sender has.  If its packets lack what
 * that needs, RFC 8888 is sent instead, and a warning on both sides names the cure.
 * At most 110 reports and requests leave in a second, and one more for each two packets
 * that came; without a key no more bytes leave for a host than came from it.
 *
 * With #GstRtpAdaptSrc:retransmission this element says to the sender that it uses
 * packets that are sent again.  The reports say which packets are missing.  This element
 * also asks for a packet (NACK) when later ones have shown that it is missing.  On a path
 * that reorders, it asks only when the packet is later than others were lately.  It does
 * not ask when the answer would come after #GstRtpAdaptSrc:latency, which has to be a
 * good deal longer than a round trip.
 *
 * A picture that is later than the latency is due when it comes.  Where another sink of the
 * pipeline has a larger latency, as that of the sound, this one counts.  The pictures behind
 * it are held for a short time at first, and for all of the latency 4 s later.
 *
 * |[
 * gst-launch-1.0 rtpadaptsrc uri=rtpadapt://127.0.0.1:47520 \
 *     encoding-name=H264 feedback=ccfb ! \
 *     rtph264depay request-keyframe=true ! avdec_h264 ! \
 *     identity eos-after=60 ! fakesink \
 *     videotestsrc is-live=true num-buffers=120 ! x264enc tune=zerolatency ! \
 *     rtph264pay ! rtpadaptudpsink host=127.0.0.1 port=47520
 * ]|
 * A receiver, and a sender that does not listen, in one process.
 */
#include "srcpriv.h"

#include "parts/elementtimer.h"
#include "fec/gstrtpadaptfecdec.h"
#include "srcpads.h"
#include "srcrtxpt.h"
#include "srcstats.h"
#include "udp/udpsock.h"
#include "wire/binmessage.h"
#include "wire/binuri.h"
#include "wire/hint.h"

#include <gst/rtpadapt/feedback.h>

GST_DEBUG_CATEGORY (rtpadaptsrc_debug);
#define GST_CAT_DEFAULT rtpadaptsrc_debug

#define parent_class gst_rtp_adapt_src_parent_class
G_DEFINE_TYPE_WITH_CODE (GstRtpAdaptSrc, gst_rtp_adapt_src, GST_TYPE_BIN,
    G_IMPLEMENT_INTERFACE (
        GST_TYPE_URI_HANDLER, (GInterfaceInitFunc) bin_uri_src_init))
GST_ELEMENT_REGISTER_DEFINE (
    rtpadaptsrc, "rtpadaptsrc", GST_RANK_NONE, GST_TYPE_RTP_ADAPT_SRC)

static GstStaticPadTemplate src_template = GST_STATIC_PAD_TEMPLATE ("src_%u",
    GST_PAD_SRC, GST_PAD_SOMETIMES, GST_STATIC_CAPS ("application/x-rtp"));

static gboolean
fill_payloads (GstRtpAdaptSrc *self, const SrcConfig *cfg)
{
  const SrcPayloadSettings settings = { .pt_map = cfg->pt_map,
    .encoding = cfg->encoding,
    .caps = cfg->caps,
    .retransmission = cfg->retransmission,
    .twcc = !ra_feedback_at (cfg->feedback)->due };
  GError *error = NULL;

  if (src_payloads_fill (&self->payloads, &settings, &error))
    return TRUE;
  GST_ELEMENT_ERROR (self, LIBRARY, SETTINGS, ("%s.", error->message), (NULL));
  g_error_free (error);
  return FALSE;
}

static gboolean
check_uri (GstRtpAdaptSrc *self)
{
  GError *problem;
  gboolean good;

  GST_OBJECT_LOCK (self);
  problem = self->problem ? g_error_copy (self->problem) : NULL;
  GST_OBJECT_UNLOCK (self);
  good = bin_uri_check (GST_ELEMENT (self), problem);
  g_clear_error (&problem);
  return good;
}

/* The setting as the config has it; the object lock is not held. */
static void
cfg_get (GstRtpAdaptSrc *self, const PropRow *row, GValue *value)
{
  props_get (self, GST_OBJECT_GET_LOCK (self), &self->cfg, row, value);
}

/* Keeps what it was opened with of what does not change while it runs. */
static void
settings_take (GstRtpAdaptSrc *self)
{
  GstStructure *taken = gst_structure_new_empty ("taken");

  for (const PropRow *row = src_props; row->name; row++) {
    GValue value = G_VALUE_INIT;
    GParamSpec *pspec;

    if (row->size == 0 || row->flags & GST_PARAM_MUTABLE_PLAYING)
      continue;
    pspec = g_object_class_find_property (G_OBJECT_GET_CLASS (self), row->name);
    g_value_init (&value, pspec->value_type);
    cfg_get (self, row, &value);
    gst_structure_take_value (taken, row->name, &value);
  }
  GST_OBJECT_LOCK (self);
  gst_clear_structure (&self->taken);
  self->taken = taken;
  GST_OBJECT_UNLOCK (self);
}

/* NULL to READY; nobody changes these settings meanwhile. */
static gboolean
src_open (GstRtpAdaptSrc *self)
{
  const SrcConfig *cfg = &self->cfg;

  if (!self->session.rtpbin) {
    GST_ELEMENT_ERROR (self, CORE, MISSING_PLUGIN,
        ("No element \"rtpbin\": is the package gstreamer1.0-plugins-good "
         "there?"),
        (NULL));
    return FALSE;
  }
  if (!check_uri (self) || !fill_payloads (self, cfg))
    return FALSE;
  self->open = TRUE;
  if (!src_build_open (self, cfg))
    return FALSE;
  settings_take (self);
  g_mutex_lock (&self->lock);
  self->streams.before = (SrcCounts){ 0 };
  g_mutex_unlock (&self->lock);
  g_object_notify (G_OBJECT (self), "port");
  self->hinted = FALSE;
  if (!secure_wanted (self->secure))
    src_hint_open (
        GST_ELEMENT (self), self->sockets[0], cfg->address, cfg->port);
  return TRUE;
}

/* READY to NULL, or when that did not come to its end. */
static void
src_close (GstRtpAdaptSrc *self)
{
  if (!self->open)
    return;
  self->open = FALSE;
  GST_OBJECT_LOCK (self);
  gst_clear_structure (&self->taken);
  GST_OBJECT_UNLOCK (self);
  src_build_close (self);
  src_payloads_clear (&self->payloads);
}

/* --- streams --------------------------------------------------------------- */

/* Lets go of pads that wait for a decision, of threads that wait downstream, and of
 * rtpbin's streams. */
static void
streams_stop (GstRtpAdaptSrc *self)
{
  g_autoptr (GPtrArray) streams = NULL;
  GList *pending;

  g_mutex_lock (&self->lock);
  streams = g_ptr_array_copy (self->streams.streams, NULL, NULL);
  pending = src_streams_stop (&self->streams);
  g_mutex_unlock (&self->lock);
  for (GList *l = pending; l; l = l->next) {
    SrcPending *p = l->data;

    if (p->block)
      gst_pad_remove_probe (p->pad, p->block);
  }
  g_list_free_full (pending, (GDestroyNotify) src_pending_free);
  /* A thread that waits downstream, as in an application's probe, comes back. */
  for (guint i = 0; i < streams->len; i++)
    gst_pad_set_active (
        ((SrcStream *) g_ptr_array_index (streams, i))->ghost, FALSE);
  /* An end of stream that comes when the pipeline has just paused waits in the sink of
   * our RTCP, and with it the thread of udpsrc. */
  gst_element_set_state (self->udpsink, GST_STATE_READY);
  /* Nothing may come while rtpbin's streams are taken away. */
  gst_element_set_state (self->udpsrc, GST_STATE_READY);
  if (!gst_element_is_locked_state (self->rtcpsrc))
    gst_element_set_state (self->rtcpsrc, GST_STATE_READY);
  src_session_drop_streams (&self->session);
}

/* Removes all source pads. */
static void
streams_remove (GstRtpAdaptSrc *self)
{
  GPtrArray *streams;

  g_mutex_lock (&self->lock);
  streams = src_streams_take (&self->streams);
  g_mutex_unlock (&self->lock);
  for (guint i = 0; i < streams->len; i++)
    src_stream_remove (GST_BIN (self), g_ptr_array_index (streams, i));
  g_ptr_array_free (streams, TRUE);
  g_atomic_int_set (&self->unlinked.restarted, TRUE);
}

/* --- timers --------------------------------------------------------------- */

/* A sender that heard nothing for long sends very little, and waits for a report
 * before it sends more.  rtpsession alone would send a report every five seconds. */
#define SIGN_INTERVAL (500 * GST_MSECOND)

static void
sign_due (GstElement *element)
{
  GstRtpAdaptSrc *self = GST_RTP_ADAPT_SRC (element);

  if (src_gate_is_quiet (self->gate))
    src_session_ask (&self->session);
  src_build_news (self);
}

static void
look (GstElement *element, gpointer data)
{
  GstRtpAdaptSrc *self = GST_RTP_ADAPT_SRC (element);

  if (element_timer_stop (element, &self->hint) && !self->hinted)
    self->hinted = src_hint_silence (element, self->udpsrc);
}

static void
look_due (GstElement *element)
{
  gst_element_call_async (element, look, NULL, NULL);
}

static void
look_behind (GstElement *element, gpointer data)
{
  gst_element_foreach_src_pad (element, src_hint_unmade, NULL);
  src_hint_unlinked (element, &GST_RTP_ADAPT_SRC (element)->unlinked);
  g_atomic_int_set (&GST_RTP_ADAPT_SRC (element)->looking, FALSE);
}

/* The application that gets a warning may let the last look wait. */
static void
look_behind_due (GstElement *element)
{
  if (g_atomic_int_compare_and_exchange (
          &GST_RTP_ADAPT_SRC (element)->looking, FALSE, TRUE))
    gst_element_call_async (element, look_behind, NULL, NULL);
}

static void
stats_post (GstElement *element, gpointer data)
{
  GstStructure *stats;

  g_object_get (element, "stats", &stats, NULL);
  gst_element_post_message (
      element, gst_message_new_element (GST_OBJECT (element), stats));
  g_atomic_int_set (&GST_RTP_ADAPT_SRC (element)->posting, FALSE);
}

/* The elements that are asked may let us wait, and so may the application that gets the
 * message.  Until one message is posted no other one is made. */
static void
stats_due (GstElement *element)
{
  if (g_atomic_int_compare_and_exchange (
          &GST_RTP_ADAPT_SRC (element)->posting, FALSE, TRUE))
    gst_element_call_async (element, stats_post, NULL, NULL);
}

/* Posts the statistics every now and then, as the property says, or no longer. */
static void
stats_restart (GstRtpAdaptSrc *self, gboolean on)
{
  GstElement *element = GST_ELEMENT (self);
  GstClockTime interval;

  element_timer_stop (element, &self->stats);
  GST_OBJECT_LOCK (self);
  interval = self->cfg.stats_interval;
  GST_OBJECT_UNLOCK (self);
  if (on && interval)
    element_timer_start (element, &self->stats, interval, TRUE, stats_due);
}

static void
timers_start (GstRtpAdaptSrc *self)
{
  GstElement *element = GST_ELEMENT (self);

  stats_restart (self, TRUE);
  element_timer_start (element, &self->hint, HINT_AFTER, FALSE, look_due);
  element_timer_start (
      element, &self->behind, SRC_HINT_LOOK, TRUE, look_behind_due);
  element_timer_start (element, &self->sign, SIGN_INTERVAL, TRUE, sign_due);
}

static void
timers_stop (GstRtpAdaptSrc *self)
{
  stats_restart (self, FALSE);
  element_timer_stop (GST_ELEMENT (self), &self->hint);
  element_timer_stop (GST_ELEMENT (self), &self->behind);
  element_timer_stop (GST_ELEMENT (self), &self->sign);
}

/* --- states --------------------------------------------------------------- */

static GstStateChangeReturn
src_change_state (GstElement *element, GstStateChange transition)
{
  GstRtpAdaptSrc *self = GST_RTP_ADAPT_SRC (element);
  GstStateChangeReturn ret;

  switch (transition) {
    case GST_STATE_CHANGE_NULL_TO_READY:
      if (src_open (self))
        break;
      src_close (self);
      return GST_STATE_CHANGE_FAILURE;
    case GST_STATE_CHANGE_PLAYING_TO_PAUSED:
      timers_stop (self);
      break;
    case GST_STATE_CHANGE_PAUSED_TO_READY:
      timers_stop (self); /* statistics may have been set meanwhile */
      streams_stop (self);
      break;
    default:
      break;
  }
  ret = GST_ELEMENT_CLASS (parent_class)->change_state (element, transition);
  switch (transition) {
    case GST_STATE_CHANGE_PAUSED_TO_PLAYING:
      if (ret != GST_STATE_CHANGE_FAILURE)
        timers_start (self);
      break;
    case GST_STATE_CHANGE_PAUSED_TO_READY:
      streams_remove (self);
      g_mutex_lock (&self->lock);
      gst_event_replace (&self->eos, NULL);
      herald_clear (&self->herald); /* each message holds the element */
      g_mutex_unlock (&self->lock);
      break;
    case GST_STATE_CHANGE_READY_TO_NULL:
      src_close (self);
      break;
    default:
      break;
  }
  if (ret == GST_STATE_CHANGE_FAILURE
      && transition == GST_STATE_CHANGE_NULL_TO_READY)
    src_close (self);
  return ret;
}

/* As GstBin, but EOS comes to branches whose stream is over, too, until a flush has ended
 * it. */
static gboolean
src_send_event (GstElement *element, GstEvent *event)
{
  GstRtpAdaptSrc *self = GST_RTP_ADAPT_SRC (element);
  gboolean eos = GST_EVENT_TYPE (event) == GST_EVENT_EOS, sent;

  if (eos || GST_EVENT_TYPE (event) == GST_EVENT_FLUSH_STOP) {
    g_mutex_lock (&self->lock);
    gst_event_replace (&self->eos, eos ? event : NULL);
    g_mutex_unlock (&self->lock);
  }
  sent = GST_ELEMENT_CLASS (parent_class)->send_event (element, event);
  if (eos)
    src_build_eos (self);
  return sent;
}

static gboolean
src_query (GstElement *element, GstQuery *query)
{
  return bin_uri_query (element, query)
      || GST_ELEMENT_CLASS (parent_class)->query (element, query);
}

/* Whoever has several of these bins finds out by the source which one it is about. */
static void
src_handle_message (GstBin *bin, GstMessage *message)
{
  GST_BIN_CLASS (parent_class)
      ->handle_message (bin, bin_message_own (bin, message));
}

/* --- statistics ----------------------------------------------------------- */

/* The lock is held. */
static void
early_ask (GstRtpAdaptSrc *self, const SrcStatsSource *source)
{
  GstElement *fecdec = self->session.fecdec;

  for (guint i = 0; fecdec && i < source->feeders->len; i++) {
    SrcStatsFeeder *feeder
        = &g_array_index (source->feeders, SrcStatsFeeder, i);

    feeder->counts.early = rtp_adapt_fec_dec_recovered (
        GST_RTP_ADAPT_FEC_DEC (fecdec), feeder->ssrc);
  }
}

static GstStructure *
src_stats (GstRtpAdaptSrc *self)
{
  GstStructure *stats
      = gst_structure_new_empty ("application/x-rtpadaptsrc-stats");
  GArray *streams;
  GstElement *rtx = NULL;
  SrcCounts before;
  SrcGateStats gate;
  SrcHoldStats hold;

  g_mutex_lock (&self->lock);
  streams = src_stats_sources (&self->streams, self->session.jitterbuffers);
  before = self->streams.before;
  for (guint i = 0; i < streams->len; i++)
    early_ask (self, &g_array_index (streams, SrcStatsSource, i));
  g_set_object (&rtx, self->session.rtx);
  g_mutex_unlock (&self->lock);
  src_gate_get_stats (self->gate, &gate);
  if (rtx)
    gate.order.jumped += src_rtx_far (rtx);
  gst_clear_object (&rtx);
  src_stats_set_gate (stats, &gate);
  src_stats_set_streams (stats, streams, &before);
  src_hold_get_stats (&self->session.hold, &hold);
  src_stats_set_hold (stats, &hold);
  src_stats_take (stats, "security", secure_stats (self->secure));
  src_stats_set_child (stats, "udp", self->udpsrc);
  src_stats_set_child (stats, "receiver", self->recv);
  g_array_unref (streams);
  return stats;
}

/* --- properties ----------------------------------------------------------- */

static void
uri_set (GstRtpAdaptSrc *self, const GValue *value)
{
  GError *problem = NULL;

  bin_uri_set (GST_ELEMENT (self), g_value_get_string (value), &problem);
  GST_OBJECT_LOCK (self);
  g_clear_error (&self->problem);
  self->problem = problem;
  GST_OBJECT_UNLOCK (self);
}

/* TRUE: it runs with another value, and takes this one at the next start. */
static gboolean
is_late (GstRtpAdaptSrc *self, const PropRow *row, GParamSpec *pspec)
{
  GValue value = G_VALUE_INIT;
  const GValue *taken;
  gboolean late;

  g_value_init (&value, pspec->value_type);
  cfg_get (self, row, &value);
  GST_OBJECT_LOCK (self);
  taken = self->taken ? gst_structure_get_value (self->taken, row->name) : NULL;
  late = taken && gst_value_compare (taken, &value) != GST_VALUE_EQUAL;
  GST_OBJECT_UNLOCK (self);
  g_value_unset (&value);
  return late;
}

static void
own_set (GstRtpAdaptSrc *self, const PropRow *row, GParamSpec *pspec,
    const GValue *value)
{
  gboolean playing;
  guint then;

  GST_OBJECT_LOCK (self);
  then = props_set (&self->cfg, row, value, NULL, NULL);
  playing = GST_STATE (self) == GST_STATE_PLAYING;
  GST_OBJECT_UNLOCK (self);
  if (then & THEN_LATENCY)
    src_build_latency (self);
  if (then & THEN_STATS)
    stats_restart (self, playing);
  if (is_late (self, row, pspec))
    bin_warn_late (GST_ELEMENT (self), row->name);
}

static void
src_set_property (
    GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  GstRtpAdaptSrc *self = GST_RTP_ADAPT_SRC (object);
  const PropRow *row = src_prop (id);

  if (!row)
    secure_set_property (self->secure, pspec, value);
  else if (row->like)
    g_object_set_property (G_OBJECT (self->recv), row->name, value);
  else if (row->size > 0)
    own_set (self, row, pspec, value);
  else
    uri_set (self, value);
}

/* What the row has in the config, or the port that is in use. */
static void
own_get (GstRtpAdaptSrc *self, const PropRow *row, GValue *value)
{
  gboolean rtcp = row->offset == G_STRUCT_OFFSET (SrcConfig, rtcp_port);

  cfg_get (self, row, value);
  if (!rtcp && row->offset != G_STRUCT_OFFSET (SrcConfig, port))
    return;
  GST_OBJECT_LOCK (self);
  if (self->sockets[rtcp])
    g_value_set_int (value, (gint) udp_socket_port (self->sockets[rtcp]));
  GST_OBJECT_UNLOCK (self);
}

/* A property that the config does not hold. */
static void
reading_get (GstRtpAdaptSrc *self, const gchar *name, GValue *value)
{
  if (g_str_equal (name, "uri"))
    g_value_take_string (value, bin_uri_get (GST_ELEMENT (self)));
  else
    g_value_take_boxed (value, src_stats (self));
}

static void
src_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  GstRtpAdaptSrc *self = GST_RTP_ADAPT_SRC (object);
  const PropRow *row = src_prop (id);

  if (!row)
    secure_get_property (self->secure, pspec, value);
  else if (row->like)
    g_object_get_property (G_OBJECT (self->recv), row->name, value);
  else if (row->size > 0)
    own_get (self, row, value);
  else
    reading_get (self, row->name, value);
}

static void
src_finalize (GObject *object)
{
  GstRtpAdaptSrc *self = GST_RTP_ADAPT_SRC (object);

  props_clear (&self->cfg, src_props);
  g_clear_error (&self->problem);
  src_streams_clear (&self->streams);
  src_session_clear (&self->session);
  secure_free (self->secure);
  gst_event_replace (&self->eos, NULL);
  herald_clear (&self->herald);
  g_mutex_clear (&self->feeding);
  g_mutex_clear (&self->lock);
  G_OBJECT_CLASS (parent_class)->finalize (object);
}

static void
gst_rtp_adapt_src_class_init (GstRtpAdaptSrcClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GstElementClass *element_class = GST_ELEMENT_CLASS (klass);

  GST_DEBUG_CATEGORY_INIT (
      rtpadaptsrc_debug, "rtpadaptsrc", 0, "adaptive RTP receiver");
  object_class->set_property = src_set_property;
  object_class->get_property = src_get_property;
  object_class->finalize = src_finalize;
  element_class->change_state = src_change_state;
  element_class->query = src_query;
  element_class->send_event = src_send_event;
  GST_BIN_CLASS (klass)->handle_message = src_handle_message;

  src_props_install (object_class);
  gst_element_class_add_static_pad_template (element_class, &src_template);
  gst_element_class_set_static_metadata (element_class, "Adaptive RTP receiver",
      "Source/Network/RTP",
      "Receives RTP, repairs it, and reports to the sender what its rate may be",
      "The gst-rtpadapt authors");
}

static void
gst_rtp_adapt_src_init (GstRtpAdaptSrc *self)
{
  GstBin *bin = GST_BIN (self);

  g_mutex_init (&self->feeding);
  g_mutex_init (&self->lock);
  herald_init (&self->herald);
  props_init (&self->cfg, src_props, self);
  self->secure = secure_new (bin, FALSE);
  /* The sink in it is for reports. */
  gst_bin_set_suppressed_flags (
      bin, GST_ELEMENT_FLAG_SOURCE | GST_ELEMENT_FLAG_SINK);
  GST_OBJECT_FLAG_SET (self, GST_ELEMENT_FLAG_SOURCE);
  src_build_init (self);
}
