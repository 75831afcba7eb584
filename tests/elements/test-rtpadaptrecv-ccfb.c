/* rtpadaptrecv: feedback=ccfb, what goes into RTCP, and when.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "../main.h"
#include "recv-fixture.h"

/* 1/1024 s is 976,562.5 ns: what arrives 1/64 s apart has exact offsets. */
#define SIXTYFOURTH (GST_SECOND / 64)

/* Packets 10, 11 and 13, the last one marked CE (RFC 3168: 3), 3, 2 and 1
 * sixty-fourths of a second before the report: 48, 32 and 16 units. */
static void
test_ccfb_values (void)
{
  static const guint16 metrics[]
      = { 0x8000 | 48, 0x8000 | 32, 0, 0x8000 | 3 << 13 | 16 };
  g_auto (Recv) r = recv_new (
      "feedback=ccfb feedback-interval=62500000", SESSION, CAPS_TWCC);
  GstRTCPBuffer rtcp = GST_RTCP_BUFFER_INIT;
  GstRTCPPacket packet;
  g_autoptr (GstBuffer) buffer = NULL;
  GstClockTime t;
  const guint8 *fci;
  guint16 begin;

  first_report (&r, (Packet){ .seq = 9 }, RA_CCFB_FMT);
  t = time_now (&r);
  for (guint i = 0; i < 3; i++) {
    advance_to (&r, t + (i + 1) * SIXTYFOURTH);
    push (&r,
        (Packet){ .seq = i == 2 ? 13 : (guint16) (10 + i),
            .has_tos = TRUE,
            .tos = i == 2 ? 3 : 0 });
  }
  advance_to (&r, t + 4 * SIXTYFOURTH);
  buffer = report_try (&r, RA_CCFB_FMT);
  g_assert_nonnull (buffer);
  g_assert_true (
      rtcp_find (buffer, &rtcp, &packet, GST_RTCP_TYPE_RTPFB, RA_CCFB_FMT));
  g_assert_cmphex (
      gst_rtcp_packet_fb_get_sender_ssrc (&packet), ==, internal_ssrc (&r));
  g_assert_cmphex (gst_rtcp_packet_fb_get_media_ssrc (&packet), ==, SSRC);
  fci = gst_rtcp_packet_fb_get_fci (&packet);
  /* What was told before may be told again; these are the last ones. */
  begin = GST_READ_UINT16_BE (fci);
  g_assert_cmpuint (begin, <=, 10);
  g_assert_cmpuint (begin + GST_READ_UINT16_BE (fci + 2), ==, 14);
  for (guint i = 0; i < 4; i++)
    g_assert_cmphex (
        GST_READ_UINT16_BE (fci + 4 + 2 * (10 - begin + i)), ==, metrics[i]);
  gst_rtcp_buffer_unmap (&rtcp);
  g_assert_false (rtcp_has (buffer, GST_RTCP_TYPE_APP, 0));
  g_assert_cmpint (stat (&r, "ce"), ==, 1);
}

/* RTS is the time of the report on the clock of sender reports: the middle of
 * an NTP timestamp (RFC 8888 3.1), 2,208,988,800 s ahead of 1970. */
static void
test_ccfb_rts (void)
{
  g_auto (Recv) r = recv_new ("feedback=ccfb", SESSION, CAPS_TWCC);
  GstRTCPBuffer rtcp = GST_RTCP_BUFFER_INIT;
  GstRTCPPacket packet;
  g_autoptr (GstBuffer) buffer = NULL;
  gdouble before, after;
  guint32 rts, first, last;
  const guint8 *fci;

  before = (gdouble) g_get_real_time () / 1e6 + 2208988800.;
  push (&r, (Packet){ .seq = 9 });
  while (!(buffer = report_try (&r, RA_CCFB_FMT)))
    g_assert_true (step (&r, GST_CLOCK_TIME_NONE));
  after = (gdouble) g_get_real_time () / 1e6 + 2208988800.;
  g_assert_true (
      rtcp_find (buffer, &rtcp, &packet, GST_RTCP_TYPE_RTPFB, RA_CCFB_FMT));
  fci = gst_rtcp_packet_fb_get_fci (&packet)
      + 4 * (gst_rtcp_packet_fb_get_fci_length (&packet) - 1);
  rts = GST_READ_UINT32_BE (fci);
  first = (guint32) (guint64) (before * 65536);
  last = (guint32) ((guint64) (after * 65536) + 1);
  g_assert_cmpuint (rts - first, <=, last - first);
  gst_rtcp_buffer_unmap (&rtcp);
}

/* Each 50 ms by default, and nothing in silence. */
static void
test_ccfb_interval (void)
{
  g_auto (Recv) r = recv_new ("feedback=ccfb", SESSION, CAPS_TWCC);
  GstBuffer *buffer;
  GstClockTime last;
  guint n = 0;

  first_report (&r, (Packet){ .seq = 0 }, RA_CCFB_FMT);
  last = time_now (&r);
  for (guint16 seq = 1; n < 100; seq++) {
    push (&r, (Packet){ .seq = seq });
    advance_to (&r, time_now (&r) + 5 * MS);
    while ((buffer = report_try (&r, RA_CCFB_FMT))) {
      g_assert_cmpuint (time_now (&r) - last, ==, 50 * MS);
      last = time_now (&r);
      n++;
      gst_buffer_unref (buffer);
    }
  }
  g_assert_cmpint (stat (&r, "reports-sent"), ==, n + 1);

  /* The last packets are told twice (RFC 8888 3.1: reports may overlap).  The
   * timer that watched over that is the last one. */
  advance_to (&r, last + 100 * MS - 1);
  g_assert_cmpint (stat (&r, "reports-sent"), ==, n + 2);
  r.timers = 1;
  advance_to (&r, last + GST_SECOND);
  g_assert_cmpint (stat (&r, "reports-sent"), ==, n + 2);
}

/* A timer that waits for the statistics is set to an earlier report. */
static void
test_ccfb_timer (void)
{
  g_auto (Recv) r = recv_new (
      "feedback=ccfb stats-interval=3600000000000", SESSION, CAPS_TWCC);
  GstClockTime last;

  first_report (&r, (Packet){ .seq = 0 }, RA_CCFB_FMT);
  last = time_now (&r);
  push (&r, (Packet){ .seq = 1 });
  advance_to (&r, last + 50 * MS);
  g_assert_cmpint (stat (&r, "reports-sent"), ==, 2);
}

void
tests_add (void)
{
  g_test_add_func ("/rtpadaptrecv/ccfb/values", test_ccfb_values);
  g_test_add_func ("/rtpadaptrecv/ccfb/rts", test_ccfb_rts);
  g_test_add_func ("/rtpadaptrecv/ccfb/interval", test_ccfb_interval);
  g_test_add_func ("/rtpadaptrecv/ccfb/timer", test_ccfb_timer);
}
