/* rate/crowd: a late comer's bound on a queue that others keep full.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "../rows.h"

#include <gst/rtpadapt/rate/crowd.h>

#include <math.h>

/* 1000 bytes at 100 ms (RFC 5348 3.1, b = 1, t_RTO = 4 R): f (.15) = sqrt (.1)
 * + 12 sqrt (.05625) .15 (1 + 32 .0225) = .316228 + .734281 = 1.050509, and twice
 * 1000 / (.1 f) is 19038 bytes/s. */
#define X 50000.
#define TWO_TCPS 19038.

/* Each letter is a report, a second after the one before: H loses 15 of 100
 * packets, L 5 of 100, A 26 of 100, h 1 and 2 of 10 in turn, '-' has no packet.  X arrives. */
static const struct
{
  const gchar *name, *seconds;
  gdouble radio;
  gboolean ours;
  gdouble x;
  const gchar *why;
} rows[] = {
  { "six", "HHHHHH", 0, FALSE, X, "six seconds may be chance" },
  { "seven", "HHHHHHH", 0, FALSE, TWO_TCPS, "the seventh binds" },
  { "ours", "HHHHHHHH", 0, TRUE, X, "drain tests have shown the line ours" },
  { "radio", "HHHHHHHH", .05, FALSE, X, "10 % are left of 15" },
  { "apart", "HHHHHHLHHHHHH", 0, FALSE, X, "seven, but not in a row" },
  { "over", "HHHHHHHL", 0, FALSE, X,
      "a second with few losses ends the bound" },
  { "again", "HHHHHHHLLLLLLLLLLH", 0, FALSE, TWO_TCPS,
      "soon after a bound one such second is enough" },
  { "later", "HHHHHHHLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLH", 0, FALSE, X,
      "31 s later it is not" },
  { "few", "hhhhhhhhhhhh", 0, FALSE, X,
      "10 packets a second make six pairs of seconds of 20" },
  { "few-long", "hhhhhhhhhhhhhh", 0, FALSE, TWO_TCPS, "and then seven" },
  { "silent", "HHHHHH-----H", 0, FALSE, TWO_TCPS,
      "seconds without a packet do not count" },
  { "all", "HHHHHHA", 0, FALSE, .7 * X,
      "a bucket is empty: .7 of what arrives" },
};

static void
test_bound (gconstpointer data)
{
  guint i = GPOINTER_TO_UINT (data), n = 0;
  gdouble x = 0;
  RaCrowd c;

  g_test_message ("%s", rows[i].why);
  ra_crowd_init (&c);
  for (const gchar *at = rows[i].seconds; *at; at++) {
    RaReport report = { 0 };

    n++;
    if (strchr ("HLA", *at))
      report.lost_wireless = *at == 'H' ? 15 : *at == 'L' ? 5 : 26;
    else if (*at == 'h') /* 1 and 2 of 10: 3 of 20 */
      report.lost_congestion = n % 2 ? 1 : 2;
    report.arrived = *at == '-' ? 0 : (*at == 'h' ? 10 : 100);
    report.arrived -= report.lost_wireless + report.lost_congestion;
    x = ra_crowd_rate (
        &c, &report, n, rows[i].radio, rows[i].ours, X, X, 1000, .1);
  }
  g_assert_cmpfloat_with_epsilon (x, rows[i].x, 1);
}

void
tests_add (void)
{
  rows_add_by ("/crowd/bound", rows, name, test_bound);
}
