/* What the ear is made of: the receiver's clock, transport-wide numbers, and the
 * notes of RFC 8888.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "../rows.h"

#include <gst/rtpadapt/feedback/ccfbnotes.h>
#include <gst/rtpadapt/feedback/stamp.h>
#include <gst/rtpadapt/feedback/twccalign.h>

#include <stdlib.h>
#include <string.h>

#define MS RA_MSECOND
/* draft-holmer-rmcat-transport-wide-cc-extensions-01 3.1: 24 bit of 64 ms */
#define WRAP (G_GUINT64_CONSTANT (16777216) * 64 * MS)
/* The rows of an array as arguments. */
#define ROWS(array) (const RaTwccRow *) (array)->data, (array)->len

/* --- remote-ts ---------------------------------------------------------- */

/* After a packet sent at 1000 s that arrived at `first`, one sent `sent_later`
 * after it arrives at `second`: how much later is that? */
static const struct
{
  const gchar *name;
  RaTime first;
  RaSpan sent_later;
  RaTime second;
  RaSpan expected;
  const gchar *why;
} clock_rows[] = {
  { "next", 500 * MS, 10 * MS, 512 * MS, 12 * MS, "the difference" },
  { "reordered", 500 * MS, 10 * MS, 497 * MS, -3 * MS, "it came before" },
  { "wrap", WRAP - 4 * MS, 10 * MS, 5 * MS, 9 * MS, "12.4 days later" },
  { "wrap-back", 2 * MS, 10 * MS, WRAP - 1 * MS, -3 * MS,
      "reordered over the wrap" },
  { "below-0", 1 * MS, 10 * MS, (RaTime) -2 * MS, -3 * MS,
      "a negative delta at base time 0" },
  { "outage", 500 * MS, 10 * MS, 7500 * MS, 7000 * MS,
      "a handover that held packets for 7 s is the path's" },
  { "epoch", 500 * MS, 10 * MS, 5000000 * MS, 10 * MS,
      "another clock: as if the delay had stayed" },
  { "epoch-back", 5000000 * MS, 10 * MS, 500 * MS, 10 * MS,
      "the receiver started again" },
};

static void
test_clock (gconstpointer data)
{
  guint row = GPOINTER_TO_UINT (data);
  RaRemoteClock c = { 0 };
  RaTime sent = 1000 * RA_SECOND;
  RaTime a = ra_remote_clock_unwrap (&c, clock_rows[row].first, WRAP, sent);
  RaTime b = ra_remote_clock_unwrap (&c, clock_rows[row].second, WRAP,
      ra_later (sent, clock_rows[row].sent_later));

  g_test_message ("%s", clock_rows[row].why);
  g_assert_cmpint (ra_diff (b, a), ==, clock_rows[row].expected);
}

/* --- rows that may be spoilt --------------------------------------------- */

/* `rows`: a letter per packet, L: lost. */
static const struct
{
  const gchar *name, *rows;
  gboolean expected;
  const gchar *why;
} doubtful_rows[] = {
  { "empty", "", FALSE, "nothing to doubt" },
  { "14", "rLLLLLLLLLLLLLLr", FALSE, "a status vector holds 14" },
  { "15", "rLLLLLLLLLLLLLLLr", TRUE, "one more is written twice" },
  { "15-first", "LLLLLLLLLLLLLLLr", TRUE,
      "rtpsession may have added them in front, which cannot be told" },
  { "15-last", "rLLLLLLLLLLLLLLL", TRUE, "wherever they are" },
  { "14-14", "LLLLLLLLLLLLLLrLLLLLLLLLLLLLLr", FALSE, "two runs" },
};

static void
test_doubtful (gconstpointer data)
{
  guint row = GPOINTER_TO_UINT (data);
  g_autoptr (GArray) rows = g_array_new (FALSE, FALSE, sizeof (RaTwccRow));

  for (const gchar *c = doubtful_rows[row].rows; *c; c++) {
    RaTwccRow packet = { .seq = (guint16) rows->len, .lost = *c == 'L' };

    g_array_append_val (rows, packet);
  }
  g_test_message ("%s", doubtful_rows[row].why);
  g_assert_cmpint (
      ra_twcc_is_doubtful (ROWS (rows)), ==, doubtful_rows[row].expected);
}

/* --- the log of what was sent ------------------------------------------- */

static RaLedger *
log_new (guint n)
{
  RaLedger *log = ra_ledger_new ();

  for (guint i = 0; i < n; i++)
    ra_ledger_add (log,
        &(RaLedgerEntry){
            .index = i,
            .passed = i * MS,
            .passed_by = i * MS + MS / 2,
            .payload = 100 + i % 7,
            .ssrc = 1,
            .seq = (guint16) i,
        });
  return log;
}

static GArray *
rows_of (guint from, guint to, guint16 base)
{
  GArray *rows = g_array_new (FALSE, FALSE, sizeof (RaTwccRow));

  for (guint i = from; i < to; i++) {
    RaTwccRow row = {
      .seq = (guint16) (base + i),
      .local = i * MS + MS / 4,
      .size = 100 + i % 7,
    };

    g_array_append_val (rows, row);
  }
  return rows;
}

/* What `number` finds when `n` were sent and rtpsession's numbers begin at
 * `base`: the packet's index, or -1. */
static const struct
{
  const gchar *name;
  guint n;
  guint16 base, number;
  gint64 expected;
  const gchar *why;
} log_rows[] = {
  { "plain", 100, 0, 42, 42, "it began with us" },
  { "began-before", 100, 5000, 5042, 42, "it began before us" },
  { "base-wraps", 100, 65500, 6, 42, "65500 + 42 = 65542 = 6 (mod 65536)" },
  { "second-round", 70000, 0, 1000, 66536, "the youngest with that number" },
  { "too-old", 70000, 0, 10000, -1, "10000 left the log long ago" },
  { "not-sent", 100, 0, 100, -1, "nobody sent it" },
};

static void
test_log (gconstpointer data)
{
  guint row = GPOINTER_TO_UINT (data);
  guint n = log_rows[row].n;
  g_autofree RaLedger *log = log_new (n);
  g_autoptr (GArray) rows = rows_of (n - 10, n, log_rows[row].base);
  RaTwccRow unknown = { .seq = log_rows[row].number, .local = RA_TIME_NONE };
  const RaLedgerEntry *p;
  RaTwccAlign align = { 0 };

  g_test_message ("%s", log_rows[row].why);
  g_assert_null (ra_twcc_map (&align, log, &unknown));
  g_assert_false (ra_twcc_align (&align, log, ROWS (rows)));
  p = ra_twcc_map (&align, log, &unknown);
  g_assert_cmpint (p ? (gint64) p->index : -1, ==, log_rows[row].expected);
}

/* A row that contradicts the log moves nothing. */
static void
test_log_wrong (void)
{
  g_autofree RaLedger *log = log_new (100);
  g_autoptr (GArray) rows = rows_of (0, 10, 7);
  RaTwccAlign align = { 0 };
  RaTwccRow row;

  g_assert_false (ra_twcc_align (&align, log, ROWS (rows)));
  g_array_set_size (rows, 3);
  g_array_index (rows, RaTwccRow, 1).size = 99;
  g_array_index (rows, RaTwccRow, 2).local += MS / 2;
  g_assert_false (ra_twcc_align (&align, log, ROWS (rows)));
  row = g_array_index (rows, RaTwccRow, 0);
  g_assert_cmpuint (ra_twcc_map (&align, log, &row)->index, ==, 0);
  for (guint i = 1; i < 3; i++)
    g_assert_null (
        ra_twcc_map (&align, log, &g_array_index (rows, RaTwccRow, i)));
}

/* --- feedback by RTP numbers ---------------------------------------------- */

/* `sent`: the stream of each packet, a letter; its RTP numbers begin at 65535,
 * which is number 0 here.  `reports`: separated by "|", of rows: stream, number,
 * r received, c with CE, l lost, u received at an unknown time; "+" the next report may
 * have the rest of it.  `expected`: for each report index and r, c or l. */
static const struct
{
  const gchar *name, *sent, *reports, *expected;
  const gchar *why;
} note_rows[] = {
  { "plain", "AAAA", "A0r A1l A2c A3r", "0r 1l 2c 3r", "all is news" },
  { "overlap", "AAA", "A0r A1r | A0r A1r A2r", "0r 1r | 2r",
      "RFC 8888 3: reports may overlap" },
  { "again-lost", "AAA", "A0r A1l A2r | A0r A1l A2r", "0r 1l 2r |",
      "lost is lost" },
  { "late", "AAA", "A0r A1l A2r | A1r", "0r 1l 2r | 1r", "it came after all" },
  { "not-lost", "AA", "A0r A1r | A0l A1l", "0r 1r |",
      "what was received stays received" },
  { "copies", "AA", "A0l A0r A0r A1r", "0r 1r", "one report, several copies" },
  { "copies-lost", "AA", "A0r A0l A1r", "0r 1r", "what came is not lost" },
  { "merged", "ABAB", "B0r B1r A0l A1r", "0l 1r 2r 3r",
      "in the order they were sent" },
  { "unsaid", "ABABA", "A0r A1r A2r B0r | B1r", "0r 1r 2r 3l 4r | 3r",
      "B1 was sent before A2, which arrived; it came later" },
  { "unsaid-later", "ABABA", "A0r A1r B0r | A2r", "0r 1r 2r | 3l 4r",
      "the same over two reports" },
  { "cut", "ABABA", "A0r A1r A2r B0r + | B1r", "0r 1r 2r 4r | 3r",
      "B1 is in the rest" },
  { "cut-twice", "ABBBBA", "A0r A1r B0r + | B1r + | B2r B3r",
      "0r 1r 5r | 2r | 3r 4r", "and B2 in the rest of that" },
  { "cut-ends", "ABABABA", "A0r A1r A2r B0r + | A3r", "0r 1r 2r 4r | 3l 5l 6r",
      "the rest has no B" },
  { "cut-on", "ABABABA", "A0r A1r B0r + | A2r + | A3r +",
      "0r 1r 2r | 4r | 3l 6r",
      "all reports are long: B1 was not in the next one, B2 may be" },
  { "stranger", "ACACA", "A0r A1r A2r", "0r 2r 4r",
      "C was never reported: the receiver may not know it" },
  { "report-lost", "AAAAAA", "A0r A1r | A4r A5r", "0r 1r | 4r 5r",
      "nobody knows of 2 and 3" },
  { "left-out", "AAAAA", "A0r A1r A3r A4r", "0r 1r 2l 3r 4r",
      "between two blocks of a report no report is missing" },
  { "left-out-old", "AAAA", "A3u | A0r A1r A3u", "| 0r 1r 2l",
      "what is known behind it counts" },
  { "left-out-again", "AAAAA", "A0r A1r | A4r | A1r A4r", "0r 1r | 4r | 2l 3l",
      "of old rows, too" },
  { "left-out-late", "AAAA", "A0r A1r A3r | A2r", "0r 1r 2l 3r | 2r",
      "it came after all" },
  { "left-out-merged", "ABABAB", "A0r B0r A2r B1r B2r", "0r 1r 2l 3r 4r 5r",
      "by stream: A1" },
  { "left-out-stranger", "ACACA", "A0r | A1r C1r A2r", "0r | 2r 3r 4r",
      "C0 left before the receiver knew C" },
  { "left-out-timeless", "AAA", "A0r A1u A2r", "0r 2r",
      "1 is not left out: nobody says when it came" },
  { "unknown-time", "AAA", "A0r A1u A2r | A1l", "0r 2r |",
      "not lost, but of no use" },
  { "unknown-time-again", "AAA", "A0r A1u A2r | A1r", "0r 2r |",
      "it was told before" },
  { "unsent", "AA", "A0r A1r A7r D0r", "0r 1r", "7 and D are not ours" },
};

static guint32
stream_ssrc (gchar letter)
{
  return 0x1000u + (guint32) letter;
}

static RaLedger *
log_of (const gchar *sent)
{
  RaLedger *log = ra_ledger_new ();
  guint n[256] = { 0 };

  for (guint i = 0; sent[i]; i++)
    ra_ledger_add (log,
        &(RaLedgerEntry){
            .index = i,
            .sent = i * 10 * MS,
            .ssrc = stream_ssrc (sent[i]),
            .seq = (guint16) (65535 + n[(guint8) sent[i]]++),
        });
  return log;
}

/* Arrivals on a clock that wraps in between. */
static void
note (RaCcfbNotes *notes, RaLedger *log, const gchar *token)
{
  gchar state = token[strlen (token) - 1];
  guint32 ssrc = stream_ssrc (token[0]);
  RaCcfbRow row = {
    .received = state != 'l',
    .ecn = state == 'c' ? RA_ECN_CE : RA_ECN_NOT_ECT,
    .remote = RA_TIME_NONE,
  };
  RaLedgerEntry *p = ra_ledger_find (
      log, ssrc, (guint16) (65535 + strtoul (token + 1, NULL, 10)));

  if (!p)
    return;
  if (state == 'r' || state == 'c')
    row.remote = (RA_STAMP_NTP_WRAP - 15 * MS + p->sent) % RA_STAMP_NTP_WRAP;
  ra_ccfb_notes_add (notes, ra_ledger_stream (log, ssrc), p, &row);
}

static void
note_all (RaCcfbNotes *notes, RaLedger *log, const gchar *report)
{
  g_auto (GStrv) tokens = g_strsplit (report, " ", -1);

  for (guint k = 0; tokens[k]; k++) {
    if (*tokens[k])
      note (notes, log, tokens[k]);
  }
}

static void
take_all (RaCcfbNotes *notes, RaLedger *log, RaRemoteClock *clock, gsize len,
    gboolean begins_at_0, GString *got)
{
  RaFeedbackPacket p;
  RaSpan ago;

  ra_ccfb_notes_begin (notes, log, len);
  while (ra_ccfb_notes_next (notes, log, clock, &p, &ago)) {
    gboolean lost = p.arrival == RA_TIME_NONE;

    ra_ledger_hear (ra_ledger_at (log, p.seq), !lost); /* as RaSender */
    g_string_append_printf (got, "%s%u%c", got->len ? " " : "", (guint) p.seq,
        lost       ? 'l'
            : p.ce ? 'c'
                   : 'r');
    /* The first that arrives begins the clock. */
    if (!lost && begins_at_0)
      g_assert_cmpint (ra_diff (p.arrival, (RaTime) RA_STAMP_NTP_WRAP), ==,
          (RaSpan) p.seq * 10 * MS);
  }
}

/* A report that is dropped between two leaves no trace. */
static void
test_note (gconstpointer data)
{
  guint row = GPOINTER_TO_UINT (data);

  g_test_message ("%s", note_rows[row].why);
  for (guint dropped = 0; dropped < 2; dropped++) {
    g_autofree RaLedger *log = log_of (note_rows[row].sent);
    g_auto (GStrv) reports = g_strsplit (note_rows[row].reports, "|", -1);
    g_autoptr (GString) got = g_string_new (NULL);
    RaRemoteClock clock = { 0 };
    RaCcfbNotes notes = { 0 };

    for (guint i = 0; reports[i]; i++) {
      if (dropped) {
        note_all (&notes, log, "A0u A1r A2c A3l A4r B0u B1r B2l C0r C1u");
        ra_ccfb_notes_drop (&notes, log);
      }
      note_all (&notes, log, reports[i]);
      if (i > 0)
        g_string_append (got, got->len ? " |" : "|");
      /* Index 0 in all rows but one. */
      take_all (&notes, log, &clock, strchr (reports[i], '+') ? 400 : 399,
          note_rows[row].expected[1] != 'l', got);
    }
    g_assert_cmpstr (got->str, ==, note_rows[row].expected);
  }
}

/* How long each packet of a report came before the newest of it, in whichever
 * order the rows are: packet i comes at 10 i ms. */
static void
test_note_ago (void)
{
  g_autofree RaLedger *log = log_of ("ABAB");
  RaRemoteClock clock = { 0 };
  RaCcfbNotes notes = { 0 };
  RaFeedbackPacket p;
  RaSpan ago;

  for (guint i = 0; i < 4; i++) {
    RaLedgerEntry *e = ra_ledger_at (log, 3 - i);

    ra_ccfb_notes_add (&notes, ra_ledger_stream (log, e->ssrc), e,
        &(RaCcfbRow){ TRUE, RA_SECOND + e->sent, RA_ECN_ECT_0 });
  }
  g_assert_cmpuint (notes.sent, ==, 30 * MS);
  g_assert_cmpuint (notes.last->index, ==, 3);
  ra_ccfb_notes_begin (&notes, log, 0);
  for (guint i = 0; i < 4; i++) {
    g_assert_true (ra_ccfb_notes_next (&notes, log, &clock, &p, &ago));
    g_assert_cmpuint (p.seq, ==, i);
    g_assert_cmpint (ago, ==, (3 - i) * 10 * MS);
  }
  g_assert_false (ra_ccfb_notes_next (&notes, log, &clock, &p, &ago));
}

void
tests_add (void)
{
  rows_add_by ("/ear-parts/clock", clock_rows, name, test_clock);
  rows_add_by ("/ear-parts/doubtful", doubtful_rows, name, test_doubtful);
  rows_add_by ("/ear-parts/log", log_rows, name, test_log);
  g_test_add_func ("/ear-parts/log/wrong", test_log_wrong);
  rows_add_by ("/ear-parts/note", note_rows, name, test_note);
  g_test_add_func ("/ear-parts/note/ago", test_note_ago);
}
