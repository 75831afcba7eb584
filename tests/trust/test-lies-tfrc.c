/* Receivers that lie with TFRC-FB and RADP, where they count by RTP numbers of
 * which some were never sent; and what these cost an honest one.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "../rows.h"
#include "tfrcworld-fixture.h"
#include "trust.h"

#include <math.h>

#define LOSSY \
  "bottleneck rate=4M queue=200ms ! each bernoulli p=.02 ! delay 25ms"
#define SPAN (60 * RA_SECOND)
#define SEEDS 2

static void
lie_all (World *w, RaTfrcFb *fb, RaRadp *radp)
{
  fb->p = 0;
  radp->lost_congestion = radp->lost_wireless = radp->n_events = 0;
  radp->wireless_runs = 0;
  radp->arrived = radp->expected;
}

static void
lie_recv (World *w, RaTfrcFb *fb, RaRadp *radp)
{
  fb->x_recv *= 10;
}

static void
lie_delay (World *w, RaTfrcFb *fb, RaRadp *radp)
{
  fb->t_delay += 45 * RA_MSECOND;
}

static void
lie_early (World *w, RaTfrcFb *fb, RaRadp *radp)
{
  radp->t_i = fb->t_i += 100000;
}

static const struct
{
  WorldLie lie;
  gboolean plain; /* without RADP */
  gboolean found; /* out */
  RaHeard heard;  /* what the ear says of `share` of the reports, at least */
  gdouble share, rate; /* of the honest run's bytes, at most */
  const gchar *name, *promise;
} liar_rows[] = {
  { lie_all, FALSE, TRUE, RA_HEARD_UNSENT, 0, 1.1, "3 denies all losses, TFRC",
      "found out within 20,000 packets; in a minute no more than 1.1 x the "
      "honest run's bytes" },
  { lie_recv, FALSE, FALSE, RA_HEARD_UNSENT, .8, 1.1, "3 inflates X_recv, TFRC",
      "refused; no more than 1.1 x the honest run's bytes" },
  { lie_delay, FALSE, FALSE, RA_HEARD_OK, .9, 1.1,
      "3 shrinks R by t_delay, TFRC",
      "R is at least .92 of itself, which is worth 1.09; no more than 1.1 x "
      "the honest run's bytes" },
  { lie_early, FALSE, FALSE, RA_HEARD_UNSENT, .9, 1.1,
      "3 acknowledges before it was sent, TFRC",
      "refused; no more than 1.1 x the honest run's bytes" },
  { lie_all, TRUE, FALSE, RA_HEARD_OK, .9, HUGE_VAL,
      "3 denies all losses, TFRC without RADP",
      "a limit: nobody can know; no more than max-bitrate" },
};

static void
test_liar (gconstpointer data)
{
  guint row = GPOINTER_TO_UINT (data);
  WorldConfig cfg = { "tfrc", LOSSY, "delay 25ms", .reporter = TRUE,
    .unnumbered = TRUE, .plain = liar_rows[row].plain, .skip = 1000 };
  gdouble worst = 0;
  guint64 latest = 0;
  gboolean pass = TRUE;
  RaSpan least_rtt = G_MAXINT64;

  for (guint seed = 1; seed <= SEEDS; seed++) {
    World honest, liar;
    guint sum = 0;

    world_init (&honest, &cfg, seed, NULL);
    world_run (&honest, SPAN);
    pass &= honest.caught == 0;
    world_init (&liar, &cfg, seed, liar_rows[row].lie);
    world_run (&liar, SPAN);
    latest = MAX (latest, liar.caught);
    pass &= (liar.caught > 0) == liar_rows[row].found;
    for (guint k = 0; k < RA_N_HEARD; k++)
      sum += liar.heard_tfrc[k];
    pass &= liar.heard_tfrc[liar_rows[row].heard] >= liar_rows[row].share * sum;
    worst = MAX (worst, liar.x_sent / honest.x_sent);
    pass &= liar.x_sent < ra_bytes (20000000) * ra_seconds (SPAN);
    least_rtt = MIN (least_rtt, liar.least_rtt);
    world_clear (&honest);
    world_clear (&liar);
  }
  pass &= worst <= liar_rows[row].rate && least_rtt >= 46 * RA_MSECOND;
  if (liar_rows[row].found)
    trust_row ("attack", liar_rows[row].name, liar_rows[row].promise,
        pass && latest <= 20000, "after %" G_GUINT64_FORMAT " packets; %.2f x",
        latest, worst);
  else if (liar_rows[row].lie == lie_delay)
    trust_row ("attack", liar_rows[row].name, liar_rows[row].promise, pass,
        "%.2f x; R at least %.1f of 50 ms", worst, 1e-6 * (gdouble) least_rtt);
  else
    trust_row ("attack", liar_rows[row].name, liar_rows[row].promise, pass,
        "%.2f x", worst);
}

/* --- honest ones -------------------------------------------------------------- */

static const struct
{
  WorldConfig cfg;
  const gchar *why;
} honest_rows[] = {
  { { "tfrc", "bottleneck rate=2M queue=1000ms ! delay 25ms", "delay 25ms" },
      "a long queue" },
  { { "tfrc",
        "bottleneck rate=3M queue=200ms ! arq p=.05 delay=30ms ! delay 20ms",
        "jitter std=10ms ! delay 20ms", .duplicate = .1 },
      "packets out of order, feedback that comes twice" },
  { { "tfrc",
        "bottleneck rate=4M queue=300ms ! each gilbert p=.02 r=.3 ! delay 25ms",
        "delay 25ms ! each bernoulli p=.1", "zbs", .video = TRUE },
      "video over a radio, feedback that is lost" },
  { { "newreno",
        "bottleneck rate=3M queue=200ms ! each jitter std=10ms ! delay 30ms",
        "each jitter std=20ms ! delay 30ms", .video = TRUE },
      "jitter both ways" },
};

static void
test_honest (gconstpointer data)
{
  guint row = GPOINTER_TO_UINT (data);
  WorldConfig cfg = honest_rows[row].cfg;
  g_autofree gchar *name
      = g_strdup_printf ("3 honest, TFRC: %s", honest_rows[row].why);
  gboolean pass = TRUE;
  guint64 skipped = 0;

  cfg.reporter = cfg.unnumbered = TRUE;
  cfg.skip = 100;
  for (guint64 seed = 1; seed <= SEEDS; seed++) {
    g_auto (World) w;

    world_init (&w, &cfg, seed, NULL);
    world_run (&w, SPAN);
    pass &= w.caught == 0 && w.heard_tfrc[RA_HEARD_UNSENT] == 0
        && w.heard_tfrc[RA_HEARD_CONTRARY] == 0;
    skipped += w.skipped;
  }
  trust_row ("attack", name,
      "with 1 number in 100 left out it is no liar, and none of its reports is "
      "refused",
      pass, "%" G_GUINT64_FORMAT " numbers left out", skipped);
}

/* --- what it costs ------------------------------------------------------------ */

static const struct
{
  const gchar *lda, *loss;
} cost_rows[] = {
  { "none", "0" }, /* the radio takes nothing: no LDA differs */
  { "none", ".05" },
  { "spike", ".05" },
  { "zbs", ".05" },
};

/* Of the 3 Mbit/s, on the mean of the seeds. */
static gdouble
utilisation (const gchar *lda, const gchar *path, guint skip)
{
  WorldConfig cfg = { "tfrc", path, "delay 25ms", lda, .reporter = TRUE,
    .unnumbered = TRUE, .skip = skip };
  gdouble sum = 0;

  for (guint seed = 1; seed <= SEEDS; seed++) {
    g_auto (World) w;

    world_init (&w, &cfg, seed, NULL);
    world_run (&w, SPAN);
    for (guint k = RA_HEARD_OK + 1; k < RA_N_HEARD; k++)
      g_assert_cmpuint (w.heard_tfrc[k], ==, 0);
    g_assert_cmpuint (w.caught, ==, 0);
    sum += (gdouble) (w.seq - w.lost) * WORLD_MSS;
  }
  return sum / SEEDS / ra_seconds (SPAN) / ra_bytes (3000000);
}

static void
test_cost (gconstpointer data)
{
  guint row = GPOINTER_TO_UINT (data);
  g_autofree gchar *path = g_strdup_printf (
      "bottleneck rate=3M queue=100ms ! each bernoulli p=%s ! delay 25ms",
      cost_rows[row].loss);
  g_autofree gchar *name = g_strdup_printf ("3 honest, TFRC, lda %s, loss %s",
      cost_rows[row].lda, cost_rows[row].loss);
  gdouble without = utilisation (cost_rows[row].lda, path, 0);
  gdouble with = utilisation (cost_rows[row].lda, path, 1000);

  trust_row ("attack", name,
      "with 1 number in 1,000 left out it is not refused; it costs a tenth of "
      "the rate at most",
      with >= .9 * without, "%.3f of the line, %.3f without", with, without);
}

void
tests_add (void)
{
  rows_add ("/lies-tfrc/liar", liar_rows, test_liar);
  rows_add ("/lies-tfrc/honest", honest_rows, test_honest);
  rows_add ("/lies-tfrc/cost", cost_rows, test_cost);
}
