/* What a TCP would get here at the losses that are not shown to be the radio's, after
 * RFC 8083 4.3.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <gst/rtpadapt/safety/friendly.h>

#include <gst/rtpadapt/rate/cubic.h>
#include <gst/rtpadapt/safety/evidence.h>
#include <math.h>

#define TDR RA_SECOND              /* a usual AVPF receiver's regular report */
#define TD_15 (15 * RA_SECOND)     /* max (15, 3 Td), Td <= 5 s */
#define G 1                        /* an encoder follows from frame to frame */
#define LONGEST (3600 * RA_SECOND) /* no span that counts is longer */
#define BREAKER 10                 /* RFC 8083 4.3 */
/* Reports come so often that no interval is longer than this times the regular one,
 * unless the source or the peer made a pause. */
#define PAUSE 2
/* `base-window` of lda/spike.c, for the same reasons. */
#define BASE_WINDOW (120 * RA_SECOND)
/* s.  A queue stands: not yet, as packets of one frame wait for each other; and
 * certainly, as it is more than such a frame. */
#define STANDS_FROM .01
#define STANDS_AT .04
/* A controller that wants more than so many times the rate of four CUBICs does not
 * answer loss events. */
#define ANSWERS 2
#define CERTAIN_MOST .10 /* of all packets */
/* With one, a flow of 16 Mb/s behind 200 ms used .8 of its line at 3 % of radio loss, and
 * .6 in bursts of 4: the bound fell to a fourth whenever the radio took a little more. */
#define DEVIATIONS 2
/* Of all packets.  A slow flow counts few of them, and a TCP would starve beside one that
 * took all that for noise (tests/trust/harm, a peer that pads its times). */
#define NOISE_MOST .01
/* What radio loss does not explain, beyond 5 %, is answered as libwebrtc's
 * loss_based_bwe_v2 answers all loss: 100 kbit/s divided by that share. */
#define UNEXPLAINED .05
#define UNEXPLAINED_RATE (100e3 / 8)

void
ra_friendly_init (RaFriendly *f)
{
  *f = (RaFriendly){ .full = 1,
    .dispersion = 1,
    .tdr = TDR,
    .cb_interval = 3,
    .x_raw = (gdouble) INFINITY,
    .x = (gdouble) INFINITY,
    .x_cubics = (gdouble) INFINITY,
    .t_event = RA_TIME_NONE,
    .x_known = (gdouble) INFINITY,
    .x_ended = (gdouble) INFINITY };
  ra_winmin_init (&f->base);
}

void
ra_friendly_forget (RaFriendly *f)
{
  RaWinMin base = f->base;
  gdouble full = f->full;

  ra_friendly_init (f);
  f->base = base;
  f->full = full;
}

void
ra_friendly_set_full (RaFriendly *f, gdouble full)
{
  f->full = full > 1 ? full : 1;
}

void
ra_friendly_rebase (RaFriendly *f)
{
  ra_winmin_init (&f->base);
}

void
ra_friendly_set_radio (RaFriendly *f, gdouble radio, gdouble dispersion)
{
  f->radio = radio;
  f->dispersion = dispersion;
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

typedef enum
{
  LOST,
  MARKED, /* and lost */
  EVENTS
} Kind;

static guint64
count (const RaFriendlyInterval *in, Kind kind)
{
  if (kind == EVENTS)
    return in->events;
  return in->lost + (kind == MARKED ? in->ce : 0);
}

/* The mean fraction lost, by duration; intervals in which nothing was due say
 * nothing.  The current one may be short: it counts as long as it is.  To TCP a
 * mark is a loss (RFC 3168 5), to a viewer it is none (RFC 8083 7). */
static gdouble
mean_fraction (RaFriendly *f, Kind kind)
{
  guint first = f->n > f->cb_interval ? f->n - f->cb_interval : 0;
  gdouble sum = 0, time = 0;

  for (guint i = first; i < f->n; i++) {
    const RaFriendlyInterval *in = interval_at (f, i);
    gdouble length = (gdouble) MAX (in->length, 1);
    guint64 lost = count (in, kind);

    if (in->expected == 0)
      continue;
    sum += length * fmin ((gdouble) lost / (gdouble) in->expected, 1);
    time += length;
  }
  return time > 0 ? sum / time : 0;
}

/* p.  Before RFC 8083 4.3 has enough intervals the few packets of a ramp say little:
 * then only what is certain of p counts, unless they met a queue or more than
 * CERTAIN_MOST was lost. */
static gdouble
known_fraction (RaFriendly *f)
{
  gdouble lost = 0, expected = 0;

  if (f->n_ended >= f->cb_interval || f->met_queue || f->p > CERTAIN_MOST)
    return f->p;
  for (guint i = 0; i < f->n; i++) {
    const RaFriendlyInterval *in = interval_at (f, i);

    lost += (gdouble) in->lost + (gdouble) in->ce;
    expected += (gdouble) in->expected;
  }
  return fmin (f->p, ra_evidence_lower (lost, fmax (expected, lost)));
}

/* What of p is not shown to be the radio's.  p is of some hundred or thousand packets,
 * of which the radio takes more or fewer, and in bursts all the more.  A standard
 * deviation of a Poisson count is not taken for congestion, nor, by a flow alone, DEVIATIONS
 * of one that is so dispersed where these are less than NOISE_MOST. */
static gdouble
unshown_fraction (RaFriendly *f)
{
  gdouble expected = 0, sd, more;

  for (guint i = f->n > f->cb_interval ? f->n - f->cb_interval : 0; i < f->n;
       i++)
    expected += (gdouble) interval_at (f, i)->expected;
  sd = sqrt (f->radio / fmax (expected, 1));
  more = fmin (DEVIATIONS * sd * sqrt (f->dispersion), NOISE_MOST);
  return fmax (0, f->p - f->radio - fmax (sd, more));
}

gdouble
ra_friendly_waited (const RaFriendly *f, RaSpan rtt, RaTime now)
{
  return rtt > 0 ? ra_seconds (rtt)
          - fmin (ra_winmin_get (&f->base, now, BASE_WINDOW), ra_seconds (rtt))
                 : (gdouble) INFINITY;
}

static void
rtt_note (RaFriendly *f, RaSpan rtt, RaTime now)
{
  f->tr += f->tr ? (rtt - f->tr) / 5 : rtt; /* RFC 8083 3 */
  ra_winmin_add (&f->base, ra_seconds (rtt), now, BASE_WINDOW);
  f->met_queue |= ra_friendly_waited (f, rtt, now) > STANDS_AT;
  f->queue = ra_seconds (f->tr) - ra_winmin_get (&f->base, now, BASE_WINDOW);
}

/* Begins a new interval at `now`. */
static void
interval_begin (RaFriendly *f, RaTime now)
{
  while (f->n >= MIN (f->cb_interval + 1, RA_FRIENDLY_INTERVALS)) {
    f->head = (f->head + 1) % RA_FRIENDLY_INTERVALS;
    f->n--;
  }
  f->n++;
  f->silent = 0;
  *interval_at (f, f->n - 1) = (RaFriendlyInterval){ .start = now };
}

/* `n` packets that earlier reports have for lost have come, most likely the latest:
 * RFC 3550 A.3 counts them as received. */
static void
take_back (RaFriendly *f, guint64 n)
{
  for (guint i = f->n; i-- > 0 && n > 0;) {
    RaFriendlyInterval *in = interval_at (f, i);
    guint64 part = MIN (n, in->lost);

    in->lost -= part;
    if (in->lost + in->ce == 0)
      in->events = 0;
    n -= part;
  }
}

/* What is lost within a round trip is one event (RFC 5348 5.2), as it is one
 * reduction to a TCP.  A report about several round trips may be of several. */
static guint64
events (RaFriendly *f, const RaReport *report, guint64 lost, RaTime now)
{
  gdouble rounds = ra_seconds (report->interval) / ra_seconds (MAX (f->tr, 1));

  if (lost == 0
      || (f->t_event != RA_TIME_NONE && now >= f->t_event
          && ra_diff (now, f->t_event) < f->tr))
    return 0;
  f->t_event = now;
  return (guint64) fmin ((gdouble) lost, fmax (rounds, 1));
}

/* Four times the window of a CUBIC that has as many events in the same time.  It
 * goes with p^(-3/4) (RFC 9438 5.1), and with four times the packets p is a fourth. */
static gdouble
cubics (const RaFriendly *f, gdouble s, gdouble p)
{
  gdouble rtt = ra_seconds (f->tr);

  return p > 0 && rtt > 0 ? M_SQRT2 * ra_cubic_mean (rtt, p) * s / rtt
                          : (gdouble) INFINITY;
}

/* RFC 8083 4.3 weighs by time.  A pause says nothing, of a source that sends nothing in it,
 * or of a path or a peer whose later reports say that less was lost than before.  Where
 * they say that more was, a peer that withholds them gains nothing. */
static RaSpan
length_of (const RaFriendly *f, const RaFriendlyInterval *in, RaSpan interval,
    RaTime now)
{
  RaSpan length = MAX (ra_diff (now, in->start), 0);
  RaSpan regular = MAX (TDR, interval);
  gboolean more = (gdouble) count (in, MARKED) > f->p * (gdouble) in->expected;

  if (length <= PAUSE * regular)
    return length;
  return more ? MAX (regular, length - f->silent) : regular;
}

void
ra_friendly_on_silence (RaFriendly *f, RaTime from, RaTime now)
{
  RaSpan silent = f->n > 0
      ? ra_diff (now, MAX (from, interval_at (f, f->n - 1)->start))
      : 0;

  if (silent > PAUSE * f->tdr)
    f->silent += silent;
}

gboolean
ra_friendly_on_report (
    RaFriendly *f, const RaReport *report, gdouble s, RaSpan tf, RaTime now)
{
  guint lost = report->lost_congestion + report->lost_wireless;
  RaFriendlyInterval *in;
  gboolean ended;
  gdouble p;

  if (report->rtt > 0)
    rtt_note (f, report->rtt, now);
  if (f->n == 0)
    interval_begin (f, now);
  in = interval_at (f, f->n - 1);
  in->start = MIN (in->start, now); /* the clock fell back */
  /* A loss is known some packets after it was due. */
  in->expected += MAX (report->expected, lost);
  in->lost += lost;
  in->ce += report->ce;
  in->events += events (f, report, lost + (guint64) report->ce, now);
  take_back (f, report->recovered);
  in->length = length_of (f, in, report->interval, now);

  f->x_known = fmax (f->x_known, f->x);
  f->p = mean_fraction (f, MARKED);
  f->gone = mean_fraction (f, LOST);
  p = known_fraction (f);
  f->x_raw = ra_friendly_x (s, f->tr, p);
  f->x = ra_friendly_x (s, f->tr, fmin (p, unshown_fraction (f)));
  f->x_cubics = cubics (f, s, mean_fraction (f, EVENTS));
  ended = in->length >= TDR; /* a rarer report is an interval of its own */
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

/* `cap`, or less where a queue stands: there of full packets, as a TCP's are (RFC
 * 4828 4.1).  A lower rate makes smaller ones, and with their mean size the bound
 * would fall by itself, without an end. */
static gdouble
times (const RaFriendly *f, gdouble cap)
{
  gdouble stands = (f->queue - STANDS_FROM) / (STANDS_AT - STANDS_FROM);

  if (cap <= RA_FRIENDLY_STANDING || stands <= 0)
    return cap;
  return fmin (
      cap, f->full * cap * pow (RA_FRIENDLY_STANDING / cap, fmin (stands, 1)));
}

guint64
ra_friendly_raw (const RaFriendly *f, gdouble cap)
{
  return cap > 0 && isfinite (f->x_raw)
      ? MAX (ra_bits (times (f, cap) * f->x_raw), 1)
      : G_MAXUINT64;
}

/* So many times X. */
static guint64
cap_for (const RaFriendly *f, gdouble n)
{
  gdouble beyond = f->p - f->radio - UNEXPLAINED, most = n * f->x;

  if (n <= 0 || !isfinite (f->x))
    return G_MAXUINT64;
  if (beyond > 0)
    most = fmax (fmin (most, UNEXPLAINED_RATE / beyond), n * f->x_raw);
  return MAX (ra_bits (most), 1);
}

guint64
ra_friendly_cap (const RaFriendly *f, gdouble cap)
{
  return cap_for (f, times (f, cap));
}

guint64
ra_friendly_bound (const RaFriendly *f, gdouble cap, guint64 wanted)
{
  guint64 most = ra_friendly_cap (f, cap);

  if (cap <= RA_FRIENDLY_STANDING || ra_bytes (wanted) > ANSWERS * f->x_cubics)
    return most;
  if (isfinite (f->x_cubics))
    wanted = MIN (wanted, ra_bits (f->x_cubics));
  return MAX (most, MIN (wanted, cap_for (f, cap)));
}

gboolean
ra_friendly_exceeded (const RaFriendly *f, guint64 bps)
{
  return f->n_ended > f->cb_interval
      && ra_bytes (bps) > BREAKER * fmax (f->x, f->x_ended);
}
