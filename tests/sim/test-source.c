/* The simulation's MPEG-4 source.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <tools/sim/sim.h>
#include <tools/sim/mpeg.h>

#include <math.h>
#include <string.h>

#include "../main.h"

/* N = 12, M = 3, as coded; 160 + 3 * 60 + 8 * 30 = 580 a group, 12 frames. */
static void
test_group (void)
{
  static const gchar letters[] = "IPB";
  gchar group[2 * SIM_MPEG_GOP + 1] = "";

  for (guint n = 0; n < 2 * SIM_MPEG_GOP; n++)
    group[n] = letters[sim_mpeg_type (n)];
  g_assert_cmpstr (group, ==, "IBBPBBPBBPBBIBBPBBPBBPBB");
  g_assert_cmpfloat_with_epsilon (
      sim_mpeg_part (SIM_MPEG_I), 160 * 12 / 580., 1e-12);
  g_assert_cmpfloat_with_epsilon (
      sim_mpeg_part (SIM_MPEG_P), 60 * 12 / 580., 1e-12);
  g_assert_cmpfloat_with_epsilon (
      sim_mpeg_part (SIM_MPEG_B), 30 * 12 / 580., 1e-12);
}

/* TES: each type is uniform in .8 to 1.2 of its mean, and near the one before:
 * V moves U by .1 at most, the stitched value by .2, the size by .4 * .2.  After
 * 10,000 groups the mean is within 1 %: V's variance is .04 / 12, so that U
 * forgets in about 1 / (2 pi^2 * .04 / 12) = 15 steps; that leaves 650 free
 * values of I, whose deviation is .4 / sqrt(12) = .12, and .12 / sqrt(650) =
 * .45 %; of B, eight times as many. */
static void
test_sizes (void)
{
  gdouble sum = 0, last[SIM_MPEG_TYPES] = { 0 };
  const guint n = 10000 * SIM_MPEG_GOP;
  SimMpeg mpeg;
  RaRng rng;

  ra_rng_init (&rng, 1, 1);
  sim_mpeg_init (&mpeg, &rng);
  for (guint i = 0; i < n; i++) {
    SimMpegType type;
    gdouble part = sim_mpeg_next (&mpeg, &rng, &type);
    gdouble size = part / sim_mpeg_part (type);

    g_assert_cmpint (type, ==, sim_mpeg_type (i));
    g_assert_cmpfloat (size, >=, .8);
    g_assert_cmpfloat (size, <=, 1.2);
    if (i >= SIM_MPEG_GOP)
      g_assert_cmpfloat (fabs (size - last[type]), <=, .0800001);
    last[type] = size;
    sum += part;
  }
  g_assert_cmpfloat_with_epsilon (sum / n, 1, .01);
}

/* At 1 Mbit/s, the mean follows the rate, and all packets are full.  What waits
 * longer than 40 ms takes its seconds off the media rate (split.h), an I frame
 * of 3.3 / 25 s = 132 ms and less behind it: 9 % at most. */
static void
test_stream (void)
{
  g_autoptr (GError) error = NULL;
  RaSimConfig cfg;
  gdouble bits;
  RaRun run;

  ra_sim_config_init (&cfg);
  cfg.flow.controller = "fixed";
  cfg.rate.start = cfg.rate.max = 1000000;
  cfg.packet_size = 1000;
  cfg.fps = 25;
  cfg.mpeg = TRUE;
  g_assert_true (ra_sim_run (&cfg, &run, &error));
  g_assert_no_error (error);
  g_assert_cmpfloat (run.score.goodput_bps, >=, .91e6);
  g_assert_cmpfloat (run.score.goodput_bps, <=, 1e6);
  bits = run.score.goodput_bps * run.score.seconds;
  g_assert_cmpfloat_with_epsilon (
      bits / (gdouble) run.score.arrived, 8000, 1e-6);
}

void
tests_add (void)
{
  g_test_add_func ("/source/group", test_group);
  g_test_add_func ("/source/sizes", test_sizes);
  g_test_add_func ("/source/stream", test_stream);
}
