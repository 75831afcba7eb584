/* Random early detection: the average queue, and which packet it costs.
 * S. Floyd, V. Jacobson, Random Early Detection Gateways for Congestion
 * Avoidance, IEEE/ACM Transactions on Networking 1(4), 1993.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Queues and thresholds are shares of the buffer, 0 to 1, by whatever limit of
 * the line is nearest: packets, bytes or time.  So they stay right when the
 * line's rate changes, and a paper's "5 and 15 packets" are .05 and .15 with
 * packets=100.
 */
#pragma once

#include <gst/rtpadapt/link/queue.h>

G_BEGIN_DECLS

/* Of an average; parameters. */
typedef struct
{
  gdouble w_q; /* weight of an arrival */
  gdouble s;   /* bytes of a typical packet, for idle times */
} RaRedAvgFilter;

/* Of a drop probability; parameters. */
typedef struct
{
  gdouble min_th, max_th, max_p;
} RaRedAvgLimits;

typedef struct
{
  gdouble avg;   /* average queue */
  RaTime q_time; /* since when idling is not in avg yet */
  gint64 count;  /* packets since the last drop, -1: below min_th */
  gdouble p_b, p_a;
} RaRedAvg;

/* Plain data: 0 but for the count. */
void ra_red_avg_init (RaRedAvg *e);
/* FALSE and `error` if the line has no buffer to take shares of. */
gboolean ra_red_avg_check_queue (const RaQueue *l, GError **error);
/* FALSE and `error` if they are not in order; `prefix` of their names. */
gboolean ra_red_avg_check (
    const RaRedAvgLimits *limits, const gchar *prefix, GError **error);

/* A packet arrives: averages the queue of those marks. */
void ra_red_avg_add (RaRedAvg *e, const RaRedAvgFilter *f, const RaQueue *l,
    guint marks, RaTime now);
/* p_b at that average. */
gdouble ra_red_avg_p (
    gdouble avg, const RaRedAvgLimits *limits, gboolean gentle);
/* Whether the packet that arrived is to be dropped, having set e->p_b. */
gboolean ra_red_avg_drops (RaRedAvg *e, gboolean wait, RaRng *rng);

G_END_DECLS
