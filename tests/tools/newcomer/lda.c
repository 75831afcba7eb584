/* newcomer: a loss is wireless if the trip takes no longer than before it.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * tests/tools/one-word adds this to a copy of the library.
 */
#include <gst/rtpadapt/lda.h>

typedef struct
{
  RaLda base;
  gdouble slack; /* parameter */
  gboolean known;
  RaSpan rott; /* of the packet before */
} Newcomer;

static RaCause
newcomer_on_packet (RaLda *lda, const RaArrival *a)
{
  Newcomer *n = (Newcomer *) lda;
  RaSpan longer = ra_diff ((RaTime) a->rott, (RaTime) n->rott);
  gboolean steady = n->known && longer <= ra_span (n->slack);

  n->known = TRUE;
  n->rott = a->rott;
  return steady ? RA_CAUSE_WIRELESS : RA_CAUSE_CONGESTION;
}

static const RaParam params[] = {
  { "slack", RA_AT (Newcomer, slack), .def = .002, RA_PAPER (0), .max = 1,
      .unit = "s",
      .text = "a trip that takes so much longer is no longer one" },
  { NULL },
};

const RaLdaOps ra_lda_newcomer = {
  .name = "newcomer",
  .cite = "-",
  .needs = "send and arrival times",
  .use = "a test of the build",
  .size = sizeof (Newcomer),
  .params = params,
  .on_packet = newcomer_on_packet,
};
