/* A systematic Reed-Solomon code over GF(256) by a Cauchy matrix.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <gst/rtpadapt/repair/rs.h>

#include <string.h>

#define FIELD 0x11d /* x^8 + x^4 + x^3 + x^2 + 1 */

static guint8
twice (guint8 a)
{
  return (guint8) (a << 1 ^ (a & 0x80 ? FIELD : 0));
}

guint8
ra_rs_multiply (guint8 a, guint8 b)
{
  guint8 sum = 0;

  for (; b; b >>= 1, a = twice (a)) {
    if (b & 1)
      sum ^= a;
  }
  return sum;
}

/* a^254, as a^255 = 1. */
guint8
ra_rs_inverse (guint8 a)
{
  guint8 square = ra_rs_multiply (a, a), result = 1;

  for (guint i = 0; i < 7; i++) {
    result = ra_rs_multiply (result, square);
    square = ra_rs_multiply (square, square);
  }
  return result;
}

guint8
ra_rs_factor (guint repair, guint media)
{
  return ra_rs_inverse ((guint8) ((RA_RS_MAX + repair) ^ media));
}

void
ra_rs_add (guint8 *sum, const guint8 *in, gsize size, guint8 factor)
{
  guint8 product[256];

  product[0] = 0;
  for (guint i = 1; i < 256; i++)
    product[i] = i & 1 ? product[i - 1] ^ factor : twice (product[i / 2]);
  for (gsize i = 0; i < size; i++)
    sum[i] ^= product[in[i]];
}

static void
rows_swap (guint8 *a, guint8 *b, guint n)
{
  for (guint i = 0; i < n; i++) {
    guint8 kept = a[i];

    a[i] = b[i];
    b[i] = kept;
  }
}

static void
row_scale (guint8 *row, guint n, guint8 factor)
{
  for (guint i = 0; i < n; i++)
    row[i] = ra_rs_multiply (row[i], factor);
}

/* Gauss and Jordan. */
gboolean
ra_rs_invert (guint8 *matrix, guint n)
{
  g_autofree guint8 *inverse = g_new0 (guint8, n * n);

  for (guint i = 0; i < n; i++)
    inverse[i * n + i] = 1;
  for (guint i = 0; i < n; i++) {
    guint pivot = i;
    guint8 factor;

    while (pivot < n && matrix[pivot * n + i] == 0)
      pivot++;
    if (pivot == n)
      return FALSE;
    if (pivot != i) {
      rows_swap (matrix + i * n, matrix + pivot * n, n);
      rows_swap (inverse + i * n, inverse + pivot * n, n);
    }
    factor = ra_rs_inverse (matrix[i * n + i]);
    row_scale (matrix + i * n, n, factor);
    row_scale (inverse + i * n, n, factor);
    for (guint k = 0; k < n; k++) {
      guint8 off = matrix[k * n + i];

      if (k == i || off == 0)
        continue;
      ra_rs_add (matrix + k * n, matrix + i * n, n, off);
      ra_rs_add (inverse + k * n, inverse + i * n, n, off);
    }
  }
  memcpy (matrix, inverse, (gsize) n * n);
  return TRUE;
}
