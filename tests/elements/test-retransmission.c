/* Retransmission: which packets the sender repeats, and which the receiver asks
 * for, over paths that lose and reorder.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "relay-fixture.h"

#include "send-twcc.h"
#include "src-fixture.h"

#include "../trust/trust.h"
#include "../rows.h"

/* --- the sender, in virtual time ------------------------------------------ */

#define RTX_SSRC 0x99

/* A request of the receiver, whatever becomes of it. */
static void
nack (Send *s, guint seq)
{
  gst_harness_push_upstream_event (s->h,
      gst_event_new_custom (GST_EVENT_CUSTOM_UPSTREAM,
          gst_structure_new ("GstRTPRetransmissionRequest", "seqnum",
              G_TYPE_UINT, seq, "ssrc", G_TYPE_UINT, SSRC, NULL)));
}

/* TRUE if a request for the packet goes on upstream. */
static gboolean
asks (Send *s, guint seq)
{
  upstream_events (s, "");
  nack (s, seq);
  return upstream_events (s, "GstRTPRetransmissionRequest") == 1;
}

static void
advance (Send *s, guint ms)
{
  gst_test_clock_advance_time (s->clock, (GstClockTimeDiff) ms * GST_MSECOND);
}

/* Packets 0 to 7, of which 1 and 2 are lost: their report comes 100 ms after
 * the last left. */
static Send
sender_of_100_ms (void)
{
  static const gint lost[] = { 1, 2, -1 };
  Send s = send_new ("controller=fixed start-bitrate=1000000 fec=ulp "
                     "max-bitrate=1000000 burst=0");

  send_paced (&s, 0, 8);
  advance (&s, 100);
  feedback (&s, 0, 8, 0, lost);
  wait_until (stat (&s, "rtt") > 0);
  return s;
}

/* What was lost is sent again once per round trip at most; what came or was not
 * sent is not. */
static void
test_asked (void)
{
  g_auto (Send) s = sender_of_100_ms ();

  g_assert_cmpint (stat (&s, "rtt"), ==, 100 * GST_MSECOND);
  g_assert_true (asks (&s, 1));
  g_assert_false (asks (&s, 1));
  advance (&s, 99);
  g_assert_false (asks (&s, 1));
  advance (&s, 1);
  g_assert_true (asks (&s, 1));
  g_assert_false (asks (&s, 0)); /* it came */
  g_assert_false (asks (&s, 8)); /* not sent */
  g_assert_cmpint (stat (&s, "repeat-requests"), ==, 6);
  g_assert_cmpint (stat (&s, "repeat-refused"), ==, 4);
}

/* `retransmission` is about the receiver's requests, too. */
static void
test_off (void)
{
  g_auto (Send) s = sender_of_100_ms ();

  g_object_set (s.h->element, "retransmission", FALSE, NULL);
  g_assert_false (asks (&s, 1));
  g_object_set (s.h->element, "retransmission", TRUE, NULL);
  g_assert_true (asks (&s, 1));
  g_assert_cmpint (stat (&s, "repeat-requests"), ==, 2);
  g_assert_cmpint (stat (&s, "repeat-refused"), ==, 1);
}

/* Packets 8 to 12 come in, of which one leaves at once; the others wait, so a
 * request for one of them is for what comes anyway.  Half a round trip after it
 * left a request may be about the packet. */
static void
test_waiting (void)
{
  g_auto (Send) s = sender_of_100_ms ();

  push_frame (&s, 3000, 5);
  g_assert_cmpuint (pull_paced (&s), ==, 8);
  g_assert_false (asks (&s, 8)); /* it cannot have come yet */
  g_assert_false (asks (&s, 12));
  for (guint i = 9; i <= 12; i++)
    g_assert_cmpuint (pull_paced (&s), ==, i);
  g_assert_false (asks (&s, 12));
  advance (&s, 50);
  g_assert_true (asks (&s, 12));
}

/* With both lost packets asked for, of 10 sent: 1 - 2 / 10 of what is lost
 * comes; the first 8 count a little less by then. */
static void
test_mended (void)
{
  g_auto (Send) s = sender_of_100_ms ();
  GValue mended;

  g_assert_true (asks (&s, 1));
  g_assert_true (asks (&s, 2));
  send_paced (&s, 3000, 2);
  advance (&s, 100);
  feedback (&s, 8, 10, 0, NULL);
  wait_until (stat (&s, "feedback") == 2);
  mended = stats_value (s.element, "observe/fec.mended", G_TYPE_DOUBLE);
  g_assert_cmpfloat_with_epsilon (g_value_get_double (&mended), .8, .03);
}

#define STORM 500

/* A peer that tells nothing and asks for the last 20 packets after each one: no
 * more is sent again than a burst of 64 and one for each two packets. */
static void
test_storm (void)
{
  g_auto (Send) s = send_new ("controller=fixed start-bitrate=1000000 "
                              "max-bitrate=1000000");
  guint asked = 0, again = 0;

  for (guint i = 0; i < STORM; i++) {
    send_paced (&s, i * 3000, 1);
    for (guint k = 0; k <= MIN (i, 20); k++, asked++)
      again += asks (&s, i - k);
  }
  trust_row ("attack", "18 asks for everything again",
      "at most one packet of two is sent again, and 64",
      again <= STORM / 2 + 64, "%u of %u asked for, %u sent", again, asked,
      STORM);
}

/* A retransmission passes what waits: its receiver waits, too. */
static void
test_first (void)
{
  g_auto (Send) s = sender_of_100_ms ();
  GstBuffer *again = packet_new (RTX_SSRC, 0, 0, PAYLOAD);

  push_frame (&s, 3000, 5);
  g_assert_cmpuint (pull_paced (&s), ==, 8);
  GST_BUFFER_FLAG_SET (again, GST_RTP_BUFFER_FLAG_RETRANSMISSION);
  g_assert_cmpint (gst_harness_push (s.h, again), ==, GST_FLOW_OK);
  g_assert_cmpuint (pull_paced (&s), ==, 0); /* the number of `again` */
  g_assert_cmpuint (pull_paced (&s), ==, 9);
}

/* --- the sender's own repeats ------------------------------------------------ */

#define RTX_PT 97
#define RTX_CAPS CAPS ",payload=96,ssrc=(uint)305419896"

/* An rtprtxsend before the sender.  The receiver has asked for a packet once, so it
 * is known to use retransmissions. */
static Send
sender_with_rtx (GstElement **bin)
{
  Send s = { 0 };

  *bin = gst_parse_bin_from_description (
      "rtprtxsend payload-type-map=\"application/x-rtp-pt-map,96=(uint)97\" ! "
      "rtpadaptsend name=send stats-interval=0 controller=fixed burst=0 "
      "start-bitrate=1000000 max-bitrate=1000000 fec=none",
      TRUE, NULL);
  g_assert_nonnull (*bin);
  gst_object_ref_sink (*bin);
  s.element = gst_bin_get_by_name (GST_BIN (*bin), "send");
  send_clock (&s);
  send_harness_caps (&s, *bin, RTX_CAPS);
  nack (&s, 0);
  return s;
}

/* The next packet out repeats that number (RFC 4588 4: OSN). */
static void
expect_repeat (Send *s, guint seq)
{
  GstRTPBuffer rtp = GST_RTP_BUFFER_INIT;
  g_autoptr (GstBuffer) buffer = NULL;

  /* rtprtxsend repeats it from a task of its own.  Until then time must not go on:
   * the next timer may lie behind the latency, and the repeat would be dropped. */
  wait_until (
      gst_harness_buffers_in_queue (s->h) > 0 || stat (s, "backlog") > 0);
  wait_until (gst_harness_buffers_in_queue (s->h) > 0
      || (gst_test_clock_peek_id_count (s->clock) > 0
          && gst_test_clock_crank (s->clock)
          && gst_harness_buffers_in_queue (s->h) > 0));
  buffer = gst_harness_pull (s->h);
  g_assert_true (gst_rtp_buffer_map (buffer, GST_MAP_READ, &rtp));
  g_assert_cmpuint (gst_rtp_buffer_get_payload_type (&rtp), ==, RTX_PT);
  g_assert_cmpuint (
      GST_READ_UINT16_BE (gst_rtp_buffer_get_payload (&rtp)), ==, seq);
  gst_rtp_buffer_unmap (&rtp);
}

/* Of 8 packets, 9.6 ms apart at 1 Mb/s, number 1 is lost.  The report comes 80 ms
 * after the last: 58 ms lie between the lost one and the newest, more than a quarter
 * of the round trip, and 200 ms - 10 ms for decoding leave time for one round of
 * 80 + 40 + 20 ms, not for two.
 *
 * n: a NACK for it, r: the report.  What goes out behind these is one repeat, and then
 * the next media packet. */
static const struct
{
  const gchar *name, *heard;
  guint own, refused;
  const gchar *why;
} own_rows[] = {
  { "own", "r", 1, 0, "nobody asked, but the report shows it" },
  { "own-nack", "rn", 1, 1,
      "a NACK within the round trip is for the same loss" },
  { "nack-own", "nr", 0, 0, "the NACK came first" },
};

static void
test_own (gconstpointer data)
{
  guint row = GPOINTER_TO_UINT (data);
  static const gint lost[] = { 1, -1 };
  g_autoptr (GstElement) bin = NULL;
  g_auto (Send) s = sender_with_rtx (&bin);

  g_test_message ("%s", own_rows[row].why);
  send_paced (&s, 0, 8);
  advance (&s, 80);
  for (const gchar *c = own_rows[row].heard; *c; c++) {
    if (*c == 'n')
      nack (&s, 1);
    else
      feedback (&s, 0, 8, 0, lost);
    if (c == own_rows[row].heard) {
      /* It waits for nothing: with time that goes on the round trip might be over. */
      wait_until (gst_harness_buffers_in_queue (s.h) > 0);
      expect_repeat (&s, 1);
    }
  }
  push_frame (&s, 3000, 1);
  g_assert_cmpuint (pull_paced (&s), ==, 8);
  g_assert_cmpint (stat (&s, "repeats-own"), ==, own_rows[row].own);
  /* The first NACK, about a packet that never left, is among them. */
  g_assert_cmpint (stat (&s, "repeat-refused"), ==, own_rows[row].refused + 1);
}

/* Of 8 packets 1 and 2 are lost, and asked for behind one more, so that the pacer holds
 * them. */
static Send
sender_that_repeats (GstElement **bin, guint64 max_backlog)
{
  static const gint lost[] = { 1, 2, -1 };
  Send s = sender_with_rtx (bin);

  g_object_set (s.element, "max-backlog", max_backlog, NULL);
  send_paced (&s, 0, 8);
  advance (&s, 80);
  push_frame (&s, 3000, 1);
  g_assert_cmpuint (pull_packet (&s), ==, 8);
  feedback (&s, 0, 8, 0, lost);
  return s;
}

/* At 50 kbit/s they leave 192 ms later, and the receiver waits for 200: the packet
 * behind them goes first. */
static void
test_own_late (void)
{
  g_autoptr (GstElement) bin = NULL;
  g_auto (Send) s = sender_that_repeats (&bin, GST_SECOND);

  wait_until (stat (&s, "backlog") >= 19 * GST_MSECOND); /* both */
  push_frame (&s, 6000, 1);
  g_object_set (s.element, "max-bitrate", 50000, NULL);
  g_assert_cmpuint (pull_paced (&s), ==, 9);
  g_assert_cmpint (stat (&s, "repeats-expired"), ==, 2);
}

/* Without a backlog a repetition that finds another one is dropped.  The next report
 * does not wait for one about it. */
static void
test_own_dropped (void)
{
  g_autoptr (GstElement) bin = NULL;
  g_auto (Send) s = sender_that_repeats (&bin, 0);
  GstClockTime left;

  wait_until (stat (&s, "dropped") == 1);
  expect_repeat (&s, 1);
  left = time_now (&s);
  g_array_append_val (s.times, left);
  advance (&s, 20);
  feedback (&s, 8, 10, 0, NULL);
  expect_repeat (&s, 2);
}

/* --- both, over loopback -------------------------------------------------- */

#define MEDIA 96
#define RTX 121

typedef struct
{
  const gchar *name, *both; /* both: properties of sender and receiver */
  guint latency;            /* of the receiver, ms */
  RelayRule rule;
  guint packets;       /* of media */
  gdouble least, most; /* retransmissions for each loss */
  gint beside;         /* and others */
  const gchar *why;
} Run;

#define MOST 1.5

/* Of a twentieth lost, each comes by one retransmission, of which again a
 * twentieth is lost: 1 + 1/20 + ... = 1.05.  MOST leaves room for answers that a
 * busy machine delays by more than a round trip. */
static const Run runs[] = {
  { "lossy", "feedback=twcc", 1000,
      { { [MEDIA] = 20, [RTX] = 20 }, { 0 }, 25000, 0 }, 600, .5, MOST, 0,
      "5 % lost, 50 ms there and back" },
  { "lossy-tfrc", "feedback=tfrc", 1000,
      { { [MEDIA] = 20, [RTX] = 20 }, { 0 }, 25000, 0 }, 600, .5, MOST, 0,
      "the receiver judges the losses" },
  { "lossy-ccfb", "feedback=ccfb", 1000,
      { { [MEDIA] = 20, [RTX] = 20 }, { 0 }, 25000, 0 }, 600, .5, MOST, 0,
      "RFC 8888" },
  { "queued", "feedback=twcc", 200,
      { { 0 }, { [MEDIA] = 100 }, 25000, 120000, TRUE }, 400, 0, 0, 0,
      "nothing lost; each .4 s a queue holds all for .12 s" },
  /* Packets leave each 2.1 ms: 15 ms are 7 of them.  Each that is later
   * than 1.25 times the latest before may be asked for, up to half of the
   * latency: one, and log (100 / 15) / log 1.25 = 8.5 more. */
  { "reordered", "feedback=twcc", 200, { { 0 }, { [MEDIA] = 7 }, 25000, 15000 },
      500, 0, 0, 9, "each 7th packet overtaken by 7" },
  /* 12 are lost in a second.  The first answer comes .3 s after the first loss;
   * from then on one in a second is tried, on a busy machine for longer. */
  { "far", "feedback=twcc", 200, { { [MEDIA] = 20 }, { 0 }, 150000, 0 }, 600, 0,
      0, 15,
      "300 ms there and back: answers come after the latency of 200 ms" },
};

/* Frames of 9 packets of about 210 bytes, 30 in a second: 450 kbit/s, paced at
 * 800, so that what a busy machine holds up is soon made up for.  A socket holds
 * 277 of them, of 768 bytes in the kernel: 1 s. */
#define CAMERA                                                \
  "videotestsrc is-live=true pattern=snow ! "                 \
  "video/x-raw,format=UYVY,width=32,height=20,"               \
  "framerate=30/1 ! rtpvrawpay mtu=200 pt=96 ! "              \
  "rtpadaptsink name=sink host=127.0.0.1 port=%u fec=none "   \
  "controller=fixed start-bitrate=800000 max-bitrate=800000 " \
  "friendliness-cap=0 circuit-breakers=false retransmission=true %s"
#define RAW                                                          \
  "caps=\"application/x-rtp,media=video,clock-rate=90000,"           \
  "encoding-name=RAW,sampling=(string)YCbCr-4:2:2,width=(string)32," \
  "height=(string)20,depth=(string)8\" fec=false latency=%u retransmission=true %s"

/* Enough packets, and retransmissions: on a busy machine both take longer. */
static gboolean
is_enough (const Run *run, Relay *r)
{
  gint lost = g_atomic_int_get (&r->lost[MEDIA]);

  return g_atomic_int_get (&r->came[MEDIA]) >= (gint) run->packets
      && g_atomic_int_get (&r->came[RTX]) >= (gint) (run->least * lost);
}

/* What the receiver's socket had no room for, once all that the relay has let
 * through had time to come. */
static gint
dropped (Receiver *t, Relay *r)
{
  gint sent = 0, missing = 0;

  WAIT_UNTIL (t->bus, g_atomic_int_get (&r->waiting) == 0);
  for (guint pt = 0; pt < RELAY_TYPES; pt++)
    sent += g_atomic_int_get (&r->came[pt]) - g_atomic_int_get (&r->lost[pt]);
  for (guint i = 0; i < 100; i++) {
    missing = sent - (gint) stat_of (t->src, "rtp");
    if (missing == 0)
      break;
    g_usleep (10000);
  }
  return missing;
}

static void
test_run (gconstpointer data)
{
  const Run *run = &runs[GPOINTER_TO_UINT (data)];
  g_autofree gchar *settings = g_strdup_printf (RAW, run->latency, run->both);
  g_autofree gchar *line = NULL;
  gint lost, again, by_socket;
  GstElement *pipeline;
  Receiver t;
  g_auto (Relay) r;

  g_test_message ("%s", run->why);
  receiver_new (&t, settings,
      "fakesink name=out sync=false async=false "
      "signal-handoffs=true");
  receiver_play (&t);
  relay_start (&r, &run->rule, (guint) t.port);
  line = g_strdup_printf (CAMERA, r.port, run->both);
  pipeline = gst_parse_launch (line, NULL);
  g_assert_nonnull (pipeline);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  WAIT_UNTIL (t.bus, is_enough (run, &r));
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_object_unref (pipeline);
  by_socket = dropped (&t, &r);
  lost = g_atomic_int_get (&r.lost[MEDIA]);
  again = g_atomic_int_get (&r.came[RTX]);
  g_test_message ("%s: %d sent again for %d lost and %d dropped by a socket, "
                  "%" G_GUINT64_FORMAT " still missing",
      run->name, again, lost, by_socket, stat_of (t.src, "lost"));
  g_assert_cmpint (
      again, <=, (gint) (run->most * lost + MOST * by_socket) + run->beside);
  receiver_end (&t);
}

/* What the sender hears of a receiver that repairs nothing, or holds nothing.  A twentieth
 * is lost.  For a receiver that says nothing the sender would repeat plainly, and plan for
 * its own `receiver-latency`. */
static const struct
{
  const gchar *name, *settings;
  guint latency; /* ms */
  gint64 heard;  /* ns */
  gboolean repeats;
  const gchar *why;
} said_rows[] = {
  { "says-it-takes-none", "retransmission=false", 100, 100 * GST_MSECOND, FALSE,
      "so nothing is repeated, nor plainly" },
  { "says-latency", "", 100, 100 * GST_MSECOND, TRUE,
      "and repeats are for it" },
  { "says-latency-0", "", 0, GST_USECOND, FALSE,
      "0 is for what is not said; no round fits" },
};

/* -1: the receiver has not said it. */
static gint64
heard_latency (GstElement *sink)
{
  g_autoptr (GstStructure) stats = NULL, sender = NULL;
  gint64 heard = -1;

  g_object_get (sink, "stats", &stats, NULL);
  gst_structure_get (stats, "sender", GST_TYPE_STRUCTURE, &sender, NULL);
  gst_structure_get_int64 (sender, "peer-latency", &heard);
  return heard;
}

static void
test_said (gconstpointer data)
{
  guint row = GPOINTER_TO_UINT (data);
  static const RelayRule rule
      = { { [MEDIA] = 20, [RTX] = 20 }, { 0 }, 5000, 0 };
  g_autofree gchar *settings
      = g_strdup_printf (RAW, said_rows[row].latency, said_rows[row].settings);
  g_autofree gchar *line = NULL;
  g_autoptr (GstElement) pipeline = NULL, sink = NULL;
  guint64 own, plain;
  gint lost;
  g_auto (Receiver) t;
  g_auto (Relay) r;

  g_test_message ("%s", said_rows[row].why);
  receiver_open (&t, settings,
      "fakesink name=out sync=false async=false signal-handoffs=true");
  relay_start (&r, &rule, (guint) t.port);
  line = g_strdup_printf (CAMERA, r.port, "");
  pipeline = gst_object_ref_sink (gst_parse_launch (line, NULL));
  sink = gst_bin_get_by_name (GST_BIN (pipeline), "sink");
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  WAIT_UNTIL (t.bus, heard_latency (sink) >= 0);
  g_assert_cmpint (heard_latency (sink), ==, said_rows[row].heard);
  own = stat_of (sink, "sender/repeats-own");
  plain = stat_of (sink, "sender/repeats-plain");
  lost = g_atomic_int_get (&r.lost[MEDIA]);
  WAIT_UNTIL (t.bus,
      said_rows[row].repeats ? stat_of (sink, "sender/repeats-own") > own
                             : g_atomic_int_get (&r.lost[MEDIA]) > lost + 20);
  if (!said_rows[row].repeats)
    g_assert_cmpuint (stat_of (sink, "sender/repeats-own"), ==, own);
  g_assert_cmpuint (stat_of (sink, "sender/repeats-plain"), ==, plain);
  gst_element_set_state (pipeline, GST_STATE_NULL);
}

void
tests_add (void)
{
  g_test_add_func ("/retransmission/asked", test_asked);
  g_test_add_func ("/retransmission/off", test_off);
  g_test_add_func ("/retransmission/waiting", test_waiting);
  g_test_add_func ("/retransmission/first", test_first);
  g_test_add_func ("/retransmission/mended", test_mended);
  g_test_add_func ("/retransmission/storm", test_storm);
  rows_add_by ("/retransmission", own_rows, name, test_own);
  g_test_add_func ("/retransmission/own-late", test_own_late);
  g_test_add_func ("/retransmission/own-dropped", test_own_dropped);
  rows_add_by ("/retransmission", runs, name, test_run);
  rows_add_by ("/retransmission", said_rows, name, test_said);
}
