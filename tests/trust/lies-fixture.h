/* A sender that hears of single packets (RFC 8888, or transport-wide numbers), a
 * path, and a receiver that may lie, in virtual time.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The receiver tells each 50 ms of what came and what did not since the last
 * time but one; the sender believes it as far as rtpadaptsend does.
 */
#pragma once

#include <gst/rtpadapt/feedback/ccfbfci.h>
#include <gst/rtpadapt/feedback/ear.h>
#include <gst/rtpadapt/feedback/stamp.h>
#include <gst/rtpadapt/link.h>
#include <gst/rtpadapt/safety/skips.h>
#include <gst/rtpadapt/ledger.h>
#include <gst/rtpadapt/util/bytes.h>

#define ROWS_SSRC 1
#define ROWS_SIZE 1200
#define ROWS_MAX 16384
#define ROWS_FRAME 8 /* packets; numbers are left out between frames */
#define ROWS_INTERVAL (50 * RA_MSECOND)

typedef struct _Rows Rows;

typedef struct
{
  guint64 number; /* on the wire; 0: the row is left out */
  RaTime arrival; /* RA_TIME_NONE: it did not come */
} RowsRow;

/* What is about to be said, `held` since the last came. */
typedef void (*RowsLie) (Rows *w, RowsRow *rows, guint n, RaSpan *held);

typedef struct
{
  const gchar *controller, *lda, *path;
  RaSpan back;        /* the way back */
  guint skip;         /* one number in so many is left out; 0: none */
  gboolean transport; /* feedback is transport-wide */
  RowsLie lie;
} RowsConfig;

typedef struct
{
  RowsRow *rows;
  guint n;
  RaTime newest;
  RaSpan held; /* since then */
  RaTime comes;
} RowsReport;

struct _Rows
{
  const RowsConfig *cfg;
  RaTime now;
  RaSender *sender;
  RaEar *ear;
  RaLink *path;
  RaSkipDraw draw;
  guint64 seq, number; /* next: ours, on the wire */

  guint64 index[ROWS_MAX];  /* of a number, ours */
  RaTime arrival[ROWS_MAX]; /* at the receiver */
  guint64 highest, told;    /* numbers: arrived; told until */
  guint64 told_before;      /* the time before that */
  RaTime newest, next_report;
  RaSpan interval;
  guint every;     /* one report in so many is lost; 0: none */
  gboolean once;   /* each packet is reported once */
  gboolean silent; /* the source is */
  guint n_reports;
  GQueue reports; /* on the way back */

  guint lies;     /* claims about what was left out */
  guint64 caught; /* packets sent until the first of them, 0: none */
  RaTime caught_at;
  guint refused;    /* reports, for other reasons */
  RaSpan least_rtt; /* smoothed */
};

static inline void
rows_arrive (const RaLinkPacket *p, RaTime now, gpointer data)
{
  Rows *w = data;

  w->arrival[p->seq % ROWS_MAX] = now;
  w->highest = MAX (w->highest, p->seq);
  w->newest = now;
}

static inline void
rows_drop (const RaLinkPacket *p, RaCause cause, const gchar *node, RaTime now,
    gpointer data)
{
}

static inline void
rows_report_free (gpointer data)
{
  g_autofree RowsReport *r = data;

  g_free (r->rows);
}

static inline void
rows_report (Rows *w)
{
  guint64 from = w->once ? w->told : w->told_before,
          n = w->highest + 1 - MIN (from, w->highest + 1);
  RowsReport *r;

  w->next_report += w->interval;
  if (w->highest < w->told || n == 0)
    return;
  r = g_new0 (RowsReport, 1);
  r->rows = g_new (RowsRow, n);
  r->n = (guint) n;
  for (guint64 i = 0; i < n; i++)
    r->rows[i] = (RowsRow){ from + i, w->arrival[(from + i) % ROWS_MAX] };
  r->newest = w->newest;
  r->held = ra_diff (w->now, w->newest);
  if (w->cfg->lie)
    w->cfg->lie (w, r->rows, r->n, &r->held);
  r->comes = ra_later (w->now, w->cfg->back);
  w->told_before = w->told;
  w->told = w->highest + 1;
  if (w->every > 0 && ++w->n_reports % w->every == 0)
    rows_report_free (r);
  else
    g_queue_push_tail (&w->reports, r);
}

/* As rows_apply() of rtpadaptsend. */
static inline void
rows_hear_transport (Rows *w, const RowsReport *r)
{
  g_autofree RaFeedbackPacket *rows = g_new (RaFeedbackPacket, r->n);
  guint n = 0;

  for (guint i = 0; i < r->n; i++)
    if (r->rows[i].number < w->number)
      rows[n++]
          = (RaFeedbackPacket){ .seq = w->index[r->rows[i].number % ROWS_MAX],
              .arrival = r->rows[i].arrival };
  ra_sender_on_feedback (w->sender, rows, n, 250 * RA_USECOND, w->now);
}

/* An RTPFB of RFC 8888 (3.1, RFC 4585 6.1): a block for each run of rows. */
static inline void
rows_hear (Rows *w, const RowsReport *r)
{
  static guint8 bytes[12 + RA_CCFB_SIZE_MAX] = { 0x80 | RA_CCFB_FMT, 205 };
  g_autofree RaCcfbPacket *packets = g_new0 (RaCcfbPacket, r->n);
  g_autofree RaCcfbBlock *blocks = g_new0 (RaCcfbBlock, r->n);
  RaTime rts = ra_later (r->newest, r->held);
  guint n = 0;
  gsize size;
  guint32 ssrc;
  RaEarStats stats;

  for (guint i = 0; i < r->n; i++) {
    const RowsRow *row = &r->rows[i];

    if (row->number == 0)
      continue;
    if (row->arrival != RA_TIME_NONE)
      packets[i] = (RaCcfbPacket){ TRUE, RA_ECN_NOT_ECT,
        ra_ccfb_ato (rts, row->arrival) };
    if (n == 0 || i == 0 || r->rows[i - 1].number == 0)
      blocks[n++]
          = (RaCcfbBlock){ ROWS_SSRC, (guint16) row->number, 0, &packets[i] };
    blocks[n - 1].n++;
  }
  size = ra_ccfb_write (
      ra_stamp_ntp (rts), blocks, n, &ssrc, bytes + 12, sizeof bytes - 12);
  if (size == 0)
    return;
  ra_put_u16 (bytes + 2, (guint16) ((12 + size) / 4 - 1));
  ra_put_u32 (bytes + 8, ssrc);
  if (ra_ear_on_rtcp (w->ear, bytes, 12 + size, w->now) & RA_EAR_LIE
      && w->lies++ == 0) {
    w->caught = w->seq;
    w->caught_at = w->now;
  }
  ra_ear_get_stats (w->ear, &stats);
  w->refused = (guint) stats.heard[RA_HEARD_UNSENT] - w->lies;
}

static inline void
rows_send (Rows *w)
{
  gboolean begins = w->seq % ROWS_FRAME == 0;

  w->number += ra_skip_draw_next (&w->draw, w->cfg->skip, begins && w->seq > 0);
  w->arrival[w->number % ROWS_MAX] = RA_TIME_NONE;
  w->arrival[(w->number + 1) % ROWS_MAX] = RA_TIME_NONE;
  w->index[w->number % ROWS_MAX] = w->seq;
  ra_ear_on_sent (w->ear,
      &(RaEarPacket){ .out = { .ssrc = ROWS_SSRC,
                          .rtp_seq = (guint16) w->number,
                          .size = ROWS_SIZE,
                          .media = ROWS_SIZE,
                          .flags = RA_SENT_ASKS | RA_SENT_WAITING } },
      w->now);
  w->seq++;
  ra_link_push (w->path,
      &(RaLinkPacket){ .seq = w->number++, .size = ROWS_SIZE }, w->now);
}

static inline void
rows_init (Rows *w, const RowsConfig *cfg, guint64 seed)
{
  static const RaLinkSink sink = { rows_arrive, rows_drop, NULL, NULL };
  GError *error = NULL;
  RaSenderConfig sender = { .controller = ra_rate_find (cfg->controller),
    .lda = ra_lda_find (cfg->lda),
    .rate = { .min = 100000, .start = 500000, .max = 20000000, .mss = 1200 },
    .friendliness_cap = 9,
    .breakers = TRUE };

  *w = (Rows){ .cfg = cfg,
    .now = RA_SECOND,
    .number = 1, /* 0 is nobody's highest */
    .told = 1,
    .told_before = 1,
    .next_report = RA_SECOND + ROWS_INTERVAL,
    .interval = ROWS_INTERVAL,
    .least_rtt = G_MAXINT64 };
  for (guint i = 0; i < ROWS_MAX; i++)
    w->arrival[i] = RA_TIME_NONE;
  w->sender = ra_sender_new (&sender, w->now, &error);
  g_assert_no_error (error);
  w->ear = ra_ear_new (w->sender, seed);
  ra_ear_set (w->ear, &(RaEarConfig){ .kind = &ra_feedback_ccfb });
  w->path = ra_link_parse (cfg->path, seed, &sink, w, &error);
  g_assert_no_error (error);
  ra_skip_draw_init (&w->draw, seed);
  g_queue_init (&w->reports);
}

static inline void
rows_clear (Rows *w)
{
  ra_ear_free (w->ear);
  ra_sender_free (w->sender);
  ra_link_free (w->path);
  g_queue_clear_full (&w->reports, rows_report_free);
}

static inline RaTime
rows_next (const Rows *w)
{
  const RowsReport *r = w->reports.head ? w->reports.head->data : NULL;
  RaTime next = MIN (ra_link_next (w->path), w->next_report);

  next = MIN (next, ra_sender_next_timeout (w->sender));
  if (!w->silent)
    next = MIN (next, ra_sender_next_send (w->sender, w->now));
  if (r)
    next = MIN (next, r->comes);
  return MAX (next, w->now);
}

static inline void
rows_step (Rows *w, RaTime now)
{
  RowsReport *r;
  RaSenderStats stats;

  w->now = now;
  ra_link_run (w->path, now);
  w->now = now;
  if (ra_sender_next_timeout (w->sender) <= now)
    ra_sender_on_timeout (w->sender, now);
  while ((r = g_queue_peek_head (&w->reports)) && r->comes <= now) {
    if (w->cfg->transport)
      rows_hear_transport (w, r);
    else
      rows_hear (w, r);
    rows_report_free (g_queue_pop_head (&w->reports));
    ra_sender_get_stats (w->sender, &stats);
    if (stats.rtt > 0)
      w->least_rtt = MIN (w->least_rtt, stats.rtt);
  }
  if (w->next_report <= now)
    rows_report (w);
  while (!w->silent && ra_sender_next_send (w->sender, now) <= now)
    rows_send (w);
}

static inline void
rows_run (Rows *w, RaSpan span)
{
  RaTime end = ra_later (w->now, span), next;

  while ((next = rows_next (w)) <= end)
    rows_step (w, next);
  w->now = end;
}

/* bit/s, from the beginning. */
static inline gdouble
rows_rate (const Rows *w)
{
  return (gdouble) w->seq * ROWS_SIZE * 8
      / ra_seconds (ra_diff (w->now, RA_SECOND));
}
