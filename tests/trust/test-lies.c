/* Receivers that lie, and honest ones that must not be taken for them: numbers
 * that were never sent, and what a lie costs.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "../rows.h"
#include "lies-fixture.h"
#include "trust.h"

#include <math.h>

/* --- when numbers are left out -------------------------------------------- */

/* An exponential draw of mean m that is cut at 4 m has the mean m (1 - e^-4) =
 * .9817 m, half a packet more as it is rounded up: of 10^6 packets with m = 1000
 * 1,018 numbers, and sqrt (1018) = 32 more or less. */
static void
test_draw (void)
{
  guint n = 0, since = 0, longest = 0, alike = 0;
  RaSkipDraw d, other;

  ra_skip_draw_init (&d, 1);
  ra_skip_draw_init (&other, 2);
  for (guint i = 0; i < 1000000; i++) {
    gboolean skip = ra_skip_draw_next (&d, 1000, TRUE);

    alike += ra_skip_draw_next (&other, 1000, TRUE) && skip;
    n += skip;
    since++;
    longest = MAX (longest, since);
    since = skip ? 0 : since;
  }
  g_assert_cmpuint (n, >, 1018 - 4 * 32);
  g_assert_cmpuint (n, <, 1018 + 4 * 32);
  g_assert_cmpuint (longest, <=, RA_SKIP_LONGEST * 1000);
  g_assert_cmpuint (alike, <, 20); /* one in a thousand is expected */
}

/* Frames of 10 packets: one that is due waits for the next to begin. */
static void
test_draw_frames (void)
{
  guint since = 0, longest = 0;
  RaSkipDraw d;

  ra_skip_draw_init (&d, 3);
  for (guint i = 0; i < 100000; i++)
    g_assert_false (ra_skip_draw_next (&d, 0, TRUE));
  for (guint i = 0; i < 100000; i++) {
    gboolean skip = ra_skip_draw_next (&d, 50, i % 10 == 0);

    g_assert_true (!skip || i % 10 == 0);
    since++;
    longest = MAX (longest, since);
    since = skip ? 0 : since;
  }
  g_assert_cmpuint (longest, <=, RA_SKIP_LONGEST * 50 + 10);
  for (guint i = 0; i < 1000; i++)
    g_assert_false (ra_skip_draw_next (&d, 0, TRUE));
}

/* --- which were ------------------------------------------------------------- */

#define T RA_NUMBER_SENT
#define U RA_NUMBER_UNKNOWN
#define Y RA_NUMBER_FUTURE
#define S RA_NUMBER_SKIPPED

static const struct
{
  guint sent[6]; /* in order, ended by 0 */
  struct
  {
    guint seq;
    RaNumberKind is;
  } asked[5]; /* ended by seq 0 */
  guint skipped;
  const gchar *why;
} unsent_rows[] = {
  { { 10, 11, 12 }, { { 10, T }, { 12, T }, { 9, U }, { 13, Y }, { 33000, U } },
      0, "none is missing; what was before is not known" },
  { { 10, 12 }, { { 11, S }, { 10, T }, { 12, T }, { 13, Y } }, 1, "one" },
  { { 65534, 2 }, { { 65535, S }, { 1, S }, { 65534, T }, { 3, Y } }, 3,
      "over the wrap" },
  { { 10, 20, 15 }, { { 16, S }, { 19, S }, { 15, T }, { 11, U } }, 8,
      "one came late, and those before it may" },
  { { 10, 12, 11 }, { { 11, T }, { 13, Y } }, 0, "the only one came late" },
  { { 10, 12, 12 }, { { 11, S } }, 1, "a copy" },
  { { 10, 12, 40000, 40001 }, { { 30000, U }, { 11, Y }, { 40002, Y } }, 1,
      "a jump: the source began again; 11 is nearer ahead" },
  { { 50000, 50002, 10, 12 }, { { 50001, U }, { 11, S }, { 13, Y } }, 2,
      "a jump back" },
  { { 10, 3009 }, { { 11, S }, { 3008, S } }, 2998,
      "the widest gap, RFC 3550 A.1" },
};

static void
unsent_add (RaLedger *l, guint32 ssrc, guint16 seq)
{
  ra_ledger_add (
      l, &(RaLedgerEntry){ .index = l->next, .ssrc = ssrc, .seq = seq });
}

static void
test_unsent (gconstpointer data)
{
  guint row = GPOINTER_TO_UINT (data);
  g_autofree RaLedger *l = ra_ledger_new ();

  g_test_message ("%s", unsent_rows[row].why);
  for (guint i = 0; i < 6 && unsent_rows[row].sent[i]; i++)
    unsent_add (l, 7, (guint16) unsent_rows[row].sent[i]);
  for (guint i = 0; i < 5 && unsent_rows[row].asked[i].seq; i++) {
    guint16 seq = (guint16) unsent_rows[row].asked[i].seq;

    g_assert_cmpint (
        ra_ledger_number_kind (l, 7, seq), ==, unsent_rows[row].asked[i].is);
    g_assert_cmpint (ra_ledger_number_kind (l, 8, seq), ==, RA_NUMBER_UNKNOWN);
  }
  g_assert_cmpuint (l->skipped, ==, unsent_rows[row].skipped);
}

/* Of 1,000 streams with 1,000 gaps each those of late are known, and what is
 * known takes as much room as ever. */
static void
test_unsent_bounds (void)
{
  g_autofree RaLedger *l = ra_ledger_new ();

  for (guint ssrc = 0; ssrc < 1000; ssrc++) {
    for (guint i = 0; i < 1000; i++)
      unsent_add (l, ssrc, (guint16) (3 * i));
    g_assert_cmpint (
        ra_ledger_number_kind (l, ssrc, 2996), ==, RA_NUMBER_SKIPPED);
    g_assert_cmpint (ra_ledger_number_kind (l, ssrc, 4), ==, RA_NUMBER_UNKNOWN);
  }
  g_assert_cmpint (ra_ledger_number_kind (l, 0, 2996), ==, RA_NUMBER_UNKNOWN);
  g_assert_cmpuint (l->skipped, ==, 1000 * 999 * 2);
}

/* --- what becomes of a liar --------------------------------------------------- */

#define LINE "bottleneck rate=4M queue=200ms ! delay 25ms"

static gboolean
is_liar (const Rows *w, guint *lies)
{
  RaSenderStats stats;

  ra_sender_get_stats (w->sender, &stats);
  *lies = stats.lies;
  return stats.liar;
}

/* The lowest rate for 15 s, whatever it says meanwhile; then as ever.  The next
 * time 30 s; restart is the end of that. */
static void
test_penalty (gconstpointer data)
{
  const RaRateOps *ops = data;
  RowsConfig cfg = { ops->name, "none", LINE, 25 * RA_MSECOND };
  gdouble before;
  guint lies;
  Rows w;

  rows_init (&w, &cfg, 1);
  rows_run (&w, 20 * RA_SECOND);
  before = (gdouble) ra_sender_rate (w.sender);
  for (guint time = 1; time <= 2; time++) {
    RaTime end = ra_later (w.now, (RaSpan) time * 15 * RA_SECOND);

    ra_sender_on_lie (w.sender, w.now);
    while (ra_diff (end, w.now) > RA_SECOND / 2) {
      g_assert_true (is_liar (&w, &lies));
      g_assert_cmpuint (lies, ==, time);
      g_assert_cmpuint (ra_sender_rate (w.sender), ==, 100000);
      rows_run (&w, RA_SECOND / 4);
      ra_sender_on_lie (w.sender, w.now); /* of the same */
    }
    rows_run (&w, RA_SECOND);
    g_assert_false (is_liar (&w, &lies));
    rows_run (&w, 40 * RA_SECOND);
    g_assert_cmpfloat ((gdouble) ra_sender_rate (w.sender), >, .4 * before);
  }
  ra_sender_on_lie (w.sender, w.now);
  g_assert_true (is_liar (&w, &lies));
  ra_sender_restart (w.sender);
  g_assert_false (is_liar (&w, &lies));
  g_assert_cmpuint (lies, ==, 0);
  rows_clear (&w);
}

static void
test_cap_number (void)
{
  RaGuard g;

  ra_guard_init (&g, (gdouble) NAN, TRUE);
  g_assert_cmpfloat (g.cap, ==, 1);
  ra_guard_init (&g, 9, TRUE);
  ra_guard_set (&g, (gdouble) NAN, TRUE);
  g_assert_cmpfloat (g.cap, ==, 9);
  ra_guard_set (&g, -1, TRUE);
  g_assert_cmpfloat (g.cap, ==, 9);
  ra_guard_set (&g, 0, TRUE);
  g_assert_cmpfloat (g.cap, ==, 0);
}

/* The first lie costs 15 s, whatever the clock does: an hour back, and the next
 * report makes it 15 s from then. */
static void
test_lie_clock (void)
{
  RaReport r = { .rtt = RA_SECOND / 20, .expected = 1, .arrived = 1 };
  RaGuard g;

  ra_guard_init (&g, 9, FALSE);
  ra_guard_on_lie (&g, 5000 * RA_SECOND);
  g_assert_cmpuint (ra_guard_next_timeout (&g), ==, 5015 * RA_SECOND);
  ra_guard_on_report (
      &g, &r, RA_PROOF_DELIVERED, 1000, 1000000, 1400 * RA_SECOND);
  g_assert_cmpuint (ra_guard_next_timeout (&g), ==, 1415 * RA_SECOND);
  ra_guard_on_timeout (&g, 1415 * RA_SECOND - 1);
  g_assert_true (ra_guard_is_lied_to (&g));
  ra_guard_on_timeout (&g, 1415 * RA_SECOND);
  g_assert_false (ra_guard_is_lied_to (&g));
  g_assert_cmpuint (ra_guard_next_timeout (&g), ==, RA_TIME_NONE);
}

/* --- RFC 8888: honest ones ---------------------------------------------------- */

static const struct
{
  RowsConfig cfg;
  const gchar *why;
} honest_rows[] = {
  { { "tfrc", "none", LINE, 25 * RA_MSECOND }, "a droptail queue" },
  { { "tfrc", "zbs",
        "bottleneck rate=4M queue=100ms ! each gilbert p=.02 r=.3 ! delay 25ms",
        25 * RA_MSECOND },
      "losses on the radio" },
  { { "tfrc", "none",
        "bottleneck rate=3M queue=200ms ! arq p=.05 delay=30ms ! delay 20ms",
        20 * RA_MSECOND },
      "packets that come late, out of order" },
  { { "newreno", "spike",
        "bottleneck rate=3M queue=200ms ! each jitter std=10ms ! delay 30ms",
        30 * RA_MSECOND },
      "jitter" },
  { { "tfrc", "none", "each bernoulli p=.3 ! delay 50ms", 50 * RA_MSECOND },
      "a path that is hardly one" },
  { { "ssvp", "vegas", "bottleneck rate=8M queue=200ms ! delay 1ms",
        RA_MSECOND },
      "R of 2 ms" },
};

#define HONEST_SPAN (60 * RA_SECOND)

/* With one number in 100 left out nobody is a liar, and as the sender knows of
 * them the rate is what it was: each packet of the link's draws is as before, so
 * the runs are the same. */
static void
test_honest (gconstpointer data)
{
  guint row = GPOINTER_TO_UINT (data);
  RowsConfig cfg = honest_rows[row].cfg;
  g_autofree gchar *name
      = g_strdup_printf ("3 honest, RFC 8888: %s", honest_rows[row].why);
  gdouble plain, skipping;
  guint64 skipped;
  guint lies;
  Rows w;

  rows_init (&w, &cfg, 1);
  rows_run (&w, HONEST_SPAN);
  plain = rows_rate (&w);
  rows_clear (&w);
  cfg.skip = 100;
  rows_init (&w, &cfg, 1);
  rows_run (&w, HONEST_SPAN);
  skipping = rows_rate (&w);
  skipped = ra_sender_ledger (w.sender)->skipped;
  is_liar (&w, &lies);
  trust_row ("attack", name,
      "with 1 number in 100 left out it is no liar, and its rate is the same "
      "within 1 %",
      lies == 0 && w.lies == 0 && w.refused == 0 && skipped > 0
          && fabs (skipping / plain - 1) < .01,
      "%u times of %" G_GUINT64_FORMAT " numbers; %.3f x", lies, skipped,
      skipping / plain);
  rows_clear (&w);
}

/* Each packet is reported once, and for 5 s after `ms` and `silent` one report in `every`
 * is lost: the second first.  A receiver may do so (RFC 8888 3.1, 5). */
static const struct
{
  guint before, ms; /* interval of the reports */
  guint silent;     /* s */
  guint every;
  const gchar *why;
} unheard_rows[] = {
  { 50, 50, 0, 20, "5 % of the reports are lost" },
  { 50, 50, 0, 2, "each second one" },
  { 50, 50, 12, 2, "after a pause of the source" },
  { 250, 50, 0, 2, "the receiver reports more often" },
  { 50, 250, 0, 2, "more rarely" },
};

/* Packets of the last second or two that came and are lost to the sender. */
static guint
rows_wrong (const Rows *w)
{
  RaLedger *ledger = ra_sender_ledger (w->sender);
  guint n = 0;

  for (guint64 i = w->seq - MIN (w->seq, 1000); i < w->seq; i++) {
    const RaLedgerEntry *e = ra_ledger_at (ledger, i);

    n += e && e->fate == RA_FATE_LOST
        && w->arrival[(i + 1) % ROWS_MAX] != RA_TIME_NONE;
  }
  return n;
}

static void
test_unheard (gconstpointer data)
{
  guint row = GPOINTER_TO_UINT (data), wrong = 0;
  RowsConfig cfg = { "tfrc", "none", LINE, 25 * RA_MSECOND };
  g_autofree gchar *name = g_strdup_printf (
      "3 honest, its reports are lost: %s", unheard_rows[row].why);
  Rows w;

  rows_init (&w, &cfg, 1);
  w.once = TRUE;
  w.interval = unheard_rows[row].before * RA_MSECOND;
  rows_run (&w, 20 * RA_SECOND);
  w.silent = unheard_rows[row].silent > 0;
  rows_run (&w, unheard_rows[row].silent * RA_SECOND);
  w.silent = FALSE;
  w.interval = unheard_rows[row].ms * RA_MSECOND;
  w.every = unheard_rows[row].every;
  for (guint i = 0; i < 10; i++) {
    rows_run (&w, RA_SECOND / 2);
    wrong += rows_wrong (&w);
  }
  trust_row ("attack", name, "no packet that came is lost to the sender",
      wrong == 0, "%u", wrong);
  rows_clear (&w);
}

/* --- RFC 8888: liars ------------------------------------------------------------ */

/* Where the nearest one that came did. */
static void
claim (RowsRow *rows, guint n, guint i)
{
  for (guint k = 1; k < n && rows[i].arrival == RA_TIME_NONE; k++) {
    if (i + k < n)
      rows[i].arrival = rows[i + k].arrival;
    if (i >= k && rows[i].arrival == RA_TIME_NONE)
      rows[i].arrival = rows[i - k].arrival;
  }
}

static void
lie_all (Rows *w, RowsRow *rows, guint n, RaSpan *held)
{
  for (guint i = 0; i < n; i++)
    claim (rows, n, i);
}

/* Of what is missing each second one, always the same. */
static void
lie_half (Rows *w, RowsRow *rows, guint n, RaSpan *held)
{
  for (guint i = 0; i < n; i++)
    if (rows[i].number * 2654435761u >> 8 & 1)
      claim (rows, n, i);
}

/* It speaks of nothing that did not come. */
static void
lie_omit (Rows *w, RowsRow *rows, guint n, RaSpan *held)
{
  for (guint i = 0; i < n; i++)
    if (rows[i].arrival == RA_TIME_NONE)
      rows[i].number = 0;
}

/* Each report begins behind the last packet that did not come. */
static void
lie_behind (Rows *w, RowsRow *rows, guint n, RaSpan *held)
{
  guint begin = 0;

  for (guint i = 0; i < n; i++)
    if (rows[i].arrival == RA_TIME_NONE || rows[i].number < w->told)
      begin = i + 1;
  for (guint i = 0; i < begin; i++)
    rows[i].number = 0;
}

/* Before it was sent: half a second of it. */
static void
lie_early (Rows *w, RowsRow *rows, guint n, RaSpan *held)
{
  for (guint i = 0; i < n; i++) {
    claim (rows, n, i);
    rows[i].number += 100;
  }
}

/* Nine tenths of R. */
static void
lie_held (Rows *w, RowsRow *rows, guint n, RaSpan *held)
{
  *held += 45 * RA_MSECOND;
}

/* All came within a tenth of the time, so that X_recv is ten times as much. */
static void
lie_squeezed (Rows *w, RowsRow *rows, guint n, RaSpan *held)
{
  for (guint i = 0; i < n; i++)
    if (rows[i].arrival != RA_TIME_NONE)
      rows[i].arrival = w->newest - (w->newest - rows[i].arrival) / 10;
}

#define LOSSY \
  "bottleneck rate=4M queue=200ms ! each bernoulli p=.02 ! delay 25ms"
#define SEEDS 3

static const struct
{
  RowsLie lie;
  gboolean transport;
  gboolean found; /* out, within RA_SKIP_LONGEST means and what is under way */
  gdouble rate;   /* of the honest run's, over a minute, at most */
  const gchar *name, *promise;
} liar_rows[] = {
  { lie_all, FALSE, TRUE, 1.1, "3 denies all losses, RFC 8888",
      "found out within 5,000 packets; in a minute no more than 1.1 x the "
      "honest run's bytes" },
  { lie_half, FALSE, TRUE, 1.1, "3 denies half of the losses, RFC 8888",
      "found out within 20,000 packets; in a minute no more than 1.1 x the "
      "honest run's bytes" },
  { lie_omit, FALSE, FALSE, 1.1, "3 leaves losses out, RFC 8888",
      "what a report passes over is lost; no more than 1.1 x the honest run's bytes" },
  { lie_behind, FALSE, FALSE, HUGE_VAL, "3 begins behind its losses, RFC 8888",
      "a limit: so do reports behind one that was lost; no more than "
      "max-bitrate" },
  { lie_early, FALSE, FALSE, 1.1, "3 acknowledges before it was sent, RFC 8888",
      "not believed; no more than 1.1 x the honest run's bytes" },
  { lie_held, FALSE, FALSE, 1.1, "3 shrinks R by its waiting, RFC 8888",
      "R is at least .92 of itself, which is worth 1.09; no more than 1.1 x "
      "the honest run's bytes" },
  { lie_squeezed, FALSE, FALSE, 1.1, "3 inflates X_recv, RFC 8888",
      "no more than 1.1 x the honest run's bytes" },
  { lie_squeezed, TRUE, FALSE, 1.1, "3 inflates X_recv, transport-wide",
      "no more than 1.1 x the honest run's bytes" },
  { lie_early, TRUE, FALSE, 1.1,
      "3 acknowledges before it was sent, transport-wide",
      "not believed; no more than 1.1 x the honest run's bytes" },
  { lie_all, TRUE, FALSE, HUGE_VAL, "3 denies all losses, transport-wide",
      "a limit: nobody can know; no more than max-bitrate" },
};

static void
test_liar (gconstpointer data)
{
  guint row = GPOINTER_TO_UINT (data);
  gboolean pass = TRUE;
  gdouble worst = 0;
  guint64 latest = 0;
  RaSpan least_rtt = G_MAXINT64;
  RaTime at = 0;

  for (guint seed = 1; seed <= SEEDS; seed++) {
    RowsConfig cfg = { "tfrc", "none", LOSSY, 25 * RA_MSECOND,
      liar_rows[row].transport ? 0 : 1000, liar_rows[row].transport };
    gdouble honest;
    Rows w;

    rows_init (&w, &cfg, seed);
    rows_run (&w, 60 * RA_SECOND);
    honest = rows_rate (&w);
    rows_clear (&w);
    cfg.lie = liar_rows[row].lie;
    rows_init (&w, &cfg, seed);
    rows_run (&w, 60 * RA_SECOND);
    worst = MAX (worst, rows_rate (&w) / honest);
    pass &= rows_rate (&w) < 20e6;
    if (w.caught >= latest) {
      latest = w.caught;
      at = w.caught_at;
    }
    least_rtt = MIN (least_rtt, w.least_rtt);
    pass &= liar_rows[row].found == (w.lies > 0);
    rows_clear (&w);
  }
  pass &= worst <= liar_rows[row].rate;
  pass &= latest <= (liar_rows[row].lie == lie_half ? 20000 : 5000);
  if (liar_rows[row].found)
    trust_row ("attack", liar_rows[row].name, liar_rows[row].promise, pass,
        "after %" G_GUINT64_FORMAT " packets, %.1f s; %.2f x", latest,
        ra_seconds (ra_diff (at, RA_SECOND)), worst);
  else if (liar_rows[row].lie == lie_held)
    trust_row ("attack", liar_rows[row].name, liar_rows[row].promise,
        pass && least_rtt >= 46 * RA_MSECOND,
        "%.2f x; R at least %.1f of 50 ms", worst, 1e-6 * (gdouble) least_rtt);
  else
    trust_row ("attack", liar_rows[row].name, liar_rows[row].promise, pass,
        "%.2f x", worst);
}

void
tests_add (void)
{
  g_test_add_func ("/lies/draw", test_draw);
  g_test_add_func ("/lies/draw-frames", test_draw_frames);
  rows_add ("/lies/unsent", unsent_rows, test_unsent);
  g_test_add_func ("/lies/unsent-bounds", test_unsent_bounds);
  for (guint i = 0; ra_rates[i]; i++) {
    g_autofree gchar *name
        = g_strdup_printf ("/lies/penalty/%s", ra_rates[i]->name);

    if (!ra_rates[i]->open_loop)
      g_test_add_data_func (name, ra_rates[i], test_penalty);
  }
  g_test_add_func ("/lies/cap-number", test_cap_number);
  g_test_add_func ("/lies/clock-back", test_lie_clock);
  rows_add ("/lies/honest", honest_rows, test_honest);
  rows_add ("/lies/unheard", unheard_rows, test_unheard);
  rows_add ("/lies/liar", liar_rows, test_liar);
}
