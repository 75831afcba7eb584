/* The packets of a block, and the repair packets that are made of them.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Copies, as what leaves the encoder may be written to behind it.
 */
#pragma once

#include <gst/gst.h>
#include <gst/rtpadapt/repair/block.h>
#include <gst/rtpadapt/repair/bytes.h>
#include <gst/rtpadapt/fec.h>
#include <gst/rtpadapt/repair/rs.h>

G_BEGIN_DECLS

/* Zeroed memory is ready. */
typedef struct
{
  RaFecBlock block;
  GByteArray *bytes;      /* of all packets, one after the other, or NULL */
  guint sizes[RA_RS_MAX]; /* of each */
  guint n;                /* packets kept */
} FecBlock;

/* What repair packets have of the last media packet. */
typedef struct
{
  guint8 payload_type; /* their own */
  guint16 seq;         /* of the first of them */
  guint32 ssrc, timestamp;
} FecHeader;

/* The most media packets of a block. */
guint fec_block_most (RaFecCode code);

void fec_block_clear (FecBlock *b);
/* Forgets the packets of the block. */
void fec_block_drop (FecBlock *b);
/* Keeps the packet of `size` bytes.  A block ends at fec_block_most() packets; one that
 * went on beyond RA_RS_MAX is forgotten first. */
void fec_block_keep (FecBlock *b, const guint8 *packet, guint size);
/* As ra_block_add(), with the packet of `size` bytes; `cfg->most` is at most what
 * fec_block_most() says. */
gboolean fec_block_add (FecBlock *b, const RaFecBlockConfig *cfg,
    guint percentage, gboolean end, RaTime now, const guint8 *packet,
    guint size);
/* The block ends.  Its repair packets, without times; a block that is too large for
 * RFC 5109 has none with that code.  (transfer full) (element-type GstBuffer), or
 * NULL for none. */
GPtrArray *fec_block_end (FecBlock *b, RaFecCode code, const FecHeader *header);
/* The same of the packets that were kept, with `f` repair packets. */
GPtrArray *fec_block_make (
    FecBlock *b, guint f, RaFecCode code, const FecHeader *header);

G_END_DECLS
