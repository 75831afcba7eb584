/* Whether the receiver uses what is sent again and FEC, and how the sender plans for
 * it.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A retransmission has an SSRC and a payload type of its own.  A receiver that does
 * not know them may end in error, and its reports do not show that it used nothing.
 * So nothing is sent again by RFC 4588 before the receiver has said that it uses it, or
 * asked for a packet.  A stranger, which is none of ours, gets the lost packets themselves
 * again, which every receiver knows.  RFC 4588 3 sends repetitions in a stream of their own
 * because reports count such packets as if nothing had been lost.  Transport-wide numbers
 * tell them apart, and of other feedback a stranger gets none.
 *
 * A receiver never asks for FEC, whose payload type is another that it may not know: FEC
 * waits for its word, unless the owner knows that it is agreed on.
 *
 * Plain data; zeroed memory is ready.  The owner's lock is held for all calls.
 */
#pragma once

#include <gst/rtpadapt/feedback/ear.h>
#include <gst/rtpadapt/repair/repair.h>

G_BEGIN_DECLS

typedef struct
{
  gboolean nacked; /* it asked for a packet */
  gboolean plain;  /* what is sent again is not wrapped (RFC 4588) */
  guint64 late;    /* repeats that waited here until they were too late */
} RtxGate;

/* It asks for a packet. */
void rtx_gate_on_nack (RtxGate *g);
/* Another receiver: what the one before asked for is forgotten.  `late` goes on. */
void rtx_gate_on_receiver (RtxGate *g);
/* What was to be sent again is dropped, as it waited until it was too late. */
void rtx_gate_on_late (RtxGate *g);
/* TRUE: FEC may be sent.  `unasked`: to any receiver; `takes` as below. */
gboolean rtx_gate_fec (gboolean unasked, const RaTakes *takes);
/* What the planner goes by.  `wanted`: packets are to be sent again without being
 * asked for; `stranger`: the receiver is none of ours, and no packet is encrypted; `kind`:
 * of feedback, or NULL; `takes`, `hold`: what the receiver says, or NULL; `latency` counts
 * where it does not say how long it holds packets.  While it says what it uses, requests
 * so far are forgotten. */
RaRepairConfig rtx_gate_config (RtxGate *g, gboolean wanted, gboolean stranger,
    const RaFeedbackOps *kind, const RaTakes *takes, const RaRadpHold *hold,
    RaSpan latency);

G_END_DECLS
