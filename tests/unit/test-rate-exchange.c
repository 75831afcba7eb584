/* A law for every pair of rate controllers: one takes over from the other in
 * mid-stream, and the rate goes on.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "../main.h"
#include "rate-fixture.h"

#include <gst/rtpadapt/rate/equation.h>
#include <gst/rtpadapt/sender.h>

#define R (100 * RA_MSECOND)
#define SIZE 1000

typedef struct
{
  const RaRateOps *from, *to;
} Pair;

typedef struct
{
  RaSender *sender;
  RaTime now;
  guint64 seq;
  gdouble p;
} Path;

/* What each row begins with, and a loss event rate that the path has. */
static const struct
{
  guint64 start; /* bit/s */
  gdouble p;
  const gchar *why;
} rows[] = {
  { 1000000, 0, "no loss so far" },
  { 1000000, .01, "losses" },
  { 100000, 0, "slow" },
  { 100000, .01, "slow, by other means than losses" },
  { 100000, .1, "slow, many losses" },
};

/* A round-trip time in which all that is allowed is sent, and a report of it. */
static void
path_round (Path *p, guint n_events)
{
  guint64 rate = ra_sender_rate (p->sender);
  guint n = (guint) (rate / 8 / 10 / SIZE) + 1;
  RaReport report = { .recv_rate = rate,
    .t_recvdata = p->now,
    .p = p->p,
    .n_events = n_events,
    .lost_congestion = n_events,
    .expected = n,
    .arrived = n - n_events,
    .queue = RA_SPAN_NONE };

  for (guint i = 0; i < n; i++) {
    ra_sender_on_sent (p->sender,
        &(RaOutgoing){
            p->seq++, SIZE, SIZE, .flags = RA_SENT_WAITING | RA_SENT_ASKS },
        ra_later (p->now, i * R / n));
  }
  report.t_recvdata = ra_later (p->now, (n - 1) * R / n);
  p->now = ra_later (report.t_recvdata, R);
  g_assert_true (ra_sender_on_report (p->sender, &report, 0, p->now));
}

static void
is_number (const gchar *name, gdouble value, gpointer data)
{
  g_assert_false (isnan (value));
}

/* Any second round may double (RFC 5348 4.3); the first may also begin as a new
 * flow does (4.2), but as TCP would where the path has losses. */
static guint64
most (const Path *p, guint64 before, gboolean first)
{
  gdouble initial = ra_initial_rate (config.mss, ra_seconds (R));
  guint64 most = 2 * before;

  if (first)
    most = MAX (most, ra_bits (fmin (initial, ra_equation_x (SIZE, .1, p->p))));
  return most + most / 100;
}

static void
check_row (const Pair *pair, guint row)
{
  RaSenderConfig cfg = {
    .controller = pair->from, .lda = ra_lda_find ("none"), .rate = config
  };
  Path p = { .now = RA_SECOND, .p = rows[row].p };
  guint64 before;

  cfg.rate.start = rows[row].start;
  cfg.rate.max = rows[row].start; /* it stays there */
  p.sender = ra_sender_new (&cfg, p.now, NULL);
  for (guint i = 0; i < 30; i++)
    path_round (&p, 0);
  before = ra_sender_rate (p.sender);
  cfg.rate.max = config.max;
  ra_sender_set_limits (p.sender, &cfg.rate);
  g_assert_true (
      ra_sender_set_controller (p.sender, pair->to, NULL, p.now, NULL));
  g_assert_cmpuint (ra_sender_rate (p.sender), ==, before);
  for (guint i = 0; i < 20; i++) {
    path_round (&p, 0);
    g_assert_cmpuint (ra_sender_rate (p.sender), <=, most (&p, before, i == 0));
    before = ra_sender_rate (p.sender);
    g_assert_cmpuint (before, >=, config.min);
    ra_sender_observe (p.sender, is_number, NULL);
  }
  p.p = MAX (p.p * 2, .05);
  path_round (&p, 1);
  g_assert_cmpuint (ra_sender_rate (p.sender), <=, before);
  /* Back again, without an answer: the timer runs. */
  g_assert_true (
      ra_sender_set_controller (p.sender, pair->from, NULL, p.now, NULL));
  g_assert_cmpuint (ra_sender_rate (p.sender), <=, before);
  ra_sender_on_timeout (p.sender, ra_later (p.now, 10 * RA_SECOND));
  g_assert_cmpuint (ra_sender_rate (p.sender), <=, before);
  ra_sender_free (p.sender);
}

static void
test_pair (gconstpointer data)
{
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    g_test_message ("%s", rows[i].why);
    check_row (data, i);
  }
}

void
tests_add (void)
{
  static Pair pairs[256];
  guint n = 0;

  for (guint i = 0; ra_rates[i]; i++) {
    for (guint j = 0; ra_rates[j]; j++) {
      g_autofree gchar *path = g_strdup_printf (
          "/rate/exchange/%s/%s", ra_rates[i]->name, ra_rates[j]->name);

      g_assert_cmpuint (n, <, G_N_ELEMENTS (pairs));
      pairs[n] = (Pair){ ra_rates[i], ra_rates[j] };
      g_test_add_data_func (path, &pairs[n++], test_pair);
    }
  }
}
