/* rtpadapt-sim: a controller and an LDA over a link chain, in virtual time.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "sim.h"

static gchar *controller, *lda, *controller_params, *lda_params, *link_text;
static gdouble seconds = 60, warmup = 2, feedback_delay = 0.025, fps;
static gdouble feedback_loss, start;
static gint flows = 1, packet_size = 1200, overhead, trace_ms;
static gint64 seed = 1;
static gboolean per_packet, describe;

static const GOptionEntry entries[] = {
  { "controller", 'c', 0, G_OPTION_ARG_STRING, &controller,
      "rate controller (tfrc)", "NAME" },
  { "controller-params", 0, 0, G_OPTION_ARG_STRING, &controller_params,
      "its parameters", "NAME=VALUE,..." },
  { "lda", 'l', 0, G_OPTION_ARG_STRING, &lda, "loss differentiation (none)",
      "NAME" },
  { "lda-params", 0, 0, G_OPTION_ARG_STRING, &lda_params,
      "its parameters; 'paper' for the printed ones", "NAME=VALUE,..." },
  { "link", 'L', 0, G_OPTION_ARG_STRING, &link_text, "link chain", "TEXT" },
  { "flows", 0, 0, G_OPTION_ARG_INT, &flows, "flows that share the link (1)",
      "N" },
  { "seconds", 0, 0, G_OPTION_ARG_DOUBLE, &seconds, "virtual time (60)", "S" },
  { "warmup", 0, 0, G_OPTION_ARG_DOUBLE, &warmup, "not measured (2)", "S" },
  { "seed", 0, 0, G_OPTION_ARG_INT64, &seed, "of all randomness (1)", "N" },
  { "feedback-delay", 0, 0, G_OPTION_ARG_DOUBLE, &feedback_delay,
      "one way back (.025)", "S" },
  { "feedback-loss", 0, 0, G_OPTION_ARG_DOUBLE, &feedback_loss,
      "share of feedback lost (0)", "P" },
  { "per-packet", 0, 0, G_OPTION_ARG_NONE, &per_packet,
      "twcc-like feedback; else one report per RTT", NULL },
  { "fps", 0, 0, G_OPTION_ARG_DOUBLE, &fps,
      "send video frames; else always data to send", "N" },
  { "packet-size", 0, 0, G_OPTION_ARG_INT, &packet_size, "(1200)", "BYTES" },
  { "overhead", 0, 0, G_OPTION_ARG_INT, &overhead,
      "IP and UDP headers as the link counts them (0)", "BYTES" },
  { "start", 0, 0, G_OPTION_ARG_DOUBLE, &start,
      "rate before the first feedback (the controller's own)", "BIT/S" },
  { "trace", 0, 0, G_OPTION_ARG_INT, &trace_ms,
      "CSV of all observed values every MS of virtual time, to stderr", "MS" },
  { "keys", 0, 0, G_OPTION_ARG_NONE, &describe,
      "explain the keys of the result", NULL },
  { NULL },
};

static void
trace_value (const gchar *name, gdouble value, gpointer data)
{
  g_printerr (",%s=%.6g", name, value);
}

static void
trace (guint flow, const RaSender *sender, const RaLink *link, RaTime now,
    gpointer data)
{
  g_printerr ("%.3f,%u,rate=%" G_GUINT64_FORMAT, ra_seconds ((RaSpan) now),
      flow, ra_sender_rate (sender));
  ra_sender_observe (sender, trace_value, NULL);
  ra_link_observe (link, trace_value, NULL);
  g_printerr ("\n");
}

static void
results_print (const RaRun *runs)
{
  g_autofree gdouble *goodput = g_new (gdouble, flows);

  g_print ("{\"seed\": %" G_GINT64_FORMAT ", \"runs\": [", seed);
  for (gint i = 0; i < flows; i++) {
    g_autofree gchar *json = ra_run_to_json (&runs[i]);

    g_print ("%s%s", i ? ", " : "", json);
    goodput[i] = runs[i].score.goodput_bps;
  }
  g_print ("], \"jain\": %.4f}\n", ra_jain (goodput, (guint) flows));
}

int
main (int argc, char **argv)
{
  g_autoptr (GOptionContext) context = g_option_context_new (NULL);
  g_autoptr (GError) error = NULL;
  g_autofree RaRun *runs = NULL;
  RaSimConfig cfg;

  ra_sim_config_init (&cfg);
  g_option_context_set_summary (context,
      "A controller and an LDA over a link chain, in virtual time, e.g.\n"
      "  rtpadapt-sim --lda zbs --link 'bottleneck rate=3M ! delay 25ms ! "
      "bernoulli 5%' --per-packet --fps 25");
  g_option_context_add_main_entries (context, entries, NULL);
  if (!g_option_context_parse (context, &argc, &argv, &error)) {
    g_printerr ("rtpadapt-sim: %s\n", error->message);
    return 2;
  }
  if (describe) {
    g_autofree gchar *text = ra_run_describe ();

    g_print ("%s", text);
    return 0;
  }
  if (flows < 1 || flows > 1000 || packet_size < 64 || packet_size > 65000
      || seconds <= 0 || overhead < 0) {
    g_printerr ("rtpadapt-sim: flows 1..1000, packet-size 64..65000, "
                "seconds > 0, overhead >= 0\n");
    return 2;
  }
  cfg.controller = controller ? controller : cfg.controller;
  cfg.controller_params = controller_params;
  cfg.lda = lda ? lda : cfg.lda;
  cfg.lda_params = lda_params;
  cfg.link = link_text ? link_text : cfg.link;
  cfg.flows = (guint) flows;
  cfg.seed = (guint64) seed;
  cfg.seconds = ra_span (seconds);
  cfg.warmup = ra_span (warmup);
  cfg.rate.start = start > 0 ? (guint64) start : 0;
  cfg.rate.mss = (guint) packet_size;
  cfg.feedback_delay = ra_span (feedback_delay);
  cfg.feedback_loss = feedback_loss;
  cfg.per_packet = per_packet;
  cfg.grain = per_packet ? 250 * RA_USECOND : 0; /* TWCC's */
  cfg.packet_size = (guint) packet_size;
  cfg.overhead = (guint) overhead;
  cfg.fps = fps;
  cfg.trace = trace_ms > 0 ? trace : NULL;
  cfg.trace_interval = trace_ms * RA_MSECOND;

  runs = g_new0 (RaRun, flows);
  if (!ra_sim_run (&cfg, runs, &error)) {
    g_printerr ("rtpadapt-sim: %s\n", error->message);
    return 2;
  }
  results_print (runs);
  return 0;
}
