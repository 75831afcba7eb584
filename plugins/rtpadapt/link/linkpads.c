/* rtpadaptlink: its pads and the task that waits on the clock.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "linkpriv.h"

static GstStaticPadTemplate sink_template = GST_STATIC_PAD_TEMPLATE (
    "sink", GST_PAD_SINK, GST_PAD_ALWAYS, GST_STATIC_CAPS_ANY);
static GstStaticPadTemplate src_template = GST_STATIC_PAD_TEMPLATE (
    "src", GST_PAD_SRC, GST_PAD_ALWAYS, GST_STATIC_CAPS_ANY);

/* --- time (lock held) --------------------------------------------------- */

gboolean
gst_rtp_adapt_link_advance (GstRtpAdaptLink *self)
{
  if (!self->playing || !self->clock || !self->path.link)
    return FALSE;
  ra_link_run (self->path.link, gst_clock_get_time (self->clock));
  return TRUE;
}

void
gst_rtp_adapt_link_wake (GstRtpAdaptLink *self)
{
  g_cond_broadcast (&self->cond);
  if (self->wait
      && (self->flow != GST_FLOW_OK || !self->playing
          || !g_queue_is_empty (&self->path.out)
          || ra_link_next (self->path.link) < self->wait_until))
    gst_clock_id_unschedule (self->wait);
}

/* --- the task of the src pad -------------------------------------------- */

/* Until there may be something to push (lock held, released in between). */
static void
link_sleep (GstRtpAdaptLink *self)
{
  RaTime next = RA_TIME_NONE;
  GstClockID id;

  if (gst_rtp_adapt_link_advance (self))
    next = ra_link_next (self->path.link);
  if (!g_queue_is_empty (&self->path.out))
    return;
  if (next == RA_TIME_NONE) {
    g_cond_wait (&self->cond, &self->lock);
    return;
  }
  id = self->wait = gst_clock_new_single_shot_id (self->clock, next);
  self->wait_until = next;
  g_mutex_unlock (&self->lock);
  gst_clock_id_wait (id, NULL);
  g_mutex_lock (&self->lock);
  self->wait = NULL;
  gst_clock_id_unref (id);
}

static GstFlowReturn
link_push_out (GstRtpAdaptLink *self, gpointer item)
{
  if (GST_IS_BUFFER (item))
    return gst_pad_push (self->srcpad, item);
  if (GST_IS_MESSAGE (item))
    gst_element_post_message (GST_ELEMENT (self), item);
  else if (GST_EVENT_IS_DOWNSTREAM (item))
    gst_pad_push_event (self->srcpad, item);
  else
    gst_pad_push_event (self->sinkpad, item);
  return GST_FLOW_OK;
}

static void
link_loop (GstPad *pad)
{
  GstRtpAdaptLink *self = GST_RTP_ADAPT_LINK (GST_PAD_PARENT (pad));
  GstFlowReturn flow;
  gpointer item = NULL;
  gboolean eos;

  g_mutex_lock (&self->lock);
  while (self->flow == GST_FLOW_OK && !(item = link_path_pop (&self->path)))
    link_sleep (self);
  flow = self->flow;
  g_mutex_unlock (&self->lock);

  if (item)
    flow = link_push_out (self, item);
  if (flow == GST_FLOW_OK)
    return;

  g_mutex_lock (&self->lock);
  if (self->flow == GST_FLOW_OK)
    self->flow = flow;
  eos = self->eos;
  gst_rtp_adapt_link_wake (self); /* chain() returns it to upstream */
  /* Under the lock, or a pause could come after the start by a new peer. */
  gst_pad_pause_task (pad);
  g_mutex_unlock (&self->lock);
  /* After EOS nobody calls chain() any more. */
  if (eos && (flow == GST_FLOW_NOT_LINKED || flow < GST_FLOW_EOS)) {
    GST_ELEMENT_FLOW_ERROR (self, flow);
    gst_pad_push_event (self->srcpad, gst_event_new_eos ());
  }
}

static void
link_end (GstRtpAdaptLink *self)
{
  g_mutex_lock (&self->lock);
  self->flow = GST_FLOW_FLUSHING;
  gst_rtp_adapt_link_wake (self);
  g_mutex_unlock (&self->lock);
}

/* FALSE where the pad is not active: a flush may come between its end and that of the
 * pad upstream, and nobody would end the task that it starts. */
static gboolean
link_begin (GstRtpAdaptLink *self)
{
  gboolean runs;

  g_mutex_lock (&self->lock);
  runs = gst_pad_is_active (self->srcpad);
  if (runs) {
    self->flow = GST_FLOW_OK;
    link_path_flush (&self->path, self->srcpad);
    self->eos = FALSE;
    gst_rtp_adapt_link_wake (self);
    runs = gst_pad_start_task (
        self->srcpad, (GstTaskFunction) link_loop, self->srcpad, NULL);
  }
  g_mutex_unlock (&self->lock);
  return runs;
}

static gboolean
link_src_activate (
    GstPad *pad, GstObject *parent, GstPadMode mode, gboolean active)
{
  GstRtpAdaptLink *self = GST_RTP_ADAPT_LINK (parent);

  if (mode != GST_PAD_MODE_PUSH)
    return FALSE;
  if (active)
    return link_begin (self);
  link_end (self);
  return gst_pad_stop_task (pad);
}

/* --- the sink pad ------------------------------------------------------- */

/* Takes the buffer. */
static GstFlowReturn
link_chain (GstPad *pad, GstObject *parent, GstBuffer *buffer)
{
  GstRtpAdaptLink *self = GST_RTP_ADAPT_LINK (parent);
  GstFlowReturn flow;

  g_mutex_lock (&self->lock);
  while (self->flow == GST_FLOW_OK && !(self->playing && self->clock))
    g_cond_wait (&self->cond, &self->lock);
  flow = self->flow;
  if (flow == GST_FLOW_OK) {
    link_path_push_buffer (
        &self->path, buffer, self->overhead, gst_clock_get_time (self->clock));
    gst_rtp_adapt_link_wake (self);
  } else {
    gst_buffer_unref (buffer);
  }
  g_mutex_unlock (&self->lock);
  return flow;
}

static GstFlowReturn
link_chain_list (GstPad *pad, GstObject *parent, GstBufferList *list)
{
  GstFlowReturn flow = GST_FLOW_OK;
  guint n = gst_buffer_list_length (list);

  for (guint i = 0; i < n && flow == GST_FLOW_OK; i++)
    flow = link_chain (
        pad, parent, gst_buffer_ref (gst_buffer_list_get (list, i)));
  gst_buffer_list_unref (list);
  return flow;
}

/* Takes the event. */
static gboolean
link_queue_event (GstRtpAdaptLink *self, GstEvent *event)
{
  gboolean is_eos = GST_EVENT_TYPE (event) == GST_EVENT_EOS;
  GstFlowReturn flow;

  g_mutex_lock (&self->lock);
  flow = self->flow;
  if (flow == GST_FLOW_OK) {
    self->eos |= is_eos;
    gst_rtp_adapt_link_advance (self);
    link_path_push_event (&self->path, event);
    gst_rtp_adapt_link_wake (self);
  } else {
    gst_event_unref (event);
  }
  g_mutex_unlock (&self->lock);
  /* No buffer comes any more whose chain() could return it. */
  if (is_eos && (flow == GST_FLOW_NOT_LINKED || flow < GST_FLOW_EOS))
    GST_ELEMENT_FLOW_ERROR (self, flow);
  return flow == GST_FLOW_OK;
}

static gboolean
link_sink_event (GstPad *pad, GstObject *parent, GstEvent *event)
{
  GstRtpAdaptLink *self = GST_RTP_ADAPT_LINK (parent);
  gboolean ok;

  switch (GST_EVENT_TYPE (event)) {
    case GST_EVENT_FLUSH_START:
      ok = gst_pad_push_event (self->srcpad, event);
      link_end (self);
      gst_pad_pause_task (self->srcpad);
      return ok;
    case GST_EVENT_FLUSH_STOP:
      ok = gst_pad_push_event (self->srcpad, event);
      return link_begin (self) && ok;
    default:
      if (GST_EVENT_IS_SERIALIZED (event))
        return link_queue_event (self, event);
      return gst_pad_event_default (pad, parent, event);
  }
}

/* A src pad linked (again): what failed for want of a peer may go on. */
static gboolean
link_src_event (GstPad *pad, GstObject *parent, GstEvent *event)
{
  GstRtpAdaptLink *self = GST_RTP_ADAPT_LINK (parent);

  if (GST_EVENT_TYPE (event) == GST_EVENT_RECONFIGURE) {
    g_mutex_lock (&self->lock);
    if (self->flow == GST_FLOW_NOT_LINKED) {
      self->flow = GST_FLOW_OK;
      gst_pad_start_task (pad, (GstTaskFunction) link_loop, pad, NULL);
    }
    g_mutex_unlock (&self->lock);
  }
  return gst_pad_event_default (pad, parent, event);
}

/* The path's delay is what a receiver has to cope with: it is not announced.
 * But time must run, so all behind is live. */
static gboolean
link_src_query (GstPad *pad, GstObject *parent, GstQuery *query)
{
  GstRtpAdaptLink *self = GST_RTP_ADAPT_LINK (parent);
  GstClockTime min, max;

  if (GST_QUERY_TYPE (query) != GST_QUERY_LATENCY)
    return gst_pad_query_default (pad, parent, query);
  if (!gst_pad_peer_query (self->sinkpad, query))
    return FALSE;
  gst_query_parse_latency (query, NULL, &min, &max);
  gst_query_set_latency (query, TRUE, min, max);
  return TRUE;
}

void
gst_rtp_adapt_link_add_templates (GstElementClass *klass)
{
  gst_element_class_add_static_pad_template (klass, &sink_template);
  gst_element_class_add_static_pad_template (klass, &src_template);
}

void
gst_rtp_adapt_link_add_pads (GstRtpAdaptLink *self)
{
  self->sinkpad = gst_pad_new_from_static_template (&sink_template, "sink");
  gst_pad_set_chain_function (self->sinkpad, link_chain);
  gst_pad_set_chain_list_function (self->sinkpad, link_chain_list);
  gst_pad_set_event_function (self->sinkpad, link_sink_event);
  GST_PAD_SET_PROXY_CAPS (self->sinkpad);
  gst_element_add_pad (GST_ELEMENT (self), self->sinkpad);

  self->srcpad = gst_pad_new_from_static_template (&src_template, "src");
  gst_pad_set_activatemode_function (self->srcpad, link_src_activate);
  gst_pad_set_event_function (self->srcpad, link_src_event);
  gst_pad_set_query_function (self->srcpad, link_src_query);
  GST_PAD_SET_PROXY_CAPS (self->srcpad);
  gst_element_add_pad (GST_ELEMENT (self), self->srcpad);
}
