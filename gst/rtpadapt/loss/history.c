/* From lost packets to loss events, loss intervals and p (RFC 5348 5.2-5.5).
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The lost packets are kept with all that their grouping depended on, so that
 * a late packet can be taken back by grouping again from there.
 */
#include <gst/rtpadapt/loss/history.h>

#include <math.h>
#include <string.h>

#define THRESHOLD 0.25 /* RFC 5348 5.5 */

/* RFC 5348 5.4 */
static const gdouble w[RA_HISTORY_N] = { 1, 1, 1, 1, 0.8, 0.6, 0.4, 0.2 };

/* A lost or marked packet. */
typedef struct
{
  guint64 seq;
  RaTime t_loss;
  RaSpan rtt;  /* R when it was reported */
  guint64 s_c; /* S_C when it was reported */
} Lost;

/* A loss event; it starts interval I_i, i its index in `events`. */
typedef struct
{
  guint64 start; /* S_A */
  RaTime t_old;  /* nominal arrival of packet `start` */
  gdouble df;    /* the general DF when it happened */
} Event;

struct _RaHistory
{
  gboolean discounting;
  gboolean started;
  guint64 first;   /* packet seen */
  guint64 highest; /* S_C */
  guint n_events;  /* so far */
  guint n_kept;
  Event events[RA_HISTORY_EVENTS_MAX]; /* newest first */
  /* The interval before the oldest kept event E has
   * before + S_E - before_ref packets. */
  gdouble before;
  guint64 before_ref;
  GArray *lost; /* Lost, by rising seq */
};

RaHistory *
ra_history_new (gboolean discounting)
{
  RaHistory *h = g_new0 (RaHistory, 1);

  h->discounting = discounting;
  h->lost
      = g_array_sized_new (FALSE, FALSE, sizeof (Lost), RA_HISTORY_LOST_MAX);
  return h;
}

void
ra_history_free (RaHistory *h)
{
  if (h)
    g_array_unref (h->lost);
  g_free (h);
}

static gdouble
distance (guint64 to, guint64 from)
{
  return to > from ? (gdouble) (to - from) : 0;
}

/* The interval that event `i` starts; i = n_kept: the one before them all. */
static gdouble
history_closed (const RaHistory *h, guint i)
{
  guint64 end = h->events[i - 1].start;

  if (i < h->n_kept)
    return fmax (distance (end, h->events[i].start), 1);
  return fmax (h->before + distance (end, h->before_ref), 1);
}

/* I_0 of event `i` if S_C is `s_c` (RFC 5348 5.3); at least the lost or marked
 * packet itself. */
static gdouble
history_current (const RaHistory *h, guint i, guint64 s_c)
{
  return distance (s_c, h->events[i].start) + 1;
}

/* The general DF when event `i` was the newest and S_C was `s_c`. */
static gdouble
history_df (const RaHistory *h, guint i, guint64 s_c)
{
  gdouble i_tot = 0, w_tot = 0, df_j = 1, i_0, i_mean;
  guint k = MIN (h->n_kept - i, RA_HISTORY_N);

  if (!h->discounting)
    return 1;
  for (guint j = 1; j <= k; j++) {
    if (j > 1)
      df_j *= h->events[i + j - 2].df;
    i_tot += history_closed (h, i + j) * w[j - 1] * df_j;
    w_tot += w[j - 1] * df_j;
  }
  i_mean = i_tot / w_tot;
  i_0 = history_current (h, i, s_c);
  return i_0 > 2 * i_mean ? fmax (2 * i_mean / i_0, THRESHOLD) : 1;
}

void
ra_history_on_packet (RaHistory *h, guint64 seq)
{
  if (!h->started) {
    h->started = TRUE;
    h->first = h->before_ref = h->highest = seq;
  }
  h->highest = MAX (h->highest, seq);
}

/* Groups one more lost packet.  RFC 5348 5.2, and 5.5 for a new event. */
static void
history_group (RaHistory *h, const Lost *l)
{
  Event event = { l->seq, l->t_loss, 1 };

  if (h->n_kept > 0) {
    RaSpan since = ra_diff (l->t_loss, h->events[0].t_old);

    /* T_old + R >= T_new; the other side only counts when the clock went
     * back, which must not make one event of all that is lost from then on. */
    if (l->rtt > 0 && since <= l->rtt && since >= -l->rtt)
      return;
    event.df = history_df (h, 0, l->s_c);
  }
  if (h->n_kept == RA_HISTORY_EVENTS_MAX) {
    h->n_kept--;
    h->before = 0;
    h->before_ref = h->events[h->n_kept].start;
  }
  memmove (h->events + 1, h->events, h->n_kept * sizeof (Event));
  h->events[0] = event;
  h->n_kept++;
  h->n_events++;
}

/* The index of the first lost packet not before `seq`. */
static guint
history_find (const RaHistory *h, guint64 seq)
{
  guint i = h->lost->len;

  while (i > 0 && g_array_index (h->lost, Lost, i - 1).seq >= seq)
    i--;
  return i;
}

/* Can the events from `seq` on be taken apart and grouped again?  Not when the
 * one before them, which they would be compared with, is forgotten. */
static gboolean
history_can_regroup (const RaHistory *h, guint64 seq)
{
  return h->n_events == h->n_kept || h->events[h->n_kept - 1].start < seq;
}

static void
history_regroup (RaHistory *h, guint64 seq)
{
  guint n = 0;

  while (n < h->n_kept && h->events[n].start >= seq)
    n++;
  h->n_kept -= n;
  h->n_events -= n;
  memmove (h->events, h->events + n, h->n_kept * sizeof (Event));
  for (guint i = history_find (h, seq); i < h->lost->len; i++)
    history_group (h, &g_array_index (h->lost, Lost, i));
  if (h->n_events == 0) { /* as before any loss */
    h->before = 0;
    h->before_ref = h->first;
  }
}

gboolean
ra_history_lose (RaHistory *h, guint64 seq, RaTime t_loss, RaSpan rtt)
{
  Lost l = { seq, t_loss, rtt, 0 };
  guint i = history_find (h, seq), before = h->n_events;

  if (!h->started) /* RFC 5348 6.3.1: a null first interval */
    ra_history_on_packet (h, seq);
  l.s_c = h->highest;
  if (i == h->lost->len) {
    g_array_append_val (h->lost, l);
    history_group (h, &l);
  } else if (g_array_index (h->lost, Lost, i).seq != seq && i > 0
      && history_can_regroup (h, seq)) {
    g_array_insert_val (h->lost, i, l);
    history_regroup (h, seq);
  }
  if (h->lost->len == RA_HISTORY_LOST_MAX)
    g_array_remove_range (h->lost, 0, RA_HISTORY_LOST_MAX / 2);
  return h->n_events > before;
}

gboolean
ra_history_recover (RaHistory *h, guint64 seq)
{
  guint i = history_find (h, seq), before = h->n_events;

  if (i == h->lost->len || g_array_index (h->lost, Lost, i).seq != seq
      || !history_can_regroup (h, seq))
    return FALSE;
  g_array_remove_index (h->lost, i);
  history_regroup (h, seq);
  return h->n_events < before;
}

void
ra_history_seed (RaHistory *h, gdouble interval)
{
  if (h->n_events != 1)
    return;
  h->before = fmin (fmax (interval, 1), 0x1p53); /* NaN gives 1 */
  h->before_ref = h->events[0].start;
}

guint
ra_history_events (const RaHistory *h)
{
  return h->n_events;
}

gdouble
ra_history_p (const RaHistory *h)
{
  guint k = MIN (h->n_kept, RA_HISTORY_N); /* closed intervals */
  gdouble i_tot0, w_tot0, i_tot1 = 0, w_tot1 = 0, df;

  if (k == 0)
    return 0;
  /* RFC 5348 5.5; with every discount 1 it is 5.4, I_tot = max(...) */
  df = history_df (h, 0, h->highest);
  i_tot0 = history_current (h, 0, h->highest) * w[0];
  w_tot0 = w[0];
  for (guint i = 1; i <= k; i++) {
    gdouble i_i = history_closed (h, i), df_i = ra_history_discount (h, i);

    if (i < k) {
      i_tot0 += i_i * w[i] * df_i * df;
      w_tot0 += w[i] * df_i * df;
    }
    i_tot1 += i_i * w[i - 1] * df_i;
    w_tot1 += w[i - 1] * df_i;
  }
  return fmin (fmin (w_tot0 / i_tot0, w_tot1 / i_tot1), 1);
}

gdouble
ra_history_interval (const RaHistory *h, guint i)
{
  if (h->n_kept == 0 || i > MIN (h->n_kept, RA_HISTORY_N))
    return 0;
  return i == 0 ? history_current (h, 0, h->highest) : history_closed (h, i);
}

/* An interval is discounted by every event but the one that closed it. */
gdouble
ra_history_discount (const RaHistory *h, guint i)
{
  gdouble df = 1;

  if (h->n_kept == 0 || i > MIN (h->n_kept, RA_HISTORY_N))
    return 1;
  if (i == 0)
    return history_df (h, 0, h->highest);
  for (guint j = 0; j + 1 < i; j++)
    df *= h->events[j].df;
  return df;
}
