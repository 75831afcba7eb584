/* PCG32, XSH-RR 64/32 (O'Neill 2014, HMC-CS-2014-0905, section 6.3).
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <gst/rtpadapt/util/rng.h>

void
ra_rng_init (RaRng *rng, guint64 seed, guint64 stream)
{
  rng->state = 0;
  rng->inc = (stream << 1) | 1; /* any odd increment is a stream of its own */
  ra_rng_next (rng);
  rng->state += seed;
  ra_rng_next (rng);
}

guint32
ra_rng_next (RaRng *rng)
{
  guint64 old = rng->state;
  guint32 shifted = (guint32) (((old >> 18) ^ old) >> 27);
  guint32 rot = (guint32) (old >> 59);

  rng->state = old * G_GUINT64_CONSTANT (6364136223846793005) + rng->inc;
  return (shifted >> rot) | (shifted << (-rot & 31));
}

gdouble
ra_rng_uniform (RaRng *rng)
{
  return ra_rng_next (rng) * 0x1p-32;
}

gboolean
ra_rng_chance (RaRng *rng, gdouble p)
{
  return ra_rng_uniform (rng) < p;
}
