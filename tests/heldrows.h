/* A report of single packets that the peer held, as RFC 8888's reader hands it over.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gst/rtpadapt/senderperpacket.h>

static inline gboolean
held_rows_hear (RaSender *s, const RaFeedbackPacket *row, guint n, RaSpan grain,
    RaSpan held, RaTime now)
{
  RaRows rows = { .now = now, .grain = grain, .held = held };
  RaTime newest = 0;

  for (guint i = 0; i < n; i++) {
    const RaLedgerEntry *e = ra_ledger_at (ra_sender_ledger (s), row[i].seq);

    if (row[i].arrival == RA_TIME_NONE)
      continue;
    newest = MAX (newest, row[i].arrival);
    rows.sent = e ? MAX (rows.sent, e->sent) : rows.sent;
    rows.last = e ? e : rows.last;
  }
  if (!ra_sender_rows_begin (s, &rows))
    return FALSE;
  for (guint i = 0; i < n; i++)
    ra_sender_row (s, &rows, &row[i],
        row[i].arrival == RA_TIME_NONE ? 0 : ra_diff (newest, row[i].arrival));
  return ra_sender_rows_end (s, &rows);
}
