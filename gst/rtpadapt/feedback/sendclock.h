/* The sender's clock as its stamps on the packets show it.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * How long packets were on their way, without the clocks' offset: the first one
 * took no time at all.  A stamp wraps after 71.6 min; the time between arrivals
 * says how often it did.
 */
#pragma once

#include <gst/rtpadapt/types.h>
#include <gst/rtpadapt/util/winmin.h>

G_BEGIN_DECLS

typedef struct
{
  gboolean known;
  RaTime sent;    /* the latest stamp; its beginning is not known */
  RaTime arrival; /* of that packet */
  RaSpan rott;    /* what it took more than the first */
  RaWinMin fastest;
} RaSendClock;

void ra_send_clock_init (RaSendClock *c);
/* A packet stamped `t_i` (ra_stamp_us()).  FALSE, ignored, if `arrival` is so
 * late that the stamp no longer says when it left. */
gboolean ra_send_clock_hear (RaSendClock *c, guint32 t_i, RaTime arrival);
/* `rott` beyond that of the fastest packet of the last 30 s. */
RaSpan ra_send_clock_queue (const RaSendClock *c);

G_END_DECLS
