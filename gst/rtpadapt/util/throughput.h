/* How much passed in the last second.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gst/rtpadapt/types.h>

G_BEGIN_DECLS

#define RA_THROUGHPUT_SLOTS 11

/* Bytes by tenths of a second; zeroed memory is ready. */
typedef struct
{
  guint64 slot; /* number of the latest tenth */
  guint64 bytes[RA_THROUGHPUT_SLOTS];
} RaThroughput;

/* A time before an earlier one counts as that, up to a second; further back
 * the clock was set, and the count starts again. */
void ra_throughput_add (RaThroughput *t, guint bytes, RaTime now);
/* bit/s: the bytes of the second before `now`, of its oldest tenth in
 * proportion.  Within the first second it grows from 0. */
guint64 ra_throughput_rate (const RaThroughput *t, RaTime now);

G_END_DECLS
