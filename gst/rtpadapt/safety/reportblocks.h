/* Report blocks of RTCP SR and RR, for the circuit breakers of RFC 8083.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A peer that gives no other feedback says every few seconds what share was
 * lost and what came last (RFC 3550 6.4.1).  That serves the breakers and the
 * bound on the rate, and no controller (RFC 8083 4: "too infrequent").
 *
 * Anybody may write such a block.  It proves something only if it names what
 * the receiver alone can know: a sender report of ours that it got (LSR), or a
 * packet that left lately.  Only the lower half of the extended highest number
 * is compared with the packets that left, because each receiver begins to count
 * the wraps when it joins.
 */
#pragma once

#include <gst/rtpadapt/rate.h>

G_BEGIN_DECLS

/* A packet that left longer ago than this proves nothing: the minimum interval
 * between reports is as long (RFC 3550 6.2), and no stream can be steered over a
 * round trip that is as long. */
#define RA_BLOCKS_RECENT (5 * RA_SECOND)
#define RA_BLOCKS_MARKS 16
/* SSRCs at a time; one that sends keeps its place. */
#define RA_BLOCKS_STREAMS 16

/* Which sender report a block names. */
typedef enum
{
  RA_LSR_UNKNOWN, /* none, or one from too long ago */
  RA_LSR_OURS,    /* one that we sent lately */
  RA_LSR_FALSE,   /* one that we never sent, or that was not sent yet */
} RaLsr;

/* A report block about an SSRC of ours. */
typedef struct
{
  guint32 ssrc, ext_highest_seq;
  gdouble fraction_lost; /* 0..1 */
  RaLsr lsr;
  RaSpan rtt; /* <= 0 is unknown */
} RaBlock;

/* What a block, or a report of any kind, proves about the path; the more, the higher. */
typedef enum
{
  RA_PROOF_FALSE,     /* nothing: it contradicts what was sent */
  RA_PROOF_NONE,      /* nothing: anybody could have made it */
  RA_PROOF_HEARD,     /* our RTCP reaches the peer, and its RTCP reaches us */
  RA_PROOF_DELIVERED, /* the peer knows a packet that left lately */
} RaProof;

/* The packets of an SSRC that left, with unwrapped numbers. */
typedef struct
{
  gboolean used;
  guint32 ssrc;
  RaTime sent;         /* the latest packet */
  guint64 first, last; /* numbers */
  guint64 reported;    /* the highest number that a block named, 0: none */
  struct
  {
    guint64 seq; /* the first packet that left at `at` or later */
    RaTime at;
  } marks[RA_BLOCKS_MARKS];
  guint n_marks; /* so far */
} RaReportBlocksStream;

typedef struct
{
  RaReportBlocksStream streams[RA_BLOCKS_STREAMS];
  RaTime last;    /* any, RA_TIME_NONE before the first */
  RaSpan spacing; /* mean time between reports, Tdr; 0 unknown */
} RaReportBlocks;

void ra_report_blocks_init (RaReportBlocks *b);
/* A packet with these RTP numbers leaves. */
void ra_report_blocks_on_sent (
    RaReportBlocks *b, guint32 ssrc, guint16 seq, RaTime now);
/* Returns what the block proves; adds to `report` what it says that matters to
 * the guard.  Blocks of one packet are one report, which is
 * { .queue = RA_SPAN_NONE } before the first. */
RaProof ra_report_blocks_hear (
    RaReportBlocks *b, const RaBlock *block, RaTime now, RaReport *report);

G_END_DECLS
