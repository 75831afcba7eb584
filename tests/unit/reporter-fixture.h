/* A reporter under test, fed with packets by hand.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gst/rtpadapt/feedback/reporter.h>
#include <gst/rtpadapt/feedback/stamp.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Times are ms here. */
#define MS(t) ((RaTime) (t) *RA_MSECOND)

static inline RaReporter *
reporter_new (RaReports reports, const RaLdaOps *lda)
{
  RaReporterConfig cfg = { .reports = reports, .lda = lda, .seed = 1 };
  GError *error = NULL;
  RaReporter *r = ra_reporter_new (&cfg, &error);

  g_assert_no_error (error);
  return r;
}

/* 1000 bytes of SSRC 1, without anything else. */
static inline RaWirePacket
wire_packet (guint16 seq, RaTime arrival)
{
  return (RaWirePacket){ .ssrc = 1,
    .seq = seq,
    .size = 1000,
    .arrival = arrival,
    .number = -1,
    .tos = -1 };
}

static inline RaReporterStats
reporter_stats (const RaReporter *r)
{
  RaReporterStats stats;

  ra_reporter_get_stats (r, &stats);
  g_assert_true (isfinite (stats.p) && isfinite (stats.delayed_ratio));
  return stats;
}
