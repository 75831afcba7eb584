/* Radio losses in fades: Jakes, 1974 (Microwave Mobile Communications), in the
 * form of Dent, Bottomley, Croft, 1993 (Jakes fading model revisited,
 * Electronics Letters 29(13)), as paper 000, V-B uses it: Cen, Cosman, Voelker,
 * 2003 (End-to-end differentiation of congestion and wireless losses).
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Paper 000 ran a CDMA receiver (spreading, rate 1/2 code, interleaving over 2
 * or 3 packets, 4 paths, 5 users) over this channel and noted which packets
 * it could not decode.  This model lacks the receiver: a packet is lost if the
 * envelope fell below rho times its rms value while the packet was on the
 * air.  rho follows from the loss wanted, so that table I's rates are kept;
 * its bit error rates are not, nor are the losses of two packets in a row that
 * interleaving makes: a quarter there (VI-D), 6 % here, but 25 % with
 * doppler=6Hz (paper's rate and size, loss 3.1 %).
 *
 * Paper 000 gives f_D T_c = 2.62e-4 and does not say what T_c is.  A chip it
 * cannot be: with 150 kbit/s, code rate 1/2 and gain 16 it would last 208 ns,
 * f_D would be 1,258 Hz (680 km/h at 2 GHz), and another for gain 32 in the
 * same table.  We take the coded bit: 3.33 us, f_D = 78.6 Hz (42 km/h).
 *
 * The channel is a function of time alone: any packet rate sees the same
 * fades.  A packet comes when its last bit was sent, so it was on the air
 * before; put this model after the bottleneck.  Paper 000 recorded patterns of
 * equal packets sent back to back and played them to flows of any rate (V-B):
 * pattern=1, where the next packet meets what the next one met then.
 */
#include <gst/rtpadapt/link.h>

#include <math.h>

/* The oscillators.  Their sum falls near 0 by 3 / (4 N0) less often than a
 * Rayleigh channel: with 64, losses are 1 % fewer. */
#define N0 64
/* Points looked at per period of the Doppler frequency; in between, the way
 * from one to the next is straight. */
#define STEPS 20
#define STEPS_MAX 10000
#define AIRTIME_MAX 3600 /* s; a rate of next to nothing has no infinite one */

typedef struct
{
  RaNode node;
  gdouble loss;
  gdouble doppler; /* Hz */
  gdouble rate;    /* bit/s */
  gdouble size;    /* bytes */
  gdouble pattern;

  gdouble played; /* of the pattern, s */
  gdouble rho;    /* threshold over rms */
  gdouble omega[N0], theta[N0], x[N0], y[N0];
} Jakes;

/* 1 - loss is P(no fade at first) P(no fade begins in T), and fades begin at
 * the rate N_R = sqrt(2 pi) f_D rho exp(-rho^2) (Jakes 1974, 1.3) in the
 * exp(-rho^2) of the time without:
 *   1 - loss = exp (-rho^2) exp (-sqrt(2 pi) f_D T rho)
 * For T = 0 it is the Rayleigh distribution.  Where fades are frequent they are
 * no Poisson process: at loss 20 % and f_D T = .4, a twentieth more is lost. */
static gdouble
threshold (const Jakes *j)
{
  gdouble t = j->rate > 0 ? j->size * 8 / j->rate : 0;
  gdouble a = sqrt (2 * G_PI) * j->doppler * MIN (t, AIRTIME_MAX);
  gdouble c = -log1p (-j->loss);

  /* the positive root of rho^2 + a rho = c, for any a */
  return c > 0 ? 2 * c / (a + hypot (a, 2 * sqrt (c))) : 0;
}

static gboolean
jakes_init (RaNode *n, GError **error)
{
  Jakes *j = (Jakes *) n;

  j->rho = threshold (j);
  for (guint i = 0; i < N0; i++) {
    /* Dent 1993: N = 4 N0 rays from all sides, alpha_n = 2 pi (n - .5) / N,
     * beta_n = pi n / N0, random phases theta_n; a single waveform */
    gdouble alpha = 2 * G_PI * (i + 0.5) / (4.0 * N0);
    gdouble beta = G_PI * (i + 1) / N0;

    j->omega[i] = 2 * G_PI * j->doppler * cos (alpha);
    j->theta[i] = 2 * G_PI * ra_rng_uniform (&n->rng);
    j->x[i] = sqrt (2.0 / N0) * cos (beta);
    j->y[i] = sqrt (2.0 / N0) * sin (beta);
  }
  return TRUE;
}

/* The oscillators at t and t - step, which give them at t - 2 step and so on:
 * cos (a - d) = 2 cos (d) cos (a) - cos (a + d). */
typedef struct
{
  gdouble now[N0], next[N0], twice[N0];
} Walk;

/* t in s from the start, also before it. */
static void
walk_begin (Walk *w, const Jakes *j, gdouble t, gdouble step)
{
  for (guint i = 0; i < N0; i++) {
    gdouble phase = j->omega[i] * t + j->theta[i], d = j->omega[i] * step;

    w->now[i] = cos (phase);
    w->next[i] = cos (phase - d);
    w->twice[i] = 2 * cos (d);
  }
}

static void
walk_step (Walk *w)
{
  for (guint i = 0; i < N0; i++) {
    gdouble after = w->twice[i] * w->next[i] - w->now[i];

    w->now[i] = w->next[i];
    w->next[i] = after;
  }
}

/* T(t), with an rms value of 1. */
static void
channel (const Jakes *j, const Walk *w, gdouble *x, gdouble *y)
{
  *x = *y = 0;
  for (guint i = 0; i < N0; i++) {
    *x += j->x[i] * w->now[i];
    *y += j->y[i] * w->now[i];
  }
}

/* The smallest distance from 0 on the straight way from a to b. */
static gdouble
nearest (gdouble ax, gdouble ay, gdouble bx, gdouble by)
{
  gdouble dx = bx - ax, dy = by - ay, length2 = dx * dx + dy * dy;
  gdouble s = length2 > 0 ? -(ax * dx + ay * dy) / length2 : 0;

  s = CLAMP (s, 0, 1);
  return hypot (ax + s * dx, ay + s * dy);
}

/* Did the channel fade in the t s before `end`? */
static gboolean
faded (const Jakes *j, gdouble end, gdouble t)
{
  gdouble steps = MIN (ceil (t * j->doppler * STEPS), STEPS_MAX);
  gdouble ax, ay, bx, by;
  Walk w;

  walk_begin (&w, j, end, t / MAX (steps, 1));
  channel (j, &w, &bx, &by);
  if (hypot (bx, by) < j->rho)
    return TRUE;
  for (gdouble i = 1; i <= steps; i++) {
    ax = bx;
    ay = by;
    walk_step (&w);
    channel (j, &w, &bx, &by);
    if (nearest (ax, ay, bx, by) < j->rho)
      return TRUE;
  }
  return FALSE;
}

/* The channel's time. */
static gdouble
since_start (const RaNode *n, RaTime now)
{
  const Jakes *j = (const Jakes *) n;

  if (j->pattern > 0)
    return j->played;
  return now > n->start ? ra_seconds (ra_diff (now, n->start)) : 0;
}

static void
jakes_push (RaNode *n, const RaLinkPacket *p, RaTime now)
{
  Jakes *j = (Jakes *) n;
  gdouble size = j->pattern > 0 ? j->size : p->size;
  gdouble airtime = j->rate > 0 ? MIN (size * 8 / j->rate, AIRTIME_MAX) : 0;

  j->played += airtime;
  if (faded (j, since_start (n, now), airtime))
    ra_node_drop (n, p, RA_CAUSE_WIRELESS, now);
  else
    ra_node_forward (n, p, now);
}

static void
jakes_observe (const RaNode *n, RaObserve emit, gpointer data)
{
  const Jakes *j = (const Jakes *) n;
  gdouble x, y;
  Walk w;

  walk_begin (&w, j, since_start (n, ra_node_now (n)), 0);
  channel (j, &w, &x, &y);
  emit ("r", hypot (x, y), data);
  emit ("rho", j->rho, data);
}

static const RaParam jakes_params[] = {
  /* paper 000, table I */
  { "loss", RA_AT (Jakes, loss), .def = .031, .max = .99,
      .text = "packets lost of those with size; paper "
              "000: 7.8% high, 3.1% medium, 1% low" },
  { "doppler", RA_AT (Jakes, doppler), .def = 78.6, .max = 10e3, .unit = "Hz",
      .text = "speed over wavelength: 78.6 is 42 km/h at 2 GHz" },
  /* paper 000, V-B: 381 bytes at 150 kbit/s */
  { "rate", RA_AT (Jakes, rate), .def = 2e6, RA_PAPER (150e3), .max = 100e9,
      .unit = "bit/s",
      .text = "of the radio, for a packet's "
              "time on the air; 0: it takes none" },
  { "size", RA_AT (Jakes, size), .def = 1200, RA_PAPER (381), .max = 65535,
      .unit = "bytes",
      .text = "of the packets that loss is about; "
              "longer ones are lost more often" },
  /* paper 000, V-B */
  { "pattern", RA_AT (Jakes, pattern), .def = 0, .max = 1,
      .text = "1: each packet takes the next place in the fate of equal "
              "packets sent back to back, whatever its time and size" },
  { NULL },
};

const RaNodeOps ra_link_jakes = {
  .name = "jakes",
  .cite = "Jakes 1974, Dent, Bottomley, Croft 1993; use: paper 000, V-B",
  .needs = "-",
  .use = "radio losses in fades, correlated in time, of a moving receiver",
  .random = TRUE,
  .size = sizeof (Jakes),
  .params = jakes_params,
  .positional = "loss",
  .init = jakes_init,
  .push = jakes_push,
  .observe = jakes_observe,
};
