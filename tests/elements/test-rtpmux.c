/* RTP, RTCP and neither, told apart by their bytes.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "../../plugins/rtpadapt/wire/rtpmux.h"
#include "../rows.h"

/* RFC 3550 5.1 and 6.4, RFC 4585 6.1, RFC 5761 4, written by hand; SSRC of the
 * RTP and of who sends the RTCP is 0x01020304, that of ours 0x0a0b0c0d. */
#define RTP_12 "80 60 0007 00000000 01020304"
#define RR_1 \
  "81 c9 0007 01020304 0a0b0c0d 00000000 00000000 00000000 00000000 00000000"
#define RR_0 "80 c9 0001 01020304"
#define BYE "81 cb 0001 01020304"

static const struct
{
  const gchar *hex;
  gchar kind; /* r RTP, c RTCP, s RTCP that asks for an SR, - neither */
  gboolean bye, ours;
  const gchar *why;
} packets[] = {
  { RTP_12, 'r', 0, 0, "RTP without payload" },
  { "80 e0 0007 00000000 01020304 ff", 'r', 0, 0, "marker and type 96" },
  { "80 60 0007 00000000 010203", '-', 0, 0, "11 bytes" },
  { "", '-', 0, 0, "empty" },
  { "80", '-', 0, 0, "one byte" },
  { "40 60 0007 00000000 01020304", '-', 0, 0, "version 1" },
  { "16 fe fd 00 00 00 00 00 00 00 00 00 00", '-', 0, 0, "DTLS (RFC 7983 7)" },
  { "00 01 00 00 21 12 a4 42 00 00 00 00", '-', 0, 0, "STUN (RFC 7983 7)" },
  { "81 60 0007 00000000 01020304", '-', 0, 0, "a CSRC that is not there" },
  { "81 60 0007 00000000 01020304 00000009", 'r', 0, 0, "one CSRC" },
  { "90 60 0007 00000000 01020304 bede 0001", '-', 0, 0,
      "an extension beyond the end" },
  { "90 60 0007 00000000 01020304 bede 0001 10aa0000", 'r', 0, 0,
      "an extension" },
  { "90 60 0007 00000000 01020304 be", '-', 0, 0, "half an extension header" },
  { "a0 60 0007 00000000 01020304 00", '-', 0, 0, "padding of 0 bytes" },
  { "a0 60 0007 00000000 01020304 ffff02", 'r', 0, 0, "padding of 2" },
  { "a0 60 0007 00000000 01020304 ff02", 'r', 0, 0, "all of it padding" },
  { "a0 60 0007 00000000 01020304 ff03", '-', 0, 0, "padding into the header" },
  { "80 bf 0007 00000000 01020304", 'r', 0, 0, "191: marker and type 63" },
  { "80 c0 0002 00000000 01020304", 'c', 0, 0, "192 is RTCP (RFC 5761 4)" },
  { "80 df 0002 00000000 01020304", 'c', 0, 0, "223 is RTCP (RFC 5761 4)" },
  { "80 e0 0002 00000000 01020304", 'r', 0, 0, "224: marker and type 96" },
  { RR_0, 'c', 0, 0, "an empty RR" },
  { RR_1, 'c', 0, 1, "an RR about ours" },
  { "81 c9 0007 01020304 0a0b0c0e 00000000 00000000 00000000 00000000 00000000",
      'c', 0, 0, "an RR about another" },
  { "81 c8 000c 01020304 00000000 00000000 00000000 00000000 00000000 "
    "0a0b0c0d 00000000 00000000 00000000 00000000 00000000",
      'c', 0, 1, "an SR with a block about ours" },
  { "80 c8 0006 01020304 0a0b0c0d 0a0b0c0d 0a0b0c0d 0a0b0c0d 0a0b0c0d", 'c', 0,
      0, "an SR's own numbers are not blocks" },
  { "9f c9 0001 01020304", 'c', 0, 0, "31 blocks that are not there" },
  { RR_0 BYE, 'c', 1, 0, "RR and BYE" },
  { RR_0 "81 cb 0001 01020305", 'c', 0, 0, "BYE of another" },
  { RR_0 "82 cb 0002 01020305 01020304", 'c', 1, 0, "BYE of both" },
  { RR_0 "9f cb 0001 01020305", 'c', 0, 0, "31 SSRCs that are not there" },
  { "81 cd 0002 01020304 0a0b0c0d", 'c', 0, 1, "feedback, reduced size" },
  { "8f cd 0006 01020304 0a0b0c0d 0000 0004 00000100 2004 00000000 0000", 'c',
      0, 1, "transport-wide: a run of 4 small deltas" },
  { "8f cd 0006 01020304 0a0b0c0d 0000 0004 00000100 c555 0000 0000 0000", 'c',
      0, 1, "a vector of no delta, three of one byte, and what is over" },
  { "8f cd 0002 01020304 0a0b0c0d", '-', 0, 0, "transport-wide, and nothing" },
  { "8f cd 0004 01020304 0a0b0c0d 0000 0004 00000100", '-', 0, 0, "no chunk" },
  { "8f cd 0005 01020304 0a0b0c0d 0000 0005 00000100 2004 0000", '-', 0, 0,
      "a chunk of 4 for 5" },
  { "8f cd 0005 01020304 0a0b0c0d 0000 0003 00000100 2003 0000", '-', 0, 0,
      "3 deltas in 2 bytes" },
  { "8f cd 0005 01020304 0a0b0c0d 0000 0002 00000100 4002 0000", '-', 0, 0,
      "2 large deltas in 2 bytes" },
  { "8f cd 0005 01020304 0a0b0c0d 0000 0001 00000100 6001 0000", '-', 0, 0,
      "a reserved status" },
  { "8f cd 0005 01020304 0a0b0c0d 0000 0001 00000100 f000 0000", '-', 0, 0,
      "a reserved status in a vector" },
  { "8f cd 0005 01020304 0a0b0c0d 0000 0001 00000100 0000 0000", '-', 0, 0,
      "a run of none" },
  { "81 ce 0002 01020304 0a0b0c0d", 'c', 0, 1, "PLI about ours" },
  { "84 ce 0004 01020304 00000000 0a0b0c0d 01000000", 'c', 0, 1,
      "FIR names its target behind (RFC 5104 4.3.1)" },
  { "81 ce 0004 01020304 00000000 0a0b0c0d 01000000", 'c', 0, 0,
      "what looks like FIR's target in a PLI" },
  { "8b cd 0006 01020304 00000001 0005 0000 0a0b0c0d 0005 0000 00000000", 'c',
      0, 1, "CCFB's second block (RFC 8888 3.1)" },
  { "8b cd 0006 01020304 0a0b0c0d 0005 0000 00000001 0005 0000 00000000", 'c',
      0, 1, "CCFB's first block" },
  { RR_0 "85 cd 0002 01020304 0a0b0c0d", 's', 0, 1,
      "a request for an SR (RFC 6051 3.2)" },
  { "85 cd 0002 01020304 0a0b0c0e", 's', 0, 0, "alone, and about another" },
  { "85 cd 0002 01020304 0a0b0c0d" BYE, 's', 1, 1, "before others" },
  { "85 ce 0002 01020304 0a0b0c0d", 'c', 0, 1, "5 of PSFB" },
  { "84 cd 0002 01020304 0a0b0c0d", 'c', 0, 1, "4 of RTPFB" },
  { "80 c9 0002 01020304", '-', 0, 0, "longer than the packet" },
  { RR_0 "80", '-', 0, 0, "a byte too many" },
  { "80 c9 0000 80 c9 0001 01020304", 'c', 0, 0, "a first packet of 4 bytes" },
  { "80 c9 0000", '-', 0, 0, "no SSRC" },
  { RR_0 "40 ca 0001 01020304", '-', 0, 0, "version 1 inside" },
  { "a0 c9 0001 01020304 81 cb 0001 01020304", '-', 0, 0,
      "padding before the end (RFC 3550 6.4.1)" },
};

static GByteArray *
bytes_of (const gchar *hex)
{
  GByteArray *bytes = g_byte_array_new ();

  for (const gchar *c = hex; *c;) {
    guint8 byte;

    if (*c == ' ') {
      c++;
      continue;
    }
    byte = (guint8) (g_ascii_xdigit_value (c[0]) << 4
        | g_ascii_xdigit_value (c[1]));
    g_byte_array_append (bytes, &byte, 1);
    c += 2;
  }
  return bytes;
}

static void
test_packet (gconstpointer data)
{
  guint r = GPOINTER_TO_UINT (data);
  GByteArray *bytes = bytes_of (packets[r].hex);
  /* Without a byte behind it, for the sanitizer. */
  g_autofree guint8 *copy = g_memdup2 (bytes->data, bytes->len);
  RtpMuxHead head = { 0 };
  RtpMuxKind kind;
  RtcpScan scan = { 0 };

  g_test_message ("%s", packets[r].why);
  kind = rtp_mux_kind (copy, bytes->len, &head);
  if (kind == RTP_MUX_RTP)
    g_assert_cmphex (head.ssrc, ==, 0x01020304);
  if (kind == RTP_MUX_RTCP)
    rtcp_scan (copy, bytes->len, &scan);
  g_assert_cmpint (scan.sr_request ? 's' : "-rc"[kind], ==, packets[r].kind);
  if (kind == RTP_MUX_RTCP) {
    g_assert_cmpint (scan.bye, ==, packets[r].bye);
    g_assert_cmpint (
        rtcp_is_about (copy, bytes->len, 0x0a0b0c0d), ==, packets[r].ours);
  }
  g_byte_array_free (bytes, TRUE);
}

/* RFC 3550 6.4.1, 6.4.2; RFC 4585 6.1: a report without a block, and without
 * feedback beside it. */
static const struct
{
  const gchar *hex;
  gboolean empty;
  const gchar *why;
} empties[] = {
  { RR_0, TRUE, "an RR without blocks" },
  { RR_0 BYE, TRUE, "and a BYE" },
  { RR_1, FALSE, "an RR with a block" },
  { "80 c8 0006 01020304 0a0b0c0d 0a0b0c0d 0a0b0c0d 0a0b0c0d 0a0b0c0d", TRUE,
      "an SR without blocks" },
  { "9f c9 0001 01020304", FALSE, "31 blocks that are not there" },
  { RR_0 "81 cd 0002 01020304 0a0b0c0d", FALSE, "feedback behind an RR" },
  { RR_0 "81 ce 0002 01020304 0a0b0c0d", FALSE, "a PLI behind an RR" },
};

static void
test_empty (void)
{
  for (guint r = 0; r < G_N_ELEMENTS (empties); r++) {
    GByteArray *bytes = bytes_of (empties[r].hex);
    RtcpScan scan;

    g_test_message ("%s", empties[r].why);
    rtcp_scan (bytes->data, bytes->len, &scan);
    g_assert_cmpint (scan.empty, ==, empties[r].empty);
    g_byte_array_free (bytes, TRUE);
  }
}

/* RFC 3550 6.4 to 6.6: who speaks, and whom rtpsession would keep a source of;
 * two are asked about, 0a0b0c0d and 0a0b0c0e. */
static void
test_is_of (void)
{
  static const guint32 ssrcs[] = { 0x0a0b0c0d, 0x0a0b0c0e };
  static const struct
  {
    const gchar *hex;
    gboolean of;
    const gchar *why;
  } rows[] = {
    { "80 c9 0001 0a0b0c0d", TRUE, "RR" },
    { "80 c9 0001 0a0b0c0e", TRUE, "RR of the other" },
    { "80 c9 0001 0a0b0c0f", FALSE, "RR of neither" },
    { "80 c9 0001 01020304 80 c9 0001 0a0b0c0d", TRUE, "the second RR" },
    { "80 c9 0001 01020304 81 ca 0002 0a0b0c0d 00000000", TRUE, "SDES" },
    { "80 c9 0001 01020304 82 ca 0005 01020304 01016100 0a0b0c0e 01016100"
      "00000000",
        TRUE, "the second chunk" },
    { "80 c9 0001 01020304 81 cb 0001 0a0b0c0d", FALSE,
        "BYE, which rtpsession takes of none of its own" },
    { "81 cd 0002 01020304 0a0b0c0d", FALSE, "feedback about it" },
    { "81 cd 0002 0a0b0c0d 01020304", TRUE, "feedback of it" },
  };

  for (guint r = 0; r < G_N_ELEMENTS (rows); r++) {
    GByteArray *bytes = bytes_of (rows[r].hex);

    g_test_message ("%s", rows[r].why);
    g_assert_cmpint (
        rtp_mux_kind (bytes->data, bytes->len, NULL), ==, RTP_MUX_RTCP);
    g_assert_cmpint (
        rtcp_is_of (bytes->data, bytes->len, ssrcs, 2), ==, rows[r].of);
    g_assert_false (rtcp_is_of (bytes->data, bytes->len, ssrcs, 0));
    g_byte_array_free (bytes, TRUE);
  }
}

static void
test_head (void)
{
  GByteArray *bytes = bytes_of ("80 e1 1234 00000000 deadbeef");
  RtpMuxHead head;

  g_assert_cmpint (
      rtp_mux_kind (bytes->data, bytes->len, &head), ==, RTP_MUX_RTP);
  g_assert_cmpuint (head.pt, ==, 97);
  g_assert_cmphex (head.seq, ==, 0x1234);
  g_assert_cmphex (head.ssrc, ==, 0xdeadbeef);
  g_assert_cmpint (
      rtp_mux_kind (bytes->data, bytes->len, NULL), ==, RTP_MUX_RTP);
  g_byte_array_free (bytes, TRUE);
}

/* Any bytes, cut anywhere: the sanitizer looks on. */
static void
test_any_bytes (void)
{
  g_autoptr (GRand) dice = g_rand_new_with_seed (2);
  guint told[3] = { 0 };

  for (guint i = 0; i < 200000; i++) {
    gsize size = (gsize) g_rand_int_range (dice, 0, 64);
    g_autofree guint8 *data = g_malloc (size);
    RtpMuxHead head;
    RtpMuxKind kind;
    RtcpScan scan;

    for (gsize b = 0; b < size; b++)
      data[b] = (guint8) g_rand_int (dice);
    if (size > 3 && i % 2) { /* often RTCP, of a likely length */
      data[0] = 0x80 | (data[0] & 0x1f);
      data[1] = (guint8) (200 + data[1] % 8);
      data[2] = 0;
      data[3] = (guint8) (size / 4 - 1);
    }
    kind = rtp_mux_kind (data, size, &head);
    told[kind]++;
    if (kind == RTP_MUX_RTCP) {
      rtcp_scan (data, size, &scan);
      rtcp_is_about (data, size, 1);
      rtcp_is_of (data, size, &(guint32){ 1 }, 1);
    }
  }
  for (guint i = 0; i < 3; i++)
    g_assert_cmpuint (told[i], >, 1000);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  rows_add ("/mux/packet", packets, test_packet);
  g_test_add_func ("/mux/empty", test_empty);
  g_test_add_func ("/mux/is-of", test_is_of);
  g_test_add_func ("/mux/head", test_head);
  g_test_add_func ("/mux/any-bytes", test_any_bytes);
  return g_test_run ();
}
