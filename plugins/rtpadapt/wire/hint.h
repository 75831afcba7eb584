/* A look at an element some time after it started, to say what may be wrong.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

/* Somebody who answers has done so by then. */
#define HINT_AFTER (3 * GST_SECOND)
#define HINT_SECONDS "3 s"

/* Calls `look` once, HINT_AFTER from now by the system clock, from a thread that
 * may post; not after hint_stop().  `timer` is the element's, and guarded by its
 * object lock; nothing happens if it runs already. */
void hint_start (
    GstElement *element, GstClockID *timer, GstElementCallAsyncFunc look);
void hint_stop (GstElement *element, GstClockID *timer);
/* TRUE if `timer` is still due: `look` calls it first. */
gboolean hint_take (GstElement *element, GstClockID *timer);

G_END_DECLS
