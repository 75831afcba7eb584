/* What the application does to a running sender and receiver: flush, seek,
 * PAUSED and READY and back, another clock.  Each many times; packets have to
 * come after each.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "src-fixture.h"
#include "trust.h"
#include "../rows.h"

/* That have to come after each time. */
#define PACKETS 2

typedef struct
{
  GstElement *pipeline, *camera, *element; /* rtpadaptsink or rtpadaptsrc */
  const gchar *packets; /* statistics: what went out or came in */
  GstClock *clocks[2];
} World;

/* --- what is done -------------------------------------------------------- */

static void
to_state (World *w, GstState state)
{
  g_assert_cmpint (
      gst_element_set_state (w->pipeline, state), !=, GST_STATE_CHANGE_FAILURE);
  g_assert_cmpint (
      gst_element_get_state (w->pipeline, NULL, NULL, 60 * GST_SECOND), !=,
      GST_STATE_CHANGE_FAILURE);
}

static void
pause_and_back (World *w, guint i)
{
  to_state (w, GST_STATE_PAUSED);
  to_state (w, GST_STATE_PLAYING);
}

static void
ready_and_back (World *w, guint i)
{
  to_state (w, GST_STATE_READY);
  to_state (w, GST_STATE_PLAYING);
}

static GstPadProbeReturn
hold (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  return GST_PAD_PROBE_OK;
}

/* An application that holds the stream does not hold up the element. */
static void
ready_while_held (World *w, guint i)
{
  g_autoptr (GstPad) pad = gst_element_get_static_pad (w->element, "src_0");

  gst_pad_add_probe (
      pad, GST_PAD_PROBE_TYPE_BLOCK_DOWNSTREAM, hold, NULL, NULL);
  while (!gst_pad_is_blocking (pad))
    g_usleep (1000);
  ready_and_back (w, i);
}

static void
flush (World *w, guint i)
{
  g_assert_true (
      gst_element_send_event (w->camera, gst_event_new_flush_start ()));
  g_assert_true (
      gst_element_send_event (w->camera, gst_event_new_flush_stop (TRUE)));
}

static void
seek (World *w, guint i)
{
  g_assert_true (gst_element_seek_simple (w->pipeline, GST_FORMAT_TIME,
      GST_SEEK_FLAG_FLUSH, i % 2 * 10 * GST_SECOND));
}

/* Of 1970 and of the last boot, in turn. */
static void
other_clock (World *w, guint i)
{
  to_state (w, GST_STATE_PAUSED);
  gst_pipeline_use_clock (GST_PIPELINE (w->pipeline), w->clocks[i % 2]);
  to_state (w, GST_STATE_PLAYING);
}

static const struct
{
  const gchar *path, *name;
  void (*act) (World *w, guint i);
  gboolean sender;
  guint times;
} rows[] = {
  { "sender/pause", "sender: PAUSED and back", pause_and_back, TRUE, 5 },
  /* Each time another SSRC, which waits for a second of silence of the one
   * before. */
  { "sender/ready", "sender: READY and back", ready_and_back, TRUE, 2 },
  { "sender/seek", "sender: seek, which flushes", seek, TRUE, 5 },
  { "sender/clock", "sender: another clock", other_clock, TRUE, 5 },
  { "receiver/pause", "receiver: PAUSED and back", pause_and_back, FALSE, 5 },
  /* rtpbin (1.22) has room for 16 streams. */
  { "receiver/ready", "receiver: READY and back", ready_and_back, FALSE, 18 },
  { "receiver/held", "receiver: READY and back while its pad is blocked",
      ready_while_held, FALSE, 3 },
  { "receiver/flush", "receiver: flush", flush, FALSE, 5 },
  { "receiver/clock", "receiver: another clock", other_clock, FALSE, 5 },
};

/* --- the test ------------------------------------------------------------ */

/* Not live, so that it can seek; clocksync keeps its time. */
static GstElement *
camera_pipeline (Receiver *t)
{
  return line_playf (t->bus,
      "videotestsrc name=camera ! video/x-raw,width=64,height=48,"
      "framerate=60/1 ! clocksync ! x264enc tune=zerolatency "
      "speed-preset=ultrafast ! rtph264pay pt=96 mtu=600 ! "
      "rtpadaptsink name=sink host=127.0.0.1 port=%d",
      t->port);
}

static GstClock *
clock_new (GstClockType type)
{
  return g_object_new (GST_TYPE_SYSTEM_CLOCK, "clock-type", type, NULL);
}

/* Frames that come to the end of the receiver, after what went out or came in
 * has moved on: what was on its way before does not count. */
static void
goes_on (World *w, Receiver *t)
{
  guint64 before = stat_of (w->element, w->packets);

  WAIT_UNTIL (t->bus, stat_of (w->element, w->packets) >= before + PACKETS);
  wait_frames (t, 0, PACKETS);
}

static void
test_times (gconstpointer data)
{
  guint r = GPOINTER_TO_UINT (data), done = 0;
  World w = { .clocks = { clock_new (GST_CLOCK_TYPE_REALTIME),
                  clock_new (GST_CLOCK_TYPE_MONOTONIC) } };
  GstElement *sender, *sink;
  guint64 feedback;
  g_auto (Receiver) t;

  receiver_open (
      &t, "encoding-name=H264 latency=40", "rtph264depay" RECEIVER_OUT);
  sender = camera_pipeline (&t);
  sink = gst_bin_get_by_name (GST_BIN (sender), "sink");
  w.pipeline = rows[r].sender ? sender : t.pipeline;
  w.element = rows[r].sender ? sink : t.src;
  w.camera = gst_bin_get_by_name (GST_BIN (rows[r].sender ? sender : t.src),
      rows[r].sender ? "camera" : "udpsrc");
  w.packets = rows[r].sender ? "udp/packets" : "rtp";
  wait_frames (&t, 0, PACKETS);
  for (; done < rows[r].times; done++) {
    rows[r].act (&w, done);
    goes_on (&w, &t);
  }
  feedback = stat_of (sink, "sender/feedback");
  WAIT_UNTIL (t.bus, stat_of (sink, "sender/feedback") > feedback);
  trust_row ("fault", rows[r].name,
      "each time frames come again; feedback at the end", TRUE,
      "%u of %u times", done, rows[r].times);
  gst_object_unref (w.camera);
  gst_object_unref (sink);
  line_end (sender);
  gst_object_unref (w.clocks[0]);
  gst_object_unref (w.clocks[1]);
}

void
tests_add (void)
{
  rows_add_by ("/world", rows, path, test_times);
}
