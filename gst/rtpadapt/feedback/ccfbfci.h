/* RTP Control Protocol (RTCP) Feedback for Congestion Control, RFC 8888.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * RTPFB (205) with FMT 11.  Where other feedback has the SSRC of the media
 * source this has the first report block's (section 3.1), so it stands apart
 * from the rest, the FCI:
 *
 *     begin_seq, num_reports, metrics   of the first block
 *     { SSRC, begin_seq, num_reports, metrics }*
 *     RTS
 *
 * num_reports is the number of metrics.  The text's "in the range begin_seq to
 * begin_seq+num_reports inclusive" would be one more; its "The value of
 * num_reports MAY be 0, indicating that there are no packet metric blocks" and
 * all implementations count.
 *
 *     while (ra_ccfb_next (&reader))
 *       for (guint i = 0; i < reader.n; i++)
 *         ra_ccfb_get (&reader, i)  is about  (guint16) (reader.begin_seq + i)
 */
#pragma once

#include <gst/rtpadapt/types.h>

G_BEGIN_DECLS

#define RA_CCFB_FMT 11
#define RA_CCFB_RTS_SIZE 4
#define RA_CCFB_PACKETS_MAX 16384 /* in one block, section 3.1 */
/* The FCI of the longest packet that RTCP's length field can express. */
#define RA_CCFB_SIZE_MAX (65536 * 4 - 12)

#define RA_CCFB_ATO_MAX 0x1ffd  /* 8189/1024 s */
#define RA_CCFB_ATO_OVER 0x1ffe /* more than that */
#define RA_CCFB_ATO_NONE 0x1fff /* not known, or after RTS */

typedef struct
{
  gboolean received; /* if not, the others are 0 */
  guint8 ecn;  /* RFC 3168: 0 not ECT, 1 ECT(1), 2 ECT(0), 3 CE.  Of several
                 copies the first one's, but CE if any has it */
  guint16 ato; /* before RTS, 1/1024 s; of several copies the first one's */
} RaCcfbPacket;

typedef struct
{
  guint32 ssrc;
  guint16 begin_seq;
  guint n; /* num_reports, may be 0 */
  const RaCcfbPacket *packets;
} RaCcfbBlock;

/* Bytes of the FCI; 0 without blocks, one with too many packets, or if it is
 * longer than RTCP can say. */
gsize ra_ccfb_size (const RaCcfbBlock *blocks, guint n_blocks);
/* ra_ccfb_size(), or 0 if `len` has no room for it.  `media_ssrc` is what goes
 * before the FCI. */
gsize ra_ccfb_write (guint32 rts, const RaCcfbBlock *blocks, guint n_blocks,
    guint32 *media_ssrc, guint8 *fci, gsize len);

typedef struct
{
  guint32 rts;
  /* the block that ra_ccfb_next() found */
  guint32 ssrc;
  guint16 begin_seq;
  guint n;
  /* inside the FCI */
  const guint8 *fci, *metrics, *next, *end;
} RaCcfbReader;

/* Checks all of it.  FALSE if anything is malformed: `r` is left alone.  The
 * FCI has to stay until the reader is done. */
gboolean ra_ccfb_read (
    RaCcfbReader *r, guint32 media_ssrc, const guint8 *fci, gsize len);
/* Goes to the next block, FALSE after the last. */
gboolean ra_ccfb_next (RaCcfbReader *r);
/* Packet i < r->n of this block. */
RaCcfbPacket ra_ccfb_get (const RaCcfbReader *r, guint i);

/* ATO and what it stands for; `rts` is the time of the report, that which
 * ra_stamp_ntp() gets (whose rounding does not count here: a packet that has
 * just arrived would be after it). */
guint16 ra_ccfb_ato (RaTime rts, RaTime arrival);
/* RA_TIME_NONE for RA_CCFB_ATO_OVER and RA_CCFB_ATO_NONE, which says nothing
 * about being lost. */
RaTime ra_ccfb_arrival (RaTime rts, guint16 ato);

G_END_DECLS
