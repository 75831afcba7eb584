/* The full scheme's state, for itself and for fused.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gst/rtpadapt/lda/level.h>

G_BEGIN_DECLS

#define RA_FULL_BINS 512
#define RA_FULL_HOLES 128
#define RA_FULL_PACKETS_LEAST 20 /* before so many came nothing is learnt */
#define RA_FULL_TOP .75 /* of the range: a loss above it is near the top */

typedef struct
{
  RaLda base;
  gdouble bin, memory, theta, soft; /* parameters */
  RaLevel level;
  gdouble packets[RA_FULL_BINS]; /* by the queue they met */
  gdouble n_packets;
  gint64 tick; /* of the latest decay */
  struct
  {
    gdouble y;
    RaTime at;
  } holes[RA_FULL_HOLES];
  guint n_holes, next_hole, fresh_holes; /* fresh: learnt without */
  /* learnt: share of congestion among holes, width of its decay below the top,
   * and the mean of k over all packets */
  gboolean learnt;
  gdouble pi, delta, z, top;
  gdouble debt, p_c;
} RaFull;

/* The parameters of the level are not among these. */
extern const RaParam ra_full_params[];

extern const RaLdaOps ra_lda_full;

/* What on_packet() does but for the verdict; FALSE: the first packet. */
gboolean ra_full_hear (RaFull *f, const RaArrival *a);
/* The verdict for the hole that ra_full_hear() just got. */
RaCause ra_full_judge (RaFull *f, const RaArrival *a);

G_END_DECLS
