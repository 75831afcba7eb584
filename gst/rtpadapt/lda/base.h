/* The shortest delay of minutes, for an LDA.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * An RTT is of one clock.  A ROTT is of two, which drift apart: 20 ppm are 12 ms in ten
 * minutes, as much as half a short queue.  The drift is that of the last two minutes, so
 * that it is known after one, although the minimum is older.  It counts where it is sure:
 * a base that rises with a queue which others keep would hide their losses.  A queue may
 * grow in a line for two minutes, but a drift that is the clocks' was there before, too: it
 * counts only where the minima of ten minutes lie on its line, whatever the window is.  A
 * window that never ends, as the papers', has none (util/tripbase).  Plain data, no
 * allocation.
 */
#pragma once

#include <gst/rtpadapt/util/tripbase.h>

G_BEGIN_DECLS

/* The drift is measured over this at most. */
#define RA_LDA_BASE_DRIFT (120 * RA_SECOND)
/* The minima of this time lie on its line: BASE_HISTORY of RFC 6817. */
#define RA_LDA_BASE_HISTORY (600 * RA_SECOND)
/* A minimum may be above the line by this part of the line's rise since then: a slope that is
 * sure may be wrong by as much (util/tripbase). */
#define RA_LDA_BASE_OFF (1 / 8.)
/* It may be above the line by this time in any case, as jitter is left in a minimum.  A slope
 * that counts for this reason alone moves the base by little more. */
#define RA_LDA_BASE_NEAR (1. * RA_MSECOND)

typedef struct
{
  RaTripBase minima, drift, history;
} RaLdaBase;

static inline void
ra_lda_base_init (RaLdaBase *b)
{
  ra_trip_base_init (&b->minima);
  ra_trip_base_init (&b->drift);
  ra_trip_base_init (&b->history);
}

/* The minima that are older than the drift, which was `measured` for so long, lie on its
 * line.  Those below it do no harm: the base is the lowest of all. */
static inline gboolean
ra_lda_base_is_straight (const RaLdaBase *b, RaTime now, RaSpan measured)
{
  gdouble base = ra_trip_base_get (&b->drift, now, measured);

  for (guint i = 0; i < RA_TRIP_SLOTS; i++) {
    RaSpan age = ra_diff (now, b->history.at[i]);
    gdouble rise = b->drift.slope * (gdouble) age;

    if (b->history.used[i] && age > measured && age <= RA_LDA_BASE_HISTORY
        && b->history.value[i] + rise - base
            > MAX (RA_LDA_BASE_OFF * rise, RA_LDA_BASE_NEAR))
      return FALSE;
  }
  return TRUE;
}

/* A packet had the `delay`, ns; `drifts`: it is of two clocks. */
static inline void
ra_lda_base_add (
    RaLdaBase *b, gdouble delay, gboolean drifts, RaTime now, RaSpan window)
{
  RaSpan measured = MIN (window, RA_LDA_BASE_DRIFT);
  gboolean counts;

  b->drift.sure = TRUE;
  ra_trip_base_add (&b->minima, delay, now, window);
  ra_trip_base_add (&b->drift, delay, now, measured);
  ra_trip_base_add (&b->history, delay, now, RA_LDA_BASE_HISTORY);
  counts = drifts && ra_lda_base_is_straight (b, now, measured);
  b->minima.slope = counts ? b->drift.slope : 0;
}

/* Of an undelayed packet now, ns; G_MAXDOUBLE when empty. */
static inline gdouble
ra_lda_base_get (const RaLdaBase *b, RaTime now, RaSpan window)
{
  return ra_trip_base_get (&b->minima, now, window);
}

G_END_DECLS
