/* Transport-wide numbers as one count, and back, in virtual time.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "../../plugins/rtpadapt/wire/rtpnumber.h"
#include "../../plugins/rtpadapt/wire/twccback.h"
#include "../../plugins/rtpadapt/wire/twccseq.h"
#include "../rows.h"

#include <gst/rtpadapt/util/bytes.h>
#include <string.h>

#define T0 (1000 * RA_SECOND)

/* --- stories ------------------------------------------------------------ */

/* A story is words: "TIME SSRC NUMBER COUNT", in ms; an SSRC in capitals is
 * proven; COUNT is what rtpsession sees, "-": nothing. */
static const struct
{
  const gchar *story, *why;
} rows[] = {
  { "0 A 7 7, 1 A 8 8, 2 A 10 10, 3 A 9 9", "what does not jump stays" },
  { "0 A 65534 65534, 1 A 65535 65535, 2 A 0 0, 3 A 1 1", "the wrap" },
  { "0 A 7 7, 1 A 21 21", "14 ahead: the losses are in the report" },
  { "0 A 7 7, 1 A 22 8, 2 A 23 9", "15 ahead: the count goes on" },
  { "0 A 7 7, 1 A 107 8, 2 A 108 9", "100 ahead: a seam at once" },
  { "0 A 7 7, 1 A 108 -, 2 A 8 8, 3 A 9 9", "101 ahead: one is not believed" },
  { "0 A 7 7, 1 A 108 -, 2 A 109 8, 3 A 110 9", "two are" },
  { "0 A 7 7, 1 A 108 -, 2 A 108 -, 3 A 109 8", "one of them twice is one" },
  { "0 A 7 7, 1 A 40007 -, 2 A 40008 8, 3 A 40009 9",
      "an outage of 40,000 packets" },
  { "0 A 5000 5000, 1 B 0 -, 2 B 1 -, 3 A 5001 5001, 4 B 2 -",
      "a new SSRC does not move a count that goes on" },
  { "0 A 5000 5000, 251 b 0 -, 252 B 1 5001, 253 B 2 5002",
      "the sender was started again: the third packet at the latest" },
  { "0 A 50 50, 251 b 0 -, 252 B 1 51, 253 B 2 52", "after few packets, too" },
  { "0 A 5000 5000, 251 b 0 -, 252 b 1 -, 253 b 2 -",
      "one that never proves itself moves nothing" },
  { "0 A 5000 5000, 251 b 0 -, 252 C 1 -", "who confirms is the same SSRC" },
  { "0 A 5000 5000, 1 b 5003 5003, 2 b 5007 -, 3 A 5004 5004",
      "not proven: three ahead and no more" },
  { "0 b 300 300, 1 A 7 -, 2 A 8 301, 3 A 9 302",
      "noise before the stream: it does not wait for silence" },
  { "0 A 50 50, 1 A 100 51, 2 A 51 -, 3 A 52 -, 4 A 53 -, 5 A 54 -, "
    "6 A 55 -, 7 A 56 -, 8 A 57 -, 9 A 58 52, 10 A 59 53",
      "one forged number a little ahead: eight behind it are right" },
  { "0 A 50 50, 1 A 60 60, 2 A 51 51, 3 A 52 52, 4 A 61 61, 5 A 53 53",
      "two paths: behind, but others are ahead" },
  { "0 A 1 1, 1 A 1000 -, 2 A 1001 2, 3 A 3000 -, 4 A 3001 3, 5 A 5000 -, "
    "6 A 5001 4, 7 A 7000 -, 8 A 7001 5, 9 A 9000 -, 10 A 9001 -, "
    "300 A 9002 6",
      "four jumps at once, and then four a second" },
};

static void
test_story (gconstpointer data)
{
  guint row = GPOINTER_TO_UINT (data);
  g_auto (GStrv) steps = g_strsplit (rows[row].story, ", ", -1);
  TwccSeq *t = twcc_seq_new ();

  for (guint i = 0; steps[i]; i++) {
    g_auto (GStrv) w = g_strsplit (steps[i], " ", -1);
    gint want = g_str_equal (w[3], "-") ? -1 : atoi (w[3]);
    gint got = twcc_seq_in (t, (guint32) g_ascii_toupper (w[1][0]),
        g_ascii_isupper (w[1][0]), (guint16) atoi (w[2]),
        T0 + (RaTime) (atoi (w[0]) * RA_MSECOND));

    if (got != want)
      g_error ("%s: '%s' gave %d", rows[row].why, steps[i], got);
  }
  twcc_seq_free (t);
}

/* --- the way back ------------------------------------------------------- */

/* A report on `count` packets from `base` on: draft-holmer-rmcat-...-01 3.1. */
static gsize
report (guint8 *p, guint16 base, guint16 count, guint32 reference,
    const guint8 *rest, gsize n)
{
  memset (p, 0, TWCC_BACK_HEAD);
  p[0] = 0x8f;
  p[1] = 205;
  p[7] = 1;  /* sender's SSRC */
  p[11] = 2; /* media's */
  ra_put_u16 (p + 12, base);
  ra_put_u16 (p + 14, count);
  ra_put_u24 (p + 16, reference);
  p[19] = 77;
  memcpy (p + TWCC_BACK_HEAD, rest, n);
  while (n % 4 != 0)
    p[TWCC_BACK_HEAD + n++] = 0;
  ra_put_u16 (p + 2, (guint32) ((TWCC_BACK_HEAD + n) / 4 - 1));
  return TWCC_BACK_HEAD + n;
}

/* Counts 100, 101, then a seam: numbers 900, 901, 902 are 102, 103, 104. */
static TwccSeq *
seamed (gboolean restarted)
{
  TwccSeq *t = twcc_seq_new ();
  guint16 first = restarted ? 60000 : 900;

  twcc_seq_in (t, 1, TRUE, 100, T0);
  twcc_seq_in (t, 1, TRUE, 101, T0);
  g_assert_cmpint (twcc_seq_in (t, 1, TRUE, (guint16) (first - 1), T0), ==, -1);
  g_assert_cmpint (twcc_seq_in (t, 1, TRUE, first, T0), ==, 102);
  g_assert_cmpint (
      twcc_seq_in (t, 1, TRUE, (guint16) (first + 1), T0), ==, 103);
  g_assert_cmpint (
      twcc_seq_in (t, 1, TRUE, (guint16) (first + 2), T0), ==, 104);
  return t;
}

/* Five packets 10 ms apart, which are 40 units of 250 us; the first one 50 ms
 * after the reference time 1000 * 64 ms: run of 5 small deltas. */
static const guint8 five[] = { 0x20, 5, 200, 40, 40, 40, 40 };

static void
test_cut (void)
{
  TwccSeq *t = seamed (FALSE);
  guint8 in[64], out[2048];
  gsize size = report (in, 100, 5, 1000, five, sizeof five);
  TwccSeqStats stats;

  g_assert_cmpuint (twcc_seq_room (size), <=, sizeof out);
  size = twcc_seq_out (t, in, size, out);
  g_assert_cmpuint (size, ==, 24 + 28);
  /* The two before: 200 and 40 as they were.  Reports are counted from 0. */
  g_assert_cmpmem (out + 2, 2, "\0\5", 2);
  g_assert_cmpmem (out + 4, 8, "\0\0\0\1\0\0\0\1", 8); /* SSRCs */
  g_assert_cmpuint (ra_get_u16 (out + 12), ==, 100);
  g_assert_cmpuint (ra_get_u16 (out + 14), ==, 2);
  g_assert_cmpmem (out + 16, 8, "\0\3\xe8\0\x20\2\xc8\x28", 8);
  /* The three behind: 200 + 40 + 40 = 280 units is one of 64 ms and 24. */
  g_assert_cmpuint (ra_get_u16 (out + 24 + 12), ==, 900);
  g_assert_cmpuint (ra_get_u16 (out + 24 + 14), ==, 3);
  g_assert_cmpmem (out + 24 + 16, 12, "\0\3\xe9\1\x20\3\x18\x28\x28\0\0\0", 12);
  twcc_seq_get_stats (t, &stats);
  g_assert_cmpuint (stats.cut, ==, 1);
  g_assert_cmpuint (stats.stale, ==, 0);
  twcc_seq_free (t);
}

/* Nothing is reported about a sender that is gone. */
static void
test_restart (void)
{
  TwccSeq *t = seamed (TRUE);
  guint8 in[64], out[2048];
  gsize size = report (in, 100, 5, 1000, five, sizeof five);
  TwccSeqStats stats;

  size = twcc_seq_out (t, in, size, out);
  g_assert_cmpuint (size, ==, 28);
  g_assert_cmpuint (ra_get_u16 (out + 12), ==, 60000);
  g_assert_cmpuint (ra_get_u16 (out + 14), ==, 3);
  size = report (in, 100, 2, 1000, (guint8[]){ 0x20, 2, 1, 1 }, 4);
  g_assert_cmpuint (twcc_seq_out (t, in, size, out), ==, 0);
  twcc_seq_get_stats (t, &stats);
  g_assert_cmpuint (stats.stale, ==, 1);
  twcc_seq_free (t);
}

/* Losses at the seam's ends are no part of either report; a large delta is
 * signed.  Counts 100, 101 lost, 102 lost, 103 at -10 units, 104: two-bit
 * vector 1 0 0 2 1, deltas 5, -10, 7. */
static void
test_lost (void)
{
  TwccSeq *t = seamed (FALSE);
  const guint8 rest[] = { 0xd0, 0x90, 5, 0xff, 0xf6, 7 };
  guint8 in[64], out[2048];
  gsize size = report (in, 100, 5, 1000, rest, sizeof rest);

  size = twcc_seq_out (t, in, size, out);
  g_assert_cmpuint (size, ==, 24 + 24);
  g_assert_cmpuint (ra_get_u16 (out + 12), ==, 100);
  g_assert_cmpuint (ra_get_u16 (out + 14), ==, 1);
  g_assert_cmpmem (out + 16, 7, "\0\3\xe8\0\x20\1\5", 7);
  /* 5 - 10 = -5: 64 ms earlier, and 251 units. */
  g_assert_cmpuint (ra_get_u16 (out + 24 + 12), ==, 901);
  g_assert_cmpuint (ra_get_u16 (out + 24 + 14), ==, 2);
  g_assert_cmpmem (out + 24 + 16, 8, "\0\3\xe7\1\x20\2\xfb\7", 8);
  twcc_seq_free (t);
}

/* Other packets of a compound stay.  Numbers that were never counted are not
 * reported. */
static void
test_compound (void)
{
  TwccSeq *t = seamed (FALSE);
  guint8 in[128] = { 0x80, 201, 0, 1, 0, 0, 0, 1 }, out[4096];
  gsize size = 8 + report (in + 8, 103, 1, 1000, (guint8[]){ 0x20, 1, 9 }, 3);

  g_assert_cmpuint (twcc_seq_out (t, in, size, out), ==, size);
  g_assert_cmpmem (out, 8, in, 8);
  g_assert_cmpuint (ra_get_u16 (out + 8 + 12), ==, 901);
  size = 8 + report (in + 8, 105, 1, 1000, (guint8[]){ 0x20, 1, 9 }, 3);
  g_assert_cmpuint (twcc_seq_out (t, in, size, out), ==, 8);
  twcc_seq_free (t);
}

/* Reports cut at every place say the same together as the whole, for random
 * ones of all kinds of chunks: statuses and times, packet by packet. */
static guint
statuses (const guint8 *p, gint64 *times)
{
  guint count = twcc_back_count (p), n = 0;
  gint64 now = (gint64) ra_get_u24 (p + 16) * 256;
  const guint8 *at = p + TWCC_BACK_HEAD;
  guint8 status[64];

  while (n < count) {
    guint chunk = ra_get_u16 (at);

    at += 2;
    if (chunk >> 15 == 0)
      for (guint i = chunk & 0x1fff; i > 0 && n < count; i--)
        status[n++] = chunk >> 13 & 3;
    else
      for (guint i = 0; i < 14u >> (chunk >> 14 & 1) && n < count; i++)
        status[n++] = (guint8) (chunk >> 14 & 1 ? chunk >> (12 - 2 * i) & 3
                                                : chunk >> (13 - i) & 1);
  }
  for (guint i = 0; i < count; i++) {
    now += status[i] == 1 ? at[0]
        : status[i] == 2  ? (gint16) ra_get_u16 (at)
                          : 0;
    at += status[i];
    times[i] = status[i] ? now : G_MININT64;
  }
  return count;
}

static void
test_parts (void)
{
  g_autoptr (GRand) dice = g_rand_new_with_seed (7);

  for (guint round = 0; round < 2000; round++) {
    guint8 rest[200], in[300], out[1000];
    guint count = (guint) g_rand_int_range (dice, 1, 50), n = 0, cut, got = 0;
    gint64 whole[64], part[64];
    gsize at = 0, size;

    while (n < count) { /* one-bit vectors, two-bit vectors and runs */
      guint kind = (guint) g_rand_int_range (dice, 0, 3);
      guint chunk = kind == 0 ? 0x8000u | (g_rand_int (dice) & 0x3fff)
          : kind == 1         ? 0xc000u | (g_rand_int (dice) & 0x1555)
                              : (guint) g_rand_int_range (dice, 0, 3) << 13 | 9;

      ra_put_u16 (rest + at, chunk);
      at += 2;
      n += kind == 0 ? 14 : kind == 1 ? 7 : 9;
    }
    for (guint i = 0; i < 100; i++)
      rest[at++] = (guint8) g_rand_int (dice);
    size = report (in, 0, (guint16) count, 5000, rest, at);
    statuses (in, whole);
    cut = (guint) g_rand_int_range (dice, 0, (gint) count + 1);
    for (guint half = 0; half < 2; half++) {
      guint from = half ? cut : 0, len = half ? count - cut : cut, first;

      g_assert_cmpuint (twcc_back_room (size), <=, sizeof out);
      if (twcc_back_part (in, size, from, len, (guint16) from, out) == 0)
        continue;
      first = twcc_back_base (out);
      len = statuses (out, part);
      for (guint i = 0; i < len; i++) {
        g_assert_cmpint (part[i], ==, whole[first + i]);
        got += part[i] != G_MININT64;
      }
    }
    for (guint i = 0; i < count; i++)
      got -= whole[i] != G_MININT64;
    g_assert_cmpuint (got, ==, 0);
  }
}

/* --- the extension ------------------------------------------------------ */

/* The bytes behind a header of 12; `at`: where the number is, 0: nowhere. */
static const struct
{
  guint8 first;
  const gchar *hex;
  guint id, at;
  const gchar *why;
} packets[] = {
  { 0x90,
      "bede0001"
      "11abcd00",
      1, 17, "the first element" },
  { 0x90,
      "bede0002"
      "2077001000cd"
      "0000",
      1, 0, "one byte is no number" },
  { 0x90,
      "bede0002"
      "20770011abcd"
      "0000",
      1, 20, "behind another, padding" },
  { 0x90,
      "bede0002"
      "31aabbf0"
      "11abcd00",
      1, 0, "nothing is behind id 15" },
  { 0x90,
      "10000002"
      "0501770102ab"
      "cd00",
      1, 21, "the two-byte form" },
  { 0x90,
      "10070001"
      "0102abcd",
      1, 18, "with appbits" },
  { 0x90,
      "abcd0001"
      "11abcd00",
      1, 0, "not RFC 8285" },
  { 0x90,
      "bede0001"
      "0000001f",
      1, 0, "it does not end" },
  { 0x80,
      "bede0001"
      "11abcd00",
      1, 0, "no extension" },
  { 0x91,
      "00000001"
      "bede0001"
      "11abcd00",
      1, 21, "behind a CSRC" },
  { 0x90,
      "bede0001"
      "11abcd00",
      2, 0, "another id" },
  { 0x90,
      "bede0001"
      "11abcd00",
      0, 0, "no id" },
};

static void
test_number (gconstpointer data)
{
  guint row = GPOINTER_TO_UINT (data);
  const gchar *hex = packets[row].hex;
  guint8 p[64] = { packets[row].first };
  gsize size = 12 + strlen (hex) / 2;
  guint8 *number;

  for (gsize i = 0; i < strlen (hex) / 2; i++)
    p[12 + i] = (guint8) (g_ascii_xdigit_value (hex[2 * i]) << 4
        | g_ascii_xdigit_value (hex[2 * i + 1]));
  number = rtp_number_find (p, size, packets[row].id);
  g_assert_cmpint (number ? number - p : 0, ==, packets[row].at);
  if (!number)
    return;
  g_assert_cmpuint (ra_get_u16 (number), ==, 0xabcd);
  rtp_number_strip (p, size, packets[row].id);
  g_assert_null (rtp_number_find (p, size, packets[row].id));
  g_assert_cmpuint (ra_get_u16 (number), ==, 0);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  rows_add_by ("/twccseq", rows, why, test_story);
  rows_add_by ("/twccseq/number", packets, why, test_number);
  g_test_add_func ("/twccseq/cut", test_cut);
  g_test_add_func ("/twccseq/restart", test_restart);
  g_test_add_func ("/twccseq/lost", test_lost);
  g_test_add_func ("/twccseq/compound", test_compound);
  g_test_add_func ("/twccseq/parts", test_parts);
  return g_test_run ();
}
