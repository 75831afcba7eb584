/* Report blocks of RTCP SR and RR, for the circuit breakers of RFC 8083.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <gst/rtpadapt/safety/blocks.h>

/* A first block tells a share of a number that we do not know: as fine as the
 * field is. */
#define FIRST 256
#define SPACING_MAX (30 * RA_SECOND)

void
ra_blocks_init (RaBlocks *b)
{
  *b = (RaBlocks){ .last = RA_TIME_NONE };
}

/* Blocks about several SSRCs in one packet are one report. */
static void
spacing_update (RaBlocks *b, RaTime now)
{
  RaSpan since = b->last == RA_TIME_NONE ? 0 : ra_diff (now, b->last);

  if (since > 0) {
    since = MIN (since, SPACING_MAX);
    b->spacing += b->spacing > 0 ? (since - b->spacing) / 4 : since;
  }
  b->last = now;
}

RaReport
ra_blocks_hear (RaBlocks *b, guint32 ssrc, guint32 ext_highest_seq,
    gdouble fraction_lost, RaSpan rtt, RaTime now)
{
  gboolean first;
  guint32 *highest = &b->highest[ra_ssrcs_place (&b->ssrcs, ssrc, &first)];
  gint32 progress = (gint32) (ext_highest_seq - *highest);
  RaReport report = { .rtt = MAX (rtt, 0), .queue = RA_SPAN_NONE };

  spacing_update (b, now);
  report.expected = first ? FIRST : (guint) MAX (progress, 0);
  /* 8083 4.2: anything but "non-increasing" is reception, and 4.3: a share of
   * what has increased. */
  fraction_lost = fraction_lost > 0 ? MIN (fraction_lost, 1) : 0; /* NaN: 0 */
  report.lost_congestion = (guint) (report.expected * fraction_lost + .5);
  report.arrived = report.expected > 0;
  report.interval = b->spacing;
  *highest = ext_highest_seq;
  return report;
}
