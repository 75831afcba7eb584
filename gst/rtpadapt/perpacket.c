/* The sending half: what the rows of per-packet feedback say, one by one.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <gst/rtpadapt/perpacket.h>

#include <gst/rtpadapt/safety/peerdelay.h>

void
ra_per_packet_init (RaPerPacket *p, RaReceiver *receiver, RaLedger *ledger)
{
  *p = (RaPerPacket){ .receiver = receiver, .ledger = ledger };
  ra_winmin_init (&p->shortest);
}

void
ra_per_packet_on_first (RaPerPacket *p, guint64 first)
{
  p->next = p->lost_from = first;
}

/* An answer before the question: what arrived `held` ago was sent earlier. */
static gboolean
is_contrary (const RaRows *rows)
{
  return rows->held > 0 && rows->last
      && rows->held > ra_diff (rows->now, rows->sent) + rows->grain;
}

/* Of the time that the peer says it waited, as much as is believed. */
static RaSpan
held_believed (RaPerPacket *p, const RaRows *rows)
{
  const RaLedgerEntry *newest = rows->last, *next;
  RaSpan whole, shortest;

  if (rows->held <= 0 || !newest)
    return rows->held;
  whole = MAX (ra_diff (rows->now, newest->sent), 0);
  next = ra_ledger_at (p->ledger, newest->index + 1);
  shortest = ra_peer_delay_shortest (whole, rows->held,
      next ? ra_diff (next->sent, newest->sent) : RA_SPAN_NONE);
  ra_winmin_add (
      &p->shortest, (gdouble) shortest, rows->now, RA_PEER_DELAY_WINDOW);
  shortest
      = (RaSpan) ra_winmin_get (&p->shortest, rows->now, RA_PEER_DELAY_WINDOW);
  return CLAMP (whole - shortest, 0, rows->held);
}

gboolean
ra_per_packet_begin (RaPerPacket *p, RaRows *rows)
{
  if (is_contrary (rows)) {
    p->bad++;
    return FALSE;
  }
  rows->held = held_believed (p, rows);
  return TRUE;
}

/* Adds to `packet`, which is that of `sent`, what is reported lost and directly before
 * it.  An earlier packet had what was lost before that. */
static void
lost_add (RaPerPacket *p, const RaLedgerEntry *sent, RaPacket *packet)
{
  guint64 oldest = sent->index - MIN (sent->index, RA_LEDGER_SIZE);

  for (guint64 i = MAX (p->lost_from, oldest); i < sent->index; i++) {
    const RaLedgerEntry *e = ra_ledger_at (p->ledger, i);

    if (e && e->fate == RA_FATE_LOST) {
      packet->bytes_lost += e->size;
      packet->lost_by_mark[e->mark]++;
    }
  }
  p->lost_from = MAX (p->lost_from, sent->index + 1);
}

static void
packet_arrived (RaPerPacket *p, RaLedgerEntry *sent,
    const RaFeedbackPacket *row, RaSpan ago, const RaRows *rows)
{
  RaPacket packet = {
    .seq = sent->index,
    .size = sent->size,
    .sent = sent->sent,
    .arrival = row->arrival,
    .grain = rows->grain,
    .rtt = rows->rtt,
    /* Without what the packet waited for later ones of the report. */
    .rtt_sample = MAX (ra_diff (rows->now, sent->sent) - rows->held - ago, 0),
    .rate = rows->rate,
    .mark = (RaMark) sent->mark,
    .ce = row->ce,
  };

  lost_add (p, sent, &packet);
  ra_receiver_on_packet (p->receiver, &packet);
  ra_ledger_hear (sent, TRUE);
}

static guint64
recovered (const RaPerPacket *p)
{
  RaReceiverStats stats;

  ra_receiver_get_stats (p->receiver, &stats);
  return stats.recovered;
}

/* A later one was reported before.  The receiver counts it as recovered where it had
 * counted the loss. */
static void
late_arrived (RaPerPacket *p, RaLedgerEntry *sent, const RaFeedbackPacket *row,
    RaSpan ago, const RaRows *rows)
{
  guint64 before = recovered (p);

  packet_arrived (p, sent, row, ago, rows);
  p->late.came += sent->late;
  if (row->seq < rows->excused)
    p->late.excused += (guint) (recovered (p) - before);
}

/* Feeds one row to the receiver.  NULL if it is not news or contradicts what
 * was sent. */
static const RaLedgerEntry *
row_feed (
    RaPerPacket *p, const RaFeedbackPacket *row, RaSpan ago, const RaRows *rows)
{
  RaLedgerEntry *sent = ra_ledger_at (p->ledger, row->seq);
  gboolean lost = row->arrival == RA_TIME_NONE;
  gboolean old = row->seq < p->next;

  if (!sent || sent->sent > rows->now
      || (old && sent->fate >= (lost ? RA_FATE_LOST : RA_FATE_ARRIVED))) {
    p->bad++;
    return NULL;
  }
  if (lost)
    ra_ledger_hear (sent, FALSE);
  if (lost && row->seq < rows->excused)
    return NULL;
  if (old && lost) { /* rows of its SSRC came after those of another */
    sent->late = TRUE;
    p->late.lost++;
    return NULL;
  }
  if (old) {
    late_arrived (p, sent, row, ago, rows);
    return NULL;
  }
  if (row->seq > p->next) {
    ra_receiver_skip (p->receiver, p->next, row->seq);
    p->lost_from = row->seq;
  }
  p->next = row->seq + 1;
  if (!lost)
    packet_arrived (p, sent, row, ago, rows);
  return sent;
}

void
ra_per_packet_row (
    RaPerPacket *p, RaRows *rows, const RaFeedbackPacket *row, RaSpan ago)
{
  const RaLedgerEntry *sent = row_feed (p, row, ago, rows);

  rows->heard |= sent != NULL;
  if (sent && row->arrival != RA_TIME_NONE) {
    rows->news = sent;
    rows->arrival = row->arrival;
  }
}

RaSpan
ra_per_packet_rtt (RaPerPacket *p, const RaRows *rows)
{
  RaSpan whole = ra_diff (rows->now, rows->news->sent);

  if (whole - rows->held > RA_PEER_DELAY_RTT_MAX) {
    p->bad++;
    return RA_SPAN_NONE;
  }
  /* Offsets are rounded; R cannot be shorter than what they can show. */
  return MAX (whole - rows->held, MIN (whole, rows->grain));
}

RaLateRows
ra_per_packet_take_late (RaPerPacket *p)
{
  RaLateRows late = p->late;

  p->late = (RaLateRows){ 0 };
  return late;
}
