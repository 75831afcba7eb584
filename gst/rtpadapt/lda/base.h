/* The shortest delay of minutes, for an LDA.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * An RTT is of one clock.  A ROTT is of two, which drift apart: 20 ppm are 12 ms in ten
 * minutes, as much as half a short queue.  The drift is that of the last two minutes, so
 * that it is known after one, although the minimum is older.  It counts where it is sure:
 * a base that rises with a queue which others keep would hide their losses.  A window that
 * never ends, as the papers', has none (util/tripbase).  Plain data, no allocation.
 */
#pragma once

#include <gst/rtpadapt/util/tripbase.h>

G_BEGIN_DECLS

/* The drift is measured over this at most. */
#define RA_LDA_BASE_DRIFT (120 * RA_SECOND)

typedef struct
{
  RaTripBase minima, drift;
} RaLdaBase;

static inline void
ra_lda_base_init (RaLdaBase *b)
{
  ra_trip_base_init (&b->minima);
  ra_trip_base_init (&b->drift);
}

/* A packet had the `delay`, ns; `drifts`: it is of two clocks. */
static inline void
ra_lda_base_add (
    RaLdaBase *b, gdouble delay, gboolean drifts, RaTime now, RaSpan window)
{
  b->drift.sure = TRUE;
  ra_trip_base_add (&b->minima, delay, now, window);
  ra_trip_base_add (&b->drift, delay, now, MIN (window, RA_LDA_BASE_DRIFT));
  b->minima.slope = drifts ? b->drift.slope : 0;
}

/* Of an undelayed packet now, ns; G_MAXDOUBLE when empty. */
static inline gdouble
ra_lda_base_get (const RaLdaBase *b, RaTime now, RaSpan window)
{
  return ra_trip_base_get (&b->minima, now, window);
}

G_END_DECLS
