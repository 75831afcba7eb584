/* Report blocks of RTCP SR and RR, for the circuit breakers of RFC 8083.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A peer that gives no other feedback says every few seconds what share was
 * lost and what came last (RFC 3550 6.4.1).  That serves the breakers and the
 * bound on the rate, and no controller (RFC 8083 4: "too infrequent").
 */
#pragma once

#include <gst/rtpadapt/loss/ssrcs.h>
#include <gst/rtpadapt/rate.h>

G_BEGIN_DECLS

typedef struct
{
  RaSsrcs ssrcs;
  guint32 highest[RA_SSRCS_MAX];
  RaTime last;    /* any, RA_TIME_NONE before the first */
  RaSpan spacing; /* mean time between reports, Tdr; 0 unknown */
} RaBlocks;

void ra_blocks_init (RaBlocks *b);
/* What the block says, as far as ra_guard_on_report() wants to know.  `rtt` <= 0
 * is unknown. */
RaReport ra_blocks_hear (RaBlocks *b, guint32 ssrc, guint32 ext_highest_seq,
    gdouble fraction_lost, RaSpan rtt, RaTime now);

G_END_DECLS
