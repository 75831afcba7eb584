/* A look at an element some time after it started, to say what may be wrong.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "hint.h"

#include "weak.h"

typedef struct
{
  GWeakRef *element;
  GstElementCallAsyncFunc look;
} Hint;

static void
hint_free (gpointer data)
{
  Hint *hint = data;

  weak_free (hint->element);
  g_free (hint);
}

/* In the clock's thread, which may not wait for a handler on the bus. */
static gboolean
on_due (GstClock *clock, GstClockTime time, GstClockID id, gpointer data)
{
  const Hint *hint = data;
  GstElement *element = g_weak_ref_get (hint->element);

  if (!element)
    return FALSE;
  gst_element_call_async (element, hint->look, NULL, NULL);
  gst_object_unref (element);
  return TRUE;
}

void
hint_start (
    GstElement *element, GstClockID *timer, GstElementCallAsyncFunc look)
{
  GstClock *clock = gst_system_clock_obtain ();
  GstClockID id = NULL;

  GST_OBJECT_LOCK (element);
  if (!*timer)
    id = *timer = gst_clock_new_single_shot_id (
        clock, gst_clock_get_time (clock) + HINT_AFTER);
  if (id)
    gst_clock_id_ref (id);
  GST_OBJECT_UNLOCK (element);
  if (id) {
    Hint *hint = g_new (Hint, 1);

    *hint = (Hint){ weak_new (element), look };
    gst_clock_id_wait_async (id, on_due, hint, hint_free);
    gst_clock_id_unref (id);
  }
  gst_object_unref (clock);
}

void
hint_stop (GstElement *element, GstClockID *timer)
{
  GstClockID id;

  GST_OBJECT_LOCK (element);
  id = g_steal_pointer (timer);
  GST_OBJECT_UNLOCK (element);
  if (!id)
    return;
  gst_clock_id_unschedule (id);
  gst_clock_id_unref (id);
}

gboolean
hint_take (GstElement *element, GstClockID *timer)
{
  gboolean due;

  GST_OBJECT_LOCK (element);
  due = *timer != NULL;
  GST_OBJECT_UNLOCK (element);
  hint_stop (element, timer);
  return due;
}
