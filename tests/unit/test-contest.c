/* rate/contest by hand: when a queue stands, and the window in a competition.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "../rows.h"

#include <gst/rtpadapt/rate/contest.h>

#include <math.h>

#define NOW 100.
#define S 1000.
#define RTT .1 /* s: a packet of window is 10000 bytes/s */

/* Standing is longer than 1.3 T + 3 ms.  T = 18 ms: 26.4 ms; where the line has
 * carried 16 times r, T of four times r counts, 9 ms: 14.7 ms.  A report after 40 ms
 * moves S by 1 - exp (-.04 / 2) = .0198013. */
static const struct
{
  const gchar *name;
  gdouble queue, most; /* s; times r */
  gdouble stands;
  const gchar *why;
} standing_rows[] = {
  { "below", .022, 1, 0, "it goes by the target" },
  { "above", .027, 1, .0198013, "it is longer" },
  { "squeezed", .022, 16, .0198013, "a queue of 25 ms that others keep" },
  { "quarter", .022, 4, 0, "four flows have a quarter each" },
  { "short", .014, 16, 0, "shorter than that target allows" },
};

static void
test_standing (gconstpointer data)
{
  guint i = GPOINTER_TO_UINT (data);
  RaContest c = { .wanted = 1 };
  RaSense n = { .now = NOW,
    .dt = .04,
    .qm = standing_rows[i].queue,
    .r = 1e5,
    .r_most = 1e5 * standing_rows[i].most };

  g_test_message ("%s", standing_rows[i].why);
  ra_contest_hear (&c, &n, .018, FALSE);
  g_assert_cmpfloat_with_epsilon (c.stands, standing_rows[i].stands, 1e-6);
}

/* X_5348 (RFC 5348 3.1, b = 1, t_RTO = 4 R) at 1 %: f = sqrt (.02 / 3) + 12 sqrt
 * (.00375) .01 (1 + .0032) = .0890217, 1 / f = 11.2332 packets per R; at 15 % .95
 * (test-crowd.c).  CUBIC's mean (RFC 9438 5.1) at 1 %: 1.053825 (.1 / .01)^.75 =
 * 5.92608, sqrt (2) times 8.38075. */
static const struct
{
  const gchar *name;
  gdouble raw, events, congested;
  gdouble w;
  const gchar *why;
} belt_rows[] = {
  { "nothing", 0, 0, 1, 100, "nothing is lost" },
  { "congestion", .01, .01, 1, 11.2332, "all is congestion: one TCP's" },
  { "radio", .01, .01, 0, 22.4665, "all is said to be the radio's: two TCPs'" },
  { "burst", .15, .01, 1, 8.38075, "15 losses of 100 in one round trip" },
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
  RaSense n = { .now = NOW,
    .dt = .04,
    .interval = .04,
    .lag = .09,
    .raw_3s = belt_rows[i].raw,
    .events_3s = belt_rows[i].events,
    .congested = belt_rows[i].congested };

  g_test_message ("%s", belt_rows[i].why);
  ra_cubic_begin (&c.tcp, 100);
  g_assert_cmpfloat_with_epsilon (
      ra_contest_rate (&c, &n, .01, 0, S, RTT, TRUE), belt_rows[i].w * S / RTT,
      1);
}

/* The queue stands again after a test that passed, and there was a loss.  5 packets
 * per R arrive. */
static const struct
{
  const gchar *name;
  gdouble passed; /* s ago */
  gdouble w, after;
  const gchar *why;
} again_rows[] = {
  { "kept", 1, 20, 20, "the window that it had" },
  { "more", 1, 3, 5, "but no less than arrives" },
  { "late", 9, 20, 0, "too long ago: there is no competition" },
};

static void
test_again (gconstpointer data)
{
  guint i = GPOINTER_TO_UINT (data);
  RaContest c = { .wanted = 1,
    .begun = TRUE,
    .stands = .3,
    .t_test = NOW,
    .t_proof = NOW,
    .t_congestion = NOW - 20,
    .t_low = NOW,
    .t_passed = NOW - again_rows[i].passed };
  RaSense n = { .now = NOW,
    .dt = .04,
    .interval = .04,
    .lag = .09,
    .r = 5 * S / RTT,
    .r_most = 5 * S / RTT };

  g_test_message ("%s", again_rows[i].why);
  ra_cubic_begin (&c.tcp, again_rows[i].w);
  g_assert_cmpfloat_with_epsilon (
      ra_contest_rate (&c, &n, .01, 0, S, RTT, FALSE),
      again_rows[i].after * S / RTT, 1);
}

/* Growth ends where more than twice of what arrives would be sent, which a rate that
 * a drain test has halved does not lower. */
static void
test_growth (void)
{
  for (guint low = 0; low < 2; low++) {
    RaContest c = { .wanted = 1,
      .begun = TRUE,
      .competes = TRUE,
      .stands = 1,
      .t_test = NOW - 2,
      .t_congestion = NOW - 3,
      .t_entered = NOW - 3 };
    RaSense n = { .now = NOW,
      .dt = .1,
      .interval = .04,
      .lag = .09,
      .r = (low ? 4 : 6) * S / RTT };

    ra_cubic_begin (&c.tcp, 10); /* RFC 9438 4.3, from the maximum on: + 1 */
    g_assert_cmpfloat_with_epsilon (
        ra_contest_rate (&c, &n, .01, 0, S, RTT, FALSE),
        (low ? 10 : 11) * S / RTT, 1);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  rows_add_by ("/contest/standing", standing_rows, name, test_standing);
  rows_add_by ("/contest/belt", belt_rows, name, test_belt);
  rows_add_by ("/contest/again", again_rows, name, test_again);
  g_test_add_func ("/contest/growth", test_growth);
  return g_test_run ();
}
