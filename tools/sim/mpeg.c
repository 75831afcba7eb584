/* The sizes of an MPEG-4 encoder's frames, as paper 003 5.1 makes them: a TES
 * process each for I, P and B frames, and their outputs interleaved.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * That is, nearly word for word, the generator of A. Matrawy, I. Lambadaris, C.
 * Huang, "MPEG4 traffic modeling using the transform expand sample methodology",
 * IWNA 2002, which there is for ns-2.  Seed 003 prints neither its trace nor any
 * parameter.  So here:
 * - A group of pictures is I BB P BB P BB P BB, N = 12 and M = 3, at 25 Hz: that
 *   of the MPEG-4 traces of F. Fitzek and M. Reisslein, IEEE Network 15(6),
 *   2001.
 * - I : P : B = 160 : 60 : 30, what Test Model 5 (ISO/IEC JTC1/SC29/WG11 N0400,
 *   1993, chapter 10) allots at first: complexities of 160, 60 and 42, and a
 *   B frame gets 1 / K_b = 1 / 1.4 of its own.
 * - TES+ (D. Jagerman, B. Melamed, Stochastic Models 8, 1992): U_n = U_n-1 + V_n
 *   modulo 1, stitched with xi = 1/2.  V is uniform and .2 wide, and sizes are
 *   uniform within 20 % of their mean: ours, as an encoder that follows a target
 *   rate spreads less than those of the traces, which had none.
 */
#include "mpeg.h"

#include <math.h>

#define M 3 /* frames from one I or P frame to the next */
#define INNOVATION 0.2
#define SPREAD 0.2

static const gdouble bits[SIM_MPEG_TYPES] = { 160, 60, 42 / 1.4 };

void
sim_mpeg_init (SimMpeg *m, RaRng *rng)
{
  *m = (SimMpeg){ 0 };
  for (guint i = 0; i < SIM_MPEG_TYPES; i++)
    m->u[i] = ra_rng_uniform (rng);
}

SimMpegType
sim_mpeg_type (guint64 n)
{
  if (n % SIM_MPEG_GOP == 0)
    return SIM_MPEG_I;
  return n % M == 0 ? SIM_MPEG_P : SIM_MPEG_B;
}

gdouble
sim_mpeg_part (SimMpegType type)
{
  gdouble all = 0;

  for (guint n = 0; n < SIM_MPEG_GOP; n++)
    all += bits[sim_mpeg_type (n)];
  return bits[type] * SIM_MPEG_GOP / all;
}

gdouble
sim_mpeg_next (SimMpeg *m, RaRng *rng, SimMpegType *type)
{
  gdouble *u, stitched;

  *type = sim_mpeg_type (m->n++);
  u = &m->u[*type];
  *u += INNOVATION * (ra_rng_uniform (rng) - 0.5);
  *u -= floor (*u);
  stitched = 2 * MIN (*u, 1 - *u);
  return sim_mpeg_part (*type) * (1 - SPREAD + 2 * SPREAD * stitched);
}
