/* The sending half: per-packet feedback, for which the receiver runs here.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <gst/rtpadapt/senderpriv.h>

#include <gst/rtpadapt/feedback/waited.h>
#include <string.h>

/* A silence of the source is no interval between feedbacks. */
#define INTERVAL_MAX RA_SECOND
/* RFC 8888 7: 50 to 200 ms. */
#define INTERVAL_USUAL (200 * RA_MSECOND)

/* What a feedback's rows have in common. */
typedef struct
{
  RaSpan grain;
  RaTime newest; /* the latest arrival in it */
  RaTime now;    /* it came */
  RaSpan held;   /* the peer, since `newest` */
} Batch;

static void
packet_arrived (RaSender *s, RaLedgerEntry *sent, const RaFeedbackPacket *row,
    const Batch *batch)
{
  /* What the answer took beyond waiting for later packets of the batch. */
  RaSpan back = ra_diff (batch->now, batch->newest) - batch->held;
  RaPacket p = {
    .seq = sent->index,
    .size = sent->size,
    .sent = sent->sent,
    .arrival = row->arrival,
    .grain = batch->grain,
    .rtt = ra_sender_rtt (s),
    .rtt_sample = MAX (ra_diff (row->arrival, sent->sent) + back, 0),
    .rate = ra_sender_rate (s),
    .mark = (RaMark) sent->mark,
    .ce = row->ce,
    .bytes_lost = s->bytes_lost,
  };

  if (sent->index + 1 == s->next_reported) /* else those were told */
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
row_feed (RaSender *s, const RaFeedbackPacket *row, const Batch *batch)
{
  RaLedgerEntry *sent = ra_ledger_at (s->ledger, row->seq);
  gboolean lost = row->arrival == RA_TIME_NONE;
  gboolean old = row->seq < s->next_reported;

  if (!sent || sent->sent > batch->now
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
    packet_arrived (s, sent, row, batch);
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
    packet_arrived (s, sent, row, batch);
    lost_forget (s);
  }
  return sent;
}

RaSpan
ra_sender_spacing (RaSender *s, RaTime now)
{
  RaSpan sample = s->last_feedback != RA_TIME_NONE
      ? CLAMP (ra_diff (now, s->last_feedback), 0, INTERVAL_MAX)
      : -1;

  s->last_feedback = now;
  /* After an outage the time tells nothing; but in a LAN the timer of 4 R expires
   * before the second report. */
  if (sample < 0 || (s->unanswered && sample > INTERVAL_USUAL))
    return -1;
  s->spacing += (sample - s->spacing) / 10;
  return sample;
}

/* An answer before the question: what arrived `held` ago was sent earlier. */
static gboolean
is_contrary (RaSender *s, const RaFeedbackPacket *row, const Batch *batch)
{
  const RaLedgerEntry *sent = ra_ledger_at (s->ledger, row->seq);

  return row->arrival != RA_TIME_NONE && sent
      && batch->held > ra_diff (batch->now, sent->sent) + batch->grain;
}

/* Nothing of a contrary report counts, and it is not waited for in later ones. */
static void
rows_waste (RaSender *s, const RaFeedbackPacket *packets, guint n)
{
  for (guint i = 0; i < n; i++) {
    RaLedgerEntry *sent = ra_ledger_at (s->ledger, packets[i].seq);

    if (sent)
      ra_ledger_hear (sent, packets[i].arrival != RA_TIME_NONE);
  }
}

/* Of the time that the peer says it waited, as much as is believed. */
static RaSpan
held_believed (
    RaSender *s, const RaFeedbackPacket *packets, guint n, const Batch *batch)
{
  const RaLedgerEntry *newest = NULL, *next;
  RaSpan whole, shortest;

  while (n-- > 0 && !newest) {
    if (packets[n].arrival != RA_TIME_NONE)
      newest = ra_ledger_at (s->ledger, packets[n].seq);
  }
  if (batch->held <= 0 || !newest)
    return batch->held;
  whole = MAX (ra_diff (batch->now, newest->sent), 0);
  next = ra_ledger_at (s->ledger, newest->index + 1);
  shortest = ra_waited_shortest (whole, batch->held,
      next ? ra_diff (next->sent, newest->sent) : RA_SPAN_NONE);
  ra_winmin_add (
      &s->shortest, (gdouble) shortest, batch->now, RA_WAITED_WINDOW);
  shortest
      = (RaSpan) ra_winmin_get (&s->shortest, batch->now, RA_WAITED_WINDOW);
  return CLAMP (whole - shortest, 0, batch->held);
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
  const RaLedgerEntry *newest = NULL;
  gboolean heard = FALSE;
  RaTime arrival = 0;
  Batch batch = { grain, 0, now, held };
  RaSpan t_delay, sample;
  RaReport report;

  for (guint i = 0; i < n; i++) {
    if (held > 0 && is_contrary (s, &packets[i], &batch)) {
      rows_waste (s, packets, n);
      s->stats.feedback_bad++;
      return FALSE;
    }
    if (packets[i].arrival != RA_TIME_NONE)
      batch.newest = MAX (batch.newest, packets[i].arrival);
  }
  if (batch.newest > 0)
    ra_sender_look_back (s, now);
  batch.held = held_believed (s, packets, n, &batch);
  for (guint i = 0; i < n; i++) {
    const RaLedgerEntry *sent = row_feed (s, &packets[i], &batch);

    heard |= sent != NULL;
    if (sent && packets[i].arrival != RA_TIME_NONE) {
      newest = sent;
      arrival = packets[i].arrival;
    }
  }
  if (!newest) {
    if (heard) /* RFC 8083 4.2: of nothing that arrived */
      ra_sender_guard (s, &(RaReport){ 0 }, RA_PROOF_DELIVERED, now);
    return FALSE;
  }
  if (ra_diff (now, newest->sent) - batch.held > RA_WAITED_RTT_MAX) {
    s->stats.feedback_bad++;
    return FALSE;
  }
  sample = ra_sender_spacing (s, now);
  s->interval = s->spacing = MAX (s->spacing, sample);
  /* The peer answers at once, so the receiver's timer plays no part here: each
   * feedback is a report about the last R (RFC 5348 6, k > 1 per RTT). */
  if (ra_receiver_report (s->receiver, arrival, &report, &t_delay)) {
    RaSpan whole = ra_diff (now, newest->sent);

    /* Offsets are rounded; R is no shorter than what they can show. */
    report.rtt = MAX (whole - batch.held, MIN (whole, grain));
    report.interval = s->interval;
    ra_sender_apply (s, &report, now);
  }
  return TRUE;
}
