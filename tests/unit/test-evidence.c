/* What is shown to be the radio's loss, and what the guard makes of it.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Paths that are made by hand: reports each 40 ms on packets of 1,000 bytes, of
 * which each is lost with a probability that a row tells.
 */
#include <gst/rtpadapt/safety/guard.h>
#include <gst/rtpadapt/util/rng.h>

#include <math.h>

#include "../rows.h"

#define SIZE 1000.
#define EACH (40 * RA_MSECOND)
#define RTT (100 * RA_MSECOND)
#define X 375000. /* bytes/s: 15 packets in a report */

/* The share p of which P (K >= k) = .05 for n packets: sums of binomial terms in
 * 60 decimal places and bisection, by Python:
 *   1 - sum (comb (n, j) * p ** j * (1 - p) ** (n - j) for j in range (k)) */
static const struct
{
  gdouble k, n, lower;
} bounds[] = {
  { 0, 100, 0 },
  { 1, 1, .05 }, /* p = .05 */
  { 1, 20, .0025614 },
  { 1, 200, .0002564 },
  { 5, 100, .0199056 },
  { 10, 200, .0273743 },
  { 50, 1000, .0391635 },
  { 375, 7500, .0459240 },
  { 20, 200, .0672614 },
  { 200, 2000, .0891556 },
  { 199, 200, .9765015 },
  { 200, 200, .9851330 }, /* p^200 = .05 */
  /* scipy 1.17.1, beta.ppf (.05, k, n - k + 1), which has the same for the rows
   * above */
  { .5, 40, .0000488 },
  { 2.5, 100, .0057542 },
  { 7.3, 412.6, .0084918 },
  { 1500.25, 30000.5, .0479533 },
};

static void
test_bounds (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (bounds); i++) {
    gdouble got = ra_evidence_lower (bounds[i].k, bounds[i].n);

    g_test_message ("%g of %g: %.7f", bounds[i].k, bounds[i].n, got);
    g_assert_cmpfloat_with_epsilon (got, bounds[i].lower, 2e-6);
  }
}

/* What is between two whole numbers has a bound between theirs. */
static void
test_fractions (void)
{
  gdouble before = 0;

  for (gdouble k = .25; k <= 40; k += .25) {
    gdouble got = ra_evidence_lower (k, 400);

    g_assert_cmpfloat (got, >, before);
    g_assert_cmpfloat (got, <, k / 400);
    before = got;
  }
}

/* --- paths ----------------------------------------------------------------- */

typedef enum
{
  STEADY,
  VARIED, /* x, .7 x and .5 x, a second each */
} Rates;

typedef struct
{
  const gchar *name;
  Rates rates;
  gdouble radio; /* lost whatever else */
  guint burst;   /* in bursts of so many */
  gdouble room;  /* of X: what is more is lost; 0: there is room for all */
  gdouble full;  /* lost where the queue is long, besides */
  guint queue, long_queue; /* ms: three seconds each */
  guint hidden;            /* ms: in the RTT, but not in the peer's times */
  guint seconds;
  gdouble least, most; /* what may be shown */
  const gchar *why;
  guint empty;     /* one report of so many meets no queue; 0: none besides */
  gdouble for_cap; /* the cap is shown more than this, 0: as much as others */
} Path;

/* 5 % of 30 s of 275 packets/s on the mean, half of them with the shorter queue:
 * 5 % - 1.64 sqrt (.0475 / 4100) = 4.4 %; the second fact has its bound from the
 * two lower rates, 20 s of 225 packets/s, 4.5 %, if they are the whole evidence.
 * Chance, three deviations of the mean: .7 %. */
static const Path paths[] = {
  { "radio", VARIED, .05, 1, 0, 0, 1, 5, 0, 30, .035, .055,
      "lost at any queue and at any rate" },
  { "steady", STEADY, .05, 1, 0, 0, 1, 5, 0, 30, 0, 0,
      "no rate differs: fact 2 has nothing to go by" },
  { "room", VARIED, 0, 1, .95, 0, 1, 5, 0, 30, 0, 0,
      "a third of the time 5 % is too much: a policer, or others at the queue" },
  { "room-half", VARIED, .02, 1, .95, 0, 1, 5, 0, 30, .005, .025,
      "the same, and the radio: only that counts" },
  { "full", VARIED, 0, 1, 0, .10, 1, 60, 0, 30, 0, 0,
      "lost only where the queue is long" },
  { "short-full", VARIED, 0, 1, 0, .10, 1, 9, 0, 30, 0, .01,
      "lost only where a short queue is longer: others fill it" },
  { "hidden", VARIED, .05, 1, 0, 0, 1, 5, 60, 30, 0, 0,
      "the RTT has a queue of 60 ms that the peer does not tell" },
  { "long", VARIED, .05, 1, 0, 0, 60, 60, 0, 30, 0, 0,
      "the queue is never short" },
  { "bursts", VARIED, .05, 8, 0, 0, 1, 5, 0, 30, .015, .05,
      "8 in a row are one witness" },
  { "much", VARIED, .15, 1, 0, 0, 1, 5, 0, 30, .125, .165,
      "three times as much" },
  { "most", VARIED, .40, 1, 0, 0, 1, 5, 0, 30, .2999, .30,
      "30 % is the most that is ever shown" },
  { "never-empty", VARIED, .05, 1, 0, 0, 3, 5, 0, 30, 0, 0,
      "the shortest queue may be one that others keep", .for_cap = .035 },
  { "never-empty-most", VARIED, .30, 1, 0, 0, 3, 5, 0, 30, 0, 0,
      "the cap, too, is shown nothing above a fifth" },
  { "seldom-empty", VARIED, .05, 1, 0, 0, 3, 5, 0, 30, .035, .055,
      "one report in eight met none", .empty = 8 },
  { "seldom-empty-much", VARIED, .15, 1, 0, 0, 3, 5, 0, 30, .0999, .10,
      "no more than a tenth", .empty = 8 },
  { "seldom-empty-most", VARIED, .30, 1, 0, 0, 3, 5, 0, 30, 0, 0,
      "more than a fifth is lost", .empty = 8 },
  { "few", VARIED, .05, 1, 0, 0, 1, 5, 0, 0, 0, 0, "fewer than 200 packets" },
  { "none", VARIED, 0, 1, 0, 0, 1, 5, 0, 30, 0, 0, "nothing is lost" },
};

typedef struct
{
  RaRng rng;
  RaTime now;
  gdouble carry; /* of a packet */
  guint burst;   /* still to be lost */
  guint64 count; /* reports */
} World;

static const gdouble shares[] = { 1, .7, .5 };

static gboolean
is_lost (World *w, const Path *path, gdouble share, gboolean is_long)
{
  gdouble p = is_long ? path->full : 0;

  if (w->burst > 0) {
    w->burst--;
    return TRUE;
  }
  if (ra_rng_chance (&w->rng, path->radio / path->burst)) {
    w->burst = path->burst - 1;
    return TRUE;
  }
  if (path->room > 0 && share > path->room)
    p += 1 - path->room / share;
  return ra_rng_chance (&w->rng, p);
}

static RaReport
report_next (World *w, const Path *path)
{
  guint64 second = w->now / RA_SECOND;
  gdouble share = path->rates == VARIED ? shares[second % 3] : 1;
  gboolean is_long = second / 3 % 2 == 1;
  guint ms = is_long ? path->long_queue : path->queue, n, lost = 0;
  RaReport r;

  w->carry += share * X * ra_seconds (EACH) / SIZE;
  n = (guint) w->carry;
  w->carry -= n;
  for (guint i = 0; i < n; i++)
    lost += is_lost (w, path, share, is_long);
  w->now += EACH;
  if (path->empty > 0 && w->count % path->empty == 0)
    ms = 0;
  r = (RaReport){ .expected = n,
    .arrived = n - lost,
    .lost_wireless = lost,
    .t_recvdata = w->now,
    .rtt = RTT + ms * RA_MSECOND
        + (w->count++ % 100 > 0 ? path->hidden * RA_MSECOND : 0),
    .queue = ms * RA_MSECOND,
    .queue_min = ms * RA_MSECOND,
    .queue_max = (ms + 2) * RA_MSECOND };
  return r;
}

static World
world_new (guint64 seed)
{
  World w = { .now = 10 * RA_SECOND };

  ra_rng_init (&w.rng, seed, 5);
  return w;
}

/* For `seconds`, or for 150 packets if that is 0. */
static void
hear (RaEvidence *e, World *w, const Path *path, guint seconds)
{
  guint reports = seconds > 0 ? (guint) (seconds * RA_SECOND / EACH) : 10;

  while (reports-- > 0) {
    RaReport r = report_next (w, path);
    gdouble waited = ra_seconds (r.rtt - RTT - path->queue * RA_MSECOND);

    if (ra_evidence_hear (e, &r, SIZE, waited, w->now))
      ra_evidence_judge (e);
  }
}

static void
test_path (gconstpointer data)
{
  const Path *path = &paths[GPOINTER_TO_UINT (data)];

  g_test_message ("%s", path->why);
  for (guint seed = 1; seed <= 5; seed++) {
    World w = world_new (seed);
    RaEvidence e;

    ra_evidence_init (&e);
    hear (&e, &w, path, path->seconds);
    g_test_message ("seed %u: queue %.4f, rate %.4f", seed, e.queue, e.rate);
    g_assert_cmpfloat (e.shown, >=, path->least);
    g_assert_cmpfloat (e.shown, <=, path->most);
    g_assert_cmpfloat (e.for_cap, >=, fmax (path->for_cap, e.shown));
    g_assert_cmpfloat (e.for_cap, <=, path->for_cap > 0 ? .055 : e.shown);
  }
}

/* --- how long it lasts ------------------------------------------------------ */

static void
shown_begin (RaEvidence *e, World *w)
{
  *w = world_new (1);
  ra_evidence_init (e);
  hear (e, w, &paths[0], 30);
  g_assert_cmpfloat (e->shown, >, 0);
}

/* The radio is well again: its losses are forgotten after 30 s and a block. */
static void
test_forgotten (void)
{
  Path clean = paths[G_N_ELEMENTS (paths) - 1];
  RaEvidence e;
  World w;

  shown_begin (&e, &w);
  hear (&e, &w, &clean, 31);
  g_assert_cmpfloat (e.shown, ==, 0);
}

/* Nobody asked for so long that what was shown is no longer so. */
static void
test_unasked (void)
{
  Path clean = paths[G_N_ELEMENTS (paths) - 1];
  RaEvidence e;
  World w;

  shown_begin (&e, &w);
  for (guint i = 0; i < 31 * RA_SECOND / EACH; i++) {
    RaReport r = report_next (&w, &clean);

    ra_evidence_hear (&e, &r, SIZE, 0, w.now);
  }
  g_assert_cmpfloat (e.shown, ==, 0);
}

static const struct
{
  const gchar *name;
  RaSpan pause, rtt;
  gboolean kept;
  const gchar *why;
} breaks[] = {
  { "pause", 4 * RA_SECOND, RTT, TRUE, "the source was silent for 4 s" },
  { "silence", 6 * RA_SECOND, RTT, FALSE,
      "5 s of nothing: who knows what is now" },
  { "route", 0, RTT - 30 * RA_MSECOND, FALSE, "30 ms shorter: another way" },
  { "jitter", 0, RTT - 15 * RA_MSECOND, TRUE, "15 ms are none" },
  { "clock", -RA_SECOND, RTT, FALSE, "the clock fell back" },
};

static void
test_break (gconstpointer data)
{
  guint i = GPOINTER_TO_UINT (data);
  RaEvidence e;
  RaReport r;
  World w;

  g_test_message ("%s", breaks[i].why);
  shown_begin (&e, &w);
  w.now = ra_later (w.now, breaks[i].pause);
  r = report_next (&w, &paths[0]);
  r.rtt = breaks[i].rtt;
  ra_evidence_hear (&e, &r, SIZE, 0, w.now);
  g_assert_cmpint (e.shown > 0, ==, breaks[i].kept);
}

/* --- steps ------------------------------------------------------------------ */

/* A quarter less for 1.2 s each 10 s, until the second fact is there. */
static void
test_steps (void)
{
  RaTime begun = RA_TIME_NONE, ended = RA_TIME_NONE;
  gdouble before = 1;
  guint n = 0;
  World w = world_new (1);
  RaEvidence e;

  ra_evidence_init (&e);
  g_assert_cmpfloat (ra_evidence_step (&e, w.now), ==, 1);
  for (guint i = 0; i < 35 * RA_SECOND / EACH; i++) {
    gdouble step;

    hear (&e, &w, &paths[1], 0);
    step = ra_evidence_step (&e, w.now);
    if (step < before) {
      if (begun != RA_TIME_NONE)
        g_assert_cmpint (ra_diff (w.now, begun), >=, 10 * RA_SECOND);
      begun = w.now;
      n++;
      g_assert_cmpfloat (step, ==, .75);
    } else if (step > before) {
      ended = w.now;
      g_assert_cmpint (ra_diff (ended, begun), >=, 1200 * RA_MSECOND);
      g_assert_cmpint (ra_diff (ended, begun), <=, 2 * RA_SECOND);
    }
    before = step;
  }
  g_assert_cmpuint (n, >=, 3);
  shown_begin (&e, &w); /* both facts: no more steps */
  g_assert_cmpfloat (ra_evidence_step (&e, w.now), ==, 1);
}

/* --- the guard -------------------------------------------------------------- */

/* X of 1,000 bytes at 100 ms: 1000 / (.1 sqrt (2 p / 3)) bytes/s, RFC 8083 4.3: 9 X
 * at 5 % 3.94 Mbit/s, and 2 X .88. */
static const struct
{
  const gchar *name;
  guint path;
  gdouble cap;
  guint64 wanted;
  gboolean lies, shown;
  const gchar *why;
} guards[] = {
  { "lifts", 0, 9, 20000000, FALSE, TRUE, "the bound on all losses is near" },
  { "room", 2, 9, 20000000, FALSE, FALSE, "it is not the radio" },
  { "unasked", 0, 9, 1000000, FALSE, FALSE, "a rate that is allowed anyway" },
  { "standing", 0, 2, 20000000, FALSE, FALSE,
      "who asks for a TCP's third has it whatever is shown" },
  { "liar", 0, 9, 20000000, TRUE, FALSE, "nothing that the peer says counts" },
};

static void
test_guard (gconstpointer data)
{
  guint i = GPOINTER_TO_UINT (data);
  World w = world_new (1);
  RaGuard g;
  gdouble times;

  g_test_message ("%s", guards[i].why);
  ra_guard_init (&g, guards[i].cap, FALSE);
  for (guint k = 0; k < 30 * RA_SECOND / EACH; k++) {
    RaReport r = report_next (&w, &paths[guards[i].path]);

    if (guards[i].lies && k > 600)
      ra_guard_on_lie (&g, w.now);
    ra_guard_on_report (
        &g, &r, RA_PROOF_DELIVERED, SIZE, guards[i].wanted, w.now);
  }
  times = (gdouble) ra_friendly_cap (&g.friendly, guards[i].cap)
      / (gdouble) ra_friendly_raw (&g.friendly, guards[i].cap);
  if (guards[i].shown) { /* 3.5 of 5 %: sqrt (5 / 1.5) */
    g_assert_cmpfloat (g.friendly.radio, >=, .035);
    g_assert_cmpfloat (times, >=, 1.5);
  } else {
    g_assert_cmpfloat (g.friendly.radio, ==, 0);
    g_assert_cmpfloat (times, ==, 1);
  }
}

/* Above 45 % of all lost no cause is believed, whatever was shown before. */
static void
test_too_much (void)
{
  Path path = paths[0];
  World w = world_new (1);
  RaGuard g;

  ra_guard_init (&g, 9, FALSE);
  for (guint k = 0; k < 30 * RA_SECOND / EACH; k++) {
    RaReport r;

    if (k == 700)
      path.radio = .90;
    r = report_next (&w, &path);
    ra_guard_on_report (&g, &r, RA_PROOF_DELIVERED, SIZE, 20000000, w.now);
    if (k == 699)
      g_assert_cmpfloat (g.friendly.radio, >, 0);
  }
  g_assert_cmpfloat (g.friendly.radio, ==, 0);
}

void
tests_add (void)
{
  g_test_add_func ("/evidence/bounds", test_bounds);
  g_test_add_func ("/evidence/fractions", test_fractions);
  rows_add_by ("/evidence/path", paths, name, test_path);
  g_test_add_func ("/evidence/forgotten", test_forgotten);
  g_test_add_func ("/evidence/unasked", test_unasked);
  rows_add_by ("/evidence/break", breaks, name, test_break);
  g_test_add_func ("/evidence/steps", test_steps);
  rows_add_by ("/evidence/guard", guards, name, test_guard);
  g_test_add_func ("/evidence/guard/too-much", test_too_much);
}
