/* Colouring: what holds for every algorithm, with the paper's parameters and
 * with ours.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The laws about shares are the formulas of colour/meter.h, for all spans of
 * time at once: a sum must never rise by more than the bound above its least
 * value so far.
 */
#include "../main.h"
#include "law.h"

#include <gst/rtpadapt/colour.h>
#include <gst/rtpadapt/util/rng.h>

#include <math.h>

#define SEEDS 10
#define PACKETS 20000
#define RANDOM_PACKETS 1000000
#define MTU 1200

typedef struct
{
  const RaColourOps *ops;
  const gchar *params;
} Case;

static RaColour *
make (const Case *c)
{
  GError *error = NULL;
  RaColour *colour = ra_colour_new (c->ops, c->params, &error);

  g_assert_no_error (error);
  return colour;
}

/* A parameter's value, 0 without one. */
static gdouble
value (const RaColour *c, const gchar *name)
{
  RaParamWalk walk = ra_params_walk (c->ops->params);

  for (const RaParam *p; (p = ra_params_next (&walk));) {
    if (g_str_equal (p->name, name))
      return *(const gdouble *) ((const guint8 *) c + p->offset);
  }
  return 0;
}

/* Pictures of video: a key frame each 60, every other one discardable; sizes
 * vary.  `load` is what is sent to what is allowed. */
typedef struct
{
  RaRng rng;
  gdouble load;
  gboolean new_rates, back_in_time, repair;
  guint64 rate, max_rate;
  RaTime now, told; /* as told, sometimes from the past */
  guint frame, left;
  RaColourPacket p;
  gdouble allowed; /* bytes by the rate since the latest packet */
} Traffic;

static void
traffic_init (Traffic *t, guint64 seed, gdouble load)
{
  *t = (Traffic){
    .load = load, .rate = 1000000, .max_rate = 1000000, .now = 5000 * RA_SECOND
  };
  ra_rng_init (&t->rng, seed, 1);
}

static void
traffic_pass (Traffic *t, RaSpan span)
{
  t->now += (RaTime) span;
  t->allowed += ra_bytes (t->rate) * ra_seconds (span);
}

static void
traffic_next (Traffic *t, RaColour *c)
{
  RaSpan gap = ra_send_span (t->p.size / t->load, t->rate);

  t->allowed = 0;
  if (t->new_rates && ra_rng_chance (&t->rng, .05)) {
    RaSpan before = (RaSpan) (ra_rng_uniform (&t->rng) * (gdouble) gap);

    traffic_pass (t, before);
    t->rate = 100000 + ra_rng_next (&t->rng) % 3000000;
    t->max_rate = MAX (t->max_rate, t->rate);
    gap -= before;
  }
  traffic_pass (t, gap);
  ra_colour_set_rate (c, t->rate);
  t->told = t->now;
  if (t->back_in_time && ra_rng_chance (&t->rng, .2))
    t->told -= ra_rng_next (&t->rng) % (999 * RA_MSECOND);
  if (t->left == 0) {
    t->frame++;
    t->left = t->frame % 60 == 1 ? 20 : 1 + ra_rng_next (&t->rng) % 4;
  }
  t->left--;
  t->p.importance = t->frame % 60 == 1 ? RA_IMPORTANCE_KEY
      : t->frame % 2                   ? RA_IMPORTANCE_TOP
                                       : RA_IMPORTANCE_BASE;
  t->p.size = t->left ? MTU : 40 + ra_rng_next (&t->rng) % (MTU - 40);
  t->p.repair = t->repair && ra_rng_chance (&t->rng, .2);
}
#define TRAFFIC_IMPORTANCES 3

/* Same traffic, same marks; a copy goes on as the original would. */
static void
test_same (gconstpointer data)
{
  for (guint64 seed = 0; seed < SEEDS; seed++) {
    RaColour *one = make (data), *two = make (data), *copy;
    Traffic t;

    traffic_init (&t, seed, .9);
    t.new_rates = TRUE;
    for (guint i = 0; i < 3000; i++) {
      traffic_next (&t, one);
      ra_colour_set_rate (two, t.rate);
      law_cmpint (ra_colour_mark (one, &t.p, t.told), ==,
          ra_colour_mark (two, &t.p, t.told));
    }
    copy = g_memdup2 (one, one->ops->size);
    for (guint i = 0; i < 3000; i++) {
      traffic_next (&t, one);
      ra_colour_set_rate (copy, t.rate);
      law_cmpint (ra_colour_mark (one, &t.p, t.told), ==,
          ra_colour_mark (copy, &t.p, t.told));
    }
    ra_colour_free (one);
    ra_colour_free (two);
    g_free (copy);
  }
}

static void
is_finite (const gchar *name, gdouble v, gpointer data)
{
  if (!isfinite (v))
    g_error ("%s is %g", name, v);
}

/* Whatever comes. */
static void
test_random (gconstpointer data)
{
  static const guint64 odd_rates[] = { 0, 1, 7, 1000000, G_MAXUINT64 };
  static const RaTime odd_times[]
      = { 0, 1, G_MAXINT64, RA_TIME_NONE - 1, RA_TIME_NONE };
  g_autoptr (RaColour) c = make (data);
  RaTime now = 0;
  RaRng rng;

  ra_colour_observe (c, is_finite, NULL);
  ra_rng_init (&rng, 1, 1);
  for (guint i = 0; i < RANDOM_PACKETS; i++) {
    gint any = (gint) ra_rng_next (&rng);
    RaColourPacket p = { .size = (guint) any,
      .importance = (RaImportance) (any % 13),
      .repair = any % 7 == 0 };
    RaMark mark;

    if (ra_rng_chance (&rng, .9))
      p.size %= 1500;
    if (ra_rng_chance (&rng, .01))
      ra_colour_set_rate (c, odd_rates[ra_rng_next (&rng) % 5]);
    now += ra_rng_next (&rng) % (10 * RA_MSECOND);
    if (ra_rng_chance (&rng, .001))
      now = odd_times[ra_rng_next (&rng) % 5];
    mark = ra_colour_mark (c, &p, now);
    law_true (mark >= RA_MARK_NONE && mark <= RA_MARK_RED);
    if (i % 1000 == 0)
      ra_colour_observe (c, is_finite, NULL);
  }
}

/* A sum over packets that must not rise by more than `bound`. */
typedef struct
{
  gdouble sum, least;
} Rise;

static void
rise_add (Rise *r, gdouble gain, gdouble loss, gdouble bound)
{
  r->sum -= loss;
  r->least = MIN (r->least, r->sum);
  r->sum += gain;
  law_cmpfloat (r->sum, <=, r->least + bound + 1e-3);
}

static const struct
{
  gdouble load;
  gboolean new_rates, back_in_time, repair;
  const gchar *why;
} loads[] = {
  { 1, FALSE, FALSE, FALSE, "at the rate" },
  { .4, FALSE, FALSE, FALSE, "below it" },
  { 3, FALSE, FALSE, FALSE, "far above it" },
  { .95, TRUE, FALSE, FALSE, "the rate changes often" },
  { 1.3, TRUE, TRUE, FALSE, "and the clock jitters" },
  { .9, FALSE, FALSE, TRUE, "with repair" },
};

/* The first formula of meter.h, for every span. */
static void
test_green_limit (gconstpointer data)
{
  for (guint i = 0; i < SEEDS * G_N_ELEMENTS (loads); i++) {
    guint k = i % G_N_ELEMENTS (loads);
    g_autoptr (RaColour) c = make (data);
    gdouble green = MAX (value (c, "green"), value (c, "min-green"));
    Rise by_time = { 0 }, by_sent = { 0 };
    Traffic t;

    g_test_message ("%s", loads[k].why);
    traffic_init (&t, i, loads[k].load);
    t.new_rates = loads[k].new_rates;
    t.back_in_time = loads[k].back_in_time;
    t.repair = loads[k].repair;
    for (guint n = 0; n < PACKETS; n++) {
      gdouble rate, b, bound, got;

      traffic_next (&t, c);
      rate = ra_bytes (t.max_rate);
      b = MAX (value (c, "burst") * rate, 3000);
      bound = value (c, "reserve") * rate + TRAFFIC_IMPORTANCES * MTU;
      got = ra_colour_mark (c, &t.p, t.told) == RA_MARK_GREEN ? t.p.size : 0;
      law_false (got > 0 && t.p.repair);
      rise_add (&by_time, got, green * t.allowed, bound + green * b);
      rise_add (&by_sent, got - green * (t.p.repair ? 0 : t.p.size), 0, bound);
    }
  }
}

/* The second one: as long as the load is below the rate.  Where importance is
 * looked at, each has its own. */
static void
test_min_green (gconstpointer data)
{
  for (guint i = 0; i < SEEDS * G_N_ELEMENTS (loads); i++) {
    guint k = i % G_N_ELEMENTS (loads);
    g_autoptr (RaColour) c = make (data);
    gdouble least = value (c, "min-green");
    Rise short_of[RA_N_IMPORTANCES] = { 0 };
    Traffic t;

    traffic_init (&t, i, MIN (loads[k].load, .95));
    t.repair = loads[k].repair;
    for (guint n = 0; n < PACKETS; n++) {
      gdouble got;
      guint own;

      traffic_next (&t, c);
      own = value (c, "reserve") > 0 ? t.p.importance : 0;
      got = ra_colour_mark (c, &t.p, t.told) == RA_MARK_GREEN ? t.p.size : 0;
      rise_add (
          &short_of[own], (t.p.repair ? 0 : least * t.p.size) - got, 0, MTU);
    }
  }
}

/* After the rate fell from 10 Mb/s to 100 kb/s, what was put by then does not
 * count: 100 packets of a key frame at once. */
static void
test_rate_falls (gconstpointer data)
{
  g_autoptr (RaColour) c = make (data);
  RaColourPacket p = { 1000, RA_IMPORTANCE_KEY, FALSE };
  gdouble green = 0, share = MAX (value (c, "green"), value (c, "min-green"));

  ra_colour_set_rate (c, 10000000);
  ra_colour_mark (c, &p, 0);
  ra_colour_set_rate (c, 100000);
  for (guint n = 0; n < 100; n++)
    green += ra_colour_mark (c, &p, 0) == RA_MARK_GREEN ? p.size : 0;
  /* 12,500 bytes/s; a burst of three packets at most */
  law_cmpfloat (
      green, <=, share * 3000 + value (c, "reserve") * 12500 + p.size);
}

/* In the long run each colour has its share; `unknown`: of no rate. */
static void
check_shares (const Case *c, gdouble load, gboolean unknown)
{
  g_autoptr (RaColour) colour = make (c);
  gdouble green = MAX (value (colour, "green"), value (colour, "min-green"));
  gdouble yellow = value (colour, "yellow"), slack, sent = 0;
  gdouble bytes[RA_N_MARKS] = { 0 };
  Traffic t = { 0 };

  ra_colour_set_rate (colour, 1000); /* a slow start is forgotten */
  ra_colour_mark (colour, &t.p, 0);
  traffic_init (&t, 1, load);
  for (guint n = 0; n < PACKETS; n++) {
    traffic_next (&t, colour);
    if (unknown)
      ra_colour_set_rate (colour, 0);
    bytes[ra_colour_mark (colour, &t.p, t.told)] += t.p.size;
    sent += t.p.size;
  }
  slack = value (colour, "reserve") * ra_bytes (t.max_rate)
      + TRAFFIC_IMPORTANCES * MTU;
  slack *= 2; /* yellow is a share of what is not green, itself not exact */
  g_test_message ("load %g: %g %g %g of %g bytes, slack %g", load,
      bytes[RA_MARK_GREEN], bytes[RA_MARK_YELLOW], bytes[RA_MARK_RED], sent,
      slack);
  law_cmpfloat (bytes[RA_MARK_NONE], ==, 0);
  law_cmpfloat (fabs (bytes[RA_MARK_GREEN] - green * sent), <=, slack);
  law_cmpfloat (fabs (bytes[RA_MARK_YELLOW] - yellow * sent), <=, slack);
}

static void
test_shares (gconstpointer data)
{
  check_shares (data, .999, FALSE);
  check_shares (data, .4, FALSE);
  check_shares (data, 1, TRUE);
}

/* The clock is set to the end of days, then back an hour: a stream above its rate goes on earning. */
static void
test_clock_set (gconstpointer data)
{
  g_autoptr (RaColour) c = make (data);
  guint green = 0;
  Traffic t;

  traffic_init (&t, 1, 2);
  for (guint n = 0; n < 4000; n++) {
    RaMark mark;

    if (n == 2000) {
      t.now -= 3600 * RA_SECOND;
      ra_colour_mark (c, &t.p, RA_TIME_NONE - 1);
    }
    traffic_next (&t, c);
    mark = ra_colour_mark (c, &t.p, t.now);
    green += n >= 3000 && mark == RA_MARK_GREEN;
  }
  /* 50 % of the rate is 25 % of what is sent, by bytes */
  law_cmpuint (green, >, 150);
}

static void
add (const Case *c, const gchar *law, GTestDataFunc test)
{
  g_autofree gchar *path = g_strdup_printf ("/colour-laws/%s/%s/%s",
      c->ops->name, *c->params ? c->params : "default", law);

  g_test_add_data_func_full (path, g_memdup2 (c, sizeof *c), test, g_free);
}

static void
add_laws (const RaColourOps *ops)
{
  for (guint j = 0; j < 2; j++) {
    Case c = { ops, j ? "paper" : "" };

    add (&c, "same", test_same);
    add (&c, "random", test_random);
    if (!ops->params) /* has no shares */
      continue;
    add (&c, "green-limit", test_green_limit);
    add (&c, "min-green", test_min_green);
    add (&c, "rate-falls", test_rate_falls);
    add (&c, "shares", test_shares);
    add (&c, "clock-set", test_clock_set);
  }
}

void
tests_add (void)
{
  for (guint i = 0; ra_colours[i]; i++)
    add_laws (ra_colours[i]);
}
