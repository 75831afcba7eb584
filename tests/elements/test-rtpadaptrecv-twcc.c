/* rtpadaptrecv: feedback=twcc, where rtpsession answers, and a frame may take
 * long.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "recv-fixture.h"
#include "../rows.h"

#define FMT_TWCC 15 /* draft-holmer-rmcat-...-01, 3.1 */
#define NONE GST_CLOCK_TIME_NONE
#define APART (20 * MS)
#define LONG (50 * MS)

static guint64
interval (Recv *r)
{
  guint64 t;

  g_object_get (r->internal, "twcc-feedback-interval", &t, NULL);
  return t;
}

/* A packet, and time goes on to the next one's. */
static void
packet_pass (Recv *r, guint16 number, gboolean marker, GstClockTime pts)
{
  GstBuffer *buffer = packet_new (
      r, (Packet){ .seq = number, .numbered = TRUE, .number = number });
  GstRTPBuffer rtp = GST_RTP_BUFFER_INIT;

  g_assert_true (gst_rtp_buffer_map (buffer, GST_MAP_WRITE, &rtp));
  gst_rtp_buffer_set_marker (&rtp, marker);
  gst_rtp_buffer_unmap (&rtp);
  GST_BUFFER_PTS (buffer) = pts;
  g_assert_cmpint (gst_harness_push (r->in, buffer), ==, GST_FLOW_OK);
  settle (r);
  advance_to (r, time_now (r) + APART);
}

static guint
reports (Recv *r)
{
  GstBuffer *buffer;
  guint n = 0;

  for (; (buffer = report_try (r, FMT_TWCC)); n++)
    gst_buffer_unref (buffer);
  return n;
}

static const struct
{
  const gchar *feedback, *caps;
  GstClockTime set;       /* by the application */
  GstClockTime pts;       /* of the packets; the segment begins at 10 s */
  GstClockTime in, after; /* a long frame: what the interval is */
  const gchar *why;
} rows[] = {
  { "twcc", CAPS_TWCC, NONE, NONE, LONG, NONE, "answered meanwhile" },
  { "twcc", CAPS_TWCC, NONE, 10 * GST_SECOND, LONG, NONE, "the same" },
  { "twcc", CAPS_TWCC, NONE, GST_SECOND, NONE, NONE,
      "rtpsession 1.22 hangs where there is no running time" },
  { "twcc", CAPS_TWCC, 30 * MS, NONE, 30 * MS, 30 * MS, "the user's" },
  { "twcc", CAPS_PLAIN, NONE, NONE, NONE, NONE, "nothing to answer with" },
  { "ccfb", CAPS_TWCC, NONE, NONE, NONE, NONE, "our own reports go" },
};

static void
test_interval (gconstpointer data)
{
  guint row = GPOINTER_TO_UINT (data);
  g_autofree gchar *properties
      = g_strdup_printf ("feedback=%s", rows[row].feedback);
  g_auto (Recv) r = recv_new (properties, SESSION, rows[row].caps);
  GstSegment segment;
  guint16 n = 0;

  g_test_message ("%s", rows[row].why);
  if (!g_str_equal (rows[row].feedback, "ccfb"))
    r.timers = 1;
  gst_segment_init (&segment, GST_FORMAT_TIME);
  segment.start = segment.time = 10 * GST_SECOND;
  gst_harness_push_event (r.in, gst_event_new_segment (&segment));
  g_object_set (r.internal, "twcc-feedback-interval", rows[row].set, NULL);
  /* The first frame is a long one. */
  packet_pass (&r, n++, FALSE, rows[row].pts);
  g_assert_cmpuint (interval (&r), ==, rows[row].in);
  packet_pass (&r, n++, TRUE, rows[row].pts);
  g_assert_cmpuint (interval (&r), ==, rows[row].after);
  /* Within 40 ms it may be any frame, at 60 ms it is one. */
  for (; n < 5; n++) {
    packet_pass (&r, n, FALSE, rows[row].pts);
    g_assert_cmpuint (interval (&r), ==, rows[row].set);
  }
  packet_pass (&r, n++, FALSE, rows[row].pts);
  g_assert_cmpuint (interval (&r), ==, rows[row].in);
  packet_pass (&r, n++, TRUE, rows[row].pts);
  g_assert_cmpuint (interval (&r), ==, rows[row].after);
  /* Short ones, longer than that together. */
  for (; n < 17; n++) {
    packet_pass (&r, n, n % 2 == 0, rows[row].pts);
    g_assert_cmpuint (interval (&r), ==, rows[row].after);
  }
}

/* A frame of 300 ms: rtpsession alone would say nothing until its end.  The first
 * report comes with the first packet 50 ms after the first one. */
static void
test_answers (void)
{
  g_auto (Recv) r = recv_new ("feedback=twcc", SESSION, CAPS_TWCC);
  guint16 n = 0;

  r.timers = 1;
  while (n < 4)
    packet_pass (&r, n++, FALSE, NONE);
  g_assert_cmpuint (reports (&r), ==, 1);
  while (n < 15)
    packet_pass (&r, n++, FALSE, NONE);
  g_assert_cmpuint (reports (&r), >=, 3);
  packet_pass (&r, n++, TRUE, NONE);
  g_assert_cmpuint (reports (&r), ==, 1);
  /* The end of each frame, as before. */
  for (guint frame = 0; frame < 5; frame++) {
    packet_pass (&r, n++, FALSE, NONE);
    g_assert_cmpuint (reports (&r), ==, 0);
    packet_pass (&r, n++, TRUE, NONE);
    g_assert_cmpuint (reports (&r), ==, 1);
  }
}

/* The session gets back what it had, in the midst of a frame. */
static void
test_stop (void)
{
  g_auto (Recv) r = recv_new ("feedback=twcc", SESSION, CAPS_TWCC);

  r.timers = 1;
  for (guint16 i = 0; i < 7; i++)
    packet_pass (&r, i, FALSE, NONE);
  g_assert_cmpuint (interval (&r), ==, LONG);
  gst_element_set_state (r.element, GST_STATE_NULL);
  g_assert_cmpuint (interval (&r), ==, NONE);
}

void
tests_add (void)
{
  rows_add ("/rtpadaptrecv/twcc/interval", rows, test_interval);
  g_test_add_func ("/rtpadaptrecv/twcc/answers", test_answers);
  g_test_add_func ("/rtpadaptrecv/twcc/stop", test_stop);
}
