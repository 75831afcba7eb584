/* WLED: the loss rate of packets that congestion spares is the radio's.
 * K. D. Singh, D. Ros, L. Toutain, C. Viho, "Improvement of Multimedia
 * Streaming using Estimation of Wireless losses", IRISA PI 1792, 2006, 3.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * In an Assured Forwarding class (RFC 2597) a queue drops yellow and red packets
 * long before green ones.  While yellow ones get through, what green ones lose
 * is the radio's; and the radio does not see colours.
 *
 * WLED estimates rates, but controllers count losses that bear a cause.  So it
 * labels a share of them.  Of all packets p_c are dropped by congestion and w of
 * the rest by the radio, hence pi = p_c + (1 - p_c) w (equation 2 of the paper)
 * and
 *     P(wireless | lost) = (1 - p_c) w / pi = 1 - p_c / pi.
 * An error diffusion spreads this share evenly over the losses; then
 * lost_congestion / expected of a report is pi (1 - share) = p_c, which `arc`
 * needs.  Which loss gets which label means nothing.
 *
 * Unsure is congestion: w = 0 without green or yellow packets (no l_yellow that
 * could be below theta), and when all green ones are lost (1 - w = 0).  On a
 * path whose queues do not know colours every loss would look like the radio's;
 * a receiver cannot notice, so do not choose it there.
 *
 * On real video:
 * - An RTT has a few packets of each colour, and one lost of two is w = .5.  The
 *   paper smooths p_c alone, over 200 RTTs.  Here the packets themselves are
 *   counted over some time, those that show the radio's rate over `window`, as
 *   it changes slowly, all packets and the yellow ones over `react`, so that the
 *   share falls soon when congestion sets in.  alpha = 1 then.
 *   What greens lose while l_yellow is theta or more is not remembered: in the
 *   paper, too, w is of the RTTs below theta alone.
 * - w needs `greens` packets before it is believed, and a yellow one of late: of
 *   yellow packets that are all dropped a receiver hears nothing.
 * - p_c of one period is `least` at least: figure 2 gives any negative number when
 *   greens had bad luck, which would hide congestion for hundreds of RTTs.
 */
#include <gst/rtpadapt/lda.h>

#include <math.h>

/* Packets. */
typedef struct
{
  gdouble lost, all;
} Count;

typedef struct
{
  RaLda base;
  gdouble theta, alpha, window, react, greens, period, least;
  gboolean started;
  RaTime start;                     /* of the period */
  Count green_now, yellow_now, now; /* in it */
  Count green, yellow, total;       /* remembered */
  gdouble w, p_c, pi;               /* alpha smooths p_c and pi */
  gdouble share, error;
} Wled;

static gdouble
rate_of (const Count *c)
{
  return c->all > 0 ? c->lost / c->all : 0;
}

/* Takes the period's packets into what is remembered for about `window`. */
static void
count_close (Count *c, Count *now, gdouble seconds, gdouble window)
{
  gdouble keep = window > 0 ? exp (-seconds / window) : 0;

  c->lost = c->lost * keep + now->lost;
  c->all = c->all * keep + now->all;
  *now = (Count){ 0 };
}

/* Figure 2, "if l_yellow < theta then w = l_green else w = 0" */
static gdouble
wireless_rate (const Wled *l)
{
  if (l->yellow.all < 1 || rate_of (&l->yellow) >= l->theta)
    return 0;
  if (l->green.all < l->greens || l->green.lost >= l->green.all)
    return 0;
  return rate_of (&l->green);
}

/* Figure 2, once per RTT */
static void
period_close (Wled *l, RaSpan length)
{
  gdouble seconds = ra_seconds (length), p_c, pi;

  count_close (&l->yellow, &l->yellow_now, seconds, l->react);
  if (rate_of (&l->yellow) >= l->theta)
    l->green_now = (Count){ 0 };
  count_close (&l->green, &l->green_now, seconds, l->window);
  count_close (&l->total, &l->now, seconds, l->react);
  l->w = wireless_rate (l);
  pi = rate_of (&l->total);
  p_c = fmax ((pi - l->w) / (1 - l->w), l->least);
  l->p_c += l->alpha * (p_c - l->p_c);
  l->pi += l->alpha * (pi - l->pi); /* ours: share is of two like means */
  l->share = l->pi > 0 ? CLAMP (1 - l->p_c / l->pi, 0, 1) : 0;
}

static void
count_add (Count *c, guint lost, gboolean arrived)
{
  c->lost += lost;
  c->all += (gdouble) lost + (arrived ? 1 : 0);
}

static RaCause
wled_on_packet (RaLda *lda, const RaArrival *a)
{
  Wled *l = (Wled *) lda;
  RaSpan rtt = a->rtt > 0 ? a->rtt : ra_span (l->period);
  RaSpan length = ra_diff (a->arrival, l->start);

  if (!l->started || length < 0) { /* or the clock went back */
    l->started = TRUE;
    l->start = a->arrival;
  } else if (length >= rtt) {
    period_close (l, length);
    l->start = a->arrival;
  }
  count_add (&l->now, a->n_lost, TRUE);
  count_add (
      &l->green_now, a->lost_by_mark[RA_MARK_GREEN], a->mark == RA_MARK_GREEN);
  count_add (&l->yellow_now, a->lost_by_mark[RA_MARK_YELLOW],
      a->mark == RA_MARK_YELLOW);
  return l->share > .5 ? RA_CAUSE_WIRELESS : RA_CAUSE_CONGESTION;
}

static RaCause
wled_on_missing (RaLda *lda, const RaArrival *a, guint64 seq)
{
  Wled *l = (Wled *) lda;

  l->error += l->share;
  if (l->error < 1)
    return RA_CAUSE_CONGESTION;
  l->error -= 1;
  return RA_CAUSE_WIRELESS;
}

static void
wled_values (const RaLda *lda, RaLdaValues *values)
{
  const Wled *l = (const Wled *) lda;

  values->w = l->w;
  values->p_c = l->p_c;
}

static void
wled_observe (const RaLda *lda, RaObserve emit, gpointer data)
{
  const Wled *l = (const Wled *) lda;

  emit ("l_green", rate_of (&l->green), data);
  emit ("l_yellow", rate_of (&l->yellow), data);
  emit ("l_total", rate_of (&l->total), data);
  emit ("w", l->w, data);
  emit ("p_c", l->p_c, data);
  emit ("pi", l->pi, data);
  emit ("share", l->share, data);
}

/* 4.1: an RTT of 240 ms; 4.2: theta, alpha */
static const RaParam params[] = {
  { "theta", RA_AT (Wled, theta), .def = .5, .max = 1,
      .text = "yellow loss rate from which all losses are congestion" },
  { "alpha", RA_AT (Wled, alpha), .def = 1, RA_PAPER (.005), .max = 1,
      .text = "weight of a period's p_c" },
  { "window", RA_AT (Wled, window), .def = 10, RA_PAPER (0), .max = 600,
      .unit = "s",
      .text = "how long green packets are remembered; 0: one RTT" },
  { "react", RA_AT (Wled, react), .def = 1, RA_PAPER (0), .max = 600,
      .unit = "s",
      .text = "how long yellow and all packets are remembered; 0: one RTT" },
  { "greens", RA_AT (Wled, greens), .def = 20, RA_PAPER (1), .min = 1,
      .max = 1000, .unit = "packets",
      .text = "green packets it takes to know w" },
  { "period", RA_AT (Wled, period), .def = .1, RA_PAPER (.24), .min = .001,
      .max = 10, .unit = "s",
      .text = "between estimates while the RTT is unknown" },
  { "least", RA_AT (Wled, least), .def = -1, RA_PAPER (-1e6), .min = -1e6,
      .text = "a period's p_c counts as this at least" },
  { NULL },
};

const RaLdaOps ra_lda_wled = {
  .name = "wled",
  .cite = "Singh, Ros, Toutain, Viho 2006 (WLED), 3",
  .needs = "marked packets, and a bottleneck that obeys the marks (RIO)",
  .use = "a DiffServ network with Assured Forwarding; with arc",
  .colours = TRUE,
  .shares = TRUE,
  .size = sizeof (Wled),
  .params = params,
  .on_packet = wled_on_packet,
  .on_missing = wled_on_missing,
  .values = wled_values,
  .observe = wled_observe,
};
