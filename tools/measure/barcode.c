/* A frame's number, painted into its picture.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "barcode.h"

#include <string.h>

#define BITS 40
#define CRC_BITS 16
/* ITU-R BT.601 2.5.3: black, white and no colour. */
#define BLACK 16
#define WHITE 235
#define NEUTRAL 128
/* A block counts if its mean is within a third of black or of white. */
#define UNSURE_FROM 89
#define UNSURE_TO 162
/* What is read of a block: its edges are blurred. */
#define INNER (BARCODE_BLOCK / 2)

guint16
barcode_crc (const guint8 *data, gsize length)
{
  guint16 crc = 0xffff;

  for (gsize i = 0; i < length; i++) {
    crc ^= (guint16) (data[i] << 8);
    for (guint bit = 0; bit < 8; bit++)
      crc = (guint16) (crc & 0x8000 ? crc << 1 ^ 0x1021 : crc << 1);
  }
  return crc;
}

static guint64
with_crc (guint32 number)
{
  guint8 bytes[]
      = { (guint8) (number >> 16), (guint8) (number >> 8), (guint8) number };

  return (guint64) (number & BARCODE_MAX) << CRC_BITS
      | barcode_crc (bytes, sizeof bytes);
}

static gint
blocks_per_row (gint width)
{
  return MAX (width / BARCODE_BLOCK, 1);
}

gint
barcode_height (gint width)
{
  gint row = blocks_per_row (width);

  return (BITS + row - 1) / row * BARCODE_BLOCK;
}

static guint8 *
line_of (const GstVideoFrame *picture, guint plane, gint y)
{
  return (guint8 *) GST_VIDEO_FRAME_PLANE_DATA (picture, plane)
      + y * GST_VIDEO_FRAME_PLANE_STRIDE (picture, plane);
}

void
barcode_paint (GstVideoFrame *picture, guint32 number)
{
  gint width = GST_VIDEO_FRAME_WIDTH (picture);
  gint row = blocks_per_row (width), height = barcode_height (width);
  guint64 code = with_crc (number);

  for (gint y = 0; y < height; y++) {
    guint8 *line = line_of (picture, 0, y);
    gint first = y / BARCODE_BLOCK * row;

    memset (line, BLACK, (gsize) width);
    for (gint i = first; i < MIN (first + row, BITS); i++) {
      if (code >> (BITS - 1 - i) & 1)
        memset (line + (i - first) * BARCODE_BLOCK, WHITE, BARCODE_BLOCK);
    }
  }
  for (guint plane = 1; plane <= 2; plane++) {
    for (gint y = 0; y < height / 2; y++)
      memset (line_of (picture, plane, y), NEUTRAL, (gsize) width / 2);
  }
}

static guint
block_mean (const GstVideoFrame *picture, gint x, gint y)
{
  guint sum = 0;

  for (gint i = 0; i < INNER; i++) {
    const guint8 *line = line_of (picture, 0, y + INNER / 2 + i);

    for (gint j = 0; j < INNER; j++)
      sum += line[x + INNER / 2 + j];
  }
  return sum / (INNER * INNER);
}

gboolean
barcode_read (const GstVideoFrame *picture, guint32 *number)
{
  gint width = GST_VIDEO_FRAME_WIDTH (picture);
  gint row = blocks_per_row (width);
  guint64 code = 0;

  if (width < BARCODE_BLOCK
      || GST_VIDEO_FRAME_HEIGHT (picture) < barcode_height (width))
    return FALSE;
  for (gint i = 0; i < BITS; i++) {
    guint mean = block_mean (
        picture, i % row * BARCODE_BLOCK, i / row * BARCODE_BLOCK);

    if (mean >= UNSURE_FROM && mean <= UNSURE_TO)
      return FALSE;
    code = code << 1 | (mean > UNSURE_TO);
  }
  *number = (guint32) (code >> CRC_BITS);
  return with_crc (*number) == code;
}
