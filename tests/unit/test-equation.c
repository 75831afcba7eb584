/* The TCP throughput equation against published numbers, and its laws.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "../rows.h"

#include <gst/rtpadapt/rate/equation.h>

#include <math.h>

/* RFC 4828 Table 1, columns "TCP and Standard TFRC": KBps (1000 bytes/s) for a
 * payload of 14, 536, 1460 bytes at R = 100 ms; a packet is 40 bytes longer. */
static const gdouble table_payload[] = { 14, 536, 1460 };
static const struct
{
  gdouble p, kbps[3];
} table1[] = {
  { 0.00001, { 209.25, 2232.00, 5812.49 } },
  { 0.00003, { 120.79, 1288.41, 3355.24 } },
  { 0.00010, { 66.12, 705.25, 1836.58 } },
  { 0.00030, { 38.10, 406.44, 1058.45 } },
  { 0.00100, { 20.74, 221.23, 576.12 } },
  { 0.00300, { 11.76, 125.49, 326.79 } },
  { 0.01000, { 6.07, 64.75, 168.61 } },
  { 0.03000, { 2.99, 31.90, 83.07 } },
  { 0.10000, { 0.96, 10.21, 26.58 } },
  { 0.20000, { 0.29, 3.09, 8.06 } },
  { 0.30000, { 0.11, 1.12, 2.93 } },
  { 0.40000, { 0.05, 0.48, 1.26 } },
  { 0.50000, { 0.02, 0.24, 0.63 } },
};

static void
assert_near (gdouble got, gdouble want, gdouble tolerance, const gchar *why)
{
  if (!(fabs (got - want) <= tolerance))
    g_test_message ("got %.9g, want %.9g: %s", got, want, why);
  g_assert_cmpfloat_with_epsilon (got, want, tolerance);
}

static void
test_table1 (gconstpointer data)
{
  guint i = GPOINTER_TO_UINT (data) / 3, column = GPOINTER_TO_UINT (data) % 3;
  gdouble p = table1[i].p, want = table1[i].kbps[column];
  gdouble got = ra_equation_x (table_payload[column] + 40, 0.1, p) / 1000;

  /* Printed to 0.01, from a program that rounded on its way (0.11 % off where
   * five digits are printed). */
  assert_near (got, want, p <= 0.1 ? fmax (0.0015 * want, 0.005) : 0.015,
      "RFC 4828 Table 1");
}

/* By hand from RFC 5348 8.1, f = sqrt (2p/3) + 12 sqrt (3p/8) p (1 + 32 p^2):
 * p = 1:    0.8164966 + 12 * 0.6123724 * 33            = 243.3159811
 * p = 0.01: 0.0816497 + 12 * 0.0612372 * 0.01 * 1.0032 = 0.0890216
 * p = 0.24: 0.4       + 12 * 0.3 * 0.24 * 2.8432       = 2.8565248 */
static const struct
{
  gdouble p, f;
  const gchar *why;
} f_rows[] = {
  { 1, 243.3159811, "everything lost" },
  { 0.01, 0.0890216, "a usual loss event rate" },
  { 0.24, 2.8565248, "round square roots" },
};

static void
test_f (gconstpointer data)
{
  guint i = GPOINTER_TO_UINT (data);

  assert_near (ra_equation_f (f_rows[i].p), f_rows[i].f, 1e-6 * f_rows[i].f,
      f_rows[i].why);
}

static void
test_falls (void)
{
  for (gdouble p = 1e-9; p < 0.9; p *= 1.3) {
    for (gdouble rtt = 0.001; rtt < 10; rtt *= 2) {
      gdouble x = ra_equation_x (1000, rtt, p);

      g_assert_cmpfloat (ra_equation_x (1000, rtt, p * 1.1), <, x);
      g_assert_cmpfloat (ra_equation_x (1000, rtt * 1.1, p), <, x);
      g_assert_cmpfloat (ra_equation_x (1100, rtt, p), >, x);
    }
  }
}

static void
test_edges (void)
{
  g_assert_true (isinf (ra_equation_x (1000, 0.1, 0)));
  g_assert_true (isinf (ra_equation_x (1000, 0.1, -1)));
  g_assert_cmpfloat (
      ra_equation_x (1000, 0.1, 2), ==, ra_equation_x (1000, 0.1, 1));
  /* 1000 / (0.1 * 243.3159811) = 41.0988 bytes/s: p = 1 allows as much. */
  g_assert_cmpfloat (ra_equation_p (1000, 0.1, 41.0), ==, 1);
  g_assert_cmpfloat (ra_equation_p (1000, 0.1, 41.2), <, 1);
  g_assert_cmpfloat (ra_equation_p (1000, 0.1, 0), ==, 1);
  /* sqrt (2e-12 / 3) = 8.164966e-7: 1000 / (0.1 * f) = 1.22474e10. */
  g_assert_cmpfloat (ra_equation_p (1000, 0.1, 1.2248e10), ==, 0);
  g_assert_cmpfloat (ra_equation_p (1000, 0.1, 1.2246e10), >, 0);
  g_assert_cmpfloat (ra_equation_p (1000, 0.1, INFINITY), ==, 0);
}

static void
test_inverse (void)
{
  for (gdouble p = 2e-12; p < 1; p *= 1.7) {
    for (gdouble rtt = 1e-4; rtt < 20; rtt *= 3) {
      for (gdouble s = 40; s < 1e4; s *= 5) {
        gdouble x = ra_equation_x (s, rtt, p);

        assert_near (ra_equation_p (s, rtt, x), p, 1e-6 * p, "inverse");
      }
    }
  }
}

/* RFC 5348 6.3.1: the first packet of all is lost, X_target = 0.5 / R packets
 * per second.  f (p) = 2 by hand: p = 0.20643: sqrt (0.1376200) = 0.3709717;
 * 12 * sqrt (0.0774113) * 0.20643 * (1 + 32 * 0.0426133) = 1.6290; sum 2.0000.
 */
static void
test_null_interval (void)
{
  gdouble rtt = 0.1, p = ra_equation_p (1, rtt, 0.5 / rtt);

  assert_near (p, 0.20643, 5e-6, "p");
  assert_near (1 / p, 4.84, 5e-3, "I_1");
}

void
tests_add (void)
{
  rows_add_n ("/equation/rfc4828", 3 * G_N_ELEMENTS (table1), test_table1);
  rows_add ("/equation/f", f_rows, test_f);
  g_test_add_func ("/equation/falls", test_falls);
  g_test_add_func ("/equation/edges", test_edges);
  g_test_add_func ("/equation/inverse", test_inverse);
  g_test_add_func ("/equation/null-interval", test_null_interval);
}
