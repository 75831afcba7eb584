/* Loss rates by colour (wled), verdicts that wait (dcr), numbers of colours.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "../rows.h"
#include "../observed.h"

#include <gst/rtpadapt/colour/number.h>
#include <gst/rtpadapt/receiver.h>
#include <gst/rtpadapt/util/rng.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define R (100 * RA_MSECOND)
#define PERIODS 3
#define K .26894142136999512

/* What came and what was lost of a colour in one RTT. */
typedef struct
{
  guint came, lost;
} Rtt;

/* Of all four colours, in the order of RaMark. */
typedef Rtt Period[RA_N_MARKS];

/* Singh et al. 2006, figure 2.  Periods of R, all that is lost of one is missing
 * before its first packet. */
static const struct
{
  const gchar *params;
  RaSpan rtt;
  Period periods[PERIODS];
  gdouble w, p_c, share;
  const gchar *why;
} wled_rows[] = {
  /* l_green = 1 / 10, l_yellow = 3 / 10, l_total = 4 / 20 = .2:
   * p_c = (.2 - .1) / .9 = 1 / 9; share = .8889 * .1 / .2 = 4 / 9 */
  { "paper,alpha=1", R, { { { 0 }, { 9, 1 }, { 7, 3 } } }, .1, 1 / 9., 4 / 9.,
      "both kinds of loss" },
  { "paper,alpha=1", R, { { { 0 }, { 9, 1 }, { 9, 1 } } }, .1, 0, 1,
      "all colours alike: the radio" },
  { "paper,alpha=1", R, { { { 0 }, { 10, 0 }, { 8, 2 } } }, 0, .1, 0,
      "greens get through: congestion" },
  { "paper,alpha=1", R, { { { 0 }, { 9, 1 }, { 5, 5 } } }, 0, .3, 0,
      "l_yellow = theta is too much" },
  /* l_total = 50 / 110 = 5 / 11; p_c = (5 / 11 - 1 / 10) / (9 / 10)
   * = 390 / 990 = 13 / 33; share = 1 - 13 / 33 * 11 / 5 = 2 / 15 */
  { "paper,alpha=1", R, { { { 0 }, { 9, 1 }, { 51, 49 } } }, .1, 13 / 33.,
      2 / 15., "just below theta" },
  { "paper,alpha=1,theta=1", R, { { { 0 }, { 9, 1 }, { 5, 5 } } }, .1, 2 / 9.,
      1 - 2 / 9. / .3, "another theta" },
  /* l_total = 6 / 30 */
  { "paper,alpha=1", R, { { { 0 }, { 9, 1 }, { 10, 0 }, { 5, 5 } } }, .1,
      1 / 9., 4 / 9., "reds count in l_total alone" },
  { "paper,alpha=1", R, { { { 0 }, { 9, 1 } } }, 0, .1, 0,
      "no yellow packet, no l_yellow below theta: unsure" },
  { "paper,alpha=1", R, { { { 0 }, { 0 }, { 9, 1 } } }, 0, .1, 0,
      "no green packet: unsure" },
  { "paper,alpha=1", R, { { { 0 }, { 0, 3 }, { 10, 0 } } }, 0, 3 / 13., 0,
      "every green lost, 1 - w = 0: unsure" },
  { "paper,alpha=1", R, { { { 18, 2 } } }, 0, .1, 0, "no colours at all" },
  { "", R, { { { 180, 20 } } }, 0, .1, 0, "nor with our parameters" },
  { "paper,alpha=1", R, { { { 0 }, { 10, 0 }, { 10, 0 } } }, 0, 0, 0,
      "nothing lost" },
  /* l_total = 1 / 20: (.05 - .5) / .5 = -.9 */
  { "paper,alpha=1", R, { { { 0 }, { 1, 1 }, { 18, 0 } } }, .5, -.9, 1,
      "bad luck of the greens" },
  /* l_total = 3 / 50: (.06 - .75) / .25 = -2.76 */
  { "paper,alpha=1", R, { { { 0 }, { 1, 3 }, { 46, 0 } } }, .75, -2.76, 1,
      "worse luck, as figure 2 has it" },
  { "paper,alpha=1,least=-1", R, { { { 0 }, { 1, 3 }, { 46, 0 } } }, .75, -1, 1,
      "which is taken as -1" },
  /* .005 / 9, then .995 of it; the share is the quotient of two such means */
  { "paper", R, { { { 0 }, { 9, 1 }, { 7, 3 } } }, .1, 1 / 1800., 4 / 9.,
      "smoothed by alpha" },
  { "paper", R,
      { { { 0 }, { 9, 1 }, { 7, 3 } }, { { 0 }, { 10, 0 }, { 10, 0 } } }, 0,
      .995 / 1800, 4 / 9., "a second RTT without a loss" },
  { "paper", R,
      { { { 0 }, { 9, 1 }, { 7, 3 } }, { { 0 }, { 9, 1 }, { 7, 3 } } }, .1,
      1.995 / 1800, 4 / 9., "the same again" },
  { "paper,alpha=1", R,
      { { { 0 }, { 9, 1 }, { 7, 3 } }, { { 0 }, { 10, 0 }, { 8, 2 } } }, 0, .1,
      0, "the paper's rates are of one RTT" },
  /* The first of two equal RTTs counts for K = e^-1 / (1 + e^-1):
   * l_green = .1 K; l_total = .1 */
  { "window=100ms,react=0,greens=1", R,
      { { { 0 }, { 90, 10 }, { 90, 10 } }, { { 0 }, { 100, 0 }, { 80, 20 } } },
      .1 * K, (.1 - .1 * K) / (1 - .1 * K), 1 - (1 - K) / (1 - .1 * K),
      "greens remembered for an RTT" },
  /* l_green = .05; l_total = .1 K + .05 (1 - K) = .05 + .05 K */
  { "window=0,react=100ms,greens=1", R,
      { { { 0 }, { 90, 10 }, { 90, 10 } }, { { 0 }, { 95, 5 }, { 95, 5 } } },
      .05, .05 * K / .95, 1 - K / .95 / (1 + K),
      "all packets remembered for an RTT" },
  /* l_yellow is .6, then 0; l_green of the second RTT alone is .05, l_total
   * 5 / 200 */
  { "window=100ms,react=0,greens=1", R,
      { { { 0 }, { 90, 10 }, { 40, 60 } }, { { 0 }, { 95, 5 }, { 100, 0 } } },
      .05, -.025 / .95, 1, "what greens lose in congestion is forgotten" },
  { "window=100ms,react=0,greens=1", R,
      { { { 0 }, { 90, 10 }, { 90, 10 } }, { { 0 }, { 95, 5 }, { 50, 50 } } },
      0, 55 / 200., 0, "nor does it help that some are remembered" },
  /* In each RTT a tenth is lost.  Of 10 yellows 10 e^-2 = 1.4, then 10 e^-4 =
   * .2 are remembered. */
  { "window=0,react=50ms,greens=1", R,
      { { { 0 }, { 90, 10 }, { 9, 1 } }, { { 0 }, { 90, 10 } } }, .1, 0, 1,
      "no yellow packet for an RTT" },
  { "window=0,react=50ms,greens=1", R,
      { { { 0 }, { 90, 10 }, { 9, 1 } }, { { 0 }, { 90, 10 } },
          { { 0 }, { 90, 10 } } },
      0, .1, 0, "for two: they may all be lost" },
  { "", R, { { { 0 }, { 18, 1 }, { 18, 1 } } }, 0, 2 / 38., 0,
      "19 greens are not enough to know" },
  { "", R, { { { 0 }, { 19, 1 }, { 19, 1 } } }, .05, 0, 1, "20 are" },
  { "paper,alpha=1,period=100ms", 0, { { { 0 }, { 9, 1 }, { 9, 1 } } }, .1, 0,
      1, "no RTT: by the parameter" },
  { "paper,alpha=1,period=100ms", -1, { { { 0 }, { 9, 1 }, { 9, 1 } } }, .1, 0,
      1, "a bad one is none" },
  { "paper,alpha=1", -1, { { { 0 }, { 9, 1 }, { 9, 1 } } }, 0, 0, 0,
      "a bad one is none, and 240 ms are not over" },
  { "paper,alpha=1", 2 * R,
      { { { 0 }, { 9, 1 }, { 9, 1 } }, { { 0 }, { 10, 0 }, { 10, 0 } } }, .05,
      0, 1, "a longer RTT: both periods together" },
};

static void
packet (RaLda *lda, RaArrival *a, const RaSpan rtt, RaTime at)
{
  a->seq += a->n_lost + 1;
  a->rtt = rtt;
  a->arrival = at;
  ra_lda_on_packet (lda, a);
  a->n_lost = 0;
  memset (a->lost_by_mark, 0, sizeof a->lost_by_mark);
}

/* Feeds the periods; the packet that ends the last one is not counted yet. */
static void
feed (RaLda *lda, const Period *periods, RaSpan rtt)
{
  RaTime start = 1000 * RA_SECOND;
  RaArrival a = { .size = 1000 };

  for (guint i = 0; i < PERIODS; i++) {
    RaTime at = start;

    for (guint mark = 0; mark < RA_N_MARKS; mark++) {
      a.lost_by_mark[mark] = periods[i][mark].lost;
      a.n_lost += periods[i][mark].lost;
    }
    for (guint mark = 0; mark < RA_N_MARKS; mark++) {
      a.mark = (RaMark) mark;
      for (guint k = 0; k < periods[i][mark].came; k++)
        packet (lda, &a, rtt, at++);
    }
    if (at > start)
      start += R;
  }
  a.mark = RA_MARK_NONE;
  packet (lda, &a, rtt, start);
}

static gdouble
letter (const RaLda *lda, const gchar *name)
{
  return observed (ra_lda_observe, lda, name);
}

static RaLda *
lda_new (const gchar *name, const gchar *params)
{
  GError *error = NULL;
  RaLda *lda = ra_lda_new (ra_lda_find (name), params, &error);

  g_assert_no_error (error);
  return lda;
}

static void
test_wled (gconstpointer data)
{
  guint i = GPOINTER_TO_UINT (data);
  g_autoptr (RaLda) lda = lda_new ("wled", wled_rows[i].params);
  RaLdaValues values;

  feed (lda, wled_rows[i].periods, wled_rows[i].rtt);
  values = ra_lda_values (lda);
  g_test_message ("%s: %s", wled_rows[i].params, wled_rows[i].why);
  g_assert_cmpfloat_with_epsilon (letter (lda, "w"), wled_rows[i].w, 1e-12);
  g_assert_cmpfloat_with_epsilon (letter (lda, "p_c"), wled_rows[i].p_c, 1e-12);
  g_assert_cmpfloat_with_epsilon (values.w, wled_rows[i].w, 1e-12);
  g_assert_cmpfloat_with_epsilon (values.p_c, wled_rows[i].p_c, 1e-12);
  g_assert_cmpfloat_with_epsilon (
      letter (lda, "share"), wled_rows[i].share, 1e-12);
}

/* Of any run of losses the share of wireless ones is exact to within one. */
static void
test_diffusion (gconstpointer data)
{
  guint row = GPOINTER_TO_UINT (data), sum[200] = { 0 };
  g_autoptr (RaLda) lda = lda_new ("wled", wled_rows[row].params);
  gdouble share = wled_rows[row].share;
  RaArrival a = { .n_lost = 1 };

  feed (lda, wled_rows[row].periods, wled_rows[row].rtt);
  for (guint i = 1; i < G_N_ELEMENTS (sum); i++) {
    RaCause cause = ra_lda_on_missing (lda, &a, i, RA_CAUSE_NONE);

    sum[i] = sum[i - 1] + (cause == RA_CAUSE_WIRELESS);
    for (guint j = 0; j < i; j++)
      g_assert_cmpfloat (fabs (sum[i] - sum[j] - share * (i - j)), <, 1 + 1e-9);
  }
}

/* The clock goes back after an RTT of wireless losses: from then on RTTs count
 * again, the next one with congestion. */
static void
test_clock_back (void)
{
  g_autoptr (RaLda) lda = lda_new ("wled", "paper,alpha=1");
  RaArrival a = { .seq = 1000, .size = 1000, .mark = RA_MARK_GREEN };

  feed (lda, wled_rows[1].periods, wled_rows[1].rtt);
  g_assert_cmpfloat (letter (lda, "share"), ==, 1);
  packet (lda, &a, R, RA_SECOND);
  a.mark = RA_MARK_YELLOW;
  a.n_lost = a.lost_by_mark[RA_MARK_YELLOW] = 1;
  packet (lda, &a, R, RA_SECOND + R - 1);
  g_assert_cmpfloat (letter (lda, "share"), ==, 1);
  packet (lda, &a, R, RA_SECOND + R);
  g_assert_cmpfloat (letter (lda, "w"), ==, 0);
  g_assert_cmpfloat (letter (lda, "share"), ==, 0);
}

static void
is_rate (const gchar *name, gdouble value, gpointer data)
{
  gdouble least = g_str_equal (name, "p_c") ? -1 : 0;

  if (!(value >= least && value <= 1))
    g_error ("%s is %g", name, value);
}

/* Whatever comes, and however much: rates. */
static void
test_wild (gconstpointer data)
{
  g_autoptr (RaLda) lda = lda_new ("wled", data);
  RaArrival a = { .arrival = 5000 * RA_SECOND };
  RaRng rng;

  ra_rng_init (&rng, 1, 1);
  for (guint i = 0; i < 200000; i++) {
    for (guint mark = 0; mark < RA_N_MARKS; mark++)
      a.lost_by_mark[mark] = ra_rng_next (&rng) >> ra_rng_next (&rng) % 32;
    a.n_lost = ra_rng_next (&rng) >> ra_rng_next (&rng) % 32;
    a.mark = (RaMark) (ra_rng_next (&rng) % 8);
    a.rtt = (RaSpan) ra_rng_next (&rng) - G_MAXINT32;
    a.arrival += ra_rng_next (&rng);
    if (ra_rng_chance (&rng, .01))
      a.arrival = ra_rng_next (&rng);
    ra_lda_on_packet (lda, &a);
    ra_lda_on_missing (lda, &a, i, RA_CAUSE_NONE);
    ra_lda_observe (lda, is_rate, NULL);
  }
}

/* From packets to the report: lost_congestion / expected is p_c.  20 packets per
 * R, greens even, yellows odd; lost are packet 4 and 7, 11, 15 of them, as in
 * the first row: p_c = 1 / 9. */
static void
test_report (void)
{
  static const RaMark lost[20] = { [4] = RA_MARK_GREEN,
    [7] = RA_MARK_YELLOW,
    [11] = RA_MARK_YELLOW,
    [15] = RA_MARK_YELLOW };
  g_autoptr (RaReceiver) r
      = ra_receiver_new (lda_new ("wled", "paper,alpha=1"), 1000);
  guint expected = 0, congestion = 0, wireless = 0;
  RaReport report;
  RaSpan t_delay;

  for (guint i = 0; i < 102 * 20; i++) {
    RaTime now = RA_SECOND + i * (R / 20);
    RaPacket p = { .seq = 1000 + i,
      .size = 1000,
      .arrival = now,
      .sent = now,
      .rtt = R,
      .mark = i % 2 ? RA_MARK_YELLOW : RA_MARK_GREEN };

    if (lost[i % 20])
      continue;
    p.lost_by_mark[lost[(i + 19) % 20]] = 1;
    ra_receiver_on_packet (r, &p);
    if (i % 20 < 19)
      continue;
    g_assert_true (ra_receiver_report (r, now, &report, &t_delay));
    if (i < 40) /* the first estimate was not made yet */
      continue;
    expected += report.expected;
    congestion += report.lost_congestion;
    wireless += report.lost_wireless;
  }
  g_assert_cmpuint (expected, ==, 2000);
  g_assert_cmpuint (congestion + wireless, ==, 400);
  g_assert_cmpfloat (fabs (congestion - expected / 9.), <=, 1);
}

/* Bhandarkar et al. 2005, 3.2 */
static const struct
{
  const gchar *params;
  RaSpan rtt, patience;
  const gchar *why;
} dcr_rows[] = {
  { "", R, R, "one RTT" },
  { "paper", R, R, "the paper's too" },
  { "tau=.5", R, R / 2, "half of one" },
  { "tau=0", R, 0, "none: the same as no LDA" },
  { "", 0, 0, "no RTT, no wait" },
  { "", -R, 0, "a bad one" },
  { "", 999 * RA_MSECOND, 999 * RA_MSECOND, "below any timeout" },
  { "", 5 * RA_SECOND, RA_SECOND, "above the least timeout" },
  { "", G_MAXINT64, RA_SECOND, "a very bad one" },
  { "max=50ms", R, R / 2, "another limit" },
  { "paper", 5 * RA_SECOND, 5 * RA_SECOND, "the paper's timeout rises" },
};

static void
test_dcr (gconstpointer data)
{
  guint i = GPOINTER_TO_UINT (data);
  g_autoptr (RaLda) lda = lda_new ("dcr", dcr_rows[i].params);
  RaArrival a = { .seq = 12, .n_lost = 1, .rtt = dcr_rows[i].rtt };

  g_test_message ("%s: %s", dcr_rows[i].params, dcr_rows[i].why);
  g_assert_cmpint (ra_lda_on_packet (lda, &a), ==, RA_CAUSE_CONGESTION);
  g_assert_cmpint (ra_lda_patience (lda, &a), ==, dcr_rows[i].patience);
  g_assert_cmpfloat (
      letter (lda, "tau"), ==, ra_seconds (dcr_rows[i].patience));
}

/* Packets as they arrive, colour and N_j; how many are newly missing. */
static const struct
{
  const gchar *script, *want, *why;
} number_rows[] = {
  { "g1 g2 g3", "0 0 0", "nothing missing" },
  { "g1 g4 g5", "0 2 0", "2 and 3" },
  { "g7 g8", "0 0", "nobody knows what was before the first" },
  { "g1 y1 r1 g2 y3 r5", "0 0 0 0 1 3", "each colour counts for itself" },
  { "g1 g4 g2 g3 g5", "0 2 0 0 0", "late ones" },
  { "g1 g4 g4 g5", "0 2 0 0", "a duplicate" },
  { "g65534 g65535 g0 g1", "0 0 0 0", "65535 is followed by 0" },
  { "g65534 g2", "0 3", "65535, 0 and 1" },
  { "g1 g65535 g2", "0 0 0", "late over the wrap" },
  { "g10 g1010", "0 999", "a jump of 1000" },
  { "g10 g1011 g1012 g1014", "0 0 0 1", "one more: a restart" },
  { "g2000 g1000 g2003", "0 0 2", "1000 back: late" },
  { "g2000 g999 g1000 g1002", "0 0 0 1", "one more: a restart" },
  { "g100 g50 g51 g52 g53 g54 g55 g56 g57 g59", "0 0 0 0 0 0 0 0 0 1",
      "eight that follow each other: a restart" },
  { "g100 g50 g51 g52 g53 g54 g55 g56 g102 g57 g104", "0 0 0 0 0 0 0 0 1 0 1",
      "seven, and then a later one: they were overtaken" },
  { "g100 g50 g51 g52 g53 g55 g56 g57 g58 g102", "0 0 0 0 0 0 0 0 0 1",
      "one is missing among them" },
  { "y5 g1 g2000 y7", "0 0 0 1", "of this colour alone" },
  { "n5 n9 ?5 ?9", "0 0 0 0", "no colour, no numbers" },
};

static void
test_number (gconstpointer data)
{
  guint i = GPOINTER_TO_UINT (data);
  g_auto (GStrv) words = g_strsplit (number_rows[i].script, " ", -1);
  g_autoptr (GString) out = g_string_new (NULL);
  RaMarkSeen seen = { 0 };

  for (guint k = 0; words[k]; k++) {
    static const gchar letters[] = "ngyr";
    const gchar *at = strchr (letters, *words[k]);
    RaMark mark = (RaMark) (at ? at - letters : 200);

    g_string_append_printf (out, " %u",
        ra_mark_missing (&seen, mark, (guint16) atoi (words[k] + 1)));
  }
  g_test_message ("%s: %s", number_rows[i].script, number_rows[i].why);
  g_assert_cmpstr (out->str + 1, ==, number_rows[i].want);
}

static void
test_number_sender (void)
{
  RaMarkNumbers n = { 0 };

  g_assert_cmpuint (ra_mark_number (&n, RA_MARK_GREEN), ==, 1);
  g_assert_cmpuint (ra_mark_number (&n, RA_MARK_GREEN), ==, 2);
  g_assert_cmpuint (ra_mark_number (&n, RA_MARK_RED), ==, 1);
  g_assert_cmpuint (ra_mark_number (&n, RA_MARK_NONE), ==, 0);
  g_assert_cmpuint (ra_mark_number (&n, RA_MARK_NONE), ==, 0);
  g_assert_cmpuint (ra_mark_number (&n, (RaMark) 200), ==, 0);
  g_assert_cmpuint (ra_mark_number (&n, RA_MARK_GREEN), ==, 3);
}

/* Over a path that loses a third: what is said to be missing is what was lost
 * between the first and the last of a colour that came. */
static void
test_number_law (gconstpointer data)
{
  guint seed = GPOINTER_TO_UINT (data), lost[RA_N_MARKS] = { 0 };
  guint since[RA_N_MARKS] = { 0 }, missing[RA_N_MARKS] = { 0 };
  RaMarkNumbers numbers = { 0 };
  RaMarkSeen seen = { 0 };
  RaRng rng;

  ra_rng_init (&rng, seed, 1);
  g_test_message ("seed %u", seed);
  for (guint i = 0; i < 300000; i++) { /* each colour wraps */
    RaMark mark = (RaMark) (1 + ra_rng_next (&rng) % 3);
    guint16 n = ra_mark_number (&numbers, mark);

    if (ra_rng_chance (&rng, 1 / 3.)) {
      since[mark]++;
      continue;
    }
    lost[mark] += seen.started[mark] ? since[mark] : 0;
    since[mark] = 0;
    missing[mark] += ra_mark_missing (&seen, mark, n);
    g_assert_cmpuint (missing[mark], ==, lost[mark]);
  }
  g_assert_cmpuint (lost[RA_MARK_GREEN], >, 30000);
}

void
tests_add (void)
{
  rows_add ("/lda-colour/wled", wled_rows, test_wled);
  rows_add ("/lda-colour/diffusion", wled_rows, test_diffusion);
  g_test_add_func ("/lda-colour/clock-back", test_clock_back);
  g_test_add_data_func ("/lda-colour/wild/default", "", test_wild);
  g_test_add_data_func ("/lda-colour/wild/paper", "paper", test_wild);
  g_test_add_func ("/lda-colour/report", test_report);
  rows_add ("/lda-colour/dcr", dcr_rows, test_dcr);
  rows_add ("/lda-colour/number", number_rows, test_number);
  g_test_add_func ("/lda-colour/number-sender", test_number_sender);
  rows_add_n ("/lda-colour/number-law", 3, test_number_law);
}
