/* A controller with a window under test.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Unless a test says otherwise R = 100 ms and s = MSS = 1000 bytes: a window of
 * one packet is PPR = 80000 bit/s.  Limits are out of the way.
 */
#pragma once

#include "../rows.h"

#include <gst/rtpadapt/rate.h>

#include <math.h>

#define R (100 * RA_MSECOND)
#define PPR 80000

typedef struct
{
  RaRate *rate;
  RaTime now;
} Fixture;

typedef struct
{
  const gchar *name;
  gdouble value;
} Wanted;

static inline void
pick (const gchar *name, gdouble value, gpointer data)
{
  Wanted *w = data;

  g_assert_true (isfinite (value));
  if (g_str_equal (w->name, name))
    w->value = value;
}

static inline gdouble
get (const Fixture *f, const gchar *name)
{
  Wanted w = { name, NAN };

  ra_rate_observe (f->rate, pick, &w);
  g_assert_false (isnan (w.value));
  return w.value;
}

static inline void
assert_near (gdouble got, gdouble want, const gchar *why)
{
  gdouble epsilon = 1e-4 * fabs (want) + 1e-9;

  if (!(fabs (got - want) <= epsilon))
    g_test_message ("got %.9g, want %.9g: %s", got, want, why);
  g_assert_cmpfloat_with_epsilon (got, want, epsilon);
}

static inline Fixture
window_new (const gchar *name, guint64 start, guint mss, const gchar *params)
{
  RaRateConfig cfg = { 1, start, G_GUINT64_CONSTANT (1) << 60, mss };
  GError *error = NULL;
  Fixture f = { NULL, RA_SECOND };

  f.rate = ra_rate_new (ra_rate_find (name), params, &cfg, f.now, &error);
  g_assert_no_error (error);
  return f;
}

/* A report `after` the last event about packets sent until an RTT ago.  X_recv
 * is `x_recv` packets per R. */
static inline void
tell (Fixture *f, RaSpan after, gdouble x_recv, RaReport report)
{
  f->now = ra_later (f->now, after);
  if (report.rtt == 0)
    report.rtt = R;
  report.t_recvdata = ra_later (f->now, -report.rtt);
  report.recv_rate = (guint64) (x_recv * PPR);
  report.expected
      = report.arrived + report.lost_congestion + report.lost_wireless;
  report.queue = RA_SPAN_NONE;
  ra_rate_on_report (f->rate, &report, f->now);
}

static inline void
acked (Fixture *f, guint n)
{
  tell (f, R, n, (RaReport){ .arrived = n });
}

/* In congestion avoidance with this window, which is in use. */
static inline Fixture
avoiding (const gchar *name, guint cwnd, const gchar *params)
{
  Fixture f = window_new (name, (guint64) cwnd * PPR, 1000, params);

  tell (&f, R, cwnd, (RaReport){ .p = .001 });
  return f;
}

static inline void
send_packet (Fixture *f)
{
  ra_rate_on_sent (f->rate, 1000, f->now);
}

/* Runs the timer, which a packet has set. */
static inline void
expire (Fixture *f)
{
  send_packet (f);
  f->now = ra_rate_next_timeout (f->rate);
  g_assert_cmpuint (f->now, !=, RA_TIME_NONE);
  ra_rate_on_timeout (f->rate, f->now);
}

static inline void
tear_down (Fixture *f)
{
  ra_rate_free (f->rate);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Fixture, tear_down)

static inline void
add_named (const gchar *path, const gchar *name, GTestDataFunc test)
{
  g_autofree gchar *full = g_strdup_printf ("%s/%s", path, name);

  g_test_add_data_func (full, name, test);
}
