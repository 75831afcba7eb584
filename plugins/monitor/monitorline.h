/* A statistics message as a line for rtpadapt-monitor.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gst/gst.h>

/* "send", "recv", "src", or NULL if the structure is none of ours. */
const gchar *monitor_line_kind (const GstStructure *s);

/* With its line end; see monitorsocket.h. */
gchar *monitor_line (const GstStructure *s, const gchar *element,
    gint64 time_us, guint64 dropped);
