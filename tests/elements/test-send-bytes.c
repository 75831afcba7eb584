/* The header extensions that rtpadaptsend writes.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "../rows.h"

#include <plugins/rtpadapt/send/sendext.h>

#include <gst/rtp/rtp.h>
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
plan_of (const SendExt *ext, GstBuffer *buffer, SendExtPlan *plan)
{
  GstMapInfo map;

  g_assert_true (gst_buffer_map (buffer, &map, GST_MAP_READ));
  send_ext_read (ext, map.data, map.size, plan);
  gst_buffer_unmap (buffer, &map);
}

static SendExtResult
write_ext (SendExt *ext, GstBuffer **buffer, gboolean may_grow,
    const SendExtValues *values)
{
  SendExtPlan plan;

  plan_of (ext, *buffer, &plan);
  g_assert_true (send_ext_fits (ext, &plan));
  return send_ext_write (ext, &plan, buffer, may_grow, values);
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
    g_autoptr (GstBuffer) before = buffer_of (in, split > 0);
    g_autoptr (GstBuffer) buffer = gst_buffer_ref (before);
    SendExtPlan plan;

    plan_of (&ext, before, &plan);
    g_assert_cmpuint (
        send_ext_growth (&plan), ==, MAX (out->len, in->len) - in->len);
    g_assert_cmpint (write_ext (&ext, &buffer, TRUE, &values), ==,
        after ? SEND_EXT_DONE : SEND_EXT_MALFORMED);
    assert_bytes (buffer, out);
    assert_bytes (before, in); /* somebody else's, too */
    g_assert_cmpuint (GST_BUFFER_PTS (buffer), ==, 5);
    g_assert_true (GST_BUFFER_FLAG_IS_SET (buffer, GST_BUFFER_FLAG_MARKER));
    g_assert_cmpuint (ext.numbers.n[RA_MARK_GREEN], ==,
        after && ext_rows[row].colour ? 1 : 0);
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
        write_ext (&ext, &alone, TRUE, &values), ==, SEND_EXT_MALFORMED);
    g_assert_cmpint (
        write_ext (&ext, &buffer, TRUE, &values), ==, SEND_EXT_DONE);
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
      write_ext (&ext, &buffer, FALSE, &values), ==, SEND_EXT_NO_ROOM);
  assert_bytes (buffer, out);
  g_assert_cmpint (
      write_ext (&ext, &alone, FALSE, &values), ==, SEND_EXT_NO_ROOM);
  assert_bytes (alone, bare);
  g_assert_cmpuint (ext.numbers.n[RA_MARK_GREEN], ==, 0);
  ext.colour = 0;
  g_assert_cmpint (
      write_ext (&ext, &buffer, FALSE, &values), ==, SEND_EXT_DONE);
  gst_buffer_unref (buffer);
  gst_buffer_unref (alone);
}

void
tests_add (void)
{
  rows_add_by ("/send-bytes/ext", ext_rows, name, test_ext);
  g_test_add_func ("/send-bytes/ext/numbers", test_ext_numbers);
  g_test_add_func ("/send-bytes/ext/protected", test_ext_protected);
}
