/* rate/contest and rate/cubic by hand.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "../rows.h"

#include <gst/rtpadapt/rate/contest.h>

#include <math.h>

#define NOW 100.
#define S 1000.
#define FULL 1500. /* a TCP's packet */
#define RTT .1     /* s: a packet of window is 10000 bytes/s */

static const RaSense sense
    = { .now = NOW, .dt = .04, .interval = .04, .lag = .09 };

/* A window of `begin` packets is reduced `reductions` times, and then grows for
 * `rounds` steps of `dt` at a round trip of `rtt`.  C = .4, beta = .7.
 *
 * 100: w = 70, K = (30 / .4)^(1/3) = 4.217163.  W (.1) = .4 (.1 - K)^3 + 100 =
 * 100 - .4 69.79016 = 72.083936.
 * Twice: 70 had not come back to 100, so w_max = 70 .85 = 59.5, w = 49, K =
 * (10.5 / .4)^(1/3) = 2.971961, W (.1) = 59.5 - .4 2.871961^3 = 50.024643.
 * 10 at 20 ms: W (.02) is 7.09, Reno's is 7 + 3 (.3 / 1.7) = 7.529412 in the
 * first, 10.176471 in the sixth, which is more than 10: 11.176471 in the seventh.
 * 10, not reduced, K = 0: W (10 s) = 410, of which 1.5 w are the goal, a tenth of
 * the way. */
static const struct
{
  const gchar *name;
  gdouble begin;
  guint reductions, rounds;
  gdouble dt, rtt, w;
  const gchar *why;
} window_rows[] = {
  { "concave", 100, 1, 1, .1, .1, 72.083936, "4.4: towards the last maximum" },
  { "convergence", 100, 2, 1, .1, .1, 50.024643, "4.7: room for others" },
  { "reno", 10, 1, 1, .02, .02, 7.529412, "4.3: as many as Reno" },
  { "reno-later", 10, 1, 7, .02, .02, 11.176471, "4.3: and then as quick" },
  { "convex", 10, 0, 1, 1, 10, 10.5, "4.2: 1.5 times a round trip at most" },
};

static void
test_window (gconstpointer data)
{
  guint i = GPOINTER_TO_UINT (data);
  RaCubic c;

  g_test_message ("%s", window_rows[i].why);
  ra_cubic_begin (&c, window_rows[i].begin);
  for (guint n = 0; n < window_rows[i].reductions; n++)
    ra_cubic_reduce (&c);
  for (guint n = 0; n < window_rows[i].rounds; n++)
    ra_cubic_grow (&c, window_rows[i].dt, window_rows[i].rtt);
  g_assert_cmpfloat_with_epsilon (c.w, window_rows[i].w, 1e-5);
}

/* RFC 8312 5.1, table 1, an RTT of .1 s: 187 and 1054 packets. */
static void
test_mean (void)
{
  g_assert_cmpfloat_with_epsilon (ra_cubic_mean (.1, 1e-4), 187, .5);
  g_assert_cmpfloat_with_epsilon (ra_cubic_mean (.1, 1e-5), 1054, .5);
}

/* Standing is longer than 1.3 T + 3 ms.  T = 18 ms: 26.4 ms; a packet of the line's takes
 * 20 ms: 29 ms.  A report after 40 ms moves S by 1 - exp (-.04 / 2) = .0198013. */
static const struct
{
  const gchar *name;
  gdouble queue, shortest, stands;
  const gchar *why;
  gdouble passed; /* s since a test of a short queue passed; 0: none has */
} standing_rows[] = {
  { "above", .027, 0, .0198013, "it is longer" },
  { "below", .026, 0, 0, "it is not" },
  { "packet", .027, .020, 0, "a packet alone is as long" },
  { "again", .024, 0, .0198013, "others may be back: 1.3 T = 23.4 ms", 1 },
  { "ours", .023, 0, 0, "one that flows of our kind hold does not stand", 1 },
  { "later", .024, 0, 0, "they have gone", 20 },
};

static void
test_standing (gconstpointer data)
{
  guint i = GPOINTER_TO_UINT (data);
  RaContest c = { .wanted = 1 };
  RaSense n = sense;

  if (standing_rows[i].passed > 0) {
    c.begun = c.is_short = TRUE;
    c.t_passed = NOW - standing_rows[i].passed;
  }
  n.qm = standing_rows[i].queue;
  n.shortest = standing_rows[i].shortest;
  g_test_message ("%s", standing_rows[i].why);
  ra_contest_hear (&c, &n, .018, FALSE);
  g_assert_cmpfloat_with_epsilon (c.stands, standing_rows[i].stands, 1e-6);
}

/* In full packets of 1500 bytes, where the mean one has 1000: all of it at 1 %, half of
 * the difference at 2 %.
 *
 * X_5348 (RFC 5348 3.1, b = 1, t_RTO = 4 R) at 1 %: f = sqrt (.02 / 3) + 12 sqrt
 * (.00375) .01 (1 + .0032) = .0890217, 1 / f = 11.2332 packets per R; at 15 % .95
 * (test-crowd.c), and at 2 % f =
 * sqrt (.04 / 3) + 12 sqrt (.0075) .02 (1 + .0128) = .1365210, 1 / f = 7.32488.
 * CUBIC's mean (RFC 9438 5.1) at 1 %: 1.053825 (.1 / .01)^.75 =
 * 5.92608, sqrt (2) times 8.38075. */
static const struct
{
  const gchar *name;
  gdouble raw, events, congested, full;
  gdouble w; /* of S bytes */
  const gchar *why;
} belt_rows[] = {
  { "congestion", .01, .01, 1, S, 11.2332, "all is congestion: one TCP's" },
  { "radio", .01, .01, 0, S, 22.4665,
      "all is said to be the radio's: two TCPs'" },
  { "burst", .15, .01, 1, S, 8.38075, "15 losses of 100 in one round trip" },
  { "full", .01, .01, 1, FULL, 16.8498, "a TCP's packets are full ones" },
  { "between", .02, .02, 1, FULL, 9.15610, "half of the difference" },
  { "many", .15, .01, 1, FULL, 8.38075, "a burst of many: of our size" },
};

static void
test_belt (gconstpointer data)
{
  guint i = GPOINTER_TO_UINT (data);
  RaContest c = { .wanted = 1,
    .begun = TRUE,
    .competes = TRUE,
    .stands = 1,
    .t_test = NOW,
    .t_entered = NOW };
  RaSense n = sense;

  n.raw_3s = belt_rows[i].raw;
  n.events_3s = belt_rows[i].events;
  n.congested = belt_rows[i].congested;
  g_test_message ("%s", belt_rows[i].why);
  ra_cubic_begin (&c.tcp, 100);
  g_assert_cmpfloat_with_epsilon (
      ra_contest_rate (&c, &n, .01, 0, S, belt_rows[i].full, RTT, TRUE),
      belt_rows[i].w * S / RTT, 2);
}

/* The queue stands again after a test that passed.  5 packets per R arrive. */
static const struct
{
  const gchar *name;
  gdouble passed, proof,
      kept;         /* s ago: that test; a loss; a test that failed */
  gdouble w, after; /* packets; 0: there is no competition */
  const gchar *why;
  gdouble rose; /* s ago, 0: never */
} again_rows[] = {
  { "kept", 1, 0, 100, 20, 20, "the window that it had" },
  { "more", 1, 0, 100, 3, 5, "but no less than arrives" },
  { "late", 9, 0, 100, 20, 0, "too long ago" },
  { "before", 1, 2, 100, 20, 0, "what was lost before may be the line's step" },
  { "rival", 1, 2, 29, 20, 20, "but a test has found a rival" },
  { "gone", 1, 2, 31, 20, 0, "too long ago" },
  { "no-loss", 1, 11, 29, 20, 0, "which loses packets, if it is a TCP" },
  { "fade", 1, 0, 100, 20, 0, "the backlog of a line that was slower", 3.9 },
  { "after", 1, 0, 100, 20, 20, "it has had its time", 4.1 },
};

static void
test_again (gconstpointer data)
{
  guint i = GPOINTER_TO_UINT (data);
  RaContest c = { .wanted = 1,
    .begun = TRUE,
    .stands = .3,
    .t_test = NOW,
    .t_proof = NOW - again_rows[i].proof,
    .t_kept = NOW - again_rows[i].kept,
    .t_passed = NOW - again_rows[i].passed };
  RaSense n = sense;

  n.t_rose = again_rows[i].rose > 0 ? NOW - again_rows[i].rose : 0;
  n.r = n.r_most = 5 * S / RTT;
  g_test_message ("%s", again_rows[i].why);
  ra_cubic_begin (&c.tcp, again_rows[i].w);
  g_assert_cmpfloat_with_epsilon (
      ra_contest_rate (&c, &n, .01, 0, S, S, RTT, FALSE),
      again_rows[i].after * S / RTT, 1);
}

/* The lowest queues of 8 reports: .25 of .4 s are .1 s, and .5 of .2 s.  A test leaves half
 * of 9, and where there is none x is 8. */
static const struct
{
  gdouble by, span;
  gboolean competes;
  gdouble x;
  const gchar *why;
} rose_rows[] = {
  { .11, .39, FALSE, 8, "the line is slower: no test" },
  { .09, .3, FALSE, 4.5, "a few frames" },
  { .11, .45, FALSE, 4.5, "a TCP" },
  { .11, .21, FALSE, 8, "slower still" },
  { .11, .19, TRUE, 3, "what arrives, as nobody else is there" },
  { .11, .23, TRUE, 0, "others may be: as a TCP" },
};

static void
test_rose (gconstpointer data)
{
  guint i = GPOINTER_TO_UINT (data);
  gboolean competes = rose_rows[i].competes;
  RaContest c = { .wanted = 1,
    .begun = TRUE,
    .drain = competes ? RA_DRAIN_NONE : RA_DRAIN_BASE,
    .competes = competes,
    .t_began = NOW,
    .t_test = NOW,
    .x_back = 9 };
  RaSense n = sense;

  n.n_lo = RA_SENSE_QUEUES;
  n.lo_at[0] = n.now;
  n.lo_at[7] = n.now - rose_rows[i].span;
  n.lo[0] = n.q_lo = n.q2 = n.qm = .02 + rose_rows[i].by;
  n.lo[7] = .02;
  n.r = 3;
  ra_sense_hear_rise (&n);
  c.stands = 1;
  g_test_message ("%s", rose_rows[i].why);
  n.r = ra_contest_rate (&c, &n, .01, 8, S, S, RTT, FALSE);
  g_assert_true (n.r == rose_rows[i].x || rose_rows[i].x <= 0);
  g_assert_cmpint (c.competes, ==, rose_rows[i].x <= 0);
  g_assert_cmpint (c.due, ==, rose_rows[i].x == 8); /* void: due again */
}

/* Growth ends where more than twice of what arrives would be sent.  After a drain test,
 * which has lowered what arrives, the most that arrived of late counts. */
static void
test_growth (void)
{
  for (guint i = 0; i < 4; i++) {
    guint arrives = i < 2 ? 4 : 6, known = i % 2;
    RaContest c = { .wanted = 1, .begun = TRUE, .competes = TRUE, .stands = 1 };
    RaSense n = sense;

    c.t_entered = c.t_congestion = c.t_test = NOW - 2 * known;
    n.dt = RTT;
    n.r_most = arrives * FULL / RTT;
    n.r = known ? n.r_most : FULL / RTT;
    ra_cubic_begin (&c.tcp, 10); /* RFC 9438 4.3, from the maximum on: + 1 */
    g_assert_cmpfloat_with_epsilon (
        ra_contest_rate (&c, &n, .01, 0, S, FULL, RTT, FALSE),
        (arrives < 5 ? 10 : 11) * FULL / RTT, 1);
  }
}

/* 64 of 100 rates are kept, all of the last .032 s; the lag is longer. */
static void
test_kept (void)
{
  RaSense n = sense;

  for (guint x = 0; x < 100; x++, n.now += .0005)
    ra_sense_set (&n, x);
  g_assert_cmpfloat (ra_sense_x_then (&n), ==, 36);
}

/* A test of a standing queue ends, after 3 D + 2 q_max = .27 + .1 s.  It began where
 * 29 ms are standing (T = 20 ms); a target of 24 ms, of the rate that the test has
 * halved, would make that 34.2 ms. */
static void
test_failed (void)
{
  /* Longer; longer with the jitter, 31.5 ms; 28 ms are too little to fight for. */
  const gdouble queues[] = { .0300, .0265, .0230 },
                jitters[] = { 0, .005, .005 };

  for (guint i = 0; i < 3; i++) {
    RaContest c = { .wanted = 1, .begun = TRUE, .stands = .5, .q_max = .05 };
    RaSense n = sense;

    c.drain = RA_DRAIN_STAND;
    c.stands_at = .029;
    c.t_began = NOW - .4;
    c.x_back = n.r = n.r_most = 5 * S / RTT;
    n.qm = n.q2 = n.q_lo = queues[i];
    n.jitter = jitters[i];
    ra_contest_rate (&c, &n, .024, 0, S, S, RTT, FALSE);
    g_assert_cmpint (c.drain, ==, RA_DRAIN_NONE);
    g_assert_cmpint (c.competes, ==, i < 2);
    g_assert_cmpfloat (c.t_kept, ==, c.competes ? NOW : 0);
  }
}

/* Losses have armed a test, which fails: 12 ms are left.  At T = 18 ms only 26.4 ms
 * stand, but others fill this queue, and it is short: above 8 ms it stands.  After
 * reports each 40 ms S is exp (-.02 i) if it does not; .1526 in the 94th, .1496,
 * which is below .15, in the 95th. */
static const struct
{
  const gchar *name;
  gdouble queue; /* s, once the competition has begun */
  guint reports;
  RaDrain drain;
  const gchar *why;
} short_rows[] = {
  { "at-once", .012, 1, RA_DRAIN_NONE, "the competition has just begun" },
  { "stands", .012, 200, RA_DRAIN_NONE, "the rival is still there" },
  { "goes", .006, 94, RA_DRAIN_NONE, "it may have lost packets only" },
  { "gone", .006, 95, RA_DRAIN_END, "the queue has been short for long" },
};

static void
test_short (gconstpointer data)
{
  guint i = GPOINTER_TO_UINT (data);
  RaContest c = { .wanted = 1,
    .armed = 1,
    .begun = TRUE,
    .drain = RA_DRAIN_LOSS,
    .q_began = .012,
    .q_max = .012,
    .t_began = NOW - .4,
    .x_back = 5 * S / RTT };
  RaSense n = sense;

  g_test_message ("%s", short_rows[i].why);
  n.r = n.r_most = 5 * S / RTT;
  n.qm = n.q2 = n.q_lo = .012;
  ra_contest_rate (&c, &n, .018, 0, S, S, RTT, FALSE);
  g_assert_true (c.competes);
  n.qm = n.q2 = n.q_lo = short_rows[i].queue;
  for (guint report = 0; report < short_rows[i].reports; report++) {
    g_assert_cmpint (c.drain, ==, RA_DRAIN_NONE);
    n.now += n.dt;
    ra_contest_hear (&c, &n, .018, FALSE);
    ra_contest_rate (&c, &n, .018, 0, S, S, RTT, FALSE);
  }
  g_assert_true (c.competes);
  g_assert_cmpint (c.drain, ==, short_rows[i].drain);
}

/* The same test ends with a queue that stands.  Where packets were lost to congestion in
 * the last 5 s the competition begins as in slow start, where teeth alone led to the test
 * it does not. */
static void
test_gentle (void)
{
  for (guint ago = 1; ago <= 9; ago += 8) {
    RaContest c = { .wanted = 1,
      .armed = 1,
      .begun = TRUE,
      .begins = TRUE,
      .drain = RA_DRAIN_LOSS,
      .stands_at = .008,
      .t_began = NOW - .4,
      .t_congestion = NOW - ago,
      .x_back = 5 * S / RTT };
    RaSense n = sense;

    n.r = n.r_most = 5 * S / RTT;
    n.qm = n.q2 = n.q_lo = .012;
    ra_contest_rate (&c, &n, .018, 0, S, S, RTT, FALSE);
    g_assert_true (c.competes);
    g_assert_cmpint (c.begins, ==, ago < 5);
  }
}

/* A rival's sawtooth, at T = 18 ms: for 1 s the queue is `top`, for .2 s `low`, for .6 s
 * `after`; at the end it is `last` for 1 s.  3 D = .27 s, 7 D = .63 s.  A fall counts from
 * .65 of the top on, and if less than .8 of it has come back.  Where .8 of what arrives is
 * sent in the report of the fall, the queue becomes shorter by .2 of 40 ms, and 1.5 times
 * those 8 ms are more than any fall here. */
static const struct
{
  const gchar *name;
  guint teeth;
  gdouble top, low, after, last; /* s */
  gdouble x;                     /* of what arrives, while it falls */
  RaDrain drain;
  const gchar *why;
  gdouble first; /* the first one's top, or 0: as the others' */
} teeth_rows[] = {
  { "two", 2, .022, .012, .013, .020, 1, RA_DRAIN_LOSS,
      "a TCP that loses alone" },
  { "one", 1, .022, .012, .013, .020, 1, RA_DRAIN_NONE, "may be anything" },
  { "short", 2, .017, .010, .011, .020, 1, RA_DRAIN_NONE,
      "flows of our kind hold such a queue" },
  { "long", 2, .040, .020, .021, .022, 1, RA_DRAIN_NONE,
      "more than 2.2 T = 39.6 ms" },
  { "shallow", 2, .022, .015, .015, .020, 1, RA_DRAIN_NONE, ".68 are left" },
  { "ours", 2, .022, .012, .013, .020, .8, RA_DRAIN_NONE, "we have sent less" },
  { "back", 2, .022, .012, .018, .020, 1, RA_DRAIN_NONE, "a test of our kind" },
  { "gone", 2, .022, .012, .013, .017, 1, RA_DRAIN_NONE, "no longer too long" },
  { "even", 2, .022, .012, .013, .020, 1, RA_DRAIN_LOSS,
      "22 ms are .92 of 24 ms: both may be a queue's limit", .024 },
  { "uneven", 2, .022, .012, .013, .020, 1, RA_DRAIN_NONE,
      ".88 of 25 ms: flows that come one after the other", .025 },
};

static void
test_teeth (gconstpointer data)
{
  guint i = GPOINTER_TO_UINT (data), reports = teeth_rows[i].teeth * 45;
  RaContest c = {
    .wanted = 1, .armed = 1, .begun = TRUE, .t_low = NOW, .t_test = NOW - 10
  };
  RaSense n = sense;

  g_test_message ("%s", teeth_rows[i].why);
  n.r = n.r_most = 5 * S / RTT;
  c.q_before = teeth_rows[i].top;
  n.n_sent = 1;
  for (guint report = 0; report < reports + 25; report++) {
    guint at = report % 45;
    gboolean falls = report < reports && at == 25;

    n.sent_x[0] = (falls ? teeth_rows[i].x : 1) * n.r;
    n.qm = n.q2 = n.q_lo = report >= reports     ? teeth_rows[i].last
        : report < 25 && teeth_rows[i].first > 0 ? teeth_rows[i].first
        : at < 25                                ? teeth_rows[i].top
        : at < 30                                ? teeth_rows[i].low
                                                 : teeth_rows[i].after;
    n.now += n.dt;
    ra_contest_hear (&c, &n, .018, FALSE);
  }
  ra_contest_rate (&c, &n, .018, n.r, S, S, RTT, FALSE);
  g_assert_cmpint (c.drain, ==, teeth_rows[i].drain);
}

/* At T = 18 ms a queue goes from `from` to `to` within `reports` of 40 ms, at `x` of what
 * arrives.  Where .97 are sent others have filled .03 s per second, less the drift of
 * .003: 1.08 ms a report, and 30 ms of it ask for a test: 28 reports. */
static const struct
{
  const gchar *name;
  guint reports;
  gdouble from, to, x;
  RaDrain drain;
  const gchar *why;
  gdouble tested; /* s before the first report a test ended, or 0: long ago */
} filled_rows[] = {
  { "stays", 30, .020, .020, .97, RA_DRAIN_LOSS,
      "it stays although we send less: others fill it" },
  { "soon", 26, .020, .020, .97, RA_DRAIN_NONE, "28.1 ms so far" },
  { "ours", 30, .056, .020, .97, RA_DRAIN_NONE,
      ".03 of 1.2 s shorter: nobody else fills it" },
  { "even", 30, .020, .020, 1, RA_DRAIN_NONE, "we send what arrives" },
  { "more", 30, .020, .055, 1, RA_DRAIN_LOSS,
      "35 ms longer, less 3.6 of drift" },
  { "own-more", 30, .020, .055, 1.03, RA_DRAIN_NONE,
      "36 ms of that were ours" },
  { "target", 40, .016, .016, .97, RA_DRAIN_NONE, "no longer than the target" },
  { "after", 30, .020, .020, .97, RA_DRAIN_NONE,
      "2 D = .18 s after a test, 4 reports, r is not yet what arrives", .02 },
};

static void
test_filled (gconstpointer data)
{
  guint i = GPOINTER_TO_UINT (data);
  gdouble tested = filled_rows[i].tested;
  RaContest c = { .wanted = 1,
    .armed = 1,
    .begun = TRUE,
    .t_low = NOW,
    .t_test = NOW - (tested > 0 ? tested : 10),
    .q_before = filled_rows[i].from };
  RaSense n = sense;

  g_test_message ("%s", filled_rows[i].why);
  n.r = n.r_most = 5 * S / RTT;
  n.sent_x[0] = filled_rows[i].x * n.r;
  n.n_sent = 1;
  for (guint report = 1; report <= filled_rows[i].reports; report++) {
    n.qm = n.q2 = n.q_lo = filled_rows[i].from
        + (filled_rows[i].to - filled_rows[i].from) * report
            / filled_rows[i].reports;
    n.now += n.dt;
    ra_contest_hear (&c, &n, .018, FALSE);
  }
  ra_contest_rate (&c, &n, .018, n.r, S, S, RTT, FALSE);
  g_assert_cmpint (c.drain, ==, filled_rows[i].drain);
}

/* Two tests of a competition end at 40 ms: the route is so much longer.  The rate goes
 * on at what arrived, not at a window that was to fill a rival's queue, and a queue
 * that comes back is no rival's. */
static void
test_route (void)
{
  RaContest c = { .wanted = 1,
    .begun = TRUE,
    .competes = TRUE,
    .drain = RA_DRAIN_END,
    .stands = 1,
    .x_back = 9 * S / RTT,
    .r_began = 5 * S / RTT,
    .q_began = .04,
    .q_max = .04,
    .n_drained
    = 1, /* the next queue that it empties shows that the line is ours */
    .floor = .040,
    .f_lo = .040,
    .f_hi = .040,
    .n_floor = 2,
    .t_passed = NOW - 1,
    .t_congestion = NOW - 2,
    .t_began = NOW - 1 };
  RaSense n = sense;

  n.qm = n.q2 = n.q_lo = .040;
  ra_cubic_begin (&c.tcp, 9);
  g_assert_cmpfloat_with_epsilon (
      ra_contest_rate (&c, &n, .01, 0, S, S, RTT, FALSE), 5 * S / RTT, 1);
  g_assert_false (c.competes);
  g_assert_cmpfloat (c.rebased_by, ==, .040);
  g_assert_cmpfloat (c.q_longest, ==, 0);
  g_assert_cmpuint (c.n_drained, ==, 0);
  g_assert_cmpfloat (c.t_passed, <, NOW - 100);
}

/* A test's end at 25 to `top` ms, `outage` s after an outage; the last test ended at 25 ms,
 * too, if `again`.  The standard deviation was 4 ms and has risen to 20: 3 ms and three
 * times 4 may be noise. */
static const struct
{
  const gchar *name;
  gdouble outage, top;
  gboolean found;
  const gchar *why;
  gdouble empty, raw, lost, all;
  gboolean again;
  gdouble proof;   /* many losses to congestion, then */
  gboolean waits;  /* for the next test */
  gboolean waited; /* as the last one did */
  gdouble low;     /* s, if not 25 ms */
} new_path_rows[] = {
  { "none", 100, .025, FALSE,
      "one test shows neither a longer route nor others", .waits = TRUE },
  { "high", 100, .031, FALSE, "a route so much longer is a jump", .low = .030 },
  { "rival", 100, .025, FALSE, "losses have shown others", .proof = NOW - 9 },
  { "gone", 100, .025, FALSE, "the losses are too old", .proof = NOW - 11,
      .waits = TRUE },
  { "two", 100, .025, TRUE, "two do", .again = TRUE },
  { "drifts", 100, .025, FALSE, "the second ends at another level: others",
      .waited = TRUE },
  { "outage", 3, .025, TRUE, "after an outage one is enough" },
  { "noise", 3, .039, TRUE, "as reports differed before" },
  { "uneven", 3, .041, FALSE, "more than that: others" },
  { "lost", 3, .025, FALSE, "a full queue loses packets", 0, 0, 1, 20 },
  { "radio", 3, .025, TRUE, "1 + 2 sqrt 1, as empty", .05, .05, 3, 20 },
  { "more", 3, .025, FALSE, "and more than that", .05, .05, 4, 20 },
  { "few", 100, .025, FALSE, "19 of which 1.9 had been lost", 0, .1, 0, 19,
      TRUE },
  { "enough", 100, .025, TRUE, "2.1 are missing", 0, .1, 0, 21, TRUE },
  { "before", 3, .025, TRUE, "the outage has lost them", 0, .1, 0, 19 },
};

static void
test_new_path (gconstpointer data)
{
  guint i = GPOINTER_TO_UINT (data);
  gdouble low = new_path_rows[i].low > 0 ? new_path_rows[i].low : .025;
  RaContest c = { .wanted = 1,
    .begun = TRUE,
    .drain = RA_DRAIN_STAND,
    .x_back = 5 * S / RTT,
    .r_began = 5 * S / RTT,
    .q_max = .04,
    .f_lo = low,
    .f_hi = new_path_rows[i].top,
    .f_found = new_path_rows[i].lost,
    .f_all = new_path_rows[i].all,
    .n_floor = 2,
    .t_new = NOW - new_path_rows[i].outage,
    .n_new = 1,
    .floor = new_path_rows[i].again ? .025 : 0,
    .t_proof = new_path_rows[i].proof,
    .waited = new_path_rows[i].waited,
    .t_began = NOW - 1 };
  RaSense n = sense;

  g_test_message ("%s", new_path_rows[i].why);
  n.qm = n.q2 = n.q_lo = low;
  n.dev_lasts = .004;
  n.dev = .020;
  n.raw = new_path_rows[i].raw;
  n.raw_empty = new_path_rows[i].empty;
  ra_contest_rate (&c, &n, .01, 0, S, S, RTT, FALSE);
  g_assert_cmpint (
      c.competes, ==, !new_path_rows[i].found && !new_path_rows[i].waits);
  g_assert_cmpint (c.waited, ==, new_path_rows[i].waits);
  g_assert_cmpfloat (c.rebased_by, ==, new_path_rows[i].found ? .025 : 0);
  g_assert_cmpfloat (c.q_longest, ==, new_path_rows[i].found ? 0 : low);
  g_assert_cmpuint (c.n_new, ==, 0);
  c.stands = 1;
  n.now += 1.1; /* 2 s are usual from test to test */
  ra_contest_rate (&c, &n, .01, 0, S, S, RTT, FALSE);
  g_assert_cmpint (c.drain == RA_DRAIN_STAND, ==, new_path_rows[i].waits);
}

/* The queue grows by `grew` from one report to the next.  30 ms, a packet and four times the
 * noise may be growth; after more a test asks whether the route is longer, within 2 s and no
 * sooner than a lag, 90 ms.  With T = 10 ms a queue of 16 ms stands, and twice that is 32. */
static const struct
{
  gdouble grew; /* s */
  RaDrain later;
  const gchar *why;
  gdouble before, noise, packet, shorter; /* s; shorter: than a report before */
  gdouble after;                          /* s, the jump; 0: .1 */
  gdouble same;   /* s, before the jump the path was found the same */
  gdouble outage; /* s, before the jump one ended */
  gboolean competes;
} jump_rows[] = {
  { .031, RA_DRAIN_BASE, "no queue of ours grows so fast" },
  { .029, RA_DRAIN_NONE, "nearly twice what the line carries arrives" },
  { .051, RA_DRAIN_BASE, "more than noise", .noise = .005 },
  { .049, RA_DRAIN_NONE, "noise", .noise = .005 },
  { .041, RA_DRAIN_BASE, "more than a packet", .packet = .010 },
  { .039, RA_DRAIN_NONE, "a packet before ours", .packet = .010 },
  { .031, RA_DRAIN_BASE, "after a queue of ours", .before = .031 },
  { .031, RA_DRAIN_NONE, "others kept a queue", .before = .033 },
  { .031, RA_DRAIN_NONE, "others make jumps", .competes = TRUE },
  { .031, RA_DRAIN_BASE, "it keeps its length", .shorter = .002 },
  { .031, RA_DRAIN_NONE, "a backlog of ours drains", .shorter = .004 },
  { .031, RA_DRAIN_BASE, "a backlog was drained before", .after = 1.9 },
  { .031, RA_DRAIN_NONE, "the end of a fade", .after = 2.1 },
  { .031, RA_DRAIN_BASE, "the path was the same long ago", .same = 21 },
  { .031, RA_DRAIN_NONE, "the radio stalls", .same = 19 },
  { .031, RA_DRAIN_BASE, "repaired", .outage = 1.1 },
  { .031, RA_DRAIN_NONE, "pictures wait for repair", .outage = .8 },
};

static void
test_jump (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (jump_rows); i++) {
    RaContest c = { .wanted = 1,
      .begun = TRUE,
      .t_test = NOW - 3,
      .t_low = NOW,
      .t_congestion = -(gdouble) INFINITY,
      .t_same = jump_rows[i].same > 0 ? NOW - jump_rows[i].same : 0,
      .competes = jump_rows[i].competes,
      .stands = .3 };
    RaSense n = sense;

    g_test_message ("%s", jump_rows[i].why);
    n.r = n.r_most = 50 * S / RTT;
    n.q_grew = jump_rows[i].grew;
    n.qm = n.q2 = n.q_lo = jump_rows[i].before + n.q_grew;
    n.dev_lasts = jump_rows[i].noise;
    n.packet = jump_rows[i].packet;
    n.now = NOW - jump_rows[i].outage;
    if (n.now < NOW)
      ra_contest_after_outage (&c, &n);
    n.now = NOW;
    ra_contest_hear (&c, &n, .01, FALSE);
    ra_contest_rate (&c, &n, .01, n.r, S, S, RTT, FALSE);
    g_assert_cmpint (c.drain, ==, RA_DRAIN_NONE);
    n.q_grew = 0;
    n.n_lo = 2;
    n.lo[0] = n.q_lo;
    n.lo[1] = n.q_lo + jump_rows[i].shorter;
    n.now += jump_rows[i].after > 0 ? jump_rows[i].after : .1;
    ra_contest_rate (&c, &n, .01, n.r, S, S, RTT, FALSE);
    g_assert_cmpint (c.drain, ==, jump_rows[i].later);
  }
}

/* A test for a queue that stands empties it, so that the path is not longer. */
static const struct
{
  gdouble has, queue, rose; /* part of r_most; s, before the test; s ago */
  gboolean competes;
  const gchar *why;
  gdouble proof; /* many losses to congestion, then */
} starved_rows[] = {
  { .5, .030, 9, FALSE, "the queue was ours" },
  { .05, .030, 9, TRUE, "so little fills no queue", NOW - 9 },
  { .05, .030, 9, FALSE, "nobody else has been seen", NOW - 11 },
  { .05, .006, 9, FALSE, "a short one it may", NOW - 9 },
  { .05, .030, 3, FALSE, "a line that becomes slower", NOW - 9 },
};

static void
test_starved (gconstpointer data)
{
  guint i = GPOINTER_TO_UINT (data);
  RaContest c = { .wanted = 1,
    .begun = TRUE,
    .drain = RA_DRAIN_STAND,
    .q_began = starved_rows[i].queue,
    .t_proof = starved_rows[i].proof,
    .t_new = NOW - .2,
    .n_new = 2,
    .t_began = NOW - .1 };
  RaSense n = sense;

  g_test_message ("%s", starved_rows[i].why);
  n.t_rose = NOW - starved_rows[i].rose;
  n.r_most = 50 * S / RTT;
  n.r = starved_rows[i].has * n.r_most;
  ra_contest_rate (&c, &n, .018, 0, S, S, RTT, FALSE);
  g_assert_cmpint (c.drain, ==, RA_DRAIN_NONE);
  g_assert_cmpint (c.competes, ==, starved_rows[i].competes);
  g_assert_cmpuint (c.n_new, ==, 0);
  g_assert_cmpfloat (c.t_same, ==, NOW);
}

/* By how much others have lengthened the queue counts half after a test that passed,
 * and is forgotten in a competition. */
static void
test_filled_ends (void)
{
  RaContest c = { .wanted = 1,
    .begun = TRUE,
    .drain = RA_DRAIN_BASE,
    .t_began = NOW - .1,
    .filled = .040 };
  RaSense n = sense;

  n.r = n.r_most = 5 * S / RTT;
  ra_contest_rate (&c, &n, .018, 0, S, S, RTT, FALSE);
  g_assert_cmpint (c.drain, ==, RA_DRAIN_NONE);
  g_assert_cmpfloat_with_epsilon (c.filled, .020, 1e-9);
  c.competes = TRUE;
  ra_contest_hear (&c, &n, .018, FALSE);
  g_assert_cmpfloat (c.filled, ==, 0);
}

/* .2 less than what arrived at the top was sent for 40 ms, which is 8 ms of queue, and 1.5
 * times that 12: a fall of 11.5 ms may be ours, although what arrives has fallen, too. */
static void
test_fall_own (void)
{
  const gdouble r = 5 * S / RTT;
  RaContest c = { .wanted = 1,
    .begun = TRUE,
    .t_top = NOW - .04,
    .q_top = .030,
    .q_full = { .030 },
    .r_top = r };
  RaSense n = sense;

  n.r = n.sent_x[0] = .8 * r;
  n.n_sent = 1;
  n.q2 = n.qm = n.q_lo = .0185;
  ra_contest_hear (&c, &n, .018, FALSE);
  g_assert_false (c.fell);
}

/* T = 18 ms: 26.4 ms stand, and of them a test leaves .8, 21.12 ms, if others keep
 * them. */
static void
test_leaves (void)
{
  RaContest c
      = { .wanted = 1, .begun = TRUE, .stands = .5, .t_test = NOW - 10 };
  RaSense n = sense;

  n.r = n.r_most = 5 * S / RTT;
  n.qm = n.q2 = n.q_lo = .030;
  ra_contest_rate (&c, &n, .018, n.r, S, S, RTT, FALSE);
  g_assert_cmpint (c.drain, ==, RA_DRAIN_STAND);
  g_assert_cmpfloat_with_epsilon (c.stands_at, .02112, 1e-9);
}

/* After a ramp that a loss ended, an empty queue says nothing for a lag. */
static void
test_ramp_ended (void)
{
  for (guint lost = 0; lost < 2; lost++) {
    RaContest c = { .wanted = 1, .begun = TRUE, .t_low = NOW };
    RaSense n = sense;

    ra_contest_ramp_ended (&c, lost > 0);
    ra_contest_rate (&c, &n, .018, S / RTT, S, S, RTT, FALSE);
    g_assert_cmpint (c.drain, ==, lost ? RA_DRAIN_BASE : RA_DRAIN_NONE);
    n.now += n.lag;
    ra_contest_rate (&c, &n, .018, S / RTT, S, S, RTT, FALSE);
    g_assert_cmpint (c.drain, ==, RA_DRAIN_NONE);
  }
}

void
tests_add (void)
{
  rows_add_by ("/cubic/window", window_rows, name, test_window);
  g_test_add_func ("/cubic/mean", test_mean);
  rows_add_by ("/contest/standing", standing_rows, name, test_standing);
  rows_add_by ("/contest/belt", belt_rows, name, test_belt);
  rows_add ("/contest/rose", rose_rows, test_rose);
  rows_add_by ("/contest/again", again_rows, name, test_again);
  rows_add_by ("/contest/new-path", new_path_rows, name, test_new_path);
  g_test_add_func ("/contest/jump", test_jump);
  g_test_add_func ("/contest/growth", test_growth);
  g_test_add_func ("/contest/kept", test_kept);
  g_test_add_func ("/contest/failed", test_failed);
  rows_add_by ("/contest/short", short_rows, name, test_short);
  g_test_add_func ("/contest/gentle", test_gentle);
  rows_add_by ("/contest/teeth", teeth_rows, name, test_teeth);
  rows_add_by ("/contest/filled", filled_rows, name, test_filled);
  g_test_add_func ("/contest/filled/ends", test_filled_ends);
  rows_add ("/contest/starved", starved_rows, test_starved);
  g_test_add_func ("/contest/fall-own", test_fall_own);
  g_test_add_func ("/contest/leaves", test_leaves);
  g_test_add_func ("/contest/ramp-ended", test_ramp_ended);
  g_test_add_func ("/contest/route", test_route);
}
