/* The time by which the bins judge what comes from the network.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * GStreamer's system clock, as rtpsession and the jitterbuffer use it: a test
 * that replaces it (gst_system_clock_set_default()) moves all of them.
 */
#pragma once

#include <gst/gst.h>
#include <gst/rtpadapt/types.h>

G_BEGIN_DECLS

/* Monotonic, from any thread. */
static inline RaTime
system_now (void)
{
  GstClock *clock = gst_system_clock_obtain ();
  RaTime now = gst_clock_get_time (clock);

  gst_object_unref (clock);
  return now;
}

G_END_DECLS
