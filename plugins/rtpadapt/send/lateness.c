/* Which media packets will leave so late that they cannot be sent again in time.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "lateness.h"

struct _Lateness
{
  gint room; /* bytes, atomic; negative: what comes now is late */
};

Lateness *
lateness_new (void)
{
  Lateness *l = g_atomic_rc_box_new0 (Lateness);

  l->room = G_MAXINT;
  return l;
}

Lateness *
lateness_ref (Lateness *l)
{
  return g_atomic_rc_box_acquire (l);
}

void
lateness_unref (Lateness *l)
{
  g_atomic_rc_box_release (l);
}

void
lateness_set (Lateness *l, RaSpan waiting, RaSpan timely, guint64 rate)
{
  gdouble room = timely == RA_SPAN_NONE
      ? G_MAXINT
      : ra_bytes (rate) * ra_seconds (timely - waiting);

  g_atomic_int_set (&l->room, (gint) CLAMP (room, G_MININT, G_MAXINT));
}

gboolean
lateness_is (const Lateness *l, gsize bytes)
{
  gint room = g_atomic_int_get (&l->room);

  return room < G_MAXINT && (gint64) bytes > room;
}
