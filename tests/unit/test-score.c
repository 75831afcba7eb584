/* The metrics against hand calculations.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <gst/rtpadapt/score/score.h>

#include <math.h>

#include "../rows.h"

#define C RA_CAUSE_CONGESTION
#define W RA_CAUSE_WIRELESS
#define NONE RA_CAUSE_NONE
#define MS(ms) ((ms) *RA_MSECOND)
#define S(s) ((s) *RA_SECOND)

typedef enum
{
  END, /* the default: nothing more */
  SENT,
  ARRIVED,
  LOST,
  VERDICT,
  CAPACITY,
} What;

/* `n` (0: one) of the same, the first at `at`, then `every`. */
typedef struct
{
  What what;
  RaSpan at;
  guint n;
  RaSpan every;
  guint size;
  RaSpan queued, more; /* ARRIVED: the first one's, what each next adds */
  RaCause truth, verdict;
  guint64 bps;
} Event;

typedef struct
{
  const gchar *name; /* ends the list */
  gsize offset;
  gboolean is_count; /* guint64, else gdouble */
  gdouble value;
} Expect;

#define VALUE(field, v)                                     \
  {                                                         \
#field, G_STRUCT_OFFSET(RaScoreResult, field), FALSE, v \
  }
#define COUNT(field, v)                                    \
  {                                                        \
#field, G_STRUCT_OFFSET(RaScoreResult, field), TRUE, v \
  }

typedef struct
{
  const gchar *name, *why;
  RaSpan start, warmup, end;
  Event events[11];
  Expect expect[13];
} Row;

static const Row rows[] = {
  /* 1000 + 100 packets of 8 kbit in 10 s: 880 kbit/s of 2 Mbit/s = .44, of
   * which 800 kbit/s arrive.  20 / (1000 + 100) = 2 / 110.  (100 + 20) / 1120 = 3 / 28. */
  { "throughput", "000 IV and VI-A, 003 5.2: what crossed the bottleneck",
      .end = S (10),
      .events
      = { { CAPACITY, 0, .bps = 2000000 }, { SENT, 0, 1120, MS (5), 1000 },
          { ARRIVED, MS (5), 1000, MS (9), 1000, RA_SPAN_NONE },
          { LOST, MS (6), 100, MS (90), 1000, .truth = W },
          { LOST, MS (7), 20, MS (90), 1000, .truth = C } },
      .expect = { VALUE (seconds, 10), VALUE (capacity_bps, 2e6),
          VALUE (throughput_bps, 880e3), VALUE (goodput_bps, 800e3),
          VALUE (utilisation, .44), COUNT (sent, 1120), COUNT (arrived, 1000),
          COUNT (congestion_losses, 20), COUNT (wireless_losses, 100),
          VALUE (congestion_loss, 2. / 110), VALUE (packet_loss_ratio, 3. / 28),
          VALUE (delayed_packet_ratio, 0) } },
  /* 1 lost of 4 sent. */
  { "unknown-cause", "a loss nobody knows the cause of is still a loss",
      .end = S (1),
      .events = { { SENT, 0, 4, MS (1), 100 }, { LOST, MS (9), 1, 0, 100 } },
      .expect = { VALUE (packet_loss_ratio, .25), VALUE (congestion_loss, 0),
          COUNT (congestion_losses, 0), COUNT (wireless_losses, 0),
          VALUE (throughput_bps, 0) } },
  /* 3 of 10, 5 of 20. */
  { "verdicts", "000 IV, 001: the share taken for the other kind", .end = S (1),
      .events = { { VERDICT, 0, 7, 1, .truth = C, .verdict = C },
          { VERDICT, 0, 3, 1, .truth = C, .verdict = W },
          { VERDICT, 0, 15, 1, .truth = W, .verdict = W },
          { VERDICT, 0, 5, 1, .truth = W, .verdict = C },
          { VERDICT, 0, 99, 1, .truth = NONE, .verdict = W },
          { VERDICT, 0, 99, 1, .truth = C, .verdict = NONE } },
      .expect = { VALUE (m_c, .3), VALUE (m_w, .25), VALUE (p_cc, .7),
          VALUE (p_ww, .75), COUNT (judged_congestion, 10),
          COUNT (judged_wireless, 20) } },
  { "original-tfrc", "000 IV: M_c 0 % and M_w 100 %; 001 2: P[W|W] = 0",
      .end = S (1),
      .events = { { VERDICT, 0, 9, 1, .truth = C, .verdict = C },
          { VERDICT, 0, 4, 1, .truth = W, .verdict = C } },
      .expect
      = { VALUE (m_c, 0), VALUE (m_w, 1), VALUE (p_cc, 1), VALUE (p_ww, 0) } },
  { "omniscient", "000 IV: both 0 %", .end = S (1),
      .events = { { VERDICT, 0, 9, 1, .truth = C, .verdict = C },
          { VERDICT, 0, 4, 1, .truth = W, .verdict = W } },
      .expect = { VALUE (m_c, 0), VALUE (m_w, 0) } },
  { "no-losses", "nothing to mistake is no mistake", .end = S (1),
      .events = { { SENT, 0, 5, 1, 100 } },
      .expect = { VALUE (m_c, 0), VALUE (m_w, 0), COUNT (judged_congestion, 0),
          COUNT (judged_wireless, 0), VALUE (p_cc, 1), VALUE (p_ww, 1),
          VALUE (packet_loss_ratio, 0), VALUE (congestion_loss, 0),
          VALUE (delayed_packet_ratio, 0) } },
  /* Gaps 75 ms, 75 ms + 1 ns, 9 ms, 140 ms: 2 of 5 packets. */
  { "delayed", "003 algorithm 1: only what exceeds 75 ms is delayed",
      .end = S (1),
      .events = { { ARRIVED, MS (100), 2, MS (75), 100, RA_SPAN_NONE },
          { ARRIVED, MS (250) + 1, 1, 0, 100, RA_SPAN_NONE },
          { ARRIVED, MS (259), 1, 0, 100, RA_SPAN_NONE },
          { ARRIVED, MS (399), 1, 0, 100, RA_SPAN_NONE } },
      .expect = { COUNT (arrived, 5), VALUE (delayed_packet_ratio, .4) } },
  { "delayed-first", "003 algorithm 1: packet 0 has no gap (i > 0)",
      .end = S (1),
      .events = { { ARRIVED, MS (900), 1, 0, 100, RA_SPAN_NONE } },
      .expect = { VALUE (delayed_packet_ratio, 0) } },
  /* Counted from 30 s: 2 of each kind, the third is early.  Capacity 4M for
   * 5 s and 2M for 5 s: 3M.  2 + 2 packets of 8 kbit in 10 s: 3200 bit/s. */
  { "warm-up", "nothing before start + warm-up counts, its end does",
      .start = S (10), .warmup = S (20), .end = S (40),
      .events = { { CAPACITY, S (10), .bps = 9000000 },
          { CAPACITY, S (25), .bps = 4000000 },
          { SENT, S (30) - 1, 3, 1, 1000 },
          { ARRIVED, S (30) - MS (80), 3, MS (80), 1000, MS (7) },
          { LOST, S (30) - 1, 3, 1, 1000, .truth = W },
          { VERDICT, S (30) - 1, 1, 0, .truth = C, .verdict = W },
          { VERDICT, S (30), 1, 0, .truth = C, .verdict = C },
          { CAPACITY, S (35), .bps = 2000000 } },
      .expect = { VALUE (seconds, 10), VALUE (capacity_bps, 3e6),
          COUNT (sent, 2), COUNT (arrived, 2), COUNT (wireless_losses, 2),
          VALUE (throughput_bps, 3200), VALUE (goodput_bps, 1600),
          VALUE (m_c, 0), VALUE (packet_loss_ratio, 1),
          /* 80 ms from 30 s to 30.08 s; the gap before 30 s is not ours. */
          VALUE (delayed_packet_ratio, .5), VALUE (queue_ms_p50, 7) } },
  { "during-warm-up", "asked too early there is nothing to say",
      .warmup = S (20), .end = S (19),
      .events = { { CAPACITY, 0, .bps = 1000000 },
          { ARRIVED, S (18), 9, 1, 1000, MS (1) } },
      .expect = { VALUE (seconds, 0), VALUE (capacity_bps, 0),
          VALUE (throughput_bps, 0), VALUE (utilisation, 0), COUNT (arrived, 0),
          VALUE (queue_ms_p95, 0), VALUE (cov, 0), VALUE (p_cc, 1) } },
  { "no-capacity", "unknown capacity: no utilisation", .end = S (1),
      .events = { { ARRIVED, 0, 5, 1, 1000, RA_SPAN_NONE } },
      .expect = { VALUE (capacity_bps, 0), VALUE (utilisation, 0),
          VALUE (throughput_bps, 40e3) } },
  { "late-capacity", "the mean is over the time it was known", .end = S (10),
      .events = { { CAPACITY, S (8), .bps = 2000000 } },
      .expect = { VALUE (capacity_bps, 2e6) } },
  { "outage", "2M for 5 s, nothing for 15 s: 500 kbit/s", .end = S (20),
      .events
      = { { CAPACITY, 0, .bps = 2000000 }, { CAPACITY, S (5), .bps = 0 } },
      .expect = { VALUE (capacity_bps, 500e3) } },
  /* Nearest rank: the 50th and the 95th of 1, 2 ... 100 ms. */
  { "queue", "percentiles are of the packets whose queue is known",
      .end = S (1),
      .events = { { ARRIVED, 0, 100, 1, 100, MS (1), MS (1) },
          { ARRIVED, 0, 50, 1, 100, RA_SPAN_NONE } },
      .expect = { VALUE (queue_ms_p50, 50), VALUE (queue_ms_p95, 95) } },
  /* ceil (.5 * 3) = 2nd, ceil (.95 * 3) = 3rd; 12.34 ms is in bin 12.3. */
  { "queue-few", "nearest rank of 3, in steps of 0.1 ms", .end = S (1),
      .events = { { ARRIVED, 0, 1, 0, 100, MS (1) },
          { ARRIVED, 1, 1, 0, 100, 12340000 },
          { ARRIVED, 2, 1, 0, 100, 12350000 } },
      .expect = { VALUE (queue_ms_p50, 12.3), VALUE (queue_ms_p95, 12.4) } },
  { "queue-range", "0 to 10 s, whatever we are told", .end = S (1),
      .events = { { ARRIVED, 0, 1, 0, 100, -MS (5) },
          { ARRIVED, 1, 1, 0, 100, G_MAXINT64 } },
      .expect = { VALUE (queue_ms_p50, 0), VALUE (queue_ms_p95, 10000) } },
  /* 1000, 3000, 2000 bytes: mean 2000, deviation sqrt (2e6 / 2) = 1000. */
  { "cov", "004 4.5: 1 s bins; the one that has just begun is left out",
      .end = S (4) - 1,
      .events = { { ARRIVED, S (0), 1, 0, 1000, RA_SPAN_NONE },
          { ARRIVED, S (1), 1, 0, 2000, RA_SPAN_NONE },
          { LOST, S (2) - 1, 1, 0, 1000, .truth = W },
          { LOST, S (2) - 1, 1, 0, 9000, .truth = C },
          { ARRIVED, S (2), 1, 0, 2000, RA_SPAN_NONE },
          { ARRIVED, S (3), 1, 0, 9000, RA_SPAN_NONE } },
      .expect = { VALUE (cov, .5) } },
  /* 2000 and 0: mean 1000, deviation sqrt (2e6 / 1). */
  { "cov-silence", "a second without packets is a second of 0", .end = S (2),
      .events = { { ARRIVED, 0, 2, 1, 1000, RA_SPAN_NONE } },
      .expect = { VALUE (cov, G_SQRT2) } },
  { "cov-steady", "no variation", .end = S (60),
      .events = { { ARRIVED, 0, 600, MS (100), 1237, RA_SPAN_NONE } },
      .expect = { VALUE (cov, 0) } },
};

static void
play (RaScore *s, const Event *e, RaTime origin)
{
  for (guint i = 0; i < MAX (e->n, 1); i++) {
    RaTime now = origin + (RaTime) e->at + i * (RaTime) e->every;

    switch (e->what) {
      case SENT:
        ra_score_sent (s, e->size, now);
        break;
      case ARRIVED:
        ra_score_arrived (s, e->size, e->queued + i * e->more, now);
        break;
      case LOST:
        ra_score_lost (s, e->size, e->truth, now);
        break;
      case VERDICT:
        ra_score_verdict (s, e->verdict, e->truth, now);
        break;
      case CAPACITY:
        ra_score_capacity (s, e->bps, now);
        break;
      case END:
        g_assert_not_reached ();
    }
  }
}

static void
check_row (const Row *row, RaTime origin)
{
  RaScore *s = ra_score_new (origin + (RaTime) row->start, row->warmup);
  RaScoreResult result;

  for (const Event *e = row->events; e->what != END; e++)
    play (s, e, origin);
  ra_score_get (s, origin + (RaTime) row->end, &result);
  for (const Expect *x = row->expect; x->name; x++) {
    gconstpointer field = (const guint8 *) &result + x->offset;
    gdouble got = x->is_count ? (gdouble) * (const guint64 *) field
                              : *(const gdouble *) field;

    if (!(fabs (got - x->value) <= 1e-9 * MAX (1, fabs (x->value))))
      g_error (
          "%s: %.12g instead of %.12g: %s", x->name, got, x->value, row->why);
  }
  ra_score_free (s);
}

static void
test_row (gconstpointer data)
{
  check_row (&rows[GPOINTER_TO_UINT (data)], 0);
  check_row (&rows[GPOINTER_TO_UINT (data)],
      1700000000 * (RaTime) RA_SECOND); /* a wall clock's time */
}

static const struct
{
  const gchar *why;
  guint n;
  gdouble x[8], jain, cov;
} lists[] = {
  { "no flow", 0, { 0 }, 0, 0 },
  { "one flow is fair to itself", 1, { 7 }, 1, 0 },
  { "nothing sent", 3, { 0 }, 0, 0 },
  { "equal shares", 4, { 5, 5, 5, 5 }, 1, 0 },
  /* 100 / (4 * 100); mean 2.5, squares 56.25 + 3 * 6.25 = 75, sqrt 25 = 5 */
  { "one of four has all: 1 / n", 4, { 0, 10, 0, 0 }, .25, 2 },
  /* 36 / (3 * 14); mean 2, sqrt (2 / 2) = 1.  With the sum to 2 that 003
   * prints it were 36 / (3 * 5), above 1. */
  { "the sum goes to n", 3, { 1, 2, 3 }, 6. / 7, .5 },
  /* 40^2 / (8 * 232); mean 5, squares 32, sqrt (32 / 7) / 5 */
  { "deviation is over n - 1", 8, { 2, 4, 4, 4, 5, 5, 7, 9 }, 1600. / 1856,
      .42761798705987892 },
};

static void
test_lists (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (lists); i++) {
    gdouble scaled[8];

    for (guint j = 0; j < 8; j++)
      scaled[j] = lists[i].x[j] * 1e6;
    g_test_message ("%s", lists[i].why);
    g_assert_cmpfloat_with_epsilon (
        ra_jain (lists[i].x, lists[i].n), lists[i].jain, 1e-12);
    g_assert_cmpfloat_with_epsilon (
        ra_jain (scaled, lists[i].n), lists[i].jain, 1e-12);
    g_assert_cmpfloat_with_epsilon (
        ra_cov (lists[i].x, lists[i].n), lists[i].cov, 1e-12);
    g_assert_cmpfloat_with_epsilon (
        ra_cov (scaled, lists[i].n), lists[i].cov, 1e-12);
  }
}

/* A clock that jumps must not make us allocate the time in between. */
static void
test_far_future (void)
{
  RaScore *s = ra_score_new (0, 0);
  RaScoreResult result;

  ra_score_arrived (s, 1000, 0, 0);
  ra_score_arrived (s, 1000, 0, RA_TIME_NONE - 1);
  ra_score_get (s, RA_TIME_NONE - 1, &result);
  g_assert_cmpuint (result.arrived, ==, 2);
  ra_score_free (s);
}

void
tests_add (void)
{
  rows_add_by ("/score", rows, name, test_row);
  g_test_add_func ("/score/jain-cov", test_lists);
  g_test_add_func ("/score/far-future", test_far_future);
}
