/* Does loss jump with the queue?
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Packets and holes are counted by a queue, in bins of a logarithmic scale.  The
 * counts are cut where two loss rates explain them better than one, by the
 * likelihood ratio (S. Wilks, 1938), and the lower part again.  For fused.
 */
#pragma once

#include <gst/rtpadapt/types.h>

G_BEGIN_DECLS

#define RA_CUT_BINS 101
#define RA_CUTS 4

typedef struct
{
  gdouble gain, ratio, prior, memory, bin; /* parameters */
  gdouble packets[RA_CUT_BINS], holes[RA_CUT_BINS];
  gboolean begun;
  gint64 tick, cut_at;    /* of the latest decay and of the latest cuts */
  gdouble n_holes, fresh; /* all, and those that the cuts do not know */
  guint n_cuts;
  guint ends[RA_CUTS];        /* bins below the cuts, the highest cut first */
  gdouble rates[RA_CUTS + 1]; /* of the parts, the highest first */
  gdouble w;                  /* loss rate below the lowest cut */
} RaCut;

void ra_cut_forget (RaCut *c);
/* A packet, behind a hole or not; the one before it met the queue `q` (ns). */
void ra_cut_hear (RaCut *c, gdouble q, gboolean hole, RaTime now);
/* Cuts again; `range` is the longest queue of late.  FALSE: loss does not jump. */
gboolean ra_cut_find (RaCut *c, gdouble range);
/* Of a hole at `q`: congestion to radio. */
gdouble ra_cut_odds (const RaCut *c, gdouble q);

G_END_DECLS
