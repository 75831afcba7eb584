/* How late things were: a histogram.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gst/rtpadapt/types.h>

G_BEGIN_DECLS

#define LINK_LATE_BIN (10 * RA_USECOND)
#define LINK_LATE_BINS 100000

typedef struct
{
  guint32 bins[LINK_LATE_BINS]; /* the last one has all above, too */
  guint64 n;
  RaSpan max;
} LinkLate; /* zeroed at first */

void link_late_add (LinkLate *late, RaSpan span);
/* Members of an object of JSON: NAME_p50, NAME_p99, NAME_max, in ms. */
void link_late_append (const LinkLate *late, const gchar *name, GString *out);

G_END_DECLS
