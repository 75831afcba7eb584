/* Messages to a Unix socket from a thread of its own.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Who posts a message never waits: what the socket does not take in time is
 * dropped, the oldest first, and counted.
 */
#pragma once

#include <gst/gst.h>

/* Half a minute of one element. */
#define MONITOR_QUEUE_MAX 64

typedef struct _MonitorSender MonitorSender;

/* `path` of the socket, which may come and go. */
MonitorSender *monitor_sender_new (const gchar *path);

/* `element` is that of the message, at `time_us`. */
void monitor_sender_push (MonitorSender *sender, GstMessage *message,
    const gchar *element, gint64 time_us);

/* What waits has half a second to get through. */
void monitor_sender_free (MonitorSender *sender);
