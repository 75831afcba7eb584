/* ZigZag: a loss at a trip time below its mean is wireless, the bar depending
 * on how many packets are missing.
 * S. Cen, P. C. Cosman, G. M. Voelker, "End-to-end differentiation of
 * congestion and wireless losses", IEEE/ACM ToN 11(5), 2003, III-C.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What the paper leaves open:
 * - Whose trip time judges.  III-C takes Biaz's notation, where P_i is "the last
 *   in-sequence packet received by the receiver before a loss happened", so
 *   rott_i is that of the packet before the hole (witness=0).  Other
 *   implementations take the packet behind it (witness=1).  Without radio loss
 *   that one misreads 99 % of one flow's congestion and loses 13 to 21 % of the
 *   packets, where witness=0 misreads none and loses .01 to .2 %; with radio
 *   loss the two differ little in throughput and M_w (2 and 8 Mb/s, TFRC).
 * - The mean and deviation are those at the loss, of all packets before the
 *   hole.  So the packet behind the hole does not pull the bar it has to pass.
 * - More than three losses.  The rule prints mean - dev / 2 (many=0), but the
 *   prose takes four and more for congestion "only when relatively large ROTT
 *   were observed", so that the bar would rise with n to mean + dev / 2 (many=1).
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
  if (n > 3 && z->many > 0)
    return z->mean + z->dev / 2;
  return z->mean - z->dev / 2; /* n = 2, and n > 3 as printed */
}

static RaCause
zigzag_on_packet (RaLda *lda, const RaArrival *a)
{
  RaZigzag *z = (RaZigzag *) lda;
  gboolean fresh = !z->offset.known;
  gdouble rott = ra_rott (&z->offset, a->rott);
  RaCause cause = RA_CAUSE_CONGESTION;

  if (fresh) {
    z->mean = z->rott = rott;
    return cause;
  }
  if ((z->witness > 0 ? rott : z->rott) < bar (z, a->n_lost))
    cause = RA_CAUSE_WIRELESS;
  z->rott = rott;
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
  { "witness", RA_AT (RaZigzag, witness), .def = 0, .max = 1,
      .text = "rott_i is of the packet 0: before the hole, 1: behind it" },
  { "many", RA_AT (RaZigzag, many), .def = 0, .max = 1,
      .text
      = "above 3 losses the bar is 0: mean - dev / 2, 1: mean + dev / 2" },
  { NULL },
};

const RaLdaOps ra_lda_zigzag = {
  .name = "zigzag",
  .cite = "Cen, Cosman, Voelker 2003, III-C",
  .needs = "send and arrival times",
  .use
  = "the safe side: little congestion is misread, but most radio losses are",
  .size = sizeof (RaZigzag),
  .params = ra_zigzag_params,
  .on_packet = zigzag_on_packet,
  .observe = zigzag_observe,
};
