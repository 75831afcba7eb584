/* rtpadaptsend in a harness on a test clock, which is rtpsession's clock too.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "patience.h"

#include <gst/check/gstharness.h>
#include <gst/check/gsttestclock.h>
#include <gst/rtp/rtp.h>
#include <gst/rtpadapt/types.h>

#define SSRC 0x12345678
#define HEADER 12    /* bytes of an RTP header */
#define PAYLOAD 1188 /* a packet of 1,200 bytes */
#define START (100 * GST_SECOND)

typedef struct
{
  GstTestClock *clock;
  GstHarness *h;
  GstElement *element;
  GstBus *bus;
  guint16 seq;   /* RTP number of the next packet that goes in */
  GArray *times; /* when each packet came out, GstClockTime */
} Send;

#define CAPS "application/x-rtp,media=video,clock-rate=90000,encoding-name=H264"

/* Who takes the system clock when it is made has to be made after this. */
static inline void
send_clock (Send *s)
{
  s->clock = GST_TEST_CLOCK (gst_test_clock_new_with_start_time (START));
  gst_system_clock_set_default (GST_CLOCK (s->clock));
}

/* Around `element`, which is or has inside the rtpadaptsend of `s`. */
static inline void
send_harness_caps (Send *s, GstElement *element, const gchar *caps)
{
  if (!s->clock)
    send_clock (s);
  s->bus = gst_bus_new ();
  gst_element_set_bus (s->element, s->bus);
  s->h = gst_harness_new_with_element (element, "sink", "src");
  gst_harness_use_systemclock (s->h); /* it had set one of its own */
  gst_harness_set_src_caps_str (s->h, caps);
  s->times = g_array_new (FALSE, FALSE, sizeof (GstClockTime));
}

static inline void
send_harness (Send *s, GstElement *element)
{
  send_harness_caps (s, element, CAPS);
}

/* `properties` as in gst-launch.  Without statistics messages, so that the
 * task waits for nothing else than what the test is about. */
static inline Send
send_new (const gchar *properties)
{
  g_autofree gchar *line
      = g_strdup_printf ("rtpadaptsend stats-interval=0 %s", properties);
  Send s = { 0 };

  s.element = gst_object_ref_sink (line_new (line));
  send_harness (&s, s.element);
  return s;
}

static inline void
send_free (Send *s)
{
  gst_harness_teardown (s->h);
  gst_element_set_bus (s->element, NULL);
  gst_object_unref (s->element);
  gst_object_unref (s->bus);
  gst_system_clock_set_default (NULL);
  gst_object_unref (s->clock);
  g_array_unref (s->times);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Send, send_free)

static inline GstBuffer *
packet_new (guint32 ssrc, guint16 seq, guint32 timestamp, guint payload)
{
  GstRTPBuffer rtp = GST_RTP_BUFFER_INIT;
  GstBuffer *buffer = gst_rtp_buffer_new_allocate (payload, 0, 0);

  g_assert_true (gst_rtp_buffer_map (buffer, GST_MAP_WRITE, &rtp));
  gst_rtp_buffer_set_ssrc (&rtp, ssrc);
  gst_rtp_buffer_set_seq (&rtp, seq);
  gst_rtp_buffer_set_timestamp (&rtp, timestamp);
  gst_rtp_buffer_set_payload_type (&rtp, 96);
  gst_rtp_buffer_unmap (&rtp);
  return buffer;
}

/* One packet of the frame `timestamp` goes in. */
static inline void
push_packet (Send *s, guint32 timestamp)
{
  g_assert_cmpint (
      gst_harness_push (s->h, packet_new (SSRC, s->seq++, timestamp, PAYLOAD)),
      ==, GST_FLOW_OK);
}

/* The last one has the marker. */
static inline void
push_frame (Send *s, guint32 timestamp, guint n)
{
  GstBuffer *last;

  while (n-- > 1)
    push_packet (s, timestamp);
  last = packet_new (SSRC, s->seq++, timestamp, PAYLOAD);
  gst_buffer_memset (last, 1, 0x80 | 96, 1);
  g_assert_cmpint (gst_harness_push (s->h, last), ==, GST_FLOW_OK);
}

static inline guint16
packet_seq (GstBuffer *buffer)
{
  GstRTPBuffer rtp = GST_RTP_BUFFER_INIT;
  guint16 seq;

  g_assert_true (gst_rtp_buffer_map (buffer, GST_MAP_READ, &rtp));
  seq = gst_rtp_buffer_get_seq (&rtp);
  gst_rtp_buffer_unmap (&rtp);
  return seq;
}

static inline GstClockTime
time_now (Send *s)
{
  return gst_clock_get_time (GST_CLOCK (s->clock));
}

/* The next packet out, which has to come without time going on. */
static inline guint16
pull_packet (Send *s)
{
  GstBuffer *buffer = gst_harness_pull (s->h);
  GstClockTime now = time_now (s);
  guint16 seq;

  g_assert_nonnull (buffer);
  seq = packet_seq (buffer);
  gst_buffer_unref (buffer);
  g_array_append_val (s->times, now);
  return seq;
}

/* Time goes on to what the task waits for, which it may not do yet. */
static inline void
crank (Send *s)
{
  wait_until (gst_test_clock_peek_id_count (s->clock) > 0);
  g_assert_true (gst_test_clock_crank (s->clock));
}

/* The next packet out, whether or not time has to go on for it. */
static inline guint16
pull_paced (Send *s)
{
  /* The task waits only when it has sent what it may; it has other timers, too. */
  while (gst_harness_buffers_in_queue (s->h) == 0) {
    wait_until (gst_harness_buffers_in_queue (s->h) > 0
        || gst_test_clock_peek_id_count (s->clock) > 0);
    if (gst_harness_buffers_in_queue (s->h) == 0)
      crank (s);
  }
  return pull_packet (s);
}

/* `n` packets go in at once and out one after the other. */
static inline void
send_paced (Send *s, guint32 timestamp, guint n)
{
  push_frame (s, timestamp, n);
  while (n-- > 0)
    pull_paced (s);
}

static inline guint
get_uint (Send *s, const gchar *property)
{
  guint value;

  g_object_get (s->element, property, &value, NULL);
  return value;
}

/* An integer field of the statistics, of whatever type. */
static inline gint64
stat (Send *s, const gchar *field)
{
  return stats_number (s->element, field);
}

/* Those of that type on the bus so far. */
static inline guint
messages (Send *s, GstMessageType type)
{
  GstMessage *message;
  guint n = 0;

  while ((message = gst_bus_pop_filtered (s->bus, type))) {
    n++;
    gst_message_unref (message);
  }
  return n;
}

#define warnings(s) messages ((s), GST_MESSAGE_WARNING)

/* Upstream events of this type and name since the last call; others are
 * dropped. */
static inline guint
upstream_events (Send *s, const gchar *name)
{
  GstEvent *event;
  guint n = 0;

  while ((event = gst_harness_try_pull_upstream_event (s->h))) {
    const GstStructure *structure = gst_event_get_structure (event);

    n += structure && gst_structure_has_name (structure, name);
    gst_event_unref (event);
  }
  return n;
}
