/* The radio's link models against theory: fades, jitter, retransmission.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "../rows.h"

#include <gst/rtpadapt/link.h>

#include <math.h>
#include <string.h>

#define N_MAX 100000

/* What became of each packet, by its number. */
typedef struct
{
  guint n, lost;
  RaTime out[N_MAX]; /* RA_TIME_NONE: lost */
  gboolean reordered;
  guint64 last_seq;
} Fates;

static Fates a, b; /* too much for a stack */

static void
fates_deliver (const RaLinkPacket *p, RaTime now, gpointer data)
{
  Fates *f = data;

  f->reordered |= p->seq < f->last_seq;
  f->last_seq = MAX (f->last_seq, p->seq);
  f->out[p->seq] = now;
}

static void
fates_drop (const RaLinkPacket *p, RaCause cause, const gchar *node, RaTime now,
    gpointer data)
{
  Fates *f = data;

  g_assert_cmpint (cause, ==, RA_CAUSE_WIRELESS);
  f->lost++;
  f->out[p->seq] = RA_TIME_NONE;
}

/* n packets of `size`, one each `interval`. */
static void
fates_run (Fates *f, const gchar *text, guint64 seed, guint n, guint size,
    RaTime interval)
{
  static const RaLinkSink sink = { fates_deliver, fates_drop, NULL, NULL };
  GError *error = NULL;
  g_autoptr (RaLink) link = ra_link_parse (text, seed, &sink, f, &error);

  g_assert_no_error (error);
  g_assert_cmpuint (n, <=, N_MAX);
  memset (f, 0, sizeof *f);
  f->n = n;
  for (guint i = 0; i < n; i++) {
    RaLinkPacket p = { .seq = i, .size = size };

    ra_link_push (link, &p, i * interval);
  }
  ra_link_run (link, (n + 1) * interval + 3600 * RA_SECOND);
  g_assert_cmpuint (ra_link_held (link), ==, 0);
}

/* --- jakes ------------------------------------------------------------ */

/* Theory of Rayleigh fading (Jakes 1974, 1.3), rho the threshold over rms:
 *   share of time below  P = 1 - exp (-rho^2), so rho = sqrt (-ln (1 - P))
 *   fades per second     N_R = sqrt (2 pi) f_D rho exp (-rho^2)
 *   mean duration        P / N_R
 * rho in the rows by hand from P.  One look each 1 / (50 f_D), which is 1/6
 * of the shortest mean duration here: of chords across a circle (the fades),
 * 1 - sqrt (1 - (1/6 / 1.27)^2) = 1 % are shorter. */
static const struct
{
  gdouble loss, doppler, rho;
  const gchar *why;
} fades[] = {
  { .1, 78.6, .3246, "a tenth of the time" },
  { .1, 5, .3246, "a pedestrian: only the time scale changes" },
  { .3, 78.6, .5972, "shallow fades" },
  { .078, 78.6, .2850, "paper 000, high" },
};

static void
test_fades (gconstpointer data)
{
  guint row = GPOINTER_TO_UINT (data);
  gdouble loss = fades[row].loss, doppler = fades[row].doppler;
  gdouble rho = fades[row].rho, step = 1 / (50 * doppler);
  gdouble n_r = sqrt (2 * G_PI) * doppler * rho * exp (-rho * rho);
  gdouble begun = n_r * N_MAX * step;
  g_autofree gchar *text
      = g_strdup_printf ("jakes %g doppler=%gHz rate=0", loss, doppler);

  for (guint64 seed = 1; seed <= 2; seed++) {
    guint bursts = 0;
    gdouble share, duration;

    fates_run (&a, text, seed, N_MAX, 100, ra_span (step));
    for (guint i = 1; i < N_MAX; i++)
      bursts += a.out[i] == RA_TIME_NONE && a.out[i - 1] != RA_TIME_NONE;
    share = (gdouble) a.lost / N_MAX;
    duration = a.lost * step / bursts;
    g_test_message ("%s (%s): share %.4f, theory %.4f; fades %u, theory %.0f;"
                    " mean ms %.3f, theory %.3f",
        text, fades[row].why, share, loss, bursts, begun, duration * 1e3,
        loss / n_r * 1e3);
    /* 4 sigma of a Poisson number of fades, durations spread no more than
     * their mean; 3 % for the finite sum and the shortest fades */
    g_assert_cmpfloat (fabs (share / loss - 1), <=, .03 + 4 * sqrt (2 / begun));
    g_assert_cmpfloat (fabs (bursts / begun - 1), <=, .03 + 4 / sqrt (begun));
    g_assert_cmpfloat (
        fabs (duration * n_r / loss - 1), <=, .03 + 4 / sqrt (begun));
  }
}

/* The packet loss rate wanted is what comes, also when a packet is on the air
 * for long: paper 000, table I, at its 381 bytes and 150 kbit/s (20.32 ms), and
 * at those of a video of today.  That fades come at random is theory for rare
 * ones. */
static const struct
{
  const gchar *text;
  guint size;
  RaTime interval;
  gdouble loss, about;
  const gchar *why;
} losses[] = {
  { "jakes 7.8% rate=150k size=381", 381, 20320 * RA_USECOND, .078, .03,
      "paper 000, high, back to back" },
  { "jakes 3.1% rate=150k size=381", 381, 20320 * RA_USECOND, .031, .03,
      "paper 000, medium" },
  { "jakes loss=1% rate=150k size=381", 381, 20320 * RA_USECOND, .01, .03,
      "paper 000, low" },
  { "jakes 3.1% rate=150k size=381 doppler=5", 381, 20320 * RA_USECOND, .031,
      .03, "the loss does not depend on the speed" },
  { "jakes", 1200, 4800 * RA_USECOND, .031, .03, "the defaults" },
  { "jakes 20%", 1200, 30 * RA_MSECOND, .2, .1, "frequent" },
};

static void
test_loss (gconstpointer data)
{
  guint row = GPOINTER_TO_UINT (data);
  const guint n = 5000;
  gdouble lost = 0, bursts = 0, share;

  for (guint64 seed = 1; seed <= 3; seed++) {
    fates_run (
        &a, losses[row].text, seed, n, losses[row].size, losses[row].interval);
    lost += a.lost;
    for (guint i = 1; i < n; i++)
      bursts += a.out[i] == RA_TIME_NONE && a.out[i - 1] != RA_TIME_NONE;
  }
  share = lost / (3 * n);
  g_test_message ("%s (%s): %.4f, wanted %.4f; %.2f packets a burst",
      losses[row].text, losses[row].why, share, losses[row].loss,
      lost / bursts);
  /* and 4 sigma of a number of bursts */
  g_assert_cmpfloat (fabs (share / losses[row].loss - 1), <=,
      losses[row].about + 4 * sqrt (2 / bursts));
}

/* Fades belong to the time, not to the packets. */
static void
test_same_fades_at_any_rate (void)
{
  fates_run (&a, "jakes 10% rate=0", 1, 20000, 100, RA_MSECOND);
  fates_run (&b, "jakes 10% rate=0", 1, 2000, 1400, 10 * RA_MSECOND);
  g_assert_cmpuint (b.lost, >, 0);
  for (guint i = 0; i < b.n; i++)
    g_assert_cmpint (
        a.out[10 * i] == RA_TIME_NONE, ==, b.out[i] == RA_TIME_NONE);
}

/* As a pattern: what equal packets sent back to back met, one after the other,
 * to packets of any size and time.  The first of those ends at 20.32 ms. */
static void
test_pattern (void)
{
  fates_run (
      &a, "jakes 10% rate=150k size=381", 1, 5001, 381, 20320 * RA_USECOND);
  fates_run (&b, "jakes 10% rate=150k size=381 pattern=1", 1, 5000, 1400,
      7 * RA_MSECOND);
  g_assert_cmpuint (b.lost, >, 0);
  for (guint i = 0; i < b.n; i++)
    g_assert_cmpint (
        a.out[i + 1] == RA_TIME_NONE, ==, b.out[i] == RA_TIME_NONE);
}

/* On the air for longer is lost at least as surely, packet for packet. */
static void
test_longer_is_lost_more (void)
{
  fates_run (&a, "jakes 10%", 1, 5000, 200, 5 * RA_MSECOND);
  fates_run (&b, "jakes 10%", 1, 5000, 1400, 5 * RA_MSECOND);
  for (guint i = 0; i < a.n; i++)
    g_assert_true (a.out[i] != RA_TIME_NONE || b.out[i] == RA_TIME_NONE);
  g_assert_cmpuint (b.lost, >, a.lost);
}

/* A standing receiver has one fate, whatever comes; nothing is lost at 0. */
static void
test_ends_of_the_ranges (void)
{
  static const gchar *const none[] = { "jakes 0", "jakes 0 rate=0",
    "jakes 0 rate=1 size=65535", "jakes 0 doppler=10k" };

  for (guint i = 0; i < G_N_ELEMENTS (none); i++) {
    fates_run (&a, none[i], 1, 20, 65535, RA_SECOND);
    g_test_message ("%s", none[i]);
    g_assert_cmpuint (a.lost, ==, 0);
  }
  for (guint64 seed = 0; seed < 20; seed++) {
    fates_run (&a, "jakes 50% doppler=0", seed, 100, 1000, RA_SECOND);
    g_assert_true (a.lost == 0 || a.lost == a.n);
  }
}

/* --- jitter ----------------------------------------------------------- */

/* |N(0, 1)| cut at 3: the mean is 2 (phi(0) - phi(3)) + 6 Q(3) = .797120,
 * the variance 1 - 2 Q(3) - 6 phi(3) + 18 Q(3) - .797120^2 = .359608; so
 * 3.98560 ms and 2.99837 ms at 5 ms.  2 Q(3) = .26998 % are cut,
 * 1 - 2 Q(1) = 68.2689 % are below 5 ms.  Packets are so far apart that none
 * holds up another. */
static void
test_jitter_distribution (void)
{
  const guint n = 100000;
  gdouble sum = 0, below = 0, cut = 0;

  fates_run (&a, "jitter", 1, n, 1000, 20 * RA_MSECOND);
  for (guint i = 0; i < n; i++) {
    gint64 z = ra_diff (a.out[i], i * 20 * RA_MSECOND);

    g_assert_cmpint (z, >=, 0);
    g_assert_cmpint (z, <=, 15 * RA_MSECOND);
    sum += (gdouble) z / 1e6;
    below += z < 5 * RA_MSECOND;
    cut += z == 15 * RA_MSECOND;
  }
  g_test_message (
      "mean %.4f ms, below 5 ms %.4f, cut %.5f", sum / n, below / n, cut / n);
  g_assert_cmpuint (a.lost, ==, 0);
  /* 5 sigma */
  g_assert_cmpfloat (fabs (sum / n - 3.98560), <=, 5 * 2.99837 / sqrt (n));
  g_assert_cmpfloat (
      fabs (below / n - .682689), <=, 5 * sqrt (.682689 * .317311 / n));
  g_assert_cmpfloat (fabs (cut / n - .0026998), <=, 5 * sqrt (.0026998 / n));
}

/* j(n) = max (s(n) + z(n), j(n-1) + serial(n-1)): what waits follows the one
 * before by exactly its own serial (1,000 bytes at 2 Mbit/s: 4 ms), and with
 * rate=0 at once. */
static void
test_jitter_order (void)
{
  guint held_up = 0;

  fates_run (&a, "jitter 5ms rate=2M", 1, 5000, 1000, 5 * RA_MSECOND);
  for (guint i = 1; i < a.n; i++) {
    gint64 gap = ra_diff (a.out[i], a.out[i - 1]);

    g_assert_cmpint (gap, >=, 4 * RA_MSECOND);
    held_up += gap == 4 * RA_MSECOND;
    /* whoever is not held up is at most 15 ms late */
    g_assert_true (gap == 4 * RA_MSECOND
        || a.out[i] <= (RaTime) (i * 5 + 15) * RA_MSECOND);
  }
  g_assert_cmpuint (held_up, >, a.n / 10);
  g_assert_cmpuint (held_up, <, a.n);
  fates_run (&a, "jitter 5ms", 1, 5000, 1000, RA_MSECOND);
  g_assert_false (a.reordered);
  for (guint i = 0; i < a.n; i++)
    g_assert_cmpuint (a.out[i], <=, i * RA_MSECOND + 15 * RA_MSECOND);
}

/* --- arq -------------------------------------------------------------- */

/* k repetitions: probability p^k (1 - p), delay k times 40 ms; lost for good
 * with p^(retries + 1). */
static const struct
{
  const gchar *text;
  gdouble p;
  guint retries;
  const gchar *why;
} repeats[] = {
  { "arq .1", .1, 3, "the defaults" },
  { "arq p=.3 retries=1 order=0", .3, 1, "gives up soon: 9 % are lost" },
  { "arq 50% retries=6", .5, 6, "hardly a link" },
  { "arq .2 retries=0", .2, 0, "no repetition: as bernoulli" },
  { "arq 0", 0, 3, "a clear channel" },
  { "arq 1 retries=2", 1, 2, "no channel" },
  { "arq .3 retries=1000", .3, 12, "no limit, as paper 002: all arrive" },
};

static void
test_repeats (gconstpointer data)
{
  guint row = GPOINTER_TO_UINT (data), retries = repeats[row].retries;
  const guint n = 50000;
  gdouble p = repeats[row].p;
  guint count[14] = { 0 };

  g_test_message ("%s: %s", repeats[row].text, repeats[row].why);
  fates_run (&a, repeats[row].text, 1, n, 1000, RA_MSECOND);
  for (guint i = 0; i < n; i++) {
    gint64 late = ra_diff (a.out[i], i * RA_MSECOND);

    if (a.out[i] == RA_TIME_NONE)
      continue;
    g_assert_cmpint (late % (40 * RA_MSECOND), ==, 0);
    count[MIN (late / (40 * RA_MSECOND), 13)]++;
  }
  count[13] += a.lost;
  for (guint k = 0; k <= retries; k++) {
    gdouble share = pow (p, k) * (1 - p);

    g_test_message (
        "%u repetitions: %.5f, theory %.5f", k, count[k] / (gdouble) n, share);
    g_assert_cmpfloat (fabs (count[k] / (gdouble) n - share), <=,
        5 * sqrt (share * (1 - share) / n));
  }
  /* 5 sigma, or some 6 packets where less than one is to be expected */
  g_assert_cmpfloat (fabs (count[13] - pow (p, retries + 1) * n), <=,
      5 * sqrt (pow (p, retries + 1) * (1 - pow (p, retries + 1)) * n)
          + (pow (p, retries + 1) * n < 1 ? 6 : 0));
  g_assert_cmpint (a.reordered, ==, p > 0 && p < 1 && retries > 0);
}

/* order=1 draws the same numbers; a packet leaves when it and all before it
 * have arrived or been given up (retries * 40 ms after they came). */
static void
test_repeats_in_order (void)
{
  RaTime ready = 0;

  fates_run (&a, "arq .3 retries=2", 1, 20000, 1000, 3 * RA_MSECOND);
  fates_run (&b, "arq .3 retries=2 order=1", 1, 20000, 1000, 3 * RA_MSECOND);
  g_assert_true (a.reordered);
  g_assert_false (b.reordered);
  g_assert_cmpuint (a.lost, >, 0);
  for (guint i = 0; i < a.n; i++) {
    gboolean lost = a.out[i] == RA_TIME_NONE;

    ready = MAX (ready, lost ? (RaTime) (i * 3 + 80) * RA_MSECOND : a.out[i]);
    g_assert_cmpuint (b.out[i], ==, lost ? RA_TIME_NONE : ready);
  }
}

void
tests_add (void)
{
  rows_add ("/link-radio/jakes/fades", fades, test_fades);
  rows_add ("/link-radio/jakes/loss", losses, test_loss);
  g_test_add_func (
      "/link-radio/jakes/any-packet-rate", test_same_fades_at_any_rate);
  g_test_add_func ("/link-radio/jakes/pattern", test_pattern);
  g_test_add_func ("/link-radio/jakes/longer", test_longer_is_lost_more);
  g_test_add_func ("/link-radio/jakes/ends", test_ends_of_the_ranges);
  g_test_add_func ("/link-radio/jitter/distribution", test_jitter_distribution);
  g_test_add_func ("/link-radio/jitter/order", test_jitter_order);
  rows_add ("/link-radio/arq/repeats", repeats, test_repeats);
  g_test_add_func ("/link-radio/arq/order", test_repeats_in_order);
}
