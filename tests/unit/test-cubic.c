/* rate/cubic: the window by hand.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "../rows.h"

#include <gst/rtpadapt/rate/cubic.h>

/* A window of `begin` packets is reduced `reductions` times, and then grows for
 * `rounds` steps of `dt` at a round trip of `rtt`.  C = .4, beta = .7.
 *
 * 100: w = 70, K = (30 / .4)^(1/3) = 4.217163.  W (.1) = .4 (.1 - K)^3 + 100 =
 * 100 - .4 69.79016 = 72.083936; half a round trip goes half of the way.
 * Twice: 70 had not come back to 100, so w_max = 70 .85 = 59.5, w = 49, K =
 * (10.5 / .4)^(1/3) = 2.971961, W (.1) = 59.5 - .4 2.871961^3 = 50.024643.
 * 10 at 20 ms: W (.02) is 7.09, Reno's is 7 + 3 (.3 / 1.7) = 7.529412 in the
 * first, 10.176471 in the sixth, which is more than 10: 11.176471 in the seventh.
 * 10, not reduced, K = 0: W (10 s) = 410, of which 1.5 w are the goal, a tenth of
 * the way. */
static const struct
{
  const gchar *name;
  gdouble begin;
  guint reductions, rounds;
  gdouble dt, rtt, w;
  const gchar *why;
} rows[] = {
  { "reduced", 100, 1, 0, .1, .1, 70, "4.6: .7 of it" },
  { "concave", 100, 1, 1, .1, .1, 72.083936, "4.4: towards the last maximum" },
  { "part", 100, 1, 1, .05, .1, 71.041968, "half of a round trip, half of it" },
  { "convergence", 100, 2, 1, .1, .1, 50.024643, "4.7: room for others" },
  { "reno", 10, 1, 1, .02, .02, 7.529412, "4.3: as many as Reno" },
  { "reno-later", 10, 1, 7, .02, .02, 11.176471, "4.3: and then as quick" },
  { "convex", 10, 0, 1, 1, 10, 10.5, "4.2: 1.5 times a round trip at most" },
  { "least", 1, 3, 0, .1, .1, 1, "a packet at least" },
};

static void
test_window (gconstpointer data)
{
  guint i = GPOINTER_TO_UINT (data);
  RaCubic c;

  g_test_message ("%s", rows[i].why);
  ra_cubic_begin (&c, rows[i].begin);
  for (guint n = 0; n < rows[i].reductions; n++)
    ra_cubic_reduce (&c);
  for (guint n = 0; n < rows[i].rounds; n++)
    ra_cubic_grow (&c, rows[i].dt, rows[i].rtt);
  g_assert_cmpfloat_with_epsilon (c.w, rows[i].w, 1e-5);
}

/* RFC 8312 5.1, table 1, an RTT of .1 s: 187 and 1054 packets. */
static void
test_mean (void)
{
  g_assert_cmpfloat_with_epsilon (ra_cubic_mean (.1, 1e-4), 187, .5);
  g_assert_cmpfloat_with_epsilon (ra_cubic_mean (.1, 1e-5), 1054, .5);
}

static void
test_bounds (void)
{
  RaCubic c;

  ra_cubic_begin (&c, 10);
  ra_cubic_limit (&c, 5);
  g_assert_cmpfloat (c.w, ==, 5);
  ra_cubic_raise (&c, 4);
  g_assert_cmpfloat (c.w, ==, 5);
  ra_cubic_raise (&c, 8);
  g_assert_cmpfloat (c.w, ==, 8);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  rows_add_by ("/cubic/window", rows, name, test_window);
  g_test_add_func ("/cubic/mean", test_mean);
  g_test_add_func ("/cubic/bounds", test_bounds);
  return g_test_run ();
}
