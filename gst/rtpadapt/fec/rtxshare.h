/* How much of what is lost comes after all because it is sent again.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The receiver asks only for what it misses and can still use, so that what it
 * asks for, of what it lost, is the share that one answer may bring; of these
 * the path loses as many as of other packets.
 */
#pragma once

#include <gst/rtpadapt/rate.h>

G_BEGIN_DECLS

/* Sums that fade with time; zeroed memory is ready. */
typedef struct
{
  gdouble asked, lost; /* media packets */
  gdouble loss, sent;  /* packets of all kinds */
  RaTime reported;     /* the last report, or 0 */
} RaRtxShare;

/* A media packet that was lost was asked for, the first time. */
void ra_rtx_share_on_asked (RaRtxShare *r);
/* `percentage` repair packets per 100 media packets were sent, for which nobody
 * asks. */
void ra_rtx_share_on_report (
    RaRtxShare *r, const RaReport *report, guint percentage, RaTime now);
/* Of the media packets lost, those that come after all: 0 to 1. */
gdouble ra_rtx_share_mended (const RaRtxShare *r);

G_END_DECLS
