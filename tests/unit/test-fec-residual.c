/* What rtpulpfecenc leaves missing: by hand, and by trying every path.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "../rows.h"

#include <tools/sim/ulpfec.h>

#include <gst/rtpadapt/fec/residual.h>

#include <math.h>

/* By hand.  Independent losses, w = .1, g = .9; in bursts of mean 4 (w = .1):
 * bad to bad 3/4, bad to good 1/4, good to bad .1 * .25 / .9 = 1/36, good to
 * good 35/36. */
static const struct
{
  gdouble w, burst;
  guint n, f;
  gdouble missing;
  const gchar *why;
} rows[] = {
  { .1, 1, 1, 0, .1, "nothing repairs" },
  { .1, 1, 5, 0, .5, "nothing repairs five" },
  { .1, 4, 5, 0, .5, "and bursts do not change the mean" },
  { 0, 1, 5, 2, 0, "nothing is lost" },
  { 0, 4, 5, 2, 0, "nothing is lost in no bursts" },
  /* packet and copy: w^2 */
  { .1, 1, 1, 1, .01, "a copy" },
  /* .1 * 3/4 */
  { .1, 4, 1, 1, .075, "a copy right behind, in bursts" },
  /* each is lost and one of two others: 2 w (1 - g^2) = .2 * .19 */
  { .1, 1, 2, 1, .038, "a row of two" },
  /* 3 w (1 - g^3) = .3 * .271 */
  { .1, 1, 3, 1, .0813, "a row of three" },
  /* two rows of two: 4 w (1 - g^2) */
  { .1, 1, 4, 2, .076, "two rows of two" },
  /* MM FF: 0 goes with 2, 1 with 3: lost and two later lost.  Two steps from
   * bad to bad: 3/4 * 3/4 + 1/4 * 1/36 = 82/144; .1 * 82/144 * 2 */
  { .1, 4, 2, 2, .2 * 82 / 144, "two copies behind two, in bursts" },
  /* rows {0 1} {1 2}; lost: 0 stays if A lost or (1 lost and not repaired by
   * B): w (w + g w (1 - g^2)) -- B repairs 1 if it came and 2 came: g^2 = .81;
   * .1 * (.1 + .9 * .1 * .19) = .01171, the same for 2 by symmetry; 1 stays if
   * neither row repairs it (each with .81): .1 * .19^2 = .00361 */
  { .1, 1, 3, 2, .02703, "two rows that share a packet" },
  /* rows {0} {1} ...: 48 copies, and 12 packets without: 48 w^2 + 12 w */
  { .1, 1, 60, 60, 1.68, "only the last 48 are protected" },
  { .1, 1, 1, 7, .01, "no more repair packets than media packets" },
  { -1, 1, 5, 1, 0, "w below 0" },
};

static void
test_row (gconstpointer data)
{
  guint i = GPOINTER_TO_UINT (data);
  RaResidual m;
  gdouble missing;

  ra_residual_init (&m, rows[i].w, rows[i].burst);
  missing = ra_residual_frame (&m, rows[i].n, rows[i].f);
  g_test_message ("%s: %.9g, not %.9g", rows[i].why, missing, rows[i].missing);
  g_assert_cmpfloat_with_epsilon (missing, rows[i].missing, 1e-12);
}

/* The mean over all 2^(n + f) outcomes of a frame. */
static gdouble
enumerate (gdouble w, gdouble to_bad, gdouble to_good, guint n, guint f)
{
  gdouble missing = 0;

  for (guint path = 0; path < 1u << (n + f); path++) {
    gboolean came[2 * ULPFEC_MAX];
    gdouble p = 1;

    for (guint i = 0; i < n + f; i++) {
      gboolean bad = path >> i & 1, was = i > 0 && path >> (i - 1) & 1;
      gdouble p_bad = i == 0 ? w : was ? 1 - to_good : to_bad;

      came[i] = !bad;
      p *= bad ? p_bad : 1 - p_bad;
    }
    missing += p * ulpfec_missing (came, n, came + n, f);
  }
  return missing;
}

static void
test_enumerate (void)
{
  static const gdouble w[] = { .01, .1, .5 }, burst[] = { 0, 1.5, 4 };

  for (guint k = 0; k < 9; k++) {
    gdouble to_good = burst[k / 3] > 0 ? 1 / burst[k / 3] : 1 - w[k % 3];
    gdouble to_bad = w[k % 3] * to_good / (1 - w[k % 3]);
    RaResidual m;

    if (1 - to_good < w[k % 3]) /* bursts shorter than by chance */
      continue;
    ra_residual_init (&m, w[k % 3], burst[k / 3]);
    for (guint n = 1; n <= 8; n++) {
      for (guint f = 0; f <= MIN (n, 14 - n); f++) {
        gdouble all = enumerate (w[k % 3], to_bad, to_good, n, f);
        gdouble missing = ra_residual_frame (&m, n, f);

        if (fabs (missing - all) > 1e-12)
          g_test_message ("w %g burst %g n %u f %u: %.15g, not %.15g", w[k % 3],
              burst[k / 3], n, f, missing, all);
        g_assert_cmpfloat_with_epsilon (missing, all, 1e-12);
      }
    }
  }
}

/* The older a frame the less it counts, by 255/256 each.  By hand: 50 for ever,
 * then k frames of 5: 5 + 45 (255/256)^k. */
static void
test_frames (void)
{
  RaFrames frames = { 0 };

  g_assert_cmpfloat (ra_frames_mean (&frames), ==, 0);
  for (guint i = 0; i < 400000; i++)
    ra_frames_add (&frames, 50);
  g_assert_cmpfloat_with_epsilon (ra_frames_mean (&frames), 50, 1e-9);
  for (guint i = 0; i < 256; i++)
    ra_frames_add (&frames, 5);
  g_assert_cmpfloat_with_epsilon (
      ra_frames_mean (&frames), 5 + 45 * pow (255. / 256, 256), 1e-6);
}

void
tests_add (void)
{
  rows_add ("/fec-residual/row", rows, test_row);
  g_test_add_func ("/fec-residual/enumerate", test_enumerate);
  g_test_add_func ("/fec-residual/frames", test_frames);
}
