/* Who gets how much of the allowed rate: by hand, and what holds always.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "../rows.h"

#include <gst/rtpadapt/rate/split.h>
#include <gst/rtpadapt/util/rng.h>
#include <gst/rtpadapt/util/throughput.h>

#define SEED 20240711
#define MS RA_MSECOND

/* `media` packets of 1,000 bytes (960 the encoder's), then `repair` packets of
 * 1,100. */
typedef struct
{
  guint media, repair;
} Sent;

static const struct
{
  Sent sent;
  guint64 rate;
  guint percentage;
  RaSpan backlog, within; /* 0: 1/3 s */
  RaSplit split;
  const gchar *why;
} rows[] = {
  { { 0, 0 }, 1000000, 0, 0, 0, { 1000000, 0, 0 }, "nothing known" },
  { { 0, 0 }, 1000000, 25, 0, 0, { 800000, 200000, 0 },
      "repair packets count as mean ones: 1 / 1.25" },
  { { 8, 0 }, 1000000, 0, 0, 0, { 960000, 0, 40000 }, "headers: 4 %" },
  { { 8, 0 }, 1000000, 25, 0, 0, { 768000, 200000, 32000 },
      "all: 800 k and 200 k; 96 % and 4 %" },
  /* 2 of 1,100 for 8 of 1,000: .275; 1 M / 1.275 = 784,313.7 */
  { { 8, 2 }, 1000000, 25, 0, 0, { 752940, 215687, 31373 },
      "repair packets are longer" },
  { { 8, 2 }, 1000000, 0, 0, 0, { 752940, 215687, 31373 },
      "not wanted any more, but still sent" },
  /* 1 / (1 + .5 * 1.1) = 645,161.3 */
  { { 8, 2 }, 1000000, 50, 0, 0, { 619354, 354839, 25807 },
      "more wanted than sent" },
  { { 0, 3 }, 1000000, 0, 0, 0, { 1000000, 0, 0 },
      "only repair packets sent: nothing known" },
  { { 8, 0 }, 1000000, 0, 20 * MS, 0, { 960000, 0, 40000 },
      "half a frame that is being paced is no backlog" },
  /* RFC 8698 5.2.2 without its bound of 5 %: 100 ms of 1 Mbit/s are 12,500 bytes;
   * .1 * 8 * 12,500 * 30 = 300,000 bit/s less of 1 M, of which .96 are media. */
  { { 8, 0 }, 1000000, 0, 120 * MS, 0, { 672000, 0, 40000 },
      "100 ms above half a frame: 30 % less" },
  { { 8, 0 }, 1000000, 0, 70 * MS, 0, { 816000, 0, 40000 },
      "50 ms above half a frame: 15 % less" },
  { { 8, 0 }, 1000000, 0, 9000 * MS, 0, { 480000, 0, 40000 },
      "never less than half" },
  /* 20 of 80 ms above half a frame: .75 of 960,000 */
  { { 8, 0 }, 1000000, 0, 40 * MS, 80 * MS, { 720000, 0, 40000 },
      "a backlog that should be gone within 80 ms" },
  { { 8, 0 }, 1000000, 0, 70 * MS, RA_SECOND, { 816000, 0, 40000 },
      "never slower than in 1/3 s" },
  { { 8, 0 }, 1000000, 0, RA_SPAN_NONE, 0, { 960000, 0, 40000 },
      "no backlog known" },
  { { 8, 0 }, 1000000, 0, G_MAXINT64, 0, { 480000, 0, 40000 },
      "a backlog for ever" },
  { { 8, 0 }, 0, 25, 0, 0, { 0, 0, 0 }, "no rate" },
  { { 0, 0 }, G_MAXUINT64, 0, 0, 0, { G_MAXUINT64, 0, 0 }, "no limit" },
};

static guint64
bits_off (guint64 a, guint64 b)
{
  return a > b ? a - b : b - a;
}

static void
test_row (gconstpointer data)
{
  guint i = GPOINTER_TO_UINT (data);
  RaSizes sizes = { 0 };
  RaSplit split;

  for (guint k = 0; k < rows[i].sent.media; k++)
    ra_sizes_on_sent (&sizes, 1000, 960, FALSE);
  for (guint k = 0; k < rows[i].sent.repair; k++)
    ra_sizes_on_sent (&sizes, 1100, 0, TRUE);
  ra_split (&sizes, rows[i].rate, rows[i].percentage, rows[i].backlog,
      rows[i].within > 0 ? rows[i].within : RA_SPAN_NONE, &split);
  g_test_message ("%s", rows[i].why);
  /* Each is rounded down, the last one up. */
  g_assert_cmpuint (bits_off (split.media, rows[i].split.media), <=, 1);
  g_assert_cmpuint (bits_off (split.fec, rows[i].split.fec), <=, 1);
  g_assert_cmpuint (bits_off (split.header, rows[i].split.header), <=, 1);
}

/* Of 1 Mbit/s `split` is as above with 8 media and 2 repair packets. */
static const struct
{
  guint64 beside, media, fec, header;
  const gchar *why;
} beside_rows[] = {
  { 0, 752940, 215687, 31373, "nobody beside" },
  { 100000, 677646, 194118, 28236, "a tenth less of each" },
  { 1000000, 0, 0, 0, "all is taken" },
  { 2000000, 0, 0, 0, "more than there is" },
};

static void
test_beside (gconstpointer data)
{
  guint i = GPOINTER_TO_UINT (data);
  RaSizes sizes = { 0 };
  RaSplit split;

  for (guint k = 0; k < 10; k++)
    ra_sizes_on_sent (&sizes, k < 8 ? 1000 : 1100, k < 8 ? 960 : 0, k >= 8);
  ra_split (&sizes, 1000000, 25, 0, RA_SPAN_NONE, &split);
  ra_split_other (&split, 1000000, beside_rows[i].beside);
  g_test_message ("%s", beside_rows[i].why);
  g_assert_cmpuint (bits_off (split.media, beside_rows[i].media), <=, 1);
  g_assert_cmpuint (bits_off (split.fec, beside_rows[i].fec), <=, 1);
  g_assert_cmpuint (bits_off (split.header, beside_rows[i].header), <=, 1);
}

/* 100 bytes each `every` ms from 0 to `until` ms; the rate at `at` ms.  The
 * second before it begins within a tenth, of which its part counts. */
static const struct
{
  guint every, until, at;
  guint64 rate; /* bit/s */
  const gchar *why;
} throughput_rows[] = {
  { 10, 3000, 3000, 80000, "100 bytes each 10 ms" },
  { 10, 3000, 3050, 76000, "2.05 s to 3 s: 9,500 bytes" },
  { 10, 3000, 3500, 40000, "half of the second was silent" },
  { 10, 3000, 4100, 0, "all of it" },
  { 10, 3000, 1000000, 0, "long ago" },
  { 10, 500, 500, 40000, "it grows from 0 in the first second" },
  { 2500, 10000, 10000, 0, "seldom: the last was at 7.5 s" },
  { 2500, 10001, 10001, 800, "seldom: the last was at 10 s" },
  { 10, 3000, 2700, 80000, "a clock that went back: as at 3 s" },
  { 10, 5000, 100, 0, "a clock that was set" },
};

static void
test_throughput (gconstpointer data)
{
  guint i = GPOINTER_TO_UINT (data);
  RaThroughput t = { 0 };

  for (guint ms = 0; ms < throughput_rows[i].until;
       ms += throughput_rows[i].every)
    ra_throughput_add (&t, 100, (RaTime) ms * MS);
  g_test_message ("%s", throughput_rows[i].why);
  g_assert_cmpuint (
      ra_throughput_rate (&t, (RaTime) throughput_rows[i].at * MS), ==,
      throughput_rows[i].rate);
}

/* A mean of all while they are few, then of some 256. */
static void
test_sizes (void)
{
  RaSizes sizes = { 0 };

  ra_sizes_on_sent (&sizes, 30, 18, FALSE);
  for (guint i = 0; i < 9; i++)
    ra_sizes_on_sent (&sizes, 1000, 960, FALSE);
  g_assert_cmpfloat_with_epsilon (sizes.packet, 903, 1e-9);
  g_assert_cmpfloat_with_epsilon (sizes.media, 865.8, 1e-9);
  g_assert_cmpfloat_with_epsilon (sizes.repair, 0, 1e-9);
  ra_sizes_on_sent (&sizes, 970, 0, TRUE);
  g_assert_cmpfloat_with_epsilon (sizes.repair, 970, 1e-9);
  g_assert_cmpfloat_with_epsilon (sizes.packet, 903, 1e-9);
  g_assert_cmpfloat_with_epsilon (sizes.all, 10000 / 11., 1e-9);
  for (guint i = 0; i < 2560; i++)
    ra_sizes_on_sent (&sizes, 500, 400, FALSE);
  g_assert_cmpfloat_with_epsilon (sizes.packet, 500, .1);
}

/* Whatever comes: the sum is never above the rate; nobody gets more media for
 * more repair or more backlog. */
static void
test_laws (void)
{
  RaRng rng;

  ra_rng_init (&rng, SEED, 0);
  for (guint i = 0; i < 20000; i++) {
    guint64 rate = ((guint64) ra_rng_next (&rng) << 32 | ra_rng_next (&rng))
        >> (ra_rng_next (&rng) % 64);
    guint percentage = ra_rng_next (&rng) % 120;
    RaSpan backlog = (RaSpan) ((guint64) ra_rng_next (&rng) << 32)
        >> (ra_rng_next (&rng) % 64);
    RaSizes sizes = { 0 };
    RaSplit split, less;

    for (guint k = ra_rng_next (&rng) % 20; k > 0; k--)
      ra_sizes_on_sent (&sizes, ra_rng_next (&rng) % 1500,
          ra_rng_next (&rng) % 1500, ra_rng_chance (&rng, .3));
    ra_split (&sizes, rate, percentage, backlog, RA_SPAN_NONE, &split);
    g_assert_cmpuint (split.fec, <=, rate);
    g_assert_cmpuint (split.header, <=, rate - split.fec);
    g_assert_cmpuint (split.media, <=, rate - split.fec - split.header);
    ra_split (&sizes, rate, percentage + 10, backlog, RA_SPAN_NONE, &less);
    g_assert_cmpuint (less.media, <=, split.media);
    ra_split (&sizes, rate, percentage, MAX (backlog, RA_SECOND), RA_SPAN_NONE,
        &less);
    g_assert_cmpuint (less.media, <=, split.media);
    ra_split (&sizes, rate, percentage, backlog, 80 * MS, &less);
    g_assert_cmpuint (less.media, <=, split.media);
  }
}

void
tests_add (void)
{
  rows_add ("/split/row", rows, test_row);
  rows_add ("/split/beside", beside_rows, test_beside);
  rows_add ("/split/throughput", throughput_rows, test_throughput);
  g_test_add_func ("/split/sizes", test_sizes);
  g_test_add_func ("/split/laws", test_laws);
}
