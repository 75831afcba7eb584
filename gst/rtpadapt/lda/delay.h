/* The delay that an LDA made for RTTs sees: RTT where it is known, else ROTT.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The papers measure RTT at a TCP sender.  With per-packet feedback we have
 * that: rtt_sample.  A receiver has only ROTT, which is RTT less the way back
 * less the clocks' offset: as good for all that looks at differences, and free
 * of queues on the way back.  What needs the RTT itself must find another way.
 *
 * Both run on one scale.  A packet that has both shows how far they are apart,
 * so nothing learnt is lost when samples begin or fail.
 */
#pragma once

#include <gst/rtpadapt/lda.h>

G_BEGIN_DECLS

typedef struct
{
  gboolean known, has_rtt;    /* any delay; an RTT */
  RaSpan rtt_zero, rott_zero; /* each where the scale has its 0 */
} RaDelay;

/* Of this packet, ns: its RTT, or since the first one if that had only ROTT. */
static inline gdouble
ra_delay (RaDelay *d, const RaArrival *a)
{
  RaTime rtt = (RaTime) a->rtt_sample, rott = (RaTime) a->rott;
  gboolean fresh = !d->known;
  RaSpan delay;

  if (fresh)
    d->rott_zero = a->rott;
  d->known = TRUE;
  delay = ra_diff (rott, (RaTime) d->rott_zero);
  if (a->rtt_sample <= 0)
    return (gdouble) delay;

  if (!d->has_rtt)
    d->rtt_zero = fresh ? 0 : ra_diff (rtt, (RaTime) delay);
  d->has_rtt = TRUE;
  delay = ra_diff (rtt, (RaTime) d->rtt_zero);
  d->rott_zero = ra_diff (rott, (RaTime) delay);
  return (gdouble) delay;
}

/* Back to RTT, or ROTT while there was none, in seconds, for those who look
 * on. */
static inline gdouble
ra_delay_seconds (const RaDelay *d, gdouble delay)
{
  return ra_seconds (d->has_rtt ? d->rtt_zero : d->rott_zero)
      + delay / (gdouble) RA_SECOND;
}

G_END_DECLS
