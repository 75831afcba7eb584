/* Who gets how much of the allowed rate: the encoder, repair, headers.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gst/rtpadapt/types.h>

G_BEGIN_DECLS

/* bit/s; their sum never exceeds the allowed rate. */
typedef struct
{
  guint64 media;  /* the encoder's */
  guint64 fec;    /* repair packets, their headers included */
  guint64 header; /* RTP headers and payload formats of media packets */
} RaSplit;

/* Means over the recent packets of all kinds, bytes; zeroed memory is ready. */
typedef struct
{
  guint n, n_packet, n_repair; /* sent: all, media, repair; 256 at most */
  gdouble all;
  gdouble packets; /* of this media packets */
  gdouble media;   /* of these the encoder's bytes */
  gdouble packet;  /* mean size of a media packet */
  gdouble repair;  /* mean size of a repair packet */
} RaSizes;

/* A packet of `size` bytes was sent, of which `media` are the encoder's;
 * `repair`: FEC or a retransmission. */
void ra_sizes_on_sent (
    RaSizes *sizes, guint size, guint media, gboolean repair);
/* Shares `rate`, bit/s of RTP packets: RTCP comes on top.  `percentage` repair packets
 * per 100 media packets are wanted; if more were sent lately, those count.  `backlog` is the
 * time that what waits for the pacer takes at the rate.  Nothing else drains it, so what
 * exceeds 20 ms of it comes off the encoder's part, up to half of it, to be gone `within` that
 * time; RA_SPAN_NONE: 1/3 s, which is the longest (split.c). */
void ra_split (const RaSizes *sizes, guint64 rate, guint percentage,
    RaSpan backlog, RaSpan within, RaSplit *out);
/* Streams that the encoder does not make take `other` of the same `rate`,
 * whole packets: what they take comes off media, fec and header alike. */
void ra_split_other (RaSplit *split, guint64 rate, guint64 other);

G_END_DECLS
