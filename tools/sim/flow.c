/* One flow of the simulation: sender, receiver, feedback.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "flow.h"

#include "source.h"

#include <gst/rtpadapt/colour/number.h>

#include <gio/gio.h>

#define LOG_SIZE 65536 /* packets on record */
/* IP, UDP, a receiver report, and RADP with TFRC-FB or TWCC's head. */
#define FEEDBACK_SIZE (20 + 8 + 32 + 56)

typedef struct
{
  guint size;
  RaTime sent;
  RaSpan rtt;
  guint64 rate;
  RaMark mark;
  guint16 n_mark; /* of its colour */
  gboolean frame_end;
  RaCause truth;
  SimFrame *frame; /* NULL: of none, or told */
  guint pos;       /* in it */
} Record;

/* A report or per-packet rows on their way back. */
typedef struct
{
  RaTime due; /* RA_TIME_NONE: the path carries it */
  guint64 id;
  RaReport report;
  RaSpan t_delay;
  GArray *rows; /* of RaFeedbackPacket; NULL: a report */
} Feedback;

struct _SimFlow
{
  const RaSimConfig *cfg;
  const RaSimFlow *own;
  guint index;
  SimPath path;
  RaTime now, start, stop;
  RaSender *sender;
  RaReceiver *receiver; /* NULL with per-packet feedback */
  RaColour *colour;
  RaMarkNumbers numbers; /* what a header extension would carry */
  RaMarkSeen seen;
  RaScore *score;
  RaRng rng;
  guint64 next_seq;
  Record log[LOG_SIZE];
  SimSource source;
  GArray *rows; /* arrived since the last per-packet feedback */
  guint64 next_row;
  GQueue feedback; /* of Feedback */
  guint64 n_feedback;
};

static Record *
record (SimFlow *f, guint64 seq)
{
  return &f->log[seq % LOG_SIZE];
}

static RaCause
truth (guint64 seq, gpointer data)
{
  return record (data, seq)->truth;
}

static void
on_loss (const RaMissing *m, gpointer data)
{
  SimFlow *f = data;

  ra_score_verdict (f->score, m->cause, record (f, m->seq)->truth, f->now);
}

static void
feedback_send (SimFlow *f, Feedback fb)
{
  if (ra_rng_chance (&f->rng, f->cfg->feedback_loss)) {
    g_clear_pointer (&fb.rows, g_array_unref);
    return;
  }
  fb.id = f->n_feedback++;
  fb.due = f->path.feedback ? RA_TIME_NONE
                            : ra_later (f->now, f->cfg->feedback_delay);
  g_queue_push_tail (&f->feedback, g_memdup2 (&fb, sizeof fb));
  if (f->path.feedback)
    f->path.feedback (fb.id, FEEDBACK_SIZE + (fb.rows ? fb.rows->len : 0),
        f->now, f->path.data);
}

static void
report_send (SimFlow *f)
{
  Feedback fb = { 0 };

  if (ra_receiver_report (f->receiver, ra_later (f->now, SIM_CLOCK_OFFSET),
          &fb.report, &fb.t_delay))
    feedback_send (f, fb);
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
    .arrival = ra_later (now, SIM_CLOCK_OFFSET),
    .rtt = rec->rtt,
    .rate = rec->rate,
    .mark = rec->mark,
  };

  p.lost_by_mark[p.mark] = ra_mark_missing (&f->seen, p.mark, rec->n_mark);
  f->now = now;
  if (now < f->stop)
    ra_score_arrived (f->score, lp->size, lp->queued, now);
  sim_frame_outcome (g_steal_pointer (&rec->frame), rec->pos, TRUE);
  if (!f->receiver)
    rows_add (f, lp->seq, p.arrival);
  else if (ra_receiver_on_packet (f->receiver, &p))
    report_send (f);
}

void
sim_flow_drop (SimFlow *f, const RaLinkPacket *lp, RaCause cause, RaTime now)
{
  Record *rec = record (f, lp->seq);

  rec->truth = cause;
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

static void
packet_send (SimFlow *f)
{
  SimItem item = sim_source_take (&f->source, f->now);
  RaOutgoing out = { .seq = f->next_seq++,
    .size = item.size,
    .media = item.flags & RA_SENT_REPAIR ? 0 : item.size - SIM_RTP_HEADER,
    .flags = item.flags };
  gboolean frame_end = (item.flags & RA_SENT_FRAME_END) != 0;
  RaLinkPacket lp = {
    .seq = out.seq, .flow = f->index, .size = item.size + f->cfg->overhead
  };
  RaSenderStats stats;

  if (sim_source_is_waiting (&f->source))
    out.flags |= RA_SENT_WAITING;
  if (f->receiver || frame_end)
    out.flags |= RA_SENT_ASKS;
  ra_colour_set_rate (f->colour, ra_sender_rate (f->sender));
  out.mark = lp.mark = ra_colour_mark (f->colour,
      &(RaColourPacket){
          item.size, item.importance, (item.flags & RA_SENT_REPAIR) != 0 },
      f->now);
  ra_sender_get_stats (f->sender, &stats);
  *record (f, out.seq) = (Record){
    .size = item.size,
    .sent = f->now,
    .rtt = stats.rtt,
    .rate = ra_sender_rate (f->sender),
    .mark = out.mark,
    .n_mark = ra_mark_number (&f->numbers, out.mark),
    .frame_end = frame_end,
    .frame = item.frame,
    .pos = item.pos,
  };
  ra_sender_on_sent (f->sender, &out, f->now);
  ra_score_sent (f->score, lp.size, f->now);
  f->path.packet (&lp, f->now, f->path.data);
}

static void
feedback_free (gpointer data)
{
  Feedback *fb = data;

  g_clear_pointer (&fb->rows, g_array_unref);
  g_free (fb);
}

static void
feedback_take (SimFlow *f)
{
  Feedback *fb = g_queue_pop_head (&f->feedback);

  if (fb->rows)
    ra_sender_on_feedback (f->sender, (RaFeedbackPacket *) fb->rows->data,
        fb->rows->len, f->cfg->grain, f->now);
  else
    ra_sender_on_report (f->sender, &fb->report, fb->t_delay, f->now);
  feedback_free (fb);
}

/* What set out before it and has not come never will: paths keep the order. */
void
sim_flow_feedback (SimFlow *f, guint64 id, RaTime now)
{
  const Feedback *fb;

  f->now = now;
  while ((fb = g_queue_peek_head (&f->feedback)) && fb->id < id)
    feedback_free (g_queue_pop_head (&f->feedback));
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
  return ra_sender_next_send (f->sender, now);
}

static RaTime
next_report (const SimFlow *f)
{
  RaTime t
      = f->receiver ? ra_receiver_next_timeout (f->receiver) : RA_TIME_NONE;

  return t == RA_TIME_NONE ? t : ra_later (t, -SIM_CLOCK_OFFSET);
}

RaTime
sim_flow_next (const SimFlow *f, RaTime now)
{
  const Feedback *fb = g_queue_peek_head ((GQueue *) &f->feedback);
  RaTime next = MIN (next_send (f, now), next_report (f));

  if (now < f->stop)
    next = MIN (next, ra_sender_next_timeout (f->sender));
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
  if (ra_sender_next_timeout (f->sender) <= now)
    ra_sender_on_timeout (f->sender, now);
  if (next_report (f) <= now)
    report_send (f);
  if (!sim_source_is_greedy (&f->source) && f->source.next_frame <= now
      && now < f->stop)
    sim_source_frame (&f->source, f->sender, &f->rng, now);
  while (next_send (f, now) <= now)
    packet_send (f);
}

static gboolean
is_known (
    gconstpointer ops, const gchar *kind, const gchar *name, GError **error)
{
  if (!ops)
    g_set_error (
        error, G_IO_ERROR, G_IO_ERROR_NOT_FOUND, "no %s '%s'", kind, name);
  return ops != NULL;
}

static gboolean
algorithms_make (SimFlow *f, GError **error)
{
  const RaSimFlow *own = f->own;
  RaSenderConfig cfg = {
    .controller_params = own->controller_params,
    .lda_params = own->lda_params,
    .fec_params = own->fec_params,
    .rate = f->cfg->rate,
    .seed = f->cfg->seed + f->index,
    .friendliness_cap = f->cfg->friendliness_cap,
    .breakers = f->cfg->breakers,
  };
  const RaColourOps *colour = ra_colour_find (own->colour);
  RaLda *lda;

  cfg.controller = ra_rate_find (own->controller);
  cfg.lda = ra_lda_find (own->lda);
  cfg.fec = ra_fec_find (own->fec);
  if (!is_known (cfg.controller, "controller", own->controller, error)
      || !is_known (cfg.lda, "lda", own->lda, error)
      || !is_known (cfg.fec, "FEC rule", own->fec, error)
      || !is_known (colour, "colour", own->colour, error))
    return FALSE;
  f->colour = ra_colour_new (colour, own->colour_params, error);
  if (!f->colour)
    return FALSE;
  f->sender = ra_sender_new (&cfg, f->start, error);
  if (!f->sender)
    return FALSE;
  ra_sender_set_truth (f->sender, truth, f);
  ra_sender_set_on_loss (f->sender, on_loss, f);
  if (!f->cfg->per_packet) {
    lda = ra_lda_new (cfg.lda, own->lda_params, NULL);
    ra_lda_set_truth (lda, truth, f);
    ra_lda_set_seed (lda, cfg.seed);
    f->receiver = ra_receiver_new (lda, f->cfg->rate.mss);
    ra_receiver_set_on_loss (f->receiver, on_loss, f);
  }
  return TRUE;
}

SimFlow *
sim_flow_new (
    const RaSimConfig *cfg, guint index, const SimPath *path, GError **error)
{
  SimFlow *f = g_new0 (SimFlow, 1);

  f->cfg = cfg;
  f->own = cfg->n_mix ? &cfg->mix[index % cfg->n_mix] : &cfg->flow;
  f->index = index;
  f->path = *path;
  f->start = (RaTime) f->own->start;
  f->stop = (RaTime) (f->own->stop > 0 ? f->own->stop : G_MAXINT64);
  f->score = ra_score_new (0, MAX (cfg->warmup, f->own->start));
  ra_rng_init (&f->rng, cfg->seed, 1000 + index);
  sim_source_init (&f->source, cfg, index, &f->rng, f->start,
      (RaTime) MAX (cfg->warmup, f->own->start));
  f->rows = g_array_new (FALSE, FALSE, sizeof (RaFeedbackPacket));
  if (!algorithms_make (f, error)) {
    sim_flow_free (f);
    return NULL;
  }
  return f;
}

void
sim_flow_free (SimFlow *f)
{
  g_clear_pointer (&f->sender, ra_sender_free);
  g_clear_pointer (&f->receiver, ra_receiver_free);
  g_clear_pointer (&f->colour, ra_colour_free);
  ra_score_free (f->score);
  g_array_unref (f->rows);
  g_queue_clear_full (&f->feedback, feedback_free);
  sim_source_clear (&f->source);
  g_free (f);
}

RaSimView
sim_flow_view (const SimFlow *f)
{
  return (
      RaSimView){ f->index, f->own, f->sender, f->receiver, f->colour, NULL };
}

void
sim_flow_result (const SimFlow *f, RaTime now, RaRun *run)
{
  RaScoreResult score;

  ra_score_get (f->score, MIN (now, f->stop), &score);
  ra_run_init (run, f->own->controller, f->own->lda);
  ra_run_set_score (run, &score);
  run->start = ra_seconds ((RaSpan) f->start);
  if (f->source.fec.media > 0) {
    run->fec_overhead
        = (gdouble) f->source.fec.repair / (gdouble) f->source.fec.media;
    run->residual_loss
        = (gdouble) f->source.fec.missing / (gdouble) f->source.fec.media;
  }
}
