/* SSVP or ARC under test: what tfrc-fixture.h has for TFRC, in its units.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * "Taken over" means: start is known, and the first report tells of a loss rate
 * from before.  So x is known, and there is no slow start.
 */
#pragma once

#include "tfrc-fixture.h"

static inline Fixture
start_new (const gchar *name, gdouble start, const gchar *params)
{
  RaRateConfig cfg = { 1, ra_bits (start), G_GUINT64_CONSTANT (1) << 60, 1000 };
  GError *error = NULL;
  Fixture f = { .now = RA_SECOND };

  f.rate = ra_rate_new (ra_rate_find (name), params, &cfg, f.now, &error);
  g_assert_no_error (error);
  send_packet (&f);
  return f;
}

/* `what` comes `after` the previous event; an RTT of R unless it has one. */
static inline void
tell (Fixture *f, RaSpan after, RaReport what)
{
  f->now = ra_later (f->now, after);
  if (what.rtt == 0)
    what.rtt = R;
  what.t_recvdata = ra_later (f->now, -what.rtt);
  what.queue = RA_SPAN_NONE;
  ra_rate_on_report (f->rate, &what, f->now);
}

/* P_387PPR is the p of all its reports. */
static inline Fixture
taken_over (const gchar *name, gdouble x, const gchar *params)
{
  Fixture f = start_new (name, x, params);

  tell (&f, R, (RaReport){ .p = P_387PPR });
  assert_near (get (f.rate, "x"), x, "taken over");
  return f;
}

/* --- what both borrow from RFC 5348, in start.c --- */

static inline void
slow_start_law (gconstpointer name)
{
  static const struct
  {
    RaSpan after;
    gdouble x_recv;
    gboolean data_limited;
    gdouble x;
    const gchar *why;
  } rows[] = {
    { R, 0, FALSE, 4, "4.2: W_init = 4 MSS = 4000 bytes" },
    { R, 4, FALSE, 8, "doubled" },
    { R / 2, 8, FALSE, 8, "half an RTT later" },
    { R / 2, 7, FALSE, 14, "twice what was received" },
    { R, 14, TRUE, 14, "nobody tried" },
    { 3 * R, 14, FALSE, 28, "once per report" },
  };
  g_auto (Fixture) f = start_new (name, 0, NULL);

  assert_near (get (f.rate, "x"), 1000, "4.2: one packet per second");
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    tell (&f, rows[i].after,
        (RaReport){ .recv_rate = ra_bits (rows[i].x_recv * PPR),
            .expected = 10,
            .data_limited = rows[i].data_limited });
    assert_near (get (f.rate, "x"), rows[i].x * PPR, rows[i].why);
    g_assert_cmpfloat (get (f.rate, "slow_start"), ==, 1);
  }
}

/* 6.3.1: about half of what slow start sent is right, as X_recv tells; `left` is
 * what the controller keeps of it. */
static inline void
slow_start_end_law (const gchar *name, gdouble left)
{
  static const struct
  {
    gdouble x_recv, x;
    const gchar *why;
  } rows[] = {
    { 10, 10, "what was received" },
    { 20, 16, "never more than was sent" },
    { 2, 8, "before it doubled nothing was lost" },
    { 0, 8, "so also if X_recv is unknown" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    g_auto (Fixture) f = start_new (name, 16 * PPR, NULL);

    tell (&f, R, (RaReport){ .expected = 10 });
    tell (&f, R,
        (RaReport){ .recv_rate = ra_bits (rows[i].x_recv * PPR),
            .p = .01,
            .n_events = 1,
            .lost_congestion = 1,
            .expected = 10 });
    assert_near (get (f.rate, "x"), left * rows[i].x * PPR, rows[i].why);
    g_assert_cmpfloat (get (f.rate, "slow_start"), ==, 0);
  }
}

/* 4.3 step 3 and 4.4: halved after 4R, twice as much per RTT until it is what it
 * was. */
static inline void
silence_law (gconstpointer name)
{
  static const gdouble back[] = { 5, 10, 20, 20 };
  Fixture f = start_new (name, 20 * PPR, NULL);

  g_assert_cmpuint (ra_rate_next_timeout (f.rate), ==, 3 * RA_SECOND);
  tear_down (&f, NULL);
  f = taken_over (name, 20 * PPR, NULL);
  for (gdouble x = 10; x > 2; x /= 2) {
    g_assert_cmpuint (ra_rate_next_timeout (f.rate), ==, f.now + 4 * R);
    expire (&f, FALSE);
    assert_near (get (f.rate, "x"), x * PPR, "halved");
  }
  expire (&f, FALSE);
  assert_near (get (f.rate, "x"), 1.25 * PPR, "20 / 2^4");
  tell (&f, R, (RaReport){ .recv_rate = ra_bits (1.25 * PPR) });
  assert_near (get (f.rate, "x"), 2.5 * PPR, "2 X_recv");
  for (guint i = 0; i < G_N_ELEMENTS (back); i++) {
    tell (&f, R, (RaReport){ .recv_rate = ra_bits (20 * PPR) });
    g_assert_cmpfloat (get (f.rate, "x"), >=, back[i] * PPR);
    g_assert_cmpfloat (get (f.rate, "x"), <=, (back[i] + 1) * PPR);
  }
  tear_down (&f, NULL);
}

/* 4.4: a source that sends nothing keeps recover_rate, 4 PPR, once it has less
 * than twice that.  And the timer waits for two packets at that rate. */
static inline void
idle_law (gconstpointer name)
{
  g_auto (Fixture) f = taken_over (name, 20 * PPR, NULL);

  for (guint i = 0; i < 10; i++)
    expire (&f, TRUE);
  assert_near (get (f.rate, "x"), 5 * PPR, "20, 10, 5 and no less");
  for (guint i = 0; i < 40; i++)
    expire (&f, FALSE);
  g_assert_cmpuint (ra_rate_get (f.rate), ==, 1); /* cfg.min */
  g_assert_cmpuint (
      ra_rate_next_timeout (f.rate), ==, f.now + 16000 * RA_SECOND);
}
