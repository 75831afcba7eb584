/* FEC levels: decisions by hand, laws for all rules, and the level of `ulp`
 * against the code itself on simulated radios.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "../rows.h"
#include "law.h"
#include "../observed.h"

#include <tools/sim/ulpfec.h>

#include <gst/rtpadapt/fec.h>
#include <gst/rtpadapt/fec/residual.h>
#include <gst/rtpadapt/util/rng.h>

#include <math.h>
#include <string.h>

#define SEED 20240711
#define TARGET .005
#define CLOSE 1.2 /* what counts as reaching it */
#define PACKETS_PER_S 300
#define REPORT (RA_SECOND / 10)

static RaFec *
fec_new (const gchar *name, const gchar *params)
{
  GError *error = NULL;
  RaFec *f = ra_fec_new (ra_fec_find (name), params, &error);

  g_assert_no_error (error);
  return f;
}

/* One report, frames of n.  By hand: with n = 1 and independent losses a share
 * p of the packets has a copy, so w (1 - p (1 - w)) stays missing. */
static const struct
{
  const gchar *fec, *params;
  guint n, expected, wireless, runs, congestion;
  guint level;
  gboolean reachable;
  const gchar *why;
} rows[] = {
  { "none", "", 1, 1000, 100, 100, 0, 0, TRUE, "none" },
  { "fixed", "", 1, 1000, 0, 0, 0, 20, TRUE, "fixed on a clean path" },
  { "fixed", "level=7%", 1, 1000, 100, 100, 0, 7, TRUE, "fixed 7 %" },
  { "ulp", "", 1, 1000, 0, 0, 0, 0, TRUE, "a clean path" },
  { "ulp", "", 1, 1000, 0, 0, 500, 0, TRUE, "congestion is not repaired" },
  { "ulp", "", 1, 10000, 50, 50, 0, 0, TRUE, "no more lost than may be" },
  /* .01 (1 - .99 p) <= .005: p >= .50505 */
  { "ulp", "max=1", 1, 10000, 100, 100, 0, 51, TRUE, "w = 1 %, n = 1" },
  /* 2 p of the frames have one: 1 - 2 p + 2 p (1 - .99^2) <= .5 */
  { "ulp", "max=1", 2, 10000, 100, 100, 0, 26, TRUE, "w = 1 %, n = 2" },
  /* 1 - 3 p .99^3 <= .5: p >= .17177 */
  { "ulp", "max=1", 3, 10000, 100, 100, 0, 18, TRUE, "w = 1 %, n = 3" },
  /* .02 (1 - .98 p) <= .01: p >= .5102 */
  { "ulp", "max=1,target=1%", 1, 10000, 200, 200, 0, 52, TRUE, "target 1 %" },
  /* bursts of 2: a copy is lost with its packet every other time:
   * .01 (1 - p / 2) <= .005 */
  { "ulp", "max=1", 1, 10000, 100, 50, 0, 100, TRUE, "w = 1 %, bursts of 2" },
  /* best .01 * .505; 1.2 * .505 >= 1 - .99 p: p >= .398 */
  { "ulp", "max=.5", 1, 10000, 100, 100, 0, 40, FALSE, "beyond the maximum" },
  /* best .05 * 3/4; 1.2 * 3/4 >= 1 - p / 4 */
  { "ulp", "max=1", 1, 10000, 500, 125, 0, 40, FALSE, "bursts of 4, n = 1" },
  /* best .05 (1 - .5 / 4); 1.2 * .875 > 1 */
  { "ulp", "max=.5", 1, 10000, 500, 125, 0, 0, FALSE, "not worth anything" },
  { "ulp", "max=1", 1, 200, 2, 2, 0, 0, TRUE, "two bursts are no evidence" },
  { "ulp", "max=1", 1, 600, 6, 2, 0, 0, TRUE, "nor of six packets" },
  { "ulp", "max=1", 1, 300, 3, 3, 0, 51, TRUE, "three are" },
  { "ulp", "max=1", 1, 300, 3, 3, 1, 0, TRUE, "not while congestion comes" },
  { "ulp", "max=1", 0, 10000, 500, 500, 0, 0, TRUE, "no frame was seen" },
};

static void
test_row (gconstpointer data)
{
  guint i = GPOINTER_TO_UINT (data);
  g_autoptr (RaFec) f = fec_new (rows[i].fec, rows[i].params);
  RaReport report = {
    .expected = rows[i].expected,
    .lost_wireless = rows[i].wireless,
    .wireless_runs = rows[i].runs,
    .lost_congestion = rows[i].congestion,
  };

  g_test_message ("%s", rows[i].why);
  for (guint k = 0; k < 10; k++)
    ra_fec_on_frame (f, rows[i].n);
  ra_fec_on_report (f, &report, RA_SECOND);
  g_assert_cmpuint (ra_fec_percentage (f), ==, rows[i].level);
  if (g_str_equal (rows[i].fec, "ulp"))
    g_assert_cmpfloat (
        observed (ra_fec_observe, f, "reachable"), ==, rows[i].reachable);
}

/* A block of n packets has more than f of n + f lost, by the binomial distribution: of 25
 * at .5 % the 4 and 3 % of repair leave .059 and .17 %, where an eighth of the loss is
 * .0625; at 3 % 14 and 13 % leave .083 and .12 %, of 40 at 10 % 28 and 27 % leave .083 and
 * .11 %, where a fifth of the target is .1.  One repair packet is the same in both codes. */
static const struct
{
  RaFecCode code;
  guint n, lost; /* of 10000 */
  guint level;
  const gchar *why;
  guint congestion; /* of these */
  gboolean competes;
} block_rows[] = {
  { RA_FEC_CODE_RS, 25, 50, 4,
      "below the target each loss spoils frames, too" },
  { RA_FEC_CODE_XOR, 25, 50, 4, "with XOR, too" },
  { RA_FEC_CODE_RS, 25, 300, 14, "a fifth of the target costs little more" },
  { RA_FEC_CODE_RS, 40, 1000, 28, "at heavy losses, too" },
  { RA_FEC_CODE_FRAME, 25, 50, 0, "one frame at a time costs too much" },
  { RA_FEC_CODE_RS, 25, 50, 0, "a lower rate ends congestion", 50 },
  { RA_FEC_CODE_RS, 25, 50, 4, "but not where others fill the queue", 50,
      TRUE },
  { RA_FEC_CODE_RS, 25, 50, 4, "both count there", 25, TRUE },
};

static void
test_block (gconstpointer data)
{
  guint i = GPOINTER_TO_UINT (data);
  g_autoptr (RaFec) f = fec_new ("ulp", NULL);
  RaReport report = { .expected = 10000,
    .lost_wireless = block_rows[i].lost - block_rows[i].congestion,
    .wireless_runs = block_rows[i].lost - block_rows[i].congestion,
    .lost_congestion = block_rows[i].congestion,
    .n_events = block_rows[i].congestion };

  g_test_message ("%s", block_rows[i].why);
  ra_fec_set_code (f, block_rows[i].code, block_rows[i].n);
  ra_fec_set_competes (f, block_rows[i].competes);
  ra_fec_on_frame (f, 12);
  ra_fec_on_report (f, &report, RA_SECOND);
  g_assert_cmpuint (ra_fec_percentage (f), ==, block_rows[i].level);
}

/* Frames of 1 packet, 300 packets/s, reports of 30; losses evenly spread.  At
 * most 2 steps; the level afterwards. */
typedef struct
{
  gdouble seconds, wireless, congestion;
} Step;

static const struct
{
  Step steps[3];
  guint low, high;
  const gchar *why;
  RaFecCode code; /* of blocks of 40 */
} stories[] = {
  { { { 60, 0, 0 } }, 0, 0, "clean" },
  { { { 60, .004, 0 } }, 0, 0, "below the target" },
  /* At least 51 (above); no more than leaves half the target: .01 (1 - .99 p)
   * = .0025; a phase of the even losses more or less. */
  { { { 60, .01, 0 } }, 50, 77, "w = 1 %" },
  /* 1 % of 300 packets/s: a burst every .33 s; the first has faded a little
   * when the third comes.  4 of 450: .0089 (1 - .991 p) <= .005. */
  { { { .9, .01, 0 } }, 0, 0, "the third burst is not there yet" },
  { { { 1.5, .01, 0 } }, 44, 100, "the fourth is" },
  /* `rise` sees .05 (1 - e^-(5 / 2)) = 4.6 %; all but the last doubt (3 sqrt 27
   * of 27 bursts: half) is believed: 2.3 %, p >= .8 */
  { { { 60, 0, 0 }, { 5, .05, 0 } }, 80, 100, "rises fast" },
  /* .05 e^-(600 / 4000) = 4.3 % leaves 4.3 (1 - .95 * .95) = .4 %, more than half the
   * target: nothing moves. */
  { { { 60, .05, 0 }, { 2, 0, 0 } }, 95, 100, "falls slowly" },
  /* It moves at .05 e^-.48 = 3.1 % (half the target), to (1 - .5 / 3.1) / .969;
   * not again before 8 s, at 2.7 %. */
  { { { 60, .05, 0 }, { 8, 0, 0 } }, 84, 88, "falls" },
  { { { 60, .05, 0 }, { 11, 0, 0 } }, 0, 0, "clean for a window" },
  /* After 2 s `rise` (600 packets) has 11 of 26 bursts that are due, and counts
   * alone: 1.8 %, and after 2,100 packets more .3 %. */
  { { { 60, .05, 0 }, { 9, 0, .05 } }, 0, 0, "falls fast with congestion" },
  { { { 60, 0, .05 } }, 0, 0, "congestion alone" },
  { { { 60, .05, .05 } }, 0, 0, "congestion in every report" },
  { { { 60, .05, .05 }, { 1, .05, 0 } }, 95, 100, "and after it" },
  { { { 60, .01, 0 }, { 60, .01, .04 } }, 50, 77,
      "congestion takes nothing off what the radio needs" },
  /* .6 bursts a second fade in 4000 packets, 13.3 s: 8 of them, .5 after 13.3 ln 16 = 37 s. */
  { { { 60, .002, 0 }, { 30, 0, 0 } }, 1, 5,
      "clean for 30 s after light losses", RA_FEC_CODE_RS },
  { { { 60, .002, 0 }, { 40, 0, 0 } }, 0, 0, "and for 40", RA_FEC_CODE_RS },
};

static void
story_step (RaFec *f, const Step *step, RaTime *now)
{
  gdouble wireless = 0, congestion = 0; /* due */

  for (RaTime end = *now + (RaTime) ra_span (step->seconds); *now < end;) {
    RaReport report = { .expected = 30 };

    for (guint i = 0; i < 30; i++)
      ra_fec_on_frame (f, 1);
    wireless += step->wireless * 30;
    congestion += step->congestion * 30;
    report.lost_wireless = report.wireless_runs = (guint) wireless;
    report.lost_congestion = (guint) congestion;
    wireless -= report.lost_wireless;
    congestion -= report.lost_congestion;
    *now += REPORT;
    ra_fec_on_report (f, &report, *now);
  }
}

static void
test_story (gconstpointer data)
{
  guint i = GPOINTER_TO_UINT (data);
  g_autoptr (RaFec) f = fec_new ("ulp", "max=1");
  RaTime now = RA_SECOND;

  ra_fec_set_code (f, stories[i].code, 40);
  for (guint k = 0; k < 3; k++)
    story_step (f, &stories[i].steps[k], &now);
  g_test_message ("%s: %u", stories[i].why, ra_fec_percentage (f));
  g_assert_cmpuint (ra_fec_percentage (f), >=, stories[i].low);
  g_assert_cmpuint (ra_fec_percentage (f), <=, stories[i].high);
}

/* Gilbert's channel and one sender's frames on it.  It stays in a state for a
 * geometric number of packets: drawn at once, for speed. */
typedef struct
{
  RaRng rng;
  gdouble to_bad, to_good, budget;
  gboolean bad;
  gdouble stays; /* packets more */
  guint64 media, missing;
  RaReport report; /* since it was taken */
} Radio;

static void
radio_init (Radio *r, gdouble w, gdouble burst)
{
  memset (r, 0, sizeof *r);
  ra_rng_init (&r->rng, SEED, (guint64) (w * 1000 + burst));
  r->to_good = burst > 1 ? 1 / burst : 1 - w;
  r->to_bad = w * r->to_good / (1 - w);
  r->bad = TRUE; /* the first packet moves it */
}

/* Whether the next packet comes. */
static gboolean
radio_packet (Radio *r)
{
  if (r->stays <= 0) {
    gdouble leave = r->bad ? r->to_bad : r->to_good;

    r->report.wireless_runs += !r->bad;
    r->bad = !r->bad;
    r->stays = 1 + floor (log (1 - ra_rng_uniform (&r->rng)) / log (1 - leave));
  }
  r->stays--;
  r->report.lost_wireless += r->bad;
  return !r->bad;
}

/* Returns the packets sent. */
static guint
radio_frame (Radio *r, guint n, guint percentage)
{
  guint bare = n > ULPFEC_MAX ? n - ULPFEC_MAX : 0; /* fell out */
  guint f = ulpfec_spend (&r->budget, n, percentage);
  gboolean came[256];

  r->media += n;
  r->report.expected += n + f;
  if (!r->bad && r->stays >= n + f) {
    r->stays -= n + f;
    return n + f;
  }
  for (guint i = 0; i < n + f; i++) {
    came[i] = radio_packet (r);
    r->missing += !came[i] && i < bare;
  }
  r->missing += ulpfec_missing (came + bare, n - bare, came + n, f);
  return n + f;
}

/* As measured over some packets of frames of `sizes`, ended by 0. */
static gdouble
radio_residual (
    gdouble w, gdouble burst, const guint *sizes, guint level, guint packets)
{
  Radio r;

  radio_init (&r, w, burst);
  for (guint i = 0; r.media < packets; i = sizes[i + 1] ? i + 1 : 0)
    radio_frame (&r, sizes[i], level);
  return (gdouble) r.missing / (gdouble) r.media;
}

static const gdouble losses[] = { .01, .03, .05, .1 },
                     bursts[] = { 1, 2, 3, 4 };
static const guint sizes[] = { 1, 2, 3, 5, 8, 12, 20, 40 };

/* The level with w and burst known, and whether it is said to be enough. */
static guint
level_of (gdouble w, gdouble burst, guint n, gboolean *reachable)
{
  g_autoptr (RaFec) f = fec_new ("ulp", "max=1");
  RaReport report = { .expected = 1000000 };
  guint level;

  report.lost_wireless = (guint) (w * 1e6);
  report.wireless_runs = (guint) (w * 1e6 * (burst > 1 ? 1 / burst : 1 - w));
  ra_fec_on_frame (f, n);
  ra_fec_on_report (f, &report, RA_SECOND);
  level = ra_fec_percentage (f);
  *reachable = observed (ra_fec_observe, f, "reachable") > 0;
  return level;
}

/* The target is reached within 20 %; by prediction every lower level misses it.
 * Where it is said to be out of reach, every level does, and ours leaves 20 %
 * more than the best at most.  What is left is what was predicted. */
static void
test_grid (gconstpointer data)
{
  guint i = GPOINTER_TO_UINT (data);
  gdouble w = losses[i / 32], burst = bursts[i / 8 % 4];
  guint n[] = { sizes[i % 8], 0 };
  gboolean reachable;
  guint level = level_of (w, burst, n[0], &reachable);
  gdouble left = radio_residual (w, burst, n, level, 1000000), said, best = 1;
  g_autofree RaResidual *m = g_new (RaResidual, 1);
  RaFrames frames = { 0 };

  g_test_message (
      "fec,%g,%g,%u,%u,%u,%.5f", w, burst, n[0], level, reachable, left);
  ra_residual_init (m, w, burst);
  ra_frames_add (&frames, n[0]);
  said = ra_residual (m, &frames, level);
  for (guint other = 0; other <= 100; other++) {
    best = MIN (best, ra_residual (m, &frames, other));
    if (other < level || !reachable)
      g_assert_cmpfloat (ra_residual (m, &frames, other), >, TARGET);
  }
  g_assert_cmpfloat (left, <=, (reachable ? TARGET : best * CLOSE) * CLOSE);
  g_assert_cmpfloat_with_epsilon (left, said, said * (CLOSE - 1));
}

/* No level at all: measured, at each of them. */
static void
test_out_of_reach (void)
{
  static const struct
  {
    gdouble w, burst;
    guint n;
  } cases[] = { { .03, 2, 1 }, { .1, 1, 3 }, { .05, 4, 8 } };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    guint n[] = { cases[i].n, 0 };

    for (guint level = 0; level <= 100; level++)
      g_assert_cmpfloat (
          radio_residual (cases[i].w, cases[i].burst, n, level, 20000), >,
          TARGET);
  }
}

/* Frames of mixed sizes: what is predicted is what is left, within 10 %. */
static void
test_mixed (void)
{
  static const guint mixed[][8] = {
    { 30, 4, 5, 3, 4, 6, 5 }, { 1, 5 }, { 2, 2, 2, 1 }, { 70, 7, 7, 9, 8 },
    { 13, 18, 15, 28, 19, 47, 31 }, /* sizes that are not told apart */
  };
  static const guint levels[] = { 5, 12, 25, 33, 50, 67, 90, 100 };
  g_autofree RaResidual *m = g_new (RaResidual, 1);

  ra_residual_init (m, .04, 1.5);
  for (guint i = 0; i < G_N_ELEMENTS (mixed); i++) {
    RaFrames frames = { 0 };

    for (guint k = 0; k < 1000; k++) {
      for (const guint *n = mixed[i]; *n; n++)
        ra_frames_add (&frames, *n);
    }
    for (guint k = 0; k < G_N_ELEMENTS (levels); k++) {
      gdouble said = ra_residual (m, &frames, levels[k]);
      gdouble left = radio_residual (.04, 1.5, mixed[i], levels[k], 500000);

      g_test_message (
          "mix %u at %u %%: %.5f, said %.5f", i, levels[k], left, said);
      g_assert_cmpfloat_with_epsilon (left, said, said * .1);
    }
  }
}

/* The whole loop: the level from what reports say, at 300 packets/s. */
static const struct
{
  gdouble w, burst;
  guint n;
} loops[] = {
  { .01, 1, 2 },
  { .03, 1, 5 },
  { .1, 1, 12 },
  { .05, 2, 8 },
  { .01, 3, 40 },
  { .03, 4, 20 },
};

static void
test_loop (gconstpointer data)
{
  guint i = GPOINTER_TO_UINT (data), moves = 0, level = 0, sent = 0;
  g_autoptr (RaFec) f = fec_new ("ulp", "max=1");
  RaTime now = 0, reported = 0;
  gboolean risen = FALSE;
  Radio r;

  radio_init (&r, loops[i].w, loops[i].burst);
  while (now < 620 * RA_SECOND) {
    sent += radio_frame (&r, loops[i].n, ra_fec_percentage (f));
    ra_fec_on_frame (f, loops[i].n);
    now = sent * (RaTime) RA_SECOND / PACKETS_PER_S;
    if (now < reported + REPORT)
      continue;
    ra_fec_on_report (f, &r.report, now);
    memset (&r.report, 0, sizeof r.report);
    reported = now;
    moves += ra_fec_percentage (f) != level;
    level = ra_fec_percentage (f);
    if (now < 20 * RA_SECOND) /* getting to know the radio */
      r.media = r.missing = moves = 0;
    else
      risen |= level > 0;
    /* Never back to nothing; at 1 % a few bursts less are no loss at all. */
    g_assert_true (level > 0 || !risen || loops[i].w < .02);
  }
  g_test_message ("%g %g %u: %.5f, %u moves in 600 s", loops[i].w,
      loops[i].burst, loops[i].n, (gdouble) r.missing / (gdouble) r.media,
      moves);
  g_assert_cmpfloat (
      (gdouble) r.missing, <=, (gdouble) r.media * TARGET * CLOSE);
  g_assert_cmpuint (moves, <=, 150); /* once in 4 s */
}

static void
value_check (const gchar *name, gdouble value, gpointer data)
{
  g_assert_true (isfinite (value));
}

/* Any bytes as reports, any frames: a level within 0..100, finite values, and a
 * copy goes on like the original. */
static void
law_garbage (gconstpointer data)
{
  const RaFecOps *ops = data;
  g_autoptr (RaFec) f = fec_new (ops->name, NULL);
  g_autofree guint8 *copy = g_malloc (ops->size);
  RaTime now = 0;
  RaRng rng;

  ra_rng_init (&rng, SEED, 0);
  for (guint i = 0; i < 500; i++) {
    RaReport report;
    guint32 n = ra_rng_next (&rng) >> (ra_rng_next (&rng) % 32);

    for (gsize k = 0; k < sizeof report; k++)
      ((guint8 *) &report)[k] = (guint8) ra_rng_next (&rng);
    now = i % 16 ? now + ra_rng_next (&rng) : ra_rng_next (&rng);
    memcpy (copy, f, ops->size);
    ra_fec_on_frame (f, n);
    ra_fec_on_report (f, &report, now);
    law_cmpuint (ra_fec_percentage (f), <=, 100);
    if (i % 8 == 0) {
      ra_fec_on_frame ((RaFec *) copy, n);
      ra_fec_on_report ((RaFec *) copy, &report, now);
      law_true (memcmp (f, copy, ops->size) == 0);
    }
    ra_fec_observe (f, value_check, NULL);
  }
}

void
tests_add (void)
{
  rows_add_all ("/fec/garbage", ra_fecs, law_garbage);
  rows_add ("/fec/row", rows, test_row);
  rows_add ("/fec/block", block_rows, test_block);
  rows_add ("/fec/story", stories, test_story);
  rows_add_n ("/fec/grid",
      G_N_ELEMENTS (losses) * G_N_ELEMENTS (bursts) * G_N_ELEMENTS (sizes),
      test_grid);
  g_test_add_func ("/fec/out-of-reach", test_out_of_reach);
  g_test_add_func ("/fec/mixed", test_mixed);
  rows_add ("/fec/loop", loops, test_loop);
}
