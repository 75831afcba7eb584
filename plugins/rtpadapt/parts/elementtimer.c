/* A timer of an element, by GStreamer's system clock.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "elementtimer.h"

typedef struct
{
  GWeakRef element; /* the timer may outlive it */
  ElementTimerFunc func;
} Due;

static void
due_free (gpointer data)
{
  Due *due = data;

  g_weak_ref_clear (&due->element);
  g_free (due);
}

static gboolean
on_due (GstClock *clock, GstClockTime time, GstClockID id, gpointer data)
{
  Due *due = data;
  GstElement *element = g_weak_ref_get (&due->element);

  if (!element) {
    gst_clock_id_unschedule (id); /* or a periodic one would go on for ever */
    return FALSE;
  }
  due->func (element);
  gst_object_unref (element);
  return TRUE;
}

void
element_timer_start (GstElement *element, GstClockID *timer, GstClockTime after,
    gboolean repeat, ElementTimerFunc func)
{
  GstClock *clock = gst_system_clock_obtain ();
  GstClockTime first = gst_clock_get_time (clock) + after;
  GstClockID id = NULL;

  GST_OBJECT_LOCK (element);
  if (!*timer)
    id = *timer = repeat ? gst_clock_new_periodic_id (clock, first, after)
                         : gst_clock_new_single_shot_id (clock, first);
  if (id)
    gst_clock_id_ref (id);
  GST_OBJECT_UNLOCK (element);
  if (id) {
    Due *due = g_new0 (Due, 1);

    g_weak_ref_init (&due->element, element);
    due->func = func;
    gst_clock_id_wait_async (id, on_due, due, due_free);
    gst_clock_id_unref (id);
  }
  gst_object_unref (clock);
}

gboolean
element_timer_stop (GstElement *element, GstClockID *timer)
{
  GstClockID id;

  GST_OBJECT_LOCK (element);
  id = g_steal_pointer (timer);
  GST_OBJECT_UNLOCK (element);
  if (!id)
    return FALSE;
  gst_clock_id_unschedule (id);
  gst_clock_id_unref (id);
  return TRUE;
}
