/* Which SSRCs a session gets to hear of, and how often, in virtual time.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "../../plugins/rtpadapt/wire/sources.h"

#include "../../plugins/rtpadapt/wire/peer.h"
#include "../../plugins/rtpadapt/wire/rtpmux.h"
#include "../../plugins/rtpadapt/wire/rtpnumber.h"
#include "../rows.h"

#include <gst/rtpadapt/util/bytes.h>
#include <string.h>

#define T0 (1000 * RA_SECOND)

/* An empty RR (RFC 3550 6.4.2). */
static gboolean
hear (Sources *s, guint32 ssrc, RaTime now)
{
  guint8 rr[8] = { 0x80, 201, 0, 1 };

  ra_put_u32 (rr + 4, ssrc);
  return sources_rtcp_may_pass (s, rr, sizeof rr, 0, now);
}

/* 64 at once and no more; those go on; who is silent for PEER_STALE, 10 s,
 * leaves his place, and one place is for one. */
static void
test_places (void)
{
  Sources *s = sources_new ();

  for (guint32 i = 0; i < 1000; i++)
    g_assert_cmpint (hear (s, i, T0), ==, i < SOURCES_MAX);
  g_assert_cmpuint (sources_dropped (s), ==, 1000 - SOURCES_MAX);
  for (guint32 i = 1; i < SOURCES_MAX; i++)
    g_assert_true (hear (s, i, T0 + 5 * RA_SECOND));
  g_assert_false (hear (s, 1000, T0 + PEER_STALE - 1));
  g_assert_true (hear (s, 1000, T0 + PEER_STALE));
  g_assert_false (hear (s, 1001, T0 + PEER_STALE));
  g_assert_false (hear (s, 0, T0 + PEER_STALE));
  sources_free (s);
}

/* 100 at once, then 200 a second; another's are another's. */
static void
test_rate (void)
{
  Sources *s = sources_new ();
  guint n = 0;

  for (guint i = 0; i < 1000; i++)
    n += hear (s, 1, T0);
  g_assert_cmpuint (n, ==, SOURCES_BURST);
  for (guint us = 0; us < 1000000; us += 10) /* 100,000 in a second */
    n += hear (s, 1, T0 + us * RA_USECOND);
  g_assert_cmpuint (n, >=, SOURCES_BURST + SOURCES_RATE - 1);
  g_assert_cmpuint (n, <=, SOURCES_BURST + SOURCES_RATE);
  g_assert_true (hear (s, 2, T0 + RA_SECOND));
  /* Who reports each 8 ms is never in the way of that. */
  for (guint i = 0; i < 10000; i++)
    g_assert_true (hear (s, 3, T0 + i * 8 * RA_MSECOND));
  sources_free (s);
}

/* Transport-wide feedback about `count` packets that end with number `last`. */
static gboolean
hear_twcc (Sources *s, guint16 last, guint16 count, guint64 sent, RaTime now)
{
  guint8 twcc[20] = { 0x8f, 205, 0, 4, 0, 0, 0, 1, 0, 0, 0, 2 };

  ra_put_u16 (twcc + 12, (guint16) (last + 1 - count));
  ra_put_u16 (twcc + 14, count);
  return sources_rtcp_may_pass (s, twcc, sizeof twcc, sent, now);
}

static const struct
{
  guint16 last, count;
  guint64 sent;
  gboolean pass;
  const gchar *why;
} told[] = {
  { 0, 1, 0, FALSE, "nothing was sent: a receiver" },
  { 10, 5, 10, FALSE, "numbers begin with 0: 10 was not sent" },
  { 9, 5, 10, TRUE, "the newest" },
  { 9, 5, 10, FALSE, "again" },
  { 9, 10, 10, FALSE, "of more, but none newer" },
  { 8, 5, 20, FALSE, "overtaken" },
  { 10, 0, 20, FALSE, "of none" },
  { 12, 13, 20, TRUE, "newer, and all before" },
  { 19, 7, 20, TRUE, "the newest" },
  { 25, 65535, 100, FALSE, "takes more than all credit (6,400)" },
  { 60, 41, 100, TRUE, "as before" },
  { 0xffff, 20, 65536, FALSE, "half a turn ahead and more is behind" },
  { 0x7000, 20, 0x7001, TRUE, "far ahead" },
  { 0xe000, 20, 0xe001, TRUE, "further" },
  { 3, 20, 0x10004, TRUE, "around" },
};

static void
test_twcc (void)
{
  Sources *s = sources_new ();
  guint n = 0;

  for (guint i = 0; i < G_N_ELEMENTS (told); i++) {
    g_test_message ("%s", told[i].why);
    g_assert_cmpint (
        hear_twcc (s, told[i].last, told[i].count, told[i].sent, T0), ==,
        told[i].pass);
  }
  /* About 640, each 50 ms: 200 / 20 = 10 units, and it takes 11. */
  for (guint i = 1; i <= 1000; i++)
    n += hear_twcc (s, (guint16) (3 + i), 640, 0x10004 + i,
        T0 + (i + 10) * 50 * RA_MSECOND);
  g_assert_cmpuint (n, >=, 1000 * 10 / 11);
  g_assert_cmpuint (n, <=, 1000 * 10 / 11 + SOURCES_BURST / 11 + 1);
  sources_free (s);
}

/* RFC 4585 6.2.1: 16 entries ask for 17 packets each, so each 50 ms 200 / 20 = 10 units
 * come, and it takes 1 + 272 / 16 = 18. */
static void
test_nacks (void)
{
  Sources *s = sources_new ();
  guint8 nack[12 + 16 * 4] = { 0x81, 205, 0, 18, 0, 0, 0, 1, 0, 0, 0, 2 };
  guint n = 0;

  memset (nack + 12, 0xff, sizeof nack - 12);
  for (guint i = 1; i <= 1000; i++)
    n += sources_rtcp_may_pass (
        s, nack, sizeof nack, 1, T0 + i * 50 * RA_MSECOND);
  g_assert_cmpuint (n, >=, 1000 * 10 / 18);
  g_assert_cmpuint (n, <=, 1000 * 10 / 18 + SOURCES_BURST / 18 + 1);
  sources_free (s);
}

/* More than half a turn of numbers leaves between two reports. */
static void
test_outage (void)
{
  Sources *s = sources_new ();

  g_assert_true (hear_twcc (s, 9, 5, 10, T0));
  g_assert_false (hear_twcc (s, 40000, 20, 40001, T0 + PEER_STALE - 1));
  g_assert_true (hear_twcc (s, 40000, 20, 40001, T0 + PEER_STALE));
  g_assert_false (hear_twcc (s, 39999, 20, 40001, T0 + PEER_STALE));
  sources_free (s);
}

/* Packets with CSRCs, header extension and payload of 0x55; the id is 1. */
static const struct
{
  const gchar *hex;
  gint number; /* -1: none */
  const gchar *why;
} packets[] = {
  { "90600001000000010000000abede00011112340055", 0x1234, "alone" },
  { "80600001000000010000000abede00011112340055", -1, "no bit X" },
  { "90600001000000010000000a100000011112340055", -1,
      "the two-byte form (RFC 8285 4.3), which the session does not number" },
  { "90600001000000010000000abede00012112340055", -1, "another id" },
  { "90600001000000010000000abede000320aa0011567832010203000055", 0x5678,
      "behind another element and padding" },
  { "90600001000000010000000abede0002f000000011123400", -1,
      "behind id 15, which ends it" },
  { "90600001000000010000000abede000110120000", -1, "of one byte" },
  { "90600001000000010000000abede00011f123400", -1, "longer than there is" },
  { "92600001000000010000000a0000000b0000000cbede00011112340055", 0x1234,
      "behind two CSRCs" },
  { "90600001000000010000000abede0001", -1, "cut off" },
  { "90600001000000010000000a", -1, "no room for an extension" },
};

static gsize
bytes_of (const gchar *hex, guint8 *bytes)
{
  gsize n = 0;

  for (; hex[0] && hex[1]; hex += 2)
    bytes[n++] = (guint8) (g_ascii_xdigit_value (hex[0]) << 4
        | g_ascii_xdigit_value (hex[1]));
  return n;
}

static void
test_numbers (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (packets); i++) {
    guint8 bytes[64];
    gsize size = bytes_of (packets[i].hex, bytes);
    guint16 number = 0;
    gboolean has = rtp_number_read (bytes, size, 1, &number);

    g_test_message ("%s", packets[i].why);
    g_assert_cmpint (has ? number : -1, ==, packets[i].number);
    g_assert_false (rtp_number_read (bytes, size, 0, &number));
  }
}

/* With each packet that has a number, a hundred packets of audio leave that have
 * none.  All honest reports about the former pass. */
static void
test_sound_beside (void)
{
  guint8 video[64], sound[64];
  gsize video_size = bytes_of (packets[0].hex, video);
  gsize sound_size
      = bytes_of ("806100010000000100000002555555555555555555555555", sound);
  Sources *s = sources_new ();
  guint sent = 0;

  for (guint i = 0; i < 1000; i++) {
    guint16 number;

    ra_put_u16 (video + 17, (guint16) i);
    g_assert_true (rtp_number_read (video, video_size, 1, &number));
    sent = number + 1u;
    for (guint k = 0; k < 100; k++)
      g_assert_false (rtp_number_read (sound, sound_size, 1, &number));
    g_assert_true (
        hear_twcc (s, (guint16) i, 1, sent, T0 + i * 50 * RA_MSECOND));
  }
  g_assert_cmpuint (sources_dropped (s), ==, 0);
  sources_free (s);
}

/* RFC 3550 6.5: chunks of an SSRC each, with items of any length. */
static const struct
{
  const gchar *hex, *ssrcs, *why;
} compounds[] = {
  { "80c90001 00000001", "1", "an empty RR" },
  { "80c80006 00000002 0000000000000000000000000000000000000000", "2",
      "an SR" },
  { "80c90001 00000001 80c90001 00000002", "1 2", "two RRs (a mixer's)" },
  { "80c90001 00000001 82ca0004 00000003 00000000 00000004 00000000", "1 3 4",
      "two chunks without items" },
  { "80c90001 00000001 82ca0005 00000003 01026162 00000000 00000004 01016100",
      "1 3 4", "CNAMEs \"ab\" and \"a\"" },
  { "80c90001 00000001 82ca0002 00000003 01ff6100", "1 3",
      "an item beyond the end" },
  { "80c90001 00000001 81cb0001 00000005", "1", "BYE makes no source" },
  { "81ce0002 00000006 00000007", "", "nor does a PLI" },
};

static gboolean
note (guint32 ssrc, gpointer text)
{
  g_string_append_printf (
      text, "%s%u", ((GString *) text)->len ? " " : "", ssrc);
  return TRUE;
}

static void
test_named (gconstpointer data)
{
  guint row = GPOINTER_TO_UINT (data);
  g_autoptr (GString) named = g_string_new (NULL);
  guint8 bytes[64];
  gsize n = 0;

  for (const gchar *c = compounds[row].hex; *c; c++) {
    if (*c == ' ')
      continue;
    bytes[n++] = (guint8) (g_ascii_xdigit_value (c[0]) << 4
        | g_ascii_xdigit_value (c[1]));
    c++;
  }
  g_test_message ("%s", compounds[row].why);
  g_assert_cmpint (rtp_mux_kind (bytes, n, NULL), ==, RTP_MUX_RTCP);
  g_assert_true (rtcp_name_sources (bytes, n, note, named));
  g_assert_cmpstr (named->str, ==, compounds[row].ssrcs);
}

/* 15 CSRCs in each packet. */
static void
test_csrcs (void)
{
  Sources *s = sources_new ();
  guint8 rtp[12 + 60] = { 0x8f };
  guint n = 0;

  for (guint32 i = 0; i < 100; i++) {
    for (guint32 k = 0; k < 15; k++)
      ra_put_u32 (rtp + 12 + 4 * k, 100 * i + k);
    n += sources_rtp_may_pass (s, rtp, sizeof rtp, T0);
  }
  g_assert_cmpuint (n, ==, SOURCES_MAX / 15);
  rtp[0] = 0x80;
  g_assert_true (sources_rtp_may_pass (s, rtp, 12, T0));
  sources_free (s);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/sources/places", test_places);
  g_test_add_func ("/sources/rate", test_rate);
  g_test_add_func ("/sources/twcc", test_twcc);
  g_test_add_func ("/sources/nacks", test_nacks);
  g_test_add_func ("/sources/outage", test_outage);
  g_test_add_func ("/sources/csrcs", test_csrcs);
  g_test_add_func ("/sources/numbers", test_numbers);
  g_test_add_func ("/sources/sound-beside", test_sound_beside);
  rows_add ("/sources/named", compounds, test_named);
  return g_test_run ();
}
