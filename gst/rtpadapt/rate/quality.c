/* The JPEG quality that makes a bitrate.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <gst/rtpadapt/rate/quality.h>

#include <math.h>

/* Bytes go with the scale of the quantizers to the power of minus this:
 * tests/bench/quality.csv. */
#define EXPONENT .55
/* So much of the mean a measurement counts for; one of larger pictures counts for all
 * of it, as they fill a queue. */
#define WEIGHT .5
/* Of the bitrate, below which the quality stays. */
#define LITTLE .05

/* IJG, jpeg_quality_scaling(): percent. */
static gdouble
scale_of (guint quality)
{
  return quality < 50 ? 5000. / quality : 200. - 2. * quality;
}

static guint
quality_of (gdouble scale)
{
  gdouble q = scale > 100 ? 5000 / scale : (200 - scale) / 2;

  return (guint) CLAMP (q + .5, RA_QUALITY_MIN, RA_QUALITY_MAX);
}

static gdouble
bps_at (const RaQuality *q, guint quality)
{
  return q->made * pow (scale_of (quality), -EXPONENT);
}

void
ra_quality_on_made (RaQuality *q, gdouble bps)
{
  gdouble made;

  if (q->quality == 0 || bps <= 0)
    return;
  made = bps * pow (scale_of (q->quality), EXPONENT);
  q->made = made > q->made ? made : (1 - WEIGHT) * q->made + WEIGHT * made;
}

guint
ra_quality_for (RaQuality *q, gdouble bps)
{
  gdouble now;

  if (q->quality == 0)
    q->quality = RA_QUALITY_START;
  if (q->made <= 0 || bps <= 0)
    return q->quality;
  now = bps_at (q, q->quality);
  if (fabs (now - bps) > LITTLE * bps)
    q->quality = quality_of (pow (q->made / bps, 1 / EXPONENT));
  return q->quality;
}
