/* rtpadaptsink: a sender in one element.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/**
 * SECTION:element-rtpadaptsink
 * @title: rtpadaptsink
 * @short_description: A sender of adaptive RTP in one element
 *
 * Sends RTP video, and what goes with it, to one receiver or multicast group,
 * at the bitrate that the path bears: rtpadaptsend, rtpbin (profile AVPF) and
 * the UDP elements in one bin.  rtpadaptsrc is the receiver; with
 * `feedback=twcc`, the default, any rtpbin or WebRTC-like receiver that
 * answers transport-wide numbers will do.
 *
 * Each of the pads sink_%u takes one stream; all go into one RTP session, which
 * has one bitrate.  A payloader linked to it adds the header extensions by
 * itself (ids 1: transport-wide numbers, 2: send time, 3: colour); RTP that is
 * ready-made passes as it is.  Video gets an #rtpadaptfecenc (payload type 122, or
 * 120 for a receiver that decodes its Reed-Solomon code, as rtpadaptsrc) whose level
 * follows the losses to the radio where no retransmission is in time for them, and with
 * #GstRtpAdaptSink:retransmission an rtprtxsend (payload type 121, for the
 * payload type that the first video stream has, and 119 for 120).  When the pad of that
 * stream is released, 121 is free for the next one that begins; those that began before
 * go on without it.
 *
 * What is lost is sent again as long as the receiver's latency leaves time for it,
 * by the reports of twcc and ccfb, and at the receiver's request (NACK).  Of 200 ms
 * it takes some 20 to find out that a packet is missing: a round trip of up to 60 ms
 * leaves time for two tries, up to 150 ms for one, of two copies or more.  FEC is for
 * longer paths.  Repetitions go before video that waits, within the bitrate, and take
 * a quarter of it on average at most, .4 where 15 % are lost; those of a second may go at
 * once, so that behind a fade nothing but audio and they leave for a moment.  A packet is
 * not repeated if it was dropped here, if it still waits here, if the receiver's own feedback
 * says that it arrived, or if it would come too late.  To rtpadaptsrc, which says that it
 * uses them, and to a receiver with the same key that has sent a NACK, repetitions go by RFC
 * 4588.  Another receiver knows no such packets: without a key it gets the lost packet as it
 * was, in time for a jitterbuffer with #GstRtpAdaptSink:receiver-latency.  The sender's
 * statistics count repeats-own, repeats-plain, repeats-mended, repeats-late,
 * repeats-expired, repeats-over-budget, repeat-requests and, of these, repeat-refused.
 *
 * FEC, too, waits until the receiver has said that it uses it: rtpjitterbuffer waits
 * for what it cannot read.  A stock receiver with an rtpulpfecdec cannot say so and
 * needs `fec-unasked=true`.
 *
 * RTP and RTCP share a port unless #GstRtpAdaptSink:rtcp-mux is off, and what
 * comes back is read from the socket that sends.  Colours are on
 * (`colour=content`): where no router knows the DSCP they do no harm.
 * #GstRtpAdaptSink:ecn needs `feedback=ccfb` on both sides; where the path or
 * the receiver does not bear it, a warning says so, packets leave as not-ECT,
 * and the sender's statistics say why: `ecn-state`, `ecn-fault`, `ecn-failed`.
 * RTCP is never ECT.
 *
 * With #GstRtpAdaptSink:key or #GstRtpAdaptSink:key-file all of it is encrypted
 * (SRTP), and only what was made with that key is heard.  The receiver at the host before
 * has that key, too: after a change it is not heard until nobody else was for 3 s.  With
 * #GstRtpAdaptSink:dtls the key is agreed upon with the peer; it is the right
 * peer only if its #GstRtpAdaptSink:fingerprint is given.  The handshake is
 * begun again each second until a receiver answers, and, while the connection
 * goes on, when nothing has come back for 1.5 s, so a receiver may be late, or
 * be replaced.  A warning says that the certificate is wrong.  Without either,
 * RTCP is heard only from the host that is sent to, with
 * #GstRtpAdaptSink:rtcp-mux from one port of it until that is silent for 3 s,
 * and from all receivers of a multicast group.
 *
 * An outage does not end the stream: when the receiver is heard again, sending
 * begins again.  #GstRtpAdaptSend describes how its circuit breakers open and
 * close.  Where no answer has come for 3 s, a warning says what to look at.
 * Several of these elements may stand behind one encoder: the smallest bitrate
 * holds.
 *
 * The properties of rtpadaptsend, and those of rtpadaptudpsink that matter, are
 * properties here, too.  The children have fixed names: send, rtpbin, rtpsink,
 * rtcpsink, rtcpsrc, funnel, and fec_0, rtx_0 behind sink_0 and so on, which are made
 * when caps come and go when the element stops.
 *
 * Element messages of `send` are posted with this element as their source, so that those of
 * two senders in a pipeline can be told apart by it.  Warnings name the child.
 *
 * A payloader whose `mtu` is the default, 1400, gets 1152 when this element starts,
 * so that IP packets stay below 1280 bytes, with FEC, SRTP and IPv6, too; set another
 * value, 1399 for one, where the path takes more.
 *
 * |[
 * gst-launch-1.0 videotestsrc is-live=true num-buffers=60 ! \
 *     video/x-raw,format=I420 ! x264enc tune=zerolatency ! rtph264pay ! \
 *     rtpadaptsink uri="rtpadapt://127.0.0.1:5004?max-bitrate=2000000"
 * ]|
 */
#include "sinkpriv.h"

#include "parts/enums.h"
#include "sinkcaps.h"
#include "sinkstats.h"
#include "send/gstrtpadaptsend.h"
#include "wire/binmessage.h"
#include "wire/binuri.h"

GST_DEBUG_CATEGORY (rtpadaptsink_debug);
#define GST_CAT_DEFAULT rtpadaptsink_debug

#define parent_class gst_rtp_adapt_sink_parent_class
G_DEFINE_TYPE_WITH_CODE (GstRtpAdaptSink, gst_rtp_adapt_sink, GST_TYPE_BIN,
    G_IMPLEMENT_INTERFACE (GST_TYPE_URI_HANDLER, bin_uri_sink_init))
GST_ELEMENT_REGISTER_DEFINE (
    rtpadaptsink, "rtpadaptsink", GST_RANK_NONE, GST_TYPE_RTP_ADAPT_SINK)

static GstStaticPadTemplate sink_template = GST_STATIC_PAD_TEMPLATE ("sink_%u",
    GST_PAD_SINK, GST_PAD_REQUEST, GST_STATIC_CAPS ("application/x-rtp"));

static gboolean
sink_open (GstRtpAdaptSink *self)
{
  GError *problem;
  gboolean good;

  if (self->missing) {
    GST_ELEMENT_ERROR (self, CORE, MISSING_PLUGIN,
        ("No element \"%s\": check the installation of GStreamer.",
            self->missing),
        (NULL));
    return FALSE;
  }
  GST_OBJECT_LOCK (self);
  problem = self->uri_problem ? g_error_copy (self->uri_problem) : NULL;
  GST_OBJECT_UNLOCK (self);
  good = bin_uri_check (GST_ELEMENT (self), problem) && sink_wire_open (self);
  g_clear_error (&problem);
  return good;
}

static gboolean
pad_lower_mtu (GstElement *element, GstPad *pad, gpointer data)
{
  sink_caps_lower_mtu (pad);
  return TRUE;
}

static gboolean
pad_undo (GstElement *element, GstPad *pad, gpointer data)
{
  sink_stream_undo (GST_BIN (element), gst_pad_get_element_private (pad));
  return TRUE;
}

/* What a stream needs may be set otherwise before the next start, and another stream
 * may be linked.  The pads are not active, so nothing comes. */
static void
streams_undo (GstRtpAdaptSink *self)
{
  gst_element_foreach_sink_pad (GST_ELEMENT (self), pad_undo, NULL);
  GST_OBJECT_LOCK (self);
  sink_streams_stop (&self->streams);
  GST_OBJECT_UNLOCK (self);
}

/* What streams get while it runs.  Those of the last run have said BYE, or never will. */
static void
streams_begin (GstRtpAdaptSink *self)
{
  gboolean repeats;
  gint feedback = 0;

  if (self->send)
    g_object_get (self->send, "feedback", &feedback, NULL);
  GST_OBJECT_LOCK (self);
  self->repeats = repeats = self->cfg.retransmission;
  self->keep = self->cfg.rtx_time;
  self->feedback = feedback;
  GST_OBJECT_UNLOCK (self);
  if (self->send)
    g_object_set (self->send, "retransmission", repeats, NULL);
  g_mutex_lock (&self->lock);
  sink_peer_forget_ours (&self->who);
  g_mutex_unlock (&self->lock);
  g_atomic_int_set (&self->ended, FALSE);
}

static GstStateChangeReturn
sink_change_state (GstElement *element, GstStateChange transition)
{
  GstRtpAdaptSink *self = GST_RTP_ADAPT_SINK (element);
  gboolean opening = transition == GST_STATE_CHANGE_NULL_TO_READY;
  GstStateChangeReturn ret = GST_STATE_CHANGE_FAILURE;

  /* Before the payloaders start; what is linked later has it done with its caps. */
  if (transition == GST_STATE_CHANGE_READY_TO_PAUSED) {
    gst_element_foreach_sink_pad (element, pad_lower_mtu, NULL);
    streams_begin (self);
  }
  if (transition == GST_STATE_CHANGE_PAUSED_TO_PLAYING)
    sink_hints_play (self);
  if (!opening || sink_open (self))
    ret = GST_ELEMENT_CLASS (parent_class)->change_state (element, transition);
  /* A handshake begins before there are packets. */
  if (transition == GST_STATE_CHANGE_PAUSED_TO_PLAYING
      && secure_wants_dtls (self->secure))
    sink_hints_start (self);
  if (transition == GST_STATE_CHANGE_PLAYING_TO_PAUSED
      || transition == GST_STATE_CHANGE_PAUSED_TO_READY)
    sink_hints_stop (self);
  if (transition == GST_STATE_CHANGE_PAUSED_TO_READY)
    streams_undo (self);
  if (!self->missing
      && (transition == GST_STATE_CHANGE_READY_TO_NULL
          || (opening && ret == GST_STATE_CHANGE_FAILURE)))
    sink_wire_close (self);
  /* What is live in here, RTCP coming in, does not concern the pipeline. */
  if (ret == GST_STATE_CHANGE_NO_PREROLL)
    ret = GST_STATE_CHANGE_SUCCESS;
  return ret;
}

static gboolean
sink_query (GstElement *element, GstQuery *query)
{
  return bin_uri_query (element, query)
      || GST_ELEMENT_CLASS (parent_class)->query (element, query);
}

/* Whoever has several of these bins finds out by the source which one it is about. */
static void
sink_handle_message (GstBin *bin, GstMessage *message)
{
  GST_BIN_CLASS (parent_class)
      ->handle_message (bin, bin_message_own (bin, message));
}

static void
sink_restart (GstRtpAdaptSink *self)
{
  if (self->send)
    g_signal_emit_by_name (self->send, "restart");
}

/* --- request pads ---------------------------------------------------------- */

/* A payloader or an encoder came or went, and the caps may be as before. */
static void
upstream_changed (GstRtpAdaptSink *self)
{
  GstPad *pad = gst_element_get_static_pad (self->send, "src");

  gst_pad_send_event (pad, gst_event_new_reconfigure ());
  gst_object_unref (pad);
}

static void
stream_caps (GstRtpAdaptSink *self, SinkStream *stream, GstCaps *caps)
{
  SinkStreamJob job;

  GST_OBJECT_LOCK (self);
  job = sink_streams_on_caps (&self->streams, stream, caps, self->repeats,
      (guint) (self->keep / GST_MSECOND));
  GST_OBJECT_UNLOCK (self);
  sink_stream_do (GST_BIN (self), stream, &job);
  if (job.builds && g_atomic_int_get (&self->released))
    upstream_changed (self);
}

static gboolean
stream_event (GstPad *pad, GstObject *parent, GstEvent *event)
{
  const SinkStreamJob plain = { .builds = TRUE };
  GstRtpAdaptSink *self = GST_RTP_ADAPT_SINK (parent);
  SinkStream *stream = gst_pad_get_element_private (pad);
  GstCaps *caps;

  if (GST_EVENT_TYPE (event) == GST_EVENT_CAPS) {
    gst_event_parse_caps (event, &caps);
    if (!stream->built)
      sink_caps_lower_mtu (pad);
    stream_caps (self, stream, caps);
  } else if (!stream->built
      && (GST_EVENT_TYPE (event) == GST_EVENT_SEGMENT
          || GST_EVENT_TYPE (event) == GST_EVENT_EOS)) {
    /* A payloader that got nothing sends the end alone, and the funnel waits for it. */
    sink_stream_do (GST_BIN (self), stream, &plain);
  }
  return gst_pad_event_default (pad, parent, event);
}

/* ANY leaves the profile of H.264 to the encoder: rtp_offer_query() says why.  What is not
 * linked yet may be no RTP at all. */
static GstCaps *
caps_offer (GstRtpAdaptSink *self, GstPad *pad, const GstCaps *filter)
{
  SinkCapsSettings settings = { .coloured = sink_is_coloured (self) };
  gint feedback;

  if (!filter && gst_pad_is_linked (pad))
    return gst_caps_new_any ();
  g_object_get (self->send, "feedback", &feedback, NULL);
  GST_OBJECT_LOCK (self);
  if (GST_STATE (self) > GST_STATE_READY)
    feedback = self->feedback; /* another one is for the next start */
  settings.feedback = ra_feedback_at (feedback);
  settings.ext_twcc = self->streams.ext_twcc;
  GST_OBJECT_UNLOCK (self);
  return sink_caps_offer (&settings, filter);
}

static gboolean
stream_query (GstPad *pad, GstObject *parent, GstQuery *query)
{
  GstRtpAdaptSink *self = GST_RTP_ADAPT_SINK (parent);
  GstCaps *caps, *offer;

  switch (GST_QUERY_TYPE (query)) {
    case GST_QUERY_CAPS:
      gst_query_parse_caps (query, &caps);
      offer = caps_offer (self, pad, caps);
      gst_query_set_caps_result (query, offer);
      gst_caps_unref (offer);
      return TRUE;
    case GST_QUERY_ACCEPT_CAPS:
      gst_query_parse_accept_caps (query, &caps);
      gst_query_set_accept_caps_result (query,
          gst_structure_has_name (
              gst_caps_get_structure (caps, 0), "application/x-rtp"));
      return TRUE;
    default:
      return gst_pad_query_default (pad, parent, query);
  }
}

static GstPad *
sink_request_pad (GstElement *element, GstPadTemplate *templ, const gchar *name,
    const GstCaps *caps)
{
  GstRtpAdaptSink *self = GST_RTP_ADAPT_SINK (element);
  SinkStream *stream;
  g_autofree gchar *made = NULL;
  GstPad *funnel_pad;

  if (self->missing)
    return NULL; /* NULL to READY says what */
  for (guint i = 0; !name; i++) {
    g_autofree gchar *next = g_strdup_printf ("sink_%u", i);
    GstPad *taken = gst_element_get_static_pad (element, next);

    if (!taken)
      name = made = g_steal_pointer (&next);
    gst_clear_object (&taken);
  }
  funnel_pad = gst_element_request_pad_simple (self->funnel, "sink_%u");
  stream = sink_stream_new (
      gst_ghost_pad_new_no_target_from_template (name, templ), funnel_pad);
  gst_pad_set_element_private (stream->ghost, stream);
  gst_pad_set_event_function (stream->ghost, stream_event);
  gst_pad_set_query_function (stream->ghost, stream_query);
  GST_OBJECT_LOCK (self);
  sink_streams_add (&self->streams, stream);
  GST_OBJECT_UNLOCK (self);
  gst_pad_set_active (stream->ghost, TRUE);
  gst_element_add_pad (element, stream->ghost);
  return stream->ghost;
}

static void
pad_goes (GstRtpAdaptSink *self, gboolean goes)
{
  if (self->send)
    rtp_adapt_send_pad_goes (GST_RTP_ADAPT_SEND (self->send), goes);
}

static void
sink_release_pad (GstElement *element, GstPad *pad)
{
  GstRtpAdaptSink *self = GST_RTP_ADAPT_SINK (element);
  SinkStream *stream;

  GST_OBJECT_LOCK (self);
  stream = sink_streams_find (&self->streams, pad);
  GST_OBJECT_UNLOCK (self);
  if (!stream)
    return;
  pad_goes (self, TRUE);
  gst_pad_set_active (pad, FALSE); /* nothing comes from here on */
  pad_goes (self, FALSE);
  GST_OBJECT_LOCK (self);
  sink_stream_end (stream);
  GST_OBJECT_UNLOCK (self);
  sink_stream_undo (GST_BIN (self), stream);
  gst_element_release_request_pad (self->funnel, stream->funnel_pad);
  gst_object_unref (stream->funnel_pad);
  gst_element_remove_pad (element, pad);
  g_atomic_int_set (&self->released, TRUE);
  if (self->send)
    upstream_changed (self);
  GST_OBJECT_LOCK (self);
  sink_streams_remove (&self->streams, stream);
  GST_OBJECT_UNLOCK (self);
}

/* rtpsession wants to know a clock rate for its reports where the caps have no
 * SSRC. */
static GstCaps *
pt_map (GstElement *rtpbin, guint session, guint pt, gpointer data)
{
  GstRtpAdaptSink *self = data;
  GstCaps *caps;

  GST_OBJECT_LOCK (self);
  caps = sink_streams_caps (&self->streams, pt);
  GST_OBJECT_UNLOCK (self);
  return caps;
}

/* --- statistics ------------------------------------------------------------- */

static void
add_part_stats (GstStructure *stats, const gchar *name, GstElement *part)
{
  GstStructure *of;

  g_object_get (part, "stats", &of, NULL);
  gst_structure_set (stats, name, GST_TYPE_STRUCTURE, of, NULL);
  gst_structure_free (of);
}

static GstStructure *
sink_stats (GstRtpAdaptSink *self)
{
  GstStructure *secure, *peer,
      *stats = gst_structure_new_empty ("application/x-rtpadaptsink-stats");
  SinkStats own;

  if (self->missing)
    return stats;
  add_part_stats (stats, "sender", self->send);
  add_part_stats (stats, "udp", self->rtpsink);
  add_part_stats (stats, "udp-rtcp", self->rtcpsink);
  secure = secure_stats (self->secure);
  g_mutex_lock (&self->lock);
  peer = sink_peer_stats (&self->who);
  own.unkeyed = self->unkeyed;
  g_mutex_unlock (&self->lock);
  fields_set (stats, sink_stats_fields, &own);
  gst_structure_set (stats, "security", GST_TYPE_STRUCTURE, secure, "peer",
      GST_TYPE_STRUCTURE, peer, NULL);
  gst_structure_free (secure);
  gst_structure_free (peer);
  return stats;
}

/* --- properties ------------------------------------------------------------- */

/* What follows another destination.  Host and port of a URI are one. */
static void
destination_follow (GstRtpAdaptSink *self, guint then)
{
  if (then & THEN_DESTINATION)
    sink_wire_destination (self, (then & THEN_LOOK) != 0);
  if (then & THEN_PEER && GST_STATE (self) > GST_STATE_NULL)
    sink_wire_peer (self);
}

static void
uri_set (GstRtpAdaptSink *self, const GValue *value)
{
  GError *problem = NULL;
  guint then;

  GST_OBJECT_LOCK (self);
  self->in_uri = TRUE;
  GST_OBJECT_UNLOCK (self);
  bin_uri_set (GST_ELEMENT (self), g_value_get_string (value), &problem);
  GST_OBJECT_LOCK (self);
  g_clear_error (&self->uri_problem);
  self->uri_problem = problem;
  self->in_uri = FALSE;
  then = self->then;
  self->then = 0;
  GST_OBJECT_UNLOCK (self);
  destination_follow (self, then);
}

/* The child that has the property; NULL: none has it, or that one is missing. */
static GObject *
part_of (GstRtpAdaptSink *self, guint id)
{
  switch (sink_prop_of (id)) {
    case SINK_PROP_SEND:
      return (GObject *) self->send;
    case SINK_PROP_UDP:
      return (GObject *) self->rtpsink;
    default:
      return NULL;
  }
}

/* TRUE: rtpsink has taken another value, and takes the next one when it opens its socket. */
static gboolean
is_late (GstRtpAdaptSink *self, GParamSpec *pspec, const GValue *value)
{
  const GValue *taken;
  gboolean late;

  GST_OBJECT_LOCK (self);
  taken
      = self->taken ? gst_structure_get_value (self->taken, pspec->name) : NULL;
  late = taken && !(pspec->flags & GST_PARAM_MUTABLE_PLAYING)
      && g_param_values_cmp (pspec, taken, value) != 0;
  GST_OBJECT_UNLOCK (self);
  return late;
}

static void
part_set (
    GstRtpAdaptSink *self, guint id, GParamSpec *pspec, const GValue *value)
{
  GObject *part = part_of (self, id);
  gboolean udp = part && sink_prop_of (id) == SINK_PROP_UDP;
  gboolean late = udp && is_late (self, pspec, value);

  if (part)
    g_object_set_property (part, pspec->name, value);
  if (udp)
    sink_wire_dscp (self);
  if (late)
    bin_warn_late (GST_ELEMENT (self), pspec->name);
}

/* TRUE: it runs with another value, and takes this one at the next start; the object lock
 * is held. */
static gboolean
own_is_late (GstRtpAdaptSink *self, guint then)
{
  if (then & THEN_START)
    return GST_STATE (self) > GST_STATE_NULL && self->cfg.rtcp_mux != self->mux;
  return then & THEN_STREAM && GST_STATE (self) > GST_STATE_READY
      && (self->cfg.retransmission != self->repeats
          || self->cfg.rtx_time != self->keep);
}

static void
own_set (GstRtpAdaptSink *self, const PropRow *row, const GValue *value)
{
  gboolean late;
  guint then;

  GST_OBJECT_LOCK (self);
  then = props_set (&self->cfg, row, value, NULL, NULL);
  late = own_is_late (self, then);
  if (self->in_uri) {
    self->then |= then & THEN_MOVES;
    then &= ~(guint) THEN_MOVES;
  }
  GST_OBJECT_UNLOCK (self);
  if (late)
    bin_warn_late (GST_ELEMENT (self), row->name);
  destination_follow (self, then);
}

static void
sink_set_property (
    GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  GstRtpAdaptSink *self = GST_RTP_ADAPT_SINK (object);
  const PropRow *row;

  switch (sink_prop_of (id)) {
    case SINK_PROP_OWN:
      row = &sink_props[id - 1];
      if (row->size > 0)
        own_set (self, row, value);
      else
        uri_set (self, value);
      break;
    case SINK_PROP_SECURE:
      secure_set_property (self->secure, pspec, value);
      break;
    default:
      part_set (self, id, pspec, value);
      break;
  }
}

/* A property that the config does not hold. */
static void
reading_get (GstRtpAdaptSink *self, const gchar *name, GValue *value)
{
  if (g_str_equal (name, "uri"))
    g_value_take_string (value, bin_uri_get (GST_ELEMENT (self)));
  else
    g_value_take_boxed (value, sink_stats (self));
}

static void
own_get (GstRtpAdaptSink *self, const PropRow *row, GValue *value)
{
  if (row->size > 0)
    props_get (self, GST_OBJECT_GET_LOCK (self), &self->cfg, row, value);
  else
    reading_get (self, row->name, value);
}

static void
sink_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  GstRtpAdaptSink *self = GST_RTP_ADAPT_SINK (object);
  GObject *part = part_of (self, id);

  if (part)
    g_object_get_property (part, pspec->name, value);
  else if (sink_prop_of (id) == SINK_PROP_SECURE)
    secure_get_property (self->secure, pspec, value);
  else if (sink_prop_of (id) == SINK_PROP_OWN)
    own_get (self, &sink_props[id - 1], value);
}

/* The sender notifies what changed by itself, as estimated-bitrate. */
static void
part_changed (GObject *part, GParamSpec *pspec, gpointer data)
{
  GObject *self = data;

  if (pspec->owner_type != GST_TYPE_RTP_ADAPT_SEND)
    return;
  if (g_str_equal (pspec->name, "colour"))
    sink_wire_dscp (data);
  if (g_object_class_find_property (G_OBJECT_GET_CLASS (self), pspec->name))
    g_object_notify (self, pspec->name);
}

static void
host_moved (GObject *rtpsink, GParamSpec *pspec, gpointer data)
{
  sink_wire_moved (data);
}

/* Hands the children what the properties are at the beginning. */
static void
props_begin (GstRtpAdaptSink *self)
{
  if (!self->send)
    return;
  g_object_set (self->send, "colour",
      gst_rtp_adapt_enum_value (GST_TYPE_RTP_ADAPT_COLOUR, SINK_COLOUR),
      "fec-unasked", SINK_FEC_UNASKED, NULL);
  /* Holds the bin while it runs: the notice may come from another thread. */
  g_signal_connect_object (
      self->send, "notify", G_CALLBACK (part_changed), self, 0);
  if (self->rtpsink)
    self->host_moved = g_signal_connect_object (
        self->rtpsink, "notify::host", G_CALLBACK (host_moved), self, 0);
}

/* --- construction -------------------------------------------------------- */

static GstElement *
make_child (GstRtpAdaptSink *self, const gchar *factory, const gchar *name)
{
  GstElement *child = gst_element_factory_make (factory, name);

  if (child)
    gst_bin_add (GST_BIN (self), child);
  else if (!self->missing)
    self->missing = factory;
  return child;
}

static void
make_children (GstRtpAdaptSink *self)
{
  self->funnel = make_child (self, "funnel", "funnel");
  self->send = make_child (self, "rtpadaptsend", "send");
  self->rtpbin = make_child (self, "rtpbin", "rtpbin");
  self->rtpsink = make_child (self, "rtpadaptudpsink", "rtpsink");
  self->rtcpsink = make_child (self, "rtpadaptudpsink", "rtcpsink");
  self->rtcpsrc = make_child (self, "rtpadaptudpsrc", "rtcpsrc");
  if (self->missing)
    return;
  /* The stream is at its end when RTP is, whatever RTCP does. */
  GST_OBJECT_FLAG_UNSET (self->rtcpsink, (guint) GST_ELEMENT_FLAG_SINK);
  gst_element_link_many (self->funnel, self->send, NULL);
  gst_element_link_pads (self->send, "src", self->rtpbin, "send_rtp_sink_0");
  self->rtp_out = gst_element_get_static_pad (self->rtpbin, "send_rtp_src_0");
  self->rtcp_out
      = gst_element_request_pad_simple (self->rtpbin, "send_rtcp_src_0");
  self->rtcp_in
      = gst_element_request_pad_simple (self->rtpbin, "recv_rtcp_sink_0");
}

static void
sink_dispose (GObject *object)
{
  GstRtpAdaptSink *self = GST_RTP_ADAPT_SINK (object);

  /* While the funnel is there. */
  while (self->streams.list->len > 0) {
    SinkStream *stream = self->streams.list->pdata[0];

    gst_element_release_request_pad (GST_ELEMENT (self), stream->ghost);
  }
  if (self->send)
    g_signal_handlers_disconnect_by_data (self->send, self);
  gst_clear_object (&self->rtp_out);
  gst_clear_object (&self->rtcp_out);
  gst_clear_object (&self->rtcp_in);
  self->send = NULL; /* the bin drops its children */
  G_OBJECT_CLASS (parent_class)->dispose (object);
}

static void
sink_finalize (GObject *object)
{
  GstRtpAdaptSink *self = GST_RTP_ADAPT_SINK (object);

  sink_streams_clear (&self->streams);
  props_clear (&self->cfg, sink_props);
  g_clear_error (&self->uri_problem);
  sink_peer_close (&self->who);
  g_clear_object (&self->to);
  g_clear_object (&self->before);
  gst_clear_structure (&self->taken);
  g_mutex_clear (&self->lock);
  secure_free (self->secure);
  G_OBJECT_CLASS (parent_class)->finalize (object);
}

static void
gst_rtp_adapt_sink_class_init (GstRtpAdaptSinkClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GstElementClass *element_class = GST_ELEMENT_CLASS (klass);

  GST_DEBUG_CATEGORY_INIT (
      rtpadaptsink_debug, "rtpadaptsink", 0, "adaptive RTP sender");
  object_class->set_property = sink_set_property;
  object_class->get_property = sink_get_property;
  object_class->dispose = sink_dispose;
  object_class->finalize = sink_finalize;
  element_class->change_state = sink_change_state;
  element_class->query = sink_query;
  element_class->request_new_pad = sink_request_pad;
  element_class->release_pad = sink_release_pad;
  GST_BIN_CLASS (klass)->handle_message = sink_handle_message;
  sink_props_install (object_class);

  /**
   * GstRtpAdaptSink::restart:
   * @self: the element
   *
   * As #GstRtpAdaptSend::restart.
   */
  g_signal_new_class_handler ("restart", G_TYPE_FROM_CLASS (klass),
      G_SIGNAL_RUN_LAST | G_SIGNAL_ACTION, G_CALLBACK (sink_restart), NULL,
      NULL, NULL, G_TYPE_NONE, 0);

  gst_element_class_add_static_pad_template (element_class, &sink_template);
  gst_element_class_set_static_metadata (element_class,
      "Adaptive RTP sender bin", "Sink/Network/RTP",
      "Sends RTP at the bitrate that a wireless path bears, with FEC, colours "
      "and SRTP",
      "The gst-rtpadapt authors");
}

static void
gst_rtp_adapt_sink_init (GstRtpAdaptSink *self)
{
  GstBin *bin = GST_BIN (self);

  gst_bin_set_suppressed_flags (
      bin, GST_ELEMENT_FLAG_SOURCE | GST_ELEMENT_FLAG_SINK);
  GST_OBJECT_FLAG_SET (self, GST_ELEMENT_FLAG_SINK);
  props_init (&self->cfg, sink_props, self);
  self->secure = secure_new (bin, TRUE);
  g_mutex_init (&self->lock);
  make_children (self);
  if (self->rtpbin)
    g_signal_connect (
        self->rtpbin, "request-pt-map", G_CALLBACK (pt_map), self);
  sink_streams_init (&self->streams);
  sink_wire_init (self);
  props_begin (self);
}
