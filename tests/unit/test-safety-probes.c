/* Behind an open circuit breaker: probes, and how sending begins again (RFC 8083
 * 4.5).
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "../rows.h"

#include <gst/rtpadapt/safety/guard.h>

#define S 1000 /* bytes of a packet */
#define RATE 2000000
#define RTT (50 * RA_MSECOND)
#define STEP (10 * RA_MSECOND)

typedef struct
{
  RaGuard guard;
  RaTime now;
  RaTime probes[1000];
  guint n; /* probes that left */
  gdouble lost, owed;
} World;

static RaBreakerState
state (const World *w)
{
  return w->guard.breaker.state;
}

static gboolean
hear (World *w, guint expected, guint lost, RaProof proof)
{
  RaReport r = { .rtt = RTT,
    .expected = expected,
    .arrived = expected - lost,
    .lost_congestion = lost };

  return ra_guard_on_report (&w->guard, &r, proof, S, RATE, w->now);
}

/* 10 packets are sent, and nothing comes back for 15 s (4.1). */
static void
trip_timeout (World *w)
{
  *w = (World){ 0 };
  ra_guard_init (&w->guard, 9, TRUE);
  for (; state (w) == RA_BREAKER_CLOSED; w->now += RA_SECOND) {
    ra_guard_on_sent (&w->guard, S, TRUE, FALSE, w->now);
    ra_guard_on_timeout (&w->guard, w->now);
    g_assert_cmpuint (w->now, <=, 16 * RA_SECOND);
  }
  g_assert_cmpint (w->guard.breaker.trip, ==, RA_BREAKER_RTCP_TIMEOUT);
}

/* Each half second packets leave, far more than 10 X, and a fifth is lost, until the
 * breaker is open (4.3). */
static void
trip_congestion (World *w)
{
  RaTime end = w->now + 60 * RA_SECOND;

  for (; state (w) != RA_BREAKER_OPEN; w->now += RA_SECOND / 2) {
    for (guint i = 0; i < 500; i++)
      ra_guard_on_sent (&w->guard, S, i % 50 == 49, FALSE, w->now);
    hear (w, 500, 100, RA_PROOF_DELIVERED);
    g_assert_cmpuint (w->now, <, end);
  }
  g_assert_cmpint (w->guard.breaker.trip, ==, RA_BREAKER_CONGESTION);
}

/* Probes leave whenever they may, until `end`, and the share `lost` of them is lost.
 * A report on each comes at once, unless `mute`.  TRUE once the breaker is not open
 * any more. */
static gboolean
run (World *w, RaSpan span, gboolean mute)
{
  RaTime end = ra_later (w->now, span);

  for (; w->now < end && state (w) == RA_BREAKER_OPEN; w->now += STEP) {
    while (ra_guard_next_probe (&w->guard, w->now) <= w->now) {
      ra_guard_on_sent (&w->guard, S, FALSE, FALSE, w->now);
      w->probes[w->n++ % G_N_ELEMENTS (w->probes)] = w->now;
      w->owed += w->lost;
      if (!mute)
        hear (w, 1, w->owed >= 1, RA_PROOF_DELIVERED);
      w->owed -= w->owed >= 1;
    }
  }
  return state (w) != RA_BREAKER_OPEN;
}

/* At most two probes leave in any second, for 7 s after RTCP came, and none before. */
static void
test_budget (void)
{
  World w;

  trip_timeout (&w);
  g_assert_false (run (&w, 60 * RA_SECOND, TRUE));
  g_assert_cmpuint (w.n, ==, 0);
  for (guint i = 0; i < 100;
       i++) /* a flood allows no more than one packet does */
    ra_guard_on_rtcp (&w.guard, w.now);
  g_assert_false (run (&w, 60 * RA_SECOND, TRUE));
  g_assert_cmpuint (w.n, ==, 2 * 8); /* at 0, 1, ... 7 s */
  for (guint i = 2; i < w.n; i++)
    g_assert_cmpuint (w.probes[i] - w.probes[i - 2], >=, RA_SECOND);
}

/* Reports that close the breaker after a timeout, and some that do not. */
static const struct
{
  RaBreakerTrip trip;
  RaProof proof;
  guint arrived;
  gboolean closes;
  const gchar *why;
} proof_rows[] = {
  { RA_BREAKER_RTCP_TIMEOUT, RA_PROOF_NONE, 1, FALSE, "anybody could say it" },
  { RA_BREAKER_RTCP_TIMEOUT, RA_PROOF_HEARD, 0, TRUE, "RTCP goes both ways" },
  { RA_BREAKER_RTCP_TIMEOUT, RA_PROOF_DELIVERED, 1, TRUE, "a probe came" },
  { RA_BREAKER_RTCP_TIMEOUT, RA_PROOF_DELIVERED, 0, FALSE, "it was lost" },
  { RA_BREAKER_MEDIA_TIMEOUT, RA_PROOF_HEARD, 0, FALSE,
      "RTCP went both ways all the time" },
  { RA_BREAKER_MEDIA_TIMEOUT, RA_PROOF_DELIVERED, 1, TRUE, "a probe came" },
};

static void
test_proof (gconstpointer data)
{
  guint i = GPOINTER_TO_UINT (data), n = proof_rows[i].arrived;
  World w;

  trip_timeout (&w);
  w.guard.breaker.trip = proof_rows[i].trip;
  g_test_message ("%s", proof_rows[i].why);
  g_assert_cmpint (
      hear (&w, 1, 1 - n, proof_rows[i].proof), ==, proof_rows[i].closes);
  g_assert_cmpint (state (&w), ==,
      proof_rows[i].closes ? RA_BREAKER_CLOSED : RA_BREAKER_OPEN);
  g_assert_cmpuint (
      ra_guard_rate (&w.guard, RATE), ==, proof_rows[i].closes ? RATE : 0);
}

/* After a trip on congestion no probe leaves for 10 s, and then 20 probes do, two per
 * second; half a second had passed when it opened.  Then a tenth of the rate is
 * sent. */
static void
test_congestion_returns (void)
{
  World w = { 0 };
  RaTime open;
  guint64 tripped;

  ra_guard_init (&w.guard, 0, TRUE);
  trip_congestion (&w);
  tripped = w.guard.tripped;
  open = w.now;
  for (guint i = 0; i < 18; i++) {
    ra_guard_on_rtcp (&w.guard, w.now);
    g_assert_false (run (&w, RA_SECOND, FALSE));
  }
  ra_guard_on_rtcp (&w.guard, w.now);
  g_assert_true (run (&w, RA_SECOND, FALSE));
  g_assert_cmpuint (w.n, ==, 20);
  g_assert_cmpuint (w.probes[0] + RA_SECOND / 2, >=, open + 10 * RA_SECOND);
  g_assert_cmpint (state (&w), ==, RA_BREAKER_FALLBACK);
  g_assert_true (ra_guard_distrusts (&w.guard));
  g_assert_cmpuint (ra_guard_rate (&w.guard, RATE), ==, tripped / 10);
}

/* A sender that goes on as before trips again, and waits for 20 s, 40 s, and up to
 * 160 s. */
static void
test_backoff (void)
{
  static const guint want[] = { 10, 20, 40, 80, 160, 160 };
  World w = { 0 };

  ra_guard_init (&w.guard, 0, TRUE);
  for (guint i = 0; i < G_N_ELEMENTS (want); i++) {
    trip_congestion (&w);
    g_assert_cmpint (w.guard.breaker.backoff, ==, want[i] * (RaSpan) RA_SECOND);
    for (guint k = 0; k < 200 && state (&w) == RA_BREAKER_OPEN; k++) {
      ra_guard_on_rtcp (&w.guard, w.now);
      run (&w, RA_SECOND, FALSE);
    }
    g_assert_cmpint (state (&w), ==, RA_BREAKER_FALLBACK);
  }
}

/* The breaker stays open while half of the probes are lost, and for 20 probes more. */
static void
test_stays (void)
{
  World w = { 0 };

  ra_guard_init (&w.guard, 0, TRUE);
  trip_congestion (&w);
  w.lost = .5;
  for (guint i = 0; i < 120; i++) {
    ra_guard_on_rtcp (&w.guard, w.now);
    g_assert_false (run (&w, RA_SECOND, FALSE));
  }
  g_assert_cmpuint (w.n, >, 200);
  w.lost = 0;
  for (guint i = 0; i < 21 && state (&w) == RA_BREAKER_OPEN; i++) {
    ra_guard_on_rtcp (&w.guard, w.now);
    run (&w, RA_SECOND, FALSE);
  }
  g_assert_cmpint (state (&w), ==, RA_BREAKER_FALLBACK);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/safety/probes/budget", test_budget);
  rows_add ("/safety/probes/proof", proof_rows, test_proof);
  g_test_add_func ("/safety/probes/congestion", test_congestion_returns);
  g_test_add_func ("/safety/probes/backoff", test_backoff);
  g_test_add_func ("/safety/probes/stays", test_stays);
  return g_test_run ();
}
