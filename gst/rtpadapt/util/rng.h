/* Seeded random numbers: the same seed gives the same numbers everywhere.
 * PCG32 (O'Neill 2014, HMC-CS-2014-0905), XSH-RR 64/32.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct
{
  guint64 state, inc;
} RaRng;

/* Distinct streams of one seed are independent as wholes; the first numbers of
 * neighbouring ones are alike. */
void ra_rng_init (RaRng *rng, guint64 seed, guint64 stream);
guint32 ra_rng_next (RaRng *rng);
/* Uniform in [0, 1). */
gdouble ra_rng_uniform (RaRng *rng);
/* TRUE with probability p. */
gboolean ra_rng_chance (RaRng *rng, gdouble p);

G_END_DECLS
