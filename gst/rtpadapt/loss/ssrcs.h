/* Which of a few places belongs to an SSRC.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Anybody may make up SSRCs, so there are only so many places; a new one takes
 * the place of the one heard of least of late, so that many made up for one
 * packet each do not drive out those that are streams; among equals that which
 * is longest ago.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

#define RA_SSRCS_MAX 16
/* Of late: packets of all, after which what was heard counts half. */
#define RA_SSRCS_AGE 4096

typedef struct
{
  guint32 ssrc[RA_SSRCS_MAX];
  guint64 used[RA_SSRCS_MAX]; /* when, on the table's own clock; 0: free */
  guint heard[RA_SSRCS_MAX];  /* packets of late */
  guint64 clock;
} RaSsrcs; /* zeroed at first */

static inline gboolean
ra_ssrcs_is_less (const RaSsrcs *t, guint a, guint b)
{
  return t->heard[a] != t->heard[b] ? t->heard[a] < t->heard[b]
                                    : t->used[a] < t->used[b];
}

static inline void
ra_ssrcs_heard (RaSsrcs *t, guint place)
{
  t->used[place] = ++t->clock;
  t->heard[place]++;
  for (guint i = 0; t->clock % RA_SSRCS_AGE == 0 && i < RA_SSRCS_MAX; i++)
    t->heard[i] /= 2;
}

/* Returns the place of `ssrc`.  `*fresh`: it was just assigned, and what the caller
 * keeps there is still another SSRC's. */
static inline guint
ra_ssrcs_place (RaSsrcs *t, guint32 ssrc, gboolean *fresh)
{
  guint place = 0;

  *fresh = FALSE;
  for (guint i = 0; i < RA_SSRCS_MAX; i++) {
    if (t->used[i] > 0 && t->ssrc[i] == ssrc) {
      ra_ssrcs_heard (t, i);
      return i;
    }
    if (ra_ssrcs_is_less (t, i, place))
      place = i;
  }
  *fresh = TRUE;
  t->ssrc[place] = ssrc;
  t->heard[place] = 0;
  ra_ssrcs_heard (t, place);
  return place;
}

G_END_DECLS
