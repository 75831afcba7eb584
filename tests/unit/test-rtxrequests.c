/* When a receiver asks for a packet that is missing.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Times are in ms.  Packet 10 is missing in each test: 9 comes at 1000, 11 at
 * 1010, which opens the hole.
 */
#include <gst/rtpadapt/feedback/rtxrequests.h>

#include "../main.h"

#define MS(x) ((x) *RA_MSECOND)
#define LATENCY MS (200)

static RaRtxRequests *
begin (void)
{
  RaRtxRequests *r = g_new0 (RaRtxRequests, 1);

  ra_rtx_requests_on_packet (r, 9, FALSE, MS (1000));
  ra_rtx_requests_on_packet (r, 11, FALSE, MS (1010));
  return r;
}

static RaSpan
ask (RaRtxRequests *r, guint16 seq, RaSpan age, RaTime now)
{
  return ra_rtx_requests_wait (r, seq, age, LATENCY, now);
}

/* Only for what a later packet showed to be missing, and once while nothing is
 * known of the round trip. */
static void
test_missing (void)
{
  g_autofree RaRtxRequests *r = begin ();

  g_assert_cmpint (ask (r, 12, 0, MS (1010)), ==, RA_SPAN_NONE);
  g_assert_cmpint (ask (r, 11, 0, MS (1010)), ==, RA_SPAN_NONE);
  g_assert_cmpint (ask (r, 10, 0, MS (1010)), ==, 0);
  g_assert_cmpint (ask (r, 10, 0, MS (1100)), ==, RA_SPAN_NONE);
  ra_rtx_requests_on_packet (r, 10, TRUE, MS (1110));
  g_assert_cmpint (ask (r, 10, 0, MS (1111)), ==, RA_SPAN_NONE);
}

/* RFC 6298 2.2: R = 50, RTTVAR = 25, so RTO = 50 + 4 x 25 = 150; and 2.3 with a
 * second R of 58: RTTVAR = 25 + (8 - 25) / 4 = 20.75, SRTT = 51, RTO = 134. */
static void
test_round_trip (void)
{
  g_autofree RaRtxRequests *r = begin ();

  ask (r, 10, 0, MS (1010));
  g_assert_cmpint (
      ra_rtx_requests_on_packet (r, 10, TRUE, MS (1060)), ==, MS (150));
  ra_rtx_requests_on_packet (r, 13, FALSE, MS (1070));
  g_assert_cmpint (ask (r, 12, 0, MS (1070)), ==, 0);
  /* 100 of the 150 have passed */
  g_assert_cmpint (ask (r, 12, 0, MS (1170)), ==, MS (50));
  g_assert_cmpint (
      ra_rtx_requests_on_packet (r, 12, TRUE, MS (1128)), ==, MS (134));
}

/* An RTO of 150, and the path takes 350 from now on.  Who was asked twice may have
 * answered either, and RFC 6298 5.5 doubles the RTO; 300 are still too few, 600 are not.
 * Then R = 350: RTTVAR = 25 + (300 - 25) / 4 = 93.75, SRTT = 87.5, RTO = 462.5. */
static void
test_back_off (void)
{
  static const guint asked[] = { 3, 2, 1 }, rto[] = { 300, 600, 462 };
  g_autofree RaRtxRequests *r = begin ();

  ask (r, 10, 0, MS (1010));
  ra_rtx_requests_on_packet (r, 10, TRUE, MS (1060));
  for (guint16 i = 0; i < G_N_ELEMENTS (asked); i++) {
    RaTime now = (2 + i) * RA_SECOND, end = now + MS (350);
    guint16 seq = (guint16) (12 + 4 * i), same = seq + 2;
    guint n = 0;

    ra_rtx_requests_on_packet (r, seq + 1, FALSE, now);
    ra_rtx_requests_on_packet (r, seq + 3, FALSE, now);
    for (RaSpan wait; now < end; now += MAX (wait, RA_MSECOND)) {
      n += (wait = ra_rtx_requests_wait (r, seq, 0, RA_SPAN_NONE, now)) == 0;
      ra_rtx_requests_wait (r, same, 0, RA_SPAN_NONE, now);
    }
    g_assert_cmpuint (n, ==, asked[i]);
    g_assert_cmpint (
        ra_rtx_requests_on_packet (r, seq, TRUE, end) / RA_MSECOND, ==, rto[i]);
    if (asked[i] > 1) /* it is of the same expiry */
      g_assert_cmpint (
          ra_rtx_requests_on_packet (r, same, TRUE, end) / RA_MSECOND, ==,
          rto[i]);
  }
}

/* A hole that was filled 20 ms late: the next may be 1.25 x as late, 25, and half
 * as much of that 5 s later. */
static void
test_reordered (void)
{
  g_autofree RaRtxRequests *r = begin ();

  ra_rtx_requests_on_packet (r, 10, FALSE, MS (1030));
  ra_rtx_requests_on_packet (r, 13, FALSE, MS (1030));
  g_assert_cmpint (ask (r, 12, 0, MS (1030)), ==, MS (25));
  g_assert_cmpint (ask (r, 12, 0, MS (6030)), ==, 0);
  ra_rtx_requests_on_packet (r, 15, FALSE, MS (6030));
  g_assert_cmpint (ask (r, 14, 0, MS (6030)), ==, 12500 * RA_USECOND);
}

/* With an R of 50, what is 151 late comes after 200; one such request in a second
 * goes out all the same. */
static void
test_hopeless (void)
{
  g_autofree RaRtxRequests *r = begin ();

  ask (r, 10, 0, MS (1010));
  ra_rtx_requests_on_packet (r, 10, TRUE, MS (1060));
  ra_rtx_requests_on_packet (r, 16, FALSE, MS (2000));
  g_assert_cmpint (ask (r, 12, MS (150), MS (2000)), ==, 0);
  g_assert_cmpint (ask (r, 13, MS (151), MS (2000)), ==, 0); /* the trial */
  g_assert_cmpint (ask (r, 14, MS (151), MS (2000)), ==, RA_SPAN_NONE);
  g_assert_cmpint (
      ra_rtx_requests_wait (r, 14, MS (151), RA_SPAN_NONE, MS (2000)), ==, 0);
  g_assert_cmpint (ask (r, 15, MS (151), MS (3000)), ==, 0);
}

/* Packets came 20 ms late, so that a request waits for 25.  With an R of 50, the
 * answer to one that is 126 old comes after 201: the first that leaves is the
 * trial, though its age is that from before, by which the answer would come after
 * 176.  The second one does not leave. */
static void
test_hopeless_held (void)
{
  g_autofree RaRtxRequests *r = begin ();

  ask (r, 10, 0, MS (1010));
  ra_rtx_requests_on_packet (r, 10, TRUE, MS (1060));
  ra_rtx_requests_on_packet (r, 13, FALSE, MS (1070));
  ra_rtx_requests_on_packet (r, 12, FALSE, MS (1090));
  ra_rtx_requests_on_packet (r, 16, FALSE, MS (1090));
  g_assert_cmpint (ask (r, 14, MS (126), MS (1090)), ==, MS (25));
  g_assert_cmpint (ask (r, 15, MS (126), MS (1090)), ==, MS (25));
  g_assert_cmpint (ask (r, 14, MS (126), MS (1115)), ==, 0);
  g_assert_cmpint (ask (r, 15, MS (126), MS (1115)), ==, RA_SPAN_NONE);
}

/* Numbers wrap; a jump is no hole of 2,048 packets or more. */
static void
test_numbers (void)
{
  g_autofree RaRtxRequests *r = g_new0 (RaRtxRequests, 1);

  ra_rtx_requests_on_packet (r, 65534, FALSE, MS (1000));
  ra_rtx_requests_on_packet (r, 1, FALSE, MS (1000));
  g_assert_cmpint (ask (r, 65535, 0, MS (1000)), ==, 0);
  g_assert_cmpint (ask (r, 0, 0, MS (1000)), ==, 0);
  ra_rtx_requests_on_packet (r, 1 + RA_RTX_REQUESTS_HOLES, FALSE, MS (1000));
  g_assert_cmpint (ask (r, 2, 0, MS (1000)), ==, RA_SPAN_NONE);
}

void
tests_add (void)
{
  g_test_add_func ("/rtxrequests/missing", test_missing);
  g_test_add_func ("/rtxrequests/round-trip", test_round_trip);
  g_test_add_func ("/rtxrequests/back-off", test_back_off);
  g_test_add_func ("/rtxrequests/reordered", test_reordered);
  g_test_add_func ("/rtxrequests/hopeless", test_hopeless);
  g_test_add_func ("/rtxrequests/hopeless/held", test_hopeless_held);
  g_test_add_func ("/rtxrequests/numbers", test_numbers);
}
