/* rtpadaptrecv: feedback=tfrc, what goes into RTCP, and when.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Time does not go on between a packet and the report it causes, so every value
 * in it is exact.
 */
#include "recv-fixture.h"
#include "../rows.h"

/* Takes `buffer`, which has a TFRC-FB with this FCI. */
static void
fb_expect (
    Recv *r, GstBuffer *buffer, guint32 t_i, RaSpan t_delay, guint32 x_recv)
{
  GstRTCPBuffer rtcp = GST_RTCP_BUFFER_INIT;
  GstRTCPPacket packet;
  const guint8 *fci;

  g_assert_true (
      rtcp_find (buffer, &rtcp, &packet, GST_RTCP_TYPE_RTPFB, RA_TFRC_FB_FMT));
  g_assert_cmphex (
      gst_rtcp_packet_fb_get_sender_ssrc (&packet), ==, internal_ssrc (r));
  g_assert_cmphex (gst_rtcp_packet_fb_get_media_ssrc (&packet), ==, SSRC);
  g_assert_cmpuint (gst_rtcp_packet_fb_get_fci_length (&packet), ==, 4);
  fci = gst_rtcp_packet_fb_get_fci (&packet);
  g_assert_cmphex (GST_READ_UINT32_BE (fci), ==, t_i);
  g_assert_cmpuint (GST_READ_UINT32_BE (fci + 4), ==, t_delay / RA_USECOND);
  g_assert_cmpuint (GST_READ_UINT32_BE (fci + 8), ==, x_recv);
  gst_rtcp_buffer_unmap (&rtcp);
  gst_buffer_unref (buffer);
}

/* `buffer` has a RADP with these data, zeros left out at t_i. */
static void
radp_expect (
    Recv *r, GstBuffer *buffer, guint32 t_i, const guint8 *data, gsize len)
{
  GstRTCPBuffer rtcp = GST_RTCP_BUFFER_INIT;
  GstRTCPPacket packet;
  g_autofree guint8 *got = NULL;

  g_assert_true (rtcp_find (buffer, &rtcp, &packet, GST_RTCP_TYPE_APP, 0));
  g_assert_cmpmem (gst_rtcp_packet_app_get_name (&packet), 4, "RADP", 4);
  g_assert_cmpuint (gst_rtcp_packet_app_get_subtype (&packet), ==, 0);
  g_assert_cmphex (
      gst_rtcp_packet_app_get_ssrc (&packet), ==, internal_ssrc (r));
  g_assert_cmpuint (4 * gst_rtcp_packet_app_get_data_length (&packet), ==, len);
  got = g_memdup2 (gst_rtcp_packet_app_get_data (&packet), len);
  g_assert_cmphex (GST_READ_UINT32_BE (got + 4), ==, t_i);
  memset (got + 4, 0, 4);
  g_assert_cmpmem (got, (gint) len, data, (gint) len);
  gst_rtcp_buffer_unmap (&rtcp);
}

/* --- tfrc --------------------------------------------------------------- */

/* Packets 0, and at 10, 20, 30 and 40 ms after its report 1 to 4; at 50 ms the
 * next one: t_delay 10 ms, X_recv = 4 * 1000 bytes / 50 ms = 80,000 bytes/s. */
static void
test_values (void)
{
  static const guint8 radp[]
      = { 1, 3, 0, 0, /* version, length of "zbs", burst */
          0, 0, 0, 0, 0, 0, 0, 5, 0, 0, 0, 5, /* t_i, expected, arrived */
          0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, /* losses, runs */
          0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, /* events, t_lost, queue */
          0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, /* w, p_c, delayed */
          'z', 'b', 's', 0, /* and the lowest and highest queue */
          0, 0, 0, 0, 0, 0, 0, 0 };
  g_auto (Recv) r = recv_new ("feedback=tfrc lda=zbs", SESSION, CAPS_TFRC);
  GstClockTime t;
  GstBuffer *buffer;
  guint32 t_i;

  first_report (&r, (Packet){ .seq = 65534, STAMPED }, RA_TFRC_FB_FMT);
  t = time_now (&r);
  for (guint i = 1; i <= 4; i++) {
    advance_to (&r, t + i * 10 * MS);
    push (&r, (Packet){ .seq = (guint16) (65534 + i), STAMPED });
    g_assert_null (report_try (&r, RA_TFRC_FB_FMT));
  }
  t_i = stamp_us (t + 40 * MS - 20 * MS);
  advance_to (&r, t + 50 * MS - 1);
  g_assert_null (report_try (&r, RA_TFRC_FB_FMT));
  advance_to (&r, t + 50 * MS);
  buffer = report_try (&r, RA_TFRC_FB_FMT);
  g_assert_nonnull (buffer);
  g_assert_true (rtcp_has (buffer, GST_RTCP_TYPE_RR, 0));
  radp_expect (&r, buffer, t_i, radp, sizeof radp);
  fb_expect (&r, buffer, t_i, 10 * MS, 80000);
  g_assert_null (report_try (&r, RA_TFRC_FB_FMT));
  g_assert_cmpint (stat (&r, "reports-sent"), ==, 2);
  g_assert_cmpint (stat (&r, "packets"), ==, 5);
  g_assert_cmpint (stat (&r, "bytes"), ==, 5 * SIZE);
  g_assert_cmpint (stat (&r, "expected"), ==, 5);
  g_assert_cmpint (stat (&r, "rtt"), ==, R);
}

/* RFC 5348 6.2: once per R, whatever regular RTCP does in between. */
static void
test_interval (void)
{
  g_auto (Recv) r = recv_new ("feedback=tfrc", SESSION, CAPS_TFRC);
  GstClockTime last;
  guint n = 0;

  first_report (&r, (Packet){ .seq = 0, STAMPED }, RA_TFRC_FB_FMT);
  last = time_now (&r);
  for (guint16 seq = 1; n < 200; seq++) {
    GstBuffer *buffer;

    push (&r, (Packet){ .seq = seq, STAMPED });
    advance_to (&r, time_now (&r) + 5 * MS);
    while ((buffer = report_try (&r, RA_TFRC_FB_FMT))) {
      g_assert_cmpuint (time_now (&r) - last, ==, R);
      last = time_now (&r);
      n++;
      gst_buffer_unref (buffer);
    }
  }
  g_assert_cmpint (stat (&r, "reports-refused"), ==, 0);
  g_assert_cmpint (stat (&r, "reports-sent"), ==, n + 1);
}

/* RFC 5348 6.1: at once after a new loss event, that is when the third later
 * packet comes (5.1); but no more than four reports per R, so the loss shows
 * only more than R/4 after the last one. */
static void
test_at_once (void)
{
  g_auto (Recv) r = recv_new (
      "feedback=tfrc lda=none loss-messages=true", SESSION, CAPS_TFRC);
  g_autoptr (GstMessage) message = NULL;
  g_autoptr (GstBuffer) buffer = NULL;
  GstClockTime t;
  guint64 lost;
  GstRTCPBuffer rtcp = GST_RTCP_BUFFER_INIT;
  GstRTCPPacket packet;
  const guint8 *data;

  first_report (&r, (Packet){ .seq = 0, STAMPED }, RA_TFRC_FB_FMT);
  t = time_now (&r);
  advance_to (&r, t + 20 * MS);
  push (&r, (Packet){ .seq = 2, STAMPED });
  advance_to (&r, t + 21 * MS);
  push (&r, (Packet){ .seq = 3, STAMPED });
  advance_to (&r, t + 22 * MS);
  g_assert_null (report_try (&r, RA_TFRC_FB_FMT));
  push (&r, (Packet){ .seq = 4, STAMPED });
  buffer = report_try (&r, RA_TFRC_FB_FMT);
  g_assert_nonnull (buffer);
  g_assert_cmpuint (time_now (&r), ==, t + 22 * MS);

  g_assert_true (rtcp_find (buffer, &rtcp, &packet, GST_RTCP_TYPE_APP, 0));
  data = gst_rtcp_packet_app_get_data (&packet);
  g_assert_cmpuint (GST_READ_UINT32_BE (data + 8), ==, 5);  /* expected */
  g_assert_cmpuint (GST_READ_UINT32_BE (data + 12), ==, 4); /* arrived */
  g_assert_cmpuint (GST_READ_UINT32_BE (data + 16), ==, 1); /* congestion */
  g_assert_cmpuint (GST_READ_UINT32_BE (data + 28), ==, 1); /* events */
  gst_rtcp_buffer_unmap (&rtcp);
  g_assert_true (
      rtcp_find (buffer, &rtcp, &packet, GST_RTCP_TYPE_RTPFB, RA_TFRC_FB_FMT));
  data = gst_rtcp_packet_fb_get_fci (&packet);
  g_assert_cmpuint (GST_READ_UINT32_BE (data + 4), ==, 0); /* t_delay */
  g_assert_cmpuint (GST_READ_UINT32_BE (data + 12), >, 0); /* p */
  gst_rtcp_buffer_unmap (&rtcp);

  message = message_expect (&r, "rtpadapt-loss");
  g_assert_true (gst_structure_get_uint64 (
      gst_message_get_structure (message), "number", &lost));
  g_assert_cmpuint (lost & 0xffff, ==, 1);
  g_assert_cmpstr (
      gst_structure_get_string (gst_message_get_structure (message), "verdict"),
      ==, "congestion");
  g_assert_cmpint (stat (&r, "congestion-losses"), ==, 1);
  g_assert_cmpint (stat (&r, "loss-events"), ==, 1);
}

/* RFC 5348 6.2: nothing came, so nothing is said; the packet that breaks the
 * silence is answered at once. */
static void
test_silence (void)
{
  g_auto (Recv) r = recv_new ("feedback=tfrc", SESSION, CAPS_TFRC);
  GstBuffer *buffer;
  GstClockTime t;
  guint n = 0;

  first_report (&r, (Packet){ .seq = 0, STAMPED }, RA_TFRC_FB_FMT);
  t = time_now (&r);
  advance_to (&r, t + R - 1);
  r.timers = 1; /* it finds nothing, and is not set again */
  advance_to (&r, t + 4 * GST_SECOND);
  while ((buffer = rtcp_try (&r))) {
    g_assert_false (rtcp_has (buffer, GST_RTCP_TYPE_APP, 0));
    gst_buffer_unref (buffer);
    n++;
  }
  /* Regular ones, 2.5 s apart at least (rtcp-min-interval 5 s). */
  g_assert_cmpuint (n, <=, 2);
  g_assert_cmpint (stat (&r, "reports-sent"), ==, 1);

  r.timers = 2;
  push (&r, (Packet){ .seq = 1, STAMPED });
  fb_expect (&r, report_try (&r, RA_TFRC_FB_FMT),
      stamp_us (time_now (&r) - 20 * MS), 0,
      SIZE * 10); /* 1000 bytes in the last 100 ms */
}

/* The packet came 7 ms ago, says its DTS: t_delay counts from then. */
static const struct
{
  gboolean has_dts;
  RaSpan late, t_delay;
  const gchar *why;
} dts_rows[] = {
  { FALSE, 0, 10 * MS, "no DTS: it came when it came" },
  { TRUE, 7 * MS, 17 * MS, "the kernel had it for 7 ms" },
  { TRUE, 0, 10 * MS, "at once" },
  { TRUE, 11 * RA_SECOND, 10 * MS, "too old to be a time of arrival" },
  { TRUE, -5 * RA_MSECOND, 10 * MS, "not in the future" },
};

static void
test_arrival (gconstpointer data)
{
  guint row = GPOINTER_TO_UINT (data);
  g_auto (Recv) r = recv_new ("feedback=tfrc", SESSION, CAPS_TFRC);
  GstRTCPBuffer rtcp = GST_RTCP_BUFFER_INIT;
  GstRTCPPacket packet;
  g_autoptr (GstBuffer) buffer = NULL;
  GstClockTime t;

  g_test_message ("%s", dts_rows[row].why);
  first_report (&r, (Packet){ .seq = 0, STAMPED }, RA_TFRC_FB_FMT);
  t = time_now (&r);
  advance_to (&r, t + 40 * MS);
  push (&r,
      (Packet){ .seq = 1,
          STAMPED,
          .has_dts = dts_rows[row].has_dts,
          .late = dts_rows[row].late });
  advance_to (&r, t + 50 * MS);
  buffer = report_try (&r, RA_TFRC_FB_FMT);
  g_assert_nonnull (buffer);
  g_assert_true (
      rtcp_find (buffer, &rtcp, &packet, GST_RTCP_TYPE_RTPFB, RA_TFRC_FB_FMT));
  g_assert_cmpuint (
      GST_READ_UINT32_BE (gst_rtcp_packet_fb_get_fci (&packet) + 4), ==,
      dts_rows[row].t_delay / RA_USECOND);
  gst_rtcp_buffer_unmap (&rtcp);
}

/* RTCP of 5 % of 64 kbit/s is 3.2 kbit/s: two of 100 bytes, one of each member,
 * take half a second, while R = 50 ms wants 20 in a second.  What is refused
 * goes with a later packet, and is fresh then: packets come each 10 ms. */
static void
test_refused (void)
{
  g_auto (Recv) r = recv_new (
      "feedback=tfrc", "rtp-profile=avpf bandwidth=64000", CAPS_TFRC);
  GstClockTime start;
  guint n = 0;

  first_report (&r, (Packet){ .seq = 0, STAMPED }, RA_TFRC_FB_FMT);
  start = time_now (&r);
  for (guint16 seq = 1; n < 12; seq++) {
    GstRTCPBuffer rtcp = GST_RTCP_BUFFER_INIT;
    GstRTCPPacket packet;
    GstBuffer *buffer;

    push (&r, (Packet){ .seq = seq, STAMPED });
    advance_to (&r, time_now (&r) + 10 * MS);
    while ((buffer = report_try (&r, RA_TFRC_FB_FMT))) {
      g_assert_true (rtcp_find (
          buffer, &rtcp, &packet, GST_RTCP_TYPE_RTPFB, RA_TFRC_FB_FMT));
      g_assert_cmpuint (
          GST_READ_UINT32_BE (gst_rtcp_packet_fb_get_fci (&packet) + 4), <=,
          10000);
      gst_rtcp_buffer_unmap (&rtcp);
      gst_buffer_unref (buffer);
      n++;
    }
  }
  g_assert_cmpuint (time_now (&r) - start, >, 2 * n * R);
  g_assert_cmpint (stat (&r, "reports-refused"), >, n);
  g_assert_cmpint (stat (&r, "reports-sent"), ==, n + 1);
  warning_expect (&r, "bandwidth");
  nothing_said (&r);
}

/* RR (8 + 24) and SDES leave too little of this MTU; when there is more, the
 * report that waited goes. */
static void
test_no_room (void)
{
  g_auto (Recv) r = recv_new ("feedback=tfrc", SESSION, CAPS_TFRC);
  g_autoptr (GstBuffer) buffer = NULL;
  GstClockTime t;

  first_report (&r, (Packet){ .seq = 0, STAMPED }, RA_TFRC_FB_FMT);
  t = time_now (&r);
  g_object_set (r.internal, "rtcp-mtu", 140, NULL);
  advance_to (&r, t + 40 * MS);
  push (&r, (Packet){ .seq = 1, STAMPED });
  advance_to (&r, t + 50 * MS);
  buffer = rtcp_try (&r);
  g_assert_nonnull (buffer);
  g_assert_false (rtcp_has (buffer, GST_RTCP_TYPE_RTPFB, RA_TFRC_FB_FMT));
  g_assert_false (rtcp_has (buffer, GST_RTCP_TYPE_APP, 0));
  g_assert_cmpint (stat (&r, "reports-no-room"), ==, 1);
  g_assert_cmpint (stat (&r, "reports-sent"), ==, 1);

  g_object_set (r.internal, "rtcp-mtu", 1400, NULL);
  advance_to (&r, t + 2 * R);
  fb_expect (&r, report_try (&r, RA_TFRC_FB_FMT), stamp_us (t + 20 * MS),
      60 * MS, SIZE * 10);
  g_assert_cmpint (stat (&r, "reports-sent"), ==, 2);
}

/* RFC 5506: nothing but the report. */
static void
test_reduced_size (void)
{
  g_auto (Recv) r
      = recv_new ("feedback=tfrc tfrc-fmt=5 lda=zbs", SESSION, CAPS_TFRC);
  GstRTCPBuffer rtcp = GST_RTCP_BUFFER_INIT;
  GstRTCPPacket packet;
  g_autoptr (GstBuffer) buffer = NULL;
  GstClockTime t;

  g_object_set (r.internal, "rtcp-reduced-size", TRUE, NULL);
  first_report (&r, (Packet){ .seq = 0, STAMPED }, 5);
  t = time_now (&r);
  advance_to (&r, t + 40 * MS);
  push (&r, (Packet){ .seq = 1, STAMPED });
  advance_to (&r, t + 50 * MS);
  buffer = report_try (&r, 5);
  g_assert_nonnull (buffer);
  g_assert_true (rtcp_find (buffer, &rtcp, &packet, GST_RTCP_TYPE_APP, 0));
  g_assert_cmpuint (packet.offset, ==, 0);
  g_assert_cmphex (
      gst_rtcp_packet_app_get_ssrc (&packet), ==, internal_ssrc (&r));
  gst_rtcp_buffer_unmap (&rtcp);
  g_assert_true (rtcp_has (buffer, GST_RTCP_TYPE_RTPFB, 5));
  /* APP with 64 bytes of data, RTPFB with 16 */
  g_assert_cmpuint (gst_buffer_get_size (buffer), ==, 12 + 64 + 12 + 16);
}

/* Another SSRC goes on in the transport-wide sequence: no loss, and the reports
 * are about it. */
static void
test_ssrc_change (void)
{
  g_auto (Recv) r = recv_new ("feedback=tfrc", SESSION, CAPS_TFRC);
  GstRTCPBuffer rtcp = GST_RTCP_BUFFER_INIT;
  GstRTCPPacket packet;
  g_autoptr (GstBuffer) buffer = NULL;
  GstClockTime t;

  first_report (&r,
      (Packet){ .seq = 7, .numbered = TRUE, .number = 65533, STAMPED },
      RA_TFRC_FB_FMT);
  t = time_now (&r);
  for (guint16 i = 1; i <= 9; i++) {
    advance_to (&r, t + i * 5 * MS);
    push (&r,
        (Packet){ .seq = 40000 + i,
            .ssrc = 0xabcdef01,
            .numbered = TRUE,
            .number = (guint16) (65533 + i),
            STAMPED });
  }
  advance_to (&r, t + 50 * MS);
  buffer = report_try (&r, RA_TFRC_FB_FMT);
  g_assert_nonnull (buffer);
  g_assert_true (
      rtcp_find (buffer, &rtcp, &packet, GST_RTCP_TYPE_RTPFB, RA_TFRC_FB_FMT));
  g_assert_cmphex (gst_rtcp_packet_fb_get_media_ssrc (&packet), ==, 0xabcdef01);
  gst_rtcp_buffer_unmap (&rtcp);
  g_assert_cmpint (stat (&r, "expected"), ==, 10);
  g_assert_cmpint (stat (&r, "arrived"), ==, 10);
  g_assert_cmpint (
      stat (&r, "congestion-losses") + stat (&r, "wireless-losses"), ==, 0);
}

void
tests_add (void)
{
  g_test_add_func ("/rtpadaptrecv/tfrc/values", test_values);
  g_test_add_func ("/rtpadaptrecv/tfrc/interval", test_interval);
  g_test_add_func ("/rtpadaptrecv/tfrc/at-once", test_at_once);
  g_test_add_func ("/rtpadaptrecv/tfrc/silence", test_silence);
  rows_add ("/rtpadaptrecv/tfrc/arrival", dts_rows, test_arrival);
  g_test_add_func ("/rtpadaptrecv/tfrc/refused", test_refused);
  g_test_add_func ("/rtpadaptrecv/tfrc/no-room", test_no_room);
  g_test_add_func ("/rtpadaptrecv/tfrc/reduced-size", test_reduced_size);
  g_test_add_func ("/rtpadaptrecv/tfrc/ssrc-change", test_ssrc_change);
}
