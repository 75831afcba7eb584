/* What a TCP would get here, were every loss congestion (RFC 8083 4.3).
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <gst/rtpadapt/safety/friendly.h>

#include <math.h>

#define TDR RA_SECOND              /* a usual AVPF receiver's regular report */
#define TD_15 (15 * RA_SECOND)     /* max (15, 3 Td), Td <= 5 s */
#define G 1                        /* an encoder follows from frame to frame */
#define LONGEST (3600 * RA_SECOND) /* no span that counts is longer */
#define BREAKER 10                 /* RFC 8083 4.3 */
/* As long as lda/spike.h keeps the shortest trip, for the same reasons. */
#define BASE_WINDOW (120 * RA_SECOND)
/* s.  A queue stands: not yet, as packets of one frame wait for each other; and
 * certainly, as it is more than such a frame. */
#define STANDS_FROM .01
#define STANDS_AT .04

void
ra_friendly_init (RaFriendly *f)
{
  *f = (RaFriendly){ .tdr = TDR,
    .cb_interval = 3,
    .x = (gdouble) INFINITY,
    .x_known = (gdouble) INFINITY,
    .x_ended = (gdouble) INFINITY };
  ra_winmin_init (&f->base);
}

void
ra_friendly_forget (RaFriendly *f)
{
  RaWinMin base = f->base;

  ra_friendly_init (f);
  f->base = base;
}

gdouble
ra_friendly_x (gdouble s, RaSpan tr, gdouble p)
{
  return p > 0 && tr > 0 ? s / (ra_seconds (tr) * sqrt (2 * p / 3))
                         : (gdouble) INFINITY;
}

static RaFriendlyInterval *
interval_at (RaFriendly *f, guint i)
{
  return &f->ring[(f->head + i) % RA_FRIENDLY_INTERVALS];
}

/* RFC 8083 4.3: ceil (3 min (max (10 G Tf, 10 Tr, 3 Tdr), max (15, 3 Td))
 * / (3 Tdr)) */
static guint
cb_interval (const RaFriendly *f, RaSpan tf)
{
  RaSpan time = MAX (10 * G * MIN (tf, LONGEST), 10 * MIN (f->tr, LONGEST));

  time = MIN (MAX (time, 3 * f->tdr), MAX (TD_15, 3 * f->tdr));
  return (guint) ((time + f->tdr - 1) / f->tdr);
}

/* The mean fraction lost, by duration; intervals in which nothing was due tell
 * nothing.  The current one may be short: it counts as long as it is.  To TCP a
 * mark is a loss (RFC 3168 5), to a viewer it is none (RFC 8083 7). */
static gdouble
mean_fraction (RaFriendly *f, gboolean marks)
{
  guint first = f->n > f->cb_interval ? f->n - f->cb_interval : 0;
  gdouble sum = 0, time = 0;

  for (guint i = first; i < f->n; i++) {
    const RaFriendlyInterval *in = interval_at (f, i);
    gdouble length = (gdouble) MAX (in->length, 1);
    guint64 lost = in->lost + (marks ? in->ce : 0);

    if (in->expected == 0)
      continue;
    sum += length * fmin ((gdouble) lost / (gdouble) in->expected, 1);
    time += length;
  }
  return time > 0 ? sum / time : 0;
}

static void
rtt_note (RaFriendly *f, RaSpan rtt, RaTime now)
{
  f->tr += f->tr ? (rtt - f->tr) / 5 : rtt; /* RFC 8083 3 */
  ra_winmin_add (&f->base, ra_seconds (rtt), now, BASE_WINDOW);
  f->queue = ra_seconds (f->tr) - ra_winmin_get (&f->base, now, BASE_WINDOW);
}

/* Begins a new interval at `now`. */
static void
interval_begin (RaFriendly *f, RaTime now)
{
  if (f->n == MIN (f->cb_interval + 1, RA_FRIENDLY_INTERVALS)) {
    f->head = (f->head + 1) % RA_FRIENDLY_INTERVALS;
    f->n--;
  }
  f->n++;
  *interval_at (f, f->n - 1) = (RaFriendlyInterval){ .start = now };
}

gboolean
ra_friendly_on_report (
    RaFriendly *f, const RaReport *report, gdouble s, RaSpan tf, RaTime now)
{
  guint lost = report->lost_congestion + report->lost_wireless;
  RaFriendlyInterval *in;
  gboolean ended;

  if (report->rtt > 0)
    rtt_note (f, report->rtt, now);
  if (f->n == 0)
    interval_begin (f, now);
  in = interval_at (f, f->n - 1);
  in->start = MIN (in->start, now); /* the clock fell back */
  in->length = MAX (ra_diff (now, in->start), 0);
  /* A loss is known some packets after it was due. */
  in->expected += MAX (report->expected, lost);
  in->lost += lost;
  in->ce += report->ce;

  f->x_known = fmax (f->x_known, f->x);
  f->p = mean_fraction (f, TRUE);
  f->gone = mean_fraction (f, FALSE);
  f->x = ra_friendly_x (s, f->tr, f->p);
  ended = in->length >= TDR; /* what is rarer comes one by one */
  if (ended) {
    f->n_ended = MIN (f->n_ended + 1, G_MAXUINT - 1);
    f->x_ended = f->x_known;
    f->x_known = f->x;
    f->tdr = CLAMP (report->interval, TDR, LONGEST);
    f->cb_interval = MIN (cb_interval (f, tf), RA_FRIENDLY_INTERVALS - 1);
    interval_begin (f, now);
  }
  return ended;
}

guint64
ra_friendly_cap (const RaFriendly *f, gdouble cap)
{
  gdouble stands = (f->queue - STANDS_FROM) / (STANDS_AT - STANDS_FROM);

  if (cap <= 0 || !isfinite (f->x))
    return G_MAXUINT64;
  if (cap > RA_FRIENDLY_STANDING && stands > 0)
    cap *= pow (RA_FRIENDLY_STANDING / cap, fmin (stands, 1));
  return MAX (ra_bits (cap * f->x), 1);
}

gboolean
ra_friendly_exceeded (const RaFriendly *f, guint64 bps)
{
  return f->n_ended > f->cb_interval
      && ra_bytes (bps) > BREAKER * fmax (f->x, f->x_ended);
}
