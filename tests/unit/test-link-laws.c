/* Laws that every link model keeps, and loss models against their theory.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "../rows.h"
#include "../link-text.h"

#include "law.h"

#include <math.h>
#include <string.h>

/* What comes in another order: nothing, packets of different flows, or even those
 * of one flow. */
typedef enum
{
  KEEPS,
  ACROSS,
  WITHIN
} Reorders;

/* Beside each model with its example: all its limits, changes, and chains.  Only
 * a model that reads a file must have a row here. */
static const struct
{
  const gchar *name, *text;
  gboolean random;
  Reorders reorders;
} texts[] = {
  { "bottleneck", "bottleneck rate=1M queue=60ms" },
  { "bottleneck",
      "bottleneck rate=2M,3s:300k,5s:0,6s:5M,8s:1M queue=0 bytes=30k" },
  { "bottleneck", "bottleneck rate=1M queue=0 packets=7" },
  { "delay", "delay 25ms" },
  { "delay", "delay 0" },
  { "delay", "delay 25ms,2s:300ms,4s:1ms,6s:0,8s:60ms" },
  { "bernoulli", "bernoulli .1", TRUE },
  { "bernoulli", "bernoulli .1,3s:0,5s:1,6s:2%", TRUE },
  { "gilbert", "gilbert p=.05 r=.3", TRUE },
  { "red", "red rate=1M queue=60ms w-q=.1 min-th=.1", TRUE },
  { "red",
      "red rate=2M,3s:300k,5s:0,6s:5M,8s:1M queue=0 bytes=30k gentle=0 wait=0 "
      "w-q=.2",
      TRUE },
  { "red", "red rate=1M queue=0 packets=7 w-q=1 max-p=1", TRUE },
  { "rio", "rio rate=1M queue=60ms w-q=.1", TRUE },
  { "rio",
      "rio rate=2M,3s:300k,5s:0,6s:5M,8s:1M queue=0 bytes=30k w-q=1 coupled=0",
      TRUE },
  { "policer", "policer rate=1M burst=3000" },
  { "policer", "policer rate=2M,3s:300k,5s:0,6s:5M,8s:1M" },
  { "each", "each gilbert p=.05 r=.3", TRUE },
  { "each", "each delay 25ms", FALSE, ACROSS }, /* at the same instant */
  { "each", "each bottleneck rate=400k", FALSE, ACROSS },
  { "each", "rio rate=1M w-q=.1 ! delay 2ms ! each bernoulli .1", TRUE },
  { "jakes", "jakes 10%", TRUE },
  { "jitter", "jitter", TRUE },
  { "jitter", "jitter 20ms rate=2M", TRUE },
  { "trace", "trace bursts" },
  { "trace", "trace bursts queue=0 bytes=30k ! delay 5ms" },
  { "arq", "arq .3 retries=2", TRUE, WITHIN },
  { "arq", "arq .3 retries=2 order=1", TRUE },
};

#define FLOWS 3

typedef struct
{
  RaLink *link;
  guint in, out, lost[3], discarded;
  gint64 last_seq, last_of[FLOWS];
  RaTime last_time;
  gboolean reordered, flow_reordered, back_in_time, silly_queued;
  /* Bits out less what the capacity allows: now, and its minimum so far. */
  gdouble excess, least;
  GString *log;
} Traffic;

static void
on_deliver (const RaLinkPacket *p, RaTime now, gpointer data)
{
  Traffic *t = data;

  t->out++;
  t->reordered |= (gint64) p->seq <= t->last_seq;
  t->back_in_time |= now < t->last_time || now < p->entered;
  t->silly_queued |= p->queued < 0 || p->queued > ra_diff (now, p->entered);
  t->flow_reordered |= (gint64) p->seq < t->last_of[p->flow];
  t->last_seq = t->last_of[p->flow] = (gint64) p->seq;
  t->last_time = now;
  g_string_append_printf (
      t->log, "+%u %" G_GUINT64_FORMAT "\n", (guint) p->seq, now);
}

static void
on_drop (const RaLinkPacket *p, RaCause cause, const gchar *node, RaTime now,
    gpointer data)
{
  Traffic *t = data;

  t->lost[cause]++;
  g_string_append_printf (t->log, "-%u %s %s %" G_GUINT64_FORMAT "\n",
      (guint) p->seq, ra_cause_nick (cause), node, now);
}

static void
on_discard (const RaLinkPacket *p, gpointer data)
{
  ((Traffic *) data)->discarded++;
}

/* A second of two opportunities each 10 ms, with a hole of 300 ms. */
static gboolean
on_load (const gchar *name, gchar **text, gsize *length, GError **error)
{
  GString *lines = g_string_new (NULL);

  g_assert_cmpstr (name, ==, "bursts");
  for (guint ms = 10; ms <= 1000; ms += ms == 500 ? 300 : 10)
    g_string_append_printf (lines, "%u\n%u\n", ms, ms);
  *length = lines->len;
  *text = g_string_free (lines, FALSE);
  return TRUE;
}

static const RaLinkSink sink = { on_deliver, on_drop, on_discard, on_load };

static void
check_sums (const Traffic *t)
{
  RaLinkStats s, flow, sum = { 0 };

  ra_link_get_stats (t->link, &s);
  law_cmpuint (s.in, ==, t->in);
  law_cmpuint (s.out, ==, t->out);
  law_cmpuint (s.congestion, ==, t->lost[RA_CAUSE_CONGESTION]);
  law_cmpuint (s.wireless, ==, t->lost[RA_CAUSE_WIRELESS]);
  law_cmpuint (t->lost[RA_CAUSE_NONE], ==, 0);
  law_cmpuint (s.in, ==,
      s.out + s.congestion + s.wireless + ra_link_held (t->link)
          + t->discarded);
  for (guint i = 0; i < FLOWS; i++) {
    ra_link_get_flow_stats (t->link, i, &flow);
    sum.in += flow.in;
    sum.out += flow.out;
    sum.congestion += flow.congestion;
    sum.wireless += flow.wireless;
    sum.bytes_in += flow.bytes_in;
    sum.bytes_out += flow.bytes_out;
  }
  g_assert_cmpmem (&sum, sizeof sum, &s, sizeof s);
}

/* 10 s of bursts, silences, all sizes; the run is cut at random times. */
static void
traffic_run (
    Traffic *t, const gchar *text, guint64 traffic_seed, guint64 link_seed)
{
  GError *error = NULL;
  RaRng rng;
  RaTime now = 0;

  *t = (Traffic){ .last_seq = -1, .log = g_string_new (NULL) };
  t->link = ra_link_parse (text, link_seed, &sink, t, &error);
  g_assert_no_error (error);
  ra_rng_init (&rng, traffic_seed, 0);
  while (now < 10 * RA_SECOND) {
    RaLinkPacket p = { .seq = t->in,
      .flow = t->in % FLOWS,
      .mark = t->in / FLOWS % RA_N_MARKS,
      .size = ra_rng_next (&rng) % 1500 };

    if (ra_rng_chance (&rng, .5))
      now += ra_rng_next (&rng) % (20 * RA_MSECOND);
    if (ra_rng_chance (&rng, .5)) {
      ra_link_run (t->link, now);
      law_cmpuint (ra_link_next (t->link), >, now);
    }
    ra_link_push (t->link, &p, now);
    t->in++;
    check_sums (t);
    if (ra_rng_chance (&rng, .002))
      ra_link_clear (t->link);
  }
  ra_link_run (t->link, 3600 * RA_SECOND);
  check_sums (t);
  law_cmpuint (ra_link_held (t->link), ==, 0);
  law_cmpuint (ra_link_next (t->link), ==, RA_TIME_NONE);
}

static void
traffic_end (Traffic *t)
{
  ra_link_free (t->link);
  g_string_free (t->log, TRUE);
}

/* Laws of any model; `reorders` if packets of one flow may overtake others. */
static void
check_laws (const gchar *text, gboolean random, gboolean reorders)
{
  g_test_message ("%s", text);
  for (guint64 seed = 0; seed < 8; seed++) {
    Traffic a, again, other;

    traffic_run (&a, text, seed, seed);
    law_cmpuint (a.out, >, 0);
    law_cmpint (a.flow_reordered, ==, reorders);
    law_false (a.back_in_time);
    law_false (a.silly_queued);
    traffic_run (&again, text, seed, seed);
    law_cmpstr (a.log->str, ==, again.log->str);
    traffic_run (&other, text, seed, seed + 1);
    if (random)
      law_cmpstr (a.log->str, !=, other.log->str);
    else
      law_cmpstr (a.log->str, ==, other.log->str);
    traffic_end (&a);
    traffic_end (&again);
    traffic_end (&other);
  }
}

static void
test_model (gconstpointer data)
{
  const RaNodeOps *ops = data;
  g_autofree gchar *text = link_text (ops);

  check_laws (text, ops->random, ops->reorders);
}

/* Models that flows share keep the order of all packets. */
static void
test_text (gconstpointer data)
{
  guint i = GPOINTER_TO_UINT (data);

  check_laws (texts[i].text, texts[i].random, texts[i].reorders == WITHIN);
  for (guint64 seed = 0; seed < 8; seed++) {
    Traffic t;

    traffic_run (&t, texts[i].text, seed, seed);
    law_cmpint (t.reordered, ==, texts[i].reorders != KEEPS);
    traffic_end (&t);
  }
}

static void
check_finite (const gchar *name, gdouble value, gpointer data)
{
  if (!isfinite (value))
    g_test_message ("%s is %g", name, value);
  law_true (isfinite (value));
}

/* Packets of no size and of any size. */
static void
hostile_run (const gchar *text)
{
  static const guint sizes[] = { 0, 1500, 1, G_MAXUINT, 1500, G_MAXINT };
  Traffic t = { .last_seq = -1, .log = g_string_new (NULL) };

  t.link = ra_link_parse (text, 1, &sink, &t, NULL);
  for (; t.link && t.in < 24;) {
    RaLinkPacket p = { .seq = t.in, .size = sizes[t.in % 6] };

    ra_link_observe (t.link, check_finite, NULL);
    ra_link_push (t.link, &p, t.in++ * 10 * RA_MSECOND);
    check_sums (&t);
    if (t.in % 11 == 0)
      ra_link_clear (t.link);
  }
  law_false (t.back_in_time);
  law_false (t.silly_queued);
  traffic_end (&t);
}

/* Every parameter at its ends, and near 0; what does not go together (no link)
 * aside. */
static void
hostile_params (const RaNodeOps *ops, const gchar *words)
{
  RaParamWalk walk = ra_params_walk (ops->params);

  for (const RaParam *p; (p = ra_params_next (&walk));) {
    const gdouble values[] = { p->min, p->max, MAX (p->min, 1e-300) };

    for (guint k = 0; k < G_N_ELEMENTS (values); k++) {
      g_autofree gchar *text
          = g_strdup_printf ("%s %s=%g", words, p->name, values[k]);

      g_test_message ("%s", text);
      hostile_run (text);
    }
  }
}

static void
test_hostile (void)
{
  for (guint i = 0; ra_links[i]; i++) {
    g_autofree gchar *text = link_text (ra_links[i]);

    law_of (ra_links[i]->name);
    hostile_params (ra_links[i], text);
  }
  for (guint i = 0; i < G_N_ELEMENTS (texts); i++) {
    law_of (texts[i].text);
    hostile_params (ra_link_find (texts[i].name), texts[i].text);
  }
}

/* The law cannot make up a file for a model that reads one. */
static void
test_every_file_has_a_row (void)
{
  for (guint i = 0; ra_links[i]; i++) {
    gboolean found = !ra_links[i]->load;

    for (guint k = 0; k < G_N_ELEMENTS (texts); k++)
      found |= g_str_equal (texts[k].name, ra_links[i]->name);
    law_of (ra_links[i]->name);
    law_true (found);
    law_true (ra_link_find (ra_links[i]->name) == ra_links[i]);
    law_true (ra_links[i]->cite != NULL);
  }
  g_assert_null (ra_link_find ("nothing"));
}

static void
on_rate_deliver (const RaLinkPacket *p, RaTime now, gpointer data)
{
  Traffic *t = data;

  /* The law, for all windows at once: from the end of one packet to the end
   * of any later one, no more bits come than the capacity's integral. */
  for (RaTime at = t->last_time, end; at < now; at = end) {
    end = MIN ((at / RA_MSECOND + 1) * RA_MSECOND, now);
    t->excess -= (gdouble) ra_link_capacity (t->link, at)
        * ra_seconds (ra_diff (end, at));
  }
  t->last_time = now;
  t->excess += p->size * 8.0;
  /* Times are whole ns: 5 Mbit/s send .005 bits in one. */
  law_cmpfloat (t->excess, <=, t->least + .006);
  t->least = MIN (t->least, t->excess);
  t->out++;
}

/* The integral above goes by the millisecond: rates change on whole ones. */
static void
test_rate_is_kept (gconstpointer data)
{
  RaLinkSink rate_sink = { on_rate_deliver, on_drop, NULL };

  for (guint64 seed = 0; seed < 8; seed++) {
    Traffic t = { .log = g_string_new (NULL), .least = 1e9 };
    RaRng rng;
    RaTime now = 0;

    t.link = ra_link_parse (data, seed, &rate_sink, &t, NULL);
    ra_rng_init (&rng, seed, 1);
    for (guint i = 0; i < 3000; i++) {
      RaLinkPacket p = { .seq = i, .size = ra_rng_next (&rng) % 1500 };

      ra_link_push (t.link, &p, now);
      if (ra_rng_chance (&rng, .5))
        now += ra_rng_next (&rng) % (15 * RA_MSECOND);
    }
    ra_link_run (t.link, 3600 * RA_SECOND);
    g_assert_cmpuint (t.out, >, 500);
    traffic_end (&t);
  }
}

/* A saturated line is also not slower than its rate. */
static void
test_rate_is_used (void)
{
  Traffic t = { .log = g_string_new (NULL) };
  RaLinkStats stats;

  t.link = ra_link_parse ("bottleneck rate=777k", 0, &sink, &t, NULL);
  for (guint i = 0; i < 200000; i++) {
    RaLinkPacket p = { .seq = i, .size = 997 };

    ra_link_push (t.link, &p, i * 5 * RA_MSECOND);
  }
  ra_link_run (t.link, 1000 * RA_SECOND);
  ra_link_get_stats (t.link, &stats);
  /* 777e6 bits in 1,000 s are 97,417.25 packets of 7,976 bits */
  g_assert_cmpuint (stats.out, ==, 97417);
  traffic_end (&t);
}

/* --- loss against theory ---------------------------------------------- */

typedef struct
{
  guint lost, bursts;
  gboolean last_lost;
} LossCount;

static void
count_deliver (const RaLinkPacket *p, RaTime now, gpointer data)
{
  ((LossCount *) data)->last_lost = FALSE;
}

static void
count_drop (const RaLinkPacket *p, RaCause cause, const gchar *node, RaTime now,
    gpointer data)
{
  LossCount *c = data;

  c->lost++;
  c->bursts += !c->last_lost;
  c->last_lost = TRUE;
}

/* to_bad, to_good: the channel's transition probabilities.  Of n packets the
 * share lost has the mean pi = to_bad / (to_bad + to_good) and, as neighbours
 * correlate by l = 1 - to_bad - to_good, the variance
 * pi (1 - pi) / n * (1 + l) / (1 - l).  A burst has the mean length
 * 1 / to_good, variance (1 - to_good) / to_good^2.  Independent losses are
 * the case to_good = 1 - to_bad, l = 0. */
static const struct
{
  const gchar *text;
  gdouble to_bad, to_good;
  const gchar *why;
} theory[] = {
  { "bernoulli .001", .001, .999, "rare" },
  { "bernoulli 5%", .05, .95, "usual" },
  { "bernoulli p=.5", .5, .5, "half" },
  { "gilbert p=.01 r=.3", .01, .3, "bursts of 3.3, 3.2 % lost" },
  { "gilbert p=.001 r=.05", .001, .05, "bursts of 20, 2 % lost" },
  { "gilbert p=.3 r=.2", .3, .2, "mostly bad" },
  { "gilbert p13=.02 p31=.5", .02, .5, "netem's names" },
  { "gilbert p=.994 q=.78", .006, .22, "paper 003, 5.1: .006 / .226 = .0265" },
  { "bernoulli .1 ! bernoulli .1", .19, .81,
      "two streams of one seed are independent: 1 - .9^2" },
};

static void
test_theory (gconstpointer data)
{
  guint i = GPOINTER_TO_UINT (data);
  const gdouble n = 200000;
  gdouble pi = theory[i].to_bad / (theory[i].to_bad + theory[i].to_good);
  gdouble l = 1 - theory[i].to_bad - theory[i].to_good;
  gdouble sigma = sqrt (pi * (1 - pi) / n * (1 + l) / (1 - l));
  gdouble burst = 1 / theory[i].to_good;
  RaLinkSink count_sink = { count_deliver, count_drop, NULL };

  for (guint64 seed = 1; seed <= 3; seed++) {
    LossCount c = { 0 };
    g_autoptr (RaLink) link
        = ra_link_parse (theory[i].text, seed, &count_sink, &c, NULL);
    gdouble loss, mean_burst, burst_sigma;

    for (guint k = 0; k < (guint) n; k++) {
      RaLinkPacket p = { .seq = k, .size = 1000 };

      ra_link_push (link, &p, k * RA_MSECOND);
    }
    loss = c.lost / n;
    mean_burst = (gdouble) c.lost / c.bursts;
    burst_sigma = sqrt ((1 - theory[i].to_good) / c.bursts) * burst;
    g_test_message ("%s (%s), seed %u: loss %g, theory %g; burst %g, theory "
                    "%g; limit 5 sigma",
        theory[i].text, theory[i].why, (guint) seed, loss, pi, mean_burst,
        burst);
    law_cmpfloat (fabs (loss - pi), <=, 5 * sigma);
    law_cmpfloat (fabs (mean_burst - burst), <=, 5 * burst_sigma);
  }
}

void
tests_add (void)
{
  static const gchar *const rated[] = {
    "bottleneck rate=1M queue=60ms",
    "bottleneck rate=3M,1s:333333,2s:0,3s:5M,4s:1M queue=0 bytes=30k",
    "bottleneck rate=700k ! delay 3ms",
    "red rate=1M",
    "rio rate=3M,1s:333333,2s:0,3s:5M,4s:1M",
  };

  for (guint i = 0; ra_links[i]; i++) {
    g_autofree gchar *path
        = g_strdup_printf ("/link-laws/model/%s", ra_links[i]->name);

    if (!ra_links[i]->load)
      g_test_add_data_func (path, ra_links[i], test_model);
  }
  for (guint i = 0; i < G_N_ELEMENTS (texts); i++) {
    g_autofree gchar *path
        = g_strdup_printf ("/link-laws/traffic/%s/%u", texts[i].name, i);

    g_test_add_data_func (path, GUINT_TO_POINTER (i), test_text);
  }
  for (guint i = 0; i < G_N_ELEMENTS (rated); i++) {
    g_autofree gchar *path = g_strdup_printf ("/link-laws/rate-is-kept/%u", i);

    g_test_add_data_func (path, rated[i], test_rate_is_kept);
  }
  rows_add ("/link-laws/theory", theory, test_theory);
  g_test_add_func (
      "/link-laws/every-file-has-a-row", test_every_file_has_a_row);
  g_test_add_func ("/link-laws/rate-is-used", test_rate_is_used);
  g_test_add_func ("/link-laws/hostile", test_hostile);
}
