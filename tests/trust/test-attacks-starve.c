/* Forged feedback that is believed: rows 2, 4, 14 and 18 of the threat table, at
 * the sender, in virtual time.  Who knows the send time of a packet in flight can
 * say anything about it; nobody else's report is believed (test-attacks.c).
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "attack-fixture.h"
#include "../rows.h"

/* R = 50 ms.  The first is never full at 3 Mbit/s.  Of the second no LDA takes
 * the 1 % for the radio's: p is .01, X of RFC 5348 3.1 2.2 Mbit/s. */
#define CLEAN "bottleneck rate=4M queue=200ms ! delay 25ms"
#define LOSSY \
  "bottleneck rate=4M queue=200ms ! each bernoulli p=.01 ! delay 25ms"
#define BACK "delay 25ms"
#define MAX_RATE 3000000

#define AT 20000 /* ms */
/* By then the honest report about a packet is back: R, and the 2.4 ms in which the
 * bottleneck sends 1,200 bytes. */
#define REPORTED (52400 * RA_USECOND)

/* About a packet that has arrived by now.  The honest report about it is under way,
 * unless so little is sent that no later packet has arrived: at min-bitrate one
 * leaves each 96 ms. */
static RaTfrcFb
forged_about (Run *r)
{
  RaTfrcFb fb = { 0 };
  guint64 seq;

  if (run_sent (r, 30 * RA_MSECOND, &seq)) {
    fb.t_i = ra_stamp_us (run_sent_time (r, seq));
    r->n_repeats += ra_diff (r->w.now, run_sent_time (r, seq)) > REPORTED;
  }
  return fb;
}

/* What the receiver would say now; FALSE before it has said anything. */
static gboolean
radp_now (Run *r, RaRadp *radp)
{
  const RaRadp *last = ra_tfrc_ear_radp (r->w.tfrc_ear);

  if (last)
    *radp = *last;
  return last != NULL;
}

static void
say_p (Run *r)
{
  RaTfrcFb fb = forged_about (r);

  fb.p = 1;
  run_forge (r, &fb, NULL);
}

/* Row 4 as it is printed: and waited for all but 1 us of the time. */
static void
say_all (Run *r)
{
  RaTfrcFb fb = forged_about (r);
  guint64 seq;

  if (!run_sent (r, 30 * RA_MSECOND, &seq))
    return;
  fb.p = 1;
  fb.t_delay = ra_diff (r->w.now, run_sent_time (r, seq)) - 2 * RA_USECOND;
  run_forge (r, &fb, NULL);
}

static void
say_lost_4000 (Run *r)
{
  const guint n = 4000;
  RaTfrcFb fb = forged_about (r);
  RaRadp radp;

  if (!radp_now (r, &radp))
    return;
  fb.p = 1;
  radp.t_i = radp.t_lost = fb.t_i;
  radp.expected += n;
  radp.lost_congestion += n;
  radp.n_events += n;
  run_forge (r, &fb, &radp);
}

/* Counters that a receiver which began again would have. */
static void
say_again (Run *r)
{
  RaTfrcFb fb = forged_about (r);
  RaRadp radp = { .t_i = fb.t_i };

  fb.p = 1;
  run_forge (r, &fb, &radp);
}

static const struct
{
  const gchar *row;
  void (*say) (Run *r);
  guint back; /* ms */
} starve_rows[] = {
  { "4 p = 1, X_recv = 0", say_p, 2000 },
  { "4 p = 1, X_recv = 0, t_delay the whole time", say_all, 2000 },
  { "4 the same, counters begin again", say_again, 2000 },
  { "4 thousands of packets lost", say_lost_4000, 6000 },
};

static guint starve_row;

static void
starve_once (Run *r, guint ms)
{
  if (ms == AT)
    starve_rows[starve_row].say (r);
}

/* Each second for 10 s. */
static void
starve_often (Run *r, guint ms)
{
  if (ms >= AT && ms < AT + 10000 && ms % 1000 == 0)
    starve_rows[starve_row].say (r);
}

/* --- each controller ------------------------------------------------------- */

static Run *
starve_run (const RaRateOps *ops, const gchar *path, Attack attack)
{
  /* Nobody reads it once the run is over. */
  static WorldConfig cfg;

  cfg = (WorldConfig){ ops->name, path, BACK, .lda = "none", .reporter = TRUE,
    .max = MAX_RATE, .breakers = TRUE };
  return run_new (&cfg, attack, NULL);
}

/* arc's p_c is a mean of 200 RTTs: here 10 s (arc.c).  What is left of one
 * report is gone with the rest.  Ten of them are .4, and at 16 packets per RTT (1)
 * wants .0068; half the rate is p_c = .027: 10 s ln (.4 / .027) = 27 s. */
#define ARC_BACK 28000

static void
starve_check (const RaRateOps *ops, guint row, const Run *honest,
    const gchar *path, const gchar *where)
{
  gboolean slow = g_str_equal (ops->name, "arc");
  guint limit = starve_rows[row].back, limit_often = slow ? ARC_BACK : limit;
  g_autofree gchar *name
      = g_strdup_printf ("%s, %s, %s", starve_rows[row].row, ops->name, where);
  g_autofree gchar *promise = g_strdup_printf (
      "min-bitrate at least, 1.1 x honest at most; half the rate again %.0f s "
      "after one, %.0f s after ten in 10 s; no breaker",
      limit / 1e3, limit_often / 1e3);
  gdouble want = .5 * run_mean (honest, AT, RUN_MS), share;
  guint back, back_often;
  guint64 least;
  g_autoptr (Run) once = NULL, often = NULL;

  starve_row = row;
  once = starve_run (ops, path, starve_once);
  often = starve_run (ops, path, starve_often);
  back = run_back (once, AT, want);
  back_often = run_back (often, AT + 9000, want);
  least = MIN (run_least (once, 0), run_least (often, 0));
  share = MAX (run_share (once, honest), run_share (often, honest));
  g_assert_cmpuint (once->forged[RA_HEARD_OK], ==, 1);
  /* A second report about the same packet is refused as a repeated one. */
  g_assert_cmpuint (often->forged[RA_HEARD_OK], ==, 10 - often->n_repeats);
  g_assert_cmpuint (often->forged[RA_HEARD_OLD], ==, often->n_repeats);
  trust_row ("attack", name, promise,
      back <= limit && back_often <= limit_often && least >= RUN_MIN
          && share <= 1.1,
      "least %.2f Mbit/s, %.2f x in all; back after %.2f s, %.2f s",
      1e-6 * (gdouble) least, share, back / 1e3, back_often / 1e3);
}

static void
starve_on (const RaRateOps *ops, const gchar *path, const gchar *where)
{
  g_autoptr (Run) honest = starve_run (ops, path, NULL);

  for (guint row = 0; row < G_N_ELEMENTS (starve_rows); row++)
    starve_check (ops, row, honest, path, where);
}

static void
test_starve (gconstpointer data)
{
  starve_on (data, CLEAN, "nothing lost");
}

/* Without an attack the rate of the others goes up and down by more. */
static void
test_starve_lossy (void)
{
  starve_on (ra_rate_find ("tfrc"), LOSSY, "1 % lost");
}

/* --- guesses that are near ------------------------------------------------- */

/* The attacker knows the sender's clock to within a second. */
static void
guess_near (Run *r, guint ms)
{
  RaTfrcFb fb = { .p = g_rand_double (r->dice),
    .x_recv = (guint64) g_rand_int_range (r->dice, 0, MAX_RATE),
    .t_delay = g_rand_int_range (r->dice, 0, 5) * RA_MSECOND };

  for (guint i = 0; i < 50; i++) {
    fb.t_i = ra_stamp_us (ra_later (
        r->w.now, -g_rand_int_range (r->dice, 0, 1000000) * RA_USECOND));
    run_forge (r, &fb, NULL);
  }
}

static void
test_guess_near (void)
{
  const RaRateOps *ops = ra_rate_find ("tfrc");
  g_autoptr (Run) honest = starve_run (ops, LOSSY, NULL);
  g_autoptr (Run) attacked = starve_run (ops, LOSSY, guess_near);
  gdouble share = run_share (attacked, honest);

  trust_row ("attack", "2 t_i guessed within 1 s, 10,000 a second",
      "1 in 10,000 is believed at most; 1.1 x honest at most, .8 x at least",
      attacked->forged[RA_HEARD_OK] * 10000u <= attacked->n_forged
          && share <= 1.1 && share >= .8,
      "%u of %u believed; %.2f x", attacked->forged[RA_HEARD_OK],
      attacked->n_forged, share);
}

/* --- more than max-bitrate --------------------------------------------------- */

/* The best news there can be. */
static void
praise (Run *r, guint ms)
{
  RaTfrcFb fb = forged_about (r);
  RaRadp radp;

  fb.x_recv = G_GUINT64_CONSTANT (34000000000);
  run_forge (r, &fb, NULL);
  fb.x_recv = MAX_RATE;
  if (radp_now (r, &radp)) {
    radp.t_i = fb.t_i;
    radp.expected += 1;
    radp.arrived += 1;
    run_forge (r, &fb, &radp);
  }
}

static void
test_praise (gconstpointer data)
{
  const RaRateOps *ops = data;
  g_autofree gchar *name
      = g_strdup_printf ("18 a flood of praise, %s", ops->name);
  g_autoptr (Run) r = starve_run (ops, CLEAN, praise);
  guint64 most = 0, most_sent = 0;

  for (guint step = 0; step < RUN_STEPS; step++)
    most = MAX (most, r->rate[step]);
  for (guint step = 1000 / STEP; step < RUN_STEPS; step++)
    most_sent
        = MAX (most_sent, 8 * (r->bytes[step] - r->bytes[step - 1000 / STEP]));
  /* One packet is out when its time has begun. */
  trust_row ("attack", name,
      "never more than max-bitrate, nor sent in any second",
      most <= MAX_RATE && most_sent <= MAX_RATE + 8 * 2 * WORLD_MSS,
      "%u of %u believed; %.3f x max-bitrate, %.3f x sent",
      r->forged[RA_HEARD_OK], r->n_forged, (gdouble) most / MAX_RATE,
      (gdouble) most_sent / MAX_RATE);
}

/* --- ECN ----------------------------------------------------------------------- */

/* Somebody on the path marks all that passes for 10 s, or clears the field. */
static void
mark_all (Run *r, guint ms)
{
  r->w.tos = ms >= AT && ms < AT + 10000 ? 3 : 2;
}

static void
bleach (Run *r, guint ms)
{
  r->w.tos = ms >= AT ? 0 : 2;
}

static void
test_ecn (void)
{
  const RaRateOps *ops = ra_rate_find ("tfrc");
  g_autoptr (Run) honest = starve_run (ops, LOSSY, NULL);
  g_autoptr (Run) marked = starve_run (ops, LOSSY, mark_all);
  g_autoptr (Run) bleached = starve_run (ops, LOSSY, bleach);
  guint back = run_back (
      marked, AT + 10000, .5 * run_mean (honest, RUN_MS - 10000, RUN_MS));

  trust_row ("attack", "14 CE on every packet for 10 s",
      "min-bitrate at least, 1.1 x honest at most; half the rate again 20 s "
      "later",
      run_least (marked, 0) >= RUN_MIN && run_share (marked, honest) <= 1.1
          && back <= 20000,
      "least %.2f Mbit/s; %.2f x; half again after %.1f s",
      1e-6 * (gdouble) run_least (marked, AT), run_share (marked, honest),
      back / 1e3);
  trust_row ("attack", "14 ECN bits bleached",
      "losses still count: the trace is the one without ECN, byte by byte",
      runs_same (honest, bleached), "trace %s",
      runs_same (honest, bleached) ? "the same" : "another");
}

void
tests_add (void)
{
  rows_add_all ("/attacks/starve", ra_rates, test_starve);
  rows_add_all ("/attacks/praise", ra_rates, test_praise);
  g_test_add_func ("/attacks/starve-lossy", test_starve_lossy);
  g_test_add_func ("/attacks/guess-near", test_guess_near);
  g_test_add_func ("/attacks/ecn", test_ecn);
}
