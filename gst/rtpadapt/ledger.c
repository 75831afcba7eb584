/* What was sent and when, until feedback speaks of it.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <gst/rtpadapt/ledger.h>

#include <gst/rtpadapt/loss/seq.h>

#define SEQ_MOD 65536

RaLedger *
ra_ledger_new (void)
{
  return g_new0 (RaLedger, 1);
}

void
ra_ledger_free (RaLedger *l)
{
  g_free (l);
}

static guint
hash (guint32 ssrc, guint16 seq)
{
  return (ssrc * 2654435761u + seq) % RA_LEDGER_SIZE;
}

static const RaLedgerEntry *
slot (const RaLedger *l, guint64 index)
{
  return &l->ring[index % RA_LEDGER_SIZE];
}

/* --- streams --------------------------------------------------------------- */

RaLedgerStream *
ra_ledger_stream (RaLedger *l, guint32 ssrc)
{
  for (guint i = 0; i < l->n_streams; i++) {
    if (l->streams[i].ssrc == ssrc)
      return &l->streams[i];
  }
  return NULL;
}

/* The one that was silent longest gives way. */
static RaLedgerStream *
stream_add (RaLedger *l, guint32 ssrc, guint16 seq)
{
  RaLedgerStream *s = &l->streams[0];

  if (l->n_streams < RA_LEDGER_SSRCS) {
    s = &l->streams[l->n_streams++];
  } else {
    for (guint i = 1; i < RA_LEDGER_SSRCS; i++) {
      if (l->streams[i].last < s->last)
        s = &l->streams[i];
    }
  }
  *s = (RaLedgerStream){ .ssrc = ssrc, .highest = SEQ_MOD + (guint64) seq };
  return s;
}

/* The gap with this number, or NULL. */
static RaLedgerGap *
gap_find (RaLedgerStream *s, guint64 seq)
{
  guint64 n = MIN (s->n_gaps, RA_LEDGER_GAPS);

  for (guint64 i = 0; i < n; i++) {
    RaLedgerGap *gap = &s->gaps[i];

    if (seq >= gap->first && seq - gap->first < gap->n)
      return gap;
  }
  return NULL;
}

/* The number nearest to the highest that ends in `seq`. */
static guint64
unwrap (const RaLedgerStream *s, guint16 seq)
{
  gint16 step = (gint16) (guint16) (seq - s->highest);

  return s->highest + (guint64) (gint64) step;
}

/* It was sent after all; what is missing before it may be, too. */
static void
gap_fill (RaLedger *l, RaLedgerStream *s, guint64 seq)
{
  RaLedgerGap *gap = gap_find (s, seq);

  if (!gap)
    return;
  l->skipped--;
  gap->sure = MAX (gap->sure, seq + 1);
}

/* A chain leads to ever older packets, and ends with one that left the ring. */
static RaLedgerEntry *
find_from (RaLedger *l, guint64 next, guint32 ssrc, guint16 seq)
{
  RaLedgerEntry *e;

  while (next > 0 && (e = ra_ledger_at (l, next - 1))) {
    if (e->ssrc == ssrc && e->seq == seq)
      return e;
    next = e->next < next ? e->next : 0;
  }
  return NULL;
}

static void
number_note (RaLedger *l, RaLedgerStream *s, const RaLedgerEntry *e)
{
  guint64 number = unwrap (s, e->seq);

  if (number > s->highest + RA_MAX_DROPOUT
      || number + RA_MAX_MISORDER < s->highest) {
    s->highest = SEQ_MOD + (guint64) e->seq;
    s->n_gaps = 0;
    return;
  }
  if (number <= s->highest) {
    if (!find_from (l, e->next, e->ssrc, e->seq)) /* no copy */
      gap_fill (l, s, number);
    return;
  }
  if (number > s->highest + 1) {
    guint64 first = s->highest + 1, n = number - first;

    s->gaps[s->n_gaps++ % RA_LEDGER_GAPS] = (RaLedgerGap){ first, n, first };
    l->skipped += n;
  }
  s->highest = number;
}

static void
stream_note (RaLedger *l, const RaLedgerEntry *e)
{
  RaLedgerStream *s = ra_ledger_stream (l, e->ssrc);

  if (s)
    number_note (l, s, e);
  else
    s = stream_add (l, e->ssrc, e->seq);
  s->last = e->index;
}

gboolean
ra_ledger_has_ssrc (RaLedger *l, guint32 ssrc)
{
  const RaLedgerStream *s = ra_ledger_stream (l, ssrc);

  return s && ra_ledger_at (l, s->last);
}

RaNumberKind
ra_ledger_number_kind (RaLedger *l, guint32 ssrc, guint16 seq)
{
  RaLedgerStream *s = ra_ledger_stream (l, ssrc);
  const RaLedgerGap *gap;

  if (ra_ledger_find (l, ssrc, seq))
    return RA_NUMBER_SENT;
  if (!s)
    return RA_NUMBER_UNKNOWN;
  if (unwrap (s, seq) > s->highest)
    return RA_NUMBER_FUTURE;
  gap = gap_find (s, unwrap (s, seq));
  return gap && unwrap (s, seq) >= gap->sure ? RA_NUMBER_SKIPPED
                                             : RA_NUMBER_UNKNOWN;
}

/* --- packets --------------------------------------------------------------- */

RaLedgerEntry *
ra_ledger_add (RaLedger *l, const RaLedgerEntry *packet)
{
  RaLedgerEntry *e = &l->ring[packet->index % RA_LEDGER_SIZE];
  guint64 *head = &l->heads[hash (packet->ssrc, packet->seq)];

  if (l->packets == 0 || packet->index < l->begin)
    l->begin = packet->index;
  if (l->packets == 0 || packet->index != l->next
      || packet->sent < ra_ledger_last (l)->sent) {
    l->times = packet->index;
    l->ordered = l->packets;
  }
  l->first = l->packets == 0 ? packet->sent : MIN (l->first, packet->sent);
  l->largest = MAX (l->largest, packet->size);
  *e = *packet;
  e->packets = l->packets++;
  e->bytes = l->bytes;
  e->next = *head;
  l->bytes += e->size;
  l->next = *head = e->index + 1;
  stream_note (l, e);
  return e;
}

RaLedgerEntry *
ra_ledger_at (RaLedger *l, guint64 index)
{
  RaLedgerEntry *e = &l->ring[index % RA_LEDGER_SIZE];

  return index >= l->begin && index < l->next && e->index == index ? e : NULL;
}

RaLedgerEntry *
ra_ledger_find (RaLedger *l, guint32 ssrc, guint16 seq)
{
  return find_from (l, l->heads[hash (ssrc, seq)], ssrc, seq);
}

RaCause
ra_ledger_truth (guint64 index, gpointer ledger)
{
  const RaLedgerEntry *e = ra_ledger_at (ledger, index);

  return e ? (RaCause) e->truth : RA_CAUSE_NONE;
}

/* --- by time --------------------------------------------------------------- */

/* The first index that left in the microsecond `us` or later, `next` if none did. */
static guint64
index_from (const RaLedger *l, guint64 us)
{
  guint64 low = MAX (l->times, l->next - MIN (l->next, RA_LEDGER_SIZE));
  guint64 high = l->next;

  while (low < high) {
    guint64 middle = low + (high - low) / 2;

    if (slot (l, middle)->sent / RA_USECOND < us)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

const RaLedgerEntry *
ra_ledger_at_time (const RaLedger *l, RaTime t)
{
  guint64 index = index_from (l, t / RA_USECOND);
  const RaLedgerEntry *e = slot (l, index);

  return index < l->next && e->sent / RA_USECOND == t / RA_USECOND ? e : NULL;
}

const RaLedgerEntry *
ra_ledger_after_time (const RaLedger *l, RaTime t)
{
  guint64 index = index_from (l, t / RA_USECOND + 1);

  return index < l->next ? slot (l, index) : NULL;
}

void
ra_ledger_forget_reports (RaLedger *l)
{
  for (guint i = 0; i < l->n_streams; i++)
    l->streams[i].reported = l->streams[i].noted = 0;
}

const RaLedgerEntry *
ra_ledger_last (const RaLedger *l)
{
  return slot (l, l->next - 1);
}

guint64
ra_ledger_packets (const RaLedger *l, RaTime t)
{
  const RaLedgerEntry *later = ra_ledger_after_time (l, t);

  return later ? later->packets : l->packets;
}

gboolean
ra_ledger_waited (RaLedger *l, RaTime t_old, RaTime t_new)
{
  const RaLedgerEntry *e;

  for (guint64 index = l->next; index > 0; index--) {
    e = ra_ledger_at (l, index - 1);
    if (!e || e->sent <= t_old)
      return FALSE;
    if (e->sent <= t_new && e->waiting)
      return TRUE;
  }
  return FALSE;
}
