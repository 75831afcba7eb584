/* tfrc: TCP-Friendly Rate Control, the sender of RFC 5348 (3, 4, 8).
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Letters are the RFC's, in seconds, bytes and bytes/s.  It differs in:
 * - Per-packet feedback makes k reports per RTT (6.2 allows it).  So X_recv_set
 *   has no N (recvset.h), and the answer to a loss in a data-limited interval
 *   lasts one RTT, not one report.
 * - A start rate, the user's or another controller's, is known "from a previous
 *   connection" (4.2): X before the first report, then max (initial_rate, X),
 *   and in X_recv_set instead of Infinity, so that X at most doubles per RTT.
 * - A wake-up late by 3 ms does not mean a queue, but halves X_inst where R is 1 ms: 4.5
 *   sees R_sample + jitter.
 * - cfg.max limits X itself, or the timer would halve a rate nobody sends at.
 */
#include <gst/rtpadapt/rate.h>
#include <gst/rtpadapt/rate/equation.h>
#include <gst/rtpadapt/rate/recvset.h>

#include <math.h>

#define T_MBI 64.0        /* s, 4.3 */
#define Q2 0.9            /* 4.5 */
#define LIMITED_LOSS 0.85 /* 4.3 step 4 */

typedef struct
{
  RaRate base;
  gdouble oscillation, jitter; /* parameters */

  gdouble x;          /* X */
  gdouble x_bps;      /* X_Bps */
  gdouble recv_limit; /* Infinity before the first */
  gdouble x_recv;     /* of the latest report */
  gdouble p;
  gdouble r_sqmean;
  gdouble damping; /* R_sqmean / sqrt (R_sample) */
  gdouble rto;
  RaTime tld;    /* RA_TIME_NONE before the first RTT sample */
  RaTime t_loss; /* latest loss in a data-limited interval, or RA_TIME_NONE */
  RaTime t_set;  /* when the nofeedback timer was set */
  RaRecvSet set; /* X_recv_set */
} Tfrc;

static gdouble
x_min (const Tfrc *t)
{
  return t->base.s / T_MBI;
}

static void
x_set (Tfrc *t, gdouble x)
{
  t->x = fmin (x, ra_bytes (t->base.cfg.max));
}

/* 4.5: X_inst is the answer. */
static gdouble
x_inst (const Tfrc *t)
{
  return t->oscillation > 0 ? fmax (t->x * t->damping, x_min (t)) : t->x;
}

/* 4.3 step 3, 4.4 item 2; before R is known at least as in 4.2.  Four missed
 * reports count, also where those are rarer than once per R. */
static gdouble
rto (const Tfrc *t)
{
  RaSpan base = t->base.rtt ? MAX (t->base.rtt, t->base.interval)
                            : RA_INITIAL_TIMER / 4;

  return fmax (4 * ra_seconds (base), 2 * t->base.s / t->x);
}

/* Every change of X ends here. */
static void
finish (Tfrc *t, gdouble timer, RaTime now)
{
  t->base.bps = ra_bits (x_inst (t));
  t->base.timeout = ra_later (now, ra_span (timer));
  t->rto = timer;
  t->t_set = now;
}

static void
tfrc_init (RaRate *r, RaTime now)
{
  Tfrc *t = (Tfrc *) r;

  x_set (t, r->cfg.start ? ra_bytes (r->cfg.start) : r->s);
  t->recv_limit = t->x_bps = INFINITY;
  ra_recv_set_init (&t->set, INFINITY, now);
  t->damping = 1;
  t->tld = t->t_loss = RA_TIME_NONE;
  finish (t, ra_seconds (RA_INITIAL_TIMER), now);
}

/* 4.2: replaces step 4. */
static void
first_sample (Tfrc *t, RaTime now)
{
  gdouble x = ra_rate_initial (&t->base), initial = INFINITY;

  if (t->base.cfg.start) {
    initial = fmax (x, t->x);
    x = fmax (fmin (initial, t->x_bps), x_min (t));
  }
  /* Its two RTTs begin here: the encoder may have started long after. */
  ra_recv_set_init (&t->set, initial, now);
  t->tld = now;
  x_set (t, x);
}

/* 4.3 step 4, first half: X_recv_set and recv_limit. */
static void
recv_limit_update (Tfrc *t, const RaReport *report, RaTime now)
{
  gboolean data_limited = report->data_limited && t->x_recv > 0;
  gboolean loss = report->n_events > 0 || report->p > t->p;
  gdouble x_recv;
  gboolean held;

  if (data_limited && loss) {
    ra_recv_set_halve (&t->set);
    t->t_loss = now;
  }
  /* C.4: "in the immediate round-trip time following the reported loss" */
  held = t->t_loss != RA_TIME_NONE && ra_diff (now, t->t_loss) < t->base.rtt;
  x_recv = held ? LIMITED_LOSS * t->x_recv : t->x_recv;
  if (data_limited)
    ra_recv_set_maximize (&t->set, x_recv, now);
  else
    ra_recv_set_update (&t->set, x_recv, t->base.rtt, now);
  t->recv_limit = (held ? 1 : 2) * ra_recv_set_max (&t->set);
}

/* 4.3 step 4, second half. */
static void
x_update (Tfrc *t, gdouble p, RaTime now)
{
  if (p > 0) {
    x_set (t, fmax (fmin (t->x_bps, t->recv_limit), x_min (t)));
  } else if (ra_diff (now, t->tld) >= t->base.rtt) { /* slow start */
    x_set (
        t, fmax (fmin (2 * t->x, t->recv_limit), ra_rate_initial (&t->base)));
    t->tld = now;
  }
}

/* 4.3; steps 1 and 2 are the wrapper's. */
static void
tfrc_on_report (RaRate *r, const RaReport *report, RaTime now)
{
  Tfrc *t = (Tfrc *) r;
  gdouble root = sqrt (ra_seconds (report->rtt) + t->jitter);
  gboolean first = t->tld == RA_TIME_NONE;
  gdouble step3 = rto (t); /* with the old X */

  t->x_recv = ra_bytes (report->recv_rate);
  t->x_bps = ra_equation_x (r->s, ra_seconds (r->rtt), report->p);
  if (first) {
    first_sample (t, now);
  } else {
    recv_limit_update (t, report, now);
    x_update (t, report->p, now);
  }
  t->p = report->p;
  t->r_sqmean = first ? root : Q2 * t->r_sqmean + (1 - Q2) * root;
  t->damping = t->r_sqmean / root;
  finish (t, step3, now);
}

/* 4.4, Update_Limits () */
static void
limits_update (Tfrc *t, gdouble timer_limit, RaTime now)
{
  /* Item 1, "cut the allowed sending rate in half", also where cfg.max or a
   * recv_limit of once X_recv held X below what the pseudo-code assumes. */
  timer_limit = fmax (fmin (timer_limit, t->x / 2), x_min (t));
  ra_recv_set_replace (&t->set, timer_limit / 2, now);
  t->recv_limit = timer_limit;
  x_update (t, t->p, now);
}

/* 4.4.  Without an RTT sample p is 0 and recover_rate Infinity, which makes the
 * pseudo-code's first branch one with its third. */
static void
tfrc_on_timeout (RaRate *r, RaTime now)
{
  Tfrc *t = (Tfrc *) r;
  gdouble x_recv = ra_recv_set_max (&t->set);
  gdouble recover_rate = ra_rate_initial (&t->base);
  gboolean idle = r->last_sent == RA_TIME_NONE || r->last_sent < t->t_set;

  if (idle && (t->p > 0 ? x_recv < recover_rate : t->x < 2 * recover_rate)) {
    /* Don't halve. */
  } else if (t->p <= 0) {
    x_set (t, fmax (t->x / 2, x_min (t)));
  } else if (t->x_bps > 2 * x_recv) {
    limits_update (t, x_recv, now);
  } else {
    limits_update (t, t->x_bps / 2, now);
  }
  finish (t, rto (t), now);
}

static void
tfrc_observe (const RaRate *r, RaObserve emit, gpointer data)
{
  const Tfrc *t = (const Tfrc *) r;

  emit ("x", t->x, data);
  emit ("x_bps", t->x_bps, data);
  emit ("x_inst", x_inst (t), data);
  emit ("recv_limit", t->recv_limit, data);
  emit ("x_recv", t->x_recv, data);
  emit ("p", t->p, data);
  emit ("rtt", ra_seconds (r->rtt), data);
  emit ("rto", t->rto, data);
  emit ("s", r->s, data);
  emit ("slow_start", t->p > 0 ? 0 : 1, data);
}

static const RaParam params[] = {
  { "oscillation", RA_AT (Tfrc, oscillation), .def = 1, .max = 1,
      .text = "1: reduce the rate as the RTT rises (RFC 5348 4.5), 0: do not" },
  { "jitter", RA_AT (Tfrc, jitter), .def = .01, RA_PAPER (0), .max = 10,
      .unit = "s",
      .text = "added to R_sample in 4.5: an RTT "
              "varies by this without any queue" },
  { NULL },
};

const RaRateOps ra_rate_tfrc = {
  .name = "tfrc",
  .cite = "RFC 5348, TCP Friendly Rate Control (TFRC), 2008",
  .needs = "reports once per RTT or more often",
  .use = "smooth video beside TCP",
  .by_events = TRUE,
  .size = sizeof (Tfrc),
  .params = params,
  .init = tfrc_init,
  .on_report = tfrc_on_report,
  .on_timeout = tfrc_on_timeout,
  .observe = tfrc_observe,
};
