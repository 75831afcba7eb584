/* The sender's ear: what the peer's RTCP says of what was sent.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <gst/rtpadapt/feedback/hearing.h>

#include <gst/rtpadapt/feedback/rtcp.h>
#include <gst/rtpadapt/feedback/sentreports.h>
#include <gst/rtpadapt/util/bytes.h>

#include <string.h>

/* RFC 3550 6.4, 6.7; RFC 4585 6.1: in bytes behind the first four. */
#define SSRC_SIZE 4
#define SENDER_INFO_SIZE 20
#define BLOCK_SIZE 24
#define APP_HEAD 8
#define FB_HEAD 8
#define BLOCKS_MAX 31 /* of a packet: RC has 5 bits */

/* A receiver of ours repeats once a second what it says of itself.  One that does not
 * has restarted with other settings, or another took its place.  RTCP is lost, too: where
 * every third packet is, ten in a row are about once a day. */
#define UNSAID_MAX 10
#define UNSAID_EVERY RA_SECOND
/* One that has not begun to say it by then never will; its first word may be lost. */
#define STRANGER 2

/* What the receiver said of itself is known until it says it no longer.  Reports count
 * and not time, as in an outage none come; with rare ones it takes longer. */
typedef struct
{
  gboolean known;
  guint unsaid; /* reports without it since, UNSAID_EVERY apart at least */
  RaTime again; /* when the next one counts */
} Word;

struct _RaEar
{
  RaSender *sender;
  RaLedger *ledger; /* the sender's */
  RaEarConfig cfg;
  GPtrArray *own; /* what each of `ra_feedbacks` keeps, in their order */
  RaEcn ecn;
  RaRemoteClock remote;
  RaSentReports reports;
  guint64 pushed;     /* index of the first packet whose push is not over */
  gboolean unstamped; /* a packet left without its send time */

  /* Of the latest compound: RADP's data, which waits for the TFRC-FB behind it. */
  const guint8 *radp;
  gsize radp_size;
  guint32 radp_ssrc;

  RaEarNews news; /* since the owner last heard of it */
  const RaFeedbackOps *other, *wish;
  RaTakes takes;   /* what the receiver said last, */
  RaRadpHold hold; /* if it did */
  Word takes_word, hold_word;
  gboolean about_us; /* the latest compound reports what was sent here */

  RaEarLoss losses[RA_EAR_LOSSES_MAX]; /* a ring */
  guint first_loss, n_losses;
  guint64 left_out; /* beyond the ring */
  RaEarStats stats;
};

static void
loss_count (RaEarStats *stats, RaCause verdict, RaCause truth)
{
  if (truth == RA_CAUSE_CONGESTION) {
    stats->known_congestion++;
    stats->misread_congestion += verdict != truth;
  } else if (truth == RA_CAUSE_WIRELESS) {
    stats->known_wireless++;
    stats->misread_wireless += verdict != truth;
  }
}

/* The sender confirmed a loss. */
static void
on_loss (const RaMissing *m, gpointer data)
{
  RaEar *e = data;
  const RaLedgerEntry *p = ra_ledger_at (e->ledger, m->seq);

  if (!p)
    return;
  loss_count (&e->stats, m->cause, (RaCause) p->truth);
  if (e->n_losses == RA_EAR_LOSSES_MAX) {
    e->left_out++;
    return;
  }
  e->losses[(e->first_loss + e->n_losses++) % RA_EAR_LOSSES_MAX]
      = (RaEarLoss){ p->sent, p->ssrc, p->seq, m->cause, (RaCause) p->truth };
}

RaEar *
ra_ear_new (RaSender *sender, guint64 seed)
{
  RaEar *e = g_new0 (RaEar, 1);

  e->sender = sender;
  e->ledger = ra_sender_ledger (sender);
  e->own = g_ptr_array_new ();
  for (guint i = 0; ra_feedbacks[i]; i++)
    g_ptr_array_add (e->own, ra_feedbacks[i]->own_new (e->ledger));
  ra_ecn_init (&e->ecn, seed);
  ra_sender_set_on_loss (sender, on_loss, e);
  return e;
}

void
ra_ear_free (RaEar *e)
{
  if (!e)
    return;
  ra_sender_set_on_loss (e->sender, NULL, NULL);
  for (guint i = 0; ra_feedbacks[i]; i++)
    ra_feedbacks[i]->own_free (e->own->pdata[i]);
  g_ptr_array_unref (e->own);
  g_free (e);
}

void
ra_ear_set (RaEar *e, const RaEarConfig *cfg)
{
  e->cfg = *cfg;
}

/* --- what leaves ------------------------------------------------------------ */

RaEcnField
ra_ear_on_sent (RaEar *e, const RaEarPacket *p, RaTime now)
{
  const RaFeedbackOps *kind = e->cfg.kind;
  RaOutgoing out = p->out;
  RaLedgerEntry *entry;
  RaEcnField field;

  ra_ecn_set (&e->ecn, e->cfg.ecn, kind && kind->per_packet_ecn, now);
  field = ra_ecn_on_send (&e->ecn, now);
  e->unstamped |= !p->stamped;
  out.seq = e->ledger->next;
  entry = ra_sender_on_sent (e->sender, &out, now);
  entry->passed = p->passed;
  entry->payload = p->payload;
  entry->ecn = (guint8) field;
  return field;
}

void
ra_ear_on_pushed (RaEar *e, RaTime passed_by)
{
  for (; e->pushed < e->ledger->next; e->pushed++) {
    RaLedgerEntry *entry = ra_ledger_at (e->ledger, e->pushed);

    if (entry)
      entry->passed_by = passed_by;
  }
}

gboolean
ra_ear_is_stamped (const RaEar *e)
{
  return !e->unstamped;
}

void
ra_ear_truth (RaEar *e, guint32 ssrc, guint16 seq, RaCause cause)
{
  RaLedgerEntry *entry = ra_ledger_find (e->ledger, ssrc, seq);

  if (entry)
    entry->truth = (guint8) cause;
}

/* --- RTCP ------------------------------------------------------------------- */

void
ra_ear_on_rtcp_sent (RaEar *e, const guint8 *bytes, gsize len, RaTime now)
{
  ra_sent_reports_add (&e->reports, bytes, len, now);
}

void
ra_ear_forget_rtcp_sent (RaEar *e)
{
  e->reports.n = 0;
}

void
ra_ear_forget_peer (RaEar *e, RaTime now)
{
  e->takes_word = e->hold_word = (Word){ .known = FALSE };
  e->other = e->wish = NULL;
  e->remote.other = TRUE;
  ra_sender_on_new_peer (e->sender, now);
}

static void
word_heard (Word *w, RaTime now)
{
  *w = (Word){ .known = TRUE, .again = ra_later (now, UNSAID_EVERY) };
}

/* A report came, with the word or without. */
static void
word_await (Word *w, RaTime now)
{
  if (now < w->again)
    return;
  w->again = ra_later (now, UNSAID_EVERY);
  w->unsaid = MIN (w->unsaid + 1, UNSAID_MAX);
  if (w->unsaid == UNSAID_MAX)
    w->known = FALSE;
}

/* Report blocks of an SR or RR, which begin at `at` in its body.  Those about us say
 * that the path is alive, whatever else the receiver sends (RFC 8083 4.1), and what
 * it lost.  What follows them is the profile's own (RFC 3550 6.4.3). */
static void
blocks_take (RaEar *e, const RaRtcpPacket *packet, gsize at, RaTime now)
{
  RaBlock blocks[BLOCKS_MAX];
  guint n_ours = 0;

  for (guint n = MIN (packet->count, BLOCKS_MAX);
       n > 0 && at + BLOCK_SIZE <= packet->size; n--, at += BLOCK_SIZE) {
    const guint8 *b = packet->body + at;
    RaBlock block = { .ssrc = ra_get_u32 (b),
      .ext_highest_seq = ra_get_u32 (b + 8),
      .fraction_lost = b[4] / 256. };

    if (!ra_ledger_has_ssrc (e->ledger, block.ssrc))
      continue;
    block.lsr = ra_sent_reports_judge (
        &e->reports, ra_get_u32 (b + 16), ra_get_u32 (b + 20), now, &block.rtt);
    blocks[n_ours++] = block;
  }
  if (n_ours == 0)
    return;
  ra_sender_on_receiver_report (e->sender, blocks, n_ours, now);
  e->news |= RA_EAR_REPORTED | RA_EAR_CHANGED;
  e->about_us = TRUE;
}

/* A RADP without a TFRC-FB behind it is about nothing of ours. */
static void
radp_keep (RaEar *e, const guint8 *data, gsize size, guint32 ssrc)
{
  e->stats.foreign += e->radp != NULL;
  e->radp = data;
  e->radp_size = size;
  e->radp_ssrc = ssrc;
}

static void
app_take (RaEar *e, const RaRtcpPacket *p, RaTime now)
{
  const RaFeedbackOps *kind = e->cfg.kind, *wish;

  if (p->size < APP_HEAD || memcmp (p->body + SSRC_SIZE, RA_RADP_NAME, 4) != 0)
    return;
  if (p->count == RA_RADP_WISH_SUBTYPE) {
    wish = ra_feedback_named (p->body + APP_HEAD, p->size - APP_HEAD);
    if (wish) {
      e->wish = wish;
      e->news |= RA_EAR_WISH;
    }
  } else if (p->count == RA_RADP_TAKES_SUBTYPE) {
    if (ra_takes_read (&e->takes, p->body + APP_HEAD, p->size - APP_HEAD)) {
      word_heard (&e->takes_word, now);
      e->news |= RA_EAR_TAKES;
    }
  } else if (p->count == RA_RADP_HOLD_SUBTYPE) {
    if (ra_radp_hold_read (&e->hold, p->body + APP_HEAD, p->size - APP_HEAD))
      word_heard (&e->hold_word, now);
  } else if (p->count == RA_RADP_SUBTYPE && kind && kind->by_count) {
    radp_keep (e, p->body + APP_HEAD, p->size - APP_HEAD, ra_get_u32 (p->body));
  }
}

/* Feedback of a kind that is not in use. */
static void
other_take (RaEar *e, const RaFeedbackOps *kind)
{
  e->stats.unasked++;
  e->other = kind;
  e->news |= RA_EAR_OTHER;
}

static RaHearing
hearing (RaEar *e)
{
  return (RaHearing){ .sender = e->sender,
    .ledger = e->ledger,
    .cfg = &e->cfg,
    .ecn = &e->ecn,
    .remote = &e->remote,
    .stamped = !e->unstamped,
    .stats = &e->stats };
}

/* Feedback of the kind in use, whose place is `at`. */
static void
feedback_hear (RaEar *e, guint at, const RaFeedbackFci *f, RaTime now)
{
  gboolean behind = e->radp && e->radp_ssrc == f->sender;
  RaHearing h = hearing (e);

  if (behind) {
    h.radp = e->radp;
    h.radp_size = e->radp_size;
  }
  ra_feedbacks[at]->hear (e->own->pdata[at], &h, f, now);
  if (behind)
    e->radp = h.radp;
  e->news |= h.news;
}

/* Where two kinds have the same FMT, which a user may set, it is the one in use. */
static void
feedback_take (RaEar *e, const RaRtcpPacket *p, RaTime now)
{
  const RaFeedbackOps *kind = NULL;
  guint at = 0;

  e->about_us |= p->size >= FB_HEAD
      && ra_ledger_has_ssrc (e->ledger, ra_get_u32 (p->body + SSRC_SIZE));
  for (guint i = 0; ra_feedbacks[i]; i++) {
    const RaFeedbackOps *k = ra_feedbacks[i];

    if ((k->fmt_varies ? e->cfg.tfrc_fmt : k->fmt) != p->count)
      continue;
    if (k->look && !k->look (e->own->pdata[i], p->body, p->size))
      e->stats.heard[RA_HEARD_MALFORMED]++;
    if (k->hear && (!kind || kind != e->cfg.kind)) {
      kind = k;
      at = i;
    }
  }
  if (!kind || p->size < FB_HEAD)
    return;
  if (kind == e->cfg.kind)
    feedback_hear (e, at,
        &(RaFeedbackFci){ ra_get_u32 (p->body),
            ra_get_u32 (p->body + SSRC_SIZE), p->body + FB_HEAD,
            p->size - FB_HEAD },
        now);
  else
    other_take (e, kind);
}

static void
packet_take (RaEar *e, const RaRtcpPacket *p, RaTime now)
{
  if (!p->body) {
    e->stats.heard[RA_HEARD_MALFORMED]++;
    return;
  }
  switch (p->type) {
    case RA_RTCP_SR:
      blocks_take (e, p, SSRC_SIZE + SENDER_INFO_SIZE, now);
      break;
    case RA_RTCP_RR:
      blocks_take (e, p, SSRC_SIZE, now);
      break;
    case RA_RTCP_APP:
      app_take (e, p, now);
      break;
    case RA_RTCP_RTPFB:
      feedback_take (e, p, now);
      break;
    default:
      break;
  }
}

RaEarNews
ra_ear_on_rtcp (RaEar *e, const guint8 *bytes, gsize len, RaTime now)
{
  RaRtcpReader reader = ra_rtcp_reader (bytes, len);
  RaRtcpPacket packet;

  e->news = RA_EAR_NOTHING;
  e->radp = NULL;
  e->about_us = FALSE;
  for (guint i = 0; ra_feedbacks[i]; i++) {
    if (ra_feedbacks[i]->begin)
      ra_feedbacks[i]->begin (e->own->pdata[i]);
  }
  ra_sender_on_rtcp (e->sender, now);
  while (ra_rtcp_next (&reader, &packet))
    packet_take (e, &packet, now);
  radp_keep (e, NULL, 0, 0); /* the bytes do not stay */
  if (e->about_us) {
    word_await (&e->takes_word, now);
    word_await (&e->hold_word, now);
  }
  return e->news;
}

RaEarNews
ra_ear_on_twcc (RaEar *e, const RaTwccRow *rows, guint n, RaTime now)
{
  gboolean by_bytes = e->cfg.kind && e->cfg.kind->hear;
  RaHearing h = hearing (e);

  e->news = RA_EAR_NOTHING;
  for (guint i = 0; ra_feedbacks[i]; i++) {
    if (!ra_feedbacks[i]->hear_rows)
      continue;
    if (by_bytes)
      other_take (e, ra_feedbacks[i]);
    else
      ra_feedbacks[i]->hear_rows (e->own->pdata[i], &h, rows, n, now);
  }
  return e->news | h.news;
}

/* --- what the owner asks ----------------------------------------------------- */

const RaFeedbackOps *
ra_ear_other (const RaEar *e)
{
  return e->other;
}

const RaFeedbackOps *
ra_ear_wish (const RaEar *e)
{
  return e->wish;
}

const RaTakes *
ra_ear_takes (const RaEar *e)
{
  return e->takes_word.known ? &e->takes : NULL;
}

gboolean
ra_ear_is_stranger (const RaEar *e)
{
  return !e->takes_word.known && e->takes_word.unsaid >= STRANGER;
}

const RaRadpHold *
ra_ear_hold (const RaEar *e)
{
  return e->hold_word.known ? &e->hold : NULL;
}

gboolean
ra_ear_next_loss (RaEar *e, RaEarLoss *out)
{
  if (e->n_losses == 0)
    return FALSE;
  *out = e->losses[e->first_loss];
  e->first_loss = (e->first_loss + 1) % RA_EAR_LOSSES_MAX;
  e->n_losses--;
  return TRUE;
}

guint64
ra_ear_take_left_out (RaEar *e)
{
  guint64 n = e->left_out;

  e->left_out = 0;
  return n;
}

const RaRadp *
ra_ear_radp (const RaEar *e)
{
  const RaRadp *radp = NULL;

  for (guint i = 0; !radp && ra_feedbacks[i]; i++) {
    if (ra_feedbacks[i]->said)
      radp = ra_feedbacks[i]->said (e->own->pdata[i]);
  }
  return radp;
}

void
ra_ear_get_stats (const RaEar *e, RaEarStats *stats)
{
  *stats = e->stats;
  stats->ecn_state = e->ecn.state;
  stats->ecn_fault = e->ecn.fault;
  stats->ecn_failed = e->ecn.failed;
  stats->ecn_sent = e->ecn.n_ect;
  stats->ecn_ce = e->ecn.n_ce;
}
