/* Whether the receiver uses what is sent again and FEC, and how the sender plans for
 * it.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "rtxgate.h"

void
rtx_gate_on_nack (RtxGate *g)
{
  g->nacked = TRUE;
}

void
rtx_gate_on_receiver (RtxGate *g)
{
  g->nacked = g->plain = FALSE;
}

void
rtx_gate_on_late (RtxGate *g)
{
  g->late++;
}

gboolean
rtx_gate_fec (gboolean unasked, const RaTakes *takes)
{
  return unasked
      || (takes && (takes->flags & (RA_TAKES_FEC | RA_TAKES_RS)) != 0);
}

RaRepairConfig
rtx_gate_config (RtxGate *g, gboolean wanted, gboolean stranger,
    const RaFeedbackOps *kind, const RaTakes *takes, const RaRadpHold *hold,
    RaSpan latency)
{
  gboolean uses = takes ? (takes->flags & RA_TAKES_RTX) != 0 : g->nacked;

  g->plain = stranger && kind && kind->final;
  /* The requests of a receiver that says what it uses do not speak for the one that may
   * take its place. */
  if (takes)
    g->nacked = FALSE;
  return (RaRepairConfig){
    .on = wanted && (uses || g->plain),
    .rows = kind && kind->rows,
    /* A stranger sends no NACK for what a report shows too early: it gets it again. */
    .stands = kind && kind->final && !g->plain,
    .said = hold != NULL,
    .latency = hold ? hold->now : latency,
    .latency_most = hold ? hold->most : latency,
    .whole = g->plain,
    .follows = hold && hold->least < hold->most,
    .disorder = takes ? takes->disorder : RA_SPAN_NONE,
  };
}
