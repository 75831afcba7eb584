/* rtpadaptrecv: pads, caps and the packets that pass.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "recvpriv.h"

#include "parts/extmap.h"
#include "parts/tosmeta.h"

#define GST_CAT_DEFAULT gst_rtp_adapt_recv_debug

/* A DTS is when the packet arrived, unless it is older than any buffer of the
 * kernel's, or in the future. */
#define ARRIVAL_MAX (10 * RA_SECOND)
/* What the sender's time stamps say: t_i is in us. */
#define GRAIN RA_USECOND
/* Packets after which what became of the DSCP is looked at. */
#define DSCP_EVERY 32

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

/* In our time; the lock is held. */
static RaTime
arrival_time (GstRtpAdaptRecv *self, GstBuffer *buffer, RaTime now)
{
  GstClockTime running = gst_segment_to_running_time (
      &self->segment, GST_FORMAT_TIME, GST_BUFFER_DTS (buffer));
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
      || GST_CLOCK_TIME_IS_VALID (gst_segment_to_running_time (
          &self->segment, GST_FORMAT_TIME, GST_BUFFER_PTS (buffer)));
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

  *due |= buffer_watch (self, *buffer);
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

  gst_event_parse_caps (event, &caps);
  g_mutex_lock (&self->lock);
  self->ids = recv_ids_parse (gst_caps_get_structure (caps, 0));
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

void
recv_pads_init (GstRtpAdaptRecv *self)
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
