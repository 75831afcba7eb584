/* The JPEG quality that makes a bitrate.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * An encoder that has a quality and no bitrate is asked for another quality whenever
 * its pictures turn out too large or too small.  The quality scales the quantizers, by
 * 5000 / q percent below 50 and by 200 - 2 q percent above (Independent JPEG Group,
 * jpeg_quality_scaling).  Measured, the bytes go with that scale to the power of -0.55
 * between qualities 10 and 95 (-0.43 to -0.62 with two clips, less with flat pictures,
 * tests/bench/quality.csv), so one picture shows what the next quality should be.
 */
#pragma once

#include <gst/rtpadapt/types.h>

G_BEGIN_DECLS

/* Below the first pictures hardly get smaller; above the last they only grow. */
#define RA_QUALITY_MIN 5
#define RA_QUALITY_MAX 95
/* Before the first picture nobody knows how large it will be. */
#define RA_QUALITY_START 20

/* Zeroed memory is ready. */
typedef struct
{
  guint quality; /* that the encoder has; 0: it was not asked for one yet */
  gdouble made;  /* bit/s with the scale 1; 0: not measured yet */
} RaQuality;

/* The encoder made `bps` bit/s with the quality that it has; 0 says nothing. */
void ra_quality_on_made (RaQuality *q, gdouble bps);
/* The quality for `bps` bit/s; it is what the encoder has from now on.  A step of the
 * bitrate by less than 5 % is not worth another one. */
guint ra_quality_for (RaQuality *q, gdouble bps);

G_END_DECLS
