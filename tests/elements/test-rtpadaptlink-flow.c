/* rtpadaptlink: events, flushes, states, flow returns.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "../main.h"
#include "link-fixture.h"

static void
test_events_stay_in_place (void)
{
  g_auto (Path) t;

  path_new (&t, "delay 25ms ! gilbert p=1 r=1", 1);
  path_expect (&t, "caps 0, ");
  path_push (&t, 0, 0);
  path_push (&t, 1, 1);
  gst_harness_set_src_caps_str (t.h, "application/x-rtp, payload=97");
  path_push (&t, 2, 2);
  path_push (&t, 3, 3);
  path_push (&t, 4, 4);
  gst_harness_push_event (t.h, gst_event_new_eos ());
  g_test_message ("caps wait for 0 and 1, EOS waits for the lost 4");
  path_expect (&t,
      "caps 0, -0 25 wireless, +1 26, caps 26, "
      "-2 27 wireless, +3 28, -4 29 wireless, eos 29, ");
}

static void
test_flush (void)
{
  GstSegment segment;
  g_auto (Path) t;

  path_new (&t, "bottleneck rate=1M ! delay 25ms", 1);
  path_expect (&t, "caps 0, ");
  path_push (&t, 0, 0);
  path_push (&t, 1, 12);
  gst_harness_push_event (t.h, gst_event_new_eos ());
  gst_harness_push_event (t.h, gst_event_new_flush_start ());
  g_assert_cmpint (
      gst_harness_push (t.h, path_rtp (2, PATH_SIZE)), ==, GST_FLOW_FLUSHING);
  gst_harness_push_event (t.h, gst_event_new_flush_stop (FALSE));
  g_assert_cmpuint (path_stat (&t, "discarded"), ==, 2);
  g_assert_cmpuint (path_stat (&t, "held"), ==, 0);
  path_check_sum (&t);
  gst_segment_init (&segment, GST_FORMAT_TIME);
  gst_harness_push_event (t.h, gst_event_new_segment (&segment));
  path_push (&t, 3, 13); /* the line is free: 10 + 25 */
  path_expect (&t, "caps 0, +3 48, ");
}

/* An element that stops deactivates this pad first. */
static void
test_flush_late (gconstpointer name)
{
  GstHarness *h = gst_harness_new (name);
  GstPad *pad = GST_PAD_PEER (h->sinkpad);

  gst_harness_set_src_caps_str (
      h, "application/x-rtp,media=video,clock-rate=90000");
  gst_pad_set_active (pad, FALSE);
  gst_harness_push_event (h, gst_event_new_flush_start ());
  gst_harness_push_event (h, gst_event_new_flush_stop (TRUE));
  g_assert_cmpint (gst_pad_get_task_state (pad), ==, GST_TASK_STOPPED);
  gst_harness_teardown (h);
}

static GstPadProbeReturn
on_blocked (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  return GST_PAD_PROBE_OK; /* it stays there */
}

/* Of two packets one is on its way to the next element, so that the other waits for it
 * when a flush comes.  Its bytes are those that were counted. */
static void
test_flush_overhead (void)
{
  g_auto (Path) t;
  GstPad *pad;

  path_new (&t, "", 1);
  path_expect (&t, "caps 0, ");
  pad = GST_PAD_PEER (t.h->sinkpad);
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BLOCK | GST_PAD_PROBE_TYPE_BUFFER,
      on_blocked, NULL, NULL);
  gst_harness_push (t.h, path_rtp (0, PATH_SIZE));
  while (!gst_pad_is_blocking (pad))
    g_thread_yield ();
  gst_harness_push (t.h, path_rtp (1, PATH_SIZE));
  g_assert_cmpuint (path_stat (&t, "bytes-out"), ==, 2 * PATH_SIZE);
  g_object_set (t.h->element, "overhead", 10000, NULL);
  gst_harness_push_event (t.h, gst_event_new_flush_start ());
  gst_harness_push_event (t.h, gst_event_new_flush_stop (FALSE));
  g_assert_cmpuint (path_stat (&t, "bytes-out"), ==, PATH_SIZE);
  path_check_sum (&t);
}

static void
test_stop_with_packets_inside (void)
{
  GstSegment segment;
  g_auto (Path) t;

  path_new (&t, "delay 25ms", 1);
  path_expect (&t, "caps 0, ");
  path_push (&t, 0, 0);
  path_push (&t, 1, 1);
  g_assert_cmpint (gst_element_set_state (t.h->element, GST_STATE_READY), ==,
      GST_STATE_CHANGE_SUCCESS);
  g_assert_cmpuint (path_stat (&t, "discarded"), ==, 2);
  path_check_sum (&t);
  gst_harness_play (t.h);
  g_assert_cmpuint (path_stat (&t, "in"), ==, 0);
  gst_harness_push_event (t.h, gst_event_new_stream_start ("again"));
  gst_harness_set_src_caps_str (t.h, "application/x-rtp");
  gst_segment_init (&segment, GST_FORMAT_TIME);
  gst_harness_push_event (t.h, gst_event_new_segment (&segment));
  path_expect (&t, "caps 0, caps 1, ");
  path_push (&t, 2, 2);
  path_expect (&t, "caps 0, caps 1, +2 27, ");
}

static gpointer
push_thread (gpointer data)
{
  Path *t = data;

  return GINT_TO_POINTER (gst_harness_push (t->h, path_rtp (1, PATH_SIZE)));
}

/* In PAUSED nothing enters and nothing leaves, and READY ends the waiting. */
static void
test_paused (void)
{
  GThread *thread;
  g_auto (Path) t;

  path_new (&t, "delay 25ms", 1);
  path_expect (&t, "caps 0, ");
  path_push (&t, 0, 0);
  g_assert_cmpint (gst_element_set_state (t.h->element, GST_STATE_PAUSED), ==,
      GST_STATE_CHANGE_NO_PREROLL);
  thread = g_thread_new ("push", push_thread, &t);
  gst_test_clock_set_time (t.clock, 100 * GST_MSECOND);
  g_usleep (20000); /* a chance to do wrong */
  path_expect (&t, "caps 0, ");
  gst_harness_play (t.h);
  g_assert_cmpint (GPOINTER_TO_INT (g_thread_join (thread)), ==, GST_FLOW_OK);
  path_expect (&t, "caps 0, +0 100, +1 125, ");

  gst_element_set_state (t.h->element, GST_STATE_PAUSED);
  thread = g_thread_new ("push", push_thread, &t);
  g_usleep (20000);
  gst_element_set_state (t.h->element, GST_STATE_READY);
  g_assert_cmpint (
      GPOINTER_TO_INT (g_thread_join (thread)), ==, GST_FLOW_FLUSHING);
}

static void
test_flow_goes_back (void)
{
  GstFlowReturn flow = GST_FLOW_OK;
  g_auto (Path) t;

  path_new (&t, "", 1);
  path_expect (&t, "caps 0, ");
  gst_pad_set_active (t.h->sinkpad, FALSE);
  while (flow == GST_FLOW_OK)
    flow = gst_harness_push (t.h, path_rtp (1, PATH_SIZE));
  g_assert_cmpint (flow, ==, GST_FLOW_FLUSHING);
}

/* A queue's last packet fails behind the last chain(), which could have returned it: what
 * waits for the end hears of it by an error, as from a queue of GStreamer. */
static void
test_late_eos (gconstpointer name)
{
  GstHarness *h = gst_harness_new_with_padnames (name, "sink", NULL);
  GstBus *bus = gst_bus_new ();
  GstMessage *message;

  gst_element_set_bus (h->element, bus);
  gst_harness_use_systemclock (h);
  gst_harness_set_src_caps_str (
      h, "application/x-rtp,media=video,clock-rate=90000");
  while (gst_harness_push (h, path_rtp (1, PATH_SIZE)) == GST_FLOW_OK)
    g_usleep (1000);
  g_assert_null (gst_bus_pop_filtered (bus, GST_MESSAGE_ERROR));
  g_assert_false (gst_harness_push_event (h, gst_event_new_eos ()));
  message = gst_bus_pop_filtered (bus, GST_MESSAGE_ERROR);
  g_assert_nonnull (message);
  gst_message_unref (message);
  gst_harness_teardown (h);
  gst_bus_set_flushing (bus, TRUE);
  gst_object_unref (bus);
}

static void
test_latency (void)
{
  g_autoptr (GstQuery) query = gst_query_new_latency ();
  GstClockTime min;
  gboolean live;
  g_autoptr (GstPad) pad = NULL;
  g_auto (Path) t;

  path_new (&t, "delay 25ms", 1);
  gst_harness_set_upstream_latency (t.h, 7 * GST_MSECOND);
  pad = gst_element_get_static_pad (t.h->element, "src");
  g_assert_true (gst_pad_query (pad, query));
  gst_query_parse_latency (query, &live, &min, NULL);
  g_assert_true (live);
  g_assert_cmpuint (min, ==, 7 * GST_MSECOND);
}

void
tests_add (void)
{
  g_test_add_func (
      "/rtpadaptlink/events-stay-in-place", test_events_stay_in_place);
  g_test_add_func ("/rtpadaptlink/flush", test_flush);
  g_test_add_data_func (
      "/rtpadaptlink/flush-late", "rtpadaptlink", test_flush_late);
  g_test_add_data_func (
      "/rtpadaptsend/flush-late", "rtpadaptsend", test_flush_late);
  g_test_add_func ("/rtpadaptlink/flush-overhead", test_flush_overhead);
  g_test_add_func (
      "/rtpadaptlink/stop-with-packets-inside", test_stop_with_packets_inside);
  g_test_add_func ("/rtpadaptlink/paused", test_paused);
  g_test_add_func ("/rtpadaptlink/flow-goes-back", test_flow_goes_back);
  g_test_add_data_func (
      "/rtpadaptlink/late-eos", "rtpadaptlink", test_late_eos);
  g_test_add_data_func (
      "/rtpadaptsend/late-eos", "rtpadaptsend", test_late_eos);
  g_test_add_func ("/rtpadaptlink/latency", test_latency);
}
