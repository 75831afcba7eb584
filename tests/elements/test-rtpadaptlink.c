/* rtpadaptlink: packets, the truth about losses, properties.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "link-fixture.h"
#include "../rows.h"

#include <gst/rtpadapt/link.h>

/* --- rows: departures by hand --------------------------------------------- */

static const struct
{
  const gchar *link;
  gdouble in[5]; /* ms; negative ends, RTP numbers count from 0 */
  const gchar *out;
  const gchar *why;
} rows[] = {
  { "", { 0, 3, -1 }, "caps 0, +0 0, +1 3, ", "no model" },
  { "delay 25ms", { 0, 3, -1 }, "caps 0, +0 25, +1 28, ", "delay" },
  { "bottleneck rate=1M ! delay 25ms", { 0, 0, 1, -1 },
      "caps 0, +0 35, +1 45, +2 55, ", "10 ms each, then 25 ms" },
  { "bottleneck rate=1M queue=20ms", { 0, 0, 0, 1, -1 },
      "caps 0, -2 0 congestion, -3 1 congestion, +0 10, +1 20, ",
      "a full queue drops what enters" },
  { "bottleneck rate=1M ! bernoulli 1 ! delay 5ms", { 0, 0, -1 },
      "caps 0, -0 10 wireless, -1 20 wireless, ",
      "lost in the air, behind the queue" },
  { "delay 5ms ! gilbert p=1 r=1", { 0, 1, 2, 3, -1 },
      "caps 0, -0 5 wireless, +1 6, -2 7 wireless, +3 8, ",
      "each loss is told before the packets after it leave" },
};

static void
test_row (gconstpointer data)
{
  guint r = GPOINTER_TO_UINT (data);
  g_auto (Path) t;

  g_test_message ("%s: %s", rows[r].link, rows[r].why);
  path_new (&t, rows[r].link, 1);
  path_expect (&t, "caps 0, ");
  for (guint i = 0; rows[r].in[i] >= 0; i++)
    path_push (&t, i, rows[r].in[i]);
  path_expect (&t, rows[r].out);
  path_check_sum (&t);
}

/* --- what a packet is ----------------------------------------------------- */

static void
test_buffer_list (void)
{
  GstBufferList *list = gst_buffer_list_new ();
  g_autoptr (GstPad) pad = NULL;
  g_auto (Path) t;

  for (guint i = 0; i < 3; i++)
    gst_buffer_list_add (list, path_rtp (i, PATH_SIZE));
  path_new (&t, "bottleneck rate=1M", 1);
  path_expect (&t, "caps 0, ");
  pad = gst_pad_get_peer (t.h->srcpad);
  g_assert_cmpint (gst_pad_chain_list (pad, list), ==, GST_FLOW_OK);
  path_expect (&t, "caps 0, +0 10, +1 20, +2 30, ");
}

static void
test_only_dts_is_changed (void)
{
  GstBuffer *in = path_rtp (7, 100), *out;
  g_auto (Path) t;

  GST_BUFFER_PTS (in) = 5 * GST_SECOND;
  GST_BUFFER_DTS (in) = 4 * GST_SECOND;
  GST_BUFFER_FLAG_SET (in, GST_BUFFER_FLAG_DISCONT);
  path_new (&t, "delay 25ms", 1);
  gst_harness_push (t.h, in);
  path_expect (&t, "caps 0, +7 25, ");
  out = gst_harness_pull (t.h);
  g_assert_true (out == in);
  g_assert_cmpuint (GST_BUFFER_PTS (out), ==, 5 * GST_SECOND);
  g_assert_cmpuint (GST_BUFFER_DTS (out), ==, 25 * GST_MSECOND);
  g_assert_true (GST_BUFFER_FLAG_IS_SET (out, GST_BUFFER_FLAG_DISCONT));
  gst_buffer_unref (out);
}

static GstClockTime
pull_dts (Path *t)
{
  g_autoptr (GstBuffer) buffer = gst_harness_pull (t->h);
  GstClockTime dts = GST_BUFFER_DTS (buffer);

  return dts;
}

/* Times of the clock minus the base time of 3 ms, what came due in PAUSED at
 * the end of it, what a new path released at the time of the change. */
static void
test_dts (void)
{
  g_autoptr (GstBuffer) shared = path_rtp (1, PATH_SIZE);
  GstSegment segment;
  g_auto (Path) t;

  path_new (&t, "bottleneck rate=1M ! delay 25ms", 1);
  gst_element_set_base_time (t.h->element, 3 * GST_MSECOND);
  path_expect (&t, "caps 0, ");
  path_push (&t, 0, 4);
  g_test_message ("a buffer that others hold stays as it was");
  GST_BUFFER_DTS (shared) = GST_SECOND;
  gst_harness_push (t.h, gst_buffer_ref (shared));
  path_expect (&t, "caps 0, +0 39, +1 49, ");
  g_assert_cmpuint (pull_dts (&t), ==, 36 * GST_MSECOND);
  g_assert_cmpuint (pull_dts (&t), ==, 46 * GST_MSECOND);
  g_assert_cmpuint (GST_BUFFER_DTS (shared), ==, GST_SECOND);

  path_push (&t, 2, 50);
  gst_element_set_state (t.h->element, GST_STATE_PAUSED);
  gst_test_clock_set_time (t.clock, 100 * GST_MSECOND);
  gst_element_set_base_time (t.h->element, 53 * GST_MSECOND);
  gst_harness_play (t.h);
  path_expect (&t, "caps 0, +0 39, +1 49, +2 100, ");
  g_assert_cmpuint (pull_dts (&t), ==, 47 * GST_MSECOND);

  path_push (&t, 3, 101);
  gst_test_clock_set_time (t.clock, 110 * GST_MSECOND);
  g_object_set (t.h->element, "link", "", NULL);
  path_expect (&t, "caps 0, +0 39, +1 49, +2 100, +3 110, ");
  g_assert_cmpuint (pull_dts (&t), ==, 57 * GST_MSECOND);

  g_test_message ("in the segment of the packet, not of those behind it");
  g_object_set (t.h->element, "link", "delay 25ms", NULL);
  path_push (&t, 4, 110);
  gst_segment_init (&segment, GST_FORMAT_TIME);
  segment.start = 1000 * GST_SECOND;
  segment.base = 7 * GST_MSECOND;
  gst_harness_push_event (t.h, gst_event_new_segment (&segment));
  path_push (&t, 5, 111);
  path_expect (&t, "caps 0, +0 39, +1 49, +2 100, +3 110, +4 135, +5 136, ");
  g_assert_cmpuint (pull_dts (&t), ==, 82 * GST_MSECOND);
  g_assert_cmpuint (
      pull_dts (&t), ==, 1000 * GST_SECOND + (83 - 7) * GST_MSECOND);
}

static void
test_overhead (void)
{
  g_auto (Path) t;

  path_new (&t, "bottleneck rate=1M", 1);
  path_expect (&t, "caps 0, ");
  g_object_set (t.h->element, "overhead", 125, NULL);
  path_push (&t, 0, 0);
  path_expect (&t, "caps 0, +0 11, "); /* 1,375 bytes */
  g_assert_cmpuint (path_stat (&t, "bytes-in"), ==, 1375);
  g_assert_cmpuint (path_stat (&t, "bytes-out"), ==, 1375);
}

/* RTCP and what is neither pass, too; their losses are counted, not told. */
static void
test_not_rtp (void)
{
  static const guint8 rtcp[] = { 0x80, 200, 0, 6, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 };
  static const guint8 stun[] = { 0x00, 1, 0, 0, 0x21, 0x12, 0xa4, 0x42, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 0 };
  g_auto (Path) t;

  path_new (&t, "", 1);
  path_expect (&t, "caps 0, ");
  for (guint i = 0; i < 2; i++) {
    gst_harness_push (t.h, gst_buffer_new_memdup (rtcp, sizeof rtcp));
    gst_harness_push (t.h, gst_buffer_new_memdup (stun, sizeof stun));
    gst_harness_push (t.h, gst_buffer_new_memdup (stun, 3));
    gst_harness_push (t.h, gst_buffer_new ());
    gst_harness_push (t.h, path_rtp (5, 12));
    if (i == 0) {
      /* what stands at the place of the sequence number: 6, 0, 0, none */
      path_expect (&t, "caps 0, +6 0, +0 0, +0 0, +0 0, +5 0, ");
      g_object_set (t.h->element, "link", "bernoulli 1", NULL);
    }
  }
  path_expect (&t, "caps 0, +6 0, +0 0, +0 0, +0 0, +5 0, -5 0 wireless, ");
  g_assert_cmpuint (path_stat (&t, "wireless-losses"), ==, 5);
  path_check_sum (&t);
}

/* --- the truth is the library's ------------------------------------------- */

#define SEVERAL \
  "bottleneck rate=1M queue=60ms ! delay 25ms ! gilbert p=.05 r=.3"

static void
lib_deliver (const RaLinkPacket *p, RaTime now, gpointer log)
{
  g_string_append_printf (log, "+%u, ", (guint) p->seq);
}

static void
lib_drop (const RaLinkPacket *p, RaCause cause, const gchar *node, RaTime now,
    gpointer log)
{
  g_string_append_printf (log, "-%u %.9g %s, ", (guint) p->seq,
      (gdouble) now / 1e6, ra_cause_nick (cause));
}

/* 500 packets, faster than the bottleneck: every 8 ms. */
static gchar *
library_log (guint64 seed)
{
  RaLinkSink sink = { lib_deliver, lib_drop, NULL };
  GString *log = g_string_new (NULL);
  g_autoptr (RaLink) l = ra_link_parse (SEVERAL, seed, &sink, log, NULL);

  for (guint i = 0; i < 500; i++) {
    RaLinkPacket p = { .seq = i, .size = PATH_SIZE };

    ra_link_push (l, &p, i * 8 * GST_MSECOND);
  }
  ra_link_run (l, 100 * GST_SECOND);
  return g_string_free (log, FALSE);
}

static void
test_truth (gconstpointer data)
{
  guint64 seed = GPOINTER_TO_UINT (data);
  g_autofree gchar *want = library_log (seed);
  g_autofree gchar *other = library_log (seed + 1);
  g_auto (Path) t;

  g_assert_cmpstr (want, !=, other);
  g_assert_nonnull (g_strrstr (want, "congestion"));
  g_assert_nonnull (g_strrstr (want, "wireless"));
  path_new (&t, SEVERAL, seed);
  path_expect (&t, "caps 0, ");
  g_string_truncate (t.log, 0);
  t.timeless = TRUE;
  for (guint i = 0; i < 500; i++)
    path_push (&t, i, i * 8);
  path_expect (&t, want);
  path_check_sum (&t);
}

static void
test_loss_messages (void)
{
  g_autoptr (GstBus) bus = gst_bus_new ();
  g_autoptr (GstMessage) message = NULL;
  guint seqnum;
  g_auto (Path) t;

  path_new (&t, "delay 5ms ! bernoulli 1", 1);
  gst_element_set_bus (t.h->element, bus);
  path_push (&t, 0, 0);
  path_expect (&t, "caps 0, -0 5 wireless, ");
  g_assert_null (gst_bus_pop_filtered (bus, GST_MESSAGE_ELEMENT));
  g_object_set (t.h->element, "loss-messages", TRUE, NULL);
  path_push (&t, 1, 10);
  path_expect (&t, "caps 0, -0 5 wireless, -1 15 wireless, ");
  message = gst_bus_timed_pop_filtered (
      bus, PATIENCE * GST_USECOND, GST_MESSAGE_ELEMENT);
  g_assert_nonnull (message);
  g_assert_true (gst_message_has_name (message, "RTPAdaptLoss"));
  g_assert_cmpstr (
      gst_structure_get_string (gst_message_get_structure (message), "node"),
      ==, "bernoulli");
  g_assert_true (gst_structure_get_uint (
      gst_message_get_structure (message), "seqnum", &seqnum));
  g_assert_cmpuint (seqnum, ==, 1);
  gst_element_set_bus (t.h->element, NULL);
}

/* --- the properties ------------------------------------------------------- */

static void
test_bad_link (void)
{
  g_autoptr (GstBus) bus = gst_bus_new ();
  GstElement *e = gst_element_factory_make ("rtpadaptlink", NULL);
  g_autofree gchar *link = NULL;
  g_autoptr (GstMessage) message = NULL;
  g_auto (Path) t;

  g_test_message ("it does not start with a wrong text");
  gst_element_set_bus (e, bus);
  g_test_expect_message (NULL, G_LOG_LEVEL_WARNING, "*'dealy'*");
  g_object_set (e, "link", "dealy 25ms", NULL);
  g_test_assert_expected_messages ();
  g_object_get (e, "link", &link, NULL);
  g_assert_cmpstr (link, ==, "");
  g_assert_cmpint (
      gst_element_set_state (e, GST_STATE_READY), ==, GST_STATE_CHANGE_FAILURE);
  message = gst_bus_pop_filtered (bus, GST_MESSAGE_ERROR);
  g_assert_nonnull (message);
  g_object_set (e, "link", "delay 25ms", NULL);
  g_assert_cmpint (
      gst_element_set_state (e, GST_STATE_READY), ==, GST_STATE_CHANGE_SUCCESS);
  gst_element_set_state (e, GST_STATE_NULL);
  gst_element_set_bus (e, NULL);
  gst_object_unref (e);

  g_test_message ("a running path is kept");
  path_new (&t, "delay 25ms", 1);
  path_expect (&t, "caps 0, ");
  path_push (&t, 0, 0);
  g_test_expect_message (NULL, G_LOG_LEVEL_WARNING, "*rate= is missing*");
  g_object_set (t.h->element, "link", "bottleneck", NULL);
  g_test_assert_expected_messages ();
  path_push (&t, 1, 1);
  path_expect (&t, "caps 0, +0 25, +1 26, ");
}

static void
test_new_link (void)
{
  g_auto (Path) t;

  path_new (&t, "bottleneck rate=1M ! delay 25ms", 1);
  path_expect (&t, "caps 0, ");
  path_push (&t, 0, 0);
  path_push (&t, 1, 1);
  gst_test_clock_set_time (t.clock, 5 * GST_MSECOND);
  g_object_set (t.h->element, "link", "delay 3ms", NULL);
  g_test_message ("what was inside leaves at once");
  path_expect (&t, "caps 0, +0 5, +1 5, ");
  path_push (&t, 2, 5);
  path_expect (&t, "caps 0, +0 5, +1 5, +2 8, ");
  g_assert_cmpuint (path_stat (&t, "in"), ==, 3);
  path_check_sum (&t);
}

static void
test_stats (void)
{
  g_auto (Path) t;

  path_new (&t, "bottleneck rate=1M,4ms:2M ! delay 25ms", 1);
  path_push (&t, 0, 0);
  path_push (&t, 1, 0);
  g_assert_cmpuint (path_stat (&t, "capacity"), ==, 1000000);
  g_assert_cmpuint (path_stat (&t, "held"), ==, 2);
  /* 4,000 bits until 4 ms, 16,000 at 2M: 12 ms in all */
  g_assert_cmpuint (path_stat (&t, "queue"), ==, 12 * GST_MSECOND);
  gst_test_clock_set_time (t.clock, 5 * GST_MSECOND);
  g_assert_cmpuint (path_stat (&t, "capacity"), ==, 2000000);
  g_assert_cmpuint (path_stat (&t, "queue"), ==, 7 * GST_MSECOND);
  gst_test_clock_set_time (t.clock, 100 * GST_MSECOND);
  g_assert_cmpuint (path_stat (&t, "queue"), ==, 0);
  g_assert_cmpuint (path_stat (&t, "out"), ==, 2);
  g_assert_cmpuint (path_stat (&t, "bytes-in"), ==, 2 * PATH_SIZE);
  g_assert_cmpuint (path_stat (&t, "bytes-out"), ==, 2 * PATH_SIZE);
}

void
tests_add (void)
{
  rows_add ("/rtpadaptlink/rows", rows, test_row);
  g_test_add_func ("/rtpadaptlink/buffer-list", test_buffer_list);
  g_test_add_func (
      "/rtpadaptlink/only-dts-is-changed", test_only_dts_is_changed);
  g_test_add_func ("/rtpadaptlink/dts", test_dts);
  g_test_add_func ("/rtpadaptlink/overhead", test_overhead);
  g_test_add_func ("/rtpadaptlink/not-rtp", test_not_rtp);
  g_test_add_data_func (
      "/rtpadaptlink/truth/7", GUINT_TO_POINTER (7), test_truth);
  g_test_add_data_func (
      "/rtpadaptlink/truth/8", GUINT_TO_POINTER (8), test_truth);
  g_test_add_func ("/rtpadaptlink/loss-messages", test_loss_messages);
  g_test_add_func ("/rtpadaptlink/bad-link", test_bad_link);
  g_test_add_func ("/rtpadaptlink/new-link", test_new_link);
  g_test_add_func ("/rtpadaptlink/stats", test_stats);
}
