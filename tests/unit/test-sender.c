/* The sender by hand: RTT, feedback that lies, the no-feedback timer.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "../observed.h"
#include "../script.h"
#include "sender-fixture.h"

#include <gst/rtpadapt/ledger.h>
#include <gst/rtpadapt/repair/repair.h>
#include <string.h>

/* R_sample = now - t_recvdata - t_delay (RFC 5348 4.3 step 1), t in ms. */
static const struct
{
  gint t_recvdata, t_delay, now;
  gint rtt; /* 0: refused */
  const gchar *why;
} report_rows[] = {
  { 100, 0, 180, 80, "" },
  { 100, 30, 180, 50, "what the receiver waited is not R" },
  { 100, 80, 180, 0, "no time at all on the way" },
  { 100, 81, 180, 0, "a negative RTT" },
  { 100, -1, 180, 0, "a negative delay" },
  { 181, 0, 180, 0, "from the future" },
  { 99, 0, 180, 81, "rounded on the wire" },
  { 98, 0, 180, 0, "from before the first packet: another sender's" },
};

static void
test_report (gconstpointer data)
{
  guint i = GPOINTER_TO_UINT (data);
  RaReport report
      = { .t_recvdata = (RaTime) report_rows[i].t_recvdata * RA_MSECOND };
  RaTime now = (RaTime) report_rows[i].now * RA_MSECOND;
  gboolean ok;
  g_auto (Fixture) f;

  fixture_init (&f, 0);
  g_assert_false (ra_sender_on_report (f.sender, &report, 0, now));
  f.now = 100 * RA_MSECOND;
  fixture_send (&f, 1000, RA_SENT_ASKS);
  ok = ra_sender_on_report (
      f.sender, &report, report_rows[i].t_delay * RA_MSECOND, now);
  if (ok != (report_rows[i].rtt > 0))
    g_test_message ("%s", report_rows[i].why);
  g_assert_cmpint (ok, ==, report_rows[i].rtt > 0);
  g_assert_cmpint (probe_report.rtt, ==, report_rows[i].rtt * RA_MSECOND);
  g_assert_cmpuint (fixture_stats (&f).feedback, ==, ok ? 1 : 0);
  /* the one before anything was sent is bad in any case */
  g_assert_cmpuint (fixture_stats (&f).feedback_bad, ==, ok ? 1 : 2);
  g_assert_cmpint (fixture_stats (&f).rtt, ==, report_rows[i].rtt * RA_MSECOND);
}

/* Per-packet feedback.  Packets 100, 101, .. of 100, 101, .. bytes leave every
 * 10 ms from 0 on.  Words: "SEQ" a row, "SEQx" a row that says lost; "/MS"
 * hands the rows over at that time.  What the LDA hears of: "SEQ" with, if not
 * 0, "-N" packets lost before it and "bBYTES" they had. */
static const struct
{
  const gchar *script;
  const gchar *heard;
  gint rtt; /* R_sample of the last report, ms */
  guint bad;
  const gchar *why;
} feedback_rows[] = {
  { "100 101 /50", "100 101", 40, 0, "R from the newest packet" },
  { "100 101x 102x /90", "100", 90, 0, "that arrived" },
  { "100x /90", "", 0, 0, "nothing arrived, no report" },
  { "100 101x 102 /90", "100 102-1b101", 70, 0, "a loss, and its size" },
  { "100 101x 102x 103 /90", "100 103-2b203", 60, 0, "two" },
  { "100 101x /40 102x 103 /90", "100 103-2b203", 60, 0,
      "in two feedbacks: 101 + 102 bytes" },
  { "100 101x /40 102x /60 103x 104 /90", "100 104-3b306", 50, 0,
      "in three, of which one has no arrival" },
  { "100 103 /90", "100 103", 60, 0, "no rows at all: not lost" },
  { "100 /40 105 106 /90", "100 105 106", 30, 0, "a feedback was lost" },
  { "100 103 105x 106 /90", "100 103 106-1b105", 30, 0,
      "lost after a hole of feedback" },
  { "100 101x /40 104x 105 /90", "100 105-1b104", 40, 0,
      "101 to 103 are forgotten, with their bytes" },
  { "100 /100 109 /50", "100", 100, 1, "answered before it was sent" },
  { "100 999 /90", "100", 90, 1, "999 was never sent" },
  { "99 100 /90", "100", 90, 1, "nor was 99" },
  { "105 /40", "", 0, 1, "105 leaves at 50 ms: not yet sent" },
  { "100 /40 100 101 /90", "100 101", 80, 1, "reported before" },
  { "100 101 /40 100x 101x /90", "100 101", 30, 2, "nor do they get lost" },
  { "100 101 /40 101 100 /90", "100 101", 30, 2, "an old feedback again" },
  { "100 102 101 /90", "100 102", 70, 0, "rows out of order, all are news" },
  { "100 101x 102 103 104 /90 101 105 /100", "100 102-1b101 103 104 105", 50, 0,
      "what was reported lost may come after all" },
  { "100 101x 102x 103x /60 103 104 105 /90", "100 103-2b203 104 105", 40, 0,
      "the last of them: two are before it, and none before the next" },
  { "100 101x 102x 103x /60 102 104 /90", "100 102-1b101 104-1b103", 50, 0,
      "the second: one before it, and one behind" },
};

/* The losses of the last report. */
static const struct
{
  const gchar *script;
  guint lost;
  const gchar *why;
} lost_rows[] = {
  { "100 101x 103 104 105 /90", 1,
      "101 was reported lost, whatever became of 102" },
  { "100 101x /30 103 104 105 /90", 1, "the same over two" },
  { "100 102 103 104 /90", 0, "nobody said that of 101" },
  { "100 101x 102 103 104 101 /90", 0, "it came before the report ended" },
};

/* Hands over the rows of the script; the packets are sent in between. */
static void
feedback_play (Fixture *f, const gchar *script)
{
  g_autoptr (GArray) rows
      = g_array_new (FALSE, FALSE, sizeof (RaFeedbackPacket));

  for (ScriptWord w; script_next (&script, &w);) {
    RaTime at = w.number * RA_MSECOND;
    RaFeedbackPacket row = { w.number, RA_TIME_NONE };

    if (w.letter != '/') {
      /* 20 ms on the way, on another clock */
      if (!script_has (&w, 'x'))
        row.arrival = RA_SECOND + (row.seq - 98) * 10 * RA_MSECOND;
      g_array_append_val (rows, row);
      continue;
    }
    for (; f->now < at && f->next < 110; f->now += 10 * RA_MSECOND)
      fixture_send (f, (guint) f->next, RA_SENT_ASKS);
    ra_sender_on_feedback (
        f->sender, (RaFeedbackPacket *) rows->data, rows->len, 0, at);
    g_array_set_size (rows, 0);
  }
}

static void
test_feedback (gconstpointer data)
{
  guint i = GPOINTER_TO_UINT (data);
  g_autofree gchar *heard = NULL;
  g_auto (Fixture) f;

  fixture_init (&f, 0);
  feedback_play (&f, feedback_rows[i].script);
  heard = g_strstrip (g_strdup (probe_heard->str));
  if (!g_str_equal (heard, feedback_rows[i].heard)
      || fixture_stats (&f).feedback_bad != feedback_rows[i].bad)
    g_test_message ("%s: %s", feedback_rows[i].script, feedback_rows[i].why);
  g_assert_cmpstr (heard, ==, feedback_rows[i].heard);
  g_assert_cmpuint (fixture_stats (&f).feedback_bad, ==, feedback_rows[i].bad);
  g_assert_cmpint (
      probe_report.rtt, ==, (RaSpan) feedback_rows[i].rtt * RA_MSECOND);
}

static void
test_lost (gconstpointer data)
{
  guint i = GPOINTER_TO_UINT (data);
  g_auto (Fixture) f;

  fixture_init (&f, 0);
  feedback_play (&f, lost_rows[i].script);
  g_test_message ("%s", lost_rows[i].why);
  g_assert_cmpuint (probe_report.lost_congestion, ==, lost_rows[i].lost);
  g_assert_cmpuint (probe_report.n_events, ==, lost_rows[i].lost);
}

/* A packet each 5 ms, and each third one is overtaken by four; a report each 50 ms.
 * Nothing is lost (RFC 3550 A.3), and what is missing at the end of the last report is
 * less than 1 % of a second's. */
static void
test_overtaken (void)
{
  gboolean said[2000] = { FALSE };
  guint low = 0;
  g_auto (Fixture) f;

  fixture_init (&f, 0);
  f.next = 0;
  for (guint t = 1; t <= 2000; t++) {
    g_autoptr (GArray) rows
        = g_array_new (FALSE, FALSE, sizeof (RaFeedbackPacket));
    guint came = t - 4; /* 20 ms on the way, or 42 */

    f.now = t * 5 * RA_MSECOND;
    fixture_send (&f, 1000, RA_SENT_ASKS);
    if (t % 10 > 0)
      continue;
    for (guint seq = low; seq < came; seq++) {
      RaTime at
          = (seq + 5) * 5 * RA_MSECOND + (seq % 3 == 0 ? 22 * RA_MSECOND : 0);
      RaFeedbackPacket row = { seq, at <= f.now ? at : RA_TIME_NONE };

      if (!said[seq])
        g_array_append_val (rows, row);
      said[seq] = row.arrival != RA_TIME_NONE;
    }
    low = came > 20 ? came - 20 : 0;
    ra_sender_on_feedback (
        f.sender, (RaFeedbackPacket *) rows->data, rows->len, 0, f.now);
  }
  g_assert_cmpuint (fixture_stats (&f).loss.recovered, >, 50);
  g_assert_cmpfloat (
      observed (ra_sender_observe, f.sender, "raw_loss"), <, .01);
}

/* What the ledger has of 100 and on, as far as they left: A arrived, L lost, N
 * nothing is known. */
static const struct
{
  const gchar *script, *fates, *why;
} fate_rows[] = {
  { "/30", "NNN", "nobody spoke of them" },
  { "100 101x 102 /40", "ALAN", "as reported" },
  { "102 /40 101x /90", "NLANNNNNN", "late rows count, 100 has none" },
  { "100x 101 /40 100 /50", "AANNN", "it came after all" },
  { "100 101 /40 100x /50", "AANNN", "an arrival is not taken back" },
  { "100x 101 /40 100x /50", "LANNN", "the same again" },
  { "105 /40", "NNNN", "105 leaves at 50 ms: no packet to speak of" },
};

static void
test_fates (gconstpointer data)
{
  guint i = GPOINTER_TO_UINT (data);
  g_autoptr (GString) got = g_string_new (NULL);
  const RaLedgerEntry *e;
  g_auto (Fixture) f;

  fixture_init (&f, 0);
  feedback_play (&f, fate_rows[i].script);
  g_test_message ("%s", fate_rows[i].why);
  for (guint64 seq = 100; (e = ra_ledger_at (ra_sender_ledger (f.sender), seq));
       seq++)
    g_string_append_c (got, "NLA"[e->fate]);
  g_assert_cmpstr (got->str, ==, fate_rows[i].fates);
}

/* 101 is confirmed lost by 102, 103, 104, and then reported as received. */
static void
test_feedback_late (void)
{
  g_auto (Fixture) f;

  fixture_init (&f, 0);
  feedback_play (&f, "100 101x 102 103 104 /90");
  g_assert_cmpuint (fixture_stats (&f).loss.congestion, ==, 1);
  g_assert_cmpuint (fixture_stats (&f).loss.events, ==, 1);
  feedback_play (&f, "101 105 /100");
  g_assert_cmpuint (fixture_stats (&f).loss.recovered, ==, 1);
  g_assert_cmpuint (fixture_stats (&f).loss.events, ==, 0);
}

/* 101 is reported lost behind 102, of which the guard alone hears, and then as received:
 * none of four is lost (RFC 3550 A.3). */
static void
test_late_taken_back (void)
{
  g_auto (Fixture) f;

  fixture_init (&f, 0);
  feedback_play (&f, "100 102 /40 101x 103 /60");
  g_assert_cmpfloat (observed (ra_sender_observe, f.sender, "raw_loss"), >, .2);
  feedback_play (&f, "101 104 /80");
  g_assert_cmpfloat (observed (ra_sender_observe, f.sender, "raw_loss"), ==, 0);
}

/* RFC 5348 6.2 has a report per R.  Reports that come much less often have their
 * own time, which the no-feedback timer and a lag must not be shorter than. */
static void
test_rare_reports (void)
{
  static const struct
  {
    RaSpan rtt, apart;
    gboolean rare;
    const gchar *why;
  } rows[] = {
    { 40 * RA_MSECOND, 40 * RA_MSECOND, FALSE, "once per R" },
    { 40 * RA_MSECOND, 10 * RA_MSECOND, FALSE, "four times per R, for losses" },
    { RA_MSECOND / 2, 14 * RA_MSECOND, TRUE, "a LAN, where RTCP waits" },
    { RA_MSECOND, 40 * RA_MSECOND, TRUE, "a packet in a frame" },
    { 10 * RA_MSECOND, 250 * RA_MSECOND, TRUE, "each comes after the timer" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    RaSpan want = rows[i].rare ? rows[i].apart : 0;
    g_auto (Fixture) f;

    fixture_init (&f, 0);
    f.now = RA_SECOND;
    for (guint k = 0; k < 60; k++) {
      RaTime sent = f.now, next;

      fixture_send (&f, 1000, RA_SENT_ASKS);
      f.now += rows[i].rtt;
      fixture_report (&f, sent, 100000);
      next = MAX (f.now, sent + rows[i].apart);
      for (; f.now + 20 * RA_MSECOND < next; f.now += 20 * RA_MSECOND) {
        if (ra_sender_next_timeout (f.sender) <= f.now)
          ra_sender_on_timeout (f.sender, f.now);
        fixture_send (&f, 1000, RA_SENT_ASKS);
      }
      f.now = next;
    }
    if (ABS (probe_report.interval - want) > want / 100)
      g_error (
          "%s: %" G_GINT64_FORMAT " ns", rows[i].why, probe_report.interval);
  }
}

/* RFC 5348 8.2.1.  R = 100 ms.  "wMS": a packet leaves while another waits for
 * the pacer, "MS": one leaves and nothing waits.  The report is about the last
 * of them. */
static const struct
{
  const gchar *script;
  gboolean limited;
  const gchar *why;
} limited_rows[] = {
  { "1000", TRUE, "nothing waited" },
  { "w1000", FALSE, "it sent all it was allowed to" },
  { "w1000 1050", FALSE, "at 1000, after 950" },
  { "w1000 1050 1099", FALSE, "still" },
  { "w1000 1050 1100", TRUE, "(1000, 1100]" },
  { "1000 w1050 1100", FALSE, "in the middle" },
  { "w900 950 1100", TRUE, "long ago" },
};

static void
test_limited (gconstpointer data)
{
  guint i = GPOINTER_TO_UINT (data);
  const gchar *script = limited_rows[i].script;
  RaTime last = 100 * RA_MSECOND;
  g_auto (Fixture) f;

  fixture_init (&f, 0);
  f.now = last;
  fixture_send (&f, 1000, RA_SENT_WAITING | RA_SENT_ASKS);
  f.now += 100 * RA_MSECOND;
  fixture_report (&f, last, 0);               /* R = 100 ms */
  g_assert_false (probe_report.data_limited); /* X_recv = 0: the first one */
  for (ScriptWord w; script_next (&script, &w);) {
    last = f.now = w.number * RA_MSECOND;
    fixture_send (
        &f, 1000, RA_SENT_ASKS | (w.letter == 'w' ? RA_SENT_WAITING : 0));
  }
  /* What is sent after t_new does not matter. */
  f.now += 50 * RA_MSECOND;
  fixture_send (&f, 1000, RA_SENT_WAITING | RA_SENT_ASKS);
  f.now += 50 * RA_MSECOND;
  fixture_report (&f, last, 100000);
  if (probe_report.data_limited != limited_rows[i].limited)
    g_test_message ("%s: %s", limited_rows[i].script, limited_rows[i].why);
  g_assert_cmpint (probe_report.data_limited, ==, limited_rows[i].limited);
}

/* Reports rarer than R, one per frame: each tells of all since the last. */
static void
test_limited_frames (void)
{
  g_auto (Fixture) f;

  fixture_init (&f, 0);
  for (guint i = 0; i < 4; i++) {
    RaTime start = i * 40 * RA_MSECOND;
    RaFeedbackPacket packets[2]
        = { { f.next, RA_SECOND + start }, { f.next + 1, RA_SECOND + start } };

    f.now = start;
    fixture_send (&f, 1000, i < 3 ? RA_SENT_WAITING : 0);
    f.now = start + 8 * RA_MSECOND;
    fixture_send (&f, 1000, RA_SENT_ASKS);
    f.now += RA_MSECOND; /* R = 1 ms */
    packets[1].arrival += 8 * RA_MSECOND;
    g_assert_true (ra_sender_on_feedback (f.sender, packets, 2, 0, f.now));
    g_assert_cmpint (probe_report.rtt, ==, RA_MSECOND);
    /* The second packet of the first frames waited for the pacer. */
    g_assert_cmpint (probe_report.data_limited, ==, i == 3);
  }
}

/* Frames of one packet, 1,250 bytes, which are 10 ms at 1 Mbit/s: none ever waits
 * behind another, but each may have to wait itself. */
static void
test_limited_whole (void)
{
  static const struct
  {
    guint gap; /* ms, from one to the next */
    guint flags;
    gboolean limited;
    const gchar *why;
  } rows[] = {
    { 10, RA_SENT_FRAME_END, FALSE, "when the pacer let it" },
    { 15, RA_SENT_FRAME_END, TRUE, "when it came" },
    { 10, RA_SENT_FRAME_END | RA_SENT_OTHER, TRUE, "audio: not the encoder's" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    RaTime last = 0;
    g_auto (Fixture) f;

    fixture_init (&f, 0);
    f.now = RA_SECOND;
    for (guint k = 0; k < 10; k++) {
      last = f.now;
      fixture_send (&f, 1250, RA_SENT_ASKS | rows[i].flags);
      f.now += rows[i].gap * RA_MSECOND;
      if (k == 4) /* R = 40 ms */
        fixture_report (&f, f.now - 40 * RA_MSECOND, 0);
    }
    fixture_report (&f, last, 1000000);
    if (probe_report.data_limited != rows[i].limited)
      g_test_message ("%s", rows[i].why);
    g_assert_cmpint (probe_report.data_limited, ==, rows[i].limited);
  }
}

static const struct
{
  RaFecCode code;
  RaSentFlags flags;
  gboolean once;
  const gchar *why;
} once_rows[] = {
  { RA_FEC_CODE_RS, 0, FALSE, "media" },
  { RA_FEC_CODE_RS, RA_SENT_REPAIR, FALSE,
      "a repair packet, whose number would stay missing" },
  { RA_FEC_CODE_XOR, RA_SENT_REPAIR, TRUE,
      "one for a receiver that does not know how it is sent again" },
  { RA_FEC_CODE_RS, RA_SENT_REPAIR | RA_SENT_REPEAT, TRUE,
      "what is sent again: the packet itself is asked for once more" },
};

static void
test_once (gconstpointer data)
{
  guint row = GPOINTER_TO_UINT (data);
  g_auto (Fixture) f;

  g_test_message ("%s", once_rows[row].why);
  fixture_init (&f, 0);
  ra_sender_set_fec_code (f.sender, once_rows[row].code, 10);
  fixture_send (&f, 1000, once_rows[row].flags);
  g_assert_cmpint (ra_ledger_at (ra_sender_ledger (f.sender), f.next - 1)->once,
      ==, once_rows[row].once);
}

/* An answer to what left 10 s ago is the last that is heard: then a machine has
 * slept, and its R is none. */
static void
test_feedback_slept (void)
{
  for (guint late = 0; late < 2; late++) {
    RaFeedbackPacket row = { .arrival = RA_SECOND };
    g_auto (Fixture) f;

    fixture_init (&f, 0);
    row.seq = f.next;
    fixture_send (&f, 1000, RA_SENT_ASKS);
    f.now += 10 * RA_SECOND + late;
    g_assert_cmpint (
        ra_sender_on_feedback (f.sender, &row, 1, 0, f.now), ==, late == 0);
    g_assert_cmpuint (fixture_stats (&f).feedback_bad, ==, late);
    g_assert_cmpint (fixture_stats (&f).rtt, ==, late ? 0 : 10 * RA_SECOND);
  }
}

/* Rate 1 Mbit/s, of which 90 % are the encoder's.  Backlog up to 20 ms is the
 * half of a frame on its way; of the rest a tenth in each of 30 frames a second comes off (RFC
 * 8698 5.2.2, without its bound of 5 %): 120 ms take .1 * .1 * 30, half at most. */
static void
test_media_rate (void)
{
  static const struct
  {
    RaSpan backlog; /* ms */
    guint64 want;
  } rows[] = { { 0, 900000 }, { 20, 900000 }, { 120, 630000 }, { 170, 495000 },
    { 240, 450000 }, { 5000, 450000 } };
  RaSplit split;
  g_auto (Fixture) f;

  fixture_init (&f, 0);
  ra_sender_split (f.sender, 0, &split);
  g_assert_cmpuint (split.media, ==, 1000000);
  for (guint i = 0; i < 10; i++)
    fixture_send (&f, 1200, 0); /* media: 1080 */
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    ra_sender_split (f.sender, rows[i].backlog * RA_MSECOND, &split);
    g_assert_cmpuint (split.media, >=, rows[i].want - 1);
    g_assert_cmpuint (split.media, <=, rows[i].want + 1);
  }
}

/* At a report of 10,000 packets, R = 40 ms after the first of them. */
static void
loss_report (Fixture *f, RaReport report)
{
  ra_repair_set (ra_sender_repair (f->sender),
      &(RaRepairConfig){ .on = TRUE, .rows = TRUE });
  fixture_send (f, 1200, RA_SENT_ASKS | RA_SENT_FRAME_END);
  f->now += 40 * RA_MSECOND;
  report.expected = 10000;
  g_assert_true (ra_sender_on_report (f->sender, &report, 0, f->now));
}

/* The receiver holds packets for 200 ms, 10 of which the decoder needs.  A round takes R
 * and 20 ms until the loss is known, and the next frame comes after 40: what waits may do
 * so for 200 - 10 - 60 - 40 = 90 ms.  Of 38 ms 18 are above half a frame. */
static void
test_drain (void)
{
  static const struct
  {
    guint lost; /* of 100 */
    gdouble left;
    const gchar *why;
  } rows[] = {
    { 14, 1 - 18 * .003, "in 1/3 s" },
    { 16, 1 - 18 / 90., "a frame that leaves too late is broken" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    RaSplit none, some;
    g_auto (Fixture) f;

    g_test_message ("%s", rows[i].why);
    fixture_init (&f, 0);
    loss_report (&f, (RaReport){ .lost_wireless = 100 * rows[i].lost });
    ra_sender_split (f.sender, 0, &none);
    ra_sender_split (f.sender, 38 * RA_MSECOND, &some);
    g_assert_cmpfloat_with_epsilon (
        (gdouble) some.media / (gdouble) none.media, rows[i].left, 1e-4);
  }
}

/* Of 10,000 packets some are lost to congestion.  A round fits into the 200 ms that the
 * receiver holds packets, and where it does not mend all, FEC is worth its part. */
static void
test_mended (void)
{
  static const struct
  {
    gboolean competes;
    guint lost;
    RaSpan queue; /* ms */
    gboolean fec;
    const gchar *why;
  } rows[] = {
    { TRUE, 50, 20, TRUE, "a TCP fills the queue and takes few packets" },
    { FALSE, 50, 20, FALSE, "a lower rate ends it" },
    { TRUE, 90, 20, TRUE, ".9 % are what a TCP takes at most" },
    { TRUE, 91, 20, FALSE, "a BBR: FEC would cost a third of the rate" },
    { TRUE, 50, 100, TRUE, "behind half of 200 ms a block comes in time" },
    { TRUE, 50, 101, FALSE, "behind more it is too late" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    RaSpan queue = rows[i].queue * RA_MSECOND;
    g_auto (Fixture) f;

    g_test_message ("%s", rows[i].why);
    fixture_init (&f, 0);
    probe_competes = rows[i].competes;
    ra_sender_set_fec_code (f.sender, RA_FEC_CODE_RS, 25); /* it stays */
    ra_sender_set_fec (f.sender, ra_fec_find ("ulp"), NULL, NULL);
    loss_report (&f,
        (RaReport){ .lost_congestion = rows[i].lost,
            .n_events = rows[i].lost,
            .queue = queue,
            .queue_min = queue });
    g_assert_cmpint (ra_sender_fec (f.sender) > 0, ==, rows[i].fec);
  }
}

/* Of 1 Mbit/s, nine tenths of each packet are media; the rule wants 25 per 100. */
static const struct
{
  gboolean made;
  guint others, media;
  const gchar *why;
} others_rows[] = {
  { FALSE, 50, 600000, "another receiver's FEC goes to this one, too" },
  { TRUE, 50, 600000, "the higher level, once" },
  { TRUE, 20, 720000, "ours is higher" },
  { FALSE, 0, 900000, "nobody makes any" },
};

/* Of 1 Mbit/s a fixed rule wants 25 repair packets per 100; and what is sent
 * beside the encoder's packets does not count for the encoder's overhead. */
static void
test_beside (void)
{
  RaOutgoing audio = { .size = 120, .media = 20, .flags = RA_SENT_OTHER };
  RaSplit split;
  g_auto (Fixture) f;

  fixture_init (&f, 0);
  g_assert_true (
      ra_sender_set_fec (f.sender, ra_fec_find ("fixed"), "level=.25", NULL));
  for (guint i = 0; i < 20; i++) {
    fixture_send (&f, 1200, 0); /* media: 1080 */
    audio.seq = f.next++;
    ra_sender_on_sent (f.sender, &audio, 0);
  }
  ra_sender_split (f.sender, 0, &split);
  g_assert_cmpuint (split.fec, >, 0);
  ra_sender_set_fec_made (f.sender, FALSE);
  g_assert_cmpuint (ra_sender_fec (f.sender), ==, 25);
  ra_sender_split (f.sender, 0, &split);
  g_assert_cmpuint (split.fec, ==, 0);
  g_assert_cmpuint (split.media, >=, 900000 - 1);
  g_assert_cmpuint (split.media, <=, 900000 + 1);
  for (guint i = 0; i < G_N_ELEMENTS (others_rows); i++) {
    g_test_message ("%s", others_rows[i].why);
    ra_sender_set_fec_made (f.sender, others_rows[i].made);
    ra_sender_set_fec_others (f.sender, others_rows[i].others);
    ra_sender_split (f.sender, 0, &split);
    g_assert_cmpuint (split.media, >=, others_rows[i].media - 1);
    g_assert_cmpuint (split.media, <=, others_rows[i].media + 1);
    g_assert_cmpuint (ra_sender_fec (f.sender), ==, 25);
  }
}

static void
cause_count (const RaMissing *m, gpointer data)
{
  ++((guint *) data)[m->cause];
}

static RaCause
truth_odd (guint64 seq, gpointer data)
{
  ++*(guint *) data;
  return seq % 2 ? RA_CAUSE_WIRELESS : RA_CAUSE_CONGESTION;
}

/* Where nobody else knows the truth, LDAs are given the ledger's. */
static void
test_truth_noted (void)
{
  guint causes[3] = { 0 };
  g_auto (Fixture) f;

  fixture_init (&f, 0);
  ra_sender_set_on_loss (f.sender, cause_count, causes);
  g_assert_true (
      ra_sender_set_lda (f.sender, ra_lda_find ("omniscient"), NULL, NULL));
  feedback_play (&f, "/30");
  ra_ledger_at (ra_sender_ledger (f.sender), 101)->truth = RA_CAUSE_WIRELESS;
  feedback_play (&f, "100 101x 102 103 104 105x 106 107 108 /90");
  g_assert_cmpuint (causes[RA_CAUSE_WIRELESS], ==, 1);
  g_assert_cmpuint (causes[RA_CAUSE_CONGESTION], ==, 1);
}

/* The truth reaches every LDA that comes; loss history and counts stay. */
static void
test_lda_exchange (void)
{
  guint causes[3] = { 0 }, asked = 0;
  gdouble p;
  GError *error = NULL;
  g_auto (Fixture) f;

  fixture_init (&f, 0);
  ra_sender_set_on_loss (f.sender, cause_count, causes);
  ra_sender_set_truth (f.sender, truth_odd, &asked);
  feedback_play (&f, "100 /10 101x 102 103 104 /60");
  g_assert_cmpuint (causes[RA_CAUSE_CONGESTION], ==, 1);
  p = probe_report.p;
  g_assert_cmpfloat (p, >, 0);

  g_assert_false (ra_sender_set_lda (
      f.sender, ra_lda_find ("spike"), "nonsense=1", &error));
  g_assert_nonnull (error);
  g_clear_error (&error);
  g_assert_true (
      ra_sender_set_lda (f.sender, ra_lda_find ("omniscient"), NULL, &error));
  g_assert_no_error (error);
  g_assert_cmpuint (asked, ==, 0);
  /* 105 was lost to the radio, which the probe would not have said. */
  feedback_play (&f, "105x 106 107 108 /90");
  g_assert_cmpuint (asked, >, 0);
  g_assert_cmpuint (causes[RA_CAUSE_CONGESTION], ==, 1);
  g_assert_cmpuint (causes[RA_CAUSE_WIRELESS], ==, 1);
  g_assert_cmpfloat (probe_report.p, >, 0);
  g_assert_cmpfloat (probe_report.p, <=, p);
}

void
tests_add (void)
{
  rows_add ("/sender/report", report_rows, test_report);
  rows_add ("/sender/feedback", feedback_rows, test_feedback);
  g_test_add_func ("/sender/feedback-late", test_feedback_late);
  g_test_add_func ("/sender/late-taken-back", test_late_taken_back);
  rows_add ("/sender/lost", lost_rows, test_lost);
  g_test_add_func ("/sender/overtaken", test_overtaken);
  rows_add ("/sender/fate", fate_rows, test_fates);
  rows_add ("/sender/data-limited", limited_rows, test_limited);
  g_test_add_func ("/sender/data-limited/frames", test_limited_frames);
  rows_add ("/sender/once", once_rows, test_once);
  g_test_add_func ("/sender/limited-whole", test_limited_whole);
  g_test_add_func ("/sender/rare-reports", test_rare_reports);
  g_test_add_func ("/sender/feedback-slept", test_feedback_slept);
  g_test_add_func ("/sender/media-rate", test_media_rate);
  g_test_add_func ("/sender/drain", test_drain);
  g_test_add_func ("/sender/mended", test_mended);
  g_test_add_func ("/sender/beside", test_beside);
  g_test_add_func ("/sender/lda-exchange", test_lda_exchange);
  g_test_add_func ("/sender/truth-noted", test_truth_noted);
}
