/* The fast clock of fast-clock.h: its waits, its speed, its pipelines.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * No row depends on how fast the machine is: elapsed times of two clocks are
 * compared, or a wait that would last for hours ends at all.
 */
#include "../main.h"
#include "fast-clock.h"

#define HOUR (3600 * GST_SECOND)

static GstClockTime
monotonic (void)
{
  return fast_read (CLOCK_MONOTONIC);
}

/* Between two readings of the clock lies `speed` times the time between two
 * readings of the kernel's clock.  It is at most that if the kernel's readings are
 * around those of the clock, and at least that if they are within. */
static void
test_speed (void)
{
  const guint speeds[] = { 1, 20, 1000, 1 };
  FastClock *clock = fast_clock_install ();

  for (guint i = 0; i < G_N_ELEMENTS (speeds); i++) {
    GstClockTime outer[2], inner[2], fast[2];

    fast_clock_set_speed (clock, speeds[i]);
    outer[0] = monotonic ();
    fast[0] = gst_clock_get_time (GST_CLOCK (clock));
    inner[0] = monotonic ();
    g_usleep (20000);
    inner[1] = monotonic ();
    fast[1] = gst_clock_get_time (GST_CLOCK (clock));
    outer[1] = monotonic ();
    g_assert_cmpuint (fast[1] - fast[0], <=, (outer[1] - outer[0]) * speeds[i]);
    g_assert_cmpuint (fast[1] - fast[0], >=, (inner[1] - inner[0]) * speeds[i]);
  }
  fast_clock_uninstall (clock);
}

/* The wall clock that GStreamer and OpenSSL see is as far ahead. */
static void
test_wall (void)
{
  FastClock *clock = fast_clock_install ();
  g_autoptr (GstClock) system = gst_system_clock_obtain ();
  GstClockTime before, after;
  struct timeval tv;
  gint64 wall;

  g_assert_true (system == GST_CLOCK (clock));
  fast_clock_set_speed (clock, 3600000); /* an hour in a millisecond */
  fast_sleep (clock, 2 * HOUR);          /* ahead by more than one of them */
  fast_clock_set_speed (clock, 1);
  before = fast_read (CLOCK_REALTIME);
  wall = g_get_real_time ();
  gettimeofday (&tv, NULL);
  after = fast_read (CLOCK_REALTIME);
  g_assert_cmpint (wall, >=, (gint64) ((before + HOUR) / 1000) - 1);
  g_assert_cmpuint (GST_TIMEVAL_TO_TIME (tv), >=, before + HOUR - GST_MSECOND);
  g_assert_cmpuint (GST_TIMEVAL_TO_TIME (tv) / 1000, >=, (guint64) wall);
  g_assert_cmpuint (
      GST_TIMEVAL_TO_TIME (tv), <=, after + fast_ahead () + GST_MSECOND);
  fast_clock_uninstall (clock);
}

static gpointer
wait_an_hour (gpointer id)
{
  return GINT_TO_POINTER (gst_clock_id_wait (id, NULL));
}

/* A wait that is under way ends sooner when the clock gets faster, and at once
 * when it is unscheduled; the next one with the same entry does not begin. */
static void
test_waits (void)
{
  FastClock *clock = fast_clock_install ();
  GstClockID id
      = gst_clock_new_single_shot_id (GST_CLOCK (clock), fast_now () + HOUR);
  GThread *thread = g_thread_new ("wait", wait_an_hour, id);

  g_usleep (10000);
  fast_clock_set_speed (clock, 360000);
  /* On a loaded machine the wait begins when the hour is over: GST_CLOCK_EARLY. */
  g_assert_cmpint (
      GPOINTER_TO_INT (g_thread_join (thread)), <=, GST_CLOCK_EARLY);
  fast_clock_set_speed (clock, 1);
  g_assert_cmpint (gst_clock_id_wait (id, NULL), ==, GST_CLOCK_EARLY);
  gst_clock_single_shot_id_reinit (GST_CLOCK (clock), id, fast_now () + HOUR);
  thread = g_thread_new ("wait", wait_an_hour, id);
  g_usleep (10000);
  gst_clock_id_unschedule (id);
  g_assert_cmpint (
      GPOINTER_TO_INT (g_thread_join (thread)), ==, GST_CLOCK_UNSCHEDULED);
  g_assert_cmpint (gst_clock_id_wait (id, NULL), ==, GST_CLOCK_UNSCHEDULED);
  gst_clock_id_unref (id);
  fast_clock_uninstall (clock);
}

static gint called[3]; /* atomic: by which call; and how many times */

static gboolean
note_call (GstClock *clock, GstClockTime time, GstClockID id, gpointer data)
{
  static gint calls;

  g_atomic_int_set ((gint *) data, g_atomic_int_add (&calls, 1) + 1);
  return TRUE;
}

static gboolean
count_call (GstClock *clock, GstClockTime time, GstClockID id, gpointer data)
{
  if (g_atomic_int_add ((gint *) data, 1) == 2)
    gst_clock_id_unschedule (id);
  return TRUE;
}

/* Functions are called in the order of their times, whatever the order in which the
 * waits began.  A wait that is unscheduled calls none; one that is periodic does
 * until then. */
static void
test_async (void)
{
  FastClock *clock = fast_clock_install ();
  GstClockTime now = fast_now ();
  GstClockID ids[4];

  ids[0] = gst_clock_new_single_shot_id (GST_CLOCK (clock), now + 2 * HOUR);
  ids[1] = gst_clock_new_single_shot_id (GST_CLOCK (clock), now + HOUR);
  ids[2] = gst_clock_new_single_shot_id (GST_CLOCK (clock), now + HOUR / 2);
  ids[3] = gst_clock_new_periodic_id (GST_CLOCK (clock), now, HOUR);
  for (guint i = 0; i < 3; i++)
    gst_clock_id_wait_async (
        ids[i], note_call, i < 2 ? &called[i] : NULL, NULL);
  gst_clock_id_unschedule (ids[2]);
  gst_clock_id_wait_async (ids[3], count_call, &called[2], NULL);
  fast_clock_set_speed (clock, 360000);
  fast_sleep (clock, 8 * HOUR);
  while (
      g_atomic_int_get (&called[0]) == 0 || g_atomic_int_get (&called[2]) < 3)
    g_usleep (1000);
  fast_clock_set_speed (clock, 1);
  g_assert_cmpint (called[1], ==, 1);
  g_assert_cmpint (called[0], ==, 2);
  g_assert_cmpint (called[2], ==, 3);
  for (guint i = 0; i < 4; i++)
    gst_clock_id_unref (ids[i]);
  fast_clock_uninstall (clock);
}

/* An hour of a live source, one picture each second. */
static void
test_pipeline (void)
{
  FastClock *clock = fast_clock_install ();
  GstElement *pipeline = gst_parse_launch (
      "videotestsrc is-live=true num-buffers=3600 ! "
      "video/x-raw,width=16,height=16,framerate=1/1 ! fakesink sync=true",
      NULL);
  g_autoptr (GstBus) bus = gst_element_get_bus (pipeline);
  GstClockTime began = fast_now ();
  g_autoptr (GstMessage) message = NULL;

  gst_pipeline_use_clock (GST_PIPELINE (pipeline), GST_CLOCK (clock));
  fast_clock_set_speed (clock, 7200);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  message = gst_bus_timed_pop_filtered (
      bus, 60 * GST_SECOND, GST_MESSAGE_EOS | GST_MESSAGE_ERROR);
  g_assert_nonnull (message);
  g_assert_cmpint (GST_MESSAGE_TYPE (message), ==, GST_MESSAGE_EOS);
  g_assert_cmpuint (fast_now () - began, >=, HOUR - GST_SECOND);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_object_unref (pipeline);
  fast_clock_uninstall (clock);
}

void
tests_add (void)
{
  g_test_add_func ("/fast-clock/speed", test_speed);
  g_test_add_func ("/fast-clock/wall", test_wall);
  g_test_add_func ("/fast-clock/waits", test_waits);
  g_test_add_func ("/fast-clock/async", test_async);
  g_test_add_func ("/fast-clock/pipeline", test_pipeline);
}
