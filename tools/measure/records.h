/* What sender and receiver wrote down.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Times are ns on the clock that both have: CLOCK_MONOTONIC on one machine,
 * CLOCK_REALTIME, which somebody has to keep right, on two.
 */
#pragma once

#include <gst/rtpadapt/types.h>

G_BEGIN_DECLS

typedef struct
{
  gint64 n, t;
  gint64 pts;   /* on the sender's pipeline */
  gint64 shown; /* when first; G_MININT64: never */
} FrameSent;

typedef struct
{
  gint64 t;
  gint64 n;   /* -1: not known */
  gint64 at;  /* place in the file of pictures; -1: not kept */
  gint64 pts; /* on the receiver's pipeline */
} FrameShown;

typedef struct
{
  gint64 t;
  gdouble estimated; /* bit/s, NaN: unknown */
  gint64 bytes;      /* that the encoder had made */
} RateSample;

typedef struct
{
  gint64 t; /* the packet was sent */
  guint32 ssrc;
  guint16 seq;
  RaCause verdict;
} Verdict;

/* Packets with one RTP timestamp. */
typedef struct
{
  gint64 t;
  guint32 rtptime;
  guint packets;
  gint64 pts; /* on the pipeline it was counted on */
} RtpCount;

typedef struct
{
  gboolean realtime;
  gchar *system, *options;
  gint64 port, width, height;
  gdouble fps, seconds;
  gint64 start; /* of the stream */
  gint64 skipped, unreadable, sender_cpu, receiver_cpu;
  gint64 rtp, fec, retransmitted; /* the receiver's packets; -1: not known */
  gint64 shown_width, shown_height;
  GArray *frames;   /* FrameSent, in order */
  GArray *shown;    /* FrameShown, in order of time */
  GArray *rates;    /* RateSample */
  GArray *verdicts; /* Verdict */
  GArray *sent;     /* RtpCount at the payloader */
  GArray *came;     /* RtpCount at the depayloader */
} Records;

/* (transfer full): records_free().  NULL and one sentence. */
Records *records_read (const gchar *sent, const gchar *received,
    gboolean realtime, GError **error);
void records_free (Records *r);

G_END_DECLS
