/* ZigZag: a loss at a trip time below its mean is wireless, the bar depending
 * on how many packets are missing.
 * S. Cen, P. C. Cosman, G. M. Voelker, "End-to-end differentiation of
 * congestion and wireless losses", IEEE/ACM ToN 11(5), 2003, III-C.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What the paper leaves open:
 * - rott_i is compared with the mean and deviation of the packets before it;
 *   a packet does not pull the bar it has to pass.
 * - The deviation uses the new mean, in the order the formulas are printed;
 *   the brackets around rott - rott_mean are read as its absolute value.
 * - The first rott is the first mean, and the deviation starts at 0: anything
 *   made from the rott itself (as TCP starts with RTT / 2) would depend on the
 *   offset of the clocks.
 * Nothing here depends on packet sizes or on maxima, so real video needs no
 * other defaults.
 */
#include <gst/rtpadapt/lda/zigzag.h>

#include <math.h>

/* Cen 2003, III-C, the rule under "A loss is classified as wireless if". */
static gdouble
bar (const RaZigzag *z, guint n)
{
  if (n == 1)
    return z->mean - z->dev;
  if (n == 3)
    return z->mean;
  return z->mean - z->dev / 2; /* n = 2 and n > 3 */
}

static RaCause
zigzag_on_packet (RaLda *lda, const RaArrival *a)
{
  RaZigzag *z = (RaZigzag *) lda;
  gboolean fresh = !z->offset.known;
  gdouble rott = ra_rott (&z->offset, a->rott);
  RaCause cause = RA_CAUSE_CONGESTION;

  if (fresh) {
    z->mean = rott;
    return cause;
  }
  if (rott < bar (z, a->n_lost))
    cause = RA_CAUSE_WIRELESS;
  z->mean = (1 - z->alpha) * z->mean + z->alpha * rott;
  z->dev = (1 - 2 * z->alpha) * z->dev + 2 * z->alpha * fabs (rott - z->mean);
  return cause;
}

static void
zigzag_observe (const RaLda *lda, RaObserve emit, gpointer data)
{
  const RaZigzag *z = (const RaZigzag *) lda;

  if (z->offset.known)
    emit ("rott_mean", ra_rott_seconds (&z->offset, z->mean), data);
  emit ("rott_dev", z->dev / (gdouble) RA_SECOND, data);
}

const RaParam ra_zigzag_params[] = {
  { "alpha", RA_AT (RaZigzag, alpha), .def = 1 / 32., .max = .5,
      .text = "weight of a new rott in rott_mean" },
  { NULL },
};

const RaLdaOps ra_lda_zigzag = {
  .name = "zigzag",
  .cite = "Cen, Cosman, Voelker 2003, III-C",
  .needs = "send and arrival times",
  .use = "many flows on one wireless backbone; the safe side everywhere else",
  .size = sizeof (RaZigzag),
  .params = ra_zigzag_params,
  .on_packet = zigzag_on_packet,
  .observe = zigzag_observe,
};
