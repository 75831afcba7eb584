/* rtpadaptsend: paces RTP, estimates the bitrate, drives the encoder.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/**
 * SECTION:element-rtpadaptsend
 * @title: rtpadaptsend
 *
 * Last element before rtpsession.  It paces what it gets at the rate that a
 * rate controller (#GstRtpAdaptSend:controller) allows, distinguishes losses to
 * the radio from losses to congestion (#GstRtpAdaptSend:lda) and sets the
 * bitrate of the video encoder it finds upstream.  Losses to the radio raise
 * the percentage of an rtpadaptfecenc or rtpulpfecenc that it finds there
 * (#GstRtpAdaptSend:fec).
 *
 * Three kinds of #GstRtpAdaptSend:feedback, all with `rtp-profile=avpf` on both
 * sides and a `bandwidth` of the receiver's session of at least 36,000 times the
 * frame rate, or its feedback stalls:
 *
 * - `twcc`: transport-wide congestion control, as any rtpbin or WebRTC receiver
 *   sends it.  The caps on both sides need
 *   `extmap-N=http://www.ietf.org/id/draft-holmer-rmcat-transport-wide-cc-extensions-01`.
 * - `tfrc`: the receiver runs the LDA, in rtpadaptrecv; it sends TFRC-FB of
 *   draft-ietf-avt-tfrc-profile-10 and our APP packet RADP.  The caps need
 *   `extmap-N=urn:ietf:params:rtp-hdrext:rtt-sendts`, and should have that of
 *   twcc, too, so that what was dropped here is not taken for lost.
 * - `ccfb`: RFC 8888, which needs no extension.
 *
 * Extensions that the caps announce, also
 * `extmap-N=urn:x-rtpadapt:rtp-hdrext:colour`, are written as a packet leaves,
 * and added where it lacks them.  RTCP is heard from the rtpsession downstream.
 * Where the caps, their `rtcp-fb-*` fields or the session do not go with what
 * was asked for, a warning says what to add, and twcc or receiver reports alone
 * serve instead: `feedback-mode` in the statistics.  Where the receiver sends
 * another kind than the one that is set here, a warning says so, and what comes
 * serves.
 *
 * Several streams may come through an rtpfunnel, up to 32 SSRCs; the payloaders
 * upstream of it show which is which.  They share one rate:
 *
 * - Audio (`media=audio`) is not adapted.  Its packets leave before video that
 *   waits, and its measured rate comes off what the others may take.
 * - So does the rate of a video stream whose payloader has none of the encoders
 *   behind it that are driven.
 * - What is left is shared equally among the encoders found upstream, or those
 *   named by #GstRtpAdaptSend:encoder; one that feeds two payloaders counts
 *   twice, as what it makes leaves twice.  Encoders that are not known here need
 *   #GstRtpAdaptSend:encoder-property and #GstRtpAdaptSend:encoder-unit.
 *   `encoder=none` leaves all of them alone.
 * - Where several rtpadaptsend have the same encoder, the smallest of their
 *   bitrates holds, and a message says so.  An element does not count if nobody
 *   answered it for 3 s, or if its circuit breaker is open.
 * - Every FEC encoder upstream gets the same percentage.  Without one the
 *   statistics have what it would be (fec-percentage, fec-made).
 *
 * Packets of one SSRC keep their order.  Stream-start, caps and segment reach
 * downstream before the packets that they came before, once more if others were
 * sent meanwhile; nothing passes an event of another kind.
 *
 * With #GstRtpAdaptSend:colour each packet gets a drop precedence, which
 * rtpadaptudpsink sends as DSCP: `content` reads H.264, H.265, VP8 and VP9, so
 * that key frames are dropped last.  FEC and retransmissions are never green.
 * The LDA `wled` needs colours.
 *
 * With #GstRtpAdaptSend:ecn and `feedback=ccfb` routers may mark packets where they
 * would drop them, if rtpadaptudpsink sends them.  One packet in ten tries the path
 * first, then all leave as ECT, and one in 500, at random, as CE already, to see
 * whether the receiver says so; rtpadaptrecv's statistics count these, too, the
 * rate control does not.  Other marks count as losses to congestion.  Where the
 * bits come changed, nothing comes unmarked for 3 s, or ECT alone is lost, all is
 * sent as not-ECT from then on, and tried again after a minute, later each time
 * (RFC 6679 7.4).  The statistics have `ecn-state` (off, testing, capable, failed),
 * `ecn-fault` (none, bleached, remarked, ce-hidden, all-ce, dropped), `ecn-failed`
 * (times), `ecn-sent` and `ecn-ce` (packets sent as ECT, and marked).  The other
 * kinds of feedback do not say how each packet came: with them it is off.
 *
 * A key frame is spread like any other frame, at the rate.
 *
 * What the encoder makes beyond the rate waits here, up to
 * #GstRtpAdaptSend:max-backlog.  A frame that begins beyond it is dropped as a
 * whole; its RTP sequence numbers are not used again, so that the receiver sees
 * the gap and conceals, and a key frame is asked for, once a second at most.
 * The rate control does not take it for a loss, because it knows what was sent,
 * and transport-wide numbers count only that.  A frame that began is cut beyond
 * four times the limit.  It never blocks its source: one that is not live needs
 * a clocksync in front of the encoder.
 *
 * It adds nothing to the pipeline's latency: a sink that waited for
 * max-backlog would delay every packet as much as the worst one, and undo the
 * pacing.  Sinks behind it should have `sync=false`.
 *
 * Element messages: application/x-rtpadaptsend-stats each
 * #GstRtpAdaptSend:stats-interval, and with #GstRtpAdaptSend:loss-messages one
 * rtpadapt-loss for each lost packet, with the time it was sent (clock time,
 * ns), ssrc, seqnum, verdict (the LDA's, also where a circuit breaker no longer
 * believes it) and truth ("congestion", "wireless" or "none").
 *
 * Whatever the LDA says, the rate stays below #GstRtpAdaptSend:friendliness-cap
 * times a TCP's, or 2 times where the round trip shows that a queue stands.  What
 * a TCP would get is worked out without the losses that are shown to be the
 * radio's: those at an empty queue that do not follow our own rate, up to 10 %.
 * To look for them the rate falls by a quarter, but not below 2 times a TCP's, for
 * 1.2 s in each 10 s in which the bound holds it.  A cap of 2 or less counts every
 * loss.  In the statistics `radio-loss` is the share of all packets whose loss is
 * shown to be the radio's, 0 to 0.1; it is 0 while the rate is far from the bound.
 * `competes` is TRUE while the controller `delay` takes the queue for that of
 * other flows and sends as a TCP would, so that the delay is long.
 *
 * The #GstRtpAdaptSend:circuit-breakers of RFC 8083 watch the path.  One that
 * trips on loss or delay posts an element message rtpadapt-breaker (breaker,
 * state "fallback"): every loss counts as congestion from then on, and the rate
 * falls to a tenth.  If that does not help, or if nothing comes back at all,
 * the state is "open": packets are dropped until there is information that the
 * path is back (RFC 8083 4.5).  RTCP goes on in both directions.  As long as
 * RTCP comes from the receiver, two packets per second leave as probes.  A
 * breaker that opened because nothing came back closes when a probe arrives, or
 * when a report block names a sender report of the last 15 s.  The controller
 * then begins at
 * #GstRtpAdaptSend:start-bitrate, or at its last rate if that is less.  A breaker
 * that tripped twice on loss or delay waits for 10 s, and up to 160 s if it trips
 * again.  Then the reports on 20 probes have to show that the cause is gone, and
 * sending begins at a tenth of the rate.  #GstRtpAdaptSend::restart begins at once.
 * Each time the message comes again, and a key frame is asked for.
 *
 * The cap and the breakers go below #GstRtpAdaptSend:min-bitrate.  Receiver reports
 * alone show that the path is alive and what is lost, but steer no controller: the
 * rate falls to min-bitrate.  A breaker opens if not even they come for 15 s.
 *
 * A receiver that denies losses has any rate.  With
 * #GstRtpAdaptSend:skip-interval one RTP number in so many is left out between
 * two video frames, by the payloaders upstream: who says that it came (`ccfb`;
 * also a packet of a frame that was dropped here) or counts more than was sent
 * (`tfrc`) gets min-bitrate, or a packet in a second, for 15 s, twice as long
 * each time up to 16 minutes, and a warning is posted the first time.  The
 * statistics have `skipped`, `lies` and `liar`.  Nothing is left out with `twcc`,
 * nor with `tfrc` where the receiver counts by transport-wide numbers, which are
 * rtpsession's, or gets packets without send time; and who denies only the losses
 * within frames, or with `tfrc` leaves the counts out, is not found.
 *
 * Nobody is tried by default: to an honest receiver a number left out is a packet
 * lost.  Its jitterbuffer waits for it, so that the picture behind is shown at
 * the last moment or too late, and `rtph264depay request-keyframe=true` asks for
 * a key frame each time (tests/bench/skips.csv).  One in 1,000 serves where the
 * receiver is not one's own.
 *
 * ## Example
 *
 * |[
 * gst-launch-1.0 -m rtpbin name=s rtp-profile=avpf \
 *     rtpbin name=r rtp-profile=avpf \
 *     rtpsession0::bandwidth=4000000 rtpsession1::bandwidth=4000000 \
 *     videotestsrc is-live=true num-buffers=240 pattern=ball ! \
 *     video/x-raw,width=640,height=360,framerate=30/1 ! \
 *     x264enc tune=zerolatency speed-preset=ultrafast vbv-buf-capacity=120 ! \
 *     rtph264pay mtu=1200 ! \
 *     "application/x-rtp,extmap-5=http://www.ietf.org/id/draft-holmer-rmcat-transport-wide-cc-extensions-01" ! \
 *     rtpadaptsend max-bitrate=2000000 ! s.send_rtp_sink_0 \
 *     s.send_rtp_src_0 ! rtpadaptlink seed=1 \
 *     link="bottleneck rate=1M queue=100ms ! delay 20ms ! bernoulli p=.02" ! \
 *     r.recv_rtp_sink_0 \
 *     r.send_rtcp_src_0 ! \
 *     udpsink host=127.0.0.1 port=15007 sync=false async=false \
 *     udpsrc address=127.0.0.1 port=15007 reuse=false ! s.recv_rtcp_sink_0 \
 *     r. ! rtph264depay ! fakesink
 * ]|
 * A sender and a receiver in one process, with a lossy path between them; only
 * the reports come back through a UDP port of this machine.
 *
 * |[
 * gst-launch-1.0 rtpfunnel name=f ! \
 *     rtpadaptsend max-bitrate=600000 colour=content ! fakesink \
 *     videotestsrc is-live=true num-buffers=60 ! \
 *     video/x-raw,width=320,height=180,framerate=30/1 ! \
 *     x264enc tune=zerolatency speed-preset=ultrafast vbv-buf-capacity=200 ! \
 *     rtph264pay mtu=1200 ! f. \
 *     audiotestsrc is-live=true num-buffers=90 ! opusenc bitrate=64000 ! \
 *     rtpopuspay ! f.
 * ]|
 * Video and audio in one session: the encoder gets what audio leaves of the rate.
 */
#include "sendpriv.h"

/* Packets per second while nobody answers, however low the rate is. */
#define SEND_FLOOR 2
/* Only for LDAs that draw lots about a known truth: repeatable. */
#define SEND_SEED 1

GST_DEBUG_CATEGORY (gst_rtp_adapt_send_debug);
#define GST_CAT_DEFAULT gst_rtp_adapt_send_debug

G_DEFINE_TYPE_WITH_CODE (GstRtpAdaptSend, gst_rtp_adapt_send, GST_TYPE_ELEMENT,
    GST_DEBUG_CATEGORY_INIT (gst_rtp_adapt_send_debug, "rtpadaptsend", 0,
        "RTP pacing and rate adaptation"))
GST_ELEMENT_REGISTER_DEFINE (
    rtpadaptsend, "rtpadaptsend", GST_RANK_NONE, GST_TYPE_RTP_ADAPT_SEND)

static GstStaticPadTemplate sink_template = GST_STATIC_PAD_TEMPLATE ("sink",
    GST_PAD_SINK, GST_PAD_ALWAYS, GST_STATIC_CAPS ("application/x-rtp"));
static GstStaticPadTemplate src_template = GST_STATIC_PAD_TEMPLATE (
    "src", GST_PAD_SRC, GST_PAD_ALWAYS, GST_STATIC_CAPS ("application/x-rtp"));

/* --- properties --------------------------------------------------------------- */

/* Where algorithms are put to use; there must be a sender.  The lock is held. */
static SendRules
send_rules (GstRtpAdaptSend *self)
{
  return (SendRules){
    .sender = self->sender, .way = &self->way, .now = send_now (self)
  };
}

/* Brings what changed to the parts that run.  The warning to be posted without the
 * lock, or NULL; the lock is held, so that the parts never differ from what the
 * properties say. */
static gchar *
follow (GstRtpAdaptSend *self, guint then)
{
  const SendConfig *cfg = &self->cfg;

  if (then & THEN_ENCODERS)
    encoders_on_config (&self->encoders, (then & THEN_DRIVE) != 0);
  if (then & THEN_SKIPS)
    self->skippers.stale = TRUE;
  if (then & THEN_STATS)
    send_stats_restart (self);
  if (!self->sender)
    return NULL;
  if (then & THEN_LIMITS) {
    RaRateConfig limits = send_limits (cfg);

    ra_sender_set_limits (self->sender, &limits);
  }
  if (then & THEN_SAFETY)
    ra_sender_set_safety (
        self->sender, cfg->friendliness_cap, cfg->circuit_breakers);
  send_apply (self, then);
  if (then & THEN_LIMITS)
    return send_limits_check (cfg);
  return then & THEN_PAIR ? send_pair_check (self) : NULL;
}

static void
send_set_property (
    GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  GstRtpAdaptSend *self = GST_RTP_ADAPT_SEND (object);
  const PropRow *row = &send_props[id - 1];
  g_autofree gchar *warning = NULL;
  SendRules rules = { NULL };
  guint then;

  /* estimated-bitrate, as applications set rtpgccbwe's. */
  if (row->size == 0)
    row = props_row (send_props, "start-bitrate");
  g_mutex_lock (&self->lock);
  if (self->sender)
    rules = send_rules (self);
  then = props_set (
      &self->cfg, row, value, self->sender ? &rules : NULL, &warning);
  if (!warning)
    warning = follow (self, then);
  g_mutex_unlock (&self->lock);
  if (warning)
    GST_ELEMENT_WARNING (self, LIBRARY, SETTINGS, ("%s", warning), (NULL));
}

/* A property that the config does not hold; the lock is held. */
static void
reading_get (GstRtpAdaptSend *self, const gchar *name, GValue *value)
{
  if (g_str_equal (name, "estimated-bitrate"))
    g_value_set_uint (value, (guint) MIN (send_rate (self), G_MAXUINT));
  else if (g_str_equal (name, "encoder-bitrate"))
    g_value_set_uint (
        value, (guint) MIN (encoders_bitrate (&self->encoders), G_MAXUINT));
  else
    g_value_take_boxed (value, send_stats (self));
}

static void
send_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  GstRtpAdaptSend *self = GST_RTP_ADAPT_SEND (object);
  const PropRow *row = &send_props[id - 1];

  if (row->size > 0) {
    props_get (self, &self->lock, &self->cfg, row, value);
    return;
  }
  g_mutex_lock (&self->lock);
  reading_get (self, row->name, value);
  g_mutex_unlock (&self->lock);
}

/* --- states ------------------------------------------------------------------- */

/* Before PLAYING the element has no clock, but a sink that prerolls wants a
 * packet: the system clock serves till then. */
static gboolean
send_set_clock (GstElement *element, GstClock *clock)
{
  GstRtpAdaptSend *self = GST_RTP_ADAPT_SEND (element);

  g_mutex_lock (&self->lock);
  if (our_clock_set (&self->clock, clock))
    send_wake (self);
  g_mutex_unlock (&self->lock);
  return GST_ELEMENT_CLASS (gst_rtp_adapt_send_parent_class)
      ->set_clock (element, clock);
}

/* The lock is held.  Bad parameters are replaced by the defaults, and
 * `warnings` says so. */
static void
sender_create (GstRtpAdaptSend *self, GPtrArray *warnings)
{
  SendConfig *cfg = &self->cfg;
  RaTime now = send_now (self);
  RaSenderConfig config = {
    .controller = ra_rates[cfg->controller],
    .controller_params = cfg->controller_params,
    .lda = ra_ldas[cfg->lda],
    .lda_params = cfg->lda_params,
    .rate = send_limits (cfg),
    .burst = (RaSpan) cfg->burst,
    .friendliness_cap = cfg->friendliness_cap,
    .breakers = cfg->circuit_breakers,
    .floor = SEND_FLOOR,
    .seed = SEND_SEED,
  };
  g_autoptr (GError) error = NULL;
  gchar *limits = send_limits_check (cfg);

  if (limits)
    g_ptr_array_add (warnings, limits);
  self->sender = ra_sender_new (&config, now, &error);
  if (!self->sender) {
    g_ptr_array_add (warnings,
        g_strdup_printf ("default parameters are used: %s", error->message));
    g_free (cfg->controller_params);
    g_free (cfg->lda_params);
    cfg->controller_params = g_strdup ("");
    cfg->lda_params = g_strdup ("");
    config.controller_params = config.lda_params = NULL;
    self->sender = ra_sender_new (&config, now, NULL);
  }
}

/* Another algorithm's start; the lock is held. */
static void
rule_start (GstRtpAdaptSend *self, const gchar *name, GPtrArray *warnings)
{
  SendRules rules = send_rules (self);
  gchar *warning
      = props_start (&self->cfg, props_row (send_props, name), &rules);

  if (warning)
    g_ptr_array_add (warnings, warning);
}

/* The lock is held. */
static void
rules_start (GstRtpAdaptSend *self, GPtrArray *warnings)
{
  gchar *warning = send_pair_check (self);

  rule_start (self, "fec", warnings);
  ra_sender_set_fec_made (self->sender, FALSE); /* so far */
  rule_start (self, "colour", warnings);
  if (warning)
    g_ptr_array_add (warnings, warning);
}

static void
send_start (GstRtpAdaptSend *self)
{
  g_autoptr (GPtrArray) warnings = g_ptr_array_new_with_free_func (g_free);
  GstClock *clock = gst_element_get_clock (GST_ELEMENT (self));

  g_mutex_lock (&self->lock);
  our_clock_start (&self->clock, clock);
  pace_start (&self->pace);
  way_start (&self->way);
  mode_start (&self->mode, ra_feedback_at (self->cfg.feedback));
  self->tap.stale = TRUE;
  herald_start (&self->herald);
  send_upstream_changed (self);
  fecencs_start (&self->fecencs);
  encoders_start (&self->encoders);
  herald_is_news (
      &self->herald, SEND_NEWS_RATE, G_MAXUINT64); /* so 0 is, too */
  outage_start (&self->outage, send_now (self));
  self->rtx = (RtxGate){ 0 };
  key_gate_clear (&self->keys);
  sender_create (self, warnings);
  send_ear_start (&self->ear, self->sender, send_now (self));
  rules_start (self, warnings);
  send_stats_restart (self);
  send_tell (self);
  g_mutex_unlock (&self->lock);
  for (guint i = 0; i < warnings->len; i++)
    GST_ELEMENT_WARNING (self, LIBRARY, SETTINGS,
        ("%s", (const gchar *) g_ptr_array_index (warnings, i)), (NULL));
}

static void
send_stop (GstRtpAdaptSend *self)
{
  GPtrArray *fecencs, *skippers;
  TapLink link;

  g_mutex_lock (&self->lock);
  fecencs = fecencs_stop (&self->fecencs);
  skippers = skippers_stop (&self->skippers);
  link = tap_drop (&self->tap);
  send_ear_stop (&self->ear);
  g_clear_pointer (&self->sender, ra_sender_free);
  skip_level_set (self->encoders.level, 0, RA_SPAN_NONE);
  pace_stop (&self->pace);
  our_clock_stop (&self->clock);
  way_stop (&self->way);
  key_gate_clear (&self->keys);
  encoders_stop (&self->encoders);
  herald_clear (&self->herald);
  g_mutex_unlock (&self->lock);
  g_clear_pointer (&fecencs, g_ptr_array_unref);
  g_clear_pointer (&skippers, g_ptr_array_unref);
  tap_link_cut (&link);
}

static GstStateChangeReturn
send_change_state (GstElement *element, GstStateChange transition)
{
  GstRtpAdaptSend *self = GST_RTP_ADAPT_SEND (element);
  GstStateChangeReturn ret;

  if (transition == GST_STATE_CHANGE_READY_TO_PAUSED)
    send_start (self);
  ret = GST_ELEMENT_CLASS (gst_rtp_adapt_send_parent_class)
            ->change_state (element, transition);
  if (transition == GST_STATE_CHANGE_PAUSED_TO_READY
      || (transition == GST_STATE_CHANGE_READY_TO_PAUSED
          && ret == GST_STATE_CHANGE_FAILURE))
    send_stop (self);
  return ret;
}

/* Without a breaker that tripped or a receiver that lied, a restart would only forget
 * the losses that hold the rate down. */
static void
send_restart (GstRtpAdaptSend *self)
{
  RaSenderStats stats = { .breaker = RA_BREAKER_CLOSED };

  g_mutex_lock (&self->lock);
  if (self->sender)
    ra_sender_get_stats (self->sender, &stats);
  if (stats.breaker != RA_BREAKER_CLOSED || stats.liar) {
    ra_sender_restart (self->sender);
    send_wake (self);
    send_tell (self);
  }
  g_mutex_unlock (&self->lock);
}

static void
gst_rtp_adapt_send_finalize (GObject *object)
{
  GstRtpAdaptSend *self = GST_RTP_ADAPT_SEND (object);

  props_clear (&self->cfg, send_props);
  encoders_clear (&self->encoders);
  tap_clear (&self->tap);
  pace_clear (&self->pace);
  g_mutex_clear (&self->lock);
  G_OBJECT_CLASS (gst_rtp_adapt_send_parent_class)->finalize (object);
}

static void
gst_rtp_adapt_send_class_init (GstRtpAdaptSendClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GstElementClass *element_class = GST_ELEMENT_CLASS (klass);

  object_class->finalize = gst_rtp_adapt_send_finalize;
  object_class->set_property = send_set_property;
  object_class->get_property = send_get_property;
  props_install (object_class, 1, send_props);

  /**
   * GstRtpAdaptSend::restart:
   * @self: the element
   *
   * Sends again, or at the full rate again, after a circuit breaker tripped
   * or a receiver was found to lie; else it does nothing.  A breaker closes by
   * itself when the path is back (RFC 8083 4.5); this does not wait for that.
   */
  g_signal_new_class_handler ("restart", G_TYPE_FROM_CLASS (klass),
      G_SIGNAL_RUN_LAST | G_SIGNAL_ACTION, G_CALLBACK (send_restart), NULL,
      NULL, NULL, G_TYPE_NONE, 0);

  element_class->change_state = send_change_state;
  element_class->set_clock = send_set_clock;
  gst_element_class_add_static_pad_template (element_class, &sink_template);
  gst_element_class_add_static_pad_template (element_class, &src_template);
  gst_element_class_set_static_metadata (element_class, "RTP adaptive sender",
      "Network/RTP/Filter",
      "Paces RTP and adapts the encoder's bitrate to the path, telling "
      "wireless losses from congestion",
      "The gst-rtpadapt authors");
}

static void
gst_rtp_adapt_send_init (GstRtpAdaptSend *self)
{
  g_mutex_init (&self->lock);
  pace_init (&self->pace);
  encoders_init (&self->encoders);
  tap_init (&self->tap);
  herald_init (&self->herald);
  props_init (&self->cfg, send_props, self);
  send_pads_init (self);
}
