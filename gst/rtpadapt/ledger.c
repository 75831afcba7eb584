/* What was sent and when, until feedback speaks of it.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <gst/rtpadapt/ledger.h>

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
  return e;
}

RaLedgerEntry *
ra_ledger_at (RaLedger *l, guint64 index)
{
  RaLedgerEntry *e = &l->ring[index % RA_LEDGER_SIZE];

  return index >= l->begin && index < l->next && e->index == index ? e : NULL;
}

/* A chain leads to ever older packets, and ends with one that left the ring. */
RaLedgerEntry *
ra_ledger_find (RaLedger *l, guint32 ssrc, guint16 seq)
{
  guint64 next = l->heads[hash (ssrc, seq)];
  RaLedgerEntry *e;

  while (next > 0 && (e = ra_ledger_at (l, next - 1))) {
    if (e->ssrc == ssrc && e->seq == seq)
      return e;
    next = e->next < next ? e->next : 0;
  }
  return NULL;
}

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
