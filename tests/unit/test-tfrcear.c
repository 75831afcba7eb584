/* The ear for feedback=tfrc by hand: what it refuses.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "heard-nick.h"
#include "tfrcear-fixture.h"

/* Packet 15 leaves at 1150.  X_recv in the second report: R is 50
 * ms, all of which came after the first report, which had seen packet 9 and
 * perhaps not all of its microsecond: 6 packets until 1150, a quarter more for
 * what we do not know of the time, 4 late ones: 11,500 bytes in 50 ms are 1840
 * kbit/s. */
static const struct
{
  Said said[3];
  const gchar *why;
} heard_rows[] = {
  { { FIRST }, "the first" },
  { { { 1100, 30, 1180, 0, 0, 11, 11, 0, 0, RA_HEARD_OK } }, "it waited" },
  { { { 1101, 0, 1150, 0, 0, 11, 11, 0, 0, RA_HEARD_UNSENT } },
      "nothing left then" },
  { { { 1200, 0, 1150, 0, 0, 11, 11, 0, 0, RA_HEARD_UNSENT } },
      "from the future" },
  { { { 990, 0, 1150, 0, 0, 11, 11, 0, 0, RA_HEARD_UNSENT } },
      "from before the first packet" },
  { { { 1000, 0, 10999, 0, 0, 1, 1, 0, 0, RA_HEARD_OK } }, "10 s on the way" },
  { { { 1000, 0, 11001, 0, 0, 1, 1, 0, 0, RA_HEARD_OLD } }, "and more" },
  { { { 1000, 1000, 12001, 0, 0, 1, 1, 0, 0, RA_HEARD_OLD } },
      "without what it waited" },

  { { FIRST, { 1100, 0, 1151, 0, 0, 11, 11, 0, 0, RA_HEARD_OLD } }, "again" },
  { { FIRST, { 1090, 0, 1151, 0, 0, 10, 10, 0, 0, RA_HEARD_OLD } },
      "overtaken" },
  { { { 1100, 5, 1155, 0, 0, 11, 11, 0, 0, RA_HEARD_OK },
        { 1100, 4, 1156, 0, 0, 11, 11, 0, 0, RA_HEARD_OLD } },
      "written earlier" },
  { { FIRST, { 1100, 5, 1155, 0, 0, 11, 12, 0, 0, RA_HEARD_OK } },
      "a late packet removed a loss event: RFC 5348 6.1 step 2" },
  { { FIRST, { 1110, 0, 1160, 0, 0, 12, 12, 0, 0, RA_HEARD_OK } }, "the next" },

  { { { 1100, 50, 1150, 0, 0, 11, 11, 0, 0, RA_HEARD_CONTRARY } },
      "no time at all on the way" },
  { { { 1100, 51, 1150, 0, 0, 11, 11, 0, 0, RA_HEARD_CONTRARY } },
      "a negative RTT" },
  { { { 1100, 49, 1150, 0, 0, 11, 11, 0, 0, RA_HEARD_OK } }, "a short one" },

  { { FIRST, { 1150, 0, 1200, 1840, 0, 16, 16, 0, 0, RA_HEARD_OK } },
      "X_recv: what may just be" },
  { { FIRST, { 1150, 0, 1200, 1841, 0, 16, 16, 0, 0, RA_HEARD_UNSENT } },
      "X_recv: more than was sent" },
  { { FIRST_PLAIN,
        { 1150, 0, 1200, 1841, 0, PLAIN, 0, 0, 0, RA_HEARD_UNSENT } },
      "X_recv: without RADP, too" },
  /* R is 50 + (100 - 50) / 10 = 55 ms.  Since 1305 no more can have come than
   * what left after packet 14, which the report at 1250 had seen: 17 until 1310;
   * 17 * 1250 + 4000 bytes in 55 ms are 3672.7 kbit/s. */
  { { FIRST, { 1150, 0, 1250, 0, 0, 16, 16, 0, 0, RA_HEARD_OK },
        { 1310, 0, 1360, 3672, 0, 32, 32, 0, 0, RA_HEARD_OK } },
      "X_recv: over the smoothed R" },
  { { FIRST, { 1150, 0, 1250, 0, 0, 16, 16, 0, 0, RA_HEARD_OK },
        { 1310, 0, 1360, 3673, 0, 32, 32, 0, 0, RA_HEARD_UNSENT } },
      "X_recv: and more" },

  /* Packets of the second before it may come late: 11 */
  { { { 1100, 0, 1150, 0, 0, 11, 22, 0, 0, RA_HEARD_OK } }, "late packets" },
  { { { 1100, 0, 1150, 0, 0, 11, 23, 0, 0, RA_HEARD_UNSENT } },
      "more arrived than was sent" },
  /* 111 were sent, 11 of them up to 1100 */
  { { { 2100, 0, 2150, 0, 0, 111, 211, 0, 0, RA_HEARD_OK } },
      "100 of the last second" },
  { { { 2100, 0, 2150, 0, 0, 111, 212, 0, 0, RA_HEARD_UNSENT } },
      "and one more" },
  { { FIRST, { 3000, 0, 3050, 0, 0, 0, 0, 0, 0, RA_HEARD_OK },
        { 3010, 0, 3060, 0, 0, 202, 202, 0, 0, RA_HEARD_OK } },
      "counters that begin again, once, are somebody else's" },
  { { FIRST, { 3000, 0, 3050, 0, 0, 500, 500, 0, 0, RA_HEARD_UNSENT },
        { 4000, 0, 4050, 0, 0, 600, 600, 0, 0, RA_HEARD_OK } },
      "more arrived once, by somebody else; 1 s later all fits" },
  { { FIRST, { 3000, 0, 3050, 0, 0, 500, 500, 0, 0, RA_HEARD_UNSENT },
        { 3990, 0, 4040, 0, 0, 599, 599, 0, 0, RA_HEARD_UNSENT } },
      "not before" },
  { { FIRST, { 1150, 0, 1200, 0, 0, 30, 28, 0, 0, RA_HEARD_UNSENT } },
      "16 + 11 were sent, whatever it expected" },
  { { FIRST, { 1150, 0, 1200, 0, 0, 12, 23, 0, 0, RA_HEARD_OK } },
      "12 expected, 11 late" },
  { { FIRST, { 1150, 0, 1200, 0, 0, 12, 24, 0, 0, RA_HEARD_UNSENT } },
      "more arrived than it expected" },
  /* Neither arrived nor lost for 2 R, and p = 0: RFC 4342 9 */
  { { FIRST, { 1200, 0, 1250, 0, 0, 21, 18, 0, 0, RA_HEARD_OK },
        { 1320, 0, 1370, 0, 0, 33, 30, 0, 0, RA_HEARD_OK } },
      "3 may be forgotten" },
  { { FIRST, { 1200, 0, 1250, 0, 0, 21, 17, 0, 0, RA_HEARD_OK },
        { 1320, 0, 1370, 0, 0, 33, 29, 0, 0, RA_HEARD_CONTRARY } },
      "4 are denied" },
  { { FIRST, { 11990, 0, 12040, 0, 0, 1100, 1096, 0, 0, RA_HEARD_OK },
        { 12110, 0, 12160, 0, 0, 1112, 1108, 0, 0, RA_HEARD_OK } },
      "of 1000 one more" },
  { { { 1100, 0, 1150, 0, .1, 11, 11, 22, 0, RA_HEARD_OK } }, "losses" },
  { { { 1100, 0, 1150, 0, .1, 11, 11, 20, 3, RA_HEARD_CONTRARY } },
      "more was lost than it expected" },
  /* 5 packets since the first report; twice that, and RA_HOLES_MAX */
  { { FIRST, { 1150, 0, 1200, 0, 0, 11 + 4106, 16, 0, 0, RA_HEARD_OK } },
      "it expected what we dropped before it left" },
  { { FIRST, { 1150, 0, 1200, 0, 0, 11 + 4107, 16, 0, 0, RA_HEARD_UNSENT } },
      "it expected more than ever was" },
  { { { 1100, 0, 1150, 0, 0, 5000, 5000, 0, 0, RA_HEARD_OK } },
      "it began before us" },
  { { FIRST, { 1150, 0, 1200, 0, 0, 3, 3, 0, 0, RA_HEARD_OK } },
      "it began again" },
};

static void
test_heard (gconstpointer data)
{
  guint i = GPOINTER_TO_UINT (data);
  g_auto (Ear) e;

  ear_init (&e);
  for (guint k = 0; k < G_N_ELEMENTS (heard_rows[i].said); k++) {
    const Said *s = &heard_rows[i].said[k];
    RaReport before;
    RaHeard heard;

    if (s->now == 0)
      break;
    memcpy (&before, &e.report, sizeof before);
    heard = ear_hear (&e, s);
    if (heard != s->heard)
      g_test_message ("%s: %s", heard_rows[i].why, heard_nick (heard));
    g_assert_cmpint (heard, ==, s->heard);
    if (heard != RA_HEARD_OK) /* nothing was filled */
      g_assert_cmpmem (&before, sizeof before, &e.report, sizeof e.report);
  }
}

static void
test_malformed (void)
{
  static const guint8 zeros[RA_RADP_SIZE_MAX];
  RaReport report;
  RaSpan t_delay;
  g_auto (Ear) e;

  ear_init (&e);
  ear_send (&e, MS (1100));
  for (gsize len = 0; len < sizeof zeros; len++) {
    if (len != RA_TFRC_FB_SIZE)
      g_assert_cmpint (ra_tfrc_ear_on_tfrc (e.tfrc_ear, zeros, len, MS (1150),
                           &report, &t_delay),
          ==, RA_HEARD_MALFORMED);
    g_assert_cmpint (ra_tfrc_ear_on_radp (e.tfrc_ear, zeros, len, MS (1150)),
        ==, RA_HEARD_MALFORMED); /* of version 0 */
  }
  g_assert_null (ra_tfrc_ear_radp (e.tfrc_ear));
}

/* RADP alone. */
static void
test_radp (void)
{
  static const struct
  {
    gint t, now;
    RaHeard heard;
    const gchar *why;
  } rows[] = {
    { 1200, 1250, RA_HEARD_OK, "a later one, whose TFRC-FB was lost" },
    { 1150, 1250, RA_HEARD_OK, "of the one that was taken" },
    { 1140, 1250, RA_HEARD_OLD, "overtaken" },
    { 1205, 1250, RA_HEARD_UNSENT, "nothing left then" },
  };
  Said first = { 1150, 0, 1200, 0, 0, 16, 15, 0, 0, RA_HEARD_OK };
  g_auto (Ear) e;

  ear_init (&e);
  g_assert_cmpint (ear_hear (&e, &first), ==, RA_HEARD_OK);
  ear_send (&e, MS (1250));
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    Said s = { rows[i].t, 0, rows[i].now, 0, 0, 99, 99, 0, 0, RA_HEARD_OK };

    g_test_message ("%s", rows[i].why);
    g_assert_cmpint (ear_radp (&e, &s), ==, rows[i].heard);
    /* Statistics have what was taken. */
    g_assert_cmpuint (ra_tfrc_ear_radp (e.tfrc_ear)->arrived, ==, 15);
  }
}

/* Packets each ms, each reported: at most 8 reports per R, and 8 at once.  R = 50
 * ms and 1 s: 8 + 8 * 20 = 168; at R = 2 ms the floor of 5 ms holds, 1600/s. */
static void
test_fast (void)
{
  static const struct
  {
    gint rtt;   /* ms */
    guint most; /* of 1000 */
    const gchar *why;
  } rows[] = { { 50, 168, "8 per R" }, { 2, 1000, "less than 8 per 5 ms" } };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    guint heard[RA_N_HEARD] = { 0 }, early = 0;
    Ear e;

    ear_init (&e);
    for (gint t = 1000; t < 2000 + 2 * rows[i].rtt; t++) {
      Said s = { t - rows[i].rtt, 0, t, 0, 0, PLAIN, 0, 0, 0, RA_HEARD_OK };
      RaHeard h;

      ear_sent (&e, MS (t));
      e.next = MS (t + 1);
      if (s.t < 1000)
        continue;
      h = ear_hear (&e, &s);
      if (s.t < 1000 + rows[i].rtt) { /* the peer did not know R then */
        g_assert_cmpint (h, ==, RA_HEARD_OK);
        early++;
      } else {
        heard[h]++;
      }
    }
    g_test_message ("%s", rows[i].why);
    g_assert_cmpuint (early, ==, rows[i].rtt);
    g_assert_cmpuint (heard[RA_HEARD_OK] + heard[RA_HEARD_FAST], ==, 1000);
    g_assert_cmpuint (heard[RA_HEARD_OK], <=, rows[i].most);
    g_assert_cmpuint (heard[RA_HEARD_OK], >=, rows[i].most - 8);
    ear_clear (&e);
  }
}

/* After a silence there are 8 at once, and no more. */
static void
test_burst (void)
{
  Said first = { 1000, 0, 1050, 0, 0, PLAIN, 0, 0, 0, RA_HEARD_OK };
  guint n = 0;
  g_auto (Ear) e;

  ear_init (&e);
  g_assert_cmpint (ear_hear (&e, &first), ==, RA_HEARD_OK);
  for (gint ms = 6000; ms < 6020; ms++) { /* 8 * 20 / 50 = 3 more */
    Said s = { ms, 0, ms + 50, 0, 0, PLAIN, 0, 0, 0, RA_HEARD_OK };

    e.next = MS (7000);
    ear_sent (&e, MS (ms));
    n += ear_hear (&e, &s) == RA_HEARD_OK;
  }
  g_assert_cmpuint (n, >=, 8);
  g_assert_cmpuint (n, <=, 11);
}

/* A clock that falls back: what was sent before is forgotten, what is sent from
 * then on is heard of. */
static void
test_clock_back (void)
{
  Said late = { 1100, 0, 1150, 0, 0, PLAIN, 0, 0, 0, RA_HEARD_OK };
  Said gone = { 1100, 0, 570, 0, 0, PLAIN, 0, 0, 0, RA_HEARD_UNSENT };
  Said then = { 520, 0, 570, 0, 0, 14, 14, 0, 0, RA_HEARD_OK };
  g_auto (Ear) e;

  ear_init (&e);
  g_assert_cmpint (ear_hear (&e, &late), ==, RA_HEARD_OK);
  e.next = MS (500);
  ear_send (&e, MS (570));
  g_assert_cmpint (ear_hear (&e, &gone), ==, RA_HEARD_UNSENT);
  g_assert_cmpint (ear_hear (&e, &then), ==, RA_HEARD_OK);
  g_assert_cmpuint (e.report.expected, ==, 3); /* 500, 510, 520 */
}

/* Only the last 16,384 microseconds are on record: at 10 ms a packet 163.84 s,
 * of which no report is as old; at 1 us a packet 16 ms. */
static void
test_memory (void)
{
  g_auto (Ear) e;

  ear_init (&e);
  for (guint i = 0; i < 3 * 16384; i++)
    ear_sent (&e, MS (1000) + i * RA_USECOND);
  e.next = MS (2000);
  for (guint ms = 1; ms <= 49; ms++) {
    Said s = { 1000 + (gint) ms, 0, 1060, 0, 0, PLAIN, 0, 0, 0, RA_HEARD_OK };

    /* 49,152 us were sent, the first on record is that of 32,768 us */
    g_assert_cmpint (
        ear_hear (&e, &s), ==, ms <= 32 ? RA_HEARD_UNSENT : RA_HEARD_OK);
  }
}

void
tests_add (void)
{
  rows_add ("/tfrcear/heard", heard_rows, test_heard);
  g_test_add_func ("/tfrcear/malformed", test_malformed);
  g_test_add_func ("/tfrcear/radp", test_radp);
  g_test_add_func ("/tfrcear/fast", test_fast);
  g_test_add_func ("/tfrcear/burst", test_burst);
  g_test_add_func ("/tfrcear/clock-back", test_clock_back);
  g_test_add_func ("/tfrcear/memory", test_memory);
}
