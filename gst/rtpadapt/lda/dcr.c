/* DCR: every loss is congestion, but not before the link layer had its time.
 * S. Bhandarkar, N. E. Sadry, A. L. N. Reddy, N. H. Vaidya, "TCP-DCR: A Novel
 * Protocol for Tolerating Wireless Channel Errors", IEEE TMC 4(5), 2005, 3.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The verdict waits for tau, from the first later packet on (the first dupack of
 * the paper); what a link-layer retransmission brings until then was no loss.
 * tau is at least the round trip of the radio link, which we do not know, and
 * below TCP's timeout; the paper takes one smoothed RTT (3.2).
 *
 * Each hole waits for a tau of its own.  In the paper the first loss in a window
 * does, and when it has waited the others are handled "in exactly the same way as
 * TCP-SACK would" (3.3), at once.  So a later hole may still be filled here; a
 * controller answers those that are not once per RTT, as one loss event.
 *
 * On real video:
 * - R comes in packets or from feedback, and may be wrong once: tau never
 *   exceeds `max`.  While R is unknown nothing waits.
 * - The paper waits in congestion avoidance only (3.3).  The sender's state is
 *   unknown here, but slow start ends with the first loss event: the receiver
 *   lets no verdict wait before it.  A later slow start (after a timeout) is not
 *   seen.
 * - The feedback must report packets that come late.  A TFRC receiver sees
 *   them.  GStreamer 1.22's TWCC does not report a packet once a feedback has
 *   called it lost: with feedback=twcc only what the link brings back within
 *   its frame is saved, and the rest of the wait is a delay for nothing.
 * - Without link-layer retransmission it is `none`, one RTT late.
 */
#include <gst/rtpadapt/lda.h>

typedef struct
{
  RaLda base;
  gdouble tau, max;
  RaSpan wait; /* of the last packet's verdict */
} Dcr;

static RaCause
dcr_on_packet (RaLda *lda, const RaArrival *a)
{
  Dcr *d = (Dcr *) lda;

  d->wait = lda->ops->patience (lda, a);
  return RA_CAUSE_CONGESTION;
}

/* Bhandarkar et al. 2005, 3.2 */
static RaSpan
dcr_patience (const RaLda *lda, const RaArrival *a)
{
  const Dcr *d = (const Dcr *) lda;

  return MIN (
      ra_span (d->tau * ra_seconds (MAX (a->rtt, 0))), ra_span (d->max));
}

static void
dcr_observe (const RaLda *lda, RaObserve emit, gpointer data)
{
  emit ("tau", ra_seconds (((const Dcr *) lda)->wait), data);
}

/* 4: t_RTO = 4 R (RFC 5348 3.1).  1 s and 60 s: no RTO is below, or need be
 * above (RFC 6298 2.4, 2.5). */
static const RaParam params[] = {
  { "tau", RA_AT (Dcr, tau), .def = 1, .max = 4,
      .text = "how long a verdict waits, in RTTs" },
  { "max", RA_AT (Dcr, max), .def = 1, RA_PAPER (60), .max = 600, .unit = "s",
      .text = "but no longer than this" },
  { NULL },
};

const RaLdaOps ra_lda_dcr = {
  .name = "dcr",
  .cite = "Bhandarkar, Sadry, Reddy, Vaidya 2005 (TCP-DCR), 3",
  .needs = "the RTT; feedback that names late packets (tfrc, ccfb)",
  .use = "a radio link that retransmits by itself, and does not keep the order",
  .size = sizeof (Dcr),
  .params = params,
  .on_packet = dcr_on_packet,
  .patience = dcr_patience,
  .observe = dcr_observe,
};
