/* Loss differentiation: what holds for every algorithm, with the paper's
 * parameters and with ours, at a receiver and at a sender.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "../rows.h"
#include "law.h"
#include "malloc-count.h"

#include <gst/rtpadapt/lda/base.h>
#include <gst/rtpadapt/lda.h>
#include <gst/rtpadapt/util/rng.h>

#include <math.h>
#include <stdlib.h>

#define SEEDS 20
#define PACKETS 3000
#define RANDOM_PACKETS 500000 /* for either parameters: a million per LDA */

typedef struct
{
  const RaLdaOps *ops;
  const gchar *params;
  gboolean at_sender; /* RTTs and the rate are known */
} Case;

/* A truth for those who ask, of its own making. */
static RaCause
truth (guint64 seq, gpointer data)
{
  return (RaCause) (seq * 2654435761u / 65536 % 3);
}

static RaLda *
make (const Case *c, const gchar *params)
{
  GError *error = NULL;
  RaLda *lda = ra_lda_new (c->ops, params ? params : c->params, &error);

  g_assert_no_error (error);
  ra_lda_set_truth (lda, truth, NULL);
  return lda;
}

/* Traffic like a path's: sizes and gaps vary, a queue wanders between 0 and
 * 100 ms, bursts are lost. */
typedef struct
{
  const Case *c;
  RaRng rng;
  RaArrival a;
  RaSpan queue;
} Traffic;

static void
traffic_init (Traffic *t, const Case *c, guint64 seed)
{
  *t = (Traffic){ .c = c,
    .a = { .arrival = 5000 * RA_SECOND,
        .iat = RA_SPAN_NONE,
        .grain = 250 * RA_USECOND } };
  ra_rng_init (&t->rng, seed, 1);
}

/* What a sender knows: R, for nearly every packet its RTT, the rate (by 3, for
 * the law of scale). */
static void
traffic_at_sender (Traffic *t)
{
  RaArrival *a = &t->a;

  a->rtt = a->seq > 20 ? 90 * RA_MSECOND : 0;
  a->rtt_sample
      = a->rott + 30 * RA_MSECOND + ra_rng_next (&t->rng) % RA_MSECOND;
  if (ra_rng_chance (&t->rng, .02))
    a->rtt_sample = 0;
  a->rate = 3 * (50000 + ra_rng_next (&t->rng) % 1000000);
}

static const RaArrival *
traffic_next (Traffic *t)
{
  RaArrival *a = &t->a;
  RaSpan step = ra_rng_next (&t->rng) % (7 * RA_MSECOND);

  t->queue = CLAMP (t->queue + step - 3 * RA_MSECOND, 0, 100 * RA_MSECOND);
  a->n_lost = 0;
  while (ra_rng_chance (&t->rng, .2))
    a->n_lost++;
  a->size = 100 + ra_rng_next (&t->rng) % 1100;
  a->bytes_lost = a->n_lost * (100 + ra_rng_next (&t->rng) % 1100);
  a->rott = t->queue + 20 * RA_MSECOND;
  if (a->seq > 0) {
    a->iat = (1 + a->n_lost)
        * (2 * RA_MSECOND + ra_rng_next (&t->rng) % (3 * RA_MSECOND));
    a->arrival += (RaTime) a->iat;
  }
  a->seq += 1 + a->n_lost;
  if (t->c->at_sender)
    traffic_at_sender (t);
  return a;
}

/* The same LDA on the same traffic gives the same verdicts: after a reset as
 * when new. */
static void
test_same (gconstpointer data)
{
  const Case *c = data;

  for (guint64 seed = 1; seed <= SEEDS; seed++) {
    RaLda *one = make (c, NULL), *two = make (c, NULL);
    Traffic t, u;

    traffic_init (&u, c, seed + SEEDS);
    for (guint i = 0; i < PACKETS; i++)
      ra_lda_on_packet (two, traffic_next (&u));
    ra_lda_reset (two);

    traffic_init (&t, c, seed);
    for (guint i = 0; i < PACKETS; i++) {
      const RaArrival *a = traffic_next (&t);

      law_cmpint (ra_lda_on_packet (one, a), ==, ra_lda_on_packet (two, a));
    }
    ra_lda_free (one);
    ra_lda_free (two);
  }
}

/* Clocks are not in step. */
static void
test_offset (gconstpointer data)
{
  static const RaSpan offsets[] = { 1, -RA_SECOND, 86400 * RA_SECOND,
    -2000000000 * RA_SECOND, G_MAXINT64 - RA_SECOND };
  const Case *c = data;

  for (guint64 seed = 1; seed <= SEEDS; seed++) {
    RaLda *one = make (c, NULL), *two = make (c, NULL);
    Traffic t;

    traffic_init (&t, c, seed);
    for (guint i = 0; i < PACKETS; i++) {
      RaArrival a = *traffic_next (&t);
      RaCause verdict;

      if (seed % 2) { /* a us counts, too */
        a.rott /= 1000;
        a.rtt_sample /= 1000;
      }
      verdict = ra_lda_on_packet (one, &a);
      a.rott += offsets[seed % G_N_ELEMENTS (offsets)];
      law_cmpint (ra_lda_on_packet (two, &a), ==, verdict);
    }
    ra_lda_free (one);
    ra_lda_free (two);
  }
}

/* The parameters of `lda`, those that are times tripled. */
static gchar *
slowed (const RaLda *lda)
{
  GString *text = g_string_new (NULL);
  RaParamWalk walk = ra_params_walk (lda->ops->params);
  gchar number[G_ASCII_DTOSTR_BUF_SIZE];

  for (const RaParam *p; (p = ra_params_next (&walk));) {
    gdouble value = *(const gdouble *) ((const guint8 *) lda + p->offset);

    if (g_str_equal (p->unit, "s"))
      value *= 3;
    g_string_append_printf (
        text, "%s=%s,", p->name, g_ascii_dtostr (number, sizeof number, value));
  }
  return g_string_free (text, FALSE);
}

/* No hidden unit: all times and all parameters in seconds times 3. */
static void
test_scale (gconstpointer data)
{
  const Case *c = data;

  for (guint64 seed = 1; seed <= SEEDS; seed++) {
    g_autoptr (RaLda) one = make (c, NULL);
    g_autofree gchar *params = slowed (one);
    g_autoptr (RaLda) two = make (c, params);
    Traffic t;

    traffic_init (&t, c, seed);
    for (guint i = 0; i < PACKETS; i++) {
      RaArrival a = *traffic_next (&t);
      RaCause verdict = ra_lda_on_packet (one, &a);

      a.arrival *= 3;
      a.iat = a.iat == RA_SPAN_NONE ? a.iat : a.iat * 3;
      a.rott *= 3;
      a.grain *= 3;
      a.rtt *= 3;
      a.rtt_sample *= 3;
      a.rate /= 3;
      law_cmpint (ra_lda_on_packet (two, &a), ==, verdict);
    }
  }
}

/* A hole before the first packet: nobody can know, except who knows. */
static void
test_fresh (gconstpointer data)
{
  const Case *c = data;
  g_autoptr (RaLda) lda = make (c, NULL);
  RaArrival a = { .seq = 10,
    .n_lost = 3,
    .size = 1000,
    .bytes_lost = 3000,
    .arrival = RA_SECOND,
    .iat = RA_SPAN_NONE,
    .rott = RA_MSECOND };

  ra_lda_set_truth (lda, NULL, NULL);
  law_cmpint (ra_lda_on_packet (lda, &a), ==, RA_CAUSE_CONGESTION);
}

static void
is_finite (const gchar *name, gdouble value, gpointer data)
{
  if (!isfinite (value))
    g_error ("%s is %g", name, value);
}

/* A verdict if and only if something is missing; values one can plot. */
static void
test_verdict (gconstpointer data)
{
  const Case *c = data;
  g_autoptr (RaLda) lda = make (c, NULL);
  Traffic t;

  ra_lda_observe (lda, is_finite, NULL);
  traffic_init (&t, c, 1);
  for (guint i = 0; i < PACKETS; i++) {
    const RaArrival *a = traffic_next (&t);
    RaCause cause = ra_lda_on_packet (lda, a);

    law_true ((a->n_lost == 0) == (cause == RA_CAUSE_NONE));
    for (guint n = a->n_lost; n > 0; n--)
      law_true (ra_lda_on_missing (lda, a, a->seq - n, cause));
    ra_lda_observe (lda, is_finite, NULL);
  }
}

/* Mostly what may come, sometimes what only an attacker or a bug sends. */
static RaSpan
any_span (RaRng *rng, RaSpan usual)
{
  static const RaSpan odd[] = { 0, 1, -1, G_MAXINT64, G_MININT64,
    3600 * RA_SECOND, -3600 * RA_SECOND, 250 * RA_USECOND };

  if (ra_rng_chance (rng, .05))
    return odd[ra_rng_next (rng) % G_N_ELEMENTS (odd)];
  return ra_rng_next (rng) % usual;
}

static void
test_random (gconstpointer data)
{
  const Case *c = data;
  g_autoptr (RaLda) lda = make (c, NULL);
  RaArrival a = { .arrival = 5000 * RA_SECOND };
  RaRng rng;

  ra_rng_init (&rng, *c->params ? 2 : 1, 1);
  for (guint i = 0; i < RANDOM_PACKETS; i++) {
    RaCause cause;

    a.n_lost = ra_rng_chance (&rng, .1) ? ra_rng_next (&rng) % 4001 : 0;
    a.seq += 1 + a.n_lost;
    a.size = ra_rng_next (&rng) % 65536;
    a.bytes_lost = ra_rng_chance (&rng, .5) ? ra_rng_next (&rng) : 0;
    a.iat = any_span (&rng, 10 * RA_MSECOND);
    a.rott = any_span (&rng, 100 * RA_MSECOND);
    a.grain = any_span (&rng, RA_MSECOND);
    a.rtt = any_span (&rng, 200 * RA_MSECOND);
    a.rtt_sample = any_span (&rng, 200 * RA_MSECOND);
    a.rate = ra_rng_next (&rng);
    a.mark = (guint8) ra_rng_next (&rng);
    if (a.iat > 0 && a.iat < RA_SECOND)
      a.arrival += (RaTime) a.iat;
    cause = ra_lda_on_packet (lda, &a);
    law_true ((a.n_lost == 0) == (cause == RA_CAUSE_NONE));
    if (i % 1000 == 0)
      ra_lda_observe (lda, is_finite, NULL);
  }
}

/* An instance is plain bytes: a packet allocates nothing, and a reset leaves nothing. */
static void
test_no_allocation (gconstpointer data)
{
  const Case *c = data;
  g_autoptr (RaLda) lda = make (c, NULL);
  guint before;
  Traffic t;

  if (!malloc_counts ())
    return;
  before = n_live;
  ra_lda_reset (lda);
  law_cmpuint (n_live, ==, before);
  traffic_init (&t, c, 1);
  before = n_malloc;
  for (guint i = 0; i < PACKETS; i++) {
    const RaArrival *a = traffic_next (&t);
    RaCause cause = ra_lda_on_packet (lda, a);

    for (guint n = a->n_lost; n > 0; n--)
      ra_lda_on_missing (lda, a, a->seq - n, cause);
    ra_lda_patience (lda, a);
    ra_lda_observe (lda, is_finite, NULL);
  }
  law_cmpuint (n_malloc, ==, before);
}

/* --- clocks that drift ------------------------------------------------------- */

#define DRIFT_MINUTES 10
#define DRIFT_STEP (50 * RA_MSECOND)

/* Losses of each minute that are called congestion, of a path whose queue is empty and
 * whose radio takes 5 %; the receiver's clock is `ppm` faster. */
static void
drift_play (const Case *c, gdouble ppm, guint misread[DRIFT_MINUTES],
    guint lost[DRIFT_MINUTES])
{
  g_autoptr (RaLda) lda = make (c, NULL);
  RaArrival a = { .arrival = 5000 * RA_SECOND,
    .size = 1000,
    .rate = 3000000,
    .grain = 250 * RA_USECOND };
  RaRng rng;

  ra_lda_set_truth (lda, NULL, NULL);
  ra_rng_init (&rng, 1, 1);
  for (RaSpan t = DRIFT_STEP; t < DRIFT_MINUTES * 60 * RA_SECOND;
       t += DRIFT_STEP * (1 + a.n_lost)) {
    guint minute = (guint) (t / (60 * RA_SECOND));
    RaSpan noise = ra_rng_next (&rng) % (3 * RA_MSECOND);

    a.n_lost = ra_rng_chance (&rng, .05);
    a.bytes_lost = a.n_lost * a.size;
    a.seq += 1 + a.n_lost;
    a.iat = DRIFT_STEP * (1 + a.n_lost);
    a.arrival += (RaTime) a.iat;
    a.rott = 20 * RA_MSECOND + noise + (RaSpan) (ppm * 1e-6 * (gdouble) t);
    a.rtt = c->at_sender ? 50 * RA_MSECOND : 0;
    a.rtt_sample = c->at_sender ? 50 * RA_MSECOND + noise : 0;
    lost[minute] += a.n_lost;
    misread[minute] += ra_lda_on_packet (lda, &a) == RA_CAUSE_CONGESTION;
  }
}

/* From the second minute on, when the drift is known, as many as with clocks in step, but
 * for a fifth of the losses.  Two clocks are 200 ppm apart at most (IEEE 802.3). */
static void
test_drift (gconstpointer data)
{
  static const gdouble ppm[] = { 20, 100, 200, -100 };
  const Case *c = data;
  guint usual[DRIFT_MINUTES] = { 0 }, all[DRIFT_MINUTES] = { 0 };

  drift_play (c, 0, usual, all);
  for (guint i = 0; i < G_N_ELEMENTS (ppm); i++) {
    guint misread[DRIFT_MINUTES] = { 0 }, lost[DRIFT_MINUTES] = { 0 };

    drift_play (c, ppm[i], misread, lost);
    for (guint minute = 1; minute < DRIFT_MINUTES; minute++)
      law_cmpuint (misread[minute], <=, usual[minute] + lost[minute] / 5);
  }
}

/* A trip of 20 ms rises by 200 ppm from `from` on; the base after 600 s, ms.  The oldest slot
 * of 120 s began at 495 s. */
static const struct
{
  guint from, window; /* s */
  gdouble base;
  const gchar *why;
} base_rows[] = {
  { 0, 600, 140, "clocks differ all the time: 20 + 200e-6 * 600 s" },
  { 0, 120, 140, "the window is shorter" },
  { 480, 600, 20, "2 minutes of 10 are a queue that grows" },
  { 480, 120, 23, "so they are here: 20 + 200e-6 * 15 s" },
  { 0, 0, 20, "a window that never ends has no drift" },
};

static void
test_base (gconstpointer data)
{
  guint i = GPOINTER_TO_UINT (data);
  RaSpan window = base_rows[i].window * RA_SECOND;
  RaLdaBase b;

  g_test_message ("%s", base_rows[i].why);
  ra_lda_base_init (&b);
  for (guint s = 0; s <= 600; s++)
    ra_lda_base_add (&b,
        2e7 + 2e5 * (s > base_rows[i].from ? s - base_rows[i].from : 0), TRUE,
        s * RA_SECOND, window);
  g_assert_cmpfloat_with_epsilon (
      ra_lda_base_get (&b, 600 * RA_SECOND, window) / 1e6, base_rows[i].base,
      1e-6);
}

/* The same queue, 24 ms at 600 s, and a loss then, at 3 Mbit/s: 24 of 24 ms, and 7 packets
 * of 1000 bytes. */
static void
test_growth (gconstpointer data)
{
  g_autoptr (RaLda) lda = ra_lda_new (ra_lda_find (data), NULL, NULL);
  RaArrival a = { .size = 1000, .rate = 3000000 };

  for (guint i = 1; i <= 12000; i++) {
    a.seq = i;
    a.arrival += 50 * RA_MSECOND;
    a.iat = 50 * RA_MSECOND;
    a.rott = 20 * RA_MSECOND + (i > 9600 ? (i - 9600) * 10 * RA_USECOND : 0);
    a.n_lost = i == 12000;
    if (a.n_lost > 0)
      g_assert_cmpint (ra_lda_on_packet (lda, &a), ==, RA_CAUSE_CONGESTION);
    else
      ra_lda_on_packet (lda, &a);
  }
}

static void
add (const Case *c, const gchar *law, GTestDataFunc test)
{
  g_autofree gchar *path = g_strdup_printf ("/lda-laws/%s/%s/%s/%s",
      c->ops->name, *c->params ? c->params : "default",
      c->at_sender ? "sender" : "receiver", law);

  g_test_add_data_func_full (path, g_memdup2 (c, sizeof *c), test, g_free);
}

/* An LDA that says what it should not, and counts. */
typedef struct
{
  RaLda base;
  guint count;
} Odd;

static RaCause odd_cause;

static RaCause
odd_on_packet (RaLda *lda, const RaArrival *a)
{
  ((Odd *) lda)->count++;
  return odd_cause;
}

static RaSpan
odd_patience (const RaLda *lda, const RaArrival *a)
{
  return -1;
}

/* What lda.h promises of whatever LDA there is. */
static void
test_wrappers (void)
{
  static const RaLdaOps odd = { .name = "odd",
    .size = sizeof (Odd),
    .on_packet = odd_on_packet,
    .patience = odd_patience };
  static const RaCause unsure[] = { RA_CAUSE_NONE, (RaCause) 99 };
  g_autoptr (RaLda) lda = ra_lda_new (&odd, NULL, NULL);
  RaArrival a = { .seq = 9, .n_lost = 1 };

  for (guint i = 0; i < G_N_ELEMENTS (unsure); i++) {
    odd_cause = unsure[i];
    g_assert_cmpint (ra_lda_on_packet (lda, &a), ==, RA_CAUSE_CONGESTION);
  }
  g_assert_cmpint (ra_lda_patience (lda, &a), ==, 0);
  g_assert_cmpuint (((Odd *) lda)->count, ==, 2);
  ra_lda_set_seed (lda, 7);
  g_assert_cmpuint (((Odd *) lda)->count, ==, 0);
  g_assert_cmpuint (lda->seed, ==, 7);
  odd_cause = RA_CAUSE_WIRELESS;
  g_assert_cmpint (ra_lda_on_packet (lda, &a), ==, RA_CAUSE_WIRELESS);
  a.n_lost = 0;
  g_assert_cmpint (ra_lda_on_packet (lda, &a), ==, RA_CAUSE_NONE);
}

void
tests_add (void)
{
  g_test_add_func ("/lda-laws/wrappers", test_wrappers);
  rows_add ("/lda-laws/base", base_rows, test_base);
  g_test_add_data_func ("/lda-laws/growth/ld", "ld", test_growth);
  g_test_add_data_func ("/lda-laws/growth/vegas", "vegas", test_growth);
  g_test_add_data_func ("/lda-laws/growth/spike", "spike", test_growth);
  for (guint i = 0; ra_ldas[i]; i++) {
    for (guint j = 0; j < 4; j++) {
      Case c = { ra_ldas[i], j % 2 ? "paper" : "", j / 2 };

      add (&c, "same", test_same);
      add (&c, "offset", test_offset);
      add (&c, "scale", test_scale);
      add (&c, "verdict", test_verdict);
      add (&c, "no-allocation", test_no_allocation);
      if (!*c.params) /* the papers' minima never age, and do not drift */
        add (&c, "drift", test_drift);
      if (!c.at_sender) { /* these make traffic of their own */
        add (&c, "fresh", test_fresh);
        add (&c, "random", test_random);
      }
    }
  }
}
