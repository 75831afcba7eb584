/* rtpulpfecenc and rtpulpfecdec of GStreamer 1.22, packets as booleans.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <glib.h>

#define ULPFEC_MAX 48 /* RTP_ULPFEC_PROTECTED_PACKETS_MAX */

/* _increment_budget(), _get_fec_packets_num(), _decrement_budget(): the repair
 * packets behind a frame of n. */
static inline guint
ulpfec_spend (gdouble *budget, guint n, guint percentage)
{
  guint f;

  for (guint i = 0; i < n; i++)
    *budget += percentage / 100.;
  f = *budget > 0 ? (guint) *budget : 0;
  *budget -= f;
  return f;
}

/* How many of n media packets (n <= ULPFEC_MAX) stay missing: row by row and
 * again (_recover()), until no row misses exactly one. */
static inline guint
ulpfec_missing (const gboolean *media, guint n, const gboolean *repair, guint f)
{
  guint64 missing = 0;
  gboolean again = TRUE;

  for (guint i = 0; i < n; i++)
    missing |= (guint64) !media[i] << i;
  while (again && missing) {
    again = FALSE;
    for (guint i = 0; i < f; i++) {
      /* _get_protection_parameters() */
      guint start = i * n / f, end = ((i + 1) * n + f - 1) / f - 1;
      guint64 row
          = missing >> start << start & (((guint64) 1 << (end + 1)) - 1);

      if (repair[i] && row && !(row & (row - 1))) {
        missing &= ~row;
        again = TRUE;
      }
    }
  }
  return (guint) __builtin_popcountll (missing);
}
