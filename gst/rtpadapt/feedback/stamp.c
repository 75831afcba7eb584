/* Times as 32-bit stamps, which wrap, and back.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <gst/rtpadapt/feedback/stamp.h>

/* The greatest number not above `latest` whose low 32 bits are `stamp`. */
static gboolean
unwrap (guint32 stamp, guint64 latest, guint64 *out)
{
  guint32 back = (guint32) latest - stamp;

  *out = latest - back;
  return back <= latest;
}

guint32
ra_stamp_us (RaTime t)
{
  return (guint32) (t / RA_USECOND);
}

RaTime
ra_stamp_us_time (guint32 stamp, RaTime latest)
{
  guint64 us;

  if (!unwrap (stamp, latest / RA_USECOND, &us))
    return RA_TIME_NONE;
  return us * RA_USECOND;
}

/* In 1/65536 s, rounded down. */
static guint64
ntp_ticks (RaTime t)
{
  return ((t / RA_SECOND) << 16) + ((t % RA_SECOND) << 16) / RA_SECOND;
}

guint32
ra_stamp_ntp (RaTime t)
{
  return (guint32) ntp_ticks (t);
}

RaTime
ra_stamp_ntp_time (guint32 stamp, RaTime latest)
{
  guint64 ticks;

  if (!unwrap (stamp, ntp_ticks (latest), &ticks))
    return RA_TIME_NONE;
  return (ticks >> 16) * RA_SECOND
      + (((ticks & 0xffff) * RA_SECOND + 0xffff) >> 16);
}
