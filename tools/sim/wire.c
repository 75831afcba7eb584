/* A flow's two ends down to the bytes.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "wire.h"

#include "source.h"

#include <gst/rtpadapt/feedback/rtcp.h>
#include <gst/rtpadapt/feedback/stamp.h>
#include <gst/rtpadapt/loss/seq.h>
#include <gst/rtpadapt/util/bytes.h>

#include <string.h>

/* RFC 3550 6.4.2, 6.7; RFC 4585 6.1: the head, and one or two SSRCs or a name. */
#define RR_SIZE 8
#define APP_HEAD 12
#define RTPFB_HEAD 12
#define PEER 1 /* the receiver's SSRC */
/* Of a transport-wide reference time: 24 bits, unit 64 ms
 * (draft-holmer-rmcat-transport-wide-cc-extensions-01, 3.1). */
#define TWCC_WRAP ((RaTime) (64 * RA_MSECOND) << 24)

/* When a packet passed the sender's rtpsession, and with how much. */
typedef struct
{
  RaTime at;
  guint payload;
} Passed;

struct _SimWire
{
  const RaFeedbackOps *kind;
  RaReporterConfig cfg;

  RaEar *ear;
  Passed *passed; /* twcc: by number */

  RaReporter *reporter; /* NULL: twcc */
  RaSeq seq;            /* twcc */
  guint64 next_row;
  GArray *rows; /* of SimTwccRow, since the last report */
  guint32 ssrc; /* of the last packet */
};

SimHeader
sim_header_write (guint32 ssrc, guint64 seq, guint size, gboolean marker,
    const RaSendTs *ts, const RaColourExt *colour)
{
  SimHeader h = { .ssrc = ssrc,
    .seq = (guint16) seq,
    .size = size,
    .marker = marker,
    .has_colour = colour->mark != RA_MARK_NONE };

  ra_send_ts_write (ts, h.send_ts, sizeof h.send_ts);
  ra_colour_ext_write (colour, h.colour, sizeof h.colour);
  return h;
}

SimReport *
sim_report_copy (const SimReport *r)
{
  SimReport *copy = g_memdup2 (r, sizeof *r);

  if (r->rows)
    copy->rows = g_array_copy (r->rows);
  return copy;
}

void
sim_report_free (SimReport *r)
{
  g_clear_pointer (&r->rows, g_array_unref);
  g_free (r);
}

static gboolean
receiver_start (SimWire *w, GError **error)
{
  ra_seq_init (&w->seq);
  w->next_row = 0;
  w->rows = g_array_new (FALSE, FALSE, sizeof (SimTwccRow));
  if (!w->kind->write)
    return TRUE;
  w->reporter = ra_reporter_new (&w->cfg, error);
  return w->reporter != NULL;
}

static void
receiver_end (SimWire *w)
{
  g_clear_pointer (&w->reporter, ra_reporter_free);
  g_array_unref (w->rows);
}

static void
sender_start (SimWire *w, RaSender *sender)
{
  w->ear = ra_ear_new (sender, w->cfg.seed);
  ra_ear_set (
      w->ear, &(RaEarConfig){ .kind = w->kind, .tfrc_fmt = RA_TFRC_FB_FMT });
}

SimWire *
sim_wire_new (const RaSimConfig *cfg, const RaSimFlow *own, RaSender *sender,
    GError **error)
{
  SimWire *w = g_new0 (SimWire, 1);

  w->kind = cfg->wire;
  w->cfg = (RaReporterConfig){
    .reports = w->kind,
    .lda = ra_lda_find (own->lda),
    .lda_params = own->lda_params,
    .seed = cfg->seed,
  };
  if (!w->kind->hear)
    w->passed = g_new (Passed, G_MAXUINT16 + 1);
  sender_start (w, sender);
  if (!receiver_start (w, error))
    g_clear_pointer (&w, sim_wire_free);
  return w;
}

void
sim_wire_free (SimWire *w)
{
  ra_ear_free (w->ear);
  receiver_end (w);
  g_free (w->passed);
  g_free (w);
}

void
sim_wire_restart_receiver (SimWire *w)
{
  receiver_end (w);
  receiver_start (w, NULL); /* it worked with the same parameters */
}

void
sim_wire_restart_sender (SimWire *w, RaSender *sender)
{
  ra_ear_free (w->ear);
  sender_start (w, sender);
}

RaReporter *
sim_wire_reporter (const SimWire *w)
{
  return w->reporter;
}

RaEar *
sim_wire_ear (const SimWire *w)
{
  return w->ear;
}

void
sim_wire_send (
    SimWire *w, const RaOutgoing *out, const SimHeader *header, RaTime now)
{
  RaEarPacket p = { .out = *out,
    .payload = header->size - SIM_RTP_HEADER,
    .passed = now,
    .stamped = TRUE };

  ra_ear_on_sent (w->ear, &p, now);
  ra_ear_on_pushed (w->ear, now);
  if (w->passed)
    w->passed[header->seq] = (Passed){ now, p.payload };
}

/* --- the receiver ---------------------------------------------------------- */

/* A row for every number up to the newest, lost or not; the answer goes out at the
 * end of a frame. */
static gboolean
twcc_arrive (SimWire *w, const SimHeader *h, RaTime arrival)
{
  SimTwccRow row = { .arrival = RA_TIME_NONE };
  guint64 seq;

  if (ra_seq_unwrap (&w->seq, h->seq, &seq) == RA_SEQ_BAD)
    return FALSE;
  if (w->next_row == 0 || seq > w->next_row + RA_MAX_DROPOUT)
    w->next_row = seq;
  for (guint64 i = w->next_row; i < seq; i++) {
    row.number = (guint16) (h->seq - (seq - i));
    g_array_append_val (w->rows, row);
  }
  row = (SimTwccRow){ h->seq, arrival - arrival % SIM_TWCC_GRAIN };
  g_array_append_val (w->rows, row);
  w->next_row = MAX (w->next_row, seq + 1);
  w->ssrc = h->ssrc;
  return h->marker;
}

gboolean
sim_wire_arrive (SimWire *w, const SimHeader *h, RaTime arrival)
{
  RaWirePacket p = { .ssrc = h->ssrc,
    .seq = h->seq,
    .size = h->size,
    .arrival = arrival,
    .number = -1,
    .tos = -1 };
  RaColourExt colour;
  RaSendTs ts;

  if (!w->reporter)
    return twcc_arrive (w, h, arrival);
  if (ra_send_ts_read (&ts, h->send_ts, sizeof h->send_ts))
    p.send_ts = &ts;
  if (h->has_colour
      && ra_colour_ext_read (&colour, h->colour, sizeof h->colour))
    p.colour = &colour;
  return ra_reporter_on_packet (w->reporter, &p);
}

RaTime
sim_wire_next_report (const SimWire *w)
{
  return w->reporter ? ra_reporter_next_timeout (w->reporter) : RA_TIME_NONE;
}

/* Adds a packet of that size to the compound, and fills its head: V = 2, the type,
 * the length in words less one, the sender's SSRC.  Returns what follows. */
static guint8 *
packet_add (SimReport *r, guint8 type, guint count, gsize size)
{
  guint8 *p = r->rtcp + r->len;

  p[0] = (guint8) (2 << 6 | count);
  p[1] = type;
  ra_put_u16 (p + 2, (guint32) (size / 4 - 1));
  ra_put_u32 (p + 4, PEER);
  r->len += size;
  return p + RR_SIZE;
}

static gboolean
compound_write (SimWire *w, SimReport *r, RaTime now)
{
  RaReportBytes report;
  guint8 *at;

  if (!w->kind->write (w->reporter, now, now, SIM_RTCP_ROOM, &report))
    return FALSE;
  packet_add (r, RA_RTCP_RR, 0, RR_SIZE);
  if (report.app_size > 0) {
    at = packet_add (
        r, RA_RTCP_APP, RA_RADP_SUBTYPE, APP_HEAD + report.app_size);
    memcpy (at, RA_RADP_NAME, 4);
    memcpy (at + 4, report.app, report.app_size);
  }
  at = packet_add (
      r, RA_RTCP_RTPFB, w->kind->fmt, RTPFB_HEAD + report.fci_size);
  ra_put_u32 (at, report.media);
  memcpy (at + 4, report.fci, report.fci_size);
  return TRUE;
}

static gboolean
twcc_write (SimWire *w, SimReport *r)
{
  if (w->rows->len == 0)
    return FALSE;
  r->rows = w->rows;
  w->rows = g_array_new (FALSE, FALSE, sizeof (SimTwccRow));
  return TRUE;
}

SimReport *
sim_wire_report (SimWire *w, RaTime now)
{
  SimReport *r = g_new0 (SimReport, 1);

  if (!(w->reporter ? compound_write (w, r, now) : twcc_write (w, r)))
    g_clear_pointer (&r, sim_report_free);
  return r;
}

/* --- the sender ------------------------------------------------------------ */

/* rtpsession gives a row what it knows of the packet that passed with the number. */
static void
twcc_hear (SimWire *w, const SimReport *r, RaTime now)
{
  g_autofree RaTwccRow *rows = g_new (RaTwccRow, r->rows->len);

  for (guint i = 0; i < r->rows->len; i++) {
    const SimTwccRow *row = &g_array_index (r->rows, SimTwccRow, i);
    const Passed *passed = &w->passed[row->number];

    rows[i] = (RaTwccRow){ .seq = row->number,
      .lost = row->arrival == RA_TIME_NONE,
      .local = passed->at,
      .size = passed->payload,
      .remote = RA_TIME_NONE };
    if (!rows[i].lost)
      rows[i].remote = row->arrival % TWCC_WRAP;
  }
  ra_ear_on_twcc (w->ear, rows, r->rows->len, now);
}

void
sim_wire_hear (SimWire *w, const SimReport *r, RaTime now)
{
  if (r->rows)
    twcc_hear (w, r, now);
  else
    ra_ear_on_rtcp (w->ear, r->rtcp, r->len, now);
}
