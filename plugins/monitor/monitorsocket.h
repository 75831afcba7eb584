/* Where a tracer looks for rtpadapt-monitor, and what it says there.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * One JSON object a line, in UTF-8:
 *
 *   version   1
 *   program   the name of the program that streams, pid its number
 *   element   its path in the pipeline
 *   kind      "send", "recv" or "src": rtpadaptsend, rtpadaptrecv, rtpadaptsrc
 *   time_us   CLOCK_MONOTONIC when the message was posted, microseconds
 *   dropped   lines that this program could not send so far
 *   stats     the message's structure, field by field; null is what JSON has
 *             no number for, and a number beyond 2^63
 */
#pragma once

#define MONITOR_VERSION 1

/* In g_get_user_runtime_dir(), if nothing else is said. */
#define MONITOR_SOCKET "rtpadapt-monitor.sock"

/* No line is longer: ours has about 4 KiB. */
#define MONITOR_LINE_MAX 65536
