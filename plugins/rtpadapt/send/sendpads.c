/* rtpadaptsend: pads, events and the pacing task.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "sendpriv.h"
#include "twcc.h"

#define GST_CAT_DEFAULT gst_rtp_adapt_send_debug

/* The lock is held, the task stopped. */
static void
backlog_empty (GstRtpAdaptSend *self)
{
  if (self->backlog)
    backlog_clear (self->backlog);
  g_cond_broadcast (&self->wakeup);
}

static void
task_stop (GstRtpAdaptSend *self)
{
  g_mutex_lock (&self->lock);
  self->flow = GST_FLOW_FLUSHING;
  send_wake (self);
  g_mutex_unlock (&self->lock);
}

static void send_loop (GstPad *pad);

static gboolean
task_start (GstRtpAdaptSend *self)
{
  g_mutex_lock (&self->lock);
  if (self->backlog)
    backlog_flush (self->backlog);
  g_cond_broadcast (&self->wakeup);
  self->flow = GST_FLOW_OK;
  self->eos = FALSE;
  g_mutex_unlock (&self->lock);
  return gst_pad_start_task (
      self->srcpad, (GstTaskFunction) send_loop, self->srcpad, NULL);
}

/* The lock is held. */
static void
caps_take (GstRtpAdaptSend *self, GstEvent *event)
{
  GstCaps *caps;

  gst_event_parse_caps (event, &caps);
  send_ext_set_caps (&self->ext_in, gst_caps_get_structure (caps, 0));
  /* A funnel repeats those of each stream whenever it switches. */
  if (!streams_on_caps (&self->streams, caps))
    return;
  send_upstream_changed (self);
  /* Audio may come before video is linked. */
  if (stream_caps_are_video (caps))
    encoders_on_video (&self->encoders);
  send_tell (self);
}

/* Behind the packets that are waiting. */
static gboolean
event_queue (GstRtpAdaptSend *self, GstEvent *event)
{
  gboolean queued;

  g_mutex_lock (&self->lock);
  if (GST_EVENT_TYPE (event) == GST_EVENT_STREAM_START)
    self->eos = FALSE;
  queued = self->flow == GST_FLOW_OK && !self->eos;
  if (queued) {
    if (GST_EVENT_TYPE (event) == GST_EVENT_CAPS)
      caps_take (self, event);
    if (GST_EVENT_TYPE (event) == GST_EVENT_EOS) {
      self->eos = TRUE;
      self->eos_at = ra_later (send_now (self), (RaSpan) self->cfg.max_backlog);
    }
    backlog_push_event (self->backlog, event);
    send_wake (self);
  } else {
    gst_event_unref (event);
  }
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
  while (self->flow == GST_FLOW_OK && backlog_peek (self->backlog))
    g_cond_wait (&self->wakeup, &self->lock);
  ok = self->flow == GST_FLOW_OK;
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

/* The lock is held.  The no-feedback timer and the statistics, until EOS went
 * out. */
static RaTime
next_timer (GstRtpAdaptSend *self)
{
  if (self->eos && !backlog_peek (self->backlog))
    return RA_TIME_NONE;
  return MIN (
      MIN (ra_sender_next_timeout (self->sender), self->herald.next_stats),
      MIN (encoders_next (&self->encoders),
          MIN (next_key (self), next_ask (self))));
}

/* EOS came so long ago that the packets which still wait are dropped, because the
 * application waits for EOS to reach the sink. */
static gboolean
eos_overdue (const GstRtpAdaptSend *self, RaTime now)
{
  return self->eos && self->eos_at <= now;
}

/* When the task has to act next; the lock is held. */
static RaTime
next_deadline (GstRtpAdaptSend *self, RaTime now)
{
  RaTime t = next_timer (self);

  if (backlog_packets (self->backlog) > 0)
    t = MIN (t, ra_sender_next_send (self->sender, now));
  if (self->eos && backlog_packets (self->backlog) > 0)
    t = MIN (t, self->eos_at);
  return t;
}

/* Lets the lock go meanwhile. */
static void
task_wait (GstRtpAdaptSend *self, RaTime until)
{
  GstClockID id;

  if (until == RA_TIME_NONE) {
    g_cond_wait (&self->wakeup, &self->lock);
    return;
  }
  id = gst_clock_new_single_shot_id (
      self->clock.clock, our_clock_time (&self->clock, until));
  self->wait = id;
  self->wait_until = until;
  g_mutex_unlock (&self->lock);
  gst_clock_id_wait (id, NULL);
  g_mutex_lock (&self->lock);
  self->wait = NULL;
  gst_clock_id_unref (id);
}

/* An event, or a packet that the pacer lets go, or a breaker does not. */
static gboolean
item_ready (GstRtpAdaptSend *self, RaTime now)
{
  const BacklogItem *item = backlog_peek (self->backlog);

  return item
      && (!item->is_packet || ra_sender_is_open (self->sender)
          || eos_overdue (self, now)
          || ra_sender_next_send (self->sender, now) <= now);
}

/* After the push; the lock is held.  TRUE if the stream shall be ended in
 * error because nobody upstream will hear of it any more. */
static gboolean
flow_take (GstRtpAdaptSend *self, GstFlowReturn flow)
{
  if (self->flow != GST_FLOW_OK || flow == GST_FLOW_OK)
    return FALSE;
  GST_DEBUG_OBJECT (self, "downstream says %s", gst_flow_get_name (flow));
  self->flow = flow;
  backlog_empty (self);
  return self->eos && (flow == GST_FLOW_NOT_LINKED || flow <= GST_FLOW_ERROR);
}

/* Its header extensions, which may make it longer; the lock is held.  TRUE: the
 * packet has its send time. */
static gboolean
packet_stamp (GstRtpAdaptSend *self, BacklogItem *item, RaMark mark, RaTime now)
{
  GstBuffer *buffer = GST_BUFFER_CAST (item->object);
  SendExtValues values = { .now = now, .mark = mark };
  SendExtResult result;

  if (self->ext.send_ts)
    values.rtt = ra_sender_rtt (self->sender);
  result = send_ext_write (
      &self->ext, &buffer, send_may_grow (self, item), &values);
  if (result == SEND_EXT_MALFORMED)
    self->count.malformed++;
  if (result == SEND_EXT_NO_ROOM)
    send_apply (self, mode_on_no_room (&self->mode));
  item->object = GST_MINI_OBJECT_CAST (buffer);
  item->size = (guint) gst_buffer_get_size (buffer);
  return self->ext.send_ts && result == SEND_EXT_DONE;
}

/* What waits behind `item` is of the frame that came in last; a retransmission,
 * which passed it, is of none. */
static gboolean
is_spread (GstRtpAdaptSend *self, const BacklogItem *item)
{
  return backlog_is_latest (
      self->backlog, item->is_repair ? backlog_peek (self->backlog) : item);
}

/* The lock is held and let go for the push. */
static void
packet_send (GstRtpAdaptSend *self, BacklogItem *item, RaTime now)
{
  RaEarPacket p = { .out
    = { .media = item->media, .ssrc = item->ssrc, .rtp_seq = item->seq },
    .payload = item->payload,
    .passed = our_system_now (&self->clock) };
  Stream *stream
      = item->is_repair ? NULL : streams_find (&self->streams, item->ssrc);
  GstFlowReturn flow;
  gboolean error;

  p.out.mark = send_colour_mark (self, item, stream, now);
  p.stamped = packet_stamp (self, item, p.out.mark, now);
  p.out.size = item->size;
  if (item->marker)
    p.out.flags |= RA_SENT_ASKS | (item->priority ? 0 : RA_SENT_FRAME_END);
  if (mode_always_asks (&self->mode))
    p.out.flags |= RA_SENT_ASKS;
  if (item->media == 0)
    p.out.flags |= RA_SENT_REPAIR;
  else
    rtx_gate_on_sent (&self->rtx);
  if (stream && stream_is_beside (stream))
    p.out.flags |= RA_SENT_BESIDE;
  if (stream)
    stream_on_sent (stream, item->size, now);
  if (encoders_watch_due (&self->encoders, now))
    send_apply (self,
        encoders_watch (&self->encoders, streams_beside (&self->streams, now),
            ra_sender_rate (self->sender)));
  if (backlog_packets (self->backlog) > 0)
    p.out.flags
        |= RA_SENT_WAITING | (is_spread (self, item) ? RA_SENT_SPREAD : 0);
  outage_on_sent (&self->outage, now);
  send_ear_on_sent (self, item, &p, now);
  g_mutex_unlock (&self->lock);

  flow = gst_pad_push (self->srcpad, GST_BUFFER_CAST (item->object));

  g_mutex_lock (&self->lock);
  ra_ear_on_pushed (self->ear, our_system_now (&self->clock));
  if (flow == GST_FLOW_OK)
    send_apply (self, mode_on_pushed (&self->mode));
  error = flow_take (self, flow);
  if (error) {
    g_mutex_unlock (&self->lock);
    GST_ELEMENT_FLOW_ERROR (self, flow);
    gst_pad_push_event (self->srcpad, gst_event_new_eos ());
    g_mutex_lock (&self->lock);
  }
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
  send_ext_set_caps (&self->ext, s);
  send_apply (self, mode_on_caps (&self->mode, s));
}

/* The lock is held and let go for the push. */
static void
item_send (GstRtpAdaptSend *self, RaTime now)
{
  BacklogItem item;

  backlog_pop (self->backlog, &item);
  if (!backlog_peek (self->backlog))
    g_cond_broadcast (&self->wakeup);
  if (item.is_packet && ra_sender_is_open (self->sender)
      && !probe_take (self, &item, now)) {
    send_apply (self, outage_on_ceased (&self->outage));
    gst_mini_object_unref (item.object);
    return;
  }
  if (item.is_packet && eos_overdue (self, now)) {
    self->count.ended++;
    gst_mini_object_unref (item.object);
    return;
  }
  if (item.is_packet) {
    packet_send (self, &item, now);
    return;
  }
  if (GST_EVENT_TYPE (item.object) == GST_EVENT_CAPS)
    caps_pass (self, GST_EVENT_CAST (item.object));
  g_mutex_unlock (&self->lock);
  gst_pad_push_event (self->srcpad, GST_EVENT_CAST (item.object));
  g_mutex_lock (&self->lock);
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

/* The lock is held. */
static void
timer_run (GstRtpAdaptSend *self, RaTime now)
{
  if (ra_sender_next_timeout (self->sender) <= now) {
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
  if (self->flow == GST_FLOW_OK) {
    RaTime now = send_now (self);

    if (next_timer (self) <= now)
      timer_run (self, now);
    else if (item_ready (self, now))
      item_send (self, now);
    else
      task_wait (self, next_deadline (self, now));
  }
  running = self->flow == GST_FLOW_OK;
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
    stream = streams_find (&self->streams, ssrc);
  return stream ? (guint) (stream - self->streams.stream) : STREAMS_MAX;
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
  RtxVerdict verdict = RTX_AGAIN;
  guint ssrc, seqnum;

  if (!gst_structure_get_uint (request, "ssrc", &ssrc)
      || !gst_structure_get_uint (request, "seqnum", &seqnum))
    return TRUE;
  g_mutex_lock (&self->lock);
  if (self->sender)
    verdict = rtx_gate_ask (&self->rtx,
        ra_ledger_find (send_ledger (self), ssrc, (guint16) seqnum),
        ra_sender_rtt (self->sender), send_now (self));
  if (verdict == RTX_FIRST)
    ra_sender_on_repeat (self->sender);
  g_mutex_unlock (&self->lock);
  GST_LOG_OBJECT (self, "%08x %u again: %s", ssrc, seqnum,
      verdict == RTX_REFUSED ? "no" : "yes");
  return verdict != RTX_REFUSED;
}

/* rtpsession's event with transport-wide feedback. */
static void
feedback_take (GstRtpAdaptSend *self, const GstStructure *s)
{
  GArray *rows = twcc_parse (s);
  gboolean warn;

  if (!rows)
    return;
  g_mutex_lock (&self->lock);
  send_apply (self, send_on_twcc (self, rows, &warn));
  g_mutex_unlock (&self->lock);
  g_array_unref (rows);
  if (warn)
    GST_ELEMENT_WARNING (self, STREAM, FAILED,
        ("Packets that left %s were not all numbered by the RTP session.",
            GST_OBJECT_NAME (self)),
        ("rtpadaptsend has to be the last element before rtpsession, and the "
         "only one that feeds it"));
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
      send_on_truth (self, s);
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
    restart = self->flow == GST_FLOW_NOT_LINKED;
    if (restart)
      self->flow = GST_FLOW_OK;
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
  backlog_empty (self);
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
  send_input_init (self->sinkpad);
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
