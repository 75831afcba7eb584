/* rtpadaptsend: statistics, field by field.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gst/gst.h>
#include <gst/rtpadapt/feedback.h>
#include <gst/rtpadapt/feedback/ear.h>

G_BEGIN_DECLS

/* What the sender has done and measured. */
void send_stats_sender (GstStructure *s, const RaSender *sender);
/* How the receiver is heard: the kind of feedback in use and the kind that is set,
 * NULL for none; `ear` is NULL while the element is stopped. */
void send_stats_heard (GstStructure *s, const RaFeedbackOps *mode,
    const RaFeedbackOps *wanted, const RaEarStats *heard, guint64 malformed,
    const RaEar *ear);
void send_stats_ecn (GstStructure *s, const RaEarStats *heard);

G_END_DECLS
