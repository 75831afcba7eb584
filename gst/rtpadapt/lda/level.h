/* How full is the queue, and how full has it been?
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What full and fused go by: trip times above the base of minutes, and the
 * longest of late.  A fall far below the base is another route, or a clock that
 * was set, after which nothing learnt before holds.
 */
#pragma once

#include <gst/rtpadapt/lda.h>
#include <gst/rtpadapt/lda/rott.h>
#include <gst/rtpadapt/util/tripbase.h>
#include <gst/rtpadapt/util/winmin.h>

G_BEGIN_DECLS

typedef struct
{
  gdouble base_window, window, min_range; /* parameters, s */
  RaRott offset;
  RaTripBase base;
  RaWinMin longest;  /* minus q, ns */
  gboolean known;    /* a packet came */
  gdouble q, before; /* of this packet and of the one before it, ns */
} RaLevel;

extern const RaParam ra_level_params[];

/* TRUE: a new route, all learnt before is void. */
static inline gboolean
ra_level_hear (RaLevel *l, const RaArrival *a)
{
  RaSpan window = ra_span (l->base_window);
  gdouble rott = ra_rott (&l->offset, a->rott);
  gboolean fresh = !l->known, rerouted;
  gdouble base = fresh ? rott : ra_trip_base_get (&l->base, a->arrival, window);

  rerouted = !fresh && rott < base - l->min_range * (gdouble) RA_SECOND;
  if (rerouted) {
    ra_trip_base_init (&l->base);
    ra_winmin_init (&l->longest);
  }
  ra_trip_base_add (&l->base, rott, a->arrival, window);
  l->before = l->q;
  l->q = rerouted ? 0 : MAX (rott - base, 0);
  if (fresh || rerouted)
    l->before = l->q;
  ra_winmin_add (&l->longest, -l->q, a->arrival, ra_span (l->window));
  l->known = TRUE;
  return rerouted;
}

/* The longest queue of late, ns. */
static inline gdouble
ra_level_range (const RaLevel *l, RaTime now)
{
  return MAX (-ra_winmin_get (&l->longest, now, ra_span (l->window)),
      l->min_range * (gdouble) RA_SECOND);
}

G_END_DECLS
