/* The trip time of a packet that waited nowhere, over minutes, although the two
 * clocks run at different speeds.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The shortest trip of a window is the base, but clocks that are 100 ppm apart
 * move it by 12 ms in 120 s, which is more than a delay target.  The window is
 * cut into slots; the minima of the slots lie on a line whose slope is the
 * difference of the clocks, as S. Moon, P. Skelly, D. Towsley, "Estimation and
 * removal of clock skew from network delay measurements", INFOCOM 1999, III:
 * the line below all points that is nearest to them.  Each minimum moves on by
 * that slope.  A base that falls is found by the minimum itself, so only a rise
 * is followed, and only as far as clocks differ.  A line that is steeper
 * than clocks differ, and has the minima far above it, is a step of the trip and none of
 * the clocks.  A step that is no steeper is taken for a drift unless `sure` is set: 10 ms
 * half a window of 120 s ago are 167 ppm.  Plain data, no allocation.
 */
#pragma once

#include <gst/rtpadapt/types.h>

G_BEGIN_DECLS

#define RA_TRIP_SLOTS 8

typedef struct
{
  gint64 slot_no[RA_TRIP_SLOTS];
  RaTime at[RA_TRIP_SLOTS]; /* of the minimum */
  gdouble value[RA_TRIP_SLOTS];
  gboolean used[RA_TRIP_SLOTS];
  gint64 newest;
  gdouble slope; /* ns per ns, 0 to 200 ppm */
  gboolean sure; /* to set after init: in doubt the clocks do not differ */
} RaTripBase;

void ra_trip_base_init (RaTripBase *b);
/* A packet took `value` ns, whatever the clocks' offset. */
void ra_trip_base_add (RaTripBase *b, gdouble value, RaTime now, RaSpan window);
/* What an undelayed packet takes now; G_MAXDOUBLE when empty. */
gdouble ra_trip_base_get (const RaTripBase *b, RaTime now, RaSpan window);

G_END_DECLS
