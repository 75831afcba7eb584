/* The trip time of a packet that waited nowhere.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <gst/rtpadapt/util/tripbase.h>

#include <math.h>
#include <string.h>

/* IEEE 802.3 allows a clock 100 ppm, so two are 200 ppm apart at most. */
#define SLOPE_MAX 200e-6
/* Fewer minima lie on any line. */
#define SLOTS_LEAST 4
/* ns.  A line that is steeper than SLOPE_MAX is believed, as far as that, where the
 * minima are no further above it than this in the mean.  Else they make a step: a longer
 * route, or a queue that begins to stand. */
#define NEAR 1e6
/* A sure line leaves a small part of what the level one does.  A step leaves a
 * third and more, and minima of a queue that others keep seldom lie on any
 * line. */
#define NEARER 8

void
ra_trip_base_init (RaTripBase *b)
{
  memset (b, 0, sizeof *b);
}

static gint64
slot_at (RaTime now, RaSpan window)
{
  return window <= 0
      ? 0
      : (gint64) (now / (RaTime) MAX (window / RA_TRIP_SLOTS, 4));
}

/* Slots far ahead are left from before the clock fell back. */
static gboolean
counts (const RaTripBase *b, guint i, gint64 no)
{
  return b->used[i] && b->slot_no[i] > no - RA_TRIP_SLOTS
      && b->slot_no[i] <= no + RA_TRIP_SLOTS;
}

/* How far all minima are above the line through those of i and j, or Infinity
 * where one is below it. */
static gdouble
distance (const RaTripBase *b, guint i, gdouble slope, gint64 no)
{
  gdouble sum = 0;

  for (guint k = 0; k < RA_TRIP_SLOTS; k++) {
    gdouble above;

    if (!counts (b, k, no))
      continue;
    above = b->value[k] - b->value[i]
        - slope * (gdouble) ra_diff (b->at[k], b->at[i]);
    if (above < -1) /* ns; the points of the line itself are rounded */
      return (gdouble) INFINITY;
    sum += above;
  }
  return sum;
}

/* Moon, Skelly, Towsley 1999, III: the best line goes through two points. */
static gdouble
slope_find (const RaTripBase *b, gint64 no)
{
  gdouble best = (gdouble) INFINITY, level = best, slope = 0;
  guint n = 0;

  for (guint i = 0; i < RA_TRIP_SLOTS; i++)
    n += counts (b, i, no);
  for (guint i = 0; n >= SLOTS_LEAST && i < RA_TRIP_SLOTS; i++) {
    if (counts (b, i, no))
      level = fmin (level, distance (b, i, 0, no));
    for (guint j = 0; j < RA_TRIP_SLOTS; j++) {
      gdouble s, d;

      if (!counts (b, i, no) || !counts (b, j, no) || b->at[j] <= b->at[i])
        continue;
      s = (b->value[j] - b->value[i]) / (gdouble) ra_diff (b->at[j], b->at[i]);
      d = distance (b, i, s, no);
      if (d < best) {
        best = d;
        slope = s;
      }
    }
  }
  if (b->sure ? NEARER * best > level : slope > SLOPE_MAX && best > NEAR * n)
    return 0;
  return CLAMP (slope, 0, SLOPE_MAX);
}

void
ra_trip_base_add (RaTripBase *b, gdouble value, RaTime now, RaSpan window)
{
  gint64 no = slot_at (now, window);
  guint i = (guint) (no % RA_TRIP_SLOTS);

  if (b->used[i] && b->slot_no[i] == no + RA_TRIP_SLOTS)
    return; /* `now` fell, a newer slot is here: this is too old to count */
  if (window > 0 && b->newest != no) { /* the slots before are complete */
    b->slope = slope_find (b, no - 1);
    b->newest = no;
  }
  if (!b->used[i] || b->slot_no[i] != no || value < b->value[i]) {
    b->used[i] = TRUE;
    b->slot_no[i] = no;
    b->at[i] = now;
    b->value[i] = value;
  }
}

gdouble
ra_trip_base_get (const RaTripBase *b, RaTime now, RaSpan window)
{
  gint64 no = slot_at (now, window);
  gdouble base = G_MAXDOUBLE;

  for (guint i = 0; i < RA_TRIP_SLOTS; i++) {
    if (counts (b, i, no))
      base = MIN (base,
          b->value[i] + b->slope * (gdouble) MAX (ra_diff (now, b->at[i]), 0));
  }
  return base;
}
