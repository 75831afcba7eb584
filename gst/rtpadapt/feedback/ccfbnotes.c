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

  s->low = s->noted > 0 ? MIN (s->low, e->index) : e->index;
  s->noted = MAX (s->noted, e->index + 1);
  /* What came counts once: a mark of a later copy, which the receiver has to report
   * (RFC 8888 3.1), is left out where it has reported the first one before. */
  if (news <= e->fate || news <= e->noted)
    return;
  e->noted = (guint8) news;
  e->remote = row->remote;
  e->came = (guint8) row->ecn;
  n->low = n->high > 0 ? MIN (n->low, e->index) : e->index;
  n->high = MAX (n->high, e->index + 1);
  if (row->received && row->remote == RA_TIME_NONE)
    return;
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

/* From its `reported` on, what no report speaks of is lost.  A stream that was never
 * reported may be none of the receiver's.  Where the next report may have the rest of
 * this one, a stream of which this one has something new may go on there. */
static gboolean
is_settled (const RaLedgerStream *s)
{
  return s->reported > 0 && s->noted == 0;
}

void
ra_ccfb_notes_begin (RaCcfbNotes *n, RaLedger *ledger, gsize len)
{
  gboolean cut = len >= RA_CCFB_CUT;
  guint64 oldest = ledger->next - MIN (ledger->next, RA_LEDGER_SIZE);

  n->at = n->high > 0 ? n->low : G_MAXUINT64;
  if (n->high > 0)
    n->until = cut ? n->taken_end : MAX (n->end, n->taken_end);
  for (guint i = 0; i < ledger->n_streams; i++) {
    RaLedgerStream *s = &ledger->streams[i];
    gboolean goes_on = cut && s->noted > s->reported;

    s->from = s->noted > 0 ? s->low : s->reported;
    if (s->noted > 0)
      n->at = MIN (n->at, s->from);
    n->past = MAX (n->past, s->noted);
    s->reported = MAX (s->reported, s->noted);
    s->noted = goes_on ? s->noted : 0;
    if (is_settled (s) && s->last >= s->reported)
      n->at = MIN (n->at, s->reported);
  }
  n->at = MAX (n->at, oldest);
}

/* RFC 8888 ends a stream's rows with the highest that arrived: what is missing
 * behind it shows when a later packet of another stream did arrive. */
static gboolean
missing_unsaid (const RaCcfbNotes *n, RaLedger *ledger, const RaLedgerEntry *e)
{
  const RaLedgerStream *s = ra_ledger_stream (ledger, e->ssrc);

  return e->fate == RA_FATE_NOTHING && e->index < n->until && s
      && is_settled (s) && e->index >= s->reported;
}

/* The report speaks of packets of its stream before and behind it.  Of two copies with
 * one number the later one is spoken of. */
static gboolean
is_left_out (RaLedger *ledger, const RaLedgerEntry *e)
{
  const RaLedgerStream *s = ra_ledger_stream (ledger, e->ssrc);

  return e->fate == RA_FATE_NOTHING && s && e->index >= s->from
      && e->index < s->reported
      && ra_ledger_find (ledger, e->ssrc, e->seq) == e;
}

/* What was missing until there is known to be. */
static void
streams_settle (const RaCcfbNotes *n, RaLedger *ledger)
{
  for (guint i = 0; i < ledger->n_streams; i++) {
    RaLedgerStream *s = &ledger->streams[i];

    if (is_settled (s))
      s->reported = MAX (s->reported, n->until);
    s->noted = 0;
  }
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
  if (noted == RA_FATE_NOTHING && !missing_unsaid (n, ledger, e)
      && !is_left_out (ledger, e))
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
  while (n->at < MAX (n->past, n->until)) {
    RaLedgerEntry *e = ra_ledger_at (ledger, n->at++);

    if (e && take (n, ledger, clock, e, row, ago))
      return TRUE;
  }
  streams_settle (n, ledger);
  n->taken_end = MAX (n->taken_end, n->end);
  clear (n);
  return FALSE;
}
