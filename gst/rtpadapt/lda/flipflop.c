/* Flip-flop: a loss is congestion if more than eta of the last l round trips
 * lay above the control limit of a flip-flop filter.
 * D. Barman, I. Matta, "Effectiveness of loss labeling in improving TCP
 * performance in wired/wireless networks", ICNP 2002, 2.2.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The paper used RTT at the sender, so do we (lda/delay.h); at a receiver ROTT.
 * There MR cannot begin as half of it, for the clocks' offset is in it: it
 * begins as half of the sender's R, or of nothing but the first difference.  A
 * loss before that, as one before the first packet, is congestion.
 *
 * What the figures leave open:
 * - last_rtt is that of the packet before, in control or not: the text has the
 *   "differences between adjacent RTT samples".
 * - The packet after the hole moves the vector before the verdict.  TCP has no
 *   sample of it, a duplicate ACK; we do, and it is the witness nearest to the
 *   loss.
 *
 * On real video:
 * - MR follows the stamps' noise in quiet times and a growing queue in others,
 *   and where stamps do not move it falls to nothing, until no sample is within
 *   the limits and it stays there.  It counts as `min-range` at least.
 * - A queue that grows evenly is followed by the agile filter and never out of
 *   control: the paper found P[C|C] to be 0 and .32.  TCP still had its window
 *   and its timeouts, which always are congestion; a paced sender would go on
 *   into a full queue, half of its packets dropped.  A queue that LD calls
 *   congested overrules the filter (`guard`).
 */
#include <gst/rtpadapt/lda/ld.h>

#include <math.h>

/* Barman, Matta 2002, figure 1. */
#define AGILE .9  /* weight of a new sample in control */
#define STABLE .1 /* and of an outlier */
#define MR_NEW .125
/* Ibid., equation 1. */
#define SIGMAS 3
#define D_2 1.128

typedef struct
{
  RaLda base;
  gdouble l, eta, min_range, guard; /* parameters */
  RaLd ld;                          /* has the RTTs, too */
  guint64 vector; /* the latest sample is bit 0; 1: an outlier */
  gdouble est_rtt, last_rtt;
  gdouble mr; /* the mean moving range, ns; below 0 while unknown */
} FlipFlop;

static void
flipflop_init (RaLda *lda)
{
  FlipFlop *f = (FlipFlop *) lda;

  ra_lda_child (&f->ld.base, &ra_lda_ld);
}

static guint
bits_set (const FlipFlop *f)
{
  guint n = 0;

  for (guint64 v = f->vector; v; v &= v - 1)
    n++;
  return n;
}

/* 3 MR / d_2, equation 1.  A clock has steps of 1 ns at best, and less is our
 * own rounding. */
static gdouble
limit (const FlipFlop *f)
{
  gdouble least = MAX (f->min_range * (gdouble) RA_SECOND, 1);

  return SIGMAS * MAX (f->mr, least) / D_2;
}

/* Figure 1, "first ack": MR = est_rtt / 2, where an RTT is known. */
static gdouble
first_range (
    const FlipFlop *f, gdouble s_rtt, const RaArrival *a, gboolean first)
{
  RaSpan rtt = a->rtt_sample > 0 ? a->rtt_sample : a->rtt;

  if (rtt > 0)
    return (gdouble) rtt / 2;
  return first ? -1 : fabs (s_rtt - f->last_rtt);
}

/* Figure 1, the rest; est += w (s - est) leaves an est that has arrived. */
static void
update (FlipFlop *f, gdouble s_rtt)
{
  guint64 mask = G_MAXUINT64 >> (64 - (guint) f->l);
  gboolean outlier = s_rtt > f->est_rtt + limit (f);

  f->vector = (f->vector << 1 | outlier) & mask;
  f->est_rtt += (outlier ? STABLE : AGILE) * (s_rtt - f->est_rtt);
  if (!outlier && s_rtt >= f->est_rtt - limit (f))
    f->mr += MR_NEW * (fabs (s_rtt - f->last_rtt) - f->mr);
}

static RaCause
flipflop_on_packet (RaLda *lda, const RaArrival *a)
{
  FlipFlop *f = (FlipFlop *) lda;
  gboolean first = !f->ld.delay.known, unsure = first || f->mr < 0;
  gdouble s_rtt;

  ra_lda_on_packet (&f->ld.base, a);
  s_rtt = f->ld.rtt;
  if (first)
    f->est_rtt = s_rtt;
  if (unsure)
    f->mr = first_range (f, s_rtt, a, first);
  if (!first)
    update (f, s_rtt);
  f->last_rtt = s_rtt;
  if (unsure || (f->guard > 0 && ra_ld_is_congested (&f->ld)))
    return RA_CAUSE_CONGESTION;
  /* Figure 2. */
  return bits_set (f) > f->eta ? RA_CAUSE_CONGESTION : RA_CAUSE_WIRELESS;
}

static void
flipflop_observe (const RaLda *lda, RaObserve emit, gpointer data)
{
  const FlipFlop *f = (const FlipFlop *) lda;

  if (f->ld.delay.known)
    emit ("est_rtt", ra_delay_seconds (&f->ld.delay, f->est_rtt), data);
  if (f->ld.delay.known && f->mr >= 0)
    emit ("mr", f->mr / (gdouble) RA_SECOND, data);
  emit ("vector", (gdouble) f->vector, data);
  emit ("outliers", bits_set (f), data);
}

static const RaParam params[] = {
  { "l", RA_AT (FlipFlop, l), .def = 10, .min = 1, .max = 64, .unit = "packets",
      .text = "how many samples are remembered" },
  { "eta", RA_AT (FlipFlop, eta), .def = 5, .max = 64, .unit = "packets",
      .text = "more outliers than this among them are congestion" },
  { "min-range", RA_AT (FlipFlop, min_range), .def = .00025, RA_PAPER (0),
      .max = 10, .unit = "s",
      .text = "the moving range MR counts as at least this" },
  { "guard", RA_AT (FlipFlop, guard), .def = 1, RA_PAPER (0), .max = 1,
      .text = "1: what LD calls congestion is congestion" },
  { "ld-", RA_TABLE (FlipFlop, ld, ra_ld_params) },
  { NULL },
};

const RaLdaOps ra_lda_flipflop = {
  .name = "flipflop",
  .cite = "Barman, Matta 2002, 2.2",
  .needs = "RTT per packet (per-packet feedback), or send and arrival times",
  .use = "sudden congestion; alone (guard=0) deaf to a queue that fills slowly",
  .size = sizeof (FlipFlop),
  .params = params,
  .init = flipflop_init,
  .on_packet = flipflop_on_packet,
  .observe = flipflop_observe,
};
