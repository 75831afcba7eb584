/* The gate of rtpadaptsrc: lets in the RTP and RTCP of its peer, each by its
 * own pad.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * rtpbin makes a stream of every SSRC and an error of every payload type that
 * it does not know, so all that is not the peer's ends here.
 */
#include "srcgatepriv.h"

#include "parts/extmap.h"
#include "parts/session.h"
#include "parts/systime.h"

#include <string.h>

GST_DEBUG_CATEGORY (src_gate_debug);
#define GST_CAT_DEFAULT src_gate_debug

#define src_gate_parent_class parent_class
G_DEFINE_TYPE (SrcGate, src_gate, GST_TYPE_ELEMENT)

static GstStaticPadTemplate templates[] = {
  GST_STATIC_PAD_TEMPLATE (
      "rtp_sink", GST_PAD_SINK, GST_PAD_ALWAYS, GST_STATIC_CAPS_ANY),
  GST_STATIC_PAD_TEMPLATE (
      "rtcp_sink", GST_PAD_SINK, GST_PAD_ALWAYS, GST_STATIC_CAPS_ANY),
  GST_STATIC_PAD_TEMPLATE ("rtp_src", GST_PAD_SRC, GST_PAD_ALWAYS,
      GST_STATIC_CAPS ("application/x-rtp")),
  GST_STATIC_PAD_TEMPLATE ("rtcp_src", GST_PAD_SRC, GST_PAD_ALWAYS,
      GST_STATIC_CAPS ("application/x-rtcp")),
};

/* --- what goes out ------------------------------------------------------ */

/* Stream-start, caps and segment, of which those on the sink are another's. */
static void
way_start (SrcGate *self, Way *way, GstPad *sink)
{
  gboolean rtp = way == &self->rtp;
  g_autofree gchar *from = gst_pad_get_stream_id (sink);
  g_autofree gchar *id
      = g_strconcat (from ? from : "", rtp ? "/rtp" : "/rtcp", NULL);
  GstCaps *caps = rtp ? gst_caps_ref (self->rtp_caps)
                      : gst_caps_new_empty_simple ("application/x-rtcp");
  GstEvent *segment = gst_pad_get_sticky_event (sink, GST_EVENT_SEGMENT, 0);
  GstSegment otherwise;

  way->started = TRUE;
  if (!segment) {
    gst_segment_init (&otherwise, GST_FORMAT_TIME);
    segment = gst_event_new_segment (&otherwise);
  }
  gst_pad_push_event (way->pad, gst_event_new_stream_start (id));
  gst_pad_push_event (way->pad, gst_event_new_caps (caps));
  gst_pad_push_event (way->pad, segment);
  gst_caps_unref (caps);
}

static GstFlowReturn
way_push (SrcGate *self, Way *way, GstPad *sink, GstBuffer *buffer)
{
  GstFlowReturn flow;

  if (!way->started)
    way_start (self, way, sink);
  flow = gst_pad_push (way->pad, buffer);
  /* One stream that nobody wants, or that is at its end, is not the end of
   * the others. */
  return flow == GST_FLOW_NOT_LINKED || flow == GST_FLOW_EOS ? GST_FLOW_OK
                                                             : flow;
}

/* --- what comes in ------------------------------------------------------ */

/* Takes the buffer.  It may be held back or dropped; a buffer that was held back
 * may go on before it. */
static GstFlowReturn
rtp_push (
    SrcGate *self, GstPad *sink, GstBuffer *buffer, const RtpMuxHead *head)
{
  GstFlowReturn flow = GST_FLOW_OK;
  GstBuffer *out[SRC_ORDER_MAX];
  guint n;

  buffer = src_gate_forget_sender (self, head, buffer);
  g_mutex_lock (&self->lock);
  n = src_order_take (self->order, buffer, head,
      peer_is_proven (self->peer, head->ssrc), system_now (), out);
  self->count.rtp += n;
  self->count.fec += pt_is_fec (head->pt) ? n : 0;
  self->count.rtx += pt_is_rtx (head->pt) ? n : 0;
  g_mutex_unlock (&self->lock);
  for (guint i = 0; i < n; i++) {
    if (self->funcs.heard)
      self->funcs.heard (self->funcs.data, head->ssrc, head->pt);
    if (flow == GST_FLOW_OK)
      flow = way_push (self, &self->rtp, sink, out[i]);
    else
      gst_buffer_unref (out[i]);
  }
  return flow;
}

static GstFlowReturn
gate_chain (GstPad *pad, GstObject *parent, GstBuffer *buffer)
{
  SrcGate *self = SRC_GATE (parent);
  RtpMuxHead head;
  Way *way = src_gate_judge (self, pad, buffer, &head);

  if (!way) {
    GST_LOG_OBJECT (self, "not let in: %" GST_PTR_FORMAT, buffer);
    gst_buffer_unref (buffer);
    return GST_FLOW_OK;
  }
  if (way == &self->rtp)
    return rtp_push (self, pad, buffer, &head);
  return way_push (self, way, pad, session_forget_sender (buffer));
}

static gboolean
way_event (SrcGate *self, Way *way, GstPad *sink, GstEvent *event)
{
  switch (GST_EVENT_TYPE (event)) {
    case GST_EVENT_FLUSH_START:
      break;
    case GST_EVENT_FLUSH_STOP:
      way->started = FALSE;
      break;
    default:
      if (!way->started)
        way_start (self, way, sink);
  }
  return gst_pad_push_event (way->pad, event);
}

static gboolean
gate_sink_event (GstPad *pad, GstObject *parent, GstEvent *event)
{
  SrcGate *self = SRC_GATE (parent);

  switch (GST_EVENT_TYPE (event)) {
    case GST_EVENT_STREAM_START:
    case GST_EVENT_CAPS:
    case GST_EVENT_SEGMENT:
      /* Each way has its own; the segment is taken from the pad. */
      gst_event_unref (event);
      return TRUE;
    default:
      break;
  }
  if (pad == self->sinks[1])
    return way_event (self, &self->rtcp, pad, event);
  if (self->mux && !gst_pad_is_linked (self->sinks[1]))
    way_event (self, &self->rtcp, pad, gst_event_ref (event));
  return way_event (self, &self->rtp, pad, event);
}

/* Upstream there are only sockets, which want neither. */
static gboolean
gate_src_event (GstPad *pad, GstObject *parent, GstEvent *event)
{
  SrcGate *self = SRC_GATE (parent);

  return gst_pad_push_event (
      self->sinks[pad == self->rtcp.pad && !self->mux], event);
}

static gboolean
gate_src_query (GstPad *pad, GstObject *parent, GstQuery *query)
{
  SrcGate *self = SRC_GATE (parent);

  if (GST_QUERY_TYPE (query) == GST_QUERY_CAPS
      || GST_QUERY_TYPE (query) == GST_QUERY_ACCEPT_CAPS)
    return gst_pad_query_default (pad, parent, query);
  return gst_pad_peer_query (
      self->sinks[pad == self->rtcp.pad && !self->mux], query);
}

/* --- from outside ------------------------------------------------------- */

void
src_gate_set_funcs (SrcGate *self, const SrcGateFuncs *funcs)
{
  self->funcs = *funcs;
}

void
src_gate_open (SrcGate *self, const PeerConfig *cfg, gboolean mux,
    const SrcPayloadKind *kinds, GstCaps *rtp_caps)
{
  gst_caps_replace (&self->rtp_caps, rtp_caps);
  self->mux = mux;
  memcpy (self->kinds, kinds, sizeof self->kinds);
  g_mutex_lock (&self->lock);
  peer_free (self->peer);
  self->peer = peer_new (cfg);
  sources_free (self->sources);
  self->sources = sources_new ();
  src_order_free (self->order);
  self->order = src_order_new (
      extmap_id (gst_caps_get_structure (rtp_caps, 0), EXTMAP_TWCC_URI));
  answers_free (self->answers);
  self->answers = answers_new ();
  self->authentic = cfg->authentic;
  self->count = (SrcGateStats){ 0 };
  self->own_known = FALSE;
  self->keyless = !cfg->authentic;
  self->encrypted = (Encrypted){ 0 };
  self->twin = (SrcTwin){ 0 };
  memset (self->strange, 0, sizeof self->strange);
  memset (self->heard, 0, sizeof self->heard);
  g_mutex_unlock (&self->lock);
}

void
src_gate_note_own (SrcGate *self, GstBuffer *rtcp)
{
  GstMapInfo map;
  RtcpScan scan;

  if (!gst_buffer_map (rtcp, &map, GST_MAP_READ))
    return;
  rtcp_scan (map.data, map.size, &scan);
  g_mutex_lock (&self->lock);
  if (map.size >= 8 && !scan.bye) {
    self->own = scan.sender;
    self->own_known = TRUE;
  }
  g_mutex_unlock (&self->lock);
  gst_buffer_unmap (rtcp, &map);
}

/* A generic NACK: the jitter buffer asks again. */
static gboolean
is_request (const guint8 *packet)
{
  return packet[1] == 205 && (packet[0] & 31) == 1; /* RFC 4585 6.2.1 */
}

/* TRUE if the compound has more than reports, descriptions and requests, because the
 * sender waits for feedback. */
static gboolean
is_feedback (GstBuffer *rtcp)
{
  GstMapInfo map;
  gboolean feedback = FALSE;

  if (!gst_buffer_map (rtcp, &map, GST_MAP_READ))
    return FALSE;
  for (gsize at = 0; !feedback && map.size - at >= 4;) {
    gsize length = 4u + 4u * GST_READ_UINT16_BE (map.data + at + 2);

    feedback = map.data[at + 1] > 202 /* RFC 3550 12.1: SR, RR, SDES */
        && !is_request (map.data + at);
    at += MIN (length, map.size - at);
  }
  gst_buffer_unmap (rtcp, &map);
  return feedback;
}

GstBuffer *
src_gate_leave (SrcGate *self, GstBuffer *rtcp)
{
  g_mutex_lock (&self->lock);
  if (self->order)
    rtcp = src_order_leave (self->order, rtcp);
  if (rtcp
      && !answers_may_leave (self->answers, peer_rtcp_address (self->peer),
          gst_buffer_get_size (rtcp), is_feedback (rtcp), system_now ()))
    gst_clear_buffer (&rtcp);
  g_mutex_unlock (&self->lock);
  return rtcp;
}

GSocketAddress *
src_gate_answer_to (SrcGate *self)
{
  GSocketAddress *address = NULL;

  g_mutex_lock (&self->lock);
  if (self->peer)
    address = peer_rtcp_address (self->peer);
  if (address)
    g_object_ref (address);
  g_mutex_unlock (&self->lock);
  return address;
}

RaSpan
src_gate_silence (SrcGate *self, guint32 ssrc, gint pt)
{
  RaTime heard = RA_TIME_NONE;

  g_mutex_lock (&self->lock);
  if (self->peer)
    heard = peer_last_heard (self->peer, ssrc);
  if (heard != RA_TIME_NONE && pt >= 0)
    heard = MIN (heard, src_gate_heard (self, ssrc, (guint) pt)->at);
  g_mutex_unlock (&self->lock);
  return heard == RA_TIME_NONE ? RA_SPAN_NONE : ra_diff (system_now (), heard);
}

gboolean
src_gate_is_quiet (SrcGate *self)
{
  RaTime heard = RA_TIME_NONE;

  g_mutex_lock (&self->lock);
  if (self->peer)
    heard = peer_rtp_heard (self->peer);
  g_mutex_unlock (&self->lock);
  return heard != RA_TIME_NONE
      && ra_diff (system_now (), heard) >= PEER_RESTART;
}

void
src_gate_get_stats (SrcGate *self, SrcGateStats *stats)
{
  g_mutex_lock (&self->lock);
  *stats = self->count;
  if (self->peer) {
    peer_get_stats (self->peer, &stats->peer);
    stats->peer.flood += sources_dropped (self->sources);
    stats->answers_dropped = answers_dropped (self->answers);
    src_order_get_stats (self->order, &stats->order);
  }
  g_mutex_unlock (&self->lock);
}

/* --- the element -------------------------------------------------------- */

static GstStateChangeReturn
gate_change_state (GstElement *element, GstStateChange transition)
{
  SrcGate *self = SRC_GATE (element);
  GstStateChangeReturn ret
      = GST_ELEMENT_CLASS (parent_class)->change_state (element, transition);

  if (transition == GST_STATE_CHANGE_PAUSED_TO_READY)
    self->rtp.started = self->rtcp.started = FALSE;
  return ret;
}

static void
gate_finalize (GObject *object)
{
  SrcGate *self = SRC_GATE (object);

  peer_free (self->peer);
  sources_free (self->sources);
  src_order_free (self->order);
  answers_free (self->answers);
  gst_clear_caps (&self->rtp_caps);
  g_mutex_clear (&self->lock);
  G_OBJECT_CLASS (parent_class)->finalize (object);
}

static void
src_gate_class_init (SrcGateClass *klass)
{
  GstElementClass *element_class = GST_ELEMENT_CLASS (klass);

  GST_DEBUG_CATEGORY_INIT (
      src_gate_debug, "rtpadaptgate", 0, "what rtpadaptsrc lets in");
  G_OBJECT_CLASS (klass)->finalize = gate_finalize;
  element_class->change_state = gate_change_state;
  for (guint i = 0; i < G_N_ELEMENTS (templates); i++)
    gst_element_class_add_static_pad_template (element_class, &templates[i]);
  gst_element_class_set_static_metadata (element_class, "Gate of rtpadaptsrc",
      "Filter/Network/RTP", "Lets in the RTP and RTCP of one peer",
      "The gst-rtpadapt authors");
}

static GstPad *
add_pad (SrcGate *self, GstStaticPadTemplate *template)
{
  GstPad *pad
      = gst_pad_new_from_static_template (template, template->name_template);

  if (template->direction == GST_PAD_SINK) {
    gst_pad_set_chain_function (pad, gate_chain);
    gst_pad_set_event_function (pad, gate_sink_event);
  } else {
    gst_pad_set_event_function (pad, gate_src_event);
    gst_pad_set_query_function (pad, gate_src_query);
  }
  gst_element_add_pad (GST_ELEMENT (self), pad);
  return pad;
}

static void
src_gate_init (SrcGate *self)
{
  g_mutex_init (&self->lock);
  self->sinks[0] = add_pad (self, &templates[0]);
  self->sinks[1] = add_pad (self, &templates[1]);
  self->rtp.pad = add_pad (self, &templates[2]);
  self->rtcp.pad = add_pad (self, &templates[3]);
}

SrcGate *
src_gate_new (void)
{
  return g_object_new (SRC_TYPE_GATE, "name", "gate", NULL);
}
