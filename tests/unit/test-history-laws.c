/* Laws of the loss history over random losses.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <gst/rtpadapt/loss/history.h>
#include <gst/rtpadapt/util/rng.h>

#include <math.h>

#include "../rows.h"

#define STEP (5 * RA_MSECOND)

/* A loss rate that wanders, so that short and very long intervals come. */
static gdouble
random_rate (RaRng *rng)
{
  return pow (10, -1 - 3 * ra_rng_uniform (rng));
}

static void
check_bounds (const RaHistory *h)
{
  gdouble p = ra_history_p (h), longest = 0, shortest = G_MAXDOUBLE;

  if (ra_history_events (h) == 0) {
    g_assert_cmpfloat (p, ==, 0);
    return;
  }
  for (guint i = 0; i <= MIN (ra_history_events (h), RA_HISTORY_N); i++) {
    gdouble i_i = ra_history_interval (h, i), df = ra_history_discount (h, i);

    g_assert_cmpfloat (i_i, >=, 1);
    g_assert_cmpfloat (df, >, 0);
    g_assert_cmpfloat (df, <=, 1);
    if (i == 0)
      g_assert_cmpfloat (df, >=, 0.25);
    longest = fmax (longest, i_i);
    shortest = fmin (shortest, i_i);
  }
  g_assert_cmpfloat (p, <=, 1);
  g_assert_cmpfloat (p, >=, 1 / longest * (1 - 1e-12));
  g_assert_cmpfloat (p, <=, 1 / shortest * (1 + 1e-12));
}

/* A packet never raises p; p stays between the shortest and the longest
 * interval. */
static void
test_bounds (gconstpointer data)
{
  guint seed = GPOINTER_TO_UINT (data);
  g_autoptr (RaHistory) h = ra_history_new (seed % 2);
  gdouble rate = 0.01;
  RaRng rng;

  ra_rng_init (&rng, seed, 0);
  g_test_message ("seed %u", seed);
  for (guint64 seq = 1; seq < 20000; seq++) {
    RaSpan rtt = ra_rng_next (&rng) % (50 * STEP);
    gdouble p = ra_history_p (h);

    if (seq % 1000 == 0)
      rate = random_rate (&rng);
    if (ra_rng_chance (&rng, rate)) {
      if (ra_history_lose (h, seq, seq * STEP, rtt)
          && ra_history_events (h) == 1)
        ra_history_seed (h, 1 + 100 * ra_rng_uniform (&rng));
      check_bounds (h);
    } else {
      ra_history_on_packet (h, seq);
      g_assert_cmpfloat (ra_history_p (h), <=, p);
      if (seq % 16 == 0)
        check_bounds (h);
    }
  }
}

/* RFC 5348 5.4 and 5.5 as printed, array by array and packet by packet; k
 * closed intervals where the RFC has n. */
typedef struct
{
  gdouble i[RA_HISTORY_N + 1], df_i[RA_HISTORY_N + 1], df;
  guint k;
} Printed;

static gdouble
printed_w (guint i)
{
  const gdouble n = RA_HISTORY_N;

  return i < n / 2 ? 1 : 2 * (n - i) / (n + 2);
}

static void
printed_on_packet (Printed *r)
{
  gdouble i_tot = 0, w_tot = 0;

  r->i[0]++;
  for (guint i = 1; i <= r->k; i++) {
    w_tot += printed_w (i - 1) * r->df_i[i];
    i_tot += r->i[i] * printed_w (i - 1) * r->df_i[i];
  }
  r->df = 1;
  if (r->i[0] > 2 * i_tot / w_tot)
    r->df = fmax (2 * i_tot / w_tot / r->i[0], 0.25);
}

static void
printed_on_event (Printed *r)
{
  for (guint i = 1; i <= RA_HISTORY_N; i++)
    r->df_i[i] *= r->df;
  for (guint i = RA_HISTORY_N; i > 0; i--) {
    r->df_i[i] = r->df_i[i - 1];
    r->i[i] = r->i[i - 1];
  }
  r->i[0] = r->df_i[0] = r->df = 1;
  r->k = MIN (r->k + 1, RA_HISTORY_N);
}

/* Inlined, gcc 12 takes r for not initialized with -O3. */
static G_GNUC_NO_INLINE gdouble
printed_p (const Printed *r)
{
  gdouble i_tot0 = r->i[0], w_tot0 = 1, i_tot1 = 0, w_tot1 = 0;

  for (guint i = 1; i + 1 <= r->k; i++) {
    i_tot0 += r->i[i] * printed_w (i) * r->df_i[i] * r->df;
    w_tot0 += printed_w (i) * r->df_i[i] * r->df;
  }
  for (guint i = 1; i <= r->k; i++) {
    i_tot1 += r->i[i] * printed_w (i - 1) * r->df_i[i];
    w_tot1 += printed_w (i - 1) * r->df_i[i];
  }
  return fmin (w_tot0 / i_tot0, w_tot1 / i_tot1);
}

static void
test_printed (gconstpointer data)
{
  guint seed = GPOINTER_TO_UINT (data);
  g_autoptr (RaHistory) h = ra_history_new (TRUE);
  Printed r = { .i = { 1, 30 }, .df_i = { 1, 1 }, .df = 1, .k = 1 };
  gdouble rate = 0.01;
  RaRng rng;

  ra_rng_init (&rng, seed, 4);
  g_test_message ("seed %u", seed);
  ra_history_lose (h, 1, 0, 0);
  ra_history_seed (h, 30);
  for (guint64 seq = 2; seq < 20000; seq++) {
    if (seq % 500 == 0)
      rate = random_rate (&rng);
    if (ra_rng_chance (&rng, rate)) {
      ra_history_lose (h, seq, 0, 0);
      printed_on_event (&r);
      ra_history_on_packet (h, seq); /* it came marked */
    } else {
      ra_history_on_packet (h, seq);
      printed_on_packet (&r);
    }
    g_assert_cmpfloat_with_epsilon (ra_history_p (h), printed_p (&r), 1e-14);
    g_assert_cmpfloat_with_epsilon (ra_history_discount (h, 0), r.df, 1e-12);
  }
}

static void
assert_same (const RaHistory *a, const RaHistory *b)
{
  g_assert_cmpuint (ra_history_events (a), ==, ra_history_events (b));
  for (guint i = 0; i <= RA_HISTORY_N; i++) {
    g_assert_cmpfloat (
        ra_history_interval (a, i), ==, ra_history_interval (b, i));
    g_assert_cmpfloat (
        ra_history_discount (a, i), ==, ra_history_discount (b, i));
  }
  g_assert_cmpfloat (ra_history_p (a), ==, ra_history_p (b));
}

/* One history hears of losses that others take back up to 150 packets later,
 * its twin never hears of them: once all is taken back they are the same,
 * discounts included.  (Unseeded: a seed is another event's business.) */
static void
test_twin (gconstpointer data)
{
  guint seed = GPOINTER_TO_UINT (data), n_taken_back = 0;
  g_autoptr (RaHistory) h = ra_history_new (seed % 2);
  g_autoptr (RaHistory) twin = ra_history_new (seed % 2);
  g_autoptr (GArray) late = g_array_new (FALSE, FALSE, sizeof (guint64));
  RaRng rng;

  ra_rng_init (&rng, seed, 1);
  g_test_message ("seed %u", seed);
  ra_history_on_packet (h, 1);
  ra_history_on_packet (twin, 1);
  for (guint64 seq = 2; seq < 4000; seq++) {
    RaSpan rtt = 5 * STEP + ra_rng_next (&rng) % (10 * STEP);

    if (ra_rng_chance (&rng, seq % 1024 < 512 ? 0.05 : 0.005)) {
      gboolean comes = ra_rng_chance (&rng, 0.4);

      ra_history_lose (h, seq, seq * STEP, rtt);
      if (comes)
        g_array_append_val (late, seq);
      else
        ra_history_lose (twin, seq, seq * STEP, rtt);
    } else {
      ra_history_on_packet (h, seq);
      ra_history_on_packet (twin, seq);
    }
    if (seq % 150 == 0) { /* in any order */
      while (late->len > 0) {
        guint i = ra_rng_next (&rng) % late->len;
        guint events = ra_history_events (h);
        gboolean removed
            = ra_history_recover (h, g_array_index (late, guint64, i));

        g_assert_cmpint (removed, ==, ra_history_events (h) < events);
        g_array_remove_index_fast (late, i);
        n_taken_back++;
      }
      assert_same (h, twin);
    }
  }
  g_assert_cmpuint (n_taken_back, >, 10);
}

/* Without discounting and with eight closed intervals left, two closed ones
 * that become one never raise p: the sum has the larger of the two weights, and
 * all older ones move to a weight no smaller (RFC 5348 5.4).  Not so when I_0
 * takes an interval in or W_tot shrinks: 1, 1000, 1, 1000 has the mean
 * 2001 / 3, then 1001, 1, 1000 has 1002 / 2. */
static void
test_merge (gconstpointer data)
{
  guint seed = GPOINTER_TO_UINT (data);
  g_autoptr (RaHistory) h = ra_history_new (FALSE);
  guint64 starts[16], seq = 1;
  RaRng rng;

  ra_rng_init (&rng, seed, 2);
  g_test_message ("seed %u", seed);
  ra_history_on_packet (h, seq);
  for (guint i = 0; i < G_N_ELEMENTS (starts); i++) {
    seq += 1 + (guint64) (1 / random_rate (&rng));
    starts[i] = seq;
    ra_history_on_packet (h, seq - 1);
    ra_history_lose (h, seq, 0, 0); /* each loss is an event */
    if (i == 0)
      ra_history_seed (h, 1 + 1000 * ra_rng_uniform (&rng));
  }
  for (guint n = G_N_ELEMENTS (starts) - 1; n > 0; n--) {
    guint i = ra_rng_next (&rng) % n; /* not the newest */
    gdouble p = ra_history_p (h);

    g_assert_true (ra_history_recover (h, starts[i]));
    if (n >= RA_HISTORY_N)
      g_assert_cmpfloat (ra_history_p (h), <=, p * (1 + 1e-12));
    check_bounds (h);
    starts[i] = starts[n - 1];
  }
  g_assert_cmpuint (ra_history_events (h), ==, 1);
}

/* Losses, marks and late packets in any order at any time: no crash, and the
 * bounds hold. */
static void
test_noise (gconstpointer data)
{
  guint seed = GPOINTER_TO_UINT (data);
  g_autoptr (RaHistory) h = ra_history_new (TRUE);
  RaRng rng;

  ra_rng_init (&rng, seed, 3);
  g_test_message ("seed %u", seed);
  for (guint i = 0; i < 20000; i++) {
    guint64 seq = i / 2 + ra_rng_next (&rng) % 3000;

    switch (ra_rng_next (&rng) % 4) {
      case 0:
        ra_history_on_packet (h, seq);
        break;
      case 1:
        ra_history_recover (h, seq);
        break;
      default:
        if (ra_history_lose (h, seq, ra_rng_next (&rng), ra_rng_next (&rng) / 8)
            && ra_history_events (h) == 1)
          ra_history_seed (h, ra_rng_uniform (&rng) * 10);
        break;
    }
    check_bounds (h);
  }
}

void
tests_add (void)
{
  rows_add_n ("/history/bounds", 12, test_bounds);
  rows_add_n ("/history/printed", 8, test_printed);
  rows_add_n ("/history/twin", 20, test_twin);
  rows_add_n ("/history/merge", 50, test_merge);
  rows_add_n ("/history/noise", 4, test_noise);
}
