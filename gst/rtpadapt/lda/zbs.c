/* ZBS: ZigZag, mBiaz or Spike, whichever suits the path.
 * S. Cen, P. C. Cosman, G. M. Voelker, "End-to-end differentiation of
 * congestion and wireless losses", IEEE/ACM ToN 11(5), 2003, VII-A.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Every packet goes to all three, then moves T_avg, then may switch, and only
 * then the scheme in use judges the hole before it: the rule's rott and T_narr
 * are those at the loss (VII-A speaks of T_narr "at congestion loss").  rott_min
 * is Spike's, T_min is mBiaz's.
 *
 * On real video:
 * - T_avg and T_min are per byte if mbiaz-per-byte is set.
 * - .05 T_min is less than the clocks can resolve (160 us at 3 Mb/s), and a
 *   packet's rott holds its own transmission, up to T_min more than that of the
 *   smallest.  rott counts as near its minimum below `near` (1) T_min plus
 *   `slack`, Tobe's 5 ms for an empty queue.
 * - A late wake-up lifts some packets above that, and after one such packet the
 *   lock would hold the wrong scheme.  A queue stands when it has stood for
 *   `hold`; a queue worth judging takes longer to fill.
 * - T_min over a span does not show that others share the queue, and after the
 *   capacity fell it is that of before: T_narr is wrong in both cases for a
 *   while, when many packets die.  A queue more than half full speaks for
 *   congestion whatever the gaps say (`guard`).  The price, radio losses
 *   misread while the queue is that long, is one that drains the queue.
 * - Where jitter hides T_min, from 4 Mb/s on, neither mBiaz nor T_narr means
 *   anything; Spike is used, as the paper does where gaps show nothing.
 */
#include <gst/rtpadapt/lda/biazgap.h>
#include <gst/rtpadapt/lda/spike.h>
#include <gst/rtpadapt/lda/zigzag.h>

/* Cen 2003, VII-A and Fig. 10. */
#define AVG_KEEP .875    /* weight of the old T_avg */
#define NARR_ZIGZAG .875 /* T_narr below: ZigZag */
#define NARR_MBIAZ 1.5   /* below: mBiaz */
#define NARR_SPIKE 2.0   /* below: ZigZag; from here on Spike */

typedef enum
{
  SCHEME_ZIGZAG, /* the first one */
  SCHEME_MBIAZ,
  SCHEME_SPIKE
} Scheme;

typedef struct
{
  RaLda base;
  gdouble near, slack, hold, guard, lock_time, lock_packets; /* parameters */
  RaZigzag zigzag;
  RaBiazGap mbiaz;
  RaSpike spike;
  gdouble iat, units; /* averages over packets sent; T_avg is their ratio */
  gboolean has_avg;
  gboolean was_low; /* rott has been close to its minimum, last at t_low */
  RaTime t_low;
  gboolean started;
  Scheme scheme;
  RaTime since; /* when the scheme was taken up */
  guint64 used; /* packets it has had */
} Zbs;

static void
zbs_init (RaLda *lda)
{
  Zbs *z = (Zbs *) lda;

  ra_lda_child (&z->zigzag.base, &ra_lda_zigzag);
  ra_lda_child (&z->mbiaz.base, &ra_lda_mbiaz);
  ra_lda_child (&z->spike.base, &ra_lda_spike);
}

/* T_avg = .875 T_avg + .125 inter_arr_time / pkts; numerator and denominator
 * by themselves, which is the same for packets of one size. */
static void
average (Zbs *z, const RaArrival *a)
{
  gdouble pkts = (gdouble) a->n_lost + 1;
  gdouble iat = (gdouble) MAX (a->iat, 0) / pkts;
  gdouble units = (ra_biaz_gap_units_lost (&z->mbiaz, a)
                      + ra_biaz_gap_units (&z->mbiaz, a->size))
      / pkts;

  if (a->iat == RA_SPAN_NONE)
    return;
  z->iat = z->has_avg ? AVG_KEEP * z->iat + (1 - AVG_KEEP) * iat : iat;
  z->units = z->has_avg ? AVG_KEEP * z->units + (1 - AVG_KEEP) * units : units;
  z->has_avg = TRUE;
}

/* Is the bottleneck empty or underutilised?  rott < rott_min + .05 T_min. */
static gboolean
is_low (Zbs *z, const RaArrival *a)
{
  gdouble t_min = ra_biaz_gap_t_min (&z->mbiaz);
  gdouble bar = z->slack * (gdouble) RA_SECOND;
  RaSpan since = ra_diff (a->arrival, z->t_low); /* below 0: the clock fell */

  if (t_min < G_MAXDOUBLE)
    bar += z->near * t_min * ra_biaz_gap_units (&z->mbiaz, a->size);
  if (ra_spike_queue (&z->spike) < bar) {
    z->was_low = TRUE;
    z->t_low = a->arrival;
    return TRUE;
  }
  return z->was_low && since >= 0 && since < ra_span (z->hold);
}

/* The rule of VII-A. */
static Scheme
choose (const Zbs *z, gboolean low)
{
  gdouble t_min = ra_biaz_gap_t_min (&z->mbiaz);

  if (low || ra_biaz_gap_is_blind (&z->mbiaz))
    return SCHEME_SPIKE;
  if (t_min < G_MAXDOUBLE)
    t_min *= z->units; /* of a packet of the average size */
  if (t_min == G_MAXDOUBLE || z->iat < NARR_ZIGZAG * t_min)
    return SCHEME_ZIGZAG;
  if (z->iat < NARR_MBIAZ * t_min)
    return SCHEME_MBIAZ;
  if (z->iat < NARR_SPIKE * t_min)
    return SCHEME_ZIGZAG;
  return SCHEME_SPIKE;
}

static void
take_up (Zbs *z, Scheme scheme, RaTime now)
{
  z->scheme = scheme;
  z->since = now;
  z->used = 0;
}

/* Cen 2003, VII-A: 3 s or 50 packets, whichever comes first. */
static gboolean
is_locked (const Zbs *z, RaTime now)
{
  return ra_diff (now, z->since) < ra_span (z->lock_time)
      && (gdouble) z->used < z->lock_packets;
}

static RaCause
zbs_on_packet (RaLda *lda, const RaArrival *a)
{
  Zbs *z = (Zbs *) lda;
  RaCause verdict[] = {
    [SCHEME_ZIGZAG] = ra_lda_on_packet (&z->zigzag.base, a),
    [SCHEME_MBIAZ] = ra_lda_on_packet (&z->mbiaz.base, a),
    [SCHEME_SPIKE] = ra_lda_on_packet (&z->spike.base, a),
  };
  gboolean low = is_low (z, a);

  average (z, a);
  if (!z->started) {
    z->started = TRUE;
    take_up (z, SCHEME_ZIGZAG, a->arrival);
  } else if (!is_locked (z, a->arrival)) {
    Scheme next = choose (z, low);

    if (next != z->scheme)
      take_up (z, next, a->arrival);
  }
  z->used++;
  return z->guard > 0 && ra_spike_is_high (&z->spike) ? RA_CAUSE_CONGESTION
                                                      : verdict[z->scheme];
}

static void
zbs_observe (const RaLda *lda, RaObserve emit, gpointer data)
{
  const Zbs *z = (const Zbs *) lda;
  gdouble t_min = ra_biaz_gap_t_min (&z->mbiaz);

  ra_lda_observe (&z->zigzag.base, emit, data);
  ra_lda_observe (&z->mbiaz.base, emit, data);
  ra_lda_observe (&z->spike.base, emit, data);
  if (z->has_avg && z->units > 0) {
    gdouble t_avg = z->iat / z->units;

    emit ("t_avg", t_avg / (gdouble) RA_SECOND, data);
    if (t_min > 0 && t_min < G_MAXDOUBLE)
      emit ("t_narr", t_avg / t_min, data);
  }
  emit ("scheme", z->scheme, data);
}

static const RaParam params[] = {
  { "near", RA_AT (Zbs, near), .def = 1, RA_PAPER (.05), .max = 10,
      .text = "rott this many T_min above rott_min is still an empty queue" },
  { "slack", RA_AT (Zbs, slack), .def = .005, RA_PAPER (0), .max = 10,
      .unit = "s", .text = "added to that" },
  { "hold", RA_AT (Zbs, hold), .def = .05, RA_PAPER (0), .max = 10, .unit = "s",
      .text = "how long rott has to stay above that" },
  { "guard", RA_AT (Zbs, guard), .def = 1, RA_PAPER (0), .max = 1,
      .text = "1: a queue that starts a spike overrules the scheme in use" },
  { "lock-time", RA_AT (Zbs, lock_time), .def = 3, .max = 3600, .unit = "s",
      .text = "no other scheme within this time" },
  { "lock-packets", RA_AT (Zbs, lock_packets), .def = 50, .max = 1e6,
      .unit = "packets",
      .text = "or within this many packets, whichever comes first" },
  { "zigzag-", RA_TABLE (Zbs, zigzag, ra_zigzag_params) },
  { "mbiaz-", RA_TABLE (Zbs, mbiaz, ra_mbiaz_params) },
  { "spike-", RA_TABLE (Zbs, spike, ra_spike_params) },
  { NULL },
};

const RaLdaOps ra_lda_zbs = {
  .name = "zbs",
  .cite = "Cen, Cosman, Voelker 2003, VII-A",
  .needs = "send and arrival times",
  .use = "picks mbiaz, zigzag or spike by what the path looks like",
  .size = sizeof (Zbs),
  .params = params,
  .init = zbs_init,
  .on_packet = zbs_on_packet,
  .observe = zbs_observe,
};
