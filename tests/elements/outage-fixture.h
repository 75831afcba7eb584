/* rtpadaptsend in front of a real rtpsession while nobody answers, in virtual
 * time: 25 frames of one packet in a second.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "send-twcc.h"
#include "session-fixture.h"

#include <gst/rtpadapt/util/bytes.h>

#define FRAME (40 * GST_MSECOND)

typedef struct
{
  Pair pair;
  GstPad *sink;       /* takes the RTCP that goes out */
  GstClockTime frame; /* the next */
  guint n_frames;
  guint out;   /* packets that left */
  guint heard; /* how many of these the peer has reported */

  GMutex lock;
  guint32 lsr;       /* of the latest sender report, 0: none */
  guint n_reports;   /* of either kind */
  GstClockTime last; /* when the latest report left */
  GstClockTime
      gap; /* the longest time without a report, since it was set to 0 */
} Outage;

static inline GstFlowReturn
outage_rtcp (GstPad *pad, GstObject *parent, GstBuffer *buffer)
{
  Outage *o = g_object_get_data (G_OBJECT (pad), "outage");
  guint8 data[20] = { 0 };

  gst_buffer_extract (buffer, 0, data, sizeof data);
  g_mutex_lock (&o->lock);
  if (data[1] == 200) /* SR: the middle of its NTP time */
    o->lsr = ra_get_u32 (data + 10);
  if (o->n_reports++ > 0)
    o->gap = MAX (o->gap, time_now (&o->pair.send) - o->last);
  o->last = time_now (&o->pair.send);
  g_mutex_unlock (&o->lock);
  gst_buffer_unref (buffer);
  return GST_FLOW_OK;
}

static inline void
outage_init (Outage *o, const gchar *properties)
{
  g_autoptr (GstPad) src = NULL;

  *o = (Outage){ .pair = pair_new (properties, "avpf", CAPS EXT_TWCC) };
  g_mutex_init (&o->lock);
  g_object_set (o->pair.session, "bandwidth", 4e6, NULL);
  o->sink = gst_pad_new ("rtcp-out", GST_PAD_SINK);
  g_object_set_data (G_OBJECT (o->sink), "outage", o);
  gst_pad_set_chain_function (o->sink, outage_rtcp);
  gst_pad_set_active (o->sink, TRUE);
  src = gst_element_request_pad_simple (o->pair.session, "send_rtcp_src");
  g_assert_cmpint (gst_pad_link (src, o->sink), ==, GST_PAD_LINK_OK);
  /* rtpsession's thread begins with the first packet. */
  push_frame (&o->pair.send, o->n_frames++, 1);
  pull_packet (&o->pair.send);
  o->out++;
  o->frame = time_now (&o->pair.send) + FRAME;
}

static inline void
outage_clear (Outage *o)
{
  gst_pad_set_active (o->sink, FALSE);
  pair_free (&o->pair);
  gst_object_unref (o->sink);
  g_mutex_clear (&o->lock);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Outage, outage_clear)

static inline void
outage_pull (Outage *o)
{
  Send *s = &o->pair.send;

  while (gst_harness_buffers_in_queue (s->h) > 0) {
    pull_packet (s);
    o->out++;
  }
}

/* Waits until rtpsession's thread and the task wait for the clock, because then
 * they have done all that was due.  A controller always has a timer. */
static inline void
outage_settle (Outage *o)
{
  GstTestClock *clock = o->pair.send.clock;

  wait_until (gst_test_clock_peek_id_count (clock) >= 2);
  outage_pull (o);
}

static inline void
outage_advance (Outage *o, GstClockTime to)
{
  GstTestClock *clock = o->pair.send.clock;

  for (outage_settle (o);; outage_settle (o)) {
    GstClockTime next;
    GstClockID id;

    if (!gst_test_clock_peek_next_pending_id (clock, &id))
      continue;
    next = gst_clock_id_get_time (id);
    gst_clock_id_unref (id);
    if (next > to)
      break;
    if (next > time_now (&o->pair.send))
      gst_test_clock_set_time (clock, next);
    /* Another wait may have begun by now, so only those that are due end. */
    id = gst_test_clock_process_next_clock_id (clock);
    if (id)
      gst_clock_id_unref (id);
  }
  if (time_now (&o->pair.send) < to)
    gst_test_clock_set_time (clock, to);
}

/* Lets `span` pass while the encoder goes on. */
static inline void
outage_run (Outage *o, GstClockTime span)
{
  GstClockTime end = time_now (&o->pair.send) + span;

  for (; o->frame < end; o->frame += FRAME) {
    outage_advance (o, o->frame);
    push_frame (&o->pair.send, o->n_frames++, 1);
    outage_settle (o);
  }
  outage_advance (o, end);
}

/* How many packets leave in `span`. */
static inline guint
outage_count (Outage *o, GstClockTime span)
{
  guint before = o->out;

  outage_run (o, span);
  return o->out - before;
}

/* The peer reports on all packets that left since its last report.  So many arrived: the
 * `last` of them. */
static inline void
outage_feedback_last (Outage *o, guint last)
{
  GValueArray *rows = rows_new ();
  GArray *times = o->pair.send.times;

  for (; o->heard < o->out; o->heard++) {
    GstClockTime local = g_array_index (times, GstClockTime, o->heard);

    twcc_row_add (rows, o->heard, local, PAYLOAD,
        o->out - o->heard <= last ? (local - START + OWD) / GRAIN * GRAIN
                                  : LOST);
  }
  rows_push (&o->pair.send, rows);
}

/* Likewise, of all of them or of none. */
static inline void
outage_feedback (Outage *o, gboolean arrived)
{
  outage_feedback_last (o, arrived ? G_MAXUINT : 0);
}

static inline guint32
outage_lsr (Outage *o)
{
  guint32 lsr;

  g_mutex_lock (&o->lock);
  lsr = o->lsr;
  g_mutex_unlock (&o->lock);
  return lsr;
}

/* The longest time without RTCP in `span`: sender reports, and receiver reports
 * once rtpsession has seen no packet for 5 s (RFC 3550 6.4). */
static inline GstClockTime
outage_gap (Outage *o, GstClockTime span)
{
  GstClockTime gap;

  g_mutex_lock (&o->lock);
  o->gap = 0;
  g_mutex_unlock (&o->lock);
  outage_run (o, span);
  g_mutex_lock (&o->lock);
  gap = MAX (o->gap, time_now (&o->pair.send) - o->last);
  g_mutex_unlock (&o->lock);
  return gap;
}

/* An RR without a block, as rtpsession sends it where no RTP came lately. */
static inline void
outage_empty_rr (Outage *o)
{
  Rtcp r = { 0 };

  put_head (&r, 0, 201, 8);
  put (&r, 4, PEER);
  rtcp_push (o->pair.rtcp, &r);
}

static inline gboolean
outage_is_open (Outage *o)
{
  return get_uint (&o->pair.send, "estimated-bitrate") == 0;
}
