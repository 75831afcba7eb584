/* From lost packets to loss events, loss intervals and p (RFC 5348 5.2-5.5).
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gst/rtpadapt/types.h>

G_BEGIN_DECLS

#define RA_HISTORY_N 8 /* RFC 5348 5.4 */
#define RA_HISTORY_EVENTS_MAX 32
#define RA_HISTORY_LOST_MAX 1024

typedef struct _RaHistory RaHistory;

/* `discounting`: RFC 5348 5.5.  (transfer full): ra_history_free(). */
RaHistory *ra_history_new (gboolean discounting);
void ra_history_free (RaHistory *h);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (RaHistory, ra_history_free)

/* An in-order packet arrived: I_0 grows (RFC 5348 5.3), DF is updated. */
void ra_history_on_packet (RaHistory *h, guint64 seq);

/* Packet `seq` was lost to congestion, or came ECN-marked; `t_loss` as in
 * RFC 5348 5.2, `rtt` the sender's R (0 if unknown: each loss is an event).
 * Losses come in order of `seq`, but for a late marked packet.  TRUE if there
 * is one more loss event. */
gboolean ra_history_lose (RaHistory *h, guint64 seq, RaTime t_loss, RaSpan rtt);

/* `seq`, reported by ra_history_lose(), arrived after all.  The history becomes
 * what it would be had `seq` never been reported: what follows is grouped
 * again with the times and R of then, two intervals become one (their sum; so
 * does the seed of the interval before the first event), and the DF_i of
 * newer events are computed again with the S_C of then.  TRUE if that removed
 * a loss event (RFC 5348 6.1 step 2).
 *
 * Memory: at least the last RA_HISTORY_LOST_MAX / 2 lost packets and the last
 * RA_HISTORY_EVENTS_MAX events.  An older packet changes nothing and gives
 * FALSE: p stays on the safe side. */
gboolean ra_history_recover (RaHistory *h, guint64 seq);

/* The interval before the first loss event, packets >= 1 (RFC 5348 6.3.1); to
 * be called right after an ra_history_lose() that returned TRUE and made
 * ra_history_events() 1.  Until then it is the packets seen before. */
void ra_history_seed (RaHistory *h, gdouble interval);

/* Loss events so far (those removed by late packets not counted). */
guint ra_history_events (const RaHistory *h);
/* The loss event rate, 0 before the first loss event.  Never raised by
 * ra_history_on_packet(). */
gdouble ra_history_p (const RaHistory *h);
/* I_i, 0 <= i <= RA_HISTORY_N, 0 if there is none. */
gdouble ra_history_interval (const RaHistory *h, guint i);
/* DF_i of RFC 5348 5.5 for i > 0; for i = 0 the general DF.  1 if none. */
gdouble ra_history_discount (const RaHistory *h, guint i);

G_END_DECLS
