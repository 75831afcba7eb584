/* rtpadaptsend: feedback about what was sent, and the truth about losses.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "parts/enums.h"
#include "sendpriv.h"

#include <gst/rtp/rtp.h>
#include <gst/rtpadapt/feedback/bytes.h>
#include <gst/rtpadapt/feedback/ccfb.h>
#include <gst/rtpadapt/feedback/stamp.h>
#include <gst/rtpadapt/feedback/twccfci.h>

#define GST_CAT_DEFAULT gst_rtp_adapt_send_debug

/* RFC 3550 6.4, 6.7; RFC 4585 6.1: in bytes behind the first four. */
#define SSRC_SIZE 4
#define SENDER_INFO_SIZE 20
#define BLOCK_SIZE 24
#define APP_HEAD 8
#define FB_HEAD 8
/* The resolution of RFC 8888's arrival time offset, 3.1. */
#define CCFB_HZ 1024
#define CCFB_GRAIN (RA_SECOND / CCFB_HZ)

/* The rows whose packets we know, in the library's words; the lock is held.
 * (transfer full) (element-type RaFeedbackPacket) */
static GArray *
rows_map (GstRtpAdaptSend *self, const GArray *rows)
{
  GArray *packets
      = g_array_sized_new (FALSE, FALSE, sizeof (RaFeedbackPacket), rows->len);

  for (guint i = 0; i < rows->len; i++) {
    const TwccRow *row = &g_array_index (rows, TwccRow, i);
    const RaLedgerEntry *sent
        = twcc_map (&self->align, send_ledger (self), row);
    RaFeedbackPacket packet = { 0 };

    if (!sent) {
      self->count.unmapped++;
      continue;
    }
    packet.seq = sent->index;
    packet.arrival = row->lost ? RA_TIME_NONE
                               : remote_clock_unwrap (&self->remote,
                                   row->remote, TWCC_WRAP, sent->sent);
    g_array_append_val (packets, packet);
  }
  return packets;
}

/* The lock is held. */
static void
rows_apply (GstRtpAdaptSend *self, const GArray *rows)
{
  GArray *packets = rows_map (self, rows);
  RaTime now = send_now (self);

  if (packets->len > 0) {
    self->heard_at = now;
    send_other_on_kind (self, now);
    send_apply (self, outage_on_answer (&self->outage, now));
    ra_sender_on_feedback (self->sender,
        (const RaFeedbackPacket *) packets->data, packets->len, TWCC_GRAIN,
        now);
    self->count.heard[RA_HEARD_OK]++;
    /* The pacer's next packet and the no-feedback timer may have moved. */
    send_wake (self);
    send_tell (self);
  }
  g_array_unref (packets);
}

/* After an outage rtpsession puts a long run of losses before the packets that the
 * report is about.  Those losses are removed, and the rest is a sign of life.  The
 * lock is held. */
static gboolean
is_doubtful (GstRtpAdaptSend *self, GArray *rows)
{
  if (!twcc_is_doubtful (rows))
    return FALSE;
  if (!self->hearing.twcc_based)
    return TRUE;
  twcc_remove_before (rows, self->hearing.twcc_base);
  return twcc_is_doubtful (rows);
}

gboolean
send_on_feedback (GstRtpAdaptSend *self, const GstStructure *s)
{
  GArray *rows = twcc_parse (s);
  gboolean warn = FALSE;

  if (!rows)
    return FALSE;
  g_mutex_lock (&self->lock);
  if (self->sender
      && (self->hearing.mode == GST_RTP_ADAPT_FEEDBACK_TFRC
          || self->hearing.mode == GST_RTP_ADAPT_FEEDBACK_CCFB)) {
    send_other_on_feedback (self, GST_RTP_ADAPT_FEEDBACK_TWCC, send_now (self));
  } else if (self->sender && self->hearing.twcc_malformed) {
    GST_INFO_OBJECT (self, "what rtpsession made of malformed feedback");
  } else if (self->sender && is_doubtful (self, rows)) {
    self->count.doubtful++;
    GST_INFO_OBJECT (
        self, "a long run of losses: report of %u packets ignored", rows->len);
  } else if (self->sender) {
    if (twcc_align (&self->align, send_ledger (self), rows)) {
      self->count.realigned++;
      GST_WARNING_OBJECT (self, "rtpsession's numbers moved against ours");
      warn = send_warn_once (self, SEND_WARNED_REALIGNED);
    }
    rows_apply (self, rows);
  }
  g_mutex_unlock (&self->lock);
  g_array_unref (rows);
  if (warn)
    GST_ELEMENT_WARNING (self, STREAM, FAILED,
        ("Packets that left %s were not all numbered by the RTP session.",
            GST_OBJECT_NAME (self)),
        ("rtpadaptsend has to be the last element before rtpsession, and the "
         "only one that feeds it"));
  return TRUE;
}

/* --- RTCP ---------------------------------------------------------------- */

typedef struct
{
  const guint8 *data;
  guint len;
} Bytes;

/* A compound, as far as it was read. */
typedef struct
{
  RaTime now;
  Bytes radp; /* waits for the TFRC-FB beside it */
  guint32 radp_ssrc;
  gboolean changed; /* the rate control heard something */
} Compound;

/* What is behind the first four bytes, without padding.  FALSE: malformed. */
static gboolean
packet_body (const GstRTCPPacket *packet, Bytes *body)
{
  body->data = packet->rtcp->map.data + packet->offset + 4;
  body->len = packet->length * 4;
  if (packet->padding) {
    guint padding = body->len > 0 ? body->data[body->len - 1] : 0;

    if (padding == 0 || padding > body->len)
      return FALSE;
    body->len -= padding;
  }
  return TRUE;
}

/* Report blocks about us say that the path is alive, whatever else the receiver
 * sends (RFC 8083 4.1), and what it lost. */
static void
blocks_take (GstRtpAdaptSend *self, Bytes body, guint at, guint n, Compound *c)
{
  /* What follows them is the profile's own (RFC 3550 6.4.3). */
  for (; n > 0 && at + BLOCK_SIZE <= body.len; n--, at += BLOCK_SIZE) {
    const guint8 *b = body.data + at;
    RaBlock block = { .ssrc = ra_get_u32 (b),
      .ext_highest_seq = ra_get_u32 (b + 8),
      .fraction_lost = b[4] / 256. };

    if (!ra_ledger_has_ssrc (send_ledger (self), block.ssrc))
      continue;
    block.lsr = send_hearing_lsr (
        self, ra_get_u32 (b + 16), ra_get_u32 (b + 20), c->now, &block.rtt);
    ra_sender_on_receiver_report (self->sender, &block, c->now);
    send_other_on_reports (self, c->now);
    c->changed = TRUE;
  }
}

static void
app_take (GstRtpAdaptSend *self, const GstRTCPPacket *packet, Bytes body,
    Compound *c, SendCounters *count)
{
  if (body.len < APP_HEAD
      || memcmp (body.data + SSRC_SIZE, RA_RADP_NAME, 4) != 0)
    return;
  if (packet->count == RA_RADP_WISH_SUBTYPE)
    send_other_on_wish (self, body.data + APP_HEAD, body.len - APP_HEAD);
  if (packet->count != RA_RADP_SUBTYPE
      || self->hearing.mode != GST_RTP_ADAPT_FEEDBACK_TFRC)
    return;
  count->foreign += c->radp.data != NULL;
  c->radp = (Bytes){ body.data + APP_HEAD, body.len - APP_HEAD };
  c->radp_ssrc = ra_get_u32 (body.data);
}

static void
tfrc_take (GstRtpAdaptSend *self, Bytes fci, guint32 sender, Compound *c)
{
  guint64 *heard = self->count.heard;
  RaHeard radp = RA_HEARD_OK, tfrc;
  RaReport report;
  RaSpan t_delay;

  if (c->radp.data && c->radp_ssrc == sender) {
    radp = ra_listener_on_radp (
        self->listener, c->radp.data, c->radp.len, c->now);
    if (radp == RA_HEARD_OK)
      c->changed
          |= send_skips_on_radp (self, c->radp.data, c->radp.len, c->now);
    c->radp.data = NULL;
  }
  if (radp != RA_HEARD_OK)
    heard[radp]++;
  tfrc = ra_listener_on_tfrc (
      self->listener, fci.data, fci.len, c->now, &report, &t_delay);
  heard[tfrc]++;
  if (tfrc == RA_HEARD_OK) {
    send_other_on_kind (self, c->now);
    send_apply (self, outage_on_answer (&self->outage, c->now));
    ra_sender_on_report (self->sender, &report, t_delay, c->now);
    c->changed = TRUE;
  }
}

/* --- RFC 8888 ------------------------------------------------------------ */

typedef struct
{
  guint ours, foreign; /* blocks */
  guint known;         /* rows about what we sent */
  guint16 ato;         /* the least offset: of the latest arrival */
} CcfbSum;

static void
ccfb_note (GstRtpAdaptSend *self, RaCcfbReader *reader, CcfbSum *sum)
{
  /* The latest that fits, so that offsets can be taken off. */
  RaTime rts = ra_stamp_ntp_time (reader->rts, 2 * (RaTime) RA_STAMP_NTP_WRAP);
  RaLedger *ledger = send_ledger (self);

  while (ra_ccfb_next (reader)) {
    gboolean ours = ra_ledger_has_ssrc (send_ledger (self), reader->ssrc);

    sum->ours += ours;
    sum->foreign += !ours;
    for (guint i = 0; ours && i < reader->n; i++) {
      RaCcfbPacket p = ra_ccfb_get (reader, i);
      CcfbRow row = {
        .ssrc = reader->ssrc,
        .seq = (guint16) (reader->begin_seq + i),
        .received = p.received,
        .remote = ra_ccfb_arrival (rts, p.ato),
        .ecn = (RaEcnField) p.ecn,
      };
      gboolean known = ccfb_notes_add (&self->notes, ledger, &row);

      if (known && p.received)
        sum->ato = MIN (sum->ato, p.ato);
      sum->known += known;
      self->count.unmapped += !known
          && ra_ledger_fate (ledger, row.ssrc, row.seq) != RA_SEQ_SKIPPED;
    }
  }
}

static void
ccfb_take (GstRtpAdaptSend *self, Bytes fci, guint32 media, Compound *c)
{
  SendCounters *count = &self->count;
  RaCcfbReader reader;
  CcfbSum sum = { .ato = RA_CCFB_ATO_MAX };
  GArray *rows;

  if (!ra_ccfb_read (&reader, media, fci.data, fci.len)) {
    count->heard[RA_HEARD_MALFORMED]++;
    return;
  }
  if (send_skips_is_false (self, &reader, c->now)) {
    count->heard[RA_HEARD_UNSENT]++;
    c->changed = TRUE;
    return;
  }
  ccfb_note (self, &reader, &sum);
  if (sum.foreign > 0)
    count->foreign++;
  if (sum.ours == 0)
    return;
  rows = ccfb_notes_take (&self->notes, send_ledger (self), &self->remote);
  send_ecn_hear (self, rows, c->now);
  if (sum.known == 0) {
    count->heard[RA_HEARD_UNSENT]++;
  } else if (rows->len == 0) {
    count->heard[RA_HEARD_OLD]++;
  } else {
    count->heard[RA_HEARD_OK]++;
    send_other_on_kind (self, c->now);
    send_apply (self, outage_on_answer (&self->outage, c->now));
    ra_sender_on_held_feedback (self->sender,
        (const RaFeedbackPacket *) rows->data, rows->len, CCFB_GRAIN,
        sum.ato * RA_SECOND / CCFB_HZ, c->now);
    c->changed = TRUE;
  }
  g_array_unref (rows);
}

/* --- whose it is --------------------------------------------------------- */

/* Before rtpsession, which hands on what it makes of it, reads it. */
static void
twcc_check (GstRtpAdaptSend *self, Bytes body)
{
  SendHearing *h = &self->hearing;

  if (body.len >= FB_HEAD
      && ra_twcc_fci_is_whole (body.data + FB_HEAD, body.len - FB_HEAD)) {
    if (!h->twcc_based)
      h->twcc_base = ra_get_u16 (body.data + FB_HEAD);
    h->twcc_based = TRUE;
    return;
  }
  self->count.heard[RA_HEARD_MALFORMED]++;
  h->twcc_malformed = TRUE;
}

static void
feedback_take (GstRtpAdaptSend *self, guint fmt, Bytes body, Compound *c)
{
  gint mode = self->hearing.mode;
  gboolean is_tfrc = fmt == self->cfg.tfrc_fmt;
  gboolean is_ccfb = fmt == RA_CCFB_FMT;
  guint32 sender, media;
  Bytes fci;

  if (fmt == RA_TWCC_FMT)
    twcc_check (self, body);
  if (body.len < FB_HEAD || (!is_tfrc && !is_ccfb))
    return;
  sender = ra_get_u32 (body.data);
  media = ra_get_u32 (body.data + SSRC_SIZE);
  fci = (Bytes){ body.data + FB_HEAD, body.len - FB_HEAD };
  if (is_ccfb && mode == GST_RTP_ADAPT_FEEDBACK_CCFB)
    ccfb_take (self, fci, media, c);
  else if (!is_tfrc || mode != GST_RTP_ADAPT_FEEDBACK_TFRC)
    send_other_on_feedback (self,
        is_ccfb ? GST_RTP_ADAPT_FEEDBACK_CCFB : GST_RTP_ADAPT_FEEDBACK_TFRC,
        c->now);
  else if (ra_ledger_has_ssrc (send_ledger (self), media))
    tfrc_take (self, fci, sender, c);
  else
    self->count.foreign++;
}

static void
packet_take (GstRtpAdaptSend *self, const GstRTCPPacket *packet, Compound *c)
{
  Bytes body;

  if (!packet_body (packet, &body)) {
    self->count.heard[RA_HEARD_MALFORMED]++;
    return;
  }
  switch (packet->type) {
    case GST_RTCP_TYPE_SR:
      blocks_take (self, body, SSRC_SIZE + SENDER_INFO_SIZE, packet->count, c);
      break;
    case GST_RTCP_TYPE_RR:
      blocks_take (self, body, SSRC_SIZE, packet->count, c);
      break;
    case GST_RTCP_TYPE_APP:
      app_take (self, packet, body, c, &self->count);
      break;
    case GST_RTCP_TYPE_RTPFB:
      feedback_take (self, packet->count, body, c);
      break;
    default:
      break;
  }
}

void
send_on_rtcp (GstRtpAdaptSend *self, GstBuffer *buffer)
{
  GstRTCPBuffer rtcp = GST_RTCP_BUFFER_INIT;
  GstRTCPPacket packet;

  if (!gst_rtcp_buffer_map (buffer, GST_MAP_READ, &rtcp))
    return;
  g_mutex_lock (&self->lock);
  if (self->sender) {
    Compound c = { .now = send_now (self) };

    self->hearing.twcc_malformed = self->hearing.twcc_based = FALSE;
    outage_on_rtcp (&self->outage, c.now);
    ra_sender_on_rtcp (self->sender, c.now);
    for (gboolean more = gst_rtcp_buffer_get_first_packet (&rtcp, &packet);
         more; more = gst_rtcp_packet_move_to_next (&packet))
      packet_take (self, &packet, &c);
    self->count.foreign += c.radp.data != NULL; /* of no TFRC-FB of ours */
    if (c.changed) {
      self->heard_at = c.now;
      send_wake (self);
      send_tell (self);
    }
  }
  g_mutex_unlock (&self->lock);
  gst_rtcp_buffer_unmap (&rtcp);
}

void
send_on_truth (GstRtpAdaptSend *self, const GstStructure *s)
{
  const gchar *cause = gst_structure_get_string (s, "cause");
  RaLedgerEntry *p = NULL;
  guint ssrc, seqnum;

  if (!cause || !gst_structure_get_uint (s, "ssrc", &ssrc)
      || !gst_structure_get_uint (s, "seqnum", &seqnum))
    return;
  g_mutex_lock (&self->lock);
  if (self->sender)
    p = ra_ledger_find (send_ledger (self), ssrc, (guint16) seqnum);
  if (p)
    p->truth = g_str_equal (cause, ra_cause_nick (RA_CAUSE_CONGESTION))
        ? RA_CAUSE_CONGESTION
        : g_str_equal (cause, ra_cause_nick (RA_CAUSE_WIRELESS))
        ? RA_CAUSE_WIRELESS
        : RA_CAUSE_NONE;
  g_mutex_unlock (&self->lock);
}

static void
loss_count (SendCounters *count, RaCause verdict, RaCause truth)
{
  if (truth == RA_CAUSE_CONGESTION) {
    count->known_congestion++;
    count->misread_congestion += verdict != truth;
  } else if (truth == RA_CAUSE_WIRELESS) {
    count->known_wireless++;
    count->misread_wireless += verdict != truth;
  }
}

/* The library confirmed a loss; the lock is held. */
static void
on_loss (const RaMissing *m, gpointer data)
{
  GstRtpAdaptSend *self = data;
  const RaLedgerEntry *p = ra_ledger_at (send_ledger (self), m->seq);

  if (!p)
    return;
  loss_count (&self->count, m->cause, (RaCause) p->truth);
  if (!self->cfg.loss_messages || herald_is_full (&self->herald))
    return;
  herald_post (&self->herald,
      gst_message_new_element (GST_OBJECT (self),
          gst_structure_new ("rtpadapt-loss", "time", G_TYPE_UINT64,
              our_clock_time (&self->clock, p->sent), "ssrc", G_TYPE_UINT,
              p->ssrc, "seqnum", G_TYPE_UINT, (guint) p->seq, "verdict",
              G_TYPE_STRING, ra_cause_nick (m->cause), "truth", G_TYPE_STRING,
              ra_cause_nick ((RaCause) p->truth), NULL)));
}

void
send_sender_setup (GstRtpAdaptSend *self)
{
  ra_sender_set_on_loss (self->sender, on_loss, self);
}
