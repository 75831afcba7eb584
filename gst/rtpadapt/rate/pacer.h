/* The pacer: when may the next packet leave? (RFC 5348 4.6)
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A leaky bucket: bytes sent in any t <= rate * (t + burst) + one packet.  While a packet
 * waits, unused time shows that the caller woke late, as clocks do.  It is made up for: up to
 * `late` counts instead of `burst`.  RFC 5348 4.6 bounds that by a round trip.
 */
#pragma once

#include <gst/rtpadapt/types.h>

G_BEGIN_DECLS

typedef struct
{
  gdouble credit; /* bytes that may go at once; negative: wait */
  RaSpan burst;
  RaSpan late; /* 0: no packet waits */
  RaTime time; /* of credit */
} RaPacer;

void ra_pacer_init (RaPacer *p, RaSpan burst, RaTime now);
/* To be called before the rate changes: what the bucket holds was earned at
 * the rate so far, `bps`. */
void ra_pacer_settle (RaPacer *p, guint64 bps, RaTime now);
/* A packet of `size` bytes leaves; `late` is 0 unless another one waits. */
void ra_pacer_on_sent (
    RaPacer *p, guint size, guint64 bps, RaSpan late, RaTime now);
/* The earliest time for the next packet; `now` if it may go at once, and 292 years later at a
 * rate of 0. */
RaTime ra_pacer_next (const RaPacer *p, guint64 bps, RaTime now);
/* TRUE: a packet may go at `now` that could not have gone `grain` before. */
gboolean ra_pacer_is_spent (
    const RaPacer *p, guint64 bps, RaSpan grain, RaTime now);

G_END_DECLS
