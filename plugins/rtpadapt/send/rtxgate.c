/* Which requests for a packet go on to rtprtxsend upstream.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "rtxgate.h"

/* A request within this part of the round trip is too early.  The smoothed round
 * trip is longer than the last one when a queue has just emptied, and a request
 * that is refused wrongly costs a packet. */
#define SOONEST 2

static gboolean
is_wanted (const RtxGate *g, const RaLedgerEntry *p, RaSpan rtt, RaTime now)
{
  if (!p || p->is_repair || p->fate == RA_FATE_ARRIVED || g->credit < RTX_SHARE)
    return FALSE;
  return ra_diff (now, p->sent) >= rtt / SOONEST
      && (p->asked_again == 0 || ra_diff (now, p->asked_again) >= rtt);
}

RtxVerdict
rtx_gate_ask (RtxGate *g, RaLedgerEntry *packet, RaSpan rtt, RaTime now)
{
  RtxVerdict verdict;

  g->asked++;
  if (!is_wanted (g, packet, rtt, now)) {
    g->refused++;
    return RTX_REFUSED;
  }
  verdict = packet->asked_again == 0 ? RTX_FIRST : RTX_AGAIN;
  packet->asked_again = now;
  g->credit -= RTX_SHARE;
  return verdict;
}

void
rtx_gate_on_sent (RtxGate *g)
{
  g->credit = MIN (g->credit + 1, RTX_SHARE * RTX_BURST);
}
