/* Minimum or maximum over the last `window`, so that a value from before a
 * handover does not last for ever.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The window is cut into RA_WINMIN_SLOTS slots: the answer covers between
 * window * (1 - 1 / SLOTS) and window.  Plain data, no allocation, O(SLOTS).
 * A window of 0 or less never forgets.
 */
#pragma once

#include <gst/rtpadapt/types.h>

G_BEGIN_DECLS

#define RA_WINMIN_SLOTS 8

typedef struct
{
  gint64 slot_no[RA_WINMIN_SLOTS];
  gdouble value[RA_WINMIN_SLOTS];
  gboolean used[RA_WINMIN_SLOTS];
} RaWinMin;

void ra_winmin_init (RaWinMin *w);
/* `now` must not fall by more than a window. */
void ra_winmin_add (RaWinMin *w, gdouble value, RaTime now, RaSpan window);
/* G_MAXDOUBLE when empty. For a maximum, add and negate -value. */
gdouble ra_winmin_get (const RaWinMin *w, RaTime now, RaSpan window);

G_END_DECLS
