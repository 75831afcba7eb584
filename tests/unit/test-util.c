/* Units, random numbers, windowed minima.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <gst/rtpadapt/util/noise.h>
#include <gst/rtpadapt/util/rng.h>
#include <gst/rtpadapt/util/winmin.h>

#include <math.h>

#include "../rows.h"

/* What pcg32-demo of O'Neill's pcg-c-basic prints for seed 42, stream 54. */
static void
test_rng_reference (void)
{
  static const guint32 demo[] = { 0xa15c02b7, 0x7b47f409, 0xba1d3330,
    0x83d2f293, 0xbfa4784b, 0xcbed606e };
  RaRng rng;

  ra_rng_init (&rng, 42, 54);
  for (guint i = 0; i < G_N_ELEMENTS (demo); i++)
    g_assert_cmphex (ra_rng_next (&rng), ==, demo[i]);
}

/* Chi square of 64 bins: above 104 (63 degrees) once in 1000 seeds. */
static void
test_rng_uniform (void)
{
  const guint n = 64000, bins = 64;
  guint count[64] = { 0 };
  gdouble chi = 0;
  RaRng rng;

  ra_rng_init (&rng, 7, 0);
  for (guint i = 0; i < n; i++) {
    gdouble u = ra_rng_uniform (&rng);

    g_assert_true (u >= 0 && u < 1);
    count[(guint) (u * bins)]++;
  }
  for (guint i = 0; i < bins; i++)
    chi += pow (count[i] - n / (gdouble) bins, 2) / (n / (gdouble) bins);
  g_assert_cmpfloat (chi, <, 104);
}

static void
test_rng_chance (void)
{
  static const gdouble ps[] = { -1, 0, NAN, .01, .3, 1, 2 };
  const guint n = 100000;
  RaRng zero = { .state = 0, .inc = 1 }; /* its next number is 0 */

  g_assert_false (ra_rng_chance (&zero, 0));
  for (guint i = 0; i < G_N_ELEMENTS (ps); i++) {
    gdouble p = isnan (ps[i]) ? 0 : CLAMP (ps[i], 0, 1);
    guint hits = 0;
    RaRng rng;

    ra_rng_init (&rng, 3, i);
    for (guint j = 0; j < n; j++)
      hits += ra_rng_chance (&rng, ps[i]);
    /* 4 standard deviations of a binomial; none at 0 and 1 */
    g_assert_cmpfloat (fabs (hits - n * p), <=, 4 * sqrt (n * p * (1 - p)));
  }
}

/* Correlation of two streams: sd 1 / sqrt (n), 4.5 of them for 28 pairs. */
static void
test_rng_streams (void)
{
  const guint n = 20000;

  for (guint a = 0; a < 8; a++) {
    for (guint b = a + 1; b < 8; b++) {
      RaRng x, y;
      gdouble sum = 0;

      ra_rng_init (&x, 42, a);
      ra_rng_init (&y, 42, b);
      for (guint i = 0; i < n; i++)
        sum += (ra_rng_uniform (&x) - .5) * (ra_rng_uniform (&y) - .5);
      g_assert_cmpfloat (fabs (sum * 12 / n), <, 4.5 / sqrt (n));
    }
  }
}

/* The sum of twelve uniform numbers is about normal, with a standard deviation of 1.  Its
 * second differences have one of sqrt (6), and their absolute values one of sqrt (6 (1 -
 * 2 / pi)) = 1.48 around 1.95; neighbours have correlated ones, so that a mean over 20,000
 * is good to 2 %.  A ramp of 3 each adds nothing. */
static void
test_noise (void)
{
  gdouble x[3] = { 0 }, sum = 0;
  RaRng rng;

  ra_rng_init (&rng, 11, 0);
  for (guint i = 0; i < 20002; i++) {
    x[2] = x[1];
    x[1] = x[0];
    x[0] = 3. * i - 6;
    for (guint k = 0; k < 12; k++)
      x[0] += ra_rng_uniform (&rng);
    sum += i >= 2 ? ra_noise_deviation (x[0] - 2 * x[1] + x[2]) : 0;
  }
  g_assert_cmpfloat_with_epsilon (sum / 20000, 1, .02);
}

/* The header's guarantee against all samples kept: the answer covers at least
 * the last 7/8 of the window and nothing beyond it, even where a sample comes
 * out of order by less than a window. */
static void
test_winmin (gconstpointer data)
{
  const RaSpan window = 8 * RA_MSECOND;
  const RaSpan back = GPOINTER_TO_INT (data) ? window - 1 : 0;
  RaTime t[5000], newest = 0, clock = 1000 * RA_SECOND;
  gdouble v[5000];
  RaWinMin w;
  RaRng rng;

  ra_rng_init (&rng, 5, 0);
  ra_winmin_init (&w);
  g_assert_cmpfloat (ra_winmin_get (&w, 0, window), ==, G_MAXDOUBLE);
  for (guint i = 0; i < G_N_ELEMENTS (t); i++) {
    gdouble wide = G_MAXDOUBLE, narrow = G_MAXDOUBLE, got;

    clock += ra_rng_next (&rng) % (i % 500 ? RA_MSECOND : 3 * window);
    newest = MAX (newest, clock);
    t[i] = clock - (RaTime) ((gdouble) back * ra_rng_uniform (&rng));
    newest = MAX (newest, t[i]);
    v[i] = ra_rng_uniform (&rng);
    ra_winmin_add (&w, v[i], t[i], window);
    for (guint j = 0; j <= i; j++) {
      if (t[j] + (RaTime) window > newest)
        wide = MIN (wide, v[j]);
      if (t[j] + (RaTime) window / 8 * 7 >= newest)
        narrow = MIN (narrow, v[j]);
    }
    got = ra_winmin_get (&w, newest, window);
    g_assert_cmpfloat (got, >=, wide);
    g_assert_cmpfloat (got, <=, narrow);
  }
}

static void
test_winmin_edges (void)
{
  RaWinMin w;

  ra_winmin_init (&w);
  ra_winmin_add (&w, 5, 0, 0);
  ra_winmin_add (&w, 9, RA_TIME_NONE - 1, 0);
  g_assert_cmpfloat (ra_winmin_get (&w, RA_TIME_NONE - 1, 0), ==, 5);

  ra_winmin_init (&w);
  ra_winmin_add (&w, 5, RA_TIME_NONE - 1, 1);
  g_assert_cmpfloat (ra_winmin_get (&w, RA_TIME_NONE - 1, 1), ==, 5);

  /* A clock that starts again does not find minima of its former life. */
  ra_winmin_init (&w);
  ra_winmin_add (&w, 5, 1000 * RA_SECOND, RA_SECOND);
  g_assert_cmpfloat (ra_winmin_get (&w, RA_SECOND, RA_SECOND), ==, G_MAXDOUBLE);
  ra_winmin_add (&w, 9, RA_SECOND, RA_SECOND);
  g_assert_cmpfloat (ra_winmin_get (&w, RA_SECOND, RA_SECOND), ==, 9);
}

static const struct
{
  gdouble seconds;
  RaSpan span;
  const gchar *why;
} span_rows[] = {
  { 0, 0, "zero" },
  { 1.5, 1500000000, "exact" },
  { 1.001, 1001000000, "not 1000999999, where the product is just below" },
  { -1.001, -1001000000, "the same below 0" },
  { .4e-9, 0, "rounds down" },
  { .6e-9, 1, "rounds up" },
  { 1e10, G_MAXINT64, "saturates" },
  { INFINITY, G_MAXINT64, "saturates" },
  { -1e10, 0, "never RA_SPAN_NONE" },
  { -INFINITY, 0, "never RA_SPAN_NONE" },
  { NAN, 0, "no number" },
};

static const struct
{
  RaTime t;
  RaSpan span;
  RaTime later;
  const gchar *why;
} later_rows[] = {
  { 5, 3, 8, "forth" },
  { 5, -3, 2, "back" },
  { 5, -5, 0, "back to 0" },
  { 5, -6, 0, "not before 0" },
  { 5, G_MININT64, 0, "not before 0, and no overflow" },
  { 0, G_MAXINT64, G_MAXINT64, "far" },
  { RA_TIME_NONE - 5, 3, RA_TIME_NONE - 2, "close to the end" },
  { RA_TIME_NONE - 5, 4, RA_TIME_NONE - 1, "the last time" },
  { RA_TIME_NONE - 5, 5, RA_TIME_NONE - 1, "never RA_TIME_NONE" },
  { RA_TIME_NONE - 5, G_MAXINT64, RA_TIME_NONE - 1, "no overflow" },
};

static const struct
{
  gdouble bytes;
  guint64 bits;
  const gchar *why;
} bits_rows[] = {
  { 0, 0, "zero" },
  { 125000, 1000000, "8 bits" },
  { 1. / 16, 1, "half a bit rounds up" },
  { 1. / 17, 0, "less rounds down" },
  { -1, 0, "negative" },
  { NAN, 0, "no number" },
  { 1e30, G_MAXUINT64, "saturates" },
  { INFINITY, G_MAXUINT64, "saturates" },
  { -INFINITY, 0, "negative" },
};

static const struct
{
  gdouble bytes;
  guint64 bps;
  RaSpan span;
  const gchar *why;
} send_rows[] = {
  { 1500, 1000000, 12 * RA_MSECOND, "12000 bits at 1 Mbit/s" },
  { 1, 0, G_MAXINT64, "for ever" },
  { 0, 1, 0, "nothing takes no time" },
  { 1e30, 1, G_MAXINT64, "saturates" },
};

static void
test_types (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (span_rows); i++) {
    g_test_message ("span: %s", span_rows[i].why);
    g_assert_cmpint (ra_span (span_rows[i].seconds), ==, span_rows[i].span);
  }
  for (guint i = 0; i < G_N_ELEMENTS (later_rows); i++) {
    g_test_message ("later: %s", later_rows[i].why);
    g_assert_cmpuint (ra_later (later_rows[i].t, later_rows[i].span), ==,
        later_rows[i].later);
  }
  for (guint i = 0; i < G_N_ELEMENTS (bits_rows); i++) {
    g_test_message ("bits: %s", bits_rows[i].why);
    g_assert_cmpuint (ra_bits (bits_rows[i].bytes), ==, bits_rows[i].bits);
  }
  for (guint i = 0; i < G_N_ELEMENTS (send_rows); i++) {
    g_test_message ("send: %s", send_rows[i].why);
    g_assert_cmpint (ra_send_span (send_rows[i].bytes, send_rows[i].bps), ==,
        send_rows[i].span);
  }
  g_assert_cmpint (ra_diff (3, 5), ==, -2);
  g_assert_cmpint (ra_diff (RA_TIME_NONE - 1, RA_TIME_NONE - 3), ==, 2);
  g_assert_cmpfloat (ra_bytes (12), ==, 1.5);
  g_assert_cmpfloat (ra_seconds (-250 * RA_MSECOND), ==, -.25);
  g_assert_cmpstr (ra_cause_nick (RA_CAUSE_NONE), ==, "none");
  g_assert_cmpstr (ra_cause_nick (RA_CAUSE_CONGESTION), ==, "congestion");
  g_assert_cmpstr (ra_cause_nick (RA_CAUSE_WIRELESS), ==, "wireless");
}

void
tests_add (void)
{
  g_test_add_func ("/types", test_types);
  g_test_add_func ("/rng/reference", test_rng_reference);
  g_test_add_func ("/rng/uniform", test_rng_uniform);
  g_test_add_func ("/rng/chance", test_rng_chance);
  g_test_add_func ("/rng/streams", test_rng_streams);
  rows_add_n ("/winmin/brute-force", 2, test_winmin);
  g_test_add_func ("/noise", test_noise);
  g_test_add_func ("/winmin/edges", test_winmin_edges);
}
