/* rtpadaptsend: pads, packets and events in, the task that lets them out.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "batch.h"
#include "sendpriv.h"
#include "twcc.h"

#include <gst/video/video.h>

#define GST_CAT_DEFAULT gst_rtp_adapt_send_debug

static void
task_stop (GstRtpAdaptSend *self)
{
  g_mutex_lock (&self->lock);
  pace_end (&self->pace);
  g_mutex_unlock (&self->lock);
}

static void send_loop (GstPad *pad);

static gboolean
task_start (GstRtpAdaptSend *self)
{
  g_mutex_lock (&self->lock);
  pace_run (&self->pace);
  g_mutex_unlock (&self->lock);
  return gst_pad_start_task (
      self->srcpad, (GstTaskFunction) send_loop, self->srcpad, NULL);
}

/* Above how much of it the encoders skip frames. */
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
level_say (GstRtpAdaptSend *self)
{

  skip_level_set (self->encoders.level,
      ra_sender_is_open (self->sender)
          ? 0
          : backlog_span (self->pace.backlog, ra_sender_rate (self->sender)),
      skip_above (self));
}

/* --- in: packets ---------------------------------------------------------- */

/* Takes `buffer`, which pace_flow() allows; the lock is held. */
static void
packet_take (GstRtpAdaptSend *self, GstBuffer *buffer, RaTime now)
{
  guint64 rate = ra_sender_rate (self->sender);
  SendWants wants;
  BacklogItem item;

  if (!way_in (&self->way, buffer, self->fecencs.usable, now, &item, &wants)) {
    GST_WARNING_OBJECT (self, "not RTP, dropped: %" GST_PTR_FORMAT, buffer);
    gst_buffer_unref (buffer);
    return;
  }
  if (wants & SEND_SEARCH)
    GST_INFO_OBJECT (self, "SSRC %08x begins", item.ssrc);
  send_apply (self, wants);
  /* Behind an open breaker nothing waits: the task makes each packet a probe, or
   * drops it. */
  pace_push (&self->pace, &item, (RaSpan) self->cfg.max_backlog,
      ra_sender_is_open (self->sender) ? G_MAXUINT64 : rate, &wants);
  if (wants & SEND_REFRESH) {
    GST_WARNING_OBJECT (self,
        "%" GST_TIME_FORMAT " queued at %" G_GUINT64_FORMAT
        " bit/s: dropping frame %u of SSRC %08x",
        GST_TIME_ARGS (backlog_span (self->pace.backlog, rate)), rate,
        item.timestamp, item.ssrc);
    wants &= ~SEND_REFRESH;
    wants |= key_gate_on_drop (&self->keys, now);
  }
  send_apply (self, wants);
}

/* Takes the `n` buffers that come in together. */
static GstFlowReturn
packets_take (GstRtpAdaptSend *self, GstBuffer **buffers, guint n)
{
  gboolean refresh = FALSE, warn = FALSE;
  GstFlowReturn flow;

  g_mutex_lock (&self->lock);
  flow = pace_flow (&self->pace);
  if (flow == GST_FLOW_OK) {
    guint64 not_rtp = self->way.not_rtp;
    RaTime now = send_now (self);

    for (guint i = 0; i < n; i++)
      packet_take (self, buffers[i], now);
    level_say (self);
    refresh
        = !ra_sender_is_open (self->sender) && key_gate_refresh (&self->keys);
    warn = self->way.not_rtp > not_rtp
        && send_warn_once (self, SEND_WARNED_NOT_RTP);
  } else {
    for (guint i = 0; i < n; i++)
      gst_buffer_unref (buffers[i]);
  }
  g_mutex_unlock (&self->lock);

  if (refresh)
    gst_pad_push_event (self->sinkpad,
        gst_video_event_new_upstream_force_key_unit (
            GST_CLOCK_TIME_NONE, TRUE, 0));
  if (warn)
    GST_ELEMENT_WARNING (self, STREAM, FORMAT,
        ("Dropping buffers that are not RTP packets."), (NULL));
  return flow;
}

static GstFlowReturn
send_chain (GstPad *pad, GstObject *parent, GstBuffer *buffer)
{
  return packets_take (GST_RTP_ADAPT_SEND (parent), &buffer, 1);
}

/* The list goes before its packets are taken: as long as it holds them they are not
 * writable, and whoever writes to one would copy it. */
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
caps_take (GstRtpAdaptSend *self, GstEvent *event)
{
  GstCaps *caps;

  gst_event_parse_caps (event, &caps);
  /* A funnel repeats those of each stream whenever it switches. */
  if (!way_on_caps_in (&self->way, caps))
    return;
  /* Audio may come before video is linked. */
  if (stream_caps_are_video (caps))
    encoders_on_video (&self->encoders);
  send_apply (self, SEND_SEARCH);
}

/* Behind the packets that are waiting. */
static gboolean
event_queue (GstRtpAdaptSend *self, GstEvent *event)
{
  gboolean queued;

  g_mutex_lock (&self->lock);
  if (GST_EVENT_TYPE (event) == GST_EVENT_CAPS
      && pace_flow (&self->pace) == GST_FLOW_OK)
    caps_take (self, event);
  queued = pace_push_event (
      &self->pace, event, (RaSpan) self->cfg.max_backlog, send_now (self));
  g_mutex_unlock (&self->lock);
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

/* --- out: the task ------------------------------------------------------ */

/* When the session is to be asked for a sender report; the lock is held. */
static RaTime
next_ask (const GstRtpAdaptSend *self)
{
  return tap_is_on (&self->tap)
      ? outage_next_ask (&self->outage, ra_sender_is_open (self->sender))
      : RA_TIME_NONE;
}

/* The lock is held. */
static RaTime
next_key (const GstRtpAdaptSend *self)
{
  return key_gate_next (&self->keys, send_keys_interval (self));
}

/* When a packet is to be asked for again; the lock is held. */
static RaTime
next_repeat (const GstRtpAdaptSend *self)
{
  return ra_repair_due (ra_sender_repair (self->sender));
}

/* When the next of our timers expires; the lock is held. */
static RaTime
next_timer (GstRtpAdaptSend *self)
{
  RaTime ours = MIN (ra_sender_next_timeout (self->sender), next_repeat (self));
  RaTime due = MIN (next_key (self), next_ask (self));

  return MIN (MIN (ours, self->herald.next_stats),
      MIN (encoders_next (&self->encoders), due));
}

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
  return !item->is_repair
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
  send_apply (self, mode_on_caps (&self->mode, s));
}

/* FALSE: the packet that was taken is dropped; the lock is held. */
static gboolean
may_leave (GstRtpAdaptSend *self, const BacklogItem *item, RaTime now)
{
  if (!ra_sender_is_open (self->sender) || probe_take (self, item, now))
    return !pace_drops (&self->pace, now);
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

/* Its header extensions, which may make it longer; the lock is held.  TRUE: the
 * packet has its send time. */
static gboolean
packet_stamp (GstRtpAdaptSend *self, BacklogItem *item, RaMark mark, RaTime now)
{
  SendExtResult result = way_stamp (&self->way, item, self->fecencs.usable,
      &(SendExtValues){
          .rtt = ra_sender_rtt (self->sender), .now = now, .mark = mark });

  if (result == SEND_EXT_NO_ROOM)
    send_apply (self, mode_on_no_room (&self->mode));
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

/* The way out of a packet, but for the push.  `passed`: rtpsession's clock.  The lock
 * is held. */
static void
packet_leave (
    GstRtpAdaptSend *self, BacklogItem *item, RaTime passed, RaTime now)
{
  RaEarPacket p = { .payload = item->payload, .passed = passed };

  p.out.mark = packet_colour (self, item, now); /* which is dropped first */
  p.stamped = packet_stamp (self, item, p.out.mark, now); /* RFC 8285 */
  way_note (&self->way, item, &p.out, now);
  p.out.flags |= pace_flags (&self->pace, item); /* waiting, spread */
  if (mode_always_asks (&self->mode))
    p.out.flags |= RA_SENT_ASKS;
  outage_on_sent (&self->outage, now);
  others_watch (self, now);
  way_mark (item, ra_ear_on_sent (send_ear (self), &p, now)); /* ledger, ECN */
}

/* After the push; the lock is held, and let go where the stream ends in error. */
static void
flow_take (GstRtpAdaptSend *self, GstFlowReturn flow)
{
  ra_ear_on_pushed (self->ear.ear, our_system_now (&self->clock));
  if (flow == GST_FLOW_OK)
    send_apply (self, mode_on_pushed (&self->mode));
  else
    GST_DEBUG_OBJECT (self, "downstream says %s", gst_flow_get_name (flow));
  if (!pace_on_flow (&self->pace, flow))
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
      gst_mini_object_unref (item->object);
    }
    more = !batch_is_full (batch)
        && pace_packet_is_due (&self->pace, now, next_send (self, now));
    if (more)
      pace_take (&self->pace, item);
  } while (more);
  level_say (self);
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
  flow = batch_push (&batch, self->srcpad);
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
}

/* The lock is held and let go for the message. */
static void
stats_post (GstRtpAdaptSend *self)
{
  GstStructure *stats = send_stats (self);

  g_mutex_unlock (&self->lock);
  gst_element_post_message (
      GST_ELEMENT (self), gst_message_new_element (GST_OBJECT (self), stats));
  g_mutex_lock (&self->lock);
}

/* Asks the session for a sender report.  The lock is held, and let go. */
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

/* Asks upstream for what is to be sent again.  The lock is held, and let go. */
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

/* The lock is held. */
static void
timer_run (GstRtpAdaptSend *self, RaTime now)
{
  if (next_repeat (self) <= now) {
    repeats_ask (self, now);
  } else if (ra_sender_next_timeout (self->sender) <= now) {
    ra_sender_on_timeout (self->sender, now);
    send_tell (self);
  } else if (encoders_next (&self->encoders) <= now) {
    send_apply (self, encoders_timeout (&self->encoders));
  } else if (next_ask (self) <= now) {
    report_ask (self, now);
  } else if (next_key (self) <= now) {
    send_apply (self, key_gate_on_due (&self->keys));
  } else if (herald_stats_due (&self->herald, now, self->cfg.stats_interval)) {
    stats_post (self);
  }
}

/* One step of the task. */
static void
send_loop (GstPad *pad)
{
  GstRtpAdaptSend *self = GST_RTP_ADAPT_SEND (GST_PAD_PARENT (pad));
  gboolean running;

  g_mutex_lock (&self->lock);
  if (self->pace.flow == GST_FLOW_OK) {
    RaTime now = send_now (self);

    switch (pace_step (
        &self->pace, now, next_timer (self), next_send (self, now))) {
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
  running = self->pace.flow == GST_FLOW_OK;
  g_mutex_unlock (&self->lock);
  if (!running)
    gst_pad_pause_task (pad);
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
  if (self->sender)
    wanted = ra_sender_on_request (
        self->sender, ssrc, (guint16) seqnum, send_now (self));
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
  gboolean warn = FALSE;

  if (!rows)
    return;
  g_mutex_lock (&self->lock);
  if (self->sender) {
    RaTime now = send_now (self);
    RaEarNews news = ra_ear_on_twcc (
        send_ear (self), (const RaTwccRow *) rows->data, rows->len, now);

    warn = news & RA_EAR_REALIGNED
        && send_warn_once (self, SEND_WARNED_REALIGNED);
    send_on_news (self, news, now);
  }
  g_mutex_unlock (&self->lock);
  if (warn)
    GST_ELEMENT_WARNING (self, STREAM, FAILED,
        ("Packets that left %s were not all numbered by the RTP session.",
            GST_OBJECT_NAME (self)),
        ("rtpadaptsend has to be the last element before rtpsession, and the "
         "only one that feeds it"));
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
    gboolean restart;

    g_mutex_lock (&self->lock);
    send_upstream_changed (self);
    self->tap.stale = TRUE;
    if (self->sender)
      send_tell (self);
    restart = pace_relink (&self->pace);
    g_mutex_unlock (&self->lock);
    if (restart)
      gst_pad_start_task (pad, (GstTaskFunction) send_loop, pad, NULL);
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

void
send_pads_init (GstRtpAdaptSend *self)
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
