/* The receiver with verdicts that wait: TCP-DCR from the packet to the report.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Bhandarkar et al. 2005, 3: tau is R = 100 ms here.
 */
#include "../rows.h"
#include "receiver-fixture.h"

/* Slow start ends with the loss of 12, told at 50 ms; the feedback timer runs
 * at 150 and 250 ms.  30 is lost between 29 (190 ms) and 31 (210 ms), in another
 * event; its verdict is due at 210 + 100 ms. */
#define P "10@0 11@10 13@30 14@40 15@50 16-29@60 31-33@210"
#define WANT_P "!...!.........T........"

static const struct
{
  const gchar *script, *want;
  guint recovered, congestion, events;
  const gchar *why;
} rows[] = {
  { "10@0 11@10 13@30 14@40 15@50", "!...!", 0, 1, 1,
      "in slow start nothing waits (3.3)" },
  { "10@0 11@10 13@30 14@40 15@50 12@55", "!...!!", 1, 1, 0,
      "what comes late is taken out of the history" },
  { "10@0 11@10 13@30 14@40 15@50 12@55 16@60 18@80 19@90 20@100 @155",
      "!...!!....T", 1, 1, 0, "that does not bring slow start back: 17 waits" },
  { P, WANT_P, 0, 1, 1, "lost by NDUPACK, and waits" },
  { P " 30@260", WANT_P "T.", 1, 1, 1, "back after 50 ms: no loss" },
  { P " 30@260 34@300 @349", WANT_P "T..", 1, 1, 1, "nor later" },
  { P " 30@309", WANT_P "T.", 1, 1, 1, "just in time" },
  { P " 34-37@260 @309", WANT_P "T....", 0, 1, 1, "not due yet" },
  { P " 34-37@260 @310", WANT_P "T....T", 0, 2, 2,
      "a new loss event reports at once, with no packet to wake us up" },
  { P " 34-37@260 @409", WANT_P "T....T", 0, 2, 2,
      "which restarts the feedback timer" },
  { P " 34-37@260 30@310", WANT_P "T....T!", 1, 2, 1,
      "back after R: it was a loss, and is none any more" },
  { P " @340", WANT_P "Tt", 0, 2, 2,
      "due, but no data: nothing to send (6.2)" },
  { P " 34@340 35@350", WANT_P "Tt!.", 0, 2, 2, "then the next packet does" },
  /* 34 was nominally lost at 240 ms, within R of 30's 200; due at 350 ms. */
  { P " 35@250 36-45@260", WANT_P "T......T....t.", 0, 3, 2,
      "one of the same event does not raise p: no report (6.1)" },
  { P " 35@250 36-45@260 @409", WANT_P "T......T....t.", 0, 3, 2,
      "and does not restart the timer" },
  { P " 35@250 36-45@260 @410", WANT_P "T......T....t.T", 0, 3, 2,
      "which runs R after the report" },
  /* 36 was nominally lost at 280 ms, within R of 30's 200; due at 410 ms. */
  { P " 34-35@240 37-39@310 @410", WANT_P ".T.T...T", 0, 3, 2,
      "nor does it keep the timer from a report that is due with it" },
  { P " 34@240c", WANT_P "!", 0, 2, 2,
      "CE does not wait, nor does what is missing before it (5.1)" },
  { P " 34@240c 30@250", WANT_P "!.", 1, 2, 2,
      "if that comes, the event begins with the marked packet" },
};

static void
test_row (gconstpointer data)
{
  guint i = GPOINTER_TO_UINT (data);
  RaReceiverStats stats;
  g_auto (Player) p;

  player_init (&p, ra_lda_find ("dcr"), 100 * RA_MSECOND);
  play (&p, rows[i].script);
  ra_receiver_get_stats (p.r, &stats);
  g_test_message ("%s: %s", rows[i].script, rows[i].why);
  g_assert_cmpstr (p.out->str, ==, rows[i].want);
  g_assert_cmpuint (stats.recovered, ==, rows[i].recovered);
  g_assert_cmpuint (stats.congestion, ==, rows[i].congestion);
  g_assert_cmpuint (stats.events, ==, rows[i].events);
}

/* What p was before the hole, it is again when the packet comes in time. */
static void
test_p (void)
{
  Player p, whole;

  player_init (&p, ra_lda_find ("dcr"), 100 * RA_MSECOND);
  play (&p, P " 30@260 34@300");
  player_init (&whole, ra_lda_find ("dcr"), 100 * RA_MSECOND);
  play (&whole, "10@0 11@10 13@30 14@40 15@50 16-33@60 34@300");
  g_assert_cmpfloat (p_now (p.r), >, 0);
  g_assert_cmpfloat (p_now (p.r), ==, p_now (whole.r));
  player_clear (&p);
  player_clear (&whole);
}

void
tests_add (void)
{
  rows_add ("/receiver-wait/row", rows, test_row);
  g_test_add_func ("/receiver-wait/p", test_p);
}
