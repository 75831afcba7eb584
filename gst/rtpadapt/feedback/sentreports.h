/* The sender reports that left, which report blocks name.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gst/rtpadapt/safety/reportblocks.h>

G_BEGIN_DECLS

/* How many are remembered, because report blocks may still name them.  Two per
 * second leave while nobody answers. */
#define RA_SENT_REPORTS_MAX 64

typedef struct
{
  struct
  {
    guint32 lsr; /* the middle of its NTP time (RFC 3550 6.4.1) */
    RaTime sent;
  } sent[RA_SENT_REPORTS_MAX];
  guint n; /* so far */
} RaSentReports;

/* A compound leaves; one that begins with a sender report is remembered. */
void ra_sent_reports_add (
    RaSentReports *r, const guint8 *bytes, gsize len, RaTime now);
/* Finds the sender report that a block names.  `rtt` becomes the round trip:
 * the time since that report left, less the time at the receiver.
 * RA_SPAN_NONE: it is not known. */
RaLsr ra_sent_reports_judge (
    const RaSentReports *r, guint32 lsr, guint32 dlsr, RaTime now, RaSpan *rtt);

G_END_DECLS
