/* newcomer: additive increase, multiplicative decrease.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * tests/tools/one-word adds this to a copy of the library.
 */
#include <gst/rtpadapt/rate/start.h>

typedef struct
{
  RaStart start;
  gdouble alpha, beta; /* parameters */
  RaTime t_raised, t_reduced;
} Newcomer;

static void
newcomer_init (RaRate *r, RaTime now)
{
  Newcomer *n = (Newcomer *) r;

  n->t_raised = n->t_reduced = RA_TIME_NONE;
  ra_start_init (r, now);
}

static void
newcomer_on_report (RaRate *r, const RaReport *report, RaTime now)
{
  Newcomer *n = (Newcomer *) r;
  RaStart *b = &n->start;
  gdouble x_recv = ra_bytes (report->recv_rate);

  if (ra_start_on_report (b, report))
    n->t_raised = now;
  if (!ra_start_is_news (report, n->t_reduced, now)) {
    ra_start_finish (b, now);
    return;
  }
  if (report->n_events > 0) {
    ra_start_reduce (b, n->beta * ra_start_lost (b, x_recv));
    n->t_raised = n->t_reduced = now;
  } else if (ra_start_due (b, n->t_raised, now)
      && ra_report_congestion (report) == 0) {
    gdouble round = ra_seconds (ra_start_round (b));

    b->x = ra_start_raised (b, x_recv, n->alpha * r->s / round);
    n->t_raised = now;
  }
  ra_start_finish (b, now);
}

static const RaParam params[] = {
  { "alpha", RA_AT (Newcomer, alpha), .def = .5, RA_PAPER (1), .max = 10,
      .unit = "packets", .text = "so many more per round" },
  { "beta", RA_AT (Newcomer, beta), .def = .7, RA_PAPER (.5), .min = .01,
      .max = 1, .text = "what a loss event leaves of the rate" },
  { NULL },
};

const RaRateOps ra_rate_newcomer = {
  .name = "newcomer",
  .cite = "-",
  .needs = "reports once per RTT or more often",
  .use = "a test of the build",
  .size = sizeof (Newcomer),
  .params = params,
  .init = newcomer_init,
  .on_report = newcomer_on_report,
  .on_timeout = ra_start_on_timeout,
};
