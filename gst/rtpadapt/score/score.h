/* The papers' metrics, of one flow; and those over flows.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gst/rtpadapt/types.h>

G_BEGIN_DECLS

/* Paper 003 5.2: delay variation above 75 ms disturbs the viewer. */
#define RA_DELAYED_THRESHOLD (75 * RA_MSECOND)

typedef struct _RaScore RaScore;

/* Nothing before `warmup` counts (seeds 000, 003 skip the start-up).
 * (transfer full): ra_score_free(). */
RaScore *ra_score_new (RaTime start, RaSpan warmup);
void ra_score_free (RaScore *s);

/* A packet was sent; `size` bytes as the link counts them. */
void ra_score_sent (RaScore *s, guint size, RaTime now);
/* It reached the receiver; `queued` is its time in queues, RA_SPAN_NONE if
 * unknown. */
void ra_score_arrived (RaScore *s, guint size, RaSpan queued, RaTime now);
/* It was lost; the truth.  `size` counts towards utilisation if it was lost
 * after the bottleneck (wireless). */
void ra_score_lost (RaScore *s, guint size, RaCause truth, RaTime now);
/* The LDA's verdict about a lost packet, with the truth (NONE: unknown,
 * not scored). */
void ra_score_verdict (RaScore *s, RaCause verdict, RaCause truth, RaTime now);
/* The bottleneck's rate from `now` on, bit/s. */
void ra_score_capacity (RaScore *s, guint64 bps, RaTime now);

typedef struct
{
  gdouble seconds;        /* that counted */
  gdouble capacity_bps;   /* mean over time, 0 unknown */
  gdouble throughput_bps; /* what crossed the bottleneck: arrived + lost to
                               the radio behind it */
  gdouble goodput_bps;    /* what arrived */
  gdouble utilisation;    /* throughput / capacity (000 IV), 0 unknown */
  guint64 sent, arrived, congestion_losses, wireless_losses; /* packets */
  gdouble congestion_loss;   /* congestion losses / packets that crossed the
                               bottleneck: "divided by the throughput"
                               (000 VI-A) */
  gdouble packet_loss_ratio; /* lost / sent (003 5.2) */
  guint64 judged_congestion, judged_wireless; /* losses that had a verdict */
  /* 000 IV: share of these that was taken for the other kind; 0 of none. */
  gdouble m_c, m_w;
  gdouble p_cc, p_ww;           /* 001: P[C|C] = 1 - m_c, P[W|W] = 1 - m_w */
  gdouble delayed_packet_ratio; /* 003 algorithm 1 */
  gdouble queue_ms_p50, queue_ms_p95;
  gdouble cov; /* of the throughput in 1 s bins (004) */
} RaScoreResult;

/* The state at `now`. */
void ra_score_get (const RaScore *s, RaTime now, RaScoreResult *out);

/* Jain's fairness index, 003 5.2: (sum x)^2 / (n sum x^2); 0 for n = 0 or all
 * zero. */
gdouble ra_jain (const gdouble *x, guint n);
/* Standard deviation (n - 1) over mean; 0 for n < 2 or mean 0. */
gdouble ra_cov (const gdouble *x, guint n);

G_END_DECLS
