/* rtpadaptsrc: a late picture is due when it is whole.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "srcframe.h"

#include "parts/walk.h"

#include <gst/rtp/rtp.h>

GST_DEBUG_CATEGORY_EXTERN (rtpadaptsrc_debug);
#define GST_CAT_DEFAULT rtpadaptsrc_debug

/* A frame that is whole no later than this after it was due keeps its time.  A sink shows one
 * 20 ms after it is due (processing-deadline of GstBaseSink), and drops it another 5 ms later
 * (max-lateness of GstVideoSink), so that the decoder has 5 to 10 ms. */
#define TOLERATED (15 * GST_MSECOND)
/* What sinks without a word of their own add for that (processing-deadline). */
#define DEADLINE (20 * GST_MSECOND)
/* Packets of a frame that wait; more than that go on at once. */
#define MOST 2048

/* The streaming thread uses it, and the one that ends a flush while the first is stopped;
 * `allowed` is set by the thread of the application that spreads the latency. */
typedef struct
{
  gboolean video[SRC_PAYLOAD_TYPES];
  GstBufferList *list; /* NULL: nothing waits */
  guint32 rtp;         /* of the last media packet */
  gboolean marked;     /* that one had the marker */
  gboolean ends;       /* the frame before did end with it */

  /* Under the pad's object lock.  How long after its time a frame may leave the pad, as the
   * pipeline's latency has it; 0: not known. */
  GstClockTime allowed;
} Frame;

static void
frame_forget (Frame *f)
{
  g_clear_pointer (&f->list, gst_buffer_list_unref);
}

static void
frame_free (gpointer data)
{
  frame_forget (data);
  g_free (data);
}

static GstClockTime
latency_of (GstQuery *query)
{
  GstClockTime latency;

  gst_query_parse_latency (query, NULL, &latency, NULL);
  return latency;
}

static gboolean
is_sink (GstElement *element)
{
  return !GST_IS_BIN (element)
      && GST_OBJECT_FLAG_IS_SET (element, GST_ELEMENT_FLAG_SINK);
}

/* What there is between `pad` and its sink adds so much to the latency `own` of the pad:
 * the decoder, and the sink's own time. */
static GstClockTime
latency_behind (GstPad *pad, GstClockTime own)
{
  g_autoptr (GstElement) sink = walk_find (pad, is_sink);
  g_autoptr (GstQuery) query = gst_query_new_latency ();

  if (!sink || !gst_element_query (sink, query))
    return DEADLINE;
  return latency_of (query) - MIN (own, latency_of (query));
}

/* All sinks show what they have with the largest latency that one of them reported, as
 * that of the sound, and that is what the event says. */
static void
latency_note (Frame *f, GstPad *pad, GstEvent *event)
{
  g_autoptr (GstQuery) query = gst_query_new_latency ();
  GstClockTime all, behind;

  if (!gst_pad_query (pad, query))
    return;
  gst_event_parse_latency (event, &all);
  behind = latency_behind (pad, latency_of (query));
  GST_OBJECT_LOCK (pad);
  f->allowed = all - MIN (all, behind);
  GST_OBJECT_UNLOCK (pad);
}

/* How late a sink gets what leaves `pad` now and has the time `pts`. */
static GstClockTimeDiff
late_by (Frame *f, GstPad *pad, GstClockTime pts)
{
  g_autoptr (GstElement) jitterbuffer = gst_pad_get_parent_element (pad);
  g_autoptr (GstQuery) query = gst_query_new_latency ();
  GstClockTime now, latency;

  if (!jitterbuffer || !GST_CLOCK_TIME_IS_VALID (pts)
      || !gst_pad_query (pad, query))
    return 0;
  GST_OBJECT_LOCK (pad);
  latency = MAX (latency_of (query), f->allowed);
  GST_OBJECT_UNLOCK (pad);
  now = gst_element_get_current_running_time (jitterbuffer);
  return GST_CLOCK_TIME_IS_VALID (now)
      ? GST_CLOCK_DIFF (pts + latency + TOLERATED, now)
      : 0;
}

/* What waited goes on, with times `late` later.  If it is refused downstream, the next packet
 * is, too, and the jitterbuffer hears of that. */
static void
frame_release (Frame *f, GstPad *pad, GstClockTimeDiff late)
{
  GstBufferList *list = g_steal_pointer (&f->list);

  if (!list)
    return;
  for (guint i = 0; late > 0 && i < gst_buffer_list_length (list); i++) {
    GstBuffer *buffer = gst_buffer_list_get_writable (list, i);

    if (GST_BUFFER_PTS_IS_VALID (buffer))
      GST_BUFFER_PTS (buffer) += (GstClockTime) late;
  }
  gst_pad_push_list (pad, list);
}

/* A frame is whole: its last packet is at hand, and the others wait. */
static void
frame_end (Frame *f, GstPad *pad, GstPadProbeInfo *info)
{
  GstBuffer *last = GST_PAD_PROBE_INFO_BUFFER (info);
  GstClockTimeDiff late = late_by (f, pad, GST_BUFFER_PTS (last));

  frame_release (f, pad, late);
  if (late <= 0)
    return;
  GST_LOG_OBJECT (pad, "%" GST_TIME_FORMAT " is %" GST_STIME_FORMAT " late",
      GST_TIME_ARGS (GST_BUFFER_PTS (last)), GST_STIME_ARGS (late));
  last = gst_buffer_make_writable (last);
  GST_BUFFER_PTS (last) += (GstClockTime) late;
  GST_PAD_PROBE_INFO_DATA (info) = last;
}

/* A packet of the media.  From now on there is a list if packets are to wait. */
static void
frame_note (Frame *f, GstPad *pad, guint32 rtp, gboolean marked)
{
  if (rtp != f->rtp) {
    frame_release (f, pad, 0);
    f->ends = f->marked;
  }
  f->rtp = rtp;
  f->marked = marked;
  if (f->ends && !marked && !f->list)
    f->list = gst_buffer_list_new ();
}

static GstPadProbeReturn
on_packet (Frame *f, GstPad *pad, GstPadProbeInfo *info)
{
  GstBuffer *buffer = GST_PAD_PROBE_INFO_BUFFER (info);
  guint8 head[8];

  if (gst_buffer_extract (buffer, 0, head, sizeof head) != sizeof head)
    return GST_PAD_PROBE_OK;
  if (f->video[head[1] & 0x7f]) {
    frame_note (f, pad, GST_READ_UINT32_BE (head + 4), (head[1] & 0x80) != 0);
    if (f->marked)
      frame_end (f, pad, info);
  }
  if (!f->list)
    return GST_PAD_PROBE_OK;
  gst_buffer_list_add (f->list, gst_buffer_ref (buffer));
  if (gst_buffer_list_length (f->list) == MOST) {
    frame_release (f, pad, 0);
    f->ends = FALSE;
  }
  return GST_PAD_PROBE_DROP;
}

static GstPadProbeReturn
on_leave (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  Frame *f = data;
  GstEvent *event;

  if (GST_PAD_PROBE_INFO_TYPE (info) & GST_PAD_PROBE_TYPE_BUFFER)
    return on_packet (f, pad, info);
  event = GST_PAD_PROBE_INFO_EVENT (info);
  switch (GST_EVENT_TYPE (event)) {
    case GST_EVENT_LATENCY:
      latency_note (f, pad, event);
      break;
    case GST_EVENT_FLUSH_STOP:
    case GST_EVENT_STREAM_START:
      frame_forget (f);
      break;
    default:
      if (GST_EVENT_IS_DOWNSTREAM (event) && GST_EVENT_IS_SERIALIZED (event))
        frame_release (f, pad, 0);
  }
  return GST_PAD_PROBE_OK;
}

void
src_frame_watch (GstPad *pad, const SrcPayloads *payloads)
{
  Frame *f = g_new0 (Frame, 1);

  for (guint pt = 0; pt < SRC_PAYLOAD_TYPES; pt++)
    f->video[pt] = src_payloads_is_video (payloads, pt);
  gst_pad_add_probe (pad,
      GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_EVENT_BOTH
          | GST_PAD_PROBE_TYPE_EVENT_FLUSH,
      on_leave, f, frame_free);
}
