/* Between the controller and the pacer: what holds whatever an LDA says.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <gst/rtpadapt/safety/guard.h>

/* Of the frames' interval, RFC 8083 3. */
#define TF_WINDOW (10 * RA_SECOND)
/* A source that is silent for longer makes a pause. */
#define TF_MAX RA_BREAKER_TD
#define NEAR .9 /* to the bound */
/* Of all packets: where more are lost no cause is believed. */
#define BELIEVED .45
/* Of all packets, HIGH of rate/crowd.c: where more are lost a controller is bound,
 * unless they are shown to be the radio's. */
#define PLENTY .12
/* Of all packets: where more are lost ra_evidence_step() lowers the rate at times,
 * also while the bound is far. */
#define STEPS_FROM .15
/* Of all packets: where more are lost it does not.  That may be a policer, which a
 * controller finds by itself. */
#define STEPS_TO .2
#define TENTH 10 /* RFC 8083 4.3: "a factor of (approximately) ten" */
/* RFC 8888 10 leaves the penalty open.  Feedback proves something for as long as the
 * breakers wait for an answer, so the penalty lasts longer than it took to catch the lie.
 * It doubles each time: a peer that goes on to lie soon gets next to nothing. */
#define LIAR_SPAN RA_BREAKER_TIMEOUT
#define LIAR_SPAN_MAX (64 * LIAR_SPAN)

/* A cap that is NaN or below 0 does not lift the bound. */
static gdouble
cap_of (gdouble cap, gdouble otherwise)
{
  return cap >= 0 ? cap : otherwise;
}

void
ra_guard_init (RaGuard *g, gdouble cap, gboolean breakers)
{
  *g = (RaGuard){ .cap = cap_of (cap, 1),
    .step = 1,
    .fallback = G_MAXUINT64,
    .frame_end = RA_TIME_NONE,
    .liar_until = RA_TIME_NONE };
  ra_winmin_init (&g->tf);
  ra_friendly_init (&g->friendly);
  ra_evidence_init (&g->evidence);
  ra_breaker_init (&g->breaker, breakers);
}

void
ra_guard_restart (RaGuard *g)
{
  gdouble full = g->friendly.full;

  ra_guard_init (g, g->cap, g->breaker.enabled);
  ra_guard_set_full (g, full);
}

void
ra_guard_set_full (RaGuard *g, gdouble full)
{
  ra_friendly_set_full (&g->friendly, full);
}

void
ra_guard_set (RaGuard *g, gdouble cap, gboolean breakers)
{
  g->cap = cap_of (cap, g->cap);
  g->breaker.enabled = breakers;
  if (breakers || g->breaker.state == RA_BREAKER_CLOSED)
    return;
  ra_breaker_init (&g->breaker, FALSE); /* a liar's penalty goes on */
  g->fallback = G_MAXUINT64;
}

RaLimited
ra_guard_limit (const RaGuard *g, RaLimited rate)
{
  const RaFriendly *f = &g->friendly;

  if (g->breaker.state == RA_BREAKER_OPEN)
    return (RaLimited){ 0, RA_LIMIT_BREAKER };
  ra_limited_lower (
      &rate, ra_friendly_bound (f, g->cap, rate.bps), RA_LIMIT_FRIENDLINESS);
  if (g->step < 1) /* but no further than where a queue stands */
    ra_limited_lower (&rate,
        MAX ((guint64) (g->step * (gdouble) rate.bps),
            ra_friendly_cap (f, RA_FRIENDLY_STANDING)),
        RA_LIMIT_EVIDENCE);
  ra_limited_lower (&rate, g->fallback, RA_LIMIT_FALLBACK);
  return rate;
}

guint64
ra_guard_rate (const RaGuard *g, guint64 rate)
{
  return ra_guard_limit (g, (RaLimited){ .bps = rate }).bps;
}

gdouble
ra_guard_radio_loss (const RaGuard *g)
{
  return g->evidence.shown;
}

gboolean
ra_guard_distrusts (const RaGuard *g)
{
  return g->breaker.state != RA_BREAKER_CLOSED || ra_guard_is_lied_to (g);
}

void
ra_guard_on_lie (RaGuard *g, RaTime now)
{
  if (ra_guard_is_lied_to (g))
    return;
  g->lies++;
  g->liar_span
      = g->liar_span > 0 ? MIN (2 * g->liar_span, LIAR_SPAN_MAX) : LIAR_SPAN;
  g->liar_until = ra_later (now, g->liar_span);
}

gboolean
ra_guard_is_lied_to (const RaGuard *g)
{
  return g->liar_until != RA_TIME_NONE;
}

void
ra_guard_on_sent (
    RaGuard *g, guint size, gboolean frame_end, gboolean held, RaTime now)
{
  if (g->breaker.last_sent != RA_TIME_NONE && !g->breaker.held)
    ra_friendly_on_silence (&g->friendly, g->breaker.last_sent, now);
  ra_breaker_on_sent (&g->breaker, size, held, now);
  if (!frame_end)
    return;
  if (g->frame_end != RA_TIME_NONE && ra_diff (now, g->frame_end) <= TF_MAX)
    ra_winmin_add (
        &g->tf, -(gdouble) ra_diff (now, g->frame_end), now, TF_WINDOW);
  g->frame_end = now;
}

/* Tf, the longest of late; 0 where there are no frames. */
static RaSpan
frame_interval (const RaGuard *g, RaTime now)
{
  gdouble tf = -ra_winmin_get (&g->tf, now, TF_WINDOW);

  return tf > 0 ? (RaSpan) tf : 0;
}

/* RFC 8083 4.5: "information that the congestion has dissipated".  After a media
 * timeout an answer to our RTCP is not enough: packets have to arrive. */
static gboolean
is_information (RaGuard *g, const RaReport *report, RaProof proof, gdouble s)
{
  switch (g->breaker.trip) {
    case RA_BREAKER_RTCP_TIMEOUT:
      return proof == RA_PROOF_HEARD
          || (proof == RA_PROOF_DELIVERED && report->arrived > 0);
    case RA_BREAKER_MEDIA_TIMEOUT:
      return proof == RA_PROOF_DELIVERED && report->arrived > 0;
    default:
      return proof == RA_PROOF_DELIVERED
          && ra_breaker_on_probes (&g->breaker, report, s, g->tripped / TENTH);
  }
}

static gboolean
resume (
    RaGuard *g, const RaReport *report, RaProof proof, gdouble s, RaTime now)
{
  if (g->breaker.state != RA_BREAKER_OPEN
      || !is_information (g, report, proof, s))
    return FALSE;
  ra_breaker_resume (&g->breaker, &g->friendly, now);
  if (g->breaker.state == RA_BREAKER_CLOSED) {
    ra_friendly_forget (&g->friendly);
    ra_evidence_forget (&g->evidence);
    g->fallback = G_MAXUINT64;
  } else {
    g->fallback = MAX (g->tripped / TENTH, 1);
  }
  return TRUE;
}

void
ra_guard_rebase (RaGuard *g)
{
  ra_friendly_rebase (&g->friendly);
}

void
ra_guard_on_rtcp (RaGuard *g, RaTime now)
{
  ra_breaker_on_knock (&g->breaker, now);
}

RaTime
ra_guard_next_probe (const RaGuard *g, RaTime now)
{
  return ra_breaker_next_probe (&g->breaker, now);
}

/* Nobody asks how much the radio lost before the bound on all losses is near or plenty
 * are lost, or where nothing that the peer says is believed. */
static void
evidence_hear (
    RaGuard *g, const RaReport *report, gdouble s, guint64 wanted, RaTime now)
{
  RaFriendly *f = &g->friendly;
  RaEvidence *e = &g->evidence;
  /* Evidence does not lift a cap of RA_FRIENDLY_STANDING or less. */
  gboolean lifts = g->cap > RA_FRIENDLY_STANDING;
  gboolean near = lifts
      && (gdouble) wanted > NEAR * (gdouble) ra_friendly_raw (f, g->cap);
  gboolean plenty = f->p > PLENTY, steps;

  if (ra_guard_distrusts (g) || f->p > BELIEVED)
    ra_evidence_forget (e);
  if (ra_evidence_hear (
          e, report, s, ra_friendly_waited (f, report->rtt, now), now)
      && (near || plenty))
    ra_evidence_judge (e);
  ra_friendly_set_radio (f, near || (lifts && plenty) ? e->for_cap : 0,
      ra_evidence_is_alone (e) ? e->dispersion : 0);
  steps = near || (lifts && f->p > STEPS_FROM);
  g->step = steps && f->p <= STEPS_TO ? ra_evidence_step (e, now) : 1;
}

gboolean
ra_guard_on_report (RaGuard *g, const RaReport *report, RaProof proof,
    gdouble s, guint64 rate, RaTime now)
{
  RaSpan tf = frame_interval (g, now);
  guint64 wanted = rate;
  gboolean tripped;

  if (ra_guard_is_lied_to (g)) /* the clock may have gone back */
    g->liar_until = MIN (g->liar_until, ra_later (now, g->liar_span));
  ra_guard_on_rtcp (g, now);
  if (resume (g, report, proof, s, now))
    return TRUE;
  rate = ra_guard_rate (g, rate);
  if (proof != RA_PROOF_NONE)
    ra_breaker_on_heard (&g->breaker, report->arrived > 0, now);
  evidence_hear (g, report, s, wanted, now);
  if (!ra_friendly_on_report (&g->friendly, report, s, tf, now))
    return FALSE;
  tripped = ra_breaker_on_interval (&g->breaker, &g->friendly, tf, now);
  if (tripped)
    g->tripped = rate;
  if (tripped && g->breaker.state == RA_BREAKER_FALLBACK)
    g->fallback = MAX (rate / TENTH, 1);
  else if (g->breaker.state == RA_BREAKER_CLOSED)
    g->fallback = G_MAXUINT64;
  else if (g->fallback < G_MAXUINT64 / 2) /* 4.3: "gradually increase" */
    g->fallback += g->fallback / 4 + 1;
  return FALSE;
}

RaTime
ra_guard_next_timeout (const RaGuard *g)
{
  return MIN (ra_breaker_next_timeout (&g->breaker), g->liar_until);
}

void
ra_guard_on_timeout (RaGuard *g, RaTime now)
{
  ra_breaker_on_timeout (&g->breaker, now);
  if (g->liar_until <= now)
    g->liar_until = RA_TIME_NONE;
}

void
ra_guard_observe (const RaGuard *g, RaObserve emit, gpointer data)
{
  emit ("raw_loss", g->friendly.p, data);
  emit ("radio_loss", g->friendly.radio, data);
  emit ("radio_loss.queue", g->evidence.queue, data);
  emit ("radio_loss.rate", g->evidence.rate, data);
  emit ("breaker", g->breaker.state, data);
}
