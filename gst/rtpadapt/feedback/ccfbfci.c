/* RTP Control Protocol (RTCP) Feedback for Congestion Control, RFC 8888.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <gst/rtpadapt/feedback/ccfbfci.h>

#include <gst/rtpadapt/util/bytes.h>

#define SSRC_SIZE 4
#define HEAD_SIZE 4 /* begin_seq, num_reports */
#define ATO_MASK 0x1fff
#define ATO_HZ 1024

/* With the padding to 32 bits. */
static gsize
metrics_size (guint n)
{
  return ((gsize) n + n % 2) * 2;
}

gsize
ra_ccfb_size (const RaCcfbBlock *blocks, guint n_blocks)
{
  gsize size
      = RA_CCFB_RTS_SIZE - SSRC_SIZE; /* the first SSRC is not in the FCI */

  for (guint i = 0; i < n_blocks; i++) {
    if (blocks[i].n > RA_CCFB_PACKETS_MAX)
      return 0;
    size += SSRC_SIZE + HEAD_SIZE + metrics_size (blocks[i].n);
    if (size > RA_CCFB_SIZE_MAX)
      return 0;
  }
  return size;
}

static guint32
metric (const RaCcfbPacket *p)
{
  if (!p->received)
    return 0;
  return 1u << 15 | (p->ecn & 3u) << 13 | MIN (p->ato, RA_CCFB_ATO_NONE);
}

gsize
ra_ccfb_write (guint32 rts, const RaCcfbBlock *blocks, guint n_blocks,
    guint32 *media_ssrc, guint8 *fci, gsize len)
{
  gsize size = ra_ccfb_size (blocks, n_blocks);
  guint8 *at = fci;

  if (size == 0 || len < size)
    return 0;
  *media_ssrc = blocks[0].ssrc;
  for (guint i = 0; i < n_blocks; i++) {
    const RaCcfbBlock *block = &blocks[i];

    if (i > 0) {
      ra_put_u32 (at, block->ssrc);
      at += SSRC_SIZE;
    }
    ra_put_u16 (at, block->begin_seq);
    ra_put_u16 (at + 2, block->n);
    at += HEAD_SIZE;
    for (guint k = 0; k < block->n; k++, at += 2)
      ra_put_u16 (at, metric (&block->packets[k]));
    if (block->n % 2) {
      ra_put_u16 (at, 0);
      at += 2;
    }
  }
  ra_put_u32 (at, rts);
  return size;
}

gboolean
ra_ccfb_next (RaCcfbReader *r)
{
  if (r->next == r->end)
    return FALSE;
  if (r->next != r->fci) {
    r->ssrc = ra_get_u32 (r->next);
    r->next += SSRC_SIZE;
  }
  r->begin_seq = ra_get_u16 (r->next);
  r->n = ra_get_u16 (r->next + 2);
  r->metrics = r->next + HEAD_SIZE;
  r->next = r->metrics + metrics_size (r->n);
  return TRUE;
}

/* `left` bytes are before RTS: blocks one after the other, all of them multiples
 * of 4, and nothing else. */
static gboolean
blocks_fit (const guint8 *at, gsize left)
{
  gsize ssrc = 0;

  while (left > 0) {
    gsize size = ssrc + HEAD_SIZE;
    guint n;

    if (left < size)
      return FALSE;
    n = ra_get_u16 (at + ssrc + 2);
    size += metrics_size (n);
    if (n > RA_CCFB_PACKETS_MAX || left < size)
      return FALSE;
    at += size;
    left -= size;
    ssrc = SSRC_SIZE;
  }
  return TRUE;
}

gboolean
ra_ccfb_read (RaCcfbReader *r, guint32 media_ssrc, const guint8 *fci, gsize len)
{
  /* No block at all: RTS is where the first SSRC would be. */
  if (len == 0) {
    *r = (RaCcfbReader){ .rts = media_ssrc, .fci = fci };
    r->next = r->end = fci;
    return TRUE;
  }
  if (len < HEAD_SIZE + RA_CCFB_RTS_SIZE
      || !blocks_fit (fci, len - RA_CCFB_RTS_SIZE))
    return FALSE;
  *r = (RaCcfbReader){
    .rts = ra_get_u32 (fci + len - RA_CCFB_RTS_SIZE),
    .ssrc = media_ssrc,
    .fci = fci,
    .next = fci,
    .end = fci + len - RA_CCFB_RTS_SIZE,
  };
  return TRUE;
}

RaCcfbPacket
ra_ccfb_get (const RaCcfbReader *r, guint i)
{
  guint16 m = ra_get_u16 (r->metrics + 2 * (gsize) i);

  if (!(m >> 15)) /* section 3.1: the rest MUST be ignored */
    return (RaCcfbPacket){ 0 };
  return (RaCcfbPacket){
    .received = TRUE,
    .ecn = (guint8) (m >> 13 & 3),
    .ato = m & ATO_MASK,
  };
}

guint16
ra_ccfb_ato (RaTime rts, RaTime arrival)
{
  RaTime ago = rts - arrival;

  if (arrival > rts) /* RA_TIME_NONE too */
    return RA_CCFB_ATO_NONE;
  if (ago > RA_CCFB_ATO_MAX * RA_SECOND / ATO_HZ)
    return RA_CCFB_ATO_OVER;
  return (guint16) ((ago * ATO_HZ + RA_SECOND / 2) / RA_SECOND);
}

RaTime
ra_ccfb_arrival (RaTime rts, guint16 ato)
{
  if (ato > RA_CCFB_ATO_MAX)
    return RA_TIME_NONE;
  return ra_later (rts, -(ato * RA_SECOND / ATO_HZ));
}
