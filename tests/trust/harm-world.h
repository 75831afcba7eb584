/* A flow of ours beside a TCP on one queue, and somebody who tampers with our
 * delays, in virtual time.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Ours is the simulator's flow (tools/sim/flow.h) with a source that always has
 * data.  Per-packet feedback (twcc): the LDA runs at the sender, and hears what
 * a receiver made of the arrivals.  Reports (tfrc): the LDA runs at the
 * receiver, and hears what the path made of them.
 */
#pragma once

#include "harm-tcp.h"

#include <tools/sim/flow.h>

#define HARM_BACK (25 * RA_MSECOND) /* the way of the answers, ours and TCP's */
#define HARM_OURS 0
#define HARM_TCP 1
#define HARM_OVERHEAD 28 /* IP, UDP */

typedef struct _Harm Harm;

/* What becomes of our packets behind the queue: when they come on (in order),
 * and what time of arrival is told of them.  `lost` is how many went missing
 * since the packet before.  NULL: now; the truth. */
typedef struct
{
  const gchar *name;
  RaTime (*hold) (Harm *h, const RaLinkPacket *p, RaTime now);
  RaTime (*stamp) (Harm *h, const RaLinkPacket *p, RaTime now, guint64 lost);
  const gchar *why;
} HarmAttack;

typedef struct
{
  const gchar *controller, *lda, *lda_params;
  const HarmAttack *attack; /* NULL: none */
  gboolean reports;         /* else per-packet */
  guint64 start;            /* bit/s */
  gdouble cap;
  gboolean breakers;
  const gchar *link;
  gdouble rate; /* the link's, bit/s */
  guint tcps;
  RaSpan seconds, warmup;
  guint64 seed;
} HarmConfig;

typedef struct
{
  RaLinkPacket p;
  RaTime at;
} HarmHeld;

typedef struct
{
  guint64 id;
  RaTime at;
} HarmFeedback;

struct _Harm
{
  const HarmConfig *cfg;
  RaSimConfig sim;
  RaTime now;
  RaLink *link;
  SimFlow *flow; /* NULL: nobody but TCPs */
  Tcp *tcps;
  RaRng rng;
  GArray *held, *feedback; /* of the above, in order of time */
  RaTime last_hold, last_stamp;
  guint64 next_seq; /* of ours, at the receiver */
  RaSpan least;     /* the shortest way of ours so far */

  guint64 ours, tcp;  /* bytes that arrived after the warm-up */
  guint64 lost, sent; /* packets of ours, so */
  RaTime tripped;     /* when a breaker did, RA_TIME_NONE */
  RaTime opened;
  gdouble most;  /* of the rate, in what a TCP would get */
  gdouble radio; /* the most that was shown to be the radio's loss */
};

static inline void
harm_packet (const RaLinkPacket *lp, RaTime now, gpointer data)
{
  Harm *h = data;

  h->sent += now >= (RaTime) h->cfg->warmup;
  ra_link_push (h->link, lp, now);
}

static inline void
harm_feedback (guint64 id, guint size, RaTime now, gpointer data)
{
  Harm *h = data;
  HarmFeedback f = { id, ra_later (h->now, HARM_BACK) };

  g_array_append_val (h->feedback, f);
}

static inline void
harm_ours (Harm *h, const RaLinkPacket *p, RaTime now)
{
  const HarmAttack *attack = h->cfg->attack;
  RaTime stamp = now;
  guint64 lost = p->seq - h->next_seq;

  h->least = MIN (h->least, ra_diff (now, p->entered));
  if (attack && attack->stamp)
    stamp = attack->stamp (h, p, now, lost);
  h->next_seq = p->seq + 1;
  h->now = now;
  sim_flow_deliver (h->flow, p, stamp);
}

static inline void
harm_deliver (const RaLinkPacket *p, RaTime now, gpointer data)
{
  Harm *h = data;
  const HarmAttack *attack = h->cfg->attack;
  gboolean counts = now >= (RaTime) h->cfg->warmup;

  if (p->flow >= HARM_TCP) {
    h->tcp += counts ? p->size : 0;
    tcp_deliver (&h->tcps[p->flow - HARM_TCP], p->seq, p->size, now);
    return;
  }
  h->ours += counts ? p->size : 0;
  if (attack && attack->hold) {
    HarmHeld held = { *p, MAX (attack->hold (h, p, now), h->last_hold) };

    h->last_hold = held.at;
    g_array_append_val (h->held, held);
  } else {
    harm_ours (h, p, now);
  }
}

static inline void
harm_drop (const RaLinkPacket *p, RaCause cause, const gchar *node, RaTime now,
    gpointer data)
{
  Harm *h = data;

  if (p->flow >= HARM_TCP)
    return;
  h->lost += now >= (RaTime) h->cfg->warmup;
  sim_flow_drop (h->flow, p, cause, now);
}

static inline void
harm_init (Harm *h, const HarmConfig *cfg)
{
  static const RaLinkSink sink = { harm_deliver, harm_drop, NULL, NULL };
  SimPath path
      = { .packet = harm_packet, .feedback = harm_feedback, .data = h };
  GError *error = NULL;

  *h = (Harm){ .cfg = cfg,
    .least = G_MAXINT64,
    .tripped = RA_TIME_NONE,
    .opened = RA_TIME_NONE };
  ra_rng_init (&h->rng, cfg->seed, 77);
  h->link = ra_link_parse (cfg->link, cfg->seed, &sink, h, &error);
  g_assert_no_error (error);
  ra_sim_config_init (&h->sim);
  h->sim.flow.controller = cfg->controller;
  h->sim.flow.lda = cfg->lda;
  h->sim.flow.lda_params = cfg->lda_params;
  h->sim.seed = cfg->seed;
  h->sim.seconds = cfg->seconds;
  h->sim.warmup = cfg->warmup;
  h->sim.rate = (RaRateConfig){ .min = 1000, /* as rtpadaptsend has it */
    .start = cfg->start,
    .max = 100000000,
    .mss = 1200 };
  h->sim.friendliness_cap = cfg->cap;
  h->sim.breakers = cfg->breakers;
  h->sim.per_packet = !cfg->reports;
  h->sim.grain = cfg->reports ? 0 : 250 * RA_USECOND;
  h->sim.overhead = HARM_OVERHEAD;
  if (cfg->controller) {
    h->flow = sim_flow_new (&h->sim, HARM_OURS, &path, &error);
    g_assert_no_error (error);
  }
  h->tcps = g_new0 (Tcp, cfg->tcps);
  for (guint i = 0; i < cfg->tcps; i++)
    tcp_init (&h->tcps[i], HARM_BACK);
  h->held = g_array_new (FALSE, FALSE, sizeof (HarmHeld));
  h->feedback = g_array_new (FALSE, FALSE, sizeof (HarmFeedback));
}

static inline void
harm_clear (Harm *h)
{
  g_clear_pointer (&h->flow, sim_flow_free);
  ra_link_free (h->link);
  g_array_unref (h->held);
  g_array_unref (h->feedback);
  g_free (h->tcps);
}

static inline RaTime
harm_next (const Harm *h)
{
  RaTime next = ra_link_next (h->link);

  if (h->flow)
    next = MIN (next, sim_flow_next (h->flow, h->now));
  if (h->held->len > 0)
    next = MIN (next, g_array_index (h->held, HarmHeld, 0).at);
  if (h->feedback->len > 0)
    next = MIN (next, g_array_index (h->feedback, HarmFeedback, 0).at);
  for (guint i = 0; i < h->cfg->tcps; i++)
    next = MIN (next, tcp_next (&h->tcps[i]));
  return MAX (next, h->now);
}

static inline void
harm_watch (Harm *h)
{
  RaSimView view = sim_flow_view (h->flow);
  RaSenderStats stats;

  ra_sender_get_stats (view.sender, &stats);
  h->radio = MAX (h->radio, stats.radio_loss);
  if (stats.friendly > 0 && stats.friendly < G_MAXUINT64)
    h->most = MAX (h->most,
        (gdouble) ra_sender_rate (view.sender) / (gdouble) stats.friendly);
  if (stats.breaker != RA_BREAKER_CLOSED)
    h->tripped = MIN (h->tripped, h->now);
  if (stats.breaker == RA_BREAKER_OPEN)
    h->opened = MIN (h->opened, h->now);
}

static inline void
harm_step (Harm *h)
{
  ra_link_run (h->link, h->now);
  while (
      h->held->len > 0 && g_array_index (h->held, HarmHeld, 0).at <= h->now) {
    HarmHeld held = g_array_index (h->held, HarmHeld, 0);

    g_array_remove_index (h->held, 0);
    harm_ours (h, &held.p, h->now);
  }
  while (h->feedback->len > 0
      && g_array_index (h->feedback, HarmFeedback, 0).at <= h->now) {
    HarmFeedback f = g_array_index (h->feedback, HarmFeedback, 0);

    g_array_remove_index (h->feedback, 0);
    sim_flow_feedback (h->flow, f.id, h->now);
    harm_watch (h);
  }
  if (h->flow)
    sim_flow_run (h->flow, h->now);
  for (guint i = 0; i < h->cfg->tcps; i++) {
    Tcp *t = &h->tcps[i];

    tcp_run (t, h->now);
    while (tcp_may_send (t))
      ra_link_push (h->link,
          &(RaLinkPacket){ .seq = tcp_send (t, h->now),
              .flow = HARM_TCP + i,
              .size = TCP_MSS },
          h->now);
  }
}

/* Runs it all; the caller reads what he wants and clears. */
static inline void
harm_run (Harm *h, const HarmConfig *cfg)
{
  harm_init (h, cfg);
  while (h->now < (RaTime) cfg->seconds) {
    harm_step (h);
    h->now = MIN (harm_next (h), (RaTime) cfg->seconds);
  }
}
