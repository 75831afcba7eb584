/* Which of a few places belongs to an SSRC.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Anybody may make up SSRCs, so there are only so many places; a new one takes
 * the place of the one heard of least lately.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

#define RA_SSRCS_MAX 16

typedef struct
{
  guint32 ssrc[RA_SSRCS_MAX];
  guint64 used[RA_SSRCS_MAX]; /* when, on the table's own clock; 0: free */
  guint64 clock;
} RaSsrcs; /* zeroed at first */

/* The place of `ssrc`; `*fresh`: it had none, whatever is there is of another. */
static inline guint
ra_ssrcs_place (RaSsrcs *t, guint32 ssrc, gboolean *fresh)
{
  guint place = 0;

  *fresh = FALSE;
  for (guint i = 0; i < RA_SSRCS_MAX; i++) {
    if (t->used[i] > 0 && t->ssrc[i] == ssrc) {
      t->used[i] = ++t->clock;
      return i;
    }
    if (t->used[i] < t->used[place])
      place = i;
  }
  *fresh = TRUE;
  t->ssrc[place] = ssrc;
  t->used[place] = ++t->clock;
  return place;
}

G_END_DECLS
