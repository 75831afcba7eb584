/* FEC: what rtpadaptsink sends to a receiver that says what it knows, and to one that
 * says nothing.  Over loopback, a tenth lost.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "relay-fixture.h"
#include "src-fixture.h"
#include "../rows.h"

#define MEDIA 96
#define RS 120
#define RS_RTX 119
#define ULP 122
#define ENOUGH 5   /* repair packets, and packets that came back */
#define SILENT 400 /* media packets without any, where none may come */
#define TWCC                                 \
  "extmap-1=(string)http://www.ietf.org/id/" \
  "draft-holmer-rmcat-transport-wide-cc-extensions-01"
#define FORMAT                                                    \
  "application/x-rtp,media=video,clock-rate=90000,encoding-name=" \
  "RAW,sampling=(string)YCbCr-4:2:2,width=(string)32,height="     \
  "(string)20,depth=(string)8"

/* 30 % are repair, whatever is lost. */
#define CAMERA                                                 \
  "videotestsrc is-live=true pattern=snow ! "                  \
  "video/x-raw,format=UYVY,width=32,height=20,"                \
  "framerate=30/1 ! rtpvrawpay mtu=200 pt=96 ! "               \
  "rtpadaptsink name=sink host=127.0.0.1 port=%u controller="  \
  "fixed start-bitrate=1500000 max-bitrate=1500000 fec=fixed " \
  "fec-params=level=.3 friendliness-cap=0 circuit-breakers=false %s"

static const RelayRule rule = { .lost = { [MEDIA] = 10 }, .delay = 1000 };

static GstElement *
camera_new (const Relay *r, const gchar *settings, GstBus *bus)
{
  g_autofree gchar *line = g_strdup_printf (CAMERA, r->port, settings);

  return line_play (line, bus);
}

static gint
came (Relay *r, guint pt)
{
  return g_atomic_int_get (&r->came[pt]);
}

/* --- an rtpadaptsrc ----------------------------------------------------------- */

static const struct
{
  const gchar *name, *sink, *src;
  guint pt; /* of the repair packets, 0: there are none */
  const gchar *why;
} rows[] = {
  { "rs", "", "", RS, "both know the Reed-Solomon code" },
  { "xor", "fec-code=xor", "", ULP, "the user wants RFC 5109's" },
  { "none", "", "fec=false", 0, "the receiver says what it uses, and not FEC" },
  { "unasked", "fec-unasked=true", "fec=false", ULP,
      "the user knows better; RFC 5109's is what any receiver may have" },
};

static void
test_row (gconstpointer data)
{
  guint row = GPOINTER_TO_UINT (data), pt = rows[row].pt;
  g_autofree gchar *src
      = g_strdup_printf ("caps=\"" FORMAT "\" latency=1000 %s", rows[row].src);
  g_autofree gchar *sink
      = g_strdup_printf ("retransmission=false %s", rows[row].sink);
  GstElement *camera;
  Receiver t;
  g_auto (Relay) r;

  g_test_message ("%s", rows[row].why);
  receiver_new (&t, src, "identity" RECEIVER_OUT);
  receiver_play (&t);
  relay_start (&r, &rule, (guint) t.port);
  camera = camera_new (&r, sink, t.bus);
  if (pt > 0)
    WAIT_UNTIL (t.bus, came (&r, pt) >= ENOUGH);
  if (pt > 0 && !*rows[row].src)
    WAIT_UNTIL (t.bus, stat_of (t.src, "recovered") >= ENOUGH);
  if (pt == 0)
    WAIT_UNTIL (t.bus, came (&r, MEDIA) >= SILENT);
  for (guint other = 0; other < RELAY_TYPES; other++) {
    if (other != MEDIA && other != pt)
      g_assert_cmpint (came (&r, other), ==, 0);
  }
  line_end (camera);
  receiver_end (&t);
}

/* What its Reed-Solomon decoder took for repair packets, 0: it has none yet. */
static guint64
repair_of (GstElement *src)
{
  g_autoptr (GstIterator) all = gst_bin_iterate_all_by_element_factory_name (
      GST_BIN (src), "rtpadaptfecdec");
  g_autoptr (GstStructure) stats = NULL;
  GValue value = G_VALUE_INIT;
  guint64 n = 0;

  if (gst_iterator_next (all, &value) != GST_ITERATOR_OK)
    return 0;
  g_object_get (g_value_get_object (&value), "stats", &stats, NULL);
  gst_structure_get_uint64 (stats, "repair", &n);
  g_value_unset (&value);
  return n;
}

/* A lost repair packet has a number that the jitterbuffer would wait for, and take for
 * one of media.  It comes again, as a repair packet.  rtprtxreceive takes no repetition
 * before something was asked for, which media is that is lost. */
static void
test_again (void)
{
  static const RelayRule both_lost
      = { .lost = { [MEDIA] = 10, [RS] = 10 }, .delay = 1000 };
  GstElement *camera;
  Receiver t;
  g_auto (Relay) r;

  receiver_new (
      &t, "caps=\"" FORMAT "\" latency=1000", "identity" RECEIVER_OUT);
  receiver_play (&t);
  relay_start (&r, &both_lost, (guint) t.port);
  camera = camera_new (&r, "", t.bus);
  WAIT_UNTIL (t.bus, came (&r, RS_RTX) >= ENOUGH);
  WAIT_UNTIL (t.bus, came (&r, MEDIA) >= SILENT);
  WAIT_UNTIL (t.bus,
      repair_of (t.src)
          > (guint64) (came (&r, RS) - g_atomic_int_get (&r.lost[RS])));
  g_assert_cmpuint (stat_of (t.src, "lost"), ==, 0);
  line_end (camera);
  receiver_end (&t);
}

/* --- a stock receiver ----------------------------------------------------------- */

/* It knows the payload type of the media, and answers transport-wide numbers. */
#define STOCK                                                             \
  "rtpbin name=rtp rtp-profile=avpf udpsrc name=in address=127.0.0.1 "    \
  "port=0 caps=\"" FORMAT ",payload=96," TWCC "\" ! rtp.recv_rtp_sink_0 " \
  "rtp.send_rtcp_src_0 ! udpsink name=out host=127.0.0.1 port=9 "         \
  "sync=false async=false rtp. ! fakesink async=false"

static void
test_stock (void)
{
  g_autoptr (GstElement) receiver = line_play (STOCK, NULL);
  GstElement *camera, *sink, *child;
  g_autoptr (GstBus) bus = gst_element_get_bus (receiver);
  guint port = 0;
  g_auto (Relay) r;

  child = gst_bin_get_by_name (GST_BIN (receiver), "in");
  WAIT_UNTIL (bus, (g_object_get (child, "port", &port, NULL), port > 0));
  gst_object_unref (child);
  relay_start (&r, &rule, port);
  child = gst_bin_get_by_name (GST_BIN (receiver), "out");
  g_object_set (child, "port", (gint) r.inner_port, NULL);
  gst_object_unref (child);
  camera = camera_new (&r, "", bus);
  sink = gst_bin_get_by_name (GST_BIN (camera), "sink");
  WAIT_UNTIL (bus,
      came (&r, MEDIA) >= SILENT
          && stat_of (sink, "sender/feedback") >= ENOUGH);
  for (guint other = 0; other < RELAY_TYPES; other++) {
    if (other != MEDIA)
      g_assert_cmpint (came (&r, other), ==, 0);
  }
  gst_object_unref (sink);
  line_end (camera);
  gst_element_set_state (receiver, GST_STATE_NULL);
}

void
tests_add (void)
{
  rows_add_by ("/fec-agreement", rows, name, test_row);
  g_test_add_func ("/fec-agreement/again", test_again);
  g_test_add_func ("/fec-agreement/stock", test_stock);
}
