/* The full scheme's state, for itself and for fused.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gst/rtpadapt/lda/level.h>

G_BEGIN_DECLS

#define RA_FULL_BINS 512
#define RA_FULL_HOLES 128

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

/* clang-format off */
#define RA_FULL_PARAMS(prefix, at)                                             \
  { prefix "bin", (at) + G_STRUCT_OFFSET (RaFull, bin), .001, .001, 1e-6, 1,   \
      "s", "resolution of the queue" },                                        \
  { prefix "memory", (at) + G_STRUCT_OFFSET (RaFull, memory), 60, 60, .1,      \
      86400, "s", "how long packets and holes count" },                        \
  { prefix "theta", (at) + G_STRUCT_OFFSET (RaFull, theta), .33, .33, 0, 1,    \
      "", "congestion from this probability on, if not soft" },                \
  { prefix "soft", (at) + G_STRUCT_OFFSET (RaFull, soft), 1, 1, 0, 1, "",      \
      "1: as many verdicts of congestion as the probabilities add up to" }
/* clang-format on */

extern const RaLdaOps ra_lda_full;

/* What on_packet() does but for the verdict; FALSE: the first packet. */
gboolean ra_full_hear (RaFull *f, const RaArrival *a);
/* The verdict for the hole that ra_full_hear() was just told of. */
RaCause ra_full_judge (RaFull *f, const RaArrival *a);

G_END_DECLS
