/* rtpadaptrecv: watches RTP arrive and reports to the sender.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/**
 * SECTION:element-rtpadaptrecv
 * @title: rtpadaptrecv
 * @short_description: watches RTP arrive and reports to the sender
 *
 * Between the source of RTP packets, or srtpdec, and rtpbin.recv_rtp_sink_N.
 * Packets pass untouched.  It measures what arrives (#GstRtpAdaptRecv:stats)
 * and has the rtpsession it finds downstream send
 * #GstRtpAdaptRecv:feedback about it:
 *
 * - twcc: rtpsession does it, where the caps have
 *   `extmap-N=http://www.ietf.org/id/draft-holmer-rmcat-transport-wide-cc-extensions-01`;
 *   this element only measures.  As rtpsession waits for the end of a frame, a
 *   frame that takes longer than 50 ms has it answer meanwhile, and a packet
 *   behind a gap at once (`twcc-feedback-interval`, unless that is set).
 * - tfrc: TFRC-FB of draft-ietf-avt-tfrc-profile-10 and the RTCP APP packet
 *   RADP, once per round trip and at once after a new loss event.  Losses are
 *   judged here (#GstRtpAdaptRecv:lda).  The caps need
 *   `extmap-N=urn:ietf:params:rtp-hdrext:rtt-sendts`; without it there is a
 *   warning, and it is as with twcc.
 * - ccfb: RFC 8888, each #GstRtpAdaptRecv:feedback-interval.
 *
 * With tfrc and ccfb it takes the transport-wide number out of the caps it
 * passes on, so that rtpsession does not answer as well.
 *
 * A sender that is set to another feedback may leave out the header extension
 * that the one set here needs.  Then a warning says so after 2 s, and ccfb is
 * sent, which needs no header extension.  The APP packet RADP, subtype 1,
 * informs the sender of what is set here.  rtpadaptsend uses the feedback that
 * comes, and warns, too.
 *
 * When feedback goes is decided by rtpsession, by the rules of RFC 4585: set
 * `rtp-profile=avpf` and a `bandwidth`, of which RTCP has 5 %: a report of 200
 * bytes each 50 ms needs 1.3 Mbit/s.  A warning says when it is too little.
 * Nothing else of the session is changed; reduced-size RTCP (RFC 5506), which
 * halves that and has to be negotiated, works when the application turns
 * `rtcp-reduced-size` of the internal session on.
 *
 * The time of arrival is the DTS, as rtpadaptudpsrc and, best with
 * `socket-timestamp=realtime`, udpsrc give it.
 *
 * Element messages: application/x-rtpadaptrecv-stats each
 * #GstRtpAdaptRecv:stats-interval; rtpadapt-dscp when the colours' DSCP turns
 * out to be bleached or remarked on the way (dscp, a string); with
 * #GstRtpAdaptRecv:loss-messages one rtpadapt-loss for each lost packet, with
 * the time it should have come (clock time, ns), its number (transport-wide if
 * packets have one, else RTP's, without wraps) and the verdict ("congestion" or
 * "wireless"), which means something with `feedback=tfrc` only.
 *
 * ## Example
 *
 * |[
 * gst-launch-1.0 -m rtpbin name=s rtp-profile=avpf \
 *     rtpbin name=r rtp-profile=avpf \
 *     rtpsession0::bandwidth=4000000 rtpsession1::bandwidth=4000000 \
 *     videotestsrc is-live=true num-buffers=120 pattern=ball ! \
 *     video/x-raw,width=640,height=360,framerate=30/1 ! \
 *     x264enc tune=zerolatency speed-preset=ultrafast vbv-buf-capacity=120 ! \
 *     video/x-h264,profile=high ! rtph264pay mtu=1200 ! \
 *     "application/x-rtp,extmap-1=http://www.ietf.org/id/draft-holmer-rmcat-transport-wide-cc-extensions-01,extmap-2=urn:ietf:params:rtp-hdrext:rtt-sendts" ! \
 *     rtpadaptsend feedback=tfrc max-bitrate=2000000 ! s.send_rtp_sink_0 \
 *     s.send_rtp_src_0 ! rtpadaptlink seed=1 \
 *     link="bottleneck rate=1M queue=100ms ! delay 20ms ! bernoulli p=.02" ! \
 *     rtpadaptrecv feedback=tfrc ! r.recv_rtp_sink_0 \
 *     r.send_rtcp_src_0 ! \
 *     udpsink host=127.0.0.1 port=15023 sync=false async=false \
 *     udpsrc address=127.0.0.1 port=15023 reuse=false ! s.recv_rtcp_sink_0 \
 *     r. ! rtph264depay ! fakesink
 * ]|
 * A sender and a receiver in one process, with a lossy path between them; only
 * the reports come back through a UDP port of this machine.
 */
#include "parts/extmap.h"
#include "parts/tosmeta.h"
#include "recvpriv.h"

#include <gst/rtpadapt/defaults.h>
#include <gst/rtpadapt/lda.h>
#include <gst/rtpadapt/score/score.h>

#define STATS_INTERVAL GST_SECOND /* the default */

/* A DTS is when the packet arrived, unless it is older than any buffer of the
 * kernel's, or in the future. */
#define ARRIVAL_MAX (10 * RA_SECOND)
/* What the sender's time stamps say: t_i is in us. */
#define GRAIN RA_USECOND
/* Packets after which what became of the DSCP is looked at. */
#define DSCP_EVERY 32

GST_DEBUG_CATEGORY (gst_rtp_adapt_recv_debug);
#define GST_CAT_DEFAULT gst_rtp_adapt_recv_debug

G_DEFINE_TYPE_WITH_CODE (GstRtpAdaptRecv, gst_rtp_adapt_recv, GST_TYPE_ELEMENT,
    GST_DEBUG_CATEGORY_INIT (
        gst_rtp_adapt_recv_debug, "rtpadaptrecv", 0, "RTP feedback"))
GST_ELEMENT_REGISTER_DEFINE (
    rtpadaptrecv, "rtpadaptrecv", GST_RANK_NONE, GST_TYPE_RTP_ADAPT_RECV)

static GstStaticPadTemplate sink_template = GST_STATIC_PAD_TEMPLATE ("sink",
    GST_PAD_SINK, GST_PAD_ALWAYS, GST_STATIC_CAPS ("application/x-rtp"));
static GstStaticPadTemplate src_template = GST_STATIC_PAD_TEMPLATE (
    "src", GST_PAD_SRC, GST_PAD_ALWAYS, GST_STATIC_CAPS ("application/x-rtp"));

/* --- the kind of reports (lock held) ------------------------------------ */

/* The reports that the settings, the caps and the packets so far ask for. */
static const RaFeedbackOps *
reports_choose (GstRtpAdaptRecv *self)
{
  const gchar *lack = recv_kind_lack (self->cfg.feedback, &self->ids);

  if (lack)
    recv_warn (self, RECV_WARNED_NO_SEND_TS, GST_RESOURCE_ERROR_SETTINGS, lack,
        "the sender writes that header extension on each packet");
  return recv_kind_choose (&self->seen, self->cfg.feedback, &self->ids);
}

/* Another reporter, if one runs and it is not for these `reports`. */
static void
reports_change (GstRtpAdaptRecv *self, const RaFeedbackOps *reports)
{
  if (!self->reporter || reports == self->reports)
    return;
  recv_reporter_create (self, reports);
  self->report.due = FALSE;
}

/* The reports may be others from then on. */
static void
kind_take (GstRtpAdaptRecv *self, RecvKindNews news)
{
  const RaFeedbackOps *reports;

  if (news & RECV_KIND_JUDGED) {
    g_autofree gchar *text
        = recv_kind_difference (&self->seen, self->cfg.feedback, &self->ids);

    if (text)
      recv_warn (self, RECV_WARNED_KIND, GST_RESOURCE_ERROR_SETTINGS, text,
          "the receiver sends the feedback that the packets allow");
  }
  if (!(news & RECV_KIND_CHANGED))
    return;
  reports = reports_choose (self);
  if (reports == self->reports)
    return;
  GST_INFO_OBJECT (self, "the packets ask for other reports");
  reports_change (self, reports);
  self->tap.stale = TRUE;
  self->session_again = 0;
}

/* --- packets ------------------------------------------------------------ */

/* None in a segment of bytes, as an appsrc may have. */
static GstClockTime
running_time (const GstRtpAdaptRecv *self, GstClockTime time)
{
  return self->segment.format == GST_FORMAT_TIME
      ? gst_segment_to_running_time (&self->segment, GST_FORMAT_TIME, time)
      : GST_CLOCK_TIME_NONE;
}

/* In our time; the lock is held. */
static RaTime
arrival_time (GstRtpAdaptRecv *self, GstBuffer *buffer, RaTime now)
{
  GstClockTime running = running_time (self, GST_BUFFER_DTS (buffer));
  RaTime t;

  if (!GST_CLOCK_TIME_IS_VALID (running))
    return now;
  t = our_time (
      &self->clock, running + gst_element_get_base_time (GST_ELEMENT (self)));
  return t > now || now - t > ARRIVAL_MAX ? now : t;
}

/* FALSE: with a feedback interval rtpsession 1.22 would search for its end for
 * ever. */
static gboolean
is_timely (GstRtpAdaptRecv *self, GstBuffer *buffer)
{
  return !GST_BUFFER_PTS_IS_VALID (buffer)
      || GST_CLOCK_TIME_IS_VALID (running_time (self, GST_BUFFER_PTS (buffer)));
}

/* The lock is held.  TRUE if a report is due. */
static gboolean
packet_report (GstRtpAdaptRecv *self, GstBuffer *buffer, RecvPacket *p)
{
  RaTime now = our_now (&self->clock);
  gboolean at_once;

  p->wire.arrival = arrival_time (self, buffer, now);
  p->wire.grain = GRAIN;
  p->wire.tos = rtp_adapt_buffer_get_tos (buffer);
  report_on_packet (&self->report);
  if (p->wire.number >= 0
      && ra_disorder_on_packet (
          &self->disorder, (guint16) p->wire.number, p->wire.arrival))
    self->takes_again = 0;
  kind_take (self,
      recv_kind_on_packet (
          &self->seen, p->wire.number >= 0, p->wire.send_ts != NULL, now));
  frame_on_packet (&self->frame,
      !recv_kind_is_ours (self->reports) && self->ids.number > 0,
      is_timely (self, buffer), p->marker,
      ra_disorder_get (&self->disorder, now) == 0 ? p->wire.number : -1, now);
  at_once = ra_reporter_on_packet (self->reporter, &p->wire);
  recv_losses_post (self);
  if (++self->n_packets >= DSCP_EVERY) {
    self->n_packets = 0;
    recv_dscp_post (self);
  }
  return at_once && recv_report_due (self, now);
}

/* The lock is held.  TRUE if a report is due. */
static gboolean
buffer_watch (GstRtpAdaptRecv *self, GstBuffer *buffer)
{
  RecvPacket packet;

  if (!self->reporter)
    return FALSE;
  switch (recv_packet_parse (&packet, buffer, &self->ids)) {
    case RECV_RTP:
      return packet_report (self, buffer, &packet);
    case RECV_RTCP:
      self->count.rtcp++;
      return FALSE;
    default:
      self->count.not_rtp++;
      return FALSE;
  }
}

static gboolean
list_watch (GstBuffer **buffer, guint i, gpointer data)
{
  GstRtpAdaptRecv *self = GST_RTP_ADAPT_RECV (((gpointer *) data)[0]);
  gboolean *due = ((gpointer *) data)[1];
  RaSpan before = i > 0 ? self->frame.wanted : RA_SPAN_NONE;
  RaSpan *wanted = &self->frame.wanted;

  *due |= buffer_watch (self, *buffer);
  /* The session takes the list at once. */
  if (before != RA_SPAN_NONE)
    *wanted = *wanted != RA_SPAN_NONE ? MIN (before, *wanted) : before;
  return TRUE;
}

/* Before the packets go on, which may take as long as it likes. */
static void
report_ask (GstRtpAdaptRecv *self, gboolean due)
{
  recv_session_find (self);
  recv_session_hurry (self);
  if (due)
    recv_session_ask (self);
}

static GstFlowReturn
recv_chain (GstPad *pad, GstObject *parent, GstBuffer *buffer)
{
  GstRtpAdaptRecv *self = GST_RTP_ADAPT_RECV (parent);
  gboolean due;

  g_mutex_lock (&self->lock);
  due = buffer_watch (self, buffer);
  recv_timer_set (self);
  g_mutex_unlock (&self->lock);
  report_ask (self, due);
  return gst_pad_push (self->srcpad, buffer);
}

static GstFlowReturn
recv_chain_list (GstPad *pad, GstObject *parent, GstBufferList *list)
{
  GstRtpAdaptRecv *self = GST_RTP_ADAPT_RECV (parent);
  gboolean due = FALSE;
  gpointer data[] = { self, &due };

  g_mutex_lock (&self->lock);
  gst_buffer_list_foreach (list, list_watch, data);
  recv_timer_set (self);
  g_mutex_unlock (&self->lock);
  report_ask (self, due);
  return gst_pad_push_list (self->srcpad, list);
}

/* --- caps --------------------------------------------------------------- */

/* Takes `event`, and gives what goes on. */
static GstEvent *
caps_take (GstRtpAdaptRecv *self, GstEvent *event)
{
  GstCaps *caps, *fewer;
  GstEvent *other;
  const RaFeedbackOps *reports;
  RecvIds ids;

  gst_event_parse_caps (event, &caps);
  ids = recv_ids_parse (gst_caps_get_structure (caps, 0));
  g_mutex_lock (&self->lock);
  recv_kind_on_caps (&self->seen, &self->ids, &ids);
  self->ids = ids;
  reports = reports_choose (self);
  reports_change (self, reports);
  self->tap.stale = TRUE;
  GST_INFO_OBJECT (
      self, "feedback %s", recv_kind_nick (self->reports, &self->ids));
  g_mutex_unlock (&self->lock);
  if (!recv_kind_is_ours (reports))
    return event;

  /* Or rtpsession would answer, too. */
  fewer = extmap_remove (caps, EXTMAP_TWCC_URI);
  other = gst_event_new_caps (fewer);
  gst_event_set_seqnum (other, gst_event_get_seqnum (event));
  gst_caps_unref (fewer);
  gst_event_unref (event);
  return other;
}

/* --- events ------------------------------------------------------------- */

static void
eos_set (GstRtpAdaptRecv *self, gboolean eos)
{
  g_mutex_lock (&self->lock);
  self->eos = eos;
  if (eos)
    recv_timer_stop (self);
  else
    recv_timer_set (self);
  g_mutex_unlock (&self->lock);
}

static gboolean
recv_sink_event (GstPad *pad, GstObject *parent, GstEvent *event)
{
  GstRtpAdaptRecv *self = GST_RTP_ADAPT_RECV (parent);

  switch (GST_EVENT_TYPE (event)) {
    case GST_EVENT_CAPS:
      event = caps_take (self, event);
      break;
    case GST_EVENT_SEGMENT:
      gst_event_copy_segment (event, &self->segment);
      break;
    case GST_EVENT_FLUSH_STOP:
      gst_segment_init (&self->segment, GST_FORMAT_TIME);
      eos_set (self, FALSE);
      break;
    case GST_EVENT_STREAM_START:
      eos_set (self, FALSE);
      break;
    case GST_EVENT_EOS:
      eos_set (self, TRUE);
      break;
    default:
      break;
  }
  return gst_pad_event_default (pad, parent, event);
}

static gboolean
recv_src_event (GstPad *pad, GstObject *parent, GstEvent *event)
{
  GstRtpAdaptRecv *self = GST_RTP_ADAPT_RECV (parent);

  /* What is downstream may be another now. */
  if (GST_EVENT_TYPE (event) == GST_EVENT_RECONFIGURE) {
    g_mutex_lock (&self->lock);
    self->tap.stale = TRUE;
    g_mutex_unlock (&self->lock);
  }
  return gst_pad_event_default (pad, parent, event);
}

/* --- properties ---------------------------------------------------------- */

/* What follows when a property changed. */
enum
{
  THEN_STATS = 1 << 0, /* the next ones are an interval from now */
  THEN_TAKES = 1 << 1, /* the next RTCP packet says it */
};

static gboolean
lda_use (gpointer owner, const PropPair *pair, gint lda, const gchar *params,
    GError **error)
{
  GstRtpAdaptRecv *self = owner;

  recv_lda_check (self, ra_ldas[lda]);
  return ra_reporter_set_lda (self->reporter, ra_ldas[lda], params, error);
}

PROP_PAIR (RecvConfig, lda, gst_rtp_adapt_lda_get_type, lda_use);

static void
get_stats (gpointer owner, const PropRow *row, GValue *value)
{
  g_value_take_boxed (value, recv_stats (owner));
}

const PropRow recv_props[] = {
  { "feedback", "Feedback",
      "What is reported to the sender; with twcc rtpsession does it, and "
      "this element only measures",
      PROP_READY,
      PROP_ENUM (
          RecvConfig, feedback, gst_rtp_adapt_feedback_get_type, "twcc") },
  { "feedback-interval", "Feedback interval",
      "Between two reports of feedback=ccfb (@)", PROP_READY,
      PROP_UINT64 (
          RecvConfig, interval, GST_MSECOND, GST_SECOND, RA_REPORTER_INTERVAL),
      .unit = "ns" },
  { "tfrc-fmt", "TFRC FMT",
      "RTCP feedback message type of TFRC-FB: the draft's figure says 2, "
      "its IANA section 5",
      PROP_PLAYING, PROP_UINT (RecvConfig, tfrc_fmt, 0, 31, RA_TFRC_FB_FMT) },
  { "lda", "Loss differentiation",
      "Which losses are congestion, with feedback=tfrc; else the sender's judges. "
      "While running, a new one begins with default lda-params",
      PROP_PLAYING,
      PROP_ENUM (RecvConfig, lda, gst_rtp_adapt_lda_get_type, RA_DEFAULT_LDA),
      .pair = &lda_pair },
  { "lda-params", "Loss differentiation parameters",
      "The LDA's parameters, \"name=value,name=value\"", PROP_PLAYING,
      PROP_TEXT (RecvConfig, lda_params, ""), .pair = &lda_pair },
  { "late", "Late",
      "A packet that much later than the fastest one counts as delayed, and in "
      "delayed-packet-ratio one that much after the one before (@)",
      PROP_READY,
      PROP_UINT64 (
          RecvConfig, late, GST_MSECOND, 60 * GST_SECOND, RA_DELAYED_THRESHOLD),
      .unit = "ns" },
  { "latency", "Latency",
      "Time that the jitterbuffer behind holds packets, which the sender hears "
      "(@, 0: it does not)",
      PROP_PLAYING, PROP_UINT64 (RecvConfig, latency, 0, RA_RADP_HOLD_MAX, 0),
      .unit = "ns" },
  { "max-latency", "Highest latency",
      "The most that latency may become, which the sender hears, too (@, 0: "
      "it stays what it is)",
      PROP_PLAYING,
      PROP_UINT64 (RecvConfig, max_latency, 0, RA_RADP_HOLD_MAX, 0),
      .unit = "ns" },
  { "min-latency", "Lowest latency",
      "The least that latency comes down to where packets come early, which the sender "
      "hears (@, more than latency: it stays what it is)",
      PROP_PLAYING,
      PROP_UINT64 (
          RecvConfig, min_latency, 0, RA_RADP_HOLD_MAX, RA_RADP_HOLD_MAX),
      .unit = "ns" },
  { "stats", "Statistics",
      "Structure application/x-rtpadaptrecv-stats: docs/statistics.md has each field",
      PROP_READ, PROP_STATS, .get_locked = get_stats },
  { "stats-interval", "Statistics interval",
      "Between element messages with the statistics (@, 0 = none)",
      PROP_PLAYING,
      PROP_UINT64 (RecvConfig, stats_interval, 0,
          GST_RTP_ADAPT_STATS_INTERVAL_MAX, STATS_INTERVAL),
      .unit = "ns", .then = THEN_STATS },
  { "loss-messages", "Loss messages",
      "An element message rtpadapt-loss for each lost packet", PROP_PLAYING,
      PROP_BOOLEAN (RecvConfig, loss_messages, FALSE) },
  { "takes-retransmission", "Takes retransmission",
      "The sender hears that packets are used that it sends again",
      PROP_PLAYING, PROP_BOOLEAN (RecvConfig, takes_rtx, FALSE),
      .then = THEN_TAKES },
  { "takes-fec", "Takes FEC", "The sender hears that FEC is used", PROP_PLAYING,
      PROP_BOOLEAN (RecvConfig, takes_fec, FALSE), .then = THEN_TAKES },
  { "takes-rs", "Takes Reed-Solomon",
      "The sender hears that its Reed-Solomon code is used", PROP_PLAYING,
      PROP_BOOLEAN (RecvConfig, takes_rs, FALSE), .then = THEN_TAKES },
  { NULL },
};

static void
recv_set_property (
    GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  GstRtpAdaptRecv *self = GST_RTP_ADAPT_RECV (object);
  g_autofree gchar *warning = NULL;
  guint then;

  g_mutex_lock (&self->lock);
  then = props_set (&self->cfg, &recv_props[id - 1], value,
      self->reporter ? self : NULL, &warning);
  if (then & THEN_STATS)
    recv_stats_restart (self);
  if (then & THEN_TAKES)
    self->takes_again = 0;
  g_mutex_unlock (&self->lock);
  if (warning)
    GST_ELEMENT_WARNING (self, LIBRARY, SETTINGS, ("%s", warning), (NULL));
}

static void
recv_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  GstRtpAdaptRecv *self = GST_RTP_ADAPT_RECV (object);

  props_get (self, &self->lock, &self->cfg, &recv_props[id - 1], value);
}

/* --- states -------------------------------------------------------------- */

/* Packets may come before PLAYING brings a clock: the system clock serves till
 * then. */
static gboolean
recv_set_clock (GstElement *element, GstClock *clock)
{
  GstRtpAdaptRecv *self = GST_RTP_ADAPT_RECV (element);

  g_mutex_lock (&self->lock);
  if (our_clock_set (&self->clock, clock)) {
    recv_timer_stop (self);
    recv_timer_set (self);
  }
  g_mutex_unlock (&self->lock);
  return GST_ELEMENT_CLASS (gst_rtp_adapt_recv_parent_class)
      ->set_clock (element, clock);
}

void
rtp_adapt_recv_say_takes (GstRtpAdaptRecv *self)
{
  self->says_takes = TRUE;
}

static void
recv_start (GstRtpAdaptRecv *self)
{
  GstClock *clock = gst_element_get_clock (GST_ELEMENT (self));

  g_mutex_lock (&self->lock);
  our_clock_start (&self->clock, clock);
  self->ids = (RecvIds){ 0 };
  self->eos = FALSE;
  self->n_packets = 0;
  self->report = (ReportTimer){ 0 };
  self->hold = (RecvHold){ 0 };
  frame_start (&self->frame);
  herald_start (&self->herald);
  self->count = (RecvCounters){ 0 };
  self->tap.stale = TRUE;
  self->session_again = 0;
  self->seen = (RecvKindSeen){ 0 };
  ra_disorder_init (&self->disorder);
  self->takes_again = 0;
  self->takes_said = FALSE;
  /* The caps say whether it has to report. */
  recv_reporter_create (
      self, recv_kind_choose (&self->seen, self->cfg.feedback, &self->ids));
  recv_stats_restart (self);
  g_mutex_unlock (&self->lock);
  gst_segment_init (&self->segment, GST_FORMAT_TIME);
}

static void
recv_stop (GstRtpAdaptRecv *self)
{
  recv_session_forget (self);
  g_mutex_lock (&self->lock);
  recv_timer_stop (self);
  g_clear_pointer (&self->reporter, ra_reporter_free);
  our_clock_stop (&self->clock);
  herald_clear (&self->herald);
  g_mutex_unlock (&self->lock);
}

static GstStateChangeReturn
recv_change_state (GstElement *element, GstStateChange transition)
{
  GstRtpAdaptRecv *self = GST_RTP_ADAPT_RECV (element);
  GstStateChangeReturn ret;

  if (transition == GST_STATE_CHANGE_READY_TO_PAUSED)
    recv_start (self);
  ret = GST_ELEMENT_CLASS (gst_rtp_adapt_recv_parent_class)
            ->change_state (element, transition);
  if (transition == GST_STATE_CHANGE_PAUSED_TO_READY
      || (transition == GST_STATE_CHANGE_READY_TO_PAUSED
          && ret == GST_STATE_CHANGE_FAILURE))
    recv_stop (self);
  return ret;
}

static void
gst_rtp_adapt_recv_finalize (GObject *object)
{
  GstRtpAdaptRecv *self = GST_RTP_ADAPT_RECV (object);

  props_clear (&self->cfg, recv_props);
  herald_clear (&self->herald);
  tap_clear (&self->tap);
  g_mutex_clear (&self->lock);
  G_OBJECT_CLASS (gst_rtp_adapt_recv_parent_class)->finalize (object);
}

static void
gst_rtp_adapt_recv_class_init (GstRtpAdaptRecvClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GstElementClass *element_class = GST_ELEMENT_CLASS (klass);

  object_class->finalize = gst_rtp_adapt_recv_finalize;
  object_class->set_property = recv_set_property;
  object_class->get_property = recv_get_property;
  props_install (object_class, 1, recv_props);

  element_class->change_state = recv_change_state;
  element_class->set_clock = recv_set_clock;
  gst_element_class_add_static_pad_template (element_class, &sink_template);
  gst_element_class_add_static_pad_template (element_class, &src_template);
  gst_element_class_set_static_metadata (element_class, "RTP adaptive receiver",
      "Network/RTP/Filter",
      "Watches RTP arrive, distinguishes wireless losses from congestion and reports "
      "to the sender",
      "The gst-rtpadapt authors");
}

static void
pads_init (GstRtpAdaptRecv *self)
{
  GstElementClass *klass = GST_ELEMENT_GET_CLASS (self);

  self->sinkpad = gst_pad_new_from_template (
      gst_element_class_get_pad_template (klass, "sink"), "sink");
  gst_pad_set_chain_function (self->sinkpad, recv_chain);
  gst_pad_set_chain_list_function (self->sinkpad, recv_chain_list);
  gst_pad_set_event_function (self->sinkpad, recv_sink_event);
  GST_PAD_SET_PROXY_CAPS (self->sinkpad);
  GST_PAD_SET_PROXY_ALLOCATION (self->sinkpad);
  gst_element_add_pad (GST_ELEMENT (self), self->sinkpad);

  self->srcpad = gst_pad_new_from_template (
      gst_element_class_get_pad_template (klass, "src"), "src");
  gst_pad_set_event_function (self->srcpad, recv_src_event);
  GST_PAD_SET_PROXY_CAPS (self->srcpad);
  gst_element_add_pad (GST_ELEMENT (self), self->srcpad);
}

static void
gst_rtp_adapt_recv_init (GstRtpAdaptRecv *self)
{
  g_mutex_init (&self->lock);
  tap_init (&self->tap);
  herald_init (&self->herald);
  props_init (&self->cfg, recv_props, self);
  pads_init (self);
}
