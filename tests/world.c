/* One flow in a world of its own.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "world.h"

static void
send_packet (const RaLinkPacket *p, RaTime now, gpointer data)
{
  World *w = data;

  w->packets++;
  w->bytes += p->size;
  if (w->dead)
    w->lost++;
  else
    ra_link_push (w->path, p, now);
}

static void
push_report (World *w, RaLink *link, SimReport *r, guint size)
{
  if (w->dead)
    sim_report_free (r);
  else
    ra_link_push (link, &(RaLinkPacket){ .size = size, .data = r }, w->now);
}

static void
send_report (SimReport *r, guint size, RaTime now, gpointer data)
{
  World *w = data;

  if (w->cfg->report && !w->cfg->report (w, r)) {
    sim_report_free (r);
    return;
  }
  w->reports++;
  if (ra_rng_chance (&w->rng, w->cfg->duplicate))
    push_report (w, w->copies, sim_report_copy (r), size);
  push_report (w, w->back, r, size);
}

static void
arrive (const RaLinkPacket *p, RaTime now, gpointer data)
{
  World *w = data;

  w->now = now;
  w->arrived++;
  w->arrived_bytes += p->size;
  sim_flow_deliver (w->flow, p, now);
}

static void
drop (const RaLinkPacket *p, RaCause cause, const gchar *node, RaTime now,
    gpointer data)
{
  World *w = data;

  w->lost++;
  sim_flow_drop (w->flow, p, cause, now);
}

static void
hear (const RaLinkPacket *p, RaTime now, gpointer data)
{
  World *w = data;

  w->now = now;
  sim_flow_hear (w->flow, p->data, now);
  sim_report_free (p->data);
}

static void
lose_report (const RaLinkPacket *p, RaCause cause, const gchar *node,
    RaTime now, gpointer data)
{
  sim_report_free (p->data);
}

static void
discard_report (const RaLinkPacket *p, gpointer data)
{
  sim_report_free (p->data);
}

static void
config (World *w)
{
  const WorldConfig *cfg = w->cfg;
  RaSimConfig *sim = &w->sim;

  ra_sim_config_init (sim);
  sim->flow.controller = cfg->controller ? cfg->controller : "tfrc";
  sim->flow.lda = cfg->lda ? cfg->lda : "none";
  sim->begin = cfg->begin;
  sim->wire = cfg->wire;
  sim->first = cfg->first;
  sim->friendliness_cap = cfg->cap;
  sim->breakers = cfg->breakers;
  sim->burst = cfg->burst;
  sim->floor = cfg->floor;
  sim->fps = cfg->fps;
  sim->excess = cfg->excess > 0 ? cfg->excess : 1;
  if (cfg->rate.mss > 0)
    sim->rate = cfg->rate;
  sim->packet_size = sim->rate.mss;
}

static RaLink *
link_new (const gchar *text, guint64 seed, const RaLinkSink *sink, World *w)
{
  GError *error = NULL;
  RaLink *link
      = ra_link_parse (text ? text : "delay 25ms", seed, sink, w, &error);

  g_assert_no_error (error);
  return link;
}

World *
world_new (const WorldConfig *cfg, guint64 seed)
{
  const RaLinkSink sink = { arrive, drop, NULL, cfg->load };
  static const RaLinkSink back = { hear, lose_report, discard_report, NULL };
  World *w = g_new0 (World, 1);
  SimPath path = { .packet = send_packet, .report = send_report, .data = w };
  GError *error = NULL;

  w->cfg = cfg;
  config (w);
  w->sim.seed = seed;
  ra_rng_init (&w->rng, w->sim.seed, 1);
  w->path = link_new (cfg->path, w->sim.seed, &sink, w);
  w->back = link_new (cfg->back, w->sim.seed + 1, &back, w);
  w->copies = link_new (cfg->copy, w->sim.seed + 2, &back, w);
  w->flow = sim_flow_new (&w->sim, 0, &path, &error);
  g_assert_no_error (error);
  sim_flow_clocks (w->flow)->ppm = cfg->ppm;
  return w;
}

void
world_free (World *w)
{
  ra_link_free (w->path);
  ra_link_free (w->back);
  ra_link_free (w->copies);
  sim_flow_free (w->flow);
  g_free (w);
}

static RaTime
world_next (const World *w)
{
  RaTime next = MIN (ra_link_next (w->path), ra_link_next (w->back));

  next = MIN (next, ra_link_next (w->copies));
  next = MIN (next, sim_flow_next (w->flow, w->now));
  if (w->cfg->rtcp > 0)
    next = MIN (next, w->next_rtcp);
  return MAX (next, w->now);
}

void
world_run (World *w, RaSpan span)
{
  RaTime end = ra_later (w->now, span), now;

  while ((now = world_next (w)) <= end) {
    w->now = now;
    ra_link_run (w->path, now);
    ra_link_run (w->back, now);
    ra_link_run (w->copies, now);
    w->now = now;
    if (w->cfg->rtcp > 0 && w->next_rtcp <= now) {
      w->next_rtcp = ra_later (now, w->cfg->rtcp);
      if (!w->dead)
        ra_sender_on_rtcp (world_sender (w), world_here (w));
    }
    sim_flow_run (w->flow, now);
  }
  w->now = end;
}

gdouble
world_goodput (World *w, RaSpan span)
{
  guint64 before = w->arrived_bytes;

  world_run (w, span);
  return 8. * (gdouble) (w->arrived_bytes - before) / ra_seconds (span);
}

RaSender *
world_sender (const World *w)
{
  return (RaSender *) sim_flow_view (w->flow).sender;
}

const RaReporter *
world_reporter (const World *w)
{
  return sim_flow_view (w->flow).reporter;
}

RaSenderStats
world_stats (const World *w)
{
  RaSenderStats stats;

  ra_sender_get_stats (world_sender (w), &stats);
  return stats;
}

RaTime
world_here (const World *w)
{
  return w->now + (RaTime) sim_flow_clocks (w->flow)->here;
}
