/* How late things were: a histogram.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gst/rtpadapt/types.h>

G_BEGIN_DECLS

#define LINK_HISTOGRAM_BIN (10 * RA_USECOND)
#define LINK_HISTOGRAM_BINS 100000

typedef struct
{
  guint32 bins[LINK_HISTOGRAM_BINS]; /* the last one has all above, too */
  guint64 n;
  RaSpan max;
} LinkHistogram; /* zeroed at first */

void link_histogram_add (LinkHistogram *late, RaSpan span);
/* Members of an object of JSON: NAME_p50, NAME_p99, NAME_max, in ms. */
void link_histogram_append (
    const LinkHistogram *late, const gchar *name, GString *out);

G_END_DECLS
