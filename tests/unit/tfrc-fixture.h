/* A TFRC controller under test, for test-tfrc.c and test-tfrc-nofeedback.c.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Unless a test says otherwise R = 100 ms, s = MSS = 1000 bytes, so that 1
 * packet per round-trip time (PPR) is 10000 bytes/s, and W_init = 4000 bytes,
 * initial_rate = 40000 bytes/s.  Limits are out of the way.
 */
#pragma once

#include "../rows.h"
#include "../observed.h"

#include <gst/rtpadapt/rate.h>

#include <math.h>

#define R (100 * RA_MSECOND)
#define PPR 10000.0
/* f (0.01) = 0.08902164 (test-equation), 1000 / (0.1 f) = 112332.3 bytes/s */
#define P_11PPR 0.01
#define X_11PPR 112332.3
/* sqrt (2e-5 / 3) = 0.002581989, 12 sqrt (3e-5 / 8) 1e-5 = 2.324e-7:
 * 1000 / (0.1 * 0.0025822) = 3872643 bytes/s */
#define P_387PPR 0.00001

typedef struct
{
  RaRate *rate;
  RaTime now;
} Fixture;

static inline gdouble
get (const RaRate *r, const gchar *name)
{
  gdouble value = observed (ra_rate_observe, r, name);

  g_assert_false (isnan (value));
  return value;
}

static inline void
assert_near (gdouble got, gdouble want, const gchar *why)
{
  if (!(fabs (got - want) <= 1e-4 * fabs (want)))
    g_test_message ("got %.9g, want %.9g: %s", got, want, why);
  g_assert_cmpfloat_with_epsilon (got, want, 1e-4 * fabs (want));
}

static inline RaRate *
tfrc_new (guint64 start, guint mss, const gchar *params)
{
  RaRateConfig cfg = { 1, start, G_GUINT64_CONSTANT (1) << 60, mss };
  GError *error = NULL;
  RaRate *r
      = ra_rate_new (ra_rate_find ("tfrc"), params, &cfg, RA_SECOND, &error);

  g_assert_no_error (error);
  return r;
}

static inline void
send_packet (Fixture *f)
{
  ra_rate_on_sent (f->rate, 1000, f->now);
}

/* A report `after` the previous event. */
static inline void
report (Fixture *f, RaSpan after, RaSpan rtt, gdouble x_recv, gdouble p,
    guint n_events, gboolean data_limited)
{
  RaReport rep = { .rtt = rtt,
    .recv_rate = ra_bits (x_recv),
    .p = p,
    .n_events = n_events,
    .data_limited = data_limited,
    .queue = RA_SPAN_NONE };

  f->now = ra_later (f->now, after);
  rep.t_recvdata = ra_later (f->now, -rtt);
  ra_rate_on_report (f->rate, &rep, f->now);
}

static inline void
set_up (Fixture *f, gconstpointer data)
{
  f->rate = tfrc_new (0, 1000, NULL);
  f->now = RA_SECOND;
  send_packet (f);
}

/* As above, and the first feedback has come: X_recv = 0, p = 0. */
static inline void
set_up_first (Fixture *f, gconstpointer data)
{
  set_up (f, data);
  report (f, R, R, 0, 0, 0, FALSE);
}

static inline void
fixture_clear (Fixture *f)
{
  ra_rate_free (f->rate);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Fixture, fixture_clear)

static inline void
tear_down (Fixture *f, gconstpointer data)
{
  fixture_clear (f);
}

/* Runs the nofeedback timer; a packet is sent before it unless `idle`. */
static inline void
expire (Fixture *f, gboolean idle)
{
  RaTime due = ra_rate_next_timeout (f->rate);

  if (!idle) {
    f->now = due - 1;
    send_packet (f);
  }
  f->now = due;
  ra_rate_on_timeout (f->rate, f->now);
}

#define ADD(path, init, test) \
  g_test_add ("/tfrc/" path, Fixture, NULL, init, test, tear_down)
