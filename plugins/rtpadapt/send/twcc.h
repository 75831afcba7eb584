/* rtpsession's per-packet feedback, event "RTPTWCCPackets", as rows.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gst/gst.h>
#include <gst/rtpadapt/types.h>

G_BEGIN_DECLS

/* The unit of a receive delta (draft-holmer-rmcat-...-01, 3.1.5). */
#define TWCC_GRAIN (250 * RA_USECOND)
/* Reference time: 24 bit, unit 64 ms (the same, 3.1). */
#define TWCC_WRAP ((RaSpan) (64 * RA_MSECOND) << 24)

typedef struct
{
  guint16 seq; /* rtpsession's own number, over all SSRCs */
  gboolean lost;
  GstClockTime local;  /* when it passed rtpsession, system clock; or NONE */
  guint size;          /* payload bytes, known if `local` is */
  GstClockTime remote; /* when it arrived, receiver's clock; NONE if lost */
} TwccRow;

/* NULL if `s` is not such a structure; rows that lack a field are left out.
 * (transfer full) (element-type TwccRow): g_array_unref(). */
GArray *twcc_parse (const GstStructure *s);

/* TRUE if GStreamer 1.22's writer may have spoilt the report the rows came in:
 * rtp_twcc_write_chunks() writes a run of losses longer than a status vector
 * (14 packets) twice, which shifts the statuses and deltas of those behind it.
 * Received packets are then called lost, and arrivals are up to 100 ms off. */
gboolean twcc_is_doubtful (const GArray *rows);
/* Removes the rows before number `base`, which rtpsession calls lost because no
 * report was about them. */
void twcc_remove_before (GArray *rows, guint16 base);

/* A clock of the receiver's that wraps.  With twcc: 24 bit of 64 ms plus deltas,
 * 12.4 days, and deltas at its beginning can make it fall below 0.  rtpsession
 * puts the absolute time where a packet has no DTS and the running time where
 * it has one, and a delta beyond 8.19 s overflows its 16 bits.  With ccfb: the
 * middle 32 bits of NTP, 18.2 h. */
typedef struct
{
  gboolean started;
  GstClockTime raw;
  RaTime arrival, sent;
} RemoteClock;

/* The arrival of a packet sent at `sent`, on a clock that goes on where
 * `remote` wraps or begins anew; its zero is arbitrary. */
RaTime remote_clock_unwrap (
    RemoteClock *c, GstClockTime remote, RaSpan wrap, RaTime sent);

G_END_DECLS
