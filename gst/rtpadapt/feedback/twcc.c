/* Transport-wide feedback, which rtpsession reads.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * It comes by two doors: as bytes, before rtpsession reads them, and as the rows
 * that rtpsession made of them.  What was wrong with the bytes is remembered until
 * the rows come.
 */
#include <gst/rtpadapt/feedback/earpriv.h>

#include <gst/rtpadapt/feedback/bytes.h>
#include <gst/rtpadapt/feedback/twccfci.h>
#include <gst/rtpadapt/senderperpacket.h>

#define FB_HEAD 8 /* RFC 4585 6.1: two SSRCs */
/* The unit of a receive delta (draft-holmer-rmcat-...-01, 3.1.5). */
#define GRAIN (250 * RA_USECOND)
/* Reference time: 24 bits, unit 64 ms (the same, 3.1). */
#define WRAP ((RaSpan) (64 * RA_MSECOND) << 24)

static void
look (RaEar *e, const guint8 *body, gsize size)
{
  RaEarCompound *c = &e->compound;

  if (size < FB_HEAD
      || !ra_twcc_fci_is_whole (body + FB_HEAD, size - FB_HEAD)) {
    e->stats.heard[RA_HEARD_MALFORMED]++;
    c->twcc_malformed = TRUE;
    return;
  }
  if (!c->twcc_based)
    c->twcc_base = ra_get_u16 (body + FB_HEAD);
  c->twcc_based = TRUE;
}

/* The rows whose packets we know, in the library's words; what they have in common
 * goes into `common`, and `newest` becomes the latest arrival.  (transfer full)
 * (element-type RaFeedbackPacket) */
static GArray *
rows_map (
    RaEar *e, const RaTwccRow *rows, guint n, RaRows *common, RaTime *newest)
{
  GArray *packets
      = g_array_sized_new (FALSE, FALSE, sizeof (RaFeedbackPacket), n);

  for (guint i = 0; i < n; i++) {
    const RaLedgerEntry *sent = ra_twcc_map (&e->align, e->ledger, &rows[i]);
    RaFeedbackPacket packet = { .arrival = RA_TIME_NONE };

    if (!sent) {
      e->stats.unmapped++;
      continue;
    }
    packet.seq = sent->index;
    if (!rows[i].lost) {
      packet.arrival = ra_remote_clock_unwrap (
          &e->remote, rows[i].remote, WRAP, sent->sent);
      *newest = MAX (*newest, packet.arrival);
      common->sent = MAX (common->sent, sent->sent);
      common->last = sent;
    }
    g_array_append_val (packets, packet);
  }
  return packets;
}

static void
rows_take (RaEar *e, const RaTwccRow *rows, guint n, RaTime now)
{
  RaRows common = { .now = now, .grain = GRAIN };
  RaTime newest = 0;
  GArray *packets = rows_map (e, rows, n, &common, &newest);

  if (packets->len > 0) {
    ra_sender_rows_begin (e->sender, &common);
    for (guint i = 0; i < packets->len; i++) {
      const RaFeedbackPacket *p = &g_array_index (packets, RaFeedbackPacket, i);

      ra_sender_row (e->sender, &common, p,
          p->arrival != RA_TIME_NONE ? ra_diff (newest, p->arrival) : 0);
    }
    ra_sender_rows_end (e->sender, &common);
    e->stats.heard[RA_HEARD_OK]++;
    e->news |= RA_EAR_ANSWERED | RA_EAR_CHANGED;
  }
  g_array_unref (packets);
}

/* After an outage rtpsession puts a long run of losses before the packets that the
 * report is about.  Those losses are left out, `n_before` rows, and the rest is a
 * sign of life. */
static gboolean
is_doubtful (const RaEar *e, const RaTwccRow *rows, guint n, guint *n_before)
{
  *n_before = 0;
  if (!ra_twcc_is_doubtful (rows, n))
    return FALSE;
  if (!e->compound.twcc_based)
    return TRUE;
  *n_before = ra_twcc_rows_before (rows, n, e->compound.twcc_base);
  return ra_twcc_is_doubtful (rows + *n_before, n - *n_before);
}

const RaFeedbackOps ra_feedback_twcc = {
  .name = "twcc",
  .cite = "transport-wide congestion control, draft-holmer-rmcat-"
          "transport-wide-cc-extensions-01",
  .use = "any receiver that rtpbin or WebRTC has; the default",
  .sign = "transport-wide numbers",
  .sdp = "transport-cc",
  .extension = RA_TWCC_URI,
  .fmt = RA_TWCC_FMT,
  .asks = RA_ASKS_FRAME_END,
  .look = look,
};

RaEarNews
ra_ear_on_twcc (RaEar *e, const RaTwccRow *rows, guint n, RaTime now)
{
  guint n_before;

  e->news = RA_EAR_NOTHING;
  if (e->cfg.kind && e->cfg.kind->hear) {
    ra_ear_hear_other (e, &ra_feedback_twcc);
    return e->news;
  }
  if (e->compound.twcc_malformed) /* what rtpsession made of it */
    return RA_EAR_DOUBTFUL;
  if (is_doubtful (e, rows, n, &n_before)) {
    e->stats.doubtful++;
    return RA_EAR_DOUBTFUL;
  }
  rows += n_before;
  n -= n_before;
  if (ra_twcc_align (&e->align, e->ledger, rows, n)) {
    e->stats.realigned++;
    e->news |= RA_EAR_REALIGNED;
  }
  rows_take (e, rows, n, now);
  return e->news;
}
