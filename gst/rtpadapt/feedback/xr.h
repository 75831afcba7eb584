/* Extended reports of RTCP (RFC 3611): asking for the time, and answering.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 *      0                   1                   2                   3
 *      0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
 *     +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *     |V=2|P|reserved |   PT=XR=207   |             length            |
 *     |                              SSRC                             |
 *     :                         report blocks                         :
 *
 * A receiver reference time report (RRTR, 4.4, block type 4) has an NTP
 * timestamp.  The answer (DLRR, 4.5, block type 5) has a sub-block for each
 * receiver: the middle 32 bits of the last timestamp that came from it, and the
 * time since then.
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

/* Both write a whole RTCP packet of `ssrc` and return its size.  They return 0 if
 * it is larger than `len`, or than an RTCP packet may be. */
gsize ra_xr_write_rrtr (guint8 *data, gsize len, guint32 ssrc, guint64 ntp);
gsize ra_xr_write_dlrr (
    guint8 *data, gsize len, guint32 ssrc, const RaXrDlrr *blocks, guint n);

/* The middle 32 bits of a timestamp. */
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

/* One statement of an extended report. */
typedef struct
{
  RaXrKind kind;
  guint32 ssrc;  /* its sender */
  guint64 ntp;   /* RA_XR_RRTR */
  RaXrDlrr dlrr; /* RA_XR_DLRR */
} RaXrItem;

typedef struct
{
  const guint8 *data; /* the next block, or sub-block */
  gsize left;         /* bytes of all blocks from `data` on */
  gsize sub;          /* bytes of sub-blocks from `data` on */
  guint32 ssrc;
} RaXrReader;

/* Begins to read a whole RTCP packet.  FALSE: it is not an extended report, or
 * it is malformed. */
gboolean ra_xr_read (RaXrReader *r, const guint8 *data, gsize size);
/* Reads the next statement and passes over blocks of other types.  FALSE: there
 * is none. */
gboolean ra_xr_next (RaXrReader *r, RaXrItem *item);

G_END_DECLS
