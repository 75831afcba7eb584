/* What was sent lately, so that feedback and truth find it.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Packets have our own consecutive index.
 *
 * twcc: rtpsession numbers them as they pass, so that index = its number + a
 * constant (modulo 2^16).  The constant is 0 if it began with us; each row is
 * checked against the time and the size that rtpsession saw, and where they
 * disagree the constant is found anew.
 *
 * ccfb: rows come by RTP numbers, stream by stream, and the same packet in
 * several reports.  They are noted first, and then taken in order of index, as
 * far as they are news.
 */
#pragma once

#include "twcc.h"

#include <gst/rtpadapt/safety/ecn.h>

G_BEGIN_DECLS

#define SENT_LOG_SIZE 16384 /* as many as RaSender remembers */
#define SENT_SSRCS_MAX 32   /* streams known at a time */

/* What a report says of a packet. */
typedef enum
{
  SENT_NOTHING,
  SENT_LOST,
  SENT_ARRIVED,
} SentNews;

typedef struct
{
  guint64 index;
  RaTime sent;                /* our clock */
  GstClockTime before, after; /* the push, system clock; `after` NONE: not yet
                                 over */
  guint payload;              /* bytes */
  guint32 ssrc;
  guint16 seq;        /* RTP */
  gboolean is_repair; /* FEC or a retransmission */
  RaEcnField ecn;     /* it left with */
  RaTime repeated;    /* when it was last asked for again, or 0 */
  RaCause truth;      /* why it was lost, where somebody knows */
  /* the log's own */
  guint64 next;        /* older one of the same hash */
  SentNews noted;      /* not yet taken */
  SentNews told;       /* taken */
  RaEcnField came;     /* noted: with this ECN field */
  GstClockTime remote; /* noted: its arrival, receiver's clock */
} SentPacket;

typedef struct
{
  guint32 ssrc;
  guint64 last;     /* index of the latest packet */
  guint64 reported; /* one after the latest that a report spoke of, 0: none */
} SentStream;

typedef struct
{
  SentPacket ring[SENT_LOG_SIZE];
  guint64 heads[SENT_LOG_SIZE]; /* the latest packet of a hash of ssrc, seq */
  SentStream streams[SENT_SSRCS_MAX];
  guint n_streams;
  guint64 next;      /* index of the next packet */
  guint16 constant;  /* index - TWCC number */
  gboolean checked;  /* the constant was confirmed by at least one row */
  guint64 noted;     /* the lowest that was noted; G_MAXUINT64: none */
  guint64 noted_end; /* one after the highest */
  guint64 told_end;  /* one after the highest that was taken */
} SentLog;

void sent_log_init (SentLog *log);
/* `p` gets the next index and a copy goes to the log, which is returned. */
SentPacket *sent_log_add (SentLog *log, const SentPacket *p);
/* NULL if it was never sent or is too old. */
SentPacket *sent_log_find (SentLog *log, guint64 index);
/* The latest packet with these RTP numbers, or NULL. */
SentPacket *sent_log_find_rtp (SentLog *log, guint32 ssrc, guint16 seq);
/* TRUE if a packet of that stream is in the log. */
gboolean sent_log_has_ssrc (SentLog *log, guint32 ssrc);

/* Makes sure that the constant fits the rows of one event.  TRUE if it had
 * been confirmed before and had to be changed: rtpsession and we disagreed. */
gboolean sent_log_align (SentLog *log, const GArray *rows);
/* The packet a row speaks of; NULL if none, or if the row contradicts it. */
const SentPacket *sent_log_map (SentLog *log, const TwccRow *row);

/* A row of RFC 8888. */
typedef struct
{
  guint32 ssrc;
  guint16 seq;
  gboolean received;
  GstClockTime remote; /* GST_CLOCK_TIME_NONE: received, not known when */
  RaEcnField ecn;      /* it came with */
} CcfbRow;

/* FALSE if we did not send it lately. */
gboolean sent_log_note (SentLog *log, const CcfbRow *row);
/* The packets whose rows are news, in order; those of other streams in between
 * of which no report speaks yet are lost so far, as what was sent behind them
 * has arrived.  `clock` is the receiver's, it wraps after RA_STAMP_NTP_WRAP.
 * (transfer full) (element-type RaFeedbackPacket): g_array_unref(). */
GArray *sent_log_take (SentLog *log, RemoteClock *clock);

G_END_DECLS
