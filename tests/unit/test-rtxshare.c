/* What is sent again, and how much repair it leaves to be done.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <gst/rtpadapt/fec.h>
#include <gst/rtpadapt/fec/rtxshare.h>

#include "../main.h"

/* One report of 1000 packets.  Of the packets asked for, those that the path
 * loses again do not come: 1 - lost / 1000 do. */
static const struct
{
  guint asked, wireless, congestion, percentage;
  gdouble mended;
  const gchar *why;
} rows[] = {
  { 0, 0, 0, 0, 0, "nothing lost" },
  { 5, 0, 0, 0, 0, "asked for without a loss" },
  { 0, 50, 0, 0, 0, "nobody asks" },
  { 50, 50, 0, 0, .95, "all of 5 %" },
  { 25, 50, 0, 0, .475, "half of 5 %: the rest is too late to be asked for" },
  { 50, 40, 10, 0, .95, "whatever they were lost to" },
  { 90, 50, 0, 0, .95, "no more than were lost" },
  { 25, 50, 0, 100, .95, "half of those lost were repair packets" },
  { 1000, 1000, 0, 0, 0, "all of it is lost again" },
};

static void
test_rows (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    RaReport report = {
      .expected = 1000,
      .lost_wireless = rows[i].wireless,
      .lost_congestion = rows[i].congestion,
    };
    RaRtxShare r = { 0 };

    g_test_message ("%s", rows[i].why);
    for (guint k = 0; k < rows[i].asked; k++)
      ra_rtx_share_on_asked (&r);
    ra_rtx_share_on_report (&r, &report, rows[i].percentage, RA_SECOND);
    g_assert_cmpfloat_with_epsilon (
        ra_rtx_share_mended (&r), rows[i].mended, 1e-9);
  }
}

/* A receiver whose answers begin to come too late asks no more.  After 10 s the
 * past counts e^-1: .95 e^-1 = .349 at the most. */
static void
test_fades (void)
{
  RaReport report = { .expected = 30 };
  RaTime now = RA_SECOND;
  RaRtxShare r = { 0 };

  for (guint i = 0; i < 600; i++, now += RA_SECOND / 10) {
    report.lost_wireless = i % 2 * 3; /* 5 % */
    for (guint k = 0; k < report.lost_wireless && i < 500; k++)
      ra_rtx_share_on_asked (&r);
    if (i == 500)
      g_assert_cmpfloat_with_epsilon (ra_rtx_share_mended (&r), .95, .01);
    ra_rtx_share_on_report (&r, &report, 0, now);
  }
  g_assert_cmpfloat_with_epsilon (ra_rtx_share_mended (&r), .349, .02);
}

/* Frames of 1 packet, w = 5 %, target .005.  By hand: with a share p of the
 * packets repeated as FEC, .05 (1 - .95 p) stays missing, and of that what is
 * not mended. */
static const struct
{
  gdouble mended;
  guint level;
  const gchar *why;
} levels[] = {
  { 0, 95, "nothing else helps: p >= .947" },
  { .5, 85, "the target for FEC is .01: p >= .842" },
  { .9, 0, ".05: what is lost" },
  { 1, 0, "all of it comes" },
};

static void
test_level (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (levels); i++) {
    g_autoptr (RaFec) f = ra_fec_new (ra_fec_find ("ulp"), "max=1", NULL);
    RaReport report
        = { .expected = 10000, .lost_wireless = 500, .wireless_runs = 500 };

    g_test_message ("%s", levels[i].why);
    for (guint k = 0; k < 10; k++)
      ra_fec_on_frame (f, 1);
    ra_fec_set_mended (f, levels[i].mended);
    ra_fec_on_report (f, &report, RA_SECOND);
    g_assert_cmpuint (ra_fec_percentage (f), ==, levels[i].level);
  }
}

void
tests_add (void)
{
  g_test_add_func ("/rtxshare/rows", test_rows);
  g_test_add_func ("/rtxshare/fades", test_fades);
  g_test_add_func ("/rtxshare/level", test_level);
}
