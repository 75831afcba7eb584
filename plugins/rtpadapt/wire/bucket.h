/* Bounds on how often something may happen.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * No clock, no lock: the caller has both.
 */
#pragma once

#include <gst/rtpadapt/types.h>

G_BEGIN_DECLS

/* A leaky bucket.  What happened until now is paid for up to the time `paid`,
 * and each new event moves that on by `cost`.  FALSE: `paid` would be more than
 * `room` ahead of `now`, so the event may not happen and costs nothing.  A
 * bucket begins with 0. */
static inline gboolean
bucket_pay (RaTime *paid, RaSpan cost, RaSpan room, RaTime now)
{
  RaTime to = ra_later (MAX (now, *paid), cost);

  if (ra_diff (to, now) > room)
    return FALSE;
  *paid = to;
  return TRUE;
}

/* How often something happened since a second began.  `since` begins with
 * RA_TIME_NONE. */
typedef struct
{
  RaTime since;
  guint n;
} BucketSecond;

/* FALSE: it happened `max` times in this second.  The caller counts what happens
 * in `n`. */
static inline gboolean
bucket_second_has_room (BucketSecond *b, guint max, RaTime now)
{
  if (b->since == RA_TIME_NONE || ra_diff (now, b->since) >= RA_SECOND) {
    b->since = now;
    b->n = 0;
  }
  return b->n < max;
}

G_END_DECLS
