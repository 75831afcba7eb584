/* Per-packet feedback with ECN marks, colours, and rows that come late.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "../heldrows.h"
#include "sender-fixture.h"

#include <gst/rtpadapt/ledger.h>
#include <math.h>

#define LOST RA_TIME_NONE

/* Sends a packet each 10 ms and then hands over what became of them.  One letter
 * a packet: "." came, "x" lost, "c" came with a mark. */
static void
rows_feed (Fixture *f, const gchar *letters)
{
  g_autoptr (GArray) rows
      = g_array_new (FALSE, FALSE, sizeof (RaFeedbackPacket));
  guint64 first = f->next;

  for (guint i = 0; letters[i]; i++) {
    RaFeedbackPacket row = { .seq = first + i,
      .arrival = letters[i] == 'x' ? LOST : RA_SECOND + f->now,
      .ce = letters[i] == 'c' };

    fixture_send (f, 1000, RA_SENT_ASKS);
    f->now += 10 * RA_MSECOND;
    g_array_append_val (rows, row);
  }
  ra_sender_on_feedback (
      f->sender, (RaFeedbackPacket *) rows->data, rows->len, 0, f->now);
}

/* RFC 3168 5, RFC 6679 7.3.3, RFC 5348 5.1: a mark is a loss event as a loss
 * is, and at once. */
static const struct
{
  const gchar *rows;
  guint n_events, ce, lost, arrived;
  guint age; /* ms, of the newest of them */
  const gchar *why;
} ce_rows[] = {
  { "......", 0, 0, 0, 6, 0, "neither" },
  { "..x...", 1, 0, 1, 5, 30, "a loss" },
  { "..c...", 1, 1, 0, 6, 30, "a mark" },
  { ".....c", 1, 1, 0, 6, 0, "it waits for no third packet" },
  { "....xc", 1, 1, 1, 5, 0, "nor does the loss before it" },
  { "..cc..", 1, 2, 0, 6, 20, "two within R are one event" },
};

static void
test_ce (gconstpointer data)
{
  guint i = GPOINTER_TO_UINT (data);
  RaFeedbackPacket first = { 100, RA_SECOND };
  g_auto (Fixture) f;

  fixture_init (&f, 0);
  fixture_send (&f, 1000, RA_SENT_ASKS);
  f.now = 100 * RA_MSECOND; /* R */
  ra_sender_on_feedback (f.sender, &first, 1, 0, f.now);
  rows_feed (&f, ce_rows[i].rows);
  g_test_message ("%s", ce_rows[i].why);
  g_assert_cmpuint (probe_report.n_events, ==, ce_rows[i].n_events);
  g_assert_cmpuint (probe_report.ce, ==, ce_rows[i].ce);
  g_assert_cmpuint (probe_report.lost_congestion, ==, ce_rows[i].lost);
  g_assert_cmpuint (probe_report.arrived, ==, ce_rows[i].arrived);
  g_assert_cmpint (
      probe_report.loss_age, ==, ce_rows[i].age * (gint64) RA_MSECOND);
  g_assert_cmpint (probe_report.p > 0, ==, ce_rows[i].n_events > 0);
}

/* The mean rate, bit/s, at which one packet in 200 is lost or marked; R = 50 ms,
 * always a packet to send. */
static gdouble
mean_rate (const RaRateOps *ops, gboolean mark)
{
  RaSenderConfig cfg = { .controller = ops,
    .lda = ra_lda_find ("none"),
    .rate = { .min = 50000, .start = 1000000, .max = 20000000, .mss = 1000 } };
  g_autoptr (RaSender) s = ra_sender_new (&cfg, 0, NULL);
  RaTime now = 0, sent[4096];
  guint64 seq = 0, heard = 0;
  gdouble credit = 0, sum = 0;

  for (guint ms = 0; ms < 120000; ms++, now += RA_MSECOND) {
    if (ra_sender_next_timeout (s) <= now)
      ra_sender_on_timeout (s, now);
    credit += ra_bytes (ra_sender_rate (s)) * 1e-3;
    for (; credit >= 1000; credit -= 1000) {
      sent[seq % G_N_ELEMENTS (sent)] = now;
      ra_sender_on_sent (s,
          &(RaOutgoing){ .seq = seq++,
              .size = 1000,
              .media = 1000,
              .flags = RA_SENT_WAITING | RA_SENT_ASKS },
          now);
    }
    for (; heard < seq
         && ra_diff (now, sent[heard % G_N_ELEMENTS (sent)]) >= 50 * RA_MSECOND;
         heard++) {
      gboolean hit = heard % 200 == 199;
      RaTime came = ra_later (sent[heard % G_N_ELEMENTS (sent)], RA_SECOND);
      RaFeedbackPacket row = { heard, hit && !mark ? LOST : came, hit && mark };

      ra_sender_on_feedback (s, &row, 1, 0, now);
    }
    if (ms >= 60000)
      sum += (gdouble) ra_sender_rate (s) / 60000;
  }
  return sum;
}

/* RFC 6679 7.3.3: "There should be no difference in congestion response if
 * ECN-CE marks or packet drops are detected."  But Westwood's window after a
 * loss is what arrives, and a marked packet does.  delay takes a loss at an empty queue
 * for the radio's, and no mark: the equation of RFC 5348 3.1 gives 2.65 Mbit/s. */
static void
test_response (gconstpointer data)
{
  gboolean is_delay = data == ra_rate_find ("delay");
  gdouble lost = is_delay ? 2.65e6 : mean_rate (data, FALSE);
  gdouble marked = mean_rate (data, TRUE);
  gdouble most = is_delay ? .5 : data == ra_rate_find ("westwood") ? .2 : .01;

  g_test_message ("%.0f with losses, %.0f with marks", lost, marked);
  g_assert_cmpfloat (fabs (marked - lost), <, most * lost);
}

/* The same report for report, where what is hit begins no loss event (within R of
 * another, or p is not known yet), or was hit before the rate fell. */
static void
test_within (gconstpointer data)
{
  RaRateConfig cfg = { .min = 50000, .start = 2000000, .max = 20000000, 1000 };
  g_autoptr (RaRate) lost = ra_rate_new (data, NULL, &cfg, 0, NULL);
  g_autoptr (RaRate) marked = ra_rate_new (data, NULL, &cfg, 0, NULL);

  for (guint i = 1; i < 100; i++) {
    RaTime now = i * 50 * (RaTime) RA_MSECOND;
    guint hit = i % 7 == 3 || i % 7 == 5;
    RaReport r = { .rtt = 50 * RA_MSECOND,
      .t_recvdata = now - 50 * RA_MSECOND,
      .recv_rate = 2000000,
      .p = i > 20 ? .01 : 0,
      .n_events = i == 20,
      .expected = 10,
      .arrived = 9,
      .loss_age = i % 7 == 5 ? 150 * RA_MSECOND : 0,
      .queue = RA_SPAN_NONE };

    r.lost_congestion = hit;
    ra_rate_on_report (lost, &r, now);
    r.lost_congestion = 0;
    r.ce = hit;
    ra_rate_on_report (marked, &r, now);
    g_assert_cmpuint (ra_rate_get (marked), <=, ra_rate_get (lost));
    if (data != ra_rate_find ("delay")) /* above */
      g_assert_cmpuint (ra_rate_get (marked), ==, ra_rate_get (lost));
  }
}

/* To TCP a mark is a loss; to a viewer it is none (RFC 8083 7), so that breaker
 * 4 does not hear of it. */
static void
test_friendly (void)
{
  RaReport r = { .rtt = 100 * RA_MSECOND,
    .expected = 100,
    .arrived = 90,
    .lost_wireless = 10,
    .ce = 50 };
  RaFriendly f;

  ra_friendly_init (&f);
  for (guint k = 1; k <= 12; k++)
    ra_friendly_on_report (&f, &r, 1000, 0, k * (RaTime) RA_SECOND / 4);
  g_assert_cmpfloat_with_epsilon (f.p, .6, 1e-9);
  g_assert_cmpfloat_with_epsilon (f.gone, .1, 1e-9);
}

/* RFC 8083 4.4: more than half lost for 20 s is no video. */
static void
test_usable (void)
{
  static const struct
  {
    gdouble p, gone;
    RaBreakerTrip trip;
    const gchar *why;
  } rows[] = { { .6, .1, RA_BREAKER_NONE, "marked, and seen" },
    { .6, .6, RA_BREAKER_USABILITY, "lost" } };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    RaFriendly f;
    RaBreaker b;

    ra_friendly_init (&f);
    ra_breaker_init (&b, TRUE);
    f.p = rows[i].p;
    f.gone = rows[i].gone;
    for (guint t = 0; t < 30; t++) {
      ra_breaker_on_heard (&b, TRUE, t * (RaTime) RA_SECOND);
      ra_breaker_on_interval (&b, &f, 0, t * (RaTime) RA_SECOND);
    }
    g_test_message ("%s", rows[i].why);
    g_assert_cmpint (b.trip, ==, rows[i].trip);
  }
}

/* RFC 8888 tells of each SSRC by itself: the rows about one may reach further
 * than those about another, whose losses come with the next report.  Then it is
 * too late for a verdict, and early enough for the bound on the rate. */
static void
test_late_loss (void)
{
  RaFeedbackPacket rows[]
      = { { 100, RA_SECOND }, { 101, RA_SECOND }, { 103, RA_SECOND } };
  RaFeedbackPacket late[] = { { 102, LOST }, { 104, RA_SECOND } };
  RaFeedbackPacket again[] = { { 102, LOST }, { 105, RA_SECOND } };
  guint64 once;
  g_auto (Fixture) f;

  fixture_init (&f, 0);
  for (guint i = 0; i < 6; i++)
    fixture_send (&f, 1000, RA_SENT_ASKS);
  ra_sender_on_feedback (f.sender, rows, 3, 0, 50 * RA_MSECOND);
  g_assert_cmpuint (fixture_stats (&f).friendly, ==, G_MAXUINT64);
  ra_sender_on_feedback (f.sender, late, 2, 0, 60 * RA_MSECOND);
  g_assert_cmpuint (fixture_stats (&f).friendly, <, G_MAXUINT64);
  g_assert_cmpuint (fixture_stats (&f).feedback_bad, ==, 0);
  g_assert_cmpuint (probe_report.lost_congestion, ==, 0);
  ra_sender_on_feedback (f.sender, again, 2, 0, 70 * RA_MSECOND);
  g_assert_cmpuint (fixture_stats (&f).feedback_bad, ==, 1); /* told already */
  /* It counts once: X is as 1 / sqrt (p), which falls from 1 of 6 to 1 of 106. */
  once = fixture_stats (&f).friendly;
  for (guint i = 0; i < 100; i++) {
    RaFeedbackPacket row = { f.next, RA_SECOND };

    f.now = 30 * RA_MSECOND;
    fixture_send (&f, 1000, RA_SENT_ASKS);
    ra_sender_on_feedback (f.sender, &row, 1, 0, 80 * RA_MSECOND);
  }
  g_assert_cmpuint (fixture_stats (&f).friendly, >, 4 * once);
}

/* Sent at 0, heard of at 100 ms; RFC 5348 4.3 step 1: R is that less the wait, of
 * which 8 % of the 100 ms are believed (peerdelay.h). */
static const struct
{
  gdouble held, grain; /* ms */
  gdouble rtt;         /* ms, 0: refused */
  gdouble sample;      /* ms, that the LDA hears of */
  const gchar *why;
} held_rows[] = {
  { 0, 0, 100, 100, "it answered at once" },
  { 5, 0, 95, 95, "it waited" },
  { 30, 0, 92, 92, "longer than is believed" },
  { 5, 96, 96, 95, "R is shorter than what can be told" },
  { 100.5, 1, 92, 92, "rounded" },
  { 101.5, 1, 0, 0, "before it was sent" },
};

static RaSpan rtt_sample;

static RaCause
sample_on_packet (RaLda *lda, const RaArrival *a)
{
  rtt_sample = a->rtt_sample;
  return RA_CAUSE_CONGESTION;
}

static const RaLdaOps sample_lda = {
  .name = "sample",
  .cite = "-",
  .size = sizeof (RaLda),
  .on_packet = sample_on_packet,
};

static void
test_held (gconstpointer data)
{
  guint i = GPOINTER_TO_UINT (data);
  RaSpan held = ra_span (held_rows[i].held / 1000);
  RaSpan grain = ra_span (held_rows[i].grain / 1000);
  RaFeedbackPacket row = { 100, RA_SECOND };
  gboolean good = held_rows[i].rtt > 0;
  g_auto (Fixture) f;

  fixture_init (&f, 0);
  ra_sender_set_lda (f.sender, &sample_lda, NULL, NULL);
  fixture_send (&f, 1000, RA_SENT_ASKS);
  g_test_message ("%s", held_rows[i].why);
  g_assert_cmpint (
      held_rows_hear (f.sender, &row, 1, grain, held, 100 * RA_MSECOND), ==,
      good);
  g_assert_cmpuint (fixture_stats (&f).feedback_bad, ==, !good);
  g_assert_cmpint (ra_ledger_at (ra_sender_ledger (f.sender), 100)->fate, ==,
      good ? RA_FATE_ARRIVED : RA_FATE_NOTHING);
  g_assert_cmpint (probe_report.rtt, ==, ra_span (held_rows[i].rtt / 1000));
  if (good)
    g_assert_cmpint (rtt_sample, ==, ra_span (held_rows[i].sample / 1000));
}

/* Packets at 0, 95 and 100 ms.  The first is heard of at 50 ms, without a wait.
 * Later the peer says that it waited for 80 ms since the second, which had taken
 * 130: it would have heard of the third, so that 5 ms are believed; but no R is
 * longer for that than the shortest was. */
static void
test_held_late (void)
{
  RaFeedbackPacket first = { 100, RA_SECOND };
  RaFeedbackPacket second = { 101, RA_SECOND + 95 * RA_MSECOND };
  Fixture f;

  for (guint known = 0; known < 2; known++) {
    fixture_init (&f, 0);
    fixture_send (&f, 1000, RA_SENT_ASKS);
    if (known) {
      g_assert_true (
          held_rows_hear (f.sender, &first, 1, 0, 1, 50 * RA_MSECOND));
      g_assert_cmpint (probe_report.rtt, ==, 50 * RA_MSECOND - 1);
    }
    f.now = 95 * RA_MSECOND;
    fixture_send (&f, 1000, RA_SENT_ASKS);
    f.now = 100 * RA_MSECOND;
    fixture_send (&f, 1000, RA_SENT_ASKS);
    g_assert_true (held_rows_hear (
        f.sender, &second, 1, 0, 80 * RA_MSECOND, 225 * RA_MSECOND));
    g_assert_cmpint (
        probe_report.rtt, ==, known ? 50 * RA_MSECOND : (130 - 5) * RA_MSECOND);
    fixture_clear (&f);
  }
}

static guint lost_by_mark[RA_N_MARKS];

static RaCause
marks_on_packet (RaLda *lda, const RaArrival *a)
{
  for (guint i = 0; i < RA_N_MARKS; i++)
    lost_by_mark[i] += a->lost_by_mark[i];
  return RA_CAUSE_CONGESTION;
}

static const RaLdaOps marks_lda = {
  .name = "marks",
  .cite = "-",
  .size = sizeof (RaLda),
  .on_packet = marks_on_packet,
};

/* Each loss counts once, in its own colour, whatever came beside it; the yellow one
 * came after all. */
static void
test_marks (void)
{
  static const RaMark marks[] = { RA_MARK_GREEN, RA_MARK_YELLOW, RA_MARK_RED,
    RA_MARK_RED, RA_MARK_NONE, RA_MARK_GREEN, RA_MARK_RED, RA_MARK_GREEN };
  RaFeedbackPacket rows[]
      = { { 0, RA_SECOND }, { 1, LOST }, { 2, LOST }, { 3, LOST } };
  RaFeedbackPacket more[] = { { 1, RA_SECOND }, { 3, LOST }, { 4, LOST },
    { 5, RA_SECOND }, { 6, LOST }, { 7, RA_SECOND } };
  RaSenderConfig cfg = { .controller = &probe_controller,
    .lda = &marks_lda,
    .rate = { .min = 1000, .start = 1000, .max = 1000, .mss = 1000 } };
  g_autoptr (RaSender) s = ra_sender_new (&cfg, 0, NULL);

  for (guint i = 0; i < G_N_ELEMENTS (marks); i++)
    ra_sender_on_sent (
        s, &(RaOutgoing){ .seq = i, .size = 1000, .mark = marks[i] }, 0);
  ra_sender_on_feedback (s, rows, 4, 0, 50 * RA_MSECOND);
  ra_sender_on_feedback (s, more, 6, 0, 60 * RA_MSECOND);
  g_assert_cmpuint (lost_by_mark[RA_MARK_GREEN], ==, 0);
  g_assert_cmpuint (lost_by_mark[RA_MARK_YELLOW], ==, 0);
  g_assert_cmpuint (lost_by_mark[RA_MARK_RED], ==, 3);
  g_assert_cmpuint (lost_by_mark[RA_MARK_NONE], ==, 1);
}

void
tests_add (void)
{
  rows_add ("/sender-ecn/ce", ce_rows, test_ce);
  rows_add_all ("/sender-ecn/response", ra_rates, test_response);
  rows_add_all ("/sender-ecn/within", ra_rates, test_within);
  rows_add ("/sender-ecn/held", held_rows, test_held);
  g_test_add_func ("/sender-ecn/held-late", test_held_late);
  g_test_add_func ("/sender-ecn/friendly", test_friendly);
  g_test_add_func ("/sender-ecn/usable", test_usable);
  g_test_add_func ("/sender-ecn/late-loss", test_late_loss);
  g_test_add_func ("/sender-ecn/marks", test_marks);
}
