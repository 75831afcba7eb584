/* The Reed-Solomon code, its payload format, and what a receiver makes of it.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "../rows.h"

#include <gst/rtpadapt/repair/rsfec.h>
#include <gst/rtpadapt/util/rng.h>

#include <string.h>

/* --- the field and the code, as reedsolo 1.7 (PyPI) has them: init_tables (0x11d),
 * gf_mul(), gf_inverse() ----------------------------------------------------- */

static const struct
{
  guint8 a, b, product;
} products[] = { { 2, 0x80, 0x1d }, { 3, 7, 9 }, { 0x53, 0xca, 0x8f },
  { 0xff, 0xff, 0xe2 }, { 0, 0xff, 0 }, { 1, 0x9a, 0x9a } };

static const struct
{
  guint8 a, inverse;
} inverses[]
    = { { 1, 1 }, { 2, 0x8e }, { 3, 0xf4 }, { 0x80, 0x1b }, { 0xff, 0xfd } };

static const struct
{
  guint repair, media;
  guint8 factor;
} factors[] = { { 0, 0, 0x1b }, { 0, 1, 0x54 }, { 1, 0, 0x54 },
  { 127, 127, 0x1b }, { 5, 37, 0x1c } };

static void
test_field (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (products); i++) {
    g_assert_cmphex (
        ra_rs_multiply (products[i].a, products[i].b), ==, products[i].product);
    g_assert_cmphex (
        ra_rs_multiply (products[i].b, products[i].a), ==, products[i].product);
  }
  for (guint i = 0; i < G_N_ELEMENTS (inverses); i++)
    g_assert_cmphex (ra_rs_inverse (inverses[i].a), ==, inverses[i].inverse);
  for (guint a = 1; a < 256; a++)
    g_assert_cmphex (
        ra_rs_multiply ((guint8) a, ra_rs_inverse ((guint8) a)), ==, 1);
  for (guint i = 0; i < G_N_ELEMENTS (factors); i++)
    g_assert_cmphex (ra_rs_factor (factors[i].repair, factors[i].media), ==,
        factors[i].factor);
}

/* The sums of gf_mul (gf_inverse ((128 + r) ^ i), symbol i). */
static void
test_symbols (void)
{
  static const guint8 media[3][4] = { { 0x11, 0x22, 0x33, 0x44 },
    { 0xa0, 0xb1, 0xc2, 0xd3 }, { 0xff, 0, 0x80, 1 } };
  static const guint8 repair[2][4]
      = { { 0xba, 0x0b, 0xc0, 0x67 }, { 0xff, 0x0a, 0x18, 0xfb } };

  for (guint r = 0; r < 2; r++) {
    guint8 sum[4] = { 0 };

    for (guint i = 0; i < 3; i++)
      ra_rs_add (sum, media[i], 4, ra_rs_factor (r, i));
    g_assert_cmpmem (sum, 4, repair[r], 4);
  }
}

static void
test_invert (void)
{
  guint8 same[] = { 1, 2, 1, 2 }, turned[] = { 0, 2, 4, 0 };

  g_assert_false (ra_rs_invert (same, 2));
  g_assert_true (ra_rs_invert (turned, 2)); /* 0 at the first place */
  g_assert_cmphex (turned[0] | turned[3], ==, 0);
  g_assert_cmphex (ra_rs_multiply (turned[1], 4), ==, 1);
  g_assert_cmphex (ra_rs_multiply (turned[2], 2), ==, 1);
}

/* --- packets -------------------------------------------------------------------- */

#define SSRC 0x01020304
#define ROOM 400

typedef struct
{
  RaRng rng;
  guint n, f;
  guint8 media[RA_RS_MAX][ROOM], repair[RA_RS_MAX][ROOM];
  guint sizes[RA_RS_MAX];
  gsize repair_size;
  RaRsfec *x;
} Block;

static void
block_new (Block *b, guint n, guint f, guint16 seq, guint64 seed)
{
  RaRtpBytes packets[RA_RS_MAX];

  memset (b, 0, sizeof *b);
  b->n = n;
  b->f = f;
  ra_rng_init (&b->rng, seed, 0);
  for (guint i = 0; i < n; i++) {
    b->sizes[i] = RA_RTP_HEADER + ra_rng_next (&b->rng) % 300;
    for (guint k = 0; k < b->sizes[i]; k++)
      b->media[i][k] = (guint8) ra_rng_next (&b->rng);
    b->media[i][0] = (guint8) (0x80 | (b->media[i][0] & 0x3f));
    ra_put_u16 (b->media[i] + 2, seq + i);
    ra_put_u32 (b->media[i] + 8, SSRC);
    packets[i] = (RaRtpBytes){ b->media[i], b->sizes[i] };
  }
  for (guint r = 0; r < f; r++) {
    b->repair_size = ra_rsfec_write (packets, n, f, r, b->repair[r], ROOM);
    g_assert_cmpuint (b->repair_size, >, 0);
  }
}

static void
send_media (Block *b, RaRsfec *x, guint i)
{
  const RaRtpBytes packet = { b->media[i], b->sizes[i] };

  ra_rsfec_on_media (x, &packet, FALSE, i * RA_MSECOND);
}

static gboolean
send_repair (Block *b, RaRsfec *x, guint r)
{
  guint base = ra_get_u16 (b->media[0] + 2);

  return ra_rsfec_on_repair (
      x, SSRC, (guint16) (base + b->n + r), b->repair[r], b->repair_size, 0);
}

/* Each packet that comes back is one that was sent.  What is said of repair packets is
 * passed over. */
static guint
take_all (Block *b, RaRsfec *x)
{
  RaRsfecPacket packet;
  guint n = 0;

  while (ra_rsfec_take (x, &packet)) {
    guint i = (guint16) (packet.seq - ra_get_u16 (b->media[0] + 2));

    if (!packet.data)
      continue;
    n++;
    g_assert_cmpuint (i, <, b->n);
    g_assert_cmpmem (packet.data, packet.size, b->media[i], b->sizes[i]);
    g_free (packet.data);
  }
  return n;
}

/* A block before makes the receiver keep what comes. */
static RaRsfec *
receiver_new (guint16 seq)
{
  RaRsfec *x = ra_rsfec_new ();
  g_autofree Block *b = g_new (Block, 1);

  block_new (b, 1, 1, (guint16) (seq - 2), 3);
  g_assert_true (send_repair (b, x, 0));
  g_assert_cmpuint (take_all (b, x), ==, 1); /* the only one: a copy */
  return x;
}

/* By hand: two packets with no rest but one byte each; factors as above. */
static void
test_bytes (void)
{
  static const guint8 a[]
      = { 0x80, 0xe0, 0xff, 0xff, 0, 0, 0, 7, 0, 0, 0, 9, 5 };
  static const guint8 c[] = { 0x80, 0x60, 0, 0, 0, 0, 0, 7, 0, 0, 0, 9 };
  const RaRtpBytes media[] = { { a, sizeof a }, { c, sizeof c } };
  guint8 out[40], sum[RA_RSFEC_HEADER + 1] = { 1, 1, 2, 1, 0xff, 0xff };

  sum[7] = ra_rs_multiply (0xe0, 0x54) ^ ra_rs_multiply (0x60, 0x1b);
  sum[9] = 0x54;
  sum[13] = ra_rs_multiply (7, 0x54) ^ ra_rs_multiply (7, 0x1b);
  sum[14] = ra_rs_multiply (5, 0x54);
  g_assert_cmphex (ra_rs_factor (1, 1), ==, 0x1b);
  g_assert_cmpuint (
      ra_rsfec_write (media, 2, 3, 1, out, sizeof out), ==, sizeof sum);
  g_assert_cmpmem (out, sizeof sum, sum, sizeof sum);
  g_assert_cmpuint (ra_rsfec_write (media, 2, 3, 1, out, 14), ==, 0);
  g_assert_cmpuint (ra_rsfec_write (media, 2, 3, 3, out, sizeof out), ==, 0);
  g_assert_cmpuint (ra_rsfec_write (media, 2, 129, 0, out, sizeof out), ==, 0);
}

/* --- any n of n + f ----------------------------------------------------------------- */

static const struct
{
  const gchar *name;
  guint n, f;
  guint16 seq;
  const gchar *why;
} sizes[] = {
  { "one", 1, 1, 100, "a copy" },
  { "usual", 40, 6, 100, "4 frames of 10" },
  { "wrap", 40, 6, 65520, "numbers begin again at 0 within the block" },
  { "base", 12, 4, 65535, "and behind its first packet" },
  { "whole", 128, 128, 7, "as many as there can be" },
};

static void
test_any (gconstpointer data)
{
  guint row = GPOINTER_TO_UINT (data), n = sizes[row].n, f = sizes[row].f;
  Block *b = g_new (Block, 1);

  g_test_message ("%s", sizes[row].why);
  for (guint round = 0; round < (n > 100 ? 4 : 20); round++) {
    g_autoptr (RaRsfec) x = receiver_new (sizes[row].seq);
    gboolean lost[2 * RA_RS_MAX] = { FALSE };
    guint n_lost = 0, of_media = 0, want = round % 2 ? f : f + 1;

    block_new (b, n, f, sizes[row].seq, round);
    want = MIN (want, n + f);
    while (n_lost < want) {
      guint i = ra_rng_next (&b->rng) % (n + f);

      n_lost += !lost[i];
      lost[i] = TRUE;
    }
    for (guint i = 0; i < n; i++) {
      of_media += lost[i];
      if (!lost[i])
        send_media (b, x, i);
    }
    for (guint r = 0; r < f; r++) {
      if (!lost[n + r])
        g_assert_true (send_repair (b, x, r));
    }
    g_assert_cmpuint (take_all (b, x), ==, want <= f ? of_media : 0);
  }
  g_free (b);
}

/* In whatever order: the last that was needed gives all, once. */
static void
test_order (void)
{
  g_autofree Block *b = g_new (Block, 1);
  g_autoptr (RaRsfec) x = receiver_new (100);
  RaRsfecStats stats;

  block_new (b, 10, 3, 100, 5);
  for (guint r = 0; r < 3; r++)
    send_repair (b, x, r);
  for (guint i = 9; i >= 4; i--)
    send_media (b, x, i);
  g_assert_cmpuint (take_all (b, x), ==, 0);
  send_media (b, x, 0);
  g_assert_cmpuint (take_all (b, x), ==, 3);
  send_media (b, x, 1); /* late after all */
  send_repair (b, x, 0);
  g_assert_cmpuint (take_all (b, x), ==, 0);
  stats = ra_rsfec_stats (x);
  g_assert_cmpuint (stats.repair, ==, 5);
  g_assert_cmpuint (stats.bad, ==, 0);
  g_assert_cmpuint (stats.recovered, ==, 4);
}

/* The time of arrival is that of a neighbour. */
static void
test_arrival (void)
{
  g_autofree Block *b = g_new (Block, 1);
  g_autoptr (RaRsfec) x = receiver_new (100);
  RaRsfecPacket packet;

  block_new (b, 4, 2, 100, 6);
  send_media (b, x, 1);
  send_media (b, x, 3);
  send_repair (b, x, 0);
  send_repair (b, x, 1);
  g_assert_true (ra_rsfec_take (x, &packet));
  g_assert_cmpuint (packet.arrival, ==, 1 * RA_MSECOND); /* the one behind */
  g_free (packet.data);
  g_assert_true (ra_rsfec_take (x, &packet));
  g_assert_cmpuint (packet.arrival, ==, 1 * RA_MSECOND);
  g_free (packet.data);
}

/* A block of 4 media packets, which all came, has repair packets 0 to 2 (r0 to r2); m is
 * the media packet behind them. */
static const struct
{
  const gchar *name, *came, *lost, *why;
  guint16 seq;
} lost_repair[] = {
  { "between", "r0 r2", "1", "what came first is behind it", 100 },
  { "first", "r2", "0 1",
      "of packets that never came the others say that they are", 100 },
  { "last", "r0 m", "1 2", "the next media packet is behind them", 100 },
  { "wrap", "r0 m", "1 2", "the numbers are 0 and 1", 65531 },
  { "none", "m", "", "nobody says that there are any", 100 },
  { "all", "r0 r1 r2 m", "", "none is lost", 100 },
  { "overtaken", "r1 r0 m", "0 2", "what comes after all is not said again",
      100 },
  { "again", "r0 r2 r2 m m", "1", "nor what comes twice", 100 },
};

static void
test_lost_repair (gconstpointer data)
{
  guint row = GPOINTER_TO_UINT (data);
  g_auto (GStrv) words = g_strsplit (lost_repair[row].came, " ", -1);
  guint16 seq = lost_repair[row].seq;
  g_autofree Block *b = g_new (Block, 1), *next = g_new (Block, 1);
  g_autoptr (RaRsfec) x = receiver_new (seq);
  g_autoptr (GString) lost = g_string_new (NULL);
  RaRsfecPacket packet;

  g_test_message ("%s", lost_repair[row].why);
  block_new (b, 4, 3, seq, 11);
  block_new (next, 1, 1, (guint16) (seq + 7), 12);
  for (guint i = 0; i < 4; i++)
    send_media (b, x, i);
  for (guint i = 0; words[i]; i++) {
    if (words[i][0] == 'r')
      g_assert_true (send_repair (b, x, (guint) (words[i][1] - '0')));
    else
      send_media (next, x, 0);
    while (ra_rsfec_take (x, &packet)) {
      g_assert_null (packet.data);
      g_string_append_printf (lost, "%s%u", lost->len > 0 ? " " : "",
          (guint16) (packet.seq - seq - 4));
    }
  }
  g_assert_cmpstr (lost->str, ==, lost_repair[row].lost);
}

/* 101 to 107 are said to be lost, and by a second block, which overlaps, 102 to 107. */
static void
test_lost_twice (void)
{
  g_autofree Block *b = g_new (Block, 1), *next = g_new (Block, 1);
  g_autoptr (RaRsfec) x = receiver_new (100);
  RaRsfecPacket packet;
  guint n = 0;

  block_new (b, 1, 8, 100, 12);
  block_new (next, 1, 8, 101, 13);
  send_media (b, x, 0);
  g_assert_true (send_repair (b, x, 7));
  g_assert_true (send_repair (next, x, 6));
  for (; ra_rsfec_take (x, &packet); g_free (packet.data))
    n += !packet.data;
  g_assert_cmpuint (n, ==, 7);
}

/* Nothing of another stream is used that has the same numbers. */
static void
test_restart (void)
{
  Block *old = g_new (Block, 1), *now = g_new (Block, 1);
  g_autoptr (RaRsfec) x = receiver_new (100);

  block_new (old, 4, 2, 100, 8);
  block_new (now, 4, 2, 100, 9);
  for (guint i = 0; i < 4; i++)
    send_media (old, x, i);
  ra_put_u16 (now->media[3] + 2, 40000); /* elsewhere, and back */
  send_media (now, x, 3);
  ra_put_u16 (now->media[3] + 2, 103);
  send_media (now, x, 3);
  send_media (now, x, 0);
  send_repair (now, x, 0);
  send_repair (now, x, 1);
  g_assert_cmpuint (take_all (now, x), ==, 2);
  g_free (old);
  g_free (now);
}

/* A repeat may come when its block is long gone.  512 numbers are kept: 100 to 103 are of
 * the block, 101 is lost. */
static const struct
{
  const gchar *name, *why;
  guint16 seq;
  gboolean again;
  guint back;
} far[] = {
  { "late", "a repeat of long ago ends no block", 65124, TRUE, 1 },
  { "early", "nor does one that nobody can have asked for", 615, TRUE, 1 },
  { "jump", "a packet there begins the stream again", 615, FALSE, 0 },
  { "back", "in both directions", 65124, FALSE, 0 },
};

static void
test_far (gconstpointer data)
{
  guint row = GPOINTER_TO_UINT (data);
  g_autofree Block *b = g_new (Block, 1);
  g_autoptr (RaRsfec) x = receiver_new (100);
  guint8 other[RA_RTP_HEADER] = { 0x80 };

  g_test_message ("%s", far[row].why);
  ra_put_u16 (other + 2, far[row].seq);
  block_new (b, 4, 1, 100, 7);
  for (guint i = 0; i < 4; i += i ? 1 : 2)
    send_media (b, x, i);
  ra_rsfec_on_media (
      x, &(RaRtpBytes){ other, sizeof other }, far[row].again, 0);
  send_media (b, x, 3);
  g_assert_true (send_repair (b, x, 0));
  g_assert_cmpuint (take_all (b, x), ==, far[row].back);
}

/* The first of 120 media packets is missing, and a repair packet, whose number is 120 above
 * it, brings it back. */
static void
test_behind (void)
{
  Block *b = g_new (Block, 1);
  g_autoptr (RaRsfec) x = receiver_new (65500);
  RaRsfecPacket packet;

  block_new (b, 120, 1, 65500, 7);
  for (guint i = 1; i < 120; i++)
    send_media (b, x, i);
  send_repair (b, x, 0);
  g_assert_true (ra_rsfec_take (x, &packet));
  g_assert_cmpuint (packet.seq, ==, 65500);
  g_assert_cmpuint (packet.behind, ==, 120);
  g_free (packet.data);
  g_free (b);
}

/* A block of 100 to 102 lies about 101.  That packet comes after all, and a block of 101 to
 * 103 brings 103 back by it. */
static void
test_lie (void)
{
  g_autofree Block *b = g_new (Block, 1), *last = g_new (Block, 1);
  g_autoptr (RaRsfec) x = receiver_new (100);
  RaRtpBytes media[3];
  RaRsfecPacket lie;
  guint8 repair[ROOM];
  gsize size;

  block_new (b, 3, 1, 100, 7);
  block_new (last, 1, 1, 103, 8);
  media[0] = (RaRtpBytes){ b->media[1], b->sizes[1] };
  media[1] = (RaRtpBytes){ b->media[2], b->sizes[2] };
  media[2] = (RaRtpBytes){ last->media[0], last->sizes[0] };
  size = ra_rsfec_write (media, 3, 1, 0, repair, sizeof repair);
  send_media (b, x, 0);
  send_media (b, x, 2);
  b->repair[0][RA_RSFEC_HEADER - 1] ^= 1; /* its time */
  g_assert_true (
      ra_rsfec_on_repair (x, SSRC, 110, b->repair[0], b->repair_size, 0));
  send_media (b, x, 1);
  g_assert_true (ra_rsfec_on_repair (x, SSRC, 111, repair, size, 0));
  g_assert_true (ra_rsfec_take (x, &lie));
  g_free (lie.data);
  g_assert_cmpuint (take_all (last, x), ==, 1);
}

/* --- bad packets --------------------------------------------------------------- */

static const struct
{
  guint at;
  guint8 byte;
  gsize size; /* 0: as it is */
  const gchar *why;
} bad[] = {
  { 0, 2, 0, "another version" },
  { 0, 0, 0, "no version" },
  { 0, 1, 13, "shorter than its header" },
  { 0, 1, 0 + RA_RSFEC_HEADER, "shorter than others of its block" },
  { 1, 128, 0, "129 media packets" },
  { 1, 2, 0, "other media packets than the block has" },
  { 2, 200, 0, "201 repair packets" },
  { 2, 0, 0, "other repair packets than the block has" },
  { 3, 2, 0, "packet 2 of 2" },
  { 4, 0x40, 0, "far from what comes" },
  { 5, 102, 0, "of media that come after it" },
};

static void
test_bad (gconstpointer data)
{
  guint i = GPOINTER_TO_UINT (data);
  g_autofree Block *b = g_new (Block, 1);
  g_autoptr (RaRsfec) x = receiver_new (100);

  g_test_message ("%s", bad[i].why);
  block_new (b, 4, 2, 100, 6);
  send_media (b, x, 0);
  g_assert_true (send_repair (b, x, 0));
  b->repair[1][bad[i].at] = bad[i].byte;
  if (bad[i].size)
    b->repair_size = bad[i].size;
  g_assert_false (send_repair (b, x, 1));
  g_assert_cmpuint (ra_rsfec_stats (x).bad, ==, 1);
  g_assert_cmpuint (take_all (b, x), ==, 0);
}

/* A media packet that is longer than the block allows: nothing comes back. */
static void
test_longer (void)
{
  g_autofree Block *b = g_new (Block, 1);
  g_autoptr (RaRsfec) x = receiver_new (100);

  block_new (b, 2, 1, 100, 6);
  b->sizes[0] = ROOM;
  send_media (b, x, 0);
  send_repair (b, x, 0);
  g_assert_cmpuint (take_all (b, x), ==, 0);
  g_assert_cmpuint (ra_rsfec_stats (x).bad, ==, 1);
}

void
tests_add (void)
{
  g_test_add_func ("/rs/field", test_field);
  g_test_add_func ("/rs/symbols", test_symbols);
  g_test_add_func ("/rs/invert", test_invert);
  g_test_add_func ("/rs/bytes", test_bytes);
  rows_add_by ("/rs/any", sizes, name, test_any);
  g_test_add_func ("/rs/order", test_order);
  g_test_add_func ("/rs/arrival", test_arrival);
  rows_add_by ("/rs/lost-repair", lost_repair, name, test_lost_repair);
  g_test_add_func ("/rs/lost-twice", test_lost_twice);
  g_test_add_func ("/rs/restart", test_restart);
  rows_add_by ("/rs/far", far, name, test_far);
  g_test_add_func ("/rs/behind", test_behind);
  g_test_add_func ("/rs/lie", test_lie);
  rows_add ("/rs/bad", bad, test_bad);
  g_test_add_func ("/rs/longer", test_longer);
}
