/* The parts of rtpadaptsend that deal in bytes and rows: header extensions, and
 * feedback by RTP numbers.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <plugins/rtpadapt/send/sendext.h>
#include <plugins/rtpadapt/send/ccfbnotes.h>

#include <gst/rtp/rtp.h>
#include <gst/rtpadapt/feedback/stamp.h>
#include <gst/rtpadapt/sender.h>
#include <stdlib.h>
#include <string.h>

#define MS RA_MSECOND

/* --- header extensions --------------------------------------------------- */

#define FIXED " 60 00 01 00 00 00 02 12 34 56 78 "
/* R 100 ms = 100,000 us, t_i 100 s (draft-ietf-avt-tfrc-profile-10, 5). */
#define RTT_TI "01 86 a0 05 f5 e1 00"

/* What becomes of a packet with payload aa bb; the ids of the caps, 0 none.
 * RFC 8285 4.2 and 4.3 for the forms. */
static const struct
{
  const gchar *name, *before;
  guint twcc, send_ts, colour;
  const gchar *after; /* NULL: it stays as it is, and is counted */
  const gchar *why;
} ext_rows[] = {
  { "nothing", "80" FIXED, 0, 0, 0, "80" FIXED, "no extension in the caps" },
  { "added", "80" FIXED, 1, 2, 3,
      "90" FIXED "be de 00 04 11 00 00 26 " RTT_TI " 31 40 01 00 00",
      "3 + 8 + 3 = 14 bytes and 2 of padding; green is 1, its first number 1" },
  { "csrc", "82" FIXED "00 00 00 07 00 00 00 08", 0, 0, 3,
      "92" FIXED "00 00 00 07 00 00 00 08 be de 00 01 31 40 01 00",
      "behind the CSRCs" },
  { "reserved", "90" FIXED "be de 00 02 26 00 00 00 00 00 00 00", 0, 2, 0,
      "90" FIXED "be de 00 02 26 " RTT_TI, "the payloader made room" },
  { "beside", "90" FIXED "be de 00 01 11 12 34 00", 1, 2, 0,
      "90" FIXED "be de 00 03 11 12 34 26 " RTT_TI " 00",
      "a number that is there stays, and its padding is used" },
  { "padding", "90" FIXED "be de 00 02 00 00 51 ff ff 00 00 00", 0, 0, 3,
      "90" FIXED "be de 00 02 00 00 51 ff ff 31 40 01",
      "it fits into the padding" },
  { "shrinks", "90" FIXED "be de 00 03 51 ff ff 00 00 00 00 00 00 00 00 00", 0,
      0, 3, "90" FIXED "be de 00 02 51 ff ff 31 40 01 00 00",
      "padding that nobody needs" },
  { "empty", "90" FIXED "be de 00 00", 0, 0, 3,
      "90" FIXED "be de 00 01 31 40 01 00", "an extension without elements" },
  { "two-byte", "90" FIXED "10 05 00 01 05 01 ff 00", 0, 2, 0,
      "90" FIXED "10 05 00 03 05 01 ff 02 07 " RTT_TI,
      "in the form of the packet; the application's 5 stays" },
  { "two-byte-empty", "90" FIXED "10 00 00 01 05 00 00 00", 0, 0, 3,
      "90" FIXED "10 00 00 02 05 00 03 02 40 01 00 00",
      "an element without data" },
  { "two-byte-twcc", "90" FIXED "10 00 00 01 05 01 ff 00", 1, 0, 3,
      "90" FIXED "10 00 00 02 05 01 ff 03 02 40 01 00",
      "rtpsession would not number it" },
  { "high-id", "80" FIXED, 0, 20, 0,
      "90" FIXED "10 00 00 03 14 07 " RTT_TI " 00 00 00",
      "ids beyond 14 need the two-byte form" },
  { "high-id-late", "90" FIXED "be de 00 01 11 12 34 00", 1, 20, 0, NULL,
      "the forms do not mix" },
  { "overlong", "90" FIXED "be de 00 01 2f 00 00 00", 0, 2, 0, NULL,
      "16 bytes said, 3 there" },
  { "overlong-two", "90" FIXED "10 00 00 01 05 03 00 00", 0, 2, 0, NULL,
      "3 bytes said, 2 there" },
  { "cut-two", "90" FIXED "10 00 00 01 05 01 ff 06", 0, 2, 0, NULL,
      "an id without a length" },
  { "id-15", "90" FIXED "be de 00 01 f0 00 00 00", 0, 2, 0, NULL,
      "nobody reads on behind it" },
  { "id-0", "90" FIXED "be de 00 01 02 00 00 00", 0, 2, 0, NULL,
      "nor behind id 0 with a length" },
  { "other", "90" FIXED "ab cd 00 01 00 00 00 00", 0, 2, 0, NULL,
      "not of RFC 8285" },
  { "cut", "90" FIXED "be de 00 05 26 00", 0, 2, 0, NULL,
      "longer than the packet" },
  { "other-size", "90" FIXED "be de 00 01 21 00 00 00", 0, 2, 0, NULL,
      "our id, but 2 bytes" },
};

static GByteArray *
bytes_of (const gchar *text, const gchar *payload)
{
  GByteArray *bytes = g_byte_array_new ();
  g_autofree gchar *all = g_strjoin (" ", text, payload, NULL);
  g_auto (GStrv) words = g_strsplit (all, " ", -1);

  for (guint i = 0; words[i]; i++) {
    guint8 byte = (guint8) strtoul (words[i], NULL, 16);

    if (*words[i])
      g_byte_array_append (bytes, &byte, 1);
  }
  return bytes;
}

/* In one memory, or in two as payloaders make it. */
static GstBuffer *
buffer_of (const GByteArray *bytes, gboolean split)
{
  guint head = split ? bytes->len - 2 : bytes->len;
  GstBuffer *buffer = gst_buffer_new_memdup (bytes->data, head);

  if (split)
    buffer = gst_buffer_append (
        buffer, gst_buffer_new_memdup (bytes->data + head, bytes->len - head));
  GST_BUFFER_PTS (buffer) = 5;
  GST_BUFFER_FLAG_SET (buffer, GST_BUFFER_FLAG_MARKER);
  return buffer;
}

static void
assert_bytes (GstBuffer *buffer, const GByteArray *expected)
{
  GstMapInfo map;

  g_assert_true (gst_buffer_map (buffer, &map, GST_MAP_READ));
  g_assert_cmpmem (map.data, (gint) map.size, expected->data, expected->len);
  gst_buffer_unmap (buffer, &map);
}

static void
test_ext (gconstpointer data)
{
  guint row = GPOINTER_TO_UINT (data);
  const gchar *after = ext_rows[row].after;
  g_autoptr (GByteArray) in = bytes_of (ext_rows[row].before, "aa bb");
  g_autoptr (GByteArray) out
      = bytes_of (after ? after : ext_rows[row].before, "aa bb");
  SendExtValues values = { 100 * MS, 100 * RA_SECOND, RA_MARK_GREEN };

  g_test_message ("%s", ext_rows[row].why);
  for (guint split = 0; split < 2; split++) {
    SendExt ext
        = { ext_rows[row].twcc, ext_rows[row].send_ts, ext_rows[row].colour };
    GstBuffer *before = buffer_of (in, split > 0);
    GstBuffer *buffer = gst_buffer_ref (before);

    g_assert_cmpuint (
        send_ext_growth (&ext, before), ==, MAX (out->len, in->len) - in->len);
    g_assert_cmpint (send_ext_write (&ext, &buffer, TRUE, &values), ==,
        after ? SEND_EXT_DONE : SEND_EXT_MALFORMED);
    assert_bytes (buffer, out);
    assert_bytes (before, in); /* somebody else's, too */
    g_assert_cmpuint (GST_BUFFER_PTS (buffer), ==, 5);
    g_assert_true (GST_BUFFER_FLAG_IS_SET (buffer, GST_BUFFER_FLAG_MARKER));
    g_assert_cmpuint (ext.numbers.n[RA_MARK_GREEN], ==,
        after && ext_rows[row].colour ? 1 : 0);
    gst_buffer_unref (buffer);
    gst_buffer_unref (before);
  }
}

/* A packet that is let alone takes no number of its colour. */
static void
test_ext_numbers (void)
{
  static const RaMark marks[]
      = { RA_MARK_GREEN, RA_MARK_RED, RA_MARK_NONE, RA_MARK_GREEN };
  static const gchar *const expected[] = { "40 01", "c0 01", "00 00", "40 02" };
  g_autoptr (GByteArray) bad
      = bytes_of ("90" FIXED "ab cd 00 01 00 00 00 00", "aa bb");
  g_autoptr (GByteArray) good = bytes_of ("80" FIXED, "aa bb");
  SendExt ext = { .colour = 3 };

  for (guint i = 0; i < G_N_ELEMENTS (marks); i++) {
    SendExtValues values = { .mark = marks[i] };
    g_autofree gchar *text
        = g_strdup_printf ("90" FIXED "be de 00 01 31 %s 00", expected[i]);
    g_autoptr (GByteArray) out = bytes_of (text, "aa bb");
    GstBuffer *alone = buffer_of (bad, FALSE), *buffer = buffer_of (good, TRUE);

    g_assert_cmpint (
        send_ext_write (&ext, &alone, TRUE, &values), ==, SEND_EXT_MALFORMED);
    g_assert_cmpint (
        send_ext_write (&ext, &buffer, TRUE, &values), ==, SEND_EXT_DONE);
    assert_bytes (buffer, out);
    gst_buffer_unref (alone);
    gst_buffer_unref (buffer);
  }
}

/* A packet that FEC protects gets what there is room for, keeps its length, and
 * takes no number of its colour that it does not tell. */
static void
test_ext_protected (void)
{
  g_autoptr (GByteArray) in = bytes_of (
      "90" FIXED "be de 00 03 26 00 00 00 00 00 00 00 00 00 00 00", "aa bb");
  g_autoptr (GByteArray) out
      = bytes_of ("90" FIXED "be de 00 03 26 " RTT_TI " 00 00 00 00", "aa bb");
  g_autoptr (GByteArray) bare = bytes_of ("80" FIXED, "aa bb");
  SendExt ext = { .send_ts = 2, .colour = 3 };
  SendExtValues values = { 100 * MS, 100 * RA_SECOND, RA_MARK_GREEN };
  GstBuffer *buffer = buffer_of (in, TRUE), *alone = buffer_of (bare, TRUE);

  g_assert_cmpint (
      send_ext_write (&ext, &buffer, FALSE, &values), ==, SEND_EXT_NO_ROOM);
  assert_bytes (buffer, out);
  g_assert_cmpint (
      send_ext_write (&ext, &alone, FALSE, &values), ==, SEND_EXT_NO_ROOM);
  assert_bytes (alone, bare);
  g_assert_cmpuint (ext.numbers.n[RA_MARK_GREEN], ==, 0);
  ext.colour = 0;
  g_assert_cmpint (
      send_ext_write (&ext, &buffer, FALSE, &values), ==, SEND_EXT_DONE);
  gst_buffer_unref (buffer);
  gst_buffer_unref (alone);
}

/* --- feedback by RTP numbers ---------------------------------------------- */

/* `sent`: the stream of each packet, a letter; its RTP numbers begin at 65535,
 * which is number 0 here.  `reports`: separated by "|", of rows: stream, number,
 * r received, c with CE, l lost, u received at an unknown time.  `expected`: for
 * each report index and r, c or l. */
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
  { "stranger", "ACACA", "A0r A1r A2r", "0r 2r 4r",
      "C was never reported: the receiver may not know it" },
  { "report-lost", "AAAAAA", "A0r A1r | A4r A5r", "0r 1r | 4r 5r",
      "nobody knows of 2 and 3" },
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
note (CcfbNotes *notes, RaLedger *log, const gchar *token)
{
  gchar state = token[strlen (token) - 1];
  CcfbRow row = {
    .ssrc = stream_ssrc (token[0]),
    .seq = (guint16) (65535 + strtoul (token + 1, NULL, 10)),
    .received = state != 'l',
    .ecn = state == 'c' ? RA_ECN_CE : RA_ECN_NOT_ECT,
    .remote = GST_CLOCK_TIME_NONE,
  };
  RaLedgerEntry *p = ra_ledger_find (log, row.ssrc, row.seq);

  if (p && (state == 'r' || state == 'c'))
    row.remote = (RA_STAMP_NTP_WRAP - 15 * MS + p->sent) % RA_STAMP_NTP_WRAP;
  g_assert_cmpint (ccfb_notes_add (notes, log, &row), ==, p != NULL);
}

static void
test_note (gconstpointer data)
{
  guint row = GPOINTER_TO_UINT (data);
  g_autofree RaLedger *log = log_of (note_rows[row].sent);
  g_auto (GStrv) reports = g_strsplit (note_rows[row].reports, "|", -1);
  g_autoptr (GString) got = g_string_new (NULL);
  RemoteClock clock = { 0 };
  CcfbNotes notes = { 0 };

  g_test_message ("%s", note_rows[row].why);
  for (guint i = 0; reports[i]; i++) {
    g_auto (GStrv) tokens = g_strsplit (reports[i], " ", -1);
    g_autoptr (GArray) packets = NULL;

    for (guint k = 0; tokens[k]; k++) {
      if (*tokens[k])
        note (&notes, log, tokens[k]);
    }
    if (i > 0)
      g_string_append (got, got->len ? " |" : "|");
    packets = ccfb_notes_take (&notes, log, &clock);
    for (guint k = 0; k < packets->len; k++) {
      const RaFeedbackPacket *p = &g_array_index (packets, RaFeedbackPacket, k);
      gboolean lost = p->arrival == RA_TIME_NONE;

      ra_ledger_hear (ra_ledger_at (log, p->seq), !lost); /* as RaSender */
      g_string_append_printf (got, "%s%u%c", got->len ? " " : "",
          (guint) p->seq,
          lost        ? 'l'
              : p->ce ? 'c'
                      : 'r');
      /* The first that arrives begins the clock: index 0 in all rows but one. */
      if (!lost && note_rows[row].expected[1] != 'l')
        g_assert_cmpint (ra_diff (p->arrival, (RaTime) RA_STAMP_NTP_WRAP), ==,
            (RaSpan) p->seq * 10 * MS);
    }
  }
  g_assert_cmpstr (got->str, ==, note_rows[row].expected);
}

/* A stream is ours while a packet of it is in the log; of more than
 * RA_LEDGER_SSRCS the idlest is forgotten. */
static void
test_streams (void)
{
  g_autofree RaLedger *log = ra_ledger_new ();
  CcfbNotes notes = { 0 };
  RaLedgerEntry p = { .ssrc = 5 };

  g_assert_false (ra_ledger_has_ssrc (log, 0));
  for (guint i = 0; i <= RA_LEDGER_SSRCS; i++)
    ra_ledger_add (
        log, &(RaLedgerEntry){ .index = log->next, .ssrc = i, .seq = 7 });
  g_assert_false (ra_ledger_has_ssrc (log, 0));
  g_assert_true (ra_ledger_has_ssrc (log, 1));
  g_assert_false (
      ccfb_notes_add (&notes, log, &(CcfbRow){ .ssrc = 0, .seq = 7 }));
  for (; p.seq < RA_LEDGER_SIZE - 1; p.seq++) {
    p.index = log->next;
    ra_ledger_add (log, &p);
  }
  g_assert_false (ra_ledger_has_ssrc (log, 1));
  g_assert_true (ra_ledger_has_ssrc (log, RA_LEDGER_SSRCS));
  p.index = log->next;
  ra_ledger_add (log, &p);
  g_assert_false (ra_ledger_has_ssrc (log, RA_LEDGER_SSRCS));
  g_assert_true (ra_ledger_has_ssrc (log, 5));
}

static void
add_row (const gchar *group, const gchar *name, guint row, GTestDataFunc f)
{
  g_autofree gchar *path = g_strdup_printf ("/send-bytes/%s/%s", group, name);

  g_test_add_data_func (path, GUINT_TO_POINTER (row), f);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  gst_init (&argc, &argv);
  for (guint i = 0; i < G_N_ELEMENTS (ext_rows); i++)
    add_row ("ext", ext_rows[i].name, i, test_ext);
  g_test_add_func ("/send-bytes/ext/numbers", test_ext_numbers);
  g_test_add_func ("/send-bytes/ext/protected", test_ext_protected);
  for (guint i = 0; i < G_N_ELEMENTS (note_rows); i++)
    add_row ("note", note_rows[i].name, i, test_note);
  g_test_add_func ("/send-bytes/log/streams", test_streams);
  return g_test_run ();
}
