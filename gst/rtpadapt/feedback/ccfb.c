/* Feedback by RTP numbers: RFC 8888.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <gst/rtpadapt/feedback/hearing.h>

#include <gst/rtpadapt/feedback/ccfbfci.h>
#include <gst/rtpadapt/feedback/ccfbnotes.h>
#include <gst/rtpadapt/feedback/reporter.h>
#include <gst/rtpadapt/feedback/stamp.h>
#include <gst/rtpadapt/senderperpacket.h>

/* The resolution of the arrival time offset, 3.1. */
#define HZ 1024
#define GRAIN (RA_SECOND / HZ)
/* The least report: RTPFB's head (RFC 4585 6.1), the first block with two packets,
 * whose SSRC is in the head, and the time of the report (3.1). */
#define HEAD 12
#define BLOCK_OF_TWO 8

/* What a report was about. */
typedef struct
{
  guint ours, foreign; /* blocks */
  guint known;         /* rows about what we sent */
  guint unmapped;      /* rows about what we do not know */
  guint16 ato;         /* the least offset: of the latest arrival */
} Sum;

/* What was not sent cannot have come, and who says so is not believed the rest
 * (RFC 8888 10).  An element behind us that numbers packets again leaves gaps
 * elsewhere, and fills ours. */
static gboolean
is_false_claim (const RaHearing *h, gboolean received, RaNumberKind kind)
{
  return received && !h->cfg->renumbered
      && (kind == RA_NUMBER_FUTURE || kind == RA_NUMBER_SKIPPED);
}

/* Notes the rows of a block.  A number that was never sent ends it: that is
 * RA_NUMBER_FUTURE or RA_NUMBER_SKIPPED, else RA_NUMBER_SENT is returned. */
static RaNumberKind
block_note (RaCcfbNotes *notes, const RaHearing *h, const RaCcfbReader *reader,
    RaTime rts, Sum *sum)
{
  RaLedgerStream *stream = ra_ledger_stream (h->ledger, reader->ssrc);
  gboolean ours = ra_ledger_has_ssrc (h->ledger, reader->ssrc);

  sum->ours += ours;
  sum->foreign += !ours;
  for (guint i = 0; stream && i < reader->n; i++) {
    guint16 seq = (guint16) (reader->begin_seq + i);
    RaCcfbPacket p = ra_ccfb_get (reader, i);
    RaLedgerEntry *entry = ra_ledger_find (h->ledger, reader->ssrc, seq);

    if (entry) {
      ra_ccfb_notes_add (notes, stream, entry,
          &(RaCcfbRow){
              p.received, ra_ccfb_arrival (rts, p.ato), (RaEcnField) p.ecn });
      sum->known++;
      if (p.received)
        sum->ato = MIN (sum->ato, p.ato);
    } else {
      RaNumberKind kind = ra_ledger_number_kind (h->ledger, reader->ssrc, seq);

      if (is_false_claim (h, p.received, kind))
        return kind;
      sum->unmapped += ours && kind != RA_NUMBER_SKIPPED;
    }
  }
  return RA_NUMBER_SENT;
}

/* The first walk over the rows, in the order of the report: what they say is noted
 * in the ledger.  The same is returned. */
static RaNumberKind
rows_note (
    RaCcfbNotes *notes, const RaHearing *h, RaCcfbReader *reader, Sum *sum)
{
  /* The latest that fits, so that offsets can be taken off. */
  RaTime rts = ra_stamp_ntp_time (reader->rts, 2 * (RaTime) RA_STAMP_NTP_WRAP);

  while (ra_ccfb_next (reader)) {
    RaNumberKind kind = block_note (notes, h, reader, rts, sum);

    if (kind != RA_NUMBER_SENT)
      return kind;
  }
  return RA_NUMBER_SENT;
}

/* The second walk, in the order in which packets left.  Of their ECN fields those
 * that the network marked stay.  Returns how many rows were news. */
static guint
rows_take (
    RaCcfbNotes *notes, RaHearing *h, RaRows *rows, gsize len, RaTime now)
{
  RaEcnState before = h->ecn->state;
  RaFeedbackPacket row;
  RaSpan ago;
  guint n = 0;

  ra_ccfb_notes_begin (notes, h->ledger, len);
  while (ra_ccfb_notes_next (notes, h->ledger, h->remote, &row, &ago)) {
    const RaLedgerEntry *p = ra_ledger_at (h->ledger, row.seq);

    n++;
    row.ce = ra_ecn_on_answer (h->ecn, (RaEcnField) p->ecn,
        row.arrival != RA_TIME_NONE, (RaEcnField) p->came, now);
    ra_sender_row (h->sender, rows, &row, ago);
  }
  if (n > 0)
    ra_sender_rows_end (h->sender, rows);
  if (h->ecn->state != before)
    h->news |= RA_EAR_ECN;
  return n;
}

/* Nothing in the report is believed. */
static void
report_refuse (RaCcfbNotes *notes, RaHearing *h, RaHeard why)
{
  ra_ccfb_notes_drop (notes, h->ledger);
  h->stats->heard[why]++;
  h->news |= RA_EAR_CHANGED;
}

/* Only numbers that were left out prove a lie: one ahead may be of a packet
 * that somebody forged for the receiver, or of a report that somebody
 * guessed. */
static void
claim_refuse (RaCcfbNotes *notes, RaHearing *h, RaNumberKind kind, RaTime now)
{
  report_refuse (notes, h, RA_HEARD_UNSENT);
  if (kind == RA_NUMBER_SKIPPED) {
    ra_sender_on_lie (h->sender, now);
    h->news |= RA_EAR_LIE;
  }
}

static gpointer
own_new (RaLedger *ledger)
{
  return g_new0 (RaCcfbNotes, 1);
}

static void
hear (gpointer own, RaHearing *h, const RaFeedbackFci *f, RaTime now)
{
  Sum sum = { .ato = RA_CCFB_ATO_MAX };
  RaCcfbNotes *notes = own;
  RaRows rows = { .now = now, .grain = GRAIN };
  RaCcfbReader reader;
  RaNumberKind kind;
  guint n;

  if (!ra_ccfb_read (&reader, f->media, f->fci, f->len)) {
    h->stats->heard[RA_HEARD_MALFORMED]++;
    return;
  }
  kind = rows_note (notes, h, &reader, &sum);
  if (kind != RA_NUMBER_SENT) {
    claim_refuse (notes, h, kind, now);
    return;
  }
  rows.held = sum.ato * RA_SECOND / HZ;
  rows.sent = notes->sent;
  rows.last = notes->last;
  if (!ra_sender_rows_begin (h->sender, &rows)) {
    report_refuse (notes, h, RA_HEARD_CONTRARY);
    return;
  }
  h->stats->unmapped += sum.unmapped;
  h->stats->foreign += sum.foreign > 0;
  if (sum.ours == 0)
    return;
  n = rows_take (notes, h, &rows, f->len, now);
  if (sum.known == 0) {
    h->stats->heard[RA_HEARD_UNSENT]++;
  } else if (n == 0) {
    h->stats->heard[RA_HEARD_OLD]++;
  } else {
    h->stats->heard[RA_HEARD_OK]++;
    h->news |= RA_EAR_ANSWERED | RA_EAR_CHANGED;
  }
}

static gboolean
report_write (RaReporter *reporter, RaTime now, RaTime ntp, gsize room,
    RaReportBytes *out)
{
  out->app_size = 0;
  out->fci_size = ra_reporter_ccfb (reporter, now, ntp, &out->media, out->fci,
      MIN (room - HEAD, sizeof out->fci));
  return out->fci_size > 0;
}

const RaFeedbackOps ra_feedback_ccfb = {
  .name = "ccfb",
  .cite = "RTCP feedback for congestion control, RFC 8888",
  .use = "ECN, or RTP without header extensions; exact times",
  .sign = "no header extension",
  .sdp = "ack-ccfb",
  .fmt = RA_CCFB_FMT,
  .asks = RA_ASKS_ALWAYS,
  .by_number = TRUE,
  .rows = TRUE,
  .per_packet_ecn = TRUE,
  .needs_session = TRUE,
  .needs_avpf = TRUE,
  .own_new = own_new,
  .own_free = g_free,
  .hear = hear,
  .due = ra_reporter_ccfb_due,
  .write = report_write,
  .at_interval = TRUE,
  .room = HEAD + BLOCK_OF_TWO + RA_CCFB_RTS_SIZE,
};
