/* rtpadaptsrc: what an rtpjitterbuffer asks for again, and when.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * rtpjitterbuffer (1.22) can expect each next packet a frame's time after the
 * last (rtx-next-seqnum).  Video that is paced out, or waits in a queue, is
 * later than that: it would ask for what is still to come, and what is not
 * there by then it calls lost and drops when it comes.  So it must ask only
 * for what a later packet showed to be missing.
 *
 * That it does when some later ones came, or some time after the frame's first
 * (rtx-delay), not after the hole opened; and again after a round trip, which it
 * knows only where each request was answered; at first that is 40 ms.  So its
 * requests are held up, or dropped, by feedback/rtxrequests.h.
 */
#include "srcrtx.h"

#include "parts/systime.h"

#include <gst/rtp/rtp.h>
#include <gst/rtpadapt/feedback/rtxrequests.h>

GST_DEBUG_CATEGORY_EXTERN (rtpadaptsrc_debug);
#define GST_CAT_DEFAULT rtpadaptsrc_debug

/* rtpjitterbuffer gives a time as the lower 32 bits of ns, in ms: what is above
 * this was negative. */
#define DELAY_MAX 4000

typedef struct
{
  GMutex lock; /* never held while anything is pushed */
  RaRtxRequests requests;
} Watch;

/* A request that waits. */
typedef struct
{
  GWeakRef pad;
  GstEvent *event;
} Held;

static void
watch_clear (gpointer data)
{
  g_mutex_clear (&((Watch *) data)->lock);
}

static void
watch_unref (gpointer watch)
{
  g_atomic_rc_box_release_full (watch, watch_clear);
}

/* --- what comes --------------------------------------------------------- */

static GstPadProbeReturn
on_packet (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  GstBuffer *buffer = GST_PAD_PROBE_INFO_BUFFER (info);
  Watch *w = data;
  guint8 seq[2];
  RaSpan retry;

  if (gst_buffer_extract (buffer, 2, seq, 2) != 2)
    return GST_PAD_PROBE_OK;
  g_mutex_lock (&w->lock);
  retry = ra_rtx_requests_on_packet (&w->requests, GST_READ_UINT16_BE (seq),
      GST_BUFFER_FLAG_IS_SET (buffer, GST_RTP_BUFFER_FLAG_RETRANSMISSION),
      system_now ());
  g_mutex_unlock (&w->lock);
  if (retry > 0) /* in ms, rounded up */
    g_object_set (GST_PAD_PARENT (pad), "rtx-retry-timeout",
        (gint) (retry / RA_MSECOND) + 1, NULL);
  return GST_PAD_PROBE_OK;
}

/* --- what is asked for -------------------------------------------------- */

static void
held_free (gpointer data)
{
  Held *held = data;

  g_weak_ref_clear (&held->pad);
  gst_clear_event (&held->event);
  g_free (held);
}

/* It passes on_request() again. */
static gboolean
held_due (GstClock *clock, GstClockTime time, GstClockID id, gpointer data)
{
  Held *held = data;
  GstPad *pad = g_weak_ref_get (&held->pad);

  if (!pad)
    return FALSE;
  gst_pad_push_event (pad, g_steal_pointer (&held->event));
  gst_object_unref (pad);
  return FALSE;
}

static void
hold (GstPad *pad, GstEvent *event, RaSpan span)
{
  GstClock *clock = gst_system_clock_obtain ();
  GstClockID id = gst_clock_new_single_shot_id (
      clock, gst_clock_get_time (clock) + (GstClockTime) span);
  Held *held = g_new0 (Held, 1);

  held->event = gst_event_ref (event);
  g_weak_ref_init (&held->pad, pad);
  gst_clock_id_wait_async (id, held_due, held, held_free);
  gst_clock_id_unref (id);
  gst_object_unref (clock);
}

/* The lock is held. */
static RaSpan
request_wait (Watch *w, const GstStructure *s)
{
  guint seqnum = 0, late = 0, deadline;
  RaSpan latency = RA_SPAN_NONE;

  gst_structure_get_uint (s, "seqnum", &seqnum);
  /* ms: since the packet was due, and the latency */
  if (gst_structure_get (s, "delay", G_TYPE_UINT, &late, "deadline",
          G_TYPE_UINT, &deadline, NULL))
    latency = deadline * RA_MSECOND;
  return ra_rtx_requests_wait (&w->requests, (guint16) seqnum,
      late > DELAY_MAX ? 0 : late * RA_MSECOND, latency, system_now ());
}

static GstPadProbeReturn
on_request (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  GstEvent *event = GST_PAD_PROBE_INFO_EVENT (info);
  Watch *w = data;
  RaSpan wait;

  if (GST_EVENT_TYPE (event) != GST_EVENT_CUSTOM_UPSTREAM
      || !gst_event_has_name (event, "GstRTPRetransmissionRequest"))
    return GST_PAD_PROBE_OK;
  g_mutex_lock (&w->lock);
  wait = request_wait (w, gst_event_get_structure (event));
  g_mutex_unlock (&w->lock);
  GST_LOG_OBJECT (
      pad, "%" GST_PTR_FORMAT ": wait %" G_GINT64_FORMAT " ns", event, wait);
  if (wait == 0)
    return GST_PAD_PROBE_OK;
  if (wait != RA_SPAN_NONE)
    hold (pad, event, wait);
  return GST_PAD_PROBE_DROP;
}

void
src_rtx_watch (GstElement *jitterbuffer)
{
  Watch *w = g_atomic_rc_box_new0 (Watch);
  GstPad *pad = gst_element_get_static_pad (jitterbuffer, "sink");

  g_object_set (jitterbuffer, "rtx-next-seqnum", FALSE, NULL);
  g_mutex_init (&w->lock);
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, on_packet,
      g_atomic_rc_box_acquire (w), watch_unref);
  gst_pad_add_probe (
      pad, GST_PAD_PROBE_TYPE_EVENT_UPSTREAM, on_request, w, watch_unref);
  gst_object_unref (pad);
}
