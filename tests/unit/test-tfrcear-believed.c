/* The ear for feedback=tfrc by hand: what it makes of what it believes.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "tfrcear-fixture.h"

/* What the last of the reports gives: RADP's differences, or without it what
 * follows from what was sent and from p. */
static const struct
{
  Said said[5];
  guint expected, arrived, congestion, wireless, events;
  gint loss_age, queue; /* ms; queue -1: unknown */
  gint rtt;             /* that the t_delay leaves */
  const gchar *why;
} believed_rows[] = {
  { { FIRST }, 11, 11, 0, 0, 0, 0, 7, 50, "all since the beginning" },
  { { { 1100, 30, 1250, 0, 0, 11, 11, 0, 0, RA_HEARD_OK } }, 11, 11, 0, 0, 0, 0,
      7, 140, "the next packet left 10 ms later: it cannot have waited 30" },
  { { { 1100, 4, 1154, 0, 0, 11, 11, 0, 0, RA_HEARD_OK } }, 11, 11, 0, 0, 0, 0,
      7, 50, "it may have waited 4" },
  { { FIRST, { 1150, 30, 1230, 0, 0, 16, 16, 0, 0, RA_HEARD_OK } }, 5, 5, 0, 0,
      0, 0, 7, 50, "it may, as 50 ms were seen before" },
  { { FIRST, { 1150, 40, 1200, 0, 0, 16, 16, 0, 0, RA_HEARD_OK } }, 5, 5, 0, 0,
      0, 0, 7, 46, "10 ms: 50 less 4, that it may have waited, were it true" },
  { { FIRST, { 1150, 0, 1200, 0, .1, 16, 13, 1, 2, RA_HEARD_OK } }, 5, 2, 1, 2,
      1, 20, 7, 50, "the counters' differences" },
  { { FIRST, { 1150, 0, 1200, 0, .1, 16, 16, 0, 0, RA_HEARD_OK, .marks = 1 } },
      5, 5, 0, 0, 1, 20, 7, 50, "a loss event without a loss is a mark" },
  { { FIRST, { 1150, 0, 1200, 0, .1, 16, 15, 1, 0, RA_HEARD_OK, .age = 1000 } },
      5, 4, 1, 0, 1, 150, 7, 50,
      "a loss before 1100 - 2 R would have been reported" },
  { { FIRST, { 1150, 0, 1200, 0, 0, 16, 16, 0, 0, RA_HEARD_OK, .queue = 90 } },
      5, 5, 0, 0, 0, 0, 50, 50, "the queue is a part of R" },
  /* 5 are neither arrived nor lost at 1250 */
  { { FIRST, { 1200, 0, 1250, 0, .1, 21, 16, 0, 0, RA_HEARD_OK },
        { 1240, 0, 1290, 0, .1, 25, 20, 0, 0, RA_HEARD_OK } },
      4, 4, 0, 0, 0, 0, 7, 50, "40 ms later they may become both" },
  { { FIRST, { 1200, 0, 1250, 0, .1, 21, 16, 0, 0, RA_HEARD_OK },
        { 1320, 0, 1370, 0, .1, 33, 19, 0, 0, RA_HEARD_OK } },
      12, 3, 0, 0, 0, 0, 7, 50, "and after 3 packets" },
  { { FIRST, { 1200, 0, 1250, 0, .1, 21, 16, 0, 0, RA_HEARD_OK },
        { 1320, 0, 1370, 0, .1, 33, 20, 0, 0, RA_HEARD_OK } },
      12, 4, 5, 0, 0, 0, 7, 50, "2 R and 4 packets later they are lost" },
  { { FIRST, { 1150, 0, 1200, 0, 0, 26, 16, 0, 0, RA_HEARD_OK } }, 5, 5, 0, 0,
      0, 0, 7, 50, "5 were sent and no 15" },
  { { { 1100, 44, 1150, 0, 0, 11, 11, 0, 0, RA_HEARD_OK } }, 11, 11, 0, 0, 0, 0,
      7, 46, "8 % of 50 are believed" },
  { { FIRST, { 1150, 0, 1200, 0, 0, 3, 3, 0, 0, RA_HEARD_OK } }, 5, 5, 0, 0, 0,
      0, -1, 50, "a new beginning: what was sent" },
  { { FIRST, { 1150, 0, 1200, 0, 0, 3, 3, 0, 0, RA_HEARD_OK },
        { 1200, 0, 1250, 0, 0, 8, 8, 0, 0, RA_HEARD_OK } },
      5, 5, 0, 0, 0, 0, 7, 50, "and from there on" },

  { { FIRST_PLAIN }, 11, 11, 0, 0, 0, 0, -1, 50, "without RADP" },
  { { FIRST_PLAIN, { 1600, 0, 1650, 0, .125, PLAIN, 0, 0, 0, RA_HEARD_OK } },
      50, 44, 6, 0, 1, 0, -1, 50, "6.25 of 50; p rose: an event" },
  { { FIRST_PLAIN, { 1600, 0, 1650, 0, .01, PLAIN, 0, 0, 0, RA_HEARD_OK } }, 50,
      49, 1, 0, 1, 0, -1, 50, "half a packet of 50; but there was an event" },
  { { FIRST_PLAIN, { 1600, 0, 1650, 0, .01, PLAIN, 0, 0, 0, RA_HEARD_OK },
        { 1700, 0, 1750, 0, .01, PLAIN, 0, 0, 0, RA_HEARD_OK } },
      10, 10, 0, 0, 0, 0, -1, 50, "it was one too many by .5 - 10 * .01" },
  { { FIRST_PLAIN, { 1600, 0, 1650, 0, .01, PLAIN, 0, 0, 0, RA_HEARD_OK },
        { 2900, 0, 2950, 0, .009, PLAIN, 0, 0, 0, RA_HEARD_OK } },
      130, 130, 0, 0, 0, 0, -1, 50, "-.5 + 130 * .009 = .67" },
  { { FIRST_PLAIN, { 1600, 0, 1650, 0, .01, PLAIN, 0, 0, 0, RA_HEARD_OK },
        { 3300, 0, 3350, 0, .009, PLAIN, 0, 0, 0, RA_HEARD_OK } },
      170, 169, 1, 0, 0, 0, -1, 50, "-.5 + 170 * .009 = 1.03" },
  { { FIRST_PLAIN, { 1110, 0, 1160, 0, .9, PLAIN, 0, 0, 0, RA_HEARD_OK } }, 1,
      1, 0, 0, 1, 0, -1, 50, "that of t_i did arrive" },
  { { FIRST_PLAIN, { 1110, 0, 1160, 0, .9, PLAIN, 0, 0, 0, RA_HEARD_OK },
        { 1120, 0, 1170, 0, .9, PLAIN, 0, 0, 0, RA_HEARD_OK },
        { 1130, 0, 1180, 0, .9, PLAIN, 0, 0, 0, RA_HEARD_OK },
        { 1630, 0, 1680, 0, .01, PLAIN, 0, 0, 0, RA_HEARD_OK } },
      50, 49, 1, 0, 0, 0, -1, 50,
      "1 + 50 * .01: what could not be lost is not saved up" },
  { { FIRST, { 1150, 0, 1200, 0, 0, PLAIN, 0, 0, 0, RA_HEARD_OK } }, 5, 5, 0, 0,
      0, 0, -1, 50, "a RADP is missing" },
  { { FIRST, { 1150, 0, 1200, 0, 0, PLAIN, 0, 0, 0, RA_HEARD_OK },
        { 1200, 0, 1250, 0, 0, 21, 21, 0, 0, RA_HEARD_OK } },
      5, 5, 0, 0, 0, 0, -1, 50, "the next says nothing twice" },
};

static void
test_believed (gconstpointer data)
{
  guint i = GPOINTER_TO_UINT (data);
  const Said *s = NULL;
  g_auto (Ear) e;

  ear_init (&e);
  for (guint k = 0; k < G_N_ELEMENTS (believed_rows[i].said); k++) {
    if (believed_rows[i].said[k].now == 0)
      break;
    s = &believed_rows[i].said[k];
    g_assert_cmpint (ear_hear (&e, s), ==, RA_HEARD_OK);
  }
  g_test_message ("%s", believed_rows[i].why);
  g_assert_cmpuint (e.report.t_recvdata, ==, MS (s->t));
  g_assert_cmpuint (e.report.recv_rate, ==, s->kbps * 1000);
  g_assert_cmpfloat_with_epsilon (e.report.p, s->p, 1e-9);
  g_assert_cmpuint (e.report.expected, ==, believed_rows[i].expected);
  g_assert_cmpuint (e.report.arrived, ==, believed_rows[i].arrived);
  g_assert_cmpuint (e.report.lost_congestion, ==, believed_rows[i].congestion);
  g_assert_cmpuint (e.report.lost_wireless, ==, believed_rows[i].wireless);
  g_assert_cmpuint (e.report.n_events, ==, believed_rows[i].events);
  g_assert_cmpuint (e.report.ce, ==, s->marks);
  g_assert_cmpint (e.report.loss_age, ==, MS (believed_rows[i].loss_age));
  g_assert_cmpint (e.report.queue, ==,
      believed_rows[i].queue < 0 ? RA_SPAN_NONE
                                 : (RaSpan) MS (believed_rows[i].queue));
  g_assert_cmpint (
      ra_diff (MS (s->now - s->t), e.t_delay), ==, MS (believed_rows[i].rtt));
}

/* What the peer says about R = 50 ms each 100 ms: p and counters, per report of
 * 10 packets.  `heard` is the outcome once 2 R and 4 packets have passed, and the
 * sum of what is called lost after 30 reports. */
static const struct
{
  gdouble p;
  gint arrived, congestion, wireless;
  RaHeard heard;
  guint lost;
  const gchar *why;
} denied_rows[] = {
  { 0, 10, 0, 0, RA_HEARD_OK, 0, "nothing lost" },
  { .1, 9, 1, 0, RA_HEARD_OK, 30, "losses, reported" },
  { 0, 9, 0, 1, RA_HEARD_OK, 30, "to the radio" },
  { 0, 9, 1, 0, RA_HEARD_CONTRARY, 0, "losses, and p = 0" },
  { 0, 9, 0, 0, RA_HEARD_CONTRARY, 0, "losses that nobody reported" },
  { .1, 9, 0, 0, RA_HEARD_OK, 29,
      "the same, p > 0: reported for it, 2 R later" },
};

static void
test_denied (gconstpointer data)
{
  guint i = GPOINTER_TO_UINT (data), lost = 0;
  RaHeard heard = RA_HEARD_OK;
  g_auto (Ear) e;

  ear_init (&e);
  for (gint k = 1; k <= 30; k++) {
    Said s = { 990 + 100 * k, 0, 1040 + 100 * k, 0, denied_rows[i].p, 10 * k,
      denied_rows[i].arrived * k, denied_rows[i].congestion * k,
      denied_rows[i].wireless * k, RA_HEARD_OK };

    heard = ear_hear (&e, &s);
    if (heard == RA_HEARD_OK)
      lost += e.report.lost_congestion + e.report.lost_wireless;
    if (k == 1)
      g_assert_cmpint (heard, ==, RA_HEARD_OK);
  }
  if (heard != denied_rows[i].heard)
    g_test_message ("%s", denied_rows[i].why);
  g_assert_cmpint (heard, ==, denied_rows[i].heard);
  if (heard == RA_HEARD_OK)
    g_assert_cmpuint (lost, ==, denied_rows[i].lost);
}

/* What left in one microsecond is one t_i; a report may know a part of it. */
static void
test_microsecond (void)
{
  Said s = { 1000, 0, 1050, 0, 0, 1, 1, 0, 0, RA_HEARD_OK };
  Said then = { 1010, 0, 1060, 0, 0, 4, 4, 0, 0, RA_HEARD_OK };
  g_auto (Ear) e;

  ear_init (&e);
  for (guint ns = 0; ns < 3; ns++)
    ear_sent (&e, MS (1000) + ns * 400);
  e.next = MS (1010);
  g_assert_cmpint (ear_hear (&e, &s), ==, RA_HEARD_OK);
  g_assert_cmpuint (e.report.t_recvdata, ==, MS (1000) + 800);
  g_assert_cmpuint (e.report.expected, ==, 1);
  g_assert_cmpint (ear_hear (&e, &then), ==, RA_HEARD_OK);
  g_assert_cmpuint (e.report.expected, ==, 3);
}

void
tests_add (void)
{
  rows_add ("/tfrcear/believed", believed_rows, test_believed);
  rows_add ("/tfrcear/denied", denied_rows, test_denied);
  g_test_add_func ("/tfrcear/microsecond", test_microsecond);
}
