/* When a receiver asks for a packet that is missing, and when for nothing.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Not before a hole is older than those that were filled late lately: the path
 * may reorder.  Not again within a round trip, which is measured here by requests
 * and answers.  And not when the answer would come too late.
 */
#pragma once

#include <gst/rtpadapt/types.h>

G_BEGIN_DECLS

/* Packets in a row that are kept apart; more than are missing at a time. */
#define RA_RTX_REQUESTS_HOLES 2048

typedef struct
{
  RaTime opened; /* when a later packet came */
  RaTime due;    /* by the first question about it, or 0 */
  RaTime first;  /* request, or 0 */
  RaTime asked;  /* the last one */
  guint16 seq;
  gboolean missing;
} RaHole;

typedef struct
{
  RaHole hole[RA_RTX_REQUESTS_HOLES];
  gboolean started;
  guint16 highest;
  RaSpan late;       /* how late a hole was filled, at most lately */
  RaTime measured;   /* when that was */
  RaTime trial;      /* the last hopeless request that went out, or 0 */
  RaSpan rtt, var;   /* of requests and answers, RFC 6298; 0: not known */
  RaSpan last_rtt;   /* the last one alone */
  guint back_off;    /* so often the timeout was doubled */
  RaTime backed_off; /* when it was last */
} RaRtxRequests;     /* zeroed at first */

/* RTP packet `seq` came; `again`: as an answer.  How long after a request the next
 * one makes sense, or 0: it came unasked, and nothing new is known of that. */
RaSpan ra_rtx_requests_on_packet (
    RaRtxRequests *r, guint16 seq, gboolean again, RaTime now);
/* Somebody wants to ask for `seq`, `age` after it was due; what comes `latency`
 * after that is of no use, RA_SPAN_NONE: nobody knows.  Returns how long the
 * request has to wait, after which the caller asks here again, maybe with the
 * same `age`; 0: it goes out now; RA_SPAN_NONE: never. */
RaSpan ra_rtx_requests_wait (
    RaRtxRequests *r, guint16 seq, RaSpan age, RaSpan latency, RaTime now);

G_END_DECLS
