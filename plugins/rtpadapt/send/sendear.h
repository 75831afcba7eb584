/* What rtpadaptsend hears: the library's ear, and what follows for the other parts.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Zeroed memory is ready.  The owner's lock is held for all calls.
 */
#pragma once

#include "feedbackmode.h"
#include "outage.h"
#include "sendwants.h"
#include "parts/fields.h"

#include "parts/ourclock.h"

#include <gst/gst.h>
#include <gst/rtpadapt/feedback/ear.h>

G_BEGIN_DECLS

typedef struct
{
  RaEar *ear;       /* NULL while the element is stopped */
  RaEarStats stats; /* of the last ear, when it stopped */
  RaTime heard_at;  /* when feedback or a report about us came last, or when we
                       started */
  gboolean heard;   /* it came since we started */
  gboolean refused; /* packets that rtpsession has given no number, perhaps */
} SendEar;

void send_ear_start (SendEar *e, RaSender *sender, RaTime now);
void send_ear_stop (SendEar *e);

/* Has the parts do what `news` ask for; returns what they want. */
SendWants send_ear_take (
    SendEar *e, RaEarNews news, FeedbackMode *mode, Outage *outage, RaTime now);
/* Packets were pushed, and `flow` is what came of it, at `passed_by` of rtpsession's
 * clock. */
void send_ear_on_pushed (SendEar *e, GstFlowReturn flow, RaTime passed_by);
/* TRUE, once: by the `news` somebody behind us takes or adds packets.  After a flush numbers
 * differ, too, and nobody can mend that. */
gboolean send_ear_take_misled (SendEar *e, RaEarNews news);
/* How long ago the receiver was heard last; RA_SPAN_NONE: not since the start. */
RaSpan send_ear_heard_ago (const SendEar *e, RaTime now);
/* A loss as element messages describe it (transfer full); `clock` says when the
 * packet was sent. */
GstStructure *send_ear_loss (const RaEarLoss *loss, const OurClock *clock);
/* `s`, of an event RTPAdaptLoss, says why a packet was lost. */
void send_ear_on_truth (SendEar *e, const GstStructure *s);
/* What was heard since the start, also after a stop. */
RaEarStats send_ear_stats (const SendEar *e);
/* Of "rtpadapt-loss". */
extern const Field send_ear_loss_fields[];

G_END_DECLS
