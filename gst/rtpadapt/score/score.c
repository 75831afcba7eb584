/* The papers' metrics.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * 000: Cen, Cosman, Voelker 2003.  001: Barman, Matta, "Effectiveness of Loss
 * Labeling".  003: Papadimitriou, Tsaoussidis, Zhang 2009.  004: Singh, Ros,
 * Toutain, Viho 2006 (WLED).
 */
#include <gst/rtpadapt/score/score.h>

#include <math.h>

/* Queue percentiles are read from a histogram: within 0.05 ms, up to 10 s. */
#define QUEUE_BIN (RA_MSECOND / 10)
#define QUEUE_MAX (10 * RA_SECOND)
/* The CoV looks at the first 2^20 s (12 days), so that memory has an end. */
#define THROUGHPUT_BIN RA_SECOND
#define THROUGHPUT_BINS (1 << 20)

struct _RaScore
{
  RaTime begin; /* start + warm-up */

  guint64 sent, arrived, lost;
  guint64 losses[RA_CAUSE_WIRELESS + 1]; /* by true cause */
  guint64 bytes_arrived, bytes_wireless;

  guint64 judged[RA_CAUSE_WIRELESS + 1]; /* verdicts by true cause, */
  guint64 wrong[RA_CAUSE_WIRELESS + 1];  /* and those that erred */

  RaTime last_arrival; /* RA_TIME_NONE before the first */
  guint64 delayed;

  guint64 capacity;      /* bit/s since capacity_since */
  RaTime capacity_since; /* RA_TIME_NONE: never set */
  gdouble capacity_bits; /* up to capacity_since, over */
  gdouble capacity_seconds;

  GArray *queue;      /* of guint64: arrivals per QUEUE_BIN */
  GArray *throughput; /* of guint64: bytes per THROUGHPUT_BIN */
};

RaScore *
ra_score_new (RaTime start, RaSpan warmup)
{
  RaScore *s = g_new0 (RaScore, 1);

  s->begin = ra_later (start, MAX (warmup, 0));
  s->last_arrival = RA_TIME_NONE;
  s->capacity_since = RA_TIME_NONE;
  s->queue = g_array_new (FALSE, TRUE, sizeof (guint64));
  s->throughput = g_array_new (FALSE, TRUE, sizeof (guint64));
  return s;
}

void
ra_score_free (RaScore *s)
{
  g_array_unref (s->queue);
  g_array_unref (s->throughput);
  g_free (s);
}

static void
bin_add (GArray *bins, guint64 no, guint64 amount)
{
  if (no >= bins->len)
    g_array_set_size (bins, (guint) no + 1);
  g_array_index (bins, guint64, no) += amount;
}

/* `size` bytes crossed the bottleneck. */
static void
count_throughput (RaScore *s, guint size, RaTime now)
{
  guint64 no = (now - s->begin) / (RaTime) THROUGHPUT_BIN;

  if (no < THROUGHPUT_BINS)
    bin_add (s->throughput, no, size);
}

void
ra_score_sent (RaScore *s, guint size, RaTime now)
{
  if (now >= s->begin)
    s->sent++;
}

void
ra_score_arrived (RaScore *s, guint size, RaSpan queued, RaTime now)
{
  if (now < s->begin)
    return;
  s->arrived++;
  s->bytes_arrived += size;
  count_throughput (s, size, now);
  /* 003 algorithm 1.  A lost packet has no packetTime, so that i - 1 is the
   * packet that came before, not the number before. */
  if (s->last_arrival != RA_TIME_NONE
      && ra_diff (now, s->last_arrival) > RA_DELAYED_THRESHOLD)
    s->delayed++;
  s->last_arrival = now;
  if (queued != RA_SPAN_NONE) {
    RaSpan rounded = CLAMP (queued, 0, QUEUE_MAX) + QUEUE_BIN / 2;

    bin_add (s->queue, (guint64) (rounded / QUEUE_BIN), 1);
  }
}

void
ra_score_lost (RaScore *s, guint size, RaCause truth, RaTime now)
{
  if (now < s->begin)
    return;
  s->lost++;
  s->losses[truth]++;
  if (truth == RA_CAUSE_WIRELESS) {
    s->bytes_wireless += size;
    count_throughput (s, size, now);
  }
}

void
ra_score_verdict (RaScore *s, RaCause verdict, RaCause truth, RaTime now)
{
  if (now < s->begin || verdict == RA_CAUSE_NONE || truth == RA_CAUSE_NONE)
    return;
  s->judged[truth]++;
  if (verdict != truth)
    s->wrong[truth]++;
}

/* Adds what the capacity offered from capacity_since, or the warm-up's end,
 * until `now`. */
static void
capacity_until (const RaScore *s, RaTime now, gdouble *bits, gdouble *seconds)
{
  RaTime from = MAX (s->capacity_since, s->begin);
  gdouble span;

  *bits = s->capacity_bits;
  *seconds = s->capacity_seconds;
  if (s->capacity_since == RA_TIME_NONE || now <= from)
    return;
  span = ra_seconds (ra_diff (now, from));
  *bits += (gdouble) s->capacity * span;
  *seconds += span;
}

void
ra_score_capacity (RaScore *s, guint64 bps, RaTime now)
{
  capacity_until (s, now, &s->capacity_bits, &s->capacity_seconds);
  s->capacity = bps;
  s->capacity_since = now;
}

static gdouble
ratio (gdouble a, gdouble b)
{
  return b > 0 ? a / b : 0;
}

/* The smallest value that at least `percent` of the packets do not exceed
 * (nearest rank). */
static gdouble
queue_percentile (const RaScore *s, guint percent)
{
  guint64 n = 0, sum = 0;
  guint i;

  for (i = 0; i < s->queue->len; i++)
    n += g_array_index (s->queue, guint64, i);
  for (i = 0; i < s->queue->len; i++) {
    sum += g_array_index (s->queue, guint64, i);
    if (sum * 100 >= n * percent)
      return i * ra_seconds (QUEUE_BIN) * 1e3;
  }
  return 0;
}

/* 004 4.5.  Only whole bins count: the last one has just begun. */
static gdouble
throughput_cov (const RaScore *s, RaTime now)
{
  guint64 whole = (now - s->begin) / (RaTime) THROUGHPUT_BIN;
  guint n = (guint) MIN (whole, THROUGHPUT_BINS);
  g_autofree gdouble *x = g_new0 (gdouble, n);

  for (guint i = 0; i < MIN (n, s->throughput->len); i++)
    x[i] = (gdouble) g_array_index (s->throughput, guint64, i);
  return ra_cov (x, n);
}

void
ra_score_get (const RaScore *s, RaTime now, RaScoreResult *out)
{
  const guint c = RA_CAUSE_CONGESTION, w = RA_CAUSE_WIRELESS;
  gdouble seconds = 0, bits;

  *out = (RaScoreResult){ .p_cc = 1, .p_ww = 1 };
  if (now < s->begin)
    return;
  capacity_until (s, now, &bits, &seconds);
  out->capacity_bps = ratio (bits, seconds);

  out->seconds = ra_seconds (ra_diff (now, s->begin));
  out->goodput_bps = ratio ((gdouble) s->bytes_arrived * 8, out->seconds);
  out->throughput_bps = ratio (
      (gdouble) (s->bytes_arrived + s->bytes_wireless) * 8, out->seconds);
  out->utilisation = ratio (out->throughput_bps, out->capacity_bps);

  out->sent = s->sent;
  out->arrived = s->arrived;
  out->congestion_losses = s->losses[c];
  out->wireless_losses = s->losses[w];
  out->congestion_loss
      = ratio ((gdouble) s->losses[c], (gdouble) (s->arrived + s->losses[w]));
  out->packet_loss_ratio = ratio ((gdouble) s->lost, (gdouble) s->sent);

  out->judged_congestion = s->judged[c];
  out->judged_wireless = s->judged[w];
  out->m_c = ratio ((gdouble) s->wrong[c], (gdouble) s->judged[c]);
  out->m_w = ratio ((gdouble) s->wrong[w], (gdouble) s->judged[w]);
  out->p_cc = 1 - out->m_c;
  out->p_ww = 1 - out->m_w;

  out->delayed_packet_ratio
      = ratio ((gdouble) s->delayed, (gdouble) s->arrived);
  out->queue_ms_p50 = queue_percentile (s, 50);
  out->queue_ms_p95 = queue_percentile (s, 95);
  out->cov = throughput_cov (s, now);
}

/* 003 5.2 prints the denominator's sum as i = 1..2; Chiu and Jain 1989, which
 * it cites, sum to n. */
gdouble
ra_jain (const gdouble *x, guint n)
{
  gdouble sum = 0, squares = 0;

  for (guint i = 0; i < n; i++) {
    sum += x[i];
    squares += x[i] * x[i];
  }
  return ratio (sum * sum, n * squares);
}

gdouble
ra_cov (const gdouble *x, guint n)
{
  gdouble mean = 0, squares = 0;

  if (n < 2)
    return 0;
  for (guint i = 0; i < n; i++)
    mean += x[i];
  mean /= n;
  for (guint i = 0; i < n; i++)
    squares += (x[i] - mean) * (x[i] - mean);
  return ratio (sqrt (squares / (n - 1)), mean);
}
