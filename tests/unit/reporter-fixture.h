/* A reporter under test, fed with packets by hand.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "../script.h"

#include <gst/rtpadapt/feedback/reporter.h>
#include <gst/rtpadapt/feedback/stamp.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Times are ms here. */
#define MS(t) ((RaTime) (t) *RA_MSECOND)

static inline RaReporter *
reporter_new (const RaFeedbackOps *reports, const RaLdaOps *lda)
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

/* How many TFRC reports are made in `seconds` for a stream that asks for many: 4,000
 * packets per second of a sender whose R is `rtt`, each tenth of them lost, and a
 * timer that is looked at ten times per millisecond. */
static inline guint
reporter_beg (RaSpan rtt, guint seconds)
{
  g_autoptr (RaReporter) r
      = reporter_new (&ra_feedback_tfrc, ra_lda_find ("none"));
  guint n = 0;

  for (guint i = 0; i < seconds * 10000; i++) {
    RaTime now = RA_SECOND + i * (RA_MSECOND / 10);
    RaWirePacket p = wire_packet ((guint16) (i * 2 / 5), now);
    RaSendTs ts = { rtt, ra_stamp_us (now) };
    guint32 ssrc;
    RaTfrcFb fb;
    RaRadp radp;

    p.send_ts = &ts;
    if (i * 2 % 5 < 2 && p.seq % 10 != 9)
      ra_reporter_on_packet (r, &p);
    if (ra_reporter_next_timeout (r) <= now)
      n += ra_reporter_tfrc (r, now, &fb, &radp, &ssrc);
  }
  return n;
}

static inline RaReporterStats
reporter_stats (const RaReporter *r)
{
  RaReporterStats stats;

  ra_reporter_get_stats (r, &stats);
  g_assert_true (isfinite (stats.p) && isfinite (stats.delayed_ratio));
  return stats;
}
