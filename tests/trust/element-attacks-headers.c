/* RTP packets whose headers lie, through rtpadaptrecv: row 7 of the threat table,
 * and what of row 9 RTP has.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "trust.h"
#include "../rows.h"

#include <gst/check/gstharness.h>
#include <gst/rtp/rtp.h>
#include <string.h>

#define CAPS                                                           \
  "application/x-rtp,media=video,clock-rate=90000,encoding-name=H264," \
  "payload=96,extmap-1=http://www.ietf.org/id/"                        \
  "draft-holmer-rmcat-transport-wide-cc-extensions-01,"                \
  "extmap-2=urn:ietf:params:rtp-hdrext:rtt-sendts,"                    \
  "extmap-3=urn:x-rtpadapt:rtp-hdrext:colour"

/* A packet in hex, behind version 2, payload type 96 and a number that goes up,
 * timestamp and SSRC.  `first` is its first byte: 80 nothing, 90 an extension, a0
 * padding, 8f 15 contributing sources. */
static const struct
{
  const gchar *name;
  guint first;
  const gchar *rest;
  gboolean rtp;     /* valid, RFC 3550 A.1 */
  gboolean send_ts; /* rtt-sendts is believed */
  const gchar *why;
} rows[] = {
  { "right", 0x90, "bede0002 26 0186a0 05f5e100 5555", TRUE, TRUE,
      "draft-ietf-avt-tfrc-profile-10, 5" },
  { "none", 0x80, "5555", TRUE, FALSE, "no extension on this one" },
  { "empty", 0x90, "bede0000 5555", TRUE, FALSE, "an extension of no words" },
  { "past-end-of-ext", 0x90, "bede0002 2f 0186a0 05f5e100 5555", TRUE, FALSE,
      "16 bytes of 7" },
  { "past-end-of-packet", 0x90, "bede00ff 26 0186a0 05f5e100", FALSE, FALSE,
      "255 words of 2" },
  { "half-a-header", 0x90, "bede", FALSE, FALSE, "and nothing" },
  { "id-0", 0x90, "bede0002 06 0186a0 05f5e100 5555", TRUE, FALSE,
      "RFC 8285 4.2: padding has no length" },
  { "id-15", 0x90, "bede0003 f0 00 26 0186a0 05f5e100 0000 5555", TRUE, FALSE,
      "RFC 8285 4.2: processing ends" },
  { "id-other", 0x90, "bede0002 46 0186a0 05f5e100 5555", TRUE, FALSE,
      "4 was not agreed upon" },
  { "two-byte", 0x90, "10000003 02 07 0186a0 05f5e100 000000 5555", TRUE, TRUE,
      "RFC 8285 4.3, as good" },
  { "two-byte-in-one", 0x90, "bede0003 02 07 0186a0 05f5e100 000000 5555", TRUE,
      FALSE, "an ID of 0 and a length" },
  { "one-byte-in-two", 0x90, "10000002 26 0186a0 05f5e100 5555", TRUE, FALSE,
      "ID 38 of 1 byte, 134 more" },
  { "two-byte-past-end", 0x90, "10000002 02 ff 0186a0 05f5e1 5555", TRUE, FALSE,
      "255 bytes of 6" },
  { "profile", 0x90, "12340002 26 0186a0 05f5e100 5555", TRUE, FALSE,
      "neither form" },
  { "size-6", 0x90, "bede0002 25 0186a0 05f5e1 00 5555", TRUE, FALSE, "not 7" },
  { "size-8", 0x90, "bede0003 27 0186a0 05f5e100 00 000000 5555", TRUE, FALSE,
      "not 7" },
  { "size-1", 0x90, "bede0001 20 01 0000 5555", TRUE, FALSE, "not 7" },
  { "rtt-0", 0x90, "bede0002 26 000000 05f5e100 5555", TRUE, TRUE,
      "R is not known" },
  { "rtt-most", 0x90, "bede0002 26 ffffff 05f5e100 5555", TRUE, TRUE,
      "16.8 s" },
  { "t-i-most", 0x90, "bede0002 26 0186a0 ffffffff 5555", TRUE, TRUE,
      "any time may be the sender's" },
  { "twice", 0x90, "bede0004 26 0186a0 05f5e100 26 ffffff 00000000 5555", TRUE,
      TRUE, "the first counts" },
  { "number-size-1", 0x90, "bede0001 10 ff 0000 5555", TRUE, FALSE,
      "a transport-wide number of 1 byte" },
  { "colour-size-3", 0x90, "bede0001 32 ffffff 5555", TRUE, FALSE,
      "a colour of 3 bytes" },
  { "all-ones", 0x90, "bede0004 ffffffff ffffffff ffffffff ffffffff 5555", TRUE,
      FALSE, "ID 15" },
  { "padding-most", 0xa0, "5555 ff", FALSE, FALSE, "255 of 3 bytes" },
  { "padding-0", 0xa0, "555500", TRUE, FALSE,
      "RFC 3550 5.1: it counts itself; GStreamer takes it for none" },
  { "csrc-15", 0x8f, "01020304", FALSE, FALSE, "one of 15" },
  { "header-only", 0x80, "", TRUE, FALSE, "no payload" },
};

static GstBuffer *
packet_new (guint first, guint16 seq, const gchar *rest)
{
  guint8 data[256] = { (guint8) first, 96 };
  guint n = 12;

  GST_WRITE_UINT16_BE (data + 2, seq);
  GST_WRITE_UINT32_BE (data + 8, 0x12345678);
  for (const gchar *c = rest; *c;) {
    if (*c == ' ') {
      c++;
      continue;
    }
    data[n++] = (guint8) (g_ascii_xdigit_value (c[0]) << 4
        | g_ascii_xdigit_value (c[1]));
    c += 2;
  }
  return gst_buffer_new_memdup (data, n);
}

/* TRUE if it came out, the same and untouched. */
static gboolean
passes (GstHarness *h, GstBuffer *buffer)
{
  GstBuffer *copy = gst_buffer_copy_deep (buffer), *out;
  GstMapInfo map;
  gboolean same;

  gst_buffer_ref (buffer);
  g_assert_cmpint (gst_harness_push (h, buffer), ==, GST_FLOW_OK);
  out = gst_harness_try_pull (h);
  gst_buffer_map (copy, &map, GST_MAP_READ);
  same = out == buffer && gst_buffer_get_size (out) == map.size
      && gst_buffer_memcmp (out, 0, map.data, map.size) == 0;
  gst_buffer_unmap (copy, &map);
  gst_buffer_unref (copy);
  gst_buffer_unref (buffer);
  gst_clear_buffer (&out);
  return same;
}

static guint64
stat (GstHarness *h, const gchar *field)
{
  g_autoptr (GstStructure) stats = NULL;
  guint64 value;

  g_object_get (h->element, "stats", &stats, NULL);
  g_assert_true (gst_structure_get_uint64 (stats, field, &value));
  return value;
}

static GstHarness *
recv_harness (void)
{
  GstHarness *h = gst_harness_new ("rtpadaptrecv");

  g_object_set (h->element, "stats-interval", G_GUINT64_CONSTANT (0), NULL);
  gst_util_set_object_arg (G_OBJECT (h->element), "feedback", "tfrc");
  gst_harness_set_src_caps_str (h, CAPS);
  return h;
}

static void
test_row (gconstpointer data)
{
  guint row = GPOINTER_TO_UINT (data);
  GstHarness *h = recv_harness ();
  g_autofree gchar *name = g_strdup_printf (
      "7 header extension: %s (%s)", rows[row].name, rows[row].why);
  gboolean out, good;

  out = passes (h, packet_new (rows[row].first, 1, rows[row].rest));
  good = stat (h, "not-rtp") == (rows[row].rtp ? 0 : 1)
      && stat (h, "packets") == (rows[row].rtp ? 1 : 0)
      && stat (h, "no-send-time")
          == (rows[row].rtp && !rows[row].send_ts ? 1 : 0);
  trust_row ("attack", name,
      rows[row].send_ts ? "delivered untouched; the extension is read"
          : rows[row].rtp
          ? "delivered untouched; the extension is ignored and counted"
          : "passed on untouched, no RTP, counted",
      out && good, "%s; not-rtp %u, no-send-time %u",
      out ? "delivered" : "lost", (guint) stat (h, "not-rtp"),
      (guint) stat (h, "no-send-time"));
  gst_harness_teardown (h);
}

/* Right packets with bytes changed at random, all but the version. */
static void
test_random (void)
{
  GstHarness *h = recv_harness ();
  g_autoptr (GRand) dice = g_rand_new_with_seed (7);
  guint lost = 0, n = 50000;

  for (guint i = 0; i < n; i++) {
    GstBuffer *buffer = packet_new (0x90, (guint16) i,
        "bede0005 10 0001 26 0186a0 05f5e100 31 4000 00000000 00 5555555555");
    gsize size = gst_buffer_get_size (buffer);

    for (guint k = 0; k < 1 + i % 4; k++) {
      gsize at = (gsize) g_rand_int_range (dice, 1, (gint) size);
      guint8 byte = (guint8) g_rand_int (dice);

      gst_buffer_fill (buffer, at, &byte, 1);
    }
    if (i % 5 == 0)
      gst_buffer_set_size (buffer, g_rand_int_range (dice, 1, (gint) size + 1));
    lost += !passes (h, buffer);
  }
  trust_row ("attack", "7 header extensions changed at random",
      "each packet is delivered untouched, and counted as what it is",
      lost == 0
          && stat (h, "packets") + stat (h, "not-rtp") + stat (h, "rtcp") == n,
      "%u packets, %u lost", n, lost);
  gst_harness_teardown (h);
}

void
tests_add (void)
{
  rows_add_by ("/attacks-recv-ext", rows, name, test_row);
  g_test_add_func ("/attacks-recv-ext/random", test_random);
}
