/* What holds of a sender and of what it is told, whatever it was told.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "fuzz.h"

#include <gst/rtpadapt/sender.h>

#include <math.h>

G_BEGIN_DECLS

/* A report that was believed: `sent` packets had been sent. */
static inline void
law_report (const RaReport *r, RaSpan t_delay, RaTime now, guint64 sent)
{
  g_assert_true (r->p >= 0 && r->p < 1); /* nor NaN */
  g_assert_cmpuint (r->t_recvdata, <=, now);
  g_assert_cmpint (t_delay, >=, 0);
  g_assert_cmpint (t_delay, <, ra_diff (now, r->t_recvdata));
  g_assert_cmpuint (r->expected, <=, sent);
  g_assert_cmpuint (r->wireless_runs, <=, r->lost_wireless);
  g_assert_cmpint (r->loss_age, >=, 0);
  g_assert_true (r->queue == RA_SPAN_NONE || r->queue >= 0);
  fuzz_note ("report p %.17g of %" G_GUINT64_FORMAT " at %" G_GUINT64_FORMAT
             ", %u of %u arrived, lost %u and %u in %u runs, %u events",
      r->p, r->recv_rate, r->t_recvdata, r->arrived, r->expected,
      r->lost_congestion, r->lost_wireless, r->wireless_runs, r->n_events);
}

static inline void
law_no_nan (const gchar *name, gdouble value, gpointer data)
{
  if (isnan (value))
    g_error ("%s is no number", name);
}

/* Each packet arrives once, and is lost once; what was lost may come after
 * all. */
static inline void
law_losses (const RaReceiverStats *s, guint64 packets)
{
  g_assert_cmpuint (s->arrived, <=, packets);
  g_assert_cmpuint (s->congestion + s->wireless, <=, packets);
  g_assert_cmpuint (
      s->arrived + s->congestion + s->wireless, <=, packets + s->recovered);
  g_assert_cmpuint (s->recovered, <=, s->late);
  g_assert_cmpuint (s->late, <=, s->arrived);
  g_assert_cmpuint (s->events, <=, s->congestion + s->arrived); /* or marks */
}

/* The rate is within the limits, but below them behind the bound of RFC 8083
 * (which is lower where a queue stands) or the first of its breakers, and 0
 * behind an open one and only there. */
static inline void
law_rate (const RaSender *sender, const RaRateConfig *limits, gdouble cap)
{
  guint64 max = MAX (limits->max, 1), min = CLAMP (limits->min, 1, max);
  guint64 rate = ra_sender_rate (sender);
  RaSenderStats s;

  ra_sender_get_stats (sender, &s);
  g_assert_cmpuint (rate, <=, max);
  g_assert_true ((rate == 0) == (s.breaker == RA_BREAKER_OPEN));
  if (s.breaker != RA_BREAKER_CLOSED)
    return;
  if (cap > 0 && s.friendly < G_MAXUINT64) {
    gdouble bound = cap * (gdouble) s.friendly;
    gdouble standing = fmin (cap, RA_FRIENDLY_STANDING) * (gdouble) s.friendly;

    /* Both are whole bits, and never nothing. */
    g_assert_cmpfloat ((gdouble) rate, <=, bound + cap + 1);
    min = (guint64) MIN ((gdouble) min, fmax (standing - cap - 1, 1));
  }
  g_assert_cmpuint (rate, >=, min);
}

/* The state that a sender is in. */
static inline void
law_note (const RaSender *sender, const RaSenderStats *s, const RaSplit *split)
{
  fuzz_note ("rate %" G_GUINT64_FORMAT " media %" G_GUINT64_FORMAT
             " fec %" G_GUINT64_FORMAT " level %u timeout %" G_GUINT64_FORMAT,
      ra_sender_rate (sender), split->media, split->fec, ra_sender_fec (sender),
      ra_sender_next_timeout (sender));
  fuzz_note ("sent %" G_GUINT64_FORMAT " bytes %" G_GUINT64_FORMAT
             " feedback %" G_GUINT64_FORMAT " bad %" G_GUINT64_FORMAT
             " rtt %" G_GINT64_FORMAT " queue %" G_GINT64_FORMAT
             " receives %" G_GUINT64_FORMAT
             " p %.17g friendly %" G_GUINT64_FORMAT
             " radio %.17g breaker %d trip %d lies %u liar %d competes %d",
      s->packets_sent, s->bytes_sent, s->feedback, s->feedback_bad, s->rtt,
      s->queue, s->recv_rate, s->p, s->friendly, s->radio_loss, s->breaker,
      s->trip, s->lies, s->liar, s->competes);
}

static inline void
law_note_losses (const RaReceiverStats *s)
{
  fuzz_note ("arrived %" G_GUINT64_FORMAT " duplicates %" G_GUINT64_FORMAT
             " late %" G_GUINT64_FORMAT " congestion %" G_GUINT64_FORMAT
             " wireless %" G_GUINT64_FORMAT " recovered %" G_GUINT64_FORMAT
             " events %u",
      s->arrived, s->duplicates, s->late, s->congestion, s->wireless,
      s->recovered, s->events);
}

/* After each step. */
static inline void
law_sender (
    const RaSender *sender, const RaRateConfig *limits, gdouble cap, RaTime now)
{
  RaTime next = ra_sender_next_send (sender, now);
  guint64 rate = ra_sender_rate (sender);
  RaSenderStats s;
  RaSplit split;

  law_rate (sender, limits, cap);
  ra_sender_get_stats (sender, &s);
  law_losses (&s.loss, s.packets_sent);
  g_assert_true (s.p >= 0 && s.p <= 1);
  g_assert_cmpint (s.rtt, >=, 0);
  /* A probe may be due behind an open breaker. */
  g_assert_true (next != RA_TIME_NONE || rate == 0);
  g_assert_cmpuint (next, >=, now);
  ra_sender_split (sender, 0, &split);
  law_note (sender, &s, &split);
  law_note_losses (&s.loss);
  g_assert_cmpuint (split.media, <=, rate);
  g_assert_cmpuint (split.fec, <=, rate - split.media);
  g_assert_cmpuint (split.header, <=, rate - split.media - split.fec);
  g_assert_cmpuint (ra_sender_fec (sender), <=, 100);
  ra_sender_observe (sender, law_no_nan, NULL);
}

G_END_DECLS
