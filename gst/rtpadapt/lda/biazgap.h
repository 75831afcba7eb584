/* The two Biaz schemes: T_min, and the gap around a hole compared with it.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gst/rtpadapt/lda.h>
#include <gst/rtpadapt/lda/rott.h>
#include <gst/rtpadapt/util/winmin.h>

G_BEGIN_DECLS

typedef struct
{
  RaLda base;
  /* Parameters. */
  gdouble lower, upper, per_byte, span, window, recent, jitter, pause, slack;
  /* T_min, ns per unit, and that of late; the span that is being measured. */
  RaWinMin min, recent_min;
  gdouble elapsed, units;
  guint count;
  gdouble packet; /* mean packet of the last span, units */
  RaRott offset;
  RaWinMin rott_min; /* ns */
  /* The packet before. */
  gboolean has_last;
  gdouble last_rott; /* ns */
  guint last_size;
  RaTime now;
} RaBiazGap;

/* Both schemes have these parameters after their own `lower` and `upper`. */
extern const RaParam ra_biaz_gap_params[];

/* A hybrid includes mBiaz with all its parameters. */
extern const RaParam ra_mbiaz_params[];
extern const RaLdaOps ra_lda_mbiaz;

/* RaLdaOps.on_packet and .observe of both. */
RaCause ra_biaz_gap_on_packet (RaLda *lda, const RaArrival *a);
void ra_biaz_gap_observe (const RaLda *lda, RaObserve emit, gpointer data);

/* T_min in ns per unit, G_MAXDOUBLE while unknown. */
gdouble ra_biaz_gap_t_min (const RaBiazGap *g);
/* The jitter hides a gap of T_min. */
gboolean ra_biaz_gap_is_blind (const RaBiazGap *g);
/* The units in the missing packets before `a`, and in `a`: packets or bytes. */
gdouble ra_biaz_gap_units_lost (const RaBiazGap *g, const RaArrival *a);
gdouble ra_biaz_gap_units (const RaBiazGap *g, guint size);

G_END_DECLS
