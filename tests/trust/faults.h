/* Sender, path, receiver and the way back over the bytes of the wire, in
 * virtual time, and what may go wrong with each of them.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The sender is what rtpadaptsend is made of: an encoder of 25 frames/s that is
 * told its share, a backlog bounded as there, RaSender, RaListener.  Numbers are
 * 16 bit and send times 32 bit on the wire.  Either side has a clock of its own,
 * which may be stepped.
 */
#pragma once

#include "faults-receiver.h"

/* --- the sender ---------------------------------------------------------- */

static inline void
faults_hear_rows (Faults *w, const FaultsFeedback *x)
{
  RaFeedbackPacket *packets = g_new (RaFeedbackPacket, x->rows->len);
  guint64 newest = w->index - 1;

  for (guint i = 0; i < x->rows->len; i++) {
    const FaultsRow *row = &g_array_index (x->rows, FaultsRow, i);

    packets[i] = (RaFeedbackPacket){ .seq
      = newest - (guint16) ((guint16) newest - row->seq),
      .arrival = row->arrival };
  }
  w->heard[ra_sender_on_feedback (
               w->sender, packets, x->rows->len, FAULTS_GRAIN, faults_here (w))
          ? RA_HEARD_OK
          : RA_HEARD_OLD]++;
  g_free (packets);
}

static inline void
faults_hear_tfrc (Faults *w, const FaultsFeedback *x)
{
  RaTime now = faults_here (w);
  RaReport report;
  RaSpan t_delay;
  RaHeard heard;

  ra_listener_on_radp (w->listener, x->radp, x->radp_size, now);
  heard = ra_listener_on_tfrc (
      w->listener, x->fci, sizeof x->fci, now, &report, &t_delay);
  w->heard[heard]++;
  if (heard != RA_HEARD_OK)
    return;
  w->expected += report.expected;
  w->told_arrived += report.arrived;
  w->told_lost += report.lost_congestion + report.lost_wireless;
  ra_sender_on_report (w->sender, &report, t_delay, now);
}

static inline void
faults_hear (const RaLinkPacket *p, RaTime now, gpointer data)
{
  FaultsFeedback *x = p->data;
  Faults *w = data;

  w->now = now;
  if (x->ssrc != w->ssrc && x->ssrc != w->old_ssrc) {
    /* of a sender that is no more */
  } else if (x->rows) {
    faults_hear_rows (w, x);
  } else {
    faults_hear_tfrc (w, x);
  }
  faults_feedback_free (x);
}

static inline void
faults_feedback_lose (const RaLinkPacket *p, RaCause cause, const gchar *node,
    RaTime now, gpointer data)
{
  faults_feedback_free (p->data);
}

static inline void
faults_feedback_discard (const RaLinkPacket *p, gpointer data)
{
  faults_feedback_free (p->data);
}

static inline void
faults_send (Faults *w)
{
  FaultsItem item = w->queue[w->queue_out++ % FAULTS_QUEUE];
  RaOutgoing out = { .seq = w->index++, .size = item.size };
  RaTime now = faults_here (w);
  RaSenderStats stats;

  w->queue_bytes -= item.size;
  out.media = item.size - FAULTS_HEADER;
  if (item.marker)
    out.flags |= RA_SENT_FRAME_END;
  if (item.marker || w->reporter)
    out.flags |= RA_SENT_ASKS;
  if (w->queue_in > w->queue_out)
    out.flags
        |= RA_SENT_WAITING | (item.frame == w->frame ? RA_SENT_SPREAD : 0);
  ra_sender_get_stats (w->sender, &stats);
  w->records[w->packets % FAULTS_RECORDS]
      = (FaultsWire){ w->ssrc, (guint16) out.seq, item.size, item.marker,
          { stats.rtt, ra_stamp_us (now) } };
  ra_sender_on_sent (w->sender, &out, now);
  w->bytes += item.size;
  if (w->dead)
    w->lost++;
  else
    ra_link_push (w->path,
        &(RaLinkPacket){ .seq = w->packets, .size = item.size }, w->now);
  w->packets++;
}

static inline RaSpan
faults_backlog (const Faults *w)
{
  return w->queue_bytes > 0
      ? ra_send_span ((gdouble) w->queue_bytes, ra_sender_rate (w->sender))
      : 0;
}

/* Of what the encoder is told, less or more by a fifth. */
static inline void
faults_frame (Faults *w)
{
  guint payload = w->cfg->packet - FAULTS_HEADER;
  RaSpan backlog = faults_backlog (w);
  gdouble bytes;
  RaSplit split;

  w->next_frame += FAULTS_FRAME;
  ra_sender_split (w->sender, backlog, &split);
  bytes = ra_bytes (split.media) / 25 * w->cfg->excess
      * (.8 + .4 * ra_rng_uniform (&w->rng));
  w->frame++;
  w->dropped_frames += backlog > FAULTS_BACKLOG;
  if (split.media == 0
      && ra_sender_next_send (w->sender, faults_here (w)) > faults_here (w))
    return; /* a breaker is open, and no probe is due */
  if (backlog > FAULTS_BACKLOG)
    return;
  for (gboolean last = FALSE; !last; bytes -= payload) {
    FaultsItem item = { .frame = w->frame };

    last = bytes <= payload || w->queue_in - w->queue_out == FAULTS_QUEUE - 1;
    item.marker = last;
    item.size
        = FAULTS_HEADER + (guint) CLAMP (bytes + .999, 1, (gdouble) payload);
    w->queue_bytes += item.size;
    w->queue[w->queue_in++ % FAULTS_QUEUE] = item;
  }
  w->backlog = MAX (w->backlog, faults_backlog (w));
}

/* --- begin, end, begin anew ---------------------------------------------- */

static inline void
faults_sender_new (Faults *w)
{
  const FaultsConfig *cfg = w->cfg;
  GError *error = NULL;
  RaSenderConfig sender = { .controller = ra_rate_find (cfg->controller),
    .lda = ra_lda_find (cfg->lda),
    .rate = { cfg->min, cfg->start, cfg->max, cfg->packet },
    .burst = FAULTS_BURST,
    .friendliness_cap = FAULTS_CAP,
    .breakers = TRUE,
    .floor = cfg->floor };

  w->sender = ra_sender_new (&sender, faults_here (w), &error);
  g_assert_no_error (error);
  w->listener = ra_listener_new (ra_sender_ledger (w->sender));
  w->old_ssrc = w->ssrc = ra_rng_next (&w->rng);
  w->queue_out = w->queue_in;
  w->queue_bytes = 0;
}

static inline void
faults_receiver_new (Faults *w)
{
  GError *error = NULL;
  RaReporterConfig reporter
      = { .reports = &ra_feedback_tfrc, .lda = ra_lda_find (w->cfg->lda) };

  ra_seq_init (&w->seq);
  w->next_row = 0;
  w->rows = g_array_new (FALSE, FALSE, sizeof (FaultsRow));
  if (!w->cfg->rows)
    w->reporter = ra_reporter_new (&reporter, &error);
  g_assert_no_error (error);
}

static inline void
faults_sender_free (Faults *w)
{
  ra_sender_free (w->sender);
  ra_listener_free (w->listener);
}

static inline void
faults_receiver_free (Faults *w)
{
  g_clear_pointer (&w->rows, g_array_unref);
  g_clear_pointer (&w->reporter, ra_reporter_free);
}

/* (transfer full): faults_free(). */
static inline Faults *
faults_new (const FaultsConfig *cfg, guint64 seed)
{
  const RaLinkSink path = { faults_arrive, faults_lose, NULL, cfg->load };
  static const RaLinkSink back
      = { faults_hear, faults_feedback_lose, faults_feedback_discard, NULL };
  Faults *w = g_new0 (Faults, 1);
  GError *error = NULL;

  w->cfg = cfg;
  w->here = (gint64) cfg->begin;
  w->there = 12345 * RA_SECOND;
  w->index = 65536 + (guint64) cfg->seq;
  ra_rng_init (&w->rng, seed, 1);
  w->path = ra_link_parse (cfg->path, seed, &path, w, &error);
  g_assert_no_error (error);
  w->back = ra_link_parse (cfg->back, seed + 1, &back, w, &error);
  g_assert_no_error (error);
  w->copies = ra_link_parse (cfg->copy, seed + 2, &back, w, &error);
  g_assert_no_error (error);
  faults_sender_new (w);
  faults_receiver_new (w);
  return w;
}

static inline void
faults_free (Faults *w)
{
  ra_link_free (w->path);
  ra_link_free (w->back);
  ra_link_free (w->copies);
  faults_sender_free (w);
  faults_receiver_free (w);
  g_free (w);
}

/* Another process: another SSRC, other numbers, another clock. */
static inline void
faults_restart_sender (Faults *w)
{
  faults_sender_free (w);
  w->here += 777 * RA_SECOND;
  w->index = 65536 + (ra_rng_next (&w->rng) & 0xffff);
  faults_sender_new (w);
}

static inline void
faults_restart_receiver (Faults *w)
{
  faults_receiver_free (w);
  w->there += 777 * RA_SECOND;
  faults_receiver_new (w);
}

static inline void
faults_change_ssrc (Faults *w)
{
  w->old_ssrc = w->ssrc;
  w->ssrc = ra_rng_next (&w->rng);
}

/* --- time goes on -------------------------------------------------------- */

static inline RaTime
faults_next (const Faults *w)
{
  RaTime next = MIN (ra_link_next (w->path), ra_link_next (w->back));

  next = MIN (next, ra_link_next (w->copies));
  next = MIN (next, w->next_frame);
  next = MIN (next, faults_next_report (w));
  if (w->cfg->rtcp > 0)
    next = MIN (next, w->next_rtcp);
  next = MIN (next, faults_from_here (w, ra_sender_next_timeout (w->sender)));
  if (w->queue_in > w->queue_out)
    next = MIN (next,
        faults_from_here (w, ra_sender_next_send (w->sender, faults_here (w))));
  return MAX (next, w->now);
}

/* The receiver's empty RR. */
static inline void
faults_rtcp (Faults *w)
{
  w->next_rtcp = ra_later (w->now, w->cfg->rtcp);
  if (!w->dead)
    ra_sender_on_rtcp (w->sender, faults_here (w));
}

static inline void
faults_run (Faults *w, RaSpan span)
{
  RaTime end = w->now + (RaTime) span, now;

  for (; (now = faults_next (w)) <= end;) {
    w->now = now;
    ra_link_run (w->path, now);
    ra_link_run (w->back, now);
    ra_link_run (w->copies, now);
    w->now = now;
    if (ra_sender_next_timeout (w->sender) <= faults_here (w))
      ra_sender_on_timeout (w->sender, faults_here (w));
    if (faults_next_report (w) <= now)
      faults_report (w);
    if (w->cfg->rtcp > 0 && w->next_rtcp <= now)
      faults_rtcp (w);
    if (w->next_frame <= now)
      faults_frame (w);
    while (w->queue_in > w->queue_out
        && ra_sender_next_send (w->sender, faults_here (w)) <= faults_here (w))
      faults_send (w);
  }
  w->now = end;
}

/* bit/s that arrive in the next `span`. */
static inline gdouble
faults_goodput (Faults *w, RaSpan span)
{
  guint64 before = w->arrived_bytes;

  faults_run (w, span);
  return 8. * (gdouble) (w->arrived_bytes - before) / ra_seconds (span);
}

/* The next of all controllers with either feedback; FALSE after the last.
 * Counts from 0. */
static inline gboolean
faults_each (guint i, FaultsConfig *cfg)
{
  if (!ra_rates[i / 2])
    return FALSE;
  cfg->controller = ra_rates[i / 2]->name;
  cfg->rows = i % 2 == 1;
  return TRUE;
}

/* A name of the table becomes that of a test. */
static inline void
faults_path_canon (gchar *path)
{
  g_strcanon (path, G_CSET_a_2_z G_CSET_A_2_Z G_CSET_DIGITS "/", '-');
}

static inline RaBreakerState
faults_breaker (const Faults *w)
{
  RaSenderStats stats;

  ra_sender_get_stats (w->sender, &stats);
  return stats.breaker;
}

static inline RaBreakerTrip
faults_trip (const Faults *w)
{
  RaSenderStats stats;

  ra_sender_get_stats (w->sender, &stats);
  return stats.trip;
}

/* --- the worst of all ---------------------------------------------------- */

typedef struct
{
  gdouble least, most;
  gchar *least_of, *most_of;
} FaultsRange;

static inline void
faults_range_add (FaultsRange *r, gdouble x, const FaultsConfig *cfg)
{
  g_autofree gchar *of
      = g_strdup_printf ("%s/%s", cfg->controller, cfg->rows ? "twcc" : "tfrc");

  g_test_message ("%s: %.3f", of, x);
  if (!r->least_of || x < r->least) {
    r->least = x;
    g_free (r->least_of);
    r->least_of = g_strdup (of);
  }
  if (!r->most_of || x > r->most) {
    r->most = x;
    g_free (r->most_of);
    r->most_of = g_strdup (of);
  }
}

static inline void
faults_range_clear (FaultsRange *r)
{
  g_clear_pointer (&r->least_of, g_free);
  g_clear_pointer (&r->most_of, g_free);
}
