/* The size and the frame rate that a bitrate is enough for.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "../rows.h"

#include <gst/rtpadapt/rate/picture.h>
#include <gst/rtpadapt/util/rng.h>

#define SEED 20261123

/* libwebrtc's least bitrate to start with, "VP8 and other codecs". */
static const struct
{
  guint width, height;
  guint64 bps;
  const gchar *why;
} published[] = {
  { 480, 270, 200000, "480x270" },
  { 640, 360, 300000, "640x360" },
  { 960, 540, 500000, "960x540" },
  { 1280, 720, 900000, "1280x720" },
};

static void
test_published (gconstpointer data)
{
  guint i = GPOINTER_TO_UINT (data);
  const RaPicture p = { published[i].width, published[i].height, 25, 1 };

  g_test_message ("%s: within a ninth", published[i].why);
  g_assert_cmpfloat_with_epsilon (
      (gdouble) ra_picture_least (&p, 0) / (gdouble) published[i].bps, 1, .111);
}

/* Sizes by hand. */
static const struct
{
  RaPicture full;
  guint step;
  RaPicture at;
  const gchar *why;
} pictures[] = {
  { { 640, 360, 25, 1 }, 0, { 640, 360, 25, 1 }, "full" },
  { { 640, 360, 25, 1 }, 1, { 480, 270, 25, 1 }, "3/4" },
  { { 640, 360, 25, 1 }, 2, { 480, 270, 25, 2 }, "half the frame rate" },
  { { 640, 360, 25, 1 }, 3, { 320, 180, 25, 2 }, "1/2" },
  { { 640, 360, 25, 1 }, 4, { 240, 136, 25, 2 }, "135 is not even" },
  { { 1280, 720, 30000, 1001 }, 5, { 320, 180, 30000, 2002 }, "1/4" },
  { { 1280, 720, 30000, 1001 }, 9, { 320, 180, 30000, 2002 }, "the last" },
  { { 641, 361, 25, 1 }, 0, { 641, 361, 25, 1 }, "full, whatever it is" },
  { { 640, 360, 10, 1 }, 2, { 480, 270, 10, 1 }, "5 a second are too few" },
  { { 640, 360, 14, 1 }, 2, { 480, 270, 14, 2 }, "7 a second are not" },
};

static void
test_picture (gconstpointer data)
{
  guint i = GPOINTER_TO_UINT (data);
  RaPicture p = ra_picture_at (&pictures[i].full, pictures[i].step);

  g_test_message ("%s", pictures[i].why);
  g_assert_cmpuint (p.width, ==, pictures[i].at.width);
  g_assert_cmpuint (p.height, ==, pictures[i].at.height);
  g_assert_cmpuint (p.fps_n, ==, pictures[i].at.fps_n);
  g_assert_cmpuint (p.fps_d, ==, pictures[i].at.fps_d);
}

/* A bitrate for some seconds after another, of 640x360 at 25 Hz.  By hand: 300 k for
 * 640x360; (9 / 16) ^ .75 = .6495: 194.9 k for 480x270, 97.4 k at half the frame rate;
 * (1 / 4) ^ .75 = .3536: 53 k for 320x180 at half of it. */
static const struct
{
  guint64 first; /* bit/s, for 20 s */
  guint64 then;  /* bit/s */
  guint ms;      /* for so long, said each 100 ms */
  guint step;
  const gchar *why;
} fits[] = {
  { 1000000, 1000000, 20000, 0, "enough" },
  { 300000, 300000, 20000, 0, "just enough" },
  { 1000000, 299000, 1900, 0, "less than enough, for less than 2 s" },
  { 1000000, 299000, 2000, 1, "less than enough" },
  { 1000000, 195000, 2000, 1, "enough for 480x270" },
  { 1000000, 194000, 2000, 2, "enough for half its frame rate" },
  { 1000000, 97000, 2000, 3, "not for that" },
  { 1000000, 30000, 2000, 3, "320x180 is never made smaller" },
  { 200000, 399000, 60000, 1, "enough, but not a third more" },
  { 200000, 401000, 9900, 1, "a third more, for less than 10 s" },
  { 200000, 401000, 10000, 0, "a third more" },
  { 30000, 1000000, 10000, 2, "up one step at a time" },
  { 30000, 1000000, 40000, 0, "all the way up" },
};

static void
say (RaPictureFit *fit, const RaPicture *full, guint64 bps, guint ms,
    RaTime *now)
{
  for (guint i = 0; i <= ms; i += 100)
    ra_picture_fit (fit, full, bps, *now + i * (RaTime) RA_MSECOND);
  *now += (ms + 100) * (RaTime) RA_MSECOND;
}

static void
test_fit (gconstpointer data)
{
  guint i = GPOINTER_TO_UINT (data);
  const RaPicture full = { 640, 360, 25, 1 };
  RaPictureFit fit = { 0 };
  RaTime now = RA_SECOND;

  g_test_message ("%s", fits[i].why);
  say (&fit, &full, fits[i].first, 20000, &now);
  say (&fit, &full, fits[i].then, fits[i].ms, &now);
  g_assert_cmpuint (fit.step, ==, fits[i].step);
}

/* A moment of another bitrate changes nothing. */
static void
test_moment (void)
{
  const RaPicture full = { 640, 360, 25, 1 };
  RaPictureFit fit = { 0 };
  RaTime now = RA_SECOND;

  for (guint i = 0; i < 20; i++) {
    say (&fit, &full, 100000, 1800, &now);
    say (&fit, &full, 400000, 0, &now);
  }
  g_assert_cmpuint (fit.step, ==, 0);
}

/* Another full picture, which has no such step. */
static void
test_other (void)
{
  const RaPicture full = { 640, 360, 25, 1 }, small = { 320, 180, 25, 1 };
  RaPictureFit fit = { 0 };
  RaTime now = RA_SECOND;

  say (&fit, &full, 60000, 5000, &now);
  g_assert_cmpuint (fit.step, ==, 3);
  g_assert_true (ra_picture_fit (&fit, &small, 60000, now));
  g_assert_cmpuint (fit.step, ==, 0);
  say (&fit, &small, 1000, 60000, &now);
  g_assert_cmpuint (fit.step, ==, 0);
}

/* Whatever comes: no step without an even size, none above the full picture, and each
 * needs less than the one before. */
static void
test_laws (void)
{
  RaRng rng;

  ra_rng_init (&rng, SEED, 0);
  for (guint i = 0; i < 20000; i++) {
    const RaPicture full = { 16 + ra_rng_next (&rng) % 8000,
      16 + ra_rng_next (&rng) % 5000, 1 + ra_rng_next (&rng) % 120, 1 };

    for (guint step = 1; step < 6; step++) {
      RaPicture p = ra_picture_at (&full, step);

      g_assert_cmpuint (p.width % 2, ==, 0);
      g_assert_cmpuint (p.height % 2, ==, 0);
      g_assert_cmpuint (p.width, <=, full.width);
      g_assert_cmpuint (p.height, <=, full.height);
      g_assert_cmpuint (ra_picture_least (&full, step), <=,
          ra_picture_least (&full, step - 1));
    }
  }
}

void
tests_add (void)
{
  rows_add ("/picture/published", published, test_published);
  rows_add ("/picture/size", pictures, test_picture);
  rows_add ("/picture/fit", fits, test_fit);
  g_test_add_func ("/picture/moment", test_moment);
  g_test_add_func ("/picture/other", test_other);
  g_test_add_func ("/picture/laws", test_laws);
}
