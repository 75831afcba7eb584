/* Laws over every controller on a bottleneck: nobody starves, the line is used.
 * And the two readings of SSVP's increase, side by side.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The controllers alone: no friendliness cap, no circuit breaker, no LDA.
 */
#include <tools/sim/sim.h>

#include "../main.h"
#include "../unit/law.h"

static const struct
{
  gboolean per_packet;
  const gchar *name;
} feedback[] = {
  { FALSE, "reports" },
  { TRUE, "per-packet" },
};

typedef struct
{
  const RaRateOps *ops;
  guint feedback; /* index of the above */
} Case;

/* 2 Mbit/s, R = 50 ms and up to 100 ms of queue: 10 to 31 packets per R. */
static void
config_init (RaSimConfig *cfg)
{
  ra_sim_config_init (cfg);
  cfg->friendliness_cap = 0;
  cfg->breakers = FALSE;
  cfg->link = "bottleneck rate=2M queue=100ms ! delay 25ms";
  cfg->seconds = 125 * RA_SECOND;
  cfg->warmup = 25 * RA_SECOND;
}

static void
case_init (RaSimConfig *cfg, const Case *c)
{
  config_init (cfg);
  cfg->flow.controller = c->ops->name;
  cfg->per_packet = feedback[c->feedback].per_packet;
  cfg->grain = cfg->per_packet ? 250 * RA_USECOND : 0;
}

static void
runs_fill (const RaSimConfig *cfg, RaRun *runs)
{
  GError *error = NULL;

  ra_sim_run (cfg, runs, &error);
  g_assert_no_error (error);
}

/* Two equal flows, the second comes 10 s later.  The lesser one has a quarter of
 * its fair share at least. */
static void
test_share (gconstpointer data)
{
  const Case *c = data;
  RaSimConfig cfg;
  RaSimFlow mix[2];
  RaRun runs[2];

  if (c->ops->open_loop) {
    g_test_skip ("the baseline gives way to nobody");
    return;
  }
  case_init (&cfg, c);
  mix[0] = mix[1] = cfg.flow;
  mix[1].start = 10 * RA_SECOND;
  cfg.mix = mix;
  cfg.n_mix = cfg.flows = 2;
  runs_fill (&cfg, runs);
  for (guint i = 0; i < 2; i++) {
    gdouble share = runs[i].score.goodput_bps
        / (runs[0].score.goodput_bps + runs[1].score.goodput_bps);

    g_test_message ("%s: %.3f of it all", c->ops->name, share);
    law_cmpfloat (share, >=, .25 / 2);
  }
}

/* What a lone flow uses at least.  One that falls to the share f of the line's
 * rate and comes back in a straight line has (1 + f) / 2 of it, without any
 * help from the queue.
 * arc: (1) goes with 1 / sqrt (p_c), and a loss of 5 of 31 packets, when p_c is
 * 24 / (121^2 - 25) = .0016, adds .005 * 5 / 31: f = 1 / sqrt (1.49) = .82. */
static const struct
{
  const gchar *controller;
  gdouble least;
  const gchar *why;
} use_rows[] = {
  { "fixed", 1, "100 Mbit/s" },
  { "ssvp", .9375, "f = beta = .875" },
  { "gaimd", .9375, "f = beta = .875" },
  { "arc", .91, "f = .82" },
  { NULL, .75, "f = .5, as TCP; no controller should be worse" },
};

static void
test_use (gconstpointer data)
{
  const Case *c = data;
  RaSimConfig cfg;
  RaRun run;
  guint i = 0;

  while (use_rows[i].controller
      && !g_str_equal (use_rows[i].controller, c->ops->name))
    i++;
  case_init (&cfg, c);
  runs_fill (&cfg, &run);
  g_test_message ("%s: %.3f of the line, at least %g: %s", c->ops->name,
      run.score.utilisation, use_rows[i].least, use_rows[i].why);
  law_cmpfloat (run.score.utilisation, >=, use_rows[i].least - 1e-3);
}

/* --- SSVP: (11) as an AIMD, and as printed --- */

#define FORMS_LINK "bottleneck rate=10M queue=64ms ! delay 32ms"
/* Paper 003, 5.1 */
static const gchar *const forms_links[]
    = { FORMS_LINK, FORMS_LINK " ! gilbert p=.994 q=.78" };
static const guint forms_flows[] = { 2, 10, 20 };

typedef struct
{
  gdouble jain, use, loss;
} Forms;

static Forms
forms_run (guint link, guint flows, const gchar *params)
{
  RaSimConfig cfg;
  RaRun runs[20];
  gdouble goodput[20];
  guint64 lost = 0, arrived = 0;
  Forms f = { 0 };

  config_init (&cfg);
  cfg.flow.controller = "ssvp";
  cfg.flow.controller_params = params;
  cfg.flow.lda = "omniscient";
  cfg.link = forms_links[link];
  cfg.feedback_delay = 32 * RA_MSECOND;
  cfg.packet_size = cfg.rate.mss = 1000;
  cfg.flows = flows;
  runs_fill (&cfg, runs);
  for (guint i = 0; i < flows; i++) {
    goodput[i] = runs[i].score.goodput_bps;
    f.use += runs[i].score.utilisation;
    lost += runs[i].score.congestion_losses;
    arrived += runs[i].score.arrived;
  }
  f.jain = ra_jain (goodput, flows);
  f.loss = (gdouble) lost / (gdouble) arrived;
  g_test_message ("%u flows, %s: Jain %.4f, use %.4f, loss %.4f", flows, params,
      f.jain, f.use, f.loss);
  return f;
}

/* Additive: 160 packets are on their way when the queue is full, 8 per flow if
 * there are 20.  A cycle is 8 (1 - beta) / alpha = 3.2 RTTs of 7.5 packets: one
 * loss in 24, 4.1 %, and less the fewer flows.  An AIMD converges: what is left
 * of unfairness is that of a few cycles.
 * Printed: from just below the line's rate to 1.31 of it, then 1.146, then just
 * above: .237, .128 and .003 are lost, 12 % on the mean, even if each answer
 * came at once. */
static void
test_forms (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (forms_links); i++) {
    for (guint j = 0; j < G_N_ELEMENTS (forms_flows); j++) {
      Forms additive = forms_run (i, forms_flows[j], "increase=0");
      Forms printed = forms_run (i, forms_flows[j], "increase=1");

      law_cmpfloat (additive.loss, <=, .041);
      law_cmpfloat (additive.jain, >=, .99);
      law_cmpfloat (additive.use, >=, .9375);
      law_cmpfloat (printed.loss, >=, .12);
    }
  }
}

void
tests_add (void)
{
  static Case cases[64];
  guint n = 0;

  for (guint i = 0; ra_rates[i]; i++) {
    for (guint j = 0; j < G_N_ELEMENTS (feedback); j++) {
      g_autofree gchar *name
          = g_strdup_printf ("%s/%s", ra_rates[i]->name, feedback[j].name);
      g_autofree gchar *share = g_strdup_printf ("/controllers/share/%s", name);
      g_autofree gchar *use = g_strdup_printf ("/controllers/use/%s", name);

      g_assert_cmpuint (n, <, G_N_ELEMENTS (cases));
      cases[n] = (Case){ ra_rates[i], j };
      g_test_add_data_func (share, &cases[n], test_share);
      g_test_add_data_func (use, &cases[n], test_use);
      n++;
    }
  }
  g_test_add_func ("/controllers/ssvp-forms", test_forms);
}
