/* Transport-wide feedback, which rtpsession reads.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * It comes by two doors: as bytes, before rtpsession reads them, and as the rows
 * that rtpsession made of them.  What was wrong with the bytes is remembered until
 * the rows come.
 */
#include <gst/rtpadapt/feedback/hearing.h>

#include <gst/rtpadapt/feedback/twccalign.h>
#include <gst/rtpadapt/feedback/twccfci.h>
#include <gst/rtpadapt/util/bytes.h>

#define FB_HEAD 8 /* RFC 4585 6.1: two SSRCs */
/* The unit of a receive delta (draft-holmer-rmcat-...-01, 3.1.5). */
#define GRAIN (250 * RA_USECOND)
/* Reference time: 24 bits, unit 64 ms (the same, 3.1). */
#define WRAP ((RaSpan) (64 * RA_MSECOND) << 24)

/* What an ear keeps. */
typedef struct
{
  RaTwccAlign align;
  /* Of the latest compound. */
  gboolean malformed;
  gboolean based; /* it has transport-wide feedback */
  guint16 base;   /* and this is the first number of it */
} Own;

static gpointer
own_new (RaLedger *ledger)
{
  return g_new0 (Own, 1);
}

static void
begin (gpointer own)
{
  Own *o = own;

  o->malformed = o->based = FALSE;
}

static gboolean
look (gpointer own, const guint8 *body, gsize size)
{
  Own *o = own;

  if (size < FB_HEAD
      || !ra_twcc_fci_is_whole (body + FB_HEAD, size - FB_HEAD)) {
    o->malformed = TRUE;
    return FALSE;
  }
  if (!o->based)
    o->base = ra_get_u16 (body + FB_HEAD);
  o->based = TRUE;
  return TRUE;
}

/* The rows whose packets we know, in the library's words.  (transfer full)
 * (element-type RaFeedbackPacket) */
static GArray *
rows_map (const Own *o, RaHearing *h, const RaTwccRow *rows, guint n)
{
  GArray *packets
      = g_array_sized_new (FALSE, FALSE, sizeof (RaFeedbackPacket), n);

  for (guint i = 0; i < n; i++) {
    const RaLedgerEntry *sent = ra_twcc_map (&o->align, h->ledger, &rows[i]);
    RaFeedbackPacket packet = { .arrival = RA_TIME_NONE };

    if (!sent) {
      h->stats->unmapped++;
      continue;
    }
    packet.seq = sent->index;
    if (!rows[i].lost)
      packet.arrival = ra_remote_clock_unwrap (
          h->remote, rows[i].remote, WRAP, sent->sent);
    g_array_append_val (packets, packet);
  }
  return packets;
}

static void
rows_take (
    const Own *o, RaHearing *h, const RaTwccRow *rows, guint n, RaTime now)
{
  GArray *packets = rows_map (o, h, rows, n);

  if (packets->len > 0) {
    ra_sender_on_feedback (h->sender, (const RaFeedbackPacket *) packets->data,
        packets->len, GRAIN, now);
    h->stats->heard[RA_HEARD_OK]++;
    h->news |= RA_EAR_ANSWERED | RA_EAR_CHANGED;
  }
  g_array_unref (packets);
}

/* After an outage rtpsession puts a long run of losses before the packets that the
 * report is about.  Those losses are left out, `n_before` rows, and the rest is a
 * sign of life. */
static gboolean
is_doubtful (const Own *o, const RaTwccRow *rows, guint n, guint *n_before)
{
  *n_before = 0;
  if (!ra_twcc_is_doubtful (rows, n))
    return FALSE;
  if (!o->based)
    return TRUE;
  *n_before = ra_twcc_rows_before (rows, n, o->base);
  return ra_twcc_is_doubtful (rows + *n_before, n - *n_before);
}

static void
hear_rows (
    gpointer own, RaHearing *h, const RaTwccRow *rows, guint n, RaTime now)
{
  Own *o = own;
  guint n_before;

  if (o->malformed) { /* what rtpsession made of it */
    h->news |= RA_EAR_DOUBTFUL;
    return;
  }
  if (n == 0) /* `rows` may be NULL, and NULL + 0 is undefined */
    return;
  if (is_doubtful (o, rows, n, &n_before)) {
    h->stats->doubtful++;
    h->news |= RA_EAR_DOUBTFUL;
    return;
  }
  rows += n_before;
  n -= n_before;
  if (ra_twcc_align (&o->align, h->ledger, rows, n)) {
    h->stats->realigned++;
    h->news |= RA_EAR_REALIGNED;
  }
  rows_take (o, h, rows, n, now);
}

const RaFeedbackOps ra_feedback_twcc = {
  .name = "twcc",
  .cite = "transport-wide congestion control, draft-holmer-rmcat-"
          "transport-wide-cc-extensions-01",
  .use = "any receiver that is an rtpbin or speaks WebRTC; the default",
  .sign = "transport-wide numbers",
  .sdp = "transport-cc",
  .extension = RA_TWCC_URI,
  .fmt = RA_TWCC_FMT,
  .asks = RA_ASKS_FRAME_END,
  .rows = TRUE,
  .final = TRUE,
  .own_new = own_new,
  .own_free = g_free,
  .begin = begin,
  .look = look,
  .hear_rows = hear_rows,
};
