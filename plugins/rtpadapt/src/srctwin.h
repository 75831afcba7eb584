/* Finds media that have a payload type of repair.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Such media go where repair goes, so nothing of them is ever shown.  FEC has the SSRC
 * of what it repairs, and a retransmission begins with the number of the packet that
 * it repeats (RFC 4588 4).  Media fit neither.
 *
 * No clock, no lock: the caller has both.
 */
#pragma once

#include "srcpayload.h"
#include "wire/peer.h"
#include "wire/rtpmux.h"

G_BEGIN_DECLS

/* More than the FEC of a block whose media were sent before we listened. */
#define SRC_TWIN_ENOUGH 100
/* So many of the latest packets count: another sender may have come. */
#define SRC_TWIN_LATEST (4 * SRC_TWIN_ENOUGH)
/* A retransmission may be so far from the newest number: 2 s at 20 Mbit/s. */
#define SRC_TWIN_NEAR 4096

typedef struct
{
  guint32 ssrc;
  guint16 newest;
  guint64 used; /* 0: free */
} SrcTwinMedia;

typedef struct
{
  guint fit, unfit; /* packets of late */
  gboolean said;
} SrcTwinRepair;

/* Zeroed memory is ready. */
typedef struct
{
  SrcTwinMedia media[PEER_STREAMS];
  guint64 n; /* packets of media */
  SrcTwinRepair repair[SRC_PAYLOAD_TYPES];
} SrcTwin;

/* A packet of RTP was let in.  `repair`: its payload type is one of repair; `first`: the
 * first 16 bits of its payload.  TRUE, once for each payload type: what has it is media. */
gboolean src_twin_on_packet (
    SrcTwin *t, const RtpMuxHead *head, gboolean repair, guint16 first);

G_END_DECLS
