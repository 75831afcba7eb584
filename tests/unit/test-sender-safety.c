/* The circuit breakers of RFC 8083 as the sender obeys them.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * R = 40 ms; but for one test all send something each 50 ms.
 */
#include "sender-fixture.h"

#define TICK (50 * RA_MSECOND)
#define R (40 * RA_MSECOND)
#define RATE 1000000
#define MIN_RATE 200000

static Fixture
world_new (const RaRateOps *ops, guint64 min)
{
  Fixture w;

  fixture_start (&w,
      &(RaSenderConfig){ .controller = ops,
          .lda = ra_lda_find ("omniscient"),
          .rate = { .min = min, .start = RATE, .max = RATE, .mss = 1200 },
          .breakers = TRUE });
  return w;
}

static void
world_send (Fixture *w, RaSentFlags flags)
{
  ra_sender_on_sent (w->sender,
      &(RaOutgoing){ w->next++, 1200, 1200, RA_MARK_NONE, flags }, w->now);
}

/* Of the latest packet. */
static gboolean
world_feedback (Fixture *w, gboolean lost)
{
  RaFeedbackPacket row
      = { w->next - 1, lost ? RA_TIME_NONE : w->now + RA_SECOND };

  return ra_sender_on_feedback (w->sender, &row, 1, 0, w->now + R);
}

static void
world_timeout (Fixture *w)
{
  guint n = 0;

  for (; ra_sender_next_timeout (w->sender) <= w->now; n++) {
    ra_sender_on_timeout (w->sender, w->now);
    g_assert_cmpuint (n, <, 2); /* no loop */
  }
}

/* Nothing may go until the user says so; then all is as ever. */
static void
check_open (Fixture *w, RaBreakerTrip why)
{
  RaTime at = w->now;
  RaSplit split;

  g_assert_cmpint (fixture_stats (w).breaker, ==, RA_BREAKER_OPEN);
  g_assert_cmpint (fixture_stats (w).trip, ==, why);
  for (guint i = 0; i < 1000; i++) {
    g_assert_cmpuint (ra_sender_rate (w->sender), ==, 0);
    g_assert_cmpuint (
        ra_sender_next_send (w->sender, w->now), ==, RA_TIME_NONE);
    ra_sender_split (w->sender, 0, &split);
    g_assert_cmpuint (split.media + split.fec + split.header, ==, 0);
    w->now += TICK;
    world_timeout (w);
  }
  ra_sender_restart (w->sender);
  g_assert_cmpint (fixture_stats (w).breaker, ==, RA_BREAKER_CLOSED);
  g_assert_cmpint (fixture_stats (w).trip, ==, RA_BREAKER_NONE);
  g_assert_cmpuint (ra_sender_rate (w->sender), >, 0);
  g_assert_cmpuint (ra_sender_next_send (w->sender, w->now), <, RA_TIME_NONE);
  g_assert_cmpuint (w->now, ==, at + 1000 * TICK);
}

/* The longest that a no-feedback timer waits: RFC 6298 2.5, 60 s; R. */
#define TIMER_MAX (61 * RA_SECOND)

/* 4.1: no answer in 15 s.  Both after a whole frame and in the middle of one,
 * whose end would be for ever away at a rate of 0: once it sends again, the
 * no-feedback timer runs. */
static void
test_rtcp_timeout (gconstpointer data)
{
  for (guint whole = 0; whole < 2; whole++) {
    Fixture w = world_new (data, MIN_RATE);

    world_send (&w, RA_SENT_ASKS);
    world_feedback (&w, FALSE);
    for (; w.now < 16 * RA_SECOND; w.now += TICK) {
      world_timeout (&w);
      if (fixture_stats (&w).breaker == RA_BREAKER_OPEN)
        break;
      world_send (&w, whole ? RA_SENT_ASKS : RA_SENT_WAITING);
    }
    g_assert_cmpuint (w.now, ==, 15 * RA_SECOND + TICK); /* 15 s + R */
    check_open (&w, RA_BREAKER_RTCP_TIMEOUT);
    ra_sender_set_safety (w.sender, 0, FALSE);
    world_send (&w, RA_SENT_ASKS);
    if (!((const RaRateOps *) data)->open_loop)
      g_assert_cmpuint (
          ra_sender_next_timeout (w.sender), <=, w.now + TIMER_MAX);
    ra_sender_free (w.sender);
  }
}

/* So where the controller itself is about to cease: R = 1 s, a TCP's RTO is 3 s
 * and doubles, and a packet in 6 s is no silence of the source. */
static void
test_rtcp_timeout_slow (gconstpointer data)
{
  Fixture w = world_new (data, 1);
  RaFeedbackPacket row = { 0, RA_SECOND };

  world_send (&w, RA_SENT_ASKS | RA_SENT_WAITING);
  w.now = RA_SECOND;
  g_assert_true (ra_sender_on_feedback (w.sender, &row, 1, 0, w.now));
  while (fixture_stats (&w).breaker != RA_BREAKER_OPEN) {
    RaTime next = ra_sender_next_send (w.sender, w.now);
    RaTime timeout = ra_sender_next_timeout (w.sender);

    w.now = MAX (MIN (next, timeout), w.now);
    g_assert_cmpuint (w.now, <=, 16 * RA_SECOND);
    if (timeout <= next)
      ra_sender_on_timeout (w.sender, w.now);
    else
      world_send (&w, RA_SENT_ASKS | RA_SENT_WAITING);
  }
  check_open (&w, RA_BREAKER_RTCP_TIMEOUT);
  ra_sender_free (w.sender);
}

/* 4.2: answers that tell of nothing that arrived, for 5 max (Tf, Tr, Tdr), Tdr =
 * 1 s: in the interval that ends after that, and one was under way.  With a
 * frame each 2 s 10 s. */
static void
media_timeout (const RaRateOps *ops, guint frame_s)
{
  Fixture w = world_new (ops, MIN_RATE);
  guint ticks = (guint) (frame_s * RA_SECOND / TICK), n = 0;

  for (guint i = 0; i < 3 * ticks; i++, w.now += TICK) {
    world_send (&w, RA_SENT_ASKS | (i % ticks ? 0 : RA_SENT_FRAME_END));
    g_assert_true (world_feedback (&w, FALSE));
  }
  for (; n < 400 && fixture_stats (&w).breaker != RA_BREAKER_OPEN; n++) {
    world_send (&w, RA_SENT_ASKS | (n % ticks ? 0 : RA_SENT_FRAME_END));
    g_assert_false (world_feedback (&w, TRUE));
    w.now += TICK;
    world_timeout (&w);
  }
  g_assert_cmpuint (n, >=, 5 * ticks);
  g_assert_cmpint (n, <=, 5 * ticks + 2 * RA_SECOND / TICK);
  check_open (&w, RA_BREAKER_MEDIA_TIMEOUT);
  ra_sender_free (w.sender);
}

static void
test_media_timeout (gconstpointer data)
{
  media_timeout (data, 1);
  media_timeout (data, 2);
}

static RaCause
all_wireless (guint64 seq, gpointer data)
{
  return RA_CAUSE_WIRELESS;
}

/* Congestion losses of the next 2 s, of which three in five packets are lost. */
static guint64
world_lossy (Fixture *w)
{
  guint64 before = fixture_stats (w).loss.congestion;

  for (guint i = 0; i < 40; i++, w->now += TICK) {
    RaFeedbackPacket rows[5];

    for (guint k = 0; k < 5; k++) {
      rows[k] = (RaFeedbackPacket){ w->next,
        k < 3 ? RA_TIME_NONE : w->now + RA_SECOND };
      world_send (w, k < 4 ? RA_SENT_WAITING : RA_SENT_ASKS);
    }
    ra_sender_on_feedback (w->sender, rows, 5, 0, w->now + R);
  }
  return fixture_stats (w).loss.congestion - before;
}

/* 4.4 falls back: no verdict counts any more, until there is no breaker. */
static void
test_distrust (gconstpointer data)
{
  for (guint restart = 0; restart < 2; restart++) {
    Fixture w = world_new (data, MIN_RATE);
    guint n = 0;

    ra_sender_set_truth (w.sender, all_wireless, NULL);
    for (; n < 20 && fixture_stats (&w).breaker == RA_BREAKER_CLOSED; n++) {
      guint64 lost = world_lossy (&w);

      if (fixture_stats (&w).breaker == RA_BREAKER_CLOSED)
        g_assert_cmpuint (lost, ==, 0);
    }
    g_assert_cmpint (fixture_stats (&w).breaker, ==, RA_BREAKER_FALLBACK);
    g_assert_cmpuint (world_lossy (&w), ==, 40 * 3);
    if (restart)
      ra_sender_restart (w.sender);
    else
      ra_sender_set_safety (w.sender, 0, FALSE);
    g_assert_cmpuint (world_lossy (&w), ==, 0);
    ra_sender_free (w.sender);
  }
}

/* What holds the rate, from the controller to the breakers.  r: a packet leaves, and a
 * report of it comes; l: a lie; s: 10 s of silence, in which packets leave; o: 6 s more,
 * RFC 8083 4.1. */
static const struct
{
  const gchar *name, *controller; /* NULL: one that wants `wants` */
  guint64 wants;                  /* bit/s */
  const gchar *events;
  RaRateLimit limit;
  const gchar *why;
} limits[] = {
  { "start", NULL, 500000, "", RA_LIMIT_START, "no report came yet" },
  { "reason", NULL, 500000, "r", RA_LIMIT_LOSS, "the controller's own reason" },
  { "max", NULL, 2 * RATE, "r", RA_LIMIT_MAX, "it wants more than that" },
  { "min", NULL, 1000, "r", RA_LIMIT_MIN, "it wants less than that" },
  { "unanswered", "tfrc", 0, "rs", RA_LIMIT_UNANSWERED, "RFC 5348 4.4" },
  { "answered", "tfrc", 0, "rsr", RA_LIMIT_CONTROLLER,
      "RFC 5348 4.2: 4380 bytes per R are 876 kbit/s" },
  { "lies", NULL, 500000, "rl", RA_LIMIT_LIES, "which hold it at the least" },
  { "lies-least", NULL, 1000, "rl", RA_LIMIT_MIN, "it is there without them" },
  { "lies-unanswered", "tfrc", 0, "rsl", RA_LIMIT_UNANSWERED,
      "the silence has brought it there" },
  { "breaker", "tfrc", 0, "rso", RA_LIMIT_BREAKER, "no answer in 15 s" },
};

static void
test_limit (gconstpointer data)
{
  guint row = GPOINTER_TO_UINT (data);
  const gchar *name = limits[row].controller;
  Fixture w
      = world_new (name ? ra_rate_find (name) : &probe_controller, MIN_RATE);

  g_test_message ("%s", limits[row].why);
  probe_rate = limits[row].wants;
  probe_why = RA_LIMIT_LOSS;
  for (const gchar *e = limits[row].events; *e; e++) {
    RaTime until = w.now + (*e == 's' ? 10 : *e == 'o' ? 6 : 0) * RA_SECOND;

    for (; w.now < until; w.now += TICK) {
      world_timeout (&w);
      world_send (&w, RA_SENT_ASKS);
    }
    if (*e == 'l')
      ra_sender_on_lie (w.sender, w.now);
    if (*e == 'r') {
      world_send (&w, RA_SENT_ASKS);
      world_feedback (&w, FALSE);
    }
  }
  g_assert_cmpint (fixture_stats (&w).limit, ==, limits[row].limit);
  ra_sender_free (w.sender);
}

void
tests_add (void)
{
  rows_add_all ("/sender/safety/rtcp-timeout", ra_rates, test_rtcp_timeout);
  rows_add_all (
      "/sender/safety/rtcp-timeout-slow", ra_rates, test_rtcp_timeout_slow);
  rows_add_all ("/sender/safety/media-timeout", ra_rates, test_media_timeout);
  rows_add_all ("/sender/safety/distrust", ra_rates, test_distrust);
  rows_add_by ("/sender/safety/limit", limits, name, test_limit);
}
