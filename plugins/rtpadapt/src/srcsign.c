/* rtpadaptsrc: signs of life for a sender that is silent.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A sender that heard nothing for long sends next to nothing, and waits for a
 * report to begin again.  rtpsession alone would send one each five seconds.
 */
#include "srcpriv.h"

#include "weak.h"

#define INTERVAL (500 * GST_MSECOND)

static gboolean
sign_due (GstClock *clock, GstClockTime time, GstClockID id, gpointer data)
{
  GstRtpAdaptSrc *self = g_weak_ref_get (data);

  if (!self)
    return FALSE;
  if (src_gate_is_quiet (self->gate))
    src_session_ask (self);
  gst_object_unref (self);
  return TRUE;
}

void
src_sign_start (GstRtpAdaptSrc *self)
{
  GstClock *clock = gst_system_clock_obtain ();
  GstClockID id = NULL;

  GST_OBJECT_LOCK (self);
  if (!self->sign_timer)
    id = self->sign_timer = gst_clock_new_periodic_id (
        clock, gst_clock_get_time (clock) + INTERVAL, INTERVAL);
  if (id)
    gst_clock_id_ref (id);
  GST_OBJECT_UNLOCK (self);
  if (id) {
    gst_clock_id_wait_async (id, sign_due, weak_new (self), weak_free);
    gst_clock_id_unref (id);
  }
  gst_object_unref (clock);
}

void
src_sign_stop (GstRtpAdaptSrc *self)
{
  GstClockID id;

  GST_OBJECT_LOCK (self);
  id = g_steal_pointer (&self->sign_timer);
  GST_OBJECT_UNLOCK (self);
  if (!id)
    return;
  gst_clock_id_unschedule (id);
  gst_clock_id_unref (id);
}
