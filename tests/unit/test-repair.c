/* How losses are to be mended: the planner's arithmetic.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "../rows.h"

#include <gst/rtpadapt/repair/planner.h>
#include <gst/rtpadapt/repair/repair.h>

#include <math.h>

#define MS RA_MSECOND

/* By hand, from the formulas in repair/planner.c; ../shared/beyond.md 4.1 has the
 * same table, rounded.  With 2e-4 the copies are ceil (ln 2e-4 / ln p) - 1: 8.517 /
 * 3.912 -> 2, 8.517 / 2.996 -> 2, 8.517 / 2.303 -> 3. */
static const struct
{
  gdouble p, left;
  guint rounds, copies;
  gdouble overhead, residual;
  const gchar *why;
} plans[] = {
  { .02, 0, 1, 1, .02, 4e-4, "p; p^2" },
  { .05, 0, 1, 1, .05, .0025, "p; p^2" },
  { .10, 0, 1, 1, .10, .01, "p; p^2" },
  { .02, 2e-4, 1, 2, .04, 8e-6, "2 p; p^3" },
  { .05, 2e-4, 1, 2, .10, 1.25e-4, "2 p; p^3" },
  { .10, 2e-4, 1, 3, .30, 1e-4, "3 p; p^4" },
  { .02, 0, 2, 2, .0204, 8e-6, "p + p^2; p^3" },
  { .05, 0, 2, 2, .0525, 1.25e-4, "p + p^2; p^3" },
  { .10, 0, 2, 2, .11, 1e-3, "p + p^2; p^3" },
  { .02, 2e-4, 2, 2, .0204, 8e-6, "two rounds do already" },
  { .05, 2e-4, 2, 2, .0525, 1.25e-4, "two rounds do already" },
  { .10, 2e-4, 2, 3, .12, 1e-4, "p + 2 p^2; p^4" },
  { .10, 2e-4, 3, 3, .111, 1e-4, "p + p^2 + p^3; p^4" },
  { 0, 2e-4, 2, 2, 0, 0, "nothing is lost" },
};

/* A path with so many rounds: L = 20 + 100 k, J = 10, T_dec = 10, a round 100. */
static RaRepairPath
path_of (gdouble p, gdouble left, guint rounds)
{
  return (RaRepairPath){ .latency = (20 + 100 * (gint64) rounds) * MS,
    .jitter = 10 * MS,
    .decode = 10 * MS,
    .rtt = 70 * MS,
    .queue = 10 * MS,
    .detect = 15 * MS,
    .feedback = 5 * MS,
    .frame = 40 * MS,
    .loss = p,
    .worst = p,
    .left = left,
    .most = .5 };
}

static void
test_plans (gconstpointer data)
{
  guint i = GPOINTER_TO_UINT (data);
  RaRepairPath path = path_of (plans[i].p, plans[i].left, plans[i].rounds);
  RaRepairPlan plan;

  g_test_message ("%g, %u: %s", plans[i].p, plans[i].rounds, plans[i].why);
  ra_repair_plan (&path, &plan);
  g_assert_cmpuint (plan.rounds, ==, plans[i].rounds);
  g_assert_cmpuint (plan.copies, ==, plans[i].copies);
  g_assert_cmpuint (plan.last, ==, plans[i].copies - plans[i].rounds + 1);
  g_assert_cmpfloat_with_epsilon (plan.overhead, plans[i].overhead, 1e-9);
  g_assert_cmpfloat_with_epsilon (plan.residual, plans[i].residual, 1e-9);
}

/* L = 200, J + q = 30 where two rounds fit to R = 60 on the mean; I = 40, so
 * T_det = 20 (worst 40).  k = floor ((190 - J) / (R + q + T_det)). */
static const struct
{
  gint latency, jitter, rtt, queue, detect, feedback;
  guint rounds;
  const gchar *why;
} rounds[] = {
  { 200, 10, 60, 10, 20, 0, 2, "180 / 90 = 2" },
  { 200, 10, 61, 10, 20, 0, 1, "180 / 91 < 2" },
  { 200, 10, 150, 10, 20, 0, 1, "180 / 180 = 1" },
  { 200, 10, 151, 10, 20, 0, 0, "180 / 181 < 1" },
  { 200, 10, 200, 10, 20, 0, 0, "180 / 230" },
  { 200, 10, 133, 10, 20, 17, 1, "a NACK waits 17 ms for its turn" },
  { 200, 10, 134, 10, 20, 17, 0, "and one ms more is too much" },
  { 400, 10, 200, 10, 20, 0, 1, "380 / 230 = 1" },
  { 10, 10, 1, 0, 0, 0, 0, "no room at all" },
  { 0, 10, 1, 0, 0, 0, 0, "less than none" },
  { 1000, 0, 1, 0, 0, 0, RA_REPAIR_ROUNDS, "not more than that" },
  { 200, 0, 0, 0, 0, 0, RA_REPAIR_ROUNDS, "a round that takes no time" },
};

static void
test_rounds (gconstpointer data)
{
  guint i = GPOINTER_TO_UINT (data);
  RaRepairPath path = { .latency = rounds[i].latency * MS,
    .jitter = rounds[i].jitter * MS,
    .decode = 10 * MS,
    .rtt = rounds[i].rtt * MS,
    .queue = rounds[i].queue * MS,
    .detect = rounds[i].detect * MS,
    .feedback = rounds[i].feedback * MS };

  g_test_message ("%s", rounds[i].why);
  g_assert_cmpuint (ra_repair_rounds (&path), ==, rounds[i].rounds);
}

/* Where L follows the path: one round, and copies for eps / 10 = 2e-5. */
static const struct
{
  gdouble p;
  guint copies;
  const gchar *why;
} soons[] = {
  { .01, 2, "p^2 = 1e-4, p^3 = 1e-6" },
  { .05, 3, "p^3 = 1.25e-4, p^4 = 6.25e-6" },
  { .10, 4, "p^4 = 1e-4, p^5 = 1e-5" },
};

static void
test_soon (gconstpointer data)
{
  guint i = GPOINTER_TO_UINT (data);
  RaRepairPath path = path_of (soons[i].p, 2e-4, 3);
  RaRepairPlan plan;

  g_test_message ("%s", soons[i].why);
  path.soon = TRUE;
  path.spoils = RA_REPAIR_SPOILS;
  ra_repair_plan (&path, &plan);
  g_assert_cmpuint (plan.rounds, ==, 1);
  g_assert_cmpuint (plan.copies, ==, soons[i].copies);
  /* All at once, though three rounds fit; then one more is worth a try. */
  g_assert_cmpuint (
      ra_repair_now (&path, &plan, path.latency, 0), ==, plan.copies);
  g_assert_cmpuint (
      ra_repair_now (&path, &plan, path.latency, plan.copies), ==, 1);
}

/* Repair takes a quarter of all that is sent at most: a third of the media. */
static const struct
{
  gdouble p;
  guint rounds, copies;
  gdouble overhead, residual;
  const gchar *why;
} budgets[] = {
  { .10, 1, 3, .30, 1e-4, "3 p is within it" },
  { .20, 1, 1, .20, .04, "5 copies would be 1, 2 still .4" },
  { .30, 1, 1, .30, .09, "p itself is within it" },
  { .50, 1, 1, 1 / 3., .5 / 3 + .25 * 2 / 3,
      "two losses of three are repeated" },
  { .30, 2, 2, 1 / 3., .3 * (1 - 1 / 3. / .39) + .027 / 3 / .39,
      "p + p^2 = .39 is beyond it" },
};

static void
test_budget (gconstpointer data)
{
  guint i = GPOINTER_TO_UINT (data);
  RaRepairPath path = path_of (budgets[i].p, 2e-4, budgets[i].rounds);
  RaRepairPlan plan;

  g_test_message ("%g: %s", budgets[i].p, budgets[i].why);
  path.most = RA_REPAIR_MOST;
  ra_repair_plan (&path, &plan);
  g_assert_cmpuint (plan.copies, ==, budgets[i].copies);
  g_assert_cmpfloat_with_epsilon (plan.overhead, budgets[i].overhead, 1e-9);
  g_assert_cmpfloat_with_epsilon (plan.residual, budgets[i].residual, 1e-9);
}

/* FEC for late packets mends what the radio loses, not what a lower rate does: 20
 * reports of 50 packets of which 5 are lost leave 1 - exp (-20 * 50 / 500) = .864665 of
 * a tenth. */
static const struct
{
  guint lost_wireless, lost_congestion;
  gdouble radio;
  const gchar *why;
} radios[] = {
  { 5, 0, .0864665, "the radio lost all" },
  { 0, 5, 0, "congestion lost all" },
  { 2, 3, .0345866, "two of five" },
  { 60, 0, .864665, "no more than there were" },
};

static void
test_radio (gconstpointer data)
{
  guint i = GPOINTER_TO_UINT (data);
  RaReport report = { .expected = 50,
    .lost_wireless = radios[i].lost_wireless,
    .lost_congestion = radios[i].lost_congestion,
    .queue_min = RA_SPAN_NONE };
  RaRepair r;

  g_test_message ("%s", radios[i].why);
  ra_repair_init (&r);
  for (guint k = 0; k < 20; k++)
    ra_repair_on_report (&r, &report, 50 * MS, 40 * MS, (k + 1) * 40 * MS);
  g_assert_cmpfloat_with_epsilon (r.radio, radios[i].radio, 1e-5);
}

/* L = 220: 200 for two rounds of 100, and 20 for J and T_dec; q = 10 goes off.  With p =
 * 10 % and 2e-4 three copies. */
static const struct
{
  gint age;
  guint sent, now;
  const gchar *why;
} decisions[] = {
  { 0, 0, 1, "210 left: another round fits behind this one" },
  { 90, 0, 1, "120 left: it still does" },
  { 91, 0, 3, "119 left: the last round has all copies" },
  { 91, 1, 2, "of which one was sent" },
  { 91, 3, 1, "all were sent, and all were lost: another" },
  { 191, 1, 2, "J and T_dec are no reason to give up" },
  { 210, 1, 2, "just in time" },
  { 211, 0, 0, "too late" },
};

static void
test_decisions (void)
{
  RaRepairPath path = path_of (.1, 2e-4, 2);
  RaRepairPlan plan;

  ra_repair_plan (&path, &plan);
  for (guint i = 0; i < G_N_ELEMENTS (decisions); i++) {
    RaSpan left = ra_repair_time_left (&path, decisions[i].age * MS);

    g_test_message ("%s", decisions[i].why);
    g_assert_cmpuint (ra_repair_now (&path, &plan, left, decisions[i].sent), ==,
        decisions[i].now);
  }
}

/* The n-th copy of a round saves p^(n - 1) of what a lost packet spoils; by eps = 2e-4
 * there are 3 copies at 10 %, and 5 at 20 %. */
static const struct
{
  gdouble p;
  guint rounds, copies;
  const gchar *why;
} worths[] = {
  { .1, 1, 3,
      "the second saves 20, the third 2; eps asks for no more, either" },
  { .1, 2, 3, "one in the first round, two in the last" },
  { .2, 1, 4, "40, 8, 1.6, .3" },
  { .05, 1, 2, "10, .5" },
  { .01, 1, 1, "the second saves 2, but eps does not ask for it" },
};

static void
test_worth (gconstpointer data)
{
  guint i = GPOINTER_TO_UINT (data);
  RaRepairPath path = path_of (worths[i].p, 2e-4, worths[i].rounds);
  RaRepairPlan plan;

  g_test_message ("%g: %s", worths[i].p, worths[i].why);
  path.spoils = RA_REPAIR_SPOILS;
  path.most = .99;
  ra_repair_plan (&path, &plan);
  g_assert_cmpuint (plan.rounds, ==, worths[i].rounds);
  g_assert_cmpuint (plan.copies, ==, worths[i].copies);
}

/* More loss never leaves less missing, nor does more time leave more. */
static void
test_laws (void)
{
  for (guint k = 0; k <= 4; k++) {
    gdouble before = 0;

    for (guint percent = 0; percent <= 100; percent++) {
      RaRepairPath path = path_of (percent / 100., 0, k);
      RaRepairPath longer = path_of (percent / 100., 0, k + 1);
      RaRepairPlan plan, more;

      path.most = longer.most = RA_REPAIR_MOST;
      ra_repair_plan (&path, &plan);
      ra_repair_plan (&longer, &more);
      g_assert_cmpfloat (plan.residual, >=, before - 1e-12);
      g_assert_cmpfloat (more.residual, <=,
          plan.overhead < 1 / 3. - 1e-9 && more.overhead < 1 / 3. - 1e-9
              ? plan.residual + 1e-12
              : 1);
      g_assert_cmpfloat (plan.overhead, <=, 1 / 3. + 1e-9);
      before = plan.residual;
    }
  }
}

/* By hand: P (X > f) of the binomial distribution of n + f packets, 200 times, and f.
 * 5 at 5 %: .226, .0328, .0038, .0004, so 45.2, 7.6, 2.8, 3.1.
 * 10 at 5 %: .401, .102, .0196, .0031, .0004, so 80.3, 21.4, 5.9, 3.6, 4.1.
 * 16 at 5 %: .560, .208, .0581, .0132, .0026, .0005, so 112, 42.6, 13.6, 5.6, 4.5, 5.1.
 * 16 at 2 %: .276, .0446, .0052, .0005, so 55.2, 9.9, 3.0, 3.1.
 * 16 at 10 %: .815, .518, .266, .115, .0432, .0144, .0044, .0012, so 163, 105, 55.2, 26.0,
 * 12.6, 7.9, 6.9, 7.2.
 * 60 at 10 % with 13, 14, 15: .0126, .0060, .0027, so 15.5, 15.2, 15.5. */
static const struct
{
  gdouble p;
  guint n, repair;
  const gchar *why;
} blocks[] = {
  { 0, 16, 0, "nothing is lost" },
  { .001, 4, 0, "200 x .0040 is less than a packet" },
  { .001, 6, 1, "200 x .0060 is more" },
  { .05, 0, 0, "no packet is late" },
  { .05, 1, 1, "a copy" },
  { .05, 5, 2, "a few packets behind a large frame" },
  { .05, 10, 3, "" },
  { .05, 16, 4, "the end of a large frame" },
  { .02, 16, 2, "" },
  { .10, 16, 6, "" },
  { .10, 60, 14, "the first of these alone save less than a packet each" },
  { .9, 40, 0, "not even 40 would help" },
  { 1, 16, 0, "they would be lost, too" },
};

static void
test_block (gconstpointer data)
{
  guint i = GPOINTER_TO_UINT (data);
  g_test_message ("%u at %g: %s", blocks[i].n, blocks[i].p, blocks[i].why);
  g_assert_cmpuint (
      ra_repair_block (blocks[i].p, blocks[i].n, RA_REPAIR_SPOILS), ==,
      blocks[i].repair);
}

void
tests_add (void)
{
  rows_add ("/repair/plans", plans, test_plans);
  rows_add ("/repair/rounds", rounds, test_rounds);
  rows_add ("/repair/soon", soons, test_soon);
  rows_add ("/repair/budget", budgets, test_budget);
  rows_add ("/repair/radio", radios, test_radio);
  rows_add ("/repair/block", blocks, test_block);
  g_test_add_func ("/repair/decisions", test_decisions);
  rows_add ("/repair/worth", worths, test_worth);
  g_test_add_func ("/repair/laws", test_laws);
}
