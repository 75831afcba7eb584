/* The sizes of an MPEG-4 encoder's frames.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gst/rtpadapt/util/rng.h>

G_BEGIN_DECLS

#define SIM_MPEG_GOP 12 /* frames from one I frame to the next */

typedef enum
{
  SIM_MPEG_I,
  SIM_MPEG_P,
  SIM_MPEG_B,
  SIM_MPEG_TYPES
} SimMpegType;

typedef struct
{
  gdouble u[SIM_MPEG_TYPES]; /* state of each type's TES process, [0, 1) */
  guint64 n;                 /* frames so far */
} SimMpeg;

void sim_mpeg_init (SimMpeg *m, RaRng *rng);
/* Of the n-th frame in the order of coding. */
SimMpegType sim_mpeg_type (guint64 n);
/* What a frame of that type has on average, 1: the mean of all frames. */
gdouble sim_mpeg_part (SimMpegType type);
/* Of the next frame, its type and its size as a share of the mean frame's. */
gdouble sim_mpeg_next (SimMpeg *m, RaRng *rng, SimMpegType *type);

G_END_DECLS
