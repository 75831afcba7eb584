/* What rtpadaptrecv decides with time as an argument: reporttimer.c, framehurry.c,
 * recvkind.c, recvhold.c.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "../../plugins/rtpadapt/parts/enums.h"
#include "../../plugins/rtpadapt/recv/framehurry.h"
#include "../../plugins/rtpadapt/recv/recvhold.h"
#include "../../plugins/rtpadapt/recv/recvkind.h"
#include "../../plugins/rtpadapt/recv/reporttimer.h"
#include "../rows.h"

#define MS RA_MSECOND
#define NEVER RA_TIME_NONE

/* --- reporttimer.c ------------------------------------------------------- */

static const struct
{
  RaSpan interval, rtt, spacing;
  const gchar *why;
} spacing_rows[] = {
  { 50 * MS, 80 * MS, 50 * MS, "RFC 8888 4: at an interval" },
  { RA_SPAN_NONE, 80 * MS, 80 * MS, "RFC 5348 6.2: once per round trip" },
  { RA_SPAN_NONE, 1 * MS, 5 * MS, "not more often than each 5 ms" },
  { RA_SPAN_NONE, 900 * MS, 200 * MS, "nor less often than each 200 ms" },
  { RA_SPAN_NONE, RA_SPAN_NONE, 200 * MS, "the round trip is not known" },
};

static void
test_spacing (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (spacing_rows); i++) {
    g_test_message ("%s", spacing_rows[i].why);
    g_assert_cmpint (
        report_spacing (spacing_rows[i].interval, spacing_rows[i].rtt), ==,
        spacing_rows[i].spacing);
  }
}

/* Asked at once, again after each spacing, and not after the report is made. */
static void
test_due (void)
{
  ReportTimer t = { 0 };

  g_assert_cmpuint (report_next (&t, 70 * MS), ==, 70 * MS);
  g_assert_true (report_due (&t, 50 * MS, 100 * MS));
  g_assert_false (report_due (&t, 50 * MS, 110 * MS));
  g_assert_cmpuint (t.due_since, ==, 100 * MS);
  g_assert_cmpuint (report_next (&t, 0), ==, 150 * MS);
  g_assert_cmpint (
      report_step (&t, FALSE, 0, 50 * MS, 149 * MS), ==, REPORT_NOTHING);
  g_assert_cmpint (
      report_step (&t, FALSE, 0, 50 * MS, 151 * MS), ==, REPORT_ASK);
  g_assert_cmpuint (report_next (&t, 0), ==, 201 * MS);
  report_done (&t, 100);
  g_assert_false (t.due);
  g_assert_cmpuint (report_next (&t, NEVER), ==, NEVER);
}

static const struct
{
  gboolean packet, silent;
  RaTime timeout, now;
  ReportStep step;
  const gchar *why;
} step_rows[] = {
  { TRUE, TRUE, 10 * MS, 9 * MS, REPORT_NOTHING, "too early" },
  { TRUE, TRUE, 10 * MS, 10 * MS, REPORT_ASK, "time, and a packet came" },
  { FALSE, TRUE, 10 * MS, 10 * MS, REPORT_SILENT, "RFC 5348 6.2: none came" },
  { FALSE, FALSE, 10 * MS, 10 * MS, REPORT_ASK, "RFC 8888 says so, too" },
  { TRUE, TRUE, NEVER, 10 * MS, REPORT_NOTHING, "no timer" },
};

static void
test_step (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (step_rows); i++) {
    ReportTimer t = { 0 };

    g_test_message ("%s", step_rows[i].why);
    if (step_rows[i].packet)
      report_on_packet (&t);
    g_assert_cmpint (report_step (&t, step_rows[i].silent, step_rows[i].timeout,
                         50 * MS, step_rows[i].now),
        ==, step_rows[i].step);
    g_assert_true (t.due == (step_rows[i].step == REPORT_ASK));
  }
}

/* Ten in a row that took more than half their spacing, but at least 10 ms. */
static void
test_slow (void)
{
  ReportTimer t = { 0 };

  for (guint i = 1; i < 10; i++)
    g_assert_false (report_is_slow (&t, 26 * MS, 50 * MS));
  g_assert_true (report_is_slow (&t, 26 * MS, 50 * MS));
  g_assert_false (report_is_slow (&t, 25 * MS, 50 * MS));
  for (guint i = 0; i < 20; i++)
    g_assert_false (report_is_slow (&t, 10 * MS, 5 * MS));
  for (guint i = 1; i < 10; i++)
    g_assert_false (report_is_refused (&t, 5 * MS, 5 * MS));
  g_assert_true (report_is_refused (&t, 5 * MS, 5 * MS));
}

/* RFC 3550 6.3.1: size * members / interval is RTCP's bandwidth, which is a
 * twentieth of the session's (6.2). */
static const struct
{
  gsize size; /* of an RTCP packet so far, bytes; 0: none */
  RaSpan spacing;
  const gchar *text, *debug;
} text_rows[] = {
  /* (72 + 28) * 8 * 2 / .05 = 32,000 */
  { 72, 50 * MS, "640000 bit/s",
      "32000 bit/s of RTCP for a report each 50 ms" },
  /* 200 * 8 * 2 / .1 = 32,000 */
  { 0, 100 * MS, "640000 bit/s",
      "32000 bit/s of RTCP for a report each 100 ms" },
  /* 200 * 8 * 2 / .02 = 160,000: not more often than frames come */
  { 0, 5 * MS, "3200000 bit/s",
      "160000 bit/s of RTCP for a report each 20 ms" },
};

static void
test_slow_text (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (text_rows); i++) {
    g_autofree gchar *text = NULL, *debug = NULL;
    ReportTimer t = { 0 };

    report_done (&t, text_rows[i].size);
    text = report_slow_text (&t, text_rows[i].spacing, &debug);
    g_assert_nonnull (strstr (text, text_rows[i].text));
    g_assert_cmpstr (debug, ==, text_rows[i].debug);
  }
}

/* --- framehurry.c -------------------------------------------------------- */

/* A packet; ms.  The rows of a run belong together. */
static const struct
{
  guint at;
  gboolean marker;
  gint number;
  RaSpan wanted;
  const gchar *why;
} frame_rows[] = {
  { 0, FALSE, 65533, FRAME_LONG,
      "of the first frame nobody knows how long it takes" },
  { 10, FALSE, 65534, FRAME_LONG, "it goes on" },
  { 20, TRUE, 65535, RA_SPAN_NONE, "it ends, and rtpsession answers that" },
  { 30, FALSE, 0, RA_SPAN_NONE, "a new one, and its number is the next one" },
  { 79, FALSE, 1, RA_SPAN_NONE, "49 ms" },
  { 80, FALSE, 2, FRAME_LONG, "it takes 50 ms: it is long" },
  { 90, TRUE, 3, RA_SPAN_NONE, "its end" },
  { 289, FALSE, 4, RA_SPAN_NONE, "a pause of 199 ms" },
  { 290, TRUE, 5, RA_SPAN_NONE, "a frame again" },
  { 490, FALSE, 6, FRAME_LONG, "after 200 ms the rest may not come" },
  { 500, FALSE, 7, RA_SPAN_NONE, "it does come" },
  { 501, FALSE, 9, FRAME_GAP, "8 is missing" },
  { 502, FALSE, 10, RA_SPAN_NONE, "that was answered" },
  { 503, FALSE, 8, RA_SPAN_NONE, "what comes late is no gap" },
  { 504, FALSE, 11, RA_SPAN_NONE, "nor is what follows: 10 came" },
  { 505, TRUE, 13, RA_SPAN_NONE, "a gap, but the end is answered anyway" },
  { 506, FALSE, -1, RA_SPAN_NONE, "no number, no gap" },
  { 507, FALSE, 20, RA_SPAN_NONE, "the first number, for all that is known" },
  { 508, TRUE, 21, RA_SPAN_NONE, "the end" },
  { 509, FALSE, 60000, RA_SPAN_NONE, "the numbers begin again" },
  { 510, TRUE, 60002, RA_SPAN_NONE, "the end" },
  { 511, FALSE, 60004, FRAME_GAP, "60003 is missing" },
};

/* Frames of two packets, 40 ms apart, without a gap: each minute one is answered before
 * its end, because rtpsession counts up the intervals since. */
static void
test_frame_stale (void)
{
  const guint frames = 10 * 60 * 25;
  guint wanted = 0;
  FrameHurry f;

  frame_start (&f);
  for (guint i = 0; i < frames; i++) {
    RaTime now = i * 40 * MS;

    frame_on_packet (&f, TRUE, TRUE, FALSE, (gint) (2 * i % 65536), now);
    wanted += f.wanted != RA_SPAN_NONE;
    frame_on_packet (
        &f, TRUE, TRUE, TRUE, (gint) ((2 * i + 1) % 65536), now + 10 * MS);
    g_assert_cmpint (f.wanted, ==, RA_SPAN_NONE);
  }
  g_assert_cmpuint (wanted, ==, 10);
}

static void
test_frame (void)
{
  FrameHurry f, number, timely;

  frame_start (&f);
  frame_start (&number);
  frame_start (&timely);
  frame_on_packet (&timely, TRUE, FALSE, FALSE, -1, 0);
  for (guint i = 0; i < G_N_ELEMENTS (frame_rows); i++) {
    RaTime now = frame_rows[i].at * MS;

    gboolean marker = frame_rows[i].marker;
    gint no = frame_rows[i].number;

    g_test_message ("%s", frame_rows[i].why);
    frame_on_packet (&f, TRUE, TRUE, marker, no, now);
    g_assert_cmpint (f.wanted, ==, frame_rows[i].wanted);
    /* Never where rtpsession does not answer, or would search for ever. */
    frame_on_packet (&number, FALSE, TRUE, marker, no, now);
    g_assert_cmpint (number.wanted, ==, RA_SPAN_NONE);
    frame_on_packet (&timely, TRUE, TRUE, marker, no, now);
    g_assert_cmpint (timely.wanted, ==, RA_SPAN_NONE);
  }
}

/* --- recvkind.c ---------------------------------------------------------- */

/* The property's values, twcc, tfrc and ccfb: in the order of meson.build. */
enum
{
  T,
  F,
  C
};

/* 30 packets over 2 s, with these extensions, and caps that have those. */
static const struct
{
  gint wanted;
  gboolean caps_number, caps_ts, number, ts;
  const RaFeedbackOps *before, *after; /* they were judged */
  gboolean differs;
  const gchar *nick, *why;
} kind_rows[] = {
  { T, TRUE, FALSE, TRUE, FALSE, NULL, NULL, FALSE, "twcc",
      "rtpsession answers" },
  { T, TRUE, FALSE, FALSE, FALSE, NULL, &ra_feedback_ccfb, TRUE, "ccfb",
      "nothing to answer: RFC 8888" },
  { T, FALSE, FALSE, FALSE, FALSE, NULL, NULL, FALSE, "none",
      "the caps do not promise any" },
  { F, TRUE, TRUE, FALSE, TRUE, &ra_feedback_tfrc, &ra_feedback_tfrc, FALSE,
      "tfrc", "send times" },
  { F, TRUE, TRUE, TRUE, FALSE, &ra_feedback_tfrc, &ra_feedback_ccfb, TRUE,
      "ccfb", "no send times: RFC 8888" },
  { F, TRUE, FALSE, TRUE, FALSE, NULL, NULL, TRUE, "twcc",
      "none in the caps: rtpsession answers" },
  { C, TRUE, FALSE, TRUE, FALSE, &ra_feedback_ccfb, &ra_feedback_ccfb, TRUE,
      "ccfb", "what is set, though the sender seems to be set to twcc" },
  { C, FALSE, FALSE, FALSE, FALSE, &ra_feedback_ccfb, &ra_feedback_ccfb, FALSE,
      "ccfb", "both agree" },
};

static void
test_kind (gconstpointer data)
{
  guint row = GPOINTER_TO_UINT (data);
  RecvIds ids = { .number = kind_rows[row].caps_number,
    .send_ts = kind_rows[row].caps_ts };
  gint wanted = kind_rows[row].wanted;
  g_autofree gchar *text = NULL;
  RecvKindSeen seen = { 0 };
  const RaFeedbackOps *reports;
  guint judged = 0;

  g_test_message ("%s", kind_rows[row].why);
  g_assert_true (
      recv_kind_choose (&seen, wanted, &ids) == kind_rows[row].before);
  for (guint i = 0; i <= 30; i++) {
    RecvKindNews news = recv_kind_on_packet (&seen, kind_rows[row].number,
        kind_rows[row].ts, RA_SECOND + i * RA_SECOND / 15);

    if (i < 30) /* 2 s */
      g_assert_true (
          recv_kind_choose (&seen, wanted, &ids) == kind_rows[row].before);
    judged += (news & RECV_KIND_JUDGED) != 0;
  }
  g_assert_cmpuint (judged, ==, 1);
  reports = recv_kind_choose (&seen, wanted, &ids);
  g_assert_true (reports == kind_rows[row].after);
  g_assert_cmpstr (recv_kind_nick (reports, &ids), ==, kind_rows[row].nick);
  text = recv_kind_difference (&seen, wanted, &ids);
  g_assert_true ((text != NULL) == kind_rows[row].differs);
}

/* A sender that is replaced may have other settings, but there is no second
 * warning. */
static void
test_kind_forget (void)
{
  RecvKindSeen seen = { 0 };
  guint judged = 0;

  for (guint i = 0; i < 50; i++)
    judged += (recv_kind_on_packet (&seen, TRUE, FALSE, i * 100 * MS)
                  & RECV_KIND_JUDGED)
        != 0;
  g_assert_cmpuint (judged, ==, 1);
  recv_kind_on_packet (&seen, FALSE, FALSE, 14900 * MS); /* 10 s: not yet */
  g_assert_true (seen.number);
  g_assert_true (recv_kind_on_packet (&seen, FALSE, FALSE, 14901 * MS) == 0);
  g_assert_false (seen.number || seen.judged);
  for (guint i = 0; i < 50; i++)
    g_assert_false (
        recv_kind_on_packet (&seen, FALSE, FALSE, 15 * RA_SECOND + i * 100 * MS)
        & RECV_KIND_JUDGED);
  g_assert_true (seen.judged);
}

/* The sender hears once a second what is set here, where something else is sent. */
static void
test_wish (void)
{
  RecvKindSeen seen = { 0 };

  g_assert_null (recv_kind_wish (&seen, T, NULL, 0));
  g_assert_null (recv_kind_wish (&seen, F, &ra_feedback_tfrc, 0));
  g_assert_null (recv_kind_wish (&seen, C, &ra_feedback_ccfb, 0));
  g_assert_cmpstr (recv_kind_wish (&seen, T, &ra_feedback_ccfb, 0), ==, "twcc");
  g_assert_null (recv_kind_wish (&seen, T, &ra_feedback_ccfb, 999 * MS));
  g_assert_cmpstr (
      recv_kind_wish (&seen, F, &ra_feedback_ccfb, RA_SECOND), ==, "tfrc");
}

static void
test_lack (void)
{
  g_assert_null (recv_kind_lack (T, &(RecvIds){ 0 }));
  g_assert_null (recv_kind_lack (C, &(RecvIds){ 0 }));
  g_assert_null (recv_kind_lack (F, &(RecvIds){ .send_ts = 2 }));
  g_assert_nonnull (
      strstr (recv_kind_lack (F, &(RecvIds){ .number = 1 }), "falling back"));
  g_assert_nonnull (
      strstr (recv_kind_lack (F, &(RecvIds){ 0 }), "no feedback"));
}

/* --- how long packets are held ------------------------------------------------ */

/* What the properties latency, max-latency and min-latency say, ms. */
static const struct
{
  guint64 now, most, least;
  gint said_most, said_least;
  const gchar *why;
} held_rows[] = {
  { 200, 0, 10000, 200, 200, "it stays" },
  { 120, 200, 20, 200, 20, "it follows the path" },
  { 20, 200, 20, 200, 20, "also where it is the least" },
  { 120, 200, 10000, 200, 200, "it may only grow" },
};

static void
test_held (gconstpointer data)
{
  guint i = GPOINTER_TO_UINT (data);
  RaRadpHold hold
      = recv_hold_of (held_rows[i].now, held_rows[i].most, held_rows[i].least);
  RecvHold h = { 0 };

  g_test_message ("%s", held_rows[i].why);
  g_assert_cmpint (hold.now, ==, held_rows[i].now);
  g_assert_cmpint (hold.most, ==, held_rows[i].said_most);
  g_assert_cmpint (hold.least, ==, held_rows[i].said_least);
  g_assert_true (recv_hold_due (&h, &hold, 0));
  g_assert_false (recv_hold_due (&h, &hold, RA_MSECOND));
  hold.least++;
  g_assert_true (recv_hold_due (&h, &hold, RA_MSECOND));
}

void
tests_add (void)
{
  g_test_add_func ("/recv-timing/report/spacing", test_spacing);
  g_test_add_func ("/recv-timing/report/due", test_due);
  g_test_add_func ("/recv-timing/report/step", test_step);
  g_test_add_func ("/recv-timing/report/slow", test_slow);
  g_test_add_func ("/recv-timing/report/slow-text", test_slow_text);
  g_test_add_func ("/recv-timing/frame", test_frame);
  g_test_add_func ("/recv-timing/frame/stale", test_frame_stale);
  rows_add ("/recv-timing/kind", kind_rows, test_kind);
  g_test_add_func ("/recv-timing/kind/forget", test_kind_forget);
  g_test_add_func ("/recv-timing/kind/wish", test_wish);
  g_test_add_func ("/recv-timing/kind/lack", test_lack);
  rows_add ("/recv-timing/hold", held_rows, test_held);
}
