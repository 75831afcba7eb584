/* A timer of an element, by GStreamer's system clock.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The element has the timer as a GstClockID, which its object lock guards; NULL:
 * it does not run.
 */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

/* Called from the clock's thread, which may not wait. */
typedef void (*ElementTimerFunc) (GstElement *element);

/* Calls `func` when `after` has passed: once, or again each time that it has
 * passed (`repeat`).  A timer that runs already goes on as it is. */
void element_timer_start (GstElement *element, GstClockID *timer,
    GstClockTime after, gboolean repeat, ElementTimerFunc func);
/* Stops it; a call that has begun goes on.  FALSE: it did not run. */
gboolean element_timer_stop (GstElement *element, GstClockID *timer);

G_END_DECLS
