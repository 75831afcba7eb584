/* gaimd: general additive increase, multiplicative decrease of the window.
 * Y. R. Yang, S. S. Lam, "General AIMD congestion control", ICNP 2000, as P.
 * Papadimitriou, V. Tsaoussidis, C. Zhang, "End-to-end loss differentiation for
 * video streaming with wireless link errors", 2009, 2.2 compares with it.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * On real video window.c says what differs.  Here a timeout is TCP's, its
 * ssthresh the decrease that a loss would have made.
 */
#include <gst/rtpadapt/rate/window.h>

typedef struct
{
  RaWindow window;
  gdouble alpha, beta, friendly; /* parameters */
} Gaimd;

/* Packets per RTT. */
static gdouble
alpha (const Gaimd *g)
{
  gdouble fall = 1 - g->beta;

  if (g->friendly >= 2) /* Barman, Matta 2002, 6.2, whose beta is the fall */
    return 3 * fall / (2 - fall);
  if (g->friendly >= 1) /* Papadimitriou 2009 (2) */
    return 4 * (1 - g->beta * g->beta) / 3;
  return g->alpha;
}

static void
gaimd_on_report (RaRate *r, const RaReport *report, RaTime now)
{
  Gaimd *g = (Gaimd *) r;
  RaWindow *w = &g->window;

  switch (ra_window_hear (w, report, now)) {
    case RA_WINDOW_SHRINK:
      ra_window_shrink (w, g->beta * ra_window_flight (w, now), now);
      break;
    case RA_WINDOW_GROW:
      ra_window_grow (w, alpha (g), report->arrived, now);
      break;
    case RA_WINDOW_KEEP:
      break;
  }
  ra_window_finish (w);
}

static void
gaimd_on_timeout (RaRate *r, RaTime now)
{
  Gaimd *g = (Gaimd *) r;
  RaWindow *w = &g->window;

  ra_window_expire (w, g->beta * ra_window_flight (w, now), now);
  ra_window_finish (w);
}

static void
gaimd_observe (const RaRate *r, RaObserve emit, gpointer data)
{
  const Gaimd *g = (const Gaimd *) r;

  ra_window_observe (r, emit, data);
  emit ("alpha", alpha (g), data);
  emit ("beta", g->beta, data);
}

static const RaParam params[] = {
  { "alpha", RA_AT (Gaimd, alpha), .def = .31, .max = 100, .unit = "packets",
      .text = "increase per RTT, if not friendly" },
  { "beta", RA_AT (Gaimd, beta), .def = .875, .min = .01, .max = .99,
      .text = "what a loss event leaves of the window" },
  { "friendly", RA_AT (Gaimd, friendly), .def = 0, .max = 2,
      .text = "alpha follows beta: 1: as TCP with its timeouts, 4 (1 "
              "- beta^2) / 3; 2: without, 3 (1 - beta) / (1 + beta)" },
  { "", RA_TABLE (Gaimd, window, ra_window_params) },
  { NULL },
};

const RaRateOps ra_rate_gaimd = {
  .name = "gaimd",
  .cite = "Yang, Lam 2000; Papadimitriou, Tsaoussidis, Zhang 2009, 2.2",
  .needs = "reports once per RTT or more often",
  .use = "a window that falls little at a loss and rises slowly",
  .absolute = RA_WINDOW_ABSOLUTE,
  .size = sizeof (Gaimd),
  .params = params,
  .init = ra_window_init,
  .on_sent = ra_window_on_sent,
  .on_report = gaimd_on_report,
  .on_timeout = gaimd_on_timeout,
  .observe = gaimd_observe,
};
