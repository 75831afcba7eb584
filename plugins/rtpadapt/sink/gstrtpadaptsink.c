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
 * ready-made passes as it is.  Video gets an rtpulpfecenc (payload type 122)
 * whose level follows the losses to the radio, and with
 * #GstRtpAdaptSink:retransmission an rtprtxsend (payload type 121, for the
 * payload type that the first video stream has).
 *
 * Retransmission is for paths with a round trip well below the receiver's
 * latency.  Of 200 ms it takes some 40 to find out that a packet is missing: a
 * round trip of up to 70 ms leaves time for two tries, up to 150 ms for one.
 * FEC then falls to what is still needed, mostly nothing.  Longer paths want FEC
 * alone, or more latency.  A packet is repeated once per round trip at most, before all that
 * waits, and within the bitrate; none that was dropped or still waits here, nor
 * one that came by the receiver's own feedback, nor more than one for two others.
 * The sender's statistics count repeat-requests and, of these, repeat-refused.
 *
 * A receiver that does not know payload type 122 has to be sent
 * `fec=none`: rtpjitterbuffer waits for what it cannot read.
 *
 * RTP and RTCP share a port unless #GstRtpAdaptSink:rtcp-mux is off, and what
 * comes back is read from the socket that sends.  Colours are on
 * (`colour=content`): where no router knows the DSCP they do no harm.
 * #GstRtpAdaptSink:ecn needs `feedback=ccfb` on both sides; where the path or the
 * receiver does not bear it, a warning says so, packets leave as not-ECT, and the
 * sender's statistics tell why: `ecn-state`, `ecn-fault`, `ecn-failed`.  RTCP is
 * never ECT.
 *
 * With #GstRtpAdaptSink:key or #GstRtpAdaptSink:key-file all of it is encrypted
 * (SRTP), and only what was made with that key is heard.  With
 * #GstRtpAdaptSink:dtls the key is agreed upon with the peer; it is the right
 * peer only if its #GstRtpAdaptSink:fingerprint is given.  The handshake is begun
 * again each second until a receiver answers, and beside the connection when
 * nothing has come back for 1.5 s, so a receiver may be late, or be replaced.
 * The wrong certificate is told by a warning.  Without either, RTCP is heard only
 * from the host that is sent to, with #GstRtpAdaptSink:rtcp-mux from one port of it
 * until that is silent for 3 s, and from all receivers of a multicast group.
 *
 * An outage does not end the stream: when the receiver is heard again, sending
 * begins again.  #GstRtpAdaptSend tells how its circuit breakers open and close.
 * Where no answer has come for 3 s, a warning says what to look at.  Several of
 * these elements may stand behind one encoder: the smallest bitrate holds.
 *
 * The properties of rtpadaptsend, and those of rtpadaptudpsink that matter, are
 * properties here, too.  The children have fixed names: send, rtpbin, rtpsink,
 * rtcpsink, rtcpsrc, funnel, and fec_0, rtx_0 behind sink_0 and so on.
 *
 * |[
 * gst-launch-1.0 videotestsrc is-live=true num-buffers=60 ! \
 *     x264enc tune=zerolatency ! rtph264pay ! \
 *     rtpadaptsink uri="rtpadapt://127.0.0.1:5004?max-bitrate=2000000"
 * ]|
 */
#include "sinkpriv.h"

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

static GstStateChangeReturn
sink_change_state (GstElement *element, GstStateChange transition)
{
  GstRtpAdaptSink *self = GST_RTP_ADAPT_SINK (element);
  gboolean opening = transition == GST_STATE_CHANGE_NULL_TO_READY;
  GstStateChangeReturn ret = GST_STATE_CHANGE_FAILURE;

  if (!opening || sink_open (self))
    ret = GST_ELEMENT_CLASS (parent_class)->change_state (element, transition);
  /* A handshake begins before there are packets. */
  if (transition == GST_STATE_CHANGE_PAUSED_TO_PLAYING
      && secure_wants_dtls (self->secure))
    sink_hints_start (self);
  if (transition == GST_STATE_CHANGE_PAUSED_TO_READY)
    sink_hints_stop (self);
  if (!self->missing
      && (transition == GST_STATE_CHANGE_READY_TO_NULL
          || (opening && ret == GST_STATE_CHANGE_FAILURE)))
    sink_wire_close (self);
  /* What is live in here, RTCP coming in, does not concern the pipeline. */
  if (ret == GST_STATE_CHANGE_NO_PREROLL)
    ret = GST_STATE_CHANGE_SUCCESS;
  return ret;
}

static void
sink_restart (GstRtpAdaptSink *self)
{
  if (self->send)
    g_signal_emit_by_name (self->send, "restart");
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
  while (self->streams->len > 0) {
    SinkStream *stream = self->streams->pdata[0];

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

  g_ptr_array_unref (self->streams);
  props_clear (&self->cfg, sink_props);
  g_clear_error (&self->uri_problem);
  sink_peer_finalize (self);
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
  element_class->request_new_pad = sink_request_pad;
  element_class->release_pad = sink_release_pad;
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
  make_children (self);
  sink_streams_init (self);
  sink_peer_init (self);
  sink_props_init (self);
}
