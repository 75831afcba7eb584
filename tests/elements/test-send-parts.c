/* The backlog of rtpadaptsend, without an element.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <plugins/rtpadapt/send/backlog.h>

#include "../main.h"

#define MS GST_MSECOND

/* --- the backlog -------------------------------------------------------- */

/* At 800 kbit/s 1,000 bytes are 10 ms; the limit is 25 ms. */
static gboolean
backlog_take (Backlog *b, guint32 ssrc, guint32 timestamp, gboolean is_repair)
{
  BacklogItem item = {
    .object = GST_MINI_OBJECT_CAST (gst_buffer_new ()),
    .is_packet = TRUE,
    .is_repair = is_repair,
    .size = 1000,
    .ssrc = ssrc,
    .timestamp = timestamp,
  };
  gboolean taken = backlog_push_packet (b, &item, 25 * MS, 800000);

  if (!taken)
    gst_mini_object_unref (item.object);
  return taken;
}

static void
test_backlog_streams (void)
{
  g_autoptr (Backlog) b = backlog_new ();
  BacklogItem item;

  /* Two streams in turns: neither cuts the other's frame. */
  for (guint i = 0; i < 3; i++) {
    g_assert_true (backlog_take (b, 1, 10, FALSE));
    g_assert_true (backlog_take (b, 2, 10, FALSE));
  }
  g_assert_cmpint (backlog_span (b, 800000), ==, 60 * MS);
  /* A retransmission is no part of a frame, and begins none. */
  g_assert_false (backlog_take (b, 1, 9, TRUE));
  g_assert_true (backlog_take (b, 1, 10, FALSE));
  g_assert_cmpuint (backlog_dropped_frames (b), ==, 0);
  g_assert_false (backlog_take (b, 1, 11, FALSE));
  g_assert_true (backlog_take (b, 2, 10, FALSE));
  g_assert_cmpuint (backlog_dropped_frames (b), ==, 1);
  g_assert_cmpuint (backlog_dropped (b), ==, 2);

  backlog_push_event (b, gst_event_new_eos ());
  for (guint i = 0; i < 8; i++) {
    backlog_pop (b, &item);
    g_assert_true (item.is_packet);
    gst_mini_object_unref (item.object);
  }
  g_assert_cmpint (backlog_span (b, 800000), ==, 0);
  g_assert_false (backlog_peek (b)->is_packet);
  backlog_clear (b);
  g_assert_null (backlog_peek (b));
}

/* A rate so low that one packet is beyond every limit still sends frames. */
static void
test_backlog_slow (void)
{
  g_autoptr (Backlog) b = backlog_new ();
  BacklogItem item = { 0 };

  item.is_packet = TRUE;
  item.size = 1000;
  for (guint i = 0; i < 16; i++) {
    item.object = GST_MINI_OBJECT_CAST (gst_buffer_new ());
    g_assert_true (backlog_push_packet (b, &item, 25 * MS, 1000));
  }
}

void
tests_add (void)
{
  g_test_add_func ("/send-parts/backlog/streams", test_backlog_streams);
  g_test_add_func ("/send-parts/backlog/slow", test_backlog_slow);
}
