/* The backlog of rtpadaptsend, without an element.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <plugins/rtpadapt/send/backlog.h>

#include "../rows.h"

#define MS GST_MSECOND

/* --- the backlog -------------------------------------------------------- */

/* At 800 kbit/s 1,000 bytes are 10 ms; the limit is 25 ms. */
static gboolean
backlog_take (Backlog *b, guint32 ssrc, guint32 timestamp, gboolean is_repeat)
{
  BacklogItem item = {
    .object = GST_MINI_OBJECT_CAST (gst_buffer_new ()),
    .is_packet = TRUE,
    .is_repeat = is_repeat,
    .size = 1000,
    .ssrc = ssrc,
    .timestamp = timestamp,
  };
  gboolean taken = backlog_push_packet (b, &item, 25 * MS, 800000);

  if (!taken)
    gst_mini_object_unref (item.object);
  return taken;
}

/* A frame of 40 ms; then a packet with a marker, and one more once nothing waits, all with
 * one RTP timestamp. */
static const struct
{
  gboolean audio;
  guint media; /* bytes in the second and the third */
  gboolean taken;
  guint alike;
  const gchar *why;
} marker_rows[] = {
  { FALSE, 900, FALSE, 2, "each begins a frame, the first beyond the limit" },
  { FALSE, 0, TRUE, 0, "FEC repairs the frame before" },
  { TRUE, 900, TRUE, 0, "RFC 4733 2.2: an event of sound has one time" },
};

static void
test_backlog_marker (gconstpointer data)
{
  guint row = GPOINTER_TO_UINT (data);
  g_autoptr (Backlog) b = backlog_new ();

  g_test_message ("%s", marker_rows[row].why);
  for (guint i = 0; i < 6; i++) {
    BacklogItem item = { .object = GST_MINI_OBJECT_CAST (gst_buffer_new ()),
      .is_packet = TRUE,
      .marker = i > 2,
      .priority = marker_rows[row].audio,
      .size = 1000,
      .media = i < 4 ? 900 : marker_rows[row].media };
    gboolean taken;

    while (i == 5 && backlog_peek (b)) {
      BacklogItem out;

      backlog_pop (b, &out);
      gst_mini_object_unref (out.object);
    }
    taken = backlog_push_packet (b, &item, 25 * MS, 800000);
    g_assert_cmpint (taken, ==, i != 4 || marker_rows[row].taken);
    if (!taken)
      gst_mini_object_unref (item.object);
  }
  g_assert_cmpuint (backlog_alike (b), ==, marker_rows[row].alike);
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
  rows_add ("/send-parts/backlog/marker", marker_rows, test_backlog_marker);
  g_test_add_func ("/send-parts/backlog/streams", test_backlog_streams);
  g_test_add_func ("/send-parts/backlog/slow", test_backlog_slow);
}
