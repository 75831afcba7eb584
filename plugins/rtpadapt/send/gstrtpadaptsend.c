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
 * - Where several rtpadaptsend have the same FEC encoder, it gets the highest
 *   percentage, the shortest span and a code that all receivers know, and each
 *   element counts these packets in its rate.  An element that nobody answers
 *   does not count here, either.
 *
 * Packets of one SSRC keep their order.  Stream-start, caps and segment reach
 * downstream before the packets that they came before, once more if others were
 * sent meanwhile.  Audio passes the event of a key frame (GstForceKeyUnit), tags and
 * gaps; no packet but a retransmission passes an event of another kind.
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
 * the gap and conceals, and a key frame of that stream is asked for, once a second
 * at most.  The rate control does not take it for a loss, because it knows what was
 * sent, and transport-wide numbers count only that.  A frame that began is cut beyond
 * four times the limit.  No packet blocks its source: one that is not live needs
 * a clocksync in front of the encoder.  A serialized query, as DRAIN, waits until all
 * that came before it has left: behind a sink that is paused until that plays, as in any
 * queue, or until the pad goes.
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
 * times a TCP's.  Where the round trip shows that a queue stands, that is 2 times, or
 * what four CUBICs would have at the same loss events, if that is more and the
 * controller answers them.  What a TCP would get is worked out without the losses that
 * are shown to be the radio's: those at an empty queue that do not follow our own rate,
 * up to 30 %.  To look for them the rate falls by a quarter, but not below 2 times a
 * TCP's, for 1.2 s in each 10 s in which the bound holds it or 15 to 20 % are lost.  A
 * cap of 2 or less counts every loss.  In the statistics `radio-loss` is the share of
 * all packets whose loss is shown to be the radio's, 0 to 0.3; nobody looks for it while
 * the rate is far from the bound and less than 12 % are lost.
 * `competes` is TRUE while the controller `delay` takes the queue for that of
 * other flows and sends as a TCP would, so that the delay is long.
 *
 * The #GstRtpAdaptSend:circuit-breakers of RFC 8083 watch the path.  One that
 * trips on loss or delay posts an element message rtpadapt-breaker (breaker,
 * state "fallback"): every loss counts as congestion, and the rate falls to a
 * tenth and rises from there, until a minute has passed without cause, or up to
 * 16 min if that happens often.  If that does not help, or if nothing comes back at
 * all, the state is "open": packets are dropped until there is information that the
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
 * A receiver that denies losses can get any rate up to max-bitrate.  With
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
 *     video/x-raw,format=I420,width=640,height=360,framerate=30/1 ! \
 *     x264enc tune=zerolatency speed-preset=ultrafast vbv-buf-capacity=120 ! \
 *     video/x-h264,profile=high ! rtph264pay mtu=1200 ! \
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
 *     video/x-raw,format=I420,width=320,height=180,framerate=30/1 ! \
 *     x264enc tune=zerolatency speed-preset=ultrafast vbv-buf-capacity=200 ! \
 *     video/x-h264,profile=high ! rtph264pay mtu=1200 ! f. \
 *     audiotestsrc is-live=true num-buffers=90 ! opusenc bitrate=64000 ! \
 *     rtpopuspay ! f.
 * ]|
 * Video and audio in one session: the encoder gets what audio leaves of the rate.
 */
#include "batch.h"
#include "frameskip.h"
#include "parts/rtpoffer.h"
#include "sendpriv.h"
#include "sendwarnings.h"
#include "twcc.h"

#include <gst/video/video.h>

/* Frames with the RTP timestamp of the one before until a warning; the slices of a frame
 * may have a marker each. */
#define ALIKE_MAX 30
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

static void
task_stop (GstRtpAdaptSend *self)
{
  g_mutex_lock (&self->lock);
  pace_end (&self->pace);
  g_mutex_unlock (&self->lock);
}

/* The time that packets may wait before the encoders skip frames; RA_SPAN_NONE: they never
 * do. */
static RaSpan
skip_above (const GstRtpAdaptSend *self)
{
  const SendConfig *cfg = &self->cfg;
  RaSpan slack = ra_repair_slack (ra_sender_repair (self->sender));
  RaSpan most = (RaSpan) MIN (cfg->frame_skip, cfg->max_backlog);

  if (cfg->frame_skip == 0)
    return RA_SPAN_NONE;
  return slack == RA_SPAN_NONE ? most : MIN (slack, most);
}

/* Says how much waits, by which the encoders skip frames.  Behind an open breaker
 * nothing waits.  The lock is held. */
static void
waiting_set (GstRtpAdaptSend *self)
{
  guint64 rate = ra_sender_rate (self->sender);
  RaSpan waiting
      = ra_sender_is_open (self->sender) ? 0 : pace_waiting (&self->pace, rate);

  encoders_set_waiting (&self->encoders, waiting, skip_above (self));
  fecencs_set_waiting (&self->fecencs, waiting,
      ra_repair_timely (ra_sender_repair (self->sender)), rate);
}

static void send_loop (GstPad *pad);

/* Packets pass again: a key frame is asked for with the next one, if some were dropped
 * meanwhile.  The lock is held. */
static void
key_ask_after_loss (GstRtpAdaptSend *self)
{
  if (pace_take_lost (&self->pace))
    key_gate_lack (&self->keys);
}

/* What waited is forgotten, and encoders that skipped frames for it get them again:
 * without a frame no packet would come that says so.  FALSE where the pad is not
 * active: a flush may come between its end and that of the pad upstream, and a task
 * would outlive what it uses. */
static gboolean
task_start (GstRtpAdaptSend *self)
{
  gboolean runs;

  g_mutex_lock (&self->lock);
  runs = gst_pad_is_active (self->srcpad);
  if (runs) {
    pace_run (&self->pace);
    key_ask_after_loss (self);
  }
  if (runs && self->sender)
    waiting_set (self);
  g_mutex_unlock (&self->lock);
  return runs
      && gst_pad_start_task (
          self->srcpad, (GstTaskFunction) send_loop, self->srcpad, NULL);
}

/* --- in: packets ---------------------------------------------------------- */

/* `item` does not leave; the lock is held. */
static void
packet_drop (GstRtpAdaptSend *self, const BacklogItem *item)
{
  if (item->is_repeat)
    ra_repair_on_dropped (ra_sender_repair (self->sender),
        ra_sender_ledger (self->sender), item->original);
}

/* Takes `buffer`, which pace_flow() allows, while `rate` may be sent; the lock is
 * held. */
static void
packet_take (GstRtpAdaptSend *self, GstBuffer *buffer, guint64 rate, RaTime now)
{
  SendWants wants;
  BacklogItem item;

  if (!way_in (&self->way, buffer, fecencs_see (&self->fecencs), now, &item,
          &wants)) {
    GST_WARNING_OBJECT (self, "not RTP, dropped: %" GST_PTR_FORMAT, buffer);
    gst_buffer_unref (buffer);
    return;
  }
  if (wants & SEND_SEARCH)
    GST_INFO_OBJECT (self, "SSRC %08x begins", item.ssrc);
  send_apply (self, wants);
  /* Behind an open breaker nothing waits: the task makes each packet a probe, or
   * drops it. */
  if (!pace_push (&self->pace, &item, (RaSpan) self->cfg.max_backlog,
          ra_sender_is_open (self->sender) ? G_MAXUINT64 : rate, &wants))
    packet_drop (self, &item);
  if (wants & SEND_REFRESH) {
    GST_WARNING_OBJECT (self,
        "%" GST_TIME_FORMAT " queued at %" G_GUINT64_FORMAT
        " bit/s: dropping frame %u of SSRC %08x",
        GST_TIME_ARGS (pace_waiting (&self->pace, rate)), rate, item.timestamp,
        item.ssrc);
    wants &= ~SEND_REFRESH;
    if (!item.priority) /* audio has no key frames */
      wants |= key_gate_on_drop (&self->keys, item.stream, item.ssrc);
  }
  send_apply (self, wants);
}

/* TRUE: frames were dropped, by the backlog or before an encoder, and nobody was warned
 * that they come too early; the lock is held. */
static gboolean
may_be_early (GstRtpAdaptSend *self)
{
  return !herald_has_warned (&self->herald, SEND_WARNED_EARLY)
      && (pace_dropped_frames (&self->pace) > 0
          || encoders_skipped (&self->encoders) > 0);
}

/* Warns once that nothing upstream waits for the clock, by the packets or by frames that
 * an encoder did not get; the lock is held. */
static void
early_warn_once (GstRtpAdaptSend *self, gboolean early, Notices *notices)
{
  if ((early || encoders_early (&self->encoders))
      && send_warn_once (self, SEND_WARNED_EARLY))
    warn_of_early (notices);
}

/* Takes the `n` buffers that come in together. */
static GstFlowReturn
packets_take (GstRtpAdaptSend *self, GstBuffer **buffers, guint n)
{
  gboolean refresh = FALSE;
  Notices notices = { NULL };
  GstFlowReturn flow;

  g_mutex_lock (&self->lock);
  flow = pace_flow (&self->pace);
  if (flow == GST_FLOW_OK) {
    guint64 not_rtp = self->way.not_rtp;
    guint64 rate = ra_sender_rate (self->sender);
    RaTime now = send_now (self);
    gboolean early
        = may_be_early (self) && frame_is_early (self->sinkpad, buffers[0]);

    for (guint i = 0; i < n; i++)
      packet_take (self, buffers[i], rate, now);
    waiting_set (self);
    refresh = !ra_sender_is_open (self->sender)
        && key_gate_refresh (&self->keys, now);
    if (self->way.not_rtp > not_rtp
        && send_warn_once (self, SEND_WARNED_NOT_RTP))
      warn_of_not_rtp (&notices);
    if (backlog_alike (self->pace.backlog) >= ALIKE_MAX
        && send_warn_once (self, SEND_WARNED_ALIKE))
      warn_of_alike (&notices);
    early_warn_once (self, early, &notices);
    if (self->keys.n_waiting > 0)
      send_keys_pass (self);
  } else {
    for (guint i = 0; i < n; i++)
      gst_buffer_unref (buffers[i]);
  }
  g_mutex_unlock (&self->lock);

  if (refresh)
    gst_pad_push_event (self->sinkpad,
        gst_video_event_new_upstream_force_key_unit (
            GST_CLOCK_TIME_NONE, TRUE, 0));
  notices_post (&notices, GST_ELEMENT (self));
  return flow;
}

static GstFlowReturn
send_chain (GstPad *pad, GstObject *parent, GstBuffer *buffer)
{
  return packets_take (GST_RTP_ADAPT_SEND (parent), &buffer, 1);
}

/* The list goes before its packets are taken: as long as it holds them they are not
 * writable, and an element that writes to one would have to copy it. */
static GstFlowReturn
send_chain_list (GstPad *pad, GstObject *parent, GstBufferList *list)
{
  guint n = gst_buffer_list_length (list);
  g_autofree GstBuffer **buffers = g_new (GstBuffer *, n);
  GstFlowReturn flow = GST_FLOW_OK;

  for (guint i = 0; i < n; i++)
    buffers[i] = gst_buffer_ref (gst_buffer_list_get (list, i));
  gst_buffer_list_unref (list);
  for (guint i = 0; i < n; i += BATCH_MAX) {
    GstFlowReturn last = packets_take (
        GST_RTP_ADAPT_SEND (parent), buffers + i, MIN (n - i, BATCH_MAX));

    flow = flow == GST_FLOW_OK ? last : flow;
  }
  return flow;
}

/* --- in: events and queries ------------------------------------------------ */

/* The lock is held. */
static void
caps_take (GstRtpAdaptSend *self, GstEvent *event, Notices *notices)
{
  GstCaps *caps;

  gst_event_parse_caps (event, &caps);
  /* A funnel repeats those of each stream whenever it switches. */
  if (!way_on_caps_in (&self->way, caps))
    return;
  if (caps_have_rare_chroma (caps) && send_warn_once (self, SEND_WARNED_CHROMA))
    warn_of_chroma (notices);
  /* Audio may come before video is linked. */
  if (stream_caps_are_video (caps))
    encoders_on_video (&self->encoders);
  send_apply (self, SEND_SEARCH);
}

/* The event leaves behind the packets that are waiting. */
static gboolean
event_queue (GstRtpAdaptSend *self, GstEvent *event)
{
  gboolean is_eos = GST_EVENT_TYPE (event) == GST_EVENT_EOS, queued;
  Notices notices = { NULL };
  GstFlowReturn flow;

  g_mutex_lock (&self->lock);
  flow = pace_flow (&self->pace);
  if (GST_EVENT_TYPE (event) == GST_EVENT_CAPS && flow == GST_FLOW_OK)
    caps_take (self, event, &notices);
  if (GST_EVENT_TYPE (event) == GST_EVENT_STREAM_START)
    encoders_on_stream_start (&self->encoders);
  if (is_eos)
    early_warn_once (self, FALSE, &notices);
  queued = pace_push_event (
      &self->pace, event, (RaSpan) self->cfg.max_backlog, send_now (self));
  g_mutex_unlock (&self->lock);
  notices_post (&notices, GST_ELEMENT (self));
  /* No packet comes any more that could return it. */
  if (is_eos && !queued && (flow == GST_FLOW_NOT_LINKED || flow < GST_FLOW_EOS))
    GST_ELEMENT_FLOW_ERROR (self, flow);
  return queued;
}

static gboolean
send_sink_event (GstPad *pad, GstObject *parent, GstEvent *event)
{
  GstRtpAdaptSend *self = GST_RTP_ADAPT_SEND (parent);
  gboolean ok;

  switch (GST_EVENT_TYPE (event)) {
    case GST_EVENT_FLUSH_START:
      ok = gst_pad_push_event (self->srcpad, event);
      task_stop (self);
      gst_pad_pause_task (self->srcpad);
      return ok;
    case GST_EVENT_FLUSH_STOP:
      ok = gst_pad_push_event (self->srcpad, event);
      return task_start (self) && ok;
    default:
      if (GST_EVENT_IS_SERIALIZED (event))
        return event_queue (self, event);
      return gst_pad_event_default (pad, parent, event);
  }
}

static gboolean
send_sink_query (GstPad *pad, GstObject *parent, GstQuery *query)
{
  GstRtpAdaptSend *self = GST_RTP_ADAPT_SEND (parent);
  gboolean ok;

  if (GST_QUERY_TYPE (query) == GST_QUERY_CAPS)
    return rtp_offer_query (pad, parent, query);
  if (!GST_QUERY_IS_SERIALIZED (query))
    return gst_pad_query_default (pad, parent, query);
  /* Packets wait here, so a pool of downstream's would be of no use. */
  if (GST_QUERY_TYPE (query) == GST_QUERY_ALLOCATION)
    return FALSE;
  g_mutex_lock (&self->lock);
  ok = pace_drain (&self->pace, &self->lock);
  g_mutex_unlock (&self->lock);
  return ok && gst_pad_query_default (pad, parent, query);
}

void
rtp_adapt_send_pad_goes (GstRtpAdaptSend *self, gboolean goes)
{
  g_mutex_lock (&self->lock);
  pace_pad_goes (&self->pace, goes);
  g_mutex_unlock (&self->lock);
}

/* --- out: the task ------------------------------------------------------ */

/* When the next packet may leave.  An open breaker holds none: each is a probe, or
 * is dropped.  The lock is held. */
static RaTime
next_send (GstRtpAdaptSend *self, RaTime now)
{
  return ra_sender_is_open (self->sender)
      ? now
      : ra_sender_next_send (self->sender, now);
}

/* TRUE: `item` leaves though a breaker is open; the lock is held. */
static gboolean
probe_take (GstRtpAdaptSend *self, const BacklogItem *item, RaTime now)
{
  return !item->is_repeat
      && outage_take_probe (&self->outage,
          &(OutagePacket){ .ssrc = item->ssrc,
              .seq = item->seq,
              .asks = item->marker || mode_always_asks (&self->mode) },
          ra_sender_next_send (self->sender, now), now);
}

/* Caps leave; the lock is held. */
static void
caps_pass (GstRtpAdaptSend *self, GstEvent *event)
{
  const GstStructure *s;
  GstCaps *caps;

  gst_event_parse_caps (event, &caps);
  s = gst_caps_get_structure (caps, 0);
  way_on_caps_out (&self->way, caps);
  send_apply (self, mode_on_caps (&self->mode, s, send_now (self)));
}

/* TRUE: what waits behind that packet is of more use, so that it is dropped; the lock is
 * held. */
static gboolean
lateness_drops (GstRtpAdaptSend *self, const BacklogItem *item, RaTime now)
{
  if (!item->is_repeat
      || !ra_repair_is_late (ra_sender_repair (self->sender),
          ra_sender_ledger (self->sender), item->original, item->taken, now))
    return FALSE;
  rtx_gate_on_late (&self->rtx);
  return TRUE;
}

/* TRUE: an outage has made the packet useless, so that it is dropped, and a key frame is
 * asked for; the lock is held. */
static gboolean
outage_drops (GstRtpAdaptSend *self, const BacklogItem *item, RaTime now)
{
  if (item->is_repeat
      || !ra_repair_is_stale (
          ra_sender_repair (self->sender), item->taken, now))
    return FALSE;
  outage_on_stale (&self->outage, item->marker);
  if (!item->priority) /* audio has no key frames */
    send_apply (self, key_gate_on_drop (&self->keys, item->stream, item->ssrc));
  return TRUE;
}

/* FALSE: the packet that was taken is dropped; the lock is held. */
static gboolean
may_leave (GstRtpAdaptSend *self, const BacklogItem *item, RaTime now)
{
  if (!ra_sender_is_open (self->sender) || probe_take (self, item, now))
    return !pace_drops (&self->pace, now) && !lateness_drops (self, item, now)
        && !outage_drops (self, item, now);
  send_apply (self, outage_on_ceased (&self->outage));
  return FALSE;
}

/* A rule that colours nothing needs no rate.  The lock is held. */
static RaMark
packet_colour (GstRtpAdaptSend *self, BacklogItem *item, RaTime now)
{
  guint64 rate = way_colours (&self->way) ? ra_sender_rate (self->sender) : 0;

  return way_colour (&self->way, item, rate, now);
}

/* A retransmission for a receiver that would not know what it is; the lock is held. */
static void
repeat_unwrap (GstRtpAdaptSend *self, BacklogItem *item)
{
  const RaLedgerEntry *e;

  if (!item->is_repeat || !self->rtx.plain)
    return;
  e = ra_repair_original (ra_sender_repair (self->sender),
      ra_sender_ledger (self->sender), item->original);
  if (e && !e->is_repair)
    way_unwrap (&self->way, item, e->ssrc);
}

/* Its header extensions, which may make it longer; the lock is held.  TRUE: the
 * packet has its send time. */
static gboolean
packet_stamp (GstRtpAdaptSend *self, BacklogItem *item, RaMark mark, RaTime now)
{
  SendExtResult result
      = way_stamp (&self->way, item, fecencs_see (&self->fecencs),
          &(SendExtValues){
              .rtt = ra_sender_rtt (self->sender), .now = now, .mark = mark });

  if (item->media > 0 && send_ext_is_numbered (&item->plan))
    send_apply (self, fecencs_on_numbered (&self->fecencs));
  if (result == SEND_EXT_NO_ROOM)
    send_apply (self, send_on_no_room (self));
  return self->way.out.send_ts && result == SEND_EXT_DONE;
}

/* Streams that no encoder drives leave the others less, or more.  The lock is
 * held. */
static void
others_watch (GstRtpAdaptSend *self, RaTime now)
{
  if (encoders_watch_due (&self->encoders, now))
    send_apply (self,
        encoders_watch (&self->encoders,
            streams_other_bitrate (&self->way.streams, now),
            ra_sender_rate (self->sender)));
}

/* The stations of docs/how.md on the way out of a packet, but for the push.  `passed`:
 * rtpsession's clock.  The lock is held. */
static void
packet_leave (
    GstRtpAdaptSend *self, BacklogItem *item, RaTime passed, RaTime now)
{
  RaEarPacket p = { .passed = passed };
  RaEcnField ecn;

  repeat_unwrap (self, item);
  p.payload = item->payload;
  /* 1. Colour: which is dropped first. */
  p.out.mark = packet_colour (self, item, now);
  /* 2. Stamp: header extensions (RFC 8285). */
  p.stamped = packet_stamp (self, item, p.out.mark, now);
  way_describe (&self->way, item, &p.out, now);
  p.out.flags |= pace_flags (&self->pace, item); /* waiting, spread */
  if (mode_always_asks (&self->mode))
    p.out.flags |= RA_SENT_ASKS;
  outage_on_sent (&self->outage, now);
  others_watch (self, now);
  /* 3. Note: the ledger and the pacer. */
  ecn = ra_ear_on_sent (send_ear_configured (self), &p, now);
  /* 4. Mark: the ECN field. */
  way_mark (item, ecn);
}

/* After the push; the lock is held, and let go where the stream ends in error. */
static void
flow_take (GstRtpAdaptSend *self, GstFlowReturn flow)
{
  gboolean ends;

  send_ear_on_pushed (&self->ear, flow, our_system_now (&self->clock));
  if (flow == GST_FLOW_OK) {
    send_apply (self, mode_on_pushed (&self->mode));
    return;
  }
  GST_DEBUG_OBJECT (self, "downstream says %s", gst_flow_get_name (flow));
  ends = pace_on_flow (&self->pace, flow);
  waiting_set (self);    /* what waited was dropped */
  send_job_start (self); /* the encoders are left to other elements */
  if (!ends)
    return;
  g_mutex_unlock (&self->lock);
  GST_ELEMENT_FLOW_ERROR (self, flow);
  gst_pad_push_event (self->srcpad, gst_event_new_eos ());
  g_mutex_lock (&self->lock);
}

/* The packet that was taken and those behind it that the pacer lets go with it.  The
 * lock is held. */
static void
batch_take (GstRtpAdaptSend *self, BacklogItem *item, Batch *batch, RaTime now)
{
  RaTime passed = our_system_now (&self->clock);
  gboolean more;

  do {
    if (may_leave (self, item, now)) {
      packet_leave (self, item, passed, now);
      batch_add (batch, item);
    } else {
      packet_drop (self, item);
      gst_mini_object_unref (item->object);
    }
    more = !batch_is_full (batch)
        && pace_packet_is_due (&self->pace, now, next_send (self, now));
    if (more)
      pace_take (&self->pace, item);
  } while (more);
  waiting_set (self);
}

/* The lock is held, and let go for the push. */
static void
packets_send (GstRtpAdaptSend *self, BacklogItem *item, RaTime now)
{
  GstFlowReturn flow;
  Batch batch;

  batch.n = 0;
  batch_take (self, item, &batch, now);
  if (batch.n == 0)
    return;
  g_mutex_unlock (&self->lock);
  flow = batch_push (&batch, self->srcpad); /* 5. Push. */
  g_mutex_lock (&self->lock);
  flow_take (self, flow);
}

/* The lock is held, and let go for the push. */
static void
event_send (GstRtpAdaptSend *self, GstEvent *event)
{
  if (GST_EVENT_TYPE (event) == GST_EVENT_CAPS)
    caps_pass (self, event);
  g_mutex_unlock (&self->lock);
  gst_pad_push_event (self->srcpad, event);
  g_mutex_lock (&self->lock);
}

/* The lock is held, and let go for the push. */
static void
item_send (GstRtpAdaptSend *self, RaTime now)
{
  BacklogItem item;

  pace_take (&self->pace, &item);
  if (item.is_packet)
    packets_send (self, &item, now);
  else
    event_send (self, GST_EVENT_CAST (item.object));
  pace_on_left (&self->pace);
}

/* --- out: timers -------------------------------------------------------- */

/* When the session is to be asked for a sender report; the lock is held. */
static RaTime
report_next (const GstRtpAdaptSend *self)
{
  return tap_is_on (&self->tap)
      ? outage_next_ask (&self->outage, ra_sender_is_open (self->sender))
      : RA_TIME_NONE;
}

/* The lock is held, and let go. */
static void
report_ask (GstRtpAdaptSend *self, RaTime now)
{
  GstElement *session = tap_element (&self->tap);
  RaSpan within = outage_ask (&self->outage, now);
  gboolean in_time;

  if (!session)
    return;
  g_mutex_unlock (&self->lock);
  in_time = tap_ask_rtcp (session, within);
  GST_LOG_OBJECT (
      self, "asked for a sender report: %s", in_time ? "comes" : "refused");
  g_mutex_lock (&self->lock);
}

/* When a packet is to be asked for again; the lock is held. */
static RaTime
repeats_next (const GstRtpAdaptSend *self)
{
  return ra_repair_due (ra_sender_repair (self->sender));
}

/* Asks upstream.  The lock is held, and let go. */
static void
repeats_ask (GstRtpAdaptSend *self, RaTime now)
{
  const RaLedgerEntry *e;

  while (self->sender && (e = ra_sender_next_repeat (self->sender, now))) {
    guint ssrc = e->ssrc, seqnum = e->seq;

    g_mutex_unlock (&self->lock);
    GST_LOG_OBJECT (self, "%08x %u again", ssrc, seqnum);
    gst_pad_push_event (self->sinkpad,
        gst_event_new_custom (GST_EVENT_CUSTOM_UPSTREAM,
            gst_structure_new ("GstRTPRetransmissionRequest", "seqnum",
                G_TYPE_UINT, seqnum, "ssrc", G_TYPE_UINT, ssrc, NULL)));
    g_mutex_lock (&self->lock);
  }
}

static RaTime
sender_next (const GstRtpAdaptSend *self)
{
  return ra_sender_next_timeout (self->sender);
}

static void
sender_run (GstRtpAdaptSend *self, RaTime now)
{
  ra_sender_on_timeout (self->sender, now);
  send_job_start (self);
}

static RaTime
encoders_look_next (const GstRtpAdaptSend *self)
{
  return encoders_next (&self->encoders);
}

static void
encoders_look (GstRtpAdaptSend *self, RaTime now)
{
  send_apply (self, encoders_timeout (&self->encoders));
}

static RaTime
keys_next (const GstRtpAdaptSend *self)
{
  return key_gate_next (&self->keys, send_keys_interval (self));
}

static void
keys_run (GstRtpAdaptSend *self, RaTime now)
{
  send_apply (self, key_gate_on_due (&self->keys));
}

static RaTime
stats_next (const GstRtpAdaptSend *self)
{
  return self->herald.next_stats;
}

static void
stats_post (GstRtpAdaptSend *self, RaTime now)
{
  herald_stats_due (&self->herald, now, self->cfg.stats_interval);
  herald_post (&self->herald,
      gst_message_new_element (GST_OBJECT (self), send_stats (self)));
  send_job_start (self);
}

/* Of two that have expired the first runs first.  The lock is held for all of them. */
static const struct
{
  RaTime (*next) (const GstRtpAdaptSend *self);
  void (*run) (GstRtpAdaptSend *self, RaTime now);
} timers[] = {
  { repeats_next, repeats_ask },
  { sender_next, sender_run },
  { encoders_look_next, encoders_look },
  { report_next, report_ask },
  { keys_next, keys_run },
  { stats_next, stats_post },
};

/* When the next timer expires; the lock is held. */
static RaTime
timers_next (const GstRtpAdaptSend *self)
{
  RaTime next = RA_TIME_NONE;

  for (guint i = 0; i < G_N_ELEMENTS (timers); i++)
    next = MIN (next, timers[i].next (self));
  return next;
}

/* One of them has expired; the lock is held, and may be let go. */
static void
timer_run (GstRtpAdaptSend *self, RaTime now)
{
  for (guint i = 0; i < G_N_ELEMENTS (timers); i++) {
    if (timers[i].next (self) <= now) {
      timers[i].run (self, now);
      return;
    }
  }
}

/* --- out: the loop ------------------------------------------------------ */

/* One step of the task. */
static void
send_loop (GstPad *pad)
{
  GstRtpAdaptSend *self = GST_RTP_ADAPT_SEND (GST_PAD_PARENT (pad));

  g_mutex_lock (&self->lock);
  if (pace_runs (&self->pace)) {
    RaTime now = send_now (self);

    switch (pace_step (
        &self->pace, now, timers_next (self), next_send (self, now))) {
      case PACE_TIMER:
        timer_run (self, now);
        break;
      case PACE_ITEM:
        item_send (self, now);
        break;
      case PACE_WAIT:
        pace_wait (&self->pace, &self->clock, &self->lock);
        break;
    }
  }
  /* Under the lock, or a pause could come after the start by a new peer. */
  if (!pace_runs (&self->pace))
    gst_pad_pause_task (pad);
  g_mutex_unlock (&self->lock);
}

/* The stream that a request for a key frame names; the lock is held. */
static guint
stream_of (GstRtpAdaptSend *self, const GstStructure *request)
{
  Stream *stream = NULL;
  guint ssrc;

  if (gst_structure_get_uint (request, "ssrc", &ssrc))
    stream = streams_find (&self->way.streams, ssrc);
  return stream ? (guint) (stream - self->way.streams.stream) : STREAMS_MAX;
}

/* FALSE if a request for a key frame may not go upstream now. */
static gboolean
key_is_wanted (GstRtpAdaptSend *self, GstEvent *event)
{
  KeyVerdict verdict = KEY_PASS;

  g_mutex_lock (&self->lock);
  if (self->sender) {
    verdict = key_gate_ask (&self->keys,
        stream_of (self, gst_event_get_structure (event)), event,
        send_keys_interval (self), send_now (self));
    if (verdict == KEY_HELD_FIRST)
      send_wake (self);
  }
  g_mutex_unlock (&self->lock);
  return verdict == KEY_PASS;
}

/* FALSE if a request for a packet goes no further upstream. */
static gboolean
repeat_is_wanted (GstRtpAdaptSend *self, const GstStructure *request)
{
  gboolean wanted = TRUE;
  guint ssrc, seqnum;

  if (!gst_structure_get_uint (request, "ssrc", &ssrc)
      || !gst_structure_get_uint (request, "seqnum", &seqnum))
    return TRUE;
  g_mutex_lock (&self->lock);
  rtx_gate_on_nack (&self->rtx);
  if (self->sender && self->cfg.retransmission)
    wanted = ra_sender_on_request (
        self->sender, ssrc, (guint16) seqnum, send_now (self));
  else if (self->sender)
    wanted = ra_repair_refuse (ra_sender_repair (self->sender));
  g_mutex_unlock (&self->lock);
  GST_LOG_OBJECT (
      self, "%08x %u asked for: %s", ssrc, seqnum, wanted ? "again" : "no");
  return wanted;
}

/* rtpsession's event with transport-wide feedback. */
static void
feedback_take (GstRtpAdaptSend *self, const GstStructure *s)
{
  g_autoptr (GArray) rows = twcc_parse (s);
  Notices notices = { NULL };

  if (!rows)
    return;
  g_mutex_lock (&self->lock);
  if (self->sender) {
    RaTime now = send_now (self);
    RaEarNews news = ra_ear_on_twcc (send_ear_configured (self),
        (const RaTwccRow *) rows->data, rows->len, now);

    if (send_ear_take_misled (&self->ear, news)
        && send_warn_once (self, SEND_WARNED_REALIGNED))
      warn_of_realigned (&notices, GST_OBJECT_NAME (self));
    send_on_news (self, news, now);
  }
  g_mutex_unlock (&self->lock);
  notices_post (&notices, GST_ELEMENT (self));
}

/* An event that says why a packet was lost. */
static void
truth_take (GstRtpAdaptSend *self, const GstStructure *s)
{
  g_mutex_lock (&self->lock);
  send_ear_on_truth (&self->ear, s);
  g_mutex_unlock (&self->lock);
}

static gboolean
send_src_event (GstPad *pad, GstObject *parent, GstEvent *event)
{
  GstRtpAdaptSend *self = GST_RTP_ADAPT_SEND (parent);
  const GstStructure *s = gst_event_get_structure (event);

  if (GST_EVENT_TYPE (event) == GST_EVENT_CUSTOM_UPSTREAM && s) {
    if (gst_structure_has_name (s, "RTPTWCCPackets"))
      feedback_take (self, s);
    if (gst_structure_has_name (s, "RTPAdaptLoss")) {
      truth_take (self, s);
      gst_event_unref (event);
      return TRUE;
    }
    if (gst_structure_has_name (s, "GstForceKeyUnit")
        && !key_is_wanted (self, event)) {
      gst_event_unref (event);
      return TRUE;
    }
    if (gst_structure_has_name (s, "GstRTPRetransmissionRequest")
        && !repeat_is_wanted (self, s)) {
      gst_event_unref (event);
      return TRUE;
    }
  }
  if (GST_EVENT_TYPE (event) == GST_EVENT_RECONFIGURE) {
    g_mutex_lock (&self->lock);
    send_upstream_changed (self);
    tap_lose (&self->tap);
    if (self->sender)
      send_job_start (self);
    if (pace_relink (&self->pace)) {
      key_ask_after_loss (self);
      gst_pad_start_task (pad, (GstTaskFunction) send_loop, pad, NULL);
    }
    g_mutex_unlock (&self->lock);
  }
  return gst_pad_event_default (pad, parent, event);
}

static gboolean
send_src_activate (
    GstPad *pad, GstObject *parent, GstPadMode mode, gboolean active)
{
  GstRtpAdaptSend *self = GST_RTP_ADAPT_SEND (parent);
  gboolean ok;

  if (mode != GST_PAD_MODE_PUSH)
    return FALSE;
  if (active)
    return task_start (self);
  task_stop (self);
  ok = gst_pad_stop_task (pad);
  g_mutex_lock (&self->lock);
  pace_flush (&self->pace);
  g_mutex_unlock (&self->lock);
  return ok;
}

static gboolean
send_sink_activate (
    GstPad *pad, GstObject *parent, GstPadMode mode, gboolean active)
{
  if (mode != GST_PAD_MODE_PUSH)
    return FALSE;
  /* A query that waits for the backlog would never end. */
  if (!active)
    task_stop (GST_RTP_ADAPT_SEND (parent));
  return TRUE;
}

/* --- properties --------------------------------------------------------------- */

/* Where algorithms are put to use; there must be a sender.  The lock is held. */
static SendRules
send_rules (GstRtpAdaptSend *self)
{
  return (SendRules){
    .sender = self->sender, .way = &self->way, .now = send_now (self)
  };
}

/* The warning that the LDA needs colours and there are none, or that it does not go
 * with the controller, or NULL; the lock is held. */
static gchar *
pair_check (const GstRtpAdaptSend *self)
{
  return self->sender ? warning_of_pair (ra_ldas[self->cfg.lda],
             ra_colours[self->cfg.colour], ra_rates[self->cfg.controller])
                      : NULL;
}

/* Brings what changed to the parts that run.  The warning (transfer full), or NULL; the
 * lock is held, so that the parts never differ from what the properties say. */
static gchar *
property_apply (GstRtpAdaptSend *self, guint then)
{
  const SendConfig *cfg = &self->cfg;

  if (then & THEN_ENCODERS)
    encoders_on_config (&self->encoders, (then & THEN_DRIVE) != 0);
  if (then & THEN_SKIPS)
    skippers_on_upstream_changed (&self->skippers);
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
  send_apply (self, then & SEND_ALL);
  if (then & THEN_LIMITS)
    return send_limits_check (cfg);
  return then & THEN_PAIR ? pair_check (self) : NULL;
}

static SendTaken
taken_now (const SendConfig *cfg)
{
  return (SendTaken){ cfg->start_bitrate, cfg->feedback, cfg->burst };
}

/* TRUE: it runs with another number, and takes this one at the next start; the lock is
 * held. */
static gboolean
is_late (const GstRtpAdaptSend *self, const PropRow *row)
{
  const SendTaken *taken = &self->cfg.taken, now = taken_now (&self->cfg);

  if (!self->sender)
    return FALSE;
  switch (row->offset) {
    case G_STRUCT_OFFSET (SendConfig, start_bitrate):
      return now.start_bitrate != taken->start_bitrate;
    case G_STRUCT_OFFSET (SendConfig, feedback):
      return now.feedback != taken->feedback;
    case G_STRUCT_OFFSET (SendConfig, burst):
      return now.burst != taken->burst;
    default:
      return FALSE;
  }
}

static void
send_set_property (
    GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  GstRtpAdaptSend *self = GST_RTP_ADAPT_SEND (object);
  const PropRow *row = &send_props[id - 1];
  Notices notices = { NULL };
  gchar *warning = NULL;
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
    warning = property_apply (self, then);
  warn_of_setting (&notices, warning);
  if (is_late (self, row))
    warn_of_late_setting (&notices, pspec->name);
  g_mutex_unlock (&self->lock);
  notices_post (&notices, GST_ELEMENT (self));
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
 * `notices` say so. */
static void
sender_create (GstRtpAdaptSend *self, Notices *notices)
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

  warn_of_setting (notices, send_limits_check (cfg));
  self->sender = ra_sender_new (&config, now, &error);
  if (!self->sender) {
    warn_of_setting (notices,
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
rule_start (GstRtpAdaptSend *self, const gchar *name, Notices *notices)
{
  SendRules rules = send_rules (self);

  warn_of_setting (
      notices, props_start (&self->cfg, props_row (send_props, name), &rules));
}

/* The lock is held. */
static void
rules_start (GstRtpAdaptSend *self, Notices *notices)
{
  gchar *warning = pair_check (self);

  rule_start (self, "fec", notices);
  ra_sender_set_fec_made (self->sender, FALSE); /* so far */
  rule_start (self, "colour", notices);
  warn_of_setting (notices, warning);
}

static void
send_start (GstRtpAdaptSend *self)
{
  Notices notices = { NULL };
  GstClock *clock = gst_element_get_clock (GST_ELEMENT (self));

  g_mutex_lock (&self->lock);
  our_clock_start (&self->clock, clock);
  pace_start (&self->pace);
  way_start (&self->way);
  self->cfg.taken = taken_now (&self->cfg);
  mode_start (&self->mode, ra_feedback_at (self->cfg.feedback));
  tap_lose (&self->tap);
  herald_start (&self->herald);
  send_upstream_changed (self);
  fecencs_start (&self->fecencs);
  encoders_start (&self->encoders);
  herald_is_news (
      &self->herald, SEND_NEWS_RATE, G_MAXUINT64); /* so 0 is, too */
  outage_start (&self->outage, send_now (self));
  self->rtx = (RtxGate){ 0 };
  key_gate_clear (&self->keys);
  sender_create (self, &notices);
  send_ear_start (&self->ear, self->sender, send_now (self));
  rules_start (self, &notices);
  send_stats_restart (self);
  send_job_start (self);
  g_mutex_unlock (&self->lock);
  notices_post (&notices, GST_ELEMENT (self));
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
  pace_stop (&self->pace);
  our_clock_stop (&self->clock);
  way_stop (&self->way);
  key_gate_clear (&self->keys);
  send_apply (self, encoders_stop (&self->encoders));
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
    send_job_start (self);
  }
  g_mutex_unlock (&self->lock);
}

static void
gst_rtp_adapt_send_finalize (GObject *object)
{
  GstRtpAdaptSend *self = GST_RTP_ADAPT_SEND (object);

  props_clear (&self->cfg, send_props);
  encoders_clear (&self->encoders);
  fecencs_clear (&self->fecencs);
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
pads_init (GstRtpAdaptSend *self)
{
  GstElementClass *klass = GST_ELEMENT_GET_CLASS (self);

  self->sinkpad = gst_pad_new_from_template (
      gst_element_class_get_pad_template (klass, "sink"), "sink");
  gst_pad_set_chain_function (self->sinkpad, send_chain);
  gst_pad_set_chain_list_function (self->sinkpad, send_chain_list);
  gst_pad_set_event_function (self->sinkpad, send_sink_event);
  gst_pad_set_query_function (self->sinkpad, send_sink_query);
  gst_pad_set_activatemode_function (self->sinkpad, send_sink_activate);
  GST_PAD_SET_PROXY_CAPS (self->sinkpad);
  gst_element_add_pad (GST_ELEMENT (self), self->sinkpad);

  self->srcpad = gst_pad_new_from_template (
      gst_element_class_get_pad_template (klass, "src"), "src");
  gst_pad_set_event_function (self->srcpad, send_src_event);
  gst_pad_set_activatemode_function (self->srcpad, send_src_activate);
  GST_PAD_SET_PROXY_CAPS (self->srcpad);
  gst_element_add_pad (GST_ELEMENT (self), self->srcpad);
}

static void
gst_rtp_adapt_send_init (GstRtpAdaptSend *self)
{
  g_mutex_init (&self->lock);
  pace_init (&self->pace);
  encoders_init (&self->encoders);
  fecencs_init (&self->fecencs);
  tap_init (&self->tap);
  herald_init (&self->herald);
  props_init (&self->cfg, send_props, self);
  pads_init (self);
}
