/* FEC over several frames: masks, RFC 5109 bytes, blocks, and what is left.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "../rows.h"

#include <gst/rtpadapt/repair/block.h>
#include <gst/rtpadapt/repair/blockloss.h>
#include <gst/rtpadapt/repair/masks.h>
#include <gst/rtpadapt/repair/ulpfec.h>
#include <gst/rtpadapt/util/rng.h>

#include <string.h>

/* --- masks ---------------------------------------------------------------- */

static guint
bits (guint64 mask)
{
  return (guint) __builtin_popcountll (mask);
}

/* Laws of every size: all packets are protected; without other losses each single
 * loss is repaired, and a burst of the first packets that is shorter than the number
 * of repair packets. */
static void
test_masks (void)
{
  for (guint n = 1; n <= RA_MASKS_MAX; n++) {
    guint64 all = ~G_GUINT64_CONSTANT (0) >> (64 - n);

    for (guint f = 1; f <= n; f++) {
      guint64 rows[RA_MASKS_MAX], seen = 0;

      ra_masks_make (n, f, rows);
      for (guint r = 0; r < f; r++) {
        g_assert_cmphex (rows[r] & ~all, ==, 0);
        seen |= rows[r];
      }
      g_assert_cmphex (seen, ==, all);
      for (guint i = 0; i < n; i++)
        g_assert_cmphex (
            ra_masks_missing (rows, f, all, all & 1ull << i), ==, 0);
      if (f > 2)
        g_assert_cmphex (
            ra_masks_missing (rows, f, all, (1ull << (f - 1)) - 1), ==, 0);
    }
  }
}

/* Any two losses of a block, where there are enough sets of rows. */
static void
test_masks_pairs (void)
{
  for (guint f = 4; f <= 12; f++) {
    guint n = MIN (3 * f, RA_MASKS_MAX);
    guint64 rows[RA_MASKS_MAX];

    ra_masks_make (n, f, rows);
    for (guint i = 0; i < n; i++) {
      for (guint k = 0; k < i; k++)
        g_assert_cmphex (
            ra_masks_missing (rows, f, ~0ull, 1ull << i | 1ull << k), ==, 0);
    }
  }
}

/* By hand: with 5 rows a turn has 5 packets, the first of rows 0 and 2. */
static void
test_masks_by_hand (void)
{
  guint64 rows[5];

  ra_masks_make (5, 5, rows);
  g_assert_cmphex (rows[0], ==, 1 << 0 | 1 << 3);
  g_assert_cmphex (rows[1], ==, 1 << 1 | 1 << 4);
  g_assert_cmphex (rows[2], ==, 1 << 0 | 1 << 2);
  g_assert_cmphex (rows[3], ==, 1 << 1 | 1 << 3);
  g_assert_cmphex (rows[4], ==, 1 << 2 | 1 << 4);
}

static const struct
{
  guint rows[3];
  guint came, missing, left;
  const gchar *why;
} peels[] = {
  { { 3, 6, 0 }, 7, 1, 0, "row 0 misses one" },
  { { 3, 6, 0 }, 7, 3, 0, "row 1 gives packet 1, and row 0 then packet 0" },
  { { 3, 6, 0 }, 1, 3, 3, "row 1 did not come" },
  { { 3, 3, 0 }, 7, 3, 3, "two rows of the same two tell nothing" },
  { { 3, 6, 5 }, 7, 7, 7, "a circle has no row to begin with" },
};

static void
test_peel (gconstpointer data)
{
  guint i = GPOINTER_TO_UINT (data);
  guint64 rows[3];

  g_test_message ("%s", peels[i].why);
  for (guint r = 0; r < 3; r++)
    rows[r] = peels[i].rows[r];
  g_assert_cmphex (ra_masks_missing (rows, 3, peels[i].came, peels[i].missing),
      ==, peels[i].left);
}

/* --- bytes ---------------------------------------------------------------- */

/* RFC 5109 10.1: packets A to D of 200, 140, 100 and 340 bytes behind the header,
 * payload types 11, 18, 11, 18, marker bits 1, 1, 1, 0, timestamps 3, 5, 7, 9,
 * sequence numbers 8 to 11.  Their repair packet at one level has E 0, L 0, P 0, X
 * 0, CC 0, M 1, PT 0, base 8, timestamp 8, length 372, protected 340, mask 0xf000. */
static void
test_rfc5109 (void)
{
  static const struct
  {
    guint8 marker, pt;
    guint size, timestamp;
  } a_to_d[] = { { 1, 11, 200, 3 }, { 1, 18, 140, 5 }, { 1, 11, 100, 7 },
    { 0, 18, 340, 9 } };
  static const guint8 expected[]
      = { 0, 0x80, 0, 8, 0, 0, 0, 8, 1, 0x74, 1, 0x54, 0xf0, 0 };
  guint8 packet[4][12 + 340], out[14 + 340];
  RaRtpBytes media[4];

  for (guint i = 0; i < 4; i++) {
    for (guint k = 0; k < sizeof packet[i]; k++)
      packet[i][k] = (guint8) (k * 7 + i * 31);
    packet[i][0] = 0x80;
    packet[i][1] = (guint8) (a_to_d[i].marker << 7 | a_to_d[i].pt);
    ra_put_u16 (packet[i] + 2, 8 + i);
    ra_put_u32 (packet[i] + 4, a_to_d[i].timestamp);
    ra_put_u32 (packet[i] + 8, 2);
    media[i] = (RaRtpBytes){ packet[i], 12 + a_to_d[i].size };
  }
  g_assert_cmpuint (
      ra_ulpfec_write (media, 4, 0xf, out, sizeof out), ==, sizeof out);
  g_assert_cmpmem (out, sizeof expected, expected, sizeof expected);
  for (guint k = 0; k < 340; k++) {
    guint8 sum = 0;

    for (guint i = 0; i < 4; i++)
      sum ^= k < a_to_d[i].size ? packet[i][12 + k] : 0;
    g_assert_cmphex (out[14 + k], ==, sum);
  }
}

static const struct
{
  guint16 first;
  guint n, step; /* between sequence numbers */
  guint64 row;
  gsize room, size; /* 0: refused */
  guint8 l;
  const gchar *why;
} writes[] = {
  { 8, 16, 1, 0xffff, 100, 14 + 8, 0, "16 numbers fit the short mask" },
  { 8, 17, 1, 0x1ffff, 100, 18 + 8, 0x40, "17 need the long one" },
  { 65530, 17, 1, 0x1ffff, 100, 18 + 8, 0x40, "numbers begin again at 0" },
  { 8, 17, 1, 0x1fffe, 100, 14 + 8, 0, "the base is the first of the row" },
  { 8, 48, 1, 0xffffffffffff, 100, 18 + 8, 0x40, "all of a long mask" },
  { 8, 25, 2, 0x1ffffff, 100, 0, 0, "49 numbers reach over its end" },
  { 8, 4, 1, 0, 100, 0, 0, "nothing to repair" },
  { 8, 4, 1, 0x10, 100, 0, 0, "a packet that is not there" },
  { 8, 4, 1, 0xf, 21, 0, 0, "no room" },
};

static void
test_write (gconstpointer data)
{
  guint i = GPOINTER_TO_UINT (data);
  guint8 packet[RA_MASKS_MAX][20] = { { 0 } }, out[100];
  RaRtpBytes media[RA_MASKS_MAX];

  g_test_message ("%s", writes[i].why);
  for (guint k = 0; k < writes[i].n; k++) {
    packet[k][0] = 0x80;
    ra_put_u16 (packet[k] + 2, writes[i].first + k * writes[i].step);
    media[k] = (RaRtpBytes){ packet[k], sizeof packet[k] };
  }
  g_assert_cmpuint (
      ra_ulpfec_write (media, writes[i].n, writes[i].row, out, writes[i].room),
      ==, writes[i].size);
  if (writes[i].size > 0)
    g_assert_cmphex (out[0] & 0xc0, ==, writes[i].l);
}

/* --- blocks --------------------------------------------------------------- */

#define MS(n) ((n) *RA_MSECOND)

static const struct
{
  const gchar *name;
  RaSpan span, interval;
  guint most, packets; /* of a frame */
  guint frames;        /* that a block has, once intervals are known */
  guint ends;          /* packets of a block that ends within a frame, or 0 */
  const gchar *why;
} blocks[] = {
  { "usual", MS (160), MS (40), 48, 6, 4, 0,
      "the fourth frame ends 160 ms after the first began" },
  { "short", MS (159), MS (40), 48, 6, 3, 0, "a fourth frame would be late" },
  { "frame", 0, MS (40), 48, 6, 1, 0, "no span: a frame each" },
  { "slow", MS (160), MS (100), 48, 6, 1, 0, "a second frame would be late" },
  { "fast", MS (160), MS (20), 48, 6, 8, 0, "50 frames per second" },
  { "full", MS (160), MS (40), 48, 20, 0, 48,
      "48 packets are all there may be" },
};

static void
test_block (gconstpointer data)
{
  guint i = GPOINTER_TO_UINT (data);
  const RaFecBlockConfig cfg = { blocks[i].span, blocks[i].most };
  guint n = 0, ended = 0, want;
  RaFecBlock b = { 0 };

  g_test_message ("%s", blocks[i].why);
  want = blocks[i].ends ? blocks[i].ends : blocks[i].frames * blocks[i].packets;
  for (guint frame = 0; frame < 100; frame++) {
    for (guint k = 0; k < blocks[i].packets; k++) {
      gboolean end = ra_block_add (&b, &cfg, 25, k + 1 == blocks[i].packets,
          frame * (RaTime) blocks[i].interval);

      n++;
      if (!end)
        continue;
      ra_block_end (&b);
      if (ended++ > 0) /* before, no interval is known */
        g_assert_cmpuint (n, ==, want);
      n = 0;
    }
  }
  g_assert_cmpuint (ended, >, 5);
}

/* The receiver holds packets for 200 ms, 2 of them for the path's jitter; a frame comes
 * each 40 ms. */
static const struct
{
  const gchar *name;
  RaSpan latency, wait, span;
  const gchar *why;
} spans[] = {
  { "no-wait", MS (200), 0, MS (160),
      "198 - 20 for the packets to leave, 160 at most" },
  { "wait", MS (200), MS (65), MS (133), "198 - 65" },
  { "long-wait", MS (200), MS (150), MS (100),
      "48 are a frame: two take 80 to 100" },
  { "long", MS (400), MS (150), MS (160), "248 are more than gain anything" },
  { "short", MS (100), MS (65), MS (78),
      "98 - 20: there is no time for two and a half" },
  { "none", MS (10), 0, 0, "8 - 20 is less than nothing" },
};

static void
test_length (gconstpointer data)
{
  guint i = GPOINTER_TO_UINT (data);

  g_test_message ("%s", spans[i].why);
  g_assert_cmpint (
      ra_block_span (spans[i].latency, MS (2), spans[i].wait, MS (40)), ==,
      spans[i].span);
}

/* What is not spent is kept: 15 % of 10 packets are 1.5. */
static void
test_budget (void)
{
  static const guint expected[] = { 1, 2, 1, 2, 0, 1 };
  const RaFecBlockConfig cfg = { 0, 48 };
  RaFecBlock b = { 0 };

  for (guint i = 0; i < G_N_ELEMENTS (expected); i++) {
    for (guint k = 0; k < 10; k++)
      ra_block_add (&b, &cfg, i == 4 ? 0 : 15, k == 9, MS (40) * i);
    g_assert_cmpuint (ra_block_end (&b), ==, expected[i]);
  }
  g_assert_cmpfloat (b.mean, ==, 10);
  g_assert_cmpuint (ra_block_packets (&b), ==, 10);
  for (guint i = 0; i < 200; i++) { /* 20 and 40 by turns: 30 less 10 */
    for (guint k = 0; k < 20 + i % 2 * 20; k++)
      ra_block_add (&b, &cfg, 15, FALSE, 0);
    ra_block_end (&b);
  }
  g_assert_cmpuint (ra_block_packets (&b), >=, 19);
  g_assert_cmpuint (ra_block_packets (&b), <=, 21);
}

/* --- what is left --------------------------------------------------------- */

/* A maximum-distance code, independent losses: the mean number of n media packets
 * that is lost where more than f of n + f are, binomial, worked out with
 *   python3 -c "from math import comb; n, f, w = 40, 5, .05; N = n + f
 *   print(sum(comb(N, k) * w**k * (1 - w)**(N - k) * k / N
 *             for k in range(f + 1, N + 1)))" */
static const struct
{
  RaFecCode code;
  gdouble w, burst;
  guint n, percentage;
  gdouble left, close;
} left[] = {
  { RA_FEC_CODE_RS, .05, 1, 5, 40, .0016386914062500003, 1e-9 },
  { RA_FEC_CODE_RS, .05, 1, 20, 15, .004741152295921539, 1e-9 },
  { RA_FEC_CODE_RS, .05, 1, 40, 10, .008329933233765225, 1e-9 },
  { RA_FEC_CODE_RS, .1, 1, 64, 25, .00046687638454572184, 1e-9 },
  { RA_FEC_CODE_RS, .05, 1, 40, 0, .05, 1e-9 },
  { RA_FEC_CODE_XOR, .05, 1, 40, 0, .05, 1e-9 },
};

static void
test_left (gconstpointer data)
{
  guint i = GPOINTER_TO_UINT (data);
  RaBlockLoss m;

  ra_block_loss_init (&m, left[i].w, left[i].burst, left[i].code, left[i].n);
  g_assert_cmpfloat_with_epsilon (
      ra_block_loss (&m, left[i].percentage), left[i].left, left[i].close);
}

/* The channel of RaBlockLoss, drawn: what XOR leaves of 40 packets. */
static gdouble
simulate (gdouble w, gdouble burst, guint n, guint f, guint64 seed)
{
  guint64 rows[RA_MASKS_MAX], missing_all = 0;
  gdouble begin = w / ((1 - w) * burst), end = 1 / burst;
  gboolean bad = FALSE;
  RaRng rng;

  ra_rng_init (&rng, seed, 0);
  ra_masks_make (n, f, rows);
  for (guint k = 0; k < 20000; k++) {
    guint64 missing = 0, came = 0;

    for (guint i = 0; i < n + f; i++) {
      bad = ra_rng_chance (&rng, bad ? 1 - end : begin);
      if (bad && i < n)
        missing |= 1ull << i;
      else if (!bad && i >= n)
        came |= 1ull << (i - n);
    }
    missing_all += bits (ra_masks_missing (rows, f, came, missing));
  }
  return (gdouble) missing_all / (20000. * n);
}

static const struct
{
  gdouble w, burst;
  guint n, f;
} drawn[] = { { .05, 1.0527, 40, 6 }, { .05, 2, 40, 10 }, { .1, 1.2, 24, 8 },
  { .03, 1.1, 12, 2 }, { .2, 1.25, 40, 4 } };

static void
test_drawn (gconstpointer data)
{
  guint i = GPOINTER_TO_UINT (data);
  gdouble said,
      is = simulate (drawn[i].w, drawn[i].burst, drawn[i].n, drawn[i].f, 77);
  RaBlockLoss m;

  ra_block_loss_init (
      &m, drawn[i].w, drawn[i].burst, RA_FEC_CODE_XOR, drawn[i].n);
  said = ra_block_loss (&m, (100 * drawn[i].f + drawn[i].n - 1) / drawn[i].n);
  g_test_message ("said %g, is %g", said, is);
  g_assert_cmpfloat_with_epsilon (said, is, .3 * is);
}

/* A maximum-distance code leaves no more than any other; more repair leaves no
 * more, and more loss no less. */
static void
test_laws (void)
{
  static const guint sizes[] = { 6, 12, 24, 48 };

  for (guint s = 0; s < G_N_ELEMENTS (sizes); s++) {
    gdouble before = 1;
    RaBlockLoss rs, xor, worse;

    ra_block_loss_init (&rs, .05, 1.5, RA_FEC_CODE_RS, sizes[s]);
    ra_block_loss_init (&worse, .08, 1.5, RA_FEC_CODE_RS, sizes[s]);
    ra_block_loss_init (&xor, .05, 1.5, RA_FEC_CODE_XOR, sizes[s]);
    for (guint p = 0; p <= 60; p += 5) {
      gdouble now = ra_block_loss (&rs, p);

      g_assert_cmpfloat (now, <=, before * 1.001);
      g_assert_cmpfloat (now, <=, ra_block_loss (&worse, p));
      g_assert_cmpfloat (now, <=, 1.15 * ra_block_loss (&xor, p));
      before = now;
    }
  }
}

/* What was drawn for w .05, b 1.5, n 40 is used again nearby. */
static const struct
{
  RaFecCode code;
  gdouble w, burst;
  guint n;
  gboolean stays;
  const gchar *why;
} follows[] = {
  { RA_FEC_CODE_XOR, .0514, 1.5, 40, TRUE, "2.8 % more" },
  { RA_FEC_CODE_XOR, .0484, 1.5, 40, FALSE, "3.2 % less" },
  { RA_FEC_CODE_XOR, .05, 1.54, 41, TRUE, "2.7 %, 2.5 %" },
  { RA_FEC_CODE_XOR, .05, 1.55, 40, FALSE, "3.3 %" },
  { RA_FEC_CODE_XOR, .05, 1.5, 42, FALSE, "5 %" },
  { RA_FEC_CODE_RS, .05, 1.5, 40, FALSE, "another code" },
};

static void
test_follow (gconstpointer data)
{
  guint i = GPOINTER_TO_UINT (data);
  gdouble before, after;
  RaBlockLoss m;

  g_test_message ("%s", follows[i].why);
  ra_block_loss_init (&m, .05, 1.5, RA_FEC_CODE_XOR, 40);
  before = ra_block_loss (&m, 20);
  ra_block_loss_follow (
      &m, follows[i].w, follows[i].burst, follows[i].code, follows[i].n);
  after = ra_block_loss (&m, 20);
  g_assert_cmpint (after == before, ==, follows[i].stays);
}

/* --- the table of tests/bench/span.csv */

/* The least repair with which .5 % stay missing of a block, as RaBlockLoss says, whose
 * rows are above. */
static void
test_table (gconstpointer data)
{
  static const guint ns[] = { 5, 8, 12, 20, 24, 32, 40, 48, 64 };
  guint i = GPOINTER_TO_UINT (data), n = ns[i % G_N_ELEMENTS (ns)];
  static const gdouble bursts[] = { 1, 2, 4 };
  gdouble burst = bursts[i / G_N_ELEMENTS (ns)];

  for (RaFecCode code = RA_FEC_CODE_XOR; code <= RA_FEC_CODE_RS; code++) {
    guint percentage = 0;
    RaBlockLoss m;

    if (code == RA_FEC_CODE_XOR && n > RA_MASKS_MAX)
      continue;
    ra_block_loss_init (&m, .05, burst, code, n);
    while (percentage < 100 && ra_block_loss (&m, percentage) > .005)
      percentage++;
    g_test_message ("span,%s,0.05,%g,%u,%u,%.5f",
        code == RA_FEC_CODE_XOR ? "xor" : "rs", burst, n, percentage,
        ra_block_loss (&m, percentage));
  }
}

void
tests_add (void)
{
  g_test_add_func ("/span/masks/laws", test_masks);
  g_test_add_func ("/span/masks/pairs", test_masks_pairs);
  g_test_add_func ("/span/masks/by-hand", test_masks_by_hand);
  rows_add ("/span/peel", peels, test_peel);
  g_test_add_func ("/span/rfc5109", test_rfc5109);
  rows_add ("/span/write", writes, test_write);
  rows_add_by ("/span/block", blocks, name, test_block);
  rows_add_by ("/span/length", spans, name, test_length);
  g_test_add_func ("/span/budget", test_budget);
  rows_add ("/span/left", left, test_left);
  rows_add ("/span/follow", follows, test_follow);
  rows_add ("/span/drawn", drawn, test_drawn);
  g_test_add_func ("/span/laws", test_laws);
  rows_add_n ("/span/table", 27, test_table);
}
