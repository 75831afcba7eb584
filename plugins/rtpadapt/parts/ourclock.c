/* The time of an element: a clock's plus a constant.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "ourclock.h"

void
our_clock_start (OurClock *c, GstClock *clock)
{
  c->system = gst_system_clock_obtain ();
  c->clock = clock ? clock : gst_object_ref (c->system);
  c->offset = 0;
}

void
our_clock_stop (OurClock *c)
{
  gst_clear_object (&c->clock);
  gst_clear_object (&c->system);
}

gboolean
our_clock_set (OurClock *c, GstClock *clock)
{
  RaTime now;

  if (!clock || !c->clock || clock == c->clock)
    return FALSE;
  now = our_now (c);
  gst_object_replace ((GstObject **) &c->clock, GST_OBJECT (clock));
  c->offset = ra_diff (now, gst_clock_get_time (clock));
  return TRUE;
}
