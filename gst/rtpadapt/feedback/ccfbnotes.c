/* RFC 8888's rows, noted in the ledger until they are taken in order.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <gst/rtpadapt/feedback/ccfbnotes.h>

#include <gst/rtpadapt/feedback/stamp.h>

static void
arrived_add (RaCcfbNotes *n, const RaLedgerEntry *e)
{
  n->sent = MAX (n->sent, e->sent);
  n->newest = MAX (n->newest, e->remote);
  if (!n->last || e->index > n->last->index)
    n->last = e;
}

void
ra_ccfb_notes_add (
    RaCcfbNotes *n, RaLedgerStream *s, RaLedgerEntry *e, const RaCcfbRow *row)
{
  RaFate news = row->received ? RA_FATE_ARRIVED : RA_FATE_LOST;

  s->noted = MAX (s->noted, e->index + 1);
  /* Of several copies the first counts (RFC 8888 3.1). */
  if (news <= e->fate || news <= e->noted)
    return;
  e->noted = (guint8) news;
  e->remote = row->remote;
  e->came = (guint8) row->ecn;
  n->low = n->high > 0 ? MIN (n->low, e->index) : e->index;
  n->high = MAX (n->high, e->index + 1);
  if (row->received && row->remote == RA_TIME_NONE)
    return;
  n->first = n->end > 0 ? MIN (n->first, e->index) : e->index;
  n->end = MAX (n->end, e->index + 1);
  if (row->received)
    arrived_add (n, e);
}

static void
clear (RaCcfbNotes *n)
{
  *n = (RaCcfbNotes){ .taken_end = n->taken_end };
}

void
ra_ccfb_notes_drop (RaCcfbNotes *n, RaLedger *ledger)
{
  for (guint64 i = n->low; i < n->high; i++) {
    RaLedgerEntry *e = ra_ledger_at (ledger, i);

    if (e)
      e->noted = RA_FATE_NOTHING;
  }
  for (guint i = 0; i < ledger->n_streams; i++)
    ledger->streams[i].noted = 0;
  clear (n);
}

void
ra_ccfb_notes_begin (RaCcfbNotes *n, RaLedger *ledger)
{
  guint64 oldest = ledger->next - MIN (ledger->next, RA_LEDGER_SIZE);

  for (guint i = 0; i < ledger->n_streams; i++) {
    RaLedgerStream *s = &ledger->streams[i];

    s->reported = MAX (s->reported, s->noted);
    s->noted = 0;
  }
  n->first = MAX (MIN (n->first, n->taken_end), oldest);
  n->at = n->high > 0 ? MIN (n->low, n->first) : 0;
  n->at = MAX (n->at, oldest);
}

/* RFC 8888 ends a stream's rows with the highest that arrived: what is missing
 * behind it shows when a later packet of another stream did arrive.  A stream
 * that was never reported may be none of the receiver's. */
static gboolean
missing_unsaid (RaLedger *ledger, const RaLedgerEntry *e)
{
  const RaLedgerStream *s = ra_ledger_stream (ledger, e->ssrc);

  return e->fate == RA_FATE_NOTHING && s && s->reported > 0
      && e->index >= s->reported;
}

/* FALSE: it is known already, or of no use. */
static gboolean
take (RaCcfbNotes *n, RaLedger *ledger, RaRemoteClock *clock, RaLedgerEntry *e,
    RaFeedbackPacket *row, RaSpan *ago)
{
  RaFate noted = (RaFate) e->noted;

  e->noted = RA_FATE_NOTHING;
  if (noted == RA_FATE_ARRIVED && e->remote == RA_TIME_NONE) {
    ra_ledger_hear (e, TRUE); /* no row says when, but it is not lost */
    return FALSE;
  }
  if (noted == RA_FATE_NOTHING
      && (e->index < n->first || e->index >= n->end
          || !missing_unsaid (ledger, e)))
    return FALSE;
  *row = (RaFeedbackPacket){ .seq = e->index, .arrival = RA_TIME_NONE };
  *ago = 0;
  if (noted == RA_FATE_ARRIVED) {
    row->ce = e->came == RA_ECN_CE;
    row->arrival
        = ra_remote_clock_unwrap (clock, e->remote, RA_STAMP_NTP_WRAP, e->sent);
    *ago = ra_diff (n->newest, e->remote);
  }
  return TRUE;
}

gboolean
ra_ccfb_notes_next (RaCcfbNotes *n, RaLedger *ledger, RaRemoteClock *clock,
    RaFeedbackPacket *row, RaSpan *ago)
{
  while (n->at < n->high) {
    RaLedgerEntry *e = ra_ledger_at (ledger, n->at++);

    if (e && take (n, ledger, clock, e, row, ago))
      return TRUE;
  }
  n->taken_end = MAX (n->taken_end, n->end);
  clear (n);
  return FALSE;
}
