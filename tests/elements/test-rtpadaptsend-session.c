/* rtpadaptsend: RTCP through a real rtpsession in each feedback mode, the header
 * extensions it writes, and how it settles for less.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "session-fixture.h"
#include "send-twcc.h"
#include "../rows.h"

#include <gst/rtpadapt/util/bytes.h>

/* PAIR_START, 100 s, in us. */
#define T_START 0x05f5e100u
#define MS GST_MSECOND

/* --- bytes on the packets ------------------------------------------------ */

/* The next packet out begins with these bytes, from the 13th on. */
static void
pull_bytes (Pair *p, const gchar *expected)
{
  g_autoptr (GstBuffer) buffer = gst_harness_pull (p->send.h);
  g_autoptr (GString) text = g_string_new (NULL);
  GstClockTime now = time_now (&p->send);
  guint8 bytes[64];

  g_assert_nonnull (buffer);
  gst_buffer_extract (buffer, 12, bytes, sizeof bytes);
  for (guint i = 0; text->len < strlen (expected); i++)
    g_string_append_printf (text, i ? " %02x" : "%02x", bytes[i]);
  g_assert_cmpstr (text->str, ==, expected);
  g_array_append_val (p->send.times, now);
}

/* R = 100 ms: 100,000 us = 01 86 a0 (draft-ietf-avt-tfrc-profile-10, 5); t_i
 * 100.1 s = 100,100,000 us = 05 f7 67 a0.  The payloader, the harness, knows of
 * no extension, so that all are added: 3 + 8 + 3 bytes, padded to 16.
 * rtpsession numbers what has its extension.  The first report with R = 100 ms
 * and X_recv = 0 allows W_init / R = 4380 bytes / .1 s = 350,400 bit/s (RFC 5348
 * 4.2). */
static void
test_tfrc (void)
{
  g_auto (Pair) p
      = pair_new ("feedback=tfrc controller=tfrc start-bitrate=100000", "avpf",
          CAPS EXT_TWCC EXT_SEND_TS EXT_COLOUR);
  Rtcp r = { 0 };

  push_packet (&p.send, 0);
  pull_bytes (
      &p, "be de 00 04 11 00 00 26 00 00 00 05 f5 e1 00 31 00 00 00 00");
  gst_test_clock_advance_time (p.send.clock, 100 * MS);
  put_rr (&r, SSRC, 0, 0, 0, 0);
  put_radp (&r, PEER, T_START, 1);
  put_tfrc (&r, 2, SSRC, T_START, 0, 0, 0);
  rtcp_push (p.rtcp, &r);
  g_assert_cmpint (stat (&p.send, "reports-ok"), ==, 1);
  g_assert_cmpint (stat (&p.send, "feedback"), ==, 1);
  g_assert_cmpuint (get_uint (&p.send, "estimated-bitrate"), ==, 350400);
  push_packet (&p.send, 1);
  pull_bytes (
      &p, "be de 00 04 11 00 01 26 01 86 a0 05 f7 67 a0 31 00 00 00 00");
}

/* What the receiver told, into the statistics. */
static void
test_radp (void)
{
  g_auto (Pair) p
      = pair_new ("feedback=tfrc", "avpf", CAPS EXT_TWCC EXT_SEND_TS);
  GstStructure *stats, *peer;
  Rtcp r = { 0 };
  gdouble w, p_c, delayed, burst;
  gint64 queue;
  guint arrived;

  push_packet (&p.send, 0);
  pull_packet (&p.send);
  gst_test_clock_advance_time (p.send.clock, 100 * MS);
  put_radp (&r, PEER, T_START, 1);
  put_tfrc (&r, 2, SSRC, T_START, 0, 0, 0);
  rtcp_push (p.rtcp, &r);
  g_object_get (p.send.element, "stats", &stats, NULL);
  g_assert_true (
      gst_structure_get (stats, "peer", GST_TYPE_STRUCTURE, &peer, NULL));
  g_assert_cmpstr (gst_structure_get_string (peer, "lda"), ==, "zbs");
  g_assert_true (gst_structure_get (peer, "w", G_TYPE_DOUBLE, &w, "p-c",
      G_TYPE_DOUBLE, &p_c, "delayed", G_TYPE_DOUBLE, &delayed, "burst",
      G_TYPE_DOUBLE, &burst, "queue", G_TYPE_INT64, &queue, "arrived",
      G_TYPE_UINT, &arrived, NULL));
  g_assert_cmpfloat (w, ==, .5);
  g_assert_cmpfloat (p_c, ==, .25);
  g_assert_cmpfloat (delayed, ==, .125);
  g_assert_cmpfloat (burst, ==, 1.5);
  g_assert_cmpint (queue, ==, 20 * MS);
  g_assert_cmpuint (arrived, ==, 1);
  gst_structure_free (peer);
  gst_structure_free (stats);
}

/* --- what is not for us --------------------------------------------------- */

/* A compound, in feedback=tfrc, after one packet at START; 50 ms later. */
static const struct
{
  const gchar *name;
  guint fmt;
  guint32 about;
  guint32 t_i;
  guint words;         /* of the FCI, 4 is right */
  guint32 radp_sender; /* 0: none */
  const gchar *counter;
  const gchar *why;
} tfrc_rows[] = {
  { "foreign", 2, SSRC + 1, T_START, 4, 0, "reports-foreign",
      "about another's stream" },
  { "foreign-radp", 2, SSRC, T_START, 4, PEER + 1, "reports-foreign",
      "RADP of somebody who sent no TFRC-FB" },
  { "short", 2, SSRC, T_START, 3, 0, "reports-malformed", "12 bytes" },
  { "empty", 2, SSRC, T_START, 0, 0, "reports-malformed", "no FCI" },
  { "unsent", 2, SSRC, T_START + 1, 4, 0, "reports-unsent",
      "nothing left 1 us later" },
  { "future", 2, SSRC, T_START + 60000, 4, 0, "reports-unsent",
      "10 ms from now" },
  { "ccfb", 11, SSRC, T_START, 4, 0, "reports-unasked", "of another mode" },
};

static void
test_tfrc_refused (gconstpointer data)
{
  guint row = GPOINTER_TO_UINT (data);
  g_auto (Pair) p
      = pair_new ("feedback=tfrc", "avpf", CAPS EXT_TWCC EXT_SEND_TS);
  guint rate = get_uint (&p.send, "estimated-bitrate");
  gboolean accepted = tfrc_rows[row].radp_sender != 0;
  Rtcp r = { 0 };

  g_test_message ("%s", tfrc_rows[row].why);
  push_packet (&p.send, 0);
  pull_packet (&p.send);
  gst_test_clock_advance_time (p.send.clock, 50 * MS);
  if (tfrc_rows[row].radp_sender)
    put_radp (&r, tfrc_rows[row].radp_sender, T_START, 1);
  put_head (&r, tfrc_rows[row].fmt, 205, 12 + 4 * tfrc_rows[row].words);
  put (&r, 4, PEER);
  put (&r, 4, tfrc_rows[row].about);
  for (guint i = 0; i < tfrc_rows[row].words; i++)
    put (&r, 4, i ? 0 : tfrc_rows[row].t_i);
  rtcp_push (p.rtcp, &r);
  g_assert_cmpint (stat (&p.send, tfrc_rows[row].counter), ==, 1);
  g_assert_cmpint (stat (&p.send, "reports-ok"), ==, accepted);
  g_assert_cmpint (stat (&p.send, "feedback"), ==, accepted);
  if (!accepted)
    g_assert_cmpuint (get_uint (&p.send, "estimated-bitrate"), ==, rate);
}

/* FMT is the user's; what is repeated is no news; other feedback is not ours to
 * judge, but transport-wide feedback was not asked for. */
static void
test_tfrc_again (void)
{
  g_auto (Pair) p = pair_new (
      "feedback=tfrc tfrc-fmt=7", "avpf", CAPS EXT_TWCC EXT_SEND_TS);
  Rtcp other = { 0 }, r = { 0 };

  push_packet (&p.send, 0);
  pull_packet (&p.send);
  gst_test_clock_advance_time (p.send.clock, 50 * MS);
  put_tfrc (&other, 2, SSRC, T_START, 0, 0, 0);
  rtcp_push (p.rtcp, &other);
  g_assert_cmpint (stat (&p.send, "reports-ok"), ==, 0);
  put_tfrc (&r, 7, SSRC, T_START, 0, 0, 0);
  rtcp_push (p.rtcp, &r);
  g_assert_cmpint (stat (&p.send, "reports-ok"), ==, 1);
  rtcp_push (p.rtcp, &r);
  g_assert_cmpint (stat (&p.send, "reports-old"), ==, 1);
  g_assert_cmpint (stat (&p.send, "feedback"), ==, 1);
  g_assert_cmpint (stat (&p.send, "reports-unasked"), ==, 0);
  feedback (&p.send, 0, 1, 0, NULL);
  g_assert_cmpint (stat (&p.send, "reports-unasked"), ==, 1);
  g_assert_cmpint (stat (&p.send, "feedback"), ==, 1);
}

/* --- ccfb ------------------------------------------------------------------ */

/* One block about packets [from, from + n) that all arrived `ato` before RTS,
 * but number `lost`. */
static void
put_ccfb (Rtcp *r, guint32 about, guint from, guint n, gint lost, guint ato,
    guint32 rts)
{
  guint padded = n + n % 2;

  put_head (r, 11, 205, 20 + 2 * padded); /* RFC 8888 3.1 */
  put (r, 4, PEER);
  put (r, 4, about);
  put (r, 2, from);
  put (r, 2, n);
  for (guint i = 0; i < padded; i++)
    put (r, 2, i >= n || (gint) (from + i) == lost ? 0 : 0x8000 | ato);
  put (r, 4, rts);
}

/* Ten packets at once, one lost; then the same report, one of another's stream
 * and a malformed one.  They arrived 8/1024 s = 7.8125 ms before the report was
 * sent, of which 8 % of 50 ms are believed. */
static void
test_ccfb (void)
{
  g_auto (Pair) p = pair_new (
      "feedback=ccfb lda=none controller=tfrc burst=1000000000", "avpf", CAPS);
  Rtcp r = { 0 }, again = { 0 }, foreign = { 0 }, bad = { 0 };
  guint rate;

  push_frame (&p.send, 0, 10);
  for (guint i = 0; i < 10; i++)
    pull_packet (&p.send);
  gst_test_clock_advance_time (p.send.clock, 50 * MS);
  put_ccfb (&r, SSRC, 0, 10, 5, 8, 0x12345678);
  rtcp_push (p.rtcp, &r);
  g_assert_cmpint (stat (&p.send, "reports-ok"), ==, 1);
  g_assert_cmpint (stat (&p.send, "feedback"), ==, 1);
  g_assert_cmpint (stat (&p.send, "feedback-bad"), ==, 0);
  g_assert_cmpint (stat (&p.send, "rtt"), ==, 46000000);
  g_assert_cmpint (stat (&p.send, "congestion-losses"), ==, 1);
  rate = get_uint (&p.send, "estimated-bitrate");
  g_assert_cmpuint (rate, !=, 500000);

  put_ccfb (&again, SSRC, 0, 10, 5, 20, 0x12345900);
  rtcp_push (p.rtcp, &again);
  g_assert_cmpint (stat (&p.send, "reports-old"), ==, 1);
  put_ccfb (&foreign, SSRC + 1, 0, 10, 5, 10, 0x12346000);
  rtcp_push (p.rtcp, &foreign);
  g_assert_cmpint (stat (&p.send, "reports-foreign"), ==, 1);
  g_assert_cmpint (stat (&p.send, "reports-unsent"), ==, 0);
  put_ccfb (&bad, SSRC, 0, 10, 5, 10, 0x12346000);
  bad.data[14] = 0x80; /* num_reports 32,778 */
  rtcp_push (p.rtcp, &bad);
  g_assert_cmpint (stat (&p.send, "reports-malformed"), ==, 1);
  g_assert_cmpint (stat (&p.send, "reports-ok"), ==, 1);
  g_assert_cmpint (stat (&p.send, "feedback-bad"), ==, 0);
  g_assert_cmpuint (get_uint (&p.send, "estimated-bitrate"), ==, rate);
}

/* A packet that came with ECN congestion experienced, 3 in the bits 13 and 14
 * (RFC 8888 3.1), is a loss event; 2 is ECT(0). */
static void
test_ccfb_ecn (void)
{
  g_auto (Pair) p
      = pair_new ("feedback=ccfb lda=none burst=1000000000", "avpf", CAPS);

  for (guint i = 0; i < 4; i++) {
    Rtcp r = { 0 };

    push_frame (&p.send, 0, 2);
    pull_packet (&p.send);
    pull_packet (&p.send);
    gst_test_clock_advance_time (p.send.clock, 50 * MS);
    put_ccfb (&r, SSRC, 2 * i, 2, -1, 16, 0x12345678 + 0x1000 * i);
    r.data[r.len - 8] |= (guint8) (i << 5);
    rtcp_push (p.rtcp, &r);
    g_assert_cmpint (stat (&p.send, "reports-ok"), ==, i + 1);
    g_assert_cmpint (stat (&p.send, "loss-events"), ==, i == 3);
  }
  g_assert_cmpint (stat (&p.send, "congestion-losses"), ==, 0);
}

/* --- the no-feedback timer -------------------------------------------------- */

/* Packets of a frame that never ends, and no answer.  With tfrc and ccfb each
 * packet asks for one: after 2 s the rate is halved (RFC 5348 4.2, 4.4).  With
 * twcc the end of a frame does. */
static const struct
{
  const gchar *feedback;
  gboolean falls;
} timer_rows[] = { { "tfrc", TRUE }, { "ccfb", TRUE }, { "twcc", FALSE } };

static void
test_timer (gconstpointer data)
{
  guint row = GPOINTER_TO_UINT (data);
  g_autofree gchar *properties = g_strdup_printf (
      "controller=tfrc feedback=%s", timer_rows[row].feedback);
  g_auto (Pair) p = pair_new (properties, "avpf", CAPS EXT_TWCC EXT_SEND_TS);

  g_test_message ("%s", timer_rows[row].feedback);
  for (guint i = 0; i < 50; i++) {
    push_packet (&p.send, 0);
    pull_packet (&p.send);
    gst_test_clock_advance_time (p.send.clock, 100 * MS);
  }
  if (timer_rows[row].falls)
    wait_until (get_uint (&p.send, "estimated-bitrate") <= 250000);
  else
    g_assert_cmpuint (get_uint (&p.send, "estimated-bitrate"), ==, 500000);
}

/* --- twcc ------------------------------------------------------------------ */

/* rtpsession numbered all packets, because each got its extension, and hands the
 * bytes of the report on as an event. */
static void
test_twcc (void)
{
  g_auto (Pair) p = pair_new (
      "lda=none controller=tfrc burst=1000000000", "avpf", CAPS EXT_TWCC);
  Rtcp r = { 0 };

  push_frame (&p.send, 0, 4);
  for (guint i = 0; i < 4; i++) {
    g_autofree gchar *expected
        = g_strdup_printf ("be de 00 01 11 00 %02x 00", i);

    pull_bytes (&p, expected);
  }
  gst_test_clock_advance_time (p.send.clock, 50 * MS);
  /* draft-holmer-...-01 3.1: base 0, 4 packets, reference time 1 (64 ms), a run
   * of 4 small deltas of 0. */
  put_head (&r, 15, 205, 28);
  put (&r, 4, PEER);
  put (&r, 4, SSRC);
  put (&r, 2, 0);
  put (&r, 2, 4);
  put (&r, 3, 1);
  put (&r, 1, 0);
  put (&r, 2, 0x2004);
  put (&r, 4, 0);
  put (&r, 2, 0);
  rtcp_push (p.rtcp, &r);
  g_assert_cmpint (stat (&p.send, "feedback"), ==, 1);
  g_assert_cmpint (stat (&p.send, "reports-ok"), ==, 1);
  g_assert_cmpint (stat (&p.send, "rtt"), ==, 50 * MS);
  g_assert_cmpint (stat (&p.send, "feedback-unmapped"), ==, 0);
  g_assert_cmpint (stat (&p.send, "reports-unasked"), ==, 0);
}

/* --- receiver reports alone ------------------------------------------------ */

/* A packet a second for 20 s, and a report about `about` each 4 s.  TRUE if it
 * went on. */
static gboolean
goes_on (guint32 about)
{
  g_auto (Pair) p
      = pair_new ("controller=fixed start-bitrate=1000000", "avp", CAPS);

  for (guint i = 0; i < 20 && get_uint (&p.send, "estimated-bitrate") > 0;
       i++) {
    Rtcp r = { 0 };

    push_frame (&p.send, i, 1);
    wait_until (gst_harness_buffers_in_queue (p.send.h) > 0
        || stat (&p.send, "ceased") > 0);
    gst_buffer_replace (
        &(GstBuffer *){ gst_harness_try_pull (p.send.h) }, NULL);
    gst_test_clock_advance_time (p.send.clock, GST_SECOND);
    put_rr (&r, about, 0, i, 0, 0);
    if (i % 4 == 0)
      rtcp_push (p.rtcp, &r);
  }
  /* The task hears of the time; RFC 8083 4.1 trips after 15 s. */
  if (about != SSRC)
    wait_until (get_uint (&p.send, "estimated-bitrate") == 0);
  return get_uint (&p.send, "estimated-bitrate") > 0;
}

static void
test_receiver_reports (void)
{
  g_assert_true (goes_on (SSRC));
  g_assert_false (goes_on (SSRC + 1));
}

/* The middle of the NTP time of the first sender report (RFC 3550 6.4.1). */
static GstFlowReturn
take_report (GstPad *pad, GstObject *parent, GstBuffer *buffer)
{
  guint8 b[16];

  if (gst_buffer_extract (buffer, 0, b, sizeof b) == sizeof b && b[1] == 200)
    g_atomic_int_compare_and_exchange (
        (gint *) gst_pad_get_element_private (pad), 0,
        (gint) ra_get_u32 (b + 10));
  gst_buffer_unref (buffer);
  return GST_FLOW_OK;
}

/* A packet is out before rtpsession has noted when it was sent.  If time went on
 * meanwhile, it would have been silent for long, and no sender; an event behind
 * the packet is out when that is done. */
static void
pull_event_behind (Pair *p)
{
  GstEvent *event;
  GstEventType type;

  gst_harness_push_event (p->send.h,
      gst_event_new_custom (
          GST_EVENT_CUSTOM_DOWNSTREAM, gst_structure_new_empty ("behind")));
  do {
    event = gst_harness_pull_event (p->send.h);
    g_assert_nonnull (event);
    type = GST_EVENT_TYPE (event);
    gst_event_unref (event);
  } while (type != GST_EVENT_CUSTOM_DOWNSTREAM);
}

/* R from report blocks: 100 ms or more since the sender report that they name.
 * With s = 1,200 and a quarter lost, RFC 8083 4.3's X is at most 1200 / (.1 sqrt
 * (2 * .25 / 3)) = 29,394 bytes/s = 235,151 bit/s.  A report that nobody sent
 * tells no R. */
static void
test_report_blocks (void)
{
  g_auto (Pair) p
      = pair_new ("controller=fixed start-bitrate=1000000", "avp", CAPS);
  g_autoptr (GstPad) src
      = gst_element_request_pad_simple (p.session, "send_rtcp_src");
  g_autoptr (GstPad) sink = gst_pad_new ("sink", GST_PAD_SINK);
  Rtcp unknown = { 0 }, extended = { 0 }, known = { 0 };
  gint lsr = 0;

  gst_pad_set_element_private (sink, &lsr);
  gst_pad_set_chain_function (sink, take_report);
  gst_pad_set_active (sink, TRUE);
  gst_pad_link_full (src, sink, GST_PAD_LINK_CHECK_NOTHING);
  push_frame (&p.send, 0, 1);
  pull_packet (&p.send);
  pull_event_behind (&p);
  /* Time goes on when both threads wait for it, and packets go on: no silence.  A
   * quarter of four is a packet. */
  for (guint i = 1; g_atomic_int_get (&lsr) == 0
       || gst_harness_buffers_received (p.send.h) < 4;
       i++) {
    g_assert_cmpuint (i, <, 60000);
    if (gst_test_clock_peek_id_count (p.send.clock) >= 2) {
      crank (&p.send);
      push_frame (&p.send, i, 1);
    }
    g_usleep (1000);
  }
  gst_test_clock_advance_time (p.send.clock, 100 * MS);
  put_rr (&unknown, SSRC, 64, 3, (guint32) lsr + 1, 0);
  rtcp_push (p.rtcp, &unknown);
  g_assert_cmpint (stat (&p.send, "friendly-bitrate"), ==, -1); /* no bound */
  /* The profile's own bytes behind no block at all (RFC 3550 6.4.3). */
  put_rr (&extended, SSRC, 64, 3, (guint32) lsr, 0);
  extended.data[0] = 0x80;
  rtcp_push (p.rtcp, &extended);
  g_assert_cmpint (stat (&p.send, "friendly-bitrate"), ==, -1);
  put_rr (&known, SSRC, 64, 3, (guint32) lsr, 0);
  rtcp_push (p.rtcp, &known);
  g_assert_cmpint (stat (&p.send, "friendly-bitrate"), >, 0);
  g_assert_cmpint (stat (&p.send, "friendly-bitrate"), <=, 235151);
}

void
tests_add (void)
{
  g_test_add_func ("/rtpadaptsend/session/tfrc", test_tfrc);
  g_test_add_func ("/rtpadaptsend/session/tfrc/radp", test_radp);
  rows_add_by (
      "/rtpadaptsend/session/tfrc/refused", tfrc_rows, name, test_tfrc_refused);
  g_test_add_func ("/rtpadaptsend/session/tfrc/again", test_tfrc_again);
  g_test_add_func ("/rtpadaptsend/session/ccfb", test_ccfb);
  g_test_add_func ("/rtpadaptsend/session/ccfb/ecn", test_ccfb_ecn);
  rows_add_by ("/rtpadaptsend/session/timer", timer_rows, feedback, test_timer);
  g_test_add_func ("/rtpadaptsend/session/twcc", test_twcc);
  g_test_add_func (
      "/rtpadaptsend/session/receiver-reports", test_receiver_reports);
  g_test_add_func ("/rtpadaptsend/session/report-blocks", test_report_blocks);
}
