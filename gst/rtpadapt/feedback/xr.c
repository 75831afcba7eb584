/* Extended reports of RTCP (RFC 3611): asking for the time, and answering.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <gst/rtpadapt/feedback/xr.h>

#include <gst/rtpadapt/util/bytes.h>

#define HEAD 8  /* RFC 3611 2 */
#define BLOCK 4 /* RFC 3611 3 */
#define BT_RRTR 4
#define BT_DLRR 5
#define RRTR_WORDS 2 /* its body, RFC 3611 4.4 */
#define SUB 12       /* a sub-block of DLRR, RFC 3611 4.5 */

static gsize
block_size (const guint8 *block)
{
  return BLOCK + 4 * (gsize) ra_get_u16 (block + 2);
}

static void
write_head (guint8 *data, gsize size, guint32 ssrc, guint8 type)
{
  data[0] = 2 << 6;
  data[1] = RA_XR_PT;
  ra_put_u16 (data + 2, (guint32) (size / 4 - 1));
  ra_put_u32 (data + 4, ssrc);
  data[HEAD] = type;
  data[HEAD + 1] = 0;
  ra_put_u16 (data + HEAD + 2, (guint32) ((size - HEAD - BLOCK) / 4));
}

gsize
ra_xr_write_rrtr (guint8 *data, gsize len, guint32 ssrc, guint64 ntp)
{
  if (len < RA_XR_RRTR_SIZE)
    return 0;
  write_head (data, RA_XR_RRTR_SIZE, ssrc, BT_RRTR);
  ra_put_u32 (data + HEAD + BLOCK, (guint32) (ntp >> 32));
  ra_put_u32 (data + HEAD + BLOCK + 4, (guint32) ntp);
  return RA_XR_RRTR_SIZE;
}

gsize
ra_xr_write_dlrr (
    guint8 *data, gsize len, guint32 ssrc, const RaXrDlrr *blocks, guint n)
{
  gsize size = RA_XR_DLRR_SIZE ((gsize) n);

  if (len < size || size / 4 - 1 > G_MAXUINT16)
    return 0;
  write_head (data, size, ssrc, BT_DLRR);
  data += HEAD + BLOCK;
  for (guint i = 0; i < n; i++, data += SUB) {
    ra_put_u32 (data, blocks[i].receiver);
    ra_put_u32 (data + 4, blocks[i].lrr);
    ra_put_u32 (data + 8, blocks[i].dlrr);
  }
  return size;
}

/* The block has the length that RFC 3611 4.4 or 4.5 demands. */
static gboolean
block_is_whole (const guint8 *block, gsize left)
{
  gsize words;

  if (left < BLOCK || left < block_size (block))
    return FALSE;
  words = ra_get_u16 (block + 2);
  return block[0] == BT_RRTR ? words == RRTR_WORDS
      : block[0] == BT_DLRR  ? words % (SUB / 4) == 0
                             : TRUE;
}

gboolean
ra_xr_read (RaXrReader *r, const guint8 *data, gsize size)
{
  gsize padding = 0;

  if (size < HEAD || data[0] >> 6 != 2 || data[1] != RA_XR_PT
      || 4 * ((gsize) ra_get_u16 (data + 2) + 1) != size)
    return FALSE;
  if (data[0] & 0x20) { /* RFC 3550 6.4.1 */
    padding = data[size - 1];
    if (padding == 0 || padding % 4 != 0 || padding > size - HEAD)
      return FALSE;
  }
  size -= padding;
  for (gsize at = HEAD; at < size; at += block_size (data + at)) {
    if (!block_is_whole (data + at, size - at))
      return FALSE;
  }
  *r = (RaXrReader){
    .data = data + HEAD, .left = size - HEAD, .ssrc = ra_get_u32 (data + 4)
  };
  return TRUE;
}

static void
skip (RaXrReader *r, gsize n)
{
  r->data += n;
  r->left -= n;
}

gboolean
ra_xr_next (RaXrReader *r, RaXrItem *item)
{
  while (r->sub == 0 && r->left > 0) {
    const guint8 *block = r->data;

    if (block[0] == BT_RRTR) {
      *item = (RaXrItem){ .kind = RA_XR_RRTR,
        .ssrc = r->ssrc,
        .ntp = (guint64) ra_get_u32 (block + BLOCK) << 32
            | ra_get_u32 (block + BLOCK + 4) };
      skip (r, block_size (block));
      return TRUE;
    }
    if (block[0] == BT_DLRR) {
      r->sub = block_size (block) - BLOCK;
      skip (r, BLOCK);
    } else {
      skip (r, block_size (block));
    }
  }
  if (r->sub == 0)
    return FALSE;
  *item = (RaXrItem){ .kind = RA_XR_DLRR,
    .ssrc = r->ssrc,
    .dlrr = { ra_get_u32 (r->data), ra_get_u32 (r->data + 4),
        ra_get_u32 (r->data + 8) } };
  r->sub -= SUB;
  skip (r, SUB);
  return TRUE;
}
