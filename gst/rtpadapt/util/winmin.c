/* Minimum over a sliding window.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <gst/rtpadapt/util/winmin.h>

#include <string.h>

void
ra_winmin_init (RaWinMin *w)
{
  memset (w, 0, sizeof *w);
}

static gint64
slot_at (RaTime now, RaSpan window)
{
  RaSpan width = MAX (window / RA_WINMIN_SLOTS, 4); /* 4: no overflow */

  return window <= 0 ? 0 : (gint64) (now / (RaTime) width);
}

void
ra_winmin_add (RaWinMin *w, gdouble value, RaTime now, RaSpan window)
{
  gint64 no = slot_at (now, window);
  guint i = (guint) (no % RA_WINMIN_SLOTS);

  if (w->used[i] && w->slot_no[i] == no + RA_WINMIN_SLOTS)
    return; /* `now` fell, a newer slot is here: this is too old to count */
  if (!w->used[i] || w->slot_no[i] != no) {
    w->used[i] = TRUE;
    w->slot_no[i] = no;
    w->value[i] = value;
  } else {
    w->value[i] = MIN (w->value[i], value);
  }
}

gdouble
ra_winmin_get (const RaWinMin *w, RaTime now, RaSpan window)
{
  gint64 no = slot_at (now, window);
  gdouble min = G_MAXDOUBLE;

  /* Slots far ahead are left from before the clock fell back. */
  for (guint i = 0; i < RA_WINMIN_SLOTS; i++) {
    if (w->used[i] && w->slot_no[i] > no - RA_WINMIN_SLOTS
        && w->slot_no[i] <= no + RA_WINMIN_SLOTS)
      min = MIN (min, w->value[i]);
  }
  return min;
}
