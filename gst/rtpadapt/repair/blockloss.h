/* What is left missing of a block of media packets with repair packets behind it.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The derivation is in blockloss.c.
 */
#pragma once

#include <gst/rtpadapt/types.h>

G_BEGIN_DECLS

/* Media packets of a block, at most: RA_MASKS_MAX of XOR, RA_RS_MAX of RS. */
#define RA_BLOCK_LOSS_MAX 128

/* Gilbert's channel of loss ratio w and mean burst length, and a code. */
typedef struct
{
  gdouble w, burst;
  RaFecCode code; /* not RA_FEC_CODE_FRAME */
  guint n;        /* media packets */
  gdouble
      known[RA_BLOCK_LOSS_MAX + 1]; /* by repair packets; below 0: not yet */
} RaBlockLoss;

/* `w` is limited to 0..0.9, `burst` from below to 1 / (1 - w), where losses are
 * independent, `n` to 1 and what the code can have. */
void ra_block_loss_init (
    RaBlockLoss *m, gdouble w, gdouble burst, RaFecCode code, guint n);
/* The same, but what is known of XOR stays as long as the code does and the others are
 * within 3 % of what it is known for: a level costs milliseconds. */
void ra_block_loss_follow (
    RaBlockLoss *m, gdouble w, gdouble burst, RaFecCode code, guint n);
/* Media packets that stay missing, as a ratio, with `percentage` (0..100) repair
 * packets per 100. */
gdouble ra_block_loss (RaBlockLoss *m, guint percentage);

G_END_DECLS
