/* RFC 8888's rows, noted in the ledger until they are taken in order.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "ccfbnotes.h"

#include <gst/rtpadapt/feedback/stamp.h>

gboolean
ccfb_notes_add (CcfbNotes *n, RaLedger *log, const CcfbRow *row)
{
  RaLedgerEntry *p = ra_ledger_find (log, row->ssrc, row->seq);
  RaFate news = row->received ? RA_FATE_ARRIVED : RA_FATE_LOST;
  RaLedgerStream *stream = ra_ledger_stream (log, row->ssrc);

  if (!p || !stream)
    return FALSE;
  stream->reported = MAX (stream->reported, p->index + 1);
  /* Of several copies the first counts (RFC 8888 3.1). */
  if (news <= p->fate || news <= p->noted)
    return TRUE;
  if (row->received && !GST_CLOCK_TIME_IS_VALID (row->remote)) {
    ra_ledger_hear (p, TRUE); /* of no use, but not lost either */
    p->noted = RA_FATE_NOTHING;
    return TRUE;
  }
  p->noted = (guint8) news;
  p->remote = row->remote;
  p->came = (guint8) row->ecn;
  n->first = n->end > 0 ? MIN (n->first, p->index) : p->index;
  n->end = MAX (n->end, p->index + 1);
  return TRUE;
}

/* RFC 8888 ends a stream's rows with the highest that arrived: what is missing
 * behind it shows when a later packet of another stream did arrive.  A stream
 * that was never reported may be none of the receiver's. */
static gboolean
missing_unsaid (RaLedger *log, const RaLedgerEntry *p)
{
  const RaLedgerStream *stream = ra_ledger_stream (log, p->ssrc);

  return p->fate == RA_FATE_NOTHING && stream && stream->reported > 0
      && p->index >= stream->reported;
}

GArray *
ccfb_notes_take (CcfbNotes *n, RaLedger *log, RemoteClock *clock)
{
  GArray *out = g_array_new (FALSE, FALSE, sizeof (RaFeedbackPacket));
  guint64 oldest = log->next - MIN (log->next, RA_LEDGER_SIZE);

  for (guint64 i = MAX (MIN (n->first, n->taken_end), oldest); i < n->end;
       i++) {
    RaLedgerEntry *p = ra_ledger_at (log, i);
    RaFeedbackPacket row = { .seq = i, .arrival = RA_TIME_NONE };
    gboolean arrived = p->noted == RA_FATE_ARRIVED;

    if (p->noted == RA_FATE_NOTHING && !missing_unsaid (log, p))
      continue;
    p->noted = RA_FATE_NOTHING;
    row.ce = arrived && p->came == RA_ECN_CE;
    if (arrived)
      row.arrival
          = remote_clock_unwrap (clock, p->remote, RA_STAMP_NTP_WRAP, p->sent);
    g_array_append_val (out, row);
  }
  n->taken_end = MAX (n->taken_end, n->end);
  n->end = 0;
  return out;
}
