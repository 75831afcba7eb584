/* A flow's two ends down to the bytes.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "wire.h"

#include <gst/rtpadapt/feedback/ccfbfci.h>
#include <gst/rtpadapt/feedback/listener.h>
#include <gst/rtpadapt/feedback/stamp.h>
#include <gst/rtpadapt/ledger.h>
#include <gst/rtpadapt/loss/seq.h>

struct _SimWire
{
  SimWireKind kind;
  RaReporterConfig cfg;

  RaSender *sender;
  RaListener *listener; /* tfrc */
  guint64 next_index;   /* ccfb: the first of which no report spoke */
  SimHeard heard;

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
  if (w->kind == SIM_WIRE_TWCC)
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
  w->sender = sender;
  w->listener = ra_listener_new (ra_sender_ledger (sender));
  w->next_index = 0;
}

SimWire *
sim_wire_new (const RaSimConfig *cfg, const RaSimFlow *own, RaSender *sender,
    GError **error)
{
  SimWire *w = g_new0 (SimWire, 1);

  w->kind = cfg->wire;
  w->cfg = (RaReporterConfig){
    .reports
    = cfg->wire == SIM_WIRE_TFRC ? &ra_feedback_tfrc : &ra_feedback_ccfb,
    .lda = ra_lda_find (own->lda),
    .lda_params = own->lda_params,
    .seed = cfg->seed,
  };
  sender_start (w, sender);
  if (!receiver_start (w, error))
    g_clear_pointer (&w, sim_wire_free);
  return w;
}

void
sim_wire_free (SimWire *w)
{
  ra_listener_free (w->listener);
  receiver_end (w);
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
  ra_listener_free (w->listener);
  sender_start (w, sender);
}

RaReporter *
sim_wire_reporter (const SimWire *w)
{
  return w->reporter;
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

static gboolean
tfrc_write (SimWire *w, SimReport *r, RaTime now)
{
  RaTfrcFb fb;
  RaRadp radp;

  if (!ra_reporter_tfrc (w->reporter, now, &fb, &radp, &r->ssrc))
    return FALSE;
  r->radp_len = ra_radp_write (&radp, r->radp, sizeof r->radp);
  r->len = ra_tfrc_fb_write (&fb, r->fci, sizeof r->fci);
  return TRUE;
}

static gboolean
twcc_write (SimWire *w, SimReport *r)
{
  if (w->rows->len == 0)
    return FALSE;
  r->ssrc = w->ssrc;
  r->rows = w->rows;
  w->rows = g_array_new (FALSE, FALSE, sizeof (SimTwccRow));
  return TRUE;
}

SimReport *
sim_wire_report (SimWire *w, RaTime now)
{
  SimReport *r = g_new0 (SimReport, 1);

  if (w->kind == SIM_WIRE_CCFB)
    r->len = ra_reporter_ccfb (
        w->reporter, now, now, &r->ssrc, r->fci, sizeof r->fci);
  if (w->kind == SIM_WIRE_TFRC       ? !tfrc_write (w, r, now)
          : w->kind == SIM_WIRE_CCFB ? r->len == 0
                                     : !twcc_write (w, r))
    g_clear_pointer (&r, sim_report_free);
  return r;
}

/* --- the sender ------------------------------------------------------------ */

static RaHeard
tfrc_hear (SimWire *w, const SimReport *r, RaTime now)
{
  RaReport report;
  RaSpan t_delay;
  RaHeard heard;

  if (r->radp_len > 0)
    ra_listener_on_radp (w->listener, r->radp, r->radp_len, now);
  heard = ra_listener_on_tfrc (
      w->listener, r->fci, r->len, now, &report, &t_delay);
  if (heard != RA_HEARD_OK)
    return heard;
  w->heard.expected += report.expected;
  w->heard.arrived += report.arrived;
  w->heard.lost += report.lost_congestion + report.lost_wireless;
  return ra_sender_on_report (w->sender, &report, t_delay, now)
      ? RA_HEARD_OK
      : RA_HEARD_CONTRARY;
}

/* A packet is news when a report speaks of it for the first time, or says that what
 * was missing came after all. */
static void
ccfb_rows (
    SimWire *w, RaCcfbReader *reader, RaTime rts, GArray *rows, guint16 *least)
{
  RaLedger *ledger = ra_sender_ledger (w->sender);

  for (guint i = 0; i < reader->n; i++) {
    RaCcfbPacket p = ra_ccfb_get (reader, i);
    const RaLedgerEntry *e = ra_ledger_find (
        ledger, reader->ssrc, (guint16) (reader->begin_seq + i));
    RaFeedbackPacket row = { .arrival = RA_TIME_NONE };

    if (e && p.received)
      *least = MIN (*least, p.ato);
    if (!e
        || (e->index < w->next_index
            && (!p.received || e->fate == RA_FATE_ARRIVED)))
      continue;
    row.seq = e->index;
    if (p.received)
      row.arrival = ra_ccfb_arrival (rts, p.ato);
    g_array_append_val (rows, row);
    w->next_index = MAX (w->next_index, e->index + 1);
  }
}

static RaHeard
ccfb_hear (SimWire *w, const SimReport *r, RaTime now)
{
  g_autoptr (GArray) rows
      = g_array_new (FALSE, FALSE, sizeof (RaFeedbackPacket));
  guint16 least = RA_CCFB_ATO_MAX;
  RaCcfbReader reader;
  RaTime rts;

  if (!ra_ccfb_read (&reader, r->ssrc, r->fci, r->len))
    return RA_HEARD_MALFORMED;
  rts = ra_stamp_ntp_time (reader.rts, 2 * (RaTime) RA_STAMP_NTP_WRAP);
  while (ra_ccfb_next (&reader))
    ccfb_rows (w, &reader, rts, rows, &least);
  if (rows->len == 0)
    return RA_HEARD_OLD;
  return ra_sender_on_held_feedback (w->sender,
             (const RaFeedbackPacket *) rows->data, rows->len, RA_SECOND / 1024,
             least * RA_SECOND / 1024, now)
      ? RA_HEARD_OK
      : RA_HEARD_CONTRARY;
}

/* A number is of the latest packet that had it. */
static RaHeard
twcc_hear (SimWire *w, const SimReport *r, RaTime now)
{
  g_autofree RaFeedbackPacket *rows = g_new (RaFeedbackPacket, r->rows->len);
  guint64 newest = ra_ledger_last (ra_sender_ledger (w->sender))->index;

  for (guint i = 0; i < r->rows->len; i++) {
    const SimTwccRow *row = &g_array_index (r->rows, SimTwccRow, i);

    rows[i] = (RaFeedbackPacket){ .seq
      = newest - (guint16) ((guint16) newest - row->number),
      .arrival = row->arrival };
  }
  return ra_sender_on_feedback (
             w->sender, rows, r->rows->len, SIM_TWCC_GRAIN, now)
      ? RA_HEARD_OK
      : RA_HEARD_OLD;
}

void
sim_wire_hear (SimWire *w, const SimReport *r, RaTime now)
{
  if (!ra_ledger_has_ssrc (ra_sender_ledger (w->sender), r->ssrc))
    return;
  w->heard.reports[w->kind == SIM_WIRE_TFRC ? tfrc_hear (w, r, now)
          : w->kind == SIM_WIRE_CCFB        ? ccfb_hear (w, r, now)
                                            : twcc_hear (w, r, now)]++;
}

const SimHeard *
sim_wire_heard (const SimWire *w)
{
  return &w->heard;
}
