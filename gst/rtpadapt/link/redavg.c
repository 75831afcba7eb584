/* Random early detection (Floyd, Jacobson 1993, figure 2).
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <gst/rtpadapt/link/redavg.h>

void
ra_red_avg_init (RaRedAvg *e)
{
  *e = (RaRedAvg){ .count = -1 };
}

gboolean
ra_red_avg_check_queue (const RaQueue *l, GError **error)
{
  if (ra_queue_limited (l))
    return TRUE;
  g_set_error (error, RA_LINK_ERROR, RA_LINK_ERROR_PARAM,
      "queue=, packets= or bytes= is missing: thresholds are shares of it");
  return FALSE;
}

gboolean
ra_red_avg_check (
    const RaRedAvgLimits *limits, const gchar *prefix, GError **error)
{
  if (limits->min_th < limits->max_th)
    return TRUE;
  g_set_error (error, RA_LINK_ERROR, RA_LINK_ERROR_PARAM,
      "%smin-th=%g is not below %smax-th=%g", prefix, limits->min_th, prefix,
      limits->max_th);
  return FALSE;
}

void
ra_red_avg_add (RaRedAvg *e, const RaRedAvgFilter *f, const RaQueue *l,
    guint marks, RaTime now)
{
  RaTime idle;
  gdouble m;

  if (ra_queue_holds (l, marks)) {
    e->avg += f->w_q * (ra_queue_fill (l, marks, now) - e->avg);
    return;
  }
  /* As if m packets had come to an empty queue.  An arrival that is dropped
   * leaves it empty, so q_time moves on: no time counts twice. */
  idle = MAX (e->q_time, ra_queue_left (l, marks));
  m = (gdouble) (now - idle) * 1e-9 * (gdouble) ra_queue_rate (l, now)
      / (8 * f->s);
  e->avg *= pow (1 - f->w_q, m);
  e->q_time = now;
}

gdouble
ra_red_avg_p (gdouble avg, const RaRedAvgLimits *t, gboolean gentle)
{
  if (avg < t->min_th)
    return 0;
  if (avg < t->max_th)
    return t->max_p * (avg - t->min_th) / (t->max_th - t->min_th);
  /* Floyd 2000, Recommendation on using the "gentle_" variant of RED */
  if (gentle && avg < 2 * t->max_th)
    return t->max_p + (1 - t->max_p) * (avg - t->max_th) / t->max_th;
  return 1;
}

/* Spreads drops uniformly, not geometrically: the next one comes 1 to 1 / p_b
 * packets after the last.  With `wait` it is 1 / p_b to 2 / p_b packets, as in
 * the authors' simulator (ns-2, RED wait_), so that no two come in a row. */
static gdouble
spread (gdouble p_b, gdouble count, gboolean wait)
{
  gdouble turns = count * p_b + (wait ? 0 : 1);

  if (turns < 1)
    return 0;
  return turns < 2 ? MIN (p_b / (2 - turns), 1) : 1;
}

gboolean
ra_red_avg_drops (RaRedAvg *e, gboolean wait, RaRng *rng)
{
  gboolean drop;

  if (e->p_b <= 0) {
    e->count = -1;
    e->p_a = 0;
    return FALSE;
  }
  e->count++;
  e->p_a = e->p_b >= 1 ? 1 : spread (e->p_b, (gdouble) e->count, wait);
  drop = ra_rng_chance (rng, e->p_a);
  if (drop)
    e->count = 0;
  return drop;
}
