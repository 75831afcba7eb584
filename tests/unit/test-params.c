/* Parameters and schedules from text.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <gst/rtpadapt/util/params.h>
#include <gst/rtpadapt/util/rng.h>

#include <string.h>

#include "../main.h"

typedef struct
{
  gdouble share, wait, rate, length, count;
  RaSchedule plan;
} Thing;

#define FIELD(f) G_STRUCT_OFFSET (Thing, f)

static const RaParam params[] = {
  { "share", RA_AT (Thing, share), .def = .5, RA_PAPER (.25), .max = 1 },
  { "wait", RA_AT (Thing, wait), .def = 10, RA_PAPER (3), .max = 3600,
      .unit = "s" },
  { "rate", RA_AT (Thing, rate), .def = 1e6, RA_PAPER (2e6), .min = 1,
      .max = 1e12, .unit = "bit/s" },
  { "length", RA_AT (Thing, length), .def = 1200, RA_PAPER (1000), .min = 1,
      .max = 65535, .unit = "bytes" },
  { "count", RA_AT (Thing, count), .def = 3, RA_PAPER (4), .min = -10,
      .max = G_MAXDOUBLE, .unit = "packets" },
  { "plan", RA_AT (Thing, plan), .def = 1e6, RA_PAPER (5e5), .max = 1e12,
      .unit = "bit/s" },
  { NULL },
};

#define OK (-1)
#define UNKNOWN RA_PARAM_ERROR_UNKNOWN
#define VALUE RA_PARAM_ERROR_VALUE

/* `result` is what `offset` holds after `text`, if that is OK. */
static const struct
{
  const gchar *text;
  gint error;
  gsize offset;
  gdouble result;
  const gchar *why;
} param_rows[] = {
  { NULL, OK, FIELD (share), .5, "nothing to do" },
  { "", OK, FIELD (share), .5, "nothing to do" },
  { " ,\t\n, ", OK, FIELD (share), .5, "only separators" },
  { "share=.75", OK, FIELD (share), .75, "a number" },
  { "share=5%", OK, FIELD (share), .05, "per cent, to the nearest double" },
  { "share=3.5%", OK, FIELD (share), .035, "per cent of a fraction" },
  { "share=1e-3", OK, FIELD (share), .001, "an exponent" },
  { "share=0,share=1", OK, FIELD (share), 1, "limits count, the last wins" },
  { "share=.1 count=7", OK, FIELD (share), .1, "blanks separate" },
  { "share=.1,count=7", OK, FIELD (count), 7, "commas separate" },
  { "count=-10", OK, FIELD (count), -10, "a negative number" },
  { "count=2k", OK, FIELD (count), 2000, "a prefix without a unit" },
  { "count=5packets", OK, FIELD (count), 5, "a unit without a prefix" },
  { "wait=250ms", OK, FIELD (wait), .25, "ms" },
  { "wait=7us", OK, FIELD (wait), 7e-6, "us, to the nearest double" },
  { "wait=9ns", OK, FIELD (wait), 9e-9, "ns" },
  { "wait=1.5s", OK, FIELD (wait), 1.5, "s" },
  { "wait=2", OK, FIELD (wait), 2, "bare is s" },
  { "rate=800", OK, FIELD (rate), 800, "bare is bit/s" },
  { "rate=800k", OK, FIELD (rate), 8e5, "k" },
  { "rate=2.5M", OK, FIELD (rate), 2.5e6, "M" },
  { "rate=1G", OK, FIELD (rate), 1e9, "G" },
  { "rate=9bit/s", OK, FIELD (rate), 9, "a unit without a prefix" },
  { "rate=3Mbit/s", OK, FIELD (rate), 3e6, "prefix and unit" },
  { "length=1.5k", OK, FIELD (length), 1500, "decimal, not 1024" },
  { "length=2kbytes", OK, FIELD (length), 2000, "prefix and unit" },
  { "paper", OK, FIELD (wait), 3, "every value is the paper's" },
  { "wait=7,paper", OK, FIELD (wait), 3, "words count in their order" },
  { "paper,wait=7", OK, FIELD (wait), 7, "words count in their order" },
  { "nothing=1", UNKNOWN, 0, 0, "no such name" },
  { "Share=1", UNKNOWN, 0, 0, "names are lower case" },
  { "=1", UNKNOWN, 0, 0, "an empty name" },
  { "share", VALUE, 0, 0, "no value" },
  { "share=", VALUE, 0, 0, "an empty value" },
  { "share=x", VALUE, 0, 0, "no number" },
  { "share=.5x", VALUE, 0, 0, "rubbish behind the number" },
  { "share=.5=.5", VALUE, 0, 0, "rubbish behind the number" },
  { "share=nan", VALUE, 0, 0, "not finite" },
  { "share=inf", VALUE, 0, 0, "not finite" },
  { "count=1e308G", VALUE, 0, 0, "not finite once the prefix is counted" },
  { "share=1.01", VALUE, 0, 0, "above its range" },
  { "share=101%", VALUE, 0, 0, "above its range, in per cent" },
  { "share=-.01", VALUE, 0, 0, "below its range" },
  { "rate=0", VALUE, 0, 0, "below its range" },
  { "wait=5%", VALUE, 0, 0, "another unit" },
  { "wait=5M", VALUE, 0, 0, "megaseconds are a mistake" },
  { "wait=5msec", VALUE, 0, 0, "a unit goes to the end of the word" },
  { "share=1k", VALUE, 0, 0, "a share has no prefix" },
  { "rate=5ms", VALUE, 0, 0, "another unit" },
  { "rate=5m", VALUE, 0, 0, "milli is not mega" },
  { "rate=5kM", VALUE, 0, 0, "two prefixes" },
  { "rate=2Mbytes", VALUE, 0, 0, "prefix and another unit" },
  { "wait=7,nothing=1", UNKNOWN, 0, 0, "all or nothing: wait stays" },
  { "paper,share=2", VALUE, 0, 0, "all or nothing: the paper goes, too" },
  { "plan=5k,9s:6k,share=2", VALUE, 0, 0, "all or nothing: the plan stays" },
  { "20s:5k", VALUE, 0, 0, "a step of no schedule" },
  { "paper,20s:5k", VALUE, 0, 0, "a step of no schedule" },
  { "share=.5,20s:.7", VALUE, 0, 0, "a step of what has no schedule" },
};

static void
test_params (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (param_rows); i++) {
    g_autoptr (GError) error = NULL;
    Thing before, t;
    gboolean ok;

    ra_params_init (&t, params);
    memcpy (&before, &t, sizeof t); /* with the padding */
    ok = ra_params_parse (&t, sizeof t, params, param_rows[i].text, &error);
    g_test_message ("'%s': %s", param_rows[i].text, param_rows[i].why);
    if (param_rows[i].error == OK) {
      g_assert_no_error (error);
      g_assert_true (ok);
      g_assert_cmpfloat (G_STRUCT_MEMBER (gdouble, &t, param_rows[i].offset),
          ==, param_rows[i].result);
    } else {
      g_assert_false (ok);
      g_assert_error (error, RA_PARAM_ERROR, param_rows[i].error);
      g_assert_cmpmem (&t, sizeof t, &before, sizeof before);
    }
  }
}

static void
test_unknown (void)
{
  g_autoptr (GError) error = NULL;
  Thing t;

  ra_params_init (&t, params);
  g_assert_false (ra_params_parse (&t, sizeof t, params, "nearly=1", &error));
  g_assert_error (error, RA_PARAM_ERROR, UNKNOWN);
  g_assert_cmpstr (error->message, ==,
      "no parameter 'nearly', only share, wait, rate, length, count, plan");
}

static void
test_no_params (void)
{
  g_autoptr (GError) error = NULL;
  g_autofree gchar *text = ra_params_to_string (NULL, NULL);

  g_assert_cmpstr (text, ==, "");
  g_assert_true (ra_params_parse (NULL, 0, NULL, "paper", &error));
  g_assert_false (ra_params_parse (NULL, 0, NULL, "a=1", &error));
  g_assert_error (error, RA_PARAM_ERROR, UNKNOWN);
  g_assert_cmpstr (error->message, ==, "no parameter 'a', there is none");
}

static const struct
{
  const gchar *text;
  guint n; /* 0: an error */
  RaSpan at;
  gdouble value; /* of the last step */
  const gchar *why;
} plan_rows[] = {
  { "3M", 1, 0, 3e6, "one value" },
  { "3M,20s:1.5M", 2, 20 * RA_SECOND, 1.5e6, "a change" },
  { "3M,20s:1.5M,40s:3M", 3, 40 * RA_SECOND, 3e6, "the header's example" },
  { "3M 20s:0", 2, 20 * RA_SECOND, 0, "blanks separate steps, too" },
  { "3M,250ms:1", 2, 250 * RA_MSECOND, 1, "times have units" },
  { "3M,1.001:1", 2, 1001 * RA_MSECOND, 1, "rounded, not cut to ...999 ns" },
  { "", 0, 0, 0, "no value" },
  { "5s:3M", 0, 0, 0, "no first value" },
  { "3M,0s:2M", 0, 0, 0, "the first value is that of 0 s" },
  { "3M,9s:2M,9s:1M", 0, 0, 0, "two values at once" },
  { "3M,9s:2M,8s:1M", 0, 0, 0, "times fall" },
  { "3M,-9s:2M", 0, 0, 0, "before the start" },
  { "3M,:2M", 0, 0, 0, "no time" },
  { "3M,9s:", 0, 0, 0, "no value" },
  { "3M,9M:2M", 0, 0, 0, "not a time" },
  { "3M,9s:1s:2M", 0, 0, 0, "two times" },
  { "3M,9s:2T", 0, 0, 0, "not a rate" },
  { "3M,9s:2000G", 0, 0, 0, "out of range" },
  { "3M,nan:2M", 0, 0, 0, "not finite" },
};

static void
test_plan (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (plan_rows); i++) {
    g_autofree gchar *text
        = g_strconcat ("share=.1,plan=", plan_rows[i].text, ",wait=4", NULL);
    guint last = plan_rows[i].n - 1;
    Thing t;
    gboolean ok;

    ra_params_init (&t, params);
    ok = ra_params_parse (&t, sizeof t, params, text, NULL);
    g_test_message ("'%s': %s", text, plan_rows[i].why);
    g_assert_true (ok == (plan_rows[i].n > 0));
    if (!ok)
      continue;
    g_assert_cmpuint (t.plan.n, ==, plan_rows[i].n);
    g_assert_cmpint (t.plan.at[last], ==, plan_rows[i].at);
    g_assert_cmpfloat (t.plan.value[last], ==, plan_rows[i].value);
    g_assert_cmpfloat (t.wait, ==, 4);
  }
}

static void
test_plan_length (void)
{
  g_autoptr (GString) text = g_string_new ("1");
  Thing t;

  ra_params_init (&t, params);
  for (guint i = 1; i < RA_SCHEDULE_MAX; i++)
    g_string_append_printf (text, ",%u:%u", i, i);
  g_assert_true (ra_params_set (&t, params, "plan", text->str, NULL));
  g_assert_cmpuint (t.plan.n, ==, RA_SCHEDULE_MAX);
  g_string_append (text, ",1000:1");
  g_assert_false (ra_params_set (&t, params, "plan", text->str, NULL));
  g_assert_cmpuint (t.plan.n, ==, RA_SCHEDULE_MAX);
}

static void
test_round_trip (void)
{
  RaRng rng;

  ra_rng_init (&rng, 1, 1);
  for (guint i = 0; i < 2000; i++) {
    g_autofree gchar *text = NULL;
    Thing a, b;

    ra_params_init (&a, params);
    ra_params_init (&b, params);
    a.share = ra_rng_uniform (&rng);
    a.wait = 3600 * ra_rng_uniform (&rng);
    a.count = ra_rng_uniform (&rng) * 1e300;
    a.plan.n = 1 + i % RA_SCHEDULE_MAX;
    for (guint j = 1; j < a.plan.n; j++) {
      a.plan.at[j] = a.plan.at[j - 1] + 1 + ra_rng_next (&rng);
      a.plan.value[j] = 1e9 * ra_rng_uniform (&rng);
    }
    text = ra_params_to_string (&a, params);
    g_assert_true (ra_params_parse (&b, sizeof b, params, text, NULL));
    g_assert_cmpfloat (a.share, ==, b.share);
    g_assert_cmpfloat (a.wait, ==, b.wait);
    g_assert_cmpfloat (a.count, ==, b.count);
    g_assert_cmpuint (a.plan.n, ==, b.plan.n);
    g_assert_cmpmem (a.plan.at, sizeof a.plan.at, b.plan.at, sizeof b.plan.at);
    g_assert_cmpmem (
        a.plan.value, sizeof a.plan.value, b.plan.value, sizeof b.plan.value);
  }
}

/* A thing with parts, of which one has a part itself. */
typedef struct
{
  guint64 first;
  Thing one, two;
} Pair;

typedef struct
{
  gdouble own;
  Pair pair;
} Nest;

static const RaParam pair_params[] = {
  { "one-", RA_TABLE (Pair, one, params) },
  { "two-", RA_TABLE (Pair, two, params) },
  { NULL },
};

static const RaParam nest_params[] = {
  { "", RA_TABLE (Nest, pair.two, params) },
  { "own", RA_AT (Nest, own), .def = 7, .max = 9 },
  { "pair-", RA_TABLE (Nest, pair, pair_params) },
  { NULL },
};

#define IN(member, f) (G_STRUCT_OFFSET (Nest, member) + FIELD (f))

static const struct
{
  guint place;
  const gchar *name;
  gsize offset;
  gdouble paper;
  const gchar *unit;
  const gchar *why;
} walk_rows[] = {
  { 0, "share", IN (pair.two, share), .25, "", "a table comes first" },
  { 5, "plan", IN (pair.two, plan), 5e5, "bit/s", "its last row" },
  { 6, "own", G_STRUCT_OFFSET (Nest, own), 7, "", "no paper: the default" },
  { 7, "pair-one-share", IN (pair.one, share), .25, "", "a table in a table" },
  { 13, "pair-two-share", IN (pair.two, share), .25, "", "the next of them" },
  { 18, "pair-two-plan", IN (pair.two, plan), 5e5, "bit/s", "the last of all" },
};

static void
test_walk (void)
{
  RaParamWalk walk = ra_params_walk (nest_params);
  guint n = 0, row = 0;

  for (const RaParam *p; (p = ra_params_next (&walk)); n++) {
    if (row >= G_N_ELEMENTS (walk_rows) || n != walk_rows[row].place)
      continue;
    g_test_message ("%s: %s", p->name, walk_rows[row].why);
    g_assert_cmpstr (p->name, ==, walk_rows[row].name);
    g_assert_cmpuint (p->offset, ==, walk_rows[row].offset);
    g_assert_cmpfloat (p->paper, ==, walk_rows[row].paper);
    g_assert_cmpstr (p->unit, ==, walk_rows[row].unit);
    g_assert_true (p->is_schedule == g_str_has_suffix (p->name, "plan"));
    row++;
  }
  g_assert_cmpuint (row, ==, G_N_ELEMENTS (walk_rows));
  g_assert_cmpuint (n, ==, 6 + 1 + 2 * 6);
  g_assert_null (ra_params_next (&walk)); /* and stays there */
}

/* A part's values by their whole names. */
static void
test_parts (void)
{
  g_autofree gchar *text = NULL;
  Nest n = { 0 };

  ra_params_init (&n, nest_params);
  g_assert_true (ra_params_parse (&n, sizeof n, nest_params,
      "pair-one-wait=4,own=8,pair-one-plan=1M,9s:2M,wait=5", NULL));
  g_assert_cmpfloat (n.pair.one.wait, ==, 4);
  g_assert_cmpfloat (n.own, ==, 8);
  g_assert_cmpfloat (n.pair.two.wait, ==, 5);
  g_assert_cmpuint (n.pair.one.plan.n, ==, 2);
  g_assert_cmpfloat (n.pair.two.share, ==, .5);
  text = ra_params_to_string (&n, nest_params);
  g_assert_nonnull (strstr (text, ",pair-one-plan=1000000,9:2000000,"));
  g_assert_false (ra_params_set (&n, nest_params, "pair-wait", "4", NULL));
  ra_params_paper (&n, nest_params);
  g_assert_cmpfloat (n.own, ==, 7);
  g_assert_cmpfloat (n.pair.one.wait, ==, 3);
}

static const struct
{
  RaSpan since;
  gdouble at;
  RaSpan next;
  const gchar *why;
} when_rows[] = {
  { 0, 3, 20, "the first value" },
  { 19, 3, 20, "still" },
  { 20, 1, 40, "a change counts from its own time on" },
  { 39, 1, 40, "still" },
  { 40, 2, RA_SPAN_NONE, "the last one" },
  { G_MAXINT64, 2, RA_SPAN_NONE, "for ever" },
};

static void
test_schedule (void)
{
  const RaSchedule s = { 3, { 0, 20, 40 }, { 3, 1, 2 } };

  for (guint i = 0; i < G_N_ELEMENTS (when_rows); i++) {
    g_test_message ("%s", when_rows[i].why);
    g_assert_cmpfloat (
        ra_schedule_at (&s, when_rows[i].since), ==, when_rows[i].at);
    g_assert_cmpint (
        ra_schedule_next (&s, when_rows[i].since), ==, when_rows[i].next);
  }
}

void
tests_add (void)
{
  g_test_add_func ("/params/parse", test_params);
  g_test_add_func ("/params/unknown", test_unknown);
  g_test_add_func ("/params/none", test_no_params);
  g_test_add_func ("/params/schedule", test_plan);
  g_test_add_func ("/params/schedule-length", test_plan_length);
  g_test_add_func ("/params/round-trip", test_round_trip);
  g_test_add_func ("/params/walk", test_walk);
  g_test_add_func ("/params/parts", test_parts);
  g_test_add_func ("/schedule/at-next", test_schedule);
}
