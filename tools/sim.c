/* Sender, link and receiver in virtual time.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "sim.h"

#include <gio/gio.h>
#include <math.h>

#define LOG_SIZE 65536 /* packets on record per flow */
#define RTP_HEADER 20  /* with the TWCC extension */
#define MAX_BACKLOG (250 * RA_MSECOND)
/* The receiver's clock is not the sender's. */
#define CLOCK_OFFSET (12345 * RA_SECOND)
/* Marks the last packet of a frame in the backlog. */
#define FRAME_END 0x80000000u
/* Per-packet feedback of a source without frames: as a 25 Hz video's. */
#define GREEDY_FRAME (40 * RA_MSECOND)

typedef struct
{
  guint size;
  RaTime sent;
  RaSpan rtt;
  guint64 rate;
  gboolean frame_end;
  RaCause truth;
} Record;

/* A report or per-packet rows on their way back. */
typedef struct
{
  RaTime due;
  RaReport report;
  RaSpan t_delay;
  GArray *rows; /* of RaFeedbackPacket; NULL: a report */
} Feedback;

typedef struct _Sim Sim;

typedef struct
{
  Sim *sim;
  guint index;
  RaSender *sender;
  RaReceiver *receiver; /* NULL with per-packet feedback */
  RaScore *score;
  RaRng rng;
  guint64 next_seq;
  Record log[LOG_SIZE];
  GQueue backlog; /* packet sizes waiting for the pacer */
  guint64 backlog_bytes;
  RaTime next_frame, frame_start;
  GArray *rows; /* arrived since the last per-packet feedback */
  guint64 next_row;
  GQueue feedback; /* of Feedback */
} Flow;

struct _Sim
{
  const RaSimConfig *cfg;
  RaLink *link;
  Flow *flows;
  RaTime now, next_trace;
  guint64 capacity;
};

void
ra_sim_config_init (RaSimConfig *cfg)
{
  *cfg = (RaSimConfig){
    .controller = "tfrc",
    .lda = "none",
    .link = "bottleneck rate=2M queue=100ms ! delay 25ms",
    .flows = 1,
    .seed = 1,
    .seconds = 60 * RA_SECOND,
    .warmup = 2 * RA_SECOND, /* seed 003 5.1 */
    .rate = { .min = 1000, .max = 100000000, .mss = 1200 },
    .feedback_delay = 25 * RA_MSECOND,
    .packet_size = 1200,
  };
}

static Record *
record (Flow *f, guint64 seq)
{
  return &f->log[seq % LOG_SIZE];
}

static RaCause
flow_truth (guint64 seq, gpointer data)
{
  return record (data, seq)->truth;
}

static void
on_loss (const RaMissing *m, gpointer data)
{
  Flow *f = data;

  ra_score_verdict (f->score, m->cause, record (f, m->seq)->truth, f->sim->now);
}

static void
feedback_send (Flow *f, Feedback fb)
{
  const RaSimConfig *cfg = f->sim->cfg;

  if (ra_rng_chance (&f->rng, cfg->feedback_loss)) {
    g_clear_pointer (&fb.rows, g_array_unref);
    return;
  }
  fb.due = ra_later (f->sim->now, cfg->feedback_delay);
  g_queue_push_tail (&f->feedback, g_memdup2 (&fb, sizeof fb));
}

static void
report_send (Flow *f)
{
  Feedback fb = { 0 };

  if (ra_receiver_report (f->receiver, ra_later (f->sim->now, CLOCK_OFFSET),
          &fb.report, &fb.t_delay))
    feedback_send (f, fb);
}

/* What TWCC does: a row for every number up to the newest, lost or not. */
static void
rows_add (Flow *f, guint64 seq, RaTime arrival)
{
  const RaSimConfig *cfg = f->sim->cfg;
  RaFeedbackPacket row = { .arrival = RA_TIME_NONE };

  for (row.seq = f->next_row; row.seq < seq; row.seq++)
    g_array_append_val (f->rows, row);
  if (cfg->grain > 0)
    arrival -= arrival % (RaTime) cfg->grain;
  row.arrival = arrival;
  g_array_append_val (f->rows, row);
  f->next_row = seq + 1;
  if (record (f, seq)->frame_end) {
    Feedback fb = { .rows = f->rows };

    f->rows = g_array_new (FALSE, FALSE, sizeof (RaFeedbackPacket));
    feedback_send (f, fb);
  }
}

static void
deliver (const RaLinkPacket *lp, RaTime now, gpointer data)
{
  Sim *sim = data;
  Flow *f = &sim->flows[lp->flow];
  Record *rec = record (f, lp->seq);
  RaPacket p = {
    .seq = lp->seq,
    .size = rec->size,
    .sent = rec->sent,
    .arrival = ra_later (now, CLOCK_OFFSET),
    .rtt = rec->rtt,
    .rate = rec->rate,
  };

  ra_score_arrived (f->score, lp->size, lp->queued, now);
  if (!f->receiver)
    rows_add (f, lp->seq, p.arrival);
  else if (ra_receiver_on_packet (f->receiver, &p))
    report_send (f);
}

static void
drop (const RaLinkPacket *lp, RaCause cause, const gchar *node, RaTime now,
    gpointer data)
{
  Sim *sim = data;
  Flow *f = &sim->flows[lp->flow];

  record (f, lp->seq)->truth = cause;
  ra_score_lost (f->score, lp->size, cause, now);
}

static void
packet_send (Flow *f)
{
  Sim *sim = f->sim;
  gboolean greedy = sim->cfg->fps <= 0;
  guint item = greedy ? sim->cfg->packet_size
                      : GPOINTER_TO_UINT (g_queue_pop_head (&f->backlog));
  guint size = item & ~FRAME_END;
  RaOutgoing out = { .size = size, .media = size - RTP_HEADER };
  guint64 seq = f->next_seq++;
  RaSenderStats stats;
  RaLinkPacket lp
      = { .seq = seq, .flow = f->index, .size = size + sim->cfg->overhead };

  out.seq = seq;
  if (greedy || !g_queue_is_empty (&f->backlog))
    out.flags |= RA_SENT_WAITING;
  f->backlog_bytes -= greedy ? 0 : size;
  ra_sender_get_stats (f->sender, &stats);
  *record (f, seq) = (Record){
    .size = size,
    .sent = sim->now,
    .rtt = stats.rtt,
    .rate = ra_sender_rate (f->sender),
    .frame_end = greedy ? sim->now >= f->frame_start + GREEDY_FRAME
                        : (item & FRAME_END) != 0,
  };
  if (record (f, seq)->frame_end)
    f->frame_start = sim->now;
  if (record (f, seq)->frame_end)
    out.flags |= RA_SENT_ASKS | RA_SENT_FRAME_END;
  if (f->receiver)
    out.flags |= RA_SENT_ASKS;
  ra_sender_on_sent (f->sender, &out, sim->now);
  ra_score_sent (f->score, lp.size, sim->now);
  ra_link_push (sim->link, &lp, sim->now);
}

static gboolean
is_idle (const Flow *f)
{
  RaSpan now = (RaSpan) f->sim->now;

  return now >= f->sim->cfg->idle_from && now < f->sim->cfg->idle_until;
}

/* The encoder: frames around the media rate, +-20 % (uniform). */
static void
frame_make (Flow *f)
{
  const RaSimConfig *cfg = f->sim->cfg;
  RaSpan backlog
      = ra_send_span ((gdouble) f->backlog_bytes, ra_sender_rate (f->sender));
  guint payload = cfg->packet_size - RTP_HEADER;
  RaSplit split;
  gdouble wanted;

  ra_sender_split (f->sender, backlog, &split);
  wanted = ra_bytes (split.media) / cfg->fps
      * (0.8 + 0.4 * ra_rng_uniform (&f->rng));
  f->next_frame += (RaTime) ra_span (1 / cfg->fps);
  if (backlog > MAX_BACKLOG || is_idle (f))
    return;
  for (gdouble left = MAX (wanted, 1); left > 0; left -= payload) {
    guint size = RTP_HEADER + (guint) ceil (MIN (left, payload));

    g_queue_push_tail (&f->backlog,
        GUINT_TO_POINTER (left > payload ? size : size | FRAME_END));
    f->backlog_bytes += size;
  }
}

static void
feedback_take (Flow *f)
{
  g_autofree Feedback *fb = g_queue_pop_head (&f->feedback);

  if (fb->rows) {
    ra_sender_on_feedback (f->sender, (RaFeedbackPacket *) fb->rows->data,
        fb->rows->len, f->sim->cfg->grain, f->sim->now);
    g_array_unref (fb->rows);
  } else {
    ra_sender_on_report (f->sender, &fb->report, fb->t_delay, f->sim->now);
  }
}

static RaTime
flow_next_send (const Flow *f)
{
  if (f->sim->cfg->fps > 0 && g_queue_is_empty ((GQueue *) &f->backlog))
    return RA_TIME_NONE;
  if (f->sim->cfg->fps <= 0 && is_idle (f))
    return (RaTime) f->sim->cfg->idle_until;
  return ra_sender_next_send (f->sender, f->sim->now);
}

static RaTime
flow_next_report (const Flow *f)
{
  RaTime t
      = f->receiver ? ra_receiver_next_timeout (f->receiver) : RA_TIME_NONE;

  return t == RA_TIME_NONE ? t : ra_later (t, -CLOCK_OFFSET);
}

static RaTime
flow_next (const Flow *f)
{
  const Feedback *fb = g_queue_peek_head ((GQueue *) &f->feedback);
  RaTime next = MIN (flow_next_send (f), flow_next_report (f));

  next = MIN (next, ra_sender_next_timeout (f->sender));
  if (fb)
    next = MIN (next, fb->due);
  return f->sim->cfg->fps > 0 ? MIN (next, f->next_frame) : next;
}

static void
flow_run (Flow *f)
{
  RaTime now = f->sim->now;
  const Feedback *fb;

  while ((fb = g_queue_peek_head (&f->feedback)) && fb->due <= now)
    feedback_take (f);
  if (ra_sender_next_timeout (f->sender) <= now)
    ra_sender_on_timeout (f->sender, now);
  if (flow_next_report (f) <= now)
    report_send (f);
  if (f->sim->cfg->fps > 0 && f->next_frame <= now)
    frame_make (f);
  while (flow_next_send (f) <= now)
    packet_send (f);
}

static void
sim_trace (Sim *sim)
{
  const RaSimConfig *cfg = sim->cfg;
  guint64 capacity = ra_link_capacity (sim->link, sim->now);

  for (guint i = 0; i < cfg->flows; i++) {
    if (capacity != sim->capacity)
      ra_score_capacity (sim->flows[i].score, capacity, sim->now);
    if (cfg->trace && sim->now >= sim->next_trace)
      cfg->trace (
          i, sim->flows[i].sender, sim->link, sim->now, cfg->trace_data);
  }
  sim->capacity = capacity;
  if (sim->now >= sim->next_trace)
    sim->next_trace = sim->now + (RaTime) cfg->trace_interval;
}

static void
sim_loop (Sim *sim)
{
  const RaSimConfig *cfg = sim->cfg;

  while (sim->now < (RaTime) cfg->seconds) {
    RaTime next = ra_link_next (sim->link);

    for (guint i = 0; i < cfg->flows; i++)
      next = MIN (next, flow_next (&sim->flows[i]));
    sim->now = MAX (sim->now, MIN (next, (RaTime) cfg->seconds));
    ra_link_run (sim->link, sim->now);
    for (guint i = 0; i < cfg->flows; i++)
      flow_run (&sim->flows[i]);
    sim_trace (sim);
  }
}

static gboolean
flow_init (Flow *f, Sim *sim, guint index, GError **error)
{
  const RaSimConfig *cfg = sim->cfg;
  RaSenderConfig sender = {
    .controller = ra_rate_find (cfg->controller),
    .controller_params = cfg->controller_params,
    .lda = ra_lda_find (cfg->lda),
    .lda_params = cfg->lda_params,
    .rate = cfg->rate,
  };
  RaLda *lda;

  if (!sender.controller || !sender.lda) {
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_NOT_FOUND, "no %s '%s'",
        sender.controller ? "LDA" : "controller",
        sender.controller ? cfg->lda : cfg->controller);
    return FALSE;
  }
  f->sim = sim;
  f->index = index;
  f->sender = ra_sender_new (&sender, 0, error);
  if (!f->sender)
    return FALSE;
  f->score = ra_score_new (0, cfg->warmup);
  ra_rng_init (&f->rng, cfg->seed, 1000 + index);
  /* Flows do not start in step. */
  f->next_frame
      = (RaTime) ra_span (cfg->fps > 0 ? index / cfg->fps / cfg->flows : 0);
  f->rows = g_array_new (FALSE, FALSE, sizeof (RaFeedbackPacket));
  ra_sender_set_truth (f->sender, flow_truth, f);
  ra_sender_set_on_loss (f->sender, on_loss, f);
  if (!cfg->per_packet) {
    lda = ra_lda_new (sender.lda, cfg->lda_params, error);
    ra_lda_set_truth (lda, flow_truth, f);
    f->receiver = ra_receiver_new (lda, cfg->rate.mss);
    ra_receiver_set_on_loss (f->receiver, on_loss, f);
  }
  return TRUE;
}

static void
feedback_free (gpointer data)
{
  Feedback *fb = data;

  g_clear_pointer (&fb->rows, g_array_unref);
  g_free (fb);
}

static void
flow_clear (Flow *f)
{
  g_clear_pointer (&f->sender, ra_sender_free);
  g_clear_pointer (&f->receiver, ra_receiver_free);
  g_clear_pointer (&f->score, ra_score_free);
  g_clear_pointer (&f->rows, g_array_unref);
  g_queue_clear_full (&f->feedback, feedback_free);
  g_queue_clear (&f->backlog);
}

gboolean
ra_sim_run (const RaSimConfig *cfg, RaRun *runs, GError **error)
{
  static const RaLinkSink sink = { .deliver = deliver, .drop = drop };
  Sim sim = { .cfg = cfg };
  gboolean ok = TRUE;

  sim.link = ra_link_parse (cfg->link, cfg->seed, &sink, &sim, error);
  if (!sim.link)
    return FALSE;
  sim.flows = g_new0 (Flow, cfg->flows);
  for (guint i = 0; ok && i < cfg->flows; i++)
    ok = flow_init (&sim.flows[i], &sim, i, error);
  if (ok)
    sim_loop (&sim);
  for (guint i = 0; i < cfg->flows; i++) {
    RaScoreResult score;

    if (ok) {
      ra_score_get (sim.flows[i].score, sim.now, &score);
      ra_run_init (&runs[i], cfg->controller, cfg->lda);
      ra_run_set_score (&runs[i], &score);
    }
    flow_clear (&sim.flows[i]);
  }
  g_free (sim.flows);
  ra_link_free (sim.link);
  return ok;
}
