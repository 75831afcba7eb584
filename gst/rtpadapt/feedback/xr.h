/* Extended reports of RTCP (RFC 3611): who asks for the time, and the answer.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 *      0                   1                   2                   3
 *      0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
 *     +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *     |V=2|P|reserved |   PT=XR=207   |             length            |
 *     |                              SSRC                             |
 *     :                         report blocks                         :
 *
 * A receiver reference time (4.4, block type 4) has an NTP timestamp; the answer
 * (4.5, DLRR, block type 5) says of each receiver the middle 32 bits of the last
 * one that came from it, and how long ago that was.
 */
#pragma once

#include <gst/rtpadapt/types.h>

G_BEGIN_DECLS

#define RA_XR_PT 207
#define RA_XR_RRTR_SIZE 20 /* with the header of the packet */
#define RA_XR_DLRR_SIZE(n) (12 + 12 * (n))

/* One receiver's part of a DLRR. */
typedef struct
{
  guint32 receiver; /* SSRC */
  guint32 lrr;      /* ra_xr_lrr() of its last RRTR, 0: none */
  guint32 dlrr;     /* since then, in 1/65536 s */
} RaXrDlrr;

/* A whole RTCP packet of `ssrc`.  Its size; 0 if `len` has no room for it, or a
 * packet none for so many. */
gsize ra_xr_write_rrtr (guint8 *data, gsize len, guint32 ssrc, guint64 ntp);
gsize ra_xr_write_dlrr (
    guint8 *data, gsize len, guint32 ssrc, const RaXrDlrr *blocks, guint n);

/* The middle 32 bits. */
static inline guint32
ra_xr_lrr (guint64 ntp)
{
  return (guint32) (ntp >> 16);
}

typedef enum
{
  RA_XR_RRTR,
  RA_XR_DLRR
} RaXrKind;

/* What an extended report says, one after the other. */
typedef struct
{
  RaXrKind kind;
  guint32 ssrc;  /* who says it */
  guint64 ntp;   /* RA_XR_RRTR */
  RaXrDlrr dlrr; /* RA_XR_DLRR */
} RaXrItem;

typedef struct
{
  const guint8 *data; /* the next block, or sub-block */
  gsize left, sub;    /* bytes of all blocks, of sub-blocks */
  guint32 ssrc;
} RaXrReader;

/* A whole RTCP packet.  FALSE: it is no extended report, or malformed. */
gboolean ra_xr_read (RaXrReader *r, const guint8 *data, gsize size);
/* FALSE: there is no more.  Blocks of other types are passed over. */
gboolean ra_xr_next (RaXrReader *r, RaXrItem *item);

G_END_DECLS
