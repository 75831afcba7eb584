/* Extended reports: the bytes of RFC 3611, and packets that are malformed.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <gst/rtpadapt/feedback/xr.h>

#include <string.h>

#include "../main.h"

/* --- bytes --------------------------------------------------------------- */

/* RFC 3611 2 and 4.4: V=2, PT 207, length 4, SSRC; BT 4, reserved, length 2, the
 * NTP timestamp. */
static const guint8 rrtr[] = { 0x80, 207, 0, 4, 1, 2, 3, 4, 4, 0, 0, 2, 0xe1,
  0xe2, 0xe3, 0xe4, 0xe5, 0xe6, 0xe7, 0xe8 };
/* 4.5: BT 5, length 6: two sub-blocks of SSRC, LRR, DLRR. */
static const guint8 dlrr[]
    = { 0x80, 207, 0, 8, 1, 2, 3, 4, 5, 0, 0, 6, 0xa0, 0, 0, 1, 0xb0, 0, 0, 2,
        0xc0, 0, 0, 3, 0xa1, 0, 0, 4, 0xb1, 0, 0, 5, 0xc1, 0, 0, 6 };
static const RaXrDlrr subs[] = { { 0xa0000001, 0xb0000002, 0xc0000003 },
  { 0xa1000004, 0xb1000005, 0xc1000006 } };

static void
test_write (void)
{
  guint8 data[64];

  g_assert_cmpuint (
      ra_xr_write_rrtr (data, 20, 0x01020304, 0xe1e2e3e4e5e6e7e8), ==, 20);
  g_assert_cmpmem (data, 20, rrtr, sizeof rrtr);
  g_assert_cmpuint (ra_xr_write_rrtr (data, 19, 1, 2), ==, 0);
  g_assert_cmpuint (ra_xr_write_dlrr (data, 36, 0x01020304, subs, 2), ==, 36);
  g_assert_cmpmem (data, 36, dlrr, sizeof dlrr);
  g_assert_cmpuint (ra_xr_write_dlrr (data, 35, 1, subs, 2), ==, 0);
  /* 4.5: the middle 32 bits */
  g_assert_cmphex (ra_xr_lrr (0xe1e2e3e4e5e6e7e8), ==, 0xe3e4e5e6);
}

static void
test_read (void)
{
  RaXrReader r;
  RaXrItem item;

  g_assert_true (ra_xr_read (&r, rrtr, sizeof rrtr));
  g_assert_true (ra_xr_next (&r, &item));
  g_assert_cmpint (item.kind, ==, RA_XR_RRTR);
  g_assert_cmphex (item.ssrc, ==, 0x01020304);
  g_assert_cmphex (item.ntp, ==, 0xe1e2e3e4e5e6e7e8);
  g_assert_false (ra_xr_next (&r, &item));

  g_assert_true (ra_xr_read (&r, dlrr, sizeof dlrr));
  for (guint i = 0; i < 2; i++) {
    g_assert_true (ra_xr_next (&r, &item));
    g_assert_cmpint (item.kind, ==, RA_XR_DLRR);
    g_assert_cmphex (item.ssrc, ==, 0x01020304);
    g_assert_cmpmem (&item.dlrr, sizeof item.dlrr, &subs[i], sizeof subs[i]);
  }
  g_assert_false (ra_xr_next (&r, &item));
}

static const struct
{
  guint8 data[24];
  gsize size;
  gint items; /* -1: refused */
  const gchar *why;
} rows[] = {
  { { 0x80, 207, 0, 1, 1, 2, 3, 4 }, 8, 0, "no block: RFC 3611 2" },
  { { 0x80, 207, 0, 2, 1, 2, 3, 4, 7, 0, 0, 0 }, 12, 0,
      "an empty other block" },
  { { 0x80, 207, 0, 2, 1, 2, 3, 4, 5, 0, 0, 0 }, 12, 0, "a DLRR of nobody" },
  { { 0x80, 207, 0, 3, 1, 2, 3, 4, 7, 0, 0, 1, 9, 9, 9, 9 }, 16, 0,
      "another block" },
  { { 0xa0, 207, 0, 2, 1, 2, 3, 4, 0, 0, 0, 4 }, 12, 0, "padding alone" },
  { { 0xa0, 207, 0, 3, 1, 2, 3, 4, 7, 0, 0, 0, 0, 0, 0, 4 }, 16, 0,
      "a block, and padding" },
  { { 0x80, 207, 0, 0 }, 4, -1, "no SSRC" },
  { { 0x80, 207, 0, 1, 1, 2, 3, 4 }, 7, -1, "cut off" },
  { { 0x80, 207, 0, 2, 1, 2, 3, 4 }, 8, -1, "a length that is too long" },
  { { 0x40, 207, 0, 1, 1, 2, 3, 4 }, 8, -1, "version 1" },
  { { 0x80, 206, 0, 1, 1, 2, 3, 4 }, 8, -1, "a PLI" },
  { { 0x80, 207, 0, 2, 1, 2, 3, 4, 4, 0, 0, 0 }, 12, -1,
      "an RRTR without a time" },
  { { 0x80, 207, 0, 3, 1, 2, 3, 4, 4, 0, 0, 1, 9, 9, 9, 9 }, 16, -1,
      "an RRTR with half a time" },
  { { 0x80, 207, 0, 3, 1, 2, 3, 4, 5, 0, 0, 1, 9, 9, 9, 9 }, 16, -1,
      "a third of a DLRR" },
  { { 0x80, 207, 0, 2, 1, 2, 3, 4, 7, 0, 0, 1 }, 12, -1,
      "a block beyond the end" },
  { { 0xa0, 207, 0, 2, 1, 2, 3, 4, 7, 0, 0, 0 }, 12, -1, "padding of 0" },
  { { 0xa0, 207, 0, 2, 1, 2, 3, 4, 7, 0, 0, 8 }, 12, -1, "padding of all" },
  { { 0xa0, 207, 0, 2, 1, 2, 3, 4, 7, 0, 0, 3 }, 12, -1, "padding of 3" },
};

static void
test_rows (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    gint items = -1;
    RaXrReader r;
    RaXrItem item;

    g_test_message ("%s", rows[i].why);
    if (ra_xr_read (&r, rows[i].data, rows[i].size)) {
      for (items = 0; ra_xr_next (&r, &item);)
        items++;
    }
    g_assert_cmpint (items, ==, rows[i].items);
  }
}

/* --- laws ---------------------------------------------------------------- */

/* Random bytes are refused or read.  Nothing is read beyond their end (the copies are
 * as long as the packet, for ASan), and there are no more items than fit. */
static void
test_any_bytes (void)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (11);
  guint read = 0;

  for (guint i = 0; i < 100000; i++) {
    gsize size = (gsize) g_rand_int_range (rand, 0, 16) * 4;
    g_autofree guint8 *data = g_malloc (size + 1);
    guint items = 0;
    RaXrReader r;
    RaXrItem item;

    for (gsize k = 0; k < size; k++)
      data[k] = (guint8) (g_rand_int (rand) % (k % 4 == 0 ? 8 : 4));
    if (size >= 8) {
      data[0] = (guint8) (0x80 | (g_rand_int (rand) & 0x3f));
      data[1] = RA_XR_PT;
      data[2] = 0;
      data[3] = (guint8) (size / 4 - 1);
    }
    if (!ra_xr_read (&r, data, size))
      continue;
    read++;
    while (ra_xr_next (&r, &item))
      items++;
    g_assert_cmpuint (12 * items, <=, size);
  }
  g_assert_cmpuint (read, >, 1000);
}

/* The reader reads what the writer wrote. */
static void
test_round (void)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (12);

  for (guint n = 0; n < 40; n++) {
    guint8 data[RA_XR_DLRR_SIZE (40)];
    RaXrDlrr blocks[40];
    RaXrReader r;
    RaXrItem item;
    gsize size;

    for (guint i = 0; i < n; i++)
      blocks[i] = (RaXrDlrr){ g_rand_int (rand), g_rand_int (rand),
        g_rand_int (rand) };
    size = ra_xr_write_dlrr (data, sizeof data, n, blocks, n);
    g_assert_cmpuint (size, ==, RA_XR_DLRR_SIZE (n));
    g_assert_true (ra_xr_read (&r, data, size));
    for (guint i = 0; i < n; i++) {
      g_assert_true (ra_xr_next (&r, &item));
      g_assert_cmpmem (
          &item.dlrr, sizeof item.dlrr, &blocks[i], sizeof blocks[i]);
    }
    g_assert_false (ra_xr_next (&r, &item));
  }
}

void
tests_add (void)
{
  g_test_add_func ("/feedback-xr/write", test_write);
  g_test_add_func ("/feedback-xr/read", test_read);
  g_test_add_func ("/feedback-xr/rows", test_rows);
  g_test_add_func ("/feedback-xr/any-bytes", test_any_bytes);
  g_test_add_func ("/feedback-xr/round", test_round);
}
