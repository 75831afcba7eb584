/* Sender, path, receiver and the way back, over the bytes of TFRC-FB and RADP,
 * in virtual time.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gst/rtpadapt/feedback/tfrcear.h>
#include <gst/rtpadapt/feedback/reporter.h>
#include <gst/rtpadapt/feedback/stamp.h>
#include <gst/rtpadapt/link.h>
#include <gst/rtpadapt/safety/skips.h>
#include <gst/rtpadapt/sender.h>

#define WORLD_MSS 1200
#define WORLD_RECORDS 65536
#define WORLD_FRAME (RA_SECOND / 30)
#define WORLD_OFFSET (1000 * RA_SECOND) /* of the receiver's clock */
#define WORLD_FLOW_CROSS 1

typedef struct _World World;
/* Changes what the receiver says. */
typedef void (*WorldLie) (World *w, RaTfrcFb *fb, RaRadp *radp);

typedef struct
{
  const gchar *controller, *path, *back, *lda;
  gboolean video;    /* else there is always a packet */
  gboolean plain;    /* without RADP */
  gboolean reporter; /* RaReporter speaks, else a bare RaReceiver */
  guint64 cross;     /* bit/s beside us, on and off for 2 s each */
  gdouble duplicate; /* share of feedback that comes twice */
  RaSpan gap;        /* reports are no closer */
  guint64 max;       /* bit/s */
  RaTime start;      /* 0: 1 s */
  guint64 first;     /* number of the first packet */
  gboolean breakers;
  gboolean unnumbered; /* RaReporter has RTP numbers only */
  guint skip;          /* one of so many numbers is left out, 0: none */
} WorldConfig;

typedef struct
{
  RaTime sent;
  guint size;
  RaSpan rtt;
} WorldRecord;

typedef struct
{
  guint8 radp[RA_RADP_SIZE_MAX], fci[RA_TFRC_FB_SIZE];
  gsize radp_size;
  guint id;
} WorldFeedback;

struct _World
{
  const WorldConfig *cfg;
  RaTime now;
  RaRng rng;
  RaSender *sender;
  RaReceiver *receiver;
  RaReporter *reporter; /* NULL: the receiver */
  gint tos;             /* that packets come to it with, -1: unknown */
  RaTfrcEar *tfrc_ear;
  RaLink *path, *back;
  WorldLie lie;
  WorldRecord *records;
  guint64 seq;
  RaSkipDraw skips;
  guint64 skipped; /* numbers */
  guint64 caught;  /* packets sent until a liar was found out, 0: none was */
  gdouble backlog; /* bytes */
  RaTime next_frame, next_cross, last_report;
  gdouble cross_load; /* packets */
  RaRadp radp;

  guint heard_radp[RA_N_HEARD], heard_tfrc[RA_N_HEARD];
  guint n_reported, n_copies; /* feedback: written; came twice */
  guint heard_id;
  guint refused;           /* by the sender, after the ear */
  guint64 lost, recovered; /* of ours, the truth */
  guint64 expected, arrived, lost_congestion, lost_wireless,
      n_events;           /* told */
  RaSpan least_rtt;       /* told */
  gdouble x_recv, x_sent; /* bytes: told, over R at most; sent */
  RaTime last_heard;
};

static inline RaTime
world_remote (const World *w)
{
  return w->now + WORLD_OFFSET + w->now / 20000; /* 50 ppm fast */
}

static inline void
world_feedback_send (World *w, const RaTfrcFb *fb, const RaRadp *radp)
{
  WorldFeedback *x = g_new0 (WorldFeedback, 1);

  x->id = ++w->n_reported;
  ra_tfrc_fb_write (fb, x->fci, sizeof x->fci);
  if (!w->cfg->plain)
    x->radp_size = ra_radp_write (radp, x->radp, sizeof x->radp);
  if (ra_rng_uniform (&w->rng) < w->cfg->duplicate) {
    WorldFeedback *copy = g_memdup2 (x, sizeof *x);

    ra_link_push (w->back, &(RaLinkPacket){ .size = 100, .data = x }, w->now);
    x = copy;
  }
  ra_link_push (w->back, &(RaLinkPacket){ .size = 100, .data = x }, w->now);
}

static inline void
world_reporter_report (World *w)
{
  RaTfrcFb fb;
  RaRadp radp;
  guint32 ssrc;

  if (!ra_reporter_tfrc (w->reporter, world_remote (w), &fb, &radp, &ssrc))
    return;
  if (w->lie)
    w->lie (w, &fb, &radp);
  world_feedback_send (w, &fb, &radp);
}

static inline void
world_report (World *w)
{
  RaReport report;
  RaTfrcFb fb;
  RaRadp radp;
  RaReceiverStats stats;
  RaSpan t_delay;

  w->last_report = w->now;
  if (w->reporter) {
    world_reporter_report (w);
    return;
  }
  if (!ra_receiver_report (w->receiver, world_remote (w), &report, &t_delay))
    return;
  ra_radp_count (&w->radp, &report);
  ra_receiver_get_stats (w->receiver, &stats);
  w->recovered = stats.recovered;
  fb = (RaTfrcFb){ ra_stamp_us (report.t_recvdata), t_delay, report.recv_rate,
    report.p };
  radp = w->radp;
  if (w->lie)
    w->lie (w, &fb, &radp);
  world_feedback_send (w, &fb, &radp);
}

static inline gboolean
world_may_report (const World *w)
{
  return w->last_report == RA_TIME_NONE
      || ra_diff (w->now, w->last_report) >= w->cfg->gap;
}

static inline gboolean
world_reporter_take (World *w, guint64 seq, const WorldRecord *rec)
{
  RaSendTs ts = { rec->rtt, ra_stamp_us (rec->sent) };
  RaWirePacket p = { .ssrc = 1,
    .seq = (guint16) seq,
    .size = rec->size,
    .arrival = world_remote (w),
    .number = w->cfg->unnumbered ? -1 : (guint16) seq,
    .send_ts = &ts,
    .tos = w->tos };

  return ra_reporter_on_packet (w->reporter, &p);
}

static inline void
world_arrive (const RaLinkPacket *p, RaTime now, gpointer data)
{
  World *w = data;
  const WorldRecord *rec = &w->records[p->seq % WORLD_RECORDS];
  RaPacket packet;

  if (p->flow == WORLD_FLOW_CROSS)
    return;
  w->now = now;
  if (w->reporter) {
    if (world_reporter_take (w, p->seq, rec) && world_may_report (w))
      world_report (w);
    return;
  }
  packet = (RaPacket){
    .seq = p->seq,
    .size = rec->size,
    .sent = rec->sent - rec->sent % RA_USECOND, /* as t_i has it */
    .arrival = world_remote (w),
    .rtt = rec->rtt - rec->rtt % RA_USECOND,
  };
  if (ra_receiver_on_packet (w->receiver, &packet) && world_may_report (w))
    world_report (w);
}

static inline void
world_drop (const RaLinkPacket *p, RaCause cause, const gchar *node, RaTime now,
    gpointer data)
{
  World *w = data;

  w->lost += p->flow != WORLD_FLOW_CROSS;
}

static inline void
world_told (World *w, const RaReport *r, RaSpan t_delay)
{
  RaSpan rtt;

  g_assert_cmpint (t_delay, >=, 0);
  g_assert_true (r->p >= 0 && r->p <= 1); /* not for NaN */
  g_assert_cmpuint (r->t_recvdata, <=, w->now);
  g_assert_cmpint (r->loss_age, >=, 0);
  w->expected += r->expected;
  w->arrived += r->arrived;
  w->lost_congestion += r->lost_congestion;
  w->lost_wireless += r->lost_wireless;
  w->n_events += r->n_events;
  rtt = ra_diff (w->now, r->t_recvdata) - t_delay;
  w->least_rtt = MIN (w->least_rtt, rtt);
  if (w->last_heard != RA_TIME_NONE)
    w->x_recv += ra_bytes (r->recv_rate)
        * ra_seconds (MIN (ra_diff (w->now, w->last_heard), rtt));
  w->last_heard = w->now;
}

/* As counts_try() of rtpadaptsend. */
static inline void
world_try (World *w, const WorldFeedback *x)
{
  RaRadp radp;

  if (w->cfg->skip == 0 || !ra_radp_read (&radp, x->radp, x->radp_size)
      || !ra_sender_on_count (
          w->sender, radp.arrived, ra_stamp_us_time (radp.t_i, w->now)))
    return;
  if (w->caught == 0)
    w->caught = w->seq;
  ra_sender_on_lie (w->sender, w->now);
}

static inline void
world_hear (const RaLinkPacket *p, RaTime now, gpointer data)
{
  g_autofree WorldFeedback *x = p->data;
  World *w = data;
  RaReport report;
  RaSpan t_delay;
  RaHeard heard;

  w->now = now;
  w->n_copies += x->id == w->heard_id;
  w->heard_id = x->id;
  if (x->radp_size > 0) {
    heard = ra_tfrc_ear_on_radp (w->tfrc_ear, x->radp, x->radp_size, now);
    w->heard_radp[heard]++;
    if (heard == RA_HEARD_OK)
      world_try (w, x);
  }
  heard = ra_tfrc_ear_on_tfrc (
      w->tfrc_ear, x->fci, sizeof x->fci, now, &report, &t_delay);
  w->heard_tfrc[heard]++;
  if (heard != RA_HEARD_OK)
    return;
  world_told (w, &report, t_delay);
  w->refused += !ra_sender_on_report (w->sender, &report, t_delay, now);
}

static inline void
world_lost_feedback (const RaLinkPacket *p, RaCause cause, const gchar *node,
    RaTime now, gpointer data)
{
  g_free (p->data);
}

static inline void
world_discard (const RaLinkPacket *p, gpointer data)
{
  g_free (p->data);
}

static inline void
world_init (World *w, const WorldConfig *cfg, guint64 seed, WorldLie lie)
{
  static const RaLinkSink path = { world_arrive, world_drop, NULL, NULL };
  static const RaLinkSink back
      = { world_hear, world_lost_feedback, world_discard, NULL };
  GError *error = NULL;
  RaSenderConfig sender = { .controller = ra_rate_find (cfg->controller),
    .lda = ra_lda_find ("none"),
    .rate = { .min = 100000,
        .start = 500000,
        .max = cfg->max ? cfg->max : 20000000,
        .mss = WORLD_MSS },
    .friendliness_cap = 9,
    .breakers = cfg->breakers };

  *w = (World){ .cfg = cfg,
    .now = cfg->start ? cfg->start : RA_SECOND,
    .seq = cfg->first,
    .tos = -1,
    .lie = lie,
    .last_report = RA_TIME_NONE,
    .last_heard = RA_TIME_NONE,
    .least_rtt = G_MAXINT64 };
  ra_rng_init (&w->rng, seed, 1);
  ra_skip_draw_init (&w->skips, seed);
  w->sender = ra_sender_new (&sender, w->now, &error);
  g_assert_no_error (error);
  w->receiver = ra_receiver_new (
      ra_lda_new (ra_lda_find (cfg->lda ? cfg->lda : "none"), NULL, &error),
      WORLD_MSS);
  if (cfg->reporter)
    w->reporter = ra_reporter_new (
        &(RaReporterConfig){ .reports = &ra_feedback_tfrc,
            .lda = ra_lda_find (cfg->lda ? cfg->lda : "none") },
        &error);
  w->tfrc_ear = ra_tfrc_ear_new (ra_sender_ledger (w->sender));
  w->path = ra_link_parse (cfg->path, seed, &path, w, &error);
  g_assert_no_error (error);
  w->back = ra_link_parse (cfg->back, seed + 1, &back, w, &error);
  g_assert_no_error (error);
  w->records = g_new0 (WorldRecord, WORLD_RECORDS);
  w->next_frame = w->next_cross = w->now;
}

static inline void
world_clear (World *w)
{
  ra_link_free (w->path);
  ra_link_free (w->back);
  ra_tfrc_ear_free (w->tfrc_ear);
  ra_receiver_free (w->receiver);
  ra_reporter_free (w->reporter);
  ra_sender_free (w->sender);
  g_free (w->records);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (World, world_clear)

static inline void
world_send (World *w)
{
  guint size = w->cfg->video ? (guint) MIN (w->backlog, WORLD_MSS) : WORLD_MSS;
  RaSenderStats stats;
  guint64 number;

  if (w->cfg->video)
    w->backlog -= size;
  w->skipped += ra_skip_draw_next (&w->skips, w->cfg->skip, TRUE);
  number = w->seq + w->skipped;
  ra_sender_get_stats (w->sender, &stats);
  w->records[number % WORLD_RECORDS] = (WorldRecord){ w->now, size, stats.rtt };
  ra_sender_on_sent (w->sender,
      &(RaOutgoing){ .seq = w->seq,
          .ssrc = 1,
          .rtp_seq = (guint16) w->seq,
          .size = size,
          .media = size,
          .flags = RA_SENT_ASKS
              | (!w->cfg->video || w->backlog >= 100 ? RA_SENT_WAITING : 0) },
      w->now);
  w->x_sent += size;
  w->seq++;
  ra_link_push (
      w->path, &(RaLinkPacket){ .seq = number, .size = size }, w->now);
}

static inline gboolean
world_has_data (const World *w)
{
  return !w->cfg->video || w->backlog >= 100;
}

/* Whole frames that vary by a half, of what the rate allows. */
static inline void
world_frame (World *w)
{
  gdouble bytes = ra_bytes (ra_sender_rate (w->sender)) / 30;

  w->next_frame += WORLD_FRAME;
  if (w->backlog < 6 * bytes)
    w->backlog += bytes * (.5 + ra_rng_uniform (&w->rng));
}

static inline void
world_cross (World *w)
{
  w->next_cross += 10 * RA_MSECOND;
  if (w->now / (2 * RA_SECOND) % 2 == 0)
    w->cross_load += (gdouble) w->cfg->cross / (100. * 8 * WORLD_MSS);
  for (; w->cross_load >= 1; w->cross_load--)
    ra_link_push (w->path,
        &(RaLinkPacket){ .flow = WORLD_FLOW_CROSS, .size = WORLD_MSS }, w->now);
}

static inline RaTime
world_next_report (const World *w)
{
  RaTime t = w->reporter ? ra_reporter_next_timeout (w->reporter)
                         : ra_receiver_next_timeout (w->receiver);

  if (t == RA_TIME_NONE)
    return t;
  t = (t - WORLD_OFFSET) / 20001 * 20000 + 20000; /* 20 us late at most */
  return w->last_report != RA_TIME_NONE
      ? MAX (t, ra_later (w->last_report, MAX (w->cfg->gap, RA_MSECOND)))
      : t;
}

static inline RaTime
world_next (const World *w)
{
  RaTime next = MIN (ra_link_next (w->path), ra_link_next (w->back));

  next = MIN (next, ra_sender_next_timeout (w->sender));
  next = MIN (next, world_next_report (w));
  next = MIN (next, w->next_cross);
  if (w->cfg->video)
    next = MIN (next, w->next_frame);
  if (world_has_data (w))
    next = MIN (next, ra_sender_next_send (w->sender, w->now));
  return MAX (next, w->now);
}

static inline void
world_run (World *w, RaSpan span)
{
  RaTime end = ra_later (w->now, span);

  while (world_next (w) <= end) {
    RaTime now = world_next (w);

    w->now = now;
    ra_link_run (w->path, now);
    ra_link_run (w->back, now);
    w->now = now;
    if (ra_sender_next_timeout (w->sender) <= now)
      ra_sender_on_timeout (w->sender, now);
    if (world_next_report (w) <= now)
      world_report (w);
    if (w->cfg->video && w->next_frame <= now)
      world_frame (w);
    if (w->next_cross <= now)
      world_cross (w);
    while (world_has_data (w) && ra_sender_next_send (w->sender, now) <= now)
      world_send (w);
  }
  w->now = end;
}
