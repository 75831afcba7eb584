/* rtpadaptsrc: posts its statistics every now and then.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "parts/elementtimer.h"
#include "srcpriv.h"

static void
stats_due (GstElement *element)
{
  GstStructure *stats;

  g_object_get (element, "stats", &stats, NULL);
  gst_element_post_message (
      element, gst_message_new_element (GST_OBJECT (element), stats));
}

void
src_stats_restart (GstRtpAdaptSrc *self, gboolean on)
{
  GstElement *element = GST_ELEMENT (self);
  GstClockTime interval;

  element_timer_stop (element, &self->stats);
  GST_OBJECT_LOCK (self);
  interval = self->cfg.stats_interval;
  GST_OBJECT_UNLOCK (self);
  if (on && interval)
    element_timer_start (element, &self->stats, interval, TRUE, stats_due);
}
