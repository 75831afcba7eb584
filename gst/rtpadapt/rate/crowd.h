/* A bound for a late comer on a queue that others keep full.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A late comer has never seen the queue shorter, so it takes a full queue for the empty
 * path, and losses that are as many at all lengths look like the radio's.  So many are
 * believed to be the radio's only where drain tests have shown that the line is ours.
 * Seconds, bytes and bytes/s; the constants are our own, measured with rtpadapt-sim.
 */
#pragma once

#include <gst/rtpadapt/rate.h>

G_BEGIN_DECLS

typedef struct
{
  gdouble sent, lost; /* packets of this second */
  gdouble t_began;    /* this second */
  gdouble p;          /* of the last one: lost, less what is shown radio's */
  guint n_high;       /* seconds in a row that lost too many */
  gdouble t_bound;    /* the rate was last bound */
} RaCrowd;

void ra_crowd_init (RaCrowd *c);
/* Counts the report's packets at `now` (s), of which the share `radio` is shown to
 * be the radio's.  Returns `x`, but no more than two TCPs would send if the last
 * seven seconds lost more than 12 % each and the line is not known to be `ours`.
 * Where a second lost more than a quarter, without the radio's share, it is no lower
 * than .7 of `a`, what arrives: that is a policer's empty bucket.  `s` is the packet
 * size, `rtt` the round trip in s. */
gdouble ra_crowd_rate (RaCrowd *c, const RaReport *report, gdouble now,
    gdouble radio, gboolean ours, gdouble x, gdouble a, gdouble s, gdouble rtt);

G_END_DECLS
