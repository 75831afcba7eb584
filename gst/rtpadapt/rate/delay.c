/* delay: sends what arrives, a little more or less of it as the queue is shorter
 * or longer than a target.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The family is that of D. Ray et al., "SQP: Congestion control for low-latency
 * interactive video streaming", arXiv 2207.11857, and of V. Arun, H.
 * Balakrishnan, "Copa", NSDI 2018: the delivered rate is multiplied, no rate of
 * our own is integrated, so that nothing winds up.  The equations are our own,
 * as are all constants without a paper: each was measured with rtpadapt-sim and
 * with the TCPs of ns-3, and tests/bench/delay measures the whole.  The answer to a
 * loss is in delayloss.c.
 *
 * D is the lag of an answer, I + R, without the queue.  Start, nofeedback timer
 * and limits are RaStart's (RFC 5348 4).  Seconds, bytes and bytes/s.
 */
#include <gst/rtpadapt/rate/delay.h>

#include <gst/rtpadapt/rate/equation.h>

#include <math.h>

/* A queue above this is long in the ramp, whatever the rate. */
#define RAMP_TARGET .0095
/* s.  A packet's time at the own rate counts for the target up to PACKET_LEAST, and up to
 * PACKET_MOST where the line has never carried more than SLOWER times that rate: a flow that
 * others squeeze would aim at the queue that they keep. */
#define PACKET_LEAST .027
#define PACKET_MOST .050
#define SLOWER 1.5
/* The target is at least so many standard deviations of the queue's noise.  A fast line's
 * would be less, and the rate would go by the noise. */
#define NOISE 4
#define RAMP_MOST 2.2 /* times r, which is a lag old */
#define FAR .020      /* an outage, beyond twice the target */
#define FALL_MOST .3  /* per two lags */
#define RESUME .9     /* of what an outage's backlog came at */
#define RESUME_LAGS 3 /* RESUME holds for so many lags */
#define FAR_KNOWN 10. /* s: the rate of an outage's backlog is of this path */
/* s: halts that follow each other so soon are one; x has not come back between them. */
#define FAR_AGAIN 2.
/* s.  So soon after an outage a gap is not taken for another one. */
#define GAPS_APART 5.
/* The rate that an outage's backlog came at, less a part, drains the backlog, and a longer
 * route carries as much. */
#define HOLD .85
#define RETURNED .85 /* of x_silent: when so much arrives the silence is over */
#define ECHO .95     /* of what arrives */
#define RAISE .1     /* per lag: u in the rules below */
#define RAISE_FREE .25 /* u at most, where the line has been free for 3 lags */
#define RAISE_BACK .3  /* u at most, on the way back to r_busy */
#define RAISE_LOSS .02 /* near the rate of a loss, for LOSS_MEMORY */
#define LOSS_MEMORY 10.
/* Times the rate after the loss: when so much arrives, the line has become faster.  Up
 * to 1.18 times that rate, 1 / FALL, arrived before the loss. */
#define LOSS_PASSED 1.35
#define MOST 1.3        /* times r */
#define MOST_PAUSES 1.1 /* times what is used by a source that pauses */
#define KNOWN 1.05      /* times r_busy: what the line is known to carry */
/* s after a ramp.  Jitter may have ended it early, and r_busy is low until the line has
 * been full. */
#define SETTLED 5.
/* s, RFC 7661 4.4.3: so long what the line was known to carry counts, though the source
 * leaves most of it unused. */
#define VALID 300.
/* So many packets of one report show whether the line carries x.  The last of them may
 * have waited for a third of the target. */
#define TRAIN 3
#define TRAIN_QUEUE 3
#define CONGESTION_MOST \
  .5            /* of the losses: with more a TCP's rate at them counts */
#define USED .8 /* of x */
/* Of all packets lost: a policer of few packets takes so many at any rate, and is not
 * known at once.  On a radio that loses less, pacing by headers costs up to a twentieth
 * of a slow line (tests/bench/delay). */
#define APART .1
/* Others have the line where a flow has less than this part of what the line has
 * carried of late. */
#define SQUEEZED .25
/* A flow that has less than this part is not alone on a slow line, where a packet takes as
 * long as it does at the flow's rate. */
#define FELL .5

static void
delay_init (RaRate *r, RaTime now)
{
  RaDelayRate *d = (RaDelayRate *) r;

  d->ramp = TRUE;
  d->t_reduced = RA_TIME_NONE;
  d->t_verdict = d->t_brake = d->t_loss = d->t_far = d->t_ramp
      = -(gdouble) INFINITY;
  d->contest.wanted = d->tests;
  d->contest.armed = d->armed;
  ra_police_init (&d->police);
  ra_crowd_init (&d->crowd);
  ra_start_init (r, now);
}

/* A part for all, and what `own` bytes take at the rate `x`: of flows that see one queue
 * the slower ones aim higher, so that they come to one rate.  TCP Vegas (L. Brakmo, L.
 * Peterson, JSAC 1995) and Copa keep so many bytes of each flow in the queue, too.  Not
 * beyond what a short shared queue holds, unless that is one packet: the trip of a large
 * one is longer than that of a small one, without any queue. */
static gdouble
target_at (const RaDelayRate *d, gdouble x, gdouble packet)
{
  gdouble t = fmin (d->target + d->own / x, d->target_max);
  gdouble slow = fmin (SLOWER * d->sense.shortest, PACKET_MOST);
  gdouble most = fmax (PACKET_LEAST, slow);

  t = fmax (t, fmin (packet, most));
  t = fmax (
      t, fmin (d->sense.allowance * NOISE * d->sense.dev_lasts, d->target_max));
  return d->ramp ? fmin (t, RAMP_TARGET) : t;
}

/* A squeezed flow's own target would become as long as the short queue that it shares,
 * and nothing would stand.  Without losses those who squeeze it are of our kind, and
 * their queue is as long as its target. */
static void
target_set (RaDelayRate *d)
{
  const RaSense *n = &d->sense;
  gdouble x = d->start.x,
          packet = n->r < FELL * n->r_most ? n->shortest : n->packet;

  d->target_now = target_at (d, x, n->packet);
  if (ra_contest_lost (&d->contest, n))
    x = fmax (x, SQUEEZED * n->r_most);
  d->t_stands = target_at (d, x, packet);
}

/* Part of the way to `want`: all of it in half a lag. */
static void
approach (RaDelayRate *d, gdouble want)
{
  d->start.x += (want - d->start.x) * fmin (1, 2 * d->sense.dt / d->sense.lag);
}

/* Where the queue is longer than the target: what arrives is what the line carries.  TRUE:
 * it is, and x has been set. */
static gboolean
queue_answer (RaDelayRate *d, gboolean event)
{
  const RaSense *n = &d->sense;
  gdouble latest = fmax (n->q2, n->q_lo - n->jitter);
  gboolean far = latest > 2 * d->target_now + FAR;
  /* The next report would be too late: in the ramp the rate grows by a fifth of the
   * line's until then, and a line that has become much slower loses packets. */
  gdouble q = d->ramp || far ? latest : n->q2;
  gdouble g = fmax (-FALL_MOST, (d->target_now - q) / (2 * n->lag));
  /* Where the queue is full an LDA may be wrong about each loss.  One slow sample
   * is a gap, two are a slower line. */
  gdouble low = fmin (n->a, n->a_two), want = (far ? low : n->r) * (1 + g);
  gdouble before = fmax (d->start.x, d->x_silent);

  if (q <= d->target_now || n->r <= 0)
    return FALSE;
  if (want < d->start.x && (far || d->ramp))
    d->start.x = want;
  else if (want < d->start.x)
    approach (d, want);
  else if (d->follow > 0 && !event && d->contest.drain == RA_DRAIN_NONE)
    approach (d, low * (1 + g)); /* an outage's backlog drains */
  d->r_over = low;
  if (far) {
    /* What comes a lag after an outage is the backlog, and later less may have been sent. */
    gboolean keeps = ra_contest_doubts (&d->contest, n)
        && n->now - d->contest.t_outage > n->lag;

    d->r_far = keeps ? fmax (d->r_far, low) : low;
    if (n->now - d->t_far < FAR_AGAIN)
      before = fmax (before, d->x_far);
    d->x_far = before;
    d->t_far = n->now;
    d->was_far = TRUE;
  }
  d->x_silent = 0;
  ra_delay_end_ramp (d, FALSE);
  return TRUE;
}

/* The backlog has gone, at the line's rate; x stood at that of the trough.  The backlog of
 * a short halt goes within one report, before r shows it.  A hop that held packets lets them
 * go faster than the line carries them, so that x comes back to what it was before the halt at
 * most, or to what arrived while the queue stood.  Where the line has become slower, r still
 * has some of the faster one in it.  TRUE: x has been set. */
static gboolean
resume_backlog (RaDelayRate *d)
{
  const RaSense *n = &d->sense;
  gdouble came = RESUME * fmin (n->r, n->r_last);
  gdouble x = fmax (RESUME * d->r_over, fmin (came, d->x_far));

  if (d->contest.drain != RA_DRAIN_NONE)
    return FALSE;
  if (!d->was_far || d->follow <= 0 || n->now - d->t_far > RESUME_LAGS * n->lag
      || d->start.x >= x)
    return FALSE;
  d->start.x = x;
  return TRUE;
}

/* What looked like a queue was a longer route: the line's rate is what came while one
 * stood. */
static void
resume_rebased (RaDelayRate *d)
{
  if (d->start.base.rebased && d->sense.now - d->t_far < FAR_KNOWN)
    d->start.x = fmax (d->start.x, RESUME * d->r_far);
}

/* A longer route would lower the rate for as long as it looks like a queue, while the
 * viewer waits for a key frame.  A rate that losses have lowered (`answered`) is not held,
 * nor is that of a drain test, which finds such a route. */
static void
hold_doubtful (RaDelayRate *d, gboolean answered)
{
  if (!answered && d->contest.drain == RA_DRAIN_NONE
      && ra_contest_doubts (&d->contest, &d->sense)
      && d->t_far > d->contest.t_outage)
    d->start.x = fmax (d->start.x, HOLD * d->r_far);
}

/* No further than `most`, but what is more stays. */
static void
climb (RaDelayRate *d, gdouble factor, gdouble most)
{
  gdouble x = d->start.x;

  d->start.x = fmax (x, fmin (x * factor, most > 0 ? most : x * factor));
}

/* No higher rate is known to be carried where the source pauses. */
static gdouble
pauses_most (const RaDelayRate *d)
{
  return fmax (KNOWN * d->r_busy, MOST_PAUSES * d->sense.used);
}

static void
probe (RaDelayRate *d, gboolean pauses)
{
  const RaSense *n = &d->sense;
  gdouble x = d->start.x, e = n->now - d->t_free, most = MOST * n->r;
  gdouble u = CLAMP ((d->target_now - n->q2) / (2 * n->lag), 0, RAISE);

  if (e > 3 * n->lag)
    u = fmin (RAISE_FREE, RAISE * (e / n->lag - 2));
  else if (x < d->r_busy)
    u = fmax (u, fmin (d->r_busy / x - 1, RAISE_BACK));
  if (n->r > LOSS_PASSED * d->x_loss)
    d->t_loss = -(gdouble) INFINITY;
  if (n->now - d->t_loss < LOSS_MEMORY && x > .9 * d->x_loss
      && x > .95 * d->r_busy)
    u = fmin (u, x < d->x_tcp ? RAISE : RAISE_LOSS);
  climb (d, 1 + u * fmin (1, n->dt / n->lag),
      pauses ? fmin (most, pauses_most (d)) : most);
}

/* After a silence r is that of a few packets, and the line has carried x_silent:
 * as in slow start of RFC 5348 4.3, which goes that far again, too.  Nothing but
 * losses and too long a queue lowers x before that much arrives of what was sent since
 * then.  TRUE: x is on its way back. */
static gboolean
return_after_silence (RaDelayRate *d)
{
  if (d->sense.r >= RETURNED * d->x_silent && d->sense.t_recvdata > d->silenced)
    d->x_silent = 0;
  if (d->x_silent <= 0)
    return FALSE;
  climb (d, pow (2, d->sense.dt / d->sense.lag), d->x_silent);
  return TRUE;
}

/* What was sent in the ramp arrives after its end: if no queue stands then, the line
 * carries it.  Jitter may make it seem more than was sent. */
static void
take_echo (RaDelayRate *d)
{
  const RaSense *n = &d->sense;
  gdouble echo = ECHO * fmin (n->r_last, ra_sense_x_then (n));

  if (d->ramp || !ra_delay_echoes (d) || n->q2 > d->target_now / 2)
    return;
  d->start.x = fmax (d->start.x, echo);
  ra_contest_carries (&d->contest, echo);
}

/* The queue is not too long. */
static void
move_rate (RaDelayRate *d, gboolean limited, gboolean pauses)
{
  const RaSense *n = &d->sense;
  gdouble x = d->start.x,
          g = CLAMP ((d->target_now - n->qm) / (2 * n->lag), 0, RAISE);

  take_echo (d);
  if (resume_backlog (d) || (!limited && return_after_silence (d)))
    return;
  if (d->ramp) {
    climb (d, pow (2, n->dt / n->lag), RAMP_MOST * n->r);
  } else if (n->qm > d->target_now / 2 && n->r > 0) {
    approach (d, n->r * (1 + g));
    d->start.x = limited ? fmax (d->start.x, x) : d->start.x;
  } else if (!limited) {
    probe (d, pauses);
  }
  /* RFC 7661 4.4: what is not used is not validated. */
  if (pauses && !d->ramp && !d->police.policed && n->now - d->t_ramp > SETTLED)
    d->start.x = fmin (d->start.x, pauses_most (d));
}

/* A frame's packets leave at x, whatever the source makes of it in the mean.  If those that
 * follow another have not waited for it, the line carries x (M. Jain, C. Dovrolis,
 * "End-to-end available bandwidth", SIGCOMM 2002, 3).  At a low rate a frame has two
 * packets, and two such frames are as good as one of three.  They are not where a TCP shares
 * the line: its queue is empty at times. */
static void
train_hear (RaDelayRate *d, const RaReport *report)
{
  gboolean free = d->sense.q_hi <= d->target_now / TRAIN_QUEUE;

  if (!free || d->contest.competes || d->sense.now - d->t_loss < LOSS_MEMORY)
    d->followed = 0;
  else if (report->arrived > 1)
    d->followed += report->arrived - 1;
  if (report->arrived >= TRAIN)
    d->clear = free;
  else if (d->followed >= TRAIN - 1)
    d->clear = TRUE;
}

/* TRUE: the source pauses, and nothing shows that the line is free.  Its queue is empty, too,
 * where the line is not.  What arrives above the rate that the line was known to carry shows
 * that it is free, and so does a frame without a queue of its own. */
static gboolean
source_pauses (const RaDelayRate *d, const RaReport *report)
{
  return report->data_limited && d->sense.used <= KNOWN * d->r_busy
      && !d->clear;
}

/* The line may have become slower while nothing showed it. */
static void
busy_note (RaDelayRate *d, gboolean pauses)
{
  const RaSense *n = &d->sense;

  if (n->q2 > d->target_now / 2)
    d->r_busy
        = ra_delay_echoes (d) ? fmax (fmax (d->r_busy, n->r_last), n->r) : n->r;
  if (!pauses || n->q2 > d->target_now / 2)
    d->t_valid = n->now;
  if (n->now - d->t_valid > VALID) {
    d->r_busy /= 2;
    d->t_valid = n->now;
  }
  if (pauses || n->q2 > d->target_now / 2 || d->start.x < KNOWN * d->r_busy
      || d->contest.drain != RA_DRAIN_NONE || d->contest.competes)
    d->t_free = n->now;
}

/* The source uses much less than it may.  One that follows the rate hardly ever
 * waits for the pacer, and yet shows what the line carries. */
static gboolean
is_limited (const RaDelayRate *d, const RaReport *report)
{
  return report->data_limited && d->sense.r < USED * d->start.x;
}

/* What was lost while nothing came back is an outage's. */
static RaReport
without_outage (RaDelayRate *d, const RaReport *report)
{
  RaReport own = *report;

  if (d->silent)
    own.lost_congestion = own.lost_wireless = own.wireless_runs = 0;
  d->silent = FALSE;
  return own;
}

/* A gap that ends before the timer expires is an outage, too, but for its losses, which
 * count.  Where gaps follow each other the radio only loses much. */
static gboolean
ends_outage (RaDelayRate *d, const RaReport *report)
{
  if (d->silent)
    return TRUE;
  if (!ra_sense_gap (&d->sense, report)
      || d->sense.now - d->contest.t_outage < GAPS_APART)
    return FALSE;
  ra_sense_gone (&d->sense);
  return TRUE;
}

/* Why the rate is not higher; `waits`: the queue was too long. */
static RaRateLimit
reason_of (const RaDelayRate *d, const RaReport *report, gboolean waits)
{
  if (d->contest.competes)
    return RA_LIMIT_COMPETITION;
  if (d->police.policed)
    return RA_LIMIT_POLICER;
  if (!waits && is_limited (d, report))
    return RA_LIMIT_SOURCE;
  if (d->ramp)
    return RA_LIMIT_START;
  if (d->sense.now - fmax (d->t_loss, d->t_brake) < LOSS_MEMORY)
    return RA_LIMIT_LOSS;
  return waits || d->sense.q2 > d->target_now / 2 ? RA_LIMIT_QUEUE
                                                  : RA_LIMIT_CONTROLLER;
}

static void
delay_on_report (RaRate *r, const RaReport *heard, RaTime now)
{
  RaDelayRate *d = (RaDelayRate *) r;
  gboolean first = ra_start_on_report (&d->start, heard), event, policed, waits;
  gboolean outage = ends_outage (d, heard);
  RaReport report = without_outage (d, heard);
  gdouble before;

  ra_sense_hear (&d->sense, &report, r->s, d->allowance, now);
  target_set (d);
  train_hear (d, &report);
  d->x_tcp = d->tcp > 0 && report.p > 0 && d->sense.congested > CONGESTION_MOST
      ? ra_equation_x (r->s, ra_seconds (r->rtt), report.p)
      : 0;
  ra_contest_hear (
      &d->contest, &d->sense, d->t_stands, ra_report_congestion (&report) > 0);
  if (outage)
    ra_contest_after_outage (&d->contest, &d->sense);
  if (first && r->before > 0) { /* RFC 8083 4.5: another one was here before */
    d->x_silent = ra_bytes (r->before);
    d->ramp = FALSE;
  }
  policed = d->policer > 0 && d->x_silent <= 0
      && ra_police_hear (&d->police, &d->sense, &report, d->target_now);
  if (policed)
    ra_delay_end_ramp (d, FALSE);
  before = d->start.x;
  event = ra_delay_brakes (d, r->radio, now)
      || (!d->police.policed && ra_delay_loses (d, &report, now));
  busy_note (d, source_pauses (d, &report));
  waits = queue_answer (d, event);
  d->was_far = d->was_far && !event && !policed;
  if (!waits && !event && !first)
    move_rate (d, is_limited (d, &report), source_pauses (d, &report));
  d->start.x
      = ra_police_rate (&d->police, &d->sense, before, d->start.x, policed);
  if (d->contest.competes)
    ra_contest_at_least (
        &d->contest, fmin (d->x_tcp, 2 * d->sense.r)); /* RFC 5348 4.3 */
  if (!d->ramp)
    d->start.x = ra_contest_rate (&d->contest, &d->sense, d->t_stands,
        d->start.x, r->s, fmax (r->s, r->cfg.mss), ra_seconds (r->rtt),
        is_limited (d, &report));
  r->rebased = d->contest.rebased_by > 0;
  if (r->rebased)
    ra_sense_rebase (&d->sense, d->contest.rebased_by);
  hold_doubtful (d, event || policed);
  resume_rebased (d);
  if (d->brake > 0)
    d->start.x = ra_crowd_rate (&d->crowd, &report, d->sense.now, r->radio,
        ra_contest_is_ours (&d->contest, &d->sense), d->start.x, d->sense.a,
        r->s, ra_seconds (r->rtt));
  r->competes = d->contest.competes;
  r->why = reason_of (d, &report, waits);
  r->apart = d->police.policed || d->sense.raw > APART;
  ra_start_finish (&d->start, now);
  ra_sense_set (&d->sense, d->start.x);
}

static void
delay_on_timeout (RaRate *r, RaTime now)
{
  RaDelayRate *d = (RaDelayRate *) r;

  d->silenced = now;
  if (d->start.begun)
    d->x_silent = fmax (d->x_silent, d->start.x);
  d->silent = d->start.begun;
  ra_start_on_timeout (r, now);
}

static void
delay_observe (const RaRate *r, RaObserve emit, gpointer data)
{
  const RaDelayRate *d = (const RaDelayRate *) r;

  emit ("x", d->start.x, data);
  emit ("r", d->sense.r, data);
  emit ("q2", d->sense.q2, data);
  emit ("qm", d->sense.qm, data);
  emit ("target", d->target_now, data);
  emit ("lag", d->sense.lag, data);
  emit ("raw", d->sense.raw, data);
  emit ("stands", d->contest.stands, data);
  emit ("drain", d->contest.drain, data);
  emit ("ramp", d->ramp, data);
  emit ("competes", d->contest.competes, data);
  emit ("policed", d->police.policed, data);
}

static const RaParam params[] = {
  { "target", RA_AT (RaDelayRate, target), .def = .001, .max = 1, .unit = "s",
      .text = "the queue that is aimed at, without the part of `own`" },
  { "own", RA_AT (RaDelayRate, own), .def = 1700, .max = 1e6, .unit = "bytes",
      .text = "and the time that these take at the own rate" },
  { "target-max", RA_AT (RaDelayRate, target_max), .def = .020, .max = 1,
      .unit = "s", .text = "and this at most, unless a packet takes longer" },
  { "brake", RA_AT (RaDelayRate, brake), .def = .2, .max = 1,
      .text = "above this loss ratio, without what is shown to be the radio's, "
              "no verdict is believed; 0: never" },
  { "allowance", RA_AT (RaDelayRate, allowance), .def = 1, .max = 10,
      .text = "how much of the jitter does not count as queue" },
  { "follow", RA_AT (RaDelayRate, follow), .def = 1, .max = 1,
      .text = "1: while the backlog of an outage drains, go by what comes" },
  { "ramp-forgives", RA_AT (RaDelayRate, ramp_forgives), .def = 1, .max = 1,
      .text = "1: one loss per lag at an empty queue does not end the ramp" },
  { "tests", RA_AT (RaDelayRate, tests), .def = 1, .max = 1,
      .text = "1: drain tests" },
  { "armed", RA_AT (RaDelayRate, armed), .def = 1, .max = 1,
      .text = "1: also after losses in a queue that is too short to stand" },
  { "tcp", RA_AT (RaDelayRate, tcp), .def = 1, .max = 1,
      .text = "1: losses do not take the rate below a TCP's at as many" },
  { "policer", RA_AT (RaDelayRate, policer), .def = 1, .max = 1,
      .text = "1: losses that depend on the own rate are a policer's" },
  { NULL },
};

const RaRateOps ra_rate_delay = {
  .name = "delay",
  .cite = "our own; family: SQP, arXiv 2207.11857; Copa, NSDI 2018",
  .needs = "the queue of each report; best from feedback about each packet, "
           "once per frame",
  .use = "a short queue, and a full line on a radio that loses",
  .absolute = "queues are compared with ms that a viewer or a path has",
  .crosses = "goes by what arrives, and tests the queue at times of its own; "
             "/delay/loses has what a loss does",
  .size = sizeof (RaDelayRate),
  .params = params,
  .init = delay_init,
  .on_report = delay_on_report,
  .on_timeout = delay_on_timeout,
  .observe = delay_observe,
};
