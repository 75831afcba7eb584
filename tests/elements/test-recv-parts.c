/* What rtpadaptrecv is made of: extmap.c, recvpackets.c.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "../../plugins/rtpadapt/parts/extmap.h"
#include "../../plugins/rtpadapt/recv/recvpackets.h"
#include "../rows.h"

/* --- caps --------------------------------------------------------------- */

static const struct
{
  const gchar *fields;
  guint id;
  const gchar *why;
} extmap_rows[] = {
  { "extmap-1=u:a", 1, "a string" },
  { "extmap-14=u:a", 14, "the last of the one-byte form" },
  { "extmap-255=u:a", 255, "the last of the two-byte form" },
  { "extmap-256=u:a", 0, "no id" },
  { "extmap-0=u:a", 0, "no id: it is padding" },
  { "extmap-x=u:a", 0, "no number" },
  { "extmap-3x=u:a", 0, "nor this" },
  { "extmap-=u:a", 0, "nor this" },
  { "extmap-5=u:b", 0, "another extension" },
  { "extmap-5=u:b,extmap-6=u:a", 6, "among others" },
  { "extmap-5=(string)<\"\",u:a,\"x y\">", 5, "with attributes" },
  { "extmap-5=(string)<sendonly,u:b,\"u:a\">", 0, "not in the attributes" },
  { "extmap-5=(string)<u:a>", 0, "too short an array" },
  { "extmap-5=(int)3", 0, "no text" },
  { "extmap-5=(int)<1,2,3>", 0, "no texts" },
  { "a-extmap-5=u:a", 0, "another field" },
};

static void
test_extmap (gconstpointer data)
{
  guint row = GPOINTER_TO_UINT (data);
  g_autofree gchar *text
      = g_strconcat ("application/x-rtp,", extmap_rows[row].fields, NULL);
  g_autoptr (GstCaps) caps = gst_caps_from_string (text);
  g_autoptr (GstCaps) fewer = NULL;
  gint n;

  g_test_message ("%s: %s", extmap_rows[row].fields, extmap_rows[row].why);
  g_assert_nonnull (caps);
  n = gst_structure_n_fields (gst_caps_get_structure (caps, 0));
  g_assert_cmpuint (extmap_id (gst_caps_get_structure (caps, 0), "u:a"), ==,
      extmap_rows[row].id);
  fewer = extmap_remove (caps, "u:a");
  g_assert_cmpint (gst_structure_n_fields (gst_caps_get_structure (fewer, 0)),
      ==, n - (extmap_rows[row].id > 0));
  g_assert_cmpuint (
      extmap_id (gst_caps_get_structure (fewer, 0), "u:a"), ==, 0);
  g_assert_cmpint (
      gst_structure_n_fields (gst_caps_get_structure (caps, 0)), ==, n);
}

static void
test_ids (void)
{
  GstStructure *s = gst_structure_from_string (
      "application/x-rtp,extmap-4=" EXTMAP_TWCC_URI
      ",extmap-7=" RA_COLOUR_EXT_URI ",extmap-9=" RA_SEND_TS_URI,
      NULL);
  RecvIds ids = recv_ids_parse (s);

  g_assert_cmpuint (ids.number, ==, 4);
  g_assert_cmpuint (ids.colour, ==, 7);
  g_assert_cmpuint (ids.send_ts, ==, 9);
  gst_structure_free (s);

  /* draft-ietf-avt-tfrc-profile-10 7, as printed */
  s = gst_structure_from_string (
      "application/x-rtp,extmap-9=urn:ietf:params:rtp-hdtext:rtt-sendts", NULL);
  ids = recv_ids_parse (s);
  g_assert_cmpuint (ids.number, ==, 0);
  g_assert_cmpuint (ids.colour, ==, 0);
  g_assert_cmpuint (ids.send_ts, ==, 9);
  gst_structure_free (s);
}

static GstBuffer *
buffer_new (const guint8 *bytes, gsize len)
{
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, len, NULL);

  gst_buffer_fill (buffer, 0, bytes, len);
  return buffer;
}

/* --- packets ------------------------------------------------------------ */

/* V=2 X=1, PT 96, seq 0x1234, timestamp, SSRC 0xdeadbeef */
#define RTP_X 0x90, 0x60, 0x12, 0x34, 0, 0, 0, 0, 0xde, 0xad, 0xbe, 0xef
#define RTP_NO_X 0x80, 0x60, 0x12, 0x34, 0, 0, 0, 0, 0xde, 0xad, 0xbe, 0xef

static const struct
{
  const gchar *why;
  gsize len;
  guint8 bytes[48];
  RecvKind kind;
  gint number; /* id 1 */
  gint t_i;    /* id 2; -1: none */
  gint mark;   /* id 20, -1: none */
} packet_rows[] = {
  { "plain", 13, { RTP_NO_X, 1 }, RECV_RTP, -1, -1, -1 },
  /* RFC 8285 4.2: id 1, 2 bytes; id 2, 7 bytes: R = 100 ms, t_i = 0x0102 */
  { "one-byte form", 28,
      { RTP_X, 0xbe, 0xde, 0, 3, 0x11, 0xab, 0xcd, 0x26, 1, 0x86, 0xa0, 0, 0, 1,
          2, 0 },
      RECV_RTP, 0xabcd, 0x0102, -1 },
  /* RFC 8285 4.3: id 20, 2 bytes: green, number 5; id 1 behind it */
  { "two-byte form", 24, { RTP_X, 0x10, 0, 0, 2, 20, 2, 0x40, 5, 1, 2, 0, 9 },
      RECV_RTP, 9, -1, RA_MARK_GREEN },
  { "another size of each", 28,
      { RTP_X, 0xbe, 0xde, 0, 3, 0x10, 0xab, 0x25, 1, 0x86, 0xa0, 0, 0, 1, 0, 0,
          0 },
      RECV_RTP, -1, -1, -1 },
  { "an extension that claims more than there is", 20,
      { RTP_X, 0xbe, 0xde, 0, 1, 0x1f, 1, 2, 3 }, RECV_RTP, -1, -1, -1 },
  { "a header that claims more than there is", 20,
      { RTP_X, 0xbe, 0xde, 0, 9, 0x11, 1, 2, 3 }, RECV_OTHER, 0, 0, 0 },
  { "RFC 5761 4: RTCP SR is PT 72 with marker", 28, { 0x80, 200, 0, 6 },
      RECV_RTCP, 0, 0, 0 },
  { "RTCP FB is PT 77 with marker", 12, { 0x8f, 205, 0, 2 }, RECV_RTCP, 0, 0,
      0 },
  { "the first of the range", 12, { 0x80, 64 }, RECV_RTCP, 0, 0, 0 },
  { "the last of the range", 12, { 0x80, 223 }, RECV_RTCP, 0, 0, 0 },
  { "behind it", 13, { 0x80, 224 }, RECV_RTP, -1, -1, -1 },
  { "before it", 13, { 0x80, 63 }, RECV_RTP, -1, -1, -1 },
  { "STUN, RFC 7983", 20, { 0, 1, 0, 0 }, RECV_OTHER, 0, 0, 0 },
  { "DTLS, RFC 7983", 20, { 22, 0xfe, 0xff }, RECV_OTHER, 0, 0, 0 },
  { "too short", 11, { RTP_NO_X }, RECV_OTHER, 0, 0, 0 },
  { "one byte", 1, { 0x80 }, RECV_OTHER, 0, 0, 0 },
  { "nothing", 0, { 0 }, RECV_OTHER, 0, 0, 0 },
};

static void
test_packet (gconstpointer data)
{
  guint row = GPOINTER_TO_UINT (data);
  const RecvIds ids = { .number = 1, .send_ts = 2, .colour = 20 };
  g_autoptr (GstBuffer) buffer
      = buffer_new (packet_rows[row].bytes, packet_rows[row].len);
  RecvPacket p;

  g_test_message ("%s", packet_rows[row].why);
  g_assert_cmpint (
      recv_packet_parse (&p, buffer, &ids), ==, packet_rows[row].kind);
  if (packet_rows[row].kind == RECV_RTP) {
    g_assert_cmpuint (p.wire.size, ==, packet_rows[row].len);
    g_assert_cmpint (p.wire.number, ==, packet_rows[row].number);
    g_assert_cmpint (p.wire.send_ts ? (gint) p.wire.send_ts->t_i : -1, ==,
        packet_rows[row].t_i);
    g_assert_cmpint (p.wire.colour ? (gint) p.wire.colour->mark : -1, ==,
        packet_rows[row].mark);
  }
}

static void
test_random (void)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (1);
  guint rtp = 0;

  for (guint i = 0; i < 200000; i++) {
    guint8 bytes[64];
    gsize len = (gsize) g_rand_int_range (rand, 0, sizeof bytes + 1);
    const RecvIds ids = { (guint) g_rand_int_range (rand, 0, 256),
      (guint) g_rand_int_range (rand, 0, 256), 3 };
    g_autoptr (GstBuffer) buffer = NULL;
    RecvPacket p;

    for (guint j = 0; j < sizeof bytes; j++)
      bytes[j] = (guint8) g_rand_int (rand);
    bytes[0] = (bytes[0] & 0x1f) | 0x80;
    if (i & 1)
      memcpy (bytes + 12, "\xbe\xde", 2);
    buffer = buffer_new (bytes, len);
    rtp += recv_packet_parse (&p, buffer, &ids) == RECV_RTP;
  }
  g_assert_cmpuint (rtp, >, 1000);
}

/* --- RTCP --------------------------------------------------------------- */

static GstBuffer *
rtcp_new (GstRTCPBuffer *rtcp, guint mtu)
{
  GstBuffer *buffer = gst_rtcp_buffer_new (mtu);

  g_assert_true (gst_rtcp_buffer_map (buffer, GST_MAP_READWRITE, rtcp));
  return buffer;
}

/* A report as the kind tfrc writes it, with FMT 2. */
static void
add_tfrc (GstRTCPBuffer *rtcp, guint32 ssrc, guint32 media, const RaTfrcFb *fb,
    const RaRadp *radp)
{
  RaReportBytes report = { .media = media };

  report.app_size = ra_radp_write (radp, report.app, sizeof report.app);
  report.fci_size = ra_tfrc_fb_write (fb, report.fci, sizeof report.fci);
  recv_rtcp_add_bytes (rtcp, ssrc, 2, &report);
}

/* As drawn in RFC 3550 6.7, radp.h, RFC 4585 6.1 and the draft's section 6. */
static void
test_add_tfrc (void)
{
  static const guint8 expected[] = {
    0x80, 204, 0, 18,       /* APP, 19 words */
    0xca, 0xfe, 0, 1,       /* ssrc */
    'R', 'A', 'D', 'P',     /* name */
    1, 4, 1, 0x80,          /* version, length of the name, burst 1.5 */
    0, 0, 0, 7,             /* t_i */
    0, 0, 0, 100,           /* expected */
    0, 0, 0, 97,            /* arrived */
    0, 0, 0, 0,             /* lost to congestion */
    0, 0, 0, 3,             /* to the radio */
    0, 0, 0, 2,             /* runs */
    0, 0, 0, 0,             /* events */
    0, 0, 0, 0,             /* t_lost */
    0, 0, 0x27, 0x10,       /* queue, 10 ms */
    0x80, 0, 0, 0,          /* w .5 */
    0, 0, 0, 0,             /* p_c */
    0x40, 0, 0, 0,          /* delayed .25 */
    'n', 'o', 'n', 'e',     /* the LDA */
    0, 0, 0x0f, 0xa0,       /* lowest queue, 4 ms */
    0, 0, 0x2e, 0xe0,       /* highest, 12 ms */
    0x82, 205, 0, 6,        /* RTPFB, FMT 2, 7 words */
    0xca, 0xfe, 0, 1,       /* ssrc */
    0xde, 0xad, 0xbe, 0xef, /* media ssrc */
    0, 0, 0, 7,             /* t_i */
    0, 0, 0x13, 0x88,       /* t_delay 5 ms */
    0, 1, 0xe8, 0x48,       /* 125,000 bytes/s: 1 Mbit/s */
    2, 0x8f, 0x5c, 0x28,    /* .01 * 2^32 */
  };
  RaRadp radp = { .t_i = 7,
    .expected = 100,
    .arrived = 97,
    .lost_wireless = 3,
    .wireless_runs = 2,
    .queue = 10 * RA_MSECOND,
    .queue_min = 4 * RA_MSECOND,
    .queue_max = 12 * RA_MSECOND,
    .w = .5,
    .delayed = .25,
    .burst = 1.5,
    .lda = "none" };
  RaTfrcFb fb
      = { .t_i = 7, .t_delay = 5 * RA_MSECOND, .x_recv = 1000000, .p = .01 };
  GstRTCPBuffer rtcp = GST_RTCP_BUFFER_INIT;
  g_autoptr (GstBuffer) buffer = rtcp_new (&rtcp, 1400);
  GstMapInfo map;

  g_assert_cmpuint (recv_rtcp_room (&rtcp), ==, 1400);
  g_assert_cmpuint (recv_rtcp_ssrc (&rtcp), ==, 0);
  add_tfrc (&rtcp, 0xcafe0001, 0xdeadbeef, &fb, &radp);
  g_assert_cmpuint (recv_rtcp_room (&rtcp), ==, 1400 - sizeof expected);
  g_assert_cmpuint (recv_rtcp_ssrc (&rtcp), ==, 0xcafe0001);
  g_assert_false (recv_rtcp_is_bye (&rtcp));
  gst_rtcp_buffer_unmap (&rtcp);
  g_assert_true (gst_buffer_map (buffer, &map, GST_MAP_READ));
  g_assert_cmpmem (map.data, (gint) map.size, expected, sizeof expected);
  gst_buffer_unmap (buffer, &map);
}

/* The longest report fits into exactly the room that is asked for. */
static void
test_room (void)
{
  RaRadp radp = { .lda = "fifteen-letters" };
  RaTfrcFb fb = { 0 };
  GstRTCPBuffer rtcp = GST_RTCP_BUFFER_INIT;
  g_autoptr (GstBuffer) buffer
      = rtcp_new (&rtcp, (guint) ra_feedback_tfrc.room);

  add_tfrc (&rtcp, 1, 2, &fb, &radp);
  g_assert_cmpuint (recv_rtcp_room (&rtcp), ==, 0);
  gst_rtcp_buffer_unmap (&rtcp);
  g_assert_cmpuint (gst_buffer_get_size (buffer), ==, ra_feedback_tfrc.room);
}

static void
test_add_ccfb (void)
{
  static const guint8 fci[] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12 };
  static const guint8 head[]
      = { 0x8b, 205, 0, 5, 0xca, 0xfe, 0, 1, 0xde, 0xad, 0xbe, 0xef };
  GstRTCPBuffer rtcp = GST_RTCP_BUFFER_INIT;
  g_autoptr (GstBuffer) buffer = rtcp_new (&rtcp, 12 + sizeof fci);
  RaReportBytes report = { .fci_size = sizeof fci, .media = 0xdeadbeef };

  memcpy (report.fci, fci, sizeof fci);
  recv_rtcp_add_bytes (&rtcp, 0xcafe0001, RA_CCFB_FMT, &report);
  gst_rtcp_buffer_unmap (&rtcp);
  g_assert_cmpint (gst_buffer_memcmp (buffer, 0, head, sizeof head), ==, 0);
  g_assert_cmpint (
      gst_buffer_memcmp (buffer, sizeof head, fci, sizeof fci), ==, 0);
  g_assert_cmpuint (gst_buffer_get_size (buffer), ==, sizeof head + sizeof fci);
}

static void
test_bye (void)
{
  GstRTCPBuffer rtcp = GST_RTCP_BUFFER_INIT;
  g_autoptr (GstBuffer) buffer = rtcp_new (&rtcp, 1400);
  GstRTCPPacket packet;

  g_assert_false (recv_rtcp_is_bye (&rtcp));
  gst_rtcp_buffer_add_packet (&rtcp, GST_RTCP_TYPE_RR, &packet);
  g_assert_false (recv_rtcp_is_bye (&rtcp));
  gst_rtcp_buffer_add_packet (&rtcp, GST_RTCP_TYPE_BYE, &packet);
  g_assert_true (recv_rtcp_is_bye (&rtcp));
  gst_rtcp_buffer_unmap (&rtcp);
}

/* Mean size * 8 * members / interval (RFC 3550 6.3.1). */
static const struct
{
  gsize bytes;
  guint members;
  RaSpan interval;
  guint64 bps;
  const gchar *why;
} bandwidth_rows[] = {
  { 200, 2, 50 * RA_MSECOND, 64000, "3,200 bits, 20 times a second" },
  { 100, 2, 20 * RA_MSECOND, 80000, "1,600 bits, 50 times a second" },
  { 100, 1, 20 * RA_MSECOND, 40000, "half for one" },
  { 125, 3, RA_SECOND, 3000, "3,000 bits, once" },
};

static void
test_bandwidth (gconstpointer data)
{
  guint row = GPOINTER_TO_UINT (data);

  g_test_message ("%s", bandwidth_rows[row].why);
  g_assert_cmpuint (
      recv_rtcp_bandwidth (bandwidth_rows[row].bytes,
          bandwidth_rows[row].members, bandwidth_rows[row].interval),
      ==, bandwidth_rows[row].bps);
}

void
tests_add (void)
{
  rows_add ("/recv-parts/extmap", extmap_rows, test_extmap);
  g_test_add_func ("/recv-parts/ids", test_ids);
  rows_add ("/recv-parts/packet", packet_rows, test_packet);
  g_test_add_func ("/recv-parts/random", test_random);
  g_test_add_func ("/recv-parts/add-tfrc", test_add_tfrc);
  g_test_add_func ("/recv-parts/room", test_room);
  g_test_add_func ("/recv-parts/add-ccfb", test_add_ccfb);
  g_test_add_func ("/recv-parts/bye", test_bye);
  rows_add ("/recv-parts/bandwidth", bandwidth_rows, test_bandwidth);
}
