/* Loss differentiation from RTT: decision tables, by hand from the papers.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A row feeds steps and looks at the last one.  Times are in ms, with the ns
 * written as decimals, so that a border can be met exactly and missed by 1 ns.
 */
#include "../rows.h"
#include "../observed.h"

#include <gst/rtpadapt/lda/delay.h>

#include <math.h>

#define C RA_CAUSE_CONGESTION
#define W RA_CAUSE_WIRELESS
#define STEPS 8
#define SIZE 1000

typedef struct
{
  guint times;        /* repeated; 0 ends the steps */
  guint n_lost;       /* before each */
  gdouble delay;      /* rtt_sample, or rott where there is none; ms */
  gdouble r;          /* the sender's R, ms */
  guint size;         /* bytes; 0: SIZE */
  gdouble iat;        /* ms; 0: 10 */
  gboolean is_silent; /* the sender's rate is unknown */
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

/* Barman, Matta 2002, figure 1.  P: first ack, est_rtt = 112.8, MR = 56.4, so
 * 3 MR / 1.128 = 150: an outlier is above 262.8 ms.
 * OUT: an outlier for the first 17 times, for est_rtt starts 887.2 below 1000
 * and comes a tenth closer each time: 887.2 * .9^16 = 164.4, .9^17: 147.96.
 * IN: below est_rtt, never an outlier. */
#define P          \
  {                \
    1, 0, 112.8, 0 \
  }
#define OUT(n)    \
  {               \
    n, 0, 1000, 0 \
  }
#define IN(n)      \
  {                \
    n, 0, 112.8, 0 \
  }
static const Row flipflop_rows[] = {
  { "flipflop", "paper", { P }, RA_CAUSE_NONE, "est_rtt", .1128, "first ack" },
  { "flipflop", "paper", { P }, RA_CAUSE_NONE, "mr", .0564, "first ack" },
  { "flipflop", "paper", { P, { 1, 0, 262.8 } }, RA_CAUSE_NONE, "vector", 0,
      "est_rtt + 3 MR / d2 is no outlier" },
  { "flipflop", "paper", { P, { 1, 0, 262.800001 } }, RA_CAUSE_NONE, "vector",
      1, "above it is one" },
  /* .1 * 112.8 + .9 * 262.8; .875 * 56.4 + .125 * 150 */
  { "flipflop", "paper", { P, { 1, 0, 262.8 } }, RA_CAUSE_NONE, "est_rtt",
      .2478, "in control: the agile filter" },
  { "flipflop", "paper", { P, { 1, 0, 262.8 } }, RA_CAUSE_NONE, "mr", .0681,
      "in control: MR learns" },
  /* .9 * 112.8 + .1 * 300 */
  { "flipflop", "paper", { P, { 1, 0, 300 } }, RA_CAUSE_NONE, "est_rtt", .13152,
      "an outlier: the stable filter" },
  { "flipflop", "paper", { P, { 1, 0, 300 } }, RA_CAUSE_NONE, "mr", .0564,
      "an outlier: MR stays" },
  /* .1 * 131.52 + .9 * 120; .875 * 56.4 + .125 * 180 */
  { "flipflop", "paper", { P, { 1, 0, 300 }, { 1, 0, 120 } }, RA_CAUSE_NONE,
      "est_rtt", .121152, "back in control" },
  { "flipflop", "paper", { P, { 1, 0, 300 }, { 1, 0, 120 } }, RA_CAUSE_NONE,
      "mr", .07185, "adjacent samples: the outlier is last_rtt" },
  { "flipflop", "paper", { P, IN (1), OUT (1), IN (2) }, RA_CAUSE_NONE,
      "vector", 4, "the latest sample is bit 0" },
  /* #bits <= eta: wireless. */
  { "flipflop", "paper", { P, OUT (4), { 1, 1, 1000 } }, W, "outliers", 5,
      "5 outliers are not more than eta" },
  { "flipflop", "paper", { P, OUT (5), { 1, 1, 1000 } }, C, "outliers", 6,
      "6 outliers; the packet after the hole is one of them" },
  { "flipflop", "paper", { P, OUT (6), IN (3), { 1, 1, 112.8 } }, C, NULL, 0,
      "6 of the last 10" },
  { "flipflop", "paper", { P, OUT (6), IN (4), { 1, 1, 112.8 } }, W, NULL, 0,
      "the first of them is the 11th now" },
  { "flipflop", "paper,l=8,eta=4", { P, OUT (3), { 1, 1, 1000 } }, W, NULL, 0,
      "configuration 2: 4 outliers" },
  { "flipflop", "paper,l=8,eta=4", { P, OUT (4), { 1, 1, 1000 } }, C, NULL, 0,
      "configuration 2: 5 outliers" },
  { "flipflop", "paper,l=8,eta=4", { P, OUT (5), IN (3), { 1, 1, 112.8 } }, W,
      NULL, 0, "configuration 2: 4 of the last 8" },
  { "flipflop", "paper,l=64,eta=16", { P, OUT (20), IN (43), { 1, 1, 112.8 } },
      C, "outliers", 17, "all 64 bits: 17 + 3 + 44" },
  { "flipflop", "paper,l=64,eta=16", { P, OUT (20), IN (44), { 1, 1, 112.8 } },
      W, "outliers", 16, "and no 65th" },
  { "flipflop", "paper,l=1,eta=0", { P, { 1, 1, 1000 } }, C, NULL, 0,
      "one bit" },
  { "flipflop", "paper,l=1,eta=0", { P, OUT (1), { 1, 1, 112.8 } }, W, NULL, 0,
      "one bit, the last" },
  { "flipflop", "paper", { { 1, 1, 112.8 } }, C, NULL, 0, "the first packet" },
  { "flipflop", "paper", { P, { 1, 1, 112.8 } }, W, NULL, 0,
      "the second: vector = 0" },
  /* (187.8 - 112.8) / (262.8 - 112.8) = .5 */
  { "flipflop", "paper,guard=1", { P, { 1, 0, 262.8 }, { 1, 1, 187.8 } }, C,
      "vector", 0, "no outlier, but LD's qthresh" },
  { "flipflop", "paper,guard=1", { P, { 1, 0, 262.8 }, { 1, 1, 187.799999 } },
      W, "vector", 0, "below LD's qthresh" },
  { "flipflop", "paper", { P, { 1, 0, 262.8 }, { 1, 1, 187.8 } }, W, "vector",
      0, "the paper has no guard" },
  { "flipflop", "paper,guard=1", { P, OUT (6), { 1, 1, 112.8 } }, C, NULL, 0,
      "an empty queue, but outliers: the filter's own verdict stands" },
};
#undef P
#undef OUT
#undef IN

/* The same from ROTT; the offset is what it is.  P: R = 112.8, as above.
 * Q: MR is the first difference, 1.128: 3 MR / 1.128 = 3;
 * est = .1 * 0 + .9 * 1.128 = 1.0152. */
#define P             \
  {                   \
    1, 0, -5e6, 112.8 \
  }
#define Q              \
  { 1, 0, -5e6 },      \
  {                    \
    1, 0, -5e6 + 1.128 \
  }
static const Row flipflop_rott_rows[] = {
  { "flipflop", "paper", { P }, RA_CAUSE_NONE, "mr", .0564, "half of R" },
  { "flipflop", "paper", { P, { 1, 1, -5e6 + 150 } }, W, "vector", 0,
      "as with RTT: no outlier" },
  { "flipflop", "paper", { P, { 1, 1, -5e6 + 150.000001 } }, W, "vector", 1,
      "as with RTT: an outlier" },
  { "flipflop", "paper", { { 1, 0, -5e6 }, { 1, 1, -5e6 } }, C, NULL, 0,
      "no R: MR was not known" },
  { "flipflop", "paper", { { 1, 0, -5e6 }, { 1, 1, -5e6, 112.8 } }, C, "mr",
      .04935, "R comes late: .875 * 56.4" },
  { "flipflop", "paper", { Q }, RA_CAUSE_NONE, "mr", .001128,
      "no R: MR is the first difference" },
  { "flipflop", "paper", { Q }, RA_CAUSE_NONE, "est_rtt", -5e3 + .0010152,
      "no R: the first difference is in control" },
  { "flipflop", "paper", { Q, { 1, 1, -5e6 } }, W, NULL, 0,
      "no R: from the third packet on" },
  { "flipflop", "paper", { Q, { 1, 0, -5e6 + 4.0152 } }, RA_CAUSE_NONE,
      "vector", 0, "3 above est_rtt" },
  { "flipflop", "paper", { Q, { 1, 0, -5e6 + 4.015201 } }, RA_CAUSE_NONE,
      "vector", 1, "more than 3 above" },
  /* 30 below the old est_rtt is 3 below the new one;
   * .875 * 1.128 + .125 * (28.9848 + 1.128) = 4.7511. */
  { "flipflop", "paper", { Q, { 1, 0, -5e6 - 28.9848 } }, RA_CAUSE_NONE, "mr",
      .0047511, "the lower limit is in" },
  { "flipflop", "paper", { Q, { 1, 0, -5e6 - 28.984801 } }, RA_CAUSE_NONE, "mr",
      .001128, "below it MR stays" },
  { "flipflop", "paper", { Q, { 1, 0, -5e6 - 28.984801 } }, RA_CAUSE_NONE,
      "vector", 0, "but it is no outlier" },
  /* MR = 0 after two equal ones.  3 * .25 / 1.128 = .6648936. */
  { "flipflop", "", { { 2, 0, 50 }, { 1, 0, 50.664893 } }, RA_CAUSE_NONE,
      "vector", 0, "default: noise" },
  { "flipflop", "", { { 2, 0, 50 }, { 1, 0, 50.664894 } }, RA_CAUSE_NONE,
      "vector", 1, "default: more than noise" },
  /* 3 * 1 ns / 1.128 = 2.66 ns. */
  { "flipflop", "paper", { { 2, 0, 50 }, { 1, 0, 50.000002 } }, RA_CAUSE_NONE,
      "vector", 0, "2 ns: the clock" },
  { "flipflop", "paper", { { 2, 0, 50 }, { 1, 0, 50.000003 } }, RA_CAUSE_NONE,
      "vector", 1, "the paper: 3 ns are an outlier" },
};
#undef P
#undef Q

/* Papadimitriou 2009, 2.1.  800 kbit/s are 100 packets of 1,000 bytes per
 * second: diff = 100/s * (RTT - baseRTT), 1 at 10 ms, 3 at 30 ms.
 * P: baseRTT = 100 ms.  Q: and congestion before. */
#define P     \
  {           \
    1, 0, 100 \
  }
#define Q     \
  P,          \
  {           \
    1, 0, 200 \
  }
static const Row vegas_rows[] = {
  { "vegas", "paper", { P, { 1, 1, 109.999999 } }, W, NULL, 0, "below 1" },
  { "vegas", "paper", { P, { 1, 1, 110 } }, W, "diff", 1,
      "1 leaves the rate unaffected" },
  { "vegas", "paper", { P, { 1, 1, 130 } }, W, "diff", 3, "so does 3" },
  { "vegas", "paper", { P, { 1, 1, 130.000001 } }, C, NULL, 0, "above 3" },
  { "vegas", "paper", { Q, { 1, 1, 110 } }, W, NULL, 0, "whatever was before" },
  { "vegas", "paper,between=0", { Q, { 1, 1, 109.999999 } }, W, NULL, 0,
      "below 1" },
  { "vegas", "paper,between=0", { Q, { 1, 1, 110 } }, C, NULL, 0,
      "between, after congestion" },
  { "vegas", "paper,between=0", { Q, P, { 1, 1, 130 } }, W, NULL, 0,
      "between, after an empty queue" },
  { "vegas", "paper,between=0", { P, { 1, 1, 130 } }, C, NULL, 0,
      "between, and nothing clear before: unsure" },
  { "vegas", "paper,between=0", { Q, P, { 1, 1, 130.000001 } }, C, NULL, 0,
      "above 3" },
  { "vegas", "paper", { { 1, 1, 100 } }, C, NULL, 0, "the first packet" },
  { "vegas", "paper", { P, { .times = 1, 1, 100, .is_silent = TRUE } }, C, NULL,
      0, "no rate" },
  { "vegas", "paper", { P, { 1, 0, 90 }, { 1, 1, 120 } }, W, "diff", 3,
      "a new baseRTT" },
  /* s = 1000 + (360 - 1000) / 64 = 990; 1e5 B/s * 9.9 ms = 990 bytes */
  { "vegas", "paper", { P, { .times = 1, 0, 109.9, .size = 360 } },
      RA_CAUSE_NONE, "diff", 1, "a small packet moves s" },
  /* s = 360 + (1000 - 360) / 64 = 370; 1e5 B/s * 3.7 ms = 370 bytes */
  { "vegas", "paper", { { .times = 1, 0, 100, .size = 360 }, { 1, 0, 103.7 } },
      RA_CAUSE_NONE, "diff", 1, "the first packet is s" },
  { "vegas", "paper,between=0",
      { P, { 1, 0, 100 }, { .times = 1, 0, 100, .is_silent = TRUE },
          { 1, 1, 130 } },
      C, NULL, 0, "between, and the rate was unknown meanwhile: unsure" },
  { "vegas", "", { P, { 1, 1, 112 } }, C, "diff", 1,
      "default: 12 - 2 ms, and nothing clear before" },
  { "vegas", "", { Q, { 1, 1, 111.999999 } }, W, NULL, 0,
      "default: 2 ms are no queue" },
  { "vegas", "", { Q, { 1, 1, 112 } }, C, "diff", 1,
      "default: 12 - 2 ms, after congestion" },
  { "vegas", "paper,window=4s", { P, { 1, 1, 150, .iat = 1e4 } }, W, "base_rtt",
      .15, "baseRTT ages" },
  { "vegas", "paper", { P, { 1, 1, 150, .iat = 1e4 } }, C, "base_rtt", .1,
      "the paper's does not" },
};
#undef P
#undef Q

/* Papadimitriou 2009, 3.2.  P: RTTmin = 100, RTTmax = 200 ms. */
#define P        \
  { 1, 0, 100 }, \
  {              \
    1, 0, 200    \
  }
static const Row ld_rows[] = {
  { "ld", "paper", { P, { 1, 1, 150 } }, C, "qdelay", .05,
      "equation 7: qthresh is in" },
  { "ld", "paper", { P, { 1, 1, 149.999999 } }, W, NULL, 0, "below qthresh" },
  { "ld", "paper,qthresh=.25", { P, { 1, 1, 125 } }, C, NULL, 0,
      "equation 9: .25 * 200 + .75 * 100" },
  { "ld", "paper,qthresh=.25", { P, { 1, 1, 124.999999 } }, W, NULL, 0,
      "equation 9, below" },
  { "ld", "paper", { P, { 1, 1, 100 } }, W, "rtt_min", .1, "an empty queue" },
  { "ld", "paper", { P, { 1, 1, 201 } }, C, "rtt_max", .201, "a new RTTmax" },
  { "ld", "paper", { P, { 1, 1, 50 } }, W, "rtt_min", .05, "a new RTTmin" },
  { "ld", "paper", { { 1, 1, 100 } }, C, NULL, 0, "the first packet" },
  { "ld", "paper", { { 1, 0, 100 }, { 1, 1, 100 } }, C, NULL, 0,
      "0 / 0; equation 9: 100 >= 100" },
  { "ld", "paper", { { 1, 0, 100 }, { 1, 1, 101 } }, C, NULL, 0,
      "the paper: a range of 1 ms is a range" },
  { "ld", "", { { 1, 0, 100 }, { 1, 1, 101 } }, W, NULL, 0,
      "default: 1 ms is noise" },
  { "ld", "", { { 1, 0, 100 }, { 1, 1, 109.999999 } }, W, NULL, 0,
      "default: below half of min-range" },
  { "ld", "", { { 1, 0, 100 }, { 1, 1, 110 } }, C, NULL, 0,
      "default: half of min-range" },
  /* 10 s later 100 and 200 are forgotten: 160..170, 165 is half. */
  { "ld", "paper,window=4s,base-window=4s",
      { P, { 1, 0, 160, .iat = 1e4 }, { 1, 0, 170 }, { 1, 1, 164.999999 } }, W,
      "rtt_min", .16, "the extremes age" },
  /* Only 200 is: 100..170, 135 is half. */
  { "ld", "paper,window=4s",
      { P, { 1, 0, 160, .iat = 1e4 }, { 1, 0, 170 }, { 1, 1, 135 } }, C,
      "rtt_max", .17, "RTTmax alone" },
  { "ld", "paper,window=4s",
      { P, { 1, 0, 160, .iat = 1e4 }, { 1, 0, 170 }, { 1, 1, 134.999999 } }, W,
      "rtt_min", .1, "RTTmin has its own age" },
  { "ld", "paper",
      { P, { 1, 0, 160, .iat = 1e4 }, { 1, 0, 170 }, { 1, 1, 149.999999 } }, W,
      "rtt_max", .2, "the paper's do not age" },
};
#undef P

static RaSpan
ns (gdouble ms)
{
  return (RaSpan) llround (ms * 1e6);
}

/* As a sender with per-packet feedback sees it, or as a receiver. */
static void
play (const Row *row, gboolean has_rtt)
{
  g_autoptr (RaLda) lda
      = ra_lda_new (ra_lda_find (row->lda), row->params, NULL);
  RaArrival a = { .arrival = 1000 * RA_SECOND, .iat = RA_SPAN_NONE };
  RaCause verdict = RA_CAUSE_NONE;

  g_test_message ("%s %s: %s", row->lda, row->params, row->why);
  for (const Step *s = row->steps; s < row->steps + STEPS; s++) {
    for (guint i = 0; i < s->times; i++) {
      if (a.seq > 0) {
        a.iat = ns (s->iat > 0 ? s->iat : 10);
        a.arrival += (RaTime) a.iat;
      }
      a.n_lost = s->n_lost;
      a.seq += s->n_lost + 1;
      a.size = s->size ? s->size : SIZE;
      a.bytes_lost = SIZE * s->n_lost;
      a.rtt_sample = has_rtt ? ns (s->delay) : 0;
      a.rott = has_rtt ? 77 * RA_SECOND : ns (s->delay);
      a.rtt = ns (s->r);
      a.rate = s->is_silent ? 0 : 800000;
      verdict = ra_lda_on_packet (lda, &a);
    }
  }
  if (row->verdict)
    g_assert_cmpstr (ra_cause_nick (verdict), ==, ra_cause_nick (row->verdict));
  if (row->letter)
    g_assert_cmpfloat_with_epsilon (
        observed (ra_lda_observe, lda, row->letter), row->value, 1e-11);
}

static void
test_rtt (gconstpointer data)
{
  play (data, TRUE);
}

static void
test_rott (gconstpointer data)
{
  play (data, FALSE);
}

/* lda/delay.h: RTT, ROTT, and a change between them; ns. */
#define DELAYS 5
static const struct
{
  struct
  {
    RaSpan rtt_sample, rott;
    gdouble delay;
  } steps[DELAYS];
  gdouble last; /* as an onlooker sees it, ns */
  const gchar *why;
} delay_rows[] = {
  { { { 100, 7, 100 }, { 120, 3, 120 }, { 90, 5, 90 } }, 90,
      "RTT is RTT, whatever ROTT says" },
  { { { 0, 7, 0 }, { 0, 27, 20 }, { 0, -3, -10 } }, -3,
      "ROTT counts from the first" },
  { { { 100, 7, 100 }, { 120, 27, 120 }, { 0, 37, 130 } }, 130,
      "no sample: ROTT grew by 10" },
  { { { 100, 7, 100 }, { -1, 17, 110 }, { 130, 38, 130 }, { 0, 39, 131 } }, 131,
      "no sample, a sample, no sample" },
  { { { 0, 7, 0 }, { 0, 27, 20 }, { 300, 27, 20 }, { 310, 5, 30 },
        { 0, 6, 31 } },
      311, "samples begin: the scale goes on" },
  { { { 0, 7, 0 }, { 300, 7, 0 }, { 290, 0, -10 } }, 290,
      "samples begin where ROTT is as it was" },
  { { { 0, G_MAXINT64, 0 }, { 0, G_MAXINT64 - 5, -5 },
        { 50, G_MAXINT64 - 5, -5 }, { 60, G_MININT64, 5 },
        { 0, -G_MAXINT64, 6 } },
      61, "no offset is too large" },
};

static void
test_delay (gconstpointer data)
{
  guint row = GPOINTER_TO_UINT (data);
  RaDelay d = { 0 };
  gdouble last = 0;

  g_test_message ("%s", delay_rows[row].why);
  for (guint i = 0; i < DELAYS; i++) {
    RaArrival a = { .rtt_sample = delay_rows[row].steps[i].rtt_sample,
      .rott = delay_rows[row].steps[i].rott };

    if (a.rtt_sample == 0 && a.rott == 0)
      break; /* no more steps */
    last = ra_delay (&d, &a);
    g_assert_cmpfloat (last, ==, delay_rows[row].steps[i].delay);
  }
  g_assert_cmpfloat_with_epsilon (
      ra_delay_seconds (&d, last), delay_rows[row].last * 1e-9, 1e-15);
}

static void
add_rows (const gchar *table, const Row *rows, guint n, GTestDataFunc test)
{
  for (guint i = 0; i < n; i++) {
    g_autofree gchar *path = g_strdup_printf ("/lda-rtt/%s/%02u", table, i + 1);

    g_test_add_data_func (path, &rows[i], test);
  }
}

void
tests_add (void)
{
  add_rows ("flipflop", flipflop_rows, G_N_ELEMENTS (flipflop_rows), test_rtt);
  add_rows ("flipflop-rott", flipflop_rott_rows,
      G_N_ELEMENTS (flipflop_rott_rows), test_rott);
  /* What counts is the difference: the same rows for both. */
  add_rows ("vegas", vegas_rows, G_N_ELEMENTS (vegas_rows), test_rtt);
  add_rows ("vegas-rott", vegas_rows, G_N_ELEMENTS (vegas_rows), test_rott);
  add_rows ("ld", ld_rows, G_N_ELEMENTS (ld_rows), test_rtt);
  add_rows ("ld-rott", ld_rows, G_N_ELEMENTS (ld_rows), test_rott);
  rows_add ("/lda-rtt/delay", delay_rows, test_delay);
}
