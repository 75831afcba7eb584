/* When the bins look whether anything has come.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * They look once, this long after they started.  The clock's thread may not wait
 * for a handler on the bus, so they post from a thread of the element's pool
 * (gst_element_call_async()).
 */
#pragma once

#include <gst/gst.h>

/* Whoever answers has done so by then. */
#define HINT_AFTER (3 * GST_SECOND)
#define HINT_SECONDS "3 s"
