/* TFRC's nofeedback timer against RFC 5348 4.4.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "tfrc-fixture.h"

/* Two reports bring X where the row wants it (none: no RTT sample yet), then
 * the timer expires four times. */
static const struct
{
  guint reports;
  gboolean idle;
  gdouble p, x_recv;
  gdouble x[5]; /* before, and after each expiry */
  const gchar *why;
} nofeedback_rows[] = {
  { 0, FALSE, 0, 0, { 1000, 500, 250, 125, 62.5 }, "no RTT, not idle" },
  { 0, TRUE, 0, 0, { 1000, 1000, 1000, 1000, 1000 }, "no RTT, idle" },
  { 1, TRUE, 0, 0, { 40000, 40000, 40000, 40000, 40000 },
      "idle, p = 0, X = recover_rate" },
  { 2, TRUE, 0, 60000, { 80000, 40000, 40000, 40000, 40000 },
      "idle, p = 0, X = 2 recover_rate is not below it" },
  { 2, FALSE, 0, 60000, { 80000, 40000, 20000, 10000, 5000 },
      "not idle, p = 0: X/2" },
  { 2, TRUE, P_387PPR, 39000, { 78000, 78000, 78000, 78000, 78000 },
      "idle, p > 0, X_recv < recover_rate" },
  /* X_recv = 81000 -> set 40500 -> set 20250 < recover_rate */
  { 2, TRUE, P_387PPR, 81000, { 162000, 81000, 40500, 40500, 40500 },
      "idle, p > 0, X_recv >= recover_rate: until X_recv is below it" },
  { 2, FALSE, P_387PPR, 30000, { 60000, 30000, 15000, 7500, 3750 },
      "X_Bps > 2 X_recv: Update_Limits (X_recv)" },
  { 2, FALSE, P_11PPR, 90000,
      { X_11PPR, X_11PPR / 2, X_11PPR / 4, X_11PPR / 8, X_11PPR / 16 },
      "X_Bps <= 2 X_recv: Update_Limits (X_Bps / 2)" },
  /* f (0.1) = 0.2581989 + 12 * 0.1936492 * 0.1 * 1.32 = 0.5649392: X_Bps =
   * 17701.0, not yet used as the first feedback gave initial_rate */
  { 1, FALSE, 0.1, 0, { 40000, 8850.5, 4425.25, 2212.63, 1106.31 },
      "first feedback with p > 0: X_Bps / 2" },
  { 2, FALSE, P_387PPR, 10,
      { 20, 1000. / 64, 1000. / 64, 1000. / 64, 1000. / 64 },
      "one packet per t_mbi" },
};

static void
test_nofeedback (gconstpointer data)
{
  guint i = GPOINTER_TO_UINT (data);
  Fixture f;

  set_up (&f, NULL);
  if (nofeedback_rows[i].reports > 0)
    report (&f, R, R, 0,
        nofeedback_rows[i].reports == 1 ? nofeedback_rows[i].p : 0, 0, FALSE);
  if (nofeedback_rows[i].reports > 1)
    report (&f, 3 * R, R, nofeedback_rows[i].x_recv, nofeedback_rows[i].p, 0,
        FALSE);
  if (nofeedback_rows[i].reports == 0 && nofeedback_rows[i].idle) {
    tear_down (&f, NULL); /* not even the first packet */
    f = (Fixture){ tfrc_new (0, 1000, NULL), RA_SECOND };
  }
  for (guint n = 0; n < 5; n++) {
    gdouble x = nofeedback_rows[i].x[n];

    if (n > 0) {
      expire (&f, nofeedback_rows[i].idle);
      /* Item 2; R is not known before the first report, then 2 s. */
      assert_near (get (f.rate, "rto"),
          fmax (nofeedback_rows[i].reports ? 0.4 : 2, 2000 / x), "restart");
    }
    assert_near (get (f.rate, "x"), x, nofeedback_rows[i].why);
  }
  tear_down (&f, NULL);
}

static void
test_floor (Fixture *f, gconstpointer data)
{
  for (guint i = 0; i < 12; i++)
    expire (f, FALSE);
  assert_near (get (f->rate, "x"), 1000.0 / 64, "s / t_mbi, p = 0");
  assert_near (get (f->rate, "rto"), 128, "2s/X");
}

/* "has been idle ever since the nofeedback timer was set": not since some time,
 * and a packet from before it does not count. */
static void
test_idle (Fixture *f, gconstpointer data)
{
  send_packet (f);
  expire (f, TRUE);
  assert_near (get (f->rate, "x"), 20000, "one packet at its beginning");
  expire (f, TRUE);
  assert_near (get (f->rate, "x"), 20000, "none since");
  expire (f, FALSE);
  assert_near (get (f->rate, "x"), 10000, "one at its end");
}

/* Lost feedback, then "it still allows the sender to slow-start, doubling its
 * sending rate each RTT, if feedback messages resume". */
static void
test_resume (Fixture *f, gconstpointer data)
{
  report (f, 3 * R, R, X_11PPR, P_11PPR, 1, FALSE);
  for (guint i = 0; i < 4; i++)
    expire (f, FALSE);
  assert_near (get (f->rate, "x"), X_11PPR / 16, "halved four times");
  for (guint i = 3; i > 0; i--) {
    report (f, R, R, get (f->rate, "x"), P_11PPR, 0, FALSE);
    assert_near (get (f->rate, "x"), X_11PPR / (1 << i), "doubled");
  }
  report (f, R, R, get (f->rate, "x"), P_11PPR, 0, FALSE);
  assert_near (get (f->rate, "x"), X_11PPR, "X_Bps");
  report (f, R, R, get (f->rate, "x"), P_11PPR, 0, FALSE);
  assert_near (get (f->rate, "x"), X_11PPR, "and no more");
}

static void
test_resume_slow_start (Fixture *f, gconstpointer data)
{
  for (guint i = 0; i < 3; i++)
    expire (f, FALSE);
  assert_near (get (f->rate, "x"), 5000, "40000 halved three times");
  report (f, R, R, 5000, 0, 0, FALSE);
  assert_near (get (f->rate, "x"), 40000, "initial_rate again");
}

/* What cfg.max holds down is halved from there. */
static void
test_nofeedback_below_max (void)
{
  RaRateConfig cfg = { 1, 0, 8 * 10000, 1000 };
  g_auto (Fixture) f
      = { ra_rate_new (ra_rate_find ("tfrc"), NULL, &cfg, 0, NULL), 0 };

  report (&f, R, R, 0, 0, 0, FALSE);
  report (&f, 3 * R, R, 10000, P_387PPR, 0, FALSE);
  g_assert_cmpuint (ra_rate_get (f.rate), ==, 80000);
  expire (&f, FALSE);
  g_assert_cmpuint (ra_rate_get (f.rate), ==, 40000);
}

void
tests_add (void)
{
  rows_add ("/tfrc/nofeedback", nofeedback_rows, test_nofeedback);
  ADD ("floor", set_up, test_floor);
  ADD ("floor-slow-start", set_up_first, test_floor);
  ADD ("idle", set_up_first, test_idle);
  ADD ("resume", set_up_first, test_resume);
  ADD ("resume-slow-start", set_up_first, test_resume_slow_start);
  g_test_add_func ("/tfrc/nofeedback-below-max", test_nofeedback_below_max);
}
