/* rtpadaptsend: statistics, field by field.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "sendstreams.h"

#include <gst/gst.h>
#include <gst/rtpadapt/feedback.h>
#include <gst/rtpadapt/feedback/ear.h>

G_BEGIN_DECLS

/* What the sender has done and measured. */
void send_stats_sender (GstStructure *s, const RaSender *sender);
/* What was sent again, and what was not. */
void send_stats_repair (GstStructure *s, const RaRepair *repair);
/* How the receiver is heard: the kind of feedback in use and the kind that is set,
 * NULL for none; `ear` is NULL while the element is stopped. */
void send_stats_heard (GstStructure *s, const RaFeedbackOps *mode,
    const RaFeedbackOps *wanted, const RaEarStats *heard, guint64 malformed,
    const RaEar *ear);
/* Packets and bytes that were sent of each RaMark, and what gave them that. */
void send_stats_marks (GstStructure *s, const gchar *colour,
    const guint64 *packets, const guint64 *bytes);
/* The streams, and what FEC and those streams that no encoder drives take. */
void send_stats_streams (GstStructure *s, const RaSender *sender,
    const Streams *streams, RaTime now);
void send_stats_ecn (GstStructure *s, const RaEarStats *heard);

G_END_DECLS
