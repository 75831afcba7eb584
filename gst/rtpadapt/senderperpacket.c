/* The sending half: per-packet feedback, for which the receiver runs here.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <gst/rtpadapt/senderperpacket.h>

#include <gst/rtpadapt/feedback/peerdelay.h>
#include <gst/rtpadapt/senderpriv.h>

#include <string.h>

static void
packet_arrived (RaSender *s, RaLedgerEntry *sent, const RaFeedbackPacket *row,
    RaSpan ago, const RaRows *rows)
{
  RaPacket p = {
    .seq = sent->index,
    .size = sent->size,
    .sent = sent->sent,
    .arrival = row->arrival,
    .grain = rows->grain,
    .rtt = ra_sender_rtt (s),
    /* Without what the packet waited for later ones of the report. */
    .rtt_sample = MAX (ra_diff (rows->now, sent->sent) - rows->held - ago, 0),
    .rate = ra_sender_rate (s),
    .mark = (RaMark) sent->mark,
    .ce = row->ce,
    .bytes_lost = s->bytes_lost,
  };

  if (sent->index + 1 == s->next_reported) /* else those were reported */
    memcpy (p.lost_by_mark, s->lost_by_mark, sizeof p.lost_by_mark);
  ra_receiver_on_packet (s->receiver, &p);
  ra_ledger_hear (sent, TRUE);
}

static void
lost_forget (RaSender *s)
{
  s->bytes_lost = 0;
  memset (s->lost_by_mark, 0, sizeof s->lost_by_mark);
}

/* Feeds one row to the receiver.  NULL if it is not news or contradicts what
 * was sent. */
static const RaLedgerEntry *
row_feed (
    RaSender *s, const RaFeedbackPacket *row, RaSpan ago, const RaRows *rows)
{
  RaLedgerEntry *sent = ra_ledger_at (s->ledger, row->seq);
  gboolean lost = row->arrival == RA_TIME_NONE;
  gboolean old = row->seq < s->next_reported;

  if (!sent || sent->sent > rows->now
      || (old && sent->fate >= (lost ? RA_FATE_LOST : RA_FATE_ARRIVED))) {
    s->stats.feedback_bad++;
    return NULL;
  }
  if (lost)
    ra_ledger_hear (sent, FALSE);
  if (lost && (row->seq < s->anew || ra_breaker_is_outage (&s->guard.breaker)))
    return NULL;
  if (old && lost) { /* rows of its SSRC came after those of another */
    s->lost_late++;
    return NULL;
  }
  if (old) { /* reported lost, and came after all */
    packet_arrived (s, sent, row, ago, rows);
    return NULL;
  }
  if (row->seq > s->next_reported) {
    ra_receiver_skip (s->receiver, row->seq);
    lost_forget (s);
  }
  s->next_reported = row->seq + 1;
  if (lost) {
    s->bytes_lost += sent->size;
    s->lost_by_mark[sent->mark]++;
  } else {
    packet_arrived (s, sent, row, ago, rows);
    lost_forget (s);
  }
  return sent;
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
held_believed (RaSender *s, const RaRows *rows)
{
  const RaLedgerEntry *newest = rows->last, *next;
  RaSpan whole, shortest;

  if (rows->held <= 0 || !newest)
    return rows->held;
  whole = MAX (ra_diff (rows->now, newest->sent), 0);
  next = ra_ledger_at (s->ledger, newest->index + 1);
  shortest = ra_peer_delay_shortest (whole, rows->held,
      next ? ra_diff (next->sent, newest->sent) : RA_SPAN_NONE);
  ra_winmin_add (
      &s->shortest, (gdouble) shortest, rows->now, RA_PEER_DELAY_WINDOW);
  shortest
      = (RaSpan) ra_winmin_get (&s->shortest, rows->now, RA_PEER_DELAY_WINDOW);
  return CLAMP (whole - shortest, 0, rows->held);
}

void
ra_sender_rows_begin (RaSender *s, RaRows *rows)
{
  rows->contrary = is_contrary (rows);
  if (rows->contrary) {
    s->stats.feedback_bad++;
    return;
  }
  if (rows->last)
    ra_sender_look_back (s, rows->now);
  rows->held = held_believed (s, rows);
}

/* Nothing of a contrary report counts, and it is not waited for in later ones. */
static void
row_waste (RaSender *s, const RaFeedbackPacket *row)
{
  RaLedgerEntry *sent = ra_ledger_at (s->ledger, row->seq);

  if (sent)
    ra_ledger_hear (sent, row->arrival != RA_TIME_NONE);
}

void
ra_sender_row (
    RaSender *s, RaRows *rows, const RaFeedbackPacket *row, RaSpan ago)
{
  const RaLedgerEntry *sent;

  if (rows->contrary) {
    row_waste (s, row);
    return;
  }
  sent = row_feed (s, row, ago, rows);
  rows->heard |= sent != NULL;
  if (sent && row->arrival != RA_TIME_NONE) {
    rows->news = sent;
    rows->arrival = row->arrival;
  }
}

gboolean
ra_sender_rows_end (RaSender *s, RaRows *rows)
{
  RaSpan t_delay, sample, whole;
  RaReport report;

  if (!rows->news) {
    if (rows->heard) /* RFC 8083 4.2: of nothing that arrived */
      ra_sender_guard (s, &(RaReport){ 0 }, RA_PROOF_DELIVERED, rows->now);
    return FALSE;
  }
  whole = ra_diff (rows->now, rows->news->sent);
  if (whole - rows->held > RA_PEER_DELAY_RTT_MAX) {
    s->stats.feedback_bad++;
    return FALSE;
  }
  sample = ra_sender_spacing (s, rows->now);
  s->interval = s->spacing = MAX (s->spacing, sample);
  /* The peer answers at once, so the receiver's timer plays no part here: each
   * feedback is a report about the last R (RFC 5348 6, k > 1 per RTT). */
  if (ra_receiver_report (s->receiver, rows->arrival, &report, &t_delay)) {
    /* Offsets are rounded; R cannot be shorter than what they can show. */
    report.rtt = MAX (whole - rows->held, MIN (whole, rows->grain));
    report.interval = s->interval;
    ra_sender_apply (s, &report, rows->now);
  }
  return TRUE;
}

gboolean
ra_sender_on_feedback (RaSender *s, const RaFeedbackPacket *packets, guint n,
    RaSpan grain, RaTime now)
{
  return ra_sender_on_held_feedback (s, packets, n, grain, 0, now);
}

gboolean
ra_sender_on_held_feedback (RaSender *s, const RaFeedbackPacket *packets,
    guint n, RaSpan grain, RaSpan held, RaTime now)
{
  RaRows rows = { .now = now, .grain = grain, .held = held };
  RaTime newest = 0;

  for (guint i = 0; i < n; i++) {
    const RaLedgerEntry *sent = ra_ledger_at (s->ledger, packets[i].seq);

    if (packets[i].arrival == RA_TIME_NONE)
      continue;
    newest = MAX (newest, packets[i].arrival);
    if (!sent)
      continue;
    rows.sent = MAX (rows.sent, sent->sent);
    rows.last = sent;
  }
  ra_sender_rows_begin (s, &rows);
  for (guint i = 0; i < n; i++)
    ra_sender_row (s, &rows, &packets[i],
        packets[i].arrival == RA_TIME_NONE
            ? 0
            : ra_diff (newest, packets[i].arrival));
  return ra_sender_rows_end (s, &rows);
}
