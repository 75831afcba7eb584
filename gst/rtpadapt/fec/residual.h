/* What is left missing after rtpulpfecenc's repair, exactly.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The derivation is in residual.c.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Media packets of a frame that it protects: the last of them.  (RFC 5109
 * 7.4: a long mask has 48 bits.) */
#define RA_RESIDUAL_MAX 48

/* A row of packets on the channel, from the state before it (first index) to
 * that of its last packet (second); 1: lost. */
typedef struct
{
  gdouble none[2][2];  /* probability that none of them is lost */
  gdouble one[2][2];   /* exactly one */
  gdouble any[2][2];   /* however many */
  gdouble count[2][2]; /* mean number lost, times the probability */
} RaResidualRow;

/* Gilbert's channel of loss ratio w and mean burst length. */
typedef struct
{
  gdouble w;
  RaResidualRow row[RA_RESIDUAL_MAX + 1]; /* by length */
  /* ra_residual()'s notes: ra_residual_frame() of n and f, 0: not yet known. */
  gdouble known[RA_RESIDUAL_MAX + 1][RA_RESIDUAL_MAX + 1];
} RaResidual;

/* How many media packets frames have, the older the less they count; zeroed
 * memory is ready.  Small frames each have a bin, larger ones share: what
 * stays missing of them differs little, and costs the square of their size. */
#define RA_FRAMES_BINS 21
typedef struct
{
  gdouble unit; /* what the next frame counts */
  gdouble weight[RA_FRAMES_BINS];
  gdouble size[RA_FRAMES_BINS]; /* mean packets */
} RaFrames;

/* Mean over some 256 frames. */
void ra_frames_add (RaFrames *frames, guint packets);
/* Media packets per frame, 0 before the first. */
gdouble ra_frames_mean (const RaFrames *frames);

/* `w` is limited to 0..0.9, `burst` from below to 1 / (1 - w), where losses
 * are independent. */
void ra_residual_init (RaResidual *m, gdouble w, gdouble burst);
/* Mean number of the n media packets of a frame that stay missing with f
 * repair packets behind it. */
gdouble ra_residual_frame (const RaResidual *m, guint n, guint f);
/* Media packets that stay missing, as a ratio, with `percentage` (0..100).  It
 * does not always fall with `percentage`: rows that share packets repair more
 * than a few rows more that do not. */
gdouble ra_residual (RaResidual *m, const RaFrames *frames, guint percentage);

G_END_DECLS
