/* rtpadaptsrc: a late picture is due when it is whole.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "srcframe.h"

#include <gst/rtp/rtp.h>

GST_DEBUG_CATEGORY_EXTERN (rtpadaptsrc_debug);
#define GST_CAT_DEFAULT rtpadaptsrc_debug

/* A frame that is whole no later than this after it was due keeps its time.  A sink shows one
 * 20 ms after it is due (processing-deadline of GstBaseSink), and drops it another 5 ms later
 * (max-lateness of GstVideoSink), so that the decoder has 5 to 10 ms. */
#define TOLERATED (15 * GST_MSECOND)
/* Packets of a frame that wait; more than that go on at once. */
#define MOST 2048

/* The streaming thread uses it, and the one that ends a flush while the first is stopped. */
typedef struct
{
  gboolean video[SRC_PAYLOAD_TYPES];
  GstBufferList *list; /* NULL: nothing waits */
  guint32 rtp;         /* of the last media packet */
  gboolean marked;     /* that one had the marker */
  gboolean ends;       /* the frame before did end with it */
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

/* How late a sink gets what leaves `pad` now and has the time `pts`. */
static GstClockTimeDiff
late_by (GstPad *pad, GstClockTime pts)
{
  g_autoptr (GstElement) jitterbuffer = gst_pad_get_parent_element (pad);
  g_autoptr (GstQuery) query = gst_query_new_latency ();
  GstClockTime now, latency;

  if (!jitterbuffer || !GST_CLOCK_TIME_IS_VALID (pts)
      || !gst_pad_query (pad, query))
    return 0;
  gst_query_parse_latency (query, NULL, &latency, NULL);
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
  GstClockTimeDiff late = late_by (pad, GST_BUFFER_PTS (last));

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
    case GST_EVENT_FLUSH_STOP:
    case GST_EVENT_STREAM_START:
      frame_forget (f);
      break;
    default:
      if (GST_EVENT_IS_SERIALIZED (event))
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
      GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM
          | GST_PAD_PROBE_TYPE_EVENT_FLUSH,
      on_leave, f, frame_free);
}
