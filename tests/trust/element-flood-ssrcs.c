/* A million made-up SSRCs, and CSRCs, at each element: the tables stay as small
 * as they are, and who was there before is heard still.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "../elements/sink-fixture.h"
#include "../elements/src-fixture.h"
#include "trust.h"

#include <gst/net/gstnetaddressmeta.h>

#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
#define MILLION 10000u /* it is slow, and malloc tells nothing */
#else
#define MILLION 1000000u
#endif
#define FEW (MILLION / 10)

static gdouble
grown_mb (gint64 before)
{
  return before ? (gdouble) (trust_memory () - before) / 1e6 : 0;
}

/* A place is another's after 10 s of silence (PEER_STALE): how often that was
 * since `began`, on a slow machine, and once. */
static guint
turns (gint64 began)
{
  return 1
      + (guint) ((g_get_monotonic_time () - began) / (10 * G_USEC_PER_SEC));
}

/* --- packets ---------------------------------------------------------------- */

/* PCMU of 160 samples: payload type 0. */
static GstBuffer *
rtp (guint32 ssrc, guint16 seq, guint n_csrcs, guint32 csrc)
{
  guint8 data[12 + 4 * 15 + 160] = { (guint8) (0x80 | n_csrcs) };
  gsize size = 12 + 4 * n_csrcs + 160;

  GST_WRITE_UINT16_BE (data + 2, seq);
  GST_WRITE_UINT32_BE (data + 4, 160 * seq);
  GST_WRITE_UINT32_BE (data + 8, ssrc);
  for (guint i = 0; i < n_csrcs; i++)
    GST_WRITE_UINT32_BE (data + 12 + 4 * i, csrc + i);
  return gst_buffer_new_memdup (data, size);
}

static GstBuffer *
rr (guint32 from, guint32 about)
{
  guint8 data[SINK_RR_SIZE];

  sink_rr (data, from, about);
  return gst_buffer_new_memdup (data, sizeof data);
}

/* One SSRC in each of 31 chunks (RFC 3550 6.5), behind an empty RR. */
static GstBuffer *
sdes (guint32 first)
{
  guint8 data[8 + 4 + 31 * 8] = { 0x80, 201, 0, 1 };

  GST_WRITE_UINT32_BE (data + 4, 1000);
  data[8] = 0x80 | 31;
  data[9] = 202;
  data[11] = 62;
  for (guint i = 0; i < 31; i++)
    GST_WRITE_UINT32_BE (data + 12 + 8 * i, first + i);
  return gst_buffer_new_memdup (data, sizeof data);
}

/* As if it had come from `from` to `pad`. */
static void
arrive (GstPad *pad, GSocketAddress *from, GstBuffer *buffer)
{
  gst_buffer_add_net_address_meta (buffer, from);
  g_assert_cmpint (gst_pad_chain (pad, buffer), ==, GST_FLOW_OK);
}

/* --- rtpadaptsrc ------------------------------------------------------------ */

typedef struct
{
  Receiver t;
  gint fd; /* the peer's */
  GSocketAddress *peer;
  GstPad *gate; /* where what it sends comes to */
  guint16 seq;
  gint64 began;
} Home;

/* Ten packets of the peer's own stream come out. */
static void
home_goes_on (Home *h)
{
  gint from = g_atomic_int_get (&h->t.frames[0]);

  for (guint i = 0; i < 10; i++) {
    g_autoptr (GstBuffer) buffer = rtp (5, h->seq++, 0, 0);
    GstMapInfo map;

    gst_buffer_map (buffer, &map, GST_MAP_READ);
    udp_say (h->fd, "127.0.0.1", (guint) h->t.port, 0, map.data, map.size);
    gst_buffer_unmap (buffer, &map);
  }
  WAIT_UNTIL (h->t.bus, g_atomic_int_get (&h->t.frames[0]) >= from + 10);
}

static void
home_open (Home *h)
{
  GstElement *gate;
  guint port;

  *h = (Home){ .fd = udp_socket ("127.0.0.1", &port),
    .began = g_get_monotonic_time () };
  h->peer = g_inet_socket_address_new_from_string ("127.0.0.1", port);
  receiver_open (&h->t, "latency=0", "rtppcmudepay" RECEIVER_OUT);
  gate = gst_bin_get_by_name (GST_BIN (h->t.src), "gate");
  h->gate = gst_element_get_static_pad (gate, "rtp_sink");
  gst_object_unref (gate);
  home_goes_on (h);
}

static void
home_close (Home *h)
{
  gst_object_unref (h->gate);
  receiver_end (&h->t);
  g_object_unref (h->peer);
  close (h->fd);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Home, home_close)

/* What a source, and a stream with its jitterbuffer and threads, may take. */
#define SOURCE_MB .01
#define STREAM_MB .5
/* PEER_STREAMS, and those that rtpbin has not let go yet. */
#define STREAMS_MAX 16
#define SOURCES_MAX 64

static void
test_src_rtp (void)
{
  gint64 before;
  guint known, n;
  g_auto (Home) h;

  home_open (&h);
  before = trust_memory ();
  for (guint i = 0; i < MILLION; i++)
    arrive (h.gate, h.peer, rtp (1000 + i, (guint16) i, 0, 0));
  known = sink_sources (h.t.src);
  n = turns (h.began);
  home_goes_on (&h);
  trust_row ("flood", "12 SSRCs, rtpadaptsrc",
      "16 streams let in at most in 10 s, each below .5 MB; the peer's plays on",
      known <= n * STREAMS_MAX + 2
          && (guint) g_atomic_int_get (&h.t.pads) <= n * STREAMS_MAX
          && grown_mb (before) < n * STREAMS_MAX * STREAM_MB,
      "%u SSRCs from the peer's address: %u known, %.1f MB more", MILLION,
      known, grown_mb (before));
}

static void
test_src_rtcp (void)
{
  gint64 before;
  guint known, n;
  g_auto (Home) h;

  home_open (&h);
  before = trust_memory ();
  for (guint i = 0; i < MILLION; i++)
    arrive (h.gate, h.peer, rr (1000 + i, 5));
  for (guint i = 0; i < FEW; i += 31)
    arrive (h.gate, h.peer, sdes (0x10000000 + i));
  known = sink_sources (h.t.src);
  n = turns (h.began);
  home_goes_on (&h);
  trust_row ("flood", "12 SSRCs of RTCP, rtpadaptsrc",
      "64 SSRCs reach the session at most in 10 s, beside the streams",
      known <= n * (SOURCES_MAX + STREAMS_MAX) + 2
          && grown_mb (before) < n * SOURCES_MAX * SOURCE_MB,
      "%u reports and %u SDES chunks: %u known, %.1f MB more", MILLION, FEW,
      known, grown_mb (before));
}

/* In packets that go on where the peer's stream left off. */
static void
test_src_csrcs (void)
{
  gint64 before;
  guint known, n;
  g_auto (Home) h;

  home_open (&h);
  before = trust_memory ();
  for (guint i = 0; i < FEW; i++)
    arrive (h.gate, h.peer, rtp (5, (guint16) (h.seq + i), 15, 1000 + 15 * i));
  known = sink_sources (h.t.src);
  n = turns (h.began);
  h.seq += 100; /* the first ones passed, and took its numbers */
  home_goes_on (&h);
  trust_row ("flood", "12 CSRCs, rtpadaptsrc",
      "64 SSRCs reach the session at most in 10 s, beside the streams",
      known <= n * (SOURCES_MAX + STREAMS_MAX) + 2
          && grown_mb (before) < n * SOURCES_MAX * SOURCE_MB,
      "%u CSRCs: %u known, %.1f MB more", 15 * FEW, known, grown_mb (before));
}

/* --- rtpadaptsink ----------------------------------------------------------- */

static void
test_sink_rtcp (void)
{
  guint port;
  gint ear = udp_socket ("127.0.0.1", &port);
  g_autoptr (GSocketAddress) peer
      = g_inet_socket_address_new_from_string ("127.0.0.1", port);
  GstElement *sink, *pipeline = sink_pipeline (port, "", &sink);
  GstElement *rtpbin = gst_bin_get_by_name (GST_BIN (sink), "rtpbin");
  g_autoptr (GstPad) in = NULL;
  UdpHeard heard;
  guint8 report[SINK_RR_SIZE];
  guint64 dropped;
  gint64 before, began = g_get_monotonic_time ();
  guint own, known, n;

  sink_play (pipeline);
  sink_push (pipeline, 1);
  sink_hear_rtp (ear, &heard);
  own = sink_sources (sink);
  in = gst_element_get_static_pad (rtpbin, "recv_rtcp_sink_0");
  sink_rr (report, SINK_THEIRS, SINK_SSRC);
  udp_say (ear, "127.0.0.1", heard.from_port, 0, report, sizeof report);
  g_assert_true (sink_wait (sink_knows_peer, sink));
  before = trust_memory ();
  for (guint i = 0; i < MILLION; i++)
    arrive (in, peer, rr (1000 + i, SINK_SSRC));
  for (guint i = 0; i < FEW; i += 31)
    arrive (in, peer, sdes (0x10000000 + i));
  known = sink_sources (sink);
  n = turns (began);
  dropped = sink_stat (sink, "peer/flood");
  arrive (in, peer, rr (SINK_THEIRS, SINK_SSRC));
  trust_row ("flood", "12 SSRCs of RTCP, rtpadaptsink",
      "64 SSRCs reach the session at most in 10 s; the peer's is heard still",
      known <= own + 1 + n * SOURCES_MAX && dropped > 0
          && sink_stat (sink, "peer/flood") == dropped
          && grown_mb (before) < n * SOURCES_MAX * SOURCE_MB,
      "%u reports and %u SDES chunks: %u known, %.1f MB more", MILLION, FEW,
      known, grown_mb (before));
  gst_object_unref (rtpbin);
  sink_stop (pipeline, sink);
  close (ear);
}

/* --- rtpadaptrecv and rtpadaptsend by themselves ---------------------------- */

static GstHarness *
harness (const gchar *line)
{
  GstHarness *h = gst_harness_new_parse (line);

  gst_harness_use_systemclock (h);
  gst_harness_set_drop_buffers (h, TRUE);
  gst_harness_set_src_caps_str (h,
      "application/x-rtp,media=audio,clock-rate=8000,encoding-name=PCMU,"
      "extmap-2=urn:ietf:params:rtp-hdrext:rtt-sendts");
  gst_harness_play (h);
  return h;
}

/* rtpadaptsend has let go of what waited. */
static void
wait_sent (GstHarness *h)
{
  GstElement *send = gst_harness_find_element (h, "rtpadaptsend");
  gint64 backlog = send ? 1 : 0;
  GstStructure *stats;

  while (backlog > 0) {
    g_object_get (send, "stats", &stats, NULL);
    gst_structure_get (stats, "backlog", G_TYPE_INT64, &backlog, NULL);
    gst_structure_free (stats);
    g_usleep (100);
  }
  gst_clear_object (&send);
}

static void
test_element (gconstpointer data)
{
  const gchar *const *row = data;
  g_autofree gchar *name = g_strdup_printf ("12 SSRCs, %s", row[0]);
  GstHarness *h = harness (row[1]);
  gint64 before = 0;
  gdouble grown;

  for (guint i = 0; i < FEW; i++) {
    gst_harness_push (h, rtp (1000 + i, (guint16) i, 0, 0));
    if (i % 1000 != 999)
      continue;
    wait_sent (h);
    /* All places were taken by then, and their windows are full. */
    if (i == FEW / 2 - 1)
      before = trust_memory ();
  }
  grown = grown_mb (before);
  trust_row ("flood", name, "memory grows by less than 1 MB after 50,000 SSRCs",
      grown < 1, "%u SSRCs: %.2f MB", FEW, grown);
  gst_harness_teardown (h);
}

void
tests_add (void)
{
  static const gchar *const elements[][2] = {
    { "rtpadaptrecv feedback=tfrc",
        "rtpadaptrecv feedback=tfrc stats-interval=0" },
    { "rtpadaptrecv feedback=ccfb",
        "rtpadaptrecv feedback=ccfb stats-interval=0" },
    { "rtpadaptsend",
        "rtpadaptsend stats-interval=0 circuit-breakers=false controller=fixed "
        "start-bitrate=2000000000 max-bitrate=2000000000 burst=1000000000" },
  };

  g_test_add_func ("/flood-ssrcs/src/rtp", test_src_rtp);
  g_test_add_func ("/flood-ssrcs/src/rtcp", test_src_rtcp);
  g_test_add_func ("/flood-ssrcs/src/csrcs", test_src_csrcs);
  g_test_add_func ("/flood-ssrcs/sink/rtcp", test_sink_rtcp);
  for (guint i = 0; i < G_N_ELEMENTS (elements); i++) {
    g_autofree gchar *path = g_strdup_printf ("/flood-ssrcs/element/%u", i);

    g_test_add_data_func (path, elements[i], test_element);
  }
}
