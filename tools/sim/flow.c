/* One flow of the simulation: sender, receiver, feedback.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "flowpriv.h"

#include <gst/rtpadapt/feedback/stamp.h>
#include <gst/rtpadapt/ledger.h>

#define UDP_SIZE (20 + 8) /* IP, UDP */
#define SDES_SIZE 24      /* a CNAME (RFC 3550 6.1), which nobody reads here */
/* A receiver report, and RADP with TFRC-FB, or TWCC's head. */
#define FEEDBACK_SIZE (UDP_SIZE + 32 + 56)
#define FIRST_OF_REPORTER 65536 /* what RaBundle makes of the first packet */

static RaTime
there (const SimFlow *f, RaTime now)
{
  gint ppm = f->clocks.ppm;

  return now + (RaTime) f->clocks.there
      + (ppm ? (RaTime) (gint64) ((gdouble) now * ppm * 1e-6) : 0);
}

/* The true time of a timer. */
static RaTime
from_here (const SimFlow *f, RaTime t)
{
  if (t == RA_TIME_NONE)
    return t;
  return MAX (ra_diff (t, (RaTime) f->clocks.here), 0);
}

/* Rounded up, so that it is due then. */
static RaTime
from_there (const SimFlow *f, RaTime t)
{
  RaSpan span;

  if (t == RA_TIME_NONE)
    return t;
  span = ra_diff (t, (RaTime) f->clocks.there);
  if (f->wire && span > 0)
    span = (RaSpan) ((gdouble) span / (1 + f->clocks.ppm * 1e-6)) + 2;
  return (RaTime) MAX (span, 0);
}

static void
feedback_clear (Feedback *fb)
{
  g_clear_pointer (&fb->rows, g_array_unref);
  g_clear_pointer (&fb->bytes, sim_report_free);
}

static guint
feedback_size (const Feedback *fb)
{
  const GArray *rows = fb->bytes ? fb->bytes->rows : fb->rows;

  if (fb->bytes && !rows)
    return UDP_SIZE + SDES_SIZE + (guint) fb->bytes->len;
  return FEEDBACK_SIZE + (rows ? rows->len : 0);
}

static void
feedback_send (SimFlow *f, Feedback fb)
{
  if (ra_rng_chance (&f->rng, f->cfg->feedback_loss)) {
    feedback_clear (&fb);
    return;
  }
  if (fb.bytes && f->path.report) {
    f->path.report (fb.bytes, feedback_size (&fb), f->now, f->path.data);
    return;
  }
  fb.id = f->n_feedback++;
  fb.due = f->path.feedback ? RA_TIME_NONE
                            : ra_later (f->now, f->cfg->feedback_delay);
  g_queue_push_tail (&f->feedback, g_memdup2 (&fb, sizeof fb));
  if (f->path.feedback)
    f->path.feedback (fb.id, feedback_size (&fb), f->now, f->path.data);
}

/* The verdicts of whoever runs the LDA, by bytes.  The receiver counts from the first
 * packet that came. */
static void
losses_score (SimFlow *f)
{
  RaEarLoss loss;
  RaMissing m;

  while (ra_ear_next_loss (sim_wire_ear (f->wire), &loss))
    ra_score_verdict (f->score, loss.verdict, loss.truth, f->now);
  while (ra_feedback_judges (f->cfg->wire)
      && ra_reporter_next_loss (sim_wire_reporter (f->wire), &m))
    ra_score_verdict (f->score, m.cause,
        record (f, m.seq + (guint64) f->offset)->truth, f->now);
}

static void
report_send (SimFlow *f)
{
  RaTime now = there (f, f->now);
  Feedback fb = { 0 };

  f->tried = f->now;
  if (f->wire ? (fb.bytes = sim_wire_report (f->wire, now)) != NULL
              : ra_receiver_report (f->receiver, now, &fb.report, &fb.t_delay))
    feedback_send (f, fb);
  if (f->wire)
    losses_score (f);
}

/* What TWCC does: a row for every number up to the newest, lost or not. */
static void
rows_add (SimFlow *f, guint64 seq, RaTime arrival)
{
  RaFeedbackPacket row = { .arrival = RA_TIME_NONE };

  for (row.seq = f->next_row; row.seq < seq; row.seq++)
    g_array_append_val (f->rows, row);
  if (f->cfg->grain > 0)
    arrival -= arrival % (RaTime) f->cfg->grain;
  row.seq = seq;
  row.arrival = arrival;
  row.ce = record (f, seq)->ce;
  g_array_append_val (f->rows, row);
  f->next_row = MAX (f->next_row, seq + 1);
  if (record (f, seq)->frame_end) {
    Feedback fb = { .rows = f->rows };

    f->rows = g_array_new (FALSE, FALSE, sizeof (RaFeedbackPacket));
    feedback_send (f, fb);
  }
}

void
sim_flow_deliver (SimFlow *f, const RaLinkPacket *lp, RaTime now)
{
  Record *rec = record (f, lp->seq);
  RaPacket p = {
    .seq = lp->seq,
    .size = rec->size,
    .sent = rec->sent,
    .arrival = there (f, now),
    .rtt = rec->rtt,
    .mark = rec->mark,
    .ce = rec->ce,
  };

  p.lost_by_mark[p.mark] = ra_mark_missing (&f->seen, p.mark, rec->n_mark);
  f->now = now;
  if (now < f->stop)
    ra_score_arrived (f->score, lp->size, lp->queued, now);
  sim_frame_outcome (g_steal_pointer (&rec->frame), rec->pos, TRUE);
  if (f->wire) {
    if (f->offset == 0)
      f->offset = (gint64) lp->seq - FIRST_OF_REPORTER;
    if (sim_wire_arrive (f->wire, &rec->header, p.arrival))
      report_send (f);
    losses_score (f);
  } else if (!f->receiver)
    rows_add (f, lp->seq, p.arrival);
  else if (ra_receiver_on_packet (f->receiver, &p))
    report_send (f);
}

void
sim_flow_mark (SimFlow *f, guint64 seq)
{
  record (f, seq)->ce = TRUE;
}

void
sim_flow_drop (SimFlow *f, const RaLinkPacket *lp, RaCause cause, RaTime now)
{
  Record *rec = record (f, lp->seq);

  rec->truth = cause;
  if (f->wire)
    ra_ear_truth (
        sim_wire_ear (f->wire), rec->header.ssrc, rec->header.seq, cause);
  sim_frame_outcome (g_steal_pointer (&rec->frame), rec->pos, FALSE);
  if (now < f->stop)
    ra_score_lost (f->score, lp->size, cause, now);
}

void
sim_flow_capacity (SimFlow *f, guint64 capacity, RaTime now)
{
  if (now < f->stop)
    ra_score_capacity (f->score, capacity, now);
}

static gboolean
asks_each (const SimFlow *f)
{
  return f->wire ? f->cfg->wire->asks == RA_ASKS_ALWAYS : f->receiver != NULL;
}

static void
packet_send (SimFlow *f)
{
  SimItem item = sim_source_take (&f->source, f->now);
  RaTime now = flow_here (f, f->now);
  guint64 n = f->next++;
  RaOutgoing out = { .seq = n + (guint64) f->shift,
    .rtp_seq = (guint16) (n + (f->wire ? f->first : (guint64) f->shift)),
    .size = item.size,
    .media = item.flags & RA_SENT_REPAIR ? 0 : item.size - SIM_RTP_HEADER,
    .flags = item.flags,
    .ssrc = f->ssrc };
  gboolean frame_end = (item.flags & RA_SENT_FRAME_END) != 0;
  RaLinkPacket lp
      = { .seq = n, .flow = f->index, .size = item.size + f->cfg->overhead };
  RaSenderStats stats;

  if (sim_source_is_held (&f->source))
    out.flags |= RA_SENT_HELD;
  if (sim_source_has_more (&f->source))
    out.flags |= RA_SENT_WAITING
        | (f->wire && sim_source_is_spread (&f->source, &item) ? RA_SENT_SPREAD
                                                               : 0);
  if (asks_each (f) || frame_end)
    out.flags |= RA_SENT_ASKS;
  ra_colour_set_rate (f->colour, ra_sender_rate (f->sender));
  out.mark = lp.mark = ra_colour_mark (f->colour,
      &(RaColourPacket){
          item.size, item.importance, (item.flags & RA_SENT_REPAIR) != 0 },
      f->now);
  ra_sender_get_stats (f->sender, &stats);
  *record (f, n) = (Record){
    .size = item.size,
    .sent = now,
    .rtt = stats.rtt,
    .mark = out.mark,
    .n_mark = ra_mark_number (&f->numbers, out.mark),
    .frame_end = frame_end,
    .frame = item.frame,
    .pos = item.pos,
  };
  if (f->wire) {
    record (f, n)->header = sim_header_write (f->ssrc, out.rtp_seq, item.size,
        frame_end, &(RaSendTs){ stats.rtt, ra_stamp_us (now) },
        &(RaColourExt){ out.mark, record (f, n)->n_mark });
    sim_wire_send (f->wire, &out, &record (f, n)->header, now);
    f->shift = (gint64) (ra_ledger_last (ra_sender_ledger (f->sender))->index)
        - (gint64) n;
  } else {
    ra_sender_on_sent (f->sender, &out, now);
  }
  ra_score_sent (f->score, lp.size, f->now);
  f->path.packet (&lp, f->now, f->path.data);
}

void
flow_feedback_free (gpointer data)
{
  Feedback *fb = data;

  feedback_clear (fb);
  g_free (fb);
}

void
sim_flow_hear (SimFlow *f, const SimReport *r, RaTime now)
{
  f->now = now;
  sim_wire_hear (f->wire, r, flow_here (f, now));
  losses_score (f);
}

static void
feedback_take (SimFlow *f)
{
  Feedback *fb = g_queue_pop_head (&f->feedback);

  if (fb->bytes)
    sim_flow_hear (f, fb->bytes, f->now);
  else if (fb->rows)
    ra_sender_on_feedback (f->sender, (RaFeedbackPacket *) fb->rows->data,
        fb->rows->len, f->cfg->grain, f->now);
  else
    ra_sender_on_report (f->sender, &fb->report, fb->t_delay, f->now);
  flow_feedback_free (fb);
}

/* What set out before it and has not come never will: paths keep the order. */
void
sim_flow_feedback (SimFlow *f, guint64 id, RaTime now)
{
  const Feedback *fb;

  f->now = now;
  while ((fb = g_queue_peek_head (&f->feedback)) && fb->id < id)
    flow_feedback_free (g_queue_pop_head (&f->feedback));
  if (fb && fb->id == id)
    feedback_take (f);
}

gboolean
sim_flow_is_on (const SimFlow *f, RaTime now)
{
  return now >= f->start && now < f->stop;
}

static RaTime
next_send (const SimFlow *f, RaTime now)
{
  if (!sim_flow_is_on (f, now))
    return now < f->start && sim_source_is_greedy (&f->source) ? f->start
                                                               : RA_TIME_NONE;
  if (!sim_source_has_more (&f->source))
    return RA_TIME_NONE;
  if (sim_source_is_greedy (&f->source) && sim_source_is_idle (&f->source, now))
    return (RaTime) f->cfg->idle_until;
  return from_here (f, ra_sender_next_send (f->sender, flow_here (f, now)));
}

static RaTime
next_report (const SimFlow *f)
{
  RaTime t = f->wire ? sim_wire_next_report (f->wire)
      : f->receiver  ? ra_receiver_next_timeout (f->receiver)
                     : RA_TIME_NONE;

  t = from_there (f, t);
  /* The reporter may want to be asked again and have nothing to say. */
  return f->wire && t != RA_TIME_NONE ? MAX (t, f->tried + RA_MSECOND) : t;
}

RaTime
sim_flow_next (const SimFlow *f, RaTime now)
{
  const Feedback *fb = g_queue_peek_head ((GQueue *) &f->feedback);
  RaTime next = MIN (next_send (f, now), next_report (f));

  if (now < f->stop)
    next = MIN (next, from_here (f, ra_sender_next_timeout (f->sender)));
  if (fb)
    next = MIN (next, fb->due);
  return !sim_source_is_greedy (&f->source) && f->source.next_frame < f->stop
      ? MIN (next, f->source.next_frame)
      : next;
}

void
sim_flow_run (SimFlow *f, RaTime now)
{
  const Feedback *fb;

  f->now = now;
  while ((fb = g_queue_peek_head (&f->feedback)) && fb->due <= now)
    feedback_take (f);
  if (ra_sender_next_timeout (f->sender) <= flow_here (f, now))
    ra_sender_on_timeout (f->sender, flow_here (f, now));
  if (f->wire)
    losses_score (f);
  if (next_report (f) <= now)
    report_send (f);
  if (!sim_source_is_greedy (&f->source) && f->source.next_frame <= now
      && now < f->stop)
    sim_source_frame (&f->source, f->sender, &f->rng, flow_here (f, now));
  while (next_send (f, now) <= now)
    packet_send (f);
}
