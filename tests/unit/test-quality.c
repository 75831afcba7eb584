/* The JPEG quality that makes a bitrate.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "../rows.h"

#include <gst/rtpadapt/rate/quality.h>
#include <gst/rtpadapt/util/rng.h>

#include <math.h>

#define SEED 20261123

/* From an encoder of quality 20 (the scale is 250 %), which made 1 Mbit/s.  By hand:
 * the scale that makes the bitrate is 250 / (bps / 1e6) ^ (1 / .55), and the quality
 * for it 5000 / scale, or (200 - scale) / 2 where that is above 50. */
static const struct
{
  gdouble bps;
  guint quality;
  const gchar *why;
} step_rows[] = {
  { 1.00e6, 20, "it has that" },
  { 1.04e6, 20, "4 % are little" },
  { .96e6, 20, "the same below" },
  { 1.10e6, 24, "250 / 1.1 ^ 1.818 = 210; 5000 / 210 = 23.8" },
  { .50e6, 6, "250 / .5 ^ 1.818 = 881; 5.7" },
  { 2.00e6, 65, "250 / 2 ^ 1.818 = 70.9; (200 - 70.9) / 2 = 64.6" },
  { 4.00e6, 90, "20.1; 89.9" },
  { .20e6, RA_QUALITY_MIN, "4668; 1.07, below which it saves nothing" },
  { 50.0e6, RA_QUALITY_MAX, ".2; 99.9, above which it only costs" },
};

static void
test_step (gconstpointer data)
{
  guint i = GPOINTER_TO_UINT (data);
  RaQuality q = { 0 };

  g_test_message ("%s", step_rows[i].why);
  g_assert_cmpuint (ra_quality_for (&q, 1e6), ==, RA_QUALITY_START);
  ra_quality_on_made (&q, 1e6);
  g_assert_cmpuint (
      ra_quality_for (&q, step_rows[i].bps), ==, step_rows[i].quality);
}

/* Without a measurement there is nothing to go by. */
static void
test_unknown (void)
{
  RaQuality q = { 0 };

  ra_quality_on_made (&q, 1e6);
  g_assert_cmpuint (ra_quality_for (&q, 9e6), ==, 20);
  ra_quality_on_made (&q, 0);
  g_assert_cmpuint (ra_quality_for (&q, 9e6), ==, 20);
  ra_quality_on_made (&q, 1e6);
  g_assert_cmpuint (ra_quality_for (&q, 0), ==, 20);
}

/* Clips: bytes of a picture at qualities 5, 10, 20 and so on, measured with jpegenc
 * (tests/bench/quality.csv). */
static const struct
{
  const gchar *name;
  gdouble bytes[11];
} clips[] = {
  { "cityCC0",
      { 12261, 18785, 28762, 36413, 42851, 48811, 55259, 64531, 78582, 107112,
          143920 } },
  { "bigbuckbunny",
      { 20744, 29858, 44883, 57051, 67107, 76492, 86476, 101688, 126098, 183630,
          264413 } },
  { "smpte",
      { 9900, 11257, 13382, 15892, 17341, 18611, 19920, 21938, 24730, 29677,
          34752 } },
};
static const guint at[] = { 5, 10, 20, 30, 40, 50, 60, 70, 80, 90, 95 };

static gdouble
clip_bytes (guint clip, guint quality)
{
  const gdouble *b = clips[clip].bytes;
  guint i = 0;

  while (at[i + 1] < quality)
    i++;
  return b[i]
      + (b[i + 1] - b[i]) * (quality - at[i]) / (gdouble) (at[i + 1] - at[i]);
}

/* 25 pictures a second, five of them to a measurement, whose sizes differ by 10 %:
 * within 2 s, and from then on, the mean is within 15 % of any bitrate that the clip
 * can make, and not 10 % above it. */
static void
test_converges (gconstpointer data)
{
  guint clip = GPOINTER_TO_UINT (data);
  RaRng rng;

  ra_rng_init (&rng, SEED, 0);
  for (gdouble share = 1.1; share < 2.5; share += .2) {
    gdouble target = clip_bytes (clip, 5) * 25 * 8 * share;
    RaQuality q = { 0 };
    gdouble sum = 0;

    if (target > clip_bytes (clip, 95) * 25 * 8)
      break;
    for (guint i = 0; i < 60; i++) {
      guint quality = ra_quality_for (&q, target);
      gdouble bps = clip_bytes (clip, quality) * 25 * 8
          * (.9 + .2 * ra_rng_uniform (&rng));

      ra_quality_on_made (&q, bps);
      sum += i < 10 ? 0 : bps / 50;
    }
    g_test_message ("%s: %.0f of %.0f", clips[clip].name, sum, target);
    g_assert_cmpfloat (sum, >, .85 * target);
    g_assert_cmpfloat (sum, <, 1.1 * target);
  }
}

/* Pictures that become twice as large are twice too large once. */
static void
test_scene (void)
{
  RaQuality q = { 0 };
  gdouble target = clip_bytes (0, 40) * 200;

  for (guint i = 0; i < 20; i++)
    ra_quality_on_made (&q, clip_bytes (0, ra_quality_for (&q, target)) * 200);
  ra_quality_on_made (&q, 2 * clip_bytes (0, q.quality) * 200);
  g_assert_cmpfloat (
      2 * clip_bytes (0, ra_quality_for (&q, target)) * 200, <, 1.1 * target);
}

void
tests_add (void)
{
  rows_add ("/quality/step", step_rows, test_step);
  g_test_add_func ("/quality/unknown", test_unknown);
  rows_add_by ("/quality/converges", clips, name, test_converges);
  g_test_add_func ("/quality/scene", test_scene);
}
