/* RADP, our APP packet: the bytes that radp.h draws, and counters that survive
 * lost reports.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "../rows.h"

#include <gst/rtpadapt/feedback/radp.h>
#include <gst/rtpadapt/feedback/stamp.h>
#include <gst/rtpadapt/util/rng.h>

#include <math.h>
#include <string.h>

/* 20 ms; 0.3 and 0.25 times 2^32, the integer part; 2.5 * 256 */
static const RaRadp golden = {
  .t_i = 0x12345678,
  .expected = 1000,
  .arrived = 960,
  .lost_congestion = 10,
  .lost_wireless = 30,
  .wireless_runs = 12,
  .n_events = 3,
  .t_lost = 0x12339328,
  .queue = 20 * RA_MSECOND,
  .queue_min = 12 * RA_MSECOND,
  .queue_max = RA_SPAN_NONE,
  .w = 0.03,
  .p_c = 0.01,
  .delayed = 0.25,
  .burst = 2.5,
  .lda = "wled",
};

static const guint8 golden_bytes[] = {
  1, 4, 0x02, 0x80,       /* version, length of the name, 640/256 packets */
  0x12, 0x34, 0x56, 0x78, /* t_i */
  0x00, 0x00, 0x03, 0xe8, /* expected 1000 */
  0x00, 0x00, 0x03, 0xc0, /* arrived 960 */
  0x00, 0x00, 0x00, 0x0a, /* lost to congestion 10 */
  0x00, 0x00, 0x00, 0x1e, /* to the radio 30 */
  0x00, 0x00, 0x00, 0x0c, /* runs 12 */
  0x00, 0x00, 0x00, 0x03, /* loss events 3 */
  0x12, 0x33, 0x93, 0x28, /* t_lost */
  0x00, 0x00, 0x4e, 0x20, /* queue 20000 us */
  0x07, 0xae, 0x14, 0x7a, /* w, floor (.03 2^32) = 128849018 */
  0x02, 0x8f, 0x5c, 0x28, /* p_c, floor (.01 2^32) = 42949672 */
  0x40, 0x00, 0x00, 0x00, /* delayed, .25 2^32 */
  'w', 'l', 'e', 'd',     /* the LDA */
  0x00, 0x00, 0x2e, 0xe0, /* lowest queue 12000 us */
  0xff, 0xff, 0xff, 0xff, /* highest unknown */
};

static void
test_golden (void)
{
  guint8 got[RA_RADP_SIZE_MAX];
  RaRadp x = { 0 };

  g_assert_cmpuint (ra_radp_write (&golden, got, sizeof got), ==, 64);
  g_assert_cmpmem (got, 64, golden_bytes, sizeof golden_bytes);
  g_assert_true (ra_radp_read (&x, golden_bytes, sizeof golden_bytes));
  g_assert_cmphex (x.t_i, ==, 0x12345678);
  g_assert_cmpuint (x.expected, ==, 1000);
  g_assert_cmpuint (x.arrived, ==, 960);
  g_assert_cmpuint (x.lost_congestion, ==, 10);
  g_assert_cmpuint (x.lost_wireless, ==, 30);
  g_assert_cmpuint (x.wireless_runs, ==, 12);
  g_assert_cmpuint (x.n_events, ==, 3);
  g_assert_cmphex (x.t_lost, ==, 0x12339328);
  g_assert_cmpint (x.queue, ==, 20 * RA_MSECOND);
  g_assert_cmpint (x.queue_min, ==, 12 * RA_MSECOND);
  g_assert_cmpint (x.queue_max, ==, RA_SPAN_NONE);
  g_assert_cmpfloat (x.w, ==, 128849018 / 4294967296.);
  g_assert_cmpfloat (x.p_c, ==, 42949672 / 4294967296.);
  g_assert_cmpfloat (x.delayed, ==, 0.25);
  g_assert_cmpfloat (x.burst, ==, 2.5);
  g_assert_cmpstr (x.lda, ==, "wled");
}

/* A peer of before the lowest and the highest queue ends with the name. */
static void
test_short (void)
{
  RaRadp x = { 0 };

  g_assert_true (ra_radp_read (&x, golden_bytes, 56));
  g_assert_cmpstr (x.lda, ==, "wled");
  g_assert_cmpint (x.queue_min, ==, RA_SPAN_NONE);
  g_assert_cmpint (x.queue_max, ==, RA_SPAN_NONE);
}

static void
test_no_room (void)
{
  guint8 got[64];

  memset (got, 0xa5, sizeof got);
  for (gsize len = 0; len < sizeof golden_bytes; len++)
    g_assert_cmpuint (ra_radp_write (&golden, got, len), ==, 0);
  for (guint i = 0; i < sizeof got; i++)
    g_assert_cmphex (got[i], ==, 0xa5);
}

/* --- names --- */

static const struct
{
  gchar name[RA_RADP_LDA_MAX + 1];
  gsize size; /* 52, the name and 8; 0: refused */
  const gchar *why;
} name_rows[] = {
  { "", 60, "unknown" },
  { "ll", 64, "two zeros behind it" },
  { "biaz", 64, "none" },
  { "mbiaz", 68, "three" },
  { "abcdefghijklmno", 76, "15, the longest" },
  { { 'a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j', 'k', 'l', 'm', 'n', 'o',
        'p' },
      0, "16, not ended" }, /* GCC 15 warns of a string that is as long */
  { "a b", 0, "a blank" },
  { "a\nb", 0, "a control character" },
  { "\xc3\xa4", 0, "not ASCII" },
};

static void
test_name (gconstpointer data)
{
  guint i = GPOINTER_TO_UINT (data);
  guint8 got[RA_RADP_SIZE_MAX];
  RaRadp x = golden, y;
  gsize size;

  g_test_message ("%s", name_rows[i].why);
  memset (got, 0xa5, sizeof got);
  memcpy (x.lda, name_rows[i].name, sizeof x.lda);
  size = ra_radp_write (&x, got, sizeof got);
  g_assert_cmpuint (size, ==, name_rows[i].size);
  if (size == 0)
    return;
  for (gsize k = 52 + strlen (x.lda); k < size - 8; k++)
    g_assert_cmphex (got[k], ==, 0);
  g_assert_true (ra_radp_read (&y, got, size));
  g_assert_cmpstr (y.lda, ==, x.lda);
}

/* --- how long packets are held --- */

static const struct
{
  RaSpan now, most, least;
  guint8 bytes[RA_RADP_HOLD_SIZE];
  RaSpan now_read, most_read, least_read;
  const gchar *why;
} hold_rows[] = {
  { 75 * RA_MSECOND, 200 * RA_MSECOND, 20 * RA_MSECOND,
      { 0, 1, 0x24, 0xf8, 0, 3, 0x0d, 0x40, 0, 0, 0x4e, 0x20 }, 75 * RA_MSECOND,
      200 * RA_MSECOND, 20 * RA_MSECOND, "75000, 200000 and 20000 us" },
  { 999, 1999, 0, { 0, 0, 0, 0, 0, 0, 0, 1 }, 0, RA_USECOND, 0, "whole us" },
  { -5, 0, 0, { 0 }, 0, 0, 0, "less than nothing" },
  { G_MAXINT64, 11 * RA_SECOND, G_MAXINT64,
      { 255, 255, 255, 255, 0, 0xa7, 0xd8, 0xc0, 255, 255, 255, 255 },
      10 * RA_SECOND, 10 * RA_SECOND, 10 * RA_SECOND,
      "nobody holds more than 10 s" },
  { 1000, 2000, 3000, { 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 3 }, 1000, 2000, 2000,
      "the least is no more than the most" },
};

static void
test_hold (gconstpointer data)
{
  guint i = GPOINTER_TO_UINT (data);
  RaRadpHold x = { hold_rows[i].now, hold_rows[i].most, hold_rows[i].least };
  guint8 bytes[RA_RADP_HOLD_SIZE + 4] = { 0 };

  g_test_message ("%s", hold_rows[i].why);
  ra_radp_hold_write (&x, bytes);
  g_assert_cmpmem (
      bytes, RA_RADP_HOLD_SIZE, hold_rows[i].bytes, RA_RADP_HOLD_SIZE);
  x = (RaRadpHold){ 1, 2, 3 };
  g_assert_false (ra_radp_hold_read (&x, bytes, 7));
  g_assert_true (x.now == 1 && x.most == 2 && x.least == 3);
  /* What a receiver says that does not know the third number. */
  g_assert_true (ra_radp_hold_read (&x, bytes, RA_RADP_HOLD_SIZE - 1));
  g_assert_cmpint (x.least, ==, hold_rows[i].most_read);
  g_assert_true (ra_radp_hold_read (&x, bytes, sizeof bytes));
  g_assert_cmpint (x.now, ==, hold_rows[i].now_read);
  g_assert_cmpint (x.most, ==, hold_rows[i].most_read);
  g_assert_cmpint (x.least, ==, hold_rows[i].least_read);
}

/* --- what does not fit --- */

#define P_MAX (4294967295 / 4294967296.)

static const struct
{
  RaSpan queue;
  gdouble share, burst;
  RaSpan queue_read;
  gdouble share_read, burst_read;
  const gchar *why;
} range_rows[] = {
  { RA_SPAN_NONE, 0, 0, RA_SPAN_NONE, 0, 0, "queue unknown" },
  { 0, 0, 0, 0, 0, 0, "queue empty" },
  { -5, -1, -1, 0, 0, 0, "less than nothing" },
  { 999, NAN, NAN, 0, 0, 0, "not a number" },
  { 1999, 1, 255.99609375, 1000, P_MAX, 255.99609375, "the greatest" },
  { 4294967295 * RA_USECOND, 2, 256, 4294967294 * RA_USECOND, P_MAX,
      255.99609375, "more: 2^32 - 1 us would be unknown" },
  { G_MAXINT64, INFINITY, INFINITY, 4294967294 * RA_USECOND, P_MAX,
      255.99609375, "for ever" },
  /* 1.001 * 256 = 256.26; 1.003 * 256 = 256.77 */
  { 0, 0.5, 1.001, 0, 0.5, 1, "burst is rounded" },
  { 0, 0.5, 1.003, 0, 0.5, 1.00390625, "to the nearest" },
};

static void
test_range (gconstpointer data)
{
  guint i = GPOINTER_TO_UINT (data);
  gdouble share = range_rows[i].share;
  guint8 bytes[RA_RADP_SIZE_MAX];
  RaRadp x = {
    .queue = range_rows[i].queue,
    .w = share,
    .p_c = share,
    .delayed = share,
    .burst = range_rows[i].burst,
  };

  g_test_message ("%s", range_rows[i].why);
  g_assert_cmpuint (ra_radp_write (&x, bytes, sizeof bytes), ==, 60);
  g_assert_true (ra_radp_read (&x, bytes, 60));
  g_assert_cmpint (x.queue, ==, range_rows[i].queue_read);
  g_assert_cmpfloat (x.w, ==, range_rows[i].share_read);
  g_assert_cmpfloat (x.p_c, ==, range_rows[i].share_read);
  g_assert_cmpfloat (x.delayed, ==, range_rows[i].share_read);
  g_assert_cmpfloat (x.burst, ==, range_rows[i].burst_read);
}

/* --- malformed --- */

/* The golden bytes with zeros up to len, and one of them changed. */
static const struct
{
  gsize len, at;
  guint8 value;
  gboolean good;
  const gchar *why;
} bad_rows[] = {
  { 56, 0, 1, TRUE, "as it was" },
  { 60, 0, 1, TRUE, "half of what is behind the name" },
  { 68, 0, 1, TRUE, "what a later version put behind that" },
  { 2000, 0, 1, TRUE, "a lot of it" },
  { 52, 0, 1, FALSE, "the name is missing" },
  { 52, 1, 0, TRUE, "there is none" },
  { 48, 1, 0, FALSE, "p_c was the last" },
  { 4, 1, 0, FALSE, "the first word" },
  { 0, 1, 0, FALSE, "nothing" },
  { 57, 0, 1, FALSE, "RFC 3550 6.7: a multiple of 32 bits" },
  { 58, 0, 1, FALSE, "likewise" },
  { 56, 0, 0, FALSE, "version 0" },
  { 56, 0, 2, FALSE, "version 2" },
  { 56, 1, 5, FALSE, "the name goes on behind the end" },
  { 56, 1, 15, FALSE, "far behind it" },
  { 56, 1, 255, FALSE, "farther" },
  { 72, 1, 16, FALSE, "16 is too long, and zeros are no name" },
  { 60, 1, 5, FALSE, "a zero in the name" },
  { 56, 1, 3, TRUE, "a shorter name, padding that is not 0" },
  { 56, 53, ' ', FALSE, "a blank in the name" },
  { 56, 53, 0x1b, FALSE, "an escape" },
  { 56, 53, 0x7f, FALSE, "a delete" },
  { 56, 53, 0xe4, FALSE, "not ASCII" },
};

static void
test_bad (gconstpointer data)
{
  guint i = GPOINTER_TO_UINT (data);
  gsize len = bad_rows[i].len;
  g_autofree guint8 *all = g_malloc0 (MAX (len, sizeof golden_bytes));
  g_autofree guint8 *bytes = NULL; /* exactly len: ASan sees what is behind */
  RaRadp x = golden;

  g_test_message ("%s", bad_rows[i].why);
  memcpy (all, golden_bytes, sizeof golden_bytes);
  all[bad_rows[i].at] = bad_rows[i].value;
  bytes = g_memdup2 (all, len);
  g_assert_cmpint (ra_radp_read (&x, bytes, len), ==, bad_rows[i].good);
  if (!bad_rows[i].good)
    g_assert_cmpmem (&x, sizeof x, &golden, sizeof golden);
}

/* --- differences --- */

static const struct
{
  RaRadp before, x;
  gboolean good;
  RaReport want;
  const gchar *why;
} since_rows[] = {
  { { 0 },
      { .t_i = 100,
          .expected = 10,
          .arrived = 9,
          .lost_wireless = 1,
          .wireless_runs = 1,
          .queue = 5,
          .queue_min = 3,
          .queue_max = 8 },
      TRUE,
      { .expected = 10,
          .arrived = 9,
          .lost_wireless = 1,
          .wireless_runs = 1,
          .queue = 5,
          .queue_min = 3,
          .queue_max = 8 },
      "from the first packet on" },
  { { .expected = 10,
        .arrived = 9,
        .lost_congestion = 1,
        .n_events = 1,
        .t_lost = 40,
        .queue = 7 },
      { .t_i = 200,
          .expected = 25,
          .arrived = 22,
          .lost_congestion = 3,
          .n_events = 2,
          .t_lost = 150,
          .queue = RA_SPAN_NONE },
      TRUE,
      { .expected = 15,
          .arrived = 13,
          .lost_congestion = 2,
          .n_events = 1,
          .loss_age = 50 * RA_USECOND,
          .queue = RA_SPAN_NONE },
      "the newest loss is 50 us older than t_i" },
  { { .n_events = 1, .t_lost = 40 },
      { .t_i = 200, .n_events = 2, .t_lost = 150 }, TRUE,
      { .n_events = 1, .loss_age = 50 * RA_USECOND }, "a mark" },
  { { .lost_congestion = 3, .t_lost = 40 },
      { .t_i = 200, .lost_congestion = 3, .t_lost = 40 }, TRUE, { 0 },
      "no new loss, no age" },
  { { .expected = 0xfffffff0, .lost_congestion = 0xffffffff },
      { .t_i = 4,
          .expected = 0x10,
          .lost_congestion = 1,
          .t_lost = 0xfffffffe },
      TRUE,
      { .expected = 32, .lost_congestion = 2, .loss_age = 6 * RA_USECOND },
      "over the wraps" },
  { { .lost_wireless = 4, .wireless_runs = 2 },
      { .lost_wireless = 6, .wireless_runs = 2 }, TRUE, { .lost_wireless = 2 },
      "a run that began in the report before" },
  { { .expected = 100 }, { .expected = 100 }, TRUE, { 0 }, "a duplicate" },
  { { .expected = 100 }, { .expected = 99 }, FALSE, { 0 }, "backwards" },
  { { .arrived = 100 }, { .arrived = 0 }, FALSE, { 0 }, "began again" },
  { { .n_events = 1 }, { .expected = 5, .n_events = 0 }, FALSE, { 0 },
      "one of them backwards" },
  { { .wireless_runs = 1 }, { .wireless_runs = 3, .lost_wireless = 1 }, FALSE,
      { 0 }, "two runs of one packet" },
};

static void
test_since (gconstpointer data)
{
  guint i = GPOINTER_TO_UINT (data);
  const RaReport mine = { .rtt = 1,
    .p = 0.5,
    .expected = 77,
    .loss_age = 7,
    .data_limited = TRUE,
    .recv_rate = 8,
    .t_recvdata = 9,
    .interval = 3 };
  RaReport got = mine, want = mine;

  g_test_message ("%s", since_rows[i].why);
  if (since_rows[i].good) {
    want = since_rows[i].want;
    want.rtt = mine.rtt;
    want.p = mine.p;
    want.data_limited = mine.data_limited;
    want.recv_rate = mine.recv_rate;
    want.t_recvdata = mine.t_recvdata;
    want.interval = mine.interval;
  }
  g_assert_cmpint (
      ra_radp_since (&since_rows[i].x, &since_rows[i].before, &got), ==,
      since_rows[i].good);
  g_assert_cmpuint (got.expected, ==, want.expected);
  g_assert_cmpuint (got.arrived, ==, want.arrived);
  g_assert_cmpuint (got.lost_congestion, ==, want.lost_congestion);
  g_assert_cmpuint (got.lost_wireless, ==, want.lost_wireless);
  g_assert_cmpuint (got.wireless_runs, ==, want.wireless_runs);
  g_assert_cmpuint (got.n_events, ==, want.n_events);
  g_assert_cmpint (got.loss_age, ==, want.loss_age);
  g_assert_cmpint (got.queue, ==, want.queue);
  g_assert_cmpint (got.queue_min, ==, want.queue_min);
  g_assert_cmpint (got.queue_max, ==, want.queue_max);
  g_assert_true (got.rtt == want.rtt && got.p == want.p
      && got.data_limited == want.data_limited && got.interval == want.interval
      && got.recv_rate == want.recv_rate && got.t_recvdata == want.t_recvdata);
}

static void
test_since_nothing (void)
{
  RaReport got = { 0 };

  g_assert_true (ra_radp_since (&golden, NULL, &got));
  g_assert_cmpuint (got.expected, ==, 1000);
  g_assert_cmpuint (got.n_events, ==, 3);
  /* 0x12345678 - 0x12339328 = 0xc350 = 50000 us */
  g_assert_cmpint (got.loss_age, ==, 50 * RA_MSECOND);
}

/* Half of the reports are lost, counters and stamps wrap: the reports that
 * arrive say together what those that were sent did, and the newest congestion
 * loss is known from the first one that comes after it. */
static void
test_lost_reports (gconstpointer data)
{
  guint seed = GPOINTER_TO_UINT (data);
  RaTime t = 4294000 * RA_MSECOND, t_lost = 0; /* about to wrap */
  RaReport sent = { 0 }, got = { 0 };
  RaRadp counter = { .expected = 0xffffff00, .arrived = 0xffffff80 };
  RaRadp before;
  guint new_losses = 0;
  RaRng rng;

  ra_rng_init (&rng, seed, 0);
  g_test_message ("seed %u", seed);
  before = counter;
  for (guint i = 0; i < 2000; i++) {
    RaReport r = { .expected = 20, .n_events = ra_rng_next (&rng) % 3 };
    guint8 bytes[RA_RADP_SIZE_MAX];
    RaReport d = { 0 };
    RaRadp x;

    t += 50 * RA_MSECOND;
    r.t_recvdata = t;
    r.lost_congestion = ra_rng_chance (&rng, 0.3) ? r.n_events : 0;
    r.ce = r.n_events - r.lost_congestion;
    r.wireless_runs = ra_rng_next (&rng) % 3;
    r.lost_wireless = r.wireless_runs * (1 + ra_rng_next (&rng) % 3);
    r.arrived = 20 - r.lost_congestion - r.lost_wireless;
    r.loss_age = r.n_events ? ra_rng_next (&rng) % 50000 * RA_USECOND : 0;
    if (r.n_events)
      t_lost = t - (RaTime) r.loss_age;
    ra_radp_count (&counter, &r);
    sent.expected += r.expected;
    sent.arrived += r.arrived;
    sent.lost_congestion += r.lost_congestion;
    sent.lost_wireless += r.lost_wireless;
    sent.wireless_runs += r.wireless_runs;
    sent.n_events += r.n_events;
    new_losses += r.n_events;
    if (i < 1999 && ra_rng_chance (&rng, 0.5))
      continue;

    g_assert_cmpuint (ra_radp_write (&counter, bytes, sizeof bytes), ==, 60);
    g_assert_true (ra_radp_read (&x, bytes, 60));
    g_assert_true (ra_radp_since (&x, &before, &d));
    g_assert_cmphex (x.t_i, ==, ra_stamp_us (t));
    g_assert_cmpint (d.loss_age, ==, new_losses ? ra_diff (t, t_lost) : 0);
    got.expected += d.expected;
    got.arrived += d.arrived;
    got.lost_congestion += d.lost_congestion;
    got.lost_wireless += d.lost_wireless;
    got.wireless_runs += d.wireless_runs;
    got.n_events += d.n_events;
    before = x;
    new_losses = 0;
  }
  g_assert_cmpuint (got.expected, ==, 40000);
  g_assert_cmpmem (&got, sizeof got, &sent, sizeof sent);
}

void
tests_add (void)
{
  g_test_add_func ("/radp/golden", test_golden);
  g_test_add_func ("/radp/short", test_short);
  g_test_add_func ("/radp/no-room", test_no_room);
  rows_add ("/radp/name", name_rows, test_name);
  rows_add ("/radp/hold", hold_rows, test_hold);
  rows_add ("/radp/range", range_rows, test_range);
  rows_add ("/radp/malformed", bad_rows, test_bad);
  rows_add ("/radp/since", since_rows, test_since);
  g_test_add_func ("/radp/since/nothing", test_since_nothing);
  rows_add_n ("/radp/lost-reports", 4, test_lost_reports);
}
