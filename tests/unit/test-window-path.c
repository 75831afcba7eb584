/* Controllers with a window on a path that loses every n-th packet: how large
 * is the window in the mean?
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A window that rises by alpha packets per RTT and falls to beta of its peak w
 * at every n-th packet: from beta w to w it takes (1 - beta) w / alpha RTTs, in
 * which (1 + beta) w / 2 packets go each, n in all:
 *
 *   n = (1 - beta^2) w^2 / (2 alpha),  mean = (1 + beta) w / 2
 *     = sqrt (alpha (1 + beta) n / (2 (1 - beta)))
 *
 * (Yang, Lam 2000 without timeouts; sqrt (1.5 n) for TCP).  That is the upper
 * bound.  The lower one, with reports every k RTT:
 * - No ACK of a packet sent before the decrease counts, so w packets make no
 *   growth and an RTT passes (RFC 6582); and at most one report more, which
 *   tells of both sides of it: n = (1 - beta^2) w^2 / (2 alpha) + (1 + k) w.
 * - RFC 5681 (3) adds alpha / cwnd, the window of now, for each packet of the
 *   window of 1 + k RTTs ago, which was smaller: alpha (1 - alpha (1 + k) / w)
 *   per RTT.  From beta w to w that takes (1 + k) ln (1 / beta) longer.
 *
 *   mean >= n / (1 + k + (1 - beta) w / alpha + (1 + k) ln (1 / beta))
 */
#include "window-fixture.h"

#define TICK RA_MSECOND
#define SENT_MAX 65536

static const struct
{
  const gchar *name, *params;
  gdouble alpha, beta;
  guint n;
  RaSpan interval; /* of reports, 0: an RTT */
  const gchar *why;
} rows[] = {
  { "newreno", "", 1, .5, 100, 0, "sqrt (150) = 12.2" },
  { "newreno", "", 1, .5, 333, 0, "sqrt (500) = 22.3" },
  { "newreno", "", 1, .5, 1000, 0, "sqrt (1500) = 38.7" },
  { "newreno", "", 1, .5, 100, 33 * RA_MSECOND, "the same at 30 Hz" },
  { "newreno", "", 1, .5, 333, 33 * RA_MSECOND, "the same at 30 Hz" },
  { "newreno", "", 1, .5, 1000, 33 * RA_MSECOND, "the same at 30 Hz" },
  { "gaimd", "", .31, .875, 100, 0, "sqrt (232.5) = 15.2" },
  { "gaimd", "", .31, .875, 1000, 0, "sqrt (2325) = 48.2" },
  { "gaimd", "", .31, .875, 1000, 33 * RA_MSECOND, "the same at 30 Hz" },
  { "gaimd", "beta=.5,friendly=1", 1, .5, 333, 0, "TCP's own" },
  { "gaimd", "beta=.75,friendly=2", 3 / 7., .75, 333, 0, "as TCP: 22.4" },
};

/* Packets leave as the rate has it; what was sent an RTT ago is heard of. */
typedef struct
{
  Fixture f;
  guint n;
  RaSpan interval;
  gdouble credit;
  RaTime sent[SENT_MAX];
  guint n_sent, heard, reported;
  RaTime t_report;
  gdouble window; /* sum of cwnd over the ticks */
  guint ticks;
} Path;

static gboolean
is_lost (const Path *p, guint i)
{
  return i % p->n == p->n - 1;
}

static void
path_send (Path *p)
{
  p->credit += (gdouble) ra_rate_get (p->f.rate) * ra_seconds (TICK) / 8000;
  for (; p->credit >= 1 && p->n_sent < SENT_MAX; p->credit--) {
    p->sent[p->n_sent++] = p->f.now;
    send_packet (&p->f);
  }
}

/* `seen`: the losses that three later packets gave away. */
static void
path_report (Path *p, guint lost)
{
  RaReport report = { .rtt = R, .n_events = lost, .lost_congestion = lost };
  guint last_r = 0;

  for (guint i = 0; i < p->heard; i++) {
    if (is_lost (p, i))
      continue;
    report.arrived += i >= p->reported;
    last_r += p->sent[i] + 2 * R > p->f.now;
  }
  report.p = 1. / p->n;
  report.interval = p->interval;
  report.t_recvdata = p->sent[p->heard - 1];
  report.recv_rate = (guint64) last_r * PPR;
  ra_rate_on_report (p->f.rate, &report, p->f.now);
  p->reported = p->heard;
  p->t_report = p->f.now;
}

static void
path_hear (Path *p)
{
  guint lost = 0;

  while (p->heard < p->n_sent && p->sent[p->heard] + R <= p->f.now) {
    lost += p->heard >= 3 && is_lost (p, p->heard - 3);
    p->heard++;
  }
  if (p->heard > p->reported
      && (lost > 0
          || p->t_report + (p->interval ? p->interval : R) <= p->f.now))
    path_report (p, lost);
}

/* Cycles 3 to 12. */
static void
path_run (Path *p)
{
  while (p->n_sent < 13 * p->n) {
    p->f.now += TICK;
    path_hear (p);
    path_send (p);
    if (p->n_sent >= 3 * p->n) {
      p->window += get (&p->f, "cwnd");
      p->ticks++;
    }
  }
}

static void
test_sawtooth (gconstpointer data)
{
  guint i = GPOINTER_TO_UINT (data);
  gdouble a = rows[i].alpha, b = rows[i].beta, n = rows[i].n;
  gdouble k = rows[i].interval ? ra_seconds (rows[i].interval) / .1 : 1;
  gdouble c = (1 - b * b) / (2 * a);
  gdouble w = (-(1 + k) + sqrt ((1 + k) * (1 + k) + 4 * c * n)) / (2 * c);
  gdouble rtts = (1 + k) * (1 + log (1 / b)) + (1 - b) * w / a;
  gdouble low = n / rtts, high = sqrt ((1 + b) * a * n / (2 * (1 - b)));
  Path *p = g_new0 (Path, 1);
  gdouble window, rate;

  p->n = rows[i].n;
  p->interval = rows[i].interval;
  p->f
      = window_new (rows[i].name, (guint64) (high * PPR), 1000, rows[i].params);
  path_run (p);
  window = p->window / p->ticks;
  rate = 10. * n / p->ticks * 100; /* packets per R */
  g_test_message ("cwnd %.2f, sent per R %.2f, of %.2f to %.2f: %s", window,
      rate, low, high, rows[i].why);
  g_assert_cmpfloat (window, >=, low);
  g_assert_cmpfloat (window, <=, high);
  /* What is sent is the window; ticks and whole packets take a share. */
  g_assert_cmpfloat (rate, >=, .95 * window);
  g_assert_cmpfloat (rate, <=, 1.05 * window);
  tear_down (&p->f);
  g_free (p);
}

void
tests_add (void)
{
  rows_add ("/window/sawtooth", rows, test_sawtooth);
}
