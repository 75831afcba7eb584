/* Honest receivers over many paths are believed, each report of theirs; liars
 * only as far as what was sent allows; and any bytes do no harm.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "../rows.h"
#include "heard-nick.h"
#include "tfrcworld-fixture.h"

#include <gst/rtpadapt/ledger.h>

#include <math.h>
#include <string.h>

#define SEEDS 2

static const struct
{
  WorldConfig cfg;
  gdouble rtt; /* ms, the shortest there is */
  const gchar *why;
} honest_rows[] = {
  { { "tfrc", "bottleneck rate=2M queue=100ms ! delay 25ms", "delay 25ms" }, 50,
      "a droptail queue that fills and drains" },
  { { "tfrc", "bottleneck rate=2M queue=1000ms ! delay 25ms", "delay 25ms" },
      50, "a long one" },
  { { "tfrc", "bottleneck rate=4M queue=1000ms ! delay 5ms", "delay 5ms",
        .cross = 3600000 },
      10, "a queue that others fill, and leave" },
  { { "tfrc", "bottleneck rate=4M queue=1000ms ! delay 5ms", "delay 5ms",
        .video = TRUE, .cross = 3600000 },
      10, "the same with video" },
  { { "tfrc", "bottleneck rate=8M queue=200ms ! delay 1ms", "delay 1ms" }, 2,
      "R of a few ms" },
  { { "tfrc", "bottleneck rate=8M queue=200ms ! delay 1ms", "delay 1ms",
        .video = TRUE },
      2, "frames that are longer than R" },
  { { "tfrc", "bottleneck rate=4M queue=300ms ! delay 10ms", "delay 10ms",
        .video = TRUE, .duplicate = .2 },
      20, "feedback that comes twice" },
  { { "tfrc", "bottleneck rate=4M queue=300ms ! delay 40ms",
        "delay 40ms ! each bernoulli p=.1", .video = TRUE, .duplicate = .1 },
      80, "10 % of the feedback lost" },
  { { "tfrc", "bottleneck rate=4M queue=300ms ! delay 40ms",
        "delay 40ms ! each gilbert p=.05 r=.1", .video = TRUE },
      80, "a third of the feedback lost, many in a row" },
  { { "tfrc",
        "bottleneck rate=3M queue=200ms ! each jitter std=10ms ! delay "
        "30ms",
        "each jitter std=20ms ! delay 30ms", .video = TRUE },
      60, "jitter both ways" },
  { { "tfrc", "bottleneck rate=3M queue=200ms ! delay 5ms",
        "jitter std=40ms ! delay 5ms" },
      10, "much jitter on the way back" },
  { { "tfrc",
        "bottleneck rate=3M queue=200ms ! arq p=.05 delay=30ms ! delay "
        "20ms",
        "delay 20ms" },
      40, "packets that come late, out of order" },
  { { "tfrc",
        "bottleneck rate=3M queue=200ms ! arq p=.05 delay=30ms ! delay "
        "20ms",
        "delay 20ms", "dcr", .video = TRUE },
      40, "the same with verdicts that wait" },
  { { "tfrc",
        "bottleneck rate=3M queue=200ms ! arq p=.1 delay=60ms order=1 ! "
        "delay 20ms",
        "arq p=.1 delay=60ms order=1 ! delay 20ms" },
      40, "packets in clumps, both ways" },
  { { "tfrc",
        "bottleneck rate=4M queue=100ms ! each gilbert p=.02 r=.3 ! delay "
        "25ms",
        "delay 25ms", "zbs", .video = TRUE },
      50, "losses on the radio" },
  { { "tfrc",
        "bottleneck rate=4M queue=100ms ! each gilbert p=.001 r=.01 ! "
        "delay 25ms",
        "delay 25ms", "spike" },
      50, "a hundred in a row" },
  { { "tfrc", "each bernoulli p=.3 ! delay 50ms",
        "delay 50ms ! each bernoulli "
        "p=.3" },
      100, "a path that is hardly one" },
  { { "newreno", "bottleneck rate=4M queue=300ms ! delay 25ms", "delay 25ms",
        "zbs" },
      50, "a window" },
  { { "tfrc", "bottleneck rate=2M queue=300ms ! delay 25ms", "delay 25ms",
        .plain = TRUE },
      50, "another implementation, without RADP" },
  { { "tfrc", "each bernoulli p=.02 ! delay 25ms", "delay 25ms", .plain = TRUE,
        .video = TRUE },
      50, "and with losses" },
  { { "tfrc",
        "bottleneck rate=4M queue=300ms ! each gilbert p=.02 r=.3 ! delay "
        "25ms",
        "delay 25ms ! each bernoulli p=.1", "zbs", .reporter = TRUE,
        .video = TRUE },
      50, "our whole receiver" },
  { { "tfrc",
        "bottleneck rate=3M queue=200ms ! arq p=.05 delay=30ms ! delay "
        "5ms",
        "jitter std=10ms ! delay 5ms", .reporter = TRUE, .duplicate = .1 },
      10, "it and packets out of order" },
};

#define SPAN (60 * RA_SECOND)

/* What holds for whoever says what. */
static void
check_sums (const World *w)
{
  g_assert_cmpuint (w->refused, ==, 0);
  g_assert_cmpuint (w->expected, <=, w->seq);
  g_assert_cmpfloat (w->x_recv, <=, 1.3 * w->x_sent + 50 * WORLD_MSS);
}

static void
test_honest (gconstpointer data)
{
  guint i = GPOINTER_TO_UINT (data);

  for (guint64 seed = 1; seed <= SEEDS; seed++) {
    g_auto (World) w;

    world_init (&w, &honest_rows[i].cfg, seed, NULL);
    world_run (&w, SPAN);
    for (guint k = RA_HEARD_OK + 1; k < RA_N_HEARD; k++) {
      guint want = k == RA_HEARD_OLD ? w.n_copies : 0;

      if (w.heard_tfrc[k] != want || w.heard_radp[k] > 0)
        g_test_message ("%s, seed %" G_GUINT64_FORMAT ": %u + %u are %s",
            honest_rows[i].why, seed, w.heard_tfrc[k], w.heard_radp[k],
            heard_nick ((RaHeard) k));
      g_assert_cmpuint (w.heard_tfrc[k], ==, want);
      g_assert_cmpuint (w.heard_radp[k], ==, 0);
    }
    g_assert_cmpuint (w.heard_tfrc[RA_HEARD_OK], >, 100);
    check_sums (&w);
    /* The receiver's clock is 50 ppm fast. */
    g_assert_cmpfloat (
        (gdouble) w.least_rtt, >=, 1e6 * honest_rows[i].rtt * .9999);
    /* At the end some are called lost that are only late, "arq" has them. */
    if (!honest_rows[i].cfg.plain && !honest_rows[i].cfg.reporter)
      g_assert_cmpuint (
          w.lost_congestion + w.lost_wireless, <=, w.lost + w.recovered + 5);
  }
}

static void
lie_recv_2 (World *w, RaTfrcFb *fb, RaRadp *radp)
{
  fb->x_recv *= 2;
}

static void
lie_recv_10 (World *w, RaTfrcFb *fb, RaRadp *radp)
{
  fb->x_recv *= 10;
}

/* One report in five. */
static void
lie_recv_seldom (World *w, RaTfrcFb *fb, RaRadp *radp)
{
  if (w->n_reported % 5 == 0)
    fb->x_recv *= 10;
}

static void
lie_arrived (World *w, RaTfrcFb *fb, RaRadp *radp)
{
  radp->arrived *= 3;
  radp->expected *= 3;
}

static void
lie_p (World *w, RaTfrcFb *fb, RaRadp *radp)
{
  fb->p = 0;
}

static void
lie_losses (World *w, RaTfrcFb *fb, RaRadp *radp)
{
  fb->p = 0;
  radp->lost_congestion = radp->n_events = 0;
}

static void
lie_all (World *w, RaTfrcFb *fb, RaRadp *radp)
{
  lie_losses (w, fb, radp);
  radp->arrived = radp->expected;
}

/* What the RTT of 50 ms allows, nearly. */
static void
lie_delay (World *w, RaTfrcFb *fb, RaRadp *radp)
{
  fb->t_delay += 45 * RA_MSECOND;
}

static void
lie_stamp (World *w, RaTfrcFb *fb, RaRadp *radp)
{
  radp->t_i = fb->t_i += 3000;
}

static RaTfrcFb replayed;

static void
lie_replay (World *w, RaTfrcFb *fb, RaRadp *radp)
{
  if (w->n_reported <= 50)
    replayed = *fb;
  *fb = replayed;
  radp->t_i = fb->t_i;
}

/* R = 50 ms and 2 % lost: an honest receiver gets what the TCP equation gives, of
 * 4 Mbit/s.  `heard` is what `share` of the reports are found to be at least,
 * and `rate` bounds what the liar gets, against the honest one: where p is
 * honest X_recv gives nothing; who denies losses gets nothing at all; R can be
 * denied 8 %, which is worth 1 / .92.  Of the last one nobody can know. */
#define LOSSY \
  "bottleneck rate=4M queue=200ms ! each bernoulli p=.02 ! delay 25ms"
static const struct
{
  WorldLie lie;
  RaHeard heard; /* what most are found to be */
  gdouble share; /* of the reports, at least */
  gdouble rate;
  const gchar *why;
} liar_rows[] = {
  { lie_recv_2, RA_HEARD_UNSENT, .2, 1.3, "X_recv twice" },
  { lie_recv_10, RA_HEARD_UNSENT, .8, 1.3, "X_recv ten times" },
  { lie_recv_seldom, RA_HEARD_UNSENT, .15, 1.3, "now and then" },
  { lie_arrived, RA_HEARD_UNSENT, .5, 1, "three times as many came" },
  { lie_p, RA_HEARD_CONTRARY, .5, 1, "losses, and p = 0" },
  { lie_losses, RA_HEARD_CONTRARY, .5, 1, "no losses, but missing packets" },
  { lie_delay, RA_HEARD_OK, .9, 1.1, "it waited for nine tenths of R" },
  { lie_stamp, RA_HEARD_UNSENT, .9, 1, "guessed t_i" },
  { lie_replay, RA_HEARD_OLD, .8, 1, "the same report for ever" },
  { lie_all, RA_HEARD_OK, 1, HUGE_VAL, "all came: who would know" },
};

static void
test_liar (gconstpointer data)
{
  static const WorldConfig cfg = { "tfrc", LOSSY, "delay 25ms" };
  guint i = GPOINTER_TO_UINT (data);
  guint sum = 0;
  World honest, liar;

  world_init (&honest, &cfg, 1, NULL);
  world_run (&honest, SPAN);
  world_init (&liar, &cfg, 1, liar_rows[i].lie);
  world_run (&liar, SPAN);
  for (guint k = 0; k < RA_N_HEARD; k++)
    sum += liar.heard_tfrc[k];
  g_test_message ("%s: %u of %u are %s; %.2f of the honest one's bytes, least "
                  "RTT %.1f ms, X_recv %.2f of what was sent",
      liar_rows[i].why, liar.heard_tfrc[liar_rows[i].heard], sum,
      heard_nick (liar_rows[i].heard), liar.x_sent / honest.x_sent,
      1e-6 * (gdouble) liar.least_rtt, liar.x_recv / liar.x_sent);
  g_assert_cmpfloat (
      liar.heard_tfrc[liar_rows[i].heard], >=, liar_rows[i].share * sum);
  g_assert_cmpfloat (liar.x_sent, <=, liar_rows[i].rate * honest.x_sent);
  g_assert_cmpint (liar.least_rtt, >=, 46 * RA_MSECOND);
  check_sums (&liar);
  world_clear (&honest);
  world_clear (&liar);
}

/* Bytes at random, and counters and times at random in well-formed ones, some of
 * them about packets that were sent; a clock that falls back now and then. */
static void
test_random (void)
{
  g_autoptr (RaLedger) ledger = ra_ledger_new ();
  RaTfrcEar *ear = ra_tfrc_ear_new (ledger);
  guint heard[RA_N_HEARD] = { 0 };
  RaTime now = RA_SECOND;
  RaRng rng;

  ra_rng_init (&rng, 7, 1);
  for (guint i = 0; i < 200000; i++) {
    guint8 radp[RA_RADP_SIZE_MAX + 4], fci[RA_TFRC_FB_SIZE];
    gsize size = (gsize) (ra_rng_uniform (&rng) * (gdouble) sizeof radp);
    gdouble kind = ra_rng_uniform (&rng);
    guint32 t_i;
    RaReport report;
    RaSpan t_delay;
    RaHeard h;

    now += (RaTime) ((i / 5000 % 2 ? 1e6 : 1e7) * ra_rng_uniform (&rng));
    if (ra_rng_uniform (&rng) < 1e-4)
      now = (RaTime) ((gdouble) now * ra_rng_uniform (&rng));
    ra_ledger_add (ledger,
        &(RaLedgerEntry){ .index = i,
            .sent = now,
            .size = (guint) (1500 * ra_rng_uniform (&rng)) });
    for (guint k = 0; k < sizeof radp; k++)
      radp[k] = (guint8) (256 * ra_rng_uniform (&rng));
    for (guint k = 0; k < sizeof fci; k++)
      fci[k] = (guint8) (256 * ra_rng_uniform (&rng));
    if (kind < .8) { /* about the latest packet; small numbers */
      t_i = GUINT32_TO_BE (ra_stamp_us (now));
      size = 52;
      radp[0] = 1;
      radp[1] = 0;
      memcpy (radp + 4, &t_i, 4);
      memcpy (fci, &t_i, 4);
      memset (fci + 4, 0, kind < .7 ? 6 : 2);
      if (kind < .05)
        fci[2] = 0; /* earlier, if anything */
      for (guint k = 8; k < 32; k += 4)
        memset (radp + k, 0, kind < .4 ? 3 : 1);
    }
    ra_tfrc_ear_on_radp (ear, radp, size, ra_later (now, RA_MSECOND));
    h = ra_tfrc_ear_on_tfrc (ear, fci, kind < .9 ? sizeof fci : size,
        ra_later (now, 20 * RA_MSECOND), &report, &t_delay);
    heard[h]++;
    if (h != RA_HEARD_OK)
      continue;
    g_assert_true (report.p >= 0 && report.p < 1);
    g_assert_cmpint (t_delay, >=, 0);
    g_assert_cmpint (t_delay, <,
        ra_diff (ra_later (now, 20 * RA_MSECOND), report.t_recvdata));
    g_assert_cmpuint (report.expected, <=, 200000);
    g_assert_cmpint (report.loss_age, >=, 0);
  }
  for (guint k = 0; k < RA_N_HEARD; k++)
    if (heard[k] == 0)
      g_test_message ("none was %s", heard_nick ((RaHeard) k));
  for (guint k = 0; k < RA_N_HEARD; k++)
    g_assert_cmpuint (heard[k], >, 0);
  ra_tfrc_ear_free (ear);
}

void
tests_add (void)
{
  rows_add ("/tfrcear/honest", honest_rows, test_honest);
  rows_add ("/tfrcear/liar", liar_rows, test_liar);
  g_test_add_func ("/tfrcear/random", test_random);
}
