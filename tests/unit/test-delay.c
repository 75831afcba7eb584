/* delay by hand: what a report tells, and the rate after each.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "../rows.h"
#include "../observed.h"

#include <gst/rtpadapt/rate/delay.h>
#include <gst/rtpadapt/rate/sense.h>
#include <gst/rtpadapt/util/tripbase.h>

#include <math.h>

#define MS(ms) ((RaSpan) ((ms) *RA_MSECOND))

/* R = 50 ms and the queue, a report each 40 ms about 12 packets of 1200 bytes: 14400 bytes in
 * 40 ms are 360000 bytes/s; x begins at 3 Mbit/s, 375000 bytes/s.
 * The empty path takes 50 ms of R, so that D = I + R - q = .09.
 */
typedef struct
{
  guint step; /* ms of t_recvdata since the report before; 1000: of time, too */
  guint queue, arrived, congestion, wireless, skipped;
  gboolean limited;
  gdouble x; /* bytes/s after it */
  const gchar *why;
  guint ce;           /* of those that arrived */
  guint last;         /* ms that the last one waited longer */
  RaRateLimit reason; /* 0: any */
} Step;

#define TARGET "target=.01,own=0" /* a round one */
#define NO_TESTS "tests=0," TARGET

static const Step ramp[] = {
  { 0, 0, 12, 0, 0, 0, FALSE, 375000, "the first tells R" },
  { 40, 0, 12, 0, 0, 0, FALSE, 510296, "375000 2^(.04 / .09)" },
  { 40, 0, 12, 0, 0, 0, FALSE, 694405, "again; 2.2 r is 792000" },
  { 40, 0, 12, 0, 0, 0, FALSE, 792000, "2.2 r", .reason = RA_LIMIT_START },
  { 0 },
};

/* r = 9 * 1200 / .04 = 270000 is less than .8 * 375000; then r = 270000 + (1 - exp
 * (-.04 / .09)) 90000 = 302294, and 2.2 r = 665046. */
static const Step limited[] = {
  { 0, 0, 12, 0, 0, 0, FALSE, 375000, "the first" },
  { 40, 0, 9, 0, 0, 0, TRUE, 510296, "an encoder that follows does not wait" },
  { 40, 0, 12, 0, 0, 0, TRUE, 665046, "2.2 times what arrives",
      .reason = RA_LIMIT_SOURCE },
  { 0 },
};

/* r = 360000 in all three, or the third would not be 792000. */
static const Step radio[] = {
  { 0, 0, 12, 0, 0, 0, FALSE, 375000, "the first" },
  { 40, 0, 10, 0, 2, 0, FALSE, 510296, "two of the radio: had their share" },
  { 80, 0, 12, 0, 0, 12, FALSE, 694405, "a lost report had as many" },
  { 40, 0, 6, 0, 0, 6, FALSE, 792000, "half of it was not told" },
  { 0 },
};

/* The ramp ends at one report: r = 14400 / (.04 + .05) = 160000, T = .01, .05 is
 * above 2 T + .02: far; g = (.0095 - .05) / (2 D) = -.225; .775 r.  Then r =
 * 160000 + (1 - exp (-.04 / .09)) 200000 = 231764; the allowance is 2.5 (.05 / 1.95 /
 * 4) - .002 = .014026, g = (T - .035974) / .18 = -.144301.  r (1 + g) = 198320 is more
 * than x, and followed, .08 / .09 of the way.  Its second report came at 14400 / .04 =
 * 360000, as was sent a lag ago (375000): .95 of it is the line's at least, and x climbs by
 * .04 / .09 of T / (2 D) = .05556 from there, twice, as r_busy = 360000 is no further.  r =
 * 315433 then, and x falls by .05.  The deviation of the queues is .022436 with 200 ms
 * and may be .0541 of them, which leaves more than 2 T + .02; D = .04 + .25 / 4, r = 315433 -
 * (1 - exp (-.08 / D)) 255433 = 177035, and .7 of it. */
/* clang-format off */
#define OUTAGE \
  { 0, 0, 12, 0, 0, 0, FALSE, 375000, "the first" }, \
  { 40, 50, 12, 0, 0, 0, FALSE, 124000, "far above the target" }, \
  { 40, 50, 12, 0, 0, 0, FALSE, 190062, "as the backlog drains" }, \
  { 90, 0, 12, 0, 0, 0, FALSE, 350444, "it has gone" }, \
  { 40, 0, 12, 0, 0, 0, FALSE, 359097, "back to what the line carries" }
/* clang-format on */
static const Step outage[] = {
  OUTAGE,
  { 40, 0, 11, 1, 0, 0, FALSE, 341142, "a loss at an empty queue" },
  { 40, 200, 12, 0, 0, 0, FALSE, 123924, "one report far above the target",
      .reason = RA_LIMIT_QUEUE },
  { 0 },
};

/* As above up to the fifth report, r = 307281.  Then nothing comes for 150 ms: 14400 / .19 =
 * 75789, r = 307281 - (1 - exp (-.08 / .09)) 231492 = 170957, and .7 of it.  What was held
 * has all come by the next report: 14400 / .04, r = 170957 + .358820 189043 = 238790, and .9
 * of it. */
static const Step halt[] = {
  OUTAGE,
  { 40, 150, 12, 0, 0, 0, FALSE, 119670, "a halt" },
  { 190, 0, 12, 0, 0, 0, FALSE, 214911, "what came since it shows the line" },
  { 0 },
};

/* As above up to the fifth report.  14400 / .24 = 60000, D = .04 + .25 / 4, r = 307281 -
 * (1 - exp (-.08 / D)) 247281 = 173300, and .7 of it.  Then 60 packets come at the same moment,
 * which is no sample: .9 of 173300.  The next sample has 72 packets in 40 ms, 2160000, and .9
 * of r is then more than x was before the queue of 50 ms, which ended less than 3 lags ago. */
static const Step held[] = {
  OUTAGE,
  { 40, 200, 12, 0, 0, 0, FALSE, 121310, "a hop holds packets" },
  { 200, 0, 60, 0, 0, 0, FALSE, 155970, "and lets them all go" },
  { 40, 0, 12, 0, 0, 0, FALSE, 375000, "as before, however fast they came" },
  { 0 },
};

/* The same, but a packet is lost in the sample of 2160000.  What arrives is more than x, which
 * stays; then it climbs by .3 .04 / .09, and .9 of 360000 would be more. */
static const Step held_loss[] = {
  OUTAGE,
  { 40, 200, 12, 0, 0, 0, FALSE, 121310, "a hop holds packets" },
  { 200, 0, 60, 0, 0, 0, FALSE, 155970, "and lets them all go" },
  { 40, 0, 11, 1, 0, 0, FALSE, 155970, "a loss" },
  { 40, 0, 12, 0, 0, 0, FALSE, 176766, "is not undone" },
  { 0 },
};

/* As above up to the fifth report.  4 packets in .04 + .1 s are 34286 bytes/s, r = 307281 -
 * (1 - exp (-.08 / .09)) 272995 = 146517, and .7 of it; then 80000 in .06 s, r = 146517 -
 * (1 - exp (-.06 / .09)) 66517 = 114151, and .7 of the lower.  At last 90000, and .9 of that:
 * r = 105485 is more, from when the line was faster. */
static const Step slower[] = {
  OUTAGE,
  { 40, 100, 4, 0, 0, 0, FALSE, 102562, "a line that becomes slower" },
  { 40, 120, 4, 0, 0, 0, FALSE, 56000, "again" },
  { 160, 0, 3, 0, 0, 0, FALSE, 81000, "the latest shows the line" },
  { 0 },
};

/* As above up to the fifth report: r = 307281, r_busy = 360000.  Then 5 packets are 150000
 * bytes/s, and what is used falls to 176583 in four reports: 1.1 of it is always less than
 * 1.05 r_busy = 378000.  x climbs by .04 / .09 of T / (2 D) = .05556.  14 packets then are
 * 420000 bytes/s: used is 263925, 319928, 355836, and 1.1 of the third more than 378000.
 * The last packet of a frame waits for 4 ms, more than T / 3.  r = 307281 when nothing is
 * limited, and after three reports of 14 packets it is 390288. */
static const Step pauses[] = {
  OUTAGE,
  { 40, 0, 5, 0, 0, 0, TRUE, 367964, "nothing waits, and the queue is empty", 0,
      4 },
  { 40, 0, 5, 0, 0, 0, TRUE, 377050, "again", 0, 4 },
  { 40, 0, 5, 0, 0, 0, TRUE, 378000, "1.05 of what the line carries", 0, 4 },
  { 40, 0, 5, 0, 0, 0, TRUE, 378000, "pauses do not show that it carries more",
      0, 4 },
  { 40, 0, 14, 0, 0, 0, TRUE, 378000, "nor does one report", 0, 4 },
  { 40, 0, 14, 0, 0, 0, TRUE, 378000, "or two", 0, 4 },
  { 40, 0, 14, 0, 0, 0, TRUE, 387333, "what is used does", 0, 4 },
  { 40, 0, 5, 0, 0, 0, TRUE, 387333, "what is not used is kept after a ramp", 0,
      4 },
  { 5000, 0, 5, 0, 0, 0, TRUE, 387333, "nor does silence end that", 0, 4 },
  { 995, 0, 5, 0, 0, 0, TRUE, 378000, "but 5 s later it is not kept", 0, 4 },
  { 40, 0, 5, 0, 0, 0, TRUE, 387333, "a frame without a queue shows it, too" },
  { 40, 0, 2, 0, 0, 0, TRUE, 396897, "and two packets do not deny it", 0, 4 },
  { 40, 0, 5, 0, 0, 0, TRUE, 378000, "a frame that waits does", 0, 4 },
  { 40, 0, 2, 0, 0, 0, TRUE, 378000, "two packets are not enough" },
  { 40, 0, 1, 0, 0, 0, TRUE, 378000, "and one says nothing" },
  { 40, 0, 2, 0, 0, 0, TRUE, 387333, "two such frames show it" },
  { 40, 0, 4, 1, 0, 0, TRUE, 351259, "a loss: .9 r" },
  { 40, 0, 5, 0, 0, 0, TRUE, 354381, ".02 of .04 / .09 more", 0, 4 },
  { 40, 0, 2, 0, 0, 0, TRUE, 357531, "again" },
  { 40, 0, 2, 0, 0, 0, TRUE, 360709, "again" },
  { 40, 0, 2, 0, 0, 0, TRUE, 363915, "again" },
  { 40, 0, 2, 0, 0, 0, TRUE, 367150, "again" },
  { 40, 0, 2, 0, 0, 0, TRUE, 370414, "again" },
  { 40, 0, 2, 0, 0, 0, TRUE, 373706, "again" },
  { 40, 0, 2, 0, 0, 0, TRUE, 377028, "again" },
  { 40, 0, 2, 0, 0, 0, TRUE, 378000, "two packets show nothing after a loss" },
  { 0 },
};

/* The end of the ramp asks for a test, as the queue was not all but empty a
 * report before: r = 14400 / (.04 + .045) = 169412, x_back = .775 r = 131294, half
 * of it.  The queue is empty then, and what came at last is the line's rate: .95 of
 * 14400 / .04 at least, and .04 / .09 of T / (2 D) more. */
static const Step drain[] = {
  { 0, 5, 12, 0, 0, 0, FALSE, 375000, "the first" },
  { 40, 50, 12, 0, 0, 0, FALSE, 65647, "half" },
  { 40, 50, 12, 0, 0, 0, FALSE, 65647, "no end yet, and nothing is followed" },
  { 90, 0, 12, 0, 0, 0, FALSE, 350444, "passed" },
  { 0 },
};

/* Of 9 packets in .04 s, and one of the lost, .9 are 243000: the ramp ends, and with a loss
 * the test lasts for D.  Then .95 of 360000 arrives, which was sent in the ramp. */
static const Step echo[] = {
  { 0, 0, 12, 0, 0, 0, FALSE, 375000, "the first" },
  { 40, 0, 12, 0, 0, 0, FALSE, 510296, "ramp" },
  { 40, 0, 12, 0, 0, 0, FALSE, 694405, "ramp" },
  { 40, 0, 8, 4, 0, 0, FALSE, 121500, "half of 243000" },
  { 40, 0, 12, 0, 0, 0, FALSE, 171000, "half of 342000" },
  { 40, 0, 4, 0, 0, 0, FALSE, 171000, "what the test has left arrives" },
  { 40, 0, 4, 0, 0, 0, FALSE, 342000, "passed: the line carried it" },
  { 0 },
};

/* A loss in a queue of 12 ms > T = 9.5 ms: 11 packets in .052 s, and the one that was
 * lost, are 276923; the ramp ends at .85 + .05 of it. */
static const Step loss[] = {
  { 0, 0, 12, 0, 0, 0, FALSE, 375000, "the first" },
  { 40, 0, 12, 0, 0, 0, FALSE, 510296, "ramp" },
  { 40, 0, 12, 0, 0, 0, FALSE, 694405, "a lag ago x was 375000" },
  { 40, 12, 11, 1, 0, 0, FALSE, 249231, ".9 r", .reason = RA_LIMIT_LOSS },
  { 0 },
};

/* 11 packets in .04 s, and one that was lost, are 360000. */
static const Step forgiven[] = {
  { 0, 0, 12, 0, 0, 0, FALSE, 375000, "the first" },
  { 40, 0, 12, 0, 0, 0, FALSE, 510296, "ramp" },
  { 40, 0, 11, 1, 0, 0, FALSE, 694405, "one loss, an empty queue" },
  { 40, 0, 11, 1, 0, 0, FALSE, 360000, "two in a lag: (.95 + .05) r" },
  { 0 },
};

/* The ramp forgives one loss at an empty queue, but no mark.  All packets arrive: r = 360000. */
static const Step marked[] = {
  { 0, 0, 12, 0, 0, 0, FALSE, 375000, "the first" },
  { 40, 0, 12, 0, 0, 0, FALSE, 510296, "ramp" },
  { 40, 0, 12, 0, 0, 0, FALSE, 324000, "RFC 6679 7.3.3: .9 r", 1 },
  { 0 },
};

/* A source that sends 6 packets in 40 ms where x allows 17: used = 360000 - .358819 210000
 * = 284648, and with what congestion took 295413, .9636 of which arrive.  Two lost of 6
 * leave 284648 - .358819 164648 = 225569 of 295413 - .358819 115413 = 254001, .8881: what
 * is sent does not arrive, so that x = .9 r, and r = 360000 is of before. */
static const Step limited_loss[] = {
  { 0, 0, 12, 0, 0, 0, FALSE, 375000, "the first" },
  { 40, 0, 12, 0, 0, 0, FALSE, 510296, "ramp" },
  { 40, 0, 12, 0, 0, 0, FALSE, 694405, "ramp" },
  { 40, 0, 5, 1, 0, 0, TRUE, 792000, "few arrive because few are sent" },
  { 40, 0, 4, 2, 0, 0, TRUE, 324000, "what is sent does not arrive" },
  { 0 },
};

static const struct
{
  const gchar *name, *params;
  const Step *steps;
} rows[] = {
  { "ramp", NO_TESTS, ramp },
  { "limited", NO_TESTS, limited },
  { "pauses", NO_TESTS, pauses },
  { "radio", NO_TESTS, radio },
  { "outage", NO_TESTS, outage },
  { "halt", NO_TESTS, halt },
  { "held", NO_TESTS, held },
  { "held-loss", NO_TESTS, held_loss },
  { "slower", NO_TESTS, slower },
  { "drain", TARGET, drain },
  { "echo", TARGET, echo },
  { "loses", NO_TESTS, loss },
  { "forgiven", NO_TESTS, forgiven },
  { "marked", NO_TESTS, marked },
  { "limited-loses", NO_TESTS, limited_loss },
};

static void
test_steps (gconstpointer data)
{
  guint row = GPOINTER_TO_UINT (data);
  static const RaRateConfig cfg = { 8000, 3000000, 100000000, 1200 };
  RaTime now = 10 * RA_SECOND, t_recvdata = 9 * RA_SECOND;
  g_autoptr (RaRate) r
      = ra_rate_new (ra_rate_find ("delay"), rows[row].params, &cfg, now, NULL);

  for (const Step *s = rows[row].steps; s->why; s++) {
    RaReport report = { .rtt = MS (50 + s->queue),
      .interval = MS (40),
      .recv_rate = 3000000,
      .expected = s->arrived + s->congestion + s->wireless,
      .arrived = s->arrived,
      .skipped = s->skipped,
      .lost_congestion = s->congestion,
      .lost_wireless = s->wireless,
      .n_events = s->congestion,
      .ce = s->ce,
      .data_limited = s->limited,
      .queue = MS (s->queue),
      .queue_min = MS (s->queue),
      .queue_max = MS (s->queue + s->last) };

    now += MS (s->step < 1000 ? 40 : s->step);
    t_recvdata += MS (s->step);
    report.t_recvdata = t_recvdata;
    ra_rate_on_report (r, &report, now);
    g_test_message ("%s", s->why);
    g_assert_cmpfloat_with_epsilon (
        (gdouble) ra_rate_get (r) / 8, s->x, 2e-5 * s->x);
    if (s->reason)
      g_assert_cmpint (r->why, ==, s->reason);
  }
}

/* What others do to the queue counts more than the queue. */
static void
test_competes (void)
{
  static const RaRateConfig cfg = { 8000, 3000000, 100000000, 1200 };
  g_autoptr (RaRate) r
      = ra_rate_new (ra_rate_find ("delay"), NO_TESTS, &cfg, 0, NULL);
  RaReport report = { .rtt = MS (50), .arrived = 12, .expected = 12 };
  RaDelayRate *d = (RaDelayRate *) r;

  d->ramp = FALSE;
  d->contest.competes = TRUE;
  ra_rate_on_report (r, &report, RA_SECOND);
  g_assert_true (r->competes);
  g_assert_cmpint (r->why, ==, RA_LIMIT_COMPETITION);
}

/* A muted camera's packet each 100 ms is 12000 bytes/s of 1.05 * 360000, which the line carried
 * when it was full.  RFC 7661 4.4.3: after five minutes half of that, and after ten a quarter. */
static void
test_unused (void)
{
  static const RaRateConfig cfg = { 8000, 3000000, 100000000, 1200 };
  g_autoptr (RaRate) r
      = ra_rate_new (ra_rate_find ("delay"), NO_TESTS, &cfg, 0, NULL);
  RaReport report = { .rtt = MS (50),
    .interval = MS (100),
    .arrived = 1,
    .expected = 1,
    .data_limited = TRUE };
  RaDelayRate *d = (RaDelayRate *) r;

  d->ramp = FALSE;
  for (RaTime now = MS (100); now < 610 * RA_SECOND; now += MS (100)) {
    report.t_recvdata = now;
    ra_rate_on_report (r, &report, now);
    if (now == RA_SECOND)
      d->start.x = 1.2 * (d->r_busy = 360000);
    if (now == 12 * RA_SECOND || now == 295 * RA_SECOND)
      g_assert_cmpuint (ra_rate_get (r), ==, 8 * 378000);
    if (now == 305 * RA_SECOND)
      g_assert_cmpuint (ra_rate_get (r), ==, 8 * 189000);
  }
  g_assert_cmpuint (ra_rate_get (r), ==, 8 * 94500);
}

/* R = 200 ms and 60 ms of queue, a report each 40 ms: D = .24 s.  A test whether the route is
 * longer began 2 s ago, more than 3 D + 2 * .06, and its queue was 60 ms before, too.  So
 * these are the route's, and what was lost before was lost on another one. */
static void
test_rebased (void)
{
  static const RaRateConfig cfg = { 8000, 3000000, 100000000, 1200 };
  g_autoptr (RaRate) r
      = ra_rate_new (ra_rate_find ("delay"), NULL, &cfg, 0, NULL);
  RaReport report = { .rtt = MS (260),
    .interval = MS (40),
    .arrived = 12,
    .expected = 12,
    .queue = MS (60),
    .queue_min = MS (60),
    .queue_max = MS (60) };
  RaDelayRate *d = (RaDelayRate *) r;

  for (guint i = 0; i < 3; i++) {
    report.t_recvdata = MS (1000 + 40 * i);
    ra_rate_on_report (r, &report, MS (2000 + 40 * i));
    g_assert_cmpint (r->rebased, ==, i == 1);
    if (i > 0)
      continue;
    d->ramp = FALSE;
    d->sense.raw = .1;
    d->contest = (RaContest){ .wanted = 1,
      .begun = TRUE,
      .drain = RA_DRAIN_BASE,
      .t_began = d->sense.now - 2,
      .t_new = d->sense.now,
      .n_new = 1,
      .n_floor = 1,
      .f_lo = .06,
      .f_hi = .06 };
  }
  g_assert_cmpfloat_with_epsilon (d->sense.shift, .06, 1e-9);
  g_assert_cmpfloat_with_epsilon (d->sense.q2, 0, 1e-9);
  g_assert_cmpfloat (d->sense.raw, ==, 0);
}

static const struct
{
  guint64 rate;
  gdouble target;
  const gchar *why;
} target_rows[] = {
  { 3000000, .0055333, ".001 + 1700 / 375000" },
  { 2000000, .0078, ".001 + 1700 / 250000" },
  { 6000000, .0032667, ".001 + 1700 / 750000" },
  { 50000000, .001272, ".001 + 1700 / 6250000" },
  { 1000000, .0095, "in the ramp .0146 is too long" },
};

/* In the ramp, where it is .0095 at most. */
static void
test_target (gconstpointer data)
{
  guint i = GPOINTER_TO_UINT (data);
  RaRateConfig cfg = { 8000, target_rows[i].rate, 1000000000, 1200 };
  g_autoptr (RaRate) r
      = ra_rate_new (ra_rate_find ("delay"), NULL, &cfg, 0, NULL);
  RaReport report = { .rtt = MS (50), .queue = RA_SPAN_NONE };
  gdouble target;

  g_test_message ("%s", target_rows[i].why);
  ra_rate_on_report (r, &report, RA_SECOND);
  target = observed (ra_rate_observe, r, "target");
  g_assert_cmpfloat_with_epsilon (target, target_rows[i].target, 1e-6);
}

/* 3 packets of 1200 bytes per 40 ms are 90000 bytes/s: T = .02, and .022 of queue is less
 * than 1.3 T + .003.  Where the line has carried 1440000, and something is lost, T of a
 * quarter counts: .0057.
 * A packet per 80 ms is 15000 bytes/s: it takes 80 ms on the line, T = .05, and .033 of queue
 * is less than 1.3 * .08 + .003.  On a line that has carried 60000 it takes 20, and .033 is
 * more than 1.3 * .02 + .003. */
static void
test_squeezed (void)
{
  static const RaRateConfig cfg = { 8000, 3000000, 100000000, 1200 };
  static const struct
  {
    guint interval, queue; /* ms */
    guint before, after;   /* packets per interval */
    guint lost;
    gboolean stands;
  } cases[] = {
    { 40, 22, 3, 3, 1, FALSE },
    { 40, 22, 48, 3, 0, FALSE },
    { 40, 22, 48, 3, 1, TRUE },
    { 80, 33, 1, 1, 0, FALSE },
    { 80, 33, 4, 1, 0, TRUE },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autoptr (RaRate) r = ra_rate_new (
        ra_rate_find ("delay"), "tests=0", &cfg, 10 * RA_SECOND, NULL);

    for (guint n = 0; n < 100; n++) {
      RaSpan queue = n < 10 ? 0 : MS (cases[i].queue);
      RaReport report = { .rtt = MS (50) + queue,
        .interval = MS (cases[i].interval),
        .t_recvdata = MS (cases[i].interval * n),
        .arrived = n < 10 ? cases[i].before : cases[i].after,
        .lost_congestion = n == 20 ? cases[i].lost : 0,
        .queue = queue,
        .queue_min = queue,
        .queue_max = queue };

      ra_rate_on_report (
          r, &report, 10 * RA_SECOND + MS (cases[i].interval * n));
    }
    g_assert_cmpint (
        observed (ra_rate_observe, r, "stands") > .4, ==, cases[i].stands);
  }
}

/* --- what a report tells --- */

/* Reports whose lowest queue goes 25, 35, 25, 35 ms: the second difference is
 * 20 ms, their deviation 20 / 1.95 = 10.256 ms, the allowance 2.5 of it less 2:
 * 23.641 ms.  25 - 23.641 = 1.359 ms.  A ramp of 5 ms per report has none.  140 ms are more
 * than twice 50 and two packets, 1200 / 360000 s each. */
static void
test_allowance (void)
{
  static const struct
  {
    guint even, odd, rise, last; /* `last`: packets of the last 100 reports */
    guint longer; /* ms of the last report's queue that are a longer route's */
    gdouble allowance, q2;
    const gchar *why;
  } cases[] = {
    { 25, 35, 0, 12, 0, 1, .001359, "jitter" },
    { 25, 35, 0, 12, 0, 0, .025, "not allowed for" },
    { 0, 0, 1, 12, 0, 1, .298, "a queue that grows" },
    { 130, 140, 0, 12, 0, 1, .130, "a line that halts" },
    { 130, 140, 0, 5, 0, 1, .106359,
        "at less than half of what it has carried" },
    { 130, 140, 0, 12, 105, 1, .001359, "a longer route does not halt" },
  };

  for (guint c = 0; c < G_N_ELEMENTS (cases); c++) {
    RaSense n = { 0 };

    for (guint i = 0; i < 300; i++) {
      guint noise = i % 2 ? cases[c].odd : cases[c].even;
      RaSpan q = i > 0 ? MS (noise + i * cases[c].rise) : 0;
      RaReport report = { .rtt = MS (50) + q,
        .interval = MS (40),
        .t_recvdata = MS (40 * i),
        .arrived = i < 200 ? 12 : cases[c].last,
        .queue = q,
        .queue_min = q,
        .queue_max = q };

      if (i == 299 && cases[c].longer > 0)
        ra_sense_rebase (&n, cases[c].longer / 1e3);
      ra_sense_hear (&n, &report, 1200, cases[c].allowance, MS (1000 + 40 * i));
    }
    g_test_message ("%s", cases[c].why);
    g_assert_cmpfloat_with_epsilon (n.q2, cases[c].q2, 2e-6);
  }
}

/* A peer that does not tell the extremes: the queue of its last packet. */
static void
test_unknown (void)
{
  RaSense n = { 0 };
  RaReport report = { .rtt = MS (50),
    .queue = MS (8),
    .queue_min = RA_SPAN_NONE,
    .queue_max = RA_SPAN_NONE };

  ra_sense_hear (&n, &report, 1200, 1, MS (1000));
  g_assert_cmpfloat_with_epsilon (n.q_lo, .008, 1e-9);
  g_assert_cmpfloat_with_epsilon (n.q_hi, .008, 1e-9);
  g_assert_cmpfloat_with_epsilon (n.lag, .05 + .042, 1e-9); /* R + R - q */
  report.queue = RA_SPAN_NONE;
  report.queue_min = MS (5);
  report.rtt = MS (600); /* so far apart are reports: .65 s are no pause */
  ra_sense_hear (&n, &report, 1200, 1, MS (1650));
  g_assert_cmpfloat (n.q_lo, ==, 0);
  g_assert_cmpfloat_with_epsilon (n.dt, .65, 1e-9);
}

/* --- what the RTT denies --- */

/* The empty path takes 50 ms there and back; `told` is the queue in the reports
 * from the fourth on, `rtt` theirs, `q` what is left after the sixth. */
static const struct
{
  guint told, rtt;
  gdouble q;
  const gchar *why;
} clock_rows[] = {
  { 1000, 50, 0, "a clock was set 1 s forth" },
  { 1020, 70, .020, "and 20 ms wait" },
  { 50, 50, 0, "so, and an ear took what is beyond R off (RADP)" },
  { 200, 250, .200, "a queue of 200 ms is in R, too" },
  { 30, 50, 0, "R leaves 20 ms, less than half the empty path" },
  { 20, 50, .020, "R leaves 30 ms: the way back may be shorter now" },
};

static void
sense_bytes (RaSense *n, guint i, guint queue, guint rtt, guint bytes)
{
  RaReport report = { .rtt = MS (rtt),
    .interval = MS (40),
    .t_recvdata = MS (40 * i),
    .arrived = 12,
    .bytes = bytes,
    .queue = MS (queue),
    .queue_min = MS (queue),
    .queue_max = MS (queue) };

  ra_sense_hear (n, &report, 1200, 1, MS (1000 + 40 * i));
}

static void
sense_report (RaSense *n, guint i, guint queue, guint rtt)
{
  sense_bytes (n, i, queue, rtt, 0);
}

static void
test_clock (gconstpointer data)
{
  guint row = GPOINTER_TO_UINT (data);
  gdouble q = clock_rows[row].q, rtt = clock_rows[row].rtt / 1e3;
  RaSense n = { 0 };

  g_test_message ("%s", clock_rows[row].why);
  for (guint i = 0; i < 6; i++)
    sense_report (&n, i, i < 3 ? 0 : clock_rows[row].told,
        i < 3 ? 50 : clock_rows[row].rtt);
  g_assert_cmpfloat_with_epsilon (n.q_lo, q, 1e-9);
  g_assert_cmpfloat_with_epsilon (n.q_hi, q, 1e-9);
  g_assert_cmpfloat_with_epsilon (n.lag, .04 + fmax (rtt - q, rtt / 4), 1e-9);
  /* 12 packets of 1200 bytes in 40 ms, but for the queue's own growth */
  g_assert_cmpfloat_with_epsilon (n.r_last, 360000, 1);
  if (q <= 0)
    g_assert_cmpfloat_with_epsilon (n.r, 360000, 1);
  sense_report (&n, 6, 0, 50); /* a lower base forgets it */
  sense_report (&n, 7, 10, 60);
  g_assert_cmpfloat_with_epsilon (n.q_lo, .010, 1e-9);
}

/* One RTT that is wrong does not move the base. */
static void
test_clock_once (void)
{
  RaSense n = { 0 };

  for (guint i = 0; i < 3; i++)
    sense_report (&n, i, 0, 50);
  sense_report (&n, 3, 80, 50);
  g_assert_cmpfloat_with_epsilon (n.q_lo, 0, 1e-9);
  sense_report (&n, 4, 80, 130);
  g_assert_cmpfloat_with_epsilon (n.q_lo, .080, 1e-9);
}

/* 40 ms and 12 packets are one frame.  Of 60 packets in 200 ms 48 are missing, or nobody knows
 * of them.  .04 * 12 / 16 = .03 s is less than .035; 7 are less than 8; 12 of 60 are less than
 * half. */
static void
test_gap (void)
{
  static const struct
  {
    guint span, arrived, missing, skipped;
    gboolean gap;
    const gchar *why;
  } cases[] = {
    { 200, 12, 48, 0, TRUE, "four frames did not come" },
    { 200, 12, 0, 48, TRUE, "or the feedback about them did not" },
    { 40, 4, 12, 0, FALSE, "a burst of loss on a fast line" },
    { 200, 48, 12, 0, FALSE, "20 % of five frames" },
    { 400, 2, 7, 0, FALSE, "a slow line and its full queue" },
    { 40, 0, 0, 0, FALSE, "nothing was sent" },
  };

  for (guint c = 0; c < G_N_ELEMENTS (cases); c++) {
    RaSense n = { 0 };
    RaReport report = { .rtt = MS (50),
      .interval = MS (40),
      .t_recvdata = MS (40 + cases[c].span),
      .arrived = cases[c].arrived,
      .expected = cases[c].arrived + cases[c].missing,
      .skipped = cases[c].skipped };

    g_test_message ("%s", cases[c].why);
    g_assert_false (ra_sense_gap (&n, &report)); /* nothing came before */
    sense_report (&n, 0, 0, 50);
    sense_report (&n, 1, 0, 50);
    g_assert_cmpint (ra_sense_gap (&n, &report), ==, cases[c].gap);
  }
}

/* 12 packets in 200 ms would be 72000 bytes/s, and r = 360000 (1 - .8 (1 - exp (-.08 / .09))).
 * With the next report both are sampled again. */
static void
test_gone (void)
{
  RaSense n = { 0 };

  for (guint i = 0; i < 3; i++)
    sense_report (&n, i, 0, 50);
  ra_sense_gone (&n);
  sense_report (&n, 7, 0, 50);
  g_assert_cmpfloat_with_epsilon (n.r, 360000, 1);
  sense_report (&n, 12, 0, 50);
  g_assert_cmpfloat_with_epsilon (
      n.r, 360000 * (1 - .8 * (1 - exp (-.08 / .09))), 1);
}

/* A line that becomes slower is no jitter.  The first jump is a sample of 100 / 1.95 = 51 ms,
 * counts as 5, and leaves nothing after the 2 ms of the allowance; 51 / 16 would leave 5.5. */
static void
test_jump (void)
{
  RaSense n = { 0 };

  for (guint i = 0; i < 20; i++)
    sense_report (&n, i, 0, 50);
  g_assert_false (ra_sense_rose (&n));
  sense_report (&n, 20, 100, 150);
  sense_report (&n, 21, 200, 250);
  g_assert_cmpfloat_with_epsilon (n.q2, .100, 1e-9);
  g_assert_true (ra_sense_rose (&n)); /* by .2 s in 8 reports */
}

/* 12 packets of 1200 bytes in 40 ms are 360000 bytes/s.  7200 bytes are 180000, and a report
 * has 1 - exp (-.04 / .09) = .358820 of r. */
static void
test_rate (void)
{
  RaSense n = { 0 };

  sense_bytes (&n, 0, 0, 50, 0);
  sense_bytes (&n, 1, 0, 50, 0);
  g_assert_cmpfloat_with_epsilon (n.r, 360000, 1); /* packets are told */
  sense_bytes (&n, 2, 0, 50, 7200);
  g_assert_cmpfloat_with_epsilon (n.r, 360000, 1); /* the line is as it was */
  n.t_rose = n.now;
  sense_bytes (&n, 3, 0, 50, 7200);
  g_assert_cmpfloat_with_epsilon (n.r, 295412, 1);
}

/* --- after a silence --- */

/* Three timeouts leave an eighth of 375000.  A factor of 2^(.04 / .09) = 1.3608
 * per report is 2 per D: 7 of them are 8.6, and nothing of it goes by r, which is
 * 12 packets' in a second there.  A queue ends it. */
static void
test_silence (void)
{
  static const RaRateConfig cfg = { 8000, 3000000, 100000000, 1200 };
  RaTime now = 10 * RA_SECOND;
  RaReport report = { .rtt = MS (50), .interval = MS (40), .arrived = 12 };
  g_autoptr (RaRate) r
      = ra_rate_new (ra_rate_find ("delay"), NO_TESTS, &cfg, now, NULL);

  for (guint i = 0; i < 2; i++) { /* a queue ends the ramp */
    report.queue = report.queue_min = report.queue_max = MS (12 * i);
    report.rtt = MS (50 + 12 * i);
    report.t_recvdata = (now += MS (40)) - MS (50);
    ra_rate_on_report (r, &report, now);
  }
  g_assert_cmpuint (ra_rate_get (r), <=, 3000000);
  for (guint runs = 0; runs < 2; runs++) {
    guint64 before = ra_rate_get (r);

    for (guint i = 0; i < 3; i++) {
      r->last_sent = now;
      ra_rate_on_timeout (r, now += 2 * RA_SECOND);
    }
    g_assert_cmpuint (ra_rate_get (r), <, before / 7);
    report.queue = report.queue_min = report.queue_max = 0;
    report.rtt = MS (50);
    report.arrived = 1;
    for (guint i = 0; i < (runs ? 3 : 7); i++) {
      report.t_recvdata = (now += MS (40)) - MS (50);
      ra_rate_on_report (r, &report, now);
    }
    if (runs == 0) {
      g_assert_cmpuint (ra_rate_get (r), >=, before - 8);
      g_assert_cmpuint (ra_rate_get (r), <=, before + 8);
      continue;
    }
    report.queue = report.queue_min = report.queue_max = MS (60);
    report.rtt = MS (110);
    for (guint i = 0; i < 20; i++) {
      report.t_recvdata = (now += MS (40)) - MS (50);
      ra_rate_on_report (r, &report, now);
    }
    g_assert_cmpuint (ra_rate_get (r), <, before / 4);
  }
}

/* --- policers --- */

/* 250000 bytes/s arrive at most.  Each 40 ms 10 packets are heard of, 23 times
 * below that and 10 times at 1.5 of it; `low` and `high` of the 10 are lost.  30
 * of 100 above and none of 230 below: ln of the likelihoods is -61.1 and 0, of
 * 30 in 330 -100.5; they win by 39, 6 is asked for.  The encoder sends
 * the part `sent` of the rate: .75 of it are 1.125 times what arrives.  What arrives grows by
 * `grows` from each of the last 10 reports to the next.  1.06^4 is above 1.2, so that 12 of
 * 40 count and not 30 of 100, beside 23 of 230: the likelihoods win by 104.1 - 24.4 - 74.8
 * and not by 145.4 - 61.1 - 74.8. */
static const struct
{
  guint low, high;
  gdouble sent, queue, grows;
  gboolean policed;
  const gchar *why;
} police_rows[] = {
  { 0, 3, 1, 0, 1, TRUE, "what is beyond the rate is lost" },
  { 1, 4, 1, 0, 1, TRUE, "and the radio loses a tenth of all" },
  { 2, 2, 1, 0, 1, FALSE, "the radio alone: as much at any rate" },
  { 0, 3, 1, .030, 1, FALSE, "a queue tells, and fused hears it" },
  { 0, 0, 1, 0, 1, FALSE, "nothing is lost" },
  { 0, 3, .67, 0, 1, FALSE,
      "the encoder sends what arrives: the radio loses more now" },
  { 0, 3, .75, 0, 1, TRUE, "it sends a little more than arrives" },
  { 1, 4, .75, 0, 1, FALSE,
      "it sends that, and the radio loses a tenth of all" },
  { 1, 3, 1, 0, 1.06, FALSE, "what arrives grows with what is sent" },
  { 1, 3, 1, 0, 1, TRUE, "and does not" },
};

static void
police_hear (RaPolice *p, RaSense *n, gdouble x, gdouble offered, guint lost)
{
  RaReport report
      = { .arrived = 10 - lost, .lost_wireless = lost, .wireless_runs = lost };

  n->now += .04;
  n->offered = offered;
  ra_police_hear (p, n, &report, .010);
  ra_sense_set (n, x);
}

static void
test_police (gconstpointer data)
{
  guint row = GPOINTER_TO_UINT (data);
  RaSense n = { .dt = .04, .lag = .09, .a = 250000, .packet = .0048 };
  RaPolice p;

  g_test_message ("%s", police_rows[row].why);
  ra_police_init (&p);
  /* The last three set the higher rate, which is sent only after them. */
  for (guint i = 0; i < 23; i++)
    police_hear (
        &p, &n, i < 20 ? 200000 : 375000, 200000, police_rows[row].low);
  n.q_lo = n.q_hi = police_rows[row].queue;
  for (guint i = 0; i < 10; i++) {
    gdouble x = 1.5 * n.a;

    police_hear (&p, &n, x, police_rows[row].sent * x, police_rows[row].high);
    n.a *= police_rows[row].grows;
  }
  g_assert_cmpint (p.policed, ==, police_rows[row].policed);
  if (!p.policed) {
    g_assert_cmpfloat (
        ra_police_rate (&p, &n, 375000, 400000, FALSE), ==, 400000);
    return;
  }
  g_assert_cmpfloat (p.b, >=, 250000);
  /* .98 of it after a loss, and 2 % more per second then */
  g_assert_cmpfloat_with_epsilon (
      ra_police_rate (&p, &n, 375000, 400000, TRUE), .98 * p.b, 1);
  g_assert_cmpfloat_with_epsilon (
      ra_police_rate (&p, &n, .99 * p.b, 400000, FALSE), .99 * p.b * 1.0008, 1);
  /* nothing was lost for a second: it is higher, 10 % in one */
  n.now += 1.5;
  g_assert_cmpfloat_with_epsilon (
      ra_police_rate (&p, &n, .99 * p.b, 400000, FALSE), .99 * p.b * 1.004, 1);
  /* one of ten near its rate, which may be the radio's, and is careful again */
  police_hear (&p, &n, 375000, 375000, 1);
  g_assert_cmpfloat_with_epsilon (
      ra_police_rate (&p, &n, .99 * p.b, 400000, FALSE), .99 * p.b * 1.0008, 1);
  for (guint i = 0; i < 275; i++) /* 11 s: it has gone */
    police_hear (&p, &n, 200000, 200000, 0);
  g_assert_false (p.policed);
}

/* Of 1200 bytes 8 packets get through in 40 ms, 240000 bytes/s.  From report 440 on a queue
 * stands for four reports, and 210045 bytes/s arrive.  At report 480 the rate is more than
 * 1.05 of that, and the source begins to pause.  What arrives while there is a queue
 * does not show what a policer lets through. */
static void
test_policed_pauses (void)
{
  static const RaRateConfig cfg = { 8000, 3000000, 100000000, 1200 };
  g_autoptr (RaRate) r
      = ra_rate_new (ra_rate_find ("delay"), NO_TESTS, &cfg, RA_SECOND, NULL);
  guint64 before = 0;

  for (guint i = 0; i < 560; i++) {
    guint may = (guint) (ra_rate_get (r) / 240000),
          sent = i < 480 ? may : MIN (may, 5), arrived = MIN (sent, 8),
          queue = i >= 440 && i < 444 ? 6 : 0;
    RaReport report = { .rtt = MS (50 + queue),
      .interval = MS (40),
      .t_recvdata = MS (1000 + 40 * i),
      .expected = sent,
      .arrived = arrived,
      .lost_wireless = sent - arrived,
      .wireless_runs = sent - arrived,
      .data_limited = i >= 480,
      .queue_min = MS (queue),
      .queue_max = MS (i < 480 ? queue : 6) };

    before = i < 480 ? ra_rate_get (r) : before;
    ra_rate_on_report (r, &report, MS (1050 + 40 * i));
  }
  g_assert_cmpfloat (observed (ra_rate_observe, r, "policed"), ==, 1);
  g_assert_cmpint (r->why, ==, RA_LIMIT_POLICER);
  g_assert_cmpuint (ra_rate_get (r), >=, before);
}

/* More than a tenth of all packets is lost: they may have come too close. */
static void
test_apart (void)
{
  for (guint lost = 1; lost <= 2; lost++) {
    const RaRateConfig cfg = { 8000, 800000, 10000000, 1200 };
    RaTime now = RA_SECOND;
    g_autoptr (RaRate) r
        = ra_rate_new (ra_rate_find ("delay"), NULL, &cfg, now, NULL);

    for (guint i = 0; i < 100; i++) {
      RaReport report = { .rtt = MS (50),
        .interval = MS (40),
        .expected = 12,
        .arrived = 12 - lost,
        .lost_wireless = lost,
        .wireless_runs = lost };

      report.t_recvdata = (now += MS (40)) - MS (25);
      ra_rate_on_report (r, &report, now);
    }
    g_assert_cmpint (r->apart, ==, lost == 2); /* .083 and .167 */
  }
}

/* --- the base --- */

static const struct
{
  gdouble ppm;  /* of the trips' rise */
  gdouble step; /* ms, from 240 s on */
  gdouble base; /* ms after 300 s, with a window of 120 s */
  const gchar *why;
  gboolean sure;
} base_rows[] = {
  { 0, 0, 20, "clocks in step" },
  { 100, 0, 50, "20 + 100e-6 * 300 s" },
  { 100, 0, 50, "which is sure", TRUE },
  { -100, 0, -10, "20 - 30: the latest minimum, or a slot before" },
  { 0, 50, 20, "a step of 50 ms, 4 of 8 slots ago, is too steep" },
  { 0, 20, 20, "nor is one of 20 ms" },
  /* The line from 225 s, 20 ms, to 285 s, 30 ms: 167 ppm.  The eight minima are 7.5, 5,
   * 2.5, 0, 7.5, 5, 2.5 and 0 ms above it, and 40 above the level line: more than an
   * eighth. */
  { 0, 10, 30, "one of 10 ms may be: clocks differ by 200 ppm" },
  { 0, 10, 20, "but it is not sure", TRUE },
  /* 300 s at 2000 ppm: 620 ms.  The oldest slot of 120 s began at 195 s: 410 +
   * 200e-6 * 105 s = 431 ms. */
  { 2000, 0, 431, "no clock: a queue that grows" },
};

static void
test_base (gconstpointer data)
{
  guint i = GPOINTER_TO_UINT (data);
  gdouble base, slack = base_rows[i].ppm < 0 ? 1.5 : .01;
  RaTripBase b;

  g_test_message ("%s", base_rows[i].why);
  ra_trip_base_init (&b);
  b.sure = base_rows[i].sure;
  g_assert_cmpfloat (
      ra_trip_base_get (&b, RA_SECOND, 120 * RA_SECOND), ==, G_MAXDOUBLE);
  /* Each tenth packet meets no queue. */
  for (guint t = 0; t <= 3000; t++) {
    gdouble trip = 20e6 + base_rows[i].ppm * 1e-6 * t * 1e8 + t % 10 * 3e6
        + (t >= 2400 ? base_rows[i].step * 1e6 : 0);

    ra_trip_base_add (&b, trip, t * 100 * RA_MSECOND, 120 * RA_SECOND);
  }
  base = ra_trip_base_get (&b, 300 * RA_SECOND, 120 * RA_SECOND) / 1e6;
  g_assert_cmpfloat_with_epsilon (base, base_rows[i].base, slack);
}

void
tests_add (void)
{
  rows_add_by ("/delay", rows, name, test_steps);
  g_test_add_func ("/delay/competes", test_competes);
  g_test_add_func ("/delay/rebased", test_rebased);
  rows_add ("/delay/target", target_rows, test_target);
  g_test_add_func ("/delay/squeezed", test_squeezed);
  g_test_add_func ("/delay/allowance", test_allowance);
  g_test_add_func ("/delay/unknown", test_unknown);
  rows_add ("/delay/clock", clock_rows, test_clock);
  g_test_add_func ("/delay/clock/once", test_clock_once);
  g_test_add_func ("/delay/jump", test_jump);
  g_test_add_func ("/delay/gap", test_gap);
  g_test_add_func ("/delay/gone", test_gone);
  g_test_add_func ("/delay/rate", test_rate);
  g_test_add_func ("/delay/silence", test_silence);
  rows_add ("/delay/police", police_rows, test_police);
  g_test_add_func ("/delay/police/pauses", test_policed_pauses);
  g_test_add_func ("/delay/unused", test_unused);
  g_test_add_func ("/delay/apart", test_apart);
  rows_add ("/delay/base", base_rows, test_base);
}
