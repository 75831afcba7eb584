/* rtpadaptsend: in, from the payloader to the backlog.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "sendpriv.h"

#include <gst/video/video.h>

#define GST_CAT_DEFAULT gst_rtp_adapt_send_debug

/* What its stream tells of it; the lock is held. */
static void
stream_look (GstRtpAdaptSend *self, BacklogItem *item)
{
  gboolean unknown;
  Stream *stream;

  /* Its receiver waits for it, and not for long. */
  item->priority = item->is_repair;
  if (item->is_repair)
    return;
  stream = streams_on_packet (
      &self->streams, item->ssrc, send_now (self), &unknown);
  if (unknown) {
    GST_INFO_OBJECT (self, "SSRC %08x begins", item->ssrc);
    send_upstream_changed (self);
    send_tell (self);
  }
  item->priority = stream->kind.is_audio;
  if (stream->kind.payload_type >= 0
      && stream->kind.payload_type != item->payload_type)
    item->media = 0;
}

/* The lock is held.  TRUE if a key frame shall be asked for. */
static gboolean
packet_queue (GstRtpAdaptSend *self, const BacklogItem *item)
{
  guint64 rate = ra_sender_rate (self->sender);
  gboolean is_open = ra_sender_is_open (self->sender);
  guint64 frames = backlog_dropped_frames (self->backlog);
  gboolean was_empty = backlog_peek (self->backlog) == NULL;
  gboolean refresh;

  refresh = !is_open && key_gate_refresh (&self->keys);
  /* Behind an open breaker nothing waits: the task makes each packet a probe, or
   * drops it. */
  if (backlog_push_packet (self->backlog, item, (RaSpan) self->cfg.max_backlog,
          is_open ? G_MAXUINT64 : rate)) {
    /* Otherwise the task waits for the packet at the head. */
    if (was_empty)
      send_wake (self);
    return refresh;
  }
  gst_mini_object_unref (item->object);
  if (backlog_dropped_frames (self->backlog) == frames)
    return refresh;
  GST_WARNING_OBJECT (self,
      "%" GST_TIME_FORMAT " queued at %" G_GUINT64_FORMAT
      " bit/s: dropping frame %u of SSRC %08x",
      GST_TIME_ARGS (backlog_span (self->backlog, rate)), rate, item->timestamp,
      item->ssrc);
  return key_gate_on_drop (&self->keys, send_now (self)) || refresh;
}

/* Takes `buffer`. */
static GstFlowReturn
buffer_take (GstRtpAdaptSend *self, GstBuffer *buffer)
{
  gboolean refresh = FALSE, warn = FALSE;
  gboolean is_rtp;
  BacklogItem item;
  GstFlowReturn flow;

  g_mutex_lock (&self->lock);
  is_rtp = backlog_item_parse (&item, buffer);
  flow = self->flow == GST_FLOW_OK && self->eos ? GST_FLOW_EOS : self->flow;
  if (flow != GST_FLOW_OK) {
    gst_buffer_unref (buffer);
  } else if (is_rtp) {
    stream_look (self, &item);
    if (send_may_grow (self, &item))
      item.size += send_ext_growth (&self->ext_in, buffer);
    refresh = packet_queue (self, &item);
  } else {
    GST_WARNING_OBJECT (self, "not RTP, dropped: %" GST_PTR_FORMAT, buffer);
    gst_buffer_unref (buffer);
    self->count.not_rtp++;
    warn = send_warn_once (self, SEND_WARNED_NOT_RTP);
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
  return buffer_take (GST_RTP_ADAPT_SEND (parent), buffer);
}

static GstFlowReturn
send_chain_list (GstPad *pad, GstObject *parent, GstBufferList *list)
{
  GstFlowReturn flow = GST_FLOW_OK;
  guint n = gst_buffer_list_length (list);

  for (guint i = 0; i < n && flow == GST_FLOW_OK; i++)
    flow = buffer_take (GST_RTP_ADAPT_SEND (parent),
        gst_buffer_ref (gst_buffer_list_get (list, i)));
  gst_buffer_list_unref (list);
  return flow;
}

void
send_input_init (GstPad *sinkpad)
{
  gst_pad_set_chain_function (sinkpad, send_chain);
  gst_pad_set_chain_list_function (sinkpad, send_chain_list);
}
