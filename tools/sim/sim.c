/* Flows over one link, in virtual time.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "flow.h"

typedef struct
{
  const RaSimConfig *cfg;
  RaLink *link;
  SimFlow **flows;
  RaTime *next; /* of each flow; 0: the path did something to it */
  RaTime now, next_trace;
  guint64 capacity;
} Sim;

void
ra_sim_config_init (RaSimConfig *cfg)
{
  *cfg = (RaSimConfig){
    .flow
    = { .controller = "tfrc", .lda = "none", .fec = "none", .colour = "none" },
    .link = "bottleneck rate=2M queue=100ms ! delay 25ms",
    .flows = 1,
    .seed = 1,
    .seconds = 60 * RA_SECOND,
    .warmup = 2 * RA_SECOND, /* paper 003 5.1 */
    .rate = { .min = 1000, .max = 100000000, .mss = 1200 },
    .friendliness_cap = RA_DEFAULT_FRIENDLINESS_CAP,
    .breakers = TRUE,
    .feedback_delay = 25 * RA_MSECOND,
    .packet_size = 1200,
    .excess = 1,
  };
}

void
ra_sim_observe (const RaSimView *view, RaObserve emit, gpointer data)
{
  RaObserver colour = { "colour", emit, data };
  RaSplit split;

  ra_sender_split (view->sender, 0, &split);
  emit ("rate", (gdouble) ra_sender_rate (view->sender), data);
  emit ("media", (gdouble) split.media, data);
  ra_sender_observe (view->sender, emit, data);
  if (view->receiver)
    ra_receiver_observe (view->receiver, emit, data);
  if (view->reporter)
    ra_reporter_observe (view->reporter, emit, data);
  ra_colour_observe (view->colour, ra_observe_prefixed, &colour);
  if (view->link)
    ra_link_observe (view->link, emit, data);
}

static void
send_packet (const RaLinkPacket *lp, RaTime now, gpointer data)
{
  Sim *sim = data;

  ra_link_push (sim->link, lp, now);
}

static void
deliver (const RaLinkPacket *lp, RaTime now, gpointer data)
{
  Sim *sim = data;

  sim->next[lp->flow] = 0;
  sim_flow_deliver (sim->flows[lp->flow], lp, now);
}

static void
drop (const RaLinkPacket *lp, RaCause cause, const gchar *node, RaTime now,
    gpointer data)
{
  Sim *sim = data;

  sim->next[lp->flow] = 0;
  sim_flow_drop (sim->flows[lp->flow], lp, cause, now);
}

static void
sim_trace (Sim *sim)
{
  const RaSimConfig *cfg = sim->cfg;
  guint64 capacity = ra_link_capacity (sim->link, sim->now);
  gboolean due = cfg->trace && sim->now >= sim->next_trace;

  for (guint i = 0; i < cfg->flows; i++) {
    RaSimView view = sim_flow_view (sim->flows[i]);

    view.link = sim->link;
    if (capacity != sim->capacity)
      sim_flow_capacity (sim->flows[i], capacity, sim->now);
    if (due && sim_flow_is_on (sim->flows[i], sim->now))
      cfg->trace (&view, sim->now, cfg->trace_data);
  }
  sim->capacity = capacity;
  if (sim->now >= sim->next_trace)
    sim->next_trace = sim->now + (RaTime) cfg->trace_interval;
}

static void
sim_loop (Sim *sim)
{
  const RaSimConfig *cfg = sim->cfg;

  while (sim->now < (RaTime) cfg->seconds) {
    RaTime next = ra_link_next (sim->link);

    for (guint i = 0; i < cfg->flows; i++)
      next = MIN (next, sim->next[i]);
    sim->now = MAX (sim->now, MIN (next, (RaTime) cfg->seconds));
    ra_link_run (sim->link, sim->now);
    for (guint i = 0; i < cfg->flows; i++)
      if (sim->next[i] <= sim->now) {
        sim_flow_run (sim->flows[i], sim->now);
        sim->next[i] = sim_flow_next (sim->flows[i], sim->now);
      }
    sim_trace (sim);
  }
}

gboolean
ra_sim_run (const RaSimConfig *cfg, RaRun *runs, GError **error)
{
  static const RaLinkSink sink
      = { .deliver = deliver, .drop = drop, .load = g_file_get_contents };
  Sim sim = { .cfg = cfg };
  SimPath path = { .packet = send_packet, .data = &sim };
  gboolean ok = TRUE;

  sim.link = ra_link_parse (cfg->link, cfg->seed, &sink, &sim, error);
  if (!sim.link)
    return FALSE;
  sim.flows = g_new0 (SimFlow *, cfg->flows);
  sim.next = g_new0 (RaTime, cfg->flows);
  for (guint i = 0; ok && i < cfg->flows; i++) {
    sim.flows[i] = sim_flow_new (cfg, i, &path, error);
    ok = sim.flows[i] != NULL;
  }
  if (ok)
    sim_loop (&sim);
  for (guint i = 0; i < cfg->flows; i++) {
    if (ok)
      sim_flow_result (sim.flows[i], sim.now, &runs[i]);
    g_clear_pointer (&sim.flows[i], sim_flow_free);
  }
  g_free (sim.next);
  g_free (sim.flows);
  ra_link_free (sim.link);
  return ok;
}
