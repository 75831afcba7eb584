/* How far packets overtake each other on the path, as a receiver sees it.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <gst/rtpadapt/feedback/disorder.h>

#define WINDOW (30 * RA_SECOND)

void
ra_disorder_init (RaDisorder *d)
{
  d->begun = FALSE;
  ra_winmin_init (&d->extent);
}

RaSpan
ra_disorder_get (const RaDisorder *d, RaTime now)
{
  gdouble least = ra_winmin_get (&d->extent, now, WINDOW);

  return least < G_MAXDOUBLE ? (RaSpan) -least : 0;
}

gboolean
ra_disorder_on_packet (RaDisorder *d, guint16 number, RaTime now)
{
  gint16 ahead = (gint16) (guint16) (number - d->highest);
  RaSpan extent, before;
  RaTime passed;
  guint behind;

  if (!d->begun || ahead > RA_DISORDER_RING || ahead < -RA_DISORDER_RING) {
    d->begun = TRUE;
    d->highest = number;
    d->known = 0;
    return FALSE;
  }
  for (; ahead > 0; ahead--) {
    d->passed[++d->highest % RA_DISORDER_RING] = now;
    d->known = MIN (d->known + 1, RA_DISORDER_RING);
  }
  behind = (guint16) (d->highest - number);
  if (behind >= d->known)
    return FALSE;
  /* A path may copy packets, and a copy was not overtaken. */
  passed = d->passed[number % RA_DISORDER_RING];
  d->passed[number % RA_DISORDER_RING] = RA_TIME_NONE;
  if (behind == 0 || passed == RA_TIME_NONE)
    return FALSE;
  extent = ra_diff (now, passed);
  if (extent < 0)
    return FALSE;
  before = ra_disorder_get (d, now);
  ra_winmin_add (&d->extent, -(gdouble) extent, now, WINDOW);
  return extent > before;
}
