/* Loss differentiation: decision tables, by hand from the papers.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A row feeds steps and looks at the last one.  Times are in us, with the ns
 * written as decimals, so that a border can be met exactly and missed by 1 ns.
 */
#include "../main.h"
#include "../observed.h"

#include <gst/rtpadapt/lda.h>

#include <math.h>
#include <string.h>

#define C RA_CAUSE_CONGESTION
#define W RA_CAUSE_WIRELESS
#define SIZE 1000
#define STEPS 8

typedef struct
{
  guint times;      /* repeated; 0 ends the steps */
  guint n_lost;     /* before each */
  gdouble iat;      /* us */
  gdouble rott;     /* us */
  guint size, lost; /* bytes; 0: SIZE, and SIZE for each of n_lost */
  gdouble grain;    /* us */
} Step;

typedef struct
{
  const gchar *lda, *params;
  Step steps[STEPS];
  RaCause verdict;     /* of the last step; NONE: not looked at */
  const gchar *letter; /* what observe() must say in the end, or NULL */
  gdouble value;
  const gchar *why;
} Row;

/* Cen 2003, III-A.  P: T_min becomes 10 ms. */
#define P          \
  { 1, 0, 0, 0 },  \
  {                \
    1, 0, 10000, 0 \
  }
static const Row biaz_rows[] = {
  { "biaz", "paper", { P, { 1, 1, 19999.999, 0 } }, C, NULL, 0,
      "n = 1: below 2 T_min" },
  { "biaz", "paper", { P, { 1, 1, 20000, 0 } }, W, NULL, 0,
      "n = 1: 2 T_min is in" },
  { "biaz", "paper", { P, { 1, 1, 29999.999, 0 } }, W, NULL, 0,
      "n = 1: just below 3 T_min" },
  { "biaz", "paper", { P, { 1, 1, 30000, 0 } }, C, NULL, 0,
      "n = 1: 3 T_min is out" },
  { "biaz", "paper", { P, { 1, 3, 39999.999, 0 } }, C, NULL, 0,
      "n = 3: below 4 T_min" },
  { "biaz", "paper", { P, { 1, 3, 40000, 0 } }, W, NULL, 0,
      "n = 3: 4 T_min is in" },
  { "biaz", "paper", { P, { 1, 3, 50000, 0 } }, C, NULL, 0,
      "n = 3: 5 T_min is out" },
  { "biaz", "paper", { P, { 1, 1, 10000, 0 } }, C, NULL, 0,
      "the queue dropped it and sent on without a gap" },
  { "biaz", "paper",
      { { 1, 0, 0, 0 }, { 1, 0, 12000, 0 }, { 1, 0, 10000, 0 },
          { 1, 0, 15000, 0 }, { 1, 1, 20000, 0 } },
      W, "t_min", .01, "the smallest gap counts, not the latest" },
  { "biaz", "paper", { { 1, 0, 0, 0 }, { 1, 1, 20000, 0 } }, C, NULL, 0,
      "T_min is not known yet" },
  { "biaz", "paper", { { 1, 1, 0, 0 } }, C, NULL, 0, "the first packet" },
  { "mbiaz", "paper", { P, { 1, 1, 19999.999, 0 } }, C, NULL, 0,
      "n = 1: below 2 T_min" },
  { "mbiaz", "paper", { P, { 1, 1, 20000, 0 } }, W, NULL, 0,
      "n = 1: 2 T_min is in" },
  { "mbiaz", "paper", { P, { 1, 1, 22499.999, 0 } }, W, NULL, 0,
      "n = 1: just below 2.25 T_min" },
  { "mbiaz", "paper", { P, { 1, 1, 22500, 0 } }, C, NULL, 0,
      "n = 1: 2.25 T_min is out" },
  { "mbiaz", "paper", { P, { 1, 2, 30000, 0 } }, W, NULL, 0,
      "n = 2: 3 T_min is in" },
  { "mbiaz", "paper", { P, { 1, 2, 32500, 0 } }, C, NULL, 0,
      "n = 2: 3.25 T_min is out" },
  { "mbiaz", "paper", { P, { 1, 1, 20000, 0, 100, 1000 } }, W, NULL, 0,
      "the paper's T_min knows no sizes" },
};
#undef P

/* The defaults: 1,000 bytes every 4 ms, T_min = 4 us per byte after 13 packets
 * (52 ms, the first span).  n = 1 of 1,000 bytes: whole = 8 ms, one = 4 ms;
 * from 8 - .5 * 4 = 6 ms to 8 + .25 * 4 + 2 (jitter) = 11 ms.  The sender's gap
 * is iat less the growth of rott. */
#define P          \
  { 1, 0, 0, 0 },  \
  {                \
    13, 0, 4000, 0 \
  }
static const Row gap_rows[] = {
  { "mbiaz", "", { P, { 1, 1, 4000, -4000 } }, C, "t_min", 4e-6,
      "sent 8 ms apart, came 4 ms apart: dropped at the queue" },
  { "mbiaz", "", { P, { 1, 1, 5999.999, -2000.001 } }, C, NULL, 0,
      "less than half of the lost packet's time" },
  { "mbiaz", "", { P, { 1, 1, 6000, -2000 } }, W, NULL, 0, "half of it is in" },
  { "mbiaz", "", { P, { 1, 1, 10999.999, 2999.999 } }, W, NULL, 0,
      "just below the upper limit" },
  { "mbiaz", "", { P, { 1, 1, 11000, 3000 } }, C, NULL, 0,
      "the upper limit is out" },
  { "mbiaz", "", { P, { 1, 1, 11249.999, 3249.999, 0, 0, 250 } }, W, NULL, 0,
      "stamps of 250 us move it by as much" },
  { "mbiaz", "", { P, { 1, 1, 11250, 3250, 0, 0, 250 } }, C, NULL, 0,
      "and no more" },
  { "biaz", "", { P, { 1, 1, 13999.999, 5999.999 } }, W, NULL, 0,
      "Biaz: 8 + 4 + 2 ms" },
  { "biaz", "", { P, { 1, 1, 14000, 6000 } }, C, NULL, 0,
      "Biaz: the upper limit is out" },
  { "mbiaz", "", { P, { 1, 1, 40000, 0 } }, W, NULL, 0,
      "the sender paused for 40 ms, the path did not" },
  { "mbiaz", "pause=0", { P, { 1, 1, 40000, 0 } }, C, NULL, 0,
      "without allowing for pauses it is late" },
  { "mbiaz", "", { P, { 1, 1, 40000, 32000 } }, C, NULL, 0,
      "sent 8 ms apart, came 40 ms apart" },
  /* A packet of 200 came before: this one crosses in 3.2 ms more.  Sent 20 ms
   * apart: up to 20 + 3.2 + 1 + 2 = 26.2 ms. */
  { "mbiaz", "", { P, { 1, 0, 4000, 0, 200 }, { 1, 1, 26199.999, 6199.999 } },
      W, NULL, 0, "a pause, and a larger packet behind it" },
  { "mbiaz", "", { P, { 1, 0, 4000, 0, 200 }, { 1, 1, 26200, 6200 } }, C, NULL,
      0, "a pause, a larger packet, and a queue" },
  /* lost 200: whole = 4.8, one = .8; from 4.4 ms on. */
  { "mbiaz", "", { P, { 1, 1, 4399.999, 0, 1000, 200 } }, C, NULL, 0,
      "a small packet is missing: below 4.4 ms" },
  { "mbiaz", "", { P, { 1, 1, 4400, 0, 1000, 200 } }, W, NULL, 0,
      "a small packet is missing: from 4.4 ms on" },
  /* lost 1,000, then 200: whole = 4.8, one = 4; from 2.8 ms on. */
  { "mbiaz", "", { P, { 1, 1, 2799.999, 0, 200, 1000 } }, C, NULL, 0,
      "a small packet follows: below 2.8 ms" },
  { "mbiaz", "", { P, { 1, 1, 2800, 0, 200, 1000 } }, W, NULL, 0,
      "a small packet follows: from 2.8 ms on" },
  /* n = 2: whole = 12, from 10 ms: two of three is not enough. */
  { "mbiaz", "", { P, { 1, 2, 8000, 0 } }, C, NULL, 0,
      "one of two dropped, one lost to the radio" },
  { "mbiaz", "", { P, { 1, 2, 12000, 0 } }, W, NULL, 0, "both on the radio" },
  /* One packet 6 ms late; the two behind it wait for it and come at once. */
  { "mbiaz", "",
      { P, { 5, 0, 4000, 0 }, { 1, 0, 10000, 6000 }, { 1, 0, 500, 2500 },
          { 1, 0, 1500, 0 }, { 5, 0, 4000, 0 } },
      RA_CAUSE_NONE, "t_min", 4e-6, "a late wake-up does not spoil T_min" },
  { "mbiaz", "", { P, { 13, 1, 4000, 0 } }, RA_CAUSE_NONE, "t_min", 4e-6,
      "nor do dropped packets, which took no time" },
  { "mbiaz", "", { { 1, 0, 0, 0 }, { 50, 0, 1000, 0 }, { 1, 1, 2000, 0 } }, C,
      "t_min", 1e-6, "jitter of 2 ms hides gaps of 1 ms: unsure" },
  { "mbiaz", "jitter=.5ms",
      { { 1, 0, 0, 0 }, { 50, 0, 1000, 0 }, { 1, 1, 2000, 0 } }, W, "t_min",
      1e-6, "a better clock" },
};
#undef P

/* Cen 2003, III-B.  P: rott_min = 0, rott_max = 100 ms, in the spike state;
 * B_spikestart = 50 ms, B_spikeend = 33.333 ms.  Q: and out of it again. */
#define P               \
  { 1, 0, 0, 0 },       \
  {                     \
    1, 0, 10000, 100000 \
  }
#define Q              \
  P,                   \
  {                    \
    1, 0, 10000, 20000 \
  }
static const Row spike_rows[] = {
  { "spike", "paper", { Q, { 1, 1, 10000, 50000 } }, W, "spike", 0,
      "a spike starts above B_spikestart, not at it" },
  { "spike", "paper", { Q, { 1, 1, 10000, 50000.001 } }, C, "spike", 1,
      "above B_spikestart" },
  { "spike", "paper", { Q, { 1, 1, 10000, 40000 } }, W, NULL, 0,
      "between the thresholds, coming from below" },
  { "spike", "paper", { P, { 1, 1, 10000, 40000 } }, C, NULL, 0,
      "between the thresholds, coming from above" },
  { "spike", "paper", { P, { 1, 1, 10000, 33333.334 } }, C, NULL, 0,
      "not yet below B_spikeend" },
  { "spike", "paper", { P, { 1, 1, 10000, 33333.333 } }, W, NULL, 0,
      "below B_spikeend" },
  { "spike", "paper,beta=.25", { P, { 1, 1, 10000, 25000 } }, C, NULL, 0,
      "a spike ends below B_spikeend, not at it" },
  { "spike", "paper,beta=.25", { P, { 1, 1, 10000, 24999.999 } }, W, NULL, 0,
      "just below B_spikeend" },
  { "spike", "paper", { Q, { 1, 0, 10000, -100000 }, { 1, 1, 10000, 0 } }, W,
      "rott_min", -.1, "-100..100: 0 is at B_spikestart, not above" },
  { "spike", "paper", { Q, { 1, 1, 10000, 200000 } }, C, "rott_max", .2,
      "a new maximum" },
  { "spike", "paper", { { 1, 1, 0, 0 } }, C, NULL, 0, "the first packet" },
  { "spike", "paper", { { 1, 0, 0, 0 }, { 1, 1, 1000, 1000 } }, C, NULL, 0,
      "the paper: a range of 1 ms is a range" },
  { "spike", "", { { 1, 0, 0, 0 }, { 1, 1, 1000, 1000 } }, W, NULL, 0,
      "default: 1 ms is noise" },
  { "spike", "", { { 1, 0, 0, 0 }, { 1, 1, 1000, 10000 } }, W, NULL, 0,
      "default: 10 ms, half of min-range, is not above it" },
  { "spike", "", { { 1, 0, 0, 0 }, { 1, 1, 1000, 10000.001 } }, C, NULL, 0,
      "default: above half of min-range" },
  /* -150..100 would be a range of 250 ms, whose half 70 ms are not above. */
  { "spike", "", { Q, { 1, 0, 10000, -150000 }, { 1, 1, 10000, -80000 } }, C,
      NULL, 0, "a clock set back by 150 ms: the range begins again" },
  /* 10 s later 0 and 100 are forgotten: 60..70, thresholds 65 and 63.3. */
  { "spike", "paper,window=4s,base-window=4s",
      { P, { 1, 0, 1e7, 60000 }, { 1, 0, 1000, 70000 }, { 1, 0, 1000, 62000 },
          { 1, 1, 1000, 64000 } },
      W, "rott_min", .06, "the extremes age" },
  { "spike", "paper",
      { P, { 1, 0, 1e7, 60000 }, { 1, 0, 1000, 70000 }, { 1, 0, 1000, 62000 },
          { 1, 1, 1000, 64000 } },
      C, "rott_min", 0, "the paper's do not" },
};
#undef P
#undef Q

/* Cen 2003, III-C, alpha = 1/32.  P: 0, then 32 ms:
 *   mean = 31/32 * 0 + 1/32 * 32 = 1 ms
 *   dev = 30/32 * 0 + 2/32 * |32 - 1| = 1.9375 ms, with the new mean
 * so the bars are n = 1: -.9375, n = 2: .03125, n = 3: 1, n > 3: .03125 ms. */
#define P              \
  { 1, 0, 0, 0 },      \
  {                    \
    1, 0, 10000, 32000 \
  }
static const Row zigzag_rows[] = {
  { "zigzag", "paper", { P }, RA_CAUSE_NONE, "rott_mean", .001, "mean" },
  { "zigzag", "paper", { P }, RA_CAUSE_NONE, "rott_dev", .0019375, "dev" },
  { "zigzag", "paper", { { 1, 0, 0, 0 }, { 1, 0, 10000, -32000 } },
      RA_CAUSE_NONE, "rott_dev", .0019375, "the deviation is absolute" },
  { "zigzag", "paper,witness=1", { P, { 1, 1, 10000, -937.5 } }, C, NULL, 0,
      "n = 1: mean - dev is out" },
  { "zigzag", "paper,witness=1", { P, { 1, 1, 10000, -937.501 } }, W, NULL, 0,
      "n = 1: below mean - dev" },
  { "zigzag", "paper,witness=1", { P, { 1, 2, 10000, 31.25 } }, C, NULL, 0,
      "n = 2: mean - dev / 2 is out" },
  { "zigzag", "paper,witness=1", { P, { 1, 2, 10000, 31.249 } }, W, NULL, 0,
      "n = 2: below mean - dev / 2" },
  { "zigzag", "paper,witness=1", { P, { 1, 3, 10000, 1000 } }, C, NULL, 0,
      "n = 3: the mean is out" },
  { "zigzag", "paper,witness=1", { P, { 1, 3, 10000, 999.999 } }, W, NULL, 0,
      "n = 3: below the mean" },
  { "zigzag", "paper,witness=1", { P, { 1, 4, 10000, 31.25 } }, C, NULL, 0,
      "n = 4: mean - dev / 2 is out" },
  { "zigzag", "paper,witness=1", { P, { 1, 4, 10000, 31.249 } }, W, NULL, 0,
      "n = 4: below mean - dev / 2" },
  { "zigzag", "paper,witness=1", { P, { 1, 100, 10000, 31.249 } }, W, NULL, 0,
      "n = 100: as 4" },
  { "zigzag", "paper,witness=1,many=1", { P, { 1, 4, 10000, 1968.75 } }, C,
      NULL, 0, "n = 4, the prose: 1 + 1.9375 / 2 ms is out" },
  { "zigzag", "paper,witness=1,many=1", { P, { 1, 4, 10000, 1968.749 } }, W,
      NULL, 0, "n = 4, the prose: below mean + dev / 2" },
  { "zigzag", "paper,witness=1,many=1", { P, { 1, 3, 10000, 1000 } }, C, NULL,
      0, "the prose changes nothing up to three" },
  /* P_i at -1 ms: mean = 31/32 - 1/32 = .9375, dev = 30/32 * 1.9375 + 2/32 *
   * |-1 - .9375| = 1.9375, mean - dev = -1 ms: at the bar.  At 1 ms: mean = 1.
   * The packet behind, an hour late or early, is not asked. */
  { "zigzag", "paper", { P, { 1, 0, 10000, -1000 }, { 1, 1, 10000, -3.6e9 } },
      C, NULL, 0, "P_i, n = 1: mean - dev is out" },
  { "zigzag", "paper", { P, { 1, 0, 10000, -1000.01 }, { 1, 1, 10000, 3.6e9 } },
      W, NULL, 0, "P_i, n = 1: below mean - dev" },
  { "zigzag", "paper", { P, { 1, 0, 10000, 1000 }, { 1, 3, 10000, -3.6e9 } }, C,
      NULL, 0, "P_i, n = 3: the mean is out" },
  { "zigzag", "paper", { P, { 1, 0, 10000, 999.99 }, { 1, 3, 10000, 3.6e9 } },
      W, NULL, 0, "P_i, n = 3: below the mean" },
  { "zigzag", "", { P, { 1, 0, 10000, 999.99 }, { 1, 3, 10000, 3.6e9 } }, W,
      NULL, 0, "and so by default" },
  { "zigzag", "paper", { { 1, 1, 0, -5000 } }, C, NULL, 0, "the first packet" },
};
#undef P

/* Cen 2003, VII-A; schemes: 0 ZigZag, 1 mBiaz, 2 Spike.  60 packets outlast the
 * lock.  A constant gap c, then one of m = T_min:
 *   T_avg = .875 c + .125 m, T_narr = .875 c / m + .125
 * c = 11, m = 7 ms: 10.5 / 7 = 1.5;  c = 15, m = 7 ms: 14 / 7 = 2.
 * Losses at c = m = 8 ms: 8 / 2 = 4 gives T_avg = 7.5 ms, then 10.5 / 3 = 3.5
 * gives 6.5625 + .4375 = 7 ms = .875 * 8.
 * rott is 0 once, then 9 ms, well above rott_min + .05 T_min. */
#define P(c)       \
  { 1, 0, 0, 0 },  \
  {                \
    60, 0, c, 9000 \
  }
static const Row zbs_rows[] = {
  { "zbs", "paper", { P (11000), { 1, 0, 7000, 9000 } }, RA_CAUSE_NONE,
      "t_narr", 1.5, "T_narr" },
  { "zbs", "paper,lock-packets=0", { P (11000), { 1, 0, 7000, 9000 } },
      RA_CAUSE_NONE, "scheme", 0, "T_narr = 1.5 is ZigZag's" },
  { "zbs", "paper,lock-packets=0", { P (11000), { 1, 0, 7000.001, 9000 } },
      RA_CAUSE_NONE, "scheme", 1, "just below 1.5 is mBiaz's" },
  { "zbs", "paper,lock-packets=0", { P (15000), { 1, 0, 7000, 9000 } },
      RA_CAUSE_NONE, "scheme", 2, "T_narr = 2 is Spike's" },
  { "zbs", "paper,lock-packets=0", { P (15000), { 1, 0, 7000.001, 9000 } },
      RA_CAUSE_NONE, "scheme", 0, "just below 2 is ZigZag's" },
  { "zbs", "paper",
      { { 1, 0, 0, 0 }, { 20, 0, 15000, 9000 }, { 1, 0, 7000, 9000 },
          { 1, 0, 7000, 9000 }, { 60, 0, 12250, 9000 } },
      RA_CAUSE_NONE, "scheme", 0, "12.25 / 7 = 1.75 is ZigZag's" },
  { "zbs", "paper,lock-packets=0",
      { P (8000), { 1, 1, 8000, 9000 }, { 1, 2, 10500, 9000 } }, RA_CAUSE_NONE,
      "scheme", 1, "T_narr = .875 is mBiaz's" },
  { "zbs", "paper",
      { P (8000), { 1, 1, 8000, 9000 }, { 1, 2, 10499.997, 9000 } },
      RA_CAUSE_NONE, "scheme", 1, "but a scheme stays for 50 packets" },
  { "zbs", "paper,lock-packets=0",
      { P (8000), { 1, 1, 8000, 9000 }, { 1, 2, 10499.997, 9000 } },
      RA_CAUSE_NONE, "scheme", 0, "just below .875 is ZigZag's" },
  /* .05 T_min = .4 ms. */
  { "zbs", "paper,lock-packets=0", { P (8000), { 1, 0, 8000, 400 } },
      RA_CAUSE_NONE, "scheme", 1, "rott_min + .05 T_min is not below it" },
  { "zbs", "paper,lock-packets=0", { P (8000), { 1, 0, 8000, 399.999 } },
      RA_CAUSE_NONE, "scheme", 2, "below rott_min + .05 T_min" },
  /* The lock; rott = rott_min throughout, so that the rule says Spike. */
  { "zbs", "paper", { { 1, 0, 0, 0 } }, RA_CAUSE_NONE, "scheme", 0,
      "it starts with ZigZag" },
  { "zbs", "paper", { { 1, 0, 0, 0 }, { 49, 0, 1000, 0 } }, RA_CAUSE_NONE,
      "scheme", 0, "ZigZag has its 50 packets" },
  { "zbs", "paper", { { 1, 0, 0, 0 }, { 50, 0, 1000, 0 } }, RA_CAUSE_NONE,
      "scheme", 2, "the next one is free" },
  { "zbs", "paper",
      { { 1, 0, 0, 0 }, { 2, 0, 1e6, 0 }, { 1, 0, 999999.999, 0 } },
      RA_CAUSE_NONE, "scheme", 0, "not yet 3 s" },
  { "zbs", "paper", { { 1, 0, 0, 0 }, { 3, 0, 1e6, 0 } }, RA_CAUSE_NONE,
      "scheme", 2, "3 s come before 50 packets" },
  { "zbs", "paper",
      { { 1, 0, 0, 0 }, { 50, 0, 8000, 0 }, { 49, 0, 8000, 9000 } },
      RA_CAUSE_NONE, "scheme", 2, "Spike has its 50 packets too" },
  { "zbs", "paper",
      { { 1, 0, 0, 0 }, { 50, 0, 8000, 0 }, { 50, 0, 8000, 9000 } },
      RA_CAUSE_NONE, "scheme", 1, "then mBiaz" },
  { "zbs", "paper",
      { { 1, 0, 0, 0 }, { 120, 0, 8000, 0 }, { 1, 0, 8000, 9000 } },
      RA_CAUSE_NONE, "scheme", 1, "an expired lock does not begin again" },
  /* Verdicts: with mBiaz at T_min = 8 ms, 16 ms is wireless, 8 is not. */
  { "zbs", "paper", { P (8000), { 1, 1, 16000, 9000 } }, W, "scheme", 1,
      "mBiaz judges: 2 T_min" },
  { "zbs", "paper", { P (8000), { 1, 1, 18000, 9000 } }, C, "scheme", 1,
      "mBiaz judges: 2.25 T_min" },
  { "zbs", "paper", { { 1, 0, 0, 0 }, { 60, 0, 8000, 0 }, { 1, 1, 8000, 0 } },
      W, "scheme", 2, "Spike judges: no spike" },
  { "zbs", "paper", { { 1, 0, 0, 0 }, { 60, 0, 8000, 0 }, { 1, 1, 8000, 1 } },
      C, "scheme", 2, "Spike judges: the paper's range is 1 us" },
  { "zbs", "", { { 1, 0, 0, 0 }, { 60, 0, 8000, 0 }, { 1, 1, 8000, 1 } }, W,
      "scheme", 2, "default: that is noise" },
  /* near T_min + slack = 8 + 5 ms above rott_min, for 50 ms (7 packets). */
  { "zbs", "lock-packets=0",
      { P (8000), { 9, 0, 8000, 13000 }, { 1, 1, 8000, 12999.999 } },
      RA_CAUSE_NONE, "scheme", 2, "default: below 13 ms the queue is empty" },
  { "zbs", "lock-packets=0", { P (8000), { 6, 0, 8000, 13000 } }, RA_CAUSE_NONE,
      "scheme", 2, "default: a queue of 48 ms ago may be a late wake-up" },
  { "zbs", "lock-packets=0", { P (8000), { 7, 0, 8000, 13000 } }, RA_CAUSE_NONE,
      "scheme", 1, "default: a queue of 56 ms stands" },
  { "zbs", "", { { 1, 0, 0, 0 }, { 90, 0, 1000, 0 }, { 90, 0, 1000, 80000 } },
      RA_CAUSE_NONE, "scheme", 2, "default: gaps of 1 ms tell nothing" },
  { "zbs", "paper", { P (8000) }, RA_CAUSE_NONE, "t_min", .008,
      "a scheme not in use learns too: mBiaz" },
  { "zbs", "paper", { P (8000) }, RA_CAUSE_NONE, "rott_max", .009,
      "a scheme not in use learns too: Spike" },
};
#undef P

static const Row none_rows[] = {
  { "none", "", { { 9, 0, 8000, 0 }, { 1, 1, 16000, 0 } }, C, NULL, 0,
      "every loss is congestion" },
  { "omniscient", "", { { 9, 0, 8000, 0 }, { 1, 1, 16000, 0 } }, C, NULL, 0,
      "nobody knows the truth" },
};

static RaSpan
ns (gdouble us)
{
  return (RaSpan) llround (us * 1000);
}

static void
test_row (gconstpointer data)
{
  const Row *row = data;
  g_autoptr (RaLda) lda
      = ra_lda_new (ra_lda_find (row->lda), row->params, NULL);
  RaArrival a = { .arrival = 1000 * RA_SECOND, .iat = RA_SPAN_NONE };
  RaCause verdict = RA_CAUSE_NONE;

  g_test_message ("%s %s: %s", row->lda, row->params, row->why);
  for (const Step *s = row->steps; s < row->steps + STEPS; s++) {
    for (guint i = 0; i < s->times; i++) {
      if (a.seq > 0) {
        a.iat = ns (s->iat);
        a.arrival += (RaTime) a.iat;
      }
      a.n_lost = s->n_lost;
      a.seq += s->n_lost + 1;
      a.size = s->size ? s->size : SIZE;
      a.bytes_lost = s->lost ? s->lost : SIZE * s->n_lost;
      a.rott = ns (s->rott);
      a.grain = ns (s->grain);
      verdict = ra_lda_on_packet (lda, &a);
    }
  }
  if (row->verdict)
    g_assert_cmpstr (ra_cause_nick (verdict), ==, ra_cause_nick (row->verdict));
  if (row->letter)
    g_assert_cmpfloat_with_epsilon (
        observed (ra_lda_observe, lda, row->letter), row->value, 1e-12);
}

/* Even numbers were lost to the radio, odd ones to congestion; 100 and more
 * are unknown. */
static RaCause
truth (guint64 seq, gpointer data)
{
  if (seq >= 100)
    return RA_CAUSE_NONE;
  return seq % 2 ? RA_CAUSE_CONGESTION : RA_CAUSE_WIRELESS;
}

static void
test_omniscient (void)
{
  static const struct
  {
    guint64 seq;
    guint n_lost;
    RaCause hole, first; /* of the hole, and of its first packet */
    const gchar *why;
  } rows[] = {
    { 5, 1, W, W, "4 was lost to the radio" },
    { 6, 1, C, C, "5 was lost to congestion" },
    { 6, 2, C, W, "4 and 5: one is enough" },
    { 7, 2, C, C, "5 and 6: one is enough" },
    { 101, 1, C, C, "unknown is congestion" },
    { 101, 3, C, W, "98, 99 and an unknown one" },
  };
  g_autoptr (RaLda) lda = ra_lda_new (ra_lda_find ("omniscient"), NULL, NULL);

  ra_lda_set_truth (lda, truth, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    RaArrival a = { .seq = rows[i].seq, .n_lost = rows[i].n_lost };
    RaCause hole = ra_lda_on_packet (lda, &a);

    g_test_message ("%s", rows[i].why);
    g_assert_cmpint (hole, ==, rows[i].hole);
    g_assert_cmpint (
        ra_lda_on_missing (lda, &a, a.seq - a.n_lost, hole), ==, rows[i].first);
  }
  ra_lda_reset (lda);
  g_assert_true (lda->truth == truth); /* kept, as lda.h says */
}

static void
test_registry (void)
{
  GError *error = NULL;

  g_assert_null (ra_lda_find ("no-such"));
  for (guint i = 0; ra_ldas[i]; i++) {
    g_assert_true (ra_lda_find (ra_ldas[i]->name) == ra_ldas[i]);
    g_assert_null (ra_lda_new (ra_ldas[i], "no-such=1", &error));
    g_assert_error (error, RA_PARAM_ERROR, RA_PARAM_ERROR_UNKNOWN);
    g_clear_error (&error);
  }
}

static void
add_rows (const gchar *table, const Row *rows, guint n)
{
  for (guint i = 0; i < n; i++) {
    g_autofree gchar *path = g_strdup_printf ("/lda/%s/%02u", table, i + 1);

    g_test_add_data_func (path, &rows[i], test_row);
  }
}

void
tests_add (void)
{
  add_rows ("biaz", biaz_rows, G_N_ELEMENTS (biaz_rows));
  add_rows ("gap", gap_rows, G_N_ELEMENTS (gap_rows));
  add_rows ("spike", spike_rows, G_N_ELEMENTS (spike_rows));
  add_rows ("zigzag", zigzag_rows, G_N_ELEMENTS (zigzag_rows));
  add_rows ("zbs", zbs_rows, G_N_ELEMENTS (zbs_rows));
  add_rows ("none", none_rows, G_N_ELEMENTS (none_rows));
  g_test_add_func ("/lda/omniscient", test_omniscient);
  g_test_add_func ("/lda/registry", test_registry);
}
