/* RFC 8888, RTCP Congestion Control Feedback, as bytes.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "../rows.h"

#include <gst/rtpadapt/feedback/ccfbfci.h>
#include <gst/rtpadapt/feedback/stamp.h>

#include <string.h>

/* --- figure 1 --- */

/* Three streams.  The first wraps and has an odd count, the second received
 * nothing. */
static const RaCcfbPacket first[] = {
  { TRUE, 3, 512 }, /* 65534: CE, half a second before RTS */
  { FALSE, 0, 0 },  /* 65535 */
  { TRUE, 2, 1 },   /* 0: ECT(0) */
};
static const RaCcfbPacket third[] = {
  { TRUE, 0, RA_CCFB_ATO_OVER }, { TRUE, 1, RA_CCFB_ATO_NONE }, /* ECT(1) */
};
static const RaCcfbBlock blocks[] = {
  { 0x11223344, 65534, 3, first },
  { 0x55667788, 7, 0, NULL },
  { 0x99aabbcc, 1000, 2, third },
};

/* Figure 1 without its first three words. */
static const guint8 golden[] = {
  0xff, 0xfe, 0x00, 0x03, /* begin_seq, num_reports */
  0xe2, 0x00, 0x00, 0x00, /* 1 11 0001000000000, 0 */
  0xc0, 0x01, 0x00, 0x00, /* 1 10 0000000000001, padding */
  0x55, 0x66, 0x77, 0x88, /* SSRC of the 2nd */
  0x00, 0x07, 0x00, 0x00, /* begin_seq, num_reports */
  0x99, 0xaa, 0xbb, 0xcc, /* SSRC of the 3rd */
  0x03, 0xe8, 0x00, 0x02, /* begin_seq, num_reports */
  0x9f, 0xfe, 0xbf, 0xff, /* 1 00 1111111111110, 1 01 1111111111111 */
  0x12, 0x34, 0x56, 0x78, /* RTS */
};

#define GOLDEN_TEXT                                  \
  "11223344: 65534 3/512 65535 - 0 2/1; 55667788:; " \
  "99aabbcc: 1000 0/8190 1001 1/8191; 12345678"

/* "SSRC: seq ECN/ATO or -; RTS", or "malformed". */
static gchar *
read_text (guint32 media_ssrc, const guint8 *fci, gsize len)
{
  GString *s = g_string_new (NULL);
  RaCcfbReader r = { .rts = 77, .n = 78 };

  if (!ra_ccfb_read (&r, media_ssrc, fci, len)) {
    g_assert_cmpuint (r.rts, ==, 77);
    g_assert_cmpuint (r.n, ==, 78);
    return g_string_free (g_string_append (s, "malformed"), FALSE);
  }
  while (ra_ccfb_next (&r)) {
    g_string_append_printf (s, "%08x:", r.ssrc);
    for (guint i = 0; i < r.n; i++) {
      RaCcfbPacket p = ra_ccfb_get (&r, i);

      g_string_append_printf (s, " %u ", (guint16) (r.begin_seq + i));
      if (p.received)
        g_string_append_printf (s, "%u/%u", p.ecn, p.ato);
      else
        g_string_append (s, p.ecn || p.ato ? "?" : "-");
    }
    g_string_append (s, "; ");
  }
  g_assert_false (ra_ccfb_next (&r));
  g_string_append_printf (s, "%08x", r.rts);
  return g_string_free (s, FALSE);
}

static void
test_golden (void)
{
  g_autofree gchar *text = NULL;
  guint8 got[sizeof golden + 4];
  guint32 ssrc = 0;

  g_assert_cmpuint (ra_ccfb_size (blocks, 3), ==, 36);
  g_assert_cmpuint (
      ra_ccfb_write (0x12345678, blocks, 3, &ssrc, got, sizeof got), ==, 36);
  g_assert_cmphex (ssrc, ==, 0x11223344);
  g_assert_cmpmem (got, 36, golden, sizeof golden);
  text = read_text (0x11223344, golden, sizeof golden);
  g_assert_cmpstr (text, ==, GOLDEN_TEXT);
}

static void
test_no_room (void)
{
  guint8 got[sizeof golden];
  guint32 ssrc = 5;

  memset (got, 0xa5, sizeof got);
  for (gsize len = 0; len < sizeof golden; len++)
    g_assert_cmpuint (ra_ccfb_write (1, blocks, 3, &ssrc, got, len), ==, 0);
  g_assert_cmpuint (ra_ccfb_write (1, blocks, 0, &ssrc, got, 36), ==, 0);
  for (guint i = 0; i < sizeof got; i++)
    g_assert_cmphex (got[i], ==, 0xa5);
  g_assert_cmpuint (ssrc, ==, 5);
}

/* --- metrics --- */

static const struct
{
  RaCcfbPacket p;
  guint8 bytes[2];
  const gchar *why;
} metric_rows[] = {
  { { FALSE, 0, 0 }, { 0x00, 0x00 }, "not received" },
  { { FALSE, 3, 5 }, { 0x00, 0x00 }, "then the other 15 bits are 0" },
  { { TRUE, 0, 0 }, { 0x80, 0x00 }, "at RTS, not ECT" },
  { { TRUE, 1, 0 }, { 0xa0, 0x00 }, "ECT(1) is 01" },
  { { TRUE, 2, 0 }, { 0xc0, 0x00 }, "ECT(0) is 10" },
  { { TRUE, 3, 0 }, { 0xe0, 0x00 }, "CE is 11" },
  { { TRUE, 7, 0 }, { 0xe0, 0x00 }, "two bits" },
  { { TRUE, 0, 0x1ffd }, { 0x9f, 0xfd }, "8189/1024 s" },
  { { TRUE, 0, 0x1ffe }, { 0x9f, 0xfe }, "over-range" },
  { { TRUE, 0, 0x1fff }, { 0x9f, 0xff }, "unavailable" },
  { { TRUE, 0, 0x2001 }, { 0x9f, 0xff }, "13 bits: unavailable" },
  { { TRUE, 0, 0xffff }, { 0x9f, 0xff }, "likewise" },
};

static void
test_metric (gconstpointer data)
{
  guint i = GPOINTER_TO_UINT (data);
  RaCcfbBlock block = { 1, 2, 1, &metric_rows[i].p };
  guint8 got[12] = { 0 };
  guint32 ssrc;

  g_test_message ("%s", metric_rows[i].why);
  g_assert_cmpuint (
      ra_ccfb_write (0, &block, 1, &ssrc, got, sizeof got), ==, 12);
  g_assert_cmpmem (got + 4, 2, metric_rows[i].bytes, 2);
}

/* --- what comes from the wire; media SSRC 0000000a, RTS 00000001 --- */

static const struct
{
  const gchar *hex, *want, *why;
} read_rows[] = {
  { "", "0000000a", "no block: RTS is where the first SSRC would be" },
  { "00000001", "malformed", "RTS alone, after an SSRC" },
  { "00020000 00000001", "0000000a:; 00000001", "num_reports may be 0" },
  { "00020001 81230000 00000001", "0000000a: 2 0/291; 00000001",
      "an odd count is padded" },
  { "00020001 81238456 00000001", "0000000a: 2 0/291; 00000001",
      "padding that is not 0" },
  { "00020001 8123 00000001", "malformed", "padding that is missing" },
  { "00020002 81238456 00000001", "0000000a: 2 0/291 3 0/1110; 00000001",
      "num_reports is a count: 2 and 3, not 4" },
  { "ffff0002 80018002 00000001", "0000000a: 65535 0/1 0 0/2; 00000001",
      "modulo 65536" },
  { "00020002 7fff6200 00000001", "0000000a: 2 - 3 -; 00000001",
      "R = 0: the rest MUST be ignored" },
  { "00020002 80018002 000000 01 00", "malformed", "a byte too many" },
  { "00020002 80018002 0000 0001 0000", "malformed", "two" },
  { "00020002 80018002 00000001 00000000", "malformed",
      "four: an SSRC, and then only RTS" },
  { "00020000 0000000b 00030000 00000001", "0000000a:; 0000000b:; 00000001",
      "a second block" },
  { "00020000 0000000b 00030001 00000001", "malformed",
      "a second block that takes RTS" },
  { "00020000 0000000a 00020000 00000001", "0000000a:; 0000000a:; 00000001",
      "the same stream again" },
  { "00020001 80000000", "malformed", "no RTS" },
  { "00020003 80018002 00000001", "malformed", "RTS is not for metrics" },
  { "00028000 80018002 00000001", "malformed",
      "0x8000: twice that is 0 in 16 bits" },
  { "00028000 00000001", "malformed", "likewise" },
  { "00024001 80018002 00000001", "malformed", "0x4001: more than 16384" },
  { "0002ffff 80018002 00000001", "malformed", "0xffff" },
  { "0002fffe 00000001", "malformed", "0xfffe" },
  { "00020000 0000000b 0003ffff 00000001", "malformed", "in a second block" },
};

/* Exactly as long as it is: ASan sees what is read behind it. */
static guint8 *
from_hex (const gchar *hex, gsize *len)
{
  g_autofree guint8 *bytes = g_malloc (strlen (hex) + 1);

  *len = 0;
  while (*hex) {
    if (*hex == ' ') {
      hex++;
      continue;
    }
    bytes[(*len)++] = (guint8) (g_ascii_xdigit_value (hex[0]) << 4
        | g_ascii_xdigit_value (hex[1]));
    hex += 2;
  }
  return g_memdup2 (bytes, *len);
}

static void
test_read (gconstpointer data)
{
  guint i = GPOINTER_TO_UINT (data);
  g_autofree guint8 *fci = NULL;
  g_autofree gchar *text = NULL;
  gsize len;

  g_test_message ("%s: %s", read_rows[i].hex, read_rows[i].why);
  fci = from_hex (read_rows[i].hex, &len);
  text = read_text (10, fci, len);
  g_assert_cmpstr (text, ==, read_rows[i].want);
}

/* --- limits; zeros, long enough --- */

static const struct
{
  guint n;
  gboolean good;
  const gchar *why;
} limit_rows[] = {
  { 16383, TRUE, "odd" },
  { 16384, TRUE, "section 3.1: not more than that" },
  { 16385, FALSE, "one more, all there" },
  { 32768, FALSE, "0x8000, all there" },
  { 65535, FALSE, "0xffff, all there" },
};

static void
test_limit (gconstpointer data)
{
  guint i = GPOINTER_TO_UINT (data), n = limit_rows[i].n;
  g_autofree RaCcfbPacket *packets = g_new0 (RaCcfbPacket, n);
  RaCcfbBlock block = { 1, 2, n, packets };
  gsize len = 4 + 2 * (gsize) (n + n % 2) + 4;
  g_autofree guint8 *fci = g_malloc0 (len);
  gboolean good = limit_rows[i].good;
  RaCcfbReader r;
  guint32 ssrc;

  g_test_message ("%s", limit_rows[i].why);
  fci[2] = (guint8) (n >> 8);
  fci[3] = (guint8) n;
  g_assert_cmpint (ra_ccfb_read (&r, 1, fci, len), ==, good);
  if (good) {
    g_assert_true (ra_ccfb_next (&r));
    g_assert_cmpuint (r.n, ==, n);
    g_assert_false (ra_ccfb_get (&r, n - 1).received);
  }
  g_assert_cmpuint (ra_ccfb_size (&block, 1), ==, good ? len : 0);
  g_assert_cmpuint (
      ra_ccfb_write (0, &block, 1, &ssrc, fci, len), ==, good ? len : 0);
}

/* RTCP's length counts words up to 65535 behind the first, 262144 bytes in all;
 * three words come before the FCI. */
static void
test_longest (void)
{
  g_autofree RaCcfbPacket *packets = g_new0 (RaCcfbPacket, 16384);
  /* 7 * (8 + 32768) + 8 + 2 n = 262132, n = 16346 */
  RaCcfbBlock eight[8];

  for (guint i = 0; i < 8; i++)
    eight[i] = (RaCcfbBlock){ i, 0, 16384, packets };
  g_assert_cmpuint (ra_ccfb_size (eight, 7), ==, 7 * 32776);
  eight[7].n = 16346;
  g_assert_cmpuint (ra_ccfb_size (eight, 8), ==, 262132);
  eight[7].n = 16347;
  g_assert_cmpuint (ra_ccfb_size (eight, 8), ==, 0);
  eight[7].n = 16384;
  g_assert_cmpuint (ra_ccfb_size (eight, 8), ==, 0);
}

/* --- ATO --- */

#define RTS (20 * RA_SECOND)

static const struct
{
  RaTime arrival;
  guint16 ato;
  const gchar *why;
} ato_rows[] = {
  { RTS - RA_SECOND / 2, 512, "section 3.1: exactly half a second" },
  { RTS, 0, "just now" },
  { RTS + 1, RA_CCFB_ATO_NONE, "after RTS" },
  { RA_TIME_NONE, RA_CCFB_ATO_NONE, "unavailable" },
  { RTS - 976562, 1, "1/1024 s is 976562.5 ns" },
  { RTS - 488281, 0, "just below half of it" },
  { RTS - 488282, 1, "just above" },
  /* 8189/1024 s = 7997070312.5 ns */
  { RTS - 7997070312, 0x1ffd, "8189/1024 s" },
  { RTS - 7997070313, 0x1ffe, "greater than that" },
  { RTS - 8 * RA_SECOND, 0x1ffe, "8 s" },
  { 0, 0x1ffe, "20 s" },
};

static void
test_ato (gconstpointer data)
{
  guint i = GPOINTER_TO_UINT (data);

  g_test_message ("%s", ato_rows[i].why);
  g_assert_cmphex (ra_ccfb_ato (RTS, ato_rows[i].arrival), ==, ato_rows[i].ato);
}

static const struct
{
  RaTime rts;
  guint16 ato;
  RaTime arrival;
  const gchar *why;
} arrival_rows[] = {
  { RTS, 512, RTS - RA_SECOND / 2, "section 3.1: exactly half a second" },
  { RTS, 0, RTS, "at RTS" },
  { RTS, 0x1ffd, RTS - 7997070312, "the longest, less half a ns" },
  { RTS, 0x1ffe, RA_TIME_NONE, "over-range" },
  { RTS, 0x1fff, RA_TIME_NONE, "unavailable" },
  { RTS, 0xffff, RA_TIME_NONE, "no ATO" },
  { RA_SECOND, 0x1ffd, 0, "never before 0" },
};

static void
test_arrival (gconstpointer data)
{
  guint i = GPOINTER_TO_UINT (data);

  g_test_message ("%s", arrival_rows[i].why);
  g_assert_cmpuint (ra_ccfb_arrival (arrival_rows[i].rts, arrival_rows[i].ato),
      ==, arrival_rows[i].arrival);
}

/* Each ATO means its arrival, also when RTS went over the wire. */
static void
test_ato_law (void)
{
  RaTime now = 2208988800 * RA_SECOND + 123456789;
  RaTime rts = ra_stamp_ntp_time (ra_stamp_ntp (now), now + RA_SECOND);

  for (guint16 ato = 0; ato <= RA_CCFB_ATO_MAX; ato++) {
    g_assert_cmpuint (ra_ccfb_ato (now, ra_ccfb_arrival (now, ato)), ==, ato);
    g_assert_cmpuint (ra_diff (now, rts), <=, 15258);
    g_assert_cmpint (
        ABS (ra_diff (ra_ccfb_arrival (rts, ato), ra_ccfb_arrival (now, ato))),
        <=, 15259);
  }
}

void
tests_add (void)
{
  g_test_add_func ("/ccfb/golden", test_golden);
  g_test_add_func ("/ccfb/no-room", test_no_room);
  rows_add ("/ccfb/metric", metric_rows, test_metric);
  rows_add ("/ccfb/read", read_rows, test_read);
  rows_add ("/ccfb/limit", limit_rows, test_limit);
  g_test_add_func ("/ccfb/longest", test_longest);
  rows_add ("/ccfb/ato", ato_rows, test_ato);
  rows_add ("/ccfb/arrival", arrival_rows, test_arrival);
  g_test_add_func ("/ccfb/ato-law", test_ato_law);
}
